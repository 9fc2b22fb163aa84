#include "scenes/systems/simulated_pool.h"

#include <algorithm>
#include <limits>

namespace speclens {
namespace {

constexpr std::size_t kRounds = 8; // of every worker
constexpr std::int64_t kIdBytes = 4;
constexpr double kNever = std::numeric_limits<double>::infinity();

struct Waiting {
    std::size_t worker;
    double arrived;
};

} // namespace

PoolFilm simulated_pool(const SimulatedWire& costs, int workers, std::uint64_t seed) {
    PoolFilm film;
    film.workers.resize(static_cast<std::size_t>(workers));
    std::vector<double> ready(film.workers.size(), 0); // to draft; never while its guesses are judged
    std::vector<Waiting> waiting;
    double drafts_free = 0, target_free = 0;
    const double way = wire_ms(costs, Payload::ids) / 2;
    for (;;) {
        std::size_t next = 0;
        double draft_at = kNever, pass_at = kNever;
        for (std::size_t i = 0; i < ready.size(); ++i) {
            if (film.workers[i].rounds.size() < kRounds && std::max(ready[i], drafts_free) < draft_at)
                draft_at = std::max(ready[i], drafts_free), next = i;
        }
        for (const Waiting& one : waiting) pass_at = std::min(pass_at, std::max(one.arrived, target_free));
        if (draft_at == kNever && pass_at == kNever) break;
        if (draft_at <= pass_at) { // what it sends arrives later than any pass that begins now
            WorkerRound round;
            round.from_ms = draft_at, round.asked_ms = draft_at + costs.k * costs.draft_ms, round.drafted = costs.k;
            film.workers[next].rounds.push_back(round);
            waiting.push_back({next, round.asked_ms + way});
            ready[next] = kNever;
            drafts_free = round.asked_ms;
            continue;
        }
        target_free = pass_at + costs.verify_ms;
        const auto taken = std::ranges::partition(waiting, [&](const Waiting& one) { return one.arrived > pass_at; });
        for (const Waiting& one : taken) {
            WorkerRound& round = film.workers[one.worker].rounds.back();
            const auto number = static_cast<std::uint32_t>(film.workers[one.worker].rounds.size());
            round.answered_ms = round.judged_ms = target_free + way;
            round.accepted = draw_accepted(costs.alpha, costs.k, seed + one.worker, number);
            round.tokens = round.accepted + 1;
            round.wire = {.rounds = 1,
                          .sent = kIdBytes * costs.k,
                          .received = kIdBytes * round.tokens,
                          .ms = round.answered_ms - round.asked_ms,
                          .server_ms = target_free - one.arrived,
                          .answered = 1};
            ready[one.worker] = round.answered_ms;
            film.ms = std::max(film.ms, round.answered_ms);
        }
        waiting.erase(taken.begin(), taken.end());
    }
    for (PoolWorker& worker : film.workers) worker.k = costs.k, worker.state = PoolWorker::State::done;
    film.complete = true;
    return film;
}

} // namespace speclens
