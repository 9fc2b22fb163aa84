// The trained drafters against the public implementations: three scripted rounds on random micro checkpoints,
// with full acceptance, a rejection at the first guess, and one after two (tests/engine/golden/README.md).
#include <algorithm>
#include <map>

#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"
#include "engine/heads/official_layout.h"
#include "engine/weights/safetensors_write.h"
#include "tests/engine/drafters/drafter_goldens.h"
#include "tests/shared/gguf_head.h"

namespace speclens::test {
namespace {

// log softmax of row `row` of a (rows, columns) array.
std::vector<double> log_distribution(const std::vector<float>& logits, std::size_t row, std::size_t columns) {
    std::vector<double> distribution(logits.begin() + static_cast<std::ptrdiff_t>(row * columns),
                                     logits.begin() + static_cast<std::ptrdiff_t>((row + 1) * columns));
    double largest = -1e300, sum = 0;
    for (const double value : distribution) largest = std::max(largest, value);
    for (const double value : distribution) sum += std::exp(value - largest);
    for (double& value : distribution) value -= largest + std::log(sum);
    return distribution;
}

// All of `got` against the stored logits, whose columns stand for the ids that `target_id` names (empty:
// themselves). The backend's softmax drops what is below e^-87 of the largest.
void expect_distribution(const TopEntries& got, const std::vector<double>& want, const std::vector<int>& target_id) {
    std::map<int, double> expected;
    for (std::size_t i = 0; i < want.size(); ++i) expected[target_id.empty() ? static_cast<int>(i) : target_id[i]] = want[i];
    for (const TopEntries::Entry& entry : got.entries) {
        const auto found = expected.find(entry.id);
        ASSERT_NE(found, expected.end()) << "id " << entry.id << " is not one of the head's";
        ASSERT_NEAR(entry.logp, found->second, 1e-3 * std::max(1.0, std::abs(found->second))) << "id " << entry.id;
        expected.erase(found);
    }
    for (const auto& [id, logp] : expected) ASSERT_LT(logp, -85) << "id " << id << " is missing";
}

enum class Layout : std::uint8_t { release, speculators, transformers };

struct Case {
    std::string folder, drafter;
    std::string prefix = "";                                     // of the names in the golden file
    std::vector<std::pair<std::string, std::string>> edits = {}; // of config.json
    DrafterOptions options = {};
    std::optional<DType> gguf = {}; // loaded from a GGUF file with such matrices, as llama.cpp's converter writes one
    Layout layout = Layout::release;
};

// A block head as speculators writes one: layers counted as a state enters them, geometry in a section, what is the method's own at the
// top, and a copy of the target's embedding left out. Domino's correction has names of its own behind logits_correction.
// (src/speculators/convert/domino/converter.py; DFlash's files say by their proposals alone that the anchor's row is no guess.)
void as_speculators(const fs::path& folder) {
    static const std::map<std::string, std::string> kAlgorithms = {
        {"DFlashDraftModel", "dflash"}, {"DFlash2DraftModel", "dflash2"}, {"DominoDraftModel", "domino"}, {"DSparkDraftModel", "dspark"}};
    const Json own = Json::parse(read_file(folder / "config.json")), head = own["dflash_config"];
    const std::string model = own["architectures"][0].get<std::string>(), algorithm = kAlgorithms.at(model);
    const bool domino = algorithm == "domino", spark = algorithm == "dspark";
    std::vector<int> entered = head["target_layer_ids"].get<std::vector<int>>();
    for (int& layer : entered) ++layer;
    const bool anchor = spark || (domino && head["shift_label"].get<bool>());
    const int block = own["block_size"].get<int>();
    Json proposals = Json::array(), layers = own;
    proposals.push_back(Json{{"proposal_type", "greedy"}, {"speculative_tokens", anchor ? block : block - 1}});
    for (const char* key : {"architectures", "block_size", "dflash_config", "emb_dim", "num_target_layers", "is_causal", "markov_rank",
                            "markov_head_type", "enable_confidence_head", "confidence_head_with_markov"})
        if (layers.contains(key)) layers.erase(key);
    Json config = {
        {"architectures", {model}},
        {"speculators_model_type", algorithm},
        {"speculators_version", "0.10.0"},
        {"speculators_config", {{"algorithm", algorithm}, {"default_proposal_method", "greedy"}, {"proposal_methods", proposals}}},
        {"block_size", block},
        {"draft_vocab_size", own["vocab_size"]},
        {"mask_token_id", head["mask_token_id"]},
        {"aux_hidden_state_layer_ids", entered},
        {"sliding_window_non_causal", algorithm == "dflash2"},
        {"target_hidden_size", nullptr},
        {"transformer_layer_config", layers}};
    if (algorithm != "dflash") config["sample_from_anchor"] = anchor;
    for (const char* key : {"gru_hidden_dim", "pure_draft_prefix_len", "markov_rank", "markov_head_type", "enable_confidence_head",
                            "confidence_head_with_markov", "conv_kernel_size", "conv_group_size", "selector_rank", "selector_top_k"})
        if (head.contains(key)) config[key] = head[key];
    if (domino) {
        config["logits_correction_emb_dim"] = head["emb_dim"];
        config["lambda_base_start"] = 0.75;
        config["lambda_base_decay_ratio"] = 0.5;
    }
    write_file(folder / "config.json", config.dump());
    const Safetensors file = Safetensors::open(folder / "model.safetensors");
    std::vector<TensorToWrite> tensors;
    for (const auto& [name, stored] : file.tensors()) {
        const bool corrects = domino && (name.starts_with("prefix_gru.") || name.starts_with("embed_proj."));
        tensors.push_back(
            {(corrects ? "logits_correction." : "") + name, stored.dtype, stored.shape, [bytes = file.read(stored)] { return bytes; }});
    }
    write_safetensors(folder / "model.safetensors", std::move(tensors));
}

// The public implementations draw from every row of the output matrix, also from padding; here a tokenizer
// would tell which rows are that.
std::shared_ptr<const Model> target_without_tokenizer(Backend& backend) {
    const ModelFolder folder("micro_qwen3");
    fs::remove(folder / "tokenizer.json");
    return Model::load(backend, folder.path());
}

class GoldenPass {
  public:
    explicit GoldenPass(const Case& c)
        : files_(c.folder), golden_(c.folder, c.prefix), backend_(test_backend(2)), target_model_(target_without_tokenizer(*backend_)) {
        for (const auto& [from, to] : c.edits) files_.edit("config.json", from, to);
        if (c.layout == Layout::speculators) as_speculators(files_.path());
        if (c.layout == Layout::transformers) write_head(files_.path(), files_ / "assistant", HeadLayout::transformers);
        network_ = DraftNetwork::load(target_model_, c.layout == Layout::transformers ? files_ / "assistant" : files_.path());
        if (c.gguf) {
            gguf_of_head(files_.path(), *network_, *c.gguf).write(files_ / "head.gguf");
            network_ = DraftNetwork::load(target_model_, files_ / "head.gguf");
        }
        target_ = make_model_decoder(target_model_, 128);
        drafter_name_ = c.drafter;
        drafter_ = find_drafter(c.drafter)->make({*target_, nullptr, network_, c.options});
        sequence_ = golden_.ids("prompt");
        const std::vector<int> first = golden_.ids("0.anchor");
        sequence_.insert(sequence_.end(), first.begin(), first.end());
    }

