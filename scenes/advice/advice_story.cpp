// Words of S18: titles, four beats, and the frame as text.
#include <cmath>
#include <sstream>

#include "scenes/advice/advice_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

std::string named(const AdviceCell& cell) { return cell.drafter + ", K = " + std::to_string(cell.k); }

std::string range(const AdviceCell& cell) { return ui::number(cell.low, 2) + " to " + ui::speed_up(cell.high); }

Words verdict_words(const AdviceModel& m) {
    const std::string heading = "The verdict";
    if (!m.measured())
        return {heading, "Whether guessing pays is a property of a model, a drafter, a machine and texts together. So it is measured: "
                         "M runs every drafter on prompts that none was trained on."};
    const AdviceCell& best = *m.best.front();
    std::string text = verdict_sentence(*m.advice) + " ";
    if (m.verdict.kind == AdviceVerdict::Kind::speculate && m.verdict.as_fast.size() > 1)
        text += counted(static_cast<int>(m.verdict.as_fast.size()), "other choice") + " cannot be told apart from it: take the one that " +
                "is simplest to serve.";
    else if (m.verdict.kind == AdviceVerdict::Kind::none && !m.in_doubt)
        text += "More prompts would narrow it: speclens advise --for 300.";
    else if (m.verdict.kind == AdviceVerdict::Kind::plain)
        text += "A round of " + named(best) + " takes longer than its tokens one by one.";
    return {heading, text};
}

Words why_words(const AdviceModel& m) {
    const std::string heading = "Why it comes out so";
    if (!m.measured()) return {heading, "A round pays where it takes less time than plain decoding needs for the tokens that it brings."};
    const AdviceCell& c = *m.marked;
    const double plain = c.tokens_per_round * m.advice->plain_ms;
    return {heading, "A round of " + named(c) + " brings " + ui::number(c.tokens_per_round, 2) + " tokens in " +
                         ui::number(c.round_ms(), 2) + " ms. Plain decoding takes " + ui::number(plain, 2) +
                         " ms for as many. Drafting is " + ui::percent(c.draft_ms / c.round_ms()) + " of the round, checking " +
                         ui::percent(c.verify_ms / c.round_ms()) + "."};
}

Words change_words(const AdviceModel& m) {
    const std::string heading = "What would change it";
    if (!m.measured())
        return {heading, "A faster target makes drafting relatively dearer; longer texts, other prompts and other load change the rest."};
    const CellBreakEven even = break_even_of(*m.marked, m.advice->plain_ms);
    std::string text = named(*m.marked) + " breaks even at " + ui::number(even.tokens, 2) + " tokens a round" +
                       (even.alpha ? ", every guess kept with " + ui::probability(*even.alpha) : "") + "; it brings " +
                       ui::number(m.marked->tokens_per_round, 2) + ".";
    if (!even.most_plain_rate)
        text += " Checking alone costs more than it brings, so a slower target would not help.";
    else if (std::isfinite(*even.most_plain_rate))
        text += " If drafting takes as long as here, it pays while plain decoding writes fewer than " +
                ui::integer(std::lround(*even.most_plain_rate)) + " tokens a second.";
    return {heading, text};
}

Words beat_words(const AdviceModel& m, int beat) {
    switch (beat) {
    case 0:
        return {"Does it pay here?",
                "Ten papers promise ten speed-ups. Yours depends on what a pass and a guess cost on this machine, and on how many guesses "
                "your texts let stay. Which drafter would you bet on, and with how many guesses?"};
    case kWhyBeat: return why_words(m);
    case kChangeBeat: return change_words(m);
    default: return verdict_words(m);
    }
}

} // namespace

std::string figure_words(const AdviceModel& model, double speed_up) { return (model.in_doubt ? "~" : "") + ui::speed_up(speed_up); }

StageTitle advice_title(const AdviceModel& m, int beat) {
    StageTitle title;
    title.tier = ui::Tier::live;
    if (!m.measured()) {
        title.title = "Does speculation pay on this machine?";
        title.subtitle = !m.impossible.empty() ? m.impossible
                         : m.under_way         ? "measuring, " + ui::percent(m.done)
                                               : "press M to measure every drafter with 1 to 7 guesses";
        return title;
    }
    const AdviceCell& best = *m.best.front();
    using Kind = AdviceVerdict::Kind;
    if (m.in_doubt)
        title.title = "Timing in doubt: no verdict";
    else if (m.verdict.kind == Kind::speculate)
        title.title = named(*m.verdict.best) + ": " + range(*m.verdict.best);
    else if (m.verdict.kind == Kind::plain)
        title.title = "Nothing pays here: the best is " + range(best);
    else
        title.title = "No verdict: the best is " + range(best);
    if (beat == kWhyBeat && !m.in_doubt)
        title.title = named(*m.marked) + ": " + ui::number(m.marked->tokens_per_round, 2) + " tokens for " +
                      ui::number(m.marked->round_ms() / m.advice->plain_ms, 2) + " plain passes";
    if (beat == kBetBeat) title.title = "Which of " + counted(static_cast<int>(m.best.size()), "drafter") + " pays here?";
    title.short_title = title.title;
    title.subtitle = std::to_string(m.advice->prompts) + " prompts, texts of " + std::to_string(m.advice->shortest) + " to " +
                     std::to_string(m.advice->longest) + " tokens, T = " + temperature_words(m.advice->temperature) +
                     (beat == kBetBeat ? "" : "; bars: 90 % of other such sets of prompts") +
                     (m.under_way ? "; measuring, " + ui::percent(m.done) : "");
    return title;
}

Story advice_story(const SceneInput& input, const AdviceModel& m) {
    Story story = story_at_beat(input, kAdviceBeats);
    const Words words = beat_words(m, story.step - 1);
    story.heading = words.heading;
    story.text = words.text;
    if (m.impossible.empty() && input.settings) {
        story.task = "Measure this machine: M";
        story.task_done = m.measured();
        story.on_task = {ask_advice(input)};
    }
    return story;
}

std::string advice_description(const SceneInput& input, const AdviceModel& m) {
    std::ostringstream out;
    const StageTitle title = advice_title(m, input.beat);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(title.tier) << "\n\n";
    if (m.measured() && input.beat != kBetBeat) { // whoever reads the frame bets first, too
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
    out << "\n" << describe_story(advice_story(input, m));
    return out.str();
}

} // namespace speclens
