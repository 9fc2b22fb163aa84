// `speclens check`: one line for everything a run needs, with what to do about it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "app/cli/commands.h"
#include "app/cli/heads.h"
#include "app/cli/output.h"
#include "app/cli/setup.h"
#include "app/cli/terminal.h"
#include "app/cli/walk_words.h"
#include "app/frontend/frontend.h"
#include "engine/base/json_read.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter_info.h"
#include "engine/heads/draft_config.h"
#include "engine/lab/pass_times.h"
#include "engine/lab/precision_change.h"
#include "engine/lab/recorded_passes.h"
#include "engine/lab/reference.h"
#include "engine/model/frequent.h"
#include "engine/model/precision.h"
#include "engine/model/scorer.h"
#include "engine/models/memory_forecast.h"
#include "engine/models/notices.h"
#include "engine/published/published.h"
#include "engine/run/gallery.h"
#include "engine/run/run.h"
#include "kernels/backend.h"
#include "kernels/cuda_module.h"
#include "kernels/error.h"
#include "kernels/process_memory.h"

namespace speclens::cli {

namespace {

namespace fs = std::filesystem;

enum class Grade : std::uint8_t { good, without, bad };

class Checklist {
  public:
    // `quiet`: standard output is for something else.
    explicit Checklist(Terminal terminal, bool quiet = false) : terminal_(terminal), quiet_(quiet) {}
    void line(Grade grade, const std::string& what, const std::string& found, const std::string& remedy = "") {
        static constexpr const char* kWords[] = {"ok  ", "–   ", "BAD "};
        static constexpr Tone kTones[] = {Tone::accepted, Tone::muted, Tone::rejected};
        bad_ = bad_ || grade == Grade::bad;
        if (quiet_ && grade == Grade::bad) say(what + ": " + found + (remedy.empty() ? "" : ". " + remedy));
        if (quiet_) return;
        const auto g = static_cast<std::size_t>(grade);
        print(beside(terminal_.paint(kTones[g], kWords[g]) + "  " + what, 19, found, terminal_.prose_width()));
        if (!remedy.empty()) print(terminal_.paint(Tone::muted, beside("", 19, "→ " + remedy, terminal_.prose_width())));
        flush();
    }
    // Runs a check; an Error becomes its line.
    template <typename Try>
    void attempt(const std::string& what, const Try& check) {
        try {
            check();
        } catch (const Error& error) {
            line(Grade::bad, what, error.what(), error.remedy());
        }
    }
    [[nodiscard]] bool bad() const { return bad_; }

  private:
    Terminal terminal_;
    bool quiet_ = false, bad_ = false;
};

void check_gpu(Checklist& list) {
    std::string why;
    if (const std::unique_ptr<Backend> gpu = load_cuda_backend(why))
        list.line(Grade::good, "GPU", gpu->description() + ", " + megabytes(static_cast<double>(gpu->free_memory())) + " free");
    else
        list.line(Grade::without, "GPU", "not used: " + why + "; everything runs on the CPU");
}

void check_engine(Checklist& list, const Options& options) {
    const std::unique_ptr<Backend> backend = make_backend(options.backend, {.threads = options.threads});
    // More than the caches hold: the L2 of a large GPU has 50 MB and more.
    const std::size_t megabytes = backend->name() == "cuda" && backend->free_memory() >> 32 ? 1024 : 64;
    const Timing read = time_reads(*backend, megabytes << 20, 20);
    list.line(Grade::good, "engine",
              backend->description() + (read.ms > 0 ? ", reads " + number(static_cast<double>(megabytes << 20) / read.ms / 1e6, 0) +
                                                          " GB/s (" + std::to_string(megabytes) + " MB)"
                                                    : ", no memory to measure a read of " + std::to_string(megabytes) + " MB"));
}

// Files of the bundle that are missing or have another size than MANIFEST.json says; empty when all is well.
std::string manifest_problem(const fs::path& folder) {
    std::ifstream in(folder / "MANIFEST.json");
    if (!in) return "no MANIFEST.json";
    const auto manifest = Json::parse_or_discard(in);
    if (!manifest.is_object()) return "MANIFEST.json is not JSON";
    for (const auto& [model, about] : manifest.items()) {
        if (!about.is_object() || !about.contains("files") || !about["files"].is_object()) continue;
        for (const auto& [name, file] : about["files"].items()) {
            std::error_code failed;
            const auto size = fs::file_size(folder / model / name, failed);
            if (failed) return model + "/" + name + " is missing";
            const auto bytes = file.is_object() ? file.value("bytes", std::uintmax_t{0}) : 0;
            if (size != bytes) return model + "/" + name + " has " + std::to_string(size) + " bytes, not " + std::to_string(bytes);
        }
    }
    return "";
}

// What other machines measured, told beside figures that are in doubt here.
void check_references(Checklist& list) {
    std::error_code ignored;
    std::size_t known = 0, passes = 0;
    try {
        for (const auto& entry : fs::directory_iterator(assets_folder() / "reference", ignored))
            known += read_references(entry.path()).size();
        for (const auto& entry : fs::directory_iterator(assets_folder() / "passes", ignored))
            (void)read_recorded_passes(entry.path()), ++passes;
    } catch (const Error& error) {
        return list.line(Grade::bad, "references", error.what(), error.remedy());
    }
    if (known > 0)
        list.line(Grade::good, "references",
                  counted(static_cast<int>(known), "recorded speed-up") +
                      (passes > 0 ? ", passes of " + counted(static_cast<int>(passes), "model") : ""));
    else
        list.line(Grade::without, "references", "none: a figure in doubt stands alone");
}

void check_bundle(Checklist& list) {
    const fs::path folder = assets_folder() / "models";
    std::error_code ignored;
    if (!fs::is_directory(folder / "target", ignored)) {
        list.line(Grade::bad, "bundle", (folder / "target").string() + " is missing",
                  "Clone the repository again, or set SPECLENS_ASSETS to its assets folder.");
        return;
    }
    double bytes = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder, ignored))
        if (entry.is_regular_file(ignored)) bytes += static_cast<double>(entry.file_size(ignored));
    const std::string problem = manifest_problem(folder);
    list.line(problem.empty() ? Grade::good : Grade::bad, "bundle",
              folder.string() + ", " + megabytes(bytes) + (problem.empty() ? "" : "; " + problem),
              problem.empty() ? "" : "Clone the repository again; large files may have been cut off.");
}

