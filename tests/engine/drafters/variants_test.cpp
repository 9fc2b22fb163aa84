// Variants of trained drafters that no public checkpoint uses and no public implementation was run for,
// against a direct computation in double precision: Markov heads with gates, EAGLE-3 with norms of the taps
// and more layers, DFlash with windows. And Medusa's tree against Medusa's chain.
#include <algorithm>

#include "engine/drafters/domino_head.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"
#include "engine/drafters/eagle3_head.h"
#include "engine/drafters/markov_head.h"
#include "engine/drafters/tree_shape.h"
#include "tests/shared/micro.h"
#include "tests/shared/model_support.h"
#include "tests/shared/reference_layer.h"

namespace speclens::test {
namespace {

using Method = DraftConfig::Method;
using Markov = DraftConfig::Markov;

std::vector<float> made_up(std::size_t size, std::uint64_t seed) {
    std::vector<float> values;
    for (std::size_t i = 0; i < size; ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        values.push_back(static_cast<float>(static_cast<double>(seed >> 40) / (1 << 23) - 1));
    }
    return values;
}

void fill(Backend& backend, const Tensor& tensor, std::uint64_t seed, float shift = 0) {
    std::vector<float> values = made_up(static_cast<std::size_t>(tensor.size()), seed);
    for (float& value : values) value += shift;
    backend.upload(tensor, values.data());
}

class Variants : public ::testing::Test {
  protected:
    [[nodiscard]] std::shared_ptr<const DraftNetwork> head(const DraftConfig& config) const {
        return DraftNetwork::random(target_, config, "head", 11);
    }
    // Domino's head as of a large target, whose table of inputs would be slower than the product.
    [[nodiscard]] std::shared_ptr<const DraftNetwork> without_table(const DraftConfig& config) const {
        const auto network = std::const_pointer_cast<DraftNetwork>(head(config));
        network->gru_table = Buffer();
        return network;
    }
    // The distributions at temperature 1 of the first guesses after prompt_, and the features that they were made
    // from.
    std::vector<Vec> distributions(const std::string& drafter, const std::shared_ptr<const DraftNetwork>& network, int k) {
        const auto target = make_model_decoder(target_, 128);
        const auto instance = find_drafter(drafter)->make({*target, nullptr, network, {}});
        instance->begin(prompt_);
        features_.clear();
        const auto taps = instance->taps();
        target->prefill(std::span(prompt_).first(prompt_.size() - 1), taps, [&](int first, const Tensor& features) {
            const std::vector<float> values = download(*backend_, features);
            for (std::int64_t row = 0; row < features.rows; ++row)
                features_.emplace_back(values.begin() + row * features.cols, values.begin() + (row + 1) * features.cols);
            instance->observe({.sequence = prompt_, .first = first, .prompt = true, .features = features});
        });
        const Draft draft = instance->draft({.sequence = prompt_, .k = k, .nodes = 0, .sampling = {}, .coin = {}, .entries = -1});
        std::vector<Vec> distributions;
        drafted_.clear();
        for (const DraftNode& node : draft.nodes) {
            Vec distribution(61, -std::numeric_limits<double>::infinity());
            for (const TopEntries::Entry& entry : node.heads.raw.entries) distribution[static_cast<std::size_t>(entry.id)] = entry.logp;
            distributions.push_back(distribution);
            drafted_.push_back(node.token);
        }
        return distributions;
    }
    static double distance(const Vec& a, const Vec& b) {
        double worst = 0;
        for (std::size_t i = 0; i < b.size(); ++i)
            if (std::isfinite(b[i])) worst = std::max(worst, std::abs(a[i] - b[i]));
        return worst;
    }

