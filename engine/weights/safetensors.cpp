#include "engine/weights/safetensors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <span>
#include <utility>

#include "engine/base/json_read.h"
#include "engine/weights/safetensors_header.h"

namespace speclens {

// One open file, or bytes in memory (then `descriptor` is -1).
struct Safetensors::File {
    File() = default;
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() {
        if (descriptor >= 0) close(descriptor);
    }
    // Copies to.size() bytes from byte `at` of the file on. Throws Error.
    void read(std::size_t at, std::span<std::byte> to) const;

    std::string name;
    int descriptor = -1;
    std::size_t size = 0; // when it was opened
    std::vector<std::byte> image;
};

namespace {

constexpr std::size_t kLargestIndex = 64'000'000;

[[noreturn]] void system_failure(const std::string& name) {
    const std::string reason = std::strerror(errno);
    throw Error(name + ": cannot be opened (" + reason + ")",
                "Check the path and the permissions; a model folder holds model.safetensors or its shards.");
}

} // namespace

void Safetensors::File::read(std::size_t at, std::span<std::byte> to) const {
    CHECK(at <= size && to.size() <= size - at, "a read outside the file");
    if (descriptor < 0) {
        std::copy_n(image.begin() + static_cast<std::ptrdiff_t>(at), to.size(), to.begin());
        return;
    }
    while (!to.empty()) {
        const ssize_t got = pread(descriptor, to.data(), to.size(), static_cast<off_t>(at));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            throw Error(name + ": cannot be read (" + std::strerror(errno) + ")",
                        "Check the disk or the network drive, then load the model again.");
        if (got == 0) // the end, before all that was there when the file was opened
            throw Error(name + ": became shorter while it was being loaded",
                        "Wait until the download or copy is complete, then load the model again.");
        at += static_cast<std::size_t>(got);
        to = to.subspan(static_cast<std::size_t>(got));
    }
}

Safetensors::Safetensors() = default;
Safetensors::Safetensors(Safetensors&&) noexcept = default;
Safetensors& Safetensors::operator=(Safetensors&&) noexcept = default;
Safetensors::~Safetensors() = default;

Safetensors Safetensors::open(const std::filesystem::path& path) {
    auto file = std::make_unique<File>();
    file->name = short_name(path);
    file->descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file->descriptor < 0) system_failure(file->name);
    struct stat status {};
    if (fstat(file->descriptor, &status) != 0) system_failure(file->name);
    if (!S_ISREG(status.st_mode)) throw wrong_path(path, "a file", "Give the path of a safetensors file.");
    file->size = static_cast<std::size_t>(status.st_size);
    Safetensors result;
    result.add(std::move(file));
    return result;
}

Safetensors Safetensors::parse(std::vector<std::byte> image, const std::string& name) {
    auto file = std::make_unique<File>();
    file->name = name;
    file->image = std::move(image);
    file->size = file->image.size();
    Safetensors result;
    result.add(std::move(file));
    return result;
}

void Safetensors::add(std::unique_ptr<File> file) {
    const int index = static_cast<int>(files_.size());
    std::byte start[kHeaderStart];
    const std::span available(start, std::min(file->size, kHeaderStart));
    file->read(0, available);
    std::string header(safetensors_header_length(available, file->size, file->name), '\0');
    file->read(kHeaderStart, std::as_writable_bytes(std::span(header)));
    for (auto& [name, tensor] : read_safetensors_header(header, file->size, file->name)) {
        tensor.file = index;
        const auto [at, added] = tensors_.emplace(name, tensor);
        if (!added)
            throw Error(file->name + ": tensor " + name + " is also in " + file_name(at->second),
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
        throw Error(
            short_name(single) + " does not exist, and no model.safetensors.index.json either",
            "Give a Hugging Face folder with safetensors weights; .bin weights must be converted first.");

    const Json json = parse_json_object(read_text_file(index, kLargestIndex), short_name(index), again);
    const auto map = json.find("weight_map");
    if (map == json.end() || !map->is_object() || map->empty())
        throw Error(short_name(index) + ": no weight_map", again);

    Safetensors result;
    std::map<std::string, int> shard_number;
    for (const auto& [tensor, shard] : map->items()) {
        const std::string name = shard.is_string() ? shard.get<std::string>() : "";
        // a shard is a plain file name: an index must not reach outside its folder
        if (name.empty() || name.find('/') != std::string::npos || name == "..")
            throw Error(short_name(index) + ": tensor " + tensor + " is mapped to " + shown(shard) +
                            ", which is not a file name",
                        again);
        if (shard_number.contains(name)) continue;
        if (!std::filesystem::exists(folder / name, failure))
            throw Error(short_name(index) + ": the shard " + name + " is missing", again);
        shard_number.emplace(name, static_cast<int>(result.files_.size()));
        Safetensors part = open(folder / name);
        const int number = static_cast<int>(result.files_.size());
        for (auto& [stored, description] : part.tensors_) {
            description.file = number;
            if (!result.tensors_.emplace(stored, description).second)
                throw Error(short_name(folder / name) + ": tensor " + stored + " is also in another shard",
                            again);
        }
        result.files_.push_back(std::move(part.files_.front()));
    }
    for (const auto& [tensor, shard] : map->items()) {
        const StoredTensor* found = result.find(tensor);
        if (found == nullptr || found->file != shard_number.at(shard.get<std::string>()))
            throw Error(short_name(index) + ": tensor " + tensor + " is not in " + shard.get<std::string>(),
                        again);
    }
    return result;
}

const StoredTensor* Safetensors::find(std::string_view name) const {
    const auto found = tensors_.find(name);
    return found == tensors_.end() ? nullptr : &found->second;
}

void Safetensors::read(const StoredTensor& tensor, std::size_t first, std::span<std::byte> to) const {
    CHECK(first <= tensor.bytes && to.size() <= tensor.bytes - first, "a read outside the tensor");
    files_[static_cast<std::size_t>(tensor.file)]->read(tensor.begin + first, to);
}

std::vector<std::byte> Safetensors::read(const StoredTensor& tensor) const {
    std::vector<std::byte> bytes(tensor.bytes);
    read(tensor, 0, bytes);
    return bytes;
}

const std::string& Safetensors::file_name(const StoredTensor& tensor) const {
    return files_[static_cast<std::size_t>(tensor.file)]->name;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
    std::string text = "(";
    for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
    return text + ")";
}

} // namespace speclens
