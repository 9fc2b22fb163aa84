// What ended a command, for whoever started it: the program, or a caller of the library (app/c).
#pragma once

#include <exception>
#include <string>

#include "kernels/error.h"

namespace speclens::cli {

struct Failure {
    std::string what, remedy; // empty remedy: none
    Exit code = Exit::ok;     // ok: nobody reads what it writes any more, which is no failure
};
[[nodiscard]] Failure failure_of(const std::exception_ptr& ended_by);

} // namespace speclens::cli
