#include "scenes/lossless/lossless_faults.h"

#include <algorithm>
#include <cmath>

#include "engine/drafters/drafter_info.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/measure_charts.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Font;
using ui::Rect;
using ui::Role;

// What the target's row of new token `place` of a plain run gave `token`.
std::optional<double> given(const Trace& plain, int place, int token) {
    const RunView view = fold(plain, plain.size());
    if (place >= static_cast<int>(view.round_list.size())) return {};
    const TargetToken* own = view.round_list[static_cast<std::size_t>(place)].resample;
    if (!own) return {};
    return listed(own->raw_top.empty() ? own->top : own->raw_top, token);
}

std::string place_words(const FaultyText& text) { return lossless_says("words.place"_t, "place"_v = text.differs_at + 1); }

std::string chance_words(const SceneInput& input, int token, const std::optional<double>& p) {
    const std::string name = quoted(*input.trace, token);
    return p ? lossless_says("words.listed"_t, "token"_v = name, "p"_v = fine_probability(*p))
             : lossless_says("words.unlisted"_t, "token"_v = name);
}

// A few tokens of a text around the first one that is another.
void draw_text_row(const LosslessDraw& d, Rect r, const std::string& name, const std::vector<int>& text, int differs_at, Role role) {
    ui::Canvas& canvas = d.ui.canvas;
    ui::fitted_text(canvas, {r.x, ui::baseline(r.y, r.h, 15)}, name, Font::text_bold, 15, d.ui.theme.ink, 148);
    constexpr int kBefore = 4;
    float x = r.x + 160;
    const int from = differs_at < 0 ? 0 : std::max(0, differs_at - kBefore);
    if (from > 0) {
        canvas.text({x, ui::baseline(r.y, r.h, 15)}, "…", Font::text, 15, d.ui.theme.muted);
        x += 20;
    }
    for (int i = from; i < static_cast<int>(text.size()); ++i) {
        const std::string label = label_of(*d.input.trace, text[static_cast<std::size_t>(i)]);
        const float w = ui::chip_width(canvas, label, r.h);
        if (x + w > r.right()) break;
        const bool other = differs_at >= 0 && i >= differs_at;
        ui::chip(canvas, d.ui.theme, {x, r.y, w, r.h}, label, {.role = other ? role : Role::target, .solid = i == differs_at, .strike = 0});
        x += w + 8;
    }
}

} // namespace

RunStudy fault_study(const SceneInput& input, PlantedFault fault) {
    RunStudy study{fault_study_name(fault), {}};
    if (!models_loaded(input) || !input.settings) return study;
    RunSettings base = greedy_settings(*input.settings);
    base.drafter = kNoDrafter;
    base.k = 0;
    base.trace_top = 64;
    study.runs.push_back(base);
    base.drafter = drafter_ready(input, "small") ? "small" : "lookup"; // heads read hidden states of rows that the fault takes away
    base.k = default_k(base.drafter);
    base.trace_top = 0;
    study.runs.push_back(base);
    return study;
}

std::optional<FaultyText> faulty_text(const SceneInput& input, PlantedFault fault) {
    const Study* study = study_of(input, fault_study(input, fault));
    if (!study || !study->complete() || study->points.size() != 2) return {};
    const StudyPoint &plain = study->points.front(), &faulty = study->points.back();
    FaultyText text{faulty.settings.drafter, plain.problem + faulty.problem, plain.output, faulty.output, -1, {}, {}};
    const auto [a, b] = std::ranges::mismatch(text.plain, text.faulty);
    if (a == text.plain.end() || b == text.faulty.end()) return text; // nothing differs as far as both go
    text.differs_at = static_cast<int>(a - text.plain.begin());
    if (plain.trace) {
        text.plain_p = given(*plain.trace, text.differs_at, text.plain_token());
        text.faulty_p = given(*plain.trace, text.differs_at, text.faulty_token());
    }
    return text;
}

PlantedFault fault_of(int beat) {
    return beat == kLosslessTieBeat ? PlantedFault::rounding : beat == kLosslessCacheBeat ? PlantedFault::rollback : PlantedFault::none;
}

