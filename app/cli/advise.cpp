// `speclens advise`: does speculation pay here, with which drafter and how many guesses?
#include <fstream>
#include <optional>

#include "app/cli/advise_server.h"
#include "app/cli/advise_text.h"
#include "app/cli/commands.h"
#include "app/cli/measure.h"
#include "app/cli/output.h"
#include "app/cli/setup.h"
#include "engine/advice/advice_json.h"
#include "engine/advice/advice_measurement.h"
#include "engine/advice/advice_words.h"
#include "engine/advice/profile.h"
#include "engine/base/json_read.h"
#include "engine/model/precision.h"

namespace speclens::cli {

namespace {

constexpr std::size_t kLargestProfile = 16'000'000;
constexpr double kAdviseSeconds = 60;
constexpr double kAdviseCostSeconds = 15; // where only costs are wanted, because a profile tells acceptance

std::vector<std::string> typed_drafters(const Options& options) {
    std::vector<std::string> names;
    for (const DrafterChoice& choice : options.drafters) names.push_back(choice.name);
    return names;
}

// The one drafter that the profile is about: named, or by its method.
std::string drafter_of_profile(const SpeculationProfile& profile, const Options& options, const Models& models) {
    const std::vector<std::string> names = typed_drafters(options);
    if (names.size() > 1)
        throw Error("a profile is of one drafter, and --drafters names " + std::to_string(names.size()), "Name the one that it is of.",
                    Exit::usage);
    const std::string name = names.empty() ? drafter_of_method(profile.method) : names.front();
    if (name.empty() || !find_drafter(name))
        throw Error("the profile is of the method \"" + profile.method + "\", which is no drafter here",
                    "Say which drafter's costs are meant: --drafters NAME.", Exit::usage);
    if (const std::string problem = models.why_not(name); !problem.empty())
        throw Error("the drafter '" + name + "' cannot run, so its costs are not known: " + problem,
                    "Give its folder, --drafters " + name + "=DIR, or advise without the profile.");
    return name;
}

AdvicePlan advice_plan(const Options& options, const Models& models) {
    AdvicePlan plan;
    plan.base = run_settings(options, "none", 0);
    if (!options.has("--rule")) plan.base.rule = "token";
    plan.base.options = options.method;
    plan.drafters = typed_drafters(options);
    plan.lengths = options.lengths;
    std::erase(plan.lengths, 0);
    plan.seconds = options.for_seconds.value_or(kAdviseSeconds);
    std::vector<GalleryPrompt> prompts;
    for (const Prompt& prompt : prompts_of(options, models)) prompts.push_back({prompt.domain, prompt.text, prompt.system, prompt.chat});
    plan.prompts = mixed_prompts(prompts);
    return plan;
}

std::string advise_heading(const Advice& advice, const Models& models, const Terminal& terminal) {
    std::string text = terminal.paint(Tone::strong, "SpecLens advise") + " · " + models.target_name() + " · " +
                       models.backend->description() +
                       (models.precision() == Precision::f32 ? "" : " · " + precision_words(models.precision())) + " · " +
                       terminal.paint(Tone::muted, "[LIVE]") + "\n";
    text += wrap(advice_conditions(advice), terminal.prose_width()) + "\n";
    if (advice.plain_ms > 0)
        text += "plain decoding: " + number(advice.plain_ms, 3) + " ms a token, " + number(1000 / advice.plain_ms, 0) + " tokens a second\n";
    return text + "\n";
}

// Ctrl+C ends the measurement; what is whole by then is told.
bool run_to_the_end(AdviceMeasurement& measurement) {
    ProgressBar bar;
    while (measurement.step()) {
        if (interrupted().load()) {
            measurement.stop();
            return false;
        }
        bar.show("measuring", std::round(100 * measurement.done()), 100, "%");
    }
    return true;
}

void write_profile(const Options& options, const AdviceMeasurement& measurement, const Advice& advice) {
    const AdviceVerdict verdict = verdict_of(advice);
    if (!verdict.best) throw Error("nothing was measured that a profile could be made of", "Measure longer: --for SECONDS.", Exit::failed);
    ResultFile file(options.profile);
    file.write(profile_json(profile_of(measurement.evidence(), advice, verdict.best->drafter)));
    file.commit();
    say("the acceptance of " + verdict.best->drafter + " is in " + options.profile.string());
}

Exit advise_here(const Options& options) {
    std::optional<ResultFile> json; // before anything is measured: can it be written?
    if (!options.json.empty()) json.emplace(options.json);
    std::error_code ignored;
    std::optional<SpeculationProfile> profile;
    if (!options.profile.empty() && std::filesystem::exists(options.profile, ignored))
        profile = read_profile(read_text_file(options.profile, kLargestProfile), options.profile.filename().string());
    const std::shared_ptr<const Models> models = load(options);
    AdvicePlan plan = advice_plan(options, *models);
    std::string of_profile;
    if (profile) {
        of_profile = drafter_of_profile(*profile, options, *models);
        plan.drafters = {of_profile};
        plan.seconds = options.for_seconds.value_or(kAdviseCostSeconds);
        say("acceptance is that of " + options.profile.string() + "; only costs are measured here");
    }
    check_drafter_options(options, plan.drafters.empty() ? models->ready_drafters() : plan.drafters, models->layers());
    if (const std::string warning = busy_warning(busy_cores()); !warning.empty()) say(warning);
    AdviceMeasurement measurement(models, plan);
    const bool whole = run_to_the_end(measurement);
    Advice advice = *measurement.advice();
    if (profile) take_acceptance(advice, *profile, of_profile);
    if (options.json != "-") {
        const Terminal terminal = standard_terminal(options.color);
        print_results(advise_heading(advice, *models, terminal) + advice_text(advice, terminal));
    }
    if (json) {
        json->write(advice_json(advice));
        json->commit();
    }
    if (!options.profile.empty() && !profile) write_profile(options, measurement, advice);
    if (!whole) throw Interrupted{};
    return verdict_of(advice).kind == AdviceVerdict::Kind::none ? Exit::failed : Exit::ok;
}

} // namespace

Exit command_advise(const Options& options) { return options.url.empty() ? advise_here(options) : advise_server(options); }

} // namespace speclens::cli
