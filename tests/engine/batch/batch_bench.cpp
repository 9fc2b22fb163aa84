// What batching costs and brings, as ratios of one run: ninja batch_bench, batch_bench [MODEL [SECONDS]]. Run it with nothing else
// running. docs/results/batching.md says what was expected and what came.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/batch/batch_engine.h"
#include "engine/lab/timing.h"
#include "engine/models/model_names.h"
#include "engine/models/models.h"

namespace speclens {
namespace {

// Each of some works by turns, as long as `seconds`; milliseconds of each.
std::vector<Timing> by_turns(double seconds, const std::vector<std::function<void()>>& works) {
    std::vector<std::vector<double>> ms(works.size());
    const Stopwatch whole;
    for (int turn = 0; turn < 2 || whole.ms() < 1000 * seconds; ++turn)
        for (std::size_t i = 0; i < works.size(); ++i) {
            const std::size_t at = (i + static_cast<std::size_t>(turn)) % works.size();
            const Stopwatch watch;
            works[at]();
            if (turn > 0) ms[at].push_back(watch.ms());
        }
    std::vector<Timing> timings;
    for (const auto& of : ms) timings.push_back(timing_of(of));
    return timings;
}

std::vector<int> tokens_for(int count, int vocab, int salt = 0) {
    std::vector<int> tokens(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
        tokens[static_cast<std::size_t>(i)] = static_cast<int>((i * 37LL + salt * 101LL + 11) % std::min(vocab, 4000));
    return tokens;
}

void say(const char* what, const Timing& timing) {
    std::printf("  %-58s %9.4f ms (median %.4f, %d)\n", what, timing.ms, timing.median, timing.repeats);
}

// ---- a cache in blocks against one of its own: the same pass behind 1000 tokens ----

// Positions in blocks that lie anywhere in a larger pool.
class PagedText {
  public:
    PagedText(PagedModel& model, int positions, int first_block, int step)
        : model_(&model), tokens_(tokens_for(positions, model.model()->config.vocab)) {
        for (int i = 0; i * PagedModel::kBlock < positions + 64; ++i) blocks_.push_back((first_block + i * step) % model.blocks());
        for (int read = 0; read < positions; read += model.max_rows()) {
            const int rows = std::min(model.max_rows(), positions - read);
            PagedModel::Text text{
                .input = {.tokens = std::span(tokens_).subspan(static_cast<std::size_t>(read), static_cast<std::size_t>(rows)),
                          .logits_from = rows},
                .length = read,
                .blocks = blocks_};
            model.forward(std::span(&text, 1));
        }
    }
    [[nodiscard]] PagedModel::Text bring(int rows) const {
        return {.input = {.tokens = std::span(tokens_).first(static_cast<std::size_t>(rows))},
                .length = static_cast<int>(tokens_.size()),
                .blocks = blocks_};
    }

  private:
    PagedModel* model_;
    std::vector<int> tokens_, blocks_;
};

void blocks_against_one_cache(const Models& models, double seconds) {
    for (const int context : {64, 1000}) {
        if (context + 64 > models.target->config.context()) continue;
        const std::unique_ptr<Decoder> own = make_model_decoder(models.target, context + 64);
        own->prefill(tokens_for(context, models.vocab()));
        PagedModel paged(models.target, 2 * (context + 128) / PagedModel::kBlock + 1);
        const PagedText text(paged, context, 3, 2);
        for (const int rows : {1, 5, 16}) {
            const std::vector<int> tokens = tokens_for(rows, models.vocab());
            const auto times = by_turns(seconds, {[&] {
                                                      own->truncate(context);
                                                      (void)own->forward({.tokens = tokens}).argmax();
                                                  },
                                                  [&] {
                                                      PagedModel::Text one = text.bring(rows);
                                                      paged.forward(std::span(&one, 1));
                                                      (void)paged.rows().argmax();
                                                  }});
            std::printf("%d rows behind %d tokens: blocks ÷ a cache of its own = %.4f\n", rows, context, times[1].ms / times[0].ms);
            say("a cache of its own", times[0]);
            say("blocks", times[1]);
        }
    }
}

// ---- one text: the batched engine against a run ----

RunSettings text_of(const Models& models, const std::string& drafter, int k, int number) {
    RunSettings settings;
    settings.prompt.token_ids = tokens_for(48, models.vocab(), number);
    settings.drafter = drafter;
    settings.k = k;
    settings.max_tokens = 96;
    settings.trace_top = 0;
    settings.timing = false;
    return settings;
}

void one_text(const std::shared_ptr<const Models>& models, double seconds) {
    for (const auto& [drafter, k] : {std::pair{"none", 0}, {"lookup", 4}, {"eagle3", 4}, {"dflash", 7}}) {
        if (!models->why_not(drafter).empty()) continue;
        const RunSettings settings = text_of(*models, drafter, k, 1);
        BatchEngine engine(models, {.texts = 1, .blocks = blocks_for(1, prepared_run(*models, settings).capacity), .prompt_rows = 512});
        const auto times = by_turns(seconds, {[&, settings] {
                                                  Run run(models, settings);
                                                  run.finish();
                                              },
                                              [&, settings] {
                                                  engine.submit(settings);
                                                  while (engine.step()) {
                                                  }
                                              }});
        std::printf("one text with %s: the batched engine ÷ a run = %.4f\n", drafter, times[1].ms / times[0].ms);
        say("a run", times[0]);
        say("the batched engine", times[1]);
    }
}

// ---- sixteen texts: plain batched decoding against what its passes allow ----

void sixteen_texts(const std::shared_ptr<const Models>& models, double seconds) {
    constexpr int kTexts = 16, kTokens = 64, kContext = 48;
    const std::unique_ptr<Decoder> own = make_model_decoder(models->target, kContext + 64);
    own->prefill(tokens_for(kContext + 20, models->vocab()));
    const auto pass = [&](int rows) {
        return [&, rows] {
            own->truncate(kContext + 20);
            (void)own->forward({.tokens = tokens_for(rows, models->vocab())}).argmax();
        };
    };
    // Rounds in which all texts decode, and nothing else.
    const auto rounds = [&](int texts, double& ms, long& tokens) {
        RunSettings settings = text_of(*models, "none", 0, 0);
        settings.max_tokens = kTokens;
        const int capacity = prepared_run(*models, settings).capacity;
        BatchEngine engine(models, {.texts = texts, .blocks = blocks_for(texts, capacity), .prompt_rows = 512, .share = false});
        for (int i = 0; i < texts; ++i) {
            RunSettings text = text_of(*models, "none", 0, i);
            text.max_tokens = kTokens;
            engine.submit(text);
        }
        while (engine.step()) {
            if (engine.round().count(BatchLane::Did::decoded) < texts || engine.round().read_rows > 0) continue;
            ms += engine.round().ms();
            tokens += engine.round().tokens();
        }
    };
    double ms1 = 0, ms16 = 0;
    long tokens1 = 0, tokens16 = 0;
    const auto times =
        by_turns(seconds, {pass(1), pass(kTexts), [&] { rounds(1, ms1, tokens1); }, [&] { rounds(kTexts, ms16, tokens16); }});
    const double r = times[1].ms / times[0].ms, gain = (static_cast<double>(tokens16) / ms16) / (static_cast<double>(tokens1) / ms1);
    std::printf("16 texts, plain: %.2f times the tokens a second of one; r(16) = %.2f allows %.2f; %.3f of it\n", gain, r, kTexts / r,
                gain * r / kTexts);
    say("a pass over 1 row", times[0]);
    say("a pass over 16 rows", times[1]);
    std::printf("  tokens a second: %.1f with one text, %.1f with 16\n", 1000 * static_cast<double>(tokens1) / ms1,
                1000 * static_cast<double>(tokens16) / ms16);
}

// ---- sixteen texts: drafters side by side against one after the other ----

void drafting_together(const std::shared_ptr<const Models>& models, double seconds) {
    constexpr int kTexts = 16;
    for (const auto& [drafter, k] : {std::pair{"eagle3", 4}, {"dflash", 7}, {"domino", 7}, {"small", 4}}) {
        if (!models->why_not(drafter).empty()) continue;
        std::vector<double> draft_ms(2), rounds(2);
        const auto run = [&, drafter = drafter, k = k](bool together) {
            return [&, drafter, k, together] {
                const RunSettings one = text_of(*models, drafter, k, 0);
                const int blocks = blocks_for(kTexts, prepared_run(*models, one).capacity);
                BatchEngine engine(models, {.texts = kTexts, .blocks = blocks, .prompt_rows = 512, .together = together});
                for (int i = 0; i < kTexts; ++i) {
                    RunSettings text = text_of(*models, drafter, k, i);
                    text.max_tokens = 40;
                    engine.submit(text);
                }
                int seen = 0; // the first rounds read prompts
                while (engine.step()) {
                    const bool all_draft =
                        std::ranges::all_of(engine.round().lanes, [](const BatchLane& lane) { return lane.drafted() > 0; });
                    if (++seen < 4 || !all_draft) continue;
                    draft_ms[together] += engine.round().draft_ms;
                    ++rounds[together];
                }
            };
        };
        (void)by_turns(seconds, {run(false), run(true)});
        const double apart = draft_ms[0] / rounds[0], together = draft_ms[1] / rounds[1];
        std::printf("16 texts with %s, K = %d: drafting side by side ÷ one after the other = %.3f (%.3f and %.3f ms a round)\n", drafter, k,
                    together / apart, together, apart);
    }
}

int bench(const std::string& model, double seconds) {
    ModelPaths paths;
    paths.target = model_file(model);
    const auto models = std::make_shared<const Models>(load_models(paths));
    std::printf("%s, %s, products %s\n", models->target_name().c_str(), models->backend->description().c_str(),
                name_of(models->precision()));
    blocks_against_one_cache(*models, seconds);
    one_text(models, seconds);
    sixteen_texts(models, 3 * seconds);
    drafting_together(models, seconds);
    return 0;
}

} // namespace
} // namespace speclens

int main(int count, char** words) {
    try {
        return speclens::bench(count > 1 ? words[1] : "tiny", count > 2 ? std::atof(words[2]) : 4);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
