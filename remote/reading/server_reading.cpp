#include "remote/reading/server_reading.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <span>

#include "remote/reading/reported_number.h"

namespace speclens {
namespace {

constexpr int kMostPlaces = 256;

struct Prefix {
    ServerKind kind;
    std::string_view text;
};
constexpr Prefix kPrefixes[] = {{ServerKind::vllm, "vllm:"},
                                {ServerKind::sglang, "sglang:"},
                                {ServerKind::llamacpp, "llamacpp:"},
                                {ServerKind::tensorrt, "trtllm_"},
                                {ServerKind::tensorrt, "trtllm:"}};

// What builds call their counters; the first that occurs is taken. Those of llama.cpp were proposed and are run by
// forks. Each is a total of the same definition; names that only sound alike (AtomicBot's speculative_drafts_accepted
// counts rounds that kept something) are not among them.
constexpr std::string_view kDrafted[] = {"spec_decode_num_draft_tokens", "draft_tokens", "spec_tokens_drafted",
                                         "speculative_draft_tokens_generated"};
constexpr std::string_view kAccepted[] = {"spec_decode_num_accepted_tokens", "draft_tokens_accepted", "spec_tokens_accepted",
                                          "speculative_draft_tokens_accepted"};
constexpr std::string_view kRounds[] = {"spec_decode_num_drafts", "draft_verify_steps", "speculative_drafts_generated"};
// Read as well, or of settings: nothing is missed where these are not taken for counts.
constexpr std::string_view kKnownBeside[] = {"spec_decode_num_accepted_tokens_per_pos",
                                             "spec_decode_num_emitted_tokens",
                                             "spec_decode_draft_acceptance_rate",
                                             "spec_decode_efficiency",
                                             "spec_decode_acceptance_length",
                                             "spec_decode_draft_overhead",
                                             "spec_decode_acceptance_rate",
                                             "draft_acceptance_rate",
                                             "draft_mean_accept_len",
                                             "speculative_drafts_accepted",
                                             "spec_accept_length",
                                             "spec_accept_rate",
                                             "spec_verify_calls",
                                             "spec_num_draft_tokens",
                                             "spec_num_steps",
                                             "spec_eagle_topk"};

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
        return sum(std::span<const std::string_view>(names.begin(), names.size()));
    }
    std::optional<double> sum(std::span<const std::string_view> names) const {
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
    // The one of these names that the samples have; empty: none.
    std::string_view which(std::span<const std::string_view> names) const {
        for (const std::string_view wanted : names)
            if (std::ranges::any_of(rows_, [&](const auto& row) { return is_counter(row.first, wanted); })) return wanted;
        return {};
    }
    // Counters that speak of drafts or of accepting them, and are none of the known ones.
    std::vector<std::string> others() const {
        constexpr std::size_t kMostNamed = 4;
        std::vector<std::string> out;
        const auto known = [](std::string_view name) {
            for (const auto names : {std::span<const std::string_view>(kDrafted), std::span<const std::string_view>(kAccepted),
                                     std::span<const std::string_view>(kRounds), std::span<const std::string_view>(kKnownBeside)})
                for (const std::string_view one : names)
                    if (is_counter(name, one) || name == std::string(one) + "_created") return true;
            return false;
        };
        for (const auto& [name, sample] : rows_) {
            const bool drafts = name.find("draft") != std::string_view::npos || name.find("specul") != std::string_view::npos ||
                                name.starts_with("spec_") || name.find("_spec_") != std::string_view::npos;
            if (drafts && !known(name) && out.size() < kMostNamed && std::ranges::find(out, sample->name) == out.end())
                out.push_back(sample->name);
        }
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

std::string names_of(const std::vector<std::string>& counters) {
    std::string list;
    for (const std::string& name : counters) list += (list.empty() ? "" : ", ") + name;
    return list;
}

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
    Said wrong, zeros;
};

// It counts no rounds, and tells a mean acceptance length: rounds are accepted ÷ (length − 1) where one whole K, drafted
// ÷ rounds, fits. Up to pull request 17082 (July 2026) its counters may stay 0 beside a length above 1.
void tensorrt_part(PartCounts& out, double drafted, double accepted, std::optional<double> length) {
    const bool drafts = length && reported_length(*length) && *length > 1;
    if (drafts && accepted <= 0) {
        out.zeros = server_said("missing.zeros"_t, "drafted"_v = drafted, "accepted"_v = accepted, "length"_v = *length);
        return;
    }
    out.counts = SpecCounts{{}, drafted, accepted, {}};
    if (drafts) {
        const double off = rounding_of(*length), low = accepted / (*length - 1 + off),
                     high = *length - 1 > off ? accepted / (*length - 1 - off) : drafted;
        const double least = std::max(1.0, std::ceil(drafted / high - 1e-9)), most = std::floor(drafted / low + 1e-9);
        if (const double rounds = drafted / least; least == most && rounds == std::round(rounds)) {
            out.counts->rounds = rounds;
            out.counts->worked_out = true;
        }
    }
    out.wrong = contradiction(*out.counts);
}

PartCounts read_part(const Reader& reader, ServerKind kind) {
    PartCounts out;
    const auto drafted = reader.sum(kDrafted), accepted = reader.sum(kAccepted), emitted = reader.sum({"spec_decode_num_emitted_tokens"}),
               rounds = reader.sum(kRounds);
    if (!drafted || !accepted) return out;
    if (kind == ServerKind::tensorrt) {
        tensorrt_part(out, *drafted, *accepted, reader.mean({"spec_decode_acceptance_length"}));
        return out;
    }
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
    case ServerKind::tensorrt: return "TensorRT-LLM";
    case ServerKind::openvino: return "OpenVINO GenAI";
    case ServerKind::lmstudio: return "LM Studio";
    case ServerKind::mlx: return "MLX";
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
        const auto parts = reader.apart(reader.which(kDrafted));
        const std::size_t places = reader.places("spec_decode_num_accepted_tokens_per_pos").size();
        const bool trees = !Reader(samples, "speclens:").empty(); // our own server alone drafts them
        out.by_position = reader.which(kDrafted) == kDrafted[0] && kind != ServerKind::tensorrt;
        for (const auto& [name, part] : parts) {
            PartCounts reported = read_part(part, kind);
            if (out.zeros.empty()) out.zeros = reported.zeros;
            if (reported.counts && reported.wrong.empty() && !trees) reported.wrong = more_than_places(*reported.counts);
            // Counters of places appear with the first draft that is kept.
            if (reported.counts && reported.counts->accepted <= 0) reported.counts->accepted_at.resize(places, 0);
            if (reported.reported_accepted) out.reported_accepted = out.reported_accepted.value_or(0) + *reported.reported_accepted;
            if (!reported.wrong.empty() && out.wrong.empty())
                out.wrong = name.empty() ? reported.wrong : server_said("wrong.of_part"_t, "part"_v = name, "wrong"_v = reported.wrong);
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
        out.other_counters = reader.others();
        if (const auto steps = reader.sum({"diffusion_num_denoising_steps"}))
            out.diffusion = DiffusionCounts{*steps, reader.sum({"diffusion_num_canvas_positions"}).value_or(0),
                                            reader.sum({"diffusion_num_committed_tokens"}).value_or(0)};
        if (out.counts) // our own server tells more than vLLM, whose names it has
            out.counts->judged_at = Reader(samples, "speclens:").places("spec_decode_num_judged_tokens_per_pos");
        out.generated = reader.sum({"generation_tokens", "tokens_predicted"});
        out.prompt_tokens = reader.sum({"prompt_tokens"});
        out.answers = reader.sum({"time_to_first_token_seconds_count"});
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
        // Without that histogram those that ended and those that may have begun.
        if (!out.answers)
            if (const auto ended = reader.sum({"request_success"})) out.answers = *ended + out.running.value_or(0);
        const Reader ours(samples, "speclens:");
        out.first_apart = ours.empty(); // ours writes first tokens in rounds
        out.plain = ours.sum({"passes_without_draft"});
        if (ours.sum({"tokens_by_source"}) == out.generated) // a round counts its tokens first, then where they came from
            for (const MetricSample& one : samples)
                if (const std::string* source = one.label("source"); source && *source == "accepted" && one.name.starts_with("speclens:"))
                    out.delivered = out.delivered.value_or(0) + one.value;
        if (out.counts) out.counts->text = written_text(out);
        if (kind == ServerKind::sglang) {
            out.verify_calls = reader.sum({"spec_verify_calls"});
            if (const auto length = reader.mean_where("spec_accept_length", "spec_accept_length"))
                out.reported_length = reported_length(*length);
            if (const auto rate = reader.mean_where("spec_accept_length", "spec_accept_rate")) out.reported_rate = reported_share(*rate);
            out.drafting = {reader.mean({"spec_num_draft_tokens"}), reader.mean({"spec_num_steps"}), reader.mean({"spec_eagle_topk"})};
            out.reported_drafts = out.drafting.nodes() ? out.drafting.nodes() : out.drafting.depth();
            if (out.counts) out.counts->shape = out.drafting.shape();
        }
        if (kind == ServerKind::tensorrt && !out.counts)
            if (const auto length = reader.mean({"spec_decode_acceptance_length"})) out.reported_length = reported_length(*length);
        break;
    }
    return out;
}

ReportedRates reported_rates(const ServerReading& r) {
    constexpr double kRounding = 1e-6; // a gauge has all digits
    std::vector<ReportedAverage> averages;
    if (r.reported_length && r.reported_rate) averages.push_back({*r.reported_length, *r.reported_rate});
    return read_reported_rates(averages, r.drafting, kRounding);
}

std::optional<WrittenText> written_text(const ServerReading& r) {
    if (!r.generated) return {};
    return WrittenText{
        .tokens = *r.generated, .answers = r.answers, .plain = r.plain, .delivered = r.delivered, .first_apart = r.first_apart};
}

Said diffusion_words(const DiffusionCounts& c) {
    return server_said("missing.diffusion"_t, "tokens"_v = c.tokens_per_step(), "steps"_v = c.steps_per_canvas());
}

bool drafts_nothing(const ServerReading& r) { return r.counts && r.counts->empty() && r.generated.value_or(0) > 0; }

bool counts_would_be_there(const ServerReading& r) {
    return r.kind == ServerKind::vllm && !r.counts && !r.odd_counts && r.wrong.empty() && !r.reported_accepted && !r.diffusion &&
           r.other_counters.empty();
}

std::vector<Said> what_is_missing(const ServerReading& r) {
    std::vector<Said> out;
    if (r.kind == ServerKind::unknown) out.push_back(server_said("missing.unknown_kind"_t));
    if (r.diffusion) out.push_back(diffusion_words(*r.diffusion));
    if (!r.zeros.empty()) out.push_back(r.zeros);
    if (r.odd_counts) out.push_back(server_said("missing.odd"_t));
    if (!r.wrong.empty()) out.push_back(server_said("missing.contradiction"_t, "wrong"_v = r.wrong));
    if (r.reported_accepted && !r.counts && r.wrong.empty()) out.push_back(server_said("missing.v0_without_rounds"_t));
    if (r.reported_accepted && r.counts) out.push_back(server_said("missing.v0"_t, "accepted"_v = *r.reported_accepted));
    const bool reported = r.counts || r.odd_counts || !r.wrong.empty() || r.reported_accepted || r.diffusion || !r.zeros.empty();
    const bool others = !r.other_counters.empty();
    if (!reported && !r.reported_length && others)
        out.push_back(server_said("missing.other_build"_t, "names"_v = names_of(r.other_counters)));
    else if (r.kind == ServerKind::vllm && !reported)
        out.push_back(server_said("missing.vllm"_t));
    if (r.kind == ServerKind::sglang && !r.reported_length) out.push_back(server_said("missing.sglang"_t));
    if (r.kind == ServerKind::sglang && r.reported_length && !r.counts) out.push_back(server_said("missing.sglang_averages"_t));
    if (r.kind == ServerKind::llamacpp && !reported && !others) out.push_back(server_said("missing.llamacpp"_t));
    if (r.kind == ServerKind::tensorrt && !reported && !others) out.push_back(server_said("missing.tensorrt"_t));
    if (r.counts && r.counts->drafted > 0 && !r.counts->rounds) out.push_back(server_said("missing.rounds"_t));
    if (r.counts && r.counts->rounds.value_or(0) > 0 && r.counts->accepted_at.empty() && !r.reported_accepted && r.by_position)
        out.push_back(server_said("missing.places"_t));
    if (drafts_nothing(r))
        out.push_back(server_said("missing.never_drafts"_t, "tokens"_v = std::min(*r.generated, 1e15)));
    else if (r.counts && r.counts->empty())
        out.push_back(server_said("missing.nothing_yet"_t));
    if (reported && others) out.push_back(server_said("missing.beside"_t, "names"_v = names_of(r.other_counters)));
    return out;
}

Said no_metrics(ServerKind kind, NoMetrics why) {
    if (why == NoMetrics::refused) return server_said("missing.key"_t);
    if (why == NoMetrics::none_loaded) return server_said("missing.none_loaded"_t);
    const char* option = kind == ServerKind::sglang ? "--enable-metrics" : kind == ServerKind::llamacpp ? "--metrics" : "";
    return server_said("missing.no_metrics"_t, "option"_v = option);
}

Said not_loaded(const std::string& model, const std::string& shown) {
    return server_said("missing.not_loaded"_t, "model"_v = model, "shown"_v = shown);
}

} // namespace speclens
