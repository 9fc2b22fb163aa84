#include "engine/run/gallery.h"

#include <fstream>

#include "engine/base/json.h"

namespace speclens {

std::filesystem::path gallery_file(const std::filesystem::path& assets, bool built_in) {
    return assets / "prompts" / (built_in ? "gallery.jsonl" : "general.jsonl");
}

std::filesystem::path held_out_file(const std::filesystem::path& assets, bool built_in, const std::string& model) {
    const bool qwen = model.starts_with("Qwen2.5-Coder 0.5B");
    return assets / "prompts" /
           (built_in                       ? "heldout.jsonl"
            : model.starts_with("SmolLM2") ? "smollm2.jsonl"
            : qwen                         ? "qwen.jsonl"
                                           : "general.jsonl");
}

Prompt prompt_of(const GalleryPrompt& ready, bool chat_if_possible, bool thinking) {
    return {.text = ready.prompt,
            .system = ready.system,
            .chat = ready.chat,
            .chat_if_possible = chat_if_possible && ready.chat,
            .thinking = thinking};
}

std::vector<GalleryPrompt> load_gallery(const std::filesystem::path& file) {
    std::vector<GalleryPrompt> prompts;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        const Json row = Json::parse_or_discard(line);
        if (!row.is_object() || !row.contains("prompt") || !row["prompt"].is_string()) continue;
        GalleryPrompt prompt;
        prompt.prompt = row["prompt"].get<std::string>();
        if (row.contains("domain") && row["domain"].is_string()) prompt.domain = row["domain"].get<std::string>();
        if (row.contains("system") && row["system"].is_string()) prompt.system = row["system"].get<std::string>();
        if (row.contains("chat") && row["chat"].is_boolean()) prompt.chat = row["chat"].get<bool>();
        prompts.push_back(std::move(prompt));
    }
    return prompts;
}

void ask_as_text_if_needed(std::vector<GalleryPrompt>& prompts, const ChatFormat& format) {
    if (format.problem.empty()) {
        if (format.system_place != ChatFormat::SystemPlace::nowhere) return;
        for (GalleryPrompt& prompt : prompts) {
            if (prompt.chat && !prompt.system.empty()) prompt.prompt = prompt.system + "\n\n" + prompt.prompt;
            if (prompt.chat) prompt.system.clear();
        }
        return;
    }
    for (GalleryPrompt& prompt : prompts) {
        prompt.chat = false;
        prompt.system.clear();
    }
}

} // namespace speclens
