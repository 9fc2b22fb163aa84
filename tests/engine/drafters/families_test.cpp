// The layouts of the public draft heads in miniature (tests/shared/head_layouts.h): each loads, is taken for what it is, and drafts
// without changing the text.
#include <map>
#include <set>

#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter_info.h"
#include "engine/heads/head_keys.h"
#include "engine/lab/study.h"
#include "engine/models/notices.h"
#include "engine/run/run.h"
#include "engine/run/run_view.h"
#include "tests/shared/head_layouts.h"
#include "tests/shared/model_support.h"

namespace speclens::test {
namespace {

using namespace layouts;

class Families : public ::testing::Test {
  protected:
    [[nodiscard]] static std::vector<int> greedy_text(const std::shared_ptr<const Models>& models, const std::string& drafter) {
        RunSettings settings;
        settings.prompt.token_ids = {7, 8, 9, 7, 8, 9, 7};
        settings.drafter = drafter;
        settings.k = drafter == "none" ? 0 : 5;
        settings.sampling.temperature = 0;
        settings.max_tokens = 24;
        settings.trace_top = 0;
        speclens::Run run(models, settings);
        run.finish();
        return run.sequence();
    }
    // The notice of a head that loads.
    [[nodiscard]] std::string notice_of(const std::string& config, const Shapes& tensors) const {
        write_checkpoint(temp_.path() / "head", config, tensors);
        return DraftNetwork::load(models_->target, temp_.path() / "head")->config.notice;
    }
    static Family family_named(const std::string& name) {
        for (const Family& family : families())
            if (family.name == name) return family;
        ADD_FAILURE() << name;
        return {};
    }
    const std::shared_ptr<Models> models_ = models_of(ModelConfig::Family::qwen3);
    const TempFolder temp_;
};

void expect_words(const std::string& text, const std::vector<std::string>& words) {
    for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST_F(Families, LoadAndDraftWithoutChangingTheText) {
    for (const auto kind : {ModelConfig::Family::qwen3, ModelConfig::Family::llama}) {
        const auto models = models_of(kind);
        const std::vector<int> plain = greedy_text(models, "none");
        for (const Family& family : families()) {
            SCOPED_TRACE(family.name);
            const fs::path folder = temp_.path() / "head";
            write_checkpoint(folder, family.config, family.tensors);
            const auto network = DraftNetwork::load(models->target, folder);
            EXPECT_EQ(name_of(network->config.method), family.drafter);
            EXPECT_EQ(network->config.most_drafts(), family.most_drafts);
            EXPECT_EQ(network->config.taps, family.taps);
            if (network->config.draft_vocab == 20) {
                EXPECT_EQ(network->target_id[19], 57);
            }
            models->networks = {{family.drafter, network}};
            for (const DrafterInfo& info : drafter_list())
                if (info.needs_network() && network_of(info.name) == family.drafter) {
                    EXPECT_EQ(greedy_text(models, info.name), plain) << info.name;
                }
        }
    }
}

// A head is what its tensors are; what its config.json calls it instead is said.
TEST_F(Families, EagleHeadsUnderAnotherNameAreSaid) {
    const Family safe = family_named("SafeAILab EAGLE-3 with the target's number of layers"), nemo = family_named("NeMo EAGLE-3");
    expect_words(notice_of(safe.config, safe.tensors),
                 {"names LlamaForCausalLM;", "midlayer.hidden_norm.weight", "EAGLE-3 head", "num_hidden_layers is 36", "1 layer"});
    expect_words(notice_of(nemo.config, nemo.tensors), {"names Eagle3LlamaForCausalLM;", "layers.0.hidden_norm.weight"});
    expect_words(notice_of(with(safe.config, R"("architectures":["LlamaForCausalLM"],)", ""), safe.tensors),
                 {"does not name an architecture", "EAGLE-3 head"});
    expect_words(notice_of(with(safe.config, "\"num_hidden_layers\":36", "\"num_hidden_layers\":40"), safe.tensors),
                 {"num_hidden_layers is 40"});
    const Family own = family_named("AngelSlim EAGLE-3");
    const std::string notice = notice_of(with(own.config, "\"num_hidden_layers\":1", "\"num_hidden_layers\":36"), own.tensors);
    expect_words(notice, {"num_hidden_layers is 36"});
    EXPECT_EQ(notice.find("by its tensors"), std::string::npos) << notice;
}

TEST_F(Families, OtherHeadsAndWholeModelsAreRefusedForWhatTheyAre) {
    const auto refused = [&](const std::string& text, const Shapes& tensors, const std::vector<std::string>& words) {
        write_checkpoint(temp_.path() / "head", text, tensors);
        expect_error([&] { static_cast<void>(DraftNetwork::load(models_->target, temp_.path() / "head")); }, words);
    };
    const Family eagle = family_named("AngelSlim EAGLE-3");
    refused(with(eagle.config, "LlamaForCausalLMEagle3", "PEagleDraftModel"), eagle.tensors,
            {"names PEagleDraftModel", "P-EAGLE", "all places in one pass"});
    refused(eagle.config, eagle.tensors + Shapes{{"mask_hidden", {1, 1, 3 * kHidden}}},
            {"names LlamaForCausalLMEagle3", "P-EAGLE", "mask_hidden"});
    refused(config("LlamaForCausalLM", geometry(1)),
            {{"fc.weight", {kHidden, 2 * kHidden}}, {"layers.0.mlp.gate_proj.weight", {kFfn, kHidden}}},
            {"names LlamaForCausalLM", "EAGLE-1 or EAGLE-2"});
    refused(config("LlamaForCausalLM", geometry(1)),
            {{"model.embed_tokens.weight", {kVocab, kHidden}}, {"model.layers.0.mlp.gate_proj.weight", {kFfn, kHidden}}},
            {"names LlamaForCausalLM", "a whole model"});
    refused(config("LlamaForCausalLM", geometry(1)), {{"norm.weight", {kHidden}}}, {"names LlamaForCausalLM, which is not supported"});
    const Family spark = family_named("speculators DSpark, whose anchor is no guess");
    refused(with(spark.config, "\"markov_rank\":5", "\"markov_head_type\":\"rnn\",\"markov_rank\":5"), spark.tensors,
            {"markov_head_type", "first row is no guess"});
}

// Two counts are in use: the layers that a state leaves, and those that it enters.
TEST_F(Families, WhichLayersAreReadIsSaidWhereTheFileLeavesItOpen) {
    const Family eagle = family_named("AngelSlim EAGLE-3"), exported = family_named("RedHat EAGLE-3"),
                 dflash = family_named("z-lab DFlash");
    const auto listing = [&](const std::string& list) {
        return with(eagle.config, "\"draft_vocab_size\"",
                    "\"eagle_config\":{\"eagle_aux_hidden_state_layer_ids\":" + list + "},\"draft_vocab_size\"");
    };
    expect_words(notice_of(eagle.config, eagle.tensors), {"does not name the target's layers", "outputs of layers 1, 17 and 32"});
    EXPECT_EQ(notice_of(listing("[1,17,32]"), eagle.tensors), "");
    EXPECT_EQ(notice_of(exported.config, exported.tensors), "") << "[2,18,33] counts the layers that a state enters";
    expect_words(notice_of(listing("[2,18,33]"), eagle.tensors), {"leaves", "outputs of layers 2, 18 and 33", "1, 17 and 32"});
    expect_words(notice_of(with(exported.config, "[2,18,33]", "[1,17,32]"), exported.tensors),
                 {"enters", "outputs of layers 0, 16 and 31"});
    expect_words(notice_of(with(dflash.config, ",\"target_layer_ids\":" + kTaps, ""), Shapes(backbone(2, 2))),
                 {"does not name the target's layers", "outputs of layers 1 and 33"});

    const auto twice = [&](const std::string& second) {
        return with(dflash.config, "\"num_target_layers\"", "\"aux_hidden_state_layer_ids\":" + second + ",\"num_target_layers\"");
    };
    EXPECT_EQ(notice_of(twice("[2,10,18,26,34]"), dflash.tensors), "") << "the same in the other count";
    expect_words(notice_of(twice(kTaps), dflash.tensors), {"twice", "target_layer_ids counts", "1, 9, 17, 25 and 33",
                                                           "aux_hidden_state_layer_ids means those of 0, 8, 16, 24 and 32"});
}

// What the command line says on standard error and `check` lists: whose, and line by line.
TEST_F(Families, NoticesOfEverythingThatIsLoadedAreListed) {
    const Family safe = family_named("SafeAILab EAGLE-3 with the target's number of layers");
    write_checkpoint(temp_.path() / "head", safe.config, safe.tensors);
    auto models = std::make_shared<Models>(*models_);
    EXPECT_TRUE(notices_of(*models).empty());
    models->networks = {{"eagle3", DraftNetwork::load(models->target, temp_.path() / "head")}};
    const auto said = std::const_pointer_cast<Model>(Model::random(*models->backend, micro_config(2, 32), "draft", 6));
    said->notice = "one\ntwo";
    models->draft = said;
    std::vector<std::string> whose;
    for (const Notice& notice : notices_of(*models)) {
        whose.push_back(notice.whose);
        EXPECT_EQ(notice.text.find('\n'), std::string::npos) << notice.text;
    }
    EXPECT_EQ(whose, (std::vector<std::string>{"draft model", "draft model", "eagle3", "eagle3", "eagle3"}))
        << "its name, its layers, the layers it reads";
}

// Each key that a kind of head is read by does something: with another value it drafts otherwise, or is refused by the key's name or for
// the tensors that no longer fit.
TEST_F(Families, EveryKeyThatIsAppliedChangesWhatIsDrafted) {
    const Family mtp = {"speculators MTP",
                        "mtp",
                        config("MTPDraftModel", R"("num_speculative_steps":3,"transformer_layer_config":{)" + geometry(1, "}")),
                        layer("mtp_layers.0.", kHidden, true, false) + Shapes{{"mtp_layers.0.input_proj.weight", {kHidden, 2 * kHidden}},
                                                                              {"mtp_layers.0.token_layernorm.weight", {kHidden}},
                                                                              {"mtp_layers.0.hidden_layernorm.weight", {kHidden}},
                                                                              {"mtp_layers.0.final_layernorm.weight", {kHidden}}},
                        64,
                        {kLayers}};
    const auto drafted = [&](const Family& family, const std::string& key, const Json& value) {
        Json json = Json::parse(family.config);
        const bool nested = json.contains("dflash_config") && json["dflash_config"].contains(key);
        if (!key.empty()) (nested ? json["dflash_config"] : json)[key] = value;
        const fs::path folder = temp_.path() / "head";
        write_checkpoint(folder, json.dump(), family.tensors);
        try {
            auto models = std::make_shared<Models>(*models_);
            models->networks = {{family.drafter, DraftNetwork::load(models->target, folder)}};
            RunSettings settings;
            settings.prompt.token_ids = {7, 8, 9, 7, 8, 9, 7};
            settings.drafter = family.drafter;
            settings.k = 5;
            settings.sampling.temperature = 0.8;
            settings.rule = judging_rule("token", family.drafter);
            settings.max_tokens = 16;
            speclens::Run run(models, settings);
            run.finish();
            std::string all = run.trace().header()->notice;
            for (const RoundSummary& round : fold(run.trace(), run.trace().size()).round_list)
                for (const DraftSlot& slot : round.drafts)
                    all += " " + std::to_string(slot.draft->token) + ":" + Json(slot.draft->q).dump();
            EXPECT_GT(all.size(), 100U) << family.name << ": it drafts";
            return all;
        } catch (const Error& error) {
            return std::string("refused: ") + error.what();
        }
    };
    std::map<std::string, std::string> unchanged;
    std::set<std::string> tried;
    const auto changes = [&](const Family& family, const std::string& key, const Json& value) {
        tried.insert(key);
        std::string& before = unchanged[family.name];
        if (before.empty()) before = drafted(family, "", {});
        const std::string after = drafted(family, key, value);
        EXPECT_EQ(before.find("refused"), std::string::npos) << family.name << ": " << before;
        EXPECT_NE(after, before) << family.name << ": " << key;
        if (after.starts_with("refused")) {
            EXPECT_TRUE(std::ranges::any_of(std::initializer_list<std::string>{key, ".weight", ".bias", ".base_kernel", "mask_rep"},
                                            [&](const std::string& word) { return after.find(word) != std::string::npos; }))
                << key << ": " << after;
        }
    };
    const auto every_one = [&](const char* kind, KeyList keys) {
        for (const std::string_view key : keys) EXPECT_TRUE(tried.contains(std::string(key))) << kind << ": " << key << " was not tried";
        tried.clear();
    };
    const std::vector<std::pair<std::string, Json>> of_targets = {{"num_target_layers", 35}, {"target_hidden_size", 64}};

    const Family eagle = family_named("AngelSlim EAGLE-3");
    for (const auto& [key, value] : std::vector<std::pair<std::string, Json>>{{"draft_vocab_size", 19},
                                                                              {"norm_before_residual", true},
                                                                              {"norm_before_fc", true},
                                                                              {"norm_output", true},
                                                                              {"fc_norm", true},
                                                                              {"use_aux_hidden_state", false},
                                                                              {"use_last_layernorm", false},
                                                                              {"use_input_layernorm_in_first_layer", false},
                                                                              {"target_layer_ids", Json{1, 18, 32}},
                                                                              {"eagle_aux_hidden_state_layer_ids", Json{1, 18, 32}},
                                                                              {"aux_hidden_state_layer_ids", Json{1, 18, 32}},
                                                                              {"draft_length", 4},
                                                                              {"is_causal", false},
                                                                              {"is_neox_style", false}})
        changes(eagle, key, value);
    for (const auto& [key, value] : of_targets) changes(eagle, key, value);
    every_one("EAGLE-3", eagle3_keys());

    const Family dflash = family_named("z-lab DFlash"), windows = family_named("DFlash with windows");
    for (const auto& [key, value] : std::vector<std::pair<std::string, Json>>{{"block_size", 4}, // of which the guesses are three
                                                                              {"mask_token_id", 59},
                                                                              {"target_layer_ids", Json{1, 9, 17, 25, 34}},
                                                                              {"aux_hidden_state_layer_ids", Json{1, 9, 17, 25, 33}},
                                                                              {"eagle_aux_hidden_state_layer_ids", Json{2, 9, 17, 25, 33}},
                                                                              {"draft_vocab_size", 20},
                                                                              {"conditioning", "none"},
                                                                              {"is_neox_style", false},
                                                                              {"use_swa", true},
                                                                              {"attention_sink_bias", true},
                                                                              {"sample_from_anchor", true}})
        changes(dflash, key, value);
    for (const auto& [key, value] : of_targets) changes(dflash, key, value);
    for (const char* key : {"causal", "is_causal"}) changes(windows, key, false);
    changes(windows, "sliding_window_non_causal", true);
    const Family domino = family_named("Huang2020 Domino"), exported = family_named("speculators Domino");
    for (const auto& [key, value] : std::vector<std::pair<std::string, Json>>{
             {"shift_label", false}, {"pure_draft_prefix_len", 2}, {"gru_hidden_dim", 11}, {"emb_dim", 7}})
        changes(domino, key, value);
    changes(exported, "logits_correction_emb_dim", 7);
    const Family spark = family_named("deepseek-ai DSpark");
    changes(spark, "markov_rank", 6);
    for (const char* key : {"enable_confidence_head", "confidence_head_with_markov"}) changes(spark, key, false);
    const std::set<std::string> blocks = tried;
    every_one("blocks", block_keys());
    tried = blocks;
    const Family selects = family_named("z-lab DFlash 2");
    for (const auto& [key, value] : std::vector<std::pair<std::string, Json>>{
             {"conv_kernel_size", 3}, {"conv_group_size", 8}, {"selector_rank", 8}, {"selector_top_k", 8}, {"sample_from_anchor", true}})
        changes(selects, key, value);
    every_one("DFlash 2", dflash2_keys());

    const Family medusa = family_named("Medusa");
    for (const auto& [key, value] : std::vector<std::pair<std::string, Json>>{
             {"medusa_num_heads", 1}, {"medusa_num_layers", 2}, {"shared_lm_head", true}, {"hidden_size", 64}, {"vocab_size", 60}})
        changes(medusa, key, value);
    for (const auto& [key, value] : of_targets) changes(medusa, key, value);
    every_one("Medusa", medusa_keys());

    for (const char* key : {"num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_layers"}) changes(mtp, key, 2);
    for (const auto& [key, value] : of_targets) changes(mtp, key, value);
    every_one("MTP", mtp_keys());
}

// What speculators takes where a key was left out, which is not what the official layout takes.
TEST_F(Families, SpeculatorsDominoHasDefaultsOfItsOwn) {
    const Family own = family_named("speculators Domino"), official = family_named("Huang2020 Domino");
    const auto read = [&](const std::string& text, const Shapes& tensors) {
        write_checkpoint(temp_.path() / "head", text, tensors);
        return DraftNetwork::load(models_->target, temp_.path() / "head")->config;
    };
    const DraftConfig left_out =
        read(with(with(own.config, R"("sample_from_anchor":true,)", ""), R"("pure_draft_prefix_len":1,)", ""), own.tensors);
    EXPECT_TRUE(left_out.anchor_aligned);
    EXPECT_EQ(left_out.prefix, 1);
    const DraftConfig released =
        read(with(with(official.config, R"("pure_draft_prefix_len":1,)", ""), R"(,"shift_label":true)", ""), official.tensors);
    EXPECT_FALSE(released.anchor_aligned);
    EXPECT_EQ(released.prefix, 0);
    write_checkpoint(temp_.path() / "head", with(own.config, "logits_correction_emb_dim", "emb_dim"), own.tensors);
    expect_error([&] { static_cast<void>(DraftNetwork::load(models_->target, temp_.path() / "head")); },
                 {"logits_correction_emb_dim is missing"});
}

// transformers' mask of a window of W lets a row see what is up to W places away; the trainers' one place less. Rows see later ones.
TEST_F(Families, AWindowOfTransformersIsOnePlaceWider) {
    const Family own = family_named("transformers DFlash"), official = family_named("DFlash with windows");
    const auto read = [&](const Family& family) {
        write_checkpoint(temp_.path() / "head", family.config, family.tensors);
        return DraftNetwork::load(models_->target, temp_.path() / "head")->config;
    };
    EXPECT_EQ(read(own).windows, (std::vector<int>{7, 0}));
    EXPECT_FALSE(read(own).window_causal);
    EXPECT_EQ(read(official).windows, (std::vector<int>{6, 0}));
    Family without = own;
    without.config = with(own.config, R"("layer_types":["sliding_attention","full_attention"],)", "");
    expect_error([&] { static_cast<void>(read(without)); }, {"layer_types is missing"});
}

TEST_F(Families, AFlatThetaBesideANestedOneIsSaid) {
    const Family eagle = family_named("EAGLE-3 for Llama 3");
    expect_words(notice_of(with(eagle.config, "\"rope_type\"", "\"rope_theta\":1000000,\"rope_type\""), eagle.tensors),
                 {"rope_theta is 500000", "1000000 in rope_scaling"});
    write_checkpoint(temp_.path() / "head", with(eagle.config, "\"rope_theta\":500000,", ""), eagle.tensors);
    expect_error([&] { static_cast<void>(DraftNetwork::load(models_->target, temp_.path() / "head")); }, {"rope_theta is missing"});
}

// A head that ranks every id runs, and what that costs is said.
TEST_F(Families, AHeadThatRanksEveryIdSaysWhatItPays) {
    Family eagle = family_named("AngelSlim EAGLE-3");
    std::erase_if(eagle.tensors, [](const StoredShape& tensor) {
        return tensor.name == "d2t" || tensor.name == "t2d" || tensor.name == "lm_head.weight";
    });
    eagle.tensors.push_back({"lm_head.weight", {kVocab, kHidden}});
    const std::string notice = notice_of(with(eagle.config, "\"draft_vocab_size\":20", "\"draft_vocab_size\":61"), eagle.tensors);
    // lm_head 61·48 of that and q, k, v, o (64 + 2·32)·96 + 48·64, the MLP 3·96·48, in bf16; four norms of 48
    // in f32
    const double matrix = 2.0 * 61 * 48, step = matrix + 2.0 * ((64 + 2 * 32) * 96 + 48 * 64 + 3 * 96 * 48) + 4.0 * 4 * 48;
    expect_words(notice, {"all 61 ids", std::to_string(std::lround(100 * matrix / step)) + " % of the bytes"});
}

// Exports that write "model." before every name, or before all but the head's own, are the same head.
TEST_F(Families, Eagle3MayBePrefixed) {
    const auto own = [](const std::string& name) { return name == "lm_head.weight" || name == "d2t" || name == "t2d"; };
    for (const Family& family : families()) {
        if (family.drafter != "eagle3") continue;
        const fs::path folder = temp_.path() / "head";
        write_checkpoint(folder, family.config, family.tensors);
        const auto plain = DraftNetwork::load(models_->target, folder);
        for (const bool whole : {true, false}) {
            SCOPED_TRACE(family.name + (whole ? ", all" : ", all but the head's own"));
            Shapes prefixed = family.tensors;
            for (StoredShape& tensor : prefixed)
                if (whole || !own(tensor.name)) tensor.name = "model." + tensor.name;
            write_checkpoint(folder, family.config, prefixed);
            const auto network = DraftNetwork::load(models_->target, folder);
            EXPECT_EQ(network->bytes.all, plain->bytes.all);
            EXPECT_EQ(network->target_id, plain->target_id);
            EXPECT_TRUE(same_bits(download(*models_->backend, network->norm.view()), download(*models_->backend, plain->norm.view())));
        }
    }
}

// The raw output is taken, as trainers do, and whoever drafts with the head is told.
TEST_F(Families, ATapOnTheLastLayerIsSaid) {
    Family family = family_named("z-lab DFlash");
    const fs::path folder = temp_.path() / "head";
    write_checkpoint(folder, family.config, family.tensors);
    EXPECT_EQ(DraftNetwork::load(models_->target, folder)->config.notice, "");
    family.config.replace(family.config.find(kTaps), kTaps.size(), "[1,9,17,25,35]");
    write_checkpoint(folder, family.config, family.tensors);
    const auto network = DraftNetwork::load(models_->target, folder);
    EXPECT_NE(network->config.notice.find("last layer (35)"), std::string::npos) << network->config.notice;

    models_->networks = {{"dflash", network}};
    RunSettings settings;
    settings.prompt.token_ids = {7, 8, 9};
    settings.drafter = "dflash";
    settings.max_tokens = 4;
    speclens::Run run(models_, settings);
    run.finish();
    EXPECT_EQ(run.trace().header()->drafter, "dflash");
    EXPECT_EQ(run.trace().header()->notice, network->config.notice);
    EXPECT_EQ(summary_of(settings, run.trace()).problem, "") << "it ran";
    settings.drafter = "none";
    EXPECT_EQ(speclens::Run(models_, settings).trace().header()->notice, "");
}

// What is not documented is refused by the name of its field.
// MiMo-7B and what was trained on from it: a Qwen2.5 model under another name, with one MTP layer of its kind in the same files.
TEST_F(Families, AMimoCheckpointDraftsWithTheLayerThatItCarries) {
    const auto with_biases = [](const std::string& prefix) {
        Shapes s = layer(prefix, kHidden, false, false);
        for (const auto& [name, rows] : {std::pair{"q", kQ}, {"k", kKv}, {"v", kKv}})
            s.push_back({prefix + "self_attn." + name + "_proj.bias", {rows}});
        return s;
    };
    const std::string own = "model.mtp_layers.0.";
    Shapes tensors = {{"model.embed_tokens.weight", {kVocab, kHidden}},
                      {"model.norm.weight", {kHidden}},
                      {"lm_head.weight", {kVocab, kHidden}},
                      {own + "token_layernorm.weight", {kHidden}},
                      {own + "hidden_layernorm.weight", {kHidden}},
                      {own + "input_proj.weight", {kHidden, 2 * kHidden}},
                      {own + "final_layernorm.weight", {kHidden}}};
    for (const std::string& prefix : {std::string("model.layers.0."), std::string("model.layers.1."), own})
        tensors = tensors + with_biases(prefix);
    const TempFolder folder;
    write_checkpoint(folder.path(),
                     R"({"architectures":["MiMoForCausalLM"],"model_type":"mimo","attention_bias":true,"attention_dropout":0.0,)"
                     R"("hidden_act":"silu","head_dim":16,"hidden_size":48,"intermediate_size":96,"num_attention_heads":4,)"
                     R"("num_hidden_layers":2,"num_key_value_heads":2,"num_nextn_predict_layers":1,"max_position_embeddings":512,)"
                     R"("rms_norm_eps":1e-5,"rope_theta":640000,"tie_word_embeddings":false,"use_sliding_window":false,)"
                     R"("use_mrope":false,"vocab_size":61})",
                     tensors);
    const auto models = std::make_shared<const Models>(load_models({.target = folder.path(), .backend = "cpu", .threads = 1}));
    EXPECT_TRUE(models->target->config.qkv_bias);
    const auto head = models->network("mtp");
    ASSERT_NE(head, nullptr);
    EXPECT_TRUE(head->config.state_first && head->config.zeroes_first && head->config.layer.qkv_bias);
    EXPECT_EQ(greedy_text(models, "mtp"), greedy_text(models, "none"));
}

// false is what trainers and converters write for plain EAGLE-3: logits come from the normed state either way.
TEST_F(Families, NormOutputSaysOnlyWhatTheNextGuessGoesOnFrom) {
    const Family eagle = family_named("AngelSlim EAGLE-3"), exported = family_named("RedHat EAGLE-3");
    const fs::path folder = temp_.path() / "head";
    for (const auto& [family, before] : {std::pair{eagle, "\"draft_vocab_size\""}, {exported, "\"norm_before_residual\""}})
        for (const bool value : {false, true}) {
            write_checkpoint(folder, with(family.config, before, "\"norm_output\":" + std::string(value ? "true," : "false,") + before),
                             family.tensors);
            const DraftConfig read = DraftNetwork::load(models_->target, folder)->config;
            EXPECT_EQ(read.norm_output, value) << family.name;
            EXPECT_EQ(read.output_norms, 1) << family.name;
            // SpecForge writes it where official heads have it and means something else; speculators' own heads are read as meant.
            const bool disputed = family.name == eagle.name;
            EXPECT_EQ(read.notice.find("SpecForge") != std::string::npos, disputed) << family.name << ": " << read.notice;
            if (disputed)
                expect_words(read.notice, {value ? "norm_output is true" : "norm_output is false", value ? "behind" : "before",
                                           value ? "read the one before it" : "without a norm"});
        }
    EXPECT_EQ(notice_of(eagle.config, eagle.tensors).find("norm_output"), std::string::npos) << "nothing is said, nobody disagrees";
    const Family normed = family_named("NVIDIA EAGLE-3.1 with a norm before fc");
    const auto refused = [&](const std::string& from, const std::string& to, const std::vector<std::string>& words) {
        write_checkpoint(folder, with(normed.config, from, to), normed.tensors);
        expect_error([&] { static_cast<void>(DraftNetwork::load(models_->target, folder)); }, words);
    };
    EXPECT_EQ(notice_of(normed.config, normed.tensors).find("SpecForge"), std::string::npos) << "NVIDIA's place for it";
    refused("\"norm_before_fc\":true", "\"norm_before_fc\":true,\"fc_norm\":true", {"norm_before_fc is true beside fc_norm"});
    refused("\"norm_before_fc\":true", "\"norm_before_fc\":false", {"input_norm.weight"});
    refused("\"draft_vocab_size\"", "\"draft_length\":4,\"draft_vocab_size\"", {"norm_output is true for a DART head"});
}

// Written out it is plain EAGLE-3: the built-in head with the field drafts what it drafts without. The opposite is another network.
TEST_F(Families, TheBuiltInEagleHeadDraftsTheSameWithNormOutputFalse) {
    const fs::path built_in = fs::path(SPEC_SOURCE_DIR) / "assets/models/eagle3", head = temp_.path() / "built_in";
    fs::copy(built_in, head, fs::copy_options::recursive);
    const std::string config = read_file(built_in / "config.json");
    ASSERT_EQ(config.find("norm_output"), std::string::npos);
    const auto models = std::make_shared<Models>(load_models({.backend = "cpu", .threads = 2}));
    const auto traced = [&](const std::string& field) {
        write_file(head / "config.json", "{" + field + config.substr(config.find('{') + 1));
        models->networks["eagle3"] = DraftNetwork::load(models->target, head);
        RunSettings settings;
        settings.prompt.text = "Write a poem about the sea.";
        settings.prompt.chat = true;
        settings.drafter = "eagle3";
        settings.k = 4;
        settings.sampling.temperature = 0.8;
        settings.seed = 3;
        settings.max_tokens = 60;
        speclens::Run run(models, settings);
        run.finish();
        return std::pair{run.sequence(), run.trace().hash(run.trace().size())};
    };
    const auto plain = traced("");
    EXPECT_EQ(traced("\"norm_output\": false, "), plain);
    EXPECT_NE(traced("\"norm_output\": true, ").second, plain.second);
}

// A list of the right length says nothing yet: what is in it counts, and the message names the field.
TEST_F(Families, TheTappedLayersAreDifferentOnesOfTheTargetAndAsManyAsFcJoins) {
    const Family dflash = family_named("z-lab DFlash"), exported = family_named("RedHat EAGLE-3");
    const auto refused = [&](const Family& family, const std::string& from, const std::string& to, const std::vector<std::string>& words) {
        write_checkpoint(temp_.path() / "head", with(family.config, from, to), family.tensors);
        expect_error([&] { static_cast<void>(DraftNetwork::load(models_->target, temp_.path() / "head")); }, words);
    };
    refused(dflash, kTaps, "[1,9,9,25,33]", {"target_layer_ids has the entry 9 twice"});
    refused(dflash, kTaps, "[1,9,17,25,-1]", {"target_layer_ids has the entry -1", "not from the last"});
    refused(dflash, kTaps, "[1,9,17,25,36]", {"target_layer_ids has the entry 36", "layers 0 to 35"});
    refused(dflash, kTaps, "[1,9,17]", {"target_layer_ids names 3 layers, and fc.weight joins 5"});
    refused(dflash, kTaps, "[17]", {"target_layer_ids names 1 layer, and fc.weight joins 5"});
    refused(dflash, kTaps, "[]", {"target_layer_ids is missing or empty", "fc.weight joins 5"});
    refused(dflash, ",\"target_layer_ids\":" + kTaps, "", {"target_layer_ids is missing", "fc.weight joins 5"});
    refused(exported, "[2,18,33]", "[2,18,37]", {"eagle_aux_hidden_state_layer_ids has the entry 37", "one above"});
    refused(exported, "[2,18,33]", "[2,18,-1]", {"eagle_aux_hidden_state_layer_ids has the entry -1"});
    refused(exported, "[2,18,33]", "[2,33,33]", {"eagle_aux_hidden_state_layer_ids has the entry 33 twice"});
    write_checkpoint(temp_.path() / "head", with(exported.config, "[2,18,33]", "[0,18,36]"), exported.tensors);
    EXPECT_EQ(DraftNetwork::load(models_->target, temp_.path() / "head")->config.taps, (std::vector<int>{kTapEmbedding, 17, 35}))
        << "what enters the first layer, and what leaves the last one";
}

// A head that rotates a part of each dimension is refused wherever that is said, and one whose windows reach no layer opens.
TEST_F(Families, RotationAndWindowsHaveOneAnswerInEveryPlace) {
    const Family dflash = family_named("z-lab DFlash"), eagle = family_named("AngelSlim EAGLE-3");
    const auto load = [&](const Family& family, const std::string& from, const std::string& to) {
        write_checkpoint(temp_.path() / "head", with(family.config, from, to), family.tensors);
        return DraftNetwork::load(models_->target, temp_.path() / "head")->config;
    };
    for (const Family& family : {dflash, eagle})
        for (const std::string& place : {std::string("\"rope_scaling\":null,\"partial_rotary_factor\":0.25"),
                                         std::string("\"rope_scaling\":{\"partial_rotary_factor\":0.25}"),
                                         std::string("\"rope_parameters\":{\"rope_theta\":1000000,\"partial_rotary_factor\":0.25}")})
            expect_error([&] { (void)load(family, "\"rope_scaling\":null", place); },
                         {"partial_rotary_factor is 0.25", "part of each head"});
    EXPECT_TRUE(load(dflash, "\"use_sliding_window\":false", "\"use_sliding_window\":true").windows.empty());
    EXPECT_EQ(load(eagle, "\"rope_scaling\":null", "\"use_sliding_window\":true,\"sliding_window\":64").layer.layers, 1);
    expect_error(
        [&] { (void)load(eagle, "\"rope_scaling\":null", R"("use_sliding_window":true,"sliding_window":64,"max_window_layers":0)"); },
        {"use_sliding_window is true", "layers 0 to 0"});
}

TEST_F(Families, RefuseWhatIsNotKnown) {
    const Family family = family_named("DFlash with windows");
    const auto refused = [&](const std::string& from, const std::string& to, const std::string& field) {
        std::string text = family.config;
        const auto at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
        write_checkpoint(temp_.path() / "head", text, family.tensors);
        expect_error([&] { static_cast<void>(DraftNetwork::load(models_->target, temp_.path() / "head")); }, {field});
    };
    refused("\"use_sliding_window\":true", "\"use_sliding_window\":false", "use_sliding_window is false");
    refused("\"sliding_window\":6,", "", "sliding_window is missing");
    refused("\"full_attention\"", "\"chunked_attention\"", "chunked_attention");
    refused("\"full_attention\"]", "\"full_attention\",\"full_attention\"]", "layer_types has 3 entries for 2 layers");
    refused("\"mask_token_id\"", "\"use_swa\":true,\"mask_token_id\"", "use_swa");
    refused("\"mask_token_id\"", "\"attention_sink_bias\":true,\"mask_token_id\"", "attention_sink_bias");
    refused("\"mask_token_id\"", "\"is_neox_style\":2,\"mask_token_id\"", "is_neox_style is 2");
    refused("\"mask_token_id\"", "\"draft_vocab_size\":20,\"mask_token_id\"", "d2t is missing");
}

} // namespace
} // namespace speclens::test
