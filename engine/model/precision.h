// In which precision a model multiplies: the words for it, and what is taken where nobody says. And what its matrices become in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/types.h"

namespace speclens {

class Backend;

// "f32", "bf16", "int8"; nullopt: another word.
[[nodiscard]] std::optional<Precision> find_precision(std::string_view name);

// "bf16 products"
[[nodiscard]] std::string precision_words(Precision precision);

// Of a model that is not built in: bf16 where the device is quicker with it (Backend::has_products), else f32.
[[nodiscard]] Precision default_precision(const Backend& backend);

// How quantised matrices meet bf16: what a run of other kernels wrote may be another text. 2: numbers as they are, sums scaled
// (kernels/cpu/matmul_kept.cpp); before it they were widened to f32.
inline constexpr int kKeptKernels = 2;

// The form in which matrices are kept in memory. What is widened or narrowed is rounded once, when it is loaded.
enum class WeightForm : std::uint8_t {
    by_default, // quantised matrices as `keep` does, others of a GGUF file as bf16, a folder of safetensors as it is stored (f16 as f32,
                // exactly)
    bf16,       // bf16 everywhere
    keep,       // as stored: quantised matrices stay so where the backend multiplies with them (Backend::keeps), else they are bf16
    q8          // quantised to Q8_0, where the backend multiplies with it
};

} // namespace speclens
