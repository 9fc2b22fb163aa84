#include "engine/run/cycle.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <new>

#include "engine/base/clock.h"
#include "kernels/error.h"

namespace speclens {
namespace {

double log_of(double probability) { return probability > 0 ? std::log(probability) : kLogZero; }

// What the trace says of the exception that is being handled.
Failed failure() {
    const char* const kReport = "Restart the run; if it happens again, please report it.";
    try {
        throw;
    } catch (const Error& error) {
        return {error.what(), error.remedy()};
    } catch (const std::bad_alloc&) {
        return {"out of memory", "Use a shorter prompt, fewer new tokens or a smaller model."};
    } catch (const std::exception& error) {
        return {error.what(), kReport};
    } catch (...) {
        return {"unknown error", kReport};
    }
}

} // namespace

Cycle::Cycle(Decoder& target, Drafter& drafter, const RuleInfo& rule, CycleSettings settings, Trace& trace, std::vector<int> sequence,
             int prompt_tokens, int first_round, std::vector<std::uint32_t> attempts)
    : target_(target), drafter_(drafter), rule_(rule), settings_(std::move(settings)), trace_(trace), sequence_(std::move(sequence)),
      prompt_tokens_(prompt_tokens), round_index_(first_round), attempts_(std::move(attempts)) {
    CHECK(!sequence_.empty(), "a run needs at least one token to start from");
    CHECK(target_.length() == 0, "the target's cache must be empty at the start");
}

// One phase a call. A phase that has nothing to show (no draft, nothing to judge) runs on into the next one.
bool Cycle::step() {
    const std::size_t before = trace_.size();
    guarded([&] {
        while (!stopped_ && trace_.size() == before) advance();
    });
    return !stopped_;
}

const PassInput* Cycle::ask() {
    guarded([&] {
        while (!stopped_ && next_ != Next::verify) advance();
    });
    return stopped_ ? nullptr : &pass_;
}

void Cycle::finish_round() {
    CHECK(next_ == Next::verify, "a round is finished behind its draft");
    guarded([&] {
        while (!stopped_ && next_ != Next::draft) advance();
    });
}

void Cycle::advance() {
    switch (next_) {
    case Next::prefill: do_prefill(); break;
    case Next::draft: do_draft(); break;
    case Next::verify: do_verify(); break;
    case Next::accept: do_accept(); break;
    case Next::resample: do_resample(); break;
    case Next::commit: do_commit(); break;
    }
}

void Cycle::guarded(const std::function<void()>& go) {
    try {
        go();
    } catch (...) {
        // Whatever it was: half a round may be written, and going on would write it twice. The trace ends with the
        // reason; whoever steps decides what to do about it.
        stopped_ = true;
        trace_.append(failure());
        throw;
    }
}

void Cycle::stop(const std::string& reason) {
    if (stopped_) return;
    stopped_ = true;
    Stopped event;
    event.reason = reason;
    event.hash = trace_.hash(trace_.size());
    trace_.append(std::move(event));
}

void Cycle::do_prefill() {
    const Stopwatch watch;
    const auto fed = std::span<const int>(sequence_).first(sequence_.size() - 1);
    drafter_.on_reading([this, all = static_cast<int>(fed.size())](int) { // of the target's reading that is nothing yet
        if (reading_) reading_(0, all);
    });
    drafter_.begin(sequence_);
    const std::vector<int> taps = drafter_.taps();
    const auto observe = [this](int first, const Tensor& features) {
        drafter_.observe({.sequence = sequence_, .first = first, .prompt = true, .features = features});
    };
    const auto reading = [&](int read) {
        if (reading_) reading_(read, static_cast<int>(fed.size()));
    };
    target_.prefill(fed, taps, taps.empty() ? Decoder::FeatureSink{} : observe, reading);
    if (settings_.timing) target_.wait(); // or the first draft would be charged with the prompt
    if (!settings_.prompt_recorded)
        trace_.append(Prefill{static_cast<int>(fed.size()), settings_.timing ? watch.ms() + target_.saved_ms() : 0});
    next_ = Next::draft;
}

void Cycle::do_draft() {
    const int committed = static_cast<int>(sequence_.size());
    const int remaining = settings_.max_tokens - (committed - prompt_tokens_);
    const int room = target_.capacity() - committed; // rows that fit beside the pending token's
    if (remaining <= 0) return stop(Stopped::kLength);
    if (room < 0) return stop(Stopped::kContextFull);

    DraftRequest request = request_at(committed);
    request.sequence = sequence_;
    drawn_ = 0;
    request.coin = [this](int index) { return ++drawn_, coin(Purpose::draft, index); };
    request.tree_coin = [this](int depth, int lane) { return ++drawn_, coin(Purpose::draft, depth - 1, lane); };
    if (round_index_ == settings_.forced_round) request.force = settings_.force_drafts;
    ended_at_ = kNever;
    row_ended_ = false;
    request.deciding_ms = &deciding_ms_;
    if (!rule_.is_cascade() && go_on_) request.go_on = before_a_draw(go_on_, true); // a cascade reads the row behind the last draft

    const Stopwatch watch;
    const bool ready = take_ahead();
    ask_drafter(request, ready);
    empty_draft_ms_ = settings_.timing && !ready && request.k > 0 ? unclaimed(watch.ms()) : 0;
    if (sizes_.size() == 2) { // of whoever spoke
        asked_ = draft_.by == kNobody ? DraftSize{.by = kNobody} : sizes_[static_cast<std::size_t>(draft_.by)];
        asked_->by = draft_.by;
    }
    if (asked_ && draft_.by != kNobody && settings_.lengths[static_cast<std::size_t>(draft_.by)].by_rows())
        asked_->k = static_cast<int>(draft_.nodes.size());
    look_at_draft(request);
    for (std::size_t i = 0; i < draft_.nodes.size(); ++i) {
        const DraftNode& node = draft_.nodes[i];
        Drafted event;
        event.round = round_index_;
        event.index = static_cast<int>(i);
        event.parent = node.parent;
        event.token = node.token;
        event.q = log_of(node.q());
        event.u = node.u;
        event.extra = node.extra;
        if (settings_.chained) event.by = node.by;
        event.internals = node.internals;
        event.ms = settings_.timing ? node.ms : 0;
        event.head_ms = settings_.timing ? node.head_ms : 0;
        if (settings_.trace_top != 0) {
            event.top = !node.heads.distribution.empty() ? node.heads.distribution
                        : node.distribution.empty()      ? TopEntries{{{node.token, 0.0}}, 0}
                                                         : top_of(node.distribution, settings_.trace_top);
            event.raw_top = node.heads.raw;
            event.base_top = node.base;
        }
        trace_.append(std::move(event));
    }
    lay_out_pass();
    next_ = Next::verify;
}

// Of the time of a draft what no token of it has: all of it where there is none, else the pass whose row ended it.
double Cycle::unclaimed(double ms) const {
    if (!draft_.nodes.empty() && !row_ended_) return 0;
    for (const DraftNode& node : draft_.nodes) ms -= node.ms + node.head_ms + node.record_ms;
    return std::max(ms, 0.0);
}

// The law of stops: whether there is a token at `index` is asked before one is drawn there, and a no ends the draft.
Cycle::GoOn Cycle::before_a_draw(GoOn ask, bool of_row) {
    return [this, of_row, ask = std::move(ask)](int index, double value) {
        CHECK(drawn_ <= index, "whether a token is drafted is asked before it is drawn");
        const Stopwatch watch;
        const bool goes_on = ask(index, value);
        deciding_ms_ += watch.ms();
        if (!goes_on) {
            ended_at_ = std::min(ended_at_, index);
            row_ended_ = of_row;
        }
        return goes_on;
    };
}

// How much the round asks for is said before anything is drawn, but for what goes on row by row. False: nothing.
bool Cycle::ask_for(std::size_t part, DraftRequest& request) {
    DraftLength& length = settings_.lengths[part];
    const DraftSize size = sizes_[part];
    request.k = std::min(request.k, size.k);
    if (settings_.nodes > 0) request.nodes = std::min(request.nodes, size.nodes);
    if (length.by_rows()) {
        request.go_further = before_a_draw([&length](int index, double drawn) { return length.goes_further(index, drawn); }, false);
        request.go_on = before_a_draw([&length](int index, double margin) { return length.goes_on(index, margin); }, true);
    }
    return request.k > 0;
}

void Cycle::ask_drafter(DraftRequest& request, bool ready) {
    asked_.reset();
    const Stopwatch watch;
    sizes_.clear();
    for (DraftLength& length : settings_.lengths) sizes_.push_back(length.next({request.k, request.nodes}, texts_));
    deciding_ms_ += sizes_.empty() ? 0 : watch.ms();
    if (sizes_.size() == 1) {
        asked_ = sizes_[0];
        (void)ask_for(0, request);
    } else if (sizes_.size() == 2) {
        request.turn = [this](int part, DraftRequest& own) {
            CHECK(drawn_ == 0, "who of two drafters speaks is asked before anything is drawn");
            return ask_for(static_cast<std::size_t>(part), own);
        };
    }
    const int proposed = request.k;
    if (rule_.is_cascade() && settings_.k > 0) ++request.k; // the draft's distribution behind its last node is needed too
    if (!ready && request.k > 0)
        draft_ = drafter_.draft(request);
    else if (!ready) {
        draft_ = {};
        if (settings_.chained) draft_.by = kNobody;
        drafter_.put_off();
    }
    take_after_last(proposed);
    request.k = proposed;
}

DraftRequest Cycle::request_at(int committed) const {
    const int remaining = settings_.max_tokens - (committed - prompt_tokens_), room = target_.capacity() - committed;
    const int before = static_cast<int>(sequence_.size());
    DraftRequest request;
    request.k = std::min({settings_.k, remaining - 1, room, target_.max_rows() - 1});
    request.nodes = std::min({settings_.nodes, room, target_.max_rows() - 1});
    request.siblings = settings_.nodes > 0 ? rule_.siblings : Siblings::none;
    request.sampling = settings_.draft_sampling;
    request.coin = [this, ahead = committed - before](int index) { return coin(Purpose::draft, ahead + index); };
    request.entries = settings_.trace_top;
    request.internals = settings_.internals;
    request.raw_distributions = rule_.is_cascade();
    request.stops = settings_.stops;
    request.before_pass = draft_pass_;
    return request;
}

// The next round's draft, while the target judges this one: as if all were kept, behind a guess at the target's own token.
// The dice are those that the next round throws in that case, because nobody has drafted for its places before; so the text
// is the same, drafted ahead or not.
void Cycle::draft_ahead(Verified& event) {
    std::vector<int> text = sequence_;
    text.insert(text.end(), drafted_tokens_.begin(), drafted_tokens_.end());
    const auto ends = [&](int id) { return std::ranges::find(settings_.stops, id) != settings_.stops.end(); };
    const int next = static_cast<int>(text.size()) + 1; // tokens that are known then
    if (tree_ || std::ranges::any_of(drafted_tokens_, ends) || round_index_ + 1 == settings_.forced_round || request_at(next).k <= 0)
        return;
    const Stopwatch watch;
    DraftRequest own = request_at(next - 1);
    own.sequence = text;
    own.k = 1;
    own.sampling = Sampling{.temperature = 0};
    own.entries = 0;
    const Draft own_draft = drafter_.draft(own);
    event.ahead = static_cast<int>(own_draft.nodes.size());
    if (!own_draft.nodes.empty() && !ends(own_draft.nodes.front().token)) {
        text.push_back(own_draft.nodes.front().token);
        DraftRequest request = request_at(next);
        request.sequence = text;
        ahead_ = drafter_.draft(request);
        ahead_text_ = std::move(text);
        event.ahead += static_cast<int>(ahead_.nodes.size());
    }
    if (settings_.timing) event.ahead_ms = watch.ms();
}

bool Cycle::take_ahead() {
    from_ahead_ = 0;
    const bool came = !ahead_text_.empty() && ahead_text_ == sequence_;
    ahead_text_.clear();
    if (!came) return false;
    draft_ = std::move(ahead_);
    for (DraftNode& node : draft_.nodes) node.ms = node.head_ms = 0; // the time of the pass beside it
    from_ahead_ = static_cast<int>(draft_.nodes.size());
    return true;
}

// Keeps the node that was asked for beyond `k` aside: its distribution is what the draft says there.
void Cycle::take_after_last(int k) {
    after_last_.reset();
    if (!rule_.is_cascade() || static_cast<int>(draft_.nodes.size()) != k + 1 || !draft_.is_chain()) return;
    after_last_ = std::move(draft_.nodes.back());
    draft_.nodes.pop_back();
    if (!draft_.nodes.empty()) {
        draft_.nodes.back().ms += after_last_->ms;
        draft_.nodes.back().head_ms += after_last_->head_ms;
    }
    if (after_last_->distribution.empty()) after_last_->distribution = one_hot(target_.vocab(), after_last_->token);
    if (after_last_->raw_distribution.empty()) after_last_->raw_distribution = after_last_->distribution;
}

// Checks the proposal and lays it out for the pass and the rule.
void Cycle::look_at_draft(const DraftRequest& request) {
    const int count = static_cast<int>(draft_.nodes.size());
    drafted_tokens_.clear();
    parents_.clear();
    for (int i = 0; i < count; ++i) {
        const DraftNode& node = draft_.nodes[static_cast<std::size_t>(i)];
        CHECK(node.token >= 0 && node.token < target_.vocab(), "a drafter proposed a token outside the vocabulary");
        CHECK(node.parent >= -1 && node.parent < i, "a draft token's parent must be an earlier one or -1");
        drafted_tokens_.push_back(node.token);
        parents_.push_back(node.parent);
    }
    tree_ = !draft_.is_chain();
    depths_ = draft_.depths();
    lanes_ = draft_.lanes();
    const int most = std::max(tree_ ? request.nodes : request.k, 0);
    const int deepest = count == 0 ? 0 : *std::max_element(depths_.begin(), depths_.end());
    CHECK(count <= std::min(most, ended_at_) && deepest <= std::max(request.k, 0), "a drafter proposed more than it was asked for");
    if (tree_ && rule_.siblings == Siblings::none) throw tree_error(rule_.name);
    // The law of stops: a draft is never shortened once it is drawn.
    auto judged = std::ranges::count_if(draft_.nodes, [](const DraftNode& node) { return node.u.has_value(); });
    if (after_last_ && after_last_->u) ++judged; // its distribution alone was wanted, whatever is drawn from it
    CHECK(draft_.own_draws || from_ahead_ > 0 || judged == drawn_,
          "a drafter drew a token that it does not put before the target: what is drawn must be judged");
}

// Row 0 is the pending token, row 1 + i is node i.
void Cycle::lay_out_pass() {
    pass_tokens_.assign(1, sequence_.back());
    pass_tokens_.insert(pass_tokens_.end(), drafted_tokens_.begin(), drafted_tokens_.end());
    pass_parents_.clear();
    if (tree_) {
        pass_parents_.push_back(-1);
        for (const int parent : parents_) pass_parents_.push_back(parent + 1);
    }
    taps_ = drafter_.taps();
    pass_ = {.tokens = pass_tokens_, .parents = pass_parents_, .taps = taps_};
}

void Cycle::do_verify() {
    kv_before_ = target_.length();
    CHECK(kv_before_ == static_cast<int>(sequence_.size()) - 1, "the cache must hold all but the pending token");

    Verified event{.round = round_index_,
                   .rows = static_cast<int>(pass_tokens_.size()),
                   .draft_ms = empty_draft_ms_,
                   .from_ahead = from_ahead_,
                   .asked = asked_};
    if (settings_.chained) event.by = draft_.by;
    const Stopwatch watch;
    if (settings_.ahead && target_.begin(pass_)) draft_ahead(event);
    rows_ = &target_.forward(pass_);
    if (settings_.sampling.temperature == 0)
        (void)rows_->argmax(); // waits for the pass
    else if (settings_.timing)
        target_.wait();
    draft_distributions_.assign(drafted_tokens_.size(), {});
    judged_ = false;
    checked_ = 0;
    if (settings_.timing) event.ms = watch.ms();
    event.wire = target_.wire();
    if (event.wire && !settings_.timing) event.wire->ms = event.wire->server_ms = 0;
    trace_.append(std::move(event));
    next_ = Next::accept;
}

const Distribution& Cycle::target_distribution(int row) { return rows_->distribution(row, settings_.sampling); }

const Distribution& Cycle::draft_distribution(int index) {
    const DraftNode& node = draft_.nodes[static_cast<std::size_t>(index)];
    if (!node.distribution.empty()) return node.distribution;
    Distribution& distribution = draft_distributions_[static_cast<std::size_t>(index)];
    if (distribution.empty()) distribution = one_hot(target_.vocab(), node.token);
    return distribution;
}

double Cycle::coin(Purpose purpose, int depth, int lane) const {
    const std::size_t position = sequence_.size() + static_cast<std::size_t>(depth);
    const bool again = purpose != Purpose::resample && position < attempts_.size();
    return settings_.coins({.seed = settings_.seed,
                            .position = static_cast<std::uint32_t>(position),
                            .purpose = purpose,
                            .lane = static_cast<std::uint32_t>(lane),
                            // A position is resampled once, in the round that commits it; drafts and their coins may come again.
                            .attempt = again ? attempts_[position] : 0,
                            .fork = settings_.fork});
}

void Cycle::judge() {
    const Stopwatch watch;
    Round round;
    round.drafts = drafted_tokens_;
    if (tree_) round.parents = parents_;
    round.p = [this](int row) -> const Distribution& { return target_distribution(row); };
    round.q = [this](int index) -> const Distribution& { return draft_distribution(index); };
    round.p_raw = [this](int row) -> const Distribution& { return rows_->distribution(row, kRawSampling); };
    round.q_raw = [this](int index) -> const Distribution& {
        const Distribution& raw = draft_.nodes[static_cast<std::size_t>(index)].raw_distribution;
        return raw.empty() ? draft_distribution(index) : raw;
    };
    if (after_last_) round.after_last = {&after_last_->distribution, &after_last_->raw_distribution};
    round.params = settings_.rule_params;
    round.p_argmax = [this](int row) { return rows_->argmax()[static_cast<std::size_t>(row)]; };
    round.accept_coin = [this](int index) {
        const bool forced = settings_.force_coin && round_index_ == settings_.forced_round && settings_.force_coin->first == index;
        const auto node = static_cast<std::size_t>(index);
        return forced ? settings_.force_coin->second : coin(Purpose::accept, depths_[node] - 1, lanes_[node]);
    };
    round.resample_coin = [this](int row) { return coin(Purpose::resample, row == 0 ? 0 : depths_[static_cast<std::size_t>(row - 1)]); };
    verdict_ = rule_.verify(round);
    residual_fallbacks_ += verdict_.residual_fallback;
    judged_ = true;
    accept_ms_ = settings_.timing ? watch.ms() : 0;
}

void Cycle::do_accept() {
    if (!judged_) judge();
    if (checked_ == verdict_.checks.size()) {
        next_ = Next::resample;
        return;
    }
    const Judgement& judgement = verdict_.checks[checked_++];
    const auto node = static_cast<std::size_t>(judgement.node);
    const int row = 1 + parents_[node];
    Checked event;
    event.round = round_index_;
    event.index = judgement.node;
    event.token = drafted_tokens_[node];
    const bool greedy = settings_.sampling.temperature == 0 && !rule_.is_cascade();
    event.p = greedy ? log_of(judgement.threshold) : log_of(target_distribution(row)[static_cast<std::size_t>(event.token)]);
    event.q = log_of(draft_.nodes[node].q());
    if (judgement.sibling_residual) event.sibling_residual = log_of(*judgement.sibling_residual);
    if (judgement.mixture) event.mixture = log_of(*judgement.mixture);
    if (judgement.prefix_coefficient) event.prefix_coefficient = log_of(*judgement.prefix_coefficient);
    event.typical_threshold = judgement.typical_threshold;
    event.threshold = judgement.threshold;
    event.u = judgement.u;
    event.set =
        judgement.u && settings_.force_coin && round_index_ == settings_.forced_round && settings_.force_coin->first == judgement.node;
    event.accepted = judgement.accepted;
    if (settings_.trace_top != 0) {
        RecordedRow heads = rows_->heads(row, settings_.sampling, settings_.trace_top);
        event.top = std::move(heads.distribution);
        event.raw_top = std::move(heads.raw);
    }
    trace_.append(std::move(event));
    if (checked_ == verdict_.checks.size()) next_ = Next::resample;
}

namespace {

// `p` of the residual says nothing of the target's own probability: a token that its list lacks stands behind it.
TopEntries with_token(TopEntries list, int token, double p) {
    if (p <= 0 || std::ranges::find(list.entries, token, &TopEntries::Entry::id) != list.entries.end()) return list;
    list.entries.push_back({token, log_of(p)});
    list.rest = std::max(0.0, list.rest - p);
    return list;
}

} // namespace

void Cycle::do_resample() {
    const int row = verdict_.row();
    TargetToken event;
    event.round = round_index_;
    event.from = verdict_.from;
    if (tree_) event.parent = row - 1;
    event.token = verdict_.token;
    event.u = verdict_.u;
    event.p = verdict_.distribution.empty() ? 0.0 : log_of(verdict_.distribution[static_cast<std::size_t>(verdict_.token)]);
    if (settings_.trace_top != 0) {
        RecordedRow heads = rows_->heads(row, settings_.sampling, settings_.trace_top);
        if (verdict_.from == TargetToken::From::residual || verdict_.mixed) {
            event.top = top_of(verdict_.distribution, settings_.trace_top);
            event.target_top = with_token(std::move(heads.distribution), verdict_.token,
                                          target_distribution(row)[static_cast<std::size_t>(verdict_.token)]);
        } else {
            event.top = verdict_.distribution.empty() ? TopEntries{{{verdict_.token, 0.0}}, 0} : std::move(heads.distribution);
        }
        event.raw_top = std::move(heads.raw);
    }
    trace_.append(std::move(event));
    next_ = Next::commit;
}

void Cycle::do_commit() {
    const Stopwatch watch;
    const int kv_verify = target_.length();
    std::vector<int> tokens;
    for (const int node : verdict_.path) tokens.push_back(drafted_tokens_[static_cast<std::size_t>(node)]);
    tokens.push_back(verdict_.token);
    // The text ends at the first stop token, inclusive; nothing follows it.
    const auto is_stop = [&](int id) { return std::find(settings_.stops.begin(), settings_.stops.end(), id) != settings_.stops.end(); };
    const auto end = std::find_if(tokens.begin(), tokens.end(), is_stop);
    const bool ended = end != tokens.end();
    if (ended) tokens.erase(end + 1, tokens.end());

    // Later rounds that draft for a position of this block again must not reuse this round's coins.
    const std::size_t first = sequence_.size();
    const auto deepest = depths_.empty() ? 0 : static_cast<std::size_t>(*std::max_element(depths_.begin(), depths_.end()));
    attempts_.resize(std::max(attempts_.size(), first + deepest), 0);
    for (std::size_t i = 0; i < deepest; ++i) ++attempts_[first + i];

    // The cache keeps the rows of all tokens but the last: the old pending token, then the accepted drafts.
    std::vector<int> kept{0};
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) kept.push_back(1 + verdict_.path[i]);
    sequence_.insert(sequence_.end(), tokens.begin(), tokens.end());
    target_.keep(kv_before_, kept);
    const int accepted = std::min<int>(verdict_.accepted(), static_cast<int>(tokens.size()));
    drafter_.observe({.sequence = sequence_, .accepted_drafts = accepted, .first = kv_before_, .features = target_.features()});

