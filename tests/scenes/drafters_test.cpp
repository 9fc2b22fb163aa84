// The scene of all drafters: asks once per round, shows what was answered, and hands the run over.
//
// What stood in the description that was written by hand, and which message has it now (DraftersTold):
//
//     "Layer skip brings the most here: 5 tokens"          title.best {drafter} {tokens}, title.several {count} {of} {tokens}
//     "round 1 · the same 8 tokens before it · greedy"     subtitle.round {round} {tokens} {temperature} {seed} {tries}
//     "Data: LIVE"                                         shared.words.data {tier}
//     "lookup, drafts this run, selected: needs 58 kB."    table.row {drafter} {of_run} {selected} {stored}: shared.words.size {bytes} {kb}
//     "Guesses “<7>” refused, “<5>” discarded."            table.row {guesses}: words.guess {token} {verdict}
//     "This round: 0 of 3 guesses kept, then the target's  table.row {round}: words.round {guesses} {kept} {no_room} {no_guess}
//      own “<32>”: 1 token, drafted in 0.61 ms."           {ends} {own} {tokens} {took}: words.ms {ms}
//     "Asking….", "No head."                               table.row {round}: words.no_round {why}
//     "  Match: the last 3 tokens, “…”, stood at token 2"  facts.match {tokens} {words} {at}; of the rows that are not selected
//                                                          details.of {drafter} {fact}
//     "  It ranks 40 of 61 ids …"                          the same: facts.ranks {ranks} {of}
//     "  It runs layers 0 to 3; left out: …"               facts.exit {last} {left_out} {of}
//     "  Its config reads the outputs of layers …"         facts.taps {taps} {layers} {last}, facts.last_state
//     "  8 guesses in a tree, …: 2 tokens deep."           facts.tree {guesses} {deep}
//     "  At T > 0 the rule token does not judge …"         facts.other_rule {rule} {other}
//     "  PUBLISHED: speed-up 1.2–4×, 5 figures …"          table.row {published}: words.published {speed_up} {figures} {both}
//                                                          {sources}: shared.round.range {low} {high} {below}
//     "EAGLE-3. Takes: three hidden states; …"             kin.row {drafter} {kin}: shared.kin.takes, sequential, keeps,
//                                                          published {year} {source}, served {engines}
//     "Layer skip: The target drafts …"                    details.title {drafter}, details.how {how}
//     "Shown: All"                                         controls.shown {filter}
//
// While the verdicts are kept back the time of drafting, which is drawn, was not told; now it is (words.drafted {took}).
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "engine/base/json.h"
#include "engine/drafters/drafter_info.h"
#include "engine/run/run.h"
#include "scenes/drafters/drafters_model.h"
#include "scenes/mtp/mtp_model.h"
#include "scenes/shared/in_words.h"
#include "scenes/shared/kin_words.h"
#include "scenes/shared/words.h"
#include "scenes/speedup/printed_table.h"
#include "tests/scenes/room.h"
#include "tests/scenes/run_window.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_golden.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/drawn_numbers.h"
#include "tests/shared/finished.h"
#include "tests/shared/made_diagnosis.h"
#include "tests/shared/said_values.h"
#include "tests/shared/speaking.h"
#include "tests/shared/temp_folder.h"
#include "tests/shared/told_said.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

