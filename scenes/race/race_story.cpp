// The race in words: findings from the numbers of this race, nothing that was known before; and the frame as text.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/equation.h"
#include "engine/drafters/drafter.h"
#include "scenes/race/race_draw.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/methods.h"
#include "scenes/shared/published_round.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

using ui::Font;
using ui::Rect;

const RaceLaneModel* lane_at(const RaceModel& m, int index) {
    return index < 0 ? nullptr : &m.lanes[static_cast<std::size_t>(index)];
}

// The lane with averages for which `value` is largest, among drafters.
template <class Value>
const RaceLaneModel* best(const RaceModel& m, Value value) {
    const RaceLaneModel* found = nullptr;
    for (const RaceLaneModel& lane : m.lanes) {
        if (lane.plain() || !lane.lane->average) continue;
        if (!found || value(*lane.lane->average) > value(*found->lane->average)) found = &lane;
    }
    return found;
}

// Among texts of one length the fastest lane is home first. Else a lane may be home first because it had less
// to write.
bool one_length(const RaceModel& m, const RaceLaneModel& fastest) {
    return std::ranges::all_of(
        m.lanes, [&](const RaceLaneModel& lane) { return !lane.trace || lane.tokens == fastest.tokens; });
}

const char* wins(const RaceModel& m, const RaceLaneModel& fastest) {
    if (m.table)
        return one_length(m, fastest) ? "needs the fewest rounds" : "brings the most tokens per round";
    return one_length(m, fastest) ? "finishes first" : "writes fastest";
}

// Rounds and tokens are the same in every repeat, so they can be told where times cannot.
std::string in_doubt(const RaceModel& m) {
    const RaceLaneModel* most = nullptr;
    bool alone = true;
    for (const RaceLaneModel& lane : m.lanes) {
        if (!lane.trace || lane.plain()) continue;
        const double rate = lane.whole.tokens_per_round(), best_rate = most ? most->whole.tokens_per_round() : 0;
        if (most && std::abs(rate - best_rate) < 1e-9) alone = false;
        if (!most || rate > best_rate + 1e-9) most = &lane, alone = true;
    }
    return most && alone ? capital(most->title) + " brings the most tokens per round; who is faster is in doubt"
                         : "Who is fastest is in doubt";
}

std::string as_fast(const RaceModel& m) {
    std::string names;
    for (std::size_t i = 0; i < m.level.size(); ++i)
        names += (i == 0 ? "" : i + 1 == m.level.size() ? " and " : ", ") +
                 m.lanes[static_cast<std::size_t>(m.level[i])].title;
    return capital(names) + " are equally fast here";
}

// Who is fastest, and whether by tokens per round: a lead that another lane shares is not called one.
std::string outcome(const RaceModel& m, const RaceLaneModel& fastest) {
    const bool alike = one_length(m, fastest);
    const std::string name = capital(fastest.title), end = wins(m, fastest);
    if (m.table && fastest.plain()) return "No drafter saves a round here";
    if (!m.table && !m.doubt.empty()) return in_doubt(m);
    if (!m.table && m.level.size() > 1) return as_fast(m);
    if (fastest.plain()) { // one prompt says less than many
        const RaceLaneModel* other = best(m, [](const LaneAverage& a) { return a.speed_up.value; });
        if (!other || other->lane->average->speed_up.value < 1.005)
            return "Plain decoding " + end + ": no drafter pays here";
        const LaneAverage& a = *other->lane->average;
        return "Plain decoding " + end + " this time; over " + counted(a.totals.prompts, "prompt") + " " +
               other->title + " is at " + average_speed(m, a);
    }
    const double own = fastest.whole.tokens_per_round();
    const RaceLaneModel *ahead = nullptr, *level = nullptr;
    for (const RaceLaneModel& lane : m.lanes) {
        if (!lane.trace || lane.plain() || &lane == &fastest) continue;
        const double rate = lane.whole.tokens_per_round();
        if (std::abs(rate - own) < 1e-9) level = &lane;
        if (rate > own + 1e-9 && (!ahead || rate > ahead->whole.tokens_per_round())) ahead = &lane;
    }
    if (m.table && level)
        return name + " and " + level->title +
               (alike ? " need the fewest rounds" : " bring the most tokens per round");
    if (m.table) return name + " " + end;
    if (ahead)
        return capital(ahead->title) + (alike ? " needs fewer rounds, " : " brings more tokens per round, ") +
               fastest.title + " " + end;
    if (level)
        return name + " " + end + (alike ? ", in as many rounds as " : ", at the tokens per round of ") +
               level->title;
    return name + (alike ? " needs the fewest rounds" : " brings the most tokens per round") + " and " + end;
}

