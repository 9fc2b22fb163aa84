// Suffix decoding against brute force: every count is a number of occurrences, and every proposal is the best that enumeration
// finds by the same words.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "engine/base/clock.h"
#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"
#include "engine/recall/answer_memory.h"
#include "engine/recall/suffix_trie.h"
#include "kernels/error.h"
#include "tests/shared/micro.h"
#include "tests/shared/temp_folder.h"

namespace speclens::test {
namespace {

using Text = std::vector<int>;
using Texts = std::vector<Text>;

bool occurs_at(const Text& text, std::size_t start, std::span<const int> run) {
    return start + run.size() <= text.size() && std::equal(run.begin(), run.end(), text.begin() + static_cast<std::ptrdiff_t>(start));
}

int occurrences(const Texts& texts, std::span<const int> run) {
    int count = 0;
    for (const Text& text : texts)
        for (std::size_t start = 0; start < text.size(); ++start) count += occurs_at(text, start, run);
    return count;
}

// Where `run` begins last; texts later in the list were written later.
std::pair<std::size_t, std::size_t> last_place(const Texts& texts, std::span<const int> run) {
    for (std::size_t t = texts.size(); t-- > 0;)
        for (std::size_t start = texts[t].size(); start-- > 0;)
            if (occurs_at(texts[t], start, run)) return {t, start};
    return {};
}

SuffixTrie::Path by_enumeration(const Texts& texts, std::span<const int> context, int depth, const SuffixTrie::Limits& limits) {
    SuffixTrie::Path best;
    for (int match = 1; match < depth && match <= static_cast<int>(context.size()); ++match) {
        Text run(context.end() - match, context.end());
        if (occurrences(texts, run) == 0) break;
        const int most = std::min<int>(limits.tokens, static_cast<int>(std::floor(match * limits.factor + 1e-6)));
        SuffixTrie::Path path;
        path.match = match;
        path.occurrences = occurrences(texts, run);
        double probability = 1;
        while (static_cast<int>(path.tokens.size()) < most && static_cast<int>(run.size()) < depth) {
            std::set<int> tokens;
            for (const Text& text : texts) tokens.insert(text.begin(), text.end());
            int favourite = -1, seen = 0;
            std::pair<std::size_t, std::size_t> when;
            for (const int token : tokens) {
                Text longer = run;
                longer.push_back(token);
                const int count = occurrences(texts, longer);
                if (count == 0) continue;
                const auto last = last_place(texts, longer);
                if (count > seen || (count == seen && last > when)) favourite = token, seen = count, when = last;
            }
            if (favourite < 0) break;
            probability *= static_cast<double>(seen) / occurrences(texts, run);
            if (probability < limits.min_prob) break;
            run.push_back(favourite);
            path.tokens.push_back(favourite);
            path.probabilities.push_back(probability);
            path.score += probability;
        }
        if (!path.tokens.empty() && path.score >= best.score - 1e-12) best = path;
    }
    return best;
}

SuffixTrie trie_of(const Texts& texts, int depth) {
    SuffixTrie trie(depth);
    for (const Text& text : texts) {
        trie.begin_text();
        for (const int token : text) trie.append(token);
    }
    return trie;
}

void expect_counts(const SuffixTrie& trie, const Texts& texts, int depth) {
    for (const Text& text : texts)
        for (std::size_t start = 0; start < text.size(); ++start)
            for (std::size_t length = 1; length <= static_cast<std::size_t>(depth) && start + length <= text.size(); ++length) {
                const auto run = std::span(text).subspan(start, length);
                ASSERT_EQ(trie.count(run), occurrences(texts, run)) << "from " << start << ", " << length << " tokens";
            }
}

Text random_text(std::mt19937& dice, int length, int vocab) {
    Text text;
    std::uniform_int_distribution<int> token(0, vocab - 1), back(0, 9);
    while (static_cast<int>(text.size()) < length) {
        if (text.size() > 4 && back(dice) < 3) { // a copy of something, so that long runs repeat
            const std::size_t from = dice() % (text.size() - 2), count = 1 + dice() % 8;
            for (std::size_t i = from; i < std::min(from + count, text.size()); ++i) text.push_back(text[i]);
        } else {
            text.push_back(token(dice));
        }
    }
    text.resize(static_cast<std::size_t>(length));
    return text;
}

TEST(SuffixTrie, CountsEveryRunOfEveryTextWhileItGrows) {
    std::mt19937 dice(3);
    for (const int vocab : {1, 2, 3, 7})
        for (const int depth : {2, 3, 5, 9}) {
            Texts texts;
            SuffixTrie trie(depth);
            for (int t = 0; t < 4; ++t) {
                trie.begin_text();
                texts.emplace_back();
                for (const int token : random_text(dice, 24, vocab)) {
                    trie.append(token);
                    texts.back().push_back(token);
                    expect_counts(trie, texts, depth);
                    if (HasFatalFailure()) return;
                }
            }
            EXPECT_EQ(trie.tokens(), 96u);
            const Text nowhere = {vocab + 1};
            EXPECT_EQ(trie.count(nowhere), 0);
        }
}

TEST(SuffixTrie, ProposesWhatEnumerationProposes) {
    std::mt19937 dice(11);
    int proposed = 0;
    for (int round = 0; round < 400; ++round) {
        const int vocab = 2 + static_cast<int>(dice() % 5), depth = 3 + static_cast<int>(dice() % 10);
        Texts texts;
        for (unsigned t = 0; t < 1 + dice() % 3; ++t) texts.push_back(random_text(dice, 10 + static_cast<int>(dice() % 40), vocab));
        const SuffixTrie trie = trie_of(texts, depth);
        // The text that goes on, or one that is not among them.
        const Text context = round % 2 == 0 ? texts.back() : random_text(dice, 20, vocab);
        const SuffixTrie::Limits limits{1 + static_cast<int>(dice() % 12), 0.5 + 0.25 * static_cast<double>(dice() % 8),
                                        0.05 * static_cast<double>(dice() % 10)};
        const SuffixTrie::Path got = trie.best_path(context, limits), wanted = by_enumeration(texts, context, depth, limits);
        ASSERT_EQ(got.tokens, wanted.tokens) << "round " << round;
        ASSERT_EQ(got.match, wanted.match) << "round " << round;
        ASSERT_NEAR(got.score, wanted.score, 1e-9);
        if (wanted.tokens.empty()) continue;
        ++proposed;
        ASSERT_EQ(got.occurrences, wanted.occurrences);
        for (std::size_t i = 0; i < wanted.tokens.size(); ++i) ASSERT_NEAR(got.probabilities[i], wanted.probabilities[i], 1e-9);
        ASSERT_EQ(texts[static_cast<std::size_t>(got.text)][static_cast<std::size_t>(got.place)], got.tokens[0]);
    }
    EXPECT_GT(proposed, 200);
}

TEST(SuffixTrie, AgreesWithEnumerationOnLongTexts) {
    std::mt19937 dice(5);
    const Texts texts = {random_text(dice, 600, 12)};
    expect_counts(trie_of(texts, 24), texts, 24);
}

// Beside a pass of a model an append is nothing; the bound is far above what was measured, so that a busy machine passes.
TEST(SuffixTrie, AnAppendTakesMicroseconds) {
    std::mt19937 dice(9);
    const Text text = random_text(dice, 40000, 300);
    SuffixTrie trie(24);
    const Stopwatch watch;
    for (const int token : text) trie.append(token);
    const double us = 1000 * watch.ms() / static_cast<double>(text.size());
    RecordProperty("microseconds", std::to_string(us));
    std::printf("an append takes %.3f us, %.0f bytes a token\n", us, static_cast<double>(trie.bytes()) / static_cast<double>(text.size()));
    EXPECT_LT(us, 20);
}

TEST(Suffix, DraftsAsFarAsTheCountsAreSure) {
    const auto models = micro_models(1);
    const auto target = make_model_decoder(models->target, 64);
    const auto drafter = find_drafter("suffix")->make({*target, nullptr, nullptr, {}});
    const Text text = {1, 2, 3, 4, 5, 6, 9, 1, 2, 3, 4, 5, 6, 8, 1, 2, 3};
    drafter->begin(text);
    DraftRequest request;
    request.sequence = text;
    request.k = 16;
    const Draft draft = drafter->draft(request);
    ASSERT_EQ(draft.nodes.size(), 3u); // a match of three drafts three
    EXPECT_EQ(draft.nodes[0].token, 4);
    EXPECT_EQ(draft.nodes[2].token, 6);
    EXPECT_TRUE(draft.nodes[0].distribution.empty());
    EXPECT_EQ(draft.nodes[0].extra, "3-gram found at token 7, 2× before, 0.67 to here");
    const Text nothing = {1, 2, 3, 40};
    drafter->begin(nothing);
    request.sequence = nothing;
    EXPECT_TRUE(drafter->draft(request).nodes.empty());
}

TEST(Suffix, EarlierAnswersDraftOnlyWhereTheyScoreMore) {
    const auto models = micro_models(1);
    const auto target = make_model_decoder(models->target, 64);
    auto earlier = std::make_shared<SuffixTrie>(24);
    for (const int token : {5, 6, 7, 8, 9}) earlier->append(token);
    DrafterArgs args{*target, nullptr, nullptr, {}};
    args.answers = earlier;
    const auto drafter = find_drafter("suffix")->make(std::move(args));
    DraftRequest request;
    request.k = 16;
    const auto drafted = [&](const Text& text) {
        drafter->begin(text);
        request.sequence = text;
        std::vector<int> tokens;
        for (const DraftNode& node : drafter->draft(request).nodes) tokens.push_back(node.token);
        return tokens;
    };
    EXPECT_EQ(drafted({1, 2, 5, 6}), (Text{7, 8}));
    EXPECT_EQ(drafted({5, 6, 3, 4, 5, 6, 3, 4, 5, 6, 3, 4, 5, 6}).front(), 3); // this text knows better
}

TEST(AnswerMemory, KeepsWhatWasWrittenForItsOwnerAlone) {
    const TempFolder folder;
    const auto file = folder.path() / "answers.json";
    AnswerMemory first(file, "model", 50);
    EXPECT_EQ(first.trie(24), nullptr);
    first.remember(Text{1, 2, 3});
    first.remember(Text{});
    first.remember(Text{2, 3, 4});
    first.save();
    struct stat facts {};
    ASSERT_EQ(::stat(file.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0600u);
    const AnswerMemory again(file, "model", 50);
    EXPECT_EQ(again.answers(), 2u);
    EXPECT_EQ(again.tokens(), 6u);
    EXPECT_EQ(again.trie(24)->count(Text{2, 3}), 2);
    EXPECT_EQ(again.trie(24)->count(Text{3, 2}), 0) << "no run reaches from one answer into the next";
    EXPECT_NE(again.words().find("2 answers, 6 token ids"), std::string::npos) << again.words();
    EXPECT_THROW(AnswerMemory(file, "another", 50), Error);
    EXPECT_THROW(AnswerMemory(file, "model", 4), Error) << "an id that the model does not have";
}

TEST(AnswerMemory, ForgetsTheOldestFirst) {
    const TempFolder folder;
    AnswerMemory memory(folder.path() / "answers.json", "model", 50);
    const Text old = {7, 7, 7};
    memory.remember(old);
    for (std::size_t i = 0; i < AnswerMemory::kMostAnswers; ++i) memory.remember(Text{1, 2});
    EXPECT_EQ(memory.answers(), AnswerMemory::kMostAnswers);
    EXPECT_EQ(memory.trie(8)->count(old), 0);
    memory.remember(Text(AnswerMemory::kMostTokens, 3));
    EXPECT_EQ(memory.answers(), 1u);
    EXPECT_EQ(memory.tokens(), AnswerMemory::kMostTokens);
}

TEST(AnswerMemory, RefusesOtherFiles) {
    const TempFolder folder;
    const auto file = folder.path() / "answers.json";
    for (const char* text : {"", "[]", "{}", R"({"schema":"speclens-answers/1","model":"model"})",
                             R"({"schema":"speclens-answers/1","model":"model","answers":[3]})",
                             R"({"schema":"speclens-answers/1","model":"model","answers":[[1,-2]]})",
                             R"({"schema":"speclens-answers/1","model":"model","answers":[[1,"x"]]})"}) {
        std::ofstream(file) << text;
        EXPECT_THROW(AnswerMemory(file, "model", 50), Error) << text;
    }
}

// What was remembered drafts in the next run of the same prompt, and the text stays the same.
TEST(AnswerMemory, MakesTheSecondRunShorterAndNoOtherText) {
    const auto models = micro_models(1);
    const RunSettings settings = greedy("suffix", 16);
    const auto first = finished(models, settings);
    auto earlier = std::make_shared<SuffixTrie>(24);
    for (std::size_t i = settings.prompt.token_ids.size(); i < first->sequence().size(); ++i) earlier->append(first->sequence()[i]);
    auto remembering = std::make_shared<Models>(*models);
    remembering->answers = earlier;
    const auto second = finished(remembering, settings);
    EXPECT_EQ(second->sequence(), first->sequence());
    EXPECT_LT(fold(second->trace(), second->trace().size()).rounds, fold(first->trace(), first->trace().size()).rounds);
}

// What a trace has of it is read back by whoever draws it; what another drafter wrote is nobody's source.
TEST(CopiedFrom, IsReadBackFromItsWords) {
    for (const auto& [from, words] :
         {std::pair{CopiedFrom{.match = 2, .at = 1, .token = 3}, "2-gram found at token 1, copied token 3"},
          {CopiedFrom{.match = 3, .at = 7, .times = 2, .p = 0.67}, "3-gram found at token 7, 2× before, 0.67 to here"},
          {CopiedFrom{.match = 4, .times = 5, .p = 0.5}, "4-gram found 5× in earlier answers, 0.50 to here"}}) {
        EXPECT_EQ(from.words(), words);
        EXPECT_EQ(copied_from(words), from) << words;
        EXPECT_EQ(copied_from(std::string(words) + "."), std::nullopt);
    }
    for (const char* words : {"", "forced", "entry 17", "2-gram found at token 1", "confidence 0.50"})
        EXPECT_EQ(copied_from(words), std::nullopt) << words;
}

} // namespace
} // namespace speclens::test
