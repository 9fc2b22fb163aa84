// A file dialog of the desktop: its portal (portal.h), or a program that is looked for when it is needed, zenity (GNOME and
// most others) or kdialog (KDE). The window goes on meanwhile; where there is neither, paths are typed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/frame/file_question.h"

namespace speclens {

struct FileAnswer {
    std::string path;    // empty: the dialog was closed without a choice
    std::string problem; // why there was no dialog; empty: there was one
};

class FileDialog {
  public:
    [[nodiscard]] static bool possible(); // there is a portal or a program
    // The program that would be asked where there is no portal; empty: there is none.
    [[nodiscard]] static std::string program();
    // Its words for this question.
    [[nodiscard]] static std::vector<std::string> command(const std::string& program, const FileQuestion& question);

    // `notify` is called on another thread once there is an answer. Throws Error where no program can be started.
    FileDialog(const FileQuestion& question, std::function<void()> notify);
    ~FileDialog(); // closes the dialog
    FileDialog(const FileDialog&) = delete;
    FileDialog& operator=(const FileDialog&) = delete;

    [[nodiscard]] std::optional<FileAnswer> answer() const; // none yet while somebody chooses

  private:
    struct Asked;
    std::unique_ptr<Asked> asked_;
};

} // namespace speclens
