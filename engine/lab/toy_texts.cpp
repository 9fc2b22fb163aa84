#include "engine/lab/toy_texts.h"

#include <string>
#include <utility>

#include "engine/model/table_json.h"

namespace speclens {
namespace {

// The rows of the built-in tables by the token before; row 0 stands at the start of a text.
struct Toy {
    std::vector<Distribution> target, draft;
    Toy() {
        const TablePair tables = toy_tables();
        const auto rows = [](const TableModel& table) {
            std::vector<Distribution> distributions(1 + static_cast<std::size_t>(table.vocab));
            for (const auto& [context, distribution] : table.rows)
                distributions[context.empty() ? 0 : 1 + static_cast<std::size_t>(std::stoi(context))] = distribution;
            return distributions;
        };
        target = rows(*tables.target);
        draft = rows(*tables.draft);
    }
};

const Toy& toy() {
    static const Toy tables;
    return tables;
}

std::size_t row_after(const std::vector<int>& text) { return text.empty() ? 0 : 1 + static_cast<std::size_t>(text.back()); }

} // namespace

const std::vector<Distribution>& toy_target() { return toy().target; }

// Block verification keeps a prefix for less than its whole share only behind a draft token that is claimed too often and where several
// tokens are owed: the built-in draft has no such place, this one has.
const std::vector<Distribution>& toy_draft(const RuleInfo& rule) {
    static const std::vector<Distribution> eager = {{0.8, 0.1, 0.1}, {0.55, 0.4, 0.05}, {0.2, 0.1, 0.7}, {0.25, 0.25, 0.5}};
    return rule.kind == RuleKind::block ? eager : toy().draft;
}

ToyDrafts toy_drafts(const std::vector<int>& text, const RuleInfo& rule, const std::function<double(Purpose)>& coin) {
    ToyDrafts drafts;
    drafts.rows.push_back(row_after(text));
    const auto add = [&](int token) {
        drafts.tokens.push_back(token);
        drafts.rows.push_back(row_after({token}));
    };
    if (rule.siblings == Siblings::none) {
        for (int k = 0; k < kToyDrafts; ++k) add(sample(toy_draft(rule)[drafts.rows.back()], coin(Purpose::draft)));
        return drafts;
    }
    const TopEntries best = top_of(toy_draft(rule)[drafts.rows.front()], 2);
    for (const TopEntries::Entry& entry : best.entries) add(entry.id), drafts.parents.push_back(-1);
    for (int parent = 0; parent < static_cast<int>(best.entries.size()); ++parent) {
        add(argmax(toy_draft(rule)[drafts.rows[1 + static_cast<std::size_t>(parent)]]));
        drafts.parents.push_back(parent);
    }
    return drafts;
}

// Every coin of a text is another one.
ToyText toy_text(const RuleInfo& rule, std::uint64_t seed, long n) {
    ToyText text;
    std::uint32_t thrown = 0;
    const auto coin = [&](Purpose purpose) {
        return uniform({.seed = seed + static_cast<std::uint64_t>(n) * 0x9E3779B97F4A7C15ULL, .position = thrown++, .purpose = purpose});
    };
    for (; static_cast<int>(text.tokens.size()) < kToyTokens; ++text.rounds) {
        const ToyDrafts drafts = toy_drafts(text.tokens, rule, coin);
        Round round;
        round.drafts = drafts.tokens;
        round.parents = drafts.parents;
        round.p = [&](int row) -> const Distribution& { return toy().target[drafts.rows[static_cast<std::size_t>(row)]]; };
        round.q = [&](int node) -> const Distribution& {
            return toy_draft(rule)[drafts.rows[static_cast<std::size_t>(round.row_of(node))]];
        };
        round.p_argmax = [&](int row) { return argmax(round.p(row)); };
        round.accept_coin = [&](int) { return coin(Purpose::accept); };
        round.resample_coin = [&](int) { return coin(Purpose::resample); };
        const Verdict verdict = rule.verify(round);
        for (const int node : verdict.path) text.tokens.push_back(drafts.tokens[static_cast<std::size_t>(node)]);
        text.tokens.push_back(verdict.token);
    }
    text.tokens.resize(kToyTokens);
    return text;
}

const ExactDistribution& exact_texts() {
    static const ExactDistribution distribution = [] {
        ExactDistribution all;
        std::vector<std::pair<std::vector<int>, double>> open{{{}, 1.0}};
        while (!open.empty()) {
            const auto [text, mass] = open.back();
            open.pop_back();
            if (static_cast<int>(text.size()) == kToyTokens) {
                all[text] = mass;
                continue;
            }
            const Distribution& row = toy().target[row_after(text)];
            for (std::size_t v = 0; v < row.size(); ++v) {
                std::vector<int> next = text;
                next.push_back(static_cast<int>(v));
                open.emplace_back(std::move(next), mass * row[v]);
            }
        }
        return all;
    }();
    return distribution;
}

} // namespace speclens
