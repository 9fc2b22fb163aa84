// The scene of MTP: what it asks to have measured, what it says of that, when verdicts are told, and the same round of two other heads.
//
// What stood in the description that was written by hand, and which message has it now (MtpTold):
//
//     "round 3, step 2 of 3 selected · K = 3, …", "Data: …"   shared.head.conditions {round} {at} {of} {k} {temperature} {seed}, words.data
//     "Depth 1 (selected): reads the target's state and “x”"  steps.told {depth} {selected} {first} {read}
//     ", 0.11 ms; distribution “a” .54, “b” .33"              steps.told {took}, shared.guess.told {distribution}: guess.share {token} {p}
//     "; draft “a”, kept"                                     shared.guess.told {token} {id} {fate}, from the beat on that tells verdicts
//     "Clock: draft 0.18 ms, verify 0.78 ms"                  shared.head.clock:told {draft} {passes} {verify} {further}
//     "Draft time, MTP: 1: 0.20 ms, …"                        shared.charts.took {series} {guesses} {ms}
//     "All pairs: 3.05 tokens per round, first guess stays .65"   variants.told {what} {per_round} {first} {tokens} {rounds}
//     "Kept by depth, this run: 1: 10 of 14, …"               shared.charts.stayed {series} {position} {kept} {judged}
//     "EAGLE-3: reads 3 layers, …; stores 58 kB, 0.31 ms;"    heads.told {drafter} {reads} {stored} {took}: heads.reads {layers},
//                                                             shared.words.size {bytes} {kb}, heads.took {ms}
//     " “a” q .54 kept, … 2 tokens"                           heads.told {guesses} {tokens}: heads.guess {token} {q} {fate}
//     "; these models have no Medusa heads"                   heads.told {why}: shared.asked.problem {problem}
//     "2.03× claim (conditions); source"                      figures.row {value} {claim} {conditions} {source} {standing}
//
// Nobody told of these before: every strip of a lens, the third and fourth token of a distribution, the pairs in the cache (pairs.pair),
// what a guess brings and costs (worth.row), how long the check of another head's round takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/drafters/drafter_info.h"
#include "engine/published/published_words.h"
#include "engine/run/run.h"
#include "scenes/mtp/mtp_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/heat_key.h"
#include "scenes/shared/in_words.h"
#include "scenes/shared/methods.h"
#include "scenes/shared/plain_time.h"
#include "tests/scenes/run_window.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/drawn_numbers.h"
#include "tests/shared/finished.h"
#include "tests/shared/heads_told.h"
#include "tests/shared/speaking.h"
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
    [[nodiscard]] ToldFrame told(int beat) { return told_of("mtp", input(beat)); }
    [[nodiscard]] bool shows(const Message& words) const { return bench->shows(words.words()); }
};

const MtpBesideRow& row_of(const MtpBeside& beside, std::string_view drafter) {
    return *std::ranges::find_if(beside.rows, [&](const MtpBesideRow& row) { return drafter == row.info->name; });
}

