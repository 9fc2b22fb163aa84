// The accept rule in words and as data: every bar, the sums, the coin, both strips, the proof and thrown coins, in both languages.
//
// What stood in the description that was written by hand, and which message has it now (AcceptTold):
//
//     "position 3 of round 3, …", "Data: TABLE, edited"   subtitle.told {place} …, words.data {tier} {words} of shared
//     "  “x”: target .31, draft <.01, overlap .16"         bar.token {token} {id} {target} {draft} {overlap} {never} {locked} {chosen}
//     "  other: target ≤ .02, draft .22, overlap ≥ 0"      bar.other, the same; each number is number.as_known {p} {least} {most}
//     "Kept ≥ .62, rejected ≤ .38, owed ≤ .38: …"          sum.told {kept} {rejected} {owed} {below}
//     "The draft names 24 of 61 tokens; to the others …"   strip.sum {named} {ids} {never}
//     "Output: kept .52, replaced by …, by another …"      strip.part:kept, replaced, never {p}
//     "Coin for “x”: u = .42, threshold .50, accepted; …"  gauge.told {token} {coin} {threshold} {verdict} {thrown}
//     "Residual: “x” .50 …"                                strips.residual {shares}: strips.share {token} {p}
//     "Guess 2, “x”: token rule .62, it stays; …"          rules.place {place} {guess} {kept} {by_token} {matched} {own} {by_match}
//     "1000 flips: 620 kept, 380 resampled, TV 0.012, …"   flips.told {flips} {kept} {resampled} {bound} {tv} {p}
//
// Nobody told of these before: both strips (strips.over, strips.owed), the proof (proof.told), the counts of every bar (flips.row).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "engine/base/json.h"
#include "scenes/shared/in_words.h"
#include "scenes/shared/token_said.h"
#include "tests/shared/accept_bench.h"
#include "tests/shared/drawn_numbers.h"
#include "tests/shared/speaking.h"
#include "ui/format.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

std::vector<ui::ToldMessage> told_of(const SceneInput& input) { return find_scene("accept-rule")->make()->told(input); }

void expect_known(const Said& row, std::string_view name, std::optional<double> p, bool least, bool most) {
    const Said said = test::inner(row, name);
    EXPECT_EQ(said.id(), "accept-rule.number.as_known") << name;
    EXPECT_EQ(test::whole(said, "least"), least) << name;
    EXPECT_EQ(test::whole(said, "most"), most) << name;
    if (p) {
        EXPECT_EQ(test::real(said, "p"), *p) << name;
    } else {
        EXPECT_FALSE(said.values[0].there()) << name;
    }
}

void expect_share(const Said& row, std::string_view name, double p, double most) {
    expect_known(row, name, most > 0 ? most : p, false, most >= 0.01);
}

void expect_token(const Said& said, const Trace& trace, int id, const char* name = "token") {
    const Said token = test::inner(said, name);
    if (id < 0)
        EXPECT_EQ(token.id(), "accept-rule.words.other_token");
    else if (token.text == "words.token:text")
        EXPECT_EQ(test::words(token, "text"), ui::token_in_text(trace.text(id)));
    else
        EXPECT_EQ(test::whole(token, "n"), std::ssize(trace.text(id)));
}

// The parts of an area in the order of their size, each in units of `of`.
void expect_shares(const std::vector<Said>& told, const SceneInput& input, const AcceptView& view, double (AcceptBar::*mass)() const,
                   double of) {
    std::vector<AcceptBar> bars;
    std::ranges::copy_if(view.bars, std::back_inserter(bars), [&](const AcceptBar& bar) { return (bar.*mass)() > 1e-6; });
    std::ranges::stable_sort(bars, std::ranges::greater{}, mass);
    ASSERT_EQ(told.size(), 1U);
    const std::vector<Said> shares = test::list(told[0], "shares");
    ASSERT_EQ(shares.size(), bars.size());
    double sum = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        expect_token(shares[i], *input.trace, bars[i].id);
        EXPECT_EQ(test::real(shares[i], "p"), (bars[i].*mass)() / of);
        sum += test::real(shares[i], "p");
    }
    EXPECT_NEAR(sum, (1 - view.kept) / of, 1e-4);
}

