// The scene of MTP: what it asks to have measured, what it says of that, when verdicts are told, and the same round of two other heads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/drafters/drafter_info.h"
#include "engine/run/run.h"
#include "scenes/mtp/mtp_draw.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/words.h"
#include "tests/scenes/run_window.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/finished.h"
#include "tests/shared/heads_bench.h"
#include "ui/format.h"

namespace speclens {
namespace {

// A window over a finished run of micro models with an engine that only listens.
struct MtpWindow : RunWindow {
    explicit MtpWindow(const std::string& drafter = "mtp", double temperature = 0, ui::Rect screen = {0, 0, 1600, 1000}) {
        settings = settings_for(drafter);
        settings.k = 3;
        settings.sampling.temperature = temperature;
        open("mtp", models->ready_drafters(), screen);
        bench->controller.figures =
            std::make_shared<const Published>(Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published"));
        published.status.model = "micro target";
        show();
        asked_as_mtp = static_cast<int>(std::ranges::count_if(sent, [](const Command& command) {
            const auto* fetch = std::get_if<FetchOtherDrafterRound>(&command);
            return fetch && fetch->drafter == "mtp";
        }));
        sent.clear();
    }
    int asked_as_mtp = 0; // when it was opened
    // Runs what was asked for, and shows the answer.
    void measure() {
        bench->key(ui::Key::m);
        ASSERT_NE(study(), nullptr);
        Study done{study()->name, static_cast<int>(study()->runs.size()), {}};
        for (const RunSettings& one : study()->runs) {
            done.points.push_back(study_point(models, one));
            EXPECT_EQ(done.points.back().problem, "");
        }
        published.studies[done.name] = std::make_shared<const Study>(done);
        show();
    }
    [[nodiscard]] int asked_to_compare() const {
        return static_cast<int>(std::ranges::count_if(sent, [](const Command& c) { return std::holds_alternative<CompareDrafters>(c); }));
    }
    void compare() {
        const RoundSummary* round = shown_round(input());
        published.comparison = std::make_shared<DrafterComparison>(compare_all(models, settings, *published.trace, {round->round}));
        show();
    }
    [[nodiscard]] std::string told(int beat) { return find_scene("mtp")->make()->describe(input(beat)); }
};

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

TEST(MtpScene, MeasuresDepthsCacheAndStatesOnDemand) {
    MtpWindow window;
    window.beat(kMtpDepthBeat);
    EXPECT_TRUE(window.bench->shows("press M"));
    window.bench->key(ui::Key::m);
    ASSERT_NE(window.study(), nullptr);
    int timed[kMtpGuesses + 1] = {};
    std::vector<RunSettings> variants;
    for (const RunSettings& run : window.study()->runs) {
        EXPECT_EQ(run.drafter, "mtp");
        EXPECT_EQ(run.sampling.temperature, 0);
        EXPECT_EQ(run.trace_top, 0) << "times without recording";
        EXPECT_EQ(run.prompt.token_ids, window.settings.prompt.token_ids) << "the prompt of the run";
        if (run.timing)
            ++timed[run.k];
        else
            variants.push_back(run);
    }
    for (int k = 1; k <= kMtpGuesses; ++k) EXPECT_EQ(timed[k], 3) << k;
    ASSERT_EQ(variants.size(), static_cast<std::size_t>(kMtpVariants));
    for (std::size_t i = 1; i < variants.size(); ++i) {
        EXPECT_NE(variants[i].options, DrafterOptions{});
        variants[i].options = {};
        EXPECT_EQ(variants[i], variants[0]) << "nothing else differs: same prompt, same dice";
    }
}

TEST(MtpScene, ForgetsWhatWasMeasuredOfAnotherPrompt) {
    MtpWindow window;
    window.measure();
    SceneInput input = window.input(kMtpCacheBeat);
    EXPECT_NE(mtp_measured(input).of(MtpVariant::all_pairs), nullptr);
    RunSettings other = *input.settings;
    other.prompt.token_ids.push_back(11);
    input.settings = &other;
    EXPECT_EQ(mtp_measured(input).of(MtpVariant::all_pairs), nullptr);
    EXPECT_TRUE(find_scene("mtp")->make()->missing(input).size() == 1) << "and asks anew";
}

TEST(MtpScene, SaysWhatWasMeasured) {
    for (const ui::Rect& screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}}) {
        MtpWindow window("mtp", 0, screen);
        window.measure();
        const MtpMeasured measured = mtp_measured(window.input());
        ASSERT_EQ(measured.times.points.size(), 3u);
        for (int i = 0; i < kMtpVariants; ++i) ASSERT_NE(measured.variant[i], nullptr) << i;
        const StudyPoint *all = measured.of(MtpVariant::all_pairs), *own = measured.of(MtpVariant::own_pair);
        EXPECT_EQ(measured.of(MtpVariant::some_pairs)->settings.options.context_last, kMtpSomePairs);
        EXPECT_TRUE(measured.of(MtpVariant::raw_state)->settings.options.mtp_raw);
        const std::string cache = window.told(kMtpCacheBeat);
        EXPECT_TRUE(has(cache, "with all pairs a round brings " + ui::number(all->tokens_per_round(), 2))) << cache;
        const StudyPoint* unread = measured.of(MtpVariant::no_prompt);
        EXPECT_FALSE(unread->settings.options.mtp_prompt);
        EXPECT_TRUE(has(cache, "without the prompt's " + ui::number(unread->tokens_per_round(), 2))) << cache;
        EXPECT_TRUE(has(cache, "with its own pair alone " + ui::number(own->tokens_per_round(), 2))) << cache;
        const std::string state = window.told(kMtpStateBeat);
        EXPECT_TRUE(has(state, ui::probability(*kept_share(all, 0)))) << state;
        window.beat(kMtpCacheBeat);
        EXPECT_TRUE(window.bench->shows("its own alone")) << window.bench->words;
        look(*window.bench, "mtp cache", false);
        window.beat(kMtpDepthBeat);
        EXPECT_FALSE(window.bench->shows("press M"));
        look(*window.bench, "mtp depth", false);
    }
}

// The check that tells which state a head was trained on: apart by more than one in a hundred.
TEST(MtpScene, TellsTheStateOnlyWhereTheTwoAreApart) {
    const auto point = [](int judged, int kept) {
        StudyPoint made;
        made.judged = {judged};
        made.kept = {kept};
        return made;
    };
    const StudyPoint half = point(200, 100), same = point(200, 101), more = point(200, 110), none = point(0, 0);
    const auto told = [](const StudyPoint* after, const StudyPoint* before) {
        MtpMeasured measured;
        measured.variant[static_cast<std::size_t>(MtpVariant::all_pairs)] = after;
        measured.variant[static_cast<std::size_t>(MtpVariant::raw_state)] = before;
        return trained_on(measured);
    };
    EXPECT_EQ(told(&more, &half), MtpTrainedOn::after_norm);
    EXPECT_EQ(told(&half, &more), MtpTrainedOn::before_norm);
    EXPECT_EQ(told(&half, &same), MtpTrainedOn::unknown);
    EXPECT_EQ(told(&half, &none), MtpTrainedOn::unknown);
    EXPECT_EQ(told(&half, nullptr), MtpTrainedOn::unknown);
}

TEST(MtpScene, SaysWhatAGuessBringsAndCosts) {
    MtpWindow window("mtp", 1); // where random models agree now and then
    window.beat(kMtpDepthBeat);
    const SceneInput input = window.input(kMtpDepthBeat);
    const AcceptanceSeries kept = mtp_kept(input, mtp_model(input), mtp_measured(input)).series;
    ASSERT_GT(kept.judged.size(), 1u);
    ASSERT_GT(kept.kept[0], 0);
    EXPECT_TRUE(window.bench->shows("What a guess brings and costs, in tokens")) << window.bench->words;
    for (std::size_t i = 0; i < kept.kept.size(); ++i) { // of all rounds, however few got so far
        const std::string brings = ui::probability(static_cast<double>(kept.kept[i]) / kept.judged[0]);
        EXPECT_TRUE(window.bench->shows(brings)) << brings << "\n" << window.bench->words;
    }
    window.beat(kMtpPublishedBeat);
    EXPECT_FALSE(window.bench->shows("What a guess brings and costs, in tokens"));
    EXPECT_TRUE(window.bench->shows("1× plain")) << "where a published bar would be plain decoding";
}

// "The same head can win and lose": both are in the picture.
TEST(MtpScene, ShowsThePublishedFiguresThatItsTextReliesOn) {
    for (const ui::Rect screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}}) {
        MtpWindow window("mtp", 1, screen);
        window.beat(kMtpPublishedBeat);
        for (const char* shown : {"2.03×", "0.88×", "1.11×", "over 2×", "K = 3, no threshold", "K = 2, no threshold"})
            EXPECT_TRUE(window.bench->shows(shown)) << shown << " at " << screen.w << "\n" << window.bench->words;
        look(*window.bench, "published figures of MTP", false);
    }
}

