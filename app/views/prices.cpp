#include "app/views/prices.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include <toml++/toml.h>

#include "engine/base/json_read.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr std::size_t kMostPriceBytes = 1'000'000;
constexpr double kMostAnHour = 1e9;

struct PriceReader {
    std::string name;

    [[noreturn]] void broken(const std::string& what, const toml::node* where = nullptr) const {
        const auto line = where ? where->source().begin.line : 0;
        throw Error(name + (line > 0 ? " line " + std::to_string(line) : "") + ": " + what,
                    "A list of prices has [[price]] entries with name, what, per_hour, currency, date and source; see assets/prices.toml.");
    }
    [[nodiscard]] std::string text(const toml::table& table, std::string_view key) const {
        const toml::node* node = table.get(key);
        if (!node) broken("a price has no " + std::string(key), &table);
        const auto value = node->value_exact<std::string>();
        if (!value || value->empty()) broken(std::string(key) + " is not a text", node);
        return *value;
    }
    [[nodiscard]] Price price(const toml::table& table) const {
        for (const auto& [key, node] : table) {
            constexpr std::string_view kKnown[] = {"name", "what", "per_hour", "currency", "date", "source"};
            if (std::ranges::find(kKnown, key.str()) == std::end(kKnown))
                broken("'" + std::string(key.str()) + "' means nothing here", &node);
        }
        Price price{text(table, "name"), text(table, "what"), 0, text(table, "currency"), text(table, "date"), text(table, "source")};
        const toml::node* hour = table.get("per_hour");
        const auto value = hour && hour->is_number() ? hour->value<double>() : std::nullopt;
        if (!value || !(*value > 0) || !(*value < kMostAnHour)) broken("per_hour is not a price above 0", hour ? hour : &table);
        price.per_hour = *value;
        if (price.name.find_first_of("*,") != std::string::npos)
            broken("the name '" + price.name + "' has a * or a comma", table.get("name"));
        const bool day = price.date.size() >= 4 && price.date.find_first_not_of("0123456789-") == std::string::npos;
        if (!day) broken("date is '" + price.date + "', expected YYYY-MM-DD", table.get("date"));
        return price;
    }
};

std::string names_of(const std::vector<Price>& prices) {
    std::string names;
    for (const Price& price : prices) names += (names.empty() ? "" : ", ") + price.name;
    return names;
}

} // namespace

std::vector<Price> read_prices(const std::filesystem::path& file) {
    const PriceReader reader{file.string()};
    toml::table table;
    try {
        table = toml::parse(read_text_file(file, kMostPriceBytes));
    } catch (const toml::parse_error& error) {
        throw Error(file.string() + " line " + std::to_string(error.source().begin.line) + ": " + std::string(error.description()),
                    "It is a TOML file; see assets/prices.toml.");
    }
    std::vector<Price> prices;
    for (const auto& [key, node] : table) {
        if (key.str() != "price" || !node.is_array_of_tables()) reader.broken("'" + std::string(key.str()) + "' means nothing here", &node);
        for (const toml::node& entry : *node.as_array()) {
            prices.push_back(reader.price(*entry.as_table()));
            if (std::ranges::count(prices, prices.back().name, &Price::name) > 1)
                reader.broken("two prices are called '" + prices.back().name + "'", &entry);
        }
    }
    if (prices.empty()) reader.broken("has no price");
    return prices;
}

std::string Rent::words() const {
    std::string text;
    for (const Part& part : parts)
        text += (text.empty() ? "" : " + ") + (part.count > 1 ? std::to_string(part.count) + " × " : std::string()) + part.price.name;
    return text;
}

double Rent::per_million(double tokens_per_second) const {
    constexpr double kSeconds = 3600;
    return tokens_per_second > 0 ? per_hour / kSeconds / tokens_per_second * 1e6 : 0;
}

Rent rent_of(const std::vector<Price>& prices, const std::string& wanted) {
    const auto refuse = [&](const std::string& what) { throw Error(what, "There are: " + names_of(prices) + ".", Exit::usage); };
    if (wanted.empty() && prices.size() != 1) refuse("which of the prices? Name one with --price");
    Rent rent;
    std::istringstream list(wanted.empty() ? prices.front().name : wanted);
    for (std::string one; std::getline(list, one, ',');) {
        Rent::Part part;
        if (const std::size_t star = one.find('*'); star != std::string::npos) {
            const std::string count = one.substr(0, star);
            const auto read = std::from_chars(count.data(), count.data() + count.size(), part.count);
            if (read.ec != std::errc() || read.ptr != count.data() + count.size() || part.count < 1 || part.count > 1'000'000)
                refuse("--price " + wanted + ": '" + count + "' is not a number of machines");
            one.erase(0, star + 1);
        }
        const auto found = std::ranges::find(prices, one, &Price::name);
        if (found == prices.end()) {
            refuse("no price is called '" + one + "'");
            break;
        }
        part.price = *found;
        if (!rent.parts.empty() && rent.currency != part.price.currency)
            refuse("--price " + wanted + ": two currencies, " + rent.currency + " and " + part.price.currency);
        rent.currency = part.price.currency;
        rent.per_hour += part.count * part.price.per_hour;
        rent.parts.push_back(part);
    }
    if (rent.parts.empty()) refuse("--price names nothing");
    return rent;
}

} // namespace speclens
