#include "engine/run/options_json.h"

#include <cmath>
#include <string>
#include <utility>

#include "engine/run/trace_fields.h"

namespace speclens {
namespace {

// Calls `field(name, member)` for every option.
template <typename Field>
void each_option(const Field& field) {
    using O = DrafterOptions;
    field("ngram_min", &O::ngram_min);
    field("ngram_max", &O::ngram_max);
    field("ngram_recent", &O::ngram_recent);
    field("exit_layer", &O::exit_layer);
    field("skip_attention", &O::skip_attention);
    field("skip_mlp", &O::skip_mlp);
    field("conditioning", &O::conditioning);
    field("context_last", &O::context_last);
    field("tap_shift", &O::tap_shift);
    field("correction", &O::correction);
    field("confidence", &O::confidence);
    field("fr_spec", &O::fr_spec);
    field("ngram_weight", &O::ngram_weight);
    field("head_pool", &O::head_pool);
    field("tree_topk", &O::tree_topk);
    field("tree_depth", &O::tree_depth);
    field("tree_budget", &O::tree_budget);
}

struct ReadOption {
    const trace_file::Reader& from;
    void operator()(const char* name, int& to) const {
        const double value = from.finite(name); // a shift may be negative
        if (value != std::trunc(value) || std::abs(value) > 1e6)
            throw trace_file::Malformed{std::string("\"") + name + "\" must be an integer up to a million"};
        to = static_cast<int>(value);
    }
    void operator()(const char* name, bool& to) const { to = from.flag(name); }
    void operator()(const char* name, double& to) const { to = from.finite(name); }
    void operator()(const char* name, std::vector<int>& to) const { to = from.ids(name); }
};

}  // namespace

nlohmann::ordered_json options_json(const DrafterOptions& options) {
    const DrafterOptions usual;
    nlohmann::ordered_json changed = nlohmann::ordered_json::object();
    each_option([&](const char* name, auto member) {
        if (options.*member != usual.*member) changed[name] = options.*member;
    });
    return changed;
}

DrafterOptions drafter_options_of(const nlohmann::ordered_json& object) {
    if (!object.is_object()) throw trace_file::Malformed{"\"options\" must be an object"};
    DrafterOptions options;
    const trace_file::Reader reader(object);
    each_option([&](const char* name, auto member) {
        if (object.contains(name)) ReadOption{reader}(name, options.*member);
    });
    return options;
}

}  // namespace speclens
