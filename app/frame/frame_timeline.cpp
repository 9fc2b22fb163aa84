// The timeline: the measured phases of the whole run over plain decoding on the same clock. Click or drag
// scrubs.
#include <algorithm>
#include <array>
#include <vector>

#include "app/frame/frame.h"
#include "engine/run/run_clock.h"
#include "scenes/shared/plain_time.h"
#include "scenes/shared/reported_speed.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"

namespace speclens {
namespace {

constexpr float kAfter = 0.38F; // strength behind the playhead

// Where the two lanes and their axis stand: one over the other, the plain one a thin strip where there is
// little room.
struct Lanes {
    float spec = 0, spec_h = 0, plain = 0, plain_h = 0, axis = 0;
    [[nodiscard]] float spec_text() const { return spec + spec_h / 2 + 5; } // baselines
    [[nodiscard]] float plain_text() const { return plain + plain_h / 2 + 5; }
};
Lanes lanes_of(float top, bool tall) {
    return tall ? Lanes{top + 16, 24, top + 48, 24, top + 72} : Lanes{top + 6, 18, top + 28, 6, top + 37};
}

// Where an event counts one, what comes behind the verify pass is seen as what it was: kept, refused, the target's own token.
void draw_verdict_events(const FrameDraw& d, const RoundSummary& round, const ui::Scale& x, double from, float y, float h, float strength) {
    std::vector<Role> events;
    for (const DraftSlot& slot : round.drafts)
        if (slot.check) events.push_back(slot.check->accepted ? Role::accepted : Role::rejected);
    if (round.resample) events.push_back(role_of(round.resample->from));
    for (std::size_t i = 0; i < events.size(); ++i) {
        const float left = x(from + static_cast<double>(i)), right = x(from + static_cast<double>(i) + 1);
        if (right - left > 2) d.ui.canvas.fill({left, y, right - left - 1, h}, d.ui.theme.role(events[i]).alpha(strength), 1);
    }
}

// Cycles narrower than a few pixels are drawn in groups: drafting and verifying keep their shares.
void draw_spec_lane(const FrameDraw& d, const RunClock& clock, const ui::Scale& x, float y, float h, double now) {
    const auto& rounds = d.input.scene.whole->round_list;
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    for (std::size_t i = 0; i < rounds.size();) {
        RunClock::Span sum = clock.span(rounds[i]);
        std::size_t next = i + 1;
        while (next < rounds.size() && x(sum.end()) - x(sum.start) < 4) {
            const RunClock::Span more = clock.span(rounds[next]);
            sum.draft += more.draft;
            sum.verify += more.verify;
            sum.rest += more.rest;
            ++next;
        }
        const bool single = next == i + 1;
        const float from = x(sum.start), draft_end = x(sum.start + sum.draft), end = x(sum.end());
        const float gap = end - from > 8 ? 2.0F : end - from > 4 ? 1.0F : 0.5F;
        const auto strength = [&](double start) { return start < now - 1e-9 ? 1.0F : kAfter; };
        if (single && !rounds[i].drafts.empty() && draft_end - from > 3.0F * static_cast<float>(rounds[i].drafts.size()) && clock.timed()) {
            double at = sum.start;
            for (const DraftSlot& slot : rounds[i].drafts) {
                if (slot.ms <= 0) continue; // from the same pass as the one before
                const float a = x(at), b = x(at + slot.ms);
                c.fill({a, y, std::max(0.5F, b - a - 1), h}, t.role(Role::draft).alpha(strength(at)), 1);
                at += slot.ms;
            }
            if (rounds[i].head_ms > 0)
                c.fill({x(at), y, std::max(0.5F, draft_end - x(at) - 1), h}, t.role(Role::draft).alpha(0.55F * strength(at)), 1);
        } else if (draft_end > from + 0.25F) {
            c.fill({from, y, std::max(0.5F, draft_end - from - std::min(1.0F, gap)), h}, t.role(Role::draft).alpha(strength(sum.start)), 1);
        }
        const double verify_start = sum.start + sum.draft;
        const float verify_end = x(verify_start + sum.verify);
        const Rect verify{draft_end, y, std::max(0.5F, verify_end - draft_end - gap), h};
        if (sum.verify > 0) c.fill(verify, t.role(Role::target).alpha(strength(verify_start)), gap > 1 ? 2.0F : 0);
        if (end - verify_end > 1.5F)
            c.fill({verify_end - gap + 1, y, end - verify_end - 1, h}, t.muted.alpha(0.45F * strength(verify_start)), 1);
        if (single && !clock.timed()) draw_verdict_events(d, rounds[i], x, verify_start + sum.verify, y, h, strength(verify_start));
        if (single && rounds[i].commit) {
            const std::string words = "+" + std::to_string(rounds[i].commit->tokens.size());
            if (c.text_width(words, Font::mono, 14) + 12 < verify.w)
                c.text({verify.center().x, y + h / 2 + 5}, words, Font::mono, 14,
                       strength(verify_start) > 0.9F ? t.on(Role::target) : t.ink, Align::center);
        }
        i = next;
    }
}

void draw_plain_lane(const FrameDraw& d, const ui::Scale& x, float y, float h, double per_token, int tokens, double now) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Color full = d.ui.theme.role(Role::target);
    const float width = x.length(per_token);
    // Below 4 px per token only the sum is drawn.
    if (width < 4) {
        const float end = x(per_token * tokens), mid = std::clamp(x(now), x(0), end);
        c.fill({x(0), y, mid - x(0), h}, full.alpha(0.9F), 2);
        c.fill({mid, y, end - mid, h}, full.alpha(kAfter), 2);
        return;
    }
    for (int i = 0; i < tokens; ++i) {
        const double start = per_token * i;
        c.fill({x(start), y, width - (width > 8 ? 2.0F : 1.0F), h}, full.alpha(start < now - 1e-9 ? 0.9F : kAfter), 2);
    }
}

void scrub(const FrameDraw& d, const RunClock& clock, const ui::Scale& x, Rect area) {
    const ui::Touch touched = ui::touch(d.ui, d.ui.id("lanes"), area, {.focusable = false, .grow = false});
    if (!touched.held && !touched.clicked && !touched.began) return;
    const double time = std::clamp(x.inverse(d.ui.input.mouse.x), 0.0, clock.total());
    const std::size_t cursor = clock.cursor(time);
    if (cursor != d.input.scene.cursor) d.out.push_back(SceneCommand{SetCursor{cursor}});
}

Message ms_words(double ms) {
    return ms < 100 ? frame_says("timeline.ms:short"_t, "ms"_v = ms) : frame_says("timeline.ms:long"_t, "ms"_v = ms);
}

// What the whole run came to, or what there is of it so far, as much as has room: the status bar counts only up to the playhead.
Message summary(const FrameDraw& d, const RunClock& clock, const ReportedSpeed& reported, float room) {
    const RunView& whole = *d.input.scene.whole;
    const Message ms = clock.timed() ? ms_words(whole.total_ms) : Message();
    const Message counts = frame_says("timeline.counts"_t, "ms"_v = ms, "tokens"_v = whole.output_tokens);
    const auto per_round = "per_round"_v = whole.rounds > 0 ? std::optional(whole.tokens_per_round()) : std::nullopt;
    const bool goes_on = d.input.engine && !whole.stopped && !whole.failed;
    const Message all = goes_on ? frame_says("timeline.all:so_far"_t, "counts"_v = counts, per_round)
                                : frame_says("timeline.all:whole"_t, "counts"_v = counts, per_round);
    // A figure in doubt stands beside what was recorded, where there is room; its tooltip says it all.
    const auto doubted = [&](const Message& words) {
        return frame_says("timeline.doubted"_t, "words"_v = words, "doubt"_v = !reported.doubt.empty(),
                          "recorded"_v = reported.recorded_speed);
    };
    for (const Message& words : {doubted(all), all, doubted(counts), counts, ms})
        if (d.ui.canvas.text_width(words, Font::text, 14) < room) return words;
    return {};
}

} // namespace

