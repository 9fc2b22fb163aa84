// Words of S18: titles and four beats.
#include <cmath>
#include <optional>

#include "scenes/advice/advice_model.h"

namespace speclens {
namespace {

Message range(const AdviceCell& cell) { return advice_says("words.range"_t, "low"_v = cell.low, "high"_v = cell.high); }

Words verdict_words(const AdviceModel& m) {
    if (!m.measured()) return advice_says.beat("verdict:unmeasured"_t);
    const Said verdict = verdict_said(*m.advice);
    const int others = static_cast<int>(m.verdict.as_fast.size());
    if (m.verdict.kind == AdviceVerdict::Kind::speculate && others > 1)
        return advice_says.beat("verdict:several"_t, "verdict"_v = verdict, "others"_v = others);
    if (m.verdict.kind == AdviceVerdict::Kind::none && !m.in_doubt) return advice_says.beat("verdict:open"_t, "verdict"_v = verdict);
    if (m.verdict.kind == AdviceVerdict::Kind::plain)
        return advice_says.beat("verdict:plain"_t, "verdict"_v = verdict, "best"_v = choice_words(*m.best.front()));
    return advice_says.beat("verdict:clear"_t, "verdict"_v = verdict);
}

Words why_words(const AdviceModel& m) {
    if (!m.measured()) return advice_says.beat("why:unmeasured"_t);
    const AdviceCell& c = *m.marked;
    return advice_says.beat("why:measured"_t, "choice"_v = choice_words(c), "tokens"_v = c.tokens_per_round, "round"_v = c.round_ms(),
                            "plain"_v = c.tokens_per_round * m.advice->plain_ms, "drafting"_v = c.draft_ms / c.round_ms(),
                            "checking"_v = c.verify_ms / c.round_ms());
}

Words change_words(const AdviceModel& m) {
    if (!m.measured()) return advice_says.beat("change:unmeasured"_t);
    const CellBreakEven even = break_even_of(*m.marked, m.advice->plain_ms);
    const bool limited = even.most_plain_rate && std::isfinite(*even.most_plain_rate);
    return advice_says.beat("change:measured"_t, "choice"_v = choice_words(*m.marked), "even"_v = even.tokens, "kept"_v = even.alpha,
                            "tokens"_v = m.marked->tokens_per_round, "dear_check"_v = !even.most_plain_rate,
                            "rate"_v = limited ? even.most_plain_rate : std::nullopt);
}

Words beat_words(const AdviceModel& m, int beat) {
    switch (beat) {
    case kBetBeat: return advice_says.beat("bet"_t);
    case kWhyBeat: return why_words(m);
    case kChangeBeat: return change_words(m);
    default: return verdict_words(m);
    }
}

Message stage_title(const AdviceModel& m, int beat) {
    using Kind = AdviceVerdict::Kind;
    const auto drafters = static_cast<int>(m.best.size());
    if (beat == kBetBeat) return advice_says("bet.title"_t, "drafters"_v = drafters);
    if (m.in_doubt) return advice_says("title.in_doubt"_t);
    if (beat == kWhyBeat)
        return advice_says("why.title"_t, "choice"_v = choice_words(*m.marked), "tokens"_v = m.marked->tokens_per_round,
                           "passes"_v = m.marked->round_ms() / m.advice->plain_ms);
    const Message best = range(*m.best.front());
    if (m.verdict.kind == Kind::speculate)
        return advice_says("title.pays"_t, "choice"_v = choice_words(*m.verdict.best), "range"_v = range(*m.verdict.best));
    if (m.verdict.kind == Kind::plain) return advice_says("title.plain"_t, "best"_v = best);
    return advice_says("title.open"_t, "best"_v = best);
}

} // namespace

Message choice_words(const AdviceCell& cell) { return advice_says("words.choice"_t, "drafter"_v = cell.drafter, "k"_v = cell.k); }

Message figure_words(const AdviceModel& model, double speed_up) {
    return advice_says("words.figure"_t, "speed_up"_v = speed_up, "in_doubt"_v = model.in_doubt);
}

StageTitle advice_title(const AdviceModel& m, int beat) {
    StageTitle title;
    title.tier = ui::Tier::live;
    if (!m.measured()) {
        title.title = advice_says("title.unmeasured"_t);
        title.subtitle = !m.impossible.empty() ? m.impossible
                         : m.under_way         ? advice_says("subtitle.under_way"_t, "first"_v = m.done == 0, "done"_v = m.done)
                                               : advice_says("subtitle.unmeasured"_t);
        return title;
    }
    title.title = title.short_title = stage_title(m, beat);
    title.subtitle = advice_says("subtitle.measured"_t, "prompts"_v = m.advice->prompts, "shortest"_v = m.advice->shortest,
                                 "longest"_v = m.advice->longest, "temperature"_v = m.advice->temperature, "bars"_v = beat != kBetBeat,
                                 "done"_v = m.under_way ? std::optional(m.done) : std::nullopt);
    return title;
}

Story advice_story(const SceneInput& input, const AdviceModel& m) {
    Story story = story_at_beat(input, kAdviceBeats);
    take(story, beat_words(m, story.step - 1));
    if (m.impossible.empty() && input.settings) {
        story.task = shared_says("words.measure_machine"_t);
        story.task_done = m.measured();
        story.on_task = {ask_advice(input)};
    }
    return story;
}

} // namespace speclens
