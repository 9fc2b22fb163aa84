// Scene S10: the recipe's experiments read from their file, what the picture makes of them, and hostile
// files.
//
// What stood in the description that was written by hand, and which message has it now. Of the experiments:
//
//     "Data: RECORDED"                                        shared.words.data {tier}
//     "the true text (chosen): loss 5.00 to 3.00, base …"     loss.curve {series} {chosen} {from} {to}: loss.series {arm} {base}
//     "; 15 guesses 3.50 [3.30, 3.70]; base logits alone …"   arm.row {arm} {chosen} {bars}: arm.bar {guesses} {tokens} {low} {high}
//     "  kept by position: 1: .80 (few), 2: …"                kept.curve {arm} {chosen} {points}: kept.point {position} {share} {few}
//     "After 50 % of the run: weight of the base loss .50"    details.after {progress}, details.sum {weight}
//     ", loss 2.75"                                           details.numbers {total} {rest} {final} {base}
//     "Weights of the first positions, exp(…), not the arm's" weights.title {by_step} {way} {own}: weights.way {g}
//     ": 1.00, .87, …" (five)                                 weights.bars {weights}: weights.bar {k} {weight} (all)
//
// Of what is trained here:
//
//     "step 300: loss 10.00, 1.25 tokens per round"           learning.step {step} {loss} {tokens}
//     ", heads .25 .12 .08 .08"                               learning.step {shares}: learning.share {guess} {share}
//     "heads that were loaded: 2.37 tokens per round, …"      learning.loaded_worth {layer} {tokens} {shares}
//     "trained here: 1: 300 of 900, …"; "at step 0", "loaded" shared.charts.stayed {series} {position} {kept} {judged}
//     "7 501 places in answers to 245 prompts (2.8 s …); …"   learning.conditions {states} {prompts} {seconds} {batch} {loss} {held_states}
//                                                             {held_out}
//
// Nobody told of these before: the seeds of a bar (arm.seed), what was judged at a position (kept.point {judged}), the curves that are
// muted, and the published bars (published.row).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>

#include "engine/published/published_words.h"
#include "kernels/error.h"
#include "scenes/shared/in_words.h"
#include "scenes/training/training_draw.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/drawn_numbers.h"
#include "tests/shared/said_values.h"
#include "tests/shared/speaking.h"
#include "tests/shared/told_said.h"
#include "ui/format.h"

namespace speclens {
namespace {

// Two arms with two seeds each; one was stopped and went on.
constexpr const char* kFile = R"({"about":{"domino":{"machine":"two cores","date":"2026-11-21"}},
"domino":{
 "teacher_forcing":[
  {"method":"domino","arguments":[],"seed":1,"steps":40,"curve":[{"step":20,"positions":100,"final_loss":4.0,"base_loss":5.0},{"step":40,"positions":200,"final_loss":2.0,"base_loss":3.0}],
   "served":{"drafts 15":[{"temperature":0.0,"all":{"prompts":6,"rounds":9,"tokens_per_round":[3.0,2.8,3.2],"conditional":[[0.8,0.7,0.9],[0.5,0.4,0.6],null]}}],
             "drafts 15, base logits only":[{"temperature":0.0,"all":{"prompts":6,"rounds":9,"tokens_per_round":[2.0,1.9,2.1],"conditional":[[0.6,0.5,0.7]]}}]}},
  {"method":"domino","arguments":[],"seed":2,"steps":40,"curve":[{"step":20,"positions":100,"final_loss":6.0,"base_loss":7.0},{"step":40,"positions":200,"final_loss":4.0,"base_loss":5.0}],
   "served":{"drafts 15":[{"temperature":0.0,"all":{"prompts":6,"rounds":9,"tokens_per_round":[4.0,3.8,4.2],"conditional":[[0.8,0.7,0.9]]}}]}}],
 "curriculum":[
  {"method":"domino","arguments":[],"seed":1,"steps":40,"curve":[{"step":20,"positions":100,"final_loss":9.0,"base_loss":9.0},{"step":20,"positions":100,"final_loss":4.0,"base_loss":4.0},{"step":40,"positions":200,"final_loss":1.0,"base_loss":2.0}],
   "served":{"drafts 15":[{"temperature":0.0,"all":{"prompts":6,"rounds":9,"tokens_per_round":[6.0,5.5,6.5],"conditional":[[0.9,0.8,1.0]]}}]}}]}})";

TEST(Ablations, AreReadWithSeedsIntervalsAndRepeatedRows) {
    const Ablations ablations = parse_ablations(kFile, "file");
    ASSERT_EQ(ablations.studies.size(), 1u);
    const AblationStudy& study = *ablations.find("domino");
    EXPECT_EQ(study.machine, "two cores");
    EXPECT_EQ(study.date, "2026-11-21");
    ASSERT_EQ(study.arms.size(), 2u);
    EXPECT_EQ(study.arms[0].name, "teacher_forcing") << "in the order of the file";
    EXPECT_EQ(study.arms[0].runs.size(), 2u);
    const TrainingRun& went_on = study.arms[1].runs[0];
    EXPECT_EQ(went_on.positions, (std::vector<double>{100, 200})) << "the row after the resume counts";
    EXPECT_EQ(went_on.curves.at("final_loss"), (std::vector<double>{4, 1}));
    const ServedResult* base = study.arms[0].runs[0].result(15, true, 0);
    ASSERT_NE(base, nullptr);
    EXPECT_EQ(base->tokens, 2);
    EXPECT_EQ(study.arms[0].runs[0].result(15, false, 0)->conditional, (std::vector<double>{0.8, 0.5})) << "null ends the positions";
    EXPECT_EQ(study.arms[0].runs[0].result(15, false, 0.7), nullptr);
    EXPECT_EQ(ablations.find("weights"), nullptr);
}

// Numbers of a message, counts and measured ones alike.
void expect_numbers(const Said& said, const std::vector<std::pair<const char*, double>>& values) {
    for (const auto& [name, value] : values) {
        const auto found = std::ranges::find(said.values, name, &SaidValue::name);
        ASSERT_NE(found, said.values.end()) << said.id() << " {" << name << "}";
        const auto* count = std::get_if<std::int64_t>(&found->is);
        EXPECT_EQ(count ? static_cast<double>(*count) : test::real(said, name), value) << said.id() << " {" << name << "}";
    }
}

// The words of a study: its name, and whose it is.
void expect_study(const Said& study, const std::string& name, const std::string& target = "") {
    EXPECT_EQ(study.id(), "training.study.title");
    EXPECT_EQ(test::inner(study, "study").id(), "training.study.name:" + name);
    EXPECT_EQ(test::words(study, "target"), target);
}
void expect_served(const Said& served, const std::string& arm, double tokens) {
    EXPECT_EQ(served.id(), "training.arm.served");
    EXPECT_EQ(test::inner(served, "arm").id(), "training.arm.name:" + arm);
    EXPECT_DOUBLE_EQ(test::real(served, "tokens"), tokens);
}
void expect_range(const Said& range, double low, double high) {
    EXPECT_EQ(range.id(), "training.words.range");
    EXPECT_DOUBLE_EQ(test::real(range, "low"), low);
    EXPECT_DOUBLE_EQ(test::real(range, "high"), high);
}

// Two seeds of nine rounds each: 18 first guesses, and the seven that one of them kept.
TEST(TrainingModel, FollowsTheRoundsOfAllSeedsFromPositionToPosition) {
    const Ablations ablations = parse_ablations(kFile, "file");
    SceneInput input;
    input.ablations = &ablations;
    const TrainingModel m = training_model(input, {});
    const TrainingArm& arm = m.arms.at(0);
    ASSERT_EQ(arm.conditional.size(), 2u);
    EXPECT_NEAR(arm.judged[0], 18, 1e-9);
    EXPECT_NEAR(arm.conditional[0], 0.8, 1e-9);
    EXPECT_NEAR(arm.judged[1], 7.2, 1e-9);
    EXPECT_NEAR(arm.conditional[1], 0.5, 1e-9);
    EXPECT_TRUE(arm.few(0));
    EXPECT_EQ(at_temperature(m).said.id(), "training.words.temperature");
    EXPECT_EQ(test::real(at_temperature(m).said, "temperature"), 0);
    EXPECT_EQ(at_temperature(m), "T = 0");
}

TEST(TrainingModel, CallsEveryStudyByItsSubject) {
    for (const auto& [study, words] : {std::pair{"domino", "Prefixes of Domino's head"},
                                       {"conditioning", "What a DFlash block is told"},
                                       {"block", "Size of a DFlash block"},
                                       {"test_steps", "EAGLE-3: test-time steps"},
                                       {"weights", "Weights of the positions"},
                                       {"modes", "Text and modes"},
                                       {"of one's own", "of one's own"}})
        EXPECT_EQ(study_words({study, {}, "", "", ""}), words);
    const Message real = study_words({"domino", {}, "", "", "SmolLM2-135M-Instruct"});
    EXPECT_EQ(real, "Prefixes of Domino's head, SmolLM2");
    expect_study(real.said, "domino", "SmolLM2");
    expect_study(study_words({"modes", {}, "", "", ""}).said, "modes");
}

