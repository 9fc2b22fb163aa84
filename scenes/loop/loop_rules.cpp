#include "scenes/loop/loop_rules.h"

#include <algorithm>
#include <cmath>

#include "engine/rules/verify.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

using ui::probability;

// Some alphas leave a cascade nothing of the draft to mix in.
bool mixes_nothing(const LoopModel& model) {
    const RuleInfo* rule = find_rule(model.header->rule);
    return rule && keeps_target(*rule, model.header->rule_params, model.header->sampling);
}

// What every check tells: the token, what either model gives it, its threshold and its coin.
struct CheckWords {
    std::string token, target, draft, threshold, coin;
};
CheckWords words_of(const LoopColumn& c, const std::string& token) {
    std::string coin;
    if (c.check->u) {
        const bool under = *c.check->u < c.check->threshold;
        coin = loop_says("rule.coin"_t, "under"_v = under, "coin"_v = probability(*c.check->u), "set"_v = c.check->set);
    }
    return {token, probability(std::exp(c.check->p)), probability(std::exp(c.check->q)), fine_probability(c.check->threshold), coin};
}

// What the token rule asks of the coin.
double strict(const LoopColumn& c) { return std::min(1.0, std::exp(c.check->p - c.check->q)); }

// The token rule would have ended the round at this guess, and not before it.
bool token_rule_stops(const LoopModel& model, const LoopColumn& c) {
    const auto misses = [](const LoopColumn& each) { return each.check && each.check->u && *each.check->u >= strict(each); };
    const auto first = model.columns.begin();
    return misses(c) && std::none_of(first, first + std::max(0, model.newest), misses);
}

void tell_block(const LoopModel& model, const LoopColumn& c, const std::string& token, Story& story) {
    const bool success = c.check->u && *c.check->u < c.check->threshold, last = model.newest + 1 >= model.drafted;
    const CheckWords w = words_of(c, token);
    const std::string mixture = c.check->mixture ? probability(std::exp(*c.check->mixture)) : "";
    const std::string joint = c.check->prefix_coefficient ? fine_probability(std::exp(*c.check->prefix_coefficient)) : "";
    const auto say = [&](auto id) {
        return loop_says.beat(id, "token"_v = w.token, "target"_v = w.target, "draft"_v = w.draft, "mixture"_v = mixture, "joint"_v = joint,
                              "prefix"_v = model.newest == 0 ? 0 : model.newest + 1, "last"_v = last, "threshold"_v = w.threshold,
                              "coin"_v = w.coin);
    };
    if (success) {
        take(story, say("block:stands"_t));
        story.what_if = loop_says("block.aside:stands"_t, "last"_v = last);
    } else if (c.check->accepted) {
        take(story, say("block:later"_t));
        story.what_if = loop_says("block.aside:later"_t, "stops"_v = mixture.empty() && token_rule_stops(model, c));
    } else {
        take(story, say("block:gone"_t));
        story.what_if = loop_says("block.aside:gone"_t);
    }
}

void tell_lenient(const LoopModel& model, const LoopColumn& c, const std::string& token, Story& story) {
    const double l = model.header->rule_params.lenience;
    const CheckWords w = words_of(c, token);
    const std::string share = ui::percent(1 - l);
    const auto say = [&](auto id) {
        return loop_says.beat(id, "token"_v = w.token, "target"_v = w.target, "draft"_v = w.draft,
                              "share"_v = l >= 1 || share == ui::percent(0) ? "" : share, "nothing"_v = l >= 1,
                              "little"_v = l < 1 && share == ui::percent(0), "threshold"_v = w.threshold, "coin"_v = w.coin,
                              "more"_v = c.check->threshold > strict(c) + 1e-9);
    };
    take(story, c.check->accepted ? say("lenient:kept"_t) : say("lenient:rejected"_t));
    if (c.check->accepted && token_rule_stops(model, c))
        story.what_if = loop_says("lenient.aside"_t, "strict"_v = fine_probability(strict(c)));
}

