#include "kernels/cuda/paged_pass.h"

#include <algorithm>

#include "kernels/cuda/attention_task.h"
#include "kernels/shapes.h"

namespace speclens::cuda {

int chunks_of(int context) { return (context + kChunk - 1) / kChunk; }

std::size_t partial_bytes(const HeadShape& shape, int context) {
    return static_cast<std::size_t>(shape.heads) * static_cast<std::size_t>(chunks_of(context)) * static_cast<std::size_t>(shape.dim + 2) *
           sizeof(float);
}

namespace {

std::size_t blocks_needed(const TextRows& text, int block) {
    return static_cast<std::size_t>((text.prefix + text.rows + block - 1) / block);
}

template <class T>
void append(std::vector<std::byte>& bytes, const std::vector<T>& values) {
    const auto* from = reinterpret_cast<const std::byte*>(values.data());
    bytes.insert(bytes.end(), from, from + values.size() * sizeof(T));
}

} // namespace

bool PagedPass::is_of(const HeadShape& shape, const PagedRows& paged) const {
    if (shape.heads != shape_.heads || shape.kv_heads != shape_.kv_heads || shape.dim != shape_.dim) return false;
    if (paged.block != block_ || paged.texts.size() != seen_.size()) return false;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
        const TextRows& text = paged.texts[i];
        const Seen& seen = seen_[i];
        if (text.rows != seen.rows || text.prefix != seen.prefix || text.ancestors.data != seen.ancestors) return false;
        if (!std::equal(blocks_.begin() + static_cast<std::ptrdiff_t>(seen.blocks),
                        blocks_.begin() + static_cast<std::ptrdiff_t>(seen.blocks + seen.count), text.blocks.begin()))
            return false;
    }
    return true;
}

PagedPass::PagedPass(const HeadShape& shape, const PagedRows& paged, std::size_t most_bytes) : shape_(shape), block_(paged.block) {
    std::vector<TextTask> tasks;
    std::vector<std::int32_t> slots;
    const int group = shape.heads / shape.kv_heads;
    std::size_t used = 0; // of partial results, by the launch that is being filled
    for (const TextRows& text : paged.texts) {
        const std::size_t needed = blocks_needed(text, paged.block), table = blocks_.size();
        seen_.push_back({text.rows, text.prefix, text.ancestors.data, table, needed});
        blocks_.insert(blocks_.end(), text.blocks.begin(), text.blocks.begin() + static_cast<std::ptrdiff_t>(needed));
        for (int position = text.prefix; position < text.prefix + text.rows; ++position)
            slots.push_back(text.blocks[static_cast<std::size_t>(position / paged.block)] * paged.block + position % paged.block);
        const std::size_t row_bytes = partial_bytes(shape, text.prefix + text.rows);
        const int chunks = chunks_of(text.prefix + text.rows);
        for (int first = 0; first < text.rows;) {
            if (launches_.empty() || (used > 0 && used + row_bytes > most_bytes)) {
                launches_.push_back({.first_text = tasks.size(), .first_row = text.first_row + first});
                used = 0;
            }
            Launch& launch = launches_.back();
            const std::size_t room = most_bytes > used ? (most_bytes - used) / row_bytes : 0;
            const int some = static_cast<int>(std::clamp<std::size_t>(room, 1, static_cast<std::size_t>(text.rows - first)));
            const int shared = text.ancestors.empty() ? chunks : text.prefix / kChunk;
            tasks.push_back({.rows = some,
                             .prefix = text.prefix,
                             .first_row = first,
                             .words = (text.rows + 63) / 64,
                             .chunks = chunks,
                             .shared_chunks = shared,
                             .launch_row = launch.rows,
                             .unit = launch.units,
                             .table = static_cast<std::int64_t>(table),
                             .partial = static_cast<std::int64_t>(used / sizeof(float)),
                             .ancestors = data_or_null<const unsigned long long>(text.ancestors)});
            ++launch.texts;
            launch.rows += some;
            launch.units += attention_units(some, group, chunks, shared);
            used += row_bytes * static_cast<std::size_t>(some);
            scratch_ = std::max(scratch_, used);
            first += some;
        }
    }
    append(bytes_, tasks);
    slots_at_ = bytes_.size();
    append(bytes_, slots);
    blocks_at_ = bytes_.size();
    append(bytes_, blocks_);
}

} // namespace speclens::cuda
