// Where every token came from and what both models said of it: held against the events themselves, against a forward pass of the target
// over the text, and against the same run with whole distributions recorded.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "engine/account/refused_ranks.h"
#include "engine/account/token_account.h"
#include "engine/batch/scoring.h"
#include "engine/model/model.h"
#include "engine/run/run.h"
#include "engine/run/trace_json.h"
#include "tests/shared/whole_bundle.h"

namespace speclens {
namespace {

struct Case {
    const char *drafter, *rule;
    double temperature;
    int top_k = 0;
    double top_p = 1;
};

std::shared_ptr<const Trace> run_of(const Case& c, int listed) {
    RunSettings settings;
    settings.drafter = c.drafter;
    settings.rule = c.rule;
    settings.k = 4;
    settings.prompt.text = "Write a short poem about the moon.";
    settings.prompt.chat = true;
    settings.max_tokens = 48;
    settings.sampling = {.temperature = c.temperature, .top_k = c.top_k, .top_p = c.top_p};
    settings.seed = 11;
    settings.trace_top = listed;
    speclens::Run run(test::whole_bundle(), settings);
    run.finish();
    return run.shared_trace();
}

std::vector<TokenAccount> accounts_of(const Trace& trace) {
    const RunView view = fold(trace, trace.size());
    std::vector<TokenAccount> all;
    for (const RoundSummary& round : view.round_list)
        for (TokenAccount& account : token_accounts(round, *view.header)) all.push_back(std::move(account));
    return all;
}

// What the target says of each token of the text, by passes over sixteen tokens each.
std::vector<ScoredToken> scored(const Trace& trace) {
    std::vector<int> tokens = trace.header()->prompt;
    const std::size_t prompt = tokens.size();
    for (std::size_t i = 0; i < trace.size(); ++i)
        if (const auto* commit = std::get_if<Committed>(&trace[i]))
            tokens.insert(tokens.end(), commit->tokens.begin(), commit->tokens.end());
    const auto decoder = make_model_decoder(test::whole_bundle()->target, static_cast<int>(tokens.size()));
    std::vector<ScoredToken> scores;
    for (std::size_t from = 0; from + 1 < tokens.size();) {
        const std::size_t count = std::min<std::size_t>(16, tokens.size() - 1 - from);
        PassRows& rows = decoder->forward({.tokens = std::span(tokens).subspan(from, count)});
        for (std::size_t row = 0; row < count; ++row)
            if (from + row + 1 >= prompt)
                scores.push_back(scored_token(rows.distribution(static_cast<int>(row), kRawSampling), tokens[from + row + 1], 5));
        from += count;
    }
    return scores;
}

constexpr Case kCases[] = {{"small", "token", 0},          {"small", "token", 1},    {"small", "token", 0.7, 50, 0.9},
                           {"domino", "block", 0.8},       {"eagle3", "match", 1},   {"small_tree", "tree_wor", 1},
                           {"small_tree", "tree_topk", 0}, {"lookup", "token", 0.8}, {"none", "token", 1}};

std::string name_of_case(const Case& c) { return std::string(c.drafter) + " " + c.rule + " at " + std::to_string(c.temperature); }

TEST(TokenAccount, TellsEveryTokenOnceAndAsTheEventsHaveIt) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(name_of_case(c));
        const auto trace = run_of(c, 20);
        const std::vector<TokenAccount> accounts = accounts_of(*trace);
        std::size_t at = 0;
        int drafted = 0, judged_behind = 0; // of the round: draft tokens, and those that were refused behind the last kept one
        std::vector<int> kept;
        for (std::size_t i = 0; i < trace->size(); ++i) {
            const Event& event = (*trace)[i];
            if (std::holds_alternative<Drafted>(event)) ++drafted;
            if (const auto* check = std::get_if<Checked>(&event)) {
                if (check->accepted)
                    kept.push_back(check->token), judged_behind = 0;
                else
                    ++judged_behind;
            }
            const auto* commit = std::get_if<Committed>(&event);
            if (!commit) continue;
            for (std::size_t t = 0; t < commit->tokens.size(); ++t, ++at) {
                ASSERT_LT(at, accounts.size());
                const TokenAccount& account = accounts[at];
                const bool own = static_cast<int>(t) >= commit->accepted_drafts;
                EXPECT_EQ(account.token, commit->tokens[t]);
                EXPECT_EQ(account.round, commit->round);
                EXPECT_EQ(account.place, static_cast<int>(t) + 1);
                const TokenRole role = !own                ? TokenRole::accepted
                                       : judged_behind > 0 ? TokenRole::recovered
                                       : drafted > 0       ? TokenRole::bonus
                                                           : TokenRole::plain;
                EXPECT_EQ(name_of(account.role), std::string(name_of(role))) << at;
                EXPECT_EQ(account.refused.has_value(), role == TokenRole::recovered);
                if (role == TokenRole::accepted) {
                    EXPECT_EQ(account.token, kept[t]);
                }
            }
            drafted = judged_behind = 0;
            kept.clear();
        }
        EXPECT_EQ(at, accounts.size());
        EXPECT_GT(at, 20U);
    }
}

