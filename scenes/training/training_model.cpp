#include "scenes/training/training_model.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace speclens {
namespace {

// Of these texts the one whose case is called so; empty: none is.
template <StoryLabel... Ids>
Message called(std::string_view name, TextId<Ids>... ids) {
    Message found;
    const auto look_at = [&](auto id) {
        if (id.view.substr(id.view.find(':') + 1) == name) found = training_says(id);
    };
    (look_at(ids), ...);
    return found;
}

Message arm_words(std::string name) {
    if (Message known =
            called(name, "arm.name:self_generated"_t, "arm.name:teacher_forcing"_t, "arm.name:curriculum"_t, "arm.name:half_curriculum"_t,
                   "arm.name:none"_t, "arm.name:embeddings"_t, "arm.name:one_tap"_t, "arm.name:three_taps"_t, "arm.name:trained_16"_t,
                   "arm.name:trained_8"_t, "arm.name:equal"_t, "arm.name:g4"_t, "arm.name:g7"_t, "arm.name:dpace"_t,
                   "arm.name:modes_dflash"_t, "arm.name:modes_domino"_t, "arm.name:no_modes_dflash"_t, "arm.name:no_modes_domino"_t);
        !known.empty())
        return known;
    constexpr std::string_view kSteps = "steps_";
    int steps = 0;
    if (name.starts_with(kSteps) && std::from_chars(&name[kSteps.size()], name.data() + name.size(), steps).ec == std::errc())
        return training_says("arm.steps"_t, "steps"_v = steps);
    std::ranges::replace(name, '_', ' ');
    return training_says("arm.other"_t, "name"_v = name);
}

// Mean of the seeds' curves, as far as all of them go.
std::vector<double> mean_curve(const Arm& arm, const char* name) {
    std::vector<double> mean;
    for (const TrainingRun& run : arm.runs) {
        const auto found = run.curves.find(name);
        if (found == run.curves.end()) return {};
        if (&run == &arm.runs.front()) mean.assign(found->second.size(), 0.0);
        mean.resize(std::min(mean.size(), found->second.size()));
        for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += found->second[i] / static_cast<double>(arm.runs.size());
    }
    return mean;
}

// The rounds of every seed, followed from position to position.
void count_positions(TrainingArm& shown, const Arm& arm, const ServedResult& kind) {
    std::vector<double> kept;
    for (const TrainingRun& run : arm.runs) {
        const ServedResult* result = run.result(kind.drafts, kind.base_only, kind.temperature);
        if (!result) continue;
        double reached = result->rounds;
        for (std::size_t k = 0; k < result->conditional.size(); ++k) {
            if (k == kept.size()) {
                kept.push_back(0);
                shown.judged.push_back(0);
            }
            shown.judged[k] += reached;
            reached *= result->conditional[k];
            kept[k] += reached;
        }
    }
    for (std::size_t k = 0; k < kept.size() && shown.judged[k] >= 0.5; ++k) shown.conditional.push_back(kept[k] / shown.judged[k]);
    shown.judged.resize(shown.conditional.size());
}

TrainingArm arm_of(const Arm& arm, double temperature) {
    TrainingArm shown;
    shown.name = arm_words(arm.name);
    shown.arm = &arm;
    const TrainingRun& first = arm.runs.front();
    shown.steps = first.steps;
    shown.loss = mean_curve(arm, "final_loss");
    if (shown.loss.empty()) shown.loss = mean_curve(arm, "loss");
    shown.base_loss = mean_curve(arm, "base_loss");
    shown.positions.assign(first.positions.begin(),
                           first.positions.begin() + static_cast<std::ptrdiff_t>(std::min(first.positions.size(), shown.loss.size())));
    for (const ServedResult& result : first.served) {
        if (std::abs(result.temperature - temperature) > 1e-9) continue;
        TrainingArm::Bar bar{result.drafts, result.base_only, 0, 0, 0, {}};
        for (const TrainingRun& run : arm.runs)
            if (const ServedResult* same = run.result(result.drafts, result.base_only, temperature)) {
                bar.seeds.push_back(same->tokens);
                bar.tokens += same->tokens;
                bar.low += same->low;
                bar.high += same->high;
            }
        const double n = static_cast<double>(bar.seeds.size());
        bar.tokens /= n, bar.low /= n, bar.high /= n;
        shown.prompts = result.prompts;
        if (shown.bars.empty()) count_positions(shown, arm, result);
        shown.bars.push_back(std::move(bar));
    }
    return shown;
}

// With so many guesses, nothing left out; null: not served so.
const TrainingArm::Bar* served_with(const TrainingArm& arm, int drafts) {
    const auto found = std::ranges::find_if(arm.bars, [&](const TrainingArm::Bar& bar) { return bar.drafts == drafts && !bar.base_only; });
    return found == arm.bars.end() ? nullptr : &*found;
}

std::vector<TrainingModel::Ends> ends_of(const std::vector<TrainingArm>& arms) {
    std::vector<TrainingModel::Ends> all;
    for (const TrainingArm::Bar& first : arms.front().bars) {
        if (first.base_only) continue;
        TrainingModel::Ends ends{first.drafts, 0, 0, &first, &first};
        bool everywhere = true;
        for (int i = 0; i < static_cast<int>(arms.size()); ++i) {
            const TrainingArm& arm = arms[static_cast<std::size_t>(i)];
            const TrainingArm::Bar* bar = served_with(arm, first.drafts);
            everywhere = everywhere && (bar || arm.bars.empty());
            if (bar && bar->tokens > ends.high->tokens) ends.high = bar, ends.best = i;
            if (bar && bar->tokens < ends.low->tokens) ends.low = bar, ends.worst = i;
        }
        if (everywhere) all.push_back(ends);
    }
    return all;
}

// The mean curve at a share of its length.
double at_share(const std::vector<double>& curve, double share) {
    const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(curve.size() - 1);
    const auto i = static_cast<std::size_t>(place);
    if (i + 1 >= curve.size()) return curve.back();
    return curve[i] + (curve[i + 1] - curve[i]) * (place - static_cast<double>(i));
}

} // namespace

