// The dialog on K auto: on or off, what rounds cost and where that comes from, and why the round on screen asked for what it asked for.
#include <algorithm>
#include <array>
#include <optional>

#include "app/frame/popups.h"
#include "engine/drafters/drafter_info.h"
#include "engine/run/auto_length.h"
#include "engine/run/engine_status.h"
#include "ui/format.h"
#include "ui/text_field.h"
#include "ui/text_layout.h"
#include "ui/widgets.h"

namespace speclens {
namespace {

constexpr float kNumberLine = 24;
constexpr int kNumberColumns = 9; // columns of numbers

// How the dialog explains a round.
struct Reason {
    int round = 0;
    LengthReason why;
};

std::optional<Reason> reason_of(const SceneInput& scene) {
    if (!scene.view || !scene.view->header) return {};
    const int rounds = static_cast<int>(scene.view->round_list.size()), round = std::max(0, rounds - 1);
    const std::optional<LengthReason> why = why_length(*scene.view, round);
    return why ? std::optional(Reason{round, *why}) : std::nullopt;
}

Message sentence(const LengthReason& why) {
    using enum DraftLength::Why;
    switch (why.why) {
    case no_room: return frame_says("length.why:no_room"_t);
    case written: return frame_says("length.why:written"_t);
    case most: return frame_says("length.why:most"_t);
    case first: return frame_says("length.why:first"_t);
    case plain: return frame_says("length.why:plain"_t, "rounds"_v = why.wait);
    case waits: return frame_says("length.why:waits"_t, "round"_v = why.waited + 1, "rounds"_v = why.wait);
    case looks: return frame_says("length.why:looks"_t);
    case pays: break;
    }
    switch (why.way) {
    case DraftLength::Way::rows: return frame_says("length.why:chain"_t);
    case DraftLength::Way::all_or_none: return frame_says("length.why:copied"_t);
    default: return frame_says("length.why:pays"_t);
    }
}

// Some of them, first and last among them.
template <typename T>
std::vector<T> some_of(const std::vector<T>& all) {
    if (all.size() <= static_cast<std::size_t>(kNumberColumns)) return all;
    std::vector<T> some;
    for (int i = 0; i < kNumberColumns; ++i)
        some.push_back(
            all[i < 4 ? static_cast<std::size_t>(i) : 3 + (all.size() - 4) * static_cast<std::size_t>(i - 3) / (kNumberColumns - 4)]);
    return some;
}

// A row of numbers behind its name.
void draw_numbers(const FrameDraw& d, float x, float y, float w, const Message& name, const std::vector<std::string>& numbers,
                  int marked = -1) {
    constexpr float kName = 176;
    const float column = (w - kName) / static_cast<float>(kNumberColumns);
    ui::fitted_text(d.ui.canvas, {x, y}, name, Font::text, 14, d.ui.theme.muted, kName - 8);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        d.ui.canvas.text({x + kName + column * static_cast<float>(i + 1) - 8, y}, numbers[i], Font::mono, 14,
                         static_cast<int>(i) == marked ? d.ui.theme.role(ui::Role::accepted) : d.ui.theme.ink, Align::right);
}

void draw_costs(const FrameDraw& d, float x, float& y, float w, const DraftCosts& costs, const std::string& drafter) {
    const auto rows = [&](const Message& n, const Message& ms, const std::vector<DraftCosts::Point>& points) {
        std::vector<std::string> counts, times;
        for (const DraftCosts::Point& point : some_of(points)) {
            counts.push_back(std::to_string(point.n));
            times.push_back(ui::number(point.ms, point.ms < 10 ? 2 : 1));
        }
        draw_numbers(d, x, y, w, n, counts);
        draw_numbers(d, x, y + kNumberLine, w, ms, times);
        y += 2 * kNumberLine + 4;
    };
    rows(frame_says("length.of_pass"_t), frame_says("length.pass"_t), costs.pass);
    const auto of = [&](int part) {
        const DrafterInfo* who = part_of(drafter, part);
        return frame_says("length.draft"_t, "drafter"_v = who ? who->name : "");
    };
    if (!costs.draft.empty()) rows(frame_says("length.in_row"_t), of(0), costs.draft);
    if (!costs.second.empty()) rows(frame_says("length.in_row"_t), of(1), costs.second);
}

void draw_why(const FrameDraw& d, float x, float& y, float w, const Reason& reason, bool chained) {
    const LengthReason& why = reason.why;
    ui::fitted_text(d.ui.canvas, {x, y},
                    frame_says("length.asked"_t, "round"_v = reason.round + 1, "drafter"_v = chained ? why.drafter->name : "",
                               "k"_v = why.asked.k, "nodes"_v = why.asked.nodes),
                    Font::text_bold, 16, d.ui.theme.ink, w);
    y = ui::paragraph(d.ui.canvas, {x, y + kNumberLine}, w, sentence(why), {.color = d.ui.theme.muted, .max_lines = 2}) + 4;
    std::vector<DraftLength::Choice> all{why.plain};
    all.insert(all.end(), why.choices.begin(), why.choices.end());
    const std::vector<DraftLength::Choice> shown = some_of(all);
    const auto best = std::ranges::max_element(shown, {}, &DraftLength::Choice::speed);
    std::vector<std::string> lengths, tokens, times, speeds;
    for (const DraftLength::Choice& choice : shown) {
        lengths.push_back(std::to_string(choice.size.k));
        tokens.push_back(ui::number(choice.tokens, 2));
        times.push_back(ui::number(choice.ms, choice.ms < 10 ? 2 : 1));
        speeds.push_back(ui::number(1000 * choice.speed(), 1));
    }
    const int marked = static_cast<int>(best - shown.begin());
    draw_numbers(d, x, y, w, Message("K"), lengths, marked);
    draw_numbers(d, x, y + kNumberLine, w, frame_says("length.expected"_t), tokens, marked);
    draw_numbers(d, x, y + 2 * kNumberLine, w, frame_says("length.round"_t), times, marked);
    draw_numbers(d, x, y + 3 * kNumberLine, w, frame_says("length.speed"_t), speeds, marked);
    y += 4 * kNumberLine;
}

} // namespace

void draw_lengths(const FrameDraw& d, Rect box, bool& close) {
    const RunSettings* const now = d.input.scene.settings;
    const float x = box.x + 24, w = box.w - 48;
    ui::fitted_text(d.ui.canvas, {x, box.y + 38}, shared_says("run.k_about"_t), Font::text_bold, 20, d.ui.theme.ink, w - 220);
    if (!now) return;
    const auto restart = [&](RunSettings changed) { d.out.push_back(SceneCommand{Command{Restart{std::move(changed)}}}); };
    const DrafterInfo* const drafter = find_drafter(now->drafter);
    const Message off = !d.input.engine || !d.input.scene.status || d.input.scene.status->ready_drafters.empty()
                            ? frame_says("off.no_models"_t)
                        : !drafter || !drafter->drafts() ? frame_says("length.nobody"_t)
                                                         : "";
    const std::array<Message, 2> ways = {frame_says("length.one"_t), frame_says("length.auto"_t)};
    if (const auto pick = ui::segmented(d.ui, "way", {box.right() - 24 - ui::segmented_width(d.ui.canvas, ways), box.y + 16}, ways,
                                        now->k_auto ? 1 : 0, off);
        pick && (*pick == 1) != now->k_auto) {
        RunSettings changed = now->with_fixed_k();
        changed.k_auto = *pick == 1;
        changed.k = changed.k_auto ? kMostAuto : default_k(now->drafter);
        restart(std::move(changed));
    }
    float y =
        ui::paragraph(d.ui.canvas, {x, box.y + 80}, w, now->k_auto ? frame_says("length.about:auto"_t) : frame_says("length.about:one"_t),
                      {.color = d.ui.theme.muted, .max_lines = 2}) +
        8;
    const Header* const run = d.input.scene.whole ? d.input.scene.whole->header : nullptr;
    const bool costs = run && run->k_auto && run->k_costs;
    ui::fitted_text(d.ui.canvas, {x, y}, frame_says("length.costs"_t), Font::text_bold, 16, d.ui.theme.ink, w);
    y = ui::paragraph(d.ui.canvas, {x, y + kNumberLine}, w,
                      !costs         ? frame_says("length.from:later"_t)
                      : now->k_costs ? frame_says("length.from:file"_t)
                                     : frame_says("length.from:run"_t),
                      {.color = d.ui.theme.muted, .max_lines = 1}) +
        4;
    if (costs) draw_costs(d, x, y, w, *run->k_costs, run->drafter);
    constexpr float kUse = 84, kBrowse = 116, kMeasure = 104, kBetween = 8;
    const float browse = d.input.can_browse ? kBrowse + kBetween : 0;
    const Rect field{x, y, w - kUse - kMeasure - 2 * kBetween - browse, 36};
    const ui::TextFieldResult path = ui::text_field(d.ui, "costs", field, d.state.query,
                                                    {.mono = true, .take_focus = true, .placeholder = frame_says("length.field"_t)});
    const Message no_file = !off.empty() ? off : d.state.query.empty() ? frame_says("length.no_file"_t) : Message();
    const bool use = ui::button(d.ui, "use", {field.right() + kBetween, y, kUse, 36}, frame_says("length.use"_t),
                                {.tooltip = frame_says("length.use_about"_t), .disabled = no_file});
    if ((use || path.submitted) && no_file.empty()) d.out.emplace_back(UseCosts{from_home(d.state.query)});
    if (d.input.can_browse && ui::button(d.ui, "browse", {field.right() + 2 * kBetween + kUse, y, kBrowse, 36},
                                         frame_says("files.browse"_t), {.tooltip = frame_says("files.browse_about"_t)}))
        d.out.emplace_back(BrowseFiles{});
    if (ui::button(d.ui, "measure", {x + w - kMeasure, y, kMeasure, 36}, shared_says("words.measure"_t),
                   {.tooltip = frame_says("length.measure_about"_t), .disabled = off}))
        d.out.emplace_back(MeasureCosts{});
    y += 36 + kNumberLine;
    if (!d.state.problem.empty()) {
        y = ui::paragraph(d.ui.canvas, {x, y}, w, frame_says("length.problem"_t, "what"_v = d.state.problem, "remedy"_v = d.state.remedy),
                          {.color = d.ui.theme.role(ui::Role::rejected), .max_lines = 2});
    }
    y += 4;
    if (const std::optional<Reason> reason = reason_of(d.input.scene)) draw_why(d, x, y, w, *reason, drafter && drafter->chained());
    if (path.cancelled) close = true;
}

} // namespace speclens
