#include "remote/client/served_json.h"

#include <cmath>

#include "engine/base/json_read.h"

namespace speclens {
namespace {

Json said_json(const std::vector<Said>& list, const InWords& in_words) {
    Json json = Json::array();
    for (const Said& said : list) json.push_back(in_words(said));
    return json;
}

std::string one_line(const Json& json) { return json.dump(-1, BadUtf8::replaced); }

Json range_json(const Between& range) { return Json::array({range.low, range.high}); }

// What the rounds brought to the whole text: each the least and the most that it may be.
Json text_json(const SpecCounts& c, const InWords& in_words) {
    const TextShares shares = text_shares(c);
    Json json = {{"tokens", c.text->tokens}, {"words", said_json(text_words(c), in_words)}};
    if (c.text->answers) json["answers"] = *c.text->answers;
    if (!shares.wrong.empty()) json["contradiction"] = in_words(shares.wrong);
    const auto put_range = [&](const char* key, const std::optional<Between>& range) {
        if (range) json[key] = range_json(*range);
    };
    put_range("delivered", shares.delivered);
    put_range("share", shares.share);
    put_range("passes", shares.passes);
    put_range("tokens_per_pass", shares.per_pass);
    put_range(shares.plain_holds_first ? "passes_without_draft_or_first" : "passes_without_draft", shares.plain);
    put_range(shares.of_whole_answers ? "most_speed_up_of_whole_answers" : "most_speed_up", shares.most_speed_up);
    return json;
}

void put(Json& json, const char* key, const std::optional<double>& value) {
    if (value && std::isfinite(*value)) json[key] = *value;
}

Json counts_json(const SpecCounts& c, const InWords& in_words) {
    Json json = {{"drafted", c.drafted}, {"accepted", c.accepted}, {"accepted_at", c.accepted_at}};
    if (c.rounds) json["rounds"] = *c.rounds;
    if (!c.judged_at.empty()) json["judged_at"] = c.judged_at;
    if (c.worked_out) json["inferred"] = {"rounds", "accepted_at"};
    if (c.text) json["text"] = text_json(c, in_words);
    const DraftShape shape = draft_shape(c);
    if (shape.kind == DraftShape::Kind::open) json["tree"] = nullptr; // not told
    if (shape.tree()) {
        json["tree"] = true;
        put(json, "depth", shape.depth);
        put(json, "nodes", shape.nodes);
    }
    return json;
}

Json drafting_json(const DraftSettings& settings) {
    Json json = {{"tree", settings.tree()}};
    if (const auto nodes = settings.nodes()) json["nodes"] = *nodes;
    if (const auto depth = settings.depth()) json["depth"] = *depth;
    if (settings.topk) json["topk"] = *settings.topk;
    return json;
}

Json diffusion_json(const DiffusionCounts& counts) {
    Json json = {{"denoising_steps", counts.steps}, {"canvas_positions", counts.positions}, {"committed_tokens", counts.committed}};
    if (const auto each = counts.tokens_per_step()) json["tokens_per_step"] = *each;
    if (const auto each = counts.steps_per_canvas()) json["steps_per_canvas"] = *each;
    return json;
}

} // namespace

std::string reading_json(const ServerReading& r, double seconds, const InWords& in_words, const char* tier) {
    Json json = {
        {"schema", "speclens-reading/1"}, {"tier", tier}, {"seconds", seconds}, {"server", server_name(r.kind)}, {"models", r.models}};
    if (r.counts) {
        json["counts"] = counts_json(*r.counts, in_words);
        json["findings"] = said_json(findings(*r.counts), in_words);
    }
    put(json, "tokens_per_round", r.counts ? acceptance_length(*r.counts) : r.reported_length);
    for (const ReadingPart& part : r.parts) {
        Json one = {{"name", part.name}, {"counts", counts_json(part.counts, in_words)}};
        put(one, "tokens_per_round", acceptance_length(part.counts));
        json["parts"].push_back(std::move(one));
    }
    if (!r.wrong.empty()) json["contradiction"] = in_words(r.wrong);
    if (r.drafting.told()) json["drafting"] = drafting_json(r.drafting);
    if (r.diffusion) json["diffusion"] = diffusion_json(*r.diffusion);
    if (!r.other_counters.empty()) json["other_counters"] = r.other_counters;
    if (!r.zeros.empty()) json["not_told"] = in_words(r.zeros);
    put(json, "told_accepted", r.reported_accepted);
    put(json, "told_tokens_per_round", r.reported_length);
    put(json, "told_rate", r.reported_rate);
    put(json, "told_drafts", r.reported_drafts);
    put(json, "verify_calls", r.verify_calls);
    if (r.reported_length) put(json, "rate", reported_rates(r).share(r.reported_length, r.reported_rate));
    put(json, "generated_tokens", r.generated);
    put(json, "answers", r.answers);
    put(json, "in_flight_tokens", r.in_flight);
    put(json, "generating_seconds", r.generating_seconds);
    put(json, "prompt_tokens", r.prompt_tokens);
    put(json, "running", r.running);
    put(json, "waiting", r.waiting);
    put(json, "preempted", r.preempted);
    put(json, "cache_share", r.cache_share);
    put(json, "told_tokens_per_second", r.reported_throughput);
    put(json, "first_token_ms", r.first_token.mean_ms());
    put(json, "between_tokens_ms", r.between_tokens.mean_ms());
    return one_line(json);
}

std::string log_json(const LogEntry& e, const InWords& in_words) {
    Json json = {{"schema", "speclens-log/1"},    {"tier", "RECORDED"},       {"line", e.line},
                 {"server", server_name(e.kind)}, {"since_start", e.whole()}, {"per_position", e.per_position}};
    if (!e.method.empty()) json["method"] = e.method;
    if (!e.writer.empty()) json["writer"] = e.writer;
    if (!e.task.empty()) json["task"] = e.task;
    if (!e.depths.empty()) json["depths"] = e.depths;
    if (e.listed) json["rounds_listed"] = true;
    put(json, "told_accepted", e.reported_accepted);
    if (e.counts) json["counts"] = counts_json(*e.counts, in_words);
    if (!e.counts && e.text) json["text"] = {{"tokens", e.text->tokens}};
    if (!e.remark.empty()) json["remark"] = e.remark;
    if (!e.left_out.empty()) json["left_out"] = in_words(listed(e.left_out));
    put(json, "tokens_per_round", e.length);
    put(json, "rate", e.rate);
    put(json, "told_rate", e.reported_rate);
    put(json, "tokens_per_second", e.tokens_per_second);
    put(json, "running", e.running);
    put(json, "waiting", e.waiting);
    return one_line(json);
}

std::string log_sum_json(const LogReading& log, const InWords& in_words) {
    const SpecCounts sum = log.sum();
    std::vector<Said> found = log_findings(log);
    for (Said& finding : findings(sum)) found.push_back(std::move(finding));
    Json json = {{"schema", "speclens-log-sum/1"},
                 {"tier", "RECORDED"},
                 {"lines", log.lines},
                 {"entries", log.entries.size()},
                 {"server", server_name(log.kind())},
                 {"since_start", log.sum_is_whole()},
                 {"findings", said_json(found, in_words)}};
    if (!sum.empty()) json["counts"] = counts_json(sum, in_words);
    if (log.drafting.told()) json["drafting"] = drafting_json(log.drafting);
    if (log.diffusion) json["diffusion"] = diffusion_json(*log.diffusion);
    if (log.drift)
        json["hours"] = {{"first", log.drift->first}, {"last", log.drift->last}, {"apart", log.drift->hours}, {"differ", log.drift->clear}};
    put(json, "tokens_per_round", sum.empty() ? std::nullopt : acceptance_length(sum));
    return one_line(json);
}

std::string bench_json(const BenchRecord& r, const InWords& in_words) {
    Json json = {{"schema", "speclens-bench-record/1"}, {"tier", "RECORDED"}, {"tokens", r.tokens}, {"gaps_ms", r.gaps}};
    const auto reported = [&](const char* key, double value) {
        if (value > 0) json[key] = value;
    };
    reported("first_ms", r.first_ms);
    reported("whole_ms", r.whole_ms);
    reported("between_ms", r.between_ms);
    reported("tokens_per_chunk", r.tokens_per_chunk());
    if (!r.source.empty()) json["source"] = r.source;
    if (r.counts) {
        json["counts"] = counts_json(*r.counts, in_words);
        put(json, "tokens_per_round", acceptance_length(*r.counts));
    }
    if (!r.left_out.empty()) json["left_out"] = in_words(r.left_out);
    return one_line(json);
}

std::string bench_sum_json(const BenchRecords& records, const InWords& in_words) {
    Json json = {{"schema", "speclens-bench-sum/1"},
                 {"tier", "RECORDED"},
                 {"requests", records.answered.size()},
                 {"warm_up", records.warm_up},
                 {"failed", records.failed}};
    if (const auto sum = records.sum()) {
        json["counts"] = counts_json(*sum, in_words);
        json["findings"] = said_json(findings(*sum), in_words);
        put(json, "tokens_per_round", acceptance_length(*sum));
    }
    for (const auto& [source, counts] : records.by_source()) {
        Json one = {{"source", source}, {"counts", counts_json(counts, in_words)}};
        put(one, "tokens_per_round", acceptance_length(counts));
        json["by_source"].push_back(std::move(one));
    }
    return one_line(json);
}

std::string served_json(const ServedText& s, const InWords& in_words, const char* tier) {
    static constexpr const char* kProvenance[] = {"exact", "inferred", "aggregate"};
    static constexpr const char* kRules[] = {"open", "matching", "rejection"};
    static constexpr const char* kAuthors[] = {"unknown", "first", "draft", "target", "mixed"};
    Json json = {{"schema", "speclens-served/1"},
                 {"tier", tier},
                 {"text", s.text()},
                 {"provenance", kProvenance[static_cast<int>(s.provenance)]},
                 {"tokens", s.tokens},
                 {"first_ms", s.first_ms},
                 {"total_ms", s.total_ms},
                 {"finish", s.finish},
                 {"notes", said_json(s.notes, in_words)}};
    put(json, "tokens_per_second", s.tokens_per_second());
    json["pieces"] = Json::array();
    for (const ServedPiece& p : s.pieces)
        json["pieces"].push_back(
            {{"text", p.text}, {"ms", p.ms}, {"round", p.round}, {"tokens", p.tokens}, {"author", kAuthors[static_cast<int>(p.author)]}});
    json["rounds"] = Json::array();
    for (const ServedRound& r : s.rounds)
        json["rounds"].push_back({{"drafted", r.drafted >= 0 ? Json(r.drafted) : Json(nullptr)}, {"accepted", r.accepted}});
    if (s.counts) {
        json["counts"] = counts_json(*s.counts, in_words);
        if (s.rounds_at_most) json["counts"]["rounds_at_most"] = *s.rounds_at_most;
        json["findings"] = said_json(findings(*s.counts), in_words);
        put(json, "tokens_per_round", acceptance_length(*s.counts));
        put(json, "written_per_round", s.written_per_round());
    }
    if (s.rule) json["rule"] = {{"kind", kRules[static_cast<int>(s.rule->kind)]}, {"cuts", s.rule->cuts}, {"differ", s.rule->differ}};
    if (s.unwritten > 0) json["unwritten"] = s.unwritten;
    put(json, "told_tokens_per_second", s.reported_tokens_per_second);
    return one_line(json);
}

} // namespace speclens
