// Server-sent events as they arrive in pieces of any size: the `data:` of each event.
// WHATWG HTML, section 9.2.6, as far as language-model servers use it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace speclens {

class EventStream {
  public:
    explicit EventStream(std::function<void(const std::string& data)> on_event) : on_event_(std::move(on_event)) {}
    void push(std::string_view bytes);
    void finish(); // an event without its closing empty line counts too

  private:
    void line(std::string_view text);
    std::function<void(const std::string&)> on_event_;
    std::string pending_, data_;
    bool has_data_ = false;
};

} // namespace speclens
