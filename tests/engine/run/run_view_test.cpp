// The fold of a trace, whole and grown event by event.
#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <sstream>

#include "engine/run/run_view.h"
#include "engine/run/trace_json.h"

namespace speclens {
namespace {

// Every field of a view, times by their bits and events by their place in memory.
std::string all_of(const RunView& view) {
    std::ostringstream text;
    const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
    text << view.header << ' ' << static_cast<int>(view.phase) << ' ' << view.events << ' ' << view.prompt_tokens << ' '
         << view.prefill_tokens << ' ' << bits(view.prefill_ms) << ' ' << view.stopped << ' ' << view.failed << ' ' << view.rounds << ' '
         << view.drafted << ' ' << view.accepted_drafts << ' ' << view.output_tokens << ' ' << bits(view.total_ms) << '\n';
    for (const OutputToken& token : view.tokens)
        text << token.id << ' ' << static_cast<int>(token.origin) << ' ' << token.round << ' ' << token.index << '\n';
    for (const RoundSummary& c : view.round_list) {
        text << c.round << ' ' << c.first_event << ' ' << c.end_event << ' ' << c.verify << ' ' << c.resample << ' ' << c.commit << ' '
             << bits(c.start_ms) << ' ' << bits(c.draft_ms) << ' ' << bits(c.head_ms) << ' ' << bits(c.verify_ms) << ' ' << bits(c.other_ms)
             << ' ' << c.accepted << ' ' << c.last_judged << ' ' << c.tree << " path";
        for (const int node : c.path) text << ' ' << node;
        for (const DraftSlot& slot : c.drafts)
            text << "\n  " << slot.draft << ' ' << slot.check << ' ' << slot.parent << ' ' << slot.depth << ' '
                 << static_cast<int>(slot.state);
        text << '\n';
    }
    return text.str();
}

TEST(RunView, GrowsIntoTheFoldOfEveryPrefix) {
    int traces = 0;
    for (const auto& file : std::filesystem::directory_iterator(SPEC_SOURCE_DIR "/assets/traces")) {
        const auto trace = load_trace(file.path());
        ++traces;
        RunView one, some;
        for (std::size_t count = 0; count <= trace->size(); ++count) {
            const std::string whole = all_of(fold(*trace, count));
            fold_on(one, *trace, count);
            ASSERT_EQ(all_of(one), whole) << file.path() << " after " << count << " events, one by one";
            if (count % 7 != 3 && count != trace->size()) continue;
            fold_on(some, *trace, count);
            ASSERT_EQ(all_of(some), whole) << file.path() << " after " << count << " events, several at once";
        }
        const std::string end = all_of(one);
        fold_on(one, *trace, trace->size() + 10);
        fold_on(one, *trace, 0);
        EXPECT_EQ(all_of(one), end) << "nothing is new, and nothing is taken back";
    }
    EXPECT_GT(traces, 10);
}

} // namespace
} // namespace speclens
