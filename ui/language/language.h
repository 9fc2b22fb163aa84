// The language of the pictures: how it writes numbers and quotes, and what labels that stand in the code are called in it.
// Whole sentences are stories (ui/stories/story_book.h). English, until another one is spoken.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace speclens::ui {

class Language {
  public:
    std::string name = "en";       // the folder of its texts
    std::string title = "English"; // as those who speak it call it
    char decimal = '.';
    std::string open_quote = "“", close_quote = "”";

    // What an English label is called. Each {} of it stands for any text, which comes where the other has {}, or {1}, {2}:
    // the first, the second. Where several labels fit a text, the one with most letters of its own does.
    void add(const std::string& english, const std::string& own);
    // The label in this language, with its quotes. Where the whole is unknown its parts between " · ", "; ", ", " and ": "
    // are looked up; what nobody translated stays English.
    [[nodiscard]] std::string label(std::string_view english) const;
    [[nodiscard]] bool translates() const { return !labels_.empty() || !patterns_.empty(); }

    // Called with every text that label() left as it is; for lists of what is still to be translated.
    std::function<void(std::string_view)> unknown = {};
    // Called with every text that had to be shortened though its English has room, or that is of a story (ui/text_layout.h).
    std::function<void(std::string_view)> shortened = {};

  private:
    struct Pattern {
        std::vector<std::string> english; // what stands between the {}
        std::size_t letters;              // in all of it
        std::string own;
    };
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    template <class T>
    using ByText = std::unordered_map<std::string, T, Hash, std::equal_to<>>;

    [[nodiscard]] bool find(std::string_view english, std::string& own) const; // as a whole
    [[nodiscard]] bool fill(const Pattern& pattern, std::string_view english, std::string& own) const;
    [[nodiscard]] std::string part(std::string_view english) const;
    [[nodiscard]] std::string looked_up(std::string_view english) const;

    ByText<std::string> labels_;
    std::vector<Pattern> patterns_;     // most letters first
    mutable ByText<std::string> found_; // asked for before: a frame says much the same as the one before it
};

[[nodiscard]] const Language& language();
// A number as the language of the pictures writes it: "1,5", and "0,38" where English has ".38".
[[nodiscard]] std::string in_language(std::string number);
[[nodiscard]] std::shared_ptr<const Language> shared_language();
void use_language(std::shared_ptr<const Language> other); // null: English

} // namespace speclens::ui
