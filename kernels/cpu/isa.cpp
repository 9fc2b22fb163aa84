#include "kernels/cpu/isa.h"

#include <cstdlib>
#include <string>

#include "kernels/cpu/highway_targets.h"
#include "kernels/error.h"

#include "hwy/highway.h"

#if HWY_ARCH_X86
#include <cpuid.h>
#endif
#if HWY_ARCH_X86 && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace speclens {

#if HWY_ARCH_X86
namespace {

struct Leaf {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};
Leaf features(unsigned subleaf) { // Intel's Software Developer's Manual, CPUID leaf 7
    Leaf leaf;
    if (__get_cpuid_max(0, nullptr) < 7) return leaf;
    __cpuid_count(7, 0, leaf.eax, leaf.ebx, leaf.ecx, leaf.edx);
    if (subleaf > leaf.eax) return {};
    if (subleaf > 0) __cpuid_count(7, subleaf, leaf.eax, leaf.ebx, leaf.ecx, leaf.edx);
    return leaf;
}
bool is_intel() {
    unsigned highest = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid(0, &highest, &ebx, &ecx, &edx) != 0 && ebx == signature_INTEL_ebx && ecx == signature_INTEL_ecx;
}
bool has_bit(unsigned word, int bit) { return (word >> bit & 1) != 0; }

// Tiles make the state of a thread larger by 8 KiB, so Linux gives them only to processes that ask
// (Documentation/arch/x86/xstate.rst).
bool may_use_tiles() {
#if defined(__linux__)
    constexpr int kRequestPermission = 0x1023, kTileData = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
    return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
    return false;
#endif
}

} // namespace
#endif

const char* name_of(Isa isa) {
    switch (isa) {
    case Isa::portable: return "portable";
    case Isa::avx2: return "avx2";
    case Isa::avx512: return "avx512";
    }
    return "?";
}

const char* title_of(Isa isa) {
    switch (isa) {
    case Isa::portable: return HWY_ARCH_X86 ? "portable (SSSE3)" : "portable";
    case Isa::avx2: return "AVX2";
    case Isa::avx512: return "AVX-512";
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

NarrowProducts narrow_products(Isa isa) {
#if HWY_ARCH_X86
    const Leaf first = features(0), second = features(1);
    if (isa == Isa::avx2) return {.vnni = has_bit(second.eax, 4)};
    if (isa == Isa::avx512) {
        static const bool tiles = has_bit(first.edx, 22) && has_bit(first.edx, 24) && may_use_tiles();
        return {.vnni = has_bit(first.ecx, 11), .bf16 = has_bit(second.eax, 5), .slow_bf16 = is_intel(), .amx_bf16 = tiles};
    }
#endif
    (void)isa;
    return {};
}

Isa choose_isa() {
    const std::vector<Isa> available = available_isas();
    if (available.empty()) {
        throw Error("this processor lacks SSSE3", "SpecLens needs an x86-64 processor from 2008 or later", Exit::device);
    }
    const char* wanted = std::getenv("SPECLENS_ISA");
    if (wanted == nullptr || *wanted == '\0') return available.back();

    std::string here;
    for (Isa isa : available) {
        if (std::string(wanted) == name_of(isa)) return isa;
        here += (here.empty() ? "" : ", ") + std::string(name_of(isa));
    }
    const bool known = std::string(wanted) == name_of(Isa::avx2) || std::string(wanted) == name_of(Isa::avx512) ||
                       std::string(wanted) == name_of(Isa::portable);
    throw Error("SPECLENS_ISA=" + std::string(wanted) +
                    (known ? ": this processor lacks that instruction set" : ": unknown instruction set"),
                "set it to one of: " + here + ", or unset it", Exit::device);
}

} // namespace speclens
