#include "scenes/shared/cycle_pick.h"

#include "scenes/shared/head_scene.h"
#include "scenes/shared/run_controls.h"
#include "scenes/shared/token_said.h"
#include "ui/text_layout.h"

namespace speclens {

const RoundSummary* shown_round(const SceneInput& input) {
    const RoundSummary* now = input.view->current();
    if (!now) return input.whole->round_list.empty() ? nullptr : &input.whole->round_list.front();
    for (const RoundSummary& round : input.whole->round_list)
        if (round.round == now->round && round.first_event == now->first_event) return &round;
    return now;
}

const Committed* commit_of(const RunView& whole, const RoundSummary& shown) {
    if (shown.commit) return shown.commit;
    for (const RoundSummary& round : whole.round_list)
        if (round.first_event == shown.first_event) return round.commit;
    return nullptr;
}

bool drops_own_token(const Committed& commit) { return static_cast<int>(commit.tokens.size()) <= commit.accepted_drafts; }

const RunSettings& round_settings(const SceneInput& input, int round) {
    return input.earlier ? settings_at(round, *input.earlier, *input.settings) : *input.settings;
}

int anchor_of(const RunView& whole, const RoundSummary& shown) {
    const Header* run = whole.header;
    int anchor = run && !run->prompt.empty() && !starts_empty(*run) ? run->prompt.back() : -1;
    for (const RoundSummary& round : whole.round_list) {
        if (round.first_event >= shown.first_event) break;
        if (round.commit && !round.commit->tokens.empty()) anchor = round.commit->tokens.back();
    }
    return anchor;
}

const TopEntries& at_one(const Drafted& draft) { return draft.raw_top.empty() ? draft.top : draft.raw_top; }

int favourite(const TopEntries& top) { return top.entries.empty() ? -1 : top.entries.front().id; }

Message word(const SceneInput& input, int id) { return id < 0 ? shared_says("words.token:some"_t) : token_said(*input.trace, id); }

bool models_loaded(const SceneInput& input) { return input.status && !input.status->ready_drafters.empty(); }

bool drafter_ready(const SceneInput& input, const std::string& drafter) {
    return input.status && is_ready(input.status->ready_drafters, drafter);
}

bool drafts_nothing(const SceneInput& input) {
    const Header* header = input.whole->header;
    return header && (header->drafter == kNoDrafter || header->k == 0);
}

std::string first_ready_drafter(const SceneInput& input) {
    if (!input.status) return "";
    const std::vector<std::string> racers = default_racers(input.status->ready_drafters); // plain decoding, then who drafts
    return racers.size() > 1 ? racers[1] : "";
}

OtherDrafter drafter_instead(const SceneInput& input) {
    const DrafterInfo* info = find_drafter(first_ready_drafter(input));
    if (!info) return {"", "", shared_says("other_drafter.none"_t), false};
    return {info->name, message(info->title), shared_says("other_drafter.why"_t)};
}

SceneCommand draft_with(const RunSettings& now, const std::string& drafter) {
    return Command{Restart{with_draft_length(with_drafter(now, drafter), now.k > 0 ? now.k : default_k(drafter))}};
}

bool built_in_has_it(const SceneInput& input, const std::string& drafter) {
    const DrafterInfo* info = find_drafter(drafter);
    return info && info->needs_network() && models_loaded(input) && !drafter_ready(input, drafter) && !input.status->built_in &&
           !input.still;
}

void draw_other_drafter(const SceneInput& input, ui::Ui& ui, const OtherDrafter& other, std::vector<SceneCommand>& out) {
    const ui::Rect r{input.stage.x + 24, input.stage.y + 108, input.stage.w - 48, 120};
    ui.canvas.outline(r, {ui.theme.muted, 1, 2, 4}, 6);
    ui::ParagraphStyle style{.color = ui.theme.muted};
    style.max_lines = 2;
    ui::paragraph(ui.canvas, {r.x + 20, r.y + 30}, r.w - 40, other.words, style);
    if (!other.can_switch || !input.settings) return;
    const std::string name = other.drafter;
    if (built_in_has_it(input, name)) {
        const Message words = shared_says("other_drafter.there"_t, "drafter"_v = other.title, "model"_v = input.status->model);
        const ui::ButtonOptions options{.kind = ui::ButtonKind::primary, .shortcut = "U"};
        const Message label = shared_says("other_drafter.on_tiny"_t);
        const ui::Rect at{r.x + 20, r.y + 72, ui::button_width(ui.canvas, label, options), 36};
        if (ui::button(ui, "switch", at, label, options) || ui.take_key(ui::Key::u)) out.push_back(OnBuiltIn{name});
        ui::fitted_text(ui.canvas, {at.right() + 16, at.y + 23}, words, ui::Font::text, 15, ui.theme.muted,
                        r.right() - 20 - at.right() - 16);
        return;
    }
    const Message off = !models_loaded(input)         ? shared_says("words.no_models"_t)
                        : !drafter_ready(input, name) ? shared_says("other_drafter.no_head"_t, "drafter"_v = other.title, "name"_v = name)
                                                      : Message();
    const Message label = shared_says("other_drafter.button"_t, "drafter"_v = other.title);
    const ui::ButtonOptions options{.kind = ui::ButtonKind::primary, .shortcut = "U", .disabled = off};
    const ui::Rect at{r.x + 20, r.y + 72, ui::button_width(ui.canvas, label, options), 36};
    if (ui::button(ui, "switch", at, label, options) || (off.empty() && ui.take_key(ui::Key::u)))
        out.push_back(draft_with(*input.settings, name));
    if (!off.empty())
        ui::fitted_text(ui.canvas, {at.right() + 16, at.y + 23}, off, ui::Font::text, 15, ui.theme.muted, r.right() - 20 - at.right() - 16);
}

MeasureLoad batch_to_decode(const SceneInput& input) {
    MeasureLoad measure;
    if (input.settings) measure.base = *input.settings;
    if (const Header* header = input.whole->header) measure.base.drafter = header->drafter;
    return measure;
}

Message batch_problem(const SceneInput& input) {
    if (Message none = no_models(input); !none.empty()) return none;
    const Header* header = input.whole->header;
    return !header || header->drafter == kNoDrafter ? shared_says("words.run_no_drafter"_t) : Message();
}

} // namespace speclens
