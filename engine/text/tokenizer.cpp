#include "engine/text/tokenizer.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "engine/base/json_read.h"
#include "engine/base/utf8.h"
#include "engine/text/tokenizer_parts.h"

namespace speclens {
namespace {

constexpr std::size_t kLargestTokenizer = 256'000'000;
constexpr std::size_t kLargestText = 1u << 30; // positions inside a piece are ints

class BpeTokenizer final : public Tokenizer {
  public:
    explicit BpeTokenizer(TokenizerParts parts) : parts_(std::move(parts)) {
        for (std::size_t id = 0; id < parts_.bytes.size(); ++id)
            if (!parts_.bytes[id].empty()) ids_.emplace(parts_.bytes[id], static_cast<int>(id));
    }

    [[nodiscard]] std::vector<int> encode(std::string_view text) const override {
        check_size(text.size());
        std::vector<int> ids;
        if (is_valid_utf8(text)) {
            encode_raw(text, {}, ids);
        } else {
            encode_raw(valid_utf8(text), {}, ids);
        }
        return ids;
    }

    [[nodiscard]] std::vector<int> encode(std::span<const TextPart> parts) const override {
        std::string text;
        Borders literal;
        for (const TextPart& part : parts) {
            check_size(text.size() + part.text.size());
            const std::size_t begin = text.size();
            text += valid_utf8(part.text);
            if (part.literal && text.size() > begin) literal.push_back({begin, text.size()});
        }
        std::vector<int> ids;
        encode_raw(text, literal, ids);
        return ids;
    }

    [[nodiscard]] std::string decode(const std::vector<int>& ids, bool skip_special) const override {
        std::string text;
        for (const int id : ids)
            if (!skip_special || !is_special(id)) text += bytes_of(id);
        return text;
    }

    [[nodiscard]] std::string bytes_of(int id) const override {
        return id >= 0 && id < size() ? parts_.bytes[static_cast<std::size_t>(id)] : std::string();
    }
    [[nodiscard]] int size() const override { return static_cast<int>(parts_.bytes.size()); }
    [[nodiscard]] int id_of(std::string_view token) const override {
        const auto found = ids_.find(std::string(token));
        return found == ids_.end() ? -1 : found->second;
    }
    [[nodiscard]] bool is_special(int id) const override {
        return id >= 0 && id < size() && parts_.special[static_cast<std::size_t>(id)];
    }
    [[nodiscard]] int bos() const override { return parts_.bos; }

  private:
    // Bytes of literal parts, in order: [begin, end).
    using Borders = std::vector<std::pair<std::size_t, std::size_t>>;

    static void check_size(std::size_t bytes) {
        if (bytes > kLargestText)
            throw Error("the text has " + std::to_string(bytes) + " bytes", "Use a prompt below 1 GB.",
                        Exit::usage);
    }

    // The next added token that may be read as one: no special token that reaches into a literal part. Of several
    // that begin at one place the longest, so a shorter one is looked for in what is left of the text before its end.
    [[nodiscard]] std::optional<AddedTokens::Hit> next(const AddedTokens& added, std::string_view text,
                                                       std::size_t from, const Borders& literal) const {
        for (auto hit = added.next(text, from); hit; hit = added.next(text, hit->begin + 1)) {
            const std::size_t begin = hit->begin;
            while (hit && hit->begin == begin && is_said(*hit, literal))
                hit = added.next(text.substr(0, begin + hit->length - 1), begin);
            if (hit && hit->begin == begin) return hit;
            hit = AddedTokens::Hit{.begin = begin};
        }
        return std::nullopt;
    }
    [[nodiscard]] bool is_said(const AddedTokens::Hit& hit, const Borders& literal) const {
        if (!is_special(hit.id)) return false;
        const auto part = std::ranges::upper_bound(literal, hit.begin, {}, &Borders::value_type::second);
        return part != literal.end() && part->first < hit.begin + hit.length;
    }

