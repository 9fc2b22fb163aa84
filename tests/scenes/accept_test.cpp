// Scene S3 on saved runs: what recorded heads prove of two distributions and where they do not say; what the beats say of two
// distributions: parts of an area, small numbers, tasks.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>
#include <set>

#include "app/frontend/frontend.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter_info.h"
#include "scenes/shared/in_words.h"
#include "scenes/shared/words.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/accept_bench.h"
#include "tests/shared/speaking.h"
#include "tests/shared/unowned.h"

namespace speclens {
namespace {

// Every check has the probabilities of its token, also where it stands below the head.
TEST(AcceptHeads, TheDraftedTokenKeepsItsCoinWhateverTheHeadLists) {
    Saved whole(64), heads(3);
    int below = 0;
    for (const Position& position : whole.positions()) {
        const AcceptView all = whole.view(position), some = heads.view(position);
        ASSERT_GE(some.drafted, 0);
        EXPECT_NEAR(some.bar().p, all.bar().p, 1e-9) << position.round << ", " << position.index;
        EXPECT_NEAR(some.bar().q, all.bar().q, 1e-9) << position.round << ", " << position.index;
        EXPECT_TRUE(some.coin_known());
        EXPECT_EQ(some.accepts(), some.source.accepted);
        EXPECT_FALSE(tells(heads.told(position, kCoinBeat), "coin.text:never"));
        EXPECT_FALSE(tells(heads.told(position, kCoinBeat), "verdict.never"));
        const SceneInput input = heads.at(position);
        const RoundSummary& round = input.view->round_list[static_cast<std::size_t>(position.round)];
        const DraftSlot& slot = round.drafts[static_cast<std::size_t>(position.index)];
        below += !listed(slot.draft->top, slot.draft->token) || !listed(slot.check->top, slot.draft->token);
    }
    EXPECT_GT(below, 3) << "or nothing was tried";
}

// Whoever divides the printed numbers gets the printed ratio.
TEST(AcceptRule, ItsArithmeticIsAsPrinted) {
    Saved whole(64);
    int divided = 0;
    for (const Position& position : whole.positions()) {
        for (const Said& formula : test::all_said(whole.told(position, kCoinBeat), "accept-rule.gauge.formula:whole")) {
            const Said value = test::inner(formula, "value");
            if (value.text != "gauge.value:ratio") continue;
            const std::string shown = message(value);
            double p = 0, q = 0, ratio = 0;
            if (shown.find('<') != std::string::npos) continue; // no number to divide
            ASSERT_EQ(std::sscanf(shown.c_str(), "%lf ÷ %lf ≈ %lf", &p, &q, &ratio), 3) << shown;
            EXPECT_NEAR(p / q, ratio, 0.0051 + 0.01 * ratio) << shown;
            EXPECT_NEAR(test::real(value, "target") / test::real(value, "draft"), test::real(value, "threshold"), 1e-12);
            ++divided;
        }
    }
    EXPECT_GT(divided, 3) << "or nothing was tried";
}

// Where the distributions are equal nothing is dotted, and no replacement fills it.
TEST(AcceptRule, EqualDistributionsNeedNoReplacement) {
    SceneBench bench("accept-rule");
    const auto trace = fixtures::toy_run({.name = "equal", .cycles = 4, .noise = 0});
    bench.show(trace, trace->size());
    SceneInput input = bench.controller.frame(0).scene;
    input.beat = 6;
    const AcceptView view = accept_view(input, {}, -1);
    ASSERT_GT(view.kept, 1 - 1e-6);
    const Message text = accept_story(input, view, {}).text; // behind what says that nothing was rejected here
    ASSERT_TRUE(is(text, "words.no_example")) << text.said.id();
    EXPECT_EQ(test::inner(text.said, "text").id(), "accept-rule.books.text:all_kept");
}

TEST(AcceptHeads, WhatTheyProveIsALeastChance) {
    Saved whole(64), heads(3);
    int less = 0;
    for (const Position& position : whole.positions()) {
        const AcceptView all = whole.view(position), some = heads.view(position);
        EXPECT_FALSE(all.at_least);
        EXPECT_LE(some.kept, all.kept + 1e-9);
        if (!some.at_least) {
            EXPECT_NEAR(some.kept, all.kept, 0.005);
            continue;
        }
        less += some.kept < all.kept - 0.01;
        for (const AcceptBar& bar : some.bars) {
            const auto same = std::ranges::find(all.bars, bar.id, &AcceptBar::id);
            if (bar.id < 0 || same == all.bars.end()) continue;
            EXPECT_LE(same->p, bar.p_most > 0 ? bar.p_most : bar.p + 1e-9);
            EXPECT_LE(same->q, bar.q_most > 0 ? bar.q_most : bar.q + 1e-9);
        }
    }
    EXPECT_GT(less, 3) << "or nothing was tried";
}

TEST(AcceptHeads, AreNotToldAsTheChance) {
    Saved heads(3);
    int told = 0;
    for (const Position& position : heads.positions()) {
        const AcceptView view = heads.view(position);
        const auto green = heads.told(position, kSumsBeat), areas = heads.told(position, kBooksBeat);
        EXPECT_EQ(tells(green, "kept.text:whole"), !view.at_least);
        if (!view.at_least || !view.told()) continue;
        ++told;
        const Said sum = test::only_said(green, "accept-rule.sum.told");
        EXPECT_EQ(test::whole(test::inner(sum, "kept"), "least"), 1);
        EXPECT_EQ(test::real(test::inner(sum, "kept"), "p"), view.kept);
        EXPECT_EQ(test::whole(test::inner(sum, "rejected"), "most"), 1);
        EXPECT_EQ(test::real(test::inner(sum, "rejected"), "p"), 1 - view.kept);
        EXPECT_TRUE(message(test::inner(sum, "kept")).starts_with("≥ ") && message(test::inner(sum, "rejected")).starts_with("≤ "));
        EXPECT_EQ(test::real(test::only_said(green, "accept-rule.kept.text:heads"), "kept"), view.kept);
        EXPECT_EQ(test::real(test::only_said(areas, "accept-rule.areas.text:heads"), "lost"), 1 - view.kept);
        EXPECT_EQ(in_words(areas).find("≥ <"), std::string::npos) << in_words(areas);
        EXPECT_FALSE(tells(areas, "strips.residual"));
        EXPECT_EQ(test::inner(test::only_said(areas, "accept-rule.proof.kept"), "kept"), kept_number(view).said);
        EXPECT_EQ(test::inner(test::only_said(areas, "accept-rule.proof.residual"), "lost"), lost_number(view).said);
    }
    EXPECT_GT(told, 3) << "or nothing was tried";
}

// Two heads of one token: what they share says nothing.
TEST(AcceptHeads, GiveNoNumberWhereTheyShareNothing) {
    Saved heads(1);
    int silent = 0;
    for (const Position& position : heads.positions()) {
        const AcceptView view = heads.view(position);
        if (view.told()) continue;
        ++silent;
        const Said sum = test::only_said(heads.told(position, kSumsBeat), "accept-rule.sum.told");
        EXPECT_EQ(test::whole(sum, "below"), 1);
        for (const char* number : {"kept", "rejected", "owed"}) EXPECT_EQ(message(test::inner(sum, number)), "–");
        EXPECT_FALSE(is(accept_title(heads.at(position, kBooksBeat), view).title, "title.disagree"));
    }
    EXPECT_GT(silent, 0) << "or nothing was tried";
}

// What is thrown shares as much as what is drawn: "other" is many tokens, not one.
TEST(AcceptHeads, FlipsKeepWhatTheBarsShare) {
    Saved heads(3);
    int tried = 0;
    for (const Position& position : heads.positions()) {
        const AcceptView view = heads.view(position);
        const AcceptBar& other = view.bars.back();
        if (std::min(other.over(), other.owed()) < 0.1) continue;
        ++tried;
        FlipCounts counts;
        flip(view, 7, 4000, counts);
        EXPECT_NEAR(counts.kept_total() / 4000.0, view.kept, 0.03);
        EXPECT_LT(test_flips(view, counts).total_variation, 0.03);
    }
    EXPECT_GT(tried, 3) << "or nothing was tried";
}

// The user's own table has no unknown part.
TEST(AcceptHeads, AChangedTableIsWhole) {
    Saved heads(3);
    for (const Position& position : heads.positions()) {
        AcceptEdit edit;
        edit.bars = heads.view(position).bars;
        set_bar(edit.bars, 0, ModelSide::target, 0.3);
        const AcceptView view = accept_view(heads.at(position), edit, -1);
        EXPECT_TRUE(view.edited);
        EXPECT_FALSE(view.at_least);
    }
}

// What becomes of a guess under a coin that nobody threw is no verdict.
TEST(AcceptRule, AGreedyRunThrewNoCoin) {
    Judged greedy("small", "token", 0);
    const SceneInput input = greedy.input(3);
    const AcceptView view = accept_view(input, {}, -1);
    ASSERT_FALSE(view.bars.empty());
    EXPECT_FALSE(view.thrown);
    EXPECT_TRUE(is(verdict_words(input, view), "verdict.would"));
    const auto told = find_scene("accept-rule")->make()->told(input);
    EXPECT_EQ(test::whole(test::only_said(told, "accept-rule.gauge.told"), "thrown"), 0);
    const Said text = test::only_said(told, "accept-rule.coin.text:none");
    EXPECT_EQ(test::whole(text, "greedy"), 1);
    EXPECT_EQ(test::whole(text, "stays"), view.accepts());
    EXPECT_EQ(test::real(text, "threshold"), view.threshold());
    EXPECT_EQ(test::real(text, "coin"), view.coin);
    AcceptEdit own; // the user's own coin has a verdict
    own.coin = 0.1;
    EXPECT_TRUE(is(verdict_words(input, accept_view(input, own, -1)), "verdict.here"));
}

// Block verification may keep what the token rule would not, and reject what it would keep.
TEST(AcceptRule, AfterAnotherRuleItShowsWhereTheDraftClaimsMost) {
    Judged block("small", "block", 1);
    const SceneInput input = block.input();
    const AcceptView view = accept_view(input, {}, -1);
    ASSERT_TRUE(view.source.position);
    const auto claims = [](const DraftSlot& slot) { return std::exp(slot.check->q) - std::exp(slot.check->p); };
    double shown = -2, most = -2;
    for (const RoundSummary& round : input.view->round_list)
        for (std::size_t i = 0; i < round.drafts.size(); ++i) {
            if (!round.drafts[i].check || round.round != input.view->current()->round) continue;
            most = std::max(most, claims(round.drafts[i]));
            if (*view.source.position == Position{round.round, static_cast<int>(i)}) shown = claims(round.drafts[i]);
        }
    EXPECT_EQ(shown, most);
    int other = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        Judged one("small", "block", 1, seed);
        SceneInput there = one.input();
        for (const Position& position : judged_positions(*there.view)) {
            there.selected = position;
            const AcceptView at = accept_view(there, {}, -1);
            if (!at.coin_known() || at.accepts() == at.source.accepted) continue;
            ++other;
            const Message verdict = verdict_words(there, at);
            ASSERT_TRUE(is(verdict, "verdict.otherwise")) << verdict;
            EXPECT_EQ(test::words(verdict.said, "rule"), "block");
            EXPECT_EQ(test::whole(verdict.said, "accepted"), at.accepts());
        }
    }
    EXPECT_GT(other, 0) << "or nothing was tried";
}

// Output, timeline and playhead of a picture are of the round that it speaks of.
TEST(AcceptRule, APictureAfterAnotherRuleBeginsInTheRoundOfTheLargestClaim) {
    for (const char* rule : {"block", "typical", "match"}) {
        Judged run("small", rule, 1);
        const Trace& trace = *run.run->shared_trace();
        const RunView whole = fold(trace, trace.size());
        const auto cursor = find_scene("accept-rule")->make()->first_look(whole);
        ASSERT_TRUE(cursor) << rule;
        const RunView shown = fold(trace, *cursor);
        const std::optional<Position> at = accept_position(shown, {});
        ASSERT_TRUE(at) << rule;
        EXPECT_EQ(at->round, shown.current()->round) << rule;
        double most = -2, here = -2;
        for (const RoundSummary& round : whole.round_list)
            for (std::size_t i = 0; i < round.drafts.size(); ++i) {
                const Checked* check = round.drafts[i].check;
                if (!check) continue;
                const double claim = std::exp(check->q) - std::exp(check->p);
                most = std::max(most, claim);
                if (*at == Position{round.round, static_cast<int>(i)}) here = claim;
            }
        EXPECT_EQ(here, most) << rule;
        FrameRequest request;
        request.scene = "accept-rule";
        EXPECT_EQ(shown_position(request, trace), (std::pair{at->round, at->index})) << rule;
    }
    Judged token("small", "token", 1);
    EXPECT_FALSE(find_scene("accept-rule")->make()->first_look(*token.input().whole));
}

TEST(AcceptRule, XShowsTheNextRejectionUnderEveryRule) {
    for (const char* rule : {"token", "block"}) {
        int found = 0;
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            Judged run("dflash", rule, 1, seed);
            const auto trace = run.run->shared_trace();
            SceneBench bench("accept-rule");
            bench.show(trace, 1);
            for (const RoundSummary& round : fold(*trace, trace->size()).round_list)
                for (std::size_t i = 0; i < round.drafts.size(); ++i) {
                    if (!round.drafts[i].check || round.drafts[i].check->accepted) continue;
                    bench.key(ui::Key::x);
                    bench.settle();
                    const AcceptView view = accept_view(bench.controller.frame(bench.time).scene, {}, -1);
                    ASSERT_TRUE(view.source.position) << rule;
                    EXPECT_EQ(*view.source.position, (Position{round.round, static_cast<int>(i)})) << rule;
                    ++found;
                }
        }
        EXPECT_GT(found, 5) << rule;
    }
}

