#include "engine/doctor/examination.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "engine/base/lists.h"
#include "engine/base/quantile.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter_info.h"
#include "engine/run/gallery.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr std::size_t kFewestTexts = 8; // that anything is told from
constexpr std::size_t kLeads = 3;       // variants that are tried together with others
constexpr std::size_t kWholePairs = 3;  // pairs that are scored on all texts
constexpr double kLead = 0.05;          // a lead makes the target's choice likelier, by an uncorrected test of this level
constexpr int kPartOf = 6;              // of the places, for a first look at pairs
constexpr int kPlainPlaces = 400;

std::vector<Prompt> made_up_prompts(const Models& models) {
    std::vector<Prompt> prompts;
    for (int i = 0; i < 120; ++i) {
        Prompt prompt;
        prompt.token_ids = {(7 * i) % models.vocab(), (11 * i + 1) % models.vocab(), (13 * i + 2) % models.vocab()};
        prompts.push_back(std::move(prompt));
    }
    return prompts;
}

// In an order in which neighbours are of different kinds: files are sorted by kind.
template <class T>
std::vector<T> spread(const std::vector<T>& items) {
    const std::size_t n = items.size();
    auto step = static_cast<std::size_t>(0.618 * static_cast<double>(n)) | 1U;
    while (n > 0 && std::gcd(step, n) != 1) ++step;
    std::vector<T> mixed;
    for (std::size_t i = 0; i < n; ++i) mixed.push_back(items[i * step % n]);
    return mixed;
}

int places_of(const std::vector<OwnText>& texts) { return sum_over<int>(texts, &OwnText::places); }

std::shared_ptr<const DraftNetwork> head_of(const Models& models, const std::string& drafter) {
    if (!models.target)
        throw Error(models.scorer ? "the states of a server's model are not known here" : "a table has no states that a head could read",
                    "Give a checkpoint folder or a GGUF file with --model.", Exit::usage);
    std::shared_ptr<const DraftNetwork> head = models.network(drafter);
    if (!head)
        throw Error("no head is loaded for " + (drafter.empty() ? "any drafter" : drafter),
                    "Name it: --drafter NAME=HEAD, NAME one of eagle3, dflash, dflash2, domino, dspark.", Exit::usage);
    return head;
}

IgnoredKeys ignored_of(const DraftNetwork& head) { return {head.config.ignored.begin(), head.config.ignored.end()}; }

[[noreturn]] void say_gone(const DraftNetwork& head) {
    throw Error(head.name + " was read when its examination began, and cannot be read now",
                "Its files were moved or changed meanwhile: examine it again.");
}

// Where a variant was refused: whose fault it is. Files that are gone or broken are refused as they stand, too.
void expect_readable(const Models& models, const DraftNetwork& head) {
    try {
        (void)DraftNetwork::load(models.target, head.path, {}, ignored_of(head));
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::out_of_memory) throw;
        say_gone(head);
    }
}

} // namespace

std::vector<const TriedVariant*> Diagnosis::ranked() const {
    std::vector<const TriedVariant*> all;
    for (const TriedVariant& one : variants)
        if (one.refused.empty()) all.push_back(&one);
    if (winner && std::ranges::none_of(all, [&](const TriedVariant* one) { return one->variant.changes == winner->variant.changes; }))
        all.push_back(&*winner);
    std::ranges::stable_sort(all, std::ranges::greater{}, &TriedVariant::kept);
    return all;
}

std::vector<Prompt> examination_prompts(const Models& models) {
    if (!models.tokenizer) return made_up_prompts(models);
    std::vector<GalleryPrompt> ready = load_gallery(held_out_file(assets_folder(), !models.bundle.empty(), models.target_name()));
    ask_as_text_if_needed(ready, models.chat);
    std::vector<Prompt> prompts;
    for (const GalleryPrompt& prompt : spread(ready)) prompts.push_back(prompt_of(prompt, false));
    return prompts;
}