TEST(MtpScene, MeasuresDepthsCacheAndStatesOnDemand) {
    MtpWindow window;
    window.beat(kMtpDepthBeat);
    EXPECT_TRUE(window.shows(mtp_says("clock.how"_t)));
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
        const StudyPoint *unread = measured.of(MtpVariant::no_prompt), *raw = measured.of(MtpVariant::raw_state);
        EXPECT_FALSE(unread->settings.options.mtp_prompt);
        const Said cache = test::only_said(window.told(kMtpCacheBeat), "mtp.cache.text:measured");
        EXPECT_EQ(test::real(cache, "all"), all->tokens_per_round());
        EXPECT_EQ(test::real(cache, "unread"), unread->tokens_per_round());
        EXPECT_EQ(test::real(cache, "own"), own->tokens_per_round());
        const MtpTrainedOn trained = trained_on(measured);
        const Said state = test::only_said(window.told(kMtpStateBeat), trained == MtpTrainedOn::after_norm    ? "mtp.state.text:after"
                                                                       : trained == MtpTrainedOn::before_norm ? "mtp.state.text:before"
                                                                                                              : "mtp.state.text:alike");
        EXPECT_EQ(test::real(state, "after"), *kept_share(all, 0));
        EXPECT_EQ(test::real(state, "before"), *kept_share(raw, 0));
        window.beat(kMtpCacheBeat);
        EXPECT_TRUE(window.shows(mtp_says("variants.name:own"_t))) << window.bench->words;
        look(*window.bench, "mtp cache", false);
        window.beat(kMtpDepthBeat);
        EXPECT_FALSE(window.shows(mtp_says("clock.how"_t)));
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
    const AcceptanceSeries kept = mtp_model(input, input).kept.series;
    ASSERT_GT(kept.judged.size(), 1u);
    ASSERT_GT(kept.kept[0], 0);
    EXPECT_TRUE(window.shows(mtp_says("worth.title"_t))) << window.bench->words;
    const std::vector<Said> rows = test::all_said(window.told(kMtpDepthBeat), "mtp.worth.row");
    ASSERT_EQ(rows.size(), kept.kept.size());
    for (std::size_t i = 0; i < kept.kept.size(); ++i) { // of all rounds, however few got so far
        const double brings = static_cast<double>(kept.kept[i]) / kept.judged[0];
        EXPECT_EQ(test::real(rows[i], "brings"), brings);
        EXPECT_TRUE(window.bench->shows(ui::probability(brings))) << brings << "\n" << window.bench->words;
    }
    window.beat(kMtpPublishedBeat);
    EXPECT_FALSE(window.shows(mtp_says("worth.title"_t)));
    EXPECT_TRUE(window.shows(mtp_says("figures.plain"_t))) << "where a published bar would be plain decoding";
}

// "The same head can win and lose": both are in the picture.
TEST(MtpScene, ShowsThePublishedFiguresThatItsTextReliesOn) {
    for (const ui::Rect screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}}) {
        MtpWindow window("mtp", 1, screen);
        window.beat(kMtpPublishedBeat);
        for (const char* shown : {"2.03×", "0.88×", "1.11×", "K = 3, no threshold", "K = 2, no threshold"})
            EXPECT_TRUE(window.bench->shows(shown)) << shown << " at " << screen.w << "\n" << window.bench->words;
        const std::vector<const PublishedFigure*> all = mtp_model(window.input(), window.input()).published;
        const auto over = std::ranges::find(all, Form::over, &PublishedFigure::form);
        ASSERT_NE(over, all.end());
        EXPECT_EQ((*over)->values, std::vector<double>{2});
        for (const PublishedFigure* figure : all) EXPECT_TRUE(window.shows(message(value_said(*figure)))) << figure->id;
        look(*window.bench, "published figures of MTP", false);
    }
}

