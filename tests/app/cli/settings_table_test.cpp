// Every entry of the table of settings is everywhere: as an option, in links and lectures, in every file, in help, completion and manual.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sstream>

#include "app/cli/compare/compare_rows.h"
#include "app/cli/setup.h"
#include "app/views/lecture.h"
#include "engine/base/json.h"
#include "engine/lab/race_json.h"
#include "engine/run/options_json.h"
#include "engine/run/saved_settings.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"
#include "tests/app/cli/support.h"
#include "tests/shared/setting_values.h"

namespace speclens::cli {
namespace {

using test::run_with;
using Written = RunSetting::Written;

bool is_option_of(const RunSetting& setting, Command command) {
    const std::string name = "--" + std::string(setting.option);
    return std::ranges::any_of(option_rows(), [&](const OptionRow& row) { return row.name == name && applies(row, command); });
}

Options typed_for(Command command, const RunSetting& setting, const RunSettings& run) {
    const bool lanes = command == Command::compare;
    std::vector<std::string> words = {lanes ? "compare" : "run", lanes ? "--drafters" : "--drafter", run.drafter};
    const auto add = [&](const std::string& option, const std::string& value) {
        if (std::ranges::find(words, "--" + option) == words.end()) words.insert(words.end(), {"--" + option, value});
    };
    if (std::string_view(setting.option) != "drafter") {
        words.push_back("--" + std::string(setting.option));
        if (!setting.is_switch()) words.push_back(text_of(setting, run));
    }
    add("temp", std::to_string(run.sampling.temperature));
    if (run.rule != judging_rule("token", run.drafter)) add("rule", run.rule);
    if (run.prompt.chat && std::string_view(setting.option) != "chat") words.emplace_back("--chat");
    if (std::string_view(setting.option) == "lens") words.insert(words.end(), {"--json", "trace.jsonl"}); // where else would it be seen?
    Options options = parse(words);
    read_prompt(options);
    return options;
}

bool is_kept(const RunSetting& setting, const RunSettings& before, const RunSettings& after) {
    return setting.get(before) == setting.get(after);
}

// ---- the places; each says whether the setting is there ----

bool on_the_command_line(const RunSetting& setting) {
    const RunSettings run = run_with(setting);
    const Options options = typed_for(Command::run, setting, run);
    check_drafter_options(options, {run.drafter}, 12);
    return is_kept(setting, run, run_settings(options, options.drafters.at(0).name, 0));
}

Link link_of(const RunSettings& run) {
    Link link;
    link.scene = "loop";
    link.options = options_of(run);
    return link;
}

bool in_links(const RunSetting& setting) {
    if (setting.linked == Written::never) return true;
    const RunSettings run = run_with(setting);
    Options options = parse({"run", to_text(link_of(run))});
    read_prompt(options);
    check_drafter_options(options, {run.drafter}, 12);
    return is_kept(setting, run, run_settings(options, options.drafters.at(0).name, 0));
}

bool in_lectures(const RunSetting& setting) {
    if (setting.linked == Written::never) return true;
    const test::TempFolder folder;
    const std::filesystem::path file = folder.path() / "one.lec.toml";
    const Link link = link_of(run_with(setting));
    test::write_file(file, "title = \"One\"\n[[step]]\ntitle = \"A step\"\nlink = '" + to_text(link) + "'\n");
    const Link read = load_lecture(file).steps.at(0).link;
    const auto stands = [&](const auto& option) { return option.first == setting.option; };
    return read == link && std::ranges::any_of(read.options, stands);
}

bool in_saved_runs(const RunSetting& setting) {
    if (setting.saved == Written::never) return true;
    const RunSettings run = run_with(setting);
    Header header;
    take_settings(run, header); // and what a run makes of the rest, engine/run/run.cpp
    header.options = run.options;
    header.draft_ids = run.options.fr_spec;
    header.prompt = run.prompt.token_ids;
    header.prompt_text = run.prompt.text;
    if (run.prompt.chat) header.chat = Header::Chat{run.prompt.text, run.prompt.system, run.prompt.thinking};
    Trace trace([](int) { return std::string("x"); });
    trace.append(header);
    std::istringstream in(TraceWriter(trace).line(trace[0]) + "\n");
    const std::shared_ptr<const Trace> back = read_trace(in, "memory");
    if (std::string_view(setting.option) == "token-ids") return back->header()->prompt == run.prompt.token_ids; // as ids and as text
    return is_kept(setting, run, settings_of(*back->header()));
}

bool in_saved_races(const RunSetting& setting) {
    if (setting.saved == Written::never) return true;
    const RunSettings run = run_with(setting);
    RaceView race;
    race.settings.base = run;
    race.settings.lanes = {{run.drafter, run.rule, run.k}};
    race.lanes.resize(1);
    race.lanes[0].settings = run;
    race.lanes[0].problem = "was not run";
    const RaceView back = read_race(race_json(race), "race.json");
    return is_kept(setting, run, back.lanes.at(0).settings);
}

struct Compared {
    OrderedJson json;
    std::string csv;
};
Compared compared(const RunSetting& setting) {
    const RunSettings run = run_with(setting);
    const Options options = typed_for(Command::compare, setting, run);
    std::vector<Contestant> contestants(1);
    contestants[0].name = run.drafter;
    contestants[0].settings = run_settings(options, run.drafter, 0);
    Header header;
    take_settings(contestants[0].settings, header);
    std::vector<Row> rows(1);
    rows[0].contestant = contestants.data();
    rows[0].domain = "all";
    const std::vector<ListedPrompt> prompts;
    const CompareFacts facts{
        .header = header, .backend = "cpu", .model = "tiny", .options = options, .contestants = contestants, .prompts = prompts};
    return {OrderedJson::parse(compare_json(rows, facts)), compare_csv(rows, facts)};
}

bool in_json_of_compare(const RunSetting& setting) {
    if (!is_option_of(setting, Command::compare) && std::string_view(setting.option) != "drafter") return true;
    const auto settings = compared(setting).json.at("settings");
    const auto expected = value_json(setting, run_with(setting));
    if (std::string_view(setting.option) == "drafter") return settings.at("drafters").at(0) == expected;
    if (std::string_view(setting.option) == "rule-param") return settings.at("rule_params").at("lenience") == 0.5;
    if (!settings.contains(setting.key)) return false;
    const auto& value = settings.at(setting.key);
    return value == expected || (value.is_array() && value.size() == 1 && value[0] == expected); // of several K
}

bool in_csv_of_compare(const RunSetting& setting) {
    if (!is_option_of(setting, Command::compare) && std::string_view(setting.option) != "drafter") return true;
    std::istringstream lines(compared(setting).csv);
    std::string head, row;
    std::getline(lines, head), std::getline(lines, row);
    head = "," + head + ",", row = "," + row + ",";
    const std::string value = setting.is_switch() ? "yes" : text_of(setting, run_with(setting));
    const std::string cell = value.find(',') == std::string::npos ? value : '"' + value + '"';
    return head.find("," + std::string(setting.key) + ",") != std::string::npos && row.find("," + cell + ",") != std::string::npos;
}

// As a word of its own.
bool names(const std::string& text, const std::string& word) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        const char after = at + word.size() < text.size() ? text[at + word.size()] : ' ';
        if (!std::isalnum(static_cast<unsigned char>(after)) && after != '-' && after != '\\') return true;
    }
    return false;
}