// An arm without a name of its own is called by its key.
TEST(TrainingModel, CallsEveryArmByWhatItIsTrainedWith) {
    const auto named = [](const std::string& arm) {
        std::string file = kFile;
        file.replace(file.find("teacher_forcing"), 15, arm);
        const Ablations ablations = parse_ablations(file, "file");
        SceneInput input;
        input.ablations = &ablations;
        return training_model(input, {}).arms.at(0).name;
    };
    for (const char* known :
         {"self_generated", "teacher_forcing", "half_curriculum", "none", "embeddings", "one_tap", "three_taps", "trained_16", "trained_8",
          "equal", "g4", "g7", "dpace", "modes_dflash", "modes_domino", "no_modes_dflash", "no_modes_domino"})
        EXPECT_EQ(named(known).said.id(), std::string("training.arm.name:") + known);
    for (const int steps : {1, 3, 7}) {
        const Message arm = named("steps_" + std::to_string(steps));
        EXPECT_EQ(arm.said.id(), "training.arm.steps");
        EXPECT_EQ(test::whole(arm.said, "steps"), steps);
        EXPECT_EQ(arm, std::to_string(steps) + (steps == 1 ? " test-time step" : " test-time steps"));
    }
    for (const char* other : {"of_one's_own", "steps_few"}) {
        std::string words = other;
        std::ranges::replace(words, '_', ' ');
        EXPECT_EQ(named(other).said.id(), "training.arm.other");
        EXPECT_EQ(test::words(named(other).said, "name"), words);
    }
}

// The same experiment on two targets: each is found, and the built-in one comes first.
TEST(TrainingModel, ShowsTheStudyOfTheTargetThatWasChosen) {
    std::string other = kFile;
    other.replace(other.find("\"machine\""), 0, R"("target":"Real-1B",)");
    Ablations ablations = parse_ablations(kFile, "file");
    std::ranges::move(parse_ablations(other, "other").studies, std::back_inserter(ablations.studies));
    ASSERT_EQ(ablations.studies.size(), 2u);
    SceneInput input;
    input.ablations = &ablations;
    TrainingState state;
    EXPECT_EQ(training_model(input, state).study, &ablations.studies[0]);
    state.target = "Real-1B";
    const TrainingModel real = training_model(input, state);
    EXPECT_EQ(real.study, &ablations.studies[1]);
    const StageTitle title = training_title(real);
    EXPECT_EQ(title.title.said.id(), "training.title.ends");
    expect_study(test::inner(title.title.said, "study"), "domino", "Real");
    EXPECT_EQ(test::words(title.subtitle.said, "target"), "Real-1B");
}

// Who loads a model sees its own experiment where there is one, and else whose it is.
TEST(TrainingModel, TheLoadedModelsOwnStudyIsShownAndEveryStudySaysWhoseItIs) {
    std::string other = kFile;
    other.replace(other.find("\"machine\""), 0, R"("target":"Real-1B",)");
    auto ablations = std::make_shared<Ablations>(parse_ablations(kFile, "file"));
    std::ranges::move(parse_ablations(other, "other").studies, std::back_inserter(ablations->studies));
    for (const auto& [model, target, study] : {std::tuple{"Real-1B.Q4_1", "Real-1B", "Real"}, std::tuple{"bundle S", "", ""}}) {
        SceneInput input;
        Header header;
        header.model = model;
        RunView whole;
        whole.header = &header;
        input.whole = input.view = &whole;
        input.ablations = ablations.get();
        input.beat = 1;
        const std::vector<ui::ToldMessage> told = find_scene("training")->make()->told(input);
        expect_study(test::inner(test::only_said(told, "training.title.ends"), "study"), "domino", study);
        const Said subtitle = test::only_said(told, "training.subtitle.arms");
        EXPECT_EQ(test::words(subtitle, "target"), target);
        EXPECT_EQ(test::whole(subtitle, "steps"), 40);
    }
}

TEST(TrainingStory, SpeaksOfItsOwnExperimentWhileAnotherIsLookedAt) {
    std::string both = kFile;
    both.replace(
        both.rfind('}'), 1,
        R"(,"weights":{"g7":[{"method":"dflash","arguments":[],"seed":1,"steps":40,"curve":[{"step":20,"positions":100,"loss":4.0}],"served":{}}]}})");
    const Ablations ablations = parse_ablations(both, "file");
    SceneInput input;
    input.ablations = &ablations;
    input.beat = 1;
    TrainingState state;
    const Said own = training_story(input, training_model(input, state), state).text.said;
    EXPECT_EQ(own.id(), "training.prefix.text");
    EXPECT_EQ(test::maybe<double>(own, "own_loss"), std::nullopt) << "an arm that is not there";
    expect_numbers(own, {{"text_loss", 3}, {"text", 3.5}});
    state.study = "weights";
    EXPECT_EQ(training_story(input, training_model(input, state), state).text.said, own);
}

TEST(Ablations, SaysWhatIsWrongWithAFile) {
    const auto refused = [](std::string file, const std::string& from, const std::string& to, const char* says) {
        const std::size_t at = file.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        file.replace(at, from.size(), to);
        try {
            (void)parse_ablations(file, "file");
            ADD_FAILURE() << "accepted: " << to;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
        }
    };
    refused(kFile, "\"seed\":1", "\"seed\":-1", "seed is not a count");
    refused(kFile, "[3.0,2.8,3.2]", "[3.0,2.8]", "[mean, low, high]");
    refused(kFile, "\"drafts 15\"", "\"drafts 0\"", "how many drafts");
    refused(kFile, "\"positions\":100", "\"positions\":\"many\"", "expected a number");
    refused(kFile, "[0.8,0.7,0.9]", "{}", "conditional");
    EXPECT_THROW((void)parse_ablations("[]", "file"), Error);
    EXPECT_THROW((void)parse_ablations(std::string(kFile).substr(0, 300), "file"), Error);
    EXPECT_THROW((void)load_ablations("/nothing/here.json"), Error);
    EXPECT_TRUE(parse_ablations("{}", "file").studies.empty());
}

std::vector<ui::ToldMessage> told_now(SceneBench& bench) { // with what its controls were set to
    const FrameInput frame = bench.controller.frame(bench.time);
    return frame.active->told(frame.scene);
}

struct Taught {
    std::unique_ptr<SceneBench> bench = std::make_unique<SceneBench>("training");
    explicit Taught(Ablations ablations) {
        bench->controller.ablations = std::make_shared<const Ablations>(std::move(ablations));
        bench->settle();
    }
    [[nodiscard]] SceneInput input() { return bench->controller.frame(0).scene; }
    void beat(int number) {
        bench->controller.perform({SceneCommand{SetBeat{number}}}, 0);
        bench->settle();
    }
    [[nodiscard]] std::vector<ui::ToldMessage> told() const { return told_now(*bench); }
    [[nodiscard]] Said said(const std::string& id) const { return test::only_said(told(), "training." + id); }
};

TEST(Training, AveragesTheSeedsAndComparesTheArms) {
    Taught taught(parse_ablations(kFile, "file"));
    TrainingState state;
    const TrainingModel m = training_model(taught.input(), state);
    ASSERT_EQ(m.arms.size(), 2u);
    EXPECT_EQ(m.arms[0].loss, (std::vector<double>{5, 3}));
    ASSERT_EQ(m.arms[0].bars.size(), 2u);
    EXPECT_DOUBLE_EQ(m.arms[0].bars[0].tokens, 3.5);
    EXPECT_EQ(m.arms[0].bars[0].seeds, (std::vector<double>{3, 4}));
    ASSERT_EQ(m.ends.size(), 1u) << "with base logits only is no other length";
    EXPECT_EQ(m.ends[0].best, 1);
    EXPECT_EQ(m.ends[0].worst, 0);
    EXPECT_TRUE(m.ends[0].apart()) << "5.5 is above (3.2 + 4.2) ÷ 2";
    const Said title = training_title(m).title.said;
    EXPECT_EQ(title.id(), "training.title.ends");
    EXPECT_EQ(test::whole(title, "guesses"), 0) << "there is one length";
    expect_served(test::inner(title, "best"), "curriculum", 6);
    expect_served(test::inner(title, "worst"), "teacher_forcing", 3.5);
    const Said own = taught.said("use.title"); // of its first beat
    expect_study(test::inner(own, "study"), "domino");
    EXPECT_EQ(test::whole(own, "arms"), 2);
    expect_range(test::inner(own, "range"), 3.5, 6);
    const Said subtitle = taught.said("subtitle.arms");
    EXPECT_EQ(test::english(subtitle, "machine"), "two cores");
    EXPECT_EQ(test::words(subtitle, "date"), "2026-11-21");
    EXPECT_EQ(test::words(subtitle, "target"), "");
    expect_numbers(subtitle, {{"steps", 40}, {"prompts", 6}});
    EXPECT_EQ(test::words(subtitle, "alike"), "");
    EXPECT_TRUE(taught.bench->shows("RECORDED"));
    EXPECT_TRUE(taught.bench->shows("two cores"));
}

