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
std::string size_of(const PassTimes& times) {
    return ui::megabytes(times.weight_bytes);
}

// What the loaded model does otherwise, and why.
std::string beside_words(const BottleneckModel& m) {
    if (m.all().size() < 2 || m.focus != m.beside || pass_factor(*m.times, m.marked) <= 0) return {};
    const bool arithmetic = bound_of(*m.times) == Bound::arithmetic;
    return " In " + m.times->model + ", " + size_of(*m.times) + ", " + ui::speed_up(pass_factor(*m.times, m.marked)) +
           (stays_in_cache(*m.times) ? ": it stays in the cache" +
                                           std::string(arithmetic ? ", and arithmetic takes the time." : ".")
                                     : ".");
}

// What the forms are, for a sentence: "8 and 4 bits".
std::string other_bits(const std::vector<const PassTimes*>& forms) {
    std::string words;
    for (const PassTimes* of : forms) {
        std::string bits = bits_words(of->form);
        if (of != forms.back()) bits.resize(bits.find(' '));
        words += (words.empty() ? "" : of == forms.back() ? " and " : ", ") + bits;
    }
    return words;
}

// The beat about bytes: the one that speaks of two forms of one shape, by times that can be relied on.
Words form_words(const BottleneckModel& m) {
    const std::string heading = "What fewer bytes do";
    if (!m.measured())
        return {heading, "Fewer bytes make the walk shorter, not the lookup. " +
                             std::string(m.untimed.empty() ? "Measure to see what that does here."
                                                         : "A checkpoint shows what that does.")};
    if (m.forms.empty()) {
        if (!m.formless.empty())
            return {heading, "Other forms of " + m.all().front()->model + " could not be timed: " + m.formless.front()->problem + "."};
        return {heading, "A weight in 8 or 4 bits instead of 16 makes the walk shorter, and has to be widened before the lookup. Does "
                         "checking stay as cheap? B times the same shape in other forms."};
    }
    const FormsTold told = forms_told(m);
    if (!told.most) return {heading, "Times in doubt cannot tell what fewer bytes do: measure again with B."};
    const auto megabytes = [](const PassTimes* of) { return ui::megabytes(of->weight_bytes); };
    std::string text = "In " + bits_words(told.fewest->form) + " " + told.most->model + " reads " + megabytes(told.fewest) +
                       " a pass instead of " + megabytes(told.most) + ". One token takes " +
                       ui::number(told.fewest->passes.front().ms, 2) + " ms instead of " +
                       ui::number(told.most->passes.front().ms, 2) + ", " + number_word(told.rows) + " at once " +
                       ui::speed_up(told.fewest_factor) + " that instead of " + ui::speed_up(told.most_factor) + ". ";
    if (told.faster && told.dearer)
        text += "Fewer bytes make plain decoding faster and checking relatively dearer: guesses must be right more often to pay.";
    else if (told.faster)
        text += "Fewer bytes make plain decoding faster; that checking became dearer cannot be told from these times.";
    else
        text += "That fewer bytes make plain decoding faster cannot be told from these times.";
    return {heading, text};
}

