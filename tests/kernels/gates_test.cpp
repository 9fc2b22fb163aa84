// silu and gru against plain double-precision loops.
#include "tests/kernels/support.h"

namespace speclens::test {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(Silu, MatchesTheReferenceAndStaysFiniteFarOut) {
    on_every_backend([](Backend& backend) {
        for (int cols : {1, 7, 16, 33, 1000}) {
            SCOPED_TRACE(cols);
            Numbers numbers(5);
            std::vector<float> x = numbers.floats(3 * cols, -9, 9);
            x.front() = -300;
            x.back() = 300;
            const Guarded values(backend, DType::f32, 3, cols, x);
            backend.silu(values);
            std::vector<double> want;
            for (float v : x) want.push_back(static_cast<double>(v) * sigmoid(static_cast<double>(v)));
            EXPECT_TRUE(close(values.floats(), want));
            EXPECT_TRUE(values.guards_intact());
        }
    });
}

struct Step {
    std::vector<double> state, gates;
};

// The formula of Backend::gru, written out.
Step reference(const std::vector<float>& in, const std::vector<float>& hid, const std::vector<float>& state, std::size_t g) {
    Step step;
    step.gates.resize(in.size());
    for (std::size_t i = 0; i < state.size(); ++i) {
        const std::size_t at = i / g * 3 * g + i % g;
        const auto sum = [&](std::size_t gate, double factor) {
            return static_cast<double>(in[at + gate * g]) + factor * static_cast<double>(hid[at + gate * g]);
        };
        const double r = sigmoid(sum(0, 1)), z = sigmoid(sum(1, 1)), n = std::tanh(sum(2, r));
        step.gates[at] = r;
        step.gates[at + g] = z;
        step.gates[at + 2 * g] = n;
        step.state.push_back((1 - z) * n + z * static_cast<double>(state[i]));
    }
    return step;
}

TEST(Gru, MatchesTheReferenceOnUnroundWidths) {
    on_every_backend([](Backend& backend) {
        for (int g : {1, 5, 16, 24, 96, 333}) {
            for (int rows : {1, 3}) {
                SCOPED_TRACE("width " + std::to_string(g) + " rows " + std::to_string(rows));
                Numbers numbers(static_cast<std::uint64_t>(g));
                std::vector<float> in = numbers.floats(3 * g * rows, -4, 4);
                const std::vector<float> hid = numbers.floats(3 * g * rows, -4, 4);
                const std::vector<float> state = numbers.floats(g * rows);
                in.front() = 200; // saturated gates
                in.back() = -200;
                const Guarded i(backend, DType::f32, rows, 3 * g, in), h(backend, DType::f32, rows, 3 * g, hid);
                const Guarded s(backend, DType::f32, rows, g, state), out(backend, DType::f32, rows, g);
                const Guarded gates(backend, DType::f32, rows, 3 * g);
                const Step want = reference(in, hid, state, static_cast<std::size_t>(g));

                backend.gru(i, h, s, out, gates);
                EXPECT_TRUE(close(out.floats(), want.state));
                EXPECT_TRUE(close(gates.floats(), want.gates));
                EXPECT_TRUE(same_bits(s.floats(), state));
                EXPECT_TRUE(out.guards_intact());
                EXPECT_TRUE(gates.guards_intact());

                backend.gru(i, h, s, s, {}); // in place, gates not kept
                EXPECT_TRUE(same_bits(s.floats(), out.floats()));
            }
        }
    });
}

TEST(Gru, ANewStateOfAnOpenGateIsTheOldOne) {
    on_every_backend([](Backend& backend) {
        const Guarded in(backend, DType::f32, 1, 6, std::vector<float>{0, 0, 90, 90, 3, 3});
        const Guarded hid(backend, DType::f32, 1, 6, std::vector<float>(6, 0.0f));
        const Guarded state(backend, DType::f32, 1, 2, std::vector<float>{0.25f, -0.75f});
        backend.gru(in, hid, state, state, {});
        EXPECT_TRUE(close(state.floats(), {0.25, -0.75}));
    });
}

// In double precision, from a copy of x.
std::vector<double> convolved(const std::vector<float>& x, const std::vector<float>& base, const std::vector<float>& added, std::size_t h,
                              std::size_t first, std::size_t groups) {
    const std::size_t rows = x.size() / h, taps = base.size() / h, stride = added.size() / rows;
    std::vector<double> out(x.size(), 0.0);
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t c = 0; c < h; ++c)
            for (std::size_t t = 0; t < taps && t <= row; ++t)
                out[row * h + c] += (static_cast<double>(base[t * h + c]) +
                                     static_cast<double>(added[row * stride + first + t * groups + c * groups / h])) *
                                    static_cast<double>(x[(row - t) * h + c]);
    return out;
}