// Two arms, served with more guesses and with fewer: where the intervals part is said, and where they do not.
TEST(Training, ComparesTheArmsAtEveryLengthTheyWereServedWith) {
    const auto title = [](const char* fewer) {
        const auto arm = [](const std::string& name, const std::string& more, const std::string& less) {
            return "\"" + name + R"(":[{"method":"dflash","arguments":[],"seed":1,"steps":40,"curve":[],"served":{)" +
                   R"("drafts 15":[{"temperature":0.0,"all":{"prompts":6,"rounds":9,"tokens_per_round":)" + more +
                   R"(,"conditional":[]}}],"drafts 7":[{"temperature":0.0,"all":{"prompts":6,"rounds":9,)" + R"("tokens_per_round":)" +
                   less + R"(,"conditional":[]}}]}}])";
        };
        const Ablations ablations = parse_ablations("{\"block\":{" + arm("trained_16", "[2.6,2.4,2.8]", "[2.5,2.3,2.6]") + "," +
                                                        arm("trained_8", "[2.8,2.6,3.0]", fewer) + "}}",
                                                    "file");
        SceneInput input;
        input.ablations = &ablations;
        TrainingState state;
        state.study = "block";
        return training_title(training_model(input, state));
    };
    const StageTitle part = title("[2.9,2.7,3.1]"), alike = title("[2.6,2.4,2.8]");
    EXPECT_EQ(part.title.said.id(), "training.title.ends");
    expect_study(test::inner(part.title.said, "study"), "block");
    EXPECT_EQ(test::whole(part.title.said, "guesses"), 7);
    expect_served(test::inner(part.title.said, "best"), "trained_8", 2.9);
    expect_served(test::inner(part.title.said, "worst"), "trained_16", 2.5);
    EXPECT_EQ(part.title, "Size of a DFlash block: with 7 guesses trained on blocks of 8 2.90, trained on blocks of 16 2.50");
    EXPECT_EQ(part.short_title.said.id(), "training.title.ends_short");
    expect_range(test::inner(part.short_title.said, "range"), 2.5, 2.9);
    EXPECT_EQ(part.short_title, "Size of a DFlash block: 2.50 to 2.90 with 7 guesses");
    const Said close = test::inner(part.subtitle.said, "alike");
    EXPECT_EQ(close.id(), "training.words.alike") << "one of the two";
    ASSERT_EQ(test::list(close, "lengths").size(), 1U);
    EXPECT_EQ(test::whole(test::list(close, "lengths")[0], "guesses"), 15);
    EXPECT_NE(part.subtitle.find(" · with 15 guesses too close to call"), std::string::npos) << part.subtitle;
    EXPECT_EQ(alike.title.said.id(), "training.title.close");
    expect_study(test::inner(alike.title.said, "study"), "block");
    expect_range(test::inner(alike.title.said, "range"), 2.6, 2.8);
    EXPECT_EQ(alike.title, "Size of a DFlash block: 2.60 to 2.80, too close to call");
    EXPECT_EQ(test::inner(alike.subtitle.said, "alike").id(), "training.words.overlap");
}

TEST(Training, WeighsTheLossesAsTheRunDidThere) {
    EXPECT_DOUBLE_EQ(curriculum_weight(0, 1), 1);
    EXPECT_DOUBLE_EQ(curriculum_weight(0.25, 1), 0.75);
    EXPECT_DOUBLE_EQ(curriculum_weight(0.25, 0.5), 0.5);
    EXPECT_DOUBLE_EQ(curriculum_weight(0.75, 0.5), 0);
    EXPECT_DOUBLE_EQ(curriculum_weight(0, 0), 0) << "teacher forcing alone never has any";
    EXPECT_DOUBLE_EQ(position_weight(1, 7), 1) << "the first guess";
    EXPECT_NEAR(position_weight(8, 7), std::exp(-1), 1e-12);
    EXPECT_DOUBLE_EQ(position_weight(9, 0), 1);
    Taught taught(parse_ablations(kFile, "file"));
    TrainingState state;
    state.arm = 1;
    state.progress = 0.5;
    const TrainingModel m = training_model(taught.input(), state);
    ASSERT_TRUE(m.losses);
    EXPECT_DOUBLE_EQ(m.losses->weight, 0.5);
    EXPECT_DOUBLE_EQ(m.losses->final_loss, 2.5) << "half way between 4 and 1";
    EXPECT_DOUBLE_EQ(m.losses->total(), 0.5 * 2.5 + 0.5 * 3);
}

void expect_weights(const Said& way, const std::string& name, double g = 0) {
    EXPECT_EQ(way.id(), "training.weights.way:" + name);
    if (g > 0) {
        EXPECT_EQ(test::real(way, "g"), g);
    }
}

TEST(TrainingModel, KnowsHowEveryArmWeighsThePositions) {
    const auto words = [](const std::string& method, std::vector<std::string> arguments) {
        TrainingRun run;
        run.method = method;
        run.arguments = std::move(arguments);
        return weights_words(weights_of(run));
    };
    expect_weights(words("dflash", {}).said, "decay", 7);
    expect_weights(words("dflash", {"--decay", "0"}).said, "alike");
    expect_weights(words("dflash", {"--block", "8", "--decay", "4"}).said, "decay", 4);
    expect_weights(words("dflash", {"--dpace"}).said, "block");
    expect_weights(words("eagle3", {"--test-steps", "3"}).said, "step");
    EXPECT_EQ(words("dflash", {}), "exp(−(k−1) ÷ 7.0)");
    EXPECT_EQ(words("dflash", {"--decay", "0"}), "all alike");
    EXPECT_EQ(words("dflash", {"--block", "8", "--decay", "4"}), "exp(−(k−1) ÷ 4.0)");
    EXPECT_EQ(words("dflash", {"--dpace"}), "each block sets its own");
    EXPECT_EQ(words("eagle3", {"--test-steps", "3"}), ".8^(k−1)");
    TrainingRun steps;
    steps.method = "eagle3";
    steps.arguments = {"--test-steps", "3"};
    EXPECT_EQ(weights_of(steps).positions, 3);
    EXPECT_NEAR(weights_of(steps)(3), 0.64, 1e-12);
}

TEST(TrainingScene, ShowsTheWeightsOfTheChosenArmUntilTheyAreDragged) {
    Taught taught(load_ablations(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "models" / "ablations.json"));
    const auto expect = [&](const std::string& way, double g) {
        const Said title = taught.said("weights.title");
        expect_weights(test::inner(title, "way"), way, g);
        expect_numbers(title, {{"by_step", 0}, {"own", 0}});
        EXPECT_TRUE(taught.bench->shows(message(title).words())) << way;
    };
    taught.beat(5);
    expect("decay", 7); // the arm with g = 7
    taught.bench->click(taught.bench->find("all positions alike"));
    expect("alike", 0);
    EXPECT_EQ(test::maybe<double>(taught.said("controls.decay"), "g"), std::nullopt);
    EXPECT_TRUE(taught.bench->shows("Decay g: none"));
    taught.bench->click(taught.bench->find("early positions more, g = 4"));
    expect("decay", 4);
    EXPECT_EQ(test::real(taught.said("controls.decay"), "g"), 4);
    taught.bench->click(taught.bench->find("D-PACE: by length at stake"));
    expect("block", 0);
    EXPECT_TRUE(test::all_said(taught.told(), "training.controls.decay").empty());
    EXPECT_FALSE(taught.bench->shows("Decay g"));
}

// What the beat on the lazy backbone says of kFile, whose base logits alone bring 2.00 [1.90, 2.10] without
// the fading base loss, and `base` with it.
Message backbone_story(const std::string& base, const std::string& loss = "2.0") {
    std::string file = kFile;
    const auto replace = [&](const std::string& from, const std::string& to) {
        const std::size_t at = file.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        file.replace(at, from.size(), to);
    };
    replace("\"final_loss\":1.0,\"base_loss\":2.0", "\"final_loss\":1.0,\"base_loss\":" + loss);
    if (!base.empty())
        replace("[[0.9,0.8,1.0]]}}]", "[[0.9,0.8,1.0]]}}],\"drafts 15, base logits only\":[{\"temperature\":0.0,\"all\":"
                                      "{\"prompts\":6,\"rounds\":9,\"tokens_per_round\":" +
                                          base + ",\"conditional\":[[0.6,0.5,0.7]]}}]");
    Taught taught(parse_ablations(file, "file"));
    taught.bench->controller.perform({SceneCommand{SetBeat{2}}}, 0);
    const SceneInput input = taught.input();
    return training_story(input, training_model(input, {}), {}).text;
}

// That a backbone gets lazy without the fading base loss is the paper's finding; ours is what the intervals
// say.
TEST(Training, SaysOfTheBackboneWhatTheIntervalsShow) {
    enum Claim { points = 1, shows = 2, opposite = 4, open = 8 };
    const auto expect = [](const Message& story, int claims, double fading) {
        EXPECT_EQ(story.said.id(), "training.lazy.full:told");
        EXPECT_EQ(test::whole(story.said, "points"), (claims & points) != 0) << story;
        expect_numbers(story.said, {{"loss", 4}, {"fading", fading}});
        EXPECT_EQ(test::whole(story.said, "shows"), (claims & shows) != 0) << story;
        EXPECT_EQ(test::whole(story.said, "opposite"), (claims & opposite) != 0) << story;
        EXPECT_EQ(test::whole(story.said, "open"), (claims & open) != 0 ? 40 : 0) << story;
        EXPECT_NE(story.find("With the final loss alone, the paper reports,"), std::string::npos) << story;
    };
    const auto expect_tokens = [](const Said& interval, double tokens, double low, double high) {
        EXPECT_EQ(interval.id(), "training.words.interval");
        expect_numbers(interval, {{"tokens", tokens}, {"low", low}, {"high", high}, {"brief", 0}});
    };
    const Message overlap = backbone_story("[2.2,2.05,2.3]");
    expect(overlap, points | open, 2);
    expect_tokens(test::inner(overlap.said, "without"), 2, 1.9, 2.1);
    expect_tokens(test::inner(overlap.said, "with"), 2.2, 2.05, 2.3);
    for (const char* words : {"Our losses point that way: base loss 4.00, and 2.00 where",
                              "Runs of 40 steps are too short to show it in the text: base logits alone bring 2.00 "
                              "[1.90, 2.10] and 2.20 [2.05, 2.30] tokens."})
        EXPECT_NE(overlap.find(words), std::string::npos) << overlap;
    expect(backbone_story("[2.2,2.15,2.3]"), points | shows, 2);
    expect(backbone_story("[1.5,1.4,1.6]"), points | opposite, 2);
    expect(backbone_story("[2.2,2.05,2.3]", "4.5"), open, 4.5);
    const Message unserved = backbone_story("");
    expect(unserved, points, 2);
    EXPECT_EQ(test::words(unserved.said, "without"), "");
    EXPECT_EQ(test::words(unserved.said, "with"), "");
    EXPECT_EQ(unserved.find("base logits"), std::string::npos) << unserved;
}

// What two beats have for a title of their own.
TEST(Training, NamesTheNumbersThatABeatIsAbout) {
    Taught faded(parse_ablations(kFile, "file"));
    faded.beat(kFadingBeat);
    expect_numbers(faded.said("lazy.title"), {{"loss", 4}, {"fading", 2}});
    std::string file = kFile;
    file.replace(file.find("curriculum"), 10, "self_generated");
    Taught prefixed(parse_ablations(file, "file"));
    prefixed.beat(kPrefixBeat);
    expect_numbers(prefixed.said("prefix.title"), {{"own", 6}, {"text", 3.5}});
    expect_numbers(prefixed.said("prefix.text"), {{"own_loss", 1}, {"text_loss", 3}, {"own", 6}, {"text", 3.5}});
    EXPECT_TRUE(prefixed.bench->shows("Taught on its own guesses 6.00 tokens per round, on the true text 3.50")) << prefixed.bench->words;
}

// Every beat of the shipped experiments, from their arms.
TEST(TrainingStory, TellsWhatTheArmsOfItsExperimentBrought) {
    const std::filesystem::path assets = std::filesystem::path(SPEC_SOURCE_DIR) / "assets";
    const Published figures = Published::load(assets / "published");
    Taught taught(load_ablations(assets / "models" / "ablations.json"));
    taught.bench->controller.figures = std::make_shared<const Published>(figures);
    const auto tokens = [&](int beat, const std::string& name, std::size_t bar = 0) {
        TrainingState state;
        state.study = study_of_beat(beat);
        const TrainingModel m = training_model(taught.input(), state);
        return std::ranges::find(m.arms, name, [](const TrainingArm& arm) { return arm.arm->name; })->bars.at(bar).tokens;
    };
    taught.beat(3);
    for (const auto& [value, arm] : {std::pair{"one", "steps_1"}, {"three", "steps_3"}, {"seven", "steps_7"}})
        EXPECT_EQ(test::real(taught.said("steps.text"), value), tokens(3, arm));
    taught.beat(4);
    expect_numbers(taught.said("block.text"),
                   {{"sixteen", tokens(4, "trained_16", 1)}, {"eight", tokens(4, "trained_8", 1)}, {"stretched", tokens(4, "trained_8")}});
    taught.beat(5);
    ASSERT_NE(figures.find("dflash-loss-decay-gain"), nullptr);
    EXPECT_EQ(test::real(taught.said("early.text"), "gain"), figures.find("dflash-loss-decay-gain")->values.front());
    taught.beat(6);
    const double without = tokens(6, "no_modes_domino") / tokens(6, "no_modes_domino", 1);
    const Said prediction = taught.said(without > 1.05 ? "prediction.text:failed" : "prediction.text:open");
    expect_numbers(prediction, {{"without", without}, {"with", tokens(6, "modes_domino") / tokens(6, "modes_domino", 1)}});
}

TEST(Training, TheLectureClaimsNoMoreThanTheRunsShow) {
    std::ifstream in(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "lectures" / "drafters.lec.toml");
    const std::string lecture{std::istreambuf_iterator<char>(in), {}};
    const std::size_t at = lecture.find("speclens://training/3");
    ASSERT_NE(at, std::string::npos);
    const std::string step = lecture.substr(at, lecture.find("[[step]]", at) - at);
    EXPECT_NE(step.find("the paper reports"), std::string::npos) << step;
    EXPECT_EQ(step.find("The curriculum prevents it"), std::string::npos) << step;
}

TEST(TrainingScene, ShowsTheShippedExperimentsBeatByBeat) {
    Taught taught(load_ablations(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "models" / "ablations.json"));
    for (const ui::Rect screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}}) {
        SceneBench bench("training", {}, screen);
        bench.controller.ablations = taught.bench->controller.ablations;
        for (int beat = 0; beat < kTrainingBeats; ++beat) {
            bench.controller.perform({SceneCommand{SetBeat{beat}}}, 0);
            bench.settle();
            EXPECT_EQ(overlap_of(bench.texts), "") << "beat " << beat << " at " << screen.w;
            EXPECT_TRUE(bench.clipped.empty()) << "beat " << beat << " at " << screen.w << ": "
                                               << (bench.clipped.empty() ? "" : bench.clipped[0].text);
            expect_whole_story(bench, "training, beat " + std::to_string(beat));
            if (beat == kLiveBeat) continue;
            TrainingState state;
            if (beat > 0) state.study = study_of_beat(beat);
            for (const TrainingArm& arm : training_model(bench.controller.frame(0).scene, state).arms)
                EXPECT_TRUE(std::ranges::any_of(bench.texts, [&](const ui::RecordedText& text) { return text.text == arm.name; }))
                    << "no row for " << arm.name << ", beat " << beat << " at " << screen.w;
        }
    }
    taught.beat(3);
    EXPECT_EQ(test::whole(taught.said("weights.title"), "by_step"), 1);
    EXPECT_TRUE(taught.bench->shows("test-time step"));
}

