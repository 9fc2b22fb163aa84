// The arrows between the folders (cmake/SpecRoom.cmake). What the compiler gets as include paths is what each room may
// see: a planted include against the arrows must not compile, and no source may get round the paths.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/shared/temp_folder.h"

namespace speclens {
namespace {

namespace fs = std::filesystem;

struct Room {
    std::string folder;             // "engine/text"
    std::vector<std::string> paths; // that the compiler gets
    [[nodiscard]] bool sees(const std::string& header) const {
        for (const std::string& path : paths)
            if (fs::exists(fs::path(path) / header)) return true;
        return false;
    }
};

std::vector<Room> rooms() {
    std::vector<Room> list;
    for (const auto& entry : fs::directory_iterator(fs::path(SPEC_BUILD_DIR) / "rooms")) {
        std::ifstream in(entry.path() / "path.txt");
        Room room;
        if (!std::getline(in, room.folder)) continue;
        for (std::string line; std::getline(in, line);) room.paths.push_back(line);
        list.push_back(room);
    }
    return list;
}

std::vector<fs::path> sources_in(const fs::path& folder) {
    std::vector<fs::path> list;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".cpp" || entry.path().extension() == ".h") list.push_back(entry.path());
    return list;
}

// Whether a source with these lines compiles with the include paths of the room.
bool compiles(const Room& room, const std::string& lines) {
    const test::TempFolder folder;
    const fs::path source = folder.path() / "planted.cpp";
    std::ofstream(source) << lines;
    std::string command = std::string("'") + SPEC_COMPILER + "' -std=c++20 -fsyntax-only";
    for (const std::string& path : room.paths) command += " -I'" + path + "'";
    return std::system((command + " '" + source.string() + "' 2>/dev/null").c_str()) == 0;
}

TEST(Architecture, EveryFolderOfSourcesIsARoom) {
    std::set<std::string> known;
    for (const Room& room : rooms()) known.insert(room.folder);
    for (const char* floor : {"files", "engine", "remote", "ui", "scenes", "app"})
        for (const auto& entry : fs::recursive_directory_iterator(fs::path(SPEC_SOURCE_DIR) / floor)) {
            if (entry.path().extension() != ".cpp" || entry.path().filename() == "main.cpp") continue;
            const std::string folder = fs::relative(entry.path().parent_path(), SPEC_SOURCE_DIR).string();
            EXPECT_TRUE(known.contains(folder) || folder == "app/frontend") << entry.path();
        }
}

TEST(Architecture, APlantedIncludeAgainstTheArrowsDoesNotCompile) {
    struct Planted {
        const char* room;
        const char* allowed;
        const char* forbidden;
    };
    const Planted planted[] = {
        {"engine/base", "kernels/error.h", "engine/model/model.h"},
        {"engine/fetch", "engine/base/progress.h", "engine/model/model.h"},
        {"engine/net", "engine/base/read_number.h", "engine/fetch/fetch.h"},
        {"engine/found", "engine/base/json_read.h", "engine/fetch/fetch.h"},
        {"engine/weights", "engine/base/json_read.h", "engine/model/decoder.h"},
        {"engine/rules", "engine/model/distribution.h", "engine/run/trace.h"},
        {"engine/heads", "engine/model/model.h", "engine/drafters/drafter.h"},
        {"engine/drafters", "engine/rules/siblings.h", "engine/run/run_settings.h"},
        {"engine/length", "engine/base/json.h", "engine/run/trace.h"},
        {"engine/run", "engine/rules/verify.h", "engine/session/session.h"},
        {"engine/account", "engine/run/run_view.h", "engine/batch/batch_engine.h"},
        {"engine/corpus", "engine/batch/batch_engine.h", "engine/lab/head_training.h"},
        {"remote/reading", "engine/base/json_read.h", "remote/client/probe.h"},
        {"files", "kernels/error.h", "kernels/backend.h"},
        {"ui", "ui/canvas.h", "engine/model/distribution.h"},
        {"ui", "files/atomic_file.h", "kernels/backend.h"},
        {"scenes/loop", "scenes/shared/scene.h", "scenes/race/race_model.h"},
        {"app/cli", "app/frontend/frontend.h", "app/frame/controller.h"},
        {"engine/model", "kernels/backend.h", "kernels/cpu/thread_pool.h"},
    };
    std::map<std::string, Room> by_folder;
    for (const Room& room : rooms()) by_folder[room.folder] = room;
    for (const Planted& one : planted) {
        ASSERT_TRUE(fs::exists(fs::path(SPEC_SOURCE_DIR) / one.forbidden)) << one.forbidden;
        const Room& room = by_folder.at(one.room);
        EXPECT_TRUE(room.sees(one.allowed)) << one.room;
        EXPECT_FALSE(room.sees(one.forbidden)) << one.room << " sees " << one.forbidden;
    }
    // And that these paths are what the compiler goes by.
    const Planted& one = planted[0];
    EXPECT_TRUE(compiles(by_folder.at(one.room), std::string("#include \"") + one.allowed + "\"\n"));
    EXPECT_FALSE(compiles(by_folder.at(one.room), std::string("#include \"") + one.forbidden + "\"\n"));
}

TEST(Architecture, NoSourceGetsRoundTheIncludePaths) {
    const std::regex include("^ *# *include *\"([^\"]+)\"");
    int seen = 0;
    for (const Room& room : rooms())
        for (const fs::path& source : sources_in(fs::path(SPEC_SOURCE_DIR) / room.folder)) {
            std::ifstream in(source);
            for (std::string line; std::getline(in, line);) {
                std::smatch found;
                if (!std::regex_search(line, found, include)) continue;
                const std::string header = found[1];
                ++seen;
                EXPECT_EQ(header.find(".."), std::string::npos) << source << ": " << header;
                EXPECT_TRUE(room.sees(header)) << source << ": " << header;
                EXPECT_FALSE(header.starts_with("tests/")) << source << ": " << header;
            }
        }
    EXPECT_GT(seen, 1000);
}

// What Debian's compiler for WebAssembly lacks (docs/web.md); ./test --web alone would notice. A page has NAME_none.cpp in the place of
// what lies beside it.
TEST(Architecture, WhatAPageIsCompiledOfDoesWithoutWhatItsCompilerLacks) {
    const std::regex lacking("std::jthread|std::stop_(token|source|callback)|\\bthread_local\\b");
    int instead = 0;
    for (const Room& room : rooms())
        for (const fs::path& source : sources_in(fs::path(SPEC_SOURCE_DIR) / room.folder)) {
            std::ifstream in(source);
            const std::string text(std::istreambuf_iterator<char>(in), {});
            const bool left_out = fs::exists(source.parent_path() / (source.stem().string() + "_none.cpp"));
            std::smatch found;
            if (!std::regex_search(text, found, lacking)) continue;
            EXPECT_TRUE(left_out) << source << ": " << found[0];
            ++instead;
        }
    EXPECT_GT(instead, 0);
}

TEST(Architecture, NoFolderHoldsMoreThanSixtySources) {
    for (const char* floor : {"kernels", "files", "engine", "remote", "ui", "scenes", "app", "tests"}) {
        std::map<std::string, int> count;
        for (const auto& entry : fs::recursive_directory_iterator(fs::path(SPEC_SOURCE_DIR) / floor)) {
            const std::string kind = entry.path().extension().string();
            if (kind == ".cpp" || kind == ".h" || kind == ".cu" || kind == ".cuh") ++count[entry.path().parent_path().string()];
        }
        for (const auto& [folder, files] : count) EXPECT_LE(files, 60) << folder;
    }
}

// Two types of one name in one program are one type for the linker, which keeps the functions of either: destructors of texts freed what
// were numbers. Definitions begin their lines, as clang-format leaves them, outside of anonymous namespaces.
std::vector<std::string> types_defined(std::istream& in) {
    static const std::regex begins("^namespace ?([\\w:]*) ?\\{$"), ends("^\\} // namespace ?([\\w:]*)$"),
        type("^(?:struct|class|union|enum|enum class) (?:alignas\\([^)]*\\) )?(\\w+)(?: final)?(?: : [^;]*)? \\{.*$");
    std::vector<std::string> within, found;
    std::smatch match;
    for (std::string line; std::getline(in, line);) {
        if (std::regex_match(line, match, begins)) within.push_back(match[1].length() > 0 ? match[1].str() : "anonymous");
        if (std::regex_match(line, ends) && !within.empty()) within.pop_back();
        if (!std::regex_match(line, match, type) || std::ranges::count(within, "anonymous") > 0) continue;
        std::string name;
        for (const std::string& one : within) name += one + "::";
        found.push_back(name + match[1].str());
    }
    return found;
}

TEST(Architecture, NoTwoTypesHaveOneName) {
    std::istringstream planted(
        "namespace speclens {\nstruct One {\n    struct Inner {};\n};\nnamespace {\nstruct Two {};\n} // namespace\n"
        "namespace ui {\nenum class Three : int {\n};\n} // namespace ui\nclass Four final : public One {\nstruct Five;\n");
    EXPECT_EQ(types_defined(planted), (std::vector<std::string>{"speclens::One", "speclens::ui::Three", "speclens::Four"}));
    std::map<std::string, std::set<std::string>> where;
    for (const char* floor : {"kernels", "files", "engine", "remote", "ui", "scenes", "app", "tests"})
        for (const auto& entry : fs::recursive_directory_iterator(fs::path(SPEC_SOURCE_DIR) / floor)) {
            if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
            std::ifstream in(entry.path());
            for (const std::string& name : types_defined(in)) where[name].insert(fs::relative(entry.path(), SPEC_SOURCE_DIR).string());
        }
    EXPECT_GT(where.size(), 900U);
    for (const auto& [name, files] : where) EXPECT_EQ(files.size(), 1U) << name << ": " << *files.begin() << ", " << *files.rbegin();
}

// What is true of one drafter stands in its descriptor (engine/drafters), what is told of it in its scene, and how its files look
// with who reads them.
TEST(Architecture, DraftersAreNamedByTheirOwnFilesOnly) {
    const std::map<std::string, std::set<std::string>> named = {
        {"eagle3",
         {"engine/drafters", "engine/found", "engine/heads", "engine/model", "scenes/eagle3", "scenes/failures", "scenes/mtp",
          "scenes/training", "scenes/trees"}},
        {"dflash", {"engine/drafters", "engine/found", "engine/heads", "engine/model", "scenes/dflash"}},
        {"domino", {"engine/drafters", "engine/found", "engine/heads", "scenes/domino", "scenes/training"}},
        {"dspark", {"engine/drafters", "engine/found", "engine/heads"}},
        {"dflash2", {"engine/drafters", "engine/found", "engine/heads"}},
        {"dart", {"engine/drafters", "engine/found", "engine/heads"}}};
    for (const auto& [drafter, folders] : named) {
        int found = 0;
        for (const Room& room : rooms())
            for (const fs::path& source : sources_in(fs::path(SPEC_SOURCE_DIR) / room.folder)) {
                std::ifstream in(source);
                for (std::string line; std::getline(in, line);) {
                    if (line.find('"' + drafter + '"') == std::string::npos) continue;
                    ++found;
                    EXPECT_TRUE(folders.contains(room.folder)) << source << ": " << line;
                }
            }
        EXPECT_GT(found, 0) << drafter;
    }
}

} // namespace
} // namespace speclens
