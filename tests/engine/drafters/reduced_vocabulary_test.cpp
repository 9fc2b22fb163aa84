// Block heads that rank some of the target's ids only, with an output matrix of their own or with the target's rows, and
// heads whose mask is a row of their own: what loads, what is drafted, and what is said of broken folders.
#include <algorithm>
#include <set>

#include "engine/drafters/block.h"
#include "engine/drafters/draft_network.h"
#include "engine/run/run.h"
#include "tests/shared/checkpoint_writer.h"
#include "tests/shared/micro.h"
#include "tests/shared/model_support.h"

namespace speclens::test {
namespace {

using Method = DraftConfig::Method;
using Layout = std::vector<StoredShape>;

constexpr int kWidth = 48, kInner = 96, kAllIds = 61, kIds = 20; // of which the checkpoint writer names 0, 3, 6, …
const std::vector<std::string> kBlocks = {"dflash", "domino", "dspark"};

Method method_of(const std::string& name) { return name == "dflash" ? Method::dflash : name == "domino" ? Method::domino : Method::dspark; }

// A head of `drafter` in the layout of its official release, as Llama's layers, over `ids` rows.
Layout tensors_of(const std::string& drafter, int ids) {
    Layout s = {{"fc.weight", {kWidth, 2 * kWidth}}, {"hidden_norm.weight", {kWidth}}, {"norm.weight", {kWidth}}};
    for (int i = 0; i < 2; ++i) {
        const std::string prefix = "layers." + std::to_string(i) + ".";
        s.push_back({prefix + "input_layernorm.weight", {kWidth}});
        s.push_back({prefix + "self_attn.q_proj.weight", {64, kWidth}});
        s.push_back({prefix + "self_attn.k_proj.weight", {32, kWidth}});
        s.push_back({prefix + "self_attn.v_proj.weight", {32, kWidth}});
        s.push_back({prefix + "self_attn.o_proj.weight", {kWidth, 64}});
        s.push_back({prefix + "post_attention_layernorm.weight", {kWidth}});
        s.push_back({prefix + "mlp.gate_proj.weight", {kInner, kWidth}});
        s.push_back({prefix + "mlp.up_proj.weight", {kInner, kWidth}});
        s.push_back({prefix + "mlp.down_proj.weight", {kWidth, kInner}});
    }
    if (drafter == "domino") {
        s.push_back({"prefix_gru.weight_ih_l0", {30, kWidth}});
        s.push_back({"prefix_gru.weight_hh_l0", {30, 10}});
        s.push_back({"embed_proj.0.weight", {6, kWidth + 10}});
        s.push_back({"embed_proj.2.weight", {ids, 6}});
    } else if (drafter == "dspark") {
        s.push_back({"markov_head.markov_w1.weight", {kAllIds, 5}});
        s.push_back({"markov_head.markov_w2.weight", {ids, 5}});
        s.push_back({"confidence_head.proj.weight", {1, kWidth + 5}});
        s.push_back({"confidence_head.proj.bias", {1}});
    }
    return s;
}

const Layout kMap = {{"d2t", {kIds}}, {"t2d", {kAllIds}}};
const StoredShape kRows = {"lm_head.weight", {kIds, kWidth}};
const StoredShape kMask = {"mask_embedding", {1, kWidth}};

Layout together(Layout all, const std::vector<Layout>& more) {
    for (const Layout& some : more) all.insert(all.end(), some.begin(), some.end());
    return all;
}

// `more`: fields beside the usual ones, with a comma before them.
std::string config_of(const std::string& drafter, const std::string& more) {
    const std::string own =
        R"("target_layer_ids":[1,3],"block_size":8)" +
        std::string(drafter == "domino"
                        ? R"(,"projector_type":"domino","gru_hidden_dim":10,"emb_dim":6,"pure_draft_prefix_len":1,"shift_label":true)"
                    : drafter == "dspark"
                        ? R"(,"projector_type":"dspark","markov_rank":5,"enable_confidence_head":true,"confidence_head_with_markov":true)"
                        : "");
    return R"({"architectures":["DFlashDraftModel"],"model_type":"llama","hidden_size":48,"intermediate_size":96,)"
           R"("num_attention_heads":4,"num_key_value_heads":2,"head_dim":16,"vocab_size":61,"rms_norm_eps":1e-6,)"
           R"("rope_theta":10000,"hidden_act":"silu","max_position_embeddings":512,"num_hidden_layers":2,)"
           R"("num_target_layers":6)" +
           more + R"(,"dflash_config":{)" + own + "}}";
}
const std::string kReduced = R"(,"draft_vocab_size":20)", kToken = R"(,"mask_token_id":60)";

class ReducedVocabulary : public ::testing::Test {
  protected:
    ReducedVocabulary() {
        models_->backend = test_backend(2);
        ModelConfig config = micro_config(6, kWidth);
        config.family = ModelConfig::Family::llama;
        config.qk_norm = false;
        models_->target = Model::random(*models_->backend, config, "micro target", 5);
        models_->frequent = std::make_shared<FrequentIds>(kAllIds, std::vector<int>{});
    }
    std::shared_ptr<const DraftNetwork> load(const std::string& config, const Layout& tensors) {
        write_checkpoint(temp_.path() / "head", config, tensors);
        return DraftNetwork::load(models_->target, temp_.path() / "head");
    }
    void refused(const std::string& config, const Layout& tensors, const std::vector<std::string>& words) {
        expect_error([&] { (void)load(config, tensors); }, words);
    }
    [[nodiscard]] RunSettings wanted_settings(const std::string& drafter, double temperature, int entries) const {
        RunSettings settings;
        settings.prompt.token_ids = {7, 8, 9, 7, 8, 9, 7};
        settings.drafter = drafter;
        settings.k = drafter == "none" ? 0 : 6;
        settings.sampling.temperature = temperature;
        settings.max_tokens = 40;
        settings.trace_top = entries;
        settings.timing = false;
        return settings;
    }
    // The drafted tokens of a run, in order.
    [[nodiscard]] std::vector<int> drafts(const RunSettings& settings, std::vector<int>* text = nullptr) const {
        const auto run = finished(models_, settings);
        std::vector<int> tokens;
        for (std::size_t i = 0; i < run->trace().size(); ++i)
            if (const auto* drafted = std::get_if<Drafted>(&run->trace()[i])) tokens.push_back(drafted->token);
        if (text) *text = run->sequence();
        return tokens;
    }

