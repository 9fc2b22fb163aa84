#include "engine/run/trace_json.h"

#include <cmath>
#include <cstdio>

#include "engine/base/json.h"
#include "engine/base/printed.h"
#include "engine/base/utf8.h"
#include "engine/drafters/drafter_info.h"
#include "engine/length/costs_file.h"
#include "engine/run/options_json.h"
#include "engine/run/saved_settings.h"
#include "files/atomic_file.h"

namespace speclens {
namespace {

OrderedJson log_json(double logp) { return std::isfinite(logp) ? OrderedJson(logp) : OrderedJson(nullptr); }

void put_top(OrderedJson& object, const char* name, const TopEntries& top) {
    if (top.empty()) return;
    OrderedJson list = OrderedJson::array();
    for (const TopEntries::Entry& entry : top.entries) list.push_back(OrderedJson::array({entry.id, log_json(entry.logp)}));
    object[name] = std::move(list);
    object[std::string(name) == "top" ? "rest" : std::string(name) + "_rest"] = top.rest;
}

void put_coin(OrderedJson& object, const std::optional<double>& u) {
    if (u) object["u"] = *u;
}

const char* from_name(TargetToken::From from) {
    switch (from) {
    case TargetToken::From::residual: return "residual";
    case TargetToken::From::bonus: return "bonus";
    case TargetToken::From::target: break;
    }
    return "target";
}

void put_internals(OrderedJson& object, std::vector<int>& ids, const Internals& internals) {
    if (internals.empty()) return;
    OrderedJson all = OrderedJson::object();
    for (const Internals::Strip& strip : internals.strips)
        all["strips"].push_back(
            {{"name", strip.name}, {"values", strip.values}, {"low", strip.low}, {"high", strip.high}, {"cells", strip.cells}});
    for (const Internals::Number& number : internals.numbers) {
        OrderedJson one = {{"name", number.name}, {"value", number.value}};
        if (!number.unit.empty()) one["unit"] = number.unit;
        all["numbers"].push_back(std::move(one));
    }
    for (const Internals::Mover& mover : internals.movers) {
        all["movers"].push_back({{"token", mover.token},
                                 {"base_logit", mover.base_logit},
                                 {"final_logit", mover.final_logit},
                                 {"base_logp", log_json(mover.base_logp)},
                                 {"final_logp", log_json(mover.final_logp)}});
        ids.push_back(mover.token);
    }
    object["lens"] = std::move(all);
}

std::string hash_text(std::uint64_t hash) { return printed("%016llx", static_cast<unsigned long long>(hash)); }

void put_settings(OrderedJson& o, const Header& header) {
    RunSettings settings = settings_of(header);
    for (const RunSetting& setting : run_setting_list()) {
        if (setting.within == nullptr) continue;
        if (setting.saved != RunSetting::Written::always && is_default(setting, settings)) continue;
        (*setting.within ? o[setting.within] : o)[setting.key] = value_json(setting, settings);
    }
    settings.sampling = header.draft_sampling;
    for (const RunSetting& setting : run_setting_list())
        if (setting.within != nullptr && o["sampling"].contains(setting.key))
            o["draft_sampling"][setting.key] = value_json(setting, settings);
    if (OrderedJson values = rule_params_json(header.rule, header.rule_params); !values.empty()) o["rule_params"] = std::move(values);
}

// Fills the fields of one event; `ids` collects the token ids it mentions.
struct EventJson {
    OrderedJson& o;
    std::vector<int>& ids;
    const Trace& trace;

    void top(const char* name, const TopEntries& t) const {
        put_top(o, name, t);
        for (const TopEntries::Entry& entry : t.entries) ids.push_back(entry.id);
    }
    void put_drafter(int by) const {
        if (const DrafterInfo* who = part_of(trace.header()->drafter, by)) o["by"] = who->name;
    }
    void token(int id) const {
        o["token"] = id;
        o["text"] = valid_utf8(trace.text(id));
        ids.push_back(id);
    }

