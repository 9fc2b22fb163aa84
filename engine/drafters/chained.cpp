#include "engine/drafters/chained.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <utility>

#include "engine/base/clock.h"
#include "engine/drafters/chain.h"
#include "engine/drafters/draft_network.h"
#include "kernels/backend.h"
#include "kernels/error.h"

namespace speclens {
namespace {

struct Halves {
    std::string first, second;
    bool goes_on = false;
};

Halves halves_of(const std::string& name) {
    const std::size_t plus = name.find('+');
    const bool goes_on = name.compare(plus, 2, "++") == 0;
    return {name.substr(0, plus), name.substr(plus + (goes_on ? 2 : 1)), goes_on};
}

struct Refusal {
    std::string why, remedy;
};

// Empty: they can be chained.
Refusal refusal_of(const std::string& name) {
    const std::string quoted = "'" + name + "'", example = "Write two names: lookup+eagle3, or lookup++eagle3 where the second goes on "
                                                           "behind the first.";
    const Halves halves = halves_of(name);
    if (halves.second.find('+') != std::string::npos) return {quoted + " names more than two drafters", example};
    for (const std::string& one : {halves.first, halves.second}) {
        if (one.empty()) return {quoted + " names one drafter, and two are chained", example};
        const DrafterInfo* info = find_drafter(one);
        if (!info) return {"unknown drafter '" + one + "' in " + quoted, "See: speclens list drafters."};
        if (!info->drafts()) return {quoted + ": " + one + " drafts nothing, so there is nothing to chain", example};
        if (halves.goes_on && info->tree)
            return {quoted + ": " + one + " drafts trees, and only chains go on behind one another",
                    "Write " + halves.first + "+" + halves.second + ": one of the two in a round."};
    }
    if (halves.first == halves.second) return {quoted + " chains a drafter to itself", "Write " + halves.first + " alone."};
    return {};
}

// A descriptor and the name that it points at.
struct Chain {
    std::string name;
    DrafterInfo info;
};

std::unique_ptr<Chain> chain_of(const std::string& name) {
    const Halves halves = halves_of(name);
    const DrafterInfo &first = *find_drafter(halves.first), &second = *find_drafter(halves.second);
    auto chain = std::make_unique<Chain>();
    chain->name = name;
    const auto goes_on = "goes_on"_v = halves.goes_on;
    const auto called = [&](const Said& a, const Said& b) {
        return drafter_said("chained.title"_t, "first"_v = a, "second"_v = b, goes_on);
    };
    const Said about = drafter_said("chained.about"_t, "first"_v = first.title, "second"_v = second.title, goes_on);
    std::vector<Setting> reads = first.reads;
    for (const Setting setting : second.reads)
        if (!first.reads_setting(setting)) reads.push_back(setting);
    chain->info = {.name = chain->name.c_str(),
                   .title = called(first.title, second.title),
                   .short_title = called(first.short_title, second.short_title),
                   .icon = "diamond",
                   .about = about,
                   .how = drafter_said("chained.how"_t, "about"_v = about),
                   .cost = nullptr,
                   .needs_layers = first.needs_layers || second.needs_layers,
                   .drafting = first.at_once() && second.at_once() ? Drafting::at_once : Drafting::one_by_one,
                   .tree = first.tree || second.tree,
                   .draws = first.draws || second.draws,
                   .ahead = first.ahead && second.ahead,
                   .translates = first.translates || second.translates,
                   .default_k = std::max(first.default_k, second.default_k),
                   .reads = std::move(reads),
                   .make = nullptr,
                   .first = &first,
                   .second = &second,
                   .goes_on = halves.goes_on};
    return chain;
}

class Chained final : public Drafter {
  public:
    explicit Chained(ChainedParts parts) : parts_(std::move(parts)) {
        for (const std::size_t part : {0, 1}) taps_[part] = of(part).taps();
    }

    [[nodiscard]] std::vector<int> taps() const override {
        std::vector<int> both = taps_[0];
        both.insert(both.end(), taps_[1].begin(), taps_[1].end());
        return both;
    }

    void begin(std::span<const int> sequence) override {
        for (const std::size_t part : {0, 1}) {
            of(part).on_reading(reading_);
            of(part).begin(sequence);
        }
        spoke_ = kNobody;
    }

    void observe(const Observation& observation) override {
        for (const std::size_t part : {0, 1}) {
            Observation own = observation;
            own.features = features_of(part, observation.features);
            of(part).observe(own);
        }
    }

    void put_off() override {
        spoke_ = kNobody;
        for (const std::size_t part : {0, 1}) of(part).put_off();
    }

    [[nodiscard]] Internals look_back() override {
        return spoke_ == kNobody ? Internals() : of(static_cast<std::size_t>(spoke_)).look_back();
    }

