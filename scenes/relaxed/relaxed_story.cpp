// Words of S12: title, six beats, and the frame as text.
#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

#include "engine/drafters/drafter_info.h"
#include "scenes/relaxed/relaxed_draw.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

std::string numbers(const TradeOff& point) {
    return "stays " + ui::probability(point.kept) + ", distance " + ui::probability(point.distance);
}

// Of the guesses, for the title: a room reads it more easily than a probability.
std::string kept_percent(double share) {
    if (share > 0 && share < 0.01) return "under " + ui::percent(0.01);
    if (share < 1 && share >= 0.995) return "over " + ui::percent(0.99);
    return ui::percent(share);
}

std::vector<std::string> rows_besides_token() {
    std::vector<std::string> rules = {"block"};
    for (const RuleInfo* rule : relaxed_rules()) rules.push_back(rule->name);
    return rules;
}

// The chosen rule against the token rule, as measured on this prompt.
struct MeasuredPair {
    SeededRounds rule, token;
    bool more = false, close = true; // more: tokens per round, beyond chance
    std::string verdict() const {
        return relaxed_says("words.verdict"_t, "rule"_v = with_chance(rule), "token"_v = with_chance(token), "close"_v = close);
    }
};
std::optional<MeasuredPair> measured_pair(const SceneInput& input, const RelaxedModel& m, const RelaxedState& state) {
    const Study* study = measured_rules(input);
    if (!study || !study->complete()) return {};
    MeasuredPair pair{measured_rounds(study, m.rule->name, state), measured_rounds(study, "token", state)};
    if (pair.rule.seeds.empty() || pair.token.seeds.empty()) return {};
    pair.more = ratio_of(pair.rule, pair.token).more();
    pair.close = too_close(pair.rule, pair.token);
    return pair;
}

// What the chosen rule brings, beside what was measured with it.
Words worth_words(const SceneInput& input, const RelaxedModel& m, const RelaxedState& state) {
    const std::string title = m.rule->title, lossless = ui::probability(m.lossless.kept), kept = ui::probability(m.here.kept);
    if (m.counted <= 0) return m.positions->empty() ? relaxed_says.beat("worth:nothing"_t) : relaxed_says.beat("worth:unknown"_t);
    if (m.exact()) return relaxed_says.beat("worth:exact"_t, "kept"_v = kept);
    if (m.here.distance == 0 && m.here.kept == 0) return relaxed_says.beat("worth:plain"_t, "rule"_v = title);
    if (m.here.distance == 0) return relaxed_says.beat("worth:free"_t, "rule"_v = title, "kept"_v = kept);
    const auto pair = measured_pair(input, m, state); // says more than the guesses of one run
    const bool more = pair ? pair->more : m.here.kept > m.lossless.kept && kept != lossless, close = pair && pair->close;
    const std::string measured = !pair   ? relaxed_says("words.measured:no"_t)
                                 : close ? relaxed_says("words.measured:close"_t, "verdict"_v = pair->verdict(),
                                                        "more_seeds"_v = more_seeds_words(*measured_rules(input)))
                                         : relaxed_says("words.measured:yes"_t, "verdict"_v = pair->verdict());
    const std::string keeps =
        relaxed_says("words.keeps"_t, "all"_v = m.counted == static_cast<int>(m.positions->size()), "rule"_v = title, "kept"_v = kept,
                     "lossless"_v = kept == lossless ? "" : lossless, "distance"_v = ui::probability(m.here.distance));
    if (more) return relaxed_says.beat("worth:faster"_t, "keeps"_v = keeps, "measured"_v = measured);
    if (close) return relaxed_says.beat("worth:perhaps"_t, "keeps"_v = keeps, "measured"_v = measured);
    return relaxed_says.beat("worth:slower"_t, "keeps"_v = keeps, "measured"_v = measured);
}

Words beat_words(const SceneInput& input, const RelaxedModel& m, const RelaxedState& state, int beat) {
    const bool known = m.counted > 0, all = m.counted == static_cast<int>(m.positions->size());
    switch (beat) {
    case 0:
        return relaxed_says.beat("thrown_away"_t, "here"_v = known && all ? ui::probability(m.lossless.kept) : "",
                                 "heads"_v = known && !all ? ui::probability(m.lossless.kept) : "");
    case 1: return relaxed_says.beat("lenience"_t);
    case 2: return relaxed_says.beat("typical"_t);
    case 3: return relaxed_says.beat("cascades"_t);
    case 4: return relaxed_says.beat("cost"_t, "unchecked"_v = known ? ui::probability(m.draft_alone.distance) : "");
    default: return worth_words(input, m, state);
    }
}

} // namespace

std::string means_over(const RelaxedModel& m) {
    const int judged = static_cast<int>(m.positions->size());
    return relaxed_says("words.means"_t, "counted"_v = m.counted < judged ? std::to_string(m.counted) : "", "judged"_v = judged);
}

