// The menus: their bar with handles for what this layout keeps out of sight, and the open menu, a list of actions on a
// layer of its own. Scenes are listed from the scene table.
#include <algorithm>
#include <utility>
#include <vector>

#include "app/frame/frame.h"
#include "scenes/shared/run_controls.h"
#include "ui/text_layout.h"

namespace speclens {
namespace {

// Handles in the menu bar: what this layout keeps out of sight, and the key that shows it. Large windows show
// everything and have none.

struct Handle {
    Message label;
    std::string key;
    Action action;
    bool on = false;
};

std::vector<Handle> handles_of(const FrameDraw& d) {
    const FrameLayout& l = d.layout;
    if (l.density == Density::compact && l.story.w > 0) // scenes that take the whole window have no drawers
        return {{frame_says("controls.label"_t), "Shift+I", Action::controls, l.controls.w > 0},
                {frame_says("details.label"_t), "I", Action::details, l.details.w > 0}};
    if (l.density != Density::single) return {};
    const Message names[kRegions] = {frame_says("region.picture"_t), frame_says("region.story"_t), frame_says("details.label"_t),
                                     frame_says("controls.label"_t), frame_says("region.output"_t)};
    const int at = static_cast<int>(d.state.layout.region);
    constexpr float kRoomy = 800; // below, the menus need the place
    const Message name = l.menu.w < kRoomy ? Message() : names[at];
    return {{frame_says("region.at"_t, "name"_v = name, "at"_v = at + 1, "of"_v = kRegions), "F6", Action::next_region}};
}

// Buttons for what this layout hides, at the right end of the menu bar. Returns how wide they are.
float draw_handles(const FrameDraw& d) {
    constexpr float kPad = 10, kGap = 8;
    const Rect bar = d.layout.menu;
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const std::vector<Handle> handles = handles_of(d);
    const auto width = [&](const Handle& h) {
        return 3 * kPad + c.text_width(h.label, Font::text, 14) + c.text_width(h.key, Font::mono, 14);
    };
    float whole = 0;
    for (const Handle& h : handles) whole += kGap + width(h);
    float x = bar.right() - whole;
    for (const Handle& h : handles) {
        const Rect box{x, bar.y + 2, width(h), bar.h - 5};
        // Not on the way of Tab: they have keys.
        const ui::Touch touched = ui::touch(d.ui, d.ui.id("handle " + h.key), box, {.focusable = false, .grow = false});
        c.fill(box, touched.hovered ? t.line : t.raised, 4);
        c.outline(box, h.on ? ui::Stroke{t.ink, 2} : ui::Stroke{t.line, t.edge_width}, 4);
        const float base = bar.y + bar.h / 2 + 5;
        c.text({box.x + kPad, base}, h.label, Font::text, 14, t.ink);
        c.text({box.right() - kPad, base}, h.key, Font::mono, 14, t.muted, Align::right);
        if (touched.clicked) d.pick(h.action);
        x = box.right() + kGap;
    }
    return whole;
}

struct Row {
    Message label, shortcut, off;
    FrameCommand command;
    bool checked = false;
};

bool checked(const FrameDraw& d, Action action) {
    switch (action) {
    case Action::run_ahead: return d.input.run_ahead;
    case Action::details: return d.layout.details.w > 0;
    case Action::controls: return d.layout.controls.w > 0;
    case Action::present: return d.state.layout.presenter;
    case Action::notes: return d.state.notes;
    case Action::light: return d.state.overlay.light;
    case Action::pen: return d.state.overlay.pen;
    case Action::likeliest:
        return d.input.scene_name == "race" ? d.input.scene.race && likeliest_drafts(d.input.scene.race->settings.base)
                                            : d.input.scene.settings && likeliest_drafts(*d.input.scene.settings);
    case Action::fewer_ids: return d.input.scene.settings && draft_ids(d.input.scene.settings->options) > 0;
    case Action::theme_dark: return d.input.theme == ui::ThemeKind::dark;
    case Action::theme_light: return d.input.theme == ui::ThemeKind::light;
    case Action::theme_contrast: return d.input.theme == ui::ThemeKind::contrast;
    case Action::reduced_motion: return d.input.scene.reduced_motion;
    case Action::letters: return d.input.scene.letters_article;
    default: return false;
    }
}

// Drawers and single regions have no place in a large window: then they are not listed at all.
bool has_place(const FrameDraw& d, Action action) {
    const bool placed = action == Action::details || action == Action::controls || action == Action::next_region;
    return !placed || why_not(d.input, action).empty();
}

std::vector<Row> rows_of(const FrameDraw& d, Menu menu) {
    std::vector<Row> rows;
    if (menu == Menu::scene)
        for (const SceneInfo& info : scene_list())
            rows.push_back({frame_says("menu.scene_row"_t, "number"_v = info.number, "scene"_v = message(info.title)), "", "",
                            SceneCommand{OpenScene{info.name}}, d.input.scene_name == info.name});
    for (const ActionInfo& info : action_list())
        if (menu == info.menu && has_place(d, info.action))
            rows.push_back({message(info.label), ui::key_words(info.shortcut), why_not(d.input, info.action), PickAction{info.action},
                            checked(d, info.action)});
    return rows;
}

float menu_x(const FrameDraw& d, int index) {
    float x = d.layout.menu.x + 16 + d.ui.canvas.text_width("SpecLens", Font::text_bold, 15) + 17;
    const std::vector<Message> names = menu_names();
    for (int i = 0; i < index; ++i) x += d.ui.canvas.text_width(names[static_cast<std::size_t>(i)], Font::text, 15) + 19;
    return x;
}

// Up and down walk over the rows that can be chosen; a menu that a key opened begins with the first of them.
void walk_rows(const FrameDraw& d, const std::vector<ui::Id>& ids) {
    const bool keyed = std::exchange(d.state.menu_keyed, false);
    if (ids.empty()) return;
    const bool chosen = d.ui.state.focus_visible && std::ranges::count(ids, d.ui.state.focus) > 0;
    const auto pressed = [&](ui::Key key) { return !chosen && d.ui.take_key(key); };
    if (keyed || pressed(ui::Key::down) || pressed(ui::Key::home))
        d.ui.move_focus(ids.front());
    else if (pressed(ui::Key::up) || pressed(ui::Key::end))
        d.ui.move_focus(ids.back());
    (void)ui::walk(d.ui, ids, 0, ui::Key::up, ui::Key::down);
}

// The first of what is in it.
Message menu_about(const FrameDraw& d, Menu menu) {
    constexpr std::size_t kNamed = 3;
    const std::vector<Row> rows = rows_of(d, menu);
    std::string words;
    for (std::size_t i = 0; i < std::min(kNamed, rows.size()); ++i) words += (i > 0 ? ", " : "") + rows[i].label;
    return frame_says("menu.about"_t, "rows"_v = words, "more"_v = rows.size() > kNamed);
}

ui::Id menu_id(const FrameDraw& d, std::size_t menu) { return d.ui.id("menu " + std::to_string(menu)); }

} // namespace

void draw_menu_bar(const FrameDraw& d) {
    const Rect r = d.layout.menu;
    ui::Canvas& c = d.ui.canvas;
    const float base = r.y + r.h / 2 + 5;
    c.text({r.x + 16, base}, "SpecLens", Font::text_bold, 15, d.ui.theme.ink);
    const float end = r.right() - draw_handles(d);
    float x = r.x + 16 + c.text_width("SpecLens", Font::text_bold, 15) + 17;
    const std::vector<Message> names = menu_names();
    for (std::size_t i = 0; i < names.size(); ++i) {
        const float w = c.text_width(names[i], Font::text, 15) + 19;
        if (x + w > end - 8) break; // a very narrow window: the palette has everything
        const Rect box{x, r.y, w, r.h};
        const ui::Touch touched = ui::touch(d.ui, menu_id(d, i), box, {.grow = false});
        const bool open = d.state.menu == static_cast<int>(i);
        if (!open) ui::tooltip(d.ui, box, [&] { return menu_about(d, static_cast<Menu>(i)); });
        if (open || touched.hovered) c.fill({x + 1, r.y + 2, w - 2, r.h - 5}, d.ui.theme.raised, 4);
        if (touched.focused) c.outline({x + 1, r.y + 2, w - 2, r.h - 5}, {d.ui.theme.ink, 2}, 4);
        c.text({x + 9.5F, base}, names[i], Font::text, 15, open ? d.ui.theme.ink : d.ui.theme.muted);
        const bool down = touched.focused && d.ui.take_key(ui::Key::down);
        if (touched.clicked || down) {
            d.state.menu = static_cast<int>(i);
            d.state.menu_keyed = touched.focused;
        }
        x += w;
    }
    // Where no timeline has room for them.
    constexpr float kButton = 20, kTransport = 4 * (kButton + 8);
    if (d.layout.timeline.w <= 0 && x + 16 + kTransport < end - 8) x = draw_transport(d, x + 16, r.y + (r.h - kButton) / 2, kButton);
    const float width = std::min(272.0F, end - 8 - x - 16);
    if (width < 60) return;
    const Rect search{end - 8 - width, r.y + 2, width, r.h - 5};
    const ui::Touch touched = ui::touch(d.ui, d.ui.id("search"), search, {.grow = false});
    c.fill(search, d.ui.theme.bg, 4);
    c.outline(search, {touched.hovered ? d.ui.theme.muted : d.ui.theme.line, d.ui.theme.edge_width}, 4);
    ui::icon(c, ui::Icon::search, {search.x + 16, search.center().y}, 12, d.ui.theme.muted);
    if (width > 264) c.text({search.x + 32, base}, frame_says("search.field"_t), Font::text, 14, d.ui.theme.muted);
    if (width > 110) c.text({search.right() - 12, base}, "Ctrl+K", Font::mono, 14, d.ui.theme.muted, Align::right);
    if (touched.focused) ui::focus_ring(c, d.ui.theme, search, 4);
    ui::tooltip(d.ui, search, frame_says("search.about"_t));
    if (touched.clicked) d.pick(Action::palette);
}

void draw_open_menu(const FrameDraw& d) {
    constexpr float kRow = 30;
    const int index = d.state.menu;
    const std::vector<Row> rows = rows_of(d, static_cast<Menu>(index));
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    float width = 200;
    for (const Row& row : rows)
        width = std::max(width, c.text_width(row.label, Font::text, 15) + c.text_width(row.shortcut, Font::mono, 14) + 84);
    const float content = static_cast<float>(rows.size()) * kRow, top = d.layout.menu.bottom();
    const Rect box{std::min(menu_x(d, index), d.ui.screen.w - width - 4), top, width, std::min(content + 8, d.ui.screen.h - top - 4)};
    const Rect view = box.inset(0, 4);
    const float bar = content > view.h ? 8 : 0; // it scrolls
    const auto menus = static_cast<int>(menu_names().size());
    std::vector<ui::Id> names; // as the bar calls them
    for (int i = 0; i < menus; ++i) names.push_back(menu_id(d, static_cast<std::size_t>(i)));
    d.ui.begin_layer();
    c.fill(box, t.raised, 6);
    c.outline(box, {t.muted, t.edge_width}, 6);
    d.ui.push_id("open menu");
    bool close = d.ui.take_key(ui::Key::escape);
    const auto turn = [&](ui::Key key, int by) {
        if (!d.ui.take_key(key)) return;
        d.state.menu = (index + menus + by) % menus;
        // The focus goes back to the name of the menu that is seen last.
        if (ui::Id& back = d.ui.state.below.back().focus; back == names[static_cast<std::size_t>(index)])
            back = names[static_cast<std::size_t>(d.state.menu)];
    };
    turn(ui::Key::left, -1);
    turn(ui::Key::right, 1);
    const ui::Vec2 mouse = d.ui.input.mouse, was = std::exchange(d.state.menu_mouse, mouse);
    const bool moved = mouse.x != was.x || mouse.y != was.y; // a resting pointer leaves the arrow keys alone
    const float up = ui::begin_scroll(d.ui, std::to_string(index), view, content);
    const auto id_of = [&](std::size_t i) { return d.ui.id("row " + std::to_string(i)); };
    const auto place_of = [&](std::size_t i) { return Rect{box.x + 4, view.y - up + kRow * static_cast<float>(i), box.w - 8 - bar, kRow}; };
    std::vector<ui::Id> can; // be chosen
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!rows[i].off.empty()) continue;
        can.push_back(id_of(i));
        if (!moved || !d.ui.mouse_in(place_of(i))) continue;
        d.ui.state.focus = can.back(); // the keys go on from where the pointer was
        d.ui.state.focus_visible = true;
    }
    walk_rows(d, can);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& row = rows[i];
        const Rect at = place_of(i);
        const bool off = !row.off.empty();
        const ui::Touch touched = ui::touch(d.ui, id_of(i), at, {.disabled = off, .grow = false});
        const bool pointed = touched.hovered && !d.ui.state.focus_visible;
        if ((pointed || touched.focused) && !off) c.fill(at, t.line, 4);
        if (row.checked) ui::icon(c, ui::Icon::check, {at.x + 12, at.center().y}, 10, t.ink);
        c.text({at.x + 26, at.y + 20}, row.label, Font::text, 15, off ? t.muted.alpha(0.6F) : t.ink);
        c.text({at.right() - 8, at.y + 20}, row.shortcut, Font::mono, 14, t.muted, Align::right);
        if (off) ui::tooltip(d.ui, at, row.off);
        if (touched.clicked) {
            d.out.push_back(row.command);
            close = true;
        }
    }
    ui::end_scroll(d.ui);
    if (d.ui.reachable() && (moved || d.ui.input.pressed)) {
        if (d.ui.input.pressed && !box.contains(mouse)) close = true;
        // Another menu name under the mouse opens that one instead.
        for (int i = 0; i < menus; ++i) {
            const Rect name{menu_x(d, i), d.layout.menu.y, menu_x(d, i + 1) - menu_x(d, i), d.layout.menu.h};
            if (i != index && name.contains(mouse)) {
                d.state.menu = i;
                close = false;
                d.ui.wake(d.ui.input.time);
            }
        }
    }
    d.ui.pop_id();
    d.ui.end_layer();
    if (close) d.state.menu = -1;
    d.state.menu_keyed = d.state.menu >= 0 && d.state.menu != index && !moved; // by an arrow
    if (d.state.menu != index) d.ui.wake(d.ui.input.time);
}

} // namespace speclens