// A line without a name would say nothing: each ends in the number of its row, also in a room where lines are shown.
TEST(TrainingScene, LinesHaveTheNumbersOfTheirRows) {
    Taught taught(parse_ablations(kFile, "file"));
    const TrainingModel model = training_model(taught.input(), {});
    const auto second =
        std::ranges::find_if(taught.bench->texts, [](const ui::RecordedText& text) { return text.text == training_says("kept.title"_t); });
    ASSERT_NE(second, taught.bench->texts.end());
    const float end = second->box.x - 32; // of the first chart
    for (std::size_t i = 0; i < model.arms.size(); ++i) {
        const std::string number = std::to_string(i + 1);
        const auto row =
            std::ranges::find_if(taught.bench->texts, [&](const ui::RecordedText& text) { return text.text == model.arms[i].name; });
        ASSERT_NE(row, taught.bench->texts.end()) << number;
        const auto numbered = [&](const auto& where) {
            return std::ranges::any_of(taught.bench->texts, [&](const ui::RecordedText& text) {
                return text.text == number && where(ui::Vec2{text.box.x, text.baseline});
            });
        };
        EXPECT_TRUE(numbered([&](ui::Vec2 at) { return std::abs(at.y - row->baseline) < 1 && at.x < row->box.x; }))
            << "at its row: " << number;
        EXPECT_TRUE(numbered([&](ui::Vec2 at) { return at.y < row->baseline && at.x > end - 24 && at.x < end; }))
            << "at its line: " << number;
    }
}

TEST(TrainingScene, ARoomSeesTheLinesThatTheSentencePointsAt) {
    Taught taught(parse_ablations(kFile, "file"));
    taught.bench->key(ui::Key::f5);
    for (int beat = 0; beat < kLiveBeat; ++beat) {
        taught.bench->controller.perform({SceneCommand{SetBeat{beat}}}, 0);
        taught.bench->settle();
        EXPECT_EQ(taught.bench->shows(training_says("loss.title"_t)), beat == kFadingBeat) << beat;
        EXPECT_EQ(taught.bench->shows(training_says("kept.title"_t)), beat == kStepsBeat) << beat;
        EXPECT_EQ(overlap_of(taught.bench->texts), "") << beat;
    }
}

TEST(TrainingScene, KeysChooseTheArmAndTheTemperature) {
    Taught taught(parse_ablations(kFile, "file"));
    EXPECT_EQ(test::real(taught.said("details.sum"), "weight"), 0) << "the true text alone: no base loss";
    EXPECT_TRUE(taught.bench->shows("λ = 0"));
    taught.bench->key(ui::Key::down);
    taught.bench->settle();
    EXPECT_EQ(test::real(taught.said("details.sum"), "weight"), 0.5);
    EXPECT_EQ(test::real(taught.said("controls.progress"), "progress"), 0.5);
    EXPECT_TRUE(taught.bench->shows("λ = .50"));
    EXPECT_EQ(test::real(test::inner(taught.said("subtitle.arms"), "temperature"), "temperature"), 0);
    taught.bench->key(ui::Key::y);
    taught.bench->settle();
    EXPECT_EQ(test::real(test::inner(taught.said("subtitle.arms"), "temperature"), "temperature"), 0.7);
    EXPECT_EQ(test::real(test::inner(taught.said("served.title"), "temperature"), "temperature"), 0.7);
    EXPECT_TRUE(taught.bench->shows("T = 0.7"));
}

