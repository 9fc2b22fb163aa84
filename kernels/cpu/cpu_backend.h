// The CPU backend: checks shapes, deals the outputs of an operation out to the threads and calls the kernels.
// One output is computed by one thread, alike by any; the shares are contiguous and depend on nothing but sizes. Work
// that takes less time than waking a thread runs on the caller. One object serves one thread at a time.
//
// cpu_backend.cpp: memory and the operations on rows; cpu_forward.cpp: the operations of a forward pass.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "kernels/backend.h"
#include "kernels/bf16.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/memory.h"
#include "kernels/cpu/products.h"
#include "kernels/cpu/thread_pool.h"
#include "kernels/device_words.h"
#include "kernels/shapes.h"

namespace speclens {

// Rows of a pass: bounds the scratch memory, and is large enough to reuse weights.
inline constexpr int kMaxPassRows = 512;

// Rows up to which the threads share the positions of a long context; more rows are enough to be dealt out.
inline constexpr int kSharedRows = 16;

// Multiply-adds (or comparable steps) below which one thread is faster than a launch: about two microseconds.
inline constexpr std::int64_t kWorthLaunching = 32 << 10;

class CpuBackend final : public Backend {
  public:
    CpuBackend(Isa isa, int threads) : CpuBackend(isa, narrow_products(isa), threads) {}
    // With none but these of the machine's instructions for narrow numbers.
    CpuBackend(Isa isa, const NarrowProducts& narrow, int threads)
        : isa_(isa), amx_(narrow.amx_bf16), pool_(threads), f32_(products_of(isa, narrow, Precision::f32)),
          bf16_(products_of(isa, narrow, Precision::bf16)), int8_(products_of(isa, narrow, Precision::int8)),
          attention_(attention_kernels(isa)), norm_rope_(norm_rope_kernels(isa)), gate_(gate_kernels(isa)), row_(row_kernels(isa)) {}

    // ---- about the device ----
    std::string name() const override { return "cpu"; }
    std::string description() const override {
        return DeviceWords{std::string("CPU · ") + title_of(isa_) + (amx_ ? " + AMX" : ""), threads()}.words();
    }
    int threads() const override { return pool_.threads(); }
    DType cache_dtype(Precision precision) const override { return precision == Precision::f32 ? DType::f32 : DType::f16; }
    std::size_t attention_scratch(const HeadShape& shape, int rows, int context) const override;
    std::size_t free_memory() const override { return available_memory(); }
    int max_rows() const override { return kMaxPassRows; }
    bool keeps(DType stored, std::int64_t cols) const override;
    bool has_products(Precision precision) const override { return products(precision).fast; }
    std::string products_title(Precision precision) const override { return products(precision).path; }

    // ---- memory ----
    void* allocate(std::size_t bytes) override {
        void* const data = allocate_aligned(bytes);
        held_.fetch_add(bytes, std::memory_order_relaxed);
        return data;
    }
    void release(void* data, std::size_t bytes) noexcept override {
        release_aligned(data);
        held_.fetch_sub(bytes, std::memory_order_relaxed);
    }
    std::size_t held_memory() const override { return held_.load(std::memory_order_relaxed); }
    using Backend::allocate_weight;
    Buffer allocate_weight(DType stored, std::int64_t rows, std::int64_t cols, Precision precision) override;
    using Backend::import_weight;
    void import_weight(const Tensor& to, DType stored, const void* host) override;
    void import_pieces(const Tensor& to, DType stored, std::size_t piece_bytes, const FillRows& fill) override;
    void upload(const Tensor& to, const void* host) override {
        CHECK(!to.tiled, "upload into a tiled weight");
        copy_bytes(to.data, host, to.bytes());
    }
    void download(const Tensor& from, void* host) override { copy_bytes(host, from.data, from.bytes()); }
    void copy(const Tensor& from, const Tensor& to) override {
        CHECK(from.dtype == to.dtype && from.size() == to.size(), "copy between different tensors");
        CHECK(from.tiled == to.tiled && from.bytes() == to.bytes(), "copy between a weight in tiles and one in rows");
        if (from.bytes() > 0) std::memmove(to.data, from.data, from.bytes());
    }
    void sync() override {}

    // ---- time ----
    TimeMark mark() override {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        return {.ticks = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count(), .event = -1};
    }
    double elapsed_ms(const TimeMark& from, const TimeMark& to) override { return static_cast<double>(to.ticks - from.ticks) * 1e-6; }

