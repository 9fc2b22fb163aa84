// `speclens list models`: the built-in checkpoints, those that were fetched, with --scan those that other programs keep
// on this disk, and the public ones whose layout the engine reads. Nothing is fetched: the commands are printed.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/terminal.h"
#include "engine/base/json.h"
#include "engine/fetch/fetch.h"
#include "engine/found/found.h"
#include "engine/models/models.h"
#include "engine/models/shipped_heads.h"
#include "engine/published/public_models.h"

namespace speclens::cli {

namespace {

namespace fs = std::filesystem;

std::string size_text(double parameters) {
    if (parameters == 0) return "size unknown";
    return number(parameters / 1e9, 2) + " B, " + number(parameters * 2 / 1e9, 1) + " GB"; // bfloat16
}

struct BuiltIn {
    std::string name;
    fs::path folder;
};

std::vector<BuiltIn> built_in() {
    std::vector<BuiltIn> models;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(assets_folder() / "models", ignored))
        if (fs::exists(entry.path() / "config.json", ignored)) models.push_back({entry.path().filename().string(), entry.path()});
    std::ranges::sort(models, {}, &BuiltIn::name);
    return models;
}

constexpr const char* kOurs = "speclens get";

// What is on this disk: what was fetched, then what others keep there where that was asked for.
std::vector<FoundModel> on_this_disk(bool scan) {
    std::vector<Place> places;
    if (std::getenv("XDG_DATA_HOME") || std::getenv("HOME")) places.push_back({kOurs, fetched_folder()});
    if (scan) std::ranges::copy(known_places(), std::back_inserter(places));
    std::vector<FoundModel> models;
    for (const Place& place : places) {
        Found found = find_models(place);
        if (!found.incomplete.empty()) say(place.name + ", " + printable(place.root.string()) + ": " + found.incomplete);
        std::ranges::move(found.models, std::back_inserter(models));
    }
    return models;
}

std::string drafter_text(const FoundModel& model) {
    return (model.facts.drafter.empty() ? "small" : model.facts.drafter) + "=" + model.name;
}

// Heads that name this repository as their target: on this disk or not.
std::vector<std::string> public_heads(const FoundModel& model, const std::vector<PublicModel>& known) {
    std::vector<std::string> heads;
    for (const PublicModel& one : heads_for(known, model.name))
        if (one.refused.empty()) heads.push_back(one.drafter + "=" + one.repository);
    return heads;
}

std::string facts_text(const FoundModel& model) {
    std::string text = model.facts.family.empty() ? "family not told" : visible(model.facts.family);
    if (!model.facts.drafter.empty()) text += ", a head for " + model.facts.drafter;
    text += ", " + megabytes(static_cast<double>(model.bytes));
    text += ", " + (model.facts.weights.empty() ? "type of weights not told" : visible(model.facts.weights));
    if (model.facts.vocab > 0) text += ", " + grouped(model.facts.vocab) + " tokens";
    return text;
}

void print_found(const std::vector<FoundModel>& models, const std::vector<PublicModel>& known, bool scanned, const Terminal& terminal) {
    std::string place;
    for (const FoundModel& model : models) {
        if (model.place != place) print("\n" + terminal.paint(Tone::strong, "on this disk, " + model.place) + "\n");
        place = model.place;
        print("  " + visible(model.name) + "\n      " + facts_text(model) + "\n      " + visible(model.path.string()) + "\n");
        std::string drafters;
        for (const FoundModel* other : possible_drafters(model, models))
            drafters += (drafters.empty() ? "" : ", ") + visible(drafter_text(*other));
        if (!drafters.empty()) print("      could draft for it: " + drafters + "\n");
        std::string heads;
        for (const std::string& head : public_heads(model, known)) heads += (heads.empty() ? "" : ", ") + head;
        if (!heads.empty()) print("      public heads for it: " + heads + "\n");
    }
    if (scanned && models.empty()) print("\nno other models were found on this disk\n");
}

OrderedJson json_of(const FoundModel& model, const std::vector<FoundModel>& all, const std::vector<PublicModel>& known) {
    const auto told = [](const std::string& text) { return text.empty() ? OrderedJson(nullptr) : OrderedJson(text); };
    const auto counted = [](int number) { return number > 0 ? OrderedJson(number) : OrderedJson(nullptr); };
    OrderedJson drafters = OrderedJson::array();
    for (const FoundModel* other : possible_drafters(model, all))
        drafters.push_back({{"drafter", other->facts.drafter.empty() ? "small" : other->facts.drafter},
                            {"name", other->name},
                            {"path", other->path.string()}});
    return {{"name", model.name},
            {"title", model.path.string()},
            {"about", model.facts.drafter.empty() ? "on this disk" : "a head on this disk"},
            {"kind", "found"},
            {"source", model.place},
            {"family", told(model.facts.family)},
            {"bytes", model.bytes},
            {"weights", told(model.facts.weights)},
            {"tokens", counted(model.facts.vocab)},
            {"width", counted(model.facts.hidden)},
            {"drafter", told(model.facts.drafter)},
            {"could_draft", std::move(drafters)},
            {"public_heads", public_heads(model, known)}};
}

// The drafters whose heads for it come with the program.
std::vector<std::string> built_in_heads(const Fetchable& what) {
    std::vector<std::string> names;
    for (const auto& [name, folder] : heads_in(assets_folder() / "models" / what.name).networks) names.push_back(name);
    return names;
}

// What stands for a model that can be fetched.
OrderedJson json_of(const Fetchable& what) {
    return {{"name", what.name},
            {"title", title_with_draft(what)},
            {"about", what.about},
            {"kind", "fetchable"},
            {"source", "https://huggingface.co/" + what.repository + ", " + what.mirror},
            {"bytes", bytes_with_draft(what)},
            {"licence", what.licence},
            {"heads", built_in_heads(what)},
            {"command", "speclens get " + what.name}};
}

std::string about_built_in(const std::string& name) { return name == "target" ? "the built-in target" : "built in"; }

OrderedJson json_of(const PublicModel& model) {
    OrderedJson json = {{"name", model.repository}, {"title", size_text(model.parameters)}, {"about", model.about}, {"kind", model.kind}};
    if (model.kind == "head") {
        json["drafter"] = model.drafter;
        json["target"] = model.target;
        json["maker"] = model.maker();
        json["licence"] = model.licence.empty() ? OrderedJson(nullptr) : OrderedJson(model.licence);
        json["acceptance"] = nullptr;
        if (const auto& told = model.acceptance)
            json["acceptance"] = {{"tokens_per_round", told->tokens_per_round},
                                  {"dataset", told->dataset},
                                  {"k", told->k},
                                  {"temperature", told->temperature ? OrderedJson(*told->temperature) : OrderedJson(nullptr)},
                                  {"places", told->places},
                                  {"second_hand", told->second_hand},
                                  {"source", told->source}};
        json["checked_here"] = false;
        json["refused"] = model.refused.empty() ? OrderedJson(nullptr) : OrderedJson(model.refused);
        json["command"] = fetching_line(model.repository);
    }
    json["parameters"] = model.parameters > 0 ? OrderedJson(model.parameters) : OrderedJson(nullptr);
    json["source"] = model.source;
    return json;
}

} // namespace

