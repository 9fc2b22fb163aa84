# What a backend computes: run here on the CPU, in cuda.cmake on an emulated and a real device.
spec_test_objects(operation_tests LIBS kernels
    SOURCES kernels_attention.cpp kernels_determinism.cpp kernels_gates.cpp kernels_matmul.cpp kernels_norm_rope.cpp
            kernels_rows.cpp)
spec_test(kernels_test LABELS fast LIBS kernels
    SOURCES kernels_backend.cpp kernels_compare.cpp kernels_thread_pool.cpp $<TARGET_OBJECTS:operation_tests>)
