// In which precision a model multiplies: the words for it, and what is taken where nobody says.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kernels/backend.h"

namespace speclens {

// "f32", "bf16", "int8"; nullopt: another word.
[[nodiscard]] std::optional<Precision> find_precision(std::string_view name);

// "bf16 products"
[[nodiscard]] std::string precision_words(Precision precision);

// Of a model that is not built in: bf16 where the device has instructions for it, else f32.
[[nodiscard]] Precision usual_precision(const Backend& backend);

} // namespace speclens