// A picture of the last beat has what it speaks of, also where there are no details beside the stage.
TEST(AcceptRule, APictureOfTheLastBeatHasItsCoinsThrown) {
    for (const ui::Rect& screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}}) {
        Judged live("small", "token", 1);
        live.bench->resize(screen);
        SceneInput input = live.input(kCountBeat);
        input.still = true;
        const auto told = [&] { return find_scene("accept-rule")->make()->told(input); };
        const Said all = test::only_said(told(), "accept-rule.flips.told");
        EXPECT_EQ(test::whole(all, "flips"), 1000);
        EXPECT_EQ(message(all).find("1\u2009000 flips: " + std::to_string(test::whole(all, "kept")) + " kept, " +
                                    std::to_string(test::whole(all, "resampled")) + " resampled, TV "),
                  0U)
            << message(all);
        input.still = false;
        EXPECT_FALSE(tells(told(), "flips.told"));
        live.bench->controller.perform({SceneCommand{SetBeat{kCountBeat}}}, live.bench->time);
        live.bench->settle();
        EXPECT_TRUE(live.bench->shows(accept_says("flips.none"_t))) << live.bench->words;
        input.details.w = screen.w > 1280 ? 400 : 0;
        const Message subtitle = accept_title(input, accept_view(input, {}, -1)).subtitle;
        EXPECT_EQ(test::whole(subtitle.said, "drag"), screen.w > 1280) << "the place of the handles is that of the counts";
        EXPECT_TRUE(live.bench->shows(subtitle)) << live.bench->words;
        live.bench->key(ui::Key::m);
        const auto& frame = live.bench->controller.frame(0);
        const Said counted = test::only_said(frame.active->told(frame.scene), "accept-rule.flips.told");
        for (const char* which : {"kept", "resampled"})
            EXPECT_TRUE(live.bench->shows(std::to_string(test::whole(counted, which)) + " " + which)) << live.bench->words;
        look(*live.bench, "counted coins", false);
    }
}

