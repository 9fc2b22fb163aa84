// A snapshot of what the engine thread is doing, for the status bar and progress displays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/precision.h"
#include "kernels/error.h"

namespace speclens {

// What goes on beside the run on the screen: measurements, studies, races. In pieces of about the same work.
struct Work {
    enum class Of : std::uint8_t { nothing, lanes, prompts, runs, widths, batches, advice, drafters, places } of = Of::nothing;
    int done = 0, total = 0;         // pieces; with advice prompts
    std::optional<double> left = {}; // seconds, by what pieces of it took so far; absent: none tells that yet
    int number = 0;                  // of the job, counted from 1
    bool operator==(const Work&) const = default;
};

// What goes on before there is a run to see.
struct EngineJob {
    enum class What : std::uint8_t { nothing, models, opening, weights, reading, costs } what = What::nothing;
    std::string of = {};        // opening: the file of the model, empty: the built-in one; weights: whose
    double done = 0, total = 0; // of weights in MB, of a prompt that is read in tokens, of what rounds cost in rounds; total 0: unknown
};

struct EngineStatus {
    enum class State : std::uint8_t { loading, idle, running, stopped, failed } state = State::loading;
    std::string backend;                  // "CPU · AVX-512 · 2 threads"
    std::string model;                    // target's name
    std::string draft_model;              // separate draft model's name or empty
    std::string weights;                  // as in Header
    Precision precision = Precision::f32; // of products with them
    int kernels = 0;                      // as in Header
    std::string notice;                   // why speculation is off, what was clamped; empty when all is well
    EngineJob job;
    std::string error, remedy; // state == failed
    ErrorKind error_kind = ErrorKind::other;
    std::size_t memory_bytes = 0;            // weights and caches
    std::vector<std::string> ready_drafters; // can run with the loaded models
    double plain_ms_per_token = 0;           // measured plain decoding; 0 until known
    bool timing = false;                     // the run is being timed: its times may still change
    std::string timed_model;                 // whose passes are being timed; empty: nobody's
    double timed = 0;                        // share of it that is done
    Work work;                               // the first of the jobs that are counted
    bool chats = false;                      // the target is tuned for chats and not the one that is shipped
    bool built_in = true;                    // the target is the one that is shipped; also before it is known
    int opened = 0;                          // answers to OpenModel
    std::string open_error, open_remedy;     // why the last of them changed nothing; empty: it did, or there was none
    ErrorKind open_error_kind = ErrorKind::other;
    std::string opened_as; // its model as links name it (engine/models/model_names.h); empty: none was opened
};

} // namespace speclens
