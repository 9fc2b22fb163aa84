#include "engine/length/draft_length.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace speclens {
namespace {

constexpr double kPrior = 0.7;          // of the first place, before anything is known
constexpr double kPriorWeight = 3;      // in answers
constexpr double kFade = 0.98;          // a round: half of it is gone after 34
constexpr double kSlowFade = 0.995;     // of what first places begin with anew
constexpr double kSeenFade = 0.92;      // of the speed that was made
constexpr int kUsualCopy = 4;           // tokens
constexpr double kProbeKnows = 4;       // answers that are left of all that was known before a wait
constexpr int kInFull = 32, kFirst = 8; // rounds: every so manieth, and the first ones, are drafted in full
constexpr int kMostProofs = 8;          // drafts in a row that look whether one pays
constexpr double kSlope = 0.55;         // of the chance that a margin promises before anything is known, as log-odds
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

DraftSize smaller(DraftSize a, DraftSize b) { return {std::min(a.k, b.k), std::min(a.nodes, b.nodes), a.by}; }

std::size_t bin_of(std::span<const double> ends, double value) {
    return static_cast<std::size_t>(std::ranges::upper_bound(ends, value) - ends.begin());
}

} // namespace

void DraftLength::Count::at_most(double tries) {
    if (tried > tries) fade(tries / tried);
}

DraftLength::DraftLength(DraftCosts costs, Limits limits, std::vector<DraftSize> written)
    : costs_(std::move(costs)), limits_(limits), written_(std::move(written)) {}

DraftSize DraftLength::tree_of(int depth, std::size_t shape) const {
    const int all = limits_.most.nodes, nodes = shape == 0 ? depth : shape == 1 ? (all + 1) / 2 : all;
    return {depth, std::clamp(nodes, std::min(depth, all), all)};
}

std::size_t DraftLength::shape_of(DraftSize size) const {
    if (limits_.way != Way::tree || size.nodes <= size.k) return 0;
    return 2 * size.nodes > limits_.most.nodes + 1 ? 2 : 1;
}

// The chance at a place begins with that of the place before it, a shape's with that of all shapes.
std::vector<double> DraftLength::chances(std::size_t shape, int places) const {
    std::vector<double> chances;
    double chance = first_.share(kPrior, kPriorWeight);
    for (std::size_t i = 0; i < static_cast<std::size_t>(places); ++i) {
        Count all, own;
        for (std::size_t s = 0; s < kShapes; ++s) {
            if (i >= places_[s].size()) continue;
            all.kept += places_[s][i].kept, all.tried += places_[s][i].tried;
            if (s == shape) own = places_[s][i];
        }
        chance = all.share(chance, kPriorWeight);
        if (limits_.way == Way::tree) chance = own.share(chance, kPriorWeight);
        chances.push_back(chance);
    }
    return chances;
}

double DraftLength::kept(int place, DraftSize size) const { return chances(shape_of(size), place + 1).back(); }

double DraftLength::kept_by_margin(double margin) const {
    const std::size_t bin = bin_of(kBins, margin);
    const double low = bin == 0 ? 0 : kBins[bin - 1], high = bin < kBins.size() ? kBins[bin] : low + 6;
    return bins_[bin].share(1 / (1 + std::exp(-kSlope * (low + high) / 2)), kPriorWeight);
}

// A certain token says nothing that its row did not. Of others nothing is known at first but what their rows promise.
double DraftLength::kept_by_draw(double margin, double drawn) const {
    const double row = std::isnan(margin) ? first_.share(kPrior, kPriorWeight) : kept_by_margin(margin);
    return drawn >= 1 ? row : draws_[bin_of(kDraws, drawn)].share(row, kPriorWeight);
}

double DraftLength::tokens(DraftSize size) const {
    double tokens = 1, reached = 1;
    for (const double chance : chances(shape_of(size), size.k)) tokens += reached *= chance;
    return tokens;
}

