// Batch invariance (kernels/backend.h): the bits of a row depend neither on the number of rows, nor
// on the place of the row, nor on the number of threads, nor on the build type. Everything runs a small
// transformer layer (all operations of a forward pass in their real order) and compares every output bit.
#include <map>
#include <numeric>

#include "tests/kernels/support.h"

namespace speclens::test {
namespace {

// With a hidden size of 100 the CPU has tiles for the matrices that do not lead onto it, a GPU for none; with
// 112 both have them for all: every matmul kernel takes part.
constexpr int kHidden = 100, kTiledHidden = 112;
constexpr int kHeads = 4, kKvHeads = 2, kDim = 24, kFfn = 144, kVocab = 336, kPrefix = 70;

// One layer and a head with seeded weights; `run` feeds token rows and returns logits, one row per token.
class Layer {
  public:
    explicit Layer(Backend& backend, int hidden = kHidden) : backend_(backend), hidden_(hidden), numbers_(77) {
        wq_ = weight(kHeads * kDim, hidden_);
        wk_ = weight(kKvHeads * kDim, hidden_);
        wv_ = weight(kKvHeads * kDim, hidden_);
        wo_ = weight(hidden_, kHeads * kDim);
        gate_ = weight(kFfn, hidden_);
        up_ = weight(kFfn, hidden_);
        down_ = weight(hidden_, kFfn);
        head_ = weight(kVocab, hidden_);
        norm_ = row(hidden_);
        head_norm_ = row(kDim);
        bias_ = row(kHeads * kDim);
        angles_ = matrix(kPrefix + 64, kDim);
        past_k_ = numbers_.floats(kPrefix * kKvHeads * kDim);
        past_v_ = numbers_.floats(kPrefix * kKvHeads * kDim);
    }

    // Every token stands alone behind the same prefix, at the same position: whatever row it is, the result
    // of a token must be the same. With causal set the rows see the ones before them, as in a real pass.
    struct Result {
        std::vector<float> logits, probabilities;
    };
    Result run(const std::vector<std::int32_t>& tokens, bool causal) {
        const auto rows = static_cast<std::int64_t>(tokens.size());
        const std::int64_t words = (rows + 63) / 64;
        std::vector<std::int32_t> positions;
        std::vector<std::int64_t> self(static_cast<std::size_t>(rows * words));
        for (std::int64_t i = 0; i < rows; ++i) {
            positions.push_back(static_cast<std::int32_t>(kPrefix + (causal ? i : 0)));
            self[static_cast<std::size_t>(i * words + i / 64)] = std::int64_t{1} << (i % 64);
        }
        const Guarded ids(backend_, DType::i32, 1, rows, tokens), places(backend_, DType::i32, 1, rows, positions);
        const Guarded ancestors(backend_, DType::i64, rows, words, self);
        const Guarded x(backend_, DType::f32, rows, hidden_), normed(backend_, DType::f32, rows, hidden_);
        const Guarded q(backend_, DType::f32, rows, kHeads * kDim), mixed(backend_, DType::f32, rows, kHeads * kDim);
        const Guarded k(backend_, DType::f32, rows, kKvHeads * kDim), v(backend_, DType::f32, rows, kKvHeads * kDim);
        const Guarded delta(backend_, DType::f32, rows, hidden_), wide(backend_, DType::f32, rows, kFfn);
        const Guarded logits(backend_, DType::f32, rows, kVocab), p(backend_, DType::f32, rows, kVocab);
        const Guarded k_cache(backend_, DType::f32, kPrefix + rows, kKvHeads * kDim);
        const Guarded v_cache(backend_, DType::f32, kPrefix + rows, kKvHeads * kDim);
        backend_.upload(k_cache.view().slice(0, kPrefix), past_k_.data());
        backend_.upload(v_cache.view().slice(0, kPrefix), past_v_.data());
        const HeadShape shape = {kHeads, kKvHeads, kDim};

        backend_.embed(head_.view(), ids, x);
        backend_.add_norm(x, {}, norm_.view(), 1e-6f, normed);
        const Projection qkv[] = {{wq_.view(), bias_.view(), q}, {wk_.view(), {}, k}, {wv_.view(), {}, v}};
        backend_.matmul(normed, qkv);
        backend_.rope_store(shape, q, k, v, head_norm_.view(), head_norm_.view(), 1e-6f, angles_.view(), places, {k_cache, v_cache},
                            kPrefix);
        backend_.attention(shape, q, {k_cache, v_cache},
                           {.prefix = kPrefix, .first_slot = kPrefix, .ancestors = causal ? Tensor{} : ancestors.view()}, mixed);
        const Projection out[] = {{wo_.view(), {}, delta}};
        backend_.matmul(mixed, out);
        backend_.add_norm(x, delta, norm_.view(), 1e-6f, normed);
        backend_.matmul_swiglu(normed, gate_.view(), up_.view(), wide);
        const Projection down[] = {{down_.view(), {}, delta}};
        backend_.matmul(wide, down);
        backend_.add_norm(x, delta, norm_.view(), 1e-6f, normed);
        const Projection vocabulary[] = {{head_.view(), {}, logits}};
        backend_.matmul(normed, vocabulary);
        backend_.softmax(logits, 0.8f, p);
        return {logits.floats(), p.floats()};
    }

