// A draft model with more or fewer ids than the target: padding of the heads differs in public families.
#include <algorithm>
#include <cmath>

#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"
#include "engine/text/tokenizer.h"
#include "tests/shared/micro.h"
#include "tests/shared/model_support.h"

namespace speclens::test {
namespace {

std::shared_ptr<Models> with_draft(int vocab) {
    auto models = std::make_shared<Models>(*micro_models(1));
    ModelConfig config = micro_config(2, 32);
    config.vocab = vocab;
    models->draft = Model::random(*models->backend, config, "draft", 6);
    return models;
}

RunSettings settings_for(const std::string& drafter, double temperature) {
    RunSettings settings;
    settings.drafter = drafter;
    settings.rule = judging_rule(settings.rule, drafter);
    settings.prompt.token_ids = {5, 6, 7, 8, 9};
    settings.k = 3;
    settings.sampling.temperature = temperature;
    settings.max_tokens = 40;
    settings.timing = false;
    return settings;
}

int drafts_in(const Trace& trace) {
    int drafts = 0;
    for (std::size_t i = 0; i < trace.size(); ++i) drafts += std::holds_alternative<Drafted>(trace[i]);
    return drafts;
}

// The distributions of a wider draft are those of its ids that the target has, scaled to 1.
TEST(DraftVocabulary, AWiderDraftGuessesWhatTheTargetCanSay) {
    const auto models = with_draft(90);
    for (const Sampling& sampling : {Sampling{.temperature = 1}, Sampling{.temperature = 0.7, .top_k = 5},
                                     Sampling{.temperature = 2, .top_p = 0.5}, Sampling{.temperature = 0.001}}) {
        const auto target = make_model_decoder(models->target, 64), draft = make_model_decoder(models->draft, 64);
        const std::vector<int> text = {5, 6, 7, 8};
        draft->prefill(std::span(text).first(3));
        const Distribution wide = draft->forward({.tokens = std::span(text).last(1), .logits_from = 0}).distribution(0, kRawSampling);
        const Distribution want = apply_sampling(std::span(wide).first(61), sampling);

        const auto small = find_drafter("small")->make({*target, make_model_decoder(models->draft, 64), nullptr, {}});
        small->begin(text);
        const Draft drafted =
            small->draft({.sequence = text, .k = 1, .nodes = 0, .sampling = sampling, .coin = [](int) { return 0.999; }, .entries = -1});
        ASSERT_EQ(drafted.nodes.size(), 1u);
        const Distribution& got = drafted.nodes[0].distribution;
        ASSERT_EQ(got.size(), 61u);
        double sum = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
            EXPECT_NEAR(got[i], want[i], 1e-5) << i;
            sum += got[i];
        }
        EXPECT_NEAR(sum, 1, 1e-12);
        EXPECT_GT(drafted.nodes[0].q(), 0);
        for (const TopEntries::Entry& entry : drafted.nodes[0].heads.distribution.entries) EXPECT_LT(entry.id, 61);
    }
}

TEST(DraftVocabulary, AtTemperatureZeroTheTextIsThatOfPlainDecoding) {
    for (const int vocab : {40, 90, 400}) {
        const auto models = with_draft(vocab);
        const auto plain = finished(models, settings_for("none", 0));
        for (const char* drafter : {"small", "small_tree"}) {
            SCOPED_TRACE(drafter + std::to_string(vocab));
            const auto run = finished(models, settings_for(drafter, 0));
            EXPECT_EQ(run->sequence(), plain->sequence());
            EXPECT_GT(drafts_in(run->trace()), 3);
        }
    }
}

// One tokenizer of 509 ids under output matrices that are padded to different widths, as 151 936 and 152 064
// rows for the same tokens of Qwen.
TEST(DraftVocabulary, PaddingOfEitherModelIsNeverDrawnAndTheRulesStayExact) {
    const auto tokenizer = Tokenizer::load(golden("micro_qwen3") / "tokenizer.json");
    ASSERT_EQ(tokenizer->size(), 509);
    for (const auto& [target, draft] : {std::pair{512, 540}, std::pair{540, 512}, std::pair{540, 540}}) {
        auto models = std::make_shared<Models>();
        models->backend = test_backend(1);
        const auto padded = [&](int layers, int hidden, int vocab, std::uint64_t seed) {
            ModelConfig config = micro_config(layers, hidden);
            config.vocab = vocab;
            const auto model = std::const_pointer_cast<Model>(Model::random(*models->backend, config, "padded", seed));
            model->tokenizer = tokenizer;
            return model;
        };
        models->target = padded(3, 48, target, 5);
        models->draft = padded(2, 32, draft, 6);
        models->tokenizer = tokenizer;
        const auto network =
            DraftNetwork::random(models->target, micro_head(DraftConfig::Method::medusa, models->target->config), "medusa", 7);
        models->networks.emplace("medusa", network);
        for (const double temperature : {0.0, 1.0}) {
            RunSettings settings = settings_for("none", temperature);
            settings.max_tokens = 150;
            settings.trace_top = 8;
            const auto plain = finished(models, settings);
            for (const char* drafter : {"small", "small_tree", "medusa", "skip"}) {
                SCOPED_TRACE(std::to_string(target) + " and " + std::to_string(draft) + ", " + drafter + " at T " +
                             std::to_string(temperature));
                settings.drafter = drafter;
                // the rule that writes the text of plain decoding, token for token, at any temperature
                settings.rule = drafter == std::string("small_tree") ? judging_rule("token", drafter) : "match";
                const auto run = finished(models, settings);
                if (settings.rule == "match" || temperature == 0) {
                    EXPECT_EQ(run->sequence(), plain->sequence());
                }
                for (const int id : run->sequence()) EXPECT_LT(id, 509);
                for (std::size_t i = 0; i < run->trace().size(); ++i) {
                    const auto* drafted = std::get_if<Drafted>(&run->trace()[i]);
                    EXPECT_TRUE(drafted == nullptr || drafted->token < 509);
                }
            }
            for (const int id : plain->sequence()) EXPECT_LT(id, 509);
        }
    }
}

// A narrower one cannot read on behind an id that it does not have, and guesses nothing.
TEST(DraftVocabulary, ANarrowerDraftStopsAtAnIdItDoesNotHave) {
    const auto models = with_draft(40);
    for (const char* drafter : {"small", "small_tree"})
        for (const double temperature : {0.0, 1.0})
            for (const std::size_t at : {0, 2, 4}) {
                SCOPED_TRACE(std::string(drafter) + " T " + std::to_string(temperature) + " at " + std::to_string(at));
                RunSettings settings = settings_for(drafter, temperature);
                settings.prompt.token_ids[at] = 55;
                const auto run = finished(models, settings);
                EXPECT_EQ(drafts_in(run->trace()), 0);
                EXPECT_EQ(run->sequence().size(), 45u);
            }
}

// Nor does it guess on behind one that is put there; behind its last id it does.
TEST(DraftVocabulary, ANarrowerDraftStopsBehindAForcedIdItDoesNotHave) {
    const auto models = with_draft(40);
    const std::vector<int> text = {5, 6, 7, 8};
    for (const char* name : {"small", "small_tree"})
        for (const int id : {39, 40, 60}) {
            SCOPED_TRACE(std::string(name) + " behind " + std::to_string(id));
            const auto target = make_model_decoder(models->target, 64);
            const auto drafter = find_drafter(name)->make({*target, make_model_decoder(models->draft, 64), nullptr, {}});
            drafter->begin(text);
            const std::vector<std::pair<int, int>> force = {{0, id}};
            const Draft draft = drafter->draft({.sequence = text,
                                                .k = 3,
                                                .nodes = 12,
                                                .siblings = name == std::string("small") ? Siblings::none : Siblings::best,
                                                .sampling = {.temperature = 0},
                                                .coin = [](int) { return 0.5; },
                                                .force = force});
            ASSERT_FALSE(draft.nodes.empty());
            EXPECT_EQ(draft.nodes[0].token, id);
            const auto behind = std::ranges::count(draft.nodes, 0, &DraftNode::parent);
            EXPECT_EQ(behind > 0, id == 39);
        }
}

} // namespace
} // namespace speclens::test
