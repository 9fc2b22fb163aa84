// The meter of greedy texts: its arithmetic over made-up servers, and the whole of it against servers with a fault planted in them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <random>
#include <set>

#include "engine/base/json_read.h"
#include "kernels/error.h"
#include "remote/client/probe.h"
#include "remote/same/same_measure.h"
#include "remote/same/same_words.h"
#include "remote/same/server_arm.h"
#include "remote/same/started_server.h"
#include "tests/shared/eventually.h"
#include "tests/shared/listening.h"
#include "tests/shared/toy_server.h"
#include "ui/stories/story_book.h"

namespace speclens::test {
namespace {

using Dialect = ToyBehaviour::Dialect;
using Planted = ToyBehaviour::Planted;

std::string said(const SameSummary& summary) { return message(summary.sentence); }

// ---- forks ----

GreedyAnswer same_answer(const std::string& text, std::vector<int> ids = {}) {
    GreedyAnswer answer;
    answer.text = text;
    answer.ids = std::move(ids);
    return answer;
}

Reread listed(std::vector<ListedToken> tokens) {
    Reread reread;
    reread.listed = std::move(tokens);
    return reread;
}

ForkBranch branch(int id) {
    ForkBranch b;
    b.id = id;
    b.rest = " x";
    return b;
}

std::vector<Reread> repeated(double margin, double spread) {
    std::vector<Reread> repeats;
    for (const double off : {-0.5, 0.0, 0.0, 0.5}) repeats.push_back(listed({{1, "", -0.5}, {2, "", -0.5 - margin - off * spread}}));
    return repeats;
}

TEST(SameFork, IsWhereTheTokensPart) {
    const TextFork fork = fork_of(same_answer("The moon is", {1, 2, 3}), same_answer("The moor is", {1, 4, 3}));
    EXPECT_EQ(fork.bytes, 7u);
    EXPECT_EQ(fork.tokens, 1);
    EXPECT_EQ(fork.a.id, 2);
    EXPECT_EQ(fork.b.rest, "r is");
    const TextFork letters = fork_of(same_answer("a\xC3\xA4"), same_answer("a\xC3\xB6"));
    EXPECT_EQ(letters.bytes, 1u) << "a character is whole";
    EXPECT_FALSE(letters.tokens);
    const TextFork end = fork_of(same_answer("ab", {1, 2}), same_answer("abc", {1, 2, 3}));
    EXPECT_TRUE(end.a.ended);
    EXPECT_FALSE(end.a.id);
    EXPECT_EQ(end.b.id, 3);
}

TEST(SameFork, IsJudgedByTheMarginOfTheTextBeforeIt) {
    const auto kind = [](double margin, double spread = 0) { return judge_fork(repeated(margin, spread), branch(1), branch(2)).kind; };
    EXPECT_EQ(kind(0), ForkKind::near_tie);
    EXPECT_EQ(kind(0.0199), ForkKind::near_tie);
    EXPECT_EQ(kind(0.021), ForkKind::larger);
    EXPECT_EQ(kind(0.2, 0.08), ForkKind::near_tie) << "three times what its repeats spread";
    EXPECT_EQ(kind(0.2, 0.06), ForkKind::larger);
    EXPECT_EQ(kind(0.99), ForkKind::larger);
    EXPECT_EQ(kind(1.01), ForkKind::mistake);
    EXPECT_EQ(kind(1.2, 0.5), ForkKind::larger) << "it spreads too much to be accused, and is no tie";
    std::vector<Reread> few = repeated(0.001, 0);
    few.pop_back();
    EXPECT_EQ(judge_fork(few, branch(1), branch(2)).kind, ForkKind::not_told);
    EXPECT_EQ(judge_fork({}, branch(1), branch(2)).kind, ForkKind::not_told);
    EXPECT_EQ(judge_fork(repeated(3, 0), branch(1), branch(2)).side, Side::a);
    EXPECT_EQ(judge_fork(repeated(3, 0), branch(2), branch(1)).side, Side::b);
    EXPECT_EQ(judge_fork(repeated(3, 0), branch(7), branch(2)).side, Side::neither);
}

TEST(SameFork, ATokenThatIsNotListedIsAtLeastSoFar) {
    const Reread list = listed({{1, "", -0.1}, {2, "", -0.4}, {3, "", -3.0}});
    const auto margin = margin_of(list, branch(1), branch(9));
    ASSERT_TRUE(margin);
    EXPECT_NEAR(margin->nats, 2.9, 1e-12);
    EXPECT_TRUE(margin->at_least);
    EXPECT_FALSE(margin_of(list, branch(8), branch(9))) << "nothing is said of either";
    EXPECT_FALSE(margin_of(Reread{}, branch(1), branch(2)));
    const std::vector<Reread> far(4, list), near(4, listed({{1, "", -0.1}, {2, "", -0.4}}));
    EXPECT_EQ(judge_fork(far, branch(1), branch(9)).kind, ForkKind::mistake);
    EXPECT_EQ(judge_fork(near, branch(1), branch(9)).kind, ForkKind::not_told) << "at least .3 nats";
    // Neither of the two is the best one: the worse of them counts.
    EXPECT_NEAR(margin_of(list, branch(2), branch(3))->nats, 2.9, 1e-12);
}

TEST(SameFork, TheEndOfATextIsAChoiceToo) {
    ForkBranch end;
    end.ended = true;
    ForkBranch goes_on;
    goes_on.rest = " on and on";
    const auto margin = [&](std::vector<ListedToken> tokens) { return margin_of(listed(std::move(tokens)), goes_on, end); };
    const auto best = margin({{-1, "</s>", -0.1}, {-1, " on", -2.1}, {-1, " o", -5}});
    ASSERT_TRUE(best);
    EXPECT_NEAR(best->nats, 2.0, 1e-12) << "the longest token that the text goes on with";
    EXPECT_FALSE(best->at_least);
    const auto second = margin({{-1, " on", -0.1}, {-1, "</s>", -0.11}});
    ASSERT_TRUE(second);
    EXPECT_NEAR(second->nats, 0.01, 1e-12);
    EXPECT_TRUE(second->at_least) << "which of the others ends a text is not told";
}

TEST(SameFork, WithoutProbabilitiesOnlyTheSideIsTold) {
    Reread reread;
    reread.written = {2, "", 0};
    const JudgedFork judged = judge_fork(std::vector<Reread>(4, reread), branch(1), branch(2));
    EXPECT_EQ(judged.kind, ForkKind::not_told);
    EXPECT_EQ(judged.side, Side::b);
    EXPECT_FALSE(judged.margin);
}

TEST(SameFork, OfTwoServersTheMilderCounts) {
    const JudgedFork far = judge_fork(repeated(3, 0), branch(1), branch(2)), near = judge_fork(repeated(0.01, 0), branch(1), branch(2));
    EXPECT_EQ(milder(far, near).kind, ForkKind::near_tie);
    EXPECT_EQ(milder(near, far).kind, ForkKind::near_tie);
    EXPECT_EQ(milder(JudgedFork{}, far).kind, ForkKind::mistake);
    EXPECT_EQ(milder(far, JudgedFork{}).kind, ForkKind::mistake);
}

// ---- arithmetic ----

GreedyAnswer made(int text, std::optional<double> drafted = {}) {
    GreedyAnswer answer = same_answer("text " + std::to_string(text));
    answer.drafted = drafted;
    return answer;
}

// Answers by `write(arm, prompt)`, which draws.
template <class Write>
SameMeasured made_measurement(int prompts, int repeats, const Write& write, std::size_t arms = 2) {
    SameMeasured m;
    for (std::size_t arm = 0; arm < arms; ++arm) {
        m.arms.push_back({server_arm_name("arm " + std::to_string(arm)), {}, {}});
        for (int p = 0; p < prompts; ++p) {
            m.arms[arm].answers.emplace_back();
            for (int r = 0; r < repeats; ++r) m.arms[arm].answers.back().push_back(made(write(arm, p)));
        }
    }
    for (int p = 0; p < prompts; ++p) m.prompts.push_back("prompt " + std::to_string(p));
    return m;
}

// Servers that write another text with a chance of their own by prompt, and of which the second changes some texts besides. The
// interval has to hold the truth, and a server that is as noisy in both arms is not accused.
TEST(SameArithmetic, TheIntervalHoldsTheTruthWhateverTheNoise) {
    constexpr int kServers = 3000;
    std::mt19937_64 dice(56);
    std::uniform_real_distribution<double> part(0, 1);
    int held = 0, equal = 0, accused = 0, above = 0;
    double bias = 0;
    for (int server = 0; server < kServers; ++server) {
        const int prompts = 8 + static_cast<int>(dice() % 60), repeats = 2 + static_cast<int>(dice() % 4);
        const double noise = server % 3 == 0 ? 0 : part(dice), changed = server % 2 == 0 ? 0 : part(dice);
        // By prompt: the chance of a second text, of which every server has one, and whether drafts change it to a third.
        std::vector<double> chance;
        std::vector<char> moved;
        for (int p = 0; p < prompts; ++p) chance.push_back(noise * part(dice)), moved.push_back(part(dice) < changed);
        const SameMeasured m = made_measurement(prompts, repeats, [&](std::size_t arm, int p) {
            const auto at = static_cast<std::size_t>(p);
            return part(dice) < chance[at] ? 1 : arm == 1 && moved[at] ? 2 : 0;
        });
        // Half of the squared distance of the two distributions, over all prompts that there might be: of a moved one (1 − chance)².
        const double truth = changed * (1 - noise + noise * noise / 3);
        const ArmPair pair = compare_arms(m, 1);
        bias += (pair.excess - truth) / kServers;
        held += pair.low <= truth && truth <= pair.high;
        EXPECT_LE(pair.low, pair.excess);
        EXPECT_GE(pair.high, pair.excess);
        const SameSummary summary = summarize(m);
        if (changed == 0) {
            ++equal;
            above += pair.low > 0;
            accused += summary.verdict == SameVerdict::mistake;
            if (noise == 0) {
                EXPECT_EQ(summary.verdict, SameVerdict::same);
            }
        }
        if (pair.noisy()) {
            EXPECT_EQ(summary.verdict, SameVerdict::undecided);
        }
    }
    EXPECT_NEAR(bias, 0, 0.01);
    EXPECT_GE(held, kServers * 94 / 100);
    EXPECT_EQ(accused, 0);
    EXPECT_LE(above, equal * 25 / 1000) << "of " << equal;
}

// The verdict over random forks: what is called is what the bounds say, in every order and mixture.
TEST(SameArithmetic, TheVerdictFollowsTheWorstOfItsForks) {
    std::mt19937_64 dice(7);
    std::uniform_real_distribution<double> part(0, 1);
    std::array<int, 4> seen{};
    for (int round = 0; round < 2000; ++round) {
        const int prompts = 1 + static_cast<int>(dice() % 30), forks = static_cast<int>(dice() % 4);
        SameMeasured m = made_measurement(prompts, 2, [&](std::size_t arm, int p) { return arm == 1 && p < forks ? 1 : 0; });
        const bool noisy = dice() % 5 == 0;
        if (noisy) m.arms[dice() % 2].answers.back().back() = made(9);
        bool mistake = false, open = false, near = false;
        for (int p = 0; p < std::min(forks, prompts); ++p) {
            const double margin = std::exp(-8 + 10 * part(dice)), spread = dice() % 2 ? 0 : 0.05 * part(dice);
            ForkRecord record;
            record.prompt = static_cast<std::size_t>(p), record.arm = 1, record.length = 10;
            record.fork = fork_of(m.arms[0].answers[record.prompt][0], m.arms[1].answers[record.prompt][0]);
            record.judged = judge_fork(repeated(margin, spread), branch(1), branch(2));
            const double bound = std::max(kNearTie, kSpreads * spread);
            mistake = mistake || margin > kMistake;
            near = near || margin <= bound;
            open = open || (margin > bound && margin <= kMistake);
            m.forks.push_back(record);
        }
        const SameSummary summary = summarize(m);
        ++seen[static_cast<std::size_t>(summary.verdict)];
        const SameVerdict right = noisy && prompts > 0 ? SameVerdict::undecided
                                  : mistake            ? SameVerdict::mistake
                                  : open               ? SameVerdict::undecided
                                  : near               ? SameVerdict::near_ties
                                                       : SameVerdict::same;
        ASSERT_EQ(summary.verdict, right) << said(summary);
        const ArmPair& pair = summary.pairs.at(0);
        int in_bins = 0, in_kinds = 0;
        for (const int n : pair.margins) in_bins += n;
        for (const int n : pair.kinds) in_kinds += n;
        EXPECT_EQ(in_bins, std::min(forks, prompts));
        EXPECT_EQ(in_kinds, in_bins);
        const Json json = Json::parse(same_json(m, summary, message));
        EXPECT_EQ(json["schema"], "speclens-same/1");
        EXPECT_EQ(json["exit_status"], static_cast<int>(summary.verdict));
        EXPECT_EQ(json["verdict"], name_of(summary.verdict));
    }
    for (const int n : seen) EXPECT_GT(n, 50);
}

TEST(SameArithmetic, WhatTheAnswersDraftedDecides) {
    const auto drafted = [](std::optional<double> first, std::optional<double> second, SameCompare compare) {
        SameMeasured m = made_measurement(3, 2, [](std::size_t, int) { return 0; });
        m.compare = compare;
        for (auto& answers : m.arms[0].answers)
            for (GreedyAnswer& one : answers) one.drafted = first;
        for (auto& answers : m.arms[1].answers)
            for (GreedyAnswer& one : answers) one.drafted = second;
        return summarize(m);
    };
    EXPECT_EQ(drafted(0, 8, SameCompare::drafts_off).verdict, SameVerdict::same);
    EXPECT_NE(said(drafted(8, 8, SameCompare::drafts_off)).find("drafts whatever it is asked"), std::string::npos);
    EXPECT_NE(said(drafted(0, 0, SameCompare::drafts_off)).find("nothing was drafted"), std::string::npos);
    EXPECT_NE(said(drafted(0, {}, SameCompare::drafts_off)).find("do not tell"), std::string::npos);
    EXPECT_NE(said(drafted(8, 8, SameCompare::lengths)).find("drafted alike"), std::string::npos);
    EXPECT_EQ(drafted(8, 8, SameCompare::lengths).verdict, SameVerdict::undecided);
    EXPECT_EQ(drafted({}, {}, SameCompare::started).verdict, SameVerdict::same) << "each was started with its length";
    EXPECT_EQ(drafted({}, {}, SameCompare::servers).verdict, SameVerdict::same);
    EXPECT_EQ(drafted(8, 8, SameCompare::servers).verdict, SameVerdict::same) << "two servers are compared, whatever they draft";
}

// The table that is made by hand (ggml-org/llama.cpp issue 27407): widths that agree with each other.
TEST(SameArithmetic, GroupsLengthsWithEqualTexts) {
    const std::vector<int> writes = {0, 1, 1, 2, 2, 0};
    const SameMeasured m = made_measurement(
        25, 2, [&](std::size_t arm, int p) { return p % 4 == 0 ? writes[arm] : 0; }, writes.size());
    EXPECT_EQ(equal_arms(m), (std::vector<std::vector<std::size_t>>{{0, 5}, {1, 2}, {3, 4}}));
    EXPECT_EQ(summarize(m).groups.size(), 3u);
    SameMeasured noisy = m;
    noisy.arms[2].answers[1].back() = made(9);
    EXPECT_TRUE(equal_arms(noisy).empty());
}

TEST(SameArithmetic, NothingMeasuredIsNothingDecided) {
    SameMeasured m = made_measurement(0, 2, [](std::size_t, int) { return 0; });
    EXPECT_EQ(summarize(m).verdict, SameVerdict::undecided);
    m = made_measurement(4, 2, [](std::size_t, int) { return 0; });
    m.read_apart = {1};
    EXPECT_NE(said(summarize(m)).find("different token ids"), std::string::npos);
}

// ---- words ----

// A text that is missing, one that nobody asks for, a value that is not offered or written as another kind is an error of read_stories().
TEST(SameWords, AreWholeInBothLanguages) {
    const std::filesystem::path stories = std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "stories";
    for (const char* language : {"", "de"}) {
        SCOPED_TRACE(language);
        std::vector<std::string> problems, missing;
        const StoryLayer layer = read_stories(stories / language, &problems);
        for (const std::string& problem : problems) EXPECT_EQ(problem.find("same.toml"), std::string::npos) << problem;
        ASSERT_TRUE(layer.scenes.contains("same"));
        int texts = 0;
        each_text(layer, [&](const std::string& name, const StoryText* text) {
            if (!name.starts_with("same.toml")) return;
            ++texts;
            if (!text) missing.push_back(name);
        });
        EXPECT_EQ(missing, std::vector<std::string>());
        EXPECT_GT(texts, 40);
    }
}

TEST(SameWords, SayTheirNumbersInGermanToo) {
    const StoryBook book = load_stories(std::filesystem::path(SPEC_SOURCE_DIR) / "assets/stories", "de", "", Broken::left_out);
    SameMeasured m = made_measurement(
        25, 2, [](std::size_t arm, int p) { return p < 3 ? static_cast<int>(arm) : 0; }, 3);
    for (int p = 0; p < 3; ++p) {
        ForkRecord record;
        record.prompt = static_cast<std::size_t>(p), record.arm = 1, record.length = 100;
        record.fork = fork_of(same_answer("The moon is", {1, 2, 3}), same_answer("The moor is", {1, 4, 3}));
        record.judged = judge_fork(repeated(p < 2 ? 0.014 : 2.5, 0), branch(2), branch(1));
        m.forks.push_back(record);
    }
    const SameSummary summary = summarize(m);
    EXPECT_EQ(summary.sentence.id(), "same.verdict.mistake");
    EXPECT_EQ(book.say(summary.sentence).substr(0, 41), "Ein Fehler: 1 Text trennt sich, wo der Te");
    const auto pair = pair_said(m, summary.pairs.at(0));
    ASSERT_EQ(pair.size(), 3U);
    EXPECT_EQ(book.say(pair[0]),
              "arm 1: 3 von 25 Texten anders (95 %: 4 bis 30 % solcher Prompts), ab Token 2 (Median), nach 7 % des Textes.");
    EXPECT_EQ(message(pair[0]).words(),
              "arm 1: 3 of 25 texts differ (95 %: 4 to 30 % of such prompts), from token 2 on (median), after 7 % of the text.");
    EXPECT_EQ(message(pair[2]).words(), "Margins of the re-read text before the fork, nats: ≤ 0.02: 2, ≤ 5: 1.");
    const auto shown = [](const std::string& rest) { return rest.substr(0, 3); };
    EXPECT_EQ(message(fork_said(m, m.forks[2], shown)).words(), "prompt 3, arm 1, token 2: “n i” | “r i”");
    EXPECT_EQ(message(judged_said(m.forks[2].judged)).words(), "mistake 2.500 nats (± 0.000), read again it goes on as the other");
    EXPECT_EQ(book.say(judged_said(m.forks[0].judged)), "knappe Wahl, 0.014 Nats (± 0.000), neu gelesen geht er weiter wie der andere");
    EXPECT_EQ(message(groups_said(m, summary)).words(), "Equal texts: arm 0, apart from these arm 1, apart from these arm 2.");
}

// ---- what is sent and read ----

TEST(SameRequest, LeavesNothingToTheServersDefaults) {
    const GreedyPrompt raw{"Once upon a time", "", false}, chat{"Hi", "Be brief.", true};
    const auto body = [](const GreedyRequest& request) { return Json::parse(request.body); };
    const std::vector<int> ids{1, 2};
    const GreedyDialect llama{ServerKind::llamacpp, false, "m", 9, 0};
    const GreedyRequest asked = answer_request(llama, chat, ids, "a");
    EXPECT_EQ(asked.path, "/completion");
    Json sent = body(asked);
    EXPECT_EQ(sent["prompt"], Json(ids));
    EXPECT_EQ(sent["cache_prompt"], false);
    EXPECT_EQ(sent["return_tokens"], true);
    EXPECT_EQ(sent["speculative.n_max"], 0);
    for (const char* one : {"repeat_penalty", "typical_p", "top_p"}) EXPECT_EQ(sent[one], 1) << one;
    for (const char* none : {"temperature", "presence_penalty", "frequency_penalty", "dry_multiplier", "mirostat", "min_p", "top_k"})
        EXPECT_EQ(sent[none], 0) << none;
    EXPECT_EQ(answer_request(llama, chat, {}, "a").path, "/v1/chat/completions") << "without ids the server's own template";
    const GreedyDialect vllm{ServerKind::vllm, false, "m", 9, {}};
    sent = body(answer_request(vllm, chat, {}, "salt"));
    EXPECT_EQ(sent["messages"].size(), 2u);
    EXPECT_EQ(sent["repetition_penalty"], 1);
    EXPECT_EQ(sent["top_k"], -1);
    EXPECT_EQ(sent["cache_salt"], "salt");
    EXPECT_EQ(sent["return_token_ids"], true);
    EXPECT_FALSE(sent.contains("speculative.n_max"));
    EXPECT_FALSE(body(answer_request({ServerKind::vllm, true, "m", 9, 0}, raw, {}, "salt")).contains("return_token_ids"));
    // Of a server that nobody knows only what all of them know.
    sent = body(answer_request({ServerKind::unknown, false, "", 9, {}}, raw, {}, "salt"));
    for (const auto& [key, value] : sent.items())
        EXPECT_TRUE(
            std::set<std::string>({"prompt", "max_tokens", "temperature", "top_p", "presence_penalty", "frequency_penalty", "stream"})
                .contains(key))
            << key;
}

TEST(SameRequest, AnEmptyListIsNothingToldAndNeverCertainty) {
    const GreedyDialect llama{ServerKind::llamacpp, false, "", 1, {}};
    // llama.cpp with drafts on, behind the first token.
    const Reread none = read_reread(
        llama, R"({"content":" a","tokens":[5],"completion_probabilities":[{"id":5,"token":" a","logprob":0.0,"top_logprobs":[]}]})");
    EXPECT_TRUE(none.listed.empty());
    EXPECT_EQ(none.written.id, 5);
    const Reread told = read_reread(llama, R"({"content":" a","tokens":[5],"completion_probabilities":[{"id":5,"token":" a","logprob":-0.1,
        "top_logprobs":[{"id":6,"token":" b","logprob":-2.5},{"id":5,"token":" a","logprob":-0.1}]}]})");
    ASSERT_EQ(told.listed.size(), 2u);
    EXPECT_EQ(told.listed[0].id, 5) << "the likeliest first";
    const Reread vllm = read_reread({ServerKind::vllm, false, "", 1, {}},
                                    R"({"choices":[{"text":" a","logprobs":{"tokens":["token_id:5"],
        "top_logprobs":[{"token_id:5":-0.1,"token_id:9":-0.12}]}}]})");
    ASSERT_EQ(vllm.listed.size(), 2u);
    EXPECT_EQ(vllm.listed[1].id, 9);
    EXPECT_EQ(vllm.written.id, 5);
    const Reread sglang = read_reread({ServerKind::sglang, false, "", 1, {}},
                                      R"({"text":" a","meta_info":{"output_token_logprobs":[[-0.1,5," a"]],
        "output_top_logprobs":[[[-0.1,5," a"],[-0.3,9," b"]]]}})");
    ASSERT_EQ(sglang.listed.size(), 2u);
    EXPECT_EQ(sglang.written.id, 5);
    for (const char* odd : {"", "[]", "{}", R"({"choices":[]})", R"({"choices":[{"logprobs":{"top_logprobs":[null]}}]})",
                            R"({"meta_info":{"output_top_logprobs":[[["x",1]]]}})"})
        EXPECT_TRUE(read_reread({ServerKind::vllm, false, "", 1, {}}, odd).listed.empty()) << odd;
    EXPECT_THROW((void)read_greedy_answer(llama, "no JSON"), Error);
    EXPECT_THROW((void)read_greedy_answer(llama, R"({"content":"a"})"), Error);
    EXPECT_THROW((void)read_greedy_answer(llama, R"({"error":{"message":"no","code":400}})"), Error);
}

