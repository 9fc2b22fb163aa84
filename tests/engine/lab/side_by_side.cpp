// The same passes over the same weights through llama.cpp and through this engine, in one process and in turns, so that
// whatever else the machine does falls on both (no test: a program to be run by hand, see kernels/cpu/side_by_side.md).
//
//     side_by_side [--threads N] [--seconds S] WORD=FILE.gguf…      WORD: bf16, keep or int8 (how this engine takes the file)
//
// Each line is a pass: so many tokens behind so many, all with logits; a prefill has logits of its last token only. Times
// are lower quartiles in ms (engine/lab/timing.h); the ratio is theirs over ours.
#include <llama.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/clock.h"
#include "engine/lab/pass_times.h"
#include "engine/lab/timing.h"
#include "engine/model/decoder.h"
#include "engine/model/model.h"
#include "kernels/backend.h"

namespace speclens {
namespace {

struct Pass {
    int context, rows;
    bool prefill; // logits of the last row only
};
constexpr Pass kPasses[] = {{64, 1, false},   {64, 4, false},   {64, 5, false},   {64, 8, false}, {64, 16, false},
                            {2400, 1, false}, {4000, 1, false}, {4000, 8, false}, {0, 512, true}};
constexpr int kCapacity = 4096;
constexpr int kPerTurn = 6;                            // passes of one engine in a row; the first is not counted
constexpr std::chrono::milliseconds kBetweenTurns{20}; // until threads that spin for their next work went to sleep

class Theirs {
  public:
    Theirs(const std::string& file, int threads) {
        llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
        llama_model_params of_model = llama_model_default_params();
        of_model.n_gpu_layers = 0;
        model_.reset(llama_model_load_from_file(file.c_str(), of_model));
        if (!model_) throw std::runtime_error(file + ": llama.cpp cannot load it");
        llama_context_params of_context = llama_context_default_params();
        of_context.n_ctx = kCapacity;
        of_context.n_batch = of_context.n_ubatch = 512;
        of_context.n_threads = of_context.n_threads_batch = threads;
        context_.reset(llama_init_from_model(model_.get(), of_context));
        if (!context_) throw std::runtime_error(file + ": llama.cpp makes no context");
        batch_ = llama_batch_init(512, 0, 1);
    }
    ~Theirs() { llama_batch_free(batch_); }
    Theirs(const Theirs&) = delete;
    Theirs& operator=(const Theirs&) = delete;

    // Tokens [length, length + tokens.size()) of the text.
    void pass(const std::vector<int>& tokens, int length, bool all_logits) {
        batch_.n_tokens = static_cast<int>(tokens.size());
        for (int i = 0; i < batch_.n_tokens; ++i) {
            batch_.token[i] = tokens[static_cast<std::size_t>(i)];
            batch_.pos[i] = length + i;
            batch_.n_seq_id[i] = 1;
            batch_.seq_id[i][0] = 0;
            batch_.logits[i] = static_cast<int8_t>(all_logits || i + 1 == batch_.n_tokens);
        }
        if (llama_decode(context_.get(), batch_) != 0) throw std::runtime_error("llama_decode failed");
        llama_synchronize(context_.get());
    }
    void truncate(int length) { llama_memory_seq_rm(llama_get_memory(context_.get()), 0, length, -1); }
    [[nodiscard]] int argmax() {
        const float* logits = llama_get_logits_ith(context_.get(), -1);
        const int vocab = llama_vocab_n_tokens(llama_model_get_vocab(model_.get()));
        return static_cast<int>(std::max_element(logits, logits + vocab) - logits);
    }

  private:
    std::unique_ptr<llama_model, decltype(&llama_model_free)> model_{nullptr, llama_model_free};
    std::unique_ptr<llama_context, decltype(&llama_free)> context_{nullptr, llama_free};
    llama_batch batch_{};
};

class Ours {
  public:
    Ours(Backend& backend, const std::string& file, const std::string& word) {
        const bool keep = word != "bf16";
        if (keep && word != "keep" && word != "int8") throw std::runtime_error(word + ": say bf16, keep or int8");
        model_ =
            Model::load(backend, file, {}, keep ? WeightForm::keep : WeightForm::bf16, word == "int8" ? Precision::int8 : Precision::bf16);
        decoder_ = make_model_decoder(model_, kCapacity);
    }
    [[nodiscard]] int vocab() const { return model_->config.vocab; }
    void pass(const std::vector<int>& tokens, int length, bool all_logits) {
        if (decoder_->length() != length) throw std::runtime_error("the cache has another length");
        const int rows = static_cast<int>(tokens.size());
        rows_ = &decoder_->forward({.tokens = tokens, .logits_from = all_logits ? 0 : rows - 1});
        decoder_->wait();
    }
    void truncate(int length) { decoder_->truncate(length); }
    [[nodiscard]] int argmax() { return rows_->argmax().back(); }

