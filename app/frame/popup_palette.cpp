// The command palette and the list of forks: rows that are searched, walked with the arrows and run with
// Enter.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "app/frame/popups.h"
#include "app/views/link.h"
#include "engine/base/utf8.h"
#include "engine/drafters/drafter_info.h"
#include "engine/rules/verify.h"
#include "engine/run/run_setting.h"
#include "kernels/error.h"
#include "scenes/loop/loop_model.h"
#include "scenes/shared/run_controls.h"
#include "scenes/shared/speak.h"
#include "scenes/shared/token_said.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/text_field.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

constexpr float kRow = 34;
constexpr std::size_t kMost = 200;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr int kWordMatch = 10000; // more than scattered letters ever score

// Letters, digits and _, in small letters.
std::vector<std::string> words_in(std::string_view text) {
    std::vector<std::string> words;
    bool within = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.substr(i).starts_with("\xE2\x80")) { // “ ” … and the like
            within = false;
            i += 2;
            continue;
        }
        const char c = text[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                            (static_cast<unsigned char>(c) & 0x80) != 0;
        if (letter && !within) words.emplace_back();
        if (letter) words.back() += lower(c);
        within = letter;
    }
    return words;
}

// Of one typed word among these: the word itself comes before a beginning of one.
int best_match(const std::string& typed, const std::vector<std::string>& among, int whole, int beginning) {
    int best = 0;
    for (const std::string& word : among)
        if (word.starts_with(typed)) best = std::max(best, word == typed ? whole : beginning);
    return best;
}

// What it says in English.
std::string english(const Message& words) {
    return words.finished() ? in_english([&] { return message(words.said).words(); }) : words.words();
}

// Other words that it is looked for by, in both languages.
std::string both(const Message& words) { return words + " " + english(words); }

// Found by its English words too.
int score_of(const std::string& query, const Message& label, const std::string& also = "") {
    const std::string &own = label, other = english(label);
    return search_score(query, own, own == other ? also : also + " " + other);
}

void add(std::vector<PaletteRow>& rows, const std::string& query, PaletteRow row, const std::string& also = "") {
    row.score = score_of(query, row.label, also);
    if (row.score >= 0) rows.push_back(std::move(row));
}

Message fate_of(DraftSlot::State state) {
    switch (state) {
    case DraftSlot::State::accepted: return frame_says("find.fate:accepted"_t);
    case DraftSlot::State::rejected: return frame_says("find.fate:rejected"_t);
    case DraftSlot::State::discarded: return frame_says("find.fate:discarded"_t);
    default: return frame_says("find.fate:drafted"_t);
    }
}

void add_tokens(std::vector<PaletteRow>& rows, const FrameInput& input, const std::string& query) {
    for (const RoundSummary& round : input.scene.whole->round_list) {
        for (std::size_t i = 0; i < round.drafts.size() && rows.size() < kMost; ++i) {
            const DraftSlot& slot = round.drafts[i];
            add(rows, query,
                {token_said(*input.scene.trace, slot.draft->token),
                 frame_says("find.guess"_t, "fate"_v = fate_of(slot.state), "round"_v = round.round + 1),
                 SceneCommand{Select{Position{round.round, static_cast<int>(i)}}}, 0});
        }
        if (rows.size() >= kMost) return;
    }
}

// What only the open scene can do, by the words of its keys: "Measure ten draft lengths".
void add_scene_keys(std::vector<PaletteRow>& rows, const FrameInput& input, const std::string& query) {
    if (!input.active) return;
    for (const auto& [name, words] : input.active->keys()) {
        const bool letter = name.size() == 1 && name[0] >= 'A' && name[0] <= 'Z';
        if (!letter && name != "Enter" && name != "Del") continue;
        const ui::Key key = name == "Enter" ? ui::Key::enter
                            : name == "Del" ? ui::Key::del
                                            : static_cast<ui::Key>(static_cast<int>(ui::Key::a) + name[0] - 'A');
        add(rows, query, {words, ui::key_words(name), PressKey{key}, 0});
    }
}

