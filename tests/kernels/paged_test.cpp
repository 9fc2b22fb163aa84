// Several texts in one pass over a cache in blocks: every row has the bits of its text alone in a cache of its own, wherever
// the blocks lie, and what no text owns is not touched.
#include <algorithm>
#include <numeric>

#include "kernels/quant.h"
#include "tests/kernels/support.h"

namespace speclens::test {
namespace {

constexpr int kBlock = 16;

using Bits = std::vector<std::uint64_t>; // (rows, words)

// Row i sees itself and every third row before it.
Bits some_ancestors(int rows) {
    const int words = (rows + 63) / 64;
    Bits bits(static_cast<std::size_t>(rows * words));
    for (int row = 0; row < rows; ++row)
        for (int j = row % 3; j <= row; j += 3) bits[static_cast<std::size_t>(row * words + j / 64)] |= std::uint64_t{1} << (j % 64);
    return bits;
}

// A text with its keys and values at the positions 0 … prefix + rows.
struct Text {
    int prefix = 0, rows = 0;
    bool tree = false;
    std::vector<float> q, k, v;
    std::vector<int> blocks;
};

struct Batch {
    HeadShape shape;
    DType cache;
    int pool_blocks = 0;
    std::vector<Text> texts;
    std::vector<float> k, v; // of the pool: what no text owns is NaN

    Batch(HeadShape heads, DType type, std::vector<Text> members, std::uint64_t seed)
        : shape(heads), cache(type), texts(std::move(members)) {
        Numbers numbers(seed);
        for (Text& text : texts) {
            const std::int64_t slots = text.prefix + text.rows;
            text.q = numbers.floats(std::int64_t{text.rows} * q_cols(), -2, 2);
            text.k = numbers.floats(slots * kv_cols());
            text.v = numbers.floats(slots * kv_cols());
            if (cache == DType::f16)
                for (std::vector<float>* values : {&text.k, &text.v})
                    for (float& value : *values) value = widen_f16(narrow_f16(value));
            text.blocks.resize(static_cast<std::size_t>((slots + kBlock - 1) / kBlock));
            pool_blocks += static_cast<int>(text.blocks.size());
        }
        pool_blocks += 5;
        std::vector<int> order(static_cast<std::size_t>(pool_blocks));
        std::iota(order.begin(), order.end(), 0);
        for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[numbers.bits() % i]);
        std::size_t next = 0;
        k.assign(static_cast<std::size_t>(pool_blocks * kBlock * kv_cols()), std::nanf(""));
        v = k;
        for (Text& text : texts) {
            for (int& block : text.blocks) block = order[next++];
            for (int position = 0; position < text.prefix + text.rows; ++position) {
                const std::int64_t from = std::int64_t{position} * kv_cols(), to = slot_of(text, position) * kv_cols();
                std::copy_n(text.k.begin() + from, kv_cols(), k.begin() + to);
                std::copy_n(text.v.begin() + from, kv_cols(), v.begin() + to);
            }
        }
    }
    int q_cols() const { return shape.heads * shape.dim; }
    int kv_cols() const { return shape.kv_heads * shape.dim; }
    static std::int64_t slot_of(const Text& text, int position) {
        return std::int64_t{text.blocks[static_cast<std::size_t>(position / kBlock)]} * kBlock + position % kBlock;
    }
    std::unique_ptr<Guarded> stored(Backend& backend, const std::vector<float>& values) const {
        const std::int64_t rows = std::ssize(values) / kv_cols();
        if (cache == DType::f32) return std::make_unique<Guarded>(backend, cache, rows, kv_cols(), values);
        std::vector<std::uint16_t> bits;
        for (const float value : values) bits.push_back(std::isnan(value) ? 0xFFFF : narrow_f16(value));
        return std::make_unique<Guarded>(backend, cache, rows, kv_cols(), bits);
    }
};

// The texts of a batch as a pass has them. Ancestors live as long as this.
struct Laid {
    std::vector<std::unique_ptr<Guarded>> ancestors;
    std::vector<TextRows> rows;
    int total = 0;

