// What a frame is folded from while a run grows and the cursor moves.
#include <gtest/gtest.h>

#include "app/frame/frame_source.h"
#include "engine/run/trace_json.h"

namespace speclens {
namespace {

// What a person sees of a view, and what it costs to have made it anew: where the guesses of its first round lie.
std::string said(const RunView& view) {
    return std::to_string(view.events) + " " + std::to_string(view.tokens.size()) + " " + std::to_string(view.round_list.size()) + " " +
           std::to_string(view.total_ms) + " " + std::to_string(static_cast<int>(view.phase));
}
const DraftSlot* first_draft(const RunView& view) { return view.round_list.front().drafts.data(); }

TEST(FrameSource, AGrowingRunIsNotFoldedAnew) {
    const auto whole = load_trace(SPEC_SOURCE_DIR "/assets/traces/domino.jsonl");
    const auto trace = std::make_shared<Trace>([](int) { return std::string(); });
    FrameSource source;
    const DraftSlot *shown = nullptr, *all = nullptr;
    std::size_t rounds = 0;
    for (std::size_t i = 0; i < whole->size(); ++i) {
        trace->append((*whole)[i]);
        const std::size_t cursor = i % 3 == 0 ? i : i + 1; // at the end of the run, or just behind it
        source.update(trace, cursor);
        EXPECT_EQ(said(source.whole()), said(fold(*trace, trace->size()))) << i;
        EXPECT_EQ(said(source.view()), said(fold(*trace, source.cursor()))) << i;
        if (source.view().rounds == 0) continue;
        if (shown && cursor > i) {
            EXPECT_EQ(first_draft(source.whole()), all) << i;
        }
        all = first_draft(source.whole());
        shown = first_draft(source.view());
        rounds = source.whole().round_list.size();
    }
    EXPECT_GT(rounds, 3u);

    // Backwards, and on again.
    for (const std::size_t cursor : {std::size_t{20}, std::size_t{5}, std::size_t{0}, std::size_t{30}, trace->size()}) {
        source.update(trace, cursor);
        EXPECT_EQ(said(source.view()), said(fold(*trace, cursor))) << cursor;
        EXPECT_EQ(first_draft(source.whole()), all) << cursor;
    }
    source.update(load_trace(SPEC_SOURCE_DIR "/assets/traces/plain.jsonl"), 4);
    EXPECT_EQ(source.whole().header->drafter, "none");
    EXPECT_EQ(source.cursor(), 4u);
}

} // namespace
} // namespace speclens
