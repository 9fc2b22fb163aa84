// Speculation as a system: cache rows that are written, kept and rewound in every round; what goes over the
// wire when draft and target live apart; and a controller that chooses K, as an article prints it and as its
// formula asks for. And live: the blocks of a batch that was decoded here, who chose its K best, and draft workers that share a target.
#pragma once

#include <string>
#include <vector>

#include "engine/batch/adaptive_study.h"
#include "engine/batch/block_film.h"
#include "engine/batch/worker_pool.h"
#include "engine/run/wire_totals.h"
#include "scenes/shared/message_scene.h"

namespace speclens {

struct MeasureLoad; // engine/run/session_commands.h

// Cache rows of one round of the run. `seen`: it has begun at the cursor.
struct CacheRound {
    int round = 0, before = 0, written = 0, kept = 0;
    bool seen = true;
    [[nodiscard]] int rewound() const { return written - kept; }
};

// The same rows where the cache is cut into pages of `size` slots, as servers with many texts do (vLLM's
// paged attention, Kwon et al. 2023, §4): a page is held from its first row on, and given back when its last
// row is rewound.
struct Pages {
    int size = 16;
    int before = 0, during = 0, after = 0; // pages held before the round, with all its rows, after it
    int empty = 0;                         // slots of held pages that no row is in, after the round
    [[nodiscard]] int given_back() const { return during - after; }
};
[[nodiscard]] Pages pages_of(const CacheRound& round, int size);

// What the draft side sends for the target side to judge by.
enum class Payload : std::uint8_t {
    ids,     // tokens only: greedy, sample match, one-hot drafts
    scalars, // and q of each; on a rejection one row of q for the residual: the token rule
    rows     // and every row of q: block verification, cascades
};
inline constexpr Payload kPayloads[] = {Payload::ids, Payload::scalars, Payload::rows};

struct SimulatedWire {
    double round_trip_ms = 0.2, gigabits = 25; // per second
    int vocabulary = 151936;
    double draft_ms = 2, verify_ms = 15; // a guess, a pass
    int k = 5;
    double alpha = 0.8;
    bool operator==(const SimulatedWire&) const = default;
};
// Mean bytes of a round from the draft to the target side: ids and probabilities of 4 bytes each.
[[nodiscard]] double wire_bytes(const SimulatedWire& wire, Payload payload);
[[nodiscard]] double wire_ms(const SimulatedWire& wire, Payload payload); // round trip and transfer
// Against plain decoding on the target side, without a wire, if every rule keeps a guess with the same alpha.
// Sample matching keeps no more than the token rule (Σ p·q ≤ Σ min(p, q)), block verification no less, so the
// order of the payloads is no result.
[[nodiscard]] double wire_speedup(const SimulatedWire& wire, Payload payload);
// The round trip in ms that leaves no speed-up; below 0: there is none without a wire either.
[[nodiscard]] double longest_round_trip(const SimulatedWire& wire, Payload payload);

// Accepted drafts of a round: each stays with probability alpha, by the dice of the seed.
[[nodiscard]] int draw_accepted(double alpha, int k, std::uint64_t seed, std::uint32_t round);

// Both on the same acceptance, which changes on the way: .9, .6, .8 for a third of the rounds each.
struct ControllerRun {
    std::vector<double> alpha;
    std::vector<int> article, formula; // K of every round
    double article_speedup = 0, formula_speedup = 0;
};
[[nodiscard]] ControllerRun run_controllers(const SimulatedWire& costs, int rounds, std::uint64_t seed);

inline constexpr int kMostGuesses = 10; // K of the simulated wire

// What the user set.
struct SystemsState {
    SimulatedWire wire;
    bool draft_by_hand = false; // its guess was set; else that of a loaded model's run
    int page = 16;              // slots
    int workers = 4;            // on a target elsewhere
    int film_round = -1;        // of the batch; -1: the first in which a text gives up its blocks, else the middle one
    bool operator==(const SystemsState&) const = default;
};

struct SystemsModel {
    std::vector<CacheRound> rounds; // of the whole run
    int written = 0, kept = 0;
    std::string tier;              // of the run: a server's or a table's target keeps no rows of ours
    std::size_t shown = 0;         // the round that the cursor is in
    int page = 16, given_back = 0; // pages of the whole run
    SimulatedWire wire;
    bool own_times = false;       // its pass, ids and, unless it was set, its guess are those of the run
    WireTotals measured;          // of this run's rounds, where its target is a server
    double measured_draft_ms = 0; // of a round of them
    ControllerRun controllers;
    const BlockFilm* film = nullptr;          // of a batch that was decoded here; null: none was
    std::size_t film_round = 0;               // that is shown
    const AdaptiveResult* adaptive = nullptr; // of batches that were decoded here; null: none were
    const PoolFilm* pool = nullptr;           // of draft workers on a target elsewhere; null: none ran
    PoolFilm simulated;                       // of as many workers as were set, where none ran
    [[nodiscard]] const PoolFilm& workers() const { return pool ? *pool : simulated; }
};
// Which rounds a chart of `fits` columns shows: the cursor's round in the middle, but no empty columns.
struct RoundWindow {
    std::size_t first = 0, end = 0;
};
[[nodiscard]] RoundWindow rounds_around(std::size_t shown, std::size_t rounds, std::size_t fits);
// Whether the run's target is behind an address: then what is decoded at once are draft workers' texts.
[[nodiscard]] bool is_elsewhere(const SceneInput& input);
[[nodiscard]] MeasureLoad batch_asked(const SceneInput& input, const SystemsState& state);
[[nodiscard]] Message batch_refused(const SceneInput& input); // why not, at this beat; empty: it can be
[[nodiscard]] SystemsModel systems_model(const SceneInput& input, const SystemsState& state);

inline constexpr MessagesOf<"systems", "slots", "waste", "wire", "round_trip", "controller", "tables", "choosers", "audits", "workers">
    systems_says;
inline constexpr int kSystemsBeats = systems_says.size;
inline constexpr int kWireBeat = 2, kControllerBeat = 4, kTablesBeat = 5, kChoosersBeat = 6, kAuditsBeat = 7, kWorkersBeat = 8;

using SystemsDraw = SceneDraw<SystemsModel, SystemsState>;

} // namespace speclens
