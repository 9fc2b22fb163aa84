#include "scenes/server/server_model.h"

#include <algorithm>
#include <iterator>

namespace speclens {
namespace {

const ServerView& nobody() {
    static const ServerView none;
    return none;
}

// Counts of a span; empty where there are none.
SpecCounts counts_of(const ServerView& view, ServerSpan span) {
    if (span == ServerSpan::request) return view.served && view.served->counts ? *view.served->counts : SpecCounts();
    if (view.watch.empty()) return {};
    if (span == ServerSpan::start) return view.watch.last().counts.value_or(SpecCounts());
    const auto recent = view.watch.recent(kRecentSeconds);
    return recent ? recent->counts : SpecCounts();
}

} // namespace

std::string ServerModel::server() const { return view->facts.program(); }

std::string ServerModel::model() const {
    if (!view->facts.models.empty()) return view->facts.models.front();
    return view->facts.reading.models.empty() ? "" : view->facts.reading.models.front();
}

ServerModel server_model(const SceneInput& input, const ServerState& state) {
    ServerModel m;
    m.view = input.server ? input.server : &nobody();
    const ServerView& view = *m.view;
    if (state.span) {
        m.span = *state.span;
    } else {
        for (const ServerSpan span : {ServerSpan::request, ServerSpan::recent, ServerSpan::start}) {
            m.span = span;
            if (!counts_of(view, span).empty()) break;
        }
    }
    m.counts = counts_of(view, m.span);
    const bool request = m.span == ServerSpan::request && view.served;
    m.names = acceptance_names(m.counts, request ? view.served->passes_without_draft() : 0);
    m.places = position_acceptance(m.counts);
    m.plain = !view.watch.empty() && drafts_nothing(view.watch.last());
    for (std::size_t i = 1; i < view.watch.size(); ++i) {
        const WatchInterval step = view.watch.step(i);
        ServerPoint point;
        point.seconds = view.watch.seconds(i);
        point.tokens_per_second = step.tokens_per_second.value_or(0);
        point.acceptance_length = step.counts.drafted > 0 ? acceptance_length(step.counts).value_or(0) : 0;
        m.most_acceptance_length = std::max(m.most_acceptance_length, point.acceptance_length);
        m.points.push_back(point);
    }
    return m;
}

Message span_words(ServerSpan span) {
    switch (span) {
    case ServerSpan::start: return server_says("span.start"_t);
    case ServerSpan::recent: return server_says("span.recent"_t, "seconds"_v = static_cast<int>(kRecentSeconds));
    case ServerSpan::request: break;
    }
    return server_says("span.request"_t);
}

Message looking_words(const ServerView& view) {
    return view.own ? server_says("words.looking:own"_t) : server_says("words.looking:address"_t, "address"_v = view.address);
}

Message provenance_words(const ServerModel& m) {
    if (m.plain) return server_says("how.plain"_t);
    switch (m.view->served->provenance) {
    case Provenance::exact: return server_says("how.exact"_t);
    case Provenance::inferred: return server_says("how.inferred"_t);
    case Provenance::aggregate: break;
    }
    return server_says("how.aggregate"_t);
}

std::vector<Said> server_points(const ServerModel& m) {
    std::vector<Said> out;
    const auto add = [&](std::vector<Said> more) { std::ranges::move(more, std::back_inserter(out)); };
    add(text_words(m.counts));
    add(findings(m.counts));
    if (const auto drift = m.view->watch.drift())
        if (Said words = drift->words(); !words.empty()) out.push_back(std::move(words));
    if (!m.view->watch.empty())
        if (const DraftSettings& drafting = m.view->watch.last().drafting; drafting.told())
            out.push_back(server_said("details.drafting"_t, "tree"_v = drafting.tree(), "nodes"_v = drafting.nodes(),
                                      "depth"_v = drafting.depth(), "topk"_v = drafting.topk));
    add(m.view->facts.missing);
    if (m.view->served) add(m.view->served->notes);
    return out;
}

std::optional<ui::Role> role_of(const ServedText& served, const ServedPiece& piece) {
    switch (piece.author) {
    case Author::draft: return ui::Role::accepted;
    case Author::target:
        if (piece.round >= 0) {
            const ServedRound& round = served.rounds[static_cast<std::size_t>(piece.round)];
            // Nothing was kept or lost where nothing was drafted; how many were is not always told.
            if (round.drafted > 0) return round.accepted < round.drafted ? ui::Role::residual : ui::Role::bonus;
        }
        return ui::Role::target;
    case Author::mixed: // some of its tokens
        return ui::Role::draft;
    case Author::first: return ui::Role::target;
    case Author::unknown: break;
    }
    return {};
}

Message why_not_ask(const SceneInput& input, const ServerModel& m) {
    if (!m.attached()) return server_says("controls.off:nobody"_t);
    if (m.view->asking) return server_says("controls.off:answering"_t);
    if (!input.settings || input.settings->prompt.text.empty() || !input.settings->prompt.token_ids.empty())
        return server_says("controls.off:no_text"_t);
    return {};
}

} // namespace speclens
