#include "scenes/race/race_model.h"

#include <algorithm>
#include <cmath>

#include "engine/rules/verify.h"
#include "engine/run/run_clock.h"
#include "scenes/shared/methods.h"
#include "scenes/shared/words.h"

namespace speclens {
namespace {

constexpr double kSame = 1e-6; // ms

RunClock::Unit unit_of(bool rounds) { return rounds ? RunClock::Unit::rounds : RunClock::Unit::ms; }

// Events of rounds and phases that are over at `ms`.
std::size_t events_at(const Trace& trace, const RunView& whole, const RunClock& clock, double ms) {
    if (ms + kSame >= clock.total()) return trace.size();
    std::size_t cursor = whole.round_list.empty() ? trace.size() : whole.round_list.front().first_event;
    for (const RoundSummary& round : whole.round_list) {
        if (clock.span(round).start > ms + kSame) break;
        cursor = round.first_event;
        while (cursor < round.end_event && clock.at(cursor + 1) <= ms + kSame) ++cursor;
    }
    return cursor;
}

RaceLaneModel named_lane(const RaceLane& lane) {
    RaceLaneModel m;
    m.lane = &lane;
    m.drafter = lane.settings.drafter;
    m.title = method_title(m.drafter);
    m.mark = method_mark(m.drafter);
    m.trace = lane.trace.get();
    return m;
}

RaceLaneModel stepped_lane(const RaceView& race, std::size_t index, double clock) {
    RaceLaneModel m = named_lane(race.lanes[index]);
    if (!m.trace || race.steps.empty()) {
        m.trace = nullptr;
        return m;
    }
    const std::size_t last = race.steps.size() - 1;
    const auto at = std::min(last, static_cast<std::size_t>(std::max(0.0, clock) + 0.5));
    m.whole = fold(*m.trace, race.steps[last][index]);
    m.shown = fold(*m.trace, race.steps[at][index]);
    m.tokens = m.whole.output_tokens;
    m.tokens_shown = m.shown.output_tokens;
    m.done = m.shown.stopped != nullptr;
    for (m.end = static_cast<double>(last); m.end > 0; --m.end)
        if (race.steps[static_cast<std::size_t>(m.end) - 1][index] != race.steps[last][index]) break;
    return m;
}

RaceLaneModel lane_model(const RaceLane& lane, double ms, bool rounds) {
    RaceLaneModel m = named_lane(lane);
    if (!m.trace) return m;
    const std::size_t size = m.trace->size();
    m.whole = fold(*m.trace, size);
    const RunClock clock(*m.trace, m.whole, unit_of(rounds));
    m.end = clock.total();
    m.total_ms = m.whole.total_ms;
    const std::size_t cursor = events_at(*m.trace, m.whole, clock, ms);
    m.shown = fold(*m.trace, cursor);
    m.tokens = m.whole.output_tokens;
    m.tokens_shown = m.shown.output_tokens;
    m.done = lane.finished && cursor == size;
    const double spent = rounds ? m.shown.total_ms : std::min(ms, m.total_ms);
    if (spent > 0) m.tokens_per_second = 1000 * m.tokens_shown / spent;
    return m;
}

std::vector<int> output_of(const RunView& view) {
    std::vector<int> ids;
    for (std::size_t i = static_cast<std::size_t>(view.prompt_tokens); i < view.tokens.size(); ++i) ids.push_back(view.tokens[i].id);
    return ids;
}

// Whole texts must be equal; texts on their way must begin alike.
void compare_texts(RaceModel& m, const std::vector<std::vector<int>>& texts) {
    m.texts = static_cast<int>(texts.size());
    m.identical = texts.size() > 1;
    if (texts.empty()) return;
    const std::vector<int>& longest = *std::ranges::max_element(texts, {}, &std::vector<int>::size);
    std::size_t shared = longest.size();
    for (const std::vector<int>& text : texts) {
        const auto same = static_cast<std::size_t>(std::ranges::mismatch(text, longest).in1 - text.begin());
        m.identical = m.identical && same == text.size() && (m.stepped || text.size() == longest.size());
        shared = std::min(shared, same);
    }
    m.same_tokens = static_cast<int>(shared);
}

} // namespace

const Header* race_header(const RaceView& race) {
    for (const RaceLane& lane : race.lanes)
        if (lane.trace && lane.trace->header()) return lane.trace->header();
    return nullptr;
}

bool race_of_table(const RaceView& race) {
    return std::ranges::any_of(race.lanes, [](const RaceLane& lane) {
        const Header* header = lane.trace ? lane.trace->header() : nullptr;
        return header && header->tier == "TABLE";
    });
}

namespace {

// Each lane against plain decoding of the same race; what its repeats leave open; and who cannot be told apart.
void compare_speeds(RaceModel& m) {
    const RaceLaneModel& plain = m.lanes[static_cast<std::size_t>(m.plain)];
    for (RaceLaneModel& l : m.lanes) {
        if (!l.trace || l.tokens == 0 || l.total_ms <= 0 || plain.tokens == 0 || !l.lane->finished || !plain.lane->finished) continue;
        TraceTimes times;
        if (const std::shared_ptr<const TraceTimes> known = l.trace->times()) times = *known;
        times.plain_ms = plain.total_ms / plain.tokens;
        if (&l == &plain) times = {.events = {}, .plain_ms = times.plain_ms}; // against itself
        l.speed_up = reported_speed(speed_up(l.whole, times), *l.trace);
        if (m.doubt.empty()) m.doubt = l.speed_up.doubt;
    }
    double spread = 0;
    for (const RaceLaneModel& l : m.lanes)
        if (l.lane->average && &l != &plain) spread = std::max(spread, l.lane->average->totals.spread);
    if (plain.lane->average) m.average_doubt = times_doubt(m.race->busy_cores, spread, plain.lane->average->totals.spread);
    if (m.fastest < 0) return;
    const SpeedUp& first = m.lanes[static_cast<std::size_t>(m.fastest)].speed_up.figure;
    for (std::size_t i = 0; i < m.lanes.size(); ++i)
        if (static_cast<int>(i) == m.fastest || (m.lanes[i].speed_up.figure.known() && m.lanes[i].speed_up.figure.high > first.low))
            m.level.push_back(static_cast<int>(i));
}

} // namespace

RaceModel race_model(const SceneInput& input) {
    RaceModel m;
    m.race = input.race;
    if (!m.race) return m;
    m.clock = input.race_ms;
    if (const Work work = input.status ? input.status->work : Work{}; work.total > 0)
        m.waits = work.of != Work::Of::lanes && work.of != Work::Of::prompts;
    m.stepped = m.race->settings.stepped;
    m.rounds = input.race_rounds && !m.stepped;
    m.table = race_of_table(*m.race);
    m.focus = std::clamp(input.race_lane, 0, std::max(0, static_cast<int>(m.race->lanes.size()) - 1));
    m.measured = m.race->lanes_finished();
    m.greedy = m.race->settings.base.sampling.temperature == 0;
    if (const RuleInfo* rule = find_rule(m.race->settings.base.rule))
        m.lossless = keeps_target(*rule, m.race->settings.base.rule_params, m.race->settings.base.sampling);
    m.over = m.measured;
    bool any = false;
    std::vector<std::vector<int>> texts;
    for (const RaceLane& lane : m.race->lanes) {
        m.lanes.push_back(m.stepped ? stepped_lane(*m.race, m.lanes.size(), m.clock) : lane_model(lane, m.clock, m.rounds));
        RaceLaneModel& l = m.lanes.back();
        const int at = static_cast<int>(m.lanes.size()) - 1;
        if (!l.trace) continue;
        if (!any) m.tier = tier_of(l.trace->header());
        any = true;
        m.longest = std::max(m.longest, l.end);
        m.over = m.over && l.done;
        if (l.plain()) m.plain = at;
        if (lane.problem.empty()) texts.push_back(output_of(m.stepped ? l.shown : l.whole));
        if (!lane.finished || m.stepped) continue;
        if (std::abs(l.end - m.clock) < kSame) m.just_done = at;
        const auto speed = [&](const RaceLaneModel& x) {
            return m.table ? x.whole.tokens_per_round() : x.tokens / std::max(1e-9, x.total_ms);
        };
        if (l.tokens > 0 && (m.fastest < 0 || speed(l) > speed(m.lanes[static_cast<std::size_t>(m.fastest)]))) m.fastest = at;
    }
    m.over = m.over && any;
    m.undecided = m.measured && !m.stepped && m.fastest >= 0 &&
                  std::ranges::none_of(m.lanes, [&](const RaceLaneModel& l) { return l.trace && l.end <= m.clock + kSame; });
    if (m.plain >= 0 && !m.table) compare_speeds(m);
    if (m.stepped) m.longest = static_cast<double>(m.race->steps.empty() ? 0 : m.race->steps.size() - 1);
    compare_texts(m, texts);
    return m;
}

std::vector<const RaceLaneModel*> richest_lanes(const RaceModel& m) {
    std::vector<const RaceLaneModel*> most;
    for (const RaceLaneModel& lane : m.lanes) {
        if (!lane.trace || lane.plain()) continue;
        const double more = most.empty() ? 0 : lane.whole.tokens_per_round() - most.front()->whole.tokens_per_round();
        if (more > 1e-9) most.clear();
        if (more > -1e-9) most.push_back(&lane);
    }
    return most;
}

namespace {

// Rounds that a lane of a stepped race had ended at a step.
int rounds_at(const RaceView& race, std::size_t lane, std::size_t step) {
    const Trace* trace = race.lanes[lane].trace.get();
    int rounds = 0;
    for (std::size_t i = 0; trace && i < race.steps[step][lane]; ++i) rounds += std::holds_alternative<Committed>((*trace)[i]);
    return rounds;
}

} // namespace

double next_round(const RaceView& race, double step) {
    const auto from = static_cast<std::size_t>(step + 0.5);
    const std::size_t last = race.steps.empty() ? 0 : race.steps.size() - 1;
    for (std::size_t at = from + 1; at < last; ++at) {
        bool all = true;
        for (std::size_t lane = 0; lane < race.lanes.size(); ++lane)
            all = all && (rounds_at(race, lane, at) > rounds_at(race, lane, from) || race.steps[at][lane] == race.steps[last][lane]);
        if (all) return static_cast<double>(at);
    }
    return static_cast<double>(last);
}

double previous_round(const RaceView& race, double step) {
    const auto from = static_cast<std::size_t>(step + 0.5);
    for (std::size_t at = from; at-- > 0;) {
        bool all = true;
        for (std::size_t lane = 0; lane < race.lanes.size(); ++lane)
            all = all && (rounds_at(race, lane, at) < rounds_at(race, lane, from) || race.steps[at][lane] == race.steps[from][lane]);
        if (all) return static_cast<double>(at);
    }
    return 0;
}

std::vector<double> race_stops(const RaceView& race, int only, bool rounds) {
    std::vector<double> stops{0};
    if (race.settings.stepped) {
        for (std::size_t i = 1; i < race.steps.size(); ++i) stops.push_back(static_cast<double>(i));
        return stops;
    }
    for (std::size_t i = 0; i < race.lanes.size(); ++i) {
        if (only >= 0 && static_cast<int>(i) != only) continue;
        const Trace* trace = race.lanes[i].trace.get();
        if (!trace) continue;
        const RunView whole = fold(*trace, trace->size());
        const RunClock clock(*trace, whole, unit_of(rounds));
        for (const RoundSummary& round : whole.round_list) stops.push_back(clock.span(round).end());
    }
    std::ranges::sort(stops);
    const auto same = std::ranges::unique(stops, [](double a, double b) { return b - a < kSame; });
    stops.erase(same.begin(), same.end());
    return stops;
}

double race_end(const RaceView& race, bool rounds) {
    if (race.settings.stepped) return race.steps.empty() ? 0 : static_cast<double>(race.steps.size() - 1);
    double end = 0;
    for (const RaceLane& lane : race.lanes) {
        if (!lane.trace) continue;
        const RunView whole = fold(*lane.trace, lane.trace->size());
        end = std::max(end, RunClock(*lane.trace, whole, unit_of(rounds)).total());
    }
    return end;
}

double race_rest(const RaceView& race, bool rounds) {
    if (!race.lanes_finished()) return race_end(race, rounds);
    double first = -1;
    if (race.settings.stepped) {
        const double end = race_end(race);
        for (std::size_t i = 0; i < race.lanes.size(); ++i)
            if (race.lanes[i].trace) first = std::min(first < 0 ? end : first, stepped_lane(race, i, end).end);
        return std::max(0.0, first);
    }
    for (const RaceLane& lane : race.lanes) {
        if (!lane.trace) continue;
        const RunView whole = fold(*lane.trace, lane.trace->size());
        const double total = RunClock(*lane.trace, whole, unit_of(rounds)).total();
        if (whole.output_tokens > 0 && (first < 0 || total < first)) first = total;
    }
    return std::max(0.0, first);
}

} // namespace speclens
