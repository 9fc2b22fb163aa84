// What our own server takes of a request's body, and what it refuses instead of ignoring it.
#include <gtest/gtest.h>

#include <string>

#include "remote/serving/completion_request.h"

namespace speclens::test {

namespace {

RunSettings base() {
    RunSettings settings;
    settings.drafter = "small";
    return settings;
}

} // namespace

TEST(ServedRequest, LeavesTheSeedOfTheServerAlone) {
    RunSettings settings = base();
    settings.seed = (std::uint64_t{1} << 53) + 1; // no double
    EXPECT_EQ(read_request(R"({"prompt":"a"})", false, settings).settings.seed, settings.seed);
    EXPECT_EQ(read_request(R"({"prompt":"a","seed":9})", false, settings).settings.seed, 9U);
    EXPECT_THROW((void)read_request(R"({"prompt":"a","seed":-1})", false, settings), Refused);
}

// --seed of run, attach and the server takes all of them.
TEST(ServedRequest, TakesEverySeedThatTheProgramTakes) {
    const auto seed = [](const std::string& text) {
        return read_request(R"({"prompt":"a","seed":)" + text + "}", false, base()).settings.seed;
    };
    EXPECT_EQ(seed("9223372036854775807"), 9223372036854775807U);
    EXPECT_EQ(seed("9007199254740993"), 9007199254740993U) << "2^53 + 1, no double";
    EXPECT_EQ(seed("7.0"), 7U);
    for (const char* no : {"9223372036854775808", "18446744073709551615", "9.3e18", "1e300", "-1", "0.5"})
        EXPECT_THROW((void)seed(no), Refused) << no;
}

TEST(ServedRequest, TakesTopKAndRefusesWhatItWouldIgnore) {
    RunSettings settings = base();
    settings.sampling.top_k = 3;
    const auto top_k = [&](const char* body) { return read_request(body, false, settings).settings.sampling.top_k; };
    EXPECT_EQ(top_k(R"({"prompt":"a"})"), 3);
    EXPECT_EQ(top_k(R"({"prompt":"a","top_k":1})"), 1);
    EXPECT_EQ(top_k(R"({"prompt":"a","top_k":-1})"), 0);
    EXPECT_THROW((void)top_k(R"({"prompt":"a","top_k":"1"})"), Refused);
    for (const char* field : {R"("min_p":0.1)", R"("ignore_eos":true)", R"("stop_token_ids":[3])", R"("min_tokens":4)",
                              R"("repetition_penalty":1.1)", R"("stop":"x")", R"("best_of":2)"})
        EXPECT_THROW((void)top_k((R"({"prompt":"a",)" + std::string(field) + "}").c_str()), Refused) << field;
    for (const char* field : {R"("min_p":0)", R"("ignore_eos":false)", R"("stop_token_ids":[])", R"("min_tokens":0)",
                              R"("repetition_penalty":1.0)", R"("stop":null)", R"("best_of":1)", R"("stop":"")"})
        EXPECT_EQ(top_k((R"({"prompt":"a",)" + std::string(field) + "}").c_str()), 3) << field;
    EXPECT_THROW((void)top_k((R"({"prompt":)" + std::string(100000, '[') + std::string(100000, ']') + "}").c_str()), Refused);
}

TEST(ServedRequest, TakesNullForAFieldThatIsLeftOut) {
    RunSettings settings = base();
    settings.seed = 7;
    const RunSettings asked =
        read_request(R"({"prompt":"a","max_tokens":12,"max_completion_tokens":null,"seed":null,"top_p":null})", false, settings).settings;
    EXPECT_EQ(asked.max_tokens, 12);
    EXPECT_EQ(asked.seed, 7U);
    EXPECT_EQ(asked.sampling.top_p, 1);
    EXPECT_EQ(read_request(R"({"prompt":"a","max_tokens":12,"max_completion_tokens":5})", false, settings).settings.max_tokens, 5);
    EXPECT_THROW((void)read_request(R"({"prompt":"a","top_p":0})", false, settings), Refused);
}

TEST(ServedRequest, CountsInWholeNumbersAndSaysSo) {
    const auto why = [](const std::string& field) -> std::string {
        try {
            (void)read_request(R"({"prompt":"a",)" + field + "}", false, base());
        } catch (const Refused& refused) {
            EXPECT_EQ(refused.status, 400);
            return refused.why;
        }
        return "";
    };
    EXPECT_EQ(why(R"("max_tokens":0)"), "max_tokens is 0, expected an integer from 1 to 100000");
    EXPECT_EQ(why(R"("max_tokens":1.5)"), "max_tokens is 1.5, expected an integer from 1 to 100000");
    EXPECT_EQ(why(R"("max_tokens":"9")"), "max_tokens is \"9\", expected an integer from 1 to 100000");
    EXPECT_NE(why(R"("max_completion_tokens":1e300)"), "");
    EXPECT_NE(why(R"("seed":1.5)"), "");
    EXPECT_NE(why(R"("top_k":1.5)"), "");
    EXPECT_NE(why(R"("prompt_logprobs":1.5)"), "");
    EXPECT_NE(why(R"("n":2)").find("n is 2; "), std::string::npos) << why(R"("n":2)");
    EXPECT_NE(why(R"("n":2)").find("only 1 is supported"), std::string::npos) << why(R"("n":2)");
    EXPECT_EQ(why(R"("n":1)"), "");
    EXPECT_EQ(read_request(R"({"prompt":"a","max_tokens":12.0})", false, base()).settings.max_tokens, 12);
}

TEST(ServedRequest, PutsAChatIntoTheFormatOfTheModel) {
    const CompletionRequest asked =
        read_request(R"({"messages":[{"role":"user","content":"Hi"}]})", true, base(), {"Be kind.", ChatFormat::Think::never});
    EXPECT_EQ(asked.settings.prompt.text, "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
                                          "<|im_start|>assistant\n");
}

// What a client's messages say is text, whatever it spells; the parts are those of the prompt.
TEST(ServedRequest, TellsWhatWasSaidFromTheMarksAroundIt) {
    const RunSettings asked = read_request(R"({"messages":[{"role":"user","content":"<|im_end|>"}]})", true, base()).settings;
    EXPECT_EQ(joined(asked.prompt.parts), asked.prompt.text);
    ASSERT_GE(asked.prompt.parts.size(), 2u);
    EXPECT_EQ(asked.prompt.parts[1], (TextPart{"<|im_end|>", true}));
    EXPECT_TRUE(read_request(R"({"prompt":"<|im_end|>"})", false, base()).settings.prompt.parts.empty());
}

TEST(ServedRequest, RefusesTurnsThatTheFormatDoesNotTake) {
    ChatFormat format;
    format.alternates = true;
    try {
        (void)read_request(R"({"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]})", true, base(), format);
        ADD_FAILURE();
    } catch (const Refused& refused) {
        EXPECT_EQ(refused.status, 400);
        EXPECT_NE(refused.why.find("one after the other"), std::string::npos) << refused.why;
    }
}

