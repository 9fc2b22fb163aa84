// The scenes of DFlash and EAGLE-3: numbers are those of the trace, keys ask the engine to measure, and what
// was measured is drawn.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/ui/format.h"
#include "engine/guest.h"
#include "engine/published_words.h"
#include "engine/run.h"
#include "engine/trace_json.h"
#include "engine/twin.h"
#include "scenes/cycle_pick.h"
#include "scenes/dflash_model.h"
#include "scenes/domino_model.h"
#include "scenes/eagle3_model.h"
#include "scenes/published_round.h"
#include "scenes/second_draw.h"
#include "scenes/words.h"
#include "scenes_bench.h"
#include "scenes_fixtures.h"
#include "scenes_look.h"
#include "tests/micro.h"

namespace speclens {
namespace {

std::shared_ptr<const Trace> recorded(const std::string& name) {
    return load_trace(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / (name + ".jsonl"));
}

RunSettings settings_for(const std::string& drafter) {
    RunSettings settings;
    settings.token_ids = {5, 6, 7, 8, 9};
    settings.drafter = drafter;
    settings.k = 4;
    settings.sampling.temperature = 0;
    settings.max_tokens = 24;
    settings.lens = true;
    return settings;
}

// A window with an engine that only listens, showing a finished run of a micro head.
struct Live {
    std::vector<Command> sent;
    std::shared_ptr<const Models> models = test::micro_models(1);
    RunSettings settings;
    std::unique_ptr<speclens::Run> run;
    Snapshot published;
    std::unique_ptr<SceneBench> bench;

