// Changing the model of a window: what is asked of the engine, what belongs to the model before, and what is asked first.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include "app/frame/popups.h"
#include "app/views/link.h"
#include "engine/fetch/fetchable.h"
#include "engine/models/model_names.h"
#include "engine/models/models.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_look.h"
#include "tests/scenes/view_bench.h"
#include "tests/shared/speaking.h"
#include "tests/shared/temp_folder.h"

namespace speclens {
namespace {

namespace fs = std::filesystem;

// A window with an engine and a fetcher that only listen, and a home of its own.
class ModelBench {
  public:
    explicit ModelBench(ui::Rect screen = {0, 0, 1600, 1000})
        : bench("loop",
                {.send = [this](Command c) { sent.push_back(std::move(c)); },
                 .set_budget = [](std::int64_t) {},
                 .add_budget = [](std::int64_t) {},
                 .cancel_loading = [this] { ++cancelled; },
                 .fetch = [this](const std::string& name) { fetched.push_back(name); },
                 .cancel_fetch = [this] { ++cancelled_fetches; },
                 .fetch_head =
                     [this](const std::string& network) {
                         heads.push_back(network);
                         return network == "dflash" || network == "dspark";
                     }},
                screen) {
        ::setenv("XDG_DATA_HOME", home.path().c_str(), 1);
        fs::create_directories(folder());
        bench.controller.gallery = {{"tales", "Of the small world", "", false}};
        bench.controller.general = {{"code", "Of any model", "", true}};
        now.trace = fixtures::mixed();
        now.status.state = EngineStatus::State::idle;
        now.status.ready_drafters = {"none", "small", "lookup", "domino"};
        now.runs = 1;
        observe();
    }
    ModelBench(const ModelBench&) = delete;
    ModelBench& operator=(const ModelBench&) = delete;
    ~ModelBench() { ::unsetenv("XDG_DATA_HOME"); }

    [[nodiscard]] fs::path folder() const { return home / "speclens/models"; }
    // The file of SmolLM2, as far as a window looks at it.
    void put_smollm2() const { std::ofstream(folder() / fetchables().front().file) << "GGUF"; }
    void observe() {
        bench.controller.observe(now, bench.time);
        bench.settle();
    }
    void perform(FrameCommand command) {
        bench.controller.perform({std::move(command)}, bench.time);
        bench.settle();
    }
    void drop(const fs::path& file) {
        ui::Input input;
        input.dropped = {file.string()};
        bench.frame(input);
        bench.settle();
    }
    void type(const std::string& words) {
        ui::Input input;
        input.typed = words;
        bench.frame(input);
        bench.settle();
    }
    // The engine's answer to the last OpenModel.
    void come(const std::string& word, bool built_in = false) {
        Snapshot next;
        next.trace = fixtures::toy_run(fixtures::toys()[2]);
        next.settings.drafter = "lookup";
        next.status.state = EngineStatus::State::idle;
        next.status.ready_drafters = {"none", "lookup"};
        next.status.built_in = built_in;
        next.status.opened = now.status.opened + 1;
        next.status.opened_as = word;
        next.runs = now.runs + 1;
        now = next;
        observe();
    }
    void fail(const std::string& what, const std::string& remedy) {
        now.status.opened += 1;
        now.status.open_error = what;
        now.status.open_remedy = remedy;
        observe();
    }
    [[nodiscard]] std::vector<OpenModel> opened() const { return sent_of<OpenModel>(); }
    template <typename C>
    [[nodiscard]] std::vector<C> sent_of() const {
        std::vector<C> all;
        for (const Command& command : sent)
            if (const auto* one = std::get_if<C>(&command)) all.push_back(*one);
        return all;
    }
    void head_comes(const std::string& drafter) {
        now.status.ready_drafters.push_back(drafter);
        observe();
    }
    [[nodiscard]] FrameInput frame() { return bench.controller.frame(bench.time); }
    [[nodiscard]] std::vector<std::string> labels(const std::string& query, bool palette = false) {
        std::vector<std::string> found;
        for (const PaletteRow& row : palette ? palette_rows(frame(), query) : model_rows(frame(), query)) found.push_back(row.label);
        return found;
    }

