// The CUDA backend compiled for the emulator: the same sources that nvcc compiles.
#include "kernels/cuda/cuda_attention.cu"
#include "kernels/cuda/cuda_backend.cu"
#include "kernels/cuda/cuda_forward.cu"
#include "kernels/cuda/cuda_rows.cu"
#include "kernels/cuda/launch_list.cu"
#include "kernels/cuda/paged_pass.cu"
