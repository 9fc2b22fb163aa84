#include "scenes/shared/kin_words.h"

#include <algorithm>

namespace speclens {

std::string served_words(const DrafterKin& kin) { return *kin.served ? kin.served : "–"; }

std::vector<std::string> kin_words(const DrafterKin& kin) {
    if (kin.year == 0) return {};
    return {std::string("Takes: ") + kin.takes, std::string("One after the other: ") + kin.sequential, std::string("Keeps: ") + kin.keeps,
            "Published: " + std::to_string(kin.year) + ", " + kin.source, "Served by: " + served_words(kin)};
}

std::string kin_line(const DrafterKin& kin) {
    std::string line;
    for (const std::string& words : kin_words(kin)) line += (line.empty() ? "" : "; ") + words;
    return line;
}

const DrafterInfo* drafter_of_figures(const std::string& method) {
    for (const DrafterInfo& info : drafter_list())
        if (std::ranges::find(info.published, method) != info.published.end()) return &info;
    return nullptr;
}

} // namespace speclens
