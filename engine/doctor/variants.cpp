#include "engine/doctor/variants.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/base/json_read.h"
#include "engine/drafters/draft_network.h"
#include "engine/weights/config_fields.h"

namespace speclens {
namespace {

using Method = DraftConfig::Method;

constexpr SaidOf<"drafters"> kVariant;

constexpr const char* kTapKeys[] = {"target_layer_ids", "eagle_aux_hidden_state_layer_ids", "aux_hidden_state_layer_ids"};
constexpr const char* kGeometry = "transformer_layer_config"; // where speculators keeps it

Json read_config_json(const std::filesystem::path& folder) {
    const std::filesystem::path file = folder / "config.json";
    return parse_json_object(read_text_file(file, kLargestConfig), short_name(file), "Is this the config.json of a draft head?");
}

const Json* member(const Json& json, const char* name) {
    const auto found = json.find(name);
    return found == json.end() || found->is_null() ? nullptr : &*found;
}

// What changes in one file, key by key.
class Patch {
  public:
    explicit Patch(const Json& config) : config_(config) {}
    // A key of the head: in the section that has it, else at the top, which every dialect reads.
    Patch& head(const char* key, const Json& value) {
        for (const char* section : {"dflash_config", "eagle_config"})
            if (const Json* inner = member(config_, section); inner != nullptr && inner->is_object() && member(*inner, key) != nullptr) {
                patch_[section][key] = value;
                return *this;
            }
        patch_[key] = value;
        return *this;
    }
    // A key of its layers.
    Patch& geometry(const char* key, const Json& value) {
        geometry_patch()[key] = value;
        return *this;
    }
    // The base of the rotation wherever it stands.
    Patch& theta(double value) {
        const Json& geometry = geometry_json();
        bool nested = false;
        for (const char* section : {"rope_parameters", "rope_scaling"})
            if (const Json* inner = member(geometry, section); inner != nullptr && inner->is_object() && member(*inner, "rope_theta")) {
                geometry_patch()[section]["rope_theta"] = value;
                nested = true;
            }
        if (!nested || member(geometry, "rope_theta") != nullptr) geometry_patch()["rope_theta"] = value;
        return *this;
    }
    [[nodiscard]] const Json& geometry_json() const {
        const Json* nested = member(config_, kGeometry);
        return nested != nullptr && nested->is_object() ? *nested : config_;
    }
    [[nodiscard]] std::string text() const { return patch_.dump(); }

  private:
    Json& geometry_patch() { return &geometry_json() == &config_ ? patch_ : patch_[kGeometry]; }

    const Json& config_;
    Json patch_ = Json::object();
};

class Maker {
  public:
    Maker(const DraftNetwork& head, const Json& config) : head_(head), config_(config), c_(head.config) {}

    std::vector<Variant> make() {
        taps();
        if (c_.block > 0) anchor();
        if (c_.method == Method::eagle3) norms();
        rope();
        if (!head_.target_id.empty()) ids();
        if (c_.method == Method::domino) corrections();
        if (!c_.windows.empty())
            add(c_.window_causal ? "rows of a window see the whole block" : "rows of a window see the rows before them only",
                c_.window_causal ? kVariant("variant.window:whole"_t) : kVariant("variant.window:causal"_t),
                Patch(config_).head("sliding_window_non_causal", c_.window_causal));
        return std::move(variants_);
    }

  private:
    void add(const std::string& what, const Said& said, const Patch& patch) { variants_.push_back({what, patch.text(), {said}}); }

    // The lists of tapped layers that the file has, or the one that is taken where it has none.
    std::vector<std::pair<const char*, std::vector<int>>> tap_lists() const {
        std::vector<std::pair<const char*, std::vector<int>>> lists;
        for (const char* key : kTapKeys) {
            const Json* list = member(config_, key);
            for (const char* section : {"dflash_config", "eagle_config"})
                if (const Json* inner = member(config_, section); inner != nullptr && inner->is_object() && member(*inner, key) != nullptr)
                    list = member(*inner, key);
            if (list == nullptr || !list->is_array() || list->size() != c_.taps.size()) continue;
            std::vector<int> layers;
            for (const Json& layer : *list) layers.push_back(layer.get<int>());
            lists.emplace_back(key, std::move(layers));
        }
        if (!lists.empty()) return lists;
        const bool speculators = member(config_, kGeometry) != nullptr, eagle = c_.method == Method::eagle3;
        std::vector<int> layers = c_.taps;
        for (int& layer : layers) layer += speculators ? 1 : 0; // counted as a state enters them
        return {{eagle ? kTapKeys[1] : speculators ? kTapKeys[2] : kTapKeys[0], layers}};
    }

