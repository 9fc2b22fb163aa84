// lossless and oracle: distributions that are counted, and what is said when they cannot be.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "engine/base/json.h"
#include "tests/app/cli/support.h"

namespace speclens::test {

namespace {} // namespace

TEST(Lossless, PassesOnTheBuiltInTable) {
    const Outcome outcome = speclens({"lossless", "3000"});
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find("No difference was found"), std::string::npos);
    EXPECT_EQ(outcome.out.find("(≥ 2)"), std::string::npos) << outcome.out; // three rounds at least
    const std::regex rounds(R"((\d+\.\d+) \(≥ (\d+)\))");
    int rows = 0;
    for (std::sregex_iterator at(outcome.out.begin(), outcome.out.end(), rounds), end; at != end; ++at, ++rows)
        EXPECT_GE(std::stod((*at)[1]), std::stod((*at)[2])) << "a mean below the least\n" << outcome.out;
    EXPECT_GT(rows, 0) << outcome.out;
}

TEST(Lossless, KeepsTheNamesOfDrafterAndRuleApart) {
    const Outcome outcome = speclens({"lossless", "100", "--prompt", "The cat", "--drafter", "eagle3_tree", "--rule", "tree_wor"});
    EXPECT_NE(outcome.out.find("eagle3_tree tree_wor"), std::string::npos) << outcome.out << outcome.err;
}

TEST(Lossless, TellsTheSameAsData) {
    const TempFolder folder;
    const std::string file = folder.path() / "x.json";
    const Outcome both = speclens({"lossless", "20000", "--drafter", "small", "--rule", "match", "--json", file});
    EXPECT_EQ(both.code, 0) << both.err;
    EXPECT_NE(both.out.find("No difference was found"), std::string::npos) << both.out;
    const Json json = Json::parse(read_file(file));
    EXPECT_EQ(json.at("schema"), "speclens-lossless/1");
    EXPECT_EQ(json.at("verdict"), "no difference");
    EXPECT_EQ(json.at("complete"), true);
    ASSERT_EQ(json.at("tests").size(), 2u) << "plain decoding, and what was asked for";
    const Json& test = json.at("tests").at(1);
    EXPECT_EQ(test.at("rule"), "match");
    EXPECT_GE(test.at("p_value").get<double>(), json.at("least_p_value").get<double>());
    char p_value[16];
    std::snprintf(p_value, sizeof p_value, "%.4f", test.at("p_value").get<double>());
    EXPECT_NE(both.out.find(p_value), std::string::npos) << "the number of the table\n" << both.out;
    const Outcome alone = speclens({"lossless", "20000", "--mistake", "bonus", "--json", "-"});
    EXPECT_EQ(alone.code, 1) << alone.err;
    const Json mistake = Json::parse(alone.out);
    EXPECT_EQ(mistake.at("mistake"), "bonus");
    EXPECT_EQ(mistake.at("verdict"), "differs");
    EXPECT_EQ(mistake.at("tests").at(0).at("verdict"), "ok");
    EXPECT_EQ(speclens({"lossless", "100", "--json", "/no/such/folder/x.json"}).code, 3);
}

// Without a prompt the table is the target, unless a model was named; a head says which one it needs.
TEST(Lossless, UsesTheModelThatIsNamed) {
    const Outcome named =
        speclens({"lossless", "100", "--model", "tiny", "--drafter", "mtp", "--rule", "token", "--top-k", "2", "--max-tokens", "3"});
    EXPECT_NE(named.out.find("bundle S"), std::string::npos) << named.out << named.err;
    EXPECT_NE(named.out.find("[LIVE]"), std::string::npos) << named.out;
    const Outcome table = speclens({"lossless", "100", "--drafter", "mtp"});
    EXPECT_NE(table.code, 0);
    EXPECT_NE(table.err.find("--model tiny"), std::string::npos) << table.err;
}

