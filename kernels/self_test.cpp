#include "kernels/self_test.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels/error.h"

namespace speclens {

namespace {

constexpr int kRows = 5, kPrefix = 70, kHidden = 64, kHeads = 4, kKvHeads = 2, kDim = 16, kFfn = 48, kVocab = 208;
constexpr HeadShape kShape = {kHeads, kKvHeads, kDim};

// What each operation gave, in order.
using Steps = std::vector<std::pair<const char*, std::vector<float>>>;

// Numbers in [-1, 1), the same everywhere.
class Numbers {
  public:
    float next() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<float>(static_cast<std::int32_t>(state_ >> 32)) * 0x1p-31f;
    }
    std::vector<float> some(std::int64_t count) {
        std::vector<float> values(static_cast<std::size_t>(count));
        for (float& value : values) value = next();
        return values;
    }

  private:
    std::uint64_t state_ = 7;
};

// One layer and a head with made-up weights on one backend.
class Layer {
  public:
    explicit Layer(Backend& backend) : backend_(backend) {
        embedding_ = weight(kVocab, kHidden);
        wq_ = weight(kHeads * kDim, kHidden);
        wk_ = weight(kKvHeads * kDim, kHidden);
        wv_ = weight(kKvHeads * kDim, kHidden);
        gate_ = weight(kFfn, kHidden);
        up_ = weight(kFfn, kHidden);
        norm_ = rows(1, kHidden);
        angles_ = rows(kPrefix + kRows, kDim);
        past_ = numbers_.some(2 * kPrefix * kKvHeads * kDim);
    }

    // Rows [first, first + count) of a pass over kRows tokens in a chain, or in a tree where row i sees
    // itself and row 0; those before `first` are in the cache already.
    Steps run(int first, int count, bool tree) {
        Steps steps;
        const Buffer ids = integers(first, count, 37), places = integers(kPrefix + first, count, 1);
        const Buffer x = empty(count, kHidden), normed = empty(count, kHidden), q = empty(count, kHeads * kDim);
        const Buffer k = empty(count, kKvHeads * kDim), v = empty(count, kKvHeads * kDim), mixed = empty(count, kHeads * kDim);
        const Buffer wide = empty(count, kFfn), logits = empty(count, kVocab), distributions = empty(count, kVocab);
        backend_.embed(embedding_.view(), ids.view(), x.view());
        keep(steps, "embed", x);
        backend_.add_norm(x.view(), {}, norm_.view(), 1e-6f, normed.view());
        keep(steps, "add_norm", normed);
        const Projection qkv[] = {{wq_.view(), {}, q.view()}, {wk_.view(), {}, k.view()}, {wv_.view(), {}, v.view()}};
        backend_.matmul(normed.view(), qkv);
        keep(steps, "matmul", q);
        backend_.rope_store(kShape, q.view(), k.view(), v.view(), {}, {}, 1e-6f, angles_.view(), places.view(), cache(), kPrefix + first);
        keep(steps, "rope_store", q);
        Buffer seen;
        if (tree) {
            std::vector<std::uint64_t> bits;
            for (int i = 0; i < count; ++i) bits.push_back(std::uint64_t{1} | std::uint64_t{1} << i);
            seen = Buffer(backend_, DType::i64, count, 1);
            backend_.upload(seen.view(), bits.data());
        }
        backend_.attention(kShape, q.view(), cache(), {.prefix = kPrefix + first, .first_slot = kPrefix + first, .ancestors = seen.view()},
                           mixed.view());
        keep(steps, "attention", mixed);
        backend_.matmul_swiglu(normed.view(), gate_.view(), up_.view(), wide.view());
        keep(steps, "matmul_swiglu", wide);
        const Projection head[] = {{embedding_.view(), {}, logits.view()}};
        backend_.matmul(normed.view(), head);
        backend_.softmax(logits.view(), 0.7f, distributions.view());
        keep(steps, "softmax", distributions);
        return steps;
    }

