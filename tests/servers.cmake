# Other people's servers, read with the program itself: only ./test --servers runs them. Each installs what it needs
# (by pip, name and version) or is skipped with a word why.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND AND TARGET speclens)
    add_test(NAME servers_llamacpp
        COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/servers/llamacpp_test.py" "$<TARGET_FILE:speclens>"
            "${CMAKE_CURRENT_BINARY_DIR}/servers")
    set_tests_properties(servers_llamacpp PROPERTIES LABELS servers SKIP_RETURN_CODE 77 TIMEOUT 1500)
endif()
