#include "app/cli/server.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "app/cli/measure.h"
#include "app/cli/output.h"
#include "app/cli/setup.h"
#include "engine/advice/advice_measurement.h"

namespace speclens::cli {

HttpSettings http_settings(const Options& options) {
    HttpSettings settings;
    settings.cancelled = &interrupted();
    settings.key = server_key(options);
    return settings;
}

bool pause(double seconds) {
    const double end = now_ms() + 1000 * seconds;
    while (now_ms() < end) {
        if (interrupted().load()) return false;
        std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(std::min(50.0, std::max(0.0, end - now_ms()))));
    }
    return !interrupted().load();
}

ServerFacts when_loaded(const Endpoint& endpoint, const HttpSettings& http, const std::string& model) {
    for (bool said = false;;) {
        try {
            return probe_server(endpoint, http, model);
        } catch (const ServerLoads& loads) {
            if (!said) say(std::string(loads.what()) + ": waiting for it (Ctrl+C ends)");
            said = true;
            if (!pause(1)) throw Interrupted{};
        }
    }
}

std::vector<GalleryPrompt> server_prompts(const Options& options) {
    const bool own = !options.prompts.empty() || !options.set.empty();
    const std::string file = !options.set.empty()      ? options.set
                             : options.prompts.empty() ? gallery_file(assets_folder(), false).string()
                                                       : options.prompts.string();
    std::vector<GalleryPrompt> prompts = own ? prompt_texts(options) : load_gallery(file);
    if (!options.domain.empty()) std::erase_if(prompts, [&](const GalleryPrompt& p) { return p.domain != options.domain; });
    if (prompts.empty()) throw Error(file + ": no prompts of the domain '" + options.domain + "'", "Leave --domain out.", Exit::usage);
    return mixed_prompts(prompts);
}

RequestSettings request_with(const Options& options, const std::string& prompt, const std::string& system, bool chat) {
    RequestSettings request;
    request.prompt = prompt;
    request.system = system;
    request.chat = chat;
    request.model = options.server_model;
    request.max_tokens = options.max_tokens().value_or(64);
    request.temperature = options.temperature().value_or(0);
    if (options.has("--seed")) request.seed = options.run.seed;
    return request;
}

} // namespace speclens::cli
