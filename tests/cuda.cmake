# The CUDA engine. Everything that tests operations, reference values and laws on the CPU runs again: on the
# emulated device everywhere (simt.h), on a real one where the engine was built and there is a GPU.
set(operation_tests kernels_attention.cpp kernels_determinism.cpp kernels_gates.cpp kernels_matmul.cpp
    kernels_norm_rope.cpp kernels_rows.cpp)
set(law_tests drafter_goldens.cpp medusa_gradient.cpp model_drafters.cpp model_forward.cpp cuda_laws.cpp)
spec_test(cuda_emulated_test LABELS fast PREFIX Emulated. LIBS engine
    SOURCES simt.cpp simt_runtime.cpp simt_test.cpp cuda_sources.cpp cuda_emulated.cpp cuda_backend_test.cpp
            ${operation_tests} ${law_tests})
set_source_files_properties(cuda_sources.cpp simt.cpp simt_runtime.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # names of the global scope
# The device itself and what runs on it are the time of these tests, also with the sanitizers.
set_source_files_properties(cuda_sources.cpp simt.cpp simt_runtime.cpp PROPERTIES COMPILE_OPTIONS $<$<NOT:$<CONFIG:Debug>>:-O2>)
# The same as a module for the program itself (cli_cuda.cpp).
add_library(speclens_cuda_emulated MODULE cuda_emulated_module.cpp cuda_sources.cpp simt.cpp simt_runtime.cpp
            ${CMAKE_SOURCE_DIR}/kernels/backend.cpp ${CMAKE_SOURCE_DIR}/kernels/error.cpp)
spec_target(speclens_cuda_emulated)
set_target_properties(speclens_cuda_emulated PROPERTIES PREFIX "" UNITY_BUILD OFF)

if(TARGET speclens_cuda)
    spec_test(cuda_device_test LABELS gpu PREFIX Gpu. TIMEOUT 600 SKIP "no GPU to test on" LIBS engine
        SOURCES cuda_device.cpp ${operation_tests} ${law_tests})
    add_dependencies(cuda_device_test speclens_cuda)
endif()
