// Models on a made-up disk, with what nobody expects there.
#include "engine/found/found.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/engine/found/gguf_writer.h"
#include "tests/shared/temp_folder.h"

namespace speclens::test {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& file, const std::string& bytes) {
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
}

std::string config(const std::string& fields) {
    return "{\"architectures\":[\"Qwen3ForCausalLM\"],\"model_type\":\"qwen3\"" + fields + "}";
}

struct Reading {
    explicit Reading(const fs::path& file) : fd(open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}
    ~Reading() { close(fd); }
    int fd;
};
std::optional<ModelFacts> facts_of(const std::string& bytes) {
    const TempFolder folder;
    put(folder / "a.gguf", bytes);
    return read_gguf_facts(Reading(folder / "a.gguf").fd);
}

std::vector<std::string> names_of(const Found& found) {
    std::vector<std::string> names;
    for (const FoundModel& model : found.models) names.push_back(model.name);
    return names;
}

using Names = std::vector<std::string>;

TEST(GgufFacts, ReadsTheFewFieldsThatAreNeeded) {
    const auto facts = facts_of(tiny_gguf());
    ASSERT_TRUE(facts);
    EXPECT_EQ(facts->family, "llama");
    EXPECT_EQ(facts->weights, "Q4_1");
    EXPECT_EQ(facts->vocab, 300);
    EXPECT_EQ(facts->hidden, 64);
    EXPECT_EQ(facts_of(tiny_gguf("qwen3", 5, 8, 32))->weights, "BF16");
    for (const auto& [type, name] : {std::pair{38, "MXFP4"}, {39, "NVFP4"}, {40, "Q1_0"}, {41, "Q2_0"}})
        EXPECT_EQ(facts_of(tiny_gguf("qwen3", 5, 8, type))->weights, name);
    EXPECT_EQ(facts_of(tiny_gguf("qwen3", 5, 8, 4711))->weights, "file type 4711");
    const std::string untold = gguf_file({gguf_text("general.architecture", "x"), gguf_number("x.vocab_size", 77)}, 2);
    EXPECT_EQ(facts_of(untold)->vocab, 77);
}

// Heads by llama.cpp's architectures: what they draft as, by the keys that its converter writes for one kind alone.
TEST(GgufFacts, TellsHeadsApart) {
    const auto drafter = [](const std::string& family, const std::vector<std::string>& more) {
        std::vector<std::string> fields = {gguf_text("general.architecture", family), gguf_number(family + ".embedding_length", 64)};
        fields.insert(fields.end(), more.begin(), more.end());
        fields.push_back(gguf_tokens(300));
        return facts_of(gguf_file(fields))->drafter;
    };
    const auto flag = [](const std::string& key) { return gguf_string(key) + gguf_raw(std::uint32_t{7}) + gguf_raw(std::uint8_t{0}); };
    EXPECT_EQ(drafter("eagle3", {}), "eagle3");
    EXPECT_EQ(drafter("dflash", {gguf_number("dflash.block_size", 16)}), "dflash");
    EXPECT_EQ(drafter("dflash", {flag("dflash.sample_from_anchor"), flag("dflash.has_confidence_head")}), "dspark");
    EXPECT_EQ(drafter("dflash", {gguf_number("dflash.selector_rank", 256)}), "dflash2");
    EXPECT_EQ(drafter("qwen3", {}), "");
}

TEST(Found, AHeadInAFileIsOfferedForItsTarget) {
    const TempFolder folder;
    put(folder / "target" / "model.gguf", tiny_gguf("qwen3", 300, 64));
    put(folder / "heads" / "head.gguf", tiny_gguf("eagle3", 300, 64));
    put(folder / "heads" / "other.gguf", tiny_gguf("eagle3", 300, 96));
    const Found found = find_models({"here", folder.path(), Place::Layout::folders});
    ASSERT_EQ(found.models.size(), 3u);
    for (const FoundModel& model : found.models) {
        Names drafters;
        for (const FoundModel* drafter : possible_drafters(model, found.models))
            drafters.push_back(drafter->facts.drafter + "=" + drafter->name);
        EXPECT_EQ(drafters, model.facts.family == "qwen3" ? Names{"eagle3=heads/head.gguf"} : Names{}) << model.name;
    }
}

