// What the tests of the engine thread share: a table as the model, short runs, and waiting for a condition.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "engine/run/run_settings.h"
#include "tests/shared/eventually.h"
#include "tests/shared/temp_folder.h"

namespace speclens {

inline std::filesystem::path table_file(const std::string& content = "") {
    const std::filesystem::path file = test::fresh_folder() / "table.json";
    std::ofstream(file) << (content.empty() ? R"({"schema":"speclens-table/1","vocab":3,"texts":["a","b","c"],
        "target":{"":[0.5,0.3,0.2],"0":[0.2,0.5,0.3]},"draft":{"":[0.4,0.4,0.2],"1":[0.1,0.1,0.8]}})"
                                            : content);
    return file;
}

inline RunSettings on_table() {
    RunSettings settings;
    settings.k = 2;
    settings.sampling.temperature = 1;
    settings.max_tokens = 20;
    return settings;
}

} // namespace speclens