// Drafters that can run, and rules that can judge what the chosen one drafts.
void add_run_choices(std::vector<PaletteRow>& rows, const FrameInput& input, const std::string& query) {
    if (!input.scene.settings || !input.scene.status) return;
    const RunSettings& now = *input.scene.settings;
    const std::vector<std::string>& ready = input.scene.status->ready_drafters;
    const bool race = input.scene_name == "race";
    const auto offer = [&](const DrafterInfo& info) {
        if (!is_ready(ready, info.name)) return;
        add(rows, query,
            {frame_says("find.drafter"_t, "name"_v = info.name), race ? frame_says("find.racer"_t) : message(info.title),
             race ? SceneCommand{ToggleLane{info.name}} : SceneCommand{Command{Restart{with_drafter(now, info.name)}}}, 0},
            both(frame_says("find.also:drafter"_t)) + " " + both(message(info.title)));
    };
    for (const DrafterInfo& info : drafter_list()) offer(info);
    std::vector<std::string> chains = offered_chains(ready);
    const std::string typed = query.substr(query.rfind(' ') + 1); // two of one's own: "suffix+domino"
    std::erase(chains, typed);
    chains.insert(chains.begin(), typed);
    for (const std::string& name : chains)
        if (const DrafterInfo* info = find_drafter(name); info && info->chained()) offer(*info);
    const DrafterInfo* drafter = find_drafter(now.drafter);
    if (race || !drafter || ready.empty()) return;
    for (const RuleInfo& info : rule_list())
        if (can_judge(info, *drafter))
            add(rows, query,
                {frame_says("find.rule"_t, "name"_v = info.name), message(info.title),
                 SceneCommand{Command{Restart{with_rule(now, info.name)}}}, 0},
                both(frame_says("find.also:rule"_t)) + " " + both(message(info.title)));
}

// What else has to change so that rule, temperature and drafter fit together.
RunSettings fitting(const RunSetting& setting, const RunSettings& now, RunSettings changed) {
    const std::string_view option = setting.option;
    if (option == "drafter") return with_drafter(now, changed.drafter);
    if (option == "rule") return with_rule(now, changed.rule);
    if (option == "k") return with_draft_length(changed, changed.k);
    return with_temperature(changed, changed.sampling.temperature);
}

// "temp 0.5", "temp=0.5": what stands behind the option; nothing where the query is not of this setting.
std::optional<std::string> value_typed(const RunSetting& setting, const std::string& query) {
    const std::string option = setting.option;
    const std::size_t at = query.starts_with("--") ? 2 : 0;
    if (query.compare(at, option.size(), option) != 0 || query.size() <= at + option.size() + 1) return std::nullopt;
    const char between = query[at + option.size()];
    if (between != ' ' && between != '=') return std::nullopt;
    return query.substr(at + option.size() + 1);
}

// Of a value that may be a whole prompt.
std::string in_a_row(std::string value) {
    constexpr std::size_t kShown = 28;
    std::ranges::replace(value, '\n', ' ');
    if (value.size() <= kShown) return value;
    return value.substr(0, complete_utf8_prefix(std::string_view(value).substr(0, kShown))) + "…";
}

PaletteRow setting_row(const RunSetting& setting, const RunSettings& now, const std::string& query) {
    const std::string option = setting.option;
    const Message label = frame_says("find.setting"_t, "option"_v = option);
    const std::string value = text_of(setting, now);
    const auto restart = [&](const RunSettings& changed) { return SceneCommand{Command{Restart{fitting(setting, now, changed)}}}; };
    if (setting.is_switch()) {
        RunSettings changed = now;
        const SettingValue default_value = setting.get(RunSettings());
        if (is_default(setting, now))
            take_text(setting, option, "", changed);
        else
            setting.set(changed, default_value);
        return {label, frame_says("find.switch"_t, "on"_v = !is_default(setting, now)), restart(changed), 0};
    }
    const std::optional<std::string> typed = value_typed(setting, query);
    const Message before = frame_says("find.value"_t, "value"_v = in_a_row(value), "ask"_v = !typed);
    if (!typed) return {label, before, PickAction{Action::palette}, 0, option + " "};
    try {
        RunSettings changed = now;
        take_text(setting, option, *typed, changed);
        check_sampling(changed.sampling);
        return {frame_says("find.set"_t, "option"_v = option, "value"_v = *typed), before, restart(changed), 2 * kWordMatch};
    } catch (const Error& error) {
        return {error.what(), before, PickAction{Action::palette}, 2 * kWordMatch, option + " "};
    }
}

