// A chain of drafts as a rule sees it, and what a rule does with it over all drafts and coins, exactly.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "engine/rules/verify.h"

namespace speclens::test {

struct Rows {
    std::vector<int> drafts;
    std::vector<Distribution> p, q;
    std::vector<double> accept, resample;
    RuleParams params = {};
    Verdict run(const char* rule) const {
        Round round;
        round.drafts = drafts;
        round.p = [this](int i) -> const Distribution& { return p[static_cast<std::size_t>(i)]; };
        round.q = [this](int i) -> const Distribution& { return q[static_cast<std::size_t>(i)]; };
        round.p_argmax = [this](int i) { return argmax(p[static_cast<std::size_t>(i)]); };
        round.accept_coin = [this](int i) { return accept[static_cast<std::size_t>(i)]; };
        round.resample_coin = [this](int i) { return resample[static_cast<std::size_t>(i)]; };
        round.params = params;
        round.p_raw = round.p;
        round.q_raw = round.q;
        if (q.size() > drafts.size()) round.after_last = {&q.back(), &q.back()};
        return find_rule(rule)->verify(round);
    }
};

// Weights of all outcomes (accepted, next token) of one draft, exactly: the coins are walked over the
// breakpoints of each decision instead of being sampled.
struct Outcomes {
    std::vector<double> accepted;   // P(tau = i)
    std::vector<Distribution> next; // distribution of the next token given tau = i, unnormalised
};

// For rules that throw one coin per judged draft: every pattern of successes and failures, each with its weight.
inline Outcomes exact_coins(Rows rows, const std::string& rule) {
    const std::size_t k = rows.drafts.size(), vocab = rows.p[0].size();
    Outcomes out{std::vector<double>(k + 1, 0.0), std::vector<Distribution>(k + 1, Distribution(vocab, 0.0))};
    rows.resample.assign(k + 1, 0.5);
    for (unsigned fails = 0; fails < 1u << k; ++fails) {
        for (std::size_t i = 0; i < k; ++i) rows.accept[i] = (fails >> i & 1) != 0 ? std::nextafter(1.0, 0.0) : 0.0;
        const Verdict verdict = rows.run(rule.c_str());
        double weight = 1;
        std::vector<bool> judged(k, false);
        for (const Judgement& check : verdict.checks) {
            const auto node = static_cast<std::size_t>(check.node);
            judged[node] = true;
            weight *= (fails >> node & 1) != 0 ? 1 - check.threshold : check.threshold;
        }
        for (std::size_t i = 0; i < k; ++i)
            if (!judged[i] && (fails >> i & 1) != 0) weight = 0; // a coin that was not thrown: counted once
        const auto accepted = static_cast<std::size_t>(verdict.accepted());
        out.accepted[accepted] += weight;
        for (std::size_t v = 0; v < vocab; ++v) out.next[accepted][v] += weight * verdict.distribution[v];
    }
    return out;
}

inline Outcomes exact_match(Rows rows) {
    const std::size_t k = rows.drafts.size(), vocab = rows.p[0].size();
    Outcomes out{std::vector<double>(k + 1, 0.0), std::vector<Distribution>(k + 1, Distribution(vocab, 0.0))};
    // One coin per row; row r's coin only matters while everything before matched.
    const auto coin_of = [&](std::size_t row, std::size_t token) { // middle of the token's segment
        double before = 0;
        for (std::size_t v = 0; v < token; ++v) before += rows.p[row][v];
        return before + rows.p[row][token] / 2;
    };
    double reach = 1;
    for (std::size_t stop = 0; stop <= k; ++stop) {
        for (std::size_t v = 0; v < vocab; ++v) {
            if (rows.p[stop][v] == 0) continue;
            rows.resample.assign(k + 1, 0.0);
            for (std::size_t i = 0; i < stop; ++i) rows.resample[i] = coin_of(i, static_cast<std::size_t>(rows.drafts[i]));
            rows.resample[stop] = coin_of(stop, v);
            const Verdict verdict = rows.run("match");
            if (verdict.accepted() != static_cast<int>(stop)) continue; // drew the draft itself: goes on
            EXPECT_EQ(verdict.token, static_cast<int>(v));
            out.accepted[stop] += reach * rows.p[stop][v];
            out.next[stop][v] += reach * rows.p[stop][v];
        }
        if (stop < k) reach *= rows.p[stop][static_cast<std::size_t>(rows.drafts[stop])];
    }
    return out;
}

// Distributions that depend on the token before, drawn anew for every pair; three tokens.
struct Chain {
    std::vector<Distribution> p, q; // first row, then after token 0, 1, 2
    explicit Chain(std::uint32_t seed) {
        std::mt19937 random(seed);
        for (std::vector<Distribution>* distributions : {&p, &q})
            for (int row = 0; row < 4; ++row) {
                Distribution distribution(3);
                double sum = 0;
                for (double& value : distribution) sum += value = 1 + static_cast<double>(random() % 64);
                for (double& value : distribution) value /= sum;
                distributions->push_back(distribution);
            }
    }
    [[nodiscard]] Rows rows(const std::vector<int>& drafts) const {
        Rows rows;
        rows.drafts = drafts;
        rows.accept.assign(drafts.size(), 0.0);
        for (std::size_t i = 0; i <= drafts.size(); ++i) {
            const std::size_t row = i == 0 ? 0 : 1 + static_cast<std::size_t>(drafts[i - 1]);
            rows.p.push_back(p[row]);
            if (i < drafts.size()) rows.q.push_back(q[row]);
        }
        return rows;
    }
    // Calls with every draft of k tokens and the probability that the draft says it.
    template <typename Each>
    void each_draft(int k, const Each& each) const {
        for (int code = 0; code < std::pow(3, k); ++code) {
            std::vector<int> drafts;
            double weight = 1;
            for (int i = 0, rest = code; i < k; ++i, rest /= 3) {
                const std::size_t row = i == 0 ? 0 : 1 + static_cast<std::size_t>(drafts.back());
                drafts.push_back(rest % 3);
                weight *= q[row][static_cast<std::size_t>(rest % 3)];
            }
            each(rows(drafts), weight);
        }
    }
    [[nodiscard]] double expected_accepted(const std::string& rule, int k) const {
        double sum = 0;
        each_draft(k, [&](const Rows& rows, double weight) {
            const Outcomes out = exact_coins(rows, rule);
            for (std::size_t tau = 0; tau < out.accepted.size(); ++tau) sum += weight * out.accepted[tau] * static_cast<double>(tau);
        });
        return sum;
    }
};

} // namespace speclens::test
