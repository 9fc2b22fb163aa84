// States of the target that a head has still to read. What a round tapped is a view of the target's, gone with its next pass; where no
// draft comes before that pass it is copied, and read together with what follows once there is a draft.
#pragma once

#include <algorithm>

#include "kernels/backend.h"

namespace speclens {

class WaitingStates {
  public:
    void clear() { newest_ = {}, first_ = 0, kept_rows_ = 0; }
    // What the last round tapped: (rows, taps * h), the first row at position `first`.
    void take(const Tensor& features, int first) { newest_ = features, first_ = first; }
    [[nodiscard]] const Tensor& newest() const { return newest_; }
    [[nodiscard]] bool empty() const { return newest_.empty() && kept_rows_ == 0; }

    // Copies what take() was given, before it goes.
    void put_off(Backend& backend) {
        if (newest_.empty()) return;
        const auto rows = static_cast<int>(newest_.rows);
        if (kept_rows_ > 0 && kept_first_ + kept_rows_ != first_) kept_rows_ = 0; // something is missing: nobody can read on from there
        if (kept_rows_ == 0) kept_first_ = first_;
        if (kept_.view().rows < kept_rows_ + rows || kept_.view().cols != newest_.cols) {
            Buffer larger(backend, DType::f32, std::max(2 * (kept_rows_ + rows), 16), newest_.cols);
            if (kept_rows_ > 0) backend.copy(kept_.view().slice(0, kept_rows_), larger.view().slice(0, kept_rows_));
            kept_ = std::move(larger);
        }
        backend.copy(newest_, kept_.view().slice(kept_rows_, rows));
        kept_rows_ += rows;
        newest_ = {};
    }

    // Hands them to `absorb(features, first, last)` in order, at most `rows` at once; `last`: nothing follows. Then there are none.
    template <typename Absorb>
    void read(int rows, const Absorb& absorb) {
        for (int at = 0; at < kept_rows_; at += rows) {
            const int count = std::min(rows, kept_rows_ - at);
            absorb(kept_.view().slice(at, count), kept_first_ + at, at + count == kept_rows_ && newest_.empty());
        }
        if (!newest_.empty()) absorb(newest_, first_, true);
        clear();
    }

  private:
    Tensor newest_;
    int first_ = 0;
    Buffer kept_;
    int kept_first_ = 0, kept_rows_ = 0;
};

} // namespace speclens
