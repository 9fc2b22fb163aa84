// Which pieces of an answer were guessed: by the rounds that the server lists, by counters that grew with the
// pieces, or by how the pieces arrived.
#include <algorithm>
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
}

// vLLM `detailed`: round i wrote a_i drafts and one token of the target's, after a first token from the
// prefill; the last round may have been cut. A server may also have no token before its first round: where
// pieces stopped arriving together, a round ended, and that decides.
void AnswerReader::fit_listed() {
    const int total = std::accumulate(listed_accepted_.begin(), listed_accepted_.end(), 0) +
                      static_cast<int>(listed_accepted_.size());
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
        out_.notes.push_back("the listed rounds make " + std::to_string(total + 1) + " tokens, " +
                             std::to_string(pieces) +
                             " pieces arrived: which of them were guessed stays open");
        return;
    }
    out_.provenance = Provenance::exact;
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
            const double drafted = growth_[i]->drafted - before.drafted,
                         accepted = growth_[i]->accepted - before.accepted;
            if (drafted > kMostServedDrafts || accepted < 0 || accepted > drafted) {
                out_.rounds.clear();
                for (ServedPiece& open : out_.pieces)
                    open = {std::move(open.text), open.ms, -1, Author::unknown};
                out_.notes.push_back(
                    "draft_n and draft_n_accepted do not fit together: which pieces were guessed stays open");
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
        histogram.resize(
            std::max<std::size_t>(histogram.size(),
                                  static_cast<std::size_t>(std::max(round.accepted, round.drafted)) + 1),
            0);
        histogram[static_cast<std::size_t>(round.accepted)] += 1;
    }
    out_.counts = counts_of_histogram(histogram, before.drafted);
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

ServedText AnswerReader::finish(double ms, bool drafts_nothing) {
    out_.total_ms = ms;
    const bool grew =
        std::any_of(growth_.begin(), growth_.end(), [](const auto& g) { return g.has_value(); });
    const bool told_tokens = !listed_tokens_.empty() && listed_tokens_.size() == listed_accepted_.size() &&
                             listed_tokens_.size() == listed_drafted_.size() &&
                             std::accumulate(listed_tokens_.begin(), listed_tokens_.end(), 0LL) ==
                                 static_cast<long long>(out_.pieces.size());
    if (told_tokens && tokens_apart_)
        fit_written();
    else if (!listed_accepted_.empty() && tokens_apart_)
        fit_listed();
    else if (grew)
        fit_growth();
    else if (tokens_apart_ && out_.counts && !out_.counts->empty() && !out_.pieces.empty())
        fit_arrivals();
    out_.tokens_apart = tokens_apart_;
    if (out_.tokens == 0 && tokens_apart_) out_.tokens = static_cast<int>(out_.pieces.size());
    if (!out_.counts) {
        if (kind_ == ServerKind::vllm)
            out_.notes.push_back(
                drafts_nothing ? "no token was drafted: speculation is off or never proposes"
                : lists_none_
                    ? "no round of this request drafted, or --per-request-spec-decode-metrics is off"
                    : "this vLLM says nothing about single requests: start it with "
                      "--per-request-spec-decode-metrics detailed");
        if (kind_ == ServerKind::sglang)
            out_.notes.push_back("this SGLang says nothing about single requests: a newer one answers "
                                 "return_spec_tokens_details");
        if (kind_ == ServerKind::llamacpp)
            out_.notes.push_back("no draft_n in the timings: this llama-server drafts nothing (--spec-type)");
    } else if (out_.provenance == Provenance::inferred && kind_ == ServerKind::vllm) {
        out_.notes.push_back("rounds are read off the pieces that arrived together; "
                             "--per-request-spec-decode-metrics detailed lists them");
    }
    return std::move(out_);
}

} // namespace speclens