// The settings of the run on screen that mean something for it.
void add_settings(std::vector<PaletteRow>& rows, const FrameInput& input, const std::string& query) {
    if (!input.scene.settings || !input.scene.status || input.scene.status->ready_drafters.empty() || input.scene_name == "race") return;
    const RunSettings& now = *input.scene.settings;
    const DrafterInfo* drafter = find_drafter(now.drafter);
    for (const RunSetting& setting : run_setting_list()) {
        if (setting.of != RunSetting::Of::run || drafter == nullptr || !setting.read(*drafter) || !setting.needs(now)) continue;
        PaletteRow row = setting_row(setting, now, query);
        if (row.score > 0) {
            rows.push_back(std::move(row));
            continue;
        }
        constexpr int kBehind = 200; // what does something at once comes first
        row.score = score_of(query, row.label, both(frame_says("find.also:setting"_t)) + " " + setting.key);
        if (row.score < 0) continue;
        row.score = std::max(0, row.score - kBehind);
        rows.push_back(std::move(row));
    }
}

// "first-lesson": a lecture is looked for by what its file is called, too.
std::string lecture_words(const std::string& file) {
    return both(frame_says("find.also:lecture"_t)) + " " + std::filesystem::path(file).filename().string();
}

// Models that are there; others are fetched by a command of their own.
void add_models(std::vector<PaletteRow>& rows, const FrameInput& input, const std::string& query) {
    if (!input.models || !input.engine) return;
    for (const ModelChoice& model : *input.models)
        if (model.there)
            add(rows, query,
                {frame_says("find.model"_t, "model"_v = model.label),
                 model.word == input.model ? frame_says("find.on_screen"_t) : model.detail, PickModel{model.word}, 0},
                both(frame_says("find.also:model"_t)) + " " + model.word);
}

// Rows in a box with the chosen one raised; returns the row that was run.
std::optional<std::size_t> draw_rows(const FrameDraw& d, Rect box, const std::vector<PaletteRow>& rows, bool keyed) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    int& row = d.state.row;
    const int count = static_cast<int>(rows.size());
    // Also while the search field has the focus: one line has no use for these keys.
    const auto pressed = [&](ui::Key key) { return d.ui.take_press({.key = key}, true); };
    if (pressed(ui::Key::down)) ++row;
    if (pressed(ui::Key::up)) --row;
    if (pressed(ui::Key::page_down)) row += 8;
    if (pressed(ui::Key::page_up)) row -= 8;
    row = std::clamp(row, 0, std::max(0, count - 1));
    const int visible = std::max(1, static_cast<int>(box.h / kRow));
    const int first = std::clamp(row - visible + 2, 0, std::max(0, count - visible));
    std::optional<std::size_t> run;
    for (int i = first; i < std::min(count, first + visible); ++i) {
        const PaletteRow& item = rows[static_cast<std::size_t>(i)];
        const Rect at{box.x, box.y + kRow * static_cast<float>(i - first), box.w, kRow};
        const ui::Touch touched = ui::touch(d.ui, d.ui.id("row " + std::to_string(i)), at, {.focusable = false, .grow = false});
        if (i == row)
            c.fill(at, t.line, 4);
        else if (touched.hovered)
            c.fill(at, t.panel, 4);
        const float detail = c.text_width(item.detail, Font::text, 14);
        ui::fitted_text(c, {at.x + 12, at.y + 22}, item.label, Font::text, 15, t.ink, at.w - 36 - detail);
        c.text({at.right() - 12, at.y + 22}, item.detail, Font::text, 14, t.muted, Align::right);
        if (touched.clicked) run = static_cast<std::size_t>(i);
    }
    if (keyed && count > 0) run = static_cast<std::size_t>(row);
    if (count == 0) c.text({box.x + 12, box.y + 22}, frame_says("find.nothing"_t), Font::text, 15, t.muted);
    return run;
}