StageTitle fault_title(const SceneInput& input, PlantedFault fault) {
    StageTitle title;
    const std::optional<FaultyText> text = faulty_text(input, fault);
    title.title = fault == PlantedFault::rounding ? lossless_says("tie.title"_t) : lossless_says("cache.title"_t);
    title.subtitle = lossless_says("words.fault:subtitle"_t, "drafter"_v = text ? text->drafter : "");
    if (text && text->differs_at < 0) title.title = lossless_says("words.fault:unseen"_t, "tokens"_v = text->plain.size());
    if (text && text->differs_at >= 0)
        title.title = lossless_says("words.fault:caught"_t, "place"_v = place_words(*text), "tie"_v = text->near_tie());
    return title;
}

namespace {

std::string found_words(const SceneInput& input, const std::optional<FaultyText>& text) {
    if (!text) return lossless_says("words.found:unmeasured"_t);
    if (!text->problem.empty()) return lossless_says("words.found:failed"_t, "problem"_v = text->problem);
    if (text->differs_at < 0) return lossless_says("words.found:unseen"_t, "tokens"_v = text->plain.size());
    const auto place = "place"_v = place_words(*text);
    const auto ours = "ours"_v = chance_words(input, text->plain_token(), text->plain_p);
    const auto theirs = "theirs"_v = chance_words(input, text->faulty_token(), text->faulty_p);
    return text->near_tie() ? lossless_says("words.found:near"_t, place, ours, theirs)
                            : lossless_says("words.found:far"_t, place, ours, theirs);
}

} // namespace

Words fault_words(const SceneInput& input, PlantedFault fault) {
    const std::string found = found_words(input, faulty_text(input, fault));
    return fault == PlantedFault::rounding ? lossless_says.beat("tie"_t, "found"_v = found)
                                           : lossless_says.beat("cache"_t, "found"_v = found);
}

std::string fault_description(const SceneInput& input, PlantedFault fault) {
    const std::optional<FaultyText> text = faulty_text(input, fault);
    const std::string name =
        fault == PlantedFault::rounding ? lossless_says("words.fault:name_rounding"_t) : lossless_says("words.fault:name_rollback"_t);
    if (!text) return name + ": not measured\n";
    if (!text->problem.empty()) return name + ": " + text->problem + "\n";
    if (text->differs_at < 0) return name + ": the plain text, as far as it goes\n";
    return name + ": differs at " + place_words(*text) + ", where plain decoding gave " +
           chance_words(input, text->plain_token(), text->plain_p) + ", " + chance_words(input, text->faulty_token(), text->faulty_p) +
           "\n";
}

void draw_lossless_fault(const LosslessDraw& d, Rect r, PlantedFault fault) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const std::optional<FaultyText> text = faulty_text(d.input, fault);
    constexpr float kRow = 36, kPitch = 56;
    if (!text || !text->problem.empty()) {
        ui::slot(canvas, theme, {r.x, r.y, r.w, 2 * kPitch}, text ? text->problem : "both texts will appear here, token by token (M)");
        return;
    }
    draw_text_row(d, {r.x, r.y, r.w, kRow}, "plain decoding", text->plain, text->differs_at, Role::target);
    draw_text_row(d, {r.x, r.y + kPitch, r.w, kRow}, "with the fault", text->faulty, text->differs_at, Role::rejected);
    const float y = r.y + 2 * kPitch + 28;
    if (text->differs_at < 0 || y + 72 > r.bottom()) return;
    ui::fitted_text(canvas, {r.x, y}, "What plain decoding gave the two at " + place_words(*text) + ", at T = 1", Font::text_bold, 15,
                    theme.ink, r.w);
    const std::pair<int, std::optional<double>> both[] = {{text->plain_token(), text->plain_p}, {text->faulty_token(), text->faulty_p}};
    float top = y + 16;
    for (const auto& [token, p] : both) {
        ui::token_text(canvas, {r.x, top + 17}, ui::fit_token(canvas, label_of(*d.input.trace, token), 15, 148), 15, theme.ink);
        const Rect bar{r.x + 160, top + 4, std::min(480.0F, r.w - 160 - 120), 16};
        ui::bar(canvas, theme, bar, p.value_or(0), Role::target);
        canvas.text({bar.right() + 12, top + 17}, p ? fine_probability(*p) : "not listed", Font::mono, 14, theme.ink);
        top += 30;
    }
}

} // namespace speclens
