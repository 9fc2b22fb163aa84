// Words of S5: title, six beats, the equation, and the frame as text.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "engine/base/equation.h"
#include "engine/drafters/drafter.h"
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
    if (m.own == kNoDrafter) return "this run drafts nothing; measured here: " + name_of(m);
    if (own && own->tree && m.own.starts_with(m.drafter + "_"))
        return "this run drafts a tree; measured here: its chain";
    return "this run drafts with " + m.own + "; measured here: " + name_of(m);
}

std::string finding(const SpeedupModel& m) {
    const std::string best = counted(m.best, "guess"), times = ui::speed_up(m.speedup_at(m.best));
    if (!m.doubt.empty()) return "What " + name_of(m) + " gains here is in doubt";
    if (m.even && m.close) // whatever the length
        return name_of(m) + " is about as fast as plain decoding here: " + times + " with " + best;
    if (m.even) return name_of(m) + ": " + times + " with " + best + ", within the noise of plain decoding";
    if (m.speedup_at(m.best) <= 1) return name_of(m) + " does not pay here, with any number of guesses";
    if (m.as_fast.size() > 1 && m.alike)
        return name_of(m) + ": " + as_fast_words(m) + " are about as fast here, up to " + times;
    if (m.as_fast.size() > 1)
        return name_of(m) + ": " + times + " with " + best + " here; " + as_fast_words(m) +
               " within the noise";
    return name_of(m) + " is fastest here with " + best + ": " + times;
}

// A text that ends soon has no round with so many guesses.
std::string lengths_words(const SpeedupModel& m) {
    const std::string n = number_word(static_cast<int>(m.points.size())) + " draft lengths";
    if (m.measuring) return n + " so far";
    return m.points.size() < kMeasuredLengths
               ? n + " of " + number_word(kMeasuredLengths) + ", it ends too soon for more"
               : n;
}

// Why the best length is faster than plain decoding. The levers have one cost and one chance for every guess;
// what was measured has those of the first one, which are the reason where the mean ones are none.
std::string why_it_pays(const SpeedupModel& m) {
    const std::string alpha = ui::probability(m.levers.alpha);
    const double each = m.levers.draft + m.levers.verify, first_costs = each + m.levers.block;
    if (!m.measured() && m.levers.alpha >= first_costs)
        return "One guess pays as soon as it stays more often than it costs: " + alpha + " against " +
               ui::number(first_costs, 2) + " passes.";
    if (!m.measured())
        return "One guess alone does not pay: it stays with " + alpha + " and costs " +
               ui::number(first_costs, 2) +
               " passes. The block is paid once a round, so the further ones pay for it.";
    const auto cost = [&](int k) { return m.draft_cost(k) + m.verify_cost(k) - 1; };
    const double brings = m.tokens_at(1) - 1;
    // A wider pass may by chance have been the quicker one.
    const std::string first = "it brings " + ui::number(brings, 2) + " tokens a round and costs " +
                              (cost(1) < 0.005 ? "nothing measurable." : ui::number(cost(1), 2) + " passes.");
    if (brings >= cost(1))
        return "One guess alone pays: " + first +
               (m.levers.alpha > each
                    ? ""
                    : " A mean guess, " + alpha + " for " + ui::number(each, 2) + " passes, would not.");
    const int further = m.best - 1;
    const double more = (m.tokens_at(m.best) - m.tokens_at(1)) / further,
                 dearer = std::max(0.0, (cost(m.best) - cost(1)) / further);
    return "One guess alone does not pay: " + first + " The further ones pay for it, with " +
           ui::number(more, 2) + " tokens each for " + ui::number(dearer, 2) + " passes" +
           (dearer < cost(1) / 2 ? ": most of the first one's cost is paid once a round." : ".");
}

// Where one number for all places misleads most.
int miss_at(const SpeedupModel& m) {
    return std::max(1, one_number_miss(m).k);
}

