// The race in words: findings from the numbers of this race, nothing that was known before.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/equation.h"
#include "engine/drafters/drafter_info.h"
#include "scenes/race/race_draw.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/published_round.h"
#include "ui/format.h"

namespace speclens {
namespace {

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

Message wins(const RaceModel& m, const RaceLaneModel& fastest) {
    const bool alike = one_length(m, fastest);
    if (m.table) return alike ? race_says("wins.fewest_rounds"_t) : race_says("wins.most_tokens"_t);
    return alike ? race_says("wins.first"_t) : race_says("wins.fastest"_t);
}

// Rounds and tokens are the same in every repeat, so they can be told where times cannot.
Message in_doubt(const RaceModel& m) {
    const std::vector<const RaceLaneModel*> most = richest_lanes(m);
    return race_says("outcome.in_doubt"_t, "most"_v = most.size() == 1 ? most.front()->title : "");
}

Message as_fast(const RaceModel& m) {
    std::vector<Said> names;
    for (const int lane : m.level) names.push_back(race_said("words.name"_t, "name"_v = lane_at(m, lane)->title));
    const Said last = names.back();
    names.pop_back();
    return race_says("outcome.level"_t, "names"_v = names, "last"_v = last);
}

// Of many prompts; one prompt says less. Null: no drafter pays on them.
const RaceLaneModel* pays_over_prompts(const RaceModel& m) {
    const RaceLaneModel* other = best(m, [](const LaneAverage& a) { return a.speed_up.value; });
    return other && other->lane->average->speed_up.value >= 1.005 ? other : nullptr;
}
bool only_this_time(const RaceModel& m, const RaceLaneModel& fastest) { return fastest.plain() && !m.table && pays_over_prompts(m); }

// Who is fastest, and whether by tokens per round: a lead that another lane shares is not called one.
Message outcome(const RaceModel& m, const RaceLaneModel& fastest) {
    const bool alike = one_length(m, fastest);
    const std::string& name = fastest.title;
    const Message end = wins(m, fastest);
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

Message dice(const RaceModel& m) {
    const RunSettings& base = m.race->settings.base;
    if (m.greedy) return race_says("words.greedy"_t);
    const double target = base.sampling.temperature, drafts = base.drafts().temperature;
    return race_says("words.dice"_t, "temperature"_v = target, "likeliest"_v = drafts == 0,
                     "drafts"_v = drafts != target ? if_measured(drafts) : std::nullopt, "seed"_v = base.seed);
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
Message lengths_of_drafts(const RaceModel& m) {
    int least = 0, most = 0;
    for (const RaceLaneModel& lane : m.lanes) {
        if (lane.plain()) continue;
        const int k = most_in_a_row(lane);
        least = least == 0 ? k : std::min(least, k);
        most = std::max(most, k);
    }
    if (least <= 0) return {};
    return race_says("words.k"_t, "least"_v = least, "most"_v = most > least ? most : 0);
}

// ", 64 tokens", as many as were asked for where no lane has any.
Message lengths_of_texts(const RaceModel& m) {
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
Message not_lossless(const RaceModel& m) {
    const std::string& rule = m.race->settings.base.rule;
    const bool judges =
        std::ranges::any_of(m.lanes, [&](const RaceLaneModel& lane) { return !lane.plain() && lane.lane->settings.rule == rule; });
    return judges && !m.lossless ? race_says("words.lossy"_t, "rule"_v = rule) : Message();
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

// "finished after 61.0 ms": what stands behind the lane's row on the clock.
Message ends_words(const RaceModel& m, const RaceLaneModel& lane) {
    const bool finished = lane.lane->finished;
    if (m.undecided || (!finished && !m.race->ended_early)) return {};
    const bool by_rounds = m.table || m.rounds;
    return race_says("lane.end"_t, "done"_v = finished && lane.done, "to_come"_v = finished && !lane.done, "stopped"_v = !finished,
                     "rounds"_v = by_rounds ? lane.whole.rounds : 0, "ms"_v = by_rounds ? std::nullopt : std::optional(lane.total_ms));
}

Message stepped_title(const RaceModel& m) {
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
Message race_clock(const RaceModel& m) {
    const bool whole = std::abs(m.clock - std::round(m.clock)) < 1e-6;
    const auto where = [&](bool here) { return here ? std::optional(m.clock) : std::nullopt; };
    return race_says("subtitle.now"_t, "rounds"_v = where(m.rounds && whole), "part"_v = where(m.rounds && !whole),
                     "ms"_v = where(!m.rounds), "home"_v = m.just_done >= 0 && !m.over ? lane_at(m, m.just_done)->title : "",
                     "over"_v = m.over);
}

Message race_pace(const SceneInput& input) {
    if (input.race_pace <= 0) return {};
    const double slower = 1000 / input.race_pace;
    return race_says("subtitle.pace"_t, "slower"_v = slower > 1.5 ? std::optional(slower) : std::nullopt);
}

Message clock_doubt(const RaceModel& m) {
    return m.rounds ? Message() : m.doubt; // nothing is wrong with rounds
}

} // namespace

Message race_title(const RaceModel& m) {
    if (!m.race) return race_says("title.none"_t);
    if (m.stepped) return stepped_title(m);
    if (!m.measured) return m.race->ended_early ? race_says("title.stopped"_t) : race_says("title.running"_t);
    const RaceLaneModel* fastest = lane_at(m, m.fastest);
    if (!fastest) return race_says("title.nobody"_t);
    if (m.undecided) return m.rounds ? race_says("title.who_rounds"_t) : race_says("title.who_first"_t);
    if (m.lanes.size() == 1) return race_says("title.alone"_t, "lane"_v = fastest->title);
    return outcome(m, *fastest);
}

Message race_title_short(const RaceModel& m) {
    const RaceLaneModel* fastest = lane_at(m, m.fastest);
    const bool sure = m.table || (m.doubt.empty() && m.level.size() < 2);
    const bool told = !m.stepped && m.measured && fastest && m.lanes.size() > 1 && sure;
    if (m.undecided) return {};
    if (!told) return race_title(m).said.text == "outcome.in_doubt" ? race_says("outcome.in_doubt_short"_t) : Message();
    return race_says("title.short"_t, "lane"_v = fastest->title, "wins"_v = wins(m, *fastest), "once"_v = only_this_time(m, *fastest));
}

Message race_subtitle(const SceneInput& input, const RaceModel& m) {
    if (!m.race) return race_says("subtitle.none"_t);
    const Message k = lengths_of_drafts(m), thrown = dice(m), lossy = not_lossless(m);
    if (m.stepped)
        return race_says("subtitle.stepped"_t, "k"_v = k, "dice"_v = thrown, "lossy"_v = lossy, "step"_v = static_cast<int>(m.clock + 0.5),
                         "texts"_v = race_texts(m));
    const Message tokens = lengths_of_texts(m);
    if (!m.measured)
        return race_says("subtitle.running"_t, "k"_v = k, "dice"_v = thrown, "tokens"_v = tokens, "lossy"_v = lossy,
                         "lane"_v = m.race->running >= 0 && !m.waits ? lane_at(m, m.race->running)->title : "");
    return race_says("subtitle.clock"_t, "k"_v = k, "dice"_v = thrown, "tokens"_v = tokens, "lossy"_v = lossy, "now"_v = race_clock(m),
                     "doubt"_v = clock_doubt(m), "pace"_v = race_pace(input));
}

Message race_subtitle_short(const SceneInput& input, const RaceModel& m) {
    if (!m.race || m.stepped || !m.measured) return {};
    return race_says("subtitle.clock_short"_t, "lossy"_v = not_lossless(m), "now"_v = race_clock(m), "doubt"_v = clock_doubt(m),
                     "pace"_v = race_pace(input));
}

Message lane_state(const RaceModel& m, int lane) {
    if (m.race->ended_early) return race_says("lane.state:not_run"_t);
    if (m.stepped || (m.race->running == lane && !m.waits)) return race_says("lane.state:reads"_t);
    return m.race->warming == lane && !m.waits ? race_says("lane.state:warms"_t) : race_says("lane.state:waits"_t);
}

namespace {

Said cost_said(const DrafterInfo& info, const DraftCost& of) {
    if (info.cost) return info.cost(of);
    return race_said("cost.chain"_t, "first"_v = cost_said(*info.first, of), "then"_v = info.goes_on,
                     "second"_v = cost_said(*info.second, of));
}

// So far, and when it ends.
Message so_far_words(const RaceModel& m, const RaceLaneModel& lane) {
    const auto rate = "rate"_v = lane.shown.rounds ? std::optional(lane.shown.tokens_per_round()) : std::nullopt;
    if (m.stepped)
        return race_says("lane.so_far"_t, "tokens"_v = lane.tokens_shown, "rounds"_v = lane.shown.rounds, rate, "done"_v = lane.done);
    const bool compared = lane.speed_up.figure.known() && lane.done;
    return race_says("lane.run"_t, "tokens"_v = lane.tokens_shown, "of"_v = lane.tokens, rate,
                     "per_second"_v = m.table ? std::nullopt : if_measured(lane.tokens_per_second), "end"_v = ends_words(m, lane),
                     "speed"_v =
                         compared ? race_says("lane.speed"_t, "times"_v = lane_speed(lane), "note"_v = lane.speed_up.note()) : Message());
}

} // namespace

Message race_about(const RaceLaneModel& lane, bool brief) {
    const DrafterInfo* info = find_drafter(lane.drafter);
    const DraftCost of{most_in_a_row(lane), most_in_a_tree(lane), brief};
    return message(info ? cost_said(*info, of) : draft_cost<"cost.guesses">(of));
}

Message lane_speed(const RaceLaneModel& lane) {
    return race_says("words.times"_t, "doubt"_v = !lane.speed_up.sure(), "times"_v = lane.speed_up.figure.value);
}

Message lane_words(const RaceModel& m, int index) {
    const RaceLaneModel& lane = *lane_at(m, index);
    const bool runs = lane.lane->problem.empty();
    return race_says("lane.told"_t, "lane"_v = index + 1, "drafter"_v = lane.title, "about"_v = race_about(lane),
                     "chosen"_v = index == m.focus,
                     "what"_v = !runs        ? race_says("lane.cannot"_t, "why"_v = lane.lane->problem)
                                : lane.trace ? so_far_words(m, lane)
                                             : lane_state(m, index));
}

Message average_words(const RaceModel& m, const RaceLaneModel& lane) {
    const LaneAverage& a = *lane.lane->average;
    const Estimate& tokens = a.tokens_per_round;
    return race_says("lane.average"_t, "drafter"_v = lane.title, "prompts"_v = a.totals.prompts, "tokens"_v = tokens.value,
                     "interval"_v = tokens.interval, "low"_v = tokens.low, "high"_v = tokens.high,
                     "times"_v = lane.plain() ? Message() : average_speed(m, a));
}

Message race_texts(const RaceModel& m) {
    if (m.texts < 2) return {};
    if (m.stepped && m.identical) return m.greedy || m.over ? race_says("texts.identical_so_far"_t) : race_says("texts.alike_so_far"_t);
    if (!m.stepped && !m.measured) return {};
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

Message formula_words(const RaceModel& m, const RaceLaneModel& lane) {
    const RaceLaneModel* plain = lane_at(m, m.plain);
    if (lane.plain() || !plain || !plain->lane->average || !lane.lane->average) return {};
    const Totals &base = plain->lane->average->totals, &mine = lane.lane->average->totals;
    const double tokens = mine.tokens_per_pass(), pass = base.round_ms(), round = mine.round_ms();
    const int decimals = equation_decimals(tokens, pass, 0, round, std::min(pass, round) < 1 ? 3 : 2);
    return race_says("words.formula"_t, "printed_tokens"_v = ui::number(tokens, decimals), "printed_plain"_v = ui::number(pass, decimals),
                     "printed_round"_v = ui::number(round, decimals), "tokens"_v = tokens, "plain"_v = pass, "round"_v = round,
                     "predicted"_v = mine.predicted_speed_up(base), "measured"_v = average_speed(m, *lane.lane->average));
}

Message averages_words(const RaceModel& m, bool brief) {
    for (const RaceLaneModel& lane : m.lanes)
        if (lane.lane->average)
            return race_says("averages.over"_t, "brief"_v = brief, "prompts"_v = lane.lane->average->totals.prompts,
                             "stopped"_v = m.race->ended_early, "more"_v = !m.race->ended_early && m.race->prompts_done < m.race->prompts);
    return race_says("averages.one"_t);
}

Message no_averages_words(const RaceModel& m, bool brief) {
    const auto shorter = "brief"_v = brief;
    const Message needs = race_says("averages.needs"_t, shorter);
    if (!m.race) return needs;
    if (std::ranges::all_of(m.lanes, &RaceLaneModel::plain)) return race_says("averages.no_drafter"_t, shorter);
    if (m.race->prompts == 0) return needs;
    if (m.race->finished()) return race_says("averages.no_rounds"_t, shorter);
    if (m.race->ended_early) return needs;
    return m.measured ? race_says("averages.measuring"_t, shorter) : race_says("averages.later"_t, shorter);
}

Message skipped_words(const RaceModel& m) {
    if (!m.race || m.race->skipped == 0) return {};
    return race_says("words.skipped"_t, "prompts"_v = m.race->skipped, "why"_v = m.race->skipped_for);
}

Message average_speed(const RaceModel& m, const LaneAverage& average) {
    if (average.speed_up.value <= 0) return {};
    return race_says("words.times"_t, "doubt"_v = !m.average_doubt.empty(), "times"_v = average.speed_up.value);
}

Message scatter_title(const RaceModel& m) {
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

Message positions_title(const RaceModel& m) {
    if (const RaceLaneModel* lane = loses_most(m)) return race_says("positions.falls"_t, "drafter"_v = lane->title);
    if (const RaceLaneModel* lane = first_guess_lane(m)) return race_says("positions.first"_t, "drafter"_v = lane->title);
    return shared_says("charts.kept"_t);
}

Message costs_title(const RaceModel& m) {
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
    return race_says("costs.drafting"_t, "share"_v = most, "drafter"_v = found->title);
}

const RaceLaneModel* first_guess_lane(const RaceModel& m) {
    const auto chosen = static_cast<std::size_t>(m.focus);
    if (chosen < m.lanes.size() && first_guess_differs(m.lanes[chosen])) return &m.lanes[chosen];
    const auto other = std::ranges::find_if(m.lanes, first_guess_differs);
    return other == m.lanes.end() ? nullptr : &*other;
}

Message first_guess_words(const RaceLaneModel& lane) {
    const FirstDrafts& f = lane.lane->average->totals.first;
    std::vector<Said> cases;
    const auto say = [&](auto id, int kept, int of) {
        if (of > 0) cases.push_back(race_said(id, "kept"_v = static_cast<double>(kept) / of, "of"_v = of));
    };
    say("first_guess.prompt"_t, f.kept_at_start, f.at_start);
    say("first_guess.full_round"_t, f.kept_after_full, f.after_full);
    say("first_guess.refusal"_t, f.kept_after_refusal, f.after_refusal);
    if (cases.empty()) return {};
    return race_says("positions.first_guess"_t, "drafter"_v = lane.title, "cases"_v = cases);
}

} // namespace speclens
