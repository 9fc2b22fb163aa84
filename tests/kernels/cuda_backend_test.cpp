// The CUDA backend as an object, on the emulated device: errors, memory, launches collected and replayed.
#include <functional>
#include <set>

#include "kernels/cuda/cuda_backend.h"
#include "kernels/cuda/mma.cuh"
#include "kernels/error.h"
#include "kernels/self_test.h"
#include "kernels/simt/simt.h"
#include "tests/kernels/support.h"
#include "tests/shared/forwarding_backend.h"

namespace speclens::cuda {
namespace {

using test::Guarded, test::Numbers;

// The emulated device, put back as it was.
class CudaObject : public ::testing::Test {
  protected:
    void TearDown() override { simt::device = {}; }
    std::unique_ptr<Backend> make(bool graphs = true) {
        std::string why;
        return make_cuda_backend({.graphs = graphs, .tensor_cores = true}, why);
    }
    template <class Act>
    static void expect_error(const std::string& words, const Act& act) {
        try {
            act();
            ADD_FAILURE() << "no error; expected: " << words;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
            EXPECT_FALSE(error.remedy().empty());
            EXPECT_EQ(error.code(), Exit::device);
        }
    }
};

TEST_F(CudaObject, DescribesTheDevice) {
    const auto backend = make();
    EXPECT_EQ(backend->name(), "cuda");
    EXPECT_EQ(backend->description(), "CUDA · emulated · 1.0 GB");
    simt::device.major = 7;
    EXPECT_EQ(make()->description(), "CUDA · emulated · 1.0 GB · without tensor cores");
    simt::device.major = 12; // it compiles code for 7.5 itself, in which those kernels are empty
    simt::device.built_for = 75;
    EXPECT_EQ(make()->description(), "CUDA · emulated · 1.0 GB · without tensor cores");
    EXPECT_EQ(backend->free_memory(), simt::device.memory);
}

TEST_F(CudaObject, SaysWhyThereIsNone) {
    simt::device.fault = cudaErrorNoDevice;
    std::string why;
    EXPECT_EQ(make_cuda_backend({}, why), nullptr);
    EXPECT_EQ(why, "no CUDA-capable device is detected");
}

TEST_F(CudaObject, RefusesMoreMemoryThanThereIsAndGoesOn) {
    const auto backend = make();
    simt::device.memory = 8 << 20;
    expect_error("out of memory: need 16 MiB more on the GPU, 8 MiB are free", [&] { (void)backend->allocate(16 << 20); });
    void* small = backend->allocate(1 << 20);
    EXPECT_NE(small, nullptr);
    backend->release(small, 1 << 20);
    EXPECT_EQ(simt::device.used, 0u);
}

TEST_F(CudaObject, RefusesQuantisedWeightsByName) {
    const auto backend = make();
    for (const DType dtype : {DType::bf16, DType::f16, DType::f32}) EXPECT_TRUE(backend->keeps(dtype, 48));
    for (const DType dtype : {DType::q4_0, DType::q4_1, DType::q5_0, DType::q5_1, DType::q8_0, DType::q2_k, DType::q3_k, DType::q4_k,
                              DType::q5_k, DType::q6_k}) {
        EXPECT_FALSE(backend->keeps(dtype, 256)) << name_of(dtype);
        expect_error(std::string("the backend cuda cannot multiply with a matrix of 256 columns stored as ") + name_of(dtype),
                     [&] { (void)backend->allocate_weight(dtype, 16, 256); });
    }
    try {
        (void)backend->allocate_weight(DType::q4_k, 16, 256);
    } catch (const Error& error) {
        EXPECT_NE(error.remedy().find("--weights bf16"), std::string::npos);
    }
    EXPECT_EQ(simt::device.used, 0u);
}

// Tiles on one side only: the plain kernel multiplies with both.
TEST_F(CudaObject, GateAndUpMayBeStoredDifferently) {
    const auto backend = make();
    Numbers numbers(9);
    const test::Weights gate = test::make_weights(*backend, DType::bf16, 32, 64, numbers);
    const test::Weights up = test::make_weights(*backend, DType::bf16, 32, 64, numbers);
    ASSERT_TRUE(up.buffer.view().tiled);
    const Buffer wide = backend->import_weight(up.values.data(), DType::f32, 32, 64);
    const Guarded x(*backend, DType::f32, 3, 64, numbers.floats(3 * 64));
    const auto swiglu = [&](const Tensor& a, const Tensor& b) {
        const Guarded out(*backend, DType::f32, 3, 32);
        backend->matmul_swiglu(x, a, b, out);
        return out.floats();
    };
    const std::vector<float> alike = swiglu(gate.buffer.view(), up.buffer.view());
    const std::vector<double> want(alike.begin(), alike.end());
    EXPECT_TRUE(test::close(swiglu(gate.buffer.view(), wide.view()), want));
}

TEST_F(CudaObject, TurnsAFaultIntoAnErrorAndSurvivesItsOwnEnd) {
    const auto backend = make();
    const Buffer row(*backend, DType::f32, 1, 4);
    const float values[4] = {1, 2, 3, 4};
    backend->upload(row.view(), values);
    simt::device.fault = cudaErrorIllegalAddress; // from now on every call fails, as on a real device
    float back[4];
    expect_error("an illegal memory access was encountered", [&] { backend->download(row.view(), back); });
    expect_error("an illegal memory access", [&] { backend->sync(); });
    expect_error("an illegal memory access", [&] { (void)backend->allocate(64); });
}

// What a text needs is foretold with it.
TEST_F(CudaObject, ForetellsTheMemoryOfAttention) {
    const auto backend = make();
    const HeadShape shape{.heads = 4, .kv_heads = 2, .dim = 16};
    std::size_t known = 0;
    for (const int rows : {3, 40}) {
        const int context = 5 * rows;
        Buffer q(*backend, DType::f32, rows, 64), out(*backend, DType::f32, rows, 64);
        Buffer k(*backend, backend->cache_dtype(Precision::f32), context, 32),
            v(*backend, backend->cache_dtype(Precision::f32), context, 32);
        for (const Buffer* buffer : {&q, &k, &v}) {
            const std::vector<float> zeros(static_cast<std::size_t>(buffer->view().size()));
            backend->upload(buffer->view(), zeros.data());
        }
        const std::size_t before = simt::device.used;
        backend->attention(shape, q.view(), {k.view(), v.view()}, {.prefix = context - rows, .first_slot = context - rows, .ancestors = {}},
                           out.view());
        const std::size_t scratch = backend->attention_scratch(shape, rows, context);
        EXPECT_EQ(simt::device.used - before, scratch - known) << rows;
        known = scratch;
        backend->sync();
    }
    EXPECT_GT(known, 0u);
    EXPECT_EQ(make_cpu_backend({.threads = 1})->attention_scratch(shape, 40, 200), 0u);
}

// Medusa's heads have no attention of their own: its shape is all zeros, and nothing is divided by it.
TEST_F(CudaObject, NeedsNoScratchWithoutHeads) {
    EXPECT_EQ(make()->attention_scratch({.heads = 0, .kv_heads = 0, .dim = 0}, 512, 4096), 0u);
    EXPECT_EQ(make()->attention_scratch({.heads = 4, .kv_heads = 2, .dim = 16}, 512, 0), 0u);
}

// Where partial results have little room, rows of long texts go in several launches: nothing changes.
TEST_F(CudaObject, AttentionInSeveralLaunchesHasTheSameBits) {
    const HeadShape shape{.heads = 4, .kv_heads = 2, .dim = 16};
    constexpr int kPlaces = 90, kBlock = 16;
    const int prefixes[] = {70, 0, 40, 65}, rows[] = {9, 3, 30, 1};
    std::vector<std::vector<int>> blocks;
    std::vector<TextRows> texts;
    int total = 0;
    for (int i = 0; i < 4; ++i) {
        blocks.emplace_back();
        for (int block = 0; block * kBlock < prefixes[i] + rows[i]; ++block)
            blocks.back().push_back((7 * block + 3 * i) % (kPlaces / kBlock));
        texts.push_back({.first_row = total, .rows = rows[i], .prefix = prefixes[i], .blocks = blocks.back(), .ancestors = {}});
        total += rows[i];
    }
    const auto attend = [&](std::size_t bytes, bool paged) {
        std::string why;
        const auto backend = make_cuda_backend({.attention_bytes = bytes}, why);
        Numbers numbers(3);
        const Guarded q(*backend, DType::f32, total, 64, numbers.floats(total * 64));
        const Guarded k(*backend, DType::f32, kPlaces, 32, numbers.floats(kPlaces * 32)),
            v(*backend, DType::f32, kPlaces, 32, numbers.floats(kPlaces * 32));
        const Guarded out(*backend, DType::f32, total, 64);
        if (paged)
            backend->attention_paged(shape, q, {k, v}, {.block = kBlock, .texts = texts}, out);
        else
            backend->attention(shape, q, {k, v}, {.prefix = kPlaces - total, .first_slot = kPlaces - total, .ancestors = {}}, out);
        EXPECT_TRUE(out.guards_intact());
        return out.floats();
    };
    const std::size_t row = partial_bytes(shape, 79);
    for (const bool paged : {false, true}) {
        const std::vector<float> whole = attend(std::size_t{256} << 20, paged);
        for (const std::size_t bytes : {std::size_t{1}, row, 2 * row + 8, 5 * row, 20 * row})
            EXPECT_TRUE(test::same_bits(attend(bytes, paged), whole)) << bytes << (paged ? ", of blocks" : "");
    }
    const PagedRows pass{.block = kBlock, .texts = texts};
    EXPECT_EQ(PagedPass(shape, pass, std::size_t{256} << 20).launches().size(), 1u);
    EXPECT_EQ(PagedPass(shape, pass, 1).launches().size(), static_cast<std::size_t>(total)) << "a row at a time";
    for (const std::size_t bytes : {row, 5 * row, 20 * row}) {
        const PagedPass cut(shape, pass, bytes);
        EXPECT_LE(cut.scratch(), bytes);
        int next = 0;
        for (const PagedPass::Launch& launch : cut.launches()) {
            EXPECT_EQ(launch.first_row, next);
            next += launch.rows;
        }
        EXPECT_EQ(next, total);
    }
}

// The tables of a pass travel once for all of its layers, and again where anything in them changed.
TEST_F(CudaObject, ANewPassOverBlocksBringsItsOwnTables) {
    const auto backend = make();
    const HeadShape shape{.heads = 2, .kv_heads = 1, .dim = 8};
    Numbers numbers(4);
    const Guarded q(*backend, DType::f32, 3, 16, numbers.floats(3 * 16)), k(*backend, DType::f32, 96, 8, numbers.floats(96 * 8));
    const Guarded v(*backend, DType::f32, 96, 8, numbers.floats(96 * 8)), out(*backend, DType::f32, 3, 16);
    const auto attend = [&](std::vector<int> first, std::vector<int> second, int prefix) {
        const TextRows texts[] = {{.first_row = 0, .rows = 1, .prefix = prefix, .blocks = first, .ancestors = {}},
                                  {.first_row = 1, .rows = 2, .prefix = 20, .blocks = second, .ancestors = {}}};
        backend->attention_paged(shape, q, {k, v}, {.block = 16, .texts = texts}, out);
        return out.floats();
    };
    const std::vector<float> one = attend({0, 1}, {2, 3}, 17), same = attend({0, 1}, {2, 3}, 17);
    EXPECT_EQ(one, same);
    EXPECT_NE(attend({1, 0}, {2, 3}, 17), one);
    EXPECT_NE(attend({0, 1}, {2, 3}, 18), one);
    EXPECT_NE(attend({0, 1}, {2, 5}, 17), one);
    EXPECT_EQ(attend({0, 1}, {2, 3}, 17), one);
    EXPECT_EQ(attend({0, 1, 4}, {2, 3}, 17), one) << "a block that nobody looks at yet";
    { // lost on the way: they have to come again
        const std::vector<int> blocks[] = {{1, 0}, {2, 3}};
        const TextRows texts[] = {{.first_row = 0, .rows = 1, .prefix = 17, .blocks = blocks[0], .ancestors = {}},
                                  {.first_row = 1, .rows = 2, .prefix = 20, .blocks = blocks[1], .ancestors = {}}};
        const Buffer other(*backend, DType::f32, 1, 4);
        backend->attention_paged(shape, q, {k, v}, {.block = 16, .texts = texts}, out);
        simt::device.refusals = 1;
    }
    expect_error("out of memory", [&] { backend->sync(); });
    const std::vector<float> turned = attend({1, 0}, {2, 3}, 17);
    EXPECT_NE(turned, one);
    EXPECT_EQ(turned, attend({1, 0}, {2, 3}, 17));
}

TEST_F(CudaObject, GivesMemoryBackThatLaunchesStillUse) {
    const auto backend = make();
    const std::vector<float> values = Numbers(1).floats(256);
    Buffer to(*backend, DType::f32, 1, 256);
    {
        const Buffer from = backend->import_weight(values.data(), DType::f32, 1, 256);
        backend->copy(from.view(), to.view());
    } // the copy was only asked for, and its source goes away
    std::vector<float> back(256);
    backend->download(to.view(), back.data());
    EXPECT_EQ(back, values);
}

// No memory for a launch is no end of the device: only whoever wanted its results has to hear of it.
TEST_F(CudaObject, TellsOfLaunchesThatWereLostWhileMemoryWasGivenBack) {
    const auto backend = make();
    const std::vector<float> values = Numbers(1).floats(256);
    const Buffer to(*backend, DType::f32, 1, 256);
    std::vector<float> back(256);
    {
        const Buffer from = backend->import_weight(values.data(), DType::f32, 1, 256);
        backend->copy(from.view(), to.view());
        simt::device.refusals = 1;
    }
    expect_error("out of memory", [&] { backend->download(to.view(), back.data()); });
    const Buffer from = backend->import_weight(values.data(), DType::f32, 1, 256);
    backend->copy(from.view(), to.view());
    backend->download(to.view(), back.data());
    EXPECT_EQ(back, values);
}

// What was asked for between the loss and its telling reads memory that may be given back by then: it is dropped.
TEST_F(CudaObject, DropsWhatWasAskedForBeforeALossIsTold) {
    const auto backend = make();
    const std::vector<float> values = Numbers(1).floats(256), zeros(256);
    const Buffer to(*backend, DType::f32, 1, 256);
    backend->upload(to.view(), zeros.data());
    backend->sync();
    std::vector<float> back(256);
    {
        const Buffer from = backend->import_weight(values.data(), DType::f32, 1, 256);
        backend->copy(from.view(), to.view());
        simt::device.refusals = 1;
    }
    {
        const Buffer from(*backend, DType::f32, 1, 256);
        backend->upload(from.view(), values.data());
        backend->copy(from.view(), to.view());
    } // a second release, while nobody has heard of the first one's failure
    expect_error("out of memory", [&] { backend->download(to.view(), back.data()); });
    backend->download(to.view(), back.data());
    EXPECT_EQ(back, zeros);
}

// Three lists of the same kernels: the second becomes a graph, the third is replayed. `before` each is
// flushed.
void copy_in_three_lists(Backend& backend, const std::function<void(int list)>& before) {
    const std::vector<float> values = Numbers(1).floats(256);
    const Buffer from = backend.import_weight(values.data(), DType::f32, 1, 256);
    const Buffer to(backend, DType::f32, 1, 256);
    std::vector<float> back(256);
    for (int list = 1; list <= 3; ++list) {
        for (int i = 0; i < 12; ++i) backend.copy(from.view(), to.view());
        before(list);
        backend.download(to.view(), back.data());
        EXPECT_EQ(back, values) << list;
    }
}

TEST_F(CudaObject, WorksWithoutAGraphThatFindsNoMemory) {
    const auto backend = make();
    copy_in_three_lists(*backend, [](int list) {
        if (list == 2) simt::device.refusals = 1;
    });
    EXPECT_EQ(simt::device.refusals, 0);
}

// What a graph needs it has before it is relied on: when it is replayed nobody could do without it any more.
TEST_F(CudaObject, AGraphHasItsMemoryBeforeItIsReplayed) {
    const auto backend = make();
    copy_in_three_lists(*backend, [](int list) {
        if (list == 3) simt::device.refusals = 1; // the memory was given away since
    });
    EXPECT_EQ(simt::device.graph_launches, 1);
    EXPECT_EQ(simt::device.refusals, 1) << "nothing was asked for";
    simt::device.refusals = 0;
}

TEST_F(CudaObject, MovesDataOfEverySizeAndAlignment) {
    const auto backend = make();
    for (std::int64_t count : {1, 3, 255, 256, 257, 5000}) {
        std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + 1);
        const Guarded a(*backend, DType::u8, 1, count, bytes), b(*backend, DType::u8, 1, count);
        backend->copy(a, b);
        EXPECT_EQ(b.values<std::uint8_t>(), bytes);
        EXPECT_TRUE(a.guards_intact() && b.guards_intact());
    }
    // Overlapping rows are moved as if through a copy.
    std::vector<float> rows = Numbers(2).floats(6 * 40);
    const Guarded all(*backend, DType::f32, 6, 40, rows);
    backend->copy(all.view().slice(0, 5), all.view().slice(1, 5));
    std::vector<float> expected(rows.begin(), rows.begin() + 40);
    expected.insert(expected.end(), rows.begin(), rows.begin() + 200);
    EXPECT_EQ(all.floats(), expected);
}

TEST_F(CudaObject, KnowsTimes) {
    const auto backend = make();
    const TimeMark first = backend->mark(), second = backend->mark();
    EXPECT_GE(backend->elapsed_ms(first, second), 0);
    for (int i = 0; i < 1000; ++i) (void)backend->mark();
    EXPECT_GE(backend->elapsed_ms(first, second), 0);
    EXPECT_GT(backend->read_ms(backend->make_read_buffer(1 << 16).view()), 0);
}

// A backend with one operation that is wrong in a way that a driver or a compiler might make it.
class Wrong final : public test::ForwardingBackend {
  public:
    enum class Fault : std::uint8_t { none, swapped_rows, other_bits_alone, not_a_number, other_block, other_bits_in_blocks };
    Wrong(std::unique_ptr<Backend> right, Fault fault) : ForwardingBackend(std::move(right)), fault_(fault) {}
    void matmul(const Tensor& x, std::span<const Projection> parts) override {
        ForwardingBackend::matmul(x, parts);
        const Tensor out = parts[0].out;
        if (fault_ == Fault::swapped_rows && out.rows > 1) copy(out.slice(0, 1), out.slice(1, 1));
        if (fault_ == Fault::other_bits_alone && out.rows == 1) {
            std::vector<float> row(static_cast<std::size_t>(out.cols));
            download(out, row.data());
            row[3] = std::nextafter(row[3], 10.0f);
            upload(out, row.data());
        }
    }
    void softmax(const Tensor& logits, float temperature, const Tensor& out) override {
        ForwardingBackend::softmax(logits, temperature, out);
        if (fault_ != Fault::not_a_number) return;
        const std::vector<float> row(static_cast<std::size_t>(out.cols), std::nanf(""));
        upload(out.slice(0, 1), row.data());
    }

