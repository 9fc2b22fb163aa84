# Dear ImGui with the GLFW and OpenGL3 back ends: target imgui::imgui. A package with a CMake config (vcpkg) is
# taken first, then the Debian/Ubuntu static library, which needs libstb for its font code. Nothing is downloaded.
find_package(imgui CONFIG QUIET)
if(TARGET imgui::imgui)
    set(ImGui_FOUND TRUE)
    return()
endif()

find_path(ImGui_INCLUDE_DIR imgui.h PATH_SUFFIXES imgui)
find_path(ImGui_BACKENDS_DIR imgui_impl_glfw.h HINTS ${ImGui_INCLUDE_DIR} PATH_SUFFIXES backends imgui/backends)
find_library(ImGui_LIBRARY imgui)
# The static stb keeps libstb.so out of the run-time needs.
find_library(ImGui_STB_LIBRARY NAMES libstb.a stb)
mark_as_advanced(ImGui_INCLUDE_DIR ImGui_BACKENDS_DIR ImGui_LIBRARY ImGui_STB_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ImGui
    REQUIRED_VARS ImGui_LIBRARY ImGui_INCLUDE_DIR ImGui_BACKENDS_DIR
    REASON_FAILURE_MESSAGE "install it with: apt-get install libimgui-dev libglfw3-dev libgl-dev libstb-dev")

if(ImGui_FOUND AND NOT TARGET imgui::imgui)
    add_library(imgui::imgui UNKNOWN IMPORTED)
    set_target_properties(imgui::imgui PROPERTIES IMPORTED_LOCATION "${ImGui_LIBRARY}")
    target_include_directories(imgui::imgui SYSTEM INTERFACE "${ImGui_INCLUDE_DIR}" "${ImGui_BACKENDS_DIR}")
    if(ImGui_STB_LIBRARY)
        target_link_libraries(imgui::imgui INTERFACE "${ImGui_STB_LIBRARY}")
    endif()
    target_link_libraries(imgui::imgui INTERFACE ${CMAKE_DL_LIBS})
endif()
