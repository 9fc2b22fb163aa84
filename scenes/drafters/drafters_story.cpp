// Words of the drafters scene: what is said about a drafter (how it guesses in this engine, what it reads and stores,
// what its round brought), title, beats, and the frame as text.
#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "engine/drafters/drafter_info.h"
#include "engine/published/public_models.h"
#include "engine/published/published.h"
#include "engine/published/published_words.h"
#include "engine/rules/verify.h"
#include "scenes/drafters/drafters_draw.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

std::string span_words(const SceneInput& input, int start, int count) {
    std::string bytes;
    const auto& tokens = input.whole->tokens;
    for (int i = start; i < start + count && i < static_cast<int>(tokens.size()); ++i)
        bytes += input.trace->text(tokens[static_cast<std::size_t>(i)].id);
    return ui::token_words(bytes);
}

// "2, 9 and 17"
std::string list_of(const std::vector<int>& numbers) {
    std::string text;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        text += (i == 0 ? "" : i + 1 == numbers.size() ? shared_says("words.and"_t) : ", ") + std::to_string(numbers[i]);
    return text;
}

std::string taps_words(const ComparisonRow& guess, int layers) {
    if (guess.taps.size() == 1 && guess.taps[0] == layers) return drafters_says("facts.last_state"_t);
    return drafters_says("facts.taps"_t, "taps"_v = guess.taps.size(), "layers"_v = list_of(guess.taps), "last"_v = layers - 1);
}

std::string plan_words(const LayerPlan& plan, int layers) {
    if (plan.full()) return "";
    std::string text;
    const auto add = [&](const std::string& words) { text += (text.empty() ? "" : " ") + words; };
    if (plan.exit_layer >= 0 && plan.exit_layer < layers)
        add(drafters_says("facts.exit"_t, "last"_v = plan.exit_layer - 1, "left_out"_v = layers - plan.exit_layer, "of"_v = layers));
    if (!plan.skip_attention.empty()) add(drafters_says("facts.no_attention"_t, "layers"_v = list_of(plan.skip_attention)));
    if (!plan.skip_mlp.empty()) add(drafters_says("facts.no_mlp"_t, "layers"_v = list_of(plan.skip_mlp)));
    return text;
}

// The row with the largest or smallest value among those that have one; null: none has.
template <class Value>
const DrafterRow* extreme(const DraftersModel& m, Value value, bool largest) {
    const DrafterRow* found = nullptr;
    for (const DrafterRow& row : m.rows) {
        if (value(row) <= 0) continue;
        if (!found || (largest ? value(row) > value(*found) : value(row) < value(*found))) found = &row;
    }
    return found;
}

int played(const DraftersModel& m) {
    return static_cast<int>(std::ranges::count_if(m.rows, [](const DrafterRow& row) { return row.guesses() > 0; }));
}

int answered(const DraftersModel& m) {
    return static_cast<int>(std::ranges::count_if(m.rows, [](const DrafterRow& row) { return row.round() != nullptr; }));
}

// Those that were asked and found nothing to propose. Without room for a guess nobody was.
int silent(const DraftersModel& m) { return m.no_room ? 0 : answered(m) - played(m); }

std::string dice(const Header& header) {
    return drafters_says("words.dice"_t,
                         "temperature"_v = header.sampling.temperature == 0 ? "" : temperature_words(header.sampling.temperature),
                         "seed"_v = header.seed);
}

// The rule that judges at the run's temperature.
const RuleInfo& rule_of_run(const DraftersModel& m) {
    const RuleInfo* rule = find_rule(m.header->rule);
    return rule_at(rule ? *rule : rule_list().front(), m.header->sampling);
}

std::string best_names(const DraftersModel& m) {
    std::string text;
    for (std::size_t i = 0; i < m.best.size(); ++i)
        text += (i == 0                   ? ""
                 : i + 1 == m.best.size() ? shared_says("words.and"_t)
                                          : ", ") +
                in_sentence(m.rows[static_cast<std::size_t>(m.best[i])].title);
    return text;
}

// "Eleven of the 12 shown have guessed here, one found nothing to propose."
std::string guessed_words(const DraftersModel& m) {
    const int guessed = played(m);
    return drafters_says("words.guessed"_t, "guessed"_v = guessed, "several"_v = guessed > 1, "shown"_v = m.rows.size(),
                         "no_room"_v = m.no_room, "silent"_v = m.no_room ? 0 : silent(m), "all"_v = !m.no_room && silent(m) == 0);
}

