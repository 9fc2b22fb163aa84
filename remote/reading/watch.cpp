#include "remote/reading/watch.h"

#include "kernels/error.h"

namespace speclens {
namespace {

bool fell(const std::optional<double>& before, const std::optional<double>& after) { return before && after && *after < *before; }

bool began_anew(const ServerReading& before, const ServerReading& after) {
    if (before.kind != after.kind || fell(before.generated, after.generated) || fell(before.prompt_tokens, after.prompt_tokens))
        return true;
    return before.counts && after.counts &&
           (fell(before.counts->rounds, after.counts->rounds) || after.counts->drafted < before.counts->drafted);
}

std::optional<double> per_second(const std::optional<double>& before, const std::optional<double>& after, double seconds) {
    if (!before || !after || !(seconds > 0)) return {};
    return (*after - *before) / seconds;
}

// llama.cpp books a request when it ends: what runs meanwhile is in its slots. Where those are not reported, the time that
// it booked with the tokens says how fast they were written, and an interval in which nothing ended says nothing.
std::optional<double> written_per_second(const ServerReading& before, const ServerReading& after, double seconds) {
    if (!after.generating_seconds || !before.generating_seconds) return per_second(before.generated, after.generated, seconds);
    if (before.in_flight && after.in_flight && before.generated && after.generated && seconds > 0) {
        const double written = *after.generated + *after.in_flight - *before.generated - *before.in_flight;
        // The two are read one after the other: a request that ends in between is in neither.
        return written >= 0 ? std::optional(written / seconds) : std::nullopt;
    }
    const double spent = *after.generating_seconds - *before.generating_seconds;
    if (spent > 0 && before.generated && after.generated) return (*after.generated - *before.generated) / spent;
    return after.running.value_or(0) > 0 || before.running.value_or(0) > 0 ? std::nullopt
                                                                           : per_second(before.generated, after.generated, seconds);
}

} // namespace

void Watch::add(double seconds, ServerReading reading) {
    CHECK(readings_.empty() || seconds >= readings_.back().seconds, "readings in the order of time");
    if (readings_.empty()) began_ = seconds;
    if (!readings_.empty() && began_anew(readings_.back().reading, reading)) {
        before_ = before_ + between(readings_.front(), readings_.back()).counts;
        if (reading.counts) before_ = before_ + *reading.counts; // it began with zeros
        readings_.clear();
        ++restarts_;
    }
    readings_.push_back({seconds, std::move(reading)});
    if (readings_.size() <= kMostReadings) return;
    before_ = before_ + between(readings_[0], readings_[1]).counts;
    readings_.pop_front();
}

WatchInterval Watch::whole() const {
    WatchInterval out;
    if (readings_.empty()) return out;
    out.seconds = readings_.back().seconds - began_;
    out.counts = before_ + between(readings_.front(), readings_.back()).counts;
    return out;
}

WatchInterval Watch::between(const At& from, const At& to) {
    WatchInterval out;
    out.seconds = to.seconds - from.seconds;
    if (from.reading.counts && to.reading.counts)
        out.counts = *to.reading.counts - *from.reading.counts;
    else if (to.reading.counts) { // they appear with the first request, and the text is counted before
        SpecCounts before;
        before.text = written_text(from.reading);
        out.counts = *to.reading.counts - before;
    }
    out.tokens_per_second = written_per_second(from.reading, to.reading, out.seconds);
    if (to.reading.counts && out.counts.rounds && out.seconds > 0)
        out.rounds_per_second = *out.counts.rounds / out.seconds;
    else if (!to.reading.counts)
        out.rounds_per_second = per_second(from.reading.verify_calls, to.reading.verify_calls, out.seconds);
    const auto spent = [](const Spent& a, const Spent& b) { return Spent{b.seconds - a.seconds, b.count - a.count}.mean_ms(); };
    out.first_token_ms = spent(from.reading.first_token, to.reading.first_token);
    out.between_tokens_ms = spent(from.reading.between_tokens, to.reading.between_tokens);
    return out;
}

std::optional<WatchInterval> Watch::recent(double seconds) const {
    if (readings_.size() < 2) return {};
    std::size_t from = readings_.size() - 2;
    while (from > 0 && readings_[from - 1].seconds >= readings_.back().seconds - seconds) --from;
    return between(readings_[from], readings_.back());
}

std::optional<LengthDrift> Watch::drift() const {
    std::vector<LengthPoint> points;
    for (std::size_t i = 1; i < readings_.size(); ++i) {
        const At& at = readings_[i];
        const SpecCounts counts = step(i).counts;
        if (counts.drafted > 0 && acceptance_length(counts))
            points.push_back({at.seconds, *acceptance_length(counts), *counts.rounds, drafts_per_round(counts)});
        else if (!at.reading.counts && at.reading.reported_length) // SGLang's average
            points.push_back({at.seconds, *at.reading.reported_length, 0, at.reading.reported_drafts});
    }
    return length_drift(points);
}

WatchInterval Watch::step(std::size_t i) const {
    CHECK(i >= 1 && i < readings_.size(), "an interval has two ends");
    return between(readings_[i - 1], readings_[i]);
}

} // namespace speclens
