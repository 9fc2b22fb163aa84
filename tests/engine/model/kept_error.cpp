// What it costs to round products with the quantised weights of a file, in f64 over every id: kept in bf16, widened to bf16, kept
// in int8, each against the same weights kept in f32, which transformers in f32 on the dequantised weights agrees with token by token
// (docs/results/precision.md). No test: a program to be run by hand.
//
//     kept_error FILE.gguf TEXT…        TEXT: files of plain text; windows of 512 tokens, teacher-forced
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/json_read.h"
#include "engine/base/quantile.h"
#include "engine/model/decoder.h"
#include "engine/model/model.h"
#include "engine/text/tokenizer.h"
#include "kernels/backend.h"

namespace speclens {
namespace {

constexpr int kWindow = 512, kRows = 16;

struct Way {
    const char* name;
    WeightForm form;
    Precision precision;
    std::shared_ptr<const Model> model = nullptr;
    std::unique_ptr<Decoder> decoder = nullptr;
    std::vector<double> divergences = {}, errors = {}; // of each token: KL from f32 in nats; the largest of a logit
    std::vector<double> margins = {};                  // of f32 where the likeliest id differs
};

double log_sum(const std::vector<float>& logits) {
    const double most = *std::ranges::max_element(logits);
    double sum = 0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - most);
    return most + std::log(sum);
}

// Logits are compared as log-probabilities: a shift of all of them changes nothing.
void compare(const std::vector<float>& exact, const std::vector<float>& rounded, Way& way) {
    const double of_exact = log_sum(exact), of_rounded = log_sum(rounded);
    double divergence = 0, error = 0;
    for (std::size_t id = 0; id < exact.size(); ++id) {
        const double p = exact[id] - of_exact, q = rounded[id] - of_rounded;
        divergence += std::exp(p) * (p - q);
        error = std::max(error, std::abs(p - q));
    }
    way.divergences.push_back(divergence);
    way.errors.push_back(error);
    const auto best = std::ranges::max_element(exact), other = std::ranges::max_element(rounded);
    if (best - exact.begin() != other - rounded.begin())
        way.margins.push_back(*best - exact[static_cast<std::size_t>(other - rounded.begin())]);
}

void run(const std::string& file, const std::vector<std::string>& texts) {
    const std::unique_ptr<Backend> backend = make_backend("cpu", {});
    Way ways[] = {{"kept, f32", WeightForm::keep, Precision::f32},
                  {"kept, bf16", WeightForm::keep, Precision::bf16},
                  {"widened, bf16", WeightForm::bf16, Precision::bf16},
                  {"kept, int8", WeightForm::keep, Precision::int8}};
    for (Way& way : ways) {
        way.model = Model::load(*backend, file, {}, way.form, way.precision);
        way.decoder = make_model_decoder(way.model, kWindow);
    }
    std::vector<std::string> places; // of each token: where in its window, and what it is
    for (const std::string& text : texts) {
        const std::vector<int> ids = ways[0].model->tokenizer->encode(read_text_file(text, std::size_t{1} << 24));
        for (std::size_t window = 0; window < ids.size(); window += kWindow) {
            for (Way& way : ways) way.decoder->truncate(0);
            const std::size_t end = std::min(window + kWindow, ids.size());
            for (std::size_t at = window; at < end; at += kRows) {
                const std::vector<int> some(ids.begin() + static_cast<std::ptrdiff_t>(at),
                                            ids.begin() + static_cast<std::ptrdiff_t>(std::min(at + kRows, end)));
                std::vector<std::vector<float>> exact;
                for (Way& way : ways) {
                    PassRows& rows = way.decoder->forward({.tokens = some});
                    for (std::size_t row = 0; row < some.size(); ++row) {
                        const std::vector<float> logits = rows.logits(static_cast<int>(row));
                        if (&way == &ways[0])
                            exact.push_back(logits);
                        else
                            compare(exact[row], logits, way);
                    }
                }
                for (std::size_t row = 0; row < some.size(); ++row)
                    places.push_back(std::to_string(at + row - window) + " " + ways[0].model->tokenizer->bytes_of(some[row]));
            }
        }
    }
    const std::size_t tokens = places.size();
    std::printf("%s, %s: %zu tokens\n%-14s %12s %12s %14s %14s %8s %14s\n", file.c_str(), backend->description().c_str(), tokens, "",
                "KL, mean", "KL, 99.9 %", "error, mean", "error, most", "other id", "widest margin");
    for (const Way& way : std::span(ways).subspan(1)) {
        double kl = 0, error = 0;
        for (std::size_t i = 0; i < tokens; ++i) kl += way.divergences[i], error += way.errors[i];
        const double widest = way.margins.empty() ? 0 : *std::ranges::max_element(way.margins);
        std::printf("%-14s %12.3e %12.3e %14.4f %14.4f %8zu %14.4f\n", way.name, kl / static_cast<double>(tokens),
                    quantile(way.divergences, .999), error / static_cast<double>(tokens), *std::ranges::max_element(way.errors),
                    way.margins.size(), widest);
    }
    std::printf("\nfarthest off: KL, place in its window, token\n");
    for (const Way& way : std::span(ways).subspan(1)) {
        std::vector<std::size_t> order(tokens);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::sort(order, std::greater{}, [&](std::size_t i) { return way.divergences[i]; });
        order.resize(std::min<std::size_t>(order.size(), 12));
        for (const std::size_t i : order)
            std::printf("%-14s %12.3e  %s\n", way.name, way.divergences[i], Json(places[i]).dump(-1, BadUtf8::replaced).c_str());
    }
}

} // namespace
} // namespace speclens

int main(int count, char** words) {
    if (count < 3) {
        std::fprintf(stderr, "usage: kept_error FILE.gguf TEXT…\n");
        return 2;
    }
    try {
        speclens::run(words[1], {words + 2, words + count});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
