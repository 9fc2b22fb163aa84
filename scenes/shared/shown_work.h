// The work beside the run as the window tells of it: from what the engine said last, and when, to what is true now.
#pragma once

#include <optional>

#include "engine/run/engine_status.h"
#include "ui/stories/message.h"

namespace speclens {

// "loading the models", "reading the prompt"; of weights whose they are; none of nothing.
[[nodiscard]] Message job_words(const EngineJob& job);

class ShownWork {
  public:
    void observe(const Work& told, double now);
    // "Measuring run 3 of 10 · about 40 s left"; empty: there is none, or it is hardly begun and may be over in a moment.
    [[nodiscard]] Message words(double now) const;
    [[nodiscard]] double next_change(double now) const; // seconds until these are others; negative: never by themselves

  private:
    Work work_;
    double since_ = 0;           // when the window heard of it
    std::optional<double> ends_; // when it should be over, as it was told last
};

} // namespace speclens
