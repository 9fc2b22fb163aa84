#include "remote/serving/batch_queue.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "engine/run/prepared_run.h"
#include "remote/serving/refusals.h"

namespace speclens {
namespace {

int blocks_of(int positions) { return BlockTable::blocks_for(positions, PagedModel::kBlock); }

} // namespace

int default_blocks(const Models& models, int texts) {
    constexpr int kTokens = 1024, kLeast = 64;
    const int context = models.holds();
    const std::int64_t wanted = std::max<std::int64_t>(blocks_of(context), std::int64_t{texts} * blocks_of(std::min(context, kTokens)));
    const std::size_t room = models.backend->free_memory() / 4 / std::max<std::size_t>(1, PagedModel::block_bytes(*models.target));
    const std::int64_t most = static_cast<std::int64_t>(std::min<std::size_t>(room, std::numeric_limits<int>::max() / PagedModel::kBlock));
    return static_cast<int>(std::max<std::int64_t>(std::min(wanted, most), kLeast));
}

// The request's end of a Place.
class BatchQueue::Own final : public Ticket {
  public:
    Own(BatchQueue& queue, std::shared_ptr<Place> place) : queue_(queue), place_(std::move(place)) {}
    ~Own() override { queue_.leave(place_); }
    bool wait() override {
        constexpr std::chrono::milliseconds kMoment{50};
        std::unique_lock lock(queue_.mutex_);
        place_->moved.wait_for(lock, kMoment, [&] { return place_->ended || place_->news.events > known_; });
        if (place_->refused) throw Refused(*place_->refused);
        known_ = place_->news.events;
        news_ = place_->news;
        return !place_->ended;
    }
    News news() const override { return news_; }

  private:
    BatchQueue& queue_;
    std::shared_ptr<Place> place_;
    News news_;
    std::size_t known_ = 0;
};

BatchQueue::BatchQueue(std::shared_ptr<const Models> models, BatchSettings settings, int most, std::unique_ptr<KeyMemory> memory,
                       ServeCounts& counts)
    : models_(std::move(models)), settings_(settings), most_(most), counts_(counts), memory_(std::move(memory)) {
    {
        const std::lock_guard turn(*models_->turns);
        if (settings_.blocks == 0) settings_.blocks = default_blocks(*models_, settings_.texts);
        engine_ = std::make_unique<BatchEngine>(models_, settings_);
        counts_.blocks(settings_.blocks, settings_.blocks);
    }
    thread_ = std::thread([this] { main(); });
}

BatchQueue::~BatchQueue() {
    stop();
    thread_.join();
    const std::shared_ptr<Turns> turns = models_->turns;
    const std::lock_guard held(*turns);
    engine_.reset();
    models_.reset(); // heads that were replaced meanwhile may be its own by now
}

int BatchQueue::context() const { return std::min(models_->holds(), settings_.blocks * PagedModel::kBlock); }

// ---- requests ----

std::unique_ptr<TextQueue::Ticket> BatchQueue::enter(const RunSettings& settings, const std::string& key) {
    PreparedRun prepared = prepared_run(*models_, settings);
    const int held = settings_.blocks * PagedModel::kBlock;
    if (blocks_of(prepared.capacity) > settings_.blocks)
        throw Refused{400, "the text may take " + std::to_string(prepared.capacity) +
                               " tokens with its prompt, and this server has room for " + std::to_string(held) +
                               "; ask for fewer with max_tokens"};
    auto place = std::make_shared<Place>();
    place->prepared = std::move(prepared);
    place->owner.key = key;
    if (memory_) place->owner.answers = memory_->answers(key, settings.options.suffix_depth);
    let_in(place);
    return std::make_unique<Own>(*this, std::move(place));
}

void BatchQueue::let_in(const std::shared_ptr<Place>& place) {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) throw stops();
        if (inside_ >= most_) throw too_many(retry_.seconds(settings_.texts));
        ++inside_;
        arrivals_.push_back(place);
        counts_.waiting(1);
    }
    wake_.notify_one();
}

std::vector<ScoredToken> BatchQueue::score(Scoring scoring, const std::string& key, const std::function<bool()>& listens) {
    auto place = std::make_shared<Place>();
    place->scoring = std::move(scoring);
    place->owner.key = key;
    let_in(place);
    Own ticket(*this, place);
    while (ticket.wait())
        if (!listens()) return {};
    const std::lock_guard lock(mutex_);
    return std::move(place->scores);
}

void BatchQueue::leave(const std::shared_ptr<Place>& place) {
    {
        const std::lock_guard lock(mutex_);
        --inside_;
        if (place->ended) return;
        place->left = true;
        leavers_ = true;
    }
    wake_.notify_one();
}

void BatchQueue::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_one();
}

// ---- rounds ----

