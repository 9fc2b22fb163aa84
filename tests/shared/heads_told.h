// What the scenes of heads tell alike: tokens, guesses with their distributions, strips of a lens, conditions, charts.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/words.h"
#include "tests/shared/heads_bench.h"
#include "ui/tokens.h"

namespace speclens::heads_told {

using test::all_said;
using test::inner;
using test::list;
using test::maybe;
using test::only_said;
using test::real;
using test::whole;

inline void expect_token_said(const Said& token, const Trace& trace, int id) {
    if (id < 0)
        EXPECT_EQ(token.id(), "shared.words.token:some");
    else if (token.text == "words.token:text")
        EXPECT_EQ(test::words(token, "text"), ui::token_in_text(trace.text(id)));
    else
        EXPECT_EQ(whole(token, "n"), std::ssize(trace.text(id)));
}

inline void expect_shares(const std::vector<Said>& shares, const Trace& trace, const TopEntries& top, std::span<const int> ids) {
    ASSERT_EQ(shares.size(), ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        EXPECT_EQ(shares[i].id(), "shared.guess.share");
        expect_token_said(inner(shares[i], "token"), trace, ids[i]);
        EXPECT_EQ(maybe<double>(shares[i], "p"), listed(top, ids[i]));
    }
}

// `verdict`: what became of it is told, and not kept back.
inline void expect_guess(const Said& guess, const Trace& trace, const DraftSlot& slot, std::span<const int> ids, bool verdict = true) {
    EXPECT_EQ(guess.id(), "shared.guess.told");
    EXPECT_EQ(whole(guess, "id"), slot.draft->token);
    expect_token_said(inner(guess, "token"), trace, slot.draft->token);
    expect_shares(list(guess, "distribution"), trace, at_one(*slot.draft), ids);
    if (!verdict) {
        EXPECT_FALSE(maybe<std::vector<Said>>(guess, "fate").has_value());
        return;
    }
    constexpr const char* kFates[] = {"open", "kept", "refused", "behind"};
    using State = DraftSlot::State;
    const auto fate = slot.state == State::accepted ? 1 : slot.state == State::rejected ? 2 : slot.state == State::discarded ? 3 : 0;
    EXPECT_EQ(inner(guess, "fate").id(), std::string("shared.guess.fate:") + kFates[fate]);
}

inline std::vector<int> likeliest(const DraftSlot& slot, std::size_t most) {
    std::vector<int> ids;
    for (const TopEntries::Entry& entry : at_one(*slot.draft).entries)
        if (ids.size() < most) ids.push_back(entry.id);
    return ids;
}

inline void expect_strip(const Said& said, const Internals::Strip& strip, double scale) {
    EXPECT_EQ(whole(said, "values"), strip.values);
    EXPECT_EQ(whole(said, "cells"), std::ssize(strip.cells));
    EXPECT_EQ(real(said, "low"), strip.low);
    EXPECT_EQ(real(said, "high"), strip.high);
    EXPECT_EQ(maybe<double>(said, "scale"), scale);
}

// Of strips of this kind, in their order.
inline std::vector<Said> strips_of(const ToldFrame& told, const std::string& what) {
    std::vector<Said> found = all_said(told, "shared.strip.told");
    std::erase_if(found, [&](const Said& one) { return inner(one, "what").id() != what; });
    return found;
}

inline void expect_conditions(const ToldFrame& told, const SceneInput& input, const HeadModel& m, bool step) {
    const Said said = only_said(told, "shared.head.conditions");
    EXPECT_EQ(whole(said, "round"), m.round->round + 1);
    EXPECT_EQ(whole(said, "step"), step);
    EXPECT_EQ(whole(said, "at"), m.selected + 1);
    EXPECT_EQ(whole(said, "of"), m.guesses());
    EXPECT_EQ(whole(said, "k"), m.header->k);
    EXPECT_EQ(whole(said, "greedy"), m.header->sampling.temperature == 0);
    EXPECT_EQ(real(said, "temperature"), m.header->sampling.temperature);
    EXPECT_EQ(whole(said, "seed"), static_cast<std::int64_t>(m.header->seed));
    EXPECT_EQ(test::words(said, "instead_of"), m.instead_of);
    if (!step) expect_token_said(inner(said, "anchor"), *input.trace, m.anchor);
    const Said data = only_said(told, "shared.words.data");
    EXPECT_FALSE(test::words(data, "tier").empty());
}

// Of each position how many were judged and how many stayed.
inline void expect_stayed(const ToldFrame& told, const AcceptanceSeries& series, const std::string& name, bool there) {
    std::vector<Said> points = all_said(told, "shared.charts.stayed");
    std::erase_if(points, [&](const Said& one) { return inner(one, "series").id() != name; });
    std::size_t judged = 0;
    for (const int n : series.judged) judged += n > 0;
    if (!there) {
        EXPECT_TRUE(points.empty()) << "one round is no rate";
        return;
    }
    ASSERT_GE(points.size(), judged);
    for (const Said& point : points) {
        const auto at = static_cast<std::size_t>(whole(point, "position")) - 1;
        ASSERT_LT(at, series.judged.size());
        EXPECT_EQ(whole(point, "kept"), series.kept[at]);
        EXPECT_EQ(whole(point, "judged"), series.judged[at]);
    }
}

inline void expect_times(const ToldFrame& told, const std::vector<TimeSeries>& series) {
    std::vector<Said> points = all_said(told, "shared.charts.took");
    std::size_t all = 0;
    for (const TimeSeries& one : series) {
        all += one.points.size();
        for (const auto& [k, ms] : one.points)
            EXPECT_EQ(std::ranges::count_if(points,
                                            [&](const Said& said) {
                                                return inner(said, "series") == one.name.said && whole(said, "guesses") == k &&
                                                       real(said, "ms") == ms;
                                            }),
                      1)
                << one.name << " " << k;
    }
    EXPECT_EQ(points.size(), all);
}

} // namespace speclens::heads_told
