// What the user typed, after the first look: one command and the options that mean something for it.
// The table in table.cpp is the single list of options: parsing, help and error messages come from it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/views/link.h"
#include "engine/fetch/fetch.h"
#include "engine/model/config_keys.h"
#include "engine/model/precision.h"
#include "engine/run/run_settings.h"

namespace speclens::cli {

enum class Command : std::uint8_t {
    window,
    run,
    compare,
    render,
    describe,
    bench,
    lossless,
    oracle,
    export_file,
    check,
    list,
    attach,
    serve,
    train,
    get,
    advise,
    sweep,
    sample,
    states,
    frequent,
    same,
    completion,
    man
};

// A drafter and, for the drafters that take one, the folder of its model.
struct DrafterChoice {
    std::string name;
    std::filesystem::path folder;
    std::vector<DrafterChoice> parts = {}; // of two chained drafters, which have a folder each
};

enum class When : std::uint8_t { automatic, always, never };

struct Options {
    Command command = Command::window;
    bool help = false, version = false;
    std::vector<std::string> words; // what stands after the command without a dash
    std::set<std::string> given;    // names of the options that were typed or stood in the link
    std::optional<Link> link;       // of speclens://…; its options are among the others

    std::filesystem::path model;         // a name, a path, or the address of a server; empty: the built-in one
    std::string fingerprint;             // of the model that the link was made with; empty: any
    std::string drafter_fingerprint;     // of its heads and draft models, "small:0123456789abcdef,…"; empty: any
    std::filesystem::path tokenizer;     // with a server
    int listed = 20;                     // with a server
    std::vector<DrafterChoice> drafters; // one for --drafter, any number for --drafters
    std::string backend = "auto";
    int threads = 0;
    WeightForm weights = WeightForm::by_default;
    std::optional<Precision> precision; // nothing: the default one of the model (engine/models/model_paths.h)

    std::optional<std::string> prompt; // as typed (TEXT, @FILE or @-) until read_prompt()
    bool prompt_is_text = false;       // it came from a link, where @ has no meaning
    bool thinking_of_link = false;     // asked for by the link only
    std::filesystem::path prompts;
    std::string layout; // export head: official or transformers; empty: official
    std::string set;    // humaneval, or the file of a benchmark (prompts/prompt_set.h)
    std::string domain;

    // The settings of a run that were typed, among the default ones; not: drafter and prompt, which are above. Many commands have
    // defaults of their own, so ask has(), or the functions below.
    RunSettings run;
    std::vector<int> lengths;      // compare: every K to measure, with --k-auto as K auto's most; run.k is the largest
    bool unbounded_auto = false;   // compare: "auto" is among them, K auto with the usual most
    std::filesystem::path k_costs; // a file: DraftCosts
    std::vector<std::pair<std::string, std::string>> rule_words; // name, value as typed; run.rule_params is made from them
    std::filesystem::path small_ids;                             // a file: a list of ids; empty: by a number
    std::filesystem::path suffix_memory;                         // run, compare: answers of earlier runs for the drafter suffix

    int repeats = 3;
    std::string head = "medusa";                   // train: medusa or mtp
    std::optional<int> heads, steps, batch, texts; // train; texts: serve and sample, too
    std::optional<int> context;
    std::vector<int> concurrency;         // sweep: texts at once
    std::vector<int> rows;                // bench: of the timed passes; empty: the default ones
    bool adaptive = false;                // sweep: also K chosen as one goes
    bool alone = false;                   // sweep: K auto in runs of one text each, instead
    std::optional<int> develop, held_out; // its prompts
    std::string mistake;                  // lossless: of wrong_rules(), put in on purpose
    std::optional<int> blocks;            // sweep, serve: of the cache
    std::int64_t tokens = 0;              // sample: of answers; 0: to all prompts
    int block_tokens = 0;                 // sample: of a block; states: of a part; 0: the default
    std::optional<int> block;             // states: which one
    std::vector<int> taps;                // states: layers; empty: the default
    std::string form = "bf16";            // states: or f16
    std::int64_t samples = 200000;
    std::string geometry;
    std::filesystem::path against;    // bench: an earlier result
    std::string url;                  // advise: of a server
    std::optional<double> plain_rate; // advise: tokens a second of that server without speculation
    std::filesystem::path profile;    // advise: speculation_profile.json

