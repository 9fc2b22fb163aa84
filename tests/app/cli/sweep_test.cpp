// `sweep` as a user meets it: short slices, whatever else the machine does.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/json.h"
#include "tests/app/cli/support.h"

namespace speclens::test {

namespace {

std::vector<std::string> quick_sweep(std::vector<std::string> more) {
    std::vector<std::string> words = {"sweep", "--for", "2", "--repeats", "1", "--max-tokens", "12", "--concurrency", "1,3"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

} // namespace

TEST(Sweep, PrintsATableInWhichEveryCellWasMeasured) {
    const Outcome out = speclens(quick_sweep({"--drafters", "lookup,eagle3,dflash,domino", "--k", "4"}));
    ASSERT_EQ(out.code, 0) << out.err << out.out;
    for (const char* part :
         {"SpecLens sweep", "[LIVE]", "plain", "lookup", "eagle3", "dflash", "domino", " at once", "those of their runs alone"})
        EXPECT_NE(out.out.find(part), std::string::npos) << part << "\n" << out.out;
    EXPECT_EQ(out.out.find("not measured"), std::string::npos) << out.out;
}

TEST(Sweep, TellsProgramsTheSame) {
    const Outcome out = speclens(quick_sweep({"--drafters", "lookup,eagle3", "--k", "2,4", "--temp", "0.8", "--json", "-"}));
    ASSERT_EQ(out.code, 0) << out.err;
    const Json json = Json::parse(out.out);
    EXPECT_EQ(json["schema"], "speclens-sweep/1");
    EXPECT_EQ(json["complete"], true);
    EXPECT_EQ(json["texts_equal"], true);
    ASSERT_EQ(json["cells"].size(), 10U); // plainly and with 2 drafters and 2 K, at 2 numbers of texts
    for (const Json& cell : json["cells"]) {
        EXPECT_EQ(cell["measured"], true);
        EXPECT_EQ(cell["texts_equal"], true);
        EXPECT_GT(cell["tokens_per_second"], 0);
        EXPECT_NEAR(cell["draft_share"].get<double>() + cell["verify_share"].get<double>() + cell["rest_share"].get<double>(), 1, 1e-9);
        EXPECT_LE(cell["first_ms"]["median"].get<double>(), cell["first_ms"]["p95"].get<double>());
        EXPECT_EQ(cell["speedup"].is_null(), cell["drafter"] == "none");
    }
    EXPECT_EQ(json["crossings"].size(), 4U);
}

TEST(Sweep, RunsTextsAlone) {
    const std::vector<std::string> alone = {"sweep", "--alone",    "--drafters", "lookup",    "--k", "2,4",          "--develop",
                                            "2",     "--held-out", "3",          "--repeats", "1",   "--max-tokens", "16"};
    const Outcome table = speclens(alone);
    ASSERT_EQ(table.code, 0) << table.err << table.out;
    for (const char* part :
         {"Runs of one text with lookup: plain decoding, K = 0, 2, 4 and K auto (up to 16)", "2 prompts to choose K on, 3 held out, 1 seed",
          "Fastest fixed K on the prompts to choose on: ", "\nall ", "15 of 15 texts are those of plain decoding.", "At full size"})
        EXPECT_NE(table.out.find(part), std::string::npos) << part << "\n" << table.out;
    std::vector<std::string> words = alone;
    words.insert(words.end(), {"--temp", "0.8", "--json", "-"});
    const Outcome out = speclens(words);
    ASSERT_EQ(out.code, 0) << out.err;
    const Json json = Json::parse(out.out);
    EXPECT_EQ(json["schema"], "speclens-alone/1");
    EXPECT_EQ(json["complete"], true);
    EXPECT_EQ(json["runs"].size(), 5U * 4U);
    EXPECT_EQ(json["prompts"].size(), 5U);
    EXPECT_TRUE(json["texts_equal"].is_null()) << "drawn texts differ";
    EXPECT_GT(json["whole_seconds"], 0);
    const Json& all = json["figures"][json["figures"].size() - 1];
    EXPECT_EQ(all["domain"], "all");
    EXPECT_EQ(all["prompts"], 3);
    EXPECT_GT(all["over_plain"]["value"], 0);
    EXPECT_GT(all["deciding_share"], 0);
    for (const std::vector<std::string>& wrong : {std::vector<std::string>{"sweep", "--develop", "2"},
                                                  {"sweep", "--alone", "--adaptive"},
                                                  {"sweep", "--alone", "--concurrency", "1"},
                                                  {"sweep", "--alone", "--csv", "-"},
                                                  {"sweep", "--alone", "--drafters", "lookup,small"},
                                                  {"sweep", "--alone", "--develop", "900", "--held-out", "1"}})
        EXPECT_EQ(speclens(wrong).code, 2) << wrong.back();
}

TEST(Sweep, WritesALineACell) {
    const Outcome out = speclens(quick_sweep({"--drafters", "lookup", "--csv", "-"}));
    ASSERT_EQ(out.code, 0) << out.err;
    EXPECT_EQ(std::ranges::count(out.out, '\n'), 5) << out.out;
    EXPECT_TRUE(out.out.starts_with("concurrency,drafter,k,"));
}

TEST(Sweep, TellsTheCostOfAMillionTokensWhereAPriceIsGiven) {
    const Outcome out = speclens(quick_sweep({"--drafters", "lookup", "--price", "2*m7g.large", "--json", "-"}));
    ASSERT_EQ(out.code, 0) << out.err;
    const Json json = Json::parse(out.out);
    const double hour = json["price"]["per_hour"].get<double>();
    EXPECT_NEAR(hour, 2 * json["price"]["parts"][0]["per_hour"].get<double>(), 1e-12);
    EXPECT_FALSE(json["price"]["parts"][0]["source"].get<std::string>().empty());
    for (const Json& cell : json["cells"])
        EXPECT_NEAR(cell["cost_per_million_tokens"].get<double>() * cell["tokens_per_second"].get<double>(), hour / 3600 * 1e6,
                    1e-6 * hour / 3600 * 1e6);
    const Outcome table = speclens(quick_sweep({"--drafters", "lookup", "--price", "m7g.large"}));
    ASSERT_EQ(table.code, 0) << table.err;
    for (const char* part : {"USD/Mtok", "computed from the LIVE speeds", "second-hand", "[PUBLISHED]"})
        EXPECT_NE(table.out.find(part), std::string::npos) << part << "\n" << table.out;
    EXPECT_EQ(speclens({"sweep", "--price", "a-mainframe"}).code, 2);
    EXPECT_NE(speclens({"sweep", "--prices", "/no/such/file.toml"}).err.find("/no/such/file.toml does not exist"), std::string::npos);
}

TEST(Sweep, TellsWhatWasMeasuredWhenItIsInterrupted) {
    Start start;
    start.arguments = {"sweep", "--for", "100", "--drafters", "lookup", "--concurrency", "1,2,4,8,16"};
    const Outcome out = interrupted_when(start, [](const Outcome& o) { return o.out.find("tok/s") != std::string::npos; });
    EXPECT_EQ(out.code, 130);
    EXPECT_NE(out.out.find("not measured"), std::string::npos) << out.out;
}

TEST(Sweep, SaysThatNothingWasMeasuredWhereItEndsBeforeTheFirstCell) {
    const std::filesystem::path file = fresh_folder() / "s.json";
    Start start;
    start.arguments = {"sweep", "--for", "400", "--drafters", "lookup", "--concurrency", "16", "--json", file.string()};
    const Outcome out = interrupted_when(start, [](const Outcome& o) {
        return o.err.find("nothing was measured") != std::string::npos || o.out.find("tok/s") != std::string::npos;
    });
    EXPECT_EQ(out.code, 130);
    EXPECT_NE(out.err.find("ended before the first of 2 cells: nothing was measured"), std::string::npos) << out.err;
    EXPECT_EQ(out.out, "");
    EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Sweep, IsShownInTheMapOfFailures) {
    if (speclens({"list", "scenes"}).out.empty()) GTEST_SKIP() << "this build draws nothing";
    const Outcome out = speclens({"describe", "failures:3", "--concurrency", "1,4", "--for", "2", "--max-tokens", "16"});
    ASSERT_EQ(out.code, 0) << out.err;
    for (const char* part : {"× measured (", "1 text at once; a cell: its rows in one pass", "plain batched decoding"})
        EXPECT_NE(out.out.find(part), std::string::npos) << part << "\n" << out.out;
    EXPECT_EQ(speclens({"describe", "loop", "--concurrency", "1,4"}).code, 2);
    EXPECT_EQ(speclens({"describe", "failures", "--for", "4"}).code, 2);
}

TEST(Sweep, RefusesWhatItCannotDo) {
    EXPECT_EQ(speclens({"sweep", "--concurrency", "0"}).code, 2);
    EXPECT_EQ(speclens({"sweep", "--concurrency", "65"}).code, 2);
    EXPECT_EQ(speclens({"sweep", "--drafters", "nobody"}).code, 2);
    EXPECT_EQ(speclens({"sweep", "--drafters", "none"}).code, 2);
    EXPECT_EQ(speclens({"sweep", "--model", table_file()}).code, 2);
    EXPECT_EQ(speclens({"sweep", "--for", "900"}).code, 2);
    EXPECT_EQ(speclens(quick_sweep({"--drafters", "lookup", "--blocks", "1"})).code, 2);
}

} // namespace speclens::test
