// Words of S12: the title, and those of its six beats.
#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/drafters/drafter_info.h"
#include "scenes/relaxed/relaxed_draw.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

// Of the guesses, for the title: a room reads it more easily than a probability.
Message kept_share(double share) {
    if (share > 0 && share < 0.01) return relaxed_says("words.share:under"_t, "share"_v = share, "limit"_v = 0.01);
    if (share < 1 && share >= 0.995) return relaxed_says("words.share:over"_t, "share"_v = share, "limit"_v = 0.99);
    return relaxed_says("words.share:told"_t, "share"_v = share);
}

// The chosen rule against the token rule, as measured on this prompt.
struct MeasuredPair {
    SeededRounds rule, token;
    bool more = false, close = true; // more: tokens per round, beyond chance
    [[nodiscard]] Message verdict() const {
        return relaxed_says("words.verdict"_t, "rule"_v = with_chance(rule), "token"_v = with_chance(token), "close"_v = close);
    }
};
std::optional<MeasuredPair> measured_pair(const SceneInput& input, const RelaxedModel& m, const RelaxedState& state) {
    const Study* study = measured_rules(input);
    if (!study || !study->complete()) return {};
    MeasuredPair pair{measured_rounds(study, m.rule->name, state), measured_rounds(study, "token", state)};
    if (pair.rule.seeds.empty() || pair.token.seeds.empty()) return {};
    pair.more = ratio_of(pair.rule, pair.token).more();
    pair.close = too_close(pair.rule, pair.token);
    return pair;
}

// What the chosen rule brings, beside what was measured with it.
Words worth_words(const SceneInput& input, const RelaxedModel& m, const RelaxedState& state) {
    const auto title = "rule"_v = m.rule->title;
    const auto kept = "kept"_v = m.here.kept;
    const bool alike = ui::probability(m.here.kept) == ui::probability(m.lossless.kept); // as they are printed
    if (m.counted <= 0) return m.positions->empty() ? relaxed_says.beat("worth:nothing"_t) : relaxed_says.beat("worth:unknown"_t);
    if (m.exact()) return relaxed_says.beat("worth:exact"_t, kept);
    if (m.here.distance == 0 && m.here.kept == 0) return relaxed_says.beat("worth:plain"_t, title);
    if (m.here.distance == 0) return relaxed_says.beat("worth:free"_t, title, kept);
    const auto pair = measured_pair(input, m, state); // says more than the guesses of one run
    const bool more = pair ? pair->more : m.here.kept > m.lossless.kept && !alike, close = pair && pair->close;
    const Message measured = !pair   ? relaxed_says("words.measured:no"_t)
                             : close ? relaxed_says("words.measured:close"_t, "verdict"_v = pair->verdict(),
                                                    "more_seeds"_v = more_seeds_words(*measured_rules(input)))
                                     : relaxed_says("words.measured:yes"_t, "verdict"_v = pair->verdict());
    const Message keeps =
        relaxed_says("words.keeps"_t, "all"_v = m.all_count(), title, kept,
                     "lossless"_v = alike ? std::nullopt : std::optional(m.lossless.kept), "distance"_v = m.here.distance);
    if (more) return relaxed_says.beat("worth:faster"_t, "keeps"_v = keeps, "measured"_v = measured);
    if (close) return relaxed_says.beat("worth:perhaps"_t, "keeps"_v = keeps, "measured"_v = measured);
    return relaxed_says.beat("worth:slower"_t, "keeps"_v = keeps, "measured"_v = measured);
}

Words beat_words(const SceneInput& input, const RelaxedModel& m, const RelaxedState& state, int beat) {
    const bool known = m.counted > 0, all = m.all_count();
    const auto where = [](bool told, double value) { return told ? std::optional(value) : std::nullopt; };
    switch (beat) {
    case 0:
        return relaxed_says.beat("thrown_away"_t, "here"_v = where(known && all, m.lossless.kept),
                                 "heads"_v = where(known && !all, m.lossless.kept));
    case 1: return relaxed_says.beat("lenience"_t);
    case 2: return relaxed_says.beat("typical"_t);
    case 3: return relaxed_says.beat("cascades"_t);
    case 4: return relaxed_says.beat("cost"_t, "unchecked"_v = where(known, m.draft_alone.distance));
    default: return worth_words(input, m, state);
    }
}

} // namespace

Message means_over(const RelaxedModel& m) {
    return relaxed_says("words.means"_t, "counted"_v = m.all_count() ? 0 : m.counted, "judged"_v = m.positions->size());
}

Message left_out_words(const SceneInput& input, const RelaxedModel& m) {
    if (m.all_count()) return {};
    const int judged = static_cast<int>(m.positions->size());
    const Header& header = *input.whole->header;
    const bool hot = !m.greedy && std::max(header.sampling.temperature, header.draft_sampling.temperature) > 1;
    return relaxed_says("words.left_out"_t, "some"_v = m.counted > 0, "left_out"_v = judged - m.counted, "judged"_v = judged,
                        "most"_v = kMostUnlisted, "hot"_v = hot);
}

