// The documents: what a link in them names is there, a file as well as a heading of it. Addresses elsewhere are not asked.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/shared/temp_folder.h"

namespace speclens {
namespace {

namespace fs = std::filesystem;

// The text without blocks of code.
std::string without_blocks(const std::string& text) {
    std::istringstream in(text);
    std::string out, fence;
    for (std::string line; std::getline(in, line);) {
        const std::size_t ticks = std::min(line.find_first_not_of('`'), line.size());
        if (fence.empty() && ticks >= 3) {
            fence = line.substr(0, ticks);
        } else if (!fence.empty()) {
            if (line.starts_with(fence)) fence.clear();
        } else {
            out += line + "\n";
        }
    }
    return out;
}

// The anchors that a page of this text has: its headings as GitHub writes them, the second of a name with -1.
std::set<std::string> anchors_of(const std::string& text) {
    std::istringstream in(without_blocks(text));
    std::set<std::string> anchors;
    std::map<std::string, int> seen;
    for (std::string line; std::getline(in, line);) {
        const std::size_t level = line.find_first_not_of('#');
        if (level == 0 || level == std::string::npos || line[level] != ' ') continue;
        std::string anchor;
        for (const char c : std::string_view(line).substr(level + 1)) {
            const auto byte = static_cast<unsigned char>(c);
            if (std::isalnum(byte) != 0 || byte >= 0x80 || c == '-' || c == '_')
                anchor += static_cast<char>(std::tolower(byte));
            else if (c == ' ')
                anchor += '-';
        }
        const int before = seen[anchor]++;
        anchors.insert(before == 0 ? anchor : anchor + "-" + std::to_string(before));
    }
    return anchors;
}

std::string read(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

// What the links of a document name: where each leads, as it is written.
std::vector<std::string> links_of(const std::string& text) {
    static const std::regex code("`[^`]+`"), link("\\]\\(([^()\\s]+)\\)");
    const std::string prose = std::regex_replace(without_blocks(text), code, "");
    std::vector<std::string> links;
    for (auto it = std::sregex_iterator(prose.begin(), prose.end(), link); it != std::sregex_iterator(); ++it) links.push_back((*it)[1]);
    return links;
}

std::vector<std::string> dead_links(const fs::path& file) {
    std::vector<std::string> dead;
    for (const std::string& link : links_of(read(file))) {
        if (link.find(':') != std::string::npos) continue; // https:, speclens:
        const std::size_t hash = link.find('#');
        const fs::path target = hash == 0 ? file : file.parent_path() / link.substr(0, hash);
        if (!fs::exists(target))
            dead.push_back(link);
        else if (hash != std::string::npos && !anchors_of(read(target)).contains(link.substr(hash + 1)))
            dead.push_back(link);
    }
    return dead;
}

// Every document of the sources; what builds leave is none.
std::vector<fs::path> documents() {
    std::vector<fs::path> files;
    for (auto it = fs::recursive_directory_iterator(SPEC_SOURCE_DIR); it != fs::recursive_directory_iterator(); ++it) {
        const std::string name = it->path().filename().string();
        if (it->is_directory() && (name.starts_with("build") || name.starts_with(".git")))
            it.disable_recursion_pending();
        else if (it->path().extension() == ".md")
            files.push_back(it->path());
    }
    return files;
}

TEST(Documents, EveryLinkLeadsSomewhere) {
    const std::vector<fs::path> files = documents();
    std::size_t links = 0;
    for (const fs::path& file : files) {
        links += links_of(read(file)).size();
        for (const std::string& link : dead_links(file)) ADD_FAILURE() << fs::relative(file, SPEC_SOURCE_DIR) << ": " << link;
    }
    EXPECT_GT(files.size(), 30U);
    EXPECT_GT(links, 100U);
}

TEST(Documents, APlantedDeadLinkIsFound) {
    const test::TempFolder folder;
    std::ofstream(folder / "other.md") << "# A page\n\n## Two words, here\n\n```\n# no heading\n```\n\n## Twice\n\n## Twice\n";
    std::ofstream(folder / "page.md")
        << "[a](other.md) [b](gone.md) [c](other.md#two-words-here)\n[d](other.md#no-heading) ![e](gone.png)\n"
        << "[f](other.md#twice-1) [g](other.md#twice-2) [h](#here) [`i`](#there) [j](https://example.org/gone)\n"
        << "`[k](in-code.md)` and `a span\nthat [l](goes-on.md)`\n\n```\n[m](in-a-block.md)\n```\n\n### Here\n";
    EXPECT_EQ(dead_links(folder / "page.md"),
              (std::vector<std::string>{"gone.md", "other.md#no-heading", "gone.png", "other.md#twice-2", "#there"}));
}

} // namespace
} // namespace speclens