// Which guess stays least often is asked before it is told.
TEST(MtpScene, HidesTheVerdictsUntilTheBeatThatCountsThem) {
    MtpWindow window;
    for (int beat = 0; beat < kMtpDepthBeat; ++beat) {
        window.beat(beat);
        const ToldFrame told = window.told(beat);
        const std::string words = in_words(told);
        for (const char* fate : {"kept", "refused", "behind", "open"})
            for (const ui::ToldMessage& one : told) EXPECT_NE(one.message.said.id(), std::string("shared.guess.fate:") + fate) << beat;
        for (const Said& step : test::all_said(told, "mtp.steps.told"))
            EXPECT_FALSE(test::maybe<std::vector<Said>>(test::inner(step, "guess"), "fate").has_value()) << beat << words;
        for (const Message& fate : {fate_words(DraftSlot::State::accepted), fate_words(DraftSlot::State::rejected),
                                    fate_words(DraftSlot::State::discarded), fate_words(DraftSlot::State::drafted)})
            EXPECT_EQ(words.find(", " + fate.words()), std::string::npos) << beat << words;
        EXPECT_FALSE(says(told, "shared.charts.stayed")) << beat;
        EXPECT_FALSE(window.shows(mtp_says("kept.title:run"_t))) << beat;
    }
    window.beat(kMtpDepthBeat);
    const ToldFrame told = window.told(kMtpDepthBeat);
    EXPECT_TRUE(says(told, "shared.charts.stayed"));
    for (const Said& step : test::all_said(told, "mtp.steps.told"))
        EXPECT_TRUE(test::maybe<std::vector<Said>>(test::inner(step, "guess"), "fate").has_value());
    EXPECT_TRUE(window.shows(mtp_says("kept.title:run"_t)));
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
        const MtpBesideRow& mtp = row_of(beside, "mtp");
        ASSERT_NE(mtp.round(), nullptr);
        ASSERT_EQ(mtp.round()->drafts.size(), own.drafts.size());
        for (std::size_t i = 0; i < own.drafts.size(); ++i) {
            EXPECT_EQ(mtp.round()->drafts[i].draft->token, own.drafts[i].draft->token) << "the run's own round";
            EXPECT_EQ(mtp.round()->drafts[i].state, own.drafts[i].state);
        }
        const std::vector<Said> told = test::all_said(window.told(kMtpBesideBeat), "mtp.heads.told");
        ASSERT_EQ(told.size(), beside.rows.size());
        for (std::size_t i = 0; i < told.size(); ++i) {
            const MtpBesideRow& row = beside.rows[i];
            ASSERT_NE(row.round(), nullptr) << row.info->name;
            EXPECT_EQ(row.round()->drafts.size(), own.drafts.size()) << "as many guesses";
            const std::vector<Said> guesses = test::list(told[i], "guesses");
            ASSERT_EQ(guesses.size(), own.drafts.size());
            for (std::size_t g = 0; g < guesses.size(); ++g) {
                const DraftSlot& slot = row.round()->drafts[g];
                const auto q = claimed(*window.input().whole->header, *slot.draft);
                ASSERT_TRUE(q) << row.info->name << ": what it gave its guess is not known";
                EXPECT_GT(*q, 0);
                EXPECT_EQ(test::real(guesses[g], "q"), *q);
                EXPECT_TRUE(window.bench->shows("q " + ui::probability(*q))) << window.bench->words;
                if (temperature == 0) continue;
                EXPECT_NEAR(*q, std::exp(slot.draft->q), 1e-12);
            }
        }
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
    for (int beat = 0; beat < mtp_says.size; ++beat) {
        window.beat(beat);
        EXPECT_FALSE(says(window.told(beat), "mtp.empty.heading")) << beat;
        look(*window.bench, "mtp as a guest, beat " + std::to_string(beat), false);
    }
    EXPECT_EQ(test::whole(test::all_said(window.told(0), "mtp.steps.told").at(0), "depth"), 1);
}

TEST(MtpScene, QuotesPublishedFiguresWithTheirSources) {
    MtpWindow window;
    window.beat(kMtpPublishedBeat);
    EXPECT_TRUE(window.bench->shows("PUBLISHED")) << window.bench->words;
    EXPECT_TRUE(window.bench->shows("arXiv:2509.18362")) << window.bench->words;
    const ToldFrame told = window.told(kMtpPublishedBeat);
    EXPECT_EQ(test::words(test::only_said(told, "shared.words.data"), "tier"), "PUBLISHED");
    const std::vector<Said> rows = test::all_said(told, "mtp.figures.row");
    const std::vector<const PublishedFigure*> figures = mtp_model(window.input(), window.input()).published;
    ASSERT_EQ(rows.size(), figures.size());
    for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(test::english(rows[i], "claim"), figures[i]->claim);
}

} // namespace
} // namespace speclens