// What the recipe's gates said about the drafters, as MANIFEST.json records it. A gate that did not pass is a
// fact about the bundle, not a fault of this installation.
void check_gates(Checklist& list) {
    std::ifstream in(assets_folder() / "models" / "MANIFEST.json");
    const auto manifest = Json::parse_or_discard(in);
    if (!manifest.is_object() || !manifest.contains("gates") || !manifest["gates"].is_array()) return;
    int passed = 0, judged = 0;
    std::string failed;
    for (const auto& gate : manifest["gates"]) {
        if (!gate.is_object() || !gate.contains("pass") || !gate["pass"].is_boolean()) continue;
        ++judged;
        if (gate["pass"].get<bool>())
            ++passed;
        else
            failed += (failed.empty() ? "; not passed: " : "; ") + gate.value("name", "?") + " (" + gate.value("what", "") + ")";
    }
    if (judged == 0) return;
    list.line(passed == judged ? Grade::good : Grade::without, "gates",
              std::to_string(passed) + " of " + std::to_string(judged) + " measured promises of the bundle hold" + failed,
              passed == judged ? "" : "The numbers are in assets/models/README.md.");
}

int predicted_context(const Options& options, const ModelConfig& target) {
    constexpr int kDefault = 4096;
    return options.context.value_or(std::min(kDefault, target.context()));
}

// What the weights and a text of `context` tokens take, and how long a text may become.
void report_memory(Checklist& list, const MemoryForecast& need, const Backend& backend, const ModelConfig& target, int context,
                   bool loaded) {
    const int positions = target.context();
    const std::string whose = target.max_positions > positions
                                  ? "SpecLens takes (the model goes to " + std::to_string(target.max_positions) + ")"
                                  : "the model goes to";
    const auto size = [](std::size_t bytes) { return megabytes(static_cast<double>(bytes)); };
    std::string parts = "target " + size(need.target);
    if (need.draft > 0) parts += ", draft model " + size(need.draft);
    if (need.heads > 0) parts += ", heads " + size(need.heads);
    std::string text = size(need.weights()) + (loaded ? " of weights are loaded (" : " of weights (") + parts + "); a text of " +
                       std::to_string(context) + " tokens takes " + size(need.run(context)) + " more";
    if (!loaded) text += ", " + size(need.weights() + need.run(context)) + " in all";
    text += "; " + size(backend.free_memory()) + " free" + (backend.name() == "cuda" ? " on the GPU" : "") + ": ";
    text += need.longest >= positions ? "room for the " + std::to_string(positions) + " tokens that " + whose
                                      : "room for " + std::to_string(need.longest) + " tokens";
    const bool fits = need.longest >= std::min(context, positions);
    list.line(fits ? Grade::good : Grade::bad, "memory", text,
              fits ? "" : "Give a smaller --context, leave heads out, or choose a smaller model.");
    if (context > positions)
        list.line(Grade::bad, "context",
                  "not " + std::to_string(context) + " tokens: " + std::to_string(positions) + " are the most that " + whose,
                  "Give a --context of " + std::to_string(positions) + " or less.");
}

