#include "engine/published/public_models.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "engine/base/json_read.h"
#include "engine/base/values.h"
#include "engine/drafters/drafter_info.h"

namespace speclens {
namespace {

const char* const kPublicRemedy = "Restore assets/public/models.json from the repository.";

PublicModel::Acceptance acceptance_of(const Json& told, std::string source) {
    PublicModel::Acceptance acceptance;
    acceptance.tokens_per_round = told.at("tokens_per_round").get<double>();
    acceptance.dataset = told.at("dataset").get<std::string>();
    acceptance.k = told.at("k").get<int>();
    if (const Json& temperature = told.at("temperature"); temperature.is_number()) acceptance.temperature = temperature.get<double>();
    if (const auto places = told.find("places"); places != told.end())
        for (const Json& place : *places) acceptance.places.push_back(place.get<double>());
    acceptance.second_hand = told.contains("second_hand");
    acceptance.source = std::move(source);
    return acceptance;
}

std::string last_part(const std::string& repository) { return repository.substr(repository.rfind('/') + 1); }

// What stands behind the name of a model in that of a file of its weights: "-Q8_0", ".bf16.gguf".
bool is_form(std::string_view rest) {
    if (rest.empty()) return true;
    if (rest[0] != '-' && rest[0] != '.' && rest[0] != '_') return false;
    std::string form;
    for (const char c : rest.substr(1)) form += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    constexpr std::array kForms = {"q2", "q3", "q4", "q5", "q6", "q8", "iq", "f16", "f32", "bf16", "fp16", "gguf"};
    return std::ranges::any_of(kForms, [&](const char* begin) { return form.starts_with(begin); });
}

} // namespace

std::vector<PublicModel> heads_for(const std::vector<PublicModel>& models, const std::string& target) {
    std::vector<PublicModel> heads;
    for (const PublicModel& model : models) {
        const std::string name = last_part(model.target), loaded = last_part(target);
        if (model.kind == "head" && loaded.starts_with(name) && is_form(std::string_view(loaded).substr(name.size())))
            heads.push_back(model);
    }
    return heads;
}

std::string acceptance_words(const PublicModel& head) {
    if (!head.acceptance) return "";
    const PublicModel::Acceptance& told = *head.acceptance;
    return shortest(told.tokens_per_round) + " tokens per round on " + told.dataset + " (K = " + std::to_string(told.k) +
           (told.temperature ? ", T = " + shortest(*told.temperature) : "") + (told.second_hand ? ", second-hand" : "") + ")";
}

std::string fetching_line(const std::string& repository) { return "hf download " + repository + " --local-dir " + last_part(repository); }

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
        model.refused = text("refused", false);
        if (model.kind != "target" && model.kind != "head") throw wrong("kind is \"" + model.kind + "\"");
        if (model.kind == "head" && find_drafter(model.drafter) == nullptr) throw wrong("there is no drafter \"" + model.drafter + "\"");
        const auto source_of = [&](const Json& of) {
            const auto named = of.find("source");
            if (named == of.end() || !named->is_string() || !sources->contains(named->get<std::string>()))
                throw wrong(model.repository + ": a licence or an acceptance without a source");
            return (*sources)[named->get<std::string>()].get<std::string>();
        };
        try {
            if (const auto licence = entry.find("licence"); licence != entry.end()) {
                (void)source_of(*licence);
                model.licence = licence->at("name").get<std::string>();
            }
            if (const auto told = entry.find("acceptance"); told != entry.end()) model.acceptance = acceptance_of(*told, source_of(*told));
        } catch (const JsonError& error) {
            throw wrong(model.repository + ": " + error.what());
        }
        models.push_back(std::move(model));
    }
    return models;
}

} // namespace speclens