// A rule with a mistake is found, the right one beside it is not accused; by name, also the one of block trees.
TEST(Lossless, FindsAMistakeThatIsPutInOnPurpose) {
    for (const char* mistake : {"bonus", "redraw", "target", "swapped", "chosen", "mixed", "fresh", "peek"}) {
        SCOPED_TRACE(mistake);
        const Outcome outcome = speclens({"lossless", "20000", "--mistake", mistake});
        EXPECT_EQ(outcome.code, 1) << outcome.out << outcome.err;
        EXPECT_TRUE(std::regex_search(outcome.out, std::regex(std::string(mistake) + " .* DIFFERS\n"))) << outcome.out;
        EXPECT_TRUE(std::regex_search(outcome.out, std::regex("(token|tree_topk|block|match) .* ok\n"))) << outcome.out;
        EXPECT_NE(outcome.out.find("wrong on purpose: "), std::string::npos) << outcome.out;
    }
    EXPECT_NE(speclens({"lossless", "20000", "--mistake", "chosen"}).out.find("tree_topk"), std::string::npos)
        << "beside the rule that judges such children";
    EXPECT_EQ(speclens({"lossless", "1000", "--mistake", "chosen", "--drafter", "small"}).code, 2);
    EXPECT_NE(speclens({"lossless", "1000", "--mistake", "choosen"}).err.find("chosen"), std::string::npos);
    EXPECT_EQ(speclens({"compare", "--mistake", "chosen"}).code, 2);
}

// Too few texts leave no kind that is frequent enough to compare: that is not agreement.
TEST(Lossless, DoesNotCallIgnoranceAgreement) {
    const Outcome outcome = speclens({"lossless", "100", "--rule", "typical"});
    EXPECT_EQ(outcome.code, 1) << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find("Too few texts to tell"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("all else as it is: N = 1000"), std::string::npos);
    EXPECT_EQ(outcome.out.find("No difference was found"), std::string::npos);
    EXPECT_NE(outcome.out.find("UNDECIDED"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("texts of at most 7 tokens"), std::string::npos) << outcome.out;
}

// Nearly all texts are the same: more of them would not help, and it must not be called rareness.
TEST(Lossless, SaysWhenThereAreTooFewKindsOfText) {
    const Outcome outcome = speclens({"lossless", "200", "--prompt", "The cat", "--drafter", "small", "--rule", "token", "--temp", "1"});
    EXPECT_EQ(outcome.code, 1) << outcome.out << outcome.err;
    for (const char* part : {"Too few kinds of text to tell", "UNDECIDED", "higher --temp", "   undecided\n"})
        EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
    EXPECT_EQ(outcome.out.find("ten times"), std::string::npos) << outcome.out;
    const Outcome wide =
        speclens({"lossless", "400", "--prompt", "Once upon a time", "--drafter", "small", "--rule", "token", "--temp", "0.5"});
    EXPECT_EQ(wide.code, 0) << wide.out << wide.err;
}

// Minutes of draws are not lost: what was tested until Ctrl+C is told, and nobody calls it the whole.
TEST(Lossless, TellsWhatWasTestedUntilItIsInterrupted) {
    Start start;
    start.arguments = {"lossless", "20000"};
    const Outcome outcome = interrupted_when(start, [](const Outcome& o) { return !o.out.empty(); });
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    for (const char* part : {"none       –", "   ok\n", "Interrupted after ", " tests.", "until then"})
        EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
    EXPECT_EQ(outcome.out.find("No difference was found"), std::string::npos) << outcome.out;
}

// A test that finds nothing proves no distribution: it says what it could have missed, also of a rule that promises nothing.
TEST(Lossless, SaysHowLargeADifferenceItWouldFind) {
    for (const char* rule : {"lenience=0", "lenience=0.02"}) {
        const Outcome outcome = speclens({"lossless", "3000", "--drafter", "small", "--rule", "lenience", "--rule-param", rule});
        EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
        for (const char* part : {"\nNo difference was found: ", "\nA true one of 0.0", "nine times in ten"})
            EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
        EXPECT_EQ(outcome.out.find("The distributions agree"), std::string::npos) << outcome.out;
    }
}

// Texts without a guess are plain decoding's, whatever the rule: nothing of it was tested.
TEST(Lossless, DoesNotPassWhereNothingWasGuessed) {
    const Outcome idle = speclens({"lossless", "1000", "--drafter", "lookup", "--max-tokens", "2"});
    EXPECT_EQ(idle.code, 1) << idle.out << idle.err;
    for (const char* part : {"Nothing was guessed by lookup, so", "   nothing guessed\n", "UNDECIDED"})
        EXPECT_NE(idle.out.find(part), std::string::npos) << part << "\n" << idle.out;
    EXPECT_EQ(idle.out.find("No difference was found"), std::string::npos) << idle.out;
    // A token hardly ever follows itself here: lookup guesses in fewer texts than would have to be wrong.
    Json distribution = {{"", {0.0, 0.25, 0.25, 0.25, 0.25}}, {"0", {0.0, 0.25, 0.25, 0.25, 0.25}}};
    for (int last = 1; last < 5; ++last) {
        std::vector<double> row = {0, 0.33, 0.33, 0.33, 0.33};
        row[static_cast<std::size_t>(last)] = 0.01;
        distribution[std::to_string(last)] = row;
    }
    const Json table = {{"schema", "speclens-table/1"},
                        {"vocab", 5},
                        {"texts", {"a", "b", "c", "d", "e"}},
                        {"target", distribution},
                        {"draft", distribution}};
    const std::filesystem::path model = fresh_folder() / "table.json";
    write_file(model, table.dump());
    const Outcome few =
        speclens({"lossless", "2000", "--model", model.string(), "--drafter", "lookup", "--rule", "token", "--max-tokens", "4"});
    EXPECT_EQ(few.code, 1) << few.out << few.err;
    for (const char* part : {"Too few guesses to tell: lookup guessed in ", " % of its texts only", "   few guesses\n", "UNDECIDED"})
        EXPECT_NE(few.out.find(part), std::string::npos) << part << "\n" << few.out;
    const Outcome longer = speclens({"lossless", "1000", "--drafter", "lookup", "--max-tokens", "4"});
    EXPECT_EQ(longer.code, 0) << longer.out << longer.err;
    const Outcome one = speclens({"lossless", "1000", "--drafter", "small", "--max-tokens", "1", "--rule", "typical"});
    EXPECT_EQ(one.code, 2) << one.out << one.err;
    EXPECT_NE(one.err.find("a text of one token has no room for a guess"), std::string::npos) << one.err;
    EXPECT_NE(one.err.find("--max-tokens 2"), std::string::npos) << one.err;
}

// A rule that promises nothing is tested when it is asked for, and fails; the list of all leaves it out.
TEST(Lossless, ARelaxedRuleFailsAndTheTableSaysWhy) {
    const Outcome outcome = speclens({"lossless", "3000", "--drafter", "small", "--rule", "typical"});
    EXPECT_EQ(outcome.code, 1) << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find("DIFFERS"), std::string::npos);
    EXPECT_NE(outcome.out.find("does not promise the target's distribution"), std::string::npos);
    EXPECT_EQ(speclens({"lossless", "3000", "--drafter", "small", "--rule", "lenience", "--rule-param", "lenience=0"}).code, 0)
        << "lenience 0 is the token rule";
}

