// The distribution of a batch: every text is, bit for bit, the one that its run alone writes, whatever else is in flight. Compared are the
// hashes of whole traces: tokens, probabilities, coins, verdicts and lengths of the cache.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "engine/batch/batch_engine.h"
#include "engine/drafters/drafter_info.h"
#include "engine/recall/suffix_trie.h"
#include "tests/shared/forwarding_backend.h"
#include "tests/shared/micro.h"
#include "tests/shared/tables.h"

namespace speclens {
namespace {

struct Alone {
    std::vector<int> sequence;
    std::uint64_t hash = 0;
};

Alone alone(const std::shared_ptr<const Models>& models, const RunSettings& settings) {
    const auto run = test::finished(models, settings);
    return {run->sequence(), run->trace().hash(run->trace().size())};
}

// A text of its own: prompt, seed, length.
RunSettings text_of(const std::string& drafter, int k, double temperature, int number) {
    RunSettings settings = test::greedy(drafter, k);
    std::mt19937 random(static_cast<unsigned>(number) * 7919u + 1);
    settings.prompt.token_ids.clear();
    const int length = 1 + static_cast<int>(random() % 40);
    for (int i = 0; i < length; ++i) settings.prompt.token_ids.push_back(static_cast<int>(random() % 8) + 5);
    settings.seed = static_cast<std::uint64_t>(number) + 100;
    settings.max_tokens = 1 + static_cast<int>(random() % 30);
    settings.sampling.temperature = temperature;
    if (temperature > 0 && find_drafter(drafter)->tree) settings.rule = "tree_wor";
    settings.trace_top = number % 3 == 0 ? 4 : 0;
    return settings;
}

// After a round, with nothing shared: every text has the blocks that its positions need, and no other block is in use.
void expect_blocks_are_those_of_the_texts(const BatchEngine& engine, bool shared) {
    int needed = 0;
    for (const int text : engine.scheduler().in_flight()) {
        const int blocks = (engine.length_of(text) + PagedModel::kBlock - 1) / PagedModel::kBlock;
        EXPECT_EQ(std::ssize(engine.blocks_of(text)), blocks);
        needed += blocks;
    }
    if (shared)
        EXPECT_LE(engine.pool().used(), needed);
    else
        EXPECT_EQ(engine.pool().used(), needed);
    for (const int text : engine.scheduler().waiting()) EXPECT_TRUE(engine.blocks_of(text).empty());
}

// Texts arrive `every` rounds apart, or all at once.
std::unique_ptr<BatchEngine> run_together(const std::shared_ptr<const Models>& models, const std::vector<RunSettings>& texts,
                                          BatchSettings settings, int every = 0) {
    settings.poison = true;
    auto engine = std::make_unique<BatchEngine>(models, settings);
    std::size_t next = 0;
    for (int round = 0; round < 100000; ++round) {
        while (next < texts.size() && (every == 0 || round % every == 0)) {
            engine->submit(texts[next++]);
            if (every > 0) break;
        }
        const bool busy = engine->step();
        expect_blocks_are_those_of_the_texts(*engine, settings.share);
        if (!busy && next == texts.size()) return engine;
    }
    ADD_FAILURE() << "the texts never ended";
    return engine;
}

void expect_as_alone(const std::shared_ptr<const Models>& models, const std::vector<RunSettings>& texts, const BatchEngine& engine) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const BatchText& got = engine.text(static_cast<int>(i));
        ASSERT_EQ(got.state, BatchText::State::done) << "text " << i << ": " << got.error;
        const Alone want = alone(models, texts[i]);
        EXPECT_EQ(got.sequence, want.sequence) << "text " << i << ", " << texts[i].drafter << ", K = " << texts[i].k;
        EXPECT_EQ(got.trace->hash(got.trace->size()), want.hash) << "text " << i << ", " << texts[i].drafter << ", K = " << texts[i].k;
    }
    EXPECT_EQ(engine.pool().used(), 0);
}

BatchSettings roomy(int texts) { return {.texts = texts, .blocks = 64 * 8}; }