    // The rows of the chain as two texts of one cache in blocks: its first rows behind what was there, and one row behind nothing.
    // What attention gives them, and what it gives the first ones in their own cache.
    struct Paged {
        std::vector<float> together, alone;
    };
    Paged run_paged() {
        constexpr int kBlock = 16, kFirst = kRows - 1;
        const Buffer q = rows(kRows, kHeads * kDim), k = rows(kRows, kKvHeads * kDim), v = rows(kRows, kKvHeads * kDim);
        const Buffer places = integers({kPrefix, kPrefix + 1, kPrefix + 2, kPrefix + 3, 0});
        const Buffer q_alone = empty(kRows, kHeads * kDim), out = empty(kRows, kHeads * kDim), own = empty(kFirst, kHeads * kDim);
        backend_.copy(q.view(), q_alone.view());
        std::vector<int> blocks; // of the cache in blocks, in no order
        for (int i = 0; i < (kPrefix + kFirst + kBlock - 1) / kBlock; ++i) blocks.push_back(3 * i % 7);
        const Buffer pool_k(backend_, DType::f32, 8 * kBlock, kKvHeads * kDim), pool_v(backend_, DType::f32, 8 * kBlock, kKvHeads * kDim);
        for (int place = 0; place < kPrefix; ++place)
            for (const auto& [from, to] : {std::pair(&k_, &pool_k), std::pair(&v_, &pool_v)})
                backend_.copy(from->view().slice(place, 1),
                              to->view().slice(blocks[static_cast<std::size_t>(place / kBlock)] * kBlock + place % kBlock, 1));
        const int last[] = {7};
        const TextRows texts[] = {{.first_row = 0, .rows = kFirst, .prefix = kPrefix, .blocks = blocks, .ancestors = {}},
                                  {.first_row = kFirst, .rows = 1, .prefix = 0, .blocks = last, .ancestors = {}}};
        const PagedRows paged{.block = kBlock, .texts = texts};
        backend_.rope_store_paged(kShape, q.view(), k.view(), v.view(), {}, {}, 1e-6f, angles_.view(), places.view(),
                                  {pool_k.view(), pool_v.view()}, paged);
        backend_.attention_paged(kShape, q.view(), {pool_k.view(), pool_v.view()}, paged, out.view());
        const auto some = [](const Buffer& buffer) { return buffer.view().slice(0, kFirst); };
        backend_.rope_store(kShape, some(q_alone), some(k), some(v), {}, {}, 1e-6f, angles_.view(),
                            {places.view().data, DType::i32, 1, kFirst}, cache(), kPrefix);
        backend_.attention(kShape, some(q_alone), cache(), {.prefix = kPrefix, .first_slot = kPrefix, .ancestors = {}}, own.view());
        Steps steps;
        keep(steps, "", out);
        keep(steps, "", own);
        return {steps[0].second, steps[1].second};
    }

    void fill_cache() {
        k_ = Buffer(backend_, DType::f32, kPrefix + kRows, kKvHeads * kDim);
        v_ = Buffer(backend_, DType::f32, kPrefix + kRows, kKvHeads * kDim);
        backend_.upload(k_.view().slice(0, kPrefix), past_.data());
        backend_.upload(v_.view().slice(0, kPrefix), past_.data() + past_.size() / 2);
    }

  private:
    Buffer weight(std::int64_t n, std::int64_t cols) {
        std::vector<std::uint16_t> bits;
        for (const float value : numbers_.some(n * cols)) {
            std::uint32_t word = 0;
            std::memcpy(&word, &value, sizeof word);
            bits.push_back(static_cast<std::uint16_t>(word >> 16));
        }
        return backend_.import_weight(bits.data(), DType::bf16, n, cols);
    }
    Buffer rows(std::int64_t n, std::int64_t cols) { return backend_.import_weight(numbers_.some(n * cols).data(), DType::f32, n, cols); }
    Buffer empty(std::int64_t n, std::int64_t cols) { return {backend_, DType::f32, n, cols}; }
    Buffer integers(int first, int count, int step) {
        std::vector<std::int32_t> values;
        for (int i = 0; i < count; ++i) values.push_back((first + i) * step % kVocab);
        return integers(values);
    }
    Buffer integers(const std::vector<std::int32_t>& values) {
        Buffer buffer(backend_, DType::i32, 1, std::ssize(values));
        backend_.upload(buffer.view(), values.data());
        return buffer;
    }
    KvLayer cache() const { return {k_.view(), v_.view()}; }
    void keep(Steps& steps, const char* name, const Buffer& buffer) {
        steps.emplace_back(name, std::vector<float>(buffer.bytes() / sizeof(float)));
        backend_.download(buffer.view(), steps.back().second.data());
    }

    Backend& backend_;
    Numbers numbers_;
    Buffer embedding_, wq_, wk_, wv_, gate_, up_, norm_, angles_, k_, v_;
    std::vector<float> past_;
};

bool close(const std::vector<float>& a, const std::vector<float>& b) {
    float largest = 0;
    for (const float value : b) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!(std::abs(a[i] - b[i]) <= 1e-3f * largest)) return false; // NaN is not close
    return true;
}

std::string compare(Backend& device, Backend& cpu) {
    Layer tested(device), trusted(cpu);
    for (const bool tree : {false, true}) {
        tested.fill_cache();
        trusted.fill_cache();
        const Steps got = tested.run(0, kRows, tree), expected = trusted.run(0, kRows, tree);
        for (std::size_t i = 0; i < got.size(); ++i)
            if (!close(got[i].second, expected[i].second)) return std::string(got[i].first) + " computes something else than on the CPU";
        if (tree) continue;
        for (int row = 0; row < kRows; ++row) { // decoding must give the bits of verification
            const Steps alone = tested.run(row, 1, false);
            for (std::size_t i = 0; i < got.size(); ++i) {
                const std::size_t width = alone[i].second.size();
                if (std::memcmp(alone[i].second.data(), got[i].second.data() + static_cast<std::size_t>(row) * width,
                                width * sizeof(float)) != 0)
                    return std::string(got[i].first) + " gives a row other bits when it is alone";
            }
        }
    }
    if (!device.pages()) return "";
    const Layer::Paged got = tested.run_paged(), expected = trusted.run_paged();
    if (!close(got.together, expected.together)) return "attention_paged computes something else than on the CPU";
    if (std::memcmp(got.together.data(), got.alone.data(), got.alone.size() * sizeof(float)) != 0)
        return "attention_paged gives a row other bits than attention";
    return "";
}

} // namespace

std::string self_test(Backend& device, Backend& cpu) {
    try {
        return compare(device, cpu);
    } catch (const Error& error) {
        return error.what();
    }
}

} // namespace speclens
