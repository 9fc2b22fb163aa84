// Words of S12: title, six beats, and the frame as text.
#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

#include "engine/drafters/drafter.h"
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
        return with_chance(rule) + " tokens per round, " + with_chance(token) + " by the token rule" +
               (close ? ": too close to call" : "");
    }
};
std::optional<MeasuredPair> measured_pair(const SceneInput& input, const RelaxedModel& m,
                                          const RelaxedState& state) {
    const Study* study = measured_rules(input);
    if (!study || !study->complete()) return {};
    MeasuredPair pair{measured_rounds(study, m.rule->name, state), measured_rounds(study, "token", state)};
    if (pair.rule.seeds.empty() || pair.token.seeds.empty()) return {};
    pair.more = ratio_of(pair.rule, pair.token).more();
    pair.close = too_close(pair.rule, pair.token);
    return pair;
}

Words beat_words(const SceneInput& input, const RelaxedModel& m, const RelaxedState& state, int beat) {
    const std::string lossless = ui::probability(m.lossless.kept), kept = ui::probability(m.here.kept);
    const bool known = m.counted > 0, all = m.counted == static_cast<int>(m.positions->size());
    const std::string where = all ? "In this run" : "Where the heads suffice";
    switch (beat) {
    case 0:
        return {"Right, and thrown away", "Exact checking asks for the target's own word, not for a good one. "
                                          "“Buzz Aldrin is” loses everything to a target that begins "
                                          "“Edwin”, though both are right." +
                                              (known ? " " + where + " a guess stays with probability " +
                                                           lossless + " under the lossless rule."
                                                     : "")};
    case 1:
        return {"Lenience: discount the claim",
                "The draft's probability counts for less, so its guesses look better than they are: min(1, "
                "target ÷ ((1−l) draft)). "
                "At l = 0 nothing changes. At l = 1 whatever the target does not rule out stays, and the "
                "text follows the draft."};
    case 2:
        return {"Typical: likely enough",
                "Medusa's rule throws no coin. A guess stays if the target finds "
                "it likely enough for how unsure it is. "
                "What the draft claims does not matter, and there is no residual "
                "to correct the sum: likely words that the draft offers come out more often, others less."};
    case 3:
        return {"Cascades: who should decide here?",
                "A cascade mixes the two distributions first: where the draft is sure, or as good as the target, its "
                "word counts. Then the "
                "guesses are judged exactly, against the mixture. So the output has a distribution that is known: the "
                "mixture, not the target."};
    case 4:
        return {"What it costs",
                "The distance is the share of tokens that come out otherwise than under the "
                "target: 0 for lossless rules, " +
                    (known ? ui::probability(m.draft_alone.distance) : "all that lies between the two distributions") +
                    " if the draft is not checked at all. It is no measure of quality: "
                    "another token may be as good. That has to be "
                    "tested on answers, not on distributions."};
    default:
        if (!known)
            return {"Not to be told from this run",
                    m.positions->empty()
                        ? "No guess was judged and recorded."
                        : "Too little was recorded of the two distributions to say what any rule keeps here."};
        if (m.here.distance == 0 && m.here.kept == 0)
            return {"Plain decoding, with guesses to pay",
                    "With these numbers and at these places " + std::string(m.rule->title) +
                        " keeps no guess: every round writes one token, drawn from the target's own distribution. "
                        "Move the slider until guesses stay."};
        if (m.here.distance == 0)
            return {"Nothing given away",
                    "With these numbers and at these places " + std::string(m.rule->title) +
                        " writes what the target would, and a guess stays with probability " +
                        ui::probability(m.here.kept) + ". Move the slider to see what more guesses cost."};
        const auto pair = measured_pair(input, m, state); // says more than the guesses of one run
        const bool more = pair ? pair->more : m.here.kept > m.lossless.kept && kept != lossless;
        return {more                  ? "Faster, but of something else"
                : pair && pair->close ? "Something else, and perhaps faster"
                                      : "Something else, and not faster",
                (all ? "Now " : "Where the heads suffice, ") + std::string(m.rule->title) +
                    " keeps a guess with probability " + kept +
                    (kept == lossless ? ", about as often as before" : " instead of " + lossless) +
                    ", at a distance of " + ui::probability(m.here.distance) + ". " +
                    (!pair ? "Measure what that brings in tokens per round, and judge the run so to "
                             "read what it writes."
                     : pair->close
                         ? "Measured: " + pair->verdict() + ". " + more_seeds_words(*measured_rules(input))
                         : "Measured: " + pair->verdict() + ". Judge the run so to read what it writes.")};
    }
}

} // namespace

