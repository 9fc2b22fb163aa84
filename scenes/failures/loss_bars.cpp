#include "scenes/failures/loss_bars.h"

#include <algorithm>

#include "engine/lab/pass_times.h"
#include "scenes/shared/emphasis.h"
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

std::string words_of(const LossBar& bar) {
    return counted(bar.requests, "request") + ", K = " + std::to_string(bar.k) + ", a guess stays with " +
           ui::probability(bar.levers.alpha) + ": " + ui::number(bar.tokens, 2) + " tokens; draft " + ui::number(bar.draft, 2) +
           " + verify " + ui::number(bar.verify, 2) + " = " + ui::number(bar.round(), 2) + " plain passes: " + ui::speed_up(bar.speedup());
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
    found.why_assumed = "this machine does not show all four";
    if (!m.times)
        found.why_assumed = m.untimed.empty() ? "this machine is not measured" : m.untimed;
    else if (!m.times->in_doubt().empty())
        found.why_assumed = "this machine's times are in doubt";
    return found;
}

const char* loss_name(Loss kind) {
    switch (kind) {
    case Loss::healthy: return "Healthy";
    case Loss::full_pass: return "The pass is full";
    case Loss::bad_guesses: return "Bad guesses";
    case Loss::dear_draft: return "A dear draft";
    }
    return "";
}

const char* loss_sign(Loss kind) {
    switch (kind) {
    case Loss::healthy: return "short draft, verify like a plain pass";
    case Loss::full_pass: return "the verify bar is long";
    case Loss::bad_guesses: return "the plain bar is short: few tokens";
    case Loss::dear_draft: return "the draft bar is long";
    }
    return "";
}

std::string loss_change(const LossBar& bar) {
    switch (bar.kind) {
    case Loss::healthy:
    case Loss::full_pass: return counted(bar.requests, "request") + ", K = " + std::to_string(bar.k);
    case Loss::bad_guesses: return "guesses stay: " + ui::probability(bar.levers.alpha);
    case Loss::dear_draft: return "a guess costs " + ui::probability(bar.levers.draft);
    }
    return "";
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
    ui::fitted_text(c, {area.x, area.y + 14}, "A round, and plain decoding of as many tokens", Font::text_bold, 15, t.ink, area.w);
    const std::string unit = "a block is a plain pass of as many requests",
                      assumed = all.measured ? "" : "; assumed: up to " + std::to_string(kIdleRows) + " rows cost one pass";
    const std::vector<std::string> source{"one scale: " + unit + assumed, unit + assumed, "a block is a plain pass" + assumed, unit};
    ui::fitted_text(c, {area.x, area.y + 34}, ui::fitting(c, source, Font::text, 14, area.w), Font::text, 14, t.muted, area.w);
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
                       std::vector<ui::Segment>{{.start = 0, .length = one.draft, .role = Role::draft, .label = "draft"},
                                                {.start = one.draft, .length = one.verify, .role = Role::target, .label = "verify"}});
        std::vector<ui::Segment> plain;
        for (double at = 0; at < one.tokens - 1e-9; ++at)
            plain.push_back({.start = at,
                             .length = std::min(1.0, one.tokens - at),
                             .role = Role::target,
                             .label = at < 0.5 ? "plain" : "",
                             .strength = 0.55F});
        ui::gantt_lane(c, t, scale, y + 4 + bar, bar, plain);
        const bool gains = one.speedup() >= 1;
        c.text({area.right(), y + 2 + bar + 6}, ui::speed_up(one.speedup()), Font::mono, 15, t.ink, Align::right);
        ui::icon(c, gains ? ui::Icon::check : ui::Icon::cross, {area.right() - 28, y + 2 + bar + 24}, 12,
                 t.role(gains ? Role::accepted : Role::rejected));
        ui::tooltip(d.ui, {area.x, y, area.w, pitch - 4}, words_of(one));
        if (about && *about != one.kind && *about != Loss::healthy && one.kind != Loss::healthy)
            dim(d.ui, {area.x - 8, y - 2, area.w + 16, pitch - 2});
        else if (about == Loss::healthy && one.kind != Loss::healthy)
            dim(d.ui, {area.x - 8, y - 2, area.w + 16, pitch - 2});
    }
}

std::string loss_reason(const FailuresModel& m, Loss kind) {
    const LossBar bar = loss_bars(m).bars[static_cast<std::size_t>(kind)];
    return loss_name(kind) + std::string(": ") + counted(bar.requests, "request") + ", K = " + std::to_string(bar.k) +
           ". The verify pass has " + ui::number(verify_rows(bar.levers, bar.requests, bar.k), 0) + " rows and takes " +
           ui::speed_up(bar.verify) + " a plain one of " + counted(bar.requests, "row") + ", drafting " + ui::speed_up(bar.draft) +
           ". For that a text grows by " + ui::number(bar.tokens, 2) + " tokens: " + ui::speed_up(bar.speedup()) + ".";
}

std::string describe_loss_bars(const FailuresModel& m) {
    const LossBars all = loss_bars(m);
    std::string text = "A round beside plain decoding of as many tokens, in plain passes of as many requests, " +
                       (all.measured ? std::string("this machine") : "assumed machine: " + all.why_assumed) + ":\n";
    for (const LossBar& bar : all.bars)
        text += "  " + std::string(loss_name(bar.kind)) + ", " + words_of(bar) + " (" + loss_sign(bar.kind) + ")\n";
    return text;
}

} // namespace speclens