    test::TempFolder home;
    std::vector<Command> sent;
    std::vector<std::string> fetched, heads;
    int cancelled = 0, cancelled_fetches = 0;
    Snapshot now;
    SceneBench bench;
};

const fs::path kMicro = fs::path(SPEC_SOURCE_DIR) / "tests/engine/golden/micro_qwen3";
const std::string kTitle = fetchables().front().title;

TEST(Models, ADroppedFolderOrFileIsLoadedInThePlaceOfTheOldOne) {
    ModelBench live;
    live.bench.controller.started_with.threads = 3;
    live.bench.controller.started_with.weights = WeightForm::q8;
    live.drop(kMicro);
    ASSERT_EQ(live.opened().size(), 1U);
    EXPECT_EQ(live.opened()[0].paths.target, kMicro);
    EXPECT_EQ(live.opened()[0].paths.threads, 3);
    EXPECT_EQ(live.opened()[0].paths.weights, WeightForm::q8);
    EXPECT_EQ(live.opened()[0].budget, kUnlimitedPhases);
    live.drop("another.gguf");
    EXPECT_EQ(live.opened().size(), 1U) << "one after another";
    EXPECT_TRUE(live.bench.shows("A model is being loaded")) << live.bench.words;
    live.come("micro_qwen3");
    live.drop("another.gguf");
    EXPECT_EQ(live.opened().size(), 2U);
    live.fail("another.gguf: no such file", "Check the path.");
    live.drop(fs::path(SPEC_SOURCE_DIR) / "assets/traces/mixed.jsonl");
    EXPECT_EQ(live.opened().size(), 2U);
    EXPECT_TRUE(live.bench.shows("Opened ")) << "a run is one, as ever";
}

// What was asked for by word holds for every model that is opened, but for the built-in one, which is f32 everywhere.
TEST(Models, APrecisionHoldsForWhatIsOpenedButNotForTheBuiltInModel) {
    ModelBench live;
    ModelPaths& first = live.bench.controller.started_with;
    first.target = "mine.gguf";
    first.weights = WeightForm::keep;
    first.precision = Precision::int8;
    live.drop(kMicro);
    ASSERT_EQ(live.opened().size(), 1U);
    EXPECT_EQ(live.opened()[0].paths.precision, Precision::int8);
    live.come("micro_qwen3");
    live.perform(PickModel{"tiny"});
    ASSERT_EQ(live.opened().size(), 2U);
    EXPECT_EQ(live.opened()[1].paths.target, "");
    EXPECT_EQ(live.opened()[1].paths.precision, std::nullopt);
    live.come("tiny", true);
    first = {.precision = Precision::bf16}; // of the built-in model itself, by word
    live.drop(kMicro);
    live.come("micro_qwen3");
    live.perform(PickModel{"tiny"});
    ASSERT_EQ(live.opened().size(), 4U);
    EXPECT_EQ(live.opened()[3].paths.precision, Precision::bf16);
}

// The same events under a header that says otherwise.
std::shared_ptr<const Trace> with_header(const Trace& trace, const std::function<void(Header&)>& edit) {
    auto other = std::make_shared<Trace>([](int id) { return "<" + std::to_string(id) + ">"; });
    Header header = *trace.header();
    edit(header);
    other->append(header);
    for (std::size_t i = 1; i < trace.size(); ++i) other->append(Event(trace[i]));
    return other;
}

TEST(Models, TheStatusBarNamesThePrecisionOfProducts) {
    ModelBench live;
    EXPECT_FALSE(live.bench.shows(" products")) << live.bench.words;
    const auto show = [&](const std::string& weights, Precision precision) {
        live.now.trace = with_header(*fixtures::mixed(), [&](Header& h) { h.weights = weights, h.precision = precision; });
        live.now.runs += 1;
        live.observe();
    };
    show("", Precision::bf16);
    EXPECT_TRUE(live.bench.shows("(bf16 products)")) << live.bench.words;
    show("bf16, from Q4_1", Precision::bf16);
    EXPECT_TRUE(live.bench.shows("(bf16, from Q4_1 · bf16 products)")) << live.bench.words;
    show("Q8_0", Precision::f32);
    EXPECT_TRUE(live.bench.shows("(Q8_0 · f32 products)")) << live.bench.words;
    EXPECT_EQ(overlap_of(live.bench.texts), "");
}

TEST(Models, ASavedRunOfOtherMatricesOrKernelsSaysSo) {
    ModelBench live;
    const auto file = [&](const std::string& name, const std::string& weights, int kernels) {
        const auto trace =
            with_header(*fixtures::mixed(), [&](Header& h) { h.precision = Precision::bf16, h.weights = weights, h.kernels = kernels; });
        save_trace(*trace, live.home / name);
        return (live.home / name).string();
    };
    const std::string now = file("now.jsonl", "Q4_K", kKeptKernels), before = file("before.jsonl", "Q4_K", 0),
                      widened = file("widened.jsonl", "bf16, from Q4_K", 0);
    live.now.status.model = fixtures::mixed()->header()->model;
    live.now.status.precision = Precision::bf16;
    live.now.status.weights = "Q4_K";
    live.now.status.kernels = kKeptKernels;
    live.observe();
    live.perform(OpenFile{now});
    EXPECT_FALSE(live.bench.shows("this was made")) << live.bench.words;
    live.perform(OpenFile{before});
    EXPECT_TRUE(live.bench.shows("this was made by an earlier version")) << live.bench.words;
    live.bench.key(ui::Key::escape);
    live.perform(OpenFile{widened});
    EXPECT_TRUE(live.bench.shows("this was made with matrices of bf16, from Q4_K, here they are Q4_K")) << live.bench.words;
    EXPECT_EQ(overlap_of(live.bench.texts), "");
    live.bench.key(ui::Key::escape);
    live.bench.key(ui::Key::r, {.shift = true});
    EXPECT_TRUE(live.bench.shows("this was made with matrices of bf16")) << live.bench.words;
}

TEST(Models, ASavedRunOfAnotherPrecisionSaysSo) {
    ModelBench live;
    const auto file = [&](const std::string& name, Precision precision) {
        save_trace(*with_header(*fixtures::mixed(), [&](Header& h) { h.precision = precision; }), live.home / name);
        return (live.home / name).string();
    };
    const std::string f32 = file("f32.jsonl", Precision::f32), bf16 = file("bf16.jsonl", Precision::bf16);
    live.now.status.model = fixtures::mixed()->header()->model;
    live.observe();
    live.perform(OpenFile{f32});
    EXPECT_FALSE(live.bench.shows("made with")) << live.bench.words;
    live.perform(OpenFile{bf16});
    EXPECT_TRUE(live.bench.shows("this was made with bf16 products, here a run has f32 products")) << live.bench.words;
    EXPECT_TRUE(live.bench.shows("--precision bf16")) << live.bench.words;
    EXPECT_EQ(overlap_of(live.bench.texts), "");
    live.bench.key(ui::Key::escape);
    EXPECT_FALSE(live.bench.shows("made with")) << live.bench.words;
    live.bench.key(ui::Key::r, {.shift = true});
    EXPECT_TRUE(std::holds_alternative<Restart>(live.sent.back()));
    EXPECT_TRUE(live.bench.shows("this was made with bf16 products")) << live.bench.words;
    live.bench.key(ui::Key::escape);
    live.now.status.model = "another";
    live.now.runs += 1;
    live.observe();
    live.perform(OpenFile{bf16});
    EXPECT_FALSE(live.bench.shows("made with")) << "nothing is expected of another model's";
}

TEST(Models, ALinkNamesThePrecisionWhereItIsNotThatOfTheBuiltInModel) {
    ModelBench live;
    const auto precision = [&] {
        for (const auto& [name, word] : live.bench.controller.link().options)
            if (name == "precision") return word;
        return std::string("none");
    };
    EXPECT_EQ(precision(), "none");
    const auto show = [&](const std::string& fingerprint, Precision products) {
        live.now.trace = with_header(*fixtures::mixed(), [&](Header& h) { h.fingerprint = fingerprint, h.precision = products; });
        live.now.runs += 1;
        live.observe();
    };
    show("", Precision::bf16);
    EXPECT_EQ(precision(), "bf16");
    show("0123456789abcdef", Precision::f32);
    EXPECT_EQ(precision(), "f32") << "another machine's usual one may be another";
    show("0123456789abcdef", Precision::bf16);
    EXPECT_EQ(precision(), "bf16");
}

TEST(Models, ALinkOfAnotherPrecisionSaysSo) {
    ModelBench live;
    SceneView view{.scene = "loop", .model = kBuiltInModel};
    live.bench.controller.read.link = [&](const std::string&) { return view; };
    const auto says = [&] {
        live.perform(OpenFile{"speclens://loop"});
        return live.bench.shows("this was made with");
    };
    EXPECT_FALSE(says()) << live.bench.words;
    view.precision = Precision::bf16;
    EXPECT_TRUE(says()) << live.bench.words;
    EXPECT_TRUE(live.bench.shows("bf16 products, here a run has f32 products")) << live.bench.words;
    EXPECT_TRUE(live.bench.shows("--precision bf16")) << live.bench.words;
    live.now.status.precision = Precision::bf16; // the built-in model, asked for by word
    live.observe();
    live.bench.key(ui::Key::escape);
    EXPECT_FALSE(says()) << live.bench.words;
    view.precision.reset();
    EXPECT_TRUE(says()) << "without the word it is f32: " << live.bench.words;
}

TEST(Models, WhatBelongsToTheOldModelGoesWithIt) {
    ModelBench live;
    live.bench.controller.folders = {{"model", "tiny"}, {"domino", "heads"}};
    RaceSettings race_before;
    race_before.prompts = live.bench.controller.gallery;
    live.bench.controller.expect_race(race_before);
    live.now.race = std::make_shared<RaceView>();
    live.observe();
    live.bench.key(ui::Key::r); // other dice: something to take back
    EXPECT_TRUE(live.frame().can_undo);
    EXPECT_EQ(live.frame().gallery->front().domain, "tales");
    live.drop(kMicro);
    live.come("micro_qwen3");
    EXPECT_FALSE(live.frame().can_undo);
    EXPECT_EQ(live.frame().scene.race, nullptr);
    EXPECT_EQ(live.frame().scene.settings->drafter, "lookup");
    EXPECT_EQ(live.frame().gallery->front().domain, "code");
    const LinkOptions link = live.bench.controller.link().options;
    EXPECT_EQ(link.front(), std::pair(std::string("model"), std::string("micro_qwen3")));
    EXPECT_EQ(to_text(live.bench.controller.link()).find("heads"), std::string::npos);
    live.perform(SceneCommand{OpenScene{"race"}});
    const auto* race = std::get_if<StartRace>(&live.sent.back());
    ASSERT_TRUE(race);
    ASSERT_EQ(race->settings.prompts.size(), 1U);
    EXPECT_TRUE(race->settings.prompts[0].chat) << "in the new model's own format";
    EXPECT_TRUE(std::ranges::all_of(race->settings.lanes,
                                    [](const RaceEntry& lane) { return lane.drafter == "none" || lane.drafter == "lookup"; }));
    // The way back: with all that was given on the command line.
    live.perform(PickModel{"tiny"});
    live.come("tiny", true);
    EXPECT_EQ(live.frame().gallery->front().domain, "tales");
    EXPECT_EQ(live.bench.controller.folders.size(), 2U);
}

TEST(Models, ASavedRunOnScreenMakesPlaceForTheNewModel) {
    ModelBench live;
    live.perform(OpenFile{(fs::path(SPEC_SOURCE_DIR) / "assets/traces/mixed.jsonl").string()});
    EXPECT_THROW((void)live.bench.controller.link(), Error);
    live.drop(kMicro);
    EXPECT_THROW((void)live.bench.controller.link(), Error) << "it stays until the model is there";
    live.come("micro_qwen3");
    EXPECT_NO_THROW((void)live.bench.controller.link());
}

TEST(Models, AFailureIsSaidWithoutThePlaceAndNothingIsLost) {
    ModelBench live;
    live.bench.key(ui::Key::r);
    const std::size_t before = live.bench.cursor();
    live.drop(kMicro);
    live.fail((kMicro / "").parent_path().string() + ": is broken", "Look into " + kMicro.string() + ".");
    EXPECT_TRUE(live.bench.shows("micro_qwen3: is broken")) << live.bench.words;
    EXPECT_FALSE(live.bench.shows("/golden/")) << live.bench.words;
    EXPECT_TRUE(live.frame().can_undo);
    EXPECT_EQ(live.bench.cursor(), before);
    EXPECT_EQ(live.bench.controller.link().options, options_of(*live.frame().scene.settings));
    live.bench.key(ui::Key::escape);
    EXPECT_FALSE(live.bench.shows("is broken"));
}

TEST(Models, TheListHasWhatIsThereAndWhatCanBeFetched) {
    ModelBench live;
    fs::copy(kMicro, live.folder() / "mine-0.5B", fs::copy_options::recursive);
    live.bench.key(ui::Key::o, {.shift = true, .ctrl = true});
    EXPECT_EQ(live.bench.controller.chrome.popup, Popup::models);
    EXPECT_EQ(live.labels(""), (std::vector<std::string>{"tiny", "Get " + kTitle, "Get Qwen2.5-Coder 1.5B Instruct",
                                                         "Get Qwen2.5-Coder 0.5B Instruct", "mine-0.5B"}));
    EXPECT_TRUE(live.bench.shows("on screen · built in")) << live.bench.words;
    EXPECT_FALSE(live.bench.shows(live.home.path().string())) << "no path on a wall";
    EXPECT_EQ(overlap_of(live.bench.texts), "");
    live.type("smollm");
    live.bench.key(ui::Key::enter);
    EXPECT_EQ(live.bench.controller.chrome.popup, Popup::none);
    EXPECT_EQ(live.fetched, std::vector<std::string>{"smollm2"});
    EXPECT_TRUE(live.opened().empty());
    live.put_smollm2();
    live.bench.key(ui::Key::o, {.shift = true, .ctrl = true});
    live.type("smollm");
    EXPECT_EQ(live.labels("smollm").front(), kTitle);
    live.bench.key(ui::Key::enter);
    ASSERT_EQ(live.opened().size(), 1U);
    EXPECT_EQ(live.opened()[0].paths.target, live.folder() / fetchables().front().file);
    live.come("smollm2");
    live.bench.key(ui::Key::o, {.shift = true, .ctrl = true});
    live.type(kMicro.string());
    EXPECT_EQ(live.labels(kMicro.string()), std::vector<std::string>{"Open this model"});
    live.bench.key(ui::Key::enter);
    ASSERT_EQ(live.opened().size(), 2U);
    EXPECT_EQ(live.opened()[1].paths.target, kMicro);
}

TEST(Models, ThePaletteAndTheStatusBarLeadToThem) {
    ModelBench live;
    live.put_smollm2();
    live.bench.key(ui::Key::k, {.ctrl = true});
    EXPECT_EQ(std::ranges::count(live.labels("model", true), "Model: tiny"), 1);
    live.type("model: smollm2");
    EXPECT_EQ(live.labels("model: smollm2", true).front(), "Model: " + kTitle);
    live.bench.key(ui::Key::enter);
    EXPECT_EQ(live.opened().size(), 1U);
    live.come("smollm2");
    const std::string cell = live.frame().scene.view->header->backend + " · " + live.frame().scene.view->header->model;
    ui::Vec2 at;
    for (const ui::RecordedText& text : live.bench.texts)
        if (text.text.starts_with(cell) && text.box.y > 950) at = text.box.center();
    ASSERT_GT(at.x, 0) << live.bench.words;
    live.bench.mouse = at;
    live.bench.settle();
    live.bench.settle();
    EXPECT_TRUE(live.bench.shows("such as tiny, which is built in")) << live.bench.words;
    live.bench.click(at);
    EXPECT_EQ(live.bench.controller.chrome.popup, Popup::models);
}

TEST(Models, AModelThatIsFetchedTellsHowFarItIsAndIsOffered) {
    for (const ui::Rect screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}}) {
        ModelBench live(screen);
        live.perform(PickAction{Action::get_model});
        ASSERT_EQ(live.fetched.size(), 1U);
        FetchView view{.name = "smollm2", .title = kTitle};
        const auto tell = [&] {
            live.bench.controller.observe_fetch(std::make_shared<const FetchView>(view), live.bench.time);
            live.bench.settle();
        };
        tell();
        EXPECT_TRUE(live.bench.shows("fetching " + kTitle)) << live.bench.words;
        view.done = 12.4;
        view.total = 92.9;
        tell();
        EXPECT_TRUE(live.bench.shows("fetching " + kTitle + ", 12 of 93 MB")) << live.bench.words;
        EXPECT_EQ(overlap_of(live.bench.texts), "");
        live.perform(PickAction{Action::get_model});
        EXPECT_EQ(live.fetched.size(), 1U) << "one is enough";
        live.bench.click(live.bench.find("Cancel"));
        EXPECT_EQ(live.cancelled_fetches, 1);
        view.over = view.cancelled = true;
        tell();
        EXPECT_TRUE(live.bench.shows("was not fetched")) << live.bench.words;
        EXPECT_FALSE(live.bench.shows("12 of 93 MB"));

        view.cancelled = false;
        view.error = "pip could not fetch it: no connection";
        view.remedy = "Check the connection.";
        tell();
        EXPECT_TRUE(live.bench.shows("no connection")) << live.bench.words;
        EXPECT_TRUE(live.bench.shows("Check the connection.")) << live.bench.words;
        EXPECT_TRUE(live.opened().empty());
        live.bench.key(ui::Key::escape);

        live.put_smollm2();
        view.error.clear();
        tell();
        EXPECT_TRUE(live.bench.shows(kTitle + " is here: load it?")) << live.bench.words;
        EXPECT_TRUE(live.opened().empty()) << "nobody's run ends unasked";
        EXPECT_EQ(overlap_of(live.bench.texts), "");
        live.bench.key(ui::Key::escape);
        EXPECT_FALSE(live.bench.shows("load it?")) << live.bench.words;
        tell();
        live.bench.click(live.bench.find("Load it"));
        ASSERT_EQ(live.opened().size(), 1U);
        EXPECT_FALSE(live.bench.shows("load it?"));
    }
}

