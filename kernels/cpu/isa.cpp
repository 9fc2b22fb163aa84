#include "kernels/cpu/isa.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "kernels/cpu/highway_targets.h"
#include "kernels/error.h"

#include "hwy/highway.h"

namespace speclens {

const char* name_of(Isa isa) {
    switch (isa) {
    case Isa::portable:
        return "portable";
    case Isa::avx2:
        return "avx2";
    case Isa::avx512:
        return "avx512";
    }
    return "?";
}

const char* title_of(Isa isa) {
    switch (isa) {
    case Isa::portable:
        return HWY_ARCH_X86 ? "portable (SSSE3)" : "portable";
    case Isa::avx2:
        return "AVX2";
    case Isa::avx512:
        return "AVX-512";
    }
    return "?";
}

std::vector<Isa> available_isas() {
    std::vector<Isa> found;
#if HWY_ARCH_X86
    const std::int64_t supported = hwy::SupportedTargets();
    if (supported & HWY_SSSE3) found.push_back(Isa::portable);
    if (supported & HWY_AVX2) found.push_back(Isa::avx2);
    if (supported & HWY_AVX3) found.push_back(Isa::avx512);
#else
    found.push_back(Isa::portable);
#endif
    return found;
}

Isa choose_isa() {
    const std::vector<Isa> available = available_isas();
    if (available.empty()) {
        throw Error("this processor lacks SSSE3", "SpecLens needs an x86-64 processor from 2008 or later",
                    Exit::device);
    }
    const char* wanted = std::getenv("SPECLENS_ISA");
    if (wanted == nullptr || *wanted == '\0') return available.back();

    std::string here;
    for (Isa isa : available) {
        if (std::string(wanted) == name_of(isa)) return isa;
        here += (here.empty() ? "" : ", ") + std::string(name_of(isa));
    }
    const bool known = std::string(wanted) == name_of(Isa::avx2) ||
                       std::string(wanted) == name_of(Isa::avx512) ||
                       std::string(wanted) == name_of(Isa::portable);
    throw Error("SPECLENS_ISA=" + std::string(wanted) +
                    (known ? ": this processor lacks that instruction set" : ": unknown instruction set"),
                "set it to one of: " + here + ", or unset it", Exit::device);
}

} // namespace speclens
