#include "engine/published/published_words.h"

#include <algorithm>
#include <charconv>

namespace speclens {

namespace {

std::string with_unit(const std::string& number, const std::string& unit) {
    if (unit == "x") return number + "×";
    return unit == "fraction" ? number : number + " " + unit;
}

void add(std::string& list, const std::string& item) {
    if (!item.empty()) list += (list.empty() ? "" : ", ") + item;
}

} // namespace

std::string published_number(double value) {
    char digits[64];
    const auto end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed);
    std::string text(digits, end.ptr);
    const std::size_t whole = std::min(text.find('.'), text.size());
    if (whole > 4) // a thin space between thousands
        for (std::size_t at = whole; at > 3; at -= 3) text.insert(at - 3, at - 3 > 0 ? "\u2009" : "");
    return text;
}

std::string published_value(const PublishedFigure& figure) {
    const std::string first = published_number(figure.values.front());
    switch (figure.form) {
    case Form::exact: return with_unit(first, figure.unit);
    case Form::about: return "about " + with_unit(first, figure.unit);
    case Form::up_to: return "up to " + with_unit(first, figure.unit);
    case Form::below: return "below " + with_unit(first, figure.unit);
    case Form::over: return "over " + with_unit(first, figure.unit);
    case Form::range: return with_unit(first + "–" + published_number(figure.values.back()), figure.unit);
    case Form::list: break;
    }
    return std::to_string(figure.values.size()) + " values";
}

std::string published_series(const PublishedFigure& figure) {
    if (figure.form != Form::list) return "";
    std::string text;
    for (std::size_t i = 0; i < figure.values.size(); ++i)
        add(text, with_unit(published_number(figure.values[i]), figure.unit == "x" ? "x" : "fraction") + " (" + figure.labels[i] + ")");
    const bool named = figure.unit != "x" && figure.unit != "fraction";
    return text + (named ? " " + figure.unit : "") + ", by " + figure.at;
}

std::string published_conditions(const PublishedFigure& figure) {
    std::string text;
    add(text, figure.variant);
    for (const auto* part : {&figure.model, &figure.dataset, &figure.hardware, &figure.engine}) add(text, part->value_or(""));
    if (figure.batch) add(text, "batch " + std::to_string(*figure.batch));
    if (figure.budget) add(text, std::to_string(*figure.budget) + " draft tokens");
    if (figure.temperature) add(text, "T=" + published_number(*figure.temperature));
    return text;
}

std::string published_citation(const PublishedFigure& figure, const PublishedSource& source) {
    std::string text = source.identifier;
    add(text, figure.place.value_or(""));
    add(text, figure.date.value_or(""));
    return text;
}

std::string published_standing(const PublishedFigure& figure) {
    static constexpr const char* kWords[] = {"as published", "second-hand", "derived", "wrong in the source"};
    const std::string word = kWords[static_cast<int>(figure.standing)];
    return figure.reason.empty() ? word : word + ": " + figure.reason;
}

} // namespace speclens
