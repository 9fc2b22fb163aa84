// Words of S14: title, six beats, the reason of a cell, and the frame as text.
#include "engine/lab/pass_times.h"
#include "scenes/failures/failures_model.h"
#include "scenes/failures/loss_bars.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/plain_time.h"

namespace speclens {
namespace {

// What the bars of this run show, before it is said why.
Message entropy_finding_words(const FailuresModel& m) {
    if (m.bins.empty()) return {};
    const EntropyFinding found = entropy_finding(m.bins);
    const auto told = [&](auto id) {
        return failures_says(id, "sure_kept"_v = found.sure.kept, "sure"_v = found.sure.judged, "edge"_v = kUnsure,
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
    case kUnsureBeat: return failures_says.beat("unsure"_t, "entropy"_v = entropy_finding_words(m));
    case kDashboardBeat: return failures_says.beat("dashboard"_t);
    default: return failures_says.beat("game"_t);
    }
}

Message cost_words(const Levers& levers) {
    const bool block = levers.block > 0;
    return failures_says("words.cost"_t, "share"_v = share_words(levers), "block"_v = if_measured(levers.block),
                         "each"_v = if_measured(block ? levers.draft : 0), "alone"_v = block ? std::nullopt : std::optional(levers.draft));
}

// Of a batch that was decoded: what its passes held, and what came of it.
Message measured_reason(const LoadCell& cell) {
    const SweepCell& measured = *cell.measured;
    const SweepSlice& sum = measured.sum;
    const double rounds = std::max(1.0, static_cast<double>(sum.text_rounds));
    const auto share = [&](double ms) { return sum.ms > 0 ? ms / sum.ms : 0; };
    return failures_says("reason.measured"_t, "texts"_v = cell.requests, "k"_v = cell.k,
                         "rows"_v = static_cast<double>(sum.rows) / std::max(1.0, static_cast<double>(sum.rounds)),
                         "tokens"_v = static_cast<double>(sum.tokens) / rounds, "drafting"_v = share(sum.draft_ms),
                         "passes"_v = share(sum.pass_ms), "rate"_v = sum.tokens_per_second(), "times"_v = measured.speed_up->value,
                         "low"_v = measured.speed_up->low, "high"_v = measured.speed_up->high, "doubt"_v = !cell.doubt.empty());
}

} // namespace

Message failure_reason(const FailuresModel& m) {
    if (!m.times && !m.under_way.empty()) return failures_says("reason.measuring"_t);
    if (!m.times) return failures_says("reason.unmeasured"_t, "untimed"_v = m.untimed);
    const LoadCell& cell = m.marked();
    if (cell.measured) {
        const auto text = "text"_v = measured_reason(cell);
        if (!cell.doubt.empty()) return failures_says("reason.doubtful_batch"_t, text, "doubt"_v = cell.doubt);
        if (cell.pays()) return failures_says("reason.pays"_t, text);
        return cell.loses() ? failures_says("reason.loses"_t, text) : failures_says("reason.even_measured"_t, text);
    }
    const double rows = verify_rows(m.levers, cell.requests, cell.k);
    const double plain = pass_ms(*m.times, cell.requests), verify = pass_ms(*m.times, rows) / plain;
    const double tokens = m.levers.tokens(cell.k);
    const auto text = "text"_v =
        failures_says("reason.simulated"_t, "requests"_v = cell.requests, "k"_v = cell.k, "rows"_v = rows, "mean"_v = m.levers.drafts < 1,
                      "verify"_v = verify, "draft"_v = m.levers.draft_cost(cell.k), "tokens"_v = tokens, "times"_v = cell.speedup);
    if (cell.outrun || !m.times->in_doubt().empty()) return failures_says("reason.doubtful"_t, text);
    if (cell.pays()) return failures_says("reason.pays"_t, text);
    if (!cell.loses()) return failures_says("reason.even"_t, text);
    if (m.levers.alpha < 0.5) return failures_says("reason.few_stay"_t, text);
    return verify > tokens ? failures_says("reason.full"_t, text) : failures_says("reason.dear"_t, text);
}

namespace {

// What the bars of a beat show.
Message bars_title(const FailuresModel& m, int beat) {
    const LossBars all = loss_bars(m);
    const auto gain = [&](std::size_t bar) { return "gain"_v = all.bars[bar].speedup(); };
    switch (beat) {
    case 0: return failures_says("idle.title"_t, gain(0));
    case kSharedBeat: return failures_says("shared.title"_t, "requests"_v = all.bars[1].requests, gain(1));
    case kUnsureBeat: return failures_says("unsure.title"_t, gain(2));
    default: return failures_says("dashboard.title"_t);
    }
}

void name_measured(StageTitle& title, const LoadCell& cell) {
    const SweepInterval& speed = *cell.measured->speed_up;
    const bool doubt = !cell.doubt.empty();
    title.tier = ui::Tier::live;
    title.title = failures_says("map.title:measured"_t, "texts"_v = cell.requests, "k"_v = cell.k,
                                "times"_v = doubt ? std::nullopt : std::optional(speed.value));
    title.subtitle = failures_says("map.subtitle:measured"_t, "doubt"_v = cell.doubt, "times"_v = speed.value, "low"_v = speed.low,
                                   "high"_v = speed.high, "equal"_v = cell.measured->equal, "compared"_v = cell.measured->compared);
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
        title.subtitle = m.under_way.empty() ? shared_says("passes.unmeasured"_t, "untimed"_v = m.untimed)
                                             : failures_says("map.subtitle:measuring"_t, "under_way"_v = m.under_way);
        return title;
    }
    const LoadCell& cell = m.marked();
    if (cell.measured) {
        name_measured(title, cell);
        return title;
    }
    const Message why = cell.outrun ? failures_says("words.outrun"_t) : message(m.times->in_doubt());
    title.title =
        failures_says("map.title:simulated"_t, "requests"_v = cell.requests, "k"_v = cell.k, "perhaps"_v = !why.empty(),
                      "times"_v = cell.speedup, "slower"_v = !cell.pays() && cell.loses(), "even"_v = !cell.pays() && !cell.loses());
    title.subtitle =
        failures_says("map.subtitle:simulated"_t, "alpha"_v = m.levers.alpha, "by_hand"_v = m.by_hand, "cost"_v = cost_words(m.levers),
                      "from_run"_v = m.from_run, "beyond"_v = cell.extrapolated, "doubt"_v = why);
    return title;
}

bool plays(const SceneInput& input, const FailuresState& state) {
    if (state.game && state.beat == input.beat) return *state.game;
    return input.beat == kFailuresBeats - 1;
}

Story failures_story(const SceneInput& input, const FailuresModel& m, const DiagnosisModel* diagnosis) {
    Story story = story_at_beat(input, kFailuresBeats);
    take(story, beat_words(m, diagnosis != nullptr ? kFailuresBeats - 1 : story.step - 1, !input.presenter));
    if (diagnosis != nullptr) {
        const RunStudy study = diagnosis_study(diagnosis->patients);
        if (study.runs.empty()) return story;
        const bool ready = !diagnosis->cases.empty();
        story.task = failures_says("game.task"_t, "ready"_v = ready);
        story.task_done = ready && diagnosis->answered() == static_cast<int>(diagnosis->cases.size());
        if (!ready) story.on_task = {Command{study}};
    } else if (models_loaded(input) && m.untimed.empty()) {
        story.task = shared_says("words.measure_machine"_t);
        story.task_done = m.times != nullptr && timed_by_task(input);
        story.on_task = {Command{MeasurePasses{}}};
    }
    return story;
}

} // namespace speclens
