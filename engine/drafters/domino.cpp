// Domino (arXiv 2605.29707; formats §6): DFlash's block, and a causal head that corrects its rows from left to right.
// A GRU reads the anchor and the guesses so far; its state and a row give a low-rank correction over the vocabulary.
#include <numeric>

#include "engine/clock.h"
#include "engine/drafters/block.h"
#include "engine/drafters/chain.h"

namespace speclens {
namespace {

class Domino final : public BlockDrafter {
  public:
    explicit Domino(const DrafterArgs& args)
        : BlockDrafter(args), corrected_(backend(), network().config.layer.vocab, network().name),
          corrects_(args.options.correction) {
        const DraftConfig& c = network().config;
        correction_ = args.output_head(backend(), network().correction.view());
        embedded_ = row_of(c.layer.hidden);
        input_gates_ = row_of(3 * c.gru);
        hidden_gates_ = row_of(3 * c.gru);
        state_ = row_of(c.gru);
        gates_ = row_of(3 * c.gru);
        mixed_ = row_of(c.rank);
        mixed_rows_ = Buffer(backend(), DType::f32, c.block, c.rank);
    }

  protected:
    void choose(const Block& block, int k, const DraftRequest& request, Draft& draft) override {
        if (!corrects_) return BlockDrafter::choose(block, k, request, draft);
        const DraftConfig& c = network().config;
        Stopwatch watch;
        const Tensor from_rows = mixed_rows_.view().slice(0, k);
        const Projection half[] = {{network().mix_row.view(), {}, from_rows}};
        backend().matmul(block.rows, half);
        const std::vector<float> zero(static_cast<std::size_t>(c.gru), 0.0f);
        backend().upload(state_.view(), zero.data());
        read(block.anchor, request.lens);
        for (int i = 0; i < k; ++i) {
            DraftNode node = i < c.prefix ? next_node(base_rows(), i, i, c.layer.vocab, request)
                                          : corrected(block, from_rows.slice(i, 1), i, request);
            const int token = node.token;
            node.head_ms = watch.ms();
            if (request.lens) look(i >= c.prefix, i, node, request);
            watch = {};
            draft.nodes.push_back(std::move(node));
            if (is_stop(request.stops, token)) return;
            if (i + 1 < k) read(token, request.lens);
        }
    }

  private:
    // The state after one more token.
    void read(int token, bool lens) {
        look_up(network().target->embedding.view(), token, embedded_.view());
        const Projection input[] = {{network().gru_input.view(), {}, input_gates_.view()}};
        backend().matmul(embedded_.view(), input);
        const Projection hidden[] = {{network().gru_hidden.view(), {}, hidden_gates_.view()}};
        backend().matmul(state_.view(), hidden);
        backend().gru(input_gates_.view(), hidden_gates_.view(), state_.view(), state_.view(),
                      lens ? gates_.view() : Tensor{});
    }

    // What the head saw and did at node `index`: the state that has read every token before it.
    void look(bool was_corrected, int index, DraftNode& node, const DraftRequest& request) {
        const auto width = static_cast<std::size_t>(network().config.gru);
        std::vector<float> state(width), gates(3 * width);
        backend().download(state_.view(), state.data());
        backend().download(gates_.view(), gates.data());
        node.lens.add("state", state);
        const char* const names[] = {"r", "z", "n"};
        for (std::size_t g = 0; g < 3; ++g) {
            const auto gate = std::span<const float>(gates).subspan(g * width, width);
            node.lens.add(names[g], gate);
            node.lens.add(std::string("mean ") + names[g], std::accumulate(gate.begin(), gate.end(), 0.0) / static_cast<double>(width));
        }
        node.lens.add("corrected", was_corrected ? 1 : 0);
        if (!was_corrected) return;
        std::vector<float> mixed(static_cast<std::size_t>(network().config.rank));
        backend().download(mixed_.view(), mixed.data());
        node.lens.add("low rank", mixed);
        look_at_correction(node, index, corrected_, request);
    }

    // final = base + W₂·silu(W_row·row + W_state·state); the sums ride along as biases.
    DraftNode corrected(const Block& block, const Tensor& from_row, int index, const DraftRequest& request) {
        const Projection mix[] = {{network().mix_state.view(), from_row, mixed_.view()}};
        backend().matmul(state_.view(), mix);
        backend().silu(mixed_.view());
        const Projection add[] = {{correction_.weight, block.base.slice(index, 1), corrected_.begin(1, correction_.ids)}};
        backend().matmul(mixed_.view(), add);
        DraftNode node = next_node(corrected_, 0, index, network().config.layer.vocab, request);
        if (request.entries != 0) node.base = base_law(index, request);
        return node;
    }

    ModelRows corrected_;
    OutputHead correction_;  // (V, E), cut like the head
    bool corrects_;
    Buffer embedded_, input_gates_, hidden_gates_; // (1, h), (1, 3G) twice
    Buffer gates_, state_, mixed_;                 // (1, 3G) for the lens, (1, G), (1, E)
    Buffer mixed_rows_;                                           // (B, E)
};

}  // namespace

std::unique_ptr<Drafter> make_domino(DrafterArgs args) { return std::make_unique<Domino>(args); }

}  // namespace speclens
