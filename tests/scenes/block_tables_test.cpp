// The block tables of a batch in Systems: a film of a small batch that ran.
#include <gtest/gtest.h>

#include "engine/batch/batch_settings.h"
#include "scenes/systems/block_tables.h"
#include "tests/scenes/run_window.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/micro.h"

namespace speclens {
namespace {

const BlockFilm& small_film() {
    static const BlockFilm film = [] {
        std::vector<RunSettings> texts;
        for (int i = 0; i < 5; ++i) {
            RunSettings text = test::greedy("small", 7);
            text.prompt.token_ids.clear();
            for (int token = 0; token < 24 + 3 * (i / 2); ++token) text.prompt.token_ids.push_back(5 + (token * 7 + i / 2) % 9);
            text.seed = static_cast<std::uint64_t>(i) + 1;
            text.sampling.temperature = 0.9;
            text.max_tokens = 40;
            texts.push_back(text);
        }
        BlockFilmRecorder recorder(test::micro_models(1), texts, {.texts = 4, .blocks = 13}, 40);
        while (recorder.step()) {
        }
        return recorder.film();
    }();
    return film;
}

struct FilmWindow : RunWindow {
    explicit FilmWindow(ui::Rect screen = {0, 0, 1600, 1000}, bool decoded = true) {
        settings.max_tokens = 30;
        open("systems", {"none", "small", "lookup"}, screen);
        if (decoded) {
            auto load = std::make_shared<Sweep>();
            load->film = std::make_shared<const BlockFilm>(small_film());
            published.load = load;
        }
        show();
        beat(kTablesBeat);
        sent.clear();
    }
};

TEST(BlockTables, SquaresSayWhoHasWhichBlock) {
    const BlockFilm& film = small_film();
    int shared = 0, taken = 0, back = 0, free = 0;
    for (std::size_t round = 0; round < film.rounds.size(); ++round) {
        const std::vector<BlockSquare> squares = block_squares(film, round);
        ASSERT_EQ(std::ssize(squares), film.blocks);
        int held = 0;
        for (std::size_t block = 0; block < squares.size(); ++block) {
            EXPECT_EQ(static_cast<int>(squares[block].holders.size()), film.rounds[round].during[block])
                << "letters of fewer than 26 texts";
            held += !squares[block].holders.empty();
            shared += squares[block].holders.size() > 1, taken += squares[block].taken, back += squares[block].given_back;
            free += squares[block].holders.empty();
        }
        EXPECT_EQ(held, film.rounds[round].used(true));
    }
    EXPECT_GT(shared, 0);
    EXPECT_GT(taken, film.blocks) << "they are used again";
    EXPECT_GT(back, 0);
    EXPECT_GT(free, 0);
    EXPECT_EQ(text_letter(0), "A");
    EXPECT_EQ(text_letter(27), "B2");
}

// A block goes back because its rows were refused, or because its text is over: that is no refusal.
TEST(BlockTables, ABlockOfATextThatEndedWasNotRefused) {
    const BlockFilm& film = small_film();
    int ended = 0, refused = 0;
    for (std::size_t round = 0; round < film.rounds.size(); ++round) {
        const std::vector<BlockSquare> squares = block_squares(film, round);
        for (std::size_t block = 0; block < squares.size(); ++block) {
            if (!squares[block].given_back) continue;
            const auto holder = std::ranges::find_if(film.rounds[round].texts, [&](const FilmText& text) {
                return std::ranges::find(text.during, static_cast<int>(block)) != text.during.end();
            });
            ASSERT_NE(holder, film.rounds[round].texts.end());
            EXPECT_EQ(squares[block].ended, holder->lane.left) << "round " << round << ", block " << block;
            (squares[block].ended ? ended : refused) += 1;
        }
    }
    EXPECT_GT(ended, 0);
    EXPECT_GT(refused, 0);
}

TEST(BlockTables, TheStageSaysWhoSharesBlocksAndWhoseKItIs) {
    FilmWindow stored;
    const BlockFilm& film = small_film();
    std::size_t round = 0;
    const auto shares = [&] {
        return std::ranges::any_of(film.rounds[round].texts,
                                   [&](const FilmText& text) { return !shared_words(film.rounds[round], text).empty(); });
    };
    while (round + 1 < film.rounds.size() && !shares()) ++round;
    ASSERT_TRUE(shares());
    const std::size_t shown = systems_model(stored.input(), {}).film_round;
    for (std::size_t i = shown; i < round; ++i) stored.bench->key(ui::Key::up);
    for (std::size_t i = round; i < shown; ++i) stored.bench->key(ui::Key::down);
    stored.bench->settle();
    EXPECT_TRUE(stored.bench->shows(" shared with ")) << stored.bench->words;
    EXPECT_TRUE(stored.bench->shows("text ended")) << stored.bench->words;
    ASSERT_NE(stored.settings.k, film.k);
    EXPECT_TRUE(stored.bench->shows("K = " + std::to_string(film.k) + ", the run's own is " + std::to_string(stored.settings.k)))
        << stored.bench->words;
}

TEST(BlockTables, TheSceneShowsTheRoundInWhichATextGivesUp) {
    FilmWindow stored;
    SceneBench& bench = *stored.bench;
    const SystemsModel m = systems_model(bench.controller.frame(0).scene, {});
    ASSERT_TRUE(m.film);
    EXPECT_GT(m.film->rounds[m.film_round].preempted(), 0);
    EXPECT_TRUE(bench.shows("gave up its blocks, and waits")) << bench.words;
    EXPECT_TRUE(bench.shows("blocks in use")) << bench.words;
    EXPECT_TRUE(bench.shows("blocks a round, counted")) << bench.words;
    EXPECT_TRUE(bench.shows(std::to_string(m.film_round + 1) + " of " + std::to_string(m.film->rounds.size()))) << bench.words;
    look(bench, "block tables", false);
    const std::string words = systems_description(bench.controller.frame(0).scene, m);
    EXPECT_NE(words.find("blocks in use"), std::string::npos);
    EXPECT_NE(words.find(draft_words(*m.film)), std::string::npos) << words;
    bench.key(ui::Key::up);
    EXPECT_TRUE(bench.shows(std::to_string(m.film_round + 2) + " of ")) << bench.words;
}

TEST(BlockTables, EveryRoundFitsIntoItsPanels) {
    for (const ui::Rect screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}}) {
        FilmWindow stored(screen);
        for (std::size_t round = 0; round < small_film().rounds.size(); round += 5) {
            for (int i = 0; i < 5; ++i) stored.bench->key(round % 2 == 0 ? ui::Key::up : ui::Key::down);
            stored.bench->settle();
            for (const ui::RecordedText& text : stored.bench->texts)
                EXPECT_FALSE(text.text.ends_with("…") && text.text.find("kept") != std::string::npos) << text.text;
        }
    }
}

