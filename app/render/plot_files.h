// The numbers that a frame's plots were drawn from (ui::plotted), as files for spreadsheets and for Vega-Lite.
#pragma once

#include <span>
#include <vector>

#include "app/frontend/frontend.h"
#include "ui/canvas_record.h"

namespace speclens {

// In the order of drawing. A plot is called as the heading above it in its region of the frame, a lane as the words beside or above it.
[[nodiscard]] std::vector<PlotFiles> plot_files(const ui::RecordCanvas& canvas, std::span<const ui::Rect> regions);

} // namespace speclens
