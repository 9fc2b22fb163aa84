// Who has which block: numbers only.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <set>

#include "engine/batch/block_table.h"
#include "engine/batch/scheduler.h"

namespace speclens {
namespace {

constexpr int kSize = 4;

const BlockTable::Copy kNoCopy = [](int, int, int) { ADD_FAILURE() << "nothing is shared here"; };

TEST(BlockTable, HasAsManyBlocksAsItsPositionsNeed) {
    BlockPool pool(10);
    BlockTable table(pool, kSize);
    EXPECT_EQ(table.missing(1), 1);
    table.reserve(6, kNoCopy);
    EXPECT_EQ(table.blocks().size(), 2u);
    EXPECT_EQ(table.length(), 0);
    table.grow(6);
    EXPECT_EQ(table.missing(2), 0);
    EXPECT_EQ(table.missing(3), 1);
    EXPECT_EQ(table.slot(5), table.blocks()[1] * kSize + 1);
    table.reserve(7, kNoCopy);
    table.grow(7);
    EXPECT_EQ(pool.used(), 4);
    table.truncate(8); // what was rejected, and the blocks that only it had
    EXPECT_EQ(pool.used(), 2);
    table.clear();
    EXPECT_EQ(pool.free(), 10);
}

TEST(BlockTable, ABlockThatOthersHoldIsCopiedBeforeItIsWritten) {
    BlockPool pool(10);
    BlockTable first(pool, kSize), second(pool, kSize);
    first.reserve(6, kNoCopy);
    first.grow(6);
    second.share(first, 6);
    EXPECT_EQ(pool.used(), 2);
    EXPECT_EQ(second.missing(1), 1); // the copy
    EXPECT_EQ(second.missing(3), 2); // and one behind it
    std::vector<std::vector<int>> copies;
    const auto copy = [&](int from, int to, int places) { copies.push_back({from, to, places}); };
    const int shared = first.blocks()[1];
    second.reserve(1, copy);
    ASSERT_EQ(copies.size(), 1u);
    EXPECT_EQ(copies[0], (std::vector<int>{shared, second.blocks()[1], 2}));
    EXPECT_EQ(second.blocks()[0], first.blocks()[0]);
    EXPECT_NE(second.blocks()[1], shared);
    EXPECT_EQ(first.missing(1), 0); // it is alone in its block again
    first.clear();
    EXPECT_EQ(pool.used(), 2) << "what the second still holds stays";
}

TEST(BlockTable, WholeSharedBlocksNeedNoCopy) {
    BlockPool pool(10);
    BlockTable first(pool, kSize), second(pool, kSize);
    first.reserve(9, kNoCopy);
    first.grow(9);
    second.share(first, 8);
    second.reserve(3, kNoCopy);
    EXPECT_EQ(pool.used(), 4);
}

// Against sets: random texts that grow, shrink, share and go.
TEST(BlockTable, KeepsItsCountsWhateverHappens) {
    std::mt19937 random(3);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    BlockPool pool(40);
    std::vector<std::unique_ptr<BlockTable>> tables;
    // What is written where, as (text, position) -> number; a slot holds what was written or copied there last.
    std::map<int, int> memory;
    std::vector<std::vector<int>> written;
    int next = 0;
    for (int i = 0; i < 6; ++i) tables.push_back(std::make_unique<BlockTable>(pool, kSize));
    written.resize(tables.size());
    for (int step = 0; step < 5000; ++step) {
        const auto t = static_cast<std::size_t>(below(6));
        BlockTable& table = *tables[t];
        switch (below(4)) {
        case 0:
        case 1: {
            const int rows = 1 + below(7);
            if (table.missing(rows) > pool.free()) break;
            table.reserve(rows, [&](int from, int to, int places) {
                for (int i = 0; i < places; ++i) memory[to * kSize + i] = memory[from * kSize + i];
            });
            for (int i = 0; i < rows; ++i) {
                memory[table.slot(table.length() + i)] = next;
                written[t].push_back(next++);
            }
            table.grow(rows);
            break;
        }
        case 2:
            table.truncate(below(table.length() + 1));
            written[t].resize(static_cast<std::size_t>(table.length()));
            break;
        default: {
            const auto from = static_cast<std::size_t>(below(6));
            if (from == t || table.length() > 0) break;
            const int length = below(tables[from]->length() + 1);
            table.share(*tables[from], length);
            written[t].assign(written[from].begin(), written[from].begin() + length);
        }
        }
        std::set<int> held;
        for (std::size_t i = 0; i < tables.size(); ++i) {
            ASSERT_EQ(std::ssize(tables[i]->blocks()), (tables[i]->length() + kSize - 1) / kSize);
            held.insert(tables[i]->blocks().begin(), tables[i]->blocks().end());
            for (int p = 0; p < tables[i]->length(); ++p)
                ASSERT_EQ(memory[tables[i]->slot(p)], written[i][static_cast<std::size_t>(p)])
                    << "text " << i << " at " << p << ", step " << step;
        }
        ASSERT_EQ(pool.used(), std::ssize(held));
    }
    tables.clear();
    EXPECT_EQ(pool.used(), 0);
}

TEST(Scheduler, IsFirstComeFirstServed) {
    Scheduler scheduler(2);
    for (int text : {0, 1, 2}) scheduler.arrive(text);
    scheduler.admit(0);
    scheduler.admit(1);
    EXPECT_FALSE(scheduler.next()) << "no seat is free";
    EXPECT_EQ(scheduler.victim(0), 1);
    EXPECT_EQ(scheduler.victim(1), 1) << "the latest gives up its own";
    EXPECT_EQ(scheduler.other_victim(1), 0);
    scheduler.preempt(1);
    EXPECT_EQ(scheduler.next(), 1) << "it goes before those that came later";
    scheduler.leave(0);
    scheduler.admit(1);
    EXPECT_EQ(scheduler.next(), 2);
    scheduler.admit(2);
    scheduler.preempt(1);
    scheduler.admit(1);
    EXPECT_EQ(scheduler.in_flight(), (std::vector<int>{1, 2})) << "and its place is that of its arrival";
    scheduler.leave(2);
    EXPECT_FALSE(scheduler.other_victim(1));
}

} // namespace
} // namespace speclens
