// Two chained drafters: who speaks, what the trace says of it, that the second is none the worse for having been silent, and K auto by
// drafter. That the text keeps the target's distribution is exact_chained_test.cpp's, that greedy text is the plain text law1_test.cpp's.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <sstream>

#include "engine/account/refused_ranks.h"
#include "engine/base/fnv.h"
#include "engine/drafters/chained.h"
#include "engine/drafters/draft_network.h"
#include "engine/model/decoder.h"
#include "engine/run/auto_length.h"
#include "engine/run/full_distributions.h"
#include "engine/run/measured_costs.h"
#include "engine/run/one_round.h"
#include "engine/run/replay.h"
#include "engine/run/run.h"
#include "engine/run/run_view.h"
#include "engine/run/saved_settings.h"
#include "engine/run/session_commands.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"
#include "tests/shared/micro.h"
#include "tests/shared/tables.h"

namespace speclens {
namespace {

DrafterArgs args_of(const DrafterInfo& part, Decoder& target, const Models& models) {
    return {
        target, part.needs_draft_model() ? make_model_decoder(models.draft, 512) : nullptr, models.network(part.name), {}, models.frequent};
}

RunSettings chained(const std::string& drafter, double temperature, int tokens = 100) {
    RunSettings settings = test::greedy(drafter, 4);
    settings.sampling.temperature = temperature;
    settings.rule = judging_rule("token", drafter);
    settings.max_tokens = tokens;
    return settings;
}

std::string saved_lines(const Trace& trace) {
    TraceWriter writer(trace);
    std::string lines;
    for (std::size_t i = 0; i < trace.size(); ++i) lines += writer.line(trace[i]) + "\n";
    return lines;
}

std::string chain_refusal(const std::string& name) {
    try {
        refuse_chain(name);
        return find_drafter(name) ? "" : "unknown";
    } catch (const Error& error) {
        return error.what();
    }
}

TEST(Chained, NamesThatCanBeChainedAndThoseThatCannot) {
    EXPECT_EQ(chain_refusal("lookup+eagle3"), "");
    EXPECT_EQ(chain_refusal("lookup++eagle3"), "");
    EXPECT_EQ(chain_refusal("small_tree+eagle3_tree"), "") << "one tree in a round";
    EXPECT_EQ(chain_refusal("lookup"), "");
    EXPECT_NE(chain_refusal("lookup+eagle4").find("unknown drafter 'eagle4' in 'lookup+eagle4'"), std::string::npos);
    EXPECT_NE(chain_refusal("eagle3+eagle3").find("to itself"), std::string::npos);
    EXPECT_NE(chain_refusal("none+eagle3").find("none drafts nothing"), std::string::npos);
    EXPECT_NE(chain_refusal("lookup+suffix+eagle3").find("more than two"), std::string::npos);
    EXPECT_NE(chain_refusal("lookup++suffix++eagle3").find("more than two"), std::string::npos);
    EXPECT_NE(chain_refusal("lookup+").find("names one drafter"), std::string::npos);
    EXPECT_NE(chain_refusal("+eagle3").find("names one drafter"), std::string::npos);
    EXPECT_NE(chain_refusal("lookup++eagle3_tree").find("drafts trees"), std::string::npos);
    EXPECT_EQ(find_drafter("lookup+eagle3"), find_drafter("lookup+eagle3")) << "made once";
    EXPECT_EQ(find_drafter("lookup+eagle3_tree")->tree, true);
    EXPECT_EQ(network_of("lookup+eagle3_tree"), "eagle3");
    EXPECT_EQ(network_of("lookup+small"), "small");
    EXPECT_TRUE(reads_setting("lookup+domino", Setting::ngram));
    EXPECT_TRUE(reads_setting("lookup+domino", Setting::head_pool));
    EXPECT_EQ(judging_rule("cascade_diff", "lookup+small"), "token") << "a mixture is with one draft model";
}

TEST(Chained, RefusesWhatOnlyOneDrafterHas) {
    const auto models = test::micro_models(1);
    const auto why = [&](RunSettings settings) -> std::string {
        try {
            (void)test::finished(models, settings);
            return "";
        } catch (const Error& error) {
            return error.what();
        }
    };
    RunSettings settings = chained("lookup+small", 0.8);
    settings.rule = "cascade_diff";
    EXPECT_NE(why(settings).find("distribution of one draft model"), std::string::npos);
    settings = chained("lookup++small", 0.8);
    settings.k_auto = true;
    EXPECT_NE(why(settings).find("two make one draft"), std::string::npos);
    settings = chained("small", 0.8);
    settings.k_rounds = "4,+2";
    EXPECT_NE(why(settings).find("of a second drafter"), std::string::npos);
    settings.drafter = "none"; // which a chained run is held against, with the same settings
    EXPECT_EQ(why(settings), "");
    settings = chained("lookup+nobody", 0.8);
    EXPECT_NE(why(settings).find("unknown drafter 'nobody'"), std::string::npos);
}

// Both speak in a text that repeats itself here and there, and the trace says who, also when it was written and read again.
TEST(Chained, TheTraceSaysWhoSpoke) {
    const auto models = test::micro_models(2);
    for (const char* name : {"lookup+small", "lookup+eagle3", "suffix+dflash", "lookup+eagle3_tree", "lookup++small", "eagle3++small"}) {
        const DrafterInfo& info = *find_drafter(name);
        RunSettings settings = chained(name, 0.8);
        if (std::string(name) == "eagle3++small") settings.options = {};
        const auto run = test::finished(models, settings);
        const RunView view = fold(run->trace(), run->trace().size());
        std::set<int> spoke, drafted;
        for (const RoundSummary& round : view.round_list) {
            spoke.insert(round.verify->by);
            for (const DraftSlot& slot : round.drafts) {
                drafted.insert(slot.draft->by);
                if (!info.goes_on) {
                    EXPECT_EQ(slot.draft->by, round.verify->by) << name;
                }
            }
        }
        EXPECT_TRUE(drafted.contains(0)) << name;
        if (std::string(name) != "eagle3++small") {
            EXPECT_TRUE(drafted.contains(1)) << name;
        }
        std::istringstream in(saved_lines(run->trace()));
        const auto read = read_trace(in, "again");
        EXPECT_TRUE(read->intact()) << name;
        const auto rounds = [](const std::string& lines) { return lines.substr(lines.find('\n')); }; // a file's header says RECORDED
        EXPECT_TRUE(rounds(saved_lines(*read)) == rounds(saved_lines(run->trace()))) << name;
        EXPECT_NE(saved_lines(*read).find(std::string("\"by\":\"") + info.first->name + "\""), std::string::npos) << name;
        // A fork goes on as the run went on.
        speclens::Run fork(models, *run, Fork{.round = 3});
        fork.finish();
        EXPECT_EQ(fork.trace()[1].index(), run->trace()[1].index());
        // A round that is judged again has the drafts that it had.
        for (const RoundSummary& round : view.round_list) {
            if (round.drafts.empty() || round.round > 12) continue;
            const Replay again = replay_round(models, settings, run->trace(), {.round = round.round, .options = settings.options});
            const RunView seen = fold(*again.trace, again.trace->size());
            ASSERT_EQ(seen.round_list.size(), 1U) << name;
            ASSERT_EQ(seen.round_list[0].drafts.size(), round.drafts.size()) << name << " round " << round.round;
            for (std::size_t i = 0; i < round.drafts.size(); ++i) {
                EXPECT_EQ(seen.round_list[0].drafts[i].draft->token, round.drafts[i].draft->token);
                EXPECT_EQ(seen.round_list[0].drafts[i].draft->by, round.drafts[i].draft->by);
            }
        }
    }
}

// Without the plus there is nobody to name: the files of other runs stay what they were.
TEST(Chained, ARunOfOneDrafterNamesNobody) {
    const auto run = test::finished(test::micro_models(1), chained("small", 0.8));
    EXPECT_EQ(saved_lines(run->trace()).find("\"by\""), std::string::npos);
}

// The copier speaks where it finds something; else, and only then, the other one does, and with its own distribution.
TEST(Chained, TheFirstSpeaksWhereItFindsSomething) {
    const auto models = test::micro_models(2);
    const auto run = test::finished(models, chained("lookup+small", 0.8, 160));
    const RunSettings alone = chained("lookup", 0.8, 160);
    const RunView view = fold(run->trace(), run->trace().size());
    int silent = 0;
    for (const RoundSummary& round : view.round_list) {
        if (round.drafts.empty()) continue;
        const auto other = one_round(models, run->settings(), alone, run->trace(), round.round);
        const RunView seen = fold(*other, other->size());
        const bool found = !seen.round_list.at(0).drafts.empty();
        EXPECT_EQ(round.verify->by == 0, found) << round.round;
        silent += !found;
        for (const DraftSlot& slot : round.drafts) EXPECT_EQ(slot.draft->u.has_value(), !found) << round.round;
    }
    EXPECT_GT(silent, 3);
}

// ---- the second is none the worse for having been silent ----

// Copies the plain text, now and then with a wrong token behind; after so many rounds it has nothing more to say.
struct Scripted : Drafter {
    std::vector<int> plain;
    int rounds = 0, until = 50;
    explicit Scripted(std::vector<int> text) : plain(std::move(text)) {}
    void begin(std::span<const int>) override {}
    void observe(const Observation&) override {}
    Draft draft(const DraftRequest& request) override {
        Draft draft;
        if (rounds++ >= until) return draft;
        const std::size_t at = request.sequence.size();
        for (std::size_t i = 0; i < std::min<std::size_t>(2, static_cast<std::size_t>(request.k)) && at + i < plain.size(); ++i) {
            DraftNode node;
            node.parent = static_cast<int>(i) - 1;
            node.token = i == 1 && rounds % 3 == 0 ? (plain[at + i] + 1) % 61 : plain[at + i];
            draft.nodes.push_back(std::move(node));
        }
        return draft;
    }
};

// Drafts in every round, though what it drafts is passed over while the script lasts: as if it had run alone on this text. A drafter that
// keeps what it drafted until it hears what was kept (a model's cache) reads the text anew instead.
struct RanAlone : Drafter {
    std::unique_ptr<Scripted> script;
    std::unique_ptr<Drafter> inner;
    RanAlone(std::unique_ptr<Scripted> said, std::unique_ptr<Drafter> who) : script(std::move(said)), inner(std::move(who)) {}
    std::vector<int> taps() const override { return inner->taps(); }
    void begin(std::span<const int> sequence) override { inner->begin(sequence); }
    void observe(const Observation& observation) override { inner->observe(observation); }
    Draft draft(const DraftRequest& request) override {
        Draft said = script->draft(request);
        const bool over = script->rounds > script->until;
        if (taps().empty() && script->rounds == script->until + 1) inner->begin(request.sequence);
        if (over) return inner->draft(request);
        if (!taps().empty()) {
            (void)inner->draft(request);
            said.own_draws = true; // coins were thrown for nobody
        }
        return said;
    }
};

// A planted mistake: who is not asked does not keep what it observed.
struct Forgets : Drafter {
    std::unique_ptr<Drafter> inner;
    explicit Forgets(std::unique_ptr<Drafter> who) : inner(std::move(who)) {}
    std::vector<int> taps() const override { return inner->taps(); }
    void begin(std::span<const int> sequence) override { inner->begin(sequence); }
    void observe(const Observation& observation) override { inner->observe(observation); }
    Draft draft(const DraftRequest& request) override { return inner->draft(request); }
};

// Tokens and distributions of the rounds from the 51st on, as a hash; empty: it drafted nothing there.
std::string drafts_behind_the_script(const Models& models, const DrafterInfo& info, Drafter& drafter, Decoder& target, double temperature) {
    Trace trace([](int) { return std::string(); });
    Header header;
    header.drafter = "none";
    trace.append(header);
    CycleSettings settings;
    settings.k = 4;
    settings.nodes = info.tree ? 8 : 0;
    settings.max_tokens = 190;
    settings.sampling.temperature = settings.draft_sampling.temperature = temperature;
    settings.seed = 5;
    settings.trace_top = -1;
    const std::vector<int> prompt = test::greedy("none", 0).prompt.token_ids;
    const RuleInfo& rule = rule_at(*find_rule(judging_rule("token", info.name)), settings.sampling);
    Cycle cycle(target, drafter, rule, settings, trace, prompt, static_cast<int>(prompt.size()));
    const RunView* view = nullptr;
    RunView folded;
    while (cycle.step()) {
        folded = fold(trace, trace.size());
        view = &folded;
        if (view->rounds >= 55) break;
    }
    (void)models;
    Fnv hash;
    bool drafted = false;
    for (const RoundSummary& round : folded.round_list) {
        if (round.round < 50) continue;
        for (const DraftSlot& slot : round.drafts) {
            drafted = true;
            hash.add(slot.draft->token), hash.add(slot.draft->q);
            for (const TopEntries::Entry& entry : slot.draft->top.entries) hash.add(entry.id), hash.add(entry.logp);
        }
    }
    return drafted ? hash.hex() : "";
}

TEST(Chained, AfterFiftyRoundsOfTheFirstTheSecondDraftsAsIfItHadRunAlone) {
    const auto models = test::micro_models(2);
    const std::vector<int> plain = [&] {
        RunSettings settings = test::greedy("none", 0);
        settings.max_tokens = 220;
        return test::finished(models, settings)->sequence();
    }();
    std::set<std::string> forgot; // who is found where it does not keep what it observed
    for (const DrafterInfo& info : drafter_list()) {
        if (!info.drafts()) continue;
        for (const double temperature : {0.0, 0.8}) {
            const auto play = [&](const auto& made) {
                const auto target = make_model_decoder(models->target, 512);
                auto second = info.make(args_of(info, *target, *models));
                const std::unique_ptr<Drafter> drafter = made(std::make_unique<Scripted>(plain), std::move(second));
                return drafts_behind_the_script(*models, info, *drafter, *target, temperature);
            };
            const std::string alone = play([](auto script, auto second) -> std::unique_ptr<Drafter> {
                return std::make_unique<RanAlone>(std::move(script), std::move(second));
            });
            const std::string behind =
                play([](auto script, auto second) { return make_chained({.first = std::move(script), .second = std::move(second)}); });
            const std::string forgetful = play([](auto script, auto second) {
                return make_chained({.first = std::move(script), .second = std::make_unique<Forgets>(std::move(second))});
            });
            EXPECT_TRUE(alone != "" || info.copies()) << info.name << " T " << temperature;
            EXPECT_EQ(behind, alone) << info.name << " T " << temperature;
            if (forgetful != alone) forgot.insert(info.name);
        }
    }
    for (const char* name : {"eagle3", "eagle3_tree", "mtp", "dflash", "domino", "dspark", "dflash2"})
        EXPECT_TRUE(forgot.contains(name)) << name << ": a second that was not caught up is not found";
}

// Both tap the target: each gets the states of its own layers, bit for bit, as its drafts show.
TEST(Chained, TwoHeadsGetTheirOwnStates) {
    const auto models = test::micro_models(2);
    for (const char* name : {"eagle3+dflash", "dflash+eagle3", "medusa+mtp", "eagle3+medusa"}) {
        const DrafterInfo& info = *find_drafter(name);
        const auto run = test::finished(models, chained(name, 0.8, 60));
        RunSettings alone = chained(info.first->name, 0.8, 60);
        const auto one = test::finished(models, alone);
        EXPECT_EQ(run->sequence(), one->sequence()) << name << ": the first always speaks";
        const RunView view = fold(run->trace(), run->trace().size());
        // Where the first may not speak the second does, as it would alone.
        RunSettings second_only = chained(name, 0.8, 60);
        second_only.k_rounds = "+4*60";
        const auto other = test::finished(models, second_only);
        EXPECT_EQ(other->sequence(), test::finished(models, chained(info.second->name, 0.8, 60))->sequence()) << name;
        EXPECT_GT(view.drafted, 0) << name;
    }
}

// ---- going on behind the first ----

TEST(Chained, TheSecondGoesOnBehindTheFirst) {
    const auto models = test::micro_models(2);
    int both = 0;
    for (const char* name : {"lookup++small", "lookup++eagle3", "lookup++dflash", "lookup++domino", "lookup++mtp", "medusa++small"}) {
        RunSettings settings = chained(name, 0.8, 120);
        settings.k = 7;
        const auto run = test::finished(models, settings);
        const RunView view = fold(run->trace(), run->trace().size());
        int mixed = 0;
        for (const RoundSummary& round : view.round_list) {
            int before = 0;
            for (const DraftSlot& slot : round.drafts) {
                EXPECT_GE(slot.draft->by, before) << name << ": the first comes first";
                before = slot.draft->by;
            }
            mixed += !round.drafts.empty() && round.drafts.front().draft->by == 0 && round.drafts.back().draft->by == 1;
        }
        EXPECT_GT(mixed, 0) << name;
        both += mixed;
    }
    EXPECT_GT(both, 10);
}

// ---- K auto ----

DraftCosts costs_of_two() { return {.pass = {{1, 1}, {17, 1.8}}, .draft = {}, .second = {{1, 0.3}, {16, 4.8}}}; }

RunSettings chained_auto(const std::string& drafter, double temperature) {
    RunSettings settings = chained(drafter, temperature, 160);
    settings.k = 8;
    settings.k_auto = true;
    settings.k_costs = costs_of_two();
    return settings;
}

TEST(Chained, KAutoLearnsByDrafter) {
    const auto models = test::micro_models(2);
    for (const char* name : {"lookup+small", "lookup+eagle3", "suffix+dflash", "lookup+small_tree"})
        for (const double temperature : {0.0, 0.8}) {
            const RunSettings settings = chained_auto(name, temperature);
            const auto run = test::finished(models, settings);
            const RunView view = fold(run->trace(), run->trace().size());
            std::set<int> spoke;
            for (const RoundSummary& round : view.round_list) {
                spoke.insert(round.verify->by);
                const std::optional<LengthReason> why = why_length(view, round.round);
                ASSERT_TRUE(why.has_value()) << name;
                if (round.verify->by >= 0) {
                    EXPECT_EQ(why->drafter, part_of(name, round.verify->by)) << name;
                }
                if (round.verify->by >= 0 && std::string(name) != "suffix+dflash") {
                    EXPECT_NE(why->why, DraftLength::Why::written) << name << " " << round.round;
                }
            }
            EXPECT_TRUE(spoke.contains(0)) << name;
            // Repeated with the lengths that are written, it is the same run; a fork keeps what came before.
            const auto again = test::finished(models, repeated(settings, run->trace()));
            EXPECT_EQ(again->sequence(), run->sequence()) << name;
            const auto sizes = [](const speclens::Run& one) { return written_sizes(one.trace(), std::numeric_limits<int>::max()); };
            EXPECT_EQ(text_of(sizes(*again)), text_of(sizes(*run))) << name;
            speclens::Run fork(models, *run, Fork{.round = 9});
            fork.finish();
            const std::vector<DraftSize> before = sizes(*run), after = sizes(fork);
            ASSERT_GE(after.size(), 9U);
            EXPECT_TRUE(std::equal(before.begin(), before.begin() + 9, after.begin())) << name;
            EXPECT_EQ(fork.trace().header()->k_costs, costs_of_two());
        }
}

// A dear second: it is silent, and the copier goes on; a dear pass: both are.
TEST(Chained, WhoDoesNotPayIsSilent) {
    const auto models = test::micro_models(2);
    const auto spoken = [&](const DraftCosts& costs) {
        RunSettings settings = chained_auto("lookup+eagle3", 0.8);
        settings.k_costs = costs;
        const auto run = test::finished(models, settings);
        const RunView view = fold(run->trace(), run->trace().size());
        std::array<int, 3> rounds{};
        for (const RoundSummary& round : view.round_list) ++rounds[static_cast<std::size_t>(round.verify->by + 1)];
        return rounds; // nobody, first, second
    };
    const auto dear = spoken({.pass = {{1, 1}, {17, 1.1}}, .draft = {}, .second = {{1, 50}, {16, 800}}});
    EXPECT_LE(dear[2], 8) << "three drafts before anything is known, and looks";
    EXPECT_GT(dear[0], dear[2]);
    const auto cheap = spoken({.pass = {{1, 1}, {17, 1.1}}, .draft = {}, .second = {{1, 0.01}, {16, 0.16}}});
    EXPECT_GT(cheap[2], dear[2]);
}

TEST(Chained, CostsAreThoseOfBothDrafters) {
    const auto models = test::micro_models(1);
    RunSettings settings = chained_auto("lookup+small", 0);
    settings.k_costs.reset();
    const auto run = test::finished(models, settings);
    const std::optional<DraftCosts>& costs = run->trace().header()->k_costs;
    ASSERT_TRUE(costs.has_value());
    EXPECT_TRUE(costs->draft.empty()) << "a copy takes no time";
    EXPECT_GE(costs->second.size(), 2U);
    EXPECT_GE(costs->pass.size(), 2U);
    RunSettings alone = chained_auto("small", 0);
    alone.k_costs.reset();
    EXPECT_EQ(test::finished(models, alone)->trace().header()->k_costs->draft, costs->second) << "measured once";
}

TEST(Chained, LengthsOfRoundsSayWhoseTheyAre) {
    EXPECT_EQ(text_of(draft_sizes("16*3,+4*2,0*5,+3:8")), "16*3,+4*2,0*5,+3:8");
    const std::vector<DraftSize> sizes = draft_sizes("2,+3");
    EXPECT_EQ(sizes[0].by, 0);
    EXPECT_EQ(sizes[1].by, 1);
    EXPECT_THROW((void)draft_sizes("++3"), Error);
}

// ---- wider or deeper? ----

TEST(Chained, RefusedRanksSayWho) {
    const auto models = test::micro_models(2);
    RunSettings settings = chained("lookup+eagle3", 0.8, 300);
    settings.trace_top = 8;
    const auto run = test::finished(models, settings);
    const RunView view = fold(run->trace(), run->trace().size());
    const RefusedRanks ranks = refused_ranks(view);
    ASSERT_EQ(ranks.by.size(), 2U);
    EXPECT_EQ(ranks.by[0].drafter, "lookup");
    EXPECT_EQ(ranks.by[1].drafter, "eagle3");
    EXPECT_EQ(ranks.by[0].rounds + ranks.by[1].rounds, ranks.rounds);
    EXPECT_EQ(ranks.by[0].drafted + ranks.by[1].drafted, view.drafted);
    EXPECT_EQ(ranks.by[0].kept + ranks.by[1].kept, view.accepted_drafts);
    EXPECT_EQ(ranks.by[0].refused() + ranks.by[1].refused(), ranks.refused());
    EXPECT_EQ(ranks.by[0].listed(), 0) << "a copy has no list";
    EXPECT_EQ(ranks.by[1].listed(), ranks.by[1].refused());
    ASSERT_GE(ranks.by[1].rounds, WiderOrDeeper::kFewestRounds);
    EXPECT_NE(wider_or_deeper(ranks.by[1]).kind, WiderOrDeeper::Kind::not_told);
    RefusedRanks sum = ranks;
    sum += ranks;
    EXPECT_EQ(sum.by[1].kept, 2 * ranks.by[1].kept);
    const OrderedJson json = ranks_json(ranks);
    EXPECT_EQ(json["by"][1]["drafter"], "eagle3");
    const auto alone = test::finished(models, chained("small", 0.8));
    EXPECT_TRUE(refused_ranks(fold(alone->trace(), alone->trace().size())).by.empty());
}

} // namespace
} // namespace speclens
