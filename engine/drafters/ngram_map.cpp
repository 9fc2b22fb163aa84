// Prompt lookup by a map, as llama.cpp's ngram-map-k has it: every run of tokens that occurred is a key, and its two latest places are
// known. The continuation is copied from the latest place, as far as the one before agreed with it; the longest run that has something
// to say wins. Unlike ngram_mod's table it has keys, so that what is found is what was meant.
//
// llama.cpp caps a key by what the target kept of its last draft. The same is read off the text here: what would have been proposed
// last time, beside what came. So a draft depends on the text alone, and a fork of a run drafts as the run did. A map of counted
// continuations, its ngram-map-k4v, is left out: suffix counts all of them.
#include <algorithm>
#include <cstdint>

#include "engine/drafters/copying_drafter.h"

namespace speclens {
namespace {

class NgramMap final : public CopyingDrafter {
  public:
    explicit NgramMap(DrafterOptions options) : CopyingDrafter(std::move(options)) {}

  private:
    void forget() override {
        keys_.clear();
        slots_.assign(kFewestSlots, kNone);
        text_.clear();
    }

    void append(std::span<const int> text) override {
        text_.push_back(text.back());
        const int end = static_cast<int>(text_.size()) - 1;
        for (int tokens = options_.ngram_min; tokens <= std::min(end, options_.ngram_max); ++tokens) enter(end, tokens);
    }

    void copy(const DraftRequest& request, Draft& draft) override {
        const Source source = found();
        put_run(request, source.key, source.begin, draft, source.tokens);
    }

    static constexpr int kNone = -1, kUnlimited = 1 << 30;
    static constexpr std::size_t kFewestSlots = 256;

    struct Key {
        int tokens = 0;                     // its length
        int latest = kNone, before = kNone; // the token behind its two latest places
    };
    struct Source { // what is proposed: so many tokens of the text from `begin` on, behind a key of so many
        int key = 0, begin = 0, tokens = 0;
    };

    [[nodiscard]] std::size_t slot_of(int end, int tokens) const { // of the key that ends there, or the empty one where it belongs
        const auto begin = text_.begin() + (end - tokens);
        std::uint64_t hash = static_cast<std::uint64_t>(tokens);
        for (int i = 0; i < tokens; ++i) hash = (hash + static_cast<std::uint64_t>(begin[i]) + 1) * 6364136223846793005ull;
        std::size_t slot = static_cast<std::size_t>(hash >> 32) & (slots_.size() - 1);
        const auto other = [&](const Key& key) {
            return key.tokens != tokens || !std::equal(begin, begin + tokens, text_.begin() + (key.latest - tokens));
        };
        while (slots_[slot] != kNone && other(keys_[static_cast<std::size_t>(slots_[slot])])) slot = (slot + 1) & (slots_.size() - 1);
        return slot;
    }

    // What stands at `end` of the text follows the key before it.
    void enter(int end, int tokens) {
        std::size_t slot = slot_of(end, tokens);
        if (slots_[slot] != kNone) {
            Key& key = keys_[static_cast<std::size_t>(slots_[slot])];
            key.before = key.latest;
            key.latest = end;
            return;
        }
        keys_.push_back({.tokens = tokens, .latest = end});
        slots_[slot] = static_cast<int>(keys_.size()) - 1;
        if (2 * keys_.size() < slots_.size()) return;
        slots_.assign(2 * slots_.size(), kNone);
        for (std::size_t i = 0; i < keys_.size(); ++i) slots_[slot_of(keys_[i].latest, keys_[i].tokens)] = static_cast<int>(i);
    }

    // How many tokens the continuations of both places have in common; nothing contradicts up to the end of the text.
    [[nodiscard]] int agreed(const Key& key) const {
        if (key.before == kNone) return kUnlimited;
        const auto size = static_cast<int>(text_.size());
        for (int i = 0; key.latest + i < size; ++i)
            if (text_[static_cast<std::size_t>(key.before + i)] != text_[static_cast<std::size_t>(key.latest + i)]) return i;
        return kUnlimited;
    }

    [[nodiscard]] Source found() const {
        const auto size = static_cast<int>(text_.size());
        for (int tokens = std::min(size, options_.ngram_max); tokens >= options_.ngram_min; --tokens) {
            const int number = slots_[slot_of(size, tokens)];
            if (number == kNone) continue;
            const Key& key = keys_[static_cast<std::size_t>(number)];
            if (const int most = agreed(key); most > 0) return {tokens, key.latest, most};
        }
        return {};
    }

    std::vector<int> text_;
    std::vector<Key> keys_;
    std::vector<int> slots_; // numbers of keys, by their hash; at most half are taken
};

} // namespace

DrafterInfo ngram_map_info() {
    return copying_info(named<"ngram_map">({
        .short_title = drafter_said("ngram_map.short"_t),
        .cost = draft_cost<"cost.copies">,
        .kin = {.sequential = drafter_said("kin.sequential:search_once"_t),
                .keeps = drafter_said("kin.keeps:map"_t),
                .year = 2026,
                .source = "github.com/ggml-org/llama.cpp",
                .served = "llama.cpp"},
        .default_k = 10,
        .reads = {Setting::ngram},
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<NgramMap>(args.options); },
    }));
}

} // namespace speclens
