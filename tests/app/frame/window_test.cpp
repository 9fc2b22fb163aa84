// The real window with a script instead of a person. Needs a display: the build runs it under Xvfb.
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/window/shell.h"
#include "engine/base/json.h"
#include "engine/net/http.h"
#include "kernels/error.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/shared/temp_folder.h"
#include "tests/shared/variable.h"

namespace speclens {
namespace {

TEST(Window, OpensASavedRunStepsAndCloses) {
    if (!std::getenv("DISPLAY")) GTEST_SKIP() << "no DISPLAY: run under xvfb-run";
    WindowRequest request;
    request.session = std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / "mixed.jsonl";
    std::size_t at_start = 0, after_keys = 0, at_end = 0;
    const ShellReport report = run_window(request, [&](InputQueue& queue, Controller& controller, int frame, double seconds) {
        const auto key = [&](ui::Key which) { queue.push({.kind = RawEvent::Kind::key, .key = {.key = which}}); };
        if (frame == 2) {
            key(ui::Key::home);
            at_start = 1;
        }
        if (frame == 4) { // several presses that arrive within one frame
            key(ui::Key::right);
            key(ui::Key::right);
            key(ui::Key::right);
        }
        if (frame == 8) after_keys = controller.frame(seconds).scene.cursor;
        if (frame == 9) key(ui::Key::end);
        if (frame == 12) at_end = controller.frame(seconds).scene.cursor;
        if (frame == 13) queue.push({.kind = RawEvent::Kind::move, .at = {100, 120}});
        if (frame == 14) controller.theme = ui::ThemeKind::light;
        if (frame == 16) controller.zoom = 1.5F;
        return frame < 24 && seconds < 60;
    });
    EXPECT_EQ(at_start, 1U);
    EXPECT_EQ(after_keys, 4U);
    EXPECT_GT(at_end, 20U);
    EXPECT_GE(report.frames, 24);
    std::printf("[ REPORT   ] %s: first picture after %.2f s, frame built in %.2f ms\n", report.gl.c_str(), report.first_frame_s,
                report.frame_ms);
}

TEST(Window, OpensASavedRunInTheSceneAndAtThePlaceThatAreAskedFor) {
    if (!std::getenv("DISPLAY")) GTEST_SKIP() << "no DISPLAY: run under xvfb-run";
    WindowRequest request;
    request.session = std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / "mixed.jsonl";
    request.view.scene = "accept-rule";
    request.view.place.at = 9;
    std::string scene;
    std::size_t at = 0;
    (void)run_window(request, [&](InputQueue&, Controller& controller, int frame, double seconds) {
        const FrameInput shown = controller.frame(seconds);
        scene = shown.scene_name;
        at = shown.scene.cursor;
        return frame < 4 && seconds < 60;
    });
    EXPECT_EQ(scene, "accept-rule");
    EXPECT_EQ(at, 9U);
}

TEST(Window, SaysWhatOfASavedRunCouldNotBeRead) {
    if (!std::getenv("DISPLAY")) GTEST_SKIP() << "no DISPLAY: run under xvfb-run";
    const test::TempFolder folder;
    std::ifstream whole(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / "mixed.jsonl");
    std::string words((std::istreambuf_iterator<char>(whole)), {});
    std::ofstream(folder / "cut.jsonl") << words.substr(0, words.size() - 40);
    WindowRequest request;
    request.session = folder / "cut.jsonl";
    std::string said;
    (void)run_window(request, [&](InputQueue&, Controller& controller, int frame, double seconds) {
        said = controller.chrome.message;
        return frame < 2 && seconds < 60;
    });
    EXPECT_NE(said.find("ends in the middle of line"), std::string::npos) << said;
}

// A screen reader's browser: a key opens it, it hears each step in the language on screen, and when the window is closed.
TEST(Window, TellsItsFrameOnAPageThatFollows) {
    if (!std::getenv("DISPLAY")) GTEST_SKIP() << "no DISPLAY: run under xvfb-run";
    const test::TempFolder folder;
    const std::string address = folder / "address";
    std::ofstream(folder / "xdg-open") << "#!/bin/sh\necho \"$1\" >'" << address << ".part' && mv '" << address << ".part' '" << address
                                       << "'\n";
    std::filesystem::permissions(folder / "xdg-open", std::filesystem::perms::owner_all);
    const test::Variable path("PATH", folder.path().string() + ":" + std::getenv("PATH"));
    speak("de");
    WindowRequest request;
    request.session = std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / "mixed.jsonl";
    std::mutex mutex;
    std::string heard;
    const auto events = [&](const std::string& kind) {
        const std::lock_guard held(mutex);
        std::vector<std::string> all;
        for (std::size_t at = heard.find(kind); at != std::string::npos; at = heard.find(kind, at + 1))
            all.push_back(heard.substr(at + kind.size(), heard.find("\n\n", at) - at - kind.size()));
        return all;
    };
    std::thread browser;
    bool stepped = false;
    (void)run_window(request, [&](InputQueue& queue, Controller&, int frame, double seconds) {
        const auto key = [&](ui::Key which, bool shift) {
            queue.push({.kind = RawEvent::Kind::key, .key = {.key = which, .shift = shift}});
        };
        if (frame == 3) key(ui::Key::home, false);
        if (frame == 6) key(ui::Key::d, true);
        if (!browser.joinable() && std::filesystem::exists(address))
            browser = std::thread([&] {
                std::string where;
                std::getline(std::ifstream(address), where);
                http_download(
                    parse_endpoint(where), "/words", {}, {}, [](const HttpHead& head) { return head.status == 200; },
                    [&](std::string_view words) {
                        const std::lock_guard held(mutex);
                        heard += words;
                        return true;
                    });
            });
        if (!stepped && !events("data: {").empty()) key(ui::Key::right, false), stepped = true;
        return events("data: {").size() < 2 && seconds < 60;
    });
    ASSERT_TRUE(browser.joinable()) << "no address was opened";
    browser.join();
    speak("en");
    const std::vector<std::string> told = events("data: {");
    ASSERT_GE(told.size(), 2U) << heard;
    const Json first = Json::parse("{" + told[0]), second = Json::parse("{" + told[1]);
    EXPECT_EQ(first["language"], "de");
    EXPECT_EQ(first["closed"], "Das Fenster wurde geschlossen");
    EXPECT_NE(first["text"].get<std::string>().find("Runde"), std::string::npos) << first["text"].get<std::string>();
    EXPECT_NE(first["text"], second["text"]) << "a step says something else";
    EXPECT_EQ(events("event: closed").size(), 1U) << heard;
}

// The engine thread, the window and the race together, driven by keys alone.
TEST(Window, RacesAndOpensALaneInTheLoop) {
    if (!std::getenv("DISPLAY")) GTEST_SKIP() << "no DISPLAY: run under xvfb-run";
    WindowRequest request;
    request.view.scene = "race";
    request.view.settings.max_tokens = 12;
    request.view.race.base = request.view.settings;
    request.view.race.base.sampling.temperature = 0;
    request.view.race.lanes = race_entries({"none", "lookup"}, request.view.race.base);
    int finished = 0;
    double rest = -1, start = -1, next = -1;
    std::string opened;
    (void)run_window(request, [&](InputQueue& queue, Controller& controller, int frame, double seconds) {
        const auto key = [&](ui::Key which) { queue.push({.kind = RawEvent::Kind::key, .key = {.key = which}}); };
        const FrameInput now = controller.frame(seconds);
        if (!finished) {
            if (now.scene.race && now.scene.race->finished()) finished = frame;
            return seconds < 60;
        }
        const int step = frame - finished;
        if (step == 2) rest = now.scene.race_ms, key(ui::Key::home);
        if (step == 5) start = now.scene.race_ms, key(ui::Key::right);
        if (step == 8) next = now.scene.race_ms, key(ui::Key::enter);
        if (step == 12) opened = now.scene_name;
        return step < 14 && seconds < 90;
    });
    ASSERT_GT(finished, 0) << "the race never finished";
    EXPECT_GT(rest, 0);
    EXPECT_EQ(start, 0);
    EXPECT_GT(next, 0);
    EXPECT_LE(next, rest);
    EXPECT_EQ(opened, "loop");
}

// Started with one drafter, changed to none: the server drafts nothing.
TEST(Window, ServesTheSettingsOnScreen) {
    if (!std::getenv("DISPLAY")) GTEST_SKIP() << "no DISPLAY: run under xvfb-run";
    WindowRequest request;
    request.view.scene = "server";
    request.view.settings.max_tokens = 12;
    int step = 0;
    double drafted = -1;
    std::string who;
    (void)run_window(request, [&](InputQueue&, Controller& controller, int, double seconds) {
        const FrameInput now = controller.frame(seconds);
        const ServerView* server = now.scene.server;
        const auto order = [&](ServerOrder what) {
            controller.perform({SceneCommand{std::move(what)}}, seconds);
            ++step;
        };
        const bool attached = server && server->state == ServerView::State::attached;
        if (step == 0 && now.scene.trace->size() > 0) { // one that drafts, first
            order(ServeHere{});
        } else if (step == 1 && attached) {
            order(DetachServer{});
        } else if (step == 2 && server && server->state == ServerView::State::detached) {
            RunSettings plain = *now.scene.settings;
            plain.drafter = "none";
            controller.perform({SceneCommand{Command{Restart{plain}}}}, seconds);
            ++step;
        } else if (step == 3 && now.scene.settings->drafter == "none") {
            order(ServeHere{});
        } else if (step == 4 && attached) {
            order(AskServer{request_like(*now.scene.settings)});
        } else if (step == 5 && server && server->served && !server->asking) {
            drafted = server->served->counts ? server->served->counts->drafted : 0;
            who = controller.served() ? controller.served()->drafter : "";
            ++step;
        }
        return step < 6 && seconds < 90;
    });
    EXPECT_EQ(step, 6) << "how far it came";
    EXPECT_EQ(who, "none");
    EXPECT_EQ(drafted, 0);
}

const std::filesystem::path kMicros = std::filesystem::path(SPEC_SOURCE_DIR) / "tests/engine/golden";

// A small model of random weights, which loads at once.
WindowRequest on_micro() {
    WindowRequest request;
    request.models.target = kMicros / "micro_llama";
    request.folders = {{"model", "micro_llama"}};
    request.view.settings.prompt.token_ids = {5, 6, 5};
    request.view.settings.drafter = "lookup";
    request.view.settings.max_tokens = 8;
    return request;
}

TEST(Window, ADroppedModelTakesThePlaceOfTheOldOne) {
    if (!std::getenv("DISPLAY")) GTEST_SKIP() << "no DISPLAY: run under xvfb-run";
    const test::TempFolder folder;
    std::ofstream(folder / "broken.gguf") << "GGUF and no more";
    const WindowRequest request = on_micro();
    int step = 0;
    std::string said, first, link;
    (void)run_window(request, [&](InputQueue& queue, Controller& controller, int, double seconds) {
        const FrameInput now = controller.frame(seconds);
        const Header* run = now.scene.view->header;
        const auto drop = [&](const std::filesystem::path& file) {
            queue.push({.kind = RawEvent::Kind::drop, .text = file.string()});
            ++step;
        };
        const bool busy = now.scene.status->state == EngineStatus::State::loading;
        if (step == 0 && run && !busy) {
            first = run->model;
            drop(folder / "broken.gguf");
        } else if (step == 1 && !now.banner.empty()) {
            said = now.banner;
            EXPECT_EQ(run->model, first) << "still there";
            drop(kMicros / "micro_qwen3");
        } else if (step == 2 && run && run->model == "micro_qwen3") {
            link = to_text(controller.link());
            ++step;
        }
        return step < 3 && seconds < 60;
    });
    EXPECT_EQ(step, 3) << "how far it came";
    EXPECT_EQ(first, "micro_llama");
    EXPECT_NE(said.find("broken"), std::string::npos) << said;
    EXPECT_NE(link.find("model=micro_qwen3"), std::string::npos) << link;
}

// With a python3 that never ends, one that finds no network, and one that is at work when the window is closed.
TEST(Window, FetchesAModelBesideTheRunAndSaysWhatCameOfIt) {
    if (!std::getenv("DISPLAY")) GTEST_SKIP() << "no DISPLAY: run under xvfb-run";
    const test::TempFolder folder;
    const test::Variable home("XDG_DATA_HOME", folder.path().string());
    const test::Variable makers("HF_ENDPOINT", "https://127.0.0.1:1"); // nobody listens there
    const test::Variable path("PATH", (folder / "bin").string() + ":/usr/bin:/bin");
    std::filesystem::create_directory(folder / "bin");
    const auto python = [&](const std::string& script) {
        std::ofstream(folder / "bin/python3") << "#!/bin/sh\n" << script << "\n";
        std::filesystem::permissions(folder / "bin/python3", std::filesystem::perms::owner_all);
    };
    const std::string pid = (folder / "pid").string();
    const std::string hang = "echo $$ > '" + pid + ".part'; mv '" + pid + ".part' '" + pid + "'\nexec sleep 1000";
    const WindowRequest request = on_micro();
    int step = 0, begun = 0;
    std::string cancelled, failed;
    (void)run_window(request, [&](InputQueue&, Controller& controller, int, double seconds) {
        const FrameInput now = controller.frame(seconds);
        const auto get = [&](const std::string& script) {
            python(script);
            controller.perform({PickAction{Action::get_model}}, seconds);
            ++step;
        };
        if (step == 0 && now.scene.view->header && now.scene.status->state != EngineStatus::State::loading) {
            get(hang);
        } else if (step == 1 && now.fetch && std::filesystem::exists(pid)) {
            ++begun;
            std::filesystem::remove(pid);
            controller.perform({CancelFetch{}}, seconds);
            ++step;
        } else if (step == 2 && !now.fetch) {
            cancelled = controller.chrome.message;
            get("echo 'ERROR: Failed to establish a new connection: no route' >&2; exit 1");
        } else if (step == 3 && !now.banner.empty()) {
            failed = now.banner + " " + now.remedy;
            get(hang);
        } else if (step == 4 && now.fetch && std::filesystem::exists(pid)) {
            ++begun;
            ++step;
        }
        return step < 5 && seconds < 60;
    });
    EXPECT_EQ(step, 5) << "how far it came";
    EXPECT_EQ(begun, 2);
    EXPECT_NE(cancelled.find("was not fetched"), std::string::npos) << cancelled;
    EXPECT_NE(failed.find("Failed to establish a new connection"), std::string::npos) << failed;
    EXPECT_NE(failed.find("Check the connection"), std::string::npos) << failed;
    std::string last;
    std::ifstream(pid) >> last;
    ASSERT_FALSE(last.empty());
    EXPECT_FALSE(std::filesystem::exists("/proc/" + last)) << "it went with the window";
}

// One Ctrl+C or SIGTERM is enough, and whoever waited for it before hears of it too.
TEST(Window, ASignalClosesIt) {
    if (!std::getenv("DISPLAY")) GTEST_SKIP() << "no DISPLAY: run under xvfb-run";
    static std::atomic<int> heard;
    heard = 0;
    for (const int number : {SIGINT, SIGTERM}) {
        const auto before = std::signal(number, [](int) { ++heard; });
        WindowRequest request;
        request.session = std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / "mixed.jsonl";
        bool late = false;
        (void)run_window(request, [&](InputQueue&, Controller&, int frame, double seconds) {
            if (frame == 3) std::raise(number);
            late = frame > 5 || seconds > 60;
            return !late;
        });
        std::signal(number, before);
        EXPECT_FALSE(late) << "the window stayed open";
    }
    EXPECT_EQ(heard, 2);
}

TEST(Window, WithoutADisplaySaysWhatToDo) {
    if (std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY")) GTEST_SKIP() << "there is a display";
    try {
        open_window({});
        FAIL() << "a window without a display";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Exit::display);
        EXPECT_NE(error.remedy().find("render"), std::string::npos);
    }
}

} // namespace
} // namespace speclens