// Page Down finds no empty step: what needs little time is asked for one page before, and until it is there each page shows what
// stands in for it, and says so.
TEST(BlockTables, AreRecordedBeforeTheirPageIsTurned) {
    RunWindow stored;
    stored.settings.max_tokens = 30;
    stored.open("systems", {"none", "small", "lookup"}, {0, 0, 1280, 720});
    stored.show();
    SceneBench& bench = *stored.bench;
    const auto asked = [&] {
        int batches = 0;
        for (const Command& command : stored.sent)
            if (const auto* load = std::get_if<MeasureLoad>(&command)) {
                ++batches;
                EXPECT_TRUE(load->texts.empty()) << "batches of many sizes are for who asks";
                EXPECT_EQ(load->base.drafter, stored.run->trace().header()->drafter);
            }
        return batches;
    };
    for (int page = 0; page < kControllerBeat; ++page) {
        EXPECT_EQ(asked(), 0) << page;
        bench.key(ui::Key::page_down);
    }
    ASSERT_EQ(bench.controller.frame(bench.time).scene.beat, kControllerBeat);
    EXPECT_EQ(asked(), 1);
    bench.key(ui::Key::page_down);
    EXPECT_TRUE(bench.shows("Cache rows by round")) << bench.words;
    EXPECT_TRUE(bench.shows("so far one text")) << bench.words;
    EXPECT_TRUE(bench.shows("LIVE"));
    bench.key(ui::Key::page_down);
    EXPECT_TRUE(bench.shows("Who chooses K?")) << bench.words;
    EXPECT_TRUE(bench.shows("so far simulated")) << bench.words;
    EXPECT_TRUE(bench.shows("SIM"));
    EXPECT_EQ(asked(), 1) << "once for a run";
}

TEST(BlockTables, SayHowFarABatchIsThatIsBeingDecoded) {
    FilmWindow stored({0, 0, 1280, 720}, false);
    EXPECT_TRUE(stored.bench->shows("B decodes batches")) << stored.bench->words;
    stored.published.status.timed_model = "micro";
    stored.published.status.timed = 0.12;
    stored.show();
    EXPECT_TRUE(stored.bench->shows("batches are being decoded, 12")) << stored.bench->words;
}

TEST(BlockTables, WithoutABatchTheyAskForOne) {
    FilmWindow stored({0, 0, 1600, 1000}, false);
    EXPECT_TRUE(stored.bench->shows("Many texts, one cache in blocks")) << stored.bench->words;
    EXPECT_FALSE(stored.bench->shows("blocks a round, counted"));
    stored.bench->key(ui::Key::b);
    ASSERT_FALSE(stored.sent.empty());
    const auto* asked = std::get_if<MeasureLoad>(&stored.sent.back());
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->base.drafter, stored.run->trace().header()->drafter);
}

} // namespace
} // namespace speclens
