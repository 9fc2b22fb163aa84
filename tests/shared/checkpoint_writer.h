// Writes a checkpoint with given tensor names and shapes and made-up values: what the public families store,
// in miniature (assets/recipe/shapes.py writes the same layouts at their full size).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace speclens::test {

struct StoredShape {
    std::string name;
    std::vector<std::int64_t> shape;
};

// bf16 values in ±0.06, norms 1; `d2t` (i64) holds offsets so that row i stands for id 3i, `t2d` (bool) is
// all false, both also with a prefix.
inline void write_checkpoint(const std::filesystem::path& folder, const std::string& config, std::vector<StoredShape> tensors) {
    // the widest first and bytes last, so that everything stays aligned
    std::ranges::stable_partition(tensors, [](const StoredShape& tensor) { return tensor.name.ends_with("d2t"); });
    std::ranges::stable_partition(tensors, [](const StoredShape& tensor) { return !tensor.name.ends_with("t2d"); });
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "config.json") << config;
    std::string header, data;
    std::uint64_t seed = 1;
    for (const StoredShape& tensor : tensors) {
        std::int64_t size = 1;
        std::string shape;
        for (const std::int64_t length : tensor.shape) {
            size *= length;
            shape += (shape.empty() ? "" : ",") + std::to_string(length);
        }
        const std::size_t first = data.size();
        std::string dtype = "BF16";
        const auto put = [&](auto value) {
            char bytes[sizeof value];
            std::memcpy(bytes, &value, sizeof value);
            data.append(bytes, sizeof value);
        };
        for (std::int64_t i = 0; i < size; ++i) {
            if (tensor.name.ends_with("d2t")) {
                dtype = "I64";
                put(2 * i);
            } else if (tensor.name.ends_with("t2d")) {
                dtype = "BOOL";
                put(std::uint8_t{0});
            } else {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                const bool norm = tensor.name.find("norm") != std::string::npos;
                const float value = norm ? 1.0f : 0.06f * (static_cast<float>(seed >> 40) / static_cast<float>(1 << 23) - 1.0f);
                put(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16));
            }
        }
        header += (header.empty() ? "{" : ",") + ("\"" + tensor.name) + "\":{\"dtype\":\"" + dtype + "\",\"shape\":[" + shape +
                  "],\"data_offsets\":[" + std::to_string(first) + "," + std::to_string(data.size()) + "]}";
    }
    header += "}";
    header.resize((header.size() + 7) / 8 * 8, ' ');
    std::ofstream file(folder / "model.safetensors", std::ios::binary);
    const auto length = static_cast<std::uint64_t>(header.size());
    file.write(reinterpret_cast<const char*>(&length), 8);
    file.write(header.data(), static_cast<std::streamsize>(header.size()));
    file.write(data.data(), static_cast<std::streamsize>(data.size()));
}

} // namespace speclens::test