Examination::Examination(std::shared_ptr<const Models> models, ExaminationPlan plan) : models_(std::move(models)), plan_(std::move(plan)) {
    head_ = head_of(*models_, plan_.drafter);
    variants_ = variants_of(*head_);
    if (plan_.prompts.size() < kFewestTexts)
        throw Error("an examination takes prompts, at least " + std::to_string(kFewestTexts) + " different ones",
                    "The installed ones are in assets/prompts; --prompts FILE gives others.", Exit::usage);
    const std::string method = name_of(head_->config.method);
    diagnosis_.drafter = method;
    diagnosis_.head = head_->name;
    diagnosis_.target = models_->target_name();
    diagnosis_.k = std::min(default_k(method), head_->config.most_drafts());
    diagnosis_.planned = static_cast<int>(variants_.size());
    std::vector<Prompt> chosen;
    for (std::size_t i = 0; i < plan_.prompts.size(); ++i)
        if (i % 3 != 2) chosen.push_back(plan_.prompts[i]);
    to_read_ = plan_.tokens * static_cast<int>(1 + variants_.size());
    write(std::move(chosen), plan_.tokens, texts_);
    tasks_.emplace_back([this] {
        to_read_ = places_of(texts_) * static_cast<int>(1 + variants_.size());
        read(texts_, {}, [this](Reading reading) { as_it_is_ = std::move(reading), show(); });
        for (const Variant& variant : variants_)
            read(texts_, variant, [this](Reading reading) { singles_.push_back(std::move(reading)), show(); });
        tasks_.emplace_back([this] { return plan_pairs(), false; });
        return false;
    });
    shown_ = std::make_shared<const Diagnosis>(diagnosis_);
}
Examination::~Examination() = default;

bool Examination::step() {
    if (tasks_.empty()) return false;
    if (!tasks_.front()()) tasks_.pop_front();
    return !tasks_.empty();
}

int Examination::done() const { return written_ + read_; }
int Examination::total() const { return std::max(done(), to_write_ + to_read_); }

std::optional<double> Examination::left_seconds() const {
    if (read_ == 0 || written_ == 0) return {};
    const double to_write = std::max(0, to_write_ - written_), to_read = std::max(0, to_read_ - read_);
    return (to_write * writing_ms_ / written_ + to_read * reading_ms_ / read_) / 1000;
}

void Examination::write(std::vector<Prompt> prompts, int tokens, std::vector<OwnText>& into) {
    to_write_ += tokens;
    const int before = to_write_ - tokens;
    auto writer = std::make_shared<TextWriter>(models_, std::move(prompts), tokens, plan_.longest, layers_read(*head_));
    tasks_.emplace_back([this, before, writer, &into] {
        const Stopwatch watch;
        const bool more = writer->step();
        writing_ms_ += watch.ms();
        written_ = std::max(written_, before + std::min(writer->written(), writer->wanted())); // a text that is too short does not count
        if (!more) into = writer->take();
        return more;
    });
}

void Examination::read(const std::vector<OwnText>& texts, const Variant& variant, std::function<void(Reading)> then) {
    struct State {
        Reading reading;
        std::optional<HeadReader> reader;
    };
    auto state = std::make_shared<State>();
    state->reading.variant = variant;
    tasks_.emplace_back([this, state, then = std::move(then), &texts] {
        Reading& reading = state->reading;
        const Stopwatch watch;
        bool more = true;
        if (state->reader) {
            more = state->reader->step(texts);
            ++read_;
            reading_ms_ += watch.ms();
            if (!more) reading.score = state->reader->score();
        } else {
            std::shared_ptr<const DraftNetwork> head = head_;
            try {
                if (!reading.variant.changes.empty())
                    head = DraftNetwork::load(models_->target, head_->path, {}, ignored_of(*head_), reading.variant.changes);
            } catch (const Error& error) {
                if (error.kind() == ErrorKind::out_of_memory) throw;
                expect_readable(*models_, *head_);
                reading.refused = error.what();
                to_read_ -= places_of(texts);
                more = false;
            }
            if (more) state->reader.emplace(models_, head, diagnosis_.drafter, diagnosis_.k);
        }
        if (more) return true;
        state->reader.reset(); // its head is let go before the next one is loaded
        then(std::move(reading));
        return false;
    });
}

TriedVariant Examination::tried(const Reading& reading) const {
    TriedVariant one{.variant = reading.variant, .refused = reading.refused};
    if (!one.refused.empty()) return one;
    one.kept = reading.score.mean_kept();
    one.difference = paired_difference(as_it_is_.score.kept, reading.score.kept, reading.score.places);
    return one;
}

