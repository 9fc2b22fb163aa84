# Scenes and the frame around them: pictures as text, mouse and keys, and the real window.
if(TARGET app_window)
    spec_test(scenes_tests LABELS fast TIMEOUT 600
        SOME slow "^EveryBeat[.]|^InGermanMeasured[.]Scenes|^RandomUse[.]OfARecording|^ServerSessionTest[.]EndsAtAnyMoment"
        SOURCES
            scenes/scenes_fixtures.cpp scenes/stories_test.cpp scenes/languages_test.cpp app/frame/german_window_test.cpp scenes/advice_test.cpp app/frame/golden_test.cpp app/frame/presenter_test.cpp app/frame/tooltips_test.cpp app/frame/frame_source_test.cpp app/frame/window_assets_test.cpp app/frame/controls_test.cpp app/frame/input_test.cpp scenes/model_test.cpp
            scenes/domino_test.cpp scenes/heads_test.cpp scenes/dflash_eagle3_test.cpp scenes/mtp_test.cpp scenes/dflash_long_test.cpp
            scenes/relaxed_test.cpp scenes/point_labels_test.cpp scenes/training_test.cpp
            scenes/lossless_test.cpp scenes/trees_test.cpp scenes/trees_study_test.cpp scenes/trees_growth_test.cpp scenes/numbers_test.cpp scenes/server_test.cpp
            app/frame/views_test.cpp app/frame/models_test.cpp app/frame/lists_test.cpp scenes/failures_test.cpp scenes/batch_lanes_test.cpp scenes/roofline_test.cpp scenes/diagnosis_test.cpp scenes/block_tables_test.cpp scenes/systems_test.cpp
            scenes/speedup_test.cpp scenes/bottleneck_test.cpp scenes/drafters_test.cpp scenes/example_test.cpp scenes/race_test.cpp scenes/quiet_clock_test.cpp
            scenes/race_scene_test.cpp scenes/stepped_race_test.cpp app/frame/overlay_test.cpp app/frame/opening_test.cpp app/window/file_dialog_test.cpp app/window/portal_test.cpp
            app/frame/preferences_test.cpp app/frame/random_test.cpp scenes/loop_test.cpp scenes/loop_rows_test.cpp scenes/loop_clock_test.cpp
            scenes/ribbon_test.cpp scenes/motion_test.cpp app/frame/keyboard_test.cpp scenes/accept_test.cpp app/frame/popups_test.cpp app/frame/palette_test.cpp
            app/frame/undo_test.cpp app/frame/parts_test.cpp app/frame/fork_test.cpp scenes/table_test.cpp
        LIBS app_window)

    # What is written of a round for others.
    spec_test(share_tests LABELS fast SOURCES scenes/scenes_fixtures.cpp app/render/share_test.cpp LIBS app_window)
    target_include_directories(share_tests SYSTEM PRIVATE ${SPEC_STB_DIR})

    spec_test(scenes_window_tests LABELS window
        SOURCES app/frame/window_test.cpp app/window/mashed_window_test.cpp
            app/window/moving_window_test.cpp
        LIBS app_window)
    find_program(SPEC_XVFB xvfb-run)
    if(SPEC_XVFB)
        add_test(NAME Window.UnderXvfb
            COMMAND ${SPEC_XVFB} -a -s "-screen 0 1600x1000x24 -noreset" $<TARGET_FILE:scenes_window_tests>)
        set_tests_properties(Window.UnderXvfb PROPERTIES LABELS window TIMEOUT 120)
    else()
        message(STATUS "xvfb-run not found: the window test runs only where there is a display")
    endif()
endif()