TEST(Convolve, MatchesTheReferenceForGroupsOfAnyWidth) {
    on_every_backend([](Backend& backend) {
        for (const auto& [size, groups] : {std::pair{1, 1}, {1, 40}, {4, 12}, {16, 3}, {16, 40}, {21, 5}, {37, 2}})
            for (const int taps : {1, 2, 3})
                for (const int rows : {1, 2, 9}) {
                    SCOPED_TRACE(std::to_string(size) + " columns in each of " + std::to_string(groups) + " groups, taps " +
                                 std::to_string(taps) + ", rows " + std::to_string(rows));
                    const int h = size * groups, first = taps * groups;
                    Numbers numbers(static_cast<std::uint64_t>(h));
                    const std::vector<float> values = numbers.floats(rows * h), kernel = numbers.floats(taps * h);
                    const std::vector<float> more = numbers.floats(rows * 2 * first);
                    const Guarded base(backend, DType::f32, taps, h, kernel), added(backend, DType::f32, rows, 2 * first, more);
                    for (const int from : {0, first}) { // of the two that a row brings along
                        const Guarded x(backend, DType::f32, rows, h, values);
                        backend.convolve(x, base, added, from, groups);
                        EXPECT_TRUE(close(x.floats(), convolved(values, kernel, more, static_cast<std::size_t>(h),
                                                                static_cast<std::size_t>(from), static_cast<std::size_t>(groups))));
                        EXPECT_TRUE(x.guards_intact());
                    }
                    EXPECT_TRUE(same_bits(base.floats(), kernel));
                    EXPECT_TRUE(same_bits(added.floats(), more));
                }
    });
}

// A row has the same bits whatever rows come behind it, and one with a kernel of (1, 0, …) is left as it is.
TEST(Convolve, ARowDoesNotSeeThoseBehindItAndTheFirstTapAloneChangesNothing) {
    on_every_backend([](Backend& backend) {
        const int h = 48, groups = 3, taps = 2, rows = 7;
        Numbers numbers(3);
        const std::vector<float> values = numbers.floats(rows * h), kernel = numbers.floats(taps * h);
        const std::vector<float> more = numbers.floats(rows * taps * groups);
        const Guarded base(backend, DType::f32, taps, h, kernel), added(backend, DType::f32, rows, taps * groups, more);
        const Guarded whole(backend, DType::f32, rows, h, values), part(backend, DType::f32, rows, h, values);
        backend.convolve(whole, base, added, 0, groups);
        backend.convolve(part.view().slice(0, 3), base, added.view().slice(0, 3), 0, groups);
        std::vector<float> all = whole.floats(), some = part.floats();
        all.resize(3 * h), some.resize(3 * h);
        EXPECT_TRUE(same_bits(all, some));

        std::vector<float> one(static_cast<std::size_t>(taps * h), 0.0f);
        std::fill_n(one.begin(), h, 1.0f);
        const Guarded same(backend, DType::f32, rows, h, values), identity(backend, DType::f32, taps, h, one);
        const Guarded nothing(backend, DType::f32, rows, taps * groups,
                              std::vector<float>(static_cast<std::size_t>(rows * taps * groups), 0.0f));
        backend.convolve(same, identity, nothing, 0, groups);
        EXPECT_TRUE(same_bits(same.floats(), values));
    });
}

TEST(RopeStore, WithoutQueriesStoresTheSameKeysAndValues) {
    on_every_backend([](Backend& backend) {
        const HeadShape shape{4, 2, 6};
        const int rows = 3, slots = 5, first_slot = 1;
        Numbers numbers(2);
        const std::vector<float> ks = numbers.floats(rows * 12), vs = numbers.floats(rows * 12);
        const Guarded q(backend, DType::f32, rows, 24, numbers.floats(rows * 24));
        const Guarded k(backend, DType::f32, rows, 12, ks), v(backend, DType::f32, rows, 12, vs);
        const Guarded norm(backend, DType::f32, 1, 6, numbers.floats(6));
        const Guarded angles(backend, DType::f32, 9, 6, numbers.floats(54));
        const Guarded positions(backend, DType::i32, 1, rows, std::vector<std::int32_t>{8, 0, 4});
        const auto store = [&](const Tensor& query) {
            const Guarded keys(backend, DType::f32, slots, 12), values(backend, DType::f32, slots, 12);
            backend.rope_store(shape, query, k, v, norm, norm, 1e-6f, angles, positions, {keys, values}, first_slot);
            std::vector<float> both = keys.floats();
            const std::vector<float> more = values.floats();
            both.insert(both.end(), more.begin(), more.end());
            return both;
        };
        EXPECT_TRUE(same_bits(store(q), store({})));
    });
}

} // namespace
} // namespace speclens::test