std::string means_over(const RelaxedModel& m) {
    const int judged = static_cast<int>(m.positions->size());
    return "means over " + (m.counted < judged ? std::to_string(m.counted) + " of " : std::string()) +
           counted(judged, "judged guess");
}

std::string left_out_words(const SceneInput& input, const RelaxedModel& m) {
    const int judged = static_cast<int>(m.positions->size());
    if (m.counted == judged) return {};
    const Header& header = *input.whole->header;
    const bool hot =
        !m.greedy && std::max(header.sampling.temperature, header.draft_sampling.temperature) > 1;
    return (m.counted > 0
                ? counted(judged - m.counted, "guess") + " left out, where the models are less sure: the "
                : "None of " + counted(judged, "judged guess") + " counts: the ") +
           "recorded heads leave out more than " + ui::probability(kMostUnlisted) + " of a distribution. " +
           (hot ? "Lower the temperature, or record whole distributions: " : "Record whole distributions: ") +
           "--trace-top all.";
}

std::string tokens_source_words(const SceneInput& input, const RelaxedState& state) {
    if (const Study* study = measured_rules(input); study && !study->points.empty()) {
        const SeededRounds token = measured_rounds(study, "token", state);
        const bool grey = std::ranges::any_of(rows_besides_token(), [&](const std::string& rule) {
            const SeededRounds rounds = measured_rounds(study, rule, state);
            return !rounds.seeds.empty() && too_close(rounds, token);
        });
        return "tok/round: " + sample_words(*study) + ", ± 95 %" +
               (grey ? ", grey: too close to the token rule to call" : "") + "; stays, dist.: this run.";
    }
    if (!models_loaded(input)) return "tok/round: a saved run cannot be measured.";
    if (!relaxed_study(input, state).runs.empty()) return "tok/round: not measured yet, M does.";
    const DrafterInfo* drafter = input.settings ? find_drafter(input.settings->drafter) : nullptr;
    return std::string("tok/round: ") +
           (drafter && drafter->tree ? "not measured, this run drafts trees and these rules judge chains."
                                     : "not measured, this run drafts no chain.");
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

StageTitle relaxed_title(const SceneInput& input, const RelaxedModel& m) {
    StageTitle title;
    title.tier = tier_of(input.whole->header);
    if (!m.position()) {
        title.title = "Rules that are not lossless, and what they give away";
        title.subtitle = "a run with judged guesses is needed: a drafter, K of 1 or more, rows recorded";
        return title;
    }
    if (m.counted == 0) {
        title.title = "The recorded heads are too short to say what a rule keeps";
        title.subtitle = input.whole->header->drafter + " drafter · 0 of " +
                         counted(static_cast<int>(m.positions->size()), "judged guess") +
                         " can be told; --trace-top all records whole distributions";
        return title;
    }
    const std::string kept = kept_percent(m.here.kept), strict = kept_percent(m.lossless.kept);
    const std::string keeps = std::string(m.rule->title) + " keeps " + kept +
                              (m.all_count() ? " of the guesses" : " of " + counted(m.counted, "guess"));
    const std::string before =
        std::abs(m.here.kept - m.lossless.kept) < 1e-9 ? ", as many as before" : ", about as many as before";
    const std::string price = ui::probability(m.here.distance);
    const std::string drafter = input.whole->header->drafter + " drafter, ",
                      temperature = m.greedy ? " · greedy run: distributions at T = 1" : "",
                      means = m.all_count() ? "" : " · " + means_over(m) + "; of all the run kept " + std::to_string(m.stayed);
    if (input.beat == 0) { // no relaxed rule has been told of yet
        title.title = "The exact rule keeps " + strict + " of these guesses";
        title.subtitle = drafter + "exact rule" + temperature + " · lossless" + means;
        return title;
    }
    title.title =
        keeps + (kept != strict ? " instead of " + strict : before) + "; " + price + " from the target";
    title.short_title = keeps + (kept != strict ? ", not " + strict : before) + "; distance " + price;
    title.subtitle =
        drafter + to_text(m.params, *m.rule) + temperature +
        (m.params.block ? " · counted token by token" : "") +
        (!keeps_target(*m.rule, m.params)
             ? m.here.distance == 0 ? " · NOT lossless elsewhere" : " · NOT lossless"
         : m.rule->name == std::string("lenience") ? " · lossless without lenience"
                                                   : " · lossless at this alpha: nothing is the draft's") +
        means;
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
        story.task = "Measure every rule on this prompt: M";
        story.task_done = done && done->complete();
        story.on_task = {Command{study}};
    }
    return story;
}