    void run() {
        drafter_->begin(sequence_);
        const std::vector<int> taps = drafter_->taps();
        target_->prefill(std::span(sequence_).first(sequence_.size() - 1), taps, [&](int first, const Tensor& features) {
            drafter_->observe({.sequence = sequence_, .first = first, .prompt = true, .features = features});
        });
        for (int round = 0; round < 3; ++round) {
            SCOPED_TRACE("round " + std::to_string(round));
            play(std::to_string(round) + ".", taps);
            if (::testing::Test::HasFatalFailure()) return;
        }
    }

  private:
    void play(const std::string& round, const std::vector<int>& taps) {
        const std::vector<int> wanted = golden_.ids(round + "drafts");
        ASSERT_FALSE(wanted.empty());
        const Draft draft = drafter_->draft({.sequence = sequence_,
                                             .k = static_cast<int>(wanted.size()),
                                             .nodes = static_cast<int>(wanted.size()),
                                             .sampling = {},
                                             .coin = {},
                                             .entries = -1,
                                             .internals = true});
        std::vector<int> proposed;
        for (const DraftNode& node : draft.nodes) proposed.push_back(node.token);
        ASSERT_EQ(proposed, wanted);

        const std::vector<float> base = golden_.values<float>(round + "base_logits");
        const std::vector<float> corrected = golden_.values<float>(round + "final_logits");
        const std::size_t columns = base.size() / wanted.size();
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            SCOPED_TRACE("guess " + std::to_string(i));
            const DraftNode& node = draft.nodes[i];
            const bool changed = !node.base.empty();
            ASSERT_NO_FATAL_FAILURE(
                expect_distribution(changed ? node.base : node.heads.raw, log_distribution(base, i, columns), network_->target_id));
            if (corrected.empty()) continue;
            ASSERT_NO_FATAL_FAILURE(expect_distribution(node.heads.raw, log_distribution(corrected, i, columns), network_->target_id));
        }
        check_confidence(draft, golden_.values<float>(round + "confidence"));
        const DraftConfig::Method method = network_->config.method; // these two have no more to show than their distributions
        if (method != DraftConfig::Method::medusa && method != DraftConfig::Method::mtp && draft.is_chain() &&
            !find_drafter(drafter_name_)->tree) {
            ASSERT_NO_FATAL_FAILURE(expect_internals(draft, golden_, round, network_->config, network_->target_id));
        }

