// A study whose runs have a fault in the target, named for it (RunStudy::name): what it does to the text is held against plain
// decoding, which no fault of this kind can touch: its passes have one row, and nothing is taken back.
#pragma once

#include <memory>
#include <string>

#include "engine/lab/study.h"
#include "engine/run/planted_fault.h"

namespace speclens {

class Run;     // engine/run/run.h
struct Models; // engine/models/models.h

[[nodiscard]] const char* fault_study_name(PlantedFault fault); // "planted: rounding"; none has no name
[[nodiscard]] PlantedFault fault_of_study(const std::string& name);

// The run of a study by this name: with its fault, where it has one and the target is a model.
[[nodiscard]] std::unique_ptr<Run> study_run(const std::shared_ptr<const Models>& models, const RunSettings& settings,
                                             const std::string& name);

} // namespace speclens
