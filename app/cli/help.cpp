// Help from the same tables that the parser uses, so that it cannot fall behind.
#include "app/cli/options.h"
#include "app/cli/terminal.h"
#include "kernels/backend.h"
#include "kernels/cuda_module.h"

namespace speclens::cli {

std::string version_text() {
    std::string why;
    const std::unique_ptr<Backend> gpu = load_cuda_backend(why);
    return "SpecLens " SPEC_VERSION "\nengine  " + make_cpu_backend()->description() + "\nGPU     " +
           (gpu ? gpu->description() : "not used: " + why) + "\n";
}

std::string exit_codes() {
    return "0 ok, 1 a check failed, 2 usage, 3 model or file, 4 device or memory, or another download than expected, 5 no "
           "display, 6 server or network, 130 interrupted.";
}

std::string help_text(Command command, int width) {
    const CommandRow& row = row_of(command);
    std::string text;
    const auto line = [&](const std::string& left, const std::string& right, int at) { text += beside("  " + left, at + 2, right, width); };
    if (command == Command::window) text += "SpecLens: see and step speculative decoding.\n\n";
    const std::string name = row.name[0] ? " " + std::string(row.name) : "";
    const std::string words = row.words[0] ? " " + std::string(row.words) : "";
    text += "Usage: speclens" + name + words + " [options]\n\n" + wrap(row.more, width) + "\n";
    if (command == Command::window) {
        text += "\nCommands (speclens help COMMAND explains each; speclens --version names this one):\n";
        for (const CommandRow& other : command_rows())
            if (other.name[0]) line(other.name, other.about, 12);
    }
    std::string group;
    for (const OptionRow& option : option_rows()) {
        if (!applies(option, command)) continue;
        if (group != option.group) text += "\n" + (group = option.group) + ":\n";
        line(std::string(option.name) + (option.value[0] ? " " + std::string(option.value) : ""), option.about, 27);
    }
    text += "\nExamples:\n  ";
    for (const char* c = row.examples; *c; ++c) text += *c == '\n' ? "\n  " : std::string(1, *c);
    text += "\n";
    if (command == Command::window) text += "\n" + wrap("Exit codes: " + exit_codes(), width) + "\n";
    return text;
}

} // namespace speclens::cli
