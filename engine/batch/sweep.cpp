#include "engine/batch/sweep.h"

#include <algorithm>
#include <functional>
#include <ranges>

#include "engine/batch/batch_engine.h"
#include "engine/batch/block_film.h"
#include "engine/models/models.h"
#include "engine/run/speed_up.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr double kLeastSlice = 250;              // ms
constexpr std::size_t kKeptRounds = 12;          // of a cell
constexpr int kPhasesAStep = 16;                 // of a run alone
constexpr double kProofs = 0.2;                  // their share of done()
constexpr double kFilm = 0.2, kLeastFilm = 5000; // its share of the time at most, but so many ms are its own

RunSettings text_with(const RunSettings& text, const SweepMethod& method) {
    RunSettings settings = text.with_fixed_k();
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
        for (const SweepMethod& method : plan.methods) most = std::max(most, prepared_run(models, text_with(text, method)).capacity);
    return most;
}

void check_plan(const SweepPlan& plan) {
    CHECK(!plan.texts.empty() && !plan.methods.empty() && plan.methods.front().plain() && plan.repeats > 0 &&
              (!plan.concurrency.empty() || plan.film || plan.adaptive),
          "a sweep of nothing");
    CHECK(std::ranges::is_sorted(plan.concurrency), "numbers of texts ascend");
}

} // namespace

void SweepSlice::add(const SweepSlice& other) {
    ms += other.ms, draft_ms += other.draft_ms, pass_ms += other.pass_ms;
    tokens += other.tokens, rounds += other.rounds, rows += other.rows;
    text_rounds += other.text_rounds, drafted += other.drafted, accepted += other.accepted;
    by_text.resize(std::max(by_text.size(), other.by_text.size()));
    for (std::size_t i = 0; i < other.by_text.size(); ++i)
        by_text[i].rounds += other.by_text[i].rounds, by_text[i].tokens += other.by_text[i].tokens;
    ended += other.ended, preempted += other.preempted;
    first_ms.insert(first_ms.end(), other.first_ms.begin(), other.first_ms.end());
    between_ms.insert(between_ms.end(), other.between_ms.begin(), other.between_ms.end());
}

bool Sweep::busy() const { return busy_cores > kMostBusyCores; }

const SweepCell* Sweep::cell(std::size_t method, int concurrency) const {
    const std::size_t methods = crossings.size();
    for (std::size_t at = method; at < cells.size(); at += methods)
        if (cells[at].concurrency == concurrency) return &cells[at];
    return nullptr;
}

// The seats are full from the first round that counts to the last.
class SweepMeasurement::Slice {
  public:
    // `ms` count, or more, where `until_one_ends`, until some text ended. The list goes on with its text `first`.
    Slice(const std::shared_ptr<const Models>& models, const SweepPlan& plan, const SweepMethod& method, const BatchSettings& settings,
          std::size_t first, double ms, bool until_one_ends)
        : plan_(plan), method_(method), ms_(ms), until_one_ends_(until_one_ends), seats_(settings.texts), engine_(models, settings),
          next_(first) {
        for (int i = 0; i < settings.texts; ++i) submit();
    }

    // One round. False: it is over.
    bool step() {
        round();
        if (!full_) {
            // Not all that are in flight: where texts are short, somebody has always just joined.
            full_ = std::ranges::all_of(std::views::iota(0, seats_), [&](int text) { return !engine_.text(text).deliveries.empty(); });
            begun_ms_ = engine_.now_ms();
            return true;
        }
        count();
        if (engine_.now_ms() - begun_ms_ < ms_ || (until_one_ends_ && ended_.empty())) return true;
        slice_.ms = engine_.now_ms() - begun_ms_;
        count_waits();
        return false;
    }
    // How much of the longest text is there, 0 … 1.
    [[nodiscard]] double written() const {
        int most = 0;
        for (int i = 0; i < engine_.texts(); ++i) {
            int tokens = 0;
            for (const BatchText::Delivery& delivery : engine_.text(i).deliveries) tokens += delivery.tokens;
            most = std::max(most, tokens);
        }
        return std::min(1.0, most / static_cast<double>(plan_.texts.front().max_tokens));
    }

