// What a run says of its rounds in the terminal.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "app/cli/values.h"
#include "app/cli/walk.h"
#include "app/cli/walk_words.h"
#include "engine/base/equation.h"
#include "scenes/shared/speak.h"
#include "ui/stories/story_book.h"

namespace speclens::cli {

TEST(WalkWords, RoundNoThresholdToWhereItIsNot) {
    EXPECT_EQ(stays_if(1), "always");
    EXPECT_EQ(stays_if(0.9999992), "nearly 1");
    EXPECT_EQ(stays_if(0.99), "u < .990");
    EXPECT_EQ(stays_if(0.0001), "u ≈ 0");
    EXPECT_EQ(stays_if(0), "never");
}

TEST(WalkWords, TellSettingsWithAllTheirDigits) {
    const auto said = [](const Sampling& sampling) { return message(sampling_said(sampling)).words(); };
    EXPECT_EQ(said({.temperature = 0.8}), "temperature 0.80");
    EXPECT_EQ(said({.temperature = 0}), "temperature 0.00");
    EXPECT_EQ(said({.temperature = 0.004}), "temperature 0.004");
    EXPECT_EQ(said({.temperature = 1, .top_k = 5, .top_p = 1e-300}), "temperature 1.00, top-k 5, top-p 1e-300");
}

// The marks of the English texts that run's German was translated from; those of scenes: tests/scenes/languages_test.cpp.
TEST(WalkWords, HaveAMarkOfTheirEnglishWithTheOthers) {
    const std::filesystem::path assets = std::filesystem::path(SPEC_SOURCE_DIR) / "assets", file = assets / "languages/de/originals.txt";
    const auto is_ours = [](const std::string& line) { return line.starts_with("walk.toml: "); };
    std::string others, now;
    int marks = 0;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        marks += is_ours(line);
        if (!is_ours(line)) others += line + "\n";
    }
    in.close();
    std::istringstream lines(originals_of(assets, "de"));
    int texts = 0;
    for (std::string line; std::getline(lines, line);)
        if (is_ours(line)) ++texts, now += line + "\n";
    if (std::getenv("SPEC_UPDATE_GOLDEN")) std::ofstream(file) << others << now, marks = texts;
    EXPECT_GT(texts, 100);
    EXPECT_EQ(marks, texts) << "SPEC_UPDATE_GOLDEN=1 writes them";
}

// In a tree the target's word against a rejected guess is the guess beside it that stayed, not the own token
// at the end of the path.
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
    TargetToken own;
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

// What a walk says at the start, and of one round of one guess with the target's own token behind it.
std::string walked(const Header& like, const TargetToken& own, double temperature = 1) {
    Trace trace([](int id) { return "word" + std::to_string(id); });
    Header header = like;
    header.drafter = "small";
    header.k = 1;
    header.prompt = {0};
    header.sampling.temperature = temperature;
    trace.append(header);
    Drafted draft;
    draft.token = 5;
    draft.q = std::log(0.5);
    draft.u = 0.1;
    trace.append(draft);
    trace.append(Verified{0, 2, 0});
    Checked check;
    check.token = 5;
    check.accepted = own.from == TargetToken::From::bonus;
    check.u = 0.5;
    trace.append(check);
    trace.append(own);
    Committed commit;
    commit.accepted_drafts = check.accepted ? 1 : 0;
    if (check.accepted) commit.tokens.push_back(5);
    commit.tokens.push_back(own.token);
    trace.append(commit);
    const Walk walk(trace, {.color = false, .width = 1000}, true);
    return walk.opening() + walk.round(fold(trace, trace.size()));
}

TargetToken own_token(TargetToken::From from, bool mixed = false) {
    TargetToken own;
    own.from = from;
    own.token = 9;
    own.u = 0.5;
    own.top = {{{9, 0.0}}, 0};
    if (mixed) own.target_top = own.top;
    return own;
}

