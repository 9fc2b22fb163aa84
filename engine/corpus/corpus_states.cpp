#include "engine/corpus/corpus_states.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/base/clock.h"
#include "engine/base/json.h"
#include "engine/base/json_read.h"
#include "engine/fetch/sha256.h"
#include "engine/model/decoder.h"
#include "engine/model/fingerprint.h"
#include "engine/models/models.h"
#include "files/atomic_file.h"
#include "kernels/backend.h"
#include "kernels/bf16.h"
#include "kernels/error.h"
#include "kernels/quant.h"

namespace speclens {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFactBytes = std::size_t{1} << 20;

// The first bytes of a .npy file, version 1.0 (numpy.lib.format): the data begins at a multiple of 64.
std::string npy_header(const std::string& type, const std::vector<long long>& shape) {
    std::string words = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (";
    for (const long long side : shape) words += std::to_string(side) + ",";
    words += ")}";
    constexpr std::size_t kBefore = 10, kLine = 64;
    const std::size_t all = (kBefore + words.size() + 1 + kLine - 1) / kLine * kLine, length = all - kBefore;
    words.resize(length - 1, ' ');
    return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(length & 0xFF) + static_cast<char>(length >> 8) + words + "\n";
}

void write_numbers(const fs::path& file, const std::vector<std::int32_t>& numbers, const std::vector<long long>& shape) {
    AtomicFile out(file);
    out.write(npy_header("<i4", shape));
    out.write({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::int32_t)});
    out.commit();
}

const Models& checked(const Models& models, StatesPlan& plan) {
    if (!models.target)
        throw Error("states are those of a model of this program, not of a table and not of a server", "Give a checkpoint.", Exit::usage);
    const int layers = models.layers();
    if (plan.taps.empty()) plan.taps = usual_taps(layers);
    for (const int tap : plan.taps)
        if (tap < kTapEmbedding || tap > layers)
            throw Error("the target has no layer " + std::to_string(tap),
                        "Its layers are 0 … " + std::to_string(layers - 1) + "; " + std::to_string(layers) +
                            " is the last state after the final norm, -1 the embedding.",
                        Exit::usage);
    CHECK(plan.form == DType::bf16 || plan.form == DType::f16, "states are kept in 16 bits");
    if (plan.blocks.empty())
        throw Error("there is no corpus to read", "Give a folder or a file that `speclens sample` wrote.", Exit::usage);
    return models;
}

} // namespace

std::vector<int> usual_taps(int layers) {
    if (layers < 8) return {std::max(0, layers / 2), layers};
    return {1, layers / 2 - 1, layers - 4, layers};
}

CorpusStates::CorpusStates(std::shared_ptr<const Models> models, StatesPlan plan) : models_(std::move(models)), plan_(std::move(plan)) {
    const std::string own = fingerprint(*checked(*models_, plan_).target);
    if (plan_.part_tokens < 1 || plan_.part_tokens > kMostBlockTokens)
        throw Error("a part has 1 … " + std::to_string(kMostBlockTokens) + " tokens, got " + std::to_string(plan_.part_tokens),
                    "Ask for a number in between.", Exit::usage);
    plan_.part_tokens = static_cast<int>(std::min<std::uint64_t>(plan_.part_tokens, kMostStateBytes / row_bytes()));
    std::error_code failed;
    fs::create_directories(plan_.folder, failed);
    if (failed) throw Error(short_name(plan_.folder) + " cannot be made: " + failed.message(), "Choose another folder with -o DIR.");
    remove_left_beside(plan_.folder);
    int longest = 1;
    for (const fs::path& file : plan_.blocks) {
        blocks_.push_back(read_corpus(file));
        hashes_.push_back(sha256_of_file(file));
        const CorpusSource& source = blocks_.back().source;
        if (source.fingerprint != own)
            throw Error(short_name(file) + " was written by " + source.model + " (" + source.fingerprint + "), and this is " +
                            models_->target_name() + " (" + own + ")",
                        "Give the model that wrote it: heads learn from its own states.", Exit::usage);
        for (const CorpusText& text : blocks_.back().texts) longest = std::max(longest, static_cast<int>(text.tokens.size()));
        cut(static_cast<int>(blocks_.size()) - 1);
    }
    if (longest > std::min(models_->holds(), plan_.part_tokens))
        throw Error("the corpus has a text of " + std::to_string(longest) + " tokens; a part has " + std::to_string(plan_.part_tokens) +
                        ", the target's context " + std::to_string(models_->holds()),
                    "Ask for larger parts.", Exit::usage);
    decoder_ = make_model_decoder(models_->target, longest);
    progress_.all_parts = static_cast<int>(parts_.size());
    for (const Part& part : parts_) {
        if (is_there(part))
            ++progress_.parts_there;
        else
            progress_.all_tokens += part.tokens;
    }
}

CorpusStates::~CorpusStates() = default;

std::uint64_t CorpusStates::row_bytes() const { return plan_.taps.size() * static_cast<std::uint64_t>(models_->target->config.hidden) * 2; }

