#include "scenes/shared/measure_charts.h"

#include <algorithm>
#include <ranges>
#include <set>

#include "engine/drafters/drafter_info.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/methods.h"
#include "scenes/shared/run_controls.h"
#include "ui/plot.h"
#include "ui/text_layout.h"

namespace speclens {
namespace {

constexpr int kTimeRepeats = 3; // of each point; the quickest counts, the others were disturbed

Message stayed_words(const AcceptanceSeries& s, std::size_t i) {
    return shared_says("charts.stayed"_t, "series"_v = s.name, "position"_v = i + 1, "kept"_v = s.kept[i], "judged"_v = s.judged[i]);
}

Message took_words(const TimeSeries& s, std::size_t i) {
    return shared_says("charts.took"_t, "series"_v = s.name, "guesses"_v = s.points[i].first, "ms"_v = s.points[i].second);
}

} // namespace

std::optional<double> AcceptanceSeries::share(std::size_t place) const {
    if (place >= judged.size() || judged[place] <= 0) return {};
    return static_cast<double>(kept[place]) / judged[place];
}

void TimeSeries::add(int guesses, double ms) {
    const auto same = std::ranges::find(points, guesses, &std::pair<int, double>::first);
    if (same == points.end())
        points.emplace_back(guesses, ms);
    else
        same->second = std::min(same->second, ms);
}

AcceptanceSeries acceptance_of(const RunView& view, Message name) {
    AcceptanceSeries series{std::move(name), {}, {}, false};
    for (const RoundSummary& round : view.round_list)
        for (std::size_t i = 0; i < round.judged_in_order(); ++i) {
            if (series.judged.size() <= i) series.judged.resize(i + 1), series.kept.resize(i + 1);
            ++series.judged[i];
            series.kept[i] += round.drafts[i].check->accepted;
        }
    return series;
}

std::vector<float> labels_apart(std::vector<float> baselines, float pitch, float lowest) {
    for (std::size_t i = 1; i < baselines.size(); ++i) baselines[i] = std::max(baselines[i], baselines[i - 1] + pitch);
    for (float& label : baselines | std::views::reverse) {
        label = std::min(label, lowest);
        lowest = label - pitch;
    }
    return baselines;
}

void draw_acceptance(ui::Ui& ui, Rect r, std::span<const AcceptanceSeries> series) {
    ui::Canvas& canvas = ui.canvas;
    const ui::Theme& theme = ui.theme;
    std::size_t most = 1;
    for (const AcceptanceSeries& s : series) most = std::max(most, s.judged.size());
    const Rect plot{r.x + 34, r.y + 8, r.w - 42, r.h - 34};
    const ui::Scale y{0, 1, plot.bottom(), plot.y};
    const float step = plot.w / static_cast<float>(most);
    const auto x = [&](std::size_t i) { return plot.x + step * (static_cast<float>(i) + 0.5F); };
    ui::AxisStyle axis{.grid_to = plot.right(), .grid = true, .label_offset = 8};
    ui::axis_y(canvas, theme, y, plot.x, ui::ticks(0, 1, r.h > 120 ? 4 : 2), axis);
    const std::size_t every = step >= 20 ? 1 : 2;
    for (std::size_t i = 0; i < most; i += every)
        canvas.print({x(i), plot.bottom() + 20}, std::to_string(i + 1), Font::mono, 14, theme.muted, Align::center);
    for (const AcceptanceSeries& s : series) {
        ui::plotted(canvas, plot, ui::PlotMark::line, s.name, std::views::iota(std::size_t{0}, s.judged.size()), [&](std::size_t i) {
            return ui::PlotDatum{.x = static_cast<double>(i + 1),
                                 .y = s.share(i).value_or(0),
                                 .label = std::to_string(s.kept[i]) + "/" + std::to_string(s.judged[i])};
        });
        const ui::Color ink = s.hollow ? theme.muted : theme.ink;
        for (std::size_t i = 0; i < s.judged.size(); ++i) {
            if (s.judged[i] == 0) continue;
            const Vec2 at{x(i), y(s.share(i).value_or(0))};
            if (i > 0 && s.judged[i] >= kEnoughRounds && s.judged[i - 1] >= kEnoughRounds)
                canvas.line({x(i - 1), y(s.share(i - 1).value_or(0))}, at, {ink, 1.5F, s.hollow ? 4.0F : 0.0F, 3});
            if (s.hollow)
                canvas.ring(at, 5, {ink, 1.5F});
            else
                canvas.disc(at, 4, ink);
            ui::thing(ui, {at.x - 8, at.y - 8, 16, 16}, stayed_words(s, i));
        }
    }
}

void tell_acceptance(ui::Ui& ui, Rect r, const AcceptanceSeries& series) {
    for (std::size_t i = 0; i < series.judged.size(); ++i)
        if (series.judged[i] > 0) ui.canvas.tell(stayed_words(series, i), r);
}

void draw_times(ui::Ui& ui, Rect r, std::span<const TimeSeries> series) {
    ui::Canvas& canvas = ui.canvas;
    const ui::Theme& theme = ui.theme;
    double high = 0.1;
    int most = 2;
    for (const TimeSeries& s : series)
        for (const auto& [k, ms] : s.points) high = std::max(high, ms), most = std::max(most, k);
    const Rect plot{r.x + 38, r.y + 8, r.w - 38 - 96, r.h - 36};
    const ui::Scale x{0, static_cast<double>(most), plot.x, plot.right()}, y{0, high * 1.08, plot.bottom(), plot.y};
    ui::axis_y(canvas, theme, y, plot.x, ui::ticks(0, high * 1.08, 4), {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    for (const int k : {1, 2, 3, 4, 8, 12, 15})
        if (k <= most && (k != 1 || plot.w > 240) && (k != 3 || most <= 4))
            canvas.print({x(k), plot.bottom() + 20}, std::to_string(k), Font::mono, 14, theme.muted, Align::center);
    std::vector<const TimeSeries*> order;
    for (const TimeSeries& s : series)
        if (!s.points.empty()) order.push_back(&s);
    std::ranges::sort(order, [](const TimeSeries* a, const TimeSeries* b) { return a->points.back().second > b->points.back().second; });
    std::vector<float> labels;
    for (const TimeSeries* s : order) labels.push_back(y(s->points.back().second) + 5);
    labels = labels_apart(std::move(labels), 18, plot.bottom() + 5);
    for (const TimeSeries* const& s : order) {
        ui::plotted(canvas, plot, ui::PlotMark::line, s->name, s->points,
                    [](const auto& point) { return ui::PlotDatum{.x = static_cast<double>(point.first), .y = point.second}; });
        const ui::Color ink = s->chosen ? theme.ink : theme.ink.alpha(0.55F);
        for (std::size_t i = 0; i < s->points.size(); ++i) {
            const Vec2 at{x(s->points[i].first), y(s->points[i].second)};
            if (i > 0) canvas.line({x(s->points[i - 1].first), y(s->points[i - 1].second)}, at, {ink, 1.5F});
            ui::icon(canvas, s->mark, at, 9, ink);
            ui::thing(ui, {at.x - 8, at.y - 8, 16, 16}, took_words(*s, i));
        }
        const float label = labels[static_cast<std::size_t>(&s - order.data())];
        canvas.text({plot.right() + 12, label}, s->name, s->chosen ? Font::text_bold : Font::text, 14, s->chosen ? theme.ink : theme.muted);
    }
}

void tell_times(ui::Ui& ui, Rect r, std::span<const TimeSeries> series) {
    for (const TimeSeries& s : series)
        for (std::size_t i = 0; i < s.points.size(); ++i) ui.canvas.tell(took_words(s, i), r);
}

namespace {

// The first three of a race: one by one, a block, a block with a head.
std::vector<std::string> timed_drafters() {
    std::vector<std::string> names;
    for (int place = 1; place <= 3; ++place)
        for (const DrafterInfo& info : drafter_list())
            if (info.race_place == place) names.emplace_back(info.name);
    return names;
}

constexpr int kTimedLengths[] = {1, 2, 4, 8, 12, 15};

// The K that a point tells the time of: of a block that has fewer places its own length, once. 0: that once more.
int timed_length(const StudyPoint& point) {
    if (point.most == 0) return point.settings.k;
    const auto* const longer = std::ranges::lower_bound(kTimedLengths, point.most);
    return longer != std::ranges::end(kTimedLengths) && *longer == point.settings.k ? point.most : 0;
}

} // namespace

double slope_of(const TimeSeries& series) {
    if (series.points.size() < 2) return 0;
    const auto& [k0, ms0] = series.points.front();
    const auto& [k1, ms1] = series.points.back();
    return k1 > k0 ? (ms1 - ms0) / (k1 - k0) : 0;
}

RunStudy time_study(const SceneInput& input) {
    RunStudy study{kTimeStudy, {}};
    for (int repeat = 0; repeat < kTimeRepeats; ++repeat)
        for (const std::string& drafter : timed_drafters()) {
            if (!drafter_ready(input, drafter)) continue;
            for (const int k : kTimedLengths) {
                RunSettings settings = with_drafter(input.settings ? *input.settings : RunSettings{}, drafter);
                settings.prompt = {
                    .text = "Write a Python function that checks if a number is prime.", .chat = true, .chat_if_possible = true};
                settings.k = k;
                settings.max_tokens = 40 + 4 * k;
                settings.trace_top = 0;
                settings.timing = true;
                settings.internals = false;
                study.runs.push_back(with_temperature(std::move(settings), 0));
            }
        }
    return study;
}

std::vector<TimeSeries> time_series(const SceneInput& input, const std::string& chosen) {
    std::vector<TimeSeries> all;
    const Study* study = study_named(input, kTimeStudy);
    if (!study) return all;
    for (const std::string& drafter : timed_drafters()) {
        TimeSeries series{drafter, method_title(drafter), method_mark(drafter), {}, drafter == chosen};
        for (const StudyPoint& point : study->points)
            if (const int k = timed_length(point);
                k > 0 && point.settings.drafter == drafter && point.problem.empty() && point.draft_ms > 0)
                series.add(k, point.draft_ms);
        if (!series.points.empty()) all.push_back(std::move(series));
    }
    return all;
}

Message progress_words(const Study& study) {
    return shared_says("words.measuring"_t, "done"_v = study.points.size(), "runs"_v = study.planned);
}

Message unmeasured_words(const SceneInput& input, const Study* study, const Message& how) {
    if (study && !study->complete()) return progress_words(*study);
    return models_loaded(input) ? how : shared_says("words.nothing_measurable"_t);
}

Message sample_words(const Study& study) {
    std::set<std::uint64_t> seeds;
    int most = 0;
    for (const StudyPoint& point : study.points) {
        seeds.insert(point.settings.seed);
        most = std::max(most, point.settings.max_tokens);
    }
    return shared_says("words.sample"_t, "seeds"_v = seeds.size(), "tokens"_v = most);
}

const Study* study_named(const SceneInput& input, const std::string& name) {
    const auto found = input.studies.find(name);
    return found == input.studies.end() ? nullptr : found->second.get();
}

const Study* study_of(const SceneInput& input, const RunStudy& now) {
    const Study* study = study_named(input, now.name);
    if (!study || study->points.empty()) return study;
    if (now.runs.empty()) return nullptr;
    RunSettings then = study->points.front().settings;
    const RunSettings& first = now.runs.front();
    then.rule_params = first.rule_params; // which the first run, of the token rule or plain, does not read
    then.internals = first.internals, then.trace_top = first.trace_top, then.timing = first.timing;
    then.fork = first.fork;
    return then == first ? study : nullptr;
}

bool lacks(const RunStudy& plan, const Study* known) {
    return !plan.runs.empty() && (!known || (known->complete() && known->points.empty()));
}

} // namespace speclens
