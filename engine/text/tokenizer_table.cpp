#include "engine/text/tokenizer.h"
#include "engine/text/vocabulary_table.h"
#include "kernels/error.h"

namespace speclens {

std::shared_ptr<const Tokenizer> Tokenizer::of_table(const VocabularyTable& table, const std::string& file) {
    throw Error(file + ": its tokenizer (" + table.model + ") is not supported", "Give a folder with tokenizer.json.");
}

} // namespace speclens
