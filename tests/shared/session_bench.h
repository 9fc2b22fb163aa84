// What the tests of the engine thread share: a table as the model, short runs, and waiting for a condition.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "engine/run/control.h"
#include "tests/shared/temp_folder.h"

namespace speclens {

inline std::filesystem::path table_file(const std::string& content = "") {
    const std::filesystem::path file = test::fresh_folder() / "table.json";
    std::ofstream(file) << (content.empty() ? R"({"schema":"speclens-table/1","vocab":3,"texts":["a","b","c"],
        "target":{"":[0.5,0.3,0.2],"0":[0.2,0.5,0.3]},"draft":{"":[0.4,0.4,0.2],"1":[0.1,0.1,0.8]}})"
                                            : content);
    return file;
}

// Polls a condition for up to twenty seconds; the tests that use it assert on the condition, not on time.
inline bool eventually(const std::function<bool()>& condition) {
    for (int i = 0; i < 20000; ++i) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
}

inline RunSettings on_table() {
    RunSettings settings;
    settings.k = 2;
    settings.sampling.temperature = 1;
    settings.max_tokens = 20;
    return settings;
}

} // namespace speclens
