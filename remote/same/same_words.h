// What a comparison of greedy texts says of its arms, pairs and forks, as messages: their words, like those of its verdict, stand in
// assets/stories/same.toml. Who shows them lays them out.
#pragma once

#include <functional>
#include <string>

#include "remote/same/same_result.h"

namespace speclens {

// What an arm is called: by its address, by the length that it was asked for, by the one that it was started with.
[[nodiscard]] Said server_arm_name(std::string address);
[[nodiscard]] Said asked_arm_name(std::optional<int> k); // absent: as it drafts; 0: none
[[nodiscard]] Said started_arm_name(int k);
[[nodiscard]] Said started_said(std::size_t servers);

// Prompts, answers of each, and tokens of an answer at most.
[[nodiscard]] Said same_conditions(const SameMeasured& measured, int max_tokens);
// Of a row of the table of arms: what was drafted, how often the arm is the same as itself, how many texts are the first arm's.
[[nodiscard]] Said drafted_said(const MeasuredArm& arm);
[[nodiscard]] Said itself_said(double differs_from_itself);
[[nodiscard]] Said equal_said(const SameMeasured& measured, const ArmPair& pair);
[[nodiscard]] Said drafted_heading();
[[nodiscard]] Said itself_heading();
[[nodiscard]] Said equal_heading();
// Arms with equal texts; empty where that says no more than the pairs.
[[nodiscard]] Said groups_said(const SameMeasured& measured, const SameSummary& summary);
// How many texts differ and where, by how much more than an arm from itself, and the margins; none of a pair whose texts are all equal.
[[nodiscard]] std::vector<Said> pair_said(const SameMeasured& measured, const ArmPair& pair);
// A fork: where, and how both go on, of which `shown` makes what fits; then what the text before it says.
[[nodiscard]] Said fork_said(const SameMeasured& measured, const ForkRecord& record,
                             const std::function<std::string(const std::string&)>& shown);
[[nodiscard]] Said judged_said(const JudgedFork& judged);
[[nodiscard]] Said more_forks_said(std::size_t more);

} // namespace speclens