        std::vector<int> tokens = {sequence_.back()};
        tokens.insert(tokens.end(), proposed.begin(), proposed.end());
        const int before = target_->length();
        (void)target_->forward({.tokens = tokens, .taps = taps});
        const std::vector<int> committed = golden_.ids(round + "committed");
        sequence_.insert(sequence_.end(), committed.begin(), committed.end());
        target_->truncate(static_cast<int>(sequence_.size()) - 1);
        drafter_->observe({.sequence = sequence_,
                           .accepted_drafts = static_cast<int>(committed.size()) - 1,
                           .first = before,
                           .features = target_->features().slice(0, static_cast<int>(committed.size()))});
        const Internals truth = drafter_->look_back();
        const bool taps_normed = network_->config.fc_norm || network_->config.norm_before_fc;
        if (network_->config.method == DraftConfig::Method::eagle3 && !taps_normed && !truth.empty())
            expect_feature_errors(truth, golden_, round, files_ / "model.safetensors");
        target_->poison();
    }

    static void check_confidence(const Draft& draft, const std::vector<float>& wanted) {
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            double shown = -1;
            ASSERT_EQ(std::sscanf(draft.nodes[i].extra.c_str(), "confidence %lf", &shown), 1);
            EXPECT_NEAR(shown, wanted[i], 0.006);
        }
    }

    std::string drafter_name_;
    ModelFolder files_;
    Golden golden_;
    std::unique_ptr<Backend> backend_;
    std::shared_ptr<const Model> target_model_;
    std::shared_ptr<const DraftNetwork> network_;
    std::unique_ptr<Decoder> target_;
    std::unique_ptr<Drafter> drafter_;
    std::vector<int> sequence_;
};

