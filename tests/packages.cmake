# Packages: ours, and those of other systems that a build needs.
add_test(NAME Packages.OtherSystemsAreToldTheirNames
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/packages/setup_test.sh ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/setup)
set_tests_properties(Packages.OtherSystemsAreToldTheirNames PROPERTIES LABELS "fast;release" TIMEOUT 60)

# The file that runs, with a small archive in the place of the portable one.
add_test(NAME Packages.OneFileUnpacksAndRuns
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/packages/run_file_test.sh ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/run_file)
set_tests_properties(Packages.OneFileUnpacksAndRuns PROPERTIES LABELS "fast;release" TIMEOUT 60)

# What is installed, used as somebody would who has nothing but it. A build with sanitizers installs nothing.
if(TARGET speclens_extras)
    add_test(NAME Packages.WhatIsInstalledStandsAlone
             COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR} -DSOURCE=${CMAKE_SOURCE_DIR} -DVERSION=${PROJECT_VERSION}
                     -DWINDOW=${SPEC_APP} -DWORK=${CMAKE_CURRENT_BINARY_DIR}/installed
                     -P ${CMAKE_CURRENT_SOURCE_DIR}/packages/installed_test.cmake)
    set_tests_properties(Packages.WhatIsInstalledStandsAlone PROPERTIES LABELS "fast;release" TIMEOUT 300)
endif()

# The Python module over the library of this build: ./test packaging/python.
if(TARGET speclens_library)
    add_test(NAME Packages.PythonModule
             COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/packages/python_test.sh ${CMAKE_SOURCE_DIR} $<TARGET_FILE:speclens_library> $<TARGET_FILE:speclens>)
    set_tests_properties(Packages.PythonModule PROPERTIES LABELS "release;packaging/python" TIMEOUT 300 SKIP_RETURN_CODE 77
                         ENVIRONMENT SPECLENS_CUDA_MODULE=none)
    set_property(GLOBAL APPEND PROPERTY SPEC_TEST_ROOMS "packaging/python=speclens_library")
endif()
