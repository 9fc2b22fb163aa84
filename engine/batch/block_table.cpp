#include "engine/batch/block_table.h"

#include <algorithm>

#include "kernels/error.h"

namespace speclens {

bool BlockTable::shares_last() const { return length_ % size_ != 0 && !alone(length_); }

int BlockTable::missing(int rows) const {
    const int more = blocks_for(length_ + rows, size_) - static_cast<int>(blocks_.size());
    return std::max(more, 0) + (rows > 0 && shares_last() ? 1 : 0);
}

void BlockTable::reserve(int rows, const Copy& copy) {
    CHECK(missing(rows) <= pool_->free(), "more blocks than are free");
    if (rows > 0 && shares_last()) {
        int& last = blocks_[static_cast<std::size_t>(length_ / size_)];
        const int own = pool_->take();
        copy(last, own, length_ % size_);
        pool_->release(last);
        last = own;
    }
    while (static_cast<int>(blocks_.size()) < blocks_for(length_ + rows, size_)) blocks_.push_back(pool_->take());
}

void BlockTable::grow(int rows) {
    CHECK(length_ + rows <= static_cast<int>(blocks_.size()) * size_, "rows were written that no block was reserved for");
    length_ += rows;
}

void BlockTable::truncate(int length) {
    CHECK(length >= 0 && length <= length_, "truncate to more than the text has");
    length_ = length;
    while (static_cast<int>(blocks_.size()) > blocks_for(length_, size_)) {
        pool_->release(blocks_.back());
        blocks_.pop_back();
    }
}

void BlockTable::share(const BlockTable& other, int length) {
    CHECK(blocks_.empty() && length <= other.length_ && pool_ == other.pool_, "a text begins with another's blocks, or with none");
    for (int i = 0; i < blocks_for(length, size_); ++i) {
        pool_->share(other.blocks_[static_cast<std::size_t>(i)]);
        blocks_.push_back(other.blocks_[static_cast<std::size_t>(i)]);
    }
    length_ = length;
}

} // namespace speclens
