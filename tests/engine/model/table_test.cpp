// Table models: exact distributions, the same cache behaviour as a transformer, and files that are checked.
#include <cmath>

#include "engine/model/table_json.h"
#include "tests/shared/model_support.h"

namespace speclens {
namespace {

using namespace test;

const char* const kTable = R"({"schema":"speclens-table/1","vocab":3,"texts":["a","b","."],"stops":[2],
  "target":{"":[0.5,0.25,0.25],"0":[0.125,0.375,0.5],"1":[0,1,0],"0,1":[0.2,0.3,0.5]},
  "draft":{"":[0.25,0.25,0.5]}})";

class Table : public ::testing::Test {
  protected:
    TablePair pair_ = parse_table(kTable, "toy.json");
    std::unique_ptr<Decoder> decoder_ = make_table_decoder(pair_.target, /*prompt_length=*/2);
    const Sampling as_is_{.temperature = 1};
    const std::vector<int> prompt_{2, 0};
};

TEST_F(Table, ReadsTextsStopsAndBothModels) {
    EXPECT_EQ(pair_.target->texts, (std::vector<std::string>{"a", "b", "."}));
    EXPECT_EQ(pair_.target->stops, std::vector<int>{2});
    EXPECT_EQ(pair_.draft->rows.size(), 1u);
    EXPECT_TRUE(decoder_->is_table());
    EXPECT_EQ(decoder_->vocab(), 3);
    EXPECT_EQ(decoder_->layers(), 0);
}

TEST_F(Table, ThePromptIsNotPartOfTheContext) {
    PassRows& rows = decoder_->forward({.tokens = prompt_});
    EXPECT_EQ(rows.distribution(0, as_is_), (Distribution{0.5, 0.25, 0.25}));
    EXPECT_EQ(rows.distribution(1, as_is_), (Distribution{0.5, 0.25, 0.25}));
}

TEST_F(Table, DistributionsAreTheRowsOfTheContextOrOfItsLongestKnownSuffix) {
    decoder_->prefill(prompt_);
    PassRows& rows = decoder_->forward({.tokens = std::vector<int>{0, 1, 1, 0, 2}});
    EXPECT_EQ(rows.distribution(0, as_is_), (Distribution{0.125, 0.375, 0.5})); // "0"
    EXPECT_EQ(rows.distribution(1, as_is_), (Distribution{0.2, 0.3, 0.5}));     // "0,1"
    EXPECT_EQ(rows.distribution(2, as_is_), (Distribution{0, 1, 0}));           // "0,1,1" -> "1"
    EXPECT_EQ(rows.distribution(3, as_is_), (Distribution{0.125, 0.375, 0.5})); // … -> "0"
    EXPECT_EQ(rows.distribution(4, as_is_), (Distribution{0.5, 0.25, 0.25}));   // … -> ""
    EXPECT_EQ(rows.argmax(), (std::vector<int>{2, 2, 1, 2, 0}));
    EXPECT_EQ(rows.distribution(2, {}), (Distribution{0, 1, 0}));
    EXPECT_FLOAT_EQ(rows.logits(0)[2], std::log(0.5f));
    EXPECT_EQ(rows.logits(2)[0], -std::numeric_limits<float>::infinity());
}

TEST_F(Table, TreesFollowTheirParents) {
    decoder_->prefill(prompt_);
    const std::vector<int> tokens{0, 1, 1}, parents{-1, -1, 0};
    PassRows& rows = decoder_->forward({.tokens = tokens, .parents = parents, .logits_from = 1});
    ASSERT_EQ(rows.count(), 2);
    EXPECT_EQ(rows.distribution(0, as_is_), (Distribution{0, 1, 0}));       // "1"
    EXPECT_EQ(rows.distribution(1, as_is_), (Distribution{0.2, 0.3, 0.5})); // "0,1"
    decoder_->keep(2, std::vector<int>{0, 2});
    EXPECT_EQ(decoder_->length(), 4);
    EXPECT_EQ(decoder_->forward({.tokens = std::vector<int>{2}}).distribution(0, as_is_), (Distribution{0.5, 0.25, 0.25}));
    decoder_->truncate(3);
    EXPECT_EQ(decoder_->forward({.tokens = std::vector<int>{1}}).distribution(0, as_is_), (Distribution{0.2, 0.3, 0.5}));
}

