#include "scenes/systems/block_tables.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/model/paged_model.h"
#include "scenes/shared/panel.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

constexpr int kSlots = PagedModel::kBlock;

bool has(const std::vector<int>& table, int block) { return std::ranges::find(table, block) != table.end(); }

// Texts that have it in the pass.
int held_by(const FilmRound& round, int block) {
    return static_cast<int>(std::ranges::count_if(round.texts, [&](const FilmText& text) { return has(text.during, block); }));
}

Message pool_words(const FilmRound& round, int blocks) {
    return systems_says("pool.under"_t, "used"_v = round.used(true), "blocks"_v = blocks, "after"_v = round.used(false));
}

Message square_words(std::size_t block, const BlockSquare& square) {
    return systems_says("pool.block"_t, "block"_v = block, "holders"_v = square.holders, "taken"_v = square.taken,
                        "refused"_v = square.given_back && !square.ended, "ended"_v = square.given_back && square.ended,
                        "shared"_v = square.holders.size() > 1);
}

ui::Color back_color(const ui::Theme& theme, const BlockSquare& square) { return square.ended ? theme.muted : theme.role(Role::rejected); }

void draw_square(ui::Canvas& c, const ui::Theme& t, Rect box, const BlockSquare& square) {
    const bool shared = square.holders.size() > 1;
    if (square.given_back)
        c.hatch(box, back_color(t, square), 5);
    else if (!square.holders.empty())
        c.fill(box, t.role(square.taken ? Role::accepted : Role::target).alpha(square.taken ? 0.55F : 0.35F), 2);
    const ui::Color edge = square.given_back ? back_color(t, square) : shared ? t.ink : t.line;
    c.outline(box, {edge, shared ? 2.0F : 1.0F}, 2);
}

void draw_pool(const SystemsDraw& d, Rect area, const BlockFilm& film, const FilmRound& round, const std::vector<BlockSquare>& squares) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    part_head(d.ui, area, systems_says("pool.title"_t, "rows"_v = kSlots), {pool_words(round, film.blocks)});
    const std::pair<Message, BlockSquare> key[] = {{systems_says("pool.key:held"_t), {.holders = "A"}},
                                                   {systems_says("pool.key:taken"_t), {.holders = "A", .taken = true}},
                                                   {systems_says("pool.key:refused"_t), {.holders = "A", .given_back = true}},
                                                   {systems_says("pool.key:ended"_t), {.holders = "A", .given_back = true, .ended = true}},
                                                   {systems_says("pool.key:shared"_t), {.holders = "AB"}}};
    marks_key(d.ui, {area.x, area.y + 60}, area.right(), key, [&](Rect box, const BlockSquare& square) { draw_square(c, t, box, square); });
    const Rect grid{area.x, area.y + 76, area.w, area.h - 76};
    int across = 1; // as few columns as the height allows, so that squares are as large as they can be
    const auto side_of = [&](int columns) {
        const auto lines = static_cast<float>((film.blocks + columns - 1) / columns);
        return std::min({grid.w / static_cast<float>(columns), grid.h / lines, 132.0F});
    };
    for (int columns = 2; columns <= 24; ++columns)
        if (side_of(columns) > side_of(across)) across = columns;
    const float side = side_of(across);
    for (std::size_t i = 0; i < squares.size(); ++i) {
        const BlockSquare& square = squares[i];
        const int column = static_cast<int>(i) % across, line = static_cast<int>(i) / across;
        const Rect box{grid.x + side * static_cast<float>(column), grid.y + side * static_cast<float>(line), side - 4, side - 4};
        draw_square(c, t, box, square);
        if (side > 26) c.print({box.x + box.w / 2, box.y + box.h / 2 + 5}, square.holders, Font::mono_medium, 14, t.ink, Align::center);
        ui::thing(d.ui, box, square_words(i, square));
    }
}

// The rows of a block: there before the round, kept, refused, empty.
void draw_slots(const SystemsDraw& d, Rect box, const FilmText& text, int block) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const float w = box.w / static_cast<float>(kSlots);
    const FilmRows rows = rows_of(text);
    const int kept = rows.before + rows.kept;
    for (int slot = 0; slot < kSlots; ++slot) {
        const int row = block * kSlots + slot;
        const Rect cell{box.x + w * static_cast<float>(slot), box.y, std::max(1.0F, w - 0.75F), box.h};
        if (row < rows.before)
            c.fill(cell, t.role(Role::target).alpha(0.55F), 0);
        else if (row < kept)
            c.fill(cell, t.role(Role::accepted), 0);
        else if (row < kept + rows.refused)
            c.fill(cell, t.role(Role::rejected).alpha(0.8F), 0);
        else
            c.fill(cell, t.line.alpha(0.6F), 0);
    }
}

