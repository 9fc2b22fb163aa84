// Public checkpoints whose layout the engine reads: assets/public/models.json, for `speclens list models`, `list heads` and *Drafters*.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace speclens {

struct PublicModel {
    std::string repository; // "Qwen/Qwen3-4B"
    std::string kind;       // "target" or "head"
    std::string drafter;    // heads: the name in drafters.inc
    std::string target;     // heads: repository of the target
    std::string about;
    std::string source;    // where name and layout come from
    double parameters = 0; // 0: not known
    std::string licence;   // heads: as a source names it; empty: none was found
    std::string refused;   // heads: why one does not open here; empty: nothing says that it would not
    // Heads: what was published of one; none was found otherwise. Never measured here.
    struct Acceptance {
        double tokens_per_round = 0; // the target's own included
        std::string dataset;
        int k = 0;                         // draft tokens in a row
        std::optional<double> temperature; // absent: not said
        std::vector<double> places;        // shares of all rounds that kept the draft token there
        std::string source;
        bool second_hand = false; // the maker's own words were not read
    };
    std::optional<Acceptance> acceptance;
    [[nodiscard]] std::string maker() const { return repository.substr(0, repository.find('/')); }
};

// Throws Error naming the file and the field.
[[nodiscard]] std::vector<PublicModel> read_public_models(const std::filesystem::path& file);

// Heads of the target that was loaded as `target`: the name of its repository, its folder or its GGUF file ("Qwen3-1.7B",
// "unsloth/Llama-3.2-1B-Instruct", "Qwen3-1.7B-Q8_0").
[[nodiscard]] std::vector<PublicModel> heads_for(const std::vector<PublicModel>& models, const std::string& target);
// "4.573 tokens per round on HumanEval (K = 8, T = 1, second-hand)"; empty: nothing was published.
[[nodiscard]] std::string acceptance_words(const PublicModel& head);
// The line that fetches it with Hugging Face's own program, into a folder of its name.
[[nodiscard]] std::string fetching_line(const std::string& repository);

} // namespace speclens
