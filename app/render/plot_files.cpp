#include "app/render/plot_files.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "engine/base/csv.h"
#include "engine/base/json.h"

namespace speclens {
namespace {

using ui::PlotDatum;
using ui::PlotMark;
using ui::PlotSeries;
using ui::RecordedText;
using ui::Rect;

constexpr float kLanesApart = 90; // at most so many pixels between two lanes of one plot

struct Plot {
    Rect place;
    std::vector<PlotSeries> series;
    std::string title, x_title;
    [[nodiscard]] bool of(PlotMark mark) const { return series.front().mark == mark; } // spans and rows are never mixed with others
    [[nodiscard]] bool all(PlotMark mark) const {
        return std::ranges::all_of(series, [&](const PlotSeries& one) { return one.mark == mark; });
    }
    [[nodiscard]] bool has(PlotMark mark) const {
        return std::ranges::any_of(series, [&](const PlotSeries& one) { return one.mark == mark; });
    }
};

bool near(float a, float b) { return std::abs(a - b) < 1; }

bool belongs(const PlotSeries& one, const Plot& plot) {
    const Rect &a = one.plot, &b = plot.place;
    if (!near(a.x, b.x) || !near(a.w, b.w)) return false;
    if (one.mark == PlotMark::spans || plot.of(PlotMark::spans))
        return one.mark == PlotMark::spans && plot.of(PlotMark::spans) && a.y < b.bottom() + kLanesApart && b.y < a.bottom() + kLanesApart;
    return near(a.y, b.y) && near(a.h, b.h) && (one.mark == PlotMark::rows) == plot.of(PlotMark::rows);
}

// The nearest heading above it; of two beside each other the one that begins left of it. Names that are bold, because they are chosen,
// are smaller, and so are headings of cards, which stand close above their plot.
std::string heading_of(const Rect& place, bool lanes, const std::vector<RecordedText>& texts) {
    constexpr float kLeast = 15, kOfCard = 14, kClose = 26; // pixels
    const RecordedText* found = nullptr;
    for (const RecordedText& text : texts) {
        if (text.font != ui::Font::text_bold || text.baseline > place.y || text.box.x > place.x + 40) continue;
        if (text.size < (!lanes && text.baseline > place.y - kClose ? kOfCard : kLeast)) continue;
        const bool beside = found && std::abs(text.baseline - found->baseline) < 4;
        if (!found || (beside ? text.box.x > found->box.x : text.baseline > found->baseline)) found = &text;
    }
    return found ? found->text : "";
}

// The words in the middle below its axis.
std::string x_title_of(const Rect& place, const std::vector<RecordedText>& texts) {
    for (const RecordedText& text : texts)
        if (std::abs(text.box.center().x - place.center().x) < 2 && text.baseline > place.bottom() + 28 &&
            text.baseline < place.bottom() + 48)
            return text.text;
    return "";
}

// The words at the left of a lane, else those above it.
std::string lane_of(const Rect& lane, const std::vector<RecordedText>& texts) {
    const RecordedText* found = nullptr;
    for (const RecordedText& text : texts) {
        const bool beside = text.baseline > lane.y && text.baseline < lane.bottom() + 6 && text.box.right() <= lane.x + 1;
        if (beside && (!found || text.box.right() > found->box.right())) found = &text;
    }
    for (const RecordedText& text : texts)
        if (!found && text.baseline <= lane.y && text.baseline > lane.y - 24 && near(text.box.x, lane.x)) found = &text;
    return found ? found->text : "";
}

std::vector<Plot> plots_of(const ui::RecordCanvas& canvas, std::span<const Rect> regions) {
    std::vector<Plot> plots;
    for (const PlotSeries& one : canvas.series()) {
        if (one.data.empty()) continue;
        auto plot = std::ranges::find_if(plots, [&](const Plot& known) { return belongs(one, known); });
        if (plot == plots.end()) plot = plots.insert(plots.end(), Plot{.place = one.plot, .series = {}, .title = "", .x_title = ""});
        const float top = std::min(plot->place.y, one.plot.y), end = std::max(plot->place.bottom(), one.plot.bottom());
        plot->place = {plot->place.x, top, plot->place.w, end - top};
        PlotSeries& added = plot->series.emplace_back(one);
        if (added.mark == PlotMark::spans) added.name = lane_of(added.plot, canvas.texts());
    }
    for (Plot& plot : plots) {
        const auto region = std::ranges::find_if(regions, [&](const Rect& one) { return one.contains(plot.place.center()); });
        plot.title = heading_of(plot.place, plot.of(PlotMark::spans),
                                region == regions.end() ? canvas.texts() : ui::texts_in(canvas.texts(), *region));
        if (!plot.of(PlotMark::spans)) plot.x_title = x_title_of(plot.place, canvas.texts());
        std::set<std::pair<PlotMark, std::string>> names; // each its own
        for (PlotSeries& one : plot.series) {
            const std::string name = one.name.empty() ? plot.title : one.name;
            one.name = name;
            for (int number = 2; !names.insert({one.mark, one.name}).second; ++number)
                one.name = name + " (" + std::to_string(number) + ")";
        }
    }
    return plots;
}

struct Column {
    const char* name;
    double PlotDatum::*value;
};
constexpr Column kColumns[] = {{"x", &PlotDatum::x}, {"y", &PlotDatum::y}, {"low", &PlotDatum::low}, {"high", &PlotDatum::high}};

bool used(const Plot& plot, const auto& has) {
    return std::ranges::any_of(plot.series, [&](const PlotSeries& one) { return std::ranges::any_of(one.data, has); });
}
bool labelled(const Plot& plot) {
    return used(plot, [](const PlotDatum& datum) { return !datum.label.empty(); });
}
bool used(const Plot& plot, const Column& column) {
    return used(plot, [&](const PlotDatum& datum) { return std::isfinite(datum.*column.value); });
}

std::string csv(const Plot& plot) {
    const bool labels = labelled(plot);
    std::string text = std::string("series") + (labels ? ",label" : "");
    for (const Column& column : kColumns)
        if (used(plot, column)) text += std::string(",") + column.name;
    text += "\n";
    for (const PlotSeries& one : plot.series)
        for (const PlotDatum& datum : one.data) {
            text += csv_cell(one.name) + (labels ? "," + csv_cell(datum.label) : "");
            for (const Column& column : kColumns)
                if (const double value = datum.*column.value; used(plot, column))
                    text += "," + (std::isfinite(value) ? OrderedJson(value).dump() : std::string());
            text += "\n";
        }
    return text;
}

OrderedJson words_or_null(const std::string& words) { return words.empty() ? OrderedJson(nullptr) : OrderedJson(words); }

OrderedJson channel(const char* field, const char* type, const OrderedJson& title, const OrderedJson& more = OrderedJson::object()) {
    OrderedJson out = {{"field", field}, {"type", type}, {"title", title}};
    out.update(more);
    return out;
}

const char* const kMarks[] = {"line", "points", "bars", "spans", "rows"};

// Of the series that are drawn in one way, and of the intervals around them.
void add_layers(OrderedJson& layers, const Plot& plot, PlotMark mark) {
    const OrderedJson none(nullptr), as_listed = {{"sort", none}}, from_zero = {{"scale", {{"zero", true}}}},
                                     anywhere = {{"scale", {{"zero", false}}}};
    const OrderedJson name = channel("series", "nominal", none, as_listed), label = channel("label", "nominal", none, as_listed);
    const OrderedJson filter = {{"filter", {{"field", "mark"}, {"equal", kMarks[static_cast<std::size_t>(mark)]}}}};
    const OrderedJson tooltip = {{"content", "data"}}, title = words_or_null(plot.x_title);
    const auto add = [&](OrderedJson how, const OrderedJson& encoding) {
        how["tooltip"] = tooltip;
        layers.push_back({{"transform", OrderedJson::array({filter})}, {"mark", how}, {"encoding", encoding}});
    };
    if (mark == PlotMark::spans)
        return add({{"type", "bar"}},
                   {{"y", name}, {"x", channel("low", "quantitative", title)}, {"x2", {{"field", "high"}}}, {"color", label}});
    OrderedJson encoding = OrderedJson::object();
    if (mark == PlotMark::rows) {
        encoding = {{"y", label}, {"x", channel("x", "quantitative", title, from_zero)}, {"color", name}};
        if (plot.series.size() > 1) encoding["yOffset"] = {{"field", "series"}};
    } else {
        const bool places = plot.all(PlotMark::bars); // which have a place each
        encoding = {{"x", places ? channel("x", "ordinal", title) : channel("x", "quantitative", title, anywhere)},
                    {"y", channel("y", "quantitative", none, plot.has(PlotMark::bars) ? from_zero : anywhere)},
                    {"color", name}};
        if (places && plot.series.size() > 1) encoding["xOffset"] = {{"field", "series"}};
    }
    OrderedJson how = {{"type", mark == PlotMark::line ? "line" : mark == PlotMark::points ? "point" : "bar"}};
    if (mark == PlotMark::line) how["point"] = true;
    if (mark == PlotMark::points) how["filled"] = true;
    add(how, encoding);
    if (!used(plot, kColumns[2])) return;
    const char* along = mark == PlotMark::rows ? "x" : "y";
    encoding[along] = channel("low", "quantitative", encoding[along]["title"], {{"scale", encoding[along]["scale"]}});
    encoding[std::string(along) + "2"] = {{"field", "high"}};
    add({{"type", "rule"}}, encoding);
}

std::string specification(const Plot& plot) {
    OrderedJson values = OrderedJson::array(), layers = OrderedJson::array();
    for (const PlotSeries& one : plot.series)
        for (const PlotDatum& datum : one.data) {
            OrderedJson row = {{"series", one.name}, {"mark", kMarks[static_cast<std::size_t>(one.mark)]}};
            if (!datum.label.empty()) row["label"] = datum.label;
            for (const Column& column : kColumns)
                if (const double value = datum.*column.value; std::isfinite(value)) row[column.name] = value;
            values.push_back(std::move(row));
        }
    for (std::size_t mark = 0; mark < std::size(kMarks); ++mark)
        if (plot.has(static_cast<PlotMark>(mark))) add_layers(layers, plot, static_cast<PlotMark>(mark));
    OrderedJson out = {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"}, {"title", plot.title}, {"width", 560}};
    if (!plot.of(PlotMark::spans) && !plot.of(PlotMark::rows)) out["height"] = 320; // else as many steps as there are lanes
    out["data"] = {{"values", values}};
    out["layer"] = layers;
    return out.dump(1, BadUtf8::replaced) + "\n";
}

} // namespace

std::vector<PlotFiles> plot_files(const ui::RecordCanvas& canvas, std::span<const Rect> regions) {
    std::vector<PlotFiles> files;
    for (const Plot& plot : plots_of(canvas, regions)) files.push_back({csv(plot), specification(plot)});
    return files;
}

} // namespace speclens
