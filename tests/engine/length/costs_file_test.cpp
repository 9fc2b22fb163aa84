// Costs of rounds in files.
#include <gtest/gtest.h>

#include <fstream>

#include "engine/length/costs_file.h"
#include "kernels/error.h"
#include "tests/shared/temp_folder.h"

namespace speclens {
namespace {

DraftCosts costs_to_write() { return {.pass = {{1, 1}, {17, 1.8}}, .draft = {{1, 0.3}, {16, 4.8}}}; }

TEST(CostsFile, KeepsCostsByDrafter) {
    const test::TempFolder folder;
    const auto file = folder.path() / "costs.json";
    EXPECT_FALSE(costs_in(file, "tiny", "small").has_value());
    add_costs(file, "tiny", "small", costs_to_write());
    add_costs(file, "tiny", "lookup", {.pass = {{1, 2}, {5, 2.5}}, .draft = {}});
    EXPECT_EQ(costs_in(file, "tiny", "small"), costs_to_write());
    EXPECT_EQ(costs_in(file, "tiny", "lookup")->draft_ms(4), 0);
    EXPECT_FALSE(costs_in(file, "tiny", "dflash").has_value());
    EXPECT_THROW((void)costs_in(file, "another", "small"), Error);
    for (const char* text :
         {"", "[]", "{}", R"({"schema":"speclens-k-costs/1","model":"tiny","drafters":{"small":{"pass":[[2,1]],"draft":[]}}})",
          R"({"schema":"speclens-k-costs/1","model":"tiny","drafters":{"small":{"pass":[[1,0]],"draft":[]}}})",
          R"({"schema":"speclens-k-costs/1","model":"tiny","drafters":{"small":{"pass":[[1,1]]}}})"}) {
        std::ofstream(file) << text;
        EXPECT_THROW((void)costs_in(file, "tiny", "small"), Error) << text;
    }
}

} // namespace
} // namespace speclens