// As the command line reads links: the view says of which model it is.
SceneView view_of_link(const std::string& text) {
    const Link link = parse_link(text);
    SceneView view{.scene = link.scene, .model = kBuiltInModel};
    for (const auto& [name, value] : link.options)
        if (name == "model") view.model = value;
    view.settings.seed = 31;
    return view;
}

TEST(Models, ALinkOfAnotherKnownModelAsksFirst) {
    ModelBench live;
    live.put_smollm2();
    live.bench.controller.read.link = view_of_link;
    live.perform(OpenFile{"speclens://accept-rule?model=smollm2"});
    EXPECT_EQ(live.frame().scene_name, "loop") << "not yet";
    EXPECT_TRUE(live.bench.shows("This is of " + kTitle + ": load it?")) << live.bench.words;
    EXPECT_TRUE(live.opened().empty());
    live.bench.click(live.bench.find("Not now"));
    EXPECT_TRUE(live.opened().empty());
    EXPECT_FALSE(live.bench.shows("load it?"));
    live.perform(OpenFile{"speclens://accept-rule?model=smollm2"});
    live.bench.click(live.bench.find("Load it"));
    ASSERT_EQ(live.opened().size(), 1U);
    live.come("smollm2");
    EXPECT_EQ(live.frame().scene_name, "accept-rule");
    const auto* run = std::get_if<Restart>(&live.sent.back());
    ASSERT_TRUE(run);
    EXPECT_EQ(run->settings.seed, 31U);
    live.perform(OpenFile{"speclens://loop?model=smollm2"});
    EXPECT_EQ(live.frame().scene_name, "loop") << "it is loaded";
    live.perform(OpenFile{"speclens://bottleneck"});
    EXPECT_TRUE(live.bench.shows("This is of tiny: load it?")) << "a link without a model is of the built-in one";
}

