// The Domino scene: words and marks are those of the cycle, what the trace alone says about the head equals a real
// replay, and keys reach the engine.
//
// What stood here in English prose, and the message that has it now:
//
//     every draft and base favourite in the description   domino.position.told {position} {base} {token} {id}
//     "Head off:", "Head on:"                             domino.verdict.told {position} {with} {token} {fate}
//     "Top movers", "Clock:", "δ of size"                 domino.movers.told, domino.clock.told {backbone} {head} {verify}, position.told
//     {size} "No other round here has one; another prompt: N"    domino.favourites.task:none {prompt} "Try a prompt where they do not: N"
//     domino.favourites.task:prompt "State S3 ", "Force another d3 with B, watch S4"    domino.state.text {state}, domino.words.force
//     {guess} {state} "this head was trained little"                      domino.words.weak in {weak} of domino.state.text,
//     low_rank.text:told "Behind the scene: row H and state S meet in "      domino.words.deeper {numbers} {size} {position} {why} "Of the
//     likely tokens it moves", "… alike."         domino.words.moved:most {token} {gain}, :alike, :only {token}
//     ", of the likely tokens most on “"                  domino.position.told {mover} {gain}
//     "One guess, nothing to fit"                         domino.favourites.heading:one, title.one {kept} {refused}
//     "Here the favourites fit", "… no favourite changes" domino.favourites.heading:fit, :refused
//     "forced", "base distributions are the same"         domino.position.told {forced}, domino.words.replayed {same} {both} {other}
//     "no guess stands after it", "the head follows"      domino.title.forced {token} {follows}
#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <map>

#include "engine/lab/study.h"
#include "engine/models/models.h"
#include "engine/run/replay.h"
#include "engine/run/run.h"
#include "engine/run/trace_json.h"
#include "engine/session/session.h"
#include "scenes/domino/domino_model.h"
#include "scenes/shared/cycle_pick.h"
#include "tests/scenes/domino_bench.h"
#include "tests/scenes/run_window.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/shared/eventually.h"
#include "tests/shared/finished.h"
#include "tests/shared/micro.h"
#include "tests/shared/said_values.h"
#include "tests/shared/told_said.h"
#include "tests/shared/unowned.h"
#include "ui/format.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

TEST(DominoScene, SavesAndReadsItsOwnRun) {
    const auto trace = recorded();
    SceneBench bench("domino");
    bench.show(trace);
    bench.key(ui::Key::y);
    const FrameInput frame = bench.controller.frame(bench.time);
    const DominoModel model = domino_model(frame.scene);
    EXPECT_EQ(model.selected, model.rescued);
    EXPECT_GE(model.rescued, 0);
    // every draft of the cycle, both distributions' leaders and both rows are in the words
    const std::vector<ui::ToldMessage> told = find_scene("domino")->make()->told(frame.scene);
    const std::vector<Said> positions = test::all_said(told, "domino.position.told"),
                            verdicts = test::all_said(told, "domino.verdict.told");
    ASSERT_EQ(positions.size(), model.columns.size());
    EXPECT_EQ(verdicts.size(), 2 * model.columns.size());
    for (const Said& said : positions) {
        const DominoColumn& column = *model.column(static_cast<int>(test::whole(said, "position")) - 1);
        EXPECT_EQ(test::whole(said, "id"), column.draft->token);
        EXPECT_EQ(test::inner(test::list(said, "base").at(0), "token"), word(frame.scene, column.base_choice).said);
        EXPECT_EQ(test::maybe<double>(said, "size"), column.corrected ? correction_size(model, column) : std::nullopt);
    }
    for (const char* id : {"domino.movers.told", "domino.clock.told"}) EXPECT_FALSE(test::all_said(told, id).empty()) << id;
    // up and down choose the position
    bench.key(ui::Key::down);
    EXPECT_EQ(domino_model(bench.controller.frame(bench.time).scene).selected, model.selected + 1);
    bench.key(ui::Key::up);
    EXPECT_EQ(domino_model(bench.controller.frame(bench.time).scene).selected, model.selected);
}

