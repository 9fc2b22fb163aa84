#include "kernels/error.h"

#include <cstdio>
#include <cstdlib>

namespace speclens {

void check_failed(const char* condition, const char* file, int line, const std::string& message) {
    std::fprintf(stderr, "speclens: internal error at %s:%d: %s\n  violated: %s\n", file, line, message.c_str(), condition);
    std::abort();
}

} // namespace speclens
