// Sampling a corpus: who stops and goes on gets the bytes of who never stopped, a text is the one that it would be alone, and a folder of
// something else is refused.
#include <gtest/gtest.h>

#include <random>

#include "engine/corpus/corpus_sampling.h"
#include "engine/drafters/drafter_info.h"
#include "tests/shared/micro.h"
#include "tests/shared/model_support.h"

namespace speclens {
namespace {

namespace fs = std::filesystem;

std::vector<CorpusPrompt> prompts(int count) {
    std::vector<CorpusPrompt> list;
    std::mt19937 random(3);
    for (int i = 0; i < count; ++i) {
        CorpusPrompt prompt{.prompt = {},
                            .domain = i % 2 == 0 ? "even" : "odd",
                            .temperature = i % 3 == 0 ? 0.0 : 0.3 * (i % 4),
                            .max_tokens = 3 + static_cast<int>(random() % 30)};
        for (int t = 1 + static_cast<int>(random() % 20); t > 0; --t)
            prompt.prompt.token_ids.push_back(5 + static_cast<int>(random() % 40));
        list.push_back(prompt);
    }
    return list;
}

CorpusPlan plan_in(const fs::path& folder, int texts = 4) {
    CorpusPlan plan;
    plan.folder = folder;
    plan.prompts = prompts(24);
    plan.texts = texts;
    plan.block_tokens = 150;
    plan.seed = 9;
    return plan;
}

std::map<std::string, std::string> files_of(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(folder)) files[entry.path().filename().string()] = test::read_file(entry.path());
    return files;
}

CorpusProgress sampled(const std::shared_ptr<const Models>& models, const CorpusPlan& plan) {
    CorpusSampling sampling(models, plan);
    while (sampling.step()) {
    }
    return sampling.progress();
}

std::vector<CorpusText> texts_of(const fs::path& folder) {
    std::vector<CorpusText> texts;
    for (const fs::path& file : corpus_files(folder))
        for (const CorpusText& text : read_corpus(file).texts) texts.push_back(text);
    return texts;
}

TEST(CorpusSampling, EveryTextIsTheOneThatItIsAlone) {
    const auto models = test::micro_models(2);
    const test::TempFolder folder;
    const CorpusPlan plan = plan_in(folder / "c");
    const CorpusProgress progress = sampled(models, plan);
    EXPECT_TRUE(progress.complete);
    EXPECT_EQ(progress.texts, 24);
    EXPECT_GT(progress.blocks, 2);
    const std::vector<CorpusText> texts = texts_of(folder / "c");
    ASSERT_EQ(texts.size(), 24u);
    long long answers = 0;
    for (int i = 0; i < 24; ++i) {
        RunSettings settings = test::greedy(kNoDrafter, 0);
        settings.prompt = plan.prompts[i].prompt;
        settings.sampling.temperature = plan.prompts[i].temperature;
        settings.seed = plan.seed + static_cast<std::uint64_t>(i);
        settings.max_tokens = plan.prompts[i].max_tokens;
        const auto alone = test::finished(models, settings);
        EXPECT_EQ(texts[i].number, i);
        EXPECT_EQ(texts[i].tokens, alone->sequence()) << i;
        EXPECT_EQ(texts[i].prompt, std::ssize(settings.prompt.token_ids));
        EXPECT_EQ(texts[i].temperature, plan.prompts[i].temperature);
        EXPECT_EQ(texts[i].domain, plan.prompts[i].domain);
        answers += texts[i].answer();
    }
    EXPECT_EQ(progress.tokens, answers);
    for (const fs::path& file : corpus_files(folder / "c")) EXPECT_LE(read_corpus(file).tokens(), plan.block_tokens);
}

TEST(CorpusSampling, HowManyAreDecodedAtOnceChangesNoByte) {
    const auto models = test::micro_models(2);
    const test::TempFolder folder;
    for (const int texts : {1, 3, 16}) (void)sampled(models, plan_in(folder / std::to_string(texts), texts));
    EXPECT_EQ(files_of(folder / "1"), files_of(folder / "3"));
    EXPECT_EQ(files_of(folder / "1"), files_of(folder / "16"));
}

TEST(CorpusSampling, WhoStopsAndGoesOnGetsTheSameBytes) {
    const auto models = test::micro_models(1);
    const test::TempFolder folder;
    (void)sampled(models, plan_in(folder / "whole"));
    const auto whole = files_of(folder / "whole");
    for (const int passes : {5, 31})              // between two stops
        for (const bool killed : {false, true}) { // then only what was saved a little before is there
            const fs::path own = folder / (std::to_string(passes) + (killed ? "k" : "s"));
            int starts = 0;
            for (bool done = false; !done && starts < 2000; ++starts) {
                CorpusSampling sampling(models, plan_in(own, 1 + starts % 7));
                for (int i = 0; i < passes && !done; ++i) {
                    done = !sampling.step();
                    if (killed && !done && i == passes - 1 - starts % 2) sampling.save();
                }
                if (!killed && !done) sampling.save();
            }
            EXPECT_GT(starts, 3);
            EXPECT_LT(starts, 2000);
            EXPECT_EQ(files_of(own), whole) << passes;
        }
}

TEST(CorpusSampling, EndsAtSoManyTokensAndGrows) {
    const auto models = test::micro_models(1);
    const test::TempFolder folder;
    CorpusPlan plan = plan_in(folder / "once");
    plan.tokens = 200;
    const CorpusProgress progress = sampled(models, plan);
    EXPECT_GE(progress.tokens, 200);
    const std::vector<CorpusText> texts = texts_of(folder / "once");
    EXPECT_LT(progress.tokens - texts.back().answer(), 200) << "not one text more";
    EXPECT_EQ(texts.size(), static_cast<std::size_t>(progress.texts));
    EXPECT_LT(texts.size(), 24u);
    plan.folder = folder / "grown";
    plan.tokens = 90;
    (void)sampled(models, plan);
    plan.texts = 7;
    plan.tokens = 200;
    (void)sampled(models, plan);
    EXPECT_EQ(files_of(folder / "once"), files_of(folder / "grown"));
    // Further prompts come behind those that were answered.
    const std::vector<CorpusPrompt> all = plan.prompts;
    plan.folder = folder / "longer";
    plan.tokens = 0;
    plan.prompts.resize(9);
    (void)sampled(models, plan);
    plan.prompts = all;
    (void)sampled(models, plan);
    (void)sampled(models, plan_in(folder / "whole"));
    EXPECT_EQ(files_of(folder / "longer"), files_of(folder / "whole"));
}

TEST(CorpusSampling, APromptWithoutRoomIsLeftOut) {
    const auto models = test::micro_models(1, 64);
    const test::TempFolder folder;
    CorpusPlan plan = plan_in(folder / "c");
    plan.prompts[2].max_tokens = 64;
    plan.prompts[5].prompt.token_ids.assign(70, 7);
    const CorpusProgress progress = sampled(models, plan);
    EXPECT_EQ(progress.too_long, 2);
    EXPECT_EQ(progress.texts, 22);
    for (const CorpusText& text : texts_of(folder / "c")) EXPECT_TRUE(text.number != 2 && text.number != 5);
    EXPECT_EQ(sampled(models, plan).fresh, 0) << "all is there";
}

TEST(CorpusSampling, AnAnswerThatRepeatsItselfIsEnded) {
    EXPECT_FALSE(repeats_itself(std::vector<int>(143, 7)));
    EXPECT_TRUE(repeats_itself(std::vector<int>(144, 7)));
    std::vector<int> answer;
    for (int i = 0; i < 400; ++i) answer.push_back(i % 48);
    EXPECT_TRUE(repeats_itself(answer));
    for (int i = 0; i < 400; ++i) answer.push_back(i % 49);
    EXPECT_FALSE(repeats_itself(answer));
    answer.assign(300, 1);
    answer.push_back(2);
    EXPECT_FALSE(repeats_itself(answer));

    // The greedy text of a model with random weights soon does.
    const auto models = test::micro_models(1);
    const test::TempFolder folder;
    CorpusPlan plan = plan_in(folder / "c");
    plan.block_tokens = 10000;
    for (CorpusPrompt& prompt : plan.prompts) prompt.temperature = 0, prompt.max_tokens = 400;
    CorpusProgress progress = sampled(models, plan);
    EXPECT_GT(progress.ends[AnswerEnd::loop], 0);
    for (const CorpusText& text : texts_of(folder / "c")) {
        const std::span<const int> own = std::span(text.tokens).subspan(static_cast<std::size_t>(text.prompt));
        EXPECT_EQ(text.end == AnswerEnd::limit, own.size() == 400u);
        EXPECT_TRUE(text.end != AnswerEnd::loop || repeats_itself(own));
        EXPECT_EQ(text.end == AnswerEnd::stop, std::ranges::find(models->stops(), own.back()) != models->stops().end());
    }
}

TEST(CorpusSampling, AFolderOfSomethingElseIsRefused) {
    const auto models = test::micro_models(1);
    const test::TempFolder folder;
    const CorpusPlan plan = plan_in(folder / "c");
    (void)sampled(models, plan);
    const auto before = files_of(folder / "c");
    const auto refused = [&](const std::function<void(CorpusPlan&)>& change, const std::string& words) {
        CorpusPlan other = plan;
        change(other);
        test::expect_error([&] { (void)sampled(models, other); }, {words});
        EXPECT_EQ(files_of(folder / "c"), before);
    };
    refused([](CorpusPlan& p) { p.seed = 10; }, "seed 9, not 10");
    refused([](CorpusPlan& p) { p.filters.top_p = 0.9; }, "top-p");
    refused([](CorpusPlan& p) { p.prompts[3].prompt.token_ids.back() = 6; }, "answers prompt 4 which has another text");
    refused([](CorpusPlan& p) { p.prompts[3].temperature = 0.55; }, "another temperature");
    refused([](CorpusPlan& p) { p.prompts.resize(20); }, "only 20");
    refused([](CorpusPlan& p) { p.prompts.clear(); }, "no prompts");
    refused([](CorpusPlan& p) { p.block_tokens = 1; }, "a block has");
    refused([](CorpusPlan& p) { p.texts = 65; }, "1 … 64 texts");
    refused([](CorpusPlan& p) { p.prompts[23].temperature = -1; }, "temperature");
    test::expect_error(
        [&] {
            (void)sampled(test::precise_models(1, Precision::f32), plan_in(folder / "d"));
            (void)sampled(models, plan_in(folder / "d"));
        },
        {"was sampled with"});
    CorpusBlock block = read_corpus(folder / "c" / "000.corpus");
    block.texts.erase(block.texts.begin() + 1);
    write_corpus(folder / "c" / "000.corpus", block);
    test::expect_error([&] { (void)sampled(models, plan); }, {"lacks the answer to prompt 2"});
    test::write_file(folder / "c" / "000.corpus", "rubbish");
    test::expect_error([&] { (void)sampled(models, plan); }, {"is no corpus"});
    test::expect_error([&] { (void)sampled(models, plan_in(folder / "c" / "000.corpus" / "d")); }, {"cannot be made"});
}

} // namespace
} // namespace speclens
