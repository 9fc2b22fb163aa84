# What docs/adding.md shows how to add: the code printed there is compiled, listed and run through what every drafter, rule
# and scene must keep. So it cannot grow old.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/adding.md ${CMAKE_SOURCE_DIR}/scenes/scenes.inc)
file(READ ${CMAKE_SOURCE_DIR}/docs/adding.md adding)
set(from_adding ${CMAKE_BINARY_DIR}/adding)

# adding_code(FILE TEXT [LANGUAGE]): the first block of code (cpp where nothing is said) behind the words TEXT, written to FILE behind what is in PREPEND.
function(adding_code file text)
    set(language cpp)
    if(ARGC GREATER 2)
        set(language ${ARGV2})
    endif()
    string(FIND "${adding}" "${text}" at)
    if(at EQUAL -1)
        message(FATAL_ERROR "docs/adding.md does not say \"${text}\" any more; tests/adding.cmake takes the code behind it.")
    endif()
    string(SUBSTRING "${adding}" ${at} -1 rest)
    string(FIND "${rest}" "```${language}\n" begin)
    string(LENGTH "```${language}\n" fence)
    math(EXPR begin "${begin} + ${fence}")
    string(SUBSTRING "${rest}" ${begin} -1 rest)
    string(FIND "${rest}" "\n```" end)
    string(SUBSTRING "${rest}" 0 ${end} code)
    set(code "${PREPEND}${code}\n")
    file(CONFIGURE OUTPUT ${from_adding}/${file} CONTENT "@code@" @ONLY)
endfunction()

adding_code(echo.cpp "`engine/drafters/echo.cpp`:")
adding_code(half_block.cpp "asks for half as many tokens:")
adding_code(words/drafter-names.toml "its words in `assets/stories/drafter-names.toml`" toml)
adding_code(skeptic.cpp "`engine/rules/skeptic.cpp`:")
adding_code(words/rule-names.toml "its words in `assets/stories/rule-names.toml`" toml)
# Plain decoding stays beside them: the distributions compare with that.
set(PREPEND "DRAFTER(none)\nDRAFTER(half_block)\n")
adding_code(drafters/engine/drafters/drafters.inc "one line in `engine/drafters/drafters.inc`")
file(READ ${CMAKE_SOURCE_DIR}/engine/rules/rules.inc PREPEND)
adding_code(rules/engine/rules/rules.inc "one line in `engine/rules/rules.inc`")
file(READ ${CMAKE_SOURCE_DIR}/engine/drafters/settings.inc PREPEND)
adding_code(settings/engine/drafters/settings.inc "The columns are explained at the top of that file.")
set(PREPEND "")
adding_code(line_of_a_run.inc "behind the word `DRAFTERS`.")
file(READ ${from_adding}/line_of_a_run.inc line)
file(READ ${CMAKE_SOURCE_DIR}/engine/run/run_settings.inc code)
string(REPLACE "\nDRAFTERS\n" "\nDRAFTERS\n${line}" code "${code}")
file(CONFIGURE OUTPUT ${from_adding}/run_settings/engine/run/run_settings.inc CONTENT "@code@" @ONLY)
# The page's scene has the next number, however many there are by now.
file(READ ${CMAKE_SOURCE_DIR}/scenes/scenes.inc PREPEND)
string(REGEX MATCHALL "\nSCENE" lines "${PREPEND}")
list(LENGTH lines number)
math(EXPR number "${number} + 1")
string(REGEX REPLACE "SCENE\\([0-9]+, kept" "SCENE(${number}, kept" adding "${adding}")
adding_code(scenes/scenes/scenes.inc "one line in `scenes/scenes.inc`")
set(PREPEND "")
adding_code(kept.cpp "`scenes/kept/kept.cpp`:")
adding_code(stories/kept.toml "`assets/stories/kept.toml`" toml)

spec_test(adding LABELS fast PREFIX Adding. LIBS engine ui_stories INCLUDES_BEFORE ${from_adding}/drafters ${from_adding}/rules DEFINES SPEC_ADDING_WORDS="${from_adding}/words"
    FILTER "Adding.*:Conformance.*:*EveryDrafterAnd*:*TheMatchRule*-*AStopToken*"
    SOURCES engine/drafters/adding_test.cpp engine/run/law1_test.cpp ${from_adding}/echo.cpp ${from_adding}/half_block.cpp
            ${from_adding}/skeptic.cpp ${CMAKE_SOURCE_DIR}/engine/drafters/drafter_table.cpp ${CMAKE_SOURCE_DIR}/engine/rules/rule_table.cpp)
# A setting changes DrafterOptions, so its table stands alone here.
spec_test(adding/setting LABELS fast LIBS engine_drafters_headers kernels_error INCLUDES_BEFORE ${from_adding}/settings
    SOURCES engine/drafters/adding_setting_test.cpp ${CMAKE_SOURCE_DIR}/engine/drafters/drafter_settings.cpp
            ${CMAKE_SOURCE_DIR}/engine/base/values.cpp)
# The same of a run's: with all that saves and reads traces.
spec_test(adding/run_setting LABELS fast LIBS engine_run_headers engine_length engine_drafters INCLUDES_BEFORE ${from_adding}/run_settings
    SOURCES engine/run/adding_run_setting_test.cpp ${CMAKE_SOURCE_DIR}/engine/run/run_setting.cpp ${CMAKE_SOURCE_DIR}/engine/run/saved_settings.cpp
            ${CMAKE_SOURCE_DIR}/engine/run/options_json.cpp ${CMAKE_SOURCE_DIR}/engine/run/trace.cpp ${CMAKE_SOURCE_DIR}/engine/run/trace_json.cpp
            ${CMAKE_SOURCE_DIR}/engine/run/trace_read.cpp ${CMAKE_SOURCE_DIR}/engine/run/run_view.cpp)
set(replaced ${CMAKE_SOURCE_DIR}/engine/drafters/drafter_table.cpp ${CMAKE_SOURCE_DIR}/engine/rules/rule_table.cpp)
if(TARGET app_frame)
    spec_test(adding/scene LABELS fast LIBS scene_fixtures INCLUDES_BEFORE ${from_adding}/scenes DEFINES SPEC_ADDING_STORIES="${from_adding}/stories"
        SOURCES scenes/adding_scene_test.cpp ${from_adding}/kept.cpp ${CMAKE_SOURCE_DIR}/scenes/scene_list.cpp)
    list(APPEND replaced ${CMAKE_SOURCE_DIR}/scenes/scene_list.cpp)
endif()
set_source_files_properties(${replaced} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
