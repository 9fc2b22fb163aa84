#include "remote/serving/single_queue.h"

#include <chrono>
#include <optional>
#include <utility>

#include "engine/base/clock.h"
#include "engine/run/run.h"
#include "remote/serving/prompt_distributions.h"
#include "remote/serving/refusals.h"

namespace speclens {

// A run whose every use of the backend is a turn of its own.
class SingleQueue::TurnRun {
  public:
    TurnRun(const std::shared_ptr<const Models>& models, PreparedRun prepared) : turns_(*models->turns) {
        const std::lock_guard turn(turns_);
        run_.emplace(models, std::move(prepared));
    }
    ~TurnRun() {
        const std::lock_guard turn(turns_);
        run_.reset();
    }
    TurnRun(const TurnRun&) = delete;
    TurnRun& operator=(const TurnRun&) = delete;
    void step() {
        const std::lock_guard turn(turns_);
        (void)run_->step();
    }
    Run* operator->() { return &*run_; }
    const Run* operator->() const { return &*run_; }

  private:
    Turns& turns_; // the run keeps the models, and this object outlives neither
    std::optional<Run> run_;
};

class SingleQueue::Own final : public Ticket {
  public:
    Own(SingleQueue& queue, std::uint64_t number, PreparedRun prepared) : queue_(queue), number_(number), prepared_(std::move(prepared)) {}
    ~Own() override {
        const bool whole = run_ && (*run_)->stopped();
        run_.reset();
        {
            const std::lock_guard lock(queue_.mutex_);
            if (whole) queue_.retry_.took(watch_.ms() / 1000);
            (served_ ? running(-1) : waiting(-1)); // before the next one may count itself
            queue_.inside_.erase(number_);
        }
        queue_.turn_.notify_all();
    }
    bool wait() override {
        const bool stopping = comes_its_turn();
        if (!served_) return true;
        if (!run_) {
            watch_ = Stopwatch();
            run_.emplace(queue_.models_, std::move(prepared_));
        }
        if (stopping)
            (*run_)->stop(Stopped::kCancelled);
        else
            run_->step();
        return !(*run_)->stopped();
    }
    News news() const override {
        if (!run_) return {};
        return {(*run_)->shared_trace(), (*run_)->trace().size()};
    }

  private:
    void waiting(int change) { queue_.counts_.waiting(change); }
    void running(int change) { queue_.counts_.running(change); }
    bool comes_its_turn() { // whether the queue stops
        constexpr std::chrono::milliseconds kMoment{50};
        std::unique_lock lock(queue_.mutex_);
        const auto first = [&] { return queue_.stopping_ || *queue_.inside_.begin() == number_; };
        if (!served_) queue_.turn_.wait_for(lock, kMoment, first);
        if (!served_ && *queue_.inside_.begin() == number_) {
            served_ = true;
            waiting(-1);
            running(1);
        }
        if (!served_ && queue_.stopping_) throw stops();
        return queue_.stopping_;
    }

    SingleQueue& queue_;
    const std::uint64_t number_;
    PreparedRun prepared_; // until its turn
    bool served_ = false;
    Stopwatch watch_;
    std::optional<TurnRun> run_;
};

SingleQueue::SingleQueue(std::shared_ptr<const Models> models, int most, ServeCounts& counts)
    : models_(std::move(models)), most_(most), counts_(counts) {}

SingleQueue::~SingleQueue() {
    const std::shared_ptr<Turns> turns = models_->turns;
    const std::lock_guard held(*turns);
    models_.reset(); // heads that were replaced meanwhile may be its own by now
}

std::unique_ptr<TextQueue::Ticket> SingleQueue::enter(const RunSettings& settings, const std::string&) {
    PreparedRun prepared = prepared_run(*models_, settings);
    const std::lock_guard lock(mutex_);
    if (stopping_) throw stops();
    if (static_cast<int>(inside_.size()) >= most_) throw too_many(retry_.seconds(1));
    inside_.insert(next_);
    counts_.waiting(1);
    return std::make_unique<Own>(*this, next_++, std::move(prepared));
}

std::vector<ScoredToken> SingleQueue::score(Scoring scoring, const std::string&, const std::function<bool()>&) {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) throw stops();
    }
    const std::lock_guard turn(*models_->turns);
    return score_alone(*models_, scoring);
}

void SingleQueue::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    turn_.notify_all();
}

} // namespace speclens
