// A pass over several texts as the device wants it: who owns which rows, where each row and each block lies, and launches whose
// partial results fit into the memory that there is for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/backend.h"

namespace speclens::cuda {

[[nodiscard]] int chunks_of(int context);
[[nodiscard]] std::size_t partial_bytes(const HeadShape& shape, int context); // of one row's results of attention

class PagedPass {
  public:
    struct Launch {
        std::size_t first_text = 0; // among the TextTasks of all launches
        int texts = 0, first_row = 0, rows = 0, units = 0;
    };

    PagedPass() = default;
    // A launch has partial results of at most `most_bytes`, or one row.
    PagedPass(const HeadShape& shape, const PagedRows& paged, std::size_t most_bytes);
    // Whether it was made from these; the same blocks in other memory are the same.
    [[nodiscard]] bool is_of(const HeadShape& shape, const PagedRows& paged) const;

    [[nodiscard]] const std::vector<Launch>& launches() const { return launches_; }
    // On the way to the device: a TextTask for every text of every launch, the slot of every row, the blocks of all texts.
    [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }
    [[nodiscard]] std::size_t slots_at() const { return slots_at_; } // in bytes
    [[nodiscard]] std::size_t blocks_at() const { return blocks_at_; }
    [[nodiscard]] std::size_t scratch() const { return scratch_; } // bytes of partial results, of the largest launch

  private:
    struct Seen { // of a text
        int rows = 0, prefix = 0;
        const void* ancestors = nullptr;
        std::size_t blocks = 0; // where they begin
        std::size_t count = 0;
    };
    HeadShape shape_;
    int block_ = 0;
    std::vector<Seen> seen_;
    std::vector<std::int32_t> blocks_; // of all texts, as far as they need them
    std::vector<Launch> launches_;
    std::vector<std::byte> bytes_;
    std::size_t slots_at_ = 0, blocks_at_ = 0, scratch_ = 0;
};

} // namespace speclens::cuda
