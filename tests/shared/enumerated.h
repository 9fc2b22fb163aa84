// Rounds of the production cycle over all of their coins (coin_intervals.h): what it can write, exactly. Around drafter and rule stand
// two that listen: they give on what they are asked, and report which coin drew or judged what, by the distributions and thresholds that
// drafts and verdicts carry.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include "engine/drafters/chained.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"
#include "engine/rules/verify.h"
#include "engine/run/cycle.h"
#include "engine/run/run.h"
#include "tests/shared/coin_intervals.h"
#include "tests/shared/tables.h"

namespace speclens::test {

// Ends of the intervals in which sample() gives each id.
inline std::vector<double> cuts_of(const Distribution& distribution) {
    std::vector<double> cuts;
    double mass = 0;
    for (const double p : distribution)
        if (p > 0) cuts.push_back(mass += p);
    if (!cuts.empty()) cuts.pop_back(); // the last id has what is left
    return cuts;
}

// What one play of the cycle has reported so far.
class CoinListener {
  public:
    explicit CoinListener(const Coins& coins) : coins_(&coins) {}
    double ask(const CoinKey& key) {
        last_ = key;
        return (*coins_)(key);
    }
    // `draw`, which asks for one coin: that coin.
    template <typename Draw>
    double asked(CoinKey& key, const Draw& draw) {
        const double u = draw();
        key = last_;
        return u;
    }
    void report(const CoinKey& key, std::vector<double> cuts, std::string outcome, const std::string& what) {
        played.reports.push_back({key, std::move(cuts), std::move(outcome), what + " of round " + std::to_string(round), round});
    }
    [[nodiscard]] const CoinKey& last() const { return last_; }

    Played played;
    int round = 0;
    int silent = 0; // so many rounds are played without a draft
    // Draws of a draft model in ids of its own, which no draft reports: by their coin.
    std::map<CoinKey, std::pair<Distribution, int>, CoinOrder> own_draws;

  private:
    const Coins* coins_;
    CoinKey last_;
};

inline std::string words_of(const std::vector<int>& numbers) { return context_key(numbers); }

class ListeningDrafter final : public Drafter {
  public:
    ListeningDrafter(std::unique_ptr<Drafter> inner, CoinListener& listener) : inner_(std::move(inner)), listener_(&listener) {}
    std::vector<int> taps() const override { return inner_->taps(); }
    void begin(std::span<const int> sequence) override { inner_->begin(sequence); }
    void observe(const Observation& observation) override { inner_->observe(observation); }
    Internals look_back() override { return inner_->look_back(); }
    void put_off() override { inner_->put_off(); }
    Draft draft(const DraftRequest& request) override {
        if (listener_->round < listener_->silent) return {};
        struct Asked {
            int depth, lane;
            CoinKey key;
            bool reported = false;
        };
        std::vector<Asked> asked;
        DraftRequest heard = request;
        const auto hear = [&](int depth, int lane, const auto& draw) {
            CoinKey key;
            const double u = listener_->asked(key, draw);
            const auto same = [&](const Asked& one) { return one.depth == depth && one.lane == lane; };
            if (std::ranges::none_of(asked, same)) asked.push_back({depth, lane, key});
            return u;
        };
        heard.coin = [&](int index) { return hear(index + 1, 0, [&] { return request.coin(index); }); };
        heard.tree_coin = [&](int depth, int lane) { return hear(depth, lane, [&] { return request.tree_coin(depth, lane); }); };
        Draft draft = inner_->draft(heard);
        const std::vector<int> depths = draft.depths(), lanes = draft.lanes();
        std::vector<int> tokens;
        for (const DraftNode& node : draft.nodes) tokens.push_back(node.token);
        for (std::size_t i = 0; i < draft.nodes.size(); ++i) {
            const DraftNode& node = draft.nodes[i];
            if (!node.u) continue;
            const auto same = [&](const Asked& one) { return one.depth == depths[i] && one.lane == lanes[i]; };
            const auto found = std::ranges::find_if(asked, same);
            if (found == asked.end()) continue;
            found->reported = true;
            listener_->report(found->key, cuts_of(node.distribution), std::to_string(node.token), "draft " + std::to_string(i));
        }
        for (const Asked& one : asked) {
            if (one.reported) continue;
            const std::string what = "a draw at depth " + std::to_string(one.depth);
            if (const auto own = listener_->own_draws.find(one.key); own != listener_->own_draws.end())
                listener_->report(one.key, cuts_of(own->second.first), std::to_string(own->second.second), what);
            else
                listener_->report(one.key, {}, words_of(tokens), what + " that nothing reports");
        }
        return draft;
    }

