// `speclens man`: the manual page, roff for man(1), from the tables that the parser and the help read.
#include <string>

#include "app/cli/commands.h"
#include "app/cli/output.h"

namespace speclens::cli {

namespace {

// Text of a page: a line that begins with a dot or a quote would be a request, a minus is no hyphen.
std::string roff(const std::string& text) {
    std::string out;
    bool begins = true;
    for (const char c : text) {
        if (begins && (c == '.' || c == '\'')) out += "\\&";
        begins = c == '\n';
        if (c == '\\') out += "\\e";
        else if (c == '-') out += "\\-";
        else out += c;
    }
    return out;
}

std::string paragraphs(const std::string& text) { // a line break begins a new one
    std::string out;
    for (const char c : text) out += c == '\n' ? std::string("\n.PP\n") : std::string(1, c);
    return out;
}

std::string examples(const CommandRow& row) {
    return ".PP\n.nf\n.RS\n" + roff(row.examples) + "\n.RE\n.fi\n";
}

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
        out += ".B speclens" + (row.name[0] ? " " + std::string(row.name) : "") + (row.words[0] ? "\n.I " + roff(row.words) : "") + "\n[options]\n";
    }
    for (const CommandRow& row : command_rows()) {
        out += ".SH \"" + (row.name[0] ? "speclens " + std::string(row.name) : std::string("THE WINDOW")) + "\"\n" + paragraphs(roff(row.more)) + "\n";
        out += options_of(row.command) + examples(row);
    }
    out += ".SH EXIT STATUS\n" + roff(exit_codes()) + "\n.SH FILES\n.TP\n.I " + roff("~/.local/share/speclens/models") +
           "\nmodels that speclens get fetched ($XDG_DATA_HOME)\n.TP\n.I " + roff("~/.config/speclens/preferences.json") + "\npreferences of the window ($XDG_CONFIG_HOME)\n";
    return out;
}

} // namespace

Exit command_man(const Options&) {
    print(page());
    return Exit::ok;
}

} // namespace speclens::cli
