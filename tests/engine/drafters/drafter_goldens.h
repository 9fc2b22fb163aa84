// Values that the public implementations of the trained drafters computed (tests/engine/golden/README.md), and what
// the lens must make of them.
#pragma once

#include "engine/drafters/drafter.h"
#include "engine/heads/draft_config.h"
#include "tests/shared/model_support.h"

namespace speclens::test {

class Golden {
  public:
    explicit Golden(const std::string& name, std::string prefix = "")
        : file_(Safetensors::open(golden(name + ".golden.safetensors"))), prefix_(std::move(prefix)) {}

    template <class T>
    [[nodiscard]] std::vector<T> values(const std::string& name) const {
        const StoredTensor* tensor = file_.find(prefix_ + name);
        if (tensor == nullptr) return {};
        std::vector<T> values(tensor->bytes / sizeof(T));
        const std::vector<std::byte> bytes = file_.read(*tensor);
        std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }
    [[nodiscard]] std::vector<int> ids(const std::string& name) const { return values<int>(name); }

  private:
    Safetensors file_;
    std::string prefix_;
};

// Strips, norms and movers of `draft` against the tensors of round `round` ("0."), whose logits are of the ids `target_id` (none: of all).
void expect_internals(const Draft& draft, const Golden& golden, const std::string& round, const DraftConfig& config,
                      const std::vector<int>& target_id);
// look_back() after that round: `weights` holds the matrix that fuses the target's features.
void expect_feature_errors(const Internals& internals, const Golden& golden, const std::string& round,
                           const std::filesystem::path& weights);

} // namespace speclens::test
