# Scenes and the frame around them: pictures as text, mouse and keys, and the real window. Each scene's tests are a room of
# their own in a folder for daily work, and one program elsewhere.
if(TARGET app_window)
    # What all of them draw with.
    add_library(scene_fixtures STATIC EXCLUDE_FROM_ALL scenes/scenes_fixtures.cpp)
    spec_test_target(scene_fixtures)
    target_link_libraries(scene_fixtures PUBLIC app_window remote_same)
    # spec_scene_test(NAME file…)
    function(spec_scene_test name)
        spec_test(${name} IN scenes LABELS fast TIMEOUT 600 LIBS scene_fixtures SOURCES ${ARGN})
    endfunction()
    spec_scene_test(scenes/accept scenes/accept_test.cpp scenes/accept_told_test.cpp)
    spec_scene_test(scenes/advice scenes/advice_test.cpp)
    spec_scene_test(scenes/failures scenes/failures_test.cpp scenes/batch_lanes_test.cpp scenes/diagnosis_test.cpp scenes/roofline_test.cpp)
    spec_scene_test(scenes/bottleneck scenes/bottleneck_test.cpp)
    spec_scene_test(scenes/eagle3 scenes/dflash_eagle3_test.cpp scenes/heads_told_test.cpp)
    spec_scene_test(scenes/dflash scenes/dflash_long_test.cpp)
    spec_scene_test(scenes/domino scenes/domino_test.cpp scenes/heads_test.cpp)
    spec_scene_test(scenes/drafters scenes/drafters_test.cpp scenes/table_test.cpp)
    spec_scene_test(scenes/loop scenes/loop_test.cpp scenes/loop_rows_test.cpp scenes/loop_clock_test.cpp scenes/loop_told_test.cpp)
    spec_scene_test(scenes/lossless scenes/lossless_test.cpp)
    spec_scene_test(scenes/mtp scenes/mtp_test.cpp)
    spec_scene_test(scenes/numbers scenes/numbers_test.cpp scenes/numbers_told_test.cpp)
    spec_scene_test(scenes/race scenes/race_test.cpp scenes/race_scene_test.cpp scenes/stepped_race_test.cpp scenes/quiet_clock_test.cpp)
    spec_scene_test(scenes/relaxed scenes/relaxed_test.cpp)
    spec_scene_test(scenes/server scenes/server_test.cpp SOME slow "^ServerSessionTest[.]EndsAtAnyMoment")
    spec_scene_test(scenes/speedup scenes/speedup_test.cpp scenes/example_test.cpp)
    spec_scene_test(scenes/systems scenes/systems_test.cpp scenes/block_tables_test.cpp)
    spec_scene_test(scenes/training scenes/training_test.cpp)
    spec_scene_test(scenes/trees scenes/trees_test.cpp scenes/trees_study_test.cpp scenes/trees_growth_test.cpp)
    spec_scene_test(scenes/shared scenes/shared/model_test.cpp scenes/shared/motion_test.cpp scenes/shared/point_labels_test.cpp scenes/shared/ribbon_test.cpp scenes/stories_test.cpp scenes/languages_test.cpp scenes/told_reasons_test.cpp)
    spec_scene_test(app/frame app/frame/german_window_test.cpp app/frame/presenter_test.cpp app/frame/tooltips_test.cpp app/frame/frame_source_test.cpp app/frame/window_assets_test.cpp app/frame/controls_test.cpp app/frame/input_test.cpp
        app/frame/views_test.cpp app/frame/models_test.cpp app/frame/lists_test.cpp app/frame/overlay_test.cpp app/frame/opening_test.cpp app/frame/preferences_test.cpp app/frame/keyboard_test.cpp app/frame/popups_test.cpp app/frame/palette_test.cpp
        app/frame/undo_test.cpp app/frame/work_test.cpp app/frame/parts_test.cpp app/frame/fork_test.cpp app/frame/own_prompt_test.cpp
        SOME slow "^InGermanMeasured[.]|^InGermanWindow[.](Dialogs|MessagesOfActions|TooltipsOfControls)")
    spec_scene_test(app/window app/window/file_dialog_test.cpp app/window/portal_test.cpp)
    # What is written of a round for others.
    spec_test(app/render IN scenes LABELS fast TIMEOUT 600 LIBS scene_fixtures SOURCES app/render/share_test.cpp INCLUDES ${SPEC_STB_DIR})
    # Every picture in words, random use and the real window: as users get them, and with the sanitizers.
    spec_test(app/frame/goldens IN pictures WHEN checked release LABELS fast TIMEOUT 600 LIBS scene_fixtures
        SOME slow "^EveryBeat[.]|^RandomUse[.]OfARecording"
            both "EveryScene[.]SaysWhatWasRecorded|^WindowRegions[.]|^RandomUse[.]|^Popups[.]|^Stories[.]"
        SOURCES app/frame/golden_test.cpp app/frame/random_test.cpp)

    spec_test(app/window/screen IN window WHEN checked release LABELS window SOME both "^Window[.]" FILTER -RealWindow.* LIBS scene_fixtures app_cli DEFINES SPEC_SANITIZER="${SPEC_SANITIZE}"
        SOURCES app/frame/window_test.cpp app/window/mashed_window_test.cpp app/window/moving_window_test.cpp)
    # The program's name is known when all were named.
    function(spec_window_under_xvfb)
        foreach(program window_test app_window_screen_test)
            if(TARGET ${program})
                set(screen xvfb-run -a -s "-screen 0 1600x1000x24 -noreset" $<TARGET_FILE:${program}>)
                add_test(NAME Window.UnderXvfb COMMAND ${screen} --gtest_filter=-RealWindow.*)
                set_tests_properties(Window.UnderXvfb PROPERTIES LABELS "window;checked;release;app/window/screen" TIMEOUT 300)
                add_test(NAME RealWindow.UnderXvfb COMMAND ${screen} --gtest_filter=RealWindow.*)
                set_tests_properties(RealWindow.UnderXvfb PROPERTIES LABELS real TIMEOUT 5400 RUN_SERIAL ON)
            endif()
        endforeach()
    endfunction()
    cmake_language(DEFER CALL spec_window_under_xvfb)
endif()