// ---- planted servers ----

std::vector<GreedyPrompt> toy_prompts(int count = 40) {
    std::vector<GreedyPrompt> prompts;
    for (int i = 0; i < count; ++i) prompts.push_back({"Tell me number " + std::to_string(100 + i), "", i % 2 == 0});
    return prompts;
}

SameAsked arm_at(const Endpoint& endpoint, std::optional<int> drafts, const HttpSettings& http = {}) {
    return {asked_arm_name(drafts), drafts, server_arm(endpoint, probe_server(endpoint, http), http, {"", 80, drafts})};
}

SameMeasured with_and_without(const Endpoint& endpoint, int repeats = 2) {
    SamePlan plan;
    plan.compare = SameCompare::drafts_off;
    plan.prompts = toy_prompts();
    plan.repeats = repeats;
    return measure_same({arm_at(endpoint, 0), arm_at(endpoint, {})}, plan);
}

SameMeasured of_two(const Endpoint& a, const Endpoint& b, std::vector<GreedyPrompt> prompts = toy_prompts()) {
    SamePlan plan;
    plan.prompts = std::move(prompts);
    return measure_same({arm_at(a, {}), arm_at(b, {})}, plan);
}

TEST(SameServers, OneThatIsTooSlowIsToldWithWhatToTry) {
    const RawServer server("", /*close_after=*/false);
    HttpSettings http;
    http.silence_seconds = 0.3;
    ServerFacts facts;
    facts.kind = ServerKind::vllm;
    try {
        (void)server_arm(server.endpoint, facts, http, {"m", 80, {}})->answer(toy_prompts(1).front());
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("was silent for 0.3 s"), std::string::npos) << error.what();
        EXPECT_NE(error.remedy().find("--max-tokens 32"), std::string::npos) << error.remedy();
    }
}

