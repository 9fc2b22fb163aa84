// Words of S18: titles, four beats, and the frame as text.
#include <cmath>
#include <sstream>

#include "scenes/advice/advice_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

std::string named(const AdviceCell& cell) { return advice_says("words.choice"_t, "drafter"_v = cell.drafter, "k"_v = cell.k); }

std::string range(const AdviceCell& cell) {
    return advice_says("words.range"_t, "low"_v = ui::number(cell.low, 2), "high"_v = ui::speed_up(cell.high));
}

Words verdict_words(const AdviceModel& m) {
    if (!m.measured()) return advice_says.beat("verdict:unmeasured"_t);
    const std::string verdict = verdict_sentence(*m.advice);
    const int others = static_cast<int>(m.verdict.as_fast.size());
    if (m.verdict.kind == AdviceVerdict::Kind::speculate && others > 1)
        return advice_says.beat("verdict:several"_t, "verdict"_v = verdict, "others"_v = others);
    if (m.verdict.kind == AdviceVerdict::Kind::none && !m.in_doubt) return advice_says.beat("verdict:open"_t, "verdict"_v = verdict);
    if (m.verdict.kind == AdviceVerdict::Kind::plain)
        return advice_says.beat("verdict:plain"_t, "verdict"_v = verdict, "best"_v = named(*m.best.front()));
    return advice_says.beat("verdict:clear"_t, "verdict"_v = verdict);
}

Words why_words(const AdviceModel& m) {
    if (!m.measured()) return advice_says.beat("why:unmeasured"_t);
    const AdviceCell& c = *m.marked;
    return advice_says.beat("why:measured"_t, "choice"_v = named(c), "tokens"_v = ui::number(c.tokens_per_round, 2),
                            "round"_v = ui::number(c.round_ms(), 2), "plain"_v = ui::number(c.tokens_per_round * m.advice->plain_ms, 2),
                            "drafting"_v = ui::percent(c.draft_ms / c.round_ms()), "checking"_v = ui::percent(c.verify_ms / c.round_ms()));
}

Words change_words(const AdviceModel& m) {
    if (!m.measured()) return advice_says.beat("change:unmeasured"_t);
    const CellBreakEven even = break_even_of(*m.marked, m.advice->plain_ms);
    const bool limited = even.most_plain_rate && std::isfinite(*even.most_plain_rate);
    return advice_says.beat("change:measured"_t, "choice"_v = named(*m.marked), "even"_v = ui::number(even.tokens, 2),
                            "kept"_v = even.alpha ? ui::probability(*even.alpha) : "",
                            "tokens"_v = ui::number(m.marked->tokens_per_round, 2), "dear_check"_v = !even.most_plain_rate,
                            "rate"_v = limited ? ui::integer(std::lround(*even.most_plain_rate)) : "");
}

Words beat_words(const AdviceModel& m, int beat) {
    switch (beat) {
    case kBetBeat: return advice_says.beat("bet"_t);
    case kWhyBeat: return why_words(m);
    case kChangeBeat: return change_words(m);
    default: return verdict_words(m);
    }
}

std::string stage_title(const AdviceModel& m, int beat) {
    using Kind = AdviceVerdict::Kind;
    const auto drafters = static_cast<int>(m.best.size());
    if (beat == kBetBeat) return advice_says("bet.title"_t, "drafters"_v = drafters);
    if (m.in_doubt) return advice_says("title.in_doubt"_t);
    if (beat == kWhyBeat)
        return advice_says("why.title"_t, "choice"_v = named(*m.marked), "tokens"_v = ui::number(m.marked->tokens_per_round, 2),
                           "passes"_v = ui::number(m.marked->round_ms() / m.advice->plain_ms, 2));
    const std::string best = range(*m.best.front());
    if (m.verdict.kind == Kind::speculate)
        return advice_says("title.pays"_t, "choice"_v = named(*m.verdict.best), "range"_v = range(*m.verdict.best));
    if (m.verdict.kind == Kind::plain) return advice_says("title.plain"_t, "best"_v = best);
    return advice_says("title.open"_t, "best"_v = best);
}

} // namespace

std::string figure_words(const AdviceModel& model, double speed_up) { return (model.in_doubt ? "~" : "") + ui::speed_up(speed_up); }

StageTitle advice_title(const AdviceModel& m, int beat) {
    StageTitle title;
    title.tier = ui::Tier::live;
    if (!m.measured()) {
        title.title = advice_says("title.unmeasured"_t);
        title.subtitle = !m.impossible.empty() ? m.impossible
                         : m.under_way         ? advice_says("subtitle.under_way"_t, "done"_v = ui::percent(m.done))
                                               : advice_says("subtitle.unmeasured"_t);
        return title;
    }
    title.title = title.short_title = stage_title(m, beat);
    title.subtitle = advice_says("subtitle.measured"_t, "prompts"_v = m.advice->prompts, "shortest"_v = m.advice->shortest,
                                 "longest"_v = m.advice->longest, "temperature"_v = temperature_words(m.advice->temperature),
                                 "bars"_v = beat != kBetBeat, "done"_v = m.under_way ? ui::percent(m.done) : "");
    return title;
}

Story advice_story(const SceneInput& input, const AdviceModel& m) {
    Story story = story_at_beat(input, kAdviceBeats);
    const Words words = beat_words(m, story.step - 1);
    story.heading = words.heading;
    story.text = words.text;
    if (m.impossible.empty() && input.settings) {
        story.task = advice_says("words.task"_t);
        story.task_done = m.measured();
        story.on_task = {ask_advice(input)};
    }
    return story;
}

std::string advice_description(const SceneInput& input, const AdviceModel& m) {
    std::ostringstream out;
    const StageTitle title = advice_title(m, input.beat);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(shown_tier(input, title.tier)) << "\n\n";
    if (m.measured() && !keeps_answer_back(input)) { // whoever reads the frame bets first, too
        out << "Plain decoding: " << ui::number(m.advice->plain_ms, 3) << " ms a token\n";
        for (const AdviceCell* cell : m.best)
            out << named(*cell) << (cell == m.marked ? " (marked): " : ": ") << figure_words(m, cell->speed_up) << " [" << range(*cell)
                << "], " << ui::number(cell->tokens_per_round, 2) << " tokens a round; draft " << ui::number(cell->draft_ms, 3)
                << ", verify " << ui::number(cell->verify_ms, 3) << ", other " << ui::number(cell->other_ms, 3) << " ms\n";
        out << m.marked->drafter << " by K:";
        for (const AdviceCell* cell : m.lengths) out << " " << cell->k << " " << figure_words(m, cell->speed_up);
        out << "\n";
        for (const std::string& finding : advice_findings(*m.advice)) out << finding << "\n";
        for (const std::string& words : break_even_words(*m.advice)) out << words << "\n";
        out << verdict_sentence(*m.advice) << "\n";
    }
    out << "\n" << describe_story(input, advice_story(input, m));
    return out.str();
}

} // namespace speclens
