// Title, conditions and the full description of the loop scene.
#include <cmath>
#include <sstream>

#include "scenes/loop/loop_draw.h"
#include "scenes/loop/loop_story.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

using ui::probability;

const char* phase_name(Phase phase) {
    switch (phase) {
    case Phase::none:
        return "not started";
    case Phase::prefill:
        return "prefill";
    case Phase::draft:
        return "draft";
    case Phase::verify:
        return "verify";
    case Phase::accept:
        return "check";
    case Phase::resample:
        return "resample";
    case Phase::commit:
        return "commit";
    case Phase::stopped:
        return "stopped";
    case Phase::failed:
        return "failed";
    }
    return "";
}

std::string plural(int n, const char* noun) {
    return number_word(n) + " " + noun + (n == 1 ? "" : "s");
}

std::string finished_title(const LoopModel& model) {
    const int n = model.produced;
    if (model.no_room) return "No room for a guess: one pass, one token";
    if (model.drafted == 0)
        return model.table() ? "Plain decoding: one pass, one token"
                             : "Plain decoding: one expensive pass, one token";
    if (model.tree)
        return "A tree of " + number_word(model.drafted) + (model.drafted == 1 ? " guess" : " guesses") +
               ", one check: " + plural(n, "token");
    if (model.accepted == model.drafted && model.rejected < 0)
        return capital(all_guesses(model.drafted)) + (model.drafted == 1 ? " is kept: " : " kept: ") +
               plural(n, "token") + " from one check";
    if (model.accepted == 0) {
        const bool lost = model.timed() && model.plain_ms > 0 && model.spec_ms() > model.plain_total();
        return std::string("No guess survived: one token") +
               (lost ? ", later than plain decoding" : " from one check");
    }
    const bool cheap = !model.timed() || model.cycle->draft_ms < model.cycle->verify_ms;
    return capital(number_word(model.drafted)) + (cheap && !model.table() ? " cheap" : "") +
           (model.drafted == 1 ? " guess" : " guesses") +
           (model.table() ? ", one check: "
            : cheap       ? ", one expensive check: "
                          : " that cost more than the check: ") +
           plural(n, "token");
}

// What was taken from the drafter on purpose: " · head off".
std::string ablation_words(const Header& run) {
    const DrafterOptions& o = run.options;
    std::string text;
    const auto add = [&](bool is, const std::string& words) {
        if (is) text += " · " + words;
    };
    add(run.draft_ids > 0, "FR-Spec " + std::to_string(run.draft_ids));
    add(!o.conditioning, "no target states");
    add(o.context_last > 0, "last " + counted(o.context_last, "state"));
    add(o.tap_shift != 0,
        "taps " + std::to_string(std::abs(o.tap_shift)) + (o.tap_shift > 0 ? " higher" : " lower"));
    add(!o.correction, "head off");
    add(o.head_pool > 0, "pool of " + std::to_string(o.head_pool));
    add(o.confidence > 0, "confidence " + probability(o.confidence));
    return text;
}

// The law of the own token in the order in which its coin counts: "By number: “ a” .14, others .02, “ the”
// .84".
std::string strip_words(const SceneInput& input, const Resampled& own) {
    std::string text;
    double others = 0;
    const auto add = [&](const std::string& name, double p) {
        text += (text.empty() ? "Its law, by token number: " : ", ") + name + " " + probability(p);
    };
    const auto skip = [&] {
        if (others >= 0.005) add("others", others);
        others = 0;
    };
    for (const Share& share : shares_of(own.top, own.token, own.u)) {
        if (share.id < 0 || (share.p < 0.01 && share.id != own.token)) {
            others += share.p;
            continue;
        }
        skip();
        add(quoted(*input.trace, share.id), share.p);
    }
    skip();
    return own.top.entries.size() < 2 ? std::string() : text + "\n";
}

// The phases of the round that are over; of drafting, what it took so far.
std::string clock_words(const LoopModel& model) {
    std::string text;
    const auto add = [&](const char* phase, double ms) {
        text += (text.empty() ? "" : ", ") + (phase + (" " + model.ms(ms))) + " ms";
    };
    if (model.drafted > 0 || model.ms(model.cycle->draft_ms) != model.ms(0))
        add("drafting", model.cycle->draft_ms);
    if (model.cycle->verify) add("verify", model.cycle->verify_ms);
    if (model.settled) add("rest", model.other_ms);
    return text;
}

} // namespace