namespace speclens::heads_told {
namespace {

// A study as if it had been measured, with numbers of their own everywhere.
std::shared_ptr<const Study> mtp_made_up(const SceneInput& run) {
    const RunStudy plan = mtp_study(run);
    Study study{kMtpStudy, static_cast<int>(plan.runs.size()), {}};
    int variant = 0;
    for (const RunSettings& settings : plan.runs) {
        StudyPoint& point = study.points.emplace_back();
        point.settings = settings;
        if (settings.timing) {
            point.draft_ms = 0.83 + 0.61 * settings.k;
            continue;
        }
        point.rounds = 20 + variant, point.tokens = 61 - 3 * variant;
        point.judged = {20 + variant, 13, 7};
        point.kept = {13 - variant, 7, 2};
        ++variant;
    }
    return std::make_shared<const Study>(study);
}

void show_as_mtp(MtpWindow& window) { // the round on screen of another drafter's run
    const int round = shown_round(window.input())->round;
    window.published.other_round =
        std::make_shared<const OtherDrafterRound>(draft_as(window.models, window.settings, *window.published.trace, {round, "mtp"}));
    window.show();
}

// Every beat of recorded rounds, of a run at a temperature, before and after it was measured and the others were asked, and of another
// drafter's run.
void each_mtp_frame(const std::function<void(const SceneInput&)>& visit) {
    const auto beats = [&](SceneInput input, const std::string& what) {
        for (input.beat = 0; input.beat < mtp_says.size; ++input.beat) {
            SCOPED_TRACE(what + ", beat " + std::to_string(input.beat));
            visit(input);
        }
    };
    {
        const Published figures = Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published");
        SceneBench bench("mtp");
        const auto trace = recorded("mtp");
        for (const std::size_t cursor : {trace->size() / 5, trace->size() / 2, trace->size()}) {
            bench.show(trace, cursor);
            SceneInput input = bench.controller.frame(0).scene;
            beats(input, "recorded at " + std::to_string(cursor) + ", no figures");
            input.figures = &figures;
            beats(input, "recorded at " + std::to_string(cursor));
        }
    }
    for (const double temperature : {0.0, 1.0}) {
        MtpWindow window("mtp", temperature);
        beats(window.input(), "live");
        window.published.studies[kMtpStudy] = mtp_made_up(window.input());
        window.compare();
        beats(window.input(), "measured");
    }
    MtpWindow other("small");
    show_as_mtp(other);
    beats(other.input(), "another drafter's");
    other.published.studies[kMtpStudy] = mtp_made_up(other.input());
    other.show();
    beats(other.input(), "another drafter's, measured");
}

void expect_mtp_steps(const ToldFrame& told, const SceneInput& input, const MtpModel& m, bool verdicts) {
    const std::vector<Said> steps = all_said(told, "mtp.steps.told");
    ASSERT_EQ(std::ssize(steps), m.guesses()) << "those that have no column, too";
    for (const Said& said : steps) {
        const int i = static_cast<int>(whole(said, "depth")) - 1;
        const DraftSlot& slot = m.slot(i);
        EXPECT_EQ(whole(said, "selected"), i == m.selected);
        EXPECT_EQ(whole(said, "first"), i == 0);
        expect_token_said(inner(said, "read"), *input.trace, i == 0 ? m.anchor : m.slot(i - 1).draft->token);
        EXPECT_EQ(maybe<double>(said, "took"), slot.ms > 0 ? std::optional(slot.ms) : std::nullopt);
        expect_guess(inner(said, "guess"), *input.trace, slot, likeliest(slot, 4), verdicts);
    }
    const std::pair<const char*, const char*> kStrips[] = {
        {"state_of:target", "state"}, {"state_of:own", "state"}, {"output_of", "output"}};
    std::size_t strips = 0;
    for (const auto& [what, name] : kStrips)
        for (const Said& strip : strips_of(told, std::string("mtp.steps.") + what)) {
            const int i = static_cast<int>(whole(inner(strip, "what"), "depth")) - 1;
            if (std::string_view(name) == "state") {
                EXPECT_EQ(std::string_view(what) == "state_of:target", i == 0);
            }
            expect_strip(strip, *m.slot(i).draft->internals.strip(name), strip_scale(m, {name}));
            ++strips;
        }
    EXPECT_EQ(strips > 0, m.internals);
}

void expect_mtp_measured(const ToldFrame& told, const SceneInput& input, const MtpModel& m, bool verdicts) {
    const bool own = m.instead_of.empty();
    expect_times(told, verdicts ? std::vector{m.measured.times} : std::vector<TimeSeries>());
    expect_stayed(told, m.kept.series, own ? "shared.charts.this_run" : "mtp.kept.series", verdicts);
    const std::vector<Said> variants = all_said(told, "mtp.variants.told");
    const char* const kNames[] = {"all", "answer", "some", "own", "raw"};
    std::size_t measured = 0;
    for (int i = 0; i < kMtpVariants; ++i) {
        const StudyPoint* point = m.measured.of(static_cast<MtpVariant>(i));
        if (!point || !verdicts) continue;
        ++measured;
        const std::string what = std::string("mtp.variants.what:") + kNames[i];
        const auto said = std::ranges::find_if(variants, [&](const Said& one) { return inner(one, "what").id() == what; });
        ASSERT_NE(said, variants.end()) << what;
        EXPECT_EQ(real(*said, "per_round"), static_cast<double>(point->tokens) / point->rounds);
        EXPECT_EQ(maybe<double>(*said, "first"), kept_share(point, 0));
        EXPECT_EQ(whole(*said, "tokens"), point->tokens);
        EXPECT_EQ(whole(*said, "rounds"), point->rounds);
        if (i == 2) {
            EXPECT_EQ(whole(inner(*said, "what"), "pairs"), kMtpSomePairs);
        }
    }
    EXPECT_EQ(variants.size(), measured);
    const std::vector<Said> rows = all_said(told, "mtp.worth.row");
    ASSERT_EQ(rows.size(), own && input.beat == kMtpDepthBeat ? m.kept.series.judged.size() : 0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double ms = i == 0 ? m.slot(0).ms : m.further_guess_ms(), plain = plain_ms(input);
        EXPECT_EQ(whole(rows[i], "depth"), static_cast<std::int64_t>(i) + 1);
        EXPECT_EQ(real(rows[i], "brings"), static_cast<double>(m.kept.series.kept[i]) / m.kept.series.judged[0]);
        EXPECT_EQ(maybe<double>(rows[i], "costs"), plain > 0 && ms > 0 ? std::optional(ms / plain) : std::nullopt);
        EXPECT_EQ(whole(rows[i], "kept"), m.kept.series.kept[i]);
        EXPECT_EQ(whole(rows[i], "rounds"), m.kept.series.judged[0]);
    }
}

void expect_head_beside(const Said& said, const SceneInput& run, const MtpModel& m, const MtpBesideRow& row) {
    const std::string name = row.info->name;
    EXPECT_EQ(test::words(said, "drafter"), method_title(name));
    const Said reads = inner(said, "reads");
    EXPECT_EQ(reads.id(), "mtp.heads.reads:" + name);
    if (name == "eagle3") {
        EXPECT_EQ(whole(reads, "layers"), row.guess ? std::ssize(row.guess->taps) : 0);
    }
    EXPECT_EQ(whole(said, "tokens"), row.tokens());
    const bool timed = row.guess && row.guess->draft_ms > 0;
    EXPECT_EQ(maybe<double>(said, "verify"), timed ? if_measured(m.verify_ms) : std::nullopt);
    EXPECT_EQ(maybe<std::vector<Said>>(said, "stored").has_value(), row.guess != nullptr);
    EXPECT_EQ(maybe<std::vector<Said>>(said, "took").has_value(), row.guess != nullptr);
    if (row.guess) {
        const Said stored = inner(said, "stored"), took = inner(said, "took");
        const auto bytes = static_cast<std::int64_t>(row.guess->bytes);
        ASSERT_LT(bytes, 1000000) << "of micro models";
        EXPECT_EQ(stored.id(), bytes > 0 ? "shared.words.size:small" : "mtp.heads.nothing");
        if (bytes > 0) {
            EXPECT_EQ(whole(stored, "bytes"), bytes);
            EXPECT_EQ(real(stored, "kb"), static_cast<double>(bytes) / 1000);
        }
        EXPECT_EQ(took.id(), std::string("mtp.heads.took:") + (!timed ? "untimed" : row.guess->draft_ms < 0.1 ? "short" : "long"));
        if (timed) {
            EXPECT_EQ(real(took, "ms"), row.guess->draft_ms);
        }
    }
    const std::vector<Said> guesses = maybe<std::vector<Said>>(said, "guesses").value_or(std::vector<Said>());
    ASSERT_EQ(guesses.size(), row.round() ? row.round()->drafts.size() : 0);
    for (std::size_t i = 0; i < guesses.size(); ++i) {
        const DraftSlot& slot = row.round()->drafts[i];
        expect_token_said(inner(guesses[i], "token"), *run.trace, slot.draft->token);
        EXPECT_EQ(maybe<double>(guesses[i], "q"), claimed(*run.whole->header, *slot.draft));
        EXPECT_EQ(inner(guesses[i], "fate"), fate_words(slot.state).said);
    }
    EXPECT_EQ(maybe<std::vector<Said>>(said, "why").has_value(), guesses.empty());
    if (!guesses.empty()) return;
    const Said why = inner(said, "why");
    const bool problem = row.guess && !row.guess->problem.empty();
    EXPECT_EQ(why.id(), std::string("shared.asked.") + (problem            ? "problem"
                                                        : row.guess        ? "nothing_left"
                                                        : m.beside.can_ask ? "asking"
                                                                           : "saved"));
    if (problem) {
        if (const Said& because = row.guess->problem.said; !because.empty())
            EXPECT_EQ(inner(why, "problem"), because);
        else
            EXPECT_EQ(test::words(why, "problem"), row.guess->problem); // what an error says
    }
}

void expect_mtp_figures(const ToldFrame& told, const SceneInput& run, const MtpModel& m) {
    const std::vector<Said> rows = all_said(told, "mtp.figures.row");
    ASSERT_EQ(rows.size(), m.published.size());
    EXPECT_EQ(says(told, "mtp.figures.none"), m.published.empty());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const PublishedFigure& figure = *m.published[i];
        EXPECT_EQ(inner(rows[i], "value"), value_said(figure));
        EXPECT_EQ(test::english(rows[i], "claim"), figure.claim);
        EXPECT_EQ(list(rows[i], "conditions"), conditions_said(figure));
        EXPECT_EQ(inner(rows[i], "source"), citation_said(figure, run.figures->source_of(figure)));
        const bool as_published = figure.standing == Standing::as_published;
        EXPECT_EQ(maybe<std::vector<Said>>(rows[i], "standing").has_value(), !as_published);
        if (!as_published) {
            EXPECT_EQ(inner(rows[i], "standing"), standing_said(figure));
        }
    }
}

void expect_mtp(const SceneInput& run) {
    const OtherRound round(run, "mtp");
    const SceneInput& input = round.seen();
    const MtpModel m = mtp_model(run, input);
    ASSERT_TRUE(m.some());
    const ToldFrame told = told_of("mtp", run);
    if (input.beat == kMtpPublishedBeat) return expect_mtp_figures(told, run, m);
    expect_conditions(told, input, m, true);
    if (input.beat == kMtpBesideBeat) {
        const std::vector<Said> rows = all_said(told, "mtp.heads.told");
        ASSERT_EQ(rows.size(), 3U);
        for (std::size_t i = 0; i < rows.size(); ++i) expect_head_beside(rows[i], run, m, m.beside.rows[i]);
        return;
    }
    const bool verdicts = input.beat >= kMtpDepthBeat;
    expect_mtp_steps(told, input, m, verdicts);
    expect_mtp_measured(told, input, m, verdicts);
    if (m.draft_ms + m.verify_ms <= 0) return;
    const Said clock = only_said(told, "shared.head.clock:told");
    EXPECT_EQ(real(clock, "draft"), m.draft_ms);
    EXPECT_EQ(whole(clock, "passes"), m.guesses());
    EXPECT_EQ(real(clock, "verify"), m.verify_ms);
    EXPECT_EQ(maybe<double>(clock, "further"), if_measured(m.further_ms));
}

TEST(MtpTold, TellsEveryDepthTheClockTheChartsTheOtherHeadsAndTheFiguresInBothLanguages) {
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        SCOPED_TRACE(language);
        each_mtp_frame(expect_mtp);
    }
}

