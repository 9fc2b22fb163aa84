// Words of S14: title, six beats, the reason of a cell, and the frame as text.
#include <sstream>

#include "engine/lab/pass_times.h"
#include "scenes/failures/batch_lanes.h"
#include "scenes/failures/failures_model.h"
#include "scenes/failures/loss_bars.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"

namespace speclens {
namespace {

// What the bars of this run show, before it is said why.
std::string entropy_words(const FailuresModel& m) {
    if (m.bins.empty()) return "";
    const EntropyFinding found = entropy_finding(m.bins);
    const std::string edge = ui::tick_label(kUnsure, 1) + " nats";
    const auto kept = [](const EntropyBin& half) {
        return std::to_string(half.kept) + " of " + std::to_string(half.judged);
    };
    const std::string counts = kept(found.sure) + " guesses kept where the target's distribution has less than " +
                               edge + " of entropy, " + kept(found.unsure) + " where it has more";
    switch (found.shown) {
    case EntropyFinding::Shown::falls:
        return "The target keeps less where it is unsure: " + counts + ". ";
    case EntropyFinding::Shown::nothing:
        return "This run shows no clear fall: " + counts + ". ";
    case EntropyFinding::Shown::too_few:
        break;
    }
    return "Too few here to tell: " + counts + ". ";
}

Words beat_words(const FailuresModel& m, int beat) {
    switch (beat) {
    case 0:
        return {"It spends what is idle",
                "Guesses are checked with arithmetic that a pass over one token leaves unused. So there are "
                "two ways to lose: the arithmetic is busy already, or the "
                "guesses are bad. Both are ordinary."};
    case 1:
        return {"Requests share the pass",
                "A server decodes many texts in one pass. Each brings its own row, and with K guesses K + 1 "
                "rows. Where a pass has grown past its bend (scene 1), every row more "
                "costs its share, kept or not: the map turns red."};
    case 2: {
        const std::string rule =
            "So a server should guess less when it is busy, and not at all when it is full.";
        if (!m.times) return {"The best K falls with load", rule};
        const int alone = m.best_k(0), busy = m.best_k(kMostBusy);
        if (!m.pays_anywhere())
            return {"Here no K pays, whatever the load",
                    rule + " On this machine no K makes up for its cost, for one request or for 64."};
        const auto named = [](int k) { return k > 0 ? std::to_string(k) : std::string("none"); };
        return {busy < alone ? "The best K falls with load" : "The best K depends on the load",
                rule + " On this machine the best K is " + named(alone) + " for one request and " +
                    named(busy) + " for 64."};
    }
    case 3:
        return {"Where the target is unsure",
                entropy_words(m) +
                    "Where many tokens are nearly as likely, a small error of the draft is enough to miss. "
                    "JSON is sure of itself, a story is not."};
    case 4:
        return {"Read the dashboard",
                "Low acceptance and cheap passes: another drafter, or shorter drafts. High acceptance and no "
                "gain: the passes are full, or drafting costs too much. "
                "Nothing drafted at all: look at the status line, it says why."};
    default:
        return {
            "Your turn",
            "Set-ups with one thing wrong each, run on this machine. Look at tokens per round, at the two "
            "times, and at which positions are refused, and name the cause. Then see the same set-up "
            "without it."};
    }
}

std::string cost_words(const Levers& levers) {
    if (levers.block <= 0)
        return share_words(levers) + " and costs " + ui::probability(levers.draft) + " of a pass";
    return share_words(levers) + ", a block costs " + ui::probability(levers.block) + " of a pass" +
           (levers.draft > 0 ? " and " + ui::probability(levers.draft) + " for each guess" : "");
}

} // namespace

namespace {

// Of a batch that was decoded: what its passes held, and what came of it.
std::string measured_reason(const LoadCell& cell) {
    const SweepCell& measured = *cell.measured;
    const SweepSlice& sum = measured.sum;
    const double rounds = std::max(1.0, static_cast<double>(sum.text_rounds));
    std::string text = "Measured: " + counted(cell.requests, "text") + " at once, K = " + std::to_string(cell.k) + ": " +
                       ui::number(static_cast<double>(sum.rows) / std::max(1.0, static_cast<double>(sum.rounds)), 1) + " rows a pass, " +
                       ui::number(static_cast<double>(sum.tokens) / rounds, 2) + " tokens a round; drafting took " +
                       ui::percent(sum.ms > 0 ? sum.draft_ms / sum.ms : 0) + " of the time, passes " +
                       ui::percent(sum.ms > 0 ? sum.pass_ms / sum.ms : 0) + ". " + ui::number(sum.tokens_per_second(), 0) +
                       " tokens a second, " + ui::speed_up(measured.speed_up->value) + " plain batched decoding (" +
                       ui::number(measured.speed_up->low, 2) + " to " + ui::number(measured.speed_up->high, 2) + "). ";
    if (cell.pays()) return text + "Guessing pays.";
    if (!cell.loses()) return text + "Guessing is worth what it costs, as far as this tells.";
    return text + "Guessing loses: the refused rows cost more than the kept ones bring.";
}

} // namespace

std::string failure_reason(const FailuresModel& m) {
    if (!m.times && !m.untimed.empty())
        return capital(m.untimed) + ". With a checkpoint the map says where guessing pays on this machine.";
    if (!m.times)
        return "Time passes over 1 to 64 tokens on this machine, then the map says where guessing pays.";
    const LoadCell& cell = m.marked();
    if (cell.measured) return measured_reason(cell);
    const double rows = verify_rows(m.levers, cell.requests, cell.k);
    const double plain = pass_ms(*m.times, cell.requests), verify = pass_ms(*m.times, rows);
    const double tokens = m.levers.tokens(cell.k), draft = m.levers.draft_cost(cell.k) * plain;
    std::string text = counted(cell.requests, "request") + ", K = " + std::to_string(cell.k) +
                       ": the verify pass has " + ui::number(rows, m.levers.drafts < 1 ? 1 : 0) + " rows" +
                       (m.levers.drafts < 1 ? " on average" : "") + " and takes " +
                       ui::speed_up(verify / plain) + " a plain one; drafting " +
                       ui::speed_up(draft / plain) + ". For that a text grows by " + ui::number(tokens, 2) +
                       " tokens: " + ui::speed_up(cell.speedup) + ". ";
    if (cell.pays()) return text + "Guessing pays.";
    if (!cell.loses()) return text + "Guessing is worth what it costs.";
    if (m.levers.alpha < 0.5) return text + "Too few guesses stay.";
    return text + (verify / plain > tokens ? "The pass is full: guess less, or not at all."
                                           : "Drafting costs more than it brings.");
}

namespace {

std::string share_of(const LossBar& bar) {
    return ui::speed_up(bar.speedup());
}

// What the bars of a beat show.
std::string bars_title(const FailuresModel& m, int beat) {
    const LossBars all = loss_bars(m);
    switch (beat) {
    case 0: return "Healthy: a short draft and one check gain " + share_of(all.bars[0]);
    case 1:
        return "The same guesses with " + counted(all.bars[1].requests, "request") + ": " + share_of(all.bars[1]);
    case 3: return "The same price for guesses that do not stay: " + share_of(all.bars[2]);
    default: return "Four bars to tell: one that gains, three that lose";
    }
}

} // namespace

StageTitle failures_title(const SceneInput& input, const FailuresModel& m) {
    StageTitle title;
    title.tier = ui::Tier::sim;
    if (tells_in_bars(input.beat)) {
        title.title = bars_title(m, input.beat);
        const LossBars all = loss_bars(m);
        title.subtitle = all.measured ? "simulated from measured passes and what this run accepted"
                                      : "an assumed machine, because " + all.why_assumed +
                                            (m.times ? std::string(": its map is in beat 3") : std::string());
        return title;
    }
    if (!m.times) {
        title.title = "When it fails: full passes and bad guesses";
        title.subtitle = m.untimed.empty() ? "press M to time passes of the loaded model over 1 to 64 tokens"
                                           : m.untimed + " · a checkpoint's passes are timed here";
        return title;
    }
    const LoadCell& cell = m.marked();
    if (cell.measured) {
        const SweepInterval& speed = *cell.measured->speed_up;
        title.tier = ui::Tier::live;
        title.title = counted(cell.requests, "text") + " at once, " + counted(cell.k, "guess") + (cell.requests == 1 ? ": " : " each: ") +
                      ui::speed_up(speed.value) + ", measured";
        title.subtitle = "90 %: " + ui::number(speed.low, 2) + " to " + ui::number(speed.high, 2) + " × plain batched decoding" +
                         (cell.measured->compared > 0 ? " · " + std::to_string(cell.measured->equal) + " of " +
                                                            std::to_string(cell.measured->compared) + " texts compared equal their runs alone"
                                                      : "");
        return title;
    }
    const std::string why = cell.outrun ? "other passes were quicker" : m.times->in_doubt();
    title.title = counted(cell.requests, "request") + ", " + counted(cell.k, "guess") +
                  (cell.requests == 1 ? ": " : " each: ") + (why.empty() ? "" : "perhaps ") + ui::speed_up(cell.speedup) +
                  (cell.pays()    ? ""
                   : cell.loses() ? ", slower than plain decoding"
                                  : ", as fast as plain decoding");
    title.subtitle = "simulated from measured passes · a guess stays with " +
                     ui::probability(m.levers.alpha) + (m.by_hand ? " (set by hand)" : "") +
                     cost_words(m.levers) + (m.from_run ? ", as in this run" : ", assumed") +
                     (cell.extrapolated ? " · beyond the measured widths" : "") +
                     (why.empty() ? "" : " · in doubt: " + why);
    return title;
}

bool plays(const SceneInput& input, const FailuresState& state) {
    if (state.game && state.beat == input.beat) return *state.game;
    return input.beat == kFailuresBeats - 1;
}

Story failures_story(const SceneInput& input, const FailuresModel& m, const DiagnosisModel* diagnosis) {
    Story story = story_at_beat(input, kFailuresBeats);
    const Words words = beat_words(m, diagnosis != nullptr ? kFailuresBeats - 1 : story.step - 1);
    story.heading = words.heading;
    story.text = words.text;
    if (diagnosis != nullptr) {
        const RunStudy study = diagnosis_study(diagnosis->patients);
        if (study.runs.empty()) return story;
        const bool ready = !diagnosis->cases.empty();
        story.task = ready ? "Name the cause of every set-up" : "Run the set-ups: M";
        story.task_done = ready && diagnosis->answered() == static_cast<int>(diagnosis->cases.size());
        if (!ready) story.on_task = {Command{study}};
    } else if (models_loaded(input) && m.untimed.empty()) {
        story.task = "Measure this machine: M";
        story.task_done = m.times != nullptr;
        story.on_task = {Command{MeasurePasses{}}};
    }
    return story;
}

std::string failures_description(const SceneInput& input, const FailuresModel& m) {
    std::ostringstream out;
    const StageTitle title = failures_title(input, m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(title.tier) << "\n\n";
    if (tells_in_bars(input.beat)) out << describe_loss_bars(m);
    if (m.times)
        for (int row = 0; row < static_cast<int>(std::size(kRequests)); ++row) {
            const int best = m.best_k(row);
            out << counted(kRequests[row], "request") << ": best K "
                << (best > 0 ? std::to_string(best) : std::string("none")) << ";";
            for (int column = 0; column < static_cast<int>(std::size(kGuesses)); ++column) {
                const LoadCell& cell = m.cell(row, column);
                out << " " << (cell.outrun ? "~" : "") << ui::number(cell.speedup, 2)
                    << (cell.extrapolated ? "*" : "") << (cell.measured ? " (measured)" : "");
            }
            out << "\n";
        }
    for (const EntropyBin& bin : m.bins)
        out << "Entropy from " << ui::number(bin.low, 1)
            << (bin.high > 50 ? std::string(" on") : " to " + ui::number(bin.high, 1)) << ": "
            << (bin.judged > 0 ? "kept " + std::to_string(bin.kept) + " of " + std::to_string(bin.judged)
                               : std::string("none judged"))
            << "\n";
    if (m.times && m.marked().measured && input.beat == kMapBeat) out << describe_batch_lanes(*m.marked().measured);
    const bool bars = tells_in_bars(input.beat);
    out << "Why: " << (bars ? loss_reason(m, loss_of_beat(input.beat).value_or(Loss::dear_draft)) : failure_reason(m)) << "\n\n" << describe_story(failures_story(input, m, nullptr));
    return out.str();
}

} // namespace speclens
