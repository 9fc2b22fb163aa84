// What the window is told of the files that come with the program where one of them is broken.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "app/frame/window_assets.h"
#include "kernels/error.h"
#include "tests/shared/temp_folder.h"

namespace speclens {
namespace {

namespace fs = std::filesystem;

// The assets that the window reads, to be damaged.
class Assets {
  public:
    Assets() {
        const fs::path from = fs::path(SPEC_SOURCE_DIR) / "assets";
        for (const char* folder : {"prompts", "published"}) fs::copy(from / folder, path() / folder, fs::copy_options::recursive);
        fs::create_directory(path() / "models");
        for (const char* file : {"glossary.json", "quiz.json", "models/ablations.json"}) fs::copy_file(from / file, path() / file);
    }
    void damage(const char* file) const { std::ofstream(path() / file) << "[{"; }
    [[nodiscard]] const fs::path& path() const { return folder_.path(); }

  private:
    test::TempFolder folder_;
};

TEST(WindowAssets, AreAllThere) {
    const WindowAssets loaded = load_window_assets(Assets().path());
    EXPECT_EQ(loaded.problem, "");
    EXPECT_FALSE(loaded.gallery.empty() || loaded.general.empty() || loaded.glossary.empty() || loaded.quiz.empty());
    EXPECT_TRUE(loaded.figures && loaded.ablations);
}

TEST(WindowAssets, NameTheFileThatIsBrokenAndGoOnWithoutIt) {
    for (const char* file : {"glossary.json", "quiz.json", "models/ablations.json", "published/sources.json"}) {
        const Assets assets;
        assets.damage(file);
        const WindowAssets loaded = load_window_assets(assets.path());
        EXPECT_NE(loaded.problem.find(fs::path(file).filename().string()), std::string::npos) << file << ": " << loaded.problem;
        EXPECT_FALSE(loaded.remedy.empty()) << file;
        const int left = !loaded.glossary.empty() + !loaded.quiz.empty() + (loaded.figures != nullptr) + (loaded.ablations != nullptr);
        EXPECT_EQ(left, 3) << file << ": the others are there";
        EXPECT_FALSE(loaded.gallery.empty());
    }
}

TEST(WindowAssets, CountTheOtherBrokenFiles) {
    const Assets assets;
    assets.damage("glossary.json");
    assets.damage("quiz.json");
    assets.damage("models/ablations.json");
    const WindowAssets loaded = load_window_assets(assets.path());
    EXPECT_NE(loaded.problem.find("glossary.json"), std::string::npos) << loaded.problem;
    EXPECT_NE(loaded.problem.find("and 2 more files"), std::string::npos) << loaded.problem;
    fs::remove(assets.path() / "quiz.json");
    EXPECT_NE(load_window_assets(assets.path()).problem.find("and 2 more files"), std::string::npos) << "missing is broken";
    fs::remove(assets.path() / "models" / "ablations.json");
    EXPECT_NE(load_window_assets(assets.path()).problem.find("and 1 more file)"), std::string::npos)
        << "these are made by the recipe, and need not be there";
    assets.damage("prompts/gallery.jsonl");
    EXPECT_TRUE(load_window_assets(assets.path()).problem.starts_with("prompts/gallery.jsonl has no prompts (and 2 more"))
        << load_window_assets(assets.path()).problem;
}

} // namespace
} // namespace speclens