TEST(SameServers, AnHonestOneWritesTheSame) {
    const ToyServer server;
    const SameMeasured m = with_and_without(server.endpoint);
    const SameSummary summary = summarize(m);
    EXPECT_EQ(summary.verdict, SameVerdict::same) << said(summary);
    EXPECT_EQ(m.prompts.size(), 40u);
    EXPECT_EQ(drafts_of(m.arms[0])->drafted, 0);
    EXPECT_GT(drafts_of(m.arms[1])->drafted, 100);
    EXPECT_FALSE(m.arms[0].answers[0][0].prompt.empty()) << "it was sent ids";
    EXPECT_FALSE(m.arms[0].answers[0][0].ids.empty());
}

TEST(SameServers, EveryFortiethNearTieIsRounding) {
    ToyBehaviour planted;
    planted.planted = Planted::near_ties;
    const ToyServer server(planted);
    const SameMeasured m = with_and_without(server.endpoint);
    const SameSummary summary = summarize(m);
    EXPECT_EQ(summary.verdict, SameVerdict::near_ties) << said(summary);
    const ArmPair& pair = summary.pairs.at(0);
    EXPECT_GT(pair.differ, 1);
    EXPECT_EQ(pair.count(ForkKind::near_tie), pair.differ);
    EXPECT_GT(pair.excess, 0);
    EXPECT_FALSE(pair.noisy());
    EXPECT_TRUE(pair.place);
    for (const ForkRecord& record : m.forks) {
        EXPECT_LE(record.judged.margin->nats, ToyModel::kWidestTie + 1e-9);
        EXPECT_EQ(record.judged.side, Side::a) << "the re-read text has the first arm's token";
        EXPECT_EQ(record.judged.spread, 0);
    }
}