// Parameters that are text and numbers, and one that a rule does not take.
TEST(Oracle, ReadsWhatARuleTakes) {
    const std::filesystem::path file = fresh_folder() / "results.json", cases = fresh_folder() / "cases.json";
    const std::string distributions =
        R"("vocab":2,"block":1,"q":{"":[0.9,0.1],"0":[0.9,0.1],"1":[0.9,0.1]},"p":{"":[0.6,0.4],"0":[0.6,0.4],"1":[0.6,0.4]})";
    write_file(cases, R"({"schema":"specdec-oracles/1","cases":[
        {"id":"a","rule":"cascade_tokenV3","params":{"alpha":0.5,"verifier":"block"},)" +
                          distributions + R"(},
        {"id":"b","rule":"typical","params":{"epsilon":0.05,"delta":0.05},)" +
                          distributions + R"(},
        {"id":"c","rule":"token","params":{"alpha":0.5},)" +
                          distributions + "}]}");
    const Outcome outcome = speclens({"oracle", cases.string(), "--samples", "2000", "-o", file.string()});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json results = Json::parse(read_file(file))["results"];
    EXPECT_EQ(results[0]["accepted"][1], 2000) << "both tokens are above half of the best: pi = q, everything is kept";
    EXPECT_EQ(results[1]["accepted"][1], 2000) << "both are typical";
    EXPECT_TRUE(results[2].contains("skipped")) << "the token rule takes no alpha";
    EXPECT_FALSE(results[0].contains("test")) << "the case expects nothing";
    EXPECT_NE(outcome.out.find("nothing expected"), std::string::npos) << outcome.out;
}