// A round with nothing to jump to says so, and names the key that brings another prompt.
TEST(DominoScene, SaysWhereNoOtherRoundWasSavedByTheHead) {
    const auto trace = recorded();
    const RunView whole = fold(*trace, trace->size());
    const Position only = *next_rescue(whole, -1);
    const RoundSummary& round = whole.round_list[static_cast<std::size_t>(only.round)];
    DominoFrame frame(trace, domino_settings(0), round.end_event);
    std::erase_if(frame.whole.round_list, [&](const RoundSummary& c) { return c.round > only.round; });
    frame.input.beat = 2;
    const Story alone = domino_story(frame.input, domino_model(frame.input), {});
    EXPECT_EQ(alone.task.said.id(), "domino.favourites.task:none");
    EXPECT_EQ(test::whole(alone.task.said, "prompt"), 1);
    EXPECT_FALSE(alone.on_task.empty());
    frame.whole.round_list.resize(static_cast<std::size_t>(only.round));
    frame.input.view = &frame.whole;
    if (!frame.whole.round_list.empty()) {
        const Story none = domino_story(frame.input, domino_model(frame.input), {});
        EXPECT_EQ(none.task.said.id(), "domino.favourites.task:prompt");
    }
}

TEST(DominoScene, OffersDominoWhereSomethingElseDrafts) {
    std::vector<Command> sent;
    EnginePort port;
    port.send = [&](Command c) { sent.push_back(std::move(c)); };
    SceneBench bench("domino", port);
    const auto models = test::micro_models(1);
    RunSettings settings = domino_settings(0);
    settings.drafter = "small";
    speclens::Run run(models, settings);
    run.finish();
    Snapshot published;
    published.trace = run.shared_trace();
    published.settings = settings;
    published.status.ready_drafters = {"none", "small", "domino"};
    bench.controller.observe(published, bench.time);
    bench.settle();
    bench.click(bench.find("Draft with Domino"));
    const auto* restart = sent.empty() ? nullptr : std::get_if<Restart>(&sent.back());
    ASSERT_NE(restart, nullptr);
    EXPECT_EQ(restart->settings.drafter, "domino");
}

// Scene, controller and engine thread together, on the golden micro checkpoints.
TEST(DominoScene, TellsOfTheChosenPosition) {
    const auto trace = recorded();
    const RunView whole = fold(*trace, trace->size());
    const std::optional<Position> rescue = next_rescue(whole, -1);
    ASSERT_TRUE(rescue);
    const RoundSummary& round = whole.round_list[static_cast<std::size_t>(rescue->round)];
    for (std::size_t i = 0; i < round.drafts.size(); ++i) {
        DominoFrame frame(trace, domino_settings(0), round.end_event);
        frame.input.selected = Position{round.round, static_cast<int>(i)};
        frame.input.beat = 3;
        const DominoModel model = domino_model(frame.input);
        EXPECT_EQ(telling_position(model), static_cast<int>(i));
        const Story story = domino_story(frame.input, model, {});
        EXPECT_EQ(story.text.said.id(), "domino.state.text");
        EXPECT_EQ(test::whole(story.text.said, "state"), static_cast<std::int64_t>(i) + 1);
        const bool last = i + 1 == round.drafts.size(); // no state follows it
        EXPECT_EQ(story.task.said.id(), "domino.words.force");
        EXPECT_EQ(test::whole(story.task.said, "guess"), static_cast<std::int64_t>(i) + 1);
        EXPECT_EQ(test::whole(story.task.said, "state"), last ? 0 : static_cast<std::int64_t>(i) + 2);
    }
}

// A head that was hardly trained says so where it shows, and what only an engineer asks for stands in the frame's words.
TEST(DominoScene, SaysThatAHeadIsWeak) {
    const auto trace = recorded();
    const std::optional<Position> rescue = next_rescue(fold(*trace, trace->size()), -1);
    ASSERT_TRUE(rescue);
    DominoFrame frame(trace, domino_settings(0), trace->size());
    frame.view = fold(*trace, frame.whole.round_list[static_cast<std::size_t>(rescue->round)].end_event);
    frame.input.selected = rescue;
    DominoModel model = domino_model(frame.input);
    const auto told = [&](int beat) {
        frame.input.beat = beat;
        return domino_story(frame.input, model, {}).text.said;
    };
    EXPECT_EQ(test::words(told(kDominoTwiceBeat), "weak"), "");
    std::vector<Drafted> weak;
    weak.reserve(model.columns.size());
    for (DominoColumn& column : model.columns) {
        weak.push_back(*column.draft);
        for (Internals::Number& number : weak.back().internals.numbers)
            if (number.name == "mean z" || number.name == "mean r") number.value = 0.503;
        column.draft = &weak.back();
    }
    for (const int beat : {kDominoTwiceBeat, kDominoLowRankBeat})
        EXPECT_EQ(test::inner(told(beat), "weak").id(), "domino.words.weak") << beat;
    const Said deeper = correction_deeper(model).said;
    EXPECT_EQ(test::whole(deeper, "position"), rescue->index + 1);
    EXPECT_EQ(test::maybe<double>(deeper, "size"), correction_size(model, *model.column(rescue->index)));
    EXPECT_GT(test::whole(deeper, "numbers"), 0);
    EXPECT_EQ(test::inner(deeper, "why").id(), "domino.words.why_logits");
}

