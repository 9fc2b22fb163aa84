#include "engine/model/precision.h"

#include "kernels/backend.h"

namespace speclens {

std::optional<Precision> find_precision(std::string_view name) {
    for (const Precision precision : {Precision::f32, Precision::bf16, Precision::int8})
        if (name == name_of(precision)) return precision;
    return std::nullopt;
}

std::string precision_words(Precision precision) { return std::string(name_of(precision)) + " products"; }

Precision default_precision(const Backend& backend) { return backend.has_products(Precision::bf16) ? Precision::bf16 : Precision::f32; }

} // namespace speclens