    Laid(Backend& backend, const Batch& batch) {
        for (const Text& text : batch.texts) {
            TextRows one{.first_row = total, .rows = text.rows, .prefix = text.prefix, .blocks = text.blocks, .ancestors = {}};
            if (text.tree) {
                ancestors.push_back(
                    std::make_unique<Guarded>(backend, DType::i64, text.rows, (text.rows + 63) / 64, some_ancestors(text.rows)));
                one.ancestors = ancestors.back()->view();
            }
            total += text.rows;
            rows.push_back(one);
        }
    }
    [[nodiscard]] PagedRows view() const { return {.block = kBlock, .texts = rows}; }
};

std::vector<float> together(Backend& backend, const Batch& batch) {
    const Laid laid(backend, batch);
    std::vector<float> queries;
    for (const Text& text : batch.texts) queries.insert(queries.end(), text.q.begin(), text.q.end());
    const Guarded q(backend, DType::f32, laid.total, batch.q_cols(), queries), out(backend, DType::f32, laid.total, batch.q_cols());
    const auto k = batch.stored(backend, batch.k), v = batch.stored(backend, batch.v);
    backend.attention_paged(batch.shape, q, {*k, *v}, laid.view(), out);
    EXPECT_TRUE(out.guards_intact());
    return out.floats();
}

std::vector<float> alone(Backend& backend, const Batch& batch, const Text& text) {
    const Guarded q(backend, DType::f32, text.rows, batch.q_cols(), text.q), out(backend, DType::f32, text.rows, batch.q_cols());
    const auto k = batch.stored(backend, text.k), v = batch.stored(backend, text.v);
    AttentionMask mask = {.prefix = text.prefix, .first_slot = text.prefix, .ancestors = {}};
    std::unique_ptr<Guarded> ancestors;
    if (text.tree) {
        ancestors = std::make_unique<Guarded>(backend, DType::i64, text.rows, (text.rows + 63) / 64, some_ancestors(text.rows));
        mask.ancestors = ancestors->view();
    }
    backend.attention(batch.shape, q, {*k, *v}, mask, out);
    return out.floats();
}

void expect_rows_as_alone(Backend& backend, const Batch& batch) {
    const std::vector<float> got = together(backend, batch);
    auto at = got.begin();
    for (std::size_t i = 0; i < batch.texts.size(); ++i) {
        const std::vector<float> want = alone(backend, batch, batch.texts[i]);
        EXPECT_TRUE(same_bits<float>({at, at + std::ssize(want)}, want))
            << "text " << i << ": " << batch.texts[i].rows << " rows behind " << batch.texts[i].prefix;
        at += std::ssize(want);
    }
}

Text text_of(int prefix, int rows, bool tree = false) {
    Text text;
    text.prefix = prefix;
    text.rows = rows;
    text.tree = tree;
    return text;
}

template <class Check>
void on_every_paged_cache(const Check& check) {
    on_every_backend([&](Backend& backend) {
        ASSERT_TRUE(backend.pages());
        for (const DType cache : {DType::f32, DType::f16}) {
            if (cache != backend.cache_dtype(Precision::f32) && cache != backend.cache_dtype(Precision::bf16)) continue;
            SCOPED_TRACE(name_of(cache));
            check(backend, cache);
        }
    });
}

TEST(PagedAttention, EveryRowHasTheBitsOfItsTextAlone) {
    on_every_paged_cache([](Backend& backend, DType cache) {
        for (const HeadShape& shape : {HeadShape{9, 3, 64}, HeadShape{6, 2, 20}, HeadShape{1, 1, 48}})
            expect_rows_as_alone(backend, Batch(shape, cache,
                                                {text_of(0, 1), text_of(63, 5), text_of(64, 1), text_of(300, 5), text_of(700, 9, true),
                                                 text_of(16, 70), text_of(255, 2), text_of(17, 66, true), text_of(1100, 1)},
                                                11));
    });
}

// The way over parts of a long context, which several texts do not take.
TEST(PagedAttention, ATextAloneHasTheBitsOfAContiguousCache) {
    on_every_paged_cache([](Backend& backend, DType cache) {
        for (const int prefix : {0, 15, 16, 100, 255, 256, 1000, 2050})
            for (const int rows : {1, 5, 12, 40}) {
                expect_rows_as_alone(backend, Batch({6, 2, 48}, cache, {text_of(prefix, rows)}, 5));
                expect_rows_as_alone(backend, Batch({6, 2, 48}, cache, {text_of(prefix, rows, true)}, 6));
            }
    });
}

TEST(PagedAttention, TheNumberOfThreadsAndTheOrderOfTextsDoNotMatter) {
    for (const DType cache : {DType::f32, DType::f16}) {
        const std::vector<Text> texts = {text_of(40, 5), text_of(500, 1), text_of(3, 17), text_of(129, 5, true)};
        const Batch batch({9, 3, 64}, cache, texts, 3);
        const std::vector<float> want = together(*cpu_backend(choose_isa(), 1), batch);
        for (const int threads : {2, 3, 5})
            EXPECT_TRUE(same_bits(together(*cpu_backend(choose_isa(), threads), batch), want)) << threads << " threads";
        Batch turned = batch;
        std::ranges::reverse(turned.texts);
        expect_rows_as_alone(*cpu_backend(choose_isa(), 2), turned);
    }
}

// Two texts that begin alike see the same block.
TEST(PagedAttention, TextsMayShareBlocks) {
    on_every_paged_cache([](Backend& backend, DType cache) {
        Batch batch({6, 2, 32}, cache, {text_of(32, 3), text_of(32, 4)}, 8);
        Text& second = batch.texts[1];
        second.blocks[0] = batch.texts[0].blocks[0];
        std::copy_n(batch.texts[0].k.begin(), kBlock * batch.kv_cols(), second.k.begin());
        std::copy_n(batch.texts[0].v.begin(), kBlock * batch.kv_cols(), second.v.begin());
        expect_rows_as_alone(backend, batch);
    });
}

TEST(PagedRopeStore, WritesWhereTheBlocksSayAndNowhereElse) {
    on_every_paged_cache([](Backend& backend, DType cache) {
        const HeadShape shape{4, 2, 32};
        const Batch batch(shape, cache, {text_of(14, 5), text_of(0, 1), text_of(100, 37)}, 4);
        const Laid laid(backend, batch);
        Numbers numbers(9);
        const int positions_known = 200;
        const std::vector<float> q_values = numbers.floats(std::int64_t{laid.total} * batch.q_cols());
        const std::vector<float> k_values = numbers.floats(std::int64_t{laid.total} * batch.kv_cols());
        const std::vector<float> v_values = numbers.floats(std::int64_t{laid.total} * batch.kv_cols());
        const Guarded cos_sin(backend, DType::f32, positions_known, shape.dim, numbers.floats(std::int64_t{positions_known} * shape.dim));
        const Guarded norm(backend, DType::f32, 1, shape.dim, numbers.floats(shape.dim));
        std::vector<std::int32_t> positions;
        for (const Text& text : batch.texts)
            for (int i = 0; i < text.rows; ++i) positions.push_back(text.prefix + i);
        const Guarded at(backend, DType::i32, 1, laid.total, positions), k(backend, DType::f32, laid.total, batch.kv_cols(), k_values);
        const Guarded v(backend, DType::f32, laid.total, batch.kv_cols(), v_values);

        const Guarded q(backend, DType::f32, laid.total, batch.q_cols(), q_values);
        const auto pool_k = batch.stored(backend, batch.k), pool_v = batch.stored(backend, batch.v);
        backend.rope_store_paged(shape, q, k, v, norm, norm, 1e-6f, cos_sin, at, {*pool_k, *pool_v}, laid.view());

        const Guarded plain_q(backend, DType::f32, laid.total, batch.q_cols(), q_values);
        const std::vector<float> nothing(static_cast<std::size_t>(laid.total * batch.kv_cols()), 0.0f);
        const auto plain_k = batch.stored(backend, nothing), plain_v = batch.stored(backend, nothing);
        backend.rope_store(shape, plain_q, k, v, norm, norm, 1e-6f, cos_sin, at, {*plain_k, *plain_v}, 0);
        EXPECT_TRUE(same_bits(q.floats(), plain_q.floats()));
        for (const auto& [pool, plain, before] :
             {std::tuple(pool_k.get(), plain_k.get(), &batch.k), std::tuple(pool_v.get(), plain_v.get(), &batch.v)}) {
            const auto row_bytes = static_cast<std::size_t>(batch.kv_cols()) * bytes_of(cache);
            std::vector<std::uint8_t> want(pool->view().bytes()), got = want, wrote(plain->view().bytes());
            backend.download(batch.stored(backend, *before)->view(), want.data());
            backend.download(pool->view(), got.data());
            backend.download(plain->view(), wrote.data());
            std::size_t row = 0;
            for (const Text& text : batch.texts)
                for (int i = 0; i < text.rows; ++i, ++row)
                    std::copy_n(wrote.begin() + static_cast<std::ptrdiff_t>(row * row_bytes), row_bytes,
                                want.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(Batch::slot_of(text, text.prefix + i)) *
                                                                           row_bytes));
            EXPECT_EQ(got, want);
            EXPECT_TRUE(pool->guards_intact());
        }
    });
}

} // namespace
} // namespace speclens::test
