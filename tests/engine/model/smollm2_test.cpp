// A real model against transformers, and both laws on it: SmolLM2-135M-Instruct as `speclens get smollm2` fetches it.
// Only ./test --real runs these; without the file they are skipped. The golden: assets/recipe/smollm2_goldens.py.
#include <algorithm>
#include <cmath>

#include "engine/base/json.h"
#include "engine/fetch/fetch.h"
#include "engine/model/decoder.h"
#include "engine/models/model_names.h"
#include "engine/models/models.h"
#include "engine/run/run.h"
#include "tests/shared/model_support.h"

namespace speclens {
namespace {

using namespace test;

fs::path smollm2() {
    try {
        return model_file("smollm2");
    } catch (const Error&) {
        return {};
    }
}

class SmolLM2 : public ::testing::Test {
  protected:
    void SetUp() override {
        if (smollm2().empty()) GTEST_SKIP() << "the model is not here: speclens get smollm2";
    }
    static Json runs() { return Json::parse(read_file(golden("smollm2.json")))["runs"]; }

    struct Differences {
        int tokens = 0, argmax = 0;
        double worst = 0;
    };
    // Every answer of the golden, fed as it is: what the model says of each of its tokens. `best`: the likeliest ids.
    static Differences teacher_forced(const Model& model, const std::shared_ptr<const Model>& shared, const char* log_p, const char* best) {
        Differences found;
        for (const auto& run : runs()) {
            const auto prompt = run["ids"].get<std::vector<int>>(), answer = run["answer"].get<std::vector<int>>();
            const auto likeliest = run[best].get<std::vector<int>>();
            std::vector<int> all = prompt;
            all.insert(all.end(), answer.begin(), answer.end() - 1);
            const auto decoder = make_model_decoder(shared);
            decoder->prefill(std::span(all).first(prompt.size() - 1));
            PassRows& rows = decoder->forward({.tokens = std::span<const int>(all).subspan(prompt.size() - 1)});
            EXPECT_EQ(rows.count(), static_cast<int>(answer.size()));
            for (int i = 0; i < rows.count(); ++i) {
                const std::vector<float> logits = rows.logits(i);
                const double largest = *std::ranges::max_element(logits);
                double sum = 0;
                for (const float logit : logits) sum += std::exp(logit - largest);
                const auto at = static_cast<std::size_t>(i);
                const double own = logits[static_cast<std::size_t>(answer[at])] - largest - std::log(sum);
                found.worst = std::max(found.worst, std::abs(own - run[log_p][at].get<double>()));
                found.argmax += rows.argmax()[at] != likeliest[at] ? 1 : 0;
                ++found.tokens;
            }
        }
        EXPECT_EQ(model.config.vocab, 49152);
        return found;
    }
};

TEST_F(SmolLM2, SaysWhatTransformersSays) {
    const auto backend = test_backend(2);
    const auto model = Model::load(*backend, smollm2());
    EXPECT_EQ(model->kept_as, "bf16");
    const Differences found = teacher_forced(*model, model, "bf16", "answer");
    RecordProperty("worst_log_p", std::to_string(found.worst));
    EXPECT_GT(found.tokens, 1000);
    EXPECT_EQ(found.argmax, 0);
    EXPECT_LE(found.worst, 1e-3);
}

TEST_F(SmolLM2, KeptQuantisedSaysWhatTheDequantisedFileSays) {
    const auto backend = test_backend(2);
    const auto model = Model::load(*backend, smollm2(), {}, WeightForm::keep);
    EXPECT_EQ(model->kept_as, "") << "it stays as it is stored";
    const Differences found = teacher_forced(*model, model, "kept", "kept_best");
    RecordProperty("worst_log_p", std::to_string(found.worst));
    EXPECT_EQ(found.argmax, 0);
    EXPECT_LE(found.worst, 1e-3);
}

TEST_F(SmolLM2, ReadsPromptsAsItsTokenizerDoes) {
    const Models models = load_models({.target = smollm2(), .threads = 2});
    for (const auto& run : runs()) {
        RunSettings settings;
        settings.prompt.text = run["prompt"].get<std::string>();
        settings.prompt.chat = true;
        EXPECT_EQ(prompt_tokens(models, settings.prompt).ids, run["ids"].get<std::vector<int>>()) << settings.prompt.text;
        EXPECT_EQ(models.tokenizer->decode(run["answer"].get<std::vector<int>>(), true), run["text"].get<std::string>());
    }
}

// Law 1: at T = 0 every drafter writes the text of plain decoding, whatever is kept and however many threads there are.
TEST_F(SmolLM2, EveryDrafterWritesTheTextOfPlainDecoding) {
    for (const WeightForm form : {WeightForm::by_default, WeightForm::keep, WeightForm::q8}) {
        std::vector<std::vector<int>> texts;
        for (const int threads : {1, 2, 5}) {
            auto models =
                std::make_shared<Models>(load_models({.target = smollm2(), .draft = smollm2(), .threads = threads, .weights = form}));
            std::vector<std::string> drafters = {"none", "lookup", "skip", "small"};
            for (const auto& [name, head] : models->networks) drafters.push_back(name); // those that ship for it
            EXPECT_GE(drafters.size(), 7U) << "the heads in assets/models/smollm2 were not found";
            for (const std::string& drafter : drafters) {
                RunSettings settings;
                settings.prompt.text = "Count from 1 to 20, one number per line.";
                settings.prompt.chat = true;
                settings.drafter = drafter;
                settings.sampling.temperature = 0;
                settings.max_tokens = 48;
                speclens::Run run(models, settings);
                run.finish();
                EXPECT_EQ(run.trace().header()->drafter, drafter) << run.trace().header()->notice;
                texts.push_back(run.sequence());
                EXPECT_EQ(texts.back(), texts.front()) << drafter << ", " << threads << " threads, form " << static_cast<int>(form);
            }
        }
    }
}

TEST_F(SmolLM2, AsItsOwnDraftItKeepsEverything) {
    for (const WeightForm form : {WeightForm::by_default, WeightForm::keep}) {
        auto models = std::make_shared<Models>(load_models({.target = smollm2(), .draft = smollm2(), .threads = 2, .weights = form}));
        RunSettings settings;
        settings.prompt.text = "Write a short poem about the moon.";
        settings.prompt.chat = true;
        settings.drafter = "small";
        settings.k = 4;
        settings.sampling.temperature = .8;
        settings.max_tokens = 60;
        speclens::Run run(models, settings);
        run.finish();
        const RunView view = fold(run.trace(), run.trace().size());
        EXPECT_GT(view.drafted, 40);
        EXPECT_EQ(view.accepted_drafts, view.drafted);
    }
}

} // namespace
} // namespace speclens
