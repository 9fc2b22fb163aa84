#include "engine/published/long_answers.h"

#include <algorithm>

#include "engine/published/experiment_reader.h"

namespace speclens {
namespace {

constexpr ExperimentReader kLongReader{
    "Write it again with assets/recipe/smollm2/long_answers.py; engine/published/long_answers.h says what it holds."};

} // namespace

LongAnswers parse_long_answers(std::string_view json, const std::string& name) {
    const ExperimentReader& r = kLongReader;
    const auto file = OrderedJson::parse_or_discard(json);
    if (!file.is_object()) r.fail(name, "not a JSON object");
    LongAnswers answers;
    answers.drafter = r.text_or(file, "drafter");
    answers.weights = r.text_or(file, "weights");
    answers.target = r.text_or(file, "target");
    answers.machine = r.text_or(file, "machine");
    answers.date = r.text_or(file, "date");
    answers.k = r.whole_of(file, "k", name);
    if (answers.drafter.empty()) r.fail(name, "does not say which drafter it is of");
    answers.temperature = r.number(file, "temperature", 0, 100, name);
    answers.answers = r.whole_of(file, "seeds", name) * static_cast<int>(r.list_of(file, "prompts", name).size());
    const std::string where = name + ": stretches";
    for (const auto& object : r.list_of(file, "stretches", name)) {
        Stretch one{.from = r.whole_of(object, "from", where),
                    .to = r.whole_of(object, "to", where),
                    .tokens = r.number(object, "tokens_per_round", 1, 1000, where)};
        if (object.contains("rounds")) one.rounds = r.whole_of(object, "rounds", where);
        if (object.contains("draft_ms")) one.draft_ms = r.number(object, "draft_ms", 0, 1e6, where);
        if (object.contains("verify_ms")) one.verify_ms = r.number(object, "verify_ms", 0, 1e6, where);
        if (object.contains("low")) {
            one.low = r.number(object, "low", 1, one.tokens, where);
            one.high = r.number(object, "high", one.tokens, 1000, where);
        }
        const int window = r.whole_of(object, "window", where);
        auto series = std::ranges::find(answers.series, window, &LongAnswers::Series::window);
        if (series == answers.series.end()) series = answers.series.insert(series, {window, {}});
        if (one.to <= one.from || (!series->stretches.empty() && series->stretches.back().to > one.from)) r.fail(where, "do not ascend");
        series->stretches.push_back(one);
    }
    const auto seen = [](const LongAnswers::Series& series) { return series.window == 0 ? 1'000'000'000 : series.window; };
    std::ranges::stable_sort(answers.series, std::ranges::greater(), seen);
    return answers;
}

LongAnswers load_long_answers(const std::filesystem::path& file) {
    return parse_long_answers(read_text_file(file, 1'000'000), short_name(file));
}

} // namespace speclens
