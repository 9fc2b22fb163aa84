// Helpers of the kernel tests: the backends under test, seeded numbers, tensors
// with guard rows around them, and the comparison with a double-precision reference.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/backend.h"
#include "kernels/cpu/isa.h"

namespace speclens::test {

// SPECLENS_ISA for the lifetime of this object.
class ForcedIsa {
  public:
    explicit ForcedIsa(const std::string& name) {
        if (const char* before = std::getenv("SPECLENS_ISA")) before_ = before;
        setenv("SPECLENS_ISA", name.c_str(), 1);
    }
    ~ForcedIsa() {
        if (before_.empty()) {
            unsetenv("SPECLENS_ISA");
        } else {
            setenv("SPECLENS_ISA", before_.c_str(), 1);
        }
    }
    ForcedIsa(const ForcedIsa&) = delete;
    ForcedIsa& operator=(const ForcedIsa&) = delete;

  private:
    std::string before_;
};

inline std::unique_ptr<Backend> cpu_backend(Isa isa, int threads = 2) {
    const ForcedIsa forced(name_of(isa));
    return make_cpu_backend({.threads = threads});
}

// A way to make a backend: an instruction set of the CPU, or a device with and without its fast kernels.
struct Maker {
    std::string name;
    std::function<std::unique_ptr<Backend>()> make;
};

// The backends under test: the CPU with every instruction set of this machine, unless the executable chose
// others before the tests start (cuda_emulated.cpp, cuda_device.cpp).
inline std::function<std::vector<Maker>()> backend_makers = [] {
    std::vector<Maker> makers;
    for (Isa isa : available_isas()) makers.push_back({std::string("SPECLENS_ISA=") + name_of(isa), [isa] { return cpu_backend(isa); }});
    return makers;
};

template <class Check>
void on_every_backend(const Check& check) {
    for (const Maker& maker : backend_makers()) {
        SCOPED_TRACE(maker.name);
        const std::unique_ptr<Backend> backend = maker.make();
        check(*backend);
    }
}

// Seeded numbers that are the same on every platform (splitmix64).
class Numbers {
  public:
    explicit Numbers(std::uint64_t seed) : state_(seed) {}
    std::uint64_t bits() {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    float uniform(float low = -1, float high = 1) { return low + (high - low) * static_cast<float>(bits() >> 40) * 0x1p-24f; }
    std::vector<float> floats(std::int64_t count, float low = -1, float high = 1) {
        std::vector<float> values(static_cast<std::size_t>(count));
        for (float& value : values) value = uniform(low, high);
        return values;
    }

  private:
    std::uint64_t state_;
};

inline std::uint16_t to_bf16(float value) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}
inline float from_bf16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

// A device tensor between two guard rows, so that a write outside it is noticed.
class Guarded {
  public:
    Guarded(Backend& backend, DType dtype, std::int64_t rows, std::int64_t cols)
        : backend_(backend), buffer_(backend, dtype, rows + 2, cols) {
        std::vector<std::uint8_t> fill(buffer_.bytes(), kGuard);
        backend.upload(buffer_.view(), fill.data());
    }
    template <class T>
    Guarded(Backend& backend, DType dtype, std::int64_t rows, std::int64_t cols, const std::vector<T>& values)
        : Guarded(backend, dtype, rows, cols) {
        EXPECT_EQ(values.size() * sizeof(T), view().bytes());
        backend.upload(view(), values.data());
    }
    Tensor view() const { return buffer_.view().slice(1, buffer_.view().rows - 2); }
    operator Tensor() const { return view(); } // NOLINT: tests read better without .view()

    template <class T>
    std::vector<T> values() const {
        std::vector<T> result(view().bytes() / sizeof(T));
        backend_.download(view(), result.data());
        return result;
    }
    std::vector<float> floats() const { return values<float>(); }

    ::testing::AssertionResult guards_intact() const {
        const Tensor all = buffer_.view();
        for (std::int64_t row : {std::int64_t{0}, all.rows - 1}) {
            const Tensor guard = all.slice(row, 1);
            std::vector<std::uint8_t> bytes(guard.bytes());
            backend_.download(guard, bytes.data());
            for (std::size_t i = 0; i < bytes.size(); ++i) {
                if (bytes[i] != kGuard) {
                    return ::testing::AssertionFailure()
                           << (row == 0 ? "row before" : "row after") << " the tensor was overwritten at byte " << i;
                }
            }
        }
        return ::testing::AssertionSuccess();
    }

  private:
    static constexpr std::uint8_t kGuard = 0x5E;
    Backend& backend_;
    Buffer buffer_;
};

// A weight matrix in bf16 or f32 and the values the kernel really sees.
struct Weights {
    Buffer buffer;
    std::vector<float> values;
};

inline Weights make_weights(Backend& backend, DType dtype, std::int64_t rows, std::int64_t cols, Numbers& numbers) {
    Weights weights;
    weights.values = numbers.floats(rows * cols);
    if (dtype == DType::f32) {
        weights.buffer = backend.import_weight(weights.values.data(), dtype, rows, cols);
        return weights;
    }
    std::vector<std::uint16_t> bits;
    for (float& value : weights.values) {
        bits.push_back(to_bf16(value));
        value = from_bf16(bits.back());
    }
    weights.buffer = backend.import_weight(bits.data(), DType::bf16, rows, cols);
    return weights;
}

struct Tolerance {
    double absolute = 1e-5;
    double relative = 1e-5;
    double normalised_mse = 1e-11; // Σ (a − b)² / Σ b²
};

// |a − b| <= absolute + relative |b| everywhere, a small normalised mean square error, and no NaN.
inline ::testing::AssertionResult close(const std::vector<float>& got, const std::vector<double>& want, const Tolerance& tolerance = {}) {
    if (got.size() != want.size()) {
        return ::testing::AssertionFailure() << got.size() << " values, expected " << want.size();
    }
    double worst = 0, error = 0, energy = 0;
    std::size_t where = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (!std::isfinite(got[i])) return ::testing::AssertionFailure() << "value " << i << " is " << got[i];
        const double difference = std::abs(got[i] - want[i]);
        const double excess = difference / (tolerance.absolute + tolerance.relative * std::abs(want[i]));
        if (excess > worst) {
            worst = excess;
            where = i;
        }
        error += difference * difference;
        energy += want[i] * want[i];
    }
    const double mse = error / std::max(energy, 1e-30);
    if (worst > 1 || mse > tolerance.normalised_mse) {
        return ::testing::AssertionFailure() << "worst at index " << where << ": got " << got[where] << ", expected " << want[where] << ", "
                                             << worst << " times the tolerance; normalised MSE " << mse;
    }
    return ::testing::AssertionSuccess();
}

// Equal to the last bit (so 0 and −0 differ).
template <class T>
::testing::AssertionResult same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    if (a.size() != b.size()) return ::testing::AssertionFailure() << a.size() << " and " << b.size() << " values";
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (std::memcmp(&a[i], &b[i], sizeof(T)) != 0) {
            return ::testing::AssertionFailure() << "first difference at index " << i << ": " << a[i] << " and " << b[i];
        }
    }
    return ::testing::AssertionSuccess();
}

} // namespace speclens::test
