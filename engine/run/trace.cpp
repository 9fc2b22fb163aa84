#include "engine/run/trace.h"

#include <algorithm>
#include <bit>

#include "engine/base/fnv.h"
#include "kernels/error.h"

namespace speclens {

Trace::Place Trace::place_of(std::size_t event) {
    constexpr std::size_t kDoubling = std::bit_width(kChunk / kFirstChunk) - 1;
    const std::size_t m = event + kFirstChunk; // the doubling chunks start where m is a power of two
    if (m >= kChunk) return {kDoubling + m / kChunk - 1, m % kChunk, kChunk};
    const std::size_t size = std::bit_floor(m);
    return {static_cast<std::size_t>(std::bit_width(size / kFirstChunk)) - 1, m - size, size};
}

Trace::Trace(std::function<std::string(int)> text_of)
    : text_of_(std::move(text_of)), chunks_(std::make_unique<std::atomic<Event*>[]>(kMaxChunks)) {}

Trace::~Trace() {
    for (std::size_t i = 0; i < kMaxChunks; ++i) {
        const Event* chunk = chunks_[i].load(std::memory_order_relaxed);
        if (!chunk) return; // they are made in order
        delete[] chunk;
    }
}

void Trace::append(Event event) {
    const std::size_t n = size_.load(std::memory_order_relaxed);
    const Place place = place_of(n);
    if (place.chunk >= kMaxChunks)
        throw Error("a trace holds " + std::to_string(n) + " events at most", "Record a shorter run.", Exit::usage);
    Event* chunk = chunks_[place.chunk].load(std::memory_order_relaxed);
    if (!chunk) {
        chunk = new Event[place.size];
        chunks_[place.chunk].store(chunk, std::memory_order_relaxed);
    }
    chunk[place.at] = std::move(event);
    size_.store(n + 1, std::memory_order_release); // publishes the event and its chunk
}

std::size_t Trace::size() const { return size_.load(std::memory_order_acquire); }

const Event& Trace::operator[](std::size_t i) const {
    const Place place = place_of(i);
    return chunks_[place.chunk].load(std::memory_order_relaxed)[place.at];
}

const Header* Trace::header() const { return size() ? std::get_if<Header>(&(*this)[0]) : nullptr; }

namespace {

class Hasher : public Fnv {
  public:
    using Fnv::add;
    void add(const Sampling& s) { add(s.temperature), add(s.top_k), add(s.top_p); }

    void event(const Header& h) {
        add(h.drafter), add(h.rule), add(h.k), add(h.sampling), add(h.draft_sampling), add(h.seed), add(h.vocab);
        add(h.prompt);
        // The built-in model has neither: the hashes of its runs stay what they were.
        if (!h.fingerprint.empty()) add(h.fingerprint), add(h.weights);
        if (h.precision != Precision::f32) add(std::string(name_of(h.precision)));
    }
    void event(const Prefill& e) { add(e.tokens); }
    void event(const Drafted& e) {
        add(e.round), add(e.index), add(e.parent), add(e.token), add(e.q), add(e.u);
        if (e.by >= 0) add(e.by); // of two chained drafters
    }
    void event(const Verified& e) {
        add(e.round), add(e.rows);
        if (e.by >= 0) add(e.by);
    }
    void event(const Checked& e) {
        add(e.round), add(e.index), add(e.token), add(e.p), add(e.q), add(e.threshold), add(e.u), add(int{e.accepted});
        // Few rules have these: the hashes of the others stay what they were.
        for (const auto& extra : {e.sibling_residual, e.mixture, e.typical_threshold, e.prefix_coefficient})
            if (extra) add(*extra);
    }
    void event(const TargetToken& e) {
        add(e.round), add(static_cast<int>(e.from)), add(e.token), add(e.u), add(e.p);
        if (e.parent) add(*e.parent);
    }
    void event(const Committed& e) {
        add(e.round), add(e.accepted_drafts), add(e.tokens), add(e.kv_before), add(e.kv_after);
        if (!e.path.empty()) add(e.path);
    }
    void event(const Stopped& e) { add(e.reason); }
    void event(const Failed& e) { add(e.what); }
    void event(const Commanded& e) { add(e.text); }
};

} // namespace

EventTimes own_times(const Event& event) {
    if (const auto* prefill = std::get_if<Prefill>(&event)) return {prefill->ms, 0};
    if (const auto* draft = std::get_if<Drafted>(&event)) return {draft->ms, draft->head_ms};
    if (const auto* verify = std::get_if<Verified>(&event)) return {verify->ms, verify->draft_ms};
    if (const auto* commit = std::get_if<Committed>(&event)) return {commit->ms, commit->accept_ms};
    return {};
}

double Trace::plain_ms() const {
    const std::shared_ptr<const TraceTimes> times = this->times();
    return times && times->plain_ms > 0 ? times->plain_ms : plain_ms_.load();
}

void Trace::set_times(std::shared_ptr<const TraceTimes> times) const {
    {
        const std::lock_guard lock(times_mutex_);
        times_ = std::move(times);
    }
    ++times_revision_;
}

std::shared_ptr<const TraceTimes> Trace::times() const {
    const std::lock_guard lock(times_mutex_);
    return times_;
}

std::uint64_t Trace::hash(std::size_t count) const {
    Hasher hasher;
    count = std::min(count, size());
    for (std::size_t i = 0; i < count; ++i) {
        const Event& event = (*this)[i];
        hasher.add(static_cast<std::uint64_t>(event.index()));
        std::visit([&](const auto& e) { hasher.event(e); }, event);
    }
    return hasher.value();
}

bool Trace::intact() const {
    const std::size_t events = size();
    for (std::size_t i = events; i-- > 0;)
        if (const auto* end = std::get_if<Stopped>(&(*this)[i])) return end->hash == 0 || end->hash == hash(i);
    return true;
}

} // namespace speclens
