// A batch that is driven by bytes: who arrives, who leaves, how small the pool is. Any bytes are a schedule, so a fuzzer looks for those
// that break something, and a seeded test tries some of them in every run (fuzz_batch.cpp, schedule_test.cpp).
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "engine/batch/batch_engine.h"
#include "engine/drafters/drafter_info.h"
#include "tests/shared/micro.h"

namespace speclens::test {

class Schedule {
  public:
    explicit Schedule(std::shared_ptr<const Models> models) : models_(std::move(models)) {}

    // Plays it to its end. What went wrong; empty: every text is the one it has alone, and nothing is lost.
    [[nodiscard]] std::string play(std::span<const std::uint8_t> bytes) {
        bytes_ = bytes;
        texts_.clear();
        preempted = cancelled = done = judged = 0;
        const int seats = 1 + byte() % 9, blocks = 8 + byte() % 24, rows = 1 + byte() % 40, flags = byte();
        BatchEngine engine(models_, {.texts = seats,
                                     .blocks = blocks,
                                     .prompt_rows = rows,
                                     .share = (flags & 1) != 0,
                                     .together = (flags & 2) != 0,
                                     .poison = true});
        while (!bytes_.empty()) {
            const int what = byte() % 8;
            if (what < 3)
                (void)engine.step();
            else if (what < 5)
                submit(engine);
            else if (what == 5)
                score(engine);
            else if (what == 6)
                cancel(engine, byte());
            else
                for (int i = byte() % 16; i >= 0; --i) (void)engine.step();
            if (std::string problem = blocks_problem(engine); !problem.empty()) return problem;
        }
        for (int round = 0; engine.step(); ++round) {
            if (round > 20'000) return "the texts never end";
            if (std::string problem = blocks_problem(engine); !problem.empty()) return problem;
        }
        for (const auto& [number, text] : texts_)
            if (std::string problem = text_problem(engine, number, text); !problem.empty())
                return "text " + std::to_string(number) + ": " + problem;
        return engine.free_blocks() == blocks ? "" : "blocks are lost";
    }

    int preempted = 0, cancelled = 0, done = 0, judged = 0; // of the last one

  private:
    struct Submitted {
        RunSettings settings;
        Scoring scoring; // with tokens: it is only judged
        bool cancelled = false;
    };

    int byte() {
        if (bytes_.empty()) return 0;
        const int value = bytes_.front();
        bytes_ = bytes_.subspan(1);
        return value;
    }
    std::vector<int> tokens(int seed, int most) {
        std::mt19937 random(static_cast<unsigned>(seed) * 7919u + 1);
        std::vector<int> list(static_cast<std::size_t>(seed % 3 == 0 ? 20 : 0), 9); // some begin alike
        for (int i = 1 + static_cast<int>(random() % static_cast<unsigned>(most)); i > 0; --i)
            list.push_back(static_cast<int>(random() % 8) + 5);
        return list;
    }
    BatchOwner owner() { return {.key = std::string(1, static_cast<char>('a' + byte() % 3))}; }

    void submit(BatchEngine& engine) {
        Submitted text;
        const auto& drafters = drafter_list();
        text.settings.drafter = drafters[static_cast<std::size_t>(byte()) % drafters.size()].name;
        text.settings.k = byte() % 7;
        const int shape = byte();
        text.settings.sampling.temperature = shape % 2 == 0 ? 0.0 : 0.9;
        if (find_drafter(text.settings.drafter)->tree) text.settings.rule = "tree_wor";
        text.settings.seed = static_cast<std::uint64_t>(shape);
        text.settings.prompt.token_ids = tokens(shape, 40);
        text.settings.max_tokens = 1 + byte() % 40;
        text.settings.timing = false;
        text.settings.trace_top = 0;
        try {
            texts_.emplace(engine.submit(text.settings, owner()), text);
        } catch (const Error&) { // larger than the pool
        }
    }
    void score(BatchEngine& engine) {
        Submitted text;
        const int shape = byte();
        text.scoring.tokens = tokens(shape, 60);
        text.scoring.tokens.push_back(7);
        text.scoring.first = byte() % static_cast<int>(text.scoring.tokens.size() - 1);
        text.scoring.top = shape % 4;
        try {
            texts_.emplace(engine.submit(text.scoring, owner()), text);
        } catch (const Error&) {
        }
    }
    void cancel(BatchEngine& engine, int which) {
        if (texts_.empty()) return;
        auto text = texts_.begin();
        std::advance(text, which % static_cast<int>(texts_.size()));
        if (!engine.text(text->first).ended()) text->second.cancelled = true, ++cancelled;
        engine.cancel(text->first);
    }

    [[nodiscard]] static std::string blocks_problem(const BatchEngine& engine) {
        for (const int text : engine.scheduler().in_flight())
            if (std::ssize(engine.blocks_of(text)) != BlockTable::blocks_for(engine.length_of(text), PagedModel::kBlock))
                return "text " + std::to_string(text) + " has other blocks than its positions need";
        for (const int text : engine.scheduler().waiting())
            if (!engine.blocks_of(text).empty()) return "text " + std::to_string(text) + " waits and has blocks";
        return "";
    }
    [[nodiscard]] std::string text_problem(const BatchEngine& engine, int number, const Submitted& text) {
        const BatchText& got = engine.text(number);
        preempted += got.preempted;
        if (text.cancelled) return got.state == BatchText::State::cancelled ? "" : "was cancelled and goes on";
        if (got.state != BatchText::State::done) return "did not end: " + got.error;
        ++(text.scoring.tokens.empty() ? done : judged);
        return text.scoring.tokens.empty() ? run_problem(got, text.settings) : score_problem(got, text.scoring);
    }
    [[nodiscard]] std::string run_problem(const BatchText& got, const RunSettings& settings) {
        const auto key = std::tuple(settings.drafter, settings.k, settings.seed, settings.max_tokens);
        auto known = alone_.find(key);
        if (known == alone_.end()) {
            speclens::Run run(models_, settings);
            run.finish();
            known = alone_.emplace(key, std::pair(run.sequence(), run.trace().hash(run.trace().size()))).first;
        }
        if (got.sequence != known->second.first) return "another text than alone, by " + settings.drafter;
        return got.trace->hash(got.trace->size()) == known->second.second ? "" : "another trace than alone, by " + settings.drafter;
    }
    [[nodiscard]] std::string score_problem(const BatchText& got, const Scoring& scoring) {
        const auto count = scoring.tokens.size() - 1;
        const std::unique_ptr<Decoder> decoder = make_model_decoder(models_->target, static_cast<int>(count));
        PassRows& rows = decoder->forward({.tokens = std::span(scoring.tokens).first(count)});
        if (got.scores.size() != count - static_cast<std::size_t>(scoring.first)) return "has other places than were asked for";
        for (std::size_t i = 0; i < got.scores.size(); ++i) {
            const int row = scoring.first + static_cast<int>(i);
            const ScoredToken want =
                scored_token(rows.distribution(row, kRawSampling), scoring.tokens[static_cast<std::size_t>(row) + 1], scoring.top);
            if (got.scores[i].logp != want.logp || got.scores[i].rank != want.rank || !(got.scores[i].top == want.top))
                return "is judged in another way than alone at place " + std::to_string(row);
        }
        return "";
    }

    std::shared_ptr<const Models> models_;
    std::span<const std::uint8_t> bytes_;
    std::map<int, Submitted> texts_;
    std::map<std::tuple<std::string, int, std::uint64_t, int>, std::pair<std::vector<int>, std::uint64_t>> alone_;
};

} // namespace speclens::test
