#include "app/cli/cost.h"

#include "engine/base/csv.h"
#include "engine/models/models.h"
#include "engine/published/published.h"
#include "engine/published/published_words.h"

namespace speclens::cli {

std::optional<Rent> rent_asked(const Options& options) {
    if (options.price.empty() && options.prices.empty()) return {};
    return rent_of(read_prices(options.prices.empty() ? assets_folder() / "prices.toml" : options.prices), options.price);
}

std::string cost_text(double cost) {
    if (cost <= 0) return "–";
    if (cost < 0.1) return number(cost, 4);
    return number(cost, cost < 10 ? 3 : 1);
}

OrderedJson price_json(const Rent& rent) {
    OrderedJson parts = OrderedJson::array();
    for (const Rent::Part& part : rent.parts)
        parts.push_back({{"count", part.count},
                         {"name", part.price.name},
                         {"what", part.price.what},
                         {"per_hour", part.price.per_hour},
                         {"date", part.price.date},
                         {"source", part.price.source}});
    return {{"per_hour", rent.per_hour}, {"currency", rent.currency}, {"parts", parts}};
}

std::string cost_head(const Rent& rent) { return rent.currency + "/Mtok"; }

std::string cost_notes(const Rent& rent, const std::string& tier, const Terminal& terminal) {
    std::string text = "Cost of a million new tokens: computed from the " + tier + " speeds above and a price of " +
                       number(rent.per_hour, 4) + " " + rent.currency + " an hour for " + rent.words() +
                       ", if it were this fast and never idle.";
    for (const Rent::Part& part : rent.parts)
        text += " " + part.price.name + " (" + part.price.what + "): " + number(part.price.per_hour, 4) + ", " + part.price.date + ", " +
                part.price.source + ".";
    text = wrap(text, terminal.prose_width()) + "\n";
    const Published published = Published::load(assets_folder() / "published");
    const PublishedFigure* figure = published.find("dynamo-production-cost");
    if (figure == nullptr) return text;
    std::string beside = "Beside it, [PUBLISHED] by " + published_citation(*figure, published.source_of(*figure)) +
                         " and not measured here: " + published_series(*figure) + " (" + figure->unit + "). " +
                         published_standing(*figure) + ".";
    for (const PublishedConflict& conflict : figure->conflicts) beside += " " + conflict.why;
    return text + terminal.paint(Tone::muted, wrap(beside, terminal.prose_width())) + "\n";
}

std::string fact_cells(const Header& header, const RunSettings& settings) {
    std::string cells;
    for (const std::string& text :
         {header.model, header.fingerprint, header.weights, std::string(name_of(header.precision)), header.machine, header.date,
          OrderedJson(settings.sampling.temperature).dump(), std::to_string(header.sampling.top_k),
          OrderedJson(settings.sampling.top_p).dump(), std::to_string(settings.seed), std::to_string(settings.max_tokens)})
        cells += "," + csv_cell(text);
    return cells;
}

} // namespace speclens::cli
