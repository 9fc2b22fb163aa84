#include "scenes/bottleneck/bottleneck_model.h"

#include <algorithm>
#include <cmath>

#include "engine/lab/pass_bound.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/plain_time.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

// The width that is marked first: the one that was asked about where it is answered, else a block of seven
// guesses.
int usual_width(int beat) {
    return beat == kQuestionBeat || beat == kQuestionBeat + 1 ? kAsked : 8;
}

// " from 3 tokens on" where they need 2.5 to fill the arithmetic; nothing where one does.
std::string from_rows(double fill) {
    const int first = static_cast<int>(std::ceil(fill));
    return first <= 1 ? std::string() : " from " + counted(first, "token") + " on";
}

} // namespace

double BottleneckModel::ms(int rows) const {
    const PassTime* pass = focus ? focus->of(rows) : nullptr;
    return pass ? pass->ms : 0;
}

double BottleneckModel::factor(int rows) const {
    return focus ? pass_factor(*focus, rows) : 0;
}

double BottleneckModel::rate(int rows) const {
    const double took = ms(rows);
    return took > 0 ? focus->multiply_adds * rows / took / 1e6 : 0;
}

double BottleneckModel::best_rate() const {
    double best = focus->product_rate > 0 ? focus->product_rate : 0;
    for (const PassTime& pass : focus->passes) best = std::max(best, rate(pass.rows));
    return best;
}

std::vector<const PassTimes*> BottleneckModel::all() const {
    if (!beside || beside->passes.size() < 2) return {times};
    return {beside, times};
}

std::vector<const PassTimes*> BottleneckModel::steady() const {
    std::vector<const PassTimes*> held = all();
    std::erase_if(held, [&](const PassTimes* of) { return !of->of(marked) || !doubt(*of, marked).empty(); });
    return held;
}

bool BottleneckModel::leaves_room() const {
    return measured() && std::ranges::any_of(all(), [](const PassTimes* of) { return speclens::leaves_room(*of); });
}

std::string doubt(const PassTimes& times, int marked) {
    if (std::string why = times.in_doubt(); !why.empty()) return why;
    if (outrun_pass(times, 1) || outrun_pass(times, marked)) return "other passes were quicker";
    return {};
}

BottleneckModel bottleneck_model(const SceneInput& input, const BottleneckState& state) {
    BottleneckModel m;
    m.times = input.passes;
    m.beside = input.passes_beside;
    m.untimed = untimed_passes(input);
    if (!m.untimed.empty()) m.tier = tier_of(input.whole->header);
    if (input.status && !input.status->timed_model.empty())
        m.under_way = "timing passes of " + input.status->timed_model + ", " + ui::percent(input.status->timed);
    m.told = input.beat > kQuestionBeat || (m.measured() && state.answered == input.beat);
    m.asks = !m.told && input.beat == kQuestionBeat;
    if (!m.measured()) return m;
    m.focus = m.all().front();
    if (!m.focus->in_doubt().empty() && m.times->in_doubt().empty()) m.focus = m.times;
    const int wanted = state.rows > 0 ? state.rows : usual_width(input.beat);
    for (const PassTime& pass : m.focus->passes)
        if (pass.rows <= wanted) m.marked = pass.rows;
    return m;
}

std::vector<std::string> model_facts(const PassTimes& times, int marked) {
    std::vector<std::string> lines;
    if (times.passes.size() < 2) return {times.model + ": not measured", times.problem};
    lines.push_back(times.model + ", " + ui::megabytes(times.weight_bytes) + " of weights");
    if (times.random_weights) lines.emplace_back("random weights of a real shape: speed right, text meaningless");
    const std::string share = ui::percent(times.read_share(times.passes.front())) + " of the bandwidth";
    const std::string cached = "stays in the cache of " + ui::megabytes(times.cache_limit);
    switch (bound_of(times)) {
    case Bound::memory:
        lines.push_back("read from memory, at " + share);
        break;
    case Bound::arithmetic:
        lines.push_back(cached + ": bound by arithmetic" + from_rows(rows_that_fill(times)));
        break;
    case Bound::neither:
        if (stays_in_cache(times))
            lines.push_back(cached + ": little waiting for memory");
        else if (times.floor_ms() > 0)
            lines.push_back("a pass over one token reads at " + share);
        break;
    }
    const double factor = pass_factor(times, marked);
    lines.push_back("1 token: " + ui::number(times.passes.front().ms, 2) + " ms" +
                    (marked > 1 && factor > 0 ? "; " + counted(marked, "token") + ": " + ui::speed_up(factor) : ""));
    lines.push_back("up to " + counted(cheap_rows(times), "token") + " a pass costs less than two");
    if (const std::string why = doubt(times, marked); !why.empty()) lines.push_back("in doubt: " + why);
    return lines;
}

CostRange cost_range(const BottleneckModel& m) {
    CostRange range;
    for (const PassTimes* of : m.all())
        for (const PassTime& pass : of->passes) {
            const double one = of->passes.front().ms;
            range.low = std::min(range.low, pass.ms / one);
            range.high = std::max({range.high, pass.ms / one, static_cast<double>(pass.rows)});
        }
    return {range.low / 1.2, range.high * 1.2};
}

Command measure_both() {
    return MeasurePasses{kRealShape};
}

bool can_measure(const SceneInput& input, const BottleneckModel& m) {
    return models_loaded(input) && m.untimed.empty() && m.under_way.empty();
}

std::string verdict_words(const BottleneckModel& m, const BottleneckState& state) {
    if (state.said < 0 || m.factor(kAsked) <= 0) return {};
    const Saying& said = kSayings[state.said];
    const double factor = m.factor(kAsked);
    const auto nearest = std::ranges::min_element(
        kSayings, {}, [&](const Saying& s) { return std::max(factor / s.factor, s.factor / factor); });
    return std::string("You said ") + said.words + (&said == nearest ? ", the nearest" : "") + ": it is " +
           ui::speed_up(factor) + ".";
}

std::vector<const PublishedFigure*> printed_shares(const Published* figures) {
    std::vector<const PublishedFigure*> found;
    if (!figures) return found;
    for (const char* id : {"course-weights", "course-loading-share", "course-computing-share",
                           "course-computing-share-derived"})
        if (const PublishedFigure* figure = figures->find(id)) found.push_back(figure);
    return found;
}

} // namespace speclens
