#include "engine/weights/safetensors.h"

#include <algorithm>
#include <utility>

#include "engine/base/json_read.h"
#include "engine/weights/safetensors_header.h"

namespace speclens {
namespace {

constexpr std::size_t kLargestIndex = 64'000'000;

} // namespace

Safetensors Safetensors::open(const std::filesystem::path& path) {
    Safetensors result;
    result.add(std::make_unique<StoredFile>(path, "a safetensors file"));
    return result;
}

Safetensors Safetensors::parse(std::vector<std::byte> image, const std::string& name) {
    Safetensors result;
    result.add(std::make_unique<StoredFile>(std::move(image), name));
    return result;
}

void Safetensors::add(std::unique_ptr<StoredFile> file) {
    const int index = static_cast<int>(files_.size());
    std::byte start[kHeaderStart];
    const std::span available(start, std::min(file->size(), kHeaderStart));
    file->read(0, available);
    std::string header(safetensors_header_length(available, file->size(), file->name()), '\0');
    file->read(kHeaderStart, std::as_writable_bytes(std::span(header)));
    for (auto& [name, tensor] : read_safetensors_header(header, file->size(), file->name())) {
        tensor.file = index;
        const auto [at, added] = tensors_.emplace(name, tensor);
        if (!added)
            throw Error(file->name() + ": tensor " + name + " is also in " + file_name(at->second),
                        "The shards are from different exports: download the whole folder again.");
    }
    files_.push_back(std::move(file));
}

Safetensors Safetensors::open_folder(const std::filesystem::path& folder) {
    const auto single = folder / "model.safetensors";
    const auto index = folder / "model.safetensors.index.json";
    std::error_code failure;
    if (std::filesystem::exists(single, failure)) return open(single);
    const std::string again = "Download the folder again, all shards included.";
    if (!std::filesystem::exists(index, failure))
        throw Error(short_name(single) + " does not exist, and no model.safetensors.index.json either",
                    "Give a Hugging Face folder with safetensors weights; .bin weights must be converted first.");

    const Json json = parse_json_object(read_text_file(index, kLargestIndex), short_name(index), again);
    const auto map = json.find("weight_map");
    if (map == json.end() || !map->is_object() || map->empty()) throw Error(short_name(index) + ": no weight_map", again);

    Safetensors result;
    std::map<std::string, int> shard_number;
    for (const auto& [tensor, shard] : map->items()) {
        const std::string name = shard.is_string() ? shard.get<std::string>() : "";
        // a shard is a plain file name: an index must not reach outside its folder
        if (name.empty() || name.find('/') != std::string::npos || name == "..")
            throw Error(short_name(index) + ": tensor " + tensor + " is mapped to " + shown(shard) + ", which is not a file name", again);
        if (shard_number.contains(name)) continue;
        if (!std::filesystem::exists(folder / name, failure)) throw Error(short_name(index) + ": the shard " + name + " is missing", again);
        shard_number.emplace(name, static_cast<int>(result.files_.size()));
        Safetensors part = open(folder / name);
        const int number = static_cast<int>(result.files_.size());
        for (auto& [stored, description] : part.tensors_) {
            description.file = number;
            if (!result.tensors_.emplace(stored, description).second)
                throw Error(short_name(folder / name) + ": tensor " + stored + " is also in another shard", again);
        }
        result.files_.push_back(std::move(part.files_.front()));
    }
    for (const auto& [tensor, shard] : map->items()) {
        const StoredTensor* found = result.find(tensor);
        if (found == nullptr || found->file != shard_number.at(shard.get<std::string>()))
            throw Error(short_name(index) + ": tensor " + tensor + " is not in " + shard.get<std::string>(), again);
    }
    return result;
}

void Safetensors::read(const StoredTensor& tensor, std::size_t first, std::span<std::byte> to) const {
    CHECK(first <= tensor.bytes && to.size() <= tensor.bytes - first, "a read outside the tensor");
    files_[static_cast<std::size_t>(tensor.file)]->read(tensor.begin + first, to);
}

const std::string& Safetensors::file_name(const StoredTensor& tensor) const {
    return files_[static_cast<std::size_t>(tensor.file)]->name();
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
    std::string text = "(";
    for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
    return text + ")";
}

} // namespace speclens
