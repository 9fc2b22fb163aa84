# What is linked of it: the command line for node with threads (speclens.js) and without (speclens_alone.js), and the tests of both
# distributions. -O1: the linker's own optimiser takes minutes and shortens little of what the compiler wrote.
set(web_memory -O1 -sALLOW_MEMORY_GROWTH -sINITIAL_MEMORY=128MB -sSTACK_SIZE=4MB -Wno-pthreads-mem-growth)
set(web_threads -pthread -sDEFAULT_PTHREAD_STACK_SIZE=2MB)

# spec_node(NAME [THREADS]): a program that reads and writes real files under node.
function(spec_node name)
    set_target_properties(${name} PROPERTIES SUFFIX .js RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
    target_link_options(${name} PRIVATE ${web_memory} -sNODERAWFS -sENVIRONMENT=node,worker -sEXIT_RUNTIME
                        "SHELL:--pre-js ${CMAKE_SOURCE_DIR}/cmake/web/node.js")
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/web/node.js)
    if("THREADS" IN_LIST ARGN) # as many as the tests start at once, and the program's own
        target_link_options(${name} PRIVATE ${web_threads} -sPROXY_TO_PTHREAD -sPTHREAD_POOL_SIZE=7)
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
    ${from}/rules/oracle_test.cpp ${from}/run/law2_test.cpp ${from}/run/law2_precision_test.cpp)
spec_target(web_distributions)
target_include_directories(web_distributions PRIVATE ${CMAKE_SOURCE_DIR})
target_compile_definitions(web_distributions PRIVATE SPEC_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_compile_options(web_distributions PRIVATE -O1)
target_link_libraries(web_distributions PRIVATE engine_session ${GTEST_MAIN_LIBRARY} ${GTEST_LIBRARY})
spec_node(web_distributions THREADS)
