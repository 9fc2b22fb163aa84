// The MTP head against a computation in double precision, in both orders of its pair; its rounds, its layouts, and what it refuses.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

#include <gtest/gtest.h>

#include "engine/base/json.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"
#include "engine/weights/safetensors_write.h"
#include "kernels/error.h"
#include "tests/shared/micro.h"
#include "tests/shared/reference_layer.h"
#include "tests/shared/temp_folder.h"

namespace speclens::test {
namespace {

using Method = DraftConfig::Method;

class MtpHead : public ::testing::Test {
  protected:
    [[nodiscard]] std::shared_ptr<const DraftNetwork> head(bool state_first = false, bool zeroes_first = false) const {
        DraftConfig config = micro_head(Method::mtp, models_->target->config);
        config.state_first = state_first;
        config.zeroes_first = zeroes_first;
        auto network = std::const_pointer_cast<DraftNetwork>(DraftNetwork::random(models_->target, config, "mtp", 11));
        std::uint64_t seed = 3; // norms of ones would hide which of them is applied where
        for (Buffer* norm : {&network->token_norm, &network->hidden_norm, &network->norm}) {
            std::vector<float> values(static_cast<std::size_t>(norm->view().size()));
            for (float& value : values) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                value = 0.5f + static_cast<float>(static_cast<double>(seed >> 40) / (1 << 24));
            }
            network->backend().upload(norm->view(), values.data());
        }
        return network;
    }

    struct Guessed {
        std::vector<int> tokens;
        std::vector<Vec> logp;
    };
    // One draft behind `text`, and the target's states of all its tokens but the last.
    Guessed draft(const std::shared_ptr<const DraftNetwork>& network, const std::vector<int>& text, int k, bool raw = false, int last = 0,
                  bool prompt = true) {
        DrafterOptions options;
        options.mtp_prompt = prompt;
        options.mtp_raw = raw;
        options.context_last = last;
        const auto target = make_model_decoder(models_->target, 128);
        const auto drafter = find_drafter("mtp")->make({*target, nullptr, network, options});
        drafter->begin(text);
        states_.clear();
        target->prefill(std::span(text).first(text.size() - 1), drafter->taps(), [&](int first, const Tensor& features) {
            std::vector<float> values(static_cast<std::size_t>(features.size()));
            network->backend().download(features, values.data());
            for (std::int64_t row = 0; row < features.rows; ++row)
                states_.emplace_back(values.begin() + row * features.cols, values.begin() + (row + 1) * features.cols);
            drafter->observe({.sequence = text, .first = first, .prompt = true, .features = features});
        });
        return guessed(drafter->draft({.sequence = text, .k = k, .nodes = 0, .sampling = {}, .coin = {}, .entries = -1}));
    }
    static Guessed guessed(const Draft& draft) {
        Guessed guessed;
        for (const DraftNode& node : draft.nodes) {
            guessed.tokens.push_back(node.token);
            Vec logp(61, -1e9);
            for (const TopEntries::Entry& entry : node.heads.raw.entries) logp[static_cast<std::size_t>(entry.id)] = entry.logp;
            guessed.logp.push_back(logp);
        }
        return guessed;
    }

