#include "app/frame/file_kind.h"

#include <array>
#include <fstream>
#include <string_view>

namespace speclens {
namespace {

struct Known {
    std::string_view begins, what;
    std::size_t at = 0; // bytes before that
};

constexpr std::array kKnown = {
    Known{"\x89PNG\r\n\x1A\n", "a PNG picture"},
    Known{"\xFF\xD8\xFF", "a JPEG picture"},
    Known{"GIF8", "a GIF picture"},
    Known{"WEBP", "a WebP picture", 8},
    Known{"%PDF-", "a PDF document"},
    Known{"PK\x03\x04", "a ZIP archive, as documents and packages are"},
    Known{"\x1F\x8B", "compressed with gzip"},
    Known{"\xFD"
          "7zXZ",
          "compressed with xz"},
    Known{"\x28\xB5\x2F\xFD", "compressed with zstd"},
    Known{"BZh", "compressed with bzip2"},
    Known{"ustar", "a tar archive", 257},
    Known{"\x7F"
          "ELF",
          "a program"},
    Known{"#!", "a script"},
    Known{"GGUF", "a model in the GGUF format"},
    Known{"ftyp", "a video", 4},
    Known{"\x1A\x45\xDF\xA3", "a video"},
    Known{"RIFF", "a sound or a video"},
    Known{"ID3", "a sound"},
    Known{"OggS", "a sound or a video"},
    Known{"SQLite format 3", "a database"},
    Known{"<!DOCTYPE", "a web page"},
    Known{"<!doctype", "a web page"},
    Known{"<html", "a web page"},
    Known{"<svg", "an SVG picture"},
    Known{"<?xml", "an XML document"},
};

} // namespace

std::string file_kind(const std::filesystem::path& file) {
    std::error_code gone;
    if (std::filesystem::is_directory(file, gone)) return "a folder";
    std::ifstream in(file, std::ios::binary);
    if (!in) return "";
    std::array<char, 512> head{};
    in.read(head.data(), head.size());
    const std::string_view bytes(head.data(), static_cast<std::size_t>(in.gcount()));
    if (bytes.empty()) return "an empty file";
    for (const Known& known : kKnown)
        if (bytes.size() > known.at && bytes.substr(known.at).starts_with(known.begins)) return std::string(known.what);
    // The first eight bytes count those of a header in JSON.
    if (bytes.size() > 9 && bytes[8] == '{' && bytes.substr(4, 4) == std::string_view("\0\0\0\0", 4))
        return "weights in the safetensors format";
    if (bytes.find('\0') != std::string_view::npos) return "no text, and of a kind that is not known here";
    // Runs, races and lists of prompts are JSON: what is wrong with them is said line by line.
    const std::size_t first = bytes.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    return first != std::string_view::npos && (bytes[first] == '{' || bytes[first] == '[') ? "" : "a text";
}

} // namespace speclens
