// tokenizer.json to TokenizerParts: byte-level BPE as GPT-2, SmolLM2, Qwen, Llama 3 and DeepSeek use it, and
// SentencePiece's BPE as Llama 2, TinyLlama and Mistral do. Every setting that is not done here would change
// ids silently and is refused by name.
#include <algorithm>

#include "engine/base/json_read.h"
#include "engine/text/tokenizer_parts.h"

namespace speclens {
namespace {

const char* const kTokenizerRemedy = "Is this the unchanged tokenizer.json of the model? If so: serve it "
                                     "with llama-server or vLLM, and attach.";

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
        if (!value->is_boolean()) fail(std::string(field) + " is " + shown(*value) + ", expected true or false");
        return value->get<bool>();
    }
    void require(bool holds, const std::string& what) const {
        if (!holds) fail(what);
    }
    [[noreturn]] void fail(const std::string& what) const { throw Error(name_ + " " + what, kTokenizerRemedy); }
    [[nodiscard]] const std::string& name() const { return name_; }

  private:
    const Json* json_;
    std::string name_;
};

// ---- sections ----

int read_id(const Json& value, const Section& section, const std::string& token) {
    const bool whole = value.is_number_integer();
    if (!whole || value < 0 || value > kLargestId) section.fail("gives token \"" + token + "\" the id " + shown(value));
    return value.get<int>();
}

