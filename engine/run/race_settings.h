// A race: several drafters on one prompt with the same dice.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/run/gallery.h"
#include "engine/run/run_settings.h"

namespace speclens {

inline constexpr int kRaceLanes = 4;
struct RaceEntry {
    std::string drafter, rule;
    int k = 0;
    bool operator==(const RaceEntry&) const = default;
};
struct RaceSettings {
    RunSettings base;                   // prompt, dice, temperature, length; drafter, rule and k are the lanes'
    std::vector<RaceEntry> lanes;       // 1 … kRaceLanes
    std::vector<GalleryPrompt> prompts; // for the averages; may be empty
    double average_seconds = 20;        // the averages stop growing after so much measured time
    bool stepped = false;               // the lanes go on together, as far as StepRace says; nothing is timed
    bool chat_if_possible = true;       // chats of `prompts` are asked as text where the model's format is not known
    bool operator==(const RaceSettings&) const = default;
};

// How far every lane of the stepped race goes: one phase, to the end of its round, to the end of its text.
enum class Stride : std::uint8_t { phase, round, end };

} // namespace speclens
