// The loop scene: what is said of every rule and drafter, and at the edges: no room for a guess, a single one, a
// mixture of nothing, a phase that is not over.
#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <regex>

#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter_info.h"
#include "engine/run/run.h"
#include "scenes/drafters/drafters_model.h"
#include "scenes/loop/loop_rules.h"
#include "scenes/loop/loop_story.h"
#include "scenes/shared/words.h"
#include "tests/scenes/loop_bench.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/micro.h"

namespace speclens {
namespace {

TEST(LoopWords, OnlyTheFirstMissIsWhereTheTokenRuleWouldHaveStopped) {
    const auto trace = rescued_round();
    for (const std::size_t checked : {1u, 2u}) {
        SceneBench bench("loop");
        bench.show(trace, 5 + checked);
        const SceneInput input = bench.controller.frame(0).scene;
        const std::string told = find_scene("loop")->make()->describe(input);
        EXPECT_TRUE(has(told, "a later one keeps it")) << told;
        EXPECT_EQ(has(told, "The token rule would have stopped here"), checked == 1) << told;
    }
}

// 16 is the most that a round may ask for, and no round of most runs does.
TEST(LoopWords, KAutoShowsWhatARoundAskedFor) {
    const auto fixed = fixtures::mixed();
    const auto chosen = [&](std::size_t events) {
        auto trace = std::make_shared<Trace>([fixed](int id) { return fixed->text(id); });
        for (std::size_t i = 0; i < std::min(events, fixed->size()); ++i) {
            Event event = (*fixed)[i];
            if (auto* header = std::get_if<Header>(&event)) header->k_auto = true, header->k = kMostAuto;
            if (auto* pass = std::get_if<Verified>(&event)) pass->asked = DraftSize{4, 0};
            trace->append(std::move(event));
        }
        return trace;
    };
    const auto columns = [](const std::shared_ptr<const Trace>& trace, std::size_t at) {
        SceneBench bench("loop");
        bench.show(trace, at);
        EXPECT_TRUE(bench.shows("rule, K auto")) << bench.words;
        EXPECT_FALSE(bench.shows("K = 16")) << bench.words;
        return loop_model(bench.controller.frame(0).scene).columns.size();
    };
    const std::size_t first = 3; // header, prompt, a guess
    ASSERT_TRUE(std::holds_alternative<Drafted>((*fixed)[first - 1]));
    EXPECT_EQ(columns(chosen(1000), first), 4U) << "its pass says what it had asked for";
    EXPECT_EQ(columns(chosen(first), first), 1U) << "until then nobody knows";
}

// Whoever adds up the printed times comes to the printed gain, also before the round is over.
TEST(LoopWords, TheClockAddsUp) {
    const auto trace = fixtures::mixed();
    int told = 0;
    for (std::size_t shown = 1; shown <= trace->size(); ++shown) {
        SceneBench bench("loop");
        bench.show(trace, shown);
        SceneInput input = bench.controller.frame(0).scene;
        input.plain.ms_per_token = 9;
        const std::string words = find_scene("loop")->make()->describe(input);
        const std::size_t at = words.find("Clock: ");
        double draft = 0, verify = 0, rest = 0, plain = 0, gain = 0;
        if (at == std::string::npos ||
            std::sscanf(words.c_str() + at, "Clock: drafting %lf ms, verify %lf ms, rest %lf ms; plain decoding %lf ms per token; %lf",
                        &draft, &verify, &rest, &plain, &gain) != 5)
            continue;
        ++told;
        double nearest = 1e9; // whatever the number of tokens
        for (int tokens = 1; tokens <= 5; ++tokens)
            nearest = std::min(nearest, std::abs(std::abs(tokens * plain - draft - verify - rest) - gain));
        EXPECT_LT(nearest, 0.02) << words.substr(at, 160);
    }
    EXPECT_GT(told, 6);
}

TEST(LoopWords, NoBonusCountsBehindTheEndOfTheText) {
    const auto trace = ending_round();
    const std::size_t drawn = trace->size() - 2;
    for (const std::size_t cursor : {drawn, drawn + 1}) {
        SceneBench bench("loop");
        bench.show(trace, cursor);
        bench.settle();
        EXPECT_TRUE(bench.shows("two tokens from one check")) << bench.words;
        EXPECT_FALSE(bench.shows("+1 bonus")) << bench.words;
        EXPECT_TRUE(bench.shows("not used")) << bench.words;
        EXPECT_TRUE(bench.shows("1 in · 2 out")) << bench.words;
        EXPECT_TRUE(has(find_scene("loop")->make()->describe(bench.controller.frame(0).scene), "Not used, the text ended before it"));
    }
}

TEST(DraftersWords, NoTokenFollowsTheEndOfTheText) {
    const auto trace = ending_round();
    SceneBench bench("drafters");
    bench.show(trace, trace->size());
    bench.controller.perform({SceneCommand{SetBeat{kDraftersOutcomeBeat}}}, bench.time);
    const std::string told = find_scene("drafters")->make()->describe(bench.controller.frame(0).scene);
    EXPECT_TRUE(has(told, "2 of 2 guesses kept, and the text ends there: 2 tokens")) << told;
    EXPECT_FALSE(has(told, "the target's own")) << told;
}

TEST(LoopWords, CountOneAndTwoAsPeopleDo) {
    EXPECT_EQ(all_guesses(1), "the guess");
    EXPECT_EQ(all_guesses(2), "both guesses");
    EXPECT_EQ(all_guesses(3), "all three guesses");
    LoopModel model;
    const auto trace = ending_round();
    const RunView view = fold(*trace, trace->size());
    model.header = view.header;
    model.round = view.current();
    model.tree = true;
    model.drafted = model.produced = 1;
    EXPECT_EQ(loop_title(model), "A tree of one guess, one check: one token");
}

TEST(StatusBar, GivesTheHashThatTheRunEndedWith) {
    const auto trace = ending_round();
    SceneBench bench("loop");
    bench.show(trace, trace->size() - 1);
    const std::uint64_t before = bench.controller.frame(0).hash;
    bench.show(trace, trace->size());
    EXPECT_EQ(bench.controller.frame(0).hash, trace->hash(trace->size() - 1));
    EXPECT_EQ(bench.controller.frame(0).hash, before);
}

// tree_topk on a chain keeps with the target's p alone: the draft's claim is no part of it.
TEST(LoopWords, TopTokensOnAChainAreNotTheTokenRule) {
    const auto models = test::micro_models(1);
    const Played run(models, "small", "tree_topk", [](RunSettings& s) { s.sampling.temperature = 0.8; });
    const auto judged = run.all<Checked>([](const Checked&) { return true; });
    ASSERT_GT(judged.size(), 3u);
    for (const std::string& told : judged) {
        EXPECT_TRUE(has(told, "counts as certain")) << told;
        EXPECT_FALSE(has(told, "may stay with probability") || has(told, "whatever the coin")) << told;
    }
    const auto replaced = run.all<TargetToken>([](const TargetToken& e) { return e.from == TargetToken::From::residual; });
    ASSERT_GT(replaced.size(), 1u);
    for (const std::string& told : replaced) EXPECT_TRUE(has(told, "struck out of the target's distribution")) << told;
}

TEST(LoopWords, ABonusWithoutADraftDistributionBehindItIsTheTargets) {
    const auto models = test::micro_models(1);
    const auto keep_all = [](RunSettings& s) { s.rule_params.alpha = 1; };
    const auto bonus = [](const TargetToken& e) { return e.from == TargetToken::From::bonus; };
    const auto heads = Played(models, "medusa", "cascade_chow", keep_all).all<TargetToken>(bonus, 2);
    const auto asked = Played(models, "small", "cascade_chow", keep_all).all<TargetToken>(bonus, 2);
    ASSERT_FALSE(heads.empty());
    ASSERT_FALSE(asked.empty());
    for (const std::string& told : heads) {
        EXPECT_TRUE(has(told, "from the target's own distribution")) << told;
        EXPECT_FALSE(has(told, "asked once more")) << told;
    }
    for (const std::string& told : asked) EXPECT_TRUE(has(told, "asked once more")) << told;
    const auto whole = [](const Committed& e) { return e.accepted_drafts == 4; };
    for (const std::string& told : Played(models, "medusa", "cascade_chow", keep_all).all<Committed>(whole, 2))
        EXPECT_TRUE(has(told, "plus the target's own token")) << told;
}

TEST(LoopWords, ACascadeJudgedAsABlockIsToldAsABlock) {
    const Played run(test::micro_models(1), "small", "cascade_tokenV3", [](RunSettings& s) {
        s.rule_params.alpha = 0.3;
        s.rule_params.block = true;
    });
    const auto judged = run.all<Checked>([](const Checked&) { return true; });
    ASSERT_GT(judged.size(), 3u);
    for (const std::string& told : judged) {
        EXPECT_TRUE(has(told, "A mixture of the two distributions judges") && has(told, "coefficient")) << told;
        EXPECT_FALSE(has(told, "by the mixture\n")) << told;
    }
    const auto replaced = run.all<TargetToken>([](const TargetToken& e) { return e.from == TargetToken::From::residual; }, 2);
    ASSERT_FALSE(replaced.empty());
    for (const std::string& told : replaced) EXPECT_TRUE(has(told, "its coefficient times the mixture")) << told;
}

TEST(LoopWords, ALenienceOfZeroIsTheTokenRule) {
    const Played run(test::micro_models(1), "small", "lenience", [](RunSettings& s) { s.rule_params.lenience = 0; });
    for (std::size_t cursor = 1; cursor <= 40; ++cursor)
        for (const char* never : {"the sum is off", "more was kept", "more than the target", "lenience\n"})
            EXPECT_FALSE(has(run.told(cursor), never)) << cursor << ": " << never;
}

TEST(LoopWords, TheSubtitleNamesWhatWasTakenFromTheDrafter) {
    const auto subtitle = [](const std::string& drafter, const std::function<void(RunSettings&)>& change) {
        return Played(test::micro_models(1), drafter, "token", change).told(10);
    };
    EXPECT_TRUE(has(subtitle("small", [](RunSettings& s) { s.options.fr_spec = 20; }), " · FR-Spec 20 · seed"));
    EXPECT_TRUE(has(subtitle("dflash", [](RunSettings& s) { s.options.conditioning = false; }), " · no target states · seed"));
    EXPECT_TRUE(has(subtitle("domino", [](RunSettings& s) { s.options.correction = false; }), " · head off · seed"));
    EXPECT_TRUE(has(subtitle("domino", [](RunSettings& s) { s.options.head_pool = 5; }), " · pool of 5 · seed"));
    const std::string plain = subtitle("small", [](RunSettings& s) { s.k = 0; });
    EXPECT_TRUE(has(plain, " · plain decoding · T = ")) << plain;
    EXPECT_FALSE(has(plain, "none drafter")) << plain;
}

// The longest story of a guess: a head corrected it, a coin drew it, and its time is known.
TEST(LoopWords, TheStoryOfACorrectedGuessEndsInItsPlace) {
    const Played run(test::micro_models(1), "dspark", "token");
    for (std::size_t i = 0; i < run.trace->size(); ++i) {
        const auto* guess = std::get_if<Drafted>(&(*run.trace)[i]);
        if (!guess || guess->round > 1) continue;
        SceneBench bench("loop");
        bench.controller.show_saved(run.trace, run.settings);
        bench.controller.perform({SceneCommand{SetCursor{i + 1}}}, bench.time);
        bench.settle();
        expect_whole_story(bench, "guess " + std::to_string(guess->index + 1));
    }
}

// The places of a tree have no order, and at one of them there may be a single guess.
TEST(LoopWords, ATreeIsToldGuessByGuess) {
    const auto residual = [](const TargetToken& e) { return e.from == TargetToken::From::residual; };
    for (const int children : {1, 3}) {
        const Played run(test::micro_models(1), "small_tree", "tree_wor", [&](RunSettings& s) {
            s.options.tree_budget = 12;
            s.options.tree_topk = children;
        });
        const auto replaced = run.all<TargetToken>(residual, 20);
        ASSERT_FALSE(replaced.empty());
        for (const std::string& told : replaced) {
            EXPECT_FALSE(has(told, "distribution: Coin")) << told;
            EXPECT_TRUE(has(told, "distribution: coin")) << told;
            EXPECT_TRUE(children > 1 || has(told, "the one guess was rejected")) << told;
            EXPECT_FALSE(has(told, "Position ")) << told;
        }
        for (const std::string& told : run.all<Checked>([](const Checked&) { return true; }))
            EXPECT_TRUE(has(told, "\nGuess ") && has(told, ", both models")) << told;
    }
}

TEST(LoopWords, KSeqNamesHowFarAGuessIsHeldBack) {
    const Played run(test::micro_models(1), "small_tree", "tree_kseq");
    const auto judged = run.all<Checked>([](const Checked& e) { return e.threshold > 0 && e.threshold < 1; });
    ASSERT_FALSE(judged.empty());
    int named = 0;
    for (const std::string& told : judged) named += has(told, "rho = ");
    EXPECT_GT(named, 0) << judged.front();
}

// What a guess that stays for sure was held back by shows at another one beside it, if at all.
TEST(LoopWords, KSeqGivesAValueOrABoundOfRho) {
    const Trace trace([](int id) { return " word" + std::to_string(id); });
    SceneInput input;
    input.trace = &trace;
    Header header;
    header.rule_params.rho = 1.5;
    LoopModel model;
    model.header = &header;
    model.rule = RuleKind::kseq;
    model.tree = true;
    model.drafted = 3;
    std::vector<Drafted> drafts(3);
    std::vector<Checked> checks(3);
    for (std::size_t i = 0; i < 3; ++i) {
        checks[i].p = std::log(0.4);
        checks[i].q = std::log(0.2);
        checks[i].threshold = 1;
        LoopColumn column;
        column.draft = &drafts[i];
        model.columns.push_back(column);
    }
    const auto told = [&](int newest) {
        model.newest = newest;
        model.columns[static_cast<std::size_t>(newest)].check = &checks[static_cast<std::size_t>(newest)];
        Story story;
        tell_tree_check(input, model, story);
        return story.text;
    };
    EXPECT_TRUE(has(told(0), "counts rho, at least 1.50, times with three guesses")) << told(0);
    header.rule_params.rho = 0;
    EXPECT_TRUE(has(told(0), "counts rho = 3 times")) << told(0);
    header.rule_params.rho = 1.5;
    checks[0].threshold = 0.8; // 2 / rho
    EXPECT_TRUE(has(told(1), "counts rho = 2.50 times")) << told(1);
}

// What a block knows, and what a head did to it, is a matter of the run and not of the drafter's name.
TEST(LoopWords, SayWhatABlockWasFilledFrom) {
    const auto models = test::micro_models(1);
    const auto any = [](const Drafted&) { return true; };
    for (const bool states : {true, false})
        for (const std::string& told :
             Played(models, "dflash", "token", [&](RunSettings& s) { s.options.conditioning = states; }).all<Drafted>(any)) {
            EXPECT_FALSE(has(told, "from the text alone")) << told;
            EXPECT_EQ(has(told, "from the target's states"), states) << told;
            EXPECT_EQ(has(told, "from the newest token alone"), !states) << told;
        }
    for (const char* drafter : {"domino", "dspark"})
        for (const std::string& told :
             Played(models, drafter, "token", [](RunSettings& s) { s.options.correction = false; }).all<Drafted>(any)) {
            EXPECT_TRUE(has(told, "no head corrected them")) << told;
            EXPECT_FALSE(has(told, "corrected this") || has(told, "corrects")) << told;
        }
}

TEST(LoopWords, SayThatTheMarkovHeadReadsOneGuess) {
    int corrected = 0;
    for (const std::string& told : Played(test::micro_models(1), "dspark", "token").all<Drafted>([](const Drafted&) { return true; })) {
        EXPECT_FALSE(has(told, "by the guesses before it")) << told;
        corrected += has(told, "by the guess right before it");
    }
    EXPECT_GT(corrected, 0);
}

TEST(LoopWords, SayWhichSlotsOfDominoTheHeadCorrected) {
    const auto some = test::micro_models(1);
    for (const int prefix : {0, 1, 2}) {
        auto models = std::make_shared<Models>(*some);
        DraftConfig config = test::micro_head(DraftConfig::Method::domino, models->target->config);
        config.prefix = prefix;
        models->networks["domino"] = DraftNetwork::random(models->target, config, "domino", 7);
        const auto first_round = Played(models, "domino", "token").all<Drafted>([](const Drafted& e) { return e.round == 0; });
        ASSERT_EQ(first_round.size(), 4u);
        for (int i = 0; i < 4; ++i) {
            const std::string& told = first_round[static_cast<std::size_t>(i)];
            EXPECT_EQ(has(told, "as the pass left it"), i < prefix) << "prefix " << prefix << "\n" << told;
        }
    }
}

bool has_words(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

// The frame in words after every event of a trace.
std::vector<std::string> every_frame(const std::shared_ptr<const Trace>& trace, const RunSettings& settings) {
    std::vector<std::string> frames;
    SceneBench bench("loop");
    bench.controller.show_saved(trace, settings);
    for (std::size_t cursor = 1; cursor <= trace->size(); ++cursor) {
        bench.controller.perform({SceneCommand{SetCursor{cursor}}}, bench.time);
        bench.frame();
        frames.push_back(find_scene("loop")->make()->describe(bench.controller.frame(0).scene));
    }
    return frames;
}

// The frames of a run of a micro model, looked at event by event.
std::vector<std::string> frames_of_run(const std::string& drafter, const std::string& rule,
                                       const std::function<void(RunSettings&)>& change) {
    RunSettings settings;
    settings.prompt.token_ids = {5, 6, 7};
    settings.drafter = drafter;
    settings.rule = rule;
    settings.k = 4;
    settings.max_tokens = 24;
    settings.sampling.temperature = 1;
    change(settings);
    speclens::Run run(test::micro_models(1), settings);
    run.finish();
    return every_frame(run.shared_trace(), settings);
}

int frames_with(const std::vector<std::string>& frames, const std::string& words) {
    int found = 0;
    for (const std::string& frame : frames) found += has_words(frame, words);
    return found;
}
std::string joined(const std::vector<std::string>& frames) {
    std::string text;
    for (const std::string& frame : frames) text += frame + "\n----\n";
    return text;
}

Header header_of(const std::string& drafter, const std::string& rule, int k) {
    Header header;
    header.drafter = drafter;
    header.rule = rule;
    header.k = k;
    header.prompt = {0};
    header.sampling.temperature = 1;
    return header;
}
std::shared_ptr<Trace> trace_of(const Header& header) {
    auto trace = std::make_shared<Trace>([](int id) { return " word" + std::to_string(id); });
    trace->append(header);
    return trace;
}
std::vector<std::string> frames_of(const std::shared_ptr<Trace>& trace) {
    RunSettings settings;
    settings.drafter = trace->header()->drafter;
    settings.rule = trace->header()->rule;
    settings.k = trace->header()->k;
    settings.sampling = trace->header()->sampling;
    return every_frame(trace, settings);
}

// A pass for the pending token alone.
std::shared_ptr<Trace> round_without_guesses(Header header, std::optional<double> u) {
    auto trace = trace_of(header);
    trace->append(Verified{0, 1, 0});
    TargetToken own;
    own.from = TargetToken::From::target;
    own.token = 9;
    own.u = u;
    trace->append(own);
    Committed commit;
    commit.tokens = {9};
    trace->append(commit);
    return trace;
}

// A tree of no guesses judged nothing, so no guess missed the favourite.
TEST(RoundWords, ATreeSaysWhereTheOwnTokenComesFrom) {
    int told[3] = {0, 0, 0};
    for (const double temperature : {0.0, 1.0}) {
        RunSettings settings;
        settings.prompt.token_ids = {5, 6, 7};
        settings.drafter = "small_tree";
        settings.rule = temperature > 0 ? "tree_wor" : "greedy";
        settings.options.tree_depth = 2;
        settings.options.tree_budget = 4;
        settings.max_tokens = 40;
        settings.sampling.temperature = temperature;
        speclens::Run run(test::micro_models(1), settings);
        run.finish();
        const std::vector<std::string> frames = every_frame(run.shared_trace(), settings);
        for (std::size_t i = 0; i < frames.size(); ++i) {
            const auto* own = std::get_if<TargetToken>(&run.trace()[i]);
            if (!own) continue;
            static constexpr const char* kHeadings[] = {"Rejected, but not wasted", "The branch ends: one for free",
                                                        "The target's own token"};
            const auto from = static_cast<std::size_t>(own->from);
            EXPECT_TRUE(has_words(frames[i], kHeadings[from])) << frames[i];
            ++told[from];
        }
    }
    for (const int often : told) EXPECT_GT(often, 0);
}

TEST(RoundWords, ATreeWithoutGuessesIsAPlainPass) {
    Header header = header_of("small_tree", "tree_wr", 2);
    header.nodes = 4;
    const auto frames = frames_of(round_without_guesses(header, 0.7));
    EXPECT_EQ(frames_with(frames, "tree of no guesses"), 0) << joined(frames);
    EXPECT_EQ(frames_with(frames, "none of the guesses"), 0) << joined(frames);
    EXPECT_EQ(frames_with(frames, "Plain decoding: one expensive pass, one token"), 2) << joined(frames);
    EXPECT_EQ(frames_with(frames, "from the only row."), 1) << joined(frames);
}

TEST(RoundWords, AFavouriteIsNamedAsOne) {
    const auto frames = frames_of(round_without_guesses(header_of("none", "greedy", 0), {}));
    EXPECT_EQ(frames_with(frames, "The only row's favourite is “word9”."), 1) << joined(frames);
}

// One token left of the length limit: nobody was asked for a guess, and it is said why.
TEST(RoundWords, SayThatTheLengthLimitLeftNoRoom) {
    for (const auto& [drafter, rule] : {std::pair{"small", "token"}, {"small_tree", "tree_wr"}}) {
        const auto frames = frames_of_run(drafter, rule, [](RunSettings& s) { s.max_tokens = 1; });
        EXPECT_EQ(frames_with(frames, "The length limit left no room for a guess: the target reads"), 1) << joined(frames);
        EXPECT_EQ(frames_with(frames, "The length limit left no room for a guess, so nothing could be saved"), 1);
        EXPECT_GE(frames_with(frames, "No room for a guess: one pass, one token"), 2) << joined(frames);
        EXPECT_EQ(frames_with(frames, "the next token costs another whole pass"), 0) << "there is none";
        EXPECT_EQ(frames_with(frames, "No guess was made"), 0) << joined(frames);
    }
    const auto roomy = frames_of_run("small", "token", [](RunSettings&) {});
    EXPECT_LE(frames_with(roomy, "No room for a guess"), 5) << "in the last round at most";
}

// At alpha −1 a cascade has nothing of the draft to mix in: what it writes is the target's own distribution.
TEST(RoundWords, ACascadeThatMixesNothingFollowsTheTarget) {
    struct Case {
        const char* rule;
        double alpha;
        bool block, mixed;
    };
    for (const Case& c : {Case{"cascade_diff", -1, false, false}, Case{"cascade_diff", -1, true, false},
                          Case{"cascade_diff", 0.2, false, true}, Case{"cascade_tokenV3", 0.3, true, true}}) {
        const auto frames = frames_of_run("small", c.rule, [&](RunSettings& s) {
            s.rule_params.alpha = c.alpha;
            s.rule_params.block = c.block;
            s.max_tokens = 48;
        });
        EXPECT_EQ(frames_with(frames, "mixture, not the target") > 0, c.mixed) << c.rule << c.block;
        EXPECT_EQ(frames_with(frames, "at this alpha") + frames_with(frames, "At this alpha") > 0, !c.mixed) << c.rule << c.block;
    }
}

TEST(RoundWords, FullLenienceCountsNoClaim) {
    const auto frames = frames_of_run("small", "lenience", [](RunSettings& s) { s.rule_params.lenience = 1; });
    EXPECT_GT(frames_with(frames, "The claim does not count at all, so the guess stays"), 0) << joined(frames);
    EXPECT_EQ(frames_with(frames, "only 0 %"), 0);
}

// A round of one guess; `kept` by its coin.
std::shared_ptr<Trace> one_guess(const Header& header, Checked check, bool kept) {
    auto trace = trace_of(header);
    Drafted draft;
    draft.token = 5;
    draft.q = check.q;
    draft.u = 0.5;
    trace->append(draft);
    trace->append(Verified{0, 2, 0});
    check.token = 5;
    check.accepted = kept;
    trace->append(check);
    TargetToken own;
    own.from = kept ? TargetToken::From::bonus : TargetToken::From::residual;
    own.token = 9;
    own.u = 0.4;
    trace->append(own);
    Committed commit;
    commit.accepted_drafts = kept;
    commit.tokens = kept ? std::vector<int>{5, 9} : std::vector<int>{9};
    trace->append(commit);
    Stopped stopped;
    stopped.reason = "length";
    trace->append(stopped);
    return trace;
}

TEST(RoundWords, ASingleGuessIsNoPlural) {
    Checked check;
    check.p = std::log(0.4);
    check.q = std::log(0.8);
    check.threshold = 0.5;
    for (const bool kept : {true, false}) {
        check.u = kept ? 0.2 : 0.9;
        const auto frames = frames_of(one_guess(header_of("small", "token", 1), check, kept));
        const std::string text = joined(frames);
        EXPECT_EQ(frames_with(frames, "One of one"), 0) << text;
        EXPECT_EQ(frames_with(frames, "nothing after it counts"), 0) << text;
        EXPECT_EQ(frames_with(frames, "of 1 guesses"), 0) << text;
        EXPECT_EQ(frames_with(frames, kept ? "The guess is kept\n" : "The guess is rejected\n"), 1) << text;
        EXPECT_EQ(frames_with(frames, kept ? "The one guess was kept." : "The one guess was not kept."), 1) << text;
        EXPECT_EQ(frames_with(frames, "The guess is gone; the target's own token stands in its place."), !kept) << text;
    }
}

// A guess that the target rules out would not have been kept rarely, but never.
TEST(RoundWords, WhatTheTargetRulesOutIsNeverKeptByIt) {
    Checked check;
    check.p = -1000;
    check.q = std::log(0.8);
    check.mixture = std::log(0.5);
    check.threshold = 0.6;
    check.u = 0.3;
    const auto frames = frames_of(one_guess(header_of("small", "cascade_tokenV3", 1), check, true));
    EXPECT_EQ(frames_with(frames, "it would have gone: never kept."), 1) << joined(frames);
}

// The clock lists what is over, and drafting only where something was drafted.
TEST(RoundWords, TheClockListsNoPhaseToCome) {
    const auto trace = fixtures::mixed();
    int drafting = 0, judging = 0, over = 0;
    for (std::size_t shown = 1; shown <= trace->size(); ++shown) {
        SceneBench bench("loop");
        bench.show(trace, shown);
        SceneInput input = bench.controller.frame(0).scene;
        const Phase phase = input.view->phase;
        const std::string words = find_scene("loop")->make()->describe(input);
        const std::size_t at = words.find("Clock: ");
        if (at == std::string::npos) continue;
        const std::string clock = words.substr(at, words.find('\n', at) - at);
        EXPECT_TRUE(has_words(clock, "drafting ")) << clock;
        EXPECT_EQ(has_words(clock, "verify "), phase != Phase::draft) << clock;
        // Of a round that is all but over the rest is known already.
        const bool open = phase == Phase::draft || phase == Phase::verify || phase == Phase::accept;
        EXPECT_EQ(has_words(clock, "rest "), !open) << clock;
        drafting += phase == Phase::draft, judging += phase == Phase::accept, over += phase == Phase::commit;
    }
    EXPECT_TRUE(drafting > 3 && judging > 3 && over > 3) << "or nothing was tried";
    Header header = header_of("lookup", "greedy", 4);
    header.sampling.temperature = 0;
    auto silent = trace_of(header);
    silent->append(Verified{0, 1, 2.0});
    EXPECT_TRUE(has_words(frames_of(silent).back(), "Clock: verify 2.0 ms")) << frames_of(silent).back();
}

TEST(RoundWords, EveryTimeOfThePassHasItsUnit) {
    const auto trace = fixtures::mixed();
    const std::regex both(R"(The pass took [0-9.]+ ms( \(usually [0-9.]+\))?; for a single token it takes [0-9.]+ ms\.)");
    int found = 0;
    for (std::size_t shown = 1; shown <= trace->size(); ++shown) {
        if (!std::holds_alternative<Verified>((*trace)[shown - 1])) continue;
        SceneBench bench("loop");
        bench.show(trace, shown);
        SceneInput input = bench.controller.frame(0).scene;
        input.plain.ms_per_token = 9;
        const std::string words = find_scene("loop")->make()->describe(input);
        EXPECT_TRUE(std::regex_search(words, both)) << words;
        ++found;
    }
    EXPECT_GT(found, 3);
}

// Of two chained drafters the one that drafted is named and explained, round by round.
TEST(LoopScene, SaysWhichOfTwoChainedDraftersDrafted) {
    const Played run(test::micro_models(1), "lookup+small", "token",
                     [](RunSettings& settings) { settings.prompt.token_ids = {7, 8, 9, 7, 8, 9, 7, 8}; });
    const auto copied = run.all<Drafted>([](const Drafted& draft) { return draft.by == 0; }, 1);
    const auto drawn = run.all<Drafted>([](const Drafted& draft) { return draft.by == 1; }, 1);
    ASSERT_EQ(copied.size(), 1U);
    ASSERT_EQ(drawn.size(), 1U);
    EXPECT_TRUE(has(copied[0], "by lookup")) << copied[0];
    EXPECT_FALSE(has(drawn[0], "by lookup")) << drawn[0];
    EXPECT_TRUE(has(drawn[0], "by small")) << drawn[0];
}

} // namespace

} // namespace speclens
