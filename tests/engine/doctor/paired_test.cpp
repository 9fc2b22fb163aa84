// The statistics of an examination: known values, and how often a head that nothing is wrong with gets an alarm.
#include "engine/doctor/paired.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "engine/doctor/diagnosis.h"

namespace speclens {
namespace {

// Tables of Student's distribution (Abramowitz and Stegun 26.10).
TEST(Paired, StudentsTailIsThatOfTheTables) {
    EXPECT_NEAR(student_tail(12.706, 1), 0.025, 1e-5);
    EXPECT_NEAR(student_tail(2.228, 10), 0.025, 1e-5);
    EXPECT_NEAR(student_tail(3.169, 10), 0.005, 1e-5);
    EXPECT_NEAR(student_tail(1.980, 120), 0.025, 1e-4);
    EXPECT_DOUBLE_EQ(student_tail(0, 7), 0.5);
    EXPECT_NEAR(student_tail(-2.228, 10), 0.975, 1e-5);
    EXPECT_NEAR(student_quantile(0.025, 10), 2.22814, 1e-4);
    EXPECT_NEAR(student_quantile(0.0005, 30), 3.646, 1e-3);
    for (const double tail : {0.3, 0.01, 1e-6}) EXPECT_NEAR(student_tail(student_quantile(tail, 50), 50), tail, 1e-9 + 1e-6 * tail);
}

TEST(Paired, ADifferenceIsThatOfPlacesAndItsErrorThatOfTexts) {
    const std::vector<double> a = {10, 20, 30, 40}, b = {12, 26, 33, 49};
    const std::vector<int> places = {10, 20, 10, 20};
    const PairedDifference d = paired_difference(a, b, places);
    EXPECT_NEAR(d.mean, 20.0 / 60, 1e-12);
    // residuals 2 - 10/3, 6 - 20/3, 3 - 10/3, 9 - 20/3
    const double squares = std::pow(4.0 / 3, 2) + std::pow(2.0 / 3, 2) + std::pow(1.0 / 3, 2) + std::pow(7.0 / 3, 2);
    EXPECT_NEAR(d.error, std::sqrt(squares * 4 / 3) / 60, 1e-12);
    EXPECT_NEAR(d.p_value, student_tail(d.mean / d.error, 3), 1e-12);
    EXPECT_NEAR(d.high - d.mean, 3.18245 * d.error, 1e-5);
    EXPECT_EQ(paired_difference(b, a, places).p_value, 1) << "one-sided";
    EXPECT_EQ(paired_difference(a, a, places).p_value, 1);
}

TEST(Paired, OneTextTellsNothing) {
    const std::vector<double> a = {1}, b = {90};
    const std::vector<int> places = {100};
    EXPECT_EQ(paired_difference(a, b, places).p_value, 1);
    EXPECT_TRUE(std::isinf(paired_difference(a, b, places).least_told(0.01)));
}

// Holm 1979: the smallest p-value against level / m, the next against level / (m - 1), and nothing behind the first that fails.
TEST(Paired, HolmStepsDown) {
    const std::vector<double> p = {0.02, 0.001, 0.03, 0.011};
    EXPECT_EQ(holm_rejects(p, 0.05), (std::vector<bool>{true, true, true, true}));
    EXPECT_EQ(holm_rejects(p, 0.03), (std::vector<bool>{false, true, false, false})); // 0.011 > 0.03 / 3
    EXPECT_EQ(holm_rejects(p, 0.05, 50), (std::vector<bool>{false, false, false, false})) << "what was looked at counts";
    EXPECT_TRUE(holm_rejects({}, 0.05).empty());
}

// Guesses kept at the places of a text hang together: a level of the text, and a random walk within it. `differs`: how far a variant's own
// noise goes; `gain`: how much better it is, a place.
struct World {
    std::mt19937_64 dice;
    std::normal_distribution<double> normal;
    std::vector<int> places;
    std::vector<std::vector<double>> level; // of each place of each text

