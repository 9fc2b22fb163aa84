// Runs, their forks, and the distributions that are replayed of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter_info.h"
#include "engine/run/full_distributions.h"
#include "engine/run/run.h"
#include "engine/run/run_view.h"
#include "engine/run/session_commands.h"
#include "kernels/backend.h"
#include "kernels/error.h"
#include "tests/shared/micro.h"
#include "tests/shared/tables.h"

namespace speclens {
namespace {

RunSettings sampled() {
    RunSettings settings;
    settings.prompt.token_ids = {5, 6, 7};
    settings.k = 3;
    settings.sampling.temperature = 1;
    settings.max_tokens = 30;
    return settings;
}

std::string refusal(const std::shared_ptr<const Models>& models, const RunSettings& settings) {
    try {
        speclens::Run run(models, settings);
    } catch (const Error& error) {
        EXPECT_FALSE(error.remedy().empty());
        EXPECT_EQ(error.code(), Exit::usage);
        return error.what();
    }
    return "accepted";
}

// Weights lie in memory of the backend, which one thread may use at a time; traces end in any thread.
TEST(Run, LeavesATraceThatKeepsNoWeights) {
    auto models = std::make_shared<Models>(*test::micro_models(1));
    const std::weak_ptr<const Models> watched = models;
    std::shared_ptr<const Trace> trace;
    {
        speclens::Run run(models, sampled());
        run.finish();
        trace = run.shared_trace();
    }
    models.reset();
    EXPECT_TRUE(watched.expired());
    EXPECT_EQ(trace->text(5), "<5>");
}

TEST(Run, RefusesBadSettingsByName) {
    const auto models = test::micro_models(1);
    const auto with = [](auto change) {
        RunSettings settings = sampled();
        change(settings);
        return settings;
    };
    EXPECT_NE(refusal(models, with([](auto& s) { s.drafter = "smal"; })).find("smal"), std::string::npos);
    EXPECT_NE(refusal(models, with([](auto& s) { s.rule = "tokn"; })).find("tokn"), std::string::npos);
    EXPECT_NE(refusal(models, with([](auto& s) { s.rule = "greedy"; })).find("temperature 0"), std::string::npos);
    EXPECT_NE(refusal(models, with([](auto& s) { s.k = -1; })).find("-1"), std::string::npos);
    EXPECT_NE(refusal(models, with([](auto& s) { s.k = 1000; })).find("1000"), std::string::npos);
    EXPECT_NE(refusal(models, with([](auto& s) { s.max_tokens = 0; })).find("max-tokens"), std::string::npos);
    EXPECT_NE(refusal(models, with([](auto& s) { s.prompt.token_ids = {5, 61}; })).find("61"), std::string::npos);
    EXPECT_NE(refusal(models, with([](auto& s) { s.prompt.token_ids = std::vector<int>(600, 1); })).find("600"), std::string::npos);
    EXPECT_NE(refusal(models, with([](auto& s) { s.sampling.top_p = 0; })).find("top-p"), std::string::npos);
    EXPECT_NE(refusal(models, with([](auto& s) { s.options.exit_layer = 2; })).find("--exit-layer"), std::string::npos);
    EXPECT_NE(refusal(models, with([](auto& s) {
                          s.drafter = "skip";
                          s.options.exit_layer = 7;
                      }))
                  .find("7"),
              std::string::npos);
    EXPECT_NE(refusal(models, with([](auto& s) {
                          s.drafter = "lookup";
                          s.options.ngram_min = 0;
                      }))
                  .find("--ngram"),
              std::string::npos);
    EXPECT_NE(refusal(models, with([](auto& s) { s.prompt.token_ids.clear(); })).find("tokenizer"), std::string::npos);
}

TEST(Run, SaysWhySpeculationIsOff) {
    auto models = std::make_shared<Models>();
    models->backend = make_cpu_backend({.threads = 1});
    models->target = Model::random(*models->backend, test::micro_config(2, 32), "alone", 1);
    speclens::Run no_model(models, sampled());
    EXPECT_NE(no_model.trace().header()->notice.find("no draft model"), std::string::npos);
    no_model.finish();
    EXPECT_EQ(no_model.sequence().size(), 33u) << "it still decodes plainly";

    RunSettings none = sampled();
    none.k = 0;
    EXPECT_NE(speclens::Run(test::micro_models(1), none).trace().header()->notice.find("K = 0"), std::string::npos);

    models->draft = Model::random(*models->backend, test::micro_config(1, 32), "other", 2);
    models->vocabulary_problem = "token 3 differs";
    EXPECT_NE(speclens::Run(models, sampled()).trace().header()->notice.find("token 3 differs"), std::string::npos);

    const auto tables = test::table_models(test::random_table(3, 1, 1), test::random_table(3, 1, 2));
    RunSettings skip = sampled();
    skip.prompt.token_ids.clear();
    skip.drafter = "skip";
    EXPECT_NE(speclens::Run(tables, skip).trace().header()->notice.find("no layers"), std::string::npos);
}

TEST(Run, GoesOnWhereAHeadKnowsNoFurtherPosition) {
    using Method = DraftConfig::Method;
    const auto whole = test::micro_models(1);
    auto models = std::make_shared<Models>(*whole);
    for (const Method method : {Method::eagle3, Method::dflash, Method::domino, Method::dspark, Method::dart}) {
        DraftConfig head = test::micro_head(method, whole->target->config);
        head.layer.max_positions = 16;
        models->networks[name_of(method)] = DraftNetwork::random(models->target, head, name_of(method), 7);
    }
    for (const char* drafter : {"eagle3", "dflash", "domino", "dspark", "dart"})
        for (const int prompt : {3, 15, 16, 40}) {
            RunSettings settings = sampled();
            settings.prompt.token_ids.assign(static_cast<std::size_t>(prompt), 9);
            settings.sampling.temperature = 0;
            settings.drafter = "none";
            const auto plain = test::finished(models, settings);
            settings.drafter = drafter;
            EXPECT_EQ(test::finished(models, settings)->sequence(), plain->sequence()) << drafter << " " << prompt;
        }
}

// However often a run was branched before its prompt was read.
TEST(Fork, RecordsThePromptOnce) {
    const auto models = test::micro_models(1);
    auto run = std::make_unique<speclens::Run>(models, sampled());
    const auto branch = [&] { run = std::make_unique<speclens::Run>(models, *run, speclens::Fork{}); };
    for (int i = 0; i < 4; ++i) branch();
    for (int i = 0; i < 2; ++i) {
        run->finish();
        const Trace& trace = run->trace();
        int read = 0;
        for (std::size_t at = 0; at < trace.size(); ++at) read += std::holds_alternative<Prefill>(trace[at]) ? 1 : 0;
        EXPECT_EQ(read, 1);
        branch();
    }
}

TEST(Fork, WithoutAChangeReplaysTheSameRun) {
    const auto models = test::micro_models(1);
    for (const DrafterInfo& drafter : drafter_list()) {
        RunSettings settings = sampled();
        settings.drafter = drafter.name;
        settings.rule = judging_rule(settings.rule, settings.drafter);
        speclens::Run base(models, settings);
        base.finish();
        for (int round : {0, 1, 3}) {
            speclens::Run branch(models, settings, base.trace(), Fork{.round = round});
            branch.finish();
            EXPECT_EQ(branch.sequence(), base.sequence()) << drafter.name << " cycle " << round;
        }
    }
}

TEST(Fork, GoesOnWhereTheDraftModelsContextHasEnded) {
    auto models = std::make_shared<Models>();
    models->backend = make_cpu_backend({.threads = 1});
    models->target = Model::random(*models->backend, test::micro_config(2, 48, 128), "target", 1);
    models->draft = Model::random(*models->backend, test::micro_config(1, 32, 16), "draft", 2);
    for (const char* drafter : {"small", "small_tree"}) {
        RunSettings settings = sampled();
        settings.drafter = drafter;
        settings.rule = judging_rule(settings.rule, drafter);
        speclens::Run base(models, settings);
        base.finish();
        ASSERT_GT(base.sequence().size(), 30u);
        const int last = fold(base.trace(), base.trace().size()).rounds - 1;
        speclens::Run branch(models, settings, base.trace(), Fork{.round = last});
        branch.finish();
        EXPECT_EQ(branch.sequence(), base.sequence()) << drafter;
    }
}

TEST(Fork, HasRoomForWhatIsWrittenAlready) {
    const auto models = test::micro_models(1);
    speclens::Run base(models, sampled());
    base.finish();
    const RunView whole = fold(base.trace(), base.trace().size());
    RunSettings shorter = sampled();
    shorter.max_tokens = 4;
    const int last = whole.rounds - 1;
    speclens::Run branch(models, sampled(), base.trace(), Fork{.round = last, .settings = shorter});
    branch.finish();
    const std::size_t kept = base.sequence().size() - whole.round_list.back().commit->tokens.size();
    ASSERT_GE(branch.sequence().size(), kept);
    EXPECT_TRUE(
        std::equal(base.sequence().begin(), base.sequence().begin() + static_cast<std::ptrdiff_t>(kept), branch.sequence().begin()));
}

TEST(Fork, ChangesOnlyWhatFollows) {
    const auto models = test::micro_models(1);
    speclens::Run base(models, sampled());
    base.finish();
    const RunView view = fold(base.trace(), base.trace().size());
    ASSERT_GE(view.round_list.size(), 4u);
    std::size_t kept = 3; // prompt
    for (int c = 0; c < 2; ++c) kept += view.round_list[c].commit->tokens.size();

    Fork force{.round = 2, .force_draft = std::pair{0, 42}};
    speclens::Run forced(models, sampled(), base.trace(), force);
    forced.finish();
    EXPECT_TRUE(std::equal(base.sequence().begin(), base.sequence().begin() + kept, forced.sequence().begin()));
    const RunView branch = fold(forced.trace(), forced.trace().size());
    EXPECT_EQ(branch.round_list[2].drafts[0].draft->token, 42);
    EXPECT_EQ(branch.round_list[2].drafts[0].draft->extra, "forced");

    speclens::Run coin(models, sampled(), base.trace(), Fork{.round = 2, .force_coin = std::pair{0, 0.0}});
    coin.finish();
    EXPECT_TRUE(fold(coin.trace(), coin.trace().size()).round_list[2].drafts[0].check->accepted) << "u = 0 always accepts";
    for (const RoundSummary& round : fold(coin.trace(), coin.trace().size()).round_list)
        for (std::size_t i = 0; i < round.drafts.size(); ++i)
            if (round.drafts[i].check) {
                EXPECT_EQ(round.drafts[i].check->set, round.round == 2 && i == 0) << "the others were thrown";
            }

    RunSettings rerolled = sampled();
    rerolled.fork = 1;
    speclens::Run reroll(models, sampled(), base.trace(), Fork{.round = 2, .settings = rerolled});
    reroll.finish();
    EXPECT_TRUE(std::equal(base.sequence().begin(), base.sequence().begin() + kept, reroll.sequence().begin()));
    EXPECT_NE(reroll.sequence(), base.sequence());
    try {
        speclens::Run(models, sampled(), base.trace(), Fork{.round = 999});
        ADD_FAILURE() << "a fork from a round that is not there must be refused";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("round 1000 is not"), std::string::npos) << error.what() << "\nas a screen counts";
    }
}

TEST(FullDistributions, AreTheDistributionsTheRunUsed) {
    const auto models = test::micro_models(1);
    for (const DrafterInfo& drafter : drafter_list())
        for (double temperature : {0.0, 0.7}) {
            RunSettings settings = sampled();
            settings.drafter = drafter.name;
            settings.rule = judging_rule(settings.rule, settings.drafter);
            settings.sampling.temperature = temperature;
            speclens::Run run(models, settings);
            run.finish();
            for (std::size_t i = 0; i < run.trace().size(); ++i) {
                const auto* check = std::get_if<Checked>(&run.trace()[i]);
                if (!check) continue;
                const DistributionPair distributions = full_distributions(models, settings, run.trace(), check->round, check->index);
                const auto x = static_cast<std::size_t>(check->token);
                EXPECT_NEAR(distributions.target[x], std::exp(check->p), 1e-9) << drafter.name;
                EXPECT_NEAR(distributions.draft[x], std::exp(check->q), 1e-9) << drafter.name;
                double sum = 0;
                for (double value : distributions.target_raw) sum += value;
                EXPECT_NEAR(sum, 1, 1e-9);
            }
        }
}

// Judged anew from there by either rule, the run keeps what the places say, and the target writes what they say it draws.
TEST(FullDistributions, SayWhatTokenAndMatchRuleMakeOfARound) {
    const auto models = test::micro_models(1);
    int apart = 0;
    for (const char* drafter : {"small", "eagle3", "lookup"})
        for (const auto& [rule, temperature] : {std::pair{"token", 1.0}, {"block", 0.7}, {"match", 1.0}, {"token", 0.0}}) {
            RunSettings settings = sampled();
            settings.drafter = drafter;
            settings.rule = rule;
            settings.sampling.temperature = temperature;
            speclens::Run run(models, settings);
            run.finish();
            const RunView whole = fold(run.trace(), run.trace().size());
            for (const RoundSummary& round : whole.round_list) {
                if (round.drafts.empty() || round.round % 3 != 0) continue;
                const std::vector<PlaceByRules> places = full_distributions(models, settings, run.trace(), round.round, 0).places;
                ASSERT_EQ(places.size(), round.drafts.size());
                int kept[2]{};
                for (const bool match : {false, true}) {
                    RunSettings judged = settings;
                    judged.rule = match ? "match" : "token";
                    speclens::Run again(models, settings, run.trace(), Fork{.round = round.round, .settings = judged});
                    again.finish();
                    const RunView view = fold(again.trace(), again.trace().size());
                    const RoundSummary& same = view.round_list.at(static_cast<std::size_t>(round.round));
                    const auto gone = std::ranges::find(places, false, match ? &PlaceByRules::by_match : &PlaceByRules::by_token);
                    int& stay = kept[match];
                    for (const DraftSlot& slot : same.drafts) stay += slot.check && slot.check->accepted;
                    EXPECT_EQ(gone - places.begin(), stay) << drafter << ", " << rule << ", " << judged.rule;
                    if (match && gone != places.end()) {
                        EXPECT_EQ(same.resample->token, gone->own);
                    }
                }
                apart += kept[0] != kept[1];
                for (std::size_t i = 0; i < places.size(); ++i) {
                    const DistributionPair place = full_distributions(models, settings, run.trace(), round.round, static_cast<int>(i));
                    double least = 0, both = 0;
                    for (std::size_t id = 0; id < place.target.size(); ++id) {
                        least += std::min(place.target[id], place.draft[id]);
                        both += place.target[id] * place.draft[id];
                    }
                    EXPECT_EQ(places[i].guess, round.drafts[i].draft->token);
                    EXPECT_NEAR(places[i].kept, least, 1e-12);
                    EXPECT_NEAR(places[i].matched, both, 1e-12);
                    EXPECT_LE(places[i].matched, places[i].kept + 1e-12) << "the match rule never keeps more";
                }
            }
        }
    EXPECT_GT(apart, 3) << "or nothing was tried";
}

// The heads that are selected on the device are the heads of the whole distributions.
TEST(RecordedRow, AreTheHeadsOfTheWholeDistributions) {
    const auto expect_head = [](const TopEntries& head, const TopEntries& whole) {
        ASSERT_EQ(head.entries.size(), whole.entries.size());
        for (std::size_t i = 0; i < whole.entries.size(); ++i) {
            EXPECT_EQ(head.entries[i].id, whole.entries[i].id);
            EXPECT_NEAR(head.entries[i].logp, whole.entries[i].logp, 1e-5);
        }
        EXPECT_NEAR(head.rest, whole.rest, 1e-5);
    };
    const auto models = test::micro_models(1);
    auto decoder = make_model_decoder(models->target, 16);
    const std::vector<int> tokens{1, 2, 3};
    PassRows& rows = decoder->forward({.tokens = tokens});
    for (const Sampling& sampling : {Sampling{.temperature = 0.5}, Sampling{.temperature = 3}, Sampling{.temperature = 0.8, .top_k = 4},
                                     Sampling{.temperature = 1, .top_p = 0.5}})
        for (int row = 0; row < 3; ++row)
            for (const int entries : {7, 1, 1000, -1}) {
                const RecordedRow heads = rows.heads(row, sampling, entries);
                expect_head(heads.distribution, top_of(rows.distribution(row, sampling), entries));
                expect_head(heads.raw, top_of(rows.distribution(row, kRawSampling), entries));
            }
    for (int row = 0; row < 3; ++row) {
        EXPECT_TRUE(rows.heads(row, kRawSampling, 7).raw.empty()) << "the distribution is the raw one";
        EXPECT_TRUE(rows.heads(row, {.temperature = 2}, 0).distribution.empty()) << "nothing was asked for";
        const RecordedRow greedy = rows.heads(row, {.temperature = 0}, 7);
        expect_head(greedy.distribution, TopEntries{{{rows.argmax()[static_cast<std::size_t>(row)], 0.0}}, 0});
        expect_head(greedy.raw, top_of(rows.distribution(row, kRawSampling), 7));
    }
}

} // namespace
} // namespace speclens
