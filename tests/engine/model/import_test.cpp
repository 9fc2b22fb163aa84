// Importing weights in pieces: the same bits as in one go, and a cancel that is seen between two pieces.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>

#include "engine/model/weight_import.h"
#include "tests/shared/model_support.h"

namespace speclens {
namespace {

using namespace test;

constexpr std::int64_t kCols = 24;
constexpr std::size_t kPieceBytes = 2048; // a few tiles of the matrices below

std::vector<std::byte> numbers(std::size_t bytes) {
    std::vector<std::byte> all(bytes);
    for (std::size_t i = 0; i < bytes; ++i) all[i] = static_cast<std::byte>(i * 37 % 61); // no NaN in any dtype
    return all;
}

std::vector<std::byte> device_bytes(Backend& backend, const Buffer& buffer) {
    std::vector<std::byte> bytes(buffer.bytes());
    backend.download(buffer.view(), bytes.data());
    return bytes;
}

TEST(WeightImport, PiecesGiveTheBitsOfOneImport) {
    const auto backend = make_cpu_backend({.threads = 2});
    const Progress progress;
    for (const DType dtype : {DType::bf16, DType::f16, DType::f32})
        for (const std::int64_t rows : {std::int64_t{16}, std::int64_t{160}, std::int64_t{1008}, std::int64_t{150}}) {
            const auto stored = numbers(static_cast<std::size_t>(rows * kCols) * bytes_of(dtype));
            std::atomic<std::size_t> largest = 0;
            WeightImport importer(*backend, progress, Precision::f32, kPieceBytes);
            const Buffer pieces = importer.matrix(dtype, rows, kCols, [&](std::size_t first, std::span<std::byte> to) {
                for (std::size_t before = largest; before < to.size() && !largest.compare_exchange_weak(before, to.size());) {
                }
                std::copy_n(stored.begin() + static_cast<std::ptrdiff_t>(first), to.size(), to.begin());
            });
            const Buffer whole = backend->import_weight(stored.data(), dtype, rows, kCols);
            EXPECT_EQ(pieces.view().rows, rows);
            EXPECT_EQ(pieces.view().dtype, whole.view().dtype);
            EXPECT_EQ(pieces.view().tiled, whole.view().tiled);
            EXPECT_EQ(device_bytes(*backend, pieces), device_bytes(*backend, whole)) << name_of(dtype) << rows;
            EXPECT_TRUE(rows % kTiledRows != 0 || largest <= kPieceBytes) << largest;
        }
}

TEST(WeightImport, MatricesHaveThePrecisionThatWasAskedForAndVectorsAreNotMultiplied) {
    const auto backend = make_cpu_backend({.threads = 1});
    const Progress progress;
    const auto ones = [](std::size_t, std::span<std::byte> to) { std::ranges::fill(to, std::byte{1}); };
    for (const Precision precision : {Precision::f32, Precision::bf16, Precision::int8}) {
        WeightImport importer(*backend, progress, precision, kPieceBytes);
        for (const DType dtype : {DType::bf16, DType::f32, DType::q8_0})
            EXPECT_EQ(importer.matrix(dtype, 160, 64, ones).view().precision, precision) << name_of(dtype);
        EXPECT_EQ(importer.vector(DType::bf16, 64, ones).view().precision, Precision::f32);
    }
}

TEST(WeightImport, ACancelIsSeenBeforeTheNextPiece) {
    const auto backend = make_cpu_backend({.threads = 1});
    std::atomic<bool> cancelled = false;
    const Progress progress{.report = nullptr, .cancelled = &cancelled};
    WeightImport importer(*backend, progress, Precision::f32, kPieceBytes);
    int fills = 0;
    EXPECT_THROW(static_cast<void>(importer.matrix(DType::bf16, 1600, kCols,
                                                   [&](std::size_t, std::span<std::byte>) {
                                                       if (++fills == 2) cancelled = true;
                                                   })),
                 Cancelled);
    EXPECT_EQ(fills, 2);
}

// So the memory for it is bounded, however large the matrix is, and reading is everybody's work.
TEST(WeightImport, EveryThreadHoldsAPieceAndEveryRowIsReadOnce) {
    constexpr std::int64_t kMatrixRows = 5000;
    constexpr int kThreads = 3;
    const auto backend = make_cpu_backend({.threads = kThreads});
    std::mutex mutex;
    std::set<const std::byte*> held;
    std::size_t most = 0;
    std::vector<int> read(static_cast<std::size_t>(kMatrixRows));
    const Progress progress;
    WeightImport importer(*backend, progress, Precision::bf16, kPieceBytes);
    const std::size_t row = bytes_of(DType::q8_0, 64);
    static_cast<void>(importer.matrix(DType::q8_0, kMatrixRows, 64, [&](std::size_t first, std::span<std::byte> to) {
        const std::lock_guard lock(mutex);
        EXPECT_EQ(first % row, 0u);
        EXPECT_EQ(to.size() % row, 0u);
        EXPECT_LE(to.size(), kPieceBytes);
        for (std::size_t at = first / row; at < (first + to.size()) / row; ++at) ++read[at];
        held.insert(to.data());
        most = std::max(most, held.size());
        std::ranges::fill(to, std::byte{});
        held.erase(to.data());
    }));
    EXPECT_LE(most, static_cast<std::size_t>(kThreads));
    EXPECT_TRUE(std::ranges::all_of(read, [](int times) { return times == 1; }));
}

TEST(WeightImport, WhatReadingThrowsIsThrownByWhoeverImports) {
    const auto backend = make_cpu_backend({.threads = 3});
    const std::size_t before = backend->held_memory();
    const Progress progress;
    WeightImport importer(*backend, progress, Precision::f32, kPieceBytes);
    EXPECT_THROW(static_cast<void>(importer.matrix(DType::bf16, 1600, kCols,
                                                   [&](std::size_t first, std::span<std::byte>) {
                                                       if (first >= 800 * kCols) throw Error("cut", "Load it again.");
                                                   })),
                 Error);
    EXPECT_EQ(backend->held_memory(), before) << "nothing of it stays";
}

TEST(WeightImport, OnlyTheCallerIsToldHowFarItIs) {
    const auto backend = make_cpu_backend({.threads = 3});
    double last = 0;
    const auto caller = std::this_thread::get_id();
    const Progress progress{.report = [&](const std::string& what, double done, double total, const std::string&) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        EXPECT_EQ(what, "toy");
        EXPECT_GE(done, last);
        EXPECT_LE(done, total);
        last = done;
    }};
    constexpr std::int64_t kManyRows = 1 << 19;
    const std::size_t bytes = kManyRows * kCols * 2;
    WeightImport importer(*backend, progress, Precision::f32);
    importer.tell("toy", bytes);
    Buffer to;
    WeightBytes count;
    importer.slot(
        {"toy", kManyRows, kCols, false, true, &to}, DType::bf16,
        [](std::size_t, std::span<std::byte> piece) { std::ranges::fill(piece, std::byte{}); }, count);
    EXPECT_DOUBLE_EQ(last, static_cast<double>(bytes) / 1e6);
    EXPECT_EQ(count.all, bytes);
}

TEST(WeightImport, AHugeEmbeddingIsDividedASmallOneIsNot) {
    const std::size_t row_bytes = 4000 * 2;
    const std::int64_t together = rows_per_piece(150'000, row_bytes, kImportBytes);
    EXPECT_LE(static_cast<std::size_t>(together) * row_bytes, kImportBytes);
    EXPECT_EQ(together % kTiledRows, 0);
    EXPECT_EQ(rows_per_piece(4096, 384, kImportBytes), 4096);
    EXPECT_EQ(rows_per_piece(32, 2 * kImportBytes, kImportBytes), kTiledRows); // one tile at least
}

} // namespace
} // namespace speclens
