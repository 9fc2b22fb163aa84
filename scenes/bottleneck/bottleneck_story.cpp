// Words of S1: title, seven beats, and what is known of each model that was timed.
#include <algorithm>
#include <cmath>

#include "engine/base/display_name.h"
#include "engine/lab/pass_bound.h"
#include "engine/published/published_words.h"
#include "scenes/bottleneck/bottleneck_model.h"
#include "scenes/shared/plain_time.h"
#include "scenes/shared/words.h"

namespace speclens {
namespace {

// Of a plain read of as many bytes; nothing where a pass is quicker, which shows that this read is no measure of it, not why.
std::optional<double> share_of_read(const PassTimes& times) {
    const double share = times.read_share(times.passes.front());
    return share <= kWholeBandwidth ? std::optional(share) : std::nullopt;
}

// Of the marked width, where that is more than one token; 0: there is nothing to tell.
int told_width(const PassTimes& times, int marked) { return marked > 1 && pass_factor(times, marked) > 0 ? marked : 0; }

void add_doubt(std::vector<Message>& lines, const PassTimes& times, int marked) {
    if (const Message why = doubt(times, marked); !why.empty()) lines.push_back(bottleneck_says("fact.doubt"_t, "why"_v = why));
}

// What the loaded model does otherwise, and why.
Message beside_words(const BottleneckModel& m) {
    if (m.all().size() < 2 || m.focus != m.beside || pass_factor(*m.times, m.marked) <= 0) return {};
    const bool cached = stays_in_cache(*m.times) && !impossible(*m.times, m.marked);
    return bottleneck_says("words.beside"_t, "model"_v = m.times->model, "size"_v = m.times->weight_bytes,
                           "times"_v = factor_words(*m.times, m.marked), "cached"_v = cached,
                           "arithmetic"_v = cached && bound_of(*m.times) == Bound::arithmetic);
}

// The beat about bytes: the one that speaks of two forms of one shape, by times that can be relied on.
Words form_words(const BottleneckModel& m) {
    if (!m.measured()) return bottleneck_says.beat("forms:unmeasured"_t, "untimed"_v = m.untimed);
    const std::string model = m.all().front()->model;
    if (m.forms.empty() && !m.formless.empty())
        return bottleneck_says.beat("forms:impossible"_t, "model"_v = model, "why"_v = m.formless.front()->problem);
    if (m.forms.empty()) return bottleneck_says.beat("forms:untimed"_t);
    const FormsFinding found = forms_finding(m);
    if (!found.most) return bottleneck_says.beat("forms:in_doubt"_t);
    const Message finding = found.faster && found.dearer ? bottleneck_says("words.bytes:dearer"_t)
                            : found.faster               ? bottleneck_says("words.bytes:faster"_t)
                                                         : bottleneck_says("words.bytes:unknown"_t);
    return bottleneck_says.beat(
        "forms:timed"_t, "bits"_v = bits_of(found.fewest->form), "model"_v = found.most->model, "fewer"_v = found.fewest->weight_bytes,
        "more"_v = found.most->weight_bytes, "fewer_ms"_v = found.fewest->passes.front().ms, "more_ms"_v = found.most->passes.front().ms,
        "rows"_v = found.rows, "fewer_times"_v = found.fewest_factor, "more_times"_v = found.most_factor, "finding"_v = finding);
}

// What can be told of each form, by times that can be relied on; the first one at length.
std::vector<Said> listed_forms(const BottleneckModel& m, const std::vector<const PassTimes*>& steady, bool whole) {
    std::vector<Said> list;
    for (const PassTimes* of : steady) {
        if (m.marked == 1 && of == steady.front()) continue;
        const auto times = "times"_v =
            m.marked == 1 ? of->passes.front().ms / steady.front()->passes.front().ms : pass_factor(*of, m.marked);
        const auto bits = "bits"_v = bits_of(of->form);
        const Message words =
            !list.empty() ? bottleneck_says("words.in_bits:further"_t, times, bits)
            : whole ? bottleneck_says("words.in_bits:whole"_t, times, bits, "whose"_v = m.marked == 1 ? bits_of(steady.front()->form) : 0)
                    : bottleneck_says("words.in_bits:first"_t, times, bits);
        list.push_back(words.said);
    }
    return list;
}

// Title of that beat.
StageTitle form_title(const BottleneckModel& m) {
    StageTitle title;
    if (m.forms.empty()) {
        title.title = bottleneck_says("forms.title:untimed"_t);
        title.subtitle = bottleneck_says("forms.subtitle:untimed"_t, "model"_v = m.all().front()->model,
                                         "why"_v = m.formless.empty() ? ToldReason() : m.formless.front()->problem);
        return title;
    }
    std::vector<Said> forms;
    for (const PassTimes* of : m.forms) forms.push_back(bottleneck_says("words.bits"_t, "bits"_v = bits_of(of->form)).said);
    forms.pop_back();
    title.subtitle = bottleneck_says("forms.subtitle:timed"_t, "model"_v = m.forms.front()->model, "forms"_v = forms,
                                     "last"_v = bits_of(m.forms.back()->form), "context"_v = m.forms.front()->context);
    const std::vector<const PassTimes*> steady = m.steady_forms();
    if (steady.size() < 2) {
        title.title = bottleneck_says("forms.title:in_doubt"_t);
        return title;
    }
    title.title = bottleneck_says("forms.title:timed"_t, "tokens"_v = m.marked, "listed"_v = listed_forms(m, steady, true));
    title.short_title = bottleneck_says("forms.title:short"_t, "tokens"_v = m.marked, "listed"_v = listed_forms(m, steady, false));
    return title;
}

Words question_words(const SceneInput& input, const BottleneckModel& m, const BottleneckState& state) {
    if (m.shown && m.factor(kAsked) > 0) {
        return bottleneck_says.beat("question:told"_t, "verdict"_v = verdict_words(m, state), "tokens"_v = kAsked,
                                    "times"_v = factor_words(*m.focus, kAsked));
    }
    const bool choose = !input.kept, measure = choose && can_measure(input, m);
    if (input.presenter) return bottleneck_says.beat("question:room"_t, "choose"_v = choose, "measure"_v = measure);
    return bottleneck_says.beat("question:asked"_t, "choose"_v = choose, "measure"_v = measure);
}

Words many_words(const BottleneckModel& m) {
    if (!m.measured()) return bottleneck_says.beat("many:unmeasured"_t, "untimed"_v = m.untimed);
    if (m.marked == 1) return bottleneck_says.beat("many:one"_t, "ms"_v = m.one_ms());
    return bottleneck_says.beat("many:wide"_t, "model"_v = m.focus->model, "ms"_v = m.one_ms(), "tokens"_v = m.marked,
                                "wide_ms"_v = m.ms(m.marked), "times"_v = factor_words(*m.focus, m.marked),
                                "rate"_v = m.rate(1) / m.best_rate(), "wide_rate"_v = m.rate(m.marked) / m.best_rate(),
                                "beside"_v = beside_words(m));
}

Words full_words(const BottleneckModel& m) {
    if (!m.measured()) return bottleneck_says.beat("full:unmeasured"_t, "untimed"_v = m.untimed);
    const int cheap = cheap_rows(*m.focus);
    const bool two = m.all().size() > 1 && m.focus == m.beside;
    const std::string model = m.focus->model, other = two ? m.times->model : "";
    const int other_cheap = two ? cheap_rows(*m.times) : 0;
    if (cheap == m.focus->passes.back().rows)
        return bottleneck_says.beat("full:never"_t, "model"_v = model, "tokens"_v = cheap, "other"_v = other,
                                    "other_tokens"_v = other_cheap);
    return bottleneck_says.beat("full:bend"_t, "model"_v = model, "tokens"_v = cheap, "other"_v = other, "other_tokens"_v = other_cheap);
}

Words drafting_words(const BottleneckModel& m) {
    if (!m.measured()) return bottleneck_says.beat("guessing:unmeasured"_t);
    std::vector<Said> costs;
    for (const PassTimes* of : m.all())
        if (pass_factor(*of, 4) > 0)
            costs.push_back(bottleneck_says("words.cost_in"_t, "times"_v = factor_words(*of, 4), "model"_v = of->model).said);
    if (m.leaves_room()) return bottleneck_says.beat("guessing:pays"_t, "costs"_v = costs);
    return bottleneck_says.beat("guessing:costs"_t, "costs"_v = costs, "in_doubt"_v = m.steady().empty());
}

Words beat_words(const SceneInput& input, const BottleneckModel& m, const BottleneckState& state, int beat) {
    switch (beat) {
    case 0: return bottleneck_says.beat("walk"_t, "size"_v = m.measured() ? std::optional(m.times->weight_bytes) : std::nullopt);
    case kQuestionBeat: return question_words(input, m, state);
    case 2: return many_words(m);
    case 3: return full_words(m);
    case 4: return drafting_words(m);
    case kFormsBeat: return form_words(m);
    default: {
        const auto figures = printed_shares(input.figures);
        if (figures.size() < 4) return {shared_says("figures.check"_t), no_figures()};
        return {shared_says("figures.check"_t),
                bottleneck_says("printed.text:told"_t, "loading"_v = value_said(*figures[1]), "computing"_v = value_said(*figures[2]),
                                "moved"_v = value_said(*figures[0]), "derived"_v = value_said(*figures[3]))};
    }
    }
}

// Whoever waits reads how far it is instead of `conditions`, and why the first of `shown` that is in doubt is.
Message noted(const BottleneckModel& m, const Message& conditions, const std::vector<const PassTimes*>& shown) {
    Message why;
    for (const PassTimes* of : shown)
        if (why.empty()) why = doubt(*of, m.marked);
    return bottleneck_says("subtitle.noted"_t, "conditions"_v = m.under_way.empty() ? conditions : m.under_way, "doubt"_v = why);
}

} // namespace

std::vector<Message> model_facts(const PassTimes& times, int marked) {
    const char* form = is_quantised(times.form) ? name_of(times.form) : "";
    if (times.passes.size() < 2)
        return {bottleneck_says("fact.unmeasured"_t, "model"_v = times.model, "form"_v = form),
                bottleneck_says("fact.problem"_t, "problem"_v = times.problem)};
    std::vector<Message> lines = {
        bottleneck_says("fact.model"_t, "model"_v = times.model, "form"_v = form, "weights"_v = times.weight_bytes)};
    if (times.random_weights) lines.push_back(bottleneck_says("fact.random"_t));
    const auto cache = "cache"_v = times.cache_limit;
    const auto share = "share"_v = share_of_read(times);
    switch (impossible(times, marked) ? Bound::neither : bound_of(times)) {
    case Bound::memory: lines.push_back(bottleneck_says("fact.limit:memory"_t, share)); break;
    case Bound::arithmetic: { // nothing of rows where one fills it
        const int fill = static_cast<int>(std::ceil(rows_that_fill(times)));
        lines.push_back(bottleneck_says("fact.limit:arithmetic"_t, cache, "rows"_v = fill <= 1 ? 0 : fill));
        break;
    }
    case Bound::neither:
        if (impossible(times, marked)) break;
        if (stays_in_cache(times))
            lines.push_back(bottleneck_says("fact.limit:cached"_t, cache));
        else if (times.floor_ms() > 0)
            lines.push_back(bottleneck_says("fact.limit:read"_t, share));
        break;
    }
    lines.push_back(bottleneck_says("fact.time"_t, "one"_v = times.passes.front().ms, "tokens"_v = told_width(times, marked),
                                    "times"_v = factor_words(times, marked)));
    if (!impossible(times, marked)) lines.push_back(bottleneck_says("fact.cheap"_t, "tokens"_v = cheap_rows(times)));
    add_doubt(lines, times, marked);
    return lines;
}

std::vector<Message> form_facts(const BottleneckModel& m, const PassTimes& of) {
    const auto bits = "bits"_v = bits_of(of.form);
    const auto form = "form"_v = name_of(of.form);
    if (of.passes.size() < 2)
        return {bottleneck_says("fact.form_unmeasured"_t, bits, form), bottleneck_says("fact.problem"_t, "problem"_v = of.problem)};
    std::vector<Message> lines = {bottleneck_says("fact.form"_t, bits, form, "weights"_v = of.weight_bytes)};
    const PassTimes& most = *m.forms.front();
    if (&of == &most || of.random_weights != most.random_weights)
        lines.push_back(bottleneck_says("fact.form_model"_t, "model"_v = of.model, "random"_v = of.random_weights));
    const double one = of.passes.front().ms;
    lines.push_back(bottleneck_says("fact.form_time"_t, "one"_v = one, "whose"_v = &of == &most ? 0 : bits_of(most.form),
                                    "ratio"_v = one / m.clock(of), "tokens"_v = told_width(of, m.marked),
                                    "times"_v = factor_words(of, m.marked)));
    add_doubt(lines, of, m.marked);
    return lines;
}

std::vector<Message> rate_facts(const PassTimes& times) {
    std::vector<Message> lines;
    if (times.floor_ms() > 0)
        lines.push_back(bottleneck_says("fact.read"_t, "model"_v = times.model, "size"_v = times.read_bytes, "rate"_v = times.bandwidth_gbs,
                                        "ms"_v = times.floor_ms()));
    if (times.product_rate > 0) lines.push_back(bottleneck_says("fact.product"_t, "model"_v = times.model, "rate"_v = times.product_rate));
    return lines;
}

Message pass_words(const BottleneckModel& m, const PassTimes& of, const PassTime& pass) {
    const bool form = &of != m.all().front() && std::ranges::find(m.forms, &of) != m.forms.end();
    return bottleneck_says("chart.pass"_t, "model"_v = of.model, "bits"_v = form ? bits_of(of.form) : 0, "tokens"_v = pass.rows,
                           "marked"_v = pass.rows == m.marked, "ms"_v = pass.ms, "repeats"_v = pass.repeats, "median"_v = pass.median,
                           "times"_v = factor_words(of, pass.rows), "each"_v = pass.ms / pass.rows,
                           "share"_v = of.product_rate > 0 ? std::optional(std::min(1.0, of.arithmetic_share(pass))) : std::nullopt);
}

StageTitle bottleneck_title(const BottleneckModel& m) {
    StageTitle title;
    if (!m.measured() || !m.shown) {
        title.title = m.asks ? bottleneck_says("question.title"_t, "tokens"_v = kAsked) : bottleneck_says("walk.title"_t);
        if (!m.under_way.empty())
            title.subtitle = m.under_way;
        else if (!m.kept || !m.untimed.empty())
            title.subtitle = shared_says("passes.unmeasured"_t, "untimed"_v = m.untimed);
        title.tier = m.tier;
        return title;
    }
    if (m.of_forms) {
        title = form_title(m);
        title.subtitle = noted(m, title.subtitle, m.forms);
        return title;
    }
    const std::vector<const PassTimes*> steady = m.steady();
    const auto times = [&](std::size_t i) { return pass_factor(*steady[i], m.marked); };
    const auto size = [&](std::size_t i) { return steady[i]->weight_bytes; }; // which of the models
    const auto tokens = "tokens"_v = m.marked;
    if (steady.empty())
        title.title = bottleneck_says("title.in_doubt"_t);
    else if (m.marked == 1)
        title.title = bottleneck_says("title.one"_t);
    else if (steady.size() == 1)
        title.title = bottleneck_says("title.single"_t, tokens, "times"_v = times(0),
                                      "size"_v = m.all().size() > 1 ? std::optional(size(0)) : std::nullopt);
    else {
        title.title = bottleneck_says("title.two"_t, tokens, "first"_v = times(0), "first_size"_v = size(0), "second"_v = times(1),
                                      "second_size"_v = size(1));
        title.short_title = bottleneck_says("title.two_short"_t, tokens, "first"_v = times(0), "first_size"_v = size(0),
                                            "second"_v = times(1), "second_size"_v = size(1));
    }
    title.tier = m.tier;
    if (m.recorded && !m.under_way.empty()) { // what is to come is not what is seen
        title.title = bottleneck_says("title.to_come"_t);
        title.short_title = {};
    }
    if (m.recorded) {
        title.subtitle = bottleneck_says("subtitle.recorded"_t, "date"_v = m.recorded->date,
                                         "machine"_v = machine_said(m.recorded->machine), "under_way"_v = m.under_way);
        return title;
    }
    const std::vector<const PassTimes*> all = m.all();
    const Message models = bottleneck_says("words.models"_t, "model"_v = all[0]->model, "beside"_v = all.size() > 1 ? all[1]->model : "");
    title.subtitle = noted(m, bottleneck_says("subtitle.measured"_t, "models"_v = models, "context"_v = m.times->context), all);
    return title;
}

Story bottleneck_story(const SceneInput& input, const BottleneckModel& m, const BottleneckState& state) {
    Story story = story_at_beat(input, kBottleneckBeats);
    take(story, beat_words(input, m, state, story.step - 1));
    if (story.step == 3 && m.measured())
        if (!doubt(*m.focus, m.marked).empty()) story.text = bottleneck_says("words.measure_again"_t, "text"_v = story.text);
    if (m.recorded && story.step < kBottleneckBeats) story.text = bottleneck_says("words.recorded"_t, "text"_v = story.text);
    if (m.of_forms && can_measure_forms(input, m)) {
        story.task = bottleneck_says("forms.task"_t);
        story.task_done = !m.forms.empty();
        measure_and_show_forms(story.on_task);
    } else if (can_measure(input, m)) {
        story.task = shared_says("words.measure_machine"_t);
        story.task_done = m.timed_here() && m.shown && timed_by_task(input);
        story.on_task = {measure_both()};
    }
    return story;
}

} // namespace speclens
