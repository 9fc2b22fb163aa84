// Scene rail and status bar.
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "app/frame/frame.h"
#include "engine/fetch/fetchable.h"
#include "engine/model/precision.h"
#include "engine/models/model_names.h"
#include "scenes/race/race_draw.h"
#include "scenes/shared/told.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/language/language.h"
#include "ui/text_layout.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;

constexpr struct {
    const char *label, *key, *about;
    Action action;
} kRailRows[] = {{"Keys", "?", "All keys, and those of this scene", Action::keys},
                 {"Glossary", "G", "The words of the field, each with the scene that shows it", Action::glossary},
                 {"In words", "D", "What is on the stage, as text that can be copied", Action::description},
                 {"Search", "Ctrl+K", "Scenes, words, prompts, tokens and commands", Action::palette}};

// What a scene shows, for who reads its name only.
std::string scene_about(const SceneInfo& scene) { return std::string(scene.title) + ": " + scene.about; }

ui::Id rail_id(const FrameDraw& d, const SceneInfo& scene) { return d.ui.id("scene " + std::to_string(scene.number)); }

// Which row Tab stops at: that of the open scene, and from there the arrows lead to the others.
ui::Id rail_stop(const FrameDraw& d, bool narrow) {
    std::vector<ui::Id> rows;
    std::size_t open = 0;
    for (const SceneGroup& group : scene_groups())
        for (const SceneInfo* scene : group.scenes) {
            if (d.input.scene_name == scene->name) open = rows.size();
            rows.push_back(rail_id(d, *scene));
        }
    if (!narrow)
        for (const auto& row : kRailRows) rows.push_back(d.ui.id(row.label));
    return rows[ui::walk(d.ui, rows, open, ui::Key::up, ui::Key::down)];
}

// Where its rows stand and how large their words are, from the size of the rail alone: headings take a little less than rows.
struct RailGrid {
    bool wide = true; // keys, glossary and the like have room below the scenes
    float above = 8, inset = 8, pitch = 34, head = 31;
    float text = 15, name_at = 24, head_text = 14, head_at = 16; // sizes, and where words begin: from the row, from the rail
};
constexpr float kRailFooter = 166;

RailGrid rail_grid(Rect r) {
    RailGrid g;
    g.wide = r.w >= 160;
    if (!g.wide) {
        const bool narrow = r.w < 90;
        g.above = g.inset = narrow ? 2 : 4;
        g.text = narrow ? 13 : 14;
        g.name_at = narrow ? 7 : 9;
        g.head_text = narrow ? 12.5F : 14;
        g.head_at = narrow ? 5 : 8;
    }
    const float available = r.h - 2 * g.above - (g.wide ? kRailFooter : 0);
    const auto rows = static_cast<float>(scene_list().size()), heads = static_cast<float>(scene_groups().size());
    constexpr float kHead = 0.9F;
    g.pitch = std::min(34.0F, available / (rows + kHead * heads));
    g.head = kHead * g.pitch;
    return g;
}

// visit(group, y of its heading), then visit(scene, y) of each of its rows.
template <class Head, class Scene>
float each_rail_row(Rect r, const RailGrid& g, Head head, Scene row) {
    float y = r.y + g.above;
    for (const SceneGroup& group : scene_groups()) {
        head(group, y);
        y += g.head;
        for (const SceneInfo* scene : group.scenes) {
            row(*scene, y);
            y += g.pitch;
        }
    }
    return y;
}

// "Relaxed rules", or "Relaxed" where there is no room for both words.
std::string rail_name(const ui::Canvas& c, std::string_view title, float size, float room) {
    const std::string name = ui::language().label(title);
    return c.text_width(name, Font::text, size) <= room ? name : name.substr(0, name.find(' '));
}

