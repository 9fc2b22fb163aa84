#include "remote/reading/server_reading.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "remote/reading/reported_number.h"

namespace speclens {
namespace {

constexpr int kMostPlaces = 256;

struct Prefix {
    ServerKind kind;
    std::string_view text;
};
constexpr Prefix kPrefixes[] = {{ServerKind::vllm, "vllm:"}, {ServerKind::sglang, "sglang:"}, {ServerKind::llamacpp, "llamacpp:"}};

// A counter's name with and without the suffix that client libraries append.
bool is_counter(std::string_view name, std::string_view wanted) {
    return name == wanted || (name.size() == wanted.size() + 6 && name.starts_with(wanted) && name.ends_with("_total"));
}

// The samples of one server, by the name behind its prefix.
class Reader {
  public:
    Reader(const std::vector<MetricSample>& samples, std::string_view prefix) {
        for (const MetricSample& sample : samples)
            if (std::string_view(sample.name).starts_with(prefix))
                (reported_count(sample.value) ? rows_ : odd_).push_back({std::string_view(sample.name).substr(prefix.size()), &sample});
    }
    // Sum over engines and models; several names: the first one that occurs.
    std::optional<double> sum(std::initializer_list<std::string_view> names) const {
        for (const std::string_view wanted : names) {
            std::optional<double> total;
            for (const auto& [name, sample] : rows_)
                if (is_counter(name, wanted)) total = total.value_or(0) + sample->value;
            if (total) return total;
        }
        return {};
    }
    // Sum over replicas (SGLang: dp_rank) of a gauge. The ranks within one tell of the same requests: their
    // mean.
    std::optional<double> over_replicas(std::initializer_list<std::string_view> names) const {
        for (const std::string_view wanted : names) {
            std::map<std::string, std::pair<double, int>> replicas; // total, ranks
            for (const auto& [name, sample] : rows_)
                if (name == wanted) {
                    auto& [total, ranks] = replicas[replica_of(*sample)];
                    total += sample->value;
                    ++ranks;
                }
            double sum = 0;
            for (const auto& [replica, reported] : replicas) sum += reported.first / reported.second;
            if (!replicas.empty()) return sum;
        }
        return {};
    }
    // Mean over engines: shares and averages do not add up.
    std::optional<double> mean(std::initializer_list<std::string_view> names) const {
        for (const std::string_view wanted : names) {
            double total = 0, n = 0;
            for (const auto& [name, sample] : rows_)
                if (name == wanted) {
                    total += sample->value;
                    ++n;
                }
            if (n > 0) return total / n;
        }
        return {};
    }
    // The same over the ranks of which `working` is above 0: it is 0 before the first batch of a rank, which
    // then averages nothing.
    std::optional<double> mean_where(std::string_view working, std::string_view wanted) const {
        std::set<std::string> ranks;
        for (const auto& [name, sample] : rows_)
            if (name == working && sample->value > 0) ranks.insert(rank_of(*sample));
        double total = 0, n = 0;
        for (const auto& [name, sample] : rows_)
            if (name == wanted && ranks.contains(rank_of(*sample))) {
                total += sample->value;
                ++n;
            }
        return n > 0 ? std::optional(total / n) : std::nullopt;
    }
    Spent spent(std::initializer_list<std::string> names) const {
        for (const std::string& name : names) {
            const auto seconds = sum({name + "_sum"}), count = sum({name + "_count"});
            if (seconds && count) return {*seconds, *count};
        }
        return {};
    }
    std::vector<double> places(std::string_view wanted) const {
        std::vector<double> out;
        for (const auto& [name, sample] : rows_) {
            if (!is_counter(name, wanted)) continue;
            const std::string* place = sample->label("position");
            int at = -1;
            if (!place || std::from_chars(place->data(), place->data() + place->size(), at).ec != std::errc() || at < 0 ||
                at >= kMostPlaces)
                continue;
            out.resize(std::max<std::size_t>(out.size(), static_cast<std::size_t>(at) + 1), 0);
            out[static_cast<std::size_t>(at)] += sample->value;
        }
        return out;
    }
    std::vector<std::string> models() const {
        std::vector<std::string> out;
        for (const auto& row : rows_)
            if (const std::string* model = row.second->label("model_name"))
                if (std::find(out.begin(), out.end(), *model) == out.end() && out.size() < 16) out.push_back(*model);
        return out;
    }
    // The samples apart by their labels but for `position`, each group a reader of its own.
    std::vector<std::pair<std::string, Reader>> apart(std::string_view counter) const {
        std::vector<std::pair<std::string, Reader>> out;
        std::map<std::string, std::string> names; // of groups: the values that tell them apart
        std::map<std::string, std::set<std::string>> values;
        for (const auto& [name, sample] : rows_)
            if (is_counter(name, counter))
                for (const auto& [label, value] : sample->labels) values[label].insert(value);
        const auto name_of = [&](const MetricSample& sample) {
            std::string text;
            for (const auto& [label, value] : sample.labels)
                if (label != "position" && values[label].size() > 1) text += (text.empty() ? "" : ", ") + value;
            return text;
        };
        for (const auto& row : rows_)
            if (is_counter(row.first, counter) && names.emplace(name_of(*row.second), "").second) {
                Reader group;
                for (const auto& other : rows_)
                    if (name_of(*other.second) == name_of(*row.second)) group.rows_.push_back(other);
                out.emplace_back(name_of(*row.second), std::move(group));
            }
        return out;
    }
    bool empty() const { return rows_.empty() && odd_.empty(); }
    // Whether such a counter says what cannot be.
    bool odd(std::string_view wanted) const {
        return std::ranges::any_of(odd_, [&](const auto& row) { return is_counter(row.first, wanted); });
    }

