// The stage of the race: where its regions are, the header, and the lanes: who, how many tokens so far, the text with
// the origin of every token, and what it amounts to.
#include "scenes/race/race_draw.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "engine/base/display_name.h"
#include "engine/base/lists.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/token_said.h"
#include "scenes/shared/words.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"
#include "ui/widgets.h"

namespace speclens {
namespace {

constexpr float kSumLine = 21;

RaceGrid race_grid(const SceneInput& input, const RaceModel& model) {
    const Rect stage = input.stage;
    RaceGrid g;
    g.roomy = stage.h >= 850 && stage.w >= 1390;
    const float rows = static_cast<float>(std::max<std::size_t>(1, model.lanes.size()));
    const float header = g.roomy ? 80 : 76, pitch = g.roomy ? 32.0F : 26.0F;
    const float clock = 16 + rows * pitch + (g.roomy ? 56.0F : 58.0F);
    const bool sums_up = !model.stepped && stage.h >= 420 && stage.w >= 640;
    const bool cards = !model.stepped && !input.presenter && stage.h >= 600 && stage.w >= 1000;
    const float sum = !sums_up ? 0 : cards ? kSumLine + 6 : 2 * kSumLine + 12;
    const float middle = stage.h - header - clock - sum - 8;
    g.header = {stage.x, stage.y, stage.w, header};
    // The cards keep their room: what is said at the end is taken from the texts.
    const float lane_h = cards ? std::floor((middle + sum - 8) * (g.roomy ? 0.48F : 0.46F)) - sum : middle;
    g.lanes = {stage.x, stage.y + header, stage.w, lane_h};
    g.cards = {stage.x, g.lanes.bottom() + 8, stage.w, cards ? middle - 8 - lane_h : 0};
    g.clock = {stage.x, stage.bottom() - clock, stage.w, clock};
    g.sum = {stage.x, g.clock.y - sum, stage.w, sum};
    return g;
}

// Two prompts of the gallery may begin alike; the row tells them apart.
Message prompt_row(const std::string& prompt, const std::string& domain = "") {
    return race_says("header.prompt"_t, "domain"_v = domain_said(domain), "prompt"_v = prompt.substr(0, prompt.find('\n')));
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
    draw_stage_title(left, d.ui,
                     {race_title(d.model), race_subtitle(d.input, d.model), d.model.tier, "", race_title_short(d.model),
                      race_subtitle_short(d.input, d.model)});
    const RaceView* race = d.model.race;
    if (race && !d.model.stepped) d.ui.canvas.tell(race_texts(d.model), r); // where it is stepped, the subtitle has it
    if (const Header* header = race ? race_header(*race) : nullptr; header && d.model.tier == ui::Tier::recorded)
        d.ui.canvas.tell(race_says("header.recorded"_t, "date"_v = header->date, "machine"_v = machine_said(header->machine)), r);
    const std::string now = race ? race->settings.base.prompt.text : std::string();
    if (race && !d.model.table) d.ui.canvas.tell(race_says("header.asked"_t, "prompt"_v = now), r);
    if (bare) return;

    std::vector<ui::Choice> choices;
    int chosen = -1;
    if (d.input.gallery)
        for (const GalleryPrompt& p : *d.input.gallery) {
            if (p.prompt == now) chosen = static_cast<int>(choices.size());
            choices.push_back({.label = prompt_row(p.prompt, p.domain)});
        }
    if (const auto row = ui::dropdown(d.ui, "prompt", prompt, choices, chosen,
                                      {.tooltip = race_says("header.prompt_about"_t),
                                       .placeholder = now.empty() || now[0] == '\n' ? race_says("header.choose"_t) : prompt_row(now)}))
        out.push_back(PickRacePrompt{*row});
    const Message none = race ? Message() : race_says("header.none"_t);
    if (ui::button(d.ui, "kind", kind, d.model.stepped ? race_says("header.kind:timed"_t) : race_says("header.kind:stepped"_t),
                   {.shortcut = "L",
                    .tooltip = d.model.stepped ? race_says("header.kind_about:timed"_t) : race_says("header.kind_about:stepped"_t),
                    .disabled = none}))
        out.push_back(ToggleStepped{});
    const bool busy = race && !race->lanes_over() && !d.model.stepped;
    if (ui::button(d.ui, "run", run, busy ? race_says("header.run:stop"_t) : race_says("header.run:again"_t),
                   {.kind = ui::ButtonKind::primary,
                    .tooltip = busy              ? race_says("header.run_about:stop"_t)
                               : d.model.stepped ? race_says("header.run_about:stepped"_t)
                                                 : race_says("header.run_about:again"_t),
                    .disabled = none})) {
        if (busy)
            out.push_back(Command{StopRace{}});
        else
            out.push_back(Command{StartRace{race->settings}});
    }
}

struct Placed {
    float x = 0;
    int line = 0;
};

Message phase_words(const RunView& shown, bool narrow) {
    switch (shown.phase) {
    case Phase::draft: return race_says("round.phase:draft"_t);
    case Phase::verify:
        return race_says("round.phase:verify"_t, "narrow"_v = narrow, "over"_v = !narrow && !shown.current()->drafts.empty());
    case Phase::accept: return race_says("round.phase:accept"_t);
    case Phase::resample: return race_says("round.phase:resample"_t, "narrow"_v = narrow);
    case Phase::commit: return race_says("round.phase:commit"_t);
    default: return race_says("round.phase:begins"_t);
    }
}

// Running text wraps between tokens; a line break ends its line.
std::vector<Placed> place(const RaceDraw& d, const RaceLaneModel& lane, float width, float size) {
    std::vector<Placed> places;
    float x = 0;
    int line = 0;
    for (std::size_t i = static_cast<std::size_t>(lane.whole.prompt_tokens); i < lane.whole.tokens.size(); ++i) {
        const std::string bytes = lane.trace->text(lane.whole.tokens[i].id);
        const float w = ui::running_width(d.ui.canvas, bytes, size);
        if (x > 0 && x + w > width) {
            x = 0;
            ++line;
        }
        places.push_back({x, line});
        x += w + 1;
        if (bytes.ends_with('\n')) {
            x = 0;
            ++line;
        }
    }
    return places;
}

// Where the parts of a lane are, and how its text is set; the same in every lane.
struct LaneLayout {
    Rect text, round;
    float size = 15, pitch = 21;
    int room = 1; // lines of text
};

LaneLayout lane_layout(const RaceDraw& d, Rect box) {
    LaneLayout l;
    const float round = d.model.stepped && box.h > 240 ? std::min(136.0F, box.h * 0.36F) : 0;
    l.text = {box.x + 16, box.y + 60, box.w - 32, box.h - 60 - 44 - round};
    l.round = {l.text.x, l.text.bottom(), l.text.w, round > 0 ? round - 6 : 0};
    if (d.grid.roomy) l.size = 17, l.pitch = 24;
    l.room = std::max(1, static_cast<int>((l.text.h - 4) / l.pitch));
    return l;
}

// The lines that are left below "…".
int lines_below(int first, int room) { return first > 0 && room > 2 ? room - 1 : room; }

// Line of the newest token, which is to stay in view with what comes next below it where there is room.
int newest_line(const RaceLaneModel& lane, const std::vector<Placed>& places) {
    const std::size_t shown = static_cast<std::size_t>(lane.tokens_shown);
    return places[std::min(places.size() - 1, shown > 0 ? shown - 1 : 0)].line;
}

// Equal texts look equal only where they begin at one line: the line that the leader needs, as long as it
// hides no other lane's newest token. Else every lane follows its own text.
int first_line(const RaceDraw& d, std::span<const std::vector<Placed>> texts, std::size_t index, int room) {
    int common = 0, behind = std::numeric_limits<int>::max(), own = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (texts[i].empty()) continue;
        const int newest = newest_line(d.model.lanes[i], texts[i]), last = texts[i].back().line;
        const int rows = lines_below(1, room);
        const int first = last < room || newest + 1 < room ? 0 : std::clamp(newest - rows + 2, 0, last - rows + 1);
        common = std::max(common, first);
        behind = std::min(behind, newest);
        if (i == index) own = first;
    }
    return behind >= common ? common : own;
}

// As far as it is shown, and by the hues where its tokens come from.
Message written_words(const RaceLaneModel& lane) {
    std::string text;
    int kept = 0, residual = 0, bonus = 0;
    for (int i = 0; i < lane.tokens_shown; ++i) {
        const OutputToken& token = lane.whole.tokens[static_cast<std::size_t>(lane.whole.prompt_tokens + i)];
        text += lane.trace->text(token.id);
        kept += token.origin == Origin::accepted, residual += token.origin == Origin::residual, bonus += token.origin == Origin::bonus;
    }
    return race_says("lane.written"_t, "drafter"_v = lane.title, "text"_v = bytes_said(text), "kept"_v = kept, "residual"_v = residual,
                     "bonus"_v = bonus, "own"_v = lane.tokens_shown - kept - residual - bonus);
}

void draw_text(const RaceDraw& d, const RaceLaneModel& lane, const LaneLayout& layout, const std::vector<Placed>& places, int first) {
    ui::Canvas& c = d.ui.canvas;
    const Rect area = layout.text;
    const float size = layout.size, pitch = layout.pitch;
    if (places.empty()) {
        ui::fitted_text(c, {area.x, area.y + 18}, d.model.stepped && !lane.done ? race_says("lane.unwritten"_t) : race_says("lane.ended"_t),
                        Font::text, 14, d.ui.theme.muted, area.w);
        return;
    }
    if (lane.tokens_shown > 0) c.tell(written_words(lane), area);
    const std::size_t shown = static_cast<std::size_t>(lane.tokens_shown);
    const int rows = lines_below(first, layout.room), skipped = layout.room - rows;
    if (skipped > 0) c.print({area.x, area.y + 17}, "…", Font::mono, size, d.ui.theme.muted);
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i].line < first || places[i].line >= first + rows) continue;
        const OutputToken& token = lane.whole.tokens[static_cast<std::size_t>(lane.whole.prompt_tokens) + i];
        const std::string bytes = lane.trace->text(token.id);
        const ui::Vec2 at{area.x + places[i].x, area.y + 17 + pitch * static_cast<float>(places[i].line - first + skipped)};
        // A token that is wider than the lane, such as a long run of spaces, ends at its edge.
        const bool wide = ui::running_width(c, bytes, size) > area.w;
        if (wide) d.ui.push_clip({area.x - 2, at.y - pitch, area.w + 4, pitch + 8});
        if (i < shown || !d.model.undecided) ui::running_token(c, d.ui.theme, at, bytes, role_of(token.origin), i >= shown, size);
        if (wide) d.ui.pop_clip();
        // Where the lanes' texts part, a mark before the first token that is not shared.
        if (d.model.texts > 1 && !d.model.identical && (d.model.measured || d.model.stepped) && static_cast<int>(i) == d.model.same_tokens)
            c.line({at.x - 1, at.y - size}, {at.x - 1, at.y + 6}, {d.ui.theme.ink, 2});
    }
}

