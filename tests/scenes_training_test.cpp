// Scene S10: the recipe's experiments read from their file, what the picture makes of them, and hostile
// files.
#include <gtest/gtest.h>

#include <algorithm>

#include "scenes/training_model.h"
#include "scenes_bench.h"
#include "scenes_look.h"

namespace speclens {
namespace {

// Two arms with two seeds each; one was stopped and went on.
constexpr const char* kFile = R"({"about":{"machine":"two cores","date":"2026-11-21"},
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
    EXPECT_EQ(ablations.machine, "two cores");
    ASSERT_EQ(ablations.studies.size(), 1u);
    const AblationStudy& study = *ablations.find("domino");
    ASSERT_EQ(study.arms.size(), 2u);
    EXPECT_EQ(study.arms[0].name, "teacher_forcing") << "in the order of the file";
    EXPECT_EQ(study.arms[0].runs.size(), 2u);
    const TrainingRun& went_on = study.arms[1].runs[0];
    EXPECT_EQ(went_on.positions, (std::vector<double>{100, 200})) << "the row after the resume counts";
    EXPECT_EQ(went_on.curves.at("final_loss"), (std::vector<double>{4, 1}));
    const ServedResult* base = study.arms[0].runs[0].result(15, true, 0);
    ASSERT_NE(base, nullptr);
    EXPECT_EQ(base->tokens, 2);
    EXPECT_EQ(study.arms[0].runs[0].result(15, false, 0)->conditional, (std::vector<double>{0.8, 0.5}))
        << "null ends the positions";
    EXPECT_EQ(study.arms[0].runs[0].result(15, false, 0.7), nullptr);
    EXPECT_EQ(ablations.find("weights"), nullptr);
}

TEST(Ablations, SaysWhatIsWrongWithAFile) {
    const auto refused = [](std::string file, const std::string& from, const std::string& to,
                            const char* says) {
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
    EXPECT_EQ(m.best, 1);
    EXPECT_EQ(m.worst, 0);
    EXPECT_TRUE(m.apart) << "5.5 is above (3.2 + 4.2) ÷ 2";
    EXPECT_TRUE(taught.bench->shows("true text, base loss fading 6.00, the true text 3.50"));
    EXPECT_TRUE(taught.bench->shows("RECORDED"));
    EXPECT_TRUE(taught.bench->shows("two cores"));
}

TEST(Training, WeighsTheLossesAsTheRunDidThere) {
    EXPECT_DOUBLE_EQ(curriculum_weight(0, 1), 1);
    EXPECT_DOUBLE_EQ(curriculum_weight(0.25, 1), 0.75);
    EXPECT_DOUBLE_EQ(curriculum_weight(0.25, 0.5), 0.5);
    EXPECT_DOUBLE_EQ(curriculum_weight(0.75, 0.5), 0);
    EXPECT_DOUBLE_EQ(curriculum_weight(0, 0), 0) << "teacher forcing alone never has any";
    EXPECT_DOUBLE_EQ(position_weight(0, 7), 1);
    EXPECT_NEAR(position_weight(7, 7), std::exp(-1), 1e-12);
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

TEST(TrainingScene, ShowsTheShippedExperimentsBeatByBeat) {
    Taught taught(
        load_ablations(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "models" / "ablations.json"));
    for (const ui::Rect screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}}) {
        SceneBench bench("training", {}, screen);
        bench.controller.ablations = taught.bench->controller.ablations;
        for (int beat = 0; beat < kTrainingBeats; ++beat) {
            bench.controller.perform({SceneCommand{SetBeat{beat}}}, 0);
            bench.settle();
            EXPECT_EQ(overlap_of(bench.texts), "") << "beat " << beat << " at " << screen.w;
            EXPECT_TRUE(bench.clipped.empty()) << "beat " << beat << " at " << screen.w << ": "
                                               << (bench.clipped.empty() ? "" : bench.clipped[0].text);
        }
    }
    taught.bench->controller.perform({SceneCommand{SetBeat{3}}}, 0);
    taught.bench->settle();
    EXPECT_TRUE(taught.bench->shows("test-time step"));
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

TEST(TrainingScene, SaysThatThereIsNothing) {
    SceneBench bench("training");
    bench.settle();
    EXPECT_TRUE(bench.shows("no experiments came with this bundle"));
}

} // namespace
} // namespace speclens