// The last beat, in a window whose engine has the bundle: heads that are being trained.
struct Learning {
    std::vector<Command> sent;
    Snapshot published;
    std::unique_ptr<SceneBench> bench;
    explicit Learning(ui::Rect screen = {0, 0, 1600, 1000}) {
        published.status.state = EngineStatus::State::idle;
        published.status.model = "bundle S";
        published.status.ready_drafters = {"none", "small", "medusa"};
        EnginePort port;
        port.send = [this](Command c) { sent.push_back(std::move(c)); };
        bench = std::make_unique<SceneBench>("training", port, screen);
        tell();
        bench->controller.perform({SceneCommand{SetBeat{kLiveBeat}}}, 0);
        bench->settle();
        sent.clear();
    }
    void tell() {
        ++published.revision;
        bench->controller.observe(published, bench->time);
        bench->settle();
    }
    void choose(const std::string& head) { // in the control, below everything that has the same name
        const ui::RecordedText* lowest = nullptr;
        for (const ui::RecordedText& text : bench->texts)
            if (text.text == head && (!lowest || text.baseline > lowest->baseline)) lowest = &text;
        ASSERT_NE(lowest, nullptr) << head;
        bench->click(lowest->box.center());
    }
    // After `texts` of 300 answers and these steps of 600.
    void grow(int texts, std::vector<int> steps, int planned = 600, HeadKind kind = HeadKind::medusa) {
        HeadTrainingView view;
        view.plan = default_head_plan({.steps = planned, .texts = 1, .max_tokens = 64, .kind = kind});
        view.texts = 300;
        view.texts_done = texts;
        view.states = 7501;
        view.held_states = 1766;
        view.text_seconds = 2.84;
        const bool layer = kind == HeadKind::mtp;
        view.shipped = {{0.72, 0.60, 0.53, 0.47}, 2.37, {500, 360, 216, 114}, {360, 216, 114, 54}};
        if (layer) view.shipped = {{0.82, 0.80, 0.78}, 2.75, {500, 400, 320}, {400, 320, 250}};
        for (const int step : steps) {
            const double share = step / 1200.0;
            HeadWorth worth = {{share, share / 2, share / 3}, 1 + share, {900, 300, 80}, {300, 80, 20}};
            if (!layer) worth.shares.push_back(share / 3), worth.judged.push_back(20), worth.kept.push_back(4);
            view.curve.push_back({step, step / 120.0, step > 0 ? 16 - step / 50.0 : 0, worth});
        }
        view.complete = !steps.empty() && steps.back() == planned;
        published.training = std::make_shared<const HeadTrainingView>(view);
        tell();
    }
    [[nodiscard]] std::vector<ui::ToldMessage> told() const { return told_now(*bench); }
    [[nodiscard]] Said said(const std::string& id) const { return test::only_said(told(), "training." + id); }
    [[nodiscard]] bool says(const std::string& id) const { return !test::all_said(told(), "training." + id).empty(); }
    // What is told of this step.
    void expect_step(int step, const std::optional<double>& loss, double tokens, const std::vector<double>& shares, bool layer) const {
        std::vector<Said> steps = test::all_said(told(), "training.learning.step");
        std::erase_if(steps, [&](const Said& one) { return test::whole(one, "step") != step; });
        ASSERT_EQ(steps.size(), 1U) << step;
        EXPECT_EQ(test::maybe<double>(steps[0], "loss"), loss);
        EXPECT_DOUBLE_EQ(test::real(steps[0], "tokens"), tokens);
        expect_shares_told(steps[0], shares, layer);
    }
    static void expect_shares_told(const Said& said, const std::vector<double>& shares, bool layer) {
        const std::vector<Said> all = test::list(said, "shares");
        ASSERT_EQ(all.size(), shares.size());
        for (std::size_t k = 0; k < shares.size(); ++k) {
            EXPECT_DOUBLE_EQ(test::real(all[k], "share"), shares[k]);
            expect_numbers(test::inner(all[k], "guess"), {{"k", k + 1}, {"layer", layer}});
        }
    }
    // Guesses that stayed, of those judged, of the series "here", "begun" or "loaded".
    void expect_stayed_told(const std::string& series, const std::vector<int>& judged, const std::vector<int>& kept) const {
        std::vector<Said> points = test::all_said(told(), "shared.charts.stayed");
        std::erase_if(points, [&](const Said& one) { return test::inner(one, "series").id() != "training.learning.series:" + series; });
        ASSERT_EQ(points.size(), judged.size()) << series;
        for (std::size_t i = 0; i < points.size(); ++i) {
            expect_numbers(points[i], {{"position", i + 1}, {"judged", judged[i]}, {"kept", kept[i]}});
        }
    }
};

TEST(TrainingScene, TrainsHeadsAndDraftsWithThem) {
    Learning learning;
    EXPECT_TRUE(learning.says("live.title:none"));
    EXPECT_EQ(test::whole(learning.said("live.task"), "usable"), 0);
    EXPECT_EQ(test::whole(learning.said("live.subtitle:none"), "layer"), 0);
    EXPECT_TRUE(learning.bench->shows("Train a drafter here"));
    learning.bench->key(ui::Key::u); // there are none yet
    EXPECT_TRUE(learning.sent.empty());
    learning.bench->key(ui::Key::m);
    ASSERT_EQ(learning.sent.size(), 1u);
    const auto* asked = std::get_if<TrainHeads>(&learning.sent.back());
    ASSERT_NE(asked, nullptr);
    EXPECT_EQ(asked->steps, 600);
    learning.grow(120, {});
    const auto expect_answers = [&](const std::string& id) {
        EXPECT_EQ(test::whole(learning.said(id), "done"), 120) << id;
        EXPECT_EQ(test::whole(learning.said(id), "of"), 300) << id;
    };
    expect_answers("live.subtitle:answers");
    expect_answers("learning.answers");
    EXPECT_EQ(test::whole(learning.said("live.subtitle:answers"), "stopped"), 0);
    EXPECT_EQ(test::whole(learning.said("live.title:writing"), "layer"), 0);
    learning.bench->key(ui::Key::m); // one at a time
    EXPECT_EQ(learning.sent.size(), 1u);
    learning.grow(300, {0, 10, 300});
    Said title = learning.said("live.title:trained"), subtitle = learning.said("live.subtitle:trained");
    expect_numbers(title, {{"seconds", 2.5}, {"tokens", 1.25}});
    expect_numbers(subtitle, {{"guesses", 4}, {"step", 300}, {"of", 600}, {"stopped", 0}, {"loaded", 2.37}});
    EXPECT_TRUE(learning.says("live.heading:learning"));
    expect_numbers(learning.said("live.text:learning"), {{"first", 0.25}, {"last", 0.25 / 3}, {"guesses", 4}});
    learning.bench->key(ui::Key::u); // not before they are complete
    EXPECT_EQ(learning.sent.size(), 1u);
    learning.grow(300, {0, 10, 300, 600});
    EXPECT_TRUE(learning.says("live.heading:against"));
    EXPECT_EQ(test::whole(learning.said("live.text:against"), "behind"), 1) << "1.50 against 2.37";
    EXPECT_NE(in_words(learning.told()).find("The loaded heads saw far more text and are ahead"), std::string::npos);
    EXPECT_EQ(test::whole(learning.said("live.task"), "usable"), 1);
    const Said conditions = learning.said("learning.conditions");
    const HeadPlan& plan = learning.published.training->plan;
    expect_numbers(conditions, {{"states", 7501},
                                {"prompts", 245},
                                {"seconds", 2.84},
                                {"batch", plan.batch},
                                {"loss", 4},
                                {"held_states", 1766},
                                {"held_out", std::ssize(plan.held_out)}});
    EXPECT_TRUE(learning.bench->shows("501 places in answers to 245 prompts")) << learning.bench->words;
    learning.expect_step(0, {}, 1, {0, 0, 0, 0}, false);
    learning.expect_step(300, 10, 1.25, {0.25, 0.125, 0.25 / 3, 0.25 / 3}, false);
    const Said loaded = learning.said("learning.loaded_worth");
    expect_numbers(loaded, {{"layer", 0}, {"tokens", 2.37}});
    Learning::expect_shares_told(loaded, {0.72, 0.60, 0.53, 0.47}, false);
    learning.expect_stayed_told("here", {900, 300, 80, 20}, {300, 80, 20, 4});
    learning.expect_stayed_told("begun", {900, 300, 80, 20}, {300, 80, 20, 4});
    learning.expect_stayed_told("loaded", {500, 360, 216, 114}, {360, 216, 114, 54});
    const std::vector<Said> rows = test::all_said(learning.told(), "training.names.row");
    ASSERT_EQ(rows.size(), 4U);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        expect_numbers(rows[k], {{"here", learning.published.training->curve.back().worth.shares[k]},
                                 {"loaded", learning.published.training->shipped.shares[k]}});
        EXPECT_EQ(test::whole(test::inner(rows[k], "name"), "places"), static_cast<std::int64_t>(k + 2));
    }
    learning.bench->key(ui::Key::u);
    ASSERT_EQ(learning.sent.size(), 2u);
    const auto* restart = std::get_if<Restart>(&learning.sent.back());
    ASSERT_NE(restart, nullptr);
    EXPECT_EQ(restart->settings.drafter, "medusa");
    EXPECT_EQ(restart->settings.k, 4);
}

