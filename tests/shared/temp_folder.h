// Folders for what a test writes. They are removed with everything in them: a test leaves nothing behind.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace speclens::test {

// Empty at first, gone with this object. Its last name is always "folder", so that messages can be compared.
class TempFolder {
  public:
    TempFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "speclens-test-XXXXXX").string();
        EXPECT_NE(mkdtemp(name.data()), nullptr);
        path_ = std::filesystem::path(name) / "folder";
        std::filesystem::create_directory(path_);
    }
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_.parent_path(), ignored);
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;
    [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

// Another empty folder at every call, gone when the program ends; for helpers that hand out paths.
[[nodiscard]] inline std::filesystem::path fresh_folder() {
    static const TempFolder all;
    static int count = 0;
    const std::filesystem::path folder = all / std::to_string(count++);
    std::filesystem::create_directory(folder);
    return folder;
}

} // namespace speclens::test
