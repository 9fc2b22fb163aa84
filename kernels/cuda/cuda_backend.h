// The CUDA backend: checks shapes, sizes the launches of the kernels in this folder and collects them (see
// launch_list.h). Written once for a device and for the emulator of the tests. One stream, one device (the
// first that is visible; CUDA_VISIBLE_DEVICES chooses another). One object serves one thread at a time.
//
// cuda_backend.cu: memory and time; cuda_forward.cu: the operations of a forward pass; cuda_attention.cu: attention and the
// writes into its cache; cuda_rows.cu: operations on rows and of draft heads.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "kernels/backend.h"
#include "kernels/cuda/launch_list.h"
#include "kernels/cuda/matrix.cuh"
#include "kernels/cuda/paged_pass.h"
#include "kernels/shapes.h"

namespace speclens::cuda {

inline constexpr int kMaxPassRows = 512;

struct CudaOptions {
    bool graphs = true;                                   // SPECLENS_CUDA_GRAPHS=0 turns them off
    bool tensor_cores = true;                             // SPECLENS_CUDA_PLAIN=1 turns them off; devices before 8.0 have none that fit
    std::size_t attention_bytes = std::size_t{256} << 20; // of partial results in a launch, where a row needs no more
};

// The kernels that the device was given have their tensor-core bodies: a build for 7.5 alone has none, and a newer
// device would compile that code for itself.
[[nodiscard]] bool built_with_tensor_cores();
// Null, with the reason in `why`, when there is no usable device.
[[nodiscard]] std::unique_ptr<Backend> make_cuda_backend(const CudaOptions& options, std::string& why);

inline dim3 blocks(std::int64_t threads, int per_block) { return dim3(static_cast<unsigned>((threads + per_block - 1) / per_block)); }

class CudaBackend final : public Backend {
  public:
    CudaBackend(const CudaOptions& options, std::string description, bool tensor_cores, std::size_t cache_bytes);
    ~CudaBackend() override;
    CudaBackend(const CudaBackend&) = delete;
    CudaBackend& operator=(const CudaBackend&) = delete;

    // ---- about the device ----
    std::string name() const override { return "cuda"; }
    std::string description() const override { return description_; }
    int threads() const override { return 1; }
    DType cache_dtype(Precision) const override { return DType::f32; }
    std::size_t free_memory() const override;
    int max_rows() const override { return kMaxPassRows; }
    std::size_t attention_scratch(const HeadShape& shape, int rows, int context) const override;

    // ---- memory ----
    void* allocate(std::size_t bytes) override;
    void release(void* data, std::size_t bytes) noexcept override;
    using Backend::allocate_weight;
    Buffer allocate_weight(DType stored, std::int64_t rows, std::int64_t cols, Precision precision) override;
    using Backend::import_weight;
    void import_weight(const Tensor& to, DType stored, const void* host) override;
    void upload(const Tensor& to, const void* host) override;
    void download(const Tensor& from, void* host) override;
    void copy(const Tensor& from, const Tensor& to) override;
    void sync() override;

    // ---- time ----
    TimeMark mark() override;
    double elapsed_ms(const TimeMark& from, const TimeMark& to) override;

    // ---- operations ----
    void embed(const Tensor& table, const Tensor& ids, const Tensor& out) override;
    void add_norm(const Tensor& residual, const Tensor& delta, const Tensor& weight, float eps, const Tensor& out) override;
    void matmul(const Tensor& x, std::span<const Projection> parts) override;
    void matmul_swiglu(const Tensor& x, const Tensor& gate, const Tensor& up, const Tensor& out) override;
    void rope_store(const HeadShape& shape, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_norm, const Tensor& k_norm,
                    float eps, const Tensor& cos_sin, const Tensor& positions, const KvLayer& cache, int first_slot) override;
    void attention(const HeadShape& shape, const Tensor& q, const KvLayer& cache, const AttentionMask& mask, const Tensor& out) override;
    bool pages() const override { return true; }
    void rope_store_paged(const HeadShape& shape, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_norm,
                          const Tensor& k_norm, float eps, const Tensor& cos_sin, const Tensor& positions, const KvLayer& cache,
                          const PagedRows& rows) override;
    void attention_paged(const HeadShape& shape, const Tensor& q, const KvLayer& cache, const PagedRows& rows, const Tensor& out) override;
    void silu(const Tensor& x) override;
    void gru(const Tensor& in, const Tensor& hid, const Tensor& state, const Tensor& out, const Tensor& gates) override;
    void convolve(const Tensor& x, const Tensor& base, const Tensor& added, std::int64_t first, std::int64_t groups) override;
    void softmax(const Tensor& logits, float temperature, const Tensor& out) override;
    void argmax(const Tensor& rows, const Tensor& ids) override;
    void top_k(const Tensor& rows, int k, const Tensor& ids, const Tensor& values) override;
    void gather_rows(const Tensor& in, const Tensor& indices, const Tensor& out) override;
    void move_slots(const KvLayer& cache, std::span<const int> from, std::span<const int> to) override;
    Buffer make_read_buffer(std::size_t bytes) override;
    double read_ms(const Tensor& buffer) override;
    std::size_t cache_bytes() const override { return cache_bytes_; }

  private:
    // Device memory that grows on demand and is reused by later launches of the stream.
    struct Scratch {
        void* data = nullptr;
        std::size_t bytes = 0;
    };
    void* reserve(Scratch& scratch, std::size_t bytes);
    void flush();
    // The tables of a pass over several texts, in tables_. All its layers have the same: they travel once.
    const PagedPass& bring(const HeadShape& shape, const PagedRows& rows);
    // Blocks of tiles or of plain outputs for parts whose weights are of one kind.
    void launch_matmul(const Tensor& x, std::span<const Projection> parts, bool tiled);

    std::string description_;
    bool tensor_cores_;
    std::size_t cache_bytes_; // of the second cache
    std::size_t attention_bytes_;
    cudaStream_t stream_ = nullptr;
    LaunchList list_;
    std::exception_ptr lost_;         // why launches were dropped that nobody has heard of yet
    std::vector<cudaEvent_t> events_; // a ring: marks older than its size are gone
    std::size_t next_event_ = 0;
    void* pinned_ = nullptr; // host memory on the way to the device
    Scratch staging_;        // weights in file order, before they are packed
    Scratch partial_;        // attention
    Scratch keys_;           // top_k
    Scratch tables_;         // of paged_
    PagedPass paged_;        // the last pass over several texts
};

// How a tensor lies in device memory.
[[nodiscard]] Matrix matrix_of(const Tensor& tensor);

} // namespace speclens::cuda
