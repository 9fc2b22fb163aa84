// Every field of every event survives being saved and opened again.
#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

#include "engine/base/json.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"

namespace speclens {
namespace {

std::string text_of_id(int id) { return "<" + std::to_string(id) + ">"; }

std::vector<std::string> lines_of(const Trace& trace) {
    TraceWriter writer(trace);
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < trace.size(); ++i) lines.push_back(writer.line(trace[i]));
    return lines;
}

// A distribution whose head is told, with a log-probability that nothing else has.
TopEntries head(int id, double logp) { return {{{id, logp}, {id + 1, logp - 1}}, 0.125}; }

Internals full_internals() {
    Internals internals;
    internals.strips = {{"state", 3, -1.5, 2.5, {0.25, 0.5, 0.75}}};
    internals.numbers = {{"gate", 0.625, "%"}, {"depth", 3, ""}};
    internals.movers = {{7, 1.5, 2.5, -0.5, -0.25}};
    return internals;
}

// A round of a tree with nothing left at its default.
void append_round(Trace& trace) {
    trace.append(Prefill{4, 1.5});
    Drafted draft;
    draft.round = 1;
    draft.index = 2;
    draft.parent = 1;
    draft.token = 5;
    draft.q = -0.375;
    draft.u = 0.3125;
    draft.top = head(5, -0.1);
    draft.raw_top = head(6, -0.2);
    draft.base_top = head(7, -0.3);
    draft.extra = "2-gram";
    draft.ms = 2.5;
    draft.head_ms = 3.5;
    draft.internals = full_internals();
    trace.append(draft);
    trace.append(Verified{1, 4, 4.5, 5.5, Wire{123, 45678901234, 4.25, 3.25, 2}, 3, 1.25, 2});
    Checked check;
    check.round = 1;
    check.index = 2;
    check.token = 5;
    check.p = -0.75;
    check.q = -0.375;
    check.threshold = 0.5625;
    check.u = 0.4375;
    check.set = true;
    check.accepted = true;
    check.sibling_residual = -0.875;
    check.mixture = -0.625;
    check.typical_threshold = 0.1875;
    check.prefix_coefficient = -0.0625;
    check.top = head(8, -0.4);
    check.raw_top = head(9, -0.5);
    trace.append(check);
    for (const auto from : {TargetToken::From::residual, TargetToken::From::bonus, TargetToken::From::target})
        trace.append(TargetToken{1, from, 2, 6, 0.6875, -1.25, head(10, -0.6), head(11, -0.7), head(12, -0.8)});
    trace.append(Committed{1, 2, {0, 2}, {4, 5, 6}, 9, 13, 12, 6.5, 7.5, full_internals()});
    trace.append(Failed{"it broke", "mend it"});
    trace.append(Commanded{"fork at cycle 1"});
    trace.append(Stopped{"length", trace.hash(trace.size())});
}

Header full_header() {
    Header header;
    header.model = "target";
    header.drafter = "small_tree";
    header.drafter_model = "draft";
    header.own_draft = true;
    header.drafter_fingerprint = "00112233445566ff";
    header.rule = "cascade_opt";
    header.rule_params = {.alpha = 0.75, .block = true};
    header.backend = "CPU";
    header.machine = "a machine";
    header.date = "2026-01-02T03:04Z";
    header.tier = "RECORDED"; // as everything that was opened is
    header.k = 3;
    header.nodes = 6;
    header.draft_ids = 40;
    header.draft_ids_are = "0123456789abcdef";
    header.sampling = {.temperature = 0.5, .top_k = 7, .top_p = 0.875};
    header.draft_sampling = {.temperature = 0.25, .top_k = 8, .top_p = 0.625};
    header.seed = 11;
    header.max_tokens = 12;
    header.vocab = 61;
    header.prefill_boundary = 2;
    header.prompt = {1, 2, 3};
    header.prompt_text = "one two three";
    header.chat = Header::Chat{"said", "system", true};
    header.options.tree_topk = 5;
    header.notice = "a notice";
    header.timing = false;
    return header;
}

TEST(TraceFields, AllSurviveBeingSavedAndOpened) {
    Trace trace(&text_of_id);
    trace.append(full_header());
    append_round(trace);
    const std::vector<std::string> lines = lines_of(trace);
    std::string file;
    for (const std::string& line : lines) file += line + "\n";
    std::istringstream in(file);
    std::string notice;
    const std::shared_ptr<Trace> back = read_trace(in, "memory", &notice);
    EXPECT_EQ(notice, "");
    EXPECT_EQ(lines_of(*back), lines);
    EXPECT_EQ(back->text(12), "<12>");
}

// What is written has all of them: a field that is neither written nor read would survive as well.
TEST(TraceFields, AllAreWritten) {
    Trace trace(&text_of_id);
    trace.append(full_header());
    append_round(trace);
    const std::vector<std::string> lines = lines_of(trace);
    const auto expect_fields = [&](std::size_t line, const std::vector<std::string>& names) {
        const Json object = Json::parse(lines[line]);
        for (const std::string& name : names) EXPECT_TRUE(object.contains(name)) << name << " of " << lines[line];
    };
    expect_fields(0, {"drafter_model", "own_draft", "drafter_fingerprint", "rule_params", "nodes", "draft_ids", "draft_ids_are", "notice",
                      "chat", "options", "timing"});
    EXPECT_EQ(Json::parse(lines[0])["rule_params"], (Json{{"alpha", 0.75}, {"verifier", "block"}}));
    expect_fields(2,
                  {"u", "top", "rest", "raw_top", "raw_top_rest", "base_top", "base_top_rest", "extra", "ms", "head_ms", "lens", "texts"});
    expect_fields(3, {"ms", "draft_ms"});
    expect_fields(4, {"u", "set", "left", "goal", "limit", "joint", "top", "raw_top"});
    expect_fields(5, {"parent", "u", "top", "target_top", "raw_top"});
    expect_fields(8, {"path", "kv_before", "kv_verify", "kv_after", "accept_ms", "ms", "lens"});
    const Json internals = Json::parse(lines[8])["lens"];
    EXPECT_EQ(internals["strips"][0].size(), 5u);
    EXPECT_EQ(internals["numbers"][0].size(), 3u);
    EXPECT_EQ(internals["numbers"][1].size(), 2u) << "a number without a unit";
    EXPECT_EQ(internals["movers"][0].size(), 5u);
}

// A file system that gives up in the middle is no end of the file.
TEST(TraceFields, AReadThatFailsIsNoWholeRun) {
    class Breaking final : public std::stringbuf {
      public:
        using std::stringbuf::stringbuf;
        int_type underflow() override {
            if (gptr() == egptr() && gptr() != eback()) throw std::runtime_error("input/output error");
            return std::stringbuf::underflow();
        }
    };
    Trace trace(&text_of_id);
    trace.append(full_header());
    Breaking buffer(lines_of(trace).front() + "\n");
    std::istream in(&buffer);
    try {
        (void)read_trace(in, "memory");
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("memory: cannot be read to its end"), std::string::npos) << error.what();
    }
}

} // namespace
} // namespace speclens
