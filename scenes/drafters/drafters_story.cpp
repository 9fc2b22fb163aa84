// Words of the drafters scene: title, five beats, and the frame as text.
#include <algorithm>
#include <sstream>

#include "engine/rules/verify.h"
#include "scenes/drafters/drafters_model.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

// The row with the largest or smallest value among those that have one; null: none has.
template <class Value>
const DrafterRow* extreme(const DraftersModel& m, Value value, bool largest) {
    const DrafterRow* found = nullptr;
    for (const DrafterRow& row : m.rows) {
        if (value(row) <= 0) continue;
        if (!found || (largest ? value(row) > value(*found) : value(row) < value(*found))) found = &row;
    }
    return found;
}

int played(const DraftersModel& m) {
    return static_cast<int>(
        std::ranges::count_if(m.rows, [](const DrafterRow& row) { return row.guesses() > 0; }));
}

int answered(const DraftersModel& m) {
    return static_cast<int>(
        std::ranges::count_if(m.rows, [](const DrafterRow& row) { return row.round() != nullptr; }));
}

// Those that were asked and found nothing to propose. Without room for a guess nobody was.
int silent(const DraftersModel& m) {
    return m.no_room ? 0 : answered(m) - played(m);
}

std::string dice(const Header& header) {
    return header.sampling.temperature == 0 ? std::string("greedy")
                                            : "T = " + temperature_words(header.sampling.temperature) +
                                                  ", seed " + std::to_string(header.seed);
}

// The rule that judges at the run's temperature.
const RuleInfo& rule_of_run(const DraftersModel& m) {
    const RuleInfo* rule = find_rule(m.header->rule);
    return rule_at(rule ? *rule : rule_list().front(), m.header->sampling);
}

std::string best_names(const DraftersModel& m) {
    std::string text;
    for (std::size_t i = 0; i < m.best.size(); ++i)
        text += (i == 0                   ? ""
                 : i + 1 == m.best.size() ? " and "
                                          : ", ") +
                in_sentence(m.rows[static_cast<std::size_t>(m.best[i])].title);
    return text;
}

// "Eleven of the 12 shown have guessed here, one found nothing to propose."
std::string guessed_words(const DraftersModel& m) {
    const int guessed = played(m);
    const std::string who = guessed == 0 ? "None" : capital(number_word(guessed));
    return who + " of the " + std::to_string(m.rows.size()) + " shown " + (guessed < 2 ? "has" : "have") +
           " guessed here" +
           (m.no_room       ? ": there was room for one token only."
            : silent(m) > 0 ? ", " + number_word(silent(m)) + " found nothing to propose."
                            : ".");
}

// Who brought the most tokens, and who brought least.
std::string outcome_words(const DraftersModel& m) {
    if (m.no_room) return "Here there was room for that one only, whoever drafts";
    const int count = static_cast<int>(m.best.size());
    const DrafterRow* least = extreme(
        m, [](const DrafterRow& row) { return static_cast<double>(row.tokens); }, false);
    const std::string who = count > 4 ? capital(number_word(count)) + " drafters" : capital(best_names(m));
    return who + (count == 1 ? " brings " : " bring ") + counted(m.most, "token") + " here" +
           (least && least->tokens < m.most
                ? ", " + in_sentence(least->title) + " only " + std::to_string(least->tokens)
                : "");
}

Words beat_words(const DraftersModel& m, int beat) {
    switch (beat) {
    case 0:
        return {"One judge, many guessers",
                (m.text_tokens == 0
                     ? "No text stands before this round. Every drafter gets"
                     : "Every drafter gets the same " + counted(m.text_tokens, "token") + " and") +
                    std::string(" the same dice, and the target judges each in one pass. ") +
                    (keeps_target(rule_of_run(m), m.header->rule_params)
                         ? std::string("Whoever guesses, the law of the text stays the target's. ")
                         : "This run judges with " + std::string(rule_of_run(m).title) +
                               ", which is not lossless: the text depends on who guesses. ") +
                    "What differs is how many guesses stay, and what they cost. " + guessed_words(m)};
    case 1: {
        int free = 0;
        for (const DrafterRow& row : m.rows) free += row.info->needs == DrafterNeeds::nothing;
        const auto bytes = [](const DrafterRow& row) {
            return row.guess ? static_cast<double>(row.guess->bytes) : 0;
        };
        const DrafterRow* most = extreme(m, bytes, true);
        std::string text =
            capital(number_word(free)) + " of these " + (free == 1 ? "needs" : "need") +
            " no weights at all: copying from the text, or running the target in part." +
            (free < static_cast<int>(m.rows.size()) ? " The others bring a model or a trained head." : "");
        if (most) text += " The largest here is " + in_sentence(most->title) + " with " + drafter_needs(*most) + ".";
        return {"What must be stored",
                text + " A tree needs no more weights than its chain, only more rows."};
    }
    case 2: {
        const auto ms = [](const DrafterRow& row) { return row.guess ? row.draft_ms : 0; };
        const DrafterRow *fast = extreme(m, ms, false), *slow = extreme(m, ms, true);
        if (!fast || fast == slow)
            return {"What a guess costs",
                    std::string("Drafting time decides as much as good guesses. Here ") +
                        (m.no_room ? "there was no room for a guess, so nobody was timed."
                                   : "it is not measured for several drafters yet.")};
        return {"What a guess costs",
                "Fastest is " + in_sentence(fast->title) + " with " + guess_ms(fast->draft_ms) + " ms, slowest " +
                    in_sentence(slow->title) + " with " + guess_ms(slow->draft_ms) +
                    " ms. Drafters that work token by token pay for every guess; a block or a "
                    "set of heads is one pass, however many they guess."};
    }
    case 3: {
        if (m.most == 0) return {"What came of it", "No round is over yet."};
        const std::string text =
            "A round brings the guesses that stay, and one token of the target. " + outcome_words(m);
        return {"What came of it",
                text + ". In a chain, all guesses behind the first refusal are lost, also good ones."};
    }
    default:
        return {"No best drafter",
                "This is one round. Text that repeats itself suits lookup; little memory suits layer "
                "skip; many requests over time pay for training a head. Another round may tell another "
                "story; the "
                "averages stand in the race."};
    }
}

} // namespace

