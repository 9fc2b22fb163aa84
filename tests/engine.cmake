spec_test(engine_test
    LABELS fast threads
    # What learns or measures for long touches what others touch that do not. One thread reads files and replays rounds:
    # it finds no race.
    SOME slow "^(Medusa|Mtp)Training[.]|^TraceJson[.]DamagedFiles"
        plain_only "^(Medusa|Mtp)Training[.](Learns|Measures|Repeats|Stops)"
        not_address "^MedusaTraining[.]OfASession"
        not_thread "^(Session[.]AdvisesOnWholePrompts|(Medusa|Mtp)Training[.](FilesLoad|SaysWhat|OfASessionOutlives|OfASessionReplacesTheLayer)|(TraceJson|TreeTrace|RaceFile|Race|Run|Fork|Twin|Guesses|FullDistributions)[.])"
    SOURCES engine/model/rng_distribution_test.cpp engine/rules/verify_test.cpp engine/rules/relaxed_test.cpp engine/rules/tree_rules_test.cpp engine/run/tree_test.cpp engine/run/cycle_errors_test.cpp engine/run/cycle_time_test.cpp engine/run/cycle_view_test.cpp engine/run/trace_test.cpp engine/run/trace_fields_test.cpp engine/run/precision_test.cpp engine/run/run_test.cpp engine/run/round_events_test.cpp engine/session/engine_test.cpp engine/session/session_test.cpp engine/session/session_errors_test.cpp engine/session/open_model_test.cpp engine/run/twin_test.cpp engine/run/guesses_test.cpp engine/run/guest_test.cpp engine/lab/race_test.cpp engine/lab/stepped_race_test.cpp engine/lab/race_json_test.cpp engine/run/trace_follower_test.cpp
        engine/lab/medusa_test.cpp engine/lab/medusa_gradient_test.cpp engine/lab/mtp_gradient_test.cpp engine/lab/mtp_training_test.cpp engine/lab/time_table_test.cpp engine/lab/reference_test.cpp engine/lab/recorded_passes_test.cpp engine/base/busy_test.cpp engine/lab/pass_times_test.cpp engine/lab/precision_change_test.cpp engine/base/read_number_test.cpp engine/session/session_turns_test.cpp
    LIBS engine)
spec_test(batch_test
    LABELS distributions threads
    # Races are looked for in random schedules: they have every drafter, preemption and shared prompts, with two threads.
    SOME not_thread "Batch/BatchThreads|RowsThatDoNotFit|AnyPrecisionAndALongContext|ATextThatIsPreempted|StoppedByItsRows|^(Margin(Model|Controller)|BlockTable|Scheduler|Sweep|SweepStatistics|AdaptiveStudy|BlockFilm)[.]" not_address "BatchThreads.*/5$"
    SOURCES engine/batch/adaptive_test.cpp engine/batch/blocks_test.cpp engine/batch/batch_test.cpp engine/batch/film_test.cpp engine/batch/lockstep_test.cpp engine/batch/margin_test.cpp engine/batch/schedule_test.cpp engine/batch/scoring_test.cpp engine/batch/sweep_test.cpp engine/batch/worker_pool_test.cpp LIBS engine_batch)
spec_test(advice_test LABELS fast SOURCES engine/advice/advice_test.cpp engine/advice/profile_test.cpp engine/advice/served_advice_test.cpp
    LIBS engine)
spec_test(published_test LABELS fast SOURCES engine/published/published_test.cpp engine/published/long_answers_test.cpp LIBS engine)
spec_test(fetch_test LABELS fast SOURCES engine/fetch/fetch_test.cpp engine/fetch/wheel_test.cpp engine/found/found_test.cpp
    LIBS engine_fetch engine_found PkgConfig::LIBZIP)
spec_test(distributions_test
    LABELS distributions threads
    # Shapes of trees take a minute each and share memory as every other run does. With one thread there is no race to
    # find; two and five threads need not both run both of the long distributions, nor all distributions with the address sanitizer, which
    # sees the same memory with two threads as with five.
    SOME plain_only "Law1Threads.*/1$|EveryShapeOfATree"
        not_address "Law1Threads.*/5$"
        not_thread "EveryDrafterAndK/(2$|bf16)|EveryDrafterAndRule/5$|^Law1[.](TheMatchRule|APath)"
        not_thread "^PlantedFaults|^Conformance[.](TheSameSettings|Tracing|NothingReads|AOneToken|TheContextLimit|EveryCycle)"
    SOURCES engine/run/law1_test.cpp engine/run/law1_precision_test.cpp engine/run/planted_fault_test.cpp
    LIBS engine)
# Samples by the ten thousand through the production cycle: they find biases, not bad memory.
if(NOT SPEC_SANITIZE)
    spec_test(statistics_test
        LABELS statistics
        SOURCES engine/rules/oracle_test.cpp engine/run/law2_test.cpp engine/run/law2_precision_test.cpp
        LIBS engine)
endif()
# Where a pass spends its time, run by hand: ninja pass_profile.
add_executable(pass_profile EXCLUDE_FROM_ALL engine/model/pass_profile.cpp)
spec_test_target(pass_profile)
target_link_libraries(pass_profile PRIVATE engine)
# What batching costs and brings, as ratios, run by hand: ninja batch_bench (engine/batch/README.md).
add_executable(batch_bench EXCLUDE_FROM_ALL engine/batch/batch_bench.cpp)
spec_test_target(batch_bench)
target_link_libraries(batch_bench PRIVATE engine_lab)
# Predictions of engine/advice beside what came, run by hand: ninja held_out (docs/measuring.md).
add_executable(held_out EXCLUDE_FROM_ALL engine/advice/held_out.cpp)
spec_test_target(held_out)
target_link_libraries(held_out PRIVATE engine)
# Passes beside llama.cpp's, run by hand (kernels/cpu/side_by_side.md): -DSPEC_LLAMA_CPP=SOURCES;BUILD.
set(SPEC_LLAMA_CPP "" CACHE STRING "llama.cpp's source folder and its build folder, for side_by_side")
if(SPEC_LLAMA_CPP)
    list(GET SPEC_LLAMA_CPP 0 llama_sources)
    list(GET SPEC_LLAMA_CPP 1 llama_build)
    add_executable(side_by_side EXCLUDE_FROM_ALL engine/lab/side_by_side.cpp)
    spec_test_target(side_by_side)
    target_include_directories(side_by_side SYSTEM PRIVATE ${llama_sources}/include ${llama_sources}/ggml/include)
    target_link_libraries(side_by_side PRIVATE engine ${llama_build}/bin/libllama.so)
    set_target_properties(side_by_side PROPERTIES BUILD_RPATH ${llama_build}/bin)
endif()