    const std::shared_ptr<Models> models_ = std::make_shared<Models>();
    const TempFolder temp_;
};

// Four folders of each method: rows of its own or only their ids, a token for the mask or a row. What is drafted is
// one of the ids; greedy text is the target's.
TEST_F(ReducedVocabulary, LoadsAndDraftsOnlyItsIds) {
    std::vector<int> plain, text;
    (void)drafts(wanted_settings("none", 0, 0), &plain);
    for (const std::string& drafter : kBlocks)
        for (const bool rows : {true, false})
            for (const bool mask : {true, false}) {
                SCOPED_TRACE(drafter + (rows ? ", rows" : ", ids") + (mask ? ", own mask" : ", mask token"));
                Layout tensors = together(tensors_of(drafter, kIds), {kMap});
                if (rows) tensors.push_back(kRows);
                if (mask) tensors.push_back(kMask);
                const auto network = load(config_of(drafter, kReduced + (mask ? "" : kToken)), tensors);
                EXPECT_EQ(network->config.method, method_of(drafter));
                EXPECT_EQ(network->config.draft_vocab, kIds);
                EXPECT_EQ(network->config.own_mask, mask);
                EXPECT_EQ(network->config.gathers_head, !rows);
                EXPECT_EQ(network->lm_head.view().rows, kIds);
                EXPECT_EQ(network->target_id[19], 57);
                models_->networks = {{drafter, network}};
                for (const double temperature : {0.0, 1.0})
                    for (const int entries : {0, -1}) {
                        const std::vector<int> tokens = drafts(wanted_settings(drafter, temperature, entries), &text);
                        EXPECT_GT(tokens.size(), 20u);
                        for (const int token : tokens) EXPECT_TRUE(token % 3 == 0 && token <= 57) << token;
                        if (temperature == 0) {
                            EXPECT_EQ(text, plain);
                        }
                    }
            }
}

// The whole distribution that a guess was drawn from: no mass outside, all of it inside.
TEST_F(ReducedVocabulary, DistributionsHaveNoMassOutside) {
    for (const std::string& drafter : kBlocks) {
        SCOPED_TRACE(drafter);
        const auto network = load(config_of(drafter, kReduced), together(tensors_of(drafter, kIds), {kMap, {kMask, kRows}}));
        const auto target = make_model_decoder(models_->target, 64);
        const auto instance = find_drafter(drafter)->make({*target, nullptr, network, {}});
        const std::vector<int> prompt = {7, 8, 9, 7};
        instance->begin(prompt);
        target->prefill(std::span(prompt).first(3), instance->taps(), [&](int first, const Tensor& features) {
            instance->observe({.sequence = prompt, .first = first, .prompt = true, .features = features});
        });
        DraftRequest request;
        request.sequence = prompt;
        request.k = 5;
        request.sampling = {.temperature = 0.8};
        request.coin = [](int index) { return 0.15 + 0.17 * index; };
        request.raw_distributions = true;
        const Draft draft = instance->draft(request);
        ASSERT_EQ(draft.nodes.size(), 5u);
        for (const DraftNode& node : draft.nodes)
            for (const Distribution* distribution : {&node.distribution, &node.raw_distribution}) {
                ASSERT_EQ(distribution->size(), static_cast<std::size_t>(kAllIds));
                double inside = 0;
                for (std::size_t id = 0; id < distribution->size(); ++id) {
                    if (id % 3 == 0 && id <= 57) {
                        inside += (*distribution)[id];
                        EXPECT_GT((*distribution)[id], 0) << id;
                    } else {
                        EXPECT_EQ((*distribution)[id], 0) << id;
                    }
                }
                EXPECT_NEAR(inside, 1, 1e-9);
            }
    }
}

// Rows gathered from the target's matrix are what --fr-spec cuts out of it: the same drafts, sampled and greedy, guess
// by guess and a block at once. (Made-up weights: the first rows of a matrix are those of a longer one.)
TEST_F(ReducedVocabulary, GatheredRowsAreThoseOfACutMatrix) {
    for (const std::string& drafter : kBlocks) {
        DraftConfig whole = micro_head(method_of(drafter), models_->target->config), some = whole;
        some.draft_vocab = kIds;
        some.gathers_head = true;
        const auto all = DraftNetwork::random(models_->target, whole, drafter, 7),
                   few = DraftNetwork::random(models_->target, some, drafter, 7);
        EXPECT_EQ(few->bytes.all, few->bytes.tables + few->bytes.stored());
        for (const double temperature : {0.0, 1.0}) {
            std::vector<std::vector<int>> drafted;
            for (const int entries : {0, 4})
                for (const bool cut : {true, false}) {
                    models_->networks = {{drafter, cut ? all : few}};
                    RunSettings wanted = wanted_settings(drafter, temperature, entries);
                    if (cut) wanted.options.fr_spec = kIds;
                    drafted.push_back(drafts(wanted));
                }
            SCOPED_TRACE(drafter + " T " + std::to_string(temperature));
            EXPECT_GT(std::set<int>(drafted[0].begin(), drafted[0].end()).size(), 1u);
            for (const std::vector<int>& tokens : drafted) EXPECT_EQ(tokens, drafted[0]);
        }
    }
}

// Without a table of the GRU's inputs, as of large heads, the same guesses.
TEST_F(ReducedVocabulary, DominoGuessesTheSameWithoutItsTable) {
    DraftConfig some = micro_head(Method::domino, models_->target->config), whole = some;
    some.draft_vocab = kIds;
    for (const DraftConfig& config : {some, whole}) {
        const auto tabled = DraftNetwork::random(models_->target, config, "domino", 7);
        const auto bare = std::const_pointer_cast<DraftNetwork>(DraftNetwork::random(models_->target, config, "domino", 7));
        EXPECT_EQ(tabled->gru_table.view().rows, config.draft_vocab > 0 ? kIds : kAllIds);
        bare->gru_table = Buffer();
        std::vector<std::vector<int>> drafted;
        for (const auto& network : {tabled, std::shared_ptr<const DraftNetwork>(bare)}) {
            models_->networks = {{"domino", network}};
            RunSettings wanted = wanted_settings("domino", 0, 0);
            if (config.draft_vocab == 0) wanted.options.fr_spec = kIds;
            drafted.push_back(drafts(wanted));
        }
        EXPECT_EQ(drafted[0], drafted[1]);
    }
}

// A row that is a copy of a token's embedding is that token as a mask.
TEST_F(ReducedVocabulary, AMaskOfItsOwnIsUsedLikeATokens) {
    for (const std::string& drafter : kBlocks) {
        const DraftConfig config = micro_head(method_of(drafter), models_->target->config);
        const auto token = DraftNetwork::random(models_->target, config, drafter, 7);
        const auto row = std::const_pointer_cast<DraftNetwork>(DraftNetwork::random(models_->target, config, drafter, 7));
        Backend& backend = *models_->backend;
        const auto with_mask = [&](int id) {
            const Buffer ids(backend, DType::i32, 1, 1);
            backend.upload(ids.view(), &id);
            row->mask = Buffer(backend, DType::f32, 1, kWidth);
            backend.embed(models_->target->embedding.view(), ids.view(), row->mask.view());
            row->config.own_mask = true;
            row->config.mask_id = -1;
            models_->networks = {{drafter, row}};
            return drafts(wanted_settings(drafter, 1, 0));
        };
        models_->networks = {{drafter, token}};
        const std::vector<int> wanted = drafts(wanted_settings(drafter, 1, 0));
        EXPECT_EQ(with_mask(60), wanted) << drafter;
        EXPECT_NE(with_mask(4), wanted) << drafter << ": another row, another draft";
    }
}

TEST_F(ReducedVocabulary, BrokenFoldersAreRefusedForWhatTheyAre) {
    for (const std::string& drafter : kBlocks) {
        SCOPED_TRACE(drafter);
        const Layout few = tensors_of(drafter, kIds), all = tensors_of(drafter, kAllIds);
        const std::string config = config_of(drafter, kReduced);
        refused(config, together(few, {kMap, {kMask, {"lm_head.weight", {kAllIds, kWidth}}}}),
                {"lm_head.weight has shape (61, 48), expected (20, 48)"});
        refused(config, together(few, {{kMask, kRows}}), {"d2t is missing", "20 of 61 ids", "draft_vocab_size"});
        refused(config, together(few, {{kMask}}), {"d2t is missing"});
        refused(config, together(few, {{kMask, {"d2t", {19}}}}), {"d2t is i64 of shape (19), expected", "(20)"});
        refused(config_of(drafter, ""), together(all, {kMap, {kMask}}), {"draft_vocab_size is missing", "d2t"});
        refused(config_of(drafter, R"(,"draft_vocab_size":62)"), together(few, {kMap, {kMask}}), {"draft_vocab_size is 62"});
        refused(config, together(few, {kMap}), {"mask_token_id is missing", "mask_embedding"});
        refused(config_of(drafter, kReduced + kToken), together(few, {kMap, {kMask}}), {"names mask_token_id", "holds mask_embedding"});
        refused(config, together(few, {kMap, {{"mask_embedding", {kWidth}}}}), {"mask_embedding has shape (48), expected (1, 48)"});
        if (drafter == "dflash") continue;
        refused(config, together(all, {kMap, {kMask, kRows}}),
                {drafter == "domino" ? "embed_proj.2.weight has shape (61, 6), expected (20, 6)"
                                     : "markov_head.markov_w2.weight has shape (61, 5), expected (20, 5)"});
    }
}

TEST_F(ReducedVocabulary, CannotBeCutAgain) {
    for (const std::string& drafter : kBlocks) {
        models_->networks = {{drafter, load(config_of(drafter, kReduced), together(tensors_of(drafter, kIds), {kMap, {kMask}}))}};
        RunSettings wanted = wanted_settings(drafter, 0, 0);
        wanted.options.fr_spec = 9;
        expect_error([&] { (void)drafts(wanted); }, {"--fr-spec does nothing", "reduced vocabulary of its own"});
    }
    // Domino's pool is of the ids that there are
    RunSettings wanted = wanted_settings("domino", 0, 0);
    models_->networks = {{"domino", load(config_of("domino", kReduced), together(tensors_of("domino", kIds), {kMap, {kMask}}))}};
    wanted.options.head_pool = kIds;
    expect_error([&] { (void)drafts(wanted); }, {"--head-pool 20 keeps all 20 ids"});
    wanted.options.head_pool = 6;
    for (const int token : drafts(wanted)) EXPECT_TRUE(token % 3 == 0 && token <= 57) << token;
}

} // namespace
} // namespace speclens::test