// Where one token has nearly all, the correction moves nothing that shows.
TEST(DominoScene, NamesTheTokenMovedMostOnlyWhereItMoves) {
    const auto trace = recorded();
    const std::optional<Position> rescue = next_rescue(fold(*trace, trace->size()), -1);
    ASSERT_TRUE(rescue);
    DominoFrame frame(trace, domino_settings(0), trace->size());
    frame.view = fold(*trace, frame.whole.round_list[static_cast<std::size_t>(rescue->round)].end_event);
    frame.input.selected = rescue;
    frame.input.beat = 4;
    DominoModel model = domino_model(frame.input);
    DominoColumn& column = model.columns[static_cast<std::size_t>(rescue->index)];
    Drafted alike = *column.draft, alone = *column.draft;
    ASSERT_GT(alike.internals.movers.size(), 1u);
    for (Internals::Mover& mover : alike.internals.movers) mover.final_logp = mover.base_logp - 0.02;
    alone.internals.movers.resize(1);
    const auto line = [&] { return position_words(frame.input, model, {}, rescue->index).said; };
    const auto moved = [&] { return test::inner(domino_story(frame.input, model, {}).text.said, "moved"); };
    const auto token = [&](const Internals::Mover& mover) { return word(frame.input, mover.token).said; };
    const Internals::Mover& most = *largest_mover(column);
    EXPECT_EQ(moved().id(), "domino.words.moved:most");
    EXPECT_EQ(test::inner(moved(), "token"), token(most));
    EXPECT_EQ(test::real(test::inner(moved(), "gain"), "logits"), most.gain());
    EXPECT_EQ(test::inner(line(), "mover"), token(most));
    EXPECT_EQ(test::real(test::inner(line(), "gain"), "logits"), most.gain());
    column.draft = &alike;
    EXPECT_EQ(moved().id(), "domino.words.moved:alike");
    EXPECT_EQ(test::words(line(), "mover"), "");
    column.draft = &alone;
    EXPECT_EQ(moved().id(), "domino.words.moved:only");
    EXPECT_EQ(test::inner(moved(), "token"), token(alone.internals.movers[0]));
    EXPECT_EQ(test::words(line(), "mover"), "");
}

// One guess has nothing to fit to, and a refused one is no success.
TEST(DominoScene, CallsNoRefusalAFit) {
    RunSettings settings = domino_settings(0);
    settings.k = 1;
    speclens::Run run(test::micro_models(1), settings);
    run.finish();
    DominoFrame one(run.shared_trace(), settings, run.trace().size());
    one.input.beat = 2;
    for (const RoundSummary& round : one.whole.round_list) {
        if (round.drafts.empty()) continue;
        one.input.selected = Position{round.round, 0};
        one.view = fold(*one.trace, round.end_event);
        const DominoModel model = domino_model(one.input);
        EXPECT_EQ(domino_story(one.input, model, {}).heading.said.id(), "domino.favourites.heading:one");
        const Said title = domino_title(one.input, model).title.said;
        EXPECT_EQ(title.id(), "domino.title.one");
        EXPECT_EQ(test::whole(title, "kept"), round.accepted == 1);
        EXPECT_EQ(test::whole(title, "refused"), round.accepted != 1);
    }

    const auto trace = recorded();
    const RunView whole = fold(*trace, trace->size());
    DominoFrame frame(trace, domino_settings(0), whole.round_list.front().end_event);
    frame.input.beat = 2;
    DominoModel model = domino_model(frame.input);
    model.rescued = -1;
    for (DominoColumn& column : model.columns) column.changed = false;
    model.columns.front().on.state = DominoVerdict::State::accepted;
    EXPECT_EQ(domino_story(frame.input, model, {}).heading.said.id(), "domino.favourites.heading:fit");
    model.columns.front().on.state = DominoVerdict::State::rejected;
    EXPECT_EQ(domino_story(frame.input, model, {}).heading.said.id(), "domino.favourites.heading:refused");
}