// What a lane comes to, below its text.
struct LaneNumber {
    Message value, unit;
};
enum class NumbersForm : std::uint8_t { all, brief, without_speed_up, brief_without, bare, rounds };

std::vector<LaneNumber> numbers_of(const RaceDraw& d, const RaceLaneModel& lane, NumbersForm form) {
    const bool brief = form != NumbersForm::all && form != NumbersForm::without_speed_up && form != NumbersForm::rounds;
    const auto there = [](bool is, double value) { return is ? std::optional(value) : std::nullopt; };
    std::vector<LaneNumber> numbers{{race_says("number.rate"_t, "rate"_v = there(lane.shown.rounds > 0, lane.shown.tokens_per_round())),
                                     race_says("number.per_round"_t, "brief"_v = brief)}};
    if (form == NumbersForm::rounds) return numbers;
    if (d.model.stepped || d.model.table) {
        const auto rounds = "rounds"_v = lane.shown.rounds;
        numbers.push_back({race_says("number.rounds"_t, rounds), race_says("number.rounds_of"_t, rounds)});
    } else {
        const double rate = lane.tokens_per_second;
        numbers.push_back({race_says("number.per_second"_t, "slow"_v = there(lane.tokens_shown > 0 && rate < 10, rate),
                                     "fast"_v = there(lane.tokens_shown > 0 && rate >= 10, rate)),
                           race_says("number.unit"_t)});
    }
    if (form == NumbersForm::bare) numbers.back().unit = {};
    if (lane.speed_up.figure.known() && lane.done && (form == NumbersForm::all || form == NumbersForm::brief))
        numbers.push_back({lane_speed(lane), brief ? Message() : race_says("number.speed"_t, "doubt"_v = !lane.speed_up.sure())});
    return numbers;
}

