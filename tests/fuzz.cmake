# libFuzzer targets for the readers of foreign files, and for the schedules of a batch. Two things are needed: clang (16 or newer: clang 14 does
# not read the ranges of g++ 12's library; Debian 12 has clang-16), and the libraries built with coverage
# (SPEC_FUZZ does that in spec_target), so they get a build folder of their own:
#   cmake -B build/fuzz -DCMAKE_CXX_COMPILER=clang++-16 -DSPEC_FUZZ=ON -DSPEC_APP=OFF
#   cmake --build build/fuzz --target fuzz
#   build/fuzz/tests/fuzz_trace -max_total_time=60 NEW-INPUTS assets/traces
# The first folder collects what is found, the others are read: tests/engine/golden for the weights and tokenizers.
# A finding is written to crash-…: it becomes a test beside the reader's others.
add_custom_target(fuzz)
foreach(source engine/weights/fuzz_safetensors engine/weights/fuzz_gguf engine/text/fuzz_tokenizer engine/run/fuzz_trace engine/batch/fuzz_batch)
    string(REGEX REPLACE ".*/fuzz_" "" reader ${source})
    add_executable(fuzz_${reader} ${source}.cpp)
    spec_target(fuzz_${reader})
    target_include_directories(fuzz_${reader} PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(fuzz_${reader} PRIVATE engine engine_batch)
    target_link_options(fuzz_${reader} PRIVATE -fsanitize=fuzzer)  # brings its own main
    add_dependencies(fuzz fuzz_${reader})
endforeach()
