// `speclens same`, and `attach URL --same`: did speculation change the greedy text of a server?
#include <algorithm>
#include <memory>
#include <optional>

#include "app/cli/attach_text.h"
#include "app/cli/commands.h"
#include "app/cli/measure.h"
#include "app/cli/output.h"
#include "app/cli/same/same_words.h"
#include "app/cli/server.h"
#include "app/cli/setup.h"
#include "remote/same/same_words.h"
#include "remote/same/server_arm.h"
#include "remote/same/started_server.h"
#include "ui/stories/story_book.h"

namespace speclens::cli {

namespace {

constexpr int kMaxTokens = 128;
constexpr std::size_t kReadyMade = 24; // prompts, where nobody named others
constexpr double kLoadingSeconds = 900;

struct SameServers {
    std::vector<std::unique_ptr<StartedServer>> started; // they live as long as they are asked
    std::vector<SameAsked> arms;
    SameCompare compare = SameCompare::servers;
    std::string heading;
};

std::vector<GreedyPrompt> greedy_prompts(const Options& options) {
    if (options.prompt) return {{*options.prompt, options.run.prompt.system, options.run.prompt.chat}};
    std::vector<GalleryPrompt> ready = server_prompts(options);
    if (options.prompts.empty() && ready.size() > kReadyMade) ready.resize(kReadyMade);
    std::vector<GreedyPrompt> prompts;
    for (const GalleryPrompt& one : ready)
        prompts.push_back({one.prompt, options.has("--system") ? options.run.prompt.system : one.chat ? one.system : "", one.chat});
    return prompts;
}

std::string described(const Endpoint& endpoint, const ServerFacts& facts) { return endpoint.shown() + " · " + printable(facts.program()); }

SameAsked arm_of(const Options& options, Said name, const Endpoint& endpoint, const ServerFacts& facts, HttpSettings http,
                 std::optional<int> drafts, std::optional<int> asked) {
    http.silence_seconds = 300; // an answer comes whole
    return {std::move(name), asked,
            server_arm(endpoint, facts, http, {options.server_model, options.max_tokens().value_or(kMaxTokens), drafts})};
}

// One that was started loads its model before it listens.
ServerFacts when_it_listens(StartedServer& server, const Options& options, const HttpSettings& http) {
    const double end = now_ms() + 1000 * kLoadingSeconds;
    for (;;) {
        if (server.ended())
            throw Error("the server ended before it was asked: " + server.command(),
                        "It said: " + printable(server.last_words().empty() ? "nothing" : server.last_words()), Exit::network);
        try {
            return probe_server(server.endpoint(), http, options.server_model);
        } catch (const Error&) {
            stop_if_interrupted();
            if (now_ms() > end) throw;
        }
        if (!pause(0.2)) throw Interrupted{};
    }
}

SameServers started_servers(const Options& options, const HttpSettings& http) {
    SameServers servers;
    servers.compare = SameCompare::started;
    const std::vector<int> lengths = options.lengths.empty() ? std::vector<int>{0, 2, 4, 8} : options.lengths;
    for (const int k : lengths) servers.started.push_back(std::make_unique<StartedServer>(options.start_command, k));
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        StartedServer& server = *servers.started[i];
        const ServerFacts facts = when_it_listens(server, options, http);
        if (i == 0) servers.heading = message(started_said(lengths.size())) + " · " + described(server.endpoint(), facts);
        servers.arms.push_back(arm_of(options, started_arm_name(lengths[i]), server.endpoint(), facts, http, {}, lengths[i]));
    }
    return servers;
}

SameServers listening_servers(const Options& options, const HttpSettings& http) {
    SameServers servers;
    std::vector<Endpoint> endpoints;
    for (const std::string& word : options.words) endpoints.push_back(parse_endpoint(word));
    if (endpoints.size() == 2 && endpoints[0].shown() == endpoints[1].shown())
        throw Error(endpoints[0].shown() + " is given twice, and every server is held against itself anyway",
                    "Give it once, to compare it with and without drafts, or another one beside it.", Exit::usage);
    for (const Endpoint& endpoint : endpoints)
        if (const std::string warning = caution(endpoint, !http.key.empty()); !warning.empty()) say(warning);
    const ServerFacts facts = when_loaded(endpoints[0], http, options.server_model);
    servers.heading = described(endpoints[0], facts);
    if (endpoints.size() == 2) {
        const ServerFacts others = when_loaded(endpoints[1], http, options.server_model);
        servers.heading += " | " + described(endpoints[1], others);
        servers.arms = {arm_of(options, server_arm_name(endpoints[0].shown()), endpoints[0], facts, http, {}, {}),
                        arm_of(options, server_arm_name(endpoints[1].shown()), endpoints[1], others, http, {}, {})};
        return servers;
    }
    if (!may_switch_off(facts))
        throw Error(endpoints[0].shown() + " is " + server_name(facts.kind) + ", which drafts for every request or for none",
                    "Give a second server without speculation, speclens same URL URL, or a command line that starts one, --command.",
                    Exit::model);
    std::vector<int> lengths = options.lengths;
    std::ranges::sort(lengths);
    servers.compare = lengths.empty() ? SameCompare::drafts_off : SameCompare::lengths;
    if (lengths.empty())
        servers.arms = {arm_of(options, asked_arm_name(0), endpoints[0], facts, http, 0, 0),
                        arm_of(options, asked_arm_name({}), endpoints[0], facts, http, {}, {})};
    for (const int k : lengths) servers.arms.push_back(arm_of(options, asked_arm_name(k), endpoints[0], facts, http, k, k));
    return servers;
}

} // namespace

Exit command_same(const Options& options) {
    SamePlan plan;
    plan.prompts = greedy_prompts(options);
    std::optional<ResultFile> json; // before anything is asked: can it be written?
    if (!options.json.empty()) json.emplace(options.json);
    const HttpSettings http = http_settings(options);
    const SameServers servers = options.start_command.empty() ? listening_servers(options, http) : started_servers(options, http);
    plan.compare = servers.compare;
    plan.repeats = options.has("--repeats") ? options.repeats : plan.repeats;
    plan.seconds = options.for_seconds.value_or(0);
    plan.cancelled = &interrupted();
    ProgressBar bar;
    plan.progress = [&](std::size_t asked, std::size_t of) {
        bar.show("asking", static_cast<double>(asked), static_cast<double>(of), "answers");
    };
    const SameMeasured measured = measure_same(servers.arms, plan);
    bar.clear();
    const bool stopped = interrupted().load();
    if (measured.prompts.empty() && stopped) throw Interrupted{};
    const SameSummary summary = summarize(measured);
    if (options.json != "-")
        print_results(comparison_text(servers.heading, options.max_tokens().value_or(kMaxTokens), measured, summary,
                                      standard_terminal(options.color)));
    if (json) {
        json->write(same_json(measured, summary, message));
        json->commit();
    }
    if (stopped) throw Interrupted{};
    return static_cast<Exit>(summary.verdict);
}

} // namespace speclens::cli