void expect_bars_told(const std::vector<ui::ToldMessage>& told, const SceneInput& input, const AcceptView& view, const AcceptParts& parts) {
    std::size_t i = 0;
    for (const ui::ToldMessage& one : told) {
        const Said& said = one.message.said;
        if (said.id() != "accept-rule.bar.token" && said.id() != "accept-rule.bar.other") continue;
        ASSERT_LT(i, view.bars.size());
        const AcceptBar& bar = view.bars[i];
        EXPECT_EQ(said.text == "bar.other", bar.id < 0);
        if (bar.id >= 0) {
            EXPECT_EQ(test::whole(said, "id"), bar.id);
            expect_token(said, *input.trace, bar.id);
        }
        expect_share(said, "target", bar.p, bar.p_most);
        expect_share(said, "draft", bar.q, bar.q_most);
        if (parts.sums)
            expect_known(said, "overlap", bar.at_least && bar.kept < 0.01 ? 0 : bar.kept, bar.at_least, false);
        else
            EXPECT_EQ(test::words(said, "overlap"), "") << "it would be the answer";
        EXPECT_EQ(test::whole(said, "never"), parts.reach && bar.never > 0);
        EXPECT_EQ(test::whole(said, "chosen"), static_cast<int>(i) == view.chosen);
        EXPECT_EQ(test::whole(said, "locked"), 0);
        ++i;
    }
    EXPECT_EQ(i, view.bars.size());
}

void expect_coin_told(const std::vector<ui::ToldMessage>& told, const SceneInput& input, const AcceptView& view) {
    const Said coin = test::only_said(told, "accept-rule.gauge.told");
    expect_token(coin, *input.trace, view.bar().id);
    EXPECT_EQ(test::real(coin, "coin"), view.coin);
    if (view.coin_known()) {
        EXPECT_EQ(test::real(coin, "threshold"), view.bar().q > 0 ? std::min(1.0, view.bar().p / view.bar().q) : 0);
    }
    EXPECT_EQ(test::inner(coin, "verdict"), verdict_words(input, view).said);
    EXPECT_EQ(test::whole(coin, "thrown"), view.source.coin.has_value());
}

void expect_reach_told(const std::vector<ui::ToldMessage>& told, const AcceptView& view) {
    const Said sum = test::only_said(told, "accept-rule.strip.sum");
    EXPECT_EQ(test::whole(sum, "named"), view.reach.named);
    EXPECT_EQ(test::whole(sum, "ids"), view.reach.ids);
    EXPECT_EQ(test::real(sum, "never"), view.reach.never);
    EXPECT_EQ(test::words(sum, "letter"), "p");
    const auto part = [&](const std::string& name) { return test::all_said(told, "accept-rule.strip.part:" + name); };
    EXPECT_EQ(test::real(part("nameable").at(0), "p"), 1 - view.reach.never);
    EXPECT_EQ(test::real(part("kept").at(0), "p"), view.kept);
    EXPECT_EQ(test::real(part("replaced").at(0), "p"), std::max(0.0, 1 - view.kept - view.reach.never));
    ASSERT_EQ(part("never").size(), 2U) << "of what is given, and of what comes out";
    for (const Said& never : part("never")) EXPECT_EQ(test::real(never, "p"), view.reach.never);
}

void expect_rules_told(const std::vector<ui::ToldMessage>& told, const SceneInput& input, const AcceptView& view) {
    const std::vector<Said> rows = test::all_said(told, "accept-rule.rules.place");
    ASSERT_EQ(rows.size(), view.places.size());
    const Said sum = test::only_said(told, "accept-rule.rules.sum");
    EXPECT_EQ(test::whole(sum, "of"), std::ssize(rows));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const PlaceByRules& place = view.places[i];
        EXPECT_EQ(test::whole(rows[i], "place"), static_cast<int>(i) + 1);
        expect_token(rows[i], *input.trace, place.guess, "guess");
        expect_token(rows[i], *input.trace, place.own, "own");
        EXPECT_EQ(test::real(rows[i], "kept"), place.kept);
        EXPECT_EQ(test::real(rows[i], "matched"), place.matched);
    }
    const auto expect_verdicts = [&](const char* name, const char* counted, bool PlaceByRules::*by) {
        int stay = 0;
        bool gone = false;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const bool stays = view.places[i].*by;
            EXPECT_EQ(test::inner(rows[i], name).id(), std::string("accept-rule.rules.verdict:") + (gone    ? "unseen"
                                                                                                    : stays ? "stays"
                                                                                                            : "goes"));
            gone = gone || !stays;
            stay += !gone;
        }
        EXPECT_EQ(test::whole(sum, counted), stay);
    };
    expect_verdicts("by_token", "token", &PlaceByRules::by_token);
    expect_verdicts("by_match", "match", &PlaceByRules::by_match);
}

