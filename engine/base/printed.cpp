#include "engine/base/printed.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>

namespace speclens {

std::string printed(const char* format, ...) {
    std::array<char, 256> text;
    std::va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    const auto length = static_cast<std::size_t>(std::vsnprintf(text.data(), text.size(), format, list));
    std::string whole(text.data(), std::min(length, text.size() - 1));
    if (length > whole.size()) {
        whole.resize(length);
        std::vsnprintf(whole.data(), length + 1, format, again);
    }
    va_end(again);
    va_end(list);
    return whole;
}

} // namespace speclens
