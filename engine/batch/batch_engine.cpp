#include "engine/batch/batch_engine.h"

#include <algorithm>
#include <new>

#include "engine/models/models.h"
#include "kernels/error.h"

namespace speclens {
namespace {

using State = BatchText::State;
using Did = BatchLane::Did;

std::shared_ptr<const Model> target_of(const Models& models) {
    if (!models.target)
        throw Error("several texts at once need a model of this program, not a table and not a server",
                    "Leave --model out, or give a checkpoint.", Exit::usage);
    return models.target;
}

const BatchSettings& checked(const BatchSettings& settings) {
    if (settings.texts < 1 || settings.texts > kMostTexts)
        throw Error("a batch has 1 … " + std::to_string(kMostTexts) + " texts in flight, got " + std::to_string(settings.texts),
                    "Ask for fewer.", Exit::usage);
    if (settings.blocks < 1)
        throw Error("a batch needs blocks for its keys and values, got " + std::to_string(settings.blocks), "Ask for at least one.",
                    Exit::usage);
    if (settings.prompt_rows < 1)
        throw Error("prompts need at least one row of a pass, got " + std::to_string(settings.prompt_rows), "Ask for some.", Exit::usage);
    return settings;
}

std::span<const int> first(std::span<const int> tokens, int count) { return tokens.first(static_cast<std::size_t>(count)); }

int common(std::span<const int> a, std::span<const int> b) { return static_cast<int>(std::ranges::mismatch(a, b).in1 - a.begin()); }

} // namespace

int blocks_for(int texts, int positions) { return texts * BlockTable::blocks_for(positions, PagedModel::kBlock); }

BatchEngine::BatchEngine(std::shared_ptr<const Models> models, const BatchSettings& settings)
    : models_(std::move(models)), settings_(checked(settings)), model_(target_of(*models_), settings.blocks), pool_(settings.blocks),
      scheduler_(settings.texts), lockstep_(*models_->backend) {
    if (!settings_.poison) return;
    model_.poison(0, settings_.blocks * PagedModel::kBlock);
    pool_.on_freed([this](int block) { model_.poison(block * PagedModel::kBlock, PagedModel::kBlock); });
}

BatchEngine::~BatchEngine() = default;

int BatchEngine::submit(PreparedRun prepared, BatchOwner owner) {
    const int needed = BlockTable::blocks_for(prepared.capacity, PagedModel::kBlock);
    if (needed > pool_.blocks())
        throw Error("the text may take " + std::to_string(needed) + " blocks of keys and values, the pool has " +
                        std::to_string(pool_.blocks()),
                    "Ask for more blocks, a shorter prompt or fewer new tokens.", Exit::usage);
    Text text;
    text.prepared = std::move(prepared);
    text.prepared.settings.timing = false; // the time of a pass belongs to all of its texts
    text.shown.prompt_tokens = static_cast<int>(text.prompt().size());
    text.owner = std::move(owner);
    return enter(std::move(text));
}

int BatchEngine::submit(Scoring scoring, BatchOwner owner) {
    const int count = static_cast<int>(scoring.tokens.size()), context = models_->holds(), vocab = models_->vocab();
    if (count < 2 || scoring.first < 0 || scoring.first > count - 2 || scoring.top < 0)
        throw Error("a text of " + std::to_string(count) + " tokens has no token behind place " + std::to_string(scoring.first) +
                        " to judge",
                    "Send two tokens or more, and a place before the last.", Exit::usage);
    if (count > context) throw PromptTooLong(count, models_->target_name(), context);
    for (const int id : scoring.tokens)
        if (id < 0 || id >= vocab)
            throw Error("Token id " + std::to_string(id) + " is out of vocabulary: the model has ids below " + std::to_string(vocab),
                        "Use the tokenizer of this model.", Exit::usage, ErrorKind::unknown_token);
    const int needed = BlockTable::blocks_for(count - 1, PagedModel::kBlock);
    if (needed > pool_.blocks())
        throw Error("the text takes " + std::to_string(needed) + " blocks of keys and values, the pool has " +
                        std::to_string(pool_.blocks()),
                    "Ask for more blocks, or send a shorter text.", Exit::usage);
    Text text;
    text.prepared.settings.k =
        std::min(count - 1 - scoring.first, settings_.prompt_rows) - 1; // rows with logits of its first pass, but one
    text.prepared.prompt.ids = std::move(scoring.tokens);
    text.scoring = std::move(scoring);
    text.shown.prompt_tokens = count;
    text.owner = std::move(owner);
    return enter(std::move(text));
}

int BatchEngine::enter(Text text) {
    const int number = submitted_;
    text.shown.arrived_ms = now_ms();
    scheduler_.arrive(number, text.owner.key);
    texts_.emplace(number, std::move(text));
    ++submitted_;
    return number;
}

std::span<const int> BatchEngine::tokens_of(const Text& text) { return text.run ? text.run->sequence() : text.prompt(); }

std::vector<int> BatchEngine::taps_of(const Text& text) { return text.run ? text.run->taps() : std::vector<int>(); }

int BatchEngine::free_blocks() const {
    std::map<int, int> held; // by kept texts
    for (const Kept& kept : kept_)
        for (const int block : kept.seat->table().blocks()) ++held[block];
    const auto nobody_else = [&](const auto& entry) { return pool_.holders(entry.first) == entry.second; };
    return pool_.free() + static_cast<int>(std::ranges::count_if(held, nobody_else));
}

bool BatchEngine::drop_kept() {
    if (kept_.empty()) return false;
    kept_.pop_front();
    return true;
}

std::shared_ptr<const Models> BatchEngine::models_of(const Text& text) const {
    if (!text.owner.answers) return models_;
    auto own = std::make_shared<Models>(*models_);
    own->answers = text.owner.answers;
    return own;
}

std::span<const int> BatchEngine::blocks_of(int text) const {
    const Text& one = at(text);
    return one.seat ? one.seat->table().blocks() : std::span<const int>();
}

int BatchEngine::length_of(int text) const {
    const Text& one = at(text);
    return one.seat ? one.seat->length() : 0;
}

void BatchEngine::cancel(int text) {
    if (!at(text).shown.ended()) end(text, State::cancelled);
}

void BatchEngine::draft_at_most(int text, int drafts) {
    CHECK(drafts >= 0, "a number of drafts");
    at(text).most_drafts = drafts;
    if (at(text).seat) at(text).seat->draft_at_most(drafts);
}

void BatchEngine::forget(int text) {
    CHECK(at(text).shown.ended(), "only a text that has ended is forgotten");
    texts_.erase(text);
}

bool BatchEngine::step() {
    const Stopwatch watch;
    round_ = {};
    admit();
    if (scheduler_.in_flight().empty()) return false;
    draft();
    std::vector<Part> parts;
    plan(parts);
    if (before_pass_ && !parts.empty()) before_pass_();
    // As many parts as fit into a pass; nearly always all of them.
    for (std::size_t begin = 0; begin < parts.size();) {
        std::size_t end = begin;
        for (int rows = 0; end < parts.size(); ++end) {
            rows += static_cast<int>(parts[end].input.tokens.size());
            if (rows > model_.max_rows()) break;
        }
        pass(std::span(parts).subspan(begin, end - begin));
        begin = end;
    }
    if (settings_.poison)
        for (const int number : scheduler_.in_flight()) at(number).seat->poison();
    round_.rest_ms = watch.ms() - round_.draft_ms - round_.pass_ms;
    return true;
}

BatchLane& BatchEngine::lane(int text) {
    const auto found = std::ranges::lower_bound(round_.lanes, text, {}, &BatchLane::text);
    if (found != round_.lanes.end() && found->text == text) return *found;
    return *round_.lanes.insert(found, BatchLane{.text = text, .did = Did::waited});
}

// ---- joining ----

void BatchEngine::admit() {
    while (const std::optional<int> next = scheduler_.next()) {
        while (!fits(at(*next)) && drop_kept()) {
        }
        if (!scheduler_.in_flight().empty() && !fits(at(*next))) return;
        scheduler_.admit(*next);
        lane(*next).joined = true;
        guarded(*next, [&] { join(*next); });
    }
}

int BatchEngine::known_tokens(const Text& text) const {
    if (text.scoring) return text.scoring->first + static_cast<int>(text.shown.scores.size());
    return static_cast<int>(tokens_of(text).size()) - 1;
}

// The blocks of what is known of it and of one round are free, beside those that texts in flight have yet to read into.
bool BatchEngine::fits(const Text& text) const {
    const auto blocks = [](int positions) { return BlockTable::blocks_for(positions, PagedModel::kBlock); };
    int promised = 0;
    for (const int other : scheduler_.in_flight()) {
        const Text& reading = at(other);
        if (reading.shown.state == State::reading)
            promised += blocks(known_tokens(reading)) - static_cast<int>(reading.seat->table().blocks().size());
    }
    const Seat* seat = settings_.share ? alike(text) : nullptr;
    const int shared = seat ? seat->shareable(first(tokens_of(text), known_tokens(text)), {}) / PagedModel::kBlock : 0;
    return blocks(known_tokens(text) + 1 + text.prepared.settings.k) - shared <= pool_.free() - promised;
}

void BatchEngine::join(int number) {
    Text& text = at(number);
    if (text.scoring && !text.own_seat) {
        const int places = static_cast<int>(text.prompt().size()) - 1; // nothing is asked behind the last token
        text.own_seat = std::make_unique<Seat>(model_, pool_, places, Seat::Alone());
        text.seat = text.own_seat.get();
        text.seat->begin_prompt(first(text.prompt(), places), {});
    }
    if (!text.run && !text.scoring) {
        text.run = std::make_unique<Run>(models_of(text), text.prepared, [&](int capacity) {
            auto seat = std::make_unique<Seat>(model_, pool_, capacity,
                                               [this, number](Seat& self, const PassInput& input) { pass_alone(number, self, input); });
            text.seat = seat.get();
            return seat;
        });
        if (text.most_drafts) text.seat->draft_at_most(*text.most_drafts);
        if (text.go_on) text.run->go_on(text.go_on);
        text.shown.trace = text.run->shared_trace();
        text.seat->begin_prompt(first(text.prompt(), known_tokens(text)), text.run->taps());
    }
    text.shown.state = State::reading;
    share_prompt(text);
}

const Seat* BatchEngine::alike(const Text& text) const {
    const Seat* best = nullptr;
    int most = 0;
    const std::span<const int> tokens = first(tokens_of(text), known_tokens(text));
    const std::vector<int> taps = taps_of(text);
    const auto look_at = [&](const Seat* seat, const std::string& key) {
        if (!seat || key != text.owner.key) return;
        const int shared = seat->shareable(tokens, taps);
        if (shared <= most) return;
        most = shared;
        best = seat;
    };
    for (const int other : scheduler_.in_flight())
        if (const Text& one = at(other); &one != &text) look_at(one.seat, one.owner.key);
    for (const Kept& kept : kept_) look_at(kept.seat.get(), kept.key);
    return best;
}

void BatchEngine::share_prompt(Text& text) {
    const int known = known_tokens(text);
    if (settings_.share && text.seat->length() == 0) {
        if (const Seat* other = alike(text)) {
            const std::vector<int> taps = taps_of(text);
            const int count = other->shareable(first(tokens_of(text), known), taps);
            text.seat->share(*other, count, taps);
            round_.shared_tokens += count;
            // It goes on where the other ended: in its blocks, not in copies of them.
            if (text.scoring) std::erase_if(kept_, [&](const Kept& kept) { return kept.seat.get() == other; });
        }
    }
    if (text.seat->length() == known) text.shown.state = State::decoding;
}

// An earlier text is about to read what this one begins with: a round later it can be shared.
bool BatchEngine::waits_for_prompt(int number) const {
    const Text& text = at(number);
    if (!settings_.share || text.seat->length() > 0) return false;
    const std::vector<int> taps = taps_of(text);
    const std::span<const int> own = first(text.prompt(), text.scoring ? known_tokens(text) : static_cast<int>(text.prompt().size()) - 1);
    const Seat* const best = alike(text);
    const int known = best ? best->shareable(own, taps) : 0;
    for (const int other : scheduler_.in_flight()) {
        const Text& one = at(other);
        if (other >= number || one.owner.key != text.owner.key || one.shown.state != State::reading) continue;
        if (!taps.empty() && taps_of(one) != taps) continue;
        if (common(first(one.prompt(), static_cast<int>(one.prompt().size()) - 1), own) >= known + PagedModel::kBlock) return true;
    }
    return false;
}

// ---- a round ----

void BatchEngine::draft() {
    const Stopwatch watch;
    std::vector<std::function<void()>> works;
    for (const int number : std::vector<int>(scheduler_.in_flight())) {
        (void)lane(number);
        if (at(number).scoring)
            ask_for_places(at(number));
        else if (at(number).shown.state == State::decoding && !at(number).asked)
            works.push_back([this, number, &works] {
                at(number).run->in_company(static_cast<int>(works.size()));
                draft(number);
            });
    }
    if (settings_.together)
        lockstep_.run(works);
    else
        for (const auto& work : works) work();
    round_.draft_ms = watch.ms();
}

void BatchEngine::draft(int number) {
    if (at(number).shown.state != State::decoding) return; // preempted meanwhile, by a drafter that computes with the target
    guarded(number, [&] {
        at(number).asked = at(number).run->ask();
        if (!at(number).asked) end(number, State::done);
    });
}

void BatchEngine::ask_for_places(Text& text) {
    if (text.shown.state != State::decoding) return;
    const int from = known_tokens(text), all = static_cast<int>(text.prompt().size()) - 1;
    const int rows = std::min({all - from, settings_.prompt_rows, model_.max_rows()});
    text.places = {.tokens = std::span<const int>(text.prompt()).subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(rows))};
    text.asked = &text.places;
}