TEST_F(Table, ADecoderWithoutAnEmptyContextIsRefused) {
    auto table = std::make_shared<TableModel>();
    table->vocab = 1;
    table->rows = {{"0", {1.0}}};
    expect_error([&] { static_cast<void>(make_table_decoder(table, 0)); }, {"empty context"});
}

TEST(TableFile, EveryBrokenTableIsRefusedWithItsPlace) {
    const auto refused = [](const std::string& from, const std::string& to, std::vector<std::string> words) {
        std::string text = kTable;
        const auto at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
        words.push_back("toy.json");
        expect_error([&] { static_cast<void>(parse_table(text, "toy.json")); }, words);
    };
    refused("{\"schema\"", "\"schema\"", {"not valid JSON"});
    refused("speclens-table/1", "speclens-table/9", {"schema", "speclens-table/1"});
    refused("\"vocab\":3", "\"vocab\":-3", {"vocab", "-3"});
    refused("\"vocab\":3", "\"vocab\":4", {"row of 4", "3 entries"});
    refused("\"target\"", "\"tarjet\"", {"target"});
    refused("{\"\":[0.5,0.25,0.25],", "{", {"target", "empty context"});
    refused("\"1\":", "\"7\":", {"target", "\"7\""});
    refused("\"0,1\":", "\"0,,1\":", {"target", "0,,1"});
    refused("\"0,1\":", "\"0, 1\":", {"target", "0, 1"});
    refused("[0,1,0]", "[0,1]", {"after \"1\"", "2 entries"});
    refused("[0,1,0]", "[-1,1,1]", {"after \"1\"", "-1"});
    refused("[0,1,0]", "[0,0.9,0]", {"after \"1\"", "0.9"});
    refused("[0,1,0]", "[0,\"1\",0]", {"after \"1\"", "not a probability"});
    refused("\"stops\":[2]", "\"stops\":[3]", {"stop", "3"});
    refused("\"1\":", "\"0\":", {"the key \"0\" twice"});
    refused("\"stops\":[2]", "\"vocab\":3", {"the key \"vocab\" twice"});
    refused("[\"a\",\"b\",\".\"]", "[\"a\",\"b\"]", {"texts", "3"});
}

TEST(TableFile, RowsAreRenormalised) {
    const TablePair pair =
        parse_table(R"({"schema":"speclens-table/1","vocab":3,"target":{"":[0.3333333,0.3333333,0.3333333]}})", "thirds.json");
    EXPECT_EQ(pair.draft, nullptr);
    EXPECT_NEAR(pair.target->rows[0].second[0], 1.0 / 3, 1e-15);
}

TEST(TableFile, MissingFilesAreNamed) {
    expect_error([&] { static_cast<void>(load_table("no/such/none.json")); }, {"no/such/none.json does not exist"});
    expect_error([&] { static_cast<void>(load_table("/dev/null")); }, {"/dev/null is not a file"});
}

TEST(OracleFile, RefusesWhatNestsWithoutEnd) {
    EXPECT_THROW((void)parse_oracle_cases("{\"cases\":[" + std::string(200'000, '[') + std::string(200'000, ']') + "]}", "deep.json"),
                 Error);
}

TEST(OracleFile, CasesHaveTargetAndDraft) {
    const std::vector<OracleCase> cases = load_oracle_cases(golden("oracles_public.json"));
    ASSERT_EQ(cases.size(), 12u);
    EXPECT_EQ(cases[0].id, "u01-paper_example");
    EXPECT_EQ(cases[0].rule, "token");
    EXPECT_EQ(cases[0].block, 2);
    EXPECT_EQ(cases[6].params.at("k"), 2);
    for (const OracleCase& entry : cases) {
        ASSERT_NE(entry.distributions.target, nullptr) << entry.id;
        ASSERT_NE(entry.distributions.draft, nullptr) << entry.id;
        EXPECT_EQ(entry.distributions.target->vocab, entry.vocab);
        EXPECT_NE(entry.json.find("\"expect\""), std::string::npos);
    }
    const auto decoder = make_table_decoder(cases[2].distributions.target, 1);
    decoder->prefill(std::vector<int>{0});
    PassRows& rows = decoder->forward({.tokens = std::vector<int>{1, 2}});
    EXPECT_EQ(rows.distribution(1, {.temperature = 1}), (Distribution{0.03125, 0.34375, 0.625})); // context "1,2"
}

} // namespace
} // namespace speclens
