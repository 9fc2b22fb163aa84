// What people are told a model is called: by what its file says of itself, never by the packing of the file; and a machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernels/said.h"

namespace speclens {

// `path`: a checkpoint folder or a GGUF file, by whose name it is called where nothing better is known. `name`, `basename`: the file's
// general.name and general.basename, empty: none. "Qwen2.5 Coder 0.5B Instruct AWQ", "Qwen2.5-Coder" is called "Qwen2.5-Coder 0.5B
// Instruct"; models--Qwen--Qwen3-4B/snapshots/HASH "Qwen3-4B"; "qwen3-4b-q4_k_m-00001-of-00002.gguf" without a name "qwen3-4b".
[[nodiscard]] std::string display_name(const std::filesystem::path& path, const std::string& name = "", const std::string& basename = "");

// Whether two such names mean one model: those of files went on with how they are packed once ("SmolLM2-135M-Instruct.Q4_1").
[[nodiscard]] bool called_alike(const std::string& a, const std::string& b);

// A machine as runs and recordings name it: "AMD EPYC, 2 cores", "one core of an EPYC". None of none.
[[nodiscard]] std::vector<Said> machine_said(const std::string& name);
// What computes, as runs name it (Backend::description): "CPU · AVX-512 · 2 threads". None where it counts no threads: it stands as it is.
[[nodiscard]] std::vector<Said> device_said(const std::string& words);

} // namespace speclens
