// Words of S15: a title for each of its five beats, the beats, and the frame as text.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "scenes/shared/words.h"
#include "scenes/systems/systems_draw.h"
#include "ui/format.h"

namespace speclens {
namespace {

Words beat_words(const SystemsModel& m, int beat) {
    switch (beat) {
    case 0:
        return {"Slots that may be taken back", "Every guess that is checked writes a row of keys and values "
                                                "into the target's cache. What is not kept must go again "
                                                "before the next round: a counter set back, or pages given "
                                                "back. A page with one kept row stays."};
    case 1:
        return {"What a rejection wastes",
                m.rounds.empty() ? std::string("Step into a run to see its rows.")
                : m.tier == "REMOTE"
                    ? "The server is sent the text anew next round; here only ids are cut back: " +
                          ui::integer(m.written) + " sent for checking, " + ui::integer(m.kept) + " kept."
                : m.tier == "TABLE"
                    ? "A table has no cache. A model would have written " + ui::integer(m.written) +
                          " rows for this run and kept " + ui::integer(m.kept) + "."
                    : "In this run " + ui::integer(m.written) + " rows were written and " +
                          ui::integer(m.kept) +
                          (m.written == m.kept ? " kept: nothing was wasted."
                                               : " kept. The rest was work for nothing: it costs memory "
                                                 "for a moment, and arithmetic that was idle or was not.")};
    case 2:
        return {"Two machines, one wire",
                "Draft and target may live apart. Ids are a few bytes, but the token rule asks for the "
                "draft's probability of each guess, and its whole distribution where it rejects. Here all keep alike; "
                "in truth sample match keeps no more than the token rule, blocks no less: their order is no "
                "result."};
    case 3:
        return {"The round trip decides",
                "On a fast wire the bytes hardly matter, the round trip does: it is paid once a round, like "
                "a second verify pass that yields nothing. Drag it, and watch where "
                "speculation stops paying."};
    default:
        return {"A misled controller",
                "Accepted over proposed falls with K by itself: at .8 a guess and K = 5 it reads .54, so a "
                "controller that wants .8 walks down to K = 1. Estimating the chance of a guess "
                "and asking the formula gives " +
                    ui::speed_up(m.controllers.formula_speedup) + " here against " +
                    ui::speed_up(m.controllers.article_speedup) + "."};
    }
}

// Of the round that is marked.
std::string round_words(const SystemsModel& m) {
    if (m.rounds.empty()) return "Cache rows are written, and taken back";
    const CacheRound& round = m.rounds[m.shown];
    const std::string number = "ound " + std::to_string(round.cycle + 1), kept = std::to_string(round.kept);
    if (m.tier == "TABLE")
        return "In r" + number + " a model would write " + counted(round.written, "row") + " and keep " +
               kept;
    if (m.tier == "REMOTE")
        return "R" + number + " sent " + counted(round.written, "id") + " for checking and kept " + kept;
    return "R" + number + " wrote " + counted(round.written, "row") + " and kept " + kept;
}

// Of all rounds.
std::string waste_words(const SystemsModel& m) {
    if (m.rounds.empty()) return "What a rejection wastes";
    const bool table = m.tier == "TABLE", remote = m.tier == "REMOTE";
    const std::string what = remote  ? "ids sent"
                             : table ? "rows"
                                     : "rows written",
                      lead = table ? "A model: " : "";
    if (m.written == m.kept) return capital(lead + "no " + what + " for nothing");
    return lead + ui::integer(m.written - m.kept) + " of " + ui::integer(m.written) + " " + what +
           " for nothing";
}

std::string round_trip_words(const SystemsModel& m) {
    const double most = longest_round_trip(m.wire, Payload::ids);
    return most > 0 ? "Sending ids pays up to a round trip of " + ui::number(most, 1) + " ms"
                    : "Sending ids pays at no round trip";
}

void name_wire(StageTitle& title, const SystemsModel& m) {
    const double ids = wire_speedup(m.wire, Payload::ids), scalars = wire_speedup(m.wire, Payload::scalars),
                 rows = wire_speedup(m.wire, Payload::rows);
    const std::string speeds = "all kept alike: ids " + ui::speed_up(ids) + ", token rule " +
                               ui::speed_up(scalars) + ", blocks " + ui::speed_up(rows);
    title.title = "Over this wire, if " + speeds;
    title.short_title = "If " + speeds;
}

void name_controllers(StageTitle& title, const SystemsModel& m) {
    const ControllerRun& run = m.controllers;
    const std::string formula = ui::speed_up(run.formula_speedup),
                      article = ui::speed_up(run.article_speedup);
    title.title = "K ends at " + std::to_string(run.formula.back()) + " by the formula, at " +
                  std::to_string(run.article.back()) + " by the article: " + formula + " against " + article;
    title.short_title = "K by the formula " + formula + ", by the article " + article;
}

} // namespace

StageTitle systems_title(const SceneInput& input, const SystemsModel& m) {
    StageTitle title;
    title.tier = ui::Tier::sim;
    switch (std::clamp(input.beat, 0, kSystemsBeats - 1)) {
    case 0:
        title.title = round_words(m);
        break;
    case 1:
        title.title = waste_words(m);
        break;
    case 2:
        name_wire(title, m);
        break;
    case 3:
        title.title = round_trip_words(m);
        break;
    default:
        name_controllers(title, m);
    }
    title.subtitle = "simulated: K = " + std::to_string(m.wire.k) + ", a guess " +
                     ui::number(m.wire.draft_ms, 1) + " ms, a pass " + ui::number(m.wire.verify_ms, 0) +
                     " ms, " + ui::integer(m.wire.vocabulary) + " ids" +
                     (m.tier == "REMOTE" || m.tier == "TABLE" ? "" : "; the cache is this run's");
    return title;
}

Story systems_story(const SceneInput& input, const SystemsModel& m) {
    Story story = story_at_beat(input, kSystemsBeats);
    const Words words = beat_words(m, story.step - 1);
    story.heading = words.heading;
    story.text = words.text;
    return story;
}

std::string systems_description(const SceneInput& input, const SystemsModel& m) {
    std::ostringstream out;
    const StageTitle title = systems_title(input, m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(title.tier) << "\n\n";
    out << "If every guess stays with " << ui::probability(m.wire.alpha) << " whatever is sent:\n";
    for (const Payload payload : kPayloads)
        out << payload_words(payload) << ": " << std::lround(wire_bytes(m.wire, payload)) << " bytes, wire "
            << ui::number(wire_ms(m.wire, payload), 3) << " ms, "
            << ui::speed_up(wire_speedup(m.wire, payload)) << "\n";
    out << "Controllers: article " << ui::speed_up(m.controllers.article_speedup)
        << ", ends at K = " << m.controllers.article.back() << "; formula "
        << ui::speed_up(m.controllers.formula_speedup) << ", ends at K = " << m.controllers.formula.back()
        << "\n";
    for (const CacheRound& round : m.rounds)
        out << "Round " << round.cycle + 1 << (&round == &m.rounds[m.shown] ? " (marked): " : ": ")
            << round.before << " rows before, " << round.written << " written, " << round.kept << " kept, "
            << round.rewound() << " rewound; pages of " << m.page << ": " << pages_of(round, m.page).during
            << " held, " << pages_of(round, m.page).given_back() << " given back\n";
    out << "\n" << describe_story(systems_story(input, m));
    return out.str();
}

} // namespace speclens
