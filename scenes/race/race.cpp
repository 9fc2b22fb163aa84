// Scene S13, the race: one to four drafters write the same text from the same dice, on one clock. Its whole
// state is the clock and the lane with the focus, which the shell keeps.
#include <algorithm>
#include <cmath>

#include "engine/drafters/drafter.h"
#include "scenes/race/race_draw.h"
#include "scenes/shared/story.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Rect;

class RaceScene final : public Scene {
  public:
    ui::Vec2 presenter_stage() const override { return {914, 380}; }
    int beats(const SceneInput&) const override { return 0; }
    bool whole_window() const override { return true; }

    std::vector<SceneCommand> draw(const SceneInput& input, ui::Ui& ui) override {
        std::vector<SceneCommand> out;
        const RaceModel model = race_model(input);
        const int lanes = std::max(1, static_cast<int>(model.lanes.size()));
        const RaceGrid grid = race_grid(
            input.stage, lanes, model.stepped || input.presenter ? RaceCards::none : RaceCards::shown);
        const RaceDraw d{input, model, grid, ui};
        ui.push_id("race");
        if (input.stage.w > 0) {
            ui.push_clip(input.stage_clip);
            draw_race_header(d, out);
            if (model.lanes.empty())
                ui::slot(ui.canvas, ui.theme,
                         {grid.lanes.x + 12, grid.lanes.y, grid.lanes.w - 24, grid.lanes.h},
                         "lanes appear as soon as the models are loaded");
            draw_race_lanes(d, out);
            if (grid.cards.h > 0) draw_cards(d, out);
            model.stepped ? draw_race_steps(d, out) : draw_race_clock(d, out);
            ui.pop_clip();
        }
        keys(model, ui, out);
        ui.pop_id();
        return out;
    }

    std::string describe(const SceneInput& input) const override {
        return race_description(input, race_model(input));
    }

    std::vector<std::pair<std::string, std::string>> keys() const override {
        return {{"→ ←", "End of the next, previous round of any lane"},
                {"Shift+→ ←", "The same for the chosen lane"},
                {"↑ ↓", "Choose a lane"},
                {"S", "The clock in ms, or in rounds of every lane"},
                {"L", "All lanes together, step by step: → a phase in every lane, Shift+→ a round"},
                {"Enter", "Open the chosen lane's run in the loop scene"},
                {"1 … 9", "A drafter in or out of the race"},
                {"K  T", "Longer drafts, higher temperature (Shift: less), for all lanes"}};
    }

  private:
    static void draw_cards(const RaceDraw& d, std::vector<SceneCommand>& out) {
        const Rect r = d.grid.cards;
        const float pad = d.grid.pad, w = r.w - 4 * pad;
        const Rect scatter{r.x + pad, r.y, w * 0.405F, r.h};
        const Rect positions{scatter.right() + pad, r.y, w * 0.30F, r.h};
        const Rect costs{positions.right() + pad, r.y, r.right() - pad - positions.right() - pad, r.h};
        draw_race_scatter(d, scatter, out);
        draw_race_positions(d, positions);
        draw_race_costs(d, costs);
    }

    static void keys(const RaceModel& model, ui::Ui& ui, std::vector<SceneCommand>& out) {
        const int lanes = static_cast<int>(model.lanes.size());
        if (lanes == 0) return;
        if (ui.take_key(ui::Key::up)) out.push_back(FocusLane{(model.focus + lanes - 1) % lanes});
        if (ui.take_key(ui::Key::down)) out.push_back(FocusLane{(model.focus + 1) % lanes});
        if (ui.take_key(ui::Key::s)) out.push_back(ToggleRaceClock{});
        if (ui.take_key(ui::Key::l)) out.push_back(ToggleStepped{});
        if (ui.take_key(ui::Key::enter)) out.push_back(OpenLane{model.focus});
        const auto& drafters = drafter_list();
        for (int digit = 1; digit <= 9 && digit <= static_cast<int>(drafters.size()); ++digit)
            if (ui.take_key(static_cast<ui::Key>(static_cast<int>(ui::Key::d0) + digit)))
                out.push_back(ToggleLane{drafters[static_cast<std::size_t>(digit - 1)].name});
    }
};

// Two prompts of the gallery may begin alike; the row tells them apart.
std::string short_prompt(const GalleryPrompt& prompt) {
    std::string words = prompt.prompt.substr(0, prompt.prompt.find('\n'));
    return (prompt.domain.empty() ? "" : prompt.domain + ": ") + words;
}

} // namespace

Rect RaceGrid::lane(int i, int count) const {
    const float w = (lanes.w - pad * static_cast<float>(count + 1)) / static_cast<float>(count);
    return {lanes.x + pad + (w + pad) * static_cast<float>(i), lanes.y, w, lanes.h};
}