TEST(MtpTold, SaysEveryNumberThatIsDrawn) {
    std::size_t seen = 0;
    each_mtp_frame([&](const SceneInput& input) { seen += test::expect_drawn_numbers_told("mtp", input); });
    EXPECT_GT(seen, 300U);
}

std::vector<int> text_before(const SceneInput& input, const MtpModel& m) { // the round: what is in the cache
    std::vector<int> text;
    for (const OutputToken& token : input.whole->tokens)
        if (token.origin == Origin::prompt || token.round < m.round->round) text.push_back(token.id);
    return text;
}

// The pairs in its cache: each state with the token after it, those of the draft last.
TEST(MtpTold, TellsThePairsInTheCache) {
    MtpWindow window("mtp", 1);
    const SceneInput input = window.input(kMtpCacheBeat);
    const MtpModel m = mtp_model(input, input);
    const std::vector<int> text = text_before(input, m);
    const ToldFrame told = window.told(kMtpCacheBeat);
    const std::vector<Said> pairs = all_said(told, "mtp.pairs.pair:text"), drafts = all_said(told, "mtp.pairs.pair:draft");
    ASSERT_GT(pairs.size(), 1U);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const std::size_t at = text.size() - 1 - pairs.size() + i;
        expect_token_said(inner(pairs[i], "before"), *input.trace, text[at]);
        expect_token_said(inner(pairs[i], "token"), *input.trace, text[at + 1]);
    }
    ASSERT_FALSE(drafts.empty());
    for (std::size_t i = 0; i < drafts.size(); ++i) {
        EXPECT_EQ(whole(drafts[i], "output"), static_cast<std::int64_t>(i) + 1);
        expect_token_said(inner(drafts[i], "token"), *input.trace, m.slot(static_cast<int>(i)).draft->token);
    }
    const Said count = only_said(told, "mtp.pairs.count");
    EXPECT_EQ(whole(count, "pairs"), std::ssize(text) - 1);
    EXPECT_EQ(whole(count, "last"), pairs.size() < text.size() - 1);
}

