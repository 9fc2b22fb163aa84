# The drawing side: frame, shell and headless renderer. The command line links it and sees app/frontend.h only.
find_package(glfw3 REQUIRED)
find_package(OpenGL REQUIRED)
add_library(speclens_frontend STATIC
    actions.cpp
    controller.cpp
    controller_actions.cpp
    controller_commands.cpp
    controller_cursor.cpp
    controller_race.cpp
    controller_views.cpp
    frame.cpp
    frame_bars.cpp
    frame_focus.cpp
    frame_handles.cpp
    frame_layout.cpp
    frame_menu.cpp
    frame_notes.cpp
    frame_ribbon.cpp
    frame_source.cpp
    frame_timeline.cpp
    keys.cpp
    overlay.cpp
    preferences.cpp
    popup_palette.cpp
    popup_quiz.cpp
    popups.cpp
    render.cpp
    saved_files.cpp
    shell.cpp
    shell_gl.cpp
    shell_input.cpp
    shell_keys.cpp
    shell_window.cpp
)
spec_target(speclens_frontend)
spec_light(speclens_frontend)
set_source_files_properties(shell_gl.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # the others keep GLFW from including GL
target_link_libraries(speclens_frontend PUBLIC scenes ui engine speclens_views PRIVATE nlohmann_json::nlohmann_json glfw OpenGL::GL)
