#include "engine/published/ablations.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "engine/base/json_read.h"
#include "engine/published/experiment_reader.h"

namespace speclens {
namespace {

constexpr std::size_t kLargestFile = 8'000'000;
constexpr ExperimentReader kReader{"Write it again with assets/recipe/ablations.py; engine/published/ablations.h says what it holds."};

ServedResult read_result(const OrderedJson& object, const std::string& where) {
    ServedResult result;
    result.temperature = kReader.number_of(kReader.member(object, "temperature", where), where);
    const OrderedJson& all = kReader.member(object, "all", where);
    result.prompts = kReader.whole_of(all, "prompts", where);
    result.rounds = kReader.whole_of(all, "rounds", where);
    const OrderedJson& tokens = kReader.member(all, "tokens_per_round", where);
    if (!tokens.is_array() || tokens.size() != 3) kReader.fail(where, "tokens_per_round is not [mean, low, high]");
    result.tokens = kReader.number_of(tokens[0], where);
    result.low = kReader.number_of(tokens[1], where);
    result.high = kReader.number_of(tokens[2], where);
    const OrderedJson& conditional = kReader.member(all, "conditional", where);
    if (!conditional.is_array() || conditional.size() > 64) kReader.fail(where, "conditional is not a list of at most 64");
    for (const OrderedJson& share : conditional) {
        if (share.is_null()) break; // no round came so far
        if (!share.is_array() || share.empty()) kReader.fail(where, "conditional holds something else than [share, low, high]");
        result.conditional.push_back(kReader.number_of(share[0], where));
    }
    return result;
}

// "drafts 15, base logits only"
ServedResult kind_of(const std::string& key, const std::string& where) {
    ServedResult kind;
    kind.base_only = key.ends_with(", base logits only");
    if (std::sscanf(key.c_str(), "drafts %d", &kind.drafts) != 1 || kind.drafts < 1 || kind.drafts > 64)
        kReader.fail(where, "\"" + key.substr(0, 40) + "\" does not say how many drafts were served");
    return kind;
}

// A run that was stopped and went on from its checkpoint repeats some rows: the later ones count.
void read_curve(const OrderedJson& rows, TrainingRun& run, const std::string& where) {
    if (!rows.is_array()) kReader.fail(where, "curve is not a list");
    std::map<double, std::map<std::string, double>> by_position;
    for (const OrderedJson& row : rows) {
        const double position = kReader.number_of(kReader.member(row, "positions", where), where);
        by_position.erase(by_position.lower_bound(position), by_position.end());
        std::map<std::string, double>& values = by_position[position];
        for (const auto& [name, value] : row.items())
            if (name != "positions" && name != "step" && value.is_number()) values[name] = kReader.number_of(value, where);
    }
    for (const auto& [position, values] : by_position) {
        run.positions.push_back(position);
        for (const auto& [name, value] : values) run.curves[name].push_back(value);
    }
    std::erase_if(run.curves, [&](const auto& curve) { return curve.second.size() != run.positions.size(); });
}

TrainingRun read_run(const OrderedJson& object, const std::string& where) {
    TrainingRun run;
    run.seed = kReader.whole_of(object, "seed", where);
    run.steps = kReader.whole_of(object, "steps", where);
    const OrderedJson& method = kReader.member(object, "method", where);
    if (!method.is_string()) kReader.fail(where, "method is not a name");
    run.method = method.get<std::string>();
    if (object.contains("arguments")) {
        if (!object["arguments"].is_array()) kReader.fail(where, "arguments is not a list");
        for (const OrderedJson& argument : object["arguments"]) {
            if (!argument.is_string()) kReader.fail(where, "arguments holds something else than words");
            run.arguments.push_back(argument.get<std::string>());
        }
    }
    read_curve(kReader.member(object, "curve", where), run, where);
    const OrderedJson& served = kReader.member(object, "served", where);
    if (!served.is_object()) kReader.fail(where, "served is not an object");
    for (const auto& [key, results] : served.items()) {
        const ServedResult kind = kind_of(key, where);
        if (!results.is_array()) kReader.fail(where, "\"" + key + "\" is not a list");
        for (const OrderedJson& one : results) {
            ServedResult result = read_result(one, where + ", " + key);
            result.drafts = kind.drafts;
            result.base_only = kind.base_only;
            run.served.push_back(std::move(result));
        }
    }
    return run;
}

// The object under these two names; null: there is none.
OrderedJson object_or(const OrderedJson& file, const char* outer, const std::string& inner) {
    const auto found = file.find(outer);
    return found != file.end() && found->is_object() && found->contains(inner) ? found->at(inner) : OrderedJson();
}

} // namespace

const ServedResult* TrainingRun::result(int drafts, bool base_only, double temperature) const {
    for (const ServedResult& one : served)
        if (one.drafts == drafts && one.base_only == base_only && std::abs(one.temperature - temperature) < 1e-9) return &one;
    return nullptr;
}

const AblationStudy* Ablations::find(std::string_view name, std::string_view target) const {
    const auto found =
        std::ranges::find_if(studies, [&](const AblationStudy& study) { return study.name == name && study.target == target; });
    return found == studies.end() ? nullptr : &*found;
}

Ablations parse_ablations(std::string_view json, const std::string& name) {
    const OrderedJson file = OrderedJson::parse_or_discard(json);
    if (!file.is_object()) kReader.fail(name, "not a JSON object");
    Ablations ablations;
    for (const auto& [study_name, arms] : file.items()) {
        if (study_name == "about") continue;
        AblationStudy study;
        study.name = study_name;
        if (const OrderedJson about = object_or(file, "about", study_name); !about.is_null()) {
            study.machine = kReader.text_or(about, "machine");
            study.date = kReader.text_or(about, "date");
            study.target = kReader.text_or(about, "target");
        }
        if (!arms.is_object()) kReader.fail(name + ": " + study_name, "is not an object of arms");
        for (const auto& [arm_name, runs] : arms.items()) {
            const std::string where = name + ": " + study_name + ", " + arm_name;
            if (!runs.is_array()) kReader.fail(where, "is not a list of runs");
            Arm arm{arm_name, {}};
            for (const OrderedJson& run : runs) arm.runs.push_back(read_run(run, where));
            if (!arm.runs.empty()) study.arms.push_back(std::move(arm));
        }
        if (!study.arms.empty()) ablations.studies.push_back(std::move(study));
    }
    return ablations;
}

Ablations load_ablations(const std::filesystem::path& file) {
    return parse_ablations(read_text_file(file, kLargestFile), short_name(file));
}

Ablations load_experiments(const std::filesystem::path& models) {
    namespace fs = std::filesystem;
    std::error_code failure;
    Ablations found;
    if (const fs::path file = models / "ablations.json"; fs::exists(file, failure)) found = load_ablations(file);
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(models, failure)) folders.push_back(entry.path());
    std::ranges::sort(folders);
    for (const fs::path& folder : folders) {
        if (const fs::path file = folder / "long_answers.json"; fs::is_regular_file(file, failure))
            found.long_answers.push_back(load_long_answers(file));
        if (const fs::path file = folder / "ablations.json"; fs::is_regular_file(file, failure))
            std::ranges::move(load_ablations(file).studies, std::back_inserter(found.studies));
    }
    return found;
}

} // namespace speclens