class BatchThreads : public ::testing::TestWithParam<int> {
  protected:
    const std::shared_ptr<const Models> models_ = test::micro_models(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Batch, BatchThreads, ::testing::Values(1, 2, 5), ::testing::PrintToStringParamName());

TEST_P(BatchThreads, EveryTextIsTheOneItHasAloneForEveryDrafter) {
    for (const DrafterInfo& drafter : drafter_list())
        for (const int k : {1, 4, 8})
            for (const double temperature : {0.0, 0.9}) {
                std::vector<RunSettings> texts;
                for (int i = 0; i < 7; ++i) texts.push_back(text_of(drafter.name, k, temperature, i));
                expect_as_alone(models_, texts, *run_together(models_, texts, roomy(k)));
            }
}

TEST_P(BatchThreads, DraftersOfEveryKindShareAPass) {
    std::vector<RunSettings> texts;
    int number = 0;
    for (int i = 0; i < 3; ++i)
        for (const DrafterInfo& drafter : drafter_list()) {
            texts.push_back(text_of(drafter.name, 1 + number % 6, number % 2 == 0 ? 0.0 : 0.7, number));
            ++number;
        }
    expect_as_alone(models_, texts, *run_together(models_, texts, roomy(kMostTexts)));
    expect_as_alone(models_, texts, *run_together(models_, texts, roomy(5), 2));
}

// A pool in which two or three texts have room: they are preempted again and again, and nothing is lost.
TEST(Batch, ATextThatIsPreemptedIsTheSameText) {
    const auto models = test::micro_models(2);
    for (const DrafterInfo& drafter : drafter_list()) {
        int preempted = 0;
        for (const double temperature : {0.0, 0.8}) {
            std::vector<RunSettings> texts;
            for (int i = 0; i < 8; ++i) {
                texts.push_back(text_of(drafter.name, 4, temperature, i));
                texts.back().max_tokens = 60;
            }
            BatchSettings tight{.texts = 6, .blocks = 13, .prompt_rows = 16, .share = false};
            const auto engine = run_together(models, texts, tight);
            expect_as_alone(models, texts, *engine);
            for (int i = 0; i < engine->texts(); ++i) preempted += engine->text(i).preempted;
        }
        EXPECT_GT(preempted, 0) << drafter.name;
    }
}

// Schedules of every kind, from seeds: arrivals, sizes of batch, pool and prompt pieces, drafters, temperatures, cancelled texts.
TEST(Batch, RandomSchedulesChangeNoText) {
    const auto models = test::micro_models(2);
    for (unsigned seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
        BatchSettings settings{
            .texts = 1 + below(9), .blocks = 12 + below(40), .prompt_rows = 1 + below(40), .share = below(2) == 0, .poison = true};
        BatchEngine engine(models, settings);
        std::vector<RunSettings> texts;
        std::vector<bool> cancelled;
        const int all = 4 + below(8);
        for (int round = 0; round < 100000; ++round) {
            while (static_cast<int>(texts.size()) < all && below(3) == 0) {
                const DrafterInfo& drafter = drafter_list()[static_cast<std::size_t>(below(static_cast<int>(drafter_list().size())))];
                texts.push_back(text_of(drafter.name, below(7), below(2) == 0 ? 0.0 : 1.0, below(1000)));
                if (below(2) == 0) texts.back().prompt.token_ids.insert(texts.back().prompt.token_ids.begin(), 30, 9); // begins like others
                cancelled.push_back(false);
                engine.submit(texts.back());
            }
            const bool busy = engine.step();
            expect_blocks_are_those_of_the_texts(engine, settings.share);
            if (below(20) == 0 && !texts.empty()) {
                const int text = below(static_cast<int>(texts.size()));
                if (!engine.text(text).ended()) cancelled[static_cast<std::size_t>(text)] = true;
                engine.cancel(text);
            }
            if (!busy && static_cast<int>(texts.size()) == all) break;
        }
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const BatchText& got = engine.text(static_cast<int>(i));
            if (cancelled[i]) {
                EXPECT_EQ(got.state, BatchText::State::cancelled);
                continue;
            }
            ASSERT_EQ(got.state, BatchText::State::done) << got.error;
            const Alone want = alone(models, texts[i]);
            EXPECT_EQ(got.sequence, want.sequence) << texts[i].drafter;
            EXPECT_EQ(got.trace->hash(got.trace->size()), want.hash) << texts[i].drafter;
        }
        EXPECT_EQ(engine.pool().used(), 0);
    }
}

