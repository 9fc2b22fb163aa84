// What an hour of a machine costs, from a file that anybody can write, and what a million tokens cost at a measured speed. No price
// stands in code: assets/prices.toml has a few public ones, each with its date and source, and prices age.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace speclens {

struct Price {
    std::string name, what;   // "g5.xlarge"; what one gets for it
    double per_hour = 0;      // of one of them
    std::string currency;     // "USD"
    std::string date, source; // YYYY, YYYY-MM or YYYY-MM-DD; who says so
};
// Throws Error with the line for what is no such file; every field is needed, since a price without a date and a source is a rumour.
[[nodiscard]] std::vector<Price> read_prices(const std::filesystem::path& file);

// Machines that are paid together: a target's, and those of its draft workers.
struct Rent {
    struct Part {
        int count = 1;
        Price price;
    };
    std::vector<Part> parts;
    double per_hour = 0;
    std::string currency;
    [[nodiscard]] std::string words() const; // "4 × g5.xlarge + m7g.large"
    // Of a million tokens; 0 without a speed.
    [[nodiscard]] double per_million(double tokens_per_second) const;
};
// "4*g5.xlarge,m7g.large", of `prices`; empty: the only one that there is. Throws Error (usage).
[[nodiscard]] Rent rent_of(const std::vector<Price>& prices, const std::string& wanted);

} // namespace speclens