std::string left_out_words(const SceneInput& input, const RelaxedModel& m) {
    const int judged = static_cast<int>(m.positions->size());
    if (m.counted == judged) return {};
    const Header& header = *input.whole->header;
    const bool hot = !m.greedy && std::max(header.sampling.temperature, header.draft_sampling.temperature) > 1;
    return relaxed_says("words.left_out"_t, "some"_v = m.counted > 0, "left_out"_v = judged - m.counted, "judged"_v = judged,
                        "most"_v = ui::probability(kMostUnlisted), "hot"_v = hot);
}

std::string tokens_source_words(const SceneInput& input, const RelaxedState& state) {
    if (const Study* study = measured_rules(input); study && !study->points.empty()) {
        const SeededRounds token = measured_rounds(study, "token", state);
        const bool grey = std::ranges::any_of(rows_besides_token(), [&](const std::string& rule) {
            const SeededRounds rounds = measured_rounds(study, rule, state);
            return !rounds.seeds.empty() && too_close(rounds, token);
        });
        return relaxed_says("source.measured"_t, "sample"_v = sample_words(*study), "grey"_v = grey);
    }
    if (!models_loaded(input)) return relaxed_says("source.saved"_t);
    if (!relaxed_study(input, state).runs.empty()) return relaxed_says("source.unmeasured"_t);
    const DrafterInfo* drafter = input.settings ? find_drafter(input.settings->drafter) : nullptr;
    return relaxed_says("source.impossible"_t, "trees"_v = drafter && drafter->tree);
}

TokenNumbers numbers_of(const RelaxedModel& m, std::size_t entry) {
    const DistributionsOfBoth& distributions = m.position()->distributions;
    const auto listed = [&](const Distribution& distribution) { return distribution[entry] > 0 || distribution.back() < 0.005; };
    const auto number = [&](const Distribution& distribution, bool known) {
        return distribution_number(known ? std::optional(distribution[entry]) : std::nullopt);
    };
    return {number(distributions.p, listed(distributions.p)), number(distributions.q, listed(distributions.q)),
            number(m.relaxed.distribution, m.position()->counts() && listed(distributions.p))};
}

namespace {

// How much the rule keeps, and how far that leads away.
void name_kept(StageTitle& title, const RelaxedModel& m) {
    const std::string kept = kept_percent(m.here.kept), strict = kept_percent(m.lossless.kept), price = ui::probability(m.here.distance);
    const std::string instead = kept != strict ? strict : "";
    const int guesses = m.all_count() ? 0 : m.counted;
    const bool alike = std::abs(m.here.kept - m.lossless.kept) < 1e-9, exactly = instead.empty() && alike,
               about = instead.empty() && !alike;
    title.title = relaxed_says("title.keeps"_t, "rule"_v = m.rule->title, "kept"_v = kept, "guesses"_v = guesses, "instead"_v = instead,
                               "exactly"_v = exactly, "about"_v = about, "distance"_v = price);
    title.short_title = relaxed_says("title.keeps_short"_t, "rule"_v = m.rule->title, "kept"_v = kept, "guesses"_v = guesses,
                                     "instead"_v = instead, "exactly"_v = exactly, "about"_v = about, "distance"_v = price);
}

// What the last beats are about: how many tokens come out otherwise, and what that brings.
void name_price(StageTitle& title, const SceneInput& input, const RelaxedModel& m, const RelaxedState& state) {
    const std::string rule = m.rule->title;
    if (input.beat == kRelaxedCostBeat) {
        const std::string distance = ui::probability(m.here.distance), unchecked = ui::probability(m.draft_alone.distance);
        title.title = relaxed_says("cost.title"_t, "rule"_v = rule, "distance"_v = distance, "unchecked"_v = unchecked);
        title.short_title = relaxed_says("cost.short_title"_t, "rule"_v = rule, "distance"_v = distance, "unchecked"_v = unchecked);
    } else if (const auto pair = measured_pair(input, m, state)) {
        title.title = relaxed_says("worth.title:measured"_t, "rule"_v = rule, "verdict"_v = pair->verdict());
    } else {
        title.title = relaxed_says("worth.title:unmeasured"_t, "rule"_v = rule);
    }
}

} // namespace

