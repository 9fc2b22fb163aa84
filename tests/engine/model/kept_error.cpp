// What it costs to round products with the quantised weights of a file. No test: a program to be run by hand (docs/results/precision.md).
//
//     kept_error FILE.gguf TEXT…        every text, windows of 512 tokens, teacher-forced, in f64 over every id: kept in bf16, widened to
//     bf16,
//                                       kept in int8, each against the same weights kept in f32 by this program
//         --reference FILE              against transformers in f32 on the dequantised weights instead, as
//         tests/real/transformers_logits.py
//                                       wrote it over the same texts; kept in f32 is one more of those that are held against it
//     kept_error --matrices FILE.gguf   every quantised matrix alone, with five rows of x: the error of a kept product in bf16 and of
//                                       one with weights widened to bf16 against f64 on the dequantised weights. Exit status 1 where kept
//                                       is worse in the mean, of any matrix.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/json_read.h"
#include "engine/base/quantile.h"
#include "engine/model/decoder.h"
#include "engine/model/model.h"
#include "engine/text/tokenizer.h"
#include "engine/weights/gguf.h"
#include "kernels/backend.h"
#include "kernels/bf16.h"
#include "kernels/error.h"
#include "kernels/quant.h"

namespace speclens {
namespace {

constexpr int kWindow = 512, kRows = 16;

// ---- texts: what becomes of the distributions ----

struct Way {
    const char* name;
    WeightForm form;
    Precision precision;
    std::shared_ptr<const Model> model = nullptr;
    std::unique_ptr<Decoder> decoder = nullptr;
    std::vector<double> divergences = {}, errors = {}; // of each token: KL from the reference in nats; the largest of a logit
    std::vector<double> margins = {};                  // of the reference where the likeliest id differs
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

// Logits that another program computed: "SPLOGIT1", the number of ids; for each window its number of tokens, their ids and, token by
// token, a logit in f32 for each id. Integers have 32 bits; all of it little-endian.
class Reference {
  public:
    explicit Reference(const std::string& file) : file_(file), in_(file, std::ios::binary) {
        std::array<char, 8> magic{};
        in_.read(magic.data(), magic.size());
        if (!in_ || std::string_view(magic.data(), magic.size()) != "SPLOGIT1") fail("does not begin as a file of logits");
        vocab_ = integer();
    }
    void check_vocab(int vocab) const {
        if (vocab_ != vocab) fail("ranks " + std::to_string(vocab_) + " ids, the model " + std::to_string(vocab));
    }
    void open_window(std::span<const int> ids) {
        std::vector<int> theirs(static_cast<std::size_t>(std::clamp(integer(), 0, kWindow)));
        for (int& id : theirs) id = integer();
        if (!std::ranges::equal(ids, theirs)) fail("has other tokens: was it made of these texts, in this order?");
    }
    [[nodiscard]] std::vector<float> next() {
        std::vector<float> logits(static_cast<std::size_t>(vocab_));
        in_.read(reinterpret_cast<char*>(logits.data()), static_cast<std::streamsize>(logits.size() * sizeof(float)));
        if (!in_) fail("ends too early");
        return logits;
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Error(file_ + " " + what, "Write it by tests/real/transformers_logits.py.");
    }
    [[nodiscard]] int integer() {
        std::int32_t value = 0;
        in_.read(reinterpret_cast<char*>(&value), sizeof value);
        if (!in_) fail("ends too early");
        return value;
    }
    std::string file_;
    std::ifstream in_;
    int vocab_ = 0;
};

void run(const std::string& file, const std::vector<std::string>& texts, const std::string& reference_file) {
    const std::unique_ptr<Backend> backend = make_backend("cpu", {});
    Way ways[] = {{"kept, f32", WeightForm::keep, Precision::f32},
                  {"kept, bf16", WeightForm::keep, Precision::bf16},
                  {"widened, bf16", WeightForm::bf16, Precision::bf16},
                  {"kept, int8", WeightForm::keep, Precision::int8}};
    for (Way& way : ways) {
        way.model = Model::load(*backend, file, {}, way.form, way.precision);
        way.decoder = make_model_decoder(way.model, kWindow);
    }
    std::optional<Reference> reference;
    if (!reference_file.empty()) reference.emplace(reference_file).check_vocab(ways[0].model->config.vocab);
    const std::span<const Way> held = std::span<const Way>(ways).subspan(reference ? 0 : 1);
    std::vector<std::string> places; // of each token: where in its window, and what it is
    for (const std::string& text : texts) {
        const std::vector<int> ids = ways[0].model->tokenizer->encode(read_text_file(text, std::size_t{1} << 24));
        for (std::size_t window = 0; window < ids.size(); window += kWindow) {
            for (Way& way : ways) way.decoder->truncate(0);
            const std::size_t end = std::min(window + kWindow, ids.size());
            if (reference) reference->open_window(std::span(ids).subspan(window, end - window));
            for (std::size_t at = window; at < end; at += kRows) {
                const std::vector<int> some(ids.begin() + static_cast<std::ptrdiff_t>(at),
                                            ids.begin() + static_cast<std::ptrdiff_t>(std::min(at + kRows, end)));
                std::vector<std::vector<float>> exact;
                if (reference)
                    for (std::size_t row = 0; row < some.size(); ++row) exact.push_back(reference->next());
                for (Way& way : ways) {
                    PassRows& rows = way.decoder->forward({.tokens = some});
                    for (std::size_t row = 0; row < some.size(); ++row) {
                        const std::vector<float> logits = rows.logits(static_cast<int>(row));
                        if (!reference && &way == &ways[0])
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
    std::printf("%s, %s: %zu tokens against %s\n%-14s %12s %12s %14s %14s %8s %14s\n", file.c_str(), backend->description().c_str(), tokens,
                reference ? reference_file.c_str() : "kept, f32", "", "KL, mean", "KL, 99.9 %", "error, mean", "error, most", "other id",
                "widest margin");
    for (const Way& way : held) {
        double kl = 0, error = 0;
        for (std::size_t i = 0; i < tokens; ++i) kl += way.divergences[i], error += way.errors[i];
        const double widest = way.margins.empty() ? 0 : *std::ranges::max_element(way.margins);
        std::printf("%-14s %12.3e %12.3e %14.4f %14.4f %8zu %14.4f\n", way.name, kl / static_cast<double>(tokens),
                    quantile(way.divergences, .999), error / static_cast<double>(tokens), *std::ranges::max_element(way.errors),
                    way.margins.size(), widest);
    }
    std::printf("\nfarthest off: KL, place in its window, token\n");
    for (const Way& way : held) {
        std::vector<std::size_t> order(tokens);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::sort(order, std::greater{}, [&](std::size_t i) { return way.divergences[i]; });
        order.resize(std::min<std::size_t>(order.size(), 12));
        for (const std::size_t i : order)
            std::printf("%-14s %12.3e  %s\n", way.name, way.divergences[i], Json(places[i]).dump(-1, BadUtf8::replaced).c_str());
    }
}

// ---- matrices: what becomes of single products ----

constexpr std::size_t kInputs = 5;             // rows of x, the last of which has a few numbers that are many times larger
constexpr std::int64_t kPanel = 1024;          // rows of a matrix at once
constexpr int kLargeEvery = 97, kLargeBy = 50; // of that last row

// Of outputs, each in parts of the root mean square of the exact ones.
struct ProductError {
    double sum = 0, worst = 0;
    void add(double error) { sum += error, worst = std::max(worst, error); }
};

// Normally distributed, the same for every matrix of this width.
std::vector<float> inputs_of(std::int64_t cols) {
    std::mt19937 dice(static_cast<unsigned>(cols));
    std::normal_distribution<float> normal;
    std::vector<float> x(kInputs * static_cast<std::size_t>(cols));
    for (float& value : x) value = normal(dice);
    for (std::int64_t col = 0; col < cols; col += kLargeEvery)
        x[(kInputs - 1) * static_cast<std::size_t>(cols) + static_cast<std::size_t>(col)] *= kLargeBy;
    return x;
}

// What the backend makes of x and these rows of a matrix, (kInputs, rows).
std::vector<float> product_of(Backend& backend, const void* host, DType stored, std::int64_t rows, std::int64_t cols, const Tensor& x) {
    const Buffer weight = backend.import_weight(host, stored, rows, cols, Precision::bf16);
    const Buffer out(backend, DType::f32, static_cast<std::int64_t>(kInputs), rows);
    const Projection part[] = {{weight.view(), {}, out.view()}};
    backend.matmul(x, part);
    std::vector<float> found(kInputs * static_cast<std::size_t>(rows));
    backend.download(out.view(), found.data());
    return found;
}

// (kInputs, rows) in f64.
std::vector<double> exact_product(const std::vector<float>& weights, const std::vector<float>& x, std::int64_t rows, std::int64_t cols) {
    const auto width = static_cast<std::size_t>(cols), height = static_cast<std::size_t>(rows);
    std::vector<double> columns(kInputs * width); // x, column by column
    for (std::size_t input = 0; input < kInputs; ++input)
        for (std::size_t col = 0; col < width; ++col) columns[col * kInputs + input] = x[input * width + col];
    std::vector<double> found(kInputs * height);
    for (std::size_t row = 0; row < height; ++row) {
        std::array<double, kInputs> sum{};
        for (std::size_t col = 0; col < width; ++col)
            for (std::size_t input = 0; input < kInputs; ++input)
                sum[input] += static_cast<double>(weights[row * width + col]) * columns[col * kInputs + input];
        for (std::size_t input = 0; input < kInputs; ++input) found[input * height + row] = sum[input];
    }
    return found;
}

// The errors of one matrix, kept and widened, panel by panel; each row of x by the size of its own outputs.
std::pair<ProductError, ProductError> errors_of(Backend& backend, const Gguf& file, const StoredTensor& tensor) {
    const std::int64_t rows = tensor.shape.front(), cols = tensor.shape.back();
    const std::vector<float> x = inputs_of(cols);
    const Buffer on_device(backend, DType::f32, static_cast<std::int64_t>(kInputs), cols);
    backend.upload(on_device.view(), x.data());
    std::pair<ProductError, ProductError> errors;
    for (std::int64_t first = 0; first < rows; first += kPanel) {
        const std::int64_t count = std::min(kPanel, rows - first);
        std::vector<std::byte> stored(bytes_of(tensor.dtype, count * cols));
        file.read(tensor, bytes_of(tensor.dtype, first * cols), stored);
        std::vector<float> weights(static_cast<std::size_t>(count * cols));
        widen(tensor.dtype, stored.data(), count * cols, weights.data());
        std::vector<std::uint16_t> narrow(weights.size());
        std::ranges::transform(weights, narrow.begin(), narrow_bf16);
        const std::vector<double> exact = exact_product(weights, x, count, cols);
        const std::vector<float> kept = product_of(backend, stored.data(), tensor.dtype, count, cols, on_device.view());
        const std::vector<float> widened = product_of(backend, narrow.data(), DType::bf16, count, cols, on_device.view());
        const auto height = static_cast<std::size_t>(count);
        for (std::size_t input = 0; input < kInputs; ++input) {
            const std::span<const double> outputs = std::span(exact).subspan(input * height, height);
            const double squares = std::inner_product(outputs.begin(), outputs.end(), outputs.begin(), 0.0);
            const double size = std::sqrt(squares / static_cast<double>(count));
            if (size <= 0) continue; // a panel of zeros
            for (std::size_t row = 0; row < height; ++row) {
                const std::size_t at = input * height + row;
                errors.first.add(std::abs(kept[at] - exact[at]) / size);
                errors.second.add(std::abs(widened[at] - exact[at]) / size);
            }
        }
    }
    return errors;
}

// Whether kept is worse nowhere in the mean.
bool hold_matrices(const std::string& name) {
    const std::unique_ptr<Backend> backend = make_backend("cpu", {});
    const Gguf file = Gguf::open(name);
    std::printf("%s, %s, %zu rows of x\nerrors ÷ root mean square of the outputs: mean and most of kept, of widened; mean ÷ mean\n",
                name.c_str(), backend->description().c_str(), kInputs);
    ProductError all_kept, all_widened;
    int matrices = 0, worse = 0, worse_at_most = 0;
    double outputs = 0, highest = 0;
    std::string where;
    for (const auto& [tensor_name, tensor] : file.tensors()) {
        if (!is_quantised(tensor.dtype) || tensor.shape.size() != 2) continue;
        const std::int64_t rows = tensor.shape.front(), cols = tensor.shape.back();
        if (!backend->keeps(tensor.dtype, cols)) {
            std::printf("%-28s %-5s %6lld x %-6lld not kept here\n", tensor_name.c_str(), name_of(tensor.dtype),
                        static_cast<long long>(rows), static_cast<long long>(cols));
            continue;
        }
        const auto [kept, widened] = errors_of(*backend, file, tensor);
        const double count = static_cast<double>(kInputs) * static_cast<double>(rows), ratio = kept.sum / widened.sum;
        std::printf("%-28s %-5s %6lld x %-6lld %.3e %.3e   %.3e %.3e   %.3f%s\n", tensor_name.c_str(), name_of(tensor.dtype),
                    static_cast<long long>(rows), static_cast<long long>(cols), kept.sum / count, kept.worst, widened.sum / count,
                    widened.worst, ratio, kept.sum > widened.sum ? "  WORSE" : "");
        ++matrices, outputs += count;
        worse += kept.sum > widened.sum, worse_at_most += kept.worst > widened.worst;
        if (ratio > highest) highest = ratio, where = tensor_name;
        all_kept.sum += kept.sum, all_kept.worst = std::max(all_kept.worst, kept.worst);
        all_widened.sum += widened.sum, all_widened.worst = std::max(all_widened.worst, widened.worst);
    }
    if (matrices == 0)
        throw Error(name + " has no quantised matrix that is kept here", "Give a file that has, such as one of speclens get qwen.");
    std::printf("\n%d matrices: mean %.3e kept, %.3e widened, %.3f of it; most %.3e, %.3e\n"
                "kept is worse in the mean in %d of them, in its worst output in %d; the largest ratio of means is %.3f, of %s\n",
                matrices, all_kept.sum / outputs, all_widened.sum / outputs, all_kept.sum / all_widened.sum, all_kept.worst,
                all_widened.worst, worse, worse_at_most, highest, where.c_str());
    return worse == 0;
}

} // namespace
} // namespace speclens

int main(int count, char** words) {
    std::vector<std::string> given(words + 1, words + count);
    std::string reference;
    for (std::size_t i = 0; i + 1 < given.size(); ++i)
        if (given[i] == "--reference") {
            reference = given[i + 1];
            given.erase(given.begin() + static_cast<std::ptrdiff_t>(i), given.begin() + static_cast<std::ptrdiff_t>(i) + 2);
            break;
        }
    const bool matrices = !given.empty() && given[0] == "--matrices";
    if (given.size() < 2 || (matrices && (given.size() != 2 || !reference.empty()))) {
        std::fprintf(stderr, "usage: kept_error FILE.gguf TEXT… [--reference FILE]\n       kept_error --matrices FILE.gguf\n");
        return 2;
    }
    try {
        if (matrices) return speclens::hold_matrices(given[1]) ? 0 : 1;
        speclens::run(given[0], {given.begin() + 1, given.end()}, reference);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
    return 0;
}
