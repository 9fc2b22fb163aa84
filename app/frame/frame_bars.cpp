// Scene rail and status bar.
#include <algorithm>
#include <optional>
#include <vector>

#include "app/frame/frame.h"
#include "engine/base/display_name.h"
#include "engine/fetch/fetchable.h"
#include "engine/model/precision.h"
#include "engine/models/model_names.h"
#include "engine/rules/verify.h"
#include "scenes/race/race_draw.h"
#include "scenes/shared/message_scene.h"
#include "scenes/shared/shown_work.h"
#include "scenes/shared/token_said.h"
#include "scenes/shared/words.h"
#include "ui/text_layout.h"

namespace speclens {
namespace {

struct RailRow {
    Message label, about;
    const char* key;
    Action action;
};
std::vector<RailRow> rail_rows() {
    return {{frame_says("keys.label"_t), frame_says("rail.keys_about"_t), "?", Action::keys},
            {frame_says("glossary.label"_t), frame_says("rail.glossary_about"_t), "G", Action::glossary},
            {frame_says("rail.words"_t), frame_says("rail.words_about"_t), "D", Action::description},
            {frame_says("rail.search"_t), frame_says("rail.search_about"_t), "Ctrl+K", Action::palette}};
}

// What a scene shows, for who reads its name only.
Message scene_about(const SceneInfo& scene) {
    return frame_says("rail.scene"_t, "scene"_v = message(scene.title), "about"_v = message(scene.about));
}

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
        for (const RailRow& row : rail_rows()) rows.push_back(d.ui.id(row.label));
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
Message rail_name(const ui::Canvas& c, const Said& title, float size, float room) {
    const Message name = message(title);
    return c.text_width(name, Font::text, size) <= room ? name : frame_says("rail.brief"_t, "scene"_v = title);
}

void draw_rail_name(const FrameDraw& d, const SceneInfo& scene, Rect box, const RailGrid& g) {
    const ui::Canvas& c = d.ui.canvas;
    const bool selected = d.input.scene_name == scene.name;
    const float x = box.x + g.name_at, room = box.right() - 1 - x;
    const Message name = rail_name(c, scene.title, g.text, room);
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
    for (const auto& [label, about, key, action] : rail_rows()) {
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
            d.ui.canvas.text({r.x + g.head_at, base}, message(group.title), Font::text_bold, g.head_text, d.ui.theme.ink);
        },
        [&](const SceneInfo& scene, float y) {
            rail_row(d, scene, {r.x + g.inset, y, r.w - 2 * g.inset - 1, g.pitch}, g, stop);
        });
    if (g.wide) draw_rail_footer(d, r, end + 12, stop);
    d.ui.pop_id();
}

Message run_words(const std::string& drafter, int k, double temperature, double draft_temperature, const std::string& rule, bool k_auto) {
    const bool plain = drafter == kNoDrafter, greedy = temperature == 0;
    const Message who = plain    ? shared_says("words.plain"_t)
                        : k_auto ? frame_says("run.who:auto"_t, "drafter"_v = drafter)
                                 : frame_says("run.who:one"_t, "drafter"_v = drafter, "k"_v = k);
    const bool told = !plain && !(greedy && rule == "greedy");
    const RuleInfo* info = told ? find_rule(rule) : nullptr;
    const auto ruled = "rule"_v = told ? rule : "";
    const auto named = "named"_v = info ? message(info->title) : Message(told ? rule : "");
    if (greedy) return frame_says("run.words:greedy"_t, "who"_v = who, ruled, named);
    const bool same = plain || draft_temperature == temperature;
    const Message drafts = same                     ? Message()
                           : draft_temperature == 0 ? frame_says("run.drafts:likeliest"_t)
                                                    : frame_says("run.drafts:at"_t, "temperature"_v = draft_temperature);
    return frame_says("run.words:drawn"_t, "who"_v = who, "temperature"_v = temperature, "drafts"_v = drafts, ruled, named);
}

Message products_words(Precision precision) { return frame_says("status.products"_t, "precision"_v = name_of(precision)); }

Message speculation_state(const SceneInput& input, bool& on) {
    on = false;
    const RunView& view = *input.view;
    if (input.status && input.status->state == EngineStatus::State::failed)
        return input.status->error_kind == ErrorKind::prompt_too_long ? frame_says("status.off:too_long"_t)
                                                                      : frame_says("status.off:stopped"_t);
    if (!view.header) return frame_says("status.off:no_run"_t);
    const Header& h = *view.header;
    if (h.drafter == kNoDrafter) {
        const std::vector<Said> why = h.why_off().value_or(h.notice.messages());
        return why.empty() ? frame_says("status.off:none"_t) : frame_says("status.off:why"_t, "why"_v = why);
    }
    if (h.k == 0) return frame_says("status.off:no_length"_t);
    const RunView& whole = *input.whole;
    if (whole.rounds > 0 && whole.drafted == 0) return frame_says("status.off:nothing"_t);
    on = true;
    const auto tokens = "tokens"_v = view.tokens_per_round();
    if (view.rounds == 0) return frame_says("status.active:begins"_t);
    return view.stopped ? frame_says("status.active:over"_t, tokens) : frame_says("status.active:so_far"_t, tokens);
}

namespace {

// Where this run was forked, and what was forced there; empty: nowhere.
Message fork_words(const Trace& trace) {
    std::vector<std::pair<int, Message>> forks; // rounds, from 1, and tokens
    int complete = 0;
    for (std::size_t i = 0; i < trace.size(); ++i) {
        if (std::holds_alternative<Committed>(trace[i])) ++complete;
        if (std::holds_alternative<Commanded>(trace[i])) forks.emplace_back(complete + 1, Message());
        const auto* draft_token = std::get_if<Drafted>(&trace[i]);
        if (draft_token && draft_token->forced() && !forks.empty()) forks.back().second = token_said(trace, draft_token->token);
    }
    const auto each =
        each_said(forks, [](const auto& f) { return frame_says("status.fork"_t, "round"_v = f.first, "token"_v = f.second); });
    return each.empty() ? Message() : frame_says("status.forks"_t, "forks"_v = each);
}

struct Cell {
    Message text;
    bool strong = false;
    int keep = 0; // dropped last when large
    Message tip;
    bool dot = false, on = false;
    std::optional<Action> click = {};
};

// What the status bar says of a race: who runs, whether the texts agree, and how far the averages are.
std::vector<Cell> race_cells(const SceneInput& in) {
    std::vector<Cell> cells;
    if (!in.race) return {{frame_says("race.none"_t), true, 9, frame_says("race.none_about"_t), true, false}};
    const RaceModel model = race_model(in);
    int drafters = 0, broken = 0;
    for (const RaceLaneModel& lane : model.lanes) {
        drafters += !lane.plain();
        broken += !lane.lane->problem.empty();
    }
    cells.push_back({frame_says("race.lanes"_t, "lanes"_v = model.lanes.size(), "stepped"_v = model.stepped), false, 4,
                     frame_says("race.lanes_about"_t, "stepped"_v = model.stepped)});
    const bool all = broken == 0 && drafters > 0;
    cells.push_back({drafters == 0 ? frame_says("race.drafting:nobody"_t)
                     : all         ? frame_says("race.drafting:all"_t, "drafters"_v = drafters, "several"_v = drafters > 1)
                                   : frame_says("race.drafting:broken"_t, "broken"_v = broken),
                     true, 9, frame_says("race.drafting_about"_t), true, all});
    const Message texts = race_texts(model);
    if (!texts.empty()) cells.push_back({texts, !model.identical && model.greedy, 8, frame_says("race.texts_about"_t)});
    if (in.race->prompts_done > 0)
        cells.push_back({frame_says("race.averages"_t, "prompts"_v = in.race->prompts_done - in.race->skipped,
                                    "stopped"_v = !in.race->finished() && in.race->ended_early,
                                    "so_far"_v = !in.race->finished() && !in.race->ended_early),
                         false, 6, frame_says("race.averages_about"_t)});
    cells.push_back(
        {frame_says("change.seed"_t, "seed"_v = std::to_string(in.race->settings.base.seed)), false, 3, frame_says("race.seed_about"_t)});
    return cells;
}

// Of a header's device, its threads counted in the language of the window.
Message place_words(const std::string& place) {
    const std::vector<Said> counted = device_said(place);
    return counted.empty() ? Message(place) : message(counted.front());
}

// "avx2, 2 threads · tiny (q8 · bf16 products) ← head".
Message engine_words(const FrameInput& input) {
    const SceneInput& in = input.scene;
    const Header* h = in.view->header;
    const bool race = input.scene_name == "race" && in.race;
    std::string place = race ? in.race->backend : h && !h->backend.empty() ? h->backend : in.status ? in.status->backend : "";
    std::string model = race ? in.race->model : h ? h->model : "", weights, head;
    if (h && !race) weights = h->weights, head = h->drafter_model;
    const Precision precision = race ? in.race->precision : h ? h->precision : Precision::f32;
    if (place.empty()) std::swap(place, model);
    if (place.empty()) {
        const Message job = in.status ? job_words(in.status->job) : Message();
        return job.empty() ? frame_says("status.no_engine"_t) : job;
    }
    const bool told = !weights.empty() || precision != Precision::f32;
    const Message form = told ? frame_says("status.form"_t, "weights"_v = weights, "precision"_v = products_words(precision)) : Message();
    return frame_says("status.engine"_t, "place"_v = place_words(place), "model"_v = model, "form"_v = form, "head"_v = head);
}

// What the first cell is of, and how to get another model.
Message engine_tip(const FrameInput& input) {
    if (!input.engine) return frame_says("status.engine_about:alone"_t);
    if (input.model != kBuiltInModel) return frame_says("status.engine_about:tiny"_t);
    return frame_says("status.engine_about:other"_t, "model"_v = fetchables().front().title);
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
        const bool last = lecture->step + 1 == lecture->steps();
        cells.push_back({frame_says("status.step"_t, "step"_v = lecture->step + 1, "of"_v = lecture->steps(), "away"_v = away,
                                    "title"_v = lecture->now().title, "more"_v = !away && !last),
                         true, 8, away ? frame_says("status.step_about:away"_t) : frame_says("status.step_about:here"_t)});
    }
    if (!d.input.work.empty()) cells.push_back({d.input.work, true, 10, shared_says("work.about"_t), false, false, Action::cancel});
    cells.push_back({engine_words(d.input), true, 5, engine_tip(d.input), false, false,
                     d.input.engine ? std::optional(Action::open_model) : std::nullopt});
    if (race) std::ranges::move(race_cells(in), std::back_inserter(cells));
    if (h && !race)
        cells.push_back({run_words(h->drafter, h->k, h->sampling.temperature, h->draft_sampling.temperature, h->rule, h->k_auto), false, 4,
                         frame_says("status.run_about"_t)});
    const ServerView* server = d.input.scene_name == "server" ? in.server : nullptr;
    if (d.input.served && server && server->own &&
        (server->state == ServerView::State::probing || server->state == ServerView::State::attached)) {
        const RunSettings& s = *d.input.served;
        const Message run = run_words(s.drafter, s.k, s.sampling.temperature, s.drafts().temperature, s.rule, s.k_auto);
        cells.push_back({frame_says("status.serves"_t, "run"_v = run), true, 8, frame_says("status.serves_about"_t)});
    }
    if (!race) {
        bool on = false;
        const Message state = speculation_state(in, on), forks = fork_words(*in.trace);
        if (!forks.empty()) cells.push_back({forks, true, 8, frame_says("status.forks_about"_t)});
        cells.push_back({state, true, 9, frame_says("status.state_about"_t), true, on});
        if (h)
            cells.push_back({frame_says("change.seed"_t, "seed"_v = std::to_string(h->seed)), false, 3, frame_says("status.seed_about"_t)});
    }
    if (in.status && in.status->memory_bytes > 0)
        cells.push_back(
            {frame_says("status.memory"_t, "bytes"_v = in.status->memory_bytes), false, 2, frame_says("status.memory_about"_t)});
    if (h && !race) {
        static constexpr char kHex[] = "0123456789abcdef";
        std::string hash;
        for (int i = 0; i < 8; ++i) {
            if (i == 4) hash += ' ';
            hash += kHex[(d.input.hash >> (60 - 4 * i)) & 15];
        }
        cells.push_back({frame_says("status.hash"_t, "hash"_v = hash), false, 1, frame_says("status.hash_about"_t)});
        if (d.input.altered) cells.push_back({frame_says("status.changed"_t), true, 10, frame_says("status.changed_about"_t)});
    }
    cells.push_back(
        {frame_says("status.zoom"_t, "zoom"_v = static_cast<int>(d.input.zoom * 100 + 0.5F)), false, 1, frame_says("status.zoom_about"_t)});
    if (d.input.playing && !race)
        cells.push_back({frame_says("status.playing"_t, "speed"_v = d.input.speed), false, 3, frame_says("status.playing_about"_t)});

    if (race) h = in.race ? race_header(*in.race) : nullptr;
    Message right;
    if (h && tier_of(h) == ui::Tier::recorded)
        right = frame_says("status.recorded"_t, "date"_v = h->date, "machine"_v = machine_said(h->machine));
    const auto width = [&](const Cell& cell) { return c.text_width(cell.text, Font::text, 14) + 24 + (cell.dot ? 16.0F : 0.0F); };
    const auto total = [&] {
        float sum = 16 + (right.empty() ? 0 : c.text_width(right, Font::text, 14) + 32);
        for (const Cell& cell : cells) sum += width(cell);
        return sum;
    };
    while (cells.size() > 1 && total() > r.w) {
        if (!right.empty() && cells.size() < 5) {
            right = {};
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
