// Heads from GGUF files: what they are, what is refused and why, and quantised matrices as they are kept. That they draft what the public
// implementations do is tested in drafters_test.cpp.
#include "engine/heads/gguf_head.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "engine/drafters/drafter_info.h"
#include "engine/models/models.h"
#include "engine/run/run.h"
#include "engine/run/run_view.h"
#include "tests/shared/gguf_changes.h"
#include "tests/shared/gguf_head.h"
#include "tests/shared/mutate.h"

namespace speclens::test {
namespace {

class GgufHeads : public ::testing::Test {
  protected:
    [[nodiscard]] std::shared_ptr<const DraftNetwork> of(const std::string& head, const GgufHeadEdits& edits = {},
                                                         DType as = DType::bf16) const {
        const auto network = DraftNetwork::load(target_, golden(head));
        gguf_of_head(golden(head), *network, as, edits).write(folder_ / "head.gguf");
        return DraftNetwork::load(target_, folder_ / "head.gguf");
    }
    void expect_refused(const std::string& head, const GgufHeadEdits& edits, std::vector<std::string> words) const {
        SCOPED_TRACE(head + ": " + words.front());
        words.push_back("head.gguf");
        expect_error([&] { (void)of(head, edits); }, words);
    }
    // The matrix times the same made-up row.
    [[nodiscard]] std::vector<float> product(const Tensor& matrix) const {
        Buffer row(*backend_, DType::f32, 1, matrix.cols), to(*backend_, DType::f32, 1, matrix.rows);
        std::vector<float> values(static_cast<std::size_t>(matrix.cols)), result(static_cast<std::size_t>(matrix.rows));
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(i));
        backend_->upload(row.view(), values.data());
        const Projection part[] = {{matrix, {}, to.view()}};
        backend_->matmul(row.view(), part);
        backend_->download(to.view(), result.data());
        return result;
    }
    // What it drafts in some rounds, each token with its probability, behind its notice; or why it is refused.
    [[nodiscard]] std::string drafted(const std::string& head, const GgufHeadEdits& edits) const {
        try {
            auto models = std::make_shared<Models>();
            models->backend = backend_;
            models->target = target_;
            const auto network = of(head, edits);
            const std::string drafter = name_of(network->config.method);
            models->networks = {{drafter, network}};
            RunSettings settings;
            settings.prompt.token_ids = {5, 17, 3, 99, 250, 7, 5, 17};
            settings.drafter = drafter;
            settings.k = 7;
            settings.sampling.temperature = 0.8;
            settings.rule = judging_rule("token", drafter);
            settings.max_tokens = 16;
            speclens::Run run(models, settings);
            run.finish();
            std::string all = network->config.notice;
            for (const RoundSummary& round : fold(run.trace(), run.trace().size()).round_list)
                for (const DraftSlot& slot : round.drafts)
                    all += " " + std::to_string(slot.draft->token) + ":" + Json(slot.draft->q).dump();
            EXPECT_GT(all.size(), 100U) << head << ": it drafts";
            return all;
        } catch (const Error& error) {
            return std::string("refused: ") + error.what();
        }
    }
    std::shared_ptr<Backend> backend_ = test_backend(2);
    std::shared_ptr<const Model> target_ = Model::load(*backend_, golden("micro_qwen3"));
    TempFolder folder_;
};

TEST_F(GgufHeads, AreWhatTheirFoldersAre) {
    for (const char* head : {"micro_eagle3", "micro_eagle3_norm_first", "micro_dflash", "micro_dflash2", "micro_dspark"}) {
        SCOPED_TRACE(head);
        const auto folder = DraftNetwork::load(target_, golden(head));
        const auto file = of(head);
        EXPECT_EQ(file->name, "toy head");
        EXPECT_EQ(file->config.method, folder->config.method);
        EXPECT_EQ(file->config.taps, folder->config.taps);
        EXPECT_EQ(file->config.block, folder->config.block);
        EXPECT_EQ(file->config.mask_id, folder->config.mask_id);
        EXPECT_EQ(file->config.anchor_aligned, folder->config.anchor_aligned);
        EXPECT_EQ(file->config.norm_before_residual, folder->config.norm_before_residual);
        EXPECT_EQ(file->config.conv_taps, folder->config.conv_taps);
        EXPECT_EQ(file->config.conv_group, folder->config.conv_group);
        EXPECT_EQ(file->config.candidates, folder->config.candidates);
        EXPECT_EQ(file->config.confidence_with_markov, folder->config.confidence_with_markov);
        EXPECT_EQ(file->target_id, folder->target_id);
        EXPECT_EQ(file->config.notice, "");
        EXPECT_EQ(file->bytes.all, folder->bytes.all);
    }
    EXPECT_NE(DraftNetwork::load(target_, folder_.path()), nullptr) << "a folder that holds one such file";
}

TEST_F(GgufHeads, AreRefusedForWhatTheyAreNot) {
    const auto lists = [](std::vector<std::int32_t> ids) {
        GgufHeadEdits edits;
        edits.layers = [=](std::vector<std::int32_t>& layers) { layers = ids; };
        return edits;
    };
    expect_refused("micro_eagle3", {.without = {"target_layers"}}, {"eagle3.target_layers is missing"});
    expect_refused("micro_eagle3", lists({1, 2}), {"eagle3.target_layers names 2 layers, and fc.weight joins 3"});
    expect_refused("micro_dflash", lists({1, 2, 2}), {"dflash.target_layers has the entry 2 twice"});
    expect_refused("micro_dflash", lists({1, 2, 5}), {"dflash.target_layers has the entry 5", "layers 0 to 3"});
    expect_refused("micro_dflash", lists({-1, 2, 3}), {"dflash.target_layers has the entry -1"});
    expect_refused("micro_dflash", {.without = {"mask_token_id"}}, {"tokenizer.ggml.mask_token_id is missing"});
    expect_refused("micro_dflash", {.without = {"block_size"}}, {"dflash.block_size is missing"});
    expect_refused("micro_dflash", {.tokens = 511}, {"tokenizer.ggml.tokens is 511, the target has 512"});
    expect_refused("micro_dflash", {.architecture = "dflash-draft"}, {"dflash-draft", "fork"});
    expect_refused("micro_dflash", {.architecture = "dspark"}, {"dspark", "fork"});
    expect_refused("micro_dflash", {.architecture = "qwen3"}, {"qwen3", "no draft head"});
    expect_refused("micro_dflash", {.without = {"fc.weight"}}, {"fc.weight"});
    expect_refused("micro_dspark", {.without = {"conf_proj.weight"}}, {"has_confidence_head is true", "conf_proj.weight"});
    const auto more = [](const std::function<void(GgufWriter&)>& add) { return GgufHeadEdits{.more = add}; };
    const std::vector<float> one(64, 1);
    const auto tensor = [&](const char* name) {
        return more([&one, name](GgufWriter& f) { f.tensor(name, {64}, DType::f32, std::as_bytes(std::span(one))); });
    };
    expect_refused("micro_dflash", tensor("blk.0.attn_sinks.weight"), {"blk.0.attn_sinks.weight", "no dflash head"});
    expect_refused("micro_dflash", tensor("selector_hidden.weight"), {"dflash.conv_kernel_size is missing"});
    expect_refused("micro_dspark", tensor("selector_hidden.weight"), {"a selector and a Markov head"});
    expect_refused("micro_dflash", more([](GgufWriter& f) { f.u32("dflash.selector_rank", 12); }),
                   {"dflash.selector_rank", "not known here"});
    expect_refused("micro_dflash2", {.without = {"selector_top_k"}}, {"dflash.selector_top_k is missing"});
    expect_refused("micro_dflash2", {.without = {"blk.1.ffn_conv_base"}}, {"layers.1.mlp_conv.base_kernel is missing"});
    expect_refused("micro_dflash2", {.without = {"selector_successor.weight"}}, {"successor_codebook is missing"});
    expect_refused("micro_dflash2", more([](GgufWriter& f) { f.f32("dflash.logit_scale", .2f); }),
                   {"dflash.logit_scale", "not known here"});
    expect_refused("micro_eagle3", tensor("blk.0.attn_q_norm.weight"), {"attn_q_norm.weight"});
    expect_refused("micro_dflash", more([](GgufWriter& f) { f.f32("dflash.logit_scale", .2f); }), {"dflash.logit_scale", "not known here"});
    expect_refused("micro_dflash", more([](GgufWriter& f) { f.f32("dflash.final_logit_softcapping", 20); }), {"final_logit_softcapping"});
    expect_refused("micro_dflash", more([](GgufWriter& f) { f.u32("dflash.hyper_connection.count", 4); }), {"hyper_connection.count"});
    expect_refused("micro_dflash", more([](GgufWriter& f) { f.text("dflash.hidden_act", "gelu"); }), {"hidden_act", "gelu"});
    expect_refused("micro_dflash", more([](GgufWriter& f) { f.flag("dflash.attention.causal", true); }), {"attention.causal is true"});
    EXPECT_EQ(of("micro_dflash", more([](GgufWriter& f) {
                     f.f32("dflash.logit_scale", 1);
                     f.flag("dflash.attention.causal", false);
                 }))
                  ->config.notice,
              "");
    expect_error([&] { (void)Model::load(*backend_, folder_ / "head.gguf"); }, {"a draft head, not a model", "dflash"});
}

TEST_F(GgufHeads, IdsAreTheTargetsAndDifferencesAreSaid) {
    const auto folder = DraftNetwork::load(target_, golden("micro_eagle3"));
    std::vector<std::int64_t> ids(folder->target_id.begin(), folder->target_id.end());
    GgufHeadEdits edits;
    edits.d2t = ids;
    for (std::size_t i = 0; i < ids.size(); ++i) edits.d2t[i] -= static_cast<std::int64_t>(i);
    const auto differences = of("micro_eagle3", edits);
    EXPECT_EQ(differences->target_id, folder->target_id);
    EXPECT_NE(differences->config.notice.find("d2t holds differences"), std::string::npos) << differences->config.notice;
    edits.d2t = ids;
    std::swap(edits.d2t[3], edits.d2t[4]);
    expect_refused("micro_eagle3", edits, {"d2t[4]", "no ascending id", "nor are they differences"});
    edits.d2t = ids;
    edits.d2t.back() = 512;
    expect_refused("micro_eagle3", edits, {"d2t[127] is 512"});
    edits.d2t = ids;
    edits.d2t[0] = -1;
    expect_refused("micro_eagle3", edits, {"d2t[0] is -1"});
    edits.d2t = ids;
    edits.d2t.pop_back();
    expect_refused("micro_eagle3", edits, {"lm_head.weight has shape (128, 64), expected (127, 64)"});
}

// Each key that is applied does something: with another value it drafts otherwise, or is refused by the key's name or for the tensors that
// no longer fit.
TEST_F(GgufHeads, EveryKeyThatIsAppliedChangesWhatIsDrafted) {
    const auto tries = [&](const char* head, const std::vector<GgufChange>& changes) {
        std::set<std::string> tried;
        const std::string prefix = std::string(head).starts_with("micro_eagle3") ? "eagle3." : "dflash.";
        for (const GgufChange& change : changes) {
            SCOPED_TRACE(std::string(head) + ": " + change.key);
            tried.insert(change.key);
            const auto with = [&](bool changed) {
                return drafted(head, {.more = [&](GgufWriter& file) { change.write(file, prefix, changed); }});
            };
            const std::string before = with(false), after = with(true);
            EXPECT_FALSE(before.starts_with("refused")) << before;
            EXPECT_NE(after, before);
            if (after.starts_with("refused")) {
                EXPECT_TRUE(change.told_by(after)) << after;
            }
        }
        return tried;
    };
    EXPECT_EQ(drafted("micro_dflash", {}), drafted("micro_dflash", {})) << "by the same dice";
    const auto all_of = [&](const std::set<std::string>& tried, std::initializer_list<KeyList> lists) {
        for (const KeyList keys : lists)
            for (const std::string_view key : keys) EXPECT_TRUE(tried.contains(std::string(key))) << key << " was not tried";
    };
    const auto either = [](std::vector<GgufChange> own) {
        for (const GgufChange& change : gguf_geometry_changes()) own.push_back(change);
        return own;
    };
    const auto windows = [](GgufWriter& file, const std::string& prefix) {
        file.u32(prefix + "attention.sliding_window", 4);
        file.array(prefix + "attention.sliding_window_pattern", 7, std::vector<std::uint8_t>{1, 1});
        file.flag(prefix + "attention.causal", false);
    };
    const auto older = [](GgufWriter& file, const std::string& prefix) {
        file.forget(prefix + "target_layers");
        file.array<std::int32_t>(prefix + "extract_layers", 5, {1, 2, 3});
    };
    all_of(tries("micro_eagle3", either({{"target_layers", gguf_ids({1, 2, 4})},
                                         {"extract_layers", gguf_ids({1, 2, 4}), older},
                                         {"extract_layers", gguf_ids({1, 2, 4})}, // beside target_layers, which says otherwise
                                         {"target_hidden_size", gguf_u32(128)},
                                         {"norm_before_residual", gguf_flag(true)},
                                         {"norm_before_fc", gguf_flag(true)}})),
           {gguf_geometry_keys(), gguf_head_keys(DraftConfig::Method::eagle3)});
    const std::vector<GgufChange> blocks = {{"target_layers", gguf_ids({1, 2, 4})},
                                            {"block_size", gguf_u32(4)},
                                            {"sample_from_anchor", gguf_flag(true)}, // which nothing reads there, and that is said
                                            {"has_confidence_head", gguf_flag(true)},
                                            {"attention.causal", gguf_flag(true)},
                                            {"attention.causal", gguf_flag(true), windows},
                                            {"attention.sliding_window", gguf_u32(2), windows},
                                            {"attention.sliding_window_pattern",
                                             [](GgufWriter& file, const std::string& key) {
                                                 file.array(key, 7, std::vector<std::uint8_t>{0, 1});
                                             },
                                             windows}};
    all_of(tries("micro_dflash", either(blocks)), {gguf_geometry_keys(), gguf_head_keys(DraftConfig::Method::dflash)});
    std::vector<GgufChange> selects = blocks;
    for (const GgufChange& change : std::vector<GgufChange>{{"conv_kernel_size", gguf_u32(3)},
                                                            {"conv_group_size", gguf_u32(8)},
                                                            {"selector_rank", gguf_u32(8)},
                                                            {"selector_top_k", gguf_u32(3)}})
        selects.push_back(change);
    all_of(tries("micro_dflash2", selects), {gguf_head_keys(DraftConfig::Method::dflash2)});
    std::vector<GgufChange> spark = blocks; // of five guesses, and with a confidence head
    for (GgufChange& change : spark) {
        if (change.key == "sample_from_anchor" || change.key == "has_confidence_head") change.value = gguf_flag(false);
        if (change.key == "block_size") change.value = gguf_u32(3);
    }
    all_of(tries("micro_dspark", spark), {gguf_head_keys(DraftConfig::Method::dspark)});
}

// Random names behind the architecture: refused, or without effect because their value says that something is not there.
TEST_F(GgufHeads, KeysThatNobodyKnowsAreRefusedOrChangeNothing) {
    Mutator random(20261201);
    const std::vector<std::function<void(GgufWriter&, const std::string&)>> values = {
        gguf_u32(2),
        gguf_f32(-.5f),
        gguf_flag(true),
        gguf_ids({1, 2}),
        [](GgufWriter& f, const std::string& key) { f.texts(key, {"a"}); },
        gguf_u32(0),
        gguf_f32(1),
        gguf_flag(false),
        [](GgufWriter& f, const std::string& key) { f.text(key, "a word"); },
    };
    constexpr std::size_t kRefused = 5;
    std::map<std::string, std::string> plain;
    int refused = 0, neutral = 0;
    for (int i = 0; i < 80; ++i) {
        const char* const head = std::array{"micro_eagle3", "micro_dflash", "micro_dflash2", "micro_dspark"}[random.below(4)];
        std::string name = std::string(head).starts_with("micro_eagle3") ? "eagle3." : "dflash.";
        for (std::uint64_t n = 3 + random.below(12); n > 0; --n) name += static_cast<char>('a' + random.below(26));
        const std::size_t which = random.below(values.size());
        const GgufHeadEdits edits = {.more = [&](GgufWriter& file) { values[which](file, name); }};
        if (which < kRefused) {
            ++refused;
            expect_refused(head, edits, {name, "not known here"});
            continue;
        }
        ++neutral;
        std::string& without = plain[head];
        if (without.empty()) without = drafted(head, {});
        EXPECT_EQ(drafted(head, edits), without) << name << " " << which;
    }
    EXPECT_GT(refused, 20);
    EXPECT_GT(neutral, 15);
}

// Without a matrix of its own a head ranks with the target's rows.
TEST_F(GgufHeads, WithoutAnOutputMatrixRankWithTheTargets) {
    const auto head = of("micro_eagle3", {.without = {"output.weight"}});
    EXPECT_TRUE(head->config.gathers_head);
    ASSERT_EQ(head->lm_head.view().rows, 128);
    EXPECT_EQ(head->target_id, DraftNetwork::load(target_, golden("micro_eagle3"))->target_id);
}

TEST_F(GgufHeads, MatricesAreKeptAsTheyAreQuantised) {
    const auto eight = of("micro_dflash", {}, DType::q8_0);
    const bool kept = backend_->keeps(DType::q8_0, 64);
    EXPECT_EQ(eight->layer[0].wq.view().dtype, kept ? DType::q8_0 : DType::bf16);
    const auto plain = of("micro_dflash");
    double gap = 0, size = 0;
    const std::vector<float> a = product(eight->layer[0].wq.view()), b = product(plain->layer[0].wq.view());
    for (std::size_t i = 0; i < a.size(); ++i)
        gap = std::max(gap, std::abs(static_cast<double>(a[i] - b[i]))), size = std::max(size, std::abs(static_cast<double>(b[i])));
    EXPECT_LT(gap, .02 * size);
    EXPECT_GT(gap, 0) << "eight bits";
}

// The file tells its kind; a name that disagrees is an error that says the right one.
TEST_F(GgufHeads, LoadUnderTheirNameOnly) {
    (void)of("micro_dspark");
    ModelPaths paths = {.target = golden("micro_qwen3"), .heads = {{"dspark", folder_ / "head.gguf"}}, .threads = 1};
    EXPECT_NE(load_models(paths).network("dspark"), nullptr);
    paths.heads = {{"dflash", folder_ / "head.gguf"}};
    try {
        (void)load_models(paths);
        FAIL() << "it is a dspark head";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("head.gguf: is a dspark head, not one for the drafter dflash"), std::string::npos)
            << error.what();
        EXPECT_NE(error.remedy().find("--drafter dspark=FILE.gguf"), std::string::npos) << error.remedy();
    }
}

} // namespace
} // namespace speclens::test
