// Works that pause, and products that are made together.
#include <gtest/gtest.h>

#include <string>

#include "engine/batch/lockstep.h"
#include "tests/shared/test_backend.h"

namespace speclens {
namespace {

TEST(Fiber, GoesOnWhereItPaused) {
    Fiber first, second;
    std::string said;
    const auto work = [&](const char* name) {
        return [&said, name] {
            for (int i = 0; i < 3; ++i) {
                said += name;
                said += std::to_string(i);
                if (i < 2) Fiber::pause();
            }
        };
    };
    first.start(work("a"));
    second.start(work("b"));
    EXPECT_FALSE(first.ended());
    second.resume();
    first.resume();
    second.resume();
    first.resume();
    EXPECT_TRUE(first.ended() && second.ended());
    EXPECT_EQ(said, "a0b0b1a1b2a2");
    first.start([&] { said = "again"; });
    EXPECT_TRUE(first.ended());
    EXPECT_EQ(said, "again");
}

TEST(Fiber, HasAStackForWhatKernelsKeepOnIt) {
    Fiber fiber;
    double sum = 0;
    fiber.start([&] {
        volatile char cells[1 << 20];
        for (std::size_t i = 0; i < sizeof cells; i += 512) cells[i] = 1;
        for (std::size_t i = 0; i < sizeof cells; i += 512) sum += cells[i];
    });
    EXPECT_EQ(sum, 2048);
}

struct Products {
    std::unique_ptr<Backend> backend = test::test_backend(2);
    Buffer a = weight(48, 1), b = weight(32, 2);

    Buffer weight(int rows, int salt) {
        std::vector<float> values(static_cast<std::size_t>(rows * 24));
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>((i * 7 + static_cast<std::size_t>(salt)) % 13) - 6;
        return backend->import_weight(values.data(), DType::f32, rows, 24);
    }
    // What a work computes from its own rows: two products, the second of the first's output, and the gate of a network.
    std::vector<float> compute(int rows, int salt, bool swiglu) {
        std::vector<float> x(static_cast<std::size_t>(rows * 24));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((i * 5 + static_cast<std::size_t>(salt)) % 11) / 7;
        const Buffer in(*backend, DType::f32, rows, 24), out_a(*backend, DType::f32, rows, 48), out_b(*backend, DType::f32, rows, 32);
        backend->upload(in.view(), x.data());
        const Projection both[] = {{a.view(), {}, out_a.view()}, {b.view(), {}, out_b.view()}};
        backend->matmul(in.view(), both);
        if (swiglu) backend->matmul_swiglu(in.view(), b.view(), b.view(), out_b.view());
        std::vector<float> got(static_cast<std::size_t>(rows * 80));
        backend->download(out_a.view(), got.data());
        backend->download(out_b.view(), got.data() + rows * 48);
        return got;
    }
};

TEST(Lockstep, GivesEveryWorkWhatItComputesAlone) {
    Products products;
    Lockstep lockstep(*products.backend);
    std::vector<std::vector<float>> got(6), want;
    std::vector<std::function<void()>> works;
    for (int i = 0; i < 6; ++i) {
        want.push_back(products.compute(1 + i % 3, i, i != 2));
        works.push_back([&, i] { got[static_cast<std::size_t>(i)] = products.compute(1 + i % 3, i, i != 2); });
    }
    lockstep.run(works);
    EXPECT_EQ(got, want);
    EXPECT_EQ(lockstep.asked(), 11);
    EXPECT_EQ(lockstep.made(), 2) << "one for both projections of all, one for the gates of five";
    lockstep.run(works); // again, on the same stacks
    EXPECT_EQ(got, want);
    EXPECT_EQ(products.compute(2, 1, true), want[1]) << "outside of a run everything is as ever";
}

TEST(Lockstep, MoreRowsThanAPassHasAreSeveralProducts) {
    Products products;
    Lockstep lockstep(*products.backend);
    const int rows = products.backend->max_rows() / 2;
    std::vector<std::vector<float>> got(5), want;
    std::vector<std::function<void()>> works;
    for (int i = 0; i < 5; ++i) {
        want.push_back(products.compute(rows, i, false));
        works.push_back([&, i] { got[static_cast<std::size_t>(i)] = products.compute(rows, i, false); });
    }
    lockstep.run(works);
    EXPECT_EQ(got, want);
    EXPECT_EQ(lockstep.made(), 3);
}

TEST(Lockstep, AWorkApartIsNotInterrupted) {
    Products products;
    Lockstep lockstep(*products.backend);
    int inside = 0;
    std::vector<std::function<void()>> works;
    for (int i = 0; i < 3; ++i)
        works.push_back([&] {
            lockstep.apart([&] {
                EXPECT_EQ(inside++, 0);
                (void)products.compute(1, 0, true);
                --inside;
            });
        });
    lockstep.run(works);
    EXPECT_EQ(lockstep.made(), lockstep.asked());
}

TEST(Lockstep, WhatAWorkThrowsComesOutWhenAllHaveEnded) {
    Products products;
    Lockstep lockstep(*products.backend);
    int ended = 0;
    std::vector<std::function<void()>> works;
    for (int i = 0; i < 3; ++i)
        works.push_back([&, i] {
            (void)products.compute(1, i, false);
            if (i == 1) throw std::runtime_error("second");
            ++ended;
        });
    EXPECT_THROW(lockstep.run(works), std::runtime_error);
    EXPECT_EQ(ended, 2);
    works[1] = [&] { ++ended; };
    lockstep.run(works);
    EXPECT_EQ(ended, 5);
}

} // namespace
} // namespace speclens