    std::unique_ptr<Backend> backend_ = make_cpu_backend({.threads = 2});
    std::shared_ptr<const Model> target_ = Model::random(*backend_, micro_config(6, 48), "micro target", 5);
    std::vector<int> prompt_ = {7, 8, 9, 30, 2, 55, 41, 3, 17, 28, 11, 60};
    std::vector<Vec> features_; // of every prompt token but the last
    std::vector<int> drafted_;
};

TEST_F(Variants, MarkovHeadsComputeTheirFormulas) {
    for (const Markov type : {Markov::vanilla, Markov::gated, Markov::rnn}) {
        DraftConfig config = micro_head(Method::dspark, target_->config);
        config.markov = type;
        const auto network = head(config);
        const auto rank = static_cast<std::size_t>(config.markov_rank);
        const bool gated = type == Markov::gated, rnn = type == Markov::rnn;
        if (gated) fill(*backend_, network->gate_bias.view(), 3);
        if (rnn) fill(*backend_, network->joint_bias.view(), 4);

        Buffer rows(*backend_, DType::f32, 4, 48);
        fill(*backend_, rows.view(), 5);
        const Matrix w1 = read_matrix(*backend_, network->markov_in.view());
        const Matrix u = read_matrix(*backend_, rows.view());
        const Matrix gate_row = read_matrix(*backend_, network->gate_row.view()),
                     gate_prev = read_matrix(*backend_, network->gate_prev.view()),
                     joint_state = read_matrix(*backend_, network->joint_state.view()),
                     joint_prev = read_matrix(*backend_, network->joint_prev.view()),
                     joint_row = read_matrix(*backend_, network->joint_row.view());
        const Vec gate_bias = read_vector(*backend_, network->gate_bias.view()),
                  joint_bias = read_vector(*backend_, network->joint_bias.view());

        MarkovHead markov(*network);
        for (int block = 0; block < 2; ++block) { // the second begins from a zero state again
            Vec state(rank, 0.0);
            markov.begin(rows.view());
            for (int i = 0; i < 4; ++i) {
                const int token = 13 * (i + 1) + block;
                const Vec before = w1.row(token);
                Vec want = before;
                if (gated) {
                    const Vec a = gate_row * u.row(i), b = gate_prev * before;
                    for (std::size_t j = 0; j < rank; ++j) want[j] *= sigmoid(a[j] + b[j] + gate_bias[j]);
                }
                if (rnn) {
                    const Vec a = joint_state * state, b = joint_prev * before, c = joint_row * u.row(i);
                    const auto sum = [&](std::size_t j) { return a[j] + b[j] + c[j] + joint_bias[j]; };
                    for (std::size_t j = 0; j < rank; ++j) {
                        const double g = sigmoid(sum(j));
                        state[j] = g * state[j] + (1 - g) * std::tanh(sum(rank + j));
                        want[j] = std::tanh(sum(2 * rank + j));
                    }
                }
                const Vec got = read_vector(*backend_, markov.step(i, token));
                for (std::size_t j = 0; j < rank; ++j) EXPECT_NEAR(got[j], want[j], 2e-6) << i << ", " << j;
                EXPECT_EQ(read_vector(*backend_, markov.previous()), before);
            }
        }
    }
}

// Domino's head (arXiv 2605.29707): state and correction of every step, with and without the table of inputs, and
// with a pool of candidates, whose logits are the same ones.
TEST_F(Variants, DominosHeadComputesItsFormulas) {
    const DraftConfig config = micro_head(Method::domino, target_->config);
    const auto network = head(config);
    ASSERT_FALSE(network->gru_table.empty());
    const Matrix table = read_matrix(*backend_, network->gru_table.view()), input = read_matrix(*backend_, network->gru_input.view()),
                 hidden = read_matrix(*backend_, network->gru_hidden.view()), mix_row = read_matrix(*backend_, network->mix_row.view()),
                 mix_state = read_matrix(*backend_, network->mix_state.view()),
                 correction = read_matrix(*backend_, network->correction.view()),
                 embedding = read_matrix(*backend_, target_->embedding.view());
    for (int token : {0, 7, 60}) {
        const Vec want = input * embedding.row(token);
        for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(table.row(token)[i], want[i], 1e-6);
    }

    const auto target = make_model_decoder(target_, 32);
    Buffer rows(*backend_, DType::f32, 5, 48), base(*backend_, DType::f32, 5, 61);
    fill(*backend_, rows.view(), 31);
    fill(*backend_, base.view(), 32);
    const Matrix u = read_matrix(*backend_, rows.view()), b = read_matrix(*backend_, base.view());
    constexpr std::size_t kPool = 20;
    Vec best(61, -1e30);
    for (int row = 1; row < 5; ++row)
        for (std::size_t id = 0; id < 61; ++id) best[id] = std::max(best[id], b.row(row)[id]);
    std::vector<std::size_t> order(61);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t x, std::size_t y) { return best[x] > best[y]; });
    const OutputHead whole = {target_->head(), {}, {}};
    const auto bare = without_table(config);
    for (const auto& [pooled, tabled] : {std::pair{false, true}, {true, true}, {false, false}}) {
        DominoHead domino({*target, nullptr, tabled ? network : bare, {}}, whole, pooled ? static_cast<int>(kPool) : 0);
        for (int block = 0; block < 2; ++block) { // the second begins from a zero state again
            domino.begin(rows.view(), base.view(), 1);
            Vec state(10, 0.0);
            domino.read(3 + block);
            domino.read(9);
            std::vector<int> unread = {3 + block, 9};
            for (int i = 1; i < 5; ++i) {
                for (const int token : unread) {
                    const Vec in = input * embedding.row(token), hid = hidden * state;
                    for (std::size_t j = 0; j < 10; ++j) {
                        const double r = sigmoid(in[j] + hid[j]), z = sigmoid(in[10 + j] + hid[10 + j]);
                        state[j] = (1 - z) * std::tanh(in[20 + j] + r * hid[20 + j]) + z * state[j];
                    }
                }
                Vec mixed = mix_row * u.row(i);
                const Vec of_state = mix_state * state;
                for (std::size_t j = 0; j < mixed.size(); ++j) {
                    mixed[j] += of_state[j];
                    mixed[j] *= sigmoid(mixed[j]);
                }
                const Vec delta = correction * mixed;
                const std::vector<float> got = domino.correct(i).logits(0);
                for (std::size_t rank = 0; rank < 61; ++rank) {
                    const std::size_t id = order[rank];
                    if (pooled && rank >= kPool)
                        EXPECT_EQ(got[id], -std::numeric_limits<float>::infinity()) << id;
                    else
                        EXPECT_NEAR(got[id], b.row(i)[id] + delta[id], 2e-6) << id;
                }
                unread = {20 + i};
                domino.read(20 + i);
            }
        }
    }
}

