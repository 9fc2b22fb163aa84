// SHA-256 (FIPS 180-4) by OpenSSL, as 64 hexadecimal digits in lower case.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace speclens {

class Sha256 {
  public:
    Sha256();
    ~Sha256();
    void add(std::string_view bytes);
    [[nodiscard]] std::string hex(); // once, at the end

  private:
    struct State;
    std::unique_ptr<State> state_;
};

// `tick` is called at least every few megabytes and may throw. Throws Error when the file cannot be read.
[[nodiscard]] std::string sha256_of_file(const std::filesystem::path& file, const std::function<void()>& tick = {});

} // namespace speclens