// Base plus δ is final: what the head added stands beside the token that it was added to, and no third token
// stands between the two distributions.
TEST(DominoScene, ShowsWhatWasAddedToEveryListedToken) {
    const auto trace = recorded();
    SceneBench bench("domino");
    bench.show(trace);
    int strangers = 0;
    for (int times = 0; times < 4; ++times) {
        const DominoModel model = domino_model(bench.controller.frame(bench.time).scene);
        const DominoColumn& c = *model.column(model.selected);
        if (c.corrected) {
            for (const int id : {c.base_choice, c.final.entries.front().id}) {
                const std::optional<double> delta = correction_of(c, id);
                ASSERT_TRUE(delta) << "the two favourites are always known";
                EXPECT_TRUE(bench.shows(ui::signed_number(*delta, 1))) << bench.words;
                for (const TopEntries::Entry& was : c.base.entries)
                    for (const TopEntries::Entry& is : c.final.entries)
                        if (was.id == id && is.id == id) {
                            EXPECT_NEAR(*delta, is.logp - was.logp, 0.01);
                        }
            }
            const std::vector<int> listed = domino_tokens(c, 3);
            const Internals::Mover* mover = largest_mover(c);
            ASSERT_NE(mover, nullptr);
            if (std::ranges::find(listed, mover->token) == listed.end()) {
                ++strangers;
                const std::string gain = ui::signed_number(mover->gain(), 1);
                for (const ui::RecordedText& text : bench.texts)
                    if (text.box.right() < 1190 && text.box.y > 100 && text.box.y < 690) {
                        EXPECT_NE(text.text, gain) << "the δ of a token that is not listed";
                    }
            }
        }
        bench.key(ui::Key::down);
    }
    EXPECT_GT(strangers, 0);
}

TEST(DominoScene, GivesOneColumnRoomAndItsDraftADistanceFromTheLine) {
    DominoModel model;
    model.columns.resize(1);
    SceneInput input;
    for (const ui::Rect stage : {ui::Rect{48, 24, 1232, 500}, ui::Rect{208, 24, 992, 668}}) {
        input.stage = stage;
        const DominoGrid g = domino_grid(input, model);
        EXPECT_GT(g.width, 500.0F) << "the words of the backbone go across";
        EXPECT_GT(g.off - 8.5F, g.draft + 35) << "a chip with its ring above the line";
    }
}

// What the one sentence speaks of is on the stage.
TEST(DominoScene, ShowsAPresentersAudienceBothVerdictsAndTheClock) {
    const float scale = presenter_scale({1280, 720});
    SceneBench bench("domino", {}, {0, 0, 1280 / scale, 720 / scale});
    bench.controller.window = {1280, 720};
    bench.show(recorded());
    bench.key(ui::Key::f5);
    const auto beat = [&](int number) {
        bench.controller.perform({SceneCommand{SetBeat{number}}}, bench.time);
        bench.settle();
    };
    beat(kDominoBothBeat - 1);
    EXPECT_TRUE(bench.shows("Verified"));
    EXPECT_FALSE(bench.shows("Head off"));
    beat(kDominoBothBeat);
    EXPECT_TRUE(bench.shows("Head off"));
    EXPECT_TRUE(bench.shows("Head on"));
    beat(kDominoBothBeat + 1);
    EXPECT_TRUE(bench.shows("Clock"));
    EXPECT_TRUE(bench.shows("of the round; backbone, head and verify"));
}

// A presenter sees two positions: those must be among them that the sentence speaks of.
TEST(DominoScene, ShowsAPresenterThePositionWhereTheVerdictsPart) {
    const auto trace = recorded();
    int parted = 0;
    for (const RoundSummary& round : fold(*trace, trace->size()).round_list) {
        if (round.drafts.empty()) continue;
        DominoFrame frame(trace, domino_settings(0), round.end_event);
        frame.input.beat = kDominoBothBeat;
        const DominoModel usual = domino_model(frame.input);
        frame.input.presenter = true;
        const DominoModel model = domino_model(frame.input);
        if (const int at = parting_position(model); at >= 0) {
            ++parted;
            EXPECT_EQ(model.selected, at);
        } else {
            EXPECT_EQ(model.selected, telling_position(model));
        }
        EXPECT_EQ(usual.selected, usual.rescued >= 0 ? usual.rescued : 1);
    }
    EXPECT_GT(parted, 0);
}