void read_vocabulary(const Section& model, VocabularyBuilder& vocabulary) {
    const Json* vocab = model.find("vocab");
    if (vocab == nullptr || !vocab->is_object() || vocab->empty()) model.fail("has no vocab");
    for (const auto& [spelling, value] : vocab->items()) {
        const int id = read_id(value, model, spelling);
        model.require(vocabulary.add(spelling, id), "gives the id " + std::to_string(id) + " to two tokens");
    }
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

void read_merges(const Section& model, VocabularyBuilder& vocabulary, TokenizerParts& parts) {
    const Json* merges = model.find("merges");
    if (merges == nullptr || !merges->is_array()) model.fail("has no merges");
    parts.merges.reserve(merges->size());
    int rank = 0;
    for (const Json& merge : *merges) {
        const auto [left, right] = merge_sides(merge, model);
        if (const auto missing = vocabulary.merge(left, right, rank++))
            model.fail("merges \"" + left + "\" and \"" + right + "\", but \"" + *missing + "\" is not in the vocab");
    }
}

// What stands for a letter that has no token.
void read_unknown(const Section& model, const VocabularyBuilder& vocabulary, Letters& letters) {
    const Json* unknown = model.find("unk_token");
    if (unknown == nullptr || std::ranges::count(letters.bytes, -1) == 0) return;
    const std::string token = model.text("unk_token");
    letters.unknown = vocabulary.find(token);
    model.require(letters.unknown >= 0, "has the unk_token \"" + token + "\", which is not in the vocab");
    letters.fuse_unknown = model.flag("fuse_unk", false);
}

void read_model(const Section& model, TokenizerParts& parts, const Progress& progress) {
    const std::string type = model.text("type");
    model.require(type == "BPE", "is of type " + type + ", only BPE is supported");
    const Json* dropout = model.find("dropout");
    model.require(dropout == nullptr || *dropout == 0, "uses dropout, which is not supported");
    model.require(model.flag("byte_fallback", false) != parts.letters.byte_level,
                  parts.letters.byte_level ? "uses byte_fallback, which is not supported behind ByteLevel"
                                           : "has neither ByteLevel before it nor byte_fallback");
    for (const char* affix : {"continuing_subword_prefix", "end_of_word_suffix"})
        model.require(model.find(affix) == nullptr || model.text(affix).empty(), std::string("uses ") + affix + ", which is not supported");
    parts.ignore_merges = model.flag("ignore_merges", false);
    VocabularyBuilder vocabulary(parts, progress);
    read_vocabulary(model, vocabulary);
    read_merges(model, vocabulary, parts);
    read_unknown(model, vocabulary, parts.letters);
}

// {"String": …}; U+2581 is the one mark for blanks that bytes_of() turns back.
std::string text_pattern(const Section& section) {
    const Json* pattern = section.find("pattern");
    if (pattern == nullptr || !pattern->is_object()) section.fail("has no pattern");
    const std::string text = Section(*pattern, section.name() + ": pattern").text("String");
    section.require(!text.empty(), "has an empty pattern");
    return text;
}

void read_normalizer(const Json& json, const std::string& file, TokenizerParts& parts) {
    const Section section(json, file + ": normalizer");
    const std::string type = section.text("type");
    if (type == "Sequence") {
        const Json* steps = section.find("normalizers");
        if (steps == nullptr || !steps->is_array()) section.fail("has no normalizers");
        for (const Json& step : *steps) read_normalizer(step, file, parts);
    } else if (type == "NFC") {
        parts.normal.push_back({NormalStep::Kind::nfc, "", ""});
    } else if (type == "Prepend") {
        parts.normal.push_back({NormalStep::Kind::prepend, "", section.text("prepend")});
    } else if (type == "Replace") {
        parts.normal.push_back({NormalStep::Kind::replace, text_pattern(section), section.text("content")});
    } else {
        section.fail("has a step of type " + type + ", only NFC, Prepend and Replace are supported");
    }
}

Delimiter read_delimiter(const Section& section) {
    const std::string behavior = section.text("behavior");
    if (behavior == "Isolated") return Delimiter::isolated;
    if (behavior == "Removed") return Delimiter::removed;
    if (behavior == "MergedWithPrevious") return Delimiter::merged_with_previous;
    if (behavior == "MergedWithNext") return Delimiter::merged_with_next;
    if (behavior == "Contiguous") return Delimiter::contiguous;
    section.fail("splits with the behavior " + behavior + ", which is not known");
}

SplitStep read_split(const Section& section, const std::string& file) {
    SplitStep step;
    step.delimiter = read_delimiter(section);
    step.invert = section.flag("invert", false);
    const Json* pattern = section.find("pattern");
    if (pattern == nullptr || !pattern->is_object()) section.fail("has no pattern");
    const Section kind(*pattern, section.name() + ": pattern");
    step.pattern = kind.find("String") == nullptr ? Pattern(kind.text("Regex"), file) : Pattern::of_text(text_pattern(section), file);
    return step;
}

// Files of today name a prepend_scheme, older ones add_prefix_space.
SplitStep read_metaspace(const Section& section, const std::string& file) {
    SplitStep step;
    step.blank = section.text("replacement");
    section.require(step.blank == kSentenceBlank,
                    "puts \"" + step.blank + "\" in place of blanks, only \"" + kSentenceBlank + "\" is supported");
    const std::string scheme = section.find("prepend_scheme") != nullptr ? section.text("prepend_scheme")
                               : section.flag("add_prefix_space", true)  ? "always"
                                                                         : "never";
    section.require(scheme == "always" || scheme == "first" || scheme == "never",
                    "has the prepend_scheme " + scheme + ", which is not known");
    if (scheme != "never") step.prepend = step.blank;
    step.first_only = scheme == "first";
    if (section.flag("split", true)) step.pattern = Pattern::of_text(step.blank, file);
    step.delimiter = Delimiter::merged_with_next;
    return step;
}

// One step; returns whether text is bytes after it.
bool read_splitter(const Section& section, const std::string& file, TokenizerParts& parts) {
    const std::string type = section.text("type");
    if (type == "Split") {
        parts.splits.push_back(read_split(section, file));
    } else if (type == "Digits") {
        parts.splits.push_back(split_digits(section.flag("individual_digits", false), file));
    } else if (type == "Metaspace") {
        parts.splits.push_back(read_metaspace(section, file));
    } else if (type == "ByteLevel") {
        SplitStep step = section.flag("use_regex", true) ? split_like_gpt2(file) : SplitStep();
        if (section.flag("add_prefix_space", true)) step.prepend = " ";
        parts.splits.push_back(std::move(step));
    } else {
        section.fail("has a step of type " + type + ", only Split, Digits, Metaspace and ByteLevel are supported");
    }
    return type == "ByteLevel";
}

// Text is bytes behind ByteLevel. Without it the model must spell unknown characters by their bytes itself.
void read_pre_tokenizer(const Json* json, bool byte_fallback, const std::string& file, TokenizerParts& parts) {
    const std::string name = file + ": pre_tokenizer";
    parts.letters.byte_level = !byte_fallback;
    if (json == nullptr && byte_fallback) return;
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
    section.require(bytes || byte_fallback, "does not end with ByteLevel, which turns text into bytes");
    parts.letters.byte_level = bytes;
}

// The template of one text: [BOS, the text], as of tokenizers with the class of Llama's, or the text alone, as transformers 5
// writes for those that add nothing; -1.
int bos_of_template(const Section& section) {
    const Json* single = section.find("single");
    const auto is = [](const Json& piece, const char* kind) { return piece.is_object() && piece.contains(kind); };
    const bool pieces = single != nullptr && single->is_array() && !single->empty();
    if (pieces && single->size() == 1 && is((*single)[0], "Sequence")) return -1;
    if (!pieces || single->size() != 2 || !is((*single)[0], "SpecialToken") || !is((*single)[1], "Sequence"))
        section.fail("is TemplateProcessing, which puts tokens around every text; only one in front is supported");
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

// bytes_of() does what the decoder would: it must be the one that belongs to the letters. What
// SentencePiece's does besides is to take the blank away that the normalizer put in front; here it stays.
void read_decoder(const Json& json, const std::string& file, const TokenizerParts& parts) {
    const Section section(json, file + ": decoder");
    const std::string type = section.text("type");
    if (parts.letters.byte_level) {
        section.require(type == "ByteLevel", "is " + type + ", only ByteLevel is supported");
    } else if (type == "Sequence") {
        const Json* steps = section.find("decoders");
        if (steps == nullptr || !steps->is_array()) section.fail("has no decoders");
        for (const Json& step : *steps) read_decoder(step, file, parts);
    } else {
        static const char* const known[] = {"Replace", "ByteFallback", "Fuse", "Strip", "Metaspace"};
        section.require(std::ranges::find(known, type) != std::end(known), "has a step of type " + type + ", which is not supported");
    }
}

void read_added_tokens(const Json& list, const std::string& file, TokenizerParts& parts) {
    const std::string name = file + ": added_tokens";
    if (!list.is_array()) throw Error(name + " is not a list", kTokenizerRemedy);
    for (const Json& entry : list) {
        const Section section(entry, name);
        AddedToken token{.id = 0,
                         .content = section.text("content"),
                         .special = section.flag("special", false),
                         .single_word = section.flag("single_word", false),
                         .lstrip = section.flag("lstrip", false),
                         .rstrip = section.flag("rstrip", false)};
        section.require(!token.content.empty(), "has an empty token");
        const Json* id = section.find("id");
        if (id == nullptr) section.fail("has no id for \"" + token.content + "\"");
        token.id = read_id(*id, section, token.content);
        place_token(parts, token.id, token.content, token.special);
        if (section.flag("normalized", false)) {
            token.content = normalized(token.content, parts.normal);
            section.require(!token.content.empty(), "has a token of which the normalizer leaves nothing");
            parts.normalized.add(token);
        } else {
            parts.raw.add(token);
        }
    }
}

} // namespace

TokenizerParts parse_tokenizer_json(std::string_view text, const std::string& file, const Progress& progress) {
    const Json json = parse_json_object(text, file, "Download the file again; it must be the unchanged tokenizer.json.",
                                        EqualKeys::last_counts, progress);
    const Section root(json, file + ":");
    TokenizerParts parts;
    const Json* model = root.find("model");
    if (model == nullptr) root.fail("has no model");
    const Section model_section(*model, file + ": model");
    read_pre_tokenizer(root.find("pre_tokenizer"), model_section.flag("byte_fallback", false), file, parts);
    read_model(model_section, parts, progress);
    if (const Json* normalizer = root.find("normalizer")) read_normalizer(*normalizer, file, parts);
    if (const Json* after = root.find("post_processor")) read_post_processor(*after, file, parts);
    if (const Json* decoder = root.find("decoder")) read_decoder(*decoder, file, parts);
    if (const Json* added = root.find("added_tokens")) read_added_tokens(*added, file, parts);
    return parts;
}

} // namespace speclens
