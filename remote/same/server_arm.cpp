#include "remote/same/server_arm.h"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "engine/base/clock.h"
#include "engine/base/json_read.h"
#include "engine/base/printed.h"
#include "kernels/error.h"
#include "remote/client/answer_reader.h"

namespace speclens {
namespace {

// No other request's, of no other program's either.
std::string new_salt() {
    static const auto begun = std::chrono::system_clock::now().time_since_epoch().count();
    static std::atomic<unsigned> number{0};
    return "speclens-same-" + std::to_string(begun) + "-" + std::to_string(++number);
}

std::vector<int> joined(std::vector<int> ids, std::span<const int> more) {
    ids.insert(ids.end(), more.begin(), more.end());
    return ids;
}

class ServerArm final : public SameArm {
  public:
    ServerArm(Endpoint endpoint, const ServerFacts& facts, HttpSettings http, const ServerArmSettings& settings)
        : endpoint_(std::move(endpoint)), http_(std::move(http)) {
        dialect_.kind = facts.kind;
        dialect_.own_server = facts.own();
        dialect_.model = settings.model.empty() && !facts.models.empty() ? facts.models.front() : settings.model;
        dialect_.max_tokens = settings.max_tokens;
        dialect_.drafts = settings.drafts;
    }

    GreedyAnswer answer(const GreedyPrompt& prompt) override {
        std::vector<int> ids;
        if (dialect_.kind == ServerKind::llamacpp) ids = prompt_ids(prompt);
        const Posted posted = post(answer_request(dialect_, prompt, ids, new_salt()));
        if (posted.status == 401 || posted.status == 403)
            throw Error(endpoint_.shown() + ": " + refusal(posted.body, posted.status),
                        "--key-from NAME names the environment variable that holds its key.", Exit::network);
        if (!posted.ok())
            throw Error(endpoint_.shown() + ": " + refusal(posted.body, posted.status),
                        "Check --server-model, the prompts and --max-tokens.", Exit::network);
        GreedyAnswer answer = read_greedy_answer(dialect_, posted.body);
        if (answer.prompt.empty()) answer.prompt = prompt_ids(prompt); // two servers may read a chat as different tokens
        return answer;
    }

    std::optional<ForkPrefix> prefix(const GreedyPrompt& prompt, const GreedyAnswer& a, const GreedyAnswer& b) override {
        ForkPrefix prefix;
        prefix.fork = fork_of(a, b);
        const std::vector<int> begun = a.prompt.empty() ? prompt_ids(prompt) : a.prompt;
        if (begun.empty()) return {};
        if (prefix.fork.tokens && takes_ids(dialect_.kind)) {
            prefix.ids = joined(begun, std::span(a.ids).first(static_cast<std::size_t>(*prefix.fork.tokens)));
            return prefix;
        }
        GreedyAnswer with_ids = a, other = b;
        with_ids.ids = ids_of(prompt, begun, a);
        other.ids = ids_of(prompt, begun, b);
        if (with_ids.ids.empty() || other.ids.empty()) return {};
        prefix.fork = fork_of(with_ids, other);
        prefix.ids = joined(begun, std::span(with_ids.ids).first(static_cast<std::size_t>(*prefix.fork.tokens)));
        if (takes_ids(dialect_.kind)) return prefix;
        // As text: cut back to where the server makes these ids of it. Tokens of which one begins with the other part before their letters
        // do.
        constexpr std::size_t kLongestToken = 24;
        if (prompt.chat) return {};
        TextFork& fork = prefix.fork;
        for (std::size_t cut = 0; cut <= std::min(kLongestToken, fork.bytes); ++cut) {
            const std::size_t bytes = fork.bytes - cut;
            prefix.text = prompt.text + a.text.substr(0, bytes);
            if (tokenized(tokenize_request(dialect_, *prefix.text)) != prefix.ids) continue;
            fork.bytes = bytes;
            fork.a.rest = a.text.substr(bytes);
            fork.b.rest = b.text.substr(bytes);
            fork.a.ended = fork.a.rest.empty();
            fork.b.ended = fork.b.rest.empty();
            return prefix;
        }
        return {};
    }

    Reread reread(const ForkPrefix& prefix) override {
        const Posted posted = post(reread_request(dialect_, prefix, new_salt()));
        if (!posted.ok()) return {}; // it tells no probabilities, then
        Reread reread = read_reread(dialect_, posted.body);
        if (prefix.text)
            for (ListedToken& token : reread.listed) name_by_id(prefix, token);
        return reread;
    }

