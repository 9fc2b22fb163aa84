// Measures what an advice is made of, step by step: on prompt after prompt plain decoding, every drafter with its longest
// drafts, and by turns the shorter ones. Then passes behind longer texts. All runs of a prompt follow each other, so that
// whatever else the machine does meets them alike. Synchronous: the session's thread or the command line calls step().
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/advice/advice.h"
#include "engine/advice/estimate.h"
#include "engine/base/busy.h"
#include "engine/base/clock.h"
#include "engine/lab/pass_times.h"
#include "engine/models/models.h"
#include "engine/run/gallery.h"
#include "engine/run/run.h"
#include "engine/run/run_settings.h"
#include "engine/run/session_commands.h"

namespace speclens {

struct AdvicePlan {
    RunSettings base;                   // temperature, length, dice, options; drafter, rule and k are the plan's
    std::vector<std::string> drafters;  // empty: all that can run
    std::vector<int> lengths;           // draft lengths to advise on; empty: 1 … 7
    std::vector<GalleryPrompt> prompts; // in this order, see mixed_prompts()
    int every = 4;                      // prompts of which one has a shorter length run as well; 1: all of them
    double seconds = kAdviceSeconds;    // behind the warm-up; over at most a tenth later
    bool at_least = true;               // rather longer than without a verdict: as long as kFewestAdvicePrompts prompts take
    bool contexts = true;               // passes behind longer texts too, as many as there is time for
    std::function<bool()> go_on = {};   // asked between the pieces of a prompt; false ends the measurement as stop() does
};
// Round-robin over the domains, so that the first ones are like all of them.
[[nodiscard]] std::vector<GalleryPrompt> mixed_prompts(const std::vector<GalleryPrompt>& prompts);

class AdviceMeasurement {
  public:
    // Throws Error (usage): no prompts, unknown names, a target without passes.
    AdviceMeasurement(std::shared_ptr<const Models> models, AdvicePlan plan);
    ~AdviceMeasurement();

    bool step(); // one phase of one run; false once everything is done
    void stop(); // complete with the prompts that are whole
    // 0 … 1 of the time that it will take, by the costs of this model so far; 0 until one run of each kind tells them.
    [[nodiscard]] double done() const;
    [[nodiscard]] int prompts_done() const { return kept_; }
    [[nodiscard]] int prompts() const;                        // that there is time for, as far as is known
    [[nodiscard]] std::optional<double> left_seconds() const; // empty during the warm-up
    // Seconds behind the warm-up that a verdict takes here, where the plan has less; empty: it has enough, or that is not known yet.
    [[nodiscard]] std::optional<double> seconds_missed() const;
    // That one prompt takes at most, all lengths together; empty: not known yet.
    [[nodiscard]] std::optional<double> prompt_seconds() const;
    // Of whole prompts; never null. A new one after the first eight prompts, then seldom, and at the end; more often where a prompt
    // takes long.
    [[nodiscard]] std::shared_ptr<const Advice> advice() const { return advice_; }
    [[nodiscard]] std::size_t revision() const { return revision_; } // grows with it
    [[nodiscard]] const AdviceEvidence& evidence() const { return evidence_; }

  private:
    void plan_lengths();
    bool next_prompt();
    void begin_next();
    void keep_run();
    void keep_prompt();
    void show();
    void time_traces() const;
    bool step_contexts();
    [[nodiscard]] bool is_due(std::size_t length) const;
    bool step_once();
    void check_time() const;
    [[nodiscard]] double run_ms(std::size_t length) const;
    [[nodiscard]] double prompt_ms() const;
    [[nodiscard]] double all_ms() const;
    [[nodiscard]] double context_ms(int context) const;
    [[nodiscard]] bool is_late(int kept, double ms, double prompt) const;
    [[nodiscard]] double end_ms() const;
    [[nodiscard]] bool out_of_time() const;
    [[nodiscard]] RunSettings settings_of(std::size_t length) const;

    std::shared_ptr<const Models> models_;
    AdvicePlan plan_;
    AdviceEvidence evidence_;
    std::vector<RunSettings> settings_; // of evidence_.lengths
    std::vector<bool> whole_;           // run on every prompt
    std::vector<AdviceDrafter> problems_;
    std::shared_ptr<const Advice> advice_;
    std::size_t revision_ = 0;

    enum class Stage : std::uint8_t { warm_up, prompts, contexts, done } stage_ = Stage::warm_up;
    int prompt_ = -1, kept_ = 0, skipped_ = 0, show_at_ = kFewestAdvicePrompts;
    std::vector<std::size_t> queue_; // lengths still to run on this prompt; plain is kPlain
    std::size_t running_ = 0;
    std::vector<std::pair<std::size_t, std::shared_ptr<const Trace>>> finished_; // of this prompt
    std::unique_ptr<Run> run_;
    int shortest_ = 0, longest_ = 0;
    std::vector<int> context_plan_;
    std::vector<PassTimes> context_times_;
    std::unique_ptr<PassMeasurement> passes_;
    struct Cost {                                      // of the runs of one length
        double warm_up_ms = 0, reading_ms = 0, ms = 0; // reading: of the prompt, in the warm-up
        int runs = 0;
    };
    std::vector<Cost> costs_; // of evidence_.lengths, then plain
    double run_so_far_ms_ = 0, run_reading_ms_ = 0, prefill_ms_ = 0;
    double prompt_from_ms_ = 0, context_from_ms_ = 0; // when it was begun
    int prefilled_ = 0;                               // tokens of prompts, in prefill_ms_
    Stopwatch watch_, shown_;
    BusyMeter busy_;
};

} // namespace speclens