// Title of that beat: what can be told of each form, by times that can be relied on.
StageTitle form_title(const BottleneckModel& m) {
    StageTitle title;
    if (m.forms.empty()) {
        title.title = "The same shape in fewer bytes: what does a pass cost?";
        title.subtitle = m.formless.empty() ? "press B to time " + m.all().front()->model + " in other forms"
                                            : "other forms could not be timed: " + m.formless.front()->problem;
        return title;
    }
    const std::vector<const PassTimes*> steady = m.steady_forms();
    const std::string tokens = capital(number_word(m.marked));
    const PassTimes& most = *m.forms.front();
    title.subtitle = most.model + " in " + other_bits(m.forms) + ", " + std::to_string(most.context) + " tokens before the pass";
    if (steady.size() < 2) {
        title.title = "What fewer bytes do: timing in doubt";
        return title;
    }
    const std::string whose = m.marked == 1 ? " the time of " + bits_words(steady.front()->form) : " the time of one";
    std::string listed;
    for (const PassTimes* of : steady) {
        const double factor = m.marked == 1 ? of->passes.front().ms / steady.front()->passes.front().ms : pass_factor(*of, m.marked);
        if (m.marked == 1 && of == steady.front()) continue;
        std::string bits = bits_words(of->form);
        if (!listed.empty()) bits.resize(bits.find(' '));
        listed += (listed.empty() ? "" : ", ") + ui::speed_up(factor) + (listed.empty() ? whose : "") + " in " + bits;
    }
    title.title = tokens + (m.marked == 1 ? " token takes " : " tokens at once cost ") + listed;
    title.short_title = tokens + (m.marked == 1 ? " token: " : " at once: ") + listed;
    title.short_title.erase(title.short_title.find(whose), whose.size());
    return title;
}

Words beat_words(const SceneInput& input, const BottleneckModel& m, const BottleneckState& state, int beat) {
    const std::string weights =
        "all of its weights" +
        (m.measured() ? ", " + ui::megabytes(m.times->weight_bytes) + "," : std::string());
    switch (beat) {
    case 0:
        return {"The walk and the lookup",
                "To make one token a model reads " + weights +
                    " from memory. Like a librarian who walks the warehouse for one book: the walk takes the "
                    "time, not the lookup."};
    case kQuestionBeat: {
        if (m.told && m.factor(kAsked) > 0) {
            const std::string verdict = verdict_words(m, state);
            return {"Guess first", (verdict.empty() ? capital(number_word(kAsked)) + " tokens take " +
                                                          ui::speed_up(m.factor(kAsked)) + " the time of one."
                                                    : verdict) +
                                       " The weights are read once for all 16; only the arithmetic grows."};
        }
        const std::string how =
            std::string("Choose with ↑ ↓") + (can_measure(input, m) ? ", then press M." : ".");
        if (input.presenter) return {"Guess first", "How much longer is a pass over 16 tokens? " + how};
        return {"Guess first", "The same walk could fetch many books. If one pass handles 16 tokens instead of "
                               "one, how much longer is it: as long, four times, sixteen times? " +
                                   how};
    }
    case 2:
        if (!m.measured())
            return {"One read for many",
                    m.untimed.empty()
                        ? "Measure to see what passes over 1 to 64 tokens take on this machine."
                        : capital(m.untimed) + ". With a checkpoint, passes over 1 to 64 tokens "
                                               "are timed here."};
        if (m.marked == 1)
            return {"One read for many",
                    "A pass over one token took " + ui::number(m.one_ms(), 2) +
                        " ms. Choose a wider one: the weights are read once for all its tokens."};
        return {"One read for many",
                "In " + m.focus->model + " a pass over one token took " +
                    ui::number(m.one_ms(), 2) + " ms, over " + counted(m.marked, "token") + " " +
                    ui::number(m.ms(m.marked), 2) + " ms: " + ui::speed_up(m.factor(m.marked)) +
                    ". The arithmetic ran at " + ui::percent(m.rate(1) / m.best_rate()) +
                    " of the best rate seen, now at " + ui::percent(m.rate(m.marked) / m.best_rate()) + "." +
                    beside_words(m)};
    case 3:
        if (!m.measured())
            return {"Until it is full", "The free seats run out at some width. " +
                                            std::string(m.untimed.empty() ? "Measure to see where."
                                                                          : "A checkpoint shows where.")};
    {
        const int cheap = cheap_rows(*m.focus);
        const std::string other =
            m.all().size() < 2 || m.focus != m.beside
                ? std::string()
                : ", up to " + std::to_string(cheap_rows(*m.times)) + " in " + m.times->model;
        if (cheap == m.focus->passes.back().rows)
            return {"Until it is full",
                    "In " + m.focus->model + " even " + counted(cheap, "token") +
                        " cost less than two passes of one token" + other +
                        ". The free seats reach beyond what was measured. Somewhere behind that the arithmetic is the "
                        "bottleneck, and every token more costs its share."};
        return {"Until it is full",
                "Up to " + counted(cheap, "token") + " a pass of " + m.focus->model +
                    " costs less than two of one token" + other +
                    ". Then the arithmetic counts more and more; where it is the bottleneck, every token more costs its "
                    "share. On a GPU this bend comes much later than on a CPU."};
    }
    case 4: {
        const std::string guess =
            "A model alone has one token at a time to offer. Speculation makes up the others: guess K tokens cheaply, "
            "check them all in one pass over K + 1";
        if (!m.measured())
            return {"When guessing can pay", guess + ". The bend bounds how long guesses should be."};
        std::string costs;
        for (const PassTimes* of : m.all())
            if (const double factor = pass_factor(*of, 4); factor > 0)
                costs += (costs.empty() ? "" : ", ") + ui::speed_up(factor) + " in " + of->model;
        const std::string here = costs.empty() ? guess + ". " : guess + ". For K = 3 that costs " + costs + ". ";
        if (m.leaves_room())
            return {"Why guessing can pay", here + "The bend bounds how long guesses should be."};
        return {"What checking guesses costs here",
                here + (m.steady().empty() ? "Times in doubt cannot tell whether guesses pay."
                                           : "Four rows cost two passes or more: few guesses pay for that.")};
    }
    case kFormsBeat:
        return form_words(m);
    default: {
        const auto figures = printed_shares(input.figures);
        if (figures.size() < 4) return {"Check what is printed", "The published figures are not at hand."};
        const auto value = [&](std::size_t i) { return published_value(*figures[i]); };
        return {"Check what is printed", "A course gives loading weights " + value(1) +
                                             " of a decoding step and computing " + value(2) +
                                             ". Its own example moves " + value(0) +
                                             " for every token: on an A100 computing is then " + value(3) +
                                             " of the step. The idea holds, the figure does not."};
    }
    }
}