// A round's rows for prompts, as evenly as the owners can use them: nobody's long prompts keep another's waiting.
std::map<std::string, int> BatchEngine::prompt_shares() const {
    std::map<std::string, int> wanted, shares;
    for (const int number : scheduler_.in_flight()) {
        const Text& text = at(number);
        if (text.shown.state == State::reading) wanted[text.owner.key] += known_tokens(text) - text.seat->length();
    }
    int left = std::min(settings_.prompt_rows, model_.max_rows());
    while (left > 0 && !wanted.empty()) {
        const int each = std::max(1, left / static_cast<int>(wanted.size()));
        for (auto& [key, rows] : wanted) {
            const int given = std::min({each, rows, left});
            shares[key] += given;
            rows -= given;
            left -= given;
        }
        std::erase_if(wanted, [](const auto& entry) { return entry.second == 0; });
    }
    return shares;
}

// In the order of joining, so that who joined first has its blocks first. Prompts first in the pass: they have no logits.
void BatchEngine::plan(std::vector<Part>& parts) {
    std::vector<Part> rounds;
    std::map<std::string, int> rows_left = prompt_shares();
    for (const int number : std::vector<int>(scheduler_.in_flight())) {
        Text& text = at(number);
        if (text.shown.state == State::reading) {
            plan_reading(number, rows_left[text.owner.key], parts);
        } else if (text.shown.state == State::decoding && reserve(number, static_cast<int>(text.asked->tokens.size()))) {
            rounds.push_back({.text = number, .input = *text.asked});
        }
    }
    parts.insert(parts.end(), rounds.begin(), rounds.end());
}