// Who brought the most tokens, and who brought least.
std::string outcome_words(const DraftersModel& m) {
    if (m.no_room) return drafters_says("words.outcome:no_room"_t);
    const int count = static_cast<int>(m.best.size());
    const DrafterRow* least = extreme(
        m, [](const DrafterRow& row) { return static_cast<double>(row.tokens); }, false);
    const bool less = least && least->tokens < m.most;
    return drafters_says("words.outcome:told"_t, "count"_v = count, "many"_v = count > 4, "names"_v = best_names(m), "tokens"_v = m.most,
                         "least"_v = less ? in_sentence(least->title) : "", "fewest"_v = less ? least->tokens : 0);
}

Words stored_words(const DraftersModel& m) {
    const auto free = std::ranges::count_if(m.rows, [](const DrafterRow& row) { return row.info->needs == DrafterNeeds::nothing; });
    const auto bytes = [](const DrafterRow& row) { return row.guess ? static_cast<double>(row.guess->bytes) : 0; };
    const DrafterRow* most = extreme(m, bytes, true);
    return drafters_says.beat("stored"_t, "free"_v = free, "others"_v = free < std::ssize(m.rows),
                              "largest"_v = most ? in_sentence(most->title) : "", "size"_v = most ? drafter_needs(*most) : "");
}

Words cost_words(const DraftersModel& m) {
    const auto ms = [](const DrafterRow& row) { return row.guess ? row.draft_ms : 0; };
    const DrafterRow *fast = extreme(m, ms, false), *slow = extreme(m, ms, true);
    if (!fast || fast == slow) return drafters_says.beat("cost:untimed"_t, "no_room"_v = m.no_room);
    return drafters_says.beat("cost:timed"_t, "fastest"_v = in_sentence(fast->title), "fast_ms"_v = guess_ms(fast->draft_ms),
                              "slowest"_v = in_sentence(slow->title), "slow_ms"_v = guess_ms(slow->draft_ms));
}

Words beat_words(const DraftersModel& m, int beat) {
    switch (beat) {
    case 0: {
        const RuleInfo& rule = rule_of_run(m);
        return drafters_says.beat("judge"_t, "tokens"_v = m.text_tokens,
                                  "rule"_v = keeps_target(rule, m.header->rule_params) ? "" : rule.title, "guessed"_v = guessed_words(m));
    }
    case 1: return stored_words(m);
    case 2: return cost_words(m);
    case kDraftersOutcomeBeat:
        return m.most == 0 ? drafters_says.beat("outcome:nothing"_t) : drafters_says.beat("outcome:told"_t, "outcome"_v = outcome_words(m));
    case kDraftersFamilyBeat: return drafters_says.beat("family"_t);
    default: return drafters_says.beat("no_best"_t);
    }
}

} // namespace

const std::vector<std::string>& drafter_filter_names() {
    static const std::vector<std::string> kNames = {"All", "No head to train", "No extra memory", "Works at T > 0"};
    return kNames;
}

std::string drafter_needs(const DrafterRow& row) {
    if (row.guess && row.guess->bytes > 0) {
        const double bytes = static_cast<double>(row.guess->bytes);
        return bytes < 1e6 ? ui::number(bytes / 1e3, 0) + " kB" : bytes < 1e7 ? ui::number(bytes / 1e6, 1) + " MB" : ui::megabytes(bytes);
    }
    return row.info->needs == DrafterNeeds::nothing ? "nothing" : row.info->needs_network() ? "a head" : "a model";
}

std::string guess_ms(double ms) {
    if (ms <= 0) return "–";
    return ms < 0.0005 ? "<0.001" : ui::number(ms, ms < 0.095 ? 3 : 2);
}

std::string drafter_how(const std::string& drafter) {
    const DrafterInfo* info = find_drafter(drafter);
    return info ? info->how : "";
}

std::vector<std::string> drafter_facts(const SceneInput& input, const DraftersModel& model, const DrafterRow& row) {
    std::vector<std::string> facts;
    if (const NgramMatch match = ngram_match(row); match.length > 0)
        facts.push_back(drafters_says("facts.match"_t, "tokens"_v = match.length, "words"_v = span_words(input, match.start, match.length),
                                      "at"_v = match.start));
    if (row.guess && model.guesses) {
        const int layers = model.guesses->target_layers;
        if (!row.guess->taps.empty() && layers > 0) facts.push_back(taps_words(*row.guess, layers));
        if (row.info->reads_setting(Setting::exit_layer))
            if (std::string words = plan_words(row.guess->plan, layers); !words.empty()) facts.push_back(std::move(words));
        if (row.guess->ranks > 0)
            facts.push_back(
                drafters_says("facts.ranks"_t, "ranks"_v = ui::integer(row.guess->ranks), "of"_v = ui::integer(model.header->vocab)));
    }
    if (!judged_when_warm(*model.header, *row.info))
        facts.push_back(
            drafters_says("facts.other_rule"_t, "rule"_v = model.header->rule, "other"_v = judging_rule(model.header->rule, row.name())));
    if (row.round() && row.info->reads_setting(Setting::fr_spec) && !(row.guess && row.guess->ranks > 0))
        facts.push_back(drafters_says("facts.fr_spec"_t));
    if (row.round() && row.round()->tree)
        facts.push_back(drafters_says("facts.tree"_t, "guesses"_v = row.guesses(), "deep"_v = row.shown.size()));
    return facts;
}

