#include "engine/lab/time_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/base/quantile.h"
#include "engine/drafters/drafter_info.h"
#include "engine/lab/reference.h"
#include "engine/run/options_json.h"

namespace speclens {
namespace {

constexpr std::size_t kMostSamples = 160; // of one kind: older ones go
constexpr double kQuartile = 0.25;
constexpr double kRareShare = 0.1;

// Attention over a longer text costs more, slowly: a step is a quarter of the text, at least 256 tokens.
int context_step(int tokens) {
    int step = 0, end = 256;
    while (tokens >= end) {
        ++step;
        end += std::max(256, end / 4 / 256 * 256);
    }
    return step;
}

std::string sampling_words(const Sampling& s) {
    return s.temperature == 0 ? "greedy" : std::string("T") + (s.top_k > 0 ? "k" : "") + (s.top_p < 1 ? "p" : "");
}

// Calls `see(event index, part, kind, own milliseconds)` for all that an event takes.
class Kinds {
  public:
    explicit Kinds(const Trace& trace) : trace_(trace) {
        if (const Header* h = trace.header()) {
            drafter_ = h->drafter + " " + options_json(h->options).dump() + " " + sampling_words(h->draft_sampling) +
                       (h->draft_ids > 0 ? " " + std::to_string(h->draft_ids) : "");
            rule_ = h->rule + " ";
            sampling_ = sampling_words(h->sampling);
            const DrafterInfo* info = find_drafter(h->drafter);
            taps_ = info && info->needs_network() ? network_of(h->drafter) : "";
            if (h->drafter == kNoDrafter) drafter_ = kNoDrafter;
            context_ = static_cast<int>(h->prompt.size()) - 1;
        }
    }

    template <typename See>
    void each(std::size_t from, std::size_t to, const See& see) {
        using Part = PassKind::Part;
        for (std::size_t i = 0; i < to; ++i) {
            const Event& event = trace_[i];
            if (const auto* draft = std::get_if<Drafted>(&event)) {
                tree_ = tree_ || draft->parent != draft->index - 1;
                ++drafts_;
                if (i < from) continue;
                const std::string who = drafter_ + (draft->by > 0 ? " second" : ""); // of two chained drafters
                PassKind kind{Part::draft, who, draft->index, draft->index == 0 ? before_ : 0, step()};
                see(i, kind, draft->ms);
                kind.part = Part::head;
                see(i, kind, draft->head_ms);
            } else if (const auto* verify = std::get_if<Verified>(&event)) {
                if (i < from) continue;
                see(i, PassKind{Part::verify, taps_, verify->rows, tree_ ? 1 : 0, step()}, verify->ms);
                // With K auto most rounds have none; those that a row ended are no quicker for it.
                if (drafter_ != kNoDrafter && (verify->draft_ms > 0 || !verify->asked))
                    see(i, PassKind{Part::silent, drafter_, drafts_, before_, step()}, verify->draft_ms);
            } else if (std::holds_alternative<Checked>(event)) {
                ++judged_;
            } else if (const auto* commit = std::get_if<Committed>(&event)) {
                if (i >= from) {
                    see(i, PassKind{Part::commit, drafter_, commit->accepted_drafts, tree_ ? 1 : 0, 0}, commit->ms);
                    // with nothing to judge every rule draws from the target's distribution
                    see(i, PassKind{Part::accept, (drafts_ > 0 ? rule_ : "") + sampling_, judged_, 0, 0}, commit->accept_ms);
                }
                before_ = static_cast<int>(commit->tokens.size());
                context_ = commit->kv_after;
                tree_ = false;
                drafts_ = judged_ = 0;
            }
        }
    }

