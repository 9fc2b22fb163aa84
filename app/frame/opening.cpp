#include "app/frame/opening.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/frame/frame.h"
#include "scenes/shared/words.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"
#include "ui/widgets.h"

namespace speclens {
namespace {

// When each part is over, in seconds.
constexpr double kWritten = 3, kDrafted = 5, kChecked = 7.8, kCounted = 10;
constexpr double kSweep = 1.4;   // of the pass that checks
constexpr double kPatience = 20; // for a run that does not come
constexpr float kChip = 44, kGap = 10;

// From 0 to 1 between two moments, slower towards the end.
float eased(double now, double from, double to) {
    const double t = std::clamp((now - from) / (to - from), 0.0, 1.0);
    return static_cast<float>(1 - (1 - t) * (1 - t) * (1 - t));
}

struct ShownDraft {
    std::string label;
    Role role = Role::draft; // once it is checked
};

// What of a run is shown: tokens that were written before a round, and that round.
struct Shown {
    std::vector<std::string> before; // labels, oldest first
    std::vector<ShownDraft> drafts;
    std::string own; // the target's own token; empty: none
    Role own_role = Role::target;
    int tokens = 0, passes = 0;
    bool same = false; // plain decoding writes the same text
    std::string target, drafter;
};

// A round that keeps at least two draft tokens, with some text before it; none: the run has nothing to show.
std::optional<Shown> shown_of(const SceneInput& in) {
    constexpr int kBefore = 5, kMostDrafts = 6;
    const RunView& whole = *in.whole;
    if (!whole.header || whole.rounds == 0 || whole.drafted == 0 || whole.header->nodes > 0) return {};
    const RoundSummary* best = nullptr;
    int best_start = 0, written = 0;
    for (const RoundSummary& round : whole.round_list) {
        if (!round.complete() || !round.commit) continue;
        const bool some = round.accepted >= 2 && static_cast<int>(round.drafts.size()) <= kMostDrafts + 2;
        const bool better = some && (!best || (best_start < 3 && written >= 3));
        if (better) best = &round, best_start = written;
        written += static_cast<int>(round.commit->tokens.size());
    }
    if (!best) return {};
    Shown shown;
    const auto first = static_cast<std::size_t>(whole.prompt_tokens), begin = first + static_cast<std::size_t>(best_start);
    for (std::size_t i = std::max(first, begin - std::min<std::size_t>(begin, kBefore)); i < begin; ++i)
        shown.before.push_back(label_of(*in.trace, whole.tokens[i].id));
    for (const DraftSlot& slot : best->drafts)
        if (static_cast<int>(shown.drafts.size()) < kMostDrafts || slot.state == DraftSlot::State::accepted)
            shown.drafts.push_back({label_of(*in.trace, slot.draft->token), role_of(slot.state)});
    if (best->resample) {
        shown.own = label_of(*in.trace, best->resample->token);
        shown.own_role = role_of(best->resample->from);
    }
    shown.tokens = whole.output_tokens;
    shown.passes = whole.rounds;
    shown.same = whole.header->sampling.temperature == 0;
    shown.target = in.status && in.status->built_in ? "tiny" : whole.header->model;
    shown.drafter = whole.header->drafter;
    return shown;
}

Message count_words(const Shown& shown) {
    return frame_says("intro.counted"_t, "tokens"_v = shown.tokens, "passes"_v = shown.passes, "same"_v = shown.same);
}

// A row of chips around the middle of the window.
struct ChipRow {
    float x = 0, y = 0;
    std::vector<float> widths;
    [[nodiscard]] Rect at(std::size_t i) const {
        float left = x;
        for (std::size_t k = 0; k < i; ++k) left += widths[k] + kGap;
        return {left, y, widths[i], kChip};
    }
    [[nodiscard]] float right() const { return at(widths.size() - 1).right(); }
};
// Of the tokens before it, as many as there is room for.
ChipRow row_of(const FrameDraw& d, Shown& shown) {
    const Rect s = d.ui.screen;
    ChipRow row;
    const auto lay = [&] {
        row.widths.clear();
        for (const std::string& label : shown.before) row.widths.push_back(ui::chip_width(d.ui.canvas, label, kChip));
        for (const ShownDraft& draft : shown.drafts) row.widths.push_back(ui::chip_width(d.ui.canvas, draft.label, kChip));
        if (!shown.own.empty()) row.widths.push_back(ui::chip_width(d.ui.canvas, shown.own, kChip));
        float whole = -kGap;
        for (const float w : row.widths) whole += w + kGap;
        return whole;
    };
    float whole = lay();
    while (whole > s.w - 48 && !shown.before.empty()) {
        shown.before.erase(shown.before.begin());
        whole = lay();
    }
    while (whole > s.w - 48 && shown.drafts.size() > 1) {
        shown.drafts.pop_back();
        whole = lay();
    }
    row.x = s.x + (s.w - whole) / 2;
    row.y = s.y + s.h * 0.44F;
    return row;
}

// What one pass of the target goes over: a bar above the chips that fills from left to right.
void draw_pass(const FrameDraw& d, float x0, float x1, float y, float done, const Message& words) {
    const ui::Color hue = d.ui.theme.role(Role::target);
    d.ui.canvas.fill({x0, y, x1 - x0, 8}, hue.alpha(0.2F), 4);
    d.ui.canvas.fill({x0, y, (x1 - x0) * done, 8}, hue, 4);
    if (!words.empty()) d.ui.canvas.text({(x0 + x1) / 2, y - 12}, words, Font::text, 15, d.ui.theme.muted, Align::center);
}

// One token after another, a pass for each.
void draw_written(const FrameDraw& d, const Shown& shown, const ChipRow& row, double now) {
    const auto count = static_cast<double>(shown.before.size());
    const double each = std::min(kWritten, now) < kWritten || count == 0 ? kWritten / std::max(1.0, count) : 1e-9;
    for (std::size_t i = 0; i < shown.before.size(); ++i) {
        const double from = each * static_cast<double>(i), to = from + each;
        if (now < from) return;
        const Rect at = row.at(i);
        if (now < kWritten && now < to)
            draw_pass(d, at.x, at.right(), at.y - 22, eased(now, from, from + 0.8 * each), frame_says("intro.pass:one"_t));
        const float seen = now >= kWritten ? 1 : eased(now, from + 0.6 * each, to);
        if (seen > 0) ui::chip(d.ui.canvas, d.ui.theme, at, shown.before[i], {.role = Role::target, .alpha = seen});
    }
}

// Thrown from below, one behind the other, then checked in one go.
void draw_round(const FrameDraw& d, const Shown& shown, const ChipRow& row, double now) {
    const std::size_t first = shown.before.size(), count = shown.drafts.size();
    const double each = (kDrafted - kWritten - 0.4) / static_cast<double>(count);
    const float swept = eased(now, kDrafted + 0.3, kDrafted + 0.3 + kSweep);
    const float left = row.at(first).x, right = row.at(first + count - 1).right();
    for (std::size_t i = 0; i < count; ++i) {
        const double from = kWritten + 0.2 + each * static_cast<double>(i);
        const float come = eased(now, from, from + 0.4);
        if (now < from) break;
        Rect at = row.at(first + i);
        const bool checked = now > kDrafted && left + (right - left) * swept >= at.right() - 1;
        const Role role = checked ? shown.drafts[i].role : Role::draft;
        at.y += (1 - come) * 90;
        ui::chip(d.ui.canvas, d.ui.theme, at, shown.drafts[i].label,
                 {.role = role, .alpha = come * (role == Role::discarded ? 0.6F : 1.0F)});
    }
    if (now < kDrafted) return;
    draw_pass(d, left, right, row.y - 22, swept, frame_says("intro.pass:all"_t));
    const float come = eased(now, kDrafted + 0.3 + kSweep, kDrafted + 0.8 + kSweep);
    if (!shown.own.empty() && come > 0) {
        Rect at = row.at(first + count);
        at.y -= (1 - come) * 30;
        ui::chip(d.ui.canvas, d.ui.theme, at, shown.own, {.role = shown.own_role, .alpha = come});
    }
}

// Every pass of the large model as a cell: alone, and with draft tokens.
void draw_counts(const FrameDraw& d, const Shown& shown, double now) {
    const Rect s = d.ui.screen;
    const float x = s.x + s.w * 0.14F, w = s.w * 0.72F, y = s.y + s.h * 0.42F;
    const auto lane = [&](float top, const Message& words, int passes, float done) {
        d.ui.canvas.text({x, top - 10}, words, Font::text, 17, d.ui.theme.ink);
        const float cell = w / static_cast<float>(std::max(1, shown.tokens));
        const int drawn = static_cast<int>(std::lround(done * static_cast<float>(passes)));
        for (int i = 0; i < drawn; ++i)
            d.ui.canvas.fill({x + cell * static_cast<float>(i), top, std::max(1.0F, cell - std::min(3.0F, cell * 0.25F)), 26},
                             d.ui.theme.role(Role::target), 2);
    };
    const float done = eased(now, kChecked, kChecked + 1.4);
    lane(y, frame_says("intro.lane:plain"_t), shown.tokens, done);
    lane(y + 84, frame_says("intro.lane:guesses"_t), shown.passes, done);
}

// What was paid so far and what it brought: a pass is paid when it is through, and until then guesses are no tokens.
void draw_toll(const FrameDraw& d, const Shown& shown, const ChipRow& row, double now) {
    const double each = kWritten / static_cast<double>(std::max<std::size_t>(1, shown.before.size()));
    int passes = 0, tokens = 0;
    for (std::size_t i = 0; i < shown.before.size(); ++i) {
        const double from = each * static_cast<double>(i);
        passes += now >= from ? 1 : 0;
        tokens += now >= from + 0.8 * each ? 1 : 0;
    }
    int guesses = 0;
    if (now > kDrafted + 0.3 + kSweep) {
        ++passes;
        for (const ShownDraft& draft : shown.drafts) tokens += draft.role == Role::accepted ? 1 : 0;
        tokens += shown.own.empty() ? 0 : 1;
    } else if (now >= kWritten) {
        guesses = static_cast<int>(shown.drafts.size());
    }
    const float x = d.ui.screen.center().x, y = row.y + kChip + 72;
    const Message words = frame_says("intro.toll"_t, "passes"_v = passes, "tokens"_v = tokens, "guesses"_v = guesses);
    d.ui.canvas.text({x, y}, words, Font::mono_medium, 20, d.ui.theme.ink, Align::center);
}

Message heading_of(const Shown& shown, double now) {
    if (now < kWritten) return frame_says("intro.heading:writes"_t);
    if (now < kDrafted) return frame_says("intro.heading:guesses"_t);
    if (now < kChecked) return frame_says("intro.heading:checks"_t);
    return count_words(shown);
}

void draw_heading(const FrameDraw& d, float y, const Message& words, float size) {
    const Rect s = d.ui.screen;
    float at = size;
    while (at > 20 && d.ui.canvas.text_width(words, Font::text_bold, at) > s.w - 48) at -= 2;
    ui::fitted_text(d.ui.canvas, {s.center().x, y}, words, Font::text_bold, at, d.ui.theme.ink, s.w - 32, Align::center);
}

bool any_press(const FrameDraw& d) { return d.ui.input.pressed || !d.ui.input.keys.empty() || !d.ui.input.typed.empty(); }

} // namespace

std::vector<Door> doors_of(const FrameInput& input) {
    std::vector<Door> doors = {{frame_says("door.watch"_t), frame_says("door.watch_about"_t), {SceneCommand{OpenScene{"loop"}}}},
                               {frame_says("door.race"_t), frame_says("door.race_about"_t), {SceneCommand{OpenScene{"race"}}}},
                               {frame_says("door.prompt"_t),
                                frame_says("door.prompt_about"_t),
                                {SceneCommand{OpenScene{"loop"}}, PickAction{Action::edit_prompt}}}};
    if (input.read && !input.read->lectures.empty()) {
        const auto& all = input.read->lectures;
        const auto first = std::ranges::find_if(all, [](const auto& one) { return one.second.find("first-lesson") != std::string::npos; });
        doors.push_back({frame_says("door.lesson"_t),
                         frame_says("door.lesson_about"_t),
                         {OpenFile{first == all.end() ? all.front().second : first->second}}});
    }
    return doors;
}

namespace {

void leave(const FrameDraw& d, std::vector<FrameCommand> leads = {}) {
    d.state.opening = {};
    d.state.introduced = true;
    for (FrameCommand& command : leads) d.out.push_back(std::move(command));
    d.ui.wake(d.ui.input.time);
}

void draw_doors(const FrameDraw& d, const std::optional<Shown>& shown) {
    const Rect s = d.ui.screen;
    const std::vector<Door> doors = doors_of(d.input);
    const int count = static_cast<int>(doors.size()),
              columns = s.w >= 1000  ? count
                        : s.w >= 560 ? 2
                                     : 1,
              rows = (count + columns - 1) / columns;
    const bool low = s.h < 480;
    draw_heading(d, s.y + s.h * (low ? 0.12F : 0.2F), frame_says("intro.title"_t), low ? 24.0F : 34.0F);
    const Message about = frame_says("intro.about"_t, "counted"_v = shown ? count_words(*shown) : Message());
    if (!low)
        ui::fitted_text(d.ui.canvas, {s.center().x, s.y + s.h * 0.2F + 38}, about, Font::text, 17, d.ui.theme.muted, s.w - 48,
                        Align::center);
    constexpr float kBetween = 16;
    const float w = std::min(300.0F, (s.w - 48 - kBetween * static_cast<float>(columns - 1)) / static_cast<float>(columns));
    const float top = s.y + s.h * (low ? 0.17F : 0.36F), room = s.bottom() - 64 - top;
    const float h = std::min(172.0F, (room - kBetween * static_cast<float>(rows - 1)) / static_cast<float>(rows));
    const float left = s.center().x - (w * static_cast<float>(columns) + kBetween * static_cast<float>(columns - 1)) / 2;
    std::vector<ui::Id> ids;
    for (int i = 0; i < count; ++i) ids.push_back(d.ui.id("door " + std::to_string(i)));
    // The first is marked, so that Enter or Space goes on: who has not read on presses one of them.
    if (std::ranges::find(ids, d.ui.state.focus) == ids.end()) d.ui.move_focus(ids.front());
    for (int i = 0; i < count; ++i) {
        const Rect box{left + (w + kBetween) * static_cast<float>(i % columns), top + (h + kBetween) * static_cast<float>(i / columns), w,
                       h};
        const Door& door = doors[static_cast<std::size_t>(i)];
        const ui::Touch touched = ui::touch(d.ui, ids[static_cast<std::size_t>(i)], box);
        d.ui.canvas.fill(box, touched.hovered || touched.focused ? d.ui.theme.raised : d.ui.theme.panel, 8);
        d.ui.canvas.outline(box, {touched.hovered ? d.ui.theme.ink : d.ui.theme.line, d.ui.theme.edge_width}, 8);
        if (touched.focused) ui::focus_ring(d.ui.canvas, d.ui.theme, box, 8);
        d.ui.push_clip(box.inset(8, 4));
        const bool words = h >= 100;
        const float base = words ? box.y + 40 : ui::baseline(box.y, box.h, 20);
        d.ui.canvas.text({box.x + 20, base}, std::to_string(i + 1), Font::mono, 17, d.ui.theme.muted);
        ui::fitted_text(d.ui.canvas, {box.x + 44, base}, door.title, Font::text_bold, 20, d.ui.theme.ink, box.w - 60);
        if (words)
            ui::paragraph(d.ui.canvas, {box.x + 20, base + 34}, box.w - 40, door.words,
                          {.color = d.ui.theme.muted, .max_lines = std::max(1, static_cast<int>((h - 74) / 24))});
        d.ui.pop_clip();
        const auto digit = static_cast<ui::Key>(static_cast<int>(ui::Key::d1) + i);
        if (touched.clicked || d.ui.take_key(digit)) return leave(d, door.leads);
        const bool lesson = door.leads.size() == 1 && std::holds_alternative<OpenFile>(door.leads.front());
        if (lesson && d.ui.take_key(ui::Key::page_down)) return leave(d, door.leads); // as a clicker sends it
    }
    ui::fitted_text(d.ui.canvas, {s.center().x, s.bottom() - 24}, frame_says("intro.keys"_t), Font::text, 14, d.ui.theme.muted, s.w - 32,
                    Align::center);
    const auto step = [&](int by) {
        const auto at = std::ranges::find(ids, d.ui.state.focus);
        const int from = at == ids.end() ? (by > 0 ? -1 : count) : static_cast<int>(at - ids.begin());
        d.ui.move_focus(ids[static_cast<std::size_t>((from + by + count) % count)]);
    };
    if (d.ui.take_key(ui::Key::right) || d.ui.take_key(ui::Key::down)) step(1);
    if (d.ui.take_key(ui::Key::left) || d.ui.take_key(ui::Key::up)) step(-1);
    if (d.ui.take_key(ui::Key::escape)) leave(d);
}

} // namespace

void draw_opening(const FrameDraw& d) {
    Opening& opening = d.state.opening;
    const Rect s = d.ui.screen;
    const double now = d.ui.input.time;
    d.ui.canvas.fill({s.x, s.y, s.w, s.h}, d.ui.theme.bg);
    d.ui.push_id("opening");
    if (opening.opened < 0) opening.opened = now;
    std::optional<Shown> shown = shown_of(d.input.scene);
    const RunView& whole = *d.input.scene.whole;
    const bool whole_run = whole.stopped != nullptr || whole.failed != nullptr;
    if (opening.began < 0 && shown && whole_run) opening.began = now;
    const EngineStatus* status = d.input.scene.status;
    const bool hopeless =
        (whole_run && !shown) || now - opening.opened > kPatience || (status && status->state == EngineStatus::State::failed);
    if (d.ui.reduced_motion || hopeless) opening.doors = true;
    const double at = opening.began < 0 ? 0 : now - opening.began;
    if (at >= kCounted) opening.doors = true;
    if (opening.doors) {
        draw_doors(d, whole_run ? shown : std::nullopt);
        d.ui.pop_id();
        return;
    }
    if (opening.began < 0) {
        d.ui.wake(opening.opened + kPatience);
        draw_heading(d, s.y + s.h * 0.26F, frame_says("intro.heading:writes"_t), 34);
        const bool loading = status && status->state == EngineStatus::State::loading;
        const float y = s.y + s.h * 0.5F, w = std::min(560.0F, s.w - 48);
        if (loading && status->job.total > 0)
            ui::progress(d.ui, {s.center().x - w / 2, y, w, 32}, status->job.done, status->job.total, job_line(status->job));
        else
            ui::fitted_text(d.ui.canvas, {s.center().x, y}, loading ? frame_says("intro.wait:models"_t) : frame_says("intro.wait:run"_t),
                            Font::text, 17, d.ui.theme.muted, s.w - 48, Align::center);
    } else {
        const ChipRow row = row_of(d, *shown);
        draw_heading(d, s.y + s.h * 0.26F, heading_of(*shown, at), 34);
        if (at < kChecked) {
            draw_written(d, *shown, row, at);
            if (at >= kWritten) draw_round(d, *shown, row, at);
            draw_toll(d, *shown, row, at);
        } else {
            draw_counts(d, *shown, at);
        }
        ui::fitted_text(d.ui.canvas, {s.center().x, s.y + s.h * 0.26F + 34},
                        frame_says("intro.run"_t, "target"_v = shown->target, "drafter"_v = shown->drafter), Font::text, 15,
                        d.ui.theme.muted, s.w - 48, Align::center);
        constexpr double kFrame = 1.0 / 40;
        d.ui.wake(now + kFrame);
    }
    ui::fitted_text(d.ui.canvas, {s.center().x, s.bottom() - 24}, frame_says("intro.skip"_t), Font::text, 14, d.ui.theme.muted, s.w - 32,
                    Align::center);
    if (any_press(d)) {
        opening.doors = true;
        d.ui.press_used = true;
        d.ui.wake(now);
    }
    d.ui.pop_id();
}

} // namespace speclens
