// Tokens by the spelling that files give them. Byte-level vocabularies spell a byte as one printable
// character (GPT-2's alphabet), SentencePiece's spell a blank as U+2581 and a lone byte as <0x0A>.
#include <charconv>

#include "engine/text/tokenizer_parts.h"

namespace speclens {
namespace {

// ---- the byte alphabet: one printable code point per byte (GPT-2) ----

bool maps_to_itself(int byte) { return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE; }

// code point -> byte, -1 for code points outside the alphabet
class ByteAlphabet {
  public:
    ByteAlphabet() : bytes_(0x100 + 68, -1) {
        int next = 0x100;
        for (int byte = 0; byte < 256; ++byte) bytes_[static_cast<std::size_t>(maps_to_itself(byte) ? byte : next++)] = byte;
    }
    // A token's spelling in the file to its bytes; nothing where the spelling is outside the alphabet.
    [[nodiscard]] std::optional<std::string> bytes_of(const std::string& spelling) const {
        std::string bytes;
        for (std::size_t i = 0; i < spelling.size(); ++i) {
            std::size_t c = static_cast<unsigned char>(spelling[i]);
            // the alphabet ends at U+0143: one or two bytes of UTF-8 (whoever read the file has checked that
            // it is valid)
            if (c >= 0xC0 && c < 0xE0 && i + 1 < spelling.size())
                c = (c & 0x1F) << 6 | (static_cast<unsigned char>(spelling[++i]) & 0x3F);
            else if (c >= 0x80)
                return {};
            if (c >= bytes_.size() || bytes_[c] < 0) return {};
            bytes.push_back(static_cast<char>(bytes_[c]));
        }
        return bytes;
    }

  private:
    std::vector<int> bytes_;
};

// The byte of "<0x0A>", with two capital digits; -1 for other texts.
int lone_byte(const std::string& spelling) {
    if (spelling.size() != 6 || !spelling.starts_with("<0x") || spelling[5] != '>') return -1;
    if (spelling.find_first_not_of("0123456789ABCDEF", 3) != 5) return -1;
    int byte = -1;
    std::from_chars(spelling.data() + 3, spelling.data() + 5, byte, 16);
    return byte;
}

bool is_one_character(const std::string& text) {
    std::size_t characters = 0;
    for (const char c : text) characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return characters == 1;
}

std::string with_blanks(std::string text) {
    const std::string_view mark = kSentenceBlank;
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; ++at) text.replace(at, mark.size(), " ");
    return text;
}

} // namespace

void place_token(TokenizerParts& parts, int id, const std::string& bytes, bool special) {
    const auto at = static_cast<std::size_t>(id);
    if (at >= parts.bytes.size()) {
        parts.bytes.resize(at + 1);
        parts.special.resize(at + 1, false);
    }
    parts.bytes[at] = bytes;
    parts.special[at] = special;
}

VocabularyBuilder::VocabularyBuilder(TokenizerParts& parts, const Progress& progress) : parts_(&parts), progress_(&progress) {
    parts.letters.bytes.fill(-1);
}

bool VocabularyBuilder::add_plain(const std::string& text, int id) {
    check_cancelled(*progress_);
    const auto at = static_cast<std::size_t>(id);
    if (at >= used_.size()) used_.resize(at + 1, false);
    if (used_[at] || !ids_.emplace(text, id).second) return false;
    used_[at] = true;
    place_token(*parts_, id, text, false);
    return true;
}

bool VocabularyBuilder::add(const std::string& spelling, int id) {
    static const ByteAlphabet alphabet;
    if (!add_plain(spelling, id)) return false;
    Letters& letters = parts_->letters;
    if (letters.byte_level) {
        const std::optional<std::string> bytes = alphabet.bytes_of(spelling);
        if (!bytes) return true; // a spelling outside the alphabet stands for itself
        if (bytes->size() == 1) letters.bytes[static_cast<unsigned char>(bytes->front())] = id;
        if (parts_->ignore_merges) parts_->whole.emplace(*bytes, id);
        place_token(*parts_, id, *bytes, false);
        return true;
    }
    if (is_one_character(spelling)) letters.characters.emplace(spelling, id);
    if (parts_->ignore_merges) parts_->whole.emplace(spelling, id);
    const int byte = lone_byte(spelling);
    if (byte >= 0) letters.bytes[static_cast<std::size_t>(byte)] = id;
    place_token(*parts_, id, byte >= 0 ? std::string(1, static_cast<char>(byte)) : with_blanks(spelling), false);
    return true;
}

int VocabularyBuilder::find(const std::string& spelling) const {
    check_cancelled(*progress_);
    const auto found = ids_.find(spelling);
    return found == ids_.end() ? -1 : found->second;
}

std::optional<std::string> VocabularyBuilder::merge(const std::string& left, const std::string& right, int rank) {
    const int ids[] = {find(left), find(right), find(left + right)};
    if (ids[0] < 0) return left;
    if (ids[1] < 0) return right;
    if (ids[2] < 0) return left + right;
    parts_->merges.add(ids[0], ids[1], {rank, ids[2]});
    return std::nullopt;
}

} // namespace speclens