RaceGrid race_grid(Rect stage, int lanes, RaceCards wanted) {
    RaceGrid g;
    g.roomy = stage.h >= 850 && stage.w >= 1400;
    const float rows = static_cast<float>(lanes);
    const float header = g.roomy ? 80 : 76, pitch = g.roomy ? 32.0F : 26.0F;
    const float clock = 16 + rows * pitch + (g.roomy ? 56.0F : 58.0F);
    const float middle = stage.h - header - clock - 8;
    g.header = {stage.x, stage.y, stage.w, header};
    const bool cards = wanted == RaceCards::shown && stage.h >= 600 && stage.w >= 1100;
    const float lane_h = cards ? std::floor((middle - 8) * (g.roomy ? 0.48F : 0.46F)) : middle;
    g.lanes = {stage.x, stage.y + header, stage.w, lane_h};
    g.cards = {stage.x, g.lanes.bottom() + 8, stage.w, cards ? middle - 8 - lane_h : 0};
    g.clock = {stage.x, stage.bottom() - clock, stage.w, clock};
    return g;
}

Rect race_card(const RaceDraw& d, Rect card, const std::string& heading,
               std::initializer_list<std::string> conditions, float taken) {
    const auto fits = [&](const std::string& words) {
        return d.ui.canvas.text_width(words, ui::Font::text, 14) <= card.w - 32 - taken;
    };
    const auto fitting = std::ranges::find_if(conditions, fits);
    const std::string& words = fitting != conditions.end() ? *fitting : *(conditions.end() - 1);
    ui::card(d.ui.canvas, d.ui.theme, card);
    ui::fitted_text(d.ui.canvas, {card.x + 16, card.y + 24}, heading, ui::Font::text_bold, 15, d.ui.theme.ink,
                    card.w - 32);
    ui::fitted_text(d.ui.canvas, {card.x + 16, card.y + 45}, words, ui::Font::text, 14, d.ui.theme.muted,
                    card.w - 32 - taken);
    return {card.x + 16, card.y + 56, card.w - 32, card.h - 56 - 10};
}

void draw_race_header(const RaceDraw& d, std::vector<SceneCommand>& out) {
    const Rect r = d.grid.header;
    const float button = 96, field = std::min(320.0F, r.w * 0.24F), y = r.y + 20;
    const Rect run{r.right() - 12 - button, y, button, 36};
    const Rect kind{run.x - 12 - 108, y, 108, 36};
    const Rect prompt{kind.x - 12 - field, y, field, 36};
    // The title keeps clear of the controls; the badge stands left of them. A presenter's keys do what they
    // would, and a banner needs their place.
    const bool bare = d.input.presenter || d.input.banner;
    SceneInput left = d.input;
    left.stage = {r.x - 12, r.y, bare ? r.w + 24 : prompt.x + 12 - r.x, r.h};
    draw_stage_title(
        left, d.ui,
        {race_title(d.model), race_subtitle(d.input, d.model), d.model.tier, "", race_title_short(d.model)});
    if (bare) return;

    std::vector<ui::Choice> choices;
    int chosen = -1;
    std::string now = d.model.race ? d.model.race->settings.base.prompt : std::string();
    if (d.input.gallery)
        for (std::size_t i = 0; i < d.input.gallery->size(); ++i) {
            const GalleryPrompt& p = (*d.input.gallery)[i];
            if (p.prompt == now) chosen = static_cast<int>(i);
            choices.push_back({short_prompt(p)});
        }
    const std::string other = now.substr(0, now.find('\n'));
    if (const auto row = ui::dropdown(d.ui, "prompt", prompt, choices, chosen,
                                      {.tooltip = "the prompt of every lane; Ctrl+N writes another one"},
                                      other.empty() ? "choose a prompt…" : other))
        out.push_back(PickRacePrompt{*row});
    if (ui::button(d.ui, "kind", kind, d.model.stepped ? "Timed" : "Stepped",
                   {.shortcut = "L",
                    .tooltip = d.model.stepped ? "back to the race on the clock: one lane after another"
                                               : "all lanes together, phase by phase; nothing is timed",
                    .disabled = d.model.race ? "" : "no race yet"}))
        out.push_back(ToggleStepped{});
    const bool busy = d.model.race && !d.model.race->lanes_over() && !d.model.stepped;
    if (ui::button(d.ui, "run", run, busy ? "Stop" : "Run again",
                   {.kind = ui::ButtonKind::primary,
                    .tooltip = busy              ? "stop this race"
                               : d.model.stepped ? "from the prompt, with the same dice"
                                                 : "race once more with the same dice",
                    .disabled = d.model.race ? "" : "no race yet"})) {
        if (busy)
            out.push_back(Command{StopRace{}});
        else
            out.push_back(Command{StartRace{d.model.race->settings}});
    }
}

std::unique_ptr<Scene> make_race() {
    return std::make_unique<RaceScene>();
}

} // namespace speclens
