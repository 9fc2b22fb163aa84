// Models on this disk: ours, and those that other programs keep in their caches. Only looked at, never written or told
// to anybody: names and paths of somebody's disk belong on their screen alone.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/found/gguf_facts.h"

namespace speclens {

struct FoundModel {
    std::string place;          // "Hugging Face"
    std::string name;           // as its place calls it; bytes from the disk, to be made visible before they are shown
    std::filesystem::path path; // a folder with config.json, or a .gguf file
    ModelFacts facts;
    std::uint64_t bytes = 0; // of its weights
};

struct Place {
    std::string name;
    std::filesystem::path root;
    enum class Layout : std::uint8_t {
        folders, // folders with config.json and weights, and .gguf files
        hub,     // the same in models--ORG--NAME/snapshots/HASH
        ollama   // manifests that name blobs by their digest
    } layout = Layout::folders;
};
// The caches of Hugging Face (HF_HUB_CACHE, HF_HOME), LM Studio, llama.cpp (LLAMA_CACHE) and Ollama (OLLAMA_MODELS), by
// the environment or at their usual places in HOME, whether they are there or not.
[[nodiscard]] std::vector<Place> known_places();

// Where looking stops, for each place.
struct ScanLimits {
    int depth = 8;        // folders within folders
    int entries = 20'000; // names
    std::chrono::milliseconds time{2000};
    std::size_t config_bytes = 16'000'000; // of a config.json or a manifest
};

struct Found {
    std::vector<FoundModel> models; // by name
    std::string incomplete;         // why not everything was looked at; empty: it was
};
// Regular files only, and links only to what is below the root; a root that is not there has no models. Broken files
// and those that may not be read are passed over.
[[nodiscard]] Found find_models(const Place& place, const ScanLimits& limits = {});

// Those of `all` that could draft for `target` by what they say of themselves: heads of the same width and number of
// tokens, and smaller models of the same family and number of tokens. Whether one does, only loading it tells.
[[nodiscard]] std::vector<const FoundModel*> possible_drafters(const FoundModel& target, std::span<const FoundModel> all);

} // namespace speclens
