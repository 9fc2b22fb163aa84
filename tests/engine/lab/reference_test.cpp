// Recorded speed-ups: written and read back, refused by name where they are broken, and those that ship are readable.
#include <gtest/gtest.h>

#include <fstream>

#include "engine/lab/reference.h"
#include "kernels/error.h"
#include "tests/shared/temp_folder.h"

namespace speclens {
namespace {

namespace fs = std::filesystem;

Reference one(const std::string& drafter, int k) {
    return {"bundle X", drafter, k, 0, 1.5, 4.25, 0.25, 0.7, 60, "2-core test machine", "2026-11-25"};
}

std::string reference_refused(const std::string& text) {
    const test::TempFolder folder;
    std::ofstream(folder / "ref.json") << text;
    try {
        (void)read_references(folder / "ref.json");
    } catch (const Error& error) {
        EXPECT_FALSE(error.remedy().empty());
        return error.what();
    }
    return "";
}

TEST(Reference, IsReadBackAsItWasWritten) {
    const test::TempFolder folder;
    std::ofstream(folder / "ref.json") << references_json({one("small", 4), one("domino", 7)});
    const std::vector<Reference> read = read_references(folder / "ref.json");
    ASSERT_EQ(read.size(), 2u);
    EXPECT_EQ(read[1].model, "bundle X");
    EXPECT_EQ(read[1].drafter, "domino");
    EXPECT_EQ(read[1].k, 7);
    EXPECT_EQ(read[1].speed_up, 1.5);
    EXPECT_EQ(read[1].tokens_per_round, 4.25);
    EXPECT_EQ(read[1].prompts, 60);
    EXPECT_EQ(read[1].machine, "2-core test machine");
    EXPECT_EQ(read[1].date, "2026-11-25");
}

TEST(Reference, IsOfOnePrecision) {
    const test::TempFolder folder;
    Reference rounded = one("small", 4);
    rounded.precision = Precision::bf16;
    std::ofstream(folder / "ref.json") << references_json({rounded});
    EXPECT_EQ(read_references(folder / "ref.json").at(0).precision, Precision::bf16);
    EXPECT_EQ(references_json({one("small", 4)}).find("precision"), std::string::npos) << "f32 needs no word";
    Header header;
    header.model = "bundle S";
    header.drafter = "small";
    header.k = 4;
    ASSERT_NE(reference_of(header), nullptr);
    header.precision = Precision::bf16;
    EXPECT_EQ(reference_of(header), nullptr) << "what ships was recorded in f32";
}

// A figure of the program's own draft model says nothing about another one.
TEST(Reference, IsOfWhatShipsOnly) {
    Header header;
    header.model = "bundle S";
    header.drafter = "small";
    header.rule = "token";
    header.k = 4;
    const Reference* const shipped = reference_of(header);
    ASSERT_NE(shipped, nullptr);
    const auto without = [&](const auto& change) {
        Header changed = header;
        change(changed);
        return reference_of(changed) == nullptr;
    };
    EXPECT_TRUE(without([](Header& h) { h.own_draft = true; }));
    EXPECT_TRUE(without([](Header& h) { h.options.fr_spec = 100; }));
    EXPECT_TRUE(without([](Header& h) { h.draft_sampling.temperature = 0.5; }));
    EXPECT_TRUE(without([](Header& h) { h.rule = "cascade_opt"; }));
    EXPECT_FALSE(without([](Header& h) { h.rule = "block"; }));
    header.own_draft = true;
    header.machine = shipped->machine;
    EXPECT_EQ(recorded_plain_ms(header), shipped->plain_ms) << "plain decoding is the same whoever guesses";
    header.machine = "another";
    EXPECT_EQ(recorded_plain_ms(header), 0);
}

TEST(Reference, NamesFileAndFieldWhereItIsBroken) {
    const std::string good = references_json({one("small", 4)});
    EXPECT_EQ(reference_refused(good), "");
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        const auto at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return reference_refused(text.replace(at, from.size(), to));
    };
    EXPECT_NE(reference_refused("{").find("ref.json"), std::string::npos);
    EXPECT_NE(with("speclens-reference/1", "other/1").find("schema"), std::string::npos);
    EXPECT_NE(with("\"runs\"", "\"ran\"").find("runs"), std::string::npos);
    EXPECT_NE(with("\"speed_up\": 1.5", "\"speed_up\": -1").find("speed_up"), std::string::npos);
    EXPECT_NE(with("\"k\": 4", "\"k\": 4.5").find("k is 4.5"), std::string::npos);
    EXPECT_NE(with("\"date\": ", "\"precision\": \"fp4\", \"date\": ").find("precision"), std::string::npos);
    EXPECT_NE(with("\"prompts\": 60", "\"prompts\": 0").find("prompts"), std::string::npos);
}

TEST(Reference, ThoseThatShipAreReadable) {
    const fs::path folder = fs::path(SPEC_SOURCE_DIR) / "assets" / "reference";
    int known = 0;
    for (const auto& entry : fs::directory_iterator(folder))
        for (const Reference& reference : read_references(entry.path())) {
            ++known;
            EXPECT_FALSE(reference.machine.empty()) << entry.path();
            EXPECT_EQ(reference.date.size(), 10u) << entry.path();
            EXPECT_LE(reference.speed_up, 1.02 * reference.tokens_per_round) << reference.drafter;
        }
    EXPECT_GT(known, 0);
}

} // namespace
} // namespace speclens
