#include "scenes/loop/loop_tree.h"

#include <algorithm>
#include <cmath>

#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

using ui::probability;

std::string place_of(const SceneInput& input, const LoopModel& model, int parent) {
    if (parent < 0 || parent >= model.drafted) return loop_says("tree.place:start"_t);
    return loop_says("tree.place:after"_t, "token"_v = quoted(*input.trace, model.columns[static_cast<std::size_t>(parent)].draft->token));
}

// k-SEQ holds every guess back by one rho, as many as there are at its place unless less was asked for.
std::string held_back(const LoopModel& model, const LoopColumn& c) {
    const double q = std::exp(c.check->q), asked = model.header->rule_params.rho;
    const auto siblings = std::ranges::count(model.columns, c.parent, &LoopColumn::parent);
    const double most = static_cast<double>(siblings);
    // Less than was asked for is raised where it would not be lossless. A guess at this place that does not
    // stay for sure tells what it really was.
    double rho = asked > 0 ? std::clamp(asked, 1.0, most) : most;
    bool known = asked <= 0 || rho >= most;
    for (const LoopColumn& other : model.columns)
        if (other.check && other.parent == c.parent && other.check->threshold > 0 && other.check->threshold < 1)
            rho = std::exp(other.check->p - other.check->q) / other.check->threshold, known = true;
    const std::string shown = ui::number(rho, std::abs(rho - std::round(rho)) < 0.01 ? 0 : 2);
    return loop_says("tree.held_back"_t, "draft"_v = probability(q), "at_least"_v = known ? "" : shown,
                     "rho"_v = known && shown != "1" ? shown : "", "siblings"_v = siblings);
}

std::string sampled_words(const SceneInput& input, const LoopModel& model, const LoopColumn& c, const std::string& token) {
    const bool certain = model.rule == RuleKind::certain;
    const std::string drawn = certain                        ? ""
                              : model.rule == RuleKind::kseq ? held_back(model, c)
                                                             : loop_says("tree.drawn"_t, "draft"_v = probability(std::exp(c.check->q)));
    return loop_says(
        "tree.sampled"_t, "place"_v = place_of(input, model, c.parent), "token"_v = token, "target"_v = probability(std::exp(c.check->p)),
        "left"_v = c.check->sibling_residual ? probability(std::exp(*c.check->sibling_residual)) : "", "drawn"_v = drawn,
        "threshold"_v = fine_probability(std::min(1.0, c.check->threshold)), "coin"_v = c.check->u ? probability(*c.check->u) : "");
}

} // namespace

void tell_tree_check(const SceneInput& input, const LoopModel& model, Story& story) {
    const LoopColumn& c = model.columns[static_cast<std::size_t>(std::max(0, model.newest))];
    if (!c.check) return; // a file from elsewhere may say anything
    const std::string token = quoted(*input.trace, c.draft->token);
    const bool kept = c.check->accepted;
    const std::string judged =
        model.greedy ? loop_says("tree.greedy"_t, "place"_v = place_of(input, model, c.parent), "token"_v = token, "kept"_v = kept)
                     : sampled_words(input, model, c, token);
    const bool child = has_child(model, model.newest), sibling = has_sibling(model, model.newest);
    const auto say = [&](auto id) {
        return loop_says.beat(id, "guess"_v = model.newest + 1, "judged"_v = judged, "child"_v = child, "sibling"_v = sibling);
    };
    const Words words = kept ? say("tree:kept"_t) : say("tree:rejected"_t);
    story.heading = words.heading;
    story.text = words.text;
}

void tell_tree_own(const SceneInput& input, const LoopModel& model, Story& story) {
    const TargetToken& own = *model.own;
    const std::string token = quoted(*input.trace, own.token), coin = own.u ? probability(*own.u) : "";
    const bool one = std::ranges::count(model.columns, model.round->end_of_path(), &LoopColumn::parent) == 1;
    const std::string place = place_of(input, model, model.round->end_of_path());
    const Words words = own.from == TargetToken::From::bonus
                            ? loop_says.beat("tree_own:bonus"_t, "place"_v = place, "token"_v = token, "coin"_v = coin)
                        : own.from == TargetToken::From::residual
                            ? loop_says.beat("tree_own:residual"_t, "place"_v = place, "token"_v = token, "coin"_v = coin, "one"_v = one)
                            : loop_says.beat("tree_own:target"_t, "place"_v = place, "token"_v = token, "coin"_v = coin, "one"_v = one);
    story.heading = words.heading;
    story.text = words.text;
}

} // namespace speclens
