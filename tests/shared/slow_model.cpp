#include "tests/shared/slow_model.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "engine/base/clock.h"
#include "engine/model/frequent.h"
#include "engine/model/model.h"
#include "engine/weights/safetensors.h"
#include "engine/weights/safetensors_write.h"
#include "tests/shared/forwarding_backend.h"
#include "tests/shared/temp_folder.h"
#include "tests/shared/test_backend.h"

namespace speclens::test {
namespace {

namespace fs = std::filesystem;

constexpr int kIds = 151'936;
constexpr int kUnused = 4091; // a token of the built-in model that no text has: it never wins
constexpr std::size_t kTargetBytes = 1'117'320'768, kTargetPerToken = 986'000'000, kDraftBytes = 491'400'064, kDraftPerToken = 398'000'000;

std::atomic<double> skipped_ms;
std::atomic<bool> skips = false;

// Every pass begins with its embedding, and what is embedded says whose pass it is.
class SlowBackend final : public ForwardingBackend {
  public:
    SlowBackend(std::unique_ptr<Backend> to, SlowPace pace, std::shared_ptr<std::atomic<double>> slept)
        : ForwardingBackend(std::move(to)), pace_(pace), slept_(std::move(slept)) {}
    void embed(const Tensor& table, const Tensor& ids, const Tensor& out) override {
        ForwardingBackend::embed(table, ids, out);
        const auto groups = static_cast<double>((ids.size() + pace_.group - 1) / pace_.group);
        const double ms = groups * (table.cols == target_cols ? pace_.target_ms : pace_.draft_ms);
        if (skips)
            skipped_ms = skipped_ms + ms;
        else
            std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms));
        *slept_ = *slept_ + ms;
    }
    TimeMark mark() override {
        if (!skips) return ForwardingBackend::mark();
        return {.ticks = static_cast<std::int64_t>(skipped_ms * 1e6), .event = -1};
    }
    std::size_t held_memory() const override { return kTargetBytes + kDraftBytes; }
    Buffer make_read_buffer(std::size_t bytes) override { return ForwardingBackend::make_read_buffer(std::min(bytes, kRead)); }

    std::int64_t target_cols = 0;

  private:
    static constexpr std::size_t kRead = std::size_t{8} << 20;
    SlowPace pace_;
    std::shared_ptr<std::atomic<double>> slept_;
};

std::string text_of(const fs::path& file) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

// The same model with as many rows in its embedding, which is its output matrix too.
fs::path with_more_ids(const fs::path& model) {
    const fs::path folder = fresh_folder();
    for (const char* name : {"generation_config.json", "tokenizer.json", "tokenizer_config.json"}) fs::copy(model / name, folder / name);
    std::string config = text_of(model / "config.json");
    const std::string ids = "\"vocab_size\": 4096";
    config.replace(config.find(ids), ids.size(), "\"vocab_size\": " + std::to_string(kIds));
    std::ofstream(folder / "config.json") << config;
    const Safetensors file = Safetensors::open_folder(model);
    std::vector<TensorToWrite> tensors;
    for (const auto& [name, tensor] : file.tensors()) {
        TensorToWrite one{name, tensor.dtype, tensor.shape, [&file, &tensor] { return file.read(tensor); }};
        if (name == "model.embed_tokens.weight") {
            one.shape[0] = kIds;
            one.bytes = [&file, &tensor] {
                std::vector<std::byte> bytes = file.read(tensor);
                const std::size_t row = bytes.size() / static_cast<std::size_t>(tensor.shape[0]);
                const std::vector<std::byte> unused(bytes.begin() + static_cast<std::ptrdiff_t>(row * kUnused),
                                                    bytes.begin() + static_cast<std::ptrdiff_t>(row * (kUnused + 1)));
                bytes.resize(row * kIds);
                for (std::size_t at = row * static_cast<std::size_t>(tensor.shape[0]); at < bytes.size(); at += row)
                    std::memcpy(bytes.data() + at, unused.data(), row);
                return bytes;
            };
        }
        tensors.push_back(std::move(one));
    }
    std::ranges::stable_sort(tensors, std::ranges::greater(), [](const TensorToWrite& one) { return bytes_of(one.dtype); });
    write_safetensors(folder / "model.safetensors", std::move(tensors));
    return folder;
}

std::shared_ptr<const Model> as_large(const std::shared_ptr<const Model>& model, const std::string& name, std::size_t bytes,
                                      std::size_t per_token) {
    const auto changed = std::const_pointer_cast<Model>(model); // it was made as one that may change
    changed->name = name;
    changed->bytes = {.all = bytes, .tables = 0, .per_token = per_token};
    changed->stored_as = "Q4_K";
    return model;
}

} // namespace

SkippedTime::SkippedTime() : clock_(Stopwatch::now_ms) {
    skips = true;
    Stopwatch::now_ms = [] { return skipped_ms.load(); };
}
SkippedTime::~SkippedTime() {
    Stopwatch::now_ms = clock_;
    skips = false;
}

SlowModels slow_models(SlowPace pace) {
    static const fs::path target = with_more_ids(assets_folder() / "models/target"),
                          draft = with_more_ids(assets_folder() / "models/small");
    auto slept = std::make_shared<std::atomic<double>>(0);
    auto backend = std::make_shared<SlowBackend>(test_backend(2), pace, slept);
    auto models = std::make_shared<Models>();
    models->backend = backend;
    models->target = as_large(Model::load(*backend, target), "Qwen2.5-Coder 1.5B Instruct", kTargetBytes, kTargetPerToken);
    models->draft = as_large(Model::load(*backend, draft), "Qwen2.5-Coder 0.5B Instruct", kDraftBytes, kDraftPerToken);
    models->tokenizer = models->target->tokenizer;
    models->chat = models->target->chat;
    models->frequent = std::make_shared<FrequentIds>(kIds, models->target->config.stops);
    models->fingerprint = "00000000000510e0";
    backend->target_cols = models->target->config.hidden;
    return {models, slept};
}

} // namespace speclens::test