TEST(SameServers, ACacheOneRowShortIsAMistake) {
    ToyBehaviour planted;
    planted.planted = Planted::row_short;
    const ToyServer server(planted);
    const SameSummary summary = summarize(with_and_without(server.endpoint));
    EXPECT_EQ(summary.verdict, SameVerdict::mistake) << said(summary);
    EXPECT_GT(summary.pairs.at(0).count(ForkKind::mistake), 1);
}

TEST(SameServers, ANoisyOneIsNotAccused) {
    ToyBehaviour planted;
    planted.planted = Planted::noisy;
    const ToyServer server(planted);
    const SameMeasured m = with_and_without(server.endpoint, 4);
    const SameSummary summary = summarize(m);
    EXPECT_EQ(summary.verdict, SameVerdict::undecided);
    EXPECT_NE(said(summary).find("two texts to one prompt"), std::string::npos) << said(summary);
    const ArmPair& pair = summary.pairs.at(0);
    EXPECT_GT(pair.self0, 0.1);
    EXPECT_LE(pair.low, 0);
    EXPECT_GE(pair.high, 0);
    EXPECT_EQ(pair.count(ForkKind::mistake), 0);
    EXPECT_TRUE(summary.groups.empty());
}

TEST(SameServers, OneThatIgnoresWhatItIsAskedIsFoundOutAtOnce) {
    ToyBehaviour planted;
    planted.listens = false;
    const ToyServer server(planted);
    const SameMeasured m = with_and_without(server.endpoint);
    EXPECT_EQ(m.prompts.size(), 1u) << "more prompts would tell nothing else";
    const SameSummary summary = summarize(m);
    EXPECT_EQ(summary.verdict, SameVerdict::undecided);
    EXPECT_NE(said(summary).find("drafts whatever it is asked"), std::string::npos) << said(summary);
}

