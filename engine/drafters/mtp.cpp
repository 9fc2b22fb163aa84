// Multi-token prediction (DeepSeek-V3, arXiv 2412.19437 §2.2; FastMTP, arXiv 2509.18362): one decoder layer that was trained with the
// target. A row is the pair of the target's state at a place and the token after it, each normed, joined by a matrix and sent through
// the layer; its output, after a norm of its own, predicts the token after that one with the target's output matrix. For the draft tokens
// behind the first the layer reads its own output instead of the target's state.
//
// Rows of true states stay in the cache, those of a draft are dropped when the target has spoken: its states of the kept tokens make
// true rows when the next draft begins.
#include <algorithm>
#include <numeric>

#include "engine/base/clock.h"
#include "engine/drafters/chain.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter_info.h"
#include "engine/model/layer_stack.h"
#include "engine/model/model_rows.h"
#include "engine/model/waiting_states.h"
#include "kernels/error.h"

namespace speclens {
namespace {

class Mtp final : public Drafter {
  public:
    explicit Mtp(const DrafterArgs& args)
        : network_(args.network), taps_(network_->config.taps), head_(args.target_head()),
          capacity_(std::min(args.target.capacity() + args.target.max_rows(), static_cast<int>(network_->cos_sin.view().rows))),
          stack_(backend(), network_->config.layer, network_->layer, network_->cos_sin.view(), capacity_, backend().max_rows()),
          rows_(backend(), network_->config.layer.vocab, tokens_of(*network_->target), network_->name), last_(args.options.context_last),
          prompt_(args.options.mtp_prompt) {
        if (args.options.mtp_raw) taps_ = {args.target.layers() - 1};
        const int rows = backend().max_rows(), hidden = network_->config.layer.hidden;
        ids_ = Buffer(backend(), DType::i32, 1, rows);
        order_ = Buffer(backend(), DType::i32, 1, 2 * rows);
        halves_ = Buffer(backend(), DType::f32, 2 * rows, hidden);
        joined_ = Buffer(backend(), DType::f32, 2 * rows, hidden);
        embedded_ = Buffer(backend(), DType::f32, rows, hidden);
        state_ = Buffer(backend(), DType::f32, 1, hidden);
        zeros_.resize(static_cast<std::size_t>(hidden));
    }

    [[nodiscard]] std::vector<int> taps() const override { return taps_; }

    void begin(std::span<const int>) override {
        length_ = start_ = 0;
        waiting_.clear();
    }

    // The rows of a verified round are run when the next draft starts: they are a part of its cost.
    void observe(const Observation& observation) override {
        if (observation.prompt && !prompt_)
            skip(observation);
        else if (observation.prompt)
            absorb(observation.features, observation.first, observation.sequence);
        else
            waiting_.take(observation.features, observation.first);
    }
    void put_off() override { waiting_.put_off(backend()); }

    [[nodiscard]] Draft draft(const DraftRequest& request) override {
        Draft draft;
        Stopwatch watch;
        waiting_.read(backend().max_rows(), [&](const Tensor& features, int first, bool) { absorb(features, first, request.sequence); });
        if (length_ == 0 || length_ != static_cast<int>(request.sequence.size()) - 1) return draft;
        const int k = std::min(request.k, capacity_ - length_);
        for (int i = 0; i < k; ++i) {
            if (!goes_further(draft, request)) break;
            if (i > 0) extend(draft.nodes.back().token, i - 1);
            predict();
            if (!goes_on(rows_, 0, i, request)) break;
            draft.nodes.push_back(next_node(rows_, 0, i, network_->config.layer.vocab, request));
            DraftNode& node = draft.nodes.back();
            node.ms = watch.ms() - node.record_ms;
            if (request.internals) look(node);
            watch = {};
            if (is_stop(request.stops, node.token)) break;
        }
        return draft;
    }

  private:
    [[nodiscard]] Backend& backend() const { return network_->backend(); }

    void absorb(const Tensor& states, int first, std::span<const int> sequence) {
        const int rows = static_cast<int>(states.rows);
        if (first != length_ || rows == 0 || length_ + rows > capacity_) return; // draft() sees that rows are missing
        const auto next = sequence.subspan(static_cast<std::size_t>(first) + 1, static_cast<std::size_t>(rows));
        std::vector<int> positions(next.size());
        std::iota(positions.begin(), positions.end(), length_);
        const Tensor out = run(next, states, positions, {.prefix = length_, .first_slot = length_, .ancestors = {}});
        length_ += rows;
        backend().copy(out.slice(rows - 1, 1), state_.view());
    }

    // Of a piece of the prompt the last pair only; what lies before it is never seen.
    void skip(const Observation& piece) {
        const int before = static_cast<int>(piece.features.rows) - 1;
        if (piece.first != length_ || before < 0) return;
        length_ = start_ = piece.first + before;
        absorb(piece.features.slice(before, 1), length_, piece.sequence);
    }

    // One row of the layer's own output behind the true ones and the `own` rows already there.
    void extend(int token, int own) {
        const int position = length_ + own;
        const Tensor out = run(std::span(&token, 1), state_.view(), std::span(&position, 1),
                               {.prefix = position, .first_slot = position, .ancestors = {}});
        backend().copy(out, state_.view());
    }

