// Which heads come with a target: found by its fingerprint, refused where only the shape is equal; kept in 8 bits, exported in bf16.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>

#include "engine/base/json.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter_info.h"
#include "engine/fetch/fetch.h"
#include "engine/fetch/fetchable.h"
#include "engine/heads/official_layout.h"
#include "engine/models/model_names.h"
#include "engine/models/models.h"
#include "engine/models/shipped_heads.h"
#include "engine/run/gallery.h"
#include "engine/run/run.h"
#include "engine/weights/safetensors.h"
#include "engine/weights/safetensors_write.h"
#include "kernels/bf16.h"
#include "tests/engine/found/gguf_writer.h"
#include "tests/shared/micro.h"
#include "tests/shared/model_support.h"
#include "tests/shared/temp_folder.h"
#include "tests/shared/variable.h"

namespace speclens::test {
namespace {

namespace fs = std::filesystem;

// A folder of assets with one head in models/some/domino, trained (so it says) on the target of the goldens.
class Shipped : public ::testing::Test {
  protected:
    Shipped() : assets_("SPECLENS_ASSETS", temp_.path().c_str()) {
        fs::create_directories(some());
        fs::copy(golden("micro_domino"), some() / "domino");
        fs::create_directories(temp_ / "models/another");
        std::ofstream(temp_ / "models/another/MANIFEST.json") << R"({"bundle":"S"})"; // of something else
        print_ = load_models({.target = golden("micro_qwen3"), .threads = 1}).fingerprint;
    }
    [[nodiscard]] fs::path some() const { return temp_ / "models/some"; }
    void say_manifest(const std::string& fingerprint) const {
        std::ofstream(some() / "MANIFEST.json") << R"({"target_fingerprint":")" << fingerprint << R"("})";
    }
    // A field of the head's own config.json.
    static void say_in(const fs::path& head, const std::string& fingerprint) {
        auto config = Json::parse(read_file(head / "config.json"));
        config["target_fingerprint"] = fingerprint;
        std::ofstream(head / "config.json") << config;
    }
    const TempFolder temp_;
    const Variable assets_;
    std::string print_;
};

TEST_F(Shipped, AreFoundByTheFingerprintOfTheTarget) {
    EXPECT_EQ(shipped_heads(temp_ / "models", print_).networks.size(), 0u) << "nothing says whose head it is";
    say_manifest(print_);
    const Models models = load_models({.target = golden("micro_qwen3"), .threads = 1});
    ASSERT_NE(models.network("domino"), nullptr);
    EXPECT_EQ(models.network("eagle3"), nullptr);
    EXPECT_EQ(models.why_not("domino"), "");
    EXPECT_TRUE(load_models({.target = golden("micro_llama"), .threads = 1}).networks.empty()) << "another model";
    say_manifest("0123456789abcdef");
    EXPECT_TRUE(load_models({.target = golden("micro_qwen3"), .threads = 1}).networks.empty());
    std::ofstream(some() / "MANIFEST.json") << "{";
    expect_error([&] { (void)load_models({.target = golden("micro_qwen3"), .threads = 1}); }, {"some/MANIFEST.json", "JSON"});
}

TEST_F(Shipped, AFolderThatWasNamedGoesFirst) {
    say_manifest(print_);
    const fs::path mine = temp_ / "mine";
    fs::copy(some() / "domino", mine);
    EXPECT_EQ(load_models({.target = golden("micro_qwen3"), .heads = {{"domino", mine}}, .threads = 1}).network("domino")->name, "mine");
}

// What a run guesses with is told apart by the folder, not by its name: a head of one's own may be called as ours.
TEST_F(Shipped, ARunSaysWhetherItsHeadIsOfTheUsersOwn) {
    say_manifest(print_);
    const fs::path mine = temp_ / "own/domino";
    fs::create_directories(mine.parent_path());
    fs::copy(some() / "domino", mine);
    RunSettings settings = greedy("domino", 2);
    const auto own = [&](const ModelPaths& paths) {
        return speclens::Run(std::make_shared<const Models>(load_models(paths)), settings).trace().header()->own_draft;
    };
    const fs::path target = golden("micro_qwen3");
    EXPECT_FALSE(own({.target = target, .threads = 1}));
    EXPECT_FALSE(own({.target = target, .heads = {{"domino", some() / "domino"}}, .threads = 1})) << "named, but ours";
    EXPECT_TRUE(own({.target = target, .heads = {{"domino", mine}}, .threads = 1}));
    settings = greedy("lookup", 2);
    EXPECT_FALSE(own({.target = target, .heads = {{"domino", mine}}, .threads = 1})) << "it has no head";
    settings = greedy("small", 2);
    EXPECT_TRUE(own({.target = target, .draft = target, .threads = 1}));
}

TEST_F(Shipped, OfAnotherModelOfThisShapeAreRefused) {
    const fs::path head = some() / "domino";
    ModelPaths paths = {.target = golden("micro_qwen3"), .heads = {{"domino", head}}, .threads = 1};
    say_in(head, print_);
    EXPECT_NE(load_models(paths).network("domino"), nullptr);
    say_in(head, "0123456789abcdef");
    expect_error([&] { (void)load_models(paths); }, {"domino/config.json", "another model", "0123456789abcdef", print_});
    paths.force_heads = true;
    EXPECT_NE(load_models(paths).network("domino"), nullptr) << "forced";
    paths.force_heads = false;
    fs::copy_file(golden("micro_domino") / "config.json", head / "config.json", fs::copy_options::overwrite_existing);
    EXPECT_NE(load_models(paths).network("domino"), nullptr) << "it names nobody, as published heads";
}

// Neither the model alone nor the heads alone: who names nothing sees the built-in model then.
TEST_F(Shipped, TheUsualTargetIsAFetchedModelWithHeads) {
    const Variable home("XDG_DATA_HOME", temp_.path().string());
    const Fetchable& known = fetchables().front();
    EXPECT_EQ(default_model(temp_.path()), kBuiltInModel);
    fs::create_directories(temp_ / "models" / known.name);
    std::ofstream(temp_ / "models" / known.name / "MANIFEST.json") << "{}";
    EXPECT_EQ(default_model(temp_.path()), kBuiltInModel);
    fs::create_directories(fetched_folder());
    std::ofstream(fetched_folder() / known.file) << "GGUF";
    EXPECT_EQ(default_model(temp_.path()), known.name);
    EXPECT_EQ(default_model(temp_ / "nowhere"), kBuiltInModel);

    // A pair needs no head, and what was fetched last is what somebody wants to see.
    const Fetchable &pair = *find_fetchable("qwen"), &small = *find_fetchable("qwen-0.5b");
    const auto old = fs::last_write_time(fetched_folder() / known.file);
    std::ofstream(fetched_folder() / pair.file) << "GGUF";
    EXPECT_EQ(default_model(temp_.path()), known.name) << "half of a pair";
    std::ofstream(fetched_folder() / small.file) << "GGUF";
    fs::last_write_time(fetched_folder() / pair.file, old + std::chrono::minutes(1));
    EXPECT_EQ(default_model(temp_.path()), "qwen");
    EXPECT_EQ(default_model(temp_ / "nowhere"), "qwen");
    fs::last_write_time(fetched_folder() / pair.file, old - std::chrono::minutes(1));
    EXPECT_EQ(default_model(temp_.path()), known.name);
}

TEST_F(Shipped, EveryModelThatCanBeFetchedSaysWhoOpensItAndWhy) {
    const fs::path assets = fs::path(SPEC_SOURCE_DIR) / "assets";
    for (const Fetchable& one : fetchables()) {
        const OpeningView opening = opening_view(one.name, assets);
        EXPECT_NE(find_drafter(opening.drafter), nullptr) << one.name;
        EXPECT_GT(opening.measured.size(), 40U) << one.name;
    }
    EXPECT_EQ(opening_view("tiny", assets).drafter, "");
    EXPECT_EQ(opening_view("qwen", temp_.path()).drafter, "") << "there is no such file";
    fs::create_directories(temp_ / "models");
    std::ofstream(temp_ / "models" / "openings.json") << "{";
    expect_error([&] { (void)opening_view("qwen", temp_.path()); }, {"openings.json"});
}

// "qwen" is two files, and whoever has one of them has not got it.
TEST_F(Shipped, AFetchedPairIsTheTargetAndItsDraft) {
    const Variable home("XDG_DATA_HOME", temp_.path().string());
    const Fetchable &pair = *find_fetchable("qwen"), &small = *find_fetchable("qwen-0.5b");
    const auto missing = [](const std::string& word) {
        try {
            (void)model_file(word);
            ADD_FAILURE() << word << " was found";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("is not on this machine yet"), std::string::npos) << error.what();
            EXPECT_NE(error.remedy().find("speclens get " + word + " ("), std::string::npos) << error.remedy();
        }
    };
    missing("qwen");
    missing("qwen-0.5b");
    fs::create_directories(fetched_folder());
    std::ofstream(fetched_folder() / pair.file) << "GGUF";
    missing("qwen");
    std::ofstream(fetched_folder() / small.file) << "GGUF";
    EXPECT_EQ(model_file("qwen"), fetched_folder() / pair.file);
    EXPECT_EQ(draft_file("qwen"), fetched_folder() / small.file);
    EXPECT_EQ(model_file("qwen-0.5b"), fetched_folder() / small.file);
    for (const char* alone : {"qwen-0.5b", "smollm2", "tiny", "", "some/folder"}) EXPECT_EQ(draft_file(alone), "") << alone;
    EXPECT_EQ(model_word((fetched_folder() / pair.file).string()), "qwen");
    EXPECT_EQ(model_word((fetched_folder() / small.file).string()), "qwen-0.5b");
    EXPECT_TRUE(is_known_model("qwen") && is_known_model("qwen-0.5b"));
}

// In links, before anything is loaded: as the model is called once it is.
TEST_F(Shipped, AModelOfAFileIsCalledByWhatTheFileSays) {
    std::ofstream(temp_ / "15.gguf", std::ios::binary) << gguf_file(
        {gguf_text("general.name", "Qwen2.5 Coder 1.5B Instruct GGUF"), gguf_text("general.basename", "Qwen2.5-Coder"), gguf_tokens(9)});
    EXPECT_EQ(model_word((temp_ / "15.gguf").string()), "Qwen2.5-Coder 1.5B Instruct");
    std::ofstream(temp_ / "16.gguf") << "broken";
    EXPECT_EQ(model_word((temp_ / "16.gguf").string()), "model 16");
    EXPECT_EQ(model_word((temp_ / "nowhere.gguf").string()), "nowhere");
}

// What ships for real models: a record of each head, and prompts that none of them was trained on.
TEST(ShippedHeads, EachHasItsFilesAndHeldOutPrompts) {
    const fs::path assets = fs::path(SPEC_SOURCE_DIR) / "assets";
    const std::pair<const char*, const char*> models[] = {{"smollm2", "SmolLM2-135M-Instruct"},
                                                          {"qwen-0.5b", "Qwen2.5-Coder 0.5B Instruct"}};
    for (const auto& [folder, model] : models) {
        const Json manifest = Json::parse(read_file(assets / "models" / folder / "MANIFEST.json"));
        EXPECT_EQ(manifest["licence"], "Apache-2.0");
        const ShippedHeads found = shipped_heads(assets / "models", manifest["target_fingerprint"].get<std::string>());
        for (const auto& [name, head] : manifest["heads"].items()) {
            if (name != "small") {
                EXPECT_TRUE(found.networks.contains(name)) << folder << " " << name;
            }
            EXPECT_EQ(fs::file_size(assets / "models" / folder / name / "model.safetensors"), head["bytes"].get<std::uintmax_t>())
                << folder << " " << name;
        }
        for (const char* file : {"LICENSE", "NOTICE", "README.md"})
            EXPECT_TRUE(fs::exists(assets / "models" / folder / file)) << folder << " " << file;
        const fs::path prompts = held_out_file(assets, false, model);
        EXPECT_NE(prompts, held_out_file(assets, false, "some other model")) << model;
        EXPECT_GE(load_gallery(prompts).size(), 60U) << prompts;
    }
}

// The matrices of a head as bytes with a scale for each row, as assets/recipe/smollm2/ship.py writes them.
void narrow_to_bytes(const fs::path& head) {
    const Safetensors file = Safetensors::open_folder(head);
    std::vector<TensorToWrite> tensors;
    for (const auto& [name, stored] : file.tensors()) {
        const std::vector<std::byte> bytes = file.read(stored);
        if (stored.dtype != DType::bf16 || stored.shape.size() != 2) {
            tensors.push_back({name, stored.dtype, stored.shape, [bytes] { return bytes; }});
            continue;
        }
        const auto rows = static_cast<std::size_t>(stored.shape[0]), cols = static_cast<std::size_t>(stored.shape[1]);
        std::vector<std::byte> narrow(rows * cols), scales(4 * rows);
        for (std::size_t row = 0; row < rows; ++row) {
            std::vector<float> values(cols);
            for (std::size_t i = 0; i < cols; ++i) {
                std::uint16_t bits = 0;
                std::memcpy(&bits, bytes.data() + 2 * (row * cols + i), 2);
                values[i] = widen_bf16(bits);
            }
            float largest = 1e-30F;
            for (const float value : values) largest = std::max(largest, std::abs(value));
            const float scale = largest / 127;
            for (std::size_t i = 0; i < cols; ++i) narrow[row * cols + i] = static_cast<std::byte>(128 + std::lround(values[i] / scale));
            std::memcpy(scales.data() + 4 * row, &scale, 4);
        }
        tensors.push_back({name, DType::u8, stored.shape, [narrow] { return narrow; }});
        tensors.push_back({name + "_scale", DType::f32, {stored.shape[0]}, [scales] { return scales; }});
    }
    write_safetensors(head / "model.safetensors", std::move(tensors));
}

// What a head in bytes drafts is what its export drafts, token by token; and the export has the tensors of the release.
TEST_F(Shipped, HeadsInBytesAreTheirExports) {
    const fs::path narrow = some() / "domino", official = temp_ / "official";
    narrow_to_bytes(narrow);
    EXPECT_LT(fs::file_size(narrow / "model.safetensors"), fs::file_size(golden("micro_domino") / "model.safetensors") * 3 / 4);
    write_head(narrow, official);
    const Safetensors released = Safetensors::open_folder(golden("micro_domino")), exported = Safetensors::open_folder(official);
    ASSERT_EQ(exported.tensors().size(), released.tensors().size());
    for (const auto& [name, stored] : released.tensors()) {
        ASSERT_NE(exported.find(name), nullptr) << name;
        EXPECT_EQ(exported.find(name)->dtype, stored.dtype) << name;
        EXPECT_EQ(exported.find(name)->shape, stored.shape) << name;
    }
    EXPECT_EQ(read_file(official / "config.json"), read_file(narrow / "config.json"));
    std::vector<std::vector<float>> distributions; // in bf16, which rounds alike on every processor; the default is the processor's
    for (const fs::path& head : {narrow, official}) {
        auto models = std::make_shared<Models>(
            load_models({.target = golden("micro_qwen3"), .heads = {{"domino", head}}, .threads = 1, .precision = Precision::bf16}));
        RunSettings settings;
        settings.prompt.token_ids = {3, 4, 5, 3, 4};
        settings.drafter = "domino";
        settings.k = 4;
        settings.max_tokens = 24;
        settings.timing = false;
        settings.sampling.temperature = 0.8;
        const auto run = finished(models, settings);
        std::vector<float> seen;
        for (std::size_t i = 0; i < run->trace().size(); ++i)
            if (const auto* drafted = std::get_if<Drafted>(&run->trace()[i])) seen.push_back(static_cast<float>(drafted->token));
        distributions.push_back(seen);
    }
    EXPECT_GT(distributions[0].size(), 10u);
    EXPECT_EQ(distributions[0], distributions[1]);
}

// In every layout that heads are released in the export has the tensors of the release, and its first round has the distributions of the
// head in bytes up to what rounding does to matrices: by one part in 512 at most, there to bf16, here a row's scale to f16. Products are in
// f32, which rounds nothing else. Measured over eight prompts: .0047 of a row's spread at most (Domino, whose correction is forty times as
// loud as it is random, so that log-probabilities go down to -78), .0014 (Medusa) at least.
TEST_F(Shipped, ExportsOfHeadsInBytesHaveTheirTensorsAndDistributions) {
    for (const std::string method : {"domino", "dflash", "dspark", "eagle3", "medusa", "mtp"}) {
        SCOPED_TRACE(method);
        const fs::path release = golden("micro_" + method), narrow = temp_ / (method + " in bytes"),
                       official = temp_ / (method + " official");
        fs::copy(release, narrow);
        narrow_to_bytes(narrow);
        EXPECT_LT(fs::file_size(narrow / "model.safetensors"), fs::file_size(release / "model.safetensors") * 3 / 4);
        write_head(narrow, official);
        const Safetensors released = Safetensors::open_folder(release), exported = Safetensors::open_folder(official);
        ASSERT_EQ(exported.tensors().size(), released.tensors().size());
        for (const auto& [name, stored] : released.tensors()) {
            ASSERT_NE(exported.find(name), nullptr) << name;
            EXPECT_EQ(exported.find(name)->dtype, stored.dtype) << name;
            EXPECT_EQ(exported.find(name)->shape, stored.shape) << name;
        }
        if (method != "eagle3") { // whose layers are named twice, see below
            EXPECT_EQ(read_file(official / "config.json"), read_file(release / "config.json"));
        }
        std::vector<std::vector<Drafted>> drafts;
        for (const fs::path& head : {narrow, official}) {
            auto models = std::make_shared<Models>(
                load_models({.target = golden("micro_qwen3"), .heads = {{method, head}}, .threads = 1, .precision = Precision::f32}));
            RunSettings settings;
            settings.prompt.token_ids = {3, 4, 5, 3, 4};
            settings.drafter = method;
            settings.k = 3;
            settings.sampling.temperature = 0;
            settings.max_tokens = 8;
            settings.timing = false;
            settings.trace_top = -1;
            const auto run = finished(models, settings);
            std::vector<Drafted>& seen = drafts.emplace_back();
            for (std::size_t i = 0; i < run->trace().size(); ++i)
                if (const auto* drafted = std::get_if<Drafted>(&run->trace()[i]); drafted && drafted->round == 0) seen.push_back(*drafted);
        }
        ASSERT_EQ(drafts[0].size(), 3U);
        ASSERT_EQ(drafts[1].size(), 3U);
        for (std::size_t at = 0; at < 3; ++at) {
            std::map<int, double> other;
            for (const TopEntries::Entry& entry : drafts[1][at].raw_top.entries) other[entry.id] = entry.logp;
            ASSERT_GT(other.size(), 100U);
            const auto& entries = drafts[0][at].raw_top.entries;
            const auto [least, most] = std::ranges::minmax_element(entries, {}, &TopEntries::Entry::logp);
            const double rounding = (most->logp - least->logp) / 128;
            for (const TopEntries::Entry& entry : entries)
                if (const auto found = other.find(entry.id); found != other.end()) { // the softmax drops what is below e^-87 of the largest
                    EXPECT_NEAR(entry.logp, found->second, rounding) << entry.id;
                }
            ASSERT_EQ(drafts[0][at].token, drafts[1][at].token); // the next one would stand behind another text
        }
    }
}

// llama.cpp's converter reads EAGLE-3's layers at the top of config.json alone, counted as a state enters them, and without a list there
// takes others; SGLang reads those in eagle_config. The export has both, and here they are the same layers.
TEST_F(Shipped, AnExportOfEagle3NamesItsLayersWhereEveryEngineLooks) {
    const char* const layers = "eagle_aux_hidden_state_layer_ids";
    const fs::path head = temp_ / "eagle3", official = temp_ / "official";
    fs::copy(golden("micro_eagle3"), head);
    const Json own = Json::parse(read_file(head / "config.json"));
    ASSERT_EQ(own["eagle_config"][layers], (Json{0, 1, 2}));
    write_head(head, official);
    Json both = own;
    both[layers] = Json{1, 2, 3};
    EXPECT_EQ(Json::parse(read_file(official / "config.json")), both);
    const auto taps = [](const fs::path& folder) {
        return load_models({.target = golden("micro_qwen3"), .heads = {{"eagle3", folder}}, .threads = 1})
            .networks.at("eagle3")
            ->config.taps;
    };
    EXPECT_EQ(taps(official), (std::vector<int>{0, 1, 2}));

    Json said = own; // what stands at the top stays
    said[layers] = Json{7, 8, 9};
    write_file(head / "config.json", said.dump());
    write_head(head, official);
    EXPECT_EQ(read_file(official / "config.json"), said.dump());
    for (const Json& list : {Json{0, "1", 2}, Json{0, -1, 2}, Json("0")}) { // no layers: as it is, for the reader to refuse
        Json config = own;
        config["eagle_config"][layers] = list;
        write_file(head / "config.json", config.dump());
        write_head(head, official);
        EXPECT_EQ(read_file(official / "config.json"), config.dump());
    }
}

} // namespace
} // namespace speclens::test
