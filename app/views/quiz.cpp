#include "app/views/quiz.h"

#include <algorithm>
#include <numeric>

#include "app/views/entry_reader.h"

namespace speclens {
namespace {

constexpr std::size_t kLargestQuiz = std::size_t{4} << 20;
constexpr const char* kQuizRemedy = "Every entry has see, question, two to five choices, answer (the index of the right one) and why.";

} // namespace

std::vector<QuizQuestion> parse_quiz(const std::string& json, const std::string& name) {
    const EntryReader read(json, name, kQuizRemedy);
    std::vector<QuizQuestion> quiz;
    for (const Json& item : read.list) {
        const Link place = read.place(item);
        QuizQuestion q{read.text(item, "question"), read.text(item, "why"), {}, 0, place.scene, place.beat};
        const auto choices = item.find("choices");
        if (choices == item.end() || !choices->is_array() || choices->size() < 2 || choices->size() > kMostChoices)
            read.broken(item, "no two to five choices");
        for (const Json& choice : *choices) {
            if (!choice.is_string() || choice.get<std::string>().empty()) read.broken(item, "a choice is no text");
            q.choices.push_back(choice.get<std::string>());
        }
        const auto answer = item.find("answer");
        if (answer == item.end() || !answer->is_number_unsigned() || answer->get<std::uint64_t>() >= q.choices.size())
            read.broken(item, "answer is no index of a choice");
        q.answer = answer->get<int>();
        if (item.contains("of")) q.of = read.text(item, "of");
        quiz.push_back(std::move(q));
    }
    return quiz;
}

std::vector<QuizQuestion> load_quiz(const std::filesystem::path& file) {
    return parse_quiz(read_text_file(file, kLargestQuiz), short_name(file));
}

std::vector<QuizQuestion> load_quiz(const std::filesystem::path& file, const std::filesystem::path& translated) {
    std::vector<QuizQuestion> quiz = load_quiz(file);
    if (!std::filesystem::exists(translated)) return quiz;
    for (QuizQuestion& own : load_quiz(translated)) {
        const auto english = std::ranges::find(quiz, own.of, &QuizQuestion::question);
        if (english == quiz.end()) continue;
        if (own.choices.size() != english->choices.size() || own.answer != english->answer)
            throw Error(short_name(translated) + ": '" + own.question + "' has other choices than the English question",
                        "Give the same choices in the same order, and the same answer.");
        own.scene = english->scene;
        own.beat = english->beat;
        *english = std::move(own);
    }
    return quiz;
}

std::vector<std::string> questions_to_translate(const std::filesystem::path& file, const std::filesystem::path& translated) {
    std::vector<std::string> missing;
    for (const QuizQuestion& question : load_quiz(file, translated))
        if (question.of.empty()) missing.push_back(question.question);
    return missing;
}

void QuizRound::begin(std::size_t questions, std::size_t first) {
    given_.assign(questions, -1);
    hands_.assign(questions, {});
    at_ = questions > 0 ? first % questions : 0;
}

void QuizRound::answer(int choice) {
    if (given_[at_] < 0) given_[at_] = choice;
}

void QuizRound::add_hand(int choice) {
    if (given_[at_] < 0) ++hands_[at_][static_cast<std::size_t>(choice)];
}

void QuizRound::no_hands() { hands_[at_] = {}; }

int QuizRound::hands() const { return std::accumulate(hands_[at_].begin(), hands_[at_].end(), 0); }

void QuizRound::go(std::ptrdiff_t by) {
    const auto count = static_cast<std::ptrdiff_t>(given_.size());
    if (count > 0) at_ = static_cast<std::size_t>(((static_cast<std::ptrdiff_t>(at_) + by) % count + count) % count);
}

int QuizRound::answered() const {
    return static_cast<int>(std::ranges::count_if(given_, [](int given) { return given >= 0; }));
}

int QuizRound::right(const std::vector<QuizQuestion>& quiz) const {
    int right = 0;
    for (std::size_t i = 0; i < std::min(quiz.size(), given_.size()); ++i)
        if (given_[i] == quiz[i].answer) ++right;
    return right;
}

} // namespace speclens
