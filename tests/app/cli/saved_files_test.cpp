// Files and links of version 0.1.0 (golden/saved): they open with every later version and mean what they meant.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "app/views/lecture.h"
#include "app/views/link.h"
#include "engine/base/json.h"
#include "engine/lab/race_json.h"
#include "engine/run/run_view.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"
#include "tests/app/cli/support.h"

namespace speclens::test {
namespace {

std::filesystem::path saved(const std::string& name) {
    return std::filesystem::path(SPEC_SOURCE_DIR) / "tests" / "app" / "cli" / "golden" / "saved" / name;
}

Json saved_json(const std::string& name) { return Json::parse(read_file(saved(name))); }

bool draws_nothing() {
    static const bool kNothing = speclens({"list", "scenes"}).out.empty();
    return kNothing;
}

std::vector<std::string> runs() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(saved("")))
        if (entry.path().extension() == ".jsonl") names.push_back(entry.path().stem().string());
    std::ranges::sort(names);
    return names;
}

// "rows[].drafter": what a program that reads the file may look for.
void key_paths(const Json& json, const std::string& path, std::set<std::string>& out) {
    if (json.is_array())
        for (const Json& item : json) key_paths(item, path + "[]", out);
    else if (json.is_object())
        for (const auto& [name, value] : json.items()) {
            out.insert(path + "." + name);
            key_paths(value, path + "." + name, out);
        }
}

void expect_keys_of(const std::string& file, const std::vector<std::string>& arguments) {
    const Outcome now = speclens(arguments);
    ASSERT_EQ(now.code, 0) << now.err;
    std::set<std::string> then, here;
    key_paths(saved_json(file), "", then);
    key_paths(Json::parse(now.out), "", here);
    for (const std::string& path : then) EXPECT_TRUE(here.contains(path)) << file << " has " << path << ", which is not written any more";
}

} // namespace

class SavedRun : public ::testing::TestWithParam<std::string> {};

TEST_P(SavedRun, OpensAndMeansWhatItMeant) {
    const std::string file = GetParam() + ".jsonl";
    const Json expected = saved_json("expected.json").at(file);
    std::string notice;
    const std::shared_ptr<const Trace> trace = load_trace(saved(file), &notice);
    EXPECT_EQ(notice, "");
    ASSERT_NE(trace->header(), nullptr);
    EXPECT_EQ(trace->header()->drafter, expected["drafter"]) << "a drafter keeps its name";
    EXPECT_EQ(trace->header()->rule, expected["rule"]) << "a rule keeps its name";
    EXPECT_EQ(trace->header()->k, expected["k"]);
    EXPECT_EQ(trace->header()->seed, expected["seed"]);
    EXPECT_EQ(trace->size(), expected["events"]) << "no event is left out or added when a file is read";

    const RunView view = fold(*trace, trace->size());
    std::string text;
    for (const OutputToken& token : view.tokens)
        if (token.origin != Origin::prompt) text += trace->text(token.id);
    EXPECT_EQ(text, expected["text"]);
    EXPECT_EQ(view.output_tokens, expected["tokens"]);
    ASSERT_NE(view.stopped, nullptr);
    EXPECT_EQ(view.stopped->reason, expected["reason"]);
    EXPECT_EQ(view.stopped->hash, std::stoull(expected["hash"].get<std::string>(), nullptr, 16));
    EXPECT_EQ(trace->hash(trace->size() - 1), view.stopped->hash) // of the events before it
        << "what goes into the hash of a run, and how, may not change";
    EXPECT_TRUE(trace->intact());
}

TEST_P(SavedRun, IsDescribed) {
    if (draws_nothing()) GTEST_SKIP() << "this build draws nothing";
    const Outcome outcome = speclens({"describe", "loop", saved(GetParam() + ".jsonl")});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_NE(outcome.out.find("Data: RECORDED"), std::string::npos) << outcome.out;
}

INSTANTIATE_TEST_SUITE_P(Saved, SavedRun, ::testing::ValuesIn(runs()), [](const auto& run) { return run.param; });

TEST(SavedFile, NoneIsMissing) {
    std::set<std::string> here, expected;
    for (const std::string& name : runs()) here.insert(name + ".jsonl");
    const Json all = saved_json("expected.json");
    for (const auto& [name, run] : all.items()) expected.insert(name);
    EXPECT_EQ(here, expected);
}

// Spreadsheets and scripts read columns by their place, so every byte stays; so does what a profiler draws.
TEST(SavedFile, ExportsTheSameBytes) {
    for (const std::string name : {"drafter_domino", "drafter_small_tree", "rule_block"})
        for (const auto& [format, ending] : {std::pair{"csv", ".csv"}, std::pair{"perfetto", ".perfetto.json"}}) {
            const Outcome outcome = speclens({"export", format, saved(name + ".jsonl"), "-o", "-"});
            EXPECT_EQ(outcome.code, 0) << outcome.err;
            EXPECT_EQ(outcome.out, read_file(saved(name + ending))) << name << " as " << format;
        }
}

TEST(SavedFile, OfARaceOpens) {
    const RaceView race = load_race(saved("race.json"));
    ASSERT_EQ(race.lanes.size(), 3U);
    EXPECT_EQ(race.settings.lanes[2].drafter, "domino");
    EXPECT_TRUE(race.finished());
    for (const RaceLane& lane : race.lanes) {
        ASSERT_NE(lane.trace, nullptr);
        EXPECT_TRUE(lane.trace->intact());
    }
    if (draws_nothing()) GTEST_SKIP() << "this build draws nothing";
    const Outcome outcome = speclens({"describe", "race", saved("race.json")});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("texts identical\n"), std::string::npos) << outcome.out;
}