void draw_tables(const SystemsDraw& d, Rect area, const FilmRound& round) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    part_head(d.ui, area, systems_says("text.title"_t), {systems_says("text.under"_t)});
    std::size_t most = 1;
    for (const FilmText& text : round.texts) most = std::max(most, text.during.size());
    // Few texts with few blocks are drawn larger.
    float y = area.y + 54;
    const float line = std::clamp((area.bottom() - y) / static_cast<float>(std::max<std::size_t>(1, round.texts.size())), 46.0F, 80.0F),
                width = std::clamp((area.w - 22) / static_cast<float>(most), 68.0F, 150.0F), slots = line - 36;
    for (const FilmText& text : round.texts) {
        if (y + 40 > area.bottom()) break;
        c.print({area.x, y + 14}, text_letter(text.lane.text), Font::mono_medium, 15, t.ink);
        cell(d.ui, {area.x + 22, y + 14}, systems_says("text.did"_t, "did"_v = did_words(text), "shared"_v = shared_words(round, text)),
             area.w - 22, {t.muted});
        const auto fits = static_cast<std::size_t>(std::max(1.0F, (area.w - 22) / width));
        const std::size_t first = text.during.size() > fits ? text.during.size() - fits : 0;
        for (std::size_t i = first; i < text.during.size(); ++i) {
            const float x = area.x + 22 + width * static_cast<float>(i - first);
            const bool back = !has(text.after, text.during[i]);
            const ui::Color gone = text.lane.left ? t.muted : t.role(Role::rejected);
            c.print({x, y + 28 + slots / 2}, std::to_string(text.during[i]), Font::mono, 14, back ? gone : t.ink);
            const Rect rows{x + 20, y + 23, width - 26, slots};
            draw_slots(d, rows, text, static_cast<int>(i));
            if (held_by(round, text.during[i]) > 1) c.outline({rows.x - 2, rows.y - 2, rows.w + 4, rows.h + 4}, {t.ink, 2}, 2);
        }
        y += line;
    }
}

// Blocks in use by round, with those that drafts took on top.
void draw_use(const SystemsDraw& d, Rect area, const BlockFilm& film, std::size_t shown) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    c.line({area.x, area.y - 9.5F}, {area.right(), area.y - 9.5F}, t.hairline());
    part_head(d.ui, area, systems_says("use.title"_t), {draft_words(film)});
    const Rect plot{area.x + 30, area.y + 50, area.w - 30, area.h - 50 - 24};
    if (plot.h < 24 || film.rounds.empty()) return;
    const ui::Scale y{0, static_cast<double>(film.blocks), plot.bottom(), plot.y};
    ui::Ticks marks;
    marks.values = {0, static_cast<double>(film.blocks)};
    ui::axis_y(c, t, y, plot.x, marks, {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    std::vector<double> in_use, because_of_drafts;
    for (const FilmRound& round : film.rounds) in_use.push_back(round.used(true)), because_of_drafts.push_back(round.for_drafts());
    ui::plotted_by_place(c, plot, ui::PlotMark::bars, systems_says("use.series:all"_t), in_use);
    ui::plotted_by_place(c, plot, ui::PlotMark::bars, systems_says("use.series:drafts"_t), because_of_drafts);
    const float pitch = std::min(96.0F, plot.w / static_cast<float>(film.rounds.size()));
    for (std::size_t i = 0; i < film.rounds.size(); ++i) {
        const FilmRound& round = film.rounds[i];
        const float x = plot.x + pitch * static_cast<float>(i);
        if (i == shown) c.fill({x, plot.y - 4, pitch, plot.h + 24}, t.raised, 3);
        const int used = round.used(true), drafts = std::min(used, round.for_drafts());
        const float border = y(used - drafts);
        const Rect own{x + 2, border, pitch - 4, plot.bottom() - border}, extra{x + 2, y(used), pitch - 4, border - y(used)};
        c.fill(own, t.role(Role::target).alpha(0.55F), 1);
        if (drafts > 0) c.fill(extra, t.role(Role::rejected).alpha(0.8F), 1);
        if (round.preempted() > 0) c.fill({x + pitch / 2 - 2, plot.y - 4, 4, 8}, t.ink, 1);
        if (i == shown || i == 0 || i + 1 == film.rounds.size()) {
            if (i != shown && std::abs(static_cast<float>(i) - static_cast<float>(shown)) * pitch < 26) continue;
            c.print({x + pitch / 2, plot.bottom() + 18}, std::to_string(i + 1), i == shown ? Font::mono_medium : Font::mono, 14,
                    i == shown ? t.ink : t.muted, Align::center);
        }
    }
}

} // namespace

std::string text_letter(int text) {
    const std::string letter(1, static_cast<char>('A' + text % 26));
    return text < 26 ? letter : letter + std::to_string(text / 26 + 1);
}

FilmRows rows_of(const FilmText& text) {
    const int written = text.before + text.lane.rows;
    const int kept = std::min(text.lane.left ? text.before + text.lane.accepted + 1 : text.kept, written);
    return {text.before, std::max(0, kept - text.before), written - std::max(kept, text.before)};
}

