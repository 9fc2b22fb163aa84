#include "scenes/failures/diagnosis_model.h"

#include <algorithm>
#include <numeric>

#include "engine/drafters/drafter_info.h"
#include "scenes/failures/failures_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/reported_speed.h"
#include "scenes/shared/run_controls.h"

namespace speclens {
namespace {

constexpr int kSeeds = 3;        // runs of each set-up
constexpr double kSampled = 0.7; // temperature where the run on screen is greedy
constexpr double kHot = 4;       // times the target's temperature

Dashboard dashboard(const Study& study, const RunSettings& settings, double plain_ms) {
    Dashboard d;
    for (const StudyPoint& point : study.points) {
        RunSettings same = point.settings;
        same.seed = settings.seed;
        if (!point.problem.empty() || same != settings) continue;
        d.rounds += point.rounds;
        d.tokens += point.tokens;
        d.judged.resize(std::max(d.judged.size(), point.judged.size()));
        d.kept.resize(d.judged.size());
        for (std::size_t i = 0; i < point.judged.size(); ++i) {
            d.judged[i] += point.judged[i];
            d.kept[i] += point.kept[i];
        }
        // of the quickest run: what is slower was disturbed
        if (point.verify_ms <= 0 || (d.verify_ms > 0 && point.draft_ms + point.verify_ms >= d.draft_ms + d.verify_ms)) continue;
        d.draft_ms = point.draft_ms;
        d.verify_ms = point.verify_ms;
    }
    if (plain_ms > 0 && d.verify_ms > 0) d.speedup = d.tokens_per_round() * plain_ms / (d.draft_ms + d.verify_ms);
    d.doubt = !study_doubt(study).empty();
    return d;
}

// Whether it is worse than without the fault: on an easy prompt some faults do no harm.
bool is_ill(const DiagnosisCase& c) {
    if (c.broken.rounds == 0 || c.cured.rounds == 0) return false; // measured for another prompt or seed
    if (c.broken.speedup > 0 && c.cured.speedup > 0 && !c.cured.doubt) return c.cured.speedup > 1.1 * c.broken.speedup;
    return c.cured.tokens_per_round() > 1.2 * c.broken.tokens_per_round();
}

std::string letter_of(int shown) { return {static_cast<char>('A' + shown)}; }

} // namespace

double Dashboard::rounds_with_guesses() const { return rounds > 0 && !judged.empty() ? static_cast<double>(judged[0]) / rounds : 0; }

int DiagnosisModel::answered() const {
    return static_cast<int>(std::ranges::count_if(cases, [](const DiagnosisCase& c) { return c.answer >= 0; }));
}

int DiagnosisModel::solved() const {
    return static_cast<int>(std::ranges::count_if(cases, [](const DiagnosisCase& c) { return c.right(); }));
}

std::vector<Patient> diagnosis_patients(const SceneInput& input) {
    std::vector<Patient> patients;
    if (!models_loaded(input) || !input.settings) return patients;
    const std::string chain = ready_drafter(input, &DrafterInfo::chains_passes), block = ready_drafter(input, &DrafterInfo::block);
    RunSettings base = *input.settings;
    base.options = {};
    base.draft_sampling.reset();
    base.internals = false;
    base.trace_top = 0;
    base.max_tokens = 64;
    if (base.sampling.temperature == 0) base.sampling.temperature = kSampled;
    const auto with = [&](const std::string& drafter, int k) {
        RunSettings settings = base;
        settings.drafter = drafter;
        settings.rule = "token";
        settings.k = k;
        return settings;
    };
    const auto add = [&](Patient patient) { patients.push_back(std::move(patient)); };
    if (!chain.empty()) {
        add({failures_says("too_many.cause"_t), failures_says("too_many.sign"_t), failures_says("too_many.cure"_t), with(chain, 32),
             with(chain, 4)});
        add({failures_says("timid.cause"_t), failures_says("timid.sign"_t), failures_says("timid.cure"_t), with(chain, 1), with(chain, 5)});
        RunSettings hot = with(chain, 4);
        hot.draft_sampling = hot.sampling;
        hot.draft_sampling->temperature = kHot * hot.sampling.temperature;
        add({failures_says("hot.cause"_t), failures_says("hot.sign"_t), failures_says("hot.cure"_t), hot, with(chain, 4)});
    }
    if (drafter_ready(input, "skip")) {
        RunSettings slow = with("skip", 4);
        slow.options.skip_attention = {1};
        add({failures_says("dear.cause"_t), failures_says("dear.sign"_t), failures_says("dear.cure"_t, "network"_v = !chain.empty()), slow,
             chain.empty() ? with("skip", 1) : with(chain, 4)});
    }
    if (drafter_ready(input, "lookup")) {
        RunSettings silent = with("lookup", 4);
        silent.options.ngram_min = silent.options.ngram_max = 6;
        add({failures_says("no_copy.cause"_t), failures_says("no_copy.sign"_t),
             failures_says("no_copy.cure"_t, "network"_v = !chain.empty()), silent, chain.empty() ? with("lookup", 4) : with(chain, 4)});
    }
    if (!block.empty()) {
        RunSettings blind = with(block, 7);
        blind.options.conditioning = false;
        add({failures_says("blind.cause"_t), failures_says("blind.sign"_t), failures_says("blind.cure"_t), blind, with(block, 7)});
    }
    return patients;
}

RunStudy diagnosis_study(const std::vector<Patient>& patients) {
    RunStudy study{kDiagnosisStudy, {}};
    if (patients.empty()) return study;
    RunSettings plain = patients.front().cured;
    plain.drafter = kNoDrafter;
    plain.k = 0;
    plain.options = {};
    study.runs.push_back(plain);
    for (const Patient& patient : patients)
        for (RunSettings settings : {patient.broken, patient.cured}) {
            const std::uint64_t first = settings.seed;
            for (int seed = 0; seed < kSeeds; ++seed) {
                settings.seed = first + static_cast<std::uint64_t>(seed);
                if (std::ranges::find(study.runs, settings) == study.runs.end()) study.runs.push_back(settings);
            }
        }
    return study;
}

DiagnosisModel diagnosis_model(const SceneInput& input, const DiagnosisState& state) {
    DiagnosisModel m;
    m.patients = diagnosis_patients(input);
    const Study* study = study_named(input, kDiagnosisStudy);
    if (!study || m.patients.empty()) return m;
    m.measuring = !study->complete();
    if (m.measuring) return m;
    for (const StudyPoint& point : study->points)
        if (point.settings.drafter == kNoDrafter) m.plain_ms = point.verify_ms;
    // The waiting room: another order than the causes have, the same for the same seed.
    std::vector<int> order(m.patients.size());
    std::iota(order.begin(), order.end(), 0);
    std::uint64_t mixed = input.settings->seed * 6364136223846793005ULL + 1442695040888963407ULL;
    for (std::size_t i = order.size(); i > 1; --i) {
        mixed = mixed * 6364136223846793005ULL + 1442695040888963407ULL;
        std::swap(order[i - 1], order[(mixed >> 33) % i]);
    }
    for (const int patient : order) {
        const Patient& ill = m.patients[static_cast<std::size_t>(patient)];
        DiagnosisCase one{patient, dashboard(*study, ill.broken, m.plain_ms), dashboard(*study, ill.cured, m.plain_ms)};
        if (!is_ill(one)) continue;
        if (const std::size_t at = m.cases.size(); at < state.answers.size()) one.answer = state.answers[at];
        m.cases.push_back(std::move(one));
    }
    m.shown = std::clamp(state.shown, 0, std::max(0, static_cast<int>(m.cases.size()) - 1));
    return m;
}

Message case_name(int shown) { return failures_says("game.case"_t, "letter"_v = letter_of(shown)); }

Message case_words(const DiagnosisModel& m, int shown) {
    const DiagnosisCase& c = m.cases[static_cast<std::size_t>(shown)];
    const Dashboard& d = c.broken;
    const bool answered = c.answer >= 0;
    return failures_says("set_up.case"_t, "set_up"_v = case_name(shown), "tokens"_v = d.tokens_per_round(),
                         "draft"_v = if_measured(d.draft_ms), "verify"_v = if_measured(d.verify_ms), "doubt"_v = d.doubt && d.speedup > 0,
                         "times"_v = if_measured(d.speedup), "share"_v = d.rounds_with_guesses(),
                         "named"_v = answered ? m.patients[static_cast<std::size_t>(c.answer)].cause : Message(),
                         "right"_v = answered && c.right(), "wrong"_v = answered && !c.right());
}

StageTitle diagnosis_title(const DiagnosisModel& m) {
    StageTitle title;
    if (m.cases.empty()) {
        title.title = failures_says("game.title:none"_t);
        title.subtitle = m.patients.empty() ? failures_says("game.subtitle:no_models"_t)
                         : m.measuring      ? failures_says("game.subtitle:running"_t)
                                            : failures_says("game.subtitle:none"_t);
        return title;
    }
    const int answered = m.answered();
    const auto all = m.cases.size();
    title.title = answered < static_cast<int>(all) ? failures_says("game.title:ask"_t, "letter"_v = letter_of(m.shown))
                                                   : failures_says("game.title:done"_t, "solved"_v = m.solved(), "of"_v = all);
    title.subtitle = failures_says("game.subtitle:cases"_t, "seeds"_v = kSeeds, "answered"_v = answered, "of"_v = all,
                                   "plain"_v = if_measured(m.plain_ms));
    return title;
}

Message diagnosis_verdict(const DiagnosisModel& m) {
    if (m.cases.empty() || m.now().answer < 0) return {};
    const DiagnosisCase& c = m.now();
    const auto change = [](auto text, double before, double after) {
        if (before <= 0 || after <= 0) return failures_says("game.change:unknown"_t);
        return failures_says(text, "before"_v = before, "after"_v = after);
    };
    return failures_says("game.verdict"_t, "sign"_v = m.ill().sign, "cure"_v = m.ill().cure,
                         "tokens"_v = change("game.change:tokens"_t, c.broken.tokens_per_round(), c.cured.tokens_per_round()),
                         "times"_v = change("game.change:times"_t, c.broken.speedup, c.cured.speedup));
}

} // namespace speclens
