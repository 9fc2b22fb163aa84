// Words of the MTP scene: title and eight beats.
#include <algorithm>
#include <utility>

#include "engine/drafters/drafter_info.h"
#include "scenes/mtp/mtp_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/methods.h"

namespace speclens {
namespace {

// The token whose state the first pair has: the one before the newest.
Message before_anchor(const SceneInput& input, const MtpModel& m) {
    int before = -1, last = -1;
    for (const OutputToken& token : input.whole->tokens) {
        if (token.origin != Origin::prompt && token.round >= m.round->round) break;
        before = std::exchange(last, token.id);
    }
    if (last != m.anchor) before = last;
    return word(input, before);
}

Words depth_words(const MtpModel& m) {
    const auto further = "further"_v = if_measured(m.further_guess_ms());
    const auto verify = "verify"_v = if_measured(m.verify_ms);
    const std::optional<double> first = m.kept.series.share(0);
    if (!first) return mtp_says.beat("depth:nothing"_t, further, verify);
    const std::size_t deepest = std::min<std::size_t>(m.kept.series.judged.size(), kMtpGuesses);
    const std::optional<double> last = deepest > 1 ? m.kept.series.share(deepest - 1) : std::nullopt;
    return mtp_says.beat("depth:told"_t, further, verify, "of_run"_v = m.kept.of_run, "first"_v = *first, "deepest"_v = last ? deepest : 0,
                         "last"_v = last);
}

Words cache_words(const MtpMeasured& measured) {
    const auto tokens = [&](MtpVariant variant) {
        const StudyPoint* point = measured.of(variant);
        return point && point->rounds > 0 ? std::optional(point->tokens_per_round()) : std::nullopt;
    };
    const std::optional<double> all = tokens(MtpVariant::all_pairs), own = tokens(MtpVariant::own_pair);
    if (!all || !own) return mtp_says.beat("cache:unmeasured"_t);
    return mtp_says.beat("cache:measured"_t, "all"_v = *all, "unread"_v = tokens(MtpVariant::no_prompt), "own"_v = *own);
}

Words state_words(const MtpMeasured& measured) {
    const std::optional<double> with_norm = kept_share(measured.of(MtpVariant::all_pairs), 0),
                                without = kept_share(measured.of(MtpVariant::raw_state), 0);
    if (!with_norm || !without) return mtp_says.beat("state:unmeasured"_t);
    const auto after = "after"_v = *with_norm;
    const auto before = "before"_v = *without;
    switch (trained_on(measured)) {
    case MtpTrainedOn::after_norm: return mtp_says.beat("state:after"_t, after, before);
    case MtpTrainedOn::before_norm: return mtp_says.beat("state:before"_t, after, before);
    case MtpTrainedOn::unknown: break;
    }
    return mtp_says.beat("state:alike"_t, after, before);
}

Words beside_words(const MtpBeside& beside) {
    std::vector<Said> brought; // by whoever has a round
    for (const MtpBesideRow& row : beside.rows)
        if (row.tokens() > 0)
            brought.push_back(
                mtp_says("heads.brought"_t, "drafter"_v = method_title(row.info->name).words(), "tokens"_v = row.tokens()).said);
    if (brought.empty()) return mtp_says.beat("beside:nothing"_t, "asking"_v = beside.can_ask);
    return mtp_says.beat("beside:told"_t, "brought"_v = brought);
}

Words beat_words(const MtpDraw& d) {
    const MtpModel& m = d.model;
    const Message first = word(d.input, m.slot(0).draft->token);
    switch (d.input.beat) {
    case kMtpPairBeat: return mtp_says.beat("pair"_t, "before"_v = before_anchor(d.input, m), "anchor"_v = word(d.input, m.anchor));
    case kMtpLayerBeat: return mtp_says.beat("layer"_t, "guess"_v = first);
    case kMtpAgainBeat:
        return m.guesses() < 2 ? mtp_says.beat("again:one"_t) : mtp_says.beat("again:more"_t, "guess"_v = first, "guesses"_v = m.guesses());
    case kMtpDepthBeat: return depth_words(m);
    case kMtpCacheBeat: return cache_words(m.measured);
    case kMtpStateBeat: return state_words(m.measured);
    case kMtpBesideBeat: return beside_words(m.beside);
    default:
        if (m.published.empty()) return mtp_says.beat("published:nothing"_t);
        return mtp_says.beat("published:told"_t, "figures"_v = m.published.size());
    }
}

Message beat_title(const MtpDraw& d) {
    const MtpModel& m = d.model;
    switch (d.input.beat) {
    case kMtpPairBeat: return mtp_says("pair.title"_t, "anchor"_v = word(d.input, m.anchor));
    case kMtpLayerBeat: return mtp_says("layer.title"_t, "guess"_v = word(d.input, m.slot(0).draft->token));
    case kMtpAgainBeat: return mtp_says("again.title"_t, "guesses"_v = m.guesses());
    case kMtpDepthBeat: return mtp_says("depth.title"_t, "further"_v = if_measured(m.further_guess_ms()));
    case kMtpCacheBeat: return mtp_says("cache.title"_t);
    case kMtpStateBeat: return mtp_says("state.title"_t);
    case kMtpBesideBeat: return mtp_says("beside.title"_t);
    default: return mtp_says("published.title"_t);
    }
}

} // namespace

StageTitle mtp_title(const MtpDraw& d) {
    StageTitle title{.title = beat_title(d),
                     .subtitle = head_conditions(d.input, d.model, HeadGuess::step),
                     .tier = tier_of(d.model.header),
                     .tier_words = {}};
    if (d.input.beat == kMtpPublishedBeat) {
        title.tier = ui::Tier::published;
        title.subtitle = mtp_says("published.subtitle"_t);
    }
    return title;
}

Story mtp_story(const MtpDraw& d) {
    Story story = story_at_beat(d.input, mtp_says.size);
    take(story, beat_words(d));
    if (d.input.beat >= kMtpDepthBeat && d.input.beat <= kMtpStateBeat && models_loaded(d.input)) {
        const RunStudy plan = mtp_study(*d.model.run);
        const Study* study = study_of(d.input, plan);
        story.task = mtp_says("words.task"_t);
        story.task_done = study && study->complete() && d.input.by_task(plan.name);
        story.on_task = {Command{plan}};
    }
    return story;
}

} // namespace speclens