    [[nodiscard]] const SweepSlice& result() const { return slice_; }
    [[nodiscard]] const std::vector<Ended>& ended() const { return ended_; }
    [[nodiscard]] const std::vector<BatchRound>& rounds() const { return rounds_; }

  private:
    void submit() {
        const std::size_t text = next_++ % plan_.texts.size();
        engine_.submit(text_with(plan_.texts[text], method_));
        numbers_.push_back(text);
    }

    void round() {
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
        if (rounds_.size() < kKeptRounds) rounds_.push_back(round);
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
            slice_.by_text.resize(plan_.texts.size());
            SweepSlice::OfText& text = slice_.by_text[numbers_[static_cast<std::size_t>(lane.text)]];
            ++text.rounds, text.tokens += lane.tokens;
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
                if (!text.deliveries.empty() && (text.arrived_ms >= begun_ms_) == late)
                    slice_.first_ms.push_back(text.first_ms - text.arrived_ms);
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
    double ms_;
    bool until_one_ends_;
    int seats_;
    BatchEngine engine_;
    std::size_t next_;
    std::vector<std::size_t> numbers_; // in the plan, of the engine's texts
    bool full_ = false;
    double begun_ms_ = 0;
    SweepSlice slice_; // ms: 0 until it was counted
    std::vector<BatchRound> rounds_;
    std::vector<Ended> ended_;
};

SweepMeasurement::SweepMeasurement(std::shared_ptr<const Models> models, SweepPlan plan)
    : models_(std::move(models)), plan_(std::move(plan)) {
    check_plan(plan_);
    for (const int concurrency : plan_.concurrency)
        for (const SweepMethod& method : plan_.methods) {
            SweepCell& cell = sweep_.cells.emplace_back();
            cell.method = method;
            cell.concurrency = concurrency;
        }
    sweep_.crossings.resize(plan_.methods.size());
    ended_.resize(sweep_.cells.size());
    filling_ms_.resize(sweep_.cells.size());
    capacity_ = largest_capacity(*models_, plan_);
    if (plan_.film) begin_film();
}

SweepMeasurement::~SweepMeasurement() = default;

bool SweepMeasurement::step() {
    if (over_) return false;
    if (recorder_)
        record();
    else if (turn_ < slices())
        measure();
    else
        proven_ ? study() : prove();
    return true;
}

// The longest prompts of the plan, each third one asked twice in a row: those share blocks until one of them writes. The blocks are so few
// that somebody has to give up his, and the texts so many that they reach lengths of all kinds. With the longest drafts.
void SweepMeasurement::begin_film() {
    constexpr int kSeats = 4, kTexts = 20, kTokens = 48, kRounds = 40;
    std::vector<PreparedRun> asked;
    for (const RunSettings& text : plan_.texts) {
        RunSettings one = text_with(text, plan_.methods.back());
        one.max_tokens = std::min(one.max_tokens, kTokens);
        asked.push_back(prepared_run(*models_, std::move(one)));
    }
    std::ranges::stable_sort(asked, std::greater(), [](const PreparedRun& one) { return one.prompt.ids.size(); });
    std::vector<RunSettings> texts;
    int begun = 0, longest = 0; // blocks: of the first on the seats with one round each; of one text with all of its answer
    for (std::size_t i = 0; std::ssize(texts) < kTexts; ++i) {
        const PreparedRun& one = asked[i % asked.size()];
        longest = std::max(longest, blocks_for(1, one.capacity));
        if (std::ssize(texts) < kSeats) begun += blocks_for(1, static_cast<int>(one.prompt.ids.size()) + one.settings.k + 1);
        for (int again = 0; again < (i % 3 == 0 ? 2 : 1); ++again) {
            texts.push_back(one.settings);
            texts.back().seed += 1000 * texts.size();
        }
    }
    const BatchSettings settings{.texts = kSeats, .blocks = std::max(begun + 1, longest), .prompt_rows = plan_.prompt_rows};
    recorder_ = std::make_unique<BlockFilmRecorder>(models_, texts, settings, kRounds);
}

void SweepMeasurement::record() {
    const bool goes_on = recorder_->step();
    sweep_.film = std::make_shared<const BlockFilm>(recorder_->film());
    ++revision_;
    if (goes_on && !(plan_.in_time && clock_.ms() > std::max(kLeastFilm, kFilm * 1000 * plan_.seconds))) return;
    recorder_.reset();
    if (!plan_.in_time) clock_ = Stopwatch(); // the time of the slices begins
    busy_ = BusyMeter();
}

void SweepMeasurement::stop() {
    over_ = true;
    recorder_.reset();
    study_.reset();
    slice_.reset();
    proof_.reset();
}

double SweepMeasurement::done() const {
    if (over_) return 1;
    const double batches = plan_.concurrency.empty() ? 0 : measured_part(), chosen = study_ ? study_->done() : 0;
    if (!plan_.adaptive) return batches;
    return plan_.concurrency.empty() ? chosen : 0.7 * batches + 0.3 * chosen;
}

double SweepMeasurement::measured_part() const {
    if (proven_) return 1;
    if (turn_ < slices()) {
        const double by_time = plan_.in_time ? clock_.ms() / (1000 * plan_.seconds) : 0, turn = static_cast<double>(turn_);
        double done = std::max(by_time, turn / static_cast<double>(slices()));
        if (plan_.in_time && turn_ < sweep_.cells.size()) { // each is measured once, however long that takes
            const double film = plan_.film ? kFilm : 0, once = turn + (slice_ ? slice_->written() : 0);
            done = std::min(by_time, film + (1 - film) * once / static_cast<double>(sweep_.cells.size()));
        }
        return (1 - kProofs) * std::min(1.0, done);
    }
    std::size_t most = 1;
    for (const auto& ended : ended_) most = std::max(most, ended.size());
    const double by_texts = static_cast<double>(proved_) / static_cast<double>(most);
    const double by_time = proof_clock_ && plan_.proof_seconds > 0 ? proof_clock_->ms() / (1000 * plan_.proof_seconds) : 0;
    return 1 - kProofs + kProofs * std::min(1.0, std::max(by_texts, 0.9 * std::min(1.0, by_time))); // the last one goes on behind its time
}

std::string SweepMeasurement::doing() const {
    if (recorder_) return "a batch with few blocks";
    if (proven_ && plan_.adaptive) return "choosing K as it goes";
    if (turn_ >= slices()) return "comparing with runs alone";
    const SweepCell& cell = sweep_.cells[cell_of(turn_)];
    return (cell.method.plain() ? "plain" : cell.method.drafter) + ", " + std::to_string(cell.concurrency) +
           (cell.concurrency == 1 ? " text" : " texts");
}

Sweep SweepMeasurement::sweep() const {
    Sweep sweep = sweep_;
    judge_cells(sweep);
    return sweep;
}

// Slices of all cells by turns. Those with one number of texts follow each other, first this method, then that.
std::size_t SweepMeasurement::cell_of(std::size_t turn) const {
    const std::size_t methods = plan_.methods.size(), cells = sweep_.cells.size();
    const std::size_t repeat = turn / cells, within = turn % cells;
    return within / methods * methods + (within % methods + repeat) % methods;
}

void SweepMeasurement::measure() {
    if (!slice_ && plan_.in_time && turn_ >= sweep_.cells.size() && clock_.ms() > 1000 * plan_.seconds) {
        sweep_.left_out = slices() - turn_;
        turn_ = slices();
        return;
    }
    if (!slice_) begin_slice();
    if (!slice_->step()) take_slice();
}

void SweepMeasurement::begin_slice() {
    const std::size_t at = cell_of(turn_), repeat = turn_ / sweep_.cells.size();
    const SweepCell& cell = sweep_.cells[at];
    // Its share of the time that is left, filling the seats included.
    const double share = (1000 * plan_.seconds - clock_.ms()) / static_cast<double>(slices() - turn_);
    const BatchSettings settings{.texts = cell.concurrency,
                                 .blocks = plan_.blocks > 0 ? plan_.blocks : blocks_for(cell.concurrency, capacity_),
                                 .prompt_rows = plan_.prompt_rows,
                                 .share = plan_.share};
    slice_clock_ = Stopwatch();
    // Every repeat goes on in the list, alike for every method.
    slice_ = std::make_unique<Slice>(models_, plan_, cell.method, settings, repeat * static_cast<std::size_t>(cell.concurrency),
                                     std::max(kLeastSlice, share - filling_ms_[at]), ended_[at].empty());
}

void SweepMeasurement::take_slice() {
    const std::size_t at = cell_of(turn_);
    SweepCell& cell = sweep_.cells[at];
    cell.slices.push_back(slice_->result());
    cell.sum.add(slice_->result());
    cell.rounds = slice_->rounds();
    ended_[at].insert(ended_[at].end(), slice_->ended().begin(), slice_->ended().end());
    filling_ms_[at] = slice_clock_.ms() - slice_->result().ms;
    slice_.reset();
    sweep_.busy_cores = busy_.cores();
    ++turn_;
    ++revision_;
}

void SweepMeasurement::prove() {
    if (!proof_clock_) proof_clock_ = Stopwatch();
    if (proof_) {
        const auto late = [&] { return plan_.in_time && proof_clock_->ms() > 1000 * plan_.proof_seconds; };
        for (int i = 0; i < kPhasesAStep && !late(); ++i)
            if (!proof_->step()) break;
        if (!proof_->stopped()) {
            if (!late()) return;
            proof_.reset(); // its text is compared with nothing
            ++proof_cell_;
        }
    }
    const std::size_t methods = plan_.methods.size();
    while (next_proof()) {
        const Ended& ended = ended_[proof_cell_][proved_];
        const std::size_t method = plan_.texts[ended.text].sampling.temperature == 0 ? 0 : proof_cell_ % methods;
        const std::pair key(ended.text, method);
        if (proof_) {
            alone_[key] = proof_->sequence();
            proof_.reset();
        }
        if (const auto known = alone_.find(key); known != alone_.end()) {
            ++sweep_.cells[proof_cell_].compared;
            sweep_.cells[proof_cell_].equal += known->second == ended.sequence;
            ++revision_;
        } else if (proof_clock_->ms() < 1000 * plan_.proof_seconds) {
            proof_ = std::make_unique<Run>(models_, text_with(plan_.texts[ended.text], plan_.methods[method]));
            return;
        }
        ++proof_cell_;
    }
    proven_ = true;
    sweep_.complete = over_ = !plan_.adaptive;
    ++revision_;
}

void SweepMeasurement::study() {
    if (!study_) study_ = std::make_unique<AdaptiveStudy>(models_, *plan_.adaptive);
    const double before = study_->done();
    const bool goes_on = study_->step();
    if (!goes_on || study_->done() > before) {
        sweep_.adaptive = std::make_shared<const AdaptiveResult>(study_->result());
        ++revision_;
    }
    if (goes_on) return;
    study_.reset();
    sweep_.complete = over_ = true;
}

// First one text of every cell, then the second …, so that no cell goes without where the time is over.
bool SweepMeasurement::next_proof() {
    for (;; ++proof_cell_) {
        if (proof_cell_ == ended_.size()) {
            proof_cell_ = 0;
            ++proved_;
        }
        if (std::ranges::all_of(ended_, [&](const auto& ended) { return ended.size() <= proved_; })) return false;
        if (ended_[proof_cell_].size() > proved_) return true;
    }
}

void judge_cells(Sweep& sweep) {
    const std::size_t methods = sweep.crossings.size();
    for (std::size_t at = 0; at < sweep.cells.size(); ++at) {
        SweepCell& cell = sweep.cells[at];
        const SweepCell& plain = sweep.cells[at - at % methods];
        if (!cell.measured() || !plain.measured()) continue;
        cell.speed_up = speed_up_of(cell, plain);
        cell.in_doubt = !cell.method.plain() && (sweep.busy() || cell.speed_up->spread() > kMostSpread);
    }
    for (std::size_t m = 1; m < methods; ++m) {
        std::vector<const SweepCell*> cells, plain;
        for (std::size_t at = m; at < sweep.cells.size(); at += methods) {
            cells.push_back(&sweep.cells[at]);
            plain.push_back(&sweep.cells[at - m]);
        }
        sweep.crossings[m] = crossing_of(cells, plain);
    }
}

} // namespace speclens