std::vector<DraftLength::Choice> DraftLength::choices(DraftSize room) const {
    if (limits_.way == Way::all_or_none) return {{room, tokens(room), ms(room)}};
    const bool tree = limits_.way == Way::tree;
    std::array<std::vector<double>, kShapes> tokens; // that are expected, by K
    for (std::size_t shape = 0; shape < (tree ? kShapes : 1); ++shape) {
        double reached = 1;
        tokens[shape].push_back(1);
        for (const double chance : chances(shape, room.k)) tokens[shape].push_back(tokens[shape].back() + (reached *= chance));
    }
    std::vector<Choice> choices;
    for (int k = 1; k <= room.k; ++k) {
        Choice best;
        const auto look_at = [&](DraftSize size) {
            const Choice here{size, tokens[shape_of(size)][static_cast<std::size_t>(k)], ms(size)};
            if (best.size.k == 0 || here.speed() > best.speed()) best = here;
        };
        for (std::size_t shape = 0; tree && shape < kShapes; ++shape)
            if (const DraftSize size = smaller(tree_of(k, shape), {k, room.nodes}); size.nodes >= k || k == 1) look_at(size);
        if (!tree) look_at({k, 0});
        if (best.size.k > 0) choices.push_back(best);
    }
    return choices;
}

DraftSize DraftLength::best(DraftSize room) const { return std::ranges::max(choices(room), {}, &Choice::speed).size; }

// Where rows, or what there is to copy, end a draft, what came of such drafts says more than the counts of places.
double DraftLength::drafting_speed(DraftSize size) const {
    if (!ends_by_itself()) return speed(size);
    size.k = std::min(size.k, limits_.way == Way::rows ? size.k : kUsualCopy);
    const double weight = kPriorWeight * ms(size);
    return (seen_tokens_ + weight * speed(size)) / (seen_ms_ + weight);
}

void DraftLength::forget_most() {
    for (Places& places : places_)
        for (Count& count : places) count.at_most(kProbeKnows);
    if (const double all = kProbeKnows * (draft_ms(1) + pass_ms(2)); seen_ms_ > all) {
        seen_tokens_ *= all / seen_ms_;
        seen_ms_ = all;
    }
}

void DraftLength::begin_wait() { waits_ = true, wait_ = kFirstWait, waited_ = 0, proofs_ = 0; }

DraftSize DraftLength::next(DraftSize room, int texts) {
    texts_ = std::max(1, texts);
    by_rows_ = probe_ = false;
    full_ = passes_ = 0;
    reached_ = 1;
    margins_.clear();
    size_ = {};
    room = smaller(room, limits_.most);
    const bool tree = limits_.way == Way::tree;
    if (!tree) room.nodes = 0;
    asked_ = room.k > 0 && (!tree || room.nodes > 0);
    const std::size_t round = round_++;
    why_ = Why::no_room;
    if (!asked_) return size_;
    const bool written = round < written_.size();
    if (limits_.chooses)
        decide(room);
    else if (!written)
        why_ = Why::most, size_ = room;
    if (written) {
        DraftSize said = written_[round];
        if (said.by != limits_.part) { // the other's round: what is known goes on as if it had been chosen
            why_ = Why::written;
            return {};
        }
        said.by = 0;
        if (tree && said.k > 0 && said.nodes == 0) said.nodes = room.nodes; // "3" of a tree: with all nodes
        return take_written(smaller(said, room));
    }
    if (limits_.chooses && limits_.way == Way::rows && size_.k > 0) {
        by_rows_ = true;
        full_ = probe_ ? 1 : drafts_ < kFirst || drafts_ % kInFull == 0 ? size_.k : 0;
        aim_ = std::max(plain_speed(), drafting_speed(size_));
        size_ = room;
        chances_ = chances(0, size_.k);
    }
    return size_;
}

