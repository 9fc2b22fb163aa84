find_package(nlohmann_json REQUIRED) # what our value is held against
spec_test(engine/base IN engine LABELS fast LIBS engine nlohmann_json::nlohmann_json SOURCES engine/base/busy_test.cpp engine/base/display_name_test.cpp engine/base/json_test.cpp engine/base/lists_test.cpp engine/base/read_number_test.cpp)
spec_test(engine/rules IN engine LABELS fast LIBS engine
    SOURCES engine/model/rng_distribution_test.cpp engine/rules/verify_test.cpp engine/rules/relaxed_test.cpp engine/rules/tree_rules_test.cpp)
spec_test(engine/length IN engine LABELS fast LIBS engine SOURCES engine/length/draft_length_test.cpp engine/length/costs_file_test.cpp)
spec_test(engine/run IN engine LABELS fast LIBS engine
    SOME slow "^TraceJson[.]DamagedFiles"
    SOURCES engine/run/tree_test.cpp engine/run/cycle_errors_test.cpp engine/run/cycle_time_test.cpp engine/run/run_view_test.cpp engine/run/trace_test.cpp engine/run/trace_fields_test.cpp engine/run/precision_test.cpp engine/run/run_test.cpp engine/run/round_events_test.cpp engine/run/auto_run_test.cpp engine/run/chained_test.cpp
        engine/run/replay_test.cpp engine/run/drafter_comparison_test.cpp engine/run/other_drafter_round_test.cpp engine/run/trace_follower_test.cpp engine/run/shipped_heads_test.cpp engine/run/token_account_test.cpp
    THREADS engine/run/trace_follower_test.cpp)
spec_test(engine/session IN engine LABELS fast LIBS engine
    SOME not_thread "^Session[.]AdvisesOnWholePrompts" slow "^Session[.]Times"
    SOURCES engine/session/engine_test.cpp engine/session/session_test.cpp engine/session/session_errors_test.cpp engine/session/open_model_test.cpp engine/session/session_turns_test.cpp
    THREADS engine/session/engine_test.cpp engine/session/session_test.cpp engine/session/session_errors_test.cpp engine/session/open_model_test.cpp engine/session/session_turns_test.cpp)
# Work that takes minutes on a large model, on one whose clock its passes move on.
spec_test(engine/session/slow WHEN release LABELS slow LIBS engine SOURCES engine/session/slow_model_test.cpp)
spec_test(engine/lab IN engine LABELS fast LIBS engine
    SOME slow "^PassPair[.]Times"
    SOURCES engine/lab/race_test.cpp engine/lab/stepped_race_test.cpp engine/lab/race_json_test.cpp engine/lab/medusa_gradient_test.cpp engine/lab/mtp_gradient_test.cpp engine/lab/time_table_test.cpp engine/lab/reference_test.cpp
        engine/lab/recorded_passes_test.cpp engine/lab/pass_times_test.cpp engine/lab/precision_change_test.cpp
    THREADS engine/lab/stepped_race_test.cpp engine/lab/pass_times_test.cpp)
spec_test(engine/batch IN batch LABELS distributions LIBS engine_batch
    SOME not_thread "^Scheduler[.]"
    SOURCES engine/batch/adaptive_test.cpp engine/batch/auto_test.cpp engine/batch/blocks_test.cpp engine/batch/film_test.cpp engine/batch/lockstep_test.cpp engine/batch/margin_test.cpp engine/batch/schedule_test.cpp engine/batch/scoring_test.cpp engine/batch/single_test.cpp engine/batch/sweep_test.cpp engine/batch/worker_pool_test.cpp
    THREADS engine/batch/lockstep_test.cpp engine/batch/schedule_test.cpp engine/batch/scoring_test.cpp engine/batch/worker_pool_test.cpp)
spec_test(engine/corpus IN engine LABELS fast LIBS engine_corpus
    SOME slow "^CorpusSampling[.](WhoStops|AnAnswerThat)"
    SOURCES engine/corpus/corpus_file_test.cpp engine/corpus/corpus_sampling_test.cpp engine/corpus/corpus_states_test.cpp)
# Heads of the built-in model are examined in the program's own build: with sanitizers that takes minutes.
spec_test(engine/doctor IN long WHEN checked release LABELS fast TIMEOUT 900 LIBS engine
    SOME slow "Doctor[.]|HealthyHead|WeakHead" release "Doctor[.]|HealthyHead|WeakHead" real "RealDoctor"
    SOURCES engine/doctor/paired_test.cpp engine/doctor/doctor_test.cpp)
