# Models, tokenizer, tables: the sources that engine/model.cmake lists.
find_package(nlohmann_json REQUIRED)
spec_test(model_forward_test LABELS fast LIBS engine SOURCES model_forward.cpp model_cache.cpp)
spec_test(model_drafters_test LABELS fast LIBS engine nlohmann_json::nlohmann_json
          SOURCES drafter_goldens.cpp model_dart.cpp model_draft_vocabulary.cpp model_drafters.cpp model_families.cpp model_frequent.cpp model_heads.cpp model_lens.cpp model_variants.cpp)
spec_test(model_files_test LABELS fast LIBS engine
          SOURCES model_load.cpp model_import.cpp model_memory.cpp model_config.cpp model_safetensors.cpp)
spec_test(model_text_test LABELS fast LIBS engine nlohmann_json::nlohmann_json
          SOURCES model_tokenizer.cpp model_tokenizer_files.cpp model_chat.cpp)
spec_test(model_table_test LABELS fast LIBS engine SOURCES model_table.cpp)
spec_test(model_mutate_test LABELS fast LIBS engine SOURCES model_mutate.cpp)
