// A language model with a cache that advances token by token: the target, and a separate draft model.
// Not named Target, because a draft model has one too.
// Two kinds exist: over a transformer checkpoint (model_decoder.cpp) and over explicit conditional tables
// (table_decoder.cpp); the round, the drafters and the rules cannot tell them apart.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/distribution.h"
#include "engine/model/frequent.h"
#include "engine/model/top_entries.h"
#include "engine/model/wire.h"
#include "kernels/types.h"

namespace speclens {

// Which sub-layers a pass runs; the default runs all of them. Used by layer-skip self-speculation.
struct LayerPlan {
    int exit_layer = -1;                  // run layers 0 … exit_layer-1, then the final norm and head; -1: all
    std::vector<int> skip_attention = {}; // layers whose attention sub-layer is left out (residual passes through)
    std::vector<int> skip_mlp = {};       // likewise the MLP sub-layer
    [[nodiscard]] bool full() const { return exit_layer < 0 && skip_attention.empty() && skip_mlp.empty(); }
};
struct DrafterOptions; // engine/drafters/drafter_options.h
// What layer skip runs of a target with so many layers.
[[nodiscard]] LayerPlan skip_plan(const DrafterOptions& options, int layers);

// One forward pass. Row i is token tokens[i]; its cache slot is length() + i.
struct PassInput {
    std::span<const int> tokens;         // 1 … max_rows()
    std::span<const int> parents = {};   // index of the parent row in this pass, -1 = the cache; empty = chain
    std::span<const int> positions = {}; // rotary positions; empty = length() + depth of the row
    LayerPlan plan = {};
    int logits_from = 0; // rows before this one need no logits (prefill: rows - 1, or rows for none)
    // Hidden states to keep for these rows, see features(): layer j's output (the raw residual) for 0 <= j < L,
    // kTapEmbedding, or L for the last state after the final norm.
    std::span<const int> taps = {};
    const OutputHead* head = nullptr; // instead of the model's own; it and its ids outlive the rows
};
inline constexpr int kTapEmbedding = -1;

// The rows of the last pass: what the model says follows each row's token.
// Views are valid until the next pass of the same Decoder.
class PassRows {
  public:
    virtual ~PassRows() = default;
    [[nodiscard]] virtual int count() const = 0; // rows with logits
    // Most likely id of every row, lowest id on ties; one download of `count` ids.
    [[nodiscard]] virtual const std::vector<int>& argmax() = 0;
    // The distribution of row i after temperature and filters, computed once for each row. Valid until the next pass,
    // or until another sampling is asked for. Ids without a token (padding rows of the head) have probability
    // 0: the others share their mass in proportion.
    [[nodiscard]] const Distribution& distribution(int row, const Sampling& sampling);
    // The same, given away: who asks again has it computed again.
    [[nodiscard]] Distribution take_distribution(int row, const Sampling& sampling);
    // sample(distribution(row, sampling), u), which need not look at ids that a reduced head leaves out.
    [[nodiscard]] virtual int draw(int row, const Sampling& sampling, double u) { return sample(distribution(row, sampling), u); }
    // The heads of row i's distribution and of its distribution at temperature 1, for traces; cheaper than whole distributions.
    // entries: 0 none, -1 every id with mass.
    [[nodiscard]] virtual RecordedRow heads(int row, const Sampling& sampling, int entries) {
        RecordedRow heads{top_of(distribution(row, sampling), entries), {}};
        if (sampling != kRawSampling) heads.raw = top_of(distribution(row, kRawSampling), entries);
        return heads;
    }
    // Log-odds of the two likeliest tokens of row i at temperature 1, how clear the row is; infinity: one has all the mass.
    [[nodiscard]] virtual double margin(int row) {
        const std::vector<TopEntries::Entry> two = heads(row, kRawSampling, 2).distribution.entries;
        return two.size() < 2 ? std::numeric_limits<double>::infinity() : two[0].logp - two[1].logp;
    }
    // Raw logits of row i (log-probabilities for tables); for parity tests.
    [[nodiscard]] virtual std::vector<float> logits(int row) = 0;

  protected:
    void forget_distributions(); // a new pass of count() rows begins
    virtual void compute_distribution(int row, const Sampling& sampling, Distribution& distribution) = 0;