void BatchQueue::main() {
    while (work_comes()) {
        try {
            const std::lock_guard turn(*models_->turns);
            round();
        } catch (const std::exception& error) { // of a pass: nobody knows what it left behind
            fail_all(error.what());
        }
    }
    const std::lock_guard turn(*models_->turns);
    std::vector<int> under_way;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [number, place] : places_) under_way.push_back(number);
    }
    for (const int number : under_way) engine_->cancel(number);
    publish();
    fail_all("");
}

bool BatchQueue::work_comes() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return stopping_ || busy_ || leavers_ || !arrivals_.empty(); });
    return !stopping_;
}

void BatchQueue::round() {
    take_leavers_and_arrivals();
    busy_ = engine_ && engine_->step();
    if (busy_) counts_.batch(engine_->round());
    publish();
}

void BatchQueue::take_leavers_and_arrivals() {
    std::vector<std::shared_ptr<Place>> arrivals;
    std::vector<int> leavers;
    {
        const std::lock_guard lock(mutex_);
        arrivals = std::exchange(arrivals_, {});
        std::erase_if(arrivals, [](const auto& place) { return place->left; });
        if (std::exchange(leavers_, false))
            std::erase_if(places_, [&](const auto& entry) {
                if (entry.second->left) leavers.push_back(entry.first);
                return entry.second->left;
            });
    }
    for (const int number : leavers) {
        engine_->cancel(number);
        engine_->forget(number);
    }
    for (const auto& place : arrivals) submit(place);
}

void BatchQueue::submit(const std::shared_ptr<Place>& place) {
    std::optional<Refused> refused;
    try {
        if (!engine_) engine_ = std::make_unique<BatchEngine>(models_, settings_);
        place->number = place->scoring ? engine_->submit(std::move(*place->scoring), place->owner)
                                       : engine_->submit(std::move(place->prepared), place->owner);
    } catch (const Error& error) {
        refused = refused_by(error);
    } catch (const std::exception& error) {
        refused = {500, error.what()};
    }
    const std::lock_guard lock(mutex_);
    if (!refused) {
        places_[place->number] = place;
        return;
    }
    place->refused = refused;
    place->ended = true;
    place->moved.notify_one();
}

void BatchQueue::publish() {
    const std::lock_guard lock(mutex_);
    tell_counts();
    std::vector<int> ended;
    for (const auto& [number, place] : places_) {
        publish(*place);
        if (place->ended) ended.push_back(number);
    }
    for (const int number : ended) {
        places_.erase(number);
        engine_->forget(number);
    }
}

void BatchQueue::publish(Place& place) {
    const BatchText& text = engine_->text(place.number);
    const std::size_t events = text.trace ? text.trace->size() : 0;
    if (text.trace && place.first_ms == 0) place.first_ms = engine_->now_ms();
    if (events == place.news.events && !text.ended()) return;
    place.news = {text.trace, events};
    place.ended = text.ended();
    if (text.state == BatchText::State::failed) place.refused = {500, text.error + (text.remedy.empty() ? "" : ". " + text.remedy)};
    if (text.state == BatchText::State::cancelled && !text.trace) place.refused = stops();
    if (text.state == BatchText::State::done && place.scoring)
        place.scores = engine_->take_scores(place.number);
    else if (text.state == BatchText::State::done) {
        retry_.took((engine_->now_ms() - place.first_ms) / 1000);
        remember(place, text);
    }
    place.moved.notify_one();
}

void BatchQueue::remember(const Place& place, const BatchText& text) {
    if (memory_) memory_->remember(place.owner.key, std::span(text.sequence).subspan(static_cast<std::size_t>(text.prompt_tokens)));
}

void BatchQueue::tell_counts() {
    if (!engine_) return counts_.queue(0, static_cast<int>(arrivals_.size()));
    const Scheduler& scheduler = engine_->scheduler();
    counts_.queue(static_cast<int>(scheduler.in_flight().size()), static_cast<int>(scheduler.waiting().size() + arrivals_.size()));
    counts_.blocks(engine_->pool().blocks(), engine_->free_blocks());
}

// With a reason: the engine is given up, and the next text begins with another one.
void BatchQueue::fail_all(const std::string& why) {
    std::vector<std::shared_ptr<Place>> all;
    {
        const std::lock_guard lock(mutex_);
        for (auto& [number, place] : std::exchange(places_, {})) all.push_back(place);
        for (auto& place : std::exchange(arrivals_, {})) all.push_back(place);
        for (const auto& place : all) {
            place->refused = why.empty() ? stops() : Refused{500, why};
            place->ended = true;
            place->moved.notify_one();
        }
    }
    busy_ = false;
    if (why.empty()) return;
    const std::lock_guard turn(*models_->turns);
    engine_.reset();
    const std::lock_guard lock(mutex_);
    tell_counts();
    counts_.blocks(settings_.blocks, settings_.blocks);
}

} // namespace speclens
