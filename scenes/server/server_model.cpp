#include "scenes/server/server_model.h"

#include <algorithm>
#include <cmath>

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

std::string ServerModel::server() const {
    if (view->facts.version.starts_with("SpecLens")) return view->facts.version;
    return std::string(server_name(view->facts.kind)) + (view->facts.version.empty() ? "" : " " + view->facts.version);
}

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
    m.findings = findings(m.counts);
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

const char* span_words(ServerSpan span) {
    switch (span) {
    case ServerSpan::start: return "since its start";
    case ServerSpan::recent: return "last 10 s";
    case ServerSpan::request: break;
    }
    return "last request";
}

const char* provenance_words(Provenance provenance) {
    switch (provenance) {
    case Provenance::exact: return "the server lists its rounds";
    case Provenance::inferred: return "inferred from how tokens came";
    case Provenance::aggregate: break;
    }
    return "totals only: which tokens were guessed is not known";
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

std::string why_not_ask(const SceneInput& input, const ServerModel& m) {
    if (!m.attached()) return "Attach to a server first";
    if (m.view->asking) return "It is answering";
    if (!input.settings || input.settings->prompt.text.empty() || !input.settings->prompt.token_ids.empty()) return "The prompt is no text";
    return "";
}

} // namespace speclens
