// libFuzzer target: any text as tokenizer.json, and any bytes as the lists of a GGUF vocabulary, are read or
// refused with Error, and what was read can encode. How to build and run it: tests/fuzz.cmake.

#include <algorithm>

#include "engine/text/tokenizer_parts.h"
#include "engine/text/vocabulary_table.h"
#include "kernels/error.h"

namespace {

void use(const speclens::TokenizerParts& parts, std::string_view text) {
    const auto tokenizer = speclens::make_tokenizer(parts);
    const auto ids = tokenizer->encode(text.substr(0, 200));
    static_cast<void>(tokenizer->decode(ids, true));
}

// Four letters of switches and ids, then lines: pre-type, tokens with their type and score in front, merges.
speclens::VocabularyTable table_of(std::string_view text) {
    speclens::VocabularyTable table;
    const auto letter = [&] {
        const int value = text.empty() ? 0 : static_cast<unsigned char>(text.front());
        text.remove_prefix(text.empty() ? 0 : 1);
        return value;
    };
    const auto line = [&] {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string result(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        return result;
    };
    const int switches = letter();
    table.model = switches & 1 ? "llama" : "gpt2";
    if (switches & 2) table.add_bos = (switches & 4) != 0;
    if (switches & 8) table.add_space_prefix = (switches & 16) != 0;
    table.bos = letter() - 2;
    table.unknown = letter() - 2;
    const int merges = letter();
    table.pre = line();
    while (!text.empty() && (merges == 0 || table.tokens.size() < static_cast<std::size_t>(merges))) {
        table.types.push_back(letter() - '0');
        float score = static_cast<float>(letter());
        if (score == 255) score /= 0.0f;
        table.scores.push_back(score);
        table.tokens.push_back(line());
    }
    while (!text.empty()) table.merges.push_back(line());
    return table;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const bool json = text.starts_with('{');
    try {
        use(json ? speclens::parse_tokenizer_json(text, "fuzz.json") : speclens::parse_vocabulary_table(table_of(text), "fuzz.gguf"), text);
    } catch (const speclens::Error&) {
    }
    return 0;
}
