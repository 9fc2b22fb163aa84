#include "remote/client/keep_rule.h"

#include <algorithm>

#include "kernels/error.h"

namespace speclens {
namespace {

// A token of an accepted draft falls out alike by other dice now and then; rounding of passes of another width hardly ever makes it fall
// out otherwise.
constexpr int kEnoughAlike = 6, kEnoughApart = 2;
constexpr double kTemperature = 1.5; // at least: the more there is to choose from, the less often two draws agree
constexpr int kTokens = 40;

struct Cut {
    int tokens = 0;   // of the text up to and with the first draft that a round kept
    std::string text; // that
};

std::vector<Cut> cuts_of(const ServedText& served) {
    std::vector<Cut> cuts;
    if (served.provenance == Provenance::aggregate) return cuts;
    Cut so_far;
    int last = -1;
    for (const ServedPiece& piece : served.pieces) {
        so_far.tokens += piece.tokens;
        so_far.text += piece.text;
        const bool first = piece.round != last && piece.author == Author::draft && piece.tokens == 1;
        last = piece.round;
        if (first) cuts.push_back(so_far);
    }
    return cuts;
}

} // namespace

KeepRule find_keep_rule(const Endpoint& endpoint, const ServerFacts& facts, const RequestSettings& request, const HttpSettings& settings) {
    KeepRule found;
    const auto decided = [&] { return found.cuts == kMostCuts || found.differ >= kEnoughApart; };
    for (int text = 0; text < kTexts && !decided(); ++text) {
        RequestSettings asked = request;
        asked.temperature = std::max(request.temperature, kTemperature);
        asked.seed = request.seed.value_or(1) + static_cast<std::uint64_t>(text);
        asked.max_tokens = kTokens;
        for (const Cut& cut : cuts_of(send_request(endpoint, facts, asked, settings))) {
            if (decided()) break;
            asked.max_tokens = cut.tokens;
            const ServedText again = send_request(endpoint, facts, asked, settings);
            ++found.cuts;
            found.differ += again.text() != cut.text;
        }
    }
    if (found.differ >= kEnoughApart)
        found.kind = KeepRule::Kind::rejection;
    else if (found.differ == 0 && found.cuts >= kEnoughAlike)
        found.kind = KeepRule::Kind::matching;
    return found;
}

void tell_keep_rule(ServedText& served, const Endpoint& endpoint, const ServerFacts& facts, const RequestSettings& request,
                    const HttpSettings& settings) {
    const bool drafted = served.counts && served.counts->drafted > 0;
    if (facts.kind != ServerKind::llamacpp || !(request.temperature > 0) || !drafted) return;
    try {
        served.rule = find_keep_rule(endpoint, facts, request, settings);
    } catch (const Error&) {
        return;
    }
    const auto cuts = "cuts"_v = served.rule->cuts;
    const auto differ = "differ"_v = served.rule->differ;
    switch (served.rule->kind) {
    case KeepRule::Kind::matching: served.notes.push_back(server_said("rule.matching"_t, cuts)); break;
    case KeepRule::Kind::rejection: served.notes.push_back(server_said("rule.rejection"_t, cuts, differ)); break;
    case KeepRule::Kind::open: served.notes.push_back(server_said("rule.open"_t, cuts, differ)); break;
    }
}

} // namespace speclens