TEST(TokenAccount, TellsWhatTheTargetSaysOfTheText) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(name_of_case(c));
        for (const int listed : {1, 20}) { // what is not among them is worked out from its ratio to one that is
            const auto trace = run_of(c, listed);
            const std::vector<TokenAccount> accounts = accounts_of(*trace);
            const std::vector<ScoredToken> scores = scored(*trace);
            ASSERT_EQ(accounts.size(), scores.size());
            for (std::size_t i = 0; i < scores.size(); ++i) {
                ASSERT_TRUE(accounts[i].target_logp.has_value()) << i;
                EXPECT_NEAR(*accounts[i].target_logp, scores[i].logp, 1e-5) << i;
                ASSERT_NE(accounts[i].likeliest, nullptr);
                EXPECT_EQ(accounts[i].likeliest->entries.front().id, scores[i].top.entries.front().id);
                EXPECT_NEAR(accounts[i].likeliest->entries.front().logp, scores[i].top.entries.front().logp, 1e-5);
            }
        }
    }
}

// With whole distributions nothing has to be worked out: the same figures, and every rank.
TEST(TokenAccount, TellsTheSameFromListsAsFromWholeDistributions) {
    constexpr int kListed = 2;
    int unlisted = 0, refused = 0;
    for (const Case& c : kCases) {
        SCOPED_TRACE(name_of_case(c));
        const auto lists = run_of(c, kListed), whole = run_of(c, -1);
        const std::vector<TokenAccount> some = accounts_of(*lists), all = accounts_of(*whole);
        ASSERT_EQ(some.size(), all.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            EXPECT_EQ(some[i].token, all[i].token);
            EXPECT_NEAR(*some[i].target_logp, *all[i].target_logp, 1e-5);
            if (some[i].role == TokenRole::accepted) {
                ASSERT_TRUE(some[i].draft_logp && all[i].draft_logp);
                EXPECT_NEAR(*some[i].draft_logp, *all[i].draft_logp, 1e-5);
            }
            if (!all[i].refused) continue;
            ++refused;
            const RefusedDraft &short_list = *some[i].refused, &long_list = *all[i].refused;
            EXPECT_EQ(short_list.token, long_list.token);
            const bool has_list = std::string(c.drafter) != "lookup";
            EXPECT_EQ(long_list.listed > 0, has_list);
            if (!has_list) {
                EXPECT_FALSE(long_list.rank.has_value()) << "copied tokens have no list";
                continue;
            }
            EXPECT_LE(short_list.listed, kListed);
            if (!long_list.rank) { // a head that ranks some ids alone
                EXPECT_FALSE(short_list.rank.has_value());
                continue;
            }
            unlisted += *long_list.rank > kListed;
            EXPECT_EQ(short_list.rank, *long_list.rank <= kListed ? long_list.rank : std::nullopt);
            if (short_list.rank && !short_list.before) {
                EXPECT_TRUE(some[i].draft_logp.has_value());
            }
        }
    }
    EXPECT_GT(unlisted, 0) << "else nothing was said of tokens further down";
    EXPECT_GT(refused, 30);
}

