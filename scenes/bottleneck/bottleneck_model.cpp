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
int usual_width(int beat) { return beat == kQuestionBeat || beat == kQuestionBeat + 1 ? kAsked : 8; }

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

std::string doubt(const PassTimes& times, int marked) {
    if (std::string why = times.in_doubt(); !why.empty()) return why;
    if (outrun_pass(times, 1) || outrun_pass(times, marked)) return "other passes were quicker";
    return {};
}

BottleneckModel bottleneck_model(const SceneInput& input, const BottleneckState& state) {
    BottleneckModel m;
    m.times = input.passes.get();
    m.beside = input.passes_beside.get();
    m.untimed = untimed_passes(input);
    m.kept = input.kept;
    if (!m.untimed.empty()) m.tier = tier_of(input.whole->header);
    if (input.status && !input.status->timed_model.empty())
        m.under_way =
            bottleneck_says("words.under_way"_t, "model"_v = input.status->timed_model, "done"_v = ui::percent(input.status->timed));
    m.told = !bottleneck_says.hides(input.beat, "times"_part) || (m.measured() && state.answered == input.beat);
    m.asks = !m.told && input.beat == kQuestionBeat;
    if (m.told && !m.measured() && m.untimed.empty() && input.beat != kFormsBeat) take_recorded(m);
    if (!m.measured()) return m;
    m.focus = m.all().front();
    if (!m.focus->in_doubt().empty() && m.times->in_doubt().empty()) m.focus = m.times;
    const int wanted = state.rows > 0 ? state.rows : usual_width(input.beat);
    for (const PassTime& pass : m.focus->passes)
        if (pass.rows <= wanted) m.marked = pass.rows;
    m.of_forms = m.told && input.beat == kFormsBeat;
    if (!m.of_forms || !input.passes_forms) return m;
    const PassTimes* shape = m.all().front();
    for (const PassTimes& of : *input.passes_forms)
        if (of.model == shape->model) (of.passes.size() >= 2 ? m.forms : m.formless).push_back(&of);
    if (!m.forms.empty()) m.forms.push_back(shape);
    std::ranges::stable_sort(m.forms, std::ranges::greater(), &PassTimes::weight_bytes);
    return m;
}

std::string bits_of(DType form) {
    // "Q4_K": the digit is that of the numbers, without scales
    return is_quantised(form) ? std::string(1, name_of(form)[1]) : std::to_string(8 * bytes_of(form));
}

std::string bits_words(DType form) { return bits_of(form) + " bits"; }

std::vector<std::string> form_facts(const BottleneckModel& m, const PassTimes& of) {
    const std::string name = bits_words(of.form) + " (" + name_of(of.form) + ")";
    if (of.passes.size() < 2) return {name + ": not measured", of.problem};
    std::vector<std::string> lines = {name + ", " + ui::megabytes(of.weight_bytes) + " of weights"};
    const PassTimes& most = *m.forms.front();
    if (&of == &most || of.random_weights != most.random_weights) lines.push_back(of.model + (of.random_weights ? ", random weights" : ""));
    const double one = of.passes.front().ms, factor = pass_factor(of, m.marked);
    lines.push_back("1 token: " + ui::number(one, 2) + " ms" +
                    (&of == &most ? "" : ", " + ui::speed_up(one / m.clock(of)) + " of " + bits_words(most.form)) +
                    (m.marked > 1 && factor > 0 ? "; " + counted(m.marked, "token") + ": " + factor_words(of, m.marked) : ""));
    if (const std::string why = doubt(of, m.marked); !why.empty()) lines.push_back("in doubt: " + why);
    return lines;
}