TEST(Models, ALinkOfOneThatIsNotHereOffersToGetIt) {
    ModelBench live;
    live.bench.controller.read.link = view_of_link;
    live.perform(OpenFile{"speclens://accept-rule?model=smollm2"});
    EXPECT_TRUE(live.bench.shows("which is not on this machine: get it?")) << live.bench.words;
    live.bench.click(live.bench.find("Get it, 98 MB"));
    EXPECT_EQ(live.fetched.size(), 1U);
    live.put_smollm2();
    FetchView view{.name = "smollm2", .title = kTitle, .over = true};
    live.bench.controller.observe_fetch(std::make_shared<const FetchView>(view), live.bench.time);
    live.bench.settle();
    live.bench.click(live.bench.find("Load it"));
    ASSERT_EQ(live.opened().size(), 1U);
    live.come("smollm2");
    EXPECT_EQ(live.frame().scene_name, "accept-rule") << "where the link led";
}

TEST(Models, APlaceOrAnAddressInALinkOpensNothing) {
    ModelBench live;
    live.bench.controller.read.link = view_of_link;
    for (const std::string& place : {kMicro.string(), std::string("http://127.0.0.1:8000"), std::string("somebody's")}) {
        Link link;
        link.scene = "accept-rule";
        link.options = {{"model", place}};
        live.perform(OpenFile{to_text(link)});
        EXPECT_TRUE(live.opened().empty()) << place;
        EXPECT_TRUE(live.fetched.empty()) << place;
        EXPECT_EQ(live.frame().scene_name, "loop") << place;
        EXPECT_TRUE(live.bench.shows("of another model")) << live.bench.words;
        EXPECT_FALSE(live.bench.shows("load it?"));
    }
}

