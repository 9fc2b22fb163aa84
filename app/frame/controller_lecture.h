// The lecture that the window goes through: which step is open, and what its speaker is told on the terminal, which the room
// does not see.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "app/frame/frame.h"

namespace speclens {

class LecturePart {
  public:
    explicit LecturePart(std::string& spoken) : spoken_(spoken) {}
    void begin(LectureView lecture, bool found, double now); // at its first step; as go_to
    void leave() { lecture_ = {}; }
    [[nodiscard]] bool open() const { return !lecture_.steps.empty(); }
    [[nodiscard]] int at() const { return at_; }
    void could_not_be_shown(std::string scene) { instead_ = std::move(scene); } // which stays open
    void plays_elsewhere(bool found) { found_ = found; }                        // the step; once its own model is loaded it does not
    // Or to the nearest that there is. `found`: on another model than it was written on.
    const LectureView::Step& go_to(int step, const std::function<bool(const LectureView::Step&)>& found, double now);
    [[nodiscard]] const LectureView::Step& step() const { return lecture_.steps[static_cast<std::size_t>(at_)]; }
    [[nodiscard]] const SceneView* next() const; // null: this is the last step, or there is no lecture
    [[nodiscard]] std::optional<LecturePlace> place() const;

  private:
    void tell(double now);

    std::string& spoken_;
    LectureView lecture_;
    int at_ = 0;
    bool found_ = false;
    std::string instead_;
    double began_ = 0;
};

} // namespace speclens
