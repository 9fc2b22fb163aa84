// Tokens a round along an answer: rounds put together by where they stood in it. And what is on the lists of a block, and who picks it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/drafters/drafter_info.h"
#include "engine/lab/study.h"
#include "scenes/dflash/dflash_model.h"
#include "tests/scenes/run_window.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/drawn_numbers.h"
#include "tests/shared/said_values.h"
#include "tests/shared/speaking.h"
#include "tests/shared/told_said.h"

namespace speclens {
namespace {

// Rounds of so many tokens each, in their order.
RunView rounds(const std::vector<int>& tokens, std::vector<Committed>& commits) {
    static const Verified verified{};
    RunView view;
    commits.clear();
    commits.reserve(tokens.size());
    for (const int n : tokens) {
        commits.emplace_back().tokens.resize(static_cast<std::size_t>(n));
        RoundSummary& round = view.round_list.emplace_back();
        round.round = static_cast<int>(view.round_list.size());
        round.verify = &verified;
        round.commit = &commits.back();
        round.draft_ms = 2;
    }
    return view;
}

TEST(DFlashLong, PutsRoundsTogetherByThePlaceInTheAnswer) {
    std::vector<Committed> commits;
    std::vector<int> tokens(128, 2);    // 256 tokens
    tokens.insert(tokens.end(), 64, 4); // 256 more
    tokens.insert(tokens.end(), 3, 1);
    const std::vector<Stretch> found = stretches_of(rounds(tokens, commits));
    ASSERT_EQ(found.size(), 3u);
    EXPECT_DOUBLE_EQ(found[0].tokens, 2);
    EXPECT_EQ(found[0].rounds, 128);
    EXPECT_DOUBLE_EQ(found[1].tokens, 4);
    EXPECT_EQ(found[1].from, 256);
    EXPECT_EQ(found[1].to, 512);
    EXPECT_DOUBLE_EQ(found[2].tokens, 1);
    EXPECT_EQ(found[2].to, 515) << "as far as the answer goes";
    EXPECT_DOUBLE_EQ(found[0].draft_ms, 2);
}

TEST(DFlashLong, ARoundBelongsWhereItBegan) {
    std::vector<Committed> commits;
    std::vector<int> tokens(51, 5); // the last one begins at 250 and ends at 255
    tokens.push_back(9);            // begins at 255
    tokens.push_back(3);            // begins at 264
    const std::vector<Stretch> found = stretches_of(rounds(tokens, commits));
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].rounds, 52);
    EXPECT_EQ(found[1].rounds, 1);
    EXPECT_TRUE(stretches_of(RunView{}).empty());
}

// Counted from the events, one after another: the list is that of the block before anything corrects it.
ListRecall counted_by_events(const Trace& trace) {
    ListRecall found;
    std::map<int, const Drafted*> drafted; // of the round, by index
    const Checked* refused = nullptr;
    const auto count = [&](const Drafted& draft, int token, bool kept) {
        const TopEntries& list = !draft.base_top.empty() ? draft.base_top : !draft.raw_top.empty() ? draft.raw_top : draft.top;
        ++found.places;
        found.picked += kept;
        for (std::size_t at = 0; at < list.entries.size(); ++at)
            if (list.entries[at].id == token) {
                found.first += at == 0;
                found.listed += at < 16;
            }
    };
    for (std::size_t i = 0; i < trace.size(); ++i) {
        if (const auto* draft = std::get_if<Drafted>(&trace[i])) drafted[draft->index] = draft;
        if (const auto* check = std::get_if<Checked>(&trace[i]); check && !refused) {
            if (check->accepted)
                count(*drafted.at(check->index), check->token, true);
            else
                refused = check;
        }
        if (const auto* own = std::get_if<TargetToken>(&trace[i]); own && refused) count(*drafted.at(refused->index), own->token, false);
        if (std::holds_alternative<Committed>(trace[i])) drafted.clear(), refused = nullptr;
    }
    return found;
}

