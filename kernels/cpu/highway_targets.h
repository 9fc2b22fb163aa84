// Includes Highway with exactly the targets we ship, so that Highway 1.0 (Debian 12) and 1.2 (Debian 13)
// build the same three variants. On x86-64 the portable one is SSSE3: every x86-64 CPU since about 2008 has
// it, and it needs no scalar copy of each kernel. Elsewhere only the compiler's baseline (for example NEON)
// is built.
#pragma once

#if defined(__x86_64__)
// Highway's names are not defined yet, so the bits are spelled out: 3 to 7 are AVX-512 variants newer than
// the common server set (AVX3, bit 8), 11 is SSE4; bit 12 is SSSE3.
#define HWY_DISABLED_TARGETS ((0x1FLL << 3) | (1LL << 11))
#define HWY_BASELINE_TARGETS (1LL << 12)
#else
#define HWY_COMPILE_ONLY_STATIC
#endif
