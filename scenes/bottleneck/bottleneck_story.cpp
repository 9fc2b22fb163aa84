// Words of S1: title, six beats, and the frame as text.
#include <sstream>

#include "engine/published/published_words.h"
#include "scenes/bottleneck/bottleneck_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

Words beat_words(const SceneInput& input, const BottleneckModel& m, const BottleneckState& state, int beat) {
    const std::string weights =
        "all of its weights" +
        (m.measured() ? ", " + ui::megabytes(m.times->weight_bytes) + "," : std::string());
    switch (beat) {
    case 0:
        return {"The walk and the lookup",
                "To make one token a model reads " + weights +
                    " from memory. Like a librarian who walks the warehouse for one book: the walk takes the "
                    "time, not the lookup."};
    case kQuestionBeat: {
        if (m.told && m.factor(kAsked) > 0) {
            const std::string verdict = verdict_words(m, state);
            return {"Guess first", (verdict.empty() ? capital(number_word(kAsked)) + " tokens take " +
                                                          ui::speed_up(m.factor(kAsked)) + " the time of one."
                                                    : verdict) +
                                       " The weights are read once for all 16; only the arithmetic grows."};
        }
        const std::string how =
            std::string("Choose with ↑ ↓") + (can_measure(input, m) ? ", then press M." : ".");
        if (input.presenter) return {"Guess first", "How much longer is a pass over 16 tokens? " + how};
        return {"Guess first", "The same walk could fetch many books. If one pass handles 16 tokens instead of "
                               "one, how much longer is it: as long, four times, sixteen times? " +
                                   how};
    }
    case 2:
        if (!m.measured())
            return {"One read for many",
                    m.untimed.empty()
                        ? "Measure to see what passes over 1 to 64 tokens take on this machine."
                        : capital(m.untimed) + ". With a checkpoint, passes over 1 to 64 tokens "
                                               "are timed here."};
        if (m.marked == 1)
            return {"One read for many",
                    "A pass over one token took " + ui::number(m.one_ms(), 2) +
                        " ms. Choose a wider one: the weights are read once for all its tokens."};
        return {"One read for many",
                "A pass over one token took " + ui::number(m.one_ms(), 2) + " ms, over " +
                    counted(m.marked, "token") + " " + ui::number(m.ms(m.marked), 2) +
                    " ms: " + ui::speed_up(m.factor(m.marked)) + " the time for " + std::to_string(m.marked) +
                    " times the tokens. The arithmetic ran at " + ui::percent(m.rate(1) / m.best_rate()) +
                    " of the best rate seen, now at " + ui::percent(m.rate(m.marked) / m.best_rate()) + "."};
    case 3:
        if (!m.measured())
            return {"Until it is full", "The free seats run out at some width. " +
                                            std::string(m.untimed.empty() ? "Measure to see where."
                                                                          : "A checkpoint shows where.")};
        if (m.cheap == m.times->passes.back().rows)
            return {"Until it is full",
                    "Even " + counted(m.cheap, "token") +
                        " cost less than two passes of one token: the free seats reach beyond "
                        "what was measured. Somewhere behind that the arithmetic is the bottleneck, "
                        "and every token more costs its share."};
        return {
            "Until it is full",
            "Up to " + counted(m.cheap, "token") +
                " a pass costs less than two of one token. Then the arithmetic counts "
                "more and more; where it is the bottleneck, every token more costs its share. On a GPU this "
                "bend comes much later than on a CPU, and for long prompts it is always behind you."};
    case 4:
        return {"Why guessing can pay",
                "A model that writes alone has one token at a time to offer. Speculation makes up the "
                "others: guess K tokens "
                "cheaply, check them all in one pass over K + 1" +
                    (m.measured() && m.ms(8) > 0
                         ? ", which for K = 7 costs " + ui::speed_up(m.factor(8)) + " here"
                         : std::string()) +
                    ". The bend bounds how long guesses should be."};
    default: {
        const auto figures = printed_shares(input.figures);
        if (figures.size() < 4) return {"Check what is printed", "The published figures are not at hand."};
        const auto value = [&](std::size_t i) { return published_value(*figures[i]); };
        return {"Check what is printed", "A course gives loading weights " + value(1) +
                                             " of a decoding step and computing " + value(2) +
                                             ". Its own example moves " + value(0) +
                                             " for every token: on an A100 computing is then " + value(3) +
                                             " of the step. The idea holds, the figure does not."};
    }
    }
}

} // namespace

