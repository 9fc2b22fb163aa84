// What the window shows beside a run: prompts to choose from, glossary, quiz, published figures, ablations.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/views/glossary.h"
#include "app/views/quiz.h"
#include "engine/published/ablations.h"
#include "engine/published/published.h"
#include "engine/run/gallery.h"
#include "ui/stories/message.h"

namespace speclens {

struct WindowAssets {
    std::vector<GalleryPrompt> gallery;         // of the built-in model; empty where its file could not be read
    std::vector<GalleryPrompt> general;         // of any other, likewise
    std::vector<GlossaryEntry> glossary;        // likewise
    std::vector<QuizQuestion> quiz;             // likewise
    std::shared_ptr<const Published> figures;   // null likewise
    std::shared_ptr<const Ablations> ablations; // null likewise, and where there are none
    // What is left out because it could not be read, and what to do; empty: nothing.
    Message problem, remedy;
};
// Those of them that are texts. `language`: "en", "de".
struct WindowTexts {
    std::vector<GlossaryEntry> glossary;
    std::vector<QuizQuestion> quiz;
    std::string problem, remedy;
};
[[nodiscard]] WindowTexts load_window_texts(const std::filesystem::path& assets, const std::string& language);

// `assets`: assets_folder(). A window without one of the files is better than none: what cannot be read is left out
// and named in `problem`.
[[nodiscard]] WindowAssets load_window_assets(const std::filesystem::path& assets, const std::string& language = "en");

} // namespace speclens
