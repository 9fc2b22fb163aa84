#include "scenes/shared/guest_round.h"

#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/told.h"

namespace speclens {
namespace {

bool drafts_otherwise(const SceneInput& input, const char* drafter) {
    return input.whole->header && input.whole->header->drafter != drafter;
}

int round_of(const SceneInput& input) {
    const CycleSummary* cycle = shown_cycle(input);
    return cycle ? cycle->cycle : 0;
}

} // namespace

GuestRound::GuestRound(const SceneInput& input, const char* drafter) : input_(input), drafter_(drafter) {
    const OtherDrafterRound* guest = input.guest.get();
    // The round before stays until the next one is there. A picture has no next one.
    here_ = drafts_otherwise(input, drafter) && guest && guest->trace && guest->drafter == drafter &&
            guest->of == input.trace && (!input.still || guest->cycle == round_of(input));
    if (!here_) return;
    round_ = fold(*guest->trace, guest->trace->size());
    alone_ = input;
    alone_.trace = guest->trace.get();
    alone_.view = alone_.whole = &round_;
    alone_.cursor = alone_.available = guest->trace->size();
    alone_.settings = &guest->settings;
    alone_.earlier = nullptr;
    alone_.twin = guest->twin ? std::shared_ptr<const Replay>(input.guest, &*guest->twin) : nullptr;
    alone_.other_guess = nullptr;
    alone_.distributions = nullptr;
}

void GuestRound::keep_place(std::vector<SceneCommand>& out) const {
    if (here_ && input_.guest->cycle != round_of(input_))
        std::erase_if(out, [](const SceneCommand& c) { return std::holds_alternative<Select>(c); });
}

std::optional<FetchOtherDrafterRound> GuestRound::wish() const {
    // A saved run in a window: the engine is there, but it holds another one, and the status names no model.
    if (!drafts_otherwise(input_, drafter_) || !drafter_ready(input_, drafter_) || input_.status->model.empty() ||
        !input_.settings)
        return {};
    const int cycle = round_of(input_);
    const OtherDrafterRound* known = input_.guest.get();
    if (known && known->of == input_.trace && known->drafter == drafter_ && known->cycle == cycle) return {};
    return FetchOtherDrafterRound{cycle, drafter_};
}

void GuestAsker::ask(const GuestRound& round, const SceneInput& input, std::vector<SceneCommand>& out) {
    const std::optional<FetchOtherDrafterRound> wish = round.wish();
    if (!wish) return asked_.reset(); // a later run may lie where this one lay
    if (asked_ == wish->cycle && asked_of_ == input.trace) return;
    asked_ = wish->cycle;
    asked_of_ = input.trace;
    out.push_back(Command{*wish});
}

std::string no_guest(const SceneInput& run, const std::string& drafter) {
    const OtherDrafterRound* guest = run.guest.get();
    if (!guest || guest->of != run.trace || guest->drafter != drafter || guest->cycle != round_of(run) || guest->problem.empty())
        return "";
    return shared_says("head.cannot"_t, "round"_v = guest->cycle + 1, "why"_v = guest->problem);
}

std::string instead_of(const SceneInput& seen) {
    return seen.guest && seen.guest->trace.get() == seen.trace && seen.trace ? seen.guest->instead_of : std::string();
}

} // namespace speclens
