#include "scenes/shared/motion.h"

#include <algorithm>

namespace speclens {
namespace {

const void* address_of(const Event& event) {
    return std::visit([](const auto& one) -> const void* { return &one; }, event);
}

} // namespace

float moved(const SceneInput& input, const void* event) {
    if (!event) return 1;
    for (const StepMotion& step : input.moving)
        if (step.event < input.trace->size() && address_of((*input.trace)[step.event]) == event) return step.t;
    return 1;
}

float eased(float t, float from, float to) {
    const float rest = 1 - std::clamp((t - from) / (to - from), 0.0F, 1.0F);
    return 1 - rest * rest * rest;
}

ui::Rect between(ui::Rect from, ui::Rect to, float t) {
    const auto way = [t](float a, float b) { return a + (b - a) * t; };
    return {way(from.x, to.x), way(from.y, to.y), way(from.w, to.w), way(from.h, to.h)};
}

ui::Id place_of(Position position) {
    return (static_cast<ui::Id>(static_cast<std::uint32_t>(position.round)) << 32U) + static_cast<std::uint32_t>(position.index) + 1;
}

double motion_seconds(const Event& event, bool reduced) {
    if (reduced) return 0.18; // one picture fades into the other
    if (std::holds_alternative<Verified>(event) || std::holds_alternative<Checked>(event) || std::holds_alternative<TargetToken>(event))
        return 0.4; // these have parts: a sweep, a coin, a strip that opens
    return 0.24;
}

} // namespace speclens