TEST(Models, AStepOfALectureOfAnotherModelAsksFirst) {
    ModelBench live;
    live.put_smollm2();
    LectureView lecture = three_steps();
    lecture.steps[1].view.model = "smollm2";
    live.bench.controller.begin_lecture(lecture, live.bench.time);
    live.bench.settle();
    live.bench.key(ui::Key::page_down);
    EXPECT_TRUE(live.bench.shows("This is of " + kTitle)) << live.bench.words;
    live.bench.click(live.bench.find("Load it"));
    live.come("smollm2");
    EXPECT_EQ(live.frame().scene_name, "bottleneck");
}

// A long prompt, a fetch beside it, and a message: nothing lies over anything.
TEST(Models, JobsAreSeenAndCanBeStopped) {
    for (const ui::Rect screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}, ui::Rect{0, 0, 800, 500}}) {
        ModelBench live(screen);
        live.now.status.state = EngineStatus::State::running;
        live.now.status.job = {EngineJob::What::reading, "", 512, 4096};
        live.observe();
        EXPECT_TRUE(live.bench.shows("reading the prompt, 512 of 4\u2009096 tokens")) << live.bench.words;
        {
            const test::Speaking german("de");
            live.bench.settle();
            EXPECT_TRUE(live.bench.shows("der Prompt wird gelesen, 512 von 4\u2009096 Token")) << live.bench.words;
        }
        live.bench.settle();
        live.bench.controller.observe_fetch(
            std::make_shared<const FetchView>(FetchView{.name = "smollm2", .title = kTitle, .done = 1, .total = 93}), live.bench.time);
        live.bench.key(ui::Key::l, {.ctrl = true}); // "Copied"
        EXPECT_EQ(overlap_of(live.bench.texts), "") << screen.w;
        live.bench.click(live.bench.find("Stop"));
        EXPECT_TRUE(std::ranges::any_of(live.sent, [](const Command& c) { return std::holds_alternative<Cancel>(c); }));
    }
}

