// Standard input, for std::cin: a read that waits for a pipe ends when the program is interrupted, as if the pipe had
// ended there. Who reads asks stop_if_interrupted() afterwards. A plain read would go on waiting where the signal came
// between the last look at it and the system call.
#pragma once

namespace speclens::cli {

// Once, at the start of main, before anything is read.
void prepare_input();
// Whether something of it, or its end, comes within so long.
[[nodiscard]] bool input_comes(int ms);

} // namespace speclens::cli