void BatchEngine::plan_reading(int number, int& rows_left, std::vector<Part>& parts) {
    Text& text = at(number);
    if (rows_left == 0 || waits_for_prompt(number)) return;
    share_prompt(text);
    if (text.shown.state != State::reading) return; // it found all of it: it drafts in the next round
    const std::span<const int> sequence = tokens_of(text);
    const int read = text.seat->length(), rows = std::min(rows_left, known_tokens(text) - read);
    if (!reserve(number, rows)) return;
    rows_left -= rows;
    Part part{.text = number,
              .input = {.tokens = sequence.subspan(static_cast<std::size_t>(read), static_cast<std::size_t>(rows)), .logits_from = rows},
              .reads = true};
    parts.push_back(part);
}

bool BatchEngine::reserve(int number, int rows) {
    Text& text = at(number);
    while (text.seat->table().missing(rows) > pool_.free()) {
        if (drop_kept()) continue;
        const int victim = scheduler_.victim(number);
        preempt(victim);
        if (victim == number) return false;
    }
    take_blocks(text, rows);
    return true;
}

// For a text that is drafting: it cannot give up its own blocks.
void BatchEngine::reserve_in_middle(int number, int rows) {
    while (at(number).seat->table().missing(rows) > pool_.free()) {
        if (drop_kept()) continue;
        const std::optional<int> victim = scheduler_.other_victim(number);
        CHECK(victim.has_value(), "a text alone has blocks for all its positions");
        preempt(*victim);
    }
    take_blocks(at(number), rows);
}

