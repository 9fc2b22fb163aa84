// What the scenes of the heads share: another drafter's round, drawing twice, a published round, acceptance.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/run/other_drafter_round.h"
#include "engine/run/replay.h"
#include "engine/run/run.h"
#include "engine/run/trace_json.h"
#include "scenes/dflash/dflash_model.h"
#include "scenes/domino/domino_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/published_round.h"
#include "scenes/shared/second_draw.h"
#include "scenes/shared/token_said.h"
#include "scenes/shared/words.h"
#include "tests/scenes/run_window.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/heads_bench.h"
#include "ui/format.h"

namespace speclens {
namespace {

TEST(HeadScenes, ShareTheRoomOfColumnsByTheirWords) {
    const auto widths = [](const std::vector<float>& wanted) { return shared_widths(wanted, 60, 400); };
    EXPECT_EQ(widths({90, 50, 20, 10}), (std::vector<float>{100, 100, 100, 100})) << "all fit: all alike";
    EXPECT_EQ(widths({160, 50, 50}), (std::vector<float>{160, 120, 120}));
    EXPECT_EQ(widths({160, 160, 50, 50}), (std::vector<float>{140, 140, 60, 60})) << "too many words";
    EXPECT_TRUE(widths({}).empty());
}

// DFlash's distribution does not know the guess before it; Domino's base distribution neither, its corrected one does.
TEST(HeadScenes, DrawAGuessTwice) {
    for (const char* name : {"dflash", "domino"}) {
        RunSettings settings = settings_for(name);
        settings.sampling.temperature = 0.9;
        Live live(name, settings);
        live.bench->key(ui::Key::down);
        live.sent.clear();
        live.bench->key(ui::Key::w);
        const FetchReplay* wish = nullptr;
        for (const Command& command : live.sent)
            if (const auto* replayed = std::get_if<FetchReplay>(&command); replayed && replayed->force_draft) wish = replayed;
        ASSERT_NE(wish, nullptr) << name;
        const HeadModel at = std::string(name) == "dflash" ? static_cast<HeadModel>(dflash_model(live.bench->controller.frame(0).scene))
                                                           : static_cast<HeadModel>(domino_model(live.bench->controller.frame(0).scene));
        EXPECT_EQ(wish->force_draft->first, at.selected - 1);
        live.published.other_draft = std::make_shared<const Replay>(replay_round(live.models, settings, *live.published.trace, *wish));
        live.show();
        const std::optional<SecondDraw> draw = second_draw(live.bench->controller.frame(0).scene, at);
        ASSERT_TRUE(draw) << name;
        EXPECT_NE(draw->first.before, draw->second.before);
        EXPECT_TRUE(draw->same_base) << name;
        EXPECT_EQ(draw->corrected, std::string(name) == "domino");
        EXPECT_EQ(draw->same_final, std::string(name) == "dflash");
        EXPECT_TRUE(live.bench->shows("drawn twice"));
        const SceneInput input = live.bench->controller.frame(0).scene;
        const Said found = second_draw_words(input, *draw).said;
        EXPECT_EQ(found.id(), draw->corrected ? "shared.second_draw.corrected" : "shared.second_draw.told");
        EXPECT_EQ(test::whole(found, "guess"), draw->position + 1);
        EXPECT_EQ(test::whole(found, draw->corrected ? "same_base" : "same"), 1) << "to the last bit";
        const std::vector<Message> told = second_draw_told(input, *draw);
        ASSERT_EQ(told.size(), 5U);
        EXPECT_EQ(test::whole(told[1].said, "coin"), 1);
        EXPECT_EQ(test::whole(told[1].said, "before"), draw->position);
        for (const auto& [words, side] : {std::pair{told[2], draw->first}, {told[3], draw->second}}) {
            EXPECT_EQ(test::inner(words.said, "before"), word(input, side.before).said);
            EXPECT_EQ(test::inner(words.said, "drawn"), word(input, side.drawn).said);
            const std::vector<Said> shares = test::list(words.said, "final");
            ASSERT_FALSE(shares.empty());
            EXPECT_EQ(test::real(shares[0], "p"), std::exp(side.final.entries[0].logp));
            EXPECT_EQ(test::real(test::list(words.said, "base").at(0), "p"), std::exp(side.base.entries[0].logp));
        }
        EXPECT_EQ(test::all_said(told_of(name, input), "shared.second_draw.side").size(), 2U);
        const std::size_t asked = live.sent.size();
        live.bench->settle();
        EXPECT_EQ(live.sent.size(), asked) << "asked once";
        live.bench->key(ui::Key::w);
        EXPECT_FALSE(live.bench->shows("drawn twice"));
    }
}

TEST(HeadScenes, ListTheDrawnTokenOfADistributionHoweverUnlikely) {
    TopEntries top;
    for (int id = 0; id < 5; ++id) top.entries.push_back({id, -static_cast<float>(id)});
    const auto ids = [&](int drawn, int rows) {
        std::vector<int> shown;
        for (const TopEntries::Entry& entry : distribution_rows(top, drawn, rows)) shown.push_back(entry.id);
        return shown;
    };
    EXPECT_EQ(ids(1, 3), (std::vector{0, 1, 2}));
    EXPECT_EQ(ids(4, 3), (std::vector{0, 1, 4}));
    EXPECT_EQ(ids(99, 3), (std::vector{0, 1, 2})) << "less likely than what was recorded";
    EXPECT_EQ(ids(4, 9), (std::vector{0, 1, 2, 3, 4}));
    EXPECT_TRUE(ids(4, 0).empty());
}

TEST(HeadScenes, OfferTheirDrafterWhereAnotherDrafts) {
    for (const auto& [scene, label] : {std::pair{"dflash", "Draft with DFlash"}, std::pair{"eagle3", "Draft with EAGLE-3"}}) {
        Live live(scene, settings_for("small"));
        live.bench->click(live.bench->find(label));
        const auto* restart = live.sent.empty() ? nullptr : std::get_if<Restart>(&live.sent.back());
        ASSERT_NE(restart, nullptr) << scene;
        EXPECT_EQ(restart->settings.drafter, scene);
    }
}

TEST(HeadScenes, ListTheOneKeyThatWorksWhereAnotherDrafts) {
    for (const char* scene : {"domino", "dflash", "eagle3"}) {
        Live other(scene, settings_for("small")), own(scene, settings_for(scene));
        const auto keys = [](const Live& live) { return live.bench->controller.frame(live.bench->time).active->keys(); };
        ASSERT_EQ(keys(other).size(), 1U) << scene;
        EXPECT_EQ(keys(other)[0].first, "U") << scene;
        EXPECT_EQ(keys(own)[0].first, "↑ ↓") << scene;
    }
}

// A scene about one head has something to show in every run that it can be asked about.
TEST(HeadScenes, ShowTheRoundOfAnotherDrafterAsTheirHeadWouldDraftIt) {
    for (const auto& [scene, title] : {std::pair{"eagle3", "EAGLE-3"}, std::pair{"dflash", "DFlash"}, std::pair{"domino", "Domino"}}) {
        Live live(scene, settings_for("small"));
        EXPECT_TRUE(live.sent.empty()) << "a saved run cannot be asked about";
        live.published.status.model = "micro";
        live.show();
        ASSERT_EQ(live.sent.size(), 1u) << scene;
        const auto* asked = std::get_if<FetchOtherDrafterRound>(&live.sent[0]);
        ASSERT_NE(asked, nullptr);
        EXPECT_EQ(asked->drafter, scene);
        const FetchOtherDrafterRound wanted = *asked;
        const auto answer = [&](const FetchOtherDrafterRound& question) {
            live.published.other_round =
                std::make_shared<const OtherDrafterRound>(draft_as(live.models, live.settings, live.run->trace(), question));
            live.show();
        };
        answer(wanted);
        EXPECT_TRUE(live.bench->shows("instead of small in round " + std::to_string(wanted.round + 1))) << scene;
        EXPECT_EQ(live.sent.size(), 1u) << "asked once";
        const RunView round = fold(*live.published.other_round->trace, live.published.other_round->trace->size());
        const ToldFrame told = told_of(scene, live.input());
        const std::string words = find_scene(scene)->make()->describe(live.input());
        EXPECT_NE(words.find("draft " + token_said(*live.published.other_round->trace, round.round_list[0].drafts[1].draft->token).words()),
                  std::string::npos)
            << words;
        EXPECT_FALSE(says(told, "shared.charts.stayed")) << "one round is no rate";
        const Said conditions = test::only_said(told, "shared.head.conditions");
        EXPECT_EQ(test::words(conditions, "instead_of"), "small");
        EXPECT_EQ(test::whole(conditions, "round"), wanted.round + 1);

        // No beat says "this run" of a run of one round, or names a key that would begin a branch of it.
        SceneInput input = live.bench->controller.frame(0).scene;
        for (input.beat = 0; input.beat < 8; ++input.beat) {
            const std::string at = find_scene(scene)->make()->describe(input);
            for (const char* never : {"A round of this run", "over the run", "In this run", "length on average", ": W\n", ": N\n",
                                      " with B", ": H\n", " Y\n", "– not judged yet"})
                if (never != std::string(": H\n") || scene != std::string("dflash")) { // there H measures, and begins no branch
                    EXPECT_EQ(at.find(never), std::string::npos) << scene << ":" << input.beat + 1 << " " << never << "\n" << at;
                }
            const ToldFrame here = told_of(scene, input);
            EXPECT_TRUE(says(here, "shared.head.task") || says(here, std::string(scene) + ".times.task") ||
                        says(here, std::string(scene) + ".conditioning.task") || says(here, std::string(scene) + ".list.task"))
                << at;
        }

        // Another round: the one before stays until the answer is there.
        const auto& trace = live.run->trace();
        std::size_t end = 0;
        for (int i = 0; i <= wanted.round + 1; ++i) end = next_round_end(trace, end);
        live.bench->controller.perform({SceneCommand{SetCursor{end}}}, live.bench->time);
        live.bench->settle();
        ASSERT_EQ(live.sent.size(), 2u);
        const FetchOtherDrafterRound next = std::get<FetchOtherDrafterRound>(live.sent[1]);
        EXPECT_EQ(next.round, wanted.round + 1);
        EXPECT_TRUE(live.bench->shows("instead of small in round " + std::to_string(wanted.round + 1)));
        const std::size_t at = live.bench->controller.frame(0).scene.cursor;
        live.bench->key(ui::Key::down); // of a round that is not the cursor's
        EXPECT_EQ(live.bench->controller.frame(0).scene.cursor, at) << "the playhead stays";
        answer(next);
        EXPECT_TRUE(live.bench->shows("instead of small in round " + std::to_string(next.round + 1)));

        live.bench->key(ui::Key::u);
        const auto* restart = std::get_if<Restart>(&live.sent.back());
        ASSERT_NE(restart, nullptr) << scene;
        EXPECT_EQ(restart->settings.drafter, scene);
        EXPECT_TRUE(live.bench->shows(std::string("Run with ") + title));
    }
}

TEST(HeadScenes, KeepTheirPageWhereTheHeadHasNoAnswer) {
    Live live("eagle3", settings_for("small"));
    live.published.status.model = "micro";
    live.published.other_round =
        std::make_shared<const OtherDrafterRound>(draft_as(live.models, live.settings, live.run->trace(), {1000, "eagle3"}));
    live.show();
    EXPECT_TRUE(live.bench->shows("Waiting for a draft")) << "that was another round";
    EXPECT_TRUE(live.bench->shows("How EAGLE-3 would draft this round is being computed")) << live.bench->words;
    live.published.other_round = std::make_shared<const OtherDrafterRound>([&] {
        OtherDrafterRound other_round = *live.published.other_round;
        other_round.round = std::get<FetchOtherDrafterRound>(live.sent.at(0)).round;
        other_round.problem = "it has no guess there. Choose another round.";
        return other_round;
    }());
    live.show();
    EXPECT_TRUE(live.bench->shows("Not an EAGLE-3 run"));
    EXPECT_TRUE(live.bench->shows("cannot be shown: it has no guess there")) << live.bench->words;
    live.bench->key(ui::Key::down);
    live.bench->key(ui::Key::u);
    EXPECT_NE(std::get_if<Restart>(&live.sent.back()), nullptr) << "and can be left by its key";
}

// Hollow beside solid: what papers say of a round stands with its source below what was measured here.
TEST(HeadScenes, QuoteAPublishedRoundBesideTheirOwn) {
    const auto figures =
        std::make_shared<const Published>(Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published"));
    const PublishedRace paper = published_race(figures.get());
    for (const char* name : {"eagle3", "dflash"}) {
        const PublishedPoint* point = paper.of(name);
        ASSERT_NE(point, nullptr) << name;
        SceneBench bench(name);
        bench.controller.figures = figures;
        bench.show(recorded(name));
        EXPECT_TRUE(bench.shows("PUBLISHED, " + paper.conditions)) << bench.words;
        const std::string whole = published_round_words(*point);
        EXPECT_TRUE(bench.shows(whole.substr(0, whole.find(": ")))) << bench.words;
        EXPECT_TRUE(bench.shows(whole.substr(whole.find(": ") + 2))) << bench.words;
        EXPECT_TRUE(bench.shows(paper.source.substr(0, 12)));
        EXPECT_EQ(overlap_of(bench.texts), "") << name;
        EXPECT_TRUE(bench.clipped.empty()) << name;
        const ToldFrame told = told_of(bench);
        const Said round = test::only_said(told, "shared.round.told:published");
        EXPECT_EQ(test::inner(round, "round"), published_round_words(*point).said);
        EXPECT_EQ(test::inner(round, "source"), paper.source.said);
        const PublishedRange range = published_speed_ups(figures.get(), name);
        EXPECT_GT(range.figures.size(), 1U);
        const Said speed_ups = test::only_said(told, "shared.round.speed_ups");
        EXPECT_EQ(test::whole(speed_ups, "figures"), std::ssize(range.figures));
        EXPECT_EQ(test::inner(speed_ups, "range"), range.words().said);
        EXPECT_EQ(test::words(speed_ups, "name"), name);
    }
    EXPECT_TRUE(paper.of("eagle3")->derived);
    EXPECT_EQ(test::whole(test::inner(published_round_words(*paper.of("eagle3")).said, "parts"), "derived"), 1);
}

// A file from elsewhere may number its guesses as it likes.
TEST(HeadScenes, SurviveWrongIndices) {
    for (const char* name : {"dflash", "eagle3", "domino"}) {
        const auto trace = recorded(name);
        auto odd = std::make_shared<Trace>([trace](int id) { return trace->text(id); });
        for (std::size_t i = 0; i < trace->size(); ++i) {
            Event event = (*trace)[i];
            if (auto* drafted = std::get_if<Drafted>(&event)) {
                drafted->index = 1 << 29;
                drafted->internals.strips.clear();
            }
            if (auto* commit = std::get_if<Committed>(&event)) commit->internals = {};
            odd->append(std::move(event));
        }
        for (const std::size_t cursor : {std::size_t{1}, odd->size() / 2, odd->size()}) {
            SceneBench bench(name);
            bench.show(odd, cursor);
            for (int beat = 0; beat < 8; ++beat) {
                bench.controller.perform({SceneCommand{SetBeat{beat}}}, 0);
                bench.frame();
                EXPECT_FALSE(find_scene(name)->make()->describe(bench.controller.frame(0).scene).empty());
            }
        }
    }
}

TEST(HeadScenes, CountAcceptanceAsTheRunDid) {
    for (const char* name : {"dflash", "eagle3", "domino"}) {
        const auto trace = recorded(name);
        const RunView view = fold(*trace, trace->size());
        const AcceptanceSeries series = acceptance_of(view, name);
        int kept = 0;
        for (const int at : series.kept) kept += at;
        EXPECT_EQ(kept, view.accepted_drafts) << name;
        EXPECT_LE(series.judged.front(), view.rounds) << name;
    }
}

// Block verification throws a coin at every place, also behind the last guess that stays: those had no
// chance.
TEST(HeadScenes, CountNoPlaceBehindTheFirstLossUnderBlockVerification) {
    const auto trace = fixtures::toy_run({.name = "block", .rule = "block", .k = 4, .cycles = 20});
    const RunView view = fold(*trace, trace->size());
    const AcceptanceSeries series = acceptance_of(view, "");
    std::vector<int> reached(5);
    int coins = 0, judged = 0;
    for (const RoundSummary& round : view.round_list) {
        for (int i = 0; i <= std::min(round.accepted, static_cast<int>(round.drafts.size()) - 1); ++i)
            ++reached[static_cast<std::size_t>(i)];
        for (const DraftSlot& slot : round.drafts) coins += slot.check != nullptr;
    }
    for (std::size_t i = 0; i < series.judged.size(); ++i) {
        EXPECT_EQ(series.judged[i], reached[i]) << i;
        judged += series.judged[i];
    }
    EXPECT_GT(coins, judged) << "no round of this run lost a guess before its last one";
}

} // namespace
} // namespace speclens