// A window with an engine that only listens, showing a finished run; times are set, so that pictures repeat.
struct Asked : RunWindow {
    explicit Asked(const std::string& drafter = "small", ui::Rect screen = {0, 0, 1600, 1000}, int k = 4, double temperature = 0,
                   int max_tokens = 24) {
        settings.prompt.token_ids = {5, 6, 7, 5, 6, 7, 5, 6};
        settings.drafter = drafter;
        settings.k = k;
        settings.sampling.temperature = temperature;
        settings.max_tokens = max_tokens;
        open("drafters", models->ready_drafters(), screen);
        bench->controller.figures =
            std::make_shared<const Published>(Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published"));
        published.status.state = EngineStatus::State::stopped;
        published.status.model = "micro target";
        show();
        beat(kDraftersOutcomeBeat);
    }
    [[nodiscard]] std::vector<int> questions() const {
        std::vector<int> cycles;
        for (const Command& command : sent)
            if (const auto* fetch = std::get_if<CompareDrafters>(&command)) cycles.push_back(fetch->round);
        return cycles;
    }
    void answer() {
        auto guesses = std::make_shared<DrafterComparison>(compare_all(models, settings, *published.trace, {questions().back()}));
        for (std::size_t i = 0; i < guesses->rows.size(); ++i) guesses->rows[i].draft_ms = 0.01 + 0.3 * static_cast<double>(i);
        published.comparison = guesses;
        show();
    }
    [[nodiscard]] std::vector<ui::ToldMessage> told() {
        const FrameInput frame = bench->controller.frame(bench->time);
        return frame.active->told(frame.scene);
    }
    [[nodiscard]] DraftersModel model(const DrafterChoice& choice = {}) { return drafters_model(input(), choice); }
    [[nodiscard]] std::string description() {
        bench->controller.perform({PickAction{Action::copy_description}}, bench->time);
        return bench->controller.clipboard;
    }
};

// Who brings the most is asked first, and told three beats later.
TEST(DraftersScene, HidesTheVerdictsUntilTheBeatThatTellsThem) {
    Asked asked;
    asked.answer();
    for (int beat = 0; beat < kDraftersOutcomeBeat; ++beat) {
        asked.beat(beat);
        EXPECT_FALSE(asked.bench->shows("Guesses and verdicts")) << beat;
        EXPECT_FALSE(asked.bench->shows("brings the most here")) << beat;
        EXPECT_FALSE(asked.bench->shows("This round:")) << beat << ": the panel beside it says no verdict either";
        const std::string words = asked.description();
        for (const char* verdict : {" kept", " refused", " discarded", "This round: "})
            EXPECT_EQ(words.find(verdict), std::string::npos) << beat << " " << verdict << "\n" << words;
        for (const Said& row : test::all_said(asked.told(), "drafters.table.row")) {
            EXPECT_EQ(test::inner(row, "round").text, "words.drafted") << beat;
            for (const Said& guess : test::list(row, "guesses")) EXPECT_EQ(test::words(guess, "verdict"), "") << beat;
        }
    }
    asked.beat(kDraftersOutcomeBeat);
    EXPECT_TRUE(asked.bench->shows("Guesses and verdicts"));
    EXPECT_TRUE(asked.bench->shows("This round:"));
    EXPECT_NE(asked.description().find(" kept"), std::string::npos);
}

// A head that the model lacks is one fact, said once, with the key that leads to a model that has it.
TEST(DraftersScene, SaysOnceWhatHasNoHead) {
    Asked asked;
    asked.answer();
    DrafterComparison lacking = *asked.published.comparison;
    for (ComparisonRow& row : lacking.rows)
        if (find_drafter(row.drafter)->needs_network())
            row.trace = nullptr, row.problem = "no " + row.drafter + " head is loaded (give one with --drafter " + row.drafter + "=DIR)";
    asked.published.comparison = std::make_shared<const DrafterComparison>(lacking);
    asked.published.status.ready_drafters = {"none", "small", "lookup"};
    asked.published.status.built_in = false;
    asked.show();
    EXPECT_TRUE(asked.bench->shows("no head")) << asked.bench->words;
    EXPECT_FALSE(asked.bench->shows("give one with")) << asked.bench->words;
    const std::string& words = asked.bench->words;
    const std::size_t at = words.find("have no head for micro target");
    ASSERT_NE(at, std::string::npos) << words;
    EXPECT_EQ(words.find("have no head for micro target", at + 1), std::string::npos) << words;
    asked.sent.clear();
    asked.bench->key(ui::Key::u);
    ASSERT_FALSE(asked.sent.empty());
    EXPECT_TRUE(std::holds_alternative<OpenModel>(asked.sent.back()));
    EXPECT_FALSE(asked.bench->shows("hf download")) << "nobody published one for it";
    asked.published.status.model = "Qwen3-4B-Q8_0";
    asked.show();
    const Said without = test::only_said(asked.told(), "drafters.words.headless");
    EXPECT_EQ(test::words(without, "drafter"), "eagle3");
    EXPECT_TRUE(test::words(without, "fetch").starts_with("hf download AngelSlim/Qwen3-4B_eagle3")) << test::words(without, "fetch");
}

TEST(DraftersScene, AsksOncePerCycleAndShowsEveryAnswer) {
    Asked asked;
    ASSERT_EQ(asked.questions().size(), 1u);
    EXPECT_TRUE(asked.bench->shows("Asking every drafter…"));
    asked.bench->settle();
    EXPECT_EQ(asked.questions().size(), 1u) << "once";
    asked.answer();
    EXPECT_EQ(asked.questions().size(), 1u);
    EXPECT_FALSE(asked.bench->shows("sking"));
    const DraftersModel model = drafters_model(asked.bench->controller.frame(0).scene, {});
    EXPECT_EQ(model.rows.size() + 1, drafter_list().size());
    for (const DrafterRow& row : model.rows) {
        ASSERT_NE(row.round(), nullptr) << row.name();
        EXPECT_EQ(row.tokens, row.round()->accepted + 1) << row.name();
        if (row.round()->tree) {
            EXPECT_LT(row.shown.size(), row.round()->drafts.size());
            for (std::size_t i = 0; i < row.round()->path.size(); ++i) EXPECT_EQ(row.shown[i], row.round()->path[i]);
            for (std::size_t i = 1; i < row.shown.size(); ++i)
                EXPECT_EQ(row.round()->drafts[static_cast<std::size_t>(row.shown[i])].parent, row.shown[i - 1]);
        }
    }
    asked.bench->key(ui::Key::right, {.shift = true});
    const auto cycles = asked.questions();
    ASSERT_EQ(cycles.size(), 2u);
    EXPECT_NE(cycles[0], cycles[1]) << "another cycle, another question";
}

TEST(DraftersScene, HandsTheRunToTheSelectedDrafter) {
    Asked asked;
    asked.answer();
    asked.beat(0); // before it is told who brings the most the run's own drafter is the selected one
    asked.bench->key(ui::Key::down);
    asked.bench->key(ui::Key::down);
    asked.bench->key(ui::Key::enter);
    const auto* restart = asked.sent.empty() ? nullptr : std::get_if<Restart>(&asked.sent.back());
    ASSERT_NE(restart, nullptr);
    EXPECT_EQ(restart->settings.drafter, "lookup") << "two below the small model";
    EXPECT_EQ(asked.bench->controller.frame(0).scene_name, "loop");
}

TEST(DraftersScene, FiltersByWhatADrafterNeeds) {
    Asked asked;
    asked.answer();
    const auto count = [](bool (*keeps)(const DrafterInfo&)) {
        return std::ranges::count_if(drafter_list(), [&](const DrafterInfo& info) { return info.drafts() && keeps(info); });
    };
    for (const auto& [filter, kept] :
         {std::pair{DrafterFilter::all, count([](const DrafterInfo&) { return true; })},
          {DrafterFilter::no_head, count([](const DrafterInfo& info) { return info.needs != DrafterNeeds::network; })},
          {DrafterFilter::no_memory, count([](const DrafterInfo& info) { return info.needs == DrafterNeeds::nothing; })},
          {DrafterFilter::warm, count([](const DrafterInfo& info) { return !info.tree; })}}) { // the token rule judges chains
        const DraftersModel model = drafters_model(asked.bench->controller.frame(0).scene, {filter, ""});
        EXPECT_EQ(static_cast<std::ptrdiff_t>(model.rows.size()), kept);
        for (const DrafterRow& row : model.rows) EXPECT_TRUE(filter != DrafterFilter::no_memory || row.compared->bytes == 0);
    }
    EXPECT_TRUE(asked.bench->shows("Medusa"));
    asked.bench->key(ui::Key::n);
    EXPECT_FALSE(asked.bench->shows("Medusa, tree"));
    EXPECT_TRUE(asked.bench->shows("layer skip"));
}

TEST(DraftersScene, QuotesOnlyFiguresWithASource) {
    const Published figures = Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published");
    for (const DrafterInfo& info : drafter_list()) {
        const PublishedRange range = published_speed_ups(&figures, info.name);
        for (const PublishedFigure* figure : range.figures) {
            EXPECT_EQ(figure->quantity, "speedup");
            EXPECT_NE(figure->standing, Standing::wrong);
            if (figure->standing == Standing::derived) {
                EXPECT_TRUE(figure->rates_divided) << figure->id << ": not what the source measured";
            }
            EXPECT_FALSE(figure->untraced) << figure->id;
            for (const double value : figure->values) EXPECT_LE(value, range.high);
        }
    }
    EXPECT_EQ(published_speed_ups(&figures, "lookup").words(), "1.2–4×");
    EXPECT_EQ(published_speed_ups(&figures, "mtp").words(), "0.88–2.03×") << "where it lost, too";
    EXPECT_EQ(published_speed_ups(&figures, "eagle3").words(), "<1–6.5×") << "one source saw it lose";
    EXPECT_TRUE(published_speed_ups(&figures, "none").empty());
}

// Which figures count, and which rows a printed table has, does not hang on how a figure is worded.
TEST(DraftersScene, QuotesTheSameFiguresInOtherWords) {
    const test::TempFolder other;
    const std::filesystem::path folder = std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream file(entry.path());
        std::string text{std::istreambuf_iterator<char>(file), {}};
        for (const auto& [from, to] : {std::pair<std::string, std::string>{"printed rates divided", "quotient"},
                                       {"no reference", "nothing"},
                                       {"not traced", "lost"},
                                       {"when each draft stays with probability ", "at the chance "}})
            for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) text.replace(at, from.size(), to);
        std::ofstream(other / entry.path().filename().string()) << text;
    }
    const Published shipped = Published::load(folder), reworded = Published::load(other.path());
    for (const DrafterInfo& info : drafter_list())
        EXPECT_EQ(published_speed_ups(&reworded, info.name).words(), published_speed_ups(&shipped, info.name).words()) << info.name;
    EXPECT_EQ(printed_table(&reworded).wrong, printed_table(&shipped).wrong);
    EXPECT_EQ(printed_table(&reworded).rows.size(), printed_table(&shipped).rows.size());
}

