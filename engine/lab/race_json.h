// A race as a file, schema "speclens-race/1": one JSON object with the settings, the machine and date, and
// for each lane its trace (the events of engine/run/trace_json.h, in order) and its averages over prompts under
// the names of `compare --json`. Opens without the models; what was measured then is RECORDED.
#pragma once

#include <filesystem>
#include <string>

#include "engine/lab/race.h"

namespace speclens {

[[nodiscard]] std::string race_json(const RaceView& race);
void save_race(const RaceView& race,
               const std::filesystem::path& file); // beside it and renamed; throws Error
// Throws Error that names the file and the field.
[[nodiscard]] RaceView load_race(const std::filesystem::path& file);
[[nodiscard]] RaceView read_race(const std::string& text, const std::string& name);
[[nodiscard]] bool is_race_file(const std::filesystem::path& file); // by its first words; false where it cannot be read twice

} // namespace speclens
