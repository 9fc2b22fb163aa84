// The skeleton of a scene that is made of messages alone: it pushes the name of its controls, and is described by what it says.
#pragma once

#include <utility>
#include <vector>

#include "scenes/shared/history.h"
#include "scenes/shared/in_words.h"
#include "scenes/shared/story.h"

namespace speclens {

// `frame` draws one, `kName` stands before the names of its controls.
template <class Own>
class MessageScene : public Scene {
  public:
    std::vector<SceneCommand> draw(const SceneInput& input, ui::Ui& ui) final {
        std::vector<SceneCommand> out;
        ui.push_id(Own::kName);
        static_cast<Own&>(*this).frame(input, ui, out);
        ui.pop_id();
        return out;
    }
    [[nodiscard]] std::vector<ui::ToldMessage> told(const SceneInput& input) const override {
        return told_by(Own(static_cast<const Own&>(*this)), input);
    }
};

// A scene whose controls can be taken back; its frame() ends with history_.follow().
template <class Own, class State>
class UndoScene : public MessageScene<Own> {
  public:
    bool can_take_back(bool forward) const override { return history_.can(forward); }
    void take_back(bool forward) override { state_ = history_.take(forward).value_or(state_); }

  protected:
    State state_;
    ControlHistory<State> history_;
};

// What its parts draw with.
template <class Model, class State>
struct SceneDraw {
    const SceneInput& input;
    const Model& model;
    State& state;
    ui::Ui& ui;
    std::vector<SceneCommand>& out;
};

// What stands beside the picture, where there is room for it.
template <class Draw>
void draw_beside(const Draw& d, void (*details)(const Draw&), void (*controls)(const Draw&)) {
    if (d.input.details.w > 0) details(d);
    if (d.input.controls.w > 0) controls(d);
}

inline void take(Story& story, Words words) {
    story.heading = std::move(words.heading);
    story.text = std::move(words.text);
}

// A message of each of them, or a text that nobody says alone (SaidOf), as a value of another one.
template <class List, class Say>
[[nodiscard]] std::vector<Said> each_said(const List& list, const Say& say) {
    std::vector<Said> all;
    for (const auto& one : list) {
        if constexpr (requires { say(one).said; })
            all.push_back(say(one).said);
        else
            all.push_back(say(one));
    }
    return all;
}

} // namespace speclens