void tell_typical(const LoopColumn& c, const std::string& token, Story& story) {
    const std::string limit = c.check->typical_threshold ? fine_probability(*c.check->typical_threshold) : "",
                      p = probability(std::exp(c.check->p));
    take(story, c.check->accepted ? loop_says.beat("typical:kept"_t, "token"_v = token, "target"_v = p, "limit"_v = limit)
                                  : loop_says.beat("typical:rejected"_t, "token"_v = token, "target"_v = p, "limit"_v = limit));
    if (c.check->accepted && std::exp(c.check->p) < 0.5)
        story.what_if = loop_says("typical.aside"_t, "share"_v = ui::percent(std::exp(c.check->p)));
}

void tell_cascade(const LoopModel& model, const LoopColumn& c, const std::string& token, Story& story) {
    const CheckWords w = words_of(c, token);
    const auto say = [&](auto id) {
        return loop_says.beat(id, "token"_v = w.token, "target"_v = w.target, "draft"_v = w.draft,
                              "mixture"_v = c.check->mixture ? probability(std::exp(*c.check->mixture)) : "", "threshold"_v = w.threshold,
                              "coin"_v = w.coin, "target_only"_v = mixes_nothing(model));
    };
    take(story, c.check->accepted ? say("cascade:kept"_t) : say("cascade:rejected"_t));
    const std::string alone = fine_probability(strict(c));
    if (c.check->accepted && token_rule_stops(model, c))
        story.what_if = loop_says("cascade.aside"_t, "alone"_v = alone == fine_probability(0) ? "" : alone);
}

// The draft's claim plays no part, whether it was drawn or a favourite.
void tell_certain(const LoopModel& model, const LoopColumn& c, const std::string& token, Story& story) {
    const CheckWords w = words_of(c, token);
    const bool behind = model.newest + 1 < model.drafted;
    take(story, c.check->accepted ? loop_says.beat("certain:kept"_t, "token"_v = w.token, "target"_v = w.target, "coin"_v = w.coin)
                                  : loop_says.beat("certain:rejected"_t, "token"_v = w.token, "target"_v = w.target, "coin"_v = w.coin,
                                                   "behind"_v = behind));
    const double drawn = strict(c);
    if (c.draft->u && drawn > c.check->threshold + 1e-9)
        story.what_if = loop_says("certain.aside"_t, "draft"_v = w.draft, "kept"_v = fine_probability(drawn));
}

} // namespace

void tell_rule_check(const SceneInput& input, const LoopModel& model, const LoopColumn& judged, Story& story) {
    if (!judged.check || !judged.draft) return; // a file from elsewhere may say anything
    const std::string token = quoted(*input.trace, judged.draft->token);
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
    const std::string token = quoted(*input.trace, own.token), coin = own.u ? probability(*own.u) : "";
    const bool rejected = own.from == TargetToken::From::residual, cascade = model.rule == RuleKind::cascade;
    const bool target_only = cascade && mixes_nothing(model);
    if (rejected && model.rule == RuleKind::block)
        take(story, loop_says.beat("rule_own:block"_t, "token"_v = token, "coin"_v = coin));
    else if (rejected && cascade && model.header->rule_params.block)
        take(story, loop_says.beat("rule_own:cascade_block"_t, "token"_v = token, "coin"_v = coin, "target_only"_v = target_only));
    else if (rejected && model.rule == RuleKind::certain)
        take(story, loop_says.beat("rule_own:certain"_t, "token"_v = token, "coin"_v = coin));
    else if (rejected && model.rule == RuleKind::lenient)
        take(story, loop_says.beat("rule_own:lenient"_t, "token"_v = token, "coin"_v = coin));
    else if (model.rule == RuleKind::typical)
        take(story, model.rejected >= 0 ? loop_says.beat("rule_own:typical_rest"_t, "token"_v = token, "coin"_v = coin)
                                        : loop_says.beat("rule_own:typical_all"_t, "token"_v = token, "coin"_v = coin));
    else if (cascade && rejected)
        take(story, loop_says.beat("rule_own:cascade"_t, "token"_v = token, "coin"_v = coin, "target_only"_v = target_only));
    else if (cascade && own.top.empty())
        take(story, loop_says.beat("rule_own:cascade_fast"_t, "token"_v = token, "coin"_v = coin));
    else if (cascade)
        take(story, !own.target_top.empty() ? loop_says.beat("rule_own:cascade_mixed"_t, "token"_v = token, "coin"_v = coin)
                                            : loop_says.beat("rule_own:cascade_target"_t, "token"_v = token, "coin"_v = coin));
    else
        return false;
    return true;
}

} // namespace speclens