const char* coin_caption(const LoopModel& model) {
    switch (model.rule) {
    case RuleKind::greedy:
        return "target's best";
    case RuleKind::match:
        return "target's draw";
    case RuleKind::block:
        return "of the prefix";
    case RuleKind::lenient:
        return "t ÷ (1−l)d";
    case RuleKind::typical:
        return "target > limit";
    case RuleKind::cascade:
        return model.header->rule_params.block ? "of the prefix" : "mixture ÷ d";
    case RuleKind::certain:
        return "t alone";
    case RuleKind::kseq:
        return "t ÷ (rho d)";
    case RuleKind::token:
        break;
    }
    return "min(1, t ÷ d)";
}

std::string saving_words(const LoopModel& model) {
    if (!model.settled || !model.timed() || model.drafted == 0) return {};
    const double spec = model.spec_ms(), plain = model.plain_total();
    // Of the two as they are printed, so that whoever takes one from the other gets this.
    const double digit = std::pow(10, model.ms_decimals());
    const double apart = std::abs(std::round(plain * digit) - std::round(spec * digit)) / digit;
    // One token takes a pass either way: drafting and the rows of the guesses came on top of it. Where that
    // was no longer than a plain pass, it was so by chance.
    if (model.produced < 2) {
        if (plain > 0 && spec > plain && apart > 0) return model.ms(apart) + " ms later than a plain token";
        return "drafting took " + model.ms(model.cycle->draft_ms) + " ms";
    }
    if (plain <= 0) return {};
    return model.ms(apart) + (spec <= plain ? " ms saved, " : " ms lost, ") + ui::speed_up(plain / spec);
}

std::string loop_title(const LoopModel& model) {
    if (!model.header) return "Draft, check, keep what holds";
    if (model.phase == Phase::failed) return "The run failed before this round was done";
    if (!model.cycle) return "Before the first guess";
    if (model.cycle->complete() || model.own) return finished_title(model);
    if (model.judged > 0 && model.tree) {
        const bool kept =
            model.newest >= 0 && model.columns[static_cast<std::size_t>(model.newest)].check->accepted;
        return "Guess " + std::to_string(model.newest + 1) +
               (kept ? has_child(model, model.newest) ? " is kept: its continuations are next" : " is kept"
                : has_sibling(model, model.newest) ? " is rejected: another guess at its place may do"
                                                   : " is rejected");
    }
    if (model.judged > 0) {
        if (model.drafted == 1) return model.rejected >= 0 ? "The guess is rejected" : "The guess is kept";
        if (model.rejected >= 0)
            return "Guess " + std::to_string(model.rejected + 1) + " is rejected, " +
                   (model.accepted == 0 ? std::string("and nothing after it counts")
                                        : number_word(model.accepted) + " before it stand" +
                                              (model.accepted == 1 ? "s" : ""));
        return capital(number_word(model.accepted)) + " of " + number_word(model.drafted) +
               " guesses kept so far";
    }
    if (model.cycle->verify)
        return model.no_room        ? "No room for a guess: the pass yields one token"
               : model.drafted == 0 ? "Nothing was drafted: the pass yields one token"
                                    : "One target pass reads " + all_guesses(model.drafted);
    return capital(number_word(model.drafted)) + (model.drafted == 1 ? " guess" : " guesses") +
           " made, none checked yet";
}

std::string place_words(const LoopModel& model) {
    const std::string number = std::to_string(model.selected + 1);
    if (!model.tree) return "Position " + number;
    return model.selected < model.drafted ? "Guess " + number : "The bonus row";
}

std::string loop_subtitle(const SceneInput& input, const LoopModel& model) {
    if (!model.header)
        return input.status && !input.status->job.empty() ? input.status->job
                                                          : std::string("waiting for a run");
    const Header& h = *model.header;
    std::string text;
    if (model.cycle) text += "round " + std::to_string(model.cycle->cycle + 1) + ", ";
    const bool other =
        model.phase == Phase::resample && model.own && model.own->from != Resampled::From::residual;
    text += !other                                      ? phase_name(model.phase)
            : model.own->from == Resampled::From::bonus ? "bonus token"
                                                        : "the target's own token";
    text += model.plain() ? std::string(" · plain decoding")
                          : " · " + h.drafter + " drafter, " + h.rule + " rule, K = " + std::to_string(h.k);
    text += " · T = " + temperature_words(h.sampling.temperature);
    if (model.greedy) text += " (bars show T = 1)";
    else text += draft_words(h.sampling.temperature, h.draft_sampling.temperature);
    if (h.sampling.top_k > 0) text += " · top-k " + std::to_string(h.sampling.top_k);
    if (h.sampling.top_p < 1) text += " · top-p " + probability(h.sampling.top_p);
    text += ablation_words(h) + " · seed " + std::to_string(h.seed);
    if (model.fast) text += " · no rows recorded (fast mode)";
    return text;
}

