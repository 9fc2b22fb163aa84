// `speclens export`: a saved trace as JSON Lines, as a table for spreadsheets, or as a timeline for Perfetto; a trained head
// in its official layout; a speculation profile as options of servers, and back.
#include <algorithm>
#include <cmath>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/terminal.h"
#include "engine/advice/synthetic_acceptance.h"
#include "engine/base/json.h"
#include "engine/base/json_read.h"
#include "engine/heads/official_layout.h"
#include "engine/lab/race_json.h"
#include "engine/run/run_view.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"

namespace speclens::cli {

namespace {

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
    return result + "\"";
}

std::string field(double value) { return std::isfinite(value) ? OrderedJson(value).dump() : ""; }

const char* verdict_of(DraftSlot::State state) {
    switch (state) {
    case DraftSlot::State::accepted: return "accepted";
    case DraftSlot::State::rejected: return "rejected";
    case DraftSlot::State::discarded: return "discarded";
    case DraftSlot::State::drafted: break;
    }
    return "drafted";
}

const char* from_of(TargetToken::From from) {
    return from == TargetToken::From::residual ? "residual" : from == TargetToken::From::bonus ? "bonus" : "target";
}

// One line per draft token and per token of the target; probabilities, not logarithms; empty where there is no
// value. What stands behind the end of the text has the verdict "cut". ms and head_ms of a round's lines add up to
// its time: the target's line has what is no draft token's, a draft that proposed nothing included.
std::string csv(const Trace& trace, const RunView& view) {
    const bool trees = std::any_of(view.round_list.begin(), view.round_list.end(), [](const auto& c) { return c.tree; });
    const auto ending = [&](int parent) { return (trees ? "," + std::to_string(parent) : std::string()) + "\n"; };
    std::string text =
        std::string("cycle,index,role,token,text,q_draft,p_target,threshold,u,verdict,ms,head_ms") + (trees ? ",parent\n" : "\n");
    for (const RoundSummary& round : view.round_list) {
        const std::string number = std::to_string(round.round);
        const std::size_t written = round.commit ? round.commit->tokens.size() : round.path.size() + 1;
        for (const DraftSlot& slot : round.drafts) {
            const Drafted& d = *slot.draft;
            const Checked* c = slot.check;
            const bool truncated = slot.state == DraftSlot::State::accepted && static_cast<std::size_t>(slot.depth) > written;
            text += number + "," + std::to_string(d.index) + ",draft," + std::to_string(d.token) + "," +
                    quoted(visible(trace.text(d.token))) + "," + field(std::exp(d.q)) + "," + (c ? field(std::exp(c->p)) : "") + "," +
                    (c ? field(c->threshold) : "") + "," + (c && c->u ? field(*c->u) : "") + "," +
                    (truncated ? "cut" : verdict_of(slot.state)) + "," + field(slot.ms) + "," + field(slot.head_ms) + ending(slot.parent);
        }
        if (!round.resample) continue;
        const TargetToken& r = *round.resample;
        // The own token stands where the next draft token would: behind the last one that was kept.
        const int place = round.tree ? static_cast<int>(round.drafts.size()) : round.accepted;
        text += number + "," + std::to_string(place) + ",target," + std::to_string(r.token) + "," + quoted(visible(trace.text(r.token))) +
                ",," + field(std::exp(r.p)) + ",," + (r.u ? field(*r.u) : "") + "," +
                (written > round.path.size() ? from_of(r.from) : "cut") + "," +
                field(round.empty_draft_ms + round.verify_ms + round.other_ms) + ",0.0" + ending(round.end_of_path());
    }
    return text;
}

// Chrome's JSON trace format, microseconds: drafts with their heads inside, verify and the rest as spans, a flow
// from the last draft token to the pass that judges it, and a counter of the text's length.
std::string perfetto(const Trace& trace, const RunView& view) {
    OrderedJson events = OrderedJson::array();
    const auto named = [&](int thread, const char* name) {
        events.push_back({{"ph", "M"}, {"pid", 1}, {"tid", thread}, {"name", "thread_name"}, {"args", {{"name", name}}}});
    };
    events.push_back({{"ph", "M"},
                      {"pid", 1},
                      {"name", "process_name"},
                      {"args", {{"name", "SpecLens " + view.header->model + ", " + view.header->drafter}}}});
    named(1, "draft");
    named(2, "target");
    named(3, "accept and commit");
    const auto span = [&](int thread, const std::string& name, double start_ms, double ms, OrderedJson args) {
        events.push_back({{"ph", "X"},
                          {"pid", 1},
                          {"tid", thread},
                          {"name", name},
                          {"ts", start_ms * 1000},
                          {"dur", ms * 1000},
                          {"args", std::move(args)}});
    };
    span(2, "prefill", 0, view.prefill_ms, {{"tokens", view.prefill_tokens}});
    int produced = 0;
    for (const RoundSummary& round : view.round_list) {
        double at = view.prefill_ms + round.start_ms;
        double last_draft = at;
        for (const DraftSlot& slot : round.drafts) {
            const Drafted& d = *slot.draft;
            span(1, visible(trace.text(d.token)), at, slot.ms + slot.head_ms,
                 {{"cycle", round.round},
                  {"index", d.index},
                  {"parent", d.parent},
                  {"q", std::exp(d.q)},
                  {"verdict", verdict_of(slot.state)}});
            if (slot.head_ms > 0)
                span(1, "head", at + slot.ms, slot.head_ms, {{"cycle", round.round}, {"index", d.index}, {"part", "head"}});
            last_draft = at;
            at += slot.ms + slot.head_ms;
        }
        if (round.empty_draft_ms > 0)
            span(1, no_room_for_draft(view, round) ? "no room for a guess" : "nothing to propose", at, round.empty_draft_ms,
                 {{"cycle", round.round}});
        const double verify_at = view.prefill_ms + round.start_ms + round.draft_ms;
        if (!round.drafts.empty()) {
            const OrderedJson flow = {{"pid", 1}, {"cat", "round"}, {"name", "to verify"}, {"id", round.round}};
            OrderedJson start = flow, end = flow;
            start.update({{"ph", "s"}, {"tid", 1}, {"ts", last_draft * 1000}});
            end.update({{"ph", "f"}, {"bp", "e"}, {"tid", 2}, {"ts", verify_at * 1000}});
            events.push_back(start);
            events.push_back(end);
        }
        span(2, "verify", verify_at, round.verify_ms, {{"cycle", round.round}, {"rows", round.verify ? round.verify->rows : 0}});
        span(3, "accept and commit", verify_at + round.verify_ms, round.other_ms, {{"cycle", round.round}, {"accepted", round.accepted}});
        if (!round.commit) continue;
        produced += static_cast<int>(round.commit->tokens.size());
        events.push_back({{"ph", "C"},
                          {"pid", 1},
                          {"name", "new tokens"},
                          {"ts", (verify_at + round.verify_ms + round.other_ms) * 1000},
                          {"args", {{"tokens", produced}}}});
    }
    return OrderedJson{{"displayTimeUnit", "ms"}, {"traceEvents", events}}.dump() + "\n";
}

// As viewers of other people take a run: of each round the draft tokens, those that were kept first, and how many those are.
std::string rounds(const Trace& trace, const RunView& view) {
    OrderedJson all = OrderedJson::array();
    for (const RoundSummary& round : view.round_list) {
        if (!round.commit) continue;
        OrderedJson drafted = OrderedJson::array(), rest = OrderedJson::array();
        for (const DraftSlot& slot : round.drafts)
            (slot.state == DraftSlot::State::accepted ? drafted : rest).push_back(trace.text(slot.draft->token));
        const std::size_t written = round.commit->tokens.size(), kept = std::min(drafted.size(), written);
        for (const OrderedJson& token : rest) drafted.push_back(token);
        OrderedJson one = {{"drafted", drafted}, {"nAccepted", kept}};
        if (written > kept) one["target"] = trace.text(round.commit->tokens.back()); // what the target wrote itself
        all.push_back(std::move(one));
    }
    return OrderedJson{{"rounds", all}}.dump(-1, BadUtf8::replaced) + "\n";
}

std::string jsonl(const Trace& trace) {
    TraceWriter writer(trace);
    std::string text;
    for (std::size_t i = 0; i < trace.size(); ++i) text += writer.line(trace[i]) + "\n";
    return text + writer.closing_lines();
}

Exit export_head(const Options& options) {
    const std::filesystem::path& folder = options.output;
    std::error_code failure;
    if (folder == "-") throw Error("a head is two files, and -o - is one stream", "Give a folder: -o DIR.", Exit::usage);
    if (std::filesystem::exists(folder, failure) && !std::filesystem::is_empty(folder, failure))
        throw Error(folder.string() + " is there, and not empty", "Give a folder that is not there yet: -o DIR.", Exit::usage);
    write_head(options.words[1], folder, options.layout == "transformers" ? HeadLayout::transformers : HeadLayout::official);
    return Exit::ok;
}

// A speculation_profile.json as the options of a server that accepts as it says, or such options as a profile.
Exit export_acceptance(const Options& options) {
    constexpr std::size_t kLargest = 16'000'000;
    const std::string& format = options.words[0];
    const std::filesystem::path path = options.words[1];
    const std::string text = read_text_file(path, kLargest), name = path.filename().string();
    ResultFile file(options.output);
    if (format == "profile")
        file.write(profile_json(profile_of_synthetic(text, name)));
    else
        file.write((format == "vllm" ? vllm_synthetic(read_profile(text, name)) : llamacpp_synthetic(read_profile(text, name))) + "\n");
    file.commit();
    return Exit::ok;
}

} // namespace

