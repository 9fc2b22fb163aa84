// The desktop's file dialog, played by small programs on a path of their own.
#include "app/window/file_dialog.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "kernels/error.h"
#include "tests/shared/eventually.h"
#include "tests/shared/temp_folder.h"
#include "tests/shared/variable.h"

namespace speclens {
namespace {

void program(const test::TempFolder& folder, const std::string& name, const std::string& words) {
    const auto file = folder / name;
    std::ofstream(file) << "#!/bin/sh\n" << words << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
}

FileAnswer answer_of(const FileQuestion& question) {
    std::atomic<int> told = 0;
    FileDialog dialog(question, [&] { ++told; });
    EXPECT_TRUE(eventually([&] { return told > 0; }));
    return dialog.answer().value_or(FileAnswer{"", "none"});
}

TEST(FileDialogTest, ReturnsWhatWasChosen) {
    const test::TempFolder folder;
    const test::Variable path("PATH", folder.path().string() + ":/bin:/usr/bin");
    const test::Variable data("XDG_DATA_DIRS", "/nowhere"); // no portal
    program(folder, "zenity", "for word; do echo \"$word\" >> " + (folder / "asked").string() + "; done; echo '/a folder/run.jsonl'");
    const FileAnswer answer = answer_of({FileQuestion::For::open, "Open a run", "/here/"});
    EXPECT_EQ(answer.path, "/a folder/run.jsonl");
    EXPECT_EQ(answer.problem, "");
    std::ifstream asked(folder / "asked");
    const std::string words((std::istreambuf_iterator<char>(asked)), {});
    EXPECT_NE(words.find("--file-selection"), std::string::npos);
    EXPECT_NE(words.find("--title=Open a run"), std::string::npos) << "one word, not three:\n" << words;
    EXPECT_NE(words.find("--filename=/here/"), std::string::npos);
}

TEST(FileDialogTest, KnowsAClosedDialogFromOneThatNeverCame) {
    const test::TempFolder folder;
    const test::Variable path("PATH", folder.path().string() + ":/bin:/usr/bin");
    const test::Variable data("XDG_DATA_DIRS", "/nowhere"); // no portal
    program(folder, "zenity", "exit 1");
    FileAnswer answer = answer_of({});
    EXPECT_EQ(answer.path + answer.problem, "");
    program(folder, "zenity", "echo half; exit 77");
    answer = answer_of({});
    EXPECT_EQ(answer.path, "");
    EXPECT_NE(answer.problem.find("zenity"), std::string::npos);
}

TEST(FileDialogTest, TakesTheDesktopsOwnProgramAndSaysWhereThereIsNone) {
    const test::TempFolder folder;
    const test::Variable path("PATH", folder.path().string());
    const test::Variable data("XDG_DATA_DIRS", "/nowhere"); // no portal
    EXPECT_EQ(FileDialog::program(), "");
    EXPECT_THROW(FileDialog({}, [] {}), Error);
    program(folder, "kdialog", "exit 1");
    EXPECT_EQ(FileDialog::program(), (folder / "kdialog").string());
    program(folder, "zenity", "exit 1");
    EXPECT_EQ(FileDialog::program(), (folder / "zenity").string());
    const test::Variable desktop("XDG_CURRENT_DESKTOP", "KDE");
    EXPECT_EQ(FileDialog::program(), (folder / "kdialog").string());
    const auto words = FileDialog::command(FileDialog::program(), {FileQuestion::For::save, "Export", "a.png"});
    EXPECT_EQ(words[3], "--getsavefilename");
    EXPECT_EQ(words[4], "a.png");
}

TEST(FileDialogTest, GoesWithTheWindow) {
    const test::TempFolder folder;
    const test::Variable path("PATH", folder.path().string() + ":/bin:/usr/bin");
    const test::Variable data("XDG_DATA_DIRS", "/nowhere"); // no portal
    program(folder, "zenity", "exec sleep 60");
    std::atomic<int> told = 0;
    const auto began = std::chrono::steady_clock::now();
    {
        FileDialog dialog({}, [&] { ++told; });
        EXPECT_FALSE(dialog.answer()) << "nobody has chosen yet";
    }
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
    EXPECT_EQ(told, 0) << "nobody is there to be told";
}

} // namespace
} // namespace speclens
