#include "engine/doctor/own_texts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"
#include "engine/model/decoder.h"
#include "engine/run/prompt_tokens.h"
#include "engine/run/run.h"
#include "kernels/backend.h"

namespace speclens {
namespace {

constexpr int kEntries = 64; // of a distribution that are looked at

int bin_of(int rank) {
    constexpr std::array kLast = {1, 2, 3, 4, 8, 16, kEntries};
    const auto found = std::ranges::lower_bound(kLast, rank);
    return static_cast<int>(found - kLast.begin());
}

// Where `token` stands in a recorded row, from 1; 0: not among them. One that a selector has no candidate for is in no place.
int rank_in(const TopEntries& row, int token) {
    const auto found = std::ranges::find(row.entries, token, &TopEntries::Entry::id);
    return found == row.entries.end() || !std::isfinite(found->logp) ? 0 : static_cast<int>(found - row.entries.begin()) + 1;
}

double logp_in(const TopEntries& row, int rank, int vocab) {
    if (rank > 0) return std::max(kUnranked, row.entries[static_cast<std::size_t>(rank - 1)].logp);
    const double others = std::max(1, vocab - static_cast<int>(row.entries.size()));
    return row.rest > 0 ? std::max(kUnranked, std::log(row.rest / others)) : kUnranked;
}

} // namespace

const char* rank_words(int bin) {
    static constexpr std::array<const char*, kRankBins> kWords = {"1", "2", "3", "4", "5-8", "9-16", "17-64", "beyond", "not ranked"};
    return kWords[static_cast<std::size_t>(bin)];
}

double HeadScore::mean_kept() const {
    const double all = std::accumulate(places.begin(), places.end(), 0.0);
    return all > 0 ? std::accumulate(kept.begin(), kept.end(), 0.0) / all : 0;
}

TextWriter::TextWriter(std::shared_ptr<const Models> models, std::vector<Prompt> prompts, int tokens, int longest, std::vector<int> layers)
    : models_(std::move(models)), prompts_(std::move(prompts)), tokens_(tokens), longest_(longest), layers_(std::move(layers)) {}
TextWriter::~TextWriter() = default;

int TextWriter::written() const {
    return kept_ + (run_ ? static_cast<int>(run_->sequence().size() - run_->trace().header()->prompt.size()) : 0);
}

bool TextWriter::step() {
    if (kept_ >= tokens_) return false;
    if (!run_) {
        const std::size_t pass = next_ / prompts_.size();
        RunSettings settings;
        settings.drafter = kNoDrafter;
        settings.k = 0;
        settings.trace_top = 0;
        settings.max_tokens = longest_;
        settings.prompt = prompts_[next_++ % prompts_.size()];
        settings.sampling.temperature = pass == 0 ? 0 : 1;
        settings.seed = pass;
        run_ = std::make_unique<Run>(models_, settings);
        return true;
    }
    if (run_->step()) return true;
    OwnText text{.tokens = run_->sequence(),
                 .prompt = static_cast<int>(run_->trace().header()->prompt.size()),
                 .chat = run_->settings().prompt.chat};
    run_.reset();
    constexpr int kFewest = 4; // of an answer; shorter ones say little for the prompt that has to be read
    if (text.places() < kFewest) {
        if (++vain_ > 3 * static_cast<int>(prompts_.size()) + 20)
            throw Error(models_->target_name() + " answers next to nothing: no texts to examine a head on",
                        "Is it a model of language, and the chat template its own? speclens run shows what it writes.");
        return true;
    }
    keep_states(text);
    kept_ += text.places();
    texts_.push_back(std::move(text));
    return kept_ < tokens_;
}

void TextWriter::keep_states(OwnText& text) const {
    const auto target = make_model_decoder(models_->target, static_cast<int>(text.tokens.size()));
    const auto hidden = static_cast<std::size_t>(models_->target->config.hidden), wide = hidden * layers_.size();
    const std::size_t positions = text.tokens.size() - 1;
    for (const int layer : layers_) text.states[layer].resize(positions * hidden);
    std::vector<float> rows;
    target->prefill(std::span(text.tokens).first(positions), layers_, [&](int first, const Tensor& features) {
        rows.resize(static_cast<std::size_t>(features.size()));
        models_->backend->download(features, rows.data());
        for (std::size_t row = 0; row < static_cast<std::size_t>(features.rows); ++row)
            for (std::size_t i = 0; i < layers_.size(); ++i)
                std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(row * wide + i * hidden), hidden,
                            text.states[layers_[i]].begin() +
                                static_cast<std::ptrdiff_t>((static_cast<std::size_t>(first) + row) * hidden));
    });
}

