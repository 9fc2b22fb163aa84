// The language of the pictures: how it is called, and how it writes numbers and quotes. What is said in it are messages
// (ui/stories/story_book.h). English, until another one is spoken.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace speclens::ui {

struct Language {
    std::string name = "en";       // the folder of its texts
    std::string title = "English"; // as those who speak it call it
    char decimal = '.';
    std::string open_quote = "“", close_quote = "”";
    // Called with every text of a story that had to be shortened (ui/text_layout.h).
    std::function<void(std::string_view)> shortened = {};
};

[[nodiscard]] const Language& language();
// A number as the language of the pictures writes it: "1,5", and "0,38" where English has ".38".
[[nodiscard]] std::string in_language(std::string number);
[[nodiscard]] std::shared_ptr<const Language> shared_language();
void use_language(std::shared_ptr<const Language> other); // null: English

} // namespace speclens::ui
