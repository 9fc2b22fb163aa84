#include "app/cli/values.h"

#include <algorithm>

#include "engine/drafters/drafter_info.h"
#include "kernels/error.h"

namespace speclens::cli {

std::string one_of(const std::string& option, const std::string& text, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), text) == known.end()) unknown_name(option.substr(2), text, known);
    return text;
}

namespace {

// Where the second of two chained drafters begins in text that may have a folder with a plus before it: at the last plus behind which a
// drafter is named. npos: there is one drafter.
std::size_t plus_in(const std::string& text) {
    const std::size_t equals = text.find('=');
    for (std::size_t at = text.rfind('+'); at != std::string::npos && at > 0; at = text.rfind('+', at - 1)) {
        if (equals == std::string::npos || at < equals) return text.find('+'); // of names alone
        const DrafterInfo* info = find_drafter(text.substr(at + 1, text.find('=', at) - at - 1));
        if (info && !info->chained()) return text[at - 1] == '+' ? at - 1 : at;
    }
    return std::string::npos;
}

DrafterChoice one_choice(const std::string& text) {
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

} // namespace

DrafterChoice drafter_choice(const std::string& text) {
    const std::size_t plus = plus_in(text);
    if (plus == std::string::npos) return one_choice(text);
    const bool goes_on = text.compare(plus, 2, "++") == 0;
    const std::string first = text.substr(0, plus), second = text.substr(plus + (goes_on ? 2 : 1));
    DrafterChoice choice;
    choice.name = first.substr(0, first.find('=')) + (goes_on ? "++" : "+") + second.substr(0, second.find('='));
    refuse_chain(choice.name);
    choice.parts = {one_choice(first), one_choice(second)};
    return choice;
}

std::vector<DrafterChoice> with_folders(const std::vector<DrafterChoice>& choices) {
    std::vector<DrafterChoice> all;
    for (const DrafterChoice& choice : choices) {
        for (const DrafterChoice& part : choice.parts)
            if (!part.folder.empty()) all.push_back(part);
        if (!choice.folder.empty()) all.push_back(choice);
    }
    return all;
}

} // namespace speclens::cli
