#include "scenes/training/training_model.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "ui/format.h"

namespace speclens {
namespace {

std::string arm_words(const std::string& name) {
    static const std::map<std::string, std::string> kWords = {{"self_generated", "its own guesses"},
                                                              {"teacher_forcing", "the true text"},
                                                              {"curriculum", "true text, base loss fading"},
                                                              {"half_curriculum", "base loss faded at half time"},
                                                              {"none", "without the target's states"},
                                                              {"embeddings", "token embeddings instead"},
                                                              {"one_tap", "states of one layer"},
                                                              {"three_taps", "states of three layers"},
                                                              {"trained_16", "trained on blocks of 16"},
                                                              {"trained_8", "trained on blocks of 8"},
                                                              {"equal", "all positions alike"},
                                                              {"g4", "early positions more, g = 4"},
                                                              {"g7", "early positions more, g = 7"},
                                                              {"dpace", "D-PACE: by length at stake"},
                                                              {"modes_dflash", "DFlash with modes"},
                                                              {"modes_domino", "Domino with modes"},
                                                              {"no_modes_dflash", "DFlash without modes"},
                                                              {"no_modes_domino", "Domino without modes"}};
    if (const auto found = kWords.find(name); found != kWords.end()) return found->second;
    if (name.starts_with("steps_")) return name.substr(6) + (name == "steps_1" ? " test-time step" : " test-time steps");
    std::string words = name;
    std::ranges::replace(words, '_', ' ');
    return words;
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

std::string at_temperature(const TrainingModel& m) {
    return "T = " + (m.temperature > 0 ? ui::number(m.temperature, 1) : std::string("0"));
}

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

std::string weights_words(const PositionWeights& weights) {
    if (weights.by_block) return "each block sets its own";
    if (weights.by_step) return ".8^(k−1)";
    return weights.decay > 0 ? "exp(−(k−1) ÷ " + ui::number(weights.decay, 1) + ")" : std::string("all alike");
}

double fade_of(const std::string& arm) { return arm == "curriculum" ? 1 : arm == "half_curriculum" ? 0.5 : 0; }

std::string study_words(const AblationStudy& study) {
    static const std::map<std::string, std::string> kWords = {
        {kPrefixStudy, "Prefixes of Domino's head"}, {"conditioning", "What a DFlash block is told"}, {"block", "Size of a DFlash block"},
        {"test_steps", "EAGLE-3: test-time steps"},  {"weights", "Weights of the positions"},         {"modes", "Text and modes"}};
    const auto found = kWords.find(study.name);
    const std::string words = found == kWords.end() ? study.name : found->second;
    return study.target.empty() ? words : words + ", " + study.target.substr(0, study.target.find('-'));
}

TrainingModel training_model(const SceneInput& input, const TrainingState& state) {
    TrainingModel m;
    m.temperature = state.sampled ? 0.7 : 0;
    if (!input.ablations) return m;
    for (const AblationStudy& study : input.ablations->studies) m.studies.push_back(&study);
    m.study = input.ablations->find(state.study, state.target);
    if (!m.study && !m.studies.empty()) m.study = m.studies.front();
    if (!m.study) return m;
    m.machine = m.study->machine;
    m.date = m.study->date;
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
