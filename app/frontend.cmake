# The drawing side: frame, shell and headless renderer. The command line links it and sees app/frontend.h only.
find_package(glfw3 REQUIRED)
find_package(OpenGL REQUIRED)
add_library(speclens_frontend STATIC
    frame/actions.cpp
    frame/controller.cpp
    frame/controller_actions.cpp
    frame/controller_commands.cpp
    frame/controller_cursor.cpp
    frame/controller_race.cpp
    frame/controller_views.cpp
    frame/frame.cpp
    frame/frame_bars.cpp
    frame/frame_focus.cpp
    frame/frame_handles.cpp
    frame/frame_layout.cpp
    frame/frame_menu.cpp
    frame/frame_notes.cpp
    frame/frame_ribbon.cpp
    frame/frame_source.cpp
    frame/frame_timeline.cpp
    frame/keys.cpp
    frame/overlay.cpp
    frame/preferences.cpp
    frame/popup_palette.cpp
    frame/popup_quiz.cpp
    frame/popups.cpp
    render/render.cpp
    frame/saved_files.cpp
    window/shell.cpp
    window/shell_gl.cpp
    window/shell_input.cpp
    window/shell_keys.cpp
    window/shell_window.cpp
)
spec_target(speclens_frontend)
spec_light(speclens_frontend)
set_source_files_properties(window/shell_gl.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # the others keep GLFW from including GL
target_link_libraries(speclens_frontend PUBLIC scenes ui engine speclens_views PRIVATE nlohmann_json::nlohmann_json glfw OpenGL::GL)
