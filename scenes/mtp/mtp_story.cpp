// Words of the MTP scene: title, eight beats, and the frame as text.
#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "engine/drafters/drafter_info.h"
#include "engine/published/published_words.h"
#include "scenes/mtp/mtp_draw.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/methods.h"
#include "scenes/shared/published_round.h"
#include "scenes/shared/typical_time.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

std::string share(std::optional<double> p) { return p ? ui::probability(*p) : ""; }

// The token whose state the first pair has: the one before the newest.
std::string before_anchor(const SceneInput& input, const MtpModel& m) {
    int before = -1, last = -1;
    for (const OutputToken& token : input.whole->tokens) {
        if (token.origin != Origin::prompt && token.round >= m.round->round) break;
        before = std::exchange(last, token.id);
    }
    if (last != m.anchor) before = last;
    return word(input, before);
}

std::string share_at(const MtpKept& kept, std::size_t place) {
    const AcceptanceSeries& s = kept.series;
    return place < s.judged.size() && s.judged[place] > 0 ? ui::probability(double(s.kept[place]) / s.judged[place]) : "";
}

Words depth_words(const MtpFrame& f) {
    const MtpModel& m = f.model;
    const double further = f.measured.further_ms() > 0 ? f.measured.further_ms() : m.further_ms;
    const MtpKept kept = mtp_kept(f.input, m, f.measured);
    const std::string cost = further > 0 ? ui::number(further, 2) : "", verify = m.verify_ms > 0 ? ui::number(m.verify_ms, 2) : "";
    const std::string first = share_at(kept, 0);
    if (first.empty()) return mtp_says.beat("depth:nothing"_t, "further"_v = cost, "verify"_v = verify);
    const std::size_t deepest = std::min<std::size_t>(kept.series.judged.size(), kMtpGuesses);
    const std::string last = deepest > 1 ? share_at(kept, deepest - 1) : "";
    return mtp_says.beat("depth:told"_t, "further"_v = cost, "verify"_v = verify, "of_run"_v = kept.of_run, "first"_v = first,
                         "deepest"_v = last.empty() ? 0 : deepest, "last"_v = last);
}

Words cache_words(const MtpFrame& f) {
    const StudyPoint* all = f.measured.of(MtpVariant::all_pairs);
    const StudyPoint* own = f.measured.of(MtpVariant::own_pair);
    const StudyPoint* unread = f.measured.of(MtpVariant::no_prompt);
    if (!all || !own || all->rounds == 0 || own->rounds == 0) return mtp_says.beat("cache:unmeasured"_t);
    return mtp_says.beat("cache:measured"_t, "all"_v = ui::number(all->tokens_per_round(), 2),
                         "unread"_v = unread && unread->rounds > 0 ? ui::number(unread->tokens_per_round(), 2) : "",
                         "own"_v = ui::number(own->tokens_per_round(), 2));
}

Words state_words(const MtpFrame& f) {
    const std::string after = share(kept_share(f.measured.of(MtpVariant::all_pairs), 0)),
                      before = share(kept_share(f.measured.of(MtpVariant::raw_state), 0));
    if (after.empty() || before.empty()) return mtp_says.beat("state:unmeasured"_t);
    switch (trained_on(f.measured)) {
    case MtpTrainedOn::after_norm: return mtp_says.beat("state:after"_t, "after"_v = after, "before"_v = before);
    case MtpTrainedOn::before_norm: return mtp_says.beat("state:before"_t, "after"_v = after, "before"_v = before);
    case MtpTrainedOn::unknown: break;
    }
    return mtp_says.beat("state:alike"_t, "after"_v = after, "before"_v = before);
}

// "MTP brought 3 tokens, EAGLE-3 2 and Medusa 1": whoever has a round.
std::string brought_words(const MtpFrame& f) {
    std::vector<std::string> parts;
    for (const MtpBesideRow& row : f.beside.rows)
        if (row.tokens() > 0)
            parts.push_back(mtp_says("words.brought"_t, "drafter"_v = method_title(row.info->name), "tokens"_v = row.tokens()));
    std::string words;
    for (std::size_t i = 0; i < parts.size(); ++i) words += (i == 0 ? "" : ", ") + parts[i];
    return words;
}

Words beside_words(const MtpFrame& f) {
    const std::string brought = brought_words(f);
    if (brought.empty()) return mtp_says.beat("beside:nothing"_t, "asking"_v = f.beside.can_ask);
    return mtp_says.beat("beside:told"_t, "brought"_v = brought);
}

