#include "engine/published/published_words.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

namespace speclens {

namespace {

std::string with_unit(const std::string& number, const std::string& unit) {
    if (unit == "x") return number + "×";
    return unit == "fraction" ? number : number + " " + unit;
}

void add(std::string& list, const std::string& item) {
    if (!item.empty()) list += (list.empty() ? "" : ", ") + item;
}

constexpr SaidOf<"numbers"> numbers_said;
constexpr SaidOf<"published"> published_said; // words of the files, which a language may have of its own

template <StoryLabel Id>
std::vector<Said> said_where_given(const std::string& words) {
    return words.empty() ? std::vector<Said>() : std::vector<Said>{published_said(TextId<Id>(), "english"_v = words)};
}

template <StoryLabel Id>
Said unit() {
    return numbers_said(TextId<Id>());
}
// Units that are words. The others are signs, and the same in every language.
constexpr std::pair<std::string_view, Said (*)()> kUnits[] = {
    {"x", unit<"figure.unit:times">},
    {"tokens", unit<"figure.unit:tokens">},
    {"layers", unit<"figure.unit:layers">},
    {"blocks", unit<"figure.unit:blocks">},
    {"passes", unit<"figure.unit:passes">},
    {"rounds", unit<"figure.unit:rounds">},
    {"slots", unit<"figure.unit:slots">},
    {"values", unit<"figure.unit:values">},
    {"parameters", unit<"figure.unit:parameters">},
    {"anchors", unit<"figure.unit:anchors">},
    {"prompts", unit<"figure.unit:prompts">},
    {"samples", unit<"figure.unit:samples">},
    {"steps", unit<"figure.unit:steps">},
    {"epochs", unit<"figure.unit:epochs">},
    {"per step", unit<"figure.unit:per_step">},
    {"USD per hour", unit<"figure.unit:dollars_per_hour">},
    {"USD per million tokens", unit<"figure.unit:dollars_per_million_tokens">},
};
std::vector<Said> unit_said(const std::string& name) {
    if (name == "fraction") return {};
    const auto* known = std::ranges::find(kUnits, name, &std::pair<std::string_view, Said (*)()>::first);
    return {known == std::end(kUnits) ? numbers_said("figure.unit:sign"_t, "sign"_v = name) : known->second()};
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

Said value_said(const PublishedFigure& figure) {
    const auto value = "value"_v = figure.values.front();
    const auto unit = "unit"_v = unit_said(figure.unit);
    switch (figure.form) {
    case Form::exact: return numbers_said("figure.value:exact"_t, value, unit);
    case Form::about: return numbers_said("figure.value:about"_t, value, unit);
    case Form::up_to: return numbers_said("figure.value:up_to"_t, value, unit);
    case Form::below: return numbers_said("figure.value:below"_t, value, unit);
    case Form::over: return numbers_said("figure.value:over"_t, value, unit);
    case Form::range: return numbers_said("figure.value:range"_t, value, "to"_v = figure.values.back(), unit);
    case Form::list: break;
    }
    return numbers_said("figure.value:list"_t, "values"_v = figure.values.size());
}

std::vector<Said> values_said(const PublishedFigure& figure) {
    if (figure.form != Form::list) return {value_said(figure)};
    std::vector<Said> values;
    for (const double value : figure.values) values.push_back(numbers_said("figure.number"_t, "value"_v = value));
    return values;
}

Said along_said(const PublishedFigure& figure) { return published_said("figure.along"_t, "english"_v = figure.at); }

Said series_said(const PublishedFigure& figure) {
    const bool times = figure.unit == "x";
    std::vector<Said> values;
    for (std::size_t i = 0; i < figure.values.size(); ++i)
        values.push_back(numbers_said("figure.listed"_t, "value"_v = figure.values[i], "times"_v = times,
                                      "label"_v = published_said("figure.at"_t, "english"_v = figure.labels[i])));
    return numbers_said("figure.series"_t, "values"_v = values, "unit"_v = times ? std::vector<Said>() : unit_said(figure.unit),
                        "at"_v = along_said(figure));
}

std::vector<Said> conditions_said(const PublishedFigure& figure) {
    std::vector<Said> list;
    for (const std::string& words :
         {figure.variant, figure.model.value_or(""), figure.dataset.value_or(""), figure.hardware.value_or(""), figure.engine.value_or("")})
        std::ranges::move(said_where_given<"figure.condition">(words), std::back_inserter(list));
    if (figure.batch) list.push_back(numbers_said("figure.condition:batch"_t, "requests"_v = *figure.batch));
    if (figure.budget) list.push_back(numbers_said("figure.condition:budget"_t, "tokens"_v = *figure.budget));
    if (figure.temperature) list.push_back(numbers_said("figure.condition:temperature"_t, "temperature"_v = *figure.temperature));
    return list;
}

Said citation_said(const PublishedFigure& figure, const PublishedSource& source) {
    return numbers_said("figure.citation"_t, "identifier"_v = source.identifier,
                        "place"_v = said_where_given<"figure.place">(figure.place.value_or("")), "date"_v = figure.date);
}

Said standing_said(const PublishedFigure& figure) {
    const auto why = "reason"_v = reason_said(figure);
    switch (figure.standing) {
    case Standing::as_published: break;
    case Standing::second_hand: return numbers_said("figure.standing:second_hand"_t, why);
    case Standing::derived: return numbers_said("figure.standing:derived"_t, why);
    case Standing::wrong: return numbers_said("figure.standing:wrong"_t, why);
    }
    return numbers_said("figure.standing:as_published"_t, why);
}

Said claim_said(const PublishedFigure& figure) { return published_said("figure.claim"_t, "english"_v = figure.claim); }

std::vector<Said> claim_behind_unit_said(const PublishedFigure& figure) {
    constexpr std::string_view kUnit = "Tokens per round "; // English words of the file: another language has what follows under its own
    return figure.claim.starts_with(kUnit) ? said_where_given<"figure.claim_behind_unit">(figure.claim.substr(kUnit.size()))
                                           : std::vector<Said>();
}

std::vector<Said> reason_said(const PublishedFigure& figure) { return said_where_given<"figure.reason">(figure.reason); }

Said conflict_said(const PublishedConflict& conflict) { return published_said("figure.conflict"_t, "english"_v = conflict.why); }

std::vector<Said> variant_said(const PublishedFigure& figure) { return said_where_given<"figure.condition">(figure.variant); }

std::vector<Said> texts_said(const PublishedFigure& figure) {
    std::vector<Said> all{claim_said(figure)};
    std::ranges::move(claim_behind_unit_said(figure), std::back_inserter(all));
    std::ranges::move(reason_said(figure), std::back_inserter(all));
    for (const PublishedConflict& conflict : figure.conflicts) all.push_back(conflict_said(conflict));
    if (figure.form == Form::list) all.push_back(along_said(figure));
    return all;
}

} // namespace speclens
