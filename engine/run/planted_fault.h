// Faults that engines really have, put into ours on purpose: what they do to the greedy text can be seen and caught. Only studies
// plant them (engine/lab/fault_study.h); no run on screen has one, and no link or file can ask for one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace speclens {

class Decoder; // engine/model/decoder.h
struct Models; // engine/models/models.h

enum class PlantedFault : std::uint8_t {
    none,
    rounding, // passes over several rows round their logits to bf16, those over one row do not: other sums in a wider pass
    rollback, // after a refusal the cache is set back one row too far: the last token that was kept is no longer read
};

// Run::MakeTarget of a run of a model: its target with the fault in it.
[[nodiscard]] std::function<std::unique_ptr<Decoder>(int capacity)> faulty_target(std::shared_ptr<const Models> models, PlantedFault fault);

} // namespace speclens
