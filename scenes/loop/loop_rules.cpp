#include "scenes/loop/loop_rules.h"

#include <algorithm>
#include <cmath>

#include "engine/rules/verify.h"
#include "scenes/shared/token_said.h"

namespace speclens {
namespace {

// Some alphas leave a cascade nothing of the draft to mix in.
bool mixes_nothing(const LoopModel& model) {
    const RuleInfo* rule = find_rule(model.header->rule);
    return rule && keeps_target(*rule, model.header->rule_params, model.header->sampling);
}

// Where the coin fell.
Message coin_words(const LoopColumn& c) {
    if (!c.check->u) return {};
    return loop_says("rule.coin"_t, "under"_v = *c.check->u < c.check->threshold, "coin"_v = *c.check->u, "set"_v = c.check->set);
}

// What the token rule asks of the coin.
double strict(const LoopColumn& c) { return std::min(1.0, std::exp(c.check->p - c.check->q)); }

// The token rule would have ended the round at this guess, and not before it.
bool token_rule_stops(const LoopModel& model, const LoopColumn& c) {
    const auto misses = [](const LoopColumn& each) { return each.check && each.check->u && *each.check->u >= strict(each); };
    const auto first = model.columns.begin();
    return misses(c) && std::none_of(first, first + std::max(0, model.newest), misses);
}

// What every check tells: the token, what either model gives it, its threshold and its coin; and what its rule adds.
template <class Id, class... Values>
Words judged_words(Id id, const LoopColumn& c, const Message& token, const Values&... values) {
    return loop_says.beat(id, "token"_v = token, "target"_v = std::exp(c.check->p), "draft"_v = std::exp(c.check->q),
                          "threshold"_v = c.check->threshold, "coin"_v = coin_words(c), values...);
}

void tell_block(const LoopModel& model, const LoopColumn& c, const Message& token, Story& story) {
    const bool success = c.check->u && *c.check->u < c.check->threshold, last = model.newest + 1 >= model.drafted;
    const auto say = [&](auto id) {
        return judged_words(id, c, token, "mixture"_v = chance_of(c.check->mixture), "joint"_v = chance_of(c.check->prefix_coefficient),
                            "prefix"_v = model.newest == 0 ? 0 : model.newest + 1, "last"_v = last);
    };
    if (success) {
        take(story, say("block:stands"_t));
        story.what_if = loop_says("block.aside:stands"_t, "last"_v = last);
    } else if (c.check->accepted) {
        take(story, say("block:later"_t));
        story.what_if = loop_says("block.aside:later"_t, "stops"_v = !c.check->mixture && token_rule_stops(model, c));
    } else {
        take(story, say("block:gone"_t));
        story.what_if = loop_says("block.aside:gone"_t);
    }
}

void tell_lenient(const LoopModel& model, const LoopColumn& c, const Message& token, Story& story) {
    const double share = 1 - model.header->rule_params.lenience;
    const bool nothing = share <= 0, little = !nothing && share < 0.005;
    const auto say = [&](auto id) {
        return judged_words(id, c, token, "share"_v = nothing || little ? std::nullopt : std::optional(share), "nothing"_v = nothing,
                            "little"_v = little, "more"_v = c.check->threshold > strict(c) + 1e-9);
    };
    take(story, c.check->accepted ? say("lenient:kept"_t) : say("lenient:rejected"_t));
    if (c.check->accepted && token_rule_stops(model, c)) story.what_if = loop_says("lenient.aside"_t, "strict"_v = strict(c));
}

void tell_typical(const LoopColumn& c, const Message& token, Story& story) {
    const double p = std::exp(c.check->p);
    const auto say = [&](auto id) { return loop_says.beat(id, "token"_v = token, "target"_v = p, "limit"_v = c.check->typical_threshold); };
    take(story, c.check->accepted ? say("typical:kept"_t) : say("typical:rejected"_t));
    if (c.check->accepted && p < 0.5) story.what_if = loop_says("typical.aside"_t, "share"_v = p);
}

void tell_cascade(const LoopModel& model, const LoopColumn& c, const Message& token, Story& story) {
    const auto say = [&](auto id) {
        return judged_words(id, c, token, "mixture"_v = chance_of(c.check->mixture), "target_only"_v = mixes_nothing(model));
    };
    take(story, c.check->accepted ? say("cascade:kept"_t) : say("cascade:rejected"_t));
    const double alone = strict(c);
    if (c.check->accepted && token_rule_stops(model, c))
        story.what_if = loop_says("cascade.aside"_t, "alone"_v = alone > 0 ? std::optional(alone) : std::nullopt);
}

// The draft's claim plays no part, whether it was drawn or a favourite.
void tell_certain(const LoopModel& model, const LoopColumn& c, const Message& token, Story& story) {
    const auto say = [&](auto id) { return judged_words(id, c, token, "behind"_v = model.newest + 1 < model.drafted); };
    take(story, c.check->accepted ? say("certain:kept"_t) : say("certain:rejected"_t));
    const double drawn = strict(c);
    if (c.draft->u && drawn > c.check->threshold + 1e-9)
        story.what_if = loop_says("certain.aside"_t, "draft"_v = std::exp(c.check->q), "kept"_v = drawn);
}

} // namespace

void tell_rule_check(const SceneInput& input, const LoopModel& model, const LoopColumn& judged, Story& story) {
    if (!judged.check || !judged.draft) return; // a file from elsewhere may say anything
    const Message token = token_said(*input.trace, judged.draft->token);
    switch (model.rule) {
    case RuleKind::block: return tell_block(model, judged, token, story);
    case RuleKind::lenient: return tell_lenient(model, judged, token, story);
    case RuleKind::typical: return tell_typical(judged, token, story);
    case RuleKind::certain: return tell_certain(model, judged, token, story);
    default: return judged.check->prefix_coefficient ? tell_block(model, judged, token, story) : tell_cascade(model, judged, token, story);
    }
}

bool tell_rule_own(const SceneInput& input, const LoopModel& model, Story& story) {
    const TargetToken& own = *model.own;
    const bool cascade = model.rule == RuleKind::cascade;
    const auto say = [&](auto id) {
        take(story, loop_says.beat(id, "token"_v = token_said(*input.trace, own.token), "coin"_v = own.u,
                                   "target_only"_v = cascade && mixes_nothing(model)));
        return true;
    };
    if (model.rule == RuleKind::typical) return model.rejected >= 0 ? say("rule_own:typical_rest"_t) : say("rule_own:typical_all"_t);
    if (own.from != TargetToken::From::residual) {
        if (!cascade) return false;
        if (own.top.empty()) return say("rule_own:cascade_fast"_t);
        return own.target_top.empty() ? say("rule_own:cascade_target"_t) : say("rule_own:cascade_mixed"_t);
    }
    switch (model.rule) {
    case RuleKind::block: return say("rule_own:block"_t);
    case RuleKind::certain: return say("rule_own:certain"_t);
    case RuleKind::lenient: return say("rule_own:lenient"_t);
    case RuleKind::cascade: return model.header->rule_params.block ? say("rule_own:cascade_block"_t) : say("rule_own:cascade"_t);
    default: return false;
    }
}

} // namespace speclens
