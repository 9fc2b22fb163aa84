// What a frame of the window costs before the graphics driver sees it, for `speclens bench`.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "engine/run/run_settings.h"
#include "engine/run/trace.h"

namespace speclens::cli {

// Median milliseconds of one 1600x1000 frame of the loop scene while the cursor steps through the trace:
// folding, layout, text and triangles, no pixels. Absent in a build without the window. `before_each` of the frames may throw.
[[nodiscard]] std::optional<double> frame_ms(std::shared_ptr<const Trace> trace, const RunSettings& settings,
                                             const std::function<void()>& before_each);

} // namespace speclens::cli
