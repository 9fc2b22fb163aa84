// The list of options: name, help, the commands where it means something, and what it sets.
#include <algorithm>
#include <charconv>

#include "app/cli/options.h"
#include "app/cli/values.h"
#include "engine/drafters/drafter.h"
#include "engine/model/precision.h"
#include "engine/rules/verify.h"
#include "engine/run/model_names.h"
#include "kernels/error.h"

namespace speclens::cli {

namespace {

using Text = const std::string&;

template <typename... C>
constexpr unsigned in(C... commands) {
    return ((1u << static_cast<unsigned>(commands)) | ...);
}

using enum Command;
constexpr unsigned kGenerates =
    in(window, run, compare, render, describe, lossless);                 // makes text from a prompt
constexpr unsigned kDrafts = kGenerates | in(bench, serve, advise, sweep);
constexpr unsigned kAsks = kGenerates | in(attach); // sends or makes text from a prompt
constexpr unsigned kLoads = kDrafts | in(check, train);
constexpr unsigned kScored = in(window, run, compare, render, describe, check); // takes a server as target
constexpr unsigned kDraws = in(window, render);
constexpr unsigned kCounts = in(compare, bench, sweep);
constexpr unsigned kTable = in(run, compare, check, attach, train, advise, sweep);

int int_of(Text name, Text text, long least, long most) {
    return static_cast<int>(whole(name, text, least, most));
}

void set_rule(Options& o, Text, Text text) {
    std::vector<std::string> known;
    for (const RuleInfo& rule : rule_list()) known.emplace_back(rule.name);
    if (!find_rule(text)) unknown_name("rule", text, known);
    o.rule = text;
}

void set_rule_param(Options& o, Text name, Text text) {
    for (const std::string& part : split(text, ',')) {
        const std::size_t equals = part.find('=');
        if (equals == std::string::npos || equals == 0)
            throw Error(name + ": '" + part + "' is not NAME=VALUE",
                        "For example --rule cascade_tokenV3 --rule-param alpha=0.4.", Exit::usage);
        const std::string word = part.substr(0, equals);
        if (std::ranges::find(o.rule_words, word, &std::pair<std::string, std::string>::first) != o.rule_words.end())
            throw Error(name + ": " + word + " was given twice", "Give it once.", Exit::usage);
        o.rule_words.emplace_back(word, part.substr(equals + 1));
    }
}

void set_precision(Options& o, Text name, Text text) {
    o.precision = find_precision(one_of(name, text, {"f32", "bf16", "int8"}));
}

void set_prompt(Options& o, Text, Text text) {
    o.prompt = text;
}

void set_drafter(Options& o, Text, Text text) {
    o.drafters = {drafter_choice(text)};
}

void set_drafters(Options& o, Text, Text text) {
    for (const std::string& part : split(text, ',')) o.drafters.push_back(drafter_choice(part));
}

void set_k(Options& o, Text name, Text text) {
    o.k = int_of(name, text, 0, 64);
}

void set_lengths(Options& o, Text name, Text text) {
    o.lengths = whole_list(name, text, 0, 64);
    o.k = *std::ranges::max_element(o.lengths);
    if (o.lengths.size() > 1 && std::ranges::find(o.lengths, 0) != o.lengths.end())
        throw Error(name + ": 0 is plain decoding, which is always measured", "Leave the 0 out.",
                    Exit::usage);
}

// Any setting of a drafter.
void set_method(Options& o, Text name, Text text) {
    const DrafterSetting& setting = *find_setting(std::string_view(name).substr(2));
    DrafterOptions& to = o.method;
    const auto least = static_cast<long>(setting.least), most = static_cast<long>(setting.most);
    if (const auto* member = std::get_if<bool DrafterOptions::*>(&setting.member)) to.**member = !(DrafterOptions{}.**member);
    if (const auto* member = std::get_if<int DrafterOptions::*>(&setting.member)) to.**member = int_of(name, text, least, most);
    if (const auto* member = std::get_if<double DrafterOptions::*>(&setting.member)) to.**member = real(name, text, setting.least, setting.most);
    if (const auto* member = std::get_if<std::vector<int> DrafterOptions::*>(&setting.member)) to.**member = whole_list(name, text, least, most);
    if (const auto* pair = std::get_if<IntPair>(&setting.member)) {
        const std::vector<int> both = whole_list(name, text, least, most);
        if (both.size() != 2 || both[0] > both[1])
            throw Error(name + ": '" + text + "' is not " + setting.value,
                        "Give two whole numbers, the smaller first: " + name + " " + text_of(setting, {}) + ".", Exit::usage);
        to.*pair->first = both[0];
        to.*pair->second = both[1];
    }
}

void set_frames(Options& o, Text name, Text text) {
    o.first_frame = 1;
    if (text == "all") return;
    const std::vector<std::string> ends = split(text, ':');
    if (ends.size() != 2)
        throw Error(name + ": '" + text + "' is not A:B", "Give the first and the last beat, 2:6, or all.",
                    Exit::usage);
    o.first_frame = int_of(name, ends[0], 1, 100000);
    o.last_frame = int_of(name, ends[1], o.first_frame, 100000);
}

void set_size(Options& o, Text name, Text text) {
    const std::vector<std::string> sides = split(text, 'x');
    const auto side = [&](std::size_t i, int least, int most) { // 0: none
        int pixels = 0;
        const char* const end = sides[i].data() + sides[i].size();
        const bool number = std::from_chars(sides[i].data(), end, pixels).ptr == end;
        return number && pixels >= least && pixels <= most ? pixels : 0;
    };
    const int width = sides.size() == 2 ? side(0, 640, 7680) : 0, height = width > 0 ? side(1, 400, 4320) : 0;
    if (height == 0)
        throw Error(name + ": '" + text + "' is not WxH",
                    "Give a size between 640x400 and 7680x4320, like 1600x1000.", Exit::usage);
    o.width = width;
    o.height = height;
}

void set_color(Options& o, Text name, Text text) {
    (void)one_of(name, text, {"auto", "always", "never"});
    o.color = text == "auto" ? When::automatic : text == "always" ? When::always : When::never;
}

void set_trace_top(Options& o, Text name, Text text) {
    o.trace_top = text == "all" ? -1 : int_of(name, text, 0, 1000000);
}

constexpr OptionRow kOptionRows[] =
    {
        {"--model", "NAME|DIR|FILE|URL", "Models",
         "the target: tiny (built in, the default), smollm2 (see: speclens get), a checkpoint folder, a .gguf file, a table "
         ".json; the address of a vLLM or SGLang server lets that judge what is guessed here",
         kLoads, [](Options& o, Text, Text text) { o.model = text == kBuiltInModel ? "" : text; }},
        {"--drafter", "NAME[=DIR]", "Models",
         "who guesses, see: speclens list drafters (default: small where a draft model is loaded, eagle3 where its head is, else "
         "lookup; some pictures have their own); NAME=DIR names the folder of its model or trained head",
         in(window, run, render, describe, serve), set_drafter},
        {"--drafter", "NAME[=DIR]", "Models",
         "the one to test (default: all that can run); NAME=DIR names the folder of its model or trained "
         "head",
         in(lossless), set_drafter},
        {"--drafter", "NAME[=DIR]", "Models",
         "whose model or trained head is looked at too; NAME=DIR names its folder", in(check), set_drafter},
        {"--drafters", "A[=DIR],B", "Models",
         "the drafters to measure (default: all that can run); in pictures and the window, the lanes of the "
         "race",
         kCounts | in(window, render, describe, advise), set_drafters},
        {"--geometry", "NAME", "Models",
         "random weights of a real model's shape instead of a trained model; with check: would it fit?",
         in(bench, check), [](Options& o, Text, Text text) { o.geometry = text; }},
        {"--tokenizer", "DIR", "Models",
         "with a server as target: the folder of its tokenizer.json and config.json (default: the draft "
         "model's)",
         kScored, [](Options& o, Text, Text text) { o.tokenizer = text; }},
        {"--listed", "N", "Models",
         "with a server as target: how many of the likeliest tokens it is asked for (default 20, what vLLM "
         "allows)",
         kScored, [](Options& o, Text name, Text text) { o.listed = int_of(name, text, 1, 100000); }},
        {"--backend", "auto|cpu|cuda", "Models", "where the models run", kLoads,
         [](Options& o, Text name, Text text) {
             o.backend = one_of(name, text, {"auto", "cpu", "cuda"});
         }},
        {"--weights", "bf16|keep|q8", "Models",
         "what matrices are in memory: bf16 (the default for GGUF files, which are widened), keep (as in the file: quantised ones "
         "stay so on the CPU), q8 (quantised to eight bits when they are loaded; random ones of --geometry are made so)",
         kLoads,
         [](Options& o, Text name, Text text) {
             (void)one_of(name, text, {"bf16", "keep", "q8"});
             o.weights = text == "bf16" ? WeightForm::bf16 : text == "keep" ? WeightForm::keep : WeightForm::q8;
         }},
        {"--precision", "f32|bf16|int8", "Models",
         "how what is multiplied with the matrices is rounded: f32 (not at all; the built-in model), bf16 (the default of other "
         "models where the processor multiplies it), int8 (blocks of 8 bits, with quantised matrices: --weights keep or q8)",
         kLoads & ~in(check), set_precision},
        {"--precision", "f32|bf16|int8", "Models",
         "how what is multiplied with the matrices is rounded; bf16 and int8 are held against f32 on a fixed text: what they "
         "change of its log-probabilities and of every drafter's acceptance",
         in(check), set_precision},
        {"--threads", "N", "Models", "threads of the CPU (default: one per core, at most 16)", kLoads,
         [](Options& o, Text name, Text text) { o.threads = int_of(name, text, 1, 256); }},
        {"--session", "FILE", "Models", "draw a saved trace instead of a new run", in(render, describe),
         [](Options& o, Text, Text text) { o.session = text; }},
        {"--scan", "", "Models",
         "list models: also what the caches of Hugging Face, LM Studio, llama.cpp and Ollama hold on this disk",
         in(list), [](Options& o, Text, Text) { o.scan = true; }},
        {"--no-scan", "", "Models", "list models: no other program's caches (the default)", in(list),
         [](Options& o, Text, Text) { o.scan = false; }},
        {"--ask", "", "Models",
         "only ask whether to fetch it, once, on a terminal: exits with 0 for yes, else 1; a no is remembered", in(get),
         [](Options& o, Text, Text) { o.ask = true; }},

        {"--prompt", "TEXT|@FILE|@-", "Prompt",
         "text to continue; @FILE reads a file, @- standard input, both without the last line break; @@ begins a "
         "text with @ (default: asks for a poem; with a model of yours: The capital of France is; a race and some pictures "
         "have their own)",
         in(window, run, render, describe), set_prompt},
        {"--prompt", "TEXT|@FILE|@-", "Prompt",
         "this one alone; @FILE reads a file, @- standard input, both without the last line break; @@ begins a "
         "text with @ (default: 60 built-in prompts)",
         in(compare), set_prompt},
        {"--prompt", "TEXT|@FILE|@-", "Prompt",
         "text to continue, by the built-in model where no other is given; @FILE reads a file, @- standard "
         "input, both without the last line break; @@ begins a text with @ (default: the table; with --model: The "
         "capital of France is)",
         in(lossless), set_prompt},
        {"--prompt", "TEXT|@FILE|@-", "Prompt",
         "send this one request and mark which tokens of the answer were guessed; @FILE reads a file, @- "
         "standard input, both without the last line break; @@ begins a text with @",
         in(attach), set_prompt},
        {"--token-ids", "1,2,3", "Prompt", "the prompt as token ids", kGenerates,
         [](Options& o, Text name, Text text) { o.token_ids = whole_list(name, text, 0, 10000000); }},
        {"--prompts", "FILE.jsonl", "Prompt",
         "one prompt a line: {\"prompt\":…}, and if wanted \"domain\":\"code\", \"chat\":true (a user's "
         "turn), \"system\":\"…\" (with chat)",
         in(compare, train, advise, sweep), [](Options& o, Text, Text text) { o.prompts = text; }},
        {"--domain", "NAME", "Prompt", "only the prompts of this domain", in(compare, advise, sweep),
         [](Options& o, Text, Text text) { o.domain = text; }},
        {"--chat", "", "Prompt",
         "wrap the prompt as a user's turn of a chat, as the model's chat template does (ChatML, Llama, Mistral, "
         "Zephyr and others); special tokens in it stay text",
         kAsks,
         [](Options& o, Text, Text) { o.chat = true; }},
        {"--raw", "", "Prompt", "the prompt as it is (the default)", kAsks,
         [](Options& o, Text, Text) { o.chat = false; }},
        {"--system", "TEXT", "Prompt", "system turn (with --chat)", kAsks,
         [](Options& o, Text, Text text) { o.system = text; }},
        {"--thinking", "", "Prompt",
         "leave the think block to the model (with --chat; refused where its chat template has no switch for it)",
         kGenerates,
         [](Options& o, Text, Text) { o.thinking = true; }},
        {"--max-tokens", "N", "Prompt",
         "new tokens at most (default 64; lossless: two full rounds and one token, 7 with K = 2)",
         kAsks | in(train, advise, sweep),
         [](Options& o, Text name, Text text) { o.max_tokens = int_of(name, text, 1, 1000000); }},

        {"--k", "N", "Speculation",
         "draft tokens in a row each round, 0 = plain decoding (default 4; 7 for dflash, domino, dspark and "
         "dart, and in a race)",
         kDrafts & ~in(compare, lossless, bench, advise, sweep), set_k},
        {"--k", "N|N,N,…", "Speculation", "draft lengths to advise on (default 1,2,3,4,5,6,7)", in(advise), set_lengths},
        {"--k", "N", "Speculation",
         "draft tokens in a row each round (default 4; 7 for dart; several lengths for dflash, domino and "
         "dspark)",
         in(bench), set_k},
        {"--k", "N", "Speculation", "draft tokens in a row each round (default 2)", in(lossless), set_k},
        {"--k", "N|N,N,…", "Speculation",
         "draft tokens in a row each round (default 4; 7 for dflash, domino, dspark and dart); several: every "
         "drafter with each",
         in(compare, sweep), set_lengths},
        {"--rule", "NAME", "Speculation",
         "how guesses are judged, see: speclens list rules (default token; tree_wor or tree_topk for trees, also "
         "beside the chains of compare and of a race)",
         kGenerates | in(serve, advise, sweep), set_rule},
        {"--rule-param", "NAME=VALUE", "Speculation",
         "what the rule takes, see: speclens list rules (several: separated by commas)",
         kGenerates | in(serve, advise, sweep), set_rule_param},
        {"--temp", "T", "Speculation",
         "temperature; 0 always takes the most likely token (default 0.8, and 0 in compare, advise, attach, a race and "
         "the pictures of a head, 1 in lossless)",
         kAsks | in(train, advise, sweep),
         [](Options& o, Text name, Text text) { o.temperature = real(name, text, 0, 1000); }},
        {"--draft-temp", "T", "Speculation", "temperature of the drafter where it differs",
         kGenerates | in(serve, advise, sweep),
         [](Options& o, Text name, Text text) { o.draft_temperature = real(name, text, 0, 1000); }},
        {"--top-k", "N", "Speculation", "sample from the N most likely tokens, 0 = all",
         kGenerates | in(serve, advise, sweep),
         [](Options& o, Text name, Text text) { o.top_k = int_of(name, text, 0, 10000000); }},
        {"--top-p", "P", "Speculation",
         "sample from the smallest set with this much probability, above 0 to 1", kGenerates | in(advise, sweep),
         [](Options& o, Text name, Text text) {
             o.top_p = real(name, text, 0, 1);
             if (o.top_p <= 0)
                 throw Error(name + ": 0 leaves no token to choose",
                             "Give a number above 0, at most 1 (1 = off).", Exit::usage);
         }},
        {"--seed", "N", "Speculation", "the dice: the same seed gives the same run (default 7)",
         kGenerates | in(oracle, bench, serve, train, advise, sweep),
         [](Options& o, Text name, Text text) {
             o.seed = static_cast<std::uint64_t>(whole(name, text, 0, 9223372036854775807L));
         }},
        {"--seed", "N", "Speculation", "sent with the request (default: none)", in(attach),
         [](Options& o, Text name, Text text) {
             o.seed = static_cast<std::uint64_t>(whole(name, text, 0, 9223372036854775807L));
         }},
        {"--context", "N", "Measuring",
         "tokens before the timed passes (bench, default 64, 1000 and 4000), or to foretell memory for (check, default "
         "4096)",
         in(bench, check),
         [](Options& o, Text name, Text text) { o.context = int_of(name, text, 1, 1000000); }},
        {"--repeats", "N", "Measuring", "measure everything N times (default 3; bench: as often as four seconds allow; sweep: slices of every cell)",
         kCounts, [](Options& o, Text name, Text text) { o.repeats = int_of(name, text, 1, 1000); }},
        {"--against", "FILE.json", "Measuring",
         "an earlier result of bench --json: what became slower or faster since, as far as it can be told", in(bench),
         [](Options& o, Text, Text text) { o.against = text; }},
        {"--concurrency", "N,N,…", "Measuring", "texts at once, 1 to 64 (default 1,2,4,8,16)", in(sweep),
         [](Options& o, Text name, Text text) { o.concurrency = whole_list(name, text, 1, 64); }},
        {"--concurrency", "N,N,…", "Measuring", "scene failures: decode batches of so many texts first, and show them in the map",
         in(render, describe), [](Options& o, Text name, Text text) { o.concurrency = whole_list(name, text, 1, 64); }},
        {"--blocks", "N", "Measuring",
         "blocks of 16 tokens for the keys and values of all texts (default: enough); where they run out a text is preempted, and "
         "computed again",
         in(sweep), [](Options& o, Text name, Text text) { o.blocks = int_of(name, text, 1, 1000000); }},
        {"--for", "SECONDS", "Measuring", "with --concurrency: decode batches for about so long (default 30)", in(render, describe),
         [](Options& o, Text n, Text t) { o.for_seconds = real(n, t, 1, 500); }},
        {"--for", "SECONDS", "Measuring", "measure for about so long, at most 500 (default 120)", in(sweep),
         [](Options& o, Text n, Text t) { o.for_seconds = real(n, t, 1, 500); }},
        {"--for", "SECONDS", "Measuring", "begin no further prompt after so long, but for the first eight (default 60)", in(advise),
         [](Options& o, Text n, Text t) { o.for_seconds = real(n, t, 1, 1e7); }},
        {"--profile", "FILE", "Measuring",
         "speculation_profile.json of one drafter: where FILE exists, its acceptance takes the place of what would be measured "
         "here; else it is written, of the drafter that comes out best",
         in(advise), [](Options& o, Text, Text t) { o.profile = t; }},
        {"--suffix-memory", "FILE", "Speculation",
         "suffix: draft from the answers in FILE too, and add this run's: at most 10000 answers and 262144 token ids, the oldest "
         "go first; only you can read it",
         in(run, compare), [](Options& o, Text, Text t) { o.suffix_memory = t; }},
        {"--samples", "N", "Measuring", "rounds per case (default 200000)", in(oracle),
         [](Options& o, Text name, Text text) { o.samples = whole(name, text, 1, 1000000000); }},

        {"--heads", "N", "Training", "heads, each guesses one place further (default 4)", in(train),
         [](Options& o, Text name, Text text) { o.heads = int_of(name, text, 1, 8); }},
        {"--steps", "N", "Training", "steps of Adam (default 600)", in(train),
         [](Options& o, Text name, Text text) { o.steps = int_of(name, text, 1, 1000000); }},
        {"--batch", "N", "Training", "places in a step (default 128)", in(train),
         [](Options& o, Text name, Text text) { o.batch = int_of(name, text, 1, 512); }},
        {"--texts", "N", "Training",
         "answers of the target to each prompt, with dice of their own (default 4)", in(train),
         [](Options& o, Text name, Text text) { o.texts = int_of(name, text, 1, 1000); }},

        {"--attach", "URL", "Server",
         "attach to a server at once and show it (pictures of the scene server: without it, of this engine "
         "served)",
         in(window, render, describe), [](Options& o, Text, Text t) { o.attach = t; }},
        {"--url", "URL", "Server", "advise on a server that speculates, by what it counts and how fast it answers", in(advise),
         [](Options& o, Text, Text t) { o.url = t; }},
        {"--plain", "TOK_S", "Server",
         "with --url: tokens a second of the same server without speculation, where no request can switch it off", in(advise),
         [](Options& o, Text n, Text t) { o.plain_rate = real(n, t, 0.001, 1e7); }},
        {"--once", "", "Server", "one reading instead of one a second", in(attach),
         [](Options& o, Text, Text) { o.once = true; }},
        {"--every", "SECONDS", "Server", "time between two readings, 0.1 to 3600 (default 1)", in(attach),
         [](Options& o, Text n, Text t) { o.every = real(n, t, 0.1, 3600); }},
        {"--for", "SECONDS", "Server", "stop after so long (default: until Ctrl+C)", in(attach),
         [](Options& o, Text n, Text t) { o.for_seconds = real(n, t, 0.1, 1e7); }},
        {"--key-from", "NAME", "Server",
         "the environment variable that holds the server's API key; it is never stored", in(attach, advise) | kScored,
         [](Options& o, Text, Text t) { o.key_from = t; }},
        {"--server-model", "NAME", "Server", "which of the server's models answers (default: its first)",
         in(attach, advise) | kScored, [](Options& o, Text, Text t) { o.server_model = t; }},
        {"--host", "ADDRESS", "Server", "where to listen (default 127.0.0.1, this machine only)", in(serve),
         [](Options& o, Text, Text t) { o.host = t; }},
        {"--port", "N", "Server", "where to listen, 0: any free port (default 8000)", in(serve),
         [](Options& o, Text n, Text t) { o.port = int_of(n, t, 0, 65535); }},

        {"--json", "FILE|-", "Output", "machine-readable result to a file, or - for standard output",
         in(run, compare, bench, attach, train, advise, sweep), [](Options& o, Text, Text text) { o.json = text; }},
        {"--json", "FILE|-", "Output",
         "race: keep it in a file, to be opened again, or - for standard output", in(render, describe),
         [](Options& o, Text, Text text) { o.json = text; }},
        {"--reference", "FILE", "Output", "speed-ups of a quiet machine, to be told where another one's are in doubt", in(compare),
         [](Options& o, Text, Text text) { o.reference = text; }},
        {"--csv", "FILE|-", "Output", "the table for spreadsheets", in(compare, sweep),
         [](Options& o, Text, Text text) { o.csv = text; }},
        {"--json", "FILE|-", "Output", "what --precision changes, machine-readable, to a file, or - for standard output", in(check),
         [](Options& o, Text, Text text) { o.json = text; }},
        {"--json", "", "Output", "machine-readable list", in(list),
         [](Options& o, Text, Text) { o.json = "-"; }},
        {"--json", "", "Output", "path, bytes and SHA-256, machine-readable", in(get),
         [](Options& o, Text, Text) { o.json = "-"; }},
        {"--text", "", "Output", "print the generated text and nothing else", in(run),
         [](Options& o, Text, Text) { o.text_only = true; }},
        {"--verbose", "", "Output",
         "explain every round, not only the first two and the first with a rejection", in(run),
         [](Options& o, Text, Text) { o.verbose = true; }},
        {"--color", "auto|always|never", "Output", "colours (auto: on a terminal, unless NO_COLOR is set)",
         kTable, set_color},
        {"--trace-top", "N|all", "Output",
         "entries recorded of each distribution, 0 = none (default 64; for a picture of relaxed rules all of a small "
         "vocabulary)",
         in(run, render, describe, window), set_trace_top},
        {"--lens", "", "Output",
         "record what the drafter's tensors look like at every guess, into --json (the window always does)",
         in(run), [](Options& o, Text, Text) { o.lens = true; }},
        {"--timing", "", "Output", "record times (the default)", in(run, render, describe),
         [](Options& o, Text, Text) { o.timing = true; }},
        {"--no-timing", "", "Output",
         "leave times out: the same input gives the same bytes, except for the date in a trace; a race is drawn "
         "stepped",
         in(run, render, describe), [](Options& o, Text, Text) { o.timing = false; }},
        {"--stepped", "", "Output",
         "race: all lanes together, phase by phase, instead of one after another on the clock",
         in(render, describe, window), [](Options& o, Text, Text) { o.stepped = true; }},
        {"-o", "FILE", "Output", "where the result goes (of a head: a folder)", in(export_file),
         [](Options& o, Text, Text text) { o.output = text; }},
        {"-o", "FILE", "Output", "where the result goes", in(render, oracle),
         [](Options& o, Text, Text text) { o.output = text; }},
        {"-o", "DIR", "Output", "keep the heads in this folder, for --drafter medusa=DIR; no folder of another model", in(train),
         [](Options& o, Text, Text text) { o.output = text; }},
        {"--all", "DIR", "Output", "every scene, as PNG, into this folder", in(render),
         [](Options& o, Text, Text text) { o.all = text; }},
        {"--frames", "A:B|all", "Output",
         "with -o FILE.gif, .mp4 or .webm: these beats of the scene, or steps of a round, one after another", in(render),
         set_frames},
        {"--frame-ms", "N", "Output", "with -o FILE.gif, .mp4 or .webm: how long each frame stays (default 1500)",
         in(render), [](Options& o, Text n, Text t) { o.frame_ms = int_of(n, t, 20, 60000); }},
        {"--size", "WxH", "Output", "pixels (default 1600x1000)", kDraws, set_size},
        {"--presenter", "", "Output", "larger type and fewer parts, for a room (F5 in the window)", kDraws,
         [](Options& o, Text, Text) { o.presenter = true; }},
        {"--theme", "NAME", "Output", "dark, light or contrast", kDraws,
         [](Options& o, Text name, Text text) {
             o.theme = one_of(name, text, {"dark", "light", "contrast"});
         }},
        {"--zoom", "Z", "Output", "1 to 3 (default: what fills a size larger than 1600x1000)", kDraws,
         [](Options& o, Text name, Text text) { o.zoom = static_cast<float>(real(name, text, 1, 3)); }},
};

} // namespace

std::span<const OptionRow> option_rows() {
    // The settings of drafters stand where the group ends that they belong to.
    static const std::vector<OptionRow> rows = [] {
        static constexpr std::string_view kGroup = "Speculation";
        static std::vector<std::string> texts; // that the rows point into
        std::vector<OptionRow> all(std::begin(kOptionRows), std::end(kOptionRows));
        const auto last = std::ranges::find(all.rbegin(), all.rend(), kGroup, &OptionRow::group);
        texts.reserve(2 * drafter_settings().size());
        std::vector<OptionRow> method;
        for (const DrafterSetting& setting : drafter_settings()) {
            const std::string& name = texts.emplace_back("--" + std::string(setting.option));
            const std::string& about = texts.emplace_back(readers_of(setting.id) + ": " + setting.about);
            method.push_back({name.c_str(), setting.value, "Speculation", about.c_str(), kDrafts, set_method});
        }
        all.insert(last.base(), method.begin(), method.end());
        return all;
    }();
    return rows;
}

} // namespace speclens::cli