Message did_words(const FilmText& text) {
    const BatchLane& lane = text.lane;
    switch (lane.did) {
    case BatchLane::Did::decoded:
        return systems_says("text.doing:decoded"_t, "drafted"_v = lane.drafted(), "kept"_v = lane.accepted, "ended"_v = lane.left);
    case BatchLane::Did::read: return systems_says("text.doing:read"_t, "tokens"_v = lane.rows);
    case BatchLane::Did::recomputed: return systems_says("text.doing:recomputed"_t, "rows"_v = lane.rows);
    case BatchLane::Did::preempted: return systems_says("text.doing:preempted"_t);
    case BatchLane::Did::waited: break;
    }
    return systems_says("text.doing:waited"_t);
}

Message shared_words(const FilmRound& round, const FilmText& text) {
    const auto blocks = std::ranges::count_if(text.during, [&](int block) { return held_by(round, block) > 1; });
    if (blocks == 0) return {};
    std::vector<Said> with;
    for (const FilmText& other : round.texts)
        if (other.lane.text != text.lane.text && std::ranges::any_of(other.during, [&](int block) { return has(text.during, block); }))
            with.push_back(systems_says("text.name"_t, "letter"_v = text_letter(other.lane.text)).said);
    return systems_says("text.shared"_t, "blocks"_v = blocks, "with"_v = with);
}

Message draft_words(const BlockFilm& film) {
    return systems_says("use.under"_t, "k"_v = film.k, "took"_v = film.mean_for_drafts(), "rows"_v = kSlots,
                        "estimated"_v = film.mean_estimated());
}

std::vector<BlockSquare> block_squares(const BlockFilm& film, std::size_t round) {
    std::vector<BlockSquare> squares(static_cast<std::size_t>(film.blocks));
    const FilmRound& now = film.rounds[round];
    for (const FilmText& text : now.texts)
        for (const int block : text.during) squares[static_cast<std::size_t>(block)].holders += text_letter(text.lane.text);
    for (std::size_t block = 0; block < squares.size(); ++block) {
        BlockSquare& square = squares[block];
        const int before = round == 0 ? 0 : film.rounds[round - 1].after[block];
        square.taken = before == 0 && now.during[block] > 0;
        square.given_back = now.during[block] > 0 && now.after[block] == 0;
        square.ended = square.given_back && std::ranges::any_of(now.texts, [&](const FilmText& text) {
                           return text.lane.left && has(text.during, static_cast<int>(block));
                       });
    }
    return squares;
}

void draw_block_tables(const SystemsDraw& d, Rect area) {
    const BlockFilm* film = d.model.film; // there is one
    const FilmRound& round = film->rounds[d.model.film_round];
    const float lower = area.h > 360 ? std::max(130.0F, area.h * 0.28F) : 0, upper = area.h - (lower > 0 ? lower + 20 : 0), gap = 36;
    const float left = std::min(area.w * 0.42F, 460.0F);
    draw_pool(d, {area.x, area.y, left, upper}, *film, round, block_squares(*film, d.model.film_round));
    draw_tables(d, {area.x + left + gap, area.y, area.w - left - gap, upper}, round);
    if (lower > 0) draw_use(d, {area.x, area.bottom() - lower, area.w, lower}, *film, d.model.film_round);
}

void tell_block_tables(const SystemsDraw& d) {
    const BlockFilm& film = *d.model.film;
    const FilmRound& shown = film.rounds[d.model.film_round];
    const auto tell = [&](const Message& message) { d.ui.canvas.tell(message, d.input.stage); };
    tell(systems_says("pool.batch"_t, "texts"_v = film.texts, "blocks"_v = film.blocks, "drafts"_v = draft_words(film)));
    tell(systems_says("pool.round"_t, "round"_v = d.model.film_round + 1, "of"_v = film.rounds.size(),
                      "held"_v = pool_words(shown, film.blocks), "drafts"_v = shown.for_drafts(), "rows"_v = kSlots,
                      "estimated"_v = shown.estimated(), "copied"_v = shown.copied, "shared"_v = shown.shared_tokens));
    for (const FilmText& text : shown.texts) {
        const FilmRows rows = rows_of(text);
        tell(systems_says("text.row"_t, "letter"_v = text_letter(text.lane.text), "did"_v = did_words(text),
                          "shared"_v = shared_words(shown, text), "before"_v = rows.before, "kept"_v = rows.kept,
                          "refused"_v = rows.refused, "blocks"_v = each_said(text.during, [&](int block) {
                                                          return systems_says("text.block"_t, "block"_v = block,
                                                                              "given_back"_v = !has(text.after, block));
                                                      })));
    }
    int round = 0;
    tell(systems_says("use.told"_t, "rounds"_v = each_said(film.rounds, [&](const FilmRound& one) {
                                        return systems_says("use.round"_t, "round"_v = ++round, "used"_v = one.used(true),
                                                            "drafts"_v = one.for_drafts(), "gave_up"_v = one.preempted());
                                    })));
}

} // namespace speclens
