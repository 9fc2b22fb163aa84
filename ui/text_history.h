// Undo and redo of a text field: its text before every change. What is typed in one go up to the next word is
// one change, and so is what is deleted in one go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace speclens::ui {

struct TextVersion {
    std::string text;
    std::size_t caret = 0, anchor = 0; // bytes
};

class TextHistory {
  public:
    enum class Kind : std::uint8_t { typed, erased, other };

    // Whether a change belongs to the last one: of the same kind, at its end and within a second of it.
    // `selected`: it replaces a selection; `new_word`: it is typed and begins a word. Seconds of the frame's
    // clock.
    [[nodiscard]] bool joins(Kind kind, double time, std::size_t caret, bool selected, bool new_word) const;
    // After a change that left the caret there. `before`: what there was, absent when it joins the last
    // change. The oldest versions are forgotten beyond kMostBytes.
    void changed(std::optional<TextVersion> before, Kind kind, double time, std::size_t caret);
    // What was before `now`, or after it where that was taken back; absent: nothing.
    std::optional<TextVersion> take(bool forward, TextVersion now);

    static constexpr std::size_t kMostBytes = 4U << 20U;

  private:
    std::vector<TextVersion> done_, undone_;
    Kind kind_ = Kind::other;
    double time_ = -1e9;
    std::size_t caret_ = 0;
};

} // namespace speclens::ui
