// The dialog frame and its simple contents: prompt editor, keys, description, file names.
#include "app/frame/popups.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "engine/drafters/drafter_info.h"
#include "engine/fetch/fetchable.h"
#include "kernels/error.h"
#include "scenes/shared/speak.h"
#include "scenes/shared/words.h"
#include "ui/text_field.h"
#include "ui/text_layout.h"
#include "ui/widgets.h"

namespace speclens {
namespace {

ui::Vec2 wanted_size(Popup popup) {
    switch (popup) {
    case Popup::palette: return {640, 480};
    case Popup::fork: return {560, 460};
    case Popup::prompt: return {760, 600};
    case Popup::keys: return {860, 640};
    case Popup::glossary: return {860, 560};
    case Popup::quiz: return {680, 620};
    case Popup::description: return {760, 680};
    case Popup::open_file: return {760, 480};
    case Popup::models: return {640, 480};
    case Popup::export_frame: return {640, 176};
    case Popup::lengths: return {760, 600};
    case Popup::none: break;
    }
    return {};
}

void heading(const FrameDraw& d, Rect box, const Message& words) {
    ui::fitted_text(d.ui.canvas, {box.x + 24, box.y + 38}, words, Font::text_bold, 20, d.ui.theme.ink, box.w - 80);
}

constexpr float kTextLine = 24;

ui::ParagraphStyle text_style(const FrameDraw& d) { return {.color = d.ui.theme.ink}; }

std::string frame_words(const FrameDraw& d) {
    return d.input.active ? in_english([&] { return d.input.active->describe(d.input.scene); }) : "";
}

float text_height(const FrameDraw& d, float box_width) {
    return static_cast<float>(ui::paragraph_lines(d.ui.canvas, box_width - 64, frame_words(d), text_style(d))) * kTextLine + 8;
}

// A dialog that is only read: arrows, Page, Home and End scroll it, and it opens at its beginning.
float begin_reading(const FrameDraw& d, std::string_view name, Rect view, float height) {
    if (d.state.opened_now) d.ui.state.scroll.erase(d.ui.id(name));
    ui::take_scroll_keys(d.ui, name, view, height);
    return ui::begin_scroll(d.ui, name, view, height);
}

bool prompt_is_changed(const FrameDraw& d) {
    const RunSettings* now = d.input.scene.settings;
    return now && (d.state.prompt != now->prompt.text || d.state.system != now->prompt.system || d.state.chat != d.state.chat_at_first);
}

constexpr std::size_t kGoodPrompts = 6;

// Of every domain one, then second ones: what the loaded model was made for.
std::vector<const GalleryPrompt*> good_prompts(const std::vector<GalleryPrompt>& gallery) {
    std::vector<const GalleryPrompt*> good;
    for (std::size_t round = 0; round < kGoodPrompts && good.size() < kGoodPrompts; ++round) {
        std::map<std::string, std::size_t> seen;
        for (const GalleryPrompt& one : gallery)
            if (seen[one.domain]++ == round && one.domain != "robustness" && good.size() < kGoodPrompts) good.push_back(&one);
    }
    return good;
}

// They are rows of two, each as it would be typed. Returns how high they are.
float draw_good_prompts(const FrameDraw& d, Rect area) {
    constexpr float kHeight = 30, kPitch = 34, kBetween = 8;
    const std::vector<const GalleryPrompt*> good = good_prompts(*d.input.gallery);
    const float w = (area.w - kBetween) / 2;
    for (std::size_t i = 0; i < good.size(); ++i) {
        const Rect at{area.x + (i % 2 == 1 ? w + kBetween : 0), area.y + kPitch * static_cast<float>(i / 2), w, kHeight};
        std::string words = good[i]->prompt.substr(0, 200);
        std::ranges::replace(words, '\n', ' ');
        const ui::Touch touched = ui::touch(d.ui, d.ui.id("good " + std::to_string(i)), at, {.grow = false});
        d.ui.canvas.fill(at, touched.hovered ? d.ui.theme.line : d.ui.theme.raised, 6);
        if (touched.focused) ui::focus_ring(d.ui.canvas, d.ui.theme, at);
        const std::string shown = ui::fit_printed(d.ui.canvas, words, Font::text, 15, at.w - 24);
        d.ui.canvas.print({at.x + 12, ui::baseline(at.y, at.h, 15)}, shown, Font::text, 15, d.ui.theme.ink);
        if (!touched.clicked) continue;
        d.state.prompt = good[i]->prompt;
        d.state.system = good[i]->system;
        d.state.chat = good[i]->chat;
        d.ui.state.auto_focus = 0; // the field takes the focus again: Enter starts it
    }
    return kPitch * static_cast<float>((good.size() + 1) / 2);
}

bool built_in_model(const FrameDraw& d) { return d.input.scene.status && d.input.scene.status->built_in; }

// Words that the built-in model was not made for.
bool beyond_the_model(const FrameDraw& d) {
    return built_in_model(d) && d.input.gallery && !d.input.gallery->empty() &&
           std::ranges::find(*d.input.gallery, d.state.prompt, &GalleryPrompt::prompt) == d.input.gallery->end();
}

// Enter while a choice has the focus, which the keyboard or a click may have brought there; an open list keeps its own.
bool enter_on_a_choice(const FrameDraw& d, std::span<const Message> kinds) {
    d.ui.push_id("kind");
    const bool kind = std::ranges::any_of(kinds, [&](const Message& one) { return d.ui.focused(d.ui.id(one)); });
    d.ui.pop_id();
    return (kind || d.ui.focused(d.ui.id("preset"))) && d.ui.take_press({.key = ui::Key::enter}, true);
}

// The run that the prompt editor would start.
RunSettings edited_run(const FrameDraw& d) {
    RunSettings settings = *d.input.scene.settings;
    Prompt before = std::exchange(settings.prompt, {.text = d.state.prompt, .system = d.state.system, .chat = d.state.chat});
    settings.prompt.thinking = before.thinking;
    if (before.text == settings.prompt.text) settings.prompt.parts = std::move(before.parts); // else it is no conversation any more
    settings.fork = 0;
    return settings;
}

// How long that run's prompt is; none where nothing can count it, and no_room says why.
std::optional<PromptRoom> counted_prompt(const FrameDraw& d) {
    FrameUi& s = d.state;
    if (!d.input.prompt_room || !d.input.scene.settings) {
        s.no_room.clear();
        return {};
    }
    if (RunSettings now = edited_run(d); s.room.holds == 0 || !(s.counted == now)) {
        s.no_room.clear();
        try {
            s.room = (*d.input.prompt_room)(now);
        } catch (const Error& error) { // no tokenizer, or a chat in a template that is not known
            s.room = {};
            s.no_room = error.what();
        }
        s.counted = std::move(now);
    }
    return s.room.holds > 0 ? std::optional(s.room) : std::nullopt;
}

// "Ctrl+Shift+→" of a scene hides the same key of the window.
bool has_own_key(const KeyRows& rows, const std::string& shortcut) {
    for (const auto& [keys, does] : rows) {
        std::string held; // "Shift+→ ←": Shift holds for both
        for (std::size_t at = 0; at < keys.size();) {
            const std::size_t end = std::min(keys.find(' ', at), keys.size());
            std::string key = keys.substr(at, end - at);
            if (const std::size_t plus = key.rfind('+'); plus != std::string::npos && plus > 0)
                held = key.substr(0, plus + 1);
            else
                key = held + key;
            if (key == shortcut) return true;
            at = end + 1;
        }
    }
    return false;
}

// What every key does here, the scene's own first.
KeyRows key_rows(const FrameDraw& d) {
    const KeyRows own = d.input.active ? d.input.active->keys() : KeyRows();
    std::string drafters; // "1 none, 2 small, …"
    const auto& list = drafter_list();
    for (std::size_t i = 0; i < list.size() && i < 9; ++i)
        drafters += (i > 0 ? ", " : "") + std::to_string(i + 1) + "\u00a0" + list[i].name;
    const std::string digits = "1 … 9";
    KeyRows rows = own;
    for (auto& [keys, does] : rows)
        if (keys == digits) does = frame_says("keyboard.with_drafters"_t, "does"_v = does, "drafters"_v = drafters);
    for (const ActionInfo& info : action_list())
        if (*info.shortcut && !has_own_key(own, info.shortcut))
            rows.emplace_back(info.shortcut, frame_says("keyboard.action"_t, "action"_v = info.label)); // without "…"
    if (std::ranges::find(own, digits, &KeyRows::value_type::first) == own.end())
        rows.emplace_back(digits, frame_says("keyboard.drafters"_t, "drafters"_v = drafters));
    if (d.layout.density == Density::single) rows.emplace_back("Alt+← → ↑ ↓", frame_says("keyboard.pan"_t));
    rows.emplace_back("Tab", frame_says("keyboard.tab"_t));
    return rows;
}

} // namespace

void draw_popup(const FrameDraw& d) {
    ui::Ui& ui = d.ui;
    const ui::Vec2 wanted = wanted_size(d.state.popup);
    const Rect s = ui.screen;
    float w = std::min(wanted.x, s.w - 24), h = std::min(wanted.y, s.h - 24);
    // Lists are as high as they need to be.
    if (d.state.popup == Popup::palette)
        h = std::min(h, 112 + 34 * static_cast<float>(std::max<std::size_t>(1, palette_rows(d.input, d.state.query).size())));
    if (d.state.popup == Popup::open_file)
        h = std::min(h, 112 + problem_height(d.state) +
                            34 * static_cast<float>(std::max<std::size_t>(1, open_rows(d.input, d.state.query).size())));
    if (d.state.popup == Popup::models)
        h = std::min(h, 112 + 34 * static_cast<float>(std::max<std::size_t>(1, model_rows(d.input, d.state.query).size())));
    if (d.state.popup == Popup::fork) h = std::min(h, 96 + 34 * static_cast<float>(std::max<std::size_t>(1, fork_rows(d.input).size())));
    if (d.state.popup == Popup::description) h = std::min(h, 76 + text_height(d, w));
    if (d.state.popup == Popup::quiz) h = std::min(h, quiz_height(d, w));
    const bool high = d.state.popup == Popup::palette || d.state.popup == Popup::open_file || d.state.popup == Popup::models;
    const Rect box{s.x + (s.w - w) / 2, high ? s.y + std::min(72.0F, (s.h - std::min(wanted.y, s.h - 24)) / 2) : s.y + (s.h - h) / 2, w, h};
    ui.begin_layer();
    ui.canvas.fill(s, ui::Color{0, 0, 0, 110});
    ui.canvas.fill(box, ui.theme.panel, 8);
    ui.canvas.outline(box, {ui.theme.muted, ui.theme.edge_width}, 8);
    ui.push_id("popup " + std::to_string(static_cast<int>(d.state.popup)));
    bool close = false;
    const Popup shown = d.state.popup;
    switch (shown) {
    case Popup::palette: draw_palette(d, box, close); break;
    case Popup::fork: draw_fork(d, box, close); break;
    case Popup::prompt: draw_prompt_editor(d, box, close); break;
    case Popup::keys: draw_keys_panel(d, box, close); break;
    case Popup::description: draw_description(d, box, close); break;
    case Popup::glossary: draw_glossary(d, box, close); break;
    case Popup::quiz: draw_quiz(d, box, close); break;
    case Popup::open_file: draw_open(d, box, close); break;
    case Popup::models: draw_models(d, box, close); break;
    case Popup::export_frame: draw_export(d, box, close); break;
    case Popup::lengths: draw_lengths(d, box, close); break;
    case Popup::none: break;
    }
    if (ui.take_press({.key = ui::Key::escape}, true)) close = true;
    // A click beside the dialog leaves it, but not what somebody has typed.
    if (ui.reachable() && ui.input.pressed && !box.contains(ui.input.mouse) && !d.state.opened_now) {
        if (shown == Popup::prompt && prompt_is_changed(d))
            ui.press_used = true; // the field keeps the focus
        else
            close = true;
    }
    d.state.opened_now = false;
    ui.pop_id();
    ui.end_layer();
    if (close && d.state.popup == shown) {
        d.state.popup = Popup::none;
        // The next key is for what lay below.
        ui.seen_layer = ui.layer;
        ui.text_seen = ui.auto_focus_seen = false;
        ui.wake(ui.input.time);
    }
}

void draw_prompt_editor(const FrameDraw& d, Rect box, bool& close) {
    FrameUi& s = d.state;
    heading(d, box, frame_says("prompt.title"_t));
    const float x = box.x + 24, w = box.w - 48;
    const std::array<Message, 2> kinds = {frame_says("prompt.raw"_t), frame_says("prompt.chat"_t)};
    const bool on_choice = enter_on_a_choice(d, kinds);
    if (d.ui.take_press({.key = ui::Key::f2}, true)) s.chat = !s.chat;
    if (const auto pick =
            ui::segmented(d.ui, "kind", {box.right() - 24 - ui::segmented_width(d.ui.canvas, kinds), box.y + 16}, kinds, s.chat ? 1 : 0))
        s.chat = *pick == 1;
    const bool roomy = box.h >= 520;
    float y = box.y + 76;
    if (d.input.scene.status && d.input.prompt_room) {
        y = ui::paragraph(d.ui.canvas, {x, y}, w, able_words(built_in_model(d), d.input.scene.status->model),
                          {.color = d.ui.theme.muted, .max_lines = roomy ? 2 : 1}) -
            8;
    } else {
        y -= 8;
    }
    if (roomy && d.input.gallery && !d.input.gallery->empty()) y += draw_good_prompts(d, {x, y, w, 0}) + 4;
    if (d.input.gallery && !d.input.gallery->empty()) {
        std::vector<ui::Choice> presets;
        for (const GalleryPrompt& g : *d.input.gallery) {
            std::string line = g.prompt.substr(0, 200);
            std::ranges::replace(line, '\n', ' ');
            presets.push_back({ui::fit(d.ui.canvas, line, Font::text, 15, w - 220),
                               frame_says("prompt.domain"_t, "domain"_v = domain_said(g.domain), "chat"_v = g.chat)});
        }
        if (const auto pick = ui::dropdown(d.ui, "preset", {x, y, w, 36}, presets, -1,
                                           {.placeholder = roomy ? frame_says("prompt.more"_t) : frame_says("prompt.presets"_t)})) {
            const GalleryPrompt& g = (*d.input.gallery)[static_cast<std::size_t>(*pick)];
            s.prompt = g.prompt;
            s.system = g.system;
            s.chat = g.chat;
        }
        y += 48;
    }
    const bool empty = s.prompt.find_first_not_of(" \n\t") == std::string::npos;
    const bool beyond = roomy && !empty && beyond_the_model(d);
    const Rect field{x, y, w, box.bottom() - y - 72 - (beyond ? 48.0F : 0.0F)};
    const ui::TextFieldResult result = ui::text_field(
        d.ui, "prompt", field, s.prompt,
        {.multi_line = true, .enter_submits = true, .take_focus = true, .select_all = true, .placeholder = frame_says("prompt.field"_t)});
    const std::optional<PromptRoom> room = counted_prompt(d);
    const bool long_one = room && !room->fits();
    Message off = room ? "" : s.no_room;
    if (long_one) off = frame_says("prompt.too_long"_t, "tokens"_v = room->tokens - room->holds + 1);
    if (empty) off = frame_says("prompt.none"_t);
    const bool told = !empty && !off.empty();
    ui::fitted_text(d.ui.canvas, {x, box.bottom() - (room ? 42.0F : 32.0F)}, told ? off : frame_says("prompt.keys"_t, "chat"_v = s.chat),
                    Font::text, 14, told ? d.ui.theme.ink : d.ui.theme.muted, w - 136);
    if (room)
        d.ui.canvas.text({x, box.bottom() - 20}, frame_says("prompt.room"_t, "tokens"_v = room->tokens, "holds"_v = room->holds),
                         Font::mono, 14, long_one ? d.ui.theme.role(ui::Role::rejected) : d.ui.theme.muted);
    const bool start = ui::button(d.ui, "start", {box.right() - 24 - 120, box.bottom() - 56, 120, 36}, frame_says("prompt.start"_t),
                                  {.kind = ui::ButtonKind::primary, .icon = ui::Icon::play, .disabled = off});
    if (beyond) {
        const Fetchable& real = fetchables().front();
        const bool there = d.input.models &&
                           std::ranges::any_of(*d.input.models, [&](const ModelChoice& one) { return one.word == real.name && one.there; });
        const Message button =
            there ? frame_says("prompt.use"_t, "model"_v = real.title) : frame_says("models.get"_t, "model"_v = real.title);
        const float width = ui::button_width(d.ui.canvas, button);
        ui::paragraph(d.ui.canvas, {x, field.bottom() + 22}, w - width - 16, frame_says("prompt.beyond"_t),
                      {.size = 14, .color = d.ui.theme.ink, .max_lines = 2});
        if (d.input.engine && ui::button(d.ui, "real", {x + w - width, field.bottom() + 8, width, 36}, button,
                                         {.tooltip = frame_says("prompt.real_about"_t)})) {
            if (off.empty() && d.input.scene.settings) d.out.push_back(AskPrompt{edited_run(d)});
            d.out.push_back(PickModel{real.name});
            close = true;
        }
    }
    const bool submitted = // whichever part of the dialog has the focus, but for a button, which has taken its Enter
        result.submitted || on_choice || d.ui.take_press({.key = ui::Key::enter}, true) ||
        d.ui.take_press({.key = ui::Key::enter, .ctrl = true}, true);
    if ((start || submitted) && off.empty() && d.input.scene.settings) {
        d.out.push_back(AskPrompt{edited_run(d)});
        close = true;
    }
    if (result.cancelled) close = true;
}

void draw_keys_panel(const FrameDraw& d, Rect box, bool&) {
    heading(d, box, frame_says("keys.label"_t));
    const auto rows = key_rows(d);
    const float columns = box.w >= 700 ? 2 : 1, width = (box.w - 48) / columns, words = width - 152;
    const ui::ParagraphStyle style{.color = d.ui.theme.muted};
    std::vector<float> heights;
    float whole = 0;
    for (const auto& [key, does] : rows)
        whole += heights.emplace_back(kTextLine * static_cast<float>(ui::paragraph_lines(d.ui.canvas, words, does, style)));
    // Down one column, then down the next one.
    std::vector<ui::Vec2> places;
    float x = box.x + 24, y = 0, height = 0;
    for (const float h : heights) {
        if (y > 0 && y + h / 2 > whole / columns && x + width < box.right() - 24) x += width, y = 0;
        places.push_back({x, y});
        y += h;
        height = std::max(height, y);
    }
    const Rect view{box.x, box.y + 56, box.w, box.h - 72};
    const float up = begin_reading(d, "keys", view, height + 8);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const ui::Vec2 at{places[i].x, view.y + 18 + places[i].y - up};
        d.ui.canvas.text(at, ui::key_words(rows[i].first), Font::mono, 14, d.ui.theme.ink);
        ui::paragraph(d.ui.canvas, {at.x + 136, at.y}, words, rows[i].second, style);
    }
    ui::end_scroll(d.ui);
}