std::string dashed(const RunSetting& setting) { return "--" + std::string(setting.option); }

bool in_help(const RunSetting& setting) {
    bool somewhere = false;
    for (const CommandRow& command : command_rows()) {
        if (!is_option_of(setting, command.command)) continue;
        somewhere = true;
        if (!names(help_text(command.command), dashed(setting))) return false;
    }
    return somewhere;
}

const std::string& printed(const std::vector<std::string>& arguments) {
    static std::map<std::vector<std::string>, std::string> texts;
    const auto [at, is_new] = texts.try_emplace(arguments);
    if (is_new) at->second = test::speclens(arguments).out;
    return at->second;
}

bool in_bash(const RunSetting& setting) { return names(printed({"completion", "bash"}), dashed(setting)); }
bool in_zsh(const RunSetting& setting) { return names(printed({"completion", "zsh"}), dashed(setting)); }
bool in_fish(const RunSetting& setting) { return names(printed({"completion", "fish"}), " -l " + std::string(setting.option)); }
bool in_the_manual(const RunSetting& setting) {
    std::string name = dashed(setting);
    for (std::size_t at = 0; (at = name.find('-', at)) != std::string::npos; at += 2) name.insert(at, 1, '\\');
    return names(printed({"man"}), ".B " + name);
}

struct Place {
    const char* name;
    bool (*has)(const RunSetting&);
};
// clang-format off
constexpr Place kOfRuns[] = {{"the command line", on_the_command_line}, {"links", in_links},          {"lectures", in_lectures},
                             {"saved runs", in_saved_runs},             {"saved races", in_saved_races}, {"compare --json", in_json_of_compare},
                             {"compare --csv", in_csv_of_compare}};
// clang-format on
constexpr Place kTexts[] = {{"help", in_help}, {"bash", in_bash}, {"zsh", in_zsh}, {"fish", in_fish}, {"the manual page", in_the_manual}};

std::vector<std::string> where_missing(const RunSetting& setting) {
    std::vector<std::string> missing;
    const auto look = [&](const Place& place) {
        try {
            if (!place.has(setting)) missing.emplace_back(place.name);
        } catch (const std::exception& error) {
            missing.push_back(std::string(place.name) + ": " + error.what());
        }
    };
    if (setting.of == RunSetting::Of::run) std::ranges::for_each(kOfRuns, look);
    std::ranges::for_each(kTexts, look);
    return missing;
}

