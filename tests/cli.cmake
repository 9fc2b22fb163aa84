# The command line: its pure parts, and the program itself, started as a user would start it.
spec_test(cli_parts_test LABELS fast SOURCES cli_parse.cpp cli_parts.cpp cli_walk.cpp views_lecture.cpp views_link.cpp LIBS speclens_cli)
spec_test(cli_program_test LABELS fast
    SOURCES cli_support.cpp cli_attach.cpp cli_usage.cpp cli_run.cpp cli_files.cpp cli_failures.cpp cli_measures.cpp
        cli_laws.cpp cli_lists.cpp cli_train.cpp cli_cuda.cpp
    LIBS remote nlohmann_json::nlohmann_json)
target_compile_definitions(cli_program_test PRIVATE SPECLENS_PROGRAM="$<TARGET_FILE:speclens>")
target_compile_definitions(cli_program_test PRIVATE SPECLENS_EMULATED_CUDA="$<TARGET_FILE:speclens_cuda_emulated>")
add_dependencies(cli_program_test speclens speclens_cuda_emulated)