spec_test(engine/advice IN engine LABELS fast LIBS engine
    SOURCES engine/advice/advice_test.cpp engine/advice/profile_test.cpp engine/advice/served_advice_test.cpp engine/advice/synthetic_acceptance_test.cpp)
# The peak of a process, which a sanitizer's own memory hides.
spec_test(engine/models WHEN release LABELS fast LIBS engine DEFINES SPEC_SANITIZER="${SPEC_SANITIZE}" SOURCES engine/models/peak_test.cpp)
spec_test(engine/published IN engine LABELS fast LIBS engine SOURCES engine/published/published_test.cpp engine/published/long_answers_test.cpp)
spec_test(engine/fetch IN engine LABELS fast LIBS engine PkgConfig::LIBZIP PkgConfig::OPENSSL
    SOME slow "^(Parts|Makers)[.]GoOn|^Fetch[.]ACancel"
    SOURCES engine/fetch/fetch_test.cpp engine/fetch/sources_test.cpp engine/fetch/wheel_test.cpp)
spec_test(engine/found IN engine LABELS fast LIBS engine SOURCES engine/found/found_test.cpp)
# What trains, or decodes many texts: long ones are Release's, which touch what others touch with the sanitizers.
spec_test(engine/lab/training IN long WHEN checked release LABELS slow LIBS engine
    SOME release "^(Medusa|Mtp)Training[.](Learns|Measures|Repeats|Stops)"
        not_thread "^(Medusa|Mtp)Training[.](Learns|Measures|Repeats|Stops|FilesLoad|SaysWhat|OfASessionOutlives|OfASessionReplacesTheLayer)"
    SOURCES engine/lab/medusa_test.cpp engine/lab/mtp_training_test.cpp THREADS engine/lab/medusa_test.cpp engine/lab/mtp_training_test.cpp)
# Races are looked for in random schedules: they have every drafter, preemption and shared prompts, with two threads.
spec_test(engine/batch/texts IN long WHEN checked release LABELS slow LIBS engine_batch
    SOME release "^Batch[.]ATextThatIsPreempted|BatchThreads.*/[25]$"
        not_thread "Batch/BatchThreads|RowsThatDoNotFit|AnyPrecisionAndALongContext|ATextThatIsPreempted"
    SOURCES engine/batch/batch_test.cpp THREADS engine/batch/batch_test.cpp)
# Distributions by precision and number of threads, in the program as it is built for users.
spec_test(engine/run/laws IN distributions WHEN release LABELS distributions LIBS engine
    SOME not_thread "EveryDrafterAndK/(2$|bf16)|EveryDrafterAndRule/5$|^Law1[.](TheMatchRule|APath)|EveryShapeOfATree|Law1Threads.*/1$"
    SOURCES engine/run/law1_test.cpp engine/run/law1_precision_test.cpp engine/run/planted_fault_test.cpp
    THREADS engine/run/law1_test.cpp)
# Every coin of a round, cut where it decides (tests/shared/enumerated.h).
spec_test(engine/run/exact IN exact WHEN release LABELS exact LIBS engine
    SOURCES engine/run/coin_intervals_test.cpp engine/run/exact_faults_test.cpp engine/run/exact_selector_test.cpp engine/run/exact_auto_test.cpp engine/run/exact_chained_test.cpp engine/run/exact_tables_test.cpp engine/run/exact_transformer_test.cpp engine/run/exact_translated_test.cpp engine/rules/exact_oracle_test.cpp)
# Samples by the ten thousand through the production cycle: they find biases, not bad memory.
spec_test(engine/run/statistics IN statistics WHEN release LABELS statistics LIBS engine
    SOURCES engine/rules/oracle_test.cpp engine/run/law2_test.cpp engine/run/law2_precision_test.cpp)
# Where a pass spends its time, run by hand: ninja pass_profile.
add_executable(pass_profile EXCLUDE_FROM_ALL engine/model/pass_profile.cpp)
spec_test_target(pass_profile)
target_link_libraries(pass_profile PRIVATE engine)

# What rounding products with quantised weights costs, run by hand: ninja kept_error.
add_executable(kept_error EXCLUDE_FROM_ALL engine/model/kept_error.cpp)
spec_test_target(kept_error)
target_link_libraries(kept_error PRIVATE engine)
# What batching costs and brings, as ratios, run by hand: ninja batch_bench (docs/results/batching.md).
add_executable(batch_bench EXCLUDE_FROM_ALL engine/batch/batch_bench.cpp)
spec_test_target(batch_bench)
target_link_libraries(batch_bench PRIVATE engine_lab)
# Predictions of engine/advice beside what came, run by hand: ninja held_out (docs/results/advice.md).
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
