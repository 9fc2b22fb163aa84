#include "engine/run/prompt_tokens.h"

#include <algorithm>
#include <utility>

#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"
#include "engine/model/model.h"
#include "engine/models/models.h"
#include "engine/run/prompt_room.h"
#include "engine/run/run_settings.h"

namespace speclens {
namespace {

std::string tokens_text(int count) { return std::to_string(count) + (count == 1 ? " token" : " tokens"); }

// What reads a prompt: all of the models but their weights.
struct PromptReader {
    std::shared_ptr<const Tokenizer> tokenizer;
    std::function<std::string(int)> text_of;
    ChatFormat chat;
    bool table = false;
    int vocab = 0, holds = 0;
    int draft_holds = 0; // 0: there is no draft model

    explicit PromptReader(const Models& models)
        : tokenizer(models.tokenizer), text_of(models.texts()), chat(models.chat), table(models.target_table != nullptr),
          vocab(models.vocab()), holds(models.holds()), draft_holds(models.draft ? models.draft->config.context() : 0) {}
};

PromptTokens tokens_of(const PromptReader& models, const Prompt& asked) {
    PromptTokens prompt;
    if (!asked.token_ids.empty()) {
        prompt.ids = asked.token_ids;
        for (int id : prompt.ids) {
            if (id < 0 || id >= models.vocab)
                throw Error("token id " + std::to_string(id) + " is outside the vocabulary of " + std::to_string(models.vocab),
                            "Use ids from 0 to " + std::to_string(models.vocab - 1) + ".", Exit::usage, ErrorKind::unknown_token);
            prompt.text += models.text_of(id);
        }
        return prompt;
    }
    if (models.table) { // a table starts from nothing; one silent token stands for the start
        prompt.ids = {0};
        prompt.chat = asked.chat;
        return prompt;
    }
    if (!models.tokenizer)
        throw Error("this model has no tokenizer.json, so text cannot be turned into tokens",
                    "Give the prompt as ids with --token-ids 1,2,3.", Exit::usage);
    // A chat: what was said in it is text whatever it spells, and its format has all there is around it.
    std::vector<TextPart> parts;
    prompt.chat = asked.chat && (models.chat.problem.empty() || !asked.chat_if_possible);
    if (asked.chat && !prompt.chat)
        prompt.notice = {models.chat.problem + ": the prompt is asked as plain text",
                         SaidOf<"shared">()("note.as_text"_t, "why"_v = models.chat.problem)};
    if (prompt.chat) {
        std::vector<ChatTurn> turns;
        if (!asked.system.empty()) turns.push_back({"system", asked.system});
        turns.push_back({"user", asked.text});
        parts = chat_parts(turns, asked.thinking, models.chat);
    } else if (joined(asked.parts) == asked.text) { // else another prompt was typed since
        parts = asked.parts;
    }
    prompt.text = parts.empty() ? asked.text : joined(parts);
    prompt.ids = parts.empty() ? models.tokenizer->encode(prompt.text) : models.tokenizer->encode(parts);
    const int bos = models.tokenizer->bos();
    if (parts.empty() && bos >= 0 && !prompt.ids.empty() && prompt.ids.front() != bos) {
        prompt.ids.insert(prompt.ids.begin(), bos);
        prompt.text.insert(0, models.tokenizer->bytes_of(bos));
    }
    if (asked.text.empty() || prompt.ids.empty())
        throw Error("the prompt is empty", "Type at least one character; the model continues what it is given.", Exit::usage);
    return prompt;
}

PromptRoom room_of(const PromptReader& models, const RunSettings& settings) {
    PromptRoom room{.holds = models.holds};
    const DrafterInfo* drafter = find_drafter(settings.drafter);
    if (drafter && drafter->needs_draft_model() && models.draft_holds > 0) room.holds = std::min(room.holds, models.draft_holds);
    if (!settings.prompt.text.empty() || !settings.prompt.token_ids.empty())
        room.tokens = static_cast<int>(tokens_of(models, settings.prompt).ids.size());
    return room;
}

} // namespace

PromptTokens prompt_tokens(const Models& models, const Prompt& prompt) { return tokens_of(PromptReader(models), prompt); }

std::function<PromptRoom(const RunSettings&)> prompt_counter(const Models& models) {
    return [reader = PromptReader(models)](const RunSettings& settings) { return room_of(reader, settings); };
}

PromptTooLong::PromptTooLong(int tokens, std::string model, int context)
    : Error("the prompt has " + tokens_text(tokens) + "; the context of " + model + " holds " + std::to_string(context),
            "Shorten the prompt by at least " + tokens_text(tokens - context + 1) + ".", Exit::usage, ErrorKind::prompt_too_long),
      model_(std::move(model)) {}

} // namespace speclens