// Side by side the drafters of seven texts read their weights once for all of them.
TEST(Batch, DraftersMakeTheirProductsTogether) {
    const auto models = test::micro_models(2);
    for (const char* drafter : {"small", "eagle3", "dflash", "domino", "medusa", "eagle3_tree"}) {
        std::vector<RunSettings> texts;
        for (int i = 0; i < 7; ++i) {
            texts.push_back(text_of(drafter, 4, 0.8, i));
            texts.back().max_tokens = 20;
        }
        BatchSettings settings = roomy(7);
        const auto products = [&](bool together) {
            settings.together = together;
            BatchEngine engine(models, settings);
            for (const RunSettings& text : texts) engine.submit(text);
            while (engine.step()) {
            }
            expect_as_alone(models, texts, engine);
            return engine.lockstep().asked() > 0
                       ? static_cast<double>(engine.lockstep().asked()) / static_cast<double>(engine.lockstep().made())
                       : 0;
        };
        EXPECT_GT(products(true), 2) << drafter; // texts begin and end at different rounds
        EXPECT_EQ(products(false), 0) << drafter;
    }
}

TEST(Batch, TheOrderOfArrivalChangesNoText) {
    const auto models = test::micro_models(2);
    std::vector<RunSettings> texts;
    for (int i = 0; i < 9; ++i) texts.push_back(text_of(i % 2 == 0 ? "eagle3" : "domino", 5, 0.8, i));
    std::mt19937 random(1);
    for (int order = 0; order < 6; ++order) {
        std::shuffle(texts.begin(), texts.end(), random);
        expect_as_alone(models, texts, *run_together(models, texts, roomy(4 + order), order % 3));
    }
}

// Prompts that begin alike are read once; who writes into a block that others see takes a copy.
TEST(Batch, PromptsThatBeginAlikeShareBlocks) {
    const auto models = test::micro_models(2);
    for (const char* drafter : {"none", "small", "eagle3", "dflash", "medusa_tree"}) {
        std::vector<RunSettings> texts;
        for (int i = 0; i < 6; ++i) {
            texts.push_back(text_of(drafter, 4, 0.8, i));
            texts.back().prompt.token_ids.clear();
            for (int token = 0; token < 37; ++token) texts.back().prompt.token_ids.push_back(5 + token % 11);
            if (i % 2 == 1) texts.back().prompt.token_ids.push_back(20 + i); // and goes on in another way
            texts.back().max_tokens = 25;
        }
        BatchSettings settings = roomy(6);
        settings.poison = true;
        BatchEngine engine(models, settings);
        for (const RunSettings& text : texts) engine.submit(text);
        int shared = 0, copied = 0, read = 0;
        while (engine.step()) {
            shared += engine.round().shared_tokens;
            copied += engine.round().copied_blocks;
            read += engine.round().read_rows;
        }
        expect_as_alone(models, texts, engine);
        EXPECT_GE(shared, 5 * 36) << drafter;
        EXPECT_LE(read, 36 + 6) << drafter;
        EXPECT_GT(copied, 0) << drafter;
    }
}

// Who is served beside somebody else finds nothing of his: neither blocks nor answers.
TEST(Batch, TextsOfDifferentOwnersHaveNothingInCommon) {
    const auto models = test::micro_models(2);
    std::vector<RunSettings> texts;
    for (int i = 0; i < 6; ++i) {
        texts.push_back(text_of("eagle3", 4, 0.8, i));
        texts.back().prompt.token_ids.assign(37, 6);
        texts.back().max_tokens = 20;
    }
    for (const int owners : {1, 2, 6}) {
        BatchSettings settings = roomy(6);
        settings.prompt_rows = 256;
        settings.poison = true;
        BatchEngine engine(models, settings);
        for (std::size_t i = 0; i < texts.size(); ++i) engine.submit(texts[i], {.key = std::to_string(static_cast<int>(i) % owners)});
        int shared = 0, read = 0;
        while (engine.step()) {
            shared += engine.round().shared_tokens;
            read += engine.round().read_rows;
            std::vector<int> owner(static_cast<std::size_t>(settings.blocks), -1); // of each block
            for (const int text : engine.scheduler().in_flight())
                for (const int block : engine.blocks_of(text)) {
                    int& of = owner[static_cast<std::size_t>(block)];
                    EXPECT_TRUE(of == -1 || of == text % owners);
                    of = text % owners;
                }
        }
        EXPECT_EQ(shared, (6 - owners) * 36);
        EXPECT_EQ(read, owners * 36) << "each owner's prompt is read once";
        expect_as_alone(models, texts, engine);
    }
}

