#include "engine/advice/replay.h"

#include <algorithm>

#include "engine/base/rng.h"

namespace speclens {
namespace {

constexpr int kWalks = 8; // through each answer: what is unseen is thrown anew in each

// What is known of a draft token for one token of the answer.
enum class Place : std::uint8_t {
    unseen, // the target wrote it behind a full round
    kept,
    refused,
    silent,   // a round that began here found nothing to draft
    chain_end // a chain ended before it though there was room: a round that begins here may draft
};

std::vector<Place> places_of(const std::vector<DraftedRound>& rounds, int asked, int limit) {
    std::vector<Place> places;
    for (const DraftedRound& round : rounds) {
        const auto at = static_cast<std::size_t>(round.at);
        places.resize(at + static_cast<std::size_t>(std::max(round.tokens, round.kept + 1)), Place::unseen);
        std::fill_n(places.begin() + round.at, round.kept, Place::kept);
        Place& own = places[at + static_cast<std::size_t>(round.kept)];
        const int room = std::min(asked, limit - round.at - 1);
        if (round.kept < round.drafted)
            own = Place::refused;
        else if (round.drafted == 0 && room > 0)
            own = Place::silent;
        else if (round.drafted < room)
            own = Place::chain_end;
    }
    const int written = rounds.empty() ? 0 : rounds.back().at + rounds.back().tokens;
    places.resize(static_cast<std::size_t>(written), Place::unseen);
    return places;
}

void count_round(WalkedRounds& walked, int drafted, double tokens, double weight) {
    const auto m = static_cast<std::size_t>(drafted);
    if (walked.by_drafted.size() <= m) walked.by_drafted.resize(m + 1, 0);
    walked.by_drafted[m] += weight;
    walked.rounds += weight;
    walked.tokens += weight * tokens;
}

struct ReplayedDraft {
    int drafted = 0, kept = 0;
};

// Of a round that begins at `at` with room for so many. A chain is drafted to its length before anything is judged.
template <typename Coin>
ReplayedDraft drafts_at(const std::vector<Place>& places, int at, int room, const Coin& coin) {
    const int written = static_cast<int>(places.size());
    for (int kept = 0; kept < room; ++kept) {
        const int here = at + kept;
        if (here == written) return {room, kept}; // the text ended among the draft tokens
        const Place place = places[static_cast<std::size_t>(here)];
        if (place == Place::silent || (place == Place::chain_end && kept > 0)) return {kept, kept};
        const bool known = place == Place::kept || place == Place::refused;
        if (known ? place == Place::refused : !coin(here)) return {room, kept};
    }
    return {std::max(0, room), std::max(0, room)};
}

} // namespace

std::vector<DraftedRound> rounds_of(const RunView& view) {
    std::vector<DraftedRound> rounds;
    int at = 0;
    for (const RoundSummary& round : view.round_list) {
        if (!round.complete()) continue;
        const int written = static_cast<int>(round.commit->tokens.size());
        rounds.push_back({at, static_cast<int>(round.drafts.size()), static_cast<int>(round.path.size()), written});
        at += written;
    }
    return rounds;
}

WalkedRounds& WalkedRounds::operator+=(const WalkedRounds& other) {
    rounds += other.rounds;
    tokens += other.tokens;
    by_drafted.resize(std::max(by_drafted.size(), other.by_drafted.size()), 0);
    for (std::size_t m = 0; m < other.by_drafted.size(); ++m) by_drafted[m] += other.by_drafted[m];
    return *this;
}

WalkedRounds as_drafted(const std::vector<DraftedRound>& rounds) {
    WalkedRounds walked;
    for (const DraftedRound& round : rounds) count_round(walked, round.drafted, round.tokens, 1);
    return walked;
}

WalkedRounds walked_with(const std::vector<DraftedRound>& rounds, int asked, int k, int limit, double unseen, std::uint64_t seed) {
    const std::vector<Place> places = places_of(rounds, asked, limit);
    const int written = static_cast<int>(places.size());
    WalkedRounds walked;
    for (std::uint32_t walk = 0; walk < kWalks; ++walk) {
        const auto coin = [&](int at) {
            const CoinKey key{.seed = seed, .position = static_cast<std::uint32_t>(at), .purpose = Purpose::accept, .attempt = walk};
            return uniform(key) < unseen;
        };
        for (int at = 0; at < written;) {
            const ReplayedDraft drafts = drafts_at(places, at, std::min(k, limit - at - 1), coin);
            const int tokens = std::min(drafts.kept + 1, written - at);
            count_round(walked, drafts.drafted, tokens, 1.0 / kWalks);
            at += tokens;
        }
    }
    return walked;
}

} // namespace speclens
