// Who has which block of a cache that several texts share: numbers only, no memory. A block has as many holders as texts
// whose keys and values begin alike (Kwon et al. 2023, §4.4); who writes to one that others hold takes a copy first
// (block_table.h).
#pragma once

#include <functional>
#include <vector>

namespace speclens {

class BlockPool {
  public:
    explicit BlockPool(int blocks);

    [[nodiscard]] int blocks() const { return static_cast<int>(holders_.size()); }
    [[nodiscard]] int free() const { return static_cast<int>(free_.size()); }
    [[nodiscard]] int used() const { return blocks() - free(); }
    [[nodiscard]] int holders(int block) const { return holders_[static_cast<std::size_t>(block)]; }
    // The blocks that nobody holds, in the order in which they will be taken from the back.
    [[nodiscard]] const std::vector<int>& free_blocks() const { return free_; }

    [[nodiscard]] int take(); // a free block, with one holder; there must be one (CHECK)
    void share(int block);    // one holder more
    void release(int block);  // one fewer; without any it is free
    // Told of every block that becomes free: tests spoil it.
    void on_freed(std::function<void(int block)> freed) { freed_ = std::move(freed); }

  private:
    std::vector<int> holders_; // of each block
    std::vector<int> free_;
    std::function<void(int)> freed_;
};

} // namespace speclens
