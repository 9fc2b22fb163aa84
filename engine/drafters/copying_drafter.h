// What the drafters that copy from the text share: it is read as it grows, and one search finds what the whole chain of a round is
// copied from. Deterministic, so every proposal distribution is one-hot.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>

#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"

namespace speclens {

class CopyingDrafter : public Drafter {
  public:
    void begin(std::span<const int> sequence) final;
    void observe(const Observation&) final {} // what was kept is read when the next draft asks: reading is a part of drafting
    [[nodiscard]] Draft draft(const DraftRequest& request) final;

  protected:
    explicit CopyingDrafter(DrafterOptions options) : options_(std::move(options)) {}

    // Whoever searches the text itself, and keeps nothing, needs neither of these.
    virtual void forget() {}                     // another text begins
    virtual void append(std::span<const int>) {} // the text, whose last token is new
    // Searches, and puts what it copies behind the empty `draft`.
    virtual void copy(const DraftRequest& request, Draft& draft) = 0;

    // The forced token, or `token` and `words` on where it stood. False: it was the last of this draft.
    static bool put(const DraftRequest& request, int token, std::string words, Draft& draft);
    // Up to `most` tokens of the text, from `begin` on, behind a run of `match` tokens that occurred there as well.
    static void put_run(const DraftRequest& request, int match, int begin, Draft& draft, int most = std::numeric_limits<int>::max());

    DrafterOptions options_;

  private:
    void read(std::span<const int> sequence);

    std::size_t read_ = 0; // tokens of the text that append() was given
};

// `own`, and what all of them are.
[[nodiscard]] DrafterInfo copying_info(DrafterInfo own);

} // namespace speclens