void describe_times(std::ostream& out, const PassTimes& times, int marked) {
    for (const std::string& fact : model_facts(times, marked)) out << fact << "\n";
    if (times.floor_ms() > 0)
        out << "A plain read of " << ui::megabytes(times.read_bytes) << ": " << ui::number(times.bandwidth_gbs, 1)
            << " GB/s, so reading alone takes " << ui::number(times.floor_ms(), 3) << " ms\n";
    if (times.product_rate > 0)
        out << "The product kernel in cache: " << ui::number(times.product_rate, 0)
            << " billion multiply-adds a second\n";
    for (const PassTime& pass : times.passes) {
        out << counted(pass.rows, "token") << (pass.rows == marked ? " (marked)" : "") << ": "
            << ui::number(pass.ms, 3) << " ms (median " << ui::number(pass.median, 3) << "), "
            << ui::speed_up(pass_factor(times, pass.rows)) << ", " << ui::number(pass.ms / pass.rows, 3)
            << " ms per token";
        if (times.product_rate > 0) out << ", " << ui::percent(times.arithmetic_share(pass)) << " of that rate";
        out << "\n";
    }
}

} // namespace

StageTitle bottleneck_title(const BottleneckModel& m) {
    StageTitle title;
    if (!m.measured() || !m.told) {
        title.title = m.asks ? capital(number_word(kAsked)) + " tokens in one pass: how much longer?"
                             : "One token or many: what does a pass cost?";
        title.subtitle = !m.under_way.empty() ? m.under_way
                         : m.untimed.empty() ? "press M to time passes of the loaded model over 1 to 64 tokens"
                                           : m.untimed + " · a checkpoint's passes are timed here";
        title.tier = m.tier;
        return title;
    }
    const auto say_doubt = [&](const std::vector<const PassTimes*>& shown) {
        if (!m.under_way.empty()) title.subtitle = m.under_way;
        for (const PassTimes* of : shown)
            if (const std::string why = doubt(*of, m.marked); !why.empty()) {
                title.subtitle += " · in doubt: " + why;
                break;
            }
    };
    if (m.of_forms) {
        title = form_title(m);
        say_doubt(m.forms);
        return title;
    }
    const std::vector<const PassTimes*> steady = m.steady();
    const std::string tokens = capital(number_word(m.marked));
    if (steady.empty())
        title.title = "What a pass costs: timing in doubt";
    else if (m.marked == 1)
        title.title = tokens + " token costs a whole pass";
    else if (steady.size() == 2) {
        const std::string first = ui::speed_up(pass_factor(*steady[0], m.marked)),
                          second = ui::speed_up(pass_factor(*steady[1], m.marked));
        title.title = tokens + " tokens at once cost " + first + " the time of one at " + size_of(*steady[0]) + ", " +
                      second + " at " + size_of(*steady[1]);
        title.short_title = tokens + " at once: " + first + " at " + size_of(*steady[0]) + ", " + second + " at " +
                            size_of(*steady[1]);
    } else
        title.title = tokens + " tokens at once cost " + ui::speed_up(pass_factor(*steady[0], m.marked)) +
                      " the time of one" + (m.all().size() > 1 ? " at " + size_of(*steady[0]) : std::string());
    for (const PassTimes* of : m.all()) title.subtitle += (title.subtitle.empty() ? "" : " and ") + of->model;
    title.subtitle += (title.subtitle.empty() ? "" : ", ") + std::to_string(m.times->context) +
                      " tokens before the pass";
    say_doubt(m.all());
    return title;
}

