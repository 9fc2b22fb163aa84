# Heads that others published, against their cards: only ./test --released runs it, which fetches gigabytes from huggingface.co, or skips
# with a sentence why.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND AND TARGET speclens)
    add_test(NAME released_heads
        COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/released/released_test.py" "$<TARGET_FILE:speclens>"
            "${CMAKE_SOURCE_DIR}/assets/public/models.json" "${CMAKE_CURRENT_BINARY_DIR}/released")
    set_tests_properties(released_heads PROPERTIES LABELS released SKIP_RETURN_CODE 77 TIMEOUT 36000)
endif()
