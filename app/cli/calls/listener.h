// Who hears of commands instead of the terminal: all that would go to standard output and standard error (app/cli/output.h).
#pragma once

#include <atomic>
#include <string>
#include <string_view>

namespace speclens::cli {

class Listener {
  public:
    virtual ~Listener() = default;
    virtual void printed(std::string_view text) = 0; // standard output
    virtual void said(const std::string& text) = 0;  // standard error, a line
    virtual void is_at(const std::string& what, double done, double total, const std::string& unit) = 0;
    std::atomic<bool> stop{false}; // instead of Ctrl+C; by any thread
};
void set_listener(Listener& listener); // from now on, until the process ends
[[nodiscard]] bool is_listened_to();   // there is one

} // namespace speclens::cli