TEST(TokenAccount, IsTheSameOfASavedRun) {
    for (const Case& c : kCases) {
        SCOPED_TRACE(name_of_case(c));
        const auto trace = run_of(c, 20);
        TraceWriter writer(*trace);
        std::string file;
        for (std::size_t i = 0; i < trace->size(); ++i) file += writer.line((*trace)[i]) + "\n";
        std::istringstream in(file);
        const std::shared_ptr<Trace> saved = read_trace(in, "saved");
        const std::vector<TokenAccount> here = accounts_of(*trace), there = accounts_of(*saved);
        ASSERT_EQ(here.size(), there.size());
        for (std::size_t i = 0; i < here.size(); ++i) {
            EXPECT_EQ(here[i].role, there[i].role);
            EXPECT_EQ(here[i].draft_logp, there[i].draft_logp);
            EXPECT_EQ(here[i].target_logp, there[i].target_logp);
            ASSERT_EQ(here[i].refused.has_value(), there[i].refused.has_value());
            if (here[i].refused) {
                EXPECT_EQ(here[i].refused->rank, there[i].refused->rank);
                EXPECT_EQ(here[i].refused->draft_logp, there[i].refused->draft_logp);
                EXPECT_EQ(here[i].refused->target_logp, there[i].refused->target_logp);
                EXPECT_EQ(here[i].refused->listed, there[i].refused->listed);
            }
        }
        EXPECT_EQ(ranks_json(refused_ranks(fold(*trace, trace->size()))).dump(),
                  ranks_json(refused_ranks(fold(*saved, saved->size()))).dump());
    }
}

// Without lists the roles stand, and nothing else is claimed.
TEST(TokenAccount, ClaimsNothingThatWasNotRecorded) {
    for (const TokenAccount& account : accounts_of(*run_of({"small", "token", 0.7}, 0))) {
        EXPECT_FALSE(account.draft_logp.has_value());
        EXPECT_FALSE(account.target_logp.has_value());
        EXPECT_EQ(account.likeliest, nullptr);
        if (account.refused) {
            EXPECT_EQ(account.refused->listed, 0);
            EXPECT_FALSE(account.refused->rank.has_value());
        }
    }
}

// ---- wider or deeper ----

// Rounds of K = 3 that keep `kept`; where one is refused, the target's token has this rank in the draft's list.
struct Made {
    int kept = 0, rank = 0;
};
std::shared_ptr<Trace> made(const std::vector<Made>& rounds, bool listed = true) {
    auto trace = std::make_shared<Trace>([](int id) { return std::to_string(id); });
    Header header;
    header.drafter = "small";
    header.k = 3;
    header.vocab = 100;
    header.prompt = {1};
    trace->append(header);
    for (std::size_t r = 0; r < rounds.size(); ++r) {
        const int round = static_cast<int>(r);
        TopEntries list;
        for (int i = 0; i < (listed ? 8 : 1); ++i) list.entries.push_back({10 + i, -0.5 - i});
        list.rest = listed ? 0.01 : 0;
        for (int i = 0; i < 3; ++i) {
            Drafted draft;
            draft.round = round, draft.index = i, draft.parent = i - 1, draft.token = 10, draft.top = list;
            trace->append(draft);
        }
        trace->append(Verified{.round = round, .rows = 4});
        for (int i = 0; i < std::min(rounds[r].kept + 1, 3); ++i) {
            Checked check;
            check.round = round, check.index = i, check.token = 10, check.accepted = i < rounds[r].kept;
            trace->append(check);
        }
        TargetToken own;
        own.round = round, own.token = rounds[r].kept == 3 ? 5 : 9 + rounds[r].rank;
        trace->append(own);
        Committed commit;
        commit.round = round, commit.accepted_drafts = rounds[r].kept;
        commit.tokens.assign(static_cast<std::size_t>(rounds[r].kept), 10);
        commit.tokens.push_back(own.token);
        trace->append(commit);
    }
    return trace;
}

RefusedRanks ranks_of(const std::vector<Made>& rounds, bool listed = true) {
    const auto trace = made(rounds, listed);
    return refused_ranks(fold(*trace, trace->size()));
}

std::vector<Made> repeated(const std::vector<std::pair<int, Made>>& parts) {
    std::vector<Made> all;
    for (const auto& [times, one] : parts) all.insert(all.end(), static_cast<std::size_t>(times), one);
    return all;
}

