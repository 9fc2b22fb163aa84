// libFuzzer target: any text as a trace is read or refused with Error, and what was read can be folded,
// hashed and written again. How to build and run it: tests/fuzz.cmake.
#include <sstream>
#include <string>

#include "engine/run/run_view.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
    try {
        std::string notice;
        const auto trace = speclens::read_trace(in, "fuzz.jsonl", &notice);
        static_cast<void>(speclens::fold(*trace, trace->size()));
        static_cast<void>(trace->hash(trace->size()));
        speclens::TraceWriter writer(*trace);
        for (std::size_t i = 0; i < trace->size(); ++i) static_cast<void>(writer.line((*trace)[i]));
    } catch (const speclens::Error&) {
    }
    return 0;
}
