// Plain decoding: proposes nothing, so every round is one target pass for one token.
#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"

namespace speclens {
namespace {

class None final : public Drafter {
  public:
    void begin(std::span<const int>) override {}
    void observe(const Observation&) override {}
    Draft draft(const DraftRequest&) override { return {}; }
};

} // namespace

DrafterInfo none_info() {
    return {
        .name = "none",
        .title = drafter_said("none.title"_t),
        .short_title = drafter_said("none.short"_t),
        .icon = "circle",
        .about = drafter_said("none.about"_t),
        .cost = draft_cost<"cost.none">,
        .drafting = Drafting::nothing,
        .draws = false,
        .default_k = 0,
        .make = [](DrafterArgs) -> std::unique_ptr<Drafter> { return std::make_unique<None>(); },
    };
}

} // namespace speclens
