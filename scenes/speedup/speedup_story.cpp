// Words of S5: title, six beats, the equation, and the frame as text.
#include <algorithm>
#include <cmath>
#include <sstream>

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
    return info ? info->title : m.drafter;
}

// Where the measured drafter is not the run's; empty: it is.
std::string in_its_place(const SpeedupModel& m) {
    if (m.own.empty()) return {};
    const DrafterInfo* own = find_drafter(m.own);
    const bool chain_of_tree = own && own->tree && m.own.starts_with(m.drafter + "_");
    if (m.own != kNoDrafter && chain_of_tree) return speedup_says("words.in_its_place:chain"_t);
    return speedup_says("words.in_its_place:other"_t, "own"_v = m.own == kNoDrafter ? "" : m.own, "drafter"_v = name_of(m));
}

std::string finding(const SpeedupModel& m) {
    const std::string name = name_of(m), times = ui::speed_up(m.speedup_at(m.best));
    if (!m.doubt.empty()) return speedup_says("finding.in_doubt"_t, "drafter"_v = name);
    if (m.even && m.close)
        return speedup_says("finding.even"_t, "drafter"_v = name, "times"_v = times, "k"_v = m.best); // whatever the length
    if (m.even) return speedup_says("finding.noise"_t, "drafter"_v = name, "times"_v = times, "k"_v = m.best);
    if (m.speedup_at(m.best) <= 1) return speedup_says("finding.loses"_t, "drafter"_v = name);
    if (m.as_fast.size() > 1 && m.alike)
        return speedup_says("finding.alike"_t, "drafter"_v = name, "lengths"_v = as_fast_words(m), "times"_v = times);
    if (m.as_fast.size() > 1)
        return speedup_says("finding.close"_t, "drafter"_v = name, "times"_v = times, "k"_v = m.best, "lengths"_v = as_fast_words(m));
    return speedup_says("finding.best"_t, "drafter"_v = name, "times"_v = times, "k"_v = m.best);
}

// A text that ends soon has no round with so many guesses.
std::string lengths_words(const SpeedupModel& m) {
    const int all = !m.measuring && m.points.size() < kMeasuredLengths ? static_cast<int>(kMeasuredLengths) : 0;
    return speedup_says("words.lengths"_t, "lengths"_v = m.points.size(), "measuring"_v = m.measuring, "of"_v = m.stopped ? 0 : all,
                        "stopped"_v = m.stopped ? all : 0);
}

// Why the best length is faster than plain decoding. The levers have one cost and one chance for every guess;
// what was measured has those of the first one, which are the reason where the mean ones are none.
std::string why_it_pays(const SpeedupModel& m) {
    const std::string alpha = ui::probability(m.levers.alpha);
    const double each = m.levers.draft + m.levers.verify, first_costs = each + m.levers.block;
    if (!m.measured() && m.levers.alpha >= first_costs)
        return speedup_says("why.one_pays"_t, "alpha"_v = alpha, "cost"_v = ui::number(first_costs, 2));
    if (!m.measured()) return speedup_says("why.block_pays"_t, "alpha"_v = alpha, "cost"_v = ui::number(first_costs, 2));
    const auto cost = [&](int k) { return m.draft_cost(k) + m.verify_cost(k) - 1; };
    const double brings = m.tokens_at(1) - 1;
    // A wider pass may by chance have been the quicker one.
    const std::string first_cost = cost(1) < 0.005 ? "" : ui::number(cost(1), 2), gain = ui::number(brings, 2);
    if (brings >= cost(1))
        return speedup_says("why.first_pays"_t, "gain"_v = gain, "cost"_v = first_cost, "mean_would_not"_v = m.levers.alpha <= each,
                            "alpha"_v = alpha, "each"_v = ui::number(each, 2));
    const int further = m.best - 1;
    const double more = (m.tokens_at(m.best) - m.tokens_at(1)) / further, dearer = std::max(0.0, (cost(m.best) - cost(1)) / further);
    return speedup_says("why.further_pay"_t, "gain"_v = gain, "cost"_v = first_cost, "more"_v = ui::number(more, 2),
                        "dearer"_v = ui::number(dearer, 2), "once"_v = dearer < cost(1) / 2);
}

// Where one number for all places misleads most.
int miss_at(const SpeedupModel& m) { return std::max(1, one_number_miss(m).k); }

