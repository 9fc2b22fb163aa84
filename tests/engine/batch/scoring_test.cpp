// Texts that are only judged, and turns that are fair between keys.
#include <gtest/gtest.h>

#include <random>

#include "engine/batch/batch_engine.h"
#include "tests/shared/micro.h"
#include "tests/shared/tables.h"

namespace speclens {
namespace {

std::vector<int> text_of(int length, int seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    std::vector<int> tokens;
    for (int i = 0; i < length; ++i) tokens.push_back(static_cast<int>(random() % 50) + 5);
    return tokens;
}

std::vector<ScoredToken> alone(const Models& models, const Scoring& scoring) {
    const auto count = scoring.tokens.size() - 1;
    const std::unique_ptr<Decoder> decoder = make_model_decoder(models.target, static_cast<int>(count));
    PassRows& rows = decoder->forward({.tokens = std::span(scoring.tokens).first(count)});
    std::vector<ScoredToken> scores;
    for (std::size_t row = static_cast<std::size_t>(scoring.first); row < count; ++row)
        scores.push_back(scored_token(rows.distribution(static_cast<int>(row), kRawSampling), scoring.tokens[row + 1], scoring.top));
    return scores;
}

void expect_same(const std::vector<ScoredToken>& got, const std::vector<ScoredToken>& want) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i].top, want[i].top) << i;
        EXPECT_EQ(got[i].logp, want[i].logp) << i;
        EXPECT_EQ(got[i].rank, want[i].rank) << i;
    }
}

int rounds_of(BatchEngine& engine) {
    int rounds = 0;
    while (engine.step()) ++rounds;
    return rounds;
}

RunSettings plain(int prompt, int tokens, int seed) {
    RunSettings settings = test::greedy("none", 0);
    settings.prompt.token_ids = text_of(prompt, seed);
    settings.max_tokens = tokens;
    return settings;
}

} // namespace

TEST(BatchScoring, JudgesAsARunOfItsOwnDoesBesideOthers) {
    const auto models = test::micro_models(2);
    for (const int rows : {1, 3, 64}) {
        BatchEngine engine(models, {.texts = 8, .blocks = 64, .prompt_rows = rows, .poison = true});
        std::vector<Scoring> asked;
        for (const auto& [length, first] : std::vector<std::pair<int, int>>{{2, 0}, {17, 0}, {40, 35}, {40, 20}, {33, 31}}) {
            asked.push_back({.tokens = text_of(length, length), .first = first, .top = length % 7});
            engine.submit(asked.back());
            engine.submit(plain(9, 12, length));
        }
        (void)rounds_of(engine);
        for (std::size_t i = 0; i < asked.size(); ++i) {
            const BatchText& got = engine.text(static_cast<int>(2 * i));
            ASSERT_EQ(got.state, BatchText::State::done) << got.error;
            expect_same(got.scores, alone(*models, asked[i]));
            EXPECT_EQ(engine.text(static_cast<int>(2 * i) + 1).sequence,
                      test::finished(models, plain(9, 12, static_cast<int>(asked[i].tokens.size())))->sequence());
        }
        EXPECT_EQ(engine.free_blocks(), 64);
    }
}

// A draft worker sends the text again with some tokens more: what was read before is there, and only its guesses are computed.
TEST(BatchScoring, GoesOnWhereTheLastOneOfItsOwnerEnded) {
    const auto models = test::micro_models(2);
    BatchEngine engine(models, {.texts = 4, .blocks = 32, .poison = true});
    std::vector<int> text = text_of(50, 3);
    for (int round = 0; round < 12; ++round) {
        const Scoring asked{.tokens = text, .first = static_cast<int>(text.size()) - 6, .top = 5};
        const int number = engine.submit(asked, {.key = "worker"});
        int rows = 0;
        while (engine.step()) rows += engine.round().rows;
        expect_same(engine.text(number).scores, alone(*models, asked));
        if (round > 0) {
            EXPECT_LE(rows, 5 + 1) << "round " << round;
        }
        EXPECT_EQ(engine.free_blocks(), 32);
        EXPECT_GT(engine.pool().used(), 0) << "kept, until they are needed";
        text.resize(text.size() - static_cast<std::size_t>(round % 5)); // some guesses were refused
        for (int i = 0; i < 3 + round % 4; ++i) text.push_back(5 + (round * 7 + i) % 50);
    }
    // Nobody else finds them, and who needs the blocks gets them.
    const Scoring same{.tokens = text, .first = static_cast<int>(text.size()) - 6, .top = 5};
    engine.submit(same, {.key = "other"});
    int rows = 0;
    while (engine.step()) rows += engine.round().rows;
    EXPECT_EQ(rows, static_cast<int>(text.size()) - 1);
    RunSettings large = plain(300, 200, 1);
    const int number = engine.submit(large, {.key = "third"});
    while (engine.step()) {
    }
    EXPECT_EQ(engine.text(number).state, BatchText::State::done);
    EXPECT_EQ(engine.text(number).preempted, 0);
}

TEST(BatchScoring, RefusesWhatCannotBeJudged) {
    const auto models = test::micro_models(1);
    BatchEngine engine(models, {.texts = 2, .blocks = 8});
    const auto refuses = [&](const Scoring& scoring) { EXPECT_THROW((void)engine.submit(scoring), Error); };
    refuses({.tokens = {}});
    refuses({.tokens = {5}});
    refuses({.tokens = {5, 6}, .first = 1});
    refuses({.tokens = {5, 6}, .first = -1});
    refuses({.tokens = {5, 61}});
    refuses({.tokens = {-1, 6}});
    refuses({.tokens = text_of(8 * 16 + 2, 1)}); // blocks
    refuses({.tokens = text_of(600, 1)});        // context
    EXPECT_FALSE(engine.step());
}

