// What a frame says, by the ids of its messages.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ui/canvas_record.h"

namespace speclens::test {

// In the order of drawing: "bottleneck.fact.read".
inline std::vector<Said> all_said(const std::vector<ui::ToldMessage>& told, const std::string& id) {
    std::vector<Said> found;
    for (const ui::ToldMessage& one : told)
        if (one.message.said.id() == id) found.push_back(one.message.said);
    return found;
}
// The only one.
inline Said only_said(const std::vector<ui::ToldMessage>& told, const std::string& id) {
    const std::vector<Said> found = all_said(told, id);
    EXPECT_EQ(found.size(), 1U) << id;
    return found.empty() ? Said() : found[0];
}

} // namespace speclens::test