    // The layer's output after its norm, valid until the next run.
    Tensor run(std::span<const int> tokens, const Tensor& states, std::span<const int> positions, const AttentionMask& mask) {
        const int rows = static_cast<int>(tokens.size());
        const float eps = network_->config.layer.rms_eps;
        stack_.reserve(mask.first_slot + rows, mask.prefix > start_ ? mask.prefix : 0); // what is never seen need not be there
        LayerStack::Pass pass = stack_.begin(positions, mask);
        const std::vector<LayerStack::Pass::Range> seen = pairs_seen(mask.first_slot, rows);
        pass.ranges = seen;
        const Tensor ids = {ids_.view().data, DType::i32, 1, rows}, embedded = embedded_.view().slice(0, rows);
        backend().upload(ids, tokens.data());
        backend().embed(network_->target->embedding.view(), ids, embedded);
        if (network_->config.zeroes_first && positions[0] == 0) backend().upload(embedded.slice(0, 1), zeros_.data());

        const Tensor both = halves_.view().slice(0, 2 * rows);
        const int token_half = network_->config.state_first ? rows : 0, state_half = rows - token_half;
        newest_pair_ = {token_half + rows - 1, state_half + rows - 1};
        backend().add_norm(embedded, {}, network_->token_norm.view(), eps, both.slice(token_half, rows));
        backend().add_norm(states, {}, network_->hidden_norm.view(), eps, both.slice(state_half, rows));
        std::vector<int> order;
        for (int i = 0; i < rows; ++i) order.insert(order.end(), {i, rows + i});
        const Tensor indices = {order_.view().data, DType::i32, 1, 2 * rows}, pairs = joined_.view().slice(0, 2 * rows);
        backend().upload(indices, order.data());
        backend().gather_rows(both, indices, pairs);
        const Projection join[] = {{network_->fc.view(), {}, pass.residual}};
        backend().matmul({pairs.data, DType::f32, rows, 2 * pairs.cols}, join);

        for (int layer = 0; layer < network_->config.layer.layers; ++layer) stack_.run(layer, pass);
        stack_.add_norm(pass, network_->norm.view(), pass.normed);
        return pass.normed;
    }

    // What each row sees where some pairs are left out (ablations); empty: all before it.
    [[nodiscard]] std::vector<LayerStack::Pass::Range> pairs_seen(int first_slot, int rows) const {
        std::vector<LayerStack::Pass::Range> seen;
        if (last_ == 0 && start_ == 0) return seen;
        for (int slot = first_slot; slot < first_slot + rows; ++slot)
            seen.push_back({last_ > 0 ? std::max(start_, slot + 1 - last_) : start_, slot + 1});
        return seen;
    }

    void predict() {
        const Projection head[] = {{head_.weight, {}, rows_.begin(1, head_.ids)}};
        backend().matmul(state_.view(), head);
    }

    // The pair that it read, each half after its norm, and what came out.
    void look(DraftNode& node) {
        std::vector<float> values(zeros_.size());
        const auto add = [&](const char* name, const Tensor& row) {
            backend().download(row, values.data());
            node.internals.add(name, values);
        };
        add("state", halves_.view().slice(newest_pair_.state, 1));
        add("token", halves_.view().slice(newest_pair_.token, 1));
        add("output", state_.view());
    }

    struct Pair {
        int token = 0, state = 0; // rows of halves_
    };

    std::shared_ptr<const DraftNetwork> network_;
    std::vector<int> taps_;
    OutputHead head_; // the target's, perhaps cut
    int capacity_;
    int length_ = 0; // rows of true states
    int start_ = 0;  // the first of them that is seen
    LayerStack stack_;
    ModelRows rows_;
    int last_;    // pairs that a row sees, its own among them; 0: all
    bool prompt_; // the prompt's pairs are read, too
    WaitingStates waiting_;
    Pair newest_pair_;
    Buffer ids_, order_;      // (1, rows), (1, 2 * rows) i32
    Buffer halves_, joined_;  // (2 * rows, h): all of one half, then the other; and pair by pair
    Buffer embedded_, state_; // (rows, h); (1, h): the newest output
    std::vector<float> zeros_;
};

} // namespace

DrafterInfo mtp_info() {
    return with_head<"mtp">({
        .icon = "trapezoid",
        .cost = draft_cost<"cost.layers">,
        .kin = {.takes = drafter_said("kin.takes:last"_t),
                .sequential = drafter_said("kin.sequential:layer"_t),
                .keeps = drafter_said("kin.keeps:layer"_t),
                .year = 2024,
                .source = "arXiv:2412.19437",
                .served = "vLLM, SGLang, TRT-LLM, llama.cpp"},
        .method = "mtp",
        .default_k = 3,
        .reads = {Setting::context_last, Setting::fr_spec, Setting::mtp_raw, Setting::mtp_prompt},
        .published = {"mtp"},
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<Mtp>(args); },
    });
}

} // namespace speclens
