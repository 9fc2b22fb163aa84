// The card of a round or a race: 1200x630, the size that messengers and timelines show beside a link.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/render/round_share.h"
#include "engine/base/display_name.h"
#include "scenes/race/race_draw.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/language/language.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"
#include "ui/utf8.h"

namespace speclens {
namespace {

using ui::Canvas;
using ui::Theme;

constexpr float kLeft = 48, kRight = kCardWidth - 48, kRoom = kRight - kLeft;

Message title_of(const RoundSummary& round) {
    const auto accepted = "accepted"_v = round.accepted;
    if (round.drafts.size() == 1) return frame_says("card.title:one"_t, accepted);
    return round.drafts.empty() ? frame_says("card.title:none"_t)
                                : frame_says("card.title:some"_t, accepted, "drafted"_v = round.drafts.size());
}

Message subtitle_of(const RoundSummary& round) { return frame_says("card.written"_t, "tokens"_v = round.commit->tokens.size()); }

// A token of the text, or markers of a chat that follow each other, which stand as one mark.
struct CardPiece {
    std::string text; // empty: a mark
    std::optional<ui::Role> role;
    float width = 0;
};

constexpr float kTextSize = 24, kMarkSize = 16;

std::vector<CardPiece> pieces_of(const Canvas& canvas, const Trace& trace, const RunView& whole, int round) {
    const std::vector<bool> marks = chat_markers(trace, whole);
    std::vector<CardPiece> pieces;
    for (std::size_t i = 0; i < whole.tokens.size() && whole.tokens[i].round <= round; ++i) {
        const OutputToken& token = whole.tokens[i];
        const std::string text = trace.text(token.id);
        const bool mark = (i < marks.size() && marks[i]) || is_chat_marker(text);
        if (mark && !pieces.empty() && pieces.back().text.empty()) continue;
        CardPiece piece{mark ? "" : text, {}, 0};
        if (token.round == round && !mark) piece.role = role_of(token.origin);
        piece.width =
            mark ? canvas.text_width(frame_says("ribbon.chat"_t), Font::text, kMarkSize) + 28 : ui::running_width(canvas, text, kTextSize);
        pieces.push_back(std::move(piece));
    }
    return pieces;
}

// The text up to and with the round, its end where all of it has no room.
void draw_text(Canvas& canvas, const Theme& theme, const Trace& trace, const RunView& whole, int round, float y) {
    const std::vector<CardPiece> pieces = pieces_of(canvas, trace, whole, round);
    std::size_t begin = pieces.size();
    float width = 0;
    const float dots = canvas.printed_width("… ", Font::text, kTextSize);
    while (begin > 0 && width + pieces[begin - 1].width <= kRoom - dots) width += pieces[--begin].width;
    float x = kLeft;
    if (begin > 0) canvas.print({x, y}, "… ", Font::text, kTextSize, theme.muted), x += dots;
    for (std::size_t i = begin; i < pieces.size(); ++i) {
        const CardPiece& piece = pieces[i];
        if (piece.text.empty()) {
            canvas.fill({x + 4, y - 20, piece.width - 8, 26}, theme.raised, 6);
            canvas.text({x + piece.width / 2, y - 1}, frame_says("ribbon.chat"_t), Font::text, kMarkSize, theme.muted, ui::Align::center);
        } else {
            (void)ui::running_token(canvas, theme, {x, y}, piece.text, piece.role, false, kTextSize);
        }
        x += piece.width;
    }
}

ui::Role own_role(TargetToken::From from) {
    switch (from) {
    case TargetToken::From::residual: return ui::Role::residual;
    case TargetToken::From::bonus: return ui::Role::bonus;
    default: return ui::Role::target;
    }
}

struct RoundChip {
    std::string label;
    ui::Role role;
};

// The draft tokens, and behind them what the target wrote itself.
std::vector<RoundChip> chips_of(const Trace& trace, const RoundSummary& round) {
    std::vector<RoundChip> chips;
    for (const int i : round.reading_order()) {
        const DraftSlot& slot = round.drafts[static_cast<std::size_t>(i)];
        const auto state = slot.state == DraftSlot::State::drafted ? DraftSlot::State::discarded : slot.state;
        chips.push_back({label_of(trace, slot.draft->token), role_of(state)});
    }
    if (!round.resample || round.commit->tokens.size() <= round.path.size()) return chips;
    chips.push_back({label_of(trace, round.resample->token), own_role(round.resample->from)});
    return chips;
}

// As large as one row has room for.
float chip_height(const Canvas& canvas, const std::vector<RoundChip>& chips, float gap) {
    for (const float height : {96.F, 80.F, 64.F}) {
        float width = 0;
        for (const RoundChip& chip : chips) width += ui::chip_width(canvas, chip.label, height) + gap;
        if (width - gap <= kRoom) return height;
    }
    return 52;
}

void draw_chips(Canvas& canvas, const Theme& theme, const std::vector<RoundChip>& chips, float y) {
    constexpr float kGap = 12, kWidest = 400;
    constexpr int kRows = 3;
    const float height = chip_height(canvas, chips, kGap);
    float x = kLeft;
    int row = 0;
    for (std::size_t i = 0; i < chips.size(); ++i) {
        const float width = std::min(kWidest, ui::chip_width(canvas, chips[i].label, height));
        const float more = row + 1 == kRows && i + 1 < chips.size() ? 80 : 0; // for how many are left
        if (x + width > kRight - more && x > kLeft) {
            if (row + 1 == kRows) {
                canvas.print({x, y + 34}, "+" + std::to_string(chips.size() - i), Font::text, 24, theme.muted);
                return;
            }
            x = kLeft, y += height + kGap, ++row;
        }
        ui::chip(canvas, theme, {x, y, width, height}, chips[i].label, {.role = chips[i].role});
        x += width + kGap;
    }
}

// In at most two lines; a link that is longer is in the file beside the card.
void draw_link(Canvas& canvas, const Theme& theme, const std::string& link, float y) {
    constexpr float kSize = 16, kLine = 22;
    std::string left = link;
    for (int line = 0; line < 2 && !left.empty(); ++line) {
        std::size_t fits = left.size();
        while (fits > 1 && canvas.printed_width(left.substr(0, fits), Font::mono, kSize) > kRoom) --fits;
        const bool shortened = line == 1 && fits < left.size();
        canvas.print({kLeft, y + kLine * static_cast<float>(line)}, shortened ? left.substr(0, fits - 1) + "…" : left.substr(0, fits),
                     Font::mono, kSize, theme.muted);
        left.erase(0, fits);
    }
}

// Only what occurs.
void draw_legend(Canvas& canvas, const Theme& theme, const std::vector<RoundChip>& chips, float y) {
    float x = kLeft;
    for (const ui::Role role : ui::kRoles) {
        if (std::ranges::find(chips, role, &RoundChip::role) == chips.end()) continue;
        ui::role_swatch(canvas, theme, {x, y - 16, 20, 20}, role);
        canvas.text({x + 28, y}, ui::role_words(role), Font::text, 18, theme.muted);
        x += 28 + canvas.text_width(ui::role_words(role), Font::text, 18) + 24;
    }
}

std::string shortened_to(const Canvas& canvas, std::string text, Font font, float size, float room) {
    if (canvas.printed_width(text, font, size) <= room) return text;
    while (!text.empty() && canvas.printed_width(text + "…", font, size) > room) text.resize(ui::previous_boundary(text, text.size()));
    return text + "…";
}

// "Prompt “…”" in one line; nothing where it has no text.
void draw_prompt(Canvas& canvas, const Theme& theme, std::string prompt, float x, float y, float size, float right) {
    if (prompt.empty()) return;
    std::ranges::replace(prompt, '\n', ' ');
    const Message title = frame_says("card.prompt"_t);
    canvas.text({x, y}, title, Font::text, size, theme.muted);
    x += canvas.text_width(title, Font::text, size) + 12;
    canvas.print({x, y}, shortened_to(canvas, ui::language().open_quote + prompt + ui::language().close_quote, Font::text, size, right - x),
                 Font::text, size, theme.ink);
}

// By the time somebody looks at it nothing is live.
ui::Tier kept_tier(const Header& header) {
    const ui::Tier tier = tier_of(&header);
    return tier == ui::Tier::live ? ui::Tier::recorded : tier;
}

std::string day_of(const Header& header) { return header.date.substr(0, 10); }

std::string prompt_of(const Header& header) { return header.chat ? header.chat->said : header.prompt_text; }

void draw_head(Canvas& canvas, const Theme& theme, const Header& header, const Message& title, const Message& subtitle) {
    canvas.print({kLeft, 66}, "SpecLens", Font::text_bold, 26, theme.muted);
    (void)ui::badge(canvas, theme, kRight, 42, kept_tier(header), day_of(header), 32);
    float size = 46;
    while (size > 28 && canvas.text_width(title, Font::text_bold, size) > kRoom) size -= 2;
    ui::fitted_text(canvas, {kLeft, 138}, title, Font::text_bold, size, theme.ink, kRoom);
    ui::fitted_text(canvas, {kLeft, 182}, subtitle, Font::text, 28, theme.muted, kRoom);
    draw_prompt(canvas, theme, prompt_of(header), kLeft, 228, 24, kRight);
}

// What was run and where, and the link.
void draw_foot(Canvas& canvas, const Theme& theme, const SharedRound& shared, const Header& header, const Message& facts,
               const Message& run) {
    canvas.text({kLeft, 544}, facts, Font::text_bold, 24, theme.ink);
    const float x = facts.empty() ? kLeft : kLeft + canvas.text_width(facts, Font::text_bold, 24) + 24;
    ui::fitted_text(canvas, {x, 544},
                    frame_says("card.run"_t, "run"_v = run, "model"_v = header.model, "machine"_v = machine_said(header.machine)),
                    Font::text, 22, theme.muted, kRight - x);
    draw_link(canvas, theme, shared.shown_link.empty() ? shared.link : shared.shown_link, 584);
}

// ---- a race ----

std::string rate_words(const RaceModel& m, const RaceLaneModel& lane) {
    if (m.table || m.stepped) return ui::per_round(lane.whole.tokens_per_round());
    return ui::number(1000 * lane.tokens / std::max(1e-9, lane.total_ms), 0);
}

double rate_of(const RaceModel& m, const RaceLaneModel& lane) {
    return m.table || m.stepped ? lane.whole.tokens_per_round() : lane.tokens / std::max(1e-9, lane.total_ms);
}

// A bar for each lane, by how fast it wrote: name, bar, rate, how many times plain decoding.
void draw_lanes(Canvas& canvas, const Theme& theme, const RaceModel& m) {
    constexpr float kTop = 262, kBottom = 506, kName = 210, kRate = 260, kMost = 60;
    double most = 0;
    for (const RaceLaneModel& lane : m.lanes) most = std::max(most, rate_of(m, lane));
    const float row = std::min(kMost, (kBottom - kTop) / static_cast<float>(std::max<std::size_t>(1, m.lanes.size())));
    const Message unit = m.table || m.stepped ? shared_says("words.tokens_per_round"_t) : frame_says("card.rate:time"_t);
    float y = kTop;
    for (const RaceLaneModel& lane : m.lanes) {
        const float size = std::min(24.F, row * 0.6F), base = y + row / 2 + size * 0.35F;
        ui::fitted_text(canvas, {kLeft, base}, lane.title, Font::text_bold, size, theme.ink, kName - 16);
        const float room = kRoom - kName - kRate, share = most > 0 ? static_cast<float>(rate_of(m, lane) / most) : 0;
        const ui::Role role = lane.plain() ? ui::Role::target : ui::Role::accepted;
        ui::bar(canvas, theme, {kLeft + kName, y + row * 0.18F, room, row * 0.64F}, share, role);
        const std::string rate = rate_words(m, lane);
        const float x = kLeft + kName + room + 16;
        if (!lane.lane->problem.empty()) {
            ui::fitted_text(canvas, {x, base}, frame_says("card.cannot_run"_t), Font::text, size, theme.muted, kRight - x);
        } else {
            canvas.print({x, base}, rate, Font::text, size, theme.ink);
            canvas.text({x + canvas.printed_width(rate, Font::text, size) + 8, base}, unit, Font::text, std::min(18.F, size), theme.muted);
            if (!lane.plain()) canvas.print({kRight, base}, lane.speed_up.words, Font::text_bold, size, theme.ink, ui::Align::right);
        }
        y += row;
    }
}

} // namespace

const Header* shared_header(const SharedRound& shared) { return shared.race ? race_header(*shared.race) : shared.trace->header(); }

void draw_share_card(Canvas& canvas, const Theme& theme, const SharedRound& shared, const RunView& whole, const RoundSummary& round) {
    const Header& header = *whole.header;
    draw_head(canvas, theme, header, title_of(round), subtitle_of(round));
    draw_text(canvas, theme, *shared.trace, whole, round.round, 276);
    const std::vector<RoundChip> chips = chips_of(*shared.trace, round);
    draw_chips(canvas, theme, chips, 304);
    draw_legend(canvas, theme, chips, 502);
    const Message run =
        run_words(header.drafter, header.k, header.sampling.temperature, header.draft_sampling.temperature, header.rule, header.k_auto);
    draw_foot(canvas, theme, shared, header, frame_says("card.tokens"_t, "tokens"_v = whole.tokens_per_round()), run);
}

void draw_race_card(Canvas& canvas, const Theme& theme, const SharedRound& shared, const RaceModel& race) {
    const Header* header = shared_header(shared);
    if (!header) return;
    const Message title = race_title(race), shorter = race_title_short(race);
    const bool fits = shorter.empty() || canvas.text_width(title, Font::text_bold, 36) <= kRoom;
    draw_head(canvas, theme, *header, fits ? title : shorter, race_texts(race));
    draw_lanes(canvas, theme, race);
    const double temperature = header->sampling.temperature;
    draw_foot(canvas, theme, shared, *header, {},
              temperature == 0 ? frame_says("card.race:greedy"_t) : frame_says("card.race:drawn"_t, "temperature"_v = temperature));
}

void draw_share_strip(Canvas& canvas, const Theme& theme, const SharedRound& shared, ui::Rect strip) {
    canvas.fill(strip, theme.bg);
    canvas.line({strip.x, strip.y + 0.5F}, {strip.right(), strip.y + 0.5F}, theme.hairline());
    const float x = strip.x + 24, right = strip.right() - 24;
    const Header* header = shared_header(shared);
    if (!header) return;
    const std::string day = day_of(*header);
    canvas.print({right, strip.y + 26}, day, Font::text, 15, theme.muted, ui::Align::right);
    draw_prompt(canvas, theme, prompt_of(*header), x, strip.y + 26, 17, right - canvas.printed_width(day, Font::text, 15) - 16);
    const std::string& link = shared.shown_link.empty() ? shared.link : shared.shown_link;
    canvas.print({x, strip.y + 50}, shortened_to(canvas, link, Font::mono, 14, right - x), Font::mono, 14, theme.muted);
}

} // namespace speclens
