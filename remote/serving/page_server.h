// A folder of files for browsers: a page. Every answer carries the two headers that give a page
// threads (a browser shares memory with nobody whom others may embed), and a type that its compiler of WebAssembly accepts.
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

} // namespace speclens