Exit list_heads(const Options& options) {
    const std::vector<PublicModel> models = read_public_models(assets_folder() / "public" / "models.json");
    const std::string target = options.words.size() > 1 ? options.words[1] : "";
    std::vector<PublicModel> heads;
    if (target.empty())
        std::ranges::copy_if(models, std::back_inserter(heads), [](const PublicModel& model) { return model.kind == "head"; });
    else
        heads = heads_for(models, target);
    if (heads.empty()) {
        std::vector<std::string> known;
        for (const PublicModel& model : models)
            if (model.kind == "target" && !heads_for(models, model.repository).empty()) known.push_back(model.repository);
        unknown_name("target with public heads", target, known);
    }
    if (!options.json.empty()) {
        OrderedJson json = OrderedJson::array();
        for (const PublicModel& head : heads) json.push_back(json_of(head));
        print(json.dump(2) + "\n");
        return Exit::ok;
    }
    std::ranges::stable_sort(heads, {}, &PublicModel::target);
    const Terminal terminal = standard_terminal(options.color);
    std::string before;
    for (const PublicModel& head : heads) {
        if (head.target != before)
            print((before.empty() ? "" : "\n") + terminal.paint(Tone::strong, "public heads for " + head.target) + "\n  " +
                  fetching_line(head.target) + "\n");
        before = head.target;
        print("  " + head.repository + "\n      " + head.drafter + ", by " + head.maker() + ", " + size_text(head.parameters) + ", " +
              (head.licence.empty() ? "licence not found" : head.licence) + "; " + head.about + "\n");
        if (head.acceptance) print("      published: " + acceptance_words(head) + "\n        " + head.acceptance->source + "\n");
        print("      " + (head.refused.empty() ? fetching_line(head.repository) : "refused here: " + head.refused) + "\n");
    }
    print(
        "\nNone of them was checked here: what is published is what the source named says, and the layouts are tested with random values.\n"
        "A head goes with its target: --model FOLDER --drafter NAME=FOLDER; tests/released holds them against their cards.\n");
    return Exit::ok;
}

