// Words of S4: title, six beats, and the frame as text.
#include <algorithm>
#include <sstream>

#include "scenes/lossless/lossless_faults.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

Words beat_words(const SceneInput& input, const LosslessModel& m, int beat) {
    switch (beat) {
    case 0:
        return {"The promise", "Speculative decoding claims to write what the target alone would write. Not "
                               "the same text: with a coin involved two runs need not agree. The same distribution: "
                               "every text as likely as before. A distribution is tested by "
                               "drawing from it, often."};
    case 1:
        return {"Why it holds",
                "A draft stays with target ÷ draft, at most 1: that writes the smaller of the two "
                "chances. The rest comes from the residual, which is what the target has left over. "
                "The two bars add up to the target's distribution, token by token. That is the whole proof "
                "(Chen et al. 2023, theorem 1)."};
    case 2: {
        const std::string measured =
            m.count->drawn == 0 ? "."
            : m.right()         ? ": " + fine_probability(m.test.total_variation) + " after " +
                              ui::integer(m.count->drawn) + ", expected " + fine_probability(m.noise) + "."
                        : ". With the mistake chosen now it is " + fine_probability(m.test.total_variation) +
                              " after " + ui::integer(m.count->drawn) + ", where chance leaves " +
                              fine_probability(m.noise) + ".";
        return {"Counting instead of believing",
                "Texts of three tokens take one to three rounds. Draw some and hold them against the exact "
                "distribution of all 27. Under the right rule the distance shrinks like 1 ÷ √n, near the dashed line "
                "that chance alone leaves" +
                    measured};
    }
    case 3:
        return {"Now with a mistake", "Replacing a rejected draft by a draw from the target looks natural "
                                      "and is wrong: what was kept already had its share. "
                                      "Choose a mistake and draw. The curve leaves the dashed line where the "
                                      "mistake becomes larger than the noise."};
    case 4:
        return {"Which one hides longest?", "A bonus after a rejection at the last position is a mistake of "
                                            "a published listing: it asks whether K tokens were "
                                            "written, and a replacement counts too. The first position is "
                                            "right, so one has to look at whole texts. Guess the order, then "
                                            "draw."};
    case 5:
        return {"A block with the wrong residual", "Block verification keeps a prefix for a share of its chance, and its residual knows that "
                                                   "share. The token rule's residual, put in its place, does not. The first position is "
                                                   "right again; the ones behind it are not. Draw: whole texts tell."};
    case 6:
        return {"Compared with a fresh sample", "Above temperature 0 a draft may be compared with a sample of the target, if that very sample is "
                                                "then written. Who throws it away and draws another one gives likely tokens a second "
                                                "chance. Already the first position is off. Draw and see how soon it is caught."};
    case kLosslessTieBeat:
    case kLosslessCacheBeat:
        return fault_words(input, fault_of(beat));
    default: {
        const std::vector<GreedyRow> rows = greedy_rows(input);
        std::string found = "Here both round alike.";
        if (!rows.empty()) {
            found = "Here " + std::to_string(std::ranges::count_if(rows, same_text)) + " of " +
                    std::to_string(rows.size()) + " drafters gave the plain text.";
        }
        return {"The asterisk", "At temperature 0 one text is right, and it can be compared token by token. "
                                "Proofs speak of exact numbers: where a pass over "
                                "many rows rounds otherwise than one over a single row, a near tie may fall "
                                "the other way. " +
                                    found};
    }
    }
}

} // namespace

