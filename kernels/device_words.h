// A device and its threads in one text, as headers of runs, servers and tables have it, "CPU · AVX-512 · 2 threads"; and read again, for
// who says it in a language.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

namespace speclens {

struct DeviceWords {
    std::string device; // "CPU · AVX-512"
    int threads = 0;    // 0: it names none, as a GPU

    bool operator==(const DeviceWords&) const = default;
    [[nodiscard]] std::string words() const {
        if (threads <= 0) return device;
        return device + std::string(kBetween) + std::to_string(threads) + std::string(threads == 1 ? kOne : kMore);
    }
    [[nodiscard]] static DeviceWords of(std::string_view words) {
        const std::size_t end = words.rfind(kBetween);
        if (end == std::string_view::npos) return {std::string(words)};
        const std::string_view last = words.substr(end + kBetween.size());
        DeviceWords read{std::string(words.substr(0, end))};
        const auto number = std::from_chars(last.data(), last.data() + last.size(), read.threads);
        return number.ec == std::errc() && read.words() == words ? read : DeviceWords{std::string(words)};
    }

  private:
    static constexpr std::string_view kBetween = " · ", kOne = " thread", kMore = " threads";
};

} // namespace speclens
