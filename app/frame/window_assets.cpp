#include "app/frame/window_assets.h"

#include "kernels/error.h"
#include "ui/stories/story_book.h"

namespace speclens {

WindowTexts load_window_texts(const std::filesystem::path& assets, const std::string& language) {
    WindowTexts texts;
    const auto load = [&](const auto& read) {
        try {
            read();
        } catch (const Error& error) {
            texts.problem = error.what(), texts.remedy = error.remedy();
        }
    };
    const std::filesystem::path own = assets / "languages" / language;
    load([&] { texts.glossary = load_glossary(assets / "glossary.json", own / "glossary.json"); });
    load([&] { texts.quiz = load_quiz(assets / "quiz.json", own / "quiz.json"); });
    return texts;
}

WindowAssets load_window_assets(const std::filesystem::path& assets, const std::string& language) {
    WindowAssets loaded;
    const std::filesystem::path own = assets / "languages" / language;
    int broken = 0;
    // One line has room for one file: the first is named, the others are counted.
    const auto left_out = [&](const std::string& what, const std::string& remedy) {
        if (broken++ == 0) loaded.problem = what, loaded.remedy = remedy;
    };
    const auto optional = [&](const auto& load) {
        try {
            load();
        } catch (const Error& error) {
            left_out(error.what(), error.remedy());
        }
    };
    const auto prompts = [&](bool built_in) {
        const auto file = gallery_file(assets, built_in);
        std::vector<GalleryPrompt> read = load_gallery(file);
        if (read.empty())
            left_out("prompts/" + file.filename().string() + " has no prompts",
                     "Install the program again; a prompt of your own works without it.");
        return read;
    };
    loaded.gallery = prompts(true);
    loaded.general = prompts(false);
    optional([&] { loaded.glossary = load_glossary(assets / "glossary.json", own / "glossary.json"); });
    optional([&] { loaded.quiz = load_quiz(assets / "quiz.json", own / "quiz.json"); });
    optional([&] { // a file of figures that cannot be read costs its own only
        std::vector<std::string> files;
        loaded.figures = std::make_shared<const Published>(Published::load(assets / "published", &files));
        for (const std::string& file : files) left_out(file, "Such files are left out; ./run list published names the next.");
    });
    for (const std::string& text : story_problems()) left_out(text, "Its English stands in; docs/stories.md says what a story holds.");
    optional([&] { loaded.ablations = std::make_shared<const Ablations>(load_experiments(assets / "models")); });
    if (broken > 1) loaded.problem += " (and " + std::to_string(broken - 1) + (broken == 2 ? " more file)" : " more files)");
    return loaded;
}

} // namespace speclens
