#include "app/cli/values.h"

#include <algorithm>

#include "engine/drafters/drafter_info.h"
#include "kernels/error.h"

namespace speclens::cli {

std::string one_of(const std::string& option, const std::string& text, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), text) == known.end()) unknown_name(option.substr(2), text, known);
    return text;
}

DrafterChoice drafter_choice(const std::string& text) {
    const std::size_t equals = text.find('=');
    DrafterChoice choice;
    choice.name = text.substr(0, equals);
    const DrafterInfo* info = find_drafter(choice.name);
    if (!info) {
        std::vector<std::string> known;
        for (const DrafterInfo& each : drafter_list()) known.emplace_back(each.name);
        unknown_name("drafter", choice.name, known);
    }
    if (equals == std::string::npos) return choice;
    choice.folder = text.substr(equals + 1);
    if (!info->needs_draft_model() && !info->needs_network())
        throw Error("the drafter '" + choice.name + "' takes no folder", "Write " + choice.name + " alone.", Exit::usage);
    if (choice.folder.empty()) throw Error("'" + text + "' names no folder", "Write " + choice.name + "=DIR, or =FILE.gguf.", Exit::usage);
    return choice;
}

} // namespace speclens::cli