std::vector<std::string> lanes_of(const StartRace& race) {
    std::vector<std::string> names;
    for (const RaceEntry& lane : race.settings.lanes) names.push_back(lane.drafter);
    return names;
}

TEST(LaterHeads, LeaveTheRunItsRoundAndWhatIsComplainedAbout) {
    ModelBench live;
    live.perform(SceneCommand{SetCursor{9}});
    live.bench.controller.complain("this is of another model", "Open that model first.");
    live.bench.settle();
    const std::size_t asked = live.sent_of<Restart>().size();
    live.head_comes("dflash");
    EXPECT_TRUE(live.bench.shows("this is of another model")) << live.bench.words;
    EXPECT_EQ(live.frame().scene.cursor, 9U);
    EXPECT_EQ(live.frame().scene_name, "loop");
    EXPECT_EQ(live.sent_of<Restart>().size(), asked);
    EXPECT_TRUE(live.opened().empty());
}

TEST(LaterHeads, AreAskedForByWhoeverChoosesTheDrafter) {
    ModelBench live;
    live.bench.key(ui::Key::d6); // eagle3 is not one of those that come
    EXPECT_TRUE(live.bench.shows("eagle3 cannot run with these models")) << live.bench.words;
    live.bench.key(ui::Key::d8);
    EXPECT_EQ(live.heads, (std::vector<std::string>{"eagle3", "dflash"}));
    EXPECT_TRUE(live.bench.shows("The head of dflash is being fetched")) << live.bench.words;
    EXPECT_TRUE(live.sent_of<Restart>().empty());
    live.head_comes("dspark");
    EXPECT_TRUE(live.sent_of<Restart>().empty());
    live.head_comes("dflash");
    ASSERT_EQ(live.sent_of<Restart>().size(), 1U);
    EXPECT_EQ(live.sent_of<Restart>()[0].settings.drafter, "dflash");
    live.observe();
    EXPECT_EQ(live.sent_of<Restart>().size(), 1U) << "once";
    live.bench.key(ui::Key::d1);
    live.now.status.built_in = false; // another model has no heads that come
    live.now.status.ready_drafters = {"none", "lookup"};
    live.observe();
    live.bench.key(ui::Key::d8);
    EXPECT_TRUE(live.bench.shows("dflash cannot run with these models")) << live.bench.words;
}

