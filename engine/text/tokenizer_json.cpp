// tokenizer.json to TokenizerParts. Only what Qwen2 and Qwen3 files use is accepted; every other setting
// would change ids silently and is refused by name.
#include <optional>
#include <set>
#include <unordered_map>

#include "engine/base/json_read.h"
#include "engine/text/tokenizer_parts.h"

namespace speclens {
namespace {

const char* const kTokenizerRemedy = "Is this an unchanged tokenizer.json of a Qwen2 or Qwen3 model?";
constexpr int kLargestId = 1 << 22;

class Section {
  public:
    Section(const Json& json, std::string name) : json_(&json), name_(std::move(name)) {
        if (!json.is_object()) fail("is not a JSON object");
    }
    [[nodiscard]] const Json* find(const char* field) const {
        const auto found = json_->find(field);
        return found == json_->end() || found->is_null() ? nullptr : &*found;
    }
    [[nodiscard]] std::string text(const char* field) const {
        const Json* value = find(field);
        if (value == nullptr || !value->is_string()) fail(std::string("has no text \"") + field + "\"");
        return value->get<std::string>();
    }
    [[nodiscard]] bool flag(const char* field, bool otherwise) const {
        const Json* value = find(field);
        if (value == nullptr) return otherwise;
        if (!value->is_boolean())
            fail(std::string(field) + " is " + shown(*value) + ", expected true or false");
        return value->get<bool>();
    }
    void require(bool holds, const std::string& what) const {
        if (!holds) fail(what);
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw Error(name_ + " " + what, kTokenizerRemedy);
    }
    [[nodiscard]] const std::string& name() const { return name_; }

