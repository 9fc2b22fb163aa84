// `frequent` and --small-ids as a user meets them: a list is counted, a draft model ranks its ids, and what is refused says what to try.
#include <gtest/gtest.h>

#include "tests/app/cli/support.h"

namespace speclens::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> drafted(const std::string& small_ids, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {
        "run",          "--model", micro_model(), "--drafter", "small=" + micro_model(), "--small-ids", small_ids, "--prompt", "one two",
        "--max-tokens", "12",      "--temp",      "0"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

TEST(Frequent, CountsTextsForADraftModel) {
    const fs::path folder = fresh_folder();
    fs::create_directories(folder / "texts" / ".hidden");
    write_file(folder / "texts" / "a.txt", "one two three one two three if x then y else z\n");
    write_file(folder / "texts" / "b.bin", std::string("\x00\x01\xff", 3));
    write_file(folder / "texts" / ".hidden" / "c.txt", "never");
    const std::string list = folder / "some.ids";
    const Outcome counted = speclens({"frequent", folder / "texts", "--model", micro_model(), "-o", list});
    ASSERT_EQ(counted.code, 0) << counted.err;
    for (const char* part : {" tokens of 1 text and 0 answers", " of 512 ids occur", "1 file passed over"})
        EXPECT_NE(counted.out.find(part), std::string::npos) << part << "\n" << counted.out;
    const std::string bytes = read_file(list);
    EXPECT_TRUE(bytes.starts_with("speclens-ids/1 "));
    ASSERT_EQ(speclens({"frequent", folder / "texts", "--model", micro_model(), "-o", list}).code, 0);
    EXPECT_EQ(read_file(list), bytes) << "the same texts, the same list";

    const std::string trace = folder / "trace.jsonl";
    const Outcome plain = speclens({"run", "--model", micro_model(), "--drafter", "none", "--prompt", "one two", "--max-tokens", "12",
                                    "--temp", "0", "--text"}),
                  run = speclens(drafted(list, {"--json", trace})), text = speclens(drafted(list, {"--text"}));
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(text.out, plain.out) << "the target's own text";
    const Json header = Json::parse(read_file(trace).substr(0, read_file(trace).find('\n')));
    const int ids = header["draft_ids"].get<int>();
    EXPECT_EQ(ids % 16, 0);
    EXPECT_GT(ids, 0);
    EXPECT_EQ(header["draft_ids_are"].get<std::string>().size(), 16u);
    EXPECT_EQ(header["options"]["small_ids"], ids);
    EXPECT_NE(run.out.find("ranks " + std::to_string(ids) + " of 512 ids"), std::string::npos) << run.out;
    // By number it is another list, so other ids: of the target's folder, which has none, so it is said what to do.
    const Outcome none = speclens(drafted("32"));
    EXPECT_EQ(none.code, 2);
    for (const char* part : {"--small-ids", "no list", "speclens frequent"}) EXPECT_NE(none.err.find(part), std::string::npos) << none.err;

    // As lines, with more ids than there are rows of, and of another vocabulary.
    write_file(folder / "lines.txt", "5\n9\n7\n");
    EXPECT_EQ(speclens(drafted(folder / "lines.txt")).code, 0);
    write_file(folder / "wrong.txt", "5\n512\n");
    const Outcome wrong = speclens(drafted(folder / "wrong.txt"));
    EXPECT_NE(wrong.code, 0);
    EXPECT_NE(wrong.err.find("ids 0 to 511"), std::string::npos) << wrong.err;
    const Outcome other = speclens({"run", "--drafter", "small", "--small-ids", list, "--prompt", "one two", "--max-tokens", "4"});
    EXPECT_EQ(other.code, 2);
    EXPECT_NE(other.err.find("another vocabulary"), std::string::npos) << other.err;
    EXPECT_NE(speclens(drafted(folder / "nowhere.ids")).code, 0);
    EXPECT_EQ(speclens({"frequent", folder / "texts" / "b.bin", "--model", micro_model(), "-o", folder / "x"}).code, 2) << "no text";
    EXPECT_EQ(speclens({"frequent", folder / "texts", "--model", micro_model()}).code, 2) << "where to?";
    EXPECT_FALSE(fs::exists(folder / "x"));
    EXPECT_EQ(speclens({"frequent", folder / "lines.txt", "--model", micro_model(), "-o", folder / "lines.txt"}).code, 2);
    EXPECT_EQ(read_file(folder / "lines.txt"), "5\n9\n7\n") << "no result replaces what it is made from";
}

TEST(SmallIds, GoByTheTargetsOwnListAndAreForDraftModels) {
    const Outcome run = speclens({"run", "--drafter", "small", "--small-ids", "1000", "--prompt", "one two", "--max-tokens", "4"});
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_NE(run.out.find("ranks 1008 of 4096 ids"), std::string::npos) << run.out;
    const Outcome compared = speclens({"compare", "--drafters", "none,small,lookup", "--small-ids", "1000", "--prompt", "one two",
                                       "--max-tokens", "8", "--repeats", "1", "--json", "-"});
    ASSERT_EQ(compared.code, 0) << compared.err;
    const Json result = Json::parse(compared.out);
    for (const Json& row : result["rows"]) {
        EXPECT_EQ(row.contains("draft_ids"), row["drafter"] == "small");
        if (row["drafter"] == "small") {
            EXPECT_EQ(row["draft_ids"], 1008);
        }
    }
    const auto refused = [](std::vector<std::string> words, const std::string& why) {
        const Outcome out = speclens(std::move(words));
        EXPECT_EQ(out.code, 2) << out.err;
        EXPECT_NE(out.err.find(why), std::string::npos) << out.err;
    };
    refused({"run", "--drafter", "medusa", "--small-ids", "1000"}, "small, small_tree");
    refused({"run", "--drafter", "small", "--small-ids", "1000", "--fr-spec", "1000"}, "--small-ids");
    refused({"run", "--drafter", "small", "--small-ids", "0"}, "--small-ids");
    refused({"run", "--drafter", "small", "--small-ids", "4096"}, "all 4096 ids");
    refused({"run", "speclens://loop?drafter=small&small-ids=/etc/passwd"}, "a place on this machine");
    const Outcome check = speclens({"check"});
    EXPECT_NE(check.out.find("--small-ids N ranks"), std::string::npos) << check.out;
}

} // namespace
} // namespace speclens::test
