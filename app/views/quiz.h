// Questions for those who think they have understood. Read from assets/quiz.json:
//   [{"see": "accept-rule/3", "question", "choices": [two to five], "answer": index, "why"}, …]
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace speclens {

inline constexpr std::size_t kMostChoices = 5;

struct QuizQuestion {
    std::string question, why;
    std::vector<std::string> choices;
    int answer = 0;      // index into choices
    std::string scene;   // that shows it
    int beat = 0;        // from 1; 0: none in particular
    std::string of = {}; // of a translation: the English question
};

// Throws Error, with the entry, for a file that is no quiz.
[[nodiscard]] std::vector<QuizQuestion> parse_quiz(const std::string& json, const std::string& name);
[[nodiscard]] std::vector<QuizQuestion> load_quiz(const std::filesystem::path& file);
// The same in another language: questions of `translated`, which name the English one by "of", in their places. What is missing
// there stays English, and so does a question whose English words are others by now.
[[nodiscard]] std::vector<QuizQuestion> load_quiz(const std::filesystem::path& file, const std::filesystem::path& translated);
// English questions that `translated` lacks.
[[nodiscard]] std::vector<std::string> questions_to_translate(const std::filesystem::path& file, const std::filesystem::path& translated);

// How far somebody has come: which answers were given, in any order.
class QuizRound {
  public:
    void begin(std::size_t questions, std::size_t first); // at question `first`, nothing answered
    [[nodiscard]] bool running() const { return !given_.empty(); }
    [[nodiscard]] std::size_t at() const { return at_; }
    [[nodiscard]] std::size_t questions() const { return given_.size(); }
    [[nodiscard]] int given() const { return given_[at_]; } // -1: not yet; the first answer counts
    void answer(int choice);
    // Hands of a room that go up for a choice, counted before somebody answers for all.
    void add_hand(int choice);
    void no_hands();
    [[nodiscard]] int hands(int choice) const { return hands_[at_][static_cast<std::size_t>(choice)]; }
    [[nodiscard]] int hands() const; // for all choices
    void go(std::ptrdiff_t by);      // around the end
    [[nodiscard]] int answered() const;
    [[nodiscard]] int right(const std::vector<QuizQuestion>& quiz) const;

  private:
    std::vector<int> given_;
    std::vector<std::array<int, kMostChoices>> hands_;
    std::size_t at_ = 0;
};

} // namespace speclens
