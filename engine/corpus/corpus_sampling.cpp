#include "engine/corpus/corpus_sampling.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/base/json_read.h"
#include "engine/drafters/drafter_info.h"
#include "engine/model/fingerprint.h"
#include "engine/models/models.h"
#include "files/atomic_file.h"
#include "kernels/backend.h"
#include "kernels/error.h"

namespace speclens {
namespace {

namespace fs = std::filesystem;

constexpr double kSaveEvery = 60; // seconds
constexpr int kLookEvery = 32;    // tokens of an answer, at whether it repeats itself
constexpr const char* kUnfinished = "unfinished.corpus";

const Model& checked(const Models& models, const CorpusPlan& plan) {
    if (!models.target)
        throw Error("a corpus needs a model of this program, not a table and not a server", "Give a checkpoint.", Exit::usage);
    if (plan.prompts.empty()) throw Error("there are no prompts to answer", "Give a file with some.", Exit::usage);
    if (plan.texts < 1 || plan.texts > kMostTexts)
        throw Error("1 … " + std::to_string(kMostTexts) + " texts are decoded at once, got " + std::to_string(plan.texts),
                    "Ask for a number in between.", Exit::usage);
    if (plan.block_tokens < 2 || plan.block_tokens > kMostBlockTokens)
        throw Error("a block has 2 … " + std::to_string(kMostBlockTokens) + " tokens, got " + std::to_string(plan.block_tokens),
                    "Ask for a number in between.", Exit::usage);
    return *models.target;
}

CorpusSource source_of(const Models& models, const CorpusPlan& plan) {
    CorpusSource source;
    source.model = models.target_name();
    source.fingerprint = fingerprint(*models.target);
    source.weights = models.weights();
    source.precision = name_of(models.precision());
    source.vocab = models.vocab();
    source.seed = plan.seed;
    source.filters = plan.filters;
    source.filters.temperature = 1;
    return source;
}

// What of the two differs; empty: nothing.
std::string difference(const CorpusSource& there, const CorpusSource& asked) {
    if (there.fingerprint != asked.fingerprint) return "the model " + there.model + " (" + there.fingerprint + "), not by this one";
    if (there.weights != asked.weights) return "weights " + there.weights + ", not " + asked.weights;
    if (there.precision != asked.precision) return "products in " + there.precision + ", not " + asked.precision;
    if (there.seed != asked.seed) return "seed " + std::to_string(there.seed) + ", not " + std::to_string(asked.seed);
    if (there.filters != asked.filters) return "another top-k or top-p";
    return there == asked ? "" : "another model";
}

// As many as all texts may take, within a quarter of what is free, as a server has (remote/serving); never fewer than the longest takes.
int blocks_of(const Models& models, int texts, int longest) {
    const int least = blocks_for(1, longest);
    const std::size_t room = models.backend->free_memory() / 4 / std::max<std::size_t>(1, PagedModel::block_bytes(*models.target));
    const auto most = static_cast<std::size_t>(std::numeric_limits<int>::max() / PagedModel::kBlock);
    return std::max(least, static_cast<int>(std::min({static_cast<std::size_t>(blocks_for(texts, longest)), room, most})));
}

} // namespace

bool repeats_itself(std::span<const int> answer, int window, int period) {
    if (std::ssize(answer) < window) return false;
    const std::span<const int> tail = answer.last(static_cast<std::size_t>(window));
    for (int p = 1; p <= period; ++p)
        if (std::equal(tail.begin() + p, tail.end(), tail.begin())) return true;
    return false;
}

CorpusSampling::CorpusSampling(std::shared_ptr<const Models> models, CorpusPlan plan)
    : models_(std::move(models)), plan_(std::move(plan)), source_((checked(*models_, plan_), source_of(*models_, plan_))) {
    read_prompts();
    open_.source = source_;
    std::error_code failed;
    fs::create_directories(plan_.folder, failed);
    if (failed) throw Error(short_name(plan_.folder) + " cannot be made: " + failed.message(), "Choose another folder with -o DIR.");
    remove_left_beside(plan_.folder);
    read_folder();
    int longest = 1;
    for (int i = front_; i < prompts(); ++i)
        if (!ids_[i].empty()) longest = std::max(longest, static_cast<int>(ids_[i].size()) + plan_.prompts[i].max_tokens + 1);
    BatchSettings settings;
    settings.texts = plan_.texts;
    settings.blocks = blocks_of(*models_, plan_.texts, longest);
    engine_ = std::make_unique<BatchEngine>(models_, settings);
    advance();
    next_ = front_;
}

CorpusSampling::~CorpusSampling() = default;

void CorpusSampling::read_prompts() {
    const int context = models_->holds();
    for (const CorpusPrompt& prompt : plan_.prompts) {
        check_sampling({.temperature = prompt.temperature, .top_k = plan_.filters.top_k, .top_p = plan_.filters.top_p});
        if (prompt.max_tokens < 1) throw Error("an answer has at least one token", "Ask for some.", Exit::usage);
        std::vector<int> ids = prompt_tokens(*models_, prompt.prompt).ids;
        const int all = static_cast<int>(ids.size()) + prompt.max_tokens;
        if (all >= context || all > plan_.block_tokens) {
            ids.clear();
            ++progress_.too_long;
        }
        ids_.push_back(std::move(ids));
    }
}

void CorpusSampling::read_folder() {
    const auto read = [&](const fs::path& file, bool may_go_on) {
        CorpusBlock block = read_corpus(file);
        if (const std::string other = difference(block.source, source_); !other.empty())
            throw Error(short_name(file) + " was sampled with " + other, "Choose another folder, or sample as it was.", Exit::usage);
        for (const CorpusText& text : block.texts) check_text(text, may_go_on, short_name(file));
        return block;
    };
    for (const fs::path& file : corpus_files(plan_.folder)) {
        for (CorpusText& text : read(file, false).texts) {
            while (front_ < prompts() && ids_[front_].empty()) ++front_;
            if (text.number != front_)
                throw Error(short_name(file) + " lacks the answer to prompt " + std::to_string(front_ + 1) + ": texts were taken out of it",
                            "Go on in the folder that it was sampled into.", Exit::usage);
            add(std::move(text));
        }
    }
    open_written_ = true;
    std::error_code ignored;
    if (!fs::exists(plan_.folder / kUnfinished, ignored)) return;
    for (CorpusText& text : read(plan_.folder / kUnfinished, true).texts) {
        if (text.number < front_) continue;
        if (goes_on(text))
            begun_[text.number] = {text.tokens.begin() + text.prompt, text.tokens.end()};
        else
            finished_.emplace(text.number, std::move(text));
    }
}

bool CorpusSampling::goes_on(const CorpusText& text) const {
    return text.end == AnswerEnd::limit && text.answer() < plan_.prompts[text.number].max_tokens;
}

void CorpusSampling::check_text(const CorpusText& text, bool may_go_on, const std::string& name) const {
    const auto other = [&](const std::string& what) {
        return Error(name + " answers prompt " + std::to_string(text.number + 1) + " " + what,
                     "Give the prompts that it was sampled with; new ones go behind them.", Exit::usage);
    };
    if (text.number >= prompts()) throw other("of which there are only " + std::to_string(prompts()));
    const CorpusPrompt& prompt = plan_.prompts[text.number];
    if (!std::equal(text.tokens.begin(), text.tokens.begin() + text.prompt, ids_[text.number].begin(), ids_[text.number].end()))
        throw other("which has another text");
    if (text.temperature != prompt.temperature || text.domain != prompt.domain || text.answer() > prompt.max_tokens ||
        (goes_on(text) && !may_go_on))
        throw other("which has another temperature, domain or length");
}

// Whatever has ended and has no answer before it that has not goes into the blocks.
void CorpusSampling::advance() {
    while (front_ < prompts() && !enough()) {
        if (ids_[front_].empty()) {
            ++front_;
            continue;
        }
        const auto found = finished_.find(front_);
        if (found == finished_.end()) return;
        add(std::move(finished_.extract(found).mapped()));
    }
}

// Of the first prompt whose answer is in no block.
void CorpusSampling::add(CorpusText text) {
    if (!open_.texts.empty() && open_.tokens() + std::ssize(text.tokens) > plan_.block_tokens) {
        if (!open_written_) write_corpus(corpus_file(plan_.folder, open_number_), open_);
        ++open_number_;
        open_.texts.clear();
    }
    front_ = text.number + 1;
    progress_.tokens += text.answer();
    ++progress_.texts;
    ++progress_.ends[text.end];
    open_.texts.push_back(std::move(text));
    progress_.blocks = open_number_ + 1;
    open_written_ = false;
}

bool CorpusSampling::step() {
    if (progress_.complete) return false;
    submit();
    if (asked_.empty()) {
        complete();
        return false;
    }
    (void)engine_->step();
    for (auto at = asked_.begin(); at != asked_.end();) {
        auto& [text, asked] = *at++; // who ends leaves the list
        take_tokens(text, asked);
    }
    advance();
    progress_.done_texts = progress_.texts + static_cast<int>(finished_.size());
    progress_.done_tokens = progress_.tokens;
    for (const auto& [number, text] : finished_) progress_.done_tokens += text.answer();
    progress_.seconds = clock_.ms() / 1000;
    if (enough() || (front_ == prompts() && asked_.empty())) {
        complete();
        return false;
    }
    if (progress_.seconds - saved_at_ >= kSaveEvery) save();
    return true;
}

long long CorpusSampling::tokens_to_come() const {
    long long sum = 0;
    for (const auto& [number, text] : finished_) sum += text.answer();
    for (const auto& [text, asked] : asked_) sum += std::ssize(asked.answer);
    return sum;
}

void CorpusSampling::submit() {
    while (std::ssize(asked_) < plan_.texts && next_ < prompts()) {
        if (plan_.tokens > 0 && progress_.tokens + tokens_to_come() >= plan_.tokens) return; // those that were asked will do
        const int number = next_++;
        if (ids_[number].empty() || number < front_ || finished_.contains(number)) continue;
        RunSettings settings;
        Asked asked{.number = number, .events = 0, .answer = std::move(begun_[number])};
        begun_.erase(number);
        settings.prompt.token_ids = ids_[number];
        settings.prompt.token_ids.insert(settings.prompt.token_ids.end(), asked.answer.begin(), asked.answer.end());
        settings.drafter = kNoDrafter;
        settings.k = 0;
        settings.trace_top = 0;
        settings.timing = false;
        settings.sampling = plan_.filters;
        settings.sampling.temperature = plan_.prompts[number].temperature;
        settings.seed = plan_.seed + static_cast<std::uint64_t>(number);
        settings.max_tokens = plan_.prompts[number].max_tokens - static_cast<int>(asked.answer.size());
        asked_.emplace(engine_->submit(settings), std::move(asked));
    }
}

// Its new tokens, and whether it has ended; then it is no longer among those that were asked.
void CorpusSampling::take_tokens(const int text, Asked& asked) {
    const BatchText& shown = engine_->text(text);
    if (shown.state == BatchText::State::failed) throw Error(shown.error, shown.remedy);
    if (!shown.trace) return; // it has not joined
    std::optional<AnswerEnd> end;
    for (; asked.events < shown.trace->size() && !end; ++asked.events)
        if (const auto* committed = std::get_if<Committed>(&(*shown.trace)[asked.events]))
            for (const int token : committed->tokens) {
                asked.answer.push_back(token);
                ++progress_.fresh;
                if (asked.answer.size() % kLookEvery == 0 && repeats_itself(asked.answer)) end = AnswerEnd::loop;
            }
    if (shown.ended()) { // by itself, whatever it repeats
        const std::vector<int>& stops = models_->stops();
        end = std::ranges::find(stops, asked.answer.back()) != stops.end() ? AnswerEnd::stop : AnswerEnd::limit;
    }
    if (!end) return;
    if (!shown.ended()) engine_->cancel(text);
    finish(text, asked, *end);
}

void CorpusSampling::finish(const int text, const Asked& asked, AnswerEnd end) {
    finished_.emplace(asked.number, text_of(asked, end));
    engine_->forget(text);
    asked_.erase(text);
}

CorpusText CorpusSampling::text_of(const Asked& asked, AnswerEnd end) const {
    const CorpusPrompt& prompt = plan_.prompts[asked.number];
    CorpusText text{.number = asked.number,
                    .tokens = ids_[asked.number],
                    .prompt = static_cast<int>(ids_[asked.number].size()),
                    .temperature = prompt.temperature,
                    .end = end,
                    .domain = prompt.domain};
    text.tokens.insert(text.tokens.end(), asked.answer.begin(), asked.answer.end());
    return text;
}

void CorpusSampling::save() {
    if (!open_written_) write_corpus(corpus_file(plan_.folder, open_number_), open_);
    open_written_ = true;
    std::map<int, CorpusText> unfinished;
    if (!progress_.complete) {
        unfinished = finished_;
        for (const auto& [text, asked] : asked_)
            if (!asked.answer.empty()) unfinished.emplace(asked.number, text_of(asked, AnswerEnd::limit));
        for (const auto& [number, answer] : begun_)
            unfinished.emplace(number, text_of({.number = number, .events = 0, .answer = answer}, AnswerEnd::limit));
    }
    CorpusBlock block{.source = source_, .texts = {}};
    long long tokens = 0;
    for (auto& [number, text] : unfinished) // what a file has no room for is drawn again
        if ((tokens += std::ssize(text.tokens)) <= kMostBlockTokens) block.texts.push_back(std::move(text));
    std::error_code ignored;
    if (block.texts.empty())
        fs::remove(plan_.folder / kUnfinished, ignored);
    else
        write_corpus(plan_.folder / kUnfinished, block);
    saved_at_ = progress_.seconds;
}

void CorpusSampling::complete() {
    progress_.complete = true;
    progress_.seconds = clock_.ms() / 1000;
    save();
}

} // namespace speclens