// A field, the rows that fit what is typed in it, and a line below; the chosen row is run, and true returned.
// The field comes first: a row that Enter runs fits all that was typed before it.
template <class RowsOf>
bool draw_search(const FrameDraw& d, Rect box, bool& close, const RowsOf& rows_of, const Message& placeholder, const Message& below,
                 Font font, bool browses = false) {
    const std::string before = d.state.query;
    const float button = browses && d.input.can_browse ? 116 : 0;
    // The arrows and Enter belong to the list, not to the field above it.
    const bool enter = d.ui.take_press({.key = ui::Key::enter}, true);
    const ui::TextFieldResult field =
        ui::text_field(d.ui, "query", {box.x + 12, box.y + 12, box.w - 24 - (button > 0 ? button + 8 : 0), 36}, d.state.query,
                       {.take_focus = true, .placeholder = placeholder});
    if (button > 0 && ui::button(d.ui, "browse", {box.right() - 12 - button, box.y + 12, button, 36}, frame_says("files.browse"_t),
                                 {.tooltip = frame_says("files.browse_about"_t)}))
        d.out.emplace_back(BrowseFiles{});
    if (d.state.query != before) {
        d.state.row = 0;
        d.state.problem.clear();
    }
    const std::vector<PaletteRow> rows = rows_of(d.input, d.state.query);
    const float top = 60 + problem_height(d.state);
    const auto run = draw_rows(d, {box.x + 8, box.y + top, box.w - 16, box.h - 40 - top}, rows, enter);
    if (!d.state.problem.empty()) {
        ui::fitted_text(d.ui.canvas, {box.x + 20, box.y + 70}, d.state.problem, Font::text, 14, d.ui.theme.role(ui::Role::rejected),
                        box.w - 40);
        ui::fitted_text(d.ui.canvas, {box.x + 20, box.y + 92}, d.state.remedy, Font::text, 14, d.ui.theme.ink, box.w - 40);
    }
    ui::fitted_text(d.ui.canvas, {box.x + 20, box.bottom() - 14}, below, font, 14, d.ui.theme.muted, box.w - 40);
    if (field.cancelled) close = true;
    if (run && !rows[*run].fill.empty()) {
        d.state.query = rows[*run].fill;
        d.state.row = 0;
        return false;
    }
    if (run) d.out.push_back(rows[*run].command);
    return run.has_value();
}

} // namespace

// A path as it was typed: a shell would know what ~ is.
std::string from_home(const std::string& path) {
    const char* home = std::getenv("HOME");
    return path.starts_with("~/") && home ? home + path.substr(1) : path;
}

float problem_height(const FrameUi& state) { return state.problem.empty() ? 0 : 48; }

int fuzzy_score(const std::string& query, const std::string& text) {
    if (query.empty()) return 0;
    int score = 0;
    std::size_t at = 0;
    bool run = false;
    for (const char wanted : query) {
        if (wanted == ' ') continue;
        const std::size_t start = at;
        while (at < text.size() && lower(text[at]) != lower(wanted)) ++at;
        if (at == text.size()) return -1;
        const bool word_start = at == 0 || text[at - 1] == ' ';
        score += (run && at == start ? 8 : 1) + (word_start ? 6 : 0);
        run = true;
        ++at;
    }
    return score * 4 - static_cast<int>(text.size()) / 8;
}

int search_score(const std::string& query, const std::string& text, std::string_view also) {
    const std::vector<std::string> typed = words_in(query);
    const std::vector<std::string> label = words_in(text), others = words_in(also);
    int score = 0;
    bool all = !typed.empty();
    for (const std::string& word : typed) {
        int best = std::max(best_match(word, label, 100, 60), best_match(word, others, 80, 40));
        if (best == 0 && word.size() > 2 &&
            std::ranges::any_of(label, [&](const std::string& l) { return l.find(word) != std::string::npos; }))
            best = 20;
        all = all && best > 0;
        score += best;
    }
    if (!all) return fuzzy_score(query, text);
    const bool begins = text.size() >= query.size() &&
                        std::equal(query.begin(), query.end(), text.begin(), [](char a, char b) { return lower(a) == lower(b); });
    return kWordMatch + score + (begins ? 50 : 0) - static_cast<int>(text.size()) / 8;
}

