#include "engine/account/token_account.h"

#include <algorithm>
#include <cmath>

namespace speclens {
namespace {

// The list at temperature 1: recorded apart where the one that tokens are drawn from is another.
const TopEntries& raw_of(const TopEntries& top, const TopEntries& raw) { return raw.empty() ? top : raw; }

std::optional<double> listed_logp(const TopEntries& list, int token) {
    const auto found = std::ranges::find(list.entries, token, &TopEntries::Entry::id);
    return found == list.entries.end() ? std::nullopt : std::optional(found->logp);
}

// At temperature 1, of a token with log-probability `logp` after temperature and filters. One that is not listed has it from its ratio to
// one that is: a temperature T multiplies differences of log-probabilities by 1/T, and filters change no ratio.
std::optional<double> raw_logp(const TopEntries& top, const TopEntries& raw, int token, double logp, double temperature) {
    if (const auto listed = listed_logp(raw_of(top, raw), token)) return listed;
    if (top.empty() || !std::isfinite(logp)) return {};
    if (raw.empty()) return logp;
    if (temperature > 0)
        for (const TopEntries::Entry& entry : top.entries)
            if (const auto beside = listed_logp(raw, entry.id); beside && std::isfinite(entry.logp))
                return *beside + temperature * (logp - entry.logp);
    return {};
}

std::optional<double> draft_logp(const Drafted& draft, const Header& header) {
    return raw_logp(draft.top, draft.raw_top, draft.token, draft.q, header.draft_sampling.temperature);
}

std::optional<double> target_logp(const Checked& check, const Header& header) {
    return raw_logp(check.top, check.raw_top, check.token, check.p, header.sampling.temperature);
}

// A draft that is certain of one token has no list: n-grams and suffixes.
const TopEntries* list_of(const Drafted& draft) {
    const TopEntries& list = raw_of(draft.top, draft.raw_top);
    const bool certain = list.entries.size() == 1 && list.rest <= 0;
    return list.empty() || certain ? nullptr : &list;
}

// The draft's first choice at the place of the target's own token, where one was refused there; else null.
const DraftSlot* first_refused(const RoundSummary& round) {
    if (!round.resample || round.own_slot() >= static_cast<int>(round.drafts.size())) return nullptr;
    return &*std::ranges::find(round.drafts, round.end_of_path(), &DraftSlot::parent); // own_slot() is one
}

TokenAccount kept_token(const RoundSummary& round, const Header& header, std::size_t place) {
    const auto index = place < round.path.size() ? static_cast<std::size_t>(round.path[place]) : place;
    TokenAccount account;
    account.role = TokenRole::accepted;
    if (index >= round.drafts.size()) return account; // a hostile file
    const DraftSlot& slot = round.drafts[index];
    account.draft_logp = draft_logp(*slot.draft, header);
    if (!slot.check) return account;
    account.target_logp = target_logp(*slot.check, header);
    if (const TopEntries& list = raw_of(slot.check->top, slot.check->raw_top); !list.empty()) account.likeliest = &list;
    return account;
}

TokenAccount own_token(const RoundSummary& round, const Header& header) {
    TokenAccount account;
    account.refused = refused_draft(round, header);
    account.role = account.refused ? TokenRole::recovered : round.drafts.empty() ? TokenRole::plain : TokenRole::bonus;
    if (!round.resample) return account;
    const TargetToken& own = *round.resample;
    if (const DraftSlot* first = first_refused(round))
        if (const TopEntries* list = list_of(*first->draft)) account.draft_logp = listed_logp(*list, own.token);
    const TopEntries& top = own.target_top.empty() ? own.top : own.target_top;
    const double p = own.target_top.empty() ? own.p : listed_logp(own.target_top, own.token).value_or(kLogZero);
    account.target_logp = raw_logp(top, own.raw_top, own.token, p, header.sampling.temperature);
    if (const TopEntries& list = raw_of(top, own.raw_top); !list.empty()) account.likeliest = &list;
    return account;
}

} // namespace

const char* name_of(TokenRole role) {
    switch (role) {
    case TokenRole::accepted: return "accepted";
    case TokenRole::recovered: return "recovered";
    case TokenRole::bonus: return "bonus";
    case TokenRole::plain: break;
    }
    return "plain";
}

std::optional<RefusedDraft> refused_draft(const RoundSummary& round, const Header& header) {
    const DraftSlot* first = first_refused(round);
    if (!first) return {};
    RefusedDraft refused;
    refused.token = first->draft->token;
    refused.draft_logp = draft_logp(*first->draft, header);
    if (first->check) refused.target_logp = target_logp(*first->check, header);
    const TopEntries* list = list_of(*first->draft);
    if (!list) return refused;
    refused.listed = static_cast<int>(list->entries.size());
    const auto at = std::ranges::find(list->entries, round.resample->token, &TopEntries::Entry::id);
    if (at == list->entries.end()) return refused;
    refused.rank = static_cast<int>(at - list->entries.begin()) + 1;
    refused.before = static_cast<int>(std::count_if(list->entries.begin(), at, [&](const TopEntries::Entry& entry) {
        return std::ranges::any_of(round.drafts,
                                   [&](const DraftSlot& slot) { return slot.parent == first->parent && slot.draft->token == entry.id; });
    }));
    return refused;
}

std::vector<TokenAccount> token_accounts(const RoundSummary& round, const Header& header) {
    std::vector<TokenAccount> accounts;
    if (!round.complete()) return accounts;
    const Committed& commit = *round.commit;
    for (std::size_t i = 0; i < commit.tokens.size(); ++i) {
        TokenAccount account = static_cast<int>(i) < commit.accepted_drafts ? kept_token(round, header, i) : own_token(round, header);
        account.token = commit.tokens[i];
        account.round = round.round;
        account.place = static_cast<int>(i) + 1;
        accounts.push_back(std::move(account));
    }
    return accounts;
}

} // namespace speclens
