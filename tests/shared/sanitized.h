// Whether these tests are built with the address sanitizer: what it keeps of memory counts as the process's own. g++ says it by a
// macro, clang by a feature.
#pragma once

namespace speclens::test {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitizedAddresses = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool kSanitizedAddresses = true;
#else
inline constexpr bool kSanitizedAddresses = false;
#endif
#else
inline constexpr bool kSanitizedAddresses = false;
#endif

} // namespace speclens::test