float width_of(const RaceDraw& d, const LaneNumber& number) {
    return d.ui.canvas.printed_width(number.value, Font::mono_medium, 17) +
           (number.unit.empty() ? 0 : 6 + d.ui.canvas.printed_width(number.unit, Font::text, 14));
}

float width_of(const RaceDraw& d, const std::vector<LaneNumber>& numbers) {
    return sum_over<float>(numbers, [&](const LaneNumber& number) { return width_of(d, number) + 16; }) - 16;
}

// The same figures in every lane, so that they can be held against each other: the first form that fits them all.
NumbersForm numbers_form(const RaceDraw& d, float room) {
    using enum NumbersForm;
    for (const NumbersForm form : {all, brief, without_speed_up, brief_without})
        if (std::ranges::all_of(d.model.lanes, [&](const RaceLaneModel& lane) { return width_of(d, numbers_of(d, lane, form)) <= room; }))
            return form;
    return d.input.presenter ? rounds : bare;
}

void draw_numbers(const RaceDraw& d, const RaceLaneModel& lane, Rect area) {
    ui::Canvas& c = d.ui.canvas;
    const std::vector<LaneNumber> numbers = numbers_of(d, lane, numbers_form(d, area.w));
    const auto gaps = static_cast<float>(numbers.size() - 1);
    const float gap = gaps > 0 ? std::min(32.0F, 16 + (area.w - width_of(d, numbers)) / gaps) : 0;
    float x = area.x;
    for (const LaneNumber& number : numbers) {
        c.print({x, area.y + 20}, number.value, Font::mono_medium, 17, d.ui.theme.ink);
        c.print({x + c.printed_width(number.value, Font::mono_medium, 17) + 6, area.y + 20}, number.unit, Font::text, 14, d.ui.theme.muted);
        x += width_of(d, number) + gap;
    }
}