// What the picture of a beat shows; empty: the finding.
std::string beat_title(const SceneInput& input, const SpeedupModel& m) {
    switch (input.beat) {
    case 0: return speedup_says("levers.title"_t);
    case kSpeedupTokensBeat:
        return speedup_says("tokens.title"_t, "one"_v = ui::number(m.levers.tokens(1), 2),
                            "sixteen"_v = ui::number(m.levers.tokens(16), 2));
    case kSpeedupCostBeat: return speedup_says("cost.title"_t);
    case kSpeedupPlacesBeat: {
        const OneNumberMiss miss = one_number_miss(m);
        if (miss.k == 0) return speedup_says("places.title:unmeasured"_t);
        if (miss.matters()) return speedup_says("places.title:misses"_t, "percent"_v = ui::number(100 * miss.by, 0), "k"_v = miss.k);
        return speedup_says("places.title:enough"_t, "percent"_v = ui::number(100 * miss.by, 1));
    }
    default: return "";
    }
}

// Which lengths are the best, as far as these rounds can tell.
std::string best_length_words(const SpeedupModel& m) {
    const std::string times = ui::speed_up(m.speedup_at(m.best));
    if (m.as_fast.size() < 2) return speedup_says("words.best:one"_t, "k"_v = m.best, "times"_v = times);
    if (m.alike)
        return speedup_says("words.best:alike"_t, "lengths"_v = as_fast_words(m), "k"_v = m.best, "times"_v = times, "even"_v = m.even);
    return speedup_says("words.best:close"_t, "lengths"_v = as_fast_words(m), "k"_v = m.best, "times"_v = times, "even"_v = m.even);
}

Words best_words(const SpeedupModel& m) {
    if (m.server) return speedup_says.beat("best:server"_t);
    if (m.table) return speedup_says.beat("best:table"_t);
    if (!m.doubt.empty()) return speedup_says.beat("best:in_doubt"_t, "doubt"_v = m.doubt);
    const std::string best = best_length_words(m);
    if (m.outrun) return speedup_says.beat("best:outrun"_t, "best"_v = best);
    if (m.even) return speedup_says.beat("best:even"_t, "best"_v = best);
    if (m.speedup_at(m.best) <= 1) return speedup_says.beat("best:loses"_t, "best"_v = best);
    return speedup_says.beat("best:pays"_t, "best"_v = best, "why"_v = why_it_pays(m));
}

Words places_words(const SpeedupModel& m) {
    if (!m.measured()) return speedup_says.beat("places:unmeasured"_t);
    const std::string alpha = ui::probability(m.levers.alpha);
    const OneNumberMiss miss = one_number_miss(m);
    if (!miss.matters())
        return speedup_says.beat("places:enough"_t, "alpha"_v = alpha, "k"_v = miss.k, "percent"_v = ui::number(100 * miss.by, 1));
    const int k = miss_at(m);
    return speedup_says.beat("places:misses"_t, "first"_v = ui::probability(m.stays.front()), "places"_v = m.stays.size(),
                             "last"_v = ui::probability(m.stays.back()), "few"_v = m.judged.back() < kEnoughRounds ? m.judged.back() : 0,
                             "alpha"_v = alpha, "k"_v = k, "mean"_v = ui::number(m.levers.tokens(k), 2),
                             "by_place"_v = ui::number(m.tokens[static_cast<std::size_t>(k) - 1], 2),
                             "seen"_v = m.point(k) ? ui::number(m.tokens_at(k), 2) : "");
}

Words beat_words(const SceneInput& input, const SpeedupModel& m, int beat) {
    switch (beat) {
    case 0: return speedup_says.beat("levers"_t, "sum"_v = speedup_sum(m).words);
    case kSpeedupTokensBeat: {
        const bool fails = m.levers.alpha < 1;
        const double limit = fails ? 1 + m.levers.drafts * m.levers.alpha / (1 - m.levers.alpha) : 0;
        return speedup_says.beat("tokens"_t, "alpha"_v = ui::probability(m.levers.alpha), "share"_v = share_words(m.levers),
                                 "k"_v = m.marked, "marked"_v = ui::number(m.levers.tokens(m.marked), 2),
                                 "sixteen"_v = ui::number(m.levers.tokens(16), 2), "limit"_v = fails ? ui::number(limit, 1) : "");
    }
    case kSpeedupCostBeat:
        return speedup_says.beat("cost"_t, "drafting"_v = drafting_words(m.levers), "row"_v = in_passes(m.levers.verify));
    case kSpeedupBestBeat: return best_words(m);
    case kSpeedupPlacesBeat: return places_words(m);
    default: {
        const PrintedTable table = printed_table(input.figures);
        if (table.rows.empty()) return speedup_says.beat("printed:missing"_t);
        return speedup_says.beat("printed:table"_t, "wrong"_v = table.wrong, "cells"_v = table.cells);
    }
    }
}

} // namespace

