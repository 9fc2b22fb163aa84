# Models, tokenizer, tables: the sources that engine/model.cmake lists.
spec_test(engine/model IN model LABELS fast LIBS engine
    SOME slow "^Mutations[.]"
    SOURCES engine/model/forward_test.cpp engine/model/cache_test.cpp engine/model/prompt_cache_test.cpp engine/model/load_test.cpp engine/model/import_test.cpp engine/model/memory_test.cpp engine/model/config_test.cpp engine/model/config_keys_test.cpp engine/model/gguf_model_test.cpp engine/model/table_test.cpp engine/model/mutate_test.cpp)
spec_test(engine/drafters IN model LABELS fast LIBS engine
    SOURCES engine/drafters/drafter_goldens.cpp engine/drafters/block_tree_test.cpp engine/drafters/copying_test.cpp engine/drafters/dart_test.cpp engine/drafters/draft_vocabulary_test.cpp engine/drafters/drafters_test.cpp engine/drafters/families_test.cpp engine/drafters/frequent_test.cpp engine/drafters/gguf_heads_test.cpp engine/drafters/head_cost_test.cpp engine/drafters/heads_test.cpp engine/drafters/internals_test.cpp engine/drafters/mtp_test.cpp engine/drafters/public_configs_test.cpp engine/drafters/reduced_vocabulary_test.cpp engine/drafters/selector_test.cpp engine/drafters/settings_test.cpp engine/drafters/suffix_test.cpp engine/drafters/translated_test.cpp engine/drafters/variants_test.cpp)
# What the drafters that copy cost, as shares of a pass, run by hand: ninja copying_bench (docs/results/copying.md).
add_executable(copying_bench EXCLUDE_FROM_ALL engine/drafters/copying_bench.cpp)
spec_test_target(copying_bench)
target_link_libraries(copying_bench PRIVATE engine)
spec_test(engine/weights IN model LABELS fast LIBS engine
    SOURCES engine/weights/safetensors_test.cpp engine/weights/scaled_tensors_test.cpp engine/weights/gguf_test.cpp)
spec_test(engine/text IN model LABELS fast LIBS engine
    SOME slow "^Tokenizer[.]LongRuns|^TokenizerFile[.]SearchesThatTakeTooLong"
    SOURCES engine/text/tokenizer_test.cpp engine/text/id_list_test.cpp engine/text/tokenizer_files_test.cpp engine/text/tokenizer_kinds_test.cpp engine/text/chat_test.cpp engine/text/chat_goldens_test.cpp)
# A model that somebody fetched (speclens get smollm2); skipped without it.
spec_test(engine/model/real WHEN release LABELS real TIMEOUT 900 LIBS engine SOURCES engine/model/smollm2_test.cpp)
# DFlash and MTP in transformers against ours: installs torch and transformers into its folder, or is skipped with a word why.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND AND TARGET speclens)
    add_test(NAME real_transformers
        COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/real/transformers_test.py" "$<TARGET_FILE:speclens>"
            "${CMAKE_CURRENT_BINARY_DIR}/real")
    set_tests_properties(real_transformers PROPERTIES LABELS real SKIP_RETURN_CODE 77 TIMEOUT 5400 RUN_SERIAL ON)
endif()
