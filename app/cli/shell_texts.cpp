// What a shell is given: `speclens completion bash|zsh|fish` prints what it offers behind `speclens`, `speclens man` the manual
// page, roff for man(1). Both come from the tables that the parser reads: a new option is there once they are made again.
#include <algorithm>
#include <set>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/values.h"
#include "app/frontend/frontend.h"
#include "app/views/languages.h"
#include "app/views/lecture.h"
#include "engine/drafters/drafter_info.h"
#include "engine/model/model.h"
#include "engine/models/model_names.h"
#include "engine/rules/verify.h"

namespace speclens::cli {

namespace {

// Text of a page: a line that begins with a dot or a quote would be a request, a minus is no hyphen.
std::string roff(const std::string& text) {
    std::string out;
    bool begins = true;
    for (const char c : text) {
        if (begins && (c == '.' || c == '\'')) out += "\\&";
        begins = c == '\n';
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
    }
    return out;
}

std::string paragraphs(const std::string& text) { // a line break begins a new one
    std::string out;
    for (const char c : text) out += c == '\n' ? std::string("\n.PP\n") : std::string(1, c);
    return out;
}

std::string examples(const CommandRow& row) { return ".PP\n.nf\n.RS\n" + roff(row.examples) + "\n.RE\n.fi\n"; }

std::string options_of(Command command) {
    std::string out, group;
    for (const OptionRow& row : option_rows()) {
        if (!applies(row, command)) continue;
        if (group != row.group) out += ".PP\n" + roff(group = row.group) + ":\n";
        out += ".TP\n.B " + roff(row.name) + (row.value[0] ? " \\fI" + roff(row.value) + "\\fR" : "") + "\n" + roff(row.about) + "\n";
    }
    return out;
}

std::string page() {
    std::string out = ".\\\" made by `speclens man`\n.TH SPECLENS 1 \"\" \"SpecLens " SPEC_VERSION "\" \"User Commands\"\n"
                      ".SH NAME\nspeclens \\- see and step speculative decoding\n.SH SYNOPSIS\n";
    for (const CommandRow& row : command_rows()) {
        if (row.command != Command::window) out += ".br\n";
        out += ".B speclens" + (row.name[0] ? " " + std::string(row.name) : "") + (row.words[0] ? "\n.I " + roff(row.words) : "") +
               "\n[options]\n";
    }
    for (const CommandRow& row : command_rows()) {
        out += ".SH \"" + (row.name[0] ? "speclens " + std::string(row.name) : std::string("THE WINDOW")) + "\"\n" +
               paragraphs(roff(row.more)) + "\n";
        out += options_of(row.command) + examples(row);
    }
    out += ".SH EXIT STATUS\n" + roff(exit_codes()) + "\n.SH FILES\n.TP\n.I " + roff("~/.local/share/speclens/models") +
           "\nmodels that speclens get fetched ($XDG_DATA_HOME)\n.TP\n.I " + roff("~/.config/speclens/preferences.json") +
           "\npreferences of the window ($XDG_CONFIG_HOME)\n";
    return out;
}

} // namespace

Exit command_man(const Options&) {
    print(page());
    return Exit::ok;
}

namespace {

// What may stand for the value of an option or for a word of a command.
struct Values {
    std::vector<std::string> words;
    bool files = false, folders = false;
};

std::vector<std::string> names_of_drafters() {
    std::vector<std::string> names;
    for (const DrafterInfo& info : drafter_list()) names.emplace_back(info.name);
    for (const std::string& chain : offered_chains(names)) names.push_back(chain);
    return names;
}

std::vector<std::string> names_of_rules() {
    std::vector<std::string> names;
    for (const RuleInfo& rule : rule_list()) names.emplace_back(rule.name);
    return names;
}

std::vector<std::string> names_of_scenes() {
    std::vector<std::string> names;
    for (const SceneName& scene : scene_names()) names.push_back(scene.name);
    return names;
}

std::vector<std::string> names_of_lectures() {
    std::vector<std::string> names;
    for (const auto& file : shipped_lectures()) names.push_back(file.filename().string());
    return names;
}

// "auto|cpu|cuda" is what may be typed; words in capitals stand for something else.
Values values_of(const std::string& placeholder) {
    Values values;
    for (const std::string& part : split(placeholder, '|')) {
        if (part.find("FILE") != std::string::npos) values.files = true;
        if (part.find("DIR") != std::string::npos) values.folders = true;
        const bool literal = !part.empty() && std::ranges::none_of(part, [](unsigned char c) { return c >= 'A' && c <= 'Z'; }) &&
                             std::ranges::any_of(part, [](unsigned char c) { return c >= 'a' && c <= 'z'; });
        if (literal) values.words.push_back(part);
    }
    return values;
}

Values values_of(const OptionRow& row) {
    Values values = values_of(row.value);
    const std::string name = row.name;
    const auto add = [&](const std::vector<std::string>& more) { values.words.insert(values.words.end(), more.begin(), more.end()); };
    if (name == "--drafter" || name == "--drafters") add(names_of_drafters());
    if (name == "--rule") add(names_of_rules());
    if (name == "--geometry") add(geometry_names());
    if (name == "--language") {
        add({"auto"});
        add(shipped_languages());
    }
    if (name == "--theme") add({"dark", "light", "contrast"});
    if (name == "--model") add(known_models());
    return values;
}

// Of the first word behind the command.
Values words_of(const CommandRow& row) {
    Values values = values_of(row.words);
    const std::string words = row.words;
    const auto add = [&](const std::vector<std::string>& more) { values.words.insert(values.words.end(), more.begin(), more.end()); };
    if (words.starts_with("SCENE")) add(names_of_scenes());
    if (words.find("LECTURE") != std::string::npos) add(names_of_lectures());
    if (words.find("SESSION") != std::string::npos || words.find("LECTURE") != std::string::npos ||
        words.find(".json") != std::string::npos)
        values.files = true;
    if (row.command == Command::list) add(list_names());
    if (row.command == Command::get)
        for (const std::string& model : known_models())
            if (model != kBuiltInModel) values.words.push_back(model);
    return values;
}

std::string joined(const std::vector<std::string>& words, const char* between = " ") {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
    return text;
}

std::string single_quoted(const std::string& text) { // for all three shells
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

std::vector<std::string> commands() {
    std::vector<std::string> names;
    for (const CommandRow& row : command_rows())
        if (row.name[0]) names.emplace_back(row.name);
    names.emplace_back("help");
    return names;
}

// The rows that mean something for a command; an option with several texts stands once.
std::vector<const OptionRow*> rows_for(Command command) {
    std::vector<const OptionRow*> rows;
    for (const OptionRow& row : option_rows())
        if (applies(row, command)) rows.push_back(&row);
    return rows;
}

// ---- bash ----

std::string bash_reply(const Values& values) {
    std::string text;
    if (!values.words.empty()) text += "COMPREPLY+=($(compgen -W " + single_quoted(joined(values.words)) + " -- \"$cur\")); ";
    if (values.files)
        text += "COMPREPLY+=($(compgen -f -- \"$cur\")); compopt -o filenames; ";
    else if (values.folders)
        text += "COMPREPLY+=($(compgen -d -- \"$cur\")); compopt -o filenames; ";
    return text;
}

std::string bash_script() {
    std::string out = "# bash completion for speclens, made by `speclens completion bash`\n"
                      "_speclens() {\n"
                      "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command='' word\n"
                      "    COMPREPLY=()\n"
                      "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
                      "        case $word in " +
                      joined(commands(), "|") + ") command=$word; break ;; esac\n    done\n    case \"$command $prev\" in\n";
    for (const CommandRow& command : command_rows())
        for (const OptionRow* row : rows_for(command.command)) {
            if (row->value[0] == '\0') continue;
            out += "        '" + std::string(command.name) + " " + row->name + "') " + bash_reply(values_of(*row)) + "return ;;\n";
        }
    out += "    esac\n    case $command in\n";
    for (const CommandRow& command : command_rows()) {
        std::vector<std::string> options{"--help"};
        for (const OptionRow* row : rows_for(command.command)) options.emplace_back(row->name);
        Values words = words_of(command);
        if (!command.name[0]) {
            const std::vector<std::string> names = commands();
            words.words.insert(words.words.end(), names.begin(), names.end());
            options.emplace_back("--version");
        }
        out += "        " + (command.name[0] ? std::string(command.name) : "''") +
               ")\n            if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W " + single_quoted(joined(options)) +
               " -- \"$cur\")); else " + bash_reply(words) + ":; fi ;;\n";
    }
    out += "        help) COMPREPLY=($(compgen -W " + single_quoted(joined(commands())) + " -- \"$cur\")) ;;\n";
    return out + "    esac\n}\ncomplete -F _speclens speclens\n";
}

// ---- zsh ----

std::string zsh_text(const std::string& text) { // of a description: no brackets, no colons
    std::string out;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

std::string zsh_action(const Values& values) {
    std::vector<std::string> actions;
    if (!values.words.empty()) actions.push_back("(" + joined(values.words) + ")");
    if (values.files) actions.emplace_back("_files");
    if (values.folders && !values.files) actions.emplace_back("_files -/");
    if (actions.size() == 2) return "{_alternative \"words:word:(" + joined(values.words) + ")\" \"files:file:" + actions[1] + "\"}";
    return actions.empty() ? " " : actions[0];
}

std::string zsh_script() {
    std::string out = "#compdef speclens\n# zsh completion for speclens, made by `speclens completion zsh`\n_speclens() {\n"
                      "    local context state line\n    local command=${words[2]}\n    case $command in\n";
    const auto arguments = [&](const CommandRow& command) {
        std::string text = "_arguments";
        std::set<std::string> seen;
        for (const OptionRow* row : rows_for(command.command)) {
            if (!seen.insert(row->name).second) continue;
            std::string spec = std::string(row->name) + "[" + zsh_text(row->about) + "]";
            if (row->value[0]) spec += ":" + zsh_text(row->value) + ":" + zsh_action(values_of(*row));
            text += " \\\n            " + single_quoted(spec);
        }
        text += " \\\n            '--help[what the command does]'";
        const Values words = words_of(command);
        if (!words.words.empty() || words.files || words.folders)
            text += " \\\n            " + single_quoted("*:" + zsh_text(command.words) + ":" + zsh_action(words));
        return text;
    };
    for (const CommandRow& command : command_rows())
        if (command.name[0])
            out += "    " + std::string(command.name) + ")\n        shift words; (( CURRENT-- ))\n        " + arguments(command) + " ;;\n";
    out += "    *)\n        if (( CURRENT == 2 )) && [[ ${words[2]} != -* ]]; then\n            local -a names=(\n";
    for (const CommandRow& command : command_rows())
        if (command.name[0]) out += "                " + single_quoted(std::string(command.name) + ":" + zsh_text(command.about)) + "\n";
    out += "            )\n            _describe command names\n            _files\n        else\n        " +
           arguments(row_of(Command::window)) + "\n        fi ;;\n    esac\n}\n_speclens \"$@\"\n";
    return out;
}

// ---- fish ----

std::string fish_script() {
    std::string out = "# fish completion for speclens, made by `speclens completion fish`\ncomplete -c speclens -e\n";
    std::vector<std::string> names = commands();
    const std::string none = "not __fish_seen_subcommand_from " + joined(names);
    for (const CommandRow& command : command_rows()) {
        const std::string when = single_quoted(command.name[0] ? "__fish_seen_subcommand_from " + std::string(command.name) : none);
        if (command.name[0])
            out += "complete -c speclens -n " + single_quoted(none) + " -a " + command.name + " -d " + single_quoted(command.about) + "\n";
        const Values words = words_of(command);
        if (!words.files && !words.folders) out += "complete -c speclens -f -n " + when + "\n";
        if (!words.words.empty()) out += "complete -c speclens -n " + when + " -a " + single_quoted(joined(words.words)) + "\n";
        std::set<std::string> seen;
        for (const OptionRow* row : rows_for(command.command)) {
            if (!seen.insert(row->name).second) continue;
            const std::string name = row->name;
            out += "complete -c speclens -n " + when + (name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1));
            if (row->value[0]) {
                const Values values = values_of(*row);
                out += values.files || values.folders ? " -r" : " -x";
                if (!values.words.empty()) out += " -a " + single_quoted(joined(values.words));
            }
            out += " -d " + single_quoted(row->about) + "\n";
        }
    }
    return out;
}

} // namespace

Exit command_completion(const Options& options) {
    const std::string& shell = options.words[0];
    if (shell == "bash")
        print(bash_script());
    else if (shell == "zsh")
        print(zsh_script());
    else if (shell == "fish")
        print(fish_script());
    else
        unknown_name("shell", shell, {"bash", "zsh", "fish"});
    return Exit::ok;
}

} // namespace speclens::cli
