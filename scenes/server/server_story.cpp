// Words of S17: title, five beats, and the frame as text.
#include <cmath>
#include <sstream>

#include "scenes/server/server_draw.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

Words beat_words(const ServerModel& m, int beat) {
    switch (beat) {
    case 0:
        return {"The same thing, somewhere else",
                m.attached() ? "Everything so far happened in this program. Here is a server, seen from "
                               "outside: it runs draft and verify behind closed doors and tells "
                               "only sums. From them follows what the other scenes show round by round."
                             : "A server runs draft and verify behind closed doors and tells only sums. "
                               "Attach to a vLLM, SGLang or llama-server of yours, or serve "
                               "the engine of this window and watch that."};
    case 1:
        return {"Counters belong to everybody",
                "A server counts rounds, drafted and accepted tokens since it started, of all requests "
                "together. What happened in the last seconds is a difference of "
                "two readings; what happened to your request is in none of them, unless the server tells it "
                "separately."};
    case 2:
        return {"One run, six “acceptances”",
                "All six numbers come from the same counts, and most are called acceptance by somebody. A "
                "rate of .08 and a length of 1.23 can be one and the same "
                "run. Before two figures are compared, look at the formulas."};
    case 3:
        return {"Places tell how long to draft",
                "A guess counts only if all before it were kept, so the bars fall. The dots say how hard a "
                "place is by itself. Where the last bars are almost "
                "empty, a smaller K drafts less for nearly the same text; where they are still high, a "
                "larger one may pay."};
    default:
        return {"Which tokens were guessed?",
                "Some servers list the rounds of a request; then the marks of the last answer are exact. "
                "llama.cpp counts along with the tokens, so rounds can be inferred. "
                "Others give totals: then it stays open, and the picture says so."};
    }
}

std::string totals(const ServerModel& m) {
    return (m.counts.rounds ? ui::integer(std::llround(*m.counts.rounds)) : "–") +
           (m.counts.rounds == 1.0 ? " round, " : " rounds, ") + ui::integer(std::llround(m.counts.drafted)) +
           " drafted, " + ui::integer(std::llround(m.counts.accepted)) + " accepted";
}

} // namespace

StageTitle server_title(const ServerModel& m) {
    StageTitle title;
    title.tier = ui::Tier::remote;
    const ServerView& view = *m.view;
    if (!m.attached() && !m.lost()) {
        title.title = view.state == ServerView::State::failed ? "No server answers"
                                                              : "A server of yours, seen from outside";
        title.subtitle =
            view.state == ServerView::State::probing ? "looking for " + view.address : "not attached";
        return title;
    }
    title.tier_words = m.lost()                        ? "no longer answers"
                       : m.span == ServerSpan::request ? "this request"
                                                       : "server-wide";
    if (const auto length = acceptance_length(m.counts); length && m.counts.drafted > 0)
        title.title = "Acceptance length " + ui::number(*length, 2) + "; " +
                      ui::percent(m.counts.accepted / m.counts.drafted) + " of what is drafted is kept";
    else if (!view.watch.empty() && view.watch.last().told_length)
        title.title =
            "Acceptance length " + ui::number(*view.watch.last().told_length, 2) + ", says the server";
    else if (m.plain)
        title.title = "This server drafts nothing: every token is the target's";
    else
        title.title = view.facts.reading.speculates() || !view.watch.empty()
                          ? "Nothing was drafted yet"
                          : "This server tells nothing about speculation";
    title.subtitle = view.address + " · " + m.server() + (m.model().empty() ? "" : ", " + m.model()) + " · " +
                     span_words(m.span) + (m.counts.empty() ? "" : ": " + totals(m));
    if (!view.problem.empty()) title.subtitle = view.problem; // in a small window the only place for it
    return title;
}

Story server_story(const SceneInput& input, const ServerModel& m) {
    Story story = story_at_beat(input, kServerBeats);
    const Words words = beat_words(m, story.step - 1);
    story.heading = words.heading;
    story.text = words.text;
    return story;
}

std::string server_description(const SceneInput& input, const ServerModel& m) {
    std::ostringstream out;
    const StageTitle title = server_title(m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(title.tier) << "\n\n";
    if (!m.view->problem.empty())
        out << m.view->problem << (m.view->remedy.empty() ? "" : " ") << m.view->remedy << "\n\n";
    if (!m.counts.empty()) {
        for (const AcceptanceName& name : m.names)
            out << name.name << " (" << name.formula
                << "): " << (name.value ? ui::number(*name.value, 3) : "–") << "\n";
        for (std::size_t i = 0; i < m.places.unconditional.size(); ++i)
            out << "place " << i + 1 << ": kept in " << ui::probability(m.places.unconditional[i])
                << " of all rounds"
                << (std::isnan(m.places.conditional[i])
                        ? ""
                        : ", " + ui::probability(m.places.conditional[i]) + " once all before it were")
                << "\n";
        for (const std::string& finding : m.findings) out << capital(finding) << ".\n";
    }
    for (const std::string& missing : m.view->facts.missing) out << capital(missing) << ".\n";
    if (const ServedText* served = m.view->served.get()) {
        out << "\nThe last answer ("
            << (m.plain ? "nothing was guessed" : provenance_words(served->provenance)) << "): ";
        for (const ServedPiece& piece : served->pieces)
            out << (piece.author == Author::draft ? "[" + piece.text + "]" : piece.text);
        if (!m.plain) out << "\nIn brackets: guessed.";
        out << "\n";
    }
    out << "\n" << describe_story(server_story(input, m));
    return out.str();
}

} // namespace speclens
