#include "app/cli/same/same_words.h"

#include <algorithm>

#include "remote/same/same_words.h"
#include "ui/stories/story_book.h"

namespace speclens::cli {

namespace {

constexpr std::size_t kShownForks = 12;
constexpr int kShownText = 28; // columns of what follows a fork

std::string arms_table(const SameMeasured& m, const SameSummary& summary, const Terminal& t) {
    const auto cell = [](const Said& said, int width) { return pad_left(message(said), width); };
    int widest = 6;
    for (const MeasuredArm& arm : m.arms) widest = std::max(widest, columns(message(arm.name)));
    const int name = std::min(widest, 40) + 2;
    constexpr int kDrafted = 34, kShare = 14;
    std::string text = t.paint(Tone::muted, "  " + pad("", name) + pad(message(drafted_heading()), kDrafted) +
                                                cell(itself_heading(), kShare) + cell(equal_heading(), kShare)) +
                       "\n";
    for (std::size_t arm = 0; arm < m.arms.size(); ++arm) {
        const ArmPair* pair = arm > 0 ? &summary.pairs[arm - 1] : nullptr;
        text += "  " + pad(clip(printable(message(m.arms[arm].name)), name - 2), name) + pad(message(drafted_said(m.arms[arm])), kDrafted) +
                cell(itself_said(pair ? pair->self : summary.pairs.front().self0), kShare) +
                (pair ? cell(equal_said(m, *pair), kShare) : pad_left("–", kShare)) + "\n";
    }
    return text;
}

std::string line(const Said& said, const Terminal& t) { return said.empty() ? "" : wrap("  " + message(said), t.prose_width(), 2) + "\n"; }

std::string forks_text(const SameMeasured& m, const Terminal& t) {
    std::string text;
    const std::size_t shown = std::min(m.forks.size(), kShownForks);
    for (std::size_t i = 0; i < shown; ++i) {
        const ForkKind kind = m.forks[i].judged.kind;
        const Tone tone = kind == ForkKind::mistake ? Tone::rejected : kind == ForkKind::near_tie ? Tone::accepted : Tone::plain;
        const Said fork = fork_said(m, m.forks[i], [](const std::string& rest) { return clip(visible(rest), kShownText); });
        text += "  " + t.paint(tone, "■") + " " + message(fork) + "\n    " + t.paint(tone, message(judged_said(m.forks[i].judged))) + "\n";
    }
    if (m.forks.size() > shown) text += line(more_forks_said(m.forks.size() - shown), t);
    return text;
}

} // namespace

std::string comparison_text(const std::string& heading, int max_tokens, const SameMeasured& m, const SameSummary& summary,
                            const Terminal& t) {
    std::string text = t.paint(Tone::strong, "SpecLens same") + " · " + heading + " · " + t.paint(Tone::muted, "[REMOTE]") + "\n";
    if (!m.prompts.empty()) {
        text += wrap(message(same_conditions(m, max_tokens)), t.prose_width()) + "\n\n" + arms_table(m, summary, t) +
                line(groups_said(m, summary), t);
        std::string pairs;
        for (const ArmPair& pair : summary.pairs)
            for (const Said& said : pair_said(m, pair)) pairs += line(said, t);
        if (!pairs.empty()) text += "\n" + pairs;
        if (const std::string forks = forks_text(m, t); !forks.empty()) text += "\n" + forks;
        text += "\n";
    }
    const Tone tone = summary.verdict == SameVerdict::mistake     ? Tone::rejected
                      : summary.verdict == SameVerdict::undecided ? Tone::strong
                                                                  : Tone::accepted;
    return text + t.paint(tone, wrap(message(summary.sentence), t.prose_width())) + "\n";
}

} // namespace speclens::cli
