// Words of S14: title, six beats, the reason of a cell, and the frame as text.
#include <sstream>

#include "engine/lab/pass_times.h"
#include "scenes/failures/batch_lanes.h"
#include "scenes/failures/failures_model.h"
#include "scenes/failures/loss_bars.h"
#include "scenes/failures/published_load.h"
#include "scenes/failures/roofline.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/plain_time.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"

namespace speclens {
namespace {

// What the bars of this run show, before it is said why.
std::string entropy_words(const FailuresModel& m) {
    if (m.bins.empty()) return "";
    const EntropyFinding found = entropy_finding(m.bins);
    const auto told = [&](auto id) {
        return failures_says(id, "sure_kept"_v = found.sure.kept, "sure"_v = found.sure.judged, "edge"_v = ui::tick_label(kUnsure, 1),
                             "unsure_kept"_v = found.unsure.kept, "unsure"_v = found.unsure.judged);
    };
    switch (found.shown) {
    case EntropyFinding::Shown::falls: return told("words.entropy:falls"_t);
    case EntropyFinding::Shown::nothing: return told("words.entropy:nothing"_t);
    case EntropyFinding::Shown::too_few: break;
    }
    return told("words.entropy:too_few"_t);
}

Words map_words(const FailuresModel& m) {
    if (!m.times) return failures_says.beat("map:unmeasured"_t);
    if (m.doubtful()) return failures_says.beat("map:doubtful"_t);
    if (!m.pays_anywhere()) return failures_says.beat("map:nowhere"_t);
    const int few = m.few(), many = m.many(), alone = m.best_k(few), busy = m.best_k(many);
    if (busy < alone)
        return failures_says.beat("map:falls"_t, "alone"_v = alone, "busy"_v = busy, "few"_v = kRequests[few], "many"_v = kRequests[many]);
    return failures_says.beat("map:depends"_t, "alone"_v = alone, "busy"_v = busy, "few"_v = kRequests[few], "many"_v = kRequests[many]);
}

// `map`: it is in the picture, beside the bars.
Words beat_words(const FailuresModel& m, int beat, bool map) {
    switch (beat) {
    case 0: return failures_says.beat("idle"_t);
    case kSharedBeat: return failures_says.beat("shared"_t, "map"_v = map);
    case kMapBeat: return map_words(m);
    case kUnsureBeat: return failures_says.beat("unsure"_t, "entropy"_v = entropy_words(m));
    case kDashboardBeat: return failures_says.beat("dashboard"_t);
    default: return failures_says.beat("game"_t);
    }
}

std::string cost_words(const Levers& levers) {
    const std::string draft = ui::probability(levers.draft);
    return failures_says("words.cost"_t, "share"_v = share_words(levers), "block"_v = levers.block > 0 ? ui::probability(levers.block) : "",
                         "each"_v = levers.block > 0 && levers.draft > 0 ? draft : "", "alone"_v = levers.block > 0 ? "" : draft);
}

// Of a batch that was decoded: what its passes held, and what came of it.
std::string measured_reason(const LoadCell& cell) {
    const SweepCell& measured = *cell.measured;
    const SweepSlice& sum = measured.sum;
    const double rounds = std::max(1.0, static_cast<double>(sum.text_rounds));
    const auto share = [&](double ms) { return ui::percent(sum.ms > 0 ? ms / sum.ms : 0); };
    const std::string text =
        failures_says("reason.measured"_t, "texts"_v = cell.requests, "k"_v = cell.k,
                      "rows"_v = ui::number(static_cast<double>(sum.rows) / std::max(1.0, static_cast<double>(sum.rounds)), 1),
                      "tokens"_v = ui::number(static_cast<double>(sum.tokens) / rounds, 2), "drafting"_v = share(sum.draft_ms),
                      "passes"_v = share(sum.pass_ms), "rate"_v = ui::number(sum.tokens_per_second(), 0),
                      "times"_v = ui::speed_up(measured.speed_up->value), "low"_v = ui::number(measured.speed_up->low, 2),
                      "high"_v = ui::number(measured.speed_up->high, 2), "doubt"_v = !cell.doubt.empty());
    if (!cell.doubt.empty()) return failures_says("reason.doubtful_batch"_t, "text"_v = text, "doubt"_v = cell.doubt);
    if (cell.pays()) return failures_says("reason.pays"_t, "text"_v = text);
    if (!cell.loses()) return failures_says("reason.even_measured"_t, "text"_v = text);
    return failures_says("reason.loses"_t, "text"_v = text);
}

} // namespace

std::string failure_reason(const FailuresModel& m) {
    if (!m.times && !m.under_way.empty()) return failures_says("reason.measuring"_t);
    if (!m.times) return failures_says("reason.unmeasured"_t, "untimed"_v = m.untimed);
    const LoadCell& cell = m.marked();
    if (cell.measured) return measured_reason(cell);
    const double rows = verify_rows(m.levers, cell.requests, cell.k);
    const double plain = pass_ms(*m.times, cell.requests), verify = pass_ms(*m.times, rows);
    const double tokens = m.levers.tokens(cell.k), draft = m.levers.draft_cost(cell.k) * plain;
    const bool mean = m.levers.drafts < 1;
    const std::string text =
        failures_says("reason.simulated"_t, "requests"_v = cell.requests, "k"_v = cell.k, "rows"_v = ui::number(rows, mean ? 1 : 0),
                      "mean"_v = mean, "verify"_v = ui::speed_up(verify / plain), "draft"_v = ui::speed_up(draft / plain),
                      "tokens"_v = ui::number(tokens, 2), "times"_v = ui::speed_up(cell.speedup));
    if (cell.outrun || !m.times->in_doubt().empty()) return failures_says("reason.doubtful"_t, "text"_v = text);
    if (cell.pays()) return failures_says("reason.pays"_t, "text"_v = text);
    if (!cell.loses()) return failures_says("reason.even"_t, "text"_v = text);
    if (m.levers.alpha < 0.5) return failures_says("reason.few_stay"_t, "text"_v = text);
    return verify / plain > tokens ? failures_says("reason.full"_t, "text"_v = text) : failures_says("reason.dear"_t, "text"_v = text);
}

namespace {

std::string share_of(const LossBar& bar) { return ui::speed_up(bar.speedup()); }

// What the bars of a beat show.
std::string bars_title(const FailuresModel& m, int beat) {
    const LossBars all = loss_bars(m);
    switch (beat) {
    case 0: return failures_says("idle.title"_t, "gain"_v = share_of(all.bars[0]));
    case kSharedBeat: return failures_says("shared.title"_t, "requests"_v = all.bars[1].requests, "gain"_v = share_of(all.bars[1]));
    case kUnsureBeat: return failures_says("unsure.title"_t, "gain"_v = share_of(all.bars[2]));
    default: return failures_says("dashboard.title"_t);
    }
}

void name_measured(StageTitle& title, const LoadCell& cell) {
    const SweepInterval& speed = *cell.measured->speed_up;
    const bool doubt = !cell.doubt.empty();
    title.tier = ui::Tier::live;
    title.title = failures_says("map.title:measured"_t, "texts"_v = cell.requests, "k"_v = cell.k,
                                "times"_v = doubt ? "" : ui::speed_up(speed.value));
    title.subtitle = failures_says("map.subtitle:measured"_t, "doubt"_v = cell.doubt, "times"_v = ui::speed_up(speed.value),
                                   "low"_v = ui::number(speed.low, 2), "high"_v = ui::number(speed.high, 2),
                                   "equal"_v = cell.measured->equal, "compared"_v = cell.measured->compared);
}

} // namespace

StageTitle failures_title(const SceneInput& input, const FailuresModel& m) {
    StageTitle title;
    title.tier = ui::Tier::sim;
    if (tells_in_bars(input.beat)) {
        title.title = bars_title(m, input.beat);
        const LossBars all = loss_bars(m);
        title.subtitle = all.measured ? failures_says("subtitle.bars:measured"_t)
                                      : failures_says("subtitle.bars:assumed"_t, "why"_v = all.why_assumed, "map"_v = m.times != nullptr);
        return title;
    }
    if (!m.times) {
        title.title = failures_says("map.title:unmeasured"_t);
        title.subtitle = m.under_way.empty() ? failures_says("map.subtitle:unmeasured"_t, "untimed"_v = m.untimed)
                                             : failures_says("map.subtitle:measuring"_t, "under_way"_v = m.under_way);
        return title;
    }
    const LoadCell& cell = m.marked();
    if (cell.measured) {
        name_measured(title, cell);
        return title;
    }
    const std::string why = cell.outrun ? failures_says("words.outrun"_t) : message(m.times->in_doubt());
    title.title = failures_says("map.title:simulated"_t, "requests"_v = cell.requests, "k"_v = cell.k, "perhaps"_v = !why.empty(),
                                "times"_v = ui::speed_up(cell.speedup), "slower"_v = !cell.pays() && cell.loses(),
                                "even"_v = !cell.pays() && !cell.loses());
    title.subtitle =
        failures_says("map.subtitle:simulated"_t, "alpha"_v = ui::probability(m.levers.alpha), "by_hand"_v = m.by_hand,
                      "cost"_v = cost_words(m.levers), "from_run"_v = m.from_run, "beyond"_v = cell.extrapolated, "doubt"_v = why);
    return title;
}

bool plays(const SceneInput& input, const FailuresState& state) {
    if (state.game && state.beat == input.beat) return *state.game;
    return input.beat == kFailuresBeats - 1;
}

Story failures_story(const SceneInput& input, const FailuresModel& m, const DiagnosisModel* diagnosis) {
    Story story = story_at_beat(input, kFailuresBeats);
    const Words words = beat_words(m, diagnosis != nullptr ? kFailuresBeats - 1 : story.step - 1, !input.presenter);
    story.heading = words.heading;
    story.text = words.text;
    if (diagnosis != nullptr) {
        const RunStudy study = diagnosis_study(diagnosis->patients);
        if (study.runs.empty()) return story;
        const bool ready = !diagnosis->cases.empty();
        story.task = failures_says("game.task"_t, "ready"_v = ready);
        story.task_done = ready && diagnosis->answered() == static_cast<int>(diagnosis->cases.size());
        if (!ready) story.on_task = {Command{study}};
    } else if (models_loaded(input) && m.untimed.empty()) {
        story.task = failures_says("words.task"_t);
        story.task_done = m.times != nullptr && timed_by_task(input);
        story.on_task = {Command{MeasurePasses{}}};
    }
    return story;
}

std::string failures_description(const SceneInput& input, const FailuresModel& m) {
    std::ostringstream out;
    const StageTitle title = failures_title(input, m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(shown_tier(input, title.tier)) << "\n\n";
    if (tells_in_bars(input.beat)) out << describe_loss_bars(m);
    if (m.times)
        for (int row = 0; row < static_cast<int>(std::size(kRequests)); ++row) {
            const int best = m.best_k(row);
            out << counted(kRequests[row], "request") << ": best K " << (best > 0 ? std::to_string(best) : std::string("none")) << ";";
            for (int column = 0; column < static_cast<int>(std::size(kGuesses)); ++column) {
                const LoadCell& cell = m.cell(row, column);
                out << " " << (cell.in_doubt() ? "~" : "") << ui::number(cell.speedup, 2) << (cell.extrapolated ? "*" : "")
                    << (cell.measured ? " (measured)" : "");
            }
            out << "\n";
        }
    for (const EntropyBin& bin : m.bins)
        out << "Entropy from " << ui::number(bin.low, 1) << (bin.high > 50 ? std::string(" on") : " to " + ui::number(bin.high, 1)) << ": "
            << (bin.judged > 0 ? "kept " + std::to_string(bin.kept) + " of " + std::to_string(bin.judged) : std::string("none judged"))
            << "\n";
    if (m.times && m.marked().measured && input.beat == kMapBeat) out << describe_batch_lanes(*m.marked().measured);
    if (shows_map(input.beat))
        if (const std::optional<Roofline> of = roofline(input, m)) out << describe_roofline(*of);
    if (const PublishedLoad load = published_load(input.figures); input.beat == kMapBeat && !load.empty())
        out << describe_published_load(load, *input.figures);
    const bool bars = tells_in_bars(input.beat);
    out << "Why: " << (bars ? loss_reason(m, loss_of_beat(input.beat).value_or(Loss::dear_draft)) : failure_reason(m)) << "\n\n"
        << describe_story(input, failures_story(input, m, nullptr));
    return out.str();
}

} // namespace speclens
