// How a scene says something: MessagesOf<"advice", …beats> looks a text up in the stories and fills in the values given here.
//
//     advice_says("why.title:pays"_t, "drafter"_v = name, "rounds"_v = 3)    // [[beat]] name = "why", part title, case pays
//     advice_says.beat("why:pays"_t, …)                                      // its heading and its text at once
//
// What a scene may be asked for is known without running it (kernels/said.h). So a story is checked as a whole when it is read, and
// a text that asks for what its scene does not offer never reaches the screen.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "ui/stories/story_book.h"

namespace speclens {

// What a beat of a story says.
struct Words {
    Message heading, text;
};

namespace story {
// Of "why:pays" its part: "why.heading:pays".
template <StoryLabel Id, StoryLabel Part>
struct PartOf {
    static constexpr std::size_t size = Id.view().size() + 1 + Part.view().size();
    static constexpr std::array<char, size> letters = [] {
        std::array<char, size> out{};
        const std::string_view id = Id.view();
        const std::size_t colon = std::min(id.find(':'), id.size());
        auto at = std::ranges::copy(id.substr(0, colon), out.begin()).out;
        *at++ = '.';
        at = std::ranges::copy(Part.view(), at).out;
        std::ranges::copy(id.substr(colon), at);
        return out;
    }();
    static constexpr std::string_view view{letters.data(), size};
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
struct MessagesOf {
    static constexpr int size = sizeof...(Beats);

    template <StoryLabel Id, class... Values>
    Message operator()(TextId<Id>, const Values&... values) const {
        (void)story::Order<Scene, Beats...>::known;
        return message(story::said<Scene, TextId<Id>>(values...));
    }
    template <StoryLabel Id, class... Values>
    Words beat(TextId<Id>, const Values&... values) const {
        (void)story::Order<Scene, Beats...>::known;
        return {message(story::said<Scene, story::PartOf<Id, "heading">>(values...)),
                message(story::said<Scene, story::PartOf<Id, "text">>(values...))};
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

inline constexpr MessagesOf<"shared"> shared_says; // what several scenes say

// A number as a value; none where it is 0 or less: nobody measured it.
[[nodiscard]] inline std::optional<double> if_measured(double value) { return value > 0 ? std::optional(value) : std::nullopt; }

} // namespace speclens