  private:
    Buffer weight(std::int64_t rows, std::int64_t cols) {
        std::vector<std::uint16_t> bits;
        for (float value : numbers_.floats(rows * cols, -0.2f, 0.2f)) bits.push_back(to_bf16(value));
        return backend_.import_weight(bits.data(), DType::bf16, rows, cols);
    }
    Buffer matrix(std::int64_t rows, std::int64_t cols) {
        return backend_.import_weight(numbers_.floats(rows * cols).data(), DType::f32, rows, cols);
    }
    Buffer row(std::int64_t cols) { return matrix(1, cols); }

    Backend& backend_;
    int hidden_;
    Numbers numbers_;
    Buffer wq_, wk_, wv_, wo_, gate_, up_, down_, head_, norm_, head_norm_, bias_, angles_;
    std::vector<float> past_k_, past_v_;
};

std::vector<std::int32_t> some_tokens(std::int64_t count) {
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<std::int32_t>(i * 37 % kVocab);
    return tokens;
}

std::vector<float> row_of(const std::vector<float>& values, std::size_t row) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * kVocab);
    return {begin, begin + kVocab};
}

std::uint64_t hash_of(const std::vector<float>& values) { // FNV-1a
    std::uint64_t hash = 0xCBF29CE484222325u;
    for (float value : values) hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001B3u;
    return hash;
}

TEST(Determinism, ARowHasTheSameBitsInEveryPassAndAtEveryPlace) {
    on_every_backend([](Backend& backend) {
        Layer layer(backend);
        const std::vector<std::int32_t> tokens = some_tokens(33);
        std::vector<Layer::Result> alone;
        for (std::int32_t token : tokens) alone.push_back(layer.run({token}, false));
        for (std::int64_t rows = 1; rows <= 33; ++rows) {
            // Rotated, so that over all sizes each token stands at many places.
            std::vector<std::int32_t> pass;
            for (std::int64_t i = 0; i < rows; ++i) pass.push_back(tokens[static_cast<std::size_t>((i + 5 * rows) % 33)]);
            const Layer::Result together = layer.run(pass, false);
            for (std::size_t i = 0; i < pass.size(); ++i) {
                const std::size_t token = (i + 5 * static_cast<std::size_t>(rows)) % 33;
                ASSERT_TRUE(same_bits(row_of(together.logits, i), alone[token].logits)) << rows << " rows, row " << i;
                ASSERT_TRUE(same_bits(row_of(together.probabilities, i), alone[token].probabilities));
            }
        }
    });
}

TEST(Determinism, AShorterPassIsAPrefixOfALongerOne) {
    on_every_backend([](Backend& backend) {
        for (int hidden : {kHidden, kTiledHidden}) {
            Layer layer(backend, hidden);
            const std::vector<float> all = layer.run(some_tokens(64), true).logits;
            for (std::int64_t rows : {1, 2, 7, 16, 31}) {
                const std::vector<float> some = layer.run(some_tokens(rows), true).logits;
                EXPECT_TRUE(same_bits(some, {all.begin(), all.begin() + rows * kVocab})) << rows << " rows, hidden " << hidden;
            }
        }
    });
}

TEST(Determinism, TheNumberOfThreadsDoesNotMatter) {
    for (Isa isa : available_isas()) {
        SCOPED_TRACE(name_of(isa));
        std::map<std::int64_t, std::vector<float>> expected;
        for (int threads : {1, 2, 3, 5, 8}) {
            const std::unique_ptr<Backend> backend = cpu_backend(isa, threads);
            Layer layer(*backend);
            for (std::int64_t rows : {1, 5, 64}) {
                const std::vector<float> logits = layer.run(some_tokens(rows), true).logits;
                if (threads == 1) expected[rows] = logits;
                EXPECT_TRUE(same_bits(logits, expected[rows])) << threads << " threads, " << rows << " rows";
            }
        }
    }
}

TEST(Determinism, InstructionSetsAgreeWithinRounding) {
    std::vector<double> expected;
    for (Isa isa : available_isas()) {
        const std::unique_ptr<Backend> backend = cpu_backend(isa);
        const std::vector<float> logits = Layer(*backend).run(some_tokens(9), true).logits;
        if (expected.empty()) expected.assign(logits.begin(), logits.end());
        EXPECT_TRUE(close(logits, expected, {.absolute = 1e-4, .relative = 1e-4, .normalised_mse = 1e-10})) << name_of(isa);
    }
}

// One number per instruction set, the same in Debug and Release and for every thread count. A change here
// means that recorded traces no longer replay to the bit: change it on purpose only. The numbers are printed
// on failure.
TEST(Determinism, GoldenHashOfASmallPass) {
    const std::map<Isa, std::uint64_t> golden = {
        {Isa::portable, 0xbd1bc3abf1d4072u},
        {Isa::avx2, 0xd48da17a7818d80bu},
        {Isa::avx512, 0x9aedc6bef3ebd2u},
    };
    for (Isa isa : available_isas()) {
        const std::unique_ptr<Backend> backend = cpu_backend(isa, 3);
        const Layer::Result result = Layer(*backend).run(some_tokens(13), true);
        std::vector<float> all = result.logits;
        all.insert(all.end(), result.probabilities.begin(), result.probabilities.end());
        EXPECT_EQ(hash_of(all), golden.at(isa)) << name_of(isa) << std::hex << ": 0x" << hash_of(all);
    }
}

} // namespace
} // namespace speclens::test