StageTitle bottleneck_title(const BottleneckModel& m) {
    StageTitle title;
    if (!m.measured() || !m.told) {
        title.title = m.asks ? capital(number_word(kAsked)) + " tokens in one pass: how much longer?"
                             : "One token or many: what does a pass cost?";
        title.subtitle = m.untimed.empty() ? "press M to time passes of the loaded model over 1 to 64 tokens"
                                           : m.untimed + " · a checkpoint's passes are timed here";
        title.tier = m.tier;
        return title;
    }
    title.title =
        capital(number_word(m.marked)) +
        (m.marked == 1 ? " token costs a whole pass"
                       : " tokens at once cost " + ui::speed_up(m.factor(m.marked)) + " the time of one");
    title.subtitle = (m.model.empty() ? "" : m.model + ", ") + std::to_string(m.times->context) +
                     " tokens before the pass, medians of " + std::to_string(m.times->repeats);
    if (m.in_doubt(1) || m.in_doubt(m.marked))
        title.subtitle += " · timing in doubt: other passes were quicker";
    return title;
}

Story bottleneck_story(const SceneInput& input, const BottleneckModel& m, const BottleneckState& state) {
    Story story = story_at_beat(input, kBottleneckBeats);
    const Words words = beat_words(input, m, state, story.step - 1);
    story.heading = words.heading;
    story.text = words.text;
    if (story.step == 3 && (m.in_doubt(1) || m.in_doubt(m.marked)))
        story.text += " But other passes were quicker, so these times are in doubt: measure again.";
    if (can_measure(input, m)) {
        story.task = "Measure this machine: M";
        story.task_done = m.measured() && m.told;
        story.on_task = {Command{MeasurePasses{}}};
    }
    return story;
}

std::string bottleneck_description(const SceneInput& input, const BottleneckModel& m,
                                   const BottleneckState& state) {
    std::ostringstream out;
    const StageTitle title = bottleneck_title(m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(title.tier) << "\n\n";
    if (m.asks && state.said >= 0) out << "Said: " << kSayings[state.said].words << "\n";
    if (m.measured() && m.told) {
        out << "Weights " << ui::megabytes(m.times->weight_bytes);
        if (m.times->floor_ms() > 0)
            out << ", a plain read "
                << (m.times->read_bytes < m.times->weight_bytes
                        ? "(of " + ui::megabytes(m.times->read_bytes) + ") "
                        : std::string("of as much "))
                << ui::number(m.times->bandwidth_gbs, 1) << " GB/s: " << ui::number(m.times->floor_ms(), 3)
                << " ms";
        out << "\n";
        for (const PassTime& pass : m.times->passes)
            out << counted(pass.rows, "token") << (pass.rows == m.marked ? " (marked)" : "") << ": "
                << ui::number(pass.ms, 3) << " ms (" << ui::number(pass.low, 3) << " to "
                << ui::number(pass.high, 3) << "), " << ui::speed_up(m.factor(pass.rows)) << ", "
                << ui::number(pass.ms / pass.rows, 3) << " ms per token, " << ui::number(m.rate(pass.rows), 0)
                << " billion multiply-adds a second\n";
        out << "Less than two passes: up to " << counted(m.cheap, "token") << "\n";
    }
    for (const PublishedFigure* figure : printed_shares(input.figures))
        out << "Published: " << figure->claim << ": " << published_value(*figure)
            << (figure->standing == Standing::wrong     ? " (wrong in its source)"
                : figure->standing == Standing::derived ? " (derived)"
                                                        : "")
            << "\n";
    out << "\n" << describe_story(bottleneck_story(input, m, state));
    return out.str();
}

} // namespace speclens
