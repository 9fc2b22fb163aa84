// The family of drafters as a table: what each takes from the target, what it does one after the other, what it keeps, when it was
// published and who serves with it.
#include <algorithm>
#include <sstream>
#include <vector>

#include "scenes/drafters/drafters_draw.h"
#include "scenes/shared/kin_words.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Font;
using ui::Rect;

struct Column {
    const char* title;
    float share; // of the room behind the names
    std::string (*words)(const DrafterKin& kin);
};

constexpr float kName = 152, kLowest = 25, kHint = 20;

// Of this room, in the units of a frame; in large type it has room for two or three.
std::vector<Column> columns(bool presenter, float room) {
    const Column takes{"Takes from the target", 0.21F, [](const DrafterKin& kin) { return std::string(kin.takes); }},
        sequential{"One after the other", 0.215F, [](const DrafterKin& kin) { return std::string(kin.sequential); }},
        keeps{"Keeps", 0.207F, [](const DrafterKin& kin) { return std::string(kin.keeps); }},
        year{"Year", 0.058F, [](const DrafterKin& kin) { return kin.year > 0 ? std::to_string(kin.year) : std::string(); }},
        served{"Served by", 0.31F, [](const DrafterKin& kin) { return served_words(kin); }};
    if (!presenter) return {takes, sequential, keeps, year, served};
    if (room < 580) return {{takes.title, 0.5F, takes.words}, {sequential.title, 0.5F, sequential.words}};
    return {{takes.title, 0.285F, takes.words}, {sequential.title, 0.295F, sequential.words}, {served.title, 0.42F, served.words}};
}

void draw_member(const DraftersDraw& d, const DrafterRow& row, Rect band, bool selected) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const ui::Touch touched = ui::touch(d.ui, d.ui.id(row.name()), band, {.grow = false});
    if (selected || touched.hovered) canvas.fill(band, theme.raised.alpha(selected ? 1.0F : 0.45F), 6);
    if (touched.focused) ui::focus_ring(canvas, theme, band);
    if (touched.clicked) d.choice.drafter = row.name();
    const float y = band.center().y, left = band.x + 8;
    ui::icon(canvas, row.mark, {left + 8, y}, 14, theme.ink);
    ui::fitted_text(canvas, {left + 28, y + 5}, row.title, row.of_run ? Font::text_bold : Font::text, 15, theme.ink, kName - 32);
    const float room = band.w - 16 - kName;
    float x = left + kName;
    for (const Column& column : columns(d.input.presenter, room)) {
        ui::fitted_text(canvas, {x, y + 5}, column.words(row.info->kin), Font::text, 14, theme.muted, room * column.share - 6);
        x += room * column.share;
    }
    if (*row.info->kin.source) ui::tooltip(d.ui, band, row.info->kin.source);
}

} // namespace

void draw_drafter_family(const DraftersDraw& d, float top) {
    const Rect stage = d.input.stage;
    const float left = stage.x + 24, w = stage.w - 48, room_of_columns = w - kName;
    float x = left + kName;
    for (const Column& column : columns(d.input.presenter, room_of_columns)) {
        ui::fitted_text(d.ui.canvas, {x, top + 12}, column.title, Font::text, 14, d.ui.theme.muted, room_of_columns * column.share - 6);
        x += room_of_columns * column.share;
    }
    d.ui.canvas.line({left, top + 21.5F}, {left + w, top + 21.5F}, d.ui.theme.hairline());
    std::vector<const DrafterRow*> members; // plain decoding is no drafter
    int selected = 0;
    for (const DrafterRow& row : d.model.rows) {
        if (!row.info->drafts()) continue;
        if (&row == d.model.row()) selected = static_cast<int>(members.size());
        members.push_back(&row);
    }
    const int n = static_cast<int>(members.size());
    if (n == 0) return;
    float room = stage.bottom() - 8 - (top + 28);
    const bool hidden = static_cast<float>(n) * kLowest > room;
    if (hidden) room -= kHint;
    const int fit = std::clamp(static_cast<int>(room / kLowest), 1, n), from = std::clamp(selected - fit / 2, 0, n - fit);
    const float pitch = std::min(44.0F, room / static_cast<float>(fit));
    if (hidden)
        ui::fitted_text(d.ui.canvas, {left, stage.bottom() - 10},
                        std::to_string(from + 1) + " to " + std::to_string(from + fit) + " of " + std::to_string(n) + ": ↑ ↓ brings the others",
                        Font::text, 14, d.ui.theme.muted, w);
    for (int i = 0; i < fit; ++i) {
        const DrafterRow& row = *members[static_cast<std::size_t>(from + i)];
        draw_member(d, row, {left - 8, top + 28 + pitch * static_cast<float>(i), w + 16, pitch - 2}, &row == d.model.row());
    }
}

std::string describe_family(const DraftersModel& model) {
    std::ostringstream out;
    for (const DrafterRow& row : model.rows) {
        if (const std::string words = kin_line(row.info->kin); !words.empty()) out << row.title << ". " << words << "\n";
    }
    return out.str();
}

} // namespace speclens
