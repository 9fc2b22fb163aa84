// What is said, before a language says it: which text, and the values that stand in it. A verdict, a reason or a title that is made below
// the pictures is one of these. Who shows it looks the text up (ui/stories/story_book.h); who writes it for programs has id and values,
// with full precision. There is neither a parser nor a language here: the words stand in assets/stories/SCENE.toml.
//
//     inline constexpr SaidOf<"advice"> advice_said;
//     advice_said("finding.too_long"_t, "drafter"_v = cell.drafter, "k"_v = cell.k, "tokens"_v = cell.tokens_per_round)
//
// What may be asked for is known without running anything: every such call adds its text, and the names and kinds of its values, to
// offered_texts() before main() begins. So the files are checked as a whole when they are read.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace speclens {

struct SaidValue;
struct Said {
    std::string_view scene, text; // "advice", "why.title:pays": of literals, which outlive everything
    std::vector<SaidValue> values;
    std::size_t offered = kNotOffered; // its place in offered_texts(), where the code asked for it: to look its words up
    static constexpr std::size_t kNotOffered = static_cast<std::size_t>(-1);
    [[nodiscard]] bool empty() const { return text.empty(); }
    [[nodiscard]] std::string id() const { return std::string(scene) + "." + std::string(text); } // "advice.why.title:pays"
    bool operator==(const Said& other) const;
};

// In the order of the variant, behind what is absent.
enum class ValueKind : unsigned char { whole, real, words, said };

struct SaidValue {
    std::string_view name;
    // Nothing; a count; a measured number, which the text says how to write; a name, as it is; a text of its own, or a list of them.
    std::variant<std::monostate, std::int64_t, double, std::string, std::vector<Said>> is = {};
    [[nodiscard]] bool there() const { // for choices: not there, 0 and no words are alike
        if (const auto* whole = std::get_if<std::int64_t>(&is)) return *whole != 0;
        if (const auto* words = std::get_if<std::string>(&is)) return !words->empty();
        if (const auto* list = std::get_if<std::vector<Said>>(&is)) return !list->empty();
        return std::holds_alternative<double>(is);
    }
    bool operator==(const SaidValue&) const = default;
};
inline bool Said::operator==(const Said& other) const { return scene == other.scene && text == other.text && values == other.values; }

template <std::size_t N>
struct StoryLabel { // a text as an argument of a template
    char letters[N] = {};
    consteval StoryLabel(const char (&from)[N]) { std::copy_n(from, N, letters); } // NOLINT: implicit on purpose
    [[nodiscard]] constexpr std::string_view view() const { return {letters, N - 1}; }
};
template <std::size_t N, std::size_t M>
[[nodiscard]] consteval StoryLabel<N + M - 1> operator+(const StoryLabel<N>& front, const char (&back)[M]) {
    char both[N + M - 1] = {};
    std::copy_n(back, M, std::copy_n(front.letters, N - 1, both));
    return both;
}
template <StoryLabel Id>
struct TextId {
    static constexpr std::string_view view = Id.view();
};
template <StoryLabel>
struct PartId {};
template <StoryLabel Name, ValueKind Kind>
struct NamedValue {
    static constexpr std::string_view name = Name.view();
    static constexpr ValueKind kind = Kind;
    SaidValue value;
};

namespace story {
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
concept HoldsSaid = requires(const T& it) {
    { it.said } -> std::convertible_to<const Said&>;
}; // a text that was looked up already
} // namespace story

template <StoryLabel Name>
struct ValueId {
    template <class T>
    auto operator=(T&& given) const { // NOLINT: builds an argument, like {fmt}'s
        using Given = std::remove_cvref_t<T>;
        constexpr std::string_view name = Name.view();
        if constexpr (story::IsOptional<Given>::value) {
            if (given) return *this = *given;
            auto absent = *this = typename Given::value_type();
            absent.value.is = std::monostate();
            return absent;
        } else if constexpr (std::is_integral_v<Given>)
            return NamedValue<Name, ValueKind::whole>{{name, static_cast<std::int64_t>(given)}};
        else if constexpr (std::is_floating_point_v<Given>)
            return NamedValue<Name, ValueKind::real>{{name, static_cast<double>(given)}};
        else if constexpr (std::is_same_v<Given, std::vector<Said>>)
            return NamedValue<Name, ValueKind::said>{{name, std::forward<T>(given)}};
        else if constexpr (std::is_same_v<Given, Said>)
            return NamedValue<Name, ValueKind::said>{{name, std::vector<Said>{std::forward<T>(given)}}};
        else if constexpr (story::HoldsSaid<Given>) {
            if (given.said.empty()) return NamedValue<Name, ValueKind::said>{{name, std::string(given)}};
            return NamedValue<Name, ValueKind::said>{{name, std::vector<Said>{given.said}}};
        } else
            return NamedValue<Name, ValueKind::words>{{name, std::string(std::forward<T>(given))}};
    }
};
template <StoryLabel L>
consteval TextId<L> operator""_t() {
    return {};
}
template <StoryLabel L>
consteval PartId<L> operator""_part() {
    return {};
}
template <StoryLabel L>
consteval ValueId<L> operator""_v() {
    return {};
}

// What the code asks the files for.
struct OfferedValue {
    std::string_view name;
    ValueKind kind;
};
struct OfferedText {
    std::string_view scene, text;
    std::vector<OfferedValue> values;
};
[[nodiscard]] inline std::vector<OfferedText>& offered_texts() { // complete when main() begins
    static std::vector<OfferedText> all;
    return all;
}

namespace story {
template <StoryLabel Scene, class Id, class... Values>
struct Offer {
    // Its place; what is said before main() begins may ask first.
    [[nodiscard]] static std::size_t at() {
        static const std::size_t place = [] {
            offered_texts().push_back({Scene.view(), Id::view, {OfferedValue{Values::name, Values::kind}...}});
            return offered_texts().size() - 1;
        }();
        return place;
    }
    static inline const std::size_t known = at();
};
template <StoryLabel Scene, class Id, class... Values>
[[nodiscard]] Said said(const Values&... values) {
    (void)Offer<Scene, Id, Values...>::known;
    return {Scene.view(), Id::view, {values.value...}, Offer<Scene, Id, Values...>::at()};
}
} // namespace story

// What is born below the scenes, in the file of the scene that shows it.
template <StoryLabel Scene>
struct SaidOf {
    template <StoryLabel Id, class... Values>
    [[nodiscard]] Said operator()(TextId<Id>, const Values&... values) const {
        return story::said<Scene, TextId<Id>>(values...);
    }
};

} // namespace speclens