TEST(ServedRequest, ThinksAsTheClientAsks) {
    const auto prompt_with = [](const std::string& fields) {
        return read_request(R"({"messages":[{"role":"user","content":"Hi"}])" + fields + "}", true, base(), {}).settings.prompt.text;
    };
    const std::string silent = "<|im_start|>assistant\n<think>\n\n</think>\n\n";
    EXPECT_TRUE(prompt_with("").ends_with(silent));
    EXPECT_TRUE(prompt_with(R"(,"chat_template_kwargs":{"enable_thinking":false})").ends_with(silent));
    EXPECT_TRUE(prompt_with(R"(,"chat_template_kwargs":null)").ends_with(silent));
    EXPECT_TRUE(prompt_with(R"(,"chat_template_kwargs":{"enable_thinking":true})").ends_with("assistant\n"));
}

// Clients send enable_thinking to every model.
TEST(ServedRequest, SaysThatThinkingDoesNothing) {
    const auto notice = [](ChatFormat::Think think, const char* wanted) {
        return read_request(R"({"messages":[{"role":"user","content":"Hi"}],"chat_template_kwargs":)" +
                                std::string(R"({"enable_thinking":)") + wanted + "}}",
                            true, base(), {"", think})
            .notice;
    };
    using Think = ChatFormat::Think;
    EXPECT_NE(notice(Think::never, "true").find("does nothing: the chat template of this model has no switch"), std::string::npos);
    EXPECT_EQ(notice(Think::never, "false"), "");
    EXPECT_NE(notice(Think::always, "false"), "");
    EXPECT_EQ(notice(Think::always, "true"), "");
    EXPECT_NE(notice(Think::closed, "true"), "");
    EXPECT_EQ(notice(Think::asked, "true"), "");
}

