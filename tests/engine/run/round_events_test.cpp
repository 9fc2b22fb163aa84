// What the events of a round say of its distributions and of the verdict.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/drafters/drafter_info.h"
#include "engine/rules/typical.h"
#include "engine/run/run.h"
#include "tests/shared/micro.h"
#include "tests/shared/tables.h"

namespace speclens {
namespace {

// One distribution everywhere, for the target and for the draft.
std::shared_ptr<const Models> two_distributions(const Distribution& target, const Distribution& draft) {
    const auto table_of = [](const Distribution& distribution) {
        auto table = std::make_shared<TableModel>();
        table->vocab = static_cast<int>(distribution.size());
        table->rows.emplace_back("", distribution);
        return table;
    };
    return test::table_models(table_of(target), table_of(draft));
}

RunSettings drafted_by_the_table(const std::string& rule) {
    RunSettings settings;
    settings.drafter = "small";
    settings.rule = rule;
    settings.k = 2;
    settings.sampling.temperature = 1;
    settings.max_tokens = 40;
    return settings;
}

std::vector<Checked> checks_of(const std::shared_ptr<const Models>& models, const RunSettings& settings) {
    const auto run = test::finished(models, settings);
    std::vector<Checked> checks;
    for (std::size_t i = 0; i < run->trace().size(); ++i)
        if (const auto* check = std::get_if<Checked>(&run->trace()[i])) checks.push_back(*check);
    EXPECT_GT(checks.size(), 10u);
    return checks;
}

// 61 ids; at temperature 0.7 the distributions that are sampled are not the models' own.
TEST(RoundEvents, HaveAsManyEntriesOfEveryDistributionAsAreAskedFor) {
    const auto models = test::micro_models(1);
    for (const int asked : {0, 1, 3, -1}) {
        RunSettings settings = drafted_by_the_table("token");
        settings.prompt.token_ids = {5, 6, 7};
        settings.sampling.temperature = 0.7;
        settings.trace_top = asked;
        const auto run = test::finished(models, settings);
        const std::size_t wanted = asked < 0 ? 61 : static_cast<std::size_t>(asked);
        int residuals = 0;
        for (std::size_t i = 0; i < run->trace().size(); ++i) {
            std::vector<TopEntries> distributions;
            if (const auto* draft = std::get_if<Drafted>(&run->trace()[i])) distributions = {draft->top, draft->raw_top};
            if (const auto* check = std::get_if<Checked>(&run->trace()[i])) distributions = {check->top, check->raw_top};
            if (const auto* own = std::get_if<TargetToken>(&run->trace()[i])) {
                distributions = {own->raw_top};
                if (own->from == TargetToken::From::residual) {
                    distributions.push_back(own->target_top); // `top` has those ids only that the draft did not over-claim
                    EXPECT_EQ(own->top.empty(), asked == 0);
                    ++residuals;
                } else {
                    distributions.push_back(own->top);
                }
            }
            for (const TopEntries& distribution : distributions) EXPECT_EQ(distribution.entries.size(), wanted) << asked << ", event " << i;
        }
        EXPECT_GT(residuals, 0);
    }
}

TEST(RoundEvents, SayWhatTypicalAcceptanceAsksFor) {
    const Distribution target{0.7, 0.2, 0.1};
    RunSettings settings = drafted_by_the_table("typical");
    settings.rule_params.epsilon = 0.5;
    settings.rule_params.delta = 0.4;
    for (const Checked& check : checks_of(two_distributions(target, {0.3, 0.3, 0.4}), settings)) {
        ASSERT_TRUE(check.typical_threshold);
        EXPECT_NEAR(*check.typical_threshold, typical_limit(target, settings.rule_params), 1e-12);
        EXPECT_EQ(check.accepted, target[static_cast<std::size_t>(check.token)] > *check.typical_threshold);
        EXPECT_FALSE(check.u);
    }
}

// q = (.6, .4) and p = (.1, .9) at temperature 1; what is sampled at temperature 0.5 is (.69, .31) and (.01,
// .99). The difference of the models' own favourites, .3, decides.
TEST(RoundEvents, CascadesAreDecidedByTheModelsOwnDistributions) {
    const Distribution target{0.1, 0.9}, draft{0.6, 0.4};
    RunSettings settings = drafted_by_the_table("cascade_diff");
    settings.sampling.temperature = 0.5;
    for (const bool kept : {false, true}) {
        settings.rule_params.alpha = kept ? 0.31 : 0.29;
        const Distribution mixture = apply_sampling(kept ? draft : target, settings.sampling);
        for (const Checked& check : checks_of(two_distributions(target, draft), settings)) {
            ASSERT_TRUE(check.mixture);
            EXPECT_NEAR(std::exp(*check.mixture), mixture[static_cast<std::size_t>(check.token)], 1e-9) << kept;
        }
    }
}

TEST(RoundEvents, SayTheCoefficientOfBlockVerification) {
    double joint = 1;
    for (const Checked& check : checks_of(two_distributions({0.5, 0.3, 0.2}, {0.3, 0.3, 0.4}), drafted_by_the_table("block"))) {
        ASSERT_TRUE(check.prefix_coefficient);
        joint = std::min(1.0, (check.index == 0 ? 1 : joint) * std::exp(check.p - check.q));
        EXPECT_NEAR(std::exp(*check.prefix_coefficient), joint, 1e-9) << check.round << " " << check.index;
    }
}

// The distribution that all of whose entries were recorded.
Distribution distribution_of(const TopEntries& top, int vocab) {
    Distribution distribution(static_cast<std::size_t>(vocab), 0.0);
    for (const TopEntries::Entry& entry : top.entries) distribution[static_cast<std::size_t>(entry.id)] = std::exp(entry.logp);
    return distribution;
}

// What is recorded is how it came about: whoever draws from the distribution with the coin gets the token. Without a
// coin the token was certain.
TEST(RoundEvents, ATokenIsWhatItsDistributionAndItsCoinGive) {
    const auto models = test::micro_models(1);
    for (const DrafterInfo& drafter : drafter_list()) {
        if (drafter.name == std::string("none")) continue;
        RunSettings settings = drafted_by_the_table("token");
        settings.drafter = drafter.name;
        settings.rule = judging_rule(settings.rule, settings.drafter);
        settings.prompt.token_ids = {5, 6, 7, 5, 6, 7, 5, 6};
        settings.k = 3;
        settings.sampling.temperature = 0.8;
        settings.trace_top = -1;
        if (drafter.reads_setting(Setting::sam_match)) settings.options.sam_match = 1; // a short text repeats little
        if (drafter.reads_setting(Setting::mod_ngram)) settings.options.mod_ngram = settings.options.mod_least = 1;
        const auto run = test::finished(models, settings);
        int drafts = 0;
        for (std::size_t i = 0; i < run->trace().size(); ++i) {
            const std::string where = drafter.name + std::string(", event ") + std::to_string(i);
            if (const auto* own = std::get_if<TargetToken>(&run->trace()[i])) {
                ASSERT_TRUE(own->u) << where;
                EXPECT_EQ(sample(distribution_of(own->top, 61), *own->u), own->token) << where;
            }
            const auto* draft = std::get_if<Drafted>(&run->trace()[i]);
            if (!draft) continue;
            ++drafts;
            const Distribution distribution = distribution_of(draft->top, 61);
            EXPECT_NEAR(distribution[static_cast<std::size_t>(draft->token)], std::exp(draft->q), 1e-9) << where;
            if (draft->u)
                EXPECT_EQ(sample(distribution, *draft->u), draft->token) << where;
            else
                EXPECT_EQ(draft->q, 0) << where;
        }
        EXPECT_GT(drafts, 3) << drafter.name;
    }
}

// Without its conditioning a block sees its anchor and where it stands, and nothing of the text before.
TEST(RoundEvents, ABlockWithoutConditioningKnowsItsAnchorOnly) {
    const auto models = test::micro_models(1);
    for (const char* drafter : {"dflash", "domino", "dspark"})
        for (const bool conditioning : {true, false}) {
            const auto first_drafts = [&](std::vector<int> prompt) {
                RunSettings settings = drafted_by_the_table("token");
                settings.drafter = drafter;
                settings.options.conditioning = conditioning;
                settings.prompt.token_ids = std::move(prompt);
                settings.max_tokens = 4;
                const auto run = test::finished(models, settings);
                std::vector<TopEntries> distributions;
                for (std::size_t i = 0; i < run->trace().size(); ++i)
                    if (const auto* draft = std::get_if<Drafted>(&run->trace()[i]); draft && draft->round == 0)
                        distributions.push_back(draft->top);
                EXPECT_EQ(distributions.size(), 2u) << drafter;
                return distributions;
            };
            const bool same = first_drafts({5, 6, 7, 9}) == first_drafts({21, 33, 14, 9});
            EXPECT_NE(same, conditioning) << drafter;
        }
}

// A chat is recorded only where the prompt was one.
TEST(RoundEvents, TheHeaderHasAChatOnlyWhereThePromptWasOne) {
    RunSettings settings = drafted_by_the_table("token");
    EXPECT_FALSE(test::finished(two_distributions({0.5, 0.5}, {0.5, 0.5}), settings)->trace().header()->chat);
    settings.prompt.token_ids = {5, 6, 7};
    settings.prompt.chat = true;
    EXPECT_FALSE(test::finished(test::micro_models(1), settings)->trace().header()->chat) << "ids are no words";
}

} // namespace
} // namespace speclens
