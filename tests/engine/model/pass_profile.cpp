// Where a pass spends its time, operation by operation (no test: a program to be run by hand, with nothing else running).
// Passes over 1, 4, 8 and 16 rows take turns behind each context; of each operation's sum in a pass the lower quartile
// counts. "between" is what a pass takes beyond its operations; "record" what 64 entries of every distribution cost then.
//
//     pass_profile MODEL|GEOMETRY [f32|bf16|int8] [threads] [seconds for each context] [context ...]
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "engine/model/decoder.h"
#include "engine/model/model.h"
#include "kernels/backend.h"
#include "kernels/error.h"

namespace speclens::test {
namespace {

enum Part { embed, norm, qkv, rope, attend, wo, gate_up, down, head, other, kParts };
constexpr const char* kNames[kParts] = {"embed", "norm", "q k v", "rope", "attention", "o", "gate up", "down", "head", "copies"};

// Another backend, timed.
class Timed final : public Backend {
  public:
    explicit Timed(std::unique_ptr<Backend> inner) : inner_(std::move(inner)) {}
    std::array<double, kParts> ms{}; // since it was last cleared
    int vocab = 0, ffn = 0;
    Precision precision = Precision::f32; // of products with matrices

    std::string name() const override { return inner_->name(); }
    std::string description() const override { return inner_->description(); }
    int threads() const override { return inner_->threads(); }
    DType cache_dtype(Precision of) const override { return inner_->cache_dtype(of); }
    std::size_t free_memory() const override { return inner_->free_memory(); }
    int max_rows() const override { return inner_->max_rows(); }
    bool keeps(DType stored, std::int64_t cols) const override { return inner_->keeps(stored, cols); }
    bool has_products(Precision of) const override { return inner_->has_products(of); }
    void* allocate(std::size_t bytes) override { return inner_->allocate(bytes); }
    void release(void* data, std::size_t bytes) noexcept override { inner_->release(data, bytes); }
    Buffer allocate_weight(DType stored, std::int64_t rows, std::int64_t cols, Precision asked) override {
        return inner_->allocate_weight(stored, rows, cols, stored == DType::f32 ? asked : precision);
    }
    void import_weight(const Tensor& to, DType stored, const void* host) override { inner_->import_weight(to, stored, host); }
    void upload(const Tensor& to, const void* host) override {
        timed(other, [&] { inner_->upload(to, host); });
    }
    void download(const Tensor& from, void* host) override { inner_->download(from, host); }
    void copy(const Tensor& from, const Tensor& to) override {
        timed(other, [&] { inner_->copy(from, to); });
    }
    void sync() override { inner_->sync(); }
    TimeMark mark() override { return inner_->mark(); }
    double elapsed_ms(const TimeMark& from, const TimeMark& to) override { return inner_->elapsed_ms(from, to); }
    void embed(const Tensor& table, const Tensor& ids, const Tensor& out) override {
        timed(test::embed, [&] { inner_->embed(table, ids, out); });
    }
    void add_norm(const Tensor& residual, const Tensor& delta, const Tensor& weight, float eps, const Tensor& out) override {
        timed(norm, [&] { inner_->add_norm(residual, delta, weight, eps, out); });
    }
    void matmul(const Tensor& x, std::span<const Projection> parts) override {
        const Part part = parts.size() > 1 ? qkv : parts[0].out.cols == vocab ? head : x.cols == ffn ? down : wo;
        timed(part, [&] { inner_->matmul(x, parts); });
    }
    void matmul_swiglu(const Tensor& x, const Tensor& gate, const Tensor& up, const Tensor& out) override {
        timed(gate_up, [&] { inner_->matmul_swiglu(x, gate, up, out); });
    }
    void rope_store(const HeadShape& shape, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_norm, const Tensor& k_norm,
                    float eps, const Tensor& cos_sin, const Tensor& positions, const KvLayer& cache, int first_slot) override {
        timed(rope, [&] { inner_->rope_store(shape, q, k, v, q_norm, k_norm, eps, cos_sin, positions, cache, first_slot); });
    }
    void attention(const HeadShape& shape, const Tensor& q, const KvLayer& cache, const AttentionMask& mask, const Tensor& out) override {
        timed(attend, [&] { inner_->attention(shape, q, cache, mask, out); });
    }
    void silu(const Tensor& x) override { inner_->silu(x); }
    void gru(const Tensor& in, const Tensor& hid, const Tensor& state, const Tensor& out, const Tensor& gates) override {
        inner_->gru(in, hid, state, out, gates);
    }
    void convolve(const Tensor& x, const Tensor& base, const Tensor& added, std::int64_t first, std::int64_t groups) override {
        inner_->convolve(x, base, added, first, groups);
    }
    void softmax(const Tensor& logits, float temperature, const Tensor& out) override { inner_->softmax(logits, temperature, out); }
    void argmax(const Tensor& rows, const Tensor& ids) override { inner_->argmax(rows, ids); }
    void top_k(const Tensor& rows, int k, const Tensor& ids, const Tensor& values) override { inner_->top_k(rows, k, ids, values); }
    void gather_rows(const Tensor& in, const Tensor& indices, const Tensor& out) override { inner_->gather_rows(in, indices, out); }
    void move_slots(const KvLayer& cache, std::span<const int> from, std::span<const int> to) override {
        inner_->move_slots(cache, from, to);
    }
    Buffer make_read_buffer(std::size_t bytes) override { return inner_->make_read_buffer(bytes); }
    double read_ms(const Tensor& buffer) override { return inner_->read_ms(buffer); }

