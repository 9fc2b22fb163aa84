// Acceptance that servers are told instead of measured: a benchmark of a server whose drafts are kept as often as a
// speculation_profile.json says, whatever they are. vLLM: `rejection_sample_method` "synthetic" of --speculative-config, with
// `synthetic_acceptance_rates` or `synthetic_acceptance_length` (vllm/config/speculative.py at 002e77c1). llama.cpp: --spec-synth-rates or
// --spec-synth-len (pull request 27711, August 2026). The rates of both are a profile's marginal_accept_rates: of all rounds, those that
// keep the places up to here.
//
// A length alone is spread over the places by each in its own way: vLLM keeps the first of them always, the next with what is left, and no
// other (the least variance); llama.cpp keeps each with the same chance once all before it were.
#pragma once

#include <string>
#include <string_view>

#include "engine/advice/profile.h"

namespace speclens {

// What vLLM takes as --speculative-config, without `method` and `model`, which a profile's makers know; one line of JSON.
[[nodiscard]] std::string vllm_synthetic(const SpeculationProfile& profile);
// Options of llama-server: "--draft-max 3 --spec-synth-rates 0.816,0.634032,0.475524".
[[nodiscard]] std::string llamacpp_synthetic(const SpeculationProfile& profile);

// Back: of vLLM's JSON, or of a command line of either server that has it. Without rounds, because none were counted. Throws Error that
// names the text, `name`, and what is missing or wrong in it.
[[nodiscard]] SpeculationProfile profile_of_synthetic(std::string_view text, const std::string& name);

} // namespace speclens
