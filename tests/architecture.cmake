# The arrows between the folders: needs the whole product configured, not built.
spec_test(architecture WHEN release LABELS fast SOURCES architecture_test.cpp
    DEFINES SPEC_BUILD_DIR="${CMAKE_BINARY_DIR}" SPEC_COMPILER="${CMAKE_CXX_COMPILER}")
