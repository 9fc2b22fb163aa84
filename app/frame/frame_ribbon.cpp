// The token ribbon: prompt, output with the origin of every token, and below it the ghosts of the shown
// round. The newest token is always visible; older ones leave to the left. Only what can be seen is measured.
#include <algorithm>
#include <ranges>
#include <string>
#include <vector>

#include "app/frame/frame.h"
#include "engine/base/utf8.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/motion.h"
#include "scenes/shared/words.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

constexpr float kDivider = 24;      // between prompt and output
constexpr const char* kJoins = "‹"; // the character before goes on in this token

struct Item {
    std::string label{};  // chip label, or the plain text of a prompt token
    std::string folded{}; // markers of a chat, which stand as one chip; empty: no markers
    bool prompt = false;
    Role role = Role::accepted;
    Position position{}; // of the token in its round
    std::size_t at = 0;  // in the text
    float w = 0, gap = 8;
};

// The token that the target added to a round, where it is in the text.
const TargetToken* own_token(const RunView& whole, const RoundSummary& round) {
    const Committed* commit = commit_of(whole, round);
    return commit && drops_own_token(*commit) ? nullptr : round.resample;
}

// Prompt tokens are running text: no marks, line breaks as one space.
std::string running(std::string text) {
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    return text;
}

// What token `at` of a text shows: the characters that begin in it. The rest of one that began before it is
// left out, and `joins` says so; bytes stay only where they make no character.
struct Piece {
    std::string bytes;
    bool joins = false;
};
Piece piece_of(const Trace& trace, const std::vector<int>& tokens, std::size_t at) {
    constexpr std::size_t kReach = 3; // bytes of a character beyond its first
    std::string before, own = trace.text(tokens[at]), after;
    for (std::size_t i = at; i-- > 0 && before.size() < kReach;) before = trace.text(tokens[i]) + before;
    for (std::size_t i = at + 1; i < tokens.size() && after.size() < kReach; ++i) after += trace.text(tokens[i]);
    if (before.size() > kReach) before.erase(0, before.size() - kReach);
    const std::string text = before + own + after;
    const std::size_t begin = before.size(), end = begin + own.size();
    Piece piece;
    for (std::size_t i = 0; i < end;) {
        std::size_t length = 1;
        while (length <= kReach + 1 && !is_valid_utf8(std::string_view(text).substr(i, length))) ++length;
        if (length > kReach + 1) length = 1; // no character begins here
        if (i >= begin)
            piece.bytes += text.substr(i, length);
        else if (i + length > begin)
            piece.joins = true;
        i += length;
    }
    return piece;
}

int prompt_shown(const RunView& view) { return view.header && starts_empty(*view.header) ? 0 : view.prompt_tokens; }

