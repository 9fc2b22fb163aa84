#include "engine/model/table_json.h"

#include <algorithm>
#include <cmath>

#include "engine/base/json_read.h"

namespace speclens {
namespace {

constexpr std::size_t kLargestTable = 256'000'000;
constexpr int kLargestVocab = 100'000;
constexpr double kSumTolerance = 1e-6;
const char* const kTableRemedy = "docs/formats.md shows a table, and speclens oracle --help a file of cases.";

[[noreturn]] void fail(const std::string& name, const std::string& what) { throw Error(name + ": " + what, kTableRemedy); }

const Json& member(const Json& json, const char* field, const std::string& name) {
    const auto found = json.find(field);
    if (found == json.end()) fail(name, std::string("has no \"") + field + "\"");
    return *found;
}

int read_int(const Json& value, const std::string& name, const std::string& what, int low, int high) {
    const bool whole = value.is_number_integer();
    if (!whole || value < low || value > high)
        fail(name, what + " is " + shown(value) + ", expected an integer from " + std::to_string(low) + " to " + std::to_string(high));
    return value.get<int>();
}

// "" or decimal ids below `vocab`, joined by commas, spelled the one way that lookups use.
bool is_context(std::string_view key, int vocab) {
    if (key.empty()) return true;
    for (std::size_t begin = 0; begin <= key.size();) {
        const std::size_t end = std::min(key.find(',', begin), key.size());
        const std::string_view id = key.substr(begin, end - begin);
        if (id.empty() || id.size() > 6 || (id.size() > 1 && id[0] == '0')) return false;
        int value = 0;
        for (const char c : id) {
            if (c < '0' || c > '9') return false;
            value = 10 * value + (c - '0');
        }
        if (value >= vocab) return false;
        begin = end + 1;
    }
    return true;
}

Distribution read_distribution(const Json& row, int vocab, const std::string& where) {
    if (!row.is_array() || static_cast<int>(row.size()) != vocab)
        fail(where, "expected a row of " + std::to_string(vocab) + " probabilities, found " +
                        (row.is_array() ? std::to_string(row.size()) + " entries" : shown(row)));
    Distribution distribution;
    double sum = 0;
    for (const Json& entry : row) {
        const double p = entry.is_number() ? entry.get<double>() : std::nan("");
        if (!(p >= 0 && p <= 1 + kSumTolerance)) fail(where, "has the entry " + shown(entry) + ", not a probability");
        distribution.push_back(p);
        sum += p;
    }
    if (std::abs(sum - 1) > kSumTolerance) fail(where, "sums to " + std::to_string(sum) + ", not to 1");
    for (double& p : distribution) p /= sum;
    return distribution;
}

std::shared_ptr<TableModel> read_model(const Json& json, int vocab, const std::string& name, const std::string& role) {
    const std::string table = name + ": " + role;
    if (!json.is_object() || json.empty()) fail(table, "is not a table of contexts");
    if (!json.contains("")) fail(table, "has no row for the empty context \"\"");
    auto model = std::make_shared<TableModel>();
    model->name = role;
    model->vocab = vocab;
    for (const auto& [key, row] : json.items()) {
        if (!is_context(key, vocab))
            fail(table, "has the context \"" + key.substr(0, 40) + "\"; expected ids below " + std::to_string(vocab) + " joined by commas");
        model->rows.emplace_back(key, read_distribution(row, vocab, table + " after \"" + key + "\""));
    }
    return model;
}

void read_texts(const Json& json, const std::string& name, TableModel& model) {
    if (const auto texts = json.find("texts"); texts != json.end()) {
        if (!texts->is_array() || static_cast<int>(texts->size()) != model.vocab)
            fail(name, "texts must be a list of " + std::to_string(model.vocab) + " texts");
        for (const Json& text : *texts) {
            if (!text.is_string()) fail(name, "texts has the entry " + shown(text) + ", expected text");
            model.texts.push_back(text.get<std::string>());
        }
    }
    if (const auto stops = json.find("stops"); stops != json.end()) {
        if (!stops->is_array()) fail(name, "stops must be a list of ids");
        for (const Json& stop : *stops) model.stops.push_back(read_int(stop, name, "a stop", 0, model.vocab - 1));
    }
}

TablePair read_pair(const Json& json, const char* target, const char* draft, int vocab, const std::string& name) {
    TablePair pair;
    if (json.contains(target)) pair.target = read_model(json[target], vocab, name, "target");
    if (json.contains(draft)) pair.draft = read_model(json[draft], vocab, name, "draft");
    return pair;
}

OracleCase read_case(const Json& json, const std::string& name) {
    if (!json.is_object()) fail(name, "a case is not an object");
    OracleCase result;
    const auto text = [&](const char* field) {
        const Json& value = member(json, field, name);
        if (!value.is_string()) fail(name, std::string(field) + " is " + shown(value) + ", expected text");
        return value.get<std::string>();
    };
    result.id = text("id");
    result.rule = text("rule");
    const std::string where = name + ": case " + result.id;
    result.vocab = read_int(member(json, "vocab", where), where, "vocab", 1, kLargestVocab);
    result.block = read_int(member(json, "block", where), where, "block", 1, 1000);
    if (const auto params = json.find("params"); params != json.end() && params->is_object())
        for (const auto& [key, value] : params->items()) {
            if (value.is_number()) result.params[key] = value.get<double>();
            if (value.is_string()) result.text_params[key] = value.get<std::string>();
        }
    static_cast<void>(member(json, "p", where));
    static_cast<void>(member(json, "q", where));
    result.distributions = read_pair(json, "p", "q", result.vocab, where);
    result.raw_distributions = read_pair(json, "p_raw", "q_raw", result.vocab, where);
    result.json = json.dump(-1, BadUtf8::replaced);
    return result;
}

} // namespace

TablePair toy_tables() {
    return parse_table(R"({"schema":"speclens-table/1","vocab":3,"texts":["a","b","c"],
"target":{"":[0.5,0.3,0.2],"0":[0.1,0.6,0.3],"1":[0.7,0.1,0.2],"2":[0.25,0.25,0.5]},
"draft":{"":[0.3,0.5,0.2],"0":[0.4,0.4,0.2],"1":[0.2,0.1,0.7],"2":[0.25,0.25,0.5]}})",
                       "built-in table");
}

