// The game of S14: set-ups with one thing wrong, told by their figures alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/run/run.h"
#include "scenes/failures/diagnosis_model.h"
#include "scenes/failures/failures_model.h"
#include "tests/scenes/failures_bench.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/drawn_numbers.h"
#include "tests/shared/finished.h"
#include "ui/format.h"

namespace speclens {
namespace {

// The planned runs, each with figures by its place in the plan: what is broken brings a tenth of a token,
// what is cured two.
Study examined(const RunStudy& plan, const std::vector<Patient>& patients) {
    Study done{plan.name, static_cast<int>(plan.runs.size()), {}};
    for (const RunSettings& run : plan.runs) {
        const auto broken = [&](const Patient& patient) {
            RunSettings same = run;
            same.seed = patient.broken.seed;
            return same == patient.broken;
        };
        const bool ill = std::ranges::any_of(patients, broken), plain = run.drafter == "none";
        StudyPoint point;
        point.settings = run;
        point.rounds = 10;
        point.tokens = plain ? 10 : ill ? 11 : 30;
        point.verify_ms = 0.5;
        if (!plain) {
            point.draft_ms = 0.25;
            point.head_ms = 0.125; // of it
            point.judged = {10, 5};
            point.kept = {ill ? 1 : 9, ill ? 0 : 5};
        }
        done.points.push_back(point);
    }
    return done;
}

struct Playing : Loaded {
    explicit Playing(ui::Rect screen = {0, 0, 1600, 1000}) : Loaded(true, screen) {
        published.status.ready_drafters = {"none", "small", "lookup", "skip", "dflash"};
        bench->controller.observe(published, bench->time);
        bench->controller.perform({SceneCommand{SetBeat{kFailuresBeats - 1}}}, bench->time);
        bench->settle();
    }
    [[nodiscard]] SceneInput input() { return bench->controller.frame(0).scene; }
    void examine() {
        const std::vector<Patient> patients = diagnosis_patients(input());
        const RunStudy plan = diagnosis_study(patients);
        published.studies[plan.name] = std::make_shared<const Study>(examined(plan, patients));
        bench->controller.observe(published, bench->time);
        bench->settle();
    }
};

TEST(Diagnosis, HasThePatientsThatTheLoadedDraftersAllow) {
    Playing live;
    const std::vector<Patient> all = diagnosis_patients(live.input());
    ASSERT_EQ(all.size(), 6u);
    for (const Patient& patient : all) EXPECT_NE(patient.broken, patient.cured) << patient.cause;
    EXPECT_EQ(all.back().broken.drafter, "dflash");
    EXPECT_FALSE(all.back().broken.options.conditioning);
    live.published.status.ready_drafters = {"none", "lookup"};
    live.bench->controller.observe(live.published, live.bench->time);
    live.bench->settle();
    const std::vector<Patient> few = diagnosis_patients(live.input());
    ASSERT_EQ(few.size(), 1u);
    EXPECT_EQ(few[0].cured.drafter, "lookup");
}

TEST(Diagnosis, PlansEveryRunOnceAndEveryRunCanBeMade) {
    Playing live;
    const RunStudy plan = diagnosis_study(diagnosis_patients(live.input()));
    ASSERT_GT(plan.runs.size(), 6u * 2u * 2u);
    for (std::size_t i = 0; i < plan.runs.size(); ++i) {
        EXPECT_EQ(std::find(plan.runs.begin(), plan.runs.begin() + static_cast<std::ptrdiff_t>(i), plan.runs[i]),
                  plan.runs.begin() + static_cast<std::ptrdiff_t>(i));
        const StudyPoint point = study_point(live.models, plan.runs[i]);
        EXPECT_EQ(point.problem, "") << plan.runs[i].drafter;
        EXPECT_GT(point.rounds, 0);
    }
}

TEST(Diagnosis, LeavesOutWhatDoesNoHarm) {
    Playing live;
    const std::vector<Patient> patients = diagnosis_patients(live.input());
    const RunStudy plan = diagnosis_study(patients);
    Study done = examined(plan, patients);
    for (StudyPoint& point : done.points)
        if (point.settings.k == 32) point.tokens = 40; // this fault helps
    live.published.studies[plan.name] = std::make_shared<const Study>(done);
    live.bench->controller.observe(live.published, live.bench->time);
    live.bench->settle();
    const DiagnosisModel m = diagnosis_model(live.input(), {});
    ASSERT_EQ(m.cases.size(), 5u);
    for (const DiagnosisCase& one : m.cases) EXPECT_NE(m.patients[static_cast<std::size_t>(one.patient)].broken.k, 32);
    EXPECT_NEAR(m.now().broken.tokens_per_round(), 1.1, 1e-9);
    EXPECT_DOUBLE_EQ(m.now().broken.draft_ms, 0.25) << "the head is part of it";
    EXPECT_NEAR(m.now().broken.speedup, 1.1 * 0.5 / 0.75, 1e-9);
    EXPECT_NEAR(m.now().cured.speedup, 3.0 * 0.5 / 0.75, 1e-9);
}

// As many tokens a round, but slower than plain decoding.
TEST(Diagnosis, KeepsAFaultThatCostsOnlyTime) {
    Playing live;
    const std::vector<Patient> patients = diagnosis_patients(live.input());
    const RunStudy plan = diagnosis_study(patients);
    Study done = examined(plan, patients);
    for (StudyPoint& point : done.points)
        if (point.settings.k == 32) point.tokens = 30, point.draft_ms = 2.75;
    live.published.studies[plan.name] = std::make_shared<const Study>(done);
    live.bench->controller.observe(live.published, live.bench->time);
    live.bench->settle();
    const DiagnosisModel m = diagnosis_model(live.input(), {});
    ASSERT_EQ(m.cases.size(), 6u);
    const auto slow = std::ranges::find_if(
        m.cases, [&](const DiagnosisCase& one) { return m.patients[static_cast<std::size_t>(one.patient)].broken.k == 32; });
    ASSERT_NE(slow, m.cases.end());
    EXPECT_NEAR(slow->broken.tokens_per_round(), slow->cured.tokens_per_round(), 1e-9);
    EXPECT_NEAR(slow->broken.speedup, 3.0 * 0.5 / 3.25, 1e-9);
}

TEST(FailuresScene, PlaysTheDiagnosis) {
    Playing live;
    EXPECT_TRUE(says(told_of(*live.bench), "failures.causes.slot:first"));
    live.bench->key(ui::Key::m);
    ASSERT_FALSE(live.sent.empty());
    const auto* asked = std::get_if<RunStudy>(&live.sent.back());
    ASSERT_NE(asked, nullptr);
    EXPECT_EQ(asked->name, kDiagnosisStudy);
    live.examine();
    const auto expect_asked = [&](const char* letter, int answered) {
        const ToldFrame told = told_of(*live.bench);
        EXPECT_EQ(test::words(test::only_said(told, "failures.game.title:ask"), "letter"), letter);
        const Said under = test::only_said(told, "failures.game.subtitle:cases");
        EXPECT_EQ(test::whole(under, "answered"), answered);
        EXPECT_EQ(test::whole(under, "of"), 6);
        EXPECT_EQ(test::whole(under, "seeds"), 3);
        EXPECT_TRUE(live.bench->shows(std::to_string(answered) + " of 6 answered"));
    };
    expect_asked("A", 0);
    EXPECT_FALSE(says(told_of(*live.bench), "failures.game.verdict")) << "no answer, no cure";
    const DiagnosisModel m = diagnosis_model(live.input(), {});
    const auto pick = [&](const std::string& cause) {
        for (const ui::RecordedText& text : live.bench->texts)
            if (text.text == cause) {
                live.bench->click(text.box.center());
                break;
            }
        live.bench->settle();
    };
    const auto right = static_cast<std::size_t>(m.cases[0].patient), wrong = (static_cast<std::size_t>(m.cases[1].patient) + 1) % 6;
    pick(m.patients[right].cause);
    expect_asked("A", 1);
    EXPECT_TRUE(says(told_of(*live.bench), "failures.causes.heading:right"));
    const Said verdict = test::only_said(told_of(*live.bench), "failures.game.verdict");
    const Said tokens = test::inner(verdict, "tokens"), times = test::inner(verdict, "times");
    EXPECT_EQ(tokens.id(), "failures.game.change:tokens");
    EXPECT_NEAR(test::real(tokens, "before"), 1.1, 1e-9);
    EXPECT_NEAR(test::real(tokens, "after"), 3, 1e-9);
    EXPECT_EQ(times.id(), "failures.game.change:times");
    EXPECT_NEAR(test::real(times, "before"), m.cases[0].broken.speedup, 1e-9);
    EXPECT_NEAR(test::real(times, "after"), m.cases[0].cured.speedup, 1e-9);
    EXPECT_EQ(test::inner(verdict, "sign"), m.patients[right].sign.said);
    EXPECT_EQ(test::inner(verdict, "cure"), m.patients[right].cure.said);
    EXPECT_TRUE(live.bench->shows("1.10 → 3.00"));
    live.bench->key(ui::Key::down);
    live.bench->settle();
    expect_asked("B", 1);
    if (wrong != static_cast<std::size_t>(m.cases[1].patient)) {
        pick(m.patients[wrong].cause);
        EXPECT_TRUE(says(told_of(*live.bench), "failures.causes.heading:wrong"));
        EXPECT_TRUE(live.bench->shows(m.patients[static_cast<std::size_t>(m.cases[1].patient)].cause)) << "the cause is said";
    }
    EXPECT_TRUE(says(told_of("failures", live.input()), "failures.causes.all"));
    live.bench->key(ui::Key::n);
    live.bench->settle();
    EXPECT_TRUE(says(told_of(*live.bench), "failures.load.title")) << "N goes back to the map";
}

// A number names a cause and changes no run; to run the set-ups again takes no answer away for good.
TEST(FailuresScene, NumbersNameACauseAndAnswersCanBeBroughtBack) {
    Playing live;
    live.examine();
    live.sent.clear();
    const int right = diagnosis_model(live.input(), {}).cases[0].patient;
    live.bench->key(static_cast<ui::Key>(static_cast<int>(ui::Key::d1) + right));
    EXPECT_TRUE(live.sent.empty()) << "another drafter was chosen";
    const auto answered = [&] { return test::whole(test::only_said(told_of(*live.bench), "failures.game.subtitle:cases"), "answered"); };
    EXPECT_TRUE(says(told_of(*live.bench), "failures.causes.heading:right"));
    EXPECT_EQ(answered(), 1);
    live.bench->key(ui::Key::m);
    live.examine();
    EXPECT_EQ(answered(), 0);
    live.bench->key(ui::Key::z, {.ctrl = true});
    EXPECT_EQ(answered(), 1);
    live.bench->key(ui::Key::z, {.ctrl = true});
    EXPECT_EQ(answered(), 0);
}

TEST(FailuresScene, NoNumberChoosesADrafterDuringTheGame) {
    Playing live;
    live.sent.clear();
    live.bench->key(ui::Key::d1); // before a set-up has run
    EXPECT_TRUE(live.sent.empty());
    live.examine();
    live.sent.clear();
    for (int i = 0; i < 2; ++i) live.bench->key(ui::Key::d2); // the second time it is answered already
    live.bench->key(ui::Key::d9);                             // no cause has this number
    EXPECT_TRUE(live.sent.empty());
}

TEST(FailuresScene, SaysWhatAPlainPassTakesBesideTheTimesOfASetUp) {
    Playing live;
    live.examine();
    EXPECT_EQ(test::real(test::only_said(told_of(*live.bench), "failures.game.subtitle:cases"), "plain"), 0.5);
    EXPECT_TRUE(live.bench->shows("a plain pass: 0.50 ms")) << live.bench->words;
}

// The figures of every set-up, the causes to choose from, and what was named.
TEST(FailuresTold, TellsEverySetUpInBothLanguages) {
    for (const char* language : {"en", "de"})
        for (const int named : {-1, 0, 1}) { // as the first one's cause: none, its own, another
            const test::Speaking speaking(language);
            SCOPED_TRACE(std::string(language) + " " + std::to_string(named));
            Playing live;
            live.examine();
            DiagnosisState state;
            if (named >= 0) {
                const auto key = (diagnosis_model(live.input(), {}).cases[0].patient + named) % 6;
                state.answers = {key};
                live.bench->key(static_cast<ui::Key>(static_cast<int>(ui::Key::d1) + key));
            }
            const DiagnosisModel m = diagnosis_model(live.input(), state);
            const ToldFrame told = told_of(*live.bench);
            const std::vector<Said> set_ups = test::all_said(told, "failures.set_up.case");
            const std::vector<Said> stayed = test::all_said(told, "shared.charts.stayed");
            ASSERT_EQ(set_ups.size(), 6U);
            ASSERT_EQ(stayed.size(), 12U) << "two positions each";
            for (std::size_t i = 0; i < set_ups.size(); ++i) {
                const Dashboard& d = m.cases[i].broken;
                const std::string letter(1, static_cast<char>('A' + i));
                EXPECT_EQ(test::words(test::inner(set_ups[i], "set_up"), "letter"), letter);
                EXPECT_EQ(test::real(set_ups[i], "tokens"), d.tokens_per_round());
                EXPECT_EQ(test::maybe<double>(set_ups[i], "draft"), 0.25);
                EXPECT_EQ(test::maybe<double>(set_ups[i], "verify"), 0.5);
                EXPECT_EQ(test::maybe<double>(set_ups[i], "times"), d.speedup);
                EXPECT_EQ(test::whole(set_ups[i], "doubt"), d.doubt);
                EXPECT_EQ(test::real(set_ups[i], "share"), d.rounds_with_guesses());
                const bool answered = i == 0 && named >= 0;
                EXPECT_EQ(test::whole(set_ups[i], "right"), answered && named == 0);
                EXPECT_EQ(test::whole(set_ups[i], "wrong"), answered && named == 1);
                EXPECT_EQ(test::maybe<std::vector<Said>>(set_ups[i], "named").has_value(), answered);
                if (answered) {
                    EXPECT_EQ(test::inner(set_ups[i], "named"), m.patients[static_cast<std::size_t>(state.answers[0])].cause.said);
                }
                std::vector<Said> own = stayed;
                std::erase_if(own, [&](const Said& one) { return test::words(test::inner(one, "series"), "letter") != letter; });
                ASSERT_EQ(own.size(), d.judged.size());
                for (std::size_t at = 0; at < own.size(); ++at) {
                    EXPECT_EQ(test::whole(own[at], "position"), static_cast<std::int64_t>(at) + 1);
                    EXPECT_EQ(test::whole(own[at], "kept"), d.kept[at]);
                    EXPECT_EQ(test::whole(own[at], "judged"), d.judged[at]);
                }
            }
            EXPECT_EQ(test::real(test::only_said(told, "failures.set_up.positions"), "share"), m.now().broken.rounds_with_guesses());
            const std::vector<Said> causes = test::list(test::only_said(told, "failures.causes.all"), "causes");
            ASSERT_EQ(causes.size(), m.patients.size());
            for (std::size_t i = 0; i < causes.size(); ++i) EXPECT_EQ(causes[i], m.patients[i].cause.said);
            EXPECT_EQ(says(told, "failures.game.verdict"), named >= 0);
            if (named >= 0) {
                const std::string cured = std::string_view(language) == "de" ? "Token pro Runde 1,10 → 3,00, Beschleunigung 0,73× → 2,00×."
                                                                             : "Tokens per round 1.10 → 3.00, speed-up 0.73× → 2.00×.";
                EXPECT_NE(in_words(told).find(cured), std::string::npos) << cured << "\n" << in_words(told);
            }
            if (named < 0 && std::string_view(language) == "en") {
                EXPECT_GT(test::expect_drawn_numbers_told("failures", live.input()), 2U);
            }
            const bool german = std::string_view(language) == "de";
            const std::string draft = ui::milliseconds(0.25), verify = ui::milliseconds(0.5);
            const std::string figures = german ? "Aufbau A: 1,10 Token pro Runde, Entwurf " + draft + " ms, Prüfung " + verify +
                                                     " ms, Beschleunigung 0,73×, Vorschläge in 1,00 der Runden"
                                               : "Set-up A: 1.10 tokens per round, draft " + draft + " ms, verify " + verify +
                                                     " ms, speed-up 0.73×, guesses in 1.00 of the rounds";
            EXPECT_NE(in_words(told).find(figures), std::string::npos) << figures << "\n" << in_words(told);
        }
}

TEST(FailuresScene, TheDiagnosisFitsBeforeAndAfterAnAnswer) {
    for (const Size& s : kSizes) {
        Playing live({0, 0, s.w, s.h});
        live.examine();
        look(*live.bench, std::string("diagnosis ") + s.name, s.w < 1000);
        const DiagnosisModel m = diagnosis_model(live.input(), {});
        for (const ui::RecordedText& text : live.bench->texts)
            if (text.text == m.patients[0].cause) {
                live.bench->click(text.box.center());
                break;
            }
        live.bench->settle();
        look(*live.bench, std::string("diagnosis, answered ") + s.name, s.w < 1000);
    }
}

} // namespace
} // namespace speclens
