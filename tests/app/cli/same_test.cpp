// `same` as a user meets it: what it says, and the exit status that a script goes by.
#include <gtest/gtest.h>

#include "engine/base/json.h"
#include "tests/app/cli/support.h"
#include "tests/shared/listening.h"
#include "tests/shared/toy_server.h"

namespace speclens::test {

namespace {

// More places than the ready-made prompts at their length would have.
std::vector<std::string> asked_of(std::vector<std::string> words) {
    static const std::string file = [] {
        const std::filesystem::path path = fresh_folder() / "prompts.jsonl";
        std::string text;
        for (int i = 0; i < 30; ++i)
            text += Json{{"prompt", "Tell me number " + std::to_string(100 + i)}, {"chat", i % 2 == 0}}.dump() + "\n";
        write_file(path, text);
        return path.string();
    }();
    words.insert(words.begin(), "same");
    words.insert(words.end(), {"--prompts", file, "--max-tokens", "80"});
    return words;
}

void expect_refused(const std::vector<std::string>& words, const std::string& hint) {
    const Outcome out = speclens(words);
    EXPECT_EQ(out.code, 2) << out.err;
    EXPECT_EQ(out.out, "");
    EXPECT_NE(out.err.find(hint), std::string::npos) << out.err;
}

} // namespace

TEST(Same, ExitsWithWhatItFound) {
    using Planted = ToyBehaviour::Planted;
    struct Case {
        Planted planted;
        bool listens;
        int code;
        const char* sentence;
    };
    for (const Case& c : {Case{Planted::nothing, true, 0, "The same: all 30 texts are equal with and without drafts."},
                          Case{Planted::near_ties, true, 1, "Near ties alone: "}, Case{Planted::row_short, true, 2, "A mistake: "},
                          Case{Planted::noisy, true, 3, "two texts to one prompt"},
                          Case{Planted::nothing, false, 3, "the server drafts whatever it is asked"}}) {
        SCOPED_TRACE(c.sentence);
        ToyBehaviour planted;
        planted.planted = c.planted;
        planted.listens = c.listens;
        const ToyServer server(planted);
        const Outcome out = speclens(asked_of({server.endpoint.origin}));
        EXPECT_EQ(out.code, c.code) << out.out << out.err;
        EXPECT_NE(out.out.find(c.sentence), std::string::npos) << out.out;
        EXPECT_NE(out.out.find("[REMOTE]"), std::string::npos) << out.out;
        const Outcome json = speclens(asked_of({server.endpoint.origin, "--json", "-"}));
        EXPECT_EQ(json.code, c.code);
        const Json read = Json::parse(json.out);
        EXPECT_EQ(read["schema"], "speclens-same/1");
        EXPECT_EQ(read["exit_status"], c.code);
        EXPECT_EQ(read["arms"].size(), 2U);
        for (const Json& fork : read["forks"]) EXPECT_TRUE(fork.contains("margin"));
    }
}

TEST(Same, AttachDoesTheSame) {
    const ToyServer server;
    const Outcome out = speclens({"attach", server.endpoint.origin, "--same", "--max-tokens", "12"});
    EXPECT_EQ(out.code, 0) << out.err;
    EXPECT_NE(out.out.find("24 prompts, 2 answers each"), std::string::npos) << out.out;
    const Outcome one = speclens({"attach", server.endpoint.origin, "--same", "--prompt", "Hi", "--chat"});
    EXPECT_EQ(one.code, 0) << one.err;
    EXPECT_NE(one.out.find("The same: the one text is equal"), std::string::npos) << one.out;
}

TEST(Same, HoldsTwoServersAgainstEachOther) {
    ToyBehaviour plain, planted;
    plain.k = 0;
    planted.planted = ToyBehaviour::Planted::near_ties;
    const ToyServer first(plain), other(planted);
    const Outcome out = speclens(asked_of({first.endpoint.origin, other.endpoint.origin}));
    EXPECT_EQ(out.code, 1) << out.out << out.err;
    for (const char* part : {"on both servers", "near tie", "read again it goes on as the first", "Margins of the re-read text"})
        EXPECT_NE(out.out.find(part), std::string::npos) << part << "\n" << out.out;
}

// Our own server is one that can be started so.
TEST(Same, StartsAServerForEveryLength) {
    const std::string serve = std::string(SPECLENS_PROGRAM) + " serve --drafter lookup --k {k} --port {port} --threads 1";
    const Outcome out =
        speclens({"same", "--command", serve, "--k", "0,2,4", "--prompt", "one two one two one two one", "--max-tokens", "24"});
    ASSERT_EQ(out.code, 0) << out.out << out.err;
    for (const char* part :
         {"3 servers started", "K = 0", "nothing", "K = 4", "Equal texts: K = 0, K = 2, K = 4.", "at every draft length"})
        EXPECT_NE(out.out.find(part), std::string::npos) << part << "\n" << out.out;
    const Outcome wrong = speclens({"same", "--command", "echo no model of {k} at {port}; exit 1", "--k", "0,2"});
    EXPECT_EQ(wrong.code, 6) << wrong.err;
    EXPECT_NE(wrong.err.find("no model of 0 at"), std::string::npos) << wrong.err;
}

TEST(Same, KeepsWhatWasMeasuredWhenItIsEnded) {
    ToyBehaviour slow;
    slow.pause = std::chrono::milliseconds(25);
    const ToyServer server(slow);
    Start start;
    start.arguments = asked_of({server.endpoint.origin});
    const Outcome out =
        interrupted_when(start, [](const Outcome& one) { return one.out.find("ended before all prompts") != std::string::npos; });
    EXPECT_EQ(out.code, 130) << out.err;
    EXPECT_NE(out.out.find("The same: "), std::string::npos) << out.out;
}

TEST(Same, RefusesWhatMeansNothing) {
    expect_refused({"same"}, "needs URL, two of them, or --command");
    expect_refused({"same", "127.0.0.1:1", "--command", "a {k} {port}"}, "does nothing");
    expect_refused({"same", "127.0.0.1:1", "127.0.0.1:2", "--k", "0,2"}, "--k does nothing for two servers");
    expect_refused({"same", "127.0.0.1:1", "http://127.0.0.1:1"}, "is given twice");
    expect_refused({"same", "127.0.0.1:1", "--k", "3"}, "nothing to be compared with");
    expect_refused({"same", "127.0.0.1:1", "--repeats", "1"}, "--repeats");
    expect_refused({"same", "127.0.0.1:1", "--temp", "1"}, "--temp");
    expect_refused({"same", "--command", "llama-server --draft-max {k}", "--k", "0,2"}, "{port}");
    expect_refused({"same", "--command", "llama-server --port {port}"}, "{k}");
    expect_refused({"attach", "127.0.0.1:1", "--same", "--once"}, "exclude each other");
    expect_refused({"attach", SPEC_SOURCE_DIR "/README.md", "--same"}, "does nothing for a file");
    EXPECT_EQ(speclens({"same", "127.0.0.1:1"}).code, 6);
    ToyBehaviour vllm;
    vllm.dialect = ToyBehaviour::Dialect::vllm;
    const ToyServer server(vllm);
    const Outcome one = speclens({"same", server.endpoint.origin});
    EXPECT_EQ(one.code, 3) << one.err;
    EXPECT_NE(one.err.find("drafts for every request or for none"), std::string::npos) << one.err;
    EXPECT_NE(one.err.find("speclens same URL URL"), std::string::npos) << one.err;
}

} // namespace speclens::test