TEST(SameServers, LengthsAreGroupedByTheirTexts) {
    ToyBehaviour planted;
    planted.planted = Planted::near_ties;
    planted.k = 8;
    planted.harmless = 3;
    const ToyServer server(planted);
    SamePlan plan;
    plan.compare = SameCompare::lengths;
    plan.prompts = toy_prompts();
    std::vector<SameAsked> arms;
    for (const int k : {0, 2, 3, 5, 8}) arms.push_back(arm_at(server.endpoint, k));
    const SameMeasured m = measure_same(arms, plan);
    const SameSummary summary = summarize(m);
    EXPECT_EQ(summary.verdict, SameVerdict::near_ties) << said(summary);
    EXPECT_EQ(summary.groups, (std::vector<std::vector<std::size_t>>{{0, 1, 2}, {3, 4}}));
    EXPECT_EQ(summary.pairs.at(3).differ, summary.pairs.at(2).differ);
}

TEST(SameServers, WithoutProbabilitiesOnlyTheSideIsTold) {
    ToyBehaviour planted;
    planted.planted = Planted::row_short;
    planted.probabilities = false;
    const ToyServer server(planted);
    const SameMeasured m = with_and_without(server.endpoint);
    const SameSummary summary = summarize(m);
    EXPECT_EQ(summary.verdict, SameVerdict::undecided);
    EXPECT_NE(said(summary).find("not told"), std::string::npos) << said(summary);
    ASSERT_FALSE(m.forks.empty());
    int sided = 0;
    for (const ForkRecord& record : m.forks) {
        EXPECT_FALSE(record.judged.margin);
        EXPECT_TRUE(record.fork.tokens);
        sided += record.judged.side == Side::a;
    }
    EXPECT_GT(sided, 0);
}

