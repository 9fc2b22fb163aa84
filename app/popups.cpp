// The dialog frame and its simple contents: prompt editor, keys, description, file names.
#include "app/popups.h"

#include <algorithm>
#include <array>

#include "app/ui/text_field.h"
#include "app/ui/text_layout.h"
#include "scenes/words.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;

ui::Vec2 wanted_size(Popup popup) {
    switch (popup) {
    case Popup::palette:
        return {640, 480};
    case Popup::fork:
        return {560, 460};
    case Popup::prompt:
        return {760, 440};
    case Popup::keys:
        return {860, 640};
    case Popup::glossary:
        return {860, 560};
    case Popup::quiz:
        return {680, 620};
    case Popup::description:
    case Popup::notes:
        return {760, 680};
    case Popup::open_file:
        return {760, 480};
    case Popup::export_frame:
        return {640, 176};
    case Popup::none:
        break;
    }
    return {};
}

void heading(const FrameDraw& d, Rect box, std::string_view words) {
    ui::fitted_text(d.ui.canvas, {box.x + 24, box.y + 38}, words, Font::text_bold, 20, d.ui.theme.ink,
                    box.w - 80);
}

constexpr float kTextLine = 24;

ui::ParagraphStyle text_style(const FrameDraw& d) {
    return {.color = d.ui.theme.ink};
}

// What the dialogs of running text say.
std::string running_text(const FrameDraw& d) {
    if (d.state.popup == Popup::description && d.input.active) return d.input.active->describe(d.input.scene);
    if (d.state.popup == Popup::notes && d.input.lecture) {
        const std::string& notes = d.input.lecture->now().notes;
        return notes.empty() ? "This step has no notes." : notes;
    }
    return "";
}

float text_height(const FrameDraw& d, float box_width) {
    return static_cast<float>(
               ui::paragraph_lines(d.ui.canvas, box_width - 64, running_text(d), text_style(d))) *
               kTextLine +
           8;
}

// Running text with a button that copies it.
void draw_text(const FrameDraw& d, Rect box, std::string_view title, const std::string& text) {
    heading(d, {box.x, box.y, box.w - 84, box.h}, title);
    if (ui::button(d.ui, "copy", {box.right() - 24 - 84, box.y + 12, 84, 36}, "Copy"))
        d.out.push_back(CopyText{text});
    const Rect view{box.x + 24, box.y + 60, box.w - 48, box.h - 76};
    const float up = ui::begin_scroll(d.ui, "words", view, text_height(d, box.w));
    ui::paragraph(d.ui.canvas, {view.x, view.y + 18 - up}, view.w - 16, text, text_style(d));
    ui::end_scroll(d.ui);
}

} // namespace

void draw_popup(const FrameDraw& d) {
    ui::Ui& ui = d.ui;
    const ui::Vec2 wanted = wanted_size(d.state.popup);
    const Rect s = ui.screen;
    float w = std::min(wanted.x, s.w - 24), h = std::min(wanted.y, s.h - 24);
    // Lists are as high as they need to be.
    if (d.state.popup == Popup::palette)
        h = std::min(h, 112 + 34 * static_cast<float>(std::max<std::size_t>(
                                       1, palette_rows(d.input, d.state.query).size())));
    if (d.state.popup == Popup::open_file)
        h = std::min(h, 112 + 34 * static_cast<float>(std::max<std::size_t>(
                                       1, open_rows(d.input, d.state.query).size())));
    if (d.state.popup == Popup::fork)
        h = std::min(h, 96 + 34 * static_cast<float>(std::max<std::size_t>(1, fork_rows(d.input).size())));
    if (d.state.popup == Popup::notes || d.state.popup == Popup::description)
        h = std::min(h, 76 + text_height(d, w));
    if (d.state.popup == Popup::quiz) h = std::min(h, quiz_height(d, w));
    const bool high = d.state.popup == Popup::palette || d.state.popup == Popup::open_file;
    const Rect box{
        s.x + (s.w - w) / 2,
        high ? s.y + std::min(72.0F, (s.h - std::min(wanted.y, s.h - 24)) / 2) : s.y + (s.h - h) / 2, w, h};
    ui.begin_layer();
    ui.canvas.fill(s, ui::Color{0, 0, 0, 110});
    ui.canvas.fill(box, ui.theme.panel, 8);
    ui.canvas.outline(box, {ui.theme.muted, ui.theme.edge_width}, 8);
    ui.push_id("popup " + std::to_string(static_cast<int>(d.state.popup)));
    bool close = false;
    const Popup shown = d.state.popup;
    switch (shown) {
    case Popup::palette:
        draw_palette(d, box, close);
        break;
    case Popup::fork:
        draw_fork(d, box, close);
        break;
    case Popup::prompt:
        draw_prompt_editor(d, box, close);
        break;
    case Popup::keys:
        draw_keys_panel(d, box, close);
        break;
    case Popup::description:
        draw_description(d, box, close);
        break;
    case Popup::notes:
        draw_notes(d, box, close);
        break;
    case Popup::glossary:
        draw_glossary(d, box, close);
        break;
    case Popup::quiz:
        draw_quiz(d, box, close);
        break;
    case Popup::open_file:
        draw_open(d, box, close);
        break;
    case Popup::export_frame:
        draw_export(d, box, close);
        break;
    case Popup::none:
        break;
    }
    if (ui.take_press({.key = ui::Key::escape}, true)) close = true;
    if (ui.reachable() && ui.input.pressed && !box.contains(ui.input.mouse) && !d.state.opened_now)
        close = true;
    d.state.opened_now = false;
    ui.pop_id();
    ui.end_layer();
    if (close && d.state.popup == shown) {
        d.state.popup = Popup::none;
        ui.wake(ui.input.time);
    }
}