// At once, where no token comes back from the device before the block is whole.
TEST_F(Variants, DominoGuessesTheSameWithoutItsTable) {
    const DraftConfig config = micro_head(Method::domino, target_->config);
    const auto target = make_model_decoder(target_, 32);
    Buffer rows(*backend_, DType::f32, 7, 48), base(*backend_, DType::f32, 7, 61);
    fill(*backend_, rows.view(), 31);
    fill(*backend_, base.view(), 32);
    const OutputHead whole = {target_->head(), {}, {}};
    const auto with_table = head(config), without = without_table(config);
    DominoHead tabled({*target, nullptr, with_table, {}}, whole, 0), bare({*target, nullptr, without, {}}, whole, 0);
    for (const int anchor : {3, 9, 60})
        EXPECT_EQ(bare.draft_tokens(rows.view(), base.view(), 1, anchor), tabled.draft_tokens(rows.view(), base.view(), 1, anchor));
}

// EAGLE-3 columns (arXiv 2503.01840), layer by layer.
struct ReferenceEagle {
    ReferenceEagle(Backend& backend, const DraftNetwork& network)
        : c(network.config), fc(read_matrix(backend, network.fc.view())), head(read_matrix(backend, network.lm_head.view())),
          embedding(read_matrix(backend, network.target->embedding.view())), hidden_norm(read_vector(backend, network.hidden_norm.view())),
          norm(read_vector(backend, network.norm.view())) {
        for (const LayerWeights& weights : network.layer) layers.emplace_back(backend, c.layer, weights);
        for (const Buffer& tap : network.fc_norm) tap_norms.push_back(read_vector(backend, tap.view()));
        if (c.norm_before_fc) input_norm = read_vector(backend, network.input_norm.view());
        keys.resize(layers.size());
    }
    Vec fused(const Vec& features) const {
        const std::size_t h = hidden_norm.size();
        Vec all;
        for (std::size_t tap = 0; tap < c.taps.size(); ++tap) {
            const Vec part(features.begin() + static_cast<std::ptrdiff_t>(tap * h),
                           features.begin() + static_cast<std::ptrdiff_t>((tap + 1) * h));
            all = joined(all, tap_norms.empty() ? part : rms(part, tap_norms[tap], c.layer.rms_eps));
        }
        return fc * (input_norm.empty() ? all : rms(all, input_norm, c.layer.rms_eps));
    }
    // What the column behind one more goes on from.
    Vec column(const Vec& g, int token) {
        const int position = static_cast<int>(keys[0].size());
        const Vec normed = rms(g, hidden_norm, c.layer.rms_eps);
        Vec residual = c.norm_before_residual ? normed : g;
        Vec input = joined(layers[0].normed(embedding.row(token)), normed);
        for (std::size_t l = 0; l < layers.size(); ++l) {
            if (l > 0) input = layers[l].normed(residual);
            keys[l].push_back(layers[l].key(input, position));
            residual = layers[l].run(residual, input, position, keys[l]);
        }
        return c.norm_output ? rms(residual, norm, c.layer.rms_eps) : residual;
    }
    Vec distribution(const Vec& output) const { return log_softmax(head * (c.norm_output ? output : rms(output, norm, c.layer.rms_eps))); }

