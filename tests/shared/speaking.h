// A frame in another language.
#pragma once

#include <string>

#include "scenes/shared/speak.h"

namespace speclens::test {

struct Speaking { // until the end of the scope
    explicit Speaking(const std::string& language) { speak(language); }
    ~Speaking() { speak("en"); }
    Speaking(const Speaking&) = delete;
    Speaking& operator=(const Speaking&) = delete;
};

} // namespace speclens::test
