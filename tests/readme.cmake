# The drafter that README.md shows how to add: what is printed there is compiled, listed and run through the laws that
# every drafter must keep. So it cannot grow old.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/README.md)
file(READ ${CMAKE_SOURCE_DIR}/README.md readme)

# readme_code(OUT LINE): the block of code behind the words LINE.
function(readme_code out line)
    string(FIND "${readme}" "${line}" at)
    if(at EQUAL -1)
        message(FATAL_ERROR "README.md does not say \"${line}\" any more; tests/readme.cmake takes the code behind it.")
    endif()
    string(SUBSTRING "${readme}" ${at} -1 rest)
    string(FIND "${rest}" "```cpp\n" begin)
    math(EXPR begin "${begin} + 7")
    string(SUBSTRING "${rest}" ${begin} -1 rest)
    string(FIND "${rest}" "\n```" end)
    string(SUBSTRING "${rest}" 0 ${end} code)
    set(${out} "${code}\n" PARENT_SCOPE)
endfunction()

readme_code(source "`engine/drafters/echo.cpp`:")
readme_code(listed "and one line in `engine/drafters/drafters.inc`:")
set(from_readme ${CMAKE_BINARY_DIR}/readme)
file(CONFIGURE OUTPUT ${from_readme}/echo.cpp CONTENT "@source@" @ONLY)
# Plain decoding stays beside it: the laws compare with that.
file(STRINGS ${CMAKE_SOURCE_DIR}/engine/drafters/drafters.inc plain REGEX "^DRAFTER\\(none\\)")
string(REPLACE "\\;" ";" plain "${plain}")  # a list escapes them
file(CONFIGURE OUTPUT ${from_readme}/engine/drafters/drafters.inc CONTENT "@plain@\n@listed@" @ONLY)

spec_test(readme_test LABELS fast PREFIX Readme. LIBS engine
    FILTER "Readme.*:Conformance.*:*EveryDrafterAnd*:*TheMatchRule*-*AStopToken*"
    SOURCES engine/drafters/readme_test.cpp engine/run/law1_test.cpp ${from_readme}/echo.cpp
            ${CMAKE_SOURCE_DIR}/engine/drafters/drafter_table.cpp)
target_include_directories(readme_test BEFORE PRIVATE ${from_readme})
set_source_files_properties(${CMAKE_SOURCE_DIR}/engine/drafters/drafter_table.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
