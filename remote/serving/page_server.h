// For browsers: a folder of files, and what a screen reader reads of a window. Every answer of the folder carries the two headers that give
// a page threads (a browser shares memory with nobody whom others may embed), and a type that its compiler of WebAssembly accepts.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace speclens {

class PageServer {
  public:
    // Throws Error (model) where the folder has no index.html.
    PageServer(const std::filesystem::path& folder, std::string host, int port); // port 0: any free one
    ~PageServer();                                                               // stops
    int bind();                                                                  // the port; throws Error (exit network) when it is taken
    void serve();                                                                // answers until stop(); call bind() first
    void stop();                                                                 // from any thread

  private:
    struct State;
    std::unique_ptr<State> state_;
};

// A page of words that change, in a region that screen readers read out as it does: at 127.0.0.1 alone, on a path that nobody
// guesses, on a thread of its own. The page says so when the server ends.
class WordsServer {
  public:
    WordsServer(); // listens; throws Error (exit network)
    ~WordsServer();
    [[nodiscard]] const std::string& address() const; // http://127.0.0.1:PORT/PATH/
    // From now on: a line of JSON with `language`, `title`, `text` (lines), and `closed`, what is said at the end.
    void show(const std::string& words);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace speclens
