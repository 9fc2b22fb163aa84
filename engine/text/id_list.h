// Lists of token ids from frequent to rare, which say what a drafter with a cut output matrix ranks (engine/model/frequent.h):
// as a file of the program's own, packed, which names the vocabulary that it was counted for; as {"ids": […]}; as lines of text.
// docs/formats.md has all three.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/text/tokenizer.h"

namespace speclens {

// Of errors about a list that somebody gave.
inline constexpr const char* kIdListRemedy =
    "Give a file that `speclens frequent` wrote, {\"ids\": [most frequent first]}, or a line for each id: ID, or ID COUNT.";

struct IdList {
    std::string name = {};       // of its file, for messages
    std::vector<int> ids = {};   // the most frequent first; none twice
    std::string vocabulary = {}; // vocabulary_hash() of the first `hashed` ids; empty: the file names none
    int hashed = 0;
    int vocab = 0;        // ids are below; 0: the file does not say
    long long tokens = 0; // that were counted
};

// Sixteen hexadecimal digits of the bytes of every seventh of the ids 0 … count - 1. No secret: it tells vocabularies apart, not forgeries.
[[nodiscard]] std::string vocabulary_hash(const Tokenizer& tokenizer, int count);
// The ids that models of one family share: those before the special tokens, where these stand at the end, else all.
[[nodiscard]] int shared_ids(const Tokenizer& tokenizer);

// The ids in the order of `counts`, which are by id (ties: the lower id first); those without any are left out.
[[nodiscard]] IdList counted_ids(const std::map<int, long long>& counts, const Tokenizer& tokenizer);

[[nodiscard]] std::string packed(const IdList& list); // the bytes of a file; the list names a vocabulary
// Any of the three kinds, told by how it begins. `remedy`: of the errors. Throws Error for a file that is damaged or none of them, an id
// that is not below `vocab`, or one that comes twice.
[[nodiscard]] IdList read_id_list(const std::filesystem::path& file, int vocab, const std::string& remedy);
// Of the packed files in `folder` (NAME.ids) the one that was counted for this vocabulary; empty: none was. Reads of the others their
// first lines only, and takes none that is damaged.
[[nodiscard]] std::filesystem::path find_id_list(const std::filesystem::path& folder, const Tokenizer& tokenizer);
// Throws Error where the list names another vocabulary than the tokenizer's.
void check_vocabulary(const IdList& list, const Tokenizer& tokenizer);

} // namespace speclens
