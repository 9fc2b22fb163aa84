#include "remote/serving/token_json.h"

#include <algorithm>

namespace speclens {
namespace {

Json logprob_or_null(const std::optional<double>& logp) { return logp ? Json(sent_logprob(*logp)) : Json(nullptr); }

std::string name_of_token(const Models& models, int id, bool ids) { return ids ? "token_id:" + std::to_string(id) : models.text_of(id); }

// The likeliest, as many as were asked for.
std::span<const TopEntries::Entry> likeliest(const TokenAccount& account, int top) {
    if (!account.likeliest) return {};
    return std::span(account.likeliest->entries).first(std::min(account.likeliest->entries.size(), static_cast<std::size_t>(top)));
}

Json chat_token(const Models& models, const std::string& name, int id, const Json& logprob) {
    Json bytes = Json::array();
    for (const char c : models.text_of(id)) bytes.push_back(static_cast<int>(static_cast<unsigned char>(c)));
    return {{"token", name}, {"logprob", logprob}, {"bytes", bytes}};
}

} // namespace

double sent_logprob(double logp) {
    constexpr double kNever = -9999.0;
    return logp > kLogZero ? logp : kNever;
}

std::size_t characters(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

Json completion_logprobs(const ToldTokens& told, int top, bool ids) {
    Json tokens = Json::array(), logprobs = Json::array(), lists = Json::array(), offsets = Json::array();
    std::size_t offset = told.offset;
    for (std::size_t i = 0; i < told.accounts.size(); ++i) {
        const TokenAccount& account = told.accounts[i];
        const std::string name = ids ? name_of_token(told.models, account.token, true) : told.pieces[i];
        Json list = Json::object(); // the token that was written is in it, too
        for (const TopEntries::Entry& one : likeliest(account, top))
            list[one.id == account.token ? name : name_of_token(told.models, one.id, ids)] = sent_logprob(one.logp);
        list[name] = logprob_or_null(account.target_logp);
        tokens.push_back(name);
        logprobs.push_back(logprob_or_null(account.target_logp));
        lists.push_back(list);
        offsets.push_back(offset);
        offset += characters(told.pieces[i]);
    }
    return {{"tokens", tokens}, {"token_logprobs", logprobs}, {"top_logprobs", lists}, {"text_offset", offsets}};
}

Json chat_logprobs(const ToldTokens& told, int top, bool ids) {
    Json content = Json::array();
    for (std::size_t i = 0; i < told.accounts.size(); ++i) {
        const TokenAccount& account = told.accounts[i];
        const std::string name = ids ? name_of_token(told.models, account.token, true) : told.pieces[i];
        Json token = chat_token(told.models, name, account.token, logprob_or_null(account.target_logp));
        token["top_logprobs"] = Json::array();
        for (const TopEntries::Entry& one : likeliest(account, top))
            token["top_logprobs"].push_back(
                chat_token(told.models, name_of_token(told.models, one.id, ids), one.id, sent_logprob(one.logp)));
        content.push_back(token);
    }
    return {{"content", content}};
}

Json token_sources(std::span<const TokenAccount> accounts) {
    Json list = Json::array();
    for (const TokenAccount& account : accounts) {
        Json refused = nullptr;
        if (account.refused)
            refused = {{"token_id", account.refused->token},
                       {"draft_logprob", logprob_or_null(account.refused->draft_logp)},
                       {"target_logprob", logprob_or_null(account.refused->target_logp)},
                       {"rank", account.refused->rank ? Json(*account.refused->rank) : Json(nullptr)},
                       {"listed", account.refused->listed}};
        list.push_back({{"token_id", account.token},
                        {"source", name_of(account.role)},
                        {"round", account.round},
                        {"place", account.place},
                        {"draft_logprob", logprob_or_null(account.draft_logp)},
                        {"target_logprob", logprob_or_null(account.target_logp)},
                        {"refused", refused}});
    }
    return list;
}

} // namespace speclens