TEST(SettingsTable, EveryEntryIsEverywhere) {
    std::set<std::string> options;
    for (const RunSetting& setting : run_setting_list()) {
        EXPECT_TRUE(options.insert(setting.option).second) << setting.option;
        EXPECT_EQ(find_run_setting(setting.option), &setting);
        const std::vector<std::string> missing = where_missing(setting);
        std::string places;
        for (const std::string& place : missing) places += "\n  " + place;
        EXPECT_TRUE(missing.empty()) << setting.option << " is not in" << places;
    }
    EXPECT_GT(options.size(), drafter_settings().size() + 15);
}

TEST(SettingsTable, KMayBeAuto) {
    const auto typed = [](const std::vector<std::string>& words) { return run_settings(parse(words), "small", 0); };
    EXPECT_EQ(typed({"run", "--k", "auto"}).k, kMostAuto);
    EXPECT_TRUE(typed({"run", "--k", "auto"}).k_auto);
    EXPECT_EQ(typed({"run", "--k-auto"}).k, kMostAuto);
    EXPECT_EQ(typed({"run", "--k", "8", "--k-auto"}).k, 8);
    EXPECT_FALSE(typed({"run", "--k", "8"}).k_auto);
    const Options several = parse({"compare", "--k", "2,4,auto"});
    EXPECT_EQ(several.lengths, (std::vector<int>{2, 4}));
    EXPECT_TRUE(several.run.k_auto);
    EXPECT_TRUE(several.unbounded_auto);
    EXPECT_FALSE(parse({"compare", "--k", "8", "--k-auto"}).unbounded_auto) << "8 at most, as for run";
    for (const std::vector<std::string>& words : {std::vector<std::string>{"sweep", "--k", "auto"},
                                                  {"bench", "--k", "auto"},
                                                  {"lossless", "--k", "auto"},
                                                  {"advise", "--k", "auto"},
                                                  {"lossless", "--k-auto"},
                                                  {"run", "--k", "automatic"},
                                                  {"run", "--k-rounds", "4*x"}})
        EXPECT_THROW((void)parse(words), Error) << words[0] << " " << words[1];
    // A link carries what the rounds asked for.
    RunSettings run = typed({"run", "--k-auto"});
    run.k_rounds = "4*3,0*20,2";
    const Options back = parse({"run", to_text(link_of(run))});
    EXPECT_EQ(back.run.k_rounds, run.k_rounds);
    EXPECT_TRUE(back.run.k_auto);
}

TEST(SettingsTable, OneThatIsMissingIsNoticedEverywhere) {
    EXPECT_EQ(where_missing(test::planted_setting()).size(), std::size(kOfRuns) + std::size(kTexts) - 2)
        << "all but the two ways that compare writes, of which it is no option";
}

TEST(SettingsTable, AWordAndItsOppositeBelongTogether) {
    for (const RunSetting& setting : run_setting_list()) {
        if (*setting.opposite == '\0') continue;
        const RunSettings defaults;
        const Options there = parse({"run", "--" + std::string(setting.option)}),
                      back = parse({"run", "--" + std::string(setting.opposite)});
        EXPECT_NE(setting.get(there.run), setting.get(defaults)) << setting.option;
        EXPECT_EQ(setting.get(back.run), setting.get(defaults)) << setting.opposite;
        EXPECT_THROW((void)parse({"run", "--" + std::string(setting.option), "--" + std::string(setting.opposite)}), Error)
            << setting.option;
    }
}

// A kind is counted from the list of types: not every C++ library makes such a variant before the program runs.
template <class... Kinds>
bool counts_kinds(const std::variant<Kinds...>*) {
    return ((kKindOf<Kinds> == SettingValue(std::in_place_type<Kinds>).index()) && ...);
}

TEST(SettingsTable, AKindIsTheIndexOfItsValue) {
    EXPECT_TRUE(counts_kinds(static_cast<const SettingValue*>(nullptr)));
    static_assert(kKindOf<std::monostate> == 0 && kKindOf<std::vector<int>> + 1 == std::variant_size_v<SettingValue>);
}

TEST(SettingsTable, SaysWhoReadsASetting) {
    EXPECT_EQ(readers_of(*find_run_setting("k")), "every drafter but none");
    EXPECT_EQ(readers_of(*find_run_setting("seed")), "");
    EXPECT_EQ(readers_of(*find_run_setting("ngram-recent")), "lookup");
    EXPECT_EQ(find_run_setting("no-such-option"), nullptr);
    EXPECT_EQ(find_run_setting(""), nullptr);
}

} // namespace
} // namespace speclens::cli
