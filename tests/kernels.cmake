# What a backend computes: run here on the CPU, in cuda.cmake on an emulated and a real device.
spec_test_objects(operation_tests LIBS kernels
    SOURCES kernels/attention_test.cpp kernels/determinism_test.cpp kernels/gates_test.cpp kernels/matmul_test.cpp kernels/norm_rope_test.cpp
            kernels/rows_test.cpp)
spec_test(kernels_test LABELS fast threads LIBS kernels
    SOME not_address "ExponentialIsAccurateToAFewUnits"  # counting many numbers finds no bad address
    SOURCES kernels/backend_test.cpp kernels/compare_test.cpp kernels/thread_pool_test.cpp $<TARGET_OBJECTS:operation_tests>)
