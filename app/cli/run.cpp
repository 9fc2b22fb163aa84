// `speclens run`: one generation, as a walk-through, as text, or as JSON Lines while it happens.
#include <memory>
#include <optional>

#include "app/cli/commands.h"
#include "app/cli/measure.h"
#include "app/cli/output.h"
#include "app/cli/setup.h"
#include "app/cli/walk.h"
#include "app/frontend/frontend.h"
#include "engine/drafters/draft_network.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"

namespace speclens::cli {

namespace {

// Follows a growing trace and hands every event to whoever wants it.
class Reporter {
  public:
    // `times`: known before the run begins; may be empty. `walks`: round by round, in words.
    Reporter(const Run& run, const Options& options, const Models& models, const TimeTable& times, bool walks)
        : run_(&run), times_(&times), options_(&options), writer_(run.trace()),
          walk_(run.trace(), standard_terminal(options.color), options.verbose), walks_(walks) {
        walk_.set_load_ms(models.load_ms);
        if (!options.json.empty()) file_.emplace(options.json);
        if (options.text_only && models.tokenizer) decoder_.emplace(*models.tokenizer);
        tokenizer_ = models.tokenizer.get();
    }

    void follow() {
        const Trace& trace = run_->trace();
        for (; seen_ < trace.size(); ++seen_) {
            const Event& event = trace[seen_];
            if (file_) {
                file_->write(writer_.line(event) + "\n");
                file_->flush();
            }
            if (std::holds_alternative<Header>(event) && walks_) say_now(walk_.opening());
            const auto* commit = std::get_if<Committed>(&event);
            if (!commit) continue;
            if (walks_ && times_->revision() > 0) times_->time(trace);
            fold_on(view_, trace, seen_ + 1);
            if (walks_) say_now(walk_.round(view_));
            if (options_->text_only)
                for (const int id : commit->tokens) say_now(text_of(id));
        }
    }

    // `advice`: one line behind the result; may be empty.
    void finish(const std::string& advice) {
        follow();
        if (file_) file_->write(writer_.closing_lines());
        if (file_) file_->commit();
        if (options_->text_only) say_now((decoder_ ? decoder_->flush() : std::string()) + "\n");
        if (walks_) {
            fold_on(view_, run_->trace(), run_->trace().size());
            say_now(walk_.closing(view_));
            if (!advice.empty()) say_now("  " + advice + "\n");
            if (file_) say_now("  trace in            " + options_->json + "\n");
        }
    }

    // After an error: what happened until then is in the file.
    void keep() {
        follow();
        if (file_) file_->commit();
    }

  private:
    // A file is kept to its end though nobody reads on; else nothing is left to do then.
    void say_now(const std::string& text) const {
        if (file_) return print_results(text);
        print(text);
        flush();
    }
    std::string text_of(int id) {
        if (tokenizer_ && tokenizer_->is_special(id)) return "";
        return decoder_ ? decoder_->push(id) : run_->trace().text(id);
    }

    const Run* run_;
    const TimeTable* times_;
    const Options* options_;
    TraceWriter writer_;
    Walk walk_;
    std::optional<ResultFile> file_;
    std::optional<StreamDecoder> decoder_;
    const Tokenizer* tokenizer_ = nullptr;
    std::size_t seen_ = 0;
    RunView view_; // up to the last round
    bool walks_;
};

// For somebody who asks a chat model a question as raw text, which it may take for a text that is complete.
std::string chat_advice(const Options& options, const Models& models, const RunView& view) {
    const bool at_once = view.output_tokens <= 1 && view.stopped && view.stopped->reason == Stopped::kEndOfText;
    const bool asks =
        options.prompt && !options.run.prompt.chat && !options.has("--raw") && models.chat.problem.empty() && models.tokenizer;
    return at_once && asks ? "ended at once: as a question in a chat, add --chat" : "";
}

} // namespace

Exit command_run(const Options& options) {
    speak(options.language);
    std::shared_ptr<const Models> models = load(options);
    const std::string drafter = working_drafter(options, *models);
    Remembering kept = remembering(options, models, {drafter});
    models = kept.models;
    RunSettings settings = run_settings(options, drafter, kWalkTemperature);
    if ((options.text_only) && options.json.empty()) settings.trace_top = 0;
    settle_costs(options, models, {&settings, 1});
    // Times are known before the first round is told, so that no round is told with other times than the sum of all.
    const bool walks = options.json != "-" && !options.text_only;
    const bool timed = (walks || !options.json.empty()) && settings.timing && models->target && !models->scorer;
    TerminalEngine terminal(models, timed ? RepeatPlan{} : RepeatPlan{.generations = 0});
    terminal.begin(Restart{settings});
    Engine& engine = terminal.engine();
    const Run& run = *engine.run();
    if (const Header& h = *run.trace().header(); h.drafter != kNoDrafter)
        (void)possible_k(options, *models, h.drafter, settings.k); // says what is taken instead
    Reporter reporter(run, options, *models, engine.times(), walks);
    if (walks && settings.timing && models->target)
        if (const std::string warning = busy_warning(busy_cores()); !warning.empty()) say(warning);
    if (!timed && settings.timing) warm_up(models, settings);
    bool was_interrupted = false;
    try {
        while (terminal.step()) {
        }
        reporter.follow();
        engine.gate().set(kUnlimitedPhases);
        while (!run.stopped()) {
            (void)terminal.step();
            reporter.follow();
        }
    } catch (const Interrupted&) {
        was_interrupted = true;
        engine.obey(Cancel{});
    } catch (const std::exception&) { // what there is of it ends with the reason
        reporter.keep();
        throw;
    }
    was_interrupted = was_interrupted || interrupted();
    if (timed) engine.times().time(run.trace());
    const RunView view = fold(run.trace(), run.trace().size());
    const std::string advice = chat_advice(options, *models, view);
    reporter.finish(advice);
    if (!advice.empty() && !walks) say(advice);
    // what is known of the head was said when it was loaded
    const auto network = models->network(view.header->drafter);
    const bool said = network && view.header->notice == network->config.notice;
    if (!view.header->notice.empty() && !said && !walks) say(view.header->notice);
    if (kept.memory) {
        kept.memory->remember(std::span(run.sequence()).subspan(view.header->prompt.size()));
        keep_answers(kept);
    }
    return was_interrupted ? Exit::interrupted : Exit::ok;
}

} // namespace speclens::cli
