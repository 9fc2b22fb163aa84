#include "scenes/shared/kin_words.h"

#include <algorithm>

namespace speclens {

std::string served_words(const DrafterKin& kin) { return *kin.served ? kin.served : "–"; }

std::vector<Message> kin_words(const DrafterKin& kin) {
    if (kin.year == 0) return {};
    return {shared_says("kin.takes"_t, "takes"_v = kin.takes), shared_says("kin.sequential"_t, "sequential"_v = kin.sequential),
            shared_says("kin.keeps"_t, "keeps"_v = kin.keeps), shared_says("kin.published"_t, "year"_v = kin.year, "source"_v = kin.source),
            shared_says("kin.served"_t, "engines"_v = served_words(kin))};
}

std::string kin_line(const DrafterKin& kin) {
    std::string line;
    for (const Message& words : kin_words(kin)) line += (line.empty() ? "" : "; ") + words.words();
    return line;
}

const DrafterInfo* drafter_of_figures(const std::string& method) {
    for (const DrafterInfo& info : drafter_list())
        if (std::ranges::find(info.published, method) != info.published.end()) return &info;
    return nullptr;
}

} // namespace speclens
