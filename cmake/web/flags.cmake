# How everything of ours is compiled for WebAssembly. One set of objects serves programs with threads and without: those that
# are linked with -pthread share their memory. That needs that nothing is thread_local.
add_compile_options(-pthread -msimd128 -fwasm-exceptions)
add_link_options(-fwasm-exceptions)

# GLFW and OpenGL of a page: emscripten's own, for whose headers sources ask with the same words.
add_library(web_canvas INTERFACE)
target_compile_definitions(web_canvas INTERFACE GLFW_INCLUDE_ES3)
target_link_options(web_canvas INTERFACE -sUSE_GLFW=3 -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2)
