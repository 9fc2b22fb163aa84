// Words of S16: title, five beats, and the frame as text.
#include <sstream>

#include "engine/published/published_words.h"
#include "scenes/numbers/numbers_draw.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

Words beat_words(const NumbersModel& m, int beat) {
    if (!m.figures)
        return {
            "The figures are not at hand",
            "The published figures come with the program, in assets/published. This installation has none."};
    switch (beat) {
    case 0:
        return {
            "No number without conditions",
            "“Three times faster” means little before one knows which model, on what hardware, for which "
            "text, how many requests at a time, "
            "and compared with what. Here is what the sources of this program print, with their conditions."};
    case 1:
        return {"The same word, another thing",
                "Acceptance length counts the target's own token in one paper and not in another; a block of "
                "16 holds 15 drafts. A budget may count nodes, drafts or rows. "
                "Before two figures are compared, look at what they count."};
    case 2:
        return {"Figures that disagree",
                ui::integer(m.disputed) + " figures stand against another one for the same thing. Often both "
                                          "are right: another run, another drafter, an average against a "
                                          "maximum. Where a reason is known it stands beside them."};
    case 3:
        return {"Figures that cannot be right",
                ui::integer(m.wrong) +
                    " figures do not follow from what their own source says: a table that misses its "
                    "formula, shares that contradict its own numbers. They are kept, and marked: "
                    "who finds them elsewhere should find them here."};
    default:
        return {"And here?",
                "No figure of this list was measured on this machine, and none may be. What this machine "
                "does stands in the other scenes, with LIVE beside it. To repeat a printed "
                "figure, take its row and ask which of its conditions you can meet."};
    }
}

// What stands first, where a beat is about some of the figures.
std::string told_words(const SceneInput& input, const NumbersModel& m) {
    if (m.told == 0) return "";
    return ", first the " + std::to_string(m.told) +
           (input.beat == kCountingBeat ? " that count differently" : " that name most of their conditions");
}

} // namespace

StageTitle numbers_title(const SceneInput& input, const NumbersModel& m, const NumbersState& state) {
    StageTitle title;
    title.tier = ui::Tier::published;
    if (!m.figures) {
        title.title = "Published figures and their sources";
        title.subtitle = "not at hand";
        return title;
    }
    const int all = static_cast<int>(m.figures->figures().size()), shown = static_cast<int>(m.rows.size());
    title.title = counted(all, "figure") + " from " +
                  counted(static_cast<int>(m.figures->sources().size()), "source") + ": " +
                  std::to_string(m.disputed) + " disputed, " + std::to_string(m.wrong) + " wrong";
    if (state.filter == FigureFilter::pairs) {
        title.title = "The same method, the same words, another number";
        title.subtitle = "shown: " + std::to_string(shown) + " of " + counted(all, "figure") +
                         ", pairs that say the same of one method and disagree · ! disputed, ✕ wrong in its source";
        return title;
    }
    title.subtitle = "shown: " + std::to_string(shown) + (state.query.empty() ? "" : " with “" + state.query + "”") +
                     (state.filter == FigureFilter::disputed ? " that stand against another"
                      : state.filter == FigureFilter::wrong  ? " that are wrong in their source"
                                                             : "") +
                     (state.method.empty() ? "" : ", " + state.method) + told_words(input, m) +
                     " · ! disputed, ✕ wrong in its source";
    return title;
}

Story numbers_story(const SceneInput& input, const NumbersModel& m) {
    Story story = story_at_beat(input, kNumbersBeats);
    const Words words = beat_words(m, story.step - 1);
    story.heading = words.heading;
    story.text = words.text;
    return story;
}

std::string numbers_description(const SceneInput& input, const NumbersModel& m, const NumbersState& state) {
    std::ostringstream out;
    const StageTitle title = numbers_title(input, m, state);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(title.tier) << "\n\n";
    for (const PublishedFigure* figure : m.rows) {
        out << (figure == m.chosen() ? "> " : "  ") << published_value(*figure) << ", " << figure->method
            << ": " << figure->claim;
        if (const std::string conditions = published_conditions(*figure); !conditions.empty())
            out << " (" << conditions << ")";
        out << (figure->standing == Standing::wrong ? "; wrong in its source"
                : figure->conflicts.empty()         ? ""
                                                    : "; disputed");
        if (figure->standing == Standing::wrong) {
            out << ": " << figure->reason;
            if (const PublishedFigure* right = right_figure(*m.figures, *figure))
                out << "; printed " << whole_value(*figure) << ", right " << whole_value(*right);
        }
        out << "\n";
    }
    if (const PublishedFigure* figure = m.chosen()) {
        out << "\n"
            << published_citation(*figure, m.figures->source_of(*figure)) << "; "
            << published_standing(*figure) << "\n";
        for (const PublishedConflict& conflict : figure->conflicts)
            out << "Against " << conflict.with << ": " << conflict.why << "\n";
    }
    out << "\n" << describe_story(numbers_story(input, m));
    return out.str();
}

} // namespace speclens
