// The heads and draft models that come with the program: for which target they are is said by its fingerprint, never by a name.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace speclens {

struct ShippedHeads {
    std::map<std::string, std::filesystem::path> networks; // folders of trained heads, by drafter
    std::filesystem::path draft;                           // folder of a small model; empty: there is none
};

// The field of a head's config.json and of a MANIFEST.json that says whose states it reads.
inline constexpr const char* kTrainedOn = "target_fingerprint";

// The fingerprint that the head in `folder` names; empty: it names none, as published heads.
[[nodiscard]] std::string trained_on(const std::filesystem::path& folder);

// What is in a folder that has a folder for every drafter ("small", "medusa", …).
[[nodiscard]] ShippedHeads heads_in(const std::filesystem::path& folder);

// Those for the model of this fingerprint: of the folder in `models` whose MANIFEST.json names it. Nothing: no
// folder does. Throws Error where a manifest is damaged.
[[nodiscard]] ShippedHeads shipped_heads(const std::filesystem::path& models, const std::string& fingerprint);

} // namespace speclens
