// Tokens to text piece by piece, and whether two vocabularies fit together.
#include <algorithm>

#include "engine/base/utf8.h"
#include "engine/text/tokenizer.h"

namespace speclens {
namespace {

// Bytes as a message can show them: what is not readable text is written as hexadecimal, long tokens are cut.
std::string quoted(const std::string& bytes) {
    const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
    const std::string start = bytes.substr(0, complete_utf8_prefix(std::string_view(bytes).substr(0, 40)));
    if (is_valid_utf8(start) && std::ranges::none_of(start, control)) return "\"" + start + (start.size() < bytes.size() ? "…\"" : "\"");
    static const char* const kHex = "0123456789abcdef";
    std::string text = "bytes";
    for (const char c : bytes.substr(0, 12))
        text += {' ', kHex[static_cast<unsigned char>(c) >> 4], kHex[static_cast<unsigned char>(c) & 15]};
    return text + (bytes.size() > 12 ? " …" : "");
}

} // namespace

std::string vocabulary_difference(const Tokenizer& target, const Tokenizer& draft) {
    const int both = std::min(target.size(), draft.size());
    for (int id = 0; id < both; ++id) {
        const std::string ours = target.bytes_of(id), theirs = draft.bytes_of(id);
        if (ours != theirs && !ours.empty() && !theirs.empty())
            return "token " + std::to_string(id) + " is " + quoted(ours) + " in the target and " + quoted(theirs) + " in the draft";
    }
    return "";
}

std::string StreamDecoder::push(int id) {
    pending_ += tokenizer_->bytes_of(id);
    const std::size_t whole = complete_utf8_prefix(pending_);
    const std::string complete = valid_utf8(std::string_view(pending_).substr(0, whole));
    pending_.erase(0, whole); // at most three bytes wait
    return complete;
}

std::string StreamDecoder::flush() {
    const std::string rest = valid_utf8(pending_);
    pending_.clear();
    return rest;
}

} // namespace speclens
