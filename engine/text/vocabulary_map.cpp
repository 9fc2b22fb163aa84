#include "engine/text/vocabulary_map.h"

#include <algorithm>
#include <unordered_map>

#include "engine/base/utf8.h"

namespace speclens {
namespace {

bool puts_a_blank(const Tokenizer& tokenizer) { return tokenizer.decode(tokenizer.encode("a")).starts_with(' '); }

// Ids of a text that goes on from another one. A tokenizer that puts a blank in front takes the text's own for it.
std::vector<int> encode_on(const Tokenizer& tokenizer, bool blank, std::string_view text) {
    if (blank && text.starts_with(' ')) text.remove_prefix(1);
    const TextPart part{std::string(text), true};
    return tokenizer.encode(std::span(&part, 1));
}

} // namespace

VocabularyMap::VocabularyMap(std::shared_ptr<const Tokenizer> target, std::span<const int> target_stops, int target_vocab,
                             std::shared_ptr<const Tokenizer> draft, std::span<const int> draft_stops, int draft_vocab)
    : target_(std::move(target)), draft_(std::move(draft)), to_target_(static_cast<std::size_t>(draft_vocab), -1),
      to_draft_(static_cast<std::size_t>(target_vocab), -1), draft_stops_(draft_stops.begin(), draft_stops.end()),
      target_blank_(puts_a_blank(*target_)), draft_blank_(puts_a_blank(*draft_)) {
    const auto join = [&](int ours, int theirs) {
        if (ours < 0 || theirs < 0 || ours >= target_vocab || theirs >= draft_vocab) return;
        to_draft_[static_cast<std::size_t>(ours)] = theirs;
        to_target_[static_cast<std::size_t>(theirs)] = ours;
        ++common_;
    };
    join(target_->bos(), draft_->bos());
    if (!target_stops.empty() && !draft_stops.empty()) join(target_stops.front(), draft_stops.front());
    std::unordered_map<std::string, int> ours;
    for (int id = 0; id < std::min(target_vocab, target_->size()); ++id)
        if (std::string bytes = target_->bytes_of(id); !bytes.empty()) ours.emplace(std::move(bytes), id);
    for (int id = 0; id < std::min(draft_vocab, draft_->size()); ++id) {
        if (to_target_[static_cast<std::size_t>(id)] >= 0) continue;
        const auto found = ours.find(draft_->bytes_of(id));
        if (found == ours.end() || to_draft_[static_cast<std::size_t>(found->second)] >= 0) continue;
        if (target_->is_special(found->second) == draft_->is_special(id)) join(found->second, id);
    }
}

bool VocabularyMap::is_draft_stop(int draft_id) const { return std::ranges::find(draft_stops_, draft_id) != draft_stops_.end(); }

std::vector<int> VocabularyMap::as_target(std::span<const int> draft_ids, bool whole) const {
    std::string text;
    for (const int id : draft_ids) text += draft_->bytes_of(id);
    const std::size_t complete = complete_utf8_prefix(text);
    const bool over = whole && complete == text.size();
    text.resize(complete);
    if (text.empty() || !is_valid_utf8(text)) return {};
    if (target_blank_ && !text.starts_with(' ')) return {}; // it would get a blank that the text does not have
    std::vector<int> ids = encode_on(*target_, target_blank_, text);
    if (!over && ids.size() > 1) ids.pop_back();
    return ids;
}

void DraftSpelling::begin() {
    finished_.clear();
    over_ = 0;
    open_.clear();
}

// Words begin there for every tokenizer: what stands before does not change their ids.
bool DraftSpelling::may_end_before(int token) const {
    if (map_->target().is_special(token)) return true;
    const std::string bytes = map_->target().bytes_of(token);
    return bytes.starts_with(' ') || bytes.starts_with('\n');
}

std::string DraftSpelling::spell(std::span<const int> tokens, std::string before, std::vector<int>& out) const {
    std::string text = std::move(before);
    const auto encode = [&](std::size_t size) {
        const std::vector<int> ids = encode_on(map_->draft(), map_->draft_blank_, std::string_view(text).substr(0, size));
        out.insert(out.end(), ids.begin(), ids.end());
        text.erase(0, size);
    };
    for (const int token : tokens) {
        const int theirs = map_->to_draft(token);
        if (!map_->target().is_special(token) || theirs < 0) { // a special token that the draft does not have is read as it is spelled
            text += map_->target().bytes_of(token);
            continue;
        }
        if (!text.empty()) encode(text.size());
        out.push_back(theirs);
    }
    if (const std::size_t complete = complete_utf8_prefix(text); complete > 0) encode(complete);
    return text;
}

std::vector<int> DraftSpelling::ids(std::span<const int> sequence) {
    while (sequence.size() - over_ > 2 * kPiece) { // the next piece ends at a word between one and two lengths
        std::size_t end = over_ + kPiece;
        while (end < over_ + 2 * kPiece && !may_end_before(sequence[end])) ++end;
        open_ = spell(sequence.subspan(over_, end - over_), std::move(open_), finished_);
        over_ = end;
    }
    std::vector<int> all = finished_;
    const std::string rest = spell(sequence.subspan(over_), open_, all);
    return rest.empty() ? all : std::vector<int>{};
}

} // namespace speclens
