// What programs read does not depend on a language: `--language de`, or an environment that speaks German, leaves every --json and --csv
// as it is, to the byte; where its texts are the language's own (describe, the glossary, the quiz), ids and values are the same. What is
// timed is another number in every run: there it is read as numbers are written in JSON, a table has the same columns, and no text is
// German.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>
#include <string_view>

#include "app/cli/options.h"
#include "engine/base/json.h"
#include "tests/app/cli/support.h"
#include "tests/shared/toy_server.h"

namespace speclens::test {
namespace {

using Asked = std::vector<std::string>;

// The bytes, but for the minute of the run.
std::string data_of(Asked words, bool german, const Asked& more = {}) {
    Start start;
    start.arguments = std::move(words);
    start.arguments.insert(start.arguments.end(), more.begin(), more.end());
    if (german) start.environment["LC_ALL"] = "de_DE.UTF-8";
    const Outcome out = speclens(start);
    EXPECT_LE(out.code, 3) << out.err; // a verdict may be open
    EXPECT_FALSE(out.out.empty() && out.code > 1) << out.err;
    static const std::regex kDate(R"re("date": ?"[^"]*")re");
    return std::regex_replace(out.out, kDate, "\"date\": \"\"");
}

std::string log_of_a_server() {
    const std::filesystem::path file = fresh_folder() / "server.log";
    write_file(file,
               "SpecDecoding metrics: Mean acceptance length: 2.10, Accepted: 110 tokens, Drafted: 300 tokens, Per-position acceptance "
               "rate: 0.6, 0.3, 0.2, Avg Draft acceptance rate: 36.7%\n");
    return file.string();
}

std::string three_prompts() {
    const std::filesystem::path file = fresh_folder() / "prompts.jsonl";
    write_file(file,
               "{\"prompt\":\"one two one two one two\",\"domain\":\"copy\"}\n{\"prompt\":\"a rose is a rose is a\",\"domain\":\"copy\"}\n"
               "{\"prompt\":\"if x then y else z\",\"domain\":\"code\"}\n");
    return file.string();
}

std::string recorded_run(const std::string& name) { return std::string(SPEC_SOURCE_DIR) + "/assets/traces/" + name + ".jsonl"; }

// All that has neither a clock nor words of its own.
std::vector<Asked> settled() {
    std::vector<Asked> all = {{"run", "--drafter", "lookup", "--prompt", "one two one two one", "--max-tokens", "8", "--no-timing"},
                              {"run", "--model", table_file(), "--no-timing"},
                              {"attach", log_of_a_server()},
                              {"get"},
                              {"lossless", "200"},
                              {"check", "--model", micro_model(), "--precision", "bf16"},
                              {"render", "race", "--stepped", "--max-tokens", "8", "-o", (fresh_folder() / "race.png").string()},
                              {"describe", "race", "--stepped", "--max-tokens", "8"}};
    for (const char* what :
         {"scenes", "lectures", "drafters", "rules", "models", "heads", "keys", "geometries", "glossary", "quiz", "published"})
        all.push_back({"list", what});
    return all;
}

// And what times something, or asks somebody who does.
std::vector<Asked> timed(const std::string& server) {
    const Asked few = {"--prompts", three_prompts(), "--max-tokens", "8"};
    std::vector<Asked> all = {{"compare", "--model", micro_model(), "--drafters", "none,lookup", "--repeats", "1", "--threads", "1"},
                              {"advise", "--drafters", "lookup", "--k", "1,3", "--for", "20"},
                              {"train", "--texts", "1", "--steps", "10", "--heads", "1"},
                              {"same", server}};
    for (Asked& words : all) words.insert(words.end(), few.begin(), few.end());
    all.push_back({"bench", "--model", micro_model(), "--repeats", "1", "--threads", "1", "--rows", "2", "--drafters", "lookup"});
    all.push_back({"sweep", "--for", "2", "--repeats", "1", "--max-tokens", "8", "--concurrency", "1,2", "--drafters", "lookup"});
    return all;
}

bool takes_csv(const std::string& command) { return command == "compare" || command == "sweep"; }
Asked as_data(const std::string& command) { return command == "list" || command == "get" ? Asked{"--json"} : Asked{"--json", "-"}; }

void expect_no_german(const Json& json) {
    if (json.is_structured())
        for (const Json& inner : json) expect_no_german(inner);
    if (!json.is_string()) return;
    for (const char* sign : {"ä", "ö", "ü", "ß", "Ä", "Ö", "Ü", "„"}) EXPECT_EQ(json.text().find(sign), std::string::npos) << json;
    static const std::regex kWords(R"(\b(nicht|und|keine|Runden)\b)");
    EXPECT_FALSE(std::regex_search(json.text(), kWords)) << json;
}

// Ids, names of values and numbers; which language said it, and its words, are left out.
Json ids_and_values(const Json& json) {
    if (json.is_array()) {
        Json all = Json::array();
        for (const Json& one : json) all.push_back(ids_and_values(one));
        return all;
    }
    if (!json.is_object()) return json.is_string() ? Json("words") : json;
    Json all = Json::object();
    for (const auto& [key, value] : json.items()) {
        if (key == "text" || key == "language" || key == "place") continue;
        all[key] = key == "id" ? value : ids_and_values(value);
    }
    return all;
}

// Of one message, without where it stands and whether it is drawn.
std::string data_of_message(const Json& message) { return message.at("id").text() + " " + ids_and_values(message.at("values")).dump(); }

bool in_english(const Json& messages, const std::string& text) {
    for (const Json& message : messages)
        if (message.at("text").text() == text) return true;
    return false;
}

std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"') quoted = !quoted;
        if (c == ',' && !quoted)
            cells.emplace_back();
        else
            cells.back() += c;
    }
    return cells;
}

TEST(DataLanguages, LeaveTheBytesAsTheyAre) {
    for (const Asked& words : settled()) {
        SCOPED_TRACE(words[0] + " " + words[1 % words.size()]);
        Asked asked = words;
        const Asked data = as_data(words[0]);
        asked.insert(asked.end(), data.begin(), data.end());
        const std::string english = data_of(asked, false);
        EXPECT_FALSE(english.empty());
        EXPECT_EQ(english, data_of(asked, true));
        const bool speaks = words[0] == "run" || words[0] == "render" || words[0] == "describe";
        if (speaks) {
            EXPECT_EQ(english, data_of(asked, true, {"--language", "de"}));
        }
    }
    for (const char* format : {"csv", "rounds", "perfetto"}) {
        const Asked words = {"export", format, recorded_run("mixed"), "-o", "-"};
        EXPECT_EQ(data_of(words, false), data_of(words, true)) << format;
    }
}

TEST(DataLanguages, LeaveWhatIsTimedInEnglish) {
    const ToyServer server;
    for (const Asked& words : timed(server.endpoint.origin)) {
        SCOPED_TRACE(words[0]);
        const Json english = Json::parse(data_of(words, false, {"--json", "-"})),
                   german = Json::parse(data_of(words, true, {"--json", "-"}));
        EXPECT_EQ(english.at("schema"), german.at("schema"));
        EXPECT_GT(german.size(), 2U);
        expect_no_german(german);
        if (!takes_csv(words[0])) continue;
        std::istringstream lines[2]{std::istringstream(data_of(words, false, {"--csv", "-"})),
                                    std::istringstream(data_of(words, true, {"--csv", "-"}))};
        std::string line[2];
        for (int row = 0; std::getline(lines[0], line[0]); ++row) {
            ASSERT_TRUE(std::getline(lines[1], line[1])) << row;
            if (row == 0) {
                EXPECT_EQ(line[0], line[1]) << "names of columns";
            }
            EXPECT_EQ(cells_of(line[0]).size(), cells_of(line[1]).size()) << line[1] << ": a decimal comma is a cell more";
            expect_no_german(Json(cells_of(line[1])));
        }
    }
}

// The texts are German, what is told is the same: of every scene, beside a recorded run.
TEST(DataLanguages, LeaveIdsAndValuesOfWhatIsTold) {
    const Json scenes = Json::parse(speclens({"list", "scenes", "--json"}).out);
    long told = 0, texts = 0, english_texts = 0;
    for (const Json& scene : scenes) {
        const std::string name = scene.at("name").get<std::string>();
        if (name == "race") continue; // its --json is the race
        SCOPED_TRACE(name);
        const bool own = std::filesystem::exists(recorded_run(name));
        const Asked asked = {"describe", name, recorded_run(own ? name : name == "trees" ? "tree" : "mixed")};
        const std::filesystem::path folder = fresh_folder();
        Json messages[2];
        std::multiset<std::string> all[2];
        for (const bool german : {false, true}) {
            const std::string file = (folder / (german ? "de.json" : "en.json")).string();
            (void)data_of(asked, german, german ? Asked{"--json", file, "--language", "de"} : Asked{"--json", file});
            const Json json = Json::parse(read_file(file));
            EXPECT_EQ(json.at("language"), german ? "de" : "en");
            messages[german] = json.at("messages");
            for (const Json& message : messages[german]) all[german].insert(data_of_message(message));
        }
        // Which of several ways to say it is drawn hangs on the room; what is told of a thing is told or drawn in both.
        for (const bool german : {false, true})
            for (const Json& message : messages[german]) {
                if (message.at("drawn").get<bool>()) continue;
                ++told;
                EXPECT_EQ(all[!german].count(data_of_message(message)), all[german].count(data_of_message(message))) << message;
            }
        for (const Json& message : messages[1]) english_texts += in_english(messages[0], message.at("text").text());
        texts += static_cast<long>(messages[1].size());
    }
    EXPECT_GT(told, 1000);
    EXPECT_LT(english_texts, texts / 2) << "they are said in German";
    for (const char* what : {"quiz", "lectures", "glossary"}) {
        Json lists[2];
        std::multiset<std::string> seen[2]; // of the glossary, which has an order of its own in each language
        for (const bool german : {false, true}) {
            lists[german] = Json::parse(data_of({"list", what, "--json"}, german, german ? Asked{"--language", "de"} : Asked{}));
            for (const Json& entry : lists[german]) seen[german].insert(entry.contains("see") ? entry.at("see").text() : "");
        }
        EXPECT_NE(lists[0], lists[1]) << what;
        EXPECT_EQ(lists[0].size(), lists[1].size()) << what;
        EXPECT_EQ(seen[0], seen[1]) << what;
        if (what != std::string_view("glossary")) {
            EXPECT_EQ(ids_and_values(lists[0]), ids_and_values(lists[1])) << what;
        }
    }
}

// A command that learns --json or --csv has to stand above.
TEST(DataLanguages, AreHeldForEveryCommandThatWritesData) {
    std::set<std::string> held, all;
    for (const Asked& words : settled()) held.insert(words[0]);
    for (const Asked& words : timed("")) held.insert(words[0]);
    std::set<std::string> tables;
    for (const cli::OptionRow& option : cli::option_rows())
        for (const cli::CommandRow& command : cli::command_rows()) {
            if (!cli::applies(option, command.command)) continue;
            if (std::string_view(option.name) == "--json") all.insert(command.name);
            if (std::string_view(option.name) == "--csv") tables.insert(command.name);
        }
    EXPECT_EQ(held, all);
    for (const std::string& table : tables) EXPECT_TRUE(takes_csv(table)) << table;
    EXPECT_EQ(tables.size(), 2U);
}

} // namespace
} // namespace speclens::test
