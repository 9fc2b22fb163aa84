// Glossary, quiz and lectures in another language: entry by entry over the English ones.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "app/views/glossary.h"
#include "app/views/lecture.h"
#include "app/views/quiz.h"
#include "kernels/error.h"
#include "tests/shared/temp_folder.h"

namespace speclens {
namespace {

struct Files {
    test::TempFolder folder;
    std::filesystem::path english, own;
    Files(const std::string& in_english, const std::string& translated) : english(folder / "en.json"), own(folder / "xx.json") {
        std::ofstream(english) << in_english;
        std::ofstream(own) << translated;
    }
};

std::string error_in(const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

constexpr const char* kTwoTerms = R"([{"term": "anchor", "see": "dflash/1", "text": "The newest token."},
{"term": "coin", "also": ["dice"], "see": "accept-rule/4", "text": "A number."}])";

TEST(TranslatedGlossary, LiesOverTheEnglishOneTermByTerm) {
    const Files files(kTwoTerms, R"([{"of": "coin", "term": "Münze", "also": ["Würfel"], "see": "loop", "text": "Eine Zahl."}])");
    const auto glossary = load_glossary(files.english, files.own);
    ASSERT_EQ(glossary.size(), 2U);
    EXPECT_EQ(glossary[0].term, "anchor") << "not translated: English";
    EXPECT_EQ(glossary[1].term, "Münze");
    EXPECT_EQ(glossary[1].scene + std::to_string(glossary[1].beat), "accept-rule4") << "the English entry says where it is shown";
    EXPECT_EQ(glossary_matches(glossary, "coin").front(), &glossary[1]) << "found by the English term too";
    EXPECT_EQ(terms_to_translate(files.english, files.own), std::vector<std::string>{"anchor"});
    EXPECT_EQ(load_glossary(files.english, files.folder / "none.json").size(), 2U);
    EXPECT_EQ(terms_in(glossary, "Die Münze fällt").size(), 1U);
}

TEST(TranslatedGlossary, OfATermThatThereIsNotIsAnError) {
    const Files files(kTwoTerms, R"([{"of": "cake", "term": "Kuchen", "see": "loop", "text": "Süß."}])");
    EXPECT_NE(error_in([&] { (void)load_glossary(files.english, files.own); }).find("Kuchen is of 'cake'"), std::string::npos);
}

constexpr const char* kTwoQuestions = R"([{"see": "loop", "question": "One?", "choices": ["a", "b"], "answer": 1, "why": "So."},
{"see": "race", "question": "Two?", "choices": ["a", "b"], "answer": 0, "why": "So."}])";

TEST(TranslatedQuiz, LiesOverTheEnglishOneQuestionByQuestion) {
    const Files files(kTwoQuestions,
                      R"([{"of": "Two?", "see": "loop", "question": "Zwei?", "choices": ["A", "B"], "answer": 0, "why": "Darum."},
{"of": "Three?", "see": "loop", "question": "Drei?", "choices": ["A", "B"], "answer": 0, "why": "Darum."}])");
    const auto quiz = load_quiz(files.english, files.own);
    ASSERT_EQ(quiz.size(), 2U);
    EXPECT_EQ(quiz[0].question, "One?");
    EXPECT_EQ(quiz[1].question, "Zwei?");
    EXPECT_EQ(quiz[1].scene, "race");
    EXPECT_EQ(questions_to_translate(files.english, files.own), std::vector<std::string>{"One?"});
}

TEST(TranslatedQuiz, HasTheSameAnswers) {
    const Files files(kTwoQuestions,
                      R"([{"of": "Two?", "see": "loop", "question": "Zwei?", "choices": ["A", "B"], "answer": 1, "why": "Darum."}])");
    EXPECT_NE(error_in([&] { (void)load_quiz(files.english, files.own); }).find("has other choices"), std::string::npos);
}

TEST(TranslatedLecture, HasTheStepsOfTheEnglishOne) {
    int translated = 0;
    for (const auto& file : shipped_lectures()) {
        const auto own = lecture_in("de", file);
        if (own == file) continue;
        ++translated;
        const Lecture english = load_lecture(file), german = load_lecture(own);
        ASSERT_EQ(german.steps.size(), english.steps.size()) << own;
        EXPECT_NE(german.title, english.title);
        EXPECT_EQ(german.page_about.empty(), english.page_about.empty()) << own;
        for (std::size_t i = 0; i < english.steps.size(); ++i) {
            EXPECT_EQ(german.steps[i].link, english.steps[i].link) << own << " step " << i + 1;
            EXPECT_EQ(german.steps[i].minutes, english.steps[i].minutes) << own << " step " << i + 1;
            EXPECT_NE(german.steps[i].notes, english.steps[i].notes) << own << " step " << i + 1;
            EXPECT_EQ(german.steps[i].round, english.steps[i].round) << own << " step " << i + 1;
            EXPECT_EQ(german.steps[i].page_notes.empty(), english.steps[i].page_notes.empty()) << own << " step " << i + 1;
        }
    }
    EXPECT_GE(translated, 1);
    EXPECT_EQ(lecture_in("en", shipped_lectures().front()), shipped_lectures().front());
    EXPECT_EQ(lecture_in("de", "/tmp/mine.lec.toml"), "/tmp/mine.lec.toml");
}

} // namespace
} // namespace speclens