    explicit Live(const std::string& drafter, RunSettings with, ui::Rect screen = {0, 0, 1600, 1000})
        : settings(std::move(with)) {
        run = std::make_unique<speclens::Run>(models, settings);
        run->finish();
        EnginePort port;
        port.send = [this](Command c) { sent.push_back(std::move(c)); };
        bench = std::make_unique<SceneBench>(drafter, port, screen);
        published.trace = run->shared_trace();
        published.settings = settings;
        published.status.state = EngineStatus::State::idle;
        published.status.ready_drafters = {"none", "eagle3", "dflash", "domino"};
        show();
        sent.clear();
    }
    void show() {
        bench->controller.observe(published, bench->time);
        bench->settle();
    }
    [[nodiscard]] const RunStudy* study() const {
        return sent.empty() ? nullptr : std::get_if<RunStudy>(&sent.back());
    }
    // Runs what was asked for, shortened, and shows the answer.
    void answer() {
        Study done{study()->name, static_cast<int>(study()->runs.size()), {}};
        for (RunSettings one : study()->runs) {
            one.token_ids = settings.token_ids;
            one.chat = false;
            one.k = std::min(one.k, 7);
            done.points.push_back(study_point(models, one));
            EXPECT_EQ(done.points.back().problem, "");
        }
        published.studies[done.name] = std::make_shared<const Study>(done);
        show();
    }
};

TEST(DFlashScene, MeasuresOnDemandAndDrawsWhatWasMeasured) {
    Live live("dflash", settings_for("dflash"));
    EXPECT_TRUE(live.bench->shows("press M"));
    live.bench->key(ui::Key::m);
    ASSERT_NE(live.study(), nullptr);
    EXPECT_EQ(live.study()->name, kTimeStudy);
    std::vector<std::string> drafters;
    for (const RunSettings& run : live.study()->runs) {
        drafters.push_back(run.drafter);
        EXPECT_EQ(run.sampling.temperature, 0);
        EXPECT_TRUE(run.timing);
        EXPECT_EQ(run.trace_top, 0) << "times without recording";
    }
    for (const char* drafter : {"eagle3", "dflash", "domino"})
        EXPECT_EQ(std::ranges::count(drafters, drafter), 3 * 6) << drafter;
    live.answer();
    EXPECT_FALSE(live.bench->shows("press M"));
    for (const char* label : {"EAGLE-3", "DFlash", "Domino"}) EXPECT_TRUE(live.bench->shows(label)) << label;
}

TEST(DFlashScene, ComparesWithAndWithoutTheTargetsStates) {
    Live live("dflash", settings_for("dflash"));
    live.bench->key(ui::Key::c);
    ASSERT_NE(live.study(), nullptr);
    ASSERT_EQ(live.study()->runs.size(), 2u);
    RunSettings on = live.study()->runs[0], off = live.study()->runs[1];
    EXPECT_TRUE(on.options.conditioning);
    EXPECT_FALSE(off.options.conditioning);
    off.options.conditioning = true;
    EXPECT_EQ(on, off) << "nothing else differs: same prompt, same dice";
    live.answer();
    EXPECT_TRUE(live.bench->shows("with the target's states"));
    EXPECT_TRUE(live.bench->shows("without them"));
}

TEST(DFlashScene, SaysHowMuchOfTheTextTheBlockSees) {
    RunSettings settings = settings_for("dflash");
    Live all("dflash", settings);
    const DFlashModel whole = dflash_model(all.bench->controller.frame(0).scene);
    EXPECT_EQ(whole.seen, whole.text);
    const auto* verified = whole.cycle->verify;
    ASSERT_NE(verified, nullptr);
    EXPECT_EQ(whole.text, whole.cycle->commit->kv_before) << "the block sees what the target has run on";
    EXPECT_EQ(whole.slots, whole.guesses() + 1);
    settings.options.context_last = 2;
    Live last("dflash", settings);
    EXPECT_EQ(dflash_model(last.bench->controller.frame(0).scene).seen, 2);
    settings.options = {};
    settings.options.conditioning = false;
    Live none("dflash", settings);
    EXPECT_EQ(dflash_model(none.bench->controller.frame(0).scene).seen, 0);
    EXPECT_TRUE(none.bench->shows("no states"));
}

// Above temperature 0 the guess need not be the favourite: its probability is what the story is about.
TEST(DFlashScene, ListsTheDraftedTokenInEveryLaw) {
    RunSettings settings = settings_for("dflash");
    settings.sampling.temperature = 1;
    Live live("dflash", settings);
    int others = 0;
    for (const CycleSummary& cycle : fold(*live.published.trace, live.published.trace->size()).cycles)
        for (const DraftSlot& slot : cycle.drafts)
            for (const int rows : {1, 2, 3}) {
                const std::vector<int> ids = dflash_tokens(slot, rows);
                EXPECT_LE(static_cast<int>(ids.size()), rows);
                EXPECT_NE(std::ranges::find(ids, slot.draft->token), ids.end());
                others += favourite(at_one(*slot.draft)) != slot.draft->token;
            }
    EXPECT_GT(others, 0);
}

TEST(DFlashScene, SaysWhichColumnsAreShownAndWhatTheBlockGets) {
    Live live("dflash", settings_for("dflash"));
    SceneInput input = live.bench->controller.frame(0).scene;
    const DFlashModel model = dflash_model(input);
    EXPECT_NE(dflash_mask_words(model).find("sees the target's states at "), std::string::npos)
        << "never the text itself";
    input.beat = 1;
    EXPECT_TRUE(dflash_story(input, model).text.starts_with("The small network gets no words of the text"));
    input.stage = {0, 0, 420, 600}; // room for two columns of four
    ui::RecordCanvas canvas(steady_fonts(), {0, 0, 420, 600});
    ui::WidgetState widgets;
    const ui::Input mouse;
    ui::Ui ui(canvas, mouse, ui::theme(ui::ThemeKind::dark), widgets, {0, 0, 420, 600});
    std::vector<SceneCommand> out;
    draw_dflash_block({input, model, ui, out}, 80);
    EXPECT_NE(canvas.visible_text().find(" of " + std::to_string(model.guesses())), std::string::npos)
        << canvas.visible_text();
}

TEST(DFlashScene, ShowsLongGuessesWholeWhereShortOnesLeaveRoom) {
    SceneBench bench("dflash");
    bench.show(recorded("dflash"));
    std::ptrdiff_t most = 0;
    for (int round = 0; round < 9; ++round) {
        bench.key(ui::Key::left, {.shift = true});
        most = std::max(most, std::ranges::count_if(bench.texts, [](const ui::RecordedText& t) {
                            return t.box.y < 400 && t.text.ends_with("divisor");
                        }));
    }
    EXPECT_GE(most, 9) << "three guesses of one round, each in its law, its chip and its verdict";
}

TEST(HeadScenes, ShareTheRoomOfColumnsByTheirWords) {
    const auto widths = [](const std::vector<float>& wanted) { return shared_widths(wanted, 60, 400); };
    EXPECT_EQ(widths({90, 50, 20, 10}), (std::vector<float>{100, 100, 100, 100})) << "all fit: all alike";
    EXPECT_EQ(widths({160, 50, 50}), (std::vector<float>{160, 120, 120}));
    EXPECT_EQ(widths({160, 160, 50, 50}), (std::vector<float>{140, 140, 60, 60})) << "too many words";
    EXPECT_TRUE(widths({}).empty());
}

// Draws every beat for a room: what its sentence speaks of is on the stage.
void expect_presented(const std::string& scene, const std::vector<std::pair<int, const char*>>& shown) {
    const float scale = presenter_scale({1280, 720}, find_scene(scene)->make()->presenter_stage());
    SceneBench bench(scene, {}, {0, 0, 1280 / scale, 720 / scale});
    bench.controller.window = {1280, 720};
    bench.show(recorded(scene));
    bench.key(ui::Key::f5);
    for (const auto& [beat, words] : shown) {
        bench.controller.perform({SceneCommand{SetBeat{beat}}}, bench.time);
        bench.settle();
        EXPECT_TRUE(bench.shows(words)) << bench.words;
        look(bench, scene + " presenter beat " + std::to_string(beat), false);
    }
}

TEST(DFlashScene, ShowsAPresentersAudienceWhatTheSentenceIsAbout) {
    expect_presented("dflash", {{kDFlashMasksBeat, "The check sees"},
                                {kDFlashTimesBeat, "Draft time"},
                                {5, "Acceptance by position"}});
}

TEST(Eagle3Scene, ShowsAPresentersAudienceWhatTheSentenceIsAbout) {
    expect_presented("eagle3", {{kEagle3FirstStepBeat, "Feature"},
                                {kEagle3ErrorsBeat, "How far its own features drift"},
                                {kEagle3TimesBeat, "Draft time of a round"},
                                {5, "Acceptance by position"}});
}

// The story begins with the first step, so that is the one that is marked.
TEST(Eagle3Scene, MarksTheStepThatTheStoryIsAbout) {
    SceneBench bench("eagle3");
    bench.show(recorded("eagle3"));
    for (const auto& [beat, step] : {std::pair{0, 0}, std::pair{kEagle3FirstStepBeat, 0}, std::pair{2, 1}}) {
        bench.controller.perform({SceneCommand{SetBeat{beat}}}, bench.time);
        bench.settle();
        EXPECT_EQ(eagle3_model(bench.controller.frame(0).scene).selected, step) << beat;
    }
}

TEST(Eagle3Scene, AveragesTheErrorsOfItsOwnFeatures) {
    const auto trace = recorded("eagle3");
    SceneBench bench("eagle3");
    bench.show(trace);
    const Eagle3Model model = eagle3_model(bench.controller.frame(0).scene);
    ASSERT_FALSE(model.errors.empty());
    double sum = 0;
    int count = 0;
    for (std::size_t i = 0; i < trace->size(); ++i)
        if (const auto* commit = std::get_if<Committed>(&(*trace)[i]))
            if (const Lens::Strip* errors = commit->lens.strip("feature error")) {
                sum += errors->cells.front();
                ++count;
                EXPECT_LE(static_cast<int>(errors->cells.size()), commit->accepted_drafts + 1);
            }
    ASSERT_GT(count, 2);
    EXPECT_EQ(model.known.front(), count);
    EXPECT_NEAR(model.errors.front(), sum / count, 1e-9);
    const std::string words = find_scene("eagle3")->make()->describe(bench.controller.frame(0).scene);
    for (const char* part :
         {"Taps: layers", "Feature error over the run", "Clock: draft", "Kept by position"})
        EXPECT_NE(words.find(part), std::string::npos) << part;
}

TEST(Eagle3Scene, StepsWithTheKeysAndMeasures) {
    Live live("eagle3", settings_for("eagle3"));
    const int at = eagle3_model(live.bench->controller.frame(0).scene).selected;
    live.bench->key(ui::Key::down);
    EXPECT_EQ(eagle3_model(live.bench->controller.frame(0).scene).selected, at + 1);
    live.sent.clear();
    live.bench->key(ui::Key::m);
    ASSERT_NE(live.study(), nullptr);
    live.answer();
    EXPECT_TRUE(live.bench->shows("EAGLE-3"));
}

TEST(Eagle3Scene, ShowsInASmallWindowWhatWasMeasuredAndWhichColumnsAreShown) {
    RunSettings settings = settings_for("eagle3");
    settings.k = 15;
    Live live("eagle3", settings, {0, 0, 1280, 720});
    live.bench->key(ui::Key::m);
    ASSERT_NE(live.study(), nullptr);
    live.answer();
    for (const char* words :
         {"Draft time of a round in ms, by guesses K", "bars: run, rings: round", "1–7 of 15"})
        EXPECT_TRUE(live.bench->shows(words)) << words << "\n" << live.bench->words;
    look(*live.bench, "eagle3 1280x720", false);
}

TEST(Eagle3Scene, CallsTheNumberOfGuessesKAndNamesItsAxes) {
    Live live("eagle3", settings_for("eagle3"));
    EXPECT_TRUE(live.bench->shows("Guesses K: 4"));
    EXPECT_FALSE(live.bench->shows("γ"));
    live.bench->key(ui::Key::m);
    ASSERT_NE(live.study(), nullptr);
    live.answer();
    EXPECT_TRUE(live.bench->shows("Draft time of a round in ms, by guesses K"));
}

// DFlash's law does not know the guess before it; Domino's base law neither, its corrected one does.
TEST(HeadScenes, DrawAGuessTwice) {
    for (const char* name : {"dflash", "domino"}) {
        RunSettings settings = settings_for(name);
        settings.sampling.temperature = 0.9;
        Live live(name, settings);
        live.bench->key(ui::Key::down);
        live.sent.clear();
        live.bench->key(ui::Key::w);
        const FetchTwin* wish = nullptr;
        for (const Command& command : live.sent)
            if (const auto* twin = std::get_if<FetchTwin>(&command); twin && twin->force_draft) wish = twin;
        ASSERT_NE(wish, nullptr) << name;
        const HeadModel at =
            std::string(name) == "dflash"
                ? static_cast<HeadModel>(dflash_model(live.bench->controller.frame(0).scene))
                : static_cast<HeadModel>(domino_model(live.bench->controller.frame(0).scene));
        EXPECT_EQ(wish->force_draft->first, at.selected - 1);
        live.published.other_guess =
            std::make_shared<const Twin>(replay_twin(live.models, settings, *live.published.trace, *wish));
        live.show();
        const std::optional<SecondDraw> draw = second_draw(live.bench->controller.frame(0).scene, at);
        ASSERT_TRUE(draw) << name;
        EXPECT_NE(draw->first.before, draw->second.before);
        EXPECT_TRUE(draw->same_base) << name;
        EXPECT_EQ(draw->corrected, std::string(name) == "domino");
        EXPECT_EQ(draw->same_final, std::string(name) == "dflash");
        EXPECT_TRUE(live.bench->shows("drawn twice"));
        EXPECT_NE(
            second_draw_words(live.bench->controller.frame(0).scene, *draw).find("same to the last bit"),
            std::string::npos);
        const std::string words = find_scene(name)->make()->describe(live.bench->controller.frame(0).scene);
        EXPECT_NE(words.find("drawn twice with the same coin"), std::string::npos);
        const std::size_t asked = live.sent.size();
        live.bench->settle();
        EXPECT_EQ(live.sent.size(), asked) << "asked once";
        live.bench->key(ui::Key::w);
        EXPECT_FALSE(live.bench->shows("drawn twice"));
    }
}

TEST(HeadScenes, ListTheDrawnTokenOfALawHoweverUnlikely) {
    Top top;
    for (int id = 0; id < 5; ++id) top.entries.push_back({id, -static_cast<float>(id)});
    const auto ids = [&](int drawn, int rows) {
        std::vector<int> shown;
        for (const Top::Entry& entry : law_rows(top, drawn, rows)) shown.push_back(entry.id);
        return shown;
    };
    EXPECT_EQ(ids(1, 3), (std::vector{0, 1, 2}));
    EXPECT_EQ(ids(4, 3), (std::vector{0, 1, 4}));
    EXPECT_EQ(ids(99, 3), (std::vector{0, 1, 2})) << "less likely than what was recorded";
    EXPECT_EQ(ids(4, 9), (std::vector{0, 1, 2, 3, 4}));
    EXPECT_TRUE(ids(4, 0).empty());
}

TEST(HeadScenes, OfferTheirDrafterWhereAnotherDrafts) {
    for (const auto& [scene, label] :
         {std::pair{"dflash", "Draft with DFlash"}, std::pair{"eagle3", "Draft with EAGLE-3"}}) {
        Live live(scene, settings_for("small"));
        live.bench->click(live.bench->find(label));
        const auto* restart = live.sent.empty() ? nullptr : std::get_if<Restart>(&live.sent.back());
        ASSERT_NE(restart, nullptr) << scene;
        EXPECT_EQ(restart->settings.drafter, scene);
    }
}

TEST(HeadScenes, ListTheOneKeyThatWorksWhereAnotherDrafts) {
    for (const char* scene : {"domino", "dflash", "eagle3"}) {
        Live other(scene, settings_for("small")), own(scene, settings_for(scene));
        const auto keys = [](const Live& live) {
            return live.bench->controller.frame(live.bench->time).active->keys();
        };
        ASSERT_EQ(keys(other).size(), 1U) << scene;
        EXPECT_EQ(keys(other)[0].first, "U") << scene;
        EXPECT_EQ(keys(own)[0].first, "↑ ↓") << scene;
    }
}

// A scene about one head has something to show in every run that it can be asked about.
TEST(HeadScenes, ShowTheRoundOfAnotherDrafterAsTheirHeadWouldDraftIt) {
    for (const auto& [scene, title] : {std::pair{"eagle3", "EAGLE-3"}, std::pair{"dflash", "DFlash"},
                                       std::pair{"domino", "Domino"}}) {
        Live live(scene, settings_for("small"));
        EXPECT_TRUE(live.sent.empty()) << "a saved run cannot be asked about";
        live.published.status.model = "micro";
        live.show();
        ASSERT_EQ(live.sent.size(), 1u) << scene;
        const auto* asked = std::get_if<FetchGuest>(&live.sent[0]);
        ASSERT_NE(asked, nullptr);
        EXPECT_EQ(asked->drafter, scene);
        const FetchGuest wanted = *asked;
        const auto answer = [&](const FetchGuest& question) {
            live.published.guest = std::make_shared<const Guest>(
                guess_as(live.models, live.settings, live.run->trace(), question));
            live.show();
        };
        answer(wanted);
        EXPECT_TRUE(live.bench->shows("instead of small in round " + std::to_string(wanted.cycle + 1))) << scene;
        EXPECT_EQ(live.sent.size(), 1u) << "asked once";
        const CycleView round = fold(*live.published.guest->trace, live.published.guest->trace->size());
        const std::string words = find_scene(scene)->make()->describe(live.bench->controller.frame(0).scene);
        EXPECT_NE(words.find(std::string("draft ") + quoted(*live.published.guest->trace,
                                                            round.cycles[0].drafts[1].draft->token)),
                  std::string::npos)
            << words;
        EXPECT_EQ(words.find("Kept by position"), std::string::npos) << "one round is no rate";

        // No beat says "this run" of a run of one round, or names a key that would begin a branch of it.
        SceneInput input = live.bench->controller.frame(0).scene;
        for (input.beat = 0; input.beat < 8; ++input.beat) {
            const std::string at = find_scene(scene)->make()->describe(input);
            for (const char* never : {"A round of this run", "over the run", "In this run", "length on average", ": W\n", ": N\n",
                                      " with B", ": H\n", " Y\n", "– not judged yet"})
                EXPECT_EQ(at.find(never), std::string::npos) << scene << ":" << input.beat + 1 << " " << never << "\n" << at;
            EXPECT_NE(at.find("Task: "), std::string::npos) << at;
        }

        // Another round: the one before stays until the answer is there.
        const auto& trace = live.run->trace();
        std::size_t end = 0;
        for (int i = 0; i <= wanted.cycle + 1; ++i) end = next_cycle_end(trace, end);
        live.bench->controller.perform({SceneCommand{SetCursor{end}}}, live.bench->time);
        live.bench->settle();
        ASSERT_EQ(live.sent.size(), 2u);
        const FetchGuest next = std::get<FetchGuest>(live.sent[1]);
        EXPECT_EQ(next.cycle, wanted.cycle + 1);
        EXPECT_TRUE(live.bench->shows("instead of small in round " + std::to_string(wanted.cycle + 1)));
        const std::size_t at = live.bench->controller.frame(0).scene.cursor;
        live.bench->key(ui::Key::down); // of a round that is not the cursor's
        EXPECT_EQ(live.bench->controller.frame(0).scene.cursor, at) << "the playhead stays";
        answer(next);
        EXPECT_TRUE(live.bench->shows("instead of small in round " + std::to_string(next.cycle + 1)));

        live.bench->key(ui::Key::u);
        const auto* restart = std::get_if<Restart>(&live.sent.back());
        ASSERT_NE(restart, nullptr) << scene;
        EXPECT_EQ(restart->settings.drafter, scene);
        EXPECT_TRUE(live.bench->shows(std::string("Run with ") + title));
    }
}

TEST(HeadScenes, KeepTheirPageWhereTheHeadHasNoAnswer) {
    Live live("eagle3", settings_for("small"));
    live.published.status.model = "micro";
    live.published.guest = std::make_shared<const Guest>(
        guess_as(live.models, live.settings, live.run->trace(), {1000, "eagle3"}));
    live.show();
    EXPECT_TRUE(live.bench->shows("Not an EAGLE-3 run"));
    live.published.guest = std::make_shared<const Guest>([&] {
        Guest guest = *live.published.guest;
        guest.cycle = std::get<FetchGuest>(live.sent.at(0)).cycle;
        guest.problem = "it has no guess there. Choose another round.";
        return guest;
    }());
    live.show();
    EXPECT_TRUE(live.bench->shows("cannot be shown: it has no guess there")) << live.bench->words;
    live.bench->key(ui::Key::down);
    live.bench->key(ui::Key::u);
    EXPECT_NE(std::get_if<Restart>(&live.sent.back()), nullptr) << "and can be left by its key";
}

// Hollow beside solid: what papers say of a round stands with its source below what was measured here.
TEST(HeadScenes, QuoteAPublishedRoundBesideTheirOwn) {
    const auto figures = std::make_shared<const Published>(
        Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published"));
    const PublishedRace paper = published_race(figures.get());
    for (const char* name : {"eagle3", "dflash"}) {
        const PublishedPoint* point = paper.of(name);
        ASSERT_NE(point, nullptr) << name;
        SceneBench bench(name);
        bench.controller.figures = figures;
        bench.show(recorded(name));
        EXPECT_TRUE(bench.shows("PUBLISHED, " + paper.conditions)) << bench.words;
        const std::string whole = published_round_words(*point);
        EXPECT_TRUE(bench.shows(whole.substr(0, whole.find(": ")))) << bench.words;
        EXPECT_TRUE(bench.shows(whole.substr(whole.find(": ") + 2))) << bench.words;
        EXPECT_TRUE(bench.shows(paper.source.substr(0, 12)));
        EXPECT_EQ(overlap_of(bench.texts), "") << name;
        EXPECT_TRUE(bench.clipped.empty()) << name;
        const std::string words = find_scene(name)->make()->describe(bench.controller.frame(0).scene);
        EXPECT_NE(words.find(published_round_words(*point) + ". Source: " + paper.source), std::string::npos);
        int count = 0; // of those that are not wrong in their source
        double high = 0;
        for (const PublishedFigure* f : figures->select({.method = name, .quantity = "speedup", .unit = "x"}))
            if (f->standing != Standing::wrong && f->form != Form::list && f->variant.empty() && f->dataset && f->model) {
                ++count;
                high = std::max(high, middle(*f));
            }
        EXPECT_GT(count, 1);
        for (const std::string& part : {": " + std::to_string(count) + ", from ", " to " + ui::speed_up(high) + " by model",
                                        std::string("speclens list published ") + name})
            EXPECT_NE(words.find(part), std::string::npos) << part << "\n" << words;
    }
    EXPECT_TRUE(paper.of("eagle3")->derived);
    EXPECT_NE(published_round_words(*paper.of("eagle3")).find("(derived)"), std::string::npos);
}

// A file from elsewhere may number its guesses as it likes.
TEST(HeadScenes, SurviveWrongIndices) {
    for (const char* name : {"dflash", "eagle3", "domino"}) {
        const auto trace = recorded(name);
        auto odd = std::make_shared<Trace>([trace](int id) { return trace->text(id); });
        for (std::size_t i = 0; i < trace->size(); ++i) {
            Event event = (*trace)[i];
            if (auto* drafted = std::get_if<Drafted>(&event)) {
                drafted->index = 1 << 29;
                drafted->lens.strips.clear();
            }
            if (auto* commit = std::get_if<Committed>(&event)) commit->lens = {};
            odd->append(std::move(event));
        }
        for (const std::size_t cursor : {std::size_t{1}, odd->size() / 2, odd->size()}) {
            SceneBench bench(name);
            bench.show(odd, cursor);
            for (int beat = 0; beat < 8; ++beat) {
                bench.controller.perform({SceneCommand{SetBeat{beat}}}, 0);
                bench.frame();
                EXPECT_FALSE(find_scene(name)->make()->describe(bench.controller.frame(0).scene).empty());
            }
        }
    }
}

TEST(HeadScenes, CountAcceptanceAsTheRunDid) {
    for (const char* name : {"dflash", "eagle3", "domino"}) {
        const auto trace = recorded(name);
        const CycleView view = fold(*trace, trace->size());
        const AcceptanceSeries series = acceptance_of(view, name);
        int kept = 0;
        for (const int at : series.kept) kept += at;
        EXPECT_EQ(kept, view.accepted_drafts) << name;
        EXPECT_LE(series.judged.front(), view.rounds) << name;
    }
}

// Block verification throws a coin at every place, also behind the last guess that stays: those had no
// chance.
TEST(HeadScenes, CountNoPlaceBehindTheFirstLossUnderBlockVerification) {
    const auto trace = fixtures::toy_run({.name = "block", .rule = "block", .k = 4, .cycles = 20});
    const CycleView view = fold(*trace, trace->size());
    const AcceptanceSeries series = acceptance_of(view, "");
    std::vector<int> reached(5);
    int coins = 0, judged = 0;
    for (const CycleSummary& cycle : view.cycles) {
        for (int i = 0; i <= std::min(cycle.accepted, static_cast<int>(cycle.drafts.size()) - 1); ++i)
            ++reached[static_cast<std::size_t>(i)];
        for (const DraftSlot& slot : cycle.drafts) coins += slot.check != nullptr;
    }
    for (std::size_t i = 0; i < series.judged.size(); ++i) {
        EXPECT_EQ(series.judged[i], reached[i]) << i;
        judged += series.judged[i];
    }
    EXPECT_GT(coins, judged) << "no round of this run lost a guess before its last one";
}

} // namespace
} // namespace speclens
