# What is linked of it: the command line for node with threads (speclens.js) and without (speclens_alone.js), the tests of both
# distributions, and the page. -O1: the linker's own optimiser takes minutes and shortens little of what the compiler wrote.
set(web_memory -O1 -sALLOW_MEMORY_GROWTH -sINITIAL_MEMORY=128MB -sSTACK_SIZE=4MB -Wno-pthreads-mem-growth)

# Whoever has done what another thread asked for tells it so. Emscripten does that after it let go of the lock (mended upstream in its
# pull request 26582): the other thread may have gone on by then, what is told lies on its stack, and the program stands still. Here
# its own source with the two lines the other way round comes before its library.
set(emscripten_lib ${EMSCRIPTEN_ROOT_PATH}/system/lib)
file(READ ${emscripten_lib}/pthread/proxying.c proxying)
string(REGEX REPLACE "( *pthread_mutex_unlock\\(&ctx->sync\\.mutex\\);\n)( *pthread_cond_signal\\(&ctx->sync\\.cond\\);\n)" "\\2\\1" mended "${proxying}")
if(NOT mended STREQUAL proxying)
    enable_language(C)
    file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/proxying.c CONTENT "${mended}")
    add_library(web_proxying OBJECT ${CMAKE_BINARY_DIR}/proxying.c)
    target_include_directories(web_proxying PRIVATE ${emscripten_lib}/pthread ${emscripten_lib}/libc/musl/src/internal
                               ${emscripten_lib}/libc/musl/src/include ${emscripten_lib}/libc/musl/arch/emscripten ${emscripten_lib}/libc)
endif()

# spec_threads(NAME OPTION...): links with threads.
function(spec_threads name)
    target_link_options(${name} PRIVATE -pthread -sDEFAULT_PTHREAD_STACK_SIZE=2MB ${ARGN})
    if(TARGET web_proxying)
        target_link_libraries(${name} PRIVATE $<TARGET_OBJECTS:web_proxying>)
    endif()
endfunction()

# spec_node(NAME [THREADS]): a program that reads and writes real files under node.
function(spec_node name)
    set_target_properties(${name} PROPERTIES SUFFIX .js RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
    target_link_options(${name} PRIVATE ${web_memory} -sNODERAWFS -sENVIRONMENT=node,worker -sEXIT_RUNTIME
                        "SHELL:--pre-js ${CMAKE_SOURCE_DIR}/cmake/web/node.js")
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/web/node.js)
    if("THREADS" IN_LIST ARGN) # as many as the tests start at once, and the program's own
        spec_threads(${name} -sPROXY_TO_PTHREAD -sPTHREAD_POOL_SIZE=7)
    endif()
endfunction()

# Nothing is drawn under node.
target_link_libraries(speclens PRIVATE app_no_window)
spec_node(speclens THREADS)
add_executable(speclens_alone EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/app/main.cpp)
spec_target(speclens_alone)
target_link_libraries(speclens_alone PRIVATE app_cli app_no_window)
spec_node(speclens_alone)

# The files of tests/engine.cmake that ask for both distributions: greedy text and sampled text.
find_library(GTEST_LIBRARY NAMES gtest REQUIRED)
find_library(GTEST_MAIN_LIBRARY NAMES gtest_main REQUIRED)
set(from ${CMAKE_SOURCE_DIR}/tests/engine)
add_executable(web_distributions EXCLUDE_FROM_ALL ${from}/run/law1_test.cpp ${from}/run/law1_precision_test.cpp ${from}/run/planted_fault_test.cpp
    ${from}/rules/oracle_test.cpp ${from}/run/law2_test.cpp ${from}/run/law2_precision_test.cpp
    ${from}/rules/exact_oracle_test.cpp ${from}/run/exact_tables_test.cpp ${from}/run/exact_transformer_test.cpp ${CMAKE_SOURCE_DIR}/tests/kernels/free_memory_test.cpp)
