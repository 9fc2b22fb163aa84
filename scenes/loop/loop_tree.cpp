#include "scenes/loop/loop_tree.h"

#include <algorithm>
#include <cmath>

#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

using ui::probability;

std::string place_of(const SceneInput& input, const LoopModel& model, int parent) {
    if (parent < 0 || parent >= model.drafted) return "right after the text";
    return "after " + quoted(*input.trace, model.columns[static_cast<std::size_t>(parent)].draft->token);
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
        if (other.check && other.parent == c.parent && other.check->threshold > 0 &&
            other.check->threshold < 1)
            rho = std::exp(other.check->p - other.check->q) / other.check->threshold, known = true;
    const std::string words = "It was drawn with probability " + probability(q);
    const std::string place = "times with " + number_word(static_cast<int>(siblings)) +
                              (siblings == 1 ? " guess" : " guesses") + " at this place";
    const std::string shown = ui::number(rho, std::abs(rho - std::round(rho)) < 0.01 ? 0 : 2);
    if (!known) return words + ", which counts rho, at least " + shown + ", " + place;
    return shown == "1" ? words : words + ", which counts rho = " + shown + " " + place;
}

} // namespace

void tell_tree_check(const SceneInput& input, const LoopModel& model, Story& story) {
    const LoopColumn& c = model.columns[static_cast<std::size_t>(std::max(0, model.newest))];
    if (!c.check) return; // a file from elsewhere may say anything
    const std::string token = quoted(*input.trace, c.draft->token);
    const bool kept = c.check->accepted;
    story.heading = "Guess " + std::to_string(model.newest + 1) + (kept ? " stays" : " is rejected");
    if (model.greedy) {
        story.text = place_of(input, model, c.parent) + ", the target's most likely token is " +
                     (kept ? token + " as well." : "not " + token + ".");
    } else {
        const bool first = !c.check->left;
        const std::string p = probability(std::exp(c.check->left.value_or(c.check->p)));
        story.text = place_of(input, model, c.parent) + ", the target gives " + token + " " +
                     probability(std::exp(c.check->p)) +
                     (first ? ". " : "; after the rejected guesses there took their part, " + p + ". ");
        if (model.rule == RuleKind::certain)
            story.text +=
                "A favourite counts as certain, whatever the draft gave it, so it stays with just that "
                "probability";
        else
            story.text += (model.rule == RuleKind::kseq
                               ? held_back(model, c)
                               : "It was drawn with probability " + probability(std::exp(c.check->q))) +
                          ", so it stays with probability " +
                          fine_probability(std::min(1.0, c.check->threshold));
        story.text += c.check->u ? ", and the coin fell at " + probability(*c.check->u) + "." : ".";
    }
    story.text = capital(story.text);
    const bool child = has_child(model, model.newest), sibling = has_sibling(model, model.newest);
    if (kept)
        story.text +=
            std::string(child ? " Its own continuations are judged next" : " Nothing was guessed behind it") +
            (sibling ? "; its siblings are gone, with all that follows them." : ".");
    else
        story.text +=
            std::string(child ? " What was guessed behind it is gone" : " Nothing was guessed behind it") +
            (sibling ? "; another guess at the same place may still stay."
                     : "; it was the last guess at its place.");
}

void tell_tree_own(const SceneInput& input, const LoopModel& model, Story& story) {
    const TargetToken& own = *model.own;
    const std::string token = quoted(*input.trace, own.token);
    const std::string coin = own.u ? "coin " + probability(*own.u) + " picked " : "it is ";
    const bool one = std::ranges::count(model.columns, model.cycle->end_of_path(), &LoopColumn::parent) == 1;
    const std::string place = capital(place_of(input, model, model.cycle->end_of_path()));
    if (own.from == TargetToken::From::bonus) {
        story.heading = "The branch ends: one for free";
        story.text = place + " nothing was guessed, and the pass has the target's distribution there. " +
                     (own.u ? capital(coin) + token + " from it." : capital(token) + " is its favourite.");
    } else if (own.from == TargetToken::From::residual) {
        story.heading = "Rejected, but not wasted";
        story.text =
            place +
            (one ? " the one guess was rejected. The replacement comes from what it left of the target's distribution: "
                 : " every guess was rejected. The replacement comes from what they left of the target's "
                   "distribution: ") +
            coin + token + ". Keeping by ratio and replacing from the rest adds up to exactly that distribution.";
    } else {
        story.heading = "The target's own token";
        story.text = place +
                     (one ? " the one guess is not the target's most likely token. "
                          : " none of the guesses is the target's most likely token. ") +
                     capital(coin) + token + ".";
    }
}

} // namespace speclens