  private:
    template <class Work>
    void timed(Part part, const Work& work) {
        const TimeMark start = inner_->mark();
        work();
        ms[part] += inner_->elapsed_ms(start, inner_->mark());
    }
    std::unique_ptr<Backend> inner_;
};

double lower_quartile(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 4];
}

void profile(Timed& backend, Decoder& decoder, int context, double seconds) {
    constexpr int kRows[] = {1, 4, 8, 16};
    constexpr std::size_t kColumns = std::size(kRows);
    constexpr int kRecord = kParts, kBetween = kParts + 1, kWhole = kParts + 2;
    std::vector<int> tokens(static_cast<std::size_t>(context) + 16);
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<int>(i * 7 + 11) % std::min(decoder.vocab(), 40000);
    decoder.truncate(0);
    if (context > 0) decoder.prefill(std::span(tokens).first(static_cast<std::size_t>(context)));
    std::vector<double> samples[kColumns][kParts + 3];
    const Sampling sampling{.temperature = 0};
    const TimeMark begin = backend.mark();
    for (int turn = 0; backend.elapsed_ms(begin, backend.mark()) < 1000 * seconds; ++turn)
        for (std::size_t column = 0; column < kColumns; ++column)
            for (int again = 0; again < 3; ++again) {
                const int rows = kRows[column];
                decoder.truncate(context);
                backend.ms = {};
                const TimeMark start = backend.mark();
                PassRows& said = decoder.forward(
                    {.tokens = std::span(tokens).subspan(static_cast<std::size_t>(context), static_cast<std::size_t>(rows))});
                const TimeMark end = backend.mark();
                const std::array<double, kParts> ms = backend.ms;
                for (int row = 0; row < rows; ++row) (void)said.argmax();
                const TimeMark before = backend.mark();
                for (int row = 0; row < rows; ++row) (void)said.heads(row, sampling, 64);
                const double record = backend.elapsed_ms(before, backend.mark());
                if (again == 0) continue; // finds the caches as the others left them
                const double whole = backend.elapsed_ms(start, end);
                double sum = 0;
                for (int part = 0; part < kParts; ++part) {
                    samples[column][part].push_back(ms[static_cast<std::size_t>(part)]);
                    sum += ms[static_cast<std::size_t>(part)];
                }
                samples[column][kRecord].push_back(record);
                samples[column][kBetween].push_back(whole - sum);
                samples[column][kWhole].push_back(whole);
            }
    std::printf("behind %d tokens, ms (%zu passes each)\n%12s", context, samples[0][0].size(), "rows");
    for (const int rows : kRows) std::printf("%9d", rows);
    std::printf("\n");
    for (int line = 0; line < kParts + 3; ++line) {
        std::printf("%12s", line == kRecord ? "record" : line == kBetween ? "between" : line == kWhole ? "pass" : kNames[line]);
        for (const auto& column : samples) std::printf("%9.3f", lower_quartile(column[line]));
        std::printf("\n");
    }
}

} // namespace
} // namespace speclens::test

int main(int argc, char** argv) {
    using namespace speclens;
    using namespace speclens::test;
    if (argc < 2) {
        std::fprintf(stderr, "pass_profile MODEL|GEOMETRY [f32|bf16|int8] [threads] [seconds for each context] [context ...]\n");
        return 2;
    }
    try {
        const std::string what = argv[1];
        Timed backend(make_cpu_backend({.threads = argc > 3 ? std::atoi(argv[3]) : 0}));
        for (const Precision precision : {Precision::f32, Precision::bf16, Precision::int8})
            if (argc > 2 && std::string(argv[2]) == name_of(precision)) backend.precision = precision;
        const std::vector<std::string> known = geometry_names();
        const auto model =
            std::ranges::find(known, what) != known.end() ? Model::random(backend, geometry(what), what, 1) : Model::load(backend, what);
        backend.vocab = model->config.vocab;
        backend.ffn = model->config.ffn;
        std::printf("%s, %s, %s\n", what.c_str(), backend.description().c_str(), name_of(backend.precision));
        const Buffer memory = backend.make_read_buffer(model->bytes.per_token);
        double read = 1e9;
        for (int i = 0; i < 30; ++i) read = std::min(read, backend.read_ms(memory.view()));
        std::printf("its %.1f MB of weights are read in %.2f ms (%.1f GB/s)\n", static_cast<double>(memory.bytes()) / 1e6, read,
                    static_cast<double>(memory.bytes()) / read / 1e6);
        std::vector<int> contexts;
        for (int i = 5; i < argc; ++i) contexts.push_back(std::atoi(argv[i]));
        if (contexts.empty()) contexts = {64};
        const auto decoder = make_model_decoder(model, *std::ranges::max_element(contexts) + 32);
        for (const int context : contexts) profile(backend, *decoder, context, argc > 4 ? std::atof(argv[4]) : 4);
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
