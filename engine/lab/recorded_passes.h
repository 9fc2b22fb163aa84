// What passes took on another machine, in quiet, recorded once: it stands, as recorded, where this machine has not timed its own yet.
// assets/passes/*.json, each a result of `speclens bench --json` (schema "speclens-bench/1").
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/lab/pass_times.h"

namespace speclens {

struct RecordedPasses {
    PassTimes times;           // of the context that was timed first
    std::string machine, date; // "2-core AMD EPYC", "2026-11-25"
};

// Throws Error naming the file and the field; a result that was in doubt is none.
[[nodiscard]] RecordedPasses read_recorded_passes(const std::filesystem::path& file);

// Of the shipped files, read once; `model`: "bundle S", or a geometry. nullptr: none, or its file is broken (`speclens check` says so).
[[nodiscard]] const RecordedPasses* recorded_passes(std::string_view model);

} // namespace speclens
