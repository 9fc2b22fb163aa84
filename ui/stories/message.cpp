#include "ui/stories/message.h"

#include "ui/language/language.h"

namespace speclens {

std::string drawn_words(const Message& message) {
    const ui::Language& spoken = ui::language();
    if (!message.finished()) return spoken.label(message.words());
    if (spoken.unknown && spoken.translates()) spoken.unknown(message.words()); // whoever listens for what is left in English
    return message.words();
}

} // namespace speclens