// Texts in order, as many as a part has room for.
void CorpusStates::cut(int block) {
    const std::vector<CorpusText>& texts = blocks_[block].texts;
    const std::string stem = plan_.blocks[block].stem().string();
    int parts = 0;
    for (std::size_t at = 0; at < texts.size(); ++at) {
        const auto tokens = std::ssize(texts[at].tokens);
        if (parts == 0 || parts_.back().tokens + tokens > plan_.part_tokens) {
            const std::string number = std::to_string(parts++);
            parts_.push_back({.block = block, .first = at, .name = stem + "-" + (number.size() < 2 ? "0" : "") + number});
        }
        ++parts_.back().count;
        parts_.back().tokens += tokens;
    }
}

// All that the part depends on.
std::string CorpusStates::facts_of(const Part& part) const {
    const CorpusSource& source = blocks_[part.block].source;
    const OrderedJson json = {{"schema", "speclens-states/1"},
                              {"corpus_sha256", hashes_[part.block]},
                              {"model", models_->target_name()},
                              {"fingerprint", source.fingerprint},
                              {"weights", models_->weights()},
                              {"precision", name_of(models_->precision())},
                              {"first_text", part.first},
                              {"texts", part.count},
                              {"tokens", part.tokens},
                              {"layers", models_->layers()},
                              {"taps", plan_.taps},
                              {"hidden", models_->target->config.hidden},
                              {"form", name_of(plan_.form)}};
    return json.dump(1, BadUtf8::replaced) + "\n";
}

bool CorpusStates::is_there(const Part& part) const {
    const fs::path facts = plan_.folder / (part.name + ".json");
    std::error_code ignored;
    if (!fs::exists(facts, ignored)) return false;
    if (read_text_file(facts, kMostFactBytes) != facts_of(part))
        throw Error(short_name(facts) + " is of another corpus, model, precision or list of layers, or in another form",
                    "Choose another folder with -o DIR, or delete the states that are there.", Exit::usage);
    return fs::file_size(plan_.folder / (part.name + ".states.npy"), ignored) > static_cast<std::uint64_t>(part.tokens) * row_bytes() &&
           !ignored && fs::exists(plan_.folder / (part.name + ".ids.npy"), ignored) &&
           fs::exists(plan_.folder / (part.name + ".texts.npy"), ignored);
}

bool CorpusStates::step() {
    if (progress_.complete) return false;
    while (part_ < parts_.size() && text_ == 0 && is_there(parts_[part_])) {
        ++part_;
        ++progress_.parts;
    }
    if (part_ == parts_.size()) {
        progress_.complete = true;
        return false;
    }
    const Stopwatch watch;
    const Part& part = parts_[part_];
    if (text_ == 0) begin(part);
    const CorpusText& text = blocks_[part.block].texts[part.first + text_];
    write_states(text);
    progress_.tokens += std::ssize(text.tokens);
    progress_.bytes += static_cast<std::uint64_t>(text.tokens.size()) * row_bytes();
    if (++text_ == part.count) end(part);
    progress_.seconds += watch.ms() / 1000;
    return true;
}

void CorpusStates::begin(const Part& part) {
    states_ = std::make_unique<AtomicFile>(plan_.folder / (part.name + ".states.npy"));
    states_->write(
        npy_header(plan_.form == DType::f16 ? "<f2" : "<u2", {part.tokens, std::ssize(plan_.taps), models_->target->config.hidden}));
}

void CorpusStates::write_states(const CorpusText& text) {
    decoder_->truncate(0);
    std::vector<float> states;
    std::vector<std::uint16_t> bits;
    for (std::size_t read = 0; read < text.tokens.size();) {
        const auto piece =
            std::span(text.tokens).subspan(read, std::min(text.tokens.size() - read, static_cast<std::size_t>(decoder_->max_rows())));
        decoder_->forward({.tokens = piece, .logits_from = static_cast<int>(piece.size()), .taps = plan_.taps});
        const Tensor features = decoder_->features();
        states.resize(static_cast<std::size_t>(features.size()));
        models_->backend->download(features, states.data());
        bits.resize(states.size());
        for (std::size_t i = 0; i < states.size(); ++i) {
            constexpr float kLargestF16 = 65504;
            if (!std::isfinite(states[i]))
                throw Error("a state of the corpus is no number", "Is the model damaged? `speclens check` says more.");
            if (plan_.form == DType::f16 && std::fabs(states[i]) > kLargestF16)
                throw Error("a state is " + std::to_string(states[i]) + ", which f16 cannot hold", "Keep them as bf16.", Exit::usage);
            bits[i] = plan_.form == DType::f16 ? narrow_f16(states[i]) : narrow_bf16(states[i]);
        }
        states_->write({reinterpret_cast<const char*>(bits.data()), bits.size() * sizeof(std::uint16_t)});
        read += piece.size();
    }
}

void CorpusStates::end(const Part& part) {
    std::vector<std::int32_t> ids, texts;
    const std::span<const CorpusText> of = std::span(blocks_[part.block].texts).subspan(part.first, part.count);
    for (const CorpusText& text : of) {
        ids.insert(ids.end(), text.tokens.begin(), text.tokens.end());
        texts.push_back(text.prompt);
        texts.push_back(text.answer());
    }
    write_numbers(plan_.folder / (part.name + ".ids.npy"), ids, {part.tokens});
    write_numbers(plan_.folder / (part.name + ".texts.npy"), texts, {std::ssize(of), 2});
    states_->commit();
    states_.reset();
    AtomicFile facts(plan_.folder / (part.name + ".json"));
    facts.write(facts_of(part));
    facts.commit();
    text_ = 0;
    ++part_;
    ++progress_.parts;
}

} // namespace speclens
