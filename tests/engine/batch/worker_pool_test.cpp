// Draft workers on one target elsewhere: every text is the one that its worker writes alone, passes are under way together, and who
// fails fails alone.
#include <gtest/gtest.h>

#include <cmath>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include "engine/batch/sweep.h"
#include "engine/batch/worker_pool.h"
#include "engine/model/scorer.h"
#include "engine/run/session_commands.h"
#include "kernels/error.h"
#include "tests/shared/micro.h"

namespace speclens {
namespace {

using State = PoolWorker::State;

// Tells all tokens of a place; a pass waits until so many have come together, for the first `together` of them.
class Elsewhere final : public Scorer {
  public:
    explicit Elsewhere(int together = 0, int refuses = -1) : refuses_(refuses), together_(together) { vocabulary_.size = 61; }
    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] const Vocabulary& vocabulary() const override { return vocabulary_; }
    [[nodiscard]] int listed() const override { return vocabulary_.size; }
    [[nodiscard]] int capacity() const override { return 256; }
    [[nodiscard]] std::vector<TopEntries> score(std::span<const int> tokens, int rows, Wire& wire) const override {
        if (tokens.front() == refuses_) throw Error("the target does not like this text", "Ask for another one.", Exit::network);
        meet(tokens.front());
        wire = {.sent = 100 + std::ssize(tokens), .received = 10 * rows, .ms = 1.5, .server_ms = 1, .retries = 0};
        std::vector<TopEntries> answer;
        for (std::size_t end = tokens.size() - static_cast<std::size_t>(rows) + 1; end <= tokens.size(); ++end)
            answer.push_back(behind(tokens.first(end)));
        return answer;
    }
    [[nodiscard]] int met() const { return met_; } // most passes under way at the same time
    // Of the texts that begin with `front` (-1: of all) so many passes are answered, the others not before release(). How far a worker
    // comes in one step is a matter of time otherwise: an answer that is there already is taken without a pause.
    void hold_behind(int passes, int front = -1) { held_front_ = front, answered_ = passes, holds_ = true; }
    void release() {
        const std::lock_guard lock(mutex_);
        holds_ = false;
        changed_.notify_all();
    }