struct ListsWindow : RunWindow {
    explicit ListsWindow(ui::Rect screen = {0, 0, 1280, 720}) {
        settings.drafter = "dflash";
        settings.k = 4;
        settings.max_tokens = 24;
        open("dflash", models->ready_drafters(), screen);
        published.status.state = EngineStatus::State::stopped;
        published.status.model = "micro target";
        show();
    }
    // The study that H asks for, run here.
    const Study& measure() {
        beat(kDFlashListBeat);
        sent.clear();
        bench->key(ui::Key::h);
        const RunStudy asked = *study();
        Study made{asked.name, static_cast<int>(asked.runs.size()), {}};
        for (const RunSettings& one : asked.runs) {
            speclens::Run own(models, one);
            own.finish();
            made.points.push_back(summary_of(one, own.trace()));
            made.points.back().trace = own.shared_trace();
        }
        published.studies[asked.name] = std::make_shared<const Study>(made);
        show();
        return *published.studies[asked.name];
    }
    [[nodiscard]] std::vector<ui::ToldMessage> told() {
        const FrameInput frame = bench->controller.frame(bench->time);
        return frame.active->told(frame.scene);
    }
};

TEST(DFlashLists, CountsWhereTheTargetsTokenStoodAndWhoPickedIt) {
    ListsWindow window;
    const Study& study = window.measure();
    std::set<std::string> names;
    int listed = 0;
    for (const StudyPoint& point : study.points) {
        SCOPED_TRACE(point.settings.drafter);
        names.insert(point.settings.drafter);
        EXPECT_EQ(point.settings.sampling.temperature, 0);
        const ListRecall expected = counted_by_events(*point.trace), found = list_recall(fold(*point.trace, point.trace->size()));
        EXPECT_GT(found.places, 0);
        EXPECT_EQ(found.places, expected.places);
        EXPECT_EQ(found.first, expected.first);
        EXPECT_EQ(found.listed, expected.listed);
        EXPECT_EQ(found.picked, expected.picked);
        EXPECT_LE(found.first, found.listed);
        if (!find_drafter(point.settings.drafter)->causal_head) {
            EXPECT_EQ(found.picked, found.first) << "its first choice is what it drafts";
        }
        listed += found.listed;
    }
    EXPECT_EQ(names, (std::set<std::string>{"dflash", "domino", "dspark", "dflash2"}));
    EXPECT_GT(listed, 0);
}

TEST(DFlashLists, TellsEveryHeadWithItsNumbersInBothLanguages) {
    for (const char* language : {"en", "de"}) {
        SCOPED_TRACE(language);
        const test::Speaking speaking(language);
        ListsWindow window;
        window.beat(kDFlashListBeat);
        EXPECT_EQ(test::all_said(window.told(), "dflash.list.title:unmeasured").size(), 1U);
        EXPECT_TRUE(test::all_said(window.told(), "dflash.list.row").empty());
        window.measure();
        const std::vector<ui::ToldMessage> told = window.told();
        const std::vector<ListRecall> all = list_recalls(window.input());
        const std::vector<Said> rows = test::all_said(told, "dflash.list.row");
        ASSERT_EQ(rows.size(), all.size());
        ASSERT_EQ(rows.size(), 4U);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            EXPECT_EQ(test::whole(rows[i], "places"), all[i].places);
            EXPECT_EQ(test::real(rows[i], "first"), all[i].share(all[i].first));
            EXPECT_EQ(test::real(rows[i], "picked"), all[i].share(all[i].picked));
            EXPECT_EQ(test::real(rows[i], "listed"), all[i].share(all[i].listed));
            EXPECT_EQ(test::whole(rows[i], "corrected"), all[i].corrected());
        }
        const Said title = test::only_said(told, "dflash.list.title:measured");
        EXPECT_EQ(test::real(title, "listed"), all[0].share(all[0].listed));
        EXPECT_EQ(test::whole(title, "deep"), ListRecall::kDeep);
        (void)test::expect_numbers_told(test::scene_texts(*window.bench), in_words(told));
        look(*window.bench, "lists", false);
    }
}

} // namespace
} // namespace speclens
