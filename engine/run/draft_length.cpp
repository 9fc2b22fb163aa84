#include "engine/run/draft_length.h"

#include <algorithm>
#include <cmath>
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

DraftSize smaller(DraftSize a, DraftSize b) { return {std::min(a.k, b.k), std::min(a.nodes, b.nodes)}; }

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
    if (size.nodes <= size.k) return 0;
    return 2 * size.nodes > limits_.most.nodes + 1 ? 2 : 1;
}

// The chance at a place begins with that of the place before it, a shape's with that of all shapes.
double DraftLength::kept(int place, DraftSize size) const {
    const bool tree = limits_.way == Way::tree;
    const std::size_t shape = tree ? shape_of(size) : 0;
    double chance = first_.share(kPrior, kPriorWeight);
    for (std::size_t i = 0; i <= static_cast<std::size_t>(place); ++i) {
        Count all, own;
        for (std::size_t s = 0; s < kShapes; ++s) {
            if (i >= places_[s].size()) continue;
            all.kept += places_[s][i].kept, all.tried += places_[s][i].tried;
            if (s == shape) own = places_[s][i];
        }
        chance = all.share(chance, kPriorWeight);
        if (tree) chance = own.share(chance, kPriorWeight);
    }
    return chance;
}

double DraftLength::kept_by_margin(double margin) const {
    const auto bin = static_cast<std::size_t>(std::ranges::upper_bound(kBins, margin) - kBins.begin());
    const double low = bin == 0 ? 0 : kBins[bin - 1], high = bin < kBins.size() ? kBins[bin] : low + 6;
    return bins_[bin].share(1 / (1 + std::exp(-kSlope * (low + high) / 2)), kPriorWeight);
}

double DraftLength::speed(DraftSize size) const {
    double tokens = 1, reached = 1;
    for (int i = 0; i < size.k; ++i) tokens += reached *= kept(i, size);
    return tokens / ms(size);
}

DraftSize DraftLength::best(DraftSize room) const {
    if (limits_.way == Way::all_or_none) return room;
    DraftSize best;
    double most = 0;
    const auto look_at = [&](DraftSize size) {
        if (const double here = speed(size); best.k == 0 || here > most) best = size, most = here;
    };
    for (int k = 1; k <= room.k; ++k) {
        if (limits_.way != Way::tree) {
            look_at({k, 0});
            continue;
        }
        for (std::size_t shape = 0; shape < kShapes; ++shape)
            if (const DraftSize tree = smaller(tree_of(k, shape), {k, room.nodes}); tree.nodes >= k || k == 1) look_at(tree);
    }
    return best;
}

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
    if (!asked_) return size_;
    if (round < written_.size()) {
        size_ = smaller(written_[round], room);
        if (size_.k == 0 && !waits_) waits_ = true, wait_ = kFirstWait, waited_ = 0;
        probe_ = size_.k > 0 && waits_;
        return size_;
    }
    if (!limits_.chooses) return size_ = room;
    if (waits_ && waited_ < wait_) return size_;
    if (waits_) forget_most();
    const DraftSize size = best(room);
    if ((drafting_speed(size) > plain_speed() && (!waits_ || proofs_ > 0)) ||
        (!waits_ && drafts_ < limits_.first)) { // what is forgotten proves nothing
        waits_ = false;
        proofs_ = 0;
    } else if (waits_) {
        probe_ = true;
    } else {
        waits_ = true, wait_ = kFirstWait, waited_ = 0;
        return size_;
    }
    size_ = size;
    if (limits_.way == Way::rows) {
        by_rows_ = true;
        full_ = probe_ ? 1 : drafts_ < kFirst || drafts_ % kInFull == 0 ? size.k : 0;
        aim_ = std::max(plain_speed(), drafting_speed(size));
        size_ = room;
    }
    return size_;
}

bool DraftLength::goes_further(int place) {
    if (place < full_) return true;
    double reached = reached_, gain = 0;
    const double before = draft_ms(place) + pass_ms(1 + place);
    for (int k = place + 1; k <= size_.k; ++k) { // one more, or several that pay together
        gain += reached *= kept(k - 1, size_);
        if (gain >= aim_ * (draft_ms(k) + pass_ms(1 + k) - before)) return true;
    }
    return false;
}

bool DraftLength::goes_on(int place, double margin) {
    passes_ = place + 1;
    const double keeps = kept_by_margin(margin);
    if (place >= full_ && reached_ * keeps < aim_ * (pass_ms(place + 2) - pass_ms(place + 1))) return false;
    reached_ *= keeps;
    margins_.push_back(margin);
    return true;
}

void DraftLength::saw(int drafted, int accepted) {
    if (!asked_) return;
    if (size_.k == 0) {
        ++waited_;
        return;
    }
    ++drafts_;
    if (drafted == 0 && limits_.way == Way::all_or_none) return; // there was nothing to copy, which says nothing
    learn(drafted, accepted);
    if (!probe_) return;
    if (accepted > 0 && ++proofs_ < kMostProofs) { // more would not make a dear draft pay
        waited_ = wait_;                           // the next round looks again
    } else {
        proofs_ = 0;
        wait_ = std::min(2 * wait_, kLongestWait);
        waited_ = 0;
    }
}

void DraftLength::learn(int drafted, int accepted) {
    for (Places& places : places_)
        for (Count& count : places) count.fade(kFade);
    for (Count& count : bins_) count.fade(kFade);
    first_.fade(kSlowFade);
    if (drafted > 0) first_.add(accepted > 0);
    Places& places = places_[limits_.way == Way::tree ? shape_of(size_) : 0];
    const auto judged = static_cast<std::size_t>(std::min(accepted + 1, drafted));
    places.resize(std::max(places.size(), judged));
    for (std::size_t i = 0; i < judged; ++i) {
        const bool stayed = static_cast<int>(i) < accepted;
        places[i].add(stayed);
        if (i < margins_.size()) bins_[static_cast<std::size_t>(std::ranges::upper_bound(kBins, margins_[i]) - kBins.begin())].add(stayed);
    }
    if (!ends_by_itself()) return;
    seen_tokens_ = seen_tokens_ * kSeenFade + 1 + accepted;
    seen_ms_ = seen_ms_ * kSeenFade + draft_ms(std::max(passes_, drafted)) + pass_ms(1 + drafted);
}

} // namespace speclens