TEST(GgufFacts, TakesNothingElseForAGguf) {
    EXPECT_FALSE(facts_of(""));
    EXPECT_FALSE(facts_of("GGUF"));
    EXPECT_FALSE(facts_of("GGML" + tiny_gguf().substr(4)));
    EXPECT_FALSE(facts_of(gguf_file({}, 1)));
    EXPECT_FALSE(facts_of(gguf_file({}, 0x03000000))) << "of the other byte order";
    EXPECT_FALSE(facts_of(std::string(5000, '\xff')));
}

TEST(GgufFacts, KeepsWhatStoodBeforeTheDamage) {
    const std::string whole = tiny_gguf();
    for (std::size_t size = 24; size < 500; ++size) {
        const auto facts = facts_of(whole.substr(0, size));
        ASSERT_TRUE(facts) << size;
        EXPECT_TRUE(facts->family.empty() || facts->family == "llama") << size;
    }
    const std::string family = gguf_text("general.architecture", "llama");
    const std::uint64_t huge = ~std::uint64_t{0};
    const auto list = [](std::uint32_t kind, std::uint64_t length) {
        return gguf_string("a") + gguf_raw(std::uint32_t{9}) + gguf_raw(kind) + gguf_raw(length);
    };
    for (const std::string& bad :
         {gguf_raw(huge) + "key", gguf_string("key") + gguf_raw(std::uint32_t{13}),
          gguf_string("key") + gguf_raw(std::uint32_t{8}) + gguf_raw(huge), list(10, huge / 4), list(9, 1), list(8, 1 << 24)})
        EXPECT_EQ(facts_of(gguf_file({family, bad, gguf_number("general.file_type", 3)}))->family, "llama");
    std::string many = gguf_file({family});
    many.replace(16, 8, gguf_raw(huge)); // fields
    EXPECT_EQ(facts_of(many)->family, "llama");
}

// What this process has read so far, in bytes.
std::uint64_t bytes_read() {
    std::ifstream counts("/proc/self/io");
    std::string name;
    std::uint64_t bytes = 0;
    EXPECT_TRUE(counts >> name >> bytes) << "no /proc/self/io";
    EXPECT_EQ(name, "rchar:");
    return bytes;
}

// A sparse file whose first field is a gigabyte.
TEST(GgufFacts, LooksNoFurtherThanTheHead) {
    const TempFolder folder;
    std::string bytes = gguf_file({gguf_string("long") + gguf_raw(std::uint32_t{8}) + gguf_raw(std::uint64_t{1} << 30)});
    put(folder / "a.gguf", bytes);
    fs::resize_file(folder / "a.gguf", std::uintmax_t{1} << 31);
    const Reading file(folder / "a.gguf");
    const std::uint64_t before = bytes_read();
    EXPECT_TRUE(read_gguf_facts(file.fd));
    EXPECT_LT(bytes_read() - before, std::uint64_t{64} << 20);
}