void draw_rail_name(const FrameDraw& d, const SceneInfo& scene, Rect box, const RailGrid& g) {
    const ui::Canvas& c = d.ui.canvas;
    const bool selected = d.input.scene_name == scene.name;
    const float x = box.x + g.name_at, room = box.right() - 1 - x;
    const std::string name = rail_name(c, scene.title, g.text, room);
    ui::tooltip_beside(d.ui, box, scene_about(scene));
    const bool bold = selected && c.text_width(name, Font::text_bold, g.text) <= room;
    ui::fitted_text(d.ui.canvas, {x, ui::baseline(box.y, box.h, g.text)}, name, bold ? Font::text_bold : Font::text, g.text,
                    selected ? d.ui.theme.ink : d.ui.theme.muted, room);
}

void rail_row(const FrameDraw& d, const SceneInfo& scene, Rect box, const RailGrid& g, ui::Id stop) {
    const bool selected = d.input.scene_name == scene.name;
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const ui::Id id = rail_id(d, scene);
    const ui::Touch touched = ui::touch(d.ui, id, box, {.grow = false, .stop = id == stop});
    if (selected || touched.hovered) c.fill(box, selected ? t.raised : t.raised.alpha(0.5F), 6);
    if (selected) c.fill({box.x, box.y + 4, 3, box.h - 8}, t.ink, 1);
    if (touched.focused) ui::focus_ring(c, t, box);
    draw_rail_name(d, scene, box, g);
    if (touched.clicked) d.out.push_back(SceneCommand{OpenScene{scene.name}});
}

void draw_rail_footer(const FrameDraw& d, Rect r, float y, ui::Id stop) {
    d.ui.canvas.line({r.x + 16, y + 0.5F}, {r.right() - 16, y + 0.5F}, d.ui.theme.hairline());
    y += 10;
    for (const auto& [label, key, about, action] : kRailRows) {
        const Rect box{r.x + 8, y, r.w - 17, 34};
        const ui::Id id = d.ui.id(label);
        const ui::Touch touched = ui::touch(d.ui, id, box, {.stop = id == stop});
        if (touched.hovered) d.ui.canvas.fill(box, d.ui.theme.raised.alpha(0.5F), 6);
        if (touched.focused) ui::focus_ring(d.ui.canvas, d.ui.theme, box);
        d.ui.canvas.text({box.x + 24, y + 22}, label, Font::text, 15, d.ui.theme.muted);
        d.ui.canvas.text({box.right() - 8, y + 22}, key, Font::mono, 14, d.ui.theme.muted, Align::right);
        ui::tooltip_beside(d.ui, box, about);
        if (touched.clicked) d.pick(action);
        y += 34;
    }
}

} // namespace

void draw_rail(const FrameDraw& d) {
    const Rect r = d.layout.rail;
    if (r.w <= 0) return;
    // As high as beside a scene with an output: places stay where they are in every scene.
    const Rect least = frame_layout({d.ui.screen.w, d.ui.screen.h}).rail;
    const RailGrid g = rail_grid({r.x, r.y, r.w, least.w == r.w ? std::min(r.h, least.h) : r.h});
    d.ui.push_id("rail");
    const ui::Id stop = rail_stop(d, !g.wide);
    const float end = each_rail_row(
        r, g,
        [&](const SceneGroup& group, float y) {
            const float base = y + g.head - (g.head > 21 ? 7.0F : 5.0F);
            d.ui.canvas.text({r.x + g.head_at, base}, group.title, Font::text_bold, g.head_text, d.ui.theme.ink);
        },
        [&](const SceneInfo& scene, float y) {
            rail_row(d, scene, {r.x + g.inset, y, r.w - 2 * g.inset - 1, g.pitch}, g, stop);
        });
    if (g.wide) draw_rail_footer(d, r, end + 12, stop);
    d.ui.pop_id();
}

std::string run_words(const std::string& drafter, int k, double temperature, double draft_temperature, const std::string& rule,
                      bool k_auto) {
    const bool plain = drafter == kNoDrafter;
    std::string words = plain ? "plain decoding" : drafter + " K " + (k_auto ? "auto" : "= " + std::to_string(k));
    if (temperature == 0) return words + " · greedy" + (plain || rule == "greedy" ? "" : " · " + rule + " rule");
    words += " · T " + ui::short_number(temperature);
    return plain ? words : words + draft_words(temperature, draft_temperature) + " · " + rule + " rule";
}

