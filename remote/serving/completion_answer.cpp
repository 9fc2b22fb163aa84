#include "remote/serving/completion_answer.h"

#include <algorithm>
#include <ctime>
#include <iterator>

#include "remote/serving/token_json.h"

namespace speclens {

CompletionAnswer::CompletionAnswer(const Models& models, CompletionRequest asked, std::string model, bool chat, std::uint64_t number)
    : asked_(std::move(asked)), model_(std::move(model)), chat_(chat), number_(number), models_(&models),
      tokenizer_(models.tokenizer.get()), created_(std::time(nullptr)) {
    if (tokenizer_) decoder_.emplace(*tokenizer_);
}

bool CompletionAnswer::follow(const Trace& trace, std::size_t events, ServeCounts& counts) {
    if (asked_.stream) {
        offset_ += characters(text());
        pieces_.clear();
        accounts_.clear();
    }
    bool wrote = false;
    for (; seen_ < events; ++seen_) {
        const Event& event = trace[seen_];
        if (wrote && !std::holds_alternative<Stopped>(event)) break; // the next round
        if (std::holds_alternative<Committed>(event)) {
            fold_on(view_, trace, seen_ + 1);
            round(view_.round_list.back(), counts);
            wrote = true;
        }
        if (const auto* end = std::get_if<Stopped>(&event))
            finish_ = end->reason == Stopped::kEndOfText ? "stop" : end->reason == Stopped::kCancelled ? "abort" : "length";
    }
    if (!finish_.empty() && decoder_) { // bytes that never became a character belong to the last token
        const std::string rest = decoder_->flush();
        if (pieces_.empty() && !rest.empty()) pieces_.emplace_back();
        if (!rest.empty()) pieces_.back() += rest;
    }
    return wrote;
}

void CompletionAnswer::round(const RoundSummary& round, ServeCounts& counts) {
    const Committed& commit = *round.commit;
    const int drafted = static_cast<int>(round.drafts.size());
    int places = 0;
    for (const DraftSlot& slot : round.drafts) places = std::max(places, slot.depth);
    const int accepted = commit.accepted_drafts, written = static_cast<int>(commit.tokens.size());
    // The target's own token stands where a draft token was refused, or behind the last one. Without it the text
    // ended among kept draft tokens, and what lay behind them was not judged.
    const bool refused = written > accepted && round.own_slot() < drafted;
    const int judged = accepted + (refused ? 1 : 0);
    counts.round(drafted, places, judged, accepted, written);
    accepted_.push_back(accepted);
    drafted_.push_back(drafted);
    written_.push_back(written);
    places_ = std::max(places_, places);
    judged_at_.resize(static_cast<std::size_t>(places_), 0);
    for (int i = 0; i < std::min(judged, places_); ++i) ++judged_at_[static_cast<std::size_t>(i)];
    tokens_ += written;
    std::vector<TokenAccount> accounts = token_accounts(round, *view_.header);
    counts.sources(accounts);
    counts.ranks(round, *view_.header);
    std::ranges::move(accounts, std::back_inserter(accounts_));
    for (const int id : commit.tokens) {
        const bool hidden = tokenizer_ && tokenizer_->is_special(id);
        pieces_.push_back(hidden ? std::string() : decoder_ ? decoder_->push(id) : models_->text_of(id));
    }
}

std::string CompletionAnswer::text() const {
    std::string text;
    for (const std::string& piece : pieces_) text += piece;
    return text;
}

std::string CompletionAnswer::chunk(bool first) const {
    Json choice = {{"index", 0}, {"finish_reason", finish_.empty() ? Json(nullptr) : Json(finish_)}};
    if (chat_)
        choice["delta"] = {{"content", text()}};
    else
        choice["text"] = text();
    if (chat_ && first) choice["delta"]["role"] = "assistant";
    if (asked_.pieces) choice["logprobs"] = pieces_json();
    tell_tokens(choice);
    return event({{"choices", Json::array({choice})}});
}

std::string CompletionAnswer::last_chunk() const {
    return event(noticed({{"choices", Json::array()}, {"usage", usage()}, {"metrics", spec_metrics()}}));
}

Json CompletionAnswer::whole() const {
    Json choice = {{"index", 0}, {"finish_reason", finish_}};
    if (chat_)
        choice["message"] = {{"role", "assistant"}, {"content", text()}};
    else
        choice["text"] = text();
    tell_tokens(choice);
    return framed(noticed({{"choices", Json::array({choice})}, {"usage", usage()}, {"metrics", spec_metrics()}}), false);
}

// Clients that know neither field find nothing new in the answer.
void CompletionAnswer::tell_tokens(Json& choice) const {
    const ToldTokens told{*models_, pieces_, accounts_, offset_};
    if (asked_.top >= 0)
        choice["logprobs"] = chat_ ? chat_logprobs(told, asked_.top, asked_.as_ids) : completion_logprobs(told, asked_.top, asked_.as_ids);
    if (asked_.sources) choice["token_sources"] = token_sources(accounts_);
}

Json CompletionAnswer::pieces_json() const {
    Json list = Json::array();
    if (!chat_) {
        for (const std::string& piece : pieces_) list.push_back(piece);
        return {{"tokens", list}};
    }
    for (const std::string& piece : pieces_) list.push_back({{"token", piece}});
    return {{"content", list}};
}

Json CompletionAnswer::usage() const {
    return {{"prompt_tokens", prompt_}, {"completion_tokens", tokens_}, {"total_tokens", prompt_ + tokens_}};
}

Json CompletionAnswer::spec_metrics() const {
    Json accepted = Json::array(), drafted = Json::array();
    std::vector<int> histogram(static_cast<std::size_t>(places_) + 1, 0);
    int kept = 0, judged = 0, rounds = 0;
    for (std::size_t i = 0; i < accepted_.size(); ++i) {
        accepted.push_back(accepted_[i]);
        drafted.push_back(drafted_[i]);
        if (drafted_[i] == 0) continue;
        ++histogram[static_cast<std::size_t>(std::min(accepted_[i], places_))];
        kept += accepted_[i];
        judged += drafted_[i];
        ++rounds;
    }
    if (rounds == 0) return {{"speculative_decoding", nullptr}};
    return {{"speculative_decoding",
             {{"mean_acceptance_length", 1 + double(kept) / rounds},
              {"draft_acceptance_rate", double(kept) / judged},
              {"acceptance_histogram", histogram},
              {"num_spec_steps", rounds},
              {"num_accepted_draft_tokens", kept},
              {"num_draft_tokens", judged},
              {"num_spec_tokens", places_},
              {"per_step_accepted", accepted},
              {"per_step_drafted", drafted},
              // Ours: a round that the end of the text cut wrote fewer than it kept.
              {"per_step_tokens", written_},
              {"judged_per_position", judged_at_}}}};
}

Json CompletionAnswer::noticed(Json body) const { // a field of ours
    if (!asked_.notice.empty()) body["notice"] = asked_.notice;
    return body;
}

Json CompletionAnswer::framed(Json body, bool chunk) const {
    body["id"] = (chat_ ? "chatcmpl-" : "cmpl-") + std::to_string(number_);
    body["object"] = chat_ ? (chunk ? "chat.completion.chunk" : "chat.completion") : "text_completion";
    body["created"] = created_;
    body["model"] = model_;
    return body;
}

std::string CompletionAnswer::event(Json body) const {
    return "data: " + framed(std::move(body), true).dump(-1, BadUtf8::replaced) + "\n\n";
}

} // namespace speclens
