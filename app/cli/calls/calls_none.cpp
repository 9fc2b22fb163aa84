#include "app/cli/calls/calls.h"

namespace speclens::cli {

Exit serve_calls() { throw Error("a page takes no calls", "Use the program: docs/python.md.", Exit::usage); }

} // namespace speclens::cli
