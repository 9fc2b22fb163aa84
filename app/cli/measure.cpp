#include "app/cli/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include "engine/base/busy.h"
#include "engine/base/progress.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter_info.h"
#include "ui/stories/story_book.h"

namespace speclens::cli {

double now_ms() { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

int possible_k(const Options& options, const Models& models, const std::string& drafter, int k) {
    const std::shared_ptr<const DraftNetwork> network = models.network(drafter);
    if (!network || k <= network->config.most_drafts()) return k;
    const std::string most = std::to_string(network->config.most_drafts());
    const bool tree = find_drafter(drafter)->tree;
    for (const char* option : {"--k", "--tree-depth"})
        if (options.has(option))
            say(drafter + " guesses " + most + " tokens " + (tree ? "in a row at most: " : "at most: ") + option + " " + std::to_string(k) +
                " is taken as " + most);
    return network->config.most_drafts();
}

void print_results(std::string_view text) {
    try {
        print(text);
        flush();
    } catch (const ReaderGone&) { // main ends quietly when it flushes
    }
}

Sample measure(const std::shared_ptr<const Models>& models, const RunSettings& settings) {
    Run run(models, settings);
    run.between_passes(stop_if_interrupted);
    while (run.step()) stop_if_interrupted();
    return sample_of(run);
}

void warm_up(const std::shared_ptr<const Models>& models, RunSettings settings) {
    constexpr double kWarmMs = 100;
    settings.prompt.token_ids = {prompt_tokens(*models, settings.prompt).ids[0]};
    for (const double end = now_ms() + kWarmMs; now_ms() < end;) {
        Run run(models, settings);
        run.between_passes(stop_if_interrupted);
        while (run.step() && now_ms() < end) stop_if_interrupted();
    }
}

TerminalEngine::TerminalEngine(std::shared_ptr<const Models> models, RepeatPlan repeats) : engine_(*this, std::move(models), repeats) {}

void TerminalEngine::answer(const speclens::Command& command) {
    begin(command);
    while (step()) {
    }
}

void TerminalEngine::begin(const speclens::Command& command) {
    engine_.obey(command);
    check();
}

bool TerminalEngine::step() {
    if (const std::string what = engine_.doing(); !what.empty()) bar_.show(what, std::round(100 * engine_.done()), 100, "%");
    const bool more = engine_.step();
    check();
    if (engine_.doing().empty()) bar_.clear();
    return more;
}

EngineHost::Call TerminalEngine::called() const { return interrupted() ? Call::close : Call::none; }

void TerminalEngine::published(const Snapshot& now) {
    constexpr SaidOf<"shared"> said;
    const EngineJob& job = now.status.job;
    if (job.total <= 0) return;
    if (job.what == EngineJob::What::reading) return bar_.show(message(said("job.reading"_t)), job.done, job.total, "tokens");
    if (job.what == EngineJob::What::costs) return bar_.show(message(said("job.costs"_t)), job.done, job.total, "rounds");
    bar_.show(job.of, job.done, job.total, Progress::kMegabytes);
}

void TerminalEngine::check() {
    stop_if_interrupted(); // which may be why it failed
    engine_.rethrow();
}

double busy_cores() {
    const BusyMeter meter;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    return meter.cores();
}

std::string busy_warning(double cores) {
    if (cores < 0.15) return "";
    char text[160];
    std::snprintf(text, sizeof text, "other processes keep %.1f of %u cores busy: the times below are too long", cores,
                  std::thread::hardware_concurrency());
    return text;
}

} // namespace speclens::cli
