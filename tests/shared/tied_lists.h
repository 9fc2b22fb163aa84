// For DFlash 2's selector. A backend whose lists of largest values break ties in another way: by the highest id, always or in every
// second list, as an order of memory or of threads would; a head over six ids whose base logits are all equal, so that every list is
// one of ties; and codebooks that are loud enough to change what the base logits say.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/shared/forwarding_backend.h"
#include "tests/shared/narrow.h"

namespace speclens::test {

class TiesTheOtherWay final : public ForwardingBackend {
  public:
    TiesTheOtherWay(std::unique_ptr<Backend> to, bool every_second) : ForwardingBackend(std::move(to)), every_second_(every_second) {}
    void top_k(const Tensor& rows, int k, const Tensor& ids, const Tensor& values) override {
        if (every_second_ && (turned_ = !turned_)) return ForwardingBackend::top_k(rows, k, ids, values);
        std::vector<float> all(static_cast<std::size_t>(rows.size())), best;
        download(rows, all.data());
        std::vector<std::int32_t> chosen;
        for (std::int64_t row = 0; row < rows.rows; ++row) {
            const std::span<const float> logits =
                std::span(all).subspan(static_cast<std::size_t>(row * rows.cols)).first(static_cast<std::size_t>(rows.cols));
            std::vector<std::int32_t> order(logits.size());
            std::iota(order.begin(), order.end(), 0);
            std::ranges::sort(order, [&](std::int32_t a, std::int32_t b) {
                const float left = logits[static_cast<std::size_t>(a)], right = logits[static_cast<std::size_t>(b)];
                return left != right ? left > right : a > b;
            });
            for (int i = 0; i < k; ++i) {
                chosen.push_back(order[static_cast<std::size_t>(i)]);
                best.push_back(logits[static_cast<std::size_t>(chosen.back())]);
            }
        }
        upload(ids, chosen.data());
        upload(values, best.data());
    }

  private:
    bool every_second_, turned_ = false;
};

inline std::shared_ptr<const DraftNetwork> loud(const std::shared_ptr<const DraftNetwork>& head) {
    const auto network = std::const_pointer_cast<DraftNetwork>(head); // nobody else has it yet
    std::uint64_t seed = 3;
    for (Buffer* const codebook : {&network->predecessors, &network->successors}) {
        std::vector<float> values(static_cast<std::size_t>(codebook->view().size()));
        for (float& value : values) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            value = 4 * (static_cast<float>(seed >> 40) / static_cast<float>(1 << 23) - 1);
        }
        *codebook = network->backend().import_weight(values.data(), DType::f32, codebook->view().rows, codebook->view().cols);
    }
    return head;
}

inline std::shared_ptr<const Models> loud_models() {
    auto models = narrow_models(1);
    (void)loud(models->network("dflash2"));
    return models;
}

// Three candidates of six ids.
inline std::shared_ptr<const Models> tied_models(std::shared_ptr<Backend> backend) {
    ModelConfig target = micro_config(6, 64);
    target.vocab = kNarrowIds;
    auto models = std::make_shared<Models>();
    models->backend = std::move(backend);
    models->target = Model::random(*models->backend, target, "narrow target", 5);
    models->frequent = std::make_shared<FrequentIds>(kNarrowIds, std::vector<int>{});
    DraftConfig config = micro_head(DraftConfig::Method::dflash2, models->target->config);
    config.mask_id = kNarrowIds - 1;
    config.candidates = 3;
    const auto network = DraftNetwork::random(models->target, config, "tied", 7);
    const std::vector<float> nothing(static_cast<std::size_t>(target.hidden), 0.0f);
    models->backend->upload(network->norm.view(), nothing.data()); // so every row is zero, and every logit
    models->networks.emplace("dflash2", network);
    return models;
}

} // namespace speclens::test
