// What servers of others wrote (tests/remote/servers), read as `attach` reads it.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "remote/reading/log_reading.h"

namespace speclens::test {

inline std::string case_file(const std::string& name) {
    std::ifstream in(std::string(SPEC_SOURCE_DIR) + "/tests/remote/servers/" + name, std::ios::binary);
    EXPECT_TRUE(in) << name;
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

inline LogReading log_of(const std::string& name) { return parse_log(case_file(name), name); }

// Rounds, drafted, accepted.
inline void expect_counts(const SpecCounts& c, double rounds, double drafted, double accepted) {
    EXPECT_EQ(c.rounds, rounds);
    EXPECT_EQ(c.drafted, drafted);
    EXPECT_EQ(c.accepted, accepted);
    EXPECT_TRUE(contradiction(c).empty()) << contradiction(c).id();
}

} // namespace speclens::test