TEST(Batch, AnOwnersAnswersAreDraftedFrom) {
    const auto models = test::micro_models(2);
    RunSettings text = test::greedy("suffix", 6);
    text.max_tokens = 40;
    const Alone first = alone(models, text);
    auto answers = std::make_shared<SuffixTrie>(text.options.suffix_depth);
    answers->begin_text();
    for (std::size_t i = text.prompt.token_ids.size(); i < first.sequence.size(); ++i) answers->append(first.sequence[i]);
    auto own = std::make_shared<Models>(*models);
    own->answers = answers;
    BatchEngine engine(models, roomy(3));
    engine.submit(text);
    engine.submit(text, {.key = "a", .answers = answers});
    engine.submit(text, {.key = "b"});
    while (engine.step()) {
    }
    const auto hash = [&](int number) { return engine.text(number).trace->hash(engine.text(number).trace->size()); };
    EXPECT_EQ(hash(0), first.hash);
    EXPECT_EQ(hash(1), alone(own, text).hash);
    EXPECT_EQ(hash(2), first.hash);
    EXPECT_EQ(engine.text(1).sequence, first.sequence);
    EXPECT_LT(engine.text(1).deliveries.size(), engine.text(0).deliveries.size()) << "fewer rounds for the same text";
}

TEST(Batch, ForgetsTextsThatHaveEnded) {
    const auto models = test::micro_models(1);
    BatchEngine engine(models, roomy(2));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(engine.submit(test::greedy("none", 0)), i);
    engine.cancel(1);
    engine.forget(1);
    while (engine.step()) {
    }
    EXPECT_EQ(engine.text(0).sequence, engine.text(2).sequence);
    engine.forget(0);
    engine.forget(2);
    EXPECT_EQ(engine.submit(test::greedy("none", 0)), 3);
    EXPECT_EQ(engine.texts(), 4);
    while (engine.step()) {
    }
    EXPECT_EQ(engine.text(3).state, BatchText::State::done);
    EXPECT_EQ(engine.pool().used(), 0);
}

// A cache of sixteen bits, in which long contexts are walked in parts.
TEST(Batch, AnyPrecisionAndALongContextChangeNoText) {
    for (const Precision precision : {Precision::bf16, Precision::int8}) {
        const auto models = test::precise_models(2, precision);
        for (const char* drafter : {"none", "small", "eagle3", "dflash", "eagle3_tree"}) {
            std::vector<RunSettings> texts;
            for (int i = 0; i < 4; ++i) {
                texts.push_back(text_of(drafter, 4, i % 2 == 0 ? 0.0 : 0.8, i));
                texts.back().prompt.token_ids.insert(texts.back().prompt.token_ids.end(), static_cast<std::size_t>(120 * i), 7);
            }
            expect_as_alone(models, texts, *run_together(models, texts, roomy(4)));
        }
    }
}

// Trees of 40 nodes from 16 texts do not fit into one pass of 512 rows.
TEST(Batch, RowsThatDoNotFitIntoOnePassTakeSeveral) {
    const auto models = test::micro_models(2);
    std::vector<RunSettings> texts;
    for (int i = 0; i < 16; ++i) {
        texts.push_back(text_of("small_tree", 6, 0, i));
        texts.back().options.tree_budget = 60;
        texts.back().options.tree_topk = 8;
        texts.back().max_tokens = 30;
    }
    BatchSettings settings = roomy(16);
    BatchEngine engine(models, settings);
    for (const RunSettings& text : texts) engine.submit(text);
    int passes = 0;
    while (engine.step()) passes = std::max(passes, engine.round().passes);
    EXPECT_GT(passes, 1);
    expect_as_alone(models, texts, engine);
}