// The drafters' own scenes quote as many figures as this one counts.
TEST(DraftersScene, ItsFiguresAreThoseOfTheDraftersOwnScenes) {
    const Published figures = Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published");
    for (const char* drafter : {"eagle3", "dflash", "domino", "mtp"}) {
        const PublishedRange range = published_speed_ups(&figures, drafter);
        ASSERT_FALSE(range.empty()) << drafter;
        Header header;
        header.drafter = drafter;
        RunView run;
        run.header = &header;
        ui::RecordCanvas canvas(scene_fonts(), {0, 0, 400, 300});
        ui::WidgetState widgets;
        const ui::Input mouse;
        ui::Ui ui(canvas, mouse, ui::theme(ui::ThemeKind::dark), widgets, {0, 0, 400, 300});
        tell_published(ui, {0, 0, 400, 300}, run, &figures, false);
        const Said said = test::only_said(canvas.told(), "shared.round.speed_ups");
        EXPECT_EQ(test::whole(said, "figures"), std::ssize(range.figures)) << drafter;
        EXPECT_EQ(test::inner(said, "range"), range.words().said) << drafter;
    }
    SceneInput input;
    const RunView nothing;
    input.figures = &figures;
    input.view = input.whole = &nothing;
    EXPECT_EQ(mtp_model(input, input).published, published_speed_ups(&figures, "mtp").figures);
}

// With one token left nobody is asked: that is no finding about the drafters.
TEST(DraftersScene, SaysThatThereWasNoRoomForAGuess) {
    for (const char* drafter : {"small", "none"}) {
        Asked asked(drafter, {0, 0, 1600, 1000}, 4, 0, 1);
        asked.answer();
        const std::vector<Said> rows = test::all_said(asked.told(), "drafters.table.row");
        EXPECT_TRUE(std::ranges::any_of(rows, [](const Said& row) {
            const Said round = test::inner(row, "round");
            return round.text == "words.round" && test::whole(round, "no_room") == 1 && test::whole(round, "no_guess") == 0;
        }));
        asked.beat(0); // of which the story says how many guessed
        const std::vector<ui::ToldMessage> told = asked.told();
        EXPECT_EQ(test::all_said(told, "drafters.title.no_room").size(), 1U);
        const Said guessed = test::inner(test::only_said(told, "drafters.judge.text"), "guessed");
        EXPECT_EQ(test::whole(guessed, "guessed"), 0);
        EXPECT_EQ(test::whole(guessed, "shown"), std::ssize(asked.model().rows));
        EXPECT_EQ(test::whole(guessed, "no_room"), 1);
        EXPECT_EQ(test::whole(guessed, "silent"), 0);
        EXPECT_EQ(test::whole(guessed, "all"), 0);
        const std::string words = message(guessed).words();
        EXPECT_EQ(words.substr(0, 12), "None of the ") << words;
        EXPECT_NE(words.find("guessed here: there was room for one token only."), std::string::npos) << words;
    }
}

// "small, tree and EAGLE-3" would be three drafters.
TEST(DraftersScene, ListsNamesWithACommaSoThatTheyStayOne) {
    Asked asked;
    asked.answer();
    SceneInput input = asked.bench->controller.frame(0).scene;
    DraftersModel model = drafters_model(input, {});
    input.beat = 3;
    model.best.clear();
    for (int i = 0; i < static_cast<int>(model.rows.size()); ++i) {
        const std::string name = model.rows[static_cast<std::size_t>(i)].name();
        if (name == "small_tree" || name == "eagle3") model.best.push_back(i);
    }
    ASSERT_EQ(model.best.size(), 2u);
    const std::string text = drafters_story(input, model).text;
    EXPECT_NE(text.find("Small (tree) and EAGLE-3 bring"), std::string::npos) << text;
    EXPECT_EQ(text.find(", tree"), std::string::npos) << text;
}

TEST(DraftersScene, PrintsNoTimeOfZero) {
    EXPECT_EQ(ms_words(0.0002), "<0.001");
    EXPECT_EQ(ms_words(0.0006), "0.001");
    EXPECT_EQ(ms_words(0.0949), "0.095");
    EXPECT_EQ(ms_words(0.0951), "0.10");
    EXPECT_EQ(ms_words(0), "–");
}

// A drafter's title in the column of drafters, which the rail may have too; null where its row is scrolled away.
const ui::RecordedText* name_in_row(const SceneBench& bench, const std::string& title) {
    const auto names = std::ranges::find_if(bench.texts, [](const ui::RecordedText& t) { return t.text == "Drafter" && t.size < 16; });
    const auto name = std::ranges::find_if(bench.texts, [&](const ui::RecordedText& t) {
        return names != bench.texts.end() && t.text == title && t.box.x == names->box.x && t.box.y > names->box.y;
    });
    return name == bench.texts.end() ? nullptr : &*name;
}

// What stands in the columns of guesses and of tokens in the row of a drafter.
struct ShownRow {
    int kept = 0, behind = 0;        // "9 kept", "+5"
    std::vector<std::string> labels; // of the chips
    ui::RecordedText tokens;
};
ShownRow shown_row(const SceneBench& bench, const std::string& title) {
    ShownRow shown;
    const auto text = [&](const std::string& words, float left) {
        return std::ranges::find_if(bench.texts,
                                    [&](const ui::RecordedText& t) { return t.text == words && t.box.x >= left && t.size < 16; });
    };
    const auto guesses = text("Guesses and verdicts", 0), tokens = text("Tokens", guesses->box.x);
    const ui::RecordedText* name = name_in_row(bench, title);
    if (!name) {
        ADD_FAILURE() << "no row " << title;
        return shown;
    }
    for (const ui::RecordedText& t : bench.texts) {
        if (std::abs(t.baseline - name->baseline) > 4 || t.box.x < guesses->box.x) continue;
        if (t.box.x >= tokens->box.x - 1) {
            if (shown.tokens.text.empty() || t.box.x < shown.tokens.box.x) shown.tokens = t;
            continue;
        }
        EXPECT_LE(t.box.right(), tokens->box.x - 8) << t.text;
        if (t.text.ends_with(" kept"))
            shown.kept = std::stoi(t.text);
        else if (t.text.starts_with("+") && t.font == ui::Font::text)
            shown.behind = std::stoi(t.text);
        else if (!t.text.ends_with(" in a tree"))
            shown.labels.push_back(t.text);
    }
    EXPECT_LE(shown.tokens.box.right(), tokens->box.x + 24) << "two digits before the boxes";
    return shown;
}