    template <class Change>
    void tapped(const std::string& what, const Said& said, const Change& change) {
        std::vector<int> taps = c_.taps;
        change(taps);
        if (taps == c_.taps || !taps_problem(taps, 0, 0, head_.target->config.layers).empty()) return;
        Patch patch(config_);
        for (auto [key, layers] : tap_lists()) {
            change(layers);
            patch.head(key, layers);
        }
        add(what, said, patch);
    }

    void taps() {
        for (const int by : {1, -1}) {
            const std::string where = by > 0 ? "one deeper" : "one earlier";
            tapped("all tapped layers " + where, kVariant("variant.taps"_t, "deeper"_v = by > 0), [&](std::vector<int>& taps) {
                for (int& tap : taps) tap += by;
            });
            for (std::size_t i = 0; c_.taps.size() > 1 && i < c_.taps.size(); ++i)
                tapped("tapped layer " + std::to_string(c_.taps[i]) + " " + where,
                       kVariant("variant.tap"_t, "layer"_v = c_.taps[i], "deeper"_v = by > 0),
                       [&](std::vector<int>& taps) { taps[i] += by; });
        }
        tapped("tapped layers in the opposite order", kVariant("variant.reversed"_t),
               [](std::vector<int>& taps) { std::ranges::reverse(taps); });
    }

    // Which row of a block is its first guess. The layouts of deepseek-ai (no key) always guess at the anchor.
    void anchor() {
        const bool shifts = c_.method == Method::domino && member(config_, kGeometry) == nullptr;
        const char* key = shifts ? "shift_label" : "sample_from_anchor";
        if (c_.architecture == "Qwen3DSparkModel" || (c_.method == Method::dspark && member(config_, kGeometry) == nullptr)) return;
        add(c_.anchor_aligned ? "the anchor's row guesses nothing" : "the anchor's row is the first guess",
            c_.anchor_aligned ? kVariant("variant.anchor:silent"_t) : kVariant("variant.anchor:guesses"_t),
            Patch(config_).head(key, !c_.anchor_aligned));
    }

    void norms() {
        const auto flip = [&](const char* key, bool now, const std::string& on, const std::string& off, const Said& said) {
            add(now ? off : on, said, Patch(config_).head(key, !now));
        };
        flip("norm_before_residual", c_.norm_before_residual, "the residual starts behind the norm", "the residual starts before the norm",
             kVariant("variant.residual"_t, "behind"_v = !c_.norm_before_residual));
        flip("norm_output", c_.norm_output, "the next guess reads the normed state", "the next guess reads the state before the norm",
             kVariant("variant.output"_t, "normed"_v = !c_.norm_output));
        flip("norm_before_fc", c_.norm_before_fc, "one norm of all taps before fc", "no norm of all taps before fc",
             kVariant("variant.joined_norm"_t, "on"_v = !c_.norm_before_fc));
        flip("fc_norm", c_.fc_norm, "a norm of each tap before fc", "no norm of each tap before fc",
             kVariant("variant.tap_norm"_t, "on"_v = !c_.fc_norm));
    }

    void rope() {
        std::set<double> bases = {head_.target->config.rope_theta, 1e4, 5e5, 1e6};
        for (const double base : bases) {
            if (std::abs(base - c_.layer.rope_theta) < 1e-9 * base) continue;
            const bool targets = base == head_.target->config.rope_theta;
            add("rotary base " + std::to_string(std::llround(base)) + (targets ? ", the target's" : ""),
                kVariant("variant.base"_t, "base"_v = base, "targets"_v = targets), Patch(config_).theta(base));
        }
        add(c_.interleaved ? "rotary halves (i, i + d/2)" : "rotary pairs (2i, 2i + 1)",
            c_.interleaved ? kVariant("variant.rotary:halves"_t) : kVariant("variant.rotary:pairs"_t),
            Patch(config_).head("is_neox_style", c_.interleaved));
        Patch patch(config_);
        if (const Json* scaling = member(patch.geometry_json(), "rope_scaling"); scaling != nullptr)
            add("no scaling of the rotation", kVariant("variant.unscaled"_t), patch.geometry("rope_scaling", Json()));
    }

