// What happens to the blocks of a batch, round by round, and what drafts cost in blocks: the estimate beside the count.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "engine/batch/batch_engine.h"
#include "engine/batch/block_film.h"
#include "engine/batch/sweep.h"
#include "engine/run/gallery.h"
#include "tests/shared/micro.h"
#include "tests/shared/whole_bundle.h"

namespace speclens {
namespace {

constexpr int kBlock = PagedModel::kBlock;

RunSettings film_text(const char* drafter, int k, int number, int tokens) {
    RunSettings settings = test::greedy(drafter, k);
    settings.prompt.token_ids.clear();
    for (int i = 0; i < 20 + 3 * number; ++i) settings.prompt.token_ids.push_back(5 + (i * 7 + number) % 9);
    settings.seed = static_cast<std::uint64_t>(number) + 1;
    settings.sampling.temperature = 0.9;
    settings.max_tokens = tokens;
    return settings;
}

BlockFilm film_of(const std::vector<RunSettings>& texts, const BatchSettings& settings, int rounds = 10000) {
    BlockFilmRecorder recorder(test::micro_models(2), texts, settings, rounds);
    while (recorder.step()) {
    }
    return recorder.film();
}

// Every holder of a block is a text that has it in its table, in the pass and after it.
TEST(BlockFilm, TablesAndHoldersAgreeInEveryRound) {
    std::vector<RunSettings> texts;
    for (int i = 0; i < 5; ++i) texts.push_back(film_text("small", 7, i / 2 * 2, 50)); // pairs that begin alike
    const BlockFilm film = film_of(texts, {.texts = 4, .blocks = 14, .poison = true});
    int preempted = 0, copied = 0, shared = 0, given_back = 0;
    for (const FilmRound& round : film.rounds) {
        for (const bool in_pass : {true, false}) {
            std::map<int, int> holders;
            for (const FilmText& text : round.texts) {
                const std::vector<int>& table = in_pass ? text.during : text.after;
                EXPECT_EQ(std::set<int>(table.begin(), table.end()).size(), table.size());
                for (const int block : table) ++holders[block];
            }
            const std::vector<int>& told = in_pass ? round.during : round.after;
            ASSERT_EQ(told.size(), 14u);
            for (int block = 0; block < 14; ++block) EXPECT_EQ(holders[block], told[static_cast<std::size_t>(block)]);
            EXPECT_LE(round.used(in_pass), film.blocks);
        }
        for (const FilmText& text : round.texts) {
            if (text.lane.rows > 0) {
                EXPECT_EQ(std::ssize(text.during), (text.before + text.lane.rows + kBlock - 1) / kBlock);
            }
            EXPECT_EQ(std::ssize(text.after), (text.kept + kBlock - 1) / kBlock) << "refused rows are given back at once";
            if (text.lane.did == BatchLane::Did::preempted) {
                EXPECT_TRUE(text.during.empty());
            }
            given_back += static_cast<int>(text.during.size()) > static_cast<int>(text.after.size()) && !text.lane.left;
        }
        preempted += round.preempted(), copied += round.copied, shared += round.shared_tokens;
    }
    EXPECT_GT(preempted, 0);
    EXPECT_GT(copied, 0);
    EXPECT_GT(shared, 0);
    EXPECT_GT(given_back, 0);
    EXPECT_EQ(film.rounds.back().used(false), 0);
}

// K drafts behind n positions reach into ⌈(n + 1 + K) ÷ 16⌉ − ⌈(n + 1) ÷ 16⌉ more blocks than the pending token alone. Over sixteen
// lengths in a row that is K blocks, so a text needs K ÷ 16 on average: the estimate. In a round it is 0 or 1 (K < 16) of a text.
TEST(BlockFilm, TheEstimateIsTheMeanOfTheCount) {
    for (const int k : {1, 3, 5, 7, 15, 16, 20, 33}) {
        int sum = 0;
        for (int before = 100; before < 100 + kBlock; ++before) {
            FilmText text;
            text.before = before;
            text.lane.rows = 1 + k;
            text.during.resize(static_cast<std::size_t>((before + 1 + k + kBlock - 1) / kBlock));
            EXPECT_GE(text.for_drafts(), k / kBlock);
            EXPECT_LE(text.for_drafts(), k / kBlock + 1);
            sum += text.for_drafts();
        }
        EXPECT_EQ(sum, k);
    }
}

// The article's case, 256 texts with K = 5: 1280 slots, so 80 blocks of 16.
TEST(BlockFilm, TheArticlesExampleIsEightyBlocks) {
    FilmRound round;
    for (int i = 0; i < 256; ++i) {
        FilmText& text = round.texts.emplace_back();
        text.before = 200 + i; // lengths of all kinds
        text.lane.rows = 6;
        text.during.resize(static_cast<std::size_t>((text.before + 6 + kBlock - 1) / kBlock));
    }
    EXPECT_DOUBLE_EQ(round.estimated(), 80);
    EXPECT_EQ(round.for_drafts(), 80);
}

// Of a batch that ran, over all rounds: what was counted in its tables lies around the estimate.
TEST(BlockFilm, ABatchThatRanTookWhatTheEstimateSays) {
    std::vector<RunSettings> texts;
    for (int i = 0; i < 12; ++i) texts.push_back(film_text("small", 5, i, 120));
    const BlockFilm film = film_of(texts, {.texts = 12, .blocks = 200});
    ASSERT_GT(film.rounds.size(), 20u);
    EXPECT_GT(film.mean_estimated(), 1);
    EXPECT_NEAR(film.mean_for_drafts() / film.mean_estimated(), 1, 0.15);
}

// What `sweep` says of blocks, of the built-in model with its own prompts: short questions, and answers of a few words.
TEST(BlockFilm, TheBuiltInModelsFilmShowsAllThatHappensToBlocks) {
    const auto models = test::whole_bundle();
    SweepPlan plan;
    const std::vector<GalleryPrompt> prompts = load_gallery(gallery_file(assets_folder(), true));
    for (std::size_t i = 0; i < 24; ++i) {
        RunSettings text = test::greedy("none", 0);
        const GalleryPrompt& prompt = prompts[i * prompts.size() / 24];
        text.prompt.token_ids.clear();
        text.prompt = prompt_of(prompt, false);
        text.max_tokens = 64;
        plan.texts.push_back(text);
    }
    plan.methods = {{.drafter = "none", .rule = "token", .k = 0}, {.drafter = "domino", .rule = "token", .k = 7}};
    plan.film = true;
    SweepMeasurement measurement(models, plan);
    while (measurement.doing() == "a batch with few blocks" && measurement.step()) {
    }
    const Sweep sweep = measurement.sweep();
    ASSERT_TRUE(sweep.film);
    int preempted = 0, copied = 0, shared = 0;
    for (const FilmRound& round : sweep.film->rounds) preempted += round.preempted(), copied += round.copied, shared += round.shared_tokens;
    EXPECT_GT(preempted, 0);
    EXPECT_GT(copied, 0);
    EXPECT_GT(shared, 0);
    EXPECT_GE(sweep.film->lengths(), kBlock) << "over fewer the count says nothing of the mean";
    EXPECT_GT(sweep.film->mean_estimated(), 0.5) << "several texts are in flight";
    EXPECT_NEAR(sweep.film->mean_for_drafts() / sweep.film->mean_estimated(), 1, 0.25);
}

TEST(BlockFilm, ASweepRecordsOneBeforeItMeasures) {
    SweepPlan plan;
    for (int i = 0; i < 4; ++i) plan.texts.push_back(film_text("none", 0, i, 60));
    plan.methods = {{.drafter = "none", .rule = "token", .k = 0}, {.drafter = "small", .rule = "token", .k = 4}};
    plan.concurrency = {1};
    plan.repeats = 1;
    plan.seconds = 0.6;
    plan.proof_seconds = 0;
    plan.film = true;
    SweepMeasurement measurement(test::micro_models(2), plan);
    while (measurement.step()) {
    }
    const Sweep sweep = measurement.sweep();
    ASSERT_TRUE(sweep.film);
    EXPECT_EQ(sweep.film->drafter, "small");
    EXPECT_EQ(sweep.film->k, 4);
    EXPECT_GT(sweep.film->rounds.size(), 5u);
    EXPECT_EQ(sweep.film->texts, 4);
    EXPECT_GT(sweep.film->asked, 4) << "who ends makes room for the next";
    int preempted = 0, shared = 0;
    for (const FilmRound& round : sweep.film->rounds) preempted += round.preempted(), shared += round.shared_tokens;
    EXPECT_GT(preempted, 0) << "its blocks are few";
    EXPECT_GT(shared, 0) << "two ask the same";
    EXPECT_TRUE(sweep.cells.front().measured());
}

} // namespace
} // namespace speclens
