// What the inside of a drafter looked like at one token: a few short strips, numbers and logits, small enough
// to be recorded with every draft. Made on request only (DraftRequest::internals); all values have six significant
// digits, so that a trace read back equals the one written.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace speclens {

// What stands in `extra` of a draft token that a user put in another one's place, as traces have it.
inline constexpr const char* kForced = "forced";

// Where a copied draft token came from. Its words are what a trace has in `extra`.
struct CopiedFrom {
    int match = 0;  // last tokens that were alike
    int at = -1;    // where those stand in the text; -1: in earlier answers
    int token = -1; // that was copied; -1: what came there most often
    int times = 0;  // then: before, or in earlier answers
    double p = 0;   // and of the path to here
    [[nodiscard]] std::string words() const;
    bool operator==(const CopiedFrom&) const = default;
};
[[nodiscard]] std::optional<CopiedFrom> copied_from(const std::string& words); // none: they say something else

struct Internals {
    // A vector, mean-pooled to at most kCells cells of (nearly) equal width.
    struct Strip {
        std::string name;         // "row", "state", "r", "z", "n", "low rank", "tap 5", "feature", …
        int values = 0;           // length of the vector before pooling
        double low = 0, high = 0; // of the cells
        std::vector<double> cells;
        static constexpr std::string_view kTap = "tap "; // the hidden state of a layer of the target, by its number
        [[nodiscard]] bool tap() const { return name.starts_with(kTap); }
        bool operator==(const Strip&) const = default;
    };
    struct Number {
        std::string name; // "delta l2"
        double value = 0;
        std::string unit; // "logits"; empty for pure numbers
        bool operator==(const Number&) const = default;
    };
    // A likely token and what a correction did to it. Natural logarithms; probabilities at temperature 1.
    struct Mover {
        int token = 0;
        double base_logit = 0, final_logit = 0;
        double base_logp = 0, final_logp = 0;
        [[nodiscard]] double delta() const { return final_logit - base_logit; }
        // The same without what all tokens share, which the softmax ignores.
        [[nodiscard]] double gain() const { return final_logp - base_logp; }
        bool operator==(const Mover&) const = default;
    };
    static constexpr int kCells = 28;
    static constexpr int kMovers = 8;
    static constexpr double kLikely = 0.005;

    std::vector<Strip> strips;
    std::vector<Number> numbers;
    std::vector<Mover> movers; // largest |gain| first

    [[nodiscard]] bool empty() const { return strips.empty() && numbers.empty() && movers.empty(); }
    [[nodiscard]] const Strip* strip(std::string_view name) const; // nullptr: not recorded
    [[nodiscard]] std::optional<double> number(std::string_view name) const;
    bool operator==(const Internals&) const = default;

    void add(std::string name, std::span<const float> vector); // a strip
    void add(std::string name, double value, std::string unit = "");
    // The change of one row of logits: "delta l2", its Euclidean norm over the vocabulary, "delta mean", and
    // the movers: of the kMovers likeliest tokens of either side those with a probability of kLikely or more
    // somewhere. The likeliest of both sides are always listed.
    void add_correction(std::span<const float> base, std::span<const float> corrected);
};

} // namespace speclens
