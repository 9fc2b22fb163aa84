// Which pieces of an answer were drafted: by the rounds that the server lists, by counters that grew with the
// pieces, or by how the pieces arrived.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "remote/client/answer_reader.h"

namespace speclens {

// Our own server lists how many tokens every round wrote: the drafts that it kept, then the target's own,
// unless the text ended before.
void AnswerReader::fit_written() {
    out_.provenance = Provenance::exact;
    int at = 0;
    for (std::size_t round = 0; round < listed_tokens_.size(); ++round) {
        const int accepted = listed_accepted_[round];
        out_.rounds.push_back({listed_drafted_[round], accepted});
        for (int i = 0; i < listed_tokens_[round]; ++i, ++at) {
            out_.pieces[static_cast<std::size_t>(at)].round = static_cast<int>(round);
            out_.pieces[static_cast<std::size_t>(at)].author = i < accepted ? Author::draft : Author::target;
        }
    }
    out_.unwritten = std::max(0, listed_accepted_.back() + 1 - listed_tokens_.back());
}

// vLLM `detailed`: round i wrote a_i drafts and one token of the target's, after a first token from the
// prefill; the last round may have been cut. A server may also have no token before its first round: where
// pieces stopped arriving together, a round ended, and that decides.
void AnswerReader::fit_listed() {
    const int total = std::accumulate(listed_accepted_.begin(), listed_accepted_.end(), 0) + static_cast<int>(listed_accepted_.size());
    const int pieces = static_cast<int>(out_.pieces.size()), last = listed_accepted_.back();
    const auto fits = [&](int before) { return total + before >= pieces && total + before - pieces <= last; };
    const auto ends_where_pieces_came = [&](int before) {
        std::set<int> ends{0, before, pieces};
        int at = before;
        for (const int accepted : listed_accepted_) ends.insert(at += accepted + 1);
        at = 0;
        return std::all_of(arrivals_.begin(), arrivals_.end(), [&](int n) { return ends.contains(at += n); });
    };
    const bool first = fits(1) && !(fits(0) && !ends_where_pieces_came(1) && ends_where_pieces_came(0));
    if (!first && !fits(0)) {
        out_.notes.push_back(server_said("note.listed"_t, "tokens"_v = total + 1, "pieces"_v = pieces));
        return;
    }
    out_.provenance = Provenance::exact;
    out_.unwritten = total + (first ? 1 : 0) - pieces;
    int at = 0;
    if (first && pieces > 0) out_.pieces[at++].author = Author::first;
    for (int round = 0; round < static_cast<int>(listed_accepted_.size()); ++round) {
        const int accepted = listed_accepted_[round];
        const bool drafted_known = round < static_cast<int>(listed_drafted_.size());
        out_.rounds.push_back({drafted_known ? listed_drafted_[round] : -1, accepted});
        for (int i = 0; i <= accepted && at < pieces; ++i, ++at) {
            out_.pieces[at].round = round;
            out_.pieces[at].author = i < accepted ? Author::draft : Author::target;
        }
    }
}

// llama.cpp: a piece whose draft_n is larger than before opens a round that kept as many drafts as
// draft_n_accepted grew.
void AnswerReader::fit_growth() {
    Growth before{0, 0};
    int left = 0;
    bool first = true;
    for (std::size_t i = 0; i < out_.pieces.size(); ++i) {
        ServedPiece& piece = out_.pieces[i];
        if (growth_[i] && growth_[i]->drafted > before.drafted) {
            const double drafted = growth_[i]->drafted - before.drafted, accepted = growth_[i]->accepted - before.accepted;
            if (drafted > kMostServedDrafts || accepted < 0 || accepted > drafted) {
                out_.rounds.clear();
                for (ServedPiece& open : out_.pieces) open = {std::move(open.text), open.ms, -1, Author::unknown};
                out_.notes.push_back(server_said("note.growth"_t));
                return;
            }
            out_.rounds.push_back({static_cast<int>(drafted), static_cast<int>(accepted)});
            left = out_.rounds.back().accepted;
            before = *growth_[i];
        } else if (left == 0) { // a pass without drafts
            piece.author = first ? Author::first : Author::target;
            first = false;
            continue;
        } else {
            --left;
        }
        first = false;
        piece.round = static_cast<int>(out_.rounds.size()) - 1;
        piece.author = left > 0 ? Author::draft : Author::target;
    }
    if (out_.rounds.empty()) return;
    out_.provenance = Provenance::inferred;
    std::vector<double> histogram;
    for (const ServedRound& round : out_.rounds) {
        histogram.resize(std::max<std::size_t>(histogram.size(), static_cast<std::size_t>(std::max(round.accepted, round.drafted)) + 1), 0);
        histogram[static_cast<std::size_t>(round.accepted)] += 1;
    }
    out_.counts = counts_of_histogram(histogram, before.drafted);
}

// llama.cpp where it says how many tokens are written: passes.h finds the rounds, and every piece spans the tokens
// since the piece before.
void AnswerReader::fit_passes(const std::optional<SpecCounts>& counted) {
    const SpecCounts reported = out_.counts.value_or(SpecCounts());
    // Counters of the whole server are of this request where they grew by what it says of itself.
    const bool alone = counted && counted->rounds && counted->drafted == reported.drafted && counted->accepted == reported.accepted &&
                       contradiction(*counted).empty();
    PassFacts facts;
    if (out_.finish == "length") facts.limit = seen_.back().written;
    if (alone) facts.rounds = static_cast<int>(*counted->rounds);
    const Passes found = find_passes(seen_, facts);
    if (found.contradiction) {
        out_.notes.push_back(server_said("note.passes"_t));
        return;
    }
    if (found.sure == Passes::Sure::no) {
        if (reported.drafted == 0) return;
        // Each round writes a token of the target's own, and token 1 is from the prefill.
        if (!alone) out_.rounds_at_most = std::max(1.0, seen_.back().written - reported.accepted);
        if (alone) out_.counts = counted;
        out_.notes.push_back(server_said("note.totals"_t));
        return;
    }
    struct Token {
        Author author;
        int round;
    };
    std::vector<Token> tokens = {{Author::first, -1}};
    std::vector<double> histogram;
    std::vector<int> accepted, drafted;
    for (const Pass& pass : found.passes) {
        const int round = pass.drafted > 0 ? static_cast<int>(out_.rounds.size()) : -1;
        for (int i = 0; i < pass.written; ++i) tokens.push_back({i < pass.accepted ? Author::draft : Author::target, round});
        if (round < 0) continue;
        out_.rounds.push_back({pass.drafted, pass.accepted});
        histogram.resize(std::max(histogram.size(), static_cast<std::size_t>(std::max(pass.accepted, pass.drafted)) + 1), 0);
        histogram[static_cast<std::size_t>(pass.accepted)] += 1;
        accepted.push_back(pass.accepted);
        drafted.push_back(pass.drafted);
    }
    if (!found.passes.empty()) out_.unwritten = found.passes.back().accepted + 1 - found.passes.back().written;
    std::size_t piece = 0, token = 0;
    for (const Seen& seen : seen_) {
        const std::size_t until = std::min(static_cast<std::size_t>(std::max(0, seen.written)), tokens.size());
        for (; piece < std::min(seen.pieces, out_.pieces.size()); ++piece) {
            const bool last = piece + 1 == seen.pieces;
            ServedPiece& p = out_.pieces[piece];
            const std::size_t end = last ? until : std::min(token + 1, until);
            p.tokens = static_cast<int>(end - std::min(token, end));
            int by_draft = 0;
            for (std::size_t t = token; t < end; ++t) by_draft += tokens[t].author == Author::draft;
            if (end > token) {
                p.round = tokens[end - 1].round;
                p.author = by_draft == p.tokens ? Author::draft : by_draft > 0 ? Author::mixed : tokens[end - 1].author;
                token = end;
            }
        }
    }
    out_.provenance = found.sure == Passes::Sure::exact ? Provenance::exact : Provenance::inferred;
    if (out_.rounds.empty()) { // every pass was without a draft: exactly nothing was drafted
        out_.counts = SpecCounts{};
        return;
    }
    SpecCounts counts = counts_of_histogram(histogram, reported.drafted);
    if (alone) {
        counts = *counted;
        counts.accepted_at.resize(std::max(counts.accepted_at.size(), histogram.size() - 1), 0);
    } else if (!found.places) {
        counts.accepted_at.clear();
        out_.notes.push_back(server_said("note.pieces"_t));
    } else {
        counts.judged_at = judged_in(accepted, drafted, counts.accepted_at.size());
    }
    counts.worked_out = found.sure != Passes::Sure::exact;
    out_.counts = counts;
}

// Figures that break an identity are said and not reported.
void AnswerReader::check_counts() {
    if (!out_.counts) return;
    Said wrong = wrong_.empty() ? contradiction(*out_.counts) : wrong_;
    const auto length = acceptance_length(*out_.counts);
    if (wrong.empty() && reported_length_ && length && std::abs(*reported_length_ - *length) > 0.01)
        wrong = length_differs(*reported_length_, *length);
    if (wrong.empty()) return;
    out_.notes.push_back(server_said("note.contradiction"_t, "wrong"_v = std::move(wrong)));
    out_.counts.reset();
    out_.rounds.clear();
    out_.unwritten = 0;
    out_.provenance = Provenance::aggregate;
    for (ServedPiece& piece : out_.pieces) {
        piece.round = -1;
        piece.author = Author::unknown;
    }
    contradicted_ = true;
}

// Tokens that arrive together were written by one pass, the last of them by the target.
void AnswerReader::fit_arrivals() {
    std::size_t at = 0;
    for (std::size_t event = 0; event < arrivals_.size(); ++event) {
        const int n = arrivals_[event];
        if (event == 0 && n == 1) {
            out_.pieces[at++].author = Author::first;
            continue;
        }
        out_.rounds.push_back({-1, n - 1});
        for (int i = 0; i < n; ++i, ++at) {
            out_.pieces[at].round = static_cast<int>(out_.rounds.size()) - 1;
            out_.pieces[at].author = i + 1 < n ? Author::draft : Author::target;
        }
    }
    out_.provenance = Provenance::inferred;
}

// The whole answer, as far as it is told, so that passes without a draft are known beside the rounds.
void AnswerReader::take_text() {
    if (!out_.counts || out_.tokens <= 0) return;
    WrittenText text{.tokens = static_cast<double>(out_.tokens), .answers = 1};
    const bool known = !out_.rounds.empty() && out_.provenance != Provenance::aggregate;
    if (known && (!listed_accepted_.empty() || !seen_.empty())) text.cut = out_.unwritten;
    if (known && out_.provenance == Provenance::exact && tokens_apart_ &&
        std::ranges::none_of(out_.rounds, [](const ServedRound& round) { return round.drafted < 0; })) {
        text.plain = out_.passes_without_draft();
        text.first_apart = std::ranges::any_of(out_.pieces, [](const ServedPiece& piece) { return piece.author == Author::first; });
    }
    out_.counts->text = text;
}

ServedText AnswerReader::finish(double ms, bool drafts_nothing, const std::optional<SpecCounts>& counted) {
    out_.total_ms = ms;
    const bool grew = std::any_of(growth_.begin(), growth_.end(), [](const auto& g) { return g.has_value(); });
    const bool reported_tokens =
        !listed_tokens_.empty() && listed_tokens_.size() == listed_accepted_.size() && listed_tokens_.size() == listed_drafted_.size() &&
        std::accumulate(listed_tokens_.begin(), listed_tokens_.end(), 0LL) == static_cast<long long>(out_.pieces.size());
    if (reported_tokens && tokens_apart_)
        fit_written();
    else if (!listed_accepted_.empty() && tokens_apart_)
        fit_listed();
    else if (!seen_.empty() && !rounds_told_)
        fit_passes(counted);
    else if (grew && !rounds_told_)
        fit_growth();
    else if (tokens_apart_ && out_.counts && !out_.counts->empty() && !out_.pieces.empty())
        fit_arrivals();
    check_counts();
    out_.tokens_apart = tokens_apart_;
    if (out_.tokens == 0 && tokens_apart_) out_.tokens = static_cast<int>(out_.pieces.size());
    take_text();
    if (out_.unwritten > 1)
        out_.notes.push_back(server_said("note.unwritten"_t, "kept"_v = out_.rounds.back().accepted, "unwritten"_v = out_.unwritten - 1));
    else if (const auto written = out_.written_per_round(); out_.rounds.empty() && !tokens_apart_ && written && out_.tokens > 0 &&
                                                            out_.tokens < *out_.counts->rounds + out_.counts->accepted)
        out_.notes.push_back(server_said("note.cut"_t));
    if (repeated_) out_.notes.push_back(server_said("note.repeated"_t));
    if (timings_ && out_.counts && out_.counts->empty()) out_.notes.push_back(server_said("note.llamacpp_nothing"_t));
    if (!out_.counts && !contradicted_) {
        if (kind_ == ServerKind::vllm && drafts_nothing)
            out_.notes.push_back(server_said("note.vllm_nothing"_t));
        else if (kind_ == ServerKind::vllm && lists_none_)
            out_.notes.push_back(server_said("note.vllm_no_round"_t));
        else if (kind_ == ServerKind::vllm)
            out_.notes.push_back(server_said("note.vllm_silent"_t));
        if (kind_ == ServerKind::sglang) out_.notes.push_back(server_said("note.sglang_silent"_t));
        if (kind_ == ServerKind::llamacpp || timings_)
            out_.notes.push_back(timings_ ? server_said("note.timings"_t) : server_said("note.no_timings"_t));
    } else if (out_.provenance == Provenance::inferred && kind_ == ServerKind::vllm) {
        out_.notes.push_back(server_said("note.arrivals"_t));
    }
    return std::move(out_);
}

} // namespace speclens