Message tokens_source_words(const SceneInput& input, const RelaxedState& state) {
    if (const Study* study = measured_rules(input); study && !study->points.empty()) {
        const SeededRounds token = measured_rounds(study, "token", state);
        const auto close = [&](const std::string& rule) {
            const SeededRounds rounds = measured_rounds(study, rule, state);
            return !rounds.seeds.empty() && too_close(rounds, token);
        };
        const bool grey = close("block") || std::ranges::any_of(relaxed_rules(), close, &RuleInfo::name);
        return relaxed_says("source.measured"_t, "sample"_v = sample_words(*study), "grey"_v = grey);
    }
    if (!models_loaded(input)) return relaxed_says("source.saved"_t);
    if (!relaxed_study(input, state).runs.empty()) return relaxed_says("source.unmeasured"_t);
    const DrafterInfo* drafter = input.settings ? find_drafter(input.settings->drafter) : nullptr;
    return relaxed_says("source.impossible"_t, "trees"_v = drafter && drafter->tree);
}

namespace {

// How much the rule keeps, and how far that leads away.
void name_kept(StageTitle& title, const RelaxedModel& m) {
    const Message kept = kept_share(m.here.kept), strict = kept_share(m.lossless.kept);
    const Message instead = kept.words() != strict.words() ? strict : Message();
    const bool alike = std::abs(m.here.kept - m.lossless.kept) < 1e-9;
    const auto say = [&](auto id) {
        return relaxed_says(id, "rule"_v = m.rule->title, "kept"_v = kept, "guesses"_v = m.all_count() ? 0 : m.counted,
                            "instead"_v = instead, "exactly"_v = instead.empty() && alike, "about"_v = instead.empty() && !alike,
                            "distance"_v = m.here.distance);
    };
    title.title = say("title.keeps"_t);
    title.short_title = say("title.keeps_short"_t);
}

// What the last beats are about: how many tokens come out otherwise, and what that brings.
void name_price(StageTitle& title, const SceneInput& input, const RelaxedModel& m, const RelaxedState& state) {
    const auto rule = "rule"_v = m.rule->title;
    if (input.beat == kRelaxedCostBeat) {
        const auto distance = "distance"_v = m.here.distance;
        const auto unchecked = "unchecked"_v = m.draft_alone.distance;
        title.title = relaxed_says("cost.title"_t, rule, distance, unchecked);
        title.short_title = relaxed_says("cost.short_title"_t, rule, distance, unchecked);
    } else if (const auto pair = measured_pair(input, m, state)) {
        title.title = relaxed_says("worth.title:measured"_t, rule, "verdict"_v = pair->verdict());
    } else {
        title.title = relaxed_says("worth.title:unmeasured"_t, rule);
    }
}

} // namespace

StageTitle relaxed_title(const SceneInput& input, const RelaxedModel& m, const RelaxedState& state) {
    StageTitle title;
    title.tier = tier_of(input.whole->header);
    if (!m.position()) {
        title.title = relaxed_says("title.nothing"_t);
        title.subtitle = relaxed_says("subtitle.nothing"_t);
        return title;
    }
    const std::string& drafter = input.whole->header->drafter;
    if (m.counted == 0) {
        title.title = relaxed_says("title.short_heads"_t);
        title.subtitle = relaxed_says("subtitle.short_heads"_t, "drafter"_v = drafter, "judged"_v = m.positions->size());
        return title;
    }
    const Message means = m.all_count() ? Message() : relaxed_says("words.means_kept"_t, "means"_v = means_over(m), "stayed"_v = m.stayed);
    if (m.exact()) {
        title.title = relaxed_says("thrown_away.title"_t, "kept"_v = kept_share(m.lossless.kept));
        title.subtitle = relaxed_says("subtitle.exact"_t, "drafter"_v = drafter, "greedy"_v = m.greedy, "means"_v = means);
        return title;
    }
    if (input.beat >= kRelaxedCostBeat)
        name_price(title, input, m, state);
    else
        name_kept(title, m);
    const bool lossy = !keeps_target(*m.rule, m.params);
    const Message promise = lossy ? relaxed_says("promise.lossy"_t, "elsewhere"_v = m.here.distance == 0)
                            : m.rule->name == std::string("lenience") ? relaxed_says("promise.lenience"_t)
                                                                      : relaxed_says("promise.alpha"_t);
    title.subtitle = relaxed_says("subtitle.relaxed"_t, "drafter"_v = drafter, "rule"_v = to_text(m.params, *m.rule), "greedy"_v = m.greedy,
                                  "block"_v = m.params.block, "promise"_v = promise, "means"_v = means);
    return title;
}

Story relaxed_story(const SceneInput& input, const RelaxedModel& m, const RelaxedState& state) {
    Story story = story_at_beat(input, kRelaxedBeats);
    take(story, beat_words(input, m, state, story.step - 1));
    const RunStudy study = relaxed_study(input, state);
    if (!study.runs.empty()) {
        const Study* done = study_of(input, study);
        story.task = relaxed_says("words.task"_t);
        story.task_done = done && done->complete() && input.by_task(study.name);
        story.on_task = {Command{study}};
    }
    return story;
}

} // namespace speclens
