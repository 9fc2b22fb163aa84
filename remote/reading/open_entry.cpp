#include "remote/reading/open_entry.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/base/printed.h"
#include "engine/base/read_number.h"
#include "remote/reading/reported_number.h"

namespace speclens::log_lines {
namespace {

constexpr double kTiny = 1e-9;

std::optional<Printed> number_at(std::string_view text, std::size_t& size) {
    double value = 0;
    const auto read = read_number(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || !reported_count(value)) return {};
    const std::string_view digits = text.substr(0, static_cast<std::size_t>(read.ptr - text.data()));
    size = digits.size();
    const std::size_t point = digits.find('.');
    const auto decimals = point == std::string_view::npos ? 0 : static_cast<double>(digits.size() - point - 1);
    return Printed{value + 0.0, 0.5 * std::pow(10, -decimals)};
}

} // namespace

std::optional<Printed> printed_at(std::string_view text) {
    std::size_t size = 0;
    return number_at(text, size);
}

std::optional<Printed> printed_after(std::string_view line, std::string_view key, std::string_view end) {
    const std::size_t at = line.find(key);
    if (at == std::string_view::npos) return {};
    std::string_view rest = line.substr(at + key.size());
    const std::size_t begin = rest.find_first_not_of(" :=(\t'\"");
    if (begin == std::string_view::npos) return {};
    rest.remove_prefix(begin);
    std::size_t size = 0;
    const auto out = number_at(rest, size);
    return out && rest.substr(size).starts_with(end) ? out : std::nullopt;
}

std::optional<double> after(std::string_view line, std::string_view key, std::string_view end) {
    const auto reported = printed_after(line, key, end);
    return reported ? std::optional(reported->value) : std::nullopt;
}

std::vector<double> list_after(std::string_view line, std::string_view key) {
    std::vector<double> out;
    const std::size_t at = line.find(key);
    if (at == std::string_view::npos) return out;
    std::string_view rest = line.substr(at + key.size());
    while (out.size() < 256) {
        const std::size_t begin = rest.find_first_not_of(" :=([,\t");
        if (begin == std::string_view::npos) break;
        rest.remove_prefix(begin);
        double value = 0;
        const auto read = read_number(rest.data(), rest.data() + rest.size(), value);
        if (read.ec != std::errc()) break;
        const auto reported = reported_count(value);
        if (!reported) return {};
        out.push_back(*reported);
        rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
        if (rest.empty() || rest.front() != ',') break;
    }
    return out;
}

std::string figure(double value) { return printed("%.6g", value); }

namespace {

struct Rounds {
    double count, off; // off: how far the truth may be
};
struct RoundRange {
    double low = 0, high = std::numeric_limits<double>::infinity();
    [[nodiscard]] bool any() const { return low <= high; }
};

// As the header says.
RoundRange rounds_allowed(double accepted, double drafted, std::optional<Printed> length, const std::vector<double>& places,
                          double place_off) {
    RoundRange range;
    const auto narrow = [&](double kept, double off) { // accepted ÷ rounds, as printed
        if (kept + off > 0) range.low = std::max(range.low, accepted / (kept + off));
        if (kept > off) range.high = std::min(range.high, accepted / (kept - off));
    };
    if (length) narrow(length->value - 1, length->off);
    const auto n = static_cast<double>(places.size());
    if (n > 0) {
        narrow(std::accumulate(places.begin(), places.end(), 0.0), n * place_off);
        range.low = std::max(range.low, drafted / n);
    }
    range.low = std::max(0.0, std::ceil(range.low - kTiny * std::max(1.0, range.low))); // and no negative zero
    range.high = std::floor(range.high + kTiny * std::max(1.0, range.high));
    return range;
}

std::optional<Rounds> rounds_in(const RoundRange& range, double accepted, double drafted, std::optional<Printed> length,
                                std::size_t full) { // full: places that every round may draft
    constexpr double kMostOff = 0.01;
    if (full > 0 && range.low * static_cast<double>(full) == drafted) return Rounds{range.low, 0};
    if (!std::isfinite(range.high)) return {};
    const double middle = length && length->value > 1 ? std::round(accepted / (length->value - 1)) : range.low,
                 count = std::clamp(middle, range.low, range.high), off = std::max(count - range.low, range.high - count);
    return off <= kMostOff * count ? std::optional(Rounds{count, off}) : std::nullopt;
}

} // namespace

void Open::settle_figures() {
    LogEntry& e = entry;
    // Servers print two decimals. With fewer the line may be cut there, which is no rounding.
    constexpr double kTwoDecimals = 0.0051, kOneDecimal = 0.051;
    if (length && length->off > kOneDecimal) length.reset();
    if (length && length->off > kTwoDecimals) length->off *= 2;
    if (rate && !reported_share(rate->value)) {
        leave_out(figure(100 * rate->value) + " % accepted");
        rate.reset();
    }
    if (length && !reported_length(length->value)) {
        leave_out("an acceptance length of " + figure(length->value));
        length.reset();
    }
    for (const double share : places)
        if (!reported_share(share)) {
            leave_out("a place kept in " + figure(100 * share) + " % of the rounds");
            places.clear();
            break;
        }
    for (std::size_t i = 1; i < places.size(); ++i)
        if (places[i] > places[i - 1]) {
            leave_out("place " + std::to_string(i + 1) + " kept more often (" + figure(places[i]) + ") than place " + std::to_string(i) +
                      " (" + figure(places[i - 1]) + ")");
            places.clear();
            break;
        }
    const auto k = static_cast<double>(places.size());
    if (length && k > 0 && length->value > k + 1 + length->off) {
        leave_out("an acceptance length of " + figure(length->value) + " with " + std::to_string(places.size()) + " places");
        length.reset();
        places.clear();
    }
    if (length && k > 0) {
        const double sum = std::accumulate(places.begin(), places.end(), 0.0);
        if (std::abs(sum - (length->value - 1)) > length->off + k * place_off + kTiny) {
            leave_out("places that add up to " + figure(sum) + " beside an acceptance length of " + figure(length->value));
            length.reset();
            places.clear();
        }
    }
    if (length) e.length = length->value;
    if (rate) e.rate = rate->value;
}

void Open::settle_places(double off) {
    SpecCounts& c = *entry.counts;
    for (const double share : places) c.accepted_at.push_back(std::round(share * *c.rounds));
    if (kept_alone && c.drafted > *c.rounds * static_cast<double>(places.size())) c.shape.kind = DraftShape::Kind::open;
    if (!places.empty()) c.places_off = std::floor(0.5 + place_off * *c.rounds + places.front() * off);
}

void Open::settle_counts() {
    LogEntry& e = entry;
    if (!accepted || !drafted) return;
    if (*accepted > *drafted) {
        leave_out(figure(*accepted) + " accepted of " + figure(*drafted) + " drafted");
        return;
    }
    if (rate && *drafted > 0 && std::abs(*accepted / *drafted - rate->value) > rate->off + 1e-6) {
        leave_out(figure(*accepted) + " accepted of " + figure(*drafted) + " drafted beside a rate of " + figure(rate->value));
        e.rate.reset();
        e.length.reset();
        return;
    }
    e.counts = SpecCounts{{}, *drafted, *accepted, {}};
    if (depth) e.counts->shape = {.kind = DraftShape::Kind::chain, .depth = depth};
    if (rounds) {
        e.counts->rounds = rounds;
        const bool fits = *rounds > 0 ? *drafted >= *rounds : *drafted == 0;
        const auto own = acceptance_length(*e.counts);
        if (!fits || (length && own && std::abs(*own - length->value) > length->off + 1e-6)) {
            leave_out(figure(*accepted) + " accepted in " + figure(*rounds) + " rounds" +
                      (fits ? " beside an acceptance length of " + figure(length->value) : ", " + figure(*drafted) + " drafted"));
            e.length.reset();
            e.counts->rounds.reset();
            return;
        }
        if (!e.length) e.length = own;
        settle_places(0);
        return;
    }
    if (*drafted == 0) { // none of them had a draft
        e.counts->rounds = 0;
        e.counts->accepted_at.assign(places.size(), 0);
        return;
    }
    if (*accepted == 0) e.counts->accepted_at.assign(places.size(), 0);
    if (!length && places.empty()) return;
    const RoundRange range = rounds_allowed(*accepted, *drafted, length, places, place_off);
    if (!range.any() || (*accepted == 0 && length && length->value > 1 + length->off)) {
        std::string why = figure(*accepted) + " accepted of " + figure(*drafted) + " drafted, which no number of rounds makes";
        if (length) why += " an acceptance length of " + figure(length->value);
        if (!places.empty()) why += (length ? " with " : " ") + std::to_string(places.size()) + " places";
        leave_out(why);
        e.length.reset();
        places.clear();
        e.counts->accepted_at.clear();
        return;
    }
    // llama-server drafts fewer towards the limit of a text: there drafted ÷ K is no count of rounds.
    const std::size_t full = e.kind == ServerKind::vllm ? places.size() : 0;
    if (const auto reported = rounds_in(range, *accepted, *drafted, length, full)) {
        e.counts->accepted_at.clear();
        e.counts->rounds = reported->count;
        e.counts->worked_out = true;
        settle_places(reported->off);
    }
}

void Open::settle() {
    if (entry.listed) {
        if (entry.counts && entry.text) entry.counts->text = entry.text;
        return;
    }
    settle_figures();
    settle_counts();
    entry.per_position = places;
    if (entry.counts && !entry.length) entry.length = entry.left_out.empty() ? acceptance_length(*entry.counts) : std::nullopt;
    if (entry.counts && entry.counts->drafted > 0 && !entry.rate && entry.kind != ServerKind::vllm && entry.kind != ServerKind::sglang)
        entry.rate = entry.counts->accepted / entry.counts->drafted;
    if (entry.counts && entry.text) entry.counts->text = entry.text;
}

} // namespace speclens::log_lines