    // The same guesses by plain loops. `last`: a row sees so many pairs, its own among them; none before `from`.
    std::vector<Vec> reference(const DraftNetwork& network, const std::vector<int>& text, const std::vector<int>& drafts,
                               std::size_t last = 1000, std::size_t from = 0) const {
        Backend& backend = network.backend();
        const ModelConfig& c = network.config.layer;
        const Matrix embedding = read_matrix(backend, network.target->embedding.view()), join = read_matrix(backend, network.fc.view()),
                     head = read_matrix(backend, network.target->head());
        const Vec token_norm = read_vector(backend, network.token_norm.view()),
                  state_norm = read_vector(backend, network.hidden_norm.view()), norm = read_vector(backend, network.norm.view());
        const ReferenceLayer layer(backend, c, network.layer[0]);
        std::vector<ReferenceLayer::Key> keys;
        std::vector<Vec> logp;
        Vec state;
        for (std::size_t row = from; row + 1 < text.size() + drafts.size(); ++row) {
            const bool own = row >= states_.size();
            const int token = row + 1 < text.size() ? text[row + 1] : drafts[row + 1 - text.size()];
            Vec embedded = embedding.row(token);
            if (network.config.zeroes_first && row == 0) std::ranges::fill(embedded, 0.0);
            const Vec e = rms(embedded, token_norm, c.rms_eps), h = rms(own ? state : states_[row], state_norm, c.rms_eps);
            const Vec x = join * (network.config.state_first ? joined(h, e) : joined(e, h));
            const Vec input = layer.normed(x);
            keys.push_back(layer.key(input, static_cast<int>(row)));
            if (keys.size() > last) keys.erase(keys.begin());
            state = rms(layer.run(x, input, static_cast<int>(row), keys), norm, c.rms_eps);
            if (row + 2 >= text.size()) logp.push_back(log_softmax(head * state));
        }
        return logp;
    }

    std::shared_ptr<const Models> models_ = micro_models(2);
    std::vector<int> text_ = {7, 8, 9, 30, 2, 55, 41, 3, 17, 28, 11, 60};
    std::vector<Vec> states_;
};

TEST_F(MtpHead, ComputesItsFormulaAndReadsItsOwnOutputForLaterGuesses) {
    for (const bool state_first : {false, true})
        for (const bool zeroes_first : {false, true}) {
            const auto network = head(state_first, zeroes_first);
            const Guessed got = draft(network, text_, 4);
            ASSERT_EQ(got.tokens.size(), 4u);
            ASSERT_EQ(states_.size(), text_.size() - 1);
            const std::vector<Vec> wanted = reference(*network, text_, {got.tokens.begin(), got.tokens.end() - 1});
            ASSERT_EQ(wanted.size(), 4u);
            for (std::size_t i = 0; i < wanted.size(); ++i)
                for (std::size_t v = 0; v < 61; ++v)
                    ASSERT_NEAR(got.logp[i][v], wanted[i][v], 2e-3) << "guess " << i << ", id " << v << ", state first " << state_first;
        }
}

TEST_F(MtpHead, ThePairHasAnOrderAndTheStateAPlace) {
    const Vec usual = draft(head(), text_, 1).logp[0];
    const auto apart = [&](const Vec& other) {
        double most = 0;
        for (std::size_t v = 0; v < 61; ++v) most = std::max(most, std::abs(usual[v] - other[v]));
        return most;
    };
    EXPECT_GT(apart(draft(head(true), text_, 1).logp[0]), 0.01);
    // The target's final norm has weights of ones here, and the head norms what it reads: raw and normed states are one direction.
    EXPECT_LT(apart(draft(head(), text_, 1, true).logp[0]), 0.01);
}

// What its cache is worth: a layer that sees its last pairs only.
TEST_F(MtpHead, SeesTheLastPairsOnlyWhereItsContextIsLimited) {
    const auto network = head();
    const auto apart = [](const Vec& a, const Vec& b) {
        double most = 0;
        for (std::size_t v = 0; v < 61; ++v) most = std::max(most, std::abs(a[v] - b[v]));
        return most;
    };
    const Guessed all = draft(network, text_, 3);
    for (const int last : {1, 2, 5, 40}) {
        const Guessed got = draft(network, text_, 3, false, last);
        ASSERT_EQ(got.tokens.size(), 3u);
        const std::vector<Vec> wanted =
            reference(*network, text_, {got.tokens.begin(), got.tokens.end() - 1}, static_cast<std::size_t>(last));
        for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(apart(got.logp[i], wanted[i]), 2e-3) << last << " pairs, guess " << i;
        if (last > 11) continue;
        EXPECT_GT(apart(got.logp[0], all.logp[0]), 4e-3) << "a window that changes nothing is not tested"; // twice the tolerance above
    }
}

// A server that does not run the layer over the prompt: the newest pair is all that the first guesses see, at its own position.
TEST_F(MtpHead, WithoutThePromptsPairsItSeesTheNewestAndWhatFollows) {
    const auto network = head();
    std::vector<int> longer; // which the target reads in several pieces
    for (int i = 0; i < 100; ++i) longer.push_back((7 * i + i / 5) % 61);
    for (const std::vector<int>& text : {text_, longer}) {
        const Guessed got = draft(network, text, 3, false, 0, false), all = draft(network, text, 3),
                      own = draft(network, text, 3, false, 1);
        ASSERT_EQ(got.tokens.size(), 3u);
        const std::vector<Vec> wanted = reference(*network, text, {got.tokens.begin(), got.tokens.end() - 1}, 1000, text.size() - 2);
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t v = 0; v < 61; ++v) ASSERT_NEAR(got.logp[i][v], wanted[i][v], 2e-3) << "guess " << i << ", id " << v;
        EXPECT_NE(got.logp[0], all.logp[0]) << "or the prompt would not matter, and nothing is tested";
        EXPECT_EQ(got.logp[0], own.logp[0]);
        EXPECT_NE(got.logp[1], own.logp[1]) << "a further guess sees the pair before it";
    }
}

