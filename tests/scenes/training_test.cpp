// Scene S10: the recipe's experiments read from their file, what the picture makes of them, and hostile
// files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "kernels/error.h"
#include "scenes/training/training_draw.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_look.h"

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
    EXPECT_EQ(study_words({"domino", {}, "", "", "SmolLM2-135M-Instruct"}), "Prefixes of Domino's head, SmolLM2");
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
    EXPECT_TRUE(training_title(real).title.starts_with("Prefixes of Domino's head, Real: ")) << training_title(real).title;
}

// Who loads a model sees its own experiment where there is one, and else whose it is.
TEST(TrainingModel, TheLoadedModelsOwnStudyIsShownAndEveryStudySaysWhoseItIs) {
    std::string other = kFile;
    other.replace(other.find("\"machine\""), 0, R"("target":"Real-1B",)");
    auto ablations = std::make_shared<Ablations>(parse_ablations(kFile, "file"));
    std::ranges::move(parse_ablations(other, "other").studies, std::back_inserter(ablations->studies));
    const auto words = [&](const std::string& model) {
        SceneInput input;
        Header header;
        header.model = model;
        RunView whole;
        whole.header = &header;
        input.whole = input.view = &whole;
        input.ablations = ablations.get();
        input.beat = 1;
        return find_scene("training")->make()->describe(input);
    };
    EXPECT_NE(words("Real-1B.Q4_1").find("Prefixes of Domino's head, Real"), std::string::npos) << words("Real-1B.Q4_1");
    EXPECT_NE(words("Real-1B.Q4_1").find("\nReal-1B · 40 steps an arm"), std::string::npos) << words("Real-1B.Q4_1");
    EXPECT_NE(words("bundle S").find("\nthe built-in model · 40 steps an arm"), std::string::npos) << words("bundle S");
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
    const std::string own = training_story(input, training_model(input, state), state).text;
    state.study = "weights";
    EXPECT_EQ(training_story(input, training_model(input, state), state).text, own);
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

struct Taught {
    std::unique_ptr<SceneBench> bench = std::make_unique<SceneBench>("training");
    explicit Taught(Ablations ablations) {
        bench->controller.ablations = std::make_shared<const Ablations>(std::move(ablations));
        bench->settle();
    }
    [[nodiscard]] SceneInput input() { return bench->controller.frame(0).scene; }
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
    EXPECT_NE(training_title(m).title.find("true text, base loss fading 6.00, the true text 3.50"), std::string::npos)
        << training_title(m).title;
    EXPECT_TRUE(taught.bench->shows("trained in 2 ways, 3.50 to 6.00 tokens per round")) << "of its first beat";
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
    EXPECT_EQ(part.title, "Size of a DFlash block: with 7 guesses trained on blocks of 8 2.90, trained on "
                          "blocks of 16 2.50");
    EXPECT_EQ(part.short_title, "Size of a DFlash block: 2.50 to 2.90 with 7 guesses");
    EXPECT_NE(part.subtitle.find(" · with 15 guesses too close to call"), std::string::npos) << part.subtitle;
    EXPECT_EQ(part.subtitle.find("overlap"), std::string::npos) << part.subtitle;
    EXPECT_EQ(alike.title, "Size of a DFlash block: 2.60 to 2.80, too close to call");
    EXPECT_NE(alike.subtitle.find(" · intervals overlap"), std::string::npos) << alike.subtitle;
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

TEST(TrainingModel, KnowsHowEveryArmWeighsThePositions) {
    const auto words = [](const std::string& method, std::vector<std::string> arguments) {
        TrainingRun run;
        run.method = method;
        run.arguments = std::move(arguments);
        return weights_words(weights_of(run));
    };
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
    taught.bench->controller.perform({SceneCommand{SetBeat{5}}}, 0);
    taught.bench->settle();
    EXPECT_TRUE(taught.bench->shows("Weight of position k: exp(−(k−1) ÷ 7.0)")) << "the arm with g = 7";
    taught.bench->click(taught.bench->find("all positions alike"));
    EXPECT_TRUE(taught.bench->shows("Weight of position k: all alike"));
    EXPECT_TRUE(taught.bench->shows("Decay g: none"));
    taught.bench->click(taught.bench->find("early positions more, g = 4"));
    EXPECT_TRUE(taught.bench->shows("exp(−(k−1) ÷ 4.0)"));
    taught.bench->click(taught.bench->find("D-PACE: by length at stake"));
    EXPECT_TRUE(taught.bench->shows("Weight of position k: each block sets its own"));
    EXPECT_FALSE(taught.bench->shows("Decay g"));
}

// What the beat on the lazy backbone says of kFile, whose base logits alone bring 2.00 [1.90, 2.10] without
// the fading base loss, and `base` with it.
std::string backbone_story(const std::string& base, const std::string& loss = "2.0") {
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
    const auto says = [](const std::string& story, const char* words) { EXPECT_NE(story.find(words), std::string::npos) << story; };
    const std::string overlap = backbone_story("[2.2,2.05,2.3]");
    says(overlap, "With the final loss alone, the paper reports,");
    says(overlap, "Our losses point that way: base loss 4.00, and 2.00 where");
    says(overlap, "Runs of 40 steps are too short to show it in the text: base logits alone bring 2.00 "
                  "[1.90, 2.10] and 2.20 [2.05, 2.30] tokens.");
    says(backbone_story("[2.2,2.15,2.3]"), "The text shows it: base logits alone bring 2.00 [1.90, 2.10] and");
    says(backbone_story("[1.5,1.4,1.6]"), "The text shows the opposite: ");
    says(backbone_story("[2.2,2.05,2.3]", "4.5"), "Our losses do not: base loss 4.00, and 4.50");
    const std::string unserved = backbone_story("");
    says(unserved, "Our losses point that way");
    EXPECT_EQ(unserved.find("base logits"), std::string::npos) << unserved;
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
    taught.bench->controller.perform({SceneCommand{SetBeat{3}}}, 0);
    taught.bench->settle();
    EXPECT_TRUE(taught.bench->shows("test-time step"));
}

// A line without a name would say nothing: each ends in the number of its row, also in a room where lines are shown.
TEST(TrainingScene, LinesHaveTheNumbersOfTheirRows) {
    Taught taught(parse_ablations(kFile, "file"));
    const TrainingModel model = training_model(taught.input(), {});
    const auto second =
        std::ranges::find_if(taught.bench->texts, [](const ui::RecordedText& text) { return text.text == "Share kept, by position"; });
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
        EXPECT_EQ(taught.bench->shows("Loss, nats per token"), beat == kFadingBeat) << beat;
        EXPECT_EQ(taught.bench->shows("Share kept, by position"), beat == kStepsBeat) << beat;
        EXPECT_EQ(overlap_of(taught.bench->texts), "") << beat;
    }
}

TEST(TrainingScene, KeysChooseTheArmAndTheTemperature) {
    Taught taught(parse_ablations(kFile, "file"));
    EXPECT_TRUE(taught.bench->shows("λ = 0")) << "the true text alone: no base loss";
    taught.bench->key(ui::Key::down);
    taught.bench->settle();
    EXPECT_TRUE(taught.bench->shows("λ = .50"));
    taught.bench->key(ui::Key::y);
    taught.bench->settle();
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
    [[nodiscard]] std::string described() { return find_scene("training")->make()->describe(bench->controller.frame(0).scene); }
};

TEST(TrainingScene, TrainsHeadsAndDraftsWithThem) {
    Learning learning;
    EXPECT_TRUE(learning.bench->shows("Train a drafter here"));
    learning.bench->key(ui::Key::u); // there are none yet
    EXPECT_TRUE(learning.sent.empty());
    learning.bench->key(ui::Key::m);
    ASSERT_EQ(learning.sent.size(), 1u);
    const auto* asked = std::get_if<TrainHeads>(&learning.sent.back());
    ASSERT_NE(asked, nullptr);
    EXPECT_EQ(asked->steps, 600);
    learning.grow(120, {});
    EXPECT_TRUE(learning.bench->shows("120 of 300 answers"));
    learning.bench->key(ui::Key::m); // one at a time
    EXPECT_EQ(learning.sent.size(), 1u);
    learning.grow(300, {0, 10, 300});
    EXPECT_TRUE(learning.bench->shows("After 2.5 s of training: 1.25 tokens per round")) << learning.bench->words;
    EXPECT_TRUE(learning.bench->shows("step 300 of 600 · the heads that were loaded give 2.37"));
    EXPECT_TRUE(learning.bench->shows("Two to five places on"));
    learning.bench->key(ui::Key::u); // not before they are complete
    EXPECT_EQ(learning.sent.size(), 1u);
    learning.grow(300, {0, 10, 300, 600});
    EXPECT_TRUE(learning.bench->shows("Yours against theirs"));
    EXPECT_TRUE(learning.bench->shows("501 places in answers to 245 prompts")) << learning.bench->words;
    const std::string words = learning.described();
    EXPECT_NE(words.find("step 300: loss 10.00, 1.25 tokens per round, heads .25 .12 .08 .08"), std::string::npos) << words;
    EXPECT_NE(words.find("heads that were loaded: 2.37 tokens per round, heads .72 .60 .53 .47"), std::string::npos) << words;
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
    EXPECT_TRUE(learning.bench->shows("an MTP layer for the loaded target")) << learning.bench->words;
    EXPECT_TRUE(learning.bench->shows("An MTP layer in a minute"));
    learning.bench->key(ui::Key::m);
    ASSERT_EQ(learning.sent.size(), 1u);
    EXPECT_EQ(std::get<TrainHeads>(learning.sent.back()).kind, HeadKind::mtp);
    EXPECT_EQ(std::get<TrainHeads>(learning.sent.back()).steps, 160);
    learning.grow(299, {}, 160, HeadKind::mtp);
    EXPECT_TRUE(learning.bench->shows("The target writes what the layer will learn from")) << learning.bench->words;
    learning.grow(300, {0}, 160, HeadKind::mtp);
    EXPECT_TRUE(learning.bench->shows("The target's last layer once more"));
    learning.grow(300, {0, 80}, 160, HeadKind::mtp);
    EXPECT_TRUE(learning.bench->shows("one layer, 3 guesses, step 80 of 160 · the layer that was loaded gives 2.75"))
        << learning.bench->words;
    EXPECT_TRUE(learning.bench->shows("From its own output on"));
    for (const char* chart : {"Loss, nats per token", "What each guess names", "Guesses that stay, by place", "guess 3"})
        EXPECT_TRUE(learning.bench->shows(chart)) << chart << learning.bench->words;
    EXPECT_FALSE(learning.bench->shows("head 1"));
    learning.grow(300, {0, 80, 160}, 160, HeadKind::mtp);
    EXPECT_NE(learning.described().find("The loaded layer saw far more text and is ahead"), std::string::npos);
    learning.choose("Medusa"); // what comes next is another matter
    learning.bench->settle();
    EXPECT_TRUE(learning.bench->shows("What each guess names"));
    const std::string words = learning.described();
    for (const char* line : {"step 80: loss 14.40, 1.07 tokens per round, guesses .07 .03 .02\n",
                             "the layer that was loaded: 2.75 tokens per round, guesses .82 .80 .78",
                             "trained here: 1: 300 of 900, 2: 80 of 300, 3: 20 of 80\n", "loaded: 1: 400 of 500"})
        EXPECT_NE(words.find(line), std::string::npos) << line << "\n" << words;
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
    EXPECT_TRUE(learning.bench->shows("step 300 of 300"));
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
    EXPECT_TRUE(live.bench->shows("The target writes")) << live.bench->words;
    const int shapes = live.bench->shapes;
    HeadTrainingView cut = *live.published.training;
    cut.complete = cut.ended_early = true;
    live.published.training = std::make_shared<const HeadTrainingView>(cut);
    live.tell();
    EXPECT_FALSE(live.bench->shows("The target writes")) << live.bench->words;
    EXPECT_FALSE(live.bench->shows("its answers:"));
    EXPECT_TRUE(live.bench->shows("The training was stopped before it began"));
    EXPECT_TRUE(live.bench->shows("92 of 300 answers were written; M begins again"));
    EXPECT_LT(live.bench->shapes, shapes) << "no bar";
    EXPECT_TRUE(live.bench->shows("Train")) << "and not Stop";
}

TEST(TrainingScene, SaysThatThereIsNothing) {
    SceneBench bench("training");
    bench.settle();
    EXPECT_TRUE(bench.shows("no experiments came with this bundle"));
}

} // namespace
} // namespace speclens
