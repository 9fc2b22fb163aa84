// The chat format, as text: golden strings written out by hand from the published templates of Qwen3 and
// Qwen2.5.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "engine/base/json.h"
#include "engine/models/models.h"
#include "engine/run/run.h"
#include "engine/text/chat.h"
#include "tests/shared/model_support.h"

namespace speclens {
namespace {

using Think = ChatFormat::Think;

TEST(ChatPrompt, OneQuestionWithoutThinkingEndsWithAnEmptyThinkBlock) {
    EXPECT_EQ(chat_prompt({{"user", "Hi"}}, false), "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n");
}

TEST(ChatPrompt, WithThinkingTheAnswerIsJustOpened) {
    EXPECT_EQ(chat_prompt({{"user", "Hi"}}, true), "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
}

TEST(ChatPrompt, ThereIsNoDefaultSystemTurnAndAGivenOneComesFirst) {
    EXPECT_EQ(chat_prompt({{"system", "Be brief."}, {"user", "Hi"}}, true),
              "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
    EXPECT_EQ(chat_prompt({}, true), "<|im_start|>assistant\n");
}

TEST(ChatPrompt, ReasoningBeforeTheLastQuestionIsDropped) {
    EXPECT_EQ(chat_prompt({{"user", "1+1?"}, {"assistant", "<think>\nhm\n</think>\n\n2"}, {"user", "sure?"}}, true),
              "<|im_start|>user\n1+1?<|im_end|>\n<|im_start|>assistant\n2<|im_end|>\n"
              "<|im_start|>user\nsure?<|im_end|>\n<|im_start|>assistant\n");
}

TEST(ChatPrompt, ReasoningAfterTheLastQuestionIsKeptInOneShape) {
    const std::string kept = "<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n<think>\nhm\n</think>\n\n2<|im_end|>\n"
                             "<|im_start|>assistant\n";
    EXPECT_EQ(chat_prompt({{"user", "q"}, {"assistant", "<think>\n\nhm\n</think>2"}}, true), kept);
    EXPECT_EQ(chat_prompt({{"user", "q"}, {"assistant", "<think>hm</think>\n\n\n2"}}, true), kept);
}

TEST(ChatPrompt, AnswersWithoutReasoningStayAsTheyAre) {
    EXPECT_EQ(chat_prompt({{"user", "a"}, {"assistant", "b\n"}, {"user", "c"}}, false),
              "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\nb\n<|im_end|>\n"
              "<|im_start|>user\nc<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n");
}

const ChatFormat kQwen2 = {"You are Qwen, created by Alibaba Cloud. You are a helpful assistant.", Think::never};

TEST(ChatPrompt, Qwen2BringsASystemTurnAndThinksNothing) {
    EXPECT_EQ(chat_prompt({{"user", "Hi"}}, false, kQwen2),
              "<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n"
              "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
    EXPECT_EQ(chat_prompt({{"system", "Be brief."}, {"user", "Hi"}}, true, kQwen2),
              "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
    const std::string kept = chat_prompt({{"user", "q"}, {"assistant", "<think>a</think>b"}, {"user", "r"}}, false, kQwen2);
    EXPECT_NE(kept.find("assistant\n<think>a</think>b<|im_end|>"), std::string::npos) << "a text like any other there";
}

TEST(ChatPrompt, WhatAToolAnsweredIsNoQuestion) {
    const std::string kept =
        chat_prompt({{"user", "q"}, {"assistant", "<think>\na\n</think>\n\nb"}, {"user", "<tool_response>\n5\n</tool_response>"}}, true);
    EXPECT_NE(kept.find("<think>\na\n</think>\n\nb"), std::string::npos) << kept;
    EXPECT_EQ(chat_prompt({{"system", "s"}, {"assistant", "b"}}, true).find("<think>"), std::string::npos) << "nothing was asked";
}

TEST(ChatPrompt, TheThinkBlockIsOpenedOrClosedAsTheTemplateDoes) {
    const auto end_of = [](ChatFormat::Think think, bool thinking) {
        const std::string text = chat_prompt({{"user", "Hi"}}, thinking, {"", think});
        return text.substr(text.rfind("assistant\n") + 10);
    };
    EXPECT_EQ(end_of(Think::either, true), "<think>\n");
    EXPECT_EQ(end_of(Think::either, false), "<think>\n\n</think>\n\n");
    for (const bool thinking : {false, true}) EXPECT_EQ(end_of(Think::closed, thinking), "<think>\n\n</think>\n\n");
}

TEST(ChatPrompt, AThinkingModelIsOpenedInItsThoughts) {
    for (const bool thinking : {false, true})
        EXPECT_EQ(chat_prompt({{"user", "Hi"}}, thinking, {"", Think::always}),
                  "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\n");
}

// Templates with the structure of the published ones; golden/chats has more of them.
const std::string kTurns = "{%- for m in messages %}{%- if m.role != 'system' or not loop.first %}"
                           "{{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{%- endif %}{%- endfor %}";
const std::string kOpening = "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}";
const std::string kGivenSystem = "{%- if messages[0].role == 'system' %}"
                                 "{{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}";
const std::string kQwen25Template = "{%- if tools %}\n    {{- '<|im_start|>system\\n' }}\n    {%- if messages[0]['role'] == 'system' %}\n"
                                    "        {{- messages[0]['content'] }}\n    {%- else %}\n        {{- 'You are Qwen.' }}\n    {%- endif "
                                    "%}\n"
                                    "{%- else %}\n    {%- if messages[0]['role'] == 'system' %}\n"
                                    "        {{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}\n    {%- else %}\n"
                                    "        {{- '<|im_start|>system\\nPlease reason step by step.<|im_end|>\\n' }}\n    {%- endif %}\n{%- "
                                    "endif %}\n" +
                                    kTurns + "{%- if add_generation_prompt %}\n    {{- '<|im_start|>assistant\\n' }}\n{%- endif %}\n";
const std::string kInstructTemplate = kGivenSystem + "{%- endif %}" + kTurns + kOpening + "{%- endif %}";

ChatFormat chatml(const std::string& system, Think think) {
    ChatFormat format{system, think};
    if (think != Think::never && think != Think::closed) format.answers = ChatFormat::Answers::kept;
    return format;
}

TEST(ChatFormats, AreReadFromTheTemplate) {
    const auto tokenizer = Tokenizer::load(test::golden("micro_qwen3") / "tokenizer.json");
    const struct {
        std::string text;
        ChatFormat format;
    } cases[] = {
        {kQwen25Template, {"Please reason step by step.", Think::never}},
        {kGivenSystem + "{%- endif %}" + kTurns + kOpening +
             "{%- if enable_thinking is defined and enable_thinking is false %}"
             "{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}{%- endif %}",
         chatml("", Think::asked)},
        {kInstructTemplate, {"", Think::never}},
        {kGivenSystem + "{%- endif %}" + kTurns + "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n<think>\\n' }}{%- endif %}",
         chatml("", Think::always)}};
    for (const auto& [text, format] : cases) {
        test::ModelFolder folder("micro_qwen3");
        std::ofstream(folder.path() / "tokenizer_config.json") << Json{{"chat_template", text}};
        EXPECT_EQ(read_chat_format(folder.path(), *tokenizer), format) << text;
        std::ofstream(folder.path() / "tokenizer_config.json")
            << Json{{"chat_template", {{{"name", "tool_use"}, {"template", "x"}}, {{"name", "default"}, {"template", text}}}}};
        EXPECT_EQ(read_chat_format(folder.path(), *tokenizer), format) << text;
        std::ofstream(folder.path() / "tokenizer_config.json") << "{}";
        EXPECT_NE(read_chat_format(folder.path(), *tokenizer).problem, "") << "none is there";
        std::ofstream(folder.path() / "chat_template.jinja") << text;
        EXPECT_EQ(read_chat_format(folder.path(), *tokenizer), format) << text;
        EXPECT_EQ(chat_format_of(text, "model.gguf", *tokenizer), format) << text;
    }
}

// A template without a loop over the turns loses what is said; without its last endif it is no template.
TEST(ChatFormats, RefuseTemplatesThatLoseWhatIsSaid) {
    const auto tokenizer = Tokenizer::load(test::golden("micro_qwen3") / "tokenizer.json");
    for (const auto& [text, why] : {std::pair{kOpening + "{%- endif %}", "how it writes a turn"},
                                    {kGivenSystem + "{%- endif %}" + kOpening + "{%- endif %}", "how it writes a turn"},
                                    {kInstructTemplate.substr(0, kInstructTemplate.size() - 12), "has no end"},
                                    {"{{ '<|im_start|>' + m.role + m.content }}", "it asks for m"},
                                    {"{% macro f() %}{% endmacro %}" + kInstructTemplate, "{% macro f() %}"},
                                    {kTurns + "{{ 'a' 'b' c }}", "cannot be read"},
                                    {kTurns + kOpening + "{{ strftime_now('%Y') }}{% endif %}", "date of the day"}})
        EXPECT_NE(chat_format_of(text, "file", *tokenizer).problem.find(why), std::string::npos)
            << text << ": " << chat_format_of(text, "file", *tokenizer).problem;
}

// Templates are files from elsewhere.
TEST(ChatFormats, RefuseTemplatesThatWouldTakeForever) {
    const auto tokenizer = Tokenizer::load(test::golden("micro_qwen3") / "tokenizer.json");
    const auto repeated = [](const std::string& text, int times) {
        std::string out;
        for (int i = 0; i < times; ++i) out += text;
        return out;
    };
    for (const std::string& hostile :
         {"{{ " + repeated("(", 50'000) + "1" + repeated(")", 50'000) + " }}", "{{ 1" + repeated(" + 1", 50'000) + " }}",
          "{{ 1" + repeated(" if 1 else 1", 50'000) + " }}", repeated("{% if true %}", 50'000) + repeated("{% endif %}", 50'000),
          "{% set x = 'ab' %}" + repeated("{% set x = x + x %}", 60), "{% set x = messages %}" + repeated("{% set x = x + x %}", 60),
          "{% set x = messages[0].content %}" + repeated("{% set x = x.strip().strip('a') %}", 20'000),
          repeated("{% for a in messages %}", 40) + "x" + repeated("{% endfor %}", 40),
          "{% set x = '" + repeated("x", 100'000) + "' %}" + repeated("{{ x }}", 100), repeated("{{ 'x' }}", 100'000),
          std::string(2 << 20, 'x')})
        EXPECT_NE(chat_format_of(hostile + kInstructTemplate, "file", *tokenizer).problem, "") << hostile.substr(0, 60);
}

// Templates that write ChatML in other words, and what transformers writes of them.
TEST(ChatFormats, ReadTheOpeningOfTheAnswerAndTheSystemTurn) {
    const auto tokenizer = Tokenizer::load(test::golden("micro_qwen3") / "tokenizer.json");
    const std::string turns = "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content + "
                              "'<|im_end|>' + '\\n' }}{% endfor %}";
    const std::string opening = "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";
    const auto format_of = [&](const std::string& text, const char* bos = nullptr) {
        test::ModelFolder folder("micro_qwen3");
        Json config = {{"chat_template", text}};
        if (bos) config["bos_token"] = bos;
        std::ofstream(folder.path() / "tokenizer_config.json") << config;
        return read_chat_format(folder.path(), *tokenizer);
    };
    const auto opened = [&](const std::string& text) { return format_of(turns + "{% if add_generation_prompt %}" + text + "{% endif %}"); };
    const std::string assistant = "{{ '<|im_start|>assistant\\n' }}";
    EXPECT_EQ(opened(assistant + "{% if enable_thinking is defined and enable_thinking is false %}"
                                 "{{ '<think>\\n\\n</think>\\n\\n' }}{% else %}{{ '<think>\\n' }}{% endif %}"),
              chatml("", Think::either));
    EXPECT_EQ(opened(assistant + "{% if enable_thinking %}{{ '<think>\\n' }}{% else %}"
                                 "{{ '<think>\\n\\n</think>\\n\\n' }}{% endif %}"),
              chatml("", Think::either));
    EXPECT_EQ(opened("{{ '<|im_start|>assistant\\n' + '<think>\\n' }}"), chatml("", Think::always));
    EXPECT_EQ(opened(assistant + "{{ '<think>\\n' }}"), chatml("", Think::always));
    EXPECT_EQ(opened(assistant + "{{ '<think>\\n\\n</think>\\n\\n' }}"), (ChatFormat{"", Think::closed}));
    EXPECT_EQ(format_of(turns + "{{ '<|im_start|>assistant\\n' if add_generation_prompt else '' }}"), (ChatFormat{"", Think::never}));
    for (const std::string odd : {"{{ '<think>' }}", "{% if mood %}{{ '<think>\\n' }}{% endif %}", "{{ name }}"})
        EXPECT_NE(opened(assistant + odd).problem.find("how it opens an answer"), std::string::npos) << odd;

    const std::string open = "<|im_start|>system\\n", end = "<|im_end|>\\n";
    const std::string none = "{% if messages[0].role != 'system' %}";
    const auto system_of = [&](const std::string& text) {
        const ChatFormat format = format_of(text + turns + opening);
        EXPECT_EQ(format.problem, "") << text;
        return format.default_system;
    };
    EXPECT_EQ(system_of(none + "{% set s = 'Be kind.' %}{{ '" + open + "' + s + '" + end + "' }}{% endif %}"), "Be kind.");
    EXPECT_EQ(system_of(none + "{{ '" + open + "' }}{{ 'Be brief.' }}{{ '" + end + "' }}{% endif %}"), "Be brief.");
    EXPECT_EQ(system_of("{% if tools is not none %}{{ '" + open + "Use tools." + end + "' }}{% endif %}"), "");
    EXPECT_EQ(system_of("{% if not tools and messages[0].role == 'user' %}{{ '" + open + "No tools." + end +
                        "' }}{% endif %}{% if messages[0].role == 'assistant' %}{{ '" + open + "No tools." + end + "' }}{% endif %}"),
              "No tools.");
    EXPECT_EQ(chat_prompt({{"system", "Be brief."}, {"user", "Hi"}}, false,
                          format_of("{{ '" + open + "Be kind." + end + "' }}" + turns + opening)),
              "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>system\nBe brief.<|im_end|>\n"
              "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n")
        << "both where one is given, as transformers has it";
    EXPECT_EQ(format_of("{% if messages[0].role == 'system' %}{% set s = messages[0].content %}"
                        "{% set rest = messages[1:] %}{% else %}{% set s = 'Be kind.' %}"
                        "{% set rest = messages %}{% endif %}{{ '" +
                        open + "' + s + '" + end + "' }}{% for m in rest %}" + turns.substr(23) + opening)
                  .default_system,
              "Be kind.");
    EXPECT_NE(format_of("{{ '" + open + "Obey. ' + messages[0].content + '" + end + "' }}" + turns).problem.find("system turn"),
              std::string::npos);
    EXPECT_NE(format_of("{{ '" + open + "' + today() + '" + end + "' }}" + turns).problem.find("system turn"), std::string::npos);
}

TEST(ChatFormats, WriteTheBosTokenOfTheTemplateOnce) {
    const auto tokenizer = Tokenizer::load(test::golden("micro_qwen3") / "tokenizer.json");
    const std::string text = "{{ bos_token }}" + kInstructTemplate;
    EXPECT_EQ(chat_format_of(text, "file", *tokenizer), (ChatFormat{"", Think::never})) << "there is none";
    const ChatFormat format = chat_format_of(text, "file", *tokenizer, "<|endoftext|>");
    EXPECT_EQ(format.begin, "<|endoftext|>");
    EXPECT_TRUE(chat_prompt({{"user", "Hi"}}, false, format).starts_with("<|endoftext|><|im_start|>user\n"));
    EXPECT_NE(chat_format_of(text, "file", *tokenizer, "<none>").problem.find("no token <none>"), std::string::npos);

    test::ModelFolder folder("micro_qwen3");
    std::ofstream(folder.path() / "tokenizer_config.json") << Json{{"tokenizer_class", "LlamaTokenizerFast"},
                                                                   {"add_bos_token", true},
                                                                   {"bos_token", {{"content", "<|endoftext|>"}}},
                                                                   {"chat_template", text}};
    const Models models = load_models({.target = folder.path()});
    RunSettings settings;
    settings.prompt.text = "Hi";
    settings.prompt.chat = true;
    const PromptTokens chat = prompt_tokens(models, settings.prompt);
    const int bos = models.tokenizer->id_of("<|endoftext|>");
    EXPECT_EQ(chat.ids.front(), bos);
    EXPECT_EQ(std::ranges::count(chat.ids, bos), 1);
    settings.prompt.chat = false;
    EXPECT_EQ(prompt_tokens(models, settings.prompt).ids.front(), bos);
}

// Turns that are not ChatML's.
TEST(ChatFormats, TrimAndRefuseAsTheTemplateDoes) {
    const auto tokenizer = Tokenizer::load(test::golden("micro_qwen3") / "tokenizer.json");
    const auto format_of = [&](const std::string& turn, const std::string& before = "") {
        return chat_format_of("{% for m in messages %}" + before + "{{ " + turn + " }}{% endfor %}{{ '<a>' }}", "file", *tokenizer);
    };
    const ChatFormat trimming = format_of("'<' + m.role + '>' + m.content | trim + '.'");
    EXPECT_EQ(trimming.problem, "");
    EXPECT_EQ(chat_prompt({{"system", "\t"}, {"user", "\u00a0 a b\u2003\n"}}, false, trimming), "<system>.<user>a b.<a>");
    EXPECT_EQ(chat_parts({{"user", " <user> "}}, false, trimming),
              (std::vector<TextPart>{{"<user>", false}, {"<user>", true}, {".<a>", false}}));
    const ChatFormat alternating =
        format_of("'<' + m.role + '>' + m.content", "{% if m.role == 'system' or (m.role == 'user') != (loop.index0 % 2 == 0) %}"
                                                    "{{ raise_exception('no') }}{% endif %}");
    EXPECT_EQ(alternating.problem, "");
    EXPECT_EQ(chat_prompt({{"user", "a"}, {"assistant", "b"}, {"user", "c"}}, false, alternating), "<user>a<assistant>b<user>c<a>");
    test::expect_error(
        [&] {
            (void)chat_prompt({{"user", "a"}, {"user", "b"}}, false, alternating);
        },
        {"one after the other", "turn 2", "user"});
    test::expect_error([&] { (void)chat_prompt({{"system", "a"}, {"user", "b"}}, false, alternating); }, {"no place for a system turn"});
    test::expect_error([&] { (void)chat_prompt({{"tool", "a"}}, false, {}); }, {"role \"tool\""});
    EXPECT_NE(format_of("'<' + m.role + '>' + m.content | upper").problem.find("filter upper"), std::string::npos);
    EXPECT_NE(format_of("'<' + m.role + '>' + m.content", "{% if m.content %}{% endif %}").problem.find("whether something was said"),
              std::string::npos);
}

// As transformers' apply_chat_template writes it: quotes, backslashes and braces belong to the turn.
TEST(ChatFormats, ReadTheEscapesOfALiteral) {
    const auto tokenizer = Tokenizer::load(test::golden("micro_qwen3") / "tokenizer.json");
    const auto system_of = [&](const std::string& text) {
        test::ModelFolder folder("micro_qwen3");
        std::ofstream(folder.path() / "chat_template.jinja") << text + kInstructTemplate;
        return read_chat_format(folder.path(), *tokenizer).default_system;
    };
    const auto literal = [&](const std::string& words, const std::string& quote = "'") {
        return system_of("{%- if messages[0]['role'] != 'system' %}{{- " + quote + "<|im_start|>system\\n" + words + "<|im_end|>\\n" +
                         quote + " }}{%- endif %}");
    };
    EXPECT_EQ(literal("Please put your final answer within \\\\boxed{}."), "Please put your final answer within \\boxed{}.");
    EXPECT_EQ(literal("I\\'m \"Bob\"."), "I'm \"Bob\".");
    EXPECT_EQ(literal("I'm \\\"Bob\\\".", "\""), "I'm \"Bob\".");
    EXPECT_EQ(literal("a\\nb\\tc {{ d }} %} \\x41\\u00e9\\U0001F600\\60 \\d \\x4"), "a\nb\tc {{ d }} %} Aé😀0 \\d \\x4");
    EXPECT_EQ(literal("\\x41B\\u00e99\\0601"), "ABé901") << "digits behind a whole escape";
    EXPECT_EQ(system_of("{# '<|im_start|>system\\nno<|im_end|>' #}{% if messages[0].role != 'system' %}"
                        "<|im_start|>system\nIt's me.<|im_end|>\n\n{%- endif %}"),
              "")
        << "its line break is taken away by the tag behind it";
    EXPECT_EQ(system_of("{# '<|im_start|>system\\nno<|im_end|>' #}{% if messages[0].role != 'system' %}"
                        "<|im_start|>system\nIt's me.<|im_end|>\n{% endif %}\n"),
              "It's me.")
        << "outside of tags";
    for (const char* broken : {"{{ '<|im_start|>system\\", "{{", "{% 'a", "<|im_start|>{"}) EXPECT_EQ(system_of(broken), "") << broken;
}

TEST(ChatFormats, RefuseAChatInATemplateThatIsNotUnderstood) {
    test::ModelFolder folder("micro_qwen3");
    std::ofstream(folder.path() / "chat_template.jinja") << "{% for m in messages %}{{'<｜Asked｜>' + m['content'] | reverse}}{% endfor "
                                                            "%}{{'<｜Answered｜>'}}";
    const Models models = load_models({.target = folder.path()});
    RunSettings settings;
    settings.prompt.text = "Hi";
    EXPECT_EQ(prompt_tokens(models, settings.prompt).text, "Hi") << "raw text needs no template";
    settings.prompt.chat = true;
    test::expect_error([&] { (void)prompt_tokens(models, settings.prompt); },
                       {"chat_template.jinja", "filter reverse", "<｜Asked｜>, <｜Answered｜>"});
}

// Nobody is Qwen who does not say so.
TEST(ChatFormats, AreNotKnownWithoutATemplate) {
    test::ModelFolder folder("micro_qwen2");
    const Models models = load_models({.target = folder.path()});
    RunSettings settings;
    settings.prompt.text = "Hi";
    EXPECT_EQ(prompt_tokens(models, settings.prompt).text, "Hi");
    settings.prompt.chat = true;
    test::expect_error([&] { (void)prompt_tokens(models, settings.prompt); }, {"no chat template"});
    EXPECT_EQ(why_no_thinking(models.chat), "") << "there are other troubles first";
}

// What nobody asked for as a chat is asked as text, and it is said.
TEST(ChatFormats, AreLeftOutWithANoticeWhereAChatWasOnlyWished) {
    test::ModelFolder folder("micro_qwen3");
    const auto models = std::make_shared<const Models>(load_models({.target = folder.path()}));
    RunSettings settings;
    settings.prompt.text = "Hi";
    settings.prompt.chat = settings.prompt.chat_if_possible = true;
    settings.drafter = "none";
    settings.max_tokens = 1;
    const PromptTokens prompt = prompt_tokens(*models, settings.prompt);
    EXPECT_EQ(prompt.text, "Hi");
    EXPECT_FALSE(prompt.chat);
    EXPECT_NE(prompt.notice.find("there is no chat template"), std::string::npos) << prompt.notice;
    speclens::Run run(models, settings);
    EXPECT_FALSE(run.trace().header()->chat);
    EXPECT_NE(run.trace().header()->notice.find("asked as plain text"), std::string::npos);
}

TEST(ChatFormats, SayWhyThinkingChangesNothing) {
    EXPECT_EQ(why_no_thinking({}), "");
    EXPECT_EQ(why_no_thinking({"", Think::either}), "");
    EXPECT_NE(why_no_thinking({"", Think::never}).find("no switch"), std::string::npos);
    EXPECT_NE(why_no_thinking({"", Think::always}).find("every answer with a thought"), std::string::npos);
    EXPECT_NE(why_no_thinking({"", Think::closed}).find("empty thought"), std::string::npos);
}

// What a person says is text, whatever it spells.
TEST(ChatPrompt, ASpecialTokenThatIsSaidStaysText) {
    test::ModelFolder folder("micro_qwen3");
    std::ofstream(folder.path() / "chat_template.jinja") << kInstructTemplate;
    const Models models = load_models({.target = folder.path()});
    const int end = models.tokenizer->id_of("<|im_end|>");
    ASSERT_TRUE(models.tokenizer->is_special(end));
    const auto ends = [&](const PromptTokens& prompt) { return std::ranges::count(prompt.ids, end); };
    RunSettings settings;
    settings.prompt.text = "a<|im_end|>b";
    EXPECT_EQ(ends(prompt_tokens(models, settings.prompt)), 1) << "raw text says what it likes";
    settings.prompt.chat = true;
    settings.prompt.system = "<|im_end|>";
    const PromptTokens chat = prompt_tokens(models, settings.prompt);
    EXPECT_EQ(ends(chat), 2) << "of the system's and the user's turn";
    EXPECT_EQ(models.tokenizer->decode(chat.ids), chat.text);
    settings.prompt.text = "What is 1 + 1?";
    settings.prompt.system = "Be brief.";
    const PromptTokens plain = prompt_tokens(models, settings.prompt);
    EXPECT_EQ(plain.ids, models.tokenizer->encode(plain.text));

    RunSettings served; // a conversation of a client
    served.prompt.parts = chat_parts({{"user", "<|im_end|>"}}, false, models.chat);
    served.prompt.text = joined(served.prompt.parts);
    EXPECT_EQ(ends(prompt_tokens(models, served.prompt)), 1);
    served.prompt.text += "!";
    EXPECT_EQ(ends(prompt_tokens(models, served.prompt)), 2) << "another text by now";
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
    std::ofstream(folder.path() / "chat_template.jinja") << kInstructTemplate;
    const Models models = load_models({.target = folder.path()});
    RunSettings settings;
    settings.prompt.text = "Hi";
    const PromptTokens raw = prompt_tokens(models, settings.prompt);
    EXPECT_EQ(raw.ids.front(), models.tokenizer->id_of("<|endoftext|>"));
    EXPECT_EQ(raw.text, "<|endoftext|>Hi");
    settings.prompt.text = raw.text;
    EXPECT_EQ(prompt_tokens(models, settings.prompt).ids, raw.ids);
    settings.prompt.chat = true;
    EXPECT_NE(prompt_tokens(models, settings.prompt).ids.front(), raw.ids.front()) << "its template has all there is";
}

// A loaded model's prompts are in its own format.
TEST(ChatFormats, GoIntoThePrompt) {
    test::ModelFolder folder("micro_qwen3");
    std::ofstream(folder.path() / "tokenizer_config.json") << Json{{"chat_template", kQwen25Template}};
    const Models models = load_models({.target = folder.path()});
    RunSettings settings;
    settings.prompt.chat = true;
    settings.prompt.text = "Hi";
    EXPECT_EQ(prompt_tokens(models, settings.prompt).text,
              "<|im_start|>system\nPlease reason step by step.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
              "<|im_start|>assistant\n");
}

} // namespace
} // namespace speclens
