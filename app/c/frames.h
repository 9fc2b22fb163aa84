// What libspeclens.so and the program that it starts say to each other, over the program's standard input and output.
// To the program: "NAME BYTES\n" and so many bytes, NAME "open", a command, or "stop" for the call that is running.
// From it, for each call: "KIND BYTES\n" and so many bytes, the last of them kEnd.
#pragma once

namespace speclens::calls {

// The program's only argument then. The number is that of these frames: a program of another version says that it does not know it.
inline constexpr const char* kArgument = "--calls=1";

inline constexpr const char *kOpen = "open", *kStop = "stop";

enum Kind : char {
    kText = 't',     // of standard output
    kNotice = 'n',   // a line of standard error
    kProgress = 'p', // done, total, unit and what, each ended by a 0
    kEnd = 'e'       // the exit code, what went wrong and what to try, each ended by a 0
};

} // namespace speclens::calls