HeadReader::HeadReader(std::shared_ptr<const Models> models, std::shared_ptr<const DraftNetwork> head, const std::string& drafter, int k)
    : models_(std::move(models)), head_(std::move(head)), drafter_name_(drafter), k_(k) {
    score_.kept_at.assign(static_cast<std::size_t>(k), 0);
    score_.asked_at.assign(static_cast<std::size_t>(k), 0);
}
HeadReader::~HeadReader() = default;

bool HeadReader::step(const std::vector<OwnText>& texts) {
    if (text_ == texts.size()) return false;
    const OwnText& text = texts[text_];
    if (place_ < 0) {
        begin(text);
        place_ = text.prompt;
    } else {
        feed(text, place_ - 1, 1, false);
        ++place_;
    }
    ask(text);
    if (place_ + 1 == static_cast<int>(text.tokens.size())) {
        ++text_;
        place_ = -1;
    }
    return text_ < texts.size();
}

void HeadReader::begin(const OwnText& text) {
    const int capacity = static_cast<int>(text.tokens.size()) + k_ + 1;
    target_ = make_model_decoder(models_->target, std::min(capacity, models_->holds()));
    drafter_ = find_drafter(drafter_name_)->make({*target_, nullptr, head_, {}, models_->frequent});
    const auto prompt = std::span(text.tokens).first(static_cast<std::size_t>(text.prompt));
    drafter_->begin(prompt);
    const int rows = target_->max_rows();
    for (int first = 0; first < text.prompt - 1; first += rows) feed(text, first, std::min(rows, text.prompt - 1 - first), true);
    score_.kept.push_back(0);
    score_.logp.push_back(0);
    score_.places.push_back(0);
}

// The states of positions first …, as the target's pass gives them; behind the prompt, of the token that was pending.
void HeadReader::feed(const OwnText& text, int first, int count, bool prompt) {
    const std::vector<int> taps = drafter_->taps();
    const auto hidden = static_cast<std::size_t>(head_->config.layer.hidden);
    std::vector<float> rows(static_cast<std::size_t>(count) * taps.size() * hidden);
    auto to = rows.begin();
    for (int row = first; row < first + count; ++row)
        for (const int tap : taps)
            to = std::copy_n(text.states.at(tap).begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(row) * hidden), hidden, to);
    features_ = Buffer(*models_->backend, DType::f32, count, static_cast<std::int64_t>(taps.size() * hidden));
    models_->backend->upload(features_.view(), rows.data());
    const auto known = static_cast<std::size_t>(prompt ? text.prompt : first + 2);
    drafter_->observe({.sequence = std::span(text.tokens).first(known), .first = first, .prompt = prompt, .features = features_.view()});
}

void HeadReader::ask(const OwnText& text) {
    const auto known = static_cast<std::size_t>(place_);
    std::vector<std::pair<int, int>> force;
    for (int i = 0; i < k_ && known + static_cast<std::size_t>(i) < text.tokens.size(); ++i)
        force.emplace_back(i, text.tokens[known + static_cast<std::size_t>(i)]);
    DraftRequest request;
    request.sequence = std::span(text.tokens).first(known);
    request.k = static_cast<int>(force.size());
    request.entries = kEntries;
    request.force = force;
    const Draft draft = drafter_->draft(request);
    ++score_.places.back();
    bool all = true;
    for (std::size_t i = 0; i < force.size(); ++i) {
        ++score_.asked_at[i];
        const int token = force[i].second;
        const bool outside = !head_->target_id.empty() && !std::ranges::binary_search(head_->target_id, token);
        int rank = 0;
        double logp = kUnranked;
        if (i < draft.nodes.size()) {
            const RecordedRow& recorded = draft.nodes[i].heads;
            const TopEntries& row = recorded.raw.empty() ? recorded.distribution : recorded.raw;
            rank = rank_in(row, token);
            if (!outside) logp = logp_in(row, rank, models_->vocab());
        }
        score_.logp.back() += logp;
        if (i == 0) ++score_.ranks[static_cast<std::size_t>(outside ? kRankBins - 1 : rank == 0 ? kRankBins - 2 : bin_of(rank))];
        all = all && rank == 1;
        if (!all) continue;
        ++score_.kept_at[i];
        score_.kept.back() += 1;
    }
}

} // namespace speclens
