#include "app/frame/window_assets.h"

#include "app/frame/frame.h"
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
    const auto left_out = [&](const Message& what, const Message& remedy) {
        if (broken++ == 0) loaded.problem = what, loaded.remedy = remedy;
    };
    const auto optional = [&](const auto& load) {
        try {
            load();
        } catch (const Error& error) {
            const Problem problem = problem_of(error.kind(), error.what(), error.remedy());
            left_out(problem.what, problem.remedy);
        }
    };
    const auto prompts = [&](bool built_in) {
        const auto file = gallery_file(assets, built_in);
        std::vector<GalleryPrompt> read = load_gallery(file);
        if (read.empty())
            left_out(frame_says("problem.no_prompts"_t, "file"_v = file.filename().string()), frame_says("remedy.no_prompts"_t));
        return read;
    };
    loaded.gallery = prompts(true);
    loaded.general = prompts(false);
    optional([&] { loaded.glossary = load_glossary(assets / "glossary.json", own / "glossary.json"); });
    optional([&] { loaded.quiz = load_quiz(assets / "quiz.json", own / "quiz.json"); });
    optional([&] { // a file of figures that cannot be read costs its own only
        std::vector<std::string> files;
        loaded.figures = std::make_shared<const Published>(Published::load(assets / "published", &files));
        for (const std::string& file : files) left_out(problem_of(ErrorKind::other, file, "").what, frame_says("remedy.published"_t));
    });
    for (const std::string& text : story_problems()) left_out(problem_of(ErrorKind::other, text, "").what, frame_says("remedy.story"_t));
    optional([&] { loaded.ablations = std::make_shared<const Ablations>(load_experiments(assets / "models")); });
    if (broken > 1) loaded.problem = frame_says("problem.and_more"_t, "first"_v = loaded.problem, "more"_v = broken - 1);
    return loaded;
}

} // namespace speclens