Words beat_words(const MtpFrame& f) {
    const MtpModel& m = f.model;
    const std::string first = word(f.input, m.slot(0).draft->token), anchor = word(f.input, m.anchor);
    switch (f.input.beat) {
    case kMtpPairBeat: return mtp_says.beat("pair"_t, "before"_v = before_anchor(f.input, m), "anchor"_v = anchor);
    case 1: return mtp_says.beat("layer"_t, "guess"_v = first);
    case kMtpAgainBeat:
        return m.steps() < 2 ? mtp_says.beat("again:one"_t) : mtp_says.beat("again:more"_t, "guess"_v = first, "guesses"_v = m.steps());
    case kMtpDepthBeat: return depth_words(f);
    case kMtpCacheBeat: return cache_words(f);
    case kMtpStateBeat: return state_words(f);
    case kMtpBesideBeat: return beside_words(f);
    default:
        if (f.published.empty()) return mtp_says.beat("published:nothing"_t);
        return mtp_says.beat("published:told"_t, "figures"_v = f.published.size());
    }
}

std::string beat_title(const MtpFrame& f) {
    const MtpModel& m = f.model;
    switch (f.input.beat) {
    case kMtpPairBeat: return mtp_says("pair.title"_t, "anchor"_v = word(f.input, m.anchor));
    case 1: return mtp_says("layer.title"_t, "guess"_v = word(f.input, m.slot(0).draft->token));
    case kMtpAgainBeat: return mtp_says("again.title"_t, "guesses"_v = m.steps());
    case kMtpDepthBeat: {
        const double further = f.measured.further_ms() > 0 ? f.measured.further_ms() : m.further_ms;
        return mtp_says("depth.title"_t, "further"_v = further > 0 ? ui::number(further, 2) : "");
    }
    case kMtpCacheBeat: return mtp_says("cache.title"_t);
    case kMtpStateBeat: return mtp_says("state.title"_t);
    case kMtpBesideBeat: return mtp_says("beside.title"_t);
    default: return mtp_says("published.title"_t);
    }
}

} // namespace

MtpFrame::MtpFrame(const SceneInput& run_on_screen, const SceneInput& seen)
    : run(run_on_screen), input(seen), model(mtp_model(seen)), measured(mtp_measured(run_on_screen)), beside(mtp_beside(run_on_screen)) {
    published = published_speed_ups(run.figures, "mtp").figures;
}

std::string stored_words(const MtpBesideRow& row) {
    if (!row.guess || row.guess->bytes == 0) return "nothing";
    const double bytes = static_cast<double>(row.guess->bytes);
    if (bytes < 1e6) return ui::number(bytes / 1e3, 0) + " kB";
    return bytes < 1e7 ? ui::number(bytes / 1e6, 1) + " MB" : ui::megabytes(bytes);
}

std::string reads_words(const MtpBesideRow& row) {
    const std::string name = row.info->name;
    if (name == "mtp") return mtp_says("words.reads:mtp"_t);
    if (name == "medusa") return mtp_says("words.reads:medusa"_t);
    return mtp_says("words.reads:eagle3"_t, "layers"_v = row.guess ? row.guess->taps.size() : 0);
}

std::string mtp_empty_words(const MtpModel& m) {
    switch (m.empty) {
    case MtpModel::Empty::no_run: return mtp_says("empty.text:no_run"_t);
    case MtpModel::Empty::other_drafter: return other_drafter_words(m, "MTP", mtp_says("empty.what"_t));
    case MtpModel::Empty::no_round: return mtp_says("empty.text:no_round"_t);
    case MtpModel::Empty::no: break;
    }
    return {};
}

StageTitle mtp_title(const MtpFrame& f) {
    StageTitle title;
    title.tier = tier_of(f.input.whole->header);
    if (f.model.empty != MtpModel::Empty::no) {
        title.title = mtp_says("empty.title"_t);
        title.subtitle = mtp_says("empty.subtitle"_t);
        return title;
    }
    title.title = beat_title(f);
    title.subtitle = head_conditions(f.model, HeadGuess::step);
    if (f.input.beat == kMtpPublishedBeat) {
        title.tier = ui::Tier::published;
        title.subtitle = mtp_says("published.subtitle"_t);
    }
    return title;
}