// Leads are found by what the head says of the target's choice, not by what is kept: with a second fault that may be nothing still.
void Examination::plan_pairs() {
    std::vector<std::pair<double, const Reading*>> leads;
    for (const Reading& single : singles_) {
        if (!single.refused.empty()) continue;
        const PairedDifference likelier = paired_difference(as_it_is_.score.logp, single.score.logp, single.score.places);
        if (likelier.p_value < kLead) leads.emplace_back(likelier.mean, &single);
    }
    std::ranges::sort(leads, std::ranges::greater{}, &std::pair<double, const Reading*>::first);
    if (leads.size() > kLeads) leads.resize(kLeads);
    for (const OwnText& text : texts_)
        if (!leads.empty() && (part_.size() < kFewestTexts || places_of(part_) * kPartOf < places_of(texts_))) part_.push_back(text);
    for (std::size_t i = 0; i < leads.size(); ++i)
        for (const Reading& other : singles_) {
            const bool seen = std::ranges::any_of(std::span(leads).first(i), [&](const auto& lead) { return lead.second == &other; });
            if (seen || !other.refused.empty() || !go_together(leads[i].second->variant, other.variant)) continue;
            ++diagnosis_.pairs;
            to_read_ += places_of(part_);
            read(part_, together(leads[i].second->variant, other.variant),
                 [this](Reading reading) { screened_.push_back(std::move(reading)); });
        }
    tasks_.emplace_back([this] { return plan_full_pairs(), false; });
}

void Examination::plan_full_pairs() {
    std::erase_if(screened_, [](const Reading& pair) { return !pair.refused.empty(); });
    std::ranges::sort(screened_, std::ranges::greater{}, [](const Reading& pair) {
        return std::pair(pair.score.mean_kept(), std::accumulate(pair.score.logp.begin(), pair.score.logp.end(), 0.0));
    });
    for (std::size_t i = 0; i < std::min(kWholePairs, screened_.size()); ++i) {
        to_read_ += places_of(texts_);
        read(texts_, screened_[i].variant, [this](Reading reading) { pairs_.push_back(std::move(reading)); });
    }
    tasks_.emplace_back([this] { return judge(), false; });
}

void Examination::judge() {
    std::vector<TriedVariant> all;
    std::vector<const Reading*> readings;
    for (const auto* list : {&singles_, &pairs_})
        for (const Reading& reading : *list)
            if (reading.refused.empty()) all.push_back(tried(reading)), readings.push_back(&reading);
    std::vector<double> p_values;
    std::vector<std::pair<double, double>> errors; // by how far a variant is from the config
    for (const TriedVariant& one : all) {
        p_values.push_back(one.difference.p_value);
        errors.emplace_back(std::abs(one.difference.mean), one.difference.error);
    }
    const int untried = diagnosis_.pairs - static_cast<int>(pairs_.size());
    const std::vector<bool> rejects = holm_rejects(p_values, kAlarm, untried);
    const auto alone = static_cast<std::size_t>(std::ranges::count_if(singles_, [](const Reading& one) { return one.refused.empty(); }));
    std::optional<std::size_t> single, pair;
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].better = rejects[i] && all[i].difference.mean >= kLeastGain;
        std::optional<std::size_t>& best = i < alone ? single : pair;
        if (all[i].better && (!best || all[i].difference.mean > all[*best].difference.mean)) best = i;
    }
    // Two changes are named only where they are clearly more than one.
    if (single && pair) {
        const PairedDifference more =
            paired_difference(readings[*single]->score.kept, readings[*pair]->score.kept, readings[*pair]->score.places);
        if (more.mean < kLeastGain || more.p_value > kAlarm / std::max(1, diagnosis_.pairs)) pair.reset();
    }
    const std::optional<std::size_t> best = pair ? pair : single;
    PairedDifference usual;
    std::ranges::sort(errors); // a small gain has the error of those that are near
    std::vector<double> near;
    for (std::size_t i = 0; i < (errors.size() + 1) / 2; ++i) near.push_back(errors[i].second);
    usual.error = median(near);
    usual.texts = static_cast<int>(texts_.size());
    if (!all.empty()) diagnosis_.least_told = usual.least_told(kAlarm / (static_cast<double>(all.size()) + untried));
    if (best)
        confirm(all[*best]);
    else
        conclude();
    show();
}