std::string speculation_state(const SceneInput& input, bool& on) {
    on = false;
    const RunView& view = *input.view;
    if (input.status && input.status->state == EngineStatus::State::failed)
        return input.status->prompt_too_long ? "OFF: the prompt is too long" : "OFF: the engine stopped";
    if (!view.header) return "OFF: no run yet";
    const Header& h = *view.header;
    if (h.drafter == kNoDrafter) {
        std::string why = h.notice.empty() ? std::string("drafter none, plain decoding") : h.notice;
        const std::string known = "speculation is off: "; // the cell says so already
        if (why.starts_with(known)) why.erase(0, known.size());
        return "OFF: " + why;
    }
    if (h.k == 0) return "OFF: K = 0, plain decoding";
    const RunView& whole = *input.whole;
    if (whole.rounds > 0 && whole.drafted == 0) return "OFF: nothing to draft so far";
    on = true;
    if (view.rounds == 0) return "active";
    return "active, " + ui::per_round(view.tokens_per_round()) + " tokens per round" + (view.stopped ? "" : " so far");
}

namespace {

// Where this run was forked, and what was forced there; empty: nowhere.
struct ForkWords {
    std::string where, tip;
};

ForkWords fork_words(const Trace& trace) {
    ForkWords words;
    int complete = 0;
    for (std::size_t i = 0; i < trace.size(); ++i) {
        if (std::holds_alternative<Committed>(trace[i])) ++complete;
        if (std::holds_alternative<Commanded>(trace[i])) {
            words.where += (words.where.empty() ? "fork at round " : ", ") + std::to_string(complete + 1);
            words.tip = "from there on the run is a branch: Ctrl+Z brings back the run before";
        }
        const auto* draft_token = std::get_if<Drafted>(&trace[i]);
        if (draft_token && draft_token->forced()) words.where += ": " + quoted(trace, draft_token->token) + " forced";
    }
    return words;
}

struct RaceCell {
    std::string text;
    bool strong = false;
    int keep = 0;
    std::string tip;
    bool dot = false, on = false;
};

// What the status bar says of a race: who runs, whether the texts agree, and how far the averages are.
std::vector<RaceCell> race_cells(const SceneInput& in) {
    std::vector<RaceCell> cells;
    if (!in.race) return {{"no race yet", true, 9, "it starts as soon as the models are loaded", true, false}};
    const RaceModel model = race_model(in);
    int drafters = 0, broken = 0;
    for (const RaceLaneModel& lane : model.lanes) {
        drafters += !lane.plain();
        broken += !lane.lane->problem.empty();
    }
    cells.push_back({counted(static_cast<int>(model.lanes.size()), "lane") + (model.stepped ? ", in step" : ", one at a time"), false, 4,
                     model.stepped ? "all lanes go on together; nothing is timed" : "every lane has the machine to itself while it runs"});
    const bool all = broken == 0 && drafters > 0;
    std::string drafting = std::to_string(broken) + " cannot run";
    if (drafters == 0)
        drafting = "OFF: nobody drafts";
    else if (all)
        drafting = (drafters == 1 ? "" : "all ") + counted(drafters, "drafter") + " active";
    cells.push_back({drafting, true, 9, "whether guesses are made", true, all});
    const std::string texts = race_texts(model);
    if (!texts.empty())
        cells.push_back(
            {texts, !model.identical && model.greedy, 8, "greedy text of every drafter must equal plain decoding's, token by token"});
    if (in.race->prompts_done > 0)
        cells.push_back({"averages over " + counted(in.race->prompts_done - in.race->skipped, "prompt") +
                             (in.race->finished()    ? ""
                              : in.race->ended_early ? ", stopped there"
                                                     : " so far"),
                         false, 6, "the cards in the middle; intervals are 95 %, by resampling the prompts"});
    cells.push_back({"seed " + std::to_string(in.race->settings.base.seed), false, 3, "dice of every lane"});
    return cells;
}

} // namespace

