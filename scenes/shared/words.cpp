#include "scenes/shared/words.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "ui/chance.h"
#include "ui/format.h"
#include "ui/tokens.h"

namespace speclens {

std::string all_guesses(int n) {
    if (n == 2) return shared_says("words.all_guesses:two"_t);
    return shared_says("words.all_guesses:any"_t, "n"_v = n);
}

std::string label_of(const Trace& trace, int id) { return ui::token_label(trace.text(id)); }

Message size_words(std::size_t bytes) {
    const auto exact = "bytes"_v = bytes;
    return bytes < 1'000'000 ? shared_says("words.size:small"_t, exact, "kb"_v = static_cast<double>(bytes) / 1e3)
                             : shared_says("words.size:large"_t, exact);
}

std::vector<Said> domain_said(const std::string& domain) {
    if (domain.empty()) return {};
    return {SaidOf<"shared">()("prompts.domain"_t, "english"_v = domain)};
}

ui::Role role_of(Origin origin) {
    switch (origin) {
    case Origin::accepted: return ui::Role::accepted;
    case Origin::residual: return ui::Role::residual;
    case Origin::bonus: return ui::Role::bonus;
    case Origin::prompt:
    case Origin::plain: break;
    }
    return ui::Role::target;
}

ui::Role role_of(DraftSlot::State state) {
    switch (state) {
    case DraftSlot::State::accepted: return ui::Role::accepted;
    case DraftSlot::State::rejected: return ui::Role::rejected;
    case DraftSlot::State::discarded: return ui::Role::discarded;
    case DraftSlot::State::drafted: break;
    }
    return ui::Role::draft;
}

ui::Role role_of(TargetToken::From from) {
    if (from == TargetToken::From::residual) return ui::Role::residual;
    return from == TargetToken::From::bonus ? ui::Role::bonus : ui::Role::target;
}

ui::Tier tier_of(const Header* header) {
    if (!header || header->tier == "LIVE") return ui::Tier::live;
    if (header->tier == "TABLE") return ui::Tier::table;
    if (header->tier == "SIM") return ui::Tier::sim;
    if (header->tier == "PUBLISHED") return ui::Tier::published;
    if (header->tier == "REMOTE") return ui::Tier::remote;
    return ui::Tier::recorded; // an unknown tier was at least saved by someone else
}

const char* tier_name(ui::Tier tier) {
    switch (tier) {
    case ui::Tier::live: return "LIVE";
    case ui::Tier::recorded: return "RECORDED";
    case ui::Tier::table: return "TABLE";
    case ui::Tier::sim: return "SIM";
    case ui::Tier::published: return "PUBLISHED";
    case ui::Tier::remote: return "REMOTE";
    }
    return "";
}

std::optional<double> listed(const TopEntries& top, int id) {
    for (const TopEntries::Entry& entry : top.entries)
        if (entry.id == id) return std::exp(entry.logp);
    return {};
}

std::string fine_probability(double p) { return ui::fine_probability(p); }

std::string compared_probability(double p) {
    if (p >= 1 || p <= 0.99) return fine_probability(p);
    const int decimals = static_cast<int>(std::ceil(-std::log10(1 - p)));
    const double scale = std::pow(10, decimals); // cut, not rounded: nothing below 1 becomes 1
    return ui::fraction(std::floor(p * scale) / scale, decimals);
}

std::string distribution_number(const std::optional<double>& p) {
    if (!p) return "–";
    return *p < 0 ? "<" + ui::fraction(0.01, 2) : ui::probability(*p);
}

DistributionTable distribution_table(const TopEntries& target, const TopEntries& draft, int count, int keep) {
    DistributionTable table;
    const TopEntries& order = target.empty() ? draft : target;
    std::map<int, double> in_draft;
    for (const TopEntries::Entry& entry : draft.entries) in_draft[entry.id] = std::exp(entry.logp);

    std::vector<int> ids;
    for (const TopEntries::Entry& entry : order.entries) {
        if (static_cast<int>(ids.size()) == count) break;
        ids.push_back(entry.id);
    }
    // Tokens that only the draft lists fill free rows; the kept one pushes the last row out.
    for (const TopEntries::Entry& entry : draft.entries)
        if (static_cast<int>(ids.size()) < count && std::ranges::find(ids, entry.id) == ids.end()) ids.push_back(entry.id);
    if (keep >= 0 && std::ranges::find(ids, keep) == ids.end()) {
        if (static_cast<int>(ids.size()) == count && count > 0) ids.pop_back();
        ids.push_back(keep);
    }

    DistributionRow other;
    if (!target.empty()) other.target = 1;
    if (!draft.empty()) other.draft = 1;
    for (int id : ids) {
        DistributionRow row{id, {}, {}};
        if (!target.empty()) row.target = listed(target, id).value_or(target.rest <= 0 ? 0 : -1);
        if (!draft.empty()) {
            const auto found = in_draft.find(id);
            row.draft = found != in_draft.end() ? found->second : draft.rest <= 0 ? 0 : -1;
        }
        if (row.target && *row.target > 0) *other.target -= *row.target;
        if (row.draft && *row.draft > 0) *other.draft -= *row.draft;
        table.rows.push_back(row);
    }
    if (other.target) *other.target = std::max(0.0, *other.target);
    if (other.draft) *other.draft = std::max(0.0, *other.draft);
    const auto left_out = [&](const TopEntries& top) {
        return top.rest > 0 || std::ranges::any_of(top.entries, [&](const TopEntries::Entry& entry) {
                   return std::ranges::find(ids, entry.id) == ids.end();
               });
    };
    if (left_out(target) || left_out(draft)) table.rows.push_back(other);

    double seen_target = 0, seen_draft = 0;
    for (const TopEntries::Entry& entry : target.entries) {
        const auto found = in_draft.find(entry.id);
        if (found == in_draft.end()) continue;
        const double p = std::exp(entry.logp);
        table.overlap += std::min(p, found->second);
        seen_target += p;
        seen_draft += found->second;
    }
    table.exact = std::min({1 - seen_target, 1 - seen_draft, target.rest + draft.rest}) < 0.005;
    return table;
}

bool is_chat_marker(std::string_view text) {
    return text.size() > 2 && ((text.starts_with("<|") && text.ends_with("|>")) || text == "<think>" || text == "</think>" ||
                               text == "<s>" || text == "</s>" || text == "<bos>" || text == "[INST]" || text == "[/INST]");
}

std::vector<bool> chat_markers(const Trace& trace, const RunView& view) {
    const auto count = static_cast<std::size_t>(view.prompt_tokens);
    std::vector<bool> marks(count, false);
    constexpr std::size_t kName = 3; // tokens of "assistant\n"
    for (std::size_t i = 0; i < count; ++i) {
        const std::string text = trace.text(view.tokens[i].id);
        if (!is_chat_marker(text)) continue;
        marks[i] = true;
        if (text.find("start") == std::string::npos) continue;
        for (std::size_t k = i + 1; k < std::min(count, i + 1 + kName); ++k) {
            const std::string name = trace.text(view.tokens[k].id);
            if (is_chat_marker(name)) break;
            if (name.find('\n') == std::string::npos) continue;
            for (std::size_t m = i + 1; m <= k; ++m) marks[m] = true;
            break;
        }
    }
    for (std::size_t i = 0; i < count; ++i) // white space beside a marker
        if (!marks[i] && i > 0 && marks[i - 1] && trace.text(view.tokens[i].id).find_first_not_of(" \n") == std::string::npos)
            marks[i] = true;
    return marks;
}

Message no_figures() { return shared_says("figures.missing"_t, "none"_v = shared_says("figures.none"_t)); }

} // namespace speclens
