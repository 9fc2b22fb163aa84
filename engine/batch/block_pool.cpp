#include "engine/batch/block_pool.h"

#include <numeric>

#include "kernels/error.h"

namespace speclens {

BlockPool::BlockPool(int blocks) : holders_(static_cast<std::size_t>(blocks), 0), free_(static_cast<std::size_t>(blocks)) {
    std::iota(free_.rbegin(), free_.rend(), 0); // the first block goes first
}

int BlockPool::take() {
    CHECK(!free_.empty(), "no block is free");
    const int block = free_.back();
    free_.pop_back();
    holders_[static_cast<std::size_t>(block)] = 1;
    return block;
}

void BlockPool::share(int block) {
    CHECK(holders(block) > 0, "a free block cannot be shared");
    ++holders_[static_cast<std::size_t>(block)];
}

void BlockPool::release(int block) {
    CHECK(holders(block) > 0, "a block is released twice");
    if (--holders_[static_cast<std::size_t>(block)] > 0) return;
    free_.push_back(block);
    if (freed_) freed_(block);
}

} // namespace speclens
