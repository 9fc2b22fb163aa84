#include "engine/published/published.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <system_error>
#include <tuple>

#include "engine/base/lists.h"
#include "engine/published/published_read.h"
#include "kernels/error.h"

namespace speclens {

namespace {

namespace fs = std::filesystem;

using Experiment = std::tuple<std::string, std::optional<std::string>, std::optional<std::string>, std::optional<std::string>>;
using PointKey = std::tuple<Experiment, std::string, std::string, std::optional<std::string>, std::optional<int>, std::optional<int>,
                            std::optional<double>>;

Experiment experiment_of(const PublishedFigure& f) { return {f.source, f.model, f.dataset, f.hardware}; }
PointKey point_of(const PublishedFigure& f) { return {experiment_of(f), f.method, f.variant, f.engine, f.batch, f.budget, f.temperature}; }

[[noreturn]] void fail(const PublishedFigure& figure, const std::string& what) {
    throw Error(figure.file + ": " + figure.id + ": " + what, kPublishedRemedy);
}

// The slot of a point that a figure fills; null when it fills none.
const PublishedFigure** slot(OperatingPoint& point, const PublishedFigure& figure) {
    if (figure.standing == Standing::wrong || (figure.form != Form::exact && figure.form != Form::range)) return nullptr;
    const std::pair<const char*, const PublishedFigure**> slots[] = {{"tokens_per_round", &point.tokens_per_round},
                                                                     {"speedup", &point.speedup},
                                                                     {"draft_ms", &point.draft_ms},
                                                                     {"head_ms", &point.head_ms},
                                                                     {"verify_ms", &point.verify_ms},
                                                                     {"target_ms", &point.target_ms}};
    for (const auto& [name, place] : slots)
        if (figure.quantity == name) return place;
    return nullptr;
}

std::vector<OperatingPoint> points_of(std::span<const PublishedFigure> figures) {
    std::vector<OperatingPoint> points;
    std::map<PointKey, std::size_t> known;
    std::map<Experiment, const PublishedFigure*> steps;
    for (const PublishedFigure& figure : figures) {
        OperatingPoint candidate;
        if (!slot(candidate, figure)) continue;
        const auto [found, is_new] = known.emplace(point_of(figure), points.size());
        if (is_new) {
            candidate.any = &figure;
            points.push_back(candidate);
        }
        const PublishedFigure** place = slot(points[found->second], figure);
        if (*place)
            fail(figure,
                 "quantity repeats " + figure.quantity + " of " + (*place)->id + " under the same conditions; give one of them a variant");
        *place = &figure;
        if (figure.quantity == "target_ms") steps.emplace(experiment_of(figure), &figure);
    }
    std::vector<OperatingPoint> result;
    for (OperatingPoint& point : points) {
        if (!point.tokens_per_round && !point.speedup && !point.draft_ms) continue;
        const auto step = steps.find(experiment_of(*point.any));
        if (!point.target_ms && step != steps.end()) point.target_ms = step->second;
        result.push_back(point);
    }
    return result;
}

// What is said against figures of a file that was left out.
void drop_conflicts_with_others(std::vector<PublishedFigure>& figures) {
    std::set<std::string> ids;
    for (const PublishedFigure& figure : figures) ids.insert(figure.id);
    for (PublishedFigure& figure : figures) std::erase_if(figure.conflicts, [&](const PublishedConflict& c) { return !ids.count(c.with); });
}

// Shows every conflict on both sides; refuses those that name nobody, or are stated twice.
void link_conflicts(std::vector<PublishedFigure>& figures) {
    std::map<std::string, PublishedFigure*, std::less<>> by_id;
    for (PublishedFigure& figure : figures)
        if (!by_id.emplace(figure.id, &figure).second) fail(figure, "id is used by another entry of " + by_id[figure.id]->file);
    std::vector<std::pair<std::string, PublishedConflict>> mirrored;
    std::set<std::pair<std::string, std::string>> pairs;
    for (const PublishedFigure& figure : figures)
        for (const PublishedConflict& conflict : figure.conflicts) {
            if (!by_id.count(conflict.with) || conflict.with == figure.id)
                fail(figure, "conflicts_with names \"" + conflict.with + "\", which is no other entry");
            if (!pairs.insert(std::minmax(figure.id, conflict.with)).second)
                fail(figure, "conflicts_with states the conflict with \"" + conflict.with + "\" a second time");
            mirrored.push_back({conflict.with, {figure.id, conflict.why}});
        }
    for (auto& [id, conflict] : mirrored) by_id[id]->conflicts.push_back(std::move(conflict));
    for (PublishedFigure& figure : figures)
        std::sort(figure.conflicts.begin(), figure.conflicts.end(),
                  [](const PublishedConflict& a, const PublishedConflict& b) { return a.with < b.with; });
}

} // namespace

std::optional<double> OperatingPoint::round_cost() const {
    if (!tokens_per_round || !speedup || middle(*speedup) <= 0) return std::nullopt;
    return middle(*tokens_per_round) / middle(*speedup);
}

double middle(const PublishedFigure& figure) {
    CHECK(figure.form != Form::list, "a list has no middle: " + figure.id);
    return (figure.values.front() + figure.values.back()) / 2;
}

Published Published::load(const fs::path& folder, std::vector<std::string>* left_out) {
    std::error_code failure;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder, failure))
        if (entry.path().extension() == ".json" && entry.path().filename() != "sources.json") files.push_back(entry.path());
    if (failure || files.empty())
        throw Error("the published figures are missing: no .json file in a folder \"published\"",
                    "Clone the repository again, or set SPECLENS_ASSETS to its assets folder.");
    std::sort(files.begin(), files.end());

    Published result;
    result.sources_ = read_published_sources(folder / "sources.json");
    std::sort(result.sources_.begin(), result.sources_.end(),
              [](const PublishedSource& a, const PublishedSource& b) { return a.id < b.id; });
    std::set<std::string> known;
    for (const PublishedSource& source : result.sources_)
        if (!known.insert(source.id).second) throw Error("published/sources.json: " + source.id + ": id is used twice", kPublishedRemedy);
    for (const fs::path& file : files) {
        try {
            std::vector<PublishedFigure> read = read_published_figures(file);
            for (const PublishedFigure& figure : read)
                if (!known.count(figure.source)) fail(figure, "source is \"" + figure.source + "\", which sources.json does not list");
            std::move(read.begin(), read.end(), std::back_inserter(result.figures_));
        } catch (const Error& error) {
            if (!left_out) throw;
            left_out->push_back(error.what());
        }
    }
    if (const fs::path list = folder.parent_path() / "public" / "models.json"; fs::exists(list, failure)) {
        try {
            result.models_ = read_public_models(list);
        } catch (const Error& error) {
            if (!left_out) throw;
            left_out->push_back(error.what());
        }
    }
    if (left_out && !left_out->empty()) drop_conflicts_with_others(result.figures_);
    link_conflicts(result.figures_);
    std::stable_sort(result.figures_.begin(), result.figures_.end(),
                     [](const PublishedFigure& a, const PublishedFigure& b) { return a.method < b.method; });
    static_cast<void>(points_of(result.figures_)); // refuses ambiguous points
    return result;
}

