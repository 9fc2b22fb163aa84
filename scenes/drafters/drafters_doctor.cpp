// Why a head accepts what it does: the examination of the selected drafter's head, as far as it is: how often each guess is kept, where the
// target's choice stands in the head's distribution, and how many guesses a round keeps when the head is read otherwise.
#include <algorithm>
#include <numeric>

#include "scenes/drafters/drafters_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/words.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Font;
using ui::Rect;
using Finding = Diagnosis::Verdict; // not the verdict of a round

// Of the selected row's head; null: it was not examined.
const Diagnosis* diagnosis_of(const SceneInput& input, const DraftersModel& m) {
    return m.row() && input.diagnosis && input.diagnosis->drafter == m.row()->name() ? input.diagnosis.get() : nullptr;
}

bool goes_on(const Diagnosis* found) { return found && found->verdict == Finding::open && !found->ended_early; }

Message why_not_examine(const SceneInput& input, const DraftersModel& m) {
    if (!models_loaded(input)) return shared_says("words.no_models"_t);
    return m.heads.empty() ? drafters_says("exam.no_head"_t) : Message();
}

Message difference_words(const PairedDifference& d) {
    return drafters_says("exam.difference"_t, "more"_v = d.mean > 0, "mean"_v = d.mean, "low"_v = d.low, "high"_v = d.high);
}

void examine(const DraftersDraw& d) { d.out.push_back(Command{ExamineHead{d.model.row()->name()}}); }

struct Bar {
    std::string label;
    double share;
    Message told;
};

void draw_bars(const DraftersDraw& d, Rect r, const Message& title, const std::vector<Bar>& bars) {
    ui::Canvas& canvas = d.ui.canvas;
    part_head(d.ui, r, title);
    const float base = r.bottom() - 22, top = r.y + 44, step = r.w / static_cast<float>(std::max<std::size_t>(1, bars.size()));
    canvas.line({r.x, base + 0.5F}, {r.right(), base + 0.5F}, d.ui.theme.hairline());
    float x = r.x;
    for (const Bar& bar : bars) {
        const float h = (base - top) * static_cast<float>(bar.share), w = std::min(36.0F, step * 0.62F), middle = x + step / 2;
        canvas.fill({middle - w / 2, base - h, w, h}, d.ui.theme.role(ui::Role::draft), 2);
        canvas.print({middle, r.bottom() - 5}, bar.label, Font::text, 14, d.ui.theme.muted, ui::Align::center);
        const Message share = drafters_says("exam.share"_t, "share"_v = bar.share);
        if (canvas.text_width(share, Font::text, 14) <= step - 2)
            canvas.text({middle, base - h - 6}, share, Font::text, 14, d.ui.theme.ink, ui::Align::center);
        ui::thing(d.ui, {x, top, step, base - top}, bar.told);
        x += step;
    }
}

std::vector<Bar> kept_bars(const Diagnosis& found) {
    std::vector<Bar> bars;
    for (const double share : found.kept_at) {
        const std::size_t place = bars.size() + 1;
        bars.push_back({std::to_string(place), share, drafters_says("exam.kept_at"_t, "place"_v = place, "share"_v = share)});
    }
    return bars;
}

std::vector<Bar> rank_bars(const Diagnosis& found) {
    constexpr int kUnrankedBin = kRankBins - 1, kBeyondBin = kRankBins - 2;
    const double all = std::max(1.0, std::accumulate(found.ranks.begin(), found.ranks.end(), 0.0));
    std::vector<Bar> bars;
    for (int bin = 0; bin < kRankBins; ++bin) {
        const double share = static_cast<double>(found.ranks[static_cast<std::size_t>(bin)]) / all;
        if (bin == kUnrankedBin && share == 0) continue; // it ranks all ids
        if (bin == kUnrankedBin)
            bars.push_back({"–", share, drafters_says("exam.unranked"_t, "share"_v = share)});
        else if (bin == kBeyondBin)
            bars.push_back({">64", share, drafters_says("exam.beyond"_t, "share"_v = share)});
        else
            bars.push_back({rank_words(bin), share, drafters_says("exam.rank"_t, "share"_v = share, "rank"_v = rank_words(bin))});
    }
    return bars;
}

void draw_variants(const DraftersDraw& d, const Diagnosis& found, Rect r) {
    constexpr float kPitch = 22, kKept = 56, kDifference = 190;
    part_head(d.ui, r, drafters_says("exam.otherwise"_t));
    float y = r.y + 40;
    const auto row = [&](const Message& what, double kept, const Message& difference, bool better) {
        const Message told =
            drafters_says("exam.row"_t, "what"_v = what, "kept"_v = kept, "difference"_v = difference, "better"_v = better);
        if (y > r.bottom() - 4) return d.ui.canvas.tell(told, r);
        const ui::Color ink = better ? d.ui.theme.role(ui::Role::rejected) : d.ui.theme.ink;
        cell(d.ui, {r.x, y}, what, r.w - kKept - kDifference - 12, {ink});
        cell(d.ui, {r.right() - kDifference - 12, y}, drafters_says("exam.kept_number"_t, "kept"_v = kept), kKept,
             {ink, 14, Font::mono, ui::Align::right});
        cell(d.ui, {r.right(), y}, difference, kDifference, {d.ui.theme.muted, 14, Font::mono, ui::Align::right});
        d.ui.canvas.tell(told, {r.x, y - 15, r.w, kPitch}, ui::Canvas::Told::drawn);
        y += kPitch;
    };
    row(drafters_says("exam.as_it_is"_t), found.kept, {}, false);
    for (const TriedVariant* one : found.ranked())
        row(drafters_says("exam.what"_t, "what"_v = one->variant.said), one->kept, difference_words(one->difference), one->better);
}

