# Packages: ours, and those of other systems that a build needs.
add_test(NAME Packages.OtherSystemsAreToldTheirNames
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/packages/setup_test.sh ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/setup)
set_tests_properties(Packages.OtherSystemsAreToldTheirNames PROPERTIES LABELS "fast;plain_only" TIMEOUT 60)
