#include "scenes/shared/published_round.h"

#include <algorithm>

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

struct MeanRound {
    double draft = 0, head = 0, verify = 0, rest = 0, tokens = 0;
    int rounds = 0;
    [[nodiscard]] double all() const { return draft + head + verify + rest; }
};

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
    }
    return m;
}

std::string here_words(const MeanRound& m) {
    std::string words = ui::number(m.draft, 2) + " draft + ";
    if (m.head > 0) words += ui::number(m.head, 2) + " head + ";
    words += ui::number(m.verify, 2) + " verify + " + ui::number(m.rest, 2) + " rest";
    return words + ": " + ui::per_round(m.tokens) + " tokens per round";
}

// Names under which figures of a drafter were published.
std::vector<std::string_view> published_names(const std::string& drafter) {
    const DrafterInfo* info = find_drafter(drafter);
    return info ? info->published : std::vector<std::string_view>();
}

std::string parts_words(const PublishedPoint& p) {
    return ui::number(p.draft, 1) + (p.derived ? " (derived)" : "") + " draft + " + (p.head > 0 ? ui::number(p.head, 1) + " head + " : "") +
           ui::number(p.verify, 1) + " verify";
}

std::string gain_words(const PublishedPoint& p) { return ui::per_round(p.tokens) + " tokens per round, " + ui::speed_up(p.speed_up); }

bool has_source(const PublishedFigure& figure) {
    const bool said = figure.standing == Standing::as_published || figure.standing == Standing::second_hand || figure.rates_divided;
    return said && !figure.untraced;
}

} // namespace

const PublishedPoint* PublishedRace::of(const std::string& method) const {
    const auto found = std::ranges::find(points, method, &PublishedPoint::method);
    return found == points.end() ? nullptr : &*found;
}

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
            race.source = published_citation(*point.tokens_per_round, figures->source_of(*point.tokens_per_round));
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
    const float room = r.w - c.text_width(total, Font::mono, 14) - 8;
    std::string about = "PUBLISHED, " + race.conditions + ", own scale";
    if (c.text_width(about, Font::text, 14) > room) about = "PUBLISHED, " + race.model + ", own scale";
    ui::fitted_text(c, {r.x, r.y + 20}, about, Font::text, 14, t.muted, room);
    c.text({r.right(), r.y + 20}, total, Font::mono, 14, t.ink, Align::right);
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

std::string published_round_words(const PublishedPoint& p) { return parts_words(p) + ": " + gain_words(p); }

void draw_rounds_beside(ui::Ui& ui, Rect r, const RunView& whole, const Published* figures) {
    const MeanRound here = mean_round(whole);
    const PublishedRace paper = published_race(figures);
    const PublishedPoint* p = whole.header ? paper.of(whole.header->drafter) : nullptr;
    if (!p || here.all() <= 0) return;
    ui::Canvas& c = ui.canvas;
    const ui::Theme& t = ui.theme;
    ui::fitted_text(c, {r.x, r.y + 14}, "A round of this run, the mean of " + std::to_string(here.rounds), Font::text, 14, t.muted,
                    r.w - 80);
    c.text({r.right(), r.y + 14}, ui::number(here.all(), 2) + " ms", Font::mono, 14, t.ink, Align::right);
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
    ui::fitted_text(c, {r.x, below + 18}, parts_words(*p) + " ms", Font::text, 14, t.ink, r.w);
    ui::fitted_text(c, {r.x, below + 38}, gain_words(*p), Font::text, 14, t.ink, r.w);
    ui::fitted_text(c, {r.x, below + 58}, paper.source, Font::text, 14, t.muted, r.w);
    ui::tooltip(ui, {r.x, r.y + 52, r.w, below + 58 - r.y - 52}, published_round_words(*p) + "; source: " + paper.source);
}

float rounds_height(const RunView& whole, const Published* figures) {
    const bool known = whole.header && published_race(figures).of(whole.header->drafter);
    return known && mean_round(whole).all() > 0 ? 170.0F : 0;
}

Message PublishedRange::words() const {
    if (low <= 0) return shared_says("published.range:up_to"_t, "high"_v = high);
    if (low == high) return shared_says("published.range:one"_t, "low"_v = low, "below"_v = below);
    return shared_says("published.range:both"_t, "low"_v = low, "below"_v = below, "high"_v = high);
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

std::string describe_published(const RunView& whole, const Published* figures, bool own) {
    if (!whole.header || !figures) return "";
    const std::string method = whole.header->drafter;
    std::string text;
    if (const MeanRound here = mean_round(whole); own && here.all() > 0) text += "A round of this run, ms: " + here_words(here) + "\n";
    const PublishedRace paper = published_race(figures);
    if (const PublishedPoint* p = paper.of(method))
        text += "Published, " + paper.conditions + ", ms: " + published_round_words(*p) + ". Source: " + paper.source + "\n";
    if (const PublishedRange range = published_speed_ups(figures, method); !range.empty())
        text += "Published speed-ups of " + method_title(method) + ": " + counted(static_cast<int>(range.figures.size()), "figure") + ", " +
                range.words() + ", by model, text and machine; each with its source: speclens list published " + method + "\n";
    return text;
}

} // namespace speclens
