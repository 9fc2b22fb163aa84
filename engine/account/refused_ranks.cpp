#include "engine/account/refused_ranks.h"

#include <algorithm>
#include <cmath>

#include "engine/account/token_account.h"
#include "engine/base/lists.h"
#include "engine/drafters/drafter_info.h"

namespace speclens {
namespace {

constexpr int kAll = -1;

}

void RefusedRanks::add(const RoundSummary& round, const Header& header) {
    count(round, header, kAll);
    for (const int part : {0, 1}) {
        const DrafterInfo* who = part_of(header.drafter, part);
        if (!who) return;
        by.resize(2);
        by[static_cast<std::size_t>(part)].drafter = who->name;
        by[static_cast<std::size_t>(part)].count(round, header, part);
    }
}

// part: of two chained drafters, or kAll.
void RefusedRanks::count(const RoundSummary& round, const Header& header, int part) {
    if (!round.complete() || round.drafts.empty()) return;
    const auto mine = [part](const DraftSlot& slot) { return part == kAll || slot.draft->by == part; };
    drafted += static_cast<int>(std::ranges::count_if(round.drafts, mine));
    for (const int index : round.path) kept += mine(round.drafts[static_cast<std::size_t>(index)]);
    const auto path = static_cast<int>(round.path.size());
    if (mine(round.drafts.back())) {
        ++rounds;
        int deepest = 0;
        for (const DraftSlot& slot : round.drafts) deepest = std::max(deepest, slot.depth);
        last_judged += path + 1 >= deepest;
        last_kept += path >= deepest;
    }
    const std::optional<RefusedDraft> refused = refused_draft(round, header);
    if (!refused || !mine(round.drafts[static_cast<std::size_t>(round.own_slot())])) return;
    places.resize(std::max(places.size(), static_cast<std::size_t>(path) + 1));
    Place& place = places[static_cast<std::size_t>(path)];
    ++place.refused;
    if (refused->listed == 0) return;
    ++place.listed;
    ++place.ranks[static_cast<std::size_t>(std::min(refused->rank.value_or(kListed + 1), kListed + 1)) - 1];
    place.next += refused->rank && *refused->rank == refused->before + 1;
}

RefusedRanks& RefusedRanks::operator+=(const RefusedRanks& other) {
    rounds += other.rounds;
    drafted += other.drafted;
    kept += other.kept;
    last_judged += other.last_judged;
    last_kept += other.last_kept;
    places.resize(std::max(places.size(), other.places.size()));
    for (std::size_t i = 0; i < other.places.size(); ++i) {
        places[i].refused += other.places[i].refused;
        places[i].listed += other.places[i].listed;
        places[i].next += other.places[i].next;
        for (std::size_t r = 0; r < places[i].ranks.size(); ++r) places[i].ranks[r] += other.places[i].ranks[r];
    }
    by.resize(std::max(by.size(), other.by.size()));
    for (std::size_t i = 0; i < other.by.size(); ++i) {
        by[i].drafter = other.by[i].drafter;
        by[i] += other.by[i];
    }
    return *this;
}

int RefusedRanks::refused() const { return sum_over<int>(places, &Place::refused); }

int RefusedRanks::listed() const { return sum_over<int>(places, &Place::listed); }

RefusedRanks refused_ranks(const RunView& view) {
    RefusedRanks ranks;
    for (const RoundSummary& round : view.round_list) ranks.add(round, *view.header);
    return ranks;
}

WiderOrDeeper wider_or_deeper(const RefusedRanks& ranks) {
    WiderOrDeeper told;
    told.rounds = ranks.rounds;
    const int refused = ranks.refused();
    if (ranks.rounds < WiderOrDeeper::kFewestRounds || ranks.listed() < refused) return told;
    int most = 0, next = 0;
    for (std::size_t i = 0; i < ranks.places.size(); ++i) {
        next += ranks.places[i].next;
        if (ranks.places[i].next <= most) continue;
        most = ranks.places[i].next;
        told.place = static_cast<int>(i) + 1;
    }
    const double n = ranks.rounds, full = ranks.last_kept / n;
    const double stays = ranks.last_judged > 0 ? static_cast<double>(ranks.last_kept) / ranks.last_judged : 0;
    told.wider = most / n;
    told.deeper = full * stays;
    told.next = refused > 0 ? static_cast<double>(next) / refused : 0;
    // A round is one of the two at most. Rounds come in texts and are alike in them: their number counts by half, as for a profile.
    constexpr double kSpan = 1.96; // 95 %
    const double difference = told.wider - told.deeper;
    const double of_rounds = (told.wider + stays * stays * full - difference * difference) / n;
    const double of_chance = ranks.last_judged > 0 ? full * full * stays * (1 - stays) / ranks.last_judged : 0;
    const double span = kSpan * std::sqrt(2 * std::max(0.0, of_rounds + of_chance));
    told.kind = std::abs(difference) <= span ? WiderOrDeeper::Kind::alike
                : difference > 0             ? WiderOrDeeper::Kind::wider
                                             : WiderOrDeeper::Kind::deeper;
    return told;
}

const char* name_of(WiderOrDeeper::Kind kind) {
    switch (kind) {
    case WiderOrDeeper::Kind::alike: return "alike";
    case WiderOrDeeper::Kind::wider: return "wider";
    case WiderOrDeeper::Kind::deeper: return "deeper";
    case WiderOrDeeper::Kind::not_told: break;
    }
    return "not_told";
}

OrderedJson ranks_json(const RefusedRanks& ranks) {
    if (ranks.rounds == 0) return nullptr;
    const WiderOrDeeper told = wider_or_deeper(ranks);
    const bool known = told.kind != WiderOrDeeper::Kind::not_told;
    const auto known_or_null = [&](const OrderedJson& value) { return known ? value : OrderedJson(nullptr); };
    OrderedJson json = {{"verdict", name_of(told.kind)},
                        {"wider_tokens", known_or_null(told.wider)},
                        {"wider_at", known && told.place > 0 ? OrderedJson(told.place) : OrderedJson(nullptr)},
                        {"deeper_tokens", known_or_null(told.deeper)},
                        {"next_choice", known_or_null(told.next)},
                        {"rounds", ranks.rounds},
                        {"last_judged", ranks.last_judged},
                        {"last_kept", ranks.last_kept},
                        {"places", OrderedJson::array()}};
    for (const RefusedRanks::Place& place : ranks.places)
        json["places"].push_back(
            {{"refused", place.refused}, {"listed", place.listed}, {"ranks", place.ranks}, {"next_choice", place.next}});
    for (const RefusedRanks& one : ranks.by) {
        OrderedJson own = {{"drafter", one.drafter}, {"rounds", one.rounds}, {"drafted", one.drafted}, {"kept", one.kept}};
        if (one.rounds > 0) own["wider_or_deeper"] = ranks_json(one);
        json["by"].push_back(std::move(own));
    }
    return json;
}

} // namespace speclens
