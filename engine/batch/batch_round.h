// What happened in one round of a batch, for tables and pictures.
#pragma once

#include <cstdint>
#include <vector>

namespace speclens {

// What one text did in it.
struct BatchLane {
    int text = 0;
    enum class Did : std::uint8_t {
        decoded,    // a pass over its pending token and its drafts
        read,       // a piece of its prompt
        recomputed, // a piece of what it had before it was preempted
        waited,     // for rows of the pass, or for a prompt that begins alike
        preempted   // gave up its blocks
    } did = Did::decoded;
    int rows = 0;     // of the pass
    int accepted = 0; // rows whose draft token was kept
    int tokens = 0;   // that it got
    bool joined = false, left = false;
    [[nodiscard]] int drafted() const { return did == Did::decoded && rows > 0 ? rows - 1 : 0; }
};

struct BatchRound {
    std::vector<BatchLane> lanes; // of the texts in flight, in the order of arrival
    int passes = 0;               // of the target: more than one only where the rows do not fit into one
    int rows = 0, read_rows = 0;  // of all passes; those of prompts and of what was recomputed
    int copied_blocks = 0;        // copies on write
    int shared_tokens = 0;        // of prompts, found in blocks of other texts
    double draft_ms = 0;          // drafting, and what drafters make of prompts
    double pass_ms = 0;           // passes of the target
    double rest_ms = 0;           // everything else: verdicts, commits, joining, leaving
    [[nodiscard]] double ms() const { return draft_ms + pass_ms + rest_ms; }
    [[nodiscard]] int count(BatchLane::Did did) const {
        int lanes_of = 0;
        for (const BatchLane& lane : lanes) lanes_of += lane.did == did;
        return lanes_of;
    }
    [[nodiscard]] int tokens() const {
        int sum = 0;
        for (const BatchLane& lane : lanes) sum += lane.tokens;
        return sum;
    }
};

} // namespace speclens
