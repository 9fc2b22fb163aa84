#include "app/views/lecture.h"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <sstream>

#include <toml++/toml.h>

#include "engine/base/lists.h"
#include "engine/models/models.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr std::string_view kEnding = ".lec.toml";
constexpr std::uintmax_t kMostBytes = std::uintmax_t{8} << 20;
constexpr double kMostMinutes = 24 * 60;

struct Reader {
    std::string name;
    std::filesystem::path folder; // of what it names; of a translation that of the original

    [[noreturn]] void broken(const std::string& what, const toml::node* where = nullptr) const {
        const auto line = where ? where->source().begin.line : 0;
        throw Error(name + (line > 0 ? " line " + std::to_string(line) : "") + ": " + what,
                    "A lecture has a title and one [[step]] or more, each with title, link, and if you like "
                    "minutes, notes, page_notes, round, find, found_notes and recorded; see docs/lectures.md.");
    }
    void only(const toml::table& table, std::initializer_list<std::string_view> known) const {
        for (const auto& [key, node] : table)
            if (std::ranges::find(known, key.str()) == known.end()) broken("'" + std::string(key.str()) + "' means nothing here", &node);
    }
    [[nodiscard]] std::string text(const toml::table& table, std::string_view key, bool needed) const {
        const toml::node* node = table.get(key);
        if (!node) {
            if (needed) broken("no " + std::string(key), &table);
            return "";
        }
        const auto value = node->value_exact<std::string>();
        if (!value) broken(std::string(key) + " is not a text", node);
        if (needed && value->empty()) broken(std::string(key) + " is empty", node);
        return *value;
    }
    [[nodiscard]] Lecture::Step step(const toml::table& table) const {
        only(table, {"title", "link", "minutes", "notes", "page_notes", "round", "find", "found_notes", "recorded"});
        Lecture::Step step;
        step.title = text(table, "title", true);
        step.notes = text(table, "notes", false);
        step.page_notes = text(table, "page_notes", false);
        if (const toml::node* node = table.get("minutes")) {
            const auto value = node->is_number() ? node->value<double>() : std::nullopt;
            if (!value || !(*value >= 0) || *value > kMostMinutes) broken("minutes is no number of minutes", node);
            step.minutes = *value;
        }
        const std::string link = text(table, "link", true);
        try {
            step.link = parse_link(link);
        } catch (const Error& error) {
            broken(error.what(), table.get("link"));
        }
        if (const toml::node* node = table.get("round")) {
            const auto value = node->value_exact<bool>();
            if (!value) broken("round is neither true nor false", node);
            step.round = *value;
            if (step.round && step.link.at == 0) broken("round is of a step that leads to a place in a run: speclens://loop?at=13", node);
        }
        elsewhere(table, step);
        return step;
    }
    // What of it is for models that it was not written on.
    void elsewhere(const toml::table& table, Lecture::Step& step) const {
        if (const std::string word = text(table, "find", false); !word.empty()) {
            const auto found = shows_called(word);
            std::string known;
            for (const std::string_view one : shows_words()) known += (known.empty() ? "" : ", ") + std::string(one);
            if (!found) broken("find is '" + word + "', and a run can show: " + known, table.get("find"));
            step.find = *found;
        }
        step.found_notes = text(table, "found_notes", false);
        if (!step.found_notes.empty() && step.find == Shows::nothing) broken("found_notes belong to a find", table.get("found_notes"));
        const std::string recorded = text(table, "recorded", false);
        if (recorded.empty()) return;
        if (std::filesystem::path(recorded).filename() != recorded)
            broken("recorded names a file, which lies in the folder 'recorded' beside the lecture", table.get("recorded"));
        step.recorded = folder / "recorded" / recorded;
        std::error_code missing;
        if (!std::filesystem::is_regular_file(step.recorded, missing)) broken("there is no recorded/" + recorded, table.get("recorded"));
    }
};

} // namespace

double Lecture::minutes() const { return sum_over<double>(steps, &Step::minutes); }

bool is_lecture_file(const std::filesystem::path& file) { return file.string().ends_with(kEnding); }

Lecture load_lecture(const std::filesystem::path& file) {
    std::error_code missing;
    const std::filesystem::path here = file.parent_path(), original = here.parent_path(); // of a translation
    const bool own =
        std::filesystem::is_directory(here / "recorded", missing) || !std::filesystem::is_directory(original / "recorded", missing);
    const Reader reader{file.string(), own ? here : original};
    std::error_code failure;
    const std::uintmax_t size = std::filesystem::file_size(file, failure);
    std::ifstream in(file, std::ios::binary);
    if (failure || !in) throw Error(file.string() + ": cannot be opened", "See: speclens list lectures.");
    if (size > kMostBytes) reader.broken("more than 8 MB");
    std::stringstream content;
    content << in.rdbuf();
    toml::table table;
    try {
        table = toml::parse(content.str(), file.string());
    } catch (const toml::parse_error& error) {
        throw Error(file.string() + " line " + std::to_string(error.source().begin.line) + ": " + std::string(error.description()),
                    "The file is TOML: texts stand in quotes, steps begin with [[step]].");
    }
    reader.only(table, {"title", "about", "page_about", "step"});
    Lecture lecture;
    lecture.title = reader.text(table, "title", true);
    lecture.about = reader.text(table, "about", false);
    lecture.page_about = reader.text(table, "page_about", false);
    const toml::array* steps = table["step"].as_array();
    if (!steps || steps->empty()) reader.broken("no [[step]]");
    for (const toml::node& node : *steps) {
        const toml::table* step = node.as_table();
        if (!step) reader.broken("a step is no table", &node);
        lecture.steps.push_back(reader.step(*step));
    }
    return lecture;
}

std::filesystem::path lecture_in(const std::string& language, const std::filesystem::path& file) {
    const std::filesystem::path own = file.parent_path() / language / file.filename();
    std::error_code ignored;
    const bool shipped = std::filesystem::equivalent(file.parent_path(), assets_folder() / "lectures", ignored);
    return shipped && std::filesystem::is_regular_file(own, ignored) ? own : file;
}

std::vector<std::filesystem::path> shipped_lectures() {
    std::vector<std::filesystem::path> files;
    std::error_code failure;
    for (const auto& entry : std::filesystem::directory_iterator(assets_folder() / "lectures", failure))
        if (is_lecture_file(entry.path())) files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

} // namespace speclens
