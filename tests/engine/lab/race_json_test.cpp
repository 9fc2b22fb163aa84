// A race as a file: what was saved comes back, and what is broken is named.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "engine/base/json.h"
#include "engine/lab/race_json.h"
#include "engine/lab/stepped_race.h"
#include "engine/run/run_view.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"
#include "tests/shared/micro.h"
#include "tests/shared/temp_folder.h"

namespace speclens {
namespace {

RaceSettings settings_for(const std::vector<std::string>& drafters) {
    RaceSettings race;
    race.base.prompt.token_ids = {5, 6, 7};
    race.base.sampling.temperature = 0;
    race.base.max_tokens = 14;
    race.base.k = 3;
    race.base.seed = 12345678901234567890ULL;
    race.lanes = race_entries(drafters, race.base);
    return race;
}

RaceView measured() {
    auto models = std::make_shared<const Models>(load_models({}));
    RaceSettings settings;
    settings.base.prompt.text = "2 + 2 =";
    settings.base.sampling.temperature = 0;
    settings.base.max_tokens = 8;
    settings.lanes = race_entries({"none", "small", "eagle3_tree"}, settings.base);
    for (const char* prompt : {"The capital of France is", "2 + 2 ="}) settings.prompts.push_back({"x", prompt, "", false});
    Race race(models, settings);
    race.finish();
    return race.view();
}

TEST(RaceFile, NamesItsPrecisionWhereItIsNotF32) {
    RaceSettings settings = settings_for({"none", "lookup"});
    const auto race_in = [&](Precision precision) {
        Race race(test::precise_models(1, precision), settings);
        race.finish();
        return race_json(race.view());
    };
    EXPECT_EQ(race_in(Precision::f32).find("precision"), std::string::npos);
    const std::string bf16 = race_in(Precision::bf16);
    EXPECT_EQ(read_race(bf16, "race.json").precision, Precision::bf16);
    EXPECT_EQ(read_race(race_in(Precision::f32), "race.json").precision, Precision::f32);
    std::string broken = bf16;
    broken.replace(broken.rfind("\"bf16\""), 6, "\"fp4\"");
    EXPECT_THROW((void)read_race(broken, "race.json"), Error);
}

TEST(RaceFile, BringsBackLanesTextsTimesAndAverages) {
    const RaceView race = measured();
    const RaceView back = read_race(race_json(race), "race.json");
    EXPECT_EQ(back.model, race.model);
    EXPECT_EQ(back.backend, race.backend);
    EXPECT_EQ(back.settings.base.prompt.text, "2 + 2 =");
    EXPECT_TRUE(back.finished());
    ASSERT_EQ(back.lanes.size(), race.lanes.size());
    for (std::size_t i = 0; i < race.lanes.size(); ++i) {
        const RaceLane &a = race.lanes[i], &b = back.lanes[i];
        EXPECT_EQ(b.settings.drafter, a.settings.drafter);
        EXPECT_EQ(b.settings.k, a.settings.k);
        ASSERT_TRUE(b.trace);
        EXPECT_EQ(b.trace->header()->tier, "RECORDED");
        EXPECT_EQ(b.trace->header()->machine, a.trace->header()->machine);
        EXPECT_EQ(b.trace->header()->date, a.trace->header()->date);
        EXPECT_EQ(b.trace->hash(b.trace->size()), a.trace->hash(a.trace->size()));
        EXPECT_DOUBLE_EQ(fold(*b.trace, b.trace->size()).total_ms, fold(*a.trace, a.trace->size()).total_ms);
        ASSERT_TRUE(b.average);
        EXPECT_EQ(b.average->totals.judged_at, a.average->totals.judged_at);
        EXPECT_EQ(b.average->totals.conditional, a.average->totals.conditional);
        const FirstDrafts &first = b.average->totals.first, &expected = a.average->totals.first;
        EXPECT_EQ(first.at_start, expected.at_start);
        EXPECT_EQ(first.kept_at_start, expected.kept_at_start);
        EXPECT_EQ(first.after_full, expected.after_full);
        EXPECT_EQ(first.kept_after_full, expected.kept_after_full);
        EXPECT_EQ(first.after_refusal, expected.after_refusal);
        EXPECT_EQ(first.kept_after_refusal, expected.kept_after_refusal);
        EXPECT_NEAR(b.average->totals.round_ms(), a.average->totals.round_ms(), 1e-12);
        EXPECT_EQ(b.average->totals.prompts, 2);
        EXPECT_DOUBLE_EQ(b.average->speed_up.value, a.average->speed_up.value);
        EXPECT_DOUBLE_EQ(b.average->tokens_per_round.high, a.average->tokens_per_round.high);
    }
    EXPECT_EQ(race_json(read_race(race_json(back), "again")), race_json(back)) << "the file of a file is that file";
}

TEST(RaceFile, KeepsTheStepsOfASteppedRace) {
    SteppedRace race(test::micro_models(1), settings_for({"none", "domino"}));
    race.ask(Stride::phase);
    race.ask(Stride::round);
    race.finish();
    const RaceView back = read_race(race_json(race.view()), "race.json");
    EXPECT_TRUE(back.settings.stepped);
    EXPECT_EQ(back.steps, race.view().steps);
    EXPECT_EQ(back.settings.base.seed, 12345678901234567890ULL);
    EXPECT_EQ(back.lanes[1].trace->size(), back.steps.back()[1]);
}

TEST(RaceFile, KeepsALaneThatCouldNotRun) {
    Race race(test::perfect_draft_models(1), settings_for({"none", "dflash"}));
    race.finish();
    const RaceView back = read_race(race_json(race.view()), "race.json");
    EXPECT_EQ(back.lanes[1].problem, race.view().lanes[1].problem);
    EXPECT_FALSE(back.lanes[1].trace);
}

TEST(RaceFile, IsKnownByItsFirstWordsAndLoads) {
    const test::TempFolder folder;
    const std::filesystem::path file = folder.path() / "race.json";
    const RaceView race = measured();
    save_race(race, file);
    EXPECT_TRUE(is_race_file(file));
    EXPECT_FALSE(is_race_file(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / "domino.jsonl"));
    EXPECT_FALSE(is_race_file(folder.path() / "none"));
    EXPECT_EQ(load_race(file).lanes.size(), 3u);
    EXPECT_THROW((void)load_race(folder.path() / "none"), Error);
}

TEST(RaceFile, NamesWhatIsBroken) {
    SteppedRace race(test::micro_models(1), settings_for({"none", "domino"}));
    race.ask(Stride::phase);
    race.finish();
    const std::string good = race_json(race.view());
    const auto refused = [&](const std::string& what, const std::string& instead) {
        std::string text = good;
        const auto at = text.find(what);
        if (at == std::string::npos) return false;
        text.replace(at, what.size(), instead);
        try {
            (void)read_race(text, "race.json");
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("race.json"), std::string::npos) << error.what();
            EXPECT_FALSE(error.remedy().empty());
            return true;
        }
        return false;
    };
    EXPECT_TRUE(refused("speclens-race/1", "speclens-race/9"));
    EXPECT_TRUE(refused("\"seed\"", "\"sead\""));
    EXPECT_TRUE(refused("\"k\": 3", "\"k\": \"3\""));
    EXPECT_TRUE(refused("\"steps\": [", "\"steps\": [[99999, 1],"));
    EXPECT_TRUE(refused("\"kind\"", "\"knd\"")) << "a broken trace";
    EXPECT_THROW((void)read_race(good.substr(0, good.size() / 2), "race.json"), Error);
    EXPECT_THROW((void)read_race("", "race.json"), Error);
}

TEST(RaceFile, RefusesFiguresThatNoAxisHolds) {
    const std::string good = race_json(measured());
    for (const char* field : {"\"draft_ms\": ", "\"head_ms\": ", "\"other_ms\": ", "\"tokens_per_second\": ", "\"rounds\": "})
        for (const char* value : {"-1e308", "1e308", "-5"}) {
            std::string bad = good;
            const std::size_t at = bad.find(field);
            ASSERT_NE(at, std::string::npos) << field;
            const std::size_t from = at + std::string(field).size();
            bad.replace(from, bad.find_first_of(",\n", from) - from, value);
            EXPECT_THROW((void)read_race(bad, "race.json"), Error) << field << value;
        }
}

TEST(RaceFile, ReadsFilesFromBeforeFirstGuessesWereCountedAndRefusesImpossibleCounts) {
    const std::string good = race_json(measured());
    const auto with = [&](const std::function<void(Json&)>& change) {
        auto json = Json::parse(good);
        for (auto& lane : json.at("lanes")) change(lane.at("average"));
        return json.dump();
    };
    const RaceView old = read_race(with([](auto& average) { average.erase("first_guesses"); }), "race.json");
    EXPECT_EQ(old.lanes[1].average->totals.first.after_full, 0);
    EXPECT_THROW((void)read_race(with([](auto& average) {
                                     average["first_guesses"]["after_refusal"] = 3;
                                     average["first_guesses"]["kept_after_refusal"] = 4;
                                 }),
                                 "race.json"),
                 Error);
    EXPECT_THROW((void)read_race(with([](auto& average) { average["first_guesses"]["after_full_round"] = -1; }), "race.json"), Error);
}

TEST(RaceFile, RefusesWhatNestsWithoutEnd) {
    std::string deep = race_json(measured());
    const std::size_t at = deep.find("\"kind\"");
    ASSERT_NE(at, std::string::npos);
    deep.insert(at, "\"x\": " + std::string(200'000, '[') + std::string(200'000, ']') + ",");
    EXPECT_THROW((void)read_race(deep, "race.json"), Error);
}

TEST(RaceFile, AndTracesWriteTextThatIsNoUtf8) {
    RaceView race = measured();
    race.settings.base.prompt.text = "a\xff\xfe";
    EXPECT_NO_THROW((void)read_race(race_json(race), "race.json"));
    Trace trace([](int) { return std::string("x"); });
    Header header;
    header.drafter_model = "bad\xff";
    trace.append(header);
    EXPECT_NO_THROW((void)TraceWriter(trace).line(trace[0]));
}

} // namespace
} // namespace speclens