void BatchEngine::take_blocks(Text& text, int rows) {
    text.seat->table().reserve(rows, [this](int from, int to, int places) {
        std::vector<int> source(static_cast<std::size_t>(places)), goal(source.size());
        for (int i = 0; i < places; ++i) {
            source[static_cast<std::size_t>(i)] = from * PagedModel::kBlock + i;
            goal[static_cast<std::size_t>(i)] = to * PagedModel::kBlock + i;
        }
        model_.move_slots(source, goal);
        ++round_.copied_blocks;
    });
}

// Its round, its draft and its drafter stay as they are; only keys and values are computed again.
void BatchEngine::preempt(int number) {
    Text& text = at(number);
    text.seat->give_up_blocks();
    text.shown.state = State::waiting;
    ++text.shown.preempted;
    scheduler_.preempt(number);
    lane(number).did = Did::preempted;
}

void BatchEngine::pass(std::span<Part> parts) {
    std::vector<std::vector<int>> taps(parts.size()); // of the prompts
    std::vector<PagedModel::Text> texts;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Text& text = at(parts[i].text);
        if (parts[i].reads && !text.seat->knows_prompt()) {
            taps[i] = taps_of(text);
            parts[i].input.taps = taps[i];
        }
        texts.push_back(text.seat->bring(parts[i].input));
        BatchLane& of = lane(parts[i].text);
        of.rows = static_cast<int>(parts[i].input.tokens.size());
        const bool again = parts[i].reads && text.seat->knows_prompt();
        of.did = !parts[i].reads && text.run ? Did::decoded : again ? Did::recomputed : Did::read;
        round_.rows += of.rows;
        if (of.did != Did::decoded) round_.read_rows += of.rows;
        scheduler_.served(parts[i].text, of.rows);
    }
    const Stopwatch watch;
    model_.forward(texts);
    models_->backend->sync();
    round_.pass_ms += watch.ms();
    ++round_.passes;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Text& text = at(parts[i].text);
        if (!parts[i].reads) {
            text.seat->sit_down(texts[i]);
            continue;
        }
        text.seat->read(texts[i]);
        if (text.seat->length() == known_tokens(text)) text.shown.state = State::decoding;
    }
    for (const Part& part : parts)
        if (!part.reads) guarded(part.text, [&] { finish_round(part.text); });
}

