// FNV-1a, 64 bit (Fowler, Noll, Vo), fed with fixed-width words so that a hash does not depend on how numbers are written.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace speclens {

class Fnv {
  public:
    void add(std::uint64_t word) {
        for (int i = 0; i < 8; ++i) {
            hash_ ^= (word >> (8 * i)) & 0xff;
            hash_ *= 0x100000001b3ull;
        }
    }
    void add(int value) { add(static_cast<std::uint64_t>(static_cast<std::int64_t>(value))); }
    void add(double value) { add(std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value)); }
    void add(const std::optional<double>& value) { value ? add(*value) : add(std::uint64_t{0x6e6f6e65}); }
    void add(std::string_view text) {
        add(static_cast<std::uint64_t>(text.size()));
        for (const char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
    }
    void add(const std::string& text) { add(std::string_view(text)); }
    void add(const char* text) { add(std::string_view(text)); }
    void add(const std::vector<int>& ids) {
        add(static_cast<std::uint64_t>(ids.size()));
        for (int id : ids) add(id);
    }
    [[nodiscard]] std::uint64_t value() const { return hash_; }
    [[nodiscard]] std::string hex() const { // sixteen digits
        std::string digits;
        for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[hash_ >> shift & 15];
        return digits;
    }

  private:
    std::uint64_t hash_ = 0xcbf29ce484222325ull;
};

} // namespace speclens
