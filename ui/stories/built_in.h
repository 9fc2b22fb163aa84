// The English stories as the program was built with them: assets/stories/*.toml, put here by cmake/built_in_stories.cmake.
#pragma once

#include <span>
#include <string_view>

namespace speclens {

struct BuiltInStory {
    std::string_view scene, text; // "advice", the file
};
extern const std::span<const BuiltInStory> kBuiltInStories;

} // namespace speclens
