// The race in words: findings from the numbers of this race, nothing that was known before; and the frame as text.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/equation.h"
#include "engine/drafters/drafter_info.h"
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

const RaceLaneModel* lane_at(const RaceModel& m, int index) { return index < 0 ? nullptr : &m.lanes[static_cast<std::size_t>(index)]; }

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
    return std::ranges::all_of(m.lanes, [&](const RaceLaneModel& lane) { return !lane.trace || lane.tokens == fastest.tokens; });
}

std::string wins(const RaceModel& m, const RaceLaneModel& fastest) {
    const bool alike = one_length(m, fastest);
    if (m.table) return alike ? race_says("wins.fewest_rounds"_t) : race_says("wins.most_tokens"_t);
    return alike ? race_says("wins.first"_t) : race_says("wins.fastest"_t);
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
    return race_says("outcome.in_doubt"_t, "most"_v = most && alone ? most->title : "");
}

std::string as_fast(const RaceModel& m) {
    std::string names;
    for (std::size_t i = 0; i < m.level.size(); ++i)
        names += (i == 0                    ? ""
                  : i + 1 == m.level.size() ? shared_says("words.and"_t)
                                            : ", ") +
                 m.lanes[static_cast<std::size_t>(m.level[i])].title;
    return race_says("outcome.level"_t, "names"_v = names);
}

// Of many prompts; one prompt says less. Null: no drafter pays on them.
const RaceLaneModel* pays_over_prompts(const RaceModel& m) {
    const RaceLaneModel* other = best(m, [](const LaneAverage& a) { return a.speed_up.value; });
    return other && other->lane->average->speed_up.value >= 1.005 ? other : nullptr;
}
bool only_this_time(const RaceModel& m, const RaceLaneModel& fastest) { return fastest.plain() && !m.table && pays_over_prompts(m); }

// Who is fastest, and whether by tokens per round: a lead that another lane shares is not called one.
std::string outcome(const RaceModel& m, const RaceLaneModel& fastest) {
    const bool alike = one_length(m, fastest);
    const std::string &name = fastest.title, end = wins(m, fastest);
    if (m.table && fastest.plain()) return race_says("outcome.no_round_saved"_t);
    if (!m.table && !m.doubt.empty()) return in_doubt(m);
    if (!m.table && m.level.size() > 1) return as_fast(m);
    if (only_this_time(m, fastest)) {
        const RaceLaneModel* other = pays_over_prompts(m);
        const LaneAverage& a = *other->lane->average;
        return race_says("outcome.plain_this_time"_t, "wins"_v = end, "prompts"_v = a.totals.prompts, "drafter"_v = other->title,
                         "times"_v = average_speed(m, a));
    }
    if (fastest.plain()) return race_says("outcome.plain"_t, "wins"_v = end);
    const double own = fastest.whole.tokens_per_round();
    const RaceLaneModel *ahead = nullptr, *level = nullptr;
    for (const RaceLaneModel& lane : m.lanes) {
        if (!lane.trace || lane.plain() || &lane == &fastest) continue;
        const double rate = lane.whole.tokens_per_round();
        if (std::abs(rate - own) < 1e-9) level = &lane;
        if (rate > own + 1e-9 && (!ahead || rate > ahead->whole.tokens_per_round())) ahead = &lane;
    }
    if (m.table && level) return race_says("outcome.table_level"_t, "drafter"_v = name, "other"_v = level->title, "alike"_v = alike);
    if (m.table) return race_says("outcome.table"_t, "drafter"_v = name, "wins"_v = end);
    if (ahead) return race_says("outcome.richer"_t, "other"_v = ahead->title, "alike"_v = alike, "drafter"_v = name, "wins"_v = end);
    if (level) return race_says("outcome.shared"_t, "drafter"_v = name, "wins"_v = end, "alike"_v = alike, "other"_v = level->title);
    return race_says("outcome.best"_t, "drafter"_v = name, "alike"_v = alike, "wins"_v = end);
}

std::string dice(const RaceModel& m) {
    const RunSettings& base = m.race->settings.base;
    if (m.greedy) return race_says("words.greedy"_t);
    return race_says("words.dice"_t, "temperature"_v = temperature_words(base.sampling.temperature),
                     "drafts"_v = draft_words(base.sampling.temperature, base.drafts().temperature), "seed"_v = base.seed);
}

