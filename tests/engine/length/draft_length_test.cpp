// K auto as a value: what it chooses from given costs and answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "engine/length/draft_length.h"
#include "kernels/error.h"

namespace speclens {
namespace {

using Way = DraftLength::Way;

// A pass of 50 ms, each further row `row`, a draft token `step`.
DraftCosts costs(double row, double step, double once = 0) {
    DraftCosts costs;
    for (int rows = 1; rows <= 17; ++rows) costs.pass.push_back({rows, 50 + row * (rows - 1)});
    for (int k = 1; k <= 16; ++k) costs.draft.push_back({k, once + step * k});
    return costs;
}

constexpr DraftSize kRoom{.k = 16, .nodes = 16};

// Rounds whose drafts are kept while `keeps(round, place)`; what each asked for.
template <typename Keeps>
std::vector<int> played(DraftLength& length, int rounds, const Keeps& keeps) {
    std::vector<int> asked;
    for (int round = 0; round < rounds; ++round) {
        const DraftSize size = length.next(kRoom);
        asked.push_back(size.k);
        int accepted = 0;
        while (accepted < size.k && keeps(round, accepted)) ++accepted;
        length.saw(size.k, accepted);
    }
    return asked;
}

TEST(DraftLength, DraftsAllItMayWhereAllIsKeptAndCosts) {
    DraftLength length(costs(1, 2), {Way::before, {16, 0}});
    const std::vector<int> asked = played(length, 40, [](int, int) { return true; });
    EXPECT_GE(asked.front(), 2) << "nothing is known: a prior";
    EXPECT_LE(asked.front(), 8);
    EXPECT_EQ(asked.back(), 16);
    EXPECT_GT(length.kept(0, {16, 0}), 0.9);
}

TEST(DraftLength, FindsTheLengthThatIsFastestForAConstantAcceptance) {
    // Every third place is refused: two are kept of each draft, so three cost a row and a step for nothing.
    DraftLength length(costs(5, 10), {Way::before, {16, 0}});
    const std::vector<int> asked = played(length, 120, [](int, int place) { return place < 2; });
    EXPECT_EQ(asked.back(), 2);
    EXPECT_GE(std::ranges::count(std::span(asked).last(40), 2), 35) << "but for a look at the third place now and then";
}

TEST(DraftLength, SpeedIsTokensForTheTimeOfARound) {
    const DraftLength length(costs(1, 2), {Way::before, {16, 0}});
    EXPECT_DOUBLE_EQ(length.speed({0, 0}), 1.0 / 50);
    EXPECT_DOUBLE_EQ(length.speed({2, 0}), (1 + 0.7 + 0.7 * 0.7) / (4 + 52));
}

// Nothing is ever kept: it stops, and looks again after 20, 40, 80 … rounds, with one draft each time.
TEST(DraftLength, StopsWhereNothingIsKeptAndLooksAgainSeldomer) {
    for (const Way way : {Way::before, Way::rows, Way::tree}) {
        DraftLength length(costs(5, 15), {way, {16, way == Way::tree ? 16 : 0}});
        const std::vector<int> asked = played(length, 1400, [](int, int) { return false; });
        std::vector<int> gaps;
        int silent = 0;
        for (const int k : asked) {
            if (k == 0) {
                ++silent;
            } else {
                if (silent > 0) gaps.push_back(silent);
                silent = 0;
            }
        }
        gaps.resize(6);
        EXPECT_EQ(gaps, (std::vector<int>{20, 40, 80, 160, 320, 320})) << static_cast<int>(way);
    }
}

// Even where the prior says that no draft pays: three drafts show that all stay.
TEST(DraftLength, LooksBeforeItStops) {
    DraftLength length(costs(30, 15), {Way::before, {16, 0}});
    const std::vector<int> asked = played(length, 30, [](int, int) { return true; });
    EXPECT_GT(std::ranges::min(asked), 0);
    DraftLength other(costs(60, 60), {Way::before, {16, 0}});
    const std::vector<int> few = played(other, 30, [](int, int) { return false; });
    EXPECT_EQ(std::ranges::count_if(few, [](int k) { return k > 0; }), 3 + 1) << "and one draft after the first wait";
}

// Where not even drafts that all stay pay, it does not look for ever.
TEST(DraftLength, LooksSeldomWhereNothingCanPay) {
    DraftLength length(costs(60, 60), {Way::before, {16, 0}});
    const std::vector<int> asked = played(length, 400, [](int, int) { return true; });
    EXPECT_LE(std::ranges::count_if(asked, [](int k) { return k > 0; }), 3 + 4 * 8);
}

TEST(DraftLength, ComesBackWhenTheTextChanges) {
    for (const Way way : {Way::before, Way::rows}) {
        DraftLength length(costs(2, 5), {way, {16, 0}});
        const std::vector<int> asked = played(length, 400, [](int round, int) { return round >= 100; });
        EXPECT_EQ(asked.back(), 16);
        EXPECT_FALSE(length.waits());
        // It was back within the wait that ran when the text changed, and a few rounds.
        const auto last_silent = std::find(asked.rbegin(), asked.rend(), 0);
        EXPECT_LT(asked.rend() - last_silent, 100 + 170);
    }
}

// A copier that mostly finds nothing is asked anyway: looking costs nothing.
TEST(DraftLength, ACopierIsAskedWhileWhatItCopiesStays) {
    DraftLength length(costs(2, 0), {Way::all_or_none, {16, 0}});
    for (int round = 0; round < 200; ++round) {
        EXPECT_EQ(length.next(kRoom).k, 16);
        const int drafted = round % 7 == 0 ? 5 : 0;
        length.saw(drafted, drafted);
    }
    int asked = 0;
    for (int round = 0; round < 200; ++round) {
        asked += length.next(kRoom).k > 0;
        length.saw(5, 0);
    }
    EXPECT_LT(asked, 60);
}

TEST(DraftLength, ATreeGetsTheNodesThatPay) {
    // Rows are nearly free: all nodes; dear rows: a chain, or less.
    DraftLength cheap(costs(0.01, 5), {Way::tree, {4, 16}}), dear(costs(25, 5), {Way::tree, {4, 16}});
    for (int round = 0; round < 60; ++round)
        for (DraftLength* length : {&cheap, &dear}) {
            const DraftSize size = length->next(kRoom);
            const int most = size.nodes > 8 ? 4 : size.nodes > size.k ? 3 : 1; // the more nodes, the longer the path that stays
            length->saw(size.k, std::min(size.k, most));
        }
    EXPECT_EQ(cheap.next(kRoom).nodes, 16);
    EXPECT_LE(dear.next(kRoom).nodes, 4);
}

TEST(DraftLength, RowsStopWhatTheirMarginsDoNotPromise) {
    DraftLength length(costs(5, 15), {Way::rows, {16, 0}});
    // Clear rows are kept, unclear ones are not, by turns of four rounds.
    int clear_drafts = 0, unclear_drafts = 0, late = 0;
    for (int round = 0; round < 400; ++round) {
        const bool clear = round / 4 % 2 == 0;
        const DraftSize size = length.next(kRoom);
        if (size.k == 0) {
            length.saw(0, 0);
            continue;
        }
        ASSERT_TRUE(length.by_rows());
        int drafted = 0;
        while (drafted < size.k && (drafted == 0 || length.goes_further(drafted, 1)) && length.goes_on(drafted, clear ? 8 : 0.1)) ++drafted;
        length.saw(drafted, clear ? drafted : 0);
        if (round < 200) continue;
        (clear ? clear_drafts : unclear_drafts) += drafted;
        late += clear;
    }
    EXPECT_GT(clear_drafts, 4 * late) << "long where rows are clear";
    EXPECT_LT(unclear_drafts, clear_drafts / 10);
    EXPECT_GT(length.kept_by_margin(8), 0.9);
    EXPECT_LT(length.kept_by_margin(0.1), 0.3);
}

// What others bring to the pass makes rows dear: a pass over many texts is no longer free of them.
TEST(DraftLength, DraftsLessInCompany) {
    DraftCosts steep = costs(1, 2);
    steep.pass = {{1, 50}, {8, 55}, {16, 100}, {64, 400}};
    DraftLength alone(steep, {Way::before, {8, 0}}), among(steep, {Way::before, {8, 0}});
    int last_alone = 0, last_among = 0;
    for (int round = 0; round < 60; ++round) {
        last_alone = alone.next(kRoom, 1).k, alone.saw(last_alone, std::min(last_alone, round % 3));
        last_among = among.next(kRoom, 8).k, among.saw(last_among, std::min(last_among, round % 3));
    }
    EXPECT_GT(last_alone, last_among);
}

TEST(DraftLength, WhatIsWrittenIsAskedForWhateverIsKnown) {
    DraftLength length(costs(1, 2), {Way::rows, {16, 0}, false}, draft_sizes("4*2,0*3,7"));
    std::vector<int> asked;
    for (int round = 0; round < 8; ++round) {
        asked.push_back(length.next({10, 0}).k);
        EXPECT_FALSE(length.by_rows());
        length.saw(asked.back(), 0);
    }
    EXPECT_EQ(asked, (std::vector<int>{4, 4, 0, 0, 0, 7, 10, 10}));
    DraftLength room(costs(1, 2), {Way::before, {16, 0}}, draft_sizes("4*3"));
    EXPECT_EQ(room.next({2, 0}).k, 2);
    EXPECT_EQ(room.next({0, 0}).k, 0);
    EXPECT_EQ(room.next({9, 0}).k, 4);
}

// The same answers give the same lengths, and a copy goes on as the original does.
TEST(DraftLength, IsAValue) {
    DraftLength one(costs(2, 6), {Way::before, {16, 0}});
    const auto keeps = [](int round, int place) { return (round * 7 + place * 3) % 5 != 0; };
    (void)played(one, 50, keeps);
    DraftLength other = one;
    EXPECT_EQ(played(one, 100, keeps), played(other, 100, keeps));
}

// Rows that are all alike, and draws of which the likely ones are kept: what was drawn stops the chain, row by row.
TEST(DraftLength, UnlikelyDrawsStopAChain) {
    constexpr double kLikely = 0.9, kUnlikely = 0.2;
    DraftLength length(costs(5, 15), {Way::rows, {16, 0}});
    double behind_likely = 0, behind_unlikely = 0, likely = 0, unlikely = 0;
    for (int round = 0; round < 600; ++round) {
        const DraftSize size = length.next(kRoom);
        std::vector<double> drawn;
        bool whole = true;
        int kept = 0;
        while (static_cast<int>(drawn.size()) < size.k) {
            const int place = static_cast<int>(drawn.size());
            if (place > 0 && !length.goes_further(place, drawn.back())) break;
            if (!length.goes_on(place, 2)) break;
            if (place > 0 && round >= 300) (drawn.back() == kLikely ? behind_likely : behind_unlikely) += 1;
            drawn.push_back((round * 7 + place * 5) % 4 == 0 ? kUnlikely : kLikely);
            if (round >= 300) (drawn.back() == kLikely ? likely : unlikely) += 1;
            whole = whole && drawn.back() == kLikely;
            kept += whole;
        }
        length.saw(static_cast<int>(drawn.size()), kept, drawn);
    }
    EXPECT_GT(length.kept_by_draw(2, kLikely), 0.9);
    EXPECT_LT(length.kept_by_draw(2, kUnlikely), 0.3);
    EXPECT_DOUBLE_EQ(length.kept_by_draw(2, 1), length.kept_by_margin(2)) << "a certain token says what its row says";
    EXPECT_GT(behind_likely, 0.6 * likely);
    EXPECT_LT(behind_unlikely, 0.2 * unlikely) << "but for the drafts in full";
}

// What a run asked for, given to another that shall go on from there: it knows what the one knew.
TEST(DraftLength, WhatIsWrittenTeachesAsItDidWhereItWasChosen) {
    for (const Way way : {Way::before, Way::tree, Way::all_or_none, Way::rows}) {
        const DraftLength::Limits limits{way, {16, way == Way::tree ? 16 : 0}};
        // Nothing stays, then nearly all: it waits, looks and comes back before the others take over.
        const auto kept = [](int round, int drafted) { return round < 60 ? 0 : std::min(drafted, 3 + round % 3); };
        constexpr int kTaken = 260, kRounds = 330;
        const auto play = [&](DraftLength& length, int from, int to) {
            std::vector<DraftSize> asked;
            for (int round = from; round < to; ++round) {
                DraftSize size = length.next(kRoom);
                if (length.by_rows()) {
                    int drafted = 0;
                    while (drafted < size.k && (drafted == 0 || length.goes_further(drafted, 1)) && length.goes_on(drafted, 3)) ++drafted;
                    size.k = drafted;
                } else {
                    for (int place = 0; place < size.k; ++place) length.told(place, 3);
                }
                asked.push_back(size);
                length.saw(size.k, kept(round, size.k));
            }
            return asked;
        };
        DraftLength original(costs(2, 5), limits);
        const std::vector<DraftSize> before = play(original, 0, kTaken);
        ASSERT_EQ(std::ranges::count(before, DraftSize{}) > 20, true) << "it waited";
        ASSERT_GT(before.back().k, 0) << "and came back";
        DraftLength other(costs(2, 5), limits, before);
        EXPECT_EQ(play(other, 0, kTaken), before);
        EXPECT_FALSE(other.waits());
        const std::vector<DraftSize> own = play(original, kTaken, kRounds), same = play(other, kTaken, kRounds);
        EXPECT_EQ(std::ranges::count(same, DraftSize{}), std::ranges::count(own, DraftSize{})) << static_cast<int>(way);
        if (way != Way::rows) {
            EXPECT_EQ(same, own) << static_cast<int>(way);
        }
    }
}

TEST(DraftLength, ALengthOfATreeWithoutNodesIsWithAllOfThem) {
    DraftLength length(costs(2, 5), {Way::tree, {4, 16}, false}, draft_sizes("3,2:5,0"));
    EXPECT_EQ(length.next(kRoom), (DraftSize{3, 16}));
    EXPECT_EQ(length.next(kRoom), (DraftSize{2, 5}));
    EXPECT_EQ(length.next(kRoom), DraftSize{});
    EXPECT_EQ(length.next(kRoom), (DraftSize{4, 16})) << "behind the list";
}

TEST(DraftLength, SaysWhy) {
    using enum DraftLength::Why;
    DraftLength length(costs(5, 15), {Way::before, {16, 0}}, draft_sizes("2"));
    std::vector<DraftLength::Why> reasons;
    for (int round = 0; round < 30; ++round) {
        const DraftSize size = length.next(kRoom);
        if (reasons.empty() || reasons.back() != length.why()) reasons.push_back(length.why());
        if (length.why() == waits) {
            EXPECT_EQ(length.wait(), reasons.size() < 5 ? 20 : 40);
        }
        length.saw(size.k, 0);
    }
    EXPECT_EQ(reasons, (std::vector{written, first, plain, waits, looks, waits}));
    EXPECT_EQ(length.next({0, 0}).k, 0);
    EXPECT_EQ(length.why(), no_room);
    DraftLength good(costs(1, 2), {Way::before, {16, 0}});
    (void)played(good, 10, [](int, int) { return true; });
    (void)good.next(kRoom);
    EXPECT_EQ(good.why(), pays);
    DraftLength fixed(costs(1, 2), {Way::before, {16, 0}, false});
    (void)fixed.next(kRoom);
    EXPECT_EQ(fixed.why(), most);
}

// What it would choose from: of every depth the fastest tree, and what it asks for is among them.
TEST(DraftLength, ChoosesAmongItsChoices) {
    for (const Way way : {Way::before, Way::tree, Way::rows}) {
        DraftLength length(costs(2, 5), {way, {16, way == Way::tree ? 16 : 0}});
        (void)played(length, 40, [](int round, int place) { return place < 1 + round % 4; });
        const auto choices = length.choices({16, way == Way::tree ? 16 : 0});
        ASSERT_EQ(choices.size(), 16U);
        for (std::size_t i = 0; i < choices.size(); ++i) {
            EXPECT_EQ(choices[i].size.k, static_cast<int>(i) + 1);
            EXPECT_DOUBLE_EQ(choices[i].tokens, length.tokens(choices[i].size));
            EXPECT_DOUBLE_EQ(choices[i].ms, length.ms(choices[i].size));
        }
        const DraftSize next = length.next(kRoom);
        if (way != Way::rows) {
            EXPECT_EQ(next, std::ranges::max(choices, {}, &DraftLength::Choice::speed).size);
        }
    }
}

TEST(DraftSizes, AreReadAndWritten) {
    for (const char* text : {"", "4", "4*3,0*20,2", "3:8*2,0,1:1"}) EXPECT_EQ(text_of(draft_sizes(text)), text);
    EXPECT_EQ(draft_sizes("3:8*2"), (std::vector<DraftSize>{{3, 8}, {3, 8}}));
    for (const char* text : {"x", "4*", "*4", "4*0", "65", "-1", "4:", "4,,2", "4*1000001", "3:8:2"})
        EXPECT_THROW((void)draft_sizes(text), Error) << text;
}

TEST(DraftCosts, LieOnLines) {
    const DraftCosts some{.pass = {{1, 10}, {5, 14}, {9, 22}}, .draft = {{1, 3}, {5, 7}}};
    EXPECT_DOUBLE_EQ(some.pass_ms(1), 10);
    EXPECT_DOUBLE_EQ(some.pass_ms(3), 12);
    EXPECT_DOUBLE_EQ(some.pass_ms(11), 26);
    EXPECT_DOUBLE_EQ(some.draft_ms(0), 0);
    EXPECT_DOUBLE_EQ(some.draft_ms(3), 5);
    EXPECT_DOUBLE_EQ(some.draft_ms(7), 9);
    // Of ten texts at once a pass has ten times as many rows: two points side by side do not foretell it.
    const DraftCosts flat{.pass = {{1, 10}, {8, 24}, {16, 40}, {17, 40}}, .draft = {}},
        edge{.pass = {{1, 10}, {8, 24}, {16, 40}, {17, 60}}, .draft = {}};
    EXPECT_DOUBLE_EQ(flat.pass_ms(53), 40 + 36 * 16.0 / 9);
    EXPECT_DOUBLE_EQ(edge.pass_ms(53), 60 + 36 * 4.0);
    const DraftCosts one{.pass = {{1, 10}}, .draft = {{4, 8}}};
    EXPECT_DOUBLE_EQ(one.pass_ms(7), 10);
    EXPECT_DOUBLE_EQ(one.draft_ms(2), 4);
}

} // namespace
} // namespace speclens