    explicit World(std::uint64_t seed, int texts) : dice(seed) {
        for (int text = 0; text < texts; ++text) {
            places.push_back(8 + static_cast<int>(dice() % 57));
            level.emplace_back();
            const double whole = normal(dice);
            double walk = 0;
            for (int place = 0; place < places.back(); ++place) {
                walk = 0.8 * walk + 0.6 * normal(dice);
                level.back().push_back(1.5 + 0.7 * whole + walk);
            }
        }
    }
    std::vector<double> kept(double differs, double gain) {
        std::vector<double> sums;
        for (const std::vector<double>& text : level) {
            const double own = differs * normal(dice); // a variant suits some texts better
            double walk = 0;
            sums.push_back(0);
            for (const double at : text) {
                walk = 0.8 * walk + differs * normal(dice);
                sums.back() += std::clamp(std::round(at + own + walk + gain), 0.0, 7.0);
            }
        }
        return sums;
    }
};

// The worst case for alarms: none of 25 variants is worse than the config, and each differs from it at many places. What is named has to
// be confirmed on fresh texts; the first step alone must already hold the level.
TEST(Paired, AHealthyHeadGetsAnAlarmLessThanOnceInAHundred) {
    constexpr int kHeads = 1000, kVariants = 25;
    int first = 0, confirmed = 0;
    for (int head = 0; head < kHeads; ++head) {
        World world(static_cast<std::uint64_t>(head) + 1, 50), fresh(static_cast<std::uint64_t>(head) + 1'000'000, 25);
        const std::vector<double> config = world.kept(0.5, 0);
        std::vector<PairedDifference> differences;
        std::vector<double> p;
        for (int variant = 0; variant < kVariants; ++variant) {
            differences.push_back(paired_difference(config, world.kept(0.5, 0), world.places));
            p.push_back(differences.back().p_value);
        }
        const std::vector<bool> rejects = holm_rejects(p, kAlarm);
        bool alarm = false;
        for (std::size_t i = 0; i < rejects.size(); ++i) alarm = alarm || (rejects[i] && differences[i].mean >= kLeastGain);
        if (!alarm) continue;
        ++first;
        const PairedDifference again = paired_difference(fresh.kept(0.5, 0), fresh.kept(0.5, 0), fresh.places);
        confirmed += again.p_value <= kAlarm && again.mean >= kLeastGain;
    }
    // 1000 heads at a level of 0.01: 10 are expected, and more than 20 come once in a thousand such tests.
    EXPECT_LE(first, 20);
    EXPECT_LE(confirmed, 3) << "the fresh prompts let through one in a hundred of those";
}

TEST(Paired, ARealGainIsFound) {
    int found = 0;
    for (std::uint64_t head = 1; head <= 100; ++head) {
        World world(head, 50);
        const std::vector<double> config = world.kept(0.5, 0), better = world.kept(0.5, 0.9);
        std::vector<double> p(25, 1);
        p[7] = paired_difference(config, better, world.places).p_value;
        found += holm_rejects(p, kAlarm)[7];
    }
    EXPECT_GE(found, 95);
}

// What least_told promises: a gain of that size is found nine times in ten.
TEST(Paired, TheSmallestGainThatIsToldIsFoundNineTimesInTen) {
    std::mt19937_64 dice(5);
    std::normal_distribution<double> normal;
    constexpr int kTexts = 40, kTries = 2000;
    const std::vector<int> places(kTexts, 30);
    const auto noise = [&] {
        std::vector<double> sums(kTexts);
        for (double& sum : sums) sum = 20 * normal(dice);
        return sums;
    };
    const std::vector<double> none(kTexts, 0.0);
    PairedDifference known; // with the true error, not that of one sample
    known.texts = kTexts;
    known.error = 20 / std::sqrt(static_cast<double>(kTexts)) / 30;
    double told = 0; // on average
    for (int i = 0; i < 200; ++i) told += paired_difference(none, noise(), places).least_told(0.001) / 200;
    EXPECT_NEAR(told, known.least_told(0.001), 0.03 * told);
    int found = 0;
    const double gain = 30 * known.least_told(0.001); // of a text
    for (int i = 0; i < kTries; ++i) {
        std::vector<double> better = noise();
        for (double& sum : better) sum += gain;
        found += paired_difference(none, better, places).p_value <= 0.001;
    }
    EXPECT_NEAR(found, 0.9 * kTries, 60);
}

} // namespace
} // namespace speclens
