// No result replaces what it is made from: files that are written against files that are read.
#include <filesystem>

#include "app/cli/prompts/prompt_set.h"
#include "app/cli/setup.h"
#include "app/cli/values.h"
#include "app/views/lecture.h"
#include "engine/models/model_names.h"
#include "engine/net/endpoint.h"
#include "kernels/error.h"

namespace speclens::cli {

namespace {

namespace fs = std::filesystem;

struct NamedFile {
    std::string option; // as the message calls it
    fs::path path;
};

// Standard output under any of its names, a pipe, a device: nothing is replaced there.
bool is_stream(const fs::path& path) {
    std::error_code ignored;
    const std::string name = path.lexically_normal().string();
    return name == "-" || name.starts_with("/dev/std") || name.starts_with("/dev/fd/") || name.starts_with("/proc/") ||
           fs::is_other(fs::status(path, ignored));
}

fs::path resolved(const fs::path& path) {
    std::error_code failed;
    const fs::path there = fs::weakly_canonical(fs::absolute(path, failed), failed);
    return failed ? path.lexically_normal() : there;
}

bool same_file(const fs::path& a, const fs::path& b) {
    std::error_code failed;
    return (fs::equivalent(a, b, failed) && !failed) || resolved(a) == resolved(b);
}

// Directly in the folder, or a file of it under another name (a hub's folders are full of links).
bool of_folder(const fs::path& file, const fs::path& folder) {
    std::error_code failed;
    if (resolved(fs::absolute(file, failed).parent_path()) == resolved(folder)) return true;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
        if (same_file(at->path(), file)) return true;
    return false;
}

std::vector<NamedFile> outputs_of(const Options& o) {
    std::vector<NamedFile> outputs;
    const auto add = [&](const char* option, const fs::path& path) {
        if (!path.empty() && !is_stream(path)) outputs.push_back({option, path});
    };
    add("--json", o.json);
    add("--csv", o.csv);
    add("--reference", o.reference);
    add("--suffix-memory", o.suffix_memory);
    if (std::error_code ignored; !fs::exists(o.profile, ignored)) add("--profile", o.profile);
    if (o.command == Command::train && !o.output.empty())
        for (const char* file : {"config.json", "model.safetensors"}) add("-o", o.output / file);
    else
        add("-o", o.output);
    return outputs;
}

// Where a model lies that may be called by its name.
fs::path place_of(const fs::path& model) {
    try {
        return model_file(model.string());
    } catch (const Error&) { // it is not there: nothing can be overwritten
        return {};
    }
}

std::vector<NamedFile> inputs_of(const Options& o) {
    std::vector<NamedFile> inputs;
    const auto add = [&](const std::string& option, const fs::path& path) {
        if (!path.empty() && !is_stream(path)) inputs.push_back({option, path});
    };
    if (o.prompt && !o.prompt_is_text && o.prompt->starts_with("@") && !o.prompt->starts_with("@@") && *o.prompt != "@-")
        add("--prompt", o.prompt->substr(1));
    add("--prompts", o.prompts);
    if (o.set != kHumanEval) add("--set", o.set);
    if (!target_is_server(o)) add("--model", place_of(o.model));
    add("--tokenizer", o.tokenizer);
    add("--small-ids", o.small_ids);
    if (o.command == Command::frequent)
        for (const std::string& word : o.words)
            if (std::error_code ignored; !fs::is_directory(word, ignored)) add(word, word);
    if (std::error_code ignored; fs::exists(o.profile, ignored)) add("--profile", o.profile);
    for (const DrafterChoice& choice : with_folders(o.drafters)) add("the drafter " + choice.name, place_of(choice.folder));
    add(o.session_is_word ? o.session.string() : "--session", o.session);
    if (o.command == Command::oracle || o.command == Command::export_file ||
        (o.command == Command::attach && !looks_like_endpoint(o.words[0])) ||
        (o.command == Command::render && !o.words.empty() && is_lecture_file(o.words[0])))
        add(o.words.back(), o.words.back());
    return inputs;
}

} // namespace

void check_outputs(const Options& options) {
    const std::vector<NamedFile> outputs = outputs_of(options);
    for (const NamedFile& in : inputs_of(options)) {
        std::error_code ignored;
        const bool folder = fs::is_directory(in.path, ignored);
        for (const NamedFile& out : outputs) {
            if (folder && fs::exists(out.path, ignored) && of_folder(out.path, in.path))
                throw Error(out.option + " " + out.path.string() + " would replace a file of a model that is read, " + in.path.string(),
                            "Give the result another name.", Exit::usage);
            if (!folder && same_file(out.path, in.path))
                throw Error(out.option + " " + out.path.string() +
                                " would replace a file that is read: " + (in.option == in.path ? "" : in.option + " ") + in.path.string(),
                            "Give the result another name.", Exit::usage);
        }
    }
    for (std::size_t i = 0; i < outputs.size(); ++i)
        for (std::size_t j = i + 1; j < outputs.size(); ++j)
            if (same_file(outputs[i].path, outputs[j].path))
                throw Error(outputs[i].option + " and " + outputs[j].option + " name one file: " + outputs[j].path.string(),
                            "Give each a file of its own.", Exit::usage);
}

} // namespace speclens::cli