// Nothing that cannot be done is advised.
TEST(AcceptRule, ARunWithoutDrafterOffersOne) {
    Judged plain("none", "token", 1);
    EXPECT_TRUE(plain.bench->shows(accept_says.beat("empty:no_drafter"_t, "drafter"_v = "Small draft model").heading))
        << plain.bench->words;
    EXPECT_TRUE(plain.bench->shows("Draft with Small draft model")) << plain.bench->words;
    EXPECT_FALSE(plain.bench->shows(accept_says("empty.task"_t)));
    EXPECT_FALSE(plain.bench->shows(shared_says("story.caption"_t, "at"_v = 1, "of"_v = kAcceptBeats)));
    plain.bench->key(ui::Key::u);
    ASSERT_FALSE(plain.sent.empty());
    const auto* restart = std::get_if<Restart>(&plain.sent.back());
    ASSERT_NE(restart, nullptr);
    EXPECT_EQ(restart->settings.drafter, "small");
    EXPECT_GT(restart->settings.k, 0);
}

// The three sums stand on a ground of their own, beside the chosen column where there is room.
TEST(AcceptRule, TheSumsStandBesideTheChosenColumn) {
    Saved whole(64);
    int tried = 0;
    for (const Position& position : whole.positions()) {
        whole.look_at(position, kSumsBeat);
        const SceneInput input = whole.bench.controller.frame(0).scene;
        const AcceptView view = accept_view(input, {}, -1);
        const AcceptGrid grid = accept_grid(input.stage, view);
        const float left = grid.x(static_cast<std::size_t>(view.chosen)) - (grid.pitch - grid.bar) / 2;
        if (view.chosen > 4) continue; // with the chosen column in the middle there may be no other room
        for (const ui::RecordedText& text : whole.bench.texts) {
            if (text.text != accept_says("sum.kept_about"_t)) continue;
            ++tried;
            EXPECT_TRUE(text.box.right() < left || text.box.x > left + grid.pitch) << position.round << ", " << position.index;
        }
    }
    EXPECT_GT(tried, 3) << "or nothing was tried";
}

