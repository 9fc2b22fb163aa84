#include "ui/language/language.h"

#include <algorithm>

namespace speclens::ui {
namespace {

constexpr std::size_t kMostRemembered = 4096, kLongestLabel = 200;
constexpr std::string_view kOpen = "“", kClose = "”"; // as the code and English texts write them

std::shared_ptr<const Language>& in_use() {
    static std::shared_ptr<const Language> language = std::make_shared<const Language>();
    return language;
}

// Between the {} of a label.
std::vector<std::string> split_at_braces(std::string_view label) {
    std::vector<std::string> parts;
    std::size_t from = 0;
    for (std::size_t at = label.find("{}"); at != std::string_view::npos; at = label.find("{}", from)) {
        parts.emplace_back(label.substr(from, at - from));
        from = at + 2;
    }
    parts.emplace_back(label.substr(from));
    return parts;
}

// A pair of English quotes around what holds none; those of other languages stay.
std::string with_quotes(std::string text, const std::string& open, const std::string& close) {
    if (open == kOpen && close == kClose) return text;
    for (std::size_t end = text.find(kClose); end != std::string::npos; end = text.find(kClose, end)) {
        const std::size_t begin = end == 0 ? std::string::npos : text.rfind(kOpen, end - 1);
        const std::size_t before = end == 0 ? std::string::npos : text.rfind(kClose, end - 1);
        if (begin == std::string::npos || (before != std::string::npos && before > begin)) {
            end += kClose.size();
            continue;
        }
        text.replace(end, kClose.size(), close);
        text.replace(begin, kOpen.size(), open);
        end += open.size() + close.size() - kOpen.size();
    }
    return text;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::size_t letters_of(const std::vector<std::string>& fixed) {
    std::ptrdiff_t letters = 0;
    for (const std::string& part : fixed) letters += std::ranges::count_if(part, is_letter);
    return static_cast<std::size_t>(letters);
}

bool has_letters(std::string_view text) { return std::ranges::any_of(text, is_letter); }

// "1.5", ".85" and "2.10×", as an engine writes them that knows no language.
bool is_decimal(std::string_view text) {
    constexpr std::string_view kTimes = "×";
    if (text.ends_with(kTimes)) text.remove_suffix(kTimes.size());
    const std::size_t point = text.find('.');
    const auto digits = [](std::string_view part) { return std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; }); };
    return point < text.size() && point + 1 < text.size() && digits(text.substr(0, point)) && digits(text.substr(point + 1));
}

} // namespace

void Language::add(const std::string& english, const std::string& own) {
    if (english.find("{}") == std::string::npos) {
        labels_[english] = own;
        return;
    }
    std::vector<std::string> fixed = split_at_braces(english);
    const std::size_t letters = letters_of(fixed);
    const auto after = std::ranges::find_if(patterns_, [&](const Pattern& one) { return one.letters < letters; });
    patterns_.insert(after, {std::move(fixed), letters, own});
}

bool Language::find(std::string_view english, std::string& own) const {
    if (const auto found = labels_.find(english); found != labels_.end()) {
        own = found->second;
        return true;
    }
    return std::ranges::any_of(patterns_, [&](const Pattern& pattern) { return fill(pattern, english, own); });
}

// The shortest text that fits each {}, the rest of the label for the last one. None holds what parts are kept apart by.
bool Language::fill(const Pattern& pattern, std::string_view english, std::string& own) const {
    const std::vector<std::string>& fixed = pattern.english;
    // "{} of {}" would fit half of all sentences: where so little of a label is fixed, a {} stands for one word or number.
    const bool words = pattern.letters > (fixed.front().empty() ? 7U : 3U);
    if (!english.starts_with(fixed.front()) || !english.ends_with(fixed.back())) return false;
    std::vector<std::string_view> found;
    std::size_t at = fixed.front().size();
    for (std::size_t i = 1; i < fixed.size(); ++i) {
        const bool last = i + 1 == fixed.size();
        const std::size_t end = last ? english.size() - fixed.back().size() : english.find(fixed[i], at + 1);
        if (end == std::string_view::npos || end <= at || end > english.size()) return false;
        const std::string_view value = english.substr(at, end - at);
        if (!words && value.find(' ') != std::string_view::npos) return false;
        if (value.find("; ") != std::string_view::npos || value.find(" · ") != std::string_view::npos) return false;
        found.push_back(value);
        at = end + fixed[i].size();
    }
    std::vector<std::string> values;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const bool quoted = fixed[i].ends_with(kOpen); // a token or what somebody wrote
        values.push_back(quoted ? std::string(found[i]) : part(found[i]));
    }
    own.clear();
    std::size_t next = 0;
    for (std::size_t i = 0; i < pattern.own.size(); ++i) {
        const std::string_view rest = std::string_view(pattern.own).substr(i);
        const bool plain = rest.starts_with("{}");
        const bool numbered = rest.size() > 2 && rest[0] == '{' && rest[2] == '}' && rest[1] >= '1' && rest[1] <= '9';
        if (!plain && !numbered) {
            own += rest[0];
            continue;
        }
        const std::size_t which = plain ? next++ : static_cast<std::size_t>(rest[1] - '1');
        if (which < values.size()) own += values[which];
        i += plain ? 1 : 2;
    }
    return true;
}

std::string Language::part(std::string_view english) const {
    if (std::string own; find(english, own)) return own;
    if (decimal != '.' && is_decimal(english)) {
        std::string number = (english.starts_with('.') ? "0" : "") + std::string(english);
        number[number.find('.')] = decimal;
        return number;
    }
    if (english.size() > kLongestLabel ||
        english.find('\n') != std::string_view::npos) { // sentences, of which single words would be translated
        if (unknown && has_letters(english)) unknown(english);
        return std::string(english);
    }
    constexpr std::string_view kBetween[] = {" · ", "; ", ", ", ": "};
    for (const std::string_view between : kBetween) // where both sides are known, "Loop: one round, step by step"
        for (std::size_t at = english.find(between); at != std::string_view::npos; at = english.find(between, at + 1)) {
            std::string left, right;
            if (labels_.contains(english.substr(0, at)) && find(english.substr(0, at), left) &&
                find(english.substr(at + between.size()), right))
                return left + std::string(between) + right;
        }
    for (const std::string_view between : kBetween) {
        const std::size_t at = english.find(between);
        if (at == std::string_view::npos) continue;
        return part(english.substr(0, at)) + std::string(between) + part(english.substr(at + between.size()));
    }
    if (unknown && has_letters(english)) unknown(english);
    return std::string(english);
}

std::string Language::looked_up(std::string_view english) const { return with_quotes(part(english), open_quote, close_quote); }

std::string Language::label(std::string_view english) const {
    if (!translates() || english.empty()) return std::string(english);
    if (unknown) return looked_up(english);
    if (const auto known = found_.find(english); known != found_.end()) return known->second;
    if (found_.size() >= kMostRemembered) found_.clear();
    return found_.emplace(std::string(english), looked_up(english)).first->second;
}

const Language& language() { return *in_use(); }

std::string in_language(std::string number) {
    const char decimal = language().decimal;
    if (decimal == '.') return number;
    const std::size_t at = number.find('.');
    if (at == std::string::npos) return number;
    number[at] = decimal;
    if (at == 0 || number[at - 1] < '0' || number[at - 1] > '9') number.insert(at, "0");
    return number;
}

std::shared_ptr<const Language> shared_language() { return in_use(); }

void use_language(std::shared_ptr<const Language> other) { in_use() = other ? std::move(other) : std::make_shared<const Language>(); }

} // namespace speclens::ui
