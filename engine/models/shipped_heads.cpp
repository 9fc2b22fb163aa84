#include "engine/models/shipped_heads.h"

#include <algorithm>
#include <system_error>
#include <vector>

#include "engine/base/json_read.h"
#include "engine/drafters/drafter_info.h"

namespace speclens {
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLargestRecord = std::size_t{1} << 20;

std::string fingerprint_in(const fs::path& file, const char* remedy) {
    const Json record = parse_json_object(read_text_file(file, kLargestRecord), short_name(file), remedy);
    const auto said = record.find(kTrainedOn);
    return said != record.end() && said->is_string() ? said->get<std::string>() : "";
}

} // namespace

std::string trained_on(const fs::path& folder) {
    return fingerprint_in(folder / "config.json", "Compare config.json with the published one.");
}

ShippedHeads heads_in(const fs::path& folder) {
    ShippedHeads heads;
    std::error_code failure;
    for (const DrafterInfo& info : drafter_list())
        if (info.needs_network() && fs::exists(folder / info.name / "config.json", failure))
            heads.networks.emplace(info.name, folder / info.name);
    if (fs::exists(folder / "small", failure)) heads.draft = folder / "small";
    return heads;
}

ShippedHeads shipped_heads(const fs::path& models, const std::string& fingerprint) {
    std::vector<fs::path> folders;
    std::error_code failure;
    for (fs::directory_iterator at(models, failure), end; !failure && at != end; at.increment(failure))
        if (at->is_directory(failure)) folders.push_back(at->path());
    std::ranges::sort(folders); // of two that name it the first, on every disk
    for (const fs::path& folder : folders) {
        const fs::path manifest = folder / "MANIFEST.json";
        if (fs::is_regular_file(manifest, failure) && fingerprint_in(manifest, "Restore it from the repository.") == fingerprint)
            return heads_in(folder);
    }
    return {};
}

} // namespace speclens
