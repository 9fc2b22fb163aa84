// EAGLE-3 as a chain: the head runs once per guess, each time on its own last output (formats §4.4).
#include <algorithm>

#include "engine/clock.h"
#include "engine/drafters/chain.h"
#include "engine/drafters/eagle3_head.h"
#include "kernels/error.h"

namespace speclens {
namespace {

class Eagle3 final : public Drafter {
  public:
    explicit Eagle3(const DrafterArgs& args) : head_(args.network, args.target.capacity() + 64) {}

    [[nodiscard]] std::vector<int> taps() const override { return head_.network().config.taps; }
    void begin(std::span<const int>) override {
        head_.begin();
        waiting_ = {};
    }

    // The features of a verified round are fed when the next draft starts: they are a part of its cost.
    void observe(const Observation& observation) override {
        if (observation.prompt) return absorb(observation.features, observation.first, observation.sequence);
        waiting_ = {observation.features, observation.first};
    }

    [[nodiscard]] Draft draft(const DraftRequest& request) override {
        Draft draft;
        Stopwatch watch;
        if (!waiting_.features.empty()) absorb(waiting_.features, waiting_.first, request.sequence);
        waiting_ = {};
        const int start = static_cast<int>(request.sequence.size()) - 1;
        if (head_.length() != start || start == 0) return draft; // past its positions, or nothing to continue
        const int k = std::min(request.k, head_.capacity() - start);
        for (int i = 0; i < k; ++i) {
            if (i > 0) {
                const int last = draft.nodes.back().token, from = 0;
                head_.step(std::span(&last, 1), std::span(&from, 1), i - 1, i - 1);
            }
            head_.predict();
            draft.nodes.push_back(node(i, request));
            draft.nodes.back().ms = watch.ms();
            watch = {};
            if (is_stop(request.stops, draft.nodes.back().token)) break;
        }
        return draft;
    }

  private:
    struct Waiting {
        Tensor features; // a view of the target's, valid until its next pass
        int first = 0;
    };

    void absorb(const Tensor& features, int first, std::span<const int> sequence) {
        if (first != head_.length()) return; // a piece before this one did not fit
        head_.absorb(features, sequence.subspan(static_cast<std::size_t>(first) + 1,
                                                static_cast<std::size_t>(features.rows)));
    }

    DraftNode node(int index, const DraftRequest& request) {
        DraftNode node;
        node.parent = index - 1;
        ModelRows& rows = head_.rows();
        const std::optional<int> forced = request.forced(index);
        if (request.sampling.temperature > 0) {
            node.law = head_.widened(rows.law(0, request.sampling));
            if (!forced) {
                node.u = request.coin(index);
                node.token = sample(node.law, *node.u);
            }
        } else if (!forced) {
            node.token = head_.target_id(rows.argmax()[0]);
        }
        if (forced) {
            node.token = *forced;
            node.extra = "forced";
        }
        if (request.entries != 0) {
            Heads heads = rows.heads(0, request.sampling, request.entries);
            node.heads = {head_.widened(std::move(heads.law)), head_.widened(std::move(heads.raw))};
        }
        return node;
    }

    Eagle3Head head_;
    Waiting waiting_;
};

} // namespace

std::unique_ptr<Drafter> make_eagle3(DrafterArgs args) {
    return std::make_unique<Eagle3>(args);
}

} // namespace speclens