    [[nodiscard]] Draft draft(const DraftRequest& request) override {
        spoke_ = kNobody;
        Draft draft;
        const Stopwatch watch;
        if (!parts_.draws) draft = parts_.first->draft(request); // a copy: nothing is drawn
        const double looking = watch.ms();
        DraftRequest own = request;
        const bool proposes = parts_.draws || !draft.nodes.empty();
        if (proposes && (!request.turn || request.turn(0, own)) && own.k > 0) {
            if (parts_.draws || static_cast<int>(draft.nodes.size()) > own.k) draft = parts_.first->draft(own);
            spoke_ = draft.by = 0;
            if (!parts_.goes_on || !go_on_behind(draft, own)) parts_.second->put_off();
            return draft;
        }
        parts_.first->put_off();
        own = request;
        draft = {};
        draft.by = kNobody;
        if ((request.turn && !request.turn(1, own)) || own.k <= 0) {
            parts_.second->put_off();
            return draft;
        }
        draft = parts_.second->draft(own);
        spoke_ = draft.by = 1;
        for (DraftNode& node : draft.nodes) node.by = 1;
        if (!draft.nodes.empty() && !parts_.draws) draft.nodes.front().ms += looking;
        return draft;
    }

  private:
    [[nodiscard]] Drafter& of(std::size_t part) const { return part == 0 ? *parts_.first : *parts_.second; }

    // The tokens of the first are the second's own, given by force, so that it draws none of them. False: it is not asked.
    bool go_on_behind(Draft& draft, const DraftRequest& request) {
        const std::size_t count = draft.nodes.size();
        if (count == 0 || draft.own_draws || static_cast<int>(count) >= request.k || is_stop(request.stops, draft.nodes.back().token))
            return false;
        DraftRequest behind = request;
        std::vector<std::pair<int, int>> force;
        for (std::size_t i = 0; i < count; ++i) force.emplace_back(static_cast<int>(i), draft.nodes[i].token);
        for (const auto& [index, token] : request.force)
            if (index >= static_cast<int>(count)) force.emplace_back(index, token);
        behind.force = force;
        Draft further = parts_.second->draft(behind);
        for (std::size_t i = 0; i < further.nodes.size(); ++i) {
            DraftNode& node = further.nodes[i];
            if (i < count) { // its passes over what it was given
                draft.nodes[i].ms += node.ms;
                draft.nodes[i].head_ms += node.head_ms;
                continue;
            }
            node.by = 1;
            draft.nodes.push_back(std::move(node));
        }
        return true;
    }

    // Of what both tap, side by side in each row, the part's own.
    Tensor features_of(std::size_t part, const Tensor& features) {
        if (taps_[part].empty() || features.empty()) return {};
        if (taps_[1 - part].empty()) return features;
        const auto own = std::ssize(taps_[part]), all = std::ssize(taps_[0]) + std::ssize(taps_[1]), from = part == 0 ? 0 : all - own;
        const std::int64_t cells = features.rows * own, width = features.cols / all;
        std::vector<int> order;
        for (std::int64_t row = 0; row < features.rows; ++row)
            for (std::ptrdiff_t tap = 0; tap < own; ++tap) order.push_back(static_cast<int>(row * all + from + tap));
        Split& split = split_[part];
        if (split.cells.view().rows < cells) {
            split.cells = Buffer(*parts_.backend, DType::f32, cells, width);
            split.order = Buffer(*parts_.backend, DType::i32, 1, cells);
        }
        const Tensor indices{split.order.view().data, DType::i32, 1, cells};
        const Tensor out = split.cells.view().slice(0, cells);
        parts_.backend->upload(indices, order.data());
        parts_.backend->gather_rows({features.data, DType::f32, features.rows * all, width}, indices, out);
        return {out.data, DType::f32, features.rows, own * width};
    }

    struct Split {
        Buffer cells, order; // (rows * taps, h); (1, rows * taps) i32
    };
    ChainedParts parts_;
    std::array<std::vector<int>, 2> taps_;
    std::array<Split, 2> split_;
    int spoke_ = kNobody; // in the last draft
};

} // namespace

const DrafterInfo* find_chained(const std::string& name) {
    if (name.find('+') == std::string::npos || !refusal_of(name).why.empty()) return nullptr;
    static std::mutex mutex;
    static std::map<std::string, std::unique_ptr<Chain>> known;
    const std::lock_guard lock(mutex);
    std::unique_ptr<Chain>& chain = known[name];
    if (!chain) chain = chain_of(name);
    return &chain->info;
}

void refuse_chain(const std::string& name) {
    if (name.find('+') == std::string::npos) return;
    if (const Refusal refusal = refusal_of(name); !refusal.why.empty()) throw Error(refusal.why, refusal.remedy, Exit::usage);
}

std::unique_ptr<Drafter> make_drafter(const DrafterInfo& info, const std::function<DrafterArgs(const DrafterInfo&)>& args) {
    if (!info.chained()) return info.make(args(info));
    DrafterArgs first = args(*info.first), second = args(*info.second);
    ChainedParts parts{.draws = info.first->draws, .goes_on = info.goes_on};
    if (const DraftNetwork* network = (first.network ? first.network : second.network).get()) parts.backend = &network->backend();
    parts.first = info.first->make(std::move(first));
    parts.second = info.second->make(std::move(second));
    return make_chained(std::move(parts));
}

std::unique_ptr<Drafter> make_chained(ChainedParts parts) { return std::make_unique<Chained>(std::move(parts)); }

} // namespace speclens
