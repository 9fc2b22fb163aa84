// The nearest known name to a mistyped one: optimal string alignment distance (a swap of neighbours counts
// one).
#include <algorithm>
#include <cstdlib>

#include "app/cli_options.h"
#include "kernels/error.h"

namespace speclens::cli {

namespace {

std::size_t distance(const std::string& a, const std::string& b) {
    std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost[a.size()][b.size()];
}

} // namespace

std::string nearest(const std::string& name, const std::vector<std::string>& known) {
    if (name.empty() || name.size() > 64) return {};
    std::string best;
    std::size_t least = std::max<std::size_t>(2, name.size() / 3) + 1;
    for (const std::string& candidate : known) {
        std::size_t cost = distance(name, candidate);
        if (name.size() >= 2 && candidate.rfind(name, 0) == 0)
            cost = std::min<std::size_t>(cost, 1); // a beginning
        if (cost < least && cost < std::max(name.size(), candidate.size())) {
            least = cost;
            best = candidate;
        }
    }
    return best;
}

void unknown_name(const std::string& kind, const std::string& name, const std::vector<std::string>& known) {
    std::string remedy;
    const std::string close = nearest(name, known);
    if (!close.empty()) remedy = "Did you mean '" + close + "'? ";
    remedy += "Known: ";
    for (std::size_t i = 0; i < known.size(); ++i) remedy += (i ? ", " : "") + known[i];
    throw Error("unknown " + kind + " '" + name + "'", remedy + ".", Exit::usage);
}

} // namespace speclens::cli