TEST(SameServers, IdsComeFromAnAnswerOrFromTokenizing) {
    for (const Dialect dialect : {Dialect::vllm, Dialect::text_only}) {
        SCOPED_TRACE(dialect == Dialect::vllm ? "vLLM" : "text only");
        ToyBehaviour plain, planted;
        plain.dialect = planted.dialect = dialect;
        planted.planted = Planted::near_ties;
        const ToyServer first(plain), other(planted);
        std::vector<GreedyPrompt> prompts = toy_prompts();
        if (dialect == Dialect::text_only)
            for (GreedyPrompt& prompt : prompts) prompt.chat = false; // nobody has its template
        const SameMeasured m = of_two(first.endpoint, other.endpoint, prompts);
        const SameSummary summary = summarize(m);
        EXPECT_EQ(summary.verdict, SameVerdict::near_ties) << said(summary);
        ASSERT_FALSE(m.forks.empty());
        EXPECT_FALSE(drafts_of(m.arms[1])) << "such a server tells nothing of its drafts";
        for (const ForkRecord& record : m.forks) {
            EXPECT_TRUE(record.fork.tokens);
            EXPECT_TRUE(record.judged.margin);
        }
    }
}

TEST(SameServers, OfTextAloneThePlaceIsToldAndNoMargin) {
    for (const bool tokenizes : {false, true}) {
        SCOPED_TRACE(tokenizes ? "/tokenize makes other ids" : "no /tokenize");
        ToyBehaviour plain, planted;
        plain.dialect = planted.dialect = Dialect::text_only;
        plain.tokenizes = planted.tokenizes = tokenizes;
        plain.other_ids = planted.other_ids = true;
        planted.planted = Planted::row_short;
        const ToyServer first(plain), other(planted);
        const SameMeasured m = of_two(first.endpoint, other.endpoint);
        const SameSummary summary = summarize(m);
        EXPECT_EQ(summary.verdict, SameVerdict::undecided) << "nobody is accused without a margin";
        EXPECT_NE(said(summary).find("not told"), std::string::npos) << said(summary);
        ASSERT_FALSE(m.forks.empty());
        for (const ForkRecord& record : m.forks) {
            EXPECT_FALSE(record.judged.margin);
            EXPECT_GT(record.fork.bytes, 0u);
        }
    }
}