  private:
    std::unique_ptr<Drafter> inner_;
    CoinListener* listener_;
};

// A draft model that writes tokens of its own, whose draws no draft reports (translated by text).
class ListeningDecoder final : public Decoder {
  public:
    ListeningDecoder(std::unique_ptr<Decoder> inner, CoinListener& listener) : inner_(std::move(inner)), rows_(listener) {}
    const std::string& name() const override { return inner_->name(); }
    int vocab() const override { return inner_->vocab(); }
    int layers() const override { return inner_->layers(); }
    int capacity() const override { return inner_->capacity(); }
    int max_rows() const override { return inner_->max_rows(); }
    int length() const override { return inner_->length(); }
    std::size_t memory_bytes() const override { return inner_->memory_bytes(); }
    bool is_table() const override { return inner_->is_table(); }
    OutputHead reduced_head(const FrequentIds& frequent, int n) const override { return inner_->reduced_head(frequent, n); }
    PassRows& forward(const PassInput& input) override { return rows_.of(inner_->forward(input)); }
    void prefill(std::span<const int> tokens, std::span<const int> taps, const FeatureSink& sink, const Reading& reading) override {
        inner_->prefill(tokens, taps, sink, reading);
    }
    void truncate(int length) override { inner_->truncate(length); }
    void keep(int base, std::span<const int> rows) override { inner_->keep(base, rows); }
    Tensor features() const override { return inner_->features(); }
    void wait() override { inner_->wait(); }
    void poison() override { inner_->poison(); }

  private:
    class Rows final : public PassRows {
      public:
        explicit Rows(CoinListener& listener) : listener_(&listener) {}
        PassRows& of(PassRows& rows) {
            rows_ = &rows;
            forget_distributions();
            return *this;
        }
        int count() const override { return rows_->count(); }
        const std::vector<int>& argmax() override { return rows_->argmax(); }
        int draw(int row, const Sampling& sampling, double u) override {
            const int token = rows_->draw(row, sampling, u);
            listener_->own_draws[listener_->last()] = {rows_->distribution(row, sampling), token};
            return token;
        }
        RecordedRow heads(int row, const Sampling& sampling, int entries) override { return rows_->heads(row, sampling, entries); }
        std::vector<float> logits(int row) override { return rows_->logits(row); }

      protected:
        void compute_distribution(int row, const Sampling& sampling, Distribution& distribution) override {
            distribution = rows_->distribution(row, sampling);
        }

