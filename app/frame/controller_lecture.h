// The lecture that the window goes through: which step is open, and what its speaker is told on the terminal, which the room
// does not see.
#pragma once

#include <optional>
#include <string>

#include "app/frame/frame.h"

namespace speclens {

class LecturePart {
  public:
    explicit LecturePart(std::string& spoken) : spoken_(spoken) {}
    void begin(LectureView lecture, double now); // at its first step
    void leave() { lecture_ = {}; }
    [[nodiscard]] bool open() const { return !lecture_.steps.empty(); }
    [[nodiscard]] int at() const { return at_; }
    const SceneView& go_to(int step, double now); // or to the nearest that there is
    [[nodiscard]] const SceneView& view() const { return lecture_.steps[static_cast<std::size_t>(at_)].view; }
    [[nodiscard]] const SceneView* next() const; // null: this is the last step, or there is no lecture
    [[nodiscard]] std::optional<LecturePlace> place() const;

  private:
    void tell(double now);

    std::string& spoken_;
    LectureView lecture_;
    int at_ = 0;
    double began_ = 0;
};

} // namespace speclens