namespace {

// What the first cell is of, and how to get another model.
std::string engine_tip(const FrameInput& input) {
    const std::string what = "engine, device and models";
    if (!input.engine) return what;
    if (input.model != kBuiltInModel) return what + ": a click lists others, such as tiny, which is built in";
    return what + ": a click lists others, such as " + fetchables().front().title + ", a real one";
}

} // namespace

void draw_status(const FrameDraw& d) {
    const Rect r = d.layout.status;
    if (r.w <= 0) return;
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const SceneInput& in = d.input.scene;
    const Header* h = in.view->header;
    const float base = r.y + r.h / 2 + 5;
    struct Cell {
        std::string text;
        bool strong = false;
        bool mono = false;
        int keep = 0; // dropped last when large
        std::string tip;
        bool dot = false, on = false;
        std::optional<Action> click = {};
    };
    if (!d.state.message.empty() && d.ui.input.time < d.state.message_until) {
        // In the place of the cells: over the picture it would cover an axis or a legend.
        const float w = std::min(r.w - 16, c.text_width(d.state.message, Font::text, 14) + 24);
        c.fill({r.x + 8, r.y + 2, w, r.h - 3}, t.ink, 4);
        ui::fitted_text(c, {r.x + 20, base}, d.state.message, Font::text, 14, t.bg, w - 24);
        ui::tooltip(d.ui, {r.x + 8, r.y, w, r.h}, d.state.message);
        d.ui.wake(d.state.message_until);
        return;
    }
    std::vector<Cell> cells;
    const bool race = d.input.scene_name == "race";
    if (const auto& lecture = d.input.lecture) {
        const bool away = lecture->away(d.input.scene_name);
        cells.push_back({"step " + std::to_string(lecture->step + 1) + " of " + std::to_string(lecture->steps()) + (away ? " (away)" : "") +
                             " · " + lecture->now().title + (away || lecture->step + 1 == lecture->steps() ? "" : " · PageDown goes on"),
                         true, false, 8,
                         away ? "of the lecture: PageDown or PageUp leads back to it"
                              : "of the lecture: PageDown and PageUp go on and back, F4 shows its notes"});
    }
    if (!d.input.work.empty()) cells.push_back({d.input.work, true, false, 10, shared_says("work.about"_t), false, false, Action::cancel});
    std::string engine = h && !h->backend.empty() ? h->backend : in.status ? in.status->backend : "";
    if (h && !h->model.empty()) engine += (engine.empty() ? "" : " · ") + h->model;
    if (h && !h->weights.empty())
        engine += " (" + h->weights + " · " + precision_words(h->precision) + ")";
    else if (h && h->precision != Precision::f32)
        engine += " (" + precision_words(h->precision) + ")";
    if (h && !h->drafter_model.empty()) engine += " ← " + h->drafter_model;
    if (race && in.race)
        engine = in.race->backend + " · " + in.race->model +
                 (in.race->precision == Precision::f32 ? "" : " (" + precision_words(in.race->precision) + ")");
    if (engine.empty()) engine = in.status && !in.status->job.empty() ? in.status->job : "no engine";
    cells.push_back(
        {engine, true, false, 5, engine_tip(d.input), false, false, d.input.engine ? std::optional(Action::open_model) : std::nullopt});
    if (race) {
        for (RaceCell& cell : race_cells(in))
            cells.push_back({std::move(cell.text), cell.strong, false, cell.keep, std::move(cell.tip), cell.dot, cell.on});
    }
    if (h && !race)
        cells.push_back({run_words(h->drafter, h->k, h->sampling.temperature, h->draft_sampling.temperature, h->rule, h->k_auto), false,
                         false, 4, "drafter, temperature and rule of this run"});
    const ServerView* server = d.input.scene_name == "server" ? in.server : nullptr;
    if (d.input.served && server && server->own &&
        (server->state == ServerView::State::probing || server->state == ServerView::State::attached)) {
        const RunSettings& s = *d.input.served;
        cells.push_back({"serves " + run_words(s.drafter, s.k, s.sampling.temperature, s.drafts().temperature, s.rule, s.k_auto), true,
                         false, 8, "what was on screen when “Serve this engine” was pressed"});
    }
    bool on = false;
    const std::string state = race ? "" : speculation_state(in, on);
    const ForkWords fork = race ? ForkWords{} : fork_words(*in.trace);
    if (!fork.where.empty()) cells.push_back({fork.where, true, false, 8, fork.tip});
    if (!race) cells.push_back({state, true, false, 9, "whether guesses are made, and if not, why", true, on});
    if (h && !race) cells.push_back({"seed " + std::to_string(h->seed), false, false, 3, "dice of this run"});
    if (in.status && in.status->memory_bytes > 0)
        cells.push_back({ui::megabytes(static_cast<double>(in.status->memory_bytes)), false, false, 2, "weights and caches"});
    if (h && !race) {
        static constexpr char kHex[] = "0123456789abcdef";
        std::string hash = "hash ";
        for (int i = 0; i < 8; ++i) {
            if (i == 4) hash += ' ';
            hash += kHex[(d.input.hash >> (60 - 4 * i)) & 15];
        }
        cells.push_back({hash, false, false, 1, "of the events shown: equal runs have equal hashes"});
        if (d.input.altered)
            cells.push_back({"CHANGED after it was recorded", true, false, 10, "the events do not give the hash that the file ends with"});
    }
    cells.push_back({std::to_string(static_cast<int>(d.input.zoom * 100 + 0.5F)) + " %", false, false, 1, "zoom: Ctrl+= and Ctrl+-"});
    if (d.input.playing && !race)
        cells.push_back(
            {"playing " + ui::number(d.input.speed, d.input.speed < 1 ? 2 : 0) + "×", false, false, 3, "slower [ and faster ]"});

    if (race) h = in.race ? race_header(*in.race) : nullptr;
    std::string right =
        h && tier_of(h) == ui::Tier::recorded ? "recorded " + h->date + (h->machine.empty() ? "" : " on " + h->machine) : "";
    const auto width = [&](const Cell& cell) {
        return c.text_width(cell.text, cell.mono ? Font::mono : Font::text, 14) + 24 + (cell.dot ? 16.0F : 0.0F);
    };
    const auto total = [&] {
        float sum = 16 + (right.empty() ? 0 : c.text_width(right, Font::text, 14) + 32);
        for (const Cell& cell : cells) sum += width(cell);
        return sum;
    };
    while (cells.size() > 1 && total() > r.w) {
        if (!right.empty() && cells.size() < 5) {
            right.clear();
            continue;
        }
        cells.erase(std::ranges::min_element(cells, {}, &Cell::keep));
    }
    float x = r.x + 16;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const Cell& cell = cells[i];
        const float w = std::min(width(cell), r.right() - x);
        if (i > 0) c.line({x - 12 + 0.5F, r.y + 8}, {x - 12 + 0.5F, r.bottom() - 8}, t.hairline());
        float at = x;
        if (cell.dot) {
            if (cell.on)
                c.disc({at + 4, r.center().y}, 4, t.live());
            else
                c.ring({at + 4, r.center().y}, 4, {t.muted, 1.5F});
            at += 16;
        }
        ui::fitted_text(c, {at, base}, cell.text, Font::text, 14, cell.strong ? t.ink : t.muted, r.right() - 8 - at);
        const Rect box{x - 6, r.y, w - 8, r.h};
        if (cell.click) { // not on the way of Tab: a key does it
            const ui::Touch touched =
                ui::touch(d.ui, d.ui.id("cell " + std::to_string(static_cast<int>(*cell.click))), box, {.focusable = false, .grow = false});
            if (touched.hovered) c.line({x, r.bottom() - 5}, {x + w - 24, r.bottom() - 5}, {t.muted, 1});
            if (touched.clicked) d.pick(*cell.click);
        }
        ui::tooltip(d.ui, box, cell.tip);
        x += w;
    }
    if (!right.empty()) c.text({r.right() - 16, base}, right, Font::text, 14, t.muted, Align::right);
}

} // namespace speclens
