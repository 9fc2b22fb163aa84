#include "engine/model/frequent.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <numeric>

#include "engine/text/id_list.h"
#include "kernels/backend.h"
#include "kernels/error.h"

namespace speclens {
namespace {

const char* const kFile = "frequent.json";
const char* const kFrequentRemedy = "It holds {\"ids\": [most frequent first]}, made by assets/recipe/frequency.py.";

} // namespace

// Quantised ones as they are; others in pieces: what the device stores need not be rows.
Buffer gather_head_rows(Backend& backend, const Tensor& matrix, std::span<const int> ids) {
    constexpr std::int64_t kPiece = 64 * kTiledRows;
    const auto count = static_cast<std::int64_t>(ids.size());
    const bool quantised = is_quantised(matrix.dtype);
    const DType stored = matrix.dtype == DType::bf16 || quantised ? matrix.dtype : DType::f32;
    Buffer weight = backend.allocate_weight(stored, count, matrix.cols, matrix.precision);
    if (quantised) {
        const Buffer all(backend, DType::i32, 1, count);
        backend.upload(all.view(), ids.data());
        backend.gather_rows(matrix, all.view(), weight.view());
        backend.sync();
        return weight;
    }
    Buffer indices(backend, DType::i32, 1, std::min(kPiece, count));
    Buffer rows(backend, DType::f32, std::min(kPiece, count), matrix.cols);
    std::vector<float> values;
    std::vector<std::uint16_t> narrow;
    for (std::int64_t first = 0; first < count; first += kPiece) {
        const std::int64_t size = std::min(kPiece, count - first);
        const Tensor these = {indices.view().data, DType::i32, 1, size};
        const Tensor piece = rows.view().slice(0, size);
        backend.upload(these, ids.data() + first);
        backend.embed(matrix, these, piece);
        values.resize(static_cast<std::size_t>(piece.size()));
        backend.download(piece, values.data());
        const Tensor to = weight.view().slice(first, size);
        if (stored == DType::f32) {
            backend.import_weight(to, stored, values.data());
            continue;
        }
        narrow.resize(values.size()); // widened from bf16, so the upper half is all there is
        std::ranges::transform(values, narrow.begin(),
                               [](float value) { return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16); });
        backend.import_weight(to, stored, narrow.data());
    }
    backend.sync();
    return weight;
}

FrequentIds::FrequentIds(int vocab, std::vector<int> stops)
    : vocab_(vocab), stops_(std::move(stops)), order_(static_cast<std::size_t>(vocab)) {
    std::iota(order_.begin(), order_.end(), 0);
    std::erase_if(stops_, [&](int id) { return id < 0 || id >= vocab; });
}

std::filesystem::path FrequentIds::file_of(const std::filesystem::path& target) {
    std::error_code failure;
    for (const std::filesystem::path& folder : {target, std::filesystem::weakly_canonical(target, failure).parent_path()})
        if (std::filesystem::exists(folder / kFile, failure)) return folder / kFile;
    return {};
}

std::shared_ptr<const FrequentIds> FrequentIds::read(const std::filesystem::path& target, int vocab, const std::vector<int>& stops) {
    auto frequent = std::make_shared<FrequentIds>(vocab, stops);
    const std::filesystem::path file = file_of(target);
    if (file.empty()) return frequent;
    IdList list = read_id_list(file, vocab, kFrequentRemedy);
    frequent->order_ = std::move(list.ids);
    frequent->file_ = kFile;
    return frequent;
}

FrequentIds::FrequentIds(int vocab, std::vector<int> always, const IdList& list) : FrequentIds(vocab, std::move(always)) {
    file_ = list.name;
    option_ = "--small-ids";
    by_list_ = true;
    std::ranges::sort(stops_);
    stops_.erase(std::ranges::unique(stops_).begin(), stops_.end());
    std::vector<bool> listed(static_cast<std::size_t>(vocab));
    for (const int id : list.ids) listed[static_cast<std::size_t>(id)] = true;
    std::vector<int> order = list.ids;
    std::ranges::copy_if(order_, std::back_inserter(order), [&](int id) { return !listed[static_cast<std::size_t>(id)]; });
    order_ = std::move(order);
}

std::vector<int> FrequentIds::first(int n) const {
    const auto most = static_cast<int>(order_.size());
    if (n >= vocab_)
        throw Error(std::string(option_) + " " + std::to_string(n) + " keeps all " + std::to_string(vocab_) + " ids of the vocabulary",
                    "Give a smaller number, or leave the option out.", Exit::usage);
    if (n > most)
        throw Error(std::string(option_) + " " + std::to_string(n) + " asks for more than the " + std::to_string(most) + " ids of " + file_,
                    "Give a smaller number, or make a longer list with assets/recipe/frequency.py.", Exit::usage);
    if (n <= static_cast<int>(stops_.size()))
        throw Error(std::string(option_) + " " + std::to_string(n) + " leaves room for the end of the text " +
                        (by_list_ ? "and its chat only" : "only"),
                    "Give at least " + std::to_string(stops_.size() + 1) + ".", Exit::usage);
    std::vector<int> ids = stops_;
    for (const int id : order_) {
        if (static_cast<int>(ids.size()) == n) break;
        if (std::ranges::find(stops_, id) == stops_.end()) ids.push_back(id);
    }
    std::ranges::sort(ids);
    return ids;
}

OutputHead FrequentIds::reduced_head(Backend& backend, const Tensor& matrix, const std::shared_ptr<const void>& owner, int n) const {
    const std::lock_guard lock(mutex_);
    if (gathered_n_ != n) gathered_.clear();
    gathered_n_ = n;
    std::erase_if(gathered_, [](const Gathered& gathered) { return gathered.owner.expired() || gathered.kept.expired(); });
    for (const Gathered& gathered : gathered_)
        if (gathered.of == matrix.data) { // the owner lives, so it is the same matrix
            OutputHead head = gathered.head;
            head.kept = gathered.kept.lock();
            if (head.kept) return head;
        }
    OutputHead head;
    head.ids = first(n);
    std::erase_if(head.ids, [&](int id) { return id >= matrix.rows; });
    auto weight = std::make_shared<const Buffer>(gather_head_rows(backend, matrix, head.ids));
    head.weight = weight->view();
    gathered_.push_back({owner, matrix.data, weight, head});
    head.kept = std::move(weight);
    return head;
}

} // namespace speclens
