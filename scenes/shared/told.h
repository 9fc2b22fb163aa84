// How a scene says something: StoryOf<"advice", …beats> looks a text up in the stories and fills in the values given here.
//
//     advice_says("why.title:pays"_t, "drafter"_v = name, "rounds"_v = 3)    // [[beat]] name = "why", part title, case pays
//     advice_says.beat("why:pays"_t, …)                                      // its heading and its text at once
//
// What a scene may be asked for is known without running it: every such call adds its text, its case and the names of its
// values to story_shapes() before main() begins. So a story is checked as a whole when it is read, and a text that asks
// for what its scene does not offer never reaches the screen.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>

#include "scenes/shared/story_book.h"

namespace speclens {

template <std::size_t N>
struct StoryLabel { // a text as an argument of a template
    char letters[N] = {};
    consteval StoryLabel(const char (&from)[N]) { std::copy_n(from, N, letters); } // NOLINT: implicit on purpose
    [[nodiscard]] constexpr std::string_view view() const { return {letters, N - 1}; }
};
template <StoryLabel>
struct TextId {};
template <StoryLabel>
struct PartId {};
template <StoryLabel Name>
struct NamedValue {
    StoryValue value;
};
template <StoryLabel Name>
struct ValueId {
    template <class T>
    NamedValue<Name> operator=(T&& given) const { // NOLINT: builds an argument, like {fmt}'s
        using Given = std::remove_cvref_t<T>;
        static_assert(!std::is_floating_point_v<Given>, "say how it is printed: ui::number, ui::percent");
        if constexpr (std::is_integral_v<Given>)
            return {{Name.view(), std::to_string(given), static_cast<long>(given)}};
        else
            return {{Name.view(), std::string(std::forward<T>(given))}};
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

// What a beat of a story says.
struct Words {
    std::string heading, text;
};

namespace story {
enum class Asked : unsigned char { text, beat };
template <StoryLabel Scene, Asked asked, StoryLabel Id, StoryLabel... Names>
struct Offer {
    static inline const bool known = [] {
        const std::string_view names[] = {Names.view()..., ""};
        if (asked == Asked::text) return offer_text(Scene.view(), Id.view(), {names, sizeof...(Names)});
        return offer_beat(Scene.view(), Id.view(), {names, sizeof...(Names)});
    }();
};
template <StoryLabel Scene, BeatList list, StoryLabel Id>
struct Part {
    static inline const bool known = offer_part(Scene.view(), list, Id.view());
};
template <StoryLabel Scene, StoryLabel... Beats>
struct Order {
    static inline const bool known = [] {
        const std::string_view names[] = {Beats.view()..., ""};
        return offer_beats(Scene.view(), {names, sizeof...(Beats)});
    }();
};
} // namespace story

template <StoryLabel Scene, StoryLabel... Beats>
struct StoryOf {
    static constexpr int size = sizeof...(Beats);

    template <StoryLabel Id, StoryLabel... Names>
    std::string operator()(TextId<Id>, const NamedValue<Names>&... values) const {
        (void)story::Order<Scene, Beats...>::known;
        (void)story::Offer<Scene, story::Asked::text, Id, Names...>::known;
        return story::tell(Scene.view(), Id.view(), {values.value...});
    }
    template <StoryLabel Id, StoryLabel... Names>
    Words beat(TextId<Id>, const NamedValue<Names>&... values) const {
        (void)story::Order<Scene, Beats...>::known;
        (void)story::Offer<Scene, story::Asked::beat, Id, Names...>::known;
        return {story::tell_part(Scene.view(), Id.view(), "heading", {values.value...}),
                story::tell_part(Scene.view(), Id.view(), "text", {values.value...})};
    }
    // Whether the beat emphasises this part of the picture. Where it emphasises none, all of them.
    template <StoryLabel Id>
    bool focus(int at, PartId<Id>) const {
        (void)story::Part<Scene, BeatList::focus, Id>::known;
        return story::lists(Scene.view(), name(at), BeatList::focus, Id.view(), true);
    }
    // Whether the beat keeps this answer back.
    template <StoryLabel Id>
    bool hides(int at, PartId<Id>) const {
        (void)story::Part<Scene, BeatList::hidden, Id>::known;
        return story::lists(Scene.view(), name(at), BeatList::hidden, Id.view(), false);
    }
    // Whether the beat's example must satisfy this.
    template <StoryLabel Id>
    bool criterion(int at, PartId<Id>) const {
        (void)story::Part<Scene, BeatList::criterion, Id>::known;
        return story::lists(Scene.view(), name(at), BeatList::criterion, Id.view(), false);
    }
    [[nodiscard]] static std::string_view name(int at) {
        constexpr std::string_view names[] = {Beats.view()..., ""};
        return names[std::clamp(at, 0, size > 0 ? size - 1 : 0)];
    }
};

inline constexpr StoryOf<"shared"> shared_says; // what several scenes say

} // namespace speclens