void expect_flips_told(const std::vector<ui::ToldMessage>& told, const SceneInput& input, const AcceptView& view,
                       const FlipCounts& counts) {
    const std::vector<Said> rows = test::all_said(told, "accept-rule.flips.row");
    ASSERT_EQ(rows.size(), view.bars.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        expect_token(rows[i], *input.trace, view.bars[i].id);
        EXPECT_EQ(test::real(rows[i], "p"), view.bars[i].p);
        EXPECT_EQ(test::whole(rows[i], "thrown"), counts.flips > 0);
        EXPECT_EQ(test::whole(rows[i], "kept"), counts.flips > 0 ? counts.kept[i] : 0);
        EXPECT_EQ(test::whole(rows[i], "resampled"), counts.flips > 0 ? counts.resampled[i] : 0);
    }
    EXPECT_EQ(tells(told, "flips.told"), counts.flips > 0);
    if (counts.flips == 0) return;
    const Said all = test::only_said(told, "accept-rule.flips.told");
    EXPECT_EQ(test::whole(all, "flips"), counts.flips);
    EXPECT_EQ(test::whole(all, "kept"), counts.kept_total());
    EXPECT_EQ(test::whole(all, "resampled"), counts.flips - counts.kept_total());
    EXPECT_EQ(test::whole(all, "bound"), view.at_least);
    double tv = 0;
    for (std::size_t i = 0; i < view.bars.size(); ++i)
        tv += std::abs(static_cast<double>(counts.kept[i] + counts.resampled[i]) / counts.flips - view.bars[i].p) / 2;
    EXPECT_NEAR(test::real(all, "tv"), tv, 1e-9);
    const DistributionTest fit = test_flips(view, counts);
    if (fit.degrees > 0) {
        EXPECT_EQ(test::real(all, "p"), fit.p_value);
    }
    for (const char* which : {"kept", "resampled"})
        EXPECT_EQ(test::whole(test::only_said(told, std::string("accept-rule.flips.") + which), "n"), test::whole(all, which));
}

// What is told of a frame, against the model of that frame.
void expect_all_told(const SceneInput& input) {
    const AcceptView view = accept_view(input, {}, -1);
    ASSERT_FALSE(view.bars.empty());
    AcceptState state;
    if (input.still && input.beat == kCountBeat) flip(view, input.view->header->seed, 1000, state.now.counts);
    const AcceptParts parts = accept_parts(input, view, state);
    const std::vector<ui::ToldMessage> told = told_of(input);
    expect_bars_told(told, input, view, parts);
    EXPECT_EQ(tells(told, "sum.told"), parts.sums);
    if (parts.sums) {
        const Said sum = test::only_said(told, "accept-rule.sum.told");
        const auto known = [&](double p) { return view.told() ? std::optional(p) : std::nullopt; };
        expect_known(sum, "kept", known(view.kept), view.at_least && view.told(), false);
        for (const char* lost : {"rejected", "owed"}) expect_known(sum, lost, known(1 - view.kept), false, view.at_least && view.told());
        EXPECT_EQ(test::whole(sum, "below"), !view.told());
    }
    EXPECT_EQ(tells(told, "gauge.told"), parts.coin && !parts.reach && !parts.rules);
    if (parts.coin && !parts.reach && !parts.rules) expect_coin_told(told, input, view);
    EXPECT_EQ(tells(told, "rules.sum"), parts.rules);
    if (parts.rules) expect_rules_told(told, input, view);
    EXPECT_EQ(tells(told, "strip.sum"), parts.reach);
    if (parts.reach) expect_reach_told(told, view);
    EXPECT_EQ(tells(told, "proof.told"), parts.books);
    const bool shares = parts.books && !view.at_least && view.kept < 1 - 1e-4;
    for (const char* list : {"strips.over", "strips.owed", "strips.residual"}) EXPECT_EQ(tells(told, list), shares) << view.kept;
    if (shares) {
        expect_shares(test::all_said(told, "accept-rule.strips.over"), input, view, &AcceptBar::over, 1);
        expect_shares(test::all_said(told, "accept-rule.strips.owed"), input, view, &AcceptBar::owed, 1);
        expect_shares(test::all_said(told, "accept-rule.strips.residual"), input, view, &AcceptBar::owed, 1 - view.kept);
    }
    if (parts.books) {
        const std::vector<Said> bars = test::list(test::only_said(told, "accept-rule.proof.told"), "bars");
        ASSERT_EQ(bars.size(), view.bars.size());
        for (std::size_t i = 0; i < bars.size(); ++i) {
            expect_token(bars[i], *input.trace, view.bars[i].id);
            EXPECT_EQ(test::real(bars[i], "kept"), view.bars[i].kept);
            EXPECT_EQ(test::real(bars[i], "replaced"), view.bars[i].p - view.bars[i].kept);
            EXPECT_EQ(test::real(bars[i], "target"), view.bars[i].p);
        }
    }
    expect_flips_told(told, input, view, state.now.counts);
}