// Of several heads the one that is examined is chosen here.
void draw_heads(const DraftersDraw& d, float top) {
    std::vector<Message> names;
    int chosen = 0;
    for (const int i : d.model.heads) {
        if (i == d.model.selected) chosen = static_cast<int>(names.size());
        names.push_back(drafters_says("words.name"_t, "drafter"_v = d.model.rows[static_cast<std::size_t>(i)].title));
    }
    ControlRow row({d.input.stage.x, top - 14, d.input.stage.w, 72});
    if (const auto pick = segmented(d.ui, row, {"head", drafters_says("exam.head"_t), drafters_says("exam.head_about"_t)}, names, chosen))
        d.state.drafter = d.model.rows[static_cast<std::size_t>(d.model.heads[static_cast<std::size_t>(*pick)])].name();
}

std::string name_of_head(const DraftersModel& m) { return m.row() ? m.row()->title : std::string(); }

} // namespace

void draw_head_doctor(const DraftersDraw& d, float top) {
    const Rect stage = d.input.stage;
    if (d.model.heads.size() > 1) draw_heads(d, top), top += 74;
    const Rect area{stage.x + 24, top, stage.w - 48, stage.bottom() - 8 - top};
    const Diagnosis* found = diagnosis_of(d.input, d.model);
    if (!found || found->kept_at.empty()) {
        const Message why = why_not_examine(d.input, d.model);
        return ui::slot(d.ui.canvas, d.ui.theme, {area.x, area.y + 8, area.w, std::min(120.0F, area.h - 8)},
                        !why.empty()     ? why
                        : goes_on(found) ? drafters_says("exam.slot:writing"_t)
                                         : drafters_says("exam.slot:asked"_t, "drafter"_v = name_of_head(d.model)));
    }
    constexpr float kGap = 36;
    const float h = std::clamp(area.h * 0.45F, 120.0F, 240.0F), left = (area.w - kGap) * 0.44F;
    draw_bars(d, {area.x, area.y, left, h}, drafters_says("exam.kept"_t), kept_bars(*found));
    draw_bars(d, {area.x + left + kGap, area.y, area.w - kGap - left, h}, drafters_says("exam.ranks"_t), rank_bars(*found));
    draw_variants(d, *found, {area.x, area.y + h + 16, area.w, area.h - h - 16});
}

void draw_examine_button(const DraftersDraw& d, Rect at) {
    if (goes_on(d.input.diagnosis.get())) {
        if (ui::button(d.ui, "examine", at, drafters_says("exam.stop"_t), {.shortcut = "Esc"})) d.out.push_back(Command{Cancel{}});
    } else if (ui::button(d.ui, "examine", at, drafters_says("exam.examine"_t, "drafter"_v = name_of_head(d.model)),
                          {.kind = ui::ButtonKind::primary, .shortcut = "M", .disabled = why_not_examine(d.input, d.model)})) {
        examine(d);
    }
}

void examine_by_key(const DraftersDraw& d) {
    if (goes_on(d.input.diagnosis.get()) || !why_not_examine(d.input, d.model).empty()) return;
    if (d.ui.take_key(ui::Key::m)) examine(d);
}

StageTitle doctor_title(const SceneInput& input, const DraftersModel& m) {
    const Diagnosis* found = diagnosis_of(input, m);
    StageTitle title{.title = drafters_says("doctor.title:asked"_t),
                     .subtitle = drafters_says("exam.subtitle:asked"_t),
                     .tier = tier_of(m.header),
                     .tier_words = {}};
    if (!found) return title;
    const auto verdict = [&](auto id) { return drafters_says(id, "drafter"_v = name_of_head(m), "kept"_v = found->kept); };
    switch (found->verdict) {
    case Finding::mends: title.title = verdict("doctor.title:mends"_t); break;
    case Finding::uncertain: title.title = verdict("doctor.title:uncertain"_t); break;
    case Finding::weak: title.title = verdict("doctor.title:weak"_t); break;
    case Finding::healthy: title.title = verdict("doctor.title:healthy"_t); break;
    case Finding::open: break;
    }
    title.subtitle = drafters_says("exam.subtitle:told"_t, "places"_v = found->places, "texts"_v = found->texts, "target"_v = found->target,
                                   "k"_v = found->k, "stopped"_v = found->ended_early);
    return title;
}

Words doctor_words(const SceneInput& input, const DraftersModel& m) {
    const Diagnosis* found = diagnosis_of(input, m);
    if (!found || found->verdict == Finding::open) return drafters_says.beat("doctor:asked"_t);
    const auto refused = std::ranges::count_if(found->variants, [](const TriedVariant& one) { return !one.refused.empty(); });
    switch (found->verdict) {
    case Finding::mends:
        return drafters_says.beat("doctor:mends"_t, "what"_v = found->winner->variant.said, "line"_v = found->winner->variant.line(),
                                  "places"_v = found->fresh_places, "kept"_v = found->fresh_kept, "changed"_v = found->fresh_kept_changed);
    case Finding::uncertain:
        return drafters_says.beat("doctor:uncertain"_t, "what"_v = found->winner->variant.said,
                                  "difference"_v = difference_words(found->fresh), "places"_v = found->fresh_places);
    case Finding::weak:
        return drafters_says.beat("doctor:weak"_t, "ways"_v = found->ranked().size(), "refused"_v = refused, "kept"_v = found->kept);
    case Finding::healthy:
    case Finding::open: break;
    }
    return drafters_says.beat("doctor:healthy"_t, "ways"_v = found->ranked().size(), "refused"_v = refused, "least"_v = found->least_told);
}

} // namespace speclens
