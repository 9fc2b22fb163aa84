// A program that a test starts beside itself.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace speclens::test {

// The file that PATH has under this name; empty: none.
[[nodiscard]] std::string in_path(const std::string& program);

// Ends with this object, first asked (SIGTERM), then told (SIGKILL).
class Child {
  public:
    Child() = default;
    // Silent, with exactly this environment ("NAME=value"). `handed` is its descriptor 3; -1: it has none.
    // Throws std::runtime_error where it cannot be started.
    Child(std::vector<std::string> arguments, std::vector<std::string> environment, int handed = -1);
    ~Child();
    Child(Child&& other) noexcept;
    Child& operator=(Child&& other) noexcept;
    [[nodiscard]] bool ended(int within_ms = 0); // by itself

  private:
    void stop();
    pid_t pid_ = 0;
};

// This process's environment, as Child takes it.
[[nodiscard]] std::vector<std::string> own_environment();

} // namespace speclens::test