void expect_what_matters(Asked& asked, const std::string& what) {
    for (const DrafterRow& row : drafters_model(asked.bench->controller.frame(0).scene, {}).rows) {
        if (!row.round() || row.shown.empty()) continue;
        const std::string where = what + ", " + row.name();
        if (asked.bench->shows("↑ ↓ brings the others") && !name_in_row(*asked.bench, row.title)) continue; // scrolled away, which is said
        const ShownRow shown = shown_row(*asked.bench, row.title);
        EXPECT_EQ(shown.tokens.text, std::to_string(row.tokens)) << where;
        EXPECT_EQ(shown.kept + static_cast<int>(shown.labels.size()) + shown.behind, static_cast<int>(row.shown.size())) << where;
        const std::size_t all = row.shown.size(), decides = std::min(row.round()->path.size(), all - 1);
        ASSERT_GE(decides, static_cast<std::size_t>(shown.kept)) << where;
        ASSERT_LT(decides, static_cast<std::size_t>(shown.kept) + shown.labels.size()) << where;
        for (std::size_t i = 0; i < shown.labels.size(); ++i) {
            const int slot = row.shown[static_cast<std::size_t>(shown.kept) + i];
            EXPECT_EQ(shown.labels[i], label_of(*asked.published.trace, row.round()->drafts[static_cast<std::size_t>(slot)].draft->token))
                << where << ": the whole word";
        }
    }
}

TEST(DraftersScene, ShowsTheGuessThatEndedALongRowAndCountsTheRest) {
    for (const ui::Rect screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}})
        for (const double temperature : {0.0, 1.0}) {
            Asked asked("small", screen, 15, temperature);
            asked.answer();
            const std::string what = std::to_string(static_cast<int>(screen.w)) + " at T " + std::to_string(temperature);
            look(*asked.bench, what, false);
            expect_what_matters(asked, what);
        }
}

// Spaces, line ends and tabs are drawn as marks, not as text.
std::string without_marks(std::string label) {
    for (const char* mark : {"⎵", "⏎", "⇥"})
        for (std::size_t at; (at = label.find(mark)) != std::string::npos;) label.erase(at, std::string(mark).size());
    return label;
}

// Of a draft of which everything or nearly everything stays.
TEST(DraftersScene, CountsTheBeginningOfALongSuccess) {
    int folded = 0;
    for (const double noise : {0.0, 0.05}) {
        const auto trace = fixtures::toy_run({.name = "long", .k = 15, .cycles = 6, .noise = noise});
        const RunView whole = fold(*trace, trace->size());
        SceneBench bench("drafters");
        for (const RoundSummary& round : whole.round_list) {
            bench.show(trace, round.end_event);
            bench.controller.perform({SceneCommand{SetBeat{0}}}, bench.time);
            bench.settle();
            EXPECT_FALSE(bench.shows(" kept")) << "what is folded away tells no verdict before its beat";
            bench.controller.perform({SceneCommand{SetBeat{kDraftersOutcomeBeat}}}, bench.time);
            bench.settle();
            look(bench, "a long success", false);
            const ShownRow shown = shown_row(bench, "small model");
            const int end = 15 - shown.behind;
            folded += shown.kept > 0;
            EXPECT_LE(shown.kept, round.accepted);
            EXPECT_GT(end, std::min(round.accepted, 14)) << "the one that ended it is there";
            std::string words, wanted;
            for (const std::string& label : shown.labels) words += label;
            for (int i = shown.kept; i < end; ++i) wanted += label_of(*trace, round.drafts[static_cast<std::size_t>(i)].draft->token);
            EXPECT_EQ(words, without_marks(wanted)) << "whole words";
            EXPECT_EQ(shown.tokens.text, std::to_string(round.accepted + 1));
        }
    }
    EXPECT_GT(folded, 0);
}

TEST(DraftersScene, EveryDrafterHasItsPlaceInTheFamily) {
    for (const DrafterInfo& info : drafter_list()) {
        SCOPED_TRACE(info.name);
        const DrafterKin& kin = info.kin;
        if (!info.drafts()) {
            EXPECT_TRUE(kin_words(kin).empty());
            continue;
        }
        EXPECT_FALSE(kin.takes.empty() || kin.sequential.empty() || kin.keeps.empty());
        const std::string source = kin.source;
        const std::size_t paper = source.find("arXiv:"); // whose number begins with its year
        if (paper != std::string::npos) {
            EXPECT_EQ(std::to_string(kin.year), "20" + source.substr(paper + 6, 2));
        } else {
            EXPECT_TRUE(source.starts_with("github.com/")) << source;
        }
        std::string known; // in one order
        for (const char* engine : {"vLLM", "SGLang", "TRT-LLM", "llama.cpp", "transformers"})
            if (std::string(kin.served).find(engine) != std::string::npos) known += (known.empty() ? "" : ", ") + std::string(engine);
        EXPECT_EQ(known, kin.served);
        EXPECT_EQ(kin_words(kin).back(), "Served by: " + (known.empty() ? "–" : known));
    }
    ASSERT_TRUE(drafter_of_figures("eagle3"));
    EXPECT_STREQ(drafter_of_figures("eagle3")->name, "eagle3") << "of a chain and its tree the chain";
    EXPECT_FALSE(drafter_of_figures("nobody's"));
}

TEST(DraftersScene, TellsTheFamily) {
    Asked asked("lookup");
    asked.answer();
    asked.bench->controller.perform({SceneCommand{SetBeat{kDraftersFamilyBeat}}}, 0);
    asked.bench->settle();
    for (const char* words :
         {"Takes from the target", "One after the other", "several hidden states", "a map of places", "vLLM, SGLang, TRT-LLM, llama.cpp"})
        EXPECT_TRUE(asked.bench->shows(words)) << words;
    EXPECT_TRUE(asked.bench->shows("Published: 2023, ")) << "of the marked one";
    for (const ui::RecordedText& text : asked.bench->texts)
        if (text.box.x > 200 && text.box.right() < 1190) {
            EXPECT_EQ(text.text.find("…"), std::string::npos) << text.text;
        }
}