// Another chat template is no mistake of the arithmetic.
TEST(SameServers, ThatReadDifferentTokensAreNotAccused) {
    for (const Dialect dialect : {Dialect::llamacpp, Dialect::vllm, Dialect::text_only}) {
        ToyBehaviour plain, other;
        plain.dialect = other.dialect = dialect;
        other.system = "<system> Be brief. ";
        const ToyServer first(plain), second(other);
        const SameMeasured m = of_two(first.endpoint, second.endpoint);
        EXPECT_EQ(m.read_apart.size(), 20u) << "every second prompt is a chat";
        const SameSummary summary = summarize(m);
        EXPECT_EQ(summary.verdict, SameVerdict::undecided);
        EXPECT_NE(said(summary).find("different token ids"), std::string::npos) << said(summary);
        ASSERT_FALSE(m.forks.empty());
        for (const ForkRecord& record : m.forks) EXPECT_EQ(record.judged.kind, ForkKind::not_told);
    }
}

TEST(SameServers, OurOwnWritesTheSame) {
    RunSettings settings;
    settings.drafter = "lookup";
    settings.k = 3;
    const Listening server(settings);
    SamePlan plan;
    plan.compare = SameCompare::lengths;
    plan.prompts = {{"What is the capital of Japan?", "", true}, {"One two three one two three one two", "", false}};
    const SameMeasured m = measure_same({arm_at(server.endpoint, 0), arm_at(server.endpoint, 1), arm_at(server.endpoint, 3)}, plan);
    const SameSummary summary = summarize(m);
    EXPECT_EQ(summary.verdict, SameVerdict::same) << said(summary);
    EXPECT_EQ(drafts_of(m.arms[0])->drafted, 0);
    EXPECT_GT(drafts_of(m.arms[2])->drafted, drafts_of(m.arms[1])->drafted);
}