// What the process had at most until here, beside what stays.
void report_peak(Checklist& list, const MemoryForecast& need, int context) {
    const ProcessMemory memory = process_memory();
    if (memory.most == 0) return;
    const std::size_t stays = need.stays(context);
    char ratio[32];
    std::snprintf(ratio, sizeof ratio, "%.2f", static_cast<double>(memory.most) / static_cast<double>(stays));
    list.line(Grade::good, "peak",
              megabytes(static_cast<double>(memory.most)) + " of memory at most until here, " + megabytes(static_cast<double>(memory.now)) +
                  " now; weights, keys and values of a text of " + std::to_string(context) + " tokens are " +
                  megabytes(static_cast<double>(stays)) + ": " + ratio + " times that");
}

void check_memory(Checklist& list, const Models& models, const Options& options) {
    const std::size_t free = models.backend->free_memory();
    if (!models.target)
        return list.line(Grade::good, "memory",
                         (models.scorer ? "the target is elsewhere; " : "a table needs next to none; ") +
                             megabytes(static_cast<double>(free)) + " free");
    const ModelConfig& target = models.target->config;
    const int context = predicted_context(options, target);
    const MemoryForecast need = forecast_memory(models, context, free);
    report_memory(list, need, *models.backend, target, context, true);
    if (models.backend->held_memory() > 0) report_peak(list, need, context);
}

// Whether a published shape would fit; nothing is loaded.
void check_geometry(Checklist& list, const Options& options) {
    const ModelConfig target = geometry(options.geometry);
    const int context = predicted_context(options, target);
    std::vector<DraftConfig> heads;
    for (const DrafterChoice& choice : options.drafters)
        for (const DrafterInfo* part : find_drafter(choice.name)->parts())
            if (part->name == choice.name || part->needs_network()) heads.push_back(head_geometry(part->name, target));
    const std::unique_ptr<Backend> backend = make_backend(options.backend, {.threads = options.threads});
    report_memory(list, forecast_memory(*backend, target, heads, context, backend->free_memory()), *backend, target, context, false);
}

// "matrices kept as Q4_K and Q6_K, bf16 products by AVX-512 BF16"; otherwise as a run's header has it: "bf16, from Q4_1, bf16 products".
std::string matrices_words(const Model& model, const std::string& weights) {
    const std::string products = precision_words(model.precision);
    if (!model.kept_as.empty() || std::ranges::none_of(model.forms(), is_quantised))
        return (weights.empty() ? "" : weights + ", ") + products;
    return "matrices kept as " + forms_of(model) + ", " + products + " by " + model.backend->products_title(model.precision);
}

std::string size_words(const Model& model) {
    return std::to_string(model.config.layers) + " layers, " + std::to_string(model.config.vocab) + " tokens, " +
           megabytes(static_cast<double>(model.bytes.per_token)) + " read per pass";
}

