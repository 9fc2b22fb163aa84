#include "engine/models/notices.h"

#include <sstream>

#include "engine/drafters/draft_network.h"
#include "engine/model/model.h"
#include "engine/models/models.h"

namespace speclens {

std::vector<Notice> notices_of(const Models& models) {
    std::vector<Notice> notices;
    const auto add = [&](const std::string& whose, const std::string& lines) {
        std::istringstream in(lines);
        for (std::string line; std::getline(in, line);)
            if (!line.empty()) notices.push_back({whose, line});
    };
    if (models.target) add("target", models.target->notice);
    if (models.draft) add("draft model", models.draft->notice);
    for (const auto& [drafter, network] : models.networks) add(drafter, network->config.notice);
    return notices;
}

} // namespace speclens