      private:
        PassRows* rows_ = nullptr;
        CoinListener* listener_;
    };
    std::unique_ptr<Decoder> inner_;
    Rows rows_;
};

// A rule is a plain function, so what it reports goes through here.
struct ListenedRule {
    const RuleInfo* rule = nullptr;
    CoinListener* listener = nullptr;
    std::vector<const RuleInfo*> same = {}; // rules that must say of every chain what `rule` says of it
    std::string* differs = nullptr;
};
inline thread_local ListenedRule listened_rule;

inline bool says_the_same(const Verdict& a, const Verdict& b) {
    const auto check = [](const Judgement& x, const Judgement& y) {
        return x.node == y.node && std::fabs(x.threshold - y.threshold) < 1e-15 && x.u == y.u && x.accepted == y.accepted;
    };
    const auto near = [](double x, double y) { return std::fabs(x - y) < 1e-13; };
    return a.path == b.path && a.token == b.token && a.u == b.u && std::ranges::equal(a.checks, b.checks, check) &&
           std::ranges::equal(a.distribution, b.distribution, near);
}

inline Verdict listened_verify(const Round& round) {
    const ListenedRule& heard = listened_rule;
    CoinListener& listener = *heard.listener;
    std::map<int, CoinKey> accept, resample; // by node; by row
    Round asked = round;
    asked.accept_coin = [&](int node) { return listener.asked(accept[node], [&] { return round.accept_coin(node); }); };
    asked.resample_coin = [&](int row) { return listener.asked(resample[row], [&] { return round.resample_coin(row); }); };
    const Verdict verdict = heard.rule->verify(asked);
    const std::string path = words_of(verdict.path);
    std::vector<CoinReport> checks;
    const bool whole = heard.rule->kind == RuleKind::block || (heard.rule->is_cascade() && round.params.block);
    if (whole) {
        // The last success counts. So the last coin comes first, and the ones before it decide only where it failed.
        bool decided = false;
        for (std::size_t i = verdict.checks.size(); i-- > 0;) {
            const Judgement& check = verdict.checks[i];
            listener.report(accept.at(check.node), decided ? std::vector<double>{} : std::vector<double>{check.threshold}, path,
                            "the verdict on draft " + std::to_string(check.node));
            decided = decided || (check.u && *check.u < check.threshold);
        }
    } else {
        for (const Judgement& check : verdict.checks)
            if (const auto key = accept.find(check.node); key != accept.end())
                listener.report(key->second, {check.threshold}, path, "the verdict on draft " + std::to_string(check.node));
    }
    std::vector<int> written; // the token behind each row of the path
    std::vector<int> rows{0};
    for (const int node : verdict.path) written.push_back(round.drafts[static_cast<std::size_t>(node)]), rows.push_back(1 + node);
    written.push_back(verdict.token);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto key = resample.find(rows[i]);
        if (key == resample.end()) continue;
        // A rule that compares draws of the target's distribution draws again and again; the verdict carries the last one.
        const Distribution& distribution = rows[i] == verdict.row() ? verdict.distribution : round.p(rows[i]);
        listener.report(key->second, cuts_of(distribution), std::to_string(written[i]),
                        "the target's own draw behind row " + std::to_string(rows[i]));
    }
    for (const RuleInfo* other : heard.same)
        if (!says_the_same(verdict, other->verify(round)) && heard.differs->empty())
            *heard.differs = std::string(other->name) + " judges " + words_of({round.drafts.begin(), round.drafts.end()}) + " otherwise";
    return verdict;
}

// What is enumerated.
struct EnumeratedCycle {
    std::shared_ptr<const Models> models;
    RunSettings settings = {}; // drafter, rule, K, samplings, options, prompt (token_ids), max_tokens
    int rounds = 2;
    const RuleInfo* rule = nullptr;         // instead of the one that settings name
    std::vector<const RuleInfo*> same = {}; // rules that must judge every round as this one does
    Cycle::GoOn go_on = {};
    std::optional<DraftLength> length = {}; // K auto, with what it knows already
    std::vector<DraftLength> lengths = {};  // the same of both of two chained drafters
    // Planted faults: another key for a coin, another drafter around the drafter, another target.
    std::function<CoinKey(CoinKey)> key = {};
    std::function<std::unique_ptr<Drafter>(std::unique_ptr<Drafter>)> around = {}, outside = {}; // outside: behind what is reported
    Run::MakeTarget target = {};
    bool own_draws = false; // the draft model draws in ids of its own
};

inline const std::vector<int>& prompt_of(const EnumeratedCycle& round) {
    static const std::vector<int> kOne{0};
    return round.settings.prompt.token_ids.empty() ? kOne : round.settings.prompt.token_ids;
}

