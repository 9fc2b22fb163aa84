// Chat formats against transformers' apply_chat_template: golden/chats holds templates, chats, and what was
// made of them (assets/recipe/chat_goldens.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "engine/base/json.h"
#include "engine/text/chat.h"
#include "kernels/error.h"

namespace speclens {
namespace {

// Every token is one of its own.
class AnyTokenizer final : public Tokenizer {
  public:
    [[nodiscard]] std::vector<int> encode(std::string_view /*text*/) const override { return {}; }
    [[nodiscard]] std::vector<int> encode(std::span<const TextPart> /*parts*/) const override { return {}; }
    [[nodiscard]] std::string decode(const std::vector<int>& /*ids*/, bool /*skip*/) const override { return ""; }
    [[nodiscard]] std::string bytes_of(int /*id*/) const override { return ""; }
    [[nodiscard]] int size() const override { return 1; }
    [[nodiscard]] int id_of(std::string_view /*token*/) const override { return 0; }
    [[nodiscard]] bool is_special(int /*id*/) const override { return true; }
    [[nodiscard]] int bos() const override { return -1; }
};

const std::filesystem::path kGoldens = std::filesystem::path(SPEC_SOURCE_DIR) / "tests" / "engine" / "golden" / "chats";

std::vector<std::string> golden_names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(kGoldens)) names.push_back(entry.path().stem().string());
    std::ranges::sort(names);
    return names;
}

Json read_golden(const std::string& name) {
    std::ifstream in(kGoldens / (name + ".json"));
    return Json::parse(in);
}

std::optional<std::string> spelled(const Json& token) { return token.is_null() ? std::nullopt : std::optional(token.get<std::string>()); }

ChatFormat format_of(const Json& golden, const std::string& text) {
    return chat_format_of(text, "template", AnyTokenizer{}, spelled(golden["bos"]), spelled(golden["eos"]));
}

// Nothing where the format refuses the chat.
std::optional<std::string> written(const ChatFormat& format, const Json& chat, bool thinking) {
    std::vector<ChatTurn> turns;
    for (const Json& turn : chat["turns"]) turns.push_back({turn[0].text(), turn[1].text()});
    try {
        return chat_prompt(turns, thinking, format);
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()), "");
        EXPECT_NE(error.remedy(), "");
        return {};
    }
}

std::string fnv1a(const std::string& text) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    std::ostringstream out;
    out << std::hex << std::setw(16) << std::setfill('0') << hash;
    return out.str();
}

class ChatGoldens : public testing::TestWithParam<std::string> {};

// What transformers writes though the format does not take such chats: a system turn that is dropped or
// moved.
const std::map<std::string, std::set<std::string>> kRefused = {
    {"bundle", {"late system"}},  {"gemma", {"late system"}},   {"llama2", {"late system"}},
    {"llama31", {"late system"}}, {"llama32", {"late system"}}, {"r1_distill", {"late system"}},
};

TEST_P(ChatGoldens, AreWrittenAsTransformersWritesThem) {
    const Json golden = read_golden(GetParam());
    const ChatFormat format = format_of(golden, golden["template"].text());
    ASSERT_EQ(format.problem, "");
    for (const Json& chat : golden["chats"])
        for (const bool thinking : {false, true}) {
            const Json& expected = thinking && chat.contains("thinking") ? chat["thinking"] : chat["text"];
            const std::string& name = chat["name"].text();
            const auto refused = kRefused.find(GetParam());
            const bool taken = !expected.is_null() && (refused == kRefused.end() || !refused->second.contains(name));
            const auto ours = written(format, chat, thinking);
            ASSERT_EQ(ours.has_value(), taken) << name;
            if (!ours) continue;
            EXPECT_EQ(*ours, expected.get<std::string>()) << name << ", thinking " << thinking;
        }
}

TEST_P(ChatGoldens, OfAChangedTemplateAreRefusedOrWrittenAsTransformersDoes) {
    const Json golden = read_golden(GetParam());
    int read = 0;
    for (const Json& mutant : golden["mutants"]) {
        std::string text = golden["template"].text();
        for (const Json& change : mutant["changes"]) {
            const auto begin = change[0].get<std::size_t>(), end = change[1].get<std::size_t>();
            text.replace(begin, end - begin, change[2].get<std::string>());
        }
        const ChatFormat format = format_of(golden, text);
        if (!format.problem.empty()) continue;
        ++read;
        std::istringstream each(mutant.value("each", ""));
        for (const Json& chat : golden["chats"])
            for (const bool thinking : {false, true}) {
                std::string expected = mutant.value("all", "");
                if (mutant.contains("each")) each >> expected;
                const auto ours = written(format, chat, thinking);
                EXPECT_TRUE(!ours || fnv1a(*ours) == expected)
                    << chat["name"] << ", thinking " << thinking << ": " << *ours << "\nof the template\n"
                    << text;
            }
    }
    EXPECT_GE(read, 1) << "so that it is not only refusing";
}

INSTANTIATE_TEST_SUITE_P(Templates, ChatGoldens, testing::ValuesIn(golden_names()), [](const auto& one) { return one.param; });

} // namespace
} // namespace speclens
