// Where the keys and values of one text are: position p in block blocks()[p / size] of a pool, at place p % size. The table
// grows before a pass writes rows, shrinks right after the rows that were not kept, and begins with the blocks of another text
// where both begin alike. Always ceil(length / size) blocks, but between reserve() and truncate().
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/batch/block_pool.h"

namespace speclens {

class BlockTable {
  public:
    // The pool outlives the table.
    BlockTable(BlockPool& pool, int block_size) : pool_(&pool), size_(block_size) {}
    BlockTable(const BlockTable&) = delete;
    BlockTable& operator=(const BlockTable&) = delete;
    ~BlockTable() { clear(); }

    [[nodiscard]] int length() const { return length_; } // positions that are written
    [[nodiscard]] std::span<const int> blocks() const { return blocks_; }
    [[nodiscard]] int slot(int position) const { // of the pool
        return blocks_[static_cast<std::size_t>(position / size_)] * size_ + position % size_;
    }
    // Nobody else holds the block of this position.
    [[nodiscard]] bool alone(int position) const { return pool_->holders(blocks_[static_cast<std::size_t>(position / size_)]) == 1; }
    [[nodiscard]] static int blocks_for(int positions, int block_size) { return (positions + block_size - 1) / block_size; }

    // Free blocks that it takes to write `rows` positions behind length(): new ones, and a copy of the last one where another
    // text holds it too.
    [[nodiscard]] int missing(int rows) const;
    // Takes them; there must be enough (CHECK). `copy` is told which block's first places are to be copied to which, and how
    // many: copy on write.
    using Copy = std::function<void(int from, int to, int places)>;
    void reserve(int rows, const Copy& copy);
    void grow(int rows); // they are written; reserved before
    // Forgets the positions from `length` on and gives back the blocks that only those had.
    void truncate(int length);
    void clear() { truncate(0); }
    // Begins with the first `length` positions of `other`, in the same blocks; empty before.
    void share(const BlockTable& other, int length);

  private:
    [[nodiscard]] bool shares_last() const; // the next position goes into a block that others hold too
    BlockPool* pool_;
    int size_;
    int length_ = 0;
    std::vector<int> blocks_;
};

} // namespace speclens