// A round of one guess, which stays, and a bonus behind it.
void append_round(Trace& trace, const Drafted& draft, double verify_ms) {
    trace.append(draft);
    trace.append(Verified{0, 2, verify_ms});
    Checked check;
    check.token = draft.token;
    check.accepted = true;
    trace.append(check);
    trace.append(own_token(TargetToken::From::bonus));
    Committed commit;
    commit.accepted_drafts = 1;
    commit.tokens = {draft.token, 9};
    trace.append(commit);
}

TEST(Walk, CutsWhatADrafterAddsAtTheEdgeOfTheTerminal) {
    Trace trace([](int id) { return "word" + std::to_string(id); });
    Header header;
    header.drafter = "lookup";
    header.rule = "greedy";
    header.k = 1;
    header.prompt = {0};
    trace.append(header);
    Drafted draft;
    draft.token = 5;
    draft.extra = "found " + std::string(200, 'x');
    append_round(trace, draft, 0);
    for (const int width : {80, 100, 120}) {
        const std::string text = Walk(trace, {.color = false, .width = width}, true).round(fold(trace, trace.size()));
        EXPECT_EQ(text.find("found x") != std::string::npos, width > 80) << "nothing where there is no room\n" << text;
        for (const std::string& line : split(text, '\n')) EXPECT_LE(columns(line), width) << line;
    }
}

TEST(Walk, ItsTimesAddUpAsPrinted) {
    for (const double scale : {0.01, 0.0537, 1.0, 7.31}) {
        Trace trace([](int id) { return "word" + std::to_string(id); });
        Header header;
        header.drafter = "small";
        header.prompt = {0};
        trace.append(header);
        Drafted draft;
        draft.token = 5;
        draft.ms = 1.236 * scale;
        append_round(trace, draft, 2.347 * scale);
        const std::string text = Walk(trace, {.color = false, .width = 100}, true).round(fold(trace, trace.size()));
        double drafting = 0, verify = 0, other = 0, total = 0;
        const std::size_t at = text.rfind("draft ");
        ASSERT_NE(at, std::string::npos) << text;
        ASSERT_EQ(std::sscanf(text.c_str() + at, "draft %lf + verify %lf + other %lf = %lf ms", &drafting, &verify, &other, &total), 4)
            << text;
        EXPECT_NEAR(drafting + verify + other, total, 1e-9) << text;
    }
}

TEST(Equation, HoldsAsPrinted) {
    for (const double pass : {0.0123, 0.124, 0.84, 7.3, 31.0}) {
        const double tokens = 3.4567, round = pass * 1.7391;
        const double digit = std::pow(10, equation_decimals(tokens, pass, 0, round, 2));
        const auto shown = [&](double value) { return std::round(value * digit) / digit; };
        EXPECT_NEAR(shown(tokens) * shown(pass) / shown(round), std::round(tokens * pass / round * 100) / 100, 0.005) << pass;
    }
}

// Two tokens a round are at most twice as fast, whatever a disturbed clock says.
TEST(Walk, ClaimsNoSpeedUpThatItsTokensDoNotAllow) {
    Trace trace([](int id) { return "word" + std::to_string(id); });
    Header header;
    header.drafter = "small";
    header.prompt = {0};
    trace.append(header);
    Drafted draft;
    draft.token = 5;
    append_round(trace, draft, 1);
    const Walk walk(trace, {.color = false, .width = 100}, true);
    const RunView view = fold(trace, trace.size());
    trace.set_plain_ms(0.9);
    EXPECT_NE(walk.closing(view).find("1.80×"), std::string::npos) << walk.closing(view);
    trace.set_plain_ms(1.1);
    EXPECT_EQ(walk.closing(view).find("2.20×"), std::string::npos);
    EXPECT_NE(walk.closing(view).find("time it again"), std::string::npos) << walk.closing(view);
}

// A round without guesses, as a walk tells it: with `drafter`, the limit of new tokens and how the run ended.
std::string without_drafts(const char* drafter, int max_tokens, const char* reason, const char* rule = "token") {
    Trace trace([](int id) { return "word" + std::to_string(id); });
    Header header;
    header.drafter = drafter;
    header.rule = rule;
    header.k = 2;
    header.max_tokens = max_tokens;
    header.prompt = {0};
    trace.append(header);
    trace.append(Verified{0, 1, 0});
    trace.append(own_token(TargetToken::From::bonus));
    Committed commit;
    commit.tokens = {9};
    trace.append(commit);
    const RunView at_the_commit = fold(trace, trace.size());
    Stopped stopped;
    stopped.reason = reason;
    trace.append(stopped);
    return Walk(trace, {.color = false, .width = 100}, true).round(at_the_commit);
}

