// libFuzzer target: any text as tokenizer.json is read or refused with Error, and what was read can encode.
// How to build and run it: tests/fuzz.cmake.
#include "engine/text/tokenizer_parts.h"
#include "kernels/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const auto tokenizer = speclens::make_tokenizer(speclens::parse_tokenizer_json(text, "fuzz.json"));
        const auto ids = tokenizer->encode(text.substr(0, 200));
        static_cast<void>(tokenizer->decode(ids, true));
    } catch (const speclens::Error&) {
    }
    return 0;
}