// Each has air on its own ground, however narrow the chart.
TEST(AcceptRule, NoSumTouchesTheNext) {
    const auto trace = fixtures::toy_run({.name = "saved", .cycles = 12});
    const float scale = presenter_scale({1920, 1080});
    int tried = 0, named = 0;
    for (const ui::Rect& screen :
         {ui::Rect{0, 0, 1100, 700}, ui::Rect{0, 0, 1280, 720}, ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1920 / scale, 1080 / scale}}) {
        SceneBench bench("accept-rule", {}, screen);
        bench.show(trace, trace->size());
        if (screen.h < 700) {
            bench.controller.window = {1920, 1080};
            bench.key(ui::Key::f5);
        }
        for (const Position& position : judged_positions(*bench.controller.frame(0).scene.view)) {
            bench.controller.perform({SceneCommand{Select{position}}, SceneCommand{SetBeat{kSumsBeat}}}, bench.time);
            bench.settle();
            std::vector<ui::Rect> details;
            for (const Message& words :
                 {accept_says("sum.kept_about"_t), accept_says("sum.rejected_about"_t), accept_says("sum.owed_about"_t)})
                for (const ui::RecordedText& text : bench.texts)
                    if (text.text == words) details.push_back(text.box);
            if (details.size() != 3) continue;
            ++tried;
            constexpr float kGround = 26, kAir = 10; // the ground begins so far left of the words
            for (const ui::RecordedText& text : bench.texts) {
                if (text.text != accept_says("chart.draft"_t, "letter"_v = "q") &&
                    text.text != accept_says("chart.target"_t, "letter"_v = "p"))
                    continue;
                if (text.font != ui::Font::text_bold) continue;
                ++named;
                for (const ui::Rect& words : details) // the ground reaches 12 below the words' line
                    EXPECT_FALSE(text.box.right() > words.x - kGround && text.box.x < words.right() + 12 &&
                                 text.baseline - 11 < words.bottom() + 4)
                        << screen.w << ": " << text.text << " at " << position.round << ", " << position.index;
            }
            for (std::size_t k = 0; k < 2; ++k)
                EXPECT_LE(details[k].right() + kAir, details[k + 1].x - kGround)
                    << screen.w << ": " << position.round << ", " << position.index;
        }
    }
    EXPECT_GT(tried, 10) << "or nothing was tried";
    EXPECT_GT(named, 10) << "or nothing was tried";
}