Exit list_models(const Options& options) {
    const std::vector<PublicModel> models = read_public_models(assets_folder() / "public" / "models.json");
    const std::vector<FoundModel> found = on_this_disk(options.scan);
    if (!options.json.empty()) {
        OrderedJson json = OrderedJson::array();
        for (const BuiltIn& model : built_in())
            json.push_back(
                {{"name", model.name}, {"title", model.folder.string()}, {"about", about_built_in(model.name)}, {"kind", "built in"}});
        for (const FoundModel& model : found) json.push_back(json_of(model, found, models));
        for (const Fetchable& what : fetchables()) json.push_back(json_of(what));
        for (const PublicModel& model : models) json.push_back(json_of(model));
        print(json.dump(2, BadUtf8::replaced) + "\n"); // names of a disk may be no UTF-8
        return Exit::ok;
    }
    const Terminal terminal = standard_terminal(options.color);
    print(terminal.paint(Tone::strong, "built in") + "\n");
    for (const BuiltIn& model : built_in())
        print("  " + pad(model.name, 10) + about_built_in(model.name) + ", " + model.folder.string() + "\n");

    print_found(found, models, options.scan, terminal);
    print("\n" + terminal.paint(Tone::strong, "by name, fetched by speclens get") + "\n");
    for (const Fetchable& what : fetchables()) {
        std::string heads;
        for (const std::string& name : built_in_heads(what)) heads += (heads.empty() ? "" : ", ") + name;
        print("  speclens get " + what.name + (is_fetched(what) ? "  (is here: --model " + what.name + ")  " : "  ") +
              title_with_draft(what) + ", " + megabytes(static_cast<double>(bytes_with_draft(what))) +
              (is_fetched(what) ? ", " : " to fetch, ") + what.licence + "; " + what.about +
              (heads.empty() ? "" : "; heads for it are built in: " + heads) + "\n");
    }

    print("\n" + terminal.paint(Tone::strong, "public targets") + "\n");
    for (const PublicModel& model : models)
        if (model.kind == "target") print("  " + pad(model.repository, 34) + pad(size_text(model.parameters), 16) + model.about + "\n");
    print("\nSizes are those of bfloat16 weights. None was downloaded for this list; their layouts are tested with random values.\n"
          "Heads for them, and the lines that fetch both: speclens list heads\n");
    return Exit::ok;
}

} // namespace speclens::cli
