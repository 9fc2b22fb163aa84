// The cursor over the events of a run: steps, jumps, and looking for what is not there yet.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/frame/controller_common.h"
#include "app/frame/frame_source.h"

namespace speclens {

class CursorPart {
  public:
    enum class Seek : std::uint8_t { none, step, rejection, verify, round };

    explicit CursorPart(ControllerCommon& common) : common_(common) { source.update(empty_trace(), 0); }

    FrameSource source;
    std::optional<Position> selected;

    [[nodiscard]] std::size_t at() const { return at_; }
    [[nodiscard]] std::size_t end() const { return source.trace().size(); }
    void stand(std::shared_ptr<const Trace> trace, std::size_t cursor); // on another run; nothing is sought or selected
    void grow(const std::shared_ptr<const Trace>& shown) { source.update(shown ? shown : source.shared(), at_); }
    void go_to(std::size_t cursor, double now, bool with_motion);
    void show_round(int round, double now); // its end, where it is there
    bool step(double now);                  // to the next event that is a step; false: it is not there yet
    void step_back(double now);
    [[nodiscard]] std::vector<StepMotion> moving(double now, bool reduced) const;

    // Lets the engine run until it is there, unless nothing more comes.
    void seek(Seek what, bool over);
    [[nodiscard]] bool seeking() const { return seek_ != Seek::none; }
    void follow_seek(bool over, double now); // there, or as far as it goes

  private:
    [[nodiscard]] std::optional<std::size_t> found() const;

    struct Stepped {
        std::size_t event;
        double at;
    };
    ControllerCommon& common_;
    std::size_t at_ = 0;
    std::vector<Stepped> in_motion_; // the last steps: what they brought may still move
    Seek seek_ = Seek::none;
    std::size_t seek_from_ = 0;
};

} // namespace speclens
