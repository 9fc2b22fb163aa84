// The chat format, as text: golden strings written out by hand from the published Qwen3 template.
#include <gtest/gtest.h>

#include "engine/tokenizer.h"

namespace speclens {
namespace {

TEST(ChatPrompt, OneQuestionWithoutThinkingEndsWithAnEmptyThinkBlock) {
    EXPECT_EQ(chat_prompt({{"user", "Hi"}}, false),
              "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n");
}

TEST(ChatPrompt, WithThinkingTheAnswerIsJustOpened) {
    EXPECT_EQ(chat_prompt({{"user", "Hi"}}, true), "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
}

TEST(ChatPrompt, ThereIsNoDefaultSystemTurnAndAGivenOneComesFirst) {
    EXPECT_EQ(
        chat_prompt({{"system", "Be brief."}, {"user", "Hi"}}, true),
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
    EXPECT_EQ(chat_prompt({}, true), "<|im_start|>assistant\n");
}

TEST(ChatPrompt, ReasoningBeforeTheLastQuestionIsDropped) {
    EXPECT_EQ(
        chat_prompt({{"user", "1+1?"}, {"assistant", "<think>\nhm\n</think>\n\n2"}, {"user", "sure?"}}, true),
        "<|im_start|>user\n1+1?<|im_end|>\n<|im_start|>assistant\n2<|im_end|>\n"
        "<|im_start|>user\nsure?<|im_end|>\n<|im_start|>assistant\n");
}

TEST(ChatPrompt, ReasoningAfterTheLastQuestionIsKeptInOneShape) {
    const std::string kept =
        "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n<think>\nhm\n</think>\n\n2<|im_end|>\n"
        "<|im_start|>assistant\n";
    EXPECT_EQ(chat_prompt({{"user", "q"}, {"assistant", "<think>\n\nhm\n</think>2"}}, true), kept);
    EXPECT_EQ(chat_prompt({{"user", "q"}, {"assistant", "<think>hm</think>\n\n\n2"}}, true), kept);
}

TEST(ChatPrompt, AnswersWithoutReasoningStayAsTheyAre) {
    EXPECT_EQ(chat_prompt({{"user", "a"}, {"assistant", "b\n"}, {"user", "c"}}, false),
              "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\nb\n<|im_end|>\n"
              "<|im_start|>user\nc<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n");
}

} // namespace
} // namespace speclens