    DraftConfig c;
    Matrix fc, head, embedding;
    Vec hidden_norm, norm, input_norm;
    std::vector<ReferenceLayer> layers;
    std::vector<Vec> tap_norms;
    std::vector<std::vector<ReferenceLayer::Key>> keys;
};

TEST_F(Variants, Eagle3NormsItsTapsAndRunsAllItsLayers) {
    struct Variant {
        int layers;
        bool fc_norm, norm_first, before_fc = false, output = false;
    };
    for (const Variant& v : {Variant{1, false, false}, Variant{1, true, false}, Variant{3, false, true}, Variant{2, true, false},
                             Variant{1, false, false, true, false}, Variant{1, false, false, false, true},
                             Variant{2, true, true, false, true}, Variant{1, false, true, true, true}}) {
        SCOPED_TRACE(std::to_string(v.layers) + " layers, " +
                     (v.fc_norm     ? "norms"
                      : v.before_fc ? "one norm"
                                    : "no norms") +
                     (v.output ? ", goes on from normed states" : ""));
        DraftConfig config = micro_head(Method::eagle3, target_->config);
        config.layer.layers = v.layers;
        config.fc_norm = v.fc_norm;
        config.norm_before_residual = v.norm_first;
        config.norm_before_fc = v.before_fc;
        config.norm_output = v.output;
        const auto network = head(config);
        if (v.before_fc) fill(*backend_, network->input_norm.view(), 19, 1.5f);
        if (v.output) fill(*backend_, network->norm.view(), 18, 1.5f); // else the state would only have another length
        for (std::size_t tap = 0; tap < network->fc_norm.size(); ++tap) fill(*backend_, network->fc_norm[tap].view(), 20 + tap, 1.5f);
        const std::vector<Vec> got = distributions("eagle3", network, 3);
        ASSERT_EQ(got.size(), 3u);

        ReferenceEagle reference(*backend_, *network);
        Vec output;
        for (std::size_t i = 0; i < features_.size(); ++i) output = reference.column(reference.fused(features_[i]), prompt_[i + 1]);
        for (std::size_t guess = 0; guess < 3; ++guess) {
            EXPECT_LT(distance(got[guess], reference.distribution(output)), 2e-5) << "guess " << guess;
            output = reference.column(output, drafted_[guess]);
        }

        // what the lens shows of a feature is what the layer reads
        Buffer taps(*backend_, DType::f32, 2, static_cast<std::int64_t>(features_[0].size()));
        std::vector<float> two;
        for (std::size_t row = 0; row < 2; ++row) two.insert(two.end(), features_[row].begin(), features_[row].end());
        backend_->upload(taps.view(), two.data());
        const std::vector<float> fused = Eagle3Head(network, 8).fused(taps.view());
        const Vec want = joined(reference.fused(features_[0]), reference.fused(features_[1]));
        ASSERT_EQ(fused.size(), want.size());
        for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(fused[i], want[i], 2e-5) << i;
    }
}