std::vector<PaletteRow> palette_rows(const FrameInput& input, const std::string& query) {
    const char prefix = query.empty() ? ' ' : query[0];
    const bool filtered = prefix == '>' || prefix == '@' || prefix == '#' || prefix == ':' || prefix == '?';
    const std::string words = filtered ? query.substr(1) : query;
    std::vector<PaletteRow> rows;
    if (prefix == ':') {
        const int wanted = std::atoi(words.c_str());
        for (const RoundSummary& round : input.scene.whole->round_list)
            if (round.round + 1 == wanted || words.empty())
                if (rows.size() < kMost)
                    rows.push_back({frame_says("find.round"_t, "round"_v = round.round + 1),
                                    frame_says("find.kept"_t, "guesses"_v = round.accepted), SceneCommand{SetCursor{round.end_event}}, 0});
        return rows;
    }
    if (!filtered)
        for (const Door& door : doors_of(input)) {
            constexpr int kDoor = 10; // what a window is opened for comes before a command that begins alike
            PaletteRow row{door.title, frame_says("find.door"_t), door.leads.back(), 0};
            if (row.score = score_of(words, row.label); row.score > 0) row.score += kDoor;
            if (row.score > 0) rows.push_back(std::move(row));
        }
    if (!filtered || prefix == '@')
        for (const SceneInfo& info : scene_list())
            add(rows, words,
                {frame_says("find.scene"_t, "scene"_v = message(info.title)), "S" + std::to_string(info.number),
                 SceneCommand{OpenScene{info.name}}, 0},
                std::string(info.name) + " " + english(message(info.title)));
    if (!filtered || prefix == '>')
        for (const ActionInfo& info : action_list())
            if (info.action != Action::palette && why_not(input, info.action).empty())
                add(rows, words, {message(info.label), ui::key_words(info.shortcut), PickAction{info.action}, 0}, both(message(info.also)));
    if (!filtered || prefix == '>') {
        add_scene_keys(rows, input, words);
        add_run_choices(rows, input, words);
        add_settings(rows, input, words);
        add_models(rows, input, words);
    }
    if (is_link(query)) return {{frame_says("files.link"_t), "", OpenFile{query}, 0}};
    if (!filtered && input.read)
        for (const auto& [title, file] : input.read->lectures)
            add(rows, words, {frame_says("find.lecture"_t, "title"_v = title), "", OpenFile{file}, 0}, lecture_words(file));
    if (!filtered && input.lecture)
        for (int i = 0; i < input.lecture->steps(); ++i) {
            const std::string& title = input.lecture->lecture->steps[static_cast<std::size_t>(i)].title;
            add(rows, words,
                {frame_says("find.step"_t, "step"_v = i + 1, "title"_v = title), frame_says("find.of_lecture"_t),
                 PickAction{Action::to_step, i}, 0},
                "lecture");
        }
    if (input.glossary && (prefix == '?' || (!filtered && words.size() > 2)))
        for (const GlossaryEntry* entry : glossary_matches(*input.glossary, words))
            rows.push_back({frame_says("find.word"_t, "term"_v = entry->term), frame_says("find.of_glossary"_t),
                            PickAction{Action::glossary, 1 + static_cast<int>(entry - input.glossary->data())},
                            kWordMatch - 1}); // what can be done comes first
    if (prefix == '#' || (!filtered && !words.empty())) add_tokens(rows, input, words);
    std::ranges::stable_sort(rows, [](const PaletteRow& a, const PaletteRow& b) { return a.score > b.score; });
    constexpr int kScattered = kWordMatch / 2; // letters here and there say nothing where a row has the words
    if (!rows.empty() && rows.front().score > kScattered) std::erase_if(rows, [](const PaletteRow& row) { return row.score < kScattered; });
    return rows;
}

