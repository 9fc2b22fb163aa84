// Recorded passes: what a result of bench must have to stand for a machine, and that those that ship can be relied on.
#include <gtest/gtest.h>

#include <fstream>

#include "engine/base/json.h"
#include "engine/lab/recorded_passes.h"
#include "kernels/error.h"
#include "tests/shared/temp_folder.h"

namespace speclens {
namespace {

namespace fs = std::filesystem;

const fs::path kShipped = fs::path(SPEC_SOURCE_DIR) / "assets" / "passes";

Json shipped_json(const char* name) {
    std::ifstream in(kShipped / name);
    return Json::parse(in);
}

std::string passes_refused(const Json& result) {
    const test::TempFolder folder;
    std::ofstream(folder / "one.json") << result.dump();
    try {
        (void)read_recorded_passes(folder / "one.json");
    } catch (const Error& error) {
        EXPECT_FALSE(error.remedy().empty());
        return error.what();
    }
    return "";
}

TEST(RecordedPasses, ThoseThatShipAreOfAQuietMachine) {
    for (const char* model : {"bundle S", "smollm2-135m"}) {
        const RecordedPasses* one = recorded_passes(model);
        ASSERT_NE(one, nullptr) << model;
        EXPECT_EQ(one->date.size(), 10U);
        EXPECT_FALSE(one->machine.empty());
        EXPECT_EQ(one->times.passes.size(), 7U);
        EXPECT_TRUE(one->times.in_doubt().empty());
        EXPECT_GT(one->times.bound_ms(1), 0);
        for (const int rows : {1, 2, 4, 8, 16, 32, 64}) {
            ASSERT_NE(one->times.of(rows), nullptr) << rows;
            EXPECT_FALSE(outrun_pass(one->times, rows)) << rows;
        }
    }
    EXPECT_TRUE(recorded_passes("smollm2-135m")->times.random_weights);
    EXPECT_EQ(recorded_passes("nobody's"), nullptr);
    for (const auto& entry : fs::directory_iterator(kShipped)) EXPECT_NO_THROW((void)read_recorded_passes(entry.path())) << entry.path();
}

TEST(RecordedPasses, AreReadAsBenchWroteThem) {
    Json result = shipped_json("tiny.json");
    const RecordedPasses one = read_recorded_passes(kShipped / "tiny.json");
    EXPECT_EQ(one.machine, result["machine"].get<std::string>());
    EXPECT_EQ(one.times.weight_bytes, result["weight_bytes"].get<double>());
    EXPECT_EQ(one.times.passes[3].ms, result["passes"][3]["ms"].get<double>());
    EXPECT_EQ(one.times.passes[3].median, result["passes"][3]["median_ms"].get<double>());
    EXPECT_EQ(one.times.form, DType::bf16);
    Json longer = result["passes"][0];
    longer["context"] = 1000; // of another context, which is another curve
    result["passes"].push_back(longer);
    EXPECT_EQ(passes_refused(result), "");
}

TEST(RecordedPasses, RefuseWhatTheyCannotBeShownOf) {
    const Json good = shipped_json("tiny.json");
    const auto with = [&](const char* field, const Json& value) {
        Json other = good;
        other[field] = value;
        return passes_refused(other);
    };
    EXPECT_EQ(passes_refused(good), "");
    for (const char* field : {"schema", "model", "machine", "date", "form", "products", "weight_bytes", "kv_bytes", "multiply_adds",
                              "attention_adds", "passes", "read_bandwidth_gbs", "context"})
        EXPECT_NE(with(field, nullptr).find(field), std::string::npos) << field << ": " << with(field, nullptr);
    EXPECT_NE(with("in_doubt", "other programs kept 1.2 cores busy").find("in_doubt"), std::string::npos);
    Json one = good;
    one["passes"] = Json::array({good["passes"][0]});
    EXPECT_NE(passes_refused(one).find("passes"), std::string::npos);
    one["passes"] = Json::array({good["passes"][2], good["passes"][0]});
    EXPECT_NE(passes_refused(one).find("passes"), std::string::npos);
    one["passes"] = Json::array({3, 4});
    EXPECT_NE(passes_refused(one).find("passes"), std::string::npos);
}

} // namespace
} // namespace speclens