TEST(FindModels, FindsFilesAndFolders) {
    const TempFolder folder;
    put(folder / "alone.gguf", tiny_gguf());
    put(folder / "Qwen/Qwen3-Tiny/config.json", config(",\"vocab_size\":4096,\"hidden_size\":96,\"torch_dtype\":\"bfloat16\""));
    put(folder / "Qwen/Qwen3-Tiny/model-00001-of-00002.safetensors", std::string(100, 'a'));
    put(folder / "Qwen/Qwen3-Tiny/model-00002-of-00002.safetensors", std::string(50, 'a'));
    put(folder / "Qwen/Qwen3-Tiny/tokenizer.json", "{}");
    put(folder / "no-weights/config.json", config(""));
    put(folder / "no-model/config.json", "{\"some\":\"settings\"}");
    put(folder / "no-model/data.bin", "data");
    put(folder / "named.gguf", "this is no GGUF");
    const Found found = find_models({"here", folder.path(), Place::Layout::folders});
    ASSERT_EQ(names_of(found), (Names{"Qwen/Qwen3-Tiny", "alone.gguf"}));
    EXPECT_EQ(found.incomplete, "");
    const FoundModel& qwen = found.models[0];
    EXPECT_EQ(qwen.place, "here");
    EXPECT_EQ(qwen.bytes, 150u);
    EXPECT_EQ(qwen.path, fs::canonical(folder.path()) / "Qwen/Qwen3-Tiny");
    EXPECT_EQ(qwen.facts.family, "qwen3");
    EXPECT_EQ(qwen.facts.weights, "bfloat16");
    EXPECT_EQ(qwen.facts.vocab, 4096);
    EXPECT_EQ(qwen.facts.hidden, 96);
    EXPECT_EQ(found.models[1].bytes, tiny_gguf().size());
    EXPECT_EQ(found.models[1].facts.weights, "Q4_1");
}

TEST(FindModels, CountsTheShardsOfAGgufWithTheFirst) {
    const TempFolder folder;
    put(folder / "big-00001-of-00003.gguf", tiny_gguf());
    put(folder / "big-00002-of-00003.gguf", std::string(70, 'x'));
    put(folder / "big-00003-of-00003.gguf", std::string(7, 'x'));
    put(folder / "bag-00002-of-00003.gguf", std::string(1000, 'x'));
    const Found found = find_models({"here", folder.path(), Place::Layout::folders});
    ASSERT_EQ(names_of(found), (Names{"big-00001-of-00003.gguf"}));
    EXPECT_EQ(found.models[0].bytes, tiny_gguf().size() + 77);
}

TEST(FindModels, ReadsTheCacheOfHuggingFace) {
    const TempFolder folder;
    const fs::path hub = folder / "hub", repo = hub / "models--Qwen--Qwen3-0.6B", snapshot = repo / "snapshots/abc123";
    put(repo / "blobs/aa", config(",\"vocab_size\":9,\"dtype\":\"bfloat16\""));
    put(repo / "blobs/bb", std::string(60, 'w'));
    put(repo / "blobs/cc.gguf", tiny_gguf());
    put(repo / "refs/main", "abc123");
    fs::create_directories(snapshot);
    fs::create_symlink("../../blobs/aa", snapshot / "config.json");
    fs::create_symlink("../../blobs/bb", snapshot / "model.safetensors");
    fs::create_symlink("../../blobs/cc.gguf", snapshot / "small.gguf");
    fs::create_symlink("../../blobs/gone", snapshot / "other.safetensors");
    put(hub / "models--gpt2/snapshots/x/config.json", "{\"model_type\":\"gpt2\",\"vocab_size\":50257}");
    put(hub / "models--gpt2/snapshots/x/pytorch_model.bin", "weights");
    put(hub / ".locks/models--Qwen--Qwen3-0.6B/config.json", config(""));
    const Found found = find_models({"Hugging Face", hub, Place::Layout::hub});
    ASSERT_EQ(names_of(found), (Names{"Qwen/Qwen3-0.6B", "Qwen/Qwen3-0.6B/small.gguf", "gpt2"}));
    EXPECT_EQ(found.models[0].bytes, 60u);
    EXPECT_EQ(found.models[0].facts.vocab, 9);
}

