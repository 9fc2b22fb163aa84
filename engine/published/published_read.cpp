#include "engine/published/published_read.h"

#include <algorithm>
#include <cmath>

#include "engine/base/json_read.h"

namespace speclens {

const char* const kPublishedRemedy = "Compare the entry with assets/published/README.md, which describes the fields.";

namespace {

constexpr std::size_t kLargestPublished = 16'000'000;

// clang-format off
constexpr const char* kFields[] = {
    "id",     "claim",       "method", "variant", "quantity", "form",   "value",
    "unit",   "at",          "model",  "dataset", "hardware", "engine", "batch",
    "budget", "temperature", "source", "place",   "date",     "status", "conflicts_with",
    "rates_divided", "untraced", "acceptance"};
// clang-format on
constexpr const char* kOptional[] = {"variant", "at", "conflicts_with", "rates_divided", "untraced", "acceptance"};

constexpr PublishedQuantity kQuantities[] = {
    {"speedup", "x"},               // over plain decoding of the same target
    {"relative_speed", "x"},        // over another method, named in the claim
    {"relative_gain", "%"},         // more speed than another method
    {"tokens_per_round", "tokens"}, // the target's own token included
    {"tokens_gain", "%"},           // more tokens per round than another method
    {"tokens_added", "tokens"},
    {"accepted_drafts", "tokens"}, // of a round, the target's own token not counted
    {"acceptance_rate", "fraction"},
    {"acceptance_by_position", "fraction"},
    {"conditional_by_position", "fraction"},
    {"draft_ms", "ms"},       // of a round
    {"draft_token_ms", "ms"}, // of one draft token
    {"head_ms", "ms"},        // of a round, where it is not part of draft_ms
    {"verify_ms", "ms"},
    {"target_ms", "ms"}, // one plain step
    {"token_ms", "ms"},
    {"network_ms", "ms"},
    {"round_cost", "steps"}, // plain steps of the target
    {"overhead", "%"},       // of a round
    {"tokens_per_second", "tokens/s"},
    {"best_k", "tokens"},
    {"passes", "passes"},
    {"wasted", "tokens"},
    {"identical_outputs", "prompts"},
    {"parameters", "parameters"},
    {"share", "%"},
    {"memory", "GB"},
    {"cache", "slots|blocks"},
    {"transfer", "B|KB"},
    {"cost", "USD per million tokens"},
    {"cost_per_hour", "USD per hour"},
    {"setting", ""},
};

struct Word {
    const char* word;
    int value;
};
constexpr Word kForms[] = {{"exact", static_cast<int>(Form::exact)}, {"about", static_cast<int>(Form::about)},
                           {"up to", static_cast<int>(Form::up_to)}, {"below", static_cast<int>(Form::below)},
                           {"over", static_cast<int>(Form::over)},   {"range", static_cast<int>(Form::range)},
                           {"list", static_cast<int>(Form::list)}};
constexpr Word kStandings[] = {{"as published", static_cast<int>(Standing::as_published)},
                               {"second-hand", static_cast<int>(Standing::second_hand)},
                               {"derived", static_cast<int>(Standing::derived)},
                               {"wrong in the source", static_cast<int>(Standing::wrong)}};

template <std::size_t N>
bool contains(const char* const (&list)[N], const std::string& word) {
    return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

// The fields of one entry; every reader below fails with file, entry and field.
class Entry {
  public:
    Entry(std::string file, std::string name, const Json& common, const Json& own)
        : file_(std::move(file)), name_(std::move(name)), common_(common), own_(own) {}

    [[noreturn]] void fail(const std::string& field, const std::string& what) const {
        throw Error(file_ + ": " + name_ + ": " + field + " " + what, kPublishedRemedy);
    }
    const Json* find(const char* field) const {
        if (const auto own = own_.find(field); own != own_.end()) return &*own;
        if (const auto common = common_.find(field); common != common_.end()) return &*common;
        return nullptr;
    }
    const Json& get(const char* field) const {
        const Json* value = find(field);
        if (!value) fail(field, "is missing");
        return *value;
    }
    std::string text(const char* field) const {
        const Json& value = get(field);
        if (!value.is_string() || value.text().empty()) fail(field, "is " + shown(value) + ", expected text");
        return value.get<std::string>();
    }
    std::optional<std::string> text_or_null(const char* field) const {
        if (get(field).is_null()) return std::nullopt;
        return text(field);
    }
    std::optional<int> count_or_null(const char* field) const {
        const Json& value = get(field);
        if (value.is_null()) return std::nullopt;
        if (!value.is_number_integer() || value < 1 || value > 1'000'000)
            fail(field, "is " + shown(value) + ", expected an integer from 1 to 1000000 or null");
        return value.get<int>();
    }
    double number(const char* field, const Json& value) const {
        const double found = value.is_number() ? value.get<double>() : std::nan("");
        if (!(std::isfinite(found) && found >= 0)) fail(field, "has " + shown(value) + ", expected a number from 0");
        return found;
    }
    std::string id_word(const char* field) const {
        const std::string word = text(field);
        for (const char c : word)
            if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_'))
                fail(field, "is " + shown(get(field)) + ", expected lower-case letters, digits, - and _");
        return word;
    }

  private:
    std::string file_, name_;
    const Json& common_;
    const Json& own_;
};

template <std::size_t N>
int read_word(const Entry& entry, const char* field, const std::string& text, const Word (&words)[N]) {
    std::string known;
    for (const Word& word : words) {
        if (text == word.word) return word.value;
        known += (known.empty() ? "" : ", ") + std::string(word.word);
    }
    entry.fail(field, "is \"" + text.substr(0, 40) + "\", expected one of: " + known);
}

bool one_of(std::string_view list, std::string_view word) {
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find('|', begin), list.size());
        if (list.substr(begin, end - begin) == word) return true;
        begin = end + 1;
    }
    return false;
}

bool is_date(const std::string& text) { // YYYY, YYYY-MM or YYYY-MM-DD
    static constexpr std::string_view kShape = "dddd-dd-dd";
    if (text.size() != 4 && text.size() != 7 && text.size() != 10) return false;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (kShape[i] == '-' ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
    const auto part = [&](std::size_t at) { return text.size() > at ? 10 * (text[at] - '0') + (text[at + 1] - '0') : 1; };
    return part(5) >= 1 && part(5) <= 12 && part(8) >= 1 && part(8) <= 31;
}

void read_quantity(const Entry& entry, PublishedFigure& figure) {
    figure.quantity = entry.text("quantity");
    figure.unit = entry.text("unit");
    const auto found =
        std::find_if(std::begin(kQuantities), std::end(kQuantities), [&](const PublishedQuantity& q) { return figure.quantity == q.name; });
    if (found == std::end(kQuantities))
        entry.fail("quantity", "is \"" + figure.quantity + "\", which engine/published/published_read.cpp does not list");
    if (found->units[0] && !one_of(found->units, figure.unit))
        entry.fail("unit", "is \"" + figure.unit + "\", expected " + found->units + " for " + figure.quantity);
}

void read_values(const Entry& entry, PublishedFigure& figure) {
    figure.form = static_cast<Form>(read_word(entry, "form", entry.text("form"), kForms));
    const Json& value = entry.get("value");
    const bool several = figure.form == Form::range || figure.form == Form::list;
    if (several != value.is_array())
        entry.fail("value", "is " + shown(value) + ", expected " + (several ? "a list of numbers" : "a number"));
    if (several)
        for (const Json& one : value) figure.values.push_back(entry.number("value", one));
    else
        figure.values.push_back(entry.number("value", value));
    if (figure.form == Form::range && (figure.values.size() != 2 || figure.values[0] >= figure.values[1]))
        entry.fail("value", "is no range, expected two numbers, the smaller first");
    if (figure.unit == "fraction")
        for (const double one : figure.values)
            if (one > 1) entry.fail("value", "has a fraction above 1");
    const Json* at = entry.find("at");
    if ((at != nullptr) != (figure.form == Form::list))
        entry.fail("at", at ? "has a meaning for lists only" : "is missing; a list says what its values belong to");
    if (!at) return;
    if (!at->is_object() || at->size() != 2 || !at->contains("name") || !at->contains("values") || !(*at)["name"].is_string() ||
        !(*at)["values"].is_array())
        entry.fail("at", "is not {\"name\": text, \"values\": [numbers or texts]}");
    figure.at = (*at)["name"].get<std::string>();
    for (const Json& label : (*at)["values"]) {
        if (!label.is_number() && !label.is_string()) entry.fail("at", "has " + shown(label) + ", expected numbers or texts");
        figure.labels.push_back(label.is_string() ? label.get<std::string>() : label.dump());
        if (label.is_number()) figure.positions.push_back(label.get<double>());
    }
    if (!figure.positions.empty() && figure.positions.size() != figure.labels.size()) entry.fail("at", "mixes numbers and texts");
    if (figure.labels.size() != figure.values.size() || figure.values.empty())
        entry.fail("at",
                   "has " + std::to_string(figure.labels.size()) + " values for " + std::to_string(figure.values.size()) + " of the list");
}

void read_status(const Entry& entry, PublishedFigure& figure) {
    const std::string status = entry.text("status");
    const std::size_t colon = status.find(": ");
    figure.standing = static_cast<Standing>(read_word(entry, "status", status.substr(0, colon), kStandings));
    if (colon != std::string::npos) figure.reason = status.substr(colon + 2);
    const auto flag = [&](const char* field, Standing of) {
        const Json* value = entry.find(field);
        if (value && (*value != true || figure.standing != of)) entry.fail(field, "is true, of another status, or is left out");
        return value != nullptr;
    };
    figure.rates_divided = flag("rates_divided", Standing::derived);
    figure.untraced = flag("untraced", Standing::second_hand);
    if ((figure.standing == Standing::as_published) != figure.reason.empty())
        entry.fail("status", figure.reason.empty() ? "\"" + status + "\" needs a reason after a colon"
                                                   : "needs no reason where the figure is as published");
}

void read_conflicts(const Entry& entry, PublishedFigure& figure) {
    const Json* conflicts = entry.find("conflicts_with");
    if (!conflicts) return;
    if (!conflicts->is_array()) entry.fail("conflicts_with", "is " + shown(*conflicts) + ", expected a list");
    for (const Json& conflict : *conflicts) {
        if (!conflict.is_object() || conflict.size() != 2 || !conflict.contains("id") || !conflict.contains("why") ||
            !conflict["id"].is_string() || !conflict["why"].is_string() || conflict["why"].text().empty())
            entry.fail("conflicts_with", "has an item that is not {\"id\": id, \"why\": sentence}");
        figure.conflicts.push_back({conflict["id"].get<std::string>(), conflict["why"].get<std::string>()});
    }
}

PublishedFigure read_figure(const std::string& file, const std::string& number, const Json& common, const Json& own) {
    const auto id = own.find("id");
    const std::string name = id != own.end() && id->is_string() ? id->get<std::string>() : number;
    const Entry entry(file, name, common, own);
    for (const Json* part : {&common, &own})
        for (const auto& [field, value] : part->items())
            if (!contains(kFields, field)) entry.fail("\"" + field.substr(0, 40) + "\"", "is not a field");
    for (const auto& [field, value] : own.items())
        if (common.contains(field)) entry.fail(field, "is given twice, in the entry and in common");
    for (const char* field : kFields)
        if (!contains(kOptional, field)) static_cast<void>(entry.get(field));

    PublishedFigure figure;
    figure.file = file;
    figure.id = entry.id_word("id");
    figure.claim = entry.text("claim");
    figure.method = entry.id_word("method");
    if (entry.find("variant")) figure.variant = entry.text("variant");
    read_quantity(entry, figure);
    read_values(entry, figure);
    figure.model = entry.text_or_null("model");
    figure.dataset = entry.text_or_null("dataset");
    figure.hardware = entry.text_or_null("hardware");
    figure.engine = entry.text_or_null("engine");
    figure.batch = entry.count_or_null("batch");
    figure.budget = entry.count_or_null("budget");
    if (const Json& t = entry.get("temperature"); !t.is_null()) figure.temperature = entry.number("temperature", t);
    if (const Json* rate = entry.find("acceptance")) figure.acceptance = entry.number("acceptance", *rate);
    figure.source = entry.text("source");
    figure.place = entry.text_or_null("place");
    figure.date = entry.text_or_null("date");
    if (figure.date && !is_date(*figure.date)) entry.fail("date", "is \"" + *figure.date + "\", expected YYYY, YYYY-MM or YYYY-MM-DD");
    read_status(entry, figure);
    read_conflicts(entry, figure);
    return figure;
}

Json read_json(const std::filesystem::path& file, const std::string& schema, const std::vector<std::string>& members) {
    const std::string name = short_name(file);
    Json json = parse_json_object(read_text_file(file, kLargestPublished), name, kPublishedRemedy);
    for (const std::string& member : members)
        if (!json.contains(member)) throw Error(name + ": has no \"" + member + "\"", kPublishedRemedy);
    for (const auto& [member, value] : json.items())
        if (std::find(members.begin(), members.end(), member) == members.end())
            throw Error(name + ": \"" + member.substr(0, 40) + "\" is not a field of the file", kPublishedRemedy);
    if (json["schema"] != schema)
        throw Error(name + ": the schema is " + shown(json["schema"]) + ", expected \"" + schema + "\"", kPublishedRemedy);
    return json;
}

} // namespace

const char* form_word(Form form) {
    for (const Word& word : kForms)
        if (word.value == static_cast<int>(form)) return word.word;
    return "";
}

std::vector<PublishedFigure> read_published_figures(const std::filesystem::path& file) {
    const std::string name = short_name(file);
    const Json json = read_json(file, "speclens-published/1", {"schema", "about", "groups"});
    if (!json["about"].is_string()) throw Error(name + ": about is not text", kPublishedRemedy);
    if (!json["groups"].is_array()) throw Error(name + ": groups is not a list", kPublishedRemedy);
    std::vector<PublishedFigure> figures;
    int group_number = 0;
    for (const Json& group : json["groups"]) {
        const std::string here = "group " + std::to_string(++group_number);
        if (!group.is_object() || group.size() != 2 || !group.contains("common") || !group.contains("entries") ||
            !group["common"].is_object() || !group["entries"].is_array())
            throw Error(name + ": " + here + " is not {\"common\": {…}, \"entries\": […]}", kPublishedRemedy);
        int number = 0;
        for (const Json& entry : group["entries"]) {
            const std::string there = "entry " + std::to_string(++number) + " of " + here;
            if (!entry.is_object()) throw Error(name + ": " + there + " is not an object", kPublishedRemedy);
            figures.push_back(read_figure(name, there, group["common"], entry));
        }
    }
    return figures;
}

std::vector<PublishedSource> read_published_sources(const std::filesystem::path& file) {
    const std::string name = short_name(file);
    const Json json = read_json(file, "speclens-published-sources/1", {"schema", "sources"});
    if (!json["sources"].is_array()) throw Error(name + ": sources is not a list", kPublishedRemedy);
    static const Json kNothing = Json::object();
    std::vector<PublishedSource> sources;
    for (const Json& row : json["sources"]) {
        const std::string number = "source " + std::to_string(sources.size() + 1);
        if (!row.is_object()) throw Error(name + ": " + number + " is not an object", kPublishedRemedy);
        const auto id = row.find("id");
        const Entry entry(name, id != row.end() && id->is_string() ? id->get<std::string>() : number, kNothing, row);
        for (const auto& [field, value] : row.items())
            if (!one_of("id|title|by|identifier", field)) entry.fail("\"" + field.substr(0, 40) + "\"", "is not a field of a source");
        sources.push_back({entry.id_word("id"), entry.text("title"), entry.text("by"), entry.text("identifier")});
    }
    return sources;
}

std::span<const PublishedQuantity> published_quantities() { return kQuantities; }

} // namespace speclens
