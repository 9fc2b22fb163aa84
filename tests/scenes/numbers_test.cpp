// Scene S16: the published figures as a table, its filters, and what is said of one figure.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <sstream>

#include "engine/drafters/drafter_info.h"
#include "engine/published/published_words.h"
#include "scenes/numbers/numbers_draw.h"
#include "scenes/shared/kin_words.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_look.h"

namespace speclens {
namespace {

std::shared_ptr<const Published> shipped() {
    return std::make_shared<const Published>(Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published"));
}

struct Listed {
    std::unique_ptr<SceneBench> bench;
    explicit Listed(ui::Rect screen = {0, 0, 1600, 1000}) : bench(std::make_unique<SceneBench>("numbers", EnginePort{}, screen)) {
        bench->controller.figures = shipped();
        bench->settle();
    }
    [[nodiscard]] SceneInput input() { return bench->controller.frame(0).scene; }
    void beat(int number) {
        bench->controller.perform({SceneCommand{SetBeat{number}}}, 0);
        bench->settle();
    }
};

TEST(Numbers, FiltersByStandingAndMethod) {
    Listed list;
    NumbersState state;
    const NumbersModel all = numbers_model(list.input(), state);
    EXPECT_EQ(all.rows.size(), all.figures->figures().size());
    EXPECT_EQ(all.selected, 0);
    state.filter = FigureFilter::wrong;
    const NumbersModel wrong = numbers_model(list.input(), state);
    EXPECT_EQ(static_cast<int>(wrong.rows.size()), all.wrong);
    ASSERT_GT(all.wrong, 0);
    for (const PublishedFigure* figure : wrong.rows) EXPECT_EQ(figure->standing, Standing::wrong);
    state.filter = FigureFilter::disputed;
    const NumbersModel disputed = numbers_model(list.input(), state);
    EXPECT_EQ(static_cast<int>(disputed.rows.size()), all.disputed);
    state.method = disputed.rows.back()->method;
    for (const PublishedFigure* figure : numbers_model(list.input(), state).rows) EXPECT_EQ(figure->method, state.method);
    state.selected = disputed.rows.back()->id;
    EXPECT_EQ(numbers_model(list.input(), state).chosen()->id, state.selected);
    state.method = "nobody";
    EXPECT_EQ(numbers_model(list.input(), state).selected, -1);
}

TEST(Numbers, AreFoundByWordsOfAnyColumn) {
    Listed list;
    NumbersState state;
    state.query = "eagle-3 GSM8K";
    const NumbersModel found = numbers_model(list.input(), state);
    ASSERT_FALSE(found.rows.empty());
    EXPECT_LT(found.rows.size(), found.figures->figures().size());
    const PublishedFigure* average = found.figures->find("domino-table-eagle3-16-gsm8k-speedup");
    ASSERT_NE(average, nullptr);
    EXPECT_NE(std::ranges::find(found.rows, average), found.rows.end());
    for (const PublishedFigure* figure : found.rows) EXPECT_TRUE(found_by(*found.figures, *figure, "gsm8k eagle-3"));
    state.query = "eagle-3 nosuchword";
    EXPECT_TRUE(numbers_model(list.input(), state).rows.empty());
}

TEST(Numbers, AreSortedByAColumnAndTheOtherWayRound) {
    Listed list;
    NumbersState state;
    const auto printed = numbers_model(list.input(), state).rows;
    const auto value = [](const PublishedFigure* figure) { return figure->values.empty() ? 0.0 : figure->values.front(); };
    choose_sort(state, FigureSort::value);
    EXPECT_TRUE(std::ranges::is_sorted(numbers_model(list.input(), state).rows, {}, value));
    choose_sort(state, FigureSort::value);
    EXPECT_TRUE(std::ranges::is_sorted(numbers_model(list.input(), state).rows, std::greater{}, value));
    choose_sort(state, FigureSort::value);
    EXPECT_EQ(numbers_model(list.input(), state).rows, printed) << "as the sources print them";
    choose_sort(state, FigureSort::method);
    const auto rows = numbers_model(list.input(), state).rows;
    EXPECT_EQ(rows.size(), printed.size());
    EXPECT_NE(rows, printed);
}

TEST(NumbersScene, SearchesAndSortsByHand) {
    Listed list;
    list.beat(kRepeatBeat); // of all figures
    list.bench->key(ui::Key::slash);
    ui::Input typed;
    typed.typed = "spec-bench";
    list.bench->frame(typed);
    list.bench->settle();
    EXPECT_TRUE(list.bench->shows("with “spec-bench”")) << list.bench->words;
    list.beat(kDisputedBeat);
    EXPECT_FALSE(list.bench->shows("with “spec-bench”")) << "a beat shows what it is about";
    list.beat(kRepeatBeat);
    list.bench->click(list.bench->find("value"));
    EXPECT_TRUE(list.bench->shows("value ↑")) << list.bench->words;
    list.bench->click(list.bench->find("value ↑"));
    EXPECT_TRUE(list.bench->shows("value ↓"));
}

TEST(NumbersScene, MovesThroughTheTableAndExplainsTheChosenFigure) {
    Listed list;
    const auto rows = numbers_model(list.input(), {}).rows;
    EXPECT_TRUE(list.bench->shows("PUBLISHED"));
    list.beat(kRepeatBeat);                                      // of all figures
    for (int i = 0; i < 40; ++i) list.bench->key(ui::Key::down); // beyond what fits: the table follows
    list.bench->settle();
    EXPECT_TRUE(list.bench->shows("41 of " + std::to_string(rows.size())));
    for (int i = 0; i < 60; ++i) list.bench->key(ui::Key::up);
    list.bench->settle();
    EXPECT_TRUE(list.bench->shows("1 of " + std::to_string(rows.size())));
    list.beat(2);
    EXPECT_TRUE(list.bench->shows("Against "));
    list.beat(3);
    EXPECT_TRUE(list.bench->shows("that are wrong in their source"));
}

TEST(NumbersScene, SaysWhereAMethodStandsInTheFamily) {
    Listed list;
    list.bench->controller.perform({PickAction{Action::copy_description}}, 0);
    EXPECT_NE(list.bench->controller.clipboard.find("Takes: "), std::string::npos) << list.bench->controller.clipboard;
    EXPECT_TRUE(list.bench->shows("One after the other: "));
    EXPECT_TRUE(list.bench->shows("Served by: "));
}

// A table of 501 rows tells nobody where to begin: it opens on pairs, each of one method, that cannot both be right.
TEST(NumbersScene, OpensOnAFewPairsThatDisagree) {
    Listed list;
    const auto pairs = telling_pairs(*list.input().figures);
    ASSERT_EQ(pairs.size(), 6U);
    for (std::size_t i = 0; i < pairs.size(); i += 2) {
        EXPECT_EQ(pairs[i]->method, pairs[i + 1]->method) << pairs[i]->id;
        EXPECT_NE(pairs[i]->values, pairs[i + 1]->values) << pairs[i]->id;
    }
    EXPECT_TRUE(list.bench->shows("1 of 6")) << list.bench->words;
    EXPECT_TRUE(list.bench->shows("another number"));
    list.bench->key(ui::Key::c); // on to the disputed
    EXPECT_FALSE(list.bench->shows("1 of 6"));
    list.beat(1);
    list.beat(0);
    EXPECT_FALSE(list.bench->shows("1 of 6")) << "what the user chose stays chosen";
    NumbersState state;
    state.filter = FigureFilter::pairs;
    const NumbersModel shown = numbers_model(list.input(), state);
    EXPECT_EQ(shown.rows, pairs) << "one of a pair below the other";
}

// A wrong figure stands beside what follows from its source, a list in full, and what is wrong in words.
TEST(NumbersScene, ShowsWhatIsWrongAndWhatWouldBeRight) {
    Listed list;
    const Published& figures = *list.input().figures;
    const PublishedFigure* printed = figures.find("dynamo-expected-70");
    ASSERT_NE(printed, nullptr);
    const PublishedFigure* right = right_figure(figures, *printed);
    ASSERT_NE(right, nullptr);
    EXPECT_EQ(right->id, "dynamo-expected-70-derived");
    EXPECT_EQ(whole_value(*printed), "2.76 3.16 3.29 3.33");
    EXPECT_EQ(right_figure(figures, *figures.find("dynamo-production-cost")), nullptr) << "what contradicts it is another quantity";
    Listed wide({0, 0, 1920, 1080});
    wide.beat(3);
    EXPECT_TRUE(wide.bench->shows("2.76 3.16 3.29 3.33 2.53 2.94 3.14 3.27")) << wide.bench->words;
    EXPECT_TRUE(wide.bench->shows("15 drafts are verified")) << wide.bench->words;
    for (const char* ending : {"0.7", "0.8", "0.9", "0.95"})
        EXPECT_TRUE(std::ranges::any_of(
            wide.bench->texts,
            [&](const ui::RecordedText& text) { return text.text.starts_with("Expected tokens") && text.text.ends_with(ending); }))
            << "rows that differ in their end only: " << ending;
}

// Every number that the frame in words tells: a line for each row with the figure's own, and what is known of the chosen one.
TEST(NumbersScene, TellsEveryFigureWithItsNumbers) {
    Listed list;
    for (int beat = 0; beat < kNumbersBeats; ++beat) {
        SCOPED_TRACE(beat);
        SceneInput input = list.input();
        input.beat = beat;
        NumbersState state;
        int at = -1;
        follow_numbers_beat(input, state, at);
        const NumbersModel m = numbers_model(input, state);
        const Published& figures = *m.figures;
        std::istringstream text(find_scene("numbers")->make()->describe(input));
        std::vector<std::string> lines;
        for (std::string line; std::getline(text, line);) lines.push_back(line);
        ASSERT_GT(lines.size(), 4 + m.rows.size());
        const auto tells = [&](std::size_t line, const std::string& words) {
            EXPECT_NE((" " + lines[line] + " ").find(words), std::string::npos) << words << "\n" << lines[line];
        };
        const std::string all = std::to_string(figures.figures().size()), shown = std::to_string(m.rows.size());
        const auto disputed = std::ranges::count_if(figures.figures(), [](const PublishedFigure& one) { return !one.conflicts.empty(); });
        const auto wrong =
            std::ranges::count_if(figures.figures(), [](const PublishedFigure& one) { return one.standing == Standing::wrong; });
        tells(1, "shown: " + shown + (beat == kCountingBeat || beat == kRepeatBeat ? "," : " "));
        if (beat == 0) tells(1, " of " + all + " ");
        if (beat == kCountingBeat) tells(1, "first the 9 that count differently");
        if (beat == kDisputedBeat) tells(0, " " + std::to_string(disputed) + " ");
        if (beat == kWrongBeat) tells(0, " " + std::to_string(wrong) + " ");
        if (beat == kRepeatBeat) {
            const std::string repeatable = std::to_string(figures_told(figures, beat).size());
            tells(0, " " + repeatable + " of " + all + " ");
            tells(1, "first the " + repeatable + " that name most of their conditions");
        }
        for (std::size_t i = 0; i < m.rows.size(); ++i) {
            const PublishedFigure& figure = *m.rows[i];
            const std::size_t line = 4 + i;
            tells(line, (&figure == m.chosen() ? "> " : "  ") + published_value(figure) + ", " + figure.method + ": " + figure.claim);
            if (const std::string conditions = published_conditions(figure); !conditions.empty()) tells(line, " (" + conditions + ")");
            EXPECT_EQ(lines[line].find("; disputed") != std::string::npos,
                      !figure.conflicts.empty() && figure.standing != Standing::wrong)
                << lines[line];
            if (figure.standing != Standing::wrong) continue;
            tells(line, "; wrong in its source: " + figure.reason);
            if (const PublishedFigure* right = right_figure(figures, figure))
                tells(line, "; printed " + whole_value(figure) + ", right " + whole_value(*right));
        }
        const PublishedFigure& chosen = *m.chosen();
        std::size_t line = 5 + m.rows.size();
        tells(line++, published_citation(chosen, figures.source_of(chosen)) + "; " + published_standing(chosen));
        for (const PublishedConflict& conflict : chosen.conflicts) tells(line++, "Against " + conflict.with + ": " + conflict.why);
        if (const DrafterInfo* const drafter = drafter_of_figures(chosen.method)) {
            tells(line, drafter->title + std::string(". "));
            tells(line, "Published: " + std::to_string(drafter->kin.year) + ", " + drafter->kin.source);
        }
        tells(lines.size() - 3, "Beat " + std::to_string(beat + 1) + " of " + std::to_string(kNumbersBeats));
    }
}

TEST(NumbersScene, TheFilterGoesRound) {
    Listed list;
    list.bench->key(ui::Key::c);
    list.bench->settle();
    EXPECT_TRUE(list.bench->shows("that stand against another"));
    list.bench->key(ui::Key::c);
    list.bench->settle();
    EXPECT_TRUE(list.bench->shows("that are wrong in their source"));
    list.bench->key(ui::Key::c);
    list.bench->settle();
    EXPECT_FALSE(list.bench->shows("that are wrong in their source"));
}

// A beat about some of the figures begins with them, and says so.
TEST(NumbersScene, BringsWhatABeatIsAboutToTheTop) {
    for (const Size& s : {Size{1280, 720, "1280x720"}, Size{1600, 1000, "1600x1000"}}) {
        Listed list({0, 0, s.w, s.h});
        list.beat(kCountingBeat);
        for (const char* words : {"not counted", "token included)", "one known anchor and 15 drafts", "first the 9 that count differently"})
            EXPECT_TRUE(list.bench->shows(words)) << s.name << ": " << words << "\n" << list.bench->words;
        list.beat(kRepeatBeat);
        EXPECT_TRUE(list.bench->shows("that name most of their conditions")) << list.bench->words;
        EXPECT_TRUE(list.bench->shows("A100 80 GB") || list.bench->shows("H20")) << list.bench->words;
    }
}

TEST(Numbers, BeginsWithTheFiguresOfTheBeat) {
    Listed list;
    SceneInput input = list.input();
    const Published& figures = *input.figures;
    const std::size_t all = figures.figures().size();
    for (const int beat : {kCountingBeat, kRepeatBeat}) {
        input.beat = beat;
        const auto told = figures_told(figures, beat);
        EXPECT_GE(told.size(), beat == kCountingBeat ? 9U : 5U) << "a figure of the beat is gone";
        NumbersState state;
        const NumbersModel m = numbers_model(input, state);
        EXPECT_EQ(m.told, static_cast<int>(told.size()));
        EXPECT_TRUE(std::equal(told.begin(), told.end(), m.rows.begin()));
        ASSERT_EQ(m.rows.size(), all) << "nothing is left out or shown twice";
        EXPECT_EQ(std::set<const PublishedFigure*>(m.rows.begin(), m.rows.end()).size(), all);
        state.method = "dflash"; // what the user asked for holds here, too
        for (const PublishedFigure* figure : numbers_model(input, state).rows) EXPECT_EQ(figure->method, "dflash");
    }
}

TEST(Numbers, ABeatTakesNoFilterAway) {
    Listed list;
    SceneInput input = list.input();
    NumbersState state;
    int beat = -1;
    const auto go = [&](int to) {
        input.beat = to;
        follow_numbers_beat(input, state, beat);
        return state.filter;
    };
    EXPECT_EQ(go(0), FigureFilter::pairs);
    EXPECT_EQ(go(kCountingBeat), FigureFilter::all);
    choose_filter(state, FigureFilter::all);
    EXPECT_EQ(go(0), FigureFilter::all) << "who wants to see all of them sees all of them";
    choose_filter(state, FigureFilter::disputed);
    EXPECT_EQ(go(kCountingBeat), FigureFilter::disputed);
    EXPECT_EQ(state.selected, numbers_model(input, state).rows.front()->id);
    state.selected = "dflash-block";
    EXPECT_EQ(go(kCountingBeat), FigureFilter::disputed);
    EXPECT_EQ(state.selected, "dflash-block") << "a beat brings its figures along once";
    EXPECT_EQ(go(3), FigureFilter::wrong);
    EXPECT_EQ(go(kRepeatBeat), FigureFilter::disputed);
}

TEST(NumbersScene, SaysThatThereIsNothing) {
    SceneBench bench("numbers");
    bench.settle();
    EXPECT_TRUE(bench.shows("the published figures are not at hand"));
}

TEST(NumbersScene, NothingCollidesWhereEverythingIsShown) {
    for (const Size& s : kSizes) {
        Listed list({0, 0, s.w, s.h});
        for (int beat = 0; beat < kNumbersBeats; ++beat) {
            list.beat(beat);
            for (int row = 0; row < 5; ++row) {
                list.bench->key(ui::Key::down);
                list.bench->settle();
                look(*list.bench, std::string("numbers ") + s.name + " beat " + std::to_string(beat), s.w < 1000);
            }
        }
    }
}

} // namespace
} // namespace speclens