// Output from the newest to the oldest, until the width is used up. `own` receives the index in the list of
// the token that replaced a draft token (or the last one).
std::vector<Item> newest_first(const FrameDraw& d, float room, float chip_height) {
    const SceneInput& in = d.input.scene;
    const RunView& view = *in.view;
    std::vector<Item> items;
    float used = 0;
    const auto add = [&](Item item) {
        item.w = !item.folded.empty() ? d.ui.canvas.text_width(frame_says("ribbon.chat"_t), Font::text, 14) + 16
                 : item.prompt        ? d.ui.canvas.text_width(item.label, Font::mono, 17)
                                      : ui::chip_width(d.ui.canvas, item.label, chip_height);
        item.gap = item.prompt && item.folded.empty() ? 0 : 8;
        used += item.w + item.gap;
        items.push_back(std::move(item));
        return used < room;
    };
    // The text, and of the open round what is already certain.
    std::vector<int> ids;
    for (const OutputToken& token : view.tokens) ids.push_back(token.id);
    const std::size_t begin = prompt_shown(view) > 0 ? 0 : static_cast<std::size_t>(view.prompt_tokens);
    std::vector<Item> open;
    const RoundSummary* round = view.current();
    if (round && !round->complete()) {
        for (const int kept : round->path) {
            ids.push_back(round->drafts[static_cast<std::size_t>(kept)].draft->token);
            open.push_back({.role = Role::accepted, .position = {round->round, kept}});
        }
        if (const TargetToken* own = own_token(*in.whole, *round)) {
            ids.push_back(own->token);
            open.push_back({.role = role_of(own->from), .position = {round->round, round->own_slot()}});
        }
    }
    const std::vector<bool> marks = chat_markers(*in.trace, view);
    bool more = true;
    for (std::size_t i = ids.size(); more && i-- > begin;) {
        Item item;
        if (i < marks.size() && marks[i]) {
            item.prompt = true;
            item.at = i;
            for (; i >= begin && marks[i]; --i) {
                item.folded = in.trace->text(ids[i]) + item.folded;
                if (i == begin) break;
            }
            if (!marks[i]) ++i;
            more = add(std::move(item));
            continue;
        }
        if (i >= view.tokens.size()) {
            item = open[i - view.tokens.size()];
        } else {
            const OutputToken& token = view.tokens[i];
            item.prompt = token.origin == Origin::prompt;
            item.role = role_of(token.origin);
            item.position = {token.round, token.index};
        }
        item.at = i;
        const Piece piece = piece_of(*in.trace, ids, i);
        if (item.prompt) {
            item.label = running(piece.bytes);
        } else {
            if (piece.joins) item.label = kJoins;
            if (!piece.joins || !piece.bytes.empty()) item.label += ui::token_label(piece.bytes);
        }
        more = add(std::move(item));
    }
    return items;
}

// The event that brought a token of the round on screen: its verdict, or the draw of the target's own.
const void* brought_by(const FrameDraw& d, Position position) {
    const RoundSummary* round = d.input.scene.view->current();
    if (d.input.scene.moving.empty() || !round || position.round != round->round) return nullptr;
    if (position.index < 0 || position.index == round->own_slot()) return own_token(*d.input.scene.whole, *round);
    const auto index = static_cast<std::size_t>(position.index);
    return index < round->drafts.size() ? round->drafts[index].check : nullptr;
}

// From where the picture shows it to the output. It leaves its place there while the double settles.
struct Flight {
    const Item* item;
    Rect to;
    float t;
};
constexpr float kLeaves = 0.55F;
void draw_flight(const FrameDraw& d, const Flight& flight) {
    const int index = flight.item->position.index >= 0 ? flight.item->position.index : d.input.scene.view->current()->own_slot();
    const auto& places = *d.input.scene.places;
    const auto from = places.find(place_of({flight.item->position.round, index}));
    const bool fades = d.input.scene.reduced_motion || from == places.end(); // another scene shows no chip to take on
    if (!d.input.scene.reduced_motion && flight.t < kLeaves) return;
    const float t = d.input.scene.reduced_motion ? flight.t : eased(flight.t, kLeaves, 1);
    ui::chip(d.ui.canvas, d.ui.theme, fades ? flight.to : between(from->second, flight.to, t), flight.item->label,
             {.role = flight.item->role, .alpha = fades ? t : 1});
}