// An MTP layer is a choice beside Medusa's heads; the picture stays with what was trained.
TEST(TrainingScene, TrainsAnMtpLayerAndDraftsWithIt) {
    Learning learning;
    learning.choose("MTP");
    learning.bench->settle();
    EXPECT_EQ(test::whole(learning.said("live.subtitle:none"), "layer"), 1);
    EXPECT_TRUE(learning.says("live.heading:layer_new"));
    EXPECT_TRUE(learning.bench->shows("an MTP layer for the loaded target")) << learning.bench->words;
    learning.bench->key(ui::Key::m);
    ASSERT_EQ(learning.sent.size(), 1u);
    EXPECT_EQ(std::get<TrainHeads>(learning.sent.back()).kind, HeadKind::mtp);
    EXPECT_EQ(std::get<TrainHeads>(learning.sent.back()).steps, 160);
    learning.grow(299, {}, 160, HeadKind::mtp);
    EXPECT_EQ(test::whole(learning.said("live.title:writing"), "layer"), 1);
    learning.grow(300, {0}, 160, HeadKind::mtp);
    EXPECT_EQ(test::whole(learning.said("live.title:new"), "layer"), 1);
    learning.grow(300, {0, 80}, 160, HeadKind::mtp);
    const Said subtitle = learning.said("live.subtitle:trained_layer");
    expect_numbers(subtitle, {{"guesses", 3}, {"step", 80}, {"of", 160}, {"stopped", 0}, {"loaded", 2.75}});
    EXPECT_TRUE(learning.bench->shows("one layer, 3 guesses, step 80 of 160 · the layer that was loaded gives 2.75"))
        << learning.bench->words;
    EXPECT_TRUE(learning.says("live.heading:layer_learning"));
    expect_numbers(learning.said("live.text:layer_learning"), {{"begun", 0}, {"first", 80 / 1200.0}});
    for (const char* chart : {"Loss, nats per token", "What each guess names", "Guesses that stay, by place", "guess 3"})
        EXPECT_TRUE(learning.bench->shows(chart)) << chart << learning.bench->words;
    EXPECT_FALSE(learning.bench->shows("head 1"));
    learning.grow(300, {0, 80, 160}, 160, HeadKind::mtp);
    EXPECT_EQ(test::whole(learning.said("live.text:layer_against"), "behind"), 1);
    EXPECT_NE(in_words(learning.told()).find("The loaded layer saw far more text and is ahead"), std::string::npos);
    learning.choose("Medusa"); // what comes next is another matter
    learning.bench->settle();
    EXPECT_TRUE(learning.bench->shows("What each guess names"));
    const double share = 80 / 1200.0;
    learning.expect_step(80, 16 - 80 / 50.0, 1 + share, {share, share / 2, share / 3}, true);
    const Said loaded = learning.said("learning.loaded_worth");
    expect_numbers(loaded, {{"layer", 1}, {"tokens", 2.75}});
    Learning::expect_shares_told(loaded, {0.82, 0.80, 0.78}, true);
    learning.expect_stayed_told("here", {900, 300, 80}, {300, 80, 20});
    learning.expect_stayed_told("loaded", {500, 400, 320}, {400, 320, 250});
    learning.bench->key(ui::Key::m);
    ASSERT_EQ(learning.sent.size(), 2u);
    EXPECT_EQ(std::get<TrainHeads>(learning.sent.back()).kind, HeadKind::medusa);
    EXPECT_EQ(std::get<TrainHeads>(learning.sent.back()).steps, 600);
    learning.bench->key(ui::Key::u);
    ASSERT_EQ(learning.sent.size(), 3u);
    const auto* restart = std::get_if<Restart>(&learning.sent.back());
    ASSERT_NE(restart, nullptr);
    EXPECT_EQ(restart->settings.drafter, "mtp");
    EXPECT_EQ(restart->settings.k, 3);
}

// Who drafts with MTP is offered an MTP layer first.
TEST(TrainingScene, OffersTheHeadOfTheRun) {
    Learning learning;
    SceneInput input = learning.bench->controller.frame(0).scene;
    EXPECT_EQ(head_to_train(input, {}), HeadKind::medusa);
    RunSettings settings;
    settings.drafter = "mtp";
    input.settings = &settings;
    EXPECT_EQ(head_to_train(input, {}), HeadKind::mtp);
    TrainingState chosen;
    chosen.head = HeadKind::medusa;
    EXPECT_EQ(head_to_train(input, chosen), HeadKind::medusa);
    EXPECT_EQ(training_asked(input, {}).kind, HeadKind::mtp);
}

TEST(TrainingScene, OffersTheStepsOfTheTrainingItShows) {
    Learning learning;
    learning.grow(300, {0, 150, 300}, 300);
    expect_numbers(learning.said("live.subtitle:trained"), {{"step", 300}, {"of", 300}});
    learning.bench->key(ui::Key::m);
    ASSERT_EQ(learning.sent.size(), 1u);
    EXPECT_EQ(std::get<TrainHeads>(learning.sent.back()).steps, 300);
    learning.bench->click(learning.bench->find("600")); // and what the user asks for after it
    learning.bench->key(ui::Key::m);
    EXPECT_EQ(std::get<TrainHeads>(learning.sent.back()).steps, 600);
}

TEST(TrainingScene, TrainedHeadsFitEveryWindow) {
    for (const ui::Rect screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}})
        for (const bool presenter : {false, true})
            for (const auto& [stage, kind] : {std::pair{0, HeadKind::medusa},
                                              {1, HeadKind::medusa},
                                              {2, HeadKind::medusa},
                                              {3, HeadKind::medusa},
                                              {1, HeadKind::mtp},
                                              {2, HeadKind::mtp},
                                              {3, HeadKind::mtp}}) {
                const float scale = presenter ? presenter_scale({screen.w, screen.h}) : 1;
                Learning learning({0, 0, screen.w / scale, screen.h / scale});
                if (presenter) learning.bench->key(ui::Key::f5);
                if (stage == 1) learning.grow(299, {}, 600, kind);
                if (stage == 2) learning.grow(300, {0, 10, 20, 30, 40}, 600, kind);
                if (stage == 3) learning.grow(300, {0, 150, 300, 450, 600}, 600, kind);
                learning.bench->settle();
                EXPECT_EQ(overlap_of(learning.bench->texts), "") << stage << " at " << screen.w;
                EXPECT_TRUE(learning.bench->clipped.empty())
                    << stage << " at " << screen.w << ": " << (learning.bench->clipped.empty() ? "" : learning.bench->clipped[0].text);
            }
}

// Stopped while the target still wrote: nothing is under way, and nothing looks as if it were.
TEST(TrainingScene, AStoppedTrainingStandsStill) {
    Learning live;
    live.grow(92, {});
    EXPECT_TRUE(live.says("live.title:writing")) << live.bench->words;
    const int shapes = live.bench->shapes;
    HeadTrainingView cut = *live.published.training;
    cut.complete = cut.ended_early = true;
    live.published.training = std::make_shared<const HeadTrainingView>(cut);
    live.tell();
    EXPECT_FALSE(live.says("live.title:writing")) << live.bench->words;
    EXPECT_FALSE(live.says("learning.answers"));
    EXPECT_EQ(test::whole(live.said("learning.awaited"), "layer"), 0);
    EXPECT_TRUE(live.says("live.title:stopped"));
    const Said answers = live.said("live.subtitle:answers");
    expect_numbers(answers, {{"done", 92}, {"of", 300}, {"stopped", 1}});
    EXPECT_TRUE(live.bench->shows("92 of 300 answers were written; M begins again"));
    EXPECT_LT(live.bench->shapes, shapes) << "no bar";
    EXPECT_TRUE(live.says("controls.train")) << "and not Stop";
    EXPECT_TRUE(test::all_said(live.told(), "shared.words.stop").empty());
}

TEST(TrainingScene, SaysThatThereIsNothing) {
    SceneBench bench("training");
    bench.settle();
    EXPECT_TRUE(bench.shows("no experiments came with this bundle"));
    const std::vector<ui::ToldMessage> told = told_now(bench);
    for (const char* id : {"title", "subtitle", "slot", "heading", "text"})
        EXPECT_EQ(test::all_said(told, std::string("training.missing.") + id).size(), 1U) << id;
}

std::vector<double> reals(const std::vector<Said>& list, const char* name) {
    std::vector<double> values;
    for (const Said& one : list) values.push_back(test::real(one, name));
    return values;
}