Story bottleneck_story(const SceneInput& input, const BottleneckModel& m, const BottleneckState& state) {
    Story story = story_at_beat(input, kBottleneckBeats);
    const Words words = beat_words(input, m, state, story.step - 1);
    story.heading = words.heading;
    story.text = words.text;
    if (story.step == 3 && m.measured())
        if (!doubt(*m.focus, m.marked).empty()) story.text += " These times are in doubt: measure again.";
    if (m.of_forms && can_measure_forms(input, m)) {
        story.task = "Time the same shape in fewer bytes: B";
        story.task_done = !m.forms.empty();
        measure_and_show_forms(story.on_task);
    } else if (can_measure(input, m)) {
        story.task = "Measure this machine: M";
        story.task_done = m.measured() && m.told;
        story.on_task = {measure_both()};
    }
    return story;
}

std::string bottleneck_description(const SceneInput& input, const BottleneckModel& m,
                                   const BottleneckState& state) {
    std::ostringstream out;
    const StageTitle title = bottleneck_title(m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(title.tier) << "\n\n";
    if (m.asks && state.said >= 0) out << "Said: " << kSayings[state.said].words << "\n";
    if (m.measured() && m.told) {
        for (const PassTimes* of : m.all()) describe_times(out, *of, m.marked);
        for (const PassTimes* of : m.forms)
            if (of != m.all().front()) describe_times(out, *of, m.marked);
        for (const PassTimes* of : m.formless)
            out << of->model << " in " << name_of(of->form) << ": not measured, " << of->problem << "\n";
        if (m.beside && m.beside->passes.size() < 2)
            out << m.beside->model << ": not measured, " << m.beside->problem << "\n";
    }
    for (const PublishedFigure* figure : printed_shares(input.figures))
        out << "Published: " << figure->claim << ": " << published_value(*figure)
            << (figure->standing == Standing::wrong     ? " (wrong in its source)"
                : figure->standing == Standing::derived ? " (derived)"
                                                        : "")
            << "\n";
    out << "\n" << describe_story(bottleneck_story(input, m, state));
    return out.str();
}

} // namespace speclens