std::string drafter_round_words(const SceneInput& input, const DraftersModel& model, const DrafterRow& row) {
    const RoundSummary* round = row.round();
    if (!round) return capital(row.problem) + ".";
    const bool ends = round->commit && drops_own_token(*round->commit);
    return drafters_says("words.round"_t, "no_room"_v = row.guesses() == 0 && model.no_room,
                         "no_guess"_v = row.guesses() == 0 && !model.no_room, "guesses"_v = row.guesses(),
                         "kept"_v = row.guesses() > 0 ? std::to_string(round->accepted) : "", "ends"_v = ends,
                         "own"_v = !ends && round->resample ? word(input, round->resample->token) : "", "tokens"_v = row.tokens,
                         "took"_v = row.draft_ms > 0 ? guess_ms(row.draft_ms) : "");
}

std::string drafter_published_words(const SceneInput& input, const DrafterRow& row) {
    if (row.published.empty() || !input.figures) return "";
    std::vector<std::string> sources;
    for (const PublishedFigure* figure : row.published.figures) {
        const std::string id = input.figures->source_of(*figure).identifier;
        if (std::ranges::find(sources, id) == sources.end()) sources.push_back(id);
    }
    const bool both = std::ranges::count(drafter_list(), row.info->published, &DrafterInfo::published) > 1;
    std::string listed;
    for (std::size_t i = 0; i < sources.size(); ++i) listed += (i ? "; " : "") + sources[i];
    return drafters_says("words.published"_t, "speed_up"_v = row.published.words(), "figures"_v = row.published.figures.size(),
                         "both"_v = both, "sources"_v = listed);
}

std::string drafters_empty_words(const DraftersModel& m) {
    return drafters_says("empty.text"_t, "no_run"_v = m.empty == DraftersModel::Empty::no_run);
}

namespace {

// What speaks against a ranking by one round: how far the run's own rounds lie apart.
std::string no_best_title(const SceneInput& input) {
    int least = 0, most = 0;
    for (const RoundSummary& round : input.whole->round_list) {
        if (!round.commit) continue;
        const int tokens = static_cast<int>(round.commit->tokens.size());
        least = most == 0 ? tokens : std::min(least, tokens);
        most = std::max(most, tokens);
    }
    return drafters_says("no_best.title"_t, "least"_v = least < most ? std::to_string(least) : "", "most"_v = most);
}

std::string stage_title(const SceneInput& input, const DraftersModel& m) {
    if (input.beat == kDraftersFamilyBeat) return drafters_says("family.title"_t);
    if (input.beat == kDraftersNoBestBeat && !m.asking) return no_best_title(input);
    if (!verdicts_told(input) && !m.asking && !m.no_room) {
        if (input.beat <= 0) return drafters_says("judge.title"_t);
        return input.beat == 1 ? drafters_says("stored.title"_t) : drafters_says("cost.title"_t);
    }
    if (m.asking) return drafters_says("title.asking"_t);
    if (!m.guesses) return drafters_says("title.any"_t);
    if (m.no_room) return drafters_says("title.no_room"_t);
    if (played(m) == 0 && answered(m) > 0) return drafters_says("title.nobody"_t);
    if (m.best.empty()) return drafters_says("title.any"_t);
    if (m.best.size() == 1)
        return drafters_says("title.best"_t, "drafter"_v = in_sentence(m.rows[static_cast<std::size_t>(m.best[0])].title),
                             "tokens"_v = m.most);
    const bool all = static_cast<int>(m.best.size()) == answered(m);
    return drafters_says("title.several"_t, "all"_v = all, "count"_v = m.best.size(), "of"_v = answered(m), "tokens"_v = m.most);
}

} // namespace

