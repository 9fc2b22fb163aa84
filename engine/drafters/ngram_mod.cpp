// A table of next tokens by a hash of the last n, without keys, as llama.cpp's ngram-mod has it: constant memory and time, the last
// write wins, and two runs of tokens that fall on one entry are taken for each other. The proposal costs a wrong draft token then, no text.
#include <algorithm>
#include <cstdint>

#include "engine/drafters/copying_drafter.h"

namespace speclens {
namespace {

constexpr std::size_t kEntries = std::size_t{1} << 16;

class NgramMod final : public CopyingDrafter {
  public:
    explicit NgramMod(DrafterOptions options) : CopyingDrafter(std::move(options)), n_(static_cast<std::size_t>(options_.mod_ngram)) {}

  private:
    void forget() override { next_.assign(kEntries, kEmpty); }
    void append(std::span<const int> text) override {
        if (text.size() > n_) next_[entry_of(text.last(n_ + 1).first(n_))] = text.back();
    }

    void copy(const DraftRequest& request, Draft& draft) override {
        if (request.sequence.size() < n_) return;
        std::vector<int> window(request.sequence.end() - static_cast<std::ptrdiff_t>(n_), request.sequence.end());
        for (;;) {
            const std::size_t entry = entry_of(window);
            const int likely = next_[entry];
            if (likely == kEmpty || !put(request, likely, "entry " + std::to_string(entry), draft)) break;
            window.erase(window.begin());
            window.push_back(draft.nodes.back().token);
        }
        if (static_cast<int>(draft.nodes.size()) < std::min(options_.mod_least, request.k) && request.force.empty()) draft.nodes.clear();
    }

    static constexpr int kEmpty = -1;

    static std::size_t entry_of(std::span<const int> tokens) {
        std::uint64_t hash = 0;
        for (const int token : tokens) hash = (hash + static_cast<std::uint64_t>(token) + 1) * 6364136223846793005ull;
        return static_cast<std::size_t>(hash >> 32) % kEntries;
    }

    std::size_t n_; // tokens that are hashed
    std::vector<int> next_;
};

} // namespace

DrafterInfo ngram_mod_info() {
    return copying_info(named<"ngram_mod">({
        .short_title = drafter_said("ngram_mod.short"_t),
        .cost = draft_cost<"cost.looks_up">,
        .kin = {.sequential = drafter_said("kin.sequential:hash"_t),
                .keeps = drafter_said("kin.keeps:table"_t),
                .year = 2026,
                .source = "github.com/ggml-org/llama.cpp",
                .served = "llama.cpp"},
        .default_k = 16,
        .reads = {Setting::mod_ngram, Setting::mod_least},
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<NgramMod>(args.options); },
    }));
}

} // namespace speclens