void draw_prompt_editor(const FrameDraw& d, Rect box, bool& close) {
    FrameUi& s = d.state;
    heading(d, box, "New run");
    const float x = box.x + 24, w = box.w - 48;
    const std::array<std::string, 2> kinds = {"raw text", "chat turn"};
    if (const auto pick = ui::segmented(
            d.ui, "kind", {box.right() - 24 - ui::segmented_width(d.ui.canvas, kinds), box.y + 16}, kinds,
            s.chat ? 1 : 0))
        s.chat = *pick == 1;
    float y = box.y + 68;
    if (d.input.gallery && !d.input.gallery->empty()) {
        std::vector<ui::Choice> presets;
        for (const GalleryPrompt& g : *d.input.gallery) {
            std::string line = g.prompt.substr(0, 200);
            std::ranges::replace(line, '\n', ' ');
            presets.push_back({ui::fit(d.ui.canvas, line, Font::text, 15, w - 220),
                               g.domain + (g.chat ? ", chat" : ""), ""});
        }
        if (const auto pick =
                ui::dropdown(d.ui, "preset", {x, y, w, 36}, presets, -1, {.max_rows = 8}, "presets…")) {
            const GalleryPrompt& g = (*d.input.gallery)[static_cast<std::size_t>(*pick)];
            s.prompt = g.prompt;
            s.system = g.system;
            s.chat = g.chat;
        }
        y += 48;
    }
    const Rect field{x, y, w, box.bottom() - y - 72};
    const ui::TextFieldResult result = ui::text_field(
        d.ui, "prompt", field, s.prompt,
        {.multi_line = true, .take_focus = true, .placeholder = "the text that the models go on with"});
    const bool empty = s.prompt.find_first_not_of(" \n\t") == std::string::npos;
    d.ui.canvas.text({x, box.bottom() - 32}, "Ctrl+Enter starts, Escape leaves it as it was", Font::text, 14,
                     d.ui.theme.muted);
    const bool start =
        ui::button(d.ui, "start", {box.right() - 24 - 120, box.bottom() - 56, 120, 36}, "Start",
                   {.kind = ui::ButtonKind::primary,
                    .icon = ui::Icon::play,
                    .disabled = empty ? "Type a prompt first" : ""});
    if ((start || result.submitted) && !empty && d.input.scene.settings) {
        RunSettings settings = *d.input.scene.settings;
        settings.prompt = s.prompt;
        settings.system = s.system;
        settings.chat = s.chat;
        settings.token_ids.clear();
        settings.fork = 0;
        d.out.push_back(SceneCommand{Command{Restart{settings}}});
        close = true;
    }
    if (result.cancelled) close = true;
}

void draw_keys_panel(const FrameDraw& d, Rect box, bool&) {
    heading(d, box, "Keys");
    std::vector<std::pair<std::string, std::string>> rows;
    if (d.input.active) rows = d.input.active->keys();
    for (const ActionInfo& info : action_list()) {
        std::string label = info.label;
        if (label.ends_with("…")) label.resize(label.size() - std::string("…").size());
        if (info.shortcut[0] != '\0') rows.emplace_back(info.shortcut, label);
    }
    rows.emplace_back("1 … 9", "Choose a drafter");
    rows.emplace_back("Tab", "Next control");
    const int columns = box.w >= 700 ? 2 : 1;
    const auto per_column =
        (rows.size() + static_cast<std::size_t>(columns) - 1) / static_cast<std::size_t>(columns);
    const float pitch = 24, width = (box.w - 48) / static_cast<float>(columns);
    const Rect view{box.x, box.y + 56, box.w, box.h - 72};
    const float up = ui::begin_scroll(d.ui, "keys", view, static_cast<float>(per_column) * pitch + 8);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const float x = box.x + 24 + width * static_cast<float>(i / per_column);
        const float y = view.y + 18 + pitch * static_cast<float>(i % per_column) - up;
        d.ui.canvas.text({x, y}, rows[i].first, Font::mono, 14, d.ui.theme.ink);
        ui::fitted_text(d.ui.canvas, {x + 136, y}, rows[i].second, Font::text, 15, d.ui.theme.muted,
                        width - 148);
    }
    ui::end_scroll(d.ui);
}

void draw_description(const FrameDraw& d, Rect box, bool&) {
    draw_text(d, box, "This frame in words", running_text(d));
}

void draw_notes(const FrameDraw& d, Rect box, bool&) {
    draw_text(d, box, d.input.lecture ? d.input.lecture->now().title : "", running_text(d));
}

void draw_export(const FrameDraw& d, Rect box, bool& close) {
    heading(d, box, "Export this frame");
    const ui::TextFieldResult field =
        ui::text_field(d.ui, "path", {box.x + 24, box.y + 60, box.w - 48, 36}, d.state.query,
                       {.mono = true, .take_focus = true, .placeholder = "path ending in .png or .svg"});
    const bool usable = d.state.query.ends_with(".png") || d.state.query.ends_with(".svg");
    const bool go = ui::button(
        d.ui, "go", {box.right() - 24 - 120, box.bottom() - 52, 120, 36}, "Export",
        {.kind = ui::ButtonKind::primary, .disabled = usable ? "" : "The name must end in .png or .svg"});
    if ((go || field.submitted) && usable) {
        d.out.push_back(ExportFile{d.state.query});
        close = true;
    }
    if (field.cancelled) close = true;
}

} // namespace speclens