std::string dice(const RaceModel& m) {
    const RunSettings& base = m.race->settings.base;
    if (m.greedy) return "greedy";
    return "T = " + temperature_words(base.sampling.temperature) +
           draft_words(base.sampling.temperature, base.drafts().temperature) + ", seed " +
           std::to_string(base.seed);
}

// Guesses of a lane in a row, and in a tree: what its run makes of what was asked for, as soon as there is
// one.
int most_in_a_row(const RaceLaneModel& lane) {
    const Header* header = lane.trace ? lane.trace->header() : nullptr;
    return header && header->drafter == lane.drafter ? header->k : lane.lane->settings.k;
}
int most_in_a_tree(const RaceLaneModel& lane) {
    std::size_t most = 0;
    for (const CycleSummary& cycle : lane.whole.cycles) most = std::max(most, cycle.drafts.size());
    return most > 0 ? static_cast<int>(most) : lane.lane->settings.options.tree_budget;
}

// ", K = 7", ", K = 8 to 15" where some drafters can do no more; nothing where no lane drafts.
std::string lengths_of_drafts(const RaceModel& m) {
    int least = 0, most = 0;
    for (const RaceLaneModel& lane : m.lanes) {
        if (lane.plain()) continue;
        const int k = most_in_a_row(lane);
        least = least == 0 ? k : std::min(least, k);
        most = std::max(most, k);
    }
    if (least <= 0) return "";
    return ", K = " + std::to_string(least) + (most > least ? " to " + std::to_string(most) : std::string());
}

// ", 64 tokens", as many as were asked for where no lane has any.
std::string lengths_of_texts(const RaceModel& m) {
    int least = std::numeric_limits<int>::max(), most = 0;
    for (const RaceLaneModel& lane : m.lanes) {
        if (!lane.trace || !lane.lane->problem.empty()) continue;
        least = std::min(least, lane.tokens);
        most = std::max(most, lane.tokens);
    }
    if (most == 0) return ", " + counted(m.race->settings.base.max_tokens, "token");
    return (least < most ? ", up to " : ", ") + counted(most, "token");
}

// A rule that gives something away judges a lane.
std::string not_lossless(const RaceModel& m) {
    const std::string& rule = m.race->settings.base.rule;
    const bool judges = std::ranges::any_of(m.lanes, [&](const RaceLaneModel& lane) {
        return !lane.plain() && lane.lane->settings.rule == rule;
    });
    return judges && !m.lossless ? " · " + rule + ": NOT lossless" : "";
}

// Whether the interval of `ahead` is above that of every other drafter. `estimate` is a member of
// LaneAverage.
bool beyond_chance(const RaceModel& m, const RaceLaneModel& ahead, Estimate LaneAverage::*estimate) {
    const double low = ((*ahead.lane->average).*estimate).low;
    return std::ranges::all_of(m.lanes, [&](const RaceLaneModel& lane) {
        return &lane == &ahead || lane.plain() || !lane.lane->average ||
               ((*lane.lane->average).*estimate).high < low;
    });
}

// Whether the first guess is harder than the second beyond doubt, and what is before it makes a difference.
bool first_guess_differs(const RaceLaneModel& lane) {
    if (lane.plain() || !lane.lane->average) return false;
    const Totals& t = lane.lane->average->totals;
    if (t.judged_at.size() < 2 || t.judged_at[1] < kEnoughRounds) return false;
    if (wilson(t.accepted_at[0], t.judged_at[0]).high >= wilson(t.accepted_at[1], t.judged_at[1]).low)
        return false;
    double low = 1, high = 0;
    const auto see = [&](int kept, int of) {
        if (of < kEnoughRounds) return;
        low = std::min(low, static_cast<double>(kept) / of);
        high = std::max(high, static_cast<double>(kept) / of);
    };
    see(t.first.kept_at_start, t.first.at_start);
    see(t.first.kept_after_full, t.first.after_full);
    see(t.first.kept_after_refusal, t.first.after_refusal);
    return high - low >= 0.03;
}

