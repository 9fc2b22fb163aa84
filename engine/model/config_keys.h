// Keys of a config.json, and of a GGUF file's metadata behind its architecture, come in four kinds. Applied ones are read, by
// lists of each dialect: those of models here, those of heads in engine/heads/head_keys.h. Harmless ones change nothing that is
// computed, by the source that stands beside them. A neutral value (false, null, 1, in most places 0, a word) says that something is not
// there. Whatever else is a number, true or a list may be a part of the network that nothing here computes, and is refused by its name.
#pragma once

#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"

namespace speclens {

class Fields; // engine/weights/config_fields.h
class Gguf;   // engine/weights/gguf.h

using KeyList = std::span<const std::string_view>;
[[nodiscard]] KeyList geometry_keys();      // of a stack of layers, with the names of its rotary sections
[[nodiscard]] KeyList rope_keys();          // within rope_scaling and rope_parameters
[[nodiscard]] KeyList model_keys();         // of models beside those of geometry
[[nodiscard]] KeyList gguf_geometry_keys(); // behind "llama.", of a stack of layers
[[nodiscard]] KeyList gguf_model_keys();    // of models beside those

struct HarmlessKey {
    std::string_view name, source; // who says that it changes nothing
};
[[nodiscard]] std::span<const HarmlessKey> harmless_keys();      // of config.json, in any section
[[nodiscard]] std::span<const HarmlessKey> harmless_gguf_keys(); // behind the architecture

// Throw Error naming the first key that is neither applied nor harmless and whose value is not neutral.
void refuse_unread(const Fields& fields, std::initializer_list<KeyList> applied);
void refuse_unread(const Gguf& file, const std::string& architecture, std::initializer_list<KeyList> applied);

// What --ignore-config names: keys, or the end of their place ("output_multiplier", "dflash_config.output_multiplier", "logit_scale" for
// "llama.logit_scale").
using IgnoredKeys = std::set<std::string, std::less<>>;
[[nodiscard]] bool is_named(std::string_view place, std::string_view key);
// Take away what is named, so that everything is read as if it were not there; the places of what was.
[[nodiscard]] std::vector<std::string> take_ignored(Json& json, const IgnoredKeys& ignored);
[[nodiscard]] std::vector<std::string> take_ignored(Gguf& file, const IgnoredKeys& ignored);
// A line for each, for notices.
[[nodiscard]] std::string ignored_notice(const std::string& file, const std::vector<std::string>& places);

} // namespace speclens
