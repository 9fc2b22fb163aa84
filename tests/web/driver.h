// What carries WebDriver's commands to a browser: HTTP to chromedriver, or Firefox's own socket.
#pragma once

#include <memory>
#include <string>

#include "engine/base/json.h"

namespace speclens::test {

// One command: where it is found over HTTP, and what Firefox calls it.
struct Command {
    const char* method;
    const char* path;
    const char* name;
};

class Driver {
  public:
    virtual ~Driver() = default; // ends the browser
    // The value of the answer. Throws std::runtime_error where the browser refuses or does not answer.
    virtual Json ask(const Command& command, const Json& body) = 0;
    virtual void resize(int width, int height) = 0; // of what the page sees
};

[[nodiscard]] std::unique_ptr<Driver> start_chromium(); // throws std::runtime_error
[[nodiscard]] std::string firefox_program();            // empty: there is none
[[nodiscard]] std::unique_ptr<Driver> start_firefox();  // throws std::runtime_error

} // namespace speclens::test
