#include "scenes/failures/batch_lanes.h"

#include <algorithm>

#include "scenes/shared/panel.h"
#include "ui/format.h"
#include "ui/text_layout.h"

namespace speclens {
namespace {

constexpr std::size_t kMostRounds = 8;

// Of a round all that is drawn as cells.
Message round_words(const BatchLanes& lanes, std::size_t i) {
    const BatchLanes::Round& round = lanes.rounds[i];
    const auto seat = [](const BatchLane* lane) {
        if (lane == nullptr) return failures_says("lanes.seat:free"_t);
        if (lane->did != BatchLane::Did::decoded) return failures_says("lanes.seat:prompt"_t, "rows"_v = lane->rows);
        return failures_says("lanes.seat:decoded"_t, "kept"_v = lane->accepted, "guesses"_v = lane->drafted());
    };
    return failures_says("lanes.round"_t, "round"_v = i + 1, "rows"_v = round.rows, "ms"_v = round.ms,
                         "seats"_v = each_said(round.seats, seat));
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
    const std::pair<Message, std::optional<Role>> entries[] = {{failures_says("lanes.key:pending"_t), Role::target},
                                                               {failures_says("lanes.key:kept"_t), Role::accepted},
                                                               {failures_says("lanes.key:refused"_t), Role::rejected},
                                                               {failures_says("lanes.key:prompt"_t), std::nullopt}};
    marks_key(d.ui, {r.x, r.y + 14}, r.right(), entries, [&](Rect box, std::optional<Role> role) {
        const bool refused = role == Role::rejected;
        c.fill(box, !role ? t.muted.alpha(0.35F) : refused ? t.role(*role).alpha(0.25F) : t.role(*role), 1);
        if (refused) c.hatch(box, t.role(*role).alpha(0.8F), 4);
    });
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
    part_head(d.ui, area, failures_says("lanes.title"_t), {failures_says("lanes.under"_t, "texts"_v = cell.concurrency)});
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
        c.tell(round_words(lanes, i), {x, grid.y, w, bottom - grid.y});
        if (w < 34) continue;
        c.print({x, bottom + 16}, std::to_string(round.rows), Font::mono, 14, t.ink);
        c.print({x, bottom + 34}, ui::number(round.ms, round.ms < 10 ? 1 : 0), Font::mono, 14, t.muted);
    }
    for (std::size_t i = shown; i < lanes.rounds.size(); ++i) c.tell(round_words(lanes, i), area);
    ui::fitted_text(c, {area.x, bottom + 54}, failures_says("lanes.axis"_t), Font::text, 14, t.muted, area.w);
    ui::fitted_text(c, {area.x, bottom + 72},
                    failures_says("lanes.sum"_t, "refused"_v = lanes.refused, "rows"_v = lanes.rows,
                                  "share"_v = lanes.rows > 0 ? static_cast<double>(lanes.refused) / lanes.rows : 0.0,
                                  "prompt"_v = lanes.prompt),
                    Font::text, 14, t.ink, area.w);
}

} // namespace speclens
