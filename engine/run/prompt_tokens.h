// Prompts: from text or ids to the tokens that the model gets.
#pragma once

#include <string>
#include <vector>

#include "engine/base/told_reason.h"
#include "engine/run/prompt.h"
#include "kernels/error.h"

namespace speclens {

struct Models; // engine/models/models.h

// The prompt leaves no room for a new token in the context of one of the models. Another prompt may fit.
class PromptTooLong final : public Error {
  public:
    PromptTooLong(int tokens, std::string model, int context);
    [[nodiscard]] const std::string& model() const { return model_; } // whose context it is

  private:
    std::string model_;
};

// The prompt as the model gets it: chat turns or raw text or token ids.
struct PromptTokens {
    std::vector<int> ids;
    std::string text;
    bool chat = false; // asked as a chat
    ToldReason notice; // why a chat is asked as text (Prompt::chat_if_possible)
};
[[nodiscard]] PromptTokens prompt_tokens(const Models& models, const Prompt& prompt); // throws Error

} // namespace speclens
