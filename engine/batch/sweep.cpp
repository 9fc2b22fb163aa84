#include "engine/batch/sweep.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "kernels/error.h"

namespace speclens {
namespace {

RunSettings text_with(const RunSettings& text, const SweepMethod& method) {
    RunSettings settings = text;
    settings.drafter = method.drafter;
    settings.rule = method.rule;
    settings.k = method.k;
    settings.trace_top = 0;
    settings.timing = false;
    return settings;
}

int largest_capacity(const Models& models, const SweepPlan& plan) {
    int most = 0;
    for (const RunSettings& text : plan.texts)
        for (const SweepMethod& method : plan.methods) most = std::max(most, Run::capacity_for(models, text_with(text, method)));
    return most;
}

// What came out of a text, under its number in the plan.
struct Ended {
    std::size_t text = 0;
    std::vector<int> sequence;
};

// One slice: the seats are full from the first round that counts to the last.
class Slice {
  public:
    Slice(const std::shared_ptr<const Models>& models, const SweepPlan& plan, const SweepMethod& method, const BatchSettings& settings,
          std::size_t first_text)
        : plan_(plan), method_(method), texts_(settings.texts), engine_(models, settings), next_(first_text) {
        for (int i = 0; i < texts_; ++i) submit();
    }

    // Until so long after the first round that counts, and then, where `until_one_ends`, until some text ended. False: the monitor
    // ended it.
    bool run(double ms, bool until_one_ends, const std::function<bool()>& go_on) {
        while (!full_) {
            if (!go_on()) return false;
            step();
            full_ = std::ranges::all_of(engine_.scheduler().in_flight(), [&](int text) { return !engine_.text(text).deliveries.empty(); });
        }
        begun_ms_ = engine_.now_ms();
        while (engine_.now_ms() - begun_ms_ < ms) {
            if (!go_on()) return false;
            step();
            count();
        }
        slice_.ms = engine_.now_ms() - begun_ms_;
        count_waits();
        while (until_one_ends && ended_.empty()) {
            if (!go_on()) return false;
            step();
        }
        return true;
    }

    [[nodiscard]] const SweepSlice& result() const { return slice_; }
    [[nodiscard]] const std::vector<Ended>& ended() const { return ended_; }

  private:
    void submit() {
        const std::size_t text = next_++ % plan_.texts.size();
        engine_.submit(text_with(plan_.texts[text], method_));
        numbers_.push_back(text);
    }

    void step() {
        (void)engine_.step();
        for (const BatchLane& lane : engine_.round().lanes) {
            if (!lane.left) continue;
            const BatchText& text = engine_.text(lane.text);
            if (text.state == BatchText::State::failed) throw Error(text.error, text.remedy);
            ended_.push_back({numbers_[static_cast<std::size_t>(lane.text)], text.sequence});
            submit();
        }
    }

    void count() {
        const BatchRound& round = engine_.round();
        slice_.draft_ms += round.draft_ms;
        slice_.pass_ms += round.pass_ms;
        slice_.tokens += round.tokens();
        slice_.rounds += round.passes;
        slice_.rows += round.rows;
        for (const BatchLane& lane : round.lanes) {
            slice_.preempted += lane.did == BatchLane::Did::preempted;
            slice_.ended += lane.left;
            if (lane.did != BatchLane::Did::decoded || lane.rows == 0) continue;
            ++slice_.text_rounds;
            slice_.drafted += lane.drafted();
            slice_.accepted += lane.accepted;
        }
    }

    // Of the first tokens those count whose texts found the others decoding; where none did, those that all began together.
    void count_waits() {
        for (const bool late : {true, false}) {
            if (!slice_.first_ms.empty()) break;
            for (int i = 0; i < engine_.texts(); ++i) {
                const BatchText& text = engine_.text(i);
                if (!text.deliveries.empty() && (text.arrived_ms >= begun_ms_) == late) slice_.first_ms.push_back(text.first_ms - text.arrived_ms);
            }
        }
        for (int i = 0; i < engine_.texts(); ++i) count_between(engine_.text(i));
    }

