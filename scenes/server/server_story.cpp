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
    case 0: return m.attached() ? server_says.beat("elsewhere:attached"_t) : server_says.beat("elsewhere:none"_t);
    case 1: return server_says.beat("counters"_t);
    case 2: return server_says.beat("names"_t);
    case 3: return server_says.beat("places"_t);
    default: return server_says.beat("tokens"_t);
    }
}

std::string totals(const ServerModel& m) {
    const auto whole = [](double count) { return ui::integer(std::llround(count)); };
    return server_says("words.totals"_t, "rounds"_v = m.counts.rounds ? whole(*m.counts.rounds) : "–", "one"_v = m.counts.rounds == 1.0,
                       "drafted"_v = whole(m.counts.drafted), "accepted"_v = whole(m.counts.accepted));
}

std::string stage_title(const ServerModel& m) {
    const ServerView& view = *m.view;
    if (const auto length = acceptance_length(m.counts); length && m.counts.drafted > 0)
        return server_says("title.length"_t, "length"_v = ui::number(*length, 2),
                           "kept"_v = ui::percent(m.counts.accepted / m.counts.drafted));
    if (!view.watch.empty() && view.watch.last().reported_length)
        return server_says("title.told_length"_t, "length"_v = ui::number(*view.watch.last().reported_length, 2));
    if (m.plain) return server_says("title.plain"_t);
    if (view.facts.reading.speculates() || !view.watch.empty()) return server_says("title.nothing_yet"_t);
    return server_says("title.tells_nothing"_t);
}

} // namespace

StageTitle server_title(const ServerModel& m) {
    StageTitle title;
    title.tier = ui::Tier::remote;
    const ServerView& view = *m.view;
    if (!m.attached() && !m.lost()) {
        title.title = server_says("title.none"_t, "failed"_v = view.state == ServerView::State::failed);
        title.subtitle = server_says("subtitle.none"_t, "probing"_v = view.state == ServerView::State::probing ? view.address : "");
        return title;
    }
    title.tier_words = m.lost()                        ? server_says("tier.lost"_t)
                       : m.span == ServerSpan::request ? server_says("tier.request"_t)
                                                       : server_says("tier.server"_t);
    title.title = stage_title(m);
    title.subtitle = server_says("subtitle.attached"_t, "address"_v = view.address, "server"_v = m.server(), "model"_v = m.model(),
                                 "span"_v = span_words(m.span), "totals"_v = m.counts.empty() ? "" : totals(m));
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
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(shown_tier(input, title.tier)) << "\n\n";
    if (!m.view->problem.empty()) out << m.view->problem << (m.view->remedy.empty() ? "" : " ") << m.view->remedy << "\n\n";
    if (!m.counts.empty()) {
        for (const AcceptanceName& name : m.names)
            out << name.name << " (" << name.formula << "): " << (name.value ? ui::number(*name.value, 3) : "–") << "\n";
        for (std::size_t i = 0; i < m.places.unconditional.size(); ++i)
            out << "place " << i + 1 << ": kept in " << ui::probability(m.places.unconditional[i]) << " of all rounds"
                << (std::isnan(m.places.conditional[i]) ? "" : ", " + ui::probability(m.places.conditional[i]) + " once all before it were")
                << "\n";
        for (const std::string& finding : m.findings) out << capital(finding) << ".\n";
    }
    for (const std::string& missing : m.view->facts.missing) out << capital(missing) << ".\n";
    if (const ServedText* served = m.view->served.get()) {
        out << "\nThe last answer (" << (m.plain ? "nothing was guessed" : provenance_words(served->provenance)) << "): ";
        for (const ServedPiece& piece : served->pieces) out << (piece.author == Author::draft ? "[" + piece.text + "]" : piece.text);
        if (!m.plain) out << "\nIn brackets: guessed.";
        out << "\n";
    }
    out << "\n" << describe_story(input, server_story(input, m));
    return out.str();
}

} // namespace speclens