    if (!settings_.lengths.empty()) {
        std::vector<double> drawn;
        for (const DraftNode& node : draft_.nodes) drawn.push_back(node.q());
        const Stopwatch deciding;
        for (std::size_t part = 0; part < settings_.lengths.size(); ++part) {
            if (static_cast<int>(part) == draft_.by)
                settings_.lengths[part].saw(static_cast<int>(deepest), verdict_.accepted(), drawn);
            else
                settings_.lengths[part].passed();
        }
        deciding_ms_ += deciding.ms();
    }

    Committed event;
    event.round = round_index_;
    event.accepted_drafts = accepted;
    if (tree_) event.path.assign(verdict_.path.begin(), verdict_.path.begin() + accepted);
    event.tokens = std::move(tokens);
    event.kv_before = kv_before_;
    event.kv_verify = kv_verify;
    event.kv_after = target_.length();
    event.accept_ms = accept_ms_;
    event.ms = settings_.timing ? watch.ms() : 0;
    if (settings_.internals) event.internals = drafter_.look_back();
    trace_.append(std::move(event));

    ++round_index_;
    next_ = Next::draft;
    if (ended) {
        stop(Stopped::kEndOfText);
    } else if (static_cast<int>(sequence_.size()) - prompt_tokens_ >= settings_.max_tokens) {
        stop(Stopped::kLength);
    } else if (static_cast<int>(sequence_.size()) > target_.capacity()) {
        stop(Stopped::kContextFull);
    }
}

std::vector<std::uint32_t> attempts_before(const Trace& trace, int round) {
    std::vector<std::uint32_t> attempts;
    const Header* header = trace.header();
    if (!header) return attempts;
    std::size_t length = header->prompt.size();
    std::vector<std::size_t> depth; // of the drafts of the running cycle
    for (std::size_t i = 0; i < trace.size(); ++i) {
        if (const auto* draft = std::get_if<Drafted>(&trace[i])) {
            if (draft->round >= round) break;
            const bool under = draft->parent >= 0 && draft->parent < static_cast<int>(depth.size());
            depth.push_back(under ? depth[static_cast<std::size_t>(draft->parent)] + 1 : 1);
        } else if (const auto* commit = std::get_if<Committed>(&trace[i])) {
            if (commit->round >= round) break;
            const std::size_t deepest = depth.empty() ? 0 : *std::max_element(depth.begin(), depth.end());
            attempts.resize(std::max(attempts.size(), length + deepest), 0);
            for (std::size_t d = 0; d < deepest; ++d) ++attempts[length + d];
            length += commit->tokens.size();
            depth.clear();
        }
    }
    return attempts;
}

} // namespace speclens