    void count_between(const BatchText& text) {
        for (std::size_t i = 1; i < text.deliveries.size(); ++i) {
            const auto& delivery = text.deliveries[i];
            if (delivery.ms < begun_ms_ || delivery.tokens == 0) continue;
            const double share = (delivery.ms - text.deliveries[i - 1].ms) / delivery.tokens;
            slice_.between_ms.insert(slice_.between_ms.end(), static_cast<std::size_t>(delivery.tokens), share);
        }
    }

    const SweepPlan& plan_;
    const SweepMethod& method_;
    int texts_;
    BatchEngine engine_;
    std::size_t next_;
    std::vector<std::size_t> numbers_; // in the plan, of the engine's texts
    bool full_ = false;
    double begun_ms_ = 0;
    SweepSlice slice_;
    std::vector<Ended> ended_;
};

// Texts of runs alone. At temperature 0 one text holds for all drafters: it is plain decoding's.
class RunsAlone {
  public:
    RunsAlone(std::shared_ptr<const Models> models, const SweepPlan& plan) : models_(std::move(models)), plan_(plan) {}

    // Null: not made, and no time is left to make it.
    const std::vector<int>* of(std::size_t text, std::size_t method) {
        const RunSettings& settings = plan_.texts[text];
        const std::pair key(text, settings.sampling.temperature == 0 ? 0 : method);
        if (const auto found = known_.find(key); found != known_.end()) return &found->second;
        if (clock_.ms() > 1000 * plan_.proof_seconds) return nullptr;
        Run run(models_, text_with(settings, plan_.methods[key.second]));
        run.finish();
        return &known_.emplace(key, run.sequence()).first->second;
    }

  private:
    std::shared_ptr<const Models> models_;
    const SweepPlan& plan_;
    std::map<std::pair<std::size_t, std::size_t>, std::vector<int>> known_;
    Stopwatch clock_;
};

void check_plan(const SweepPlan& plan) {
    CHECK(!plan.texts.empty() && !plan.methods.empty() && plan.methods.front().plain() && !plan.concurrency.empty() && plan.repeats > 0,
          "a sweep of nothing");
    CHECK(std::ranges::is_sorted(plan.concurrency), "numbers of texts ascend");
}

class SweepRun {
  public:
    SweepRun(std::shared_ptr<const Models> models, const SweepPlan& plan, const SweepMonitor& monitor)
        : models_(std::move(models)), plan_(plan), monitor_(monitor) {
        for (const int concurrency : plan.concurrency)
            for (const SweepMethod& method : plan.methods) {
                SweepCell& cell = sweep_.cells.emplace_back();
                cell.method = method;
                cell.concurrency = concurrency;
            }
        ended_.resize(sweep_.cells.size());
        filling_ms_.resize(sweep_.cells.size());
        capacity_ = largest_capacity(*models_, plan);
    }

    Sweep run() {
        sweep_.complete = measure() && prove();
        judge();
        return std::move(sweep_);
    }

  private:
    // Slices of all cells by turns. Those with one number of texts follow each other, first this method, then that.
    bool measure() {
        const std::size_t methods = plan_.methods.size();
        const double slices = static_cast<double>(sweep_.cells.size()) * plan_.repeats;
        int done = 0;
        for (int repeat = 0; repeat < plan_.repeats; ++repeat)
            for (std::size_t c = 0; c < plan_.concurrency.size(); ++c)
                for (std::size_t m = 0; m < methods; ++m, ++done) {
                    const std::size_t at = c * methods + (m + static_cast<std::size_t>(repeat)) % methods;
                    if (!slice(at, repeat, (1000 * plan_.seconds - clock_.ms()) / (slices - done), done / slices)) return false;
                }
        return true;
    }