TEST(FindModels, ReadsTheManifestsOfOllama) {
    const TempFolder folder;
    const std::string hex(64, 'a'), other(64, 'b');
    const auto manifest = [](const std::string& digest) {
        return "{\"layers\":[{\"mediaType\":\"application/vnd.ollama.image.license\",\"digest\":\"sha256:x\"},"
               "{\"mediaType\":\"application/vnd.ollama.image.model\",\"digest\":\"" +
               digest + "\",\"size\":5}]}";
    };
    const fs::path host = folder / "manifests/some.host";
    put(folder / "blobs" / ("sha256-" + hex), tiny_gguf("qwen3"));
    put(host / "library/qwen3/0.6b", manifest("sha256:" + hex));
    put(host / "someone/mine/latest", manifest("sha256-" + hex));
    put(host / "library/gone/1", manifest("sha256:" + other));
    put(folder / "secret.gguf", tiny_gguf());
    put(folder.path().parent_path() / "outside.gguf", tiny_gguf());
    int n = 0;
    for (const std::string& digest :
         {std::string("sha256:../secret.gguf"), std::string("../secret.gguf"), "sha256:" + hex + "/../../secret.gguf",
          "sha256:" + std::string(64, 'A'), std::string("sha256:"), "md5:" + hex, "sha256:" + hex + "0"})
        put(host / "library/bad" / std::to_string(n++), manifest(digest));
    for (const char* broken : {"", "[]", "{\"layers\":7}", "{\"layers\":[7,{}]}", "{\"layers\":[{\"mediaType\":1}]}"})
        put(host / "library/broken" / std::to_string(n++), broken);
    put(host / "library/too/deep/down/here", manifest("sha256:" + hex));
    const Found found = find_models({"Ollama", folder.path(), Place::Layout::ollama});
    ASSERT_EQ(names_of(found), (Names{"qwen3:0.6b", "someone/mine:latest"}));
    EXPECT_EQ(found.models[0].path, fs::canonical(folder.path()) / "blobs" / ("sha256-" + hex));
    EXPECT_EQ(found.models[0].facts.family, "qwen3");
}

TEST(FindModels, FollowsLinksBelowTheRootOnly) {
    const TempFolder folder;
    const fs::path root = folder / "root";
    put(folder / "outside/secret.gguf", tiny_gguf());
    put(folder / "root-and-more/secret.gguf", tiny_gguf()); // begins with the same letters
    put(root / "real/inside.gguf", tiny_gguf());
    fs::create_symlink(folder / "outside/secret.gguf", root / "a.gguf");
    fs::create_symlink("../root-and-more/secret.gguf", root / "b.gguf");
    fs::create_symlink("real/inside.gguf", root / "c.gguf");
    fs::create_directory_symlink(folder / "outside", root / "folder");
    fs::create_directory_symlink("..", root / "real/up");
    fs::create_symlink("loop2.gguf", root / "loop1.gguf");
    fs::create_symlink("loop1.gguf", root / "loop2.gguf");
    fs::create_symlink("missing.gguf", root / "dangling.gguf");
    const Found found = find_models({"here", root, Place::Layout::folders});
    EXPECT_EQ(names_of(found), (Names{"c.gguf", "real/inside.gguf"}));
    EXPECT_EQ(found.incomplete, "");
}

TEST(FindModels, OpensRegularFilesOnly) {
    const TempFolder folder;
    ASSERT_EQ(mkfifo((folder / "pipe.gguf").c_str(), 0600), 0); // opening it would wait for ever
    fs::create_symlink("pipe.gguf", folder / "link.gguf");
    ASSERT_EQ(mkfifo((folder / "config.json").c_str(), 0600), 0);
    put(folder / "model.safetensors", "weights");
    fs::create_directory(folder / "folder.gguf");
    put(folder / "good.gguf", tiny_gguf());
    EXPECT_EQ(names_of(find_models({"here", folder.path(), Place::Layout::folders})), (Names{"good.gguf"}));
}

TEST(FindModels, PassesOverWhatMayNotBeRead) {
    if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
    const TempFolder folder;
    put(folder / "closed/a.gguf", tiny_gguf());
    put(folder / "locked.gguf", tiny_gguf());
    put(folder / "open.gguf", tiny_gguf());
    fs::permissions(folder / "closed", fs::perms::none);
    fs::permissions(folder / "locked.gguf", fs::perms::none);
    const Found found = find_models({"here", folder.path(), Place::Layout::folders});
    fs::permissions(folder / "closed", fs::perms::owner_all);
    EXPECT_EQ(names_of(found), (Names{"open.gguf"}));
}

