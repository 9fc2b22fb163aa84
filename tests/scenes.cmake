# Scenes and the frame around them: pictures as text, mouse and keys, and the real window.
if(TARGET speclens_frontend)
    spec_test(scenes_tests LABELS fast TIMEOUT 600
        SOURCES
            scenes_fixtures.cpp scenes_golden_test.cpp scenes_controls_test.cpp scenes_input_test.cpp scenes_model_test.cpp
            scenes_domino_test.cpp scenes_domino_forks_test.cpp scenes_heads_test.cpp scenes_dflash_eagle3_test.cpp
            scenes_relaxed_test.cpp scenes_relaxed_laws_test.cpp scenes_point_labels_test.cpp scenes_training_test.cpp
            scenes_lossless_test.cpp scenes_trees_test.cpp scenes_trees_study_test.cpp scenes_trees_draw_test.cpp scenes_numbers_test.cpp scenes_server_test.cpp
            scenes_views_test.cpp scenes_lists_test.cpp scenes_failures_test.cpp scenes_diagnosis_test.cpp scenes_systems_test.cpp
            scenes_speedup_test.cpp scenes_speedup_study_test.cpp scenes_bottleneck_test.cpp scenes_drafters_test.cpp scenes_race_test.cpp
            scenes_race_scene_test.cpp scenes_stepped_race_test.cpp scenes_overlay_test.cpp
            scenes_preferences_test.cpp scenes_random_test.cpp scenes_loop_test.cpp scenes_loop_rows_test.cpp scenes_loop_clock_test.cpp
            scenes_ribbon_test.cpp scenes_keyboard_test.cpp scenes_accept_test.cpp scenes_accept_story_test.cpp scenes_popups_test.cpp scenes_palette_test.cpp
            scenes_undo_test.cpp scenes_fork_test.cpp scenes_round_words_test.cpp scenes_table_test.cpp
        LIBS speclens_frontend)

    spec_test(scenes_window_tests LABELS window
        SOURCES scenes_window_test.cpp
        LIBS speclens_frontend)
    find_program(SPEC_XVFB xvfb-run)
    if(SPEC_XVFB)
        add_test(NAME Window.UnderXvfb
            COMMAND ${SPEC_XVFB} -a -s "-screen 0 1600x1000x24 -noreset" $<TARGET_FILE:scenes_window_tests>)
        set_tests_properties(Window.UnderXvfb PROPERTIES LABELS window TIMEOUT 120)
    else()
        message(STATUS "xvfb-run not found: the window test runs only where there is a display")
    endif()
endif()