TEST(LaterHeads, AreWaitedForByALinkUnlessSomethingElseIsOpened) {
    for (const bool elsewhere : {false, true}) {
        ModelBench live;
        SceneView view;
        view.scene = "accept-rule";
        view.settings = live.frame().scene.settings ? *live.frame().scene.settings : RunSettings{};
        view.settings.drafter = "dflash_tree"; // by the head of dflash
        live.bench.controller.show_view(view, live.bench.time);
        EXPECT_EQ(live.heads, std::vector<std::string>{"dflash"});
        EXPECT_EQ(live.frame().scene_name, "loop");
        if (elsewhere) live.perform(SceneCommand{OpenScene{"numbers"}});
        live.head_comes("dflash");
        EXPECT_EQ(live.frame().scene_name, elsewhere ? "numbers" : "loop");
        live.head_comes("dflash_tree");
        EXPECT_EQ(live.frame().scene_name, elsewhere ? "numbers" : "accept-rule");
        EXPECT_EQ(live.sent_of<Restart>().size(), elsewhere ? 0U : 1U);
    }
}

TEST(LaterHeads, OfALectureAreAskedForWhenItBegins) {
    ModelBench live;
    LectureView lecture = three_steps();
    lecture.steps[1].view.settings.drafter = "dflash";
    lecture.steps[2].view.scene = "race";
    lecture.steps[2].view.race.lanes = {{"none", "token", 0}, {"dspark", "token", 4}};
    live.bench.controller.begin_lecture(lecture, live.bench.time);
    EXPECT_TRUE(std::ranges::count(live.heads, "dflash") == 1 && std::ranges::count(live.heads, "dspark") == 1);
}