SpeedupSum speedup_sum(const SpeedupModel& m) {
    SpeedupSum sum;
    const double tokens = m.tokens_at(m.marked), draft = m.draft_cost(m.marked), verify = m.verify_cost(m.marked);
    const double unit = m.in_ms() ? m.plain_ms : 1;
    sum.result = ui::speed_up(tokens / (draft + verify));
    sum.decimals = equation_decimals(tokens, unit, draft * unit, verify * unit, m.in_ms() && unit < 1 ? 3 : 2);
    const auto number = [&](double value) { return ui::number(value, sum.decimals); };
    sum.words = number(tokens) + (m.in_ms() ? " tokens × " + number(unit) + " ms ÷ (" : " tokens ÷ (") + number(draft * unit) + " + " +
                number(verify * unit) + (m.in_ms() ? " ms) = " : " passes) = ") + sum.result;
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
    const std::string k = std::to_string(m.marked), alpha = ui::probability(m.levers.alpha);
    const bool one = m.levers.drafts >= 1;
    switch (input.beat) {
    case kSpeedupTokensBeat: {
        const std::string sum = std::string("tokens = ") + (one ? "" : "1 + share × [") + "(1 − α^(K+1)) ÷ (1 − α)" + (one ? "" : " − 1]"),
                          value = " = " + ui::number(m.levers.tokens(m.marked), 2);
        const std::string same = "Assumes that every guess stays with the same chance α";
        return {{sum + value + "   for α = " + alpha + ", K = " + k, sum + value, sum},
                {same + ", whatever its place and whatever stayed before it (Leviathan et al. 2023, equation 1).",
                 same + ", whatever stayed before it (Leviathan et al. 2023).", same + " (Leviathan 2023).", same + ".",
                 "Assumes one chance α for every guess."}};
    }
    case kSpeedupPlacesBeat: {
        const OneNumberMiss miss = one_number_miss(m);
        const std::string sum = "tokens = 1 + α₁ + α₁α₂ + … + α₁…α_K", places = "αᵢ: the share of guesses at place i that stay";
        SpeedupFormula words{
            {sum, "1 + α₁ + α₁α₂ + … + α₁…α_K"},
            {places + " once all before them stayed. Nothing is assumed of how they compare; they are those of this prompt.",
             places + " once all before them stayed, in this prompt.", places + " once those before did.", places + "."}};
        if (miss.k == 0) return words;
        const std::string value = sum + " = " + ui::number(m.tokens[static_cast<std::size_t>(miss.k) - 1], 2),
                          where = value + "   for K = " + std::to_string(miss.k);
        words.formula.insert(words.formula.begin(), {where + "; with one α " + ui::number(m.levers.tokens(miss.k), 2), where, value});
        return words;
    }
    case 0:
    case kSpeedupCostBeat:
    case kSpeedupBestBeat: {
        const SpeedupSum sum = speedup_sum(m);
        const std::string formula = "speed-up = tokens × plain pass ÷ (draft + verify)";
        return {{formula + " = " + sum.words, formula + " = " + sum.result, formula, "tokens × plain pass ÷ (draft + verify)",
                 "tokens × plain ÷ (draft + verify)"},
                {"Assumes one text at a time, and that a round does nothing but draft and verify.",
                 "Assumes one text at a time, in rounds of draft and verify only.", "Assumes one text at a time."}};
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
    const auto found = [&](const auto& words) {
        if (title.title.empty()) title.title = words();
    };
    const std::string gain = m.speedup_at(m.best) > 1 ? ui::speed_up(m.speedup_at(m.best)) : "";
    title.tier = ui::Tier::sim;
    switch (m.source) {
    case Source::study:
        found([&] { return finding(m); });
        title.subtitle = speedup_says("subtitle.measured"_t, "in_its_place"_v = in_its_place(m), "lengths"_v = lengths_words(m),
                                      "outrun"_v = m.outrun, "doubt"_v = m.outrun ? "" : m.doubt);
        title.tier = ui::Tier::live;
        break;
    case Source::run:
        found([&] {
            return speedup_says("title.run"_t, "doubt"_v = m.doubt, "gain"_v = m.doubt.empty() ? gain : "", "k"_v = m.best,
                                "loses"_v = m.doubt.empty() && gain.empty());
        });
        title.subtitle = speedup_says("subtitle.run"_t, "k"_v = input.whole->header->k, "doubt"_v = m.doubt);
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
        title.subtitle = speedup_says("subtitle.hand"_t, "own"_v = m.source == Source::hand);
        break;
    }
    return title;
}

Story speedup_story(const SceneInput& input, const SpeedupModel& m) {
    Story story = story_at_beat(input, kSpeedupBeats);
    const Words words = beat_words(input, m, story.step - 1);
    story.heading = words.heading;
    story.text = words.text;
    const RunStudy study = speedup_study(input);
    if (!study.runs.empty()) {
        story.task = speedup_says("words.task"_t);
        story.task_done = !m.points.empty() && !m.measuring && !m.stopped;
        story.on_task = {Command{study}};
    }
    return story;
}

std::string as_fast_words(const SpeedupModel& m) {
    const auto at = [&](int k) { return std::ranges::find(m.points, k, &SpeedupPoint::k) - m.points.begin(); };
    const auto n = static_cast<std::ptrdiff_t>(m.as_fast.size());
    if (n < 2) return speedup_says("words.alike:one"_t, "k"_v = m.best);
    if (n > 2 && at(m.as_fast.back()) - at(m.as_fast.front()) == n - 1) // nothing measured between is left out
        return speedup_says("words.alike:range"_t, "from"_v = m.as_fast.front(), "to"_v = m.as_fast.back());
    if (n > 3) return speedup_says("words.alike:many"_t, "lengths"_v = n);
    std::string lengths;
    for (std::ptrdiff_t i = 0; i < n; ++i)
        lengths += (i == 0 ? "" : i + 1 == n ? shared_says("words.and"_t) : ", ") + std::to_string(m.as_fast[static_cast<std::size_t>(i)]);
    return speedup_says("words.alike:listed"_t, "lengths"_v = lengths);
}

std::string speedup_description(const SceneInput& input, const SpeedupModel& m) {
    std::ostringstream out;
    const StageTitle title = speedup_title(input, m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(shown_tier(input, title.tier)) << "\n\n";
    out << "Chance that a guess stays " << ui::probability(m.levers.alpha) << share_words(m.levers) << "; drafting costs "
        << drafting_words(m.levers) << ", a further row " << in_passes(m.levers.verify) << "\n";
    for (int k = 1; k <= kLongestDraft; ++k) {
        const auto i = static_cast<std::size_t>(k - 1);
        if (!m.known(k)) continue;
        out << "K = " << k << (k == m.marked ? " (marked)" : "");
        if (i < m.tokens.size()) out << ": " << ui::number(m.tokens[i], 2) << " tokens per round, " << ui::speed_up(m.speedup[i]);
        if (const SpeedupPoint* p = m.point(k))
            out << "; measured " << ui::number(p->tokens, 2) << " in " << counted(p->rounds, "round") << ", draft "
                << ui::number(p->draft, 3) << ", head " << ui::number(p->head, 3) << ", verify " << ui::number(p->verify, 3) << " ms, "
                << ui::speed_up(p->speedup) << " (" << ui::number(p->low, 2) << " to " << ui::number(p->high, 2)
                << (p->few() ? ", few rounds)" : ")");
        out << "\n";
    }
    if (!m.stays.empty()) {
        out << "Stays by position:";
        for (std::size_t i = 0; i < m.stays.size(); ++i)
            out << (i ? ", " : " ") << i + 1 << ": " << ui::probability(m.stays[i]) << " of " << m.judged[i]
                << (m.judged[i] < kEnoughRounds ? " (few)" : "");
        out << "\n";
    }
    out << "Round: " << speedup_sum(m).words << "\n";
    const SpeedupFormula formula = speedup_formula(input, m);
    if (!formula.formula.empty()) out << "Formula: " << formula.formula.front() << "\n" << formula.assumption.front() << "\n";
    if (!printed_table_on_stage(input)) {
        out << "\n" << describe_story(input, speedup_story(input, m));
        return out.str();
    }
    const PrintedTable table = printed_table(input.figures);
    if (!table.rows.empty()) {
        out << "Published, " << table.source << ", tokens per round (formula where it differs):\n";
        for (const PrintedRow& row : table.rows) {
            out << "  " << ui::probability(row.alpha) << ":";
            for (std::size_t c = 0; c < row.printed.size(); ++c) {
                out << "  K = " << table.columns[c] << " " << ui::number(row.printed[c], 2);
                if (!same_printed(row.printed[c], row.formula[c])) out << " (" << ui::number(row.formula[c], 2) << ")";
            }
            out << "\n";
        }
    }
    out << "\n" << describe_story(input, speedup_story(input, m));
    return out.str();
}

} // namespace speclens
