// What the folders of loaded models say in two ways or hold without use: a person should see it before a
// run's figures.
#pragma once

#include <string>
#include <vector>

namespace speclens {

struct Models; // engine/models/models.h

struct Notice {
    std::string whose; // "target", "draft model", or the drafter of a head
    std::string text;  // one line
};
// In the order of loading; empty when there is nothing to say.
[[nodiscard]] std::vector<Notice> notices_of(const Models& models);

} // namespace speclens
