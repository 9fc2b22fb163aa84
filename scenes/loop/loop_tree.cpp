#include "scenes/loop/loop_rules.h"

#include <algorithm>
#include <cmath>

#include "scenes/shared/token_said.h"

namespace speclens {
namespace {

Message place_of(const SceneInput& input, const LoopModel& model, int parent) {
    if (parent < 0 || parent >= model.drafted) return loop_says("tree.place:start"_t);
    return loop_says("tree.place:after"_t,
                     "token"_v = token_said(*input.trace, model.columns[static_cast<std::size_t>(parent)].draft->token));
}

// k-SEQ holds every guess back by one rho, as many as there are at its place unless less was asked for.
Message held_back(const LoopModel& model, const LoopColumn& c) {
    const double asked = model.header->rule_params.rho;
    const auto siblings = std::ranges::count(model.columns, c.parent, &LoopColumn::parent);
    const double most = static_cast<double>(siblings);
    // Less than was asked for is raised where it would not be lossless. A guess at this place that does not
    // stay for sure tells what it really was.
    double rho = asked > 0 ? std::clamp(asked, 1.0, most) : most;
    bool known = asked <= 0 || rho >= most;
    for (const LoopColumn& other : model.columns)
        if (other.check && other.parent == c.parent && other.check->threshold > 0 && other.check->threshold < 1)
            rho = std::exp(other.check->p - other.check->q) / other.check->threshold, known = true;
    const bool whole = std::abs(rho - std::round(rho)) < 0.01;
    const Message times = whole ? loop_says("tree.rho:whole"_t, "rho"_v = rho) : loop_says("tree.rho:part"_t, "rho"_v = rho);
    return loop_says("tree.held_back"_t, "draft"_v = std::exp(c.check->q), "at_least"_v = known ? Message() : times,
                     "rho"_v = known && !(whole && std::round(rho) == 1) ? times : Message(), "siblings"_v = siblings);
}

Message sampled_words(const SceneInput& input, const LoopModel& model, const LoopColumn& c, const Message& token) {
    const Message drawn = model.rule == RuleKind::certain ? Message()
                          : model.rule == RuleKind::kseq  ? held_back(model, c)
                                                          : loop_says("tree.drawn"_t, "draft"_v = std::exp(c.check->q));
    return loop_says("tree.sampled"_t, "place"_v = place_of(input, model, c.parent), "token"_v = token, "target"_v = std::exp(c.check->p),
                     "left"_v = chance_of(c.check->sibling_residual), "drawn"_v = drawn, "threshold"_v = std::min(1.0, c.check->threshold),
                     "coin"_v = c.check->u);
}

} // namespace

void tell_tree_check(const SceneInput& input, const LoopModel& model, Story& story) {
    const LoopColumn& c = model.columns[static_cast<std::size_t>(std::max(0, model.newest))];
    if (!c.check) return; // a file from elsewhere may say anything
    const Message token = token_said(*input.trace, c.draft->token);
    const bool kept = c.check->accepted;
    const Message judged =
        model.greedy ? loop_says("tree.greedy"_t, "place"_v = place_of(input, model, c.parent), "token"_v = token, "kept"_v = kept)
                     : sampled_words(input, model, c, token);
    const bool child = has_child(model, model.newest), sibling = has_sibling(model, model.newest);
    const auto say = [&](auto id) {
        return loop_says.beat(id, "guess"_v = model.newest + 1, "judged"_v = judged, "child"_v = child, "sibling"_v = sibling);
    };
    take(story, kept ? say("tree:kept"_t) : say("tree:rejected"_t));
}

void tell_tree_own(const SceneInput& input, const LoopModel& model, Story& story) {
    const TargetToken& own = *model.own;
    const int end = model.round->end_of_path();
    const auto say = [&](auto id) {
        return loop_says.beat(id, "place"_v = place_of(input, model, end), "token"_v = token_said(*input.trace, own.token),
                              "coin"_v = own.u, "one"_v = std::ranges::count(model.columns, end, &LoopColumn::parent) == 1);
    };
    take(story, own.from == TargetToken::From::bonus      ? say("tree_own:bonus"_t)
                : own.from == TargetToken::From::residual ? say("tree_own:residual"_t)
                                                          : say("tree_own:target"_t));
}

} // namespace speclens