    std::string price;            // compare, sweep: names and numbers of machines
    std::filesystem::path prices; // a list of them; empty: ours
    std::string reference;        // a file, empty for none
    std::string csv;              // a file, "-" for standard output, empty for none
    std::string json;             // a file, "-" for standard output, empty for none
    std::filesystem::path output, all, share, session;
    bool session_is_word = false;        // it was typed without --session
    int first_frame = 0, last_frame = 0; // --frames A:B, from 1; 0: to the end
    int frame_ms = 1500;
    std::string attach;                // address of a server for the scene `server`
    double every = 1;                  // attach: seconds between two readings
    std::optional<double> for_seconds; // attach, sample: stop after; advise: measure for
    bool once = false;                 // attach: one reading
    bool same = false;                 // attach: compare greedy texts instead
    std::string start_command;         // same: of a server, with {k} and {port}
    std::string key_from;              // a server: name of the environment variable with the key
    std::string server_model;          // which of the server's models
    std::string host = "127.0.0.1";    // serve
    int port = 8000;                   // serve
    std::filesystem::path page;        // serve: the folder of one; empty: the engine
    int most_waiting = 256;            // serve: requests
    bool key_memory = false;           // serve
    bool ranks = false;                // serve
    bool force_heads = false;          // those that were trained on another model
    IgnoredKeys ignore_config;         // keys of their files that count as absent
    bool doctor = false;               // check: examine the head of --drafter
    bool scan = false;                 // list models: other programs' caches too
    bool ask = false;                  // get: only ask whether to
    FetchFrom from = FetchFrom::any;   // get
    std::filesystem::path ca;          // get: certificates; empty: the system's
    bool text_only = false, verbose = false, stepped = false, presenter = false;
    When color = When::automatic;
    std::string links_to; // address of a page; empty: speclens://
    std::string theme = "dark";
    std::string language = "en";
    bool language_is_auto = false; // as the environment says
    float zoom = 0;                // 0: as it fits
    int width = 1600, height = 1000;
    std::vector<std::pair<int, int>> sizes; // render --all: as typed, the first is width and height
    std::vector<std::string> themes;        // render --all: as typed, the first is theme
    std::filesystem::path data;             // render: where the numbers of its plots go; empty: nowhere

    [[nodiscard]] bool has(const std::string& option) const { return given.count(option) != 0; }
    // As typed; nothing: the command's default.
    [[nodiscard]] std::optional<double> temperature() const {
        return has("--temp") ? std::optional(run.sampling.temperature) : std::nullopt;
    }
    [[nodiscard]] std::optional<double> draft_temperature() const {
        return has("--draft-temp") && run.draft_sampling ? std::optional(run.draft_sampling->temperature) : std::nullopt;
    }
    [[nodiscard]] std::optional<int> k() const { return has("--k") ? std::optional(run.k) : std::nullopt; }
    [[nodiscard]] std::optional<int> max_tokens() const { return has("--max-tokens") ? std::optional(run.max_tokens) : std::nullopt; }
};

// One row of the option table. `value` is the placeholder in the help, empty for a switch.
struct OptionRow {
    const char* name;
    const char* value;
    const char* group;
    const char* about;
    unsigned commands; // bit (1 << Command)
    void (*set)(Options& options, const std::string& name, const std::string& text);
};

struct CommandRow {
    Command command;
    const char* name;  // empty for the window
    const char* words; // "SCENE[:BEAT]"
    int least_words, most_words;
    const char* about;    // one line, for the overview
    const char* more;     // a few lines, for the command's own help
    const char* examples; // lines
};

[[nodiscard]] std::span<const OptionRow> option_rows();
[[nodiscard]] std::span<const CommandRow> command_rows();
[[nodiscard]] const CommandRow& row_of(Command command);
[[nodiscard]] inline bool applies(const OptionRow& row, Command command) {
    return (row.commands >> static_cast<unsigned>(command) & 1u) != 0;
}

// Throws Error (usage) with the nearest suggestion.
[[nodiscard]] Options parse(const std::vector<std::string>& arguments);

[[nodiscard]] std::string version_text();                              // name, version, engines
[[nodiscard]] std::string exit_codes();                                // one paragraph
[[nodiscard]] std::string help_text(Command command, int width = 100); // window: the overview of all commands

// "unknown drafter 'smal'", "did you mean 'small'? Known: none, small, …"
[[noreturn]] void unknown_name(const std::string& kind, const std::string& name, const std::vector<std::string>& known);
// The closest of `known`; empty when nothing is close.
[[nodiscard]] std::string nearest(const std::string& name, const std::vector<std::string>& known);
// The option of `known` that was meant by an unknown one, also where another tool calls it so ("--gamma":
// "--k").
[[nodiscard]] std::string nearest_option(const std::string& name, const std::vector<std::string>& known);

} // namespace speclens::cli
