// A backend that hands every call on to another one: a test overrides what it wants to count or to spoil.
#pragma once

#include <memory>
#include <utility>

#include "kernels/backend.h"

namespace speclens::test {

class ForwardingBackend : public Backend {
  public:
    explicit ForwardingBackend(std::unique_ptr<Backend> to) : to_(std::move(to)) {}
    std::string name() const override { return to_->name(); }
    std::string description() const override { return to_->description(); }
    int threads() const override { return to_->threads(); }
    DType cache_dtype(Precision precision) const override { return to_->cache_dtype(precision); }
    std::size_t free_memory() const override { return to_->free_memory(); }
    std::size_t held_memory() const override { return to_->held_memory(); }
    int max_rows() const override { return to_->max_rows(); }
    bool keeps(DType stored, std::int64_t cols) const override { return to_->keeps(stored, cols); }
    bool has_products(Precision precision) const override { return to_->has_products(precision); }
    std::string products_title(Precision precision) const override { return to_->products_title(precision); }
    std::size_t attention_scratch(const HeadShape& shape, int rows, int context) const override {
        return to_->attention_scratch(shape, rows, context);
    }
    void* allocate(std::size_t bytes) override { return to_->allocate(bytes); }
    void release(void* data, std::size_t bytes) noexcept override { to_->release(data, bytes); }
    Buffer allocate_weight(DType stored, std::int64_t rows, std::int64_t cols, Precision precision) override {
        return to_->allocate_weight(stored, rows, cols, precision);
    }
    void import_weight(const Tensor& to, DType stored, const void* host) override { to_->import_weight(to, stored, host); }
    void upload(const Tensor& to, const void* host) override { to_->upload(to, host); }
    void download(const Tensor& from, void* host) override { to_->download(from, host); }
    void copy(const Tensor& from, const Tensor& to) override { to_->copy(from, to); }
    void sync() override { to_->sync(); }
    TimeMark mark() override { return to_->mark(); }
    double elapsed_ms(const TimeMark& from, const TimeMark& to) override { return to_->elapsed_ms(from, to); }
    void embed(const Tensor& table, const Tensor& ids, const Tensor& out) override { to_->embed(table, ids, out); }
    void add_norm(const Tensor& residual, const Tensor& delta, const Tensor& weight, float eps, const Tensor& out) override {
        to_->add_norm(residual, delta, weight, eps, out);
    }
    void matmul(const Tensor& x, std::span<const Projection> parts) override { to_->matmul(x, parts); }
    void matmul_swiglu(const Tensor& x, const Tensor& gate, const Tensor& up, const Tensor& out) override {
        to_->matmul_swiglu(x, gate, up, out);
    }
    void rope_store(const HeadShape& shape, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_norm, const Tensor& k_norm,
                    float eps, const Tensor& cos_sin, const Tensor& positions, const KvLayer& cache, int first_slot) override {
        to_->rope_store(shape, q, k, v, q_norm, k_norm, eps, cos_sin, positions, cache, first_slot);
    }
    void attention(const HeadShape& shape, const Tensor& q, const KvLayer& cache, const AttentionMask& mask, const Tensor& out) override {
        to_->attention(shape, q, cache, mask, out);
    }
    bool gather_products(ProductGatherer* gatherer) override { return to_->gather_products(gatherer); }
    bool pages() const override { return to_->pages(); }
    void rope_store_paged(const HeadShape& shape, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_norm,
                          const Tensor& k_norm, float eps, const Tensor& cos_sin, const Tensor& positions, const KvLayer& cache,
                          const PagedRows& rows) override {
        to_->rope_store_paged(shape, q, k, v, q_norm, k_norm, eps, cos_sin, positions, cache, rows);
    }
    void attention_paged(const HeadShape& shape, const Tensor& q, const KvLayer& cache, const PagedRows& rows, const Tensor& out) override {
        to_->attention_paged(shape, q, cache, rows, out);
    }
    void silu(const Tensor& x) override { to_->silu(x); }
    void gru(const Tensor& in, const Tensor& hid, const Tensor& state, const Tensor& out, const Tensor& gates) override {
        to_->gru(in, hid, state, out, gates);
    }
    void convolve(const Tensor& x, const Tensor& base, const Tensor& added, std::int64_t first, std::int64_t groups) override {
        to_->convolve(x, base, added, first, groups);
    }
    void softmax(const Tensor& logits, float temperature, const Tensor& out) override { to_->softmax(logits, temperature, out); }
    void argmax(const Tensor& rows, const Tensor& ids) override { to_->argmax(rows, ids); }
    void top_k(const Tensor& rows, int k, const Tensor& ids, const Tensor& values) override { to_->top_k(rows, k, ids, values); }
    void gather_rows(const Tensor& in, const Tensor& indices, const Tensor& out) override { to_->gather_rows(in, indices, out); }
    void move_slots(const KvLayer& cache, std::span<const int> from, std::span<const int> to) override { to_->move_slots(cache, from, to); }
    Buffer make_read_buffer(std::size_t bytes) override { return to_->make_read_buffer(bytes); }
    double read_ms(const Tensor& buffer) override { return to_->read_ms(buffer); }
    std::size_t cache_bytes() const override { return to_->cache_bytes(); }

  private:
    std::unique_ptr<Backend> to_;
};

} // namespace speclens::test
