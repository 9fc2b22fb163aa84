// What `check` says of heads: that every layout which opens passes, and which state an MTP head wants, told from its first guesses with a
// margin.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "app/cli/heads.h"
#include "engine/drafters/draft_network.h"
#include "engine/weights/safetensors.h"
#include "engine/weights/safetensors_write.h"
#include "kernels/bf16.h"
#include "tests/shared/head_layouts.h"
#include "tests/shared/temp_folder.h"
#include "tests/shared/whole_bundle.h"

namespace speclens::cli {
namespace {

namespace fs = std::filesystem;
using Wants = MtpStates::Wants;

// Made-up numbers in the names and shapes of the files that are published: what is behind `check --drafter NAME=DIR`, for each.
TEST(CheckedHeads, OfEveryLayoutVerifyAsTheyMust) {
    for (const auto kind : {ModelConfig::Family::qwen3, ModelConfig::Family::llama}) {
        const auto models = test::layouts::models_of(kind);
        for (const test::layouts::Family& family : test::layouts::families()) {
            SCOPED_TRACE(family.name);
            const test::TempFolder folder;
            test::write_checkpoint(folder / "head", family.config, family.tensors);
            models->networks = {{family.drafter, DraftNetwork::load(models->target, folder / "head")}};
            EXPECT_EQ(head_problem(models, family.drafter), "");
            const DraftNetwork& network = *models->network(family.drafter);
            EXPECT_TRUE(describe_head(network).starts_with(network.config.architecture)) << describe_head(network);
        }
    }
}

TEST(MtpStates, AreToldApartByPlacesWhereOneAloneIsRight) {
    const auto wants = [](int only_after, int only_before) {
        return MtpStates{.places = 512, .both = 200, .only_after = only_after, .only_before = only_before}.wants();
    };
    EXPECT_EQ(wants(40, 10), Wants::after_norm);
    EXPECT_EQ(wants(10, 40), Wants::before_norm);
    EXPECT_EQ(wants(0, 0), Wants::unknown);
    EXPECT_EQ(wants(30, 36), Wants::unknown) << "a coin does that";
    EXPECT_EQ(wants(0, 5), Wants::unknown) << "not a hundredth of the places";
    EXPECT_EQ(wants(0, 7), Wants::before_norm);
    EXPECT_EQ((MtpStates{.places = 2, .both = 1}.wants()), Wants::unknown) << "two places say nothing";
    EXPECT_DOUBLE_EQ((MtpStates{.places = 200, .both = 80, .only_after = 20}.after_norm()), 0.5);
    EXPECT_NE(mtp_verdict({.places = 512, .both = 200, .only_after = 30, .only_before = 36}).first.find("cannot be told: 30 places"),
              std::string::npos);
    EXPECT_TRUE(mtp_verdict({.places = 512, .only_after = 100}).second.empty());
    EXPECT_NE(mtp_verdict({.places = 512, .only_before = 100}).second.find("--mtp-raw"), std::string::npos);
}

// The head that ships was trained on states after the norm. One whose own norm does the target's as well wants those before.
TEST(MtpStates, OfTheBuiltInHeadAndOfOneThatWantsTheOther) {
    const auto models = test::whole_bundle();
    const MtpStates shipped = mtp_states(models);
    EXPECT_EQ(shipped.places, kMtpPlaces);
    EXPECT_EQ(shipped.wants(), Wants::after_norm) << mtp_verdict(shipped).first;

    const fs::path from = assets_folder() / "models";
    const auto floats = [](const Safetensors& file, const std::string& name) {
        const std::vector<std::byte> bytes = file.read(file.tensors().at(name));
        std::vector<float> values;
        for (std::size_t i = 0; i < bytes.size(); i += 2) {
            std::uint16_t bits = 0;
            std::memcpy(&bits, bytes.data() + i, 2);
            values.push_back(widen_bf16(bits));
        }
        return values;
    };
    const std::vector<float> norm = floats(Safetensors::open_folder(from / "target"), "model.norm.weight");
    double squares = 0;
    for (const float value : norm) squares += value * value;
    const auto size = static_cast<float>(std::sqrt(squares / static_cast<double>(norm.size()))); // as large as before
    const Safetensors head = Safetensors::open_folder(from / "mtp");
    std::vector<TensorToWrite> tensors;
    for (const auto& [name, stored] : head.tensors()) {
        std::vector<std::byte> bytes = head.read(stored);
        if (name == "mtp_layers.0.hidden_layernorm.weight") {
            const std::vector<float> own = floats(head, name);
            for (std::size_t i = 0; i < own.size(); ++i) {
                const std::uint16_t bits = narrow_bf16(own[i] * norm[i] / size);
                std::memcpy(bytes.data() + 2 * i, &bits, 2);
            }
        }
        tensors.push_back({name, stored.dtype, stored.shape, [bytes] { return bytes; }});
    }
    const fs::path folder = test::fresh_folder() / "mtp";
    fs::create_directories(folder);
    fs::copy(from / "mtp" / "config.json", folder / "config.json");
    write_safetensors(folder / "model.safetensors", tensors);
    auto other = std::make_shared<Models>(*models);
    other->networks["mtp"] = DraftNetwork::load(models->target, folder);
    const MtpStates states = mtp_states(other);
    EXPECT_EQ(states.wants(), Wants::before_norm) << mtp_verdict(states).first;
}

} // namespace
} // namespace speclens::cli
