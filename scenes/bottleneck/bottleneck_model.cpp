#include "scenes/bottleneck/bottleneck_model.h"

#include <algorithm>

#include "engine/lab/pass_bound.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/plain_time.h"
#include "scenes/shared/words.h"

namespace speclens {
namespace {

// The width that is marked first: the one that was asked about where it is answered, else a block of seven
// draft tokens.
int default_width(int beat) { return beat == kQuestionBeat || beat == kQuestionBeat + 1 ? kAsked : 8; }

// Measured, and at the marked width; not in doubt.
void keep_steady(std::vector<const PassTimes*>& times, int marked) {
    std::erase_if(times, [&](const PassTimes* of) { return !of->of(marked) || !doubt(*of, marked).empty(); });
}

// Time of several rows by that of one, by what is least and most of the two.
struct FactorRange {
    double low = 0, high = 0;
};
FactorRange factor_range(const PassTimes& times, int rows) {
    const PassTime &one = *times.of(1), &many = *times.of(rows);
    return {many.ms / one.median, many.median / one.ms};
}

// Nobody waits before an empty picture: another machine's times, until there are some of this one.
void take_recorded(BottleneckModel& m) {
    const RecordedPasses *own = recorded_passes("bundle S"), *shape = recorded_passes(kRealShape);
    if (!own || !shape) return;
    m.recorded = shape;
    m.times = &own->times;
    m.beside = &shape->times;
    m.tier = ui::Tier::recorded;
}

} // namespace

double BottleneckModel::ms(int rows) const {
    const PassTime* pass = focus ? focus->of(rows) : nullptr;
    return pass ? pass->ms : 0;
}

double BottleneckModel::factor(int rows) const { return focus ? pass_factor(*focus, rows) : 0; }

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
    keep_steady(held, marked);
    return held;
}

std::vector<const PassTimes*> BottleneckModel::steady_forms() const {
    std::vector<const PassTimes*> held = forms;
    keep_steady(held, marked);
    return held;
}

std::vector<const PassTimes*> BottleneckModel::curves() const { return forms.empty() ? all() : forms; }

bool BottleneckModel::leaves_room() const {
    return measured() && std::ranges::any_of(all(), [](const PassTimes* of) { return speclens::leaves_room(*of); });
}

Message doubt(const PassTimes& times, int marked) {
    if (const Said why = times.in_doubt(); !why.empty()) return message(why);
    return outrun_pass(times, 1) || outrun_pass(times, marked) ? bottleneck_says("doubt.outrun"_t) : Message();
}

BottleneckModel bottleneck_model(const SceneInput& input, const BottleneckState& state) {
    BottleneckModel m;
    m.times = input.passes.get();
    m.beside = input.passes_beside.get();
    m.untimed = untimed_passes(input);
    m.kept = input.kept;
    if (!m.untimed.empty()) m.tier = tier_of(input.whole->header);
    if (input.status && !input.status->timed_model.empty())
        m.under_way = shared_says("passes.under_way"_t, "model"_v = input.status->timed_model, "done"_v = input.status->timed);
    m.shown = !bottleneck_says.hides(input.beat, "times"_part) || (m.measured() && state.answered == input.beat);
    m.asks = !m.shown && input.beat == kQuestionBeat;
    if (m.shown && !m.measured() && m.untimed.empty() && input.beat != kFormsBeat) take_recorded(m);
    if (!m.measured()) return m;
    m.focus = m.all().front();
    if (!m.focus->in_doubt().empty() && m.times->in_doubt().empty()) m.focus = m.times;
    const int wanted = state.rows > 0 ? state.rows : default_width(input.beat);
    for (const PassTime& pass : m.focus->passes)
        if (pass.rows <= wanted) m.marked = pass.rows;
    m.of_forms = m.shown && input.beat == kFormsBeat;
    if (!m.of_forms || !input.passes_forms) return m;
    const PassTimes* shape = m.all().front();
    for (const PassTimes& of : *input.passes_forms)
        if (of.model == shape->model) (of.passes.size() >= 2 ? m.forms : m.formless).push_back(&of);
    if (!m.forms.empty()) m.forms.push_back(shape);
    std::ranges::stable_sort(m.forms, std::ranges::greater(), &PassTimes::weight_bytes);
    return m;
}