StageTitle relaxed_title(const SceneInput& input, const RelaxedModel& m, const RelaxedState& state) {
    StageTitle title;
    title.tier = tier_of(input.whole->header);
    if (!m.position()) {
        title.title = relaxed_says("title.nothing"_t);
        title.subtitle = relaxed_says("subtitle.nothing"_t);
        return title;
    }
    const std::string& drafter = input.whole->header->drafter;
    if (m.counted == 0) {
        title.title = relaxed_says("title.short_heads"_t);
        title.subtitle = relaxed_says("subtitle.short_heads"_t, "drafter"_v = drafter, "judged"_v = m.positions->size());
        return title;
    }
    const std::string means = m.all_count() ? "" : relaxed_says("words.means_kept"_t, "means"_v = means_over(m), "stayed"_v = m.stayed);
    if (m.exact()) {
        title.title = relaxed_says("thrown_away.title"_t, "kept"_v = kept_percent(m.lossless.kept));
        title.subtitle = relaxed_says("subtitle.exact"_t, "drafter"_v = drafter, "greedy"_v = m.greedy, "means"_v = means);
        return title;
    }
    if (input.beat >= kRelaxedCostBeat)
        name_price(title, input, m, state);
    else
        name_kept(title, m);
    const bool lossy = !keeps_target(*m.rule, m.params);
    const std::string promise = lossy ? relaxed_says("promise.lossy"_t, "elsewhere"_v = m.here.distance == 0)
                                : m.rule->name == std::string("lenience") ? relaxed_says("promise.lenience"_t)
                                                                          : relaxed_says("promise.alpha"_t);
    title.subtitle = relaxed_says("subtitle.relaxed"_t, "drafter"_v = drafter, "rule"_v = to_text(m.params, *m.rule), "greedy"_v = m.greedy,
                                  "block"_v = m.params.block, "promise"_v = promise, "means"_v = means);
    return title;
}

Story relaxed_story(const SceneInput& input, const RelaxedModel& m, const RelaxedState& state) {
    Story story = story_at_beat(input, kRelaxedBeats);
    const Words words = beat_words(input, m, state, story.step - 1);
    story.heading = words.heading;
    story.text = words.text;
    const RunStudy study = relaxed_study(input, state);
    if (!study.runs.empty()) {
        const Study* done = study_of(input, study);
        story.task = relaxed_says("words.task"_t);
        story.task_done = done && done->complete() && (input.still || input.timed_here);
        story.on_task = {Command{study}};
    }
    return story;
}

std::string relaxed_description(const SceneInput& input, const RelaxedModel& m, const RelaxedState& state) {
    std::ostringstream out;
    const StageTitle title = relaxed_title(input, m, state);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(shown_tier(input, title.tier)) << "\n\n";
    if (const JudgedPosition* position = m.position()) {
        if (const std::string left_out = left_out_words(input, m); m.counted == 0) {
            out << left_out << "\n\n";
        } else {
            out << capital(means_over(m)) << "; of all the run kept " << m.stayed << "\n";
            if (!left_out.empty()) out << left_out << "\n";
            out << "token (lossless)" << (m.exact() ? " (chosen)" : "") << ": " << numbers(m.lossless) << "\n";
            for (const RelaxedCurve& curve : *m.curves)
                out << curve.rule->name << (curve.rule == m.own ? " (this run's rule)" : "") << (curve.rule == m.rule ? " (chosen)" : "")
                    << ": " << numbers(curve.here) << "; from " << numbers(curve.points.front()) << " to " << numbers(curve.points.back())
                    << "\n";
            out << "draft unchecked: " << numbers(m.draft_alone) << "\n\n";
        }
        out << "Round " << position->at.round + 1 << ", guess " << position->at.index + 1 << ", " << quoted(*input.trace, position->drafted)
            << "\n";
        for (std::size_t i = 0; i < position->ids.size(); ++i) {
            const double written = position->counts() ? m.relaxed.distribution[i] : 0;
            if (std::max({position->distributions.p[i], position->distributions.q[i], written}) < 0.01 &&
                position->ids[i] != position->drafted)
                continue;
            const TokenNumbers here = numbers_of(m, i);
            out << "  " << (position->ids[i] < 0 ? std::string("other") : quoted(*input.trace, position->ids[i])) << ": target "
                << here.target << ", draft " << here.draft << ", written " << here.written << "\n";
        }
        if (position->counts() && m.exact())
            out << "Stays here: " << ui::probability(m.strict.kept) << "; what is written follows the target\n";
        else if (position->counts())
            out << "Stays here: " << ui::probability(m.strict.kept) << " lossless, " << ui::probability(m.relaxed.kept)
                << " under the rule; distance " << ui::probability(distance_told(m.relaxed.distribution, position->distributions.p))
                << "\n";
        else
            out << "Stays here: not told, the recorded heads leave out " << ui::probability(position->unlisted) << " of a distribution\n";
        out << capital(tokens_source_words(input, state)) << "\n";
        const Study* study = measured_rules(input);
        std::vector<std::string> rules = rows_besides_token();
        rules.insert(rules.begin(), "token");
        const SeededRounds token = measured_rounds(study, "token", state);
        for (const std::string& rule : rules) {
            const SeededRounds measured = measured_rounds(study, rule, state);
            if (measured.seeds.empty()) continue;
            int rounds = 0;
            for (const SeededRounds::Seed& seed : measured.seeds) rounds += seed.rounds;
            out << "Measured, " << rule << ": " << with_chance(measured) << " tokens per round in " << counted(rounds, "round")
                << (rule != "token" && too_close(measured, token) ? "; too close to the token rule to call" : "") << "\n";
        }
    }
    out << "\n" << describe_story(input, relaxed_story(input, m, state));
    return out.str();
}

} // namespace speclens
