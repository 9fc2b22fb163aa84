// Words of S5: title, six beats, the equation, and what is known of a draft length.
#include <algorithm>
#include <cmath>

#include "engine/base/equation.h"
#include "engine/drafters/drafter_info.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/words.h"
#include "scenes/speedup/printed_table.h"
#include "scenes/speedup/speedup_draw.h"
#include "ui/format.h"

namespace speclens {
namespace {

using Source = SpeedupModel::Source;

std::string name_of(const SpeedupModel& m) {
    const DrafterInfo* info = find_drafter(m.drafter);
    return info ? message(info->title).words() : m.drafter;
}

// Where the measured drafter is not the run's; empty: it is.
Message in_its_place(const SpeedupModel& m) {
    if (m.own.empty()) return {};
    const DrafterInfo* own = find_drafter(m.own);
    const bool chain_of_tree = own && own->tree && m.own.starts_with(m.drafter + "_");
    if (m.own != kNoDrafter && chain_of_tree) return speedup_says("words.in_its_place:chain"_t);
    return speedup_says("words.in_its_place:other"_t, "own"_v = m.own == kNoDrafter ? "" : m.own, "drafter"_v = name_of(m));
}

Message finding(const SpeedupModel& m) {
    const auto drafter = "drafter"_v = name_of(m);
    const auto times = "times"_v = m.speedup_at(m.best);
    const auto k = "k"_v = m.best;
    if (!m.doubt.empty()) return speedup_says("finding.in_doubt"_t, drafter);
    if (m.even && m.close) return speedup_says("finding.even"_t, drafter, times, k); // whatever the length
    if (m.even) return speedup_says("finding.noise"_t, drafter, times, k);
    if (m.speedup_at(m.best) <= 1) return speedup_says("finding.loses"_t, drafter);
    const auto lengths = "lengths"_v = as_fast_words(m);
    if (m.as_fast.size() > 1 && m.alike) return speedup_says("finding.alike"_t, drafter, lengths, times);
    if (m.as_fast.size() > 1) return speedup_says("finding.close"_t, drafter, times, k, lengths);
    return speedup_says("finding.best"_t, drafter, times, k);
}

// What is seen is not what is being measured.
bool awaits_lengths(const SpeedupModel& m) { return m.measuring && (m.source == Source::run || m.source == Source::assumed); }

// A text that ends soon has no round with so many draft tokens.
Message lengths_words(const SpeedupModel& m) {
    const int all = !m.measuring && m.points.size() < kMeasuredLengths ? static_cast<int>(kMeasuredLengths) : 0;
    return speedup_says("words.lengths"_t, "lengths"_v = m.points.size(), "measuring"_v = m.measuring, "of"_v = m.stopped ? 0 : all,
                        "stopped"_v = m.stopped ? all : 0);
}

// Why the best length is faster than plain decoding. The levers have one cost and one chance for every draft token;
// what was measured has those of the first one, which are the reason where the mean ones are none.
Message why_it_pays(const SpeedupModel& m) {
    const auto alpha = "alpha"_v = m.levers.alpha;
    const double each = m.levers.draft + m.levers.verify, first_costs = each + m.levers.block;
    if (!m.measured() && m.levers.alpha >= first_costs) return speedup_says("why.one_pays"_t, alpha, "cost"_v = first_costs);
    if (!m.measured()) return speedup_says("why.block_pays"_t, alpha, "cost"_v = first_costs);
    const auto cost = [&](int k) { return m.draft_cost(k) + m.verify_cost(k) - 1; };
    const double brings = m.tokens_at(1) - 1;
    // A wider pass may by chance have been the quicker one.
    const auto first_cost = "cost"_v = cost(1) < 0.005 ? std::nullopt : std::optional(cost(1));
    const auto gain = "gain"_v = brings;
    if (brings >= cost(1))
        return speedup_says("why.first_pays"_t, gain, first_cost, "mean_would_not"_v = m.levers.alpha <= each, alpha, "each"_v = each);
    const int further = m.best - 1;
    const double more = (m.tokens_at(m.best) - m.tokens_at(1)) / further, dearer = std::max(0.0, (cost(m.best) - cost(1)) / further);
    return speedup_says("why.further_pay"_t, gain, first_cost, "more"_v = more, "dearer"_v = dearer, "once"_v = dearer < cost(1) / 2);
}

// Where one number for all places misleads most.
int miss_at(const SpeedupModel& m) { return std::max(1, one_number_miss(m).k); }

// What the picture of a beat shows; empty: the finding.
Message beat_title(const SceneInput& input, const SpeedupModel& m) {
    switch (input.beat) {
    case 0: return speedup_says("levers.title"_t);
    case kSpeedupTokensBeat: return speedup_says("tokens.title"_t, "one"_v = m.levers.tokens(1), "sixteen"_v = m.levers.tokens(16));
    case kSpeedupCostBeat: return speedup_says("cost.title"_t);
    case kSpeedupPlacesBeat: {
        const OneNumberMiss miss = one_number_miss(m);
        if (miss.k == 0) return speedup_says("places.title:unmeasured"_t);
        if (miss.matters()) return speedup_says("places.title:misses"_t, "percent"_v = 100 * miss.by, "k"_v = miss.k);
        return speedup_says("places.title:enough"_t, "percent"_v = 100 * miss.by);
    }
    default: return {};
    }
}

// Which lengths are the best, as far as these rounds can tell.
Message best_length_words(const SpeedupModel& m) {
    const auto times = "times"_v = m.speedup_at(m.best);
    const auto k = "k"_v = m.best;
    if (m.as_fast.size() < 2) return speedup_says("words.best:one"_t, k, times);
    const auto lengths = "lengths"_v = as_fast_words(m);
    const auto even = "even"_v = m.even;
    return m.alike ? speedup_says("words.best:alike"_t, lengths, k, times, even)
                   : speedup_says("words.best:close"_t, lengths, k, times, even);
}

Words best_words(const SpeedupModel& m) {
    if (m.server) return speedup_says.beat("best:server"_t);
    if (m.table) return speedup_says.beat("best:table"_t);
    if (awaits_lengths(m)) return speedup_says.beat("best:measuring"_t, "run"_v = m.source == Source::run);
    if (!m.doubt.empty()) return speedup_says.beat("best:in_doubt"_t, "doubt"_v = m.doubt);
    if (m.source == Source::assumed) return speedup_says.beat("best:assumed"_t, "k"_v = m.best, "times"_v = m.speedup_at(m.best));
    const Message best = best_length_words(m);
    if (m.outrun) return speedup_says.beat("best:outrun"_t, "best"_v = best);
    if (m.even) return speedup_says.beat("best:even"_t, "best"_v = best);
    if (m.speedup_at(m.best) <= 1) return speedup_says.beat("best:loses"_t, "best"_v = best);
    return speedup_says.beat("best:pays"_t, "best"_v = best, "why"_v = why_it_pays(m));
}

Words places_words(const SpeedupModel& m) {
    if (!m.measured()) return speedup_says.beat("places:unmeasured"_t);
    const auto alpha = "alpha"_v = m.levers.alpha;
    const OneNumberMiss miss = one_number_miss(m);
    if (!miss.matters()) return speedup_says.beat("places:enough"_t, alpha, "k"_v = miss.k, "percent"_v = 100 * miss.by);
    const int k = miss_at(m);
    return speedup_says.beat("places:misses"_t, "first"_v = m.stays.front(), "places"_v = m.stays.size(), "last"_v = m.stays.back(),
                             "few"_v = m.judged.back() < kEnoughRounds ? m.judged.back() : 0, alpha, "k"_v = k,
                             "mean"_v = m.levers.tokens(k), "by_place"_v = m.tokens[static_cast<std::size_t>(k) - 1],
                             "seen"_v = m.point(k) ? std::optional(m.tokens_at(k)) : std::nullopt);
}

Words beat_words(const SceneInput& input, const SpeedupModel& m, int beat) {
    switch (beat) {
    case 0: return speedup_says.beat("levers"_t, "sum"_v = speedup_sum(m).words);
    case kSpeedupTokensBeat: {
        const bool fails = m.levers.alpha < 1;
        const double limit = fails ? 1 + m.levers.drafts * m.levers.alpha / (1 - m.levers.alpha) : 0;
        return speedup_says.beat("tokens"_t, "alpha"_v = m.levers.alpha, "share"_v = share_words(m.levers), "k"_v = m.marked,
                                 "marked"_v = m.levers.tokens(m.marked), "sixteen"_v = m.levers.tokens(16),
                                 "limit"_v = fails ? std::optional(limit) : std::nullopt);
    }
    case kSpeedupCostBeat:
        return speedup_says.beat("cost"_t, "drafting"_v = drafting_words(m.levers), "row"_v = in_passes(m.levers.verify));
    case kSpeedupBestBeat: return best_words(m);
    case kSpeedupPlacesBeat: return places_words(m);
    default: {
        const PrintedTable table = printed_table(input.figures);
        if (table.rows.empty()) return {shared_says("figures.check"_t), no_figures()};
        return {shared_says("figures.check"_t), speedup_says("printed.text:table"_t, "wrong"_v = table.wrong, "cells"_v = table.cells)};
    }
    }
}

} // namespace

SpeedupSum speedup_sum(const SpeedupModel& m) {
    SpeedupSum sum;
    const double tokens = m.tokens_at(m.marked), draft = m.draft_cost(m.marked), verify = m.verify_cost(m.marked);
    const double unit = m.in_ms() ? m.plain_ms : 1;
    sum.result = tokens / (draft + verify);
    sum.decimals = equation_decimals(tokens, unit, draft * unit, verify * unit, m.in_ms() && unit < 1 ? 3 : 2);
    const auto say = [&](auto id) {
        return speedup_says(id, "tokens"_v = tokens, "pass"_v = unit, "draft"_v = draft * unit, "verify"_v = verify * unit,
                            "times"_v = sum.result, "printed_tokens"_v = ui::number(tokens, sum.decimals),
                            "printed_pass"_v = ui::number(unit, sum.decimals), "printed_draft"_v = ui::number(draft * unit, sum.decimals),
                            "printed_verify"_v = ui::number(verify * unit, sum.decimals));
    };
    sum.words = m.in_ms() ? say("sum.ms"_t) : say("sum.passes"_t);
    return sum;
}

OneNumberMiss one_number_miss(const SpeedupModel& m) {
    OneNumberMiss most;
    if (!m.measured()) return most;
    for (int k = 1; k <= static_cast<int>(m.tokens.size()); ++k) {
        const double places = m.tokens[static_cast<std::size_t>(k) - 1];
        if (const double by = std::abs(m.levers.tokens(k) - places) / places; most.k == 0 || by > most.by) most = {k, by};
    }
    return most;
}

SpeedupFormula speedup_formula(const SceneInput& input, const SpeedupModel& m) {
    switch (input.beat) {
    case kSpeedupTokensBeat: {
        const Message sum = speedup_says("formula.tokens"_t, "share"_v = m.levers.drafts < 1);
        const auto formula = "formula"_v = sum;
        const auto tokens = "tokens"_v = m.levers.tokens(m.marked);
        return {{speedup_says("formula.at_alpha"_t, formula, tokens, "alpha"_v = m.levers.alpha, "k"_v = m.marked),
                 speedup_says("formula.valued"_t, formula, tokens), sum},
                {speedup_says("assumes.same:whole"_t), speedup_says("assumes.same:shorter"_t), speedup_says("assumes.same:cited"_t),
                 speedup_says("assumes.same:short"_t), speedup_says("assumes.same:least"_t)}};
    }
    case kSpeedupPlacesBeat: {
        const OneNumberMiss miss = one_number_miss(m);
        const Message sum = speedup_says("formula.places"_t);
        SpeedupFormula words{{sum, speedup_says("formula.places_short"_t)},
                             {speedup_says("assumes.places:whole"_t), speedup_says("assumes.places:shorter"_t),
                              speedup_says("assumes.places:short"_t), speedup_says("assumes.places:least"_t)}};
        if (miss.k == 0) return words;
        const auto formula = "formula"_v = sum;
        const auto tokens = "tokens"_v = m.tokens[static_cast<std::size_t>(miss.k) - 1];
        const auto k = "k"_v = miss.k;
        words.formula.insert(words.formula.begin(),
                             {speedup_says("formula.beside_one"_t, formula, tokens, k, "one"_v = m.levers.tokens(miss.k)),
                              speedup_says("formula.at_k"_t, formula, tokens, k), speedup_says("formula.valued"_t, formula, tokens)});
        return words;
    }
    case 0:
    case kSpeedupCostBeat:
    case kSpeedupBestBeat: {
        const SpeedupSum sum = speedup_sum(m);
        const Message words = speedup_says("formula.speed"_t);
        const auto formula = "formula"_v = words;
        return {{speedup_says("formula.summed"_t, formula, "sum"_v = sum.words),
                 speedup_says("formula.result"_t, formula, "times"_v = sum.result), words, speedup_says("formula.speed_short"_t),
                 speedup_says("formula.speed_least"_t)},
                {speedup_says("assumes.rounds:whole"_t), speedup_says("assumes.rounds:short"_t), speedup_says("assumes.rounds:least"_t)}};
    }
    default: return {};
    }
}

StageTitle speedup_title(const SceneInput& input, const SpeedupModel& m) {
    StageTitle title;
    if (printed_table_on_stage(input)) {
        const PrintedTable table = printed_table(input.figures);
        title.title = speedup_says("printed.title"_t, "wrong"_v = table.wrong, "cells"_v = table.cells);
        title.subtitle = speedup_says("printed.subtitle"_t);
        title.tier = ui::Tier::published;
        return title;
    }
    title.title = beat_title(input, m);
    const auto measuring = "measuring"_v = awaits_lengths(m);
    if (title.title.empty() && awaits_lengths(m)) title.title = speedup_says("best.title"_t);
    const auto found = [&](const auto& words) {
        if (title.title.empty()) title.title = words();
    };
    const std::optional<double> gain = m.speedup_at(m.best) > 1 ? std::optional(m.speedup_at(m.best)) : std::nullopt;
    title.tier = ui::Tier::sim;
    switch (m.source) {
    case Source::study:
        found([&] { return finding(m); });
        title.subtitle = speedup_says("subtitle.measured"_t, "in_its_place"_v = in_its_place(m), "lengths"_v = lengths_words(m),
                                      "outrun"_v = m.outrun, "doubt"_v = m.outrun ? Message() : m.doubt);
        title.tier = ui::Tier::live;
        break;
    case Source::run:
        found([&] {
            return speedup_says("title.run"_t, "doubt"_v = m.doubt, "gain"_v = m.doubt.empty() ? gain : std::nullopt, "k"_v = m.best,
                                "loses"_v = m.doubt.empty() && !gain);
        });
        title.subtitle = speedup_says("subtitle.run"_t, measuring, "k"_v = input.whole->header->k_auto ? 0 : input.whole->header->k,
                                      "doubt"_v = m.doubt);
        break;
    case Source::assumed:
        if (m.server || m.table) {
            found([&] { return speedup_says("title.none"_t, "server"_v = m.server); });
            title.subtitle = speedup_says("subtitle.none"_t, "server"_v = m.server);
            break;
        }
        [[fallthrough]];
    case Source::hand:
        found([&] { return speedup_says("title.hand"_t, "gain"_v = gain, "k"_v = m.best); });
        title.subtitle = speedup_says("subtitle.hand"_t, measuring, "own"_v = m.source == Source::hand);
        break;
    }
    return title;
}

Story speedup_story(const SceneInput& input, const SpeedupModel& m) {
    Story story = story_at_beat(input, kSpeedupBeats);
    take(story, beat_words(input, m, story.step - 1));
    const RunStudy study = speedup_study(input);
    if (!study.runs.empty()) {
        story.task = speedup_says("words.task"_t);
        story.task_done = !m.points.empty() && !m.measuring && !m.stopped && input.by_task(study.name);
        story.on_task = {Command{study}};
    }
    return story;
}

Message as_fast_words(const SpeedupModel& m) {
    const auto at = [&](int k) { return std::ranges::find(m.points, k, &SpeedupPoint::k) - m.points.begin(); };
    const auto n = static_cast<std::ptrdiff_t>(m.as_fast.size());
    if (n < 2) return speedup_says("words.alike:one"_t, "k"_v = m.best);
    if (n > 2 && at(m.as_fast.back()) - at(m.as_fast.front()) == n - 1) // nothing measured between is left out
        return speedup_says("words.alike:range"_t, "from"_v = m.as_fast.front(), "to"_v = m.as_fast.back());
    if (n > 3) return speedup_says("words.alike:many"_t, "lengths"_v = n);
    std::vector<Said> lengths;
    for (const int k : m.as_fast) lengths.push_back(speedup_says("words.alike:number"_t, "k"_v = k).said);
    lengths.pop_back();
    return speedup_says("words.alike:listed"_t, "lengths"_v = lengths, "last"_v = m.as_fast.back());
}

Message length_words(const SpeedupModel& m, int k) {
    const auto i = static_cast<std::size_t>(k - 1);
    const bool drawn = i < m.tokens.size();
    Message measured;
    if (const SpeedupPoint* p = m.point(k))
        measured =
            speedup_says("chart.measured"_t, "tokens"_v = p->tokens, "rounds"_v = p->rounds, "draft"_v = p->draft, "head"_v = p->head,
                         "verify"_v = p->verify, "times"_v = p->speedup, "low"_v = p->low, "high"_v = p->high, "few"_v = p->few());
    return speedup_says("chart.length"_t, "k"_v = k, "marked"_v = k == m.marked,
                        "tokens"_v = drawn ? std::optional(m.tokens[i]) : std::nullopt,
                        "times"_v = drawn ? std::optional(m.speedup[i]) : std::nullopt, "measured"_v = measured);
}

Message stays_words(const SpeedupModel& m) {
    std::vector<Said> places;
    for (std::size_t i = 0; i < m.stays.size(); ++i)
        places.push_back(speedup_says("chart.place"_t, "place"_v = i + 1, "stays"_v = m.stays[i], "judged"_v = m.judged[i],
                                      "few"_v = m.judged[i] < kEnoughRounds)
                             .said);
    return speedup_says("chart.stays"_t, "places"_v = places);
}

} // namespace speclens