void draw_description(const FrameDraw& d, Rect box, bool&) {
    const std::string words = frame_words(d);
    heading(d, {box.x, box.y, box.w - 84, box.h}, frame_says("description.label"_t));
    if (ui::button(d.ui, "copy", {box.right() - 24 - 84, box.y + 12, 84, 36}, frame_says("buttons.copy"_t)))
        d.out.push_back(CopyText{words});
    const Rect view{box.x + 24, box.y + 60, box.w - 48, box.h - 76};
    const float up = begin_reading(d, "words", view, text_height(d, box.w));
    ui::paragraph(d.ui.canvas, {view.x, view.y + 18 - up}, view.w - 16, words, text_style(d));
    ui::end_scroll(d.ui);
}

void draw_export(const FrameDraw& d, Rect box, bool& close) {
    heading(d, box, frame_says("export.title"_t));
    const ui::TextFieldResult field = ui::text_field(d.ui, "path", {box.x + 24, box.y + 60, box.w - 48, 36}, d.state.query,
                                                     {.mono = true, .take_focus = true, .placeholder = frame_says("export.field"_t)});
    const bool usable = d.state.query.ends_with(".png") || d.state.query.ends_with(".svg");
    const bool go = ui::button(d.ui, "go", {box.right() - 24 - 120, box.bottom() - 52, 120, 36}, frame_says("export.go"_t),
                               {.kind = ui::ButtonKind::primary, .disabled = usable ? "" : frame_says("export.ending"_t)});
    if (d.input.can_browse && ui::button(d.ui, "browse", {box.x + 24, box.bottom() - 52, 116, 36}, frame_says("files.browse"_t),
                                         {.tooltip = frame_says("files.browse_about"_t)}))
        d.out.emplace_back(BrowseFiles{});
    if ((go || field.submitted) && usable) {
        d.out.push_back(ExportFile{d.state.query});
        close = true;
    }
    if (field.cancelled) close = true;
}

} // namespace speclens