std::string loop_description(const SceneInput& input, const LoopModel& model) {
    std::ostringstream out;
    out << loop_title(model) << "\n" << loop_subtitle(input, model) << "\n";
    out << "Data: " << tier_name(tier_of(model.header)) << "\n\n";
    for (std::size_t i = 0; i < model.columns.size(); ++i) {
        const LoopColumn& c = model.columns[i];
        out << "Guess " << i + 1 << ": ";
        if (!c.draft) {
            out << "not made yet\n";
            continue;
        }
        if (model.tree && c.parent >= 0) out << "after guess " << c.parent + 1 << ", ";
        out << quoted(*input.trace, c.draft->token);
        if (c.q) out << ", draft " << probability(*c.q);
        if (c.p) out << ", target " << probability(*c.p);
        if (c.check && c.check->u && throws_coins(model.rule))
            out << ", coin " << compared_probability(*c.check->u) << (c.check->set ? " (set by you)" : "")
                << (*c.check->u < c.check->threshold ? " < " : " ≥ ")
                << compared_probability(std::min(1.0, c.check->threshold));
        if (c.draft->extra == "forced") out << ", put here by you";
        if (model.rule == RuleKind::certain) out << ", counts as certain";
        if (c.check && c.check->goal) out << ", mixture " << probability(std::exp(*c.check->goal));
        if (c.check && c.check->joint) out << ", prefix " << fine_probability(std::exp(*c.check->joint));
        if (c.check && c.check->limit) out << ", limit " << fine_probability(*c.check->limit);
        switch (c.fate) {
        case Fate::accepted:
            out << (c.rescued() ? ": accepted by a later coin" : ": accepted");
            break;
        case Fate::rejected:
            out << ": rejected";
            break;
        case Fate::discarded:
            out << ": discarded unread";
            break;
        case Fate::drafted:
            out << ": not judged yet";
            break;
        case Fate::empty:
            break;
        }
        if (static_cast<int>(i) == model.selected) out << " (selected)";
        out << "\n";
    }
    if (model.cycle && model.cycle->verify) {
        out << "Verify: " << counted(model.cycle->verify->rows, "row");
        if (model.timed()) out << ", " << model.ms(model.cycle->verify_ms) << " ms";
        out << "\n";
    }
    if (model.own) {
        const char* from = model.own_dropped ? "Not used, the text ended before it: "
                           : model.own->from == Resampled::From::residual ? "Resampled from the residual: "
                           : model.own->from == Resampled::From::bonus    ? "Bonus token: "
                                                                          : "The target's own token: ";
        out << from << quoted(*input.trace, model.own->token) << ", probability "
            << probability(std::exp(model.own->p));
        if (model.own->u) out << ", coin " << probability(*model.own->u);
        out << "\n" << strip_words(input, *model.own);
    }
    if (model.cycle && model.timed()) {
        out << "Clock: " << clock_words(model);
        if (model.plain_ms > 0) out << "; plain decoding " << model.ms(model.plain_ms) << " ms per token";
        const std::string saving = saving_words(model);
        if (!saving.empty()) out << "; " << saving;
        out << "\n";
    }
    const LawTable table = [&] {
        const ColumnLaws laws = column_laws(model, model.selected);
        return laws.target.empty() && laws.draft.empty() ? LawTable{}
                                                         : law_table(laws.target, laws.draft, 10);
    }();
    if (!table.rows.empty()) {
        out << "\n" << place_words(model) << ", target and draft:\n";
        for (const LawRow& row : table.rows) {
            out << "  " << (row.id < 0 ? std::string("other") : quoted(*input.trace, row.id)) << ": target "
                << law_number(row.target) << ", draft " << law_number(row.draft) << "\n";
        }
    }
    out << "\n" << describe_story(loop_story(input, model));
    return out.str();
}

} // namespace speclens