TEST(WiderOrDeeper, CountsRanksByPlace) {
    const RefusedRanks ranks = ranks_of({{0, 2}, {0, 2}, {0, 5}, {1, 12}, {2, 2}, {2, 8}, {3, 0}, {3, 0}});
    EXPECT_EQ(ranks.rounds, 8);
    EXPECT_EQ(ranks.last_judged, 4);
    EXPECT_EQ(ranks.last_kept, 2);
    EXPECT_EQ(ranks.refused(), 6);
    EXPECT_EQ(ranks.listed(), 6);
    ASSERT_EQ(ranks.places.size(), 3U);
    EXPECT_EQ(ranks.places[0].ranks, (std::array<int, 9>{0, 2, 0, 0, 1, 0, 0, 0, 0}));
    EXPECT_EQ(ranks.places[1].ranks, (std::array<int, 9>{0, 0, 0, 0, 0, 0, 0, 0, 1})) << "not in the list";
    EXPECT_EQ(ranks.places[2].ranks, (std::array<int, 9>{0, 1, 0, 0, 0, 0, 0, 1, 0}));
    EXPECT_EQ(ranks.places[0].next, 2);
    EXPECT_EQ(ranks.places[1].next, 0);
    EXPECT_EQ(ranks.places[2].next, 1);
    EXPECT_EQ(wider_or_deeper(ranks).kind, WiderOrDeeper::Kind::not_told) << "eight rounds";
}

TEST(WiderOrDeeper, SaysWhatOneMoreWouldBring) {
    // Half of the rounds are refused at once, and the token is the next choice; few are kept whole.
    const WiderOrDeeper wide = wider_or_deeper(ranks_of(repeated({{200, {0, 2}}, {100, {1, 7}}, {80, {2, 9}}, {20, {3, 0}}})));
    EXPECT_EQ(wide.kind, WiderOrDeeper::Kind::wider);
    EXPECT_EQ(wide.place, 1);
    EXPECT_DOUBLE_EQ(wide.wider, 0.5);
    EXPECT_DOUBLE_EQ(wide.deeper, 0.05 * 20 / 100);
    EXPECT_DOUBLE_EQ(wide.next, 200.0 / 380);
    EXPECT_EQ(wide.rounds, 400);
    const WiderOrDeeper deep = wider_or_deeper(ranks_of(repeated({{20, {0, 2}}, {10, {1, 7}}, {20, {2, 9}}, {350, {3, 0}}})));
    EXPECT_EQ(deep.kind, WiderOrDeeper::Kind::deeper);
    EXPECT_DOUBLE_EQ(deep.wider, 0.05);
    EXPECT_DOUBLE_EQ(deep.deeper, 350.0 / 400 * 350 / 370);
    const auto close = repeated({{12, {0, 2}}, {10, {1, 7}}, {6, {2, 9}}, {12, {3, 0}}}); // .3 against .2
    EXPECT_EQ(wider_or_deeper(ranks_of(close)).kind, WiderOrDeeper::Kind::alike);
    EXPECT_EQ(wider_or_deeper(ranks_of(repeated({{200, {0, 2}}}), false)).kind, WiderOrDeeper::Kind::not_told) << "no list";
    const OrderedJson json = ranks_json(ranks_of(repeated({{200, {0, 2}}, {200, {3, 0}}})));
    EXPECT_EQ(json["verdict"], "alike") << "half and half";
    EXPECT_EQ(json["wider_at"], 1);
    EXPECT_EQ(json["wider_tokens"], 0.5);
    EXPECT_EQ(json["places"].size(), 1U);
    EXPECT_TRUE(ranks_json({}).is_null());
    EXPECT_TRUE(ranks_json(ranks_of({{0, 2}}))["wider_tokens"].is_null());
}

// Counted by hand from the lists of a run.
TEST(WiderOrDeeper, CountsTheNextChoiceAsTheListsHaveIt) {
    const auto trace = run_of({"small", "token", 0}, 8);
    const RunView view = fold(*trace, trace->size());
    const RefusedRanks ranks = refused_ranks(view);
    int second = 0, refused = 0; // by hand: the token that was written is the second of the list at that place
    for (const RoundSummary& round : view.round_list) {
        if (round.path.size() >= round.drafts.size() || round.drafts.empty()) continue;
        ++refused;
        const Drafted& draft = *round.drafts[round.path.size()].draft;
        second += draft.raw_top.entries.at(1).id == round.resample->token;
    }
    int next = 0;
    for (const RefusedRanks::Place& place : ranks.places) next += place.next;
    EXPECT_EQ(next, second);
    EXPECT_EQ(ranks.refused(), refused);
}

} // namespace
} // namespace speclens