TEST(Batch, ARoundSaysWhatEveryTextDid) {
    const auto models = test::micro_models(1);
    BatchEngine engine(models, roomy(2));
    for (int i = 0; i < 3; ++i) {
        RunSettings text = test::greedy("lookup", 3);
        text.max_tokens = 12;
        text.prompt.token_ids[0] = 20 + i;
        engine.submit(text);
    }
    int tokens = 0, joined = 0, left = 0;
    while (engine.step()) {
        const BatchRound& round = engine.round();
        EXPECT_LE(round.lanes.size(), 2u);
        int rows = 0;
        for (const BatchLane& lane : round.lanes) {
            rows += lane.rows;
            joined += lane.joined;
            left += lane.left;
            EXPECT_LE(lane.accepted, lane.drafted());
        }
        EXPECT_EQ(rows, round.rows);
        EXPECT_GE(round.pass_ms, 0);
        tokens += round.tokens();
    }
    EXPECT_EQ(tokens, 3 * 12);
    EXPECT_EQ(joined, 3);
    EXPECT_EQ(left, 3);
    for (int i = 0; i < 3; ++i) {
        const BatchText& text = engine.text(i);
        int delivered = 0;
        for (const auto& delivery : text.deliveries) delivered += delivery.tokens;
        EXPECT_EQ(delivered, 12);
        EXPECT_GE(text.first_ms, text.arrived_ms);
        EXPECT_GE(text.done_ms, text.first_ms);
    }
    EXPECT_GT(engine.text(2).first_ms, engine.text(0).done_ms) << "the third waited for a seat";
}

struct NoPages final : test::ForwardingBackend {
    using test::ForwardingBackend::ForwardingBackend;
    bool pages() const override { return false; }
};

TEST(Batch, SaysSoWhereTheBackendHasNoPagedAttention) {
    Models models;
    models.backend = std::make_shared<NoPages>(make_cpu_backend({.threads = 1}));
    models.target = Model::random(*models.backend, test::micro_config(2, 32), "micro target", 5);
    try {
        BatchEngine engine(std::make_shared<const Models>(models), {.texts = 2, .blocks = 8});
        FAIL() << "a batch on a backend that cannot";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Exit::device);
        EXPECT_NE(std::string(error.what()).find("cannot compute several texts in one pass"), std::string::npos) << error.what();
        EXPECT_FALSE(error.remedy().empty());
    }
}

struct CountedSoftmax final : test::ForwardingBackend {
    using test::ForwardingBackend::ForwardingBackend;
    void softmax(const Tensor& logits, float temperature, const Tensor& out) override {
        rows += logits.rows;
        test::ForwardingBackend::softmax(logits, temperature, out);
    }
    std::int64_t rows = 0;
};

// Texts that are sampled for training have a temperature each: a pass once computed all of its rows anew for every one of them.
TEST(Batch, TextsOfSeveralTemperaturesCostASoftmaxOfARowEach) {
    Models models;
    const auto backend = std::make_shared<CountedSoftmax>(make_cpu_backend({.threads = 1}));
    models.backend = backend;
    models.target = Model::random(*models.backend, test::micro_config(2, 32), "micro target", 5);
    const auto shared = std::make_shared<const Models>(models);
    std::vector<RunSettings> texts;
    for (int i = 0; i < 6; ++i) {
        texts.push_back(text_of("none", 0, 0.3 + 0.2 * i, i));
        texts.back().trace_top = 0;
        texts.back().max_tokens = 20;
    }
    const auto engine = run_together(shared, texts, {.texts = 6, .blocks = 64});
    std::int64_t tokens = 0;
    for (int i = 0; i < 6; ++i)
        tokens += std::ssize(engine->text(i).sequence) - std::ssize(texts[static_cast<std::size_t>(i)].prompt.token_ids);
    EXPECT_LE(backend->rows, 2 * tokens) << "all rows of a pass once, and each that has another temperature";
    expect_as_alone(shared, texts, *engine);
}

TEST(Batch, RefusesWhatItCannotDo) {
    const auto models = test::micro_models(1);
    EXPECT_THROW(BatchEngine(models, {.texts = 0, .blocks = 4}), Error);
    EXPECT_THROW(BatchEngine(models, {.texts = kMostTexts + 1, .blocks = 4}), Error);
    EXPECT_THROW(BatchEngine(models, {.texts = 1, .blocks = 0}), Error);
    EXPECT_THROW(BatchEngine(test::table_models(test::random_table(5, 2, 1), nullptr), {.texts = 1, .blocks = 4}), Error);
    BatchEngine engine(models, {.texts = 1, .blocks = 2});
    EXPECT_THROW(engine.submit(test::greedy("none", 0)), Error) << "48 positions do not fit into 32";
    RunSettings wrong = test::greedy("none", 0);
    wrong.drafter = "nobody";
    EXPECT_THROW(engine.submit(wrong), Error);
    EXPECT_FALSE(engine.step());
}

} // namespace
} // namespace speclens