FormsTold forms_told(const BottleneckModel& m) {
    FormsTold told;
    std::vector<const PassTimes*> held = m.steady_forms();
    told.rows = m.marked > 1 ? m.marked : 4;
    std::erase_if(held, [&](const PassTimes* of) { return !of->of(told.rows); });
    if (held.size() < 2) return told;
    told.most = held.front(), told.fewest = held.back();
    told.most_factor = pass_factor(*told.most, told.rows), told.fewest_factor = pass_factor(*told.fewest, told.rows);
    const PassTime &of_most = told.most->passes.front(), &of_fewest = told.fewest->passes.front();
    told.faster = of_fewest.ms < of_most.ms && distinguishable(of_fewest, of_most);
    told.dearer = factor_range(*told.fewest, told.rows).low > factor_range(*told.most, told.rows).high;
    return told;
}

// Against a plain read of as many bytes. A pass that is quicker shows that this read is no measure of it, not why.
std::string read_words(const PassTimes& times) {
    const double share = times.read_share(times.passes.front());
    return share <= kWholeBandwidth ? "at " + ui::percent(share) + " of the bandwidth" : "faster than a plain read";
}

std::string factor_words(const PassTimes& times, int rows) {
    const double factor = pass_factor(times, rows);
    if (doubt(times, rows).empty()) return ui::speed_up(factor);
    return "~" + ui::speed_up(std::clamp(factor, 1.0, std::max<double>(1, rows)));
}

std::vector<std::string> model_facts(const PassTimes& times, int marked) {
    std::vector<std::string> lines;
    if (times.passes.size() < 2) return {times.model + ": not measured", times.problem};
    lines.push_back(times.model + (is_quantised(times.form) ? std::string(" in ") + name_of(times.form) : "") + ", " +
                    ui::megabytes(times.weight_bytes) + " of weights");
    if (times.random_weights) lines.emplace_back("random weights of a real shape: speed right, text meaningless");
    const std::string cached = "stays in the cache of " + ui::megabytes(times.cache_limit);
    switch (bound_of(times)) {
    case Bound::memory: lines.push_back("read from memory, " + read_words(times)); break;
    case Bound::arithmetic: lines.push_back(cached + ": bound by arithmetic" + from_rows(rows_that_fill(times))); break;
    case Bound::neither:
        if (stays_in_cache(times))
            lines.push_back(cached + ": little waiting for memory");
        else if (times.floor_ms() > 0)
            lines.push_back("a pass over one token reads " + read_words(times));
        break;
    }
    const double factor = pass_factor(times, marked);
    lines.push_back("1 token: " + ui::number(times.passes.front().ms, 2) + " ms" +
                    (marked > 1 && factor > 0 ? "; " + counted(marked, "token") + ": " + factor_words(times, marked) : ""));
    lines.push_back("up to " + counted(cheap_rows(times), "token") + " a pass costs less than two");
    if (const std::string why = doubt(times, marked); !why.empty()) lines.push_back("in doubt: " + why);
    return lines;
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

bool can_measure_forms(const SceneInput& input, const BottleneckModel& m) { return can_measure(input, m) && m.told && m.timed_here(); }

std::string said_aloud(int saying) {
    switch (saying) {
    case 0: return bottleneck_says("question.prediction:once"_t);
    case 1: return bottleneck_says("question.prediction:four"_t);
    default: return bottleneck_says("question.prediction:sixteen"_t);
    }
}

std::string verdict_words(const BottleneckModel& m, const BottleneckState& state) {
    if (state.said < 0 || m.factor(kAsked) <= 0) return {};
    const Saying& said = kSayings[state.said];
    const double factor = m.factor(kAsked);
    const auto nearest =
        std::ranges::min_element(kSayings, {}, [&](const Saying& s) { return std::max(factor / s.factor, s.factor / factor); });
    return bottleneck_says("words.said"_t, "said"_v = said.words, "nearest"_v = &said == nearest,
                           "times"_v = factor_words(*m.focus, kAsked));
}

std::vector<const PublishedFigure*> printed_shares(const Published* figures) {
    std::vector<const PublishedFigure*> found;
    if (!figures) return found;
    for (const char* id : {"course-weights", "course-loading-share", "course-computing-share", "course-computing-share-derived"})
        if (const PublishedFigure* figure = figures->find(id)) found.push_back(figure);
    return found;
}

} // namespace speclens
