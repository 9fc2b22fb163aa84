# The CUDA engine. Everything that tests operations, reference values and distributions on the CPU runs again: on the
# emulated device everywhere (simt.h), on a real one where the engine was built and there is a GPU.
spec_test_objects(distribution_tests LIBS engine engine_batch
    SOURCES engine/drafters/drafter_goldens.cpp engine/lab/medusa_gradient_test.cpp engine/lab/mtp_gradient_test.cpp engine/drafters/drafters_test.cpp engine/model/forward_test.cpp kernels/cuda_distributions_test.cpp)
# The device as code of this machine, for these tests and as a module for the program itself (app/cli/cuda_test.cpp).
add_library(emulated_device OBJECT EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/kernels/cuda/emulated_sources.cpp ${CMAKE_SOURCE_DIR}/kernels/simt/simt.cpp ${CMAKE_SOURCE_DIR}/kernels/simt/simt_runtime.cpp)
spec_target(emulated_device)
target_include_directories(emulated_device PUBLIC ${CMAKE_SOURCE_DIR})
spec_aligned(emulated_device)
set_target_properties(emulated_device PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD OFF)  # names of the global scope
# The device itself and what runs on it are the time of these tests, also with the sanitizers.
target_compile_options(emulated_device PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O2>)
# What asks for the CPU's instruction sets by name would run twice.
set(of_the_cpu "-*AttentionBehind.*:*AnF16CacheIsCloseToAnF32One:*.TheNumberOfThreads*:Determinism.InstructionSets*:Determinism.GoldenHash*")
# Differences ask for hundreds of losses: .15 s on the CPU, over five minutes on the emulated device.
set(not_emulated "${of_the_cpu}:MtpGradients.AgreeWithDifferencesOfTheLoss")
# Each operation is watched alone by the sanitizer: the emulated device's purpose is indexing. Bits and distributions, whole texts and a
# row at every place of a pass, are Release's.
spec_test(kernels/cuda IN emulated WHEN checked LABELS fast PREFIX Emulated. FILTER "${not_emulated}:*.ExponentialIsAccurateToAFewUnits:Determinism.*" LIBS kernels
    SOME slow "[.](Matmul|MatmulSwiglu)[.]|[.]Softmax[.]Exponential|[.]PagedAttention[.]ATextAlone|[.]Attention[.]ARowHasTheSameBitsInEveryPassBehind"
    SOURCES kernels/simt_test.cpp kernels/cuda_emulated_test.cpp kernels/cuda_backend_test.cpp $<TARGET_OBJECTS:emulated_device> $<TARGET_OBJECTS:operation_tests>)
spec_test(kernels/cuda/bits IN emulated_bits WHEN release LABELS fast later PREFIX Emulated. FILTER "${not_emulated}" LIBS engine engine_batch
    SOME slow "[.](Determinism|CudaDistributions|MedusaGradient)[.]|DominoInAllAlignments"
    SOURCES kernels/cuda_emulated_test.cpp kernels/determinism_test.cpp $<TARGET_OBJECTS:emulated_device> $<TARGET_OBJECTS:distribution_tests>)
add_library(speclens_cuda_emulated MODULE EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/kernels/cuda/emulated_module.cpp $<TARGET_OBJECTS:emulated_device>
            ${CMAKE_SOURCE_DIR}/kernels/backend.cpp ${CMAKE_SOURCE_DIR}/kernels/error.cpp)
spec_target(speclens_cuda_emulated)
target_include_directories(speclens_cuda_emulated PRIVATE ${CMAKE_SOURCE_DIR})
set_target_properties(speclens_cuda_emulated PROPERTIES PREFIX "" UNITY_BUILD OFF)

if(TARGET speclens_cuda)
    spec_test(kernels/cuda/device WHEN release LABELS gpu PREFIX Gpu. FILTER "${of_the_cpu}" TIMEOUT 600 SKIP "no GPU to test on" LIBS engine engine_batch
        DEPENDS speclens_cuda
        SOURCES kernels/cuda_device_test.cpp $<TARGET_OBJECTS:operation_tests> $<TARGET_OBJECTS:distribution_tests>)
endif()