// Token 1 ends the text. A 0 is kept in .6 of the rounds and followed by either half the time; what replaces
// it in .2, and a guessed 1 in .2, is a 1 that nothing follows.
TEST(Oracle, CountsRoundsThatEndTheText) {
    const std::filesystem::path file = fresh_folder() / "results.json", cases = fresh_folder() / "cases.json";
    for (const char* stop : {R"("eos":1)", R"("params":{"stops":[1]})"}) {
        write_file(cases, R"({"schema":"specdec-oracles/1","cases":[{"id":"ends","rule":"token","vocab":2,"block":1,)" + std::string(stop) +
                              R"(,"q":{"":[0.8,0.2]},"p":{"":[0.6,0.4],"0":[0.5,0.5],"1":[0.5,0.5]},)"
                              R"("expect":{"emitted":{"1":0.4,"0,0":0.3,"0,1":0.3},"accepted_pmf":[0.2,0.8]}}]})");
        const Outcome out = speclens({"oracle", cases.string(), "--samples", "4000", "-o", file.string()});
        EXPECT_EQ(out.code, 0) << out.out << out.err << read_file(file);
        EXPECT_NE(out.out.find("0 of 1 case"), std::string::npos) << out.out;
    }
}

// The counts are tested against what a case expects, and a case that expects something else is found out.
TEST(Oracle, FindsTheCaseThatDiffers) {
    const std::filesystem::path file = fresh_folder() / "results.json", cases = fresh_folder() / "cases.json";
    const std::string distributions =
        R"("rule":"token","vocab":2,"block":1,"params":{},"q":{"":[0.8,0.2]},"p":{"":[0.6,0.4],"0":[0.5,0.5],"1":[0.5,0.5]},)";
    const auto with = [&](const std::string& first, const std::string& second) {
        write_file(cases, R"({"schema":"specdec-oracles/1","cases":[{"id":"first",)" + distributions + "\"expect\":" + first +
                              R"(},{"id":"second",)" + distributions + "\"expect\":" + second + "}]}");
        return speclens({"oracle", cases.string(), "--samples", "4000", "-o", file.string()});
    };
    const std::string right = R"({"emitted":{"1":0.2,"0,0":0.3,"0,1":0.3,"1,0":0.1,"1,1":0.1},"accepted_pmf":[0.2,0.8]})";
    const Outcome good = with(right, right);
    EXPECT_EQ(good.code, 0) << good.out << good.err;
    EXPECT_NE(good.out.find("0 of 2 cases differ"), std::string::npos) << good.out;
    for (const char* wrong : {R"({"emitted":{"1":0.3,"0,0":0.2,"0,1":0.3,"1,0":0.1,"1,1":0.1}})",
                              R"({"emitted":{"0,0":0.5,"0,1":0.3,"1,0":0.1,"1,1":0.1}})", R"({"accepted_pmf":[0.3,0.7]})"}) {
        const Outcome bad = with(right, wrong);
        EXPECT_EQ(bad.code, 1) << wrong << bad.out << bad.err;
        EXPECT_NE(bad.out.find("1 of 2 cases differ"), std::string::npos) << bad.out;
        const Json results = Json::parse(read_file(file))["results"];
        EXPECT_EQ(results[0]["test"]["agrees"], true);
        EXPECT_EQ(results[1]["test"]["agrees"], false);
    }
    const Outcome typo = [&] {
        std::string misspelt = distributions;
        misspelt.replace(misspelt.find("token"), 5, "tokn");
        write_file(cases, R"({"schema":"specdec-oracles/1","cases":[{"id":"first",)" + distributions + "\"expect\":" + right +
                              R"(},{"id":"second",)" + misspelt + "\"expect\":" + right + "}]}");
        return speclens({"oracle", cases.string(), "--samples", "4000", "-o", file.string()});
    }();
    EXPECT_EQ(typo.code, 1);
    EXPECT_NE(typo.out.find("1 case with expectations skipped"), std::string::npos) << typo.out;
    const Outcome broken = with(right, R"({"emitted":[0.3,0.7]})");
    EXPECT_EQ(broken.code, 3);
    EXPECT_NE(broken.err.find("case second: \"emitted\""), std::string::npos) << broken.err;
}

