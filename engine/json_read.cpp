#include "engine/json_read.h"

#include <fstream>
#include <system_error>

namespace speclens {

std::string short_name(const std::filesystem::path& file) {
    const std::string folder = file.parent_path().filename().string();
    const std::string name = file.filename().string();
    return folder.empty() || folder == "." ? name : folder + "/" + name;
}

std::string read_text_file(const std::filesystem::path& file, std::size_t limit) {
    std::error_code failure;
    if (!std::filesystem::exists(file, failure))
        throw Error(short_name(file) + " does not exist",
                    "Check the path; the folder must hold this file.");
    if (!std::filesystem::is_regular_file(file, failure))
        throw Error(short_name(file) + " is not a file", "Check the path; a regular file is expected there.");
    const auto size = std::filesystem::file_size(file, failure);
    if (!failure && size > limit)
        throw Error(short_name(file) + " has " + std::to_string(size) + " bytes, more than the " +
                        std::to_string(limit) + " allowed for such a file",
                    "Is this the right file?");
    std::ifstream stream(file, std::ios::binary);
    std::string text(failure ? 0 : static_cast<std::size_t>(size), '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (failure || !stream)
        throw Error(short_name(file) + " cannot be read",
                    "Check the permissions of the file, or copy it again.");
    return text;
}

std::string read_at_most(std::istream& in, std::size_t limit, const std::string& name) {
    std::string text, block(std::size_t{1} << 16, '\0');
    while (in.read(block.data(), static_cast<std::streamsize>(block.size())), in.gcount() > 0) {
        text.append(block, 0, static_cast<std::size_t>(in.gcount()));
        if (text.size() > limit)
            throw Error(name + ": more than " + std::to_string(limit >> 20) + " MB",
                        "Is this the right file?");
    }
    if (in.bad()) throw Error(name + ": cannot be read", "Is it a readable file?");
    return text;
}

bool too_deep(std::string_view json_text) {
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < json_text.size(); ++i) {
        const char c = json_text[i];
        if (quoted && c == '\\')
            ++i;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '[' || c == '{') && ++depth > kDeepestJson)
            return true;
        else if (!quoted && (c == ']' || c == '}'))
            --depth;
    }
    return false;
}

Json parse_foreign_json(std::string_view text) {
    if (too_deep(text)) return Json::value_t::discarded;
    return Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
}

Json parse_json_object(std::string_view text, const std::string& name, const std::string& remedy) {
    if (too_deep(text))
        throw Error(name + ": nests deeper than " + std::to_string(kDeepestJson) + " levels", remedy);
    try {
        Json json = Json::parse(text.begin(), text.end());
        if (json.is_object()) return json;
    } catch (const Json::exception& failure) {
        // the library's text ends with the byte position and what was expected there
        std::string reason = failure.what();
        if (const auto end = reason.find("] "); end != std::string::npos) reason.erase(0, end + 2);
        throw Error(name + ": not valid JSON (" + reason + ")", remedy);
    }
    throw Error(name + ": the JSON text is not an object", remedy);
}

std::string shown(const Json& value) {
    // not dumped: printing recurses as deep as a hostile file nests
    if (value.is_array()) return "an array";
    if (value.is_object()) return "an object";
    std::string text = value.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
    if (text.size() > 40) text = text.substr(0, 37) + "...";
    return text;
}

} // namespace speclens
