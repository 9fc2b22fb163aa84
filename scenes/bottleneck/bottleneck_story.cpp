// Words of S1: title, seven beats, and the frame as text.
#include <sstream>

#include "engine/lab/pass_bound.h"
#include "engine/published/published_words.h"
#include "scenes/bottleneck/bottleneck_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

// "269 MB": which of the models, where there are two.
std::string size_of(const PassTimes& times) { return ui::megabytes(times.weight_bytes); }

// What the loaded model does otherwise, and why.
std::string beside_words(const BottleneckModel& m) {
    if (m.all().size() < 2 || m.focus != m.beside || pass_factor(*m.times, m.marked) <= 0) return {};
    const bool cached = stays_in_cache(*m.times);
    return bottleneck_says("words.beside"_t, "model"_v = m.times->model, "size"_v = size_of(*m.times),
                           "times"_v = factor_words(*m.times, m.marked), "cached"_v = cached,
                           "arithmetic"_v = cached && bound_of(*m.times) == Bound::arithmetic);
}

// What the forms are, for a sentence: "8 and 4 bits".
std::string other_bits(const std::vector<const PassTimes*>& forms) {
    std::string words;
    for (const PassTimes* of : forms) {
        const bool last = of == forms.back();
        words += (words.empty() ? "" : last ? shared_says("words.and"_t) : ", ") + (last ? bits_words(of->form) : bits_of(of->form));
    }
    return words;
}

// The beat about bytes: the one that speaks of two forms of one shape, by times that can be relied on.
Words form_words(const BottleneckModel& m) {
    if (!m.measured()) return bottleneck_says.beat("forms:unmeasured"_t, "untimed"_v = m.untimed);
    const std::string model = m.all().front()->model;
    if (m.forms.empty() && !m.formless.empty())
        return bottleneck_says.beat("forms:impossible"_t, "model"_v = model, "why"_v = m.formless.front()->problem);
    if (m.forms.empty()) return bottleneck_says.beat("forms:untimed"_t);
    const FormsTold told = forms_told(m);
    if (!told.most) return bottleneck_says.beat("forms:in_doubt"_t);
    const std::string finding = told.faster && told.dearer ? bottleneck_says("words.bytes:dearer"_t)
                                : told.faster              ? bottleneck_says("words.bytes:faster"_t)
                                                           : bottleneck_says("words.bytes:unknown"_t);
    return bottleneck_says.beat("forms:timed"_t, "bits"_v = bits_words(told.fewest->form), "model"_v = told.most->model,
                                "fewer"_v = ui::megabytes(told.fewest->weight_bytes), "more"_v = ui::megabytes(told.most->weight_bytes),
                                "fewer_ms"_v = ui::number(told.fewest->passes.front().ms, 2),
                                "more_ms"_v = ui::number(told.most->passes.front().ms, 2), "rows"_v = told.rows,
                                "fewer_times"_v = ui::speed_up(told.fewest_factor), "more_times"_v = ui::speed_up(told.most_factor),
                                "finding"_v = finding);
}

// Title of that beat: what can be told of each form, by times that can be relied on.
StageTitle form_title(const BottleneckModel& m) {
    StageTitle title;
    if (m.forms.empty()) {
        title.title = bottleneck_says("forms.title:untimed"_t);
        title.subtitle = bottleneck_says("forms.subtitle:untimed"_t, "model"_v = m.all().front()->model,
                                         "why"_v = m.formless.empty() ? "" : m.formless.front()->problem);
        return title;
    }
    const std::vector<const PassTimes*> steady = m.steady_forms();
    const PassTimes& most = *m.forms.front();
    title.subtitle =
        bottleneck_says("forms.subtitle:timed"_t, "model"_v = most.model, "forms"_v = other_bits(m.forms), "context"_v = most.context);
    if (steady.size() < 2) {
        title.title = bottleneck_says("forms.title:in_doubt"_t);
        return title;
    }
    const auto listed = [&](bool whole) {
        std::string words;
        for (const PassTimes* of : steady) {
            if (m.marked == 1 && of == steady.front()) continue;
            const double factor = m.marked == 1 ? of->passes.front().ms / steady.front()->passes.front().ms : pass_factor(*of, m.marked);
            const bool first = words.empty();
            words += (first ? "" : ", ") + bottleneck_says("words.in_bits"_t, "times"_v = ui::speed_up(factor),
                                                           "whose"_v = first && whole ? bits_words(steady.front()->form) : "",
                                                           "one"_v = first && whole && m.marked > 1,
                                                           "single"_v = first && whole && m.marked == 1,
                                                           "bits"_v = first ? bits_words(of->form) : bits_of(of->form));
        }
        return words;
    };
    title.title = bottleneck_says("forms.title:timed"_t, "tokens"_v = m.marked, "listed"_v = listed(true));
    title.short_title = bottleneck_says("forms.title:short"_t, "tokens"_v = m.marked, "listed"_v = listed(false));
    return title;
}

