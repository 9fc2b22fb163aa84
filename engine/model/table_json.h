// Tables of exact conditional distributions from JSON: our own files and the cases of an oracle file. Rows are checked
// (width, no negative numbers, sum 1 within 1e-6) and renormalised.
//   {"schema":"speclens-table/1","vocab":V,"texts":[…],"stops":[…],"target":{CONTEXT:[…]},"draft":{CONTEXT:[…]}}
// CONTEXT is "" or ids joined by commas; texts, stops and draft may be missing.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/decoder.h"

namespace speclens {

struct TablePair {
    std::shared_ptr<const TableModel> target;
    std::shared_ptr<const TableModel> draft; // null when the file has none
};
// Both throw Error naming the file, the table and the context.
[[nodiscard]] TablePair load_table(const std::filesystem::path& file);
[[nodiscard]] TablePair parse_table(std::string_view json, const std::string& name);
// The built-in pair: three tokens whose distributions depend on the token before; the draft is off in different ways in every row.
[[nodiscard]] TablePair toy_tables();

// One case of {"schema":"specdec-oracles/1","cases":[…]}: "p" is the target, "q" the draft.
struct OracleCase {
    std::string id;
    std::string rule;
    int vocab = 0;
    int block = 0;                                  // draft tokens of a round; depth of a tree
    std::map<std::string, double> params;           // "k", "alpha", "temperature", …; those that are numbers
    std::map<std::string, std::string> text_params; // "verifier", …; those that are text
    TablePair distributions;                        // p and q: what the rule gets
    TablePair raw_distributions; // p_raw and q_raw where the case has them: the distributions before temperature; else null
    std::string json;            // the whole case, for fields that only a test or a command needs ("expect")
};
[[nodiscard]] std::vector<OracleCase> load_oracle_cases(const std::filesystem::path& file);
[[nodiscard]] std::vector<OracleCase> parse_oracle_cases(std::string_view json, const std::string& name);

} // namespace speclens