TEST(LaterHeads, JoinARaceOfTheUsualLanesThatNobodyLookedInto) {
    using Names = std::vector<std::string>;
    ModelBench live;
    live.perform(SceneCommand{OpenScene{"race"}});
    ASSERT_EQ(live.sent_of<StartRace>().size(), 1U);
    EXPECT_EQ(lanes_of(live.sent_of<StartRace>()[0]), (Names{"none", "domino", "small", "lookup"}));
    live.bench.controller.complain("this is of another model", "Open that model first.");
    live.head_comes("dspark");
    live.head_comes("dflash");
    ASSERT_EQ(live.sent_of<StartRace>().size(), 3U);
    EXPECT_EQ(lanes_of(live.sent_of<StartRace>()[1]), (Names{"none", "domino", "small", "dspark"}));
    EXPECT_EQ(lanes_of(live.sent_of<StartRace>()[2]), (Names{"none", "dflash", "domino", "small"}));
    EXPECT_TRUE(live.bench.shows("this is of another model")) << "nobody did anything";
    live.perform(SceneCommand{ToggleLane{"small"}}); // lanes of one's own
    live.head_comes("eagle3");
    EXPECT_EQ(live.sent_of<StartRace>().size(), 4U);

    ModelBench stepped;
    stepped.perform(SceneCommand{OpenScene{"race"}});
    stepped.perform(SceneCommand{SetRaceClock{3}});
    stepped.head_comes("dflash");
    EXPECT_EQ(stepped.sent_of<StartRace>().size(), 1U) << "somebody looks at a moment of it";
}

} // namespace
} // namespace speclens