// What became of a token of the round.
Message fate_words(const Message& token, Role role) {
    const auto of = "token"_v = token;
    switch (role) {
    case Role::accepted: return race_says("round.token:accepted"_t, of);
    case Role::rejected: return race_says("round.token:rejected"_t, of);
    case Role::discarded: return race_says("round.token:discarded"_t, of);
    case Role::residual: return race_says("round.token:residual"_t, of);
    case Role::bonus: return race_says("round.token:bonus"_t, of);
    case Role::target: return race_says("round.token:own"_t, of);
    default: return race_says("round.token:drafted"_t, of);
    }
}

// The round under way, or the one that has just ended: every guess and what became of it, then the target's
// own token.
void draw_round(const RaceDraw& d, const RaceLaneModel& lane, Rect area) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    c.line({area.x, area.y + 0.5F}, {area.right(), area.y + 0.5F}, t.hairline());
    const RoundSummary* round = lane.shown.current();
    const auto heading = [&](bool narrow) {
        if (lane.done) return race_says("round.finished"_t, "waits"_v = !d.model.over && !narrow);
        if (!round) return race_says("round.read"_t);
        return race_says("round.at"_t, "round"_v = round->round + 1, "phase"_v = phase_words(lane.shown, narrow));
    };
    one_of(d.ui, {area.x, area.y + 22}, area.w - 28, {heading(false), heading(true)}, t.muted);
    if (!round) return;
    float x = area.x, y = area.y + 30;
    int hidden = 0;
    std::vector<Said> tokens;
    const auto add = [&](int id, Role role) {
        tokens.push_back(fate_words(token_said(*lane.trace, id), role).said);
        const std::string label = label_of(*lane.trace, id);
        const float w = std::min(area.w, ui::chip_width(c, label, 28));
        if (x > area.x && x + w > area.right()) {
            x = area.x;
            y += 32;
        }
        if (y + 28 > area.bottom()) {
            ++hidden;
            return;
        }
        ui::chip(c, t, {x, y, w, 28}, label, {.role = role});
        x += w + 6;
    };
    for (const DraftSlot& slot : round->drafts)
        add(slot.draft->token, slot.state == DraftSlot::State::drafted ? Role::draft : role_of(slot.state));
    const Committed* commit = commit_of(lane.whole, *round);
    if (round->resample) add(round->resample->token, commit && drops_own_token(*commit) ? Role::discarded : role_of(round->resample->from));
    if (!tokens.empty()) c.tell(race_says("round.told"_t, "drafter"_v = lane.title, "tokens"_v = tokens), area);
    // What has no room is counted at the right of the heading.
    if (hidden > 0)
        c.print({area.right(), area.y + 22}, race_says("round.hidden"_t, "tokens"_v = hidden), Font::mono, 14, t.muted, Align::right);
}