  private:
    struct Cached {
        bool known = false;
        Distribution distribution; // keeps its memory from pass to pass
    };
    std::optional<Sampling> sampling_; // of the distributions that are known
    std::vector<Cached> distributions_;
};

class Decoder {
  public:
    virtual ~Decoder() = default;

    [[nodiscard]] virtual const std::string& name() const = 0;
    [[nodiscard]] virtual int vocab() const = 0;                // width of a distribution
    [[nodiscard]] virtual int layers() const = 0;               // 0 for tables
    [[nodiscard]] virtual int capacity() const = 0;             // largest length()
    [[nodiscard]] virtual int max_rows() const = 0;             // of one pass
    [[nodiscard]] virtual int length() const = 0;               // tokens in the cache
    [[nodiscard]] virtual std::size_t memory_bytes() const = 0; // weights (once per model) and cache
    [[nodiscard]] virtual bool is_table() const = 0;            // exact toy distribution: tier TABLE
    // The model's output matrix cut to the n most frequent ids, for PassInput::head. Throws Error where there is none.
    [[nodiscard]] virtual OutputHead reduced_head(const FrequentIds& frequent, int n) const = 0;

    // Appends the rows to the cache and computes. Passing more rows than fit is a CHECK.
    virtual PassRows& forward(const PassInput& input) = 0;
    // Begins the pass that the next forward() asks for, with the same input, and does not wait for it: where it is made
    // elsewhere. False: nothing was begun.
    virtual bool begin(const PassInput&) { return false; }
    // What the last pass cost on the way; empty where it was made here.
    [[nodiscard]] virtual std::optional<Wire> wire() const { return {}; }
    // Feeds a prompt in pieces of at most max_rows() without logits. `sink` receives the position of the first
    // token of each piece and its features().
    using FeatureSink = std::function<void(int first, const Tensor& features)>;
    // Told before each piece of a prompt of several how many tokens were read; may throw.
    using Reading = std::function<void(int read)>;
    virtual void prefill(std::span<const int> tokens, std::span<const int> taps = {}, const FeatureSink& sink = {},
                         const Reading& reading = {}) = 0;
    // Milliseconds that the last prefill saved, because the tokens had been read before (prompt_cache.h).
    [[nodiscard]] virtual double saved_ms() const { return 0; }
    // Forgets everything from position `length` on. Cheap.
    virtual void truncate(int length) = 0;
    // After a tree pass of r rows on top of `base` committed tokens: keeps those rows (ascending), in order,
    // right after `base`, drops the others. length() becomes base + rows.size(); features() keeps the same rows.
    virtual void keep(int base, std::span<const int> rows) = 0;
    // What PassInput::taps asked for in the last pass: f32 (rows, taps * hidden), device memory; after keep() on the
    // base of that pass only the kept rows, in order. Empty when nothing was asked for.
    [[nodiscard]] virtual Tensor features() const = 0;
    // Returns when everything that was asked for so far is computed: a device goes on behind forward() and prefill().
    virtual void wait() {}
    // Fills every cache slot from length() on with NaN: tests prove that nothing reads them.
    virtual void poison() = 0;
};

// ---- checkpoints ----
class Model; // engine/model/model.h
// capacity: cache slots; 0 = min(max_position_embeddings, 4096).
[[nodiscard]] std::unique_ptr<Decoder> make_model_decoder(std::shared_ptr<const Model> model, int capacity = 0);

// ---- tables ----
// Explicit conditional distributions: context key ("" or ids joined by commas, the generated tokens only, the prompt is
// not part of it) -> probabilities. A context that is missing uses the longest suffix that is present.
struct TableModel {
    std::string name = "table";
    int vocab = 0;
    std::vector<std::pair<std::string, Distribution>> rows;
    std::vector<std::string> texts; // optional display text per id
    std::vector<int> stops;         // ids that end the text
};
// prompt_length: how many leading tokens of the cache are not part of the context key.
[[nodiscard]] std::unique_ptr<Decoder> make_table_decoder(std::shared_ptr<const TableModel> table, int prompt_length, int capacity = 4096);

} // namespace speclens
