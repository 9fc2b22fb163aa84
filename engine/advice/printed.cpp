#include "engine/advice/printed.h"

#include <cstdarg>
#include <cstdio>

namespace speclens {

std::string printed(const char* format, ...) {
    char text[400];
    std::va_list list;
    va_start(list, format);
    std::vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return text;
}

} // namespace speclens