// Places of runs of which whole distributions, long heads and short ones are known, under several rules and drafters, at every beat.
template <class Visit>
void each_frame(const Visit& visit) {
    const auto beats = [&](SceneInput input, const std::string& what) {
        for (input.beat = 0; input.beat < kAcceptBeats; ++input.beat) {
            SCOPED_TRACE(what + ", beat " + std::to_string(input.beat));
            input.still = input.beat == kCountBeat && input.selected->index % 2 == 0;
            visit(input);
        }
    };
    for (const int top : {64, 3, 1}) {
        Saved saved(top);
        const std::vector<Position> positions = saved.positions();
        for (std::size_t i = 0; i < positions.size(); i += 3)
            beats(saved.at(positions[i]), "heads of " + std::to_string(top) + " at " + std::to_string(i));
    }
    for (const auto& [drafter, rule, temperature] :
         {std::tuple{"eagle3", "token", 1.0}, {"small", "block", 1.0}, {"small", "token", 0.0}, {"lookup", "token", 1.0}}) {
        Judged live(drafter, rule, temperature);
        const std::vector<Position> positions = judged_positions(*live.input().whole);
        ASSERT_FALSE(positions.empty()) << drafter;
        for (std::size_t i = 0; i < positions.size(); i += 5) beats(with_distributions(live, positions[i]), drafter);
    }
}

TEST(AcceptTold, TellsEveryBarTheSumsTheCoinTheBooksAndTheCountsInBothLanguages) {
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        SCOPED_TRACE(language);
        each_frame([](const SceneInput& input) { expect_all_told(input); });
    }
}

// A number that is drawn and that no message has would be one that only eyes see.
TEST(AcceptTold, SaysEveryNumberThatIsDrawn) {
    const auto one = [](const SceneInput&, const ui::RecordedText&, const std::string& number) { return number == "1.00"; };
    std::size_t seen = 0;
    each_frame([&](const SceneInput& input) { seen += test::expect_drawn_numbers_told("accept-rule", input, one); });
    EXPECT_GT(seen, 1000U);
}

// A place whose guess `t` the draft over-claims, and three tokens that are owed something.
struct Contested {
    Saved saved{64};
    SceneInput input;
    int t = 0;
    double u = 0;

    Contested() {
        const Position at = saved.positions().back();
        const AcceptView view = saved.view(at);
        t = view.source.draft_token;
        u = *view.source.coin;
        DistributionPair pair{at.round, at.index, Distribution(24), Distribution(24), {}, {}, {}};
        const double p[] = {.1, .4, .3, .2}, q[] = {.55, .15, .2, .1};
        for (int i = 0; i < 4; ++i) {
            pair.target[static_cast<std::size_t>(id(i))] = p[i];
            pair.draft[static_cast<std::size_t>(id(i))] = q[i];
        }
        input = saved.at(at, kBooksBeat);
        input.distributions = std::make_shared<const DistributionPair>(pair);
    }
    [[nodiscard]] int id(int i) const { return (t + i) % 24; } // 0: the guess itself
    // “x” in the quotes of the language.
    [[nodiscard]] std::string token(int i) const { return message(token_said(*input.trace, id(i)).said); }
};