std::vector<PaletteRow> fork_rows(const FrameInput& input) {
    constexpr int kForkTokens = 12, kForkTokensEach = 4; // the likeliest of a guess, and of each where all are listed
    std::vector<PaletteRow> rows;
    const LoopModel model = loop_model(input.scene);
    if (!model.round || !input.scene.settings) return rows;
    const int round = model.round->round, index = model.selected;
    const auto fork = [&](Fork f) { return SceneCommand{Command{std::move(f)}}; };
    RunSettings other = *input.scene.settings;
    ++other.fork;
    rows.push_back(
        {frame_says("branch.dice"_t, "round"_v = round + 1), frame_says("branch.same"_t), fork({.round = round, .settings = other}), 0});
    const auto force = [&](int at, int most) {
        const ColumnDistributions distributions = column_distributions(model, at);
        const Drafted* draft = model.columns[static_cast<std::size_t>(at)].draft;
        for (const DistributionRow& row : distribution_table(distributions.target, distributions.draft, most).rows) {
            if (row.id < 0 || (draft && row.id == draft->token)) continue;
            rows.push_back(
                {frame_says("branch.force"_t, "token"_v = token_said(*input.scene.trace, row.id), "guess"_v = at + 1),
                 frame_says("branch.chances"_t, "target"_v = distribution_number(row.target), "draft"_v = distribution_number(row.draft)),
                 fork({.round = round, .force_draft = std::pair{at, row.id}}), 0});
        }
    };
    // A pass, and what comes behind the last guess, are of all guesses.
    const int guesses = static_cast<int>(model.columns.size());
    if (index >= guesses || (model.phase == Phase::verify && !input.scene.selected)) {
        for (int at = 0; at < guesses; ++at) force(at, kForkTokensEach);
        return rows;
    }
    const LoopColumn& column = model.columns[static_cast<std::size_t>(index)];
    if (column.check && column.check->u && throws_coins(model.rule)) {
        const bool kept = column.check->accepted;
        const Message token = token_said(*input.scene.trace, column.draft->token);
        rows.push_back(
            {kept ? frame_says("branch.coin:rejects"_t, "token"_v = token) : frame_says("branch.coin:keeps"_t, "token"_v = token),
             frame_says("branch.u"_t, "u"_v = kept ? 0.99 : 0.0),
             fork({.round = round, .force_coin = std::pair{index, kept ? 0.999 : 0.0}}), 0});
    }
    force(index, kForkTokens);
    return rows;
}

void draw_palette(const FrameDraw& d, Rect box, bool& close) {
    if (draw_search(d, box, close, palette_rows, frame_says("find.field"_t), frame_says("find.prefixes"_t), Font::mono)) close = true;
}

std::vector<PaletteRow> model_rows(const FrameInput& input, const std::string& query) {
    std::vector<PaletteRow> rows;
    const bool path = query.find_first_of("/\\") != std::string::npos || query.ends_with(".gguf") || query.starts_with("~");
    if (path) return {{frame_says("models.open"_t), "", PickModel{from_home(query)}, 0}};
    if (input.models)
        for (const ModelChoice& model : *input.models)
            add(rows, query,
                {model.label, model.word == input.model ? frame_says("find.shown"_t, "detail"_v = model.detail) : model.detail,
                 PickModel{model.word}, 0},
                model.word);
    std::ranges::stable_sort(rows, [](const PaletteRow& a, const PaletteRow& b) { return a.score > b.score; });
    return rows;
}

void draw_models(const FrameDraw& d, Rect box, bool& close) {
    if (draw_search(d, box, close, model_rows, frame_says("models.field"_t), frame_says("models.below"_t), Font::text, true)) close = true;
}

std::vector<PaletteRow> open_rows(const FrameInput& input, const std::string& query) {
    std::vector<PaletteRow> rows;
    if (input.saved)
        for (const SavedFile& file : *input.saved)
            add(rows, query, {frame_says("files.saved"_t, "prompt"_v = file.label), file.detail, OpenFile{file.path}, 0});
    if (input.read)
        for (const auto& [title, file] : input.read->lectures)
            add(rows, query, {frame_says("find.lecture"_t, "title"_v = title), "", OpenFile{file}, 0}, lecture_words(file));
    std::ranges::stable_sort(rows, [](const PaletteRow& a, const PaletteRow& b) { return a.score > b.score; });
    const bool link = is_link(query);
    if (link || query.find_first_of("/.") != std::string::npos)
        rows.insert(rows.begin(), {link ? frame_says("files.link"_t) : frame_says("files.open"_t), "", OpenFile{from_home(query)}, 0});
    return rows;
}