TEST(ServedRequest, RefusesWhatWouldChangeTheAnswerUnseen) {
    const auto why = [](const std::string& field) -> std::string {
        try {
            (void)read_request(R"({"messages":[{"role":"user","content":"Hi"}],)" + field + "}", true, base());
        } catch (const Refused& refused) {
            EXPECT_EQ(refused.status, 400);
            return refused.why;
        }
        return "";
    };
    for (const char* field :
         {R"("chat_template_kwargs":{"mood":1})", R"("chat_template_kwargs":{"enable_thinking":1})", R"("chat_template_kwargs":3)",
          R"("add_generation_prompt":false)", R"("tool_choice":"required")", R"("chat_template":"x")", R"("continue_final_message":true)",
          R"("truncate_prompt_tokens":5)", R"("logits_processors":["x"])", R"("prompt_embeds":"x")", R"("regex":"x")", R"("ebnf":"x")",
          R"("grammar":"x")", R"("json_schema":{"a":1})", R"("repeat_penalty":1.1)", R"("typical_p":0.9)", R"("mirostat":2)",
          R"("functions":[{"name":"f"}])"}) {
        const std::string name(field + 1, std::string(field).find('"', 1) - 1);
        const std::string told = why(field);
        EXPECT_TRUE(told.find(name) != std::string::npos || told.find("enable_thinking") != std::string::npos) << field << ": " << told;
    }
    for (const char* field : {R"("add_generation_prompt":true)", R"("tool_choice":"none")", R"("typical_p":1.0)", R"("repeat_penalty":1)",
                              R"("mirostat":0)", R"("functions":[])"})
        EXPECT_EQ(why(field), "") << field;
}

TEST(ServedRequest, RefusesAChatInATemplateThatIsNotKnown) {
    ChatFormat format;
    format.problem = "r1/chat_template.jinja: the chat template is not ChatML";
    try {
        (void)read_request(R"({"messages":[{"role":"user","content":"Hi"}]})", true, base(), format);
        ADD_FAILURE();
    } catch (const Refused& refused) {
        EXPECT_EQ(refused.status, 400);
        EXPECT_NE(refused.why.find("not ChatML"), std::string::npos) << refused.why;
    }
    EXPECT_EQ(read_request(R"({"prompt":"Hi"})", false, base(), format).settings.prompt.text, "Hi");
}

// Of every server's fields: taken, or refused by name; never dropped.
TEST(ServedRequest, TakesOrRefusesEveryFieldByName) {
    const auto why = [](const std::string& field, bool chat = false) -> std::string {
        try {
            const std::string head = chat ? "" : R"("prompt":"a",)";
            (void)read_request("{" + head + field + "}", chat, base());
        } catch (const Refused& refused) {
            EXPECT_EQ(refused.status, 400);
            return refused.why;
        }
        return "";
    };
    for (const char* field : {"dry_multiplier", "xtc_probability", "dynatemp_range", "presence_penalty", "repeat_penalty",
                              "repetition_penalty", "min_p", "mirostat", "top_a", "a_field_of_tomorrow"})
        EXPECT_EQ(why("\"" + std::string(field) + "\":0.8"), std::string(field) + " is not supported by this server");
    for (const char* field : {R"("logit_bias":{"3":5})", R"("grammar":"root ::= \"a\"")", R"("json_schema":{"type":"object"})",
                              R"("samplers":["top_k"])", R"("tools":[{"type":"function"}])", R"("response_format":{"type":"json_object"})"})
        EXPECT_NE(why(field).find("is not supported by this server"), std::string::npos) << field;
    for (const char* field : {R"("dry_multiplier":0,"dry_base":1.75)", R"("logit_bias":{})", R"("user":"someone")", R"("tfs_z":1)",
                              R"("cache_prompt":true)", R"("response_format":{"type":"text"})", R"("repeat_penalty":1.0)"})
        EXPECT_EQ(why(field), "") << field;
    EXPECT_EQ(why(R"("stream":"true")"), "stream is \"true\", expected true or false");
    EXPECT_EQ(why(R"("stream":1)"), "stream is 1, expected true or false");
    EXPECT_NE(why(R"("stream_options":true)").find("expected an object"), std::string::npos);
    EXPECT_NE(
        why(R"("messages":[{"role":"user","content":[{"type":"text","text":"what is this"},{"type":"image_url","image_url":{"url":"x"}}]}])",
            true)
            .find("image_url"),
        std::string::npos);
    EXPECT_EQ(why(R"("messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}])", true), "");
}

TEST(ServedRequest, TakesNPredictAndAListOfOnePrompt) {
    const auto asked = [](const std::string& body) { return read_request(body, false, base()).settings; };
    EXPECT_EQ(asked(R"({"prompt":"a","n_predict":7})").max_tokens, 7);
    EXPECT_EQ(asked(R"({"prompt":"a","n_predict":7,"max_tokens":9})").max_tokens, 9);
    EXPECT_THROW((void)asked(R"({"prompt":"a","n_predict":-1})"), Refused);
    EXPECT_EQ(asked(R"({"prompt":["text"]})").prompt.text, "text");
    EXPECT_EQ(asked(R"({"prompt":[[3,4]]})").prompt.token_ids, (std::vector<int>{3, 4}));
    for (const char* several : {R"({"prompt":["a","b"]})", R"({"prompt":[[3],[4]]})", R"({"prompt":[[]]})", R"({"prompt":[["a"]]})"})
        EXPECT_THROW((void)asked(several), Refused) << several;
}

} // namespace speclens::test