void draw_lane(const RaceDraw& d, int index, const std::vector<Placed>& places, int first, std::vector<SceneCommand>& out) {
    const RaceLaneModel& lane = d.model.lanes[static_cast<std::size_t>(index)];
    const Rect box = d.grid.lane(index, static_cast<int>(d.model.lanes.size()));
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const bool chosen = index == d.model.focus;
    const ui::Touch touched = // no stop of Tab: arrows choose a lane, and Enter is for the chosen one
        ui::touch(d.ui, d.ui.id("lane " + std::to_string(index)), box, {.focusable = false, .grow = false});
    if (touched.clicked) out.push_back(chosen ? SceneCommand{OpenLane{index}} : SceneCommand{FocusLane{index}});
    ui::card(c, t, box, chosen);
    ui::tooltip(d.ui, {box.x, box.y, box.w, 64}, chosen ? race_says("lane.open"_t) : race_says("lane.choose"_t));
    c.tell(lane_words(d.model, index), box);
    if (!d.model.stepped && lane.trace && lane.lane->average) c.tell(average_words(d.model, lane), box);
    const Rect in = box.inset(16, 0);
    const float top = box.y;

    // Of a lane that still writes nobody knows how long it becomes, only how long it may.
    const int whole = lane.lane->finished ? lane.tokens : d.model.race->settings.base.max_tokens;
    const std::string total = lane.tokens > 0 && !d.model.stepped && !d.input.presenter ? " / " + std::to_string(whole) : "";
    const std::string count = lane.trace ? std::to_string(lane.tokens_shown) : "";
    const float total_w = c.printed_width(total, Font::mono, 14), count_w = c.printed_width(count, Font::mono_medium, 24);
    c.print({in.right(), top + 30}, total, Font::mono, 14, t.muted, Align::right);
    c.print({in.right() - total_w, top + 30}, count, Font::mono_medium, 24, t.ink, Align::right);
    ui::icon(c, lane.mark, {in.x + 7, top + 23}, 14, t.ink);
    cell(d.ui, {in.x + 24, top + 29}, lane.title, in.w - 24 - total_w - count_w - 10, {t.ink, 18, Font::text_bold});
    one_of(d.ui, {in.x + 24, top + 50}, in.w - 24, {race_about(lane), race_about(lane, true)}, t.muted);

    const LaneLayout layout = lane_layout(d, box);
    const Rect text = layout.text;
    if (!lane.lane->problem.empty()) {
        ui::paragraph(c, {text.x, text.y + 18}, text.w, race_says("lane.problem"_t, "why"_v = lane.lane->problem),
                      {.size = 15, .color = t.muted, .max_lines = std::max(1, static_cast<int>(text.h / 24))});
        return;
    }
    if (!lane.trace || (lane.whole.round_list.empty() && !d.model.stepped)) {
        ui::slot(c, t, {text.x, text.y, text.w, 32}, lane_state(d.model, index));
        return;
    }
    if (layout.round.h > 0) draw_round(d, lane, layout.round);
    draw_text(d, lane, layout, places, first);
    c.line({in.x, box.bottom() - 38.5F}, {in.right(), box.bottom() - 38.5F}, t.hairline());
    draw_numbers(d, lane, {in.x, box.bottom() - 34, in.w, 30});
}

