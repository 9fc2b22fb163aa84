// Traces with chosen rounds and times, as a run would have recorded them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/run/trace.h"

namespace speclens::test {

struct MadeRound {
    int drafted = 0, kept = 0;
};
struct MadeTimes {
    double draft_ms = 0.1, verify_ms = 1, other_ms = 0.05; // draft: of each guess
};

// Each round commits what it kept and a token of the target's.
inline std::shared_ptr<const Trace> made_trace(const std::string& drafter, int k, const std::vector<MadeRound>& rounds,
                                               const MadeTimes& times = {}, int limit = 64) {
    auto trace = std::make_shared<Trace>([](int id) { return "<" + std::to_string(id) + ">"; });
    Header header;
    header.drafter = drafter;
    header.rule = "token";
    header.k = k;
    header.max_tokens = limit;
    header.vocab = 100;
    header.prompt = {1, 2, 3};
    trace->append(header);
    trace->append(Prefill{2, 1});
    int cache = 2;
    for (std::size_t r = 0; r < rounds.size(); ++r) {
        const int round = static_cast<int>(r), drafted = rounds[r].drafted, kept = rounds[r].kept;
        for (int i = 0; i < drafted; ++i) {
            Drafted draft;
            draft.round = round, draft.index = i, draft.parent = i - 1, draft.token = 10 + i, draft.ms = times.draft_ms;
            trace->append(draft);
        }
        trace->append(Verified{round, drafted + 1, times.verify_ms, 0});
        for (int i = 0; i < std::min(kept + 1, drafted); ++i) {
            Checked check;
            check.round = round, check.index = i, check.token = 10 + i, check.accepted = i < kept;
            trace->append(check);
        }
        TargetToken own;
        own.round = round, own.token = 5;
        trace->append(own);
        Committed commit;
        commit.round = round, commit.accepted_drafts = kept;
        for (int i = 0; i < kept; ++i) commit.tokens.push_back(10 + i);
        commit.tokens.push_back(5);
        commit.kv_before = cache, commit.kv_verify = cache + drafted + 1, commit.kv_after = cache + kept + 1;
        commit.ms = times.other_ms;
        cache = commit.kv_after;
        trace->append(commit);
    }
    trace->append(Stopped{"length", 0});
    return trace;
}

} // namespace speclens::test
