#include "scenes/shared/published_round.h"

#include <algorithm>

#include "engine/base/lists.h"
#include "engine/drafters/drafter_info.h"
#include "engine/published/published_words.h"
#include "scenes/shared/methods.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Role;

Message here_words(const MeanRound& m) {
    return shared_says("round.here"_t, "draft"_v = m.draft, "head"_v = if_measured(m.head), "verify"_v = m.verify, "rest"_v = m.rest,
                       "tokens"_v = m.tokens);
}

// Names under which figures of a drafter were published.
std::vector<std::string_view> published_names(const std::string& drafter) {
    const DrafterInfo* info = find_drafter(drafter);
    return info ? info->published : std::vector<std::string_view>();
}

Message gain_words(const PublishedPoint& p) { return shared_says("round.gain"_t, "tokens"_v = p.tokens, "times"_v = p.speed_up); }

Message told_words(const PublishedRace& race, const PublishedPoint& p) {
    return shared_says("round.told:published"_t, "conditions"_v = race.conditions, "ms"_v = p.round(), "round"_v = published_round_words(p),
                       "source"_v = race.source);
}

bool has_source(const PublishedFigure& figure) {
    const bool said = figure.standing == Standing::as_published || figure.standing == Standing::second_hand || figure.rates_divided;
    return said && !figure.untraced;
}

} // namespace

MeanRound mean_round(const RunView& whole) {
    MeanRound m;
    m.rounds = whole.rounds;
    if (m.rounds == 0) return m;
    m.tokens = whole.tokens_per_round();
    for (const RoundSummary& round : whole.round_list) {
        if (!round.complete()) continue;
        m.draft += (round.draft_ms - round.head_ms) / m.rounds;
        m.head += round.head_ms / m.rounds;
        m.verify += round.verify_ms / m.rounds;
        m.rest += round.other_ms / m.rounds;
        m.accept += round.accept_ms / m.rounds;
    }
    return m;
}

const PublishedPoint* PublishedRace::of(const std::string& method) const { return find_with(points, method, &PublishedPoint::method); }

PublishedRace published_race(const Published* figures) {
    PublishedRace race;
    if (!figures) return race;
    for (const OperatingPoint& point : figures->operating_points()) {
        if (!point.tokens_per_round || !point.speedup || !point.draft_ms || !point.verify_ms || !point.target_ms) continue;
        PublishedPoint p;
        p.method = point.any->method;
        p.tokens = middle(*point.tokens_per_round);
        p.draft = middle(*point.draft_ms);
        p.derived = point.draft_ms->standing == Standing::derived;
        p.head = point.head_ms ? middle(*point.head_ms) : 0;
        p.verify = middle(*point.verify_ms);
        p.target = middle(*point.target_ms);
        p.speed_up = middle(*point.speedup);
        if (race.points.empty()) {
            race.model = point.any->model.value_or("?");
            race.hardware = point.any->hardware.value_or("?");
            race.conditions = race.model + ", " + race.hardware;
            race.source = message(citation_said(*point.tokens_per_round, figures->source_of(*point.tokens_per_round)));
        }
        race.points.push_back(std::move(p));
    }
    return race;
}

float draw_published_bar(ui::Ui& ui, Rect r, const PublishedRace& race, const PublishedPoint& p, float name) {
    ui::Canvas& c = ui.canvas;
    const ui::Theme& t = ui.theme;
    c.line({r.x, r.y + 0.5F}, {r.right(), r.y + 0.5F}, t.hairline());
    const std::string total = ui::number(p.round(), 1) + " ms";
    // That the bar has a scale of its own must be read; the hardware also stands at the published panel.
    const float room = r.w - c.printed_width(total, Font::mono, 14) - 8;
    const auto about = [](const std::string& of) { return shared_says("round.published"_t, "conditions"_v = of); };
    const Message ways[] = {about(race.conditions), about(race.model)};
    ui::fitted_text(c, {r.x, r.y + 20}, ui::fitting(c, ways, Font::text, 14, room), Font::text, 14, t.muted, room);
    c.print({r.right(), r.y + 20}, total, Font::mono, 14, t.ink, Align::right);
    const float y = r.y + 28;
    if (name > 0) ui::fitted_text(c, {r.x, y + 16}, method_title(p.method), Font::text, 14, t.muted, name - 8);
    const ui::Scale own{.lo = 0, .hi = p.round(), .a = r.x + name, .b = r.right()};
    double at = 0;
    for (const auto& [ms, role] : {std::pair{p.draft, Role::draft}, {p.head, Role::draft}, {p.verify, Role::target}}) {
        if (ms <= 0) continue;
        const Rect box{own(at), y, std::max(2.0F, own.length(ms) - 2), 20};
        c.hatch(box.inset(1, 1), t.role(role).alpha(0.5F));
        c.outline(box, {t.role(role), 1.5F}, 2);
        at += ms;
    }
    return y + 20;
}

