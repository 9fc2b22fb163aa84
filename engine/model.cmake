# Models, tokenizer and tables of engine/; included by engine/CMakeLists.txt, which defines the target `engine`.
find_package(nlohmann_json REQUIRED)
find_path(PCRE2_INCLUDE_DIR pcre2.h REQUIRED)
find_library(PCRE2_LIBRARY NAMES pcre2-8 REQUIRED)
find_path(UTF8PROC_INCLUDE_DIR utf8proc.h REQUIRED)
find_library(UTF8PROC_LIBRARY NAMES utf8proc REQUIRED)

target_sources(engine PRIVATE
    ${CMAKE_CURRENT_LIST_DIR}/text/chat.cpp
    ${CMAKE_CURRENT_LIST_DIR}/model/frequent.cpp
    ${CMAKE_CURRENT_LIST_DIR}/model/layer_stack.cpp
    ${CMAKE_CURRENT_LIST_DIR}/model/model.cpp
    ${CMAKE_CURRENT_LIST_DIR}/model/model_decoder.cpp
    ${CMAKE_CURRENT_LIST_DIR}/model/model_forward.cpp
    ${CMAKE_CURRENT_LIST_DIR}/model/model_geometry.cpp
    ${CMAKE_CURRENT_LIST_DIR}/model/model_memory.cpp
    ${CMAKE_CURRENT_LIST_DIR}/model/model_parts.cpp
    ${CMAKE_CURRENT_LIST_DIR}/model/model_random.cpp
    ${CMAKE_CURRENT_LIST_DIR}/model/model_rows.cpp
    ${CMAKE_CURRENT_LIST_DIR}/weights/safetensors.cpp
    ${CMAKE_CURRENT_LIST_DIR}/weights/safetensors_header.cpp
    ${CMAKE_CURRENT_LIST_DIR}/model/scored_decoder.cpp
    ${CMAKE_CURRENT_LIST_DIR}/model/table_decoder.cpp
    ${CMAKE_CURRENT_LIST_DIR}/text/tokenizer.cpp
    ${CMAKE_CURRENT_LIST_DIR}/text/tokenizer_bpe.cpp
    ${CMAKE_CURRENT_LIST_DIR}/text/tokenizer_json.cpp
    ${CMAKE_CURRENT_LIST_DIR}/text/tokenizer_split.cpp
    ${CMAKE_CURRENT_LIST_DIR}/text/tokenizer_stream.cpp
    ${CMAKE_CURRENT_LIST_DIR}/model/weight_files.cpp
    ${CMAKE_CURRENT_LIST_DIR}/model/weight_import.cpp)
target_include_directories(engine SYSTEM PRIVATE ${PCRE2_INCLUDE_DIR} ${UTF8PROC_INCLUDE_DIR})
target_link_libraries(engine PUBLIC kernels PRIVATE nlohmann_json::nlohmann_json ${PCRE2_LIBRARY} ${UTF8PROC_LIBRARY})