// The switch of the window does not know of a pool, which waits until the head is on again.
TEST(Domino, ARunWithAPoolOfCandidatesCanDoWithoutItsHead) {
    const auto models = test::micro_models(1);
    RunSettings settings = domino_settings(1); // drawn guesses show that the pool changes none
    settings.options.head_pool = 9;
    settings.options.correction = false;
    const auto without = test::finished(models, settings);
    settings.options.head_pool = 0;
    EXPECT_EQ(test::finished(models, settings)->sequence(), without->sequence());
}

TEST(DominoScene, DerivesTheVerdictWithoutTheHeadAsAReplayGivesIt) {
    const auto models = test::micro_models(1);
    int whole = 0, partly = 0;
    for (const int seed : {1, 2, 3}) {
        RunSettings settings = domino_settings(0);
        settings.prompt.token_ids.push_back(seed);
        speclens::Run run(models, settings);
        run.finish();
        DrafterOptions off = settings.options;
        off.correction = false;
        for (const RoundSummary& round : fold(run.trace(), run.trace().size()).round_list) {
            if (round.drafts.empty()) continue;
            DominoFrame frame(run.shared_trace(), settings, round.end_event);
            const DominoModel derived = domino_model(frame.input);
            const Replay replay = replay_round(models, settings, run.trace(), {round.round, off});
            frame.input.replayed = test::unowned(replay);
            const DominoModel replayed = domino_model(frame.input);
            EXPECT_TRUE(replayed.replayed);
            ASSERT_EQ(replayed.other, DominoModel::Other::whole);
            ASSERT_NE(derived.other, DominoModel::Other::none);
            (derived.other == DominoModel::Other::whole ? whole : partly)++;
            for (std::size_t i = 0; i < derived.columns.size(); ++i) {
                const DominoVerdict &a = derived.columns[i].off, &b = replayed.columns[i].off;
                if (a.state == DominoVerdict::State::unknown) continue;
                EXPECT_EQ(a.state, b.state) << "cycle " << round.round << " position " << i;
                EXPECT_EQ(a.token, b.token);
                EXPECT_EQ(a.replacement, b.replacement);
            }
            if (derived.other == DominoModel::Other::whole) {
                EXPECT_EQ(derived.kept_off, replayed.kept_off);
            }
        }
    }
    EXPECT_GT(whole, 10);
}

// The head turned the second guess from 3 to 2, and the target wanted 3: without the head it would have
// stayed, and what the target says behind it was never asked.
TEST(DominoScene, KnowsNothingBehindAGuessThatOnlyTheHeadLost) {
    const auto trace = std::make_shared<Trace>([](int id) { return std::to_string(id); });
    Header header;
    header.drafter = "domino";
    header.rule = "greedy";
    header.k = 3;
    header.prompt = {0};
    header.sampling.temperature = header.draft_sampling.temperature = 0;
    trace->append(header);
    const auto distribution = [](int id) { return TopEntries{{{id, std::log(0.9)}}, 0.1}; };
    const int drafts[] = {1, 2, 4}, base[] = {1, 3, 4};
    for (int i = 0; i < 3; ++i)
        trace->append(Drafted{.round = 0,
                              .index = i,
                              .parent = i - 1,
                              .token = drafts[i],
                              .u = {},
                              .top = distribution(drafts[i]),
                              .raw_top = {},
                              .base_top = distribution(base[i]),
                              .extra = {},
                              .internals = {}});
    trace->append(Verified{0, 4, 1, 0});
    for (int i = 0; i < 2; ++i) {
        Checked check;
        check.index = i;
        check.token = drafts[i];
        check.accepted = i == 0;
        check.top = distribution(base[i]);
        trace->append(check);
    }
    TargetToken own;
    own.token = 3;
    trace->append(own);
    Committed commit;
    commit.accepted_drafts = 1;
    commit.tokens = {1, 3};
    trace->append(commit);
    const DominoFrame frame(trace, domino_settings(0), trace->size());
    const DominoModel model = domino_model(frame.input);
    EXPECT_EQ(model.kept_on, 1);
    EXPECT_EQ(model.kept_off, 2);
    EXPECT_EQ(model.other, DominoModel::Other::partly);
    EXPECT_EQ(model.columns[1].on.state, DominoVerdict::State::rejected);
    EXPECT_EQ(model.columns[1].off.state, DominoVerdict::State::accepted);
    EXPECT_EQ(model.columns[2].off.state, DominoVerdict::State::unknown);
}

