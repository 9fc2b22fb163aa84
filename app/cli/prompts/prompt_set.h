// Benchmarks of the field as prompts: what --set names. A line of the file is a JSON object:
//
//     {"question_id": 81, "category": "writing", "turns": ["…", "…"]}     Spec-Bench's question.jsonl (hemingkx/Spec-Bench,
//     evaluation/eval.py)
//     {"category": "coding", "turns": ["…"], "source": …, "src_id": …}    SPEED-Bench, each config written as JSON lines (NVIDIA
//                                                                         Model-Optimizer, examples/specdec_bench)
//     {"task_id": "HumanEval/0", "prompt": "def …", …}                    HumanEval.jsonl (OpenAI)
//
// Turns are asked as a chat, and the first one alone: what follows it would depend on an answer. A prompt is asked as it stands.
#pragma once

#include <string>
#include <vector>

#include "app/cli/setup.h"

namespace speclens::cli {

inline constexpr const char* kHumanEval = "humaneval"; // HumanEval.jsonl, here or where `speclens get` puts models

// The file of such a name, or the name itself. Throws Error where HumanEval.jsonl is in neither place.
[[nodiscard]] std::filesystem::path set_file(const std::string& set);
// Domain: the category. Throws Error that names the file, the line and what was expected; says how many prompts were left out, because
// SPEED-Bench's data has only a placeholder there, and how many go on.
[[nodiscard]] std::vector<ListedPrompt> read_set(const std::string& set);

} // namespace speclens::cli