// Keys are added, never renamed or left out.
TEST(SavedFile, EveryKeyOfAComparisonIsStillWritten) {
    expect_keys_of("compare.json", {"compare", "--drafters", "none,small,domino", "--k", "2,3", "--prompt", "The capital of France is",
                                    "--max-tokens", "8", "--json", "-"});
}

TEST(SavedFile, EveryKeyOfABenchIsStillWritten) {
    expect_keys_of("bench.json", {"bench", "--repeats", "1", "--drafters", "none,small", "--context", "8", "--json", "-"});
}

// A column keeps its place; new ones come behind those that are there, before the counts by position.
TEST(SavedFile, EveryColumnOfAComparisonKeepsItsPlace) {
    const Outcome now = speclens({"compare", "--drafters", "none,small,domino", "--k", "2,3", "--prompt", "The capital of France is",
                                  "--max-tokens", "8", "--csv", "-"});
    ASSERT_EQ(now.code, 0) << now.err;
    const std::string then = read_file(saved("compare.csv"));
    const std::string columns = then.substr(0, then.find(",judged_1"));
    EXPECT_TRUE(now.out.starts_with(columns)) << now.out.substr(0, now.out.find('\n'));
}

TEST(SavedFile, EveryListHasItsKeysAndNames) {
    for (const std::string what : {"drafters", "rules", "scenes"}) {
        if (what == "scenes" && draws_nothing()) continue;
        const std::string file = "list_" + what + ".json";
        expect_keys_of(file, {"list", what, "--json"});
        std::set<std::string> names;
        const Json now = Json::parse(speclens({"list", what, "--json"}).out), then = saved_json(file);
        for (const Json& item : now) names.insert(item["name"].text());
        for (const Json& item : then) EXPECT_TRUE(names.contains(item["name"].text())) << item["name"] << ": files and links name it";
    }
}

TEST(SavedFile, OfALectureHasItsSteps) {
    const Lecture lecture = load_lecture(saved("first-lesson.lec.toml"));
    EXPECT_EQ(lecture.title, "Guess cheaply, check exactly");
    EXPECT_EQ(lecture.steps.size(), 12U);
    EXPECT_EQ(lecture.minutes(), 39);
    for (const Lecture::Step& step : lecture.steps) EXPECT_FALSE(step.link.scene.empty()) << step.title;
    if (draws_nothing()) GTEST_SKIP() << "this build draws nothing";
    const Outcome outcome = speclens({"describe", "speclens://accept-rule/4?drafter=small&k=4&seed=9&prompt=A%20poem.&chat"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST(SavedLink, MeansWhatItMeant) {
    std::set<std::string> covered;
    const Json all = saved_json("links.json");
    for (const Json& expected : all) {
        const std::string& text = expected["link"].text();
        const Link link = parse_link(text);
        EXPECT_EQ(link.scene, expected["scene"]) << text;
        EXPECT_EQ(link.beat, expected["beat"]) << text;
        EXPECT_EQ(link.at, expected["at"]) << text;
        EXPECT_EQ(link.selected.has_value(), expected.contains("selected")) << text;
        if (link.selected && expected.contains("selected")) {
            EXPECT_EQ(Json::array({link.selected->first, link.selected->second}), expected["selected"]) << text;
        }
        EXPECT_EQ(command_of(link.options), expected["command"]) << text;
        EXPECT_EQ(to_text(link), text) << "a link is written as it was";
        for (const auto& [name, value] : link.options) covered.insert(name);
    }
    // Of those that there were; SettingsTable.EveryEntryIsEverywhere has them all.
    EXPECT_GT(covered.size(), 40U);
}

// Scripts look at the exit code alone.
TEST(SavedCall, EndsWithTheCodeItHad) {
    const std::string run = saved("rule_block.jsonl"), missing = saved("none.jsonl");
    struct Call {
        std::vector<std::string> arguments;
        int code;
        bool draws = false;
    };
    const Call calls[] = {
        {{"--version"}, 0},
        {{"--help"}, 0},
        {{"help", "run"}, 0},
        {{"list", "drafters"}, 0},
        {{"run", "--model", table_file(), "--max-tokens", "4", "--text"}, 0},
        {{"export", "csv", run, "-o", "-"}, 0},
        {{"describe", "loop", run}, 0, true},
        {{"comapre"}, 2},
        {{"run", "--promt", "x"}, 2},
        {{"run", "--k", "65"}, 2},
        {{"run", "--drafter", "nobody"}, 2},
        {{"run", "--prompt", "a", "--thinking"}, 2},
        {{"describe", "speclens://loop?stepp=4"}, 2},
        {{"render", "loop", "--theme", "drak", "-o", "x.png"}, 2},
        {{"export", "csv", missing, "-o", "-"}, 3},
        {{"run", "--model", saved("nobody")}, 3},
        {{"describe", "loop", missing}, 3, true},
        {{"attach", "http://127.0.0.1:1", "--once"}, 6},
        {{}, 5, true},
    };
    for (const Call& call : calls) {
        if (call.draws && draws_nothing()) continue;
        std::string words;
        for (const std::string& word : call.arguments) words += " " + word;
        const Outcome outcome = speclens(call.arguments);
        EXPECT_EQ(outcome.code, call.code) << "speclens" << words << "\n" << outcome.err;
    }
}

} // namespace speclens::test