// What the public implementations drafted, by the same heads as llama.cpp packs them: bf16 and f32 hold their numbers exactly.
TEST(DrafterParity, HeadsFromGgufFiles) {
    for (const DType matrices : {DType::bf16, DType::f32})
        for (const auto& [folder, drafter] : {std::pair<std::string, std::string>{"micro_eagle3", "eagle3"},
                                              {"micro_eagle3_norm_first", "eagle3"},
                                              {"micro_dflash", "dflash"},
                                              {"micro_dflash2", "dflash2"},
                                              {"micro_dspark", "dspark"}}) {
            SCOPED_TRACE(folder);
            Case c{folder, drafter};
            if (drafter == "dflash2") c.prefix = "full.";
            c.gguf = matrices;
            GoldenPass(c).run();
        }
}
TEST(DrafterParity, Eagle3) { GoldenPass({"micro_eagle3", "eagle3"}).run(); }
TEST(DrafterParity, Eagle3WithANormOfEachTap) { GoldenPass({"micro_eagle3_fc_norm", "eagle3"}).run(); }
// A folder that speculators wrote, and the forward pass of that library.
TEST(DrafterParity, Eagle3GoesOnFromNormedStatesBehindANormOfAllTaps) {
    Case c{"micro_eagle3_norm_output", "eagle3", "normed."};
    GoldenPass(c).run();
    c.prefix = "raw."; // the other state drafts other tokens
    c.edits = {{R"("norm_output": true)", R"("norm_output": false)"}};
    GoldenPass(c).run();
}
TEST(DrafterParity, Eagle3NormBeforeResidual) { GoldenPass({"micro_eagle3_norm_first", "eagle3"}).run(); }
// Expanding one node a level is drafting a chain, although every level is run in another way.
TEST(DrafterParity, Eagle3TreeOfWidthOne) {
    Case c{"micro_eagle3", "eagle3_tree"};
    c.options.tree_topk = 1;
    GoldenPass(c).run();
}
// One token a place and no n-grams: the favourites of the pass, one after the other.
TEST(DrafterParity, DartOfWidthOne) {
    Case c{"micro_dart", "dart"};
    c.options.tree_topk = 1;
    c.options.ngram_weight = 0;
    GoldenPass(c).run();
}
TEST(Eagle3Tree, KeepsTheBestPathsAndTheirParents) {
    const auto backend = test_backend(2);
    const auto model = Model::load(*backend, golden("micro_qwen3"));
    const auto network = DraftNetwork::load(model, golden("micro_eagle3"));
    const std::vector<int> sequence = {5, 17, 3, 99, 250, 7};
    const auto drafts = [&](const std::string& name, int width, int nodes) {
        const auto target = make_model_decoder(model, 64);
        DrafterOptions options;
        options.tree_topk = width;
        const auto drafter = find_drafter(name)->make({*target, nullptr, network, options});
        drafter->begin(sequence);
        target->prefill(std::span(sequence).first(5), drafter->taps(), [&](int first, const Tensor& features) {
            drafter->observe({.sequence = sequence, .first = first, .prompt = true, .features = features});
        });
        return drafter->draft({.sequence = sequence, .k = 4, .nodes = nodes, .sampling = {}, .coin = {}, .entries = 8}).nodes;
    };
    const std::vector<DraftNode> chain = drafts("eagle3", 1, 0), tree = drafts("eagle3_tree", 3, 60);
    // width 3, 4 levels: 3 + 3 * 9 nodes were considered, all of them fit
    ASSERT_EQ(tree.size(), 30u);
    int at = -1;
    for (const DraftNode& node : chain) { // the favourite of every favourite is the chain
        int child = -1;
        for (std::size_t i = 0; i < tree.size() && child < 0; ++i)
            if (tree[i].parent == at) child = static_cast<int>(i);
        if (child < 0) break; // off the beam
        EXPECT_EQ(tree[static_cast<std::size_t>(child)].token, node.token);
        const std::vector<TopEntries::Entry>& got = tree[static_cast<std::size_t>(child)].heads.raw.entries;
        ASSERT_EQ(got.size(), node.heads.raw.entries.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            EXPECT_EQ(got[i].id, node.heads.raw.entries[i].id);
            EXPECT_NEAR(got[i].logp, node.heads.raw.entries[i].logp, 1e-6);
        }
        at = child;
    }
    EXPECT_GE(at, 0);
    std::vector<int> children(tree.size() + 1);
    for (std::size_t i = 0; i < tree.size(); ++i) {
        ASSERT_LT(tree[i].parent, static_cast<int>(i));
        EXPECT_LE(++children[static_cast<std::size_t>(tree[i].parent + 1)], 3);
        EXPECT_TRUE(tree[i].distribution.empty()); // nothing was drawn
    }
    // a smaller budget keeps some of the same paths
    const std::vector<DraftNode> few = drafts("eagle3_tree", 3, 7);
    ASSERT_EQ(few.size(), 7u);
    for (const DraftNode& node : few) {
        const auto same = [&](const DraftNode& other) { return other.token == node.token && other.extra == node.extra; };
        EXPECT_TRUE(std::ranges::any_of(tree, same)) << node.token;
    }
}
TEST(DrafterParity, DFlash) { GoldenPass({"micro_dflash", "dflash"}).run(); }
TEST(DrafterParity, DFlashAsTransformersHasIt) {
    Case c{"micro_dflash", "dflash"};
    c.layout = Layout::transformers;
    GoldenPass(c).run();
}
TEST(DrafterParity, DFlash2) { GoldenPass({"micro_dflash2", "dflash2", "full."}).run(); }
// The first of its two layers sees the last 8 positions, in both directions, as the released heads do with 2048.
TEST(DrafterParity, DFlash2WithAWindow) {
    const std::vector<std::pair<std::string, std::string>> edits = {
        {"\"full_attention\",\n    \"full_attention\"", "\"sliding_attention\", \"full_attention\""},
        {"\"sliding_window\": null", "\"sliding_window\": 8"},
        {"\"use_sliding_window\": false", "\"use_sliding_window\": true"}};
    GoldenPass({"micro_dflash2", "dflash2", "sliding.", edits}).run();
    Case file{"micro_dflash2", "dflash2", "sliding.", edits};
    file.gguf = DType::f32;
    GoldenPass(file).run();
}
TEST(DrafterParity, DSpark) { GoldenPass({"micro_dspark", "dspark"}).run(); }
// The same weights in the folders that speculators writes draft the same tokens.
TEST(DrafterParity, BlocksAsSpeculatorsHasThem) {
    const std::vector<std::pair<std::string, std::string>> windows = {
        {"\"full_attention\",\n    \"full_attention\"", "\"sliding_attention\", \"full_attention\""},
        {"\"sliding_window\": null", "\"sliding_window\": 8"},
        {"\"use_sliding_window\": false", "\"use_sliding_window\": true"}};
    for (Case c : {Case{"micro_dflash", "dflash"}, Case{"micro_dspark", "dspark"}, Case{"micro_dflash2", "dflash2", "full."},
                   Case{"micro_dflash2", "dflash2", "sliding.", windows}}) {
        SCOPED_TRACE(c.folder + " " + c.prefix);
        c.layout = Layout::speculators;
        GoldenPass(c).run();
    }
}
// Folders that speculators wrote, over 128 of the 512 ids, and what that library computes for them.
TEST(DrafterParity, BlocksOverSomeIdsAsSpeculatorsWritesThem) {
    for (const auto& [folder, drafter] : {std::pair<std::string, std::string>{"micro_dflash_some", "dflash"},
                                          {"micro_dspark_gated", "dspark"},
                                          {"micro_dspark_rnn", "dspark"}}) {
        SCOPED_TRACE(folder);
        GoldenPass({folder, drafter}).run();
    }
}
TEST(DrafterParity, Medusa) { GoldenPass({"micro_medusa", "medusa"}).run(); }
TEST(DrafterParity, MedusaWithTheTargetsOutputMatrix) { GoldenPass({"micro_medusa_shared", "medusa"}).run(); }
TEST(DrafterParity, Mtp) { GoldenPass({"micro_mtp", "mtp"}).run(); }
TEST(DrafterParity, DominoInAllAlignments) {
    for (const Layout layout : {Layout::release, Layout::speculators}) {
        for (const bool shift : {true, false}) {
            for (const int prefix : {0, 1, 2}) {
                Case c{"micro_domino", "domino"};
                c.layout = layout;
                c.prefix = "shift" + std::to_string(shift) + "_prefix" + std::to_string(prefix) + ".";
                SCOPED_TRACE(c.prefix + (layout == Layout::release ? "" : ", speculators"));
                if (!shift) c.edits.emplace_back("\"shift_label\": true", "\"shift_label\": false");
                if (prefix != 1)
                    c.edits.emplace_back("\"pure_draft_prefix_len\": 1", "\"pure_draft_prefix_len\": " + std::to_string(prefix));
                GoldenPass(c).run();
            }
        }
    }
}
// SpecForge's class ranks every id: there the others' rows of the correction are zeros, and their logits no chance.
TEST(DrafterParity, DominoOverSomeIds) { GoldenPass({"micro_domino_some", "domino"}).run(); }

} // namespace
} // namespace speclens::test
