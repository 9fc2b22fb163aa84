// Runs of a micro model looked at step by step, and rounds of known coins.
#pragma once

#include <cmath>
#include <functional>

#include "engine/run/run.h"
#include "tests/scenes/scenes_bench.h"

namespace speclens {

// A finished run of a micro model, looked at step by step.
struct Played {
    RunSettings settings;
    std::shared_ptr<const Trace> trace;

    Played(const std::shared_ptr<const Models>& models, const std::string& drafter, const std::string& rule,
           const std::function<void(RunSettings&)>& change = {}) {
        settings.prompt.token_ids = {5, 6, 7};
        settings.drafter = drafter;
        settings.rule = rule;
        settings.k = 4;
        settings.max_tokens = 48;
        settings.sampling.temperature = 1;
        if (change) change(settings);
        speclens::Run run(models, settings);
        run.finish();
        trace = run.shared_trace();
    }
    // The frame in words after `cursor` events.
    [[nodiscard]] std::string told(std::size_t cursor) const {
        SceneBench bench("loop");
        bench.controller.show_saved(trace, settings);
        bench.controller.perform({SceneCommand{SetCursor{cursor}}}, bench.time);
        bench.frame();
        return find_scene("loop")->make()->describe(bench.controller.frame(0).scene);
    }
    // Of every event of one kind that `wanted` says yes to, at most `most` of them: the frame right behind
    // it.
    template <typename Kind, typename Wanted>
    [[nodiscard]] std::vector<std::string> all(const Wanted& wanted, std::size_t most = 6) const {
        std::vector<std::string> list;
        for (std::size_t i = 0; i < trace->size() && list.size() < most; ++i)
            if (const auto* event = std::get_if<Kind>(&(*trace)[i]); event && wanted(*event)) list.push_back(told(i + 1));
        return list;
    }
};

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// A round of three guesses under block verification: the coins of the first two fail, the third succeeds.
inline std::shared_ptr<Trace> rescued_round(int k = 3) {
    auto trace = std::make_shared<Trace>([](int id) { return " word" + std::to_string(id); });
    Header header;
    header.drafter = "small";
    header.rule = "block";
    header.k = k;
    header.prompt = {0};
    header.sampling.temperature = 1;
    trace->append(header);
    for (int i = 0; i < k; ++i) {
        Drafted draft;
        draft.index = i;
        draft.parent = i - 1;
        draft.token = 5 + i;
        draft.q = std::log(0.8);
        draft.u = 0.5;
        trace->append(draft);
    }
    trace->append(Verified{0, k + 1, 0});
    for (int i = 0; i < k; ++i) {
        Checked check;
        check.index = i;
        check.token = 5 + i;
        check.p = std::log(0.4);
        check.q = std::log(0.8);
        check.accepted = true;
        check.u = i + 1 < k ? 0.9 : 0.1;
        check.threshold = i + 1 < k ? 0.3 : 0.2;
        check.prefix_coefficient = std::log(0.5);
        trace->append(check);
    }
    return trace;
}

// A round whose last kept guess ends the text: the token behind it was drawn and is not used.
inline std::shared_ptr<Trace> ending_round() {
    auto trace = std::make_shared<Trace>([](int id) { return " word" + std::to_string(id); });
    Header header;
    header.drafter = "small";
    header.rule = "token";
    header.k = 2;
    header.prompt = {0};
    header.sampling.temperature = 1;
    trace->append(header);
    for (int i = 0; i < 2; ++i) {
        Drafted draft;
        draft.index = i;
        draft.parent = i - 1;
        draft.token = 5 + i;
        trace->append(draft);
    }
    trace->append(Verified{0, 3, 0});
    for (int i = 0; i < 2; ++i) {
        Checked check;
        check.index = i;
        check.token = 5 + i;
        check.accepted = true;
        check.threshold = 1;
        trace->append(check);
    }
    TargetToken own;
    own.from = TargetToken::From::bonus;
    own.token = 9;
    trace->append(own);
    Committed commit;
    commit.accepted_drafts = 2;
    commit.tokens = {5, 6};
    trace->append(commit);
    Stopped stopped;
    stopped.reason = "end of text";
    stopped.hash = trace->hash(trace->size());
    trace->append(stopped);
    return trace;
}

} // namespace speclens