int bits_of(DType form) {
    // "Q4_K": the digit is that of the numbers, without scales
    return is_quantised(form) ? name_of(form)[1] - '0' : 8 * static_cast<int>(bytes_of(form));
}

FormsFinding forms_finding(const BottleneckModel& m) {
    FormsFinding found;
    std::vector<const PassTimes*> held = m.steady_forms();
    found.rows = m.marked > 1 ? m.marked : 4;
    std::erase_if(held, [&](const PassTimes* of) { return !of->of(found.rows); });
    if (held.size() < 2) return found;
    found.most = held.front(), found.fewest = held.back();
    found.most_factor = pass_factor(*found.most, found.rows), found.fewest_factor = pass_factor(*found.fewest, found.rows);
    const PassTime &of_most = found.most->passes.front(), &of_fewest = found.fewest->passes.front();
    found.faster = of_fewest.ms < of_most.ms && distinguishable(of_fewest, of_most);
    found.dearer = factor_range(*found.fewest, found.rows).low > factor_range(*found.most, found.rows).high;
    return found;
}

bool impossible(const PassTimes& times, int rows) {
    const double factor = pass_factor(times, rows);
    return factor > 0 && (factor < 1 || factor > std::max(1, rows)) && !doubt(times, rows).empty();
}

Message factor_words(const PassTimes& times, int rows) {
    const double factor = pass_factor(times, rows);
    if (impossible(times, rows)) return bottleneck_says("words.withheld"_t);
    return bottleneck_says("words.figure"_t, "doubt"_v = !doubt(times, rows).empty(), "times"_v = factor);
}

CostRange cost_range(const BottleneckModel& m) {
    CostRange range;
    for (const PassTimes* of : m.curves())
        for (const PassTime& pass : of->passes) {
            const double one = m.clock(*of);
            range.low = std::min(range.low, pass.ms / one);
            range.high = std::max({range.high, pass.ms / one, static_cast<double>(pass.rows)});
        }
    return {range.low / 1.2, range.high * 1.2};
}

Command measure_both() { return MeasurePasses{.beside = kRealShape}; }

Command measure_forms() { return MeasurePasses{.beside = kRealShape, .forms = true}; }

void measure_and_show_forms(std::vector<SceneCommand>& out) {
    out.emplace_back(measure_forms());
    out.emplace_back(SetBeat{kFormsBeat});
}

bool can_measure(const SceneInput& input, const BottleneckModel& m) {
    return models_loaded(input) && m.untimed.empty() && m.under_way.empty();
}

bool can_measure_forms(const SceneInput& input, const BottleneckModel& m) { return can_measure(input, m) && m.shown && m.timed_here(); }

Message said_aloud(int saying) {
    switch (saying) {
    case 0: return bottleneck_says("question.prediction:once"_t);
    case 1: return bottleneck_says("question.prediction:four"_t);
    default: return bottleneck_says("question.prediction:sixteen"_t);
    }
}

Message verdict_words(const BottleneckModel& m, const BottleneckState& state) {
    if (state.said < 0 || m.factor(kAsked) <= 0) return {};
    const int said = kSayings[state.said];
    const double factor = m.factor(kAsked);
    const int nearest = *std::ranges::min_element(kSayings, {}, [&](int times) { return std::max(factor / times, times / factor); });
    return bottleneck_says("words.said"_t, "said"_v = said, "nearest"_v = said == nearest, "times"_v = factor_words(*m.focus, kAsked));
}

std::vector<const PublishedFigure*> printed_shares(const Published* figures) {
    std::vector<const PublishedFigure*> found;
    if (!figures) return found;
    for (const char* id : {"course-weights", "course-loading-share", "course-computing-share", "course-computing-share-derived"})
        if (const PublishedFigure* figure = figures->find(id)) found.push_back(figure);
    return found;
}

} // namespace speclens