  private:
    std::shared_ptr<const Model> model_;
    std::unique_ptr<Decoder> decoder_;
    PassRows* rows_ = nullptr;
};

template <class Engine>
void fill(Engine& engine, const std::vector<int>& text, int length) {
    engine.truncate(0);
    for (int at = 0; at < length; at += 512) {
        const int end = std::min(at + 512, length);
        engine.pass({text.begin() + at, text.begin() + end}, at, false);
    }
}

template <class Engine>
void turn(Engine& engine, const std::vector<int>& tokens, const Pass& pass, std::vector<double>& ms) {
    std::this_thread::sleep_for(kBetweenTurns);
    for (int i = 0; i < kPerTurn; ++i) {
        engine.truncate(pass.context);
        const auto start = std::chrono::steady_clock::now();
        engine.pass(tokens, pass.context, !pass.prefill);
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
        if (i > 0) ms.push_back(took.count());
    }
}

// On a thread of its own: llama.cpp shapes the tile registers of AMX once for each thread, and this engine gives them back after
// every product.
template <class Work>
void on_own_thread(const Work& work) {
    std::async(std::launch::async, work).get();
}

void compare(Backend& backend, const std::string& word, const std::string& file, double seconds) {
    Ours ours(backend, file, word);
    Theirs theirs(file, backend.threads());
    const std::vector<int> text = filler_tokens(kCapacity, ours.vocab());
    std::printf("\n%s, as %s\n%8s %6s %12s %12s %8s %8s\n", file.c_str(), word.c_str(), "context", "rows", "llama.cpp ms", "SpecLens ms",
                "ratio", "same id");
    for (const Pass& pass : kPasses) {
        fill(ours, text, pass.context);
        on_own_thread([&] { fill(theirs, text, pass.context); });
        const std::vector<int> tokens(text.begin() + pass.context, text.begin() + pass.context + pass.rows);
        std::vector<double> a, b;
        const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
        do {
            on_own_thread([&] { turn(theirs, tokens, pass, a); });
            turn(ours, tokens, pass, b);
        } while (std::chrono::steady_clock::now() < until);
        const Timing of_theirs = timing_of(a), of_ours = timing_of(b);
        std::printf("%8d %6d %12.2f %12.2f %8.2f %8s%s\n", pass.context, pass.rows, of_theirs.ms, of_ours.ms, of_theirs.ms / of_ours.ms,
                    theirs.argmax() == ours.argmax() ? "yes" : "no",
                    std::max(of_theirs.spread(), of_ours.spread()) > kSteadySpread ? "  (unsteady)" : "");
        std::fflush(stdout);
    }
}

int run(int argc, char** argv) {
    CpuOptions options;
    double seconds = 3;
    std::vector<std::pair<std::string, std::string>> files;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--threads" && i + 1 < argc)
            options.threads = std::atoi(argv[++i]);
        else if (word == "--seconds" && i + 1 < argc)
            seconds = std::atof(argv[++i]);
        else if (const std::size_t at = word.find('='); at != std::string::npos)
            files.emplace_back(word.substr(0, at), word.substr(at + 1));
        else
            throw std::runtime_error("usage: side_by_side [--threads N] [--seconds S] WORD=FILE.gguf…");
    }
    const std::unique_ptr<Backend> backend = make_cpu_backend(options);
    std::printf("%s\nllama.cpp: %s\n", backend->description().c_str(), llama_print_system_info());
    for (const auto& [word, file] : files) compare(*backend, word, file, seconds);
    return 0;
}

} // namespace
} // namespace speclens

int main(int argc, char** argv) {
    try {
        return speclens::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "side_by_side: %s\n", error.what());
        return 1;
    }
}