TEST(SameServers, OurOwnTellsTheMarginOfAPlace) {
    RunSettings settings;
    settings.drafter = "none";
    const Listening server(settings);
    const SameAsked asked = arm_at(server.endpoint, {});
    for (const GreedyPrompt& prompt :
         {GreedyPrompt{"What is the capital of Japan?", "", true}, GreedyPrompt{"The capital of", "", false}}) {
        SCOPED_TRACE(prompt.text);
        const GreedyAnswer a = asked.arm->answer(prompt);
        ASSERT_GT(a.text.size(), 6u);
        GreedyAnswer b = a;
        b.text = a.text.substr(0, a.text.rfind(' ')) + " dog.";
        const std::string before = prompt.chat ? "" : prompt.text;
        HttpAnswer told;
        std::string body;
        told = http_post(server.endpoint, "/tokenize", Json{{"prompt", before + b.text}, {"add_special_tokens", !prompt.chat}}.dump(), {},
                         [&](std::string_view bytes) {
                             body += bytes;
                             return true;
                         });
        ASSERT_TRUE(told.ok()) << told.body;
        b.finish = "length";
        b.tokens = static_cast<int>(read_ids(body).size() - (prompt.chat ? 0 : whole_bundle()->tokenizer->encode(prompt.text).size()));
        const auto prefix = asked.arm->prefix(prompt, a, b);
        ASSERT_TRUE(prefix);
        EXPECT_TRUE(prefix->fork.tokens);
        const Reread reread = asked.arm->reread(*prefix);
        EXPECT_EQ(reread.listed.size(), 20u);
        EXPECT_EQ(side_of(reread, prefix->fork.a, prefix->fork.b), Side::a);
        EXPECT_GT(margin_of(reread, prefix->fork.a, prefix->fork.b)->nats, 0);
    }
}

TEST(SameServers, WhatWasMeasuredStaysWhenItIsEnded) {
    const ToyServer server;
    std::atomic<bool> cancelled{false};
    HttpSettings http;
    http.cancelled = &cancelled;
    SamePlan plan;
    plan.compare = SameCompare::drafts_off;
    plan.prompts = toy_prompts();
    plan.cancelled = &cancelled;
    plan.progress = [&](std::size_t asked, std::size_t) { cancelled.store(asked >= 10); }; // inside the third prompt
    const SameMeasured m = measure_same({arm_at(server.endpoint, 0, http), arm_at(server.endpoint, {}, http)}, plan);
    EXPECT_FALSE(m.whole);
    EXPECT_EQ(m.prompts.size(), 2u);
    EXPECT_EQ(m.arms[1].answers.size(), 2u);
    EXPECT_EQ(summarize(m).verdict, SameVerdict::same);
}

TEST(SameServers, WhatGoesWrongIsAnError) {
    const ToyServer server;
    SamePlan plan;
    EXPECT_THROW((void)measure_same({arm_at(server.endpoint, 0), arm_at(server.endpoint, {})}, plan), Error) << "no prompts";
    plan.prompts = toy_prompts(1);
    EXPECT_THROW((void)measure_same({arm_at(server.endpoint, 0)}, plan), Error);
    plan.repeats = 1;
    EXPECT_THROW((void)measure_same({arm_at(server.endpoint, 0), arm_at(server.endpoint, {})}, plan), Error);
    plan.repeats = 2;
    const RawServer refuses([](const std::string& request) -> RawServer::Answer {
        const std::string body = request.starts_with("GET /v1/models") ? R"({"data":[{"id":"m"}]})" : R"({"error":{"message":"no room"}})";
        const std::string status = request.starts_with("GET /v1/models") ? "200 OK" : "400 Bad Request";
        return {"HTTP/1.1 " + status + "\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body};
    });
    const std::string error = network_error([&] { (void)measure_same({arm_at(refuses.endpoint, {}), arm_at(server.endpoint, {})}, plan); });
    EXPECT_NE(error.find("no room"), std::string::npos) << error;
}

TEST(SameStarted, AServerLivesAsLongAsItIsAsked) {
    EXPECT_THROW((void)StartedServer("server --port {port}", 3), Error) << "without a length";
    EXPECT_THROW((void)StartedServer("server --draft-max {k}", 3), Error) << "without a port";
    pid_t child = 0;
    {
        StartedServer server("echo $$ {k} {port}; exec cat", 3); // its standard input stays open
        ASSERT_TRUE(eventually([&] { return server.last_words().ends_with("\n"); }));
        const std::string said = server.last_words();
        child = std::stoi(said);
        EXPECT_NE(said.find(" 3 "), std::string::npos) << said;
        EXPECT_EQ(server.endpoint().origin, "http://127.0.0.1:" + said.substr(said.rfind(' ') + 1, said.size() - said.rfind(' ') - 2));
        EXPECT_FALSE(server.ended());
        EXPECT_EQ(kill(child, 0), 0);
    }
    EXPECT_NE(kill(child, 0), 0);
    StartedServer wrong("echo no such model {k} {port} >&2; exit 1", 0);
    EXPECT_TRUE(eventually([&] { return wrong.ended(); }));
    EXPECT_NE(wrong.last_words().find("no such model 0"), std::string::npos);
}

} // namespace
} // namespace speclens::test