inline Played play_rounds(const EnumeratedCycle& one, int rounds, const Coins& coins, std::string* differs = nullptr, int silent = 0) {
    const RunSettings& settings = one.settings;
    const Models& models = *one.models;
    const DrafterInfo& info = *find_drafter(settings.drafter);
    const std::vector<int>& prompt = prompt_of(one);
    const int size = static_cast<int>(prompt.size()), nodes = info.tree ? settings.options.tree_budget : 0;
    const int capacity = size + settings.max_tokens + std::max(settings.k, nodes) + 1;
    CoinListener listener(coins);
    listener.silent = silent;
    const auto target = one.target      ? one.target(capacity)
                        : models.target ? make_model_decoder(models.target, capacity)
                                        : make_table_decoder(models.target_table, size, capacity);
    auto drafter = make_drafter(info, [&](const DrafterInfo& part) {
        std::unique_ptr<Decoder> draft;
        if (part.needs_draft_model())
            draft = models.draft ? make_model_decoder(models.draft, capacity) : make_table_decoder(models.draft_table, size, capacity);
        if (one.own_draws) draft = std::make_unique<ListeningDecoder>(std::move(draft), listener);
        return DrafterArgs{*target,
                           std::move(draft),
                           models.network(part.name),
                           settings.options,
                           models.ids_for(settings.options),
                           models.answers,
                           part.translates ? models.vocabularies : nullptr};
    });
    if (one.around) drafter = one.around(std::move(drafter));
    std::unique_ptr<Drafter> heard = std::make_unique<ListeningDrafter>(std::move(drafter), listener);
    if (one.outside) heard = one.outside(std::move(heard));
    const RuleInfo& real = one.rule ? *one.rule : *find_rule(settings.rule);
    RuleInfo rule = real;
    rule.verify = listened_verify;
    listened_rule = {&real, &listener, one.same, differs};
    CycleSettings cycle;
    cycle.k = settings.k;
    if (const auto network = models.network(settings.drafter)) cycle.k = std::min(cycle.k, network->config.most_drafts());
    cycle.nodes = nodes;
    cycle.lengths = one.lengths;
    if (one.length) cycle.lengths.push_back(*one.length);
    cycle.chained = info.chained();
    cycle.sampling = settings.sampling;
    cycle.draft_sampling = settings.drafts();
    cycle.coins = [&](const CoinKey& key) { return listener.ask(one.key ? one.key(key) : key); };
    cycle.max_tokens = settings.max_tokens;
    cycle.rule_params = settings.rule_params;
    cycle.trace_top = 0;
    cycle.timing = false;
    cycle.stops = models.stops();
    Trace trace([](int) { return std::string(); });
    Header header;
    header.prompt = prompt;
    trace.append(header);
    Cycle run(*target, *heard, rule, cycle, trace, prompt, size);
    if (one.go_on) run.go_on(one.go_on);
    std::size_t seen = 0;
    std::vector<int> depths;
    for (bool more = true; more && listener.round < rounds;) {
        more = run.step();
        for (; seen < trace.size(); ++seen) {
            if (const auto* drafted = std::get_if<Drafted>(&trace[seen]))
                depths.push_back(drafted->parent < 0 ? 1 : 1 + depths[static_cast<std::size_t>(drafted->parent)]);
            if (const auto* commit = std::get_if<Committed>(&trace[seen])) {
                listener.played.rounds.emplace_back(depths.empty() ? 0 : std::ranges::max(depths), commit->accepted_drafts);
                depths.clear();
                ++listener.round;
            }
        }
    }
    listener.played.text.assign(run.sequence().begin() + size, run.sequence().end());
    return std::move(listener.played);
}

// The target's distribution behind the tokens that were written so far.
using TargetRow = std::function<Distribution(const std::vector<int>& text)>;

inline TargetRow table_rows(std::shared_ptr<const TableModel> table, Sampling sampling) {
    return [table, sampling](const std::vector<int>& text) { return apply_sampling(table_distribution(*table, text), sampling); };
}

// By plain decoding, one pass over all of it; each row once.
inline TargetRow model_rows(std::shared_ptr<const Model> model, std::vector<int> prompt, Sampling sampling) {
    auto known = std::make_shared<std::map<std::vector<int>, Distribution>>();
    return [=](const std::vector<int>& text) {
        const auto [place, fresh] = known->try_emplace(text);
        if (!fresh) return place->second;
        std::vector<int> all = prompt;
        all.insert(all.end(), text.begin(), text.end());
        const auto decoder = make_model_decoder(model, static_cast<int>(all.size()));
        return place->second = decoder->forward({.tokens = all, .logits_from = static_cast<int>(all.size()) - 1}).distribution(0, sampling);
    };
}