const PublishedSource& Published::source_of(const PublishedFigure& figure) const {
    const auto found = std::lower_bound(sources_.begin(), sources_.end(), figure.source,
                                        [](const PublishedSource& s, const std::string& id) { return s.id < id; });
    CHECK(found != sources_.end() && found->id == figure.source, "no such source: " + figure.source);
    return *found;
}

const PublishedFigure* Published::find(std::string_view id) const { return find_with(figures_, id, &PublishedFigure::id); }

std::vector<const PublishedFigure*> Published::select(const PublishedQuery& query) const {
    std::vector<const PublishedFigure*> found;
    const auto fits = [](std::string_view asked, const std::string& has) { return asked.empty() || asked == has; };
    for (const PublishedFigure& figure : figures_)
        if (fits(query.method, figure.method) && fits(query.quantity, figure.quantity) && fits(query.unit, figure.unit) &&
            fits(query.source, figure.source))
            found.push_back(&figure);
    return found;
}

std::vector<std::string> Published::methods() const {
    std::vector<std::string> names; // the figures are in order of method
    for (const PublishedFigure& figure : figures_)
        if (names.empty() || names.back() != figure.method) names.push_back(figure.method);
    return names;
}

std::size_t Published::conflict_count() const {
    return sum_over<std::size_t>(figures_, [](const PublishedFigure& figure) { return figure.conflicts.size(); }) / 2;
}

std::vector<OperatingPoint> Published::operating_points() const { return points_of(figures_); }

} // namespace speclens