// A room that is asked for ideas must not read the answer above the question.
TEST(AcceptRule, TheFirstBeatsAskAndDoNotAnswer) {
    Saved whole(64);
    std::optional<Position> found;
    for (const Position& position : whole.positions())
        if (const AcceptView view = whole.view(position); !found && view.kept > 0.05 && view.kept < 0.95) found = position;
    ASSERT_TRUE(found) << "or nothing was tried";
    std::set<std::string> titles;
    for (int beat = 0; beat < kAcceptBeats; ++beat) {
        whole.look_at(*found, beat);
        EXPECT_EQ(whole.reads(accept_says("chart.overlap"_t)), beat >= kSumsBeat) << beat;
        EXPECT_EQ(whole.reads(accept_says("gauge.for"_t)), beat >= kCoinBeat) << beat;
        EXPECT_EQ(whole.reads(accept_says("proof.title"_t)), beat >= kBooksBeat) << beat;
        EXPECT_EQ(whole.reads(accept_says("strips.title"_t)), beat >= kBooksBeat) << beat;
        const auto told = whole.told(*found, beat);
        EXPECT_EQ(tells(told, "sum.told"), beat >= kSumsBeat) << beat;
        EXPECT_EQ(tells(told, "gauge.told"), beat >= kCoinBeat) << beat;
        EXPECT_EQ(tells(told, "strips.residual"), beat >= kBooksBeat) << beat;
        EXPECT_EQ(tells(told, "proof.told"), beat >= kBooksBeat) << beat;
        const Message title = accept_title(whole.at(*found, beat), whole.view(*found)).title;
        EXPECT_TRUE(whole.bench.shows(title)) << title << " in:\n" << whole.bench.words;
        EXPECT_EQ(is(title, "areas.title"), beat == kBooksBeat) << title;
        EXPECT_TRUE(titles.insert(title).second) << title << " at two beats";
        look(whole.bench, "accept rule, beat " + std::to_string(beat), false);
    }
}

// "Drawn from the dotted parts only, scaled to 1": where a stage is low, too, that is seen by whoever reads it.
TEST(AcceptRule, WhatIsOwedIsSeenWhereItIsTold) {
    const auto trace = fixtures::toy_run({.name = "saved", .cycles = 12});
    const float scale = presenter_scale({1280, 720});
    for (const bool presenter : {false, true}) {
        const ui::Rect screen = presenter ? ui::Rect{0, 0, 1280 / scale, 720 / scale} : ui::Rect{0, 0, 1280, 720};
        SceneBench bench("accept-rule", {}, screen);
        bench.show(trace, trace->size());
        bench.controller.window = {1280, 720};
        if (presenter) bench.key(ui::Key::f5);
        std::optional<Position> refused;
        for (const Position& position : judged_positions(*bench.controller.frame(0).scene.view)) {
            SceneInput input = bench.controller.frame(0).scene;
            input.selected = position;
            if (const AcceptView view = accept_view(input, {}, -1); view.kept > 0.05 && view.kept < 0.9) refused = position;
        }
        ASSERT_TRUE(refused) << "or nothing was tried";
        for (int beat = 0; beat < kReachBeat; ++beat) {
            bench.controller.perform({SceneCommand{Select{*refused}}, SceneCommand{SetBeat{beat}}}, bench.time);
            bench.settle();
            const std::string what = std::string(presenter ? "presenter" : "1280x720") + ", beat " + std::to_string(beat);
            SceneInput shown = bench.controller.frame(0).scene;
            const Message lost = lost_number(accept_view(shown, {}, -1));
            for (const Message& words : {accept_says("strips.title"_t), accept_says("proof.title"_t),
                                         accept_says("proof.target"_t, "p"_v = 1.0), accept_says("proof.residual"_t, "lost"_v = lost)})
                EXPECT_EQ(bench.shows(words), about_books(beat)) << what << ": " << words;
            const bool scaled = std::ranges::any_of(bench.texts, [](const ui::RecordedText& text) { return text.text.starts_with("÷ "); });
            EXPECT_EQ(scaled, about_books(beat)) << what << ": the residual, scaled to 1";
            EXPECT_EQ(bench.shows(accept_says("gauge.for"_t)), beat == kCoinBeat) << what;
            look(bench, what, false);
        }
        bench.controller.perform({SceneCommand{SetBeat{kResidualBeat}}}, bench.time);
        bench.settle();
        bench.key(ui::Key::c);
        EXPECT_TRUE(bench.shows(accept_says("gauge.for"_t))) << "a coin that is thrown is seen";
    }
}

TEST(AcceptRule, NothingThatWasAskedForIsKeptBack) {
    for (const ui::Key asks : {ui::Key::c, ui::Key::m, ui::Key::equal}) {
        Saved whole(64);
        whole.look_at(whole.positions().back(), 0);
        const Message coin = accept_says("gauge.for"_t);
        EXPECT_FALSE(whole.reads(coin));
        whole.bench.key(asks);
        EXPECT_TRUE(whole.reads(coin)) << whole.bench.words;
        EXPECT_TRUE(whole.reads(accept_says("chart.overlap"_t))) << whole.bench.words;
        // One coin leads to its beat, which has not told of the proof yet; a thousand lead to the last one.
        EXPECT_EQ(whole.reads(accept_says("proof.title"_t)), asks != ui::Key::c) << whole.bench.words;
        if (asks != ui::Key::equal) continue;
        whole.bench.key(ui::Key::z);
        EXPECT_FALSE(whole.reads(coin)) << "taken back";
    }
}

// A run that recorded every token that has a probability recorded the distributions.
TEST(AcceptHeads, ThatListEverythingAreDistributions) {
    Saved heads(3), whole(-1);
    const Position position = whole.positions().back();
    EXPECT_EQ(test::whole(accept_title(heads.at(position), heads.view(position)).subtitle.said, "whole"), 0);
    EXPECT_EQ(test::whole(accept_title(whole.at(position), whole.view(position)).subtitle.said, "whole"), 1);
}

