# Other people's servers, read with the program itself: only ./test --servers runs them. Each installs what it needs
# (by pip, name and version) or is skipped with a word why. vLLM's, some 6 GB, has a label beside: ./test --vllm runs it alone.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND AND TARGET speclens)
    foreach(server llamacpp llamacpp_rules llamacpp_drafts llamacpp_converter vllm)
        add_test(NAME servers_${server}
            COMMAND "${Python3_EXECUTABLE}" "${CMAKE_CURRENT_SOURCE_DIR}/servers/${server}_test.py" "$<TARGET_FILE:speclens>"
                "${CMAKE_CURRENT_BINARY_DIR}/servers")
        set_tests_properties(servers_${server} PROPERTIES LABELS servers SKIP_RETURN_CODE 77 TIMEOUT 5400 RUN_SERIAL ON)
    endforeach()
    set_tests_properties(servers_vllm PROPERTIES LABELS "servers;vllm")
endif()
