// Plain decoding: proposes nothing, so every cycle is one target pass for one token.
#include "engine/drafters/drafter.h"

namespace speclens {
namespace {

class None final : public Drafter {
  public:
    void begin(std::span<const int>) override {}
    void observe(const Observation&) override {}
    Draft draft(const DraftRequest&) override { return {}; }
};

}  // namespace

std::unique_ptr<Drafter> make_none(DrafterArgs) { return std::make_unique<None>(); }

}  // namespace speclens