float draw_transport(const FrameDraw& d, float x, float y, float size) {
    struct Button {
        const char* id;
        ui::Icon icon;
        Action action;
        Message tip;
    };
    const std::array<Button, 4> buttons = {
        Button{"first", ui::Icon::first, Action::first, frame_says("transport.first"_t)},
        Button{"back", ui::Icon::back, Action::back, frame_says("transport.back"_t)},
        Button{"play", d.input.playing ? ui::Icon::pause : ui::Icon::play, Action::play, frame_says("transport.play"_t)},
        Button{"last", ui::Icon::last, Action::last, frame_says("transport.last"_t)}};
    for (const Button& b : buttons) {
        const Message off = why_not(d.input, b.action);
        if (ui::button(d.ui, b.id, {x, y, size, size}, "", {.icon = b.icon, .tooltip = b.tip, .disabled = off})) d.pick(b.action);
        x += size + 8;
    }
    return x;
}

void draw_timeline(const FrameDraw& d) {
    const Rect r = d.layout.timeline;
    if (r.w <= 0) return;
    const RunView& whole = *d.input.scene.whole;
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const bool tall = d.layout.tall, narrow = r.w < 900;
    d.ui.push_id("timeline");
    draw_transport(d, r.x + 16, r.y + (tall ? 12.0F : 10.0F), 36);

    const RunClock clock(*d.input.scene.trace, whole);
    // Plain decoding beside itself would compare nothing.
    const bool alone = whole.header && whole.header->drafter == kNoDrafter;
    const double per_token = plain_ms(d.input.scene);
    const double plain_total = clock.timed() && !alone ? per_token * whole.output_tokens : 0;
    ReportedSpeed reported;
    if (plain_total > 0 && whole.total_ms > 0 && whole.drafted > 0) reported = reported_speed(whole, *d.input.scene.trace, per_token);
    if (tall) {
        c.text({r.x + 16, r.y + 76}, frame_says("timeline.rounds"_t, "rounds"_v = whole.round_list.size()), Font::text, 14, t.muted);
        if (reported.figure.known()) {
            c.text({r.x + 184, r.y + 76}, reported.words, Font::mono, 14, reported.sure() ? t.ink : t.muted, Align::right);
            ui::tooltip(d.ui, {r.x + 110, r.y + 60, 80, 24}, reported.sure() ? frame_says("timeline.speed_up"_t) : reported.note());
        }
    }
    c.line({r.x + 208.5F, r.y}, {r.x + 208.5F, r.bottom()}, t.hairline());

    Lanes lanes = lanes_of(r.y, tall);
    if (alone) lanes.spec_h = 24;
    const float x0 = r.x + 256;
    c.text({x0 - 8, lanes.spec_text()}, alone ? frame_says("timeline.plain"_t) : frame_says("timeline.spec"_t), Font::text, 14, t.muted,
           Align::right);
    if (!alone) c.text({x0 - 8, lanes.plain_text()}, frame_says("timeline.plain"_t), Font::text, 14, t.muted, Align::right);
    if (clock.total() <= 0) {
        ui::fitted_text(c, {x0 + 8, lanes.spec_text()}, frame_says("timeline.empty"_t), Font::text, 14, t.muted, r.right() - x0 - 24);
        d.ui.pop_id();
        return;
    }
    // The totals stand in a margin, each behind its lane.
    const Message words = summary(d, clock, reported, (narrow ? 0.16F : 0.28F) * (r.right() - x0));
    const float margin = std::max(narrow ? 52.0F : 104.0F, c.text_width(words, Font::text, 14) + 32);
    const double longest = std::max(clock.total(), plain_total);
    const ui::Scale x{.lo = 0, .hi = longest, .a = x0, .b = r.right() - margin};
    const double now = clock.at(d.input.scene.cursor);
    const float lanes_bottom = alone ? lanes.spec + lanes.spec_h : lanes.plain + lanes.plain_h;

    d.ui.push_clip({r.x + 209, r.y + 1, r.w - 209, r.h - 1});
    draw_spec_lane(d, clock, x, lanes.spec, lanes.spec_h, now);
    c.text({x.b + 16, lanes.spec_text()}, words, Font::text, 14, t.ink);
    if (plain_total > 0) {
        draw_plain_lane(d, x, lanes.plain, lanes.plain_h, per_token, whole.output_tokens, now);
        c.text({x.b + 16, lanes.plain_text()}, ms_words(plain_total), Font::text, 14, t.ink);
    } else if (!alone) {
        ui::fitted_text(c, {x0, lanes.plain_text()}, clock.timed() ? no_plain_words(d.input.scene) : frame_says("timeline.untimed"_t),
                        Font::text, 14, t.muted, r.right() - x0 - 24);
    }
    const ui::Ticks marks = ui::ticks(0, longest, narrow ? 4 : 8, true);
    const float axis_text = tall ? 18 : 16;
    ui::axis_x(c, t, x, lanes.axis, marks,
               {.unit = clock.timed() ? Message("ms") : frame_says("timeline.events"_t), .tick_marks = true, .label_offset = axis_text});
    const Message rest = frame_says("timeline.rest"_t);
    const float rest_width = c.text_width(rest, Font::text, 14);
    if (clock.timed() && margin > rest_width + 84) { // beside the unit
        const float at = r.right() - 16 - rest_width;
        c.fill({at - 20, lanes.axis + axis_text - 11, 12, 12}, t.muted.alpha(0.45F), 1);
        c.text({at, lanes.axis + axis_text}, rest, Font::text, 14, t.muted);
    }

    // The shown round, and where in it we are.
    if (const RoundSummary* shown = d.input.scene.view->current()) {
        for (const RoundSummary& round : whole.round_list) {
            if (round.round != shown->round || round.first_event != shown->first_event) continue;
            const RunClock::Span span = clock.span(round);
            c.outline({x(span.start) - 2, lanes.spec - 2, std::max(4.0F, x(span.end()) - x(span.start) + 2), lanes.spec_h + 4}, {t.ink, 2},
                      4);
        }
    }
    ui::playhead(c, t, x(now), lanes.spec - 6, lanes_bottom + 2);
    scrub(d, clock, x, {x0 - 6, r.y + 2, x.b - x0 + 12, lanes_bottom - r.y + 6});
    d.ui.pop_clip();
    d.ui.pop_id();
}

} // namespace speclens
