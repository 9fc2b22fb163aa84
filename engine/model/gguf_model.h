// A GGUF file of a dense llama, qwen2 or qwen3 model as a checkpoint: its metadata as a ModelConfig, its tensors under the
// names of Hugging Face, its vocabulary. Everything the forward pass does not implement is refused here, by name.
// Internal to the engine.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/model/model.h"
#include "engine/text/vocabulary_table.h"
#include "engine/weights/gguf.h"
#include "engine/weights/row_tensors.h"

namespace speclens {

// Sizes, positions and rotary fields behind `arch`, of models and of heads. Throws Error naming the key.
void read_gguf_geometry(const Gguf& file, const std::string& arch, ModelConfig& config);
// Names of a layer's tensors: those of Hugging Face behind "model.layers.N.", those of the file behind "blk.N.".
[[nodiscard]] std::span<const std::pair<std::string_view, std::string_view>> gguf_layer_names();
// Throws Error naming the key, or the architecture and the way out.
[[nodiscard]] ModelConfig gguf_config(const Gguf& file);
// Tensors by Hugging Face's names; `as` says in which form a matrix of a stored type is wanted.
[[nodiscard]] std::map<std::string, RowTensors::Source> gguf_tensors(const Gguf& file, const ModelConfig& config,
                                                                     const std::function<DType(const StoredTensor&)>& as);
// Throws Error where the file has no vocabulary or a broken one. Takes its lists of tokens and merges away from `file`: they are long.
[[nodiscard]] VocabularyTable take_gguf_vocabulary(Gguf& file);
} // namespace speclens