// Which number stands where, in words.
TEST(AcceptTold, SaysItsNumbersInTheirPlaces) {
    const Contested place;
    ASSERT_LT(place.t, 24);
    for (const bool german : {false, true}) {
        const test::Speaking speaking(german ? "de" : "en");
        std::vector<std::string> token;
        for (int i = 0; i < 4; ++i) token.push_back(place.token(i));
        const auto id = [&](int i) { return std::to_string(place.id(i)); };
        const std::string words = in_words(told_of(place.input)), u = ui::probability(place.u);
        const std::vector<std::string> lines =
            german ? std::vector<std::string>{token[0] + ", Id " + id(0) + ": Ziel 0,10, Entwurf 0,55, gemeinsam 0,10 (gewählt)\n",
                                              token[1] + ", Id " + id(1) + ": Ziel 0,40, Entwurf 0,15, gemeinsam 0,15\n",
                                              "Behalten 0,55, abgelehnt 0,45, fehlt 0,45\n",
                                              "Münze für " + token[0] + ": u = " + u + ", Schwelle 0,18, ",
                                              "Zu viel behauptet: " + token[0] + " 0,45\n",
                                              token[1] + " 0,15 + 0,25 = 0,40",
                                              token[1] + ": erwartet 0,40\n"}
                   : std::vector<std::string>{token[0] + ", id " + id(0) + ": target .10, draft .55, overlap .10 (selected)\n",
                                              token[1] + ", id " + id(1) + ": target .40, draft .15, overlap .15\n",
                                              "Kept .55, rejected .45, owed .45\n",
                                              "Coin for " + token[0] + ": u = " + u + ", threshold .18, ",
                                              "Over-claimed: " + token[0] + " .45\n",
                                              token[1] + " .15 + .25 = .40",
                                              token[1] + ": expected .40\n"};
        for (const std::string& line : lines) EXPECT_NE(words.find(line), std::string::npos) << line << "\n" << words;
        const std::string owed = german ? "Fehlend: " : "Owed: ", residual = german ? "Residuum: " : "Residual: ";
        EXPECT_NE(words.find(owed + token[1] + (german ? " 0,25" : " .25")), std::string::npos) << words;
        EXPECT_NE(words.find(residual + token[1] + (german ? " 0,56" : " .56")), std::string::npos) << words;
    }
}

TEST(AcceptTold, GivesNumbersWithFullPrecisionAsData) {
    const Contested place;
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        const AcceptView view = accept_view(place.input, {}, -1);
        const Json data = Json::parse(words_json("accept-rule", kBooksBeat, told_of(place.input)));
        std::size_t bars = 0;
        for (const Json& message : data["messages"]) {
            if (message["id"] == "accept-rule.gauge.told") {
                EXPECT_EQ(message["values"]["coin"].get<double>(), view.coin);
                EXPECT_EQ(message["values"]["threshold"].get<double>(), view.threshold());
                EXPECT_EQ(message["region"], "stage");
                EXPECT_FALSE(message["drawn"].get<bool>());
            }
            if (message["id"] != "accept-rule.bar.token" && message["id"] != "accept-rule.bar.other") continue;
            const AcceptBar& bar = view.bars.at(bars++);
            EXPECT_EQ(message["values"]["target"]["values"]["p"].get<double>(), bar.p);
            EXPECT_EQ(message["values"]["draft"]["values"]["p"].get<double>(), bar.q);
            EXPECT_EQ(message["values"]["overlap"]["values"]["p"].get<double>(), bar.kept);
        }
        EXPECT_EQ(bars, view.bars.size());
    }
}

// Quotes and words are the language's; names of options and rules stay.
TEST(AcceptTold, SpeaksGerman) {
    const test::Speaking speaking("de");
    const std::string words = in_words(told_of(Contested().input));
    for (const char* part : {"Zu viel = fehlend", "Probe", "Residuum: „", "Daten: "})
        EXPECT_NE(words.find(part), std::string::npos) << words;
    for (const char* part : {"target", "draft", "coin", "kept", "”"})
        EXPECT_EQ(words.find(part), std::string::npos) << part << "\n" << words;
}

} // namespace
} // namespace speclens
