spec_test(kernels_test
    LABELS fast
    SOURCES
        kernels_attention.cpp
        kernels_backend.cpp
        kernels_compare.cpp
        kernels_determinism.cpp
        kernels_gates.cpp
        kernels_matmul.cpp
        kernels_norm_rope.cpp
        kernels_rows.cpp
        kernels_thread_pool.cpp
    LIBS kernels)