// A DFlash block (Chen et al. 2026): every row by itself over the keys that it sees.
std::vector<Vec> reference_block(Backend& backend, const DraftNetwork& network, const std::vector<Vec>& features, int anchor, int rows) {
    const DraftConfig& c = network.config;
    const double eps = c.layer.rms_eps;
    const Matrix fc = read_matrix(backend, network.fc.view()), head = read_matrix(backend, network.target->head()),
                 embedding = read_matrix(backend, network.target->embedding.view());
    const Vec hidden_norm = read_vector(backend, network.hidden_norm.view()), norm = read_vector(backend, network.norm.view());
    const int start = static_cast<int>(features.size());
    std::vector<Vec> x(static_cast<std::size_t>(rows), embedding.row(c.mask_id));
    x[0] = embedding.row(anchor);
    for (std::size_t l = 0; l < network.layer.size(); ++l) {
        const ReferenceLayer layer(backend, c.layer, network.layer[l]);
        const int window = c.windows.empty() ? 0 : c.windows[l];
        std::vector<ReferenceLayer::Key> keys;
        for (int i = 0; i < start; ++i) keys.push_back(layer.key(rms(fc * features[static_cast<std::size_t>(i)], hidden_norm, eps), i));
        for (int j = 0; j < rows; ++j) keys.push_back(layer.key(layer.normed(x[static_cast<std::size_t>(j)]), start + j));
        for (int j = 0; j < rows; ++j) {
            std::vector<ReferenceLayer::Key> seen;
            for (int key = 0; key < start + rows; ++key) {
                const bool near = window == 0 || key >= start + j - (window - 1);
                const bool past = window == 0 || !c.window_causal || key <= start + j;
                if (near && past) seen.push_back(keys[static_cast<std::size_t>(key)]);
            }
            Vec& row = x[static_cast<std::size_t>(j)];
            row = layer.run(row, layer.normed(row), start + j, seen);
        }
    }
    std::vector<Vec> distributions;
    for (int j = 1; j < rows; ++j) distributions.push_back(log_softmax(head * rms(x[static_cast<std::size_t>(j)], norm, eps)));
    return distributions;
}

TEST_F(Variants, DFlashSeesItsWindows) {
    DraftConfig whole = micro_head(Method::dflash, target_->config);
    const std::vector<Vec> all = distributions("dflash", head(whole), 6);
    struct Variant {
        std::vector<int> windows;
        bool causal;
    };
    for (const Variant& v : {Variant{{}, true}, Variant{{4, 4}, true}, Variant{{0, 3}, true}, Variant{{5, 0}, false}, Variant{{1, 2}, true},
                             Variant{{100, 100}, true}, Variant{{100, 100}, false}}) {
        DraftConfig config = whole;
        config.windows = v.windows;
        config.window_causal = v.causal;
        const auto network = head(config);
        const std::vector<Vec> got = distributions("dflash", network, 6);
        const std::vector<Vec> want = reference_block(*backend_, *network, features_, prompt_.back(), 7);
        ASSERT_EQ(got.size(), 6u);
        double difference = 0;
        for (std::size_t i = 0; i < 6; ++i) {
            EXPECT_LT(distance(got[i], want[i]), 2e-5) << "guess " << i;
            difference = std::max(difference, distance(got[i], all[i]));
        }
        const bool sees_all = v.windows.empty() || (v.windows[0] == 100 && !v.causal);
        if (sees_all) {
            EXPECT_EQ(difference, 0) << "the order of the sums must not depend on how a row is told what it sees";
        } else {
            EXPECT_GT(difference, 1e-3) << "a window that changes nothing is not tested";
        }
    }
}