// Guesses of a lane in a row, and in a tree: what its run makes of what was asked for, as soon as there is
// one.
int most_in_a_row(const RaceLaneModel& lane) {
    const Header* header = lane.trace ? lane.trace->header() : nullptr;
    return header && header->drafter == lane.drafter ? header->k : lane.lane->settings.k;
}
int most_in_a_tree(const RaceLaneModel& lane) {
    std::size_t most = 0;
    for (const RoundSummary& round : lane.whole.round_list) most = std::max(most, round.drafts.size());
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
    return race_says("words.k"_t, "least"_v = least, "most"_v = most > least ? most : 0);
}

// ", 64 tokens", as many as were asked for where no lane has any.
std::string lengths_of_texts(const RaceModel& m) {
    int least = std::numeric_limits<int>::max(), most = 0;
    for (const RaceLaneModel& lane : m.lanes) {
        if (!lane.trace || !lane.lane->problem.empty()) continue;
        least = std::min(least, lane.tokens);
        most = std::max(most, lane.tokens);
    }
    const int tokens = most == 0 ? m.race->settings.base.max_tokens : most;
    return race_says("words.tokens"_t, "tokens"_v = tokens, "up_to"_v = most > 0 && least < most);
}

// A rule that gives something away judges a lane.
std::string not_lossless(const RaceModel& m) {
    const std::string& rule = m.race->settings.base.rule;
    const bool judges =
        std::ranges::any_of(m.lanes, [&](const RaceLaneModel& lane) { return !lane.plain() && lane.lane->settings.rule == rule; });
    return judges && !m.lossless ? race_says("words.lossy"_t, "rule"_v = rule) : "";
}

// Whether the interval of `ahead` is above that of every other drafter. `estimate` is a member of
// LaneAverage.
bool beyond_chance(const RaceModel& m, const RaceLaneModel& ahead, Estimate LaneAverage::*estimate) {
    const double low = ((*ahead.lane->average).*estimate).low;
    return std::ranges::all_of(m.lanes, [&](const RaceLaneModel& lane) {
        return &lane == &ahead || lane.plain() || !lane.lane->average || ((*lane.lane->average).*estimate).high < low;
    });
}

// Whether the first guess is harder than the second beyond doubt, and what is before it makes a difference.
bool first_guess_differs(const RaceLaneModel& lane) {
    if (lane.plain() || !lane.lane->average) return false;
    const Totals& t = lane.lane->average->totals;
    if (t.judged_at.size() < 2 || t.judged_at[1] < kEnoughRounds) return false;
    if (wilson(t.accepted_at[0], t.judged_at[0]).high >= wilson(t.accepted_at[1], t.judged_at[1]).low) return false;
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
    if (m.undecided) return "";
    const std::string after =
        " after " + (m.table || m.rounds ? counted(lane.whole.rounds, "round") : ui::milliseconds(lane.total_ms) + " ms");
    if (!lane.lane->finished) return m.race->ended_early ? ", stopped" + after : "";
    return (lane.done ? ", finished" : ", will finish") + after;
}

} // namespace

const Header* race_header(const RaceModel& m) {
    for (const RaceLaneModel& lane : m.lanes)
        if (lane.trace) return lane.trace->header();
    return nullptr;
}

namespace {

std::string stepped_title(const RaceModel& m) {
    if (m.over) return race_says("title.all_finished"_t);
    const RaceLaneModel* ahead = nullptr;
    bool tied = false;
    for (const RaceLaneModel& lane : m.lanes) {
        if (!lane.trace) continue;
        if (ahead && lane.tokens_shown == ahead->tokens_shown) tied = true;
        if (ahead && lane.tokens_shown <= ahead->tokens_shown) continue;
        tied = false;
        ahead = &lane;
    }
    if (!ahead || ahead->tokens_shown == 0) return race_says("title.at_start"_t);
    if (tied || m.lanes.size() == 1) return race_says("title.together"_t);
    return race_says("title.ahead"_t, "lane"_v = ahead->title, "tokens"_v = ahead->tokens_shown);
}

// Where its hand is.
std::string race_clock(const RaceModel& m) {
    const bool whole = std::abs(m.clock - std::round(m.clock)) < 1e-6;
    return race_says("subtitle.now"_t, "rounds"_v = m.rounds ? ui::number(m.clock, whole ? 0 : 1) : "",
                     "ms"_v = m.rounds ? "" : ui::milliseconds(m.clock),
                     "home"_v = m.just_done >= 0 && !m.over ? m.lanes[static_cast<std::size_t>(m.just_done)].title : "", "over"_v = m.over);
}

std::string race_pace(const SceneInput& input) {
    const double slower = input.race_pace > 0 ? 1000 / input.race_pace : 0;
    return race_says("subtitle.pace"_t, "slower"_v = slower > 1.5 ? ui::number(slower, 0) : "",
                     "real_time"_v = slower > 0 && slower <= 1.5);
}

std::string clock_doubt(const RaceModel& m) {
    return m.rounds ? "" : m.doubt; // nothing is wrong with rounds
}

} // namespace