TablePair parse_table(std::string_view text, const std::string& name) {
    const Json json = parse_json_object(text, name, kTableRemedy, EqualKeys::refused);
    const auto schema = json.find("schema");
    if (schema == json.end() || *schema != "speclens-table/1")
        fail(name, "the schema is " + (schema == json.end() ? "missing" : shown(*schema)) + ", expected \"speclens-table/1\"");
    const int vocab = read_int(member(json, "vocab", name), name, "vocab", 1, kLargestVocab);
    const auto target = read_model(member(json, "target", name), vocab, name, "target");
    read_texts(json, name, *target);
    TablePair pair{target, nullptr};
    if (json.contains("draft")) {
        const auto draft = read_model(json["draft"], vocab, name, "draft");
        draft->texts = target->texts;
        draft->stops = target->stops;
        pair.draft = draft;
    }
    return pair;
}

TablePair load_table(const std::filesystem::path& file) { return parse_table(read_text_file(file, kLargestTable), short_name(file)); }

std::vector<OracleCase> parse_oracle_cases(std::string_view text, const std::string& name) {
    const Json json = parse_json_object(text, name, kTableRemedy, EqualKeys::refused);
    const Json& cases = member(json, "cases", name);
    if (!cases.is_array()) fail(name, "cases is not a list");
    std::vector<OracleCase> result;
    for (const Json& entry : cases) result.push_back(read_case(entry, name));
    return result;
}

std::vector<OracleCase> load_oracle_cases(const std::filesystem::path& file) {
    return parse_oracle_cases(read_text_file(file, kLargestTable), short_name(file));
}

} // namespace speclens
