#include "scenes/failures/loss_bars.h"

#include <algorithm>

#include "engine/lab/pass_times.h"
#include "scenes/shared/emphasis.h"
#include "scenes/shared/panel.h"
#include "ui/format.h"
#include "ui/text_layout.h"

namespace speclens {
namespace {

constexpr int kBusy = 64;          // requests of a server that is full
constexpr double kBadGuess = 0.2;  // chance that a bad guess stays
constexpr double kDearGuess = 0.6; // of a target pass, for each guess

LossBar bar_of(Loss kind, int requests, int k, const Levers& levers, const PassTimes* times) {
    LossBar bar{kind, requests, k, levers};
    const double rows = verify_rows(levers, requests, k);
    bar.tokens = levers.tokens(k);
    bar.verify = times ? pass_ms(*times, rows) / pass_ms(*times, requests) : assumed_pass(rows) / assumed_pass(requests);
    bar.draft = levers.draft_cost(k);
    return bar;
}

// The healthy one at the draft length that is best for one request, and the others, each with one thing changed.
std::array<LossBar, 4> bars_of(const Levers& healthy, int k, const PassTimes* times) {
    Levers bad = healthy, dear = healthy;
    bad.alpha = std::min(healthy.alpha, kBadGuess);
    dear.draft = std::max(healthy.draft, kDearGuess);
    return {bar_of(Loss::healthy, 1, k, healthy, times), bar_of(Loss::full_pass, kBusy, k, healthy, times),
            bar_of(Loss::bad_guesses, 1, k, bad, times), bar_of(Loss::dear_draft, 1, k, dear, times)};
}

bool as_named(const std::array<LossBar, 4>& bars) {
    constexpr double kClearly = 1.1;
    return bars[0].speedup() > kClearly &&
           std::ranges::all_of(bars.begin() + 1, bars.end(), [](const LossBar& bar) { return bar.speedup() < 1; });
}

// All of a bar.
Message bar_words(const LossBar& bar) {
    return failures_says("bars.bar"_t, "bar"_v = loss_name(bar.kind), "requests"_v = bar.requests, "k"_v = bar.k,
                         "alpha"_v = bar.levers.alpha, "tokens"_v = bar.tokens, "draft"_v = bar.draft, "verify"_v = bar.verify,
                         "round"_v = bar.round(), "times"_v = bar.speedup(), "sign"_v = loss_sign(bar.kind));
}

} // namespace

double assumed_pass(double rows) { return std::max(1.0, rows / kIdleRows); }

LossBars loss_bars(const FailuresModel& m) {
    LossBars found;
    if (m.times && m.pays_anywhere() && m.times->in_doubt().empty()) {
        found.bars = bars_of(m.levers, m.best_k(0) > 0 ? m.best_k(0) : m.guesses(), m.times);
        found.measured = as_named(found.bars);
        if (found.measured) return found;
    }
    const Levers assumed{.alpha = 0.8, .draft = 0.08, .verify = 0};
    found.bars = bars_of(assumed, 5, nullptr);
    if (!m.times)
        found.why_assumed = m.untimed.empty() ? failures_says("assumed.unmeasured"_t) : m.untimed;
    else
        found.why_assumed = m.times->in_doubt().empty() ? failures_says("assumed.unlike"_t) : failures_says("assumed.doubt"_t);
    return found;
}

Message loss_name(Loss kind) {
    switch (kind) {
    case Loss::healthy: return failures_says("bars.kind:healthy"_t);
    case Loss::full_pass: return failures_says("bars.kind:full_pass"_t);
    case Loss::bad_guesses: return failures_says("bars.kind:bad_guesses"_t);
    case Loss::dear_draft: break;
    }
    return failures_says("bars.kind:dear_draft"_t);
}

Message loss_sign(Loss kind) {
    switch (kind) {
    case Loss::healthy: return failures_says("bars.sign:healthy"_t);
    case Loss::full_pass: return failures_says("bars.sign:full_pass"_t);
    case Loss::bad_guesses: return failures_says("bars.sign:bad_guesses"_t);
    case Loss::dear_draft: break;
    }
    return failures_says("bars.sign:dear_draft"_t);
}

Message loss_change(const LossBar& bar) {
    switch (bar.kind) {
    case Loss::healthy:
    case Loss::full_pass: break;
    case Loss::bad_guesses: return failures_says("bars.change:alpha"_t, "alpha"_v = bar.levers.alpha);
    case Loss::dear_draft: return failures_says("bars.change:draft"_t, "draft"_v = bar.levers.draft);
    }
    return failures_says("bars.change:load"_t, "requests"_v = bar.requests, "k"_v = bar.k);
}

ui::Scale loss_scale(const LossBars& bars, float left, float right) {
    double longest = 0;
    for (const LossBar& bar : bars.bars) longest = std::max({longest, bar.round(), bar.tokens});
    return {0, longest * 1.02, left, right};
}

std::optional<Loss> loss_of_beat(int beat) {
    switch (beat) {
    case 0: return Loss::healthy;
    case 1: return Loss::full_pass;
    case 3: return Loss::bad_guesses;
    default: return {};
    }
}

void draw_loss_bars(const FailuresDraw& d, Rect area, std::optional<Loss> about) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const LossBars all = loss_bars(d.model);
    const auto rows = "rows"_v = all.measured ? 0 : kIdleRows;
    part_head(d.ui, area, failures_says("bars.title"_t),
              {failures_says("bars.unit:scale"_t, rows), failures_says("bars.unit:whole"_t, rows), failures_says("bars.unit:short"_t, rows),
               failures_says("bars.unit:least"_t)});
    const float top = area.y + 52, pitch = std::min(124.0F, (area.bottom() - top) / 4), names = std::min(172.0F, area.w * 0.26F);
    const float bar = std::clamp((pitch - 30) / 2, 12.0F, 26.0F), number = 68;
    for (std::size_t i = 0; i < all.bars.size(); ++i) {
        const LossBar& one = all.bars[i];
        const float y = top + pitch * static_cast<float>(i);
        const float x = area.x + names, w = area.w - names - number;
        ui::fitted_text(c, {area.x, y + 16}, loss_name(one.kind), Font::text_bold, 15, t.ink, names - 12);
        if (pitch >= 50) ui::fitted_text(c, {area.x, y + 36}, loss_change(one), Font::text, 14, t.muted, names - 12);
        if (pitch >= 100) // two lines or none
            ui::paragraph(c, {area.x, y + 56}, names - 16, loss_sign(one.kind), {.size = 14, .color = t.muted, .max_lines = 2});
        const ui::Scale scale = loss_scale(all, x, x + w);
        ui::gantt_lane(c, t, scale, y + 2, bar,
                       std::vector<ui::Segment>{
                           {.start = 0, .length = one.draft, .role = Role::draft, .label = failures_says("bars.draft"_t)},
                           {.start = one.draft, .length = one.verify, .role = Role::target, .label = failures_says("bars.verify"_t)}});
        std::vector<ui::Segment> plain;
        for (double at = 0; at < one.tokens - 1e-9; ++at)
            plain.push_back({.start = at,
                             .length = std::min(1.0, one.tokens - at),
                             .role = Role::target,
                             .label = at < 0.5 ? failures_says("bars.plain"_t) : Message(),
                             .strength = 0.55F});
        ui::gantt_lane(c, t, scale, y + 4 + bar, bar, plain);
        const bool gains = one.speedup() >= 1;
        c.print({area.right(), y + 2 + bar + 6}, ui::speed_up(one.speedup()), Font::mono, 15, t.ink, Align::right);
        ui::icon(c, gains ? ui::Icon::check : ui::Icon::cross, {area.right() - 28, y + 2 + bar + 24}, 12,
                 t.role(gains ? Role::accepted : Role::rejected));
        ui::thing(d.ui, {area.x, y, area.w, pitch - 4}, bar_words(one));
        if (about && *about != one.kind && one.kind != Loss::healthy) dim(d.ui, {area.x - 8, y - 2, area.w + 16, pitch - 2});
    }
}

Message loss_reason(const FailuresModel& m, Loss kind) {
    const LossBar bar = loss_bars(m).bars[static_cast<std::size_t>(kind)];
    return failures_says("bars.reason"_t, "bar"_v = loss_name(kind), "requests"_v = bar.requests, "k"_v = bar.k,
                         "rows"_v = verify_rows(bar.levers, bar.requests, bar.k), "verify"_v = bar.verify, "draft"_v = bar.draft,
                         "tokens"_v = bar.tokens, "times"_v = bar.speedup());
}

} // namespace speclens