std::string race_title(const RaceModel& m) {
    if (!m.race) return race_says("title.none"_t);
    if (m.stepped) return stepped_title(m);
    if (!m.measured) return m.race->ended_early ? race_says("title.stopped"_t) : race_says("title.running"_t);
    const RaceLaneModel* fastest = lane_at(m, m.fastest);
    if (!fastest) return race_says("title.nobody"_t);
    if (m.undecided) return m.rounds ? race_says("title.who_rounds"_t) : race_says("title.who_first"_t);
    if (m.lanes.size() == 1) return race_says("title.alone"_t, "lane"_v = fastest->title);
    return outcome(m, *fastest);
}

std::string race_title_short(const RaceModel& m) {
    const RaceLaneModel* fastest = lane_at(m, m.fastest);
    const bool sure = m.table || (m.doubt.empty() && m.level.size() < 2);
    const bool told = !m.stepped && m.measured && fastest && m.lanes.size() > 1 && sure;
    if (const std::string whole = race_title(m); !told && whole.find("; ") != std::string::npos)
        return capital(whole.substr(whole.find("; ") + 2)); // "Who is fastest is in doubt"
    if (!told || m.undecided) return "";
    return race_says("title.short"_t, "lane"_v = fastest->title, "wins"_v = wins(m, *fastest), "once"_v = only_this_time(m, *fastest));
}

std::string race_subtitle(const SceneInput& input, const RaceModel& m) {
    if (!m.race) return race_says("subtitle.none"_t);
    const std::string k = lengths_of_drafts(m), thrown = dice(m), lossy = not_lossless(m);
    if (m.stepped)
        return race_says("subtitle.stepped"_t, "k"_v = k, "dice"_v = thrown, "lossy"_v = lossy, "step"_v = static_cast<int>(m.clock + 0.5),
                         "texts"_v = race_texts(m));
    const std::string tokens = lengths_of_texts(m);
    if (!m.measured)
        return race_says("subtitle.running"_t, "k"_v = k, "dice"_v = thrown, "tokens"_v = tokens, "lossy"_v = lossy,
                         "lane"_v = m.race->running >= 0 && !m.waits ? m.lanes[static_cast<std::size_t>(m.race->running)].title : "");
    return race_says("subtitle.clock"_t, "k"_v = k, "dice"_v = thrown, "tokens"_v = tokens, "lossy"_v = lossy, "now"_v = race_clock(m),
                     "doubt"_v = clock_doubt(m), "pace"_v = race_pace(input));
}

std::string race_subtitle_short(const SceneInput& input, const RaceModel& m) {
    if (!m.race || m.stepped || !m.measured) return "";
    return race_says("subtitle.clock_short"_t, "lossy"_v = not_lossless(m), "now"_v = race_clock(m), "doubt"_v = clock_doubt(m),
                     "pace"_v = race_pace(input));
}

namespace {

// `words` of a descriptor (DrafterInfo::cost) with this lane's numbers.
std::string filled(std::string words, const RaceLaneModel& lane, const std::string& tree) {
    const int most = most_in_a_row(lane);
    const std::pair<std::string_view, std::string> named[] = {
        {"{guesses}", counted(most, "guess")},
        {"{tokens}", counted(most, "token")},
        {"{passes}", std::to_string(most) + (most == 1 ? " draft pass" : " draft passes")},
        {"{heads}", counted(most, "head")},
        {"{tree}", tree},
        {"{k}", std::to_string(most)}};
    for (const auto& [name, value] : named)
        if (const std::size_t at = words.find(name); at != std::string::npos) words.replace(at, name.size(), value);
    return words;
}

} // namespace