// A round that kept some guesses leaves the head as if the text had been read in one go.
TEST_F(MtpHead, RoundsLeaveNothingBehind) {
    const auto network = head();
    for (const int accepted : {0, 1, 3}) {
        const auto target = make_model_decoder(models_->target, 128);
        const auto drafter = find_drafter("mtp")->make({*target, nullptr, network, {}});
        std::vector<int> text = text_;
        drafter->begin(text);
        target->prefill(std::span(text).first(text.size() - 1), drafter->taps(), [&](int first, const Tensor& features) {
            drafter->observe({.sequence = text, .first = first, .prompt = true, .features = features});
        });
        const Draft round = drafter->draft({.sequence = text, .k = 3, .nodes = 0, .sampling = {}, .coin = {}});
        std::vector<int> pass{text.back()};
        for (const DraftNode& node : round.nodes) pass.push_back(node.token);
        const int before = target->length();
        (void)target->forward({.tokens = pass, .taps = drafter->taps()});
        std::vector<int> kept(static_cast<std::size_t>(accepted) + 1);
        for (int i = 0; i <= accepted; ++i) kept[static_cast<std::size_t>(i)] = i;
        target->keep(before, kept);
        for (int i = 0; i < accepted; ++i) text.push_back(pass[static_cast<std::size_t>(i) + 1]);
        text.push_back(5);
        drafter->observe({.sequence = text, .accepted_drafts = accepted, .first = before, .features = target->features()});
        const Guessed then = guessed(drafter->draft({.sequence = text, .k = 3, .nodes = 0, .sampling = {}, .coin = {}, .entries = -1}));
        const Guessed afresh = draft(network, text, 3);
        EXPECT_EQ(then.tokens, afresh.tokens) << accepted << " accepted";
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t v = 0; v < 61; ++v) ASSERT_NEAR(then.logp[i][v], afresh.logp[i][v], 1e-5);
    }
}