// A small window has the whole family, with its sources; a room has what the title names.
TEST(DraftersScene, TheFamilyIsWholeInASmallWindowAndAsItsTitleSaysInARoom) {
    Asked asked("lookup", {0, 0, 1280, 720});
    asked.answer();
    asked.bench->controller.perform({SceneCommand{SetBeat{kDraftersFamilyBeat}}}, 0);
    asked.bench->settle();
    for (const DrafterInfo& info : drafter_list())
        if (info.drafts()) {
            EXPECT_TRUE(asked.bench->shows(message(info.short_title))) << info.name << "\n" << asked.bench->words;
        }
    for (const char* shown : {"Source", "arXiv:2211.17192", "ggml-org/llama.cpp", "Gemma 4 MTP", "its keys and values"})
        EXPECT_TRUE(asked.bench->shows(shown)) << shown;
    EXPECT_FALSE(asked.bench->shows("brings the others"));
    present(*asked.bench);
    asked.bench->settle();
    for (const char* column : {"Takes from the target", "One after the other", "Keeps", "Year"})
        EXPECT_TRUE(asked.bench->shows(column)) << column;
    EXPECT_FALSE(asked.bench->shows("served by:")) << "that column is not there";
}

// What is said of a row's own round, by the id of the message and every value.
void expect_round_told(const Said& said, const DraftersModel& model, const DrafterRow& row, const Trace& trace) {
    const RoundSummary& round = *row.round();
    EXPECT_EQ(said.text, "words.round");
    EXPECT_EQ(test::whole(said, "guesses"), std::ssize(round.drafts));
    EXPECT_EQ(test::whole(said, "kept"), round.accepted);
    EXPECT_EQ(test::whole(said, "no_room"), round.drafts.empty() && model.no_room);
    EXPECT_EQ(test::whole(said, "no_guess"), round.drafts.empty() && !model.no_room);
    EXPECT_EQ(test::whole(said, "tokens"), std::ssize(round.commit->tokens));
    EXPECT_EQ(test::real(test::inner(said, "took"), "ms"), row.draft_ms);
    const bool ends = std::ssize(round.commit->tokens) == round.accepted;
    EXPECT_EQ(test::whole(said, "ends"), ends);
    if (!ends) {
        EXPECT_EQ(test::words(test::inner(said, "own"), "text"), ui::token_in_text(trace.text(round.commit->tokens.back())));
    }
}

void expect_stored_told(const Said& said, const DrafterRow& row) {
    const std::size_t bytes = row.compared->bytes;
    ASSERT_LT(bytes, 1000000U);
    EXPECT_EQ(said.id(), bytes > 0 ? "shared.words.size:small" : "drafters.words.stored:nothing");
    if (bytes == 0) return;
    EXPECT_EQ(test::whole(said, "bytes"), static_cast<std::int64_t>(bytes));
    EXPECT_EQ(test::real(said, "kb"), static_cast<double>(bytes) / 1000);
}

void expect_published_told(const Said& said, const DrafterRow& row, const Published& figures) {
    const Said range = test::inner(said, "speed_up");
    EXPECT_EQ(range.text, row.published.low == row.published.high ? "round.range:one" : "round.range:between");
    EXPECT_EQ(test::real(range, "low"), row.published.low);
    EXPECT_EQ(test::whole(range, "below"), row.published.below);
    if (row.published.low != row.published.high) {
        EXPECT_EQ(test::real(range, "high"), row.published.high);
    }
    EXPECT_EQ(test::whole(said, "figures"), std::ssize(row.published.figures));
    const auto twins =
        std::ranges::count_if(drafter_list(), [&](const DrafterInfo& info) { return info.published == row.info->published; });
    EXPECT_EQ(test::whole(said, "both"), twins > 1);
    std::set<std::string> sources, told;
    for (const PublishedFigure* figure : row.published.figures) sources.insert(figures.source_of(*figure).identifier);
    for (const Said& source : test::list(said, "sources")) EXPECT_TRUE(told.insert(test::words(source, "source")).second);
    EXPECT_EQ(told, sources);
}

const char* verdict_id(DraftSlot::State state) {
    return state == DraftSlot::State::accepted    ? "words.verdict:kept"
           : state == DraftSlot::State::rejected  ? "words.verdict:refused"
           : state == DraftSlot::State::discarded ? "words.verdict:discarded"
                                                  : "words.verdict:open";
}

void expect_rows_told(Asked& asked, const std::vector<ui::ToldMessage>& told, bool verdicts) {
    const SceneInput input = asked.input();
    const DraftersModel model = asked.model();
    const std::vector<Said> rows = test::all_said(told, "drafters.table.row");
    ASSERT_EQ(rows.size(), model.rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const DrafterRow& row = model.rows[i];
        SCOPED_TRACE(row.name());
        EXPECT_EQ(test::words(rows[i], "drafter"), row.title);
        EXPECT_EQ(test::whole(rows[i], "of_run"), row.name() == asked.settings.drafter);
        EXPECT_EQ(test::whole(rows[i], "selected"), static_cast<int>(i) == model.selected);
        expect_stored_told(test::inner(rows[i], "stored"), row);
        const std::vector<Said> guesses = test::list(rows[i], "guesses");
        ASSERT_EQ(guesses.size(), row.shown.size());
        for (std::size_t g = 0; g < guesses.size(); ++g) {
            const DraftSlot& slot = row.round()->drafts[static_cast<std::size_t>(row.shown[g])];
            EXPECT_EQ(test::words(test::inner(guesses[g], "token"), "text"), ui::token_in_text(input.trace->text(slot.draft->token)));
            if (verdicts)
                EXPECT_EQ(test::inner(guesses[g], "verdict").text, verdict_id(slot.state));
            else
                EXPECT_EQ(test::words(guesses[g], "verdict"), "");
        }
        const Said round = test::inner(rows[i], "round");
        if (verdicts)
            expect_round_told(round, model, row, *input.trace);
        else
            EXPECT_EQ(test::real(test::inner(round, "took"), "ms"), row.draft_ms);
        if (row.published.empty())
            EXPECT_EQ(test::words(rows[i], "published"), "");
        else
            expect_published_told(test::inner(rows[i], "published"), row, *input.figures);
    }
}

// The layers of "layers 0, 2 and 4".
std::vector<int> layers_told(const Said& fact) {
    std::vector<int> layers;
    const Said all = test::inner(fact, "layers");
    if (all.text == "words.layer") return {static_cast<int>(test::whole(all, "layer"))};
    for (const Said& one : test::list(all, "items")) layers.push_back(static_cast<int>(test::whole(one, "layer")));
    layers.push_back(static_cast<int>(test::whole(test::inner(all, "last"), "layer")));
    return layers;
}