// The last line: it has room before there is something to say, so that nothing moves when there is.
void draw_sum(const RaceDraw& d) {
    const Rect r = d.grid.sum;
    const Message words = race_conclusion(d.model);
    if (words.empty()) return;
    d.ui.canvas.tell(words, r, r.h > 0 ? ui::Canvas::Told::drawn : ui::Canvas::Told::of_a_thing);
    if (r.h <= 0) return;
    // What has no room is left out by whole sentences, from the end: who came next, and why.
    constexpr float kSize = 15;
    const auto lines = static_cast<std::size_t>(r.h / kSumLine);
    const auto wrapped = [&](const std::string& said) { return ui::wrap(d.ui.canvas, said, Font::text, kSize, r.w - 28); };
    const std::string said =
        ui::first_fitting(shorter_and_shorter(words, Seam::sentence), [&](const std::string& way) { return wrapped(way).size() <= lines; });
    float y = r.y + 19;
    for (const std::string_view line : wrapped(said)) {
        d.ui.canvas.print({r.x + 14, y}, line, Font::text, kSize, d.model.undecided ? d.ui.theme.muted : d.ui.theme.ink);
        y += kSumLine;
    }
    ui::tooltip(d.ui, r, words);
}

void draw_race_lanes(const RaceDraw& d, std::vector<SceneCommand>& out) {
    const int count = static_cast<int>(d.model.lanes.size());
    if (count == 0) return;
    const LaneLayout layout = lane_layout(d, d.grid.lane(0, count));
    std::vector<std::vector<Placed>> texts;
    for (const RaceLaneModel& lane : d.model.lanes)
        texts.push_back(lane.trace ? place(d, lane, layout.text.w, layout.size) : std::vector<Placed>{});
    for (std::size_t i = 0; i < texts.size(); ++i) draw_lane(d, static_cast<int>(i), texts[i], first_line(d, texts, i, layout.room), out);
}

} // namespace

Rect RaceGrid::lane(int i, int count) const {
    const float w = (lanes.w - pad * static_cast<float>(count + 1)) / static_cast<float>(count);
    return {lanes.x + pad + (w + pad) * static_cast<float>(i), lanes.y, w, lanes.h};
}

void lane_name(const RaceDraw& d, ui::Vec2 at, std::ptrdiff_t lane, float width) {
    const bool chosen = lane == d.model.focus;
    cell(d.ui, at, d.model.lanes[static_cast<std::size_t>(lane)].title, width,
         {chosen ? d.ui.theme.ink : d.ui.theme.muted, 14, chosen ? Font::text_bold : Font::text});
}

void draw_race(const SceneInput& input, const RaceModel& model, ui::Ui& ui, std::vector<SceneCommand>& out) {
    if (input.stage.w <= 0) return;
    const RaceGrid grid = race_grid(input, model);
    const RaceDraw d{input, model, grid, ui};
    ui.push_clip(input.stage_clip);
    draw_race_header(d, out);
    if (model.lanes.empty())
        ui::slot(ui.canvas, ui.theme, {grid.lanes.x + 12, grid.lanes.y, grid.lanes.w - 24, grid.lanes.h}, race_says("header.waiting"_t));
    draw_race_lanes(d, out);
    if (grid.cards.h > 0) draw_race_cards(d, out);
    draw_sum(d);
    model.stepped ? draw_race_steps(d, out) : draw_race_clock(d, out);
    ui.pop_clip();
}

} // namespace speclens
