#include "engine/length/draft_sizes.h"

#include <algorithm>

#include "engine/base/values.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr int kMostRounds = 100000, kMostDrafts = 256;

} // namespace

std::vector<DraftSize> draft_sizes(const std::string& text) {
    std::vector<DraftSize> sizes;
    if (text.empty()) return sizes;
    for (std::string part : split(text, ',')) {
        const std::string name = "the lengths of rounds";
        const bool second = part.starts_with('+');
        if (second) part.erase(0, 1);
        const std::size_t star = part.find('*'), colon = part.substr(0, star).find(':');
        const long long times = star == std::string::npos ? 1 : whole(name, part.substr(star + 1), 1, kMostRounds);
        DraftSize size;
        size.by = second ? 1 : 0;
        size.k = static_cast<int>(whole(name, part.substr(0, std::min(star, colon)), 0, 64));
        if (colon != std::string::npos)
            size.nodes =
                static_cast<int>(whole(name, part.substr(colon + 1, star == std::string::npos ? star : star - colon - 1), 0, kMostDrafts));
        if (static_cast<long long>(sizes.size()) + times > kMostRounds)
            throw Error(name + " are more than " + std::to_string(kMostRounds), "Give those of one run.", Exit::usage);
        sizes.insert(sizes.end(), static_cast<std::size_t>(times), size);
    }
    return sizes;
}

std::string text_of(const std::vector<DraftSize>& sizes) {
    std::string text;
    for (auto from = sizes.begin(); from != sizes.end();) {
        const auto to = std::find_if(from, sizes.end(), [&](const DraftSize& size) { return size != *from; });
        text += (text.empty() ? "" : ",") + std::string(from->by > 0 ? "+" : "") + std::to_string(from->k);
        if (from->nodes > 0) text += ":" + std::to_string(from->nodes);
        if (to - from > 1) text += "*" + std::to_string(to - from);
        from = to;
    }
    return text;
}

} // namespace speclens