TEST(FindModels, KeepsNamesAsTheyAre) {
    const TempFolder folder;
    put(folder / "red\x1b[31m\n.gguf", tiny_gguf());
    put(folder / "broken\xff.gguf", tiny_gguf());
    EXPECT_EQ(names_of(find_models({"here", folder.path(), Place::Layout::folders})), (Names{"broken\xff.gguf", "red\x1b[31m\n.gguf"}));
}

TEST(FindModels, ReadsConfigsWithinReasonOnly) {
    const TempFolder folder;
    const auto add = [&](const std::string& name, const std::string& text_of_it) {
        put(folder / name / "config.json", text_of_it);
        put(folder / name / "model.safetensors", "weights");
    };
    add("array", "[]");
    add("broken", "{\"model_type\":");
    add("deep", "{\"model_type\":\"x\",\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}");
    add("large", config(",\"filler\":\"" + std::string(3000, 'x') + "\""));
    add("odd", "{\"model_type\":7,\"architectures\":[{}],\"vocab_size\":\"many\"}");
    add("odder", "{\"model_type\":\"m\",\"architectures\":{},\"vocab_size\":-4,\"hidden_size\":1e9,\"torch_dtype\":[]}");
    add("sees", "{\"model_type\":\"m\",\"text_config\":{\"vocab_size\":11,\"hidden_size\":12},"
                "\"quantization_config\":{\"quant_method\":\"awq\"},\"torch_dtype\":\"float16\"}");
    const Found found = find_models({"here", folder.path(), Place::Layout::folders}, {.config_bytes = 2000});
    ASSERT_EQ(names_of(found), (Names{"odder", "sees"}));
    EXPECT_EQ(found.models[0].facts.vocab, 0);
    EXPECT_EQ(found.models[0].facts.hidden, 0);
    EXPECT_EQ(found.models[0].facts.weights, "");
    EXPECT_EQ(found.models[1].facts.vocab, 11);
    EXPECT_EQ(found.models[1].facts.hidden, 12);
    EXPECT_EQ(found.models[1].facts.weights, "awq");
}

TEST(FindModels, StopsInAFolderWithoutEnd) {
    const TempFolder folder;
    fs::create_directory(folder / "many");
    for (int i = 0; i < 100'000; ++i) { // a link to nothing costs least
        const std::string name = (folder / "many").string() + "/" + std::to_string(i);
        ASSERT_EQ(symlink("x", name.c_str()), 0);
    }
    const Found found = find_models({"here", folder.path(), Place::Layout::folders}, {.time = std::chrono::minutes(1)});
    EXPECT_EQ(found.incomplete, "stopped after 20000 names");
    EXPECT_EQ(find_models({"here", folder.path(), Place::Layout::folders}, {.time = std::chrono::milliseconds(-1)}).incomplete,
              "stopped after -1 ms");
}

TEST(FindModels, SaysThatDeepFoldersWereLeftOut) {
    const TempFolder folder;
    put(folder / "1/2/3/deep.gguf", tiny_gguf());
    put(folder / "4/near.gguf", tiny_gguf());
    const Place place{"here", folder.path(), Place::Layout::folders};
    const Found found = find_models(place, {.depth = 2});
    EXPECT_EQ(names_of(found), (Names{"4/near.gguf"})) << "what comes after is looked at";
    EXPECT_EQ(found.incomplete, "folders deeper than 2 were left out");
    EXPECT_EQ(find_models(place, {.depth = 3}).models.size(), 2u);
}

TEST(FindModels, FindsNothingWhereNothingIs) {
    const TempFolder folder;
    for (const Place::Layout layout : {Place::Layout::folders, Place::Layout::hub, Place::Layout::ollama}) {
        EXPECT_TRUE(find_models({"here", folder / "missing", layout}).models.empty());
        EXPECT_TRUE(find_models({"here", folder.path(), layout}).models.empty());
    }
    put(folder / "file", "x");
    EXPECT_TRUE(find_models({"here", folder / "file", Place::Layout::folders}).models.empty());
}

