// Writes GGUF files for the tests, right ones and broken ones.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/weights/gguf.h"
#include "kernels/backend.h"

namespace speclens::test {

// Numbers of the types of tensors, as in the file.
inline std::uint32_t gguf_number(DType dtype) {
    constexpr std::pair<DType, std::uint32_t> kNumbers[] = {
        {DType::f32, 0},   {DType::f16, 1},   {DType::q4_0, 2},  {DType::q4_1, 3},  {DType::q5_0, 6},  {DType::q5_1, 7}, {DType::q8_0, 8},
        {DType::q2_k, 10}, {DType::q3_k, 11}, {DType::q4_k, 12}, {DType::q5_k, 13}, {DType::q6_k, 14}, {DType::bf16, 30}};
    for (const auto& [type, number] : kNumbers)
        if (type == dtype) return number;
    return 99;
}

class GgufWriter {
  public:
    std::uint32_t version = 3;

    template <class Number>
    static void put(std::string& to, Number value) {
        to.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    static void put_text(std::string& to, std::string_view text) {
        put<std::uint64_t>(to, text.size());
        to += text;
    }

    // A value of the metadata: its kind by number, and its bytes.
    void raw(std::string_view key, std::uint32_t kind, std::string_view bytes) {
        std::string value;
        put_text(value, key);
        put(value, kind);
        value += bytes;
        metadata_.emplace_back(key, std::move(value));
    }
    // As if nobody had written that key.
    void forget(std::string_view key) {
        std::erase_if(metadata_, [&](const auto& written) { return written.first == key; });
    }
    template <class Number>
    void number(std::string_view key, std::uint32_t kind, Number value) {
        std::string bytes;
        put(bytes, value);
        raw(key, kind, bytes);
    }
    void u32(std::string_view key, std::uint32_t value) { number(key, 4, value); }
    void f32(std::string_view key, float value) { number(key, 6, value); }
    void flag(std::string_view key, bool value) { number<std::uint8_t>(key, 7, value ? 1 : 0); }
    void text(std::string_view key, std::string_view value) {
        std::string bytes;
        put_text(bytes, value);
        raw(key, 8, bytes);
    }
    void texts(std::string_view key, const std::vector<std::string>& values) {
        std::string bytes;
        put<std::uint32_t>(bytes, 8);
        put<std::uint64_t>(bytes, values.size());
        for (const std::string& value : values) put_text(bytes, value);
        raw(key, 9, bytes);
    }
    template <class Number>
    void array(std::string_view key, std::uint32_t kind, const std::vector<Number>& values) {
        std::string bytes;
        put(bytes, kind);
        put<std::uint64_t>(bytes, values.size());
        for (const Number value : values) put(bytes, value);
        raw(key, 9, bytes);
    }
    // `shape`: rows before columns.
    void tensor(const std::string& name, const std::vector<std::int64_t>& shape, DType dtype, std::span<const std::byte> bytes) {
        tensor(name, shape, gguf_number(dtype), bytes);
    }
    void tensor(const std::string& name, const std::vector<std::int64_t>& shape, std::uint32_t type, std::span<const std::byte> bytes) {
        put_text(tensors_, name);
        put<std::uint32_t>(tensors_, static_cast<std::uint32_t>(shape.size()));
        for (std::size_t i = shape.size(); i-- > 0;) put<std::uint64_t>(tensors_, static_cast<std::uint64_t>(shape[i]));
        put(tensors_, type);
        put<std::uint64_t>(tensors_, data_.size());
        data_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        data_.resize((data_.size() + 31) / 32 * 32, '\0');
        ++count_;
    }

    [[nodiscard]] std::string bytes() const {
        std::string file = "GGUF";
        put(file, version);
        put<std::uint64_t>(file, count_);
        put<std::uint64_t>(file, metadata_.size());
        for (const auto& [key, value] : metadata_) file += value;
        file += tensors_;
        file.resize((file.size() + 31) / 32 * 32, '\0');
        return file + data_;
    }
    void write(const std::filesystem::path& file) const { std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes(); }

  private:
    std::vector<std::pair<std::string, std::string>> metadata_; // keys, and all that is written of them
    std::string tensors_, data_;
    std::uint64_t count_ = 0;
};

inline Gguf parse_gguf(const std::string& text, const std::string& name = "toy/model.gguf") {
    std::vector<std::byte> image(text.size());
    if (!text.empty()) std::memcpy(image.data(), text.data(), text.size());
    return Gguf::parse(std::move(image), name);
}

} // namespace speclens::test
