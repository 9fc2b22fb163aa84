// The command line compiled for WebAssembly, under node, beside the program itself: the same words, the same trace, both
// distributions. Only ./test --web builds what these start; SPECLENS_WEB_PROGRAMS is its folder.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/app/cli/support.h"

namespace speclens {
namespace {

using test::Outcome;
using Words = std::vector<std::string>;

std::string programs() {
    const char* folder = std::getenv("SPECLENS_WEB_PROGRAMS");
    if (folder == nullptr) throw std::runtime_error("SPECLENS_WEB_PROGRAMS is not set: run ./test --web");
    return folder;
}

// One of them under node, as the program itself would be started.
Outcome in_web(const std::string& name, Words words, std::map<std::string, std::string> environment = {}) {
    words.insert(words.begin(), {"node", programs() + "/" + name});
    environment.emplace("SPECLENS_ASSETS", SPEC_SOURCE_DIR "/assets");
    test::Start start;
    start.program = "/usr/bin/env";
    start.arguments = std::move(words);
    start.environment = std::move(environment);
    return test::speclens(start);
}

Outcome here(Words words) {
    test::Start start;
    start.arguments = std::move(words);
    start.environment = {{"SPECLENS_ISA", "portable"}};
    return test::speclens(start);
}

std::string hash_of(const Outcome& outcome) {
    const std::size_t at = outcome.out.find("trace hash");
    if (outcome.code != 0 || at == std::string::npos) return "no hash: " + outcome.out + outcome.err;
    const std::size_t begin = outcome.out.find_first_not_of(' ', at + std::string("trace hash").size());
    return outcome.out.substr(begin, 16);
}

// Chains, trees, blocks and plain decoding, all kinds of rules, greedy and sampled, short and long.
const std::vector<Words>& runs() {
    static const std::vector<Words> kRuns = {
        {"--drafter", "none", "--seed", "7"},
        {"--drafter", "small", "--seed", "9223372036854775807"},
        {"--drafter", "lookup", "--temp", "0", "--max-tokens", "96"},
        {"--drafter", "skip", "--top-p", "0.9"},
        {"--drafter", "eagle3", "--k", "6", "--rule", "block"},
        {"--drafter", "eagle3_tree", "--rule", "tree_wor"},
        {"--drafter", "dflash", "--temp", "1.2", "--top-k", "40"},
        {"--drafter", "domino", "--prompt", "Once upon a time"},
        {"--drafter", "medusa_tree", "--temp", "0"},
        {"--drafter", "suffix", "--rule", "typical", "--precision", "bf16"},
    };
    return kRuns;
}

class WebProgram : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Web, WebProgram, ::testing::Range(std::size_t{0}, runs().size()));

TEST_P(WebProgram, HasTheTraceOfTheProgram) {
    Words words = runs()[GetParam()];
    words.insert(words.begin(), "run");
    if (std::ranges::find(words, "--max-tokens") == words.end()) words.insert(words.end(), {"--max-tokens", "32"});
    const std::string expected = hash_of(here(words));
    ASSERT_EQ(expected.size(), 16u) << expected;
    EXPECT_EQ(hash_of(in_web("speclens_alone.js", words)), expected) << "without threads";
    words.insert(words.end(), {"--threads", "2"});
    EXPECT_EQ(hash_of(in_web("speclens.js", words)), expected) << "with two threads";
}

TEST(WebPrograms, SeeTheEnvironment) {
    const Outcome narrow = in_web("speclens_alone.js", {"run", "--help"}, {{"COLUMNS", "64"}});
    const Outcome wide = in_web("speclens_alone.js", {"run", "--help"}, {{"COLUMNS", "120"}});
    EXPECT_EQ(narrow.code, 0) << narrow.err;
    EXPECT_EQ(wide.code, 0) << wide.err;
    EXPECT_NE(narrow.out, wide.out);
}

TEST(WebPrograms, TellWhatIsWrongWithTheSameWordsAndCode) {
    for (const Words& words : {Words{"run", "--seed", "-1"}, Words{"run", "--temp", "warm"}, Words{"run", "--drafter", "smal"}}) {
        const Outcome expected = here(words), got = in_web("speclens_alone.js", words);
        EXPECT_NE(expected.code, 0);
        EXPECT_EQ(got.code, expected.code);
        EXPECT_EQ(got.err, expected.err);
    }
}

TEST(WebPrograms, SayThatAPageConnectsToNobody) {
    const Outcome serves = in_web("speclens_alone.js", {"serve"});
    EXPECT_NE(serves.code, 0);
    EXPECT_NE(serves.err.find("opens no connections"), std::string::npos) << serves.err;
    const Outcome asks = in_web("speclens_alone.js", {"attach", "http://127.0.0.1:9"});
    EXPECT_NE(asks.code, 0);
    EXPECT_NE(asks.err.find("opens no connections"), std::string::npos) << asks.err;
}

void expect_passed(const std::string& filter, std::map<std::string, std::string> environment = {}) {
    const Outcome tests = in_web("web_distributions.js", {"--gtest_filter=" + filter}, std::move(environment));
    EXPECT_EQ(tests.code, 0) << tests.out << tests.err;
    EXPECT_NE(tests.out.find("[  PASSED  ] "), std::string::npos) << tests.out;
    EXPECT_EQ(tests.out.find(" 0 tests."), std::string::npos) << "nothing was run";
}

// A process for each suite, so that they run beside each other.
TEST(WebDistributions, GreedyTextIsThePlainText) { expect_passed("Law1.*"); }

TEST(WebDistributions, GreedyTextIsThePlainTextWithOneThreadAndWithFive) {
    expect_passed("*Law1Threads*-*/2:*EveryShapeOfATree/1:*EveryShapeOfATree/5");
}

TEST(WebDistributions, GreedyTextIsThePlainTextInEveryPrecision) { expect_passed("*Law1Precision*:PlantedFaults.*"); }

TEST(WebDistributions, EveryDrafterConforms) { expect_passed("Conformance.*"); }

TEST(WebDistributions, SeeAsMuchMemoryAsAddressesReach) { expect_passed("FreeMemory.*"); }

// A quarter of them each: one after the other they take longer than a test may.
class WebSampledText : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Quarter, WebSampledText, ::testing::Range(0, 4));

TEST_P(WebSampledText, HasTheTargetsDistribution) {
    expect_passed("*Law2*:Oracle.*:*Exact*", {{"GTEST_TOTAL_SHARDS", "4"}, {"GTEST_SHARD_INDEX", std::to_string(GetParam())}});
}

} // namespace
} // namespace speclens