Message published_parts_words(const PublishedPoint& p) {
    return shared_says("round.parts"_t, "draft"_v = p.draft, "derived"_v = p.derived, "head"_v = if_measured(p.head),
                       "verify"_v = p.verify);
}

Message published_round_words(const PublishedPoint& p) {
    return shared_says("round.whole"_t, "parts"_v = published_parts_words(p), "gain"_v = gain_words(p));
}

void draw_rounds_beside(ui::Ui& ui, Rect r, const RunView& whole, const Published* figures) {
    const MeanRound here = mean_round(whole);
    const PublishedRace paper = published_race(figures);
    const PublishedPoint* p = whole.header ? paper.of(whole.header->drafter) : nullptr;
    if (!p || here.all() <= 0) return;
    ui::Canvas& c = ui.canvas;
    const ui::Theme& t = ui.theme;
    ui::fitted_text(c, {r.x, r.y + 14}, shared_says("round.mean"_t, "rounds"_v = here.rounds), Font::text, 14, t.muted, r.w - 80);
    c.print({r.right(), r.y + 14}, ui::number(here.all(), 2) + " ms", Font::mono, 14, t.ink, Align::right);
    const ui::Scale own{.lo = 0, .hi = here.all(), .a = r.x, .b = r.right()};
    double at = 0;
    for (const auto& [ms, color] : {std::pair{here.draft, t.role(Role::draft)},
                                    {here.head, ui::mix(t.role(Role::draft), t.panel, 0.55F)},
                                    {here.verify, t.role(Role::target)},
                                    {here.rest, ui::mix(t.muted, t.panel, 0.55F)}}) {
        if (own.length(ms) > 0.6F) c.fill({own(at), r.y + 22, own.length(ms) - 1, 20}, color, 2);
        at += ms;
    }
    ui::tooltip(ui, {r.x, r.y + 22, r.w, 20}, here_words(here));
    const float below = draw_published_bar(ui, {r.x, r.y + 52, r.w, 50}, paper, *p, 0);
    const auto line = [&](float y, const Message& words, ui::Color color) {
        ui::fitted_text(c, {r.x, below + y}, words, Font::text, 14, color, r.w);
    };
    line(18, shared_says("round.ms"_t, "parts"_v = published_parts_words(*p)), t.ink);
    line(38, gain_words(*p), t.ink);
    line(58, paper.source, t.muted);
    ui::tooltip(ui, {r.x, r.y + 52, r.w, below + 58 - r.y - 52}, told_words(paper, *p));
}

float rounds_height(const RunView& whole, const Published* figures) {
    const bool known = whole.header && published_race(figures).of(whole.header->drafter);
    return known && mean_round(whole).all() > 0 ? 170.0F : 0;
}

Message PublishedRange::words() const {
    const auto up = "high"_v = high;
    if (low <= 0) return shared_says("round.range:up_to"_t, up);
    const auto least = "low"_v = low;
    const auto less = "below"_v = below;
    return low == high ? shared_says("round.range:one"_t, least, less) : shared_says("round.range:between"_t, least, less, up);
}

PublishedRange published_speed_ups(const Published* figures, const std::string& drafter) {
    PublishedRange range;
    if (!figures) return range;
    for (const std::string_view name : published_names(drafter)) {
        std::vector<const PublishedFigure*> all = figures->select({.method = name, .quantity = "speedup", .unit = "x"});
        std::erase_if(all, [](const PublishedFigure* f) { return f->form == Form::list || !has_source(*f); });
        const bool plain = std::ranges::any_of(all, [](const PublishedFigure* f) { return f->variant.empty(); });
        if (plain) std::erase_if(all, [](const PublishedFigure* f) { return !f->variant.empty(); });
        range.figures.insert(range.figures.end(), all.begin(), all.end());
    }
    for (const PublishedFigure* figure : range.figures) {
        const auto [low, high] = std::ranges::minmax(figure->values);
        range.high = std::max(range.high, high);
        if (figure->form == Form::up_to || (range.low > 0 && range.low < low)) continue;
        range.below = figure->form == Form::below || (range.below && range.low == low);
        range.low = low;
    }
    return range;
}

void tell_published(ui::Ui& ui, Rect r, const RunView& whole, const Published* figures, bool own) {
    if (!whole.header || !figures) return;
    const std::string method = whole.header->drafter;
    if (const MeanRound here = mean_round(whole); own && here.all() > 0)
        ui.canvas.tell(shared_says("round.told:here"_t, "round"_v = here_words(here), "rounds"_v = here.rounds, "ms"_v = here.all()), r);
    const PublishedRace paper = published_race(figures);
    if (const PublishedPoint* p = paper.of(method)) ui.canvas.tell(told_words(paper, *p), r);
    if (const PublishedRange range = published_speed_ups(figures, method); !range.empty())
        ui.canvas.tell(shared_says("round.speed_ups"_t, "drafter"_v = method_title(method), "figures"_v = range.figures.size(),
                                   "range"_v = range.words(), "name"_v = method),
                       r);
}

} // namespace speclens
