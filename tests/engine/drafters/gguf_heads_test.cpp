// Heads from GGUF files: what they are, what is refused and why, and quantised matrices as they are kept. That they draft what the public
// implementations do is tested in drafters_test.cpp.
#include "engine/heads/gguf_head.h"

#include "engine/models/models.h"
#include "tests/shared/gguf_head.h"

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
    std::unique_ptr<Backend> backend_ = test_backend(2);
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