    // `ms`: its share of the time that is left, filling the seats included.
    bool slice(std::size_t at, int repeat, double ms, double done) {
        constexpr double kLeast = 250; // ms
        SweepCell& cell = sweep_.cells[at];
        const Stopwatch watch;
        const std::string what = std::string(cell.method.drafter) + ", " + std::to_string(cell.concurrency) +
                                 (cell.concurrency == 1 ? " text" : " texts");
        BatchSettings settings{.texts = cell.concurrency,
                               .blocks = plan_.blocks > 0 ? plan_.blocks : blocks_for(cell.concurrency, capacity_),
                               .prompt_rows = plan_.prompt_rows,
                               .share = plan_.share};
        // Every repeat goes on in the list, alike for every method.
        Slice one(models_, plan_, cell.method, settings, static_cast<std::size_t>(repeat * cell.concurrency));
        const double counted = std::max(kLeast, ms - filling_ms_[at]);
        if (!one.run(counted, ended_[at].empty(), [&] { return monitor_(what, done); })) return false;
        filling_ms_[at] = watch.ms() - one.result().ms;
        cell.slices.push_back(one.result());
        cell.sum.add(one.result());
        ended_[at].insert(ended_[at].end(), one.ended().begin(), one.ended().end());
        return true;
    }

    // First one text of every cell, then the second …, so that no cell goes without where the time is over.
    bool prove() {
        RunsAlone alone(models_, plan_);
        std::size_t most = 0;
        for (const auto& ended : ended_) most = std::max(most, ended.size());
        for (std::size_t i = 0; i < most; ++i)
            for (std::size_t at = 0; at < ended_.size(); ++at) {
                if (i >= ended_[at].size()) continue;
                if (!monitor_("comparing with runs alone", static_cast<double>(i) / static_cast<double>(most))) return false;
                const Ended& ended = ended_[at][i];
                const std::vector<int>* want = alone.of(ended.text, at % plan_.methods.size());
                if (!want) continue;
                ++sweep_.cells[at].compared;
                sweep_.cells[at].equal += *want == ended.sequence;
            }
        return true;
    }

    void judge() {
        const std::size_t methods = plan_.methods.size();
        for (std::size_t at = 0; at < sweep_.cells.size(); ++at) {
            SweepCell& cell = sweep_.cells[at];
            const SweepCell& plain = sweep_.cells[at - at % methods];
            if (cell.measured() && plain.measured()) cell.speed_up = speed_up_of(cell, plain);
        }
        for (std::size_t m = 0; m < methods; ++m) {
            std::vector<const SweepCell*> cells, plain;
            for (std::size_t c = 0; c < plan_.concurrency.size(); ++c) {
                cells.push_back(&sweep_.cells[c * methods + m]);
                plain.push_back(&sweep_.cells[c * methods]);
            }
            sweep_.crossings.push_back(m == 0 ? std::nullopt : crossing_of(cells, plain));
        }
    }

    std::shared_ptr<const Models> models_;
    const SweepPlan& plan_;
    const SweepMonitor& monitor_;
    Sweep sweep_;
    std::vector<std::vector<Ended>> ended_; // of each cell
    std::vector<double> filling_ms_;        // what a slice took beside the time that counts, the last time
    int capacity_ = 0;                      // positions of the longest text
    Stopwatch clock_;
};

} // namespace

void SweepSlice::add(const SweepSlice& other) {
    ms += other.ms, draft_ms += other.draft_ms, pass_ms += other.pass_ms;
    tokens += other.tokens, rounds += other.rounds, rows += other.rows;
    text_rounds += other.text_rounds, drafted += other.drafted, accepted += other.accepted;
    ended += other.ended, preempted += other.preempted;
    first_ms.insert(first_ms.end(), other.first_ms.begin(), other.first_ms.end());
    between_ms.insert(between_ms.end(), other.between_ms.begin(), other.between_ms.end());
}

const SweepCell* Sweep::cell(std::size_t method, int concurrency) const {
    const std::size_t methods = crossings.size();
    for (std::size_t at = method; at < cells.size(); at += methods)
        if (cells[at].concurrency == concurrency) return &cells[at];
    return nullptr;
}

Sweep run_sweep(const std::shared_ptr<const Models>& models, const SweepPlan& plan, const SweepMonitor& monitor) {
    check_plan(plan);
    return SweepRun(models, plan, monitor).run();
}

} // namespace speclens
