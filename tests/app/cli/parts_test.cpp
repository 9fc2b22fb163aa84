// The pure parts of the command line: numbers, suggestions, columns, statistics, measures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>

#include "app/cli/attach_text.h"
#include "app/cli/compare/compare_rows.h"
#include "app/cli/measure.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/setup.h"
#include "app/cli/slides.h"
#include "app/cli/terminal.h"
#include "app/cli/values.h"
#include "engine/base/clock.h"
#include "engine/base/rng.h"
#include "engine/base/statistics.h"
#include "engine/models/model_names.h"
#include "engine/models/models.h"
#include "engine/run/gallery.h"
#include "kernels/error.h"
#include "tests/shared/slow_model.h"
#include "tests/shared/whole_bundle.h"

namespace speclens::cli {

TEST(Suggest, FindsTheNameThatWasMeant) {
    const std::vector<std::string> known{"none", "small", "lookup", "skip"};
    EXPECT_EQ(nearest("smal", known), "small");
    EXPECT_EQ(nearest("lokoup", known), "lookup"); // neighbours swapped
    EXPECT_EQ(nearest("sikp", {"six", "skip"}), "skip") << "one swap is nearer than two changes";
    EXPECT_EQ(nearest("look", known), "lookup"); // a beginning
    EXPECT_EQ(nearest("medusa", known), "");
    EXPECT_EQ(nearest("", known), "");
}

TEST(Slides, ArePicturesInTheirPage) {
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("M"), "TQ==");
    EXPECT_EQ(base64("Ma"), "TWE=");
    EXPECT_EQ(base64("Man"), "TWFu");
    EXPECT_EQ(base64(std::string("\x00\xff\xfe\x3f", 4)), "AP/+Pw==");
    const std::vector<Slide> slides = {{"A <b>", "note", "words & more", "", "LIVE · tiny", "png"},
                                       {"C", "", "w", "speclens://loop?k=4&temp=0", "", "png"}};
    const std::string page = slides_page("T", "", slides);
    for (const char* part : {"alt=\"A &lt;b&gt;\"", "words &amp; more", "LIVE · tiny", "href=\"speclens://loop?k=4&amp;temp=0\""})
        EXPECT_NE(page.find(part), std::string::npos) << part << " in " << page;
    std::vector<Slide> large = slides;
    large[0].picture = std::string(2'300'000, 'x'); // four digits for three bytes
    EXPECT_THROW((void)slides_page("T", "", large), Error);
    large[0].picture.resize(2'200'000);
    EXPECT_LE(slides_page("T", "", large).size(), kMostPageBytes);
}

TEST(Slides, OfALongSceneAreSpreadEvenly) {
    EXPECT_EQ(slide_places(1, 4, 24), (std::vector<int>{1, 2, 3, 4}));
    EXPECT_EQ(slide_places(7, 7, 24), std::vector<int>{7});
    EXPECT_EQ(slide_places(1, 9, 3), (std::vector<int>{1, 5, 9}));
    const std::vector<int> race = slide_places(1, 81, 24);
    EXPECT_EQ(race.size(), 24U);
    EXPECT_EQ(race.front(), 1);
    EXPECT_EQ(race.back(), 81);
    for (std::size_t i = 1; i < race.size(); ++i) {
        EXPECT_GE(race[i] - race[i - 1], 3);
        EXPECT_LE(race[i] - race[i - 1], 4);
    }
}

TEST(Values, RefuseWhatIsNotAWholeNumber) {
    EXPECT_EQ(whole("--k", "12", 0, 64), 12);
    for (const char* text : {"", "-", "1.5", "x", "1x", " 1", "0x1", "99999999999999999999", "65", "-1"})
        EXPECT_THROW((void)whole("--k", text, 0, 64), Error) << text;
}