  private:
    // Three tokens that follow from the last two; the likeliest is often the next number, which a prompt that counts has told.
    [[nodiscard]] TopEntries behind(std::span<const int> text) const {
        const int last = text.back(), before = text.size() > 1 ? text[text.size() - 2] : 0;
        std::vector<double> weight(61, 0.001);
        weight[static_cast<std::size_t>(5 + (last + 1) % 8)] += 0.6;
        weight[static_cast<std::size_t>((7 * last + 3 * before + static_cast<int>(text.size())) % 61)] += 0.5;
        weight[static_cast<std::size_t>((last * last + 5) % 61)] += 0.2;
        double sum = 0;
        for (const double w : weight) sum += w;
        TopEntries top;
        for (int id = 0; id < 61; ++id) top.entries.push_back({id, std::log(weight[static_cast<std::size_t>(id)] / sum)});
        std::ranges::stable_sort(top.entries, [](const auto& a, const auto& b) { return a.logp > b.logp; });
        return top;
    }
    void meet(int front) const {
        std::unique_lock lock(mutex_);
        if (held_front_ < 0 || front == held_front_) changed_.wait(lock, [&, number = passes_++] { return !holds_ || number < answered_; });
        met_ = std::max(met_, ++under_way_);
        ++came_;
        changed_.notify_all();
        changed_.wait_for(lock, std::chrono::seconds(60), [&] { return came_ >= together_; });
        --under_way_;
    }
    std::string name_ = "elsewhere";
    Vocabulary vocabulary_;
    int refuses_, together_, held_front_ = -1, answered_ = 0;
    bool holds_ = false;
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    mutable int under_way_ = 0, came_ = 0, met_ = 0, passes_ = 0;
};

std::shared_ptr<const Models> models_with(std::shared_ptr<const Scorer> scorer) {
    auto models = std::make_shared<Models>(*test::micro_models(1));
    models->target = nullptr;
    models->networks.clear();
    models->scorer = std::move(scorer);
    return models;
}

RunSettings worker(int number, bool ahead = false) {
    RunSettings settings = test::greedy(number % 2 == 0 ? "lookup" : "small", 2 + number);
    settings.prompt.token_ids = {5 + number, 6, 7, 8, 9, 10, 11, 12, 5, 6, 7};
    settings.sampling.temperature = number < 2 ? 0.0 : 0.9;
    settings.seed = static_cast<std::uint64_t>(number);
    settings.max_tokens = 12 + number;
    settings.draft_ahead = ahead;
    return settings;
}

std::uint64_t hash_of(const Run& run) { return run.trace().hash(run.trace().size()); }

TEST(WorkerPool, EveryWorkerWritesTheTextThatItHasAlone) {
    const auto models = models_with(std::make_shared<Elsewhere>());
    for (const bool ahead : {false, true}) {
        std::vector<RunSettings> workers;
        for (int i = 0; i < 5; ++i) workers.push_back(worker(i, ahead));
        WorkerPool pool(models, workers);
        double done = 0;
        while (pool.step()) {
            EXPECT_GE(pool.done(), done);
            done = pool.done();
        }
        const PoolFilm& film = pool.film();
        EXPECT_TRUE(film.complete);
        EXPECT_EQ(pool.done(), 1);
        int tokens = 0, drafted_ahead = 0;
        for (int i = 0; i < 5; ++i) {
            SCOPED_TRACE(std::to_string(i) + (ahead ? " ahead" : ""));
            const PoolWorker& shown = film.workers[static_cast<std::size_t>(i)];
            const RunSettings settings = workers[static_cast<std::size_t>(i)];
            speclens::Run alone(models, settings);
            alone.finish();
            EXPECT_EQ(shown.state, State::done) << shown.error;
            EXPECT_EQ(hash_of(pool.run(i)), hash_of(alone));
            EXPECT_EQ(shown.drafter, settings.drafter);
            EXPECT_EQ(shown.tokens(), settings.max_tokens);
            const WireTotals wire = shown.wire(), same = wire_totals(fold(pool.run(i).trace(), pool.run(i).trace().size()));
            EXPECT_EQ(wire, same) << "the rounds are those of the run";
            EXPECT_EQ(wire.rounds, std::ssize(shown.rounds));
            double before = 0;
            for (const WorkerRound& round : shown.rounds) {
                EXPECT_LE(before, round.from_ms);
                EXPECT_LE(round.from_ms, round.asked_ms);
                EXPECT_LE(round.asked_ms, round.answered_ms);
                EXPECT_LE(round.answered_ms, round.judged_ms);
                EXPECT_LE(round.judged_ms, film.ms);
                EXPECT_LE(round.accepted, round.drafted);
                before = round.judged_ms;
            }
            tokens += shown.tokens();
            drafted_ahead += wire.ahead;
        }
        EXPECT_EQ(film.tokens(), tokens);
        EXPECT_EQ(drafted_ahead > 0, ahead);
        EXPECT_GT(film.at_once(), 0);
    }
}

// No answer comes before every worker has asked: a pool that waited for one of them would never go on.
TEST(WorkerPool, PassesAreUnderWayTogether) {
    const auto scorer = std::make_shared<Elsewhere>(4);
    std::vector<RunSettings> workers;
    for (int i = 0; i < 4; ++i) workers.push_back(worker(i));
    WorkerPool pool(models_with(scorer), workers);
    while (pool.step()) {
    }
    EXPECT_EQ(scorer->met(), 4);
}

TEST(WorkerPool, WhoFailsFailsAlone) {
    std::vector<RunSettings> workers;
    for (int i = 0; i < 4; ++i) workers.push_back(worker(i));
    workers[1].prompt.token_ids.front() = 30; // a text that the target refuses
    const auto scorer = std::make_shared<Elsewhere>(0, 30);
    const auto models = models_with(scorer);
    scorer->hold_behind(1, workers[2].prompt.token_ids.front());
    WorkerPool pool(models, workers);
    bool cut = false;
    while (pool.step())
        if (!cut && !pool.film().workers[2].rounds.empty()) pool.disconnect(2), scorer->release(), cut = true;
    ASSERT_TRUE(cut);
    const PoolFilm& film = pool.film();
    EXPECT_EQ(film.workers[1].state, State::failed);
    EXPECT_NE(film.workers[1].error.find("does not like"), std::string::npos) << film.workers[1].error;
    EXPECT_EQ(film.workers[2].state, State::failed);
    EXPECT_LT(film.workers[2].tokens(), workers[2].max_tokens);
    for (const int i : {0, 3}) {
        speclens::Run alone(models, workers[static_cast<std::size_t>(i)]);
        alone.finish();
        EXPECT_EQ(film.workers[static_cast<std::size_t>(i)].state, State::done);
        EXPECT_EQ(hash_of(pool.run(i)), hash_of(alone));
    }
}

TEST(WorkerPool, MayEndWhilePassesAreUnderWay) {
    std::vector<RunSettings> workers;
    for (int i = 0; i < 3; ++i) workers.push_back(worker(i, true));
    for (const int answered : {0, 1, 5}) // a text takes three passes or more, so never all of them
        for (const int steps : {0, 1, 3, 4, 9}) {
            SCOPED_TRACE(std::to_string(answered) + " answers, " + std::to_string(steps) + " steps");
            const auto scorer = std::make_shared<Elsewhere>();
            scorer->hold_behind(answered);
            std::future<void> later; // before the pool, so that its end is waited for after the pool's
            WorkerPool pool(models_with(scorer), workers);
            for (int i = 0; i < steps; ++i) EXPECT_TRUE(pool.step());
            later = std::async(std::launch::async, [&scorer = *scorer] { // while the pool ends
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
                scorer.release();
            });
        }
}

TEST(WorkerPool, RefusesWhatIsNoPool) {
    const auto refused = [](const std::shared_ptr<const Models>& models, std::vector<RunSettings> workers) {
        try {
            WorkerPool pool(models, std::move(workers));
        } catch (const Error& error) {
            EXPECT_FALSE(error.remedy().empty());
            return std::string(error.what());
        }
        return std::string("taken");
    };
    EXPECT_NE(refused(test::micro_models(1), {worker(0)}).find("elsewhere"), std::string::npos);
    const auto models = models_with(std::make_shared<Elsewhere>());
    EXPECT_EQ(refused(models, {}), "0 draft workers");
    EXPECT_EQ(refused(models, std::vector<RunSettings>(kMostWorkers + 1, worker(0))), "17 draft workers");
    EXPECT_EQ(refused(models, {worker(0)}), "taken");
}

TEST(WorkerPool, AsManyAsTheLoadHasTexts) {
    const auto models = models_with(std::make_shared<Elsewhere>());
    MeasureLoad load;
    load.base = worker(0);
    load.texts = {3};
    const std::vector<RunSettings> workers = pool_plan(*models, load); // without a tokenizer, one text with other dice
    ASSERT_EQ(workers.size(), 3u);
    EXPECT_NE(workers[0].seed, workers[1].seed);
    EXPECT_NE(workers[1].seed, workers[2].seed);
    load.texts.clear();
    EXPECT_EQ(pool_plan(*models, load).size(), 4u);
    load.texts = {1, 2, 400};
    EXPECT_EQ(std::ssize(pool_plan(*models, load)), kMostWorkers);
    load.base.drafter = "eagle3";
    EXPECT_THROW((void)pool_plan(*models, load), Error);
}

} // namespace
} // namespace speclens
