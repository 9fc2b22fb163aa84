#include "scenes/shared/other_round.h"

#include "scenes/shared/cycle_pick.h"

namespace speclens {
namespace {

bool drafts_otherwise(const SceneInput& input, const char* drafter) {
    return input.whole->header && input.whole->header->drafter != drafter;
}

int round_of(const SceneInput& input) {
    const RoundSummary* round = shown_round(input);
    return round ? round->round : 0;
}

} // namespace

OtherRound::OtherRound(const SceneInput& input, const char* drafter) : input_(input), drafter_(drafter) {
    const OtherDrafterRound* other_round = input.other_round.get();
    // The round before stays until the next one is there. A picture has no next one.
    here_ = drafts_otherwise(input, drafter) && other_round && other_round->trace && other_round->drafter == drafter &&
            other_round->of == input.trace && (!input.still || other_round->round == round_of(input));
    if (!here_) return;
    round_ = fold(*other_round->trace, other_round->trace->size());
    alone_ = input;
    alone_.trace = other_round->trace.get();
    alone_.view = alone_.whole = &round_;
    alone_.cursor = alone_.available = other_round->trace->size();
    alone_.settings = &other_round->settings;
    alone_.earlier = nullptr;
    alone_.replayed = other_round->replayed ? std::shared_ptr<const Replay>(input.other_round, &*other_round->replayed) : nullptr;
    alone_.other_draft = nullptr;
    alone_.distributions = nullptr;
}

void OtherRound::keep_place(std::vector<SceneCommand>& out) const {
    if (here_ && input_.other_round->round != round_of(input_))
        std::erase_if(out, [](const SceneCommand& c) { return std::holds_alternative<Select>(c); });
}

std::optional<FetchOtherDrafterRound> OtherRound::wish() const {
    // A saved run in a window: the engine is there, but it holds another one, and the status names no model.
    if (!drafts_otherwise(input_, drafter_) || !drafter_ready(input_, drafter_) || input_.status->model.empty() || !input_.settings)
        return {};
    const int round = round_of(input_);
    const OtherDrafterRound* known = input_.other_round.get();
    if (known && known->of == input_.trace && known->drafter == drafter_ && known->round == round) return {};
    return FetchOtherDrafterRound{round, drafter_};
}

void OtherRoundAsker::ask(const OtherRound& round, const SceneInput& input, std::vector<SceneCommand>& out) {
    const std::optional<FetchOtherDrafterRound> wish = round.wish();
    if (!wish) return asked_.reset(); // a later run may lie where this one lay
    if (asked_ == wish->round && asked_of_ == input.trace) return;
    asked_ = wish->round;
    asked_of_ = input.trace;
    out.push_back(Command{*wish});
}

Message no_other_round(const SceneInput& run, const std::string& drafter) {
    const OtherDrafterRound* other_round = run.other_round.get();
    if (!other_round || other_round->of != run.trace || other_round->drafter != drafter || other_round->round != round_of(run) ||
        other_round->problem.empty())
        return {};
    return shared_says("head.cannot"_t, "round"_v = other_round->round + 1, "why"_v = other_round->problem);
}

std::string instead_of(const SceneInput& seen) {
    return seen.other_round && seen.other_round->trace.get() == seen.trace && seen.trace ? seen.other_round->instead_of : std::string();
}

} // namespace speclens
