// The block tables of a batch in Systems: a film of a small batch that ran.
#include <gtest/gtest.h>

#include <set>

#include "engine/batch/batch_settings.h"
#include "scenes/systems/block_tables.h"
#include "tests/scenes/run_window.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/heads_bench.h"
#include "tests/shared/micro.h"
#include "tests/shared/told_numbers.h"
#include "ui/format.h"

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
    for (const FilmText& text : film.rounds[round].texts)
        if (const Message shared = shared_words(film.rounds[round], text); !shared.empty()) {
            EXPECT_TRUE(stored.bench->shows(shared)) << shared << stored.bench->words;
            EXPECT_GT(test::whole(shared.said, "blocks"), 0);
            EXPECT_FALSE(test::list(shared.said, "with").empty());
        }
    EXPECT_TRUE(stored.bench->shows(systems_says("pool.key:ended"_t))) << stored.bench->words;
    ASSERT_NE(stored.settings.k, film.k);
    const Said subtitle = test::only_said(told_of(*stored.bench), "systems.subtitle.batch");
    EXPECT_EQ(test::whole(subtitle, "k"), film.k);
    EXPECT_EQ(test::whole(subtitle, "own"), stored.settings.k);
    EXPECT_TRUE(stored.bench->shows(message(subtitle))) << stored.bench->words;
}

TEST(BlockTables, TheSceneShowsTheRoundInWhichATextGivesUp) {
    FilmWindow stored;
    SceneBench& bench = *stored.bench;
    const SystemsModel m = systems_model(bench.controller.frame(0).scene, {});
    ASSERT_TRUE(m.film);
    EXPECT_GT(m.film->rounds[m.film_round].preempted(), 0);
    EXPECT_TRUE(bench.shows(systems_says("text.doing:preempted"_t))) << bench.words;
    const FilmRound& shown = m.film->rounds[m.film_round];
    const Message title = systems_says("tables.title:batch"_t, "round"_v = m.film_round + 1, "used"_v = shown.used(true),
                                       "blocks"_v = m.film->blocks, "drafts"_v = shown.for_drafts(), "gave_up"_v = shown.preempted());
    EXPECT_TRUE(bench.shows(title)) << bench.words;
    EXPECT_TRUE(bench.shows(draft_words(*m.film))) << bench.words;
    const auto at = [&](std::size_t round) {
        return systems_says("controls.at"_t, "at"_v = static_cast<int>(round) + 1, "of"_v = static_cast<int>(m.film->rounds.size()));
    };
    EXPECT_TRUE(bench.shows(at(m.film_round))) << bench.words;
    look(bench, "block tables", false);
    bench.key(ui::Key::up);
    EXPECT_TRUE(bench.shows(at(m.film_round + 1))) << bench.words;
}

