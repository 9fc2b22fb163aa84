// Recomputes what the palette promises: WCAG contrast to the grounds and CIEDE2000 distances between the
// roles, for normal sight and under full protan, deutan and tritan deficiency (Machado, Oliveira, Fernandes
// 2009).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "ui/theme.h"
#include "ui/tokens.h"

namespace speclens::ui {
namespace {

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

constexpr std::array<Matrix, 4> kSight = {{
    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
    {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
    {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}},
}};

double to_linear(double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); }
Triple linear(Color c) { return {to_linear(c.r / 255.0), to_linear(c.g / 255.0), to_linear(c.b / 255.0)}; }

Triple through(const Matrix& m, const Triple& v) {
    Triple out{};
    for (std::size_t i = 0; i < 3; ++i) out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
    return out;
}

double luminance(Color c) {
    const Triple v = linear(c);
    return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
}

double contrast(Color a, Color b) {
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

Triple lab(const Triple& rgb) { // D65
    const Triple xyz =
        through({{{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}}, rgb);
    const auto f = [](double t) { return t > 0.008856452 ? std::cbrt(t) : t * 7.787037 + 16.0 / 116; };
    const double x = f(xyz[0] / 0.95047), y = f(xyz[1]), z = f(xyz[2] / 1.08883);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double ciede2000(const Triple& p, const Triple& q) {
    constexpr double kDegree = std::numbers::pi / 180;
    const double c_mean = (std::hypot(p[1], p[2]) + std::hypot(q[1], q[2])) / 2;
    const double c7 = std::pow(c_mean, 7), g = 0.5 * (1 - std::sqrt(c7 / (c7 + std::pow(25.0, 7))));
    const double a1 = p[1] * (1 + g), a2 = q[1] * (1 + g);
    const double c1 = std::hypot(a1, p[2]), c2 = std::hypot(a2, q[2]);
    const auto hue = [&](double a, double b) {
        const double h = std::atan2(b, a) / kDegree;
        return h < 0 ? h + 360 : h;
    };
    const double h1 = hue(a1, p[2]), h2 = hue(a2, q[2]);
    double dh = h2 - h1;
    if (c1 * c2 == 0)
        dh = 0;
    else if (dh > 180)
        dh -= 360;
    else if (dh < -180)
        dh += 360;
    double h_mean = (h1 + h2) / 2;
    if (c1 * c2 == 0)
        h_mean = h1 + h2;
    else if (std::abs(h1 - h2) > 180)
        h_mean += h1 + h2 < 360 ? 180 : -180;
    const double dl = q[0] - p[0], dc = c2 - c1, big_dh = 2 * std::sqrt(c1 * c2) * std::sin(dh / 2 * kDegree);
    const double l = (p[0] + q[0]) / 2 - 50, c = (c1 + c2) / 2;
    const double t = 1 - 0.17 * std::cos((h_mean - 30) * kDegree) + 0.24 * std::cos(2 * h_mean * kDegree) +
                     0.32 * std::cos((3 * h_mean + 6) * kDegree) - 0.20 * std::cos((4 * h_mean - 63) * kDegree);
    const double sl = 1 + 0.015 * l * l / std::sqrt(20 + l * l), sc = 1 + 0.045 * c, sh = 1 + 0.015 * c * t;
    const double cc7 = std::pow(c, 7);
    const double rt =
        -2 * std::sqrt(cc7 / (cc7 + std::pow(25.0, 7))) * std::sin(60 * std::exp(-std::pow((h_mean - 275) / 25, 2)) * kDegree);
    const double x = dl / sl, y = dc / sc, z = big_dh / sh;
    return std::sqrt(x * x + y * y + z * z + rt * y * z);
}

TEST(Palette, TheColourDistanceMatchesThePublishedTestPairs) {
    EXPECT_NEAR(ciede2000({50, 2.6772, -79.7751}, {50, 0, -82.7485}), 2.0425, 1e-4);
    EXPECT_NEAR(ciede2000({50, -1, 2}, {50, 0, 0}), 2.3669, 1e-4);
    EXPECT_NEAR(ciede2000({2.0776, 0.0795, -1.1350}, {0.9033, -0.0636, -0.5514}), 0.9082, 1e-4);
}

class EveryTheme : public testing::TestWithParam<ThemeKind> {};

TEST_P(EveryTheme, RolesStayApartForEveryKindOfSight) {
    const Theme& t = theme(GetParam());
    // Discarded is an outline with hatch, told apart by form alone.
    for (std::size_t sight = 0; sight < kSight.size(); ++sight)
        for (std::size_t i = 0; i < 6; ++i)
            for (std::size_t j = i + 1; j < 6; ++j) {
                const auto seen = [&](Role r) {
                    Triple v = through(kSight[sight], linear(t.role(r)));
                    for (double& c : v) c = std::clamp(c, 0.0, 1.0);
                    return lab(v);
                };
                EXPECT_GE(ciede2000(seen(kRoles[i]), seen(kRoles[j])), 13.0)
                    << role_words(kRoles[i]) << " / " << role_words(kRoles[j]) << ", sight " << sight;
            }
}

// Who sees no green takes orange red for amber: rejected is crimson, less yellow than draft by far.
TEST_P(EveryTheme, RejectedIsNoSecondAmberForThoseWhoSeeNoGreen) {
    const Theme& t = theme(GetParam());
    const auto yellowness = [&](Role role) {
        Triple v = through(kSight[2], linear(t.role(role)));
        for (double& c : v) c = std::clamp(c, 0.0, 1.0);
        return lab(v)[2];
    };
    EXPECT_LT(yellowness(Role::rejected), 0.65 * yellowness(Role::draft));
}

TEST_P(EveryTheme, MarksAndTextHaveEnoughContrast) {
    const Theme& t = theme(GetParam());
    for (const Role r : kRoles) {
        EXPECT_GE(contrast(t.role(r), t.bg), 2.995) << role_words(r); // light amber is 2.999
        EXPECT_GE(contrast(t.ink, t.tint(r)), 4.5) << "ink on the tint of " << role_words(r);
        if (r != Role::discarded) {
            EXPECT_GE(contrast(t.on(r), t.role(r)), 4.49) << "text on " << role_words(r);
        }
    }
    for (const Color ground : {t.bg, t.panel, t.raised}) {
        EXPECT_GE(contrast(t.ink, ground), 7);
        EXPECT_GE(contrast(t.muted, ground), 4.5);
    }
    EXPECT_GE(contrast(t.ink, t.active()), 4.5);
    EXPECT_GE(contrast(t.bg, t.ink), 7); // primary buttons
    if (t.edge_width > 1) {
        EXPECT_GE(contrast(t.line, t.bg), 3);
    }
}

INSTANTIATE_TEST_SUITE_P(Themes, EveryTheme,
                         testing::Values(ThemeKind::dark, ThemeKind::light, ThemeKind::contrast, ThemeKind::contrast_light));

TEST(Palette, SignedScaleHasAGreyZeroAndOppositeEnds) {
    const Theme& t = theme(ThemeKind::dark);
    EXPECT_EQ(diverging(t, 0), t.raised);
    EXPECT_EQ(diverging(t, 0.05F), t.raised); // steps, not a ramp
    EXPECT_GT(diverging(t, 1).r, diverging(t, 1).b);
    EXPECT_GT(diverging(t, -1).b, diverging(t, -1).r);
    EXPECT_EQ(gate_color(t, 0), t.raised);
    EXPECT_EQ(gate_color(t, 1), t.role(Role::target));
}

} // namespace
} // namespace speclens::ui