// long has 32 bits in WebAssembly; the largest seed needs 64 wherever it is read.
TEST(Values, ReadMoreThan32BitsWhateverALongIs) {
    constexpr long long kMost = std::numeric_limits<long long>::max();
    static_assert(std::is_same_v<decltype(whole("", "", 0, 0)), long long>);
    EXPECT_EQ(whole("--seed", "4294967297", 0, kMost), 4294967297);
    EXPECT_EQ(whole("--seed", "9223372036854775807", 0, kMost), kMost);
    EXPECT_THROW((void)whole("--seed", "9223372036854775808", 0, kMost), Error);
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
            EXPECT_TRUE(!applies(option, command.command) || names.insert(option.name).second) << command.name << " " << option.name;
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

// Help is wrapped to the terminal, so a line break of its own only ends a sentence (or a line of JSON).
TEST(Table, BreaksTheLinesOfAnExplanationAfterSentencesOnly) {
    for (const CommandRow& command : command_rows()) {
        const std::string_view more = command.more;
        for (std::size_t at = more.find('\n'); at != std::string_view::npos; at = more.find('\n', at + 1)) {
            EXPECT_NE(std::string_view(".:,}").find(more[at - 1]), std::string_view::npos) << command.name << ": " << more.substr(0, at);
            EXPECT_TRUE(more[at - 1] != ',' || more[at + 1] == '"') << command.name << ": " << more.substr(0, at);
        }
    }
}

// A default stands in the help of the command that has it.
TEST(Table, NamesTheDefaultsOfEachCommand) {
    const auto help = [](Command command) { return help_text(command, 100000); };
    const auto line_of = [&](Command command, const std::string& option) {
        const std::string text = help(command);
        const std::size_t at = text.find("\n  " + option + " ");
        return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
    };
    struct Case {
        Command command;
        const char* option;
        const char* part;
    };
    for (const Case& c : {Case{Command::lossless, "--k", "(default 2)"},
                          {Command::run, "--k", "(default 4; 7 for dart, with the built-in model also for dflash"},
                          {Command::describe, "--k", "in a race"},
                          {Command::compare, "--prompt", "60 built-in prompts"},
                          {Command::lossless, "--prompt", "default: the table"},
                          {Command::run, "--prompt", "with a model of yours: The capital of France is"},
                          {Command::run, "--drafter", "was measured best, else small where"},
                          {Command::lossless, "--drafter", "default: all that can run"},
                          {Command::run, "--temp", "default 0.8"},
                          {Command::lossless, "--temp", "1 in lossless"},
                          {Command::run, "--max-tokens", "default 64"},
                          {Command::run, "--verbose", "first two"}})
        EXPECT_NE(line_of(c.command, c.option).find(c.part), std::string::npos)
            << row_of(c.command).name << " " << line_of(c.command, c.option);
    for (const char* key : {"domain", "chat", "system"})
        EXPECT_NE(line_of(Command::compare, "--prompts").find(key), std::string::npos) << key;
}

// Compare, sweep and run as a race: what a head of the built-in model keeps of seven guesses, one of a real model does not.
TEST(Drafts, AreFewerOfAHeadForAnyOtherModel) {
    Options options;
    EXPECT_EQ(run_settings(options, "dflash", 0).k, 7);
    for (const char* model : {"smollm2", "/some/model.gguf"}) {
        options.model = model;
        for (const char* drafter : {"dflash", "dflash2", "domino", "dspark", "eagle3", "small"})
            EXPECT_EQ(run_settings(options, drafter, 0).k, 4) << drafter;
        EXPECT_EQ(run_settings(options, "mtp", 0).k, 3);
        EXPECT_EQ(run_settings(options, "dart", 0).k, 7) << "a tree, whose rows are bounded by its nodes";
        EXPECT_EQ(run_settings(options, "suffix", 0).k, 16) << "a copy costs next to nothing";
        EXPECT_EQ(race_settings(options, false).base.k, 4);
    }
}

// As the window, which opens on these models so.
TEST(Drafts, AreByDefaultOfWhatWasMeasuredBest) {
    Models models = *test::whole_bundle();
    Options options;
    EXPECT_EQ(chosen_drafter(options, models), "small");
    options.model = "smollm2";
    EXPECT_EQ(chosen_drafter(options, models), opening_view("smollm2", assets_folder()).drafter);
    EXPECT_EQ(chosen_drafter(options, models), "eagle3");
    options.link.emplace();
    EXPECT_EQ(chosen_drafter(options, models), "small") << "one that names no drafter is older than that";
    options.link.reset();
    models.networks.clear();
    EXPECT_EQ(chosen_drafter(options, models), "small") << "its head is not here";
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
    EXPECT_EQ(clip("abcd", 4), "abcd") << "it just fits";
    EXPECT_EQ(columns(clip("你好你好", 4)), 3);
    const std::string text = wrap("one two three four five six", 9);
    for (const std::string& line : split(text, '\n')) EXPECT_LE(columns(line), 9) << text;
    EXPECT_EQ(text, "one two\nthree\nfour five\nsix");
    EXPECT_EQ(wrap("a b\nc d", 20, 2), "a b\n  c d") << "what follows a line break is as far in";
}

TEST(Terminal, WritesProbabilitiesInTwoPlaces) {
    EXPECT_EQ(probability(0), "0");
    EXPECT_EQ(probability(0.004), "<.01");
    EXPECT_EQ(probability(0.38), ".38");
    EXPECT_EQ(probability(0.9997), ">.99"); // nothing below certainty is rounded up to it
    EXPECT_EQ(probability(1), "1.00");
}

TEST(AttachText, MakesControlCharactersOfAServerVisible) {
    ServerFacts facts;
    facts.version = "0.11\x1b[31m";
    facts.models = {"m\x1b]0;t\x07"};
    const std::string text = facts_text("http://h:1", facts, {.color = false, .width = 100}, Source::live);
    EXPECT_EQ(text.find_first_of("\x1b\x07"), std::string::npos) << text;
    EXPECT_NE(text.find("0.11"), std::string::npos) << text;
}

TEST(AttachText, SaysSecondsFromTenOnes) {
    EXPECT_EQ(duration(9999.4, 0), "9999 ms");
    EXPECT_EQ(duration(10'000, 2), "10.0 s");
    const Terminal plain{.color = false, .width = 100};
    ServedText served;
    served.tokens = 20, served.total_ms = 61'476, served.first_ms = 29'800;
    EXPECT_NE(served_text(served, plain).find("20 tokens in 61.5 s, the first after 29.8 s"), std::string::npos)
        << served_text(served, plain);
    ServerReading reading;
    reading.first_token = {.seconds = 59.6, .count = 2}, reading.between_tokens = {.seconds = 1, .count = 8};
    EXPECT_NE(reading_text(reading, plain).find("first token after 29.8 s, 125.00 ms between tokens"), std::string::npos)
        << reading_text(reading, plain);
}

TEST(AttachText, CountsOneAndMany) {
    const Terminal plain{.color = false, .width = 100};
    BenchRecords records;
    records.answered.push_back({.tokens = 1, .whole_ms = 46, .gaps = {}});
    records.skipped = 1;
    EXPECT_NE(bench_text("f", records, plain).find("  1 request answered, 0 failed or cancelled, 1 token written; 1 line is no record\n"),
              std::string::npos)
        << bench_text("f", records, plain);
    records.answered.push_back({.tokens = 2, .first_ms = 5, .gaps = {20, 22}});
    records.skipped = 2;
    const std::string two = bench_text("f", records, plain);
    for (const char* part : {"2 requests answered", "3 tokens written; 2 lines are no records\n", "over 3 chunks"})
        EXPECT_NE(two.find(part), std::string::npos) << part << "\n" << two;
    EXPECT_NE(counts_text({1, 1, 0, {0}}, "x", plain).find("1 round, 1 token drafted, 0 accepted"), std::string::npos);
    EXPECT_NE(counts_text({2, 4, 3, {2, 1}}, "x", plain).find("2 rounds, 4 tokens drafted, 3 accepted"), std::string::npos);
    // 21 and 22 entries of which 20 are shown, 6 and 7 of which say what cannot be.
    const auto log = [&](int fine, int odd) {
        LogReading reading;
        for (int i = 0; i < fine + odd; ++i)
            if (LogEntry& e = reading.entries.emplace_back(); i < odd) e.left_out = {as_it_is("odd")};
        return log_text("f", reading, plain);
    };
    for (const char* part : {"… 1 earlier one\n", "1 more line says what cannot be"})
        EXPECT_NE(log(15, 6).find(part), std::string::npos) << part << "\n" << log(15, 6);
    for (const char* part : {"… 2 earlier ones\n", "2 more lines say what cannot be"})
        EXPECT_NE(log(15, 7).find(part), std::string::npos) << part << "\n" << log(15, 7);
}

TEST(Statistics, KnowsTheTailOfTheChiSquareDistribution) { // values of the usual printed tables
    EXPECT_NEAR(chi_square_tail(3.841, 1), 0.05, 1e-4);
    EXPECT_NEAR(chi_square_tail(18.307, 10), 0.05, 1e-4);
    EXPECT_NEAR(chi_square_tail(149.449, 100), 0.001, 1e-5);
    EXPECT_DOUBLE_EQ(chi_square_tail(0, 5), 1);
    EXPECT_LT(chi_square_tail(1000, 10), 1e-100);
}

TEST(Statistics, AcceptsTheRightDistributionAndRejectsASlightlyWrongOne) {
    Counts drawn;
    for (std::uint32_t i = 0; i < 20000; ++i) ++drawn[{uniform({.seed = 1, .position = i}) < 0.5 ? 0 : 1}];
    EXPECT_GT(against_distribution(drawn, {{{0}, 0.5}, {{1}, 0.5}}).p_value, 0.001);
    EXPECT_LT(against_distribution(drawn, {{{0}, 0.53}, {{1}, 0.47}}).p_value, 1e-6);
    EXPECT_EQ(against_distribution(drawn, {{{0}, 1.0}}).p_value, 0); // 1 is forbidden and was drawn
}

// What a test says of its own power holds: at that distance it finds nine in ten, at half of it few.
TEST(Statistics, KnowsWhichDifferenceATestWouldFind) {
    constexpr int kCells = 9, kSets = 100;
    constexpr double kAlarm = 0.001;
    ExactDistribution distribution;
    for (int cell = 0; cell < kCells; ++cell) distribution[{cell}] = 1.0 / kCells;
    const double full = least_distance(kCells - 1, kAlarm, 500);
    EXPECT_NEAR(least_distance(kCells - 1, kAlarm, 2000), full / 2, 1e-9); // four times the draws
    EXPECT_LT(full, least_distance(kCells - 1, 1e-6, 500));
    EXPECT_EQ(least_distance(0, kAlarm, 500), 1);
    EXPECT_EQ(least_distance(kCells - 1, kAlarm, 0), 1) << "nothing was drawn";
    EXPECT_LT(least_distance(1, kAlarm, 500), full) << "two cells tell more than nine";
    std::uint32_t position = 0;
    const auto drawn = [&](double distance, int draws) { // half of the cells have more than their share
        Counts counts;
        for (int i = 0; i < draws; ++i) {
            double u = uniform({.seed = 3, .position = position++});
            int cell = 0;
            for (; cell < kCells - 1; ++cell) {
                const double p = 1.0 / kCells + (cell == 8 ? 0 : cell < 4 ? distance / 4 : -distance / 4);
                if (u < p) break;
                u -= p;
            }
            ++counts[{cell}];
        }
        return counts;
    };
    for (const double part : {1.0, 0.5}) {
        int alone = 0, beside = 0;
        const double distance = part * full;
        for (int set = 0; set < kSets; ++set) {
            alone += against_distribution(drawn(distance, 500), distribution).p_value < kAlarm;
            beside += against_draws(drawn(distance, 1000), drawn(0, 1000)).p_value < kAlarm; // 500 of two sets
        }
        for (const int found : {alone, beside}) EXPECT_TRUE(part == 1 ? found >= 90 : found <= 50) << part << " " << found;
    }
}

TEST(Statistics, SaysWhatIsTooRareToBeTested) {
    const Counts drawn = {{{0}, 60}, {{1}, 36}, {{2}, 3}, {{3}, 1}};
    EXPECT_NEAR(against_distribution(drawn, {{{0}, 0.6}, {{1}, 0.36}, {{2}, 0.03}, {{3}, 0.01}}).rare, 0.04, 1e-12);
    EXPECT_NEAR(against_draws(drawn, drawn).rare, 0.04, 1e-12);
}

TEST(Statistics, PoolsRareCellsIntoOne) {
    const Counts drawn = {{{0}, 50}, {{1}, 30}, {{2}, 12}, {{3}, 4}, {{4}, 4}};
    const DistributionTest test = against_distribution(drawn, {{{0}, 0.5}, {{1}, 0.34}, {{2}, 0.1}, {{3}, 0.03}, {{4}, 0.03}});
    EXPECT_NEAR(test.chi_square, 16 / 34.0 + 4 / 10.0 + 4 / 6.0, 1e-12) << "3 and 4: 8 where 6 are expected";
    EXPECT_EQ(test.degrees, 3);
    EXPECT_NEAR(test.total_variation, 0.04, 1e-12);
    EXPECT_NEAR(test.rare, 0.06, 1e-12);
    EXPECT_NEAR(test.p_value, chi_square_tail(test.chi_square, 3), 1e-12);
    // Too few even together: 4 are expected of 3 and 4. Their difference is not lost from the distance.
    const DistributionTest few = against_distribution(drawn, {{{0}, 0.5}, {{1}, 0.36}, {{2}, 0.1}, {{3}, 0.02}, {{4}, 0.02}});
    EXPECT_NEAR(few.chi_square, 36 / 36.0 + 4 / 10.0, 1e-12);
    EXPECT_EQ(few.degrees, 2);
    EXPECT_NEAR(few.total_variation, 0.06, 1e-12);
}

TEST(Statistics, WhatADistributionForbidsCountsForTheDistanceAndNoDrawsForNothing) {
    const DistributionTest forbidden = against_distribution({{{0}, 30}, {{1}, 10}}, {{{0}, 1.0}, {{2}, 0.0}});
    EXPECT_NEAR(forbidden.total_variation, 0.25, 1e-12);
    EXPECT_EQ(forbidden.p_value, 0);
    for (const DistributionTest& none : {against_draws({}, {{{0}, 30}}), against_draws({{{0}, 30}}, {})}) {
        EXPECT_EQ(none.p_value, 1);
        EXPECT_EQ(none.total_variation, 0);
        EXPECT_EQ(none.degrees, 0);
    }
}

// Of 16 of id 2, the smaller set of 100 is expected to have 16 / 3, which is enough; of 8 of id 3 it is not.
TEST(Statistics, ComparesSetsOfDifferentSizes) {
    const Counts a = {{{0}, 60}, {{1}, 36}, {{2}, 4}}, b = {{{0}, 110}, {{1}, 70}, {{2}, 12}, {{3}, 8}};
    const DistributionTest test = against_draws(a, b);
    // (seen - n share)² / (n share), for the ids 0, 1 and 2 of either set.
    const double wanted = (100 / 9.0) / (170 / 3.0) + (100 / 9.0) / (340 / 3.0) + (4 / 9.0) / (106 / 3.0) + (4 / 9.0) / (212 / 3.0) +
                          (16 / 9.0) / (16 / 3.0) + (16 / 9.0) / (32 / 3.0);
    EXPECT_NEAR(test.chi_square, wanted, 1e-12);
    EXPECT_EQ(test.degrees, 2);
    EXPECT_NEAR(test.total_variation, 0.06, 1e-12);
    EXPECT_NEAR(test.rare, 8 / 300.0, 1e-12);
    EXPECT_NEAR(against_draws(b, a).chi_square, wanted, 1e-12) << "either may be the larger one";
}

// Of eleven rare draws, all in the larger set but one, the smaller one is expected to have 0.1: one proves
// nothing.
TEST(Statistics, RareCellsOfASmallSetAreNotTestedTogetherEither) {
    const Counts few = {{{0}, 99}, {{1}, 1}}, many = {{{0}, 9990}, {{2}, 5}, {{3}, 5}};
    const DistributionTest test = against_draws(few, many);
    EXPECT_EQ(test.degrees, 0);
    EXPECT_EQ(test.p_value, 1);
    EXPECT_NEAR(test.rare, 11 / 10100.0, 1e-12);
    // As many in sets of one size are enough: 5.5 are expected of either.
    EXPECT_EQ(against_draws({{{0}, 99}, {{1}, 1}}, {{{0}, 90}, {{2}, 5}, {{3}, 5}}).degrees, 1);
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

TEST(CompareTable, TellsTheFirstGuessByHowTheRoundBeforeEnded) {
    std::vector<Contestant> contestants(3);
    std::vector<Row> rows(3);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        contestants[i].name = contestants[i].label = i == 0 ? "none" : i == 1 ? "small" : "lookup";
        rows[i].contestant = &contestants[i];
        rows[i].domain = "all";
    }
    rows[1].totals.first = {
        .at_start = 60, .kept_at_start = 6, .after_full = 50, .kept_after_full = 48, .after_refusal = 40, .kept_after_refusal = 30};
    rows[2].totals.first = {.after_full = 29, .kept_after_full = 29, .after_refusal = 100, .kept_after_refusal = 25};
    EXPECT_EQ(first_draft_table(rows, {.terminal = {.color = false, .width = 100}}),
              "\n  chance that guess 1 stays, by what is before it (at least 30 rounds)\n"
              "                   the prompt  a full round     a refusal\n"
              "  small                   .10           .96           .75\n"
              "  lookup                    –             –           .25\n");
    rows[1].totals.first = rows[2].totals.first = {};
    EXPECT_EQ(first_draft_table(rows, {.terminal = {.color = false, .width = 100}}), "");
}

TEST(CompareTable, NamesTheDomainOfARow) {
    std::vector<Contestant> contestants(3);
    std::vector<Row> rows;
    const char* names[] = {"none", "small", "lookup"};
    for (std::size_t i = 0; i < 3; ++i) contestants[i].name = contestants[i].label = names[i];
    for (const char* domain : {"all", "code", "chat"})
        for (const Contestant& c : contestants) {
            Row& row = rows.emplace_back();
            row.contestant = &c;
            row.domain = domain;
            row.totals.rounds = 100;
            row.totals.tokens = row.domain == "code" ? 250 : 125;
        }
    EXPECT_EQ(domain_table(rows, {"all", "code", "chat"}, contestants, {.terminal = {.color = false, .width = 100}, .speed_up = false}),
              "\n  by domain             small        lookup   (tokens per round)\n"
              "  code                   2.50          2.50\n"
              "  chat                   1.25          1.25\n");
}

// As in a walk: more than tokens per round is the clock's noise, in every table, and programs are told.
TEST(CompareTable, ClaimsNoSpeedUpThatItsTokensDoNotAllow) {
    std::vector<Contestant> contestants(2);
    contestants[0].name = contestants[0].label = "none";
    contestants[1].name = contestants[1].label = "lookup";
    std::vector<Row> rows(3);
    rows[0].contestant = &contestants[0];
    rows[0].totals.rounds = rows[0].totals.tokens = 100;
    rows[0].totals.verify_ms = 1.3;
    rows[0].speed.value = 1;
    Row& row = rows[1];
    row.contestant = &contestants[1];
    row.totals.rounds = 100;
    row.totals.tokens = 109;
    row.totals.verify_ms = 1.09;
    row.speed = {.value = 1.3, .low = 1.15, .high = 1.55, .interval = true};
    rows[2] = row;
    for (Row* all : {&rows[0], &row}) all->domain = "all";
    rows[2].domain = "code";
    const TableLook look{.terminal = {.color = false, .width = 100}};
    const auto tables = [&] {
        return table_line(row, look) + formula_table(rows, rows[0], look) + domain_table(rows, {"code", "all"}, contestants, look);
    };
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    const char* covers = "\n  the interval covers which prompts were chosen, not the noise of the clock\n";
    EXPECT_TRUE(rows[0].possible());
    EXPECT_FALSE(row.possible());
    const std::string guarded = tables();
    for (const char* never : {"1.30×", "1.15", "1.55"}) EXPECT_FALSE(has(guarded, never)) << guarded;
    for (const char* dash : {" –  ", " ÷ 1.090 = –\n", "1.09  –\n"}) EXPECT_TRUE(has(guarded, dash)) << dash << "\n" << guarded;
    EXPECT_EQ(speed_notes(rows), "\n  – for a speed-up: more than tokens per round allow, time it again\n");

    row.totals.tokens = rows[2].totals.tokens = 150;
    EXPECT_TRUE(has(tables(), " ÷ 1.090 = –\n")) << "1.79×: what the formula says is judged by itself";
    row.totals.verify_ms = 1.5;
    const std::string plain = tables();
    for (const char* part : {"1.30× [1.15, 1.55]", " ÷ 1.500 = 1.30×\n", "1.50  1.30×\n"})
        EXPECT_TRUE(has(plain, part)) << part << "\n" << plain;
    EXPECT_EQ(speed_notes(rows), covers);
    EXPECT_TRUE(has_interval(rows));
    for (Row* one : {&row, &rows[2]}) one->speed.interval = false; // one prompt
    EXPECT_FALSE(has_interval(rows));
    EXPECT_EQ(speed_notes(rows), "\n  no interval: that takes several prompts\n");
    TableLook bare = look;
    bare.interval = false;
    EXPECT_TRUE(has(table_head(look), "95 % interval"));
    EXPECT_FALSE(has(table_head(bare), "95 % interval"));
    for (Row* one : {&row, &rows[2]}) one->speed.interval = true;
    rows[2].totals.tokens = 109; // of one domain only: its table has the dash
    EXPECT_TRUE(has(speed_notes(rows), covers) && has(speed_notes(rows), "  – for a speed-up"));
    row.speed.value = 1.51; // a drafter that never guesses is as fast as plain decoding, give or take
    EXPECT_TRUE(row.possible());
    row.speed.value = 1.54;
    EXPECT_FALSE(row.possible());
    rows.resize(1);
    EXPECT_EQ(speed_notes(rows), "");
}

TEST(CompareTable, OfASlowModelHasDecimalsAndNoRatioInDoubtWithoutASign) {
    std::vector<Contestant> contestants(2);
    std::vector<Row> rows(2);
    for (std::size_t i = 0; i < 2; ++i) {
        contestants[i].name = contestants[i].label = i == 0 ? "small" : "lookup";
        contestants[i].samples.resize(2);
        for (Sample& sample : contestants[i].samples) sample.rounds = 2, sample.tokens = 3, sample.verify_ms = 1000;
        rows[i].contestant = &contestants[i], rows[i].domain = "all";
        rows[i].totals.rounds = 4, rows[i].totals.tokens = 6, rows[i].totals.tokens_per_second = 1.268;
        rows[i].speed.value = 0.7;
    }
    const TableLook look{.terminal = {.color = false, .width = 100}};
    EXPECT_NE(table_line(rows[0], look).find("   1.27 "), std::string::npos) << table_line(rows[0], look);
    EXPECT_NE(paired_table(paired_rows(rows, 7), look).find(" 1.00× ["), std::string::npos) << paired_table(paired_rows(rows, 7), look);
    rows[0].busy = true;
    EXPECT_NE(paired_table(paired_rows(rows, 7), look).find(" ~1.00× ["), std::string::npos) << paired_table(paired_rows(rows, 7), look);
    EXPECT_EQ(rate(99.96), "100.0");
    EXPECT_EQ(rate(8577.4), "8577");
}

// However wide the values are.
TEST(CompareTable, ItsColumnsNeverRunTogether) {
    Contestant contestant;
    contestant.name = contestant.label = "small_tree";
    Row row{&contestant, "all", {}, {}, 0, true};
    Totals& t = row.totals;
    t.rounds = 7;
    t.tokens = 7'000'000;
    t.drafted = 123'456'789;
    t.accepted = 123'456'789;
    t.draft_ms = 98'765.43;
    t.head_ms = 12'345.67;
    t.verify_ms = 1'234'567.89;
    t.other_ms = 23'456.78;
    t.tokens_per_second = 12'345'678;
    row.speed = {.value = 1234.5, .low = 1000.25, .high = 1500.75, .interval = true};
    for (const bool times : {true, false})
        for (const int width : {64, 200}) {
            const TableLook look{.terminal = {.color = false, .width = width}, .times = times, .speed_up = times};
            const std::string line = table_line(row, look);
            for (const char* cell : {" small_tree ", " 1000000.00 ", " 123456789/123457k "})
                EXPECT_NE(line.find(cell), std::string::npos) << cell << "\n" << line;
            if (!times) continue;
            for (const char* cell : {" 86419.76 ", " 12345.67 ", " 1234567.89 ", " 23456.78 ", " 12345678 ", " yes\n"})
                EXPECT_NE(line.find(cell), std::string::npos) << cell << "\n" << line;
        }
}

TEST(TimeLeft, IsSaidOfLongJobsOnceItIsKnown) {
    EXPECT_EQ(time_left(1, 10, 1000), "") << "too early to know";
    EXPECT_EQ(time_left(10, 0, 1000), "") << "nothing is done";
    EXPECT_EQ(time_left(10, 100, 50), "") << "over in a moment";
    EXPECT_EQ(time_left(10, 100, 300), ", about 30 s left");
    EXPECT_EQ(time_left(10, 100, 311), ", about 35 s left");
    EXPECT_EQ(time_left(60, 10, 30), ", about 3 minutes left");
    EXPECT_EQ(time_left(60, 10, 31), ", about 4 minutes left");
    EXPECT_EQ(time_left(600, 1, 20), ", about 3.3 hours left");
    EXPECT_EQ(time_left(600, 5, 0), "") << "over";
    EXPECT_EQ(time_left(90, 1, 11, 30), ", about 11 minutes left") << "a minute each, and half of the second has gone by";
    EXPECT_EQ(time_left(180, 1, 11, 120), ", about 15 minutes left") << "the second is longer than the first was";
}

// What `compare` counts, prompts: a tenth, half and nine tenths of the way through them, on a model as slow as a pair.
TEST(TimeLeft, OfPromptsOnALargeModelIsTrue) {
    const test::SkippedTime time;
    const test::SlowModels slow = test::slow_models({.target_ms = 960, .draft_ms = 240}); // so that the last tenth is worth saying
    constexpr int kPrompts = 12;
    const Stopwatch watch;
    std::vector<double> done; // seconds, when each of them was
    for (int prompt = 0; prompt < kPrompts; ++prompt) {
        for (const char* drafter : {"none", "small"}) {
            RunSettings settings;
            settings.prompt.text = "Write a story about number " + std::to_string(prompt) + ".";
            settings.prompt.chat = true;
            settings.drafter = drafter;
            settings.k = drafter == std::string_view("none") ? 0 : 4;
            settings.sampling.temperature = 0;
            settings.trace_top = 0;
            settings.max_tokens = 8;
            (void)measure(slow.models, settings);
        }
        done.push_back(watch.ms() / 1000);
    }
    const double end = done.back();
    for (const double share : {0.1, 0.5, 0.9}) {
        const double at = share * end, truth = end - at;
        const auto so_far = std::ranges::upper_bound(done, at) - done.begin();
        ASSERT_GT(so_far, 0) << share;
        const std::string said = time_left(at, static_cast<double>(so_far), kPrompts - static_cast<double>(so_far), at - done[so_far - 1]);
        ASSERT_TRUE(said.starts_with(", about ")) << share << " of " << end << " s: " << said;
        const double number = std::strtod(said.c_str() + std::string_view(", about ").size(), nullptr);
        const double left = said.find(" minutes") != std::string::npos ? 60 * number : number;
        EXPECT_LT(left, 1.5 * truth) << share << " of " << end << " s:" << said;
        EXPECT_GT(left, truth / 1.5) << share << " of " << end << " s:" << said;
    }
}

// What any model is asked: chats only, enough of them to tell drafters apart, the first of every kind first.
TEST(GeneralPrompts, AreEnoughAndMixed) {
    const std::vector<GalleryPrompt> prompts = load_gallery(gallery_file(assets_folder(), false));
    EXPECT_GE(prompts.size(), 40u);
    std::set<std::string> kinds, first, texts;
    for (const GalleryPrompt& prompt : prompts) {
        EXPECT_TRUE(prompt.chat && prompt.system.empty()) << prompt.prompt;
        kinds.insert(prompt.domain);
        texts.insert(prompt.prompt);
        if (first.size() < 20 && texts.size() <= 20) first.insert(prompt.domain);
    }
    EXPECT_EQ(texts.size(), prompts.size()) << "no prompt twice";
    EXPECT_GE(kinds.size(), 8u);
    EXPECT_EQ(first, kinds) << "whoever has no time for all still asks every kind";
    EXPECT_TRUE(kinds.contains("code")) << "what a race begins with";
    EXPECT_NE(load_gallery(gallery_file(assets_folder(), true)).size(), prompts.size());
}

} // namespace speclens::cli
