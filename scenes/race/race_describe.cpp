// The race scene in words: what the picture shows at the clock, lane by lane, and the averages below it.
#include "scenes/race/race_draw.h"
#include "scenes/shared/methods.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

// ", finished after 61.0 ms": what stands behind the lane's row on the clock.
std::string ends_words(const RaceModel& m, const RaceLaneModel& lane) {
    const std::string after = " after " + (m.table || m.rounds ? counted(lane.whole.rounds, "round")
                                                               : ui::milliseconds(lane.total_ms) + " ms");
    if (!lane.lane->finished) return m.race->cut ? ", stopped" + after : "";
    return (lane.done ? ", finished" : ", will finish") + after;
}

} // namespace

std::string race_description(const SceneInput& input, const RaceModel& m) {
    std::string text = "Race. " + race_title(m) + (race_title(m).ends_with("?") ? " " : ". ") +
                       race_subtitle(input, m) + ".\n";
    if (!m.race) return text;
    if (const Header* header = race_header(m); header && m.tier == ui::Tier::recorded)
        text += "Recorded " + header->date + " on " + header->machine + ".\n";
    if (!m.table) text += "Prompt: " + m.race->settings.base.prompt + "\n";
    if (const std::string texts = race_texts(m); !texts.empty()) text += capital(texts) + ".\n";
    for (std::size_t i = 0; i < m.lanes.size(); ++i) {
        const RaceLaneModel& lane = m.lanes[i];
        text += "Lane " + std::to_string(i + 1) + ", " + lane.title + " (" + race_about(lane) + ")" +
                (static_cast<int>(i) == m.focus ? ", chosen" : "") + ": ";
        if (!lane.lane->problem.empty()) {
            text += "cannot run: " + lane.lane->problem + "\n";
            continue;
        }
        if (!lane.trace) {
            text += m.race->cut ? "has not run.\n" : "waits for its turn.\n";
            continue;
        }
        if (m.stepped) {
            text += counted(lane.tokens_shown, "token") + " so far in " +
                    counted(lane.shown.rounds, "round") +
                    (lane.shown.rounds ? ", " + ui::per_round(lane.shown.tokens_per_round()) + " per round"
                                       : std::string()) +
                    (lane.done ? "; finished, it waits.\n" : ".\n");
            continue;
        }
        text += std::to_string(lane.tokens_shown) + " of " + counted(lane.tokens, "token") + " so far" +
                (lane.shown.rounds ? "; " + ui::per_round(lane.shown.tokens_per_round()) + " tokens per round"
                                   : std::string()) +
                ends_words(m, lane);
        if (lane.speed_up > 0 && lane.done)
            text += ", " + ui::speed_up(lane.speed_up) + " the speed of plain decoding";
        text += ".\n";
        if (!lane.lane->average) continue;
        const LaneAverage& a = *lane.lane->average;
        text += "  Over " + counted(a.totals.prompts, "prompt") + ": " +
                ui::per_round(a.tokens_per_round.value) + " tokens per round";
        if (a.tokens_per_round.interval)
            text += " (95 % " + ui::per_round(a.tokens_per_round.low) + " to " +
                    ui::per_round(a.tokens_per_round.high) + ")";
        if (!lane.plain() && a.speed_up.value > 0) text += ", " + ui::speed_up(a.speed_up.value);
        text += "; a round takes " + ui::number(a.totals.round_ms(), 2) + " ms: draft " +
                ui::number(a.totals.draft_ms - a.totals.head_ms, 2) + ", " + head_word(lane.drafter) + " " +
                ui::number(a.totals.head_ms, 2) + ", verify " + ui::number(a.totals.verify_ms, 2) +
                ", verdicts " + ui::number(a.totals.accept_ms, 2) + ", rest " +
                ui::number(a.totals.other_ms - a.totals.accept_ms, 2) + ".\n";
        if (const std::string formula = formula_words(m, lane); !formula.empty())
            text += "  Speed-up by the formula: " + formula + ".\n";
        if (!a.totals.conditional.empty()) {
            text += "  Kept at position 1, 2, … once all before it were:";
            for (std::size_t k = 0; k < a.totals.conditional.size(); ++k)
                text += " " + ui::probability(a.totals.conditional[k]) + " of " +
                        std::to_string(a.totals.judged_at[k]);
            text += ".\n";
            if (const std::string first = first_guess_words(lane); !first.empty())
                text += "  " + capital(first) + ".\n";
        }
    }
    if (const std::string skipped = skipped_words(m); !skipped.empty()) text += skipped + ".\n";
    const PublishedRace paper = published_race(input.figures);
    for (const PublishedPoint& p : paper.points)
        text += "Published, " + paper.conditions + ": " + method_title(p.method) + " " +
                ui::number(p.tokens, 2) + " tokens per round, draft " + ui::number(p.draft + p.head, 1) +
                (p.derived ? " ms (derived)" : " ms") + ", verify " + ui::number(p.verify, 1) + " ms, " +
                ui::speed_up(p.speed_up) + ".\n";
    if (!paper.points.empty()) text += "Source: " + paper.source + ".\n";
    return text;
}

} // namespace speclens
