// `speclens list published`: what others claim, under which conditions, where it stands, and what speaks
// against it.
#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/terminal.h"
#include "engine/base/json.h"
#include "engine/models/models.h"
#include "engine/published/published.h"
#include "engine/published/published_words.h"

namespace speclens::cli {

namespace {

using Figures = std::vector<const PublishedFigure*>;

constexpr int kValueColumn = 2;
constexpr int kTextColumn = 22;

template <typename T>
OrderedJson or_null(const std::optional<T>& value) {
    return value ? OrderedJson(*value) : OrderedJson(nullptr);
}

OrderedJson json_of(const PublishedFigure& figure, const PublishedSource& source) {
    OrderedJson json = {{"id", figure.id},
                        {"claim", figure.claim},
                        {"method", figure.method},
                        {"variant", figure.variant},
                        {"quantity", figure.quantity},
                        {"form", form_word(figure.form)},
                        {"value", figure.values.size() == 1 ? OrderedJson(figure.values[0]) : OrderedJson(figure.values)},
                        {"unit", figure.unit}};
    if (figure.form == Form::list)
        json["at"] = {{"name", figure.at},
                      {"values", figure.positions.empty() ? OrderedJson(figure.labels) : OrderedJson(figure.positions)}};
    json["model"] = or_null(figure.model);
    json["dataset"] = or_null(figure.dataset);
    json["hardware"] = or_null(figure.hardware);
    json["engine"] = or_null(figure.engine);
    json["batch"] = or_null(figure.batch);
    json["budget"] = or_null(figure.budget);
    json["temperature"] = or_null(figure.temperature);
    json["source"] = {{"id", source.id}, {"title", source.title}, {"by", source.by}, {"identifier", source.identifier}};
    json["place"] = or_null(figure.place);
    json["date"] = or_null(figure.date);
    json["status"] = published_standing(figure);
    json["conflicts_with"] = OrderedJson::array();
    for (const PublishedConflict& conflict : figure.conflicts)
        json["conflicts_with"].push_back({{"id", conflict.with}, {"why", conflict.why}});
    return json;
}

class Listing {
  public:
    explicit Listing(const Published& published) : published_(published), terminal_(standard_terminal(When::automatic)) {}

    void method(const std::string& name, const Figures& figures) {
        print(terminal_.paint(Tone::strong, name) + "\n");
        for (const PublishedFigure* figure : figures) row(*figure);
        bool any = false;
        for (const PublishedFigure* figure : figures) any = explain(*figure, any) || any;
        print("\n");
    }

  private:
    // Words at the text column, broken at the width of the terminal.
    void text(const std::string& words, Tone tone) {
        if (words.empty()) return;
        const std::string indent(kTextColumn, ' ');
        std::string lines = wrap(words, terminal_.width - kTextColumn);
        for (std::size_t at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + 1)) lines.insert(at + 1, indent);
        print(indent + terminal_.paint(tone, lines) + "\n");
    }
    void row(const PublishedFigure& figure) {
        const bool wrong = figure.standing == Standing::wrong;
        const std::string mark = wrong ? "✕" : figure.conflicts.empty() ? " " : "!";
        std::string value = pad(published_value(figure), kTextColumn - kValueColumn - 1);
        print(terminal_.paint(wrong ? Tone::rejected : Tone::residual, mark) + " " +
              terminal_.paint(wrong ? Tone::rejected : Tone::strong, value) + " ");
        const std::string claim = wrap(figure.claim, terminal_.width - kTextColumn);
        print(claim.substr(0, claim.find('\n')) + "\n");
        if (const std::size_t end = claim.find('\n'); end != std::string::npos) text(claim.substr(end + 1), Tone::plain);
        text(published_series(figure), Tone::plain);
        text(published_conditions(figure), Tone::plain);
        const bool bare = figure.standing == Standing::as_published;
        text(published_citation(figure, published_.source_of(figure)) + " [" + figure.id + "]" +
                 (bare ? "" : "; " + published_standing(figure)),
             Tone::muted);
    }
    // The conflicts of a figure, under the method's rows; each pair is printed on the side met first.
    bool explain(const PublishedFigure& figure, bool headed) {
        bool any = false;
        for (const PublishedConflict& conflict : figure.conflicts) {
            const PublishedFigure& other = *published_.find(conflict.with);
            const bool same_block = other.method == figure.method;
            if (same_block && conflict.with < figure.id) continue;
            if (!headed && !any) print(terminal_.paint(Tone::strong, "! disagreements") + "\n");
            any = true;
            print("  " + figure.id + " " + published_value(figure) + "  against  " + other.id + " " + published_value(other) + "\n");
            text(conflict.why, Tone::plain);
        }
        return any;
    }

    const Published& published_;
    Terminal terminal_;
};

} // namespace

Exit list_published(const Options& options) {
    const Published published = Published::load(assets_folder() / "published");
    std::vector<std::string> methods = published.methods();
    if (options.words.size() > 1) {
        const std::string& asked = options.words[1];
        if (std::find(methods.begin(), methods.end(), asked) == methods.end()) unknown_name("method", asked, methods);
        methods = {asked};
    }
    if (!options.json.empty()) {
        OrderedJson json = OrderedJson::array();
        for (const std::string& method : methods)
            for (const PublishedFigure* figure : published.select({.method = method}))
                json.push_back(json_of(*figure, published.source_of(*figure)));
        print(json.dump(2) + "\n");
        return Exit::ok;
    }
    Listing listing(published);
    for (const std::string& method : methods) listing.method(method, published.select({.method = method}));
    print("! disagrees with another figure, explained below the method   ✕ wrong in its source\n");
    return Exit::ok;
}

} // namespace speclens::cli
