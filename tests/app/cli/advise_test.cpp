// `advise` as a user meets it. The machine that runs the tests may be busy: then there is no verdict, and that is said.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "engine/base/json.h"
#include "tests/app/cli/support.h"
#include "tests/shared/listening.h"
#include "tests/shared/slow_model.h"

namespace speclens::test {

namespace {

std::string short_prompts() {
    static const std::string file = [] {
        const std::filesystem::path path = fresh_folder() / "prompts.jsonl";
        std::string text;
        for (const char* question :
             {"What is the capital of Japan?", "What is 12 + 30?", "Name a planet.", "Say hello.", "What is the capital of France?",
              "What is 7 + 5?", "Name a colour.", "Tell me a fact.", "Count to five."})
            text += Json{{"prompt", question}, {"chat", true}, {"domain", "short"}}.dump() + "\n";
        write_file(path, text);
        return path.string();
    }();
    return file;
}

std::vector<std::string> quick(std::vector<std::string> more) {
    std::vector<std::string> words = {"advise", "--prompts", short_prompts(), "--max-tokens", "12", "--for", "60"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

std::string last_line(const std::string& text) {
    const std::size_t end = text.find_last_not_of('\n'), from = text.rfind('\n', end);
    return text.substr(from + 1, end - from);
}

RunSettings slowly_drafted() {
    RunSettings settings;
    settings.drafter = "small";
    settings.k = 3;
    return settings;
}

} // namespace

TEST(Advise, EndsInOneSentence) {
    const Outcome out = speclens(quick({"--drafters", "eagle3,lookup", "--k", "1,3"}));
    ASSERT_TRUE(out.code == 0 || out.code == 1) << out.err;
    const std::string sentence = last_line(out.out);
    EXPECT_EQ(out.code == 1, sentence.starts_with("No verdict: ")) << out.out;
    for (const char* part : {"SpecLens advise", "[LIVE]", "eagle3", "lookup", "best K", "breaks even at", "tokens a second"})
        EXPECT_NE(out.out.find(part), std::string::npos) << part << "\n" << out.out;
}

TEST(Advise, TellsProgramsTheSame) {
    const Outcome out = speclens(quick({"--drafters", "eagle3", "--k", "1,2,3", "--json", "-"}));
    ASSERT_TRUE(out.code == 0 || out.code == 1) << out.err;
    const Json json = Json::parse(out.out);
    EXPECT_EQ(json["schema"], "speclens-advice/1");
    EXPECT_EQ(json["cells"].size(), 3U);
    EXPECT_EQ(json["prompts"], 9);
    EXPECT_EQ(json["verdict"] == "none", out.code == 1);
    for (const Json& cell : json["cells"]) EXPECT_LT(cell["speedup_low"].get<double>(), cell["speedup_high"].get<double>());
}

// It could be neither waited for nor stopped, and left a file of no bytes.
TEST(Advise, IsEndedAndTellsWhatWasMeasuredByThen) {
    for (const int signal : {SIGINT, SIGTERM}) {
        const std::filesystem::path folder = fresh_folder(), file = folder / "a.json";
        Start start;
        start.signal = signal;
        start.arguments = {"advise", "--for", "400", "--drafters", "lookup", "--k", "2,4", "--json", file.string()};
        const Outcome out = interrupted_when(start, [&](const Outcome&) { return !read_file(file).empty(); });
        EXPECT_EQ(out.code, 130) << out.err;
        EXPECT_NE(out.out.find("SpecLens advise"), std::string::npos) << out.out;
        EXPECT_EQ(Json::parse(read_file(file))["schema"], "speclens-advice/1");
        EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "nothing is left beside it";
    }
}

// Its time was spent before, and at the end there was nothing.
TEST(Advise, SaysAtOnceThatItsTimeIsTooShortForOneFigure) {
    const Outcome out = speclens({"advise", "--prompts", short_prompts(), "--max-tokens", "400", "--for", "1"});
    EXPECT_EQ(out.code, 1) << out.out << out.err;
    EXPECT_NE(out.err.find("1 s are too short for one figure: a prompt takes up to "), std::string::npos) << out.err;
    EXPECT_NE(out.err.find("Give it longer, --for "), std::string::npos) << out.err;
}

TEST(Advise, WritesAProfileAndReadsItAgain) {
    const std::filesystem::path file = fresh_folder() / "speculation_profile.json";
    const Outcome wrote = speclens(quick({"--drafters", "eagle3", "--k", "1,2,3", "--profile", file.string()}));
    ASSERT_TRUE(wrote.code == 0 || wrote.code == 1) << wrote.err;
    const Json profile = Json::parse(read_file(file));
    EXPECT_EQ(profile["method"], "eagle3");
    EXPECT_EQ(profile["num_speculative_tokens"], 3);
    EXPECT_TRUE(profile["validation"]["mean_consistency"]["passed"].get<bool>());
    const Outcome read = speclens(quick({"--profile", file.string(), "--k", "1,2,3", "--json", "-"}));
    ASSERT_TRUE(read.code == 0 || read.code == 1) << read.err;
    EXPECT_NE(read.err.find("only costs are measured here"), std::string::npos) << read.err;
    const Json advice = Json::parse(read.out);
    ASSERT_EQ(advice["cells"].size(), 3U);
    EXPECT_NEAR(advice["cells"][2]["tokens_per_round"].get<double>(), profile["mean_accept_length"].get<double>(), 1e-5);
    EXPECT_EQ(Json::parse(read_file(file)), profile) << "a profile that is read is not written";
    Json broken = profile;
    broken["mean_accept_length"] = 1.01;
    write_file(file, broken.dump());
    const Outcome refused = speclens(quick({"--profile", file.string()}));
    EXPECT_EQ(refused.code, 3) << refused.err;
    EXPECT_NE(refused.err.find("mean_accept_length"), std::string::npos) << refused.err;
}

// Our own server obeys a request that asks for no drafts, so how fast it is without is measured.
TEST(Advise, OnAServerThatCanSwitchDraftsOff) {
    RunSettings settings;
    settings.drafter = "eagle3";
    settings.k = 3;
    const Listening server(settings);
    const Outcome out =
        speclens({"advise", "--url", server.endpoint.origin, "--prompts", short_prompts(), "--max-tokens", "24", "--json", "-"});
    ASSERT_TRUE(out.code == 0 || out.code == 1) << out.err;
    const Json json = Json::parse(out.out);
    EXPECT_EQ(json["schema"], "speclens-served-advice/1");
    EXPECT_EQ(json["k"], 3);
    EXPECT_GT(json["tokens_per_round"], 1);
    EXPECT_GT(json["texts_compared"], 0);
    EXPECT_EQ(json["texts_same"], json["texts_compared"]);
    const Outcome told = speclens(
        {"advise", "--url", server.endpoint.origin, "--prompts", short_prompts(), "--max-tokens", "24", "--plain", "0.5", "--for", "30"});
    // That gain is more than what the guesses brought to the text: the speed was another server's.
    ASSERT_EQ(told.code, 1) << told.out << told.err;
    EXPECT_TRUE(last_line(told.out).starts_with("No verdict: ")) << told.out;
    EXPECT_NE(told.out.find("without 0.5, as told"), std::string::npos) << told.out;
    EXPECT_NE(told.out.find(" · SpecLens "), std::string::npos) << told.out; // whose names are vLLM's
    EXPECT_EQ(told.out.find("vLLM"), std::string::npos) << told.out;
}

// SGLang with speculative_eagle_topk 8: the nodes of a round were its drafts until April 2026, its depth is since, and neither is a K.
TEST(Advise, NamesTheTreesOfASglangAndNoLength) {
    for (const int drafted : {31, 5, 0}) { // 0: a chain of five
        SCOPED_TRACE(drafted);
        const auto answered = [&](const std::string& request) {
            const auto http = [](const char* status, const std::string& body) {
                return RawServer::Answer{"HTTP/1.1 " + std::string(status) +
                                         "\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body};
            };
            Json info = {{"version", "0.5.9"},
                         {"speculative_num_steps", 5},
                         {"speculative_eagle_topk", drafted > 0 ? 8 : 1},
                         {"speculative_num_draft_tokens", drafted > 0 ? 32 : 6}};
            info["internal_states"] = Json::array({Json{{"avg_spec_accept_length", 3.2}}});
            if (request.starts_with("GET /server_info")) return http("200 OK", info.dump());
            if (request.starts_with("GET /v1/models")) return http("200 OK", R"({"data":[{"id":"m"}]})");
            if (!request.starts_with("POST /v1/chat/completions")) return http("404 Not Found", "{}");
            // Ten rounds, of which none kept more than three: its histogram ends there. 10 + 22 tokens.
            const Json details = {{"spec_verify_ct", 10},
                                  {"spec_num_correct_drafts", 22},
                                  {"spec_num_proposed_drafts", 10 * (drafted > 0 ? drafted : 5)},
                                  {"spec_correct_drafts_histogram", {1, 1, 3, 5}}};
            return http(
                "200 OK",
                R"(data: {"choices":[{"index":0,"delta":{"content":"Ten rounds."},"finish_reason":"length"}]})"
                "\n\ndata: " +
                    Json{{"choices", Json::array()}, {"usage", {{"completion_tokens", 32}}}, {"sglext", {{"spec_tokens_details", details}}}}
                        .dump() +
                    "\n\ndata: [DONE]\n\n");
        };
        const RawServer server(answered);
        const std::vector<std::string> words = {"advise",       "--url", server.endpoint.origin, "--prompts", short_prompts(),
                                                "--max-tokens", "32"};
        const auto with = [&](std::vector<std::string> more) {
            more.insert(more.begin(), words.begin(), words.end());
            return speclens(more);
        };
        const Outcome out = with({"--json", "-"});
        ASSERT_LE(out.code, 1) << out.err;
        const Json json = Json::parse(out.out);
        EXPECT_NEAR(json["tokens_per_round"].get<double>(), 3.2, 1e-9) << "the length is one, however drafts are counted";
        const std::filesystem::path file = fresh_folder() / "speculation_profile.json";
        const Outcome text = with({"--profile", file.string()});
        if (drafted == 0) {
            EXPECT_EQ(json["k"], 5) << "by its settings: the histogram ends at three";
            EXPECT_EQ(json["tree"], false);
            EXPECT_EQ(Json::parse(read_file(file))["num_speculative_tokens"], 5);
            continue;
        }
        EXPECT_EQ(json["tree"]["depth"], 5);
        EXPECT_EQ(json["tree"]["nodes"], 31);
        for (const char* key : {"k", "best_k", "best_speedup", "alpha_to_break_even"}) EXPECT_TRUE(json[key].is_null()) << key;
        EXPECT_NE(text.out.find("a tree of depth 5, 31 nodes"), std::string::npos) << text.out;
        EXPECT_EQ(text.out.find("K = 31"), std::string::npos) << text.out;
        EXPECT_EQ(text.code, 1);
        EXPECT_NE(text.err.find("this server drafts trees"), std::string::npos) << text.err;
        EXPECT_FALSE(std::filesystem::exists(file));
    }
}

// A server that is slower than the time that was given.
TEST(Advise, SaysHowManyAnswersOfASlowServerThereWasTimeFor) {
    const Listening server(slowly_drafted(), 32, slow_models().models);
    const Outcome out = speclens({"advise", "--url", server.endpoint.origin, "--max-tokens", "8", "--for", "8"});
    ASSERT_LE(out.code, 1) << out.out << out.err;
    EXPECT_NE(out.out.find("Time was up after "), std::string::npos) << out.out;
    EXPECT_NE(out.out.find(" of 12 prompts: --for "), std::string::npos) << out.out;
    // An answer that was begun is not waited for: to read its prompt alone takes longer here.
    const Listening slower(slowly_drafted(), 32, slow_models({.target_ms = 600}).models);
    const Outcome none = speclens({"advise", "--url", slower.endpoint.origin, "--max-tokens", "24", "--for", "1"});
    EXPECT_EQ(none.code, 1) << none.out;
    EXPECT_NE(none.err.find("--for 1: not one of 12 prompts was answered in that time"), std::string::npos) << none.out << none.err;
}

TEST(Advise, TellsOfAServerWhatWasAnsweredWhenItIsEnded) {
    const Listening server(slowly_drafted(), 32, slow_models().models);
    Start start;
    start.arguments = {"advise", "--url", server.endpoint.origin, "--max-tokens", "24"};
    const Outcome out = interrupted_when(start, [](const Outcome& one) { return one.out.find("Stopped after ") != std::string::npos; });
    EXPECT_EQ(out.code, 130) << out.err;
    EXPECT_NE(out.out.find(" of 12 prompts."), std::string::npos) << out.out << out.err;
    start.interrupt_after_ms = 200;
    const Outcome none = speclens(start);
    EXPECT_EQ(none.code, 130) << none.err;
    EXPECT_EQ(none.out, "");
}

TEST(Advise, RefusesWhatMeansNothing) {
    EXPECT_EQ(speclens({"advise", "--plain", "60"}).code, 2);
    EXPECT_EQ(speclens({"advise", "--url", "127.0.0.1:1", "--model", "tiny"}).code, 2);
    EXPECT_EQ(speclens({"advise", "--url", "127.0.0.1:1"}).code, 6);
    EXPECT_EQ(speclens({"advise", "--drafters", "nobody"}).code, 2);
    EXPECT_EQ(speclens({"advise", "--model", table_file()}).code, 2);
}

TEST(Advise, CompareEndsWithTheVerdict) {
    const Outcome out =
        speclens({"compare", "--drafters", "lookup", "--k", "3", "--prompts", short_prompts(), "--max-tokens", "8", "--repeats", "1"});
    ASSERT_EQ(out.code, 0) << out.err;
    const std::string sentence = last_line(out.out);
    EXPECT_TRUE(sentence.starts_with("No verdict: ") || sentence.starts_with("Do not speculate here") || sentence.starts_with("Use "))
        << out.out;
}

} // namespace speclens::test
