#include "scenes/shared/story.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "scenes/shared/lecture_count.h"
#include "scenes/shared/words.h"
#include "ui/text_layout.h"

namespace speclens {
namespace {

void append(std::vector<SceneCommand>& out, const std::vector<SceneCommand>& more) { out.insert(out.end(), more.begin(), more.end()); }

// A bar of segments, done and to come. The pointer has more room than the bar: `reach` px above and below it.
void draw_progress(ui::Ui& ui, Rect bar, float reach, const Story& story, std::vector<SceneCommand>& out) {
    if (story.steps <= 0) return;
    const float gap = story.steps > 24 ? 2.0F : 4.0F;
    const float w = (bar.w - gap * static_cast<float>(story.steps - 1)) / static_cast<float>(story.steps);
    for (int i = 0; i < story.steps; ++i) {
        const Rect cell{bar.x + (w + gap) * static_cast<float>(i), bar.y, std::max(1.0F, w), bar.h};
        const bool leads = static_cast<std::size_t>(i) < story.segments.size();
        // Keys have a way of their own: arrows, Home and End.
        const ui::Touch touched =
            leads ? ui::touch(ui, ui.id("segment " + std::to_string(i)),
                              {cell.x - gap / 2, cell.y - reach, cell.w + gap, cell.h + 2 * reach}, {.focusable = false, .grow = false})
                  : ui::Touch{};
        ui.canvas.fill(touched.hovered ? cell.inset(0, -2) : cell,
                       i < story.step    ? ui.theme.ink
                       : touched.hovered ? ui.theme.muted
                                         : ui.theme.line,
                       2);
        if (touched.clicked) out.push_back(story.segments[static_cast<std::size_t>(i)]);
    }
}

// The last beat, or the end of a run, is no dead end.
bool leads_on(const SceneInput& input, const Story& story) {
    return input.next && !story.no_next.empty() && story.steps > 0 && story.step == story.steps;
}

// Next, or the way on to another scene; in a lecture its next step: the beats of the scene have the arrows.
void draw_next(const SceneInput& input, ui::Ui& ui, Rect at, const Story& story, std::vector<SceneCommand>& out) {
    if (input.lecture) {
        const ui::ButtonOptions options{
            .kind = ui::ButtonKind::primary, .shortcut = "PageDown", .tooltip = shared_says("buttons.next_step_about"_t)};
        const Message last = !input.next ? shared_says("buttons.last_step_about"_t) : Message();
        if (!last.empty())
            (void)ui::button(ui, "next", at, shared_says("buttons.last_step"_t), {.disabled = last});
        else if (ui::button(ui, "next", at, shared_says("buttons.next_step"_t), options))
            out.push_back(NextStep{});
        return;
    }
    if (!leads_on(input, story)) {
        if (ui::button(ui, "next", at, shared_says("buttons.next"_t),
                       {.kind = ui::ButtonKind::primary,
                        .icon = ui::Icon::play,
                        .tooltip = shared_says("buttons.next_about"_t),
                        .disabled = story.no_next}))
            append(out, story.on_next);
        return;
    }
    const Message whole = shared_says("buttons.next_scene"_t, "scene"_v = message(input.next->title));
    const bool fits = ui::button_width(ui.canvas, whole, {.icon = ui::Icon::play}) <= at.w;
    if (ui::button(ui, "next", at, fits ? whole : shared_says("buttons.next"_t),
                   {.kind = ui::ButtonKind::primary,
                    .icon = ui::Icon::play,
                    .tooltip = fits ? shared_says("buttons.next_scene_about"_t) : whole})) {
        out.push_back(OpenScene{input.next->name});
        out.push_back(SetBeat{0});
    }
}

std::string both_texts(const Story& story) { return story.text.words() + (story.what_if.empty() ? "" : " ") + story.what_if.words(); }

// While it plays, the shell waits for whoever reads.
void tell(const SceneInput& input, const std::string& shown, std::vector<SceneCommand>& out) {
    if (!input.playing) return;
    StoryTold told{std::hash<std::string>{}(shown), shown.empty() ? 0 : 1};
    if (told.text == input.told) return;
    for (const char c : shown) told.words += c == ' ' || c == '\n' ? 1 : 0;
    out.push_back(told);
}

// As many whole sentences as there is room for; none when the first alone is too long.
std::string whole_sentences(std::vector<std::string> ways, const std::function<bool(const std::string&)>& fits) {
    ways.emplace_back();
    return ui::first_fitting(ways, fits);
}

// Both texts, and what they are without their last sentence, and so on.
std::vector<std::string> both_shorter_and_shorter(const Story& story) {
    std::vector<std::string> ways;
    if (!story.what_if.empty())
        for (const std::string& aside : shorter_and_shorter(story.what_if, Seam::sentence))
            ways.push_back(story.text.words() + " " + aside);
    std::ranges::move(shorter_and_shorter(story.text, Seam::sentence), std::back_inserter(ways));
    return ways;
}

void draw_panel(const SceneInput& input, ui::Ui& ui, const Story& story, std::vector<SceneCommand>& out) {
    const Rect r = input.story;
    const float x = r.x + 24, w = r.w - 48;
    draw_progress(ui, {x, r.y + 20, w, 4}, 12, story, out);
    ui::fitted_text(ui.canvas, {x, r.y + 48}, story.caption, Font::text, 14, ui.theme.muted, w);
    ui::fitted_text(ui.canvas, {x, r.y + 80}, story.heading, Font::text_bold, 20, ui.theme.ink, w);

    const float task_y = r.bottom() - 124, buttons_y = r.bottom() - 60;
    const bool task = !story.task.empty();
    const float limit = task ? task_y - 8 : buttons_y - 8; // last baseline
    const float y0 = r.y + 112;
    ui::ParagraphStyle body{.color = ui.theme.ink, .leading = 24};
    ui::ParagraphStyle aside{.size = 14, .color = ui.theme.muted, .leading = 20};
    const auto height = [&](const std::string& words, const ui::ParagraphStyle& style) {
        return words.empty() ? 0 : style.leading * static_cast<float>(ui::paragraph_lines(ui.canvas, w, words, style));
    };
    constexpr float kBetween = 2;
    const auto under = [&] { return y0 + height(story.text, body) + kBetween; };
    const auto holds = [&](const std::string& also) {
        return (also.empty() ? under() - kBetween - body.leading : under() + height(also, aside) - aside.leading) <= limit;
    };
    if (!holds(story.what_if)) body.size = 14, body.leading = aside.leading = 18.5F; // rather smaller than cut off
    // What has no room even so is left out by whole sentences.
    const Message also = holds(story.what_if)
                             ? story.what_if
                             : Message(whole_sentences(shorter_and_shorter(story.what_if, Seam::sentence), holds), story.what_if.said);
    const bool whole = also == story.what_if && holds(also);
    if (!also.empty()) ui::paragraph(ui.canvas, {x, under()}, w, also, aside);
    body.max_lines = std::max(1, static_cast<int>((limit - y0) / body.leading) + 1);
    ui::paragraph(ui.canvas, {x, y0}, w, story.text, body);
    if (!whole) ui::tooltip(ui, {x, y0 - 20, w, limit - y0 + 24}, both_texts(story));
    if (task && ui::task_card(ui, "task", {x, task_y, w, 44}, story.task, story.task_done)) append(out, story.on_task);
    if (task)
        ui::tooltip(ui, {x, task_y, w, 44},
                    story.on_task.empty() ? shared_says("buttons.task_about:try"_t) : shared_says("buttons.task_about:click"_t));
    const Rect back{x, buttons_y, 108, 36}, next{x + 120, buttons_y, w - 120, 36};
    if (ui::button(ui, "back", back, shared_says("buttons.back"_t),
                   {.icon = ui::Icon::back, .tooltip = shared_says("buttons.back_about"_t), .disabled = story.no_back}))
        append(out, story.on_back);
    draw_next(input, ui, next, story, out);
    tell(input, story.heading + " " + story.text + " " + story.what_if, out);
}

// Lines of a text of which the first has another width.
std::vector<std::string> strip_lines(const ui::Canvas& canvas, const std::string& words, float first, float rest) {
    std::vector<std::string> lines;
    for (std::size_t from = 0; from < words.size();) {
        const std::string left = words.substr(from);
        const std::string_view line = ui::wrap(canvas, left, Font::text, 14, lines.empty() ? first : rest)[0];
        lines.emplace_back(line);
        from = words.find_first_not_of(" \n", from + static_cast<std::size_t>(line.data() - left.data()) + line.size());
    }
    return lines;
}

void draw_strip(const SceneInput& input, ui::Ui& ui, const Story& story, std::vector<SceneCommand>& out) {
    const Rect r = input.story;
    constexpr float kButton = 92;
    draw_progress(ui, {r.x + 16, r.y + 3, r.w - 32, 3}, 4, story, out);
    const float next_w = input.lecture ? 196 : leads_on(input, story) ? 164 : kButton;
    const float buttons = kButton + 8 + next_w, x = r.x + 16;
    constexpr std::size_t kLines = 3; // where two do not suffice
    const std::string all = both_texts(story);
    float task = 0, w = 0, heading = 0;
    // The text starts behind the heading and goes on below it.
    const auto fits = [&](const std::string& words) { return strip_lines(ui.canvas, words, w - heading, w).size() <= kLines; };
    const auto share_out = [&](const Message& words) {
        task = story.task.empty() ? 0 : std::max(84.0F, ui.canvas.text_width(words, Font::text, 15) + 41);
        w = r.w - 16 - 16 - buttons - 16 - task;
        heading = std::min(ui.canvas.text_width(story.heading, Font::text_bold, 15) + 12, w * 0.75F);
    };
    // The words of a task where the story leaves them room, else on demand.
    Message task_words = story.task;
    share_out(task_words);
    if (task > r.w / 4 || !fits(all)) share_out(task_words = shared_says("buttons.task"_t));
    // What has no room is left out by whole sentences: half of one says the wrong thing.
    std::string said = fits(all) ? all : whole_sentences(both_shorter_and_shorter(story), fits);
    if (said.empty()) said = story.text;
    std::vector<std::string> lines = strip_lines(ui.canvas, said, w - heading, w);
    if (lines.size() > kLines) { // the first sentence alone is too long
        for (std::size_t i = kLines; i < lines.size(); ++i) lines[kLines - 1] += " " + lines[i];
        lines.resize(kLines);
    }
    const bool close = lines.size() == kLines;
    const float leading = close ? 15.5F : 21, y0 = r.y + (close ? 18 : 21);
    ui::fitted_text(ui.canvas, {x, y0}, story.heading, Font::text_bold, 15, ui.theme.ink, heading - 8);
    for (std::size_t i = 0; i < lines.size(); ++i)
        ui.canvas.print({i == 0 ? x + heading : x, y0 + leading * static_cast<float>(i)},
                        ui::fit_printed(ui.canvas, lines[i], Font::text, 14, i == 0 ? w - heading : w), Font::text, 14, ui.theme.ink);
    for (const Message& part : {story.text, story.what_if}) ui.canvas.tell(part, {x, r.y, w, r.h}, ui::Canvas::Told::drawn);
    if (said != all || !fits(said)) ui::tooltip(ui, {x, r.y, w, r.h}, all);
    const float y = r.y + (r.h - 36) / 2;
    const float bx = r.right() - 16 - buttons;
    if (task > 0) {
        const Rect at{bx - task, y, task - 12, 36};
        if (ui::checkbox(ui, "task", at, task_words, story.task_done)) append(out, story.on_task);
        ui::tooltip(ui, at, story.task);
    }
    if (ui::button(ui, "back", {bx, y, kButton, 36}, shared_says("buttons.back"_t), {.icon = ui::Icon::back, .disabled = story.no_back}))
        append(out, story.on_back);
    draw_next(input, ui, {bx + kButton + 8, y, next_w, 36}, story, out);
    tell(input, story.heading + " " + said, out);
}

// Where two large lines would drop the reason behind the first sentence, three smaller ones hold it.
struct RoomType {
    float size, leading, baseline;
    int lines;
};
constexpr RoomType kLarge{20, 28, 25, 2}, kSmall{15, 19, 18, 3};

struct RoomText {
    std::string words; // whole sentences; empty: the first one alone is too long
    RoomType type;
};
RoomText text_for_room(const ui::Canvas& canvas, const Story& story, float width) {
    const std::vector<std::string> ways = both_shorter_and_shorter(story);
    const auto said_in = [&](const RoomType& type) {
        return whole_sentences(
            ways, [&](const std::string& said) { return ui::paragraph_lines(canvas, width, said, {.size = type.size}) <= type.lines; });
    };
    RoomText large{said_in(kLarge), kLarge}, small{said_in(kSmall), kSmall};
    return small.words.size() > large.words.size() ? small : large;
}

// Taken by what is counted at the right of the sentence: its beats, and above them the steps of a lecture.
float taken_by_counts(const ui::Canvas& canvas, const Message& count, bool lecture) {
    float widest = count.empty() ? 0 : canvas.text_width(count, Font::mono, 16);
    if (lecture)
        for (const bool away : {false, true}) widest = std::max(widest, canvas.text_width(lecture_count(88, 88, away), Font::mono, 16));
    return widest > 0 ? widest + 24 : 0;
}

// As many whole sentences as the room can read; where the first one alone is too long, the heading.
void draw_sentence(const SceneInput& input, ui::Ui& ui, const Story& story, std::vector<SceneCommand>& out) {
    const Rect r = input.story;
    // A lecture counts its own steps above.
    const auto place = [&]() -> Message {
        if (story.steps <= 0) return "";
        if (story.by_beats) return shared_says("story.place:beat"_t, "at"_v = story.step, "of"_v = story.steps);
        return shared_says("story.place:step"_t, "at"_v = story.step, "of"_v = story.steps);
    };
    const Message count = place();
    const float x = r.x + 24, w = r.w - 48 - taken_by_counts(ui.canvas, count, input.lecture);
    ui.canvas.line({r.x, r.y + 0.5F}, {r.right(), r.y + 0.5F}, ui.theme.hairline());
    RoomText said = text_for_room(ui.canvas, story, w);
    if (said.words.empty()) said.words = story.heading;
    const ui::ParagraphStyle style{
        .size = said.type.size, .color = ui.theme.ink, .leading = said.type.leading, .max_lines = said.type.lines};
    const int lines = ui::paragraph_lines(ui.canvas, w, said.words, style);
    tell(input, said.words, out);
    const float above = static_cast<float>(said.type.lines - lines) * said.type.leading / 2; // in the middle of its strip
    ui::paragraph(ui.canvas, {x, r.y + said.type.baseline + above}, w, said.words, style);
    ui.canvas.text({r.right() - 24, r.bottom() - 14}, count, Font::mono, 16, ui.theme.muted, Align::right);
}

} // namespace

Story story_at_beat(const SceneInput& input, int beats) {
    Story story;
    story.by_beats = true;
    if (beats == 0) { // nothing to turn to, as in a scene that has only a picture
        story.no_back = shared_says("story.first_beat"_t);
        story.no_next = shared_says("story.last_beat"_t);
        return story;
    }
    const int beat = std::clamp(input.beat, 0, beats - 1);
    story.step = beat + 1;
    story.steps = beats;
    story.caption = shared_says("story.caption"_t, "at"_v = beat + 1, "of"_v = beats);
    story.on_back = {SetBeat{beat - 1}};
    story.on_next = {SetBeat{beat + 1}};
    for (int i = 0; i < beats; ++i) story.segments.push_back(SetBeat{i});
    if (beat == 0) story.no_back = shared_says("story.first_beat"_t);
    if (beat + 1 == beats) story.no_next = shared_says("story.last_beat"_t);
    return story;
}

void take_beats(Story& story, const Message& why) {
    story.step = story.steps = 0;
    story.segments.clear();
    story.caption.clear();
    story.no_back = story.no_next = why;
}

void draw_story(const SceneInput& input, ui::Ui& ui, const Story& story, std::vector<SceneCommand>& out) {
    if (input.story.w <= 0) return;
    if (input.kept && !story.task.empty()) { // whoever reads it later can press no key
        Story without = story;
        without.task = {};
        return draw_story(input, ui, without, out);
    }
    ui.push_id("story");
    if (input.presenter)
        draw_sentence(input, ui, story, out);
    else
        input.strip ? draw_strip(input, ui, story, out) : draw_panel(input, ui, story, out);
    ui.pop_id();
}

namespace {

constexpr float kSmallestTitle = 20, kTitleLine = 24;

// Without the last parts that have no room.
std::string parts_that_fit(const ui::Canvas& canvas, const Message& subtitle, float room) {
    const auto fits = [&](const std::string& words) { return canvas.text_width(Message(words, subtitle.said), Font::text, 14) <= room; };
    if (fits(subtitle)) return subtitle;
    return ui::first_fitting(shorter_and_shorter(subtitle, Seam::part), fits);
}

// In one line, smaller where it is long; in a narrow stage in two. Returns how far that moves what stands below.
float draw_title_words(ui::Ui& ui, ui::Vec2 at, const StageTitle& title, float room) {
    const auto fits = [&](const Message& words, float size) { return ui.canvas.text_width(words, Font::text_bold, size) <= room; };
    const bool shorter = !title.short_title.empty() && !fits(title.title, kSmallestTitle);
    const Message& words = shorter ? title.short_title : title.title;
    if (shorter) ui.canvas.tell(title.title, {at.x, at.y, room, 40}); // a frame in words has room for all of it
    if (!fits(words, kSmallestTitle)) {
        ui::paragraph(ui.canvas, {at.x, at.y + 31}, room, words,
                      {.font = Font::text_bold, .size = kSmallestTitle, .color = ui.theme.ink, .leading = kTitleLine, .max_lines = 2});
        return 11;
    }
    float size = 26;
    while (size > kSmallestTitle && !fits(words, size)) size -= 2;
    ui::fitted_text(ui.canvas, {at.x, at.y + 40}, words, Font::text_bold, size, ui.theme.ink, room);
    return 0;
}

} // namespace

ui::Tier shown_tier(const SceneInput& input, ui::Tier tier) { return input.kept && tier == ui::Tier::live ? ui::Tier::recorded : tier; }

void draw_stage_title(const SceneInput& input, ui::Ui& ui, const StageTitle& title) {
    const Rect stage = input.stage;
    const float x = stage.x + 24, right = stage.right() - 24;
    const bool stands_in = !input.recorded_of.empty() && shown_tier(input, title.tier) == ui::Tier::recorded;
    const std::string of = stands_in ? std::string(shared_says("words.recorded_of"_t, "model"_v = input.recorded_of)) : title.tier_words;
    const Rect pill = ui::badge(ui.canvas, ui.theme, right, stage.y + 20, shown_tier(input, title.tier), of);
    const float down = input.banner ? 0 : draw_title_words(ui, {x, stage.y}, title, pill.x - 16 - x);
    if (input.banner && input.presenter) return; // whose banner reaches further down
    const bool whole = title.short_subtitle.empty() || ui.canvas.text_width(title.subtitle, Font::text, 14) <= right - x;
    const Message& subtitle = whole ? title.subtitle : title.short_subtitle;
    if (!whole) ui.canvas.tell(title.subtitle, {x, stage.y + 44 + down, right - x, 24});
    ui::fitted_text(ui.canvas, {x, stage.y + 64 + down}, {parts_that_fit(ui.canvas, subtitle, right - x), subtitle.said}, Font::text, 14,
                    ui.theme.muted, right - x);
    ui.canvas.tell(shared_says("words.data"_t, "tier"_v = tier_name(shown_tier(input, title.tier)), "words"_v = of), pill);
}

} // namespace speclens