std::string relaxed_description(const SceneInput& input, const RelaxedModel& m, const RelaxedState& state) {
    std::ostringstream out;
    const StageTitle title = relaxed_title(input, m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(title.tier) << "\n\n";
    if (const JudgedPosition* position = m.position()) {
        if (const std::string left_out = left_out_words(input, m); m.counted == 0) {
            out << left_out << "\n\n";
        } else {
            out << capital(means_over(m)) << "; of all the run kept " << m.stayed << "\n";
            if (!left_out.empty()) out << left_out << "\n";
            out << "token (lossless): " << numbers(m.lossless) << "\n";
            for (const RelaxedCurve& curve : *m.curves)
                out << curve.rule->name << (curve.rule == m.own ? " (this run's rule)" : "")
                    << (curve.rule == m.rule ? " (chosen)" : "") << ": " << numbers(curve.here) << "; from "
                    << numbers(curve.points.front()) << " to " << numbers(curve.points.back()) << "\n";
            out << "draft unchecked: " << numbers(m.draft_alone) << "\n\n";
        }
        out << "Round " << position->at.cycle + 1 << ", guess " << position->at.index + 1 << ", "
            << quoted(*input.trace, position->drafted) << "\n";
        for (std::size_t i = 0; i < position->ids.size(); ++i) {
            const double written = position->counts() ? m.relaxed.distribution[i] : 0;
            if (std::max({position->distributions.p[i], position->distributions.q[i], written}) < 0.01 &&
                position->ids[i] != position->drafted)
                continue;
            const TokenNumbers here = numbers_of(m, i);
            out << "  "
                << (position->ids[i] < 0 ? std::string("other") : quoted(*input.trace, position->ids[i]))
                << ": target " << here.target << ", draft " << here.draft << ", written " << here.written
                << "\n";
        }
        if (position->counts())
            out << "Stays here: " << ui::probability(m.strict.kept) << " lossless, "
                << ui::probability(m.relaxed.kept) << " under the rule; distance "
                << ui::probability(distance_told(m.relaxed.distribution, position->distributions.p)) << "\n";
        else
            out << "Stays here: not told, the recorded heads leave out "
                << ui::probability(position->unlisted) << " of a distribution\n";
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
            out << "Measured, " << rule << ": " << with_chance(measured) << " tokens per round in "
                << counted(rounds, "round")
                << (rule != "token" && too_close(measured, token) ? "; too close to the token rule to call"
                                                                  : "")
                << "\n";
        }
    }
    out << "\n" << describe_story(relaxed_story(input, m, state));
    return out.str();
}

} // namespace speclens