// Whoever was not asked did not find nothing.
TEST(Walk, SaysWhyARoundHasNoGuesses) {
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    EXPECT_TRUE(has(without_drafts("small", 1, "length"), "no room for a guess: one token is left\n"));
    EXPECT_TRUE(has(without_drafts("small", 9, "context full"), "no room for a guess: the context is full\n"));
    EXPECT_TRUE(has(without_drafts("lookup", 9, "end of text"), "nothing to propose this time\n"));
    EXPECT_FALSE(has(without_drafts("none", 1, "length"), "◇ draft"));
    const std::string mixed = without_drafts("small", 1, "length", "cascade_tokenV3");
    EXPECT_TRUE(has(mixed, "one pass, one token: word9")) << mixed;
    EXPECT_FALSE(has(mixed, "guess stayed")) << mixed;
}

// With one guess a round nothing stands behind it, and it is not "every guess".
TEST(Walk, SpeaksOfOneGuessAsOne) {
    Header header;
    header.rule = "token";
    const std::string text = walked(header, own_token(TargetToken::From::bonus));
    for (const char* part : {"A miss (✕) ends the round, and", "When the guess stays, ", "★ the guess stayed: "})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    for (const char* never : {"every guess", "what follows it is dropped"}) EXPECT_EQ(text.find(never), std::string::npos) << text;
}

TEST(Walk, TellsALenienceOfZeroAsTheTokenRule) {
    Header header;
    header.rule = "lenience";
    for (const double lenience : {0.0, 0.3}) {
        header.rule_params.lenience = lenience;
        const std::string text = walked(header, own_token(TargetToken::From::residual));
        for (const char* lossy : {"does NOT follow", "more often than the target's distribution"})
            EXPECT_EQ(text.find(lossy) != std::string::npos, lenience > 0) << text;
    }
}

// tree_topk on a chain: the draft's claim does not count, and a miss strikes the token out.
TEST(Walk, TellsTopTokensOnAChainAsWhatTheyAre) {
    Header header;
    header.rule = "tree_topk";
    const std::string text = walked(header, own_token(TargetToken::From::residual));
    for (const char* part : {"counts as certain", "when u is below p. ", "without the guess, scaled to 1"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    for (const char* never : {"below target ÷ draft", "max(p − q, 0)"}) EXPECT_EQ(text.find(never), std::string::npos) << text;
}

TEST(Walk, NamesTheDistributionOfTheOwnTokenOfACascade) {
    Header header;
    header.rule = "cascade_tokenV3";
    const auto has = [&](const TargetToken& own, const char* part) { return walked(header, own).find(part) != std::string::npos; };
    EXPECT_TRUE(has(own_token(TargetToken::From::bonus, true), ", from the mixture:"));
    EXPECT_FALSE(has(own_token(TargetToken::From::bonus), ", from the mixture:"));
    EXPECT_TRUE(has(own_token(TargetToken::From::bonus), ", from the target's own distribution"));
    EXPECT_FALSE(has(own_token(TargetToken::From::residual), "P m"));
    header.rule_params.block = true;
    EXPECT_TRUE(has(own_token(TargetToken::From::residual), "max(P m − q, 0)")) << "with the coefficient of the prefix";
}

// The shares of q and p in its table are not what a cascade counts with at temperature 0.
TEST(Walk, TellsWhatACascadeCountsWithAtTemperatureZero) {
    Header header;
    header.rule = "cascade_tokenV3";
    const char* words = "the threshold is always or never. ";
    EXPECT_NE(walked(header, own_token(TargetToken::From::target), 0).find(words), std::string::npos);
    EXPECT_EQ(walked(header, own_token(TargetToken::From::target)).find(words), std::string::npos);
}

} // namespace speclens::cli
