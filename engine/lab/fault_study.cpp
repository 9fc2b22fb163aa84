#include "engine/lab/fault_study.h"

#include "engine/models/models.h"
#include "engine/run/run.h"

namespace speclens {

const char* fault_study_name(PlantedFault fault) {
    switch (fault) {
    case PlantedFault::rounding: return "planted: rounding";
    case PlantedFault::rollback: return "planted: rollback";
    default: return "";
    }
}

PlantedFault fault_of_study(const std::string& name) {
    for (const PlantedFault fault : {PlantedFault::rounding, PlantedFault::rollback})
        if (name == fault_study_name(fault)) return fault;
    return PlantedFault::none;
}

std::unique_ptr<Run> study_run(const std::shared_ptr<const Models>& models, const RunSettings& settings, const std::string& name) {
    const PlantedFault fault = fault_of_study(name);
    if (fault == PlantedFault::none || !models->target) return std::make_unique<Run>(models, settings);
    return std::make_unique<Run>(models, prepared_run(*models, settings), faulty_target(models, fault));
}

} // namespace speclens
