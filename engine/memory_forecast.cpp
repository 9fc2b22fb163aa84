#include "engine/memory_forecast.h"

#include <algorithm>

#include "engine/model_memory.h"
#include "engine/model_parts.h"

namespace speclens {

MemoryForecast forecast_memory(const Models& models, int context, std::size_t free) {
    MemoryForecast all;
    if (!models.target) return all;
    const auto of = [&](const ModelConfig& config) {
        return decoder_memory(config, *models.backend, std::max(context, 1));
    };
    const auto per_token = [](const MemoryNeed& need) {
        return need.cache / static_cast<std::size_t>(need.context);
    };
    all.target = models.target->bytes.all;
    std::size_t drafter_cache = 0, drafter_scratch = 0;
    const auto drafter = [&](const ModelConfig& layers) {
        const MemoryNeed need = of(layers);
        drafter_cache = std::max(drafter_cache, per_token(need));
        drafter_scratch = std::max(drafter_scratch, need.scratch);
    };
    if (models.draft) {
        all.draft = models.draft->bytes.all;
        drafter(models.draft->config);
    }
    for (const auto& [name, network] : models.networks) {
        all.heads += network->bytes.all;
        drafter(network->config.layer);
    }
    const MemoryNeed need = of(models.target->config);
    all.cache_per_token = per_token(need) + drafter_cache;
    all.scratch = need.scratch + drafter_scratch;
    const int positions = std::min(models.target->config.max_positions, kLargestContext);
    if (free > all.scratch && all.cache_per_token > 0)
        all.longest = static_cast<int>(std::min<std::size_t>((free - all.scratch) / all.cache_per_token,
                                                             static_cast<std::size_t>(positions)));
    return all;
}

} // namespace speclens
