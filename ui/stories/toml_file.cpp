#include "ui/stories/toml_file.h"

#include <cstdint>
#include <fstream>
#include <sstream>
#include <system_error>

#include "kernels/error.h"

namespace speclens {

toml::table read_toml(const std::filesystem::path& file, const std::string& restore, const std::string& form) {
    constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 20;
    std::error_code failure;
    const std::uintmax_t size = std::filesystem::file_size(file, failure);
    std::ifstream in(file, std::ios::binary);
    if (failure || !in || size > kMostBytes) throw Error(file.string() + ": cannot be read", restore);
    std::stringstream content;
    content << in.rdbuf();
    try {
        return toml::parse(content.str(), file.string());
    } catch (const toml::parse_error& error) {
        throw Error(file.string() + " line " + std::to_string(error.source().begin.line) + ": " + std::string(error.description()), form);
    }
}

} // namespace speclens