StageTitle drafters_title(const SceneInput& input, const DraftersModel& m) {
    StageTitle title;
    title.tier = tier_of(input.whole->header);
    if (m.empty != DraftersModel::Empty::no) {
        title.title = drafters_says("title.any"_t);
        return title;
    }
    title.title = stage_title(input, m);
    if (input.beat == kDraftersFamilyBeat) {
        title.subtitle = input.presenter ? drafters_says("family.subtitle:room"_t) : drafters_says("family.subtitle:table"_t);
        title.tier = ui::Tier::published;
        return title;
    }
    title.subtitle = drafters_says("subtitle.round"_t, "round"_v = m.round->round + 1, "tokens"_v = m.text_tokens,
                                   "dice"_v = dice(*m.header), "tries"_v = m.guesses ? kDraftTries : 0);
    return title;
}

namespace {

// One that somebody published for this target, for a drafter whose head is missing here.
std::optional<PublicModel> public_head(const SceneInput& input, const DraftersModel& m) {
    if (!input.figures) return {};
    const std::vector<PublicModel> heads = heads_for(input.figures->models(), input.status->model);
    const auto missing = std::ranges::find_if(heads, [&](const PublicModel& head) {
        return std::ranges::any_of(m.rows, [&](const DrafterRow& row) { return row.no_head && network_of(row.name()) == head.drafter; });
    });
    return missing == heads.end() ? std::nullopt : std::optional(*missing);
}

} // namespace

Story drafters_story(const SceneInput& input, const DraftersModel& m) {
    Story story = story_at_beat(input, kDraftersBeats);
    const int beat = story.step - 1;
    if (m.empty != DraftersModel::Empty::no) {
        story.heading = drafters_says("empty.heading"_t);
        story.text = drafters_empty_words(m);
        return story;
    }
    const Words words = beat_words(m, beat);
    story.heading = words.heading;
    story.text = words.text;
    if (beat != kDraftersFamilyBeat && !m.headless.empty()) {
        const std::optional<PublicModel> head = public_head(input, m);
        story.what_if = drafters_says("words.headless"_t, "rows"_v = std::ranges::count_if(m.rows, &DrafterRow::no_head),
                                      "model"_v = input.status->model, "there"_v = built_in_has_it(input, m.headless),
                                      "drafter"_v = head ? head->drafter : "", "fetch"_v = head ? fetching_line(head->repository) : "");
    }
    if (beat == kDraftersNoBestBeat && m.can_ask) {
        story.task = drafters_says("no_best.task"_t);
        story.task_done = (input.deeds & (deed_bit(Deed::stepped) | deed_bit(Deed::scrubbed))) != 0;
        story.on_task = {Go{Move::round}};
    }
    return story;
}

namespace {

const char* verdict_word(DraftSlot::State state) {
    switch (state) {
    case DraftSlot::State::accepted: return " kept";
    case DraftSlot::State::rejected: return " refused";
    case DraftSlot::State::discarded: return " discarded";
    default: return " not judged";
    }
}

} // namespace

std::string drafters_description(const SceneInput& input, const DraftersModel& m) {
    std::ostringstream out;
    const StageTitle title = drafters_title(input, m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(shown_tier(input, title.tier)) << "\n\n";
    for (std::size_t i = 0; i < m.rows.size(); ++i) {
        const DrafterRow& row = m.rows[i];
        out << row.title << (row.of_run ? ", drafts this run" : "") << (static_cast<int>(i) == m.selected ? ", selected" : "") << ": needs "
            << drafter_needs(row) << ". ";
        const bool told = verdicts_told(input);
        if (const RoundSummary* round = row.round()) {
            out << "Guesses";
            for (const int at : row.shown) {
                const DraftSlot& slot = round->drafts[static_cast<std::size_t>(at)];
                out << " " << quoted(*input.trace, slot.draft->token) << (told ? verdict_word(slot.state) : "")
                    << (at == row.shown.back() ? "" : ",");
            }
            out << (row.shown.empty() ? " none. " : ". ");
        }
        out << (told || !row.round() ? drafter_round_words(input, m, row) : "") << "\n";
        for (const std::string& fact : drafter_facts(input, m, row)) out << "  " << fact << "\n";
        if (const std::string words = drafter_published_words(input, row); !words.empty()) out << "  " << words << "\n";
    }
    if (input.beat == kDraftersFamilyBeat) out << "\n" << describe_family(m);
    if (const DrafterRow* row = m.row()) out << "\n" << row->info->title << ": " << drafter_how(row->name()) << "\n";
    out << "Shown: " << drafter_filter_names()[static_cast<std::size_t>(m.filter)] << "\n";
    out << describe_story(input, drafters_story(input, m));
    return out.str();
}

} // namespace speclens
