// `speclens advise`: does speculation pay here, with which drafter and how many draft tokens?
#include <algorithm>
#include <cmath>
#include <optional>

#include "app/cli/advise_text.h"
#include "app/cli/attach_text.h"
#include "app/cli/commands.h"
#include "app/cli/measure.h"
#include "app/cli/output.h"
#include "app/cli/server.h"
#include "app/cli/setup.h"
#include "app/cli/walk_words.h"
#include "engine/advice/advice_json.h"
#include "engine/advice/advice_measurement.h"
#include "engine/advice/advice_words.h"
#include "engine/advice/profile.h"
#include "engine/advice/served_advice.h"
#include "engine/base/json_read.h"
#include "engine/drafters/drafter_info.h"
#include "engine/model/precision.h"
#include "engine/run/gallery.h"
#include "kernels/backend.h"
#include "remote/client/served_text.h"
#include "ui/stories/story_book.h"

namespace speclens::cli {

namespace {

constexpr double kServerSeconds = 60;
constexpr std::size_t kMostAsked = 12;

// Milliseconds a token behind the first, by the server's own clock where it has one; of an answer that is over too soon for
// that those of all of it, reading the prompt included.
std::optional<double> token_ms(const ServedText& served) {
    constexpr int kFewestTokens = 8;
    const std::optional<double> rate = served.reported_tokens_per_second ? served.reported_tokens_per_second : served.tokens_per_second();
    if (rate && *rate > 0) return 1000 / *rate;
    if (served.tokens < kFewestTokens || served.total_ms <= 0) return {};
    return served.total_ms / served.tokens;
}

bool has_drafts(const ServedText& served) { return served.counts && served.counts->drafted > 0; }

struct ServerAnswers {
    ServedEvidence evidence;
    std::optional<SpecCounts> counts;                        // of all these requests; absent: some did not tell
    std::vector<std::pair<std::string, SpecCounts>> domains; // of those that told, by domain
    bool switched_off = false;                               // requests without drafts were answered without
    bool whole = true;                                       // Ctrl+C did not end it
    std::size_t asked = 0, all = 0;                          // prompts
    double seconds = 0;                                      // that these took
};

// Each prompt as the server drafts, then with drafts switched off, as long as that is obeyed.
ServerAnswers ask_all(const Options& options, const Endpoint& endpoint, const ServerFacts& facts, const HttpSettings& http) {
    HttpSettings patient = http;
    patient.silence_seconds = 120; // a queue may be long
    const std::vector<GalleryPrompt> prompts = server_prompts(options);
    ServerAnswers asked;
    asked.counts = SpecCounts{};
    bool try_off = may_switch_off(facts) && !options.plain_rate;
    asked.all = std::min(prompts.size(), kMostAsked);
    ProgressBar bar;
    bar.show("warming up", 0, 0, "");
    const GalleryPrompt& opening = prompts.front();
    RequestSettings first = request_with(options, opening.prompt, opening.system, opening.chat); // the first one of a server is slower
    first.max_tokens = 4;
    try {
        (void)send_request(endpoint, facts, first, patient);
    } catch (const Error&) {
        if (!interrupted().load()) throw;
        asked.whole = false;
        return asked;
    }
    const double began = now_ms(), most = options.for_seconds.value_or(kServerSeconds);
    if (options.for_seconds) patient.until = began / 1000 + 1.05 * most; // an answer that was begun is given up then
    for (; asked.asked < asked.all; ++asked.asked) {
        asked.seconds = (now_ms() - began) / 1000;
        // As many as a verdict takes, unless somebody said how long.
        if (asked.seconds >= most && (options.for_seconds || std::ssize(asked.evidence.prompts) >= kFewestServed)) break;
        const std::size_t i = asked.asked;
        const double fewest = options.for_seconds ? 1 : kFewestServed; // and as many as there is time for
        const double in_time =
            i == 0 ? static_cast<double>(asked.all) : std::ceil(static_cast<double>(i) * most / std::max(asked.seconds, 1e-9));
        bar.show("asking", static_cast<double>(i), std::min(static_cast<double>(asked.all), std::max(fewest, in_time)), "prompts");
        try {
            RequestSettings request = request_with(options, prompts[i].prompt, prompts[i].system, prompts[i].chat);
            const ServedText with = send_request(endpoint, facts, request, patient);
            const std::optional<double> ms = token_ms(with);
            if (with.counts && asked.counts)
                asked.counts = *asked.counts + *with.counts;
            else if (!with.counts)
                asked.counts.reset();
            if (with.counts) {
                const auto found = std::ranges::find(asked.domains, prompts[i].domain, &std::pair<std::string, SpecCounts>::first);
                SpecCounts& sum =
                    found != asked.domains.end() ? found->second : asked.domains.emplace_back(prompts[i].domain, SpecCounts()).second;
                sum = sum + *with.counts;
            }
            if (!ms) continue; // too short to be timed
            ServedTiming timing{*ms, {}};
            if (try_off && has_drafts(with)) {
                request.plain = true;
                const ServedText without = send_request(endpoint, facts, request, patient);
                try_off = !has_drafts(without);
                if (try_off) timing.without_ms = token_ms(without);
                asked.switched_off = asked.switched_off || try_off;
                if (try_off && request.temperature == 0) {
                    ++asked.evidence.texts;
                    asked.evidence.same_texts += with.text() == without.text();
                }
            }
            asked.evidence.prompts.push_back(timing);
        } catch (const Error&) {
            if (!interrupted().load() && now_ms() / 1000 < patient.until) throw;
            asked.whole = !interrupted().load();
            break;
        }
    }
    asked.seconds = (now_ms() - began) / 1000;
    return asked;
}

// What these requests told of themselves, else what the whole server counted meanwhile, else since its start.
void take_counts(ServerAnswers& asked, const std::optional<SpecCounts>& before, const std::optional<SpecCounts>& after) {
    std::optional<SpecCounts> counts = asked.counts;
    if (!counts || counts->empty()) {
        asked.evidence.whole_server = true;
        counts = after;
        if (before && after && !(*after - *before).empty()) counts = *after - *before;
    }
    if (!counts) return;
    asked.evidence.rounds = counts->rounds.value_or(0);
    asked.evidence.drafted = counts->drafted;
    asked.evidence.accepted = counts->accepted;
    asked.evidence.accepted_at = all_places(*counts);
    asked.evidence.shape = draft_shape(*counts);
    asked.evidence.text = text_totals(*counts);
}

std::string advice_text(const ServedAdvice& advice, const ServerAnswers& asked, const Terminal& terminal) {
    std::string text;
    const auto line = [&](const std::string& words) { text += wrap("  " + words, terminal.prose_width(), 2) + "\n"; };
    if (!asked.whole)
        line("Stopped after " + std::to_string(asked.asked) + " of " + counted(static_cast<int>(asked.all), "prompt") + ".");
    else if (asked.asked < asked.all)
        line("Time was up after " + std::to_string(asked.asked) + " of " + counted(static_cast<int>(asked.all), "prompt") + ": --for " +
             number(std::ceil(1.1 * asked.seconds / static_cast<double>(asked.asked) * static_cast<double>(asked.all)), 0) +
             " asks them all.");
    line(counted(advice.prompts, "answer") + " timed one after another" +
         (asked.evidence.whole_server ? "; acceptance is the whole server's, other people's requests included" : "; acceptance is theirs"));
    for (const Said& finding : advice_findings(advice)) line(message(finding));
    std::string told;
    for (const auto& [domain, counts] : asked.domains)
        if (const double rounds = counts.rounds.value_or(0); rounds > 0)
            told += (told.empty() ? "" : ", ") + domain + " " + number(1 + counts.accepted / rounds, 2);
    if (asked.domains.size() > 1 && !told.empty()) line("Tokens a round that drafted, by domain: " + told + ".");
    if (!advice.plain_rate)
        line("No request switched speculation off here: start the server once without it, and give its speed, --plain TOK_S.");
    text += "\n" +
            terminal.paint(advice.kind == ServedAdvice::Kind::keep     ? Tone::accepted
                           : advice.kind == ServedAdvice::Kind::change ? Tone::rejected
                                                                       : Tone::strong,
                           wrap(message(verdict_said(advice)), terminal.prose_width())) +
            "\n";
    return text;
}

void write_profile(const Options& options, const ServerFacts& facts, const ServedEvidence& evidence) {
    if (evidence.shape.tree() || evidence.shape.kind == DraftShape::Kind::open)
        throw Error(evidence.shape.tree() ? "this server drafts trees, and a profile tells of a chain what each place keeps"
                                          : "whether this server drafts chains or trees is not told, and a profile is of chains",
                    evidence.shape.tree() ? "The advice stands without --profile." : "Are its settings in /server_info?", Exit::failed);
    SpeculationProfile profile = profile_of_counts(evidence.rounds, evidence.accepted_at);
    if (!facts.models.empty()) profile.target_model = facts.models.front();
    profile.temperature = options.temperature().value_or(0);
    profile.backend = facts.own() ? "SpecLens" : server_name(facts.kind);
    if (const std::string wrong = broken_identity(profile); !wrong.empty())
        throw Error("the server's counts make no profile: " + wrong, "Were they counted in one run?", Exit::failed);
    ResultFile file(options.profile);
    file.write(profile_json(profile));
    file.commit();
    say("the acceptance that the server counted is in " + options.profile.string());
}

} // namespace

static Exit advise_server(const Options& options) {
    std::error_code ignored;
    if (!options.profile.empty() && std::filesystem::exists(options.profile, ignored))
        throw Error(options.profile.string() + " is there already, and a server's acceptance is what it counts",
                    "Give another name, or leave --url out to advise with this profile.", Exit::usage);
    std::optional<ResultFile> json;
    if (!options.json.empty()) json.emplace(options.json);
    const Endpoint endpoint = parse_endpoint(options.url);
    const HttpSettings http = http_settings(options);
    if (const std::string warning = caution(endpoint, !http.key.empty()); !warning.empty()) say(warning);
    const ServerFacts facts = when_loaded(endpoint, http, options.server_model);
    const Terminal terminal = standard_terminal(options.color);
    ServerAnswers asked = ask_all(options, endpoint, facts, http);
    if (asked.asked == 0 && asked.whole)
        throw Error("--for " + number(*options.for_seconds, 0) + ": not one of " + std::to_string(asked.all) +
                        " prompts was answered in that time, so nothing was measured",
                    "Give it longer, or ask for shorter answers: --max-tokens 16.", Exit::failed);
    if (asked.asked == 0) {
        say("ended before the first of " + std::to_string(asked.all) + " prompts was answered: nothing was measured");
        throw Interrupted{};
    }
    HttpSettings last = http;
    if (!asked.whole) last.cancelled = nullptr, last.silence_seconds = 0.5; // what was measured is told all the same
    const ServerReading after = facts.metrics ? scrape(endpoint, facts, last) : facts.reading;
    take_counts(asked, facts.reading.counts, after.counts);
    asked.evidence.reported_plain_rate = options.plain_rate;
    const ServedAdvice advice = advise_on(asked.evidence);
    if (options.json != "-")
        print_results(terminal.paint(Tone::strong, "SpecLens advise") + " · " + endpoint.shown() + " · " + printable(facts.program()) +
                      " · " + terminal.paint(Tone::muted, "[REMOTE]") + "\n" + advice_text(advice, asked, terminal));
    if (json) {
        json->write(advice_json(advice, endpoint.shown(), message));
        json->commit();
    }
    if (!options.profile.empty()) write_profile(options, facts, asked.evidence);
    if (!asked.whole) throw Interrupted{};
    return advice.kind == ServedAdvice::Kind::none ? Exit::failed : Exit::ok;
}

namespace {

constexpr std::size_t kLargestProfile = 16'000'000;
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
    plan.base.options = options.run.options;
    plan.drafters = typed_drafters(options);
    plan.lengths = options.lengths;
    std::erase(plan.lengths, 0);
    plan.seconds = options.for_seconds.value_or(kAdviceSeconds);
    plan.at_least = !options.for_seconds;
    plan.go_on = [] { return !interrupted().load(); };
    std::vector<GalleryPrompt> prompts;
    for (const auto& [ask, domain, temperature, most] : prompts_of(options, models))
        prompts.push_back({domain, ask.text, ask.system, ask.chat});
    plan.prompts = mixed_prompts(prompts);
    return plan;
}

std::string advise_heading(const Advice& advice, const Models& models, const Terminal& terminal) {
    std::string text = terminal.paint(Tone::strong, "SpecLens advise") + " · " + models.target_name() + " · " +
                       models.backend->description() +
                       (models.precision() == Precision::f32 ? "" : " · " + precision_words(models.precision())) + " · " +
                       terminal.paint(Tone::muted, "[LIVE]") + "\n";
    text += wrap(message(conditions_said(advice)), terminal.prose_width()) + "\n";
    if (advice.plain_ms > 0)
        text += "plain decoding: " + number(advice.plain_ms, 3) + " ms a token, " + rate(1000 / advice.plain_ms) + " tokens a second\n";
    return text + "\n";
}

// Ctrl+C ends the measurement, within a run or a long text too; what is whole by then is told.
void run_to_the_end(AdviceMeasurement& measurement, double seconds) {
    ProgressBar bar;
    bool told = false;
    while (measurement.step()) {
        const std::optional<double> missed = measurement.seconds_missed();
        if (missed && !told) {
            bar.clear();
            // What is foretold of a prompt is of a text as long as it may be.
            if (const double one = measurement.prompt_seconds().value_or(0); one > 2 * seconds)
                throw Error(number(seconds, 0) + " s are too short for one figure: a prompt takes up to " + number(one, 0) +
                                " s here with all that is asked for, and a verdict about " + number(*missed, 0) + " s",
                            "Give it longer, --for " + number(std::ceil(*missed * 1.2), 0) +
                                ", or ask for fewer tokens, drafters or draft lengths: --max-tokens, --drafters, --k.",
                            Exit::failed);
            say(number(seconds, 0) + " s are too short for a verdict: the prompts that it takes need about " + number(*missed, 0) +
                " s here (--for " + number(std::ceil(*missed * 1.2), 0) +
                ", or fewer tokens, drafters or draft lengths: --max-tokens, "
                "--drafters, --k)");
            told = true;
        }
        const bool warms_up = !measurement.left_seconds(); // by how long that takes nothing else is foretold
        bar.show(warms_up ? "warming up" : "measuring", std::round(100 * measurement.done()), warms_up ? 0 : 100, "%");
    }
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
    run_to_the_end(measurement, plan.seconds);
    Advice advice = *measurement.advice();
    if (profile) take_acceptance(advice, *profile, of_profile);
    if (options.json != "-") {
        const Terminal terminal = standard_terminal(options.color);
        print_results(advise_heading(advice, *models, terminal) + advice_text(advice, terminal));
    }
    if (json) {
        json->write(advice_json(advice, message));
        json->commit();
    }
    if (!options.profile.empty() && !profile) write_profile(options, measurement, advice);
    if (interrupted().load()) throw Interrupted{};
    return verdict_of(advice).kind == AdviceVerdict::Kind::none ? Exit::failed : Exit::ok;
}

} // namespace

Exit command_advise(const Options& options) { return options.url.empty() ? advise_here(options) : advise_server(options); }

} // namespace speclens::cli
