#include "remote/reading/event_stream.h"

namespace speclens {

void EventStream::push(std::string_view bytes) {
    for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
        pending_ += bytes.substr(0, end);
        bytes.remove_prefix(end + 1);
        if (!pending_.empty() && pending_.back() == '\r') pending_.pop_back();
        line(pending_);
        pending_.clear();
    }
    pending_ += bytes;
}

void EventStream::finish() {
    if (!pending_.empty()) line(pending_);
    pending_.clear();
    line("");
}

void EventStream::line(std::string_view text) {
    if (text.empty()) {
        if (has_data_) on_event_(data_);
        data_.clear();
        has_data_ = false;
        return;
    }
    if (!text.starts_with("data:")) return;
    text.remove_prefix(5);
    if (text.starts_with(' ')) text.remove_prefix(1);
    if (has_data_) data_ += '\n';
    data_ += text;
    has_data_ = true;
}

} // namespace speclens