Words question_words(const SceneInput& input, const BottleneckModel& m, const BottleneckState& state) {
    if (m.told && m.factor(kAsked) > 0) {
        const std::string verdict = verdict_words(m, state);
        return bottleneck_says.beat("question:told"_t, "verdict"_v = verdict, "tokens"_v = kAsked,
                                    "times"_v = factor_words(*m.focus, kAsked));
    }
    const bool choose = !input.kept, measure = choose && can_measure(input, m);
    if (input.presenter) return bottleneck_says.beat("question:room"_t, "choose"_v = choose, "measure"_v = measure);
    return bottleneck_says.beat("question:asked"_t, "choose"_v = choose, "measure"_v = measure);
}

Words many_words(const BottleneckModel& m) {
    if (!m.measured()) return bottleneck_says.beat("many:unmeasured"_t, "untimed"_v = m.untimed);
    const std::string one = ui::number(m.one_ms(), 2);
    if (m.marked == 1) return bottleneck_says.beat("many:one"_t, "ms"_v = one);
    return bottleneck_says.beat("many:wide"_t, "model"_v = m.focus->model, "ms"_v = one, "tokens"_v = m.marked,
                                "wide_ms"_v = ui::number(m.ms(m.marked), 2), "times"_v = factor_words(*m.focus, m.marked),
                                "rate"_v = ui::percent(m.rate(1) / m.best_rate()),
                                "wide_rate"_v = ui::percent(m.rate(m.marked) / m.best_rate()), "beside"_v = beside_words(m));
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

Words guessing_words(const BottleneckModel& m) {
    if (!m.measured()) return bottleneck_says.beat("guessing:unmeasured"_t);
    std::string costs;
    for (const PassTimes* of : m.all())
        if (const double factor = pass_factor(*of, 4); factor > 0)
            costs +=
                (costs.empty() ? "" : ", ") + bottleneck_says("words.cost_in"_t, "times"_v = factor_words(*of, 4), "model"_v = of->model);
    if (m.leaves_room()) return bottleneck_says.beat("guessing:pays"_t, "costs"_v = costs);
    return bottleneck_says.beat("guessing:costs"_t, "costs"_v = costs, "in_doubt"_v = m.steady().empty());
}

Words beat_words(const SceneInput& input, const BottleneckModel& m, const BottleneckState& state, int beat) {
    switch (beat) {
    case 0: return bottleneck_says.beat("walk"_t, "size"_v = m.measured() ? ui::megabytes(m.times->weight_bytes) : "");
    case kQuestionBeat: return question_words(input, m, state);
    case 2: return many_words(m);
    case 3: return full_words(m);
    case 4: return guessing_words(m);
    case kFormsBeat: return form_words(m);
    default: {
        const auto figures = printed_shares(input.figures);
        if (figures.size() < 4) return bottleneck_says.beat("printed:missing"_t);
        const auto value = [&](std::size_t i) { return published_value(*figures[i]); };
        return bottleneck_says.beat("printed:told"_t, "loading"_v = value(1), "computing"_v = value(2), "moved"_v = value(0),
                                    "derived"_v = value(3));
    }
    }
}

void describe_times(std::ostream& out, const PassTimes& times, int marked) {
    for (const std::string& fact : model_facts(times, marked)) out << fact << "\n";
    if (times.floor_ms() > 0)
        out << "A plain read of " << ui::megabytes(times.read_bytes) << ": " << ui::number(times.bandwidth_gbs, 1)
            << " GB/s, so reading alone takes " << ui::number(times.floor_ms(), 3) << " ms\n";
    if (times.product_rate > 0)
        out << "The product kernel in cache: " << ui::number(times.product_rate, 0) << " billion multiply-adds a second\n";
    for (const PassTime& pass : times.passes) {
        out << counted(pass.rows, "token") << (pass.rows == marked ? " (marked)" : "") << ": " << ui::number(pass.ms, 3) << " ms (median "
            << ui::number(pass.median, 3) << "), " << factor_words(times, pass.rows) << ", " << ui::number(pass.ms / pass.rows, 3)
            << " ms per token";
        if (times.product_rate > 0)
            out << ", " << (times.arithmetic_share(pass) > 1 ? "all" : ui::percent(times.arithmetic_share(pass))) << " of that rate";
        out << "\n";
    }
}

} // namespace