// What the picture of a beat shows; empty: the finding.
std::string beat_title(const SceneInput& input, const SpeedupModel& m) {
    switch (input.beat) {
    case 0: return "Tokens of a round, divided by what it costs";
    case kSpeedupTokensBeat:
        return "Longer drafts bring less and less: " + ui::number(m.levers.tokens(1), 2) + " tokens with one guess, " +
               ui::number(m.levers.tokens(16), 2) + " with 16";
    case kSpeedupCostBeat: return "Every guess costs a draft and a row of the check";
    case kSpeedupPlacesBeat: {
        const OneNumberMiss miss = one_number_miss(m);
        return miss.k == 0 ? "One chance for all places, or one for each?"
               : miss.matters()
                   ? "One number misses the places by " + ui::number(100 * miss.by, 0) + " % for K = " + std::to_string(miss.k)
                   : "One number is enough here: it misses the places by " + ui::number(100 * miss.by, 1) + " % at most";
    }
    default: return "";
    }
}

Words beat_words(const SceneInput& input, const SpeedupModel& m, int beat) {
    const std::string alpha = ui::probability(m.levers.alpha);
    switch (beat) {
    case 0:
        return {"Two levers", "A round brings some tokens and costs some time. Tokens times a plain pass, "
                              "divided by drafting plus "
                              "verifying: that is the speed-up. Longer drafts raise both sides: " +
                                  speedup_sum(m).words + "."};
    case 1:
        return {"Longer drafts bring less and less",
                "Guess 3 only counts if guesses 1 and 2 stayed. With a chance of " + alpha + " each" +
                    share_words(m.levers) + ", " + counted(m.marked, "guess") +
                    (m.marked == 1 ? " brings " : " bring ") + ui::number(m.levers.tokens(m.marked), 2) +
                    " tokens a round, 16 bring " + ui::number(m.levers.tokens(16), 2) +
                    (m.levers.alpha < 1
                         ? ", and no number brings more than " +
                               ui::number(1 + m.levers.drafts * m.levers.alpha / (1 - m.levers.alpha), 1) +
                               "."
                         : std::string("; nothing ever fails."))};
    case 2:
        return {"Every guess costs", "Drafting costs " + drafting_words(m.levers) +
                                         ", and each row in the verify pass " + in_passes(m.levers.verify) +
                                         " to check. Tokens level off, costs go on growing: somewhere in "
                                         "between lies the best length."};
    case 3: {
        if (m.server || m.table)
            return {"Where it is fastest",
                    m.server
                        ? "Here every pass is a request for log-probabilities, also every single token of "
                          "plain decoding, and no user of the server waits for those: no speed-up to name. "
                          "The curves are the formula alone."
                        : "A table costs nothing to ask, so there is no speed-up to name. The curves are "
                          "the formula alone."};
        if (!m.doubt.empty())
            return {"Where it is fastest", "That is in doubt: " + m.doubt +
                                               ". Tokens per round are certain, they are the same in every "
                                               "repeat; measure the times again when nothing else runs."};
        std::string text = "The best length here is " + std::to_string(m.best) + ", with " +
                           ui::speed_up(m.speedup_at(m.best)) + ". ";
        if (m.as_fast.size() > 1)
            text = (m.alike ? capital(as_fast_words(m)) + " are about as fast here, up to " +
                                  ui::speed_up(m.speedup_at(m.best)) + " with " + std::to_string(m.best) +
                                  ": these rounds cannot tell them apart"
                            : "The most was " + ui::speed_up(m.speedup_at(m.best)) + ", with " +
                                  std::to_string(m.best) + ", but these rounds cannot tell " +
                                  as_fast_words(m) + " apart") +
                   (m.even ? ", nor from plain decoding. " : ". ");
        if (m.outrun) return {"Where it is fastest", text + "A wider pass was quicker, so measure again."};
        if (m.even) return {"Where it is fastest", text + "More rounds would tell more."};
        text +=
            m.speedup_at(m.best) <= 1
                ? "No length makes up for what drafting and the wider check cost: plain decoding is faster."
                : why_it_pays(m);
        return {"Where it is fastest", text};
    }
    case 4:
        if (!m.measured())
            return {"One number is not enough", "The formula takes one chance for all positions. Real "
                                                "drafters differ: some start badly and go on well, others "
                                                "fade. Measure, and the line is drawn position by position."};
        if (const OneNumberMiss miss = one_number_miss(m); !miss.matters())
            return {"One number is enough here",
                    "One mean of " + alpha + " gives nearly the tokens that the places give: they differ most for K = " +
                        std::to_string(miss.k) + ", by " + ui::number(100 * miss.by, 1) +
                        " %. That is a fact of this run. Other drafters start badly and go on well, or fade; then one "
                        "number misleads."};
        return {
            "One number is not enough",
            "Position by position the first guess stays with " + ui::probability(m.stays.front()) +
                ", number " + std::to_string(m.stays.size()) + " with " + ui::probability(m.stays.back()) +
                (m.judged.back() < kEnoughRounds ? " of only " + std::to_string(m.judged.back()) : "") +
                "; their mean is " + alpha + ". They differ most for K = " + std::to_string(miss_at(m)) + ": one mean gives " +
                ui::number(m.levers.tokens(miss_at(m)), 2) + " tokens, the positions " +
                ui::number(m.tokens[static_cast<std::size_t>(miss_at(m)) - 1], 2) +
                (m.point(miss_at(m)) ? ", and " + ui::number(m.tokens_at(miss_at(m)), 2) + " were seen." : ".")};
    default: {
        const PrintedTable table = printed_table(input.figures);
        if (table.rows.empty()) return {"Check what is printed", "The published figures are not at hand."};
        return {"Check what is printed", "An article prints this table beside its formula. " +
                                             std::to_string(table.wrong) + " of its " +
                                             std::to_string(table.cells) +
                                             " cells do not follow from it, most are too high. A number "
                                             "without its formula is a rumour; with it, anyone can check."};
    }
    }
}

} // namespace

