// What is said about a drafter: how it guesses in this engine, what it reads and stores, what its round
// brought.
#include <algorithm>
#include <map>

#include "engine/published/published_words.h"
#include "scenes/drafters/drafters_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/tokens.h"

namespace speclens {

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
    static const std::map<std::string, std::string> kHow = {
        {"small", "A smaller model with the same vocabulary writes the guesses one by one. Each guess is a "
                  "pass of it, "
                  "and it keeps a cache of the text of its own."},
        {"small_tree",
         "The small model guesses several tokens for a place instead of one, and goes on from each. The "
         "target judges the whole tree in one pass, with more rows."},
        {"lookup",
         "No network: it finds an earlier place where the same last tokens stand, the longest match first, "
         "and copies what came next. Where nothing repeats it stays silent. Trained “n-gram heads” are "
         "something else: see Medusa."},
        {"skip",
         "The target drafts for itself with part of its layers, and its own output matrix. No weights are "
         "added, and the verify pass overwrites what the draft left in the cache."},
        {"eagle3",
         "One layer goes on from the target's hidden states, fused into one feature. They come from several "
         "depths, not from one layer near the top. Each guess is a pass that reads the last one's output."},
        {"eagle3_tree",
         "The EAGLE-3 head keeps the paths that it finds likeliest by its own probabilities: a tree "
         "whose shape is new in every round."},
        {"dflash",
         "A block of masks is filled in one pass, all guesses at once. Hidden states of the target go into "
         "every layer of the draft. No guess knows what the others became."},
        {"domino",
         "A block in one pass, as with DFlash. Then a small recurrent head corrects each law, left to right, "
         "because it knows what was just drafted."},
        {"dspark",
         "A block in one pass, as with DFlash, corrected by the token right before. Another output says how "
         "sure it is of each guess."},
        {"dart", "The EAGLE-3 layer, with trained masks behind the newest token: one pass guesses for "
                 "several places, and "
                 "none knows the others. A search then hangs the guesses together, where n-grams counted "
                 "beforehand say which follow each other."},
        {"medusa", "Extra heads on the target's last state: beside the next token, which is its own, they "
                   "guess those after it. All at once, and none knows the others' choice. The heads are "
                   "trained; nothing is copied."},
        {"medusa_tree",
         "The best tokens of each Medusa head, combined to a tree of a fixed shape, so that one wrong "
         "favourite does not end the round."},
    };
    const auto found = kHow.find(drafter);
    return found == kHow.end() ? "" : found->second;
}

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

} // namespace

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
        if (row.name() == "skip")
            if (std::string words = plan_words(row.guess->plan, layers); !words.empty())
                facts.push_back(std::move(words));
        if (row.guess->ranks > 0)
            facts.push_back("It ranks " + ui::integer(row.guess->ranks) + " of " +
                            ui::integer(model.header->vocab) + " ids: the others it can never guess.");
    }
    if (!judged_when_warm(*model.header, *row.info))
        facts.push_back("At T > 0 the rule " + model.header->rule + " does not judge its guesses; " +
                        judging_rule(model.header->rule, row.name()) + " does.");
    if (row.round() && has_whole_head(row.name()) && !(row.guess && row.guess->ranks > 0))
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
    const bool both = network_of(row.name()) == "eagle3" || network_of(row.name()) == "medusa";
    std::string text = "PUBLISHED: speed-up " + row.published.words() + ", " +
                       counted(static_cast<int>(row.published.figures.size()), "figure") +
                       " on other machines and models" + (both ? ", chains and trees together" : "") +
                       ". Sources: ";
    for (std::size_t i = 0; i < sources.size(); ++i) text += (i ? "; " : "") + sources[i];
    return text + ".";
}

} // namespace speclens
