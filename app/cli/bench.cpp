// `speclens bench`: what a pass over 1 to 64 tokens costs in short and long contexts, beside what the memory and the
// product kernel could do; what prefill, the drafters and the recording cost. Everything that is compared is measured
// interleaved.
#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <set>

#include "app/cli/bench_result.h"
#include "app/cli/commands.h"
#include "app/cli/measure.h"
#include "app/cli/output.h"
#include "app/cli/setup.h"
#include "app/frontend/frame_cost.h"
#include "engine/base/busy.h"
#include "engine/base/clock.h"
#include "engine/base/json_read.h"
#include "engine/base/quantile.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter_info.h"
#include "engine/lab/pass_times.h"
#include "engine/lab/random_shape.h"
#include "engine/model/decoder.h"
#include "engine/model/precision.h"
#include "engine/models/memory_forecast.h"
#include "kernels/backend.h"
#include "kernels/process_memory.h"

namespace speclens::cli {

namespace {

constexpr int kRows[] = {1, 2, 4, 8, 16, 32, 64}; // of a pass, unless --rows says otherwise
constexpr int kContext = 64;                      // tokens before the timed passes, unless --context says otherwise
constexpr int kLongContexts[] = {1000, 4000};
constexpr int kPrefill = 512;
constexpr double kContextSeconds = 4;      // for the passes of each, unless --repeats says otherwise
constexpr double kMostPrefillSeconds = 15; // before a long context is left out
constexpr int kStaysTokens = 4096;         // of keys and values beside the weights, for the peak
constexpr std::size_t kLargestResult = 1 << 24;

// Ascending, and one row first: what the others are compared with.
std::set<int> rows_of(const Options& options) {
    std::set<int> rows(std::begin(kRows), std::end(kRows));
    if (!options.rows.empty()) rows = {options.rows.begin(), options.rows.end()};
    rows.insert(1);
    return rows;
}

PassTimes time_passes(const Options& options, const Models& models, int context, ProgressBar& bar) {
    PassPlan plan{.rows = {}, .context = context, .repeats = 200, .seconds = kContextSeconds};
    if (options.has("--repeats")) plan.repeats = options.repeats, plan.seconds = 0;
    for (const int rows : rows_of(options))
        if (rows == 1 || context + rows <= models.target->config.context()) plan.rows.push_back(rows);
    const std::string what = "timing passes behind " + std::to_string(context);
    PassMeasurement measurement(models, plan, [&](int read) {
        stop_if_interrupted();
        bar.show("reading a text to time passes behind", read, context, "tokens");
    });
    do {
        stop_if_interrupted();
        bar.show(what, std::round(100 * measurement.done()), 100, "%");
    } while (measurement.step());
    return measurement.result();
}

Timing time_prefill(const Models& models, int tokens, ProgressBar& bar) {
    constexpr int kRepeats = 8;
    constexpr double kSeconds = 3;
    const std::unique_ptr<Decoder> decoder = make_model_decoder(models.target, tokens);
    const std::vector<int> ids = filler_tokens(tokens, models.vocab());
    std::vector<double> ms;
    int times = kRepeats + 1; // with the first, which does not count and tells how many there is time for
    for (int i = 0; i < times; ++i) {
        stop_if_interrupted();
        decoder->truncate(0);
        models.target->forget_prompts();
        const Stopwatch watch;
        decoder->prefill(ids, {}, {}, [&](int read) {
            stop_if_interrupted();
            bar.show("timing prefill", i * tokens + read, times * tokens, "tokens");
        });
        decoder->wait();
        if (i > 0) ms.push_back(watch.ms());
        if (i == 0) times = 1 + static_cast<int>(std::clamp(kSeconds * 1000 / watch.ms(), 1.0, double{kRepeats}));
    }
    return timing_of(ms);
}

// The default context, then long ones where the model has room for them and filling them does not take minutes.
void time_contexts(const Options& options, const Models& models, BenchResult& result, ProgressBar& bar) {
    const int positions = models.target->config.context(), default_context = options.context.value_or(kContext);
    result.contexts.push_back(time_passes(options, models, default_context, bar));
    if (positions >= kPrefill) {
        result.prefill_tokens = kPrefill;
        result.prefill = time_prefill(models, kPrefill, bar);
    }
    if (options.context) return;
    for (const int context : kLongContexts) {
        if (context + *rows_of(options).rbegin() > positions) break;
        const double seconds = result.prefill.ms / 1000 * context / kPrefill;
        if (seconds > kMostPrefillSeconds)
            result.left_out.push_back("a context of " + std::to_string(context) + " is left out: filling it takes " +
                                      std::to_string(static_cast<int>(seconds)) + " s. Ask for it: --context " + std::to_string(context));
        else
            result.contexts.push_back(time_passes(options, models, context, bar));
    }
}

RunSettings bench_settings(const Options& options, const Models& models, const std::string& drafter, int tokens) {
    RunSettings settings = run_settings(options, drafter, 0);
    settings.trace_top = 0;
    settings.max_tokens = tokens;
    settings.prompt.chat = models.chat.problem.empty(); // an answer that is long enough on the bundle
    if (!models.tokenizer)
        settings.prompt.token_ids = filler_tokens(options.context.value_or(kContext), models.vocab());
    else
        settings.prompt.text = "Write a Python function that returns the sum of a list.";
    return settings;
}

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

void time_drafts(const Options& options, const std::shared_ptr<const Models>& models, int tokens, int repeats, ProgressBar& bar,
                 std::vector<DraftCost>& costs) {
    std::vector<std::string> names;
    for (const DrafterChoice& choice : options.drafters) names.push_back(choice.name);
    for (const std::string& name : options.drafters.empty() ? models->ready_drafters() : names) {
        if (name == kNoDrafter || !models->why_not(name).empty()) continue;
        const int chosen = possible_k(options, *models, name, bench_settings(options, *models, name, tokens).k);
        for (const int k : options.has("--k") ? std::vector<int>{chosen} : lengths_of(*models, name, chosen)) {
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

// Time with 64 recorded entries of each distribution against none, at a temperature where distributions are needed anyway.
double trace_overhead(const Options& options, const std::shared_ptr<const Models>& models, int tokens, int repeats, ProgressBar& bar) {
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
    if (options.weights == WeightForm::keep)
        throw Error("random weights are in no file, so there is no form to keep", "With --geometry choose --weights bf16 or --weights q8.",
                    Exit::usage);
    if (options.precision == Precision::int8 && options.weights != WeightForm::q8)
        throw Error("8-bit products need quantised matrices, and random ones are made as bf16",
                    "With --geometry choose --weights q8, or another --precision.", Exit::usage);
    std::shared_ptr<Backend> backend = make_backend(options.backend, {.threads = options.threads});
    const Precision precision = options.precision.value_or(default_precision(*backend));
    const std::shared_ptr<Models> models = random_shape(std::move(backend), options.geometry, options.run.seed, progress,
                                                        options.weights == WeightForm::q8 ? DType::q8_0 : DType::bf16, precision);
    for (const DrafterChoice& choice : options.drafters) {
        for (const DrafterInfo* part : find_drafter(choice.name)->parts()) {
            const std::string method = network_of(part->name);
            if (!part->needs_network() || models->networks.contains(method)) continue;
            models->networks.emplace(method, DraftNetwork::random(models->target, head_geometry(part->name, config), part->name,
                                                                  options.run.seed + 1, progress));
        }
    }
    return models;
}

// Where --weights could not be had: what is measured instead.
void say_other_form(const Options& options, const Models& models) {
    const DType form = models.target->forms().front();
    if (!models.bundle.empty() && options.weights != WeightForm::by_default)
        say("the built-in model stays as it is stored: its matrices are " + std::string(name_of(form)));
    else if (options.weights == WeightForm::q8 && form != DType::q8_0)
        say("the backend " + models.backend->name() + " keeps no " + name_of(DType::q8_0) + " matrices of this shape: most of them are " +
            name_of(form));
    else if (options.weights == WeightForm::keep && !models.target->kept_as.empty())
        say("the backend " + models.backend->name() + " cannot keep all matrices as they are stored: they are " + models.weights());
}

// "CPU · AVX-512 · 2 threads": what stands in the middle; of a GPU all that is said.
std::string instructions_of(const std::string& device) {
    const std::string dot = " · ";
    const std::size_t first = device.find(dot);
    if (device.rfind("CPU", 0) != 0 || first == std::string::npos) return device;
    const std::size_t from = first + dot.size();
    return device.substr(from, device.find(dot, from) - from);
}

BenchResult facts_of(const Options& options, const std::shared_ptr<const Models>& models) {
    const Run run(models, bench_settings(options, *models, kNoDrafter, 1));
    const Header header = *run.trace().header();
    BenchResult result;
    result.machine = header.machine;
    result.date = header.date;
    result.backend = models->backend->name();
    result.device = models->backend->description();
    result.isa = instructions_of(result.device);
    result.threads = models->backend->threads();
    const Precision products = models->precision();
    result.precision = "weights " + forms_of(*models->target) +
                       (products == Precision::f32 ? "" : std::string(", products ") + name_of(products)) + ", cache " +
                       name_of(models->backend->cache_dtype(products));
    result.model = models->target_name();
    result.random_weights = !options.geometry.empty();
    result.memory_bytes = static_cast<double>(run.memory_bytes());
    result.stays_tokens = std::min(kStaysTokens, models->target->config.context());
    result.stays_bytes = static_cast<double>(forecast_memory(*models, result.stays_tokens, 0).stays(result.stays_tokens));
    return result;
}

// Drafts and the rest are missing where Ctrl+C came first.
void measure_all(const Options& options, const std::shared_ptr<const Models>& models, BenchResult& result) {
    ProgressBar bar;
    const BusyMeter busy;
    time_contexts(options, *models, result, bar);
    const int repeats = options.has("--repeats") ? options.repeats : 20, runs = std::max(3, repeats / 2);
    const int tokens = std::clamp(static_cast<int>(150 / result.median_ms(1)), 8, 64);
    try {
        result.draft_repeats = std::min(runs, 5);
        time_drafts(options, models, tokens, result.draft_repeats, bar, result.drafts);
        result.overhead = trace_overhead(options, models, tokens, 2 * runs, bar);
        RunSettings shown = bench_settings(options, *models, models->why_not("small").empty() ? "small" : "lookup", tokens);
        shown.trace_top = 64;
        Run picture(models, shown);
        picture.between_passes(stop_if_interrupted);
        while (picture.step()) stop_if_interrupted();
        result.frame = frame_ms(picture.shared_trace(), shown, stop_if_interrupted);
    } catch (const Interrupted&) {
        result.ended_by = std::current_exception();
    }
    result.other_cores = busy.cores();
    result.peak_bytes = static_cast<double>(process_memory().most);
    bar.clear();
}

} // namespace

Exit command_bench(const Options& options) {
    std::optional<ResultFile> file; // before anything is measured: can it be written?
    if (!options.json.empty()) file.emplace(options.json);
    std::optional<Json> then;
    if (!options.against.empty())
        then = parse_json_object(read_text_file(options.against, kLargestResult), short_name(options.against),
                                 "Give a file that bench --json wrote.");
    const double start = now_ms();
    const std::shared_ptr<const Models> models = options.geometry.empty() ? load(options) : random_models(options);
    const double startup_ms = now_ms() - start;
    if (!models->target)
        throw Error(models->scorer ? "a server's passes cannot be measured from here" : "a table has no passes to measure",
                    "Give a checkpoint folder with --model, or --geometry NAME.", Exit::usage);
    std::vector<std::string> names;
    for (const DrafterChoice& choice : options.drafters) {
        names.push_back(choice.name);
        if (const std::string problem = models->why_not(choice.name); !problem.empty())
            say("drafter " + choice.name + " is left out: " + problem);
    }
    if (names.empty()) names = models->ready_drafters();
    say_other_form(options, *models);
    check_drafter_options(options, names, models->layers());
    if (models->tokenizer) say_if_asked_as_text(*models);

    BenchResult result = facts_of(options, models);
    result.load_ms = startup_ms;
    if (then) check_comparable(bench_subject(result), *then, short_name(options.against)); // before anything is measured
    measure_all(options, models, result);
    const OrderedJson json = bench_json(result);
    if (options.json != "-") {
        print_results(bench_table(result));
        if (then) print_results("\n" + against_table(Json(json), *then, short_name(options.against)));
    }
    if (file) {
        file->write(json.dump(2) + "\n");
        file->commit();
    }
    if (result.ended_by) std::rethrow_exception(result.ended_by);
    return Exit::ok;
}

} // namespace speclens::cli
