// EAGLE-3 as a chain: the head runs once per guess, each time on its own last output (formats §4.4).
#include <algorithm>

#include "engine/clock.h"
#include "engine/drafters/chain.h"
#include "engine/drafters/eagle3_head.h"
#include "kernels/error.h"

namespace speclens {
namespace {

class Eagle3 final : public Eagle3Drafter {
  public:
    using Eagle3Drafter::Eagle3Drafter;

    [[nodiscard]] Draft draft(const DraftRequest& request) override {
        Draft draft;
        Stopwatch watch;
        if (!catch_up(request.sequence)) return draft;
        const int k = std::min(request.k, head().capacity() - head().length());
        for (int i = 0; i < k; ++i) {
            if (i > 0) head().extend(draft.nodes.back().token, i - 1);
            head().predict();
            draft.nodes.push_back(node(i, request));
            draft.nodes.back().ms = watch.ms();
            watch = {};
            if (is_stop(request.stops, draft.nodes.back().token)) break;
        }
        return draft;
    }

  private:
    DraftNode node(int index, const DraftRequest& request) {
        DraftNode node;
        node.parent = index - 1;
        ModelRows& rows = head().rows();
        const std::optional<int> forced = request.forced(index);
        if (request.sampling.temperature > 0) {
            node.law = head().widened(rows.law(0, request.sampling));
            if (!forced) {
                node.u = request.coin(index);
                node.token = sample(node.law, *node.u);
            }
        } else if (!forced) {
            node.token = head().target_id(rows.argmax()[0]);
        }
        if (forced) {
            node.token = *forced;
            node.extra = "forced";
        }
        if (request.entries != 0) {
            Heads heads = rows.heads(0, request.sampling, request.entries);
            node.heads = {head().widened(std::move(heads.law)), head().widened(std::move(heads.raw))};
        }
        return node;
    }
};

} // namespace

std::unique_ptr<Drafter> make_eagle3(DrafterArgs args) {
    return std::make_unique<Eagle3>(args);
}

} // namespace speclens