StageTitle bottleneck_title(const BottleneckModel& m) {
    StageTitle title;
    if (!m.measured() || !m.told) {
        title.title = m.asks ? bottleneck_says("question.title"_t, "tokens"_v = kAsked) : bottleneck_says("walk.title"_t);
        if (!m.under_way.empty())
            title.subtitle = m.under_way;
        else if (!m.kept || !m.untimed.empty())
            title.subtitle = bottleneck_says("subtitle.unmeasured"_t, "untimed"_v = m.untimed);
        title.tier = m.tier;
        return title;
    }
    const auto say_doubt = [&](const std::vector<const PassTimes*>& shown) {
        if (!m.under_way.empty()) title.subtitle = m.under_way;
        for (const PassTimes* of : shown)
            if (const std::string why = doubt(*of, m.marked); !why.empty()) {
                title.subtitle += bottleneck_says("words.in_doubt"_t, "why"_v = why);
                break;
            }
    };
    if (m.of_forms) {
        title = form_title(m);
        say_doubt(m.forms);
        return title;
    }
    const std::vector<const PassTimes*> steady = m.steady();
    const auto times = [&](std::size_t i) { return ui::speed_up(pass_factor(*steady[i], m.marked)); };
    if (steady.empty())
        title.title = bottleneck_says("title.in_doubt"_t);
    else if (m.marked == 1)
        title.title = bottleneck_says("title.one"_t);
    else if (steady.size() == 2) {
        title.title = bottleneck_says("title.two"_t, "tokens"_v = m.marked, "first"_v = times(0), "first_size"_v = size_of(*steady[0]),
                                      "second"_v = times(1), "second_size"_v = size_of(*steady[1]));
        title.short_title =
            bottleneck_says("title.two_short"_t, "tokens"_v = m.marked, "first"_v = times(0), "first_size"_v = size_of(*steady[0]),
                            "second"_v = times(1), "second_size"_v = size_of(*steady[1]));
    } else
        title.title = bottleneck_says("title.single"_t, "tokens"_v = m.marked, "times"_v = times(0),
                                      "size"_v = m.all().size() > 1 ? size_of(*steady[0]) : "");
    std::string models;
    for (const PassTimes* of : m.all()) models += (models.empty() ? "" : shared_says("words.and"_t)) + of->model;
    title.subtitle = bottleneck_says("subtitle.measured"_t, "models"_v = models, "context"_v = m.times->context);
    title.tier = m.tier;
    if (m.recorded) {
        title.subtitle = bottleneck_says("subtitle.recorded"_t, "date"_v = m.recorded->date, "machine"_v = m.recorded->machine,
                                         "under_way"_v = m.under_way);
        return title;
    }
    say_doubt(m.all());
    return title;
}

Story bottleneck_story(const SceneInput& input, const BottleneckModel& m, const BottleneckState& state) {
    Story story = story_at_beat(input, kBottleneckBeats);
    const Words words = beat_words(input, m, state, story.step - 1);
    story.heading = words.heading;
    story.text = words.text;
    if (story.step == 3 && m.measured())
        if (!doubt(*m.focus, m.marked).empty()) story.text = bottleneck_says("words.measure_again"_t, "text"_v = story.text);
    if (m.recorded && story.step < kBottleneckBeats) story.text = bottleneck_says("words.recorded"_t, "text"_v = story.text);
    if (m.of_forms && can_measure_forms(input, m)) {
        story.task = bottleneck_says("forms.task"_t);
        story.task_done = !m.forms.empty();
        measure_and_show_forms(story.on_task);
    } else if (can_measure(input, m)) {
        story.task = bottleneck_says("words.task"_t);
        story.task_done = m.timed_here() && m.told;
        story.on_task = {measure_both()};
    }
    return story;
}

std::string bottleneck_description(const SceneInput& input, const BottleneckModel& m, const BottleneckState& state) {
    std::ostringstream out;
    const StageTitle title = bottleneck_title(m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(shown_tier(input, title.tier)) << "\n\n";
    if (m.asks && state.said >= 0) out << "Said: " << kSayings[state.said].words << "\n";
    if (m.measured() && m.told) {
        for (const PassTimes* of : m.all()) describe_times(out, *of, m.marked);
        for (const PassTimes* of : m.forms)
            if (of != m.all().front()) describe_times(out, *of, m.marked);
        for (const PassTimes* of : m.formless) out << of->model << " in " << name_of(of->form) << ": not measured, " << of->problem << "\n";
        if (m.beside && m.beside->passes.size() < 2) out << m.beside->model << ": not measured, " << m.beside->problem << "\n";
    }
    for (const PublishedFigure* figure : printed_shares(input.figures)) {
        out << "Published: " << figure->claim << ": " << published_value(*figure);
        if (figure->standing == Standing::wrong) out << " (wrong in its source)";
        if (figure->standing == Standing::derived) out << " (derived)";
        out << "\n";
    }
    out << "\n" << describe_story(input, bottleneck_story(input, m, state));
    return out.str();
}

} // namespace speclens