const char* lane_state(const RaceModel& m, int lane) {
    if (m.race->ended_early) return "has not run";
    if (m.stepped || (m.race->running == lane && !m.waits)) return "reads the prompt";
    return m.race->warming == lane && !m.waits ? "warms up" : "waits for its turn";
}

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
    if (m.stepped && m.identical) return m.greedy || m.over ? race_says("texts.identical_so_far"_t) : race_says("texts.alike_so_far"_t);
    if (!m.stepped && !m.measured) return "";
    if (m.identical) return race_says("texts.identical"_t);
    if (m.greedy && m.lossless) return race_says("texts.differ"_t, "tokens"_v = m.same_tokens);
    if (m.stepped) return race_says("texts.part_stepped"_t, "tokens"_v = m.same_tokens);
    return race_says("texts.part"_t, "tokens"_v = m.same_tokens, "lossless"_v = m.lossless);
}

PublishedRace published_beside(const SceneInput& input, const RaceModel& m) {
    PublishedRace paper = published_race(input.figures);
    const auto raced = [&](const RaceLaneModel& lane) { return paper.of(network_of(lane.drafter)) != nullptr; };
    if (m.race && std::ranges::none_of(m.lanes, raced)) paper.points.clear();
    return paper;
}

std::string formula_words(const RaceModel& m, const RaceLaneModel& lane) {
    const RaceLaneModel* plain = lane_at(m, m.plain);
    if (lane.plain() || !plain || !plain->lane->average || !lane.lane->average) return "";
    const Totals &base = plain->lane->average->totals, &mine = lane.lane->average->totals;
    const double tokens = mine.tokens_per_pass(), pass = base.round_ms(), round = mine.round_ms();
    const int decimals = equation_decimals(tokens, pass, 0, round, std::min(pass, round) < 1 ? 3 : 2);
    return race_says("words.formula"_t, "tokens"_v = ui::number(tokens, decimals), "plain"_v = ui::number(pass, decimals),
                     "round"_v = ui::number(round, decimals), "times"_v = ui::speed_up(mine.predicted_speed_up(base)),
                     "measured"_v = average_speed(m, *lane.lane->average));
}

std::string averages_words(const RaceModel& m) {
    for (const RaceLaneModel& lane : m.lanes)
        if (lane.lane->average)
            return race_says("averages.over"_t, "prompts"_v = lane.lane->average->totals.prompts, "stopped"_v = m.race->ended_early,
                             "more"_v = !m.race->ended_early && m.race->prompts_done < m.race->prompts);
    return race_says("averages.one"_t);
}

std::string no_averages_words(const RaceModel& m) {
    if (!m.race) return race_says("averages.needs"_t);
    if (std::ranges::all_of(m.lanes, &RaceLaneModel::plain)) return race_says("averages.no_drafter"_t);
    if (m.race->prompts == 0) return race_says("averages.needs"_t);
    if (m.race->finished()) return race_says("averages.no_rounds"_t);
    if (m.race->ended_early) return race_says("averages.needs"_t);
    return m.measured ? race_says("averages.measuring"_t) : race_says("averages.later"_t);
}

std::string skipped_words(const RaceModel& m) {
    if (!m.race || m.race->skipped == 0) return "";
    return race_says("words.skipped"_t, "prompts"_v = m.race->skipped, "why"_v = m.race->skipped_for);
}

std::string average_speed(const RaceModel& m, const LaneAverage& average) {
    if (average.speed_up.value <= 0) return "";
    return (m.average_doubt.empty() ? "" : "~") + ui::speed_up(average.speed_up.value);
}

std::string scatter_title(const RaceModel& m) {
    const RaceLaneModel* quick = best(m, [](const LaneAverage& a) { return a.speed_up.value; });
    const RaceLaneModel* rich = best(m, [](const LaneAverage& a) { return a.tokens_per_round.value; });
    if (!quick || !rich || m.plain < 0) return race_says("scatter.any"_t);
    if (!m.average_doubt.empty())
        return race_says("scatter.in_doubt"_t, "most"_v = beyond_chance(m, *rich, &LaneAverage::tokens_per_round) ? rich->title : "");
    if (quick->lane->average->speed_up.value < 1) return race_says("scatter.nothing_pays"_t);
    const bool most = beyond_chance(m, *rich, &LaneAverage::tokens_per_round), fastest = beyond_chance(m, *quick, &LaneAverage::speed_up);
    if (!most && !fastest) return race_says("scatter.close"_t);
    if (!most) return race_says("scatter.fastest"_t, "drafter"_v = quick->title);
    if (!fastest) return race_says("scatter.most"_t, "drafter"_v = rich->title);
    if (quick == rich) return race_says("scatter.both"_t, "drafter"_v = quick->title);
    return race_says("scatter.apart"_t, "most"_v = rich->title, "fastest"_v = quick->title);
}