// Which guess stays least often is asked before it is told.
TEST(MtpScene, HidesTheVerdictsUntilTheBeatThatCountsThem) {
    MtpWindow window;
    for (int beat = 0; beat < kMtpDepthBeat; ++beat) {
        window.beat(beat);
        const std::string told = window.told(beat);
        for (const char* verdict : {", kept", ", refused", ", not judged", "Kept by depth"})
            EXPECT_FALSE(has(told, verdict)) << beat << told;
        EXPECT_FALSE(window.bench->shows("Acceptance by depth, this run")) << beat;
    }
    window.beat(kMtpDepthBeat);
    EXPECT_TRUE(has(window.told(kMtpDepthBeat), "Kept by depth"));
    EXPECT_TRUE(window.bench->shows("Acceptance by depth, this run"));
}

TEST(MtpScene, AsksOnceForTheSameRoundOfTheOtherHeadsAndSaysWhatTheyDrafted) {
    for (const double temperature : {0.0, 0.9}) {
        MtpWindow window("mtp", temperature);
        window.beat(kMtpStateBeat);
        EXPECT_EQ(window.asked_to_compare(), 0) << "not before its beat";
        window.beat(kMtpBesideBeat);
        EXPECT_EQ(window.asked_to_compare(), 1);
        window.bench->settle();
        EXPECT_EQ(window.asked_to_compare(), 1) << "once";
        window.compare();
        const MtpBeside beside = mtp_beside(window.input());
        ASSERT_EQ(beside.rows.size(), 3u);
        const RoundSummary& own = *shown_round(window.input());
        const MtpBesideRow& mtp = *beside.row("mtp");
        ASSERT_NE(mtp.round(), nullptr);
        ASSERT_EQ(mtp.round()->drafts.size(), own.drafts.size());
        for (std::size_t i = 0; i < own.drafts.size(); ++i) {
            EXPECT_EQ(mtp.round()->drafts[i].draft->token, own.drafts[i].draft->token) << "the run's own round";
            EXPECT_EQ(mtp.round()->drafts[i].state, own.drafts[i].state);
        }
        const std::string words = window.told(kMtpBesideBeat);
        for (const MtpBesideRow& row : beside.rows) {
            ASSERT_NE(row.round(), nullptr) << row.info->name;
            EXPECT_EQ(row.round()->drafts.size(), own.drafts.size()) << "as many guesses";
            for (const DraftSlot& slot : row.round()->drafts) {
                const auto q = claimed(*window.input().whole->header, *slot.draft);
                ASSERT_TRUE(q) << row.info->name << ": what it gave its guess is not known";
                EXPECT_GT(*q, 0);
                EXPECT_TRUE(has(words, "q " + ui::probability(*q))) << words;
                if (temperature == 0) continue;
                EXPECT_NEAR(*q, std::exp(slot.draft->q), 1e-12);
            }
        }
        EXPECT_TRUE(window.bench->shows("q ")) << window.bench->words;
        look(*window.bench, "mtp beside", false);
    }
}

