// What is shared of a round: a loop of six seconds, a card, a link; and the key for it.
#include <gtest/gtest.h>

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_GIF
#define STBI_ONLY_PNG
#include <stb_image.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>

#include "app/render/round_share.h"
#include "kernels/error.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/view_bench.h"
#include "tests/shared/temp_folder.h"
#include "tests/shared/toy_race.h"
#include "tests/shared/variable.h"
#include "ui/canvas_record.h"

namespace speclens {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;
using test::Variable;

const std::string kLink = "speclens://loop?at=9&drafter=small&seed=7";

SharedRound shared(const std::shared_ptr<const Trace>& trace, int round) {
    return {.trace = trace, .round = round, .settings = {}, .status = {}, .theme = "dark", .link = kLink};
}

const RoundSummary& round_of(const RunView& whole, int round) { return *std::ranges::find(whole.round_list, round, &RoundSummary::round); }

int all_ms(const std::vector<LoopShot>& shots) {
    int sum = 0;
    for (const LoopShot& shot : shots) sum += shot.ms;
    return sum;
}

TEST(ShareLoop, TakesSixSecondsWhateverTheRound) {
    for (const fixtures::Toy& toy : fixtures::toys()) {
        const auto trace = fixtures::toy_run(toy);
        const RunView whole = fold(*trace, trace->size());
        for (const RoundSummary& round : whole.round_list) {
            if (!round.complete()) continue;
            const std::vector<LoopShot> shots = loop_shots(*trace, round);
            ASSERT_FALSE(shots.empty());
            EXPECT_EQ(all_ms(shots), kLoopMs) << toy.name << " round " << round.round;
            EXPECT_EQ(shots.back().cursor, round.end_event);
            EXPECT_EQ(shots.back().moving, 1);
            EXPECT_GE(shots.back().ms, 1000) << "long enough to be read";
            std::size_t before = round.first_event;
            for (const LoopShot& shot : shots) {
                EXPECT_TRUE(shot.cursor == before || shot.cursor == before + 1) << "event by event";
                before = shot.cursor;
                EXPECT_GE(shot.ms, 20);
                EXPECT_EQ(shot.ms % 10, 0) << "GIF counts hundredths";
            }
        }
    }
}

TEST(ShareLoop, LeavesStepsOutWhereThereIsNoTimeForAll) {
    fixtures::Toy toy = fixtures::toys().front();
    toy.nodes = 120, toy.k = 60, toy.cycles = 1, toy.rule = "tree_wor", toy.drafter = "small_tree";
    const auto trace = fixtures::toy_run(toy);
    const RunView whole = fold(*trace, trace->size());
    const RoundSummary& round = whole.round_list.front();
    ASSERT_GT(round.end_event - round.first_event, 110U);
    const std::vector<LoopShot> shots = loop_shots(*trace, round);
    EXPECT_EQ(all_ms(shots), kLoopMs);
    EXPECT_LT(shots.size(), 110U);
    EXPECT_EQ(shots.back().cursor, round.end_event);
}

std::string card_words(const SharedRound& round) {
    const RunView whole = fold(*round.trace, round.trace->size());
    ui::RecordCanvas canvas(steady_fonts(), {0, 0, kCardWidth, kCardHeight});
    draw_share_card(canvas, ui::theme(ui::ThemeKind::dark), round, whole, round_of(whole, round.round));
    for (const ui::RecordedText& text : canvas.texts()) {
        EXPECT_LE(text.box.right(), kCardWidth - 24.F) << text.text;
        EXPECT_LE(text.box.bottom(), kCardHeight + 0.F) << text.text;
    }
    return canvas.visible_text();
}

TEST(ShareCard, SaysWhatCameOfTheRound) {
    const auto trace = fixtures::mixed();
    const RunView whole = fold(*trace, trace->size());
    for (const RoundSummary& round : whole.round_list) {
        if (!round.complete()) continue;
        const std::string words = card_words(shared(trace, round.round));
        const std::string title = std::to_string(round.accepted) + " of " + std::to_string(round.drafts.size()) + " draft tokens accepted";
        EXPECT_NE(words.find(title), std::string::npos) << words;
        for (const DraftSlot& slot : round.drafts) {
            const std::string token = trace->text(slot.draft->token); // its space is drawn as a mark
            EXPECT_NE(words.find(token.substr(token.starts_with(' ') ? 1 : 0)), std::string::npos) << token << " in " << words;
        }
        const std::string prompt = trace->header()->chat ? trace->header()->chat->said : trace->header()->prompt_text;
        ASSERT_NE(prompt, "");
        for (const std::string& part :
             {std::string("SpecLens"), "RECORDED  " + trace->header()->date.substr(0, 10), trace->header()->machine,
              std::string("from one pass of the target"), std::string("tokens per round"), kLink, prompt})
            EXPECT_NE(words.find(part), std::string::npos) << part << " in " << words;
        EXPECT_EQ(words.find("LIVE"), std::string::npos) << "whoever looks at it looks later: " << words;
        const auto of_state = [&](DraftSlot::State state) {
            return std::ranges::any_of(round.drafts, [&](const DraftSlot& d) { return d.state == state; });
        };
        EXPECT_EQ(words.find("rejected") != std::string::npos, of_state(DraftSlot::State::rejected))
            << "the legend says what occurs: " << words;
        EXPECT_EQ(words.find("discarded") != std::string::npos, of_state(DraftSlot::State::discarded)) << words;
    }
}

// What a chat format puts around words is no text that anybody wrote.
TEST(ShareCard, DrawsMarksOfAChatAsMarks) {
    const std::vector<std::string> tokens = {"<|im_start|>", "user",      "\n", "Hi",     "<|im_end|>", "\n",
                                             "<|im_start|>", "assistant", "\n", " Hello", " there",     "<|im_end|>"};
    const auto source = fixtures::toy_run(fixtures::toys().front());
    constexpr int kFirst = 100; // whatever the toy drafts is a letter
    auto trace = std::make_shared<Trace>([tokens](int id) {
        return id < kFirst ? std::string(1, static_cast<char>('a' + id % 26)) : tokens[static_cast<std::size_t>(id - kFirst)];
    });
    for (std::size_t i = 0; i < source->size(); ++i) {
        Event event = (*source)[i];
        if (auto* header = std::get_if<Header>(&event)) {
            header->prompt = {100, 101, 102, 103, 104, 105, 106, 107, 108};
            header->prefill_boundary = 8;
        }
        trace->append(std::move(event));
    }
    const RunView whole = fold(*trace, trace->size());
    const auto round = std::ranges::find_if(whole.round_list, &RoundSummary::complete);
    ASSERT_NE(round, whole.round_list.end());
    const std::string words = card_words(shared(trace, round->round));
    EXPECT_NE(words.find("Hi"), std::string::npos) << words;
    EXPECT_NE(words.find("chat"), std::string::npos) << words;
    EXPECT_EQ(words.find("<|im_start|>"), std::string::npos) << words;
    EXPECT_EQ(words.find("assistant"), std::string::npos) << words;
}

TEST(ShareCard, HasRoomForALargeTreeAndALongLink) {
    fixtures::Toy toy = fixtures::toys().front();
    toy.nodes = 60, toy.k = 12, toy.rule = "tree_wor", toy.drafter = "small_tree", toy.tier = "TABLE";
    SharedRound round = shared(fixtures::toy_run(toy), 0);
    round.link += "&prompt=" + std::string(600, 'x');
    const std::string words = card_words(round);
    EXPECT_NE(words.find("TABLE"), std::string::npos) << words;
    EXPECT_NE(words.find("+"), std::string::npos) << "how many tokens are left out: " << words;
    EXPECT_NE(words.find("xx…"), std::string::npos) << words;
    round.shown_link = "https://example.org/#loop";
    EXPECT_NE(card_words(round).find("https://example.org/#loop"), std::string::npos);
}

// The card and the loop are of the round that the link leads to, whatever place was asked for.
TEST(SharedLink, LeadsToTheRoundOnTheCard) {
    const auto trace = fixtures::mixed();
    const RunView whole = fold(*trace, trace->size());
    const RunSettings settings;
    const EngineStatus status;
    for (const auto& [scene, beat] :
         {std::pair("loop", -1), std::pair("loop", 3), std::pair("accept-rule", -1), std::pair("accept-rule", 2)}) {
        FrameRequest request;
        request.scene = scene;
        request.beat = beat;
        const int cycle = shared_round(request, {trace, settings, status});
        const FramePlace place = frame_place(request, {trace, settings, status});
        const RoundSummary& round = round_of(whole, cycle);
        EXPECT_GT(place.at, round.first_event) << scene << beat;
        EXPECT_LE(place.at, round.end_event) << scene << beat;
        FrameRequest there;
        there.scene = scene;
        there.beat = place.beat > 0 ? place.beat : -1;
        there.cursor = place.at;
        there.selected = place.selected;
        EXPECT_EQ(shared_round(there, {trace, settings, status}), cycle) << scene << beat;
        EXPECT_EQ(describe_frame(there, {trace, settings, status}), describe_frame(request, {trace, settings, status})) << scene << beat;
    }
}

// What a page or a card shows was live when it was made; its reader can press no key.
TEST(KeptFrame, SaysThatItIsRecordedAndSetsNoTask) {
    const auto trace = fixtures::mixed();
    FrameRequest request;
    request.scene = "loop";
    const std::string live = describe_frame(request, {trace, {}, {}});
    request.kept = true;
    const std::string kept = describe_frame(request, {trace, {}, {}});
    EXPECT_NE(live.find("\nData: LIVE\n"), std::string::npos) << live;
    EXPECT_NE(live.find("\nFork here: force another token with F\n"), std::string::npos) << live;
    EXPECT_NE(kept.find("\nData: RECORDED\n"), std::string::npos) << kept;
    EXPECT_EQ(kept.find("Fork here"), std::string::npos) << kept;
    EXPECT_EQ(kept.find("LIVE"), std::string::npos) << kept;
    for (const int beat : {1, 2}) {
        request.scene = "bottleneck";
        request.beat = beat;
        const std::string words = describe_frame(request, {trace, {}, {}});
        EXPECT_EQ(words.find("press"), std::string::npos) << words;
        EXPECT_EQ(words.find("↑"), std::string::npos) << words;
    }
}

// Nobody reads a story of three lines in half a second: prompt, day and link stand there instead.
TEST(ShareStrip, SaysWhatWasAskedAndWhereItIs) {
    const auto trace = fixtures::mixed();
    SharedRound round = shared(trace, 0);
    round.link += "&prompt=" + std::string(600, 'x');
    ui::RecordCanvas canvas(steady_fonts(), {0, 0, 896, 504});
    draw_share_strip(canvas, ui::theme(ui::ThemeKind::dark), round, {0, 442, 896, 62});
    const std::string words = canvas.visible_text(),
                      prompt = trace->header()->chat ? trace->header()->chat->said : trace->header()->prompt_text;
    for (const std::string& part : {prompt, kLink, trace->header()->date.substr(0, 10)})
        EXPECT_NE(words.find(part), std::string::npos) << words;
    for (const ui::RecordedText& text : canvas.texts()) EXPECT_LE(text.box.right(), 896 - 16.F) << text.text;
}

std::vector<unsigned char> bytes_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(RoundShare, WritesALoopACardAndTheLink) {
    const TempFolder folder;
    const Variable path("PATH", folder.path().string()); // no encoder of films
    const auto trace = fixtures::mixed();
    const RunView whole = fold(*trace, trace->size());
    const auto round = std::ranges::find_if(whole.round_list, [](const auto& c) { return c.complete(); });
    ASSERT_NE(round, whole.round_list.end());
    RoundShare share(shared(trace, round->round), folder / "a" / "b", steady_fonts());
    double before = -1;
    while (share.step()) {
        EXPECT_GT(share.done(), before);
        before = share.done();
    }
    EXPECT_EQ(share.done(), 1);
    const SharedFiles& files = share.files();
    EXPECT_EQ(files.film, "");
    EXPECT_TRUE(files.no_encoder);
    EXPECT_EQ(files.no_film, "");
    const auto gif = bytes_of(files.loop);
    int w = 0, h = 0, count = 0, channels = 0;
    int* delays = nullptr;
    stbi_uc* back = stbi_load_gif_from_memory(gif.data(), static_cast<int>(gif.size()), &delays, &w, &h, &count, &channels, 4);
    ASSERT_NE(back, nullptr) << stbi_failure_reason();
    EXPECT_EQ((std::array{w, h, count}), (std::array{kLoopWidth, kLoopHeight, static_cast<int>(loop_shots(*trace, *round).size())}));
    int sum = 0;
    for (int i = 0; i < count; ++i) sum += delays[i];
    EXPECT_EQ(sum, kLoopMs);
    const std::size_t picture = static_cast<std::size_t>(w) * static_cast<std::size_t>(h) * 4;
    EXPECT_FALSE(std::equal(back, back + picture, back + (static_cast<std::size_t>(count) - 1) * picture)) << "something happens";
    stbi_image_free(back);
    stbi_image_free(delays);
    const auto png = bytes_of(files.card);
    ASSERT_TRUE(stbi_info_from_memory(png.data(), static_cast<int>(png.size()), &w, &h, &channels));
    EXPECT_EQ((std::array{w, h}), (std::array{kCardWidth, kCardHeight}));
    const auto link = bytes_of(files.link);
    EXPECT_EQ(std::string(link.begin(), link.end()), kLink + "\n");
    EXPECT_TRUE(files.frame.empty()) << "a link of the program's is no page";
}

TEST(RoundShare, WritesAFrameForPagesWhereTheLinkLeadsToOne) {
    const TempFolder folder;
    const Variable path("PATH", folder.path().string());
    SharedRound round = shared(fixtures::mixed(), 0);
    round.link = "https://example.org/lens/#loop?at=9&drafter=small&seed=7";
    RoundShare share(round, folder / "a", steady_fonts());
    while (share.step()) {
    }
    const auto bytes = bytes_of(share.files().frame);
    const std::string frame(bytes.begin(), bytes.end());
    EXPECT_TRUE(frame.starts_with("<iframe src=\"https://example.org/lens/?one#loop?at=9&amp;drafter=small&amp;seed=7\" title=")) << frame;
    EXPECT_TRUE(frame.ends_with("></iframe>\n")) << frame;
}

TEST(RoundShare, RefusesARoundThatIsNotOver) {
    const TempFolder folder;
    EXPECT_THROW(RoundShare(shared(fixtures::mixed(), 999), folder / "x", steady_fonts()), Error);
    EXPECT_FALSE(fs::exists(folder / "x"));
}

TEST(ShareKey, HandsOverTheRoundOnScreen) {
    const TempFolder home;
    const Variable data("XDG_DATA_HOME", home.path().string());
    ViewBench live("loop");
    const auto trace = fixtures::mixed();
    live.observe(trace, {});
    std::vector<SharedRound> rounds;
    std::vector<fs::path> folders;
    live.bench.controller.share_round = [&](SharedRound round, const fs::path& folder) {
        rounds.push_back(std::move(round));
        folders.push_back(folder);
        fs::create_directories(folder);
    };
    const RunView whole = fold(*trace, trace->size());
    const RoundSummary& second = whole.round_list.at(1);
    live.bench.controller.perform({SceneCommand{SetCursor{second.first_event + 2}}}, live.bench.time);
    const auto press = [&] { live.bench.key(ui::Key::e, {.shift = true, .ctrl = true}); };
    press();
    press();
    ASSERT_EQ(rounds.size(), 2U);
    EXPECT_EQ(rounds[0].round, second.round);
    EXPECT_EQ(rounds[0].trace, trace);
    EXPECT_EQ(rounds[0].theme, "dark");
    EXPECT_EQ(rounds[0].link, to_text(live.bench.controller.link()));
    EXPECT_EQ(folders[0].parent_path(), home / "speclens" / "shared");
    EXPECT_NE(folders[0], folders[1]) << "nothing is replaced";

    SharedFiles files{.loop = folders[0] / "round.gif",
                      .film = {},
                      .no_encoder = true,
                      .no_film = {},
                      .card = folders[0] / "card.png",
                      .link = folders[0] / "link.txt",
                      .link_text = rounds[0].link};
    live.bench.controller.shared(files, live.bench.time);
    EXPECT_EQ(live.bench.controller.clipboard, rounds[0].link);
    live.bench.frame();
    EXPECT_TRUE(live.bench.shows("Shared in " + folders[0].string())) << live.bench.words;
    EXPECT_NE(live.bench.controller.spoken.find("round.gif, card.png, link.txt"), std::string::npos) << live.bench.controller.spoken;
    live.bench.controller.downloads = true; // a page
    live.bench.controller.shared(files, live.bench.time);
    live.bench.frame();
    EXPECT_TRUE(live.bench.shows("Shared: round.gif, card.png · the link is copied")) << live.bench.words;
}

// A race, where a window opens, is shared as a whole.
TEST(ShareKey, SharesARaceThatIsOver) {
    const TempFolder home;
    const Variable data("XDG_DATA_HOME", home.path().string());
    RaceBench race;
    std::vector<SharedRound> rounds;
    race.bench.controller.share_round = [&](SharedRound round, const fs::path&) { rounds.push_back(std::move(round)); };
    const auto over = toy_race();
    race.observe(over);
    race.bench.key(ui::Key::e, {.shift = true, .ctrl = true});
    ASSERT_EQ(rounds.size(), 1U) << race.bench.words;
    EXPECT_EQ(rounds[0].race, over);
    EXPECT_EQ(rounds[0].link, to_text(race.bench.controller.link()));
}

TEST(RoundShare, WritesALoopOfARaceAndItsCard) {
    const TempFolder folder;
    const Variable path("PATH", folder.path().string()); // no encoder of films
    SharedRound round = shared(nullptr, 0);
    round.race = toy_race();
    RoundShare share(round, folder.path(), steady_fonts());
    while (share.step()) {
    }
    const auto gif = bytes_of(share.files().loop);
    int w = 0, h = 0, count = 0, channels = 0;
    int* delays = nullptr;
    stbi_uc* back = stbi_load_gif_from_memory(gif.data(), static_cast<int>(gif.size()), &delays, &w, &h, &count, &channels, 4);
    ASSERT_NE(back, nullptr) << stbi_failure_reason();
    EXPECT_EQ(std::accumulate(delays, delays + count, 0), kLoopMs);
    EXPECT_EQ(count, static_cast<int>(race_shots().size()));
    stbi_image_free(back);
    stbi_image_free(delays);
    EXPECT_EQ(share.files().loop.filename(), "race.gif");
    EXPECT_TRUE(fs::exists(share.files().card));
    round.race = nullptr;
    EXPECT_THROW(RoundShare(round, folder.path(), steady_fonts()), Error);
}

TEST(ShareCard, OfARaceHasEveryLane) {
    SharedRound round = shared(nullptr, 0);
    round.race = toy_race();
    SceneInput input;
    input.race = round.race.get();
    input.race_ms = race_end(*round.race);
    const RaceModel model = race_model(input);
    ui::RecordCanvas canvas(steady_fonts(), {0, 0, kCardWidth, kCardHeight});
    draw_race_card(canvas, ui::theme(ui::ThemeKind::dark), round, model);
    const std::string words = canvas.visible_text();
    for (const RaceLaneModel& lane : model.lanes) {
        EXPECT_NE(words.find(lane.title), std::string::npos) << lane.title << " in " << words;
        EXPECT_TRUE(lane.plain() || words.find(lane.speed_up.words) != std::string::npos) << words;
    }
    EXPECT_NE(words.find(kLink), std::string::npos) << words;
    for (const ui::RecordedText& text : canvas.texts()) {
        EXPECT_LE(text.box.right(), kCardWidth - 24.F) << text.text;
        EXPECT_LE(text.box.bottom(), kCardHeight + 0.F) << text.text;
    }
}

TEST(ShareKey, SaysWhyThereIsNothingToShare) {
    bool asked = false;
    SceneBench race("race");
    race.controller.share_round = [&](const SharedRound&, const fs::path&) { asked = true; };
    race.settle();
    race.key(ui::Key::e, {.shift = true, .ctrl = true});
    EXPECT_TRUE(race.shows("The race is not over yet")) << race.words;
    SceneBench empty("loop");
    empty.controller.share_round = race.controller.share_round;
    empty.settle();
    empty.key(ui::Key::e, {.shift = true, .ctrl = true});
    EXPECT_TRUE(empty.shows("No round is over yet")) << empty.words;
    EXPECT_FALSE(asked);
}

// A saved run has no link, and is shared all the same.
TEST(ShareKey, SharesASavedRunWithoutALink) {
    const TempFolder home;
    const Variable data("XDG_DATA_HOME", home.path().string());
    SceneBench bench("loop");
    bench.show(fixtures::mixed(), 9);
    std::vector<SharedRound> rounds;
    bench.controller.share_round = [&](SharedRound round, const fs::path&) { rounds.push_back(std::move(round)); };
    bench.key(ui::Key::e, {.shift = true, .ctrl = true});
    ASSERT_EQ(rounds.size(), 1U);
    EXPECT_EQ(rounds[0].link, "");
}

} // namespace
} // namespace speclens