// A block that may look back at four tokens does not see what the features of those before them are.
TEST_F(Variants, ABlockSeesTheEndOfItsContextWhereItIsLimited) {
    const auto network = head(micro_head(Method::dflash, target_->config));
    const auto drafts = [&](int last, std::uint64_t early) {
        const auto target = make_model_decoder(target_, 128);
        DrafterOptions options;
        options.context_last = last;
        const auto block = find_drafter("dflash")->make({*target, nullptr, network, options});
        block->begin(prompt_);
        Buffer features(*backend_, DType::f32, 11, 3 * 48);
        fill(*backend_, features.view(), early);
        fill(*backend_, features.view().slice(7, 4), 99);
        block->observe({.sequence = prompt_, .first = 0, .prompt = true, .features = features.view()});
        const Draft draft = block->draft({.sequence = prompt_, .k = 3, .nodes = 0, .sampling = {}, .coin = {}, .entries = -1});
        std::vector<TopEntries> distributions;
        for (const DraftNode& node : draft.nodes) distributions.push_back(node.heads.raw);
        EXPECT_EQ(distributions.size(), 3u);
        return distributions;
    };
    EXPECT_EQ(drafts(4, 1), drafts(4, 2));
    EXPECT_NE(drafts(5, 1), drafts(5, 2)) << "the fifth from the end is another one";
    EXPECT_NE(drafts(4, 1), drafts(0, 1)) << "0: all of it";
    EXPECT_EQ(drafts(11, 1), drafts(0, 1));
}

TEST(RankShape, TakesTheSmallestSumsOfRanks) {
    const std::vector<ShapeNode> shape = rank_shape(3, 3, 8);
    // 1 | 1+1, 2 | 1+1+1, 1+2, 2+1, 3 | one of the four that cost 4, the deepest
    const std::vector<std::tuple<int, int, int>> want = {{-1, 0, 1}, {-1, 1, 1}, {-1, 2, 1}, {0, 0, 2},
                                                         {0, 1, 2},  {1, 0, 2},  {3, 0, 3},  {3, 1, 3}};
    ASSERT_EQ(shape.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(std::tuple(shape[i].parent, shape[i].lane, shape[i].depth), want[i]) << i;
    EXPECT_EQ(rank_shape(10, 4, 63).size(), 63u);
    EXPECT_EQ(rank_shape(2, 2, 100).size(), 6u);
}

TEST(MedusaTree, CombinesTheRanksOfTheHeads) {
    const auto backend = make_cpu_backend({.threads = 2});
    const auto model = Model::load(*backend, golden("micro_qwen3"));
    const auto network = DraftNetwork::load(model, golden("micro_medusa"));
    const std::vector<int> sequence = {5, 17, 3, 99, 250, 7};
    const auto drafts = [&](const std::string& name, int nodes) {
        const auto target = make_model_decoder(model, 64);
        DrafterOptions options;
        options.tree_topk = 4;
        const auto drafter = find_drafter(name)->make({*target, nullptr, network, options});
        drafter->begin(sequence);
        target->prefill(std::span(sequence).first(5), drafter->taps(), [&](int first, const Tensor& features) {
            drafter->observe({.sequence = sequence, .first = first, .prompt = true, .features = features});
        });
        return drafter->draft({.sequence = sequence, .k = 3, .nodes = nodes, .sampling = {}, .coin = {}, .entries = 8});
    };
    const Draft chain = drafts("medusa", 0), tree = drafts("medusa_tree", 30);
    ASSERT_EQ(chain.nodes.size(), 3u);
    ASSERT_EQ(tree.nodes.size(), 30u);
    const std::vector<int> depth = tree.depths(), lane = tree.lanes();
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const TopEntries& distribution = chain.nodes[static_cast<std::size_t>(depth[i] - 1)].heads.raw;
        EXPECT_EQ(tree.nodes[i].token, distribution.entries[static_cast<std::size_t>(lane[i])].id) << i;
        EXPECT_TRUE(tree.nodes[i].distribution.empty()) << "nothing was drawn";
    }
    EXPECT_EQ(*std::ranges::max_element(depth), 3);
}

} // namespace
} // namespace speclens::test