// The lens shows what it read and wrote: of a further guess the state is the output before it, normed as a state.
TEST_F(MtpHead, ShowsThePairThatItReadAndWhatCameOut) {
    const auto network = head();
    const auto target = make_model_decoder(models_->target, 128);
    const auto drafter = find_drafter("mtp")->make({*target, nullptr, network, {}});
    drafter->begin(text_);
    std::vector<Vec> states;
    target->prefill(std::span(text_).first(text_.size() - 1), drafter->taps(), [&](int first, const Tensor& features) {
        const Matrix rows = read_matrix(network->backend(), features);
        for (int row = 0; row < static_cast<int>(features.rows); ++row) states.push_back(rows.row(row));
        drafter->observe({.sequence = text_, .first = first, .prompt = true, .features = features});
    });
    const Draft draft = drafter->draft({.sequence = text_, .k = 2, .nodes = 0, .sampling = {}, .coin = {}, .internals = true});
    ASSERT_EQ(draft.nodes.size(), 2u);
    const double eps = network->config.layer.rms_eps;
    const auto expect_strip = [](const DraftNode& node, const char* name, const Vec& values) {
        const Internals::Strip* strip = node.internals.strip(name);
        ASSERT_NE(strip, nullptr) << name;
        Internals wanted;
        wanted.add(name, std::vector<float>(values.begin(), values.end()));
        for (std::size_t i = 0; i < strip->cells.size(); ++i) EXPECT_NEAR(strip->cells[i], wanted.strips[0].cells[i], 1e-3) << name;
    };
    const Vec norm = read_vector(network->backend(), network->hidden_norm.view());
    expect_strip(draft.nodes[0], "state", rms(states.back(), norm, eps));
    expect_strip(draft.nodes[0], "token",
                 rms(read_matrix(network->backend(), network->target->embedding.view()).row(text_.back()),
                     read_vector(network->backend(), network->token_norm.view()), eps));
    ASSERT_NE(draft.nodes[1].internals.strip("output"), nullptr);
    EXPECT_NE(draft.nodes[0].internals.strip("state")->cells, draft.nodes[1].internals.strip("state")->cells);
}

// ---- files ----

Json config_of(const ModelConfig& target) {
    // clang-format off
    return {{"architectures", {"MTPDraftModel"}}, {"model_type", "qwen3"}, {"hidden_size", target.hidden}, {"intermediate_size", 64},
            {"num_hidden_layers", 1}, {"num_attention_heads", 4}, {"num_key_value_heads", 2}, {"head_dim", 12}, {"vocab_size", target.vocab},
            {"max_position_embeddings", 512}, {"rms_norm_eps", target.rms_eps}, {"rope_theta", target.rope_theta}, {"hidden_act", "silu"}};
    // clang-format on
}

struct Names {
    std::string prefix, join, token_norm, state_norm, layer, norm;
};
const Names kSpeculators = {"mtp_layers.0.", "input_proj", "token_layernorm", "hidden_layernorm", "", "final_layernorm"};
const Names kMimo = {"model.mtp_layers.0.", "input_proj", "token_layernorm", "hidden_layernorm", "", "final_layernorm"};
const Names kQwen = {"mtp.", "fc", "pre_fc_norm_embedding", "pre_fc_norm_hidden", "layers.0.", "norm"};

// The head of `network` in a layout, as f32.
void write_head(const std::filesystem::path& folder, const DraftNetwork& network, const Names& names, const Json& config) {
    std::vector<TensorToWrite> tensors;
    const auto add = [&](const std::string& name, const Vec& values, std::vector<std::int64_t> shape) {
        std::vector<float> narrow(values.begin(), values.end());
        std::vector<std::byte> bytes(narrow.size() * sizeof(float));
        std::memcpy(bytes.data(), narrow.data(), bytes.size());
        tensors.push_back({names.prefix + name + ".weight", DType::f32, std::move(shape), [bytes] { return bytes; }});
    };
    Backend& backend = network.backend();
    const auto matrix = [&](const std::string& name, const Tensor& weight) {
        add(name, read_matrix(backend, weight).values, {weight.rows, weight.cols});
    };
    const auto vector = [&](const std::string& name, const Tensor& weight) { add(name, read_vector(backend, weight), {weight.cols}); };
    matrix(names.join, network.fc.view());
    vector(names.token_norm, network.token_norm.view());
    vector(names.state_norm, network.hidden_norm.view());
    vector(names.norm, network.norm.view());
    const LayerWeights& w = network.layer[0];
    vector(names.layer + "input_layernorm", w.input_norm.view());
    vector(names.layer + "post_attention_layernorm", w.post_norm.view());
    matrix(names.layer + "self_attn.q_proj", w.wq.view());
    matrix(names.layer + "self_attn.k_proj", w.wk.view());
    matrix(names.layer + "self_attn.v_proj", w.wv.view());
    matrix(names.layer + "self_attn.o_proj", w.wo.view());
    vector(names.layer + "self_attn.q_norm", w.q_norm.view());
    vector(names.layer + "self_attn.k_norm", w.k_norm.view());
    matrix(names.layer + "mlp.gate_proj", w.gate.view());
    matrix(names.layer + "mlp.up_proj", w.up.view());
    matrix(names.layer + "mlp.down_proj", w.down.view());
    write_safetensors(folder / "model.safetensors", std::move(tensors));
    std::ofstream(folder / "config.json") << config.dump();
}

