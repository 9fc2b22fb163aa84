// Words of S4: title, twelve beats, and the frame as text.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "scenes/lossless/lossless_faults.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

Words count_words(const LosslessModel& m) {
    if (m.count->drawn == 0) return lossless_says.beat("count:nothing"_t);
    const std::string distance = fine_probability(m.test.total_variation), drawn = ui::integer(m.count->drawn),
                      noise = fine_probability(m.noise);
    if (m.right()) return lossless_says.beat("count:right"_t, "distance"_v = distance, "drawn"_v = drawn, "noise"_v = noise);
    return lossless_says.beat("count:wrong"_t, "distance"_v = distance, "drawn"_v = drawn, "noise"_v = noise);
}

std::string rule_words(const RuleInfo& rule) {
    if (rule.siblings != Siblings::none) return lossless_says("words.rule:tree"_t);
    if (rule.kind == RuleKind::block) return lossless_says("words.rule:block"_t);
    if (rule.kind == RuleKind::match) return lossless_says("words.rule:match"_t);
    return lossless_says("words.rule:token"_t);
}

Words beat_words(const SceneInput& input, const LosslessModel& m, int beat) {
    switch (beat) {
    case 0: return lossless_says.beat("promise"_t);
    case kLosslessProofBeat: return lossless_says.beat("proof"_t);
    case kLosslessDrawBeat: return count_words(m);
    case 3: return lossless_says.beat("mistake"_t);
    case 4: return lossless_says.beat("hiding"_t);
    case 5: return lossless_says.beat("block"_t);
    case 6: return lossless_says.beat("fresh"_t);
    case 7: return lossless_says.beat("peek"_t);
    case 8: return lossless_says.beat("chosen"_t);
    case kLosslessTieBeat:
    case kLosslessCacheBeat: return fault_words(input, fault_of(beat));
    default: {
        const std::vector<GreedyRow> rows = greedy_rows(input);
        return lossless_says.beat("asterisk"_t, "drafters"_v = rows.size(), "same"_v = std::ranges::count_if(rows, same_text));
    }
    }
}

} // namespace

StageTitle lossless_title(const LosslessModel& m) {
    StageTitle title;
    title.tier = ui::Tier::table;
    title.tier_words = lossless_says("words.exact"_t);
    const long n = m.count->drawn;
    if (n == 0)
        title.title = lossless_says("title.nothing"_t, "mistake"_v = m.right() ? "" : m.rule->title);
    else if (m.caught())
        title.title = lossless_says("title.caught"_t, "texts"_v = ui::integer(m.count->caught));
    else
        title.title = lossless_says("title.drawn"_t, "drawn"_v = ui::integer(n), "one"_v = n == 1, "right"_v = m.right());
    std::string tested;
    if (!m.count->looks.empty()) {
        const LosslessCount::Look& last = m.count->looks.back();
        tested = lossless_says("words.tested"_t, "at"_v = last.drawn < n ? ui::integer(last.drawn) : "",
                               "p"_v = last.p_value < kLosslessAlarm ? "" : fine_probability(last.p_value));
    }
    title.subtitle = lossless_says("subtitle.counted"_t, "rule"_v = rule_words(*m.rule), "mistake"_v = !m.right(), "k"_v = kToyDrafts,
                                   "distance"_v = n > 0 ? fine_probability(m.test.total_variation) : "",
                                   "noise"_v = fine_probability(m.noise), "tested"_v = tested, "eager"_v = m.rule->kind == RuleKind::block);
    return title;
}

StageTitle greedy_title(const SceneInput& input) {
    const std::vector<GreedyRow> rows = greedy_rows(input);
    StageTitle title;
    title.title = rows.empty() ? lossless_says("asterisk.title:awaited"_t)
                               : lossless_says("asterisk.title:told"_t, "same"_v = std::ranges::count_if(rows, same_text),
                                               "drafters"_v = rows.size());
    title.subtitle = lossless_says("asterisk.subtitle"_t);
    return title;
}

namespace {

// The proof itself is what its beat shows, as long as nothing was drawn: whether the two bars come to the target's.
StageTitle proof_title(const LosslessModel& m) {
    StageTitle title = lossless_title(m);
    double off = 0;
    for (const ProofRow& row : proof_rows(*m.rule)) off = std::max(off, std::abs(row.kept + row.replaced - row.target));
    title.title = lossless_says("proof.title"_t, "off"_v = off > 1e-9 ? fine_probability(off) : "");
    return title;
}

} // namespace