TEST(FindModels, TellsTrainedHeadsFromModels) {
    const fs::path golden = SPEC_SOURCE_DIR "/tests/engine/golden";
    std::map<std::string, std::string> drafters;
    for (const FoundModel& model : find_models({"here", golden, Place::Layout::folders}).models) drafters[model.name] = model.facts.drafter;
    EXPECT_EQ(drafters.at("micro_qwen3"), "");
    for (const char* drafter : {"dart", "dflash", "dflash2", "domino", "dspark", "eagle3", "medusa"})
        EXPECT_EQ(drafters.at(std::string("micro_") + drafter), drafter);
}

TEST(PossibleDrafters, AreThoseOfTheSameTokens) {
    const auto model = [](const char* name, const char* family, int vocab, int hidden, const char* drafter = "") {
        return FoundModel{"here", name, name, {family, "", drafter, vocab, hidden}, 1};
    };
    const std::vector<FoundModel> all = {model("large", "qwen3", 100, 64),
                                         model("small", "qwen3", 100, 16),
                                         model("other family", "llama", 100, 16),
                                         model("other tokens", "qwen3", 99, 16),
                                         model("head", "llama", 100, 64, "eagle3"),
                                         model("head of the small one", "llama", 100, 16, "eagle3"),
                                         model("untold", "", 0, 0)};
    const auto drafters_for = [&](std::size_t target) {
        Names names;
        for (const FoundModel* drafter : possible_drafters(all[target], all)) names.push_back(drafter->name);
        return names;
    };
    EXPECT_EQ(drafters_for(0), (Names{"small", "head"}));
    EXPECT_EQ(drafters_for(1), (Names{"head of the small one"}));
    EXPECT_EQ(drafters_for(4), Names{}) << "nothing drafts for a head";
    EXPECT_EQ(drafters_for(6), Names{}) << "two that tell nothing are not alike";
}

using Variables = std::map<std::string, std::string>;

// Variables of the environment, as they were at the end.
class Environment {
  public:
    explicit Environment(const Variables& values) {
        for (const char* name : {"HOME", "XDG_CACHE_HOME", "HF_HOME", "HF_HUB_CACHE", "LLAMA_CACHE", "OLLAMA_MODELS"}) {
            if (const char* before = std::getenv(name)) before_[name] = before;
            unsetenv(name);
        }
        for (const auto& [name, value] : values) setenv(name.c_str(), value.c_str(), 1);
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
    ~Environment() {
        for (const char* name : {"HOME", "XDG_CACHE_HOME", "HF_HOME", "HF_HUB_CACHE", "LLAMA_CACHE", "OLLAMA_MODELS"}) unsetenv(name);
        for (const auto& [name, value] : before_) setenv(name.c_str(), value.c_str(), 1);
    }

  private:
    Variables before_;
};

std::string roots() {
    std::string text;
    for (const Place& place : known_places()) text += place.root.string() + "\n";
    return text;
}

TEST(KnownPlaces, FollowTheEnvironment) {
    {
        const Environment usual(Variables{{"HOME", "/h"}});
        EXPECT_EQ(roots(), "/h/.cache/huggingface/hub\n/h/.lmstudio/models\n/h/.cache/lm-studio/models\n"
                           "/h/.cache/llama.cpp\n/h/.ollama/models\n");
    }
    {
        const Environment moved(
            Variables{{"HOME", "/h"}, {"XDG_CACHE_HOME", "/c"}, {"HF_HOME", "/hf"}, {"OLLAMA_MODELS", "/o"}, {"LLAMA_CACHE", "/l"}});
        EXPECT_EQ(roots(), "/hf/hub\n/h/.lmstudio/models\n/h/.cache/lm-studio/models\n/l\n/o\n");
    }
    {
        const Environment hub(Variables{{"HF_HOME", "/hf"}, {"HF_HUB_CACHE", "/hub"}, {"LLAMA_CACHE", "relative"}});
        EXPECT_EQ(roots(), "/hub\n");
    }
    const Environment nothing(Variables{});
    EXPECT_EQ(roots(), "");
}

} // namespace
} // namespace speclens::test
