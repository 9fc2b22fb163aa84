find_package(nlohmann_json REQUIRED)
spec_test(engine_test
    LABELS fast
    SOURCES engine_rng_law_test.cpp engine_verify_test.cpp engine_relaxed_test.cpp engine_tree_rules_test.cpp engine_tree_test.cpp engine_cycle_time_test.cpp engine_trace_test.cpp engine_trace_fields_test.cpp engine_run_test.cpp engine_round_events_test.cpp engine_session_test.cpp engine_session_errors_test.cpp engine_twin_test.cpp engine_guesses_test.cpp engine_guest_test.cpp engine_race_test.cpp engine_stepped_race_test.cpp engine_race_json_test.cpp engine_trace_follower_test.cpp
        engine_medusa_test.cpp medusa_gradient.cpp
    LIBS engine nlohmann_json::nlohmann_json)
spec_test(published_test LABELS fast SOURCES engine_published_test.cpp LIBS engine)
spec_test(laws_test
    LABELS laws
    SOURCES engine_law1_test.cpp
    LIBS engine)
# Samples by the ten thousand through the production cycle: they find biases, not bad memory.
if(NOT SPEC_SANITIZE)
    spec_test(statistics_test
        LABELS statistics
        SOURCES engine_oracle_test.cpp engine_law2_test.cpp
        LIBS engine nlohmann_json::nlohmann_json)
endif()