Story mtp_story(const MtpFrame& f) {
    Story story = story_at_beat(f.input, kMtpBeats);
    if (f.model.empty != MtpModel::Empty::no) {
        const bool other = f.model.empty == MtpModel::Empty::other_drafter;
        story.heading = mtp_says("empty.heading"_t, "other"_v = other);
        story.text = mtp_empty_words(f.model);
        if (other) take_beats(story, mtp_says("empty.no_beats"_t));
        return story;
    }
    const Words words = beat_words(f);
    story.heading = words.heading;
    story.text = words.text;
    if (f.input.beat >= kMtpDepthBeat && f.input.beat <= kMtpStateBeat && models_loaded(f.input)) {
        const RunStudy plan = mtp_study(f.run);
        const Study* study = study_of(f.run, plan);
        story.task = mtp_says("words.task"_t);
        story.task_done = study && study->complete() && (f.input.still || f.input.timed_here);
        story.on_task = {Command{plan}};
    }
    stand_in(story, f.model, "MTP");
    return story;
}

namespace {

void describe_steps(std::ostream& out, const MtpFrame& f) {
    const MtpModel& m = f.model;
    for (int i = 0; i < m.steps(); ++i) {
        const DraftSlot& slot = m.slot(i);
        out << "Depth " << i + 1 << (i == m.selected ? " (selected)" : "") << ": reads "
            << (i == 0 ? "the target's state and " + word(f.input, m.anchor)
                       : "its own output and " + word(f.input, m.slot(i - 1).draft->token));
        if (slot.ms > 0) out << ", " << ui::number(slot.ms, 2) << " ms";
        out << "; distribution";
        const TopEntries& top = at_one(*slot.draft);
        for (std::size_t e = 0; e < top.entries.size() && e < 2; ++e)
            out << (e ? ", " : " ") << word(f.input, top.entries[e].id) << " " << ui::probability(std::exp(top.entries[e].logp));
        out << "; draft " << word(f.input, slot.draft->token);
        if (f.verdicts()) out << ", " << fate_words(slot.state);
        out << "\n";
    }
}

void describe_measured(std::ostream& out, const MtpFrame& f) {
    if (!f.measured.times.points.empty()) out << describe_times(std::span(&f.measured.times, 1));
    const char* const names[] = {"All pairs", "Without the prompt's pairs", "The last 16 pairs", "Its own pair alone",
                                 "State before the norm"};
    static_assert(std::size(names) == kMtpVariants);
    for (int i = 0; i < kMtpVariants; ++i)
        if (const StudyPoint* point = f.measured.variant[i]) {
            out << names[i] << ": " << ui::number(point->tokens_per_round(), 2) << " tokens per round";
            if (const auto first = kept_share(point, 0)) out << ", first guess stays " << ui::probability(*first);
            out << "\n";
        }
}

void describe_beside(std::ostream& out, const MtpFrame& f) {
    for (const MtpBesideRow& row : f.beside.rows) {
        if (!row.guess) continue;
        out << method_title(row.info->name) << ": " << reads_words(row) << "; stores " << stored_words(row);
        if (row.guess->draft_ms > 0) out << ", " << ui::number(row.guess->draft_ms, 2) << " ms";
        if (!row.round()) {
            out << "; " << row.guess->problem << "\n";
            continue;
        }
        out << ";";
        for (const DraftSlot& slot : row.round()->drafts) {
            const auto q = claimed(*f.run.whole->header, *slot.draft);
            out << " " << quoted(*f.run.trace, slot.draft->token) << " q " << (q ? ui::probability(*q) : "–") << " "
                << fate_words(slot.state) << ",";
        }
        out << " " << counted(row.tokens(), "token") << "\n";
    }
}

} // namespace

std::string mtp_description(const MtpFrame& f) {
    std::ostringstream out;
    const StageTitle title = mtp_title(f);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(shown_tier(f.input, title.tier)) << "\n\n";
    if (f.model.empty == MtpModel::Empty::no) {
        if (f.input.beat == kMtpPublishedBeat) {
            for (const PublishedFigure* figure : f.published)
                out << published_value(*figure) << " " << figure->claim << " (" << published_conditions(*figure) << "); "
                    << published_citation(*figure, f.run.figures->source_of(*figure)) << "\n";
        } else if (f.input.beat == kMtpBesideBeat) {
            describe_beside(out, f);
        } else {
            describe_steps(out, f);
            if (f.model.draft_ms + f.model.verify_ms > 0)
                out << "Clock: draft " << ui::number(f.model.draft_ms, 2) << " ms, verify " << ui::number(f.model.verify_ms, 2) << " ms\n";
            if (f.verdicts()) {
                describe_measured(out, f);
                const MtpKept kept = mtp_kept(f.input, f.model, f.measured);
                if (!kept.series.judged.empty()) out << "Kept by depth, " << describe_acceptance(kept.series);
            }
        }
    }
    out << "\n" << describe_story(f.input, mtp_story(f));
    return out.str();
}

} // namespace speclens