// ", finished after 61.0 ms": what stands behind the lane's row on the clock.
std::string ends_words(const RaceModel& m, const RaceLaneModel& lane) {
    const std::string after = " after " + (m.table || m.rounds ? counted(lane.whole.rounds, "round")
                                                               : ui::milliseconds(lane.total_ms) + " ms");
    if (!lane.lane->finished) return m.race->cut ? ", stopped" + after : "";
    return (lane.done ? ", finished" : ", will finish") + after;
}

} // namespace

const Header* race_header(const RaceModel& m) {
    for (const RaceLaneModel& lane : m.lanes)
        if (lane.trace) return lane.trace->header();
    return nullptr;
}

std::string race_title(const RaceModel& m) {
    if (!m.race) return "A race is about to start";
    if (m.stepped) {
        if (m.over) return "Every lane has finished";
        const RaceLaneModel* ahead = nullptr;
        bool tied = false;
        for (const RaceLaneModel& lane : m.lanes) {
            if (!lane.trace) continue;
            if (ahead && lane.tokens_shown == ahead->tokens_shown) tied = true;
            if (ahead && lane.tokens_shown <= ahead->tokens_shown) continue;
            tied = false;
            ahead = &lane;
        }
        if (!ahead || ahead->tokens_shown == 0) return "All lanes at the start";
        if (tied || m.lanes.size() == 1) return "All lanes together, step by step";
        return capital(ahead->title) + " is ahead with " + counted(ahead->tokens_shown, "token");
    }
    if (!m.measured) return m.race->cut ? "The race was stopped" : "The lanes run one after another";
    const RaceLaneModel* fastest = lane_at(m, m.fastest);
    if (!fastest) return "No lane could run";
    // Before the first lane is home the outcome is a question.
    double first = fastest->end;
    for (const RaceLaneModel& lane : m.lanes)
        if (lane.trace) first = std::min(first, lane.end);
    if (m.clock + 1e-6 < first) return m.rounds ? "Who needs the fewest rounds?" : "Who finishes first?";
    if (m.lanes.size() == 1) return capital(fastest->title) + " alone";
    return outcome(m, *fastest);
}

std::string race_title_short(const RaceModel& m) {
    const RaceLaneModel* fastest = lane_at(m, m.fastest);
    const bool sure = m.table || (m.doubt.empty() && m.level.size() < 2);
    const bool told = !m.stepped && m.measured && fastest && m.lanes.size() > 1 && sure;
    if (const std::string whole = race_title(m); !told && whole.find("; ") != std::string::npos)
        return capital(whole.substr(whole.find("; ") + 2)); // "Who is fastest is in doubt"
    if (!told || race_title(m).ends_with("?")) return "";
    const bool once =
        race_title(m).find(" this time;") != std::string::npos; // many prompts say something else
    return capital(fastest->title) + " " + wins(m, *fastest) + (once ? " this time" : "");
}

std::string race_subtitle(const SceneInput& input, const RaceModel& m) {
    if (!m.race) return "the same prompt with the same dice for every drafter";
    std::string words = "same prompt, same dice" + lengths_of_drafts(m) + " · " + dice(m);
    if (m.stepped) {
        words +=
            not_lossless(m) + " · step " + std::to_string(static_cast<int>(m.clock + 0.5)) + ", not timed";
        if (const std::string texts = race_texts(m); !texts.empty()) words += " · " + texts;
        return words;
    }
    words += lengths_of_texts(m) + not_lossless(m);
    if (!m.measured) {
        if (m.race->running >= 0)
            words += " · " + m.lanes[static_cast<std::size_t>(m.race->running)].title + " is running";
        return words;
    }
    words += m.rounds
                 ? " · after " + ui::number(m.clock, std::abs(m.clock - std::round(m.clock)) < 1e-6 ? 0 : 1) +
                       " rounds"
                 : " · at " + ui::milliseconds(m.clock) + " ms";
    if (m.just_done >= 0 && !m.over)
        words += ", as " + m.lanes[static_cast<std::size_t>(m.just_done)].title + " finishes";
    if (m.over) words += ", all finished";
    if (!m.doubt.empty() && !m.rounds) words += " · in doubt: " + m.doubt;
    if (input.race_pace > 0) {
        const double slower = 1000 / input.race_pace;
        words += slower > 1.5 ? " · slowed down " + ui::number(slower, 0) + "×" : " · in real time";
    }
    return words;
}