// What is special about each row: of the selected one drawn in the details, of the others told there.
void expect_facts_told(Asked& asked, const std::vector<ui::ToldMessage>& told) {
    const SceneInput input = asked.input();
    const DraftersModel model = asked.model();
    const int layers = model.comparison->target_layers;
    int taps = 0, plans = 0, ranks = 0, trees = 0, matches = 0;
    for (const DrafterRow& row : model.rows) {
        SCOPED_TRACE(row.name());
        std::vector<Said> facts;
        for (const ui::ToldMessage& one : told)
            if (one.message.said.id() == "drafters.details.of" && test::words(one.message.said, "drafter") == row.title)
                facts.push_back(test::inner(one.message.said, "fact"));
            else if (&row == model.row() && one.message.said.id().starts_with("drafters.facts."))
                facts.push_back(one.message.said);
        const auto fact = [&](const char* id, bool there) {
            const auto found = std::ranges::find(facts, id, &Said::text);
            EXPECT_EQ(found != facts.end(), there) << id;
            return found == facts.end() ? Said() : *found;
        };
        const bool last_state = row.compared->taps == std::vector<int>{layers}, some = !row.compared->taps.empty();
        fact("facts.last_state", last_state);
        if (const Said read = fact("facts.taps", some && !last_state); !read.empty()) {
            EXPECT_EQ(layers_told(read), row.compared->taps);
            EXPECT_EQ(test::whole(read, "taps"), std::ssize(row.compared->taps));
            EXPECT_EQ(test::whole(read, "last"), layers - 1);
            ++taps;
        }
        if (const Said ranked = fact("facts.ranks", row.compared->ranks > 0); !ranked.empty()) {
            EXPECT_EQ(test::whole(ranked, "ranks"), row.compared->ranks);
            EXPECT_EQ(test::whole(ranked, "of"), model.header->vocab);
            ++ranks;
        }
        if (const Said left = fact("facts.exit", row.name() == "skip"); !left.empty()) {
            EXPECT_EQ(test::whole(left, "last"), row.compared->plan.exit_layer - 1);
            EXPECT_EQ(test::whole(left, "left_out"), layers - row.compared->plan.exit_layer);
            EXPECT_EQ(test::whole(left, "of"), layers);
            ++plans;
        }
        if (const Said tree = fact("facts.tree", row.round()->tree); !tree.empty()) {
            EXPECT_EQ(test::whole(tree, "guesses"), std::ssize(row.round()->drafts));
            EXPECT_EQ(test::whole(tree, "deep"), std::ssize(row.shown));
            ++trees;
        }
        if (const Said rule = fact("facts.other_rule", row.info->tree); !rule.empty()) {
            EXPECT_EQ(test::words(rule, "rule"), model.header->rule);
            EXPECT_EQ(test::words(rule, "other"), judging_rule(model.header->rule, row.name()));
        }
        fact("facts.fr_spec", row.info->reads_setting(Setting::fr_spec) && row.compared->ranks == 0);
        const std::string extra = row.info->copies() && row.drafted() > 0 ? row.round()->drafts[0].draft->extra : "";
        std::smatch found;
        if (const Said match = fact("facts.match", std::regex_search(extra, found, std::regex("(\\d+)-gram found at token (\\d+)")));
            !match.empty()) {
            EXPECT_EQ(test::whole(match, "tokens"), std::stoi(found[1]));
            EXPECT_EQ(test::whole(match, "at"), std::stoi(found[2]));
            std::string bytes;
            for (int at = std::stoi(found[2]), left = std::stoi(found[1]); left > 0; --left)
                bytes += input.trace->text(input.whole->tokens[static_cast<std::size_t>(at++)].id);
            EXPECT_EQ(test::words(test::inner(match, "words"), "text"), ui::token_in_text(bytes));
            ++matches;
        }
    }
    for (const int count : {taps, plans, ranks, trees, matches}) EXPECT_GT(count, 0);
}

TEST(DraftersTold, TellsEveryRowWithItsFactsInBothLanguagesAtEveryBeat) {
    for (const char* language : {"en", "de"})
        for (const double temperature : {0.0, 0.7}) {
            const test::Speaking speaking(language);
            Asked asked("lookup", {0, 0, 1280, 720}, 4, temperature); // where the table has no room for all
            asked.answer();
            for (int beat = 0; beat < kDraftersBeats; ++beat) {
                SCOPED_TRACE(std::string(language) + " " + std::to_string(beat));
                asked.beat(beat);
                const std::vector<ui::ToldMessage> told = asked.told();
                expect_rows_told(asked, told, beat >= kDraftersOutcomeBeat);
                expect_facts_told(asked, told);
                const DraftersModel model = asked.model();
                EXPECT_EQ(test::inner(test::only_said(told, "drafters.details.title"), "drafter"), model.row()->info->title);
                EXPECT_EQ(test::inner(test::only_said(told, "drafters.details.how"), "how"), model.row()->info->how);
                EXPECT_EQ(test::inner(test::only_said(told, "drafters.controls.shown"), "filter").text, "controls.filter:all");
                const Said at = test::only_said(told, "drafters.controls.at");
                EXPECT_EQ(test::whole(at, "at"), model.round->round + 1);
                EXPECT_EQ(test::whole(at, "of"), std::ssize(asked.input().whole->round_list));
                if (beat >= kDraftersFamilyBeat) continue;
                const Said subtitle = test::only_said(told, "drafters.subtitle.round");
                EXPECT_EQ(test::whole(subtitle, "round"), model.round->round + 1);
                EXPECT_EQ(test::whole(subtitle, "tokens"), model.text_tokens);
                EXPECT_EQ(test::whole(subtitle, "tries"), kDraftTries);
                EXPECT_EQ(test::whole(subtitle, "seed"), static_cast<std::int64_t>(asked.settings.seed));
                if (temperature > 0) {
                    EXPECT_EQ(test::real(subtitle, "temperature"), temperature);
                }
            }
        }
}

TEST(DraftersTold, TellsTheFamilyInBothLanguages) {
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        Asked asked("lookup");
        asked.answer();
        asked.beat(kDraftersFamilyBeat);
        const std::vector<ui::ToldMessage> told = asked.told();
        EXPECT_EQ(test::words(test::only_said(told, "shared.words.data"), "tier"), "PUBLISHED");
        const std::vector<Said> rows = test::all_said(told, "drafters.kin.row");
        const DraftersModel model = asked.model();
        ASSERT_EQ(rows.size(), model.rows.size() + 1);
        EXPECT_EQ(test::words(rows.back(), "drafter"), "Gemma 4 MTP") << "which does not run here";
        EXPECT_EQ(test::words(test::list(rows.back(), "kin").back(), "engines"), "vLLM, SGLang, llama.cpp");
        for (std::size_t i = 0; i < model.rows.size(); ++i) {
            const DrafterKin& kin = model.rows[i].info->kin;
            EXPECT_EQ(test::words(rows[i], "drafter"), model.rows[i].title);
            const std::vector<Said> parts = test::list(rows[i], "kin");
            ASSERT_EQ(parts.size(), 5U);
            EXPECT_EQ(test::inner(parts[0], "takes"), kin.takes);
            EXPECT_EQ(test::inner(parts[1], "sequential"), kin.sequential);
            EXPECT_EQ(test::inner(parts[2], "keeps"), kin.keeps);
            EXPECT_EQ(test::whole(parts[3], "year"), kin.year);
            EXPECT_EQ(test::words(parts[3], "source"), kin.source);
            EXPECT_EQ(test::words(parts[4], "engines"), served_words(kin));
        }
    }
}