SpeedupSum speedup_sum(const SpeedupModel& m) {
    SpeedupSum sum;
    const double tokens = m.tokens_at(m.marked), draft = m.draft_cost(m.marked),
                 verify = m.verify_cost(m.marked);
    const double unit = m.in_ms() ? m.plain_ms : 1;
    sum.result = ui::speed_up(tokens / (draft + verify));
    sum.decimals =
        equation_decimals(tokens, unit, draft * unit, verify * unit, m.in_ms() && unit < 1 ? 3 : 2);
    const auto number = [&](double value) { return ui::number(value, sum.decimals); };
    sum.words = number(tokens) + (m.in_ms() ? " tokens × " + number(unit) + " ms ÷ (" : " tokens ÷ (") +
                number(draft * unit) + " + " + number(verify * unit) +
                (m.in_ms() ? " ms) = " : " passes) = ") + sum.result;
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
        SpeedupFormula words{{sum, "1 + α₁ + α₁α₂ + … + α₁…α_K"},
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
    default:
        return {};
    }
}

StageTitle speedup_title(const SceneInput& input, const SpeedupModel& m) {
    StageTitle title;
    if (printed_table_on_stage(input)) {
        const PrintedTable table = printed_table(input.figures);
        title.title = std::to_string(table.wrong) + " of " + std::to_string(table.cells) +
                      " printed cells miss their own formula";
        title.subtitle = "tokens per round by α and K: (1 − α^(K+1)) ÷ (1 − α)";
        title.tier = ui::Tier::published;
        return title;
    }
    if (const std::string about = beat_title(input, m); !about.empty()) title.title = about;
    const std::string best = counted(m.best, "guess");
    const bool pays = m.speedup_at(m.best) > 1;
    switch (m.source) {
    case Source::study:
        if (title.title.empty()) title.title = finding(m);
        title.subtitle = (m.own.empty() ? std::string() : in_its_place(m) + " · ") + "this prompt, " +
                         lengths_words(m) + "; passes only, nothing else of a round" +
                         (m.outrun            ? " · timing in doubt: a wider pass was quicker"
                          : !m.doubt.empty() ? " · in doubt: " + m.doubt
                                             : "");
        title.tier = ui::Tier::live;
        break;
    case Source::run:
        if (title.title.empty()) title.title =
            !m.doubt.empty() ? "What drafting gains in this run is in doubt"
            : pays ? "With one number for each lever: " + best + ", " + ui::speed_up(m.speedup_at(m.best))
                   : "With these numbers drafting does not pay";
        title.subtitle = "the formula, fed with what the run on screen accepted and cost at K = " +
                         std::to_string(input.whole->header->k) + (m.doubt.empty() ? "" : " · in doubt: " + m.doubt);
        title.tier = ui::Tier::sim;
        break;
    case Source::assumed:
        if (m.server || m.table) {
            if (title.title.empty()) title.title = "No speed-up of this run: " +
                          std::string(m.server ? "its target is a server" : "its target is a table");
            title.subtitle = (m.server ? "here every pass is a request, which no user of the server waits for"
                                       : "a table costs nothing to ask") +
                             std::string(" · the formula, with assumed numbers");
            title.tier = ui::Tier::sim;
            break;
        }
        [[fallthrough]];
    case Source::hand:
        if (title.title.empty()) title.title =
            pays ? "With these numbers " + best + " would be best: " + ui::speed_up(m.speedup_at(m.best))
                 : "With these numbers drafting would not pay";
        title.subtitle =
            m.source == Source::hand ? "the formula, with your numbers" : "the formula, with assumed numbers";
        title.tier = ui::Tier::sim;
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
        story.task = "Measure ten lengths: M";
        story.task_done = !m.points.empty() && !m.measuring;
        story.on_task = {Command{study}};
    }
    return story;
}