TEST(AcceptRule, ThereIsNoOtherTokenWhereAllHaveABar) {
    Saved saved(64);
    const Position position = saved.positions().back();
    SceneInput input = saved.at(position);
    DistributionPair distributions{position.round, position.index, {0.2, 0.7, 0.1}, {0.8, 0.1, 0.1}, {}, {}, {}};
    input.distributions = test::unowned(distributions);
    const AcceptView view = accept_view(input, {}, -1);
    ASSERT_EQ(view.bars.size(), 3u);
    for (const AcceptBar& bar : view.bars) EXPECT_GE(bar.id, 0);
    EXPECT_NEAR(view.kept, 0.4, 1e-12);
    const TopEntries target{{{1, std::log(.7)}, {0, std::log(.2)}, {2, std::log(.1)}}, 0},
        draft{{{0, std::log(.8)}, {1, std::log(.1)}, {2, std::log(.1)}}, 0};
    EXPECT_EQ(distribution_table(target, draft, 10).rows.size(), 3u);
}

// What the beat says is 1 minus the sum of p over the ids that the draft can name: those of the head's own list, and of a cut LM head.
// Of the others the draft gives 0, so all that the target gives them is owed.
TEST(AcceptReach, IsOneMinusTheMassOfWhatTheDraftCanName) {
    int tried = 0;
    for (int seed = 0; seed < 8; ++seed) {
        const int cut = seed % 2 == 0 ? 0 : 24;
        Judged live(cut == 0 ? "eagle3" : "mtp", "token", 1, static_cast<std::uint64_t>(seed), cut);
        std::vector<int> named;
        if (cut == 0) named = live.models->network("eagle3")->target_id;
        for (int id = 0; id < cut; ++id) named.push_back(id); // without counts the first ids are the commonest
        for (const Position& position : judged_positions(*live.input().whole)) {
            const SceneInput input = with_distributions(live, position);
            const AcceptView view = accept_view(input, {}, -1);
            double within = 0;
            for (const int id : named) within += input.distributions->target[static_cast<std::size_t>(id)];
            ASSERT_TRUE(view.reach.some());
            EXPECT_EQ(view.reach.ids, 61);
            EXPECT_EQ(view.reach.named, static_cast<int>(named.size()));
            EXPECT_NEAR(view.reach.never, 1 - within, 1e-9);
            EXPECT_LE(view.kept, within + 1e-9) << "more is kept than can be named";
            double bars = 0;
            for (const AcceptBar& bar : view.bars) {
                bars += bar.never;
                EXPECT_GE(bar.owed() + 1e-9, bar.never) << "the residual returns less than can never be drafted";
                if (bar.id < 0) continue;
                EXPECT_EQ(bar.never > 0, std::ranges::find(named, bar.id) == named.end());
            }
            EXPECT_NEAR(bars, view.reach.never, 1e-9);
            if (!view.reach.much()) continue;
            ++tried;
            const Message title = accept_title(input, view).title, text = accept_story(input, view, {}).text;
            ASSERT_TRUE(is(title, "reach.title:some") && is(text, "reach.text:some"));
            EXPECT_NEAR(test::real(title.said, "never"), 1 - within, 1e-9);
            EXPECT_NEAR(test::real(text.said, "never"), 1 - within, 1e-9);
            EXPECT_NEAR(test::real(text.said, "within"), within, 1e-9);
            EXPECT_EQ(test::whole(text.said, "named"), std::ssize(named));
            EXPECT_EQ(test::whole(text.said, "ids"), 61);
            const std::string words = in_words(find_scene("accept-rule")->make()->told(input));
            for (const std::string& line : {std::to_string(named.size()) + " of 61 tokens = " + fine_probability(view.reach.never) + "\n",
                                            "never drafted " + fine_probability(view.reach.never) + "\n"})
                EXPECT_NE(words.find(line), std::string::npos) << line << words;
            EXPECT_EQ(test::real(text.said, "most"), input.distributions->target[static_cast<std::size_t>(view.reach.largest)]);
        }
    }
    EXPECT_GT(tried, 5) << "or nothing was tried";
}

TEST(AcceptReach, IsWholeForADraftOfTheSameTokensAndUnknownWithoutThem) {
    Judged live("small", "token", 1);
    const Position position = judged_positions(*live.input().view).front();
    SceneInput input = with_distributions(live, position);
    AcceptView view = accept_view(input, {}, -1);
    EXPECT_FALSE(view.reach.some());
    EXPECT_NEAR(view.reach.never, 0, 1e-9);
    const Message text = accept_story(input, view, {}).text;
    EXPECT_TRUE(is(text, "reach.text:all")) << text;
    EXPECT_EQ(test::whole(text.said, "ids"), 61);
    AcceptEdit dragged;
    dragged.one_hot = true;
    EXPECT_TRUE(is(accept_story(input, accept_view(input, dragged, -1), {}).text, "reach.text:edited"));
    input.distributions = nullptr;
    view = accept_view(input, {}, -1);
    EXPECT_FALSE(view.reach.known);
    EXPECT_TRUE(is(accept_story(input, view, {}).text, "reach.text:unknown"));
}

