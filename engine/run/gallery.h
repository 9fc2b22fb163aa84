// Files of ready-made prompts: a JSON object a line, with "prompt" and perhaps "domain", "system" and "chat".
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/run/prompt.h"
#include "engine/text/chat.h"

namespace speclens {

// A ready-made prompt, such as a line of assets/prompts/gallery.jsonl.
struct GalleryPrompt {
    std::string domain, prompt, system;
    bool chat = false;
    bool operator==(const GalleryPrompt&) const = default;
};

// The file of ready-made prompts: of the built-in model's small world, or of the requests that people make of any model.
[[nodiscard]] std::filesystem::path gallery_file(const std::filesystem::path& assets, bool built_in);

// Prompts that no drafter of ours was trained on, for what is foretold of others: of the built-in model's small world, of
// SmolLM2, of Qwen2.5-Coder 0.5B, or of any model.
[[nodiscard]] std::filesystem::path held_out_file(const std::filesystem::path& assets, bool built_in, const std::string& model);

// What such a prompt asks. `chat_if_possible`: nobody asked for its chat.
[[nodiscard]] Prompt prompt_of(const GalleryPrompt& ready, bool chat_if_possible, bool thinking = false);

// Lines that are no such object are skipped; a missing file has none.
[[nodiscard]] std::vector<GalleryPrompt> load_gallery(const std::filesystem::path& file);

// Ready-made chats for a model whose format of a chat is not known: text, without a system turn. Where only a system
// turn has no place, its words stand before the question.
void ask_as_text_if_needed(std::vector<GalleryPrompt>& prompts, const ChatFormat& format);

} // namespace speclens
