// Words of S17: the title and five beats.
#include "scenes/server/server_model.h"

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

std::vector<Said> totals(const ServerModel& m) {
    if (m.counts.empty()) return {};
    return {server_said("words.totals"_t, "rounds"_v = m.counts.rounds, "one"_v = m.counts.rounds == 1.0, "drafted"_v = m.counts.drafted,
                        "accepted"_v = m.counts.accepted)};
}

Message stage_title(const ServerModel& m) {
    const ServerView& view = *m.view;
    if (const auto length = acceptance_length(m.counts); length && m.counts.drafted > 0)
        return server_says("title.length"_t, "length"_v = *length, "kept"_v = m.counts.accepted / m.counts.drafted);
    if (!view.watch.empty() && view.watch.last().reported_length)
        return server_says("title.told_length"_t, "length"_v = *view.watch.last().reported_length);
    if (m.plain) return server_says("title.plain"_t);
    if (m.diffusion()) return server_says("title.diffusion"_t, "tokens"_v = m.diffusion()->tokens_per_step());
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
        title.subtitle = view.state == ServerView::State::probing ? looking_words(view) : server_says("subtitle.none"_t);
        return title;
    }
    title.tier_words = m.lost()                        ? server_says("tier.lost"_t)
                       : m.span == ServerSpan::request ? server_says("tier.request"_t)
                                                       : server_says("tier.server"_t);
    title.title = stage_title(m);
    title.subtitle = server_says("subtitle.attached"_t, "address"_v = view.address, "server"_v = m.server(), "model"_v = m.model(),
                                 "span"_v = span_words(m.span), "totals"_v = totals(m));
    if (!view.problem.empty()) title.subtitle = message(as_it_is(view.problem)); // in a small window the only place for it
    return title;
}

Story server_story(const SceneInput& input, const ServerModel& m) {
    Story story = story_at_beat(input, kServerBeats);
    take(story, beat_words(m, story.step - 1));
    return story;
}

} // namespace speclens
