// The card of a round: 1200x630, the size that messengers and timelines show beside a link.
#include <algorithm>
#include <string>

#include "app/render/round_share.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/tokens.h"
#include "ui/utf8.h"

namespace speclens {
namespace {

using ui::Canvas;
using ui::Font;
using ui::Rect;
using ui::Theme;

constexpr float kLeft = 48, kRight = kCardWidth - 48, kRoom = kRight - kLeft;

std::string title_of(const CycleSummary& round) {
    const int drafted = static_cast<int>(round.drafts.size());
    if (drafted == 0) return "No draft token in this round";
    if (drafted == 1) return round.accepted == 1 ? "The one draft token accepted" : "The one draft token rejected";
    return std::to_string(round.accepted) + " of " + std::to_string(drafted) + " draft tokens accepted";
}

std::string subtitle_of(const CycleSummary& round) {
    const int written = static_cast<int>(round.commit->tokens.size());
    return (written == 1 ? "1 token" : std::to_string(written) + " tokens") + " from one pass of the target";
}

// The text up to and with the round, its end where all of it has no room.
void draw_text(Canvas& canvas, const Theme& theme, const Trace& trace, const CycleView& whole, int cycle, float y) {
    constexpr float kSize = 24;
    std::size_t end = 0;
    while (end < whole.tokens.size() && whole.tokens[end].cycle <= cycle) ++end;
    std::size_t begin = end;
    float width = 0;
    const float dots = canvas.printed_width("… ", Font::text, kSize);
    while (begin > 0) {
        const float next = ui::running_width(canvas, trace.text(whole.tokens[begin - 1].id), kSize);
        if (width + next > kRoom - dots) break;
        width += next;
        --begin;
    }
    float x = kLeft;
    if (begin > 0) canvas.print({x, y}, "… ", Font::text, kSize, theme.muted), x += dots;
    for (std::size_t i = begin; i < end; ++i) {
        const OutputToken& token = whole.tokens[i];
        const std::optional<ui::Role> role = token.cycle == cycle ? std::optional(role_of(token.origin)) : std::nullopt;
        x += ui::running_token(canvas, theme, {x, y}, trace.text(token.id), role, false, kSize);
    }
}

ui::Role own_role(TargetToken::From from) {
    switch (from) {
    case TargetToken::From::residual:
        return ui::Role::residual;
    case TargetToken::From::bonus:
        return ui::Role::bonus;
    default:
        return ui::Role::target;
    }
}

struct RoundChip {
    std::string label;
    ui::Role role;
};

// The draft tokens, and behind them what the target wrote itself.
std::vector<RoundChip> chips_of(const Trace& trace, const CycleSummary& round) {
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
        const bool cut = line == 1 && fits < left.size();
        canvas.print({kLeft, y + kLine * static_cast<float>(line)}, cut ? left.substr(0, fits - 1) + "…" : left.substr(0, fits), Font::mono,
                     kSize, theme.muted);
        left.erase(0, fits);
    }
}

} // namespace

void draw_share_card(Canvas& canvas, const Theme& theme, const SharedRound& shared, const CycleView& whole, const CycleSummary& round) {
    const Header& header = *whole.header;
    canvas.print({kLeft, 66}, "SpecLens", Font::text_bold, 26, theme.muted);
    (void)ui::badge(canvas, theme, kRight, 42, tier_of(&header), {}, 32);
    canvas.text({kLeft, 142}, title_of(round), Font::text_bold, 46, theme.ink);
    canvas.text({kLeft, 188}, subtitle_of(round), Font::text, 28, theme.muted);
    draw_text(canvas, theme, *shared.trace, whole, round.cycle, 246);
    draw_chips(canvas, theme, chips_of(*shared.trace, round), 284);
    ui::legend_line(canvas, theme, {kLeft, 494});
    const std::string facts = ui::per_round(whole.tokens_per_round()) + " tokens per round";
    canvas.text({kLeft, 544}, facts, Font::text_bold, 24, theme.ink);
    const float x = kLeft + canvas.text_width(facts, Font::text_bold, 24) + 24;
    const std::string run = run_words(header.drafter, header.k, header.sampling.temperature, header.draft_sampling.temperature, header.rule);
    canvas.text({x, 544}, run + " · " + header.model, Font::text, 22, theme.muted);
    draw_link(canvas, theme, shared.shown_link.empty() ? shared.link : shared.shown_link, 584);
}

} // namespace speclens
