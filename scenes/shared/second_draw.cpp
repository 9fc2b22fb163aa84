#include "scenes/shared/second_draw.h"

#include <algorithm>
#include <cmath>

#include "scenes/shared/cycle_pick.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

bool same(const TopEntries& a, const TopEntries& b) {
    return !a.empty() && std::ranges::equal(a.entries, b.entries, [](const TopEntries::Entry& x, const TopEntries::Entry& y) {
        return x.id == y.id && x.logp == y.logp;
    });
}

int position_of(const HeadModel& m) { return std::max(1, m.selected); }

SecondDraw::Side side(int before, const Drafted& draft) {
    const TopEntries& final = at_one(draft);
    return {before, draft.token, draft.base_top.empty() ? final : draft.base_top, final};
}

const Drafted* drafted_at(const Trace& trace, int index) {
    for (std::size_t i = 0; i < trace.size(); ++i)
        if (const auto* draft = std::get_if<Drafted>(&trace[i]); draft && draft->index == index) return draft;
    return nullptr;
}

void distribution(const SceneInput& input, ui::Ui& ui, Rect r, const TopEntries& top, int drawn, bool hollow) {
    for (const TopEntries::Entry& entry : distribution_rows(top, drawn, static_cast<int>((r.h + 2) / 23))) {
        draw_token_share(input, ui, {r.x, r.y}, r.w, entry.id, std::exp(entry.logp),
                         {entry.id == drawn ? ui.theme.ink : ui.theme.muted, r.w, hollow});
        r.y += 23;
    }
}

constexpr int kMostRows = 3;

Message side_words(const SceneInput& input, const SecondDraw& d, const SecondDraw::Side& side) {
    const auto shares = [&](const TopEntries& top) {
        std::vector<int> ids;
        for (const TopEntries::Entry& entry : distribution_rows(top, side.drawn, kMostRows)) ids.push_back(entry.id);
        return shares_said(input, top, ids);
    };
    return shared_says("second_draw.side"_t, "before"_v = word(input, side.before), "corrected"_v = d.corrected,
                       "base"_v = shares(side.base), "final"_v = shares(side.final), "drawn"_v = word(input, side.drawn));
}

} // namespace

std::vector<TopEntries::Entry> distribution_rows(const TopEntries& top, int drawn, int rows) {
    const auto count = std::min(top.entries.size(), static_cast<std::size_t>(std::max(rows, 0)));
    std::vector<TopEntries::Entry> shown(top.entries.begin(), top.entries.begin() + static_cast<std::ptrdiff_t>(count));
    const auto at = std::ranges::find(top.entries, drawn, &TopEntries::Entry::id);
    if (count > 0 && at != top.entries.end() && at - top.entries.begin() >= static_cast<std::ptrdiff_t>(count)) shown.back() = *at;
    return shown;
}

std::optional<SecondDraw> second_draw(const SceneInput& input, const HeadModel& m) {
    const Replay* replayed = input.other_draft.get();
    if (m.empty != HeadModel::Empty::no || !replayed || replayed->of != input.trace || replayed->round != m.round->round ||
        !replayed->forced)
        return {};
    SecondDraw draw;
    draw.position = position_of(m);
    const auto at = static_cast<std::size_t>(draw.position);
    const Drafted* again = drafted_at(*replayed->trace, draw.position);
    if (replayed->forced->first != draw.position - 1 || at >= m.round->drafts.size() || !again) return {};
    const Drafted& as_it_was = *m.round->drafts[at].draft;
    draw.first = side(m.round->drafts[at - 1].draft->token, as_it_was);
    draw.second = side(replayed->forced->second, *again);
    draw.greedy = m.greedy;
    draw.corrected = !as_it_was.base_top.empty();
    draw.same_base = same(draw.first.base, draw.second.base);
    draw.same_final = same(draw.first.final, draw.second.final);
    return draw;
}

std::optional<FetchReplay> second_draw_wish(const SceneInput& input, const HeadModel& m) {
    if (m.empty != HeadModel::Empty::no || !models_loaded(input) || !input.settings) return {};
    const int position = position_of(m);
    if (position >= static_cast<int>(m.round->drafts.size()) || !m.round->complete()) return {};
    const Drafted& before = *m.round->drafts[static_cast<std::size_t>(position - 1)].draft;
    for (const TopEntries::Entry& entry : at_one(before).entries)
        if (entry.id != before.token)
            return FetchReplay{m.round->round, round_settings(input, m.round->round).options, std::pair{position - 1, entry.id}};
    return {};
}

