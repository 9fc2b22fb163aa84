// The run on screen: the engine's, or one from a file that hides it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/frame/controller_common.h"
#include "engine/session/snapshot.h"

namespace speclens {

class RunPart {
  public:
    RunPart(ControllerCommon& common, const RunSettings& first);

    bool observe(const Snapshot& published, double now); // true: another live run is on screen
    [[nodiscard]] const RunSettings& settings() const { return settings_; }
    [[nodiscard]] const std::shared_ptr<const Trace>& live() const { return live_; }
    [[nodiscard]] const std::shared_ptr<const Trace>& saved() const { return saved_; }                  // null: the live one is on screen
    [[nodiscard]] const std::shared_ptr<const Trace>& shown() const { return saved_ ? saved_ : live_; } // null: none yet
    [[nodiscard]] bool due() const { return restarts_ > 0; } // another one was asked for and is not there yet
    [[nodiscard]] bool grows() const { return saved_ ? growing_ : common_.has_engine(); }
    void fill(SceneInput& in) const;

    void begin(RunSettings settings, bool measure = false); // measure: as in Restart
    void branch(Fork fork);
    void ask(const Command& command, double now);  // the engine, where it suits what is on screen
    [[nodiscard]] bool at_limit(double now) const; // K is all that the drafter can draft; says so
    void forget(const RunSettings& settings);      // it was of other models

    // A saved one.
    void open(std::shared_ptr<const Trace> trace, const RunSettings& settings, bool growing);
    void is_over() { growing_ = false; }
    [[nodiscard]] bool in_other_precision() const; // of the loaded model, but with other products
    [[nodiscard]] bool by_other_kernels() const;   // in that precision, but of other forms of its matrices or other kernels

  private:
    [[nodiscard]] bool suits_saved(const Command& command, double now) const;
    void keep_to_limit(double now);

    ControllerCommon& common_;
    RunSettings settings_;
    std::shared_ptr<const Trace> saved_, live_;
    bool growing_ = false;      // of the saved one more may come
    EngineStatus saved_status_; // it has no timings of this machine
    Answers answers_;
    std::shared_ptr<const std::vector<EarlierSettings>> earlier_;
    bool begun_ = false;             // a run came
    int restarts_ = 0;               // sent, not answered by a new run yet
    std::vector<Command> questions_; // about a run that may be replaced before they arrive: not sent yet
    std::uint64_t runs_seen_ = 0;
    std::map<std::string, int> most_in_a_row_; // by drafter, as its runs showed
};

} // namespace speclens
