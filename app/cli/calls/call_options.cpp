#include "app/cli/calls/call_options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "app/cli/setup.h"
#include "engine/base/json.h"
#include "kernels/error.h"

namespace speclens::cli {

namespace {

constexpr std::string_view kModels = "Models", kServer = "Server"; // groups of options
// What is a word of the command line, and no option: how many texts lossless draws, the servers that same asks.
bool is_word(Command command, const std::string& key) {
    return (command == Command::lossless && key == "texts") || (command == Command::same && key == "urls");
}
// What says where a result goes, or how a terminal shows it.
constexpr std::array<std::string_view, 6> kTaken = {"--json", "--csv", "--text", "--verbose", "--color", "--reference"};

const OptionRow* option_row(const std::string& option, Command command) {
    const auto rows = option_rows();
    const auto found = std::ranges::find_if(rows, [&](const OptionRow& row) { return row.name == option && applies(row, command); });
    return found == rows.end() ? nullptr : &*found;
}

// Says what is loaded, once for all calls; a drafter's folder may come with a call.
bool is_of_models(const OptionRow* row) { return row && row->group == kModels && !std::string_view(row->name).starts_with("--drafter"); }

std::string word(const std::string& key, const Json& value) {
    if (value.is_string()) return value.text();
    if (value.is_number()) return value.dump();
    throw Error(key + ": a list holds texts and numbers", "For example \"k\": [2, 4].", Exit::usage);
}

std::string joined(const std::string& key, const Json& value) {
    if (!value.is_structured()) return word(key, value);
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ",") + part; };
    for (const auto& [name, each] : value.items()) add(each.is_null() ? name : name + "=" + word(key, each));
    if (value.is_array())
        for (const Json& each : value) add(word(key, each));
    return text;
}

Json object_of(const std::string& json) {
    const Json options = json.empty() ? Json::object() : Json::parse_or_discard(json);
    if (!options.is_object())
        throw Error("the options are not a JSON object", "For example {\"prompt\": \"Once upon a time\", \"k\": 4}.", Exit::usage);
    return options;
}

void add(std::vector<std::string>& words, const std::string& key, const std::string& option, const Json& value, Command command) {
    if (value.is_null()) return;
    if (!value.is_boolean()) {
        words.push_back(option + "=" + joined(key, value));
        return;
    }
    if (const OptionRow* row = option_row(option, command); row && row->value[0] != '\0')
        throw Error(key + " is neither true nor false: it takes a value, " + row->value,
                    "See: speclens " + std::string(row_of(command).name) + " --help", Exit::usage);
    if (value.get<bool>()) words.push_back(option);
}

std::string option_of(const std::string& key) {
    std::string option = "--" + key;
    std::ranges::replace(option, '_', '-');
    return option;
}

} // namespace

std::vector<std::string> model_words(const std::string& json) {
    std::vector<std::string> words;
    const Json options = object_of(json);
    for (const auto& [key, value] : options.items()) {
        const std::string option = option_of(key);
        const OptionRow* row = option_row(option, Command::compare);
        if (row && option != "--drafters" && !is_of_models(row) && row->group != kServer)
            throw Error(key + " is an option of a call, not of the models", "Give it to the call.", Exit::usage);
        add(words, key, option, value, Command::compare);
    }
    return words;
}

Options model_options(const std::vector<std::string>& models) {
    std::vector<std::string> words{row_of(Command::compare).name};
    words.insert(words.end(), models.begin(), models.end());
    return parse(words);
}

Options call_options(Command command, const std::vector<std::string>& models, const std::string& json) {
    std::vector<std::string> words{row_of(command).name};
    for (const std::string& one : models) // the heads are loaded, and a call names those that it drafts with
        if (!one.starts_with("--drafters=")) words.push_back(one);
    words.push_back("--json=-");
    const Json options = object_of(json);
    for (const auto& [key, value] : options.items()) {
        const std::string option = option_of(key);
        if (std::ranges::find(kTaken, option) != kTaken.end())
            throw Error(key + " means nothing here: the result is what the call gives", "Leave it out.", Exit::usage);
        if (is_of_models(option_row(option, command)))
            throw Error(key + " is an option of the models, which are loaded", "Open them with it.", Exit::usage);
        if (!is_word(command, key))
            add(words, key, option, value, command);
        else if (!value.is_array())
            words.push_back(word(key, value));
        else
            for (const Json& each : value) words.push_back(word(key, each));
    }
    Options parsed = parse(words);
    parsed.prompt_is_text = true;
    read_small_ids(parsed);
    return parsed;
}

} // namespace speclens::cli
