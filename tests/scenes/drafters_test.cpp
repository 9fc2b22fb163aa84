// The scene of all drafters: asks once per cycle, shows what was answered, and hands the run over.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "engine/drafters/drafter_info.h"
#include "engine/run/run.h"
#include "scenes/drafters/drafters_draw.h"
#include "scenes/mtp/mtp_draw.h"
#include "scenes/shared/kin_words.h"
#include "scenes/shared/words.h"
#include "scenes/speedup/printed_table.h"
#include "tests/scenes/room.h"
#include "tests/scenes/run_window.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/finished.h"
#include "tests/shared/temp_folder.h"

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
    EXPECT_TRUE(asked.bench->shows("one for eagle3, not checked here: hf download AngelSlim/Qwen3-4B_eagle3")) << asked.bench->words;
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
        for (const DrafterRow& row : model.rows) EXPECT_TRUE(filter != DrafterFilter::no_memory || row.guess->bytes == 0);
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
        const std::string words = describe_published(run, &figures, false);
        EXPECT_NE(words.find(": " + counted(static_cast<int>(range.figures.size()), "figure") + ", " + range.words()), std::string::npos)
            << drafter << ": " << words;
    }
    SceneInput input;
    const RunView nothing;
    input.figures = &figures;
    input.view = input.whole = &nothing;
    EXPECT_EQ(MtpFrame(input, input).published, published_speed_ups(&figures, "mtp").figures);
}

// With one token left nobody is asked: that is no finding about the drafters.
TEST(DraftersScene, SaysThatThereWasNoRoomForAGuess) {
    for (const char* drafter : {"small", "none"}) {
        Asked asked(drafter, {0, 0, 1600, 1000}, 4, 0, 1);
        asked.answer();
        EXPECT_NE(asked.description().find("This round: no room for a guess"), std::string::npos);
        asked.beat(0); // of which the story says how many guessed
        const std::string words = asked.description();
        EXPECT_NE(words.find("No room for a guess here"), std::string::npos) << words;
        EXPECT_NE(words.find("None of the "), std::string::npos) << words;
        EXPECT_NE(words.find("guessed here: there was room for one token only."), std::string::npos) << words;
        EXPECT_EQ(words.find("of 0 drafters"), std::string::npos) << words;
        EXPECT_EQ(words.find("found nothing to propose"), std::string::npos) << words;
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
    EXPECT_EQ(guess_ms(0.0002), "<0.001");
    EXPECT_EQ(guess_ms(0.0006), "0.001");
    EXPECT_EQ(guess_ms(0), "–");
}

TEST(DraftersScene, SaysWhatLookupFoundAndWhatAHeadReads) {
    Asked asked;
    asked.answer();
    const std::string words = asked.description();
    for (const char* part : {"Its config reads the outputs of layers 0, 2 and 4, of 0 to 5.", "It ranks 40 of 61 ids",
                             "It runs layers 0 to 3; left out: 2 layers of 6.", "the best path shown", "reads the target's last state",
                             "PUBLISHED: speed-up 1.2–4×"})
        EXPECT_NE(words.find(part), std::string::npos) << part << "\n" << words;
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
        EXPECT_TRUE(*kin.takes && *kin.sequential && *kin.keeps);
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
            EXPECT_TRUE(asked.bench->shows(info.short_title)) << info.name << "\n" << asked.bench->words;
        }
    for (const char* shown : {"Source", "arXiv:2211.17192", "ggml-org/llama.cpp"}) EXPECT_TRUE(asked.bench->shows(shown)) << shown;
    EXPECT_FALSE(asked.bench->shows("brings the others"));
    present(*asked.bench);
    asked.bench->settle();
    for (const char* column : {"Takes from the target", "One after the other", "Keeps", "Year"})
        EXPECT_TRUE(asked.bench->shows(column)) << column;
    EXPECT_FALSE(asked.bench->shows("served by:")) << "that column is not there";
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