void expect_arms_told(const std::vector<ui::ToldMessage>& told, const TrainingModel& m) {
    const std::vector<Said> rows = test::all_said(told, "training.arm.row");
    ASSERT_EQ(rows.size(), m.arms.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const TrainingArm& arm = m.arms[i];
        EXPECT_EQ(test::inner(rows[i], "arm"), arm.name.said);
        EXPECT_EQ(test::whole(rows[i], "chosen"), static_cast<int>(i) == m.arm);
        const std::vector<Said> bars = test::list(rows[i], "bars");
        ASSERT_EQ(bars.size(), arm.bars.size());
        for (std::size_t b = 0; b < bars.size(); ++b) {
            const Said guesses = test::inner(bars[b], "guesses");
            EXPECT_EQ(guesses.id(), "training.arm.guesses");
            expect_numbers(guesses, {{"base", arm.bars[b].base_only}, {"guesses", arm.bars[b].drafts}});
            expect_numbers(bars[b], {{"tokens", arm.bars[b].tokens}, {"low", arm.bars[b].low}, {"high", arm.bars[b].high}});
            const std::vector<double> seeds = arm.bars[b].seeds.size() > 1 ? arm.bars[b].seeds : std::vector<double>();
            EXPECT_EQ(reals(test::list(bars[b], "seeds"), "tokens"), seeds);
        }
    }
}

void expect_curves_told(const std::vector<ui::ToldMessage>& told, const TrainingModel& m) {
    const std::vector<Said> losses = test::all_said(told, "training.loss.curve"), kept = test::all_said(told, "training.kept.curve");
    std::size_t next = 0, lines = 0;
    for (const TrainingArm& arm : m.arms) {
        for (const auto* curve : {&arm.loss, &arm.base_loss}) {
            if (curve->empty()) continue;
            ASSERT_LT(next, losses.size());
            const Said& said = losses[next++];
            EXPECT_EQ(test::inner(test::inner(said, "series"), "arm"), arm.name.said);
            EXPECT_EQ(test::whole(test::inner(said, "series"), "base"), curve == &arm.base_loss);
            expect_numbers(said, {{"chosen", &arm == &m.chosen()},
                                  {"from", curve->front()},
                                  {"to", curve->back()},
                                  {"millions", arm.positions.back() / 1e6}});
        }
        if (arm.conditional.empty()) continue;
        ASSERT_LT(lines, kept.size());
        const Said& said = kept[lines++];
        EXPECT_EQ(test::inner(said, "arm"), arm.name.said);
        EXPECT_EQ(test::whole(said, "chosen"), &arm == &m.chosen());
        const std::vector<Said> points = test::list(said, "points");
        EXPECT_EQ(reals(points, "share"), arm.conditional);
        EXPECT_EQ(reals(points, "judged"), arm.judged);
        for (std::size_t k = 0; k < points.size(); ++k) {
            expect_numbers(points[k], {{"position", k + 1}, {"few", arm.few(k)}});
        }
    }
    EXPECT_EQ(next, losses.size());
    EXPECT_EQ(lines, kept.size());
}

void expect_details_told(const std::vector<ui::ToldMessage>& told, const TrainingModel& m, const Published& figures) {
    ASSERT_EQ(test::all_said(told, "training.details.after").size(), m.losses ? 1U : 0U);
    if (m.losses) {
        const Said numbers = test::only_said(told, "training.details.numbers");
        EXPECT_EQ(test::real(test::only_said(told, "training.details.after"), "progress"), TrainingState().progress);
        EXPECT_EQ(test::real(test::only_said(told, "training.details.sum"), "weight"), m.losses->weight);
        expect_numbers(numbers, {{"weight", m.losses->weight},
                                 {"rest", 1 - m.losses->weight},
                                 {"final", m.losses->final_loss},
                                 {"base", m.losses->base_loss},
                                 {"total", m.losses->total()}});
    }
    const Said title = test::only_said(told, "training.weights.title");
    expect_numbers(title, {{"by_step", m.weights.by_step}, {"own", m.own_weights}});
    EXPECT_EQ(test::inner(title, "way"), weights_words(m.weights).said);
    const std::vector<Said> weights = test::all_said(told, "training.weights.bars");
    ASSERT_EQ(weights.size(), m.weights.by_block ? 0U : 1U);
    if (!weights.empty()) {
        std::vector<double> expected;
        for (int k = 1; k <= m.weights.positions; ++k) expected.push_back(m.weights(k));
        EXPECT_EQ(reals(test::list(weights[0], "weights"), "weight"), expected);
        EXPECT_EQ(test::whole(weights[0], "by_step"), m.weights.by_step);
        for (std::size_t k = 0; k < expected.size(); ++k)
            EXPECT_EQ(test::whole(test::list(weights[0], "weights")[k], "k"), static_cast<std::int64_t>(k + 1));
    }
    const std::vector<Said> rows = test::all_said(told, "training.published.row");
    const char* const ids[] = {"domino-train-ttt-tokens", "domino-train-tf-tokens", "domino-train-curriculum-tokens",
                               "domino-train-dflash-tokens"};
    ASSERT_EQ(rows.size(), std::size(ids));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const PublishedFigure* figure = figures.find(ids[i]);
        ASSERT_NE(figure, nullptr) << ids[i];
        EXPECT_EQ(test::english(rows[i], "claim"), figure->claim);
        EXPECT_EQ(test::inner(rows[i], "value"), value_said(*figure));
        EXPECT_EQ(test::inner(rows[i], "source"), citation_said(*figure, figures.source_of(*figure)));
    }
}

// Every experiment that is shipped, beat by beat, every arm of it chosen, served greedy and sampled.
void each_experiment(const std::function<void(Taught& taught, const TrainingModel& m, int beat)>& visit) {
    const std::filesystem::path assets = std::filesystem::path(SPEC_SOURCE_DIR) / "assets";
    Taught taught(load_experiments(assets / "models"));
    taught.bench->controller.figures = std::make_shared<const Published>(Published::load(assets / "published"));
    for (int beat = 0; beat < kLiveBeat; ++beat) {
        taught.beat(beat);
        TrainingState state;
        if (beat > 0) state.study = study_of_beat(beat);
        state.arm = beat == 2 || beat == 5 ? 2 : 0;
        const int arms = static_cast<int>(training_model(taught.input(), state).arms.size());
        for (; state.arm < arms; ++state.arm) {
            for (const bool sampled : {false, true}) {
                SCOPED_TRACE("beat " + std::to_string(beat) + ", arm " + std::to_string(state.arm) + (sampled ? ", sampled" : ""));
                state.sampled = sampled;
                visit(taught, training_model(taught.input(), state), beat);
                taught.bench->key(ui::Key::y);
            }
            taught.bench->key(ui::Key::down);
        }
    }
}

TEST(TrainingTold, TellsEveryNumberOfTheExperimentsInBothLanguages) {
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        SCOPED_TRACE(language);
        int frames = 0;
        each_experiment([&](Taught& taught, const TrainingModel& m, int beat) {
            ++frames;
            const std::vector<ui::ToldMessage> told = taught.told();
            EXPECT_EQ(test::words(test::only_said(told, "shared.words.data"), "tier"), "RECORDED");
            const Said subtitle = test::only_said(told, "training.subtitle.arms");
            EXPECT_EQ(test::words(subtitle, "target"), m.study->target);
            expect_numbers(subtitle, {{"steps", m.chosen().steps}, {"prompts", m.chosen().prompts}});
            EXPECT_EQ(test::real(test::inner(subtitle, "temperature"), "temperature"), m.temperature);
            EXPECT_EQ(test::english(subtitle, "machine"), m.study->machine);
            EXPECT_EQ(test::words(subtitle, "date"), m.study->date);
            const StageTitle title = training_stage_title(taught.input(), m);
            const Said& shown = told.front().message.said;
            EXPECT_TRUE(shown == title.title.said || shown == title.short_title.said) << shown.id() << " " << beat;
            expect_arms_told(told, m);
            expect_curves_told(told, m);
            expect_details_told(told, m, *taught.bench->controller.figures);
        });
        EXPECT_GT(frames, 30);
    }
}

// An axis has its numbers by itself; a published figure is told with as many digits as it has.
bool of_a_training_axis(const SceneInput& input, const ui::RecordedText& text, const std::string& number) {
    const bool at_left = std::abs(text.box.right() - 56) < 1, in_the_middle = std::abs(text.box.right() - 598) < 1;
    return text.text == number && (at_left || in_the_middle || text.box.x >= input.details.x);
}

TEST(TrainingTold, SaysEveryNumberThatIsDrawn) {
    std::size_t seen = 0;
    each_experiment([&](Taught& taught, const TrainingModel& m, int) {
        if (m.arm > 0 || m.temperature > 0) return; // who draws a scene anew has its first arm
        seen += test::expect_drawn_numbers_told("training", taught.input(), of_a_training_axis);
    });
    EXPECT_GT(seen, 70U);
    for (const HeadKind kind : {HeadKind::medusa, HeadKind::mtp}) {
        Learning learning;
        learning.grow(300, {0, 150, 300, 450, 600}, 600, kind);
        SceneInput input = learning.bench->controller.frame(0).scene;
        EXPECT_GT(test::expect_drawn_numbers_told("training", input, of_a_training_axis), 10U);
    }
}

