#include "engine/rules/output_distribution.h"

#include <algorithm>
#include <string_view>

#include "engine/rules/cascade.h"
#include "engine/rules/typical.h"
#include "engine/rules/verify.h"
#include "kernels/error.h"

namespace speclens {

double distance(const Distribution& p, const Distribution& q) {
    double sum = 0;
    for (std::size_t v = 0; v < p.size(); ++v) sum += std::max(p[v] - q[v], 0.0);
    return sum;
}

OutputDistribution output_distribution_at(const RuleInfo& rule, const RuleParams& params, const DistributionsOfBoth& at) {
    const std::string_view name = rule.name;
    const Distribution &p = at.p, &q = at.q;
    CHECK(p.size() == q.size() && rule.siblings == Siblings::none, "a rule that samples along a chain");
    OutputDistribution emitted;
    emitted.distribution = p;
    if (rule.is_cascade()) {
        emitted.distribution = cascade_mixture(name, params.alpha, at);
        emitted.kept = overlap(emitted.distribution, q);
    } else if (name == "lenience") {
        const double scale = 1 - params.lenience;
        for (std::size_t v = 0; v < p.size(); ++v)
            emitted.kept += emitted.distribution[v] = p[v] > 0 ? (scale * q[v] > p[v] ? p[v] / scale : q[v]) : 0;
        const Residual rest = residual(p, q);
        for (std::size_t v = 0; v < p.size(); ++v)
            emitted.distribution[v] += (1 - emitted.kept) * (rest.distribution.empty() ? p[v] : rest.distribution[v]);
    } else if (name == "typical") {
        const double limit = typical_limit(p, params);
        for (std::size_t v = 0; v < p.size(); ++v)
            if (p[v] > limit) emitted.kept += q[v];
        for (std::size_t v = 0; v < p.size(); ++v) emitted.distribution[v] = (p[v] > limit ? q[v] : 0) + (1 - emitted.kept) * p[v];
    } else if (name == "match") {
        for (std::size_t v = 0; v < p.size(); ++v) emitted.kept += p[v] * q[v];
    } else {
        emitted.kept = overlap(p, q); // token; block for a block of one
    }
    return emitted;
}

} // namespace speclens
