// The pure parts of the command line: numbers, suggestions, columns, statistics, measures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/cli_measure.h"
#include "app/cli_options.h"
#include "app/cli_terminal.h"
#include "app/cli_values.h"
#include "app/cli_walk.h"
#include "engine/rng.h"
#include "engine/statistics.h"
#include "kernels/error.h"

namespace speclens::cli {

TEST(Suggest, FindsTheNameThatWasMeant) {
    const std::vector<std::string> known{"none", "small", "lookup", "skip"};
    EXPECT_EQ(nearest("smal", known), "small");
    EXPECT_EQ(nearest("lokoup", known), "lookup"); // neighbours swapped
    EXPECT_EQ(nearest("look", known), "lookup");   // a beginning
    EXPECT_EQ(nearest("medusa", known), "");
    EXPECT_EQ(nearest("", known), "");
}

TEST(Values, RefuseWhatIsNotAWholeNumber) {
    EXPECT_EQ(whole("--k", "12", 0, 64), 12);
    for (const char* text : {"", "-", "1.5", "x", "1x", " 1", "0x1", "99999999999999999999", "65", "-1"})
        EXPECT_THROW((void)whole("--k", text, 0, 64), Error) << text;
}

TEST(Values, RefuseWhatIsNotAFiniteNumberInRange) {
    EXPECT_DOUBLE_EQ(real("--temp", "0.8", 0, 1000), 0.8);
    EXPECT_DOUBLE_EQ(real("--temp", "1e2", 0, 1000), 100);
    for (const char* text : {"", "nan", "inf", "-0.1", "1e999", "0.5x", "1001", "0x1p3"})
        EXPECT_THROW((void)real("--temp", text, 0, 1000), Error) << text;
}

TEST(Table, GivesEveryOptionOneSpellingPerCommand) {
    for (const CommandRow& command : command_rows()) {
        std::set<std::string> names;
        for (const OptionRow& option : option_rows())
            EXPECT_TRUE(!applies(option, command.command) || names.insert(option.name).second)
                << command.name << " " << option.name;
    }
}

TEST(Table, NamesEveryOptionAndAnExampleInTheHelp) {
    for (const CommandRow& command : command_rows()) {
        const std::string help = help_text(command.command);
        EXPECT_NE(help.find("Examples:\n  speclens"), std::string::npos) << command.name;
        for (const OptionRow& option : option_rows())
            EXPECT_TRUE(!applies(option, command.command) || help.find(option.name) != std::string::npos)
                << command.name << " " << option.name;
    }
}

// The words of a line of a shell, as far as the examples need it.
std::vector<std::string> words_of(const std::string& line) {
    std::vector<std::string> words;
    bool quoted = false;
    std::string word;
    for (const char c : line + " ") {
        if (c == '"')
            quoted = !quoted;
        else if (c != ' ' || quoted)
            word += c;
        else
            words.push_back(std::exchange(word, ""));
    }
    return words;
}

TEST(Parse, AcceptsTheExamplesOfTheHelp) {
    for (const CommandRow& command : command_rows()) {
        for (const std::string& line : split(command.examples, '\n')) {
            const std::vector<std::string> words = words_of(line);
            auto from = words.begin();
            while (from != words.end()) { // of a pipe, every part: the last one is of this command
                const auto to = std::find(from, words.end(), "|");
                if (*from == "ssh") from += 2;
                ASSERT_EQ(*from, "speclens") << line;
                EXPECT_NO_THROW({
                    const Options options = parse({from + 1, to});
                    EXPECT_TRUE(options.command == command.command || to != words.end()) << line;
                }) << line;
                from = to == words.end() ? to : to + 1;
            }
        }
    }
}

TEST(Terminal, CountsColumnsOfWideAndBrokenText) {
    EXPECT_EQ(columns("abc"), 3);
    EXPECT_EQ(columns("✓ Größe"), 7);
    EXPECT_EQ(columns("你好"), 4);
    EXPECT_EQ(columns("\x1b[32mab\x1b[0m"), 2);
    EXPECT_EQ(columns("\xe4"), 1);
}

TEST(Terminal, MakesEveryTokenVisible) {
    EXPECT_EQ(visible(" Paris"), "␣Paris");
    EXPECT_EQ(visible("\n\n"), "⏎⏎");
    EXPECT_EQ(visible("\t"), "→");
    EXPECT_EQ(visible("\xe4\xbd"), "⟨E4⟩⟨BD⟩");
    EXPECT_EQ(visible("\x1b[2J"), "⟨1B⟩[2J");
    EXPECT_EQ(visible("a b"), "a b");
    EXPECT_EQ(visible(""), "⟨empty⟩");
}

TEST(Terminal, ClipsAndWrapsWithinTheWidth) {
    EXPECT_EQ(clip("abcdef", 4), "abc…");
    EXPECT_EQ(columns(clip("你好你好", 4)), 3);
    const std::string text = wrap("one two three four five six", 9);
    for (const std::string& line : split(text, '\n')) EXPECT_LE(columns(line), 9) << text;
}

TEST(Terminal, WritesProbabilitiesInTwoPlaces) {
    EXPECT_EQ(probability(0), "0");
    EXPECT_EQ(probability(0.004), "<.01");
    EXPECT_EQ(probability(0.38), ".38");
    EXPECT_EQ(probability(1), "1.00");
}

// In a tree the target's word against a rejected guess is the guess beside it that stayed, not the own token at the
// end of the path.
TEST(Walk, NamesWhatTheTargetWantedInPlaceOfARejectedGuess) {
    Trace trace([](int id) { return "word" + std::to_string(id); });
    Header header;
    header.drafter = "small_tree";
    header.rule = "greedy";
    header.nodes = 4;
    header.prompt = {0};
    trace.append(header);
    for (int index : {0, 1}) {
        Drafted draft;
        draft.index = index;
        draft.token = 5 + index;
        trace.append(draft);
    }
    trace.append(Verified{0, 3, 0});
    for (int index : {0, 1}) {
        Checked check;
        check.index = index;
        check.token = 5 + index;
        check.accepted = index == 1;
        trace.append(check);
    }
    Resampled own;
    own.token = 9;
    own.parent = 1;
    trace.append(own);
    Committed commit;
    commit.accepted_drafts = 1;
    commit.path = {1};
    commit.tokens = {6, 9};
    trace.append(commit);
    const std::string text = Walk(trace, {.color = false, .width = 100}, true).round(fold(trace, trace.size()));
    const std::size_t line = text.find("1 word5");
    ASSERT_NE(line, std::string::npos) << text;
    EXPECT_NE(text.substr(line, text.find('\n', line) - line).find("word6"), std::string::npos) << text;
}

TEST(Statistics, KnowsTheTailOfTheChiSquareLaw) { // values of the usual printed tables
    EXPECT_NEAR(chi_square_tail(3.841, 1), 0.05, 1e-4);
    EXPECT_NEAR(chi_square_tail(18.307, 10), 0.05, 1e-4);
    EXPECT_NEAR(chi_square_tail(149.449, 100), 0.001, 1e-5);
    EXPECT_DOUBLE_EQ(chi_square_tail(0, 5), 1);
    EXPECT_LT(chi_square_tail(1000, 10), 1e-100);
}

TEST(Statistics, AcceptsTheRightLawAndRejectsASlightlyWrongOne) {
    Counts drawn;
    for (std::uint32_t i = 0; i < 20000; ++i) ++drawn[{uniform({.seed = 1, .position = i}) < 0.5 ? 0 : 1}];
    EXPECT_GT(against_law(drawn, {{{0}, 0.5}, {{1}, 0.5}}).p_value, 0.001);
    EXPECT_LT(against_law(drawn, {{{0}, 0.53}, {{1}, 0.47}}).p_value, 1e-6);
    EXPECT_EQ(against_law(drawn, {{{0}, 1.0}}).p_value, 0); // 1 is forbidden and was drawn
}

TEST(Measure, FindsTheSpeedUpAndItsInterval) {
    std::vector<Sample> plain(10), fast(10);
    for (std::size_t i = 0; i < plain.size(); ++i) {
        plain[i].tokens = fast[i].tokens = 100;
        plain[i].verify_ms = 100;
        fast[i].verify_ms = i % 2 ? 40 : 60;
    }
    std::vector<const Sample*> base, mine;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        base.push_back(&plain[i]);
        mine.push_back(&fast[i]);
    }
    const Estimate speed = speed_up(base, mine, 7);
    EXPECT_DOUBLE_EQ(speed.value, 2);
    EXPECT_TRUE(speed.interval);
    EXPECT_LT(speed.low, 2);
    EXPECT_GT(speed.low, 1.6);
    EXPECT_GT(speed.high, 2);
    EXPECT_LT(speed.high, 2.5);
    const Estimate again = speed_up(base, mine, 7);
    EXPECT_EQ(speed.low, again.low); // the same seed, the same interval
}

TEST(Measure, CountsAcceptanceByPosition) {
    Sample sample;
    sample.rounds = 4;
    sample.judged_at = {4, 2};
    sample.accepted_at = {2, 1};
    const Sample* one[] = {&sample};
    const Totals totals = total(one);
    EXPECT_EQ(totals.acceptance, (std::vector<double>{0.5, 0.25}));
    EXPECT_EQ(totals.conditional, (std::vector<double>{0.5, 0.5}));
}

} // namespace speclens::cli
