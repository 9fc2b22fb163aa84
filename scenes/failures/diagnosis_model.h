// The game of S14: set-ups with one thing wrong each, run on the loaded models. Only their figures are shown;
// the learner names the cause, then sees what was changed and the same set-up without it.
#pragma once

#include <vector>

#include "scenes/shared/scene_input.h"
#include "scenes/shared/story.h"

namespace speclens {

inline constexpr const char* kDiagnosisStudy = "diagnosis";

// What a dashboard shows of a set-up: sums over a few runs, times of the quickest.
struct Dashboard {
    int rounds = 0, tokens = 0;
    std::vector<int> judged, kept;      // by position
    double draft_ms = 0, verify_ms = 0; // medians of rounds that proposed all guesses; 0: there was none
    double speedup = 0;                 // against plain decoding; 0: not known
    bool doubt = false;                 // of these times
    [[nodiscard]] double tokens_per_round() const { return rounds > 0 ? static_cast<double>(tokens) / rounds : 0; }
    [[nodiscard]] double rounds_with_guesses() const; // share
};

struct Patient {
    Message cause; // as the learner picks it
    Message sign;  // what gives it away
    Message cure;
    RunSettings broken, cured;
};
// Those that the loaded drafters allow, in the order of the list of causes. Empty without models.
[[nodiscard]] std::vector<Patient> diagnosis_patients(const SceneInput& input);
// Plain decoding, then every patient ill and cured. No runs: there is nobody to examine.
[[nodiscard]] RunStudy diagnosis_study(const std::vector<Patient>& patients);

// What the user did.
struct DiagnosisState {
    int shown = 0;            // from 0, in the order of the waiting room
    std::vector<int> answers; // of each in that order: a cause; -1 or missing: not yet
    bool operator==(const DiagnosisState&) const = default;
};

struct DiagnosisCase {
    int patient = 0; // index of patients, which is the right cause
    Dashboard broken, cured;
    int answer = -1;
    [[nodiscard]] bool right() const { return answer == patient; }
};
struct DiagnosisModel {
    std::vector<Patient> patients;
    std::vector<DiagnosisCase> cases; // waiting room, without those that do no harm here; empty: not measured yet
    int shown = 0;
    bool measuring = false;
    double plain_ms = 0; // a plain pass, which the speed-ups are counted by; 0: not known
    [[nodiscard]] const DiagnosisCase& now() const { return cases[static_cast<std::size_t>(shown)]; }
    [[nodiscard]] const Patient& ill() const { return patients[static_cast<std::size_t>(now().patient)]; }
    [[nodiscard]] int answered() const;
    [[nodiscard]] int solved() const;
};
[[nodiscard]] DiagnosisModel diagnosis_model(const SceneInput& input, const DiagnosisState& state);

[[nodiscard]] Message case_name(int shown);                               // "Set-up A"
[[nodiscard]] Message case_words(const DiagnosisModel& model, int shown); // its figures; the cause only where one was named
[[nodiscard]] StageTitle diagnosis_title(const DiagnosisModel& model);
[[nodiscard]] Message diagnosis_verdict(const DiagnosisModel& model); // of the shown case, once it was answered

void draw_diagnosis(ui::Ui& ui, ui::Rect area, const DiagnosisModel& model, DiagnosisState& state);

} // namespace speclens