namespace {

// `words` of a descriptor (DrafterInfo::cost) with this lane's numbers.
std::string filled(std::string words, const RaceLaneModel& lane, const std::string& tree) {
    const int most = most_in_a_row(lane);
    const std::pair<std::string_view, std::string> named[] = {{"{guesses}", counted(most, "guess")},
                                                              {"{tokens}", counted(most, "token")},
                                                              {"{passes}", std::to_string(most) + (most == 1 ? " pass" : " passes")},
                                                              {"{heads}", counted(most, "head")},
                                                              {"{tree}", tree},
                                                              {"{k}", std::to_string(most)}};
    for (const auto& [name, value] : named)
        if (const std::size_t at = words.find(name); at != std::string::npos) words.replace(at, name.size(), value);
    return words;
}

} // namespace

std::string race_about(const RaceLaneModel& lane) {
    const DrafterInfo* info = find_drafter(lane.drafter);
    return filled(info ? info->cost : "{guesses}", lane, "a tree of " + counted(most_in_a_tree(lane), "guess"));
}

std::string race_about_short(const RaceLaneModel& lane) {
    const DrafterInfo* info = find_drafter(lane.drafter);
    return filled(info ? info->short_cost : "{guesses}", lane, "tree of " + std::to_string(most_in_a_tree(lane)));
}

std::string race_texts(const RaceModel& m) {
    if (m.texts < 2) return "";
    if (m.stepped) {
        if (m.identical) return m.greedy || m.over ? "texts identical so far" : "texts alike so far";
        const std::string after = " after " + counted(m.same_tokens, "token");
        return m.greedy && m.lossless ? "TEXTS DIFFER" + after : "texts part" + after;
    }
    if (!m.measured) return "";
    if (m.identical) return "texts identical";
    if (m.greedy && m.lossless) return "TEXTS DIFFER after " + counted(m.same_tokens, "token");
    return "texts part after " + counted(m.same_tokens, "token") +
           (m.lossless ? ": at T > 0 only the distribution is shared" : ": this rule is not lossless");
}

std::string formula_words(const RaceModel& m, const RaceLaneModel& lane) {
    const RaceLaneModel* plain = lane_at(m, m.plain);
    if (lane.plain() || !plain || !plain->lane->average || !lane.lane->average) return "";
    const Totals &base = plain->lane->average->totals, &mine = lane.lane->average->totals;
    const double tokens = mine.tokens_per_round(), pass = base.round_ms(), round = mine.round_ms();
    const int decimals = equation_decimals(tokens, pass, 0, round, std::min(pass, round) < 1 ? 3 : 2);
    return ui::number(tokens, decimals) + " tokens × " + ui::number(pass, decimals) + " ms ÷ " +
           ui::number(round, decimals) + " ms = " + ui::speed_up(mine.predicted_speed_up(base)) +
           ", measured " + average_speed(m, *lane.lane->average);
}

std::string averages_words(const RaceModel& m) {
    for (const RaceLaneModel& lane : m.lanes)
        if (lane.lane->average) {
            std::string words = "over " + counted(lane.lane->average->totals.prompts, "prompt");
            if (m.race->prompts_done < m.race->prompts)
                words += " of " + std::to_string(m.race->prompts) + " so far";
            return words;
        }
    return "this prompt only";
}

std::string no_averages_words(const RaceModel& m) {
    if (!m.race) return "needs rounds from more prompts";
    if (std::ranges::all_of(m.lanes, &RaceLaneModel::plain)) return "no lane drafts";
    if (m.race->prompts == 0) return "needs rounds from more prompts";
    if (m.race->finished()) return "no rounds to average";
    if (m.race->cut) return "needs rounds from more prompts";
    return m.measured ? "the prompts are being measured" : "measured as soon as the lanes are done";
}

std::string skipped_words(const RaceModel& m) {
    if (!m.race || m.race->skipped == 0) return "";
    return counted(m.race->skipped, "prompt") + " skipped: too long for " + m.race->skipped_for;
}

std::string average_speed(const RaceModel& m, const LaneAverage& average) {
    if (average.speed_up.value <= 0) return "";
    return (m.average_doubt.empty() ? "" : "~") + ui::speed_up(average.speed_up.value);
}