TEST(DominoScene, FindsTheGuessesThatOnlyTheHeadSaved) {
    const auto trace = recorded();
    const RunView whole = fold(*trace, trace->size());
    const std::optional<Position> first = next_rescue(whole, -1);
    ASSERT_TRUE(first);
    std::optional<Position> at = first;
    int seen = 0;
    do {
        const auto& round = whole.round_list[static_cast<std::size_t>(at->round)];
        const DraftSlot& slot = round.drafts[static_cast<std::size_t>(at->index)];
        EXPECT_EQ(slot.state, DraftSlot::State::accepted);
        EXPECT_NE(slot.draft->base_top.entries.front().id, slot.draft->token);
        at = next_rescue(whole, at->round);
    } while (at && *at != *first && ++seen < 20);
    EXPECT_LT(seen, 20) << "going round comes back to the first";
}

// Above temperature 0 a changed favourite may cost nothing: the search goes on until a replay without the head keeps fewer, and ends where
// none does.
TEST(DominoScene, SearchesUntilTheHeadSavesAGuess) {
    int found = 0, searched = 0;
    const auto tiny = std::make_shared<const Models>(load_models({})); // of the micro models' changes the target keeps none
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        RunWindow live;
        live.models = tiny;
        live.settings = domino_settings(0.9);
        live.settings.prompt.token_ids.clear();
        live.settings.prompt.text = "Write a short poem about the moon.";
        live.settings.prompt.chat = true;
        live.settings.seed = seed;
        live.open("domino", {"none", "domino"});
        live.show();
        const RunView whole = fold(live.run->trace(), live.run->trace().size());
        const auto replay = [&](int round) {
            DrafterOptions off = live.settings.options;
            off.correction = false;
            return replay_round(live.models, live.settings, live.run->trace(), {round, off});
        };
        std::map<int, bool> saves; // of each round in which the target kept what the head had changed
        for (const RoundSummary& round : whole.round_list)
            if (rescued_position(round, false) >= 0) {
                const Replay other = replay(round.round);
                saves[round.round] = fold(*other.trace, other.trace->size()).current()->accepted < round.accepted;
            }
        if (saves.size() < 2) continue;
        live.bench->controller.perform({SceneCommand{SetCursor{whole.round_list.front().end_event}}}, live.bench->time);
        live.bench->settle();
        live.bench->key(ui::Key::y);
        for (std::size_t rounds = 0; rounds <= saves.size(); ++rounds) {
            const DominoModel now = domino_model(live.input());
            ASSERT_TRUE(saves.contains(now.round->round)) << seed;
            live.published.replayed = std::make_shared<const Replay>(replay(now.round->round));
            live.show();
        }
        const DominoModel last = domino_model(live.input());
        const bool any = std::ranges::any_of(saves, [](const auto& one) { return one.second; });
        EXPECT_EQ(saves.at(last.round->round), any) << seed;
        EXPECT_EQ(last.kept_off < last.kept_on, any) << seed;
        const FrameInput frame = live.bench->controller.frame(live.bench->time);
        EXPECT_EQ(test::all_said(frame.active->told(frame.scene), "domino.controls.in_vain").empty(), any) << seed;
        found += any;
        ++searched;
    }
    EXPECT_GT(searched, 0);
    EXPECT_GT(found, 0);
}

