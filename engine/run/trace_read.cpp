// Reading sessions back. Files come from anywhere: every field is checked, a wrong one names its line.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <istream>
#include <map>
#include <mutex>

#include "engine/base/json.h"
#include "engine/length/costs_file.h"
#include "engine/run/options_json.h"
#include "engine/run/saved_settings.h"
#include "engine/run/trace_fields.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"

namespace speclens {

using namespace trace_file;

namespace {

// sampling: the name of the object that has those of drawing.
void read_settings(const OrderedJson& header, const char* sampling, RunSettings& to) {
    for (const RunSetting& setting : run_setting_list()) {
        if (setting.within == nullptr) continue;
        const char* within = std::string_view(setting.within) == "sampling" ? sampling : setting.within;
        if (*within && !header.contains(within)) continue;
        const OrderedJson& from = *within ? header.at(within) : header;
        if (setting.saved == RunSetting::Written::always || from.contains(setting.key)) take_json(setting, from, to);
    }
}

Header read_header(const OrderedJson& object) {
    const Reader r(object);
    Header h;
    RunSettings settings, drafts;
    settings.drafter = r.text("drafter");
    read_settings(object, "draft_sampling", drafts);
    read_settings(object, "sampling", settings);
    settings.draft_sampling = drafts.sampling;
    take_settings(settings, h);
    if (const auto params = object.find("rule_params"); params != object.end()) take_rule_params(*params, h.rule, h.rule_params);
    h.model = r.text("model");
    h.drafter_model = r.text_or("drafter_model");
    h.own_draft = object.contains("own_draft") && r.flag("own_draft");
    h.drafter_fingerprint = r.text_or("drafter_fingerprint");
    h.fingerprint = r.text_or("fingerprint");
    h.weights = r.text_or("weights");
    h.precision = r.precision_or("precision", Precision::f32);
    h.kernels = r.integer_or("kernels", 0);
    h.nodes = r.integer_or("nodes", 0);
    h.draft_ids = r.integer_or("draft_ids", 0);
    h.draft_ids_are = r.text_or("draft_ids_are");
    if (const auto costs = object.find("k_costs"); costs != object.end()) {
        h.k_costs = costs_of_json(*costs);
        if (!h.k_costs) throw Malformed{"\"k_costs\" must have lists of [rows or tokens, milliseconds] that ascend from 1"};
    }
    h.backend = r.text_or("backend");
    h.machine = r.text_or("machine");
    h.date = r.text_or("date");
    h.tier = r.text_or("tier") == "TABLE" ? "TABLE" : "RECORDED";
    h.vocab = r.integer("vocab");
    h.prefill_boundary = r.integer("prefill_boundary");
    h.notice = r.text_or("notice");
    h.prompt = r.ids("prompt");
    h.prompt_text = r.text_or("prompt_text");
    if (const auto chat = object.find("chat"); chat != object.end()) {
        const Reader turn(*chat);
        h.chat = Header::Chat{turn.text("said"), turn.text_or("system"), turn.flag("thinking")};
    }
    if (const auto changed = object.find("options"); changed != object.end()) h.options = drafter_options_of(*changed);
    return h;
}

std::shared_ptr<const TraceTimes> read_times(const Reader& r) {
    const auto amount = [&](const char* name) {
        const double value = r.finite(name);
        if (value < 0) throw Malformed{std::string("\"") + name + "\" must not be below 0"};
        return value;
    };
    auto times = std::make_shared<TraceTimes>();
    times->plain_ms = r.milliseconds("plain_ms");
    times->spread = amount("spread");
    times->plain_spread = amount("plain_spread");
    times->busy_cores = amount("busy_cores");
    times->to_recorded = amount("to_recorded");
    times->repeats = r.integer("repeats");
    const OrderedJson& events = r.field("events");
    if (!events.is_array()) throw Malformed{"\"events\" must be a list of [milliseconds, milliseconds]"};
    for (const OrderedJson& event : events) {
        const bool pair = event.is_array() && event.size() == 2 && event[0].is_number() && event[1].is_number();
        const EventTimes one = pair ? EventTimes{event[0].get<double>(), event[1].get<double>()} : EventTimes{-1, -1};
        if (!(one.ms >= 0 && one.ms < 1e12 && one.aside >= 0 && one.aside < 1e12))
            throw Malformed{"\"events\" must be a list of [milliseconds, milliseconds]"};
        times->events.push_back(one);
    }
    return times;
}

// Which of two chained drafters "by" names; -1: it is not there, or a later version has other drafters.
int part_named(const Reader& r, const Header* header) {
    const std::string name = r.text_or("by");
    for (const int part : {0, 1})
        if (const DrafterInfo* who = header ? part_of(header->drafter, part) : nullptr; who && name == who->name) return part;
    return -1;
}

Event read_event(const OrderedJson& object, const Header* header) {
    const Reader r(object);
    const std::string kind = r.text("kind");
    if (kind == "header") return read_header(object);
    if (kind == "prefill") return Prefill{r.integer("tokens"), r.milliseconds("ms")};
    if (kind == "draft") {
        Drafted e;
        e.round = r.integer("cycle");
        e.index = r.integer("index");
        e.parent = r.integer("parent");
        e.token = r.integer("token");
        e.q = r.logp("q");
        e.u = r.coin();
        e.top = r.top("top");
        e.raw_top = r.top("raw_top");
        e.base_top = r.top("base_top");
        e.extra = r.text_or("extra");
        e.ms = r.milliseconds("ms");
        e.head_ms = r.milliseconds("head_ms");
        e.by = part_named(r, header);
        e.internals = r.internals();
        return e;
    }
    if (kind == "verify") {
        Verified e{
            .round = r.integer("cycle"), .rows = r.integer("rows"), .ms = r.milliseconds("ms"), .draft_ms = r.milliseconds("draft_ms")};
        if (object.contains("sent"))
            e.wire = Wire{r.bytes("sent"), r.bytes("received"), r.milliseconds("wire_ms"), r.milliseconds("server_ms"),
                          r.integer_or("retries", 0)};
        e.ahead = r.integer_or("ahead", 0);
        e.ahead_ms = r.milliseconds("ahead_ms");
        e.from_ahead = r.integer_or("from_ahead", 0);
        if (object.contains("k")) e.asked = DraftSize{std::clamp(r.integer("k"), 0, 64), std::max(0, r.integer_or("nodes", 0))};
        e.by = part_named(r, header);
        const bool chained = header && part_of(header->drafter, 0);
        if (e.asked && chained) e.asked->by = e.by;
        return e;
    }
    if (kind == "check") {
        Checked e;
        e.round = r.integer("cycle");
        e.index = r.integer("index");
        e.token = r.integer("token");
        e.p = r.logp("p");
        e.q = r.logp("q");
        e.accepted = r.flag("accepted");
        e.threshold = r.probability("threshold", e.accepted ? 1 : 0);
        e.u = r.coin();
        if (object.contains("set")) e.set = r.flag("set");
        if (object.contains("left")) e.sibling_residual = r.logp("left");
        if (object.contains("goal")) e.mixture = r.logp("goal");
        if (object.contains("limit")) e.typical_threshold = r.probability("limit", 0);
        if (object.contains("joint")) e.prefix_coefficient = r.logp("joint");
        e.top = r.top("top");
        e.raw_top = r.top("raw_top");
        return e;
    }
    if (kind == "resample") {
        TargetToken e;
        e.round = r.integer("cycle");
        const std::string from = r.text("from");
        if (from == "residual")
            e.from = TargetToken::From::residual;
        else if (from == "bonus")
            e.from = TargetToken::From::bonus;
        else if (from != "target")
            throw Malformed{"\"from\" must be residual, bonus or target"};
        if (object.contains("parent")) e.parent = r.integer("parent");
        e.token = r.integer("token");
        e.u = r.coin();
        e.p = r.logp("p");
        e.top = r.top("top");
        e.target_top = r.top("target_top");
        e.raw_top = r.top("raw_top");
        return e;
    }
    if (kind == "commit") {
        Committed e;
        e.round = r.integer("cycle");
        e.accepted_drafts = r.integer("accepted_drafts");
        if (object.contains("path")) e.path = r.ids("path");
        e.tokens = r.ids("tokens");
        e.kv_before = r.integer("kv_before");
        e.kv_verify = r.integer_or("kv_verify", 0);
        e.kv_after = r.integer("kv_after");
        e.accept_ms = r.milliseconds("accept_ms");
        e.ms = r.milliseconds("ms");
        e.internals = r.internals();
        return e;
    }
    if (kind == "stop") {
        Stopped e;
        e.reason = r.text("reason");
        e.hash = std::strtoull(r.text_or("hash").c_str(), nullptr, 16);
        return e;
    }
    if (kind == "failed") return Failed{r.text("what"), r.text_or("try")};
    if (kind == "command") return Commanded{r.text("text")};
    throw Malformed{"unknown kind \"" + kind + "\""};
}

void read_texts(const OrderedJson& object, std::map<int, std::string>& texts) {
    for (const char* name : {"texts", "bytes"}) {
        if (!object.contains(name) || !object[name].is_object()) continue;
        for (const auto& [key, value] : object[name].items()) {
            if (!value.is_string()) continue;
            std::string text = value.get<std::string>();
            if (name[0] == 'b') {
                std::string raw;
                for (std::size_t i = 0; i + 1 < text.size(); i += 2)
                    raw += static_cast<char>(std::strtol(text.substr(i, 2).c_str(), nullptr, 16));
                text = std::move(raw);
            }
            texts[std::atoi(key.c_str())] = std::move(text);
        }
    }
}

} // namespace

struct TraceReader::Texts {
    std::mutex mutex; // the trace is read on other threads
    std::map<int, std::string> of;
};

TraceReader::TraceReader(std::string name)
    : name_(std::move(name)), texts_(std::make_shared<Texts>()), trace_(std::make_shared<Trace>([texts = texts_](int id) {
          const std::lock_guard lock(texts->mutex);
          const auto found = texts->of.find(id);
          return found == texts->of.end() ? "<" + std::to_string(id) + ">" : found->second;
      })) {}

void TraceReader::line(const std::string& text, bool last) {
    ++line_;
    if (text.empty()) return;
    const auto bad = [&](const std::string& what) {
        return Error(name_ + ", line " + std::to_string(line_) + ": " + what,
                     "Is this a SpecLens session (JSON Lines, schema speclens-trace/1)? Record one with: speclens run --json FILE");
    };
    const OrderedJson object = OrderedJson::parse_or_discard(text);
    if (object.is_discarded()) {
        if (!last || trace_->size() == 0) throw bad("not valid JSON");
        // Killed while writing: everything before is whole.
        if (notice_.empty()) notice_ = "the file ends in the middle of line " + std::to_string(line_) + "; shown up to there";
        return;
    }
    try {
        if (trace_->size() == 0) {
            const Reader r(object);
            if (r.text("schema") != "speclens-trace/1") throw Malformed{"unknown schema \"" + r.text("schema") + "\""};
            if (r.text("kind") != "header") throw Malformed{"the first line must be the header"};
        }
        if (const Reader r(object); r.text("kind") == "plain") return trace_->set_plain_ms(r.milliseconds("ms_per_token"));
        if (const Reader r(object); r.text("kind") == "times") return trace_->set_times(read_times(r));
        Event event = read_event(object, trace_->header());
        if (trace_->size() > 0 && std::holds_alternative<Header>(event)) throw Malformed{"a second header"};
        {
            const std::lock_guard lock(texts_->mutex);
            read_texts(object, texts_->of);
        }
        const bool end = std::holds_alternative<Stopped>(event);
        trace_->append(std::move(event));
        if (end && !trace_->intact())
            notice_ = name_ + " does not match the hash it ends with: it was changed or damaged after it was "
                              "recorded, so what it shows may be what no run ever did";
    } catch (const Malformed& error) {
        throw bad(error.what);
    } catch (const JsonError& error) {
        throw bad(error.what());
    }
}

std::shared_ptr<Trace> read_trace(std::istream& in, const std::string& name, std::string* notice) {
    TraceReader reader(name);
    std::string text;
    while (std::getline(in, text)) reader.line(text, in.peek() == std::istream::traits_type::eof());
    if (in.bad()) throw Error(name + ": cannot be read to its end", "Copy it again, or record a shorter run.");
    if (reader.trace()->size() == 0)
        throw Error(name + " is empty",
                    "Is this a SpecLens session (JSON Lines, schema speclens-trace/1)? Record one with: speclens run --json FILE");
    if (notice && !reader.notice().empty()) *notice = reader.notice();
    return reader.trace();
}

void refuse_folder(const std::filesystem::path& file) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(file, ignored)) return;
    const bool model = std::filesystem::exists(file / "config.json", ignored);
    throw Error(file.string() + " is a folder" + (model ? " with a model" : ""),
                model ? "A model: speclens --model FOLDER; a head for it: --drafter NAME=FOLDER."
                      : "Choose a file; record a run with: speclens run --json FILE");
}

std::shared_ptr<Trace> load_trace(const std::filesystem::path& file, std::string* notice) {
    if (file == "-") return read_trace(std::cin, "standard input", notice);
    refuse_folder(file);
    std::ifstream in(file, std::ios::binary);
    if (!in) throw Error("cannot open the session file " + file.string(), "Check the path; record one with: speclens run --json FILE");
    return read_trace(in, file.filename().string(), notice);
}

} // namespace speclens
