// Passes of the loaded model and then, where it is smaller, of random weights of a real shape: what a tiny model cannot
// show, because it stays in the caches of the processor, is seen beside it. Or of one shape in several forms: what fewer
// bytes do to a pass. Weights are given back with their last time; why some were not measured is said in the answer.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/lab/pass_times.h"
#include "engine/model/model.h"
#include "engine/run/session_commands.h"

namespace speclens {

struct Models; // engine/models/models.h

class PassPair {
  public:
    // `go_on` is asked while weights are made, from any thread; false ends that. Throws Error (a server or a table, which
    // have no passes; an unknown geometry; as PassMeasurement).
    PassPair(std::shared_ptr<const Models> models, const MeasurePasses& asked, std::function<bool()> go_on = {});
    // `beside` names a geometry; empty: the loaded model alone.
    PassPair(std::shared_ptr<const Models> models, std::string beside, std::function<bool()> go_on = {})
        : PassPair(std::move(models), MeasurePasses{.beside = std::move(beside)}, std::move(go_on)) {}

    bool step(); // a pass, or the making of weights; false: complete, and nothing was done
    void stop(); // complete with what is timed
    [[nodiscard]] const std::string& model() const { return subjects_[at_].name; } // that is being timed
    [[nodiscard]] double done() const;                                             // 0 … 1, of all
    [[nodiscard]] std::optional<double> left_seconds() const;                      // by what its passes took; empty: none of them tells yet
    [[nodiscard]] int widths() const;                                              // of all
    [[nodiscard]] int widths_done() const;                                         // that are timed
    // Null until that one is complete.
    [[nodiscard]] std::shared_ptr<const PassTimes> own() const { return own_; }
    [[nodiscard]] std::shared_ptr<const PassTimes> beside() const { return beside_; }
    // As many as are complete; null: none.
    [[nodiscard]] std::shared_ptr<const std::vector<PassTimes>> forms() const { return forms_; }

  private:
    struct Subject {
        std::string name;   // as it is told
        std::string model;  // as the times have it
        ModelConfig config; // of random weights
        DType form = DType::bf16;
        bool loaded = false;
    };
    void begin();
    void answer(PassTimes times);

    std::shared_ptr<const Models> models_;
    std::vector<Subject> subjects_; // not empty
    std::size_t at_ = 0;            // the last one when all are complete
    bool complete_ = false, of_forms_ = false;
    std::function<bool()> go_on_;
    std::unique_ptr<PassMeasurement> measurement_; // null: the weights are to be made
    std::shared_ptr<const PassTimes> own_, beside_;
    std::shared_ptr<const std::vector<PassTimes>> forms_;
};

} // namespace speclens