StageTitle lossless_title(const LosslessModel& m) {
    StageTitle title;
    title.tier = ui::Tier::table;
    title.tier_words = "exact";
    const long n = m.count->drawn;
    if (n == 0)
        title.title = m.right() ? "Is it really lossless? Draw and count"
                                : std::string(m.rule->title) + ": will it show?";
    else if (m.caught())
        title.title = "Not the target's distribution: caught after " + ui::integer(m.count->caught) + " texts";
    else
        title.title = ui::integer(n) + (n == 1 ? " text" : " texts") +
                      (m.right() ? ", and no difference from the target's distribution was found"
                                 : ", and the mistake still hides");
    const bool tree = m.rule->siblings != Siblings::none;
    const char* rule = tree ? "tree of the draft's favourites" : m.rule->kind == RuleKind::block ? "block verification" : m.rule->kind == RuleKind::match ? "sample match" : "token rule";
    title.subtitle = rule + std::string(m.right() ? "" : " with a mistake on purpose") +
                     ", K = " + std::to_string(kLosslessDrafts) + ", built-in table of three tokens" + (m.rule->kind == RuleKind::block ? ", eager draft" : "");
    if (n > 0)
        title.subtitle += " · distance " + fine_probability(m.test.total_variation) + ", by chance " +
                          fine_probability(m.noise);
    if (m.count->looks.empty()) return title;
    const LosslessCount::Look& last = m.count->looks.back();
    title.subtitle +=
        " · p" + (last.drawn < n ? " at " + ui::integer(last.drawn) : std::string()) +
        (last.p_value < kLosslessAlarm ? std::string(" < .0001") : " = " + fine_probability(last.p_value));
    return title;
}

StageTitle greedy_title(const SceneInput& input) {
    const std::vector<GreedyRow> rows = greedy_rows(input);
    StageTitle title;
    title.title = std::to_string(std::ranges::count_if(rows, same_text)) + " of " +
                  counted(static_cast<int>(rows.size()), "drafter") + " give the plain greedy text";
    title.subtitle = "the loaded models, this prompt, T = 0, token by token against plain decoding";
    return title;
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
            story.task = faults ? "Run it with the fault: M" : "Compare greedy texts: M";
            story.task_done = faults ? faulty_text(input, fault).has_value() : !greedy_rows(input).empty();
            story.on_task = {Command{study}};
        }
    } else if (story.step > 2) {
        story.task = "Draw a thousand texts with C";
        story.task_done = m.count->drawn >= 1000;
    }
    return story;
}

std::string lossless_description(const SceneInput& input, const LosslessModel& m,
                                 const LosslessState& state) {
    std::ostringstream out;
    const StageTitle title = lossless_title(m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(title.tier) << "\n\n";
    for (const RuleInfo* rule : lossless_rules()) {
        const auto found = state.counts.find(rule->name);
        out << (rule->lossless() ? "no mistake" : rule->title) << (rule == m.rule ? " (chosen)" : "") << ": ";
        if (found == state.counts.end() || found->second.drawn == 0)
            out << "not drawn\n";
        else
            out << found->second.drawn << " texts, "
                << (found->second.caught > 0 ? "caught at " + std::to_string(found->second.caught)
                                             : std::string("not caught"))
                << "\n";
    }
    out << "\nFirst position, kept + replaced against the target:\n";
    const std::vector<ProofRow> rows = proof_rows(*m.rule);
    for (std::size_t v = 0; v < rows.size(); ++v)
        out << "  " << static_cast<char>('a' + v) << ": " << ui::probability(rows[v].kept) << " + "
            << ui::probability(rows[v].replaced) << " against " << ui::probability(rows[v].target)
            << " (draft " << ui::probability(rows[v].draft) << ")\n";
    if (m.count->drawn > 0) {
        out << "\nTexts, drawn against exact:\n";
        for (const auto& [text, p] : exact_texts()) {
            const auto found = m.count->texts.find(text);
            out << "  ";
            for (const int id : text) out << static_cast<char>('a' + id);
            out << " "
                << ui::probability(found == m.count->texts.end() ? 0
                                                                 : static_cast<double>(found->second) /
                                                                       static_cast<double>(m.count->drawn))
                << " " << ui::probability(p) << "\n";
        }
    }
    for (const GreedyRow& row : greedy_rows(input))
        out << "Greedy, " << row.drafter << ": "
            << (!row.problem.empty() ? row.problem
                : row.differs_at < 0 ? "the same " + counted(row.tokens, "token") + " as plain decoding"
                                     : "differs at token " + std::to_string(row.differs_at + 1))
            << "\n";
    for (const PlantedFault fault : {PlantedFault::rounding, PlantedFault::rollback})
        if (faulty_text(input, fault)) out << fault_description(input, fault);
    out << "\n" << describe_story(lossless_story(input, m));
    return out.str();
}

} // namespace speclens
