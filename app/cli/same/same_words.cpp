#include "app/cli/same/same_words.h"

#include <algorithm>

#include "app/cli/walk_words.h"

namespace speclens::cli {

namespace {

constexpr std::size_t kShownForks = 12;
constexpr int kShownText = 28; // columns of what follows a fork

std::string drafted_words(const MeasuredArm& arm) {
    const auto drafts = drafts_of(arm);
    if (!drafts) return "not told";
    if (drafts->drafted == 0) return "nothing";
    return grouped(drafts->drafted) + ", " + percent(drafts->accepted, drafts->drafted) + " kept" +
           (drafts->per_round ? ", " + number(*drafts->per_round, 2) + " a round" : "");
}

std::string arms_table(const SameMeasured& m, const SameSummary& summary, const Terminal& t) {
    std::size_t widest = 6;
    for (const MeasuredArm& arm : m.arms) widest = std::max(widest, static_cast<std::size_t>(columns(arm.name)));
    const int name = static_cast<int>(std::min<std::size_t>(widest, 40)) + 2;
    constexpr int kDrafted = 34;
    std::string text =
        t.paint(Tone::muted, "  " + pad("", name) + pad("drafted, as the answers tell", kDrafted) + "same as itself  as the first") + "\n";
    const auto count = static_cast<double>(m.prompts.size());
    for (std::size_t arm = 0; arm < m.arms.size(); ++arm) {
        const ArmPair* pair = arm > 0 ? &summary.pairs[arm - 1] : nullptr;
        const double self = pair ? pair->self : summary.pairs.front().self0;
        text += "  " + pad(clip(printable(m.arms[arm].name), name - 2), name) + pad(drafted_words(m.arms[arm]), kDrafted) +
                pad_left(self == 0 ? "always" : percent(1 - self, 1), 14) +
                pad_left(pair ? std::to_string(static_cast<int>(count) - pair->differ) + " of " + number(count, 0) : "–", 14) + "\n";
    }
    return text;
}

std::string margins_line(const ArmPair& pair) {
    std::string line;
    for (std::size_t bin = 0; bin < pair.margins.size(); ++bin) {
        if (pair.margins[bin] == 0) continue;
        const std::string edge = bin < kMarginEdges.size() ? "≤ " + number(kMarginEdges[bin], kMarginEdges[bin] < 0.01 ? 3 : 2)
                                                           : "> " + number(kMarginEdges.back(), 2);
        line += (line.empty() ? "" : ", ") + edge + ": " + std::to_string(pair.margins[bin]);
    }
    return line;
}

std::string pair_text(const SameMeasured& m, const ArmPair& pair, const Terminal& t) {
    if (pair.differ == 0 && !pair.noisy()) return "";
    const auto line = [&](const std::string& words) { return wrap("  " + words, t.prose_width(), 2) + "\n"; };
    const int count = static_cast<int>(m.prompts.size());
    std::string text = line(m.arms[pair.arm].name + ": " + std::to_string(pair.differ) + " of " + counted(count, "text") +
                            " differ (95 %: " + number(100 * pair.share.low, 0) + " to " + number(100 * pair.share.high, 0) +
                            " % of such prompts)" + (pair.place ? ", from token " + number(*pair.place + 1, 0) + " on (median)" : "") +
                            (pair.place_share ? ", after " + number(100 * *pair.place_share, 0) + " % of the text" : "") + ".");
    text +=
        line("Pairs of answers to one prompt that differ: " + number(pair.self0, 3) + " of the first with itself, " + number(pair.self, 3) +
             " of this with itself, " + number(pair.between, 3) + " between them; more than by themselves: " + number(pair.excess, 3) +
             " (95 %: " + number(pair.low, 3) + " to " + number(pair.high, 3) + ").");
    if (const std::string margins = margins_line(pair); !margins.empty())
        text += line("Margins of the re-read text before the fork, nats: " + margins + ".");
    return text;
}

std::string kind_words(const JudgedFork& judged) {
    switch (judged.kind) {
    case ForkKind::near_tie: return "near tie";
    case ForkKind::larger: return "larger than rounding seen on this server";
    case ForkKind::mistake: return "mistake";
    case ForkKind::not_told: break;
    }
    return judged.margin ? "not judged" : "place told, margin not told";
}

std::string side_words(Side side) {
    switch (side) {
    case Side::a: return ", read again it goes on as the first";
    case Side::b: return ", read again it goes on as the other";
    case Side::neither: return ", read again it goes on as neither";
    case Side::unknown: break;
    }
    return "";
}

std::string forks_text(const SameMeasured& m, const Terminal& t) {
    std::string text;
    const auto branch = [](const ForkBranch& b) {
        return b.ended ? std::string("the end") : "\"" + clip(visible(b.rest), kShownText) + "\"";
    };
    std::size_t shown = 0;
    for (const ForkRecord& record : m.forks) {
        if (shown++ == kShownForks) {
            text += "  … and " + std::to_string(m.forks.size() - kShownForks) + " more (--json has all)\n";
            break;
        }
        const JudgedFork& judged = record.judged;
        const Tone tone = judged.kind == ForkKind::mistake    ? Tone::rejected
                          : judged.kind == ForkKind::near_tie ? Tone::accepted
                                                              : Tone::plain;
        const std::string place =
            record.fork.tokens ? "token " + std::to_string(*record.fork.tokens + 1) : "byte " + std::to_string(record.fork.bytes + 1);
        const std::string margin = judged.margin ? std::string(judged.margin->at_least ? " at least " : " ") +
                                                       number(judged.margin->nats, 3) + " nats (± " + number(judged.spread / 2, 3) + ")"
                                                 : "";
        text += "  " + t.paint(tone, "■") + " prompt " + std::to_string(record.prompt + 1) +
                (m.arms.size() > 2 ? ", " + m.arms[record.arm].name : "") + ", " + place + ": " + branch(record.fork.a) + " | " +
                branch(record.fork.b) + "\n    " + t.paint(tone, kind_words(judged)) + margin + side_words(judged.side) + "\n";
    }
    return text;
}

std::string groups_line(const SameMeasured& m, const SameSummary& summary, const Terminal& t) {
    if (m.arms.size() < 3 || summary.groups.empty()) return "";
    std::string text = "Equal texts: ";
    for (std::size_t group = 0; group < summary.groups.size(); ++group) {
        text += group > 0 ? "; apart from these " : "";
        for (std::size_t i = 0; i < summary.groups[group].size(); ++i) text += (i > 0 ? ", " : "") + m.arms[summary.groups[group][i]].name;
    }
    return wrap("  " + text + ".", t.prose_width(), 2) + "\n";
}

} // namespace

std::string comparison_text(const std::string& heading, int max_tokens, const SameMeasured& m, const SameSummary& summary,
                            const Terminal& t) {
    std::string text = t.paint(Tone::strong, "SpecLens same") + " · " + heading + " · " + t.paint(Tone::muted, "[REMOTE]") + "\n";
    const int count = static_cast<int>(m.prompts.size());
    if (count > 0) {
        text += wrap(counted(count, "prompt") + ", " + std::to_string(m.arms.front().answers.front().size()) +
                         " answers each of every arm in turn, temperature 0, at most " + counted(max_tokens, "token") +
                         (m.whole ? "" : "; ended before all prompts were asked"),
                     t.prose_width()) +
                "\n\n" + arms_table(m, summary, t) + groups_line(m, summary, t);
        std::string pairs;
        for (const ArmPair& pair : summary.pairs) pairs += pair_text(m, pair, t);
        if (!pairs.empty()) text += "\n" + pairs;
        if (const std::string forks = forks_text(m, t); !forks.empty()) text += "\n" + forks;
        text += "\n";
    }
    const Tone tone = summary.verdict == SameVerdict::mistake     ? Tone::rejected
                      : summary.verdict == SameVerdict::undecided ? Tone::strong
                                                                  : Tone::accepted;
    return text + t.paint(tone, wrap(summary.sentence, t.prose_width())) + "\n";
}

} // namespace speclens::cli
