# The arrows between the folders: needs the whole product configured, not built.
spec_test(architecture_test LABELS fast SOME slow "APlantedInclude" SOURCES architecture_test.cpp)
target_compile_definitions(architecture_test PRIVATE SPEC_BUILD_DIR="${CMAKE_BINARY_DIR}"
                           SPEC_COMPILER="${CMAKE_CXX_COMPILER}")
