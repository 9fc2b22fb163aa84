#include "app/cli/bench_against.h"

#include <algorithm>

#include "app/cli/terminal.h"
#include "engine/lab/timing.h"
#include "kernels/error.h"

namespace speclens::cli {

namespace {


std::string text_of(const nlohmann::json& object, const char* field) {
    const auto found = object.find(field);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

double number_of(const nlohmann::json& object, const char* field) {
    const auto found = object.find(field);
    return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

// What was timed in a result, by the name of its row.
struct Timed {
    std::string name;
    Timing time;
};

Timing timing_in(const nlohmann::json& object) {
    return {number_of(object, "ms"), number_of(object, "median_ms"), static_cast<int>(number_of(object, "repeats"))};
}

std::vector<Timed> timed_in(const nlohmann::json& result) {
    std::vector<Timed> rows;
    const auto passes = result.find("passes");
    if (passes != result.end() && passes->is_array())
        for (const nlohmann::json& pass : *passes) {
            if (!pass.is_object()) continue;
            const auto tokens = static_cast<int>(number_of(pass, "tokens"));
            rows.push_back({std::to_string(tokens) + (tokens == 1 ? " token" : " tokens") + " behind " +
                                std::to_string(static_cast<int>(number_of(pass, "context"))),
                            timing_in(pass)});
        }
    const auto prefill = result.find("prefill");
    if (prefill != result.end() && prefill->is_object())
        rows.push_back({"prefill of " + std::to_string(static_cast<int>(number_of(*prefill, "tokens"))), timing_in(*prefill)});
    std::erase_if(rows, [](const Timed& row) { return !(row.time.ms > 0) || row.time.median < row.time.ms; });
    return rows;
}

// What differs although the two can be compared.
std::string notes(const nlohmann::json& now, const nlohmann::json& then) {
    std::string text;
    for (const auto& [field, words] : {std::pair{"machine", "of another machine"}, std::pair{"isa", "of another instruction set"}})
        if (text_of(now, field) != text_of(then, field))
            text += "  THEN IS " + std::string(words) + ": " + text_of(then, field) + ", now " + text_of(now, field) + "\n";
    if (number_of(now, "threads") != number_of(then, "threads"))
        text += "  then with " + number(number_of(then, "threads"), 0) + " threads, now with " +
                number(number_of(now, "threads"), 0) + "\n";
    for (const auto& [result, words] : {std::pair{&now, "now"}, std::pair{&then, "then"}})
        if (const std::string why = text_of(*result, "in_doubt"); !why.empty())
            text += std::string("  ") + words + " is in doubt: " + why + "\n";
    return text;
}

} // namespace

void check_comparable(const nlohmann::json& now, const nlohmann::json& then, const std::string& name) {
    if (!then.is_object() || text_of(then, "schema") != "speclens-bench/1")
        throw Error(name + " is no result of bench", "Make one with: speclens bench --json FILE.json.", Exit::usage);
    if (timed_in(then).empty())
        throw Error(name + " has no times with their spread: an earlier version made it",
                    "Measure it anew: speclens bench --json FILE.json.", Exit::usage);
    const std::pair<const char*, const char*> same[] = {{"model", "model"},
                                                        {"weights", "kind of weights"},
                                                        {"backend", "kind of device"},
                                                        {"precision", "precision"}};
    for (const auto& [field, words] : same)
        if (text_of(now, field) != text_of(then, field))
            throw Error(name + " is of another " + words + ": " + text_of(then, field) + ", not " + text_of(now, field),
                        "Compare results of one model in one form on one kind of device: give bench the same --model, "
                        "--geometry, --weights, --precision and --backend as then.",
                        Exit::usage);
}

std::string against_table(const nlohmann::json& now, const nlohmann::json& then, const std::string& name) {
    check_comparable(now, then, name);
    std::string text = "Against " + name + " of " + text_of(then, "date") + ", ms\n" + notes(now, then) + "\n  " +
                       pad("", 24) + pad_left("now", 11) + pad_left("then", 11) + pad_left("now/then", 10) + "\n";
    const std::vector<Timed> before = timed_in(then);
    int shared = 0;
    for (const Timed& row : timed_in(now)) {
        const auto old = std::ranges::find(before, row.name, &Timed::name);
        if (old == before.end()) continue;
        ++shared;
        text += "  " + pad(row.name, 24) + pad_left(number(row.time.ms, 3), 11) + pad_left(number(old->time.ms, 3), 11) +
                pad_left(number(row.time.ms / old->time.ms, 2), 10) +
                (told_apart(row.time, old->time) ? "" : "   cannot be told apart") + "\n";
    }
    if (shared == 0) text += "  nothing was measured in both: was --context another one?\n";
    return text;
}

} // namespace speclens::cli
