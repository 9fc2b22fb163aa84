#include "scenes/failures/batch_lanes.h"

#include <algorithm>

#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Role;

constexpr std::size_t kMostRounds = 8;

std::string sum_words(const BatchLanes& lanes) {
    return counted(lanes.refused, "row") + " of " + std::to_string(lanes.rows) + " (" +
           ui::number(lanes.rows > 0 ? 100.0 * lanes.refused / lanes.rows : 0, 0) + " %) were refused guesses" +
           (lanes.prompt > 0 ? ", " + std::to_string(lanes.prompt) + " prompt" : "");
}

// The rows of one text in one pass, side by side.
void draw_rows(const FailuresDraw& d, const BatchLane& lane, Rect box) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    if (lane.rows == 0) return;
    if (lane.did != BatchLane::Did::decoded) {
        c.fill(box, t.muted.alpha(0.35F), 2);
        return;
    }
    const float w = box.w / static_cast<float>(lane.rows);
    for (int row = 0; row < lane.rows; ++row) {
        const Rect cell{box.x + w * static_cast<float>(row), box.y, std::max(1.0F, w - 1), box.h};
        if (row == 0) {
            c.fill(cell, t.role(Role::target), 1);
        } else if (row <= lane.accepted) {
            c.fill(cell, t.role(Role::accepted), 1);
        } else {
            c.fill(cell, t.role(Role::rejected).alpha(0.25F), 1);
            c.hatch(cell, t.role(Role::rejected).alpha(0.8F), 4);
        }
    }
}

// What the colours say, in one line, as far as it fits.
void draw_key(const FailuresDraw& d, Rect r) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    struct Entry {
        const char* words;
        Role role;
        bool refused;
    };
    constexpr Entry kEntries[] = {
        {"pending token", Role::target, false}, {"kept", Role::accepted, false}, {"refused", Role::rejected, true}};
    float x = r.x;
    for (const Entry& entry : kEntries) {
        const float w = c.text_width(entry.words, Font::text, 14);
        if (x + 16 + w > r.right()) return;
        const Rect box{x, r.y + 3, 11, 11};
        c.fill(box, entry.refused ? t.role(entry.role).alpha(0.25F) : t.role(entry.role), 1);
        if (entry.refused) c.hatch(box, t.role(entry.role).alpha(0.8F), 4);
        c.text({x + 16, r.y + 14}, entry.words, Font::text, 14, t.muted);
        x += 16 + w + 16;
    }
    if (x + 16 + c.text_width("prompt", Font::text, 14) > r.right()) return;
    c.fill({x, r.y + 3, 11, 11}, t.muted.alpha(0.35F), 1);
    c.text({x + 16, r.y + 14}, "prompt", Font::text, 14, t.muted);
}

} // namespace

BatchLanes batch_lanes(const SweepCell& cell) {
    BatchLanes lanes;
    std::vector<int> sits; // the text of each seat; -1: nobody
    for (const BatchRound& round : cell.rounds) {
        for (int& text : sits)
            if (std::ranges::none_of(round.lanes, [&](const BatchLane& lane) { return lane.text == text; })) text = -1;
        BatchLanes::Round& shown = lanes.rounds.emplace_back();
        for (const BatchLane& lane : round.lanes) {
            auto seat = std::ranges::find(sits, lane.text);
            if (seat == sits.end()) seat = std::ranges::find(sits, -1);
            if (seat == sits.end()) seat = sits.insert(sits.end(), lane.text);
            *seat = lane.text;
            const auto at = static_cast<std::size_t>(seat - sits.begin());
            if (shown.seats.size() <= at) shown.seats.resize(at + 1);
            shown.seats[at] = &lane;
            lanes.rows += lane.rows;
            if (lane.did == BatchLane::Did::decoded)
                lanes.refused += lane.drafted() - lane.accepted;
            else
                lanes.prompt += lane.rows;
        }
        shown.rows = round.rows;
        shown.ms = round.ms();
    }
    lanes.seats = static_cast<int>(sits.size());
    return lanes;
}

void draw_batch_lanes(const FailuresDraw& d, const SweepCell& cell, Rect area) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const BatchLanes lanes = batch_lanes(cell);
    ui::fitted_text(c, {area.x, area.y + 14}, "The batch, round by round", Font::text_bold, 15, t.ink, area.w);
    ui::fitted_text(c, {area.x, area.y + 34}, counted(cell.concurrency, "text") + " at once; a cell: its rows in one pass", Font::text, 14,
                    t.muted, area.w);
    if (lanes.rounds.empty()) return;
    draw_key(d, {area.x, area.y + 42, area.w, 18});
    const std::size_t shown = std::min(lanes.rounds.size(), kMostRounds);
    const Rect grid{area.x + 8, area.y + 70, area.w - 8, area.h - 70 - 84};
    const float w = grid.w / static_cast<float>(shown), h = std::min(26.0F, grid.h / static_cast<float>(std::max(1, lanes.seats)));
    const float bottom = grid.y + h * static_cast<float>(lanes.seats);
    for (std::size_t i = 0; i < shown; ++i) {
        const BatchLanes::Round& round = lanes.rounds[i];
        const float x = grid.x + w * static_cast<float>(i);
        for (std::size_t seat = 0; seat < round.seats.size(); ++seat)
            if (round.seats[seat])
                draw_rows(d, *round.seats[seat], {x, grid.y + h * static_cast<float>(seat), w - 8, std::max(3.0F, h - 3)});
        if (w < 34) continue;
        c.text({x, bottom + 16}, std::to_string(round.rows), Font::mono, 14, t.ink);
        c.text({x, bottom + 34}, ui::number(round.ms, round.ms < 10 ? 1 : 0), Font::mono, 14, t.muted);
    }
    ui::fitted_text(c, {area.x, bottom + 54}, "rows of the pass, ms of the round", Font::text, 14, t.muted, area.w);
    ui::fitted_text(c, {area.x, bottom + 72}, sum_words(lanes), Font::text, 14, t.ink, area.w);
}

std::string describe_batch_lanes(const SweepCell& cell) {
    const BatchLanes lanes = batch_lanes(cell);
    std::string text = "The batch: " + counted(cell.concurrency, "text") + " at once, " +
                       counted(static_cast<int>(lanes.rounds.size()), "round") + "; " + sum_words(lanes) + "\n";
    for (const BatchLanes::Round& round : lanes.rounds) {
        text += "  " + counted(round.rows, "row") + ":";
        for (const BatchLane* lane : round.seats)
            text += lane == nullptr                        ? " -"
                    : lane->did == BatchLane::Did::decoded ? " " + std::to_string(lane->accepted) + "/" + std::to_string(lane->drafted())
                                                           : " p" + std::to_string(lane->rows);
        text += "\n";
    }
    return text;
}

} // namespace speclens
