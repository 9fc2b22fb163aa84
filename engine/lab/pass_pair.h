// Passes of the loaded model and then, where it is smaller, of random weights of a real shape: what a tiny model cannot
// show, because it stays in the caches of the processor, is seen beside it. The weights are given back with the last
// time; too little memory for them is said in the answer.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/lab/pass_times.h"

namespace speclens {

class PassPair {
  public:
    // `beside` names a geometry; empty: the loaded model alone. `go_on` is asked while the weights are made, from any
    // thread; false ends that. Throws Error (a server or a table, which have no passes; as PassMeasurement).
    PassPair(std::shared_ptr<const Models> models, std::string beside, std::function<bool()> go_on = {});

    bool step(); // a round, or the making of the weights; false: complete, and nothing was done
    [[nodiscard]] const std::string& model() const { return model_; } // that is being timed
    [[nodiscard]] double done() const;                                // 0 … 1, of both
    // Null until that one is complete.
    [[nodiscard]] std::shared_ptr<const PassTimes> own() const { return own_; }
    [[nodiscard]] std::shared_ptr<const PassTimes> beside() const { return beside_; }

  private:
    void make_weights();

    std::shared_ptr<const Models> models_; // of what is being timed
    std::string shape_, model_;
    std::function<bool()> go_on_;
    std::unique_ptr<PassMeasurement> measurement_; // null: the weights are to be made, or it is complete
    std::shared_ptr<const PassTimes> own_, beside_;
    bool two_ = false;
};

} // namespace speclens
