// A draft head in a GGUF file, as llama.cpp's converter writes it (b11549: conversion/llama.py and qwen.py, src/models/eagle3.cpp and
// dflash.cpp): its metadata as a DraftConfig, its tensors under the names of the released folders, its ids. The architecture eagle3 is
// EAGLE-3, dflash is DFlash, with a Markov head DSpark, with a selector DFlash 2. Layers are numbered as a state enters them; d2t holds ids
// of the target, not differences; rows of EAGLE-3's q and k come in pairs. What the network here does not compute is refused by name.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/heads/draft_config.h"
#include "engine/model/config_keys.h"
#include "engine/weights/gguf.h"
#include "engine/weights/row_tensors.h"

namespace speclens {

// What such a head is read by behind its architecture, beside gguf_geometry_keys().
[[nodiscard]] KeyList gguf_head_keys(DraftConfig::Method method);
// Throws Error naming the key, the tensor or the architecture.
[[nodiscard]] DraftConfig gguf_head_config(const Gguf& file, const ModelConfig& target);
// `as`: in which form a matrix of a stored type is wanted. Throws Error naming a tensor that is not known.
[[nodiscard]] std::map<std::string, RowTensors::Source> gguf_head_tensors(const Gguf& file, const DraftConfig& config,
                                                                          const std::function<DType(const StoredTensor&)>& as);
// Ids of the target in the order of the head's rows, ascending; empty: it ranks all with the target's matrix. Throws Error: d2t holds
// neither ids nor differences. `config` gains a notice where it holds differences.
[[nodiscard]] std::vector<int> gguf_head_ids(const Gguf& file, DraftConfig& config);

} // namespace speclens
