#include "app/cli/walk_words.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "ui/language/language.h"
#include "ui/stories/story_book.h"

namespace speclens::cli {

Mark mark_of(Origin origin) {
    switch (origin) {
    case Origin::prompt: return {"", Tone::muted};
    case Origin::accepted: return {"✓", Tone::accepted};
    case Origin::residual: return {"↻", Tone::residual};
    case Origin::bonus: return {"★", Tone::bonus};
    case Origin::plain: break;
    }
    return {"■", Tone::target};
}

Mark mark_of(const TargetToken& own, bool drafted) {
    if (own.from == TargetToken::From::residual) return mark_of(Origin::residual);
    if (own.from == TargetToken::From::bonus && drafted) return mark_of(Origin::bonus);
    return mark_of(Origin::plain);
}

double at_one(const TopEntries& raw, int token, double otherwise) {
    if (raw.empty()) return otherwise;
    for (const TopEntries::Entry& entry : raw.entries)
        if (entry.id == token) return std::exp(entry.logp);
    return std::min(raw.rest, std::exp(raw.entries.back().logp));
}

std::string ms(double value) { return duration(value, value < 10 ? 2 : 1); }

// Two decimals, or as many digits as it needs: what was set must not read as another value.
std::string setting(double value) {
    const double hundredths = value * 100;
    if (std::abs(hundredths - std::round(hundredths)) < 1e-6 && (value == 0 || hundredths >= 1)) return number(value, 2);
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

std::string coin(double u) { return number(std::min(u, 0.999), 3).substr(1); }

std::string stays_if(double threshold) {
    if (threshold >= 1) return message(walk_said("table.always"_t));
    if (threshold <= 0) return message(walk_said("table.never"_t));
    if (threshold > 0.9995) return message(walk_said("table.nearly"_t)); // .999 would let one coin in a thousand fail
    return threshold < 0.0005 ? "u ≈ 0" : "u < " + ui::in_language(coin(threshold));
}

bool truncated(const RoundSummary& round) {
    return round.commit && static_cast<int>(round.commit->tokens.size()) <= round.commit->accepted_drafts;
}

std::string counted(int n, const std::string& what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

Said sampling_said(const Sampling& s) {
    return walk_said("open.sampling"_t, "temperature"_v = ui::in_language(setting(s.temperature)), "top_k"_v = s.top_k,
                     "top_p"_v = s.top_p < 1 ? std::optional(ui::in_language(setting(s.top_p))) : std::nullopt);
}

} // namespace speclens::cli