    // Cuts `text` at added tokens and hands what lies between them, and where, to `between`.
    template <class Between>
    void cut(const AddedTokens& added, std::string_view text, const Borders& literal, std::vector<int>& ids,
             const Between& between) const {
        std::size_t from = 0;
        while (const auto hit = next(added, text, from, literal)) {
            if (hit->begin > from) between(text.substr(from, hit->begin - from), from);
            ids.push_back(hit->id);
            from = hit->begin + hit->length;
        }
        if (from < text.size()) between(text.substr(from), from);
    }

    void encode_raw(std::string_view text, const Borders& literal, std::vector<int>& ids) const {
        cut(parts_.raw, text, literal, ids, [&](std::string_view rest, std::size_t at) {
            const std::string normal = parts_.nfc ? nfc(rest) : std::string(rest);
            // Where the parts are after normalisation, which changes what stands before a border alone.
            Borders moved;
            const auto place = [&](std::size_t border) {
                const std::size_t before = std::clamp(border, at, at + rest.size()) - at;
                if (normal.size() == rest.size() && normal == rest) return before;
                return std::min(nfc(rest.substr(0, before)).size(), normal.size());
            };
            for (const auto& [begin, end] : literal)
                if (begin < at + rest.size() && end > at) moved.push_back({place(begin), place(end)});
            cut(parts_.normalized, normal, moved, ids,
                [&](std::string_view plain, std::size_t) { encode_plain(plain, ids); });
        });
    }

    void encode_plain(std::string_view text, std::vector<int>& ids) const {
        std::vector<std::string_view> pieces{text}, cut_pieces;
        for (const SplitPattern& pattern : parts_.splits) {
            cut_pieces.clear();
            for (const std::string_view piece : pieces) pattern.split(piece, cut_pieces);
            pieces.swap(cut_pieces);
        }
        for (const std::string_view piece : pieces) merge_piece(piece, parts_.byte_ids, parts_.merges, ids);
    }

    TokenizerParts parts_;
    std::unordered_map<std::string, int> ids_; // by bytes; looked up only, never walked
};

} // namespace

namespace {

// Transformers' class for Llama's tokenizers sets the tokens around a text itself, whatever tokenizer.json
// says.
void read_tokenizer_config(const std::filesystem::path& file, TokenizerParts& parts) {
    std::error_code failure;
    if (!std::filesystem::exists(file, failure)) return;
    const std::string name = short_name(file);
    const char* const remedy = "Delete the file or download it again; tokenizer.json is enough.";
    const Json config = parse_json_object(read_text_file(file, kLargestTokenizer), name, remedy);
    const Json kind = config.value("tokenizer_class", Json());
    if (kind != "LlamaTokenizer" && kind != "LlamaTokenizerFast") return;
    if (config.value("add_eos_token", Json()) == true)
        throw Error(name + ": add_eos_token is true, which is not supported", remedy);
    parts.bos = -1;
    if (config.value("add_bos_token", Json()) == false) return;
    Json bos = config.value("bos_token", Json());
    if (bos.is_object()) bos = bos.value("content", Json());
    if (!bos.is_string()) return;
    const auto found = std::ranges::find(parts.bytes, bos.get<std::string>());
    if (found == parts.bytes.end())
        throw Error(name + ": bos_token " + shown(bos) + " is not in tokenizer.json", remedy);
    parts.bos = static_cast<int>(found - parts.bytes.begin());
}

} // namespace

std::string joined(std::span<const TextPart> parts) {
    std::string text;
    for (const TextPart& part : parts) text += part.text;
    return text;
}

std::shared_ptr<const Tokenizer> make_tokenizer(TokenizerParts parts) {
    return std::make_shared<BpeTokenizer>(std::move(parts));
}

std::shared_ptr<const Tokenizer> Tokenizer::load(const std::filesystem::path& tokenizer_json) {
    TokenizerParts parts =
        parse_tokenizer_json(read_text_file(tokenizer_json, kLargestTokenizer), short_name(tokenizer_json));
    read_tokenizer_config(tokenizer_json.parent_path() / "tokenizer_config.json", parts);
    return make_tokenizer(std::move(parts));
}

} // namespace speclens
