#include "scenes/loop/loop_guess.h"

#include <cmath>
#include <optional>

#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

using ui::probability;

const char* drafter_noun(const LoopModel& model) {
    const std::string& name = model.header->drafter;
    if (name == "skip") return "layer skip";
    if (name == "small" || name == "small_tree") return "the small draft model";
    return "the drafter";
}

std::string prob(const std::optional<double>& p) {
    return p ? probability(*p) : std::string("less than .01");
}

// What the pass that fills a whole block has to go by.
std::string block_words(const SceneInput& input) {
    const DrafterOptions options = input.settings ? input.settings->options : DrafterOptions{};
    return std::string("One pass filled all slots, ") +
           (options.conditioning ? "from the target's states of the text" : "from the newest token alone");
}

// Who proposes the newest guess, and what it has seen.
std::string how_guessed(const SceneInput& input, const LoopModel& model, const LoopColumn& c) {
    const std::string& drafter = model.header->drafter;
    if (drafter == "dflash") return block_words(input) + ". This slot does not know the other guesses; it";
    if (drafter == "domino" || drafter == "dspark") {
        const bool first = model.drafted == 1;
        // The row before the correction is recorded with the other rows.
        const bool corrected =
            c.draft->top.empty() ? model.head && (drafter == "dspark" || !first) : !c.draft->base_top.empty();
        if (!corrected && model.head && drafter == "domino")
            return block_words(input) + ". A small head corrects the later ones from left to right; this one "
                                        "is as the pass left it and";
        if (!corrected)
            return block_words(input) + ", and no head corrected them: this slot knows none of the other "
                                        "guesses. It";
        if (first)
            return block_words(input) + "; a small head then goes left to right and corrects this one by the "
                                        "token before it. It";
        // Domino's head remembers all guesses so far, DSpark's Markov head looks up the last token alone.
        return block_words(input) +
               "; a small head then went left to right and corrected this slot by " +
               (drafter == "dspark" ? "the guess right before it. It" : "the guesses before it. It");
    }
    if (drafter == "dart")
        return "One pass filled all slots from the target's states of the text, and n-grams say "
               "which of their favourites go together. The slot";
    if (drafter.starts_with("medusa"))
        return "Each head looks further ahead from the target's last state and knows none of the other "
               "guesses. This one";
    return capital(drafter_noun(model)) + " reads the text and its own guesses so far and";
}

// A guess in the law of the draft itself: under some rules its favourites are proposed as if they were
// certain.
struct Guessed {
    int rank = 0; // 1: the likeliest; 0: not among the recorded tokens
    std::optional<double> p;
};
Guessed own_law(const LoopColumn& c) {
    const Top& law = c.draft->raw_top.empty() ? c.draft->top : c.draft->raw_top;
    for (std::size_t i = 0; i < law.entries.size(); ++i)
        if (law.entries[i].id == c.draft->token)
            return {static_cast<int>(i) + 1, std::exp(law.entries[i].logp)};
    return {};
}

} // namespace

std::string guess_words(const SceneInput& input, const LoopModel& model, const LoopColumn& guess) {
    const Drafted& draft = *guess.draft;
    const Guessed own =
        draft.u ? Guessed() : own_law(guess); // a drawn one has its probability in the law it came from
    const std::string how = draft.u ? "The draft coin " + probability(*draft.u) +
                                          " drew it, counting by token number. "
                            : own.rank == 1 ? "It is the most likely token of that law. "
                            : own.rank > 1  ? "It is number " + std::to_string(own.rank) + " of that law. "
                                            : "";
    return how_guessed(input, model, guess) + " gives " + quoted(*input.trace, draft.token) + " " +
           (own.p ? probability(*own.p) : prob(guess.q)) + ". " + how;
}

} // namespace speclens