void draw_open(const FrameDraw& d, Rect box, bool& close) {
    const bool any = d.input.saved && !d.input.saved->empty();
    // It goes once the file is open: a path that was mistyped stays to be corrected.
    (void)draw_search(d, box, close, open_rows, frame_says("files.field"_t),
                      any ? frame_says("files.newest"_t) : frame_says("files.none"_t), Font::text, true);
}

void draw_glossary(const FrameDraw& d, Rect box, bool& close) {
    if (!d.input.glossary) return;
    const std::string before = d.state.query;
    const bool enter = d.ui.take_press({.key = ui::Key::enter}, true);
    const ui::TextFieldResult field = ui::text_field(d.ui, "query", {box.x + 12, box.y + 12, box.w - 24, 36}, d.state.query,
                                                     {.take_focus = true, .placeholder = frame_says("term.field"_t)});
    if (d.state.query != before) d.state.row = 0;
    const std::vector<const GlossaryEntry*> found = glossary_matches(*d.input.glossary, d.state.query);
    std::vector<PaletteRow> rows;
    for (const GlossaryEntry* entry : found) rows.push_back({entry->term, "", SceneCommand{OpenScene{entry->scene}}, 0});
    const bool narrow = box.w < 640;
    // Above one another, the chosen word's text comes before a long list.
    constexpr float kWords = 250;
    const float room = box.h - 76, low = std::clamp(room - kWords, 64.0F, room / 2);
    const Rect list{box.x + 8, box.y + 60, narrow ? box.w - 16 : 280, narrow ? low : room};
    const Rect words = narrow ? Rect{box.x + 20, list.bottom() + 8, box.w - 40, box.bottom() - list.bottom() - 16}
                              : Rect{list.right() + 24, list.y, box.right() - list.right() - 48, list.h};
    if (const auto clicked = draw_rows(d, list, rows, false)) d.state.row = static_cast<int>(*clicked);
    if (field.cancelled) close = true;
    if (found.empty()) return;
    const GlossaryEntry& entry = *found[static_cast<std::size_t>(std::clamp<int>(d.state.row, 0, static_cast<int>(found.size()) - 1))];
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    ui::fitted_text(c, {words.x, words.y + 22}, entry.term, Font::text_bold, 20, t.ink, words.w);
    float y = words.y + 50;
    if (!entry.also.empty()) {
        std::string also;
        for (const std::string& other : entry.also) also += (also.empty() ? "" : ", ") + other;
        y = ui::paragraph(c, {words.x, y}, words.w, frame_says("term.also"_t, "words"_v = also), {.size = 14, .color = t.muted}) + 6;
    }
    constexpr float kButton = 60;
    ui::ParagraphStyle style{.color = t.ink};
    style.max_lines = 1 + std::max(0, static_cast<int>((box.bottom() - kButton - y) / ui::line_height(style.size)));
    ui::paragraph(c, {words.x, y}, words.w, entry.text, style);
    const SceneInfo* scene = find_scene(entry.scene);
    if (!scene) return;
    const Message label = frame_says("term.show"_t, "scene"_v = message(scene->title));
    const bool go = ui::button(d.ui, "go", {words.x, box.bottom() - 52, std::min(words.w, 240.0F), 36}, label,
                               {.kind = ui::ButtonKind::primary, .icon = ui::Icon::play});
    if (!go && !enter) return;
    d.out.push_back(SceneCommand{OpenScene{entry.scene}});
    if (entry.beat > 0) d.out.push_back(SceneCommand{SetBeat{entry.beat - 1}});
    close = true;
}

void draw_fork(const FrameDraw& d, Rect box, bool& close) {
    const std::vector<PaletteRow> rows = fork_rows(d.input);
    d.ui.canvas.text({box.x + 20, box.y + 34}, frame_says("branch.title"_t), Font::text_bold, 20, d.ui.theme.ink);
    ui::fitted_text(d.ui.canvas, {box.x + 20, box.y + 58}, frame_says("branch.about"_t), Font::text, 14, d.ui.theme.muted, box.w - 40);
    const bool enter = d.ui.take_key(ui::Key::enter);
    const auto run = draw_rows(d, {box.x + 8, box.y + 76, box.w - 16, box.h - 88}, rows, enter);
    if (run) {
        d.out.push_back(rows[*run].command);
        close = true;
    }
}

} // namespace speclens
