// The window, with a hook for tests: a script of raw events that runs instead of a person.
#pragma once

#include <functional>
#include <memory>

#include "app/frame/controller.h"
#include "app/frontend/frontend.h"
#include "app/window/shell_input.h"

namespace speclens {

struct Models;

// Called before every frame; pushes events, looks at the controller, returns false to close the window.
using ShellScript = std::function<bool(InputQueue& queue, Controller& controller, int frame, double seconds)>;

struct ShellReport {
    double first_frame_s = 0; // from the call to the first picture
    double frame_ms = 0;      // median time to build a frame (no drawing by GL)
    int frames = 0;
    std::string gl; // version and renderer
};
// `models`: instead of loading those of the request.
ShellReport run_window(const WindowRequest& request, const ShellScript& script = {}, std::shared_ptr<const Models> models = {});

} // namespace speclens
