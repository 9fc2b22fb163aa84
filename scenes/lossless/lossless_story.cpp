// What S4 says of what it shows: titles, and the words of its twelve beats.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "engine/rules/wrong_rules.h"
#include "scenes/lossless/lossless_model.h"
#include "scenes/shared/token_said.h"

namespace speclens {
namespace {

Message rule_words(const RuleInfo& rule) {
    if (rule.siblings != Siblings::none) return lossless_says("words.rule:tree"_t);
    if (rule.kind == RuleKind::block) return lossless_says("words.rule:block"_t);
    return rule.kind == RuleKind::match ? lossless_says("words.rule:match"_t) : lossless_says("words.rule:token"_t);
}

// Of a beat that is about one mistake.
Message title_of(std::string_view mistake) { return message(std::ranges::find(wrong_rules(), mistake, &RuleInfo::name)->title); }

Words beat_words(const SceneInput& input, const LosslessModel& m, int beat) {
    const bool drawn = m.count->drawn > 0;
    switch (beat) {
    case 0: return lossless_says.beat("promise"_t);
    case kLosslessProofBeat: return lossless_says.beat("proof"_t);
    case kLosslessDrawBeat:
        return lossless_says.beat("count"_t, "right"_v = drawn && m.right(), "wrong"_v = drawn && !m.right(),
                                  "distance"_v = m.test.total_variation, "drawn"_v = m.count->drawn,
                                  "noise"_v = expected_distance(m.count->drawn));
    case 3: return lossless_says.beat("mistake"_t);
    case 4: return lossless_says.beat("hiding"_t);
    case 5: return lossless_says.beat("block"_t);
    case 6: return {title_of("fresh"), lossless_says("fresh.text"_t)};
    case 7: return {title_of("peek"), lossless_says("peek.text"_t)};
    case 8: return {title_of("chosen"), lossless_says("chosen.text"_t)};
    case kLosslessTieBeat: return lossless_says.beat("tie"_t, "found"_v = found_words(input, m.faulty(beat)));
    case kLosslessCacheBeat: return lossless_says.beat("cache"_t, "found"_v = found_words(input, m.faulty(beat)));
    default: return lossless_says.beat("asterisk"_t, "drafters"_v = m.greedy.size(), "same"_v = m.same());
    }
}

Message fault_title(const LosslessModel& m, int beat) {
    const GreedyText* text = m.faulty(beat);
    if (!text) return beat == kLosslessTieBeat ? lossless_says("tie.title"_t) : lossless_says("cache.title"_t);
    if (text->differs_at < 0) return lossless_says("fault.unseen"_t, "tokens"_v = text->plain.size());
    return lossless_says("fault.caught"_t, "place"_v = text->differs_at + 1, "tie"_v = text->near_tie());
}

Message counted_title(const SceneInput& input, const LosslessModel& m) {
    const long n = m.count->drawn;
    if (m.count->caught > 0) return lossless_says("title.caught"_t, "texts"_v = m.count->caught);
    if (n > 0) return lossless_says("title.drawn"_t, "drawn"_v = n, "right"_v = m.right());
    if (input.beat != kLosslessProofBeat) return lossless_says("title.nothing"_t, "mistake"_v = mistake_words(*m.rule));
    // The proof itself is what its beat shows, as long as nothing was drawn: whether the two bars come to the target's.
    double off = 0;
    for (const ProofRow& row : m.proof) off = std::max(off, std::abs(row.off()));
    return lossless_says("proof.title"_t, "off"_v = off > 1e-9 ? std::optional(off) : std::nullopt);
}

} // namespace

Message mistake_words(const RuleInfo& rule) { return rule.lossless() ? Message() : message(rule.title); }

Message found_words(const SceneInput& input, const GreedyText* text) {
    if (!text) return lossless_says("words.found:unmeasured"_t);
    if (!text->problem.empty()) return lossless_says("words.found:failed"_t, "problem"_v = text->problem);
    if (text->differs_at < 0) return lossless_says("words.found:unseen"_t, "tokens"_v = text->plain.size());
    const auto say = [&](auto id) {
        return lossless_says(id, "place"_v = text->differs_at + 1, "ours"_v = token_said(*input.trace, text->plain_token()),
                             "p"_v = text->plain_p, "theirs"_v = token_said(*input.trace, text->written_token()), "q"_v = text->written_p);
    };
    return text->near_tie() ? say("words.found:near"_t) : say("words.found:far"_t);
}

StageTitle lossless_title(const SceneInput& input, const LosslessModel& m) {
    if (fault_of(input.beat) != PlantedFault::none) {
        const GreedyText* text = m.faulty(input.beat);
        return {.title = fault_title(m, input.beat),
                .subtitle = lossless_says("fault.subtitle"_t, "drafter"_v = text ? text->drafter : std::string()),
                .tier_words = {}};
    }
    if (input.beat == kLosslessGreedyBeat)
        return {.title = m.greedy.empty() ? lossless_says("asterisk.title:awaited"_t)
                                          : lossless_says("asterisk.title:told"_t, "same"_v = m.same(), "drafters"_v = m.greedy.size()),
                .subtitle = lossless_says("asterisk.subtitle"_t),
                .tier_words = {}};
    const LosslessCount::Look last = m.count->looks.empty() ? LosslessCount::Look() : m.count->looks.back();
    const Message tested = lossless_says("words.tested"_t, "at"_v = last.drawn < m.count->drawn ? last.drawn : 0,
                                         "p"_v = last.p_value < kLosslessAlarm ? std::nullopt : std::optional(last.p_value));
    return {.title = counted_title(input, m),
            .subtitle = lossless_says("subtitle.counted"_t, "rule"_v = rule_words(*m.rule), "mistake"_v = !m.right(), "k"_v = kToyDrafts,
                                      "distance"_v = m.count->drawn > 0 ? std::optional(m.test.total_variation) : std::nullopt,
                                      "noise"_v = expected_distance(m.count->drawn), "tested"_v = last.drawn > 0 ? tested : Message(),
                                      "eager"_v = m.rule->kind == RuleKind::block),
            .tier = ui::Tier::table,
            .tier_words = lossless_says("words.exact"_t)};
}

Story lossless_story(const SceneInput& input, const LosslessModel& m) {
    Story story = story_at_beat(input, kLosslessBeats);
    const int beat = story.step - 1;
    take(story, beat_words(input, m, beat));
    if (beat < kLosslessGreedyBeat) {
        if (beat < kLosslessDrawBeat) return story;
        story.task = lossless_says("words.task"_t);
        story.task_done = m.count->drawn >= 1000;
    } else if (const RunStudy study = lossless_study(input, beat); !study.runs.empty()) {
        const bool greedy = beat == kLosslessGreedyBeat;
        story.task = greedy ? lossless_says("asterisk.task"_t) : lossless_says("words.fault_task"_t);
        story.task_done = (greedy ? !m.greedy.empty() : m.faulty(beat) != nullptr) && input.by_task(study.name);
        story.on_task = {Command{study}};
    }
    return story;
}

} // namespace speclens