std::string scatter_title(const RaceModel& m) {
    const RaceLaneModel* quick = best(m, [](const LaneAverage& a) { return a.speed_up.value; });
    const RaceLaneModel* rich = best(m, [](const LaneAverage& a) { return a.tokens_per_round.value; });
    if (!quick || !rich || m.plain < 0) return "Up and to the left is fast";
    if (!m.average_doubt.empty())
        return beyond_chance(m, *rich, &LaneAverage::tokens_per_round)
                   ? capital(rich->title) + " brings the most; speed in doubt"
                   : "Who is faster is in doubt";
    if (quick->lane->average->speed_up.value < 1) return "Every drafter costs more than it brings";
    const bool most = beyond_chance(m, *rich, &LaneAverage::tokens_per_round),
               fastest = beyond_chance(m, *quick, &LaneAverage::speed_up);
    if (!most && !fastest) return "Who is ahead is too close to call";
    if (!most) return capital(quick->title) + " is the fastest; tokens too close to call";
    if (!fastest) return capital(rich->title) + " brings the most; speed too close to call";
    if (quick == rich) return capital(quick->title) + " brings the most and is the fastest";
    return capital(rich->title) + " brings the most, " + quick->title + " is the fastest";
}

std::string positions_title(const RaceModel& m) {
    // Whose conditional acceptance falls most from the first position to the last one with enough rounds.
    const RaceLaneModel* falls = nullptr;
    double most = 0;
    for (const RaceLaneModel& lane : m.lanes) {
        if (lane.plain() || !lane.lane->average) continue;
        const Totals& t = lane.lane->average->totals;
        int last = -1;
        for (std::size_t i = 0; i < t.judged_at.size(); ++i)
            if (t.judged_at[i] >= kEnoughRounds) last = static_cast<int>(i);
        if (last < 1) continue;
        const double fall = t.conditional[0] - t.conditional[static_cast<std::size_t>(last)];
        if (fall > most) {
            most = fall;
            falls = &lane;
        }
    }
    if (falls && most >= 0.03) return capital(falls->title) + " loses most with the distance";
    if (const RaceLaneModel* lane = first_guess_lane(m))
        return capital(lane->title) + "'s first guess is its hardest";
    return "Acceptance by position";
}

std::string costs_title(const RaceModel& m) {
    const RaceLaneModel* found = nullptr;
    double most = 0;
    for (const RaceLaneModel& lane : m.lanes) {
        if (lane.plain() || !lane.lane->average) continue;
        const Totals& t = lane.lane->average->totals;
        const double share = t.round_ms() > 0 ? t.draft_ms / t.round_ms() : 0;
        if (share > most) {
            most = share;
            found = &lane;
        }
    }
    if (!found) return "Where the time of a round goes";
    return "Drafting takes " + ui::percent(most) + " of a round of " + found->title;
}

const RaceLaneModel* first_guess_lane(const RaceModel& m) {
    const auto chosen = static_cast<std::size_t>(m.focus);
    if (chosen < m.lanes.size() && first_guess_differs(m.lanes[chosen])) return &m.lanes[chosen];
    const auto other = std::ranges::find_if(m.lanes, first_guess_differs);
    return other == m.lanes.end() ? nullptr : &*other;
}

std::string first_guess_words(const RaceLaneModel& lane) {
    const FirstGuesses& f = lane.lane->average->totals.first;
    std::string words;
    const auto say = [&](const char* before, int kept, int of) {
        if (of == 0) return;
        words += words.empty() ? "guess 1 after: " : ", ";
        words += before + (" " + ui::probability(static_cast<double>(kept) / of));
    };
    say("prompt", f.kept_at_start, f.at_start);
    say("full round", f.kept_after_full, f.after_full);
    say("refusal", f.kept_after_refusal, f.after_refusal);
    return words;
}

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
        if (lane.speed_up.figure.known() && lane.done) {
            text += ", " + lane.speed_up.words + " the speed of plain decoding";
            if (!lane.speed_up.sure()) text += " (" + lane.speed_up.note() + ")";
        }
        text += ".\n";
        if (!lane.lane->average) continue;
        const LaneAverage& a = *lane.lane->average;
        text += "  Over " + counted(a.totals.prompts, "prompt") + ": " +
                ui::per_round(a.tokens_per_round.value) + " tokens per round";
        if (a.tokens_per_round.interval)
            text += " (95 % " + ui::per_round(a.tokens_per_round.low) + " to " +
                    ui::per_round(a.tokens_per_round.high) + ")";
        if (!lane.plain() && a.speed_up.value > 0) text += ", " + average_speed(m, a);
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