// A block of one guess is never corrected: no seed has a round that the head saved, which is said once the search is over, and no other
// one begins.
TEST(DominoScene, LooksInOtherRunsAndSaysWhenNoneHasWhatItLooksFor) {
    RunWindow live;
    live.settings = domino_settings(0.9);
    live.settings.k = 1;
    live.open("domino", {"none", "domino"});
    live.show();
    EXPECT_TRUE(live.bench->shows("Look elsewhere")) << live.bench->words;
    live.bench->key(ui::Key::y);
    ASSERT_NE(live.study(), nullptr);
    const RunStudy asked = *live.study();
    EXPECT_EQ(asked.runs.size(), 8U);
    Study study{asked.name, static_cast<int>(asked.runs.size()), {}};
    const auto told = [&] {
        live.published.studies[study.name] = std::make_shared<const Study>(study);
        live.show();
        const FrameInput frame = live.bench->controller.frame(live.bench->time);
        return frame.active->told(frame.scene);
    };
    study.points.push_back(study_point(live.models, asked.runs[0]));
    const Said looking = test::all_said(told(), "shared.example.elsewhere:looking").at(0);
    EXPECT_EQ(test::whole(looking, "searched"), 1);
    EXPECT_EQ(test::whole(looking, "planned"), 8);
    for (std::size_t i = 1; i < asked.runs.size(); ++i) study.points.push_back(study_point(live.models, asked.runs[i]));
    const Said none = test::all_said(told(), "shared.example.elsewhere:none").at(0);
    EXPECT_EQ(test::whole(none, "planned"), 8);
    EXPECT_EQ(test::inner(test::inner(none, "none"), "what").id(), "domino.words.criterion");
    EXPECT_FALSE(live.bench->shows("Look elsewhere"));
    live.sent.clear();
    live.bench->key(ui::Key::y);
    EXPECT_EQ(live.study(), nullptr) << "it stops";
}

TEST(DominoScene, KeysForkTheRun) {
    std::vector<Command> sent;
    EnginePort port;
    port.send = [&](Command c) { sent.push_back(std::move(c)); };
    SceneBench bench("domino", port);
    const auto models = test::micro_models(1);
    const RunSettings settings = domino_settings(0);
    speclens::Run run(models, settings);
    run.finish();
    Snapshot published;
    published.trace = run.shared_trace();
    published.settings = settings;
    published.status.state = EngineStatus::State::idle;
    published.status.ready_drafters = {"none", "domino"};
    bench.controller.observe(published, bench.time);
    bench.settle();
    const auto last = [&]() -> const Fork* { return sent.empty() ? nullptr : std::get_if<Fork>(&sent.back()); };
    sent.clear();
    bench.key(ui::Key::h);
    ASSERT_NE(last(), nullptr);
    ASSERT_TRUE(last()->settings);
    EXPECT_FALSE(last()->settings->options.correction);
    sent.clear();
    bench.key(ui::Key::b);
    ASSERT_NE(last(), nullptr);
    ASSERT_TRUE(last()->force_draft);
    const DominoModel model = domino_model(bench.controller.frame(bench.time).scene);
    EXPECT_EQ(last()->force_draft->first, model.selected);
    EXPECT_NE(last()->force_draft->second, model.column(model.selected)->draft->token);
    // the branch: its base distributions before the forced token are the same to the last bit, and the scene says so
    speclens::Run branch(models, settings, run.trace(), *last());
    branch.finish();
    published.trace = branch.shared_trace();
    published.runs = 2; // the head's run, which was never seen, and this one
    bench.controller.observe(published, bench.time);
    bench.settle();
    EXPECT_TRUE(bench.shows("forced"));
    const FrameInput frame = bench.controller.frame(bench.time);
    const Said replayed = test::only_said(frame.active->told(frame.scene), "domino.words.replayed");
    EXPECT_GT(test::whole(replayed, "same"), model.selected) << "those before the forced one, and its own";
    EXPECT_GE(test::whole(replayed, "both"), test::whole(replayed, "same"));
    const auto in_gutter = [&](const char* words) {
        return std::ranges::any_of(bench.texts, [&](const ui::RecordedText& t) { return t.text == words; });
    };
    EXPECT_TRUE(in_gutter("frozen"));
    published.trace = run.shared_trace(); // the branch is left
    published.runs = 3;
    bench.controller.observe(published, bench.time);
    bench.settle();
    EXPECT_TRUE(in_gutter("parallel"));
    EXPECT_FALSE(in_gutter("frozen")) << "nothing is forced any more";
    sent.clear();
    bench.key(ui::Key::n);
    ASSERT_FALSE(sent.empty());
    const auto* restart = std::get_if<Restart>(&sent.back());
    ASSERT_NE(restart, nullptr);
    EXPECT_EQ(restart->settings.drafter, "domino");
    EXPECT_EQ(restart->settings.sampling.temperature, 0);
}