// Who brings most and least, what must be stored, what a guess costs; how far rounds lie apart.
TEST(DraftersTold, ItsTitlesAndItsStoryHaveTheNumbersOfTheirRows) {
    Asked asked("lookup");
    asked.answer();
    const DraftersModel model = asked.model();
    ASSERT_EQ(model.best.size(), 1U);
    const DrafterRow& best = model.rows[static_cast<std::size_t>(model.best[0])];
    const auto tokens = [](const DrafterRow& row) { return row.tokens; };
    const auto bytes = [](const DrafterRow& row) { return row.compared->bytes; };
    const auto ms = [](const DrafterRow& row) { return row.draft_ms; };
    const auto in_sentence = [](const Said& name) { return message(drafter_said("words.in_sentence"_t, "drafter"_v = name)).words(); };
    std::vector<ui::ToldMessage> told = asked.told();
    const Said title = test::only_said(told, "drafters.title.best");
    EXPECT_EQ(test::words(title, "drafter"), best.title);
    EXPECT_EQ(test::whole(title, "tokens"), best.tokens);
    const Said outcome = test::inner(test::only_said(told, "drafters.outcome.text:told"), "outcome");
    EXPECT_EQ(test::words(test::inner(outcome, "names"), "drafter"), best.title);
    EXPECT_EQ(test::whole(outcome, "tokens"), best.tokens);
    const DrafterRow& least = *std::ranges::min_element(model.rows, {}, tokens);
    EXPECT_EQ(test::words(outcome, "least"), in_sentence(least.info->short_title));
    EXPECT_EQ(test::whole(outcome, "fewest"), least.tokens);
    asked.beat(1);
    const Said stored = test::only_said(asked.told(), "drafters.stored.text");
    EXPECT_EQ(test::whole(stored, "free"),
              std::ranges::count_if(model.rows, [](const DrafterRow& row) { return row.info->needs == DrafterNeeds::nothing; }));
    const DrafterRow& largest = *std::ranges::max_element(model.rows, {}, bytes);
    EXPECT_EQ(test::words(stored, "largest"), in_sentence(largest.info->short_title));
    EXPECT_EQ(test::whole(test::inner(stored, "size"), "bytes"), static_cast<std::int64_t>(bytes(largest)));
    asked.beat(2);
    const Said cost = test::only_said(asked.told(), "drafters.cost.text:timed");
    const auto [fast, slow] = std::ranges::minmax_element(model.rows, {}, ms);
    EXPECT_EQ(test::words(cost, "fastest"), in_sentence(fast->info->short_title));
    EXPECT_EQ(test::real(test::inner(cost, "fast_ms"), "ms"), fast->draft_ms);
    EXPECT_EQ(test::words(cost, "slowest"), in_sentence(slow->info->short_title));
    EXPECT_EQ(test::real(test::inner(cost, "slow_ms"), "ms"), slow->draft_ms);
    asked.beat(kDraftersNoBestBeat);
    std::vector<std::int64_t> brought;
    for (const RoundSummary& round : asked.input().whole->round_list)
        if (round.commit) brought.push_back(std::ssize(round.commit->tokens));
    const Said rounds = test::only_said(asked.told(), "drafters.no_best.title");
    EXPECT_EQ(test::whole(rounds, "most"), std::ranges::max(brought));
    EXPECT_EQ(test::whole(rounds, "least"), std::ranges::min(brought) < std::ranges::max(brought) ? std::ranges::min(brought) : 0);
}

// Which number stands where, in words; in German with a comma.
TEST(DraftersTold, SaysItsNumbersInTheirPlaces) {
    const auto line_of = [](const std::string& words, const std::string& begins) {
        const std::size_t at = words.find("\n" + begins);
        return at == std::string::npos ? "no line begins with " + begins + " in " + words
                                       : words.substr(at + 1, words.find('\n', at + 1) - at - 1);
    };
    for (const auto& [language, lines] :
         {std::pair<const char*, std::vector<std::pair<std::string, std::string>>>{
              "en",
              {{"lookup, drafts this run", "lookup, drafts this run: stores nothing. Guesses: “<7>” refused, “<5>” "
                                           "discarded, “<6>” discarded. This round: 0 of 3 guesses kept, then the "
                                           "target's own “<32>”: 1 token, drafted in 0.61 ms. PUBLISHED: speed-up "
                                           "1.2–4×, 5 figures on other machines and models. Sources: "},
               {"EAGLE-3: It ranks", "EAGLE-3: It ranks 40 of 61 ids: the others it can never guess."},
               {"EAGLE-3: Its config", "EAGLE-3: Its config reads the outputs of layers 0, 2 and 4, of 0 to 5."},
               {"lookup: Match", "lookup: Match: the last 3 tokens, “<7><5><6>”, stood at token 2 before."}}},
          {"de",
           {{"Lookup, entwirft", "Lookup, entwirft in diesem Lauf: Bedarf nichts. Vorschläge: „<7>“ abgelehnt, „<5>“ "
                                 "verworfen, „<6>“ verworfen. Diese Runde: 0 von 3 behalten, dann das eigene „<32>“: "
                                 "1 Token, Entwurf in 0,61 ms. PUBLISHED: Beschleunigung 1,2–4×, 5 Zahlen von anderen "
                                 "Rechnern und Modellen. Quellen: "},
            {"EAGLE-3: Ordnet", "EAGLE-3: Ordnet 40 von 61 Ids: die anderen kann er nie vorschlagen."},
            {"Lookup: Treffer", "Lookup: Treffer: die letzten 3 Token, „<7><5><6>“, standen schon bei Token 2."}}}}) {
        const test::Speaking speaking(language);
        Asked asked("lookup");
        asked.answer();
        const std::string words = in_words(asked.told());
        for (const auto& [begins, line] : lines) EXPECT_EQ(line_of(words, begins).substr(0, line.size()), line);
    }
}

// A number that is drawn and that no message has would be one that only eyes see.
TEST(DraftersTold, SaysEveryNumberThatIsDrawn) {
    Asked asked("lookup");
    asked.answer();
    for (int beat = 0; beat < kDraftersBeats; ++beat) {
        asked.beat(beat);
        SCOPED_TRACE(beat);
        const std::size_t seen = test::expect_numbers_told(test::scene_texts(*asked.bench), in_words(asked.told()));
        if (beat != kDraftersDoctorBeat) {                          // nothing was examined
            EXPECT_GT(seen, beat == kDraftersFamilyBeat ? 0U : 8U); // which has one source
        }
    }
}