// Returns where they begin; `right` where there are none.
float draw_ghosts(const FrameDraw& d, float own_x, float own_w, float y, float chip_bottom, float left, float right) {
    const RunView& view = *d.input.scene.view;
    const RoundSummary* round = view.current();
    if (!round) return right;
    std::vector<std::pair<std::string, Role>> ghosts;
    for (const DraftSlot& slot : round->drafts) {
        if (slot.state != DraftSlot::State::rejected && slot.state != DraftSlot::State::discarded) continue;
        ghosts.emplace_back(label_of(*d.input.scene.trace, slot.draft->token),
                            slot.state == DraftSlot::State::rejected ? Role::rejected : Role::discarded);
    }
    if (ghosts.empty()) return right;
    ui::Canvas& c = d.ui.canvas;
    float width = 0;
    for (const auto& [label, role] : ghosts) width += ui::chip_width(c, label, 28) + 8;
    float x = std::max(left, std::min(own_x + own_w / 2 + 14, right - width));
    const float begin = x, hook = own_x + 16;
    if (hook < x - 8) {
        c.line({hook, chip_bottom + 4}, {hook, y + 14}, {d.ui.theme.muted, 1.5F});
        c.line({hook, y + 14}, {x - 5, y + 14}, {d.ui.theme.muted, 1.5F});
    } else { // the ghosts had to move left: they lie below the chip
        c.line({hook, chip_bottom + 3}, {hook, y - 2}, {d.ui.theme.muted, 1.5F});
    }
    for (const auto& [label, role] : ghosts) {
        const float w = ui::chip_width(c, label, 28);
        if (x + w > right) {
            c.text({x, y + 19}, "…", Font::text, 14, d.ui.theme.muted);
            return std::min(begin, hook);
        }
        ui::chip(c, d.ui.theme, {x, y, w, 28}, label, {.role = role});
        x += w + 8;
    }
    const Message words = frame_says("ribbon.ghosts"_t, "ghosts"_v = ghosts.size());
    if (x + 8 + c.text_width(words, Font::text, 14) < right) c.text({x + 8, y + 19}, words, Font::text, 14, d.ui.theme.muted);
    return std::min(begin, hook);
}

// A token of the output and where it is drawn.
struct Placed {
    const Item* item;
    float x;
};

ui::Id chip_id(const FrameDraw& d, const Item& item) { return d.ui.id("token " + std::to_string(item.at)); }

// Which token Tab stops at: the newest, and from there the arrows lead to those before it.
ui::Id ribbon_stop(const FrameDraw& d, const std::vector<Placed>& placed) {
    std::vector<ui::Id> chips;
    for (const Placed& p : placed)
        if (!p.item->prompt) chips.push_back(chip_id(d, *p.item));
    return chips.empty() ? 0 : chips[ui::walk(d.ui, chips, chips.size() - 1, ui::Key::left, ui::Key::right)];
}

// A click leads to the end of the round that wrote the token, and selects it there.
void draw_chip(const FrameDraw& d, const Item& item, Rect box, bool newest, ui::Id stop) {
    const ui::Theme& t = d.ui.theme;
    const ui::Id id = chip_id(d, item);
    const ui::Touch touched = ui::touch(d.ui, id, box, {.grow = false, .stop = id == stop});
    ui::chip(d.ui.canvas, t, box, item.label, {.role = item.role, .selected = newest, .hovered = touched.hovered});
    if (touched.focused) d.ui.canvas.outline(box.inset(-3, -3), {t.ink, 2}, 9); // the ribbon has little room
    ui::tooltip(d.ui, box,
                frame_says("ribbon.token"_t, "role"_v = ui::role_words(item.role), "round"_v = std::max(0, item.position.round + 1)));
    if (!touched.clicked || item.position.round < 0) return;
    for (const RoundSummary& round : d.input.scene.whole->round_list) {
        if (round.round != item.position.round) continue;
        const int index = item.position.index >= 0 ? item.position.index : round.own_slot();
        d.out.push_back(SceneCommand{SetCursor{round.end_event}});
        d.out.push_back(SceneCommand{Select{Position{round.round, index}}});
    }
}

} // namespace