std::string as_fast_words(const SpeedupModel& m) {
    const auto at = [&](int k) {
        return std::ranges::find(m.points, k, &SpeedupPoint::k) - m.points.begin();
    };
    const auto n = static_cast<std::ptrdiff_t>(m.as_fast.size());
    if (n < 2) return counted(m.best, "guess");
    if (n > 2 &&
        at(m.as_fast.back()) - at(m.as_fast.front()) == n - 1) // nothing measured between is left out
        return std::to_string(m.as_fast.front()) + " to " + std::to_string(m.as_fast.back()) + " guesses";
    if (n > 3) return std::to_string(n) + " of the lengths";
    std::string words;
    for (std::ptrdiff_t i = 0; i < n; ++i)
        words += (i == 0       ? ""
                  : i + 1 == n ? " and "
                               : ", ") +
                 std::to_string(m.as_fast[static_cast<std::size_t>(i)]);
    return words + " guesses";
}

std::string speedup_description(const SceneInput& input, const SpeedupModel& m) {
    std::ostringstream out;
    const StageTitle title = speedup_title(input, m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(title.tier) << "\n\n";
    out << "Chance that a guess stays " << ui::probability(m.levers.alpha) << share_words(m.levers)
        << "; drafting costs " << drafting_words(m.levers) << ", a further row " << in_passes(m.levers.verify)
        << "\n";
    for (int k = 1; k <= kLongestDraft; ++k) {
        const auto i = static_cast<std::size_t>(k - 1);
        if (!m.known(k)) continue;
        out << "K = " << k << (k == m.marked ? " (marked)" : "");
        if (i < m.tokens.size())
            out << ": " << ui::number(m.tokens[i], 2) << " tokens per round, " << ui::speed_up(m.speedup[i]);
        if (const SpeedupPoint* p = m.point(k))
            out << "; measured " << ui::number(p->tokens, 2) << " in " << counted(p->rounds, "round")
                << ", draft " << ui::number(p->draft, 3) << ", head " << ui::number(p->head, 3) << ", verify "
                << ui::number(p->verify, 3) << " ms, " << ui::speed_up(p->speedup) << " ("
                << ui::number(p->low, 2) << " to " << ui::number(p->high, 2)
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
        out << "\n" << describe_story(speedup_story(input, m));
        return out.str();
    }
    const PrintedTable table = printed_table(input.figures);
    if (!table.rows.empty()) {
        out << "Published, " << table.source << ", tokens per round (formula where it differs):\n";
        for (const PrintedRow& row : table.rows) {
            out << "  " << ui::probability(row.alpha) << ":";
            for (std::size_t c = 0; c < row.printed.size(); ++c) {
                out << "  K = " << table.columns[c] << " " << ui::number(row.printed[c], 2);
                if (!same_printed(row.printed[c], row.formula[c]))
                    out << " (" << ui::number(row.formula[c], 2) << ")";
            }
            out << "\n";
        }
    }
    out << "\n" << describe_story(speedup_story(input, m));
    return out.str();
}

} // namespace speclens