// Which number stands where, in words.
TEST(TrainingTold, SaysItsNumbersInTheirPlaces) {
    const std::string thin = "\u2009";
    struct Lines {
        const char* language;
        std::vector<std::string> experiment, training, layer;
    };
    for (const auto& [language, experiment, training, layer] :
         {Lines{"en",
                {"Prefixes of Domino's head: trained in 2 ways, 3.50 to 6.00 tokens per round\n",
                 "the built-in model · 40 steps an arm, 6 held-out prompts, T = 0 · two cores, 2026-11-21\n",
                 "the true text (chosen): 15 guesses 3.50 [3.30, 3.70], by seed 3.00, 4.00; base logits alone 2.00 [1.90, 2.10]\n",
                 "true text, base loss fading: 15 guesses 6.00 [5.50, 6.50]\n",
                 "Loss, the true text (chosen): 5.00 to 3.00 after 0.00 million positions\n",
                 "Loss, true text, base loss fading, base logits alone: 4.00 to 2.00 after",
                 "the true text (chosen): guess 1: .80 kept of about 18 (few), guess 2: .50 kept of about 7 (few)\n",
                 "Weight of position k: exp(−(k−1) ÷ 7.0)\n", "Positions weigh 1: 1.00, 2: .87, ",
                 "The loss after " + ui::percent(0.5) + " of the run\n", "λ = 0\n", "  = 1.00 × 4.00 + 0.00 × 5.00 = 4.00\n"},
                {"After 2.5 s of training: 1.25 tokens per round\n", "4 heads, step 300 of 600 · the heads that were loaded give 2.37\n",
                 "step 0: 1.00 tokens per round; head 1 0, head 2 0, head 3 0, head 4 0\n",
                 "step 300: loss 10.00, 1.25 tokens per round; head 1 .25, head 2 .12, head 3 .08, head 4 .08\n",
                 "heads that were loaded: 2.37 tokens per round; head 1 .72, head 2 .60, head 3 .53, head 4 .47\n",
                 "head 2, three places on: here .12, loaded .60\n", "trained here, position 1: 300 of 900 stayed\n",
                 "at step 0, position 2: 80 of 300 stayed\n", "loaded, position 3: 114 of 216 stayed\n",
                 "7" + thin + "501 places in answers to 245 prompts (2.8 s to write); ",
                 " a step, loss 10.00; measured on 1" + thin + "766 of ", "Head 1 names " + ui::percent(0.25) + " of the tokens, head 4 "},
                {"one layer, 3 guesses, step 80 of 160 · the layer that was loaded gives 2.75\n",
                 "step 80: loss 14.40, 1.07 tokens per round; guess 1 .07, guess 2 .03, guess 3 .02\n",
                 "the layer that was loaded: 2.75 tokens per round; guess 1 .82, guess 2 .80, guess 3 .78\n",
                 "guess 3, four places on: here .02, loaded .78\n"}},
          Lines{"de",
                {"Präfixe des Domino-Heads: auf 2 Arten trainiert, 3,50 bis 6,00 Token pro Runde\n",
                 "das eingebaute Modell · je 40 Schritte, 6 zurückgehaltene Prompts, T = 0 · two ", ", 2026-11-21\n",
                 "der wahre Text (gewählt): 15 Vorschläge 3,50 [3,30; 3,70], je Seed 3,00; 4,00; nur Basis-Logits 2,00 [1,90; 2,10]\n",
                 "wahrer Text, Verlust aus: 15 Vorschläge 6,00 [5,50; 6,50]\n",
                 "Verlust, der wahre Text (gewählt): 5,00 bis 3,00 nach 0,00 Millionen Positionen\n",
                 "Verlust, wahrer Text, Verlust aus, nur Basis-Logits: 4,00 bis 2,00 nach",
                 "der wahre Text (gewählt): Vorschlag 1: 0,80 behalten von etwa 18 (wenige); Vorschlag 2: 0,50 behalten von etwa 7 "
                 "(wenige)\n",
                 "Gewicht der Position k: exp(−(k−1) ÷ 7,0)\n", "Positionen wiegen 1: 1,00; 2: 0,87; ", "λ = 0\n",
                 "  = 1,00 × 4,00 + 0,00 × 5,00 = 4,00\n"},
                {"Nach 2,5 s Training: 1,25 Token pro Runde\n", "4 Heads, Schritt 300 von 600 · die geladenen Heads geben 2,37\n",
                 "Schritt 0: 1,00 Token pro Runde; Head 1 0, Head 2 0, Head 3 0, Head 4 0\n",
                 "Schritt 300: Verlust 10,00, 1,25 Token pro Runde; Head 1 0,25; Head 2 0,12; Head 3 0,08; Head 4 0,08\n",
                 "geladene Heads: 2,37 Token pro Runde; Head 1 0,72; Head 2 0,60; Head 3 0,53; Head 4 0,47\n",
                 "Head 2, drei Stellen weiter: hier 0,12, geladen 0,60\n", "hier trainiert, Position 1: 300 von 900 blieben\n",
                 "bei Schritt 0, Position 2: 80 von 300 blieben\n", "geladen, Position 3: 114 von 216 blieben\n",
                 "7" + thin + "501 Stellen in Antworten auf 245 Prompts (2,8 s Schreiben); ",
                 " je Schritt, Verlust 10,00; gemessen an 1" + thin + "766 von ",
                 "Head 1 nennt " + ui::percent(0.25) + " der Token, Head 4 "},
                {"eine Schicht, 3 Vorschläge, Schritt 80 von 160 · die geladene Schicht gibt 2,75\n",
                 "Schritt 80: Verlust 14,40, 1,07 Token pro Runde; Vorschlag 1 0,07; Vorschlag 2 0,03; Vorschlag 3 0,02\n",
                 "geladene Schicht: 2,75 Token pro Runde; Vorschlag 1 0,82; Vorschlag 2 0,80; Vorschlag 3 0,78\n",
                 "Vorschlag 3, vier Stellen weiter: hier 0,02, geladen 0,78\n"}}}) {
        const test::Speaking speaking(language);
        const auto expect = [](const std::vector<ui::ToldMessage>& told, const std::vector<std::string>& lines) {
            const std::string words = in_words(told);
            for (const std::string& line : lines) EXPECT_NE(words.find(line), std::string::npos) << line << "\n" << words;
        };
        const Taught taught(parse_ablations(kFile, "file"));
        expect(taught.told(), experiment);
        Learning heads, mtp;
        heads.grow(300, {0, 10, 300});
        expect(heads.told(), training);
        mtp.grow(300, {0, 80}, 160, HeadKind::mtp);
        expect(mtp.told(), layer);
    }
    const test::Speaking speaking("de");
    const Message lazy = backbone_story("[2.2,2.05,2.3]");
    for (const char* line :
         {"Unsere Verluste deuten darauf: Basisverlust 4,00, und 2,00, wo sein Gewicht",
          "Läufe von 40 Schritten sind zu kurz, um es im Text zu zeigen: Basis-Logits allein bringen 2,00 [1,90; 2,10] und "
          "2,20 [2,05; 2,30] Token."})
        EXPECT_NE(lazy.find(line), std::string::npos) << lazy;
    std::string file = kFile;
    file.replace(file.find("curriculum"), 10, "self_generated");
    Taught prefixed(parse_ablations(file, "file"));
    prefixed.beat(kPrefixBeat);
    const std::string words = in_words(prefixed.told());
    for (const char* line : {"An eigenen Vorschlägen gelernt 6,00 Token pro Runde, am wahren Text 3,50\n",
                             "Verlust am Ende: 1,00 gegen 3,00, auf verschiedenen Präfixen; im Einsatz 6,00 und 3,50 Token pro Runde."})
        EXPECT_NE(words.find(line), std::string::npos) << line << "\n" << words;
    Taught shipped(load_ablations(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "models" / "ablations.json"));
    shipped.beat(kStepsBeat);
    const Said steps = shipped.said("steps.text");
    const auto tokens = [&](const char* arm) { return ui::per_round(test::real(steps, arm)); };
    const std::string line = "sah es sie nie: " + tokens("one") + " Token pro Runde; auf drei Schritte " + tokens("three") +
                             ", auf sieben " + tokens("seven") + ".";
    EXPECT_NE(message(steps).find(line), std::string::npos) << line << "\n" << message(steps);
}

// A strip of two lines and a room have the same claims in fewer words.
TEST(TrainingStory, SaysOfTheBackboneInTwoLinesTheMeansAlone) {
    std::string file = kFile;
    file.replace(file.find("[[0.9,0.8,1.0]]}}]"), 18,
                 R"([[0.9,0.8,1.0]]}}],"drafts 15, base logits only":[{"temperature":0.0,"all":{"prompts":6,"rounds":9,)"
                 R"("tokens_per_round":[2.2,2.15,2.3],"conditional":[]}}])");
    const Ablations ablations = parse_ablations(file, "file");
    SceneInput input;
    input.ablations = &ablations;
    input.beat = kFadingBeat;
    input.strip = true;
    const Message brief = training_story(input, training_model(input, {}), {}).text;
    EXPECT_EQ(brief.said.id(), "training.lazy.brief:told");
    EXPECT_NE(brief.find("base loss 4.00, and 2.00 where it fades. The text shows it: base logits bring 2.00 and 2.20 tokens."),
              std::string::npos)
        << brief;
}

} // namespace
} // namespace speclens