spec_target(web_distributions)
target_include_directories(web_distributions PRIVATE ${CMAKE_SOURCE_DIR})
target_compile_definitions(web_distributions PRIVATE SPEC_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_compile_options(web_distributions PRIVATE -O1)
target_link_libraries(web_distributions PRIVATE engine_session ${GTEST_MAIN_LIBRARY} ${GTEST_LIBRARY})
spec_node(web_distributions THREADS)

# ---- The page: programs for a browser, with threads where it is isolated and without, what they carry, and the files around them.
set(page_folder ${CMAKE_BINARY_DIR}/page)
function(spec_page name)
    add_executable(${name} EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/app/main.cpp)
    spec_target(${name})
    target_link_libraries(${name} PRIVATE app_cli app_window app_render app_frame)
    set_target_properties(${name} PROPERTIES SUFFIX .js RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/page_programs)
    target_link_options(${name} PRIVATE ${web_memory} -sENVIRONMENT=web,worker -sFORCE_FILESYSTEM
                        -sEXPORTED_RUNTIME_METHODS=FS,ENV,callMain,stringToNewUTF8 -sEXPORTED_FUNCTIONS=_main,_page_file_was_chosen,_malloc,_free)
endfunction()
spec_page(speclens_page)
set_target_properties(speclens_page PROPERTIES OUTPUT_NAME speclens)
spec_threads(speclens_page -sPTHREAD_POOL_SIZE=Module.threads)
spec_page(speclens_page_alone)
set_target_properties(speclens_page_alone PROPERTIES OUTPUT_NAME speclens_alone)

# The fonts of ui/fonts.cpp, where Debian has them. Of those that stand in for what these lack the plain one, which closes every chain.
set(fonts /usr/share/fonts/opentype/inter/Inter-Regular.otf /usr/share/fonts/opentype/inter/Inter-SemiBold.otf
    /usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Regular.ttf /usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Medium.ttf
    /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf)
list(JOIN fonts "\n" font_lines)
file(WRITE ${CMAKE_BINARY_DIR}/page_fonts.txt "${font_lines}\n")
# The licences of all that is in the page, beside it.
set(licences "")
foreach(package emscripten libimgui-dev libhwy-dev libonig-dev libutf8proc-dev libgif-dev libstb-dev nlohmann-json3-dev libtomlplusplus-dev
        fonts-inter fonts-jetbrains-mono fonts-dejavu-core)
    set(copyright /usr/share/doc/${package}/copyright)
    if(NOT EXISTS ${copyright})
        string(REGEX REPLACE "^lib(.*)-dev$" "\\1" source ${package})
        file(GLOB copyright ${SPEC_WEB_SOURCES}/${source}-*/debian/copyright ${SPEC_WEB_SOURCES}/lib${source}-*/debian/copyright
             ${SPEC_WEB_SOURCES}/${source}lib-*/debian/copyright ${SPEC_WEB_SOURCES}/highway-*/debian/copyright)
        list(GET copyright 0 copyright)
    endif()
    list(APPEND licences COMMAND ${CMAKE_COMMAND} -E copy ${copyright} ${page_folder}/licences/${package}.txt)
endforeach()
file(GLOB page_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/app/page/*)
file(GLOB_RECURSE page_assets CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/assets/*)
find_program(NODE node REQUIRED CMAKE_FIND_ROOT_PATH_BOTH NO_CMAKE_FIND_ROOT_PATH)
add_custom_command(OUTPUT ${page_folder}/parts.json
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${page_folder}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${page_folder}/licences
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/app/page/index.html ${CMAKE_SOURCE_DIR}/app/page/page.js ${CMAKE_SOURCE_DIR}/app/page/isolate.js ${page_folder}
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/LICENSE ${page_folder}/licences/speclens.txt
    ${licences}
    COMMAND ${NODE} ${CMAKE_SOURCE_DIR}/app/page/pack.mjs ${CMAKE_SOURCE_DIR}/assets ${CMAKE_BINARY_DIR}/page_fonts.txt
            ${CMAKE_BINARY_DIR}/page_programs ${page_folder}
    DEPENDS speclens_page speclens_page_alone ${page_files} ${page_assets}
    COMMENT "The page" VERBATIM)
add_custom_target(page DEPENDS ${page_folder}/parts.json)
