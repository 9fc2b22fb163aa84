#include "engine/published/public_models.h"

#include "engine/base/json_read.h"
#include "engine/drafters/drafter_info.h"

namespace speclens {

namespace {
const char* const kPublicRemedy = "Restore assets/public/models.json from the repository.";
}

std::vector<PublicModel> read_public_models(const std::filesystem::path& file) {
    const std::string name = short_name(file);
    const Json json = parse_json_object(read_text_file(file, 1 << 20), name, kPublicRemedy);
    const auto wrong = [&](const std::string& what) { return Error(name + ": " + what, kPublicRemedy); };
    const auto list = json.find("models");
    const auto sources = json.find("sources");
    if (list == json.end() || !list->is_array() || sources == json.end() || !sources->is_object())
        throw wrong("models or sources are missing");
    std::vector<PublicModel> models;
    for (const Json& entry : *list) {
        if (!entry.is_object()) throw wrong("an entry is no object");
        const auto text = [&](const char* field, bool needed) {
            const auto found = entry.find(field);
            if (found == entry.end() && !needed) return std::string();
            if (found == entry.end() || !found->is_string()) throw wrong(std::string(field) + " of an entry is missing or no text");
            return found->get<std::string>();
        };
        PublicModel model;
        model.repository = text("repository", true);
        model.kind = text("kind", true);
        model.drafter = text("drafter", model.kind == "head");
        model.target = text("target", model.kind == "head");
        model.about = text("about", true);
        const std::string source = text("source", true);
        if (!sources->contains(source)) throw wrong("no source \"" + source + "\"");
        model.source = (*sources)[source].get<std::string>();
        if (const auto count = entry.find("parameters"); count != entry.end() && count->is_number())
            model.parameters = count->get<double>();
        if (model.kind != "target" && model.kind != "head") throw wrong("kind is \"" + model.kind + "\"");
        if (model.kind == "head" && find_drafter(model.drafter) == nullptr) throw wrong("there is no drafter \"" + model.drafter + "\"");
        models.push_back(std::move(model));
    }
    return models;
}

} // namespace speclens