// Where nothing is out of reach, the task drafts from fewer tokens.
TEST(AcceptReach, OffersADraftThatNamesFewerTokens) {
    Judged live("small", "token", 1);
    live.published.status.ready_drafters = {"none", "small", "mtp"};
    const Position position = judged_positions(*live.input().view).front();
    SceneInput input = with_distributions(live, position);
    EngineStatus status = live.published.status;
    input.status = &status;
    const Story story = accept_story(input, accept_view(input, {}, -1), {});
    ASSERT_EQ(story.on_task.size(), 1u) << story.task;
    const auto* command = std::get_if<Command>(&story.on_task.front());
    const auto* restart = command ? std::get_if<Restart>(command) : nullptr;
    ASSERT_NE(restart, nullptr);
    EXPECT_EQ(restart->settings.drafter, "mtp");
    EXPECT_EQ(restart->settings.options.fr_spec, 7);
    EXPECT_NO_THROW(check_options("mtp", restart->settings.options, live.models->layers()));
    Judged cut("mtp", "token", 1, 7, 7);
    const SceneInput fewer = with_distributions(cut, judged_positions(*cut.input().view).front());
    EXPECT_EQ(accept_view(fewer, {}, -1).reach.named, 7);
}

TEST(AcceptReach, TakesAPlaceWhereTheDraftListsOnlyAPart) {
    Judged live("eagle3", "token", 1);
    const SceneInput input = live.input(kReachBeat);
    const auto at = find_scene("accept-rule")->make()->example(input);
    ASSERT_TRUE(at);
    SceneInput there = with_distributions(live, *at);
    const AcceptReach reach = accept_view(there, {}, -1).reach;
    EXPECT_TRUE(reach.much());
    EXPECT_LT(reach.never, 0.99);
}

// The chance of the shown place, summed here, and how many guesses stay by either rule; the task judges the run by the other one.
TEST(AcceptMatch, HoldsSampleMatchAgainstTheTokenRule) {
    int apart = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        Judged live("small", "token", 1, seed);
        for (const Position& position : judged_positions(*live.input().whole)) {
            SceneInput input = with_distributions(live, position);
            input.beat = kMatchBeat;
            const AcceptView view = accept_view(input, {}, -1);
            const RoundSummary& round = input.whole->round_list[static_cast<std::size_t>(position.round)];
            ASSERT_EQ(view.places.size(), round.drafts.size());
            double least = 0, both = 0;
            for (std::size_t id = 0; id < view.source.p.size(); ++id) {
                least += std::min(view.source.p[id], view.source.q[id]);
                both += view.source.p[id] * view.source.q[id];
            }
            const Story story = accept_story(input, view, {});
            if (!is(story.text, "match.text:apart")) continue;
            apart += view.stay(&PlaceByRules::by_match) != round.accepted;
            EXPECT_NEAR(test::real(story.text.said, "kept"), least, 1e-9);
            EXPECT_NEAR(test::real(story.text.said, "matched"), both, 1e-9);
            EXPECT_LT(both, least);
            EXPECT_EQ(test::whole(story.text.said, "of"), std::ssize(round.drafts));
            EXPECT_EQ(test::whole(story.text.said, "token"), round.accepted) << "as the run judged";
            EXPECT_EQ(test::whole(story.text.said, "match"), view.stay(&PlaceByRules::by_match));
            const Message title = accept_title(input, view).title;
            ASSERT_TRUE(is(title, "match.title:apart")) << title;
            EXPECT_NEAR(test::real(title.said, "kept"), least, 1e-9);
            EXPECT_NEAR(test::real(title.said, "matched"), both, 1e-9);
            ASSERT_EQ(story.on_task.size(), 1U) << story.task;
            const auto* command = std::get_if<Command>(&story.on_task.front());
            const auto* restart = command ? std::get_if<Restart>(command) : nullptr;
            ASSERT_NE(restart, nullptr);
            EXPECT_EQ(restart->settings.rule, "match");
            EXPECT_EQ(restart->settings.seed, live.settings.seed);
        }
    }
    EXPECT_GT(apart, 3) << "or nothing was tried";
}

TEST(AcceptMatch, SaysWhereThereIsNothingToCompare) {
    const auto shown = [](Judged& live, const AcceptEdit& edit = {}) {
        SceneInput input = with_distributions(live, judged_positions(*live.input().whole).front());
        input.beat = kMatchBeat;
        const AcceptView view = accept_view(input, edit, -1);
        EXPECT_TRUE(is(accept_title(input, view).title, "match.title:other"));
        const std::string text = accept_story(input, view, {}).text.said.id();
        const bool rows = tells(find_scene("accept-rule")->make()->told(input), "rules.place");
        return std::pair(text, rows && edit == AcceptEdit());
    };
    using Shown = std::pair<std::string, bool>;
    Judged copied("lookup", "token", 1), greedy("small", "token", 0), tree("small_tree", "tree_wor", 1), live("small", "token", 1);
    EXPECT_EQ(shown(copied), Shown("accept-rule.match.text:alike", true));
    EXPECT_EQ(shown(greedy), Shown("accept-rule.match.text:greedy", false));
    EXPECT_EQ(shown(tree), Shown("accept-rule.match.text:tree", false));
    AcceptEdit raw, dragged;
    raw.raw = true;
    dragged.one_hot = true;
    for (const AcceptEdit& edit : {raw, dragged}) EXPECT_EQ(shown(live, edit).first, "accept-rule.match.text:edited");
    Saved heads(3);
    const Position position = heads.positions().back();
    EXPECT_TRUE(is(accept_story(heads.at(position, kMatchBeat), heads.view(position), {}).text, "match.text:unknown"));
    EXPECT_FALSE(tells(heads.told(position, kMatchBeat), "rules.place"));
}