// Behind the last guess of a block stands nothing that a forced one could change.
TEST(DominoScene, ForcesAGuessThatOthersFollow) {
    const auto trace = recorded();
    const RunView whole = fold(*trace, trace->size());
    const RoundSummary& round = whole.round_list.front();
    const int n = static_cast<int>(round.drafts.size());
    ASSERT_GT(n, 2);
    DominoFrame frame(trace, domino_settings(0), round.end_event);
    DominoModel model = domino_model(frame.input);
    model.selected = n - 1;
    model.chosen = false;
    EXPECT_EQ(force_position(model), n - 2);
    model.chosen = true;
    EXPECT_EQ(force_position(model), n - 1) << "the user's own choice";
    model.chosen = false;
    model.selected = 1;
    EXPECT_EQ(force_position(model), 1);

    model.columns.back().forced = true;
    model.forced = n - 1;
    const Said title = domino_title(frame.input, model).title.said;
    EXPECT_EQ(title.id(), "domino.title.forced");
    EXPECT_EQ(test::whole(title, "follows"), 0);
    EXPECT_EQ(test::inner(title, "token"), word(frame.input, model.columns.back().draft->token).said);
}

TEST(DominoScene, ForksAndReplaysWithTheEngine) {
    const std::filesystem::path golden = std::filesystem::path(SPEC_SOURCE_DIR) / "tests" / "engine" / "golden";
    RunSettings settings = domino_settings(0.9);
    settings.k = 4;
    Session session({.target = golden / "micro_qwen3", .heads = {{"domino", golden / "micro_domino"}}, .backend = "cpu", .threads = 1},
                    settings);
    EnginePort port;
    port.send = [&](Command c) { session.send(std::move(c)); };
    port.set_budget = [&](std::int64_t n) { session.gate().set(n); };
    port.add_budget = [&](std::int64_t n) { session.gate().add(n); };
    port.cancel_loading = [] {};
    SceneBench bench("domino", port);
    // Frames until the scene's model is as wanted.
    const auto until = [&](const std::function<bool(const DominoModel&)>& wanted) {
        return eventually([&] {
            bench.controller.observe(session.published(), bench.time);
            bench.frame();
            const DominoModel model = domino_model(bench.controller.frame(bench.time).scene);
            return model.empty == DominoModel::Empty::no && model.round->complete() && wanted(model);
        });
    };
    // above temperature 0 only a replay knows the other row: the scene asks for it by itself
    // and the run is over, or the scene would go with it
    ASSERT_TRUE(until([&](const DominoModel& m) {
        const Snapshot now = session.published();
        const bool over =
            now.status.state == EngineStatus::State::stopped && bench.controller.frame(bench.time).scene.trace == now.trace.get();
        return over && m.head_on && m.replayed && m.other == DominoModel::Other::whole;
    }));
    const DominoModel before = domino_model(bench.controller.frame(bench.time).scene);
    std::vector<int> base;
    for (const DominoColumn& column : before.columns) base.push_back(column.base_choice);
    const int round = before.round->round;
    bench.key(ui::Key::h);
    ASSERT_TRUE(until([&](const DominoModel& m) { return !m.head_on && m.round->round == round && m.replayed; }));
    const DominoModel after = domino_model(bench.controller.frame(bench.time).scene);
    ASSERT_EQ(after.columns.size(), base.size());
    for (std::size_t i = 0; i < base.size(); ++i) EXPECT_EQ(after.columns[i].base_choice, base[i]) << "the base distributions stay";
    // the two rows have changed places
    EXPECT_EQ(after.kept_on, before.kept_off);
    EXPECT_EQ(after.kept_off, before.kept_on);
    bench.key(ui::Key::h);
    ASSERT_TRUE(until([&](const DominoModel& m) { return m.head_on && m.round->round == round && m.replayed; }));
    bench.key(ui::Key::b);
    ASSERT_TRUE(until([&](const DominoModel& m) { return m.forced >= 0 && m.replayed; }));
    EXPECT_TRUE(bench.shows("cos 1.00")) << "states before the forced guess are the same";
    EXPECT_TRUE(bench.shows("frozen")) << "the base distributions of the branch are those from before";
}

} // namespace

} // namespace speclens