namespace {

// How much a drafter keeps less at a later place than at its first, each once all before were kept.
struct Fall {
    const RaceLaneModel* lane = nullptr;
    double value = 0, variance = 0; // of independent rounds
};

Fall fall_of(const RaceLaneModel& lane, std::size_t place) {
    const Totals& t = lane.lane->average->totals;
    Fall fall{&lane, t.conditional[0] - t.conditional[place], 0};
    for (const std::size_t at : {std::size_t{0}, place}) {
        const double rounds = t.judged_at[at], kept = (t.conditional[at] * rounds + 1) / (rounds + 2); // of none or all, not certain either
        fall.variance += kept * (1 - kept) / rounds;
    }
    return fall;
}

// Who loses most from the first place to the last one that all have enough rounds at: more than everybody else, by more than 19 of 20 such
// differences would be by chance. Null: nobody, or it cannot be told.
const RaceLaneModel* loses_most(const RaceModel& m) {
    std::vector<const RaceLaneModel*> lanes;
    std::size_t place = std::numeric_limits<std::size_t>::max();
    for (const RaceLaneModel& lane : m.lanes) {
        if (lane.plain() || !lane.lane->average) continue;
        const std::vector<int>& judged = lane.lane->average->totals.judged_at;
        const auto enough =
            static_cast<std::size_t>(std::ranges::find_if(judged, [](int rounds) { return rounds < kEnoughRounds; }) - judged.begin());
        if (enough < 2) continue;
        lanes.push_back(&lane);
        place = std::min(place, enough - 1);
    }
    if (lanes.size() < 2) return nullptr;
    std::vector<Fall> falls;
    for (const RaceLaneModel* lane : lanes) falls.push_back(fall_of(*lane, place));
    std::ranges::sort(falls, std::ranges::greater(), &Fall::value);
    const Fall& most = falls.front();
    const auto sure = [](double difference, double variance) { return difference > 1.96 * std::sqrt(variance); };
    const bool falls_at_all = sure(most.value, most.variance);
    const bool ahead = std::ranges::all_of(
        falls.begin() + 1, falls.end(), [&](const Fall& other) { return sure(most.value - other.value, most.variance + other.variance); });
    return falls_at_all && ahead ? most.lane : nullptr;
}

} // namespace

std::string positions_title(const RaceModel& m) {
    if (const RaceLaneModel* lane = loses_most(m)) return race_says("positions.falls"_t, "drafter"_v = lane->title);
    if (const RaceLaneModel* lane = first_guess_lane(m)) return race_says("positions.first"_t, "drafter"_v = lane->title);
    return race_says("positions.any"_t);
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
    if (!found) return race_says("costs.any"_t);
    return race_says("costs.drafting"_t, "share"_v = ui::percent(most), "drafter"_v = found->title);
}

const RaceLaneModel* first_guess_lane(const RaceModel& m) {
    const auto chosen = static_cast<std::size_t>(m.focus);
    if (chosen < m.lanes.size() && first_guess_differs(m.lanes[chosen])) return &m.lanes[chosen];
    const auto other = std::ranges::find_if(m.lanes, first_guess_differs);
    return other == m.lanes.end() ? nullptr : &*other;
}

std::string first_guess_words(const RaceLaneModel& lane) {
    const FirstDrafts& f = lane.lane->average->totals.first;
    std::string words;
    const auto say = [&](const std::string& before, int kept, int of) {
        if (of == 0) return;
        words +=
            (words.empty() ? race_says("first_guess.begin"_t) : ", ") + before + (" " + ui::probability(static_cast<double>(kept) / of));
    };
    say(race_says("first_guess.prompt"_t), f.kept_at_start, f.at_start);
    say(race_says("first_guess.full_round"_t), f.kept_after_full, f.after_full);
    say(race_says("first_guess.refusal"_t), f.kept_after_refusal, f.after_refusal);
    return words;
}