  private:
    [[nodiscard]] int step() const { return context_step(context_); }
    const Trace& trace_;
    std::string drafter_, rule_, sampling_, taps_;
    bool tree_ = false;
    int context_ = 0, before_ = 0, drafts_ = 0, judged_ = 0;
};

bool is_aside(PassKind::Part part) {
    using Part = PassKind::Part;
    return part == Part::head || part == Part::silent || part == Part::accept;
}

// What plain decoding of one token is made of: the pass, the choice of the token and the bookkeeping.
std::array<PassKind, 3> plain_parts(const Header& header, int context) {
    using Part = PassKind::Part;
    return {PassKind{Part::verify, "", 1, 0, context_step(context)}, PassKind{Part::accept, sampling_words(header.sampling), 0, 0, 0},
            PassKind{Part::commit, kNoDrafter, 0, 0, 0}};
}

// The sum of quiet times, and of what medians add to them.
struct Sum {
    double ms = 0, excess = 0;
    std::map<int, double> by_count; // ms of kinds with so many samples
    void add(const PassSamples& samples) {
        ms += samples.ms;
        excess += samples.median - samples.ms;
        by_count[samples.count] += samples.ms;
    }
    [[nodiscard]] double spread() const { return ms > 0 ? excess / ms : 0; }
    // Samples of each kind, but for those that make up a tenth of the time at most.
    [[nodiscard]] int repeats() const {
        double rare = 0;
        for (const auto& [count, part] : by_count)
            if ((rare += part) > kRareShare * ms) return count;
        return 0;
    }
};

} // namespace

void TimeTable::clear() {
    entries_.clear();
    ++revision_;
}

void TimeTable::add(const PassKind& kind, double ms) {
    Samples& samples = entries_[kind];
    samples.ms.push_back(ms);
    if (samples.ms.size() > kMostSamples) samples.ms.pop_front();
    samples.fresh = false;
    ++revision_;
}

void TimeTable::add(const Trace& trace, std::size_t from, std::size_t to) {
    const Header* header = trace.header();
    if (!header || !header->timing) return;
    Kinds(trace).each(from, std::min(to, trace.size()), [&](std::size_t, const PassKind& kind, double ms) { add(kind, ms); });
}

PassSamples TimeTable::of(const PassKind& kind) const {
    auto found = entries_.find(kind);
    if (found == entries_.end()) { // behind a text of another length: the nearest one that was timed
        PassKind least = kind, most = kind;
        least.context = 0, most.context = std::numeric_limits<int>::max();
        const auto from = entries_.lower_bound(least), to = entries_.upper_bound(most);
        const auto away = [&](auto it) { return std::abs(it->first.context - kind.context); };
        for (auto it = from; it != to; ++it)
            if (found == entries_.end() || away(it) < away(found)) found = it;
    }
    if (found == entries_.end()) return {};
    const Samples& samples = found->second;
    if (!samples.fresh) {
        const std::vector<double> ms(samples.ms.begin(), samples.ms.end());
        samples.known = {quantile(ms, kQuartile), quantile(ms, 0.5), static_cast<int>(ms.size())};
        samples.fresh = true;
    }
    return samples.known;
}

TraceTimes TimeTable::times_of(const Trace& trace) const {
    TraceTimes times;
    const std::size_t size = trace.size();
    const Header* header = trace.header();
    for (std::size_t i = 0; i < size; ++i) times.events.push_back(own_times(trace[i]));
    if (!header || !header->timing) return times;
    Sum run, plain;
    int first = static_cast<int>(header->prompt.size()) - 1, last = first;
    Kinds(trace).each(0, size, [&](std::size_t i, const PassKind& kind, double) {
        const PassSamples samples = of(kind);
        if (samples.count == 0) return;
        (is_aside(kind.part) ? times.events[i].aside : times.events[i].ms) = samples.ms;
        run.add(samples);
    });
    for (std::size_t i = 0; i < size; ++i)
        if (const auto* commit = std::get_if<Committed>(&trace[i])) last += static_cast<int>(commit->tokens.size());
    last = std::max(last, first + 1);
    // A text has few steps of context: one pass each stands for all of its tokens.
    for (int context = first; context < last;) {
        int end = context + 1;
        while (end < last && context_step(end) == context_step(context)) ++end;
        for (const PassKind& kind : plain_parts(*header, context)) {
            const PassSamples samples = of(kind);
            if (samples.count == 0 && kind.part == PassKind::Part::verify) return times; // never timed
            const double share = static_cast<double>(end - context) / (last - first);
            plain.add({share * samples.ms, share * samples.median, samples.count});
        }
        context = end;
    }
    times.plain_ms = plain.ms;
    times.plain_spread = plain.spread();
    times.spread = run.spread();
    times.busy_cores = busy_cores_;
    if (const double recorded = recorded_plain_ms(*header); recorded > 0) times.to_recorded = plain.ms / recorded;
    times.repeats = run.ms > 0 ? std::min(run.repeats(), plain.repeats()) : plain.repeats();
    return times;
}

void TimeTable::time(const Trace& trace) const {
    TraceTimes times = times_of(trace);
    const std::shared_ptr<const TraceTimes> before = trace.times();
    if (!before || *before != times) trace.set_times(std::make_shared<const TraceTimes>(std::move(times)));
}

} // namespace speclens
