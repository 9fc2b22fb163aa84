#include "app/cli/view.h"

#include "app/cli/setup.h"
#include "app/cli/values.h"
#include "engine/drafters/drafter_info.h"
#include "engine/models/model_names.h"
#include "engine/models/shipped_heads.h"
#include "engine/run/fitting.h"
#include "kernels/error.h"

namespace speclens::cli {

SceneWord scene_word(const std::string& word) {
    const std::vector<std::string> parts = split(word, ':');
    SceneWord found;
    found.scene = scene_called(parts[0]);
    if (found.scene.empty()) {
        std::vector<std::string> known;
        for (const SceneName& scene : scene_names()) known.push_back(scene.name);
        unknown_name("scene", parts[0], known);
    }
    if (parts.size() > 2) throw Error("'" + word + "' is not SCENE or SCENE:BEAT", "For example loop or loop:3.", Exit::usage);
    if (parts.size() == 2) found.beat = static_cast<int>(whole("BEAT", parts[1], 0, 100000));
    return found;
}

std::string own_drafter(const Options& options, const std::string& scene, const Ready& ready) {
    if (!options.drafters.empty()) return "";
    const std::string drafter = scene == "trees" && !options.has("--rule") ? "small_tree" : find_drafter(scene) ? scene : "";
    return !drafter.empty() && ready(drafter) ? drafter : "";
}

RunSettings scene_settings(const Options& options, const std::string& scene, const std::string& drafter) {
    const bool head = options.drafters.empty() && drafter == scene; // greedy, on a prompt that shows it
    RunSettings settings = run_settings(options, drafter, head ? 0 : kWalkTemperature);
    if (head && !options.prompt && options.run.prompt.token_ids.empty() && options.model.empty()) {
        settings.prompt.text = kHeadPrompt;
        settings.prompt.chat = true;
    }
    if (scene == "race") settings.rule = judging_rule(settings.rule, drafter); // as the lane has it
    settings.internals = true;                                                 // scenes show it
    return settings;
}

SceneView view_of(const Options& options) {
    SceneView view;
    // How a known model is met by who asks for nothing of it. A link without these is an old one, and means what it meant.
    const bool asked_for = options.link || !options.words.empty() || !options.attach.empty();
    const OpeningView opening = asked_for ? OpeningView() : opening_view(options.model.string(), assets_folder());
    view.scene = !options.attach.empty() ? "server" : opening.scene.empty() ? "race" : opening.scene;
    if (options.link) {
        view.scene = scene_word(options.link->scene).scene;
        view.place = {options.link->beat, options.link->at, options.link->selected};
    }
    const ModelPaths paths = model_paths(options);
    const bool bundle = options.model.empty();
    const std::string own = own_drafter(options, view.scene, [&](const std::string&) { return bundle; });
    // Of models that come by name it is known which heads will be there for them.
    const std::filesystem::path heads = assets_folder() / "models" / options.model;
    const bool known = !bundle && is_known_model(options.model.string()) && std::filesystem::is_directory(heads);
    const ShippedHeads shipped = known ? heads_in(heads) : ShippedHeads{};
    const auto will_run = [&](const std::string& drafter) {
        const DrafterInfo& info = *find_drafter(drafter);
        if (info.needs_draft_model()) return bundle || !paths.draft.empty() || !shipped.draft.empty();
        return !info.needs_network() || shipped.networks.contains(drafter);
    };
    const bool measured = !opening.drafter.empty() && will_run(opening.drafter);
    const std::string by_default = measured ? opening.drafter : default_drafter(will_run);
    view.settings = scene_settings(options, view.scene, own.empty() ? chosen_drafter(options, by_default) : own);
    if (!opening.prompt.empty() && view.settings.prompt.text == kFirstPrompt && !options.prompt) view.settings.prompt.text = opening.prompt;
    view.race = race_settings(options, options.run.prompt.token_ids.empty());
    return view;
}

} // namespace speclens::cli
