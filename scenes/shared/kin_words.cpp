#include "scenes/shared/kin_words.h"

#include <algorithm>

namespace speclens {

std::string served_words(const DrafterKin& kin) { return *kin.served ? kin.served : "–"; }

std::vector<Message> kin_words(const DrafterKin& kin) {
    if (kin.year == 0) return {};
    constexpr MessagesOf<"shared"> says;
    return {says("kin.takes"_t, "takes"_v = kin.takes), says("kin.sequential"_t, "sequential"_v = kin.sequential),
            says("kin.keeps"_t, "keeps"_v = kin.keeps), says("kin.published"_t, "year"_v = kin.year, "source"_v = kin.source),
            says("kin.served"_t, "engines"_v = served_words(kin))};
}

const DrafterInfo* drafter_of_figures(const std::string& method) {
    for (const DrafterInfo& info : drafter_list())
        if (std::ranges::find(info.published, method) != info.published.end()) return &info;
    return nullptr;
}

} // namespace speclens