Message at_temperature(const TrainingModel& m) { return training_says("words.temperature"_t, "temperature"_v = m.temperature); }

double curriculum_weight(double progress, double rho) { return rho > 0 ? std::clamp(1 - progress / rho, 0.0, 1.0) : 0; }

double position_weight(int k, double g) { return g > 0 ? std::exp(-(k - 1) / g) : 1; }

PositionWeights weights_of(const TrainingRun& run) {
    PositionWeights weights;
    const auto value_of = [&](const char* option) -> std::optional<double> {
        const auto found = std::ranges::find(run.arguments, option);
        if (found == run.arguments.end() || found + 1 == run.arguments.end()) return {};
        return std::strtod((found + 1)->c_str(), nullptr);
    };
    weights.by_block = std::ranges::find(run.arguments, "--dpace") != run.arguments.end();
    weights.by_step = run.method == "eagle3";
    if (weights.by_step) {
        weights.decay = -1 / std::log(0.8);
        weights.positions = static_cast<int>(value_of("--test-steps").value_or(7));
    } else {
        weights.decay = value_of("--decay").value_or(weights.decay);
        weights.positions = static_cast<int>(value_of("--block").value_or(16)) - 1;
    }
    weights.positions = std::clamp(weights.positions, 1, 15);
    return weights;
}

Message weights_words(const PositionWeights& weights) {
    if (weights.by_block) return training_says("weights.way:block"_t);
    if (weights.by_step) return training_says("weights.way:step"_t);
    return weights.decay > 0 ? training_says("weights.way:decay"_t, "g"_v = weights.decay) : training_says("weights.way:alike"_t);
}

double fade_of(const std::string& arm) { return arm == "curriculum" ? 1 : arm == "half_curriculum" ? 0.5 : 0; }

Message study_words(const AblationStudy& study) {
    Message known = called(study.name, "study.name:domino"_t, "study.name:conditioning"_t, "study.name:block"_t, "study.name:test_steps"_t,
                           "study.name:weights"_t, "study.name:modes"_t);
    return training_says("study.title"_t, "study"_v = known.empty() ? training_says("study.other"_t, "name"_v = study.name) : known,
                         "target"_v = study.target.substr(0, study.target.find('-')));
}

TrainingModel training_model(const SceneInput& input, const TrainingState& state) {
    TrainingModel m;
    m.temperature = state.sampled ? kServedSampled : 0;
    if (!input.ablations) return m;
    for (const AblationStudy& study : input.ablations->studies) m.studies.push_back(&study);
    m.study = input.ablations->find(state.study, state.target);
    if (!m.study && !m.studies.empty()) m.study = m.studies.front();
    if (!m.study) return m;
    for (const Arm& arm : m.study->arms) m.arms.push_back(arm_of(arm, m.temperature));
    m.arm = std::clamp(state.arm, 0, static_cast<int>(m.arms.size()) - 1);
    m.ends = ends_of(m.arms);
    const TrainingArm& chosen = m.chosen();
    m.weights = weights_of(chosen.arm->runs.front());
    m.own_weights = m.weights.can_decay() && state.decay && *state.decay != m.weights.decay;
    if (m.own_weights) m.weights.decay = *state.decay;
    if (!chosen.base_loss.empty() && !chosen.loss.empty())
        m.losses = TrainingModel::Losses{curriculum_weight(state.progress, fade_of(chosen.arm->name)),
                                         at_share(chosen.loss, state.progress), at_share(chosen.base_loss, state.progress)};
    return m;
}

std::string own_target(const SceneInput& input, const std::string& study) {
    const Header* const run = input.whole ? input.whole->header : nullptr;
    if (!input.ablations || !run) return "";
    for (const AblationStudy& one : input.ablations->studies) // a file's name may go on: "….Q4_1"
        if (one.name == study && !one.target.empty() && run->model.starts_with(one.target)) return one.target;
    return "";
}

const char* study_of_beat(int beat) {
    constexpr const char* kStudies[kTrainingBeats] = {"", kPrefixStudy, kPrefixStudy, "test_steps", "block", "weights", "modes", ""};
    return kStudies[std::clamp(beat, 0, kTrainingBeats - 1)];
}

} // namespace speclens
