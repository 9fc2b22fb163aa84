// A folder for what is being fetched, beside the place it will have, gone at the end whatever happens. Its owner holds
// a lock; so what is there once the lock is ours was left by a run that was killed, and is removed.
#pragma once

#include <filesystem>
#include <functional>

namespace speclens {

class WorkFolder {
  public:
    // Makes `place` where it is missing and waits while another process is at work there: `waiting` is called once,
    // `tick` ten times a second and may throw. Throws Error when the folder cannot be made or locked.
    WorkFolder(const std::filesystem::path& place, const std::function<void()>& waiting, const std::function<void()>& tick);
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;
    ~WorkFolder();
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_; // "PLACE/.get"
    int lock_ = -1;              // of "PLACE/.get.lock", an empty file that stays
};

} // namespace speclens
