#include "engine/text/tokenizer.h"

#include <algorithm>
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
    BpeTokenizer(TokenizerParts parts, const Progress& progress) : parts_(std::move(parts)) {
        for (std::size_t id = 0; id < parts_.bytes.size(); ++id) {
            check_cancelled(progress);
            if (!parts_.bytes[id].empty()) ids_.emplace(parts_.bytes[id], static_cast<int>(id));
        }
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
    [[nodiscard]] bool is_special(int id) const override { return id >= 0 && id < size() && parts_.special[static_cast<std::size_t>(id)]; }
    [[nodiscard]] int bos() const override { return parts_.bos; }

  private:
    // Bytes of literal parts, in order: [begin, end).
    using Borders = std::vector<std::pair<std::size_t, std::size_t>>;

    static void check_size(std::size_t bytes) {
        if (bytes > kLargestText) throw Error("the text has " + std::to_string(bytes) + " bytes", "Use a prompt below 1 GB.", Exit::usage);
    }

    // A special token that reaches into a literal part is what somebody said: text.
    [[nodiscard]] bool is_said(int id, std::size_t begin, std::size_t end, const Borders& literal) const {
        if (!is_special(id)) return false;
        const auto part = std::ranges::upper_bound(literal, begin, {}, &Borders::value_type::second);
        return part != literal.end() && part->first < end;
    }

    // Cuts `text` at added tokens and hands what lies between them, and where, to `between`.
    template <class Between>
    void split(const AddedTokens& added, std::string_view text, const Borders& literal, std::vector<int>& ids,
               const Between& between) const {
        AddedTokens::Passed said;
        if (!literal.empty()) said = [&](int id, std::size_t begin, std::size_t end) { return is_said(id, begin, end, literal); };
        std::size_t from = 0;
        AddedTokens::Cursor cursor;
        while (const auto hit = added.next(text, cursor, said)) {
            if (hit->begin > from) between(text.substr(from, hit->begin - from), from);
            ids.push_back(hit->id);
            from = hit->end;
        }
        if (from < text.size()) between(text.substr(from), from);
    }

    void encode_raw(std::string_view text, const Borders& literal, std::vector<int>& ids) const {
        split(parts_.raw, text, literal, ids, [&](std::string_view rest, std::size_t at) {
            const std::string normal = normalized(rest, parts_.normal);
            // Where the parts are after normalisation, which changes what stands before a border alone.
            Borders moved;
            const auto place = [&](std::size_t border) {
                const std::size_t before = std::clamp(border, at, at + rest.size()) - at;
                if (normal.size() == rest.size() && normal == rest) return before;
                return std::min(normalized(rest.substr(0, before), parts_.normal).size(), normal.size());
            };
            for (const auto& [begin, end] : literal)
                if (begin < at + rest.size() && end > at) moved.push_back({place(begin), place(end)});
            split(parts_.normalized, normal, moved, ids, [&](std::string_view plain, std::size_t in_rest) {
                split_text(plain, at == 0 && in_rest == 0, parts_.splits, [&](std::string_view piece) { encode_piece(piece, ids); });
            });
        });
    }

    void encode_piece(std::string_view piece, std::vector<int>& ids) const {
        if (parts_.ignore_merges)
            if (const auto whole = parts_.whole.find(std::string(piece)); whole != parts_.whole.end()) {
                ids.push_back(whole->second);
                return;
            }
        std::vector<int> letters;
        parts_.letters.spell(piece, letters);
        merge_letters(letters, parts_.merges, ids);
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
    if (config.value("add_eos_token", Json()) == true) throw Error(name + ": add_eos_token is true, which is not supported", remedy);
    parts.bos = -1;
    if (config.value("add_bos_token", Json()) == false) return;
    Json bos = config.value("bos_token", Json());
    if (bos.is_object()) bos = bos.value("content", Json());
    if (!bos.is_string()) return;
    const auto found = std::ranges::find(parts.bytes, bos.get<std::string>());
    if (found == parts.bytes.end()) throw Error(name + ": bos_token " + shown(bos) + " is not in tokenizer.json", remedy);
    parts.bos = static_cast<int>(found - parts.bytes.begin());
}

} // namespace

std::string joined(std::span<const TextPart> parts) {
    std::string text;
    for (const TextPart& part : parts) text += part.text;
    return text;
}

std::shared_ptr<const Tokenizer> make_tokenizer(TokenizerParts parts, const Progress& progress) {
    return std::make_shared<BpeTokenizer>(std::move(parts), progress);
}

std::shared_ptr<const Tokenizer> Tokenizer::of_table(const VocabularyTable& table, const std::string& file, const Progress& progress) {
    return make_tokenizer(parse_vocabulary_table(table, file, progress), progress);
}

std::shared_ptr<const Tokenizer> Tokenizer::load(const std::filesystem::path& tokenizer_json, const Progress& progress) {
    TokenizerParts parts = parse_tokenizer_json(read_text_file(tokenizer_json, kLargestTokenizer), short_name(tokenizer_json), progress);
    read_tokenizer_config(tokenizer_json.parent_path() / "tokenizer_config.json", parts);
    return make_tokenizer(std::move(parts), progress);
}

} // namespace speclens
