// How the drafters were trained, from the recipe's own experiments: curves of short runs that differ in one
// thing, what each was worth when served, and the two weights of the losses that can be dragged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/published/ablations.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/message_scene.h"

namespace speclens {

inline constexpr MessagesOf<"training", "use", "prefix", "lazy", "steps", "block", "early", "prediction", "live"> training_says;
inline constexpr SaidOf<"training"> training_said; // of a list: its words are nobody's alone
inline constexpr int kTrainingBeats = training_says.size;
inline constexpr double kServedSampled = 0.7; // the temperature of texts that are not greedy

// Weight of the base loss after a share `progress` of the run: 1 at the start, 0 after `rho` of it (0: never
// any).
[[nodiscard]] double curriculum_weight(double progress, double rho);
// exp(-(k-1) / g), k from 1; g = 0: all 1.
[[nodiscard]] double position_weight(int k, double g);

// How an arm's loss weighs the positions of a block.
struct PositionWeights {
    double decay = 7;      // g; 0: all alike
    int positions = 15;    // that have a weight
    bool by_block = false; // D-PACE: every block sets its own, there is no curve to draw
    bool by_step = false;  // EAGLE-3: .8 to the power of the test-time steps before it
    [[nodiscard]] double operator()(int k) const { return position_weight(k, decay); }
    [[nodiscard]] bool can_decay() const { return !by_block && !by_step; }
};
[[nodiscard]] PositionWeights weights_of(const TrainingRun& run);
[[nodiscard]] Message weights_words(const PositionWeights& weights); // "exp(−(k−1) ÷ 7.0)"

// The key in assets/models/ablations.json of the study that the scene opens with: what Domino's head is given as prefix.
inline constexpr const char* kPrefixStudy = "domino";

// What the user set.
struct TrainingState {
    std::string study = kPrefixStudy;
    std::string target; // that the study's heads were trained for; empty: the built-in one
    int arm = 0;
    bool sampled = false;         // served at T = 0.7 instead of 0
    double progress = 0.5;        // of a run, for the weight of the losses
    std::optional<double> decay;  // g of the position weights, instead of the arm's
    std::optional<HeadKind> head; // to train here; none: the run's drafter, where it can be taught, else Medusa's heads
    int steps = 0;                // of it; 0: the usual number
    bool operator==(const TrainingState&) const = default;
    void choose(int which) { // an arm, with its own weights
        if (which != arm) decay.reset();
        arm = which;
    }
};

// One arm as the picture shows it: means over seeds.
struct TrainingArm {
    Message name;
    const Arm* arm = nullptr;
    int steps = 0, prompts = 0;
    std::vector<double> positions, loss, base_loss; // base_loss empty unless the method has one
    struct Bar {
        int drafts = 0;
        bool base_only = false;
        double tokens = 0, low = 0, high = 0;
        std::vector<double> seeds;
    };
    std::vector<Bar> bars;
    // Of the first bar, all seeds together: share kept at each position once all before it were, and about
    // how many guesses it was counted over.
    std::vector<double> conditional, judged;
    [[nodiscard]] bool few(std::size_t position) const { return judged[position] < kEnoughRounds; }
};

struct TrainingModel {
    const AblationStudy* study = nullptr; // null: there is none
    std::vector<const AblationStudy*> studies;
    std::vector<TrainingArm> arms;
    int arm = 0;
    double temperature = 0;
    // The best and the worst arm with each number of guesses that all arms were served with.
    struct Ends {
        int drafts = 0, best = 0, worst = 0;
        const TrainingArm::Bar *high = nullptr, *low = nullptr;
        [[nodiscard]] bool apart() const { return high->low > low->high; } // their intervals
    };
    std::vector<Ends> ends;
    [[nodiscard]] const TrainingArm& chosen() const { return arms[static_cast<std::size_t>(arm)]; }
    // At the dragged progress of the chosen arm's run: weight of the base loss and both losses; none without
    // a base loss.
    struct Losses {
        double weight = 0, final_loss = 0, base_loss = 0;
        [[nodiscard]] double total() const { return (1 - weight) * final_loss + weight * base_loss; }
    };
    std::optional<Losses> losses;
    PositionWeights weights;  // of the chosen arm, or as dragged
    bool own_weights = false; // dragged: no longer the arm's
};
[[nodiscard]] Message at_temperature(const TrainingModel& model); // "T = 0.7"
[[nodiscard]] TrainingModel training_model(const SceneInput& input, const TrainingState& state);
[[nodiscard]] Message study_words(const AblationStudy& study); // "Prefixes of Domino's head", with the model unless it is built in
// Share of a run over which an arm's base loss fades: 1, .5 or 0 by its --base-rho.
[[nodiscard]] double fade_of(const std::string& arm);

[[nodiscard]] const char* study_of_beat(int beat); // "": stays what it is
// The target of the study of that name that the loaded model may see as its own; empty: there is none, the built-in one's stands in.
[[nodiscard]] std::string own_target(const SceneInput& input, const std::string& study);

} // namespace speclens