// ---- fairness ----

TEST(Scheduler, IsFairBetweenKeysByRowsNotByTexts) {
    Scheduler scheduler(1);
    for (int text = 0; text < 6; ++text) scheduler.arrive(text, "many");
    scheduler.admit(0);
    scheduler.served(0, 10);
    scheduler.arrive(6, "one");
    EXPECT_EQ(scheduler.rows_of("one"), 10) << "who comes later has saved up nothing";
    scheduler.served(0, 1);
    scheduler.leave(0);
    EXPECT_EQ(scheduler.next(), 6);
    scheduler.admit(6);
    scheduler.served(6, 100);
    scheduler.leave(6);
    scheduler.arrive(7, "one");
    EXPECT_EQ(scheduler.rows_of("one"), 110) << "nor does it help to leave and come back";
    for (const int text : {1, 2, 3}) { // until they are even
        EXPECT_EQ(scheduler.next(), text);
        scheduler.admit(text);
        scheduler.served(text, 33);
        scheduler.leave(text);
    }
    EXPECT_EQ(scheduler.next(), 4) << "110 each: the first that came";
}

TEST(Scheduler, WhoGaveUpItsBlocksGoesBeforeAnybodyNew) {
    Scheduler scheduler(2);
    scheduler.arrive(0, "a");
    scheduler.arrive(1, "b");
    scheduler.admit(0);
    scheduler.admit(1);
    scheduler.served(1, 50);
    scheduler.preempt(1);
    scheduler.arrive(2, "c");
    EXPECT_EQ(scheduler.next(), 1);
    scheduler.leave(1);
    EXPECT_EQ(scheduler.next(), 2);
}

// Two keys that always have texts waiting get rows alike, whatever their texts are like: apart by what is in flight at most.
TEST(Scheduler, KeysThatAlwaysWaitAreServedAlike) {
    for (unsigned seed = 0; seed < 50; ++seed) {
        std::mt19937 random(seed);
        const int seats = 1 + static_cast<int>(random() % 4), most_rows = 5 + static_cast<int>(random() % 60);
        Scheduler scheduler(seats);
        int next = 0;
        std::map<int, int> left; // rows of the texts in flight
        std::map<int, std::string> key_of;
        std::map<std::string, int> waiting;
        for (int round = 0; round < 400; ++round) {
            for (const std::string key : {"a", "b", "c"})
                while (waiting[key] < (key == "a" ? 20 : seats + 2)) {
                    scheduler.arrive(next, key);
                    key_of[next++] = key;
                    ++waiting[key];
                }
            while (const auto text = scheduler.next()) {
                scheduler.admit(*text);
                --waiting[key_of[*text]];
                left[*text] = 1 + static_cast<int>(random() % static_cast<unsigned>(most_rows));
            }
            for (const int text : std::vector<int>(scheduler.in_flight())) {
                scheduler.served(text, 1);
                if (--left[text] > 0) continue;
                left.erase(text);
                scheduler.leave(text);
            }
            long long low = scheduler.rows_of("a"), high = low;
            for (const char* key : {"b", "c"}) {
                low = std::min(low, scheduler.rows_of(key));
                high = std::max(high, scheduler.rows_of(key));
            }
            ASSERT_LE(high - low, static_cast<long long>(seats) * most_rows) << "seed " << seed << ", round " << round;
        }
    }
}

// A key with many texts and long prompts delays another key's text by what is in flight, not by what it has waiting.
TEST(BatchFairness, AKeyWithManyTextsStarvesNobody) {
    const auto models = test::micro_models(2);
    std::vector<int> passes; // until the only text of the other key is done
    for (const int many : {2, 8, 40}) {
        BatchEngine engine(models, {.texts = 2, .blocks = 64, .prompt_rows = 16});
        for (int i = 0; i < many; ++i) engine.submit(plain(60, 20, i), {.key = "many"});
        for (int i = 0; i < 3; ++i) (void)engine.step();
        const int number = engine.submit(plain(5, 6, 99), {.key = "one"});
        int count = 0;
        while (!engine.text(number).ended()) {
            ASSERT_TRUE(engine.step());
            count += engine.round().passes;
        }
        passes.push_back(count);
        (void)rounds_of(engine);
        for (int i = 0; i < engine.texts(); ++i) EXPECT_EQ(engine.text(i).state, BatchText::State::done);
    }
    EXPECT_EQ(passes[1], passes[0]);
    EXPECT_EQ(passes[2], passes[0]);
    EXPECT_LE(passes[2], 2 * 60 / 16 + 20 + 10) << "the prompts and the text of who is in flight, then its own";
}

TEST(BatchFairness, ALongPromptLeavesRowsToOtherKeys) {
    const auto models = test::micro_models(2);
    BatchEngine engine(models, {.texts = 4, .blocks = 64, .prompt_rows = 8});
    engine.submit(plain(200, 1, 1), {.key = "long"});
    const int number = engine.submit(plain(9, 1, 2), {.key = "short"});
    int passes = 0;
    for (; !engine.text(number).ended(); ++passes) ASSERT_TRUE(engine.step());
    EXPECT_LE(passes, 3) << "four rows a pass for its eight tokens, then its own";
    EXPECT_FALSE(engine.text(0).ended());
}

} // namespace speclens