void DraftLength::decide(DraftSize room) {
    why_ = Why::waits;
    if (waits_ && waited_ < wait_) return;
    if (waits_) forget_most();
    const DraftSize size = best(room);
    // What is forgotten proves nothing.
    if (const bool pays = drafting_speed(size) > plain_speed() && (!waits_ || proofs_ > 0); pays || (!waits_ && drafts_ < limits_.first)) {
        waits_ = false;
        proofs_ = 0;
        why_ = pays && drafts_ >= limits_.first ? Why::pays : Why::first;
    } else if (waits_) {
        probe_ = true;
        why_ = Why::looks;
    } else {
        begin_wait();
        why_ = Why::plain;
        return;
    }
    size_ = size;
}

// What is known goes on as if it had been chosen here.
DraftSize DraftLength::take_written(DraftSize said) {
    why_ = Why::written;
    probe_ = said.k > 0 && waits_;
    if (said.k == 0 && size_.k > 0 && limits_.way == Way::rows && !waits_)
        passes_ = 1; // its first row ended that draft: no wait began
    else if (said.k == 0 && !waits_)
        begin_wait(), size_ = said;
    else
        size_ = said;
    return said;
}

bool DraftLength::goes_further(int place, double drawn) {
    const auto before = static_cast<std::size_t>(place - 1);
    reached_ *= kept_by_draw(before < margins_.size() ? margins_[before] : kUnknown, drawn);
    if (place < full_) return true;
    double reached = reached_, gain = 0;
    const double spent = draft_ms(place) + pass_ms(1 + place);
    for (int k = place + 1; k <= size_.k; ++k) { // one more, or several that pay together
        gain += reached *= chances_[static_cast<std::size_t>(k - 1)];
        if (gain >= aim_ * (draft_ms(k) + pass_ms(1 + k) - spent)) return true;
    }
    return false;
}

bool DraftLength::goes_on(int place, double margin) {
    passes_ = place + 1;
    if (place >= full_ && reached_ * kept_by_margin(margin) < aim_ * (pass_ms(place + 2) - pass_ms(place + 1))) return false;
    told(place, margin);
    return true;
}

void DraftLength::told(int place, double margin) {
    margins_.resize(static_cast<std::size_t>(place), kUnknown);
    margins_.push_back(margin);
}

void DraftLength::passed() {
    if (asked_ && size_.k == 0) ++waited_;
}

void DraftLength::saw(int drafted, int accepted, std::span<const double> drawn) {
    if (!asked_) return;
    if (size_.k == 0) {
        ++waited_;
        return;
    }
    ++drafts_;
    if (drafted == 0 && limits_.way == Way::all_or_none) return; // there was nothing to copy, which says nothing
    learn(drafted, accepted, drawn);
    if (!probe_) return;
    if (accepted > 0 && ++proofs_ < kMostProofs) { // more would not make a dear draft pay
        waited_ = wait_;                           // the next round looks again
    } else {
        proofs_ = 0;
        wait_ = std::min(2 * wait_, kLongestWait);
        waited_ = 0;
    }
}

void DraftLength::learn(int drafted, int accepted, std::span<const double> drawn) {
    for (Places& places : places_)
        for (Count& count : places) count.fade(kFade);
    for (Count& count : bins_) count.fade(kFade);
    for (Count& count : draws_) count.fade(kFade);
    first_.fade(kSlowFade);
    if (drafted > 0) first_.add(accepted > 0);
    Places& places = places_[shape_of(size_)];
    const auto judged = static_cast<std::size_t>(std::min(accepted + 1, drafted));
    places.resize(std::max(places.size(), judged));
    for (std::size_t i = 0; i < judged; ++i) {
        const bool stayed = static_cast<int>(i) < accepted;
        places[i].add(stayed);
        if (i < margins_.size() && !std::isnan(margins_[i])) bins_[bin_of(kBins, margins_[i])].add(stayed);
        if (i < drawn.size() && drawn[i] < 1) draws_[bin_of(kDraws, drawn[i])].add(stayed);
    }
    if (!ends_by_itself()) return;
    seen_tokens_ = seen_tokens_ * kSeenFade + 1 + accepted;
    seen_ms_ = seen_ms_ * kSeenFade + draft_ms(std::max(passes_, drafted)) + pass_ms(1 + drafted);
}

} // namespace speclens
