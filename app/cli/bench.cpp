// `speclens bench`: what a pass over 1, 2, 4, 8 and 16 tokens costs, beside what the memory could do; what
// the drafters and the recording add. Everything that is compared is measured interleaved; numbers are
// medians.
#include <algorithm>
#include <chrono>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/commands.h"
#include "app/cli/measure.h"
#include "app/cli/output.h"
#include "app/cli/setup.h"
#include "app/cli/terminal.h"
#include "app/frontend/frame_cost.h"
#include "engine/base/quantile.h"
#include "engine/drafters/drafter.h"
#include "engine/lab/pass_times.h"
#include "engine/model/decoder.h"

namespace speclens::cli {

namespace {

using Json = nlohmann::ordered_json;
constexpr int kWidths[] = {1, 2, 4, 8, 16};
constexpr int kContext = 64; // tokens before the timed passes, unless --context says otherwise

PassTimes time_passes(const Models& models, int context, int repeats, ProgressBar& bar) {
    return measure_passes(
        models, {.rows = {std::begin(kWidths), std::end(kWidths)}, .context = context, .repeats = repeats},
        [&](int done, int all) {
            stop_if_interrupted();
            bar.show("timing passes", done, all, "rounds");
            return true;
        });
}

RunSettings bench_settings(const Options& options, const Models& models, const std::string& drafter,
                           int tokens) {
    RunSettings settings = run_settings(options, drafter, 0);
    settings.trace_top = 0;
    settings.max_tokens = tokens;
    settings.chat = models.chat.problem.empty(); // an answer that is long enough on the bundle
    if (!models.tokenizer)
        settings.token_ids = filler_tokens(options.context.value_or(kContext), models.vocab());
    else
        settings.prompt = "Write a Python function that returns the sum of a list.";
    return settings;
}

struct DraftCost {
    std::string name;
    int k = 0;
    double net_ms = 0, head_ms = 0, round_ms = 0; // per round
    [[nodiscard]] double of_round(double ms) const { return round_ms > 0 ? ms / round_ms : 0; }
};

// A block is filled in one pass: what a short one costs beside a full one shows it.
std::vector<int> lengths_of(const Models& models, const std::string& drafter, int chosen) {
    const std::shared_ptr<const DraftNetwork> network = models.network(drafter);
    if (network == nullptr || network->config.block == 0) return {chosen};
    const int most = network->config.most_drafts();
    std::vector<int> lengths = {3, chosen, most};
    std::erase_if(lengths, [&](int k) { return k > most; });
    std::ranges::sort(lengths);
    lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
    return lengths;
}

void time_drafts(const Options& options, const std::shared_ptr<const Models>& models, int tokens, int repeats,
                 ProgressBar& bar, std::vector<DraftCost>& costs) {
    for (const std::string& name : models->ready_drafters()) {
        if (name == "none") continue;
        bool wanted = options.drafters.empty();
        for (const DrafterChoice& choice : options.drafters) wanted = wanted || choice.name == name;
        if (!wanted) continue;
        const int chosen =
            possible_k(options, *models, name, bench_settings(options, *models, name, tokens).k);
        for (const int k :
             options.has("--k") ? std::vector<int>{chosen} : lengths_of(*models, name, chosen)) {
            RunSettings settings = bench_settings(options, *models, name, tokens);
            settings.k = k;
            std::vector<double> net, head, round;
            for (int r = -1; r < repeats; ++r) {
                bar.show("timing drafters", r + 1, repeats + 1, "runs");
                const Sample sample = measure(models, settings);
                if (r < 0 || sample.rounds == 0) continue;
                net.push_back((sample.draft_ms - sample.head_ms) / sample.rounds);
                head.push_back(sample.head_ms / sample.rounds);
                round.push_back(sample.total_ms() / sample.rounds);
            }
            costs.push_back({name, k, median(net), median(head), median(round)});
        }
    }
}

// Time with 64 recorded entries of each law against none, at a temperature where laws are needed anyway.
double trace_overhead(const Options& options, const std::shared_ptr<const Models>& models, int tokens,
                      int repeats, ProgressBar& bar) {
    const std::string drafter = models->why_not("small").empty() ? "small" : "lookup";
    RunSettings bare = bench_settings(options, *models, drafter, tokens);
    bare.sampling.temperature = 0.8;
    RunSettings recorded = bare;
    recorded.trace_top = 64;
    std::vector<double> without, with;
    for (int r = -1; r < repeats; ++r) {
        bar.show("timing the recording", r + 1, repeats + 1, "runs");
        const double first = measure(models, r % 2 ? bare : recorded).total_ms();
        const double second = measure(models, r % 2 ? recorded : bare).total_ms();
        if (r < 0) continue;
        without.push_back(r % 2 ? first : second);
        with.push_back(r % 2 ? second : first);
    }
    return median(with) / median(without) - 1;
}

std::shared_ptr<const Models> random_models(const Options& options) {
    ProgressBar bar;
    Progress progress;
    progress.cancelled = &interrupted();
    progress.report = [&](const std::string& what, double done, double total, const std::string& unit) {
        bar.show(what, done, total, unit);
    };
    const ModelConfig config = geometry(options.geometry);
    auto models = std::make_shared<Models>();
    models->backend = make_backend(options.backend, {.threads = options.threads});
    models->target = Model::random(*models->backend, config, options.geometry, options.seed, progress);
    for (const DrafterChoice& choice : options.drafters) {
        const DrafterInfo* info = find_drafter(choice.name);
        const std::string method = network_of(choice.name);
        if (info == nullptr || !info->needs_network() || models->networks.contains(method)) continue;
        models->networks.emplace(method,
                                 DraftNetwork::random(models->target, head_geometry(choice.name, config),
                                                      choice.name, options.seed + 1, progress));
    }
    return models;
}

// What was measured; drafts and the rest are missing where Ctrl+C came first.
struct Measured {
    double busy = 0; // cores that others kept busy before
    double startup_ms = 0;
    int repeats = 0;
    PassTimes passes; // over kWidths tokens
    std::vector<DraftCost> drafts;
    std::optional<double> overhead, frame; // share; ms
    std::exception_ptr ended_by;           // what was measured until then is told first
    [[nodiscard]] double one_ms() const { return passes.passes[0].ms; }
    [[nodiscard]] double weight_gbs() const { return passes.weight_bytes / one_ms() / 1e6; }
};

Measured measure_all(const Options& options, const std::shared_ptr<const Models>& models) {
    Measured m;
    m.busy = busy_cores();
    if (const std::string warning = busy_warning(m.busy); !warning.empty()) say(warning);
    ProgressBar bar;
    m.repeats = options.has("--repeats") ? options.repeats : 20;
    m.passes = time_passes(*models, options.context.value_or(kContext), m.repeats, bar);
    const int tokens = std::clamp(static_cast<int>(150 / m.one_ms()), 8, 64);
    const int runs = std::max(3, m.repeats / 2);
    try {
        time_drafts(options, models, tokens, std::min(runs, 5), bar, m.drafts);
        m.overhead = trace_overhead(options, models, tokens, 2 * runs, bar);
        RunSettings shown =
            bench_settings(options, *models, models->why_not("small").empty() ? "small" : "lookup", tokens);
        shown.trace_top = 64;
        Run picture(models, shown);
        picture.finish();
        m.frame = frame_ms(picture.shared_trace(), shown);
    } catch (const Interrupted&) {
        m.ended_by = std::current_exception();
    }
    bar.clear();
    return m;
}

Json json_of(const Options& options, const std::shared_ptr<const Models>& models, const Measured& m) {
    const Header header = *Run(models, bench_settings(options, *models, "none", 1)).trace().header();
    Json json = {
        {"schema", "speclens-bench/1"},
        {"machine", header.machine},
        {"backend", models->backend->name()},
        {"device", models->backend->description()},
        {"threads", models->backend->threads()},
        {"model", models->target_name()},
        {"weights", options.geometry.empty() ? "trained" : "random"},
        {"date", header.date},
        {"busy_cores", m.busy},
        {"repeats", m.repeats},
        {"context", options.context.value_or(kContext)},
        {"weight_bytes", m.passes.weight_bytes},
        {"read_bandwidth_gbs", m.passes.bandwidth_gbs},
        {"decode",
         {{"ms", m.one_ms()},
          {"weight_gbs", m.weight_gbs()},
          {"fraction", m.weight_gbs() / m.passes.bandwidth_gbs},
          {"fixed_ms", m.passes.floor_ms() > 0 ? Json(m.one_ms() - m.passes.floor_ms()) : Json(nullptr)}}},
        {"verify", Json::array()},
        {"draft", Json::array()}};
    for (std::size_t w = 1; w < std::size(kWidths); ++w)
        json["verify"].push_back({{"tokens", kWidths[w]},
                                  {"ms", m.passes.passes[w].ms},
                                  {"ratio", m.passes.passes[w].ms / m.one_ms()}});
    for (const DraftCost& draft : m.drafts)
        json["draft"].push_back({{"drafter", draft.name},
                                 {"k", draft.k},
                                 {"net_ms", draft.net_ms},
                                 {"head_ms", draft.head_ms},
                                 {"round_ms", draft.round_ms},
                                 {"of_decode", (draft.net_ms + draft.head_ms) / m.one_ms()},
                                 {"head_of_round", draft.of_round(draft.head_ms)}});
    json["trace_overhead"] = m.overhead ? Json(*m.overhead) : Json(nullptr);
    json["frame_ms"] = m.frame ? Json(*m.frame) : Json(nullptr);
    json["startup_ms"] = m.startup_ms;
    json["complete"] = !m.ended_by;
    return json;
}

std::string table_of(const Options& options, const Models& models, const Measured& m) {
    const bool random = !options.geometry.empty();
    std::string text = "SpecLens bench · " + models.target_name() + (random ? " (random weights)" : "") +
                       " · " + models.backend->description() + " · medians of " + std::to_string(m.repeats) +
                       (m.ended_by ? ", then it ended" : "") + "\n\n";
    const auto row = [&](const std::string& name, const std::string& value, const std::string& note) {
        text += "  " + pad(name, 24) + pad_left(value, 10) + "   " + note + "\n";
    };
    const bool known = m.passes.floor_ms() > 0;
    row("read bandwidth", known ? number(m.passes.bandwidth_gbs, 1) : "–",
        known ? "GB/s, reading " + number(m.passes.read_bytes / 1e6, 1) + " MB" +
                    (m.passes.read_bytes < m.passes.weight_bytes ? "" : ", as much as a pass does")
              : "no memory left to measure it");
    row("one-token pass", number(m.one_ms(), 3),
        "ms, weights at " + number(m.weight_gbs(), 1) + " GB/s" +
            (known ? ", " + number(100 * m.weight_gbs() / m.passes.bandwidth_gbs, 0) + " % of the bandwidth"
                   : std::string()));
    if (known)
        row("  of it fixed cost", number(m.one_ms() - m.passes.floor_ms(), 3),
            "ms, the time less the bytes at full bandwidth");
    for (std::size_t w = 1; w < std::size(kWidths); ++w)
        row("pass over " + std::to_string(kWidths[w]) + " tokens", number(m.passes.passes[w].ms, 3),
            "ms, " + number(m.passes.passes[w].ms / m.one_ms(), 2) + "× a one-token pass");
    for (const DraftCost& draft : m.drafts) {
        const double ms = draft.net_ms + draft.head_ms;
        row("draft " + draft.name + ", K = " + std::to_string(draft.k), number(ms, 3),
            "ms per round, " + number(ms / m.one_ms(), 2) + "× a one-token pass" +
                (draft.head_ms > 0 ? "; its head " + number(draft.head_ms, 3) + " ms, " +
                                         number(100 * draft.of_round(draft.head_ms), 1) + " % of a round"
                                   : ""));
    }
    if (m.overhead)
        row("recording the laws", number(100 * *m.overhead, 1),
            "% more time with 64 entries of each law than with none");
    if (m.frame)
        row("frame of the window", number(*m.frame, 2), "ms for 1600x1000, before the graphics driver");
    row(random ? "making the weights" : "loading", number(m.startup_ms, 0), "ms");
    return text;
}

} // namespace

Exit command_bench(const Options& options) {
    std::optional<ResultFile> file; // before anything is measured: can it be written?
    if (!options.json.empty()) file.emplace(options.json);
    const double start = now_ms();
    const std::shared_ptr<const Models> models =
        options.geometry.empty() ? load(options) : random_models(options);
    const double startup_ms = now_ms() - start;
    if (!models->target)
        throw Error(models->scorer ? "a server's passes cannot be measured from here"
                                   : "a table has no passes to measure",
                    "Give a checkpoint folder with --model, or --geometry NAME.", Exit::usage);
    std::vector<std::string> names;
    for (const DrafterChoice& choice : options.drafters) {
        names.push_back(choice.name);
        if (const std::string problem = models->why_not(choice.name); !problem.empty())
            say("drafter " + choice.name + " is left out: " + problem);
    }
    if (names.empty()) names = models->ready_drafters();
    check_drafter_options(options, names, models->layers());

    Measured measured = measure_all(options, models);
    measured.startup_ms = startup_ms;
    const Json json = json_of(options, models, measured);
    if (options.json != "-") print_results(table_of(options, *models, measured));
    if (file) {
        file->write(json.dump(2) + "\n");
        file->commit();
    }
    if (measured.ended_by) std::rethrow_exception(measured.ended_by);
    return Exit::ok;
}

} // namespace speclens::cli
