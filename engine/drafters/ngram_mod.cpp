// A table of next tokens by a hash of the last n, without keys, as llama.cpp's ngram-mod has it: constant memory and time, the last
// write wins, and two runs of tokens that fall on one entry are taken for each other. The proposal costs a wrong draft token then, no text.
#include <algorithm>
#include <cstdint>

#include "engine/base/clock.h"
#include "engine/drafters/chain.h"
#include "engine/drafters/drafter_info.h"

namespace speclens {
namespace {

constexpr std::size_t kEntries = std::size_t{1} << 16;

class NgramMod final : public Drafter {
  public:
    explicit NgramMod(DrafterOptions options) : options_(std::move(options)) {}

    void begin(std::span<const int> sequence) override {
        next_.assign(kEntries, kEmpty);
        known_ = 0;
        read(sequence);
    }
    void observe(const Observation&) override {}

    Draft draft(const DraftRequest& request) override {
        Draft draft;
        const Stopwatch watch;
        read(request.sequence);
        const auto n = static_cast<std::size_t>(options_.mod_ngram);
        if (request.sequence.size() < n) return draft;
        std::vector<int> window(request.sequence.end() - static_cast<std::ptrdiff_t>(n), request.sequence.end());
        for (int index = 0; index < request.k; ++index) {
            const std::size_t entry = entry_of(window);
            const int likely = next_[entry];
            if (likely == kEmpty) break;
            draft.nodes.push_back(copied_node(request, index, likely, "entry " + std::to_string(entry)));
            window.erase(window.begin());
            window.push_back(draft.nodes.back().token);
            if (is_stop(request.stops, draft.nodes.back().token)) break;
        }
        if (static_cast<int>(draft.nodes.size()) < std::min(options_.mod_least, request.k) && request.force.empty()) draft.nodes.clear();
        if (!draft.nodes.empty()) draft.nodes.front().ms = watch.ms();
        return draft;
    }

  private:
    static constexpr int kEmpty = -1;

    static std::size_t entry_of(std::span<const int> tokens) {
        std::uint64_t hash = 0;
        for (const int token : tokens) hash = (hash + static_cast<std::uint64_t>(token) + 1) * 6364136223846793005ull;
        return static_cast<std::size_t>(hash >> 32) % kEntries;
    }

    void read(std::span<const int> sequence) {
        const auto n = static_cast<std::size_t>(options_.mod_ngram);
        for (std::size_t i = std::max(known_, n); i < sequence.size(); ++i) next_[entry_of(sequence.subspan(i - n, n))] = sequence[i];
        known_ = std::max(known_, sequence.size());
    }

    DrafterOptions options_;
    std::vector<int> next_;
    std::size_t known_ = 0; // tokens of the text that are in the table
};

} // namespace

DrafterInfo ngram_mod_info() {
    return {
        .name = "ngram_mod",
        .title = "N-gram table",
        .short_title = "n-gram table",
        .icon = "cross_fat",
        .about = "Looks the next token up by a hash of the last ones, in a table without keys (ngram-mod of llama.cpp).",
        .how =
            "No network: one table entry for each run of last tokens, found by its hash, holds the token that came next. Memory and time "
            "are constant; it knows neither how often something occurred nor whether the entry was meant.",
        .cost = draft_cost<"cost.looks_up">,
        .kin = {.takes = "nothing but the text",
                .sequential = "a hash per guess",
                .keeps = "a table of hashes",
                .year = 2026,
                .source = "github.com/ggml-org/llama.cpp",
                .served = "llama.cpp"},
        .drafting = Drafting::at_once,
        .draws = false,
        .default_k = 16,
        .reads = {Setting::mod_ngram, Setting::mod_least},
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<NgramMod>(args.options); },
    };
}

} // namespace speclens
