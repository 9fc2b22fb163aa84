// Words of the drafters scene: what is said about a drafter (how it guesses in this engine, what it reads and stores,
// what its round brought), title, five beats, and the frame as text.
#include <algorithm>
#include <map>
#include <sstream>

#include "engine/published/published_words.h"
#include "engine/drafters/drafter.h"
#include "engine/rules/verify.h"
#include "scenes/drafters/drafters_draw.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

std::string span_words(const SceneInput& input, int start, int count) {
    std::string bytes;
    const auto& tokens = input.whole->tokens;
    for (int i = start; i < start + count && i < static_cast<int>(tokens.size()); ++i)
        bytes += input.trace->text(tokens[static_cast<std::size_t>(i)].id);
    return ui::token_words(bytes);
}

std::string list_of(const std::vector<int>& numbers) {
    std::string text;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        text += (i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ") + std::to_string(numbers[i]);
    return text;
}

std::string taps_words(const GuessRow& guess, int layers) {
    if (guess.taps.size() == 1 && guess.taps[0] == layers)
        return "It reads the target's last state, after the final norm.";
    return "Its config reads the outputs of " + std::string(guess.taps.size() == 1 ? "layer " : "layers ") +
           list_of(guess.taps) + ", of 0 to " + std::to_string(layers - 1) + ".";
}

std::string plan_words(const LayerPlan& plan, int layers) {
    if (plan.full()) return "";
    std::string text;
    if (plan.exit_layer >= 0 && plan.exit_layer < layers)
        text = "It runs layers 0 to " + std::to_string(plan.exit_layer - 1) +
               "; left out: " + counted(layers - plan.exit_layer, "layer") + " of " + std::to_string(layers) +
               ".";
    if (!plan.skip_attention.empty())
        text += (text.empty() ? "" : " ") + ("Attention left out in " + list_of(plan.skip_attention) + ".");
    if (!plan.skip_mlp.empty())
        text += (text.empty() ? "" : " ") + ("MLP left out in " + list_of(plan.skip_mlp) + ".");
    return text;
}

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
                         ? std::string("Whoever guesses, the distribution of the text stays the target's. ")
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

const std::vector<std::string>& drafter_filter_names() {
    static const std::vector<std::string> kNames = {"All", "No head to train", "No extra memory",
                                                    "Works at T > 0"};
    return kNames;
}

std::string drafter_needs(const DrafterRow& row) {
    if (row.guess && row.guess->bytes > 0) {
        const double bytes = static_cast<double>(row.guess->bytes);
        return bytes < 1e6   ? ui::number(bytes / 1e3, 0) + " kB"
               : bytes < 1e7 ? ui::number(bytes / 1e6, 1) + " MB"
                             : ui::megabytes(bytes);
    }
    return row.info->needs == DrafterNeeds::nothing ? "nothing"
           : row.info->needs_network()              ? "a head"
                                                    : "a model";
}

std::string guess_ms(double ms) {
    if (ms <= 0) return "–";
    return ms < 0.0005 ? "<0.001" : ui::number(ms, ms < 0.095 ? 3 : 2);
}

std::string drafter_how(const std::string& drafter) {
    const DrafterInfo* info = find_drafter(drafter);
    return info ? info->how : "";
}

std::vector<std::string> drafter_facts(const SceneInput& input, const DraftersModel& model,
                                       const DrafterRow& row) {
    std::vector<std::string> facts;
    if (const NgramMatch match = ngram_match(row); match.length > 0)
        facts.push_back("Match: the last " +
                        (match.length == 1 ? std::string("token") : counted(match.length, "token")) + ", " +
                        span_words(input, match.start, match.length) + ", stood at token " +
                        std::to_string(match.start) + " before.");
    if (row.guess && model.guesses) {
        const int layers = model.guesses->target_layers;
        if (!row.guess->taps.empty() && layers > 0) facts.push_back(taps_words(*row.guess, layers));
        if (row.info->reads_setting(Setting::exit_layer))
            if (std::string words = plan_words(row.guess->plan, layers); !words.empty())
                facts.push_back(std::move(words));
        if (row.guess->ranks > 0)
            facts.push_back("It ranks " + ui::integer(row.guess->ranks) + " of " +
                            ui::integer(model.header->vocab) + " ids: the others it can never guess.");
    }
    if (!judged_when_warm(*model.header, *row.info))
        facts.push_back("At T > 0 the rule " + model.header->rule + " does not judge its guesses; " +
                        judging_rule(model.header->rule, row.name()) + " does.");
    if (row.round() && row.info->reads_setting(Setting::fr_spec) && !(row.guess && row.guess->ranks > 0))
        facts.push_back("FR-Spec (--fr-spec N) would let it rank the N most frequent ids only: cheaper, and "
                        "blind to the rest.");
    if (row.round() && row.round()->tree)
        facts.push_back(std::to_string(row.guesses()) + " guesses in a tree, the best path shown: " +
                        counted(static_cast<int>(row.shown.size()), "token") + " deep.");
    return facts;
}

std::string drafter_round_words(const SceneInput& input, const DraftersModel& model, const DrafterRow& row) {
    const CycleSummary* round = row.round();
    if (!round) return capital(row.problem) + ".";
    std::string text = "This round: ";
    if (row.guesses() == 0)
        text += model.no_room ? "no room for a guess" : "no guess";
    else
        text += std::to_string(round->accepted) + " of " + std::to_string(row.guesses()) +
                (row.guesses() == 1 ? " guess" : " guesses") + " kept";
    if (round->commit && drops_own_token(*round->commit))
        text += ", and the text ends there";
    else if (round->resample)
        text += ", then the target's own " + word(input, round->resample->token);
    if (row.tokens > 0) text += ": " + counted(row.tokens, "token");
    if (row.draft_ms > 0) text += ", drafted in " + guess_ms(row.draft_ms) + " ms";
    return text + ".";
}

std::string drafter_published_words(const SceneInput& input, const DrafterRow& row) {
    if (row.published.empty() || !input.figures) return "";
    std::vector<std::string> sources;
    for (const PublishedFigure* figure : row.published.figures) {
        const std::string id = input.figures->source_of(*figure).identifier;
        if (std::ranges::find(sources, id) == sources.end()) sources.push_back(id);
    }
    const bool both = std::ranges::count(drafter_list(), row.info->published, &DrafterInfo::published) > 1;
    std::string text = "PUBLISHED: speed-up " + row.published.words() + ", " +
                       counted(static_cast<int>(row.published.figures.size()), "figure") +
                       " on other machines and models" + (both ? ", chains and trees together" : "") +
                       ". Sources: ";
    for (std::size_t i = 0; i < sources.size(); ++i) text += (i ? "; " : "") + sources[i];
    return text + ".";
}

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
    if (input.beat < kDraftersOutcomeBeat && m.guesses && !m.asking && !m.no_room) {
        constexpr const char* kTitles[] = {"One text, one judge: who brings the most?", "What must be stored to guess",
                                           "What a guess costs in time"};
        title.title = kTitles[std::clamp(input.beat, 0, kDraftersOutcomeBeat - 1)];
    } else if (m.asking)
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

namespace {

const char* verdict_word(DraftSlot::State state) {
    switch (state) {
    case DraftSlot::State::accepted: return " kept";
    case DraftSlot::State::rejected: return " refused";
    case DraftSlot::State::discarded: return " discarded";
    default: return " not judged";
    }
}

} // namespace

std::string drafters_description(const SceneInput& input, const DraftersModel& m) {
    std::ostringstream out;
    const StageTitle title = drafters_title(input, m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(title.tier) << "\n\n";
    for (std::size_t i = 0; i < m.rows.size(); ++i) {
        const DrafterRow& row = m.rows[i];
        out << row.title << (row.of_run ? ", drafts this run" : "")
            << (static_cast<int>(i) == m.selected ? ", selected" : "") << ": needs " << drafter_needs(row)
            << ". ";
        const bool told = verdicts_told(input);
        if (const CycleSummary* round = row.round()) {
            out << "Guesses";
            for (const int at : row.shown) {
                const DraftSlot& slot = round->drafts[static_cast<std::size_t>(at)];
                out << " " << quoted(*input.trace, slot.draft->token) << (told ? verdict_word(slot.state) : "")
                    << (at == row.shown.back() ? "" : ",");
            }
            out << (row.shown.empty() ? " none. " : ". ");
        }
        out << (told || !row.round() ? drafter_round_words(input, m, row) : "") << "\n";
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
