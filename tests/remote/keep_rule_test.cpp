// Which rule a llama.cpp server keeps drafts by, read off texts that end where a draft was kept.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/base/json_read.h"
#include "remote/client/keep_rule.h"
#include "remote/client/served_json.h"
#include "tests/shared/listening.h"
#include "ui/stories/story_book.h"

namespace speclens::test {
namespace {

enum class Keeps { where_equal, by_dice, nothing, by_dice_once };

// Letters by dice. Rounds of three drafts, two of which are kept; no further than the text may go.
struct Llama {
    Keeps keeps;
    int requests = 0, longest = 0;

    [[nodiscard]] char letter(std::uint64_t seed, int place, bool draft) const {
        const bool other = draft && (keeps == Keeps::by_dice || (keeps == Keeps::by_dice_once && place == 1 && seed == 1));
        std::uint64_t h = (seed * 1000 + static_cast<std::uint64_t>(place) + (other ? 500 : 0)) * 0xbf58476d1ce4e5b9ULL;
        return static_cast<char>('a' + (h >> 40) % 26);
    }
    RawServer::Answer answer(const std::string& request) {
        const Json body = Json::parse(request.substr(request.find("\r\n\r\n") + 4));
        const int length = body["max_tokens"].get<int>();
        const auto seed = static_cast<std::uint64_t>(body["seed"].get<std::int64_t>());
        ++requests;
        longest = std::max(longest, length);
        std::string events;
        int written = 0, drafted = 0, accepted = 0;
        const auto write = [&](bool draft) {
            Json timings = {{"predicted_n", written + 1}};
            if (drafted > 0) timings["draft_n"] = drafted, timings["draft_n_accepted"] = accepted;
            const Json choice = {{"text", std::string(1, letter(seed, written, draft))},
                                 {"finish_reason", written + 1 == length ? Json("length") : Json()}};
            events += "data: " + Json{{"choices", Json::array({choice})}, {"timings", timings}}.dump() + "\n\n";
            ++written;
        };
        write(false);
        while (written < length) {
            const int drafts = keeps == Keeps::nothing ? 0 : std::min(3, length - written - 1), kept = std::min(2, drafts);
            drafted += drafts, accepted += kept;
            for (int i = 0; i < kept; ++i) write(true);
            write(false);
        }
        events += "data: [DONE]\n\n";
        return {"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\nContent-Length: " +
                std::to_string(events.size()) + "\r\n\r\n" + events};
    }
};

struct RuleAsked {
    Llama llama;
    RawServer server;
    ServerFacts facts;
    RequestSettings request;

    explicit RuleAsked(Keeps keeps) : llama{keeps}, server([this](const std::string& text) { return llama.answer(text); }) {
        facts.kind = ServerKind::llamacpp;
        request.prompt = "Once upon a time";
        request.chat = false;
        request.temperature = 0.8;
    }
    [[nodiscard]] KeepRule rule() { return find_keep_rule(server.endpoint, facts, request, {}); }
};

} // namespace

TEST(KeepRule, IsReadOffTextsThatEndWhereADraftWasKept) {
    RuleAsked equal(Keeps::where_equal);
    const KeepRule matching = equal.rule();
    EXPECT_EQ(matching.kind, KeepRule::Kind::matching);
    EXPECT_EQ(matching.cuts, kMostCuts);
    EXPECT_EQ(matching.differ, 0);
    EXPECT_LE(equal.llama.requests, kMostCuts + kTexts);
    EXPECT_LE(equal.llama.longest, 40);
    RuleAsked dice(Keeps::by_dice);
    const KeepRule rejection = dice.rule();
    EXPECT_EQ(rejection.kind, KeepRule::Kind::rejection);
    EXPECT_EQ(rejection.differ, 2) << "no more than it takes is asked";
}

TEST(KeepRule, OneOddTextDecidesNothing) {
    RuleAsked once(Keeps::by_dice_once);
    const KeepRule rule = once.rule();
    EXPECT_EQ(rule.kind, KeepRule::Kind::open) << "rounding may do that";
    EXPECT_EQ(rule.differ, 1);
    RuleAsked nothing(Keeps::nothing);
    EXPECT_EQ(nothing.rule().kind, KeepRule::Kind::open);
    EXPECT_EQ(nothing.rule().cuts, 0);
}

TEST(KeepRule, IsToldOfAnAnswerThatHasOne) {
    RuleAsked asked(Keeps::by_dice);
    const auto told = [&](ServedText served) {
        tell_keep_rule(served, asked.server.endpoint, asked.facts, asked.request, {});
        return served;
    };
    ServedText drafted;
    drafted.counts = SpecCounts{1.0, 3, 2, {}};
    const ServedText served = told(drafted);
    ASSERT_TRUE(served.rule);
    ASSERT_EQ(served.notes.size(), 1u);
    EXPECT_EQ(served.notes[0].id(), "server.rule.rejection");
    EXPECT_NE(message(served.notes[0]).find("min(1, target ÷ draft)"), std::string::npos);
    const Json json = Json::parse(served_json(served, message));
    EXPECT_EQ(json["rule"], Json({{"kind", "rejection"}, {"cuts", served.rule->cuts}, {"differ", 2}}));

    const int requests = asked.llama.requests;
    EXPECT_FALSE(told({}).rule) << "nothing was drafted";
    asked.request.temperature = 0;
    EXPECT_FALSE(told(drafted).rule) << "greedy text is the same by every rule";
    asked.request.temperature = 0.8;
    asked.facts.kind = ServerKind::vllm;
    EXPECT_FALSE(told(drafted).rule) << "it does not cut its drafts";
    EXPECT_EQ(asked.llama.requests, requests);

    asked.facts.kind = ServerKind::llamacpp;
    const RawServer closed("HTTP/1.1 500 Oh\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    ServedText kept = drafted;
    tell_keep_rule(kept, closed.endpoint, asked.facts, asked.request, {});
    EXPECT_FALSE(kept.rule) << "the answer stays as it is";
    EXPECT_TRUE(kept.notes.empty());
}

} // namespace speclens::test
