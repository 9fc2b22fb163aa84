#include "ui/text_history.h"

#include <utility>

namespace speclens::ui {

bool TextHistory::joins(Kind kind, double time, std::size_t caret, bool selected, bool new_word) const {
    constexpr double kPause = 1;
    return kind != Kind::other && kind == kind_ && !done_.empty() && time - time_ < kPause && caret == caret_ && !selected && !new_word;
}

void TextHistory::changed(std::optional<TextVersion> before, Kind kind, double time, std::size_t caret) {
    if (before) done_.push_back(std::move(*before));
    undone_.clear();
    kind_ = kind;
    time_ = time;
    caret_ = caret;
    std::size_t bytes = 0;
    for (const TextVersion& version : done_) bytes += version.text.size();
    while (done_.size() > 1 && bytes > kMostBytes) {
        bytes -= done_.front().text.size();
        done_.erase(done_.begin());
    }
}

std::optional<TextVersion> TextHistory::take(bool forward, TextVersion now) {
    std::vector<TextVersion>& from = forward ? undone_ : done_;
    if (from.empty()) return {};
    (forward ? done_ : undone_).push_back(std::move(now));
    TextVersion found = std::move(from.back());
    from.pop_back();
    kind_ = Kind::other; // nothing joins it
    return found;
}

} // namespace speclens::ui