// What was written, in rounds that may be of different length, each text with its weight.
class WrittenTexts {
  public:
    void add(const std::vector<int>& text, double weight) { texts_[text] += weight, weight_ += weight; }
    [[nodiscard]] double weight() const { return weight_; }
    // Half of the sum of all differences to the target's distribution, once every text is gone on with by the target itself up to the
    // length of the longest one. `start`: what was written before, by other means.
    [[nodiscard]] double off(const TargetRow& row, const std::vector<int>& start, const std::vector<int>& stops = {}) const {
        std::size_t length = 0;
        for (const auto& [text, weight] : texts_) length = std::max(length, text.size());
        double sum = 0, found = 0;
        std::vector<int> text = start;
        walk(row, text, stops, length, 1, 0, sum, found);
        return sum / 2 + std::fabs(weight_ - found) / 2; // texts that the target never writes were not found
    }

  private:
    // mass: of `text` under the target. ratio: what the texts it begins with have of theirs, which comes to 1 in the end.
    void walk(const TargetRow& row, std::vector<int>& text, const std::vector<int>& stops, std::size_t length, double mass, double ratio,
              double& sum, double& found) const {
        if (const auto here = texts_.find(text); here != texts_.end()) ratio += here->second / mass, found += here->second;
        const bool ended = !text.empty() && std::ranges::count(stops, text.back()) > 0;
        if (text.size() >= length || ended) {
            sum += mass * std::fabs(ratio - 1);
            return;
        }
        const Distribution next = row(text);
        for (std::size_t v = 0; v < next.size(); ++v) {
            if (next[v] == 0) continue;
            text.push_back(static_cast<int>(v));
            walk(row, text, stops, length, mass * next[v], ratio, sum, found);
            text.pop_back();
        }
    }
    std::map<std::vector<int>, double> texts_;
    double weight_ = 0;
};

inline constexpr double kExact = 1e-12;

struct Enumerated {
    std::string problem = {}; // empty: what is written is the target's distribution
    long leaves = 0, runs = 0;
    double weight = 1, off = 0;           // the worst of all texts that rounds were entered behind
    long full = 0, partial = 0, none = 0; // leaves behind a first round that kept all of its drafts, some of them, none
    // Of each kind some, where K is 2 or more and all of them can occur.
    [[nodiscard]] bool judged() const { return full > 0 && partial > 0 && none > 0; }
    [[nodiscard]] bool kept_and_refused() const { return full + partial > 0 && none > 0; }
};

inline std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

// Prints what came out where SPEC_EXACT_TELL is set (docs/verification.md).
inline void tell(const std::string& name, const Enumerated& found) {
    if (std::getenv("SPEC_EXACT_TELL"))
        std::printf("%s: %ld leaves, %ld runs, weight 1%+.1e, off by %.1e; first round kept all %ld, some %ld, none %ld\n", name.c_str(),
                    found.leaves, found.runs, found.weight - 1, found.off, found.full, found.partial, found.none);
}

// A chain is judged by the rules for drawn siblings as by the token rule, and by tree_match as by match: those are held against the
// first one's verdict in every round, drafts and coins being the same, and not enumerated again.
struct RuleGroup {
    const RuleInfo* first;
    std::vector<const RuleInfo*> same = {};
};
inline std::vector<RuleGroup> sampling_rules(const DrafterInfo& drafter) {
    std::vector<RuleGroup> groups;
    for (const RuleInfo& rule : rule_list()) {
        if (rule.greedy_only || !rule.lossless() || !can_judge(rule, drafter)) continue;
        const std::string name = rule.name;
        const std::string as = drafter.tree                                                     ? ""
                               : name == "tree_match"                                           ? "match"
                               : name == "tree_wor" || name == "tree_wr" || name == "tree_kseq" ? "token"
                                                                                                : "";
        if (as.empty())
            groups.push_back({&rule});
        else
            std::ranges::find_if(groups, [&](const RuleGroup& group) { return group.first->name == as; })->same.push_back(&rule);
    }
    return groups;
}