// The doctor in the window: asked for by a key, its bars and rows told with their numbers, each verdict a title of its own, stopped.
TEST(DraftersDoctor, ExaminesTheHeadOfTheSelectedRow) {
    for (const char* language : {"en", "de"}) {
        SCOPED_TRACE(language);
        const test::Speaking speaking(language);
        Asked asked("eagle3_tree", {0, 0, 1280, 720});
        asked.answer();
        asked.beat(kDraftersDoctorBeat);
        EXPECT_EQ(asked.model().row()->name(), "eagle3") << "a tree has its chain's head";
        EXPECT_EQ(asked.model().heads.size(), 5U);
        asked.sent.clear();
        asked.bench->key(ui::Key::m);
        ASSERT_EQ(asked.sent.size(), 1U);
        EXPECT_EQ(std::get<ExamineHead>(asked.sent[0]).drafter, "eagle3");
        EXPECT_GE(std::get<ExamineHead>(asked.sent[0]).tokens, 2000);
        std::set<std::string> titles;
        using Verdict = Diagnosis::Verdict;
        for (const Verdict verdict : {Verdict::open, Verdict::mends, Verdict::uncertain, Verdict::weak, Verdict::healthy}) {
            const Diagnosis made = test::made_diagnosis("eagle3", verdict);
            asked.published.diagnosis = std::make_shared<const Diagnosis>(made);
            asked.show();
            const std::vector<ui::ToldMessage> told = asked.told();
            titles.insert(asked.bench->texts.empty() ? "" : drafters_title(asked.input(), asked.model()).title.words());
            const std::vector<Said> kept = test::all_said(told, "drafters.exam.kept_at");
            ASSERT_EQ(kept.size(), made.kept_at.size());
            for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(test::real(kept[i], "share"), made.kept_at[i]);
            const std::vector<Said> ranks = test::all_said(told, "drafters.exam.rank");
            ASSERT_EQ(ranks.size(), 7U);
            EXPECT_EQ(test::real(ranks[0], "share"), 1624 / 2004.0);
            EXPECT_EQ(test::real(test::only_said(told, "drafters.exam.unranked"), "share"), 2 / 2004.0);
            const std::vector<Said> rows = test::all_said(told, "drafters.exam.row");
            ASSERT_EQ(rows.size(), 3U) << "config.json, and what was scored";
            EXPECT_EQ(test::real(rows[0], "kept"), made.kept);
            EXPECT_EQ(test::real(rows[1], "kept"), 2.63) << "the best first";
            EXPECT_EQ(test::real(test::inner(rows[1], "difference"), "low"), 0.27);
            EXPECT_EQ(test::whole(rows[1], "better"), made.variants[1].better);
            EXPECT_EQ(test::whole(test::only_said(told, "drafters.exam.subtitle:told"), "places"), 2004);
            (void)test::expect_numbers_told(test::scene_texts(*asked.bench), in_words(told));
            look(*asked.bench, "doctor", false);
        }
        EXPECT_EQ(titles.size(), 5U);
        asked.published.diagnosis = std::make_shared<const Diagnosis>(test::made_diagnosis("eagle3", Verdict::open));
        asked.show();
        asked.sent.clear();
        asked.bench->key(ui::Key::m);
        EXPECT_TRUE(asked.sent.empty()) << "it is under way";
        Asked wide("eagle3"); // where the controls have room
        wide.answer();
        wide.published.diagnosis = asked.published.diagnosis;
        wide.beat(kDraftersDoctorBeat);
        wide.show();
        EXPECT_TRUE(wide.bench->shows(language == std::string("en") ? "Stop" : "Anhalten")) << wide.bench->words;
    }
}

// The palette's line: to the doctor, and the run's head is examined; without a head it says why not.
TEST(DraftersDoctor, IsAnActionOfTheWindow) {
    Asked asked("eagle3_tree");
    asked.sent.clear();
    asked.bench->controller.perform({SceneCommand{OpenScene{"loop"}}}, asked.bench->time);
    asked.bench->controller.perform({PickAction{Action::examine_head}}, asked.bench->time);
    asked.bench->settle();
    const auto found = std::ranges::find_if(asked.sent, [](const Command& c) { return std::holds_alternative<ExamineHead>(c); });
    ASSERT_NE(found, asked.sent.end());
    EXPECT_EQ(std::get<ExamineHead>(*found).drafter, "eagle3");
    EXPECT_EQ(asked.input().beat, kDraftersDoctorBeat);
    Asked without("lookup");
    without.sent.clear();
    without.bench->controller.perform({PickAction{Action::examine_head}}, without.bench->time);
    EXPECT_TRUE(std::ranges::none_of(without.sent, [](const Command& c) { return std::holds_alternative<ExamineHead>(c); }));
    EXPECT_TRUE(without.bench->controller.frame(without.bench->time).scene_name == "drafters");
}

TEST(DraftersTold, GivesNumbersWithFullPrecisionAsData) {
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        Asked asked("lookup");
        asked.answer();
        const DraftersModel model = asked.model();
        const Json data = Json::parse(words_json("drafters", kDraftersOutcomeBeat, asked.told()));
        std::size_t found = 0;
        for (const Json& message : data["messages"]) {
            if (message["id"] != "drafters.table.row") continue;
            const DrafterRow& row = model.rows.at(found++);
            EXPECT_EQ(message["values"]["round"]["values"]["took"]["values"]["ms"].get<double>(), row.draft_ms);
            EXPECT_EQ(message["values"]["guesses"].is_array(), row.shown.size() != 1);
            EXPECT_EQ(message["region"], "stage");
            EXPECT_TRUE(message["drawn"].get<bool>());
            if (!row.published.empty()) {
                EXPECT_EQ(message["values"]["published"]["values"]["speed_up"]["values"]["low"].get<double>(), row.published.low);
            }
        }
        EXPECT_EQ(found, model.rows.size());
    }
}

TEST(DraftersScene, FitsEverySizeAndSaysWhatWasRecorded) {
    for (const Size& s : kSizes) {
        Asked asked("lookup", {0, 0, s.w, s.h});
        asked.answer();
        for (int i = 0; i < 11; ++i) {
            asked.bench->key(ui::Key::down);
            look(*asked.bench, std::string("drafters ") + s.name + " row " + std::to_string(i), s.w < 1000);
        }
        for (int beat = 0; beat < kDraftersBeats; ++beat) {
            asked.bench->controller.perform({SceneCommand{SetBeat{beat}}}, 0);
            asked.bench->frame();
            look(*asked.bench, std::string("drafters ") + s.name + " beat " + std::to_string(beat), s.w < 1000);
        }
    }
    Asked asked("lookup");
    asked.answer();
    expect_golden("drafters-asked", asked.description()); // the picture has times of this machine
}

} // namespace
} // namespace speclens
