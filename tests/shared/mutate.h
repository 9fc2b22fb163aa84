// Replays damaged input: takes a valid file, applies seeded mutations (flipped bits, cut and repeated pieces,
// extreme numbers, swapped parts) and demands that a reader either accepts the result or throws Error. Any
// other exception fails the test; a crash ends it. Plain C++, so it runs in every build; libFuzzer goes
// deeper.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/error.h"

namespace speclens::test {

class Mutator {
  public:
    explicit Mutator(std::uint64_t seed) : state_(seed) {}

    // One to four mutations of `text`.
    [[nodiscard]] std::string mutate(std::string text) {
        for (std::uint64_t left = 1 + below(4); left > 0; --left) change(text);
        return text;
    }
    // SplitMix64; a number below `limit`.
    std::uint64_t below(std::uint64_t limit) {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
        z = (z ^ z >> 27) * 0x94D049BB133111EBu;
        return (z ^ z >> 31) % limit;
    }

  private:
    // Structure hides at the front (headers) as often as anywhere: half of all places are there.
    std::size_t place(const std::string& text) {
        return below(below(2) == 0 ? std::min<std::size_t>(text.size() + 1, 512) : text.size() + 1);
    }
    void change(std::string& text) {
        const std::size_t at = place(text), rest = text.size() - at;
        const std::size_t length = std::min<std::size_t>(rest, 1 + below(1 + below(64)));
        switch (below(9)) {
        case 0:
            if (rest > 0) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
            break;
        case 1:
            if (rest > 0) text[at] = static_cast<char>(below(256));
            break;
        case 2: text.erase(at, length); break;
        case 3: text.insert(at, text.substr(at, length)); break;
        case 4: text.insert(at, token()); break;
        case 5: text.replace(at, length, token()); break;
        case 6: text.resize(at); break;
        case 7:
            if (rest > 0) number(text, at);
            break;
        case 8: text.insert(at, std::string(1 + below(2000), "[{\" \\0"[below(6)])); break;
        }
    }
    std::string token() {
        static const std::vector<std::string> tokens{"null",
                                                     "true",
                                                     "false",
                                                     "{}",
                                                     "[]",
                                                     "\"\"",
                                                     "-1",
                                                     "0",
                                                     "1e308",
                                                     "-1e308",
                                                     "1e999",
                                                     "4294967295",
                                                     "9223372036854775807",
                                                     "18446744073709551615",
                                                     "18446744073709551616",
                                                     "0.5",
                                                     "NaN",
                                                     ",",
                                                     ":",
                                                     "}",
                                                     "]",
                                                     "\"",
                                                     "\\ud800",
                                                     "\\u0000",
                                                     "\xff",
                                                     "\xed\xa0\x80",
                                                     std::string(1, '\0'),
                                                     "I64",
                                                     "F32",
                                                     "BOOL",
                                                     "\"shape\":[0]",
                                                     "data_offsets",
                                                     "[[[[[[[["};
        return tokens[below(tokens.size())];
    }
    // The next number in the text becomes another one, extreme ones preferred.
    void number(std::string& text, std::size_t at) {
        const auto begin = text.find_first_of("0123456789", at);
        if (begin == std::string::npos) return;
        const auto end = std::min(text.find_first_not_of("0123456789.", begin), text.size());
        text.replace(begin, end - begin, below(2) == 0 ? token() : std::to_string(below(1u << below(31))));
    }
    std::uint64_t state_;
};

struct MutationCount {
    int accepted = 0, refused = 0;
};
// `load(text)` must return or throw Error for `count` mutations of `valid` and for `valid` itself (accepted).
template <class Load>
MutationCount replay_mutations(const std::string& valid, int count, std::uint64_t seed, const Load& load) {
    MutationCount result;
    load(valid);
    for (int i = 0; i < count; ++i) {
        const std::string text = Mutator(seed + static_cast<std::uint64_t>(i)).mutate(valid);
        try {
            load(text);
            ++result.accepted;
        } catch (const Error& error) {
            ++result.refused;
            EXPECT_FALSE(error.remedy().empty()) << error.what();
        } catch (const std::exception& error) {
            ADD_FAILURE() << "mutation " << seed + static_cast<std::uint64_t>(i) << " escaped as " << error.what();
        }
    }
    return result;
}

} // namespace speclens::test
