#include "engine/lab/reference.h"

#include <algorithm>

#include "engine/base/display_name.h"
#include "engine/base/json_read.h"
#include "engine/model/precision.h"
#include "engine/models/models.h"
#include "engine/rules/verify.h"
#include "engine/weights/config_fields.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr const char* kSchema = "speclens-reference/1";
constexpr const char* kRemedy = "Record it again: speclens compare --reference FILE";

} // namespace

std::vector<Reference> read_references(const std::filesystem::path& file) {
    const Json all = parse_json_object(read_text_file(file, 1'000'000), file.filename().string(), kRemedy);
    const Fields top(all, file.filename().string(), kRemedy);
    if (top.text_or("schema", "") != kSchema) top.fail("schema", std::string("is not \"") + kSchema + "\"");
    const Json* runs = top.find("runs");
    if (!runs || !runs->is_array()) top.fail("runs", "must be a list");
    std::vector<Reference> list;
    for (const Json& run : *runs) {
        if (!run.is_object()) top.fail("runs", "must be a list of objects");
        const Fields fields(run, file.filename().string() + ": runs", kRemedy);
        Reference one;
        one.model = top.text_or("model", "");
        one.machine = top.text_or("machine", "");
        one.date = top.text_or("date", "");
        const auto precision = find_precision(top.text_or("precision", name_of(Precision::f32)));
        if (!precision) top.fail("precision", "is none of f32, bf16 and int8");
        one.precision = *precision;
        one.drafter = fields.text_or("drafter", "");
        one.k = fields.integer("k", 0, 1000);
        one.temperature = fields.number("temperature", 0, 100);
        one.speed_up = fields.number("speed_up", 1e-6, 1e6);
        one.tokens_per_round = fields.number("tokens_per_round", 1, 1e6);
        one.plain_ms = fields.number("plain_ms", 1e-9, 1e9);
        one.round_ms = fields.number("round_ms", 1e-9, 1e9);
        one.prompts = fields.integer("prompts", 1, 1 << 20);
        list.push_back(std::move(one));
    }
    return list;
}

std::string references_json(const std::vector<Reference>& references) {
    OrderedJson runs = OrderedJson::array();
    for (const Reference& r : references)
        runs.push_back({{"drafter", r.drafter},
                        {"k", r.k},
                        {"temperature", r.temperature},
                        {"speed_up", r.speed_up},
                        {"tokens_per_round", r.tokens_per_round},
                        {"plain_ms", r.plain_ms},
                        {"round_ms", r.round_ms},
                        {"prompts", r.prompts}});
    const Reference first = references.empty() ? Reference{} : references.front();
    OrderedJson all = {{"schema", kSchema}, {"model", first.model}, {"machine", first.machine}, {"date", first.date}};
    if (first.precision != Precision::f32) all["precision"] = name_of(first.precision);
    all["runs"] = std::move(runs);
    return all.dump(1) + "\n";
}

namespace {

const Reference* like(const Header& header) {
    static const std::vector<Reference> shipped = [] {
        std::vector<Reference> all;
        std::error_code ignored;
        for (const auto& entry : std::filesystem::directory_iterator(assets_folder() / "reference", ignored)) try {
                for (Reference& one : read_references(entry.path())) all.push_back(std::move(one));
            } catch (const Error&) { // nothing is told from it
            }
        return all;
    }();
    const auto found = std::ranges::find_if(shipped, [&](const Reference& one) {
        return called_alike(one.model, header.model) && one.precision == header.precision && one.drafter == header.drafter &&
               one.k == header.k && (one.temperature == 0) == (header.sampling.temperature == 0);
    });
    return found == shipped.end() ? nullptr : &*found;
}

} // namespace

const Reference* reference_of(const Header& header) {
    const RuleInfo* const rule = find_rule(header.rule);
    const bool as_recorded = !header.own_draft && header.options == DrafterOptions{} && header.draft_sampling == header.sampling &&
                             !(rule && rule->is_cascade());
    return as_recorded ? like(header) : nullptr;
}

double recorded_plain_ms(const Header& header) {
    const Reference* const recorded = like(header);
    return recorded && recorded->machine == header.machine ? recorded->plain_ms : 0;
}

} // namespace speclens
