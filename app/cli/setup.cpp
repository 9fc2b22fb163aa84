#include "app/cli/setup.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <utility>

#include "app/cli/calls/shared_models.h"
#include "app/cli/output.h"
#include "app/cli/prompts/prompt_set.h"
#include "app/cli/values.h"
#include "engine/base/json_read.h"
#include "engine/drafters/drafter_info.h"
#include "engine/length/costs_file.h"
#include "engine/model/model.h"
#include "engine/models/model_names.h"
#include "engine/models/notices.h"
#include "engine/rules/verify.h"
#include "engine/run/fitting.h"
#include "engine/run/gallery.h"
#include "engine/run/measured_costs.h"
#include "engine/run/prepared_run.h"
#include "engine/run/run_setting.h"
#include "engine/text/id_list.h"
#include "kernels/error.h"
#include "remote/client/probe.h"
#include "remote/client/prompt_scorer.h"

namespace speclens::cli {

namespace {

constexpr std::size_t kMostPromptBytes = std::size_t{64} << 20;

std::string read_all(std::istream& in, const std::string& name) {
    std::string text = read_at_most(in, kMostPromptBytes, name);
    if (!text.empty() && text.back() == '\n') text.pop_back(); // the line end that every editor and echo adds
    return text;
}

// TEXT, @FILE, @- or @@TEXT, which is a text that begins with @
std::string prompt_text(const std::string& argument) {
    if (argument.empty() || argument[0] != '@') return argument;
    if (argument.starts_with("@@")) return argument.substr(1);
    if (argument == "@-") return read_all(std::cin, "standard input");
    const std::string file = argument.substr(1);
    std::ifstream in(file, std::ios::binary);
    std::error_code ignored;
    if (!in || std::filesystem::is_directory(file, ignored))
        throw Error(file + ": cannot be opened",
                    "Check the name after @; a prompt that begins with @ is written with two, as @" + argument + ".");
    return read_all(in, file);
}

constexpr const char* kAllDomains = "all"; // of the total in tables
constexpr std::array<std::string_view, 4> kPromptKeys = {"prompt", "domain", "system", "chat"};
constexpr std::array<std::string_view, 2> kSampleKeys = {"temperature", "max_tokens"};
// Read by assets/recipe; what HumanEval's own harness reads.
constexpr std::array<std::string_view, 7> kOthersKeys = {"expect", "check", "held", "task_id", "entry_point", "canonical_solution", "test"};

// `unknown` keeps the first key that means nothing.
ListedPrompt prompt_of_line(const std::string& line, const std::string& where, bool sampled, std::string& unknown) {
    const auto json = Json::parse_or_discard(line);
    const auto broken = [&](const std::string& what) {
        return Error(where + ": " + what, "Every line is an object like {\"prompt\":\"Once\",\"domain\":\"story\"}.");
    };
    if (!json.is_object()) throw broken("not a JSON object");
    ListedPrompt prompt;
    const auto text = [&](const char* key, std::string& to) {
        const auto found = json.find(key);
        if (found == json.end() || found->is_null()) return;
        if (!found->is_string()) throw broken(std::string("\"") + key + "\" is not a text");
        to = found->get<std::string>();
    };
    if (!json.contains("prompt")) throw broken("no \"prompt\"");
    text("prompt", prompt.ask.text);
    text("domain", prompt.domain);
    text("system", prompt.ask.system);
    if (const auto chat = json.find("chat"); chat != json.end() && !chat->is_null()) {
        if (!chat->is_boolean()) throw broken("\"chat\" is neither true nor false");
        prompt.ask.chat = chat->get<bool>();
    }
    const auto number = [&](const char* key, double least, double most) -> std::optional<double> {
        const auto found = json.find(key);
        if (!sampled || found == json.end() || found->is_null()) return std::nullopt;
        const double value = found->is_number() ? found->get<double>() : -1;
        if (!(value >= least && value <= most))
            throw broken(std::string("\"") + key + "\" is no number from " + std::to_string(static_cast<int>(least)) + " to " +
                         std::to_string(static_cast<int>(most)));
        return value;
    };
    prompt.temperature = number("temperature", 0, 1000);
    if (const auto most = number("max_tokens", 1, 1000000)) prompt.max_tokens = static_cast<int>(*most);
    const auto known = [&](const std::string& key) {
        return std::ranges::find(kPromptKeys, key) != kPromptKeys.end() || std::ranges::find(kOthersKeys, key) != kOthersKeys.end() ||
               (sampled && std::ranges::find(kSampleKeys, key) != kSampleKeys.end());
    };
    for (const auto& [key, value] : json.items())
        if (unknown.empty() && !known(key))
            unknown = where + ": \"" + key + "\" means nothing here (known: prompt, domain, chat, system" +
                      (sampled ? ", temperature, max_tokens)" : ")");
    if (prompt.ask.text.empty()) throw broken("\"prompt\" is empty");
    if (prompt.domain.empty()) prompt.domain = "other";
    check_domain(prompt.domain, where);
    return prompt;
}

Error no_text() { return Error("these models have no tokenizer, so text prompts mean nothing", "Give --token-ids 0,1,2.", Exit::usage); }

std::vector<ListedPrompt> read_prompts(const std::filesystem::path& file, bool sampled = false) {
    std::ifstream in(file);
    if (!in) throw Error(file.string() + ": cannot be opened", "Give a file with one JSON object a line, --prompts FILE.jsonl.");
    std::vector<ListedPrompt> prompts;
    std::string line, unknown;
    for (int number = 1; std::getline(in, line); ++number)
        if (line.find_first_not_of(" \t\r") != std::string::npos)
            prompts.push_back(prompt_of_line(line, file.string() + " line " + std::to_string(number), sampled, unknown));
    if (in.bad())
        throw Error(file.string() + ": cannot be read to its end", "Give a file with one JSON object a line, --prompts FILE.jsonl.");
    if (!unknown.empty()) say(unknown);
    if (prompts.empty()) throw Error(file.string() + ": no prompts", "Every line is an object with a \"prompt\".");
    return prompts;
}

} // namespace

namespace {

std::string typed(const DrafterSetting& setting) { return "--" + std::string(setting.option); }

std::vector<const DrafterInfo*> infos_of(const std::vector<std::string>& drafters) {
    std::vector<const DrafterInfo*> infos;
    for (const std::string& name : drafters)
        if (const DrafterInfo* info = find_drafter(name)) infos.push_back(info);
    return infos;
}

} // namespace

std::string server_key(const Options& options) {
    if (options.key_from.empty()) return "";
    const char* key = std::getenv(options.key_from.c_str());
    if (!key || !*key)
        throw Error("--key-from " + options.key_from + ": no such environment variable, or it is empty",
                    "Set it first: export " + options.key_from + "=…", Exit::usage);
    return key;
}

void check_domain(const std::string& domain, const std::string& where) {
    if (domain == kAllDomains)
        throw Error(where + ": the domain \"all\" is the name of the total over all domains", "Give it another name.");
    if (std::ranges::any_of(domain, [](unsigned char c) { return c < ' '; }))
        throw Error(where + ": the domain has a line break or another control character",
                    "It is a cell of a table: give it a name of one line.");
}

void read_prompt(Options& options) {
    if (options.prompt && !options.prompt_is_text) options.prompt = prompt_text(*options.prompt);
}

std::string forms_of(const Model& model) {
    std::string words;
    for (const DType form : model.forms()) words += (words.empty() ? "" : " and ") + std::string(name_of(form));
    return words;
}

// What a list looks like says the loader, which knows the vocabulary (engine/models/models.cpp).
void read_small_ids(Options& options) {
    constexpr int kMostVocab = 1 << 24;
    if (options.small_ids.empty()) return;
    const IdList list = read_id_list(options.small_ids, kMostVocab, kIdListRemedy);
    options.run.options.small_ids = rounded_ids(static_cast<int>(list.ids.size()));
}

std::string loaded_model(const Options& options) {
    return target_is_server(options) ? options.model.string() : model_word(options.model.string());
}

bool target_is_server(const Options& options) { return !options.model.empty() && looks_like_endpoint(options.model.string()); }

namespace {

std::function<std::shared_ptr<const Scorer>(const Vocabulary&, const Progress&)> server_as_target(const Options& options,
                                                                                                  const std::filesystem::path& draft) {
    const Endpoint endpoint = parse_endpoint(options.model.string());
    ScorerSettings settings;
    settings.model = options.server_model;
    settings.listed = options.listed;
    settings.vocabulary = "the built-in draft model";
    if (!options.tokenizer.empty())
        settings.vocabulary = options.tokenizer.string();
    else if (!draft.empty())
        settings.vocabulary = draft.string();
    settings.http.key = server_key(options);
    settings.http.silence_seconds = 120; // a long text on a large model
    if (const std::string warning = caution(endpoint, !settings.http.key.empty()); !warning.empty()) say(warning);
    return [endpoint, settings](const Vocabulary& vocabulary, const Progress& progress) {
        ScorerSettings patient = settings;
        patient.http.cancelled = progress.cancelled;
        return connect_scorer(endpoint, patient, vocabulary);
    };
}

} // namespace

// Throws Error where `word` is no name of a model, and no path of anything.
static std::filesystem::path model_called(const std::string& word) {
    const std::filesystem::path file = model_file(word);
    std::error_code failure;
    const bool path = word.find('/') != std::string::npos || word.ends_with(".gguf") || word.ends_with(".json");
    if (path || file.empty() || std::filesystem::exists(file, failure)) return file;
    const std::string close = nearest(word, known_models());
    throw Error("there is no model '" + word + "'",
                (close.empty() ? "" : "Did you mean '" + close + "'? ") +
                    "speclens list models has the names; a folder or a .gguf file is given by its path.");
}

ModelPaths model_paths(const Options& options) {
    ModelPaths paths;
    if (!target_is_server(options)) paths.target = model_called(options.model.string());
    paths.backend = options.backend;
    paths.threads = options.threads;
    paths.weights = options.weights;
    paths.precision = options.precision;
    paths.force_heads = options.force_heads;
    paths.ignore_config = options.ignore_config;
    for (const DrafterChoice& choice : with_folders(options.drafters)) {
        const bool head = find_drafter(choice.name)->needs_network();
        const std::string method = network_of(choice.name);
        std::filesystem::path& kept = head ? paths.heads[method] : paths.draft;
        const std::filesystem::path given = head ? choice.folder : model_called(choice.folder.string());
        if (!kept.empty() && kept != given)
            throw Error("two folders of " + (head ? method + " heads" : std::string("draft models")) + ": " + kept.string() + " and " +
                            choice.folder.string(),
                        head ? "One head of a kind is loaded at a time: give one NAME=DIR, and the other to a "
                               "second command."
                             : "One draft model is loaded at a time: give one NAME=DIR.",
                        Exit::usage);
        kept = given;
    }
    if (paths.draft.empty()) paths.draft = draft_file(options.model.string());
    if (target_is_server(options)) paths.scorer = server_as_target(options, paths.draft);
    paths.tokenizer = options.tokenizer;
    paths.small_ids = options.small_ids;
    return paths;
}

std::filesystem::path folder_of(const Options& options, const std::string& drafter) {
    for (const DrafterChoice& choice : with_folders(options.drafters))
        if (network_of(choice.name) == network_of(drafter)) return choice.folder;
    return {};
}

namespace {

struct Shared {
    ModelPaths paths;
    std::shared_ptr<const Models> models; // null: nothing was loaded yet
};
std::optional<Shared> g_shared; // nothing: each command loads its own

std::shared_ptr<const Models> loaded(ModelPaths paths) {
    if (g_shared) {
        paths.heads.insert(g_shared->paths.heads.begin(), g_shared->paths.heads.end());
        if (paths.draft.empty()) paths.draft = g_shared->paths.draft;
        if (paths.small_ids.empty()) paths.small_ids = g_shared->paths.small_ids;
        if (g_shared->models && paths.same_as(g_shared->paths)) return g_shared->models;
        g_shared->models.reset(); // two would not always have room
    }
    ProgressBar bar;
    Progress progress;
    progress.cancelled = &interrupted();
    progress.report = [&](const std::string& what, double done, double total, const std::string& unit) {
        bar.show(what, done, total, unit);
    };
    bar.show("opening " + (paths.target.empty() ? std::string("the models") : paths.target.filename().string()), 0, 0, ""); // vocabularies
    auto models = std::make_shared<const Models>(load_models(paths, progress));
    stop_if_interrupted();
    if (g_shared) *g_shared = {paths, models};
    return models;
}

} // namespace

void share_models() { g_shared.emplace(); }

std::shared_ptr<const Models> load(const Options& options) {
    auto models = load_without_notices(options);
    for (const Notice& notice : notices_of(*models)) say(notice.text);
    if (!options.fingerprint.empty() && options.fingerprint != models->fingerprint)
        say("the link was made with another model than " + models->target_name() + " (fingerprint " + options.fingerprint +
            (models->fingerprint.empty() ? "" : ", here " + models->fingerprint) + "): what it shows will differ");
    for (const std::string& head : split(options.drafter_fingerprint, ',')) { // another one is no reason to refuse: it drafts as well
        const std::size_t colon = head.find(':');
        const std::string drafter = head.substr(0, colon), here = models->drafter_fingerprint(drafter);
        if (colon == std::string::npos || !models->why_not(drafter).empty() || here == head.substr(colon + 1)) continue;
        say("the link was made with another " + drafter + " (" + head.substr(colon + 1) + (here.empty() ? "" : ", here " + here) +
            "): what it shows will differ");
    }
    return models;
}

std::shared_ptr<const Models> load_without_notices(const Options& options) {
    const std::shared_ptr<const Models> models = loaded(model_paths(options));
    for (const std::string& key : options.ignore_config)
        if (std::ranges::none_of(models->ignored, [&](const std::string& place) { return is_named(place, key); }))
            throw Error("--ignore-config " + key + ": none of the files that were loaded has that key", "Leave it out, or correct it.",
                        Exit::usage);
    if (options.prompt && models->target_table) throw no_text();
    check_thinking(options, *models);
    return models;
}

Remembering remembering(const Options& options, std::shared_ptr<const Models> models, const std::vector<std::string>& drafters) {
    if (options.suffix_memory.empty()) return {{}, std::move(models)};
    if (std::ranges::none_of(drafters, [](const std::string& name) { return drafts_with(name, "suffix"); }))
        throw Error("--suffix-memory does nothing here: nobody drafts from earlier answers", "Add the drafter suffix.", Exit::usage);
    if (!models->tokenizer) throw Error("--suffix-memory needs a model with a tokenizer", "Leave it out.", Exit::usage);
    Remembering what;
    what.memory.emplace(options.suffix_memory, models->fingerprint.empty() ? models->target_name() : models->fingerprint, models->vocab());
    auto with = std::make_shared<Models>(*models);
    with->answers = what.memory->trie(options.run.options.suffix_depth);
    what.models = std::move(with);
    return what;
}

void keep_answers(const Remembering& what) {
    if (!what.memory) return;
    what.memory->save();
    say("remembered: " + what.memory->words());
}

std::string working_drafter(const Options& options, const Models& models) {
    const std::string drafter = chosen_drafter(options, models);
    check_drafter_options(options, {drafter}, models.layers());
    const std::string problem = models.why_not(drafter);
    if (problem.empty() || options.k() == 0) return drafter;
    std::string ready;
    for (const std::string& name : models.ready_drafters()) ready += (ready.empty() ? "" : ", ") + name;
    const bool foreign = problem == models.vocabulary_problem;
    throw Error("the drafter '" + drafter + "' cannot run: " + problem,
                (foreign ? "Give a draft with the target's tokenizer, --drafter " + drafter + "=DIR. " : "") + "These can: " + ready + ".");
}

std::string chosen_drafter(const Options& options, const Models& models) {
    // As a window opens on a model of that name. A link that names no drafter is an old one, and means what it meant.
    const std::string measured = options.link ? "" : opening_view(options.model.string(), assets_folder()).drafter;
    return chosen_drafter(options, !measured.empty() && models.why_not(measured).empty() ? measured : default_drafter(models));
}

std::string chosen_drafter(const Options& options, const std::string& by_default) {
    if (!options.drafters.empty()) return options.drafters[0].name;
    if (!options.suffix_memory.empty()) return "suffix";
    // A setting names who reads it, where that needs no trained head: --ngram lookup, --tree-topk small_tree.
    for (const DrafterSetting& setting : drafter_settings()) {
        if (!options.has(typed(setting)) || reads_setting("small", setting.id)) continue;
        const auto reader = std::ranges::find_if(
            drafter_list(), [&](const DrafterInfo& info) { return info.reads_setting(setting.id) && !info.needs_network(); });
        if (reader != drafter_list().end()) return reader->name;
    }
    return by_default;
}

// On a model that is bound by memory a pass over five costs hardly more than one, over eight half as much again, and heads that saw
// less of it than the built-in ones of theirs are seldom right eight tokens ahead.
constexpr int kRealDrafts = 4;

static int default_drafts(const Options& options, const std::string& drafter) {
    const DrafterInfo* const info = find_drafter(drafter);
    const bool head = info && info->needs_network() && !info->tree; // the rows of a tree are bounded by its nodes
    return head && loaded_model(options) != kBuiltInModel ? std::min(kRealDrafts, default_k(drafter)) : default_k(drafter);
}

RunSettings run_settings(const Options& options, const std::string& drafter, double temperature) {
    RunSettings settings = options.run;
    if (options.prompt) settings.prompt.text = *options.prompt;
    const bool typed = options.prompt || !options.run.prompt.token_ids.empty() || options.has("--chat") || options.has("--raw");
    // Models that are known by name answer chats; of others nobody knows before they are loaded.
    const bool answers = options.model.empty() || is_known_model(options.model.string());
    if (!typed && answers && options.geometry.empty()) {
        settings.prompt.text = kFirstPrompt;
        settings.prompt.chat = true;
    }
    settings.drafter = drafter;
    if (!options.has("--rule")) settings.rule = judging_rule(settings.rule, drafter);
    settings.k = options.k().value_or(settings.k_auto ? kMostAuto : default_drafts(options, drafter));
    settings.sampling.temperature = options.temperature().value_or(options.run.rule == "greedy" ? 0 : temperature);
    settings.draft_sampling.reset();
    if (options.draft_temperature()) {
        settings.draft_sampling = settings.sampling;
        settings.draft_sampling->temperature = *options.draft_temperature();
    }
    settings.options = {};
    take_options(drafter, options.run.options, settings.options);
    if (settings.options.tree_depth > 0) settings.k = settings.options.tree_depth; // two words for one number
    return settings;
}

void check_drafter_options(const Options& options, const std::vector<std::string>& drafters, int target_layers) {
    const auto needs = [&](std::initializer_list<std::string> typed, bool useful, const std::string& who) {
        for (const std::string& option : typed)
            if (options.has(option) && !useful)
                throw Error(option + " does nothing for " + (drafters.size() == 1 ? "the drafter '" + drafters[0] + "'" : "these drafters"),
                            "It is an option of: " + who + ".", Exit::usage);
    };
    const auto known = infos_of(drafters);
    const auto any = [&](const auto& is) { return std::ranges::any_of(known, is); };
    for (const RunSetting& setting : run_setting_list()) {
        if (setting.of != RunSetting::Of::run || setting.of_drafter != nullptr || readers_of(setting).empty()) continue;
        const bool plain = options.k() == 0 && setting.option == std::string_view("k"); // 0 is plain decoding for whoever drafts
        needs({"--" + std::string(setting.option)}, plain || any([&](const DrafterInfo* info) { return setting.read(*info); }),
              readers_of(setting));
    }
    for (const DrafterSetting& setting : drafter_settings()) {
        const std::string option = typed(setting);
        if (!options.has(option)) continue;
        // The window's switches leave the one where it stands when they turn the other off.
        if (setting.needs != nullptr && !(options.run.options.*setting.needs)) {
            const auto off = std::ranges::find_if(
                drafter_settings(), [&](const DrafterSetting& other) { return other.member == SettingMember(setting.needs); });
            throw Error(option + " does nothing with " + typed(*off), "Leave one of them out.", Exit::usage);
        }
        const bool read = any([&](const DrafterInfo* info) { return info->reads_setting(setting.id); });
        if (!read && !known.empty() && std::ranges::all_of(known, &DrafterInfo::own_ids) && setting.id == Setting::fr_spec) {
            DrafterOptions alone;
            copy(setting, options.run.options, alone);
            check_options(drafters[0], alone, target_layers); // says why
        }
        needs({option}, read, readers_of(setting.id));
    }
    // A tree's draft tokens are the draft's favourites under these, whatever its temperature.
    const bool certain = options.run.rule == "tree_topk" || options.run.rule == "greedy" || options.temperature() == 0.0;
    const bool trees = std::ranges::all_of(known, &DrafterInfo::tree);
    if (options.has("--draft-temp") && certain && trees && !drafters.empty())
        throw Error("--draft-temp does nothing here: the guesses of the tree are chosen, not drawn",
                    "Leave it out, or use --rule tree_wor or tree_wr with --temp above 0.", Exit::usage);
    if (options.has("--rule-param") && options.temperature() == 0.0 && !find_rule(options.run.rule)->is_cascade())
        throw Error("--rule-param does nothing at temperature 0: the rule " + options.run.rule + " keeps what the target ranks first",
                    "Leave it out, or use --temp above 0.", Exit::usage);
    for (const std::string& drafter : drafters) check_options(drafter, run_settings(options, drafter, 0).options, target_layers);
}

void settle_costs(const Options& options, const std::shared_ptr<const Models>& models, std::span<const RunSettings> runs) {
    bool chosen = false;
    for (const RunSettings& run : runs) {
        if (!run.k_auto || !find_drafter(run.drafter)->drafts() || !models->why_not(run.drafter).empty()) continue;
        chosen = true;
        if (options.k_costs.empty() && run.timing) continue; // measured where the first run begins
        const PreparedRun prepared = prepared_run(*models, run);
        std::optional<DraftCosts> costs;
        if (!options.k_costs.empty()) costs = costs_in(options.k_costs, models->target_name(), run.drafter);
        if (!costs && !options.k_costs.empty()) {
            costs = measured_costs(models, prepared);
            add_costs(options.k_costs, models->target_name(), run.drafter, *costs);
            say("what rounds of " + run.drafter + " cost was written to " + options.k_costs.string());
        }
        give_costs(*models, run.drafter, costs ? *costs : nominal_costs(*models, prepared));
    }
    if (!options.k_costs.empty() && !chosen) throw Error("--k-costs does nothing without K auto", "Add --k auto.", Exit::usage);
}

void check_thinking(const Options& options, const Models& models) {
    const std::string why = options.run.prompt.thinking ? why_no_thinking(models.chat) : "";
    if (why.empty()) return;
    if (!options.thinking_of_link) throw Error("--thinking does nothing: " + why, "Leave it out.", Exit::usage);
    say("the link asks for thinking, which does nothing: " + why);
}

void say_if_asked_as_text(const Models& models) {
    if (!models.chat.problem.empty()) say(models.chat.problem + ": the built-in chats are asked as plain text");
}

std::vector<ListedPrompt> prompts_of(const Options& options, const Models& models) {
    if (options.prompt || !options.run.prompt.token_ids.empty()) {
        ListedPrompt one{.ask = options.run.prompt, .domain = kAllDomains};
        one.ask.text = options.prompt.value_or("");
        return {one};
    }
    if (models.target_table) { // it starts from nothing, as in a run
        if (!options.prompts.empty() || !options.set.empty() || !options.domain.empty()) throw no_text();
        return {{.domain = kAllDomains}};
    }
    std::vector<ListedPrompt> prompts;
    if (!options.prompts.empty()) {
        prompts = read_prompts(options.prompts, options.command == Command::sample);
    } else if (models.tokenizer) {
        const bool built_in = !models.bundle.empty();
        prompts = !options.set.empty()
                      ? read_set(options.set)
                      : read_prompts(options.command == Command::advise ? held_out_file(assets_folder(), built_in, models.target_name())
                                     : options.alone && !built_in       ? assets_folder() / "prompts" / "k_auto.jsonl"
                                                                        : gallery_file(assets_folder(), built_in));
        if (!models.chat.problem.empty() && !options.has("--chat") && !options.has("--raw")) {
            say_if_asked_as_text(models);
            for (ListedPrompt& prompt : prompts) prompt.ask.chat = false, prompt.ask.system.clear();
        }
        if (models.chat.system_place == ChatFormat::SystemPlace::nowhere)
            for (auto& [ask, domain, temperature, most] : prompts) // said in the question instead
                if (ask.chat && !ask.system.empty()) ask.text = std::exchange(ask.system, "") + "\n\n" + ask.text;
    } else {
        throw no_text();
    }
    for (ListedPrompt& prompt : prompts) {
        if (options.has("--chat") || options.has("--raw")) prompt.ask.chat = options.run.prompt.chat;
        if (!options.run.prompt.system.empty()) prompt.ask.system = options.run.prompt.system;
        prompt.ask.thinking = options.run.prompt.thinking;
    }
    if (std::ranges::any_of(prompts, [](const ListedPrompt& p) { return !p.ask.system.empty() && !p.ask.chat; }))
        say("a \"system\" does nothing for a prompt without \"chat\": true");
    if (options.domain.empty()) return prompts;
    std::set<std::string> domains;
    std::vector<ListedPrompt> kept;
    for (const ListedPrompt& prompt : prompts) {
        domains.insert(prompt.domain);
        if (prompt.domain == options.domain) kept.push_back(prompt);
    }
    if (kept.empty()) unknown_name("domain", options.domain, {domains.begin(), domains.end()});
    return kept;
}

std::vector<GalleryPrompt> prompt_texts(const Options& options) {
    std::vector<GalleryPrompt> texts;
    const auto file = [&] {
        return options.prompts.empty() ? gallery_file(assets_folder(), loaded_model(options) == kBuiltInModel) : options.prompts;
    };
    for (const auto& [ask, domain, temperature, most] : options.set.empty() ? read_prompts(file()) : read_set(options.set))
        texts.push_back({domain, ask.text, ask.system, options.has("--chat") || options.has("--raw") ? options.run.prompt.chat : ask.chat});
    return texts;
}

RaceSettings race_settings(const Options& options, bool text) {
    constexpr const char* kRaceDomain = "code"; // where speculation has most to show on the built-in model
    RaceSettings race;
    race.chat_if_possible = !options.has("--chat");
    race.stepped = options.stepped || !options.run.timing; // without times the lanes have only their steps
    race.base = run_settings(options, kNoDrafter, 0);
    race.base.rule = options.has("--rule") ? options.run.rule : judging_rule(options.run.rule, kNoDrafter);
    race.base.k = options.k().value_or(options.run.k_auto ? kMostAuto : loaded_model(options) == kBuiltInModel ? kRaceDrafts : kRealDrafts);
    race.base.options = options.run.options; // every lane takes what its drafter reads
    if (text) {
        race.prompts = prompt_texts(options);
        const bool typed = options.prompt || !options.run.prompt.token_ids.empty();
        const bool built_in = loaded_model(options) == kBuiltInModel;
        // Any other model is asked what a class would ask it first, and so that its answer is whole within the usual length.
        constexpr const char* kRaceQuestion = "Explain in two short sentences what photosynthesis is.";
        const auto first = built_in ? std::ranges::find(race.prompts, kRaceDomain, &GalleryPrompt::domain) : race.prompts.begin();
        if (!typed && !built_in && options.prompts.empty()) {
            const GalleryPrompt question{"questions", kRaceQuestion, "", !options.has("--raw")};
            race.base.prompt = prompt_of(question, race.chat_if_possible, race.base.prompt.thinking); // it is ready-made
        } else if (!typed && first != race.prompts.end()) {
            race.base.prompt = prompt_of(*first, false, race.base.prompt.thinking);
        }
    }
    std::vector<std::string> names;
    for (const DrafterChoice& choice : options.drafters) names.push_back(choice.name);
    if (!names.empty()) {
        if (std::ranges::find(names, kNoDrafter) == names.end() && static_cast<int>(names.size()) < kRaceLanes)
            names.insert(names.begin(), kNoDrafter);
        race.lanes = race_entries(names, race.base);
    }
    return race;
}

RunSettings with_prompt(RunSettings settings, Prompt prompt) {
    settings.prompt = std::move(prompt);
    return settings;
}

} // namespace speclens::cli