TEST(BlockTables, EveryRoundFitsIntoItsPanels) {
    for (const ui::Rect screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}}) {
        FilmWindow stored(screen);
        for (std::size_t round = 0; round < small_film().rounds.size(); round += 5) {
            for (int i = 0; i < 5; ++i) stored.bench->key(round % 2 == 0 ? ui::Key::up : ui::Key::down);
            stored.bench->settle();
            for (const Said& row : test::all_said(told_of(*stored.bench), "systems.text.row")) {
                const Message did = message(test::inner(row, "did"));
                for (const ui::RecordedText& text : stored.bench->texts)
                    EXPECT_FALSE(text.text.ends_with("…") && text.text.starts_with(did.substr(0, 8))) << text.text;
            }
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
    EXPECT_TRUE(says(told_of(bench), "systems.cache.title")) << bench.words;
    EXPECT_TRUE(says(told_of(bench), "systems.subtitle.one_text")) << bench.words;
    EXPECT_TRUE(bench.shows("LIVE"));
    bench.key(ui::Key::page_down);
    EXPECT_TRUE(bench.shows(systems_says("controllers.title"_t))) << bench.words;
    EXPECT_TRUE(says(told_of(bench), "systems.subtitle.no_batches")) << bench.words;
    EXPECT_TRUE(bench.shows("SIM"));
    EXPECT_EQ(asked(), 1) << "once for a run";
}

TEST(BlockTables, SayHowFarABatchIsThatIsBeingDecoded) {
    FilmWindow stored({0, 0, 1280, 720}, false);
    EXPECT_TRUE(stored.bench->shows(systems_says("subtitle.ask"_t))) << stored.bench->words;
    stored.published.status.timed_model = "micro";
    stored.published.status.timed = 0.12;
    stored.show();
    EXPECT_TRUE(stored.bench->shows(systems_says("subtitle.decoding"_t, "done"_v = 0.12))) << stored.bench->words;
}

// Also where another beat draws something else. What did not tell its rows before does so now.
TEST(BlockTables, TellEveryNumberInBothLanguages) {
    const BlockFilm& film = small_film();
    const auto n = [](std::int64_t count) { return std::to_string(count); };
    for (const char* language : {"en", "de"}) {
        const test::Speaking speaking(language);
        FilmWindow stored;
        for (const int beat : {0, kTablesBeat}) {
            stored.beat(beat);
            SCOPED_TRACE(std::string(language) + ", beat " + std::to_string(beat));
            const ToldFrame told = told_of(*stored.bench);
            const std::size_t at = systems_model(stored.input(), {}).film_round;
            const FilmRound& shown = film.rounds[at];
            const Message drafts = systems_says("use.under"_t, "k"_v = film.k, "took"_v = film.mean_for_drafts(), "rows"_v = 16,
                                                "estimated"_v = film.mean_estimated());
            const std::vector<std::string> means = {n(film.k), ui::number(film.mean_for_drafts(), 2), "16",
                                                    ui::number(film.mean_estimated(), 2)};
            std::vector<std::string> numbers = {n(film.texts), n(film.blocks)};
            numbers.insert(numbers.end(), means.begin(), means.end());
            test::expect_told(told, systems_says("pool.batch"_t, "texts"_v = film.texts, "blocks"_v = film.blocks, "drafts"_v = drafts),
                              numbers);
            const Message held =
                systems_says("pool.under"_t, "used"_v = shown.used(true), "blocks"_v = film.blocks, "after"_v = shown.used(false));
            test::expect_told(told,
                              systems_says("pool.round"_t, "round"_v = at + 1, "of"_v = film.rounds.size(), "held"_v = held,
                                           "drafts"_v = shown.for_drafts(), "rows"_v = 16, "estimated"_v = shown.estimated(),
                                           "copied"_v = shown.copied, "shared"_v = shown.shared_tokens),
                              {n(std::ssize(film.rounds)), n(shown.used(true)), n(film.blocks), n(shown.used(false)), n(shown.for_drafts()),
                               "16", ui::number(shown.estimated(), 2), n(shown.copied), n(shown.shared_tokens)});
            for (const FilmText& text : shown.texts) {
                const FilmRows rows = rows_of(text);
                std::vector<Said> blocks;
                numbers = {text_letter(text.lane.text), did_words(text), n(rows.before), n(rows.kept), n(rows.refused)};
                for (const int block : text.during) {
                    const bool back = std::ranges::find(text.after, block) == text.after.end();
                    blocks.push_back(systems_says("text.block"_t, "block"_v = block, "given_back"_v = back).said);
                    numbers.push_back(message(blocks.back()));
                    EXPECT_TRUE(numbers.back().starts_with(n(block)));
                    EXPECT_EQ(numbers.back().size() > n(block).size(), back);
                }
                test::expect_told(told,
                                  systems_says("text.row"_t, "letter"_v = text_letter(text.lane.text), "did"_v = did_words(text),
                                               "shared"_v = shared_words(shown, text), "before"_v = rows.before, "kept"_v = rows.kept,
                                               "refused"_v = rows.refused, "blocks"_v = blocks),
                                  numbers);
            }
            const Said use = test::only_said(told, "systems.use.told");
            const std::vector<Said> rounds = test::list(use, "rounds");
            ASSERT_EQ(rounds.size(), film.rounds.size());
            for (std::size_t i = 0; i < rounds.size(); ++i)
                EXPECT_EQ(rounds[i], systems_says("use.round"_t, "round"_v = i + 1, "used"_v = film.rounds[i].used(true),
                                                  "drafts"_v = film.rounds[i].for_drafts(), "gave_up"_v = film.rounds[i].preempted())
                                         .said)
                    << i;
            const std::vector<BlockSquare> squares = block_squares(film, at);
            const std::vector<Said> blocks = test::all_said(told, "systems.pool.block");
            ASSERT_EQ(blocks.size(), beat == kTablesBeat ? squares.size() : 0U);
            for (std::size_t i = 0; i < blocks.size(); ++i)
                EXPECT_EQ(blocks[i], systems_says("pool.block"_t, "block"_v = i, "holders"_v = squares[i].holders,
                                                  "taken"_v = squares[i].taken, "refused"_v = squares[i].given_back && !squares[i].ended,
                                                  "ended"_v = squares[i].ended, "shared"_v = squares[i].holders.size() > 1)
                                         .said)
                    << i;
        }
    }
}

// What the words of every kind of round say, and that the rows of a text are those of its round.
TEST(BlockTables, WordsOfATextHaveItsNumbers) {
    const BlockFilm& film = small_film();
    int refused = 0;
    std::set<std::string> kinds;
    for (const FilmRound& round : film.rounds)
        for (const FilmText& text : round.texts) {
            const Said did = did_words(text).said;
            kinds.insert(did.id());
            if (text.lane.did == BatchLane::Did::decoded) {
                EXPECT_EQ(test::whole(did, "drafted"), text.lane.drafted());
                EXPECT_EQ(test::whole(did, "kept"), text.lane.accepted);
                EXPECT_EQ(test::whole(did, "ended"), text.lane.left);
            } else if (text.lane.did == BatchLane::Did::read) {
                EXPECT_EQ(test::whole(did, "tokens"), text.lane.rows);
            } else if (text.lane.did == BatchLane::Did::recomputed) {
                EXPECT_EQ(test::whole(did, "rows"), text.lane.rows);
            }
            const FilmRows rows = rows_of(text);
            EXPECT_EQ(rows.before, text.before);
            if (!text.during.empty()) {
                EXPECT_EQ(rows.kept + rows.refused, text.lane.rows);
            }
            refused += rows.refused;
        }
    EXPECT_GT(refused, 0);
    EXPECT_GE(kinds.size(), 4U) << "of a batch with too few blocks";
}

TEST(BlockTables, WithoutABatchTheyAskForOne) {
    FilmWindow stored({0, 0, 1600, 1000}, false);
    EXPECT_TRUE(stored.bench->shows(systems_says("tables.title:no_batch"_t))) << stored.bench->words;
    EXPECT_FALSE(says(told_of(*stored.bench), "systems.use.under"));
    stored.bench->key(ui::Key::b);
    ASSERT_FALSE(stored.sent.empty());
    const auto* asked = std::get_if<MeasureLoad>(&stored.sent.back());
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->base.drafter, stored.run->trace().header()->drafter);
}

} // namespace
} // namespace speclens