    [[nodiscard]] std::string server() const override { return endpoint_.shown(); }

  private:
    struct Posted {
        int status;
        std::string body;
        [[nodiscard]] bool ok() const { return status >= 200 && status < 300; }
    };

    [[nodiscard]] Posted post(const GreedyRequest& request) const {
        std::string body;
        const Stopwatch watch;
        try {
            const HttpAnswer answer = http_post(endpoint_, request.path, request.body, http_, [&](std::string_view bytes) {
                body += bytes;
                return true;
            });
            return {answer.status, answer.ok() ? body : answer.body};
        } catch (const Error& error) {
            if (error.code() != Exit::network || watch.ms() < 1000 * http_.silence_seconds) throw;
            throw Error(endpoint_.shown() + " was silent for " + printed("%g", http_.silence_seconds) +
                            " s, the longest wait for an answer, which comes whole",
                        "Ask for shorter answers: --max-tokens 32.", Exit::network);
        }
    }

    [[nodiscard]] std::vector<int> tokenized(const GreedyRequest& request) const {
        const Posted posted = post(request);
        return posted.ok() ? read_ids(posted.body) : std::vector<int>();
    }

    // One token's text may begin with another's: what both texts may go on with is known by the id that the server makes of it there.
    void name_by_id(const ForkPrefix& prefix, ListedToken& token) const {
        if (token.id >= 0 || token.text.empty()) return;
        if (!prefix.fork.a.rest.starts_with(token.text) && !prefix.fork.b.rest.starts_with(token.text)) return;
        const std::vector<int> ids = tokenized(tokenize_request(dialect_, *prefix.text + token.text));
        if (ids.size() == prefix.ids.size() + 1 && std::ranges::equal(prefix.ids, std::span(ids).first(prefix.ids.size())))
            token.id = ids.back();
        else
            token.text.clear();
    }

    // Empty: the server does not tell. The same prompt is asked for several times in a row.
    const std::vector<int>& prompt_ids(const GreedyPrompt& prompt) {
        if (known_ && known_->text == prompt.text && known_->system == prompt.system && known_->chat == prompt.chat) return known_ids_;
        known_ = prompt;
        known_ids_.clear();
        if (!prompt.chat) {
            known_ids_ = tokenized(tokenize_request(dialect_, prompt.text));
        } else if (dialect_.kind != ServerKind::llamacpp) {
            known_ids_ = tokenized(template_request(dialect_, prompt));
        } else if (const Posted posted = post(template_request(dialect_, prompt)); posted.ok()) {
            const Json json = parse_foreign_json(posted.body);
            if (json.is_object() && json.contains("prompt") && json["prompt"].is_string())
                known_ids_ = tokenized(tokenize_request(dialect_, json["prompt"].text()));
        }
        return known_ids_;
    }

    // Of an answer's text, where they are as many as the server wrote: an end token counts there, and has no text.
    [[nodiscard]] std::vector<int> ids_of(const GreedyPrompt& prompt, const std::vector<int>& begun, const GreedyAnswer& answer) const {
        if (!answer.ids.empty()) return answer.ids;
        std::vector<int> ids;
        if (prompt.chat) {
            ids = tokenized(tokenize_request(dialect_, answer.text, false));
        } else {
            const std::vector<int> all = tokenized(tokenize_request(dialect_, prompt.text + answer.text));
            if (all.size() < begun.size() || !std::ranges::equal(begun, std::span(all).first(begun.size()))) return {};
            ids.assign(all.begin() + std::ssize(begun), all.end());
        }
        const int count = static_cast<int>(ids.size());
        return count == answer.tokens || (answer.finish == "stop" && count + 1 == answer.tokens) ? ids : std::vector<int>();
    }

    Endpoint endpoint_;
    HttpSettings http_;
    GreedyDialect dialect_;
    std::optional<GreedyPrompt> known_;
    std::vector<int> known_ids_; // of known_
};

} // namespace

std::shared_ptr<SameArm> server_arm(const Endpoint& endpoint, const ServerFacts& facts, const HttpSettings& http,
                                    const ServerArmSettings& settings) {
    return std::make_shared<ServerArm>(endpoint, facts, http, settings);
}

} // namespace speclens