void Examination::confirm(const TriedVariant& winner) {
    diagnosis_.winner = winner;
    std::vector<Prompt> fresh;
    for (std::size_t i = 2; i < plan_.prompts.size(); i += 3) fresh.push_back(plan_.prompts[i]);
    to_read_ += 2 * plan_.fresh;
    write(std::move(fresh), plan_.fresh, fresh_);
    tasks_.emplace_back([this] {
        to_read_ += 2 * (places_of(fresh_) - plan_.fresh);
        read(fresh_, {}, [this](Reading reading) { fresh_as_it_is_ = std::move(reading.score); });
        read(fresh_, diagnosis_.winner->variant, [this](Reading reading) {
            if (!reading.refused.empty()) say_gone(*head_); // it was scored on the other texts
            diagnosis_.fresh = paired_difference(fresh_as_it_is_->kept, reading.score.kept, reading.score.places);
            diagnosis_.fresh_kept = fresh_as_it_is_->mean_kept();
            diagnosis_.fresh_kept_changed = reading.score.mean_kept();
            diagnosis_.fresh_places = places_of(fresh_);
            diagnosis_.fresh_texts = static_cast<int>(fresh_.size());
            conclude();
        });
        return false;
    });
}

// What is left is an observation: the same questions without the template. Then the verdict.
void Examination::conclude() {
    const auto verdict = [this] {
        using Verdict = Diagnosis::Verdict;
        const PairedDifference& fresh = diagnosis_.fresh;
        diagnosis_.verdict = !diagnosis_.winner ? (diagnosis_.kept < kWeak ? Verdict::weak : Verdict::healthy)
                             : fresh.p_value <= kAlarm && fresh.mean >= kLeastGain ? Verdict::mends
                                                                                   : Verdict::uncertain;
        show();
    };
    std::vector<Prompt> plain;
    for (const Prompt& prompt : plan_.prompts) {
        if (!prompt.chat) continue;
        plain.push_back(prompt);
        plain.back().chat = false;
        plain.back().system.clear();
    }
    if (plain.size() < kFewestTexts) return verdict();
    const int tokens = std::min(kPlainPlaces, plan_.tokens);
    to_read_ += tokens;
    write(std::move(plain), tokens, plain_);
    tasks_.emplace_back([this, tokens, verdict] {
        to_read_ += places_of(plain_) - tokens;
        read(plain_, {}, [this, verdict](Reading reading) {
            diagnosis_.plain_kept = reading.score.mean_kept();
            diagnosis_.plain_places = places_of(plain_);
            double kept = 0, places = 0;
            for (std::size_t i = 0; i < texts_.size(); ++i) {
                if (!texts_[i].chat) continue;
                kept += as_it_is_.score.kept[i];
                places += as_it_is_.score.places[i];
            }
            diagnosis_.chat_kept = places > 0 ? kept / places : 0;
            verdict();
        });
        return false;
    });
}

void Examination::show() {
    const HeadScore& score = as_it_is_.score;
    diagnosis_.places = places_of(texts_);
    diagnosis_.texts = static_cast<int>(texts_.size());
    diagnosis_.kept = score.mean_kept();
    diagnosis_.ranks = score.ranks;
    diagnosis_.kept_at.clear();
    for (std::size_t i = 0; i < score.kept_at.size(); ++i)
        diagnosis_.kept_at.push_back(score.asked_at[i] > 0 ? static_cast<double>(score.kept_at[i]) / static_cast<double>(score.asked_at[i])
                                                           : 0);
    diagnosis_.variants.clear();
    std::vector<double> p_values;
    for (const Reading& reading : singles_) {
        diagnosis_.variants.push_back(tried(reading));
        p_values.push_back(diagnosis_.variants.back().difference.p_value);
    }
    const std::vector<bool> rejects = holm_rejects(p_values, kAlarm, diagnosis_.planned - static_cast<int>(p_values.size()));
    for (std::size_t i = 0; i < rejects.size(); ++i)
        diagnosis_.variants[i].better = rejects[i] && diagnosis_.variants[i].difference.mean >= kLeastGain;
    shown_ = std::make_shared<const Diagnosis>(diagnosis_);
    ++revision_;
}

} // namespace speclens
