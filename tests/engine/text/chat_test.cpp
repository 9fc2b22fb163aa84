// The chat format, as text: golden strings written out by hand from the published templates of Qwen3 and
// Qwen2.5.
#include <gtest/gtest.h>

#include <fstream>

#include <nlohmann/json.hpp>

#include "engine/run/run.h"
#include "engine/text/chat.h"
#include "tests/shared/model_support.h"

namespace speclens {
namespace {

using Think = ChatFormat::Think;

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

const ChatFormat kQwen2 = {"You are Qwen, created by Alibaba Cloud. You are a helpful assistant.",
                           Think::never};

TEST(ChatPrompt, Qwen2BringsASystemTurnAndThinksNothing) {
    EXPECT_EQ(
        chat_prompt({{"user", "Hi"}}, false, kQwen2),
        "<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n"
        "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
    EXPECT_EQ(
        chat_prompt({{"system", "Be brief."}, {"user", "Hi"}}, true, kQwen2),
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
    const std::string kept =
        chat_prompt({{"user", "q"}, {"assistant", "<think>a</think>b"}, {"user", "r"}}, false, kQwen2);
    EXPECT_NE(kept.find("assistant\n<think>a</think>b<|im_end|>"), std::string::npos)
        << "a text like any other there";
}

TEST(ChatPrompt, WhatAToolAnsweredIsNoQuestion) {
    const std::string kept = chat_prompt({{"user", "q"},
                                          {"assistant", "<think>\na\n</think>\n\nb"},
                                          {"user", "<tool_response>\n5\n</tool_response>"}},
                                         true);
    EXPECT_NE(kept.find("<think>\na\n</think>\n\nb"), std::string::npos) << kept;
    EXPECT_EQ(chat_prompt({{"system", "s"}, {"assistant", "b"}}, true).find("<think>"), std::string::npos)
        << "nothing was asked";
}

TEST(ChatPrompt, TheThinkBlockIsOpenedOrClosedAsTheTemplateDoes) {
    const auto end_of = [](ChatFormat::Think think, bool thinking) {
        const std::string text = chat_prompt({{"user", "Hi"}}, thinking, {"", think});
        return text.substr(text.rfind("assistant\n") + 10);
    };
    EXPECT_EQ(end_of(Think::either, true), "<think>\n");
    EXPECT_EQ(end_of(Think::either, false), "<think>\n\n</think>\n\n");
    for (const bool thinking : {false, true})
        EXPECT_EQ(end_of(Think::closed, thinking), "<think>\n\n</think>\n\n");
}

TEST(ChatPrompt, AThinkingModelIsOpenedInItsThoughts) {
    for (const bool thinking : {false, true})
        EXPECT_EQ(chat_prompt({{"user", "Hi"}}, thinking, {"", Think::always}),
                  "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\n");
}

// Pieces of the published templates around what tells them apart.
constexpr const char* kQwen25Template =
    "{%- if tools %}\n    {{- '<|im_start|>system\\n' }}\n    {%- if messages[0]['role'] == 'system' %}\n"
    "        {{- messages[0]['content'] }}\n    {%- else %}\n        {{- 'You are Qwen.' }}\n    {%- endif "
    "%}\n"
    "{%- else %}\n    {%- if messages[0]['role'] == 'system' %}\n"
    "        {{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}\n    {%- else %}\n"
    "        {{- '<|im_start|>system\\nPlease reason step by step.<|im_end|>\\n' }}\n    {%- endif %}\n{%- "
    "endif %}\n"
    "{%- if add_generation_prompt %}\n    {{- '<|im_start|>assistant\\n' }}\n{%- endif %}\n";
constexpr const char* kQwen3Template =
    "{{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}\n"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}"
    "{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' "
    "}}{%- endif %}";
constexpr const char* kInstructTemplate =
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}";
constexpr const char* kThinkingTemplate =
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n<think>\\n' }}";

TEST(ChatFormats, AreReadFromTheTemplate) {
    const auto tokenizer = Tokenizer::load(test::golden("micro_qwen3") / "tokenizer.json");
    const struct {
        const char* text;
        ChatFormat format;
    } cases[] = {{kQwen25Template, {"Please reason step by step.", Think::never}},
                 {kQwen3Template, {"", Think::asked}},
                 {kInstructTemplate, {"", Think::never}},
                 {kThinkingTemplate, {"", Think::always}}};
    for (const auto& [text, format] : cases) {
        test::ModelFolder folder("micro_qwen3");
        std::ofstream(folder.path() / "tokenizer_config.json") << nlohmann::json{{"chat_template", text}};
        EXPECT_EQ(read_chat_format(folder.path(), *tokenizer), format) << text;
        std::ofstream(folder.path() / "tokenizer_config.json")
            << nlohmann::json{{"chat_template",
                     {{{"name", "tool_use"}, {"template", "x"}}, {{"name", "default"}, {"template", text}}}}};
        EXPECT_EQ(read_chat_format(folder.path(), *tokenizer), format) << text;
        std::ofstream(folder.path() / "tokenizer_config.json") << "{}";
        EXPECT_EQ(read_chat_format(folder.path(), *tokenizer), ChatFormat{}) << "by its tokens";
        std::ofstream(folder.path() / "chat_template.jinja") << text;
        EXPECT_EQ(read_chat_format(folder.path(), *tokenizer), format) << text;
    }
}

// Templates that write ChatML in other words, and what transformers writes of them.
TEST(ChatFormats, ReadTheOpeningOfTheAnswerAndTheSystemTurn) {
    const auto tokenizer = Tokenizer::load(test::golden("micro_qwen3") / "tokenizer.json");
    const std::string turns = "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content + "
                              "'<|im_end|>' + '\\n' }}{% endfor %}";
    const auto format_of = [&](const std::string& text, const char* bos = nullptr) {
        test::ModelFolder folder("micro_qwen3");
        nlohmann::json config = {{"chat_template", text}};
        if (bos) config["bos_token"] = bos;
        std::ofstream(folder.path() / "tokenizer_config.json") << config;
        return read_chat_format(folder.path(), *tokenizer);
    };
    const auto opened = [&](const std::string& text) {
        return format_of(turns + "{% if add_generation_prompt %}" + text + "{% endif %}");
    };
    const std::string assistant = "{{ '<|im_start|>assistant\\n' }}";
    EXPECT_EQ(opened(assistant +
                     "{% if enable_thinking is defined and enable_thinking is false %}"
                     "{{ '<think>\\n\\n</think>\\n\\n' }}{% else %}{{ '<think>\\n' }}{% endif %}"),
              (ChatFormat{"", Think::either}));
    EXPECT_EQ(opened(assistant + "{% if enable_thinking %}{{ '<think>\\n' }}{% else %}"
                                 "{{ '<think>\\n\\n</think>\\n\\n' }}{% endif %}"),
              (ChatFormat{"", Think::either}));
    EXPECT_EQ(opened("{{ '<|im_start|>assistant\\n' + '<think>\\n' }}"), (ChatFormat{"", Think::always}));
    EXPECT_EQ(opened(assistant + "{{ '<think>\\n' }}"), (ChatFormat{"", Think::always}));
    EXPECT_EQ(opened(assistant + "{{ '<think>\\n\\n</think>\\n\\n' }}"), (ChatFormat{"", Think::closed}));
    EXPECT_EQ(format_of(turns + "{{ '<|im_start|>assistant\\n' if add_generation_prompt else '' }}"),
              (ChatFormat{"", Think::never}));
    for (const std::string odd :
         {"{{ '<think>' }}", "{% if mood %}{{ '<think>\\n' }}{% endif %}", "{{ name }}"})
        EXPECT_NE(opened(assistant + odd).problem.find("how it opens an answer"), std::string::npos) << odd;

    const std::string open = "<|im_start|>system\\n", end = "<|im_end|>\\n";
    const auto system_of = [&](const std::string& text) { return format_of(text + turns).default_system; };
    EXPECT_EQ(system_of("{% set s = 'Be kind.' %}{{ '" + open + "' + s + '" + end + "' }}"), "Be kind.");
    EXPECT_EQ(system_of("{{ '" + open + "' }}{{ 'Be brief.' }}{{ '" + end + "' }}"), "Be brief.");
    EXPECT_EQ(system_of("{% if tools is not none %}{{ '" + open + "Use tools." + end + "' }}{% endif %}"),
              "");
    EXPECT_EQ(system_of("{% if not tools %}{{ '" + open + "No tools." + end + "' }}{% endif %}"),
              "No tools.");
    EXPECT_EQ(system_of("{{ '" + open + "' + messages[0]['content'] | trim + '" + end + "' }}"), "");
    EXPECT_EQ(system_of("{% if messages[0].role == 'system' %}{% set s = messages[0].content %}{% else %}"
                        "{% set s = 'Be kind.' %}{% endif %}{{ '" +
                        open + "' + s + '" + end + "' }}"),
              "Be kind.");
    EXPECT_NE(format_of("{{ '" + open + "Obey. ' + messages[0].content + '" + end + "' }}" + turns)
                  .problem.find("system turn"),
              std::string::npos);
    EXPECT_EQ(
        format_of("{{ '<|im_start|>' + m.role + '\\n<think>\\n' + said.strip('\\n') + '<|im_end|>\\n' }}")
            .problem,
        "")
        << "Qwen3 takes line breaks from what was thought";
    EXPECT_NE(format_of("{{ '" + open + "' + today() + '" + end + "' }}" + turns).problem.find("system turn"),
              std::string::npos);

    EXPECT_EQ(format_of("{{ bos_token }}" + turns).problem, "") << "which writes nothing";
    EXPECT_NE(format_of("{{ bos_token }}" + turns, "!").problem.find("bos_token"), std::string::npos);
    for (const auto& [other, why] :
         {std::pair{"{{ '<|im_start|>' + m.role + '\\n' + m.content | trim + '<|im_end|>\\n' }}", "trims"},
          {"{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>' }}{{ '<|im_start|>' }}",
           "new line"},
          {"{{ '<|im_start|>user<|im_sep|>' + m.content + '<|im_end|>\\n' }}", "<|im_start|>user"},
          {"{{ '<|im_start|>human\\n' + m.content + '<|im_end|>\\n' }}", "<|im_start|>human"}})
        EXPECT_NE(format_of(other).problem.find(why), std::string::npos) << format_of(other).problem;
}

// As transformers' apply_chat_template writes it: quotes, backslashes and braces belong to the turn.
TEST(ChatFormats, ReadTheEscapesOfALiteral) {
    const auto tokenizer = Tokenizer::load(test::golden("micro_qwen3") / "tokenizer.json");
    const auto system_of = [&](const std::string& text) {
        test::ModelFolder folder("micro_qwen3");
        std::ofstream(folder.path() / "chat_template.jinja") << text;
        return read_chat_format(folder.path(), *tokenizer).default_system;
    };
    const auto literal = [&](const std::string& words, const std::string& quote = "'") {
        return system_of("{%- if messages[0]['role'] != 'system' %}{{- " + quote + "<|im_start|>system\\n" +
                         words + "<|im_end|>\\n" + quote + " }}{%- endif %}");
    };
    EXPECT_EQ(literal("Please put your final answer within \\\\boxed{}."),
              "Please put your final answer within \\boxed{}.");
    EXPECT_EQ(literal("I\\'m \"Bob\"."), "I'm \"Bob\".");
    EXPECT_EQ(literal("I'm \\\"Bob\\\".", "\""), "I'm \"Bob\".");
    EXPECT_EQ(literal("a\\nb\\tc {{ d }} %} \\x41\\u00e9\\U0001F600\\60 \\d \\x4"),
              "a\nb\tc {{ d }} %} Aé😀0 \\d \\x4");
    EXPECT_EQ(literal("\\x41B\\u00e99\\0601"), "ABé901") << "digits behind a whole escape";
    EXPECT_EQ(system_of("{# '<|im_start|>system\\nno<|im_end|>' #}{% if x %}<|im_start|>system\nIt's "
                        "me.<|im_end|>\n{% endif %}"),
              "It's me.")
        << "outside of tags";
    for (const char* broken : {"{{ '<|im_start|>system\\", "{{", "{% 'a", "<|im_start|>{"})
        EXPECT_EQ(system_of(broken), "") << broken;
}

// Of DeepSeek-R1-Distill.
constexpr const char* kOtherTemplate =
    "{{bos_token}}{% for message in messages %}{% if message['role'] == 'user' %}"
    "{{'<｜User｜>' + message['content']}}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{'<｜Assistant｜>'}}{% endif %}";

TEST(ChatFormats, RefuseAChatInATemplateThatIsNotChatMl) {
    test::ModelFolder folder("micro_qwen3");
    std::ofstream(folder.path() / "chat_template.jinja") << kOtherTemplate;
    const Models models = load_models({.target = folder.path()});
    RunSettings settings;
    settings.prompt = "Hi";
    EXPECT_EQ(prompt_tokens(models, settings).text, "Hi") << "raw text needs no template";
    settings.chat = true;
    test::expect_error([&] { (void)prompt_tokens(models, settings); },
                       {"chat_template.jinja", "not ChatML", "<｜User｜>, <｜Assistant｜>"});
}

TEST(ChatFormats, AreThoseOfTheFamilyWithoutATemplate) {
    test::ModelFolder folder("micro_qwen2");
    const auto with = Tokenizer::load(folder.path() / "tokenizer.json");
    EXPECT_EQ(read_chat_format(folder.path(), *with), ChatFormat{});
    folder.edit("tokenizer.json", "\"<think>\"", "\"<thunk>\"");
    const auto without = Tokenizer::load(folder.path() / "tokenizer.json");
    EXPECT_EQ(read_chat_format(folder.path(), *without), kQwen2);
}

TEST(ChatFormats, RefuseABrokenFileByName) {
    test::ModelFolder folder("micro_qwen3");
    std::ofstream(folder.path() / "tokenizer_config.json") << "{";
    test::expect_error([&] { (void)load_models({.target = folder.path()}); }, {"tokenizer_config.json"});
}

// Raw text of a model whose tokenizer puts a token in front, once.
TEST(ChatFormats, ABosTokenGoesBeforeRawTextOnly) {
    test::ModelFolder folder("micro_qwen3");
    std::ofstream(folder.path() / "tokenizer_config.json")
        << R"({"tokenizer_class":"LlamaTokenizerFast","add_bos_token":true,"bos_token":"<|endoftext|>"})";
    const Models models = load_models({.target = folder.path()});
    RunSettings settings;
    settings.prompt = "Hi";
    const PromptTokens raw = prompt_tokens(models, settings);
    EXPECT_EQ(raw.ids.front(), models.tokenizer->id_of("<|endoftext|>"));
    EXPECT_EQ(raw.text, "<|endoftext|>Hi");
    settings.prompt = raw.text;
    EXPECT_EQ(prompt_tokens(models, settings).ids, raw.ids);
    settings.chat = true;
    EXPECT_NE(prompt_tokens(models, settings).ids.front(), raw.ids.front())
        << "its template has all there is";
}

// A loaded model's prompts are in its own format.
TEST(ChatFormats, GoIntoThePrompt) {
    test::ModelFolder folder("micro_qwen3");
    std::ofstream(folder.path() / "tokenizer_config.json") << nlohmann::json{{"chat_template", kQwen25Template}};
    const Models models = load_models({.target = folder.path()});
    RunSettings settings;
    settings.chat = true;
    settings.prompt = "Hi";
    EXPECT_EQ(prompt_tokens(models, settings).text,
              "<|im_start|>system\nPlease reason step by step.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
              "<|im_start|>assistant\n");
}

} // namespace
} // namespace speclens