Exit command_export(const Options& options) {
    const std::string& format = options.words[0];
    if (format == "head") return export_head(options);
    if (!options.layout.empty()) throw Error("--layout is of a head, and " + format + " has one form", "Leave it out.", Exit::usage);
    if (format == "vllm" || format == "llamacpp" || format == "profile") return export_acceptance(options);
    if (format != "jsonl" && format != "csv" && format != "perfetto" && format != "rounds")
        unknown_name("format", format, {"jsonl", "csv", "perfetto", "rounds", "head", "vllm", "llamacpp", "profile"});
    if (is_race_file(options.words[1]))
        throw Error(options.words[1] + " is a saved race, and only a trace of one run can be exported",
                    "Save one with: speclens run --json FILE");
    std::string notice;
    const std::shared_ptr<const Trace> trace = load_trace(options.words[1], &notice);
    stop_if_interrupted(); // else half of what was piped in would replace the whole of a file
    if (!trace->intact()) throw Error(notice, "Save the run again with: speclens run --json FILE", Exit::model);
    if (!notice.empty()) say(notice);
    const RunView view = fold(*trace, trace->size());
    if (!view.header) throw Error(options.words[1] + ": no run in this trace", "Save one with: speclens run --json FILE");
    ResultFile file(options.output);
    file.write(format == "csv"        ? csv(*trace, view)
               : format == "perfetto" ? perfetto(*trace, view)
               : format == "rounds"   ? rounds(*trace, view)
                                      : jsonl(*trace));
    file.commit();
    return Exit::ok;
}

} // namespace speclens::cli