class MtpFiles : public MtpHead {
  protected:
    std::shared_ptr<const DraftNetwork> made(bool state_first) const {
        DraftConfig config = micro_head(Method::mtp, models_->target->config);
        config.layer.ffn = 64;
        config.state_first = config.zeroes_first = state_first;
        return DraftNetwork::random(models_->target, config, "mtp", 11);
    }
    void expect_refused(const Json& config, const std::string& word) {
        const TempFolder folder;
        write_head(folder.path(), *made(false), kSpeculators, config);
        try {
            (void)DraftNetwork::load(models_->target, folder.path());
            FAIL() << word;
        } catch (const Error& error) {
            EXPECT_NE((error.what() + error.remedy()).find(word), std::string::npos) << error.what();
        }
    }
};

TEST_F(MtpFiles, LoadsThreeLayoutsWithTheSameGuesses) {
    for (const Names* names : {&kSpeculators, &kMimo, &kQwen}) {
        const auto network = made(names == &kMimo);
        const TempFolder folder;
        write_head(folder.path(), *network, *names, config_of(models_->target->config));
        const auto loaded = DraftNetwork::load(models_->target, folder.path());
        EXPECT_EQ(loaded->config.method, Method::mtp);
        EXPECT_EQ(loaded->config.state_first, names == &kMimo);
        const Guessed first = draft(network, text_, 3), second = draft(loaded, text_, 3);
        EXPECT_EQ(first.tokens, second.tokens) << names->prefix;
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t v = 0; v < 61; ++v) ASSERT_NEAR(first.logp[i][v], second.logp[i][v], 1e-4) << names->prefix;
    }
}

TEST_F(MtpFiles, KeepsTheGeometryOfASpeculatorsExport) {
    const TempFolder folder;
    Json outer = {{"architectures", {"MTPSpeculator"}}, {"speculators_model_type", "mtp"}, {"num_speculative_steps", 3}};
    outer["transformer_layer_config"] = config_of(models_->target->config);
    write_head(folder.path(), *made(false), kSpeculators, outer);
    EXPECT_EQ(DraftNetwork::load(models_->target, folder.path())->config.layer.layers, 1);
}

TEST_F(MtpFiles, RefusesWhatItDoesNotKnowByName) {
    Json config = config_of(models_->target->config);
    config["norm_output_twice"] = true;
    expect_refused(config, "norm_output_twice");
    config = config_of(models_->target->config);
    config["num_nextn_predict_layers"] = 3;
    expect_refused(config, "num_nextn_predict_layers");
    config = config_of(models_->target->config);
    config["model_type"] = "qwen3_next";
    expect_refused(config, "gated attention");
    // The fields of speculators' first exports.
    config = config_of(models_->target->config);
    config["transformer_config"] = config_of(models_->target->config);
    expect_refused(config, "transformer_config");
    config = config_of(models_->target->config);
    config["mtp_loss_step_weights"] = {0.51, 0.31, 0.18};
    expect_refused(config, "mtp_loss_step_weights");
    config = config_of(models_->target->config);
    config["hidden_size"] = 64;
    expect_refused(config, "hidden_size");
}

} // namespace
} // namespace speclens::test