    void ids() {
        const bool differ = std::ranges::any_of(head_.target_id, [i = 0](int id) mutable { return id != i++; });
        if (differ)
            add(c_.d2t_ids ? "d2t holds offsets" : "d2t holds ids",
                c_.d2t_ids ? kVariant("variant.d2t:offsets"_t) : kVariant("variant.d2t:ids"_t),
                Patch(config_).head("d2t_holds", c_.d2t_ids ? "offsets" : "ids"));
    }

    void corrections() {
        for (const int prefix : {0, 1, 2})
            if (prefix != c_.prefix)
                add("correction from guess " + std::to_string(prefix + 1) + " on", kVariant("variant.correction"_t, "guess"_v = prefix + 1),
                    Patch(config_).head("pure_draft_prefix_len", prefix));
    }

    const DraftNetwork& head_;
    const Json& config_;
    const DraftConfig& c_;
    std::vector<Variant> variants_;
};

bool disjoint(const Json& a, const Json& b) {
    return std::ranges::all_of(a.items(), [&](const auto& one) {
        const auto& [name, value] = one;
        return !b.contains(name) || (value.is_object() && b[name].is_object() && disjoint(value, b[name]));
    });
}

void merge_patches(Json& into, const Json& patch) { // null stays: it removes a key of the file
    for (const auto& [name, value] : patch.items()) {
        if (value.is_object() && into.contains(name) && into[name].is_object())
            merge_patches(into[name], value);
        else
            into[name] = value;
    }
}

} // namespace

std::string Variant::line() const {
    if (changes.size() < 2) return "";
    std::string text;
    bool quoted = false; // a space behind what separates, outside of strings
    for (const char c : changes.substr(1, changes.size() - 2)) {
        if (c == '"') quoted = !quoted;
        text += c;
        if (!quoted && (c == ':' || c == ',')) text += ' ';
    }
    return text;
}

bool has_variants(std::string_view method) {
    return std::ranges::any_of(
        std::initializer_list<Method>{Method::eagle3, Method::dflash, Method::dflash2, Method::domino, Method::dspark},
        [&](Method known) { return method == name_of(known); });
}

std::vector<Variant> variants_of(const DraftNetwork& head) {
    if (!has_variants(name_of(head.config.method)))
        throw Error(
            std::string("the doctor knows no other way to read a head of the kind ") + name_of(head.config.method),
            "It examines EAGLE-3 heads and block heads (DFlash, DFlash 2, Domino, DSpark). For MTP heads speclens check tells by itself "
            "which state of the target they want.",
            Exit::usage);
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(head.path / "config.json", ignored))
        throw Error(
            head.name + " has no config.json that could be wrong",
            "The doctor examines heads in folders (config.json and model.safetensors), not GGUF files or heads that were just trained.",
            Exit::usage);
    const Json config = read_config_json(head.path);
    return Maker(head, config).make();
}

bool go_together(const Variant& a, const Variant& b) {
    return disjoint(parse_json_object(a.changes, "patch", ""), parse_json_object(b.changes, "patch", ""));
}

Variant together(const Variant& a, const Variant& b) {
    Json patch = parse_json_object(a.changes, "patch", "");
    merge_patches(patch, parse_json_object(b.changes, "patch", ""));
    std::vector<Said> said = a.said;
    said.insert(said.end(), b.said.begin(), b.said.end());
    return {a.what + "; " + b.what, patch.dump(), said};
}

std::vector<int> layers_read(const DraftNetwork& head) {
    std::set<int> layers;
    for (const int tap : head.config.taps)
        for (int layer = std::max(0, tap - 1); layer <= std::min(head.target->config.layers - 1, tap + 1); ++layer) layers.insert(layer);
    layers.insert(head.config.taps.begin(), head.config.taps.end());
    return {layers.begin(), layers.end()};
}

} // namespace speclens
