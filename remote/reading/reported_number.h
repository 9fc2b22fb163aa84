// Figures in other people's logs, metrics and answers: what nobody can have counted or measured is not reported.
#pragma once

#include <optional>

#include "engine/base/json.h"

namespace speclens {

inline constexpr double kMostReported = 1e15;     // a double still counts by one there
inline constexpr double kMostServedDrafts = 4096; // more of one round is no count of drafts

// A number that can be, from 0. NaN and infinities, which text may name, are none; nor is a negative zero.
[[nodiscard]] inline std::optional<double> reported_count(double value) {
    if (!(value >= 0 && value <= kMostReported)) return {};
    return value + 0.0; // -0 becomes 0
}
[[nodiscard]] inline std::optional<double> reported_share(double value) { // of a whole
    constexpr double kRounding = 1e-6;
    if (!(value >= 0 && value <= 1 + kRounding)) return {};
    return value > 1 ? 1 : value + 0.0;
}
// An acceptance length: the target's own token is one of every round.
[[nodiscard]] inline std::optional<double> reported_length(double value) {
    constexpr double kRounding = 1e-6;
    if (!(value >= 1 - kRounding && value <= 1 + kMostServedDrafts)) return {};
    return value;
}

// Of an object; absent too where it is no number.
[[nodiscard]] inline std::optional<double> reported_at(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_number() ? reported_count(found->get<double>()) : std::nullopt;
}
// The acceptance length in SGLang's /server_info, an average since its start; absent before the first request.
[[nodiscard]] inline std::optional<double> length_in_server_info(const Json& info) {
    const auto states = info.find("internal_states");
    if (states == info.end() || !states->is_array() || states->empty() || !states->front().is_object()) return {};
    const auto length = reported_at(states->front(), "avg_spec_accept_length");
    return length ? reported_length(*length) : std::nullopt;
}

} // namespace speclens
