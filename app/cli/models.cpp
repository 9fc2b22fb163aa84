// `speclens list models`: the built-in checkpoints, and the public ones whose layout the engine reads.
// Nothing is fetched: the commands are printed.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/terminal.h"
#include "engine/published/public_models.h"
#include "engine/run/models.h"

namespace speclens::cli {

namespace {

namespace fs = std::filesystem;
using Out = nlohmann::ordered_json;

std::string size_text(double parameters) {
    if (parameters == 0) return "size unknown";
    return number(parameters / 1e9, 2) + " B, " + number(parameters * 2 / 1e9, 1) + " GB"; // bfloat16
}

std::string folder_of(const std::string& repository) {
    return repository.substr(repository.rfind('/') + 1);
}

struct BuiltIn {
    std::string name;
    fs::path folder;
};

std::vector<BuiltIn> built_in() {
    std::vector<BuiltIn> models;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(assets_folder() / "models", ignored))
        if (fs::exists(entry.path() / "config.json", ignored))
            models.push_back({entry.path().filename().string(), entry.path()});
    std::ranges::sort(models, {}, &BuiltIn::name);
    return models;
}

std::string about_built_in(const std::string& name) {
    return name == "target" ? "the built-in target" : "built in";
}

Out json_of(const PublicModel& model) {
    Out json = {{"name", model.repository},
                {"title", size_text(model.parameters)},
                {"about", model.about},
                {"kind", model.kind}};
    if (model.kind == "head") {
        json["drafter"] = model.drafter;
        json["target"] = model.target;
    }
    json["parameters"] = model.parameters > 0 ? Out(model.parameters) : Out(nullptr);
    json["source"] = model.source;
    return json;
}

} // namespace

Exit list_models(const Options& options) {
    const std::vector<PublicModel> models = read_public_models(assets_folder() / "public" / "models.json");
    if (!options.json.empty()) {
        Out json = Out::array();
        for (const BuiltIn& model : built_in())
            json.push_back({{"name", model.name},
                            {"title", model.folder.string()},
                            {"about", about_built_in(model.name)},
                            {"kind", "built in"}});
        for (const PublicModel& model : models) json.push_back(json_of(model));
        print(json.dump(2) + "\n");
        return Exit::ok;
    }
    const Terminal terminal = standard_terminal(options.color);
    print(terminal.paint(Tone::strong, "built in") + "\n");
    for (const BuiltIn& model : built_in())
        print("  " + pad(model.name, 10) + about_built_in(model.name) + ", " + model.folder.string() + "\n");

    int names = 0;
    for (const PublicModel& model : models) names = std::max(names, columns(model.repository));
    const auto line = [&](const PublicModel& model) {
        print("  " + pad(model.repository, names + 2) + pad(size_text(model.parameters), 16) + model.about +
              "\n");
    };
    print("\n" + terminal.paint(Tone::strong, "public targets") + "\n");
    for (const PublicModel& model : models)
        if (model.kind == "target") line(model);
    std::string group;
    const PublicModel* example = nullptr;
    for (const PublicModel& model : models) {
        if (model.kind != "head") continue;
        if (model.drafter != group)
            print("\n" + terminal.paint(Tone::strong, "public heads for the drafter " + model.drafter) +
                  "\n");
        group = model.drafter;
        line(model);
        if (!example) example = &model;
    }
    print("\nSizes are those of bfloat16 weights. None was downloaded for this list; their layouts are "
          "tested with random values.\n");
    if (example)
        print("To try one, fetch it and its target, then run (nothing is fetched by SpecLens):\n"
              "  hf download " +
              example->target + " --local-dir " + folder_of(example->target) +
              "\n"
              "  hf download " +
              example->repository + " --local-dir " + folder_of(example->repository) +
              "\n"
              "  speclens check --model " +
              folder_of(example->target) + " --drafter " + example->drafter + "=" +
              folder_of(example->repository) + "\n");
    return Exit::ok;
}

} // namespace speclens::cli