// Which number stands where, in words.
TEST(MtpTold, SaysItsNumbersInTheirPlaces) {
    MtpWindow window("mtp", 1);
    window.published.studies[kMtpStudy] = mtp_made_up(window.input());
    window.compare();
    const SceneInput input = window.input(kMtpDepthBeat);
    const MtpModel m = mtp_model(input, input);
    ASSERT_GT(m.guesses(), 1);
    ASSERT_GT(m.kept.series.judged.size(), 1U);
    for (const bool german : {false, true}) {
        const test::Speaking speaking(german ? "de" : "en");
        const auto says_so = [&](int beat, const std::string& line) {
            const std::string words = in_words(window.told(beat));
            EXPECT_NE(words.find(line), std::string::npos) << line << "\n" << words;
        };
        const auto number = [](double value) { return ui::number(value, 2); };
        const auto chance = [](double value) { return ui::probability(value); };
        const auto of = [&](const char* english, const char* in_german) { return std::string(german ? in_german : english); };
        const auto token = [&](int id) { return word(input, id).words(); };
        const TopEntries& top = at_one(*m.slot(1).draft);
        says_so(kMtpAgainBeat, of("Depth 2 (selected): reads its own output and ", "Tiefe 2 (gewählt): liest die eigene Ausgabe und ") +
                                   token(m.slot(0).draft->token) + ", " + number(m.slot(1).ms) +
                                   of(" ms; distribution ", " ms; Verteilung ") + token(top.entries.at(0).id) + " " +
                                   chance(std::exp(top.entries[0].logp)));
        says_so(kMtpCacheBeat, of("draft ", "Entwurf ") + number(m.draft_ms) + " ms: " + std::to_string(m.guesses()) +
                                   of(" passes, verify ", " Durchläufe, Prüfung ") + number(m.verify_ms) + " ms");
        const AcceptanceSeries& kept = m.kept.series;
        const auto share = [&](std::size_t i) { return chance(static_cast<double>(kept.kept[i]) / kept.judged[i]); };
        const std::size_t deepest = std::min<std::size_t>(kept.judged.size(), kMtpGuesses);
        says_so(kMtpDepthBeat, of("A further guess costs ", "Ein weiterer Vorschlag kostet ") + number(0.61) +
                                   of(" ms, where the target's pass takes ", " ms, der Durchlauf des Zielmodells ") + number(m.verify_ms) +
                                   of(" ms. In this run the first guess stays ", " ms. In diesem Lauf bleibt der erste in ") + share(0) +
                                   of(" of the time, guess ", " der Fälle, Vorschlag ") + std::to_string(deepest) + of(" ", " in ") +
                                   share(deepest - 1));
        says_so(kMtpDepthBeat, of("What a depth costs and keeps: ", "Was eine Tiefe kostet und bringt: je ") + number(0.61) + " ms ");
        const std::string brings = chance(static_cast<double>(kept.kept[1]) / kept.judged[0]);
        says_so(kMtpDepthBeat, of("Depth 2: brings ", "Tiefe 2: bringt ") + brings);
        says_so(kMtpDepthBeat,
                of("; stayed in ", "; blieb in ") + std::to_string(kept.kept[1]) + of(" of ", " von ") + std::to_string(kept.judged[0]));
        says_so(kMtpCacheBeat, of("with all pairs a round brings ", "mit allen Paaren bringt eine Runde hier ") + number(61.0 / 20));
        says_so(kMtpCacheBeat, of("without the prompt's ", "ohne die des Prompts ") + number(58.0 / 21) +
                                   of(", with its own pair alone ", ", nur mit dem eigenen ") + number(52.0 / 23));
        says_so(kMtpStateBeat, of("The last 16 pairs: ", "Die letzten 16 Paare: ") + number(55.0 / 22) +
                                   of(" tokens per round, the first guess stays ", " Token pro Runde, der erste Vorschlag bleibt in ") +
                                   chance(11.0 / 22) + of(" of the time; 55 tokens in 22 rounds", " der Fälle; 55 Token in 22 Runden"));
        says_so(kMtpStateBeat, of("After the norm the first guess stays ", "Nach der Norm bleibt der erste hier in ") + chance(13.0 / 20) +
                                   of(" of the time here, before it ", " der Fälle, davor in ") + chance(9.0 / 24));
        const std::vector<int> text = text_before(input, m);
        const std::string anchor = token(text.back()), before = token(text.at(text.size() - 2));
        says_so(kMtpPairBeat,
                of("Before ", "Bevor ") + anchor + of(" came, the target stood at ", " kam, stand das Zielmodell bei ") + before);
        says_so(kMtpCacheBeat, of("state of ", "Zustand von ") + before + of(", token ", ", Token ") + anchor);
        says_so(kMtpCacheBeat, std::to_string(text.size() - 1) + of(" pairs before this round", " Paare vor dieser Runde"));
        says_so(kMtpAgainBeat, std::to_string(m.guesses()) + of(" guesses, one layer", " Vorschläge, eine Schicht"));
        const MtpBesideRow& eagle3 = row_of(m.beside, "eagle3");
        ASSERT_NE(eagle3.round(), nullptr);
        const DraftSlot& first = eagle3.round()->drafts.at(0);
        const std::string drafting = ui::number(eagle3.guess->draft_ms, eagle3.guess->draft_ms < 0.1 ? 3 : 2);
        says_so(kMtpBesideBeat, token(first.draft->token) + " q " + chance(claimed(*input.whole->header, *first.draft).value()) + ", " +
                                    fate_words(first.state).words());
        says_so(kMtpBesideBeat, of("; stores ", "; speichert ") + ui::number(static_cast<double>(eagle3.guess->bytes) / 1000, 0) + " kB, " +
                                    drafting + of(" ms, checked in ", " ms, in ") + number(m.verify_ms) + of(" ms; ", " ms geprüft; "));
        const int brought = eagle3.tokens();
        says_so(kMtpBesideBeat, "EAGLE-3 " + std::to_string(brought) + of(brought == 1 ? " token" : " tokens", " Token"));
        const PublishedFigure& slow = **std::ranges::find(m.published, "mtp-step-k3", &PublishedFigure::id);
        says_so(kMtpPublishedBeat,
                number(0.88) + "×: " + message(claim_said(slow)).words() + " (" + message(conditions_said(slow).at(0)).words());
        says_so(kMtpPublishedBeat, message(conditions_said(slow).back()).words() + "). " +
                                       message(citation_said(slow, input.figures->source_of(slow))).words() + ". " +
                                       message(standing_said(slow)).words());
        says_so(kMtpPublishedBeat, std::to_string(m.published.size()) + of(" speed-ups that others", " Beschleunigungen, von anderen"));
    }
}

