#include "engine/models/memory_forecast.h"

#include <algorithm>

#include "engine/drafters/draft_network.h"
#include "engine/model/model_memory.h"
#include "engine/model/model_parts.h"
#include "engine/models/models.h"
#include "kernels/backend.h"

namespace speclens {
namespace {

// Adds up what a target and the drafters beside it need, one drafter at a time.
class Count {
  public:
    Count(const Backend& backend, int context, Precision precision = Precision::f32)
        : backend_(backend), context_(std::max(context, 1)), precision_(precision) {}

    void drafter(const ModelConfig& layers) {
        if (layers.layers == 0) return; // heads on the target's last state: nothing attends
        const MemoryNeed need = decoder_memory(layers, backend_, context_, precision_);
        cache_ = std::max(cache_, per_token(need));
        scratch_ = std::max(scratch_, need.scratch);
    }
    // `free`: what is left for texts.
    void finish(MemoryForecast& all, const ModelConfig& target, std::size_t free) const {
        const MemoryNeed need = decoder_memory(target, backend_, context_, precision_);
        all.cache_per_token = per_token(need) + cache_;
        all.scratch = need.scratch + scratch_;
        if (free <= all.scratch) return;
        const auto positions = static_cast<std::size_t>(target.context());
        all.longest = static_cast<int>(std::min((free - all.scratch) / all.cache_per_token, positions));
    }

  private:
    static std::size_t per_token(const MemoryNeed& need) { return need.cache / static_cast<std::size_t>(need.context); }
    const Backend& backend_;
    int context_;
    Precision precision_;
    std::size_t cache_ = 0, scratch_ = 0;
};

} // namespace

MemoryForecast forecast_memory(const Models& models, int context, std::size_t free) {
    MemoryForecast all;
    if (!models.target) return all;
    Count count(*models.backend, context, models.target->precision);
    all.target = models.target->bytes.all;
    if (models.draft) {
        all.draft = models.draft->bytes.all;
        count.drafter(models.draft->config);
    }
    for (const auto& [name, network] : models.networks) {
        all.heads += network->bytes.all;
        count.drafter(network->config.layer);
    }
    count.finish(all, models.target->config, free);
    return all;
}

MemoryForecast forecast_memory(const Backend& backend, const ModelConfig& target, std::span<const DraftConfig> heads, int context,
                               std::size_t free) {
    MemoryForecast all;
    Count count(backend, context);
    all.target = Model::weight_bytes(target);
    for (const DraftConfig& head : heads) {
        all.heads += DraftNetwork::weight_bytes(head);
        count.drafter(head.layer);
    }
    count.finish(all, target, free - std::min(free, all.weights()));
    return all;
}

} // namespace speclens
