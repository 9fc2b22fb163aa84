// What runs on the shipped models took on a quiet machine, recorded once: a figure that is in doubt here is told beside
// it. assets/reference/*.json, schema "speclens-reference/1", written by `speclens compare --reference FILE`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/run/trace.h"

namespace speclens {

struct Reference {
    std::string model, drafter; // as in Header
    int k = 0;
    double temperature = 0;
    double speed_up = 0, tokens_per_round = 0; // over `prompts`
    double plain_ms = 0, round_ms = 0;
    int prompts = 0;
    std::string machine, date;            // "2-core AMD EPYC", "2026-11-25"
    Precision precision = Precision::f32; // as in Header
};

// Throws Error naming the file and the field.
[[nodiscard]] std::vector<Reference> read_references(const std::filesystem::path& file);
[[nodiscard]] std::string references_json(const std::vector<Reference>& references);

// Of the shipped files, read once: the same model in the same precision, drafter and draft length, greedy or not like the
// run; nullptr: none, also where the run drafts otherwise than they did: with a draft model or head of one's own, other
// options or dice of the draft, a rule that keeps more.
// A broken file has none in it (`speclens check` says so).
[[nodiscard]] const Reference* reference_of(const Header& header);
// The plain pass beside such a run on a machine of the run's name, whatever drafts: ms; 0: none.
[[nodiscard]] double recorded_plain_ms(const Header& header);

} // namespace speclens
