// From options to what the engine takes: folders, settings, prompts. Every problem is named before models
// load.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/cli/options.h"
#include "engine/lab/race.h"
#include "engine/models/models.h"
#include "engine/recall/answer_memory.h"

namespace speclens::cli {

// The value of the variable that --key-from names; empty without the option. Throws Error (usage) when it is
// not set.
[[nodiscard]] std::string server_key(const Options& options);
// Throws Error (usage) when a result would replace what it is made from, or another result. Before
// read_prompt().
void check_outputs(const Options& options);
void read_small_ids(Options& options);                          // of a file: how many ids it names
void read_prompt(Options& options);                             // @FILE and @- become the text; once, because standard input has one end
[[nodiscard]] bool target_is_server(const Options& options);    // --model is an address
[[nodiscard]] std::string loaded_model(const Options& options); // as links name it
[[nodiscard]] ModelPaths model_paths(const Options& options);
// The folder that was typed for the model or head of `drafter`, also where the other of chain and tree names
// it; empty: none.
[[nodiscard]] std::filesystem::path folder_of(const Options& options, const std::string& drafter);
// Settings of one run with this drafter. `temperature`: what holds when --temp is not given.
[[nodiscard]] RunSettings run_settings(const Options& options, const std::string& drafter, double temperature);
// The drafter of --drafter; the default is `by_default`: what was measured best of a model that is known by its name, see opening_view(),
// else default_drafter().
[[nodiscard]] std::string chosen_drafter(const Options& options, const Models& models);
[[nodiscard]] std::string chosen_drafter(const Options& options, const std::string& by_default);
// The same for a command that drafts with no other; throws Error (model) where these models cannot run it.
[[nodiscard]] std::string working_drafter(const Options& options, const Models& models);
// The answers of earlier runs that --suffix-memory names, and models that draft from them too. Nothing without the option.
// Throws Error where no drafter reads them, or where the file is something else.
struct Remembering {
    std::optional<AnswerMemory> memory;
    std::shared_ptr<const Models> models;
};
[[nodiscard]] Remembering remembering(const Options& options, std::shared_ptr<const Models> models,
                                      const std::vector<std::string>& drafters);
void keep_answers(const Remembering& what); // writes the file and says what is in it
// Loads with a progress bar, and says on standard error what the folders leave open (notices_of); Ctrl+C
// throws Interrupted.
[[nodiscard]] std::shared_ptr<const Models> load(const Options& options);
// The same for who lists the notices in another place.
[[nodiscard]] std::shared_ptr<const Models> load_without_notices(const Options& options);
[[nodiscard]] std::string forms_of(const Model& model); // "Q4_1 and Q8_0": of its matrices, that of most bytes first
// Throws Error (usage) when an option was typed that `drafter` has no use for.
void check_drafter_options(const Options& options, const std::vector<std::string>& drafters, int target_layers);
// What K auto of these runs goes by, before the first of them begins: of --k-costs, or nominal where nothing is timed. Throws Error where
// --k-costs is for none of them.
void settle_costs(const Options& options, const std::shared_ptr<const Models>& models, std::span<const RunSettings> runs);
// Throws Error where --thinking was typed and changes nothing for this model's chats; says so of a link.
void check_thinking(const Options& options, const Models& models);

// One of a list: what is asked, and what its line says beside that.
struct ListedPrompt {
    Prompt ask = {.text = ""};
    std::string domain = {};
    std::optional<double> temperature = {}; // sample
    std::optional<int> max_tokens = {};
};
// Says so where the built-in chats are asked as text, because the format of the model's chats is not known.
void say_if_asked_as_text(const Models& models);
// Throws Error for a domain that cannot be one of a table.
void check_domain(const std::string& domain, const std::string& where);
// The prompts of --prompt, --token-ids, --prompts or --set, or the gallery that suits the target; only those of --domain.
[[nodiscard]] std::vector<ListedPrompt> prompts_of(const Options& options, const Models& models);
// The texts of --prompts or --set, or of the gallery that suits the target. Throws Error for a file with anything else in it.
[[nodiscard]] std::vector<GalleryPrompt> prompt_texts(const Options& options);

// The race that the options ask for: greedy, kRaceDrafts draft tokens (four on any other model) and a prompt of the gallery unless said
// otherwise, averages over the gallery. Lanes are empty when no drafters were named. `text`: the models have
// a tokenizer.
[[nodiscard]] RaceSettings race_settings(const Options& options, bool text);
[[nodiscard]] RunSettings with_prompt(RunSettings settings, Prompt prompt);

// What the built-in model and those known by name are asked when nobody typed a prompt: a chat turn whose answer has something to see.
inline constexpr const char* kFirstPrompt = "Write a short poem about the moon.";
inline constexpr double kWalkTemperature = 0.8; // run, render, describe and the window: coins are what there is to see

} // namespace speclens::cli
