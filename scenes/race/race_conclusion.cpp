// What a race comes to once the first lane is home and the question is answered: who won, by how much, and from which two numbers; or that
// the measurements cannot tell.
#include <algorithm>
#include <functional>
#include <ranges>
#include <vector>

#include "scenes/race/race_draw.h"

namespace speclens {
namespace {

// One drafter's lane, over all prompts where they are measured, else of the race's own prompt.
struct Place {
    const RaceLaneModel* lane = nullptr;
    Estimate speed;    // against plain decoding; low and high count where `interval`
    double tokens = 0; // a round
    double cost = 0;   // of a round, in plain passes
};

Message times_of(const Place& one) {
    return race_says("conclusion.times"_t, "value"_v = one.speed.value, "interval"_v = one.speed.interval, "low"_v = one.speed.low,
                     "high"_v = one.speed.high);
}

Message why_of(const Place& one) { return race_says("conclusion.why"_t, "tokens"_v = one.tokens, "cost"_v = one.cost); }

bool over_prompts(const RaceModel& m) {
    return std::ranges::all_of(m.lanes, [](const RaceLaneModel& lane) { return !lane.trace || lane.lane->average.has_value(); }) &&
           m.race->prompts_done > 0;
}

Place averaged(const RaceModel& m, const RaceLaneModel& lane) {
    const LaneAverage& mine = *lane.lane->average;
    const double pass = m.lanes[static_cast<std::size_t>(m.plain)].lane->average->totals.round_ms();
    return {&lane, mine.speed_up, mine.tokens_per_round.value, pass > 0 ? mine.totals.round_ms() / pass : 0};
}

// Of one text. What a round costs follows from the two others, whose lanes wrote as many tokens as they wrote.
Place of_this_prompt(const RaceLaneModel& lane) {
    const double speed = lane.speed_up.figure.value, tokens = lane.whole.tokens_per_round();
    return {&lane, {speed, speed, speed, false}, tokens, speed > 0 ? tokens / speed : 0};
}

// Drafters, the fastest first; none where nothing says how fast they are.
std::vector<Place> places(const RaceModel& m) {
    std::vector<Place> all;
    const bool many = over_prompts(m);
    for (const RaceLaneModel& lane : m.lanes) {
        if (lane.plain() || !lane.trace || !lane.lane->finished) continue;
        if (!many && !lane.speed_up.figure.known()) continue;
        all.push_back(many ? averaged(m, lane) : of_this_prompt(lane));
    }
    std::erase_if(all, [](const Place& one) { return one.speed.value <= 0; });
    std::ranges::stable_sort(all, std::greater{}, [](const Place& one) { return one.speed.value; });
    return all;
}

// Nothing that was measured tells these two apart.
bool alike(const RaceModel& m, const Place& first, const Place& second) {
    if (first.speed.interval && second.speed.interval) return second.speed.high >= first.speed.low;
    const auto index = [&](const Place& one) { return static_cast<int>(one.lane - m.lanes.data()); };
    return std::ranges::count(m.level, index(first)) > 0 && std::ranges::count(m.level, index(second)) > 0;
}

// Rounds and tokens are the same in every repeat, however busy the machine was.
Message most_tokens(const RaceModel& m) {
    const std::vector<const RaceLaneModel*> most = richest_lanes(m);
    if (most.empty()) return {};
    std::vector<Said> others; // that bring as much
    for (const RaceLaneModel* lane : most | std::views::drop(1)) others.push_back(SaidOf<"race">()("words.name"_t, "name"_v = lane->title));
    const RunView& run = most.front()->whole;
    return race_says("conclusion.most"_t, "drafter"_v = most.front()->title, "others"_v = others, "tokens"_v = run.tokens_per_round(),
                     "rounds"_v = run.rounds,
                     "whole"_v = std::ranges::any_of(m.lanes, [](const RaceLaneModel& lane) { return lane.trace && !lane.done; }));
}

} // namespace

Message race_conclusion(const RaceModel& m) {
    if (!m.race || m.stepped || !m.measured) return {};
    if (m.undecided) return race_says("conclusion.open"_t);
    if (m.table) return race_says("conclusion.table"_t, "most"_v = most_tokens(m));
    const bool many = m.plain >= 0 && over_prompts(m);
    if (const Message& doubt = many ? m.average_doubt : m.doubt; !doubt.empty())
        return race_says("conclusion.doubt"_t, "doubt"_v = doubt, "most"_v = most_tokens(m));
    if (m.plain < 0) return race_says("conclusion.no_plain"_t, "most"_v = most_tokens(m));
    const std::vector<Place> all = places(m);
    if (all.empty()) return {};
    const Place& best = all.front();
    const Message where = many ? race_says("conclusion.where:prompts"_t, "prompts"_v = best.lane->lane->average->totals.prompts)
                               : race_says("conclusion.where:one"_t);
    const double surely = best.speed.interval ? best.speed.high : best.speed.value;
    if (surely < 1)
        return race_says("conclusion.plain"_t, "where"_v = where, "drafter"_v = best.lane->title, "why"_v = why_of(best),
                         "times"_v = times_of(best));
    if (all.size() > 1 && alike(m, best, all[1]))
        return race_says("conclusion.alike"_t, "where"_v = where, "drafter"_v = best.lane->title, "times"_v = times_of(best),
                         "why"_v = why_of(best), "other"_v = all[1].lane->title, "other_times"_v = times_of(all[1]),
                         "other_why"_v = why_of(all[1]));
    const bool lead = all.size() > 1;
    return race_says("conclusion.won"_t, "where"_v = where, "drafter"_v = best.lane->title, "times"_v = times_of(best),
                     "why"_v = why_of(best), "other"_v = lead ? all[1].lane->title : "",
                     "other_times"_v = lead ? times_of(all[1]) : Message(), "other_why"_v = lead ? why_of(all[1]) : Message(),
                     "perhaps"_v = best.speed.interval && best.speed.low <= 1);
}

} // namespace speclens