  private:
    Reader() = default;
    static std::string rank_of(const MetricSample& sample) {
        std::string out;
        for (const auto& [name, value] : sample.labels) out += name + "=" + value + ",";
        return out;
    }
    static std::string replica_of(const MetricSample& sample) {
        MetricSample without = sample;
        std::erase_if(without.labels, [](const auto& label) {
            return label.first == "tp_rank" || label.first == "pp_rank" || label.first == "moe_ep_rank";
        });
        return rank_of(without);
    }
    std::vector<std::pair<std::string_view, const MetricSample*>> rows_, odd_; // odd_: no figures that can be
};

// Half of the last digit that a gauge was printed with.
double rounding_of(double value) {
    std::array<char, 40> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr;
    const std::string_view digits(text.data(), static_cast<std::size_t>(end - text.data()));
    const std::size_t point = digits.find('.');
    return 0.5 * std::pow(10, point == std::string_view::npos ? 0 : -static_cast<double>(digits.size() - point - 1));
}

// The counts of one engine. vLLM's V0 engine counts no rounds, but what they emitted.
struct PartCounts {
    std::optional<SpecCounts> counts;
    std::optional<double> reported_accepted;
    std::string wrong;
};
PartCounts read_part(const Reader& reader) {
    PartCounts out;
    const auto drafted = reader.sum({"spec_decode_num_draft_tokens"}), accepted = reader.sum({"spec_decode_num_accepted_tokens"}),
               emitted = reader.sum({"spec_decode_num_emitted_tokens"}), rounds = reader.sum({"spec_decode_num_drafts"});
    if (!drafted || !accepted) return out;
    if (!rounds && emitted) {
        const auto efficiency = reader.mean({"spec_decode_efficiency"});
        V0Counts reported = read_v0_counts({*drafted, *accepted, *emitted, {}, efficiency, efficiency ? rounding_of(*efficiency) : 0});
        out.reported_accepted = accepted;
        out.counts = std::move(reported.counts);
        out.wrong = std::move(reported.wrong);
        return out;
    }
    out.counts = SpecCounts{rounds, *drafted, *accepted, reader.places("spec_decode_num_accepted_tokens_per_pos")};
    out.wrong = contradiction(*out.counts);
    return out;
}

} // namespace

const char* server_name(ServerKind kind) {
    switch (kind) {
    case ServerKind::vllm: return "vLLM";
    case ServerKind::sglang: return "SGLang";
    case ServerKind::llamacpp: return "llama.cpp";
    case ServerKind::unknown: break;
    }
    return "unknown server";
}

ServerReading read_metrics(const std::vector<MetricSample>& samples) {
    ServerReading out;
    for (const auto& [kind, text] : kPrefixes) {
        const Reader reader(samples, text);
        if (reader.empty()) continue;
        out.kind = kind;
        out.models = reader.models();
        const auto parts = reader.apart("spec_decode_num_draft_tokens");
        const std::size_t places = reader.places("spec_decode_num_accepted_tokens_per_pos").size();
        const bool trees = !Reader(samples, "speclens:").empty(); // our own server alone drafts them
        for (const auto& [name, part] : parts) {
            PartCounts reported = read_part(part);
            if (reported.counts && reported.wrong.empty() && !trees) reported.wrong = more_than_places(*reported.counts);
            // Counters of places appear with the first draft that is kept.
            if (reported.counts && reported.counts->accepted <= 0) reported.counts->accepted_at.resize(places, 0);
            if (reported.reported_accepted) out.reported_accepted = out.reported_accepted.value_or(0) + *reported.reported_accepted;
            if (!reported.wrong.empty() && out.wrong.empty()) out.wrong = (name.empty() ? "" : name + ": ") + reported.wrong;
            if (!reported.counts) continue;
            out.counts = out.counts ? *out.counts + *reported.counts : *reported.counts;
            if (parts.size() > 1) out.parts.push_back({name, *reported.counts});
        }
        if (!out.wrong.empty()) { // a sum would hide it
            out.counts.reset();
            out.parts.clear();
        }
        out.odd_counts = !out.counts && out.wrong.empty() &&
                         (reader.odd("spec_decode_num_draft_tokens") || reader.odd("spec_decode_num_accepted_tokens"));
        if (out.counts) // our own server tells more than vLLM, whose names it has
            out.counts->judged_at = Reader(samples, "speclens:").places("spec_decode_num_judged_tokens_per_pos");
        out.generated = reader.sum({"generation_tokens", "tokens_predicted"});
        out.prompt_tokens = reader.sum({"prompt_tokens"});
        out.running = reader.over_replicas({"num_requests_running", "num_running_reqs", "requests_processing"});
        out.waiting = reader.over_replicas({"num_requests_waiting", "num_queue_reqs", "requests_deferred"});
        out.preempted = reader.sum({"num_preemptions"});
        if (const auto share = reader.mean({"kv_cache_usage_perc", "gpu_cache_usage_perc", "token_usage", "kv_cache_usage_ratio"}))
            out.cache_share = reported_share(*share);
        out.reported_throughput = reader.over_replicas({"gen_throughput", "predicted_tokens_seconds"});
        out.first_token = reader.spent({"time_to_first_token_seconds"});
        out.between_tokens = reader.spent({"inter_token_latency_seconds", "time_per_output_token_seconds"});
        out.generating_seconds = reader.sum({"tokens_predicted_seconds"});
        if (kind == ServerKind::llamacpp && out.generating_seconds && out.generated)
            out.between_tokens = {*out.generating_seconds, *out.generated};
        if (kind == ServerKind::sglang) {
            out.verify_calls = reader.sum({"spec_verify_calls"});
            if (const auto length = reader.mean_where("spec_accept_length", "spec_accept_length"))
                out.reported_length = reported_length(*length);
            if (const auto rate = reader.mean_where("spec_accept_length", "spec_accept_rate")) out.reported_rate = reported_share(*rate);
            out.reported_drafts = drafts_of_settings(reader.mean({"spec_num_draft_tokens"}), reader.mean({"spec_num_steps"}));
        }
        break;
    }
    return out;
}

ReportedRates reported_rates(const ServerReading& r) {
    constexpr double kRounding = 1e-6; // a gauge has all digits
    std::vector<ReportedAverage> averages;
    if (r.reported_length && r.reported_rate) averages.push_back({*r.reported_length, *r.reported_rate});
    return read_reported_rates(averages, r.reported_drafts, kRounding);
}

bool drafts_nothing(const ServerReading& r) { return r.counts && r.counts->empty() && r.generated.value_or(0) > 0; }

std::vector<std::string> what_is_missing(const ServerReading& r) {
    std::vector<std::string> out;
    if (r.kind == ServerKind::unknown)
        out.push_back("none of the names begins with vllm:, sglang: or llamacpp:; other servers are not understood");
    if (r.odd_counts)
        out.push_back("its spec_decode counters say what cannot be (no number, infinite, negative or beyond "
                      "1e15): nothing is taken from them");
    if (!r.wrong.empty()) out.push_back("its spec_decode counters contradict each other (" + r.wrong + "): nothing is taken from them");
    if (r.reported_accepted && !r.counts && r.wrong.empty())
        out.push_back("this vLLM is 0.8 or older and counts no rounds; with its system efficiency "
                      "(spec_decode_efficiency) they could be worked out");
    if (r.reported_accepted && r.counts)
        out.push_back("this vLLM is 0.8 or older: its \"accepted\" (" + std::to_string(std::llround(*r.reported_accepted)) +
                      ") holds drafts behind the first refusal; rounds and kept drafts are worked out from what was "
                      "emitted, and only those compare with later versions");
    const bool reported = r.counts || r.odd_counts || !r.wrong.empty() || r.reported_accepted;
    if (r.kind == ServerKind::vllm && !reported)
        out.push_back("no spec_decode counters: this vLLM does not speculate (--speculative-config switches it on)");
    if (r.kind == ServerKind::sglang && !r.reported_length)
        out.push_back("no spec_accept_length above 0: this SGLang does not speculate (--speculative-algorithm), or has "
                      "not served a request yet");
    if (r.kind == ServerKind::sglang && r.reported_length && !r.counts)
        out.push_back("SGLang averages by itself and counts no places: no acceptance by position, and no figure of the "
                      "last seconds alone");
    if (r.kind == ServerKind::llamacpp && !reported)
        out.push_back("no spec_decode counters: this llama-server drafts nothing (--spec-type is none unless it is "
                      "given), or is older than pull request 26389");
    if (r.counts && r.counts->drafted > 0 && !r.counts->rounds)
        out.push_back("it counts no rounds: the acceptance length and what is divided by rounds stay open");
    if (r.counts && r.counts->rounds.value_or(0) > 0 && r.counts->accepted_at.empty() && !r.reported_accepted)
        out.push_back("no counters by position yet: they come with the first request that drafts");
    if (drafts_nothing(r))
        out.push_back(std::to_string(std::llround(std::min(*r.generated, 1e15))) +
                      " tokens written, none drafted: speculation is off or never proposes");
    else if (r.counts && r.counts->empty())
        out.push_back("the counters are 0: no request has drafted yet");
    return out;
}

} // namespace speclens