    // ---- operations ----
    void embed(const Tensor& table, const Tensor& ids, const Tensor& out) override;
    void add_norm(const Tensor& residual, const Tensor& delta, const Tensor& weight, float eps, const Tensor& out) override;
    void matmul(const Tensor& x, std::span<const Projection> parts) override;
    void matmul_swiglu(const Tensor& x, const Tensor& gate, const Tensor& up, const Tensor& out) override;
    bool gather_products(ProductGatherer* gatherer) override {
        gatherer_ = gatherer;
        return true;
    }
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
    std::size_t cache_bytes() const override { return largest_cache(); }

  private:
    static void copy_bytes(void* to, const void* from, std::size_t bytes) {
        if (bytes > 0) std::memcpy(to, from, bytes);
    }

    // work(first, last) over shares of [0, units), in pieces of `grain` units or more; inline when all of it costs less
    // than a launch.
    template <class Work>
    void share(std::int64_t units, std::int64_t cost_per_unit, const Work& work, std::int64_t grain = 8) {
        if (units <= 1 || threads() == 1 || units * cost_per_unit < kWorthLaunching) {
            if (units > 0) work(std::int64_t{0}, units);
            return;
        }
        constexpr std::int64_t kPieces = 8; // of a share at most: finer than that nobody is slower than the others
        const std::int64_t worth = units * cost_per_unit / threads() / kWorthLaunching, most = units / threads() / grain;
        const auto pieces = static_cast<int>(std::clamp(std::min(worth, most), std::int64_t{1}, kPieces));
        pool_.deal(threads() * pieces, [&](int first, int last) {
            const int thread = first / pieces;
            const Range whole = share_of(units, thread, threads());
            const std::int64_t length = ((whole.last - whole.first + pieces - 1) / pieces + grain - 1) / grain * grain;
            const auto begin_of = [&](int piece) { return std::min(whole.first + (piece - thread * pieces) * length, whole.last); };
            if (begin_of(first) < begin_of(last)) work(begin_of(first), begin_of(last));
        });
    }

    const Products& products(Precision precision) const {
        return precision == Precision::f32 ? f32_ : precision == Precision::bf16 ? bf16_ : int8_;
    }
    const MatmulKernels& kernels_for(const Tensor& weight) const {
        const Products& all = products(weight.precision);
        return is_quantised(weight.dtype) ? all.quantised : weight.tiled ? all.tiles : all.rows;
    }
    bool packed_alike(const Tensor& a, const Tensor& b) const { return kernels_for(a).pack == kernels_for(b).pack && a.dtype == b.dtype; }
    // A task for `weight` with x as its kernel wants it; where the outputs go is left open.
    MatmulTask prepare(const Tensor& x, const Tensor& weight);

    // rope_store() of rows [first, last), the first of which goes to slot `slot`.
    struct RopeTask;
    void rope_rows(const RopeTask& task, std::int64_t first, std::int64_t last, std::int64_t slot) const;
    [[nodiscard]] AttentionTask attention_task(const HeadShape& shape, const Tensor& q, const KvLayer& cache, const Tensor& out) const;
    static void set_ancestors(AttentionTask& task, const Tensor& ancestors);
    [[nodiscard]] static bool worth_parts(const AttentionTask& task);
    void attend(std::span<const AttentionTask> tasks);
    void attention_in_parts(AttentionTask& task);
    std::vector<AttentionTask> attention_tasks_; // of the texts of a pass
    std::vector<std::int64_t> attention_units_;  // units of all texts before this one
    std::vector<float> part_sums_;               // its scratch, kept
    std::vector<AttentionState> part_states_;

    std::atomic<std::size_t> held_ = 0;
    Isa isa_;
    bool amx_; // its products in bf16 are AMX's
    ThreadPool pool_;
    Products f32_, bf16_, int8_;
    const AttentionKernels& attention_;
    const NormRopeKernels& norm_rope_;
    const GateKernels& gate_;
    const RowKernels& row_;
    struct Free {
        void operator()(std::byte* data) const noexcept { release_aligned(data); }
    };
    // x as one of the kernels packs it for one type of weight. They stay from pass to pass, a handful at most.
    struct Packed {
        decltype(MatmulKernels::pack) pack = nullptr;
        DType weights = DType::f32;
        std::unique_ptr<std::byte, Free> data;
        std::size_t size = 0;
    };
    Packed& packed_for(const MatmulKernels& kernels, DType weights, std::size_t size);

    ProductGatherer* gatherer_ = nullptr;
    std::vector<Packed> packed_;
    std::vector<MatmulTask> tasks_;          // of one launch
    std::vector<std::int64_t> units_before_; // units of all its parts before this one
};

} // namespace speclens