inline void conclude(Enumerated& result, const WrittenTexts& texts, const TargetRow& row, const std::vector<int>& start,
                     const std::vector<int>& stops = {}) {
    if (!result.problem.empty()) return;
    const double off = texts.off(row, start, stops);
    if (std::fabs(texts.weight() - 1) > kExact)
        result.problem = "weights sum to 1 and " + number(texts.weight() - 1);
    else if (off > kExact)
        result.problem = "writes another distribution: total variation " + number(off);
    result.off = std::max(result.off, off);
    if (std::fabs(texts.weight() - 1) > std::fabs(result.weight - 1)) result.weight = texts.weight();
}

inline void count_first_round(Enumerated& result, const Played& played, std::size_t round = 0) {
    if (played.rounds.size() <= round || played.rounds[round].first == 0) return;
    const auto& [drafts, kept] = played.rounds[round];
    ++(kept == 0 ? result.none : kept == drafts ? result.full : result.partial);
}

// The rounds of `one`, from its prompt on, against the target's rows.
inline Enumerated enumerate(const EnumeratedCycle& one, const TargetRow& row) {
    Enumerated result;
    WrittenTexts texts;
    std::string differs;
    CoinEnumeration all([&](const Coins& coins) { return play_rounds(one, one.rounds, coins, &differs); },
                        [&](const Played& played, const CoinIntervals&, double weight) {
                            texts.add(played.text, weight);
                            count_first_round(result, played);
                        });
    all.run();
    result.leaves = all.leaves(), result.runs = all.runs();
    result.problem = !all.problem().empty() ? all.problem() : differs;
    conclude(result, texts, row, {}, one.models->stops());
    return result;
}

// One round behind each text of at most `longest` tokens, entered by playing the rounds before it: their coins are where the likeliest
// rounds that write the text left them. A text that no round ends with (what the draft finds likelier than the target is no residual) is
// entered by rounds in which nothing was drafted. `entered`: such texts, and how many of them by rounds of the latter kind.
struct Prefixes {
    int entered = 0, silent = 0;
};
inline Enumerated enumerate_behind_prefixes(const EnumeratedCycle& one, const TargetRow& row, std::size_t longest, Prefixes& prefixes) {
    struct Entry {
        CoinIntervals at = {};
        int rounds = 0, silent = 0;
        double weight = 0;
    };
    const auto shorter = [](const std::vector<int>& a, const std::vector<int>& b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    };
    std::map<std::vector<int>, Entry, decltype(shorter)> entries(shorter);
    Enumerated result;
    std::string differs;
    for (int rounds = 1; rounds <= static_cast<int>(longest) && result.problem.empty(); ++rounds) {
        CoinEnumeration plain([&](const Coins& coins) { return play_rounds(one, rounds, coins, nullptr, rounds); },
                              [&](const Played& played, const CoinIntervals& at, double) {
                                  entries[played.text] = {at, rounds, rounds, 0};
                              });
        plain.run();
        result.problem = plain.problem();
    }
    entries[{}] = {.weight = 1};
    prefixes = {};
    for (auto here = entries.begin(); here != entries.end() && result.problem.empty(); ++here) { // what is found behind it is longer
        const Entry entry = here->second;
        const std::vector<int>& start = here->first;
        if (!start.empty() && std::ranges::count(one.models->stops(), start.back()) > 0) continue;
        WrittenTexts texts;
        CoinEnumeration all([&](const Coins& coins) { return play_rounds(one, entry.rounds + 1, coins, &differs, entry.silent); },
                            [&](const Played& played, const CoinIntervals& at, double weight) {
                                texts.add(played.text, weight);
                                count_first_round(result, played, static_cast<std::size_t>(entry.rounds));
                                if (played.text.size() > longest) return;
                                Entry& next = entries[played.text];
                                if (weight * entry.weight > next.weight) next = {at, entry.rounds + 1, entry.silent, weight * entry.weight};
                            });
        all.run(entry.at, entry.rounds);
        ++prefixes.entered;
        prefixes.silent += entry.silent > 0;
        result.leaves += all.leaves(), result.runs += all.runs();
        result.problem = !all.problem().empty() ? all.problem() : differs;
        conclude(result, texts, row, start, one.models->stops());
        if (!result.problem.empty()) result.problem += " (behind " + words_of(start) + ")";
    }
    return result;
}

} // namespace speclens::test