TEST(Oracle, CountsWhatTheCasesExpect) {
    const std::filesystem::path file = fresh_folder() / "results.json";
    const std::string cases = SPEC_SOURCE_DIR "/tests/engine/golden/oracles_public.json";
    constexpr long kSamples = 4000;
    const Outcome outcome = speclens({"oracle", cases, "--samples", std::to_string(kSamples), "--seed", "11", "-o", file.string()});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json results = Json::parse(read_file(file));
    EXPECT_EQ(results["schema"], "speclens-oracle/1");
    EXPECT_EQ(results["samples"], kSamples);
    const Json expected = Json::parse(read_file(cases))["cases"];
    ASSERT_EQ(results["results"].size(), expected.size());
    int counted = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const Json& result = results["results"][i];
        EXPECT_EQ(result["id"], expected[i]["id"]);
        if (result.contains("skipped")) continue;
        ++counted;
        EXPECT_EQ(result["test"]["agrees"], true) << result["id"];
        double mean = 0, square = 0, sum = 0;
        for (std::size_t tau = 0; tau < result["accepted"].size(); ++tau) {
            const auto count = result["accepted"][tau].get<double>();
            sum += count;
            mean += static_cast<double>(tau) * count / kSamples;
            square += static_cast<double>(tau * tau) * count / kSamples;
        }
        EXPECT_EQ(sum, kSamples);
        const double error = std::sqrt(std::max(1e-12, square - mean * mean) / kSamples);
        EXPECT_NEAR(mean, expected[i]["expect"]["expected_accepted"].get<double>(), 5 * error + 1e-9) << result["id"];
        long emitted = 0;
        for (const auto& [ids, count] : result["emitted"].items()) {
            emitted += count.get<long>();
            if (!expected[i]["expect"].contains("emitted")) continue;
            EXPECT_TRUE(expected[i]["expect"]["emitted"].contains(ids)) << ids;
        }
        EXPECT_EQ(emitted, kSamples);
    }
    EXPECT_EQ(counted, 12); // every public case is of a rule that exists
    const std::filesystem::path again = file.string() + ".again";
    ASSERT_EQ(speclens({"oracle", cases, "--samples", std::to_string(kSamples), "--seed", "11", "-o", again.string()}).code, 0);
    EXPECT_EQ(read_file(file), read_file(again)); // same seed, same counts
}

// Neither too few rounds nor no case at all is a test that was passed.
TEST(Oracle, DoesNotCallIgnoranceAgreement) {
    const std::filesystem::path file = fresh_folder() / "results.json", cases = fresh_folder() / "cases.json";
    const auto with = [&](const std::string& list, const char* samples) {
        write_file(cases, R"({"schema":"specdec-oracles/1","cases":[)" + list + "]}");
        return speclens({"oracle", cases.string(), "--samples", samples, "-o", file.string()});
    };
    const std::string one =
        R"({"id":"a","rule":"token","vocab":2,"block":1,"params":{},"q":{"":[0.8,0.2]},"p":{"":[0.6,0.4],"0":[0.5,0.5],"1":[0.5,0.5]},)"
        R"("expect":{"emitted":{"1":0.2,"0,0":0.3,"0,1":0.3,"1,0":0.1,"1,1":0.1}}})";
    const Outcome few = with(one, "3");
    EXPECT_EQ(few.code, 1) << few.err;
    for (const char* part : {"   too few rounds to tell\n", "1 of 1 case counted, 3 rounds each",
                             "0 of 1 case differs from what it expects", "use more --samples"})
        EXPECT_NE(few.out.find(part), std::string::npos) << part << "\n" << few.out;
    EXPECT_TRUE(Json::parse(read_file(file))["results"][0]["test"]["agrees"].is_null());
    EXPECT_EQ(with(one, "4000").code, 0);
    // Lenience under the token rule's distribution: some rounds cannot tell them apart, though the kinds are filled by then.
    const std::string lenient =
        R"({"id":"a","rule":"lenience","vocab":2,"block":1,"params":{"lenience":0.3},"q":{"":[0.5,0.5]},"p":{"":[0.4,0.6],"0":[0.5,0.5],"1":[0.5,0.5]},)"
        R"("expect":{"accepted_pmf":[0.1,0.9]}})";
    const Outcome unsure = with(lenient, "100");
    EXPECT_EQ(unsure.code, 1) << unsure.out;
    EXPECT_NE(unsure.out.find("   too few rounds to tell\n"), std::string::npos) << unsure.out;
    EXPECT_TRUE(Json::parse(read_file(file))["results"][0]["test"]["agrees"].is_null());
    const Outcome enough = with(lenient, "4000");
    EXPECT_EQ(enough.code, 1);
    EXPECT_NE(enough.out.find("   DIFFERS\n"), std::string::npos) << enough.out;
    std::filesystem::remove(file);
    const Outcome none = with("", "100");
    EXPECT_EQ(none.code, 3) << none.err;
    EXPECT_NE(none.err.find("no cases, so nothing would be tested"), std::string::npos) << none.err;
    EXPECT_FALSE(std::filesystem::exists(file));
}

} // namespace speclens::test