    void attention_paged(const HeadShape& shape, const Tensor& q, const KvLayer& cache, const PagedRows& rows, const Tensor& out) override {
        std::vector<TextRows> texts(rows.texts.begin(), rows.texts.end());
        std::vector<int> blocks(texts[0].blocks.begin(), texts[0].blocks.end());
        if (fault_ == Fault::other_block) std::swap(blocks[0], blocks[1]), blocks[2] = blocks[0];
        texts[0].blocks = blocks;
        ForwardingBackend::attention_paged(shape, q, cache, {.block = rows.block, .texts = texts}, out);
        if (fault_ != Fault::other_bits_in_blocks) return;
        std::vector<float> row(static_cast<std::size_t>(out.cols));
        download(out.slice(2, 1), row.data());
        row[1] = std::nextafter(row[1], 10.0f);
        upload(out.slice(2, 1), row.data());
    }

  private:
    Fault fault_;
};

TEST_F(CudaObject, IsTestedBeforeItIsTrusted) {
    const std::unique_ptr<Backend> cpu = make_cpu_backend({.threads = 1});
    const auto tested = [&](Wrong::Fault fault) {
        Wrong device(make(), fault);
        return self_test(device, *cpu);
    };
    EXPECT_EQ(tested(Wrong::Fault::none), "");
    EXPECT_EQ(tested(Wrong::Fault::swapped_rows), "matmul computes something else than on the CPU");
    EXPECT_EQ(tested(Wrong::Fault::other_bits_alone), "matmul gives a row other bits when it is alone");
    EXPECT_EQ(tested(Wrong::Fault::not_a_number), "softmax computes something else than on the CPU");
    EXPECT_EQ(tested(Wrong::Fault::other_block), "attention_paged computes something else than on the CPU");
    EXPECT_EQ(tested(Wrong::Fault::other_bits_in_blocks), "attention_paged gives a row other bits than attention");
    const std::unique_ptr<Backend> backend = make();
    simt::device.fault_after = 5;
    EXPECT_NE(self_test(*backend, *cpu).find("illegal memory access"), std::string::npos);
}

// ---- launches ----

// Ten launches whose arguments depend on `step`.
std::vector<float> ten_steps(Backend& backend, int step) {
    const Guarded row(backend, DType::f32, 1, 8, std::vector<float>(8, static_cast<float>(step)));
    const Guarded one(backend, DType::f32, 1, 8, std::vector<float>(8, 1.0f));
    for (int i = 0; i < 10; ++i) backend.add_norm(row, one, {}, 0, {});
    return row.floats();
}

TEST_F(CudaObject, ReplaysAKnownSequenceAsAGraphWithTheArgumentsOfToday) {
    const auto backend = make();
    for (int step = 0; step < 6; ++step) EXPECT_EQ(ten_steps(*backend, step), std::vector<float>(8, static_cast<float>(step + 10)));
    EXPECT_EQ(simt::device.graphs, 1);
    EXPECT_GE(simt::device.graph_launches, 4);
    EXPECT_GT(simt::device.node_updates, 0); // other buffers, other values
    const int updates = simt::device.node_updates;
    const auto plain = make(false);
    EXPECT_EQ(ten_steps(*plain, 3), std::vector<float>(8, 13.0f));
    EXPECT_EQ(simt::device.node_updates, updates);
}

// A prompt in many pieces asks for no result until its end.
TEST_F(CudaObject, StartsWorkBeforeAResultIsAskedFor) {
    const auto backend = make();
    const Guarded table(*backend, DType::f32, 4, 8, Numbers(5).floats(32));
    const Guarded ids(*backend, DType::i32, 1, 2, std::vector<std::int32_t>{1, 3}), out(*backend, DType::f32, 2, 8);
    const Guarded row(*backend, DType::f32, 1, 8, std::vector<float>(8, 0.0f));
    backend->sync();
    for (int i = 0; i < 80; ++i) backend->silu(row);
    EXPECT_EQ(simt::device.graph_launches, 0);
    const int before = simt::device.launches;
    backend->embed(table, ids, out);
    EXPECT_GE(simt::device.launches, before + 80);
}

TEST_F(CudaObject, KeepsOnlySoManyGraphs) {
    const auto backend = make();
    for (int round = 0; round < 3; ++round)
        for (int length = 8; length < 48; ++length) {
            const Guarded row(*backend, DType::f32, 1, 8, std::vector<float>(8, 0.0f));
            const Guarded one(*backend, DType::f32, 1, 8, std::vector<float>(8, 1.0f));
            for (int i = 0; i < length; ++i) backend->add_norm(row, one, {}, 0, {});
            EXPECT_EQ(row.floats(), std::vector<float>(8, static_cast<float>(length)));
        }
    EXPECT_GT(simt::device.graphs, 32);
}

TEST(CudaTiles, HoldEveryValueOnce) {
    std::set<std::int64_t> places;
    for (std::int64_t row = 0; row < 48; ++row)
        for (std::int64_t col = 0; col < 32; ++col) places.insert(index_in_tiles(row, col, 32));
    EXPECT_EQ(places.size(), 48u * 32);
    EXPECT_EQ(*places.begin(), 0);
    EXPECT_EQ(*places.rbegin(), 48 * 32 - 1);
    EXPECT_EQ(index_in_tiles(16, 0, 32), 16 * 32); // a slice of sixteen rows begins where its rows would
}

TEST(CudaTiles, SplitsAFloatIntoThreePartsWithoutLoss) {
    Numbers numbers(3);
    for (int i = 0; i < 20000; ++i) {
        const float value = std::ldexp(numbers.uniform(), static_cast<int>(numbers.bits() % 200) - 100);
        const Split s = split(value);
        double sum = 0;
        for (const unsigned part : s.parts) {
            EXPECT_EQ(part & 0xFFFFu, 0u);
            sum += static_cast<double>(__uint_as_float(part));
        }
        EXPECT_EQ(sum, static_cast<double>(value));
    }
    EXPECT_TRUE(std::isnan(__uint_as_float(split(__uint_as_float(0x7F800001u)).parts[0])));
    EXPECT_EQ(__uint_as_float(split(-INFINITY).parts[0]), -INFINITY);
    EXPECT_EQ(split(-INFINITY).parts[1], 0u);
}

// One row in every pass and at every place, through all widths of the tensor-core kernel.
TEST_F(CudaObject, ATiledProductGivesARowTheSameBitsInEveryPass) {
    const auto backend = make();
    for (const auto& [n, k] : {std::pair{48, 160}, std::pair{8224, 32}}) {
        Numbers numbers(4);
        const test::Weights w = test::make_weights(*backend, DType::bf16, n, k, numbers);
        const test::Weights up = test::make_weights(*backend, DType::bf16, 48, k, numbers);
        ASSERT_TRUE(w.buffer.view().tiled);
        const std::vector<float> rows = numbers.floats(70 * k);
        const auto product = [&](std::int64_t first, std::int64_t count) {
            const auto begin = rows.begin() + first * k;
            const Guarded x(*backend, DType::f32, count, k, std::vector<float>(begin, begin + count * k));
            const Guarded out(*backend, DType::f32, count, n), both(*backend, DType::f32, count, 48);
            const Projection parts[] = {{w.buffer.view(), {}, out}};
            backend->matmul(x, parts);
            backend->matmul_swiglu(x, up.buffer.view(), up.buffer.view(), both);
            std::vector<float> result;
            const std::vector<float> a = out.floats(), b = both.floats();
            for (std::int64_t i = 0; i < count; ++i) {
                result.insert(result.end(), a.begin() + i * n, a.begin() + (i + 1) * n);
                result.insert(result.end(), b.begin() + i * 48, b.begin() + (i + 1) * 48);
            }
            return result;
        };
        const std::vector<float> all = product(0, n > 1000 ? 20 : 70);
        const std::ptrdiff_t width = n + 48;
        for (const auto& [first, count] : {std::pair{0, 1}, std::pair{5, 1}, std::pair{3, 8}, std::pair{2, 16}, std::pair{1, 17}}) {
            const auto begin = all.begin() + first * width;
            EXPECT_TRUE(test::same_bits(product(first, count), {begin, begin + count * width}))
                << "n " << n << ", rows " << first << " to " << first + count;
        }
    }
}

} // namespace
} // namespace speclens::cuda
