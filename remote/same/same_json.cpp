#include "engine/base/json.h"
#include "remote/same/same_result.h"

namespace speclens {
namespace {

OrderedJson or_null(const std::optional<double>& value) { return value ? OrderedJson(*value) : OrderedJson(nullptr); }

OrderedJson arm_json(const MeasuredArm& arm, const std::string& name) {
    const auto drafts = drafts_of(arm);
    OrderedJson json = {{"name", name},
                        {"asked", arm.asked ? OrderedJson(*arm.asked) : OrderedJson(nullptr)},
                        {"drafted", drafts ? OrderedJson(drafts->drafted) : OrderedJson(nullptr)},
                        {"accepted", drafts ? OrderedJson(drafts->accepted) : OrderedJson(nullptr)},
                        {"drafted_per_round", drafts ? or_null(drafts->per_round) : OrderedJson(nullptr)}};
    return json;
}

OrderedJson pair_json(const ArmPair& pair) {
    OrderedJson kinds = OrderedJson::object(), margins = OrderedJson::array();
    for (std::size_t kind = 0; kind < pair.kinds.size(); ++kind) kinds[name_of(static_cast<ForkKind>(kind))] = pair.kinds[kind];
    for (std::size_t bin = 0; bin < pair.margins.size(); ++bin)
        margins.push_back(
            {{"up_to", bin < kMarginEdges.size() ? OrderedJson(kMarginEdges[bin]) : OrderedJson(nullptr)}, {"forks", pair.margins[bin]}});
    return {{"arms", OrderedJson::array({0, pair.arm})},
            {"differ", pair.differ},
            {"share", OrderedJson::array({pair.share.low, pair.share.high})},
            {"differ_from_itself", OrderedJson::array({pair.self0, pair.self})},
            {"differ_between", pair.between},
            {"excess", pair.excess},
            {"excess_interval", OrderedJson::array({pair.low, pair.high})},
            {"fork_tokens", or_null(pair.place)},
            {"fork_share", or_null(pair.place_share)},
            {"forks", kinds},
            {"margins", margins}};
}

const char* side_name(Side side) {
    static constexpr const char* kNames[] = {"unknown", "first", "other", "neither"};
    return kNames[static_cast<std::size_t>(side)];
}

OrderedJson fork_json(const SameMeasured& m, const ForkRecord& record) {
    const JudgedFork& judged = record.judged;
    const auto branch = [](const ForkBranch& b) -> OrderedJson {
        constexpr std::size_t kShown = 80;
        return {{"id", b.id ? OrderedJson(*b.id) : OrderedJson(nullptr)}, {"text", b.rest.substr(0, kShown)}};
    };
    return {{"prompt", record.prompt},
            {"prompt_text", m.prompts[record.prompt]},
            {"arms", OrderedJson::array({0, record.arm})},
            {"bytes", record.fork.bytes},
            {"tokens", record.fork.tokens ? OrderedJson(*record.fork.tokens) : OrderedJson(nullptr)},
            {"first", branch(record.fork.a)},
            {"other", branch(record.fork.b)},
            {"kind", name_of(judged.kind)},
            {"margin", judged.margin ? OrderedJson(judged.margin->nats) : OrderedJson(nullptr)},
            {"margin_at_least", judged.margin && judged.margin->at_least},
            {"spread", judged.margin ? OrderedJson(judged.spread) : OrderedJson(nullptr)},
            {"reread_prefers", side_name(judged.side)}};
}

const char* compare_name(SameCompare compare) {
    static constexpr const char* kNames[] = {"drafts_off", "lengths", "servers", "started"};
    return kNames[static_cast<std::size_t>(compare)];
}

} // namespace

std::string same_json(const SameMeasured& m, const SameSummary& summary, const std::function<std::string(const Said&)>& in_words) {
    OrderedJson json = {{"schema", "speclens-same/1"},
                        {"tier", "REMOTE"},
                        {"verdict", name_of(summary.verdict)},
                        {"exit_status", static_cast<int>(summary.verdict)},
                        {"sentence", in_words(summary.sentence)},
                        {"compares", compare_name(m.compare)},
                        {"prompts", m.prompts.size()},
                        {"repeats", m.prompts.empty() ? std::size_t{0} : m.arms.front().answers.front().size()},
                        {"whole", m.whole},
                        {"read_apart", m.read_apart},
                        {"near_tie_nats", kNearTie},
                        {"mistake_nats", kMistake}};
    OrderedJson arms = OrderedJson::array(), pairs = OrderedJson::array(), forks = OrderedJson::array();
    for (const MeasuredArm& arm : m.arms) arms.push_back(arm_json(arm, in_words(arm.name)));
    for (const ArmPair& pair : summary.pairs) pairs.push_back(pair_json(pair));
    for (const ForkRecord& record : m.forks) forks.push_back(fork_json(m, record));
    json["arms"] = arms;
    json["groups"] = summary.groups;
    json["pairs"] = pairs;
    json["forks"] = forks;
    return json.dump(2, BadUtf8::replaced) + "\n";
}

} // namespace speclens
