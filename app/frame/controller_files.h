// Files of the window: where it keeps them and what they are called, the list of the Open dialog, and the file dialog of the
// desktop.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/frame/controller_common.h"
#include "app/frame/saved_files.h"
#include "engine/lab/race.h"

namespace speclens {

// ~/.local/share/speclens/<kind>, or below $XDG_DATA_HOME. Throws Error when it cannot be made.
[[nodiscard]] std::filesystem::path data_folder(const std::string& kind);

class FilesPart {
  public:
    explicit FilesPart(ControllerCommon& common) : common_(common) {}

    [[nodiscard]] const std::vector<SavedFile>& list() const { return list_; }
    void refresh();                                                        // the list: the Open dialog appears
    [[nodiscard]] std::string export_name(const std::string& scene) const; // to begin with
    // These throw Error.
    void save(const Trace& trace, double now) const;
    void save(const RaceView& race, double now) const;
    [[nodiscard]] std::filesystem::path share_folder() const; // a new one, still to be made
    void screenshot(const std::function<void(const std::filesystem::path&)>& export_frame, double now) const;

    void browse();                                                             // for the dialog that is open
    [[nodiscard]] std::optional<FrameCommand> chosen(const std::string& path); // empty: nothing

  private:
    ControllerCommon& common_;
    std::vector<SavedFile> list_;
    Popup browsed_ = Popup::none; // the dialog that asked for a file
};

} // namespace speclens
