#include "scenes/shared/run_controls.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/drafters/drafter_info.h"
#include "engine/rules/verify.h"
#include "engine/run/engine_status.h"
#include "scenes/shared/told.h"
#include "ui/text_layout.h"

namespace speclens {
namespace {

bool ready(const EngineStatus* status, const std::string& drafter) { return status && is_ready(status->ready_drafters, drafter); }

Message what_it_lacks(const DrafterInfo& info) {
    if (info.needs_network()) return shared_says("run.lacks:head"_t);
    if (info.needs_draft_model()) return shared_says("run.lacks:draft_model"_t);
    if (info.needs_layers) return shared_says("run.lacks:layers"_t);
    return shared_says("run.lacks:else"_t);
}

std::vector<ui::Choice> drafter_choices(const EngineStatus* status, const std::string& now) {
    std::vector<ui::Choice> choices;
    for (const DrafterInfo& info : drafter_list()) {
        ui::Choice choice{info.name, message(info.title), {}};
        if (!ready(status, info.name)) choice.disabled = what_it_lacks(info);
        choices.push_back(choice);
    }
    std::vector<std::string> chains = offered_chains(status ? status->ready_drafters : std::vector<std::string>());
    if (const DrafterInfo* info = find_drafter(now); info && info->chained() && std::ranges::find(chains, now) == chains.end())
        chains.push_back(now);
    for (const std::string& name : chains) choices.push_back({name, message(find_drafter(name)->title), {}});
    return choices;
}

// The last line of a chat prompt says most; line breaks become spaces.
std::string one_line(std::string text) {
    for (char& c : text)
        if (c == '\n' || c == '\t') c = ' ';
    return text;
}

// Lays fields out from left to right; the prompt takes what is left over.
struct Row {
    float x, y, gap;
    Rect take(float w) {
        const Rect r{x, y, w, 36};
        x += w + gap;
        return r;
    }
};

} // namespace

RunSettings with_temperature(RunSettings settings, double temperature) {
    settings.sampling.temperature = std::round(temperature * 1e6) / 1e6; // sums of tenths are tenths
    const RuleInfo* rule = find_rule(settings.rule);
    const DrafterInfo* drafter = find_drafter(settings.drafter);
    if (temperature > 0 && rule && drafter && (rule->greedy_only || !can_judge(*rule, *drafter)))
        settings.rule = judging_rule(rule->greedy_only ? "token" : settings.rule, settings.drafter);
    return settings;
}

RunSettings with_drafter(RunSettings settings, const std::string& drafter) {
    settings.rule = judging_rule(settings.rule, settings.drafter, drafter);
    settings.draft_with(drafter);
    settings.options = {};
    return settings;
}

RunSettings with_draft_length(RunSettings settings, int k) {
    settings.k = k;
    settings.options.tree_depth = 0; // K is what a tree's depth follows from now on
    return settings;
}

RunSettings with_likeliest_drafts(RunSettings settings, bool likeliest) {
    settings.draft_sampling.reset();
    if (likeliest) settings.draft_sampling = settings.sampling, settings.draft_sampling->temperature = 0;
    return settings;
}

bool likeliest_drafts(const RunSettings& settings) {
    return settings.sampling.temperature > 0 && settings.draft_sampling && settings.draft_sampling->temperature == 0;
}

RunSettings with_rule(RunSettings settings, const std::string& rule) {
    settings.rule = rule;
    const RuleInfo* info = find_rule(rule);
    if (info && info->greedy_only) settings.sampling.temperature = 0;
    return settings;
}

void draw_run_controls(const SceneInput& input, ui::Ui& ui, std::vector<SceneCommand>& out) {
    const Rect r = input.controls;
    if (r.w <= 0 || !input.settings) return;
    const RunSettings& now = *input.settings;
    const bool live = input.status && !input.status->ready_drafters.empty();
    const Message off = live ? Message() : shared_says("words.no_models"_t);
    const auto restart = [&](RunSettings changed) { out.push_back(Command{Restart{std::move(changed)}}); };

    const Header* run = input.whole->header;
    // A picture is of a run that is over, whose drafter may have made fewer guesses than were asked for. In a
    // window the settings are cut to that as soon as the run says so.
    const bool limited = input.still && run && run->drafter == now.drafter && run->k > 0 && run->k < now.k && now.options.tree_depth == 0;
    const int length = limited ? run->k : now.k;
    const bool empty = run && starts_empty(*run);
    const Message no_prompt = empty ? shared_says("run.from_nothing"_t) : off;

    const float inner = r.w - 48;
    const bool wide = inner >= 900, seeded = inner >= 700;
    const float k_w = 104, t_w = 104, seed_w = 92, step_w = 64, reject_w = 120, prompt_w = 96;
    float drafter_w = 104, rule_w = 92;
    const float fixed = drafter_w + rule_w + k_w + t_w + 4 * 12 + (seeded ? seed_w + 12 : 0) + (wide ? 24 + step_w + 8 + reject_w : 0);
    // A long name gets room from the prompt: rules and drafters of trees begin alike.
    float room = std::max(prompt_w, inner - fixed);
    const auto wanted = [&](const std::string& name) { return ui.canvas.text_width(name, ui::Font::text, 15) + 44; };
    // A rule's name that would still be cut gets what the drafter's does not need.
    const float missing = wanted(now.rule) - rule_w - (room - prompt_w),
                spare = std::clamp(drafter_w - wanted(now.drafter), 0.0F, std::max(0.0F, missing));
    drafter_w -= spare;
    room += spare;
    const auto widen = [&](float& w, const std::string& name) {
        const float taken = std::clamp(wanted(name) - w, 0.0F, room - prompt_w);
        w += taken;
        room -= taken;
    };
    widen(rule_w, now.rule);
    widen(drafter_w, now.drafter);
    Row row{r.x + 24, r.y + 36, 12};

    Rect at = row.take(room);
    ui::field_label(ui, at, shared_says("run.prompt"_t, "chat"_v = now.prompt.chat));
    const Message prompt = empty                          ? shared_says("run.no_prompt"_t)
                           : now.prompt.token_ids.empty() ? message(SaidOf<"shared">()("run.text"_t, "text"_v = one_line(now.prompt.text)))
                                                          : shared_says("run.ids"_t, "n"_v = now.prompt.token_ids.size());
    const ui::Touch prompt_touch = ui::touch(ui, ui.id("prompt"), at, {.disabled = !no_prompt.empty()});
    ui.canvas.fill(at, prompt_touch.hovered && no_prompt.empty() ? ui.theme.raised : ui.theme.bg, 6);
    ui.canvas.outline(at, {prompt_touch.hovered && live ? ui.theme.muted : ui.theme.line, 1}, 6);
    ui::fitted_text(ui.canvas, {at.x + 12, at.y + 23}, prompt, ui::Font::text, 15, no_prompt.empty() ? ui.theme.ink : ui.theme.muted,
                    at.w - 44);
    ui::icon(ui.canvas, ui::Icon::chevron_down, {at.right() - 16, at.y + 18}, 12, ui.theme.muted);
    if (prompt_touch.focused) ui::focus_ring(ui.canvas, ui.theme, at);
    ui::tooltip(ui, at, no_prompt.empty() ? shared_says("run.edit"_t) : no_prompt);
    if (prompt_touch.clicked) out.push_back(EditPrompt{});

    at = row.take(drafter_w);
    ui::field_label(ui, at, shared_says("run.drafter"_t));
    const std::vector<ui::Choice> drafters = drafter_choices(input.status, now.drafter);
    int chosen = -1;
    for (std::size_t i = 0; i < drafters.size(); ++i)
        if (drafters[i].label == now.drafter) chosen = static_cast<int>(i);
    if (const auto pick = ui::dropdown(ui, "drafter", at, drafters, chosen, {.disabled = off}); pick && *pick != chosen) {
        restart(with_drafter(now, drafters[static_cast<std::size_t>(*pick)].label));
    }

    at = row.take(rule_w);
    ui::field_label(ui, at, shared_says("run.rule"_t));
    std::vector<ui::Choice> rules;
    int rule = -1;
    for (const RuleInfo& info : rule_list()) {
        if (now.rule == info.name) rule = static_cast<int>(rules.size());
        ui::Choice choice{info.name, message(info.title), ""};
        const DrafterInfo* drafter = find_drafter(now.drafter);
        if (drafter && !can_judge(info, *drafter)) choice.disabled = shared_says("run.judges_chains"_t);
        rules.push_back(choice);
    }
    if (const auto pick = ui::dropdown(ui, "rule", at, rules, rule, {.disabled = off}); pick && *pick != rule)
        restart(with_rule(now, rules[static_cast<std::size_t>(*pick)].label));

    at = row.take(k_w);
    ui::field_label(ui, at,
                    limited      ? shared_says("run.k_limited"_t, "most"_v = length)
                    : now.k_auto ? shared_says("run.k_auto"_t)
                                 : shared_says("run.k"_t));
    // The label leads to what chooses K: a pointer finds it there, a keyboard in the palette.
    const Rect label{at.x, at.y - 28, at.w, 24};
    if (ui::touch(ui, ui.id("lengths"), label, {.focusable = false, .grow = false}).clicked && live) out.push_back(EditLengths{});
    ui::tooltip(ui, label, shared_says("run.k_about"_t));
    if (const auto k = ui::stepper(ui, "k", at, length, {.low = 0, .high = limited ? length : 16.0, .disabled = off})) {
        restart(with_draft_length(now, static_cast<int>(*k)));
    }

    at = row.take(t_w);
    ui::field_label(ui, at, shared_says("run.temperature"_t));
    if (const auto t =
            ui::stepper(ui, "t", at, now.sampling.temperature, {.low = 0, .high = 2, .step = 0.1, .decimals = 1, .disabled = off}))
        restart(with_temperature(now, *t < 0.05 ? 0 : *t));

    if (!seeded) return;
    at = row.take(seed_w);
    ui::field_label(ui, at, shared_says("run.seed"_t));
    if (ui::button(ui, "seed", at, ui::fit_printed(ui.canvas, std::to_string(now.seed), ui::Font::text, 15, at.w - 44),
                   {.icon = ui::Icon::redo, .tooltip = shared_says("run.seed_about"_t), .disabled = off})) {
        RunSettings changed = now;
        ++changed.seed;
        restart(changed);
    }
    if (!wide) return;

    const float line = row.x + 0.5F;
    ui.canvas.line({line, r.y + 16}, {line, r.y + 80}, ui.theme.hairline());
    row.x += 12;
    row.gap = 8;
    at = row.take(step_w);
    ui::field_label(ui, at, shared_says("run.run"_t));
    const Message over = input.view->stopped && input.cursor >= input.available ? shared_says("run.over"_t) : Message();
    if (ui::button(ui, "step", at, shared_says("run.step"_t), {.tooltip = shared_says("run.step_about"_t), .disabled = over}))
        out.push_back(Go{Move::step});
    at = row.take(reject_w);
    if (ui::button(ui, "rejection", at, shared_says("run.rejection"_t),
                   {.tooltip = shared_says("run.rejection_about"_t), .disabled = over}))
        out.push_back(Go{Move::rejection});
}

} // namespace speclens
