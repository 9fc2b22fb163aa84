#include "engine/length/costs_file.h"

#include "engine/base/json_read.h"
#include "files/atomic_file.h"
#include "kernels/error.h"

namespace speclens {

OrderedJson costs_json(const DraftCosts& costs) {
    OrderedJson json = OrderedJson::object();
    const auto put = [&](const char* name, const std::vector<DraftCosts::Point>& points) {
        json[name] = OrderedJson::array();
        for (const DraftCosts::Point& point : points) json[name].push_back(OrderedJson::array({point.n, point.ms}));
    };
    put("pass", costs.pass);
    put("draft", costs.draft);
    if (!costs.second.empty()) put("second", costs.second);
    return json;
}

std::optional<DraftCosts> costs_of_json(const OrderedJson& json) {
    constexpr int kMostRows = 257;
    DraftCosts costs;
    const auto take = [&](const char* name, std::vector<DraftCosts::Point>& points) {
        if (!json.is_object() || !json.contains(name) || !json.at(name).is_array() || json.at(name).size() > kMostRows) return false;
        for (const OrderedJson& point : json.at(name)) {
            if (!point.is_array() || point.size() != 2 || !point[0].is_number_integer() || !point[1].is_number()) return false;
            const auto n = point[0].get<std::int64_t>();
            const double ms = point[1].get<double>();
            if (n < 1 || n > kMostRows || (!points.empty() && n <= points.back().n) || !(ms >= 0 && ms < 1e12)) return false;
            points.push_back({static_cast<int>(n), ms});
        }
        return true;
    };
    if (!take("pass", costs.pass) || !take("draft", costs.draft)) return {};
    if (json.contains("second") && !take("second", costs.second)) return {};
    if (costs.pass.empty() || costs.pass.front().n != 1 || !(costs.pass.front().ms > 0)) return {};
    return costs;
}

namespace {

constexpr const char* kSchema = "speclens-k-costs/1";
constexpr std::size_t kMostBytes = 1U << 20; // of a file

OrderedJson read_costs(const std::filesystem::path& file, const std::string& model) {
    const std::string remedy = "Give the file of another run with --k-costs, or a new name: what is missing is measured and written there.";
    const OrderedJson all = OrderedJson::parse_or_discard(read_text_file(file, kMostBytes));
    const auto text = [&](const char* key) {
        return all.is_object() && all.contains(key) && all.at(key).is_string() ? all.at(key).get<std::string>() : std::string();
    };
    if (text("schema") != kSchema || !all.contains("drafters") || !all.at("drafters").is_object())
        throw Error(short_name(file) + " holds no costs of rounds (schema " + kSchema + ")", remedy, Exit::usage);
    if (text("model") != model)
        throw Error(short_name(file) + " has the costs of " + text("model") + ", the target is " + model, remedy, Exit::usage);
    return all;
}

} // namespace

std::optional<DraftCosts> costs_in(const std::filesystem::path& file, const std::string& model, const std::string& drafter) {
    if (!std::filesystem::exists(file)) return {};
    const OrderedJson all = read_costs(file, model);
    if (!all.at("drafters").contains(drafter)) return {};
    const std::optional<DraftCosts> costs = costs_of_json(all.at("drafters").at(drafter));
    if (!costs)
        throw Error(short_name(file) + ": the costs of " + drafter + " are no lists of [rows or tokens, milliseconds] that ascend from 1",
                    "Take its entry out: it is measured again.", Exit::usage);
    return costs;
}

void add_costs(const std::filesystem::path& file, const std::string& model, const std::string& drafter, const DraftCosts& costs) {
    OrderedJson all = std::filesystem::exists(file)
                          ? read_costs(file, model)
                          : OrderedJson{{"schema", kSchema}, {"model", model}, {"drafters", OrderedJson::object()}};
    all["drafters"][drafter] = costs_json(costs);
    AtomicFile out(file);
    out.write(all.dump(1) + "\n");
    out.commit();
}

} // namespace speclens
