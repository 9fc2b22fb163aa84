// Where Tab stops in a window, and what a scene's widgets are called there.
#pragma once

#include <set>
#include <string>

#include "tests/scenes/scenes_bench.h"

namespace speclens {

inline ui::Id id_in(const SceneBench& bench, const std::string& scene, const std::string& name) {
    ui::RecordCanvas canvas(*bench.fonts, bench.screen());
    const ui::Input nothing;
    ui::WidgetState widgets;
    ui::Ui ui(canvas, nothing, ui::theme(ui::ThemeKind::dark), widgets, bench.screen());
    ui.push_id(scene);
    return ui.id(name);
}

// Once round.
inline std::set<ui::Id> tab_stops(SceneBench& bench) {
    std::set<ui::Id> stops;
    do bench.key(ui::Key::tab);
    while (stops.insert(bench.widgets.focus).second);
    return stops;
}

} // namespace speclens