  private:
    const Json* json_;
    std::string name_;
};

// ---- the byte alphabet: one printable code point per byte (GPT-2) ----

bool maps_to_itself(int byte) {
    return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

// code point -> byte, -1 for code points outside the alphabet
class ByteAlphabet {
  public:
    ByteAlphabet() : bytes_(0x100 + 68, -1) {
        int next = 0x100;
        for (int byte = 0; byte < 256; ++byte)
            bytes_[static_cast<std::size_t>(maps_to_itself(byte) ? byte : next++)] = byte;
    }
    // A token's spelling in the file to its bytes; nothing where the spelling is outside the alphabet.
    [[nodiscard]] std::optional<std::string> bytes_of(const std::string& spelling) const {
        std::string bytes;
        for (std::size_t i = 0; i < spelling.size(); ++i) {
            std::size_t c = static_cast<unsigned char>(spelling[i]);
            // the alphabet ends at U+0143: one or two bytes of UTF-8 (the JSON reader has checked that it is
            // valid)
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

// ---- sections ----

using Vocabulary = std::unordered_map<std::string, int>; // spelling in the file -> id; looked up only

void place(TokenizerParts& parts, int id, const std::string& bytes) {
    const auto at = static_cast<std::size_t>(id);
    if (at >= parts.bytes.size()) {
        parts.bytes.resize(at + 1);
        parts.special.resize(at + 1, false);
    }
    parts.bytes[at] = bytes;
}

int read_id(const Json& value, const Section& section, const std::string& token) {
    const bool whole = value.is_number_integer();
    if (!whole || value < 0 || value > kLargestId)
        section.fail("gives token \"" + token + "\" the id " + shown(value));
    return value.get<int>();
}

Vocabulary read_vocabulary(const Section& model, TokenizerParts& parts) {
    const Json* vocab = model.find("vocab");
    if (vocab == nullptr || !vocab->is_object() || vocab->empty()) model.fail("has no vocab");
    const ByteAlphabet alphabet;
    Vocabulary ids;
    std::set<int> used;
    parts.byte_ids.fill(-1);
    for (const auto& [spelling, value] : vocab->items()) {
        const int id = read_id(value, model, spelling);
        model.require(used.insert(id).second, "gives the id " + std::to_string(id) + " to two tokens");
        ids.emplace(spelling, id);
        const std::optional<std::string> bytes = alphabet.bytes_of(spelling);
        if (bytes && bytes->size() == 1) parts.byte_ids[static_cast<unsigned char>(bytes->front())] = id;
        place(parts, id, bytes.value_or(spelling)); // a spelling outside the alphabet stands for itself
    }
    for (const int id : parts.byte_ids)
        model.require(id >= 0, "has no token for some single bytes (no byte-level BPE?)");
    return ids;
}

// "a b" or ["a", "b"]
std::pair<std::string, std::string> merge_sides(const Json& merge, const Section& model) {
    if (merge.is_string()) {
        const std::string text = merge.get<std::string>();
        const auto space = text.find(' ');
        if (space != std::string::npos) return {text.substr(0, space), text.substr(space + 1)};
    } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
        return {merge[0].get<std::string>(), merge[1].get<std::string>()};
    }
    model.fail("has the merge " + shown(merge) + ", expected two tokens");
}

void read_merges(const Section& model, const Vocabulary& ids, TokenizerParts& parts) {
    const Json* merges = model.find("merges");
    if (merges == nullptr || !merges->is_array()) model.fail("has no merges");
    parts.merges.reserve(merges->size());
    int rank = 0;
    for (const Json& merge : *merges) {
        const std::pair<std::string, std::string> sides = merge_sides(merge, model);
        const std::string &left = sides.first, &right = sides.second;
        const auto id = [&](const std::string& token) {
            const auto found = ids.find(token);
            if (found == ids.end())
                model.fail("merges \"" + left + "\" and \"" + right + "\", but \"" + token +
                           "\" is not in the vocab");
            return found->second;
        };
        parts.merges.add(id(left), id(right), {rank++, id(left + right)});
    }
}

void read_model(const Section& model, TokenizerParts& parts) {
    const std::string type = model.text("type");
    model.require(type == "BPE", "is of type " + type + ", only byte-level BPE is supported");
    model.require(model.find("dropout") == nullptr, "uses dropout, which is not supported");
    model.require(!model.flag("byte_fallback", false), "uses byte_fallback, which is not supported");
    model.require(!model.flag("ignore_merges", false), "uses ignore_merges, which is not supported");
    for (const char* affix : {"continuing_subword_prefix", "end_of_word_suffix"})
        model.require(model.find(affix) == nullptr || model.text(affix).empty(),
                      std::string("uses ") + affix + ", which is not supported");
    read_merges(model, read_vocabulary(model, parts), parts);
}

void read_normalizer(const Json& json, const std::string& file, TokenizerParts& parts) {
    const Section section(json, file + ": normalizer");
    const std::string type = section.text("type");
    section.require(type == "NFC", "is " + type + ", only NFC is supported");
    parts.nfc = true;
}

// One step; returns whether text is bytes after it.
bool read_splitter(const Section& section, const std::string& file, TokenizerParts& parts) {
    const std::string type = section.text("type");
    if (type == "Split") {
        section.require(section.text("behavior") == "Isolated", "splits with a behavior other than Isolated");
        section.require(!section.flag("invert", false), "splits with invert, which is not supported");
        const Json* pattern = section.find("pattern");
        if (pattern == nullptr || !pattern->is_object()) section.fail("has no pattern");
        parts.splits.emplace_back(Section(*pattern, section.name() + ": pattern").text("Regex"), file);
    } else if (type == "ByteLevel") {
        section.require(!section.flag("add_prefix_space", true),
                        "adds a prefix space, which is not supported");
        section.require(!section.flag("use_regex", true),
                        "uses the built-in pattern, which is not supported");
        return true;
    } else {
        section.fail("has a step of type " + type + ", only Split and ByteLevel are supported");
    }
    return false;
}

void read_pre_tokenizer(const Json* json, const std::string& file, TokenizerParts& parts) {
    const std::string name = file + ": pre_tokenizer";
    if (json == nullptr) throw Error(name + " is missing", kTokenizerRemedy);
    const Section section(*json, name);
    bool bytes = false;
    const auto read = [&](const Section& step) {
        section.require(!bytes, "has a step behind ByteLevel, which must be the last one");
        bytes = read_splitter(step, file, parts);
    };
    if (section.text("type") != "Sequence") {
        read(section);
    } else {
        const Json* steps = section.find("pretokenizers");
        if (steps == nullptr || !steps->is_array()) section.fail("has no pretokenizers");
        for (const Json& step : *steps) read(Section(step, name));
    }
    section.require(bytes, "does not end with ByteLevel, which turns text into bytes");
}

// [BOS, the text]: the one template that is supported, as of tokenizers with the class of Llama's.
int bos_of_template(const Section& section) {
    const Json* single = section.find("single");
    const auto is = [](const Json& piece, const char* kind) {
        return piece.is_object() && piece.contains(kind);
    };
    if (single == nullptr || !single->is_array() || single->size() != 2 ||
        !is((*single)[0], "SpecialToken") || !is((*single)[1], "Sequence"))
        section.fail(
            "is TemplateProcessing, which puts tokens around every text; only one in front is supported");
    const std::string name = Section((*single)[0]["SpecialToken"], section.name()).text("id");
    const Json* specials = section.find("special_tokens");
    const Json token = specials != nullptr && specials->is_object() ? specials->value(name, Json()) : Json();
    const Json ids = token.is_object() ? token.value("ids", Json()) : Json();
    if (!ids.is_array() || ids.size() != 1) section.fail("does not say which id \"" + name + "\" has");
    return read_id(ids[0], section, name);
}

// What is done to the ids of a text when they are known. Byte level moves offsets only.
void read_post_processor(const Json& json, const std::string& file, TokenizerParts& parts) {
    const Section section(json, file + ": post_processor");
    const std::string type = section.text("type");
    if (type == "Sequence") {
        const Json* steps = section.find("processors");
        if (steps == nullptr || !steps->is_array()) section.fail("has no processors");
        for (const Json& step : *steps) read_post_processor(step, file, parts);
    } else if (type == "TemplateProcessing") {
        parts.bos = bos_of_template(section);
    } else {
        section.require(type == "ByteLevel", "is " + type + ", which is not supported");
    }
}

void read_decoder(const Json& json, const std::string& file) {
    const Section section(json, file + ": decoder");
    const std::string type = section.text("type");
    section.require(type == "ByteLevel", "is " + type + ", only ByteLevel is supported");
}

void read_added_tokens(const Json& list, const std::string& file, TokenizerParts& parts) {
    const std::string name = file + ": added_tokens";
    if (!list.is_array()) throw Error(name + " is not a list", kTokenizerRemedy);
    for (const Json& entry : list) {
        const Section section(entry, name);
        AddedToken token{
            .id = 0, .content = section.text("content"), .special = section.flag("special", false)};
        section.require(!token.content.empty(), "has an empty token");
        const Json* id = section.find("id");
        if (id == nullptr) section.fail("has no id for \"" + token.content + "\"");
        token.id = read_id(*id, section, token.content);
        for (const char* option : {"lstrip", "rstrip", "single_word"})
            section.require(!section.flag(option, false), std::string("uses ") + option + " for \"" +
                                                              token.content + "\", which is not supported");
        place(parts, token.id, token.content);
        parts.special[static_cast<std::size_t>(token.id)] = token.special;
        if (section.flag("normalized", false)) {
            if (parts.nfc) token.content = nfc(token.content);
            parts.normalized.add(token);
        } else {
            parts.raw.add(token);
        }
    }
}

} // namespace

TokenizerParts parse_tokenizer_json(std::string_view text, const std::string& file) {
    const Json json =
        parse_json_object(text, file, "Download the file again; it must be the unchanged tokenizer.json.");
    const Section root(json, file + ":");
    TokenizerParts parts;
    const Json* model = root.find("model");
    if (model == nullptr) root.fail("has no model");
    read_model(Section(*model, file + ": model"), parts);
    if (const Json* normalizer = root.find("normalizer")) read_normalizer(*normalizer, file, parts);
    read_pre_tokenizer(root.find("pre_tokenizer"), file, parts);
    if (const Json* after = root.find("post_processor")) read_post_processor(*after, file, parts);
    if (const Json* decoder = root.find("decoder")) read_decoder(*decoder, file);
    if (const Json* added = root.find("added_tokens")) read_added_tokens(*added, file, parts);
    return parts;
}

} // namespace speclens
