// Scene S16: the published figures as a table, its filters, and what is said of one figure.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "engine/published/published_words.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/numbers_bench.h"
#include "tests/shared/said_values.h"

namespace speclens {
namespace {

using test::Listed;

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

// The value beside it says "Tokens per round"; what follows is a text of its own, which another language has whole.
TEST(Numbers, AClaimBehindItsUnitIsATextOfItsOwn) {
    const std::string unit = "Tokens per round ";
    Listed list;
    NumbersState state;
    int such = 0;
    for (const PublishedFigure& figure : numbers_model(list.input(), state).figures->figures()) {
        const std::vector<Said> rest = claim_behind_unit_said(figure);
        ASSERT_EQ(rest.size(), figure.claim.starts_with(unit) ? 1U : 0U) << figure.claim;
        if (rest.empty()) continue;
        EXPECT_EQ(unit + test::words(rest[0], "english"), figure.claim);
        EXPECT_EQ(message(rest[0]).words(), figure.claim.substr(unit.size()));
        ++such;
    }
    EXPECT_GT(such, 20);
}

// A room reads whole conditions: a comma inside one ends none.
TEST(Numbers, ConditionsAreLeftOutOneByOne) {
    PublishedFigure figure;
    figure.variant = "greedy, no tree";
    figure.model = "Llama 2";
    figure.batch = 8;
    const Message all = message(SaidOf<"numbers">()("table.conditions"_t, "conditions"_v = conditions_said(figure)));
    const std::vector<std::string> ways = shorter_and_shorter(all, Seam::item);
    ASSERT_EQ(ways.size(), 3U);
    EXPECT_EQ(ways[0], all.words());
    EXPECT_EQ(ways[1], "greedy, no tree; Llama 2");
    EXPECT_EQ(ways[2], "greedy, no tree");
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

TEST(Numbers, TheShortSubtitleOfThePairsCountsAsTheLongOne) {
    Listed list;
    NumbersState state;
    state.filter = FigureFilter::pairs;
    const NumbersModel m = numbers_model(list.input(), state);
    const StageTitle title = numbers_title(list.input(), m, state);
    EXPECT_EQ(title.short_subtitle.said.id(), "numbers.subtitle.pairs_short");
    for (const Said& said : {title.subtitle.said, title.short_subtitle.said}) {
        EXPECT_EQ(test::whole(said, "shown"), std::ssize(m.rows)) << said.id();
        EXPECT_EQ(test::whole(said, "all"), std::ssize(m.figures->figures())) << said.id();
    }
}

TEST(NumbersScene, SearchesAndSortsByHand) {
    Listed list;
    list.beat(kRepeatBeat); // of all figures
    list.bench->key(ui::Key::slash);
    ui::Input typed;
    typed.typed = "spec-bench";
    list.bench->frame(typed);
    list.bench->settle();
    EXPECT_EQ(test::words(list.said("subtitle.shown"), "query"), "spec-bench");
    list.beat(kDisputedBeat);
    EXPECT_EQ(test::words(list.said("subtitle.shown"), "query"), "") << "a beat shows what it is about";
    list.beat(kRepeatBeat);
    for (const int falling : {0, 1}) {
        list.bench->click(list.bench->find(falling ? "value ↑" : "value"));
        EXPECT_EQ(test::inner(list.said("table.sorted"), "column").id(), "numbers.column.value");
        EXPECT_EQ(test::whole(list.said("table.sorted"), "falling"), falling);
    }
    EXPECT_TRUE(list.bench->shows("value ↓"));
}

TEST(NumbersScene, ShowsTheFiguresOfOneMethod) {
    Listed list;
    list.beat(kRepeatBeat);
    const ui::Vec2 label = list.bench->find("Method");
    list.bench->click({label.x, label.y + 34}); // the field below it
    list.bench->key(ui::Key::down);
    list.bench->key(ui::Key::enter);
    const std::string method = list.input().figures->methods().front();
    EXPECT_EQ(test::words(list.said("controls.one_method"), "method"), method);
    EXPECT_EQ(test::words(list.said("subtitle.shown"), "method"), method);
    int rows = 0;
    for (const ui::ToldMessage& one : list.told())
        if (one.message.said.text.starts_with("table.row:")) {
            EXPECT_EQ(test::words(one.message.said, "method"), method);
            ++rows;
        }
    EXPECT_EQ(test::whole(list.said("controls.position:one"), "of"), rows);
}

TEST(NumbersScene, MovesThroughTheTableAndExplainsTheChosenFigure) {
    Listed list;
    const auto rows = numbers_model(list.input(), {}).rows;
    EXPECT_TRUE(list.bench->shows("PUBLISHED"));
    list.beat(kRepeatBeat);                                      // of all figures
    for (int i = 0; i < 40; ++i) list.bench->key(ui::Key::down); // beyond what fits: the table follows
    list.bench->settle();
    const auto position = [&](std::int64_t at) {
        EXPECT_EQ(test::whole(list.said("controls.position:one"), "at"), at);
        EXPECT_EQ(test::whole(list.said("controls.position:one"), "of"), std::ssize(rows));
        EXPECT_TRUE(list.bench->shows(std::to_string(at) + " of " + std::to_string(rows.size())));
    };
    position(41);
    for (int i = 0; i < 60; ++i) list.bench->key(ui::Key::up);
    list.bench->settle();
    position(1);
    list.beat(2);
    EXPECT_TRUE(list.says("details.against"));
    list.beat(3);
    EXPECT_EQ(test::whole(list.said("subtitle.shown"), "wrong"), 1);
}

TEST(NumbersScene, SaysWhereAMethodStandsInTheFamily) {
    Listed list;
    list.bench->controller.perform({PickAction{Action::copy_description}}, 0);
    for (const char* id : {"kin.takes", "kin.sequential", "kin.keeps", "kin.published", "kin.served"}) {
        const std::string words = message(list.said(id, "shared")).words();
        EXPECT_NE(list.bench->controller.clipboard.find(words), std::string::npos) << list.bench->controller.clipboard;
        EXPECT_TRUE(list.bench->shows(words)) << words;
    }
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
    EXPECT_EQ(test::whole(list.said("controls.position:one"), "at"), 1);
    EXPECT_EQ(test::whole(list.said("controls.position:one"), "of"), 6);
    EXPECT_TRUE(list.says("title.pairs"));
    list.bench->key(ui::Key::c); // on to the disputed
    EXPECT_NE(test::whole(list.said("controls.position:one"), "of"), 6);
    list.beat(1);
    list.beat(0);
    EXPECT_NE(test::whole(list.said("controls.position:one"), "of"), 6) << "what the user chose stays chosen";
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

TEST(NumbersScene, TheFilterGoesRound) {
    Listed list;
    for (const auto& [disputed, wrong] : {std::pair(1, 0), std::pair(0, 1), std::pair(0, 0)}) {
        list.bench->key(ui::Key::c);
        list.bench->settle();
        EXPECT_EQ(test::whole(list.said("subtitle.shown"), "disputed"), disputed);
        EXPECT_EQ(test::whole(list.said("subtitle.shown"), "wrong"), wrong);
    }
}

// A beat about some of the figures begins with them, and says so.
TEST(NumbersScene, BringsWhatABeatIsAboutToTheTop) {
    for (const Size& s : {Size{1280, 720, "1280x720"}, Size{1600, 1000, "1600x1000"}}) {
        Listed list({0, 0, s.w, s.h});
        list.beat(kCountingBeat);
        for (const char* claim : {"not counted", "token included)", "one known anchor and 15 drafts"})
            EXPECT_TRUE(list.bench->shows(claim)) << s.name << ": " << claim << "\n" << list.bench->words;
        EXPECT_EQ(test::whole(list.said("subtitle.shown"), "counting"), 9);
        list.beat(kRepeatBeat);
        EXPECT_EQ(test::whole(list.said("subtitle.shown"), "repeatable"), std::ssize(figures_of_beat(*list.input().figures, kRepeatBeat)));
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
        const auto about = figures_of_beat(figures, beat);
        EXPECT_GE(about.size(), beat == kCountingBeat ? 9U : 5U) << "a figure of the beat is gone";
        NumbersState state;
        const NumbersModel m = numbers_model(input, state);
        EXPECT_EQ(m.of_beat, static_cast<int>(about.size()));
        EXPECT_TRUE(std::equal(about.begin(), about.end(), m.rows.begin()));
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
    Listed list;
    list.bench->controller.figures = nullptr;
    list.bench->settle();
    for (const char* id : {"missing.title", "missing.subtitle", "missing.text", "details.choose"}) EXPECT_TRUE(list.says(id)) << id;
    EXPECT_TRUE(list.bench->shows(shared_says("figures.none"_t)));
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