void BatchEngine::pass_alone(int number, Seat& seat, const PassInput& input) {
    reserve_in_middle(number, static_cast<int>(input.tokens.size()));
    PagedModel::Text text = seat.bring(input);
    scheduler_.served(number, static_cast<int>(input.tokens.size()));
    lockstep_.apart([&] { model_.forward(std::span(&text, 1)); }); // its scratch memory is everybody's
    seat.sit_down(text);
}

void BatchEngine::finish_round(int number) {
    Text& text = at(number);
    if (text.scoring) return finish_scoring(number);
    const std::size_t before = text.run->sequence().size(), events = text.run->trace().size();
    text.asked = nullptr;
    text.run->finish_round();
    BatchLane& of = lane(number);
    of.tokens = static_cast<int>(text.run->sequence().size() - before);
    for (std::size_t i = events; i < text.run->trace().size(); ++i)
        if (const auto* committed = std::get_if<Committed>(&text.run->trace()[i])) of.accepted = committed->accepted_drafts;
    const double now = now_ms();
    if (text.shown.deliveries.empty()) text.shown.first_ms = now;
    text.shown.deliveries.push_back({now, of.tokens});
    if (text.run->stopped()) end(number, State::done);
}

void BatchEngine::finish_scoring(int number) {
    Text& text = at(number);
    const int from = known_tokens(text);
    PassRows& rows = text.seat->forward(*text.asked);
    text.asked = nullptr;
    text.seat->read_on();
    for (int row = 0; row < rows.count(); ++row) {
        const int token = text.prompt()[static_cast<std::size_t>(from + row) + 1];
        text.shown.scores.push_back(scored_token(rows.distribution(row, kRawSampling), token, text.scoring->top));
    }
    if (known_tokens(text) + 1 == std::ssize(text.prompt())) end(number, State::done);
}

// ---- leaving ----

void BatchEngine::end(int number, State state) {
    Text& text = at(number);
    scheduler_.leave(number);
    text.shown.state = state;
    text.shown.done_ms = now_ms();
    text.asked = nullptr;
    if (text.run) {
        text.run->stop(Stopped::kCancelled); // where it has not stopped by itself
        text.shown.sequence = text.run->sequence();
        text.shown.text = text.run->output_text();
        lane(number).left = true;
    }
    text.seat = nullptr;
    text.run.reset();
    if (text.own_seat && state == State::done && settings_.share) {
        kept_.push_back({text.owner.key, std::move(text.own_seat)});
        if (std::ssize(kept_) > settings_.texts) (void)drop_kept();
    }
    text.own_seat.reset();
}

void BatchEngine::guarded(int number, const std::function<void()>& go) {
    Text& text = at(number);
    try {
        go();
        return;
    } catch (const Error& error) {
        text.shown.error = error.what();
        text.shown.remedy = error.remedy();
    } catch (const std::bad_alloc&) {
        text.shown.error = "out of memory";
        text.shown.remedy = "Ask for fewer texts at once.";
    } catch (const std::exception& error) {
        text.shown.error = error.what();
    }
    end(number, State::failed);
}

} // namespace speclens