void check_models(Checklist& list, const Options& options) {
    const std::shared_ptr<const Models> models = load_without_notices(options);
    const std::vector<Notice> notices = notices_of(*models);
    const auto list_notices = [&](const std::string& whose) {
        for (const Notice& notice : notices)
            if (notice.whose == whose) list.line(Grade::without, whose, notice.text);
    };
    std::string target = models->target_name();
    if (models->target)
        target +=
            ": " + size_words(*models->target) +
            (models->bundle.empty() || models->precision() != Precision::f32 ? ", " + matrices_words(*models->target, models->weights())
                                                                             : "") +
            (models->fingerprint.empty() ? "" : "; fingerprint " + models->fingerprint);
    else if (models->scorer)
        target += ": answers, tells its " + std::to_string(models->scorer->listed()) + " likeliest tokens, texts of " +
                  std::to_string(models->scorer->capacity()) + " tokens";
    else
        target += ": a table of " + std::to_string(models->vocab()) + " tokens";
    list.line(Grade::good, "target", target);
    list_notices("target");
    const std::string draft_problem = models->why_not("small");
    std::string draft = models->draft_name();
    if (models->draft && models->bundle.empty()) {
        const Model& model = *models->draft;
        draft += ": " + size_words(model) + ", " + matrices_words(model, model.kept_as.empty() ? model.stored_as : model.kept_as);
    }
    list.line(draft_problem.empty() ? Grade::good : Grade::without, "draft model", draft_problem.empty() ? draft : draft_problem,
              draft_problem.empty() ? "" : "The drafters lookup and skip need none.");
    list_notices("draft model");
    if (draft_problem.empty() && models->draft && !models->vocabularies)
        list.line(models->small_ids ? Grade::good : Grade::without, "small ids",
                  models->small_ids ? "--small-ids N ranks the N most frequent by " + models->small_ids->file()
                                    : "no list says which ids are frequent in this vocabulary",
                  models->small_ids ? "" : "--small-ids FILE takes one that speclens frequent counts from texts.");
    for (const auto& [drafter, network] : models->networks) {
        const std::string problem = head_problem(models, drafter);
        list.line(problem.empty() ? Grade::good : Grade::bad, drafter,
                  describe_head(*network) + (problem.empty() ? "; drafts behind a text of the target" : "; " + problem),
                  problem.empty() ? "" : "Is this head made for this target?");
        list_notices(drafter);
        if (network->config.method == DraftConfig::Method::mtp && problem.empty()) {
            ProgressBar bar;
            const MtpStates states = mtp_states(models, [&](int places) {
                stop_if_interrupted();
                bar.show("mtp states", places, 2 * kMtpPlaces, "guesses");
            });
            bar.clear();
            const auto [said, remedy] = mtp_verdict(states);
            list.line(states.wants() == MtpStates::Wants::before_norm ? Grade::without : Grade::good, "mtp states", said, remedy);
        }
    }
    if (!models->tokenizer) {
        list.line(models->target ? Grade::bad : Grade::without, "tokenizer", "none",
                  models->target ? "Put the model's tokenizer.json into its folder." : "");
    } else {
        const std::string sentence = "The capital of France is Paris. Größe ≠ 42, 你好!\n";
        const std::string back = models->tokenizer->decode(models->tokenizer->encode(sentence));
        list.line(
            back == sentence ? Grade::good : Grade::bad, "tokenizer",
            std::to_string(models->tokenizer->size()) + " tokens" +
                (models->target && models->vocab() > models->tokenizer->size()
                     ? " (the other " + std::to_string(models->vocab() - models->tokenizer->size()) + " rows of the target are unused), "
                     : ", ") +
                (back == sentence ? "text survives the round trip" : "text does not survive the round trip"),
            back == sentence ? "" : "Is tokenizer.json the model's own?");
        if (!models->chat.problem.empty())
            list.line(Grade::without, "chat", models->chat.problem,
                      "--chat is refused; --raw takes a prompt with the marks of that template.");
    }
    RunSettings settings; // one token, to see that the target runs at all
    settings.drafter = kNoDrafter;
    settings.k = 0;
    settings.max_tokens = 1;
    if (!models->tokenizer) settings.prompt.token_ids = {0};
    Run(models, settings).finish();
    check_memory(list, *models, options);
}

// A reading of our own text by these models and, for the drafters, of a few ready-made prompts.
PrecisionReading reading_in(const Options& options, Precision precision, ProgressBar& bar) {
    constexpr std::size_t kMostTokens = 1000;
    constexpr int kPrompts = 8, kNewTokens = 48;
    Options own = options;
    own.precision = precision;
    const std::shared_ptr<const Models> models = load_without_notices(own);
    if (!models->target)
        throw Error("--precision changes nothing of " + std::string(models->scorer ? "a server" : "a table"),
                    "Leave it out, or give a checkpoint folder or a GGUF file with --model.", Exit::usage);
    if (!models->tokenizer)
        throw Error(models->target_name() + " has no tokenizer to read a text with", "Put the model's tokenizer.json into its folder.");
    const fs::path file = assets_folder() / "prompts" / "reading.txt";
    std::vector<int> ids = prompt_tokens(*models, {.text = read_text_file(file, 1 << 20)}).ids;
    ids.resize(std::min({ids.size(), kMostTokens, static_cast<std::size_t>(models->holds())}));
    std::vector<GalleryPrompt> prompts = load_gallery(gallery_file(assets_folder(), !models->bundle.empty()));
    ask_as_text_if_needed(prompts, models->chat);
    std::vector<RunSettings> runs;
    for (std::size_t i = 0; i < std::min<std::size_t>(kPrompts, prompts.size()); ++i) {
        RunSettings run;
        run.prompt = prompt_of(prompts[i], false);
        run.max_tokens = kNewTokens;
        runs.push_back(std::move(run));
    }
    return read_precision(models, ids, runs, [&](double done) {
        stop_if_interrupted();
        bar.show(std::string("reading in ") + name_of(precision), std::round(100 * done), 100, "%");
    });
}

