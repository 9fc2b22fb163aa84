# speclens_cuda.so: the CUDA engine, where a CUDA compiler (12.0 or newer) is found. The toolkit's static runtime is
# linked into it, so a machine needs nothing but a driver.
find_program(SPEC_NVCC nvcc PATHS /usr/local/cuda/bin)
if(NOT SPEC_NVCC)
    message(STATUS "CUDA engine: no nvcc found; this build runs on the CPU only")
    return()
endif()

# Everyday builds are for the GPUs in this machine, else 8.0 and 9.0, with PTX for newer ones.
# -DCMAKE_CUDA_ARCHITECTURES=all-major, or CUDAARCHS=all-major in the environment, builds for all.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    set(SPEC_CUDA_ARCHITECTURE 80-real 90)
    find_program(SPEC_NVIDIA_SMI nvidia-smi)
    if(SPEC_NVIDIA_SMI)
        execute_process(COMMAND ${SPEC_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
                        OUTPUT_VARIABLE found ERROR_QUIET RESULT_VARIABLE failed)
        string(REGEX MATCHALL "[0-9]+[.][0-9]" found "${found}")
        if(NOT failed AND found)
            list(REMOVE_DUPLICATES found)
            string(REPLACE "." "" SPEC_CUDA_ARCHITECTURE "${found}")
        endif()
    endif()
    set(CMAKE_CUDA_ARCHITECTURES ${SPEC_CUDA_ARCHITECTURE} CACHE STRING "GPU architectures")
endif()
# Tried in a project of its own first: enable_language ends everything where nvcc cannot work with this C++ compiler or
# for this GPU. It reads these two from the environment.
if(NOT CMAKE_CUDA_COMPILER)
    set(ENV{CUDACXX} ${SPEC_NVCC})
    if(CMAKE_CUDA_ARCHITECTURES)
        set(ENV{CUDAARCHS} "${CMAKE_CUDA_ARCHITECTURES}")
    endif()
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
    message(STATUS "CUDA engine: ${SPEC_NVCC} cannot compile with this C++ compiler; this build runs on the CPU only")
    return()
endif()
enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.0)
    message(STATUS "CUDA engine: nvcc ${CMAKE_CUDA_COMPILER_VERSION} is too old (12.0 is needed)")
    return()
endif()
# CMake up to 3.25 does not know that nvcc speaks C++20.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
endif()
message(STATUS "CUDA engine: nvcc ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")

add_library(speclens_cuda MODULE
    backend.cpp
    error.cpp
    cuda/cuda_attention.cu
    cuda/cuda_backend.cu
    cuda/cuda_forward.cu
    cuda/cuda_rows.cu
    cuda/launch_list.cu
    cuda/module.cu
    cuda/paged_pass.cu)
set_target_properties(speclens_cuda PROPERTIES
    PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}
    CUDA_STANDARD 20 CUDA_RUNTIME_LIBRARY Static CUDA_VISIBILITY_PRESET hidden)
target_include_directories(speclens_cuda PRIVATE ${CMAKE_SOURCE_DIR})
# Products and sums are fused where the kernels say so, never by the compiler.
target_compile_options(speclens_cuda PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:-fmad=false -Xcompiler=-Wall,-Wextra,-ffp-contract=off>
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra>)
if(SPEC_WERROR)
    target_compile_options(speclens_cuda PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
endif()