StageTitle lossless_stage_title(const SceneInput& input, const LosslessModel& m) {
    if (const PlantedFault fault = fault_of(input.beat); fault != PlantedFault::none) return fault_title(input, fault);
    if (input.beat == kLosslessGreedyBeat) return greedy_title(input);
    if (input.beat == kLosslessProofBeat && m.count->drawn == 0) return proof_title(m);
    return lossless_title(m);
}

Story lossless_story(const SceneInput& input, const LosslessModel& m) {
    Story story = story_at_beat(input, kLosslessBeats);
    const Words words = beat_words(input, m, story.step - 1);
    story.heading = words.heading;
    story.text = words.text;
    if (const int beat = story.step - 1; beat >= kLosslessGreedyBeat) {
        const PlantedFault fault = fault_of(beat);
        const bool faults = fault != PlantedFault::none;
        const RunStudy study = faults ? fault_study(input, fault) : greedy_study(input);
        if (!study.runs.empty()) {
            story.task = faults ? lossless_says("words.fault_task"_t) : lossless_says("asterisk.task"_t);
            story.task_done = faults ? faulty_text(input, fault).has_value() : !greedy_rows(input).empty();
            story.on_task = {Command{study}};
        }
    } else if (story.step > 2) {
        story.task = lossless_says("words.task"_t);
        story.task_done = m.count->drawn >= 1000;
    }
    return story;
}

namespace {

std::string greedy_lines(const SceneInput& input) {
    std::string lines;
    for (const GreedyRow& row : greedy_rows(input)) {
        lines += "Greedy, " + row.drafter + ": ";
        if (!row.problem.empty())
            lines += row.problem;
        else if (row.differs_at < 0)
            lines += "the same " + counted(row.tokens, "token") + " as plain decoding";
        else
            lines += "differs at token " + std::to_string(row.differs_at + 1);
        lines += "\n";
    }
    return lines;
}

} // namespace

std::string lossless_description(const SceneInput& input, const LosslessModel& m, const LosslessState& state) {
    std::ostringstream out;
    const StageTitle title = lossless_stage_title(input, m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(shown_tier(input, title.tier)) << "\n\n";
    const PlantedFault shown = fault_of(input.beat);
    if (shown != PlantedFault::none) out << fault_description(input, shown) << "\n";
    const bool greedy = input.beat == kLosslessGreedyBeat;
    if (greedy) out << greedy_lines(input) << "\n";
    for (const RuleInfo* rule : lossless_rules()) {
        const auto found = state.counts.find(rule->name);
        out << (rule->lossless() ? "no mistake" : rule->title) << (rule == m.rule ? " (chosen)" : "") << ": ";
        if (found == state.counts.end() || found->second.drawn == 0)
            out << "not drawn\n";
        else
            out << found->second.drawn << " texts, "
                << (found->second.caught > 0 ? "caught at " + std::to_string(found->second.caught) : std::string("not caught")) << "\n";
    }
    out << "\nFirst position, kept + replaced against the target:\n";
    const std::vector<ProofRow> rows = proof_rows(*m.rule);
    for (std::size_t v = 0; v < rows.size(); ++v)
        out << "  " << static_cast<char>('a' + v) << ": " << ui::probability(rows[v].kept) << " + " << ui::probability(rows[v].replaced)
            << " against " << ui::probability(rows[v].target) << " (draft " << ui::probability(rows[v].draft) << ")\n";
    if (m.count->drawn > 0) {
        out << "\nTexts, drawn against exact:\n";
        for (const auto& [text, p] : exact_texts()) {
            const auto found = m.count->texts.find(text);
            out << "  ";
            for (const int id : text) out << static_cast<char>('a' + id);
            out << " "
                << ui::probability(found == m.count->texts.end() ? 0
                                                                 : static_cast<double>(found->second) / static_cast<double>(m.count->drawn))
                << " " << ui::probability(p) << "\n";
        }
    }
    if (!greedy) out << greedy_lines(input);
    for (const PlantedFault fault : {PlantedFault::rounding, PlantedFault::rollback})
        if (fault != shown && faulty_text(input, fault)) out << fault_description(input, fault);
    out << "\n" << describe_story(input, lossless_story(input, m));
    return out.str();
}

} // namespace speclens