OrderedJson change_json(const PrecisionChange& change, const std::string& model) {
    OrderedJson json = {{"schema", "speclens-precision/1"},
                        {"model", model},
                        {"from", name_of(change.from)},
                        {"to", name_of(change.to)},
                        {"tokens", change.tokens},
                        {"mean_dlogp", change.mean},
                        {"mean_abs_dlogp", change.mean_size},
                        {"worst_abs_dlogp", change.worst},
                        {"worst_at", change.worst_at},
                        {"argmax_differs", change.likeliest_differs},
                        {"drafters", OrderedJson::array()}};
    for (const PrecisionChange::Drafter& one : change.drafters)
        json["drafters"].push_back({{"drafter", one.to.drafter},
                                    {"k", one.to.k},
                                    {"tokens_per_round_from", one.from.tokens_per_round()},
                                    {"tokens_per_round_to", one.to.tokens_per_round()}});
    return json;
}

// What --precision changes against f32, where it was asked for by word.
void check_precision(Checklist& list, const Options& options, std::optional<ResultFile>& file) {
    if (!options.precision || *options.precision == Precision::f32) return;
    ProgressBar bar;
    const PrecisionReading to = reading_in(options, *options.precision, bar); // first: it may be refused
    const PrecisionReading from = reading_in(options, Precision::f32, bar);
    const PrecisionChange change = change_between(from, to);
    bar.clear();
    const std::string name = name_of(change.to);
    list.line(Grade::good, "precision",
              name + " against f32, " + std::to_string(change.tokens) +
                  " tokens of a fixed text: the log-probability of a token is off by " + number(change.mean_size, 4) + " on average (" +
                  (change.mean < 0 ? "" : "+") + number(change.mean, 4) + " with its sign), by " + number(change.worst, 4) +
                  " at most; another token is the likeliest at " + std::to_string(change.likeliest_differs) + " of " +
                  std::to_string(change.tokens) + " places");
    for (const PrecisionChange::Drafter& one : change.drafters)
        list.line(Grade::good, one.to.drafter,
                  number(one.to.tokens_per_round(), 2) + " tokens a round in " + name + ", " + number(one.from.tokens_per_round(), 2) +
                      " in f32 (K = " + std::to_string(one.to.k) + ")");
    if (file) {
        file->write(change_json(change, loaded_model(options)).dump(2) + "\n");
        file->commit();
    }
}

void check_published(Checklist& list) {
    const Published published = Published::load(assets_folder() / "published");
    list.line(Grade::good, "published",
              std::to_string(published.figures().size()) + " figures of " + std::to_string(published.sources().size()) + " sources, " +
                  std::to_string(published.conflict_count()) + " disagreements explained");
}

} // namespace

Exit command_check(const Options& options) {
    if (options.doctor) return doctor(options);
    if (!options.geometry.empty()) (void)geometry(options.geometry); // an unknown name is no question of memory
    std::optional<ResultFile> file;                                  // before anything is measured: can it be written?
    if (!options.json.empty()) file.emplace(options.json);
    Checklist list(standard_terminal(options.color), options.json == "-");
    list.attempt("engine", [&] { check_engine(list, options); });
    check_gpu(list);
    if (!options.geometry.empty()) {
        list.attempt("memory", [&] { check_geometry(list, options); });
        print(list.bad() ? "It does not fit.\n" : "It fits.\n");
        return list.bad() ? Exit::failed : Exit::ok;
    }
    if (options.model.empty()) check_bundle(list), check_references(list);
    list.attempt("models", [&] { check_models(list, options); });
    list.attempt("precision", [&] { check_precision(list, options, file); });
    if (options.model.empty()) list.attempt("gates", [&] { check_gates(list); });
    list.attempt("published", [&] { check_published(list); });
    list.attempt("fonts", [&] { list.line(Grade::good, "fonts", font_report()); });
    list.attempt("display", [&] {
        const std::string report = display_report();
        list.line(Grade::without, "display", report);
    });
    if (options.json != "-") print(list.bad() ? "Something essential is missing.\n" : "Everything a run needs is here.\n");
    return list.bad() ? Exit::failed : Exit::ok;
}

} // namespace speclens::cli