std::string race_description(const SceneInput& input, const RaceModel& m) {
    std::string text = "Race. " + race_title(m) + (race_title(m).ends_with("?") ? " " : ". ") + race_subtitle(input, m) + ".\n";
    if (!m.race) return text;
    if (const Header* header = race_header(m); header && m.tier == ui::Tier::recorded)
        text += "Recorded " + header->date + " on " + header->machine + ".\n";
    if (!m.table) text += "Prompt: " + m.race->settings.base.prompt.text + "\n";
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
            text += lane_state(m, static_cast<int>(i)) + std::string(".\n");
            continue;
        }
        if (m.stepped) {
            text += counted(lane.tokens_shown, "token") + " so far in " + counted(lane.shown.rounds, "round") +
                    (lane.shown.rounds ? ", " + ui::per_round(lane.shown.tokens_per_round()) + " per round" : std::string()) +
                    (lane.done ? "; finished, it waits.\n" : ".\n");
            continue;
        }
        text += std::to_string(lane.tokens_shown) + " of " + counted(lane.tokens, "token") + " so far" +
                (lane.shown.rounds ? "; " + ui::per_round(lane.shown.tokens_per_round()) + " tokens per round" : std::string()) +
                ends_words(m, lane);
        if (lane.speed_up.figure.known() && lane.done) {
            text += ", " + lane.speed_up.words + " the speed of plain decoding";
            if (!lane.speed_up.sure()) text += " (" + lane.speed_up.note() + ")";
        }
        text += ".\n";
        if (!lane.lane->average) continue;
        const LaneAverage& a = *lane.lane->average;
        text += "  Over " + counted(a.totals.prompts, "prompt") + ": " + ui::per_round(a.tokens_per_round.value) + " tokens per round";
        if (a.tokens_per_round.interval)
            text += " (95 % " + ui::per_round(a.tokens_per_round.low) + " to " + ui::per_round(a.tokens_per_round.high) + ")";
        if (!lane.plain() && a.speed_up.value > 0) text += ", " + average_speed(m, a);
        text += "; a round takes " + ui::number(a.totals.round_ms(), 2) + " ms: draft " +
                ui::number(a.totals.draft_ms - a.totals.head_ms, 2) + ", " + head_word(lane.drafter) + " " +
                ui::number(a.totals.head_ms, 2) + ", verify " + ui::number(a.totals.verify_ms, 2) + ", verdicts " +
                ui::number(a.totals.accept_ms, 2) + ", rest " + ui::number(a.totals.other_ms - a.totals.accept_ms, 2) + ".\n";
        if (const std::string formula = formula_words(m, lane); !formula.empty()) text += "  Speed-up by the formula: " + formula + ".\n";
        if (!a.totals.conditional.empty()) {
            text += "  Kept at position 1, 2, … once all before it were:";
            for (std::size_t k = 0; k < a.totals.conditional.size(); ++k)
                text += " " + ui::probability(a.totals.conditional[k]) + " of " + std::to_string(a.totals.judged_at[k]);
            text += ".\n";
            if (const std::string first = first_guess_words(lane); !first.empty()) text += "  " + capital(first) + ".\n";
        }
    }
    if (const std::string skipped = skipped_words(m); !skipped.empty()) text += skipped + ".\n";
    if (const std::string sum = race_conclusion(m); !sum.empty()) text += "In one sentence: " + sum + "\n";
    if (!m.stepped)
        text += "Pictures, " + averages_words(m) + ": " + scatter_title(m) + "; " + positions_title(m) + "; " + costs_title(m) + ".\n";
    const PublishedRace paper = published_beside(input, m);
    for (const PublishedPoint& p : paper.points)
        text += "Published, " + paper.conditions + ": " + method_title(p.method) + " " + ui::number(p.tokens, 2) +
                " tokens per round, draft " + ui::number(p.draft + p.head, 1) + (p.derived ? " ms (derived)" : " ms") + ", verify " +
                ui::number(p.verify, 1) + " ms, " + ui::speed_up(p.speed_up) + ".\n";
    if (!paper.points.empty()) text += "Source: " + paper.source + ".\n";
    return text;
}

} // namespace speclens
