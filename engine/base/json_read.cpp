#include "engine/base/json_read.h"

#include <fstream>
#include <system_error>

namespace speclens {

std::string short_name(const std::filesystem::path& file) {
    const std::string folder = file.parent_path().filename().string();
    const std::string name = file.filename().string();
    return folder.empty() || folder == "." ? name : folder + "/" + name;
}

Error wrong_path(const std::filesystem::path& path, const std::string& expected, const std::string& remedy) {
    std::error_code failure;
    if (std::filesystem::exists(path, failure)) return {path.string() + " is not " + expected, remedy};
    if (failure) return {path.string() + " cannot be looked at (" + failure.message() + ")", remedy};
    const bool home = path.string().starts_with('~');
    return {path.string() + " does not exist",
            home ? "The shell does not expand ~ after =: write $HOME instead, or the whole path." : remedy};
}

std::string read_text_file(const std::filesystem::path& file, std::size_t limit) {
    std::error_code failure;
    if (!std::filesystem::is_regular_file(file, failure))
        throw wrong_path(file, "a file", "Check the path; a regular file is expected there.");
    const auto size = std::filesystem::file_size(file, failure);
    if (!failure && size > limit)
        throw Error(short_name(file) + " has " + std::to_string(size) + " bytes, more than the " + std::to_string(limit) +
                        " allowed for such a file",
                    "Is this the right file?");
    std::ifstream stream(file, std::ios::binary);
    std::string text(failure ? 0 : static_cast<std::size_t>(size), '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (failure || !stream) throw Error(short_name(file) + " cannot be read", "Check the permissions of the file, or copy it again.");
    return text;
}

std::string read_at_most(std::istream& in, std::size_t limit, const std::string& name) {
    std::string text, block(std::size_t{1} << 16, '\0');
    while (in.read(block.data(), static_cast<std::streamsize>(block.size())), in.gcount() > 0) {
        text.append(block, 0, static_cast<std::size_t>(in.gcount()));
        if (text.size() > limit) throw Error(name + ": more than " + std::to_string(limit >> 20) + " MB", "Is this the right file?");
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
    if (too_deep(text)) return Json::discarded();
    return Json::parse_or_discard(text);
}

Json parse_json_object(std::string_view text, const std::string& name, const std::string& remedy, EqualKeys equal,
                       const Progress& progress) {
    if (text.starts_with("version https://git-lfs")) throw lfs_pointer(name);
    if (too_deep(text)) throw Error(name + ": nests deeper than " + std::to_string(kDeepestJson) + " levels", remedy);
    try {
        std::string twice; // the first of them
        std::function<void(int, const std::string&)> note;
        if (equal == EqualKeys::refused)
            note = [&](int, const std::string& key) {
                if (twice.empty()) twice = shown(key);
            };
        Json json = Json::parse(text, note, progress);
        if (!twice.empty()) throw Error(name + ": has the key " + twice + " twice", remedy);
        if (json.is_object()) return json;
    } catch (const JsonError& failure) {
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
    std::string text = value.dump(-1, BadUtf8::replaced, /*ascii=*/true);
    if (text.size() > 40) text = text.substr(0, 37) + "...";
    return text;
}

Error lfs_pointer(const std::string& name) {
    return {name + ": is a Git LFS pointer, not the file itself", "Run git lfs pull in its folder, or download the file again."};
}

} // namespace speclens
