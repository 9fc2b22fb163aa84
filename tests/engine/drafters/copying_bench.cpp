// What the drafters that copy cost, beside a plain pass of the same minutes: ninja copying_bench, copying_bench [MODEL]. A token that
// is appended to what they know of a text: of a prompt, and alone between two passes, where the caches hold the model. And a whole
// round, which appends one, searches and drafts. Run it with nothing else running; docs/results/copying.md has what came.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"
#include "engine/lab/timing.h"
#include "engine/models/model_names.h"
#include "engine/models/models.h"

namespace speclens {
namespace {

constexpr std::size_t kTokens = 1000;

// Pieces of what came before, of 5 to 40 tokens, and some that are new.
std::vector<int> repeating_text(int vocab) {
    std::mt19937 random(5);
    std::vector<int> text;
    while (text.size() < kTokens) {
        if (text.size() > 64 && random() % 3 > 0)
            for (std::size_t i = random() % (text.size() - 50), n = 5 + random() % 36; n > 0; --n, ++i) text.push_back(text[i]);
        else
            for (int n = 0; n < 8; ++n) text.push_back(static_cast<int>(random() % static_cast<unsigned>(std::min(vocab, 4000))));
    }
    text.resize(kTokens);
    return text;
}

struct Copier {
    const DrafterInfo* info;
    std::unique_ptr<Drafter> drafter, reader; // the second one is never asked for a draft
    std::vector<double> append_ms = {}, alone_ms = {}, round_ms = {};
    std::size_t proposed = 0;
};

// The whole text at once, by turns.
void time_appends(std::vector<Copier>& copiers, const std::vector<int>& text) {
    for (int turn = 0; turn < 41; ++turn)
        for (Copier& one : copiers) {
            const Stopwatch watch;
            one.drafter->begin(text);
            if (turn > 0) one.append_ms.push_back(watch.ms() / static_cast<double>(text.size()));
        }
}

double ms_of(Drafter& drafter, std::span<const int> text, int k, std::size_t& proposed) {
    DraftRequest request;
    request.sequence = text;
    request.k = k;
    const Stopwatch watch;
    proposed += drafter.draft(request).nodes.size();
    return watch.ms();
}

// The second half of the text, a token a round, as plain decoding would write it: the pass, then every one by turns. Milliseconds of
// the passes. Asked for no draft, a drafter appends and may search: that is at least the append.
std::vector<double> time_rounds(std::vector<Copier>& copiers, Decoder& target, const std::vector<int>& text) {
    const std::size_t half = text.size() / 2;
    for (Copier& one : copiers) one.drafter->begin(std::span(text).first(half)), one.reader->begin(std::span(text).first(half));
    target.prefill(std::span(text).first(half - 1));
    std::vector<double> passes;
    for (std::size_t length = half; length < text.size(); ++length) {
        const Stopwatch pass;
        (void)target.forward({.tokens = std::span(text).subspan(length - 1, 1)}).argmax();
        passes.push_back(pass.ms());
        for (std::size_t i = 0; i < copiers.size(); ++i) {
            Copier& one = copiers[(i + length) % copiers.size()];
            const auto known = std::span(text).first(length);
            one.alone_ms.push_back(ms_of(*one.reader, known, 0, one.proposed));
            one.round_ms.push_back(ms_of(*one.drafter, known, one.info->default_k, one.proposed));
        }
    }
    return passes;
}

int bench(const std::string& name) {
    ModelPaths paths;
    paths.target = model_file(name);
    const auto models = std::make_shared<const Models>(load_models(paths));
    const std::unique_ptr<Decoder> target = make_model_decoder(models->target, static_cast<int>(kTokens));
    const std::vector<int> text = repeating_text(models->vocab());
    std::vector<Copier> copiers;
    for (const DrafterInfo& info : drafter_list())
        if (info.copies())
            copiers.push_back({.info = &info,
                               .drafter = info.make({*target, nullptr, nullptr, {}}),
                               .reader = info.make({*target, nullptr, nullptr, {}})});
    time_appends(copiers, text);
    const Timing pass = timing_of(time_rounds(copiers, *target, text));
    std::printf("%s: a plain pass behind %zu to %zu tokens takes %.3f ms (median %.3f)\n", name.c_str(), kTokens / 2, kTokens, pass.ms,
                pass.median);
    const auto say = [&](const std::vector<double>& ms) {
        const Timing time = timing_of(ms);
        std::printf("  %8.3f µs (%.4f %%)", 1000 * time.ms, 100 * time.ms / pass.ms);
    };
    std::printf("  of a prompt; alone behind a pass; a whole round, as shares of the pass; drafted\n");
    for (const Copier& one : copiers) {
        std::printf("  %-10s", one.info->name);
        for (const auto* ms : {&one.append_ms, &one.alone_ms, &one.round_ms}) say(*ms);
        std::printf("  %zu\n", one.proposed);
    }
    return 0;
}

} // namespace
} // namespace speclens

int main(int count, char** words) {
    try {
        return speclens::bench(count > 1 ? words[1] : "tiny");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
