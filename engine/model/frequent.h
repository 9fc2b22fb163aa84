// FR-Spec (Zhao et al. 2025, arXiv 2502.14856): a drafter that ranks only the N most frequent
// ids. Its output matrix is reduced to their rows, so a draft token reads less memory; a token without a row can never
// be drafted. The target keeps its whole vocabulary, so the text stays its own.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "kernels/types.h"

namespace speclens {

class Backend;
class Buffer;
struct IdList; // engine/text/id_list.h

// An output matrix as a drafter multiplies it: whole, or cut to the frequent ids.
struct OutputHead {
    Tensor weight;                      // (V, h) or (N, h)
    std::vector<int> ids;               // of the rows, ascending; empty: row i stands for id i
    std::shared_ptr<const Buffer> kept; // owns a cut weight
    [[nodiscard]] bool reduced() const { return !ids.empty(); }
};

// One row of `matrix`, a weight, for each of `ids`, in the form and precision that it has.
[[nodiscard]] Buffer gather_head_rows(Backend& backend, const Tensor& matrix, std::span<const int> ids);

// The ids of one target from frequent to rare, and the matrices cut to the first of them. For any thread; a
// backend is called by one at a time, as ever.
class FrequentIds {
  public:
    // In the order of the ids: a byte-pair vocabulary numbers its tokens as they were merged, frequent ones
    // first.
    FrequentIds(int vocab, std::vector<int> stops);
    // As `frequent.json` in the target's folder, or else beside it, lists them: {"ids": […], most frequent
    // first} (assets/recipe/frequency.py). Without a file: in the order of the ids. Throws Error for a broken
    // file.
    [[nodiscard]] static std::filesystem::path file_of(const std::filesystem::path& target); // that file; empty: there is none
    [[nodiscard]] static std::shared_ptr<const FrequentIds> read(const std::filesystem::path& target, int vocab,
                                                                 const std::vector<int>& stops);

    // As `list` has them, and behind its last one the others in the order of their numbers: what --small-ids ranks. `always` are the
    // ids that first() never leaves out, the stops among them.
    FrequentIds(int vocab, std::vector<int> always, const IdList& list);

    [[nodiscard]] bool from_file() const { return !file_.empty(); }
    [[nodiscard]] const std::string& file() const { return file_; } // the list's, as messages name it; empty: in the order of the ids
    // The n most frequent, ascending; stop ids take the places of the rarest, because a drafter that cannot
    // end a text would always draft one token too many. Throws Error (usage) when there are not more than n
    // ids.
    [[nodiscard]] std::vector<int> first(int n) const;
    // `matrix` (V', …), a weight with one row per id, cut to the rows of first(n) that it has. Rows are gathered
    // once for a matrix and n, for as long as somebody holds the result and `owner` lives, whose memory the matrix is in:
    // an address alone may be that of another matrix by now. Another n forgets them.
    [[nodiscard]] OutputHead reduced_head(Backend& backend, const Tensor& matrix, const std::shared_ptr<const void>& owner, int n) const;

  private:
    struct Gathered {
        std::weak_ptr<const void> owner;
        const void* of = nullptr;
        std::weak_ptr<const Buffer> kept; // no memory of a backend that may be gone is kept here
        OutputHead head;                  // but for that
    };
    int vocab_;
    std::vector<int> stops_; // and whatever else is always in
    std::vector<int> order_; // most frequent first
    std::string file_;
    const char* option_ = "--fr-spec"; // that asks, for messages
    bool by_list_ = false;             // asked for by a list
    mutable std::mutex mutex_;         // of what follows
    mutable int gathered_n_ = 0;
    mutable std::vector<Gathered> gathered_;
};

} // namespace speclens
