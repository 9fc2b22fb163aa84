// GGUF heads for tests, as ggml's docs/gguf.md has them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace speclens::test {

template <typename T>
std::string gguf_raw(T value) { // little-endian, as this machine is
    return {reinterpret_cast<const char*>(&value), sizeof value};
}
inline std::string gguf_string(const std::string& value) { return gguf_raw(std::uint64_t{value.size()}) + value; }
inline std::string gguf_text(const std::string& key, const std::string& value) {
    return gguf_string(key) + gguf_raw(std::uint32_t{8}) + gguf_string(value);
}
inline std::string gguf_number(const std::string& key, std::uint32_t value) {
    return gguf_string(key) + gguf_raw(std::uint32_t{4}) + gguf_raw(value);
}
inline std::string gguf_tokens(int count) {
    std::string field = gguf_string("tokenizer.ggml.tokens") + gguf_raw(std::uint32_t{9}) + gguf_raw(std::uint32_t{8}) +
                        gguf_raw(static_cast<std::uint64_t>(count));
    for (int i = 0; i < count; ++i) field += gguf_string("token" + std::to_string(i));
    return field;
}
inline std::string gguf_file(const std::vector<std::string>& fields, std::uint32_t version = 3) {
    std::string bytes = "GGUF" + gguf_raw(version) + gguf_raw(std::uint64_t{2}) + gguf_raw(std::uint64_t{fields.size()});
    for (const std::string& field : fields) bytes += field;
    return bytes + std::string(1000, 'w'); // tensors
}
// general.file_type behind the tokens, where tools that quantise put it.
inline std::string tiny_gguf(const std::string& family = "llama", int tokens = 300, std::uint32_t hidden = 64,
                             std::uint32_t file_type = 3) {
    return gguf_file({gguf_text("general.architecture", family), gguf_number(family + ".embedding_length", hidden), gguf_tokens(tokens),
                      gguf_number("general.file_type", file_type)});
}

} // namespace speclens::test
