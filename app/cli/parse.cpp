// Arguments against the tables. Long options have one spelling: no abbreviations, --name VALUE or
// --name=VALUE.
#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "app/cli/options.h"
#include "app/cli/setup.h"
#include "app/views/lecture.h"
#include "engine/models/model_names.h"
#include "engine/net/endpoint.h"
#include "engine/rules/verify.h"
#include "engine/run/run_setting.h"
#include "kernels/error.h"

namespace speclens::cli {

namespace {

[[nodiscard]] std::string called(Command command) {
    const std::string name = row_of(command).name;
    return name.empty() ? "speclens" : "speclens " + name;
}

[[noreturn]] void usage(const std::string& what, const std::string& remedy) { throw Error(what, remedy, Exit::usage); }

// The command is the first word; anything that looks like a file opens the window on it.
Command command_of(const std::string& word) {
    std::vector<std::string> known;
    for (const CommandRow& row : command_rows()) {
        if (row.name[0] == '\0') continue;
        if (word == row.name) return row.command;
        known.emplace_back(row.name);
    }
    std::error_code ignored;
    if (word.find_first_of("./") != std::string::npos || std::filesystem::is_regular_file(word, ignored)) return Command::window;
    unknown_name("command", word, known);
}

// The option of this command that does what another command's does; empty: none.
std::string same_elsewhere(const std::string& name, Command command) {
    static constexpr struct {
        std::string_view asked, remedy, needs;
    } kSame[] = {
        {"--drafter", "Use --drafters: it takes one as well, NAME or NAME=DIR.", "--drafters"},
        {"--drafters", "Use --drafter: this command has one, NAME or NAME=DIR.", "--drafter"},
        {"--prompt", "Use --prompts FILE.jsonl, a line {\"prompt\": \"…\"} for each.", "--prompts"},
        {"--prompts", "Use --prompt TEXT: this command asks one.", "--prompt"},
        {"--chat", "Use --prompts FILE.jsonl: a line with \"chat\": true is asked as a chat.", "--prompts"},
        {"--raw", "Use --prompts FILE.jsonl: a line without \"chat\" is asked as text.", "--prompts"},
    };
    for (const auto& [asked, remedy, needs] : kSame)
        if (name == asked &&
            std::ranges::any_of(option_rows(), [&](const OptionRow& row) { return row.name == needs && applies(row, command); }))
            return std::string(remedy);
    return "";
}

const OptionRow& find_option(const std::string& name, Command command) {
    std::string elsewhere;
    std::vector<std::string> known;
    for (const OptionRow& row : option_rows()) {
        if (applies(row, command)) {
            if (row.name == name) return row;
            known.emplace_back(row.name);
            continue;
        }
        if (row.name != name) continue;
        for (const CommandRow& other : command_rows())
            if (applies(row, other.command))
                elsewhere += (elsewhere.empty() ? "" : ", ") + (other.name[0] ? std::string(other.name) : "the window");
    }
    if (const std::string remedy = same_elsewhere(name, command); !remedy.empty() && !elsewhere.empty())
        usage(name + " does nothing for '" + called(command) + "'", remedy);
    if (!elsewhere.empty()) usage(name + " does nothing for '" + called(command) + "'", "It is an option of: " + elsewhere + ".");
    if (name == "--beat" && (command == Command::render || command == Command::describe))
        usage("unknown option --beat", "A beat stands behind the name of its scene: " + called(command) + " loop:3");
    known.emplace_back("--help");
    known.emplace_back("--version");
    const std::string close = nearest_option(name, known);
    usage("unknown option " + name, (close.empty() ? "" : "Did you mean " + close + "? ") + "See: " + called(command) + " --help");
}

// Whether a saved run has already decided what the option says.
bool decides_run(const OptionRow& row) {
    static constexpr std::array<std::string_view, 3> kGroups = {"Models", "Prompt", "Speculation"};
    return row.name != std::string_view("--session") &&
           (std::ranges::find(kGroups, row.group) != kGroups.end() || find_run_setting(std::string_view(row.name).substr(2)) != nullptr);
}

// Of `advise --url`: models and drafters are the server's.
bool means_something_for_a_server(const std::string& option) {
    static const std::set<std::string> kKnown = {"--url", "--plain",   "--key-from",   "--server-model", "--prompts",
                                                 "--set", "--domain",  "--max-tokens", "--temp",         "--seed",
                                                 "--for", "--profile", "--json",       "--color"};
    return kKnown.contains(option);
}

// Options that mean something only together, or never together.
void check_together(const Options& o) {
    if (o.help) return;
    const auto needs = [&](const char* option, bool fulfilled, const char* with) {
        if (o.has(option) && !fulfilled)
            usage(std::string(option) + " does nothing without " + with, std::string("Add ") + with + " or leave it out.");
    };
    const auto never_both = [&](const char* a, const char* b) {
        if (o.has(a) && o.has(b)) usage(std::string(a) + " and " + b + " exclude each other", "Give one of them.");
    };
    needs("--system", o.run.prompt.chat, "--chat");
    needs("--thinking", o.run.prompt.chat, "--chat");
    needs("--lens", !o.json.empty(), "--json");
    if (o.command == Command::check) {
        const bool changes = o.precision && *o.precision != Precision::f32;
        needs("--json", changes || o.doctor, "--precision bf16 or int8, or --doctor");
        needs("--prompts", o.doctor, "--doctor");
        never_both("--doctor", "--precision");
        never_both("--doctor", "--geometry");
        never_both("--precision", "--geometry"); // nothing is loaded
    }
    never_both("--domain", "--prompt");
    never_both("--domain", "--token-ids");
    never_both("--chat", "--raw");
    never_both("--once", "--every");
    never_both("--once", "--for");
    for (const char* option : {"--once", "--every", "--for"})
        if (o.has("--prompt") && o.has(option))
            usage(std::string("--prompt and ") + option + " exclude each other",
                  std::string("--prompt asks once, and reads before and after: leave ") + option + " out.");
    if (o.command == Command::advise) {
        for (const char* option : {"--plain", "--key-from", "--server-model"}) needs(option, !o.url.empty(), "--url");
        for (const std::string& option : o.given)
            if (!o.url.empty() && !means_something_for_a_server(option)) never_both("--url", option.c_str());
    } else if (o.command == Command::attach) {
        for (const char* option : {"--chat", "--raw", "--max-tokens", "--temp", "--seed", "--server-model"})
            needs(option, o.has("--prompt") || (o.same && option != std::string_view("--chat") && option != std::string_view("--raw")),
                  "--prompt");
        for (const char* option : {"--once", "--every", "--for", "--temp", "--seed"}) never_both("--same", option);
    } else if (o.command == Command::same) {
        for (const char* option : {"--chat", "--raw", "--system"})
            needs(option, o.has("--prompt") || o.has("--prompts"), "--prompt or --prompts");
        if (o.start_command.empty() == o.words.empty())
            usage(o.words.empty() ? "'speclens same' needs URL, two of them, or --command"
                                  : "--command starts its servers itself: '" + o.words[0] + "' does nothing",
                  "See: speclens same --help");
        if (o.words.size() == 2 && o.has("--k")) usage("--k does nothing for two servers", "Start them with the lengths you want.");
        if (o.has("--k") && o.lengths.size() < 2) usage("--k: one length has nothing to be compared with", "For example --k 0,4.");
    } else
        for (const char* option : {"--tokenizer", "--listed", "--server-model"})
            if (o.command != Command::serve) needs(option, target_is_server(o), "--model URL");
    if (o.command == Command::render || o.command == Command::describe) needs("--for", o.has("--concurrency"), "--concurrency");
    if (o.command == Command::list) {
        constexpr std::array<std::string_view, 4> kSpoken = {"glossary", "quiz", "lectures", "missing-texts"};
        needs("--language", std::ranges::find(kSpoken, o.words[0]) != kSpoken.end(), "glossary, quiz, lectures or missing-texts");
    }
    for (const char* option : {"--scan", "--no-scan"}) needs(option, o.command == Command::list && o.words[0] == "models", "models");
    never_both("--scan", "--no-scan");
    never_both("--ask", "--json");
    never_both("--timing", "--no-timing");
    never_both("--prompt", "--token-ids");
    never_both("--prompt", "--prompts");
    never_both("--prompts", "--token-ids");
    for (const char* option : {"--prompt", "--prompts", "--token-ids"}) never_both("--set", option);
    never_both("--chat", "--token-ids");
    never_both("--geometry", "--model");
    never_both("--k", "--tree-depth"); // one number in two words
    never_both("--fr-spec", "--small-ids");
    never_both("--text", "--verbose");
    never_both("-o", "--all");
    if ((o.sizes.size() > 1 || o.themes.size() > 1) && (o.all.empty() || !o.words.empty()))
        usage("several sizes or themes are for every scene at once", "Give one of them, or draw all scenes: --all DIR.");
    if (o.text_only && o.json == "-") never_both("--text", "--json");
    if (o.csv == "-" && o.json == "-") // of files, see check_outputs()
        usage("--csv and --json both name standard output", "Give one of them a file.");
    if (!o.session.empty())
        for (const OptionRow& row : option_rows()) {
            if (!decides_run(row) || !applies(row, o.command)) continue;
            if (o.session_is_word && o.has(row.name))
                usage("'" + o.session.string() + "' and " + row.name + " exclude each other",
                      "What was saved is drawn as it is: leave one of them out.");
            never_both("--session", row.name);
        }
    if (o.command == Command::render) {
        if (o.all.empty() && o.words.empty()) usage("render needs a scene, or --all DIR", "See: speclens list scenes");
        const bool page = o.output.extension() == ".html";
        const bool lecture = !o.words.empty() && is_lecture_file(o.words[0]);
        if (!o.all.empty() && !o.words.empty() && !lecture)
            usage("--all draws every scene: '" + o.words[0] + "' does nothing", "Leave one of them out.");
        if (lecture && o.all.empty() && !(o.share.empty() && page))
            usage("a lecture is many pictures", "Say where they go: --all DIR, or -o FILE.html.");
        if (o.all.empty() && o.output.empty() && o.share.empty() && o.data.empty())
            usage("render needs -o FILE.png, .svg, .gif, .mp4, .webm or .html", "Say where the picture goes.");
        for (const char* other : {"-o", "--all", "--size", "--zoom", "--presenter"}) never_both("--share", other);
        const std::filesystem::path ending = o.output.extension();
        const bool moves = ending == ".gif" || ending == ".mp4" || ending == ".webm";
        for (const char* other : {"--all", "--share"}) never_both("--data", other);
        needs("--data", !moves && !page && !lecture, "the scene of one picture");
        needs("--frames", moves || (page && !lecture), "-o FILE.gif, .mp4, .webm or .html");
        needs("--frame-ms", moves, "-o FILE.gif, .mp4 or .webm");
        needs("--links-to", page || lecture || !o.share.empty(), "--share DIR, -o FILE.html or a lecture");
    }
    if ((o.command == Command::oracle || o.command == Command::export_file || o.command == Command::frequent) && o.output.empty())
        usage(called(o.command) + " needs -o FILE", "Say where the result goes.");
    if (o.command == Command::sample && o.prompts.empty()) usage("sample needs --prompts FILE.jsonl", "Say what is to be answered.");
    if ((o.command == Command::sample || o.command == Command::states) && o.output.empty())
        usage(called(o.command) + " needs -o DIR", "Say where the result goes.");
}

bool takes_link(Command command) {
    return command == Command::window || command == Command::render || command == Command::describe || command == Command::run ||
           command == Command::compare || command == Command::advise;
}

// A second word is the saved run that the scene is drawn of, as --session names it.
void take_file(Options& o) {
    const std::string file = o.words[1];
    if (o.link || is_lecture_file(o.words[0]))
        usage("'" + file + "' does nothing: a " + (o.link ? "link" : "lecture") + " makes its own run", "Leave one of them out.");
    if (!o.given.insert("--session").second) usage("'" + file + "' and --session: two saved runs", "Give one of them.");
    o.session = file;
    o.session_is_word = true;
    o.words.pop_back();
}

// A link may come from anybody. What it names by itself means the same everywhere; a path or an address is opened only by
// whoever types it.
void trust_model(const std::string& word) {
    if (looks_like_endpoint(word)) // whoever made the link would get the prompt and the key
        throw Error("the link names a server as its model: " + word, "Add --model " + word + " if you trust it.", Exit::usage);
    if (is_known_model(word)) return;
    std::error_code ignored;
    if (word.find('/') != std::string::npos || std::filesystem::exists(word, ignored))
        throw Error("the link names a place on this machine as its model: " + word, "Add --model " + word + " if you trust it.",
                    Exit::usage);
    throw Error("the link is of the model " + word + ", which is not built in", "Give its file or folder: --model PATH.", Exit::usage);
}

void trust_drafters(const std::string& name, const std::string& value) {
    if (value.find('=') != std::string::npos)
        throw Error("the link names a place on this machine for a drafter: " + value, "Add " + name + " " + value + " if you trust it.",
                    Exit::usage);
}

// The same option takes a file from whoever types it.
void trust_number(const std::string& name, const std::string& value) {
    if (value.find_first_not_of("0123456789") != std::string::npos)
        throw Error("the link names a place on this machine for " + name + ": " + value, "Add " + name + " " + value + " if you trust it.",
                    Exit::usage);
}

// Options of a link that this command has a use for. What was typed wins, also over another word for the
// same.
void apply_link(Options& o) {
    const auto typed = o.given;
    const auto replaced = [&](const std::string& name) {
        const auto any = [&](std::initializer_list<const char*> names) {
            return std::ranges::any_of(names, [&](const char* other) { return typed.count(other) != 0; });
        };
        const bool prompt = any({"--prompt", "--token-ids", "--prompts"});
        if (name == "--prompt" || name == "--token-ids" || name == "--chat" || name == "--raw" || name == "--system" ||
            name == "--thinking")
            return prompt || typed.count(name) != 0 || (any({"--chat", "--raw"}) && name != "--prompt" && name != "--token-ids");
        if (name == "--drafter" || name == "--drafters") return any({"--drafter", "--drafters"});
        if (name == "--k" || name == "--tree-depth") return any({"--k", "--tree-depth"});
        return typed.count(name) != 0;
    };
    for (const auto& [key, value] : o.link->options) {
        const std::string name = "--" + key;
        if (replaced(name)) continue;
        if (key == "fingerprint") {
            o.fingerprint = value;
            continue;
        }
        if (key == "drafter-fingerprint") {
            o.drafter_fingerprint = value;
            continue;
        }
        if (key == "model") trust_model(value);
        if (key == "small-ids") trust_number(name, value);
        if (key == "drafter" || key == "drafters") trust_drafters(name, value);
        const auto rows = option_rows();
        const auto row = std::ranges::find_if(rows, [&](const OptionRow& r) { return name == r.name && applies(r, o.command); });
        if (row == rows.end()) continue; // a lane of a race, for the terminal
        row->set(o, name, value);
        o.given.insert(name);
        if (key == "prompt") o.prompt_is_text = true;
        if (key == "thinking") o.thinking_of_link = true;
    }
}

} // namespace

Options parse(const std::vector<std::string>& arguments) {
    Options o;
    std::size_t at = 0;
    if (!arguments.empty() && arguments[0] == "help") {
        if (arguments.size() > 2)
            usage("'" + arguments[2] + "' is one word too many for 'speclens help'", "For example: speclens help run");
        if (arguments.size() == 2 && arguments[1][0] != '-') o.command = command_of(arguments[1]);
        o.help = true;
        return o;
    }
    if (!arguments.empty() && !arguments[0].empty() && arguments[0][0] != '-') {
        o.command = command_of(arguments[0]);
        if (o.command != Command::window) at = 1;
    }
    for (bool options_end = false; at < arguments.size(); ++at) {
        const std::string& word = arguments[at];
        if (options_end || word.size() < 2 || word[0] != '-') {
            if (!is_link(word)) {
                o.words.push_back(word);
                continue;
            }
            if (o.link) usage("two links", "Give one of them.");
            if (!takes_link(o.command))
                usage("a link does nothing for '" + called(o.command) + "'",
                      "Give it to render, describe, run, compare or advise, or alone, to open the window.");
            o.link = parse_link(word);
            if (o.command == Command::render || o.command == Command::describe)
                o.words.push_back(o.link->scene + (o.link->beat > 0 ? ":" + std::to_string(o.link->beat) : ""));
            continue;
        }
        if (word == "--") {
            options_end = true;
            continue;
        }
        if (word == "--help" || word == "-h") {
            o.help = true;
            return o;
        }
        if (word == "--version") {
            o.version = true;
            return o;
        }
        const std::size_t equals = word[1] == '-' ? word.find('=') : std::string::npos;
        const std::string name = word.substr(0, equals);
        const OptionRow& row = find_option(name, o.command);
        if (!o.given.insert(name).second) usage(name + " was given twice", "Give it once.");
        std::string value;
        if (row.value[0] == '\0') {
            if (equals != std::string::npos) usage(name + " takes no value", "Write " + name + " alone.");
        } else if (equals != std::string::npos) {
            value = word.substr(equals + 1);
        } else {
            if (at + 1 == arguments.size() || arguments[at + 1].rfind("--", 0) == 0 || arguments[at + 1] == "-o")
                usage(name + " needs a value: " + row.value,
                      "Write " + name + " " + row.value + ", or " + name + "=… when the value begins with --.");
            value = arguments[++at];
        }
        // As an unset "$MODEL" gives it. An empty prompt has an error of its own, an empty system turn is
        // none.
        if (row.value[0] != '\0' && value.empty() && name != "--prompt" && name != "--system")
            usage(name + " is empty", "Write " + name + " " + row.value + ", or leave it out.");
        row.set(o, name, value);
    }
    const CommandRow& command = row_of(o.command);
    const int words = static_cast<int>(o.words.size());
    if (words > command.most_words)
        usage("'" + o.words[static_cast<std::size_t>(command.most_words)] + "' is one word too many for '" + called(o.command) + "'",
              "See: " + called(o.command) + " --help");
    if (words < command.least_words) usage("'" + called(o.command) + "' needs " + command.words, "See: " + called(o.command) + " --help");
    if ((o.command == Command::render || o.command == Command::describe) && words == 2) take_file(o);
    if (o.link) apply_link(o);
    check_together(o);
    for (const auto& [name, text] : o.rule_words) set_parameter(o.run.rule_params, *find_rule(o.run.rule), name, text);
    return o;
}

} // namespace speclens::cli
