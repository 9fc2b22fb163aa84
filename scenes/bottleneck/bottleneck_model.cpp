#include "scenes/bottleneck/bottleneck_model.h"

#include <algorithm>

#include "engine/lab/pass_times.h"
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

} // namespace

double BottleneckModel::ms(int rows) const {
    const PassTime* pass = times ? times->of(rows) : nullptr;
    return pass ? pass->ms : 0;
}

double BottleneckModel::factor(int rows) const {
    return measured() ? ms(rows) / one_ms() : 0;
}

bool BottleneckModel::in_doubt(int rows) const {
    return measured() && outrun_pass(*times, rows);
}

double BottleneckModel::rate(int rows) const {
    const double took = ms(rows);
    return took > 0 ? times->multiply_adds * rows / took / 1e6 : 0;
}

double BottleneckModel::best_rate() const {
    double best = 0;
    for (const PassTime& pass : times->passes) best = std::max(best, rate(pass.rows));
    return best;
}

BottleneckModel bottleneck_model(const SceneInput& input, const BottleneckState& state) {
    BottleneckModel m;
    m.times = input.passes;
    m.untimed = untimed_passes(input);
    if (!m.untimed.empty()) m.tier = tier_of(input.whole->header);
    if (input.status) m.model = input.status->model;
    m.told = input.beat > kQuestionBeat || (m.measured() && state.answered == input.beat);
    m.asks = !m.told && input.beat == kQuestionBeat;
    if (!m.measured()) return m;
    const int wanted = state.rows > 0 ? state.rows : usual_width(input.beat);
    bool cheap = true;
    for (const PassTime& pass : m.times->passes) {
        if (pass.rows <= wanted) m.marked = pass.rows;
        cheap = cheap && pass.ms < 2 * m.one_ms();
        if (cheap) m.cheap = pass.rows;
    }
    return m;
}

bool can_measure(const SceneInput& input, const BottleneckModel& m) {
    return models_loaded(input) && m.untimed.empty();
}

double chart_top(const PassTimes& times, bool per_token) {
    const auto share = [&](const PassTime& pass) { return per_token ? 1.0 / pass.rows : 1.0; };
    double highest = 0;
    for (const PassTime& pass : times.passes) highest = std::max(highest, pass.ms * share(pass));
    double top = highest;
    for (const PassTime& pass : times.passes)
        if (pass.high * share(pass) <= 2 * highest) top = std::max(top, pass.high * share(pass));
    return top * 1.1;
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