// The sentence of the state beat in each of its cases: which number is which.
TEST(MtpTold, SaysWhichStateStaysMoreOften) {
    MtpWindow window;
    const auto made_up = mtp_made_up(window.input());
    for (const auto& [after, before] : {std::pair{10, 14}, {12, 12}}) {
        Study study = *made_up;
        for (StudyPoint& point : study.points)
            if (!point.settings.timing) point.judged = {20}, point.kept = {point.settings.options.mtp_raw ? before : after};
        window.published.studies[kMtpStudy] = std::make_shared<const Study>(study);
        window.show();
        for (const bool german : {false, true}) {
            const test::Speaking speaking(german ? "de" : "en");
            const std::string words = in_words(window.told(kMtpStateBeat)), high = ui::probability(after / 20.0),
                              low = ui::probability(before / 20.0);
            const std::string line =
                after == before ? (german ? "nach der Norm in " + high + " der Fälle, davor in " + low
                                          : "stays " + high + " of the time after the norm and " + low + " before it")
                                : (german ? "Nach der Norm bleibt der erste hier in " + high + " der Fälle, davor in " + low
                                          : "After the norm the first guess stays " + high + " of the time here, before it " + low);
            EXPECT_NE(words.find(line), std::string::npos) << line << "\n" << words;
        }
    }
}

} // namespace
} // namespace speclens::heads_told