    void operator()(const Header& e) const {
        o = {{"schema", "speclens-trace/1"}, {"kind", "header"}, {"model", e.model}, {"drafter", e.drafter}};
        if (!e.drafter_model.empty()) o["drafter_model"] = e.drafter_model;
        if (e.own_draft) o["own_draft"] = true;
        if (!e.drafter_fingerprint.empty()) o["drafter_fingerprint"] = e.drafter_fingerprint;
        if (!e.fingerprint.empty()) o["fingerprint"] = e.fingerprint;
        if (!e.weights.empty()) o["weights"] = e.weights;
        if (e.precision != Precision::f32) o["precision"] = name_of(e.precision);
        if (e.kernels != 0) o["kernels"] = e.kernels;
        put_settings(o, e);
        if (e.nodes > 0) o["nodes"] = e.nodes;
        if (e.draft_ids > 0) o["draft_ids"] = e.draft_ids;
        if (!e.draft_ids_are.empty()) o["draft_ids_are"] = e.draft_ids_are;
        if (e.k_costs) o["k_costs"] = costs_json(*e.k_costs);
        o["backend"] = e.backend;
        o["machine"] = e.machine;
        o["date"] = e.date;
        o["tier"] = e.tier;
        o["vocab"] = e.vocab;
        o["prefill_boundary"] = e.prefill_boundary;
        if (!e.notice.empty()) o["notice"] = e.notice;
        o["prompt"] = e.prompt;
        o["prompt_text"] = valid_utf8(e.prompt_text);
        if (e.chat)
            o["chat"] = {{"said", valid_utf8(e.chat->said)}, {"system", valid_utf8(e.chat->system)}, {"thinking", e.chat->thinking}};
        if (OrderedJson changed = options_json(e.options); !changed.empty()) o["options"] = std::move(changed);
        ids = e.prompt;
    }
    void operator()(const Prefill& e) const { o = {{"kind", "prefill"}, {"tokens", e.tokens}, {"ms", e.ms}}; }
    void operator()(const Drafted& e) const {
        o = {{"kind", "draft"}, {"cycle", e.round}, {"index", e.index}, {"parent", e.parent}};
        token(e.token);
        o["q"] = log_json(e.q);
        put_coin(o, e.u);
        top("top", e.top);
        top("raw_top", e.raw_top);
        top("base_top", e.base_top);
        if (!e.extra.empty()) o["extra"] = e.extra;
        put_drafter(e.by);
        o["ms"] = e.ms;
        if (e.head_ms > 0) o["head_ms"] = e.head_ms;
        put_internals(o, ids, e.internals);
    }
    void operator()(const Verified& e) const {
        o = {{"kind", "verify"}, {"cycle", e.round}, {"rows", e.rows}, {"ms", e.ms}};
        if (e.draft_ms > 0) o["draft_ms"] = e.draft_ms;
        if (e.wire) {
            o["sent"] = e.wire->sent;
            o["received"] = e.wire->received;
            o["wire_ms"] = e.wire->ms;
            if (e.wire->server_ms > 0) o["server_ms"] = e.wire->server_ms;
            if (e.wire->retries > 0) o["retries"] = e.wire->retries;
        }
        if (e.ahead > 0) o["ahead"] = e.ahead, o["ahead_ms"] = e.ahead_ms;
        if (e.from_ahead > 0) o["from_ahead"] = e.from_ahead;
        if (e.asked) o["k"] = e.asked->k;
        if (e.asked && e.asked->nodes > 0) o["nodes"] = e.asked->nodes;
        put_drafter(e.by);
    }
    void operator()(const Checked& e) const {
        o = {{"kind", "check"}, {"cycle", e.round}, {"index", e.index}};
        token(e.token);
        o["p"] = log_json(e.p);
        o["q"] = log_json(e.q);
        o["threshold"] = e.threshold;
        put_coin(o, e.u);
        if (e.set) o["set"] = true;
        o["accepted"] = e.accepted;
        if (e.sibling_residual) o["left"] = log_json(*e.sibling_residual);
        if (e.mixture) o["goal"] = log_json(*e.mixture);
        if (e.typical_threshold) o["limit"] = *e.typical_threshold;
        if (e.prefix_coefficient) o["joint"] = log_json(*e.prefix_coefficient);
        top("top", e.top);
        top("raw_top", e.raw_top);
    }
    void operator()(const TargetToken& e) const {
        o = {{"kind", "resample"}, {"cycle", e.round}, {"from", from_name(e.from)}};
        if (e.parent) o["parent"] = *e.parent;
        token(e.token);
        put_coin(o, e.u);
        o["p"] = log_json(e.p);
        top("top", e.top);
        top("target_top", e.target_top);
        top("raw_top", e.raw_top);
    }
    void operator()(const Committed& e) const {
        // clang-format off
        o = {{"kind", "commit"},          {"cycle", e.round},         {"accepted_drafts", e.accepted_drafts},
             {"tokens", e.tokens},        {"kv_before", e.kv_before}, {"kv_verify", e.kv_verify},
             {"kv_after", e.kv_after},    {"accept_ms", e.accept_ms}, {"ms", e.ms}};
        // clang-format on
        if (!e.path.empty()) o["path"] = e.path;
        ids = e.tokens;
        put_internals(o, ids, e.internals);
    }
    void operator()(const Stopped& e) const { o = {{"kind", "stop"}, {"reason", e.reason}, {"hash", hash_text(e.hash)}}; }
    void operator()(const Failed& e) const { o = {{"kind", "failed"}, {"what", e.what}, {"try", e.remedy}}; }
    void operator()(const Commanded& e) const { o = {{"kind", "command"}, {"text", e.text}}; }
};

std::string hex(const std::string& bytes) {
    std::string text;
    for (unsigned char c : bytes) {
        char pair[3];
        std::snprintf(pair, sizeof pair, "%02x", c);
        text += pair;
    }
    return text;
}

} // namespace

std::string TraceWriter::line(const Event& event) {
    OrderedJson object;
    std::vector<int> ids;
    std::visit(EventJson{object, ids, *trace_}, event);
    // Texts travel with the event that first mentions an id; bytes that are not UTF-8 on their own as hex.
    OrderedJson texts = OrderedJson::object();
    OrderedJson bytes = OrderedJson::object();
    for (int id : ids) {
        if (!named_.insert(id).second) continue;
        const std::string text = trace_->text(id);
        if (is_valid_utf8(text))
            texts[std::to_string(id)] = text;
        else
            bytes[std::to_string(id)] = hex(text);
    }
    if (!texts.empty()) object["texts"] = std::move(texts);
    if (!bytes.empty()) object["bytes"] = std::move(bytes);
    return object.dump(-1, BadUtf8::replaced);
}

std::string TraceWriter::closing_lines() const {
    std::string lines;
    const std::shared_ptr<const TraceTimes> times = trace_->times();
    if (times && times->repeats > 0) {
        OrderedJson events = OrderedJson::array();
        for (const EventTimes& event : times->events) events.push_back({event.ms, event.aside});
        lines += OrderedJson{{"kind", "times"},
                             {"plain_ms", times->plain_ms},
                             {"spread", times->spread},
                             {"plain_spread", times->plain_spread},
                             {"busy_cores", times->busy_cores},
                             {"to_recorded", times->to_recorded},
                             {"repeats", times->repeats},
                             {"events", std::move(events)}}
                     .dump() +
                 "\n";
    }
    if (trace_->plain_ms() > 0) lines += OrderedJson{{"kind", "plain"}, {"ms_per_token", trace_->plain_ms()}}.dump() + "\n";
    return lines;
}

void save_trace(const Trace& trace, const std::filesystem::path& file) {
    AtomicFile out(file);
    TraceWriter writer(trace);
    const std::size_t count = trace.size();
    for (std::size_t i = 0; i < count; ++i) out.write(writer.line(trace[i]) + "\n");
    out.write(writer.closing_lines());
    out.commit();
}

} // namespace speclens