std::string drafters_empty_words(const DraftersModel& m) {
    return m.empty == DraftersModel::Empty::no_run
               ? "What each drafter would guess will stand here once a run has begun."
               : "Nothing has been drafted yet: step on, or wait for the run.";
}

StageTitle drafters_title(const SceneInput& input, const DraftersModel& m) {
    StageTitle title;
    title.tier = tier_of(input.whole->header);
    title.title = "Where drafts come from";
    if (m.empty != DraftersModel::Empty::no) return title;
    if (m.asking)
        title.title = "Asking every drafter…";
    else if (m.guesses && m.no_room)
        title.title = "No room for a guess here";
    else if (m.guesses && played(m) == 0 && answered(m) > 0)
        title.title = "Nobody found anything to propose";
    else if (m.guesses && m.best.size() == 1)
        title.title = capital(in_sentence(m.rows[static_cast<std::size_t>(m.best[0])].title)) +
                      " brings the most here: " + counted(m.most, "token");
    else if (m.guesses && m.best.size() > 1)
        title.title = (static_cast<int>(m.best.size()) == answered(m)
                           ? "All " + number_word(answered(m))
                           : capital(number_word(static_cast<int>(m.best.size()))) + " of " +
                                 std::to_string(answered(m))) +
                      " drafters bring " + counted(m.most, "token") + " here";
    title.subtitle =
        "round " + std::to_string(m.cycle->cycle + 1) + " · " +
        (m.text_tokens == 0 ? std::string("nothing") : "the same " + counted(m.text_tokens, "token")) +
        " before it · " + dice(*m.header);
    if (m.guesses) title.subtitle += " · time: best of " + std::to_string(kGuessTries) + " replays";
    return title;
}

Story drafters_story(const SceneInput& input, const DraftersModel& m) {
    Story story = story_at_beat(input, kDraftersBeats);
    const int beat = story.step - 1;
    if (m.empty != DraftersModel::Empty::no) {
        story.heading = "Waiting for a draft";
        story.text = drafters_empty_words(m);
        return story;
    }
    const Words words = beat_words(m, beat);
    story.heading = words.heading;
    story.text = words.text;
    if (beat + 1 == kDraftersBeats && m.can_ask) {
        story.task = "Look at the next round: Shift+→";
        story.task_done = (input.deeds & (deed_bit(Deed::stepped) | deed_bit(Deed::scrubbed))) != 0;
        story.on_task = {Go{Move::cycle}};
    }
    return story;
}

std::string drafters_description(const SceneInput& input, const DraftersModel& m) {
    std::ostringstream out;
    const StageTitle title = drafters_title(input, m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(title.tier) << "\n\n";
    for (std::size_t i = 0; i < m.rows.size(); ++i) {
        const DrafterRow& row = m.rows[i];
        out << row.title << (row.of_run ? ", drafts this run" : "")
            << (static_cast<int>(i) == m.selected ? ", selected" : "") << ": needs " << drafter_needs(row)
            << ". ";
        if (const CycleSummary* round = row.round()) {
            out << "Guesses";
            for (const int at : row.shown) {
                const DraftSlot& slot = round->drafts[static_cast<std::size_t>(at)];
                out << " " << quoted(*input.trace, slot.draft->token) << " "
                    << (slot.state == DraftSlot::State::accepted    ? "kept"
                        : slot.state == DraftSlot::State::rejected  ? "refused"
                        : slot.state == DraftSlot::State::discarded ? "discarded"
                                                                    : "not judged")
                    << (at == row.shown.back() ? "" : ",");
            }
            out << (row.shown.empty() ? " none. " : ". ");
        }
        out << drafter_round_words(input, m, row) << "\n";
        for (const std::string& fact : drafter_facts(input, m, row)) out << "  " << fact << "\n";
        if (const std::string words = drafter_published_words(input, row); !words.empty())
            out << "  " << words << "\n";
    }
    if (const DrafterRow* row = m.row())
        out << "\n" << row->info->title << ": " << drafter_how(row->name()) << "\n";
    out << "Shown: " << drafter_filter_names()[static_cast<std::size_t>(m.filter)] << "\n";
    out << describe_story(drafters_story(input, m));
    return out.str();
}

} // namespace speclens