Message second_draw_words(const SceneInput& input, const SecondDraw& d) {
    const int guess = d.position + 1;
    if (!d.corrected) return shared_says("second_draw.told"_t, "guess"_v = guess, "same"_v = d.same_base);
    return shared_says("second_draw.corrected"_t, "guess"_v = guess, "same_base"_v = d.same_base, "same"_v = d.same_final,
                       "before"_v = word(input, d.second.before));
}

std::vector<Message> second_draw_told(const SceneInput& input, const SecondDraw& d) {
    return {shared_says("second_draw.heading"_t, "guess"_v = d.position + 1),
            shared_says("second_draw.conditions"_t, "coin"_v = !d.greedy, "before"_v = d.position), side_words(input, d, d.first),
            side_words(input, d, d.second), second_draw_words(input, d)};
}

void draw_second_draw(const SceneInput& input, ui::Ui& ui, const SecondDraw& d, bool seen) {
    const Rect r = input.details;
    if (r.w <= 0) return;
    ui::Canvas& c = ui.canvas;
    const ui::Theme& t = ui.theme;
    const std::vector<Message> told = second_draw_told(input, d);
    if (!seen) {
        for (const Message& words : told) c.tell(words, r);
        return;
    }
    const float x = r.x + 24, w = r.w - 48, half = (w - 24) / 2;
    const auto muted = [&](float at, float y, const Message& words) { c.print({at, y}, words.words(), Font::text, 14, t.muted); };
    ui::fitted_text(c, {x, r.y + 32}, told[0], Font::text_bold, 15, t.ink, w);
    ui::fitted_text(c, {x, r.y + 54}, told[1], Font::text, 14, t.muted, w);
    const float room = r.h - 72 - 76, each = std::min(room / 2, 150.0F);
    const int rows = std::clamp(static_cast<int>((each - 62) / 23), 1, kMostRows);
    float y = r.y + 72;
    for (const SecondDraw::Side* side : {&d.first, &d.second}) {
        const float h = 23 * static_cast<float>(rows), chip = std::min(128.0F, (w - 120) / 2);
        ui::thing(ui, {x, y, w, (d.corrected ? 52 : 38) + h}, told[side == &d.first ? 2 : 3]);
        muted(x, y + 19, shared_says("second_draw.after"_t));
        ui::chip(c, t, {x + 42, y, chip, 28}, label_of(*input.trace, side->before), {.role = Role::draft});
        muted(x + 50 + chip, y + 19, shared_says("second_draw.draws"_t));
        ui::chip(c, t, {x + 98 + chip, y, chip, 28}, label_of(*input.trace, side->drawn), {.role = Role::draft});
        if (d.corrected) {
            muted(x, y + 46, shared_says("second_draw.base"_t));
            muted(x + half + 24, y + 46, shared_says("second_draw.final"_t));
            distribution(input, ui, {x, y + 52, half, h}, side->base, side->drawn, true);
            distribution(input, ui, {x + half + 24, y + 52, half, h}, side->final, side->drawn, false);
        } else {
            distribution(input, ui, {x, y + 38, w, h}, side->final, side->drawn, false);
        }
        y += (d.corrected ? 60 : 48) + h;
    }
    ui::paragraph(c, {x, y + 12}, w, told[4], {.size = 15, .color = t.ink, .max_lines = 3});
}

void SecondDrawState::update(const SceneInput& input, ui::Ui& ui, const HeadModel& model, bool picture, std::vector<SceneCommand>& out) {
    if (ui.take_key(ui::Key::w)) {
        shown_ = !shown_;
        if (shown_) out.push_back(ShowDetails{});
    }
    if (input.still) shown_ = picture;
    if (!shown_ || second_draw(input, model)) return;
    const std::optional<FetchReplay> wish = second_draw_wish(input, model);
    const Position key{model.round->round, position_of(model)};
    if (!wish || (asked_ == key && asked_of_ == input.trace)) return;
    asked_ = key;
    asked_of_ = input.trace;
    out.push_back(Command{*wish});
}

} // namespace speclens
