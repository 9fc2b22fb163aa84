// Published figures with their sources: assets/published/*.json, read strictly, because people quote them.
// No such number stands in code. `sources.json` lists the sources; every other file holds figures:
//   {"schema":"speclens-published/1","about":TEXT,"groups":[{"common":{FIELD:…},"entries":[{FIELD:…},…]},…]}
// A figure has the fields of its entry and those of "common"; a field in both, an unknown or a missing one, a
// wrong type, an id twice, a source or a conflict that does not exist is an Error that names file, entry and
// field. null in a field that allows it means that the source does not say. The fields are described in
// assets/published/README.md, in the order of the struct below.
//
// Joining figures into points of a chart (tokens per round against the cost of a round): figures belong to
// one experiment when (source, model, dataset, hardware) agree, null being a value of its own; inside an
// experiment they belong to one point when method, variant, engine, batch, budget and temperature agree too.
// The loader refuses two figures of one quantity for one point, so operating_points() is never ambiguous.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/published/public_models.h"

namespace speclens {

struct PublishedSource {
    std::string id, title, by;
    std::string identifier; // "arXiv:…", "github.com/OWNER/NAME issue 12", an address
};

enum class Form : std::uint8_t { exact, about, up_to, below, over, range, list };
[[nodiscard]] const char* form_word(Form form); // as files say it: "up to"
enum class Standing : std::uint8_t { as_published, second_hand, derived, wrong };

struct PublishedConflict {
    std::string with; // id of the other figure
    std::string why;
};

struct PublishedFigure {
    std::string id, claim; // the claim in our own words
    std::string method;    // a drafter or rule, "none" for plain decoding
    std::string variant;   // tells figures of one method apart; mostly empty
    std::string quantity;  // "speedup", "tokens_per_round", … : published_quantities()
    Form form = Form::exact;
    std::vector<double> values;      // one; a range has two, a list as many as `labels`
    std::string unit;                // "x", "tokens", "ms", …
    std::string at;                  // a list: what `labels` are, such as "draft tokens K"
    std::vector<std::string> labels; // a list: one for each value
    std::vector<double> positions;   // the labels as numbers; empty where they are words
    std::optional<std::string> model, dataset, hardware, engine;
    std::optional<int> batch, budget; // requests at a time; draft tokens, counted as the source counts them
    std::optional<double> temperature;
    std::optional<double> acceptance;       // a calculation's: the chance of every draft token to be accepted
    std::string source;                     // id of a PublishedSource
    std::optional<std::string> place, date; // table, figure or section; YYYY, YYYY-MM or YYYY-MM-DD
    Standing standing = Standing::as_published;
    std::string reason;                       // what stands after the colon of "status"; empty as published
    bool rates_divided = false;               // derived: two rates that the source measured, its own speed-up though not printed
    bool untraced = false;                    // second-hand, and nobody says from where
    std::vector<PublishedConflict> conflicts; // stated on either side, in order of the ids
    std::string file;                         // "published/domino.json"
};

// Empty fields ask for nothing.
struct PublishedQuery {
    std::string_view method = {}, quantity = {}, unit = {}, source = {};
};

// Everything known of one method under one set of conditions. Figures that are wrong in their source and
// bounds ("up to", "below") take no part.
struct OperatingPoint {
    const PublishedFigure* any = nullptr; // conditions of the point: model, dataset, hardware, engine, …
    const PublishedFigure* tokens_per_round = nullptr;
    const PublishedFigure* speedup = nullptr;
    const PublishedFigure* draft_ms = nullptr;
    const PublishedFigure* head_ms = nullptr;
    const PublishedFigure* verify_ms = nullptr;
    const PublishedFigure* target_ms = nullptr; // one plain step of the same experiment, whatever the method
    // A round measured in plain steps of the target: tokens per round over speed-up. Lines through the origin
    // of a chart with tokens per round over this cost are lines of equal speed-up.
    [[nodiscard]] std::optional<double> round_cost() const;
};

class Published {
  public:
    // Figures in order of method, file and place in the file. Throws Error. With `left_out`, a file with a
    // mistake is left out instead, and what is wrong with it is added there.
    [[nodiscard]] static Published load(const std::filesystem::path& folder, std::vector<std::string>* left_out = nullptr);

    [[nodiscard]] std::span<const PublishedSource> sources() const { return sources_; } // by id
    [[nodiscard]] std::span<const PublishedFigure> figures() const { return figures_; }
    [[nodiscard]] const PublishedSource& source_of(const PublishedFigure& figure) const;
    [[nodiscard]] const PublishedFigure* find(std::string_view id) const; // null: there is none
    [[nodiscard]] std::vector<const PublishedFigure*> select(const PublishedQuery& query) const;
    [[nodiscard]] std::vector<std::string> methods() const; // each once, sorted
    [[nodiscard]] std::size_t conflict_count() const;       // pairs
    // Points with tokens per round, a speed-up or a drafting time, in order of their first figures.
    [[nodiscard]] std::vector<OperatingPoint> operating_points() const;
    // Public checkpoints: ../public/models.json, where it is there (engine/published/public_models.h).
    [[nodiscard]] const std::vector<PublicModel>& models() const { return models_; }

  private:
    std::vector<PublicModel> models_;
    std::vector<PublishedSource> sources_;
    std::vector<PublishedFigure> figures_;
};

// Names of the quantities that files may use, with the units of each ("" allows any).
struct PublishedQuantity {
    const char *name, *units; // units separated by |
};
[[nodiscard]] std::span<const PublishedQuantity> published_quantities();

[[nodiscard]] double middle(const PublishedFigure& figure); // the value, or the middle of a range

} // namespace speclens