void draw_ribbon(const FrameDraw& d) {
    const Rect r = d.layout.ribbon;
    if (r.w <= 0) return;
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const RunView& view = *d.input.scene.view;
    const bool tall = d.layout.tall;
    const float chip_h = tall ? 32 : 28, chip_y = r.y + (tall ? 12.0F : 4.0F), ghost_y = r.y + (tall ? 52.0F : 34.0F);
    const float base = chip_y + chip_h / 2 + 6;

    const bool legend = tall && r.w >= 1300;
    const float left = r.x + 136, right = r.right() - (legend ? 488.0F : 16.0F);
    std::vector<Item> items = newest_first(d, right - left, chip_h);

    c.text({r.x + 16, r.y + (tall ? 31.0F : 23.0F)}, frame_says("region.output"_t), Font::text_bold, 15, t.ink);
    int out = view.output_tokens;
    if (const RoundSummary* round = view.current(); round && !round->complete())
        out += round->accepted + (own_token(*d.input.scene.whole, *round) ? 1 : 0);
    c.text({r.x + 16, r.y + (tall ? 55.0F : 47.0F)}, frame_says("ribbon.counts"_t, "prompt"_v = prompt_shown(view), "output"_v = out),
           Font::text, 14, t.muted);
    if (legend) ui::legend(c, t, {r.right() - 464, r.y + 20});

    if (items.empty()) {
        c.text({left, base}, frame_says("ribbon.empty"_t), Font::text, 14, t.muted);
        return;
    }
    // From the left when everything fits, else flush with the right end.
    float total = 0;
    for (const Item& item : items) total += item.w + item.gap;
    const bool divider = std::ranges::any_of(items, &Item::prompt);
    if (divider) total += kDivider;
    const bool fits = total + 12 <= right - left;
    float x = fits ? left : right - total - 12;
    std::vector<Placed> placed;
    bool in_prompt = divider;
    float divided = -1;
    for (const Item& item : items | std::views::reverse) {
        if (in_prompt && !item.prompt) {
            divided = x;
            x += kDivider;
            in_prompt = false;
        }
        // A token that is cut by the left end is left out: half a word says the wrong thing.
        if (x >= left - 1 || fits) placed.push_back({&item, x});
        x += item.w + item.gap;
    }
    d.ui.push_clip({left - 4, r.y + 1, right - left + 6, r.h - 1});
    if (divided >= 0) c.line({divided + 10.5F, chip_y}, {divided + 10.5F, chip_y + chip_h}, t.hairline());
    const ui::Id stop = ribbon_stop(d, placed);
    std::vector<Flight> flights;
    float own_x = -1, own_w = 0;
    for (const auto& [item, at] : placed) {
        if (!item->folded.empty()) {
            const Rect fold{at, chip_y + 4, item->w, chip_h - 8};
            c.outline(fold, {t.line, t.edge_width}, 4);
            c.text({fold.center().x, ui::baseline(fold.y, fold.h, 14)}, frame_says("ribbon.chat"_t), Font::text, 14, t.muted,
                   ui::Align::center);
            ui::tooltip(d.ui, fold, frame_says("ribbon.markers"_t, "markers"_v = ui::token_label(item->folded)));
            continue;
        }
        if (item->prompt) {
            if (!item->label.empty()) c.text({at, base}, item->label, Font::mono, 17, t.muted);
            continue;
        }
        const bool newest = item == &items.front();
        const Rect box{at, chip_y, item->w, chip_h};
        if (const float way = moved(d.input.scene, brought_by(d, item->position)); way < 1)
            flights.push_back({item, box, way});
        else
            draw_chip(d, *item, box, newest, stop);
        if (newest) {
            own_x = at;
            own_w = item->w;
        }
    }
    if (in_prompt) x += 8;
    c.fill({x + 2, chip_y + 4, 2, chip_h - 8}, t.ink);
    const float free = own_x >= 0 ? draw_ghosts(d, own_x, own_w, ghost_y, chip_y + chip_h, left, right) : right;
    // Where there is no column for it, the legend stands before what was not used.
    if (!legend && left + ui::legend_line_width(c) + 24 <= free) ui::legend_line(c, t, {left, ghost_y + 19});
    d.ui.pop_clip();
    for (const Flight& flight : flights) draw_flight(d, flight);
}

} // namespace speclens