TEST(AcceptMatch, HasRoomInBothLanguages) {
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        Judged live("small", "token", 1);
        const Position position = judged_positions(*live.input().whole).back();
        live.published.distributions = with_distributions(live, position).distributions;
        live.show();
        for (const Size& size : kSizes) {
            if (size.w < 1000) continue; // there the chart itself has no room
            live.bench->resize({0, 0, size.w, size.h});
            live.bench->controller.perform({SceneCommand{Select{position}}, SceneCommand{SetBeat{kMatchBeat}}}, live.bench->time);
            live.bench->settle();
            const std::string what = std::string(language) + ", " + size.name;
            look(*live.bench, what, false);
            if (size.w < 1280) continue;
            EXPECT_TRUE(live.bench->shows(accept_says("rules.title"_t))) << what << "\n" << live.bench->words;
            const auto& frame = live.bench->controller.frame(0);
            EXPECT_TRUE(live.bench->shows(message(test::only_said(frame.active->told(frame.scene), "accept-rule.rules.sum"))))
                << what << ": cut";
            expect_whole_story(*live.bench, what);
        }
    }
}

TEST(AcceptStory, NoTaskIsDoneBeforeItBegins) {
    for (const char* rule : {"token", "block"}) {
        Judged live("small", rule, 1);
        for (const Position& position : judged_positions(*live.input().view)) {
            SceneInput input = live.input();
            input.selected = position;
            const AcceptView view = accept_view(input, {}, -1);
            const Story story = accept_story(input, view, {});
            const bool always = view.threshold() >= 1;
            EXPECT_FALSE(always && is(story.task, "words.task:drag")) << story.task;
            EXPECT_FALSE(story.task_done);
        }
    }
}

TEST(AcceptStory, MostIsMoreThanHalf) {
    Saved whole(64);
    int most = 0, largest = 0;
    for (const Position& position : whole.positions()) {
        const AcceptView view = whole.view(position);
        if (view.kept > 0.99) continue;
        const Message text = accept_story(whole.at(position, kBooksBeat), view, {}).text;
        ASSERT_TRUE(is(text, "areas.text:whole")) << text;
        EXPECT_EQ(test::real(text.said, "lost"), 1 - view.kept);
        double over = 0, owed = 0;
        for (const AcceptBar& bar : view.bars) over = std::max(over, bar.over()), owed = std::max(owed, bar.owed());
        const auto expect = [&](const char* area, double mass) {
            const bool majority = mass > (1 - view.kept) / 2, all = mass > 1 - view.kept - 1e-6;
            ++(majority ? most : largest);
            EXPECT_EQ(test::inner(text.said, area).text, all        ? "words.part:all"
                                                         : majority ? "words.part:most"
                                                                    : "words.part:largest")
                << text;
        };
        expect("over", over);
        expect("owed", owed);
    }
    EXPECT_GT(most, 0);
    EXPECT_GT(largest, 0);
}

// A copied guess is certain for the draft: what it claims too much is all of that one token.
TEST(AcceptStory, ACopiedGuessClaimsAllOfIt) {
    Judged copied("lookup", "token", 1);
    int tried = 0;
    for (const Position& position : judged_positions(*copied.input().view)) {
        SceneInput input = copied.input(kBooksBeat);
        input.selected = position;
        const AcceptView view = accept_view(input, {}, -1);
        if (view.kept > 0.99) continue;
        ++tried;
        const Message text = accept_story(input, view, {}).text;
        ASSERT_TRUE(is(text, "areas.text:whole")) << text;
        EXPECT_EQ(test::inner(text.said, "over").text, "words.part:all") << text;
        EXPECT_EQ(test::whole(text.said, "as_much"), 1 - view.kept < 0.01) << text;
    }
    EXPECT_GT(tried, 0) << "or nothing was tried";
}

// "Only <.01 of the <.01 is deserved" says nothing.
TEST(AcceptStory, DividesNumbersThatHaveDigits) {
    Saved whole(64);
    int tried = 0;
    for (const Position& position : whole.positions()) {
        const SceneInput input = whole.at(position, 2);
        AcceptEdit edit;
        edit.bars = whole.view(position).bars;
        const auto drafted = static_cast<std::size_t>(whole.view(position).drafted);
        edit.bars[drafted].p = edit.bars[drafted].kept = 0.00123;
        edit.bars[drafted].q = 0.00456;
        const Message text = accept_story(input, accept_view(input, edit, -1), {}).text;
        ASSERT_TRUE(is(text, "token.text:sometimes")) << text;
        const Said target = test::inner(text.said, "target"), draft = test::inner(text.said, "draft");
        EXPECT_EQ(test::real(target, "p"), 0.00123);
        EXPECT_EQ(test::real(draft, "p"), 0.00456);
        EXPECT_EQ(message(target) + " " + message(draft), ".00123 .00456");
        EXPECT_EQ(test::real(text.said, "threshold"), 0.00123 / 0.00456);
        ++tried;
    }
    EXPECT_GT(tried, 0) << "or nothing was tried";
}

} // namespace

} // namespace speclens
