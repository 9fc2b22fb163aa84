// Relatives of prompt lookup: the suffix automaton and the map of runs against brute force, the table of hashes against a plain map, and
// what they propose.
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"
#include "engine/recall/suffix_automaton.h"
#include "tests/shared/micro.h"

namespace speclens::test {
namespace {

using Text = std::vector<int>;

Text repeating_text(std::mt19937& dice, int length, int vocab) {
    Text text;
    while (static_cast<int>(text.size()) < length) {
        if (text.size() > 4 && dice() % 10 < 3)
            for (std::size_t i = dice() % (text.size() - 2), n = 1 + dice() % 9; n > 0 && i < text.size(); ++i, --n)
                text.push_back(text[i]);
        else
            text.push_back(static_cast<int>(dice() % static_cast<unsigned>(vocab)));
    }
    text.resize(static_cast<std::size_t>(length));
    return text;
}

// The longest run of last tokens that ends earlier, and where it ends first.
SuffixAutomaton::Match by_search(const Text& text) {
    const int size = static_cast<int>(text.size());
    for (int length = size - 1; length > 0; --length)
        for (int end = length - 1; end < size - 1; ++end)
            if (std::equal(text.end() - length, text.end(), text.begin() + (end + 1 - length))) return {length, end};
    return {};
}

TEST(SuffixAutomaton, KnowsTheLongestMatchAfterEveryToken) {
    std::mt19937 dice(17);
    for (const int vocab : {1, 2, 3, 6, 20})
        for (int round = 0; round < 4; ++round) {
            SuffixAutomaton automaton;
            Text text;
            for (const int token : repeating_text(dice, 120, vocab)) {
                automaton.append(token);
                text.push_back(token);
                const SuffixAutomaton::Match got = automaton.match(), wanted = by_search(text);
                ASSERT_EQ(got.length, wanted.length) << "vocabulary " << vocab << ", " << text.size() << " tokens";
                ASSERT_EQ(got.end, wanted.end);
            }
            automaton.clear();
            EXPECT_EQ(automaton.match().length, 0);
        }
}

class Copying : public ::testing::Test {
  protected:
    Text drafted(const std::string& name, const Text& text, int k, const DrafterOptions& options = {}) {
        const auto drafter = find_drafter(name)->make({*target_, nullptr, nullptr, options});
        drafter->begin(text);
        DraftRequest request;
        request.sequence = text;
        request.k = k;
        Text tokens;
        for (const DraftNode& node : drafter->draft(request).nodes) tokens.push_back(node.token);
        return tokens;
    }
    std::shared_ptr<const Models> models_ = micro_models(1);
    std::unique_ptr<Decoder> target_ = make_model_decoder(models_->target, 64);
};

TEST_F(Copying, SamCopiesBehindALongMatchOnly) {
    const Text text = {1, 2, 3, 4, 5, 6, 7, 9, 2, 3, 4, 5};
    EXPECT_EQ(drafted("sam", text, 10), (Text{6, 7, 9, 2, 3, 4, 5}));
    EXPECT_EQ(drafted("sam", text, 2), (Text{6, 7}));
    DrafterOptions longer;
    longer.sam_match = 5;
    EXPECT_TRUE(drafted("sam", text, 10, longer).empty());
}

TEST_F(Copying, TheTableProposesWhatAMapOfTheSameRunsWould) {
    std::mt19937 dice(23);
    int proposed = 0;
    for (int round = 0; round < 60; ++round) {
        const Text text = repeating_text(dice, 80, 5);
        DrafterOptions options;
        options.mod_ngram = 2 + static_cast<int>(dice() % 4);
        options.mod_least = 1 + static_cast<int>(dice() % 4);
        const auto n = static_cast<std::size_t>(options.mod_ngram);
        std::map<Text, int> next; // the last write wins
        for (std::size_t i = n; i < text.size(); ++i)
            next[Text(text.begin() + static_cast<std::ptrdiff_t>(i - n), text.begin() + static_cast<std::ptrdiff_t>(i))] = text[i];
        Text window(text.end() - static_cast<std::ptrdiff_t>(n), text.end()), wanted;
        while (wanted.size() < 12 && next.contains(window)) {
            wanted.push_back(next[window]);
            window.erase(window.begin());
            window.push_back(wanted.back());
        }
        if (static_cast<int>(wanted.size()) < options.mod_least) wanted.clear();
        EXPECT_EQ(drafted("ngram_mod", text, 12, options), wanted);
        proposed += !wanted.empty();
    }
    EXPECT_GT(proposed, 20);
}

// What the map proposes, by searching the text.
Text by_places(const Text& text, int least, int most, int k) {
    const int size = static_cast<int>(text.size());
    for (int n = std::min(most, size); n >= least; --n) {
        std::vector<int> behind; // each earlier place, the token behind it
        for (int end = n; end < size; ++end)
            if (std::equal(text.end() - n, text.end(), text.begin() + (end - n))) behind.push_back(end);
        if (behind.empty()) continue;
        const int latest = behind.back();
        int agreed = size;
        if (behind.size() > 1)
            for (int i = 0, before = behind[behind.size() - 2]; latest + i < size && agreed == size; ++i)
                if (text[static_cast<std::size_t>(before + i)] != text[static_cast<std::size_t>(latest + i)]) agreed = i;
        if (agreed == 0) continue;
        return {text.begin() + latest, text.begin() + std::min({size, latest + agreed, latest + k})};
    }
    return {};
}

TEST_F(Copying, TheMapProposesWhatSearchingItsPlacesWould) {
    std::mt19937 dice(29);
    int proposed = 0, shorter = 0;
    for (int round = 0; round < 400; ++round) {
        const Text text = repeating_text(dice, 3 + static_cast<int>(dice() % 220), 2 + static_cast<int>(dice() % 5));
        DrafterOptions options;
        options.ngram_min = 1 + static_cast<int>(dice() % 4);
        options.ngram_max = options.ngram_min + static_cast<int>(dice() % 4);
        const Text got = drafted("ngram_map", text, 9, options);
        ASSERT_EQ(got, by_places(text, options.ngram_min, options.ngram_max, 9)) << options.ngram_min << " to " << options.ngram_max;
        proposed += !got.empty();
        shorter += !got.empty() && got.size() < 9;
    }
    EXPECT_GT(proposed, 100);
    EXPECT_GT(shorter, 50);
}

TEST_F(Copying, TheMapCopiesAsFarAsTwoPlacesAgreed) {
    DrafterOptions options;
    options.ngram_min = options.ngram_max = 2;
    EXPECT_EQ(drafted("ngram_map", {1, 2, 3, 4, 5, 6, 1, 2}, 4, options), (Text{3, 4, 5, 6})) << "one place: nothing contradicts it";
    EXPECT_EQ(drafted("ngram_map", {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 9, 9, 1, 2}, 8, options), (Text{3, 4})) << "two places agreed on two";
    EXPECT_TRUE(drafted("ngram_map", {1, 2, 3, 1, 2, 4, 1, 2}, 8, options).empty()) << "on none";
    options.ngram_min = 1;
    EXPECT_EQ(drafted("ngram_map", {7, 2, 6, 1, 2, 5, 1, 2, 5, 8, 2}, 1, options), (Text{5}))
        << "a shorter run, where the longer one is new";
}

// The text grows round by round: the map is that of the whole text.
TEST_F(Copying, TheMapGrowsWithTheText) {
    std::mt19937 dice(31);
    const Text text = repeating_text(dice, 900, 4);
    DrafterOptions options;
    options.ngram_min = 2;
    options.ngram_max = 5;
    const auto drafter = find_drafter("ngram_map")->make({*target_, nullptr, nullptr, options});
    drafter->begin(std::span(text).first(10));
    for (std::size_t length = 10; length < text.size(); length += 1 + dice() % 4) {
        const Text now(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length));
        DraftRequest request;
        request.sequence = now;
        request.k = 6;
        Text got;
        for (const DraftNode& node : drafter->draft(request).nodes) got.push_back(node.token);
        ASSERT_EQ(got, by_places(now, 2, 5, 6)) << length;
    }
}

} // namespace
} // namespace speclens::test
