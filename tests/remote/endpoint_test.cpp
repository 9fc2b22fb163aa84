// Addresses as people type them.
#include <gtest/gtest.h>

#include "engine/net/endpoint.h"
#include "kernels/error.h"
#include "remote/client/probe.h"

namespace speclens::test {

TEST(Endpoint, ReadsWhatPeopleType) {
    struct Case {
        const char *typed, *origin, *base;
        bool secure, loopback;
    };
    for (const Case& c : {
             Case{"127.0.0.1:8000", "http://127.0.0.1:8000", "", false, true},
             Case{"localhost", "http://localhost:8000", "", false, true},
             Case{"http://host:30000/v1", "http://host:30000", "", false, false},
             Case{"http://host/metrics", "http://host:80", "", false, false},
             Case{"HTTPS://models.example.org/a/b/", "https://models.example.org:443", "/a/b", true, false},
             Case{"https://h/a/v1/models", "https://h:443", "/a", true, false},
             Case{"[::1]:9000", "http://[::1]:9000", "", false, true},
         }) {
        const Endpoint e = parse_endpoint(c.typed);
        EXPECT_EQ(e.origin, c.origin) << c.typed;
        EXPECT_EQ(e.base, c.base) << c.typed;
        EXPECT_EQ(e.secure, c.secure) << c.typed;
        EXPECT_EQ(e.loopback, c.loopback) << c.typed;
    }
}

TEST(Endpoint, RefusesWhatIsNone) {
    for (const char* typed : {"ftp://host", "http://", "http://:80", "host:0", "host:99999", "host:80x", "http://ho st",
                              "http://host/a?b=c", "http://[::1", "http://ho$t"}) {
        try {
            (void)parse_endpoint(typed);
            FAIL() << typed;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), Exit::usage) << typed;
            EXPECT_FALSE(error.remedy().empty());
        }
    }
}

TEST(Endpoint, NeverRepeatsAPassword) {
    try {
        (void)parse_endpoint("http://me:secret@host:80");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()).find("secret"), std::string::npos);
        EXPECT_NE(error.remedy().find("8000"), std::string::npos);
    }
}

TEST(Endpoint, IsToldFromAFile) {
    EXPECT_TRUE(looks_like_endpoint("http://a"));
    EXPECT_TRUE(looks_like_endpoint("10.0.0.7:8000"));
    EXPECT_TRUE(looks_like_endpoint("host:80/v1"));
    EXPECT_FALSE(looks_like_endpoint("server.log"));
    EXPECT_FALSE(looks_like_endpoint("folder/a:b.txt"));
    EXPECT_FALSE(looks_like_endpoint(SPEC_SOURCE_DIR "/README.md"));
    EXPECT_FALSE(looks_like_endpoint(std::string(5000, 'x')));
    EXPECT_TRUE(looks_like_endpoint(std::string(5000, 'x') + ":80"));
}

TEST(Endpoint, WarnsBeforeAnythingLeavesTheMachineInTheClear) {
    EXPECT_EQ(caution(parse_endpoint("127.0.0.1:8000"), true), "");
    EXPECT_EQ(caution(parse_endpoint("127.1.2.3:8000"), true), "");
    EXPECT_EQ(caution(parse_endpoint("https://host"), true), "");
    for (const char* name : {"http://127.example.org", "http://127.0.0.1.example.org", "http://127.0.0.1a"})
        EXPECT_NE(caution(parse_endpoint(name), true), "") << name;
    EXPECT_NE(caution(parse_endpoint("http://host"), true).find("key"), std::string::npos);
    EXPECT_NE(caution(parse_endpoint("http://host"), false), "");
}

} // namespace speclens::test