// In the run of another drafter it is the round of the cursor as MTP would draft it.
TEST(MtpScene, StandsInForTheDrafterOfARun) {
    MtpWindow window("small");
    EXPECT_EQ(window.asked_as_mtp, 1) << "every round once";
    const int round = shown_round(window.input())->round;
    window.published.other_round =
        std::make_shared<const OtherDrafterRound>(draft_as(window.models, window.settings, *window.published.trace, {round, "mtp"}));
    window.show();
    for (int beat = 0; beat < kMtpBeats; ++beat) {
        window.beat(beat);
        EXPECT_FALSE(window.bench->shows("Not an MTP run")) << beat;
        look(*window.bench, "mtp as a guest, beat " + std::to_string(beat), false);
    }
    EXPECT_TRUE(has(window.told(0), "Depth 1")) << window.told(0);
}

TEST(MtpScene, QuotesPublishedFiguresWithTheirSources) {
    MtpWindow window;
    window.beat(kMtpPublishedBeat);
    EXPECT_TRUE(window.bench->shows("PUBLISHED")) << window.bench->words;
    EXPECT_TRUE(window.bench->shows("arXiv:2509.18362")) << window.bench->words;
    const std::string words = window.told(kMtpPublishedBeat);
    EXPECT_TRUE(has(words, "Data: PUBLISHED")) << words;
    for (const PublishedFigure* figure : MtpFrame(window.input(), window.input()).published)
        EXPECT_TRUE(has(words, figure->claim)) << words;
}

} // namespace
} // namespace speclens
