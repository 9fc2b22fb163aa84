#include "tests/scenes/scenes_fixtures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "engine/base/rng.h"
#include "engine/drafters/tree_shape.h"
#include "engine/rules/verify.h"

namespace speclens::fixtures {
namespace {

constexpr int kVocab = 24;
constexpr std::array<const char*, kVocab> kTexts = {
    " the", " a",   " cat",  " sat",   " on",    " mat", ".",   ",",   "\n",  " and",
    " dog", " ran", " over", " quick", " brown", " fox", "ing", " It", " is", " extraordinarily",
    "\t",   " 42",  "\xe4",  " said"};

std::string text_of(int id) { return id >= 0 && id < kVocab ? kTexts[static_cast<std::size_t>(id)] : "<?>"; }

// A distribution that depends on the position only; peaked, with a long tail.
Distribution toy_distribution(std::uint64_t salt, int position) {
    Distribution distribution(kVocab);
    double sum = 0;
    for (int id = 0; id < kVocab; ++id) {
        const double x = uniform({.seed = salt, .position = static_cast<std::uint32_t>(position), .lane = static_cast<std::uint32_t>(id)});
        distribution[static_cast<std::size_t>(id)] = std::pow(x, 12);
        sum += distribution[static_cast<std::size_t>(id)];
    }
    for (double& p : distribution) p /= sum;
    return distribution;
}

Distribution draft_distribution(int position, double noise) {
    const Distribution target = toy_distribution(11, position);
    if (noise >= 1) { // only tokens that the target gives nothing worth mentioning
        Distribution distribution(kVocab, 0.0);
        distribution[static_cast<std::size_t>(std::ranges::min_element(target) - target.begin())] = 1;
        return distribution;
    }
    Distribution distribution = toy_distribution(29, position);
    for (std::size_t i = 0; i < distribution.size(); ++i) distribution[i] = noise * distribution[i] + (1 - noise) * target[i];
    return distribution;
}

class Writer {
  public:
    Writer(const Toy& toy, std::vector<Event>& out) : toy_(toy), out_(out) { tokens_ = {0, 2, 3, 4, 0}; }

    void header() {
        Header h;
        h.model = "toy target";
        h.drafter = toy_.drafter;
        h.drafter_model = toy_.drafter == "small" ? "toy draft" : "";
        h.rule = toy_.rule;
        h.backend = "toy backend";
        if (!toy_.tier.empty()) h.tier = toy_.tier;
        h.machine = "test bench";
        h.date = "2026-01-02 03:04";
        h.k = toy_.k;
        h.nodes = toy_.nodes;
        h.sampling.temperature = h.draft_sampling.temperature = toy_.temperature;
        h.seed = 7;
        h.max_tokens = 64;
        h.vocab = kVocab;
        h.prompt = tokens_;
        h.prompt_text = " the cat sat on the";
        h.prefill_boundary = static_cast<int>(tokens_.size()) - 1;
        h.timing = toy_.timing;
        out_.push_back(h);
        out_.push_back(Prefill{static_cast<int>(tokens_.size()) - 1, ms(4)});
    }

    void cycle(int number) {
        if (toy_.nodes > 0) return tree_round(number);
        const int position = static_cast<int>(tokens_.size());
        const Sampling sampling{.temperature = toy_.temperature};
        std::vector<Distribution> p_raw, q_raw, p, q;
        std::vector<int> drafts;
        const auto coin = [&](Purpose purpose, int at) {
            return uniform({.seed = 7, .position = static_cast<std::uint32_t>(at), .purpose = purpose});
        };
        const bool copied = toy_.drafter == "lookup";
        for (int i = 0; i <= toy_.k; ++i) {
            p_raw.push_back(toy_distribution(11, position + i));
            p.push_back(apply_sampling(p_raw.back(), sampling));
            if (i == toy_.k) break;
            q_raw.push_back(draft_distribution(position + i, toy_.noise));
            q.push_back(copied ? one_hot(kVocab, argmax(q_raw.back())) : apply_sampling(q_raw.back(), sampling));
            drafts.push_back(sample(q.back(), coin(Purpose::draft, position + i)));
            Drafted d;
            d.round = number;
            d.index = i;
            d.parent = i - 1;
            d.token = drafts.back();
            d.q = std::log(q.back()[static_cast<std::size_t>(d.token)]);
            if (!copied && toy_.temperature > 0) d.u = coin(Purpose::draft, position + i);
            if (!copied) heads(q.back(), q_raw.back(), d.top, d.raw_top);
            if (copied) d.extra = "matched 2 tokens at 1";
            d.ms = copied ? 0 : ms(1.5, number);
            out_.push_back(d);
        }
        const int rows = static_cast<int>(drafts.size()) + 1;
        out_.push_back(Verified{number, rows, ms(9, number)});

        Round round;
        round.drafts = drafts;
        round.p = [&](int row) -> const Distribution& { return p[static_cast<std::size_t>(row)]; };
        round.q = [&](int row) -> const Distribution& { return q[static_cast<std::size_t>(row)]; };
        round.p_argmax = [&](int row) { return argmax(p[static_cast<std::size_t>(row)]); };
        round.accept_coin = [&](int i) { return coin(Purpose::accept, position + i); };
        round.resample_coin = [&](int row) { return coin(Purpose::resample, position + row); };
        const Verdict verdict = find_rule(toy_.rule)->verify(round);
        for (std::size_t i = 0; i < verdict.checks.size(); ++i) {
            const Judgement& j = verdict.checks[i];
            Checked c;
            c.round = number;
            c.index = static_cast<int>(i);
            c.token = drafts[i];
            c.p = std::log(p[i][static_cast<std::size_t>(c.token)]);
            c.q = std::log(q[i][static_cast<std::size_t>(c.token)]);
            c.threshold = j.threshold;
            c.u = j.u;
            c.accepted = j.accepted;
            heads(p[i], p_raw[i], c.top, c.raw_top);
            out_.push_back(c);
        }
        TargetToken own;
        own.round = number;
        own.from = verdict.from;
        own.token = verdict.token;
        own.u = verdict.u;
        const Distribution drawn_from = verdict.distribution.empty() ? one_hot(kVocab, verdict.token) : verdict.distribution;
        own.p = std::log(drawn_from[static_cast<std::size_t>(verdict.token)]);
        if (toy_.top != 0) own.top = top_of(drawn_from, toy_.top);
        out_.push_back(own);
        Committed done;
        done.round = number;
        done.accepted_drafts = verdict.accepted();
        done.tokens.assign(drafts.begin(), drafts.begin() + verdict.accepted());
        done.tokens.push_back(verdict.token);
        done.kv_before = position - 1;
        done.kv_verify = position - 1 + rows;
        done.kv_after = position + verdict.accepted();
        done.accept_ms = ms(0.2);
        done.ms = ms(0.1);
        tokens_.insert(tokens_.end(), done.tokens.begin(), done.tokens.end());
        out_.push_back(done);
    }

    // Guesses drawn without replacement at the places of a fixed shape. Distributions depend on the position only.
    void tree_round(int number) {
        const int position = static_cast<int>(tokens_.size());
        const Sampling sampling{.temperature = toy_.temperature};
        const std::vector<ShapeNode> shape = tree_shape(2, toy_.k, toy_.nodes);
        const auto coin = [&](Purpose purpose, int at, int lane) {
            return uniform(
                {.seed = 7, .position = static_cast<std::uint32_t>(at), .purpose = purpose, .lane = static_cast<std::uint32_t>(lane)});
        };
        std::vector<Distribution> p_raw{toy_distribution(11, position)}, p{apply_sampling(p_raw[0], sampling)}, q;
        std::vector<int> drafts, parents;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            const int depth = shape[i].depth;
            const Distribution raw = draft_distribution(position + depth - 1, toy_.noise);
            Distribution distribution = apply_sampling(raw, sampling);
            for (int lane = shape[i].lane; lane > 0; --lane) { // what the siblings before left of it
                const int taken = drafts[i - static_cast<std::size_t>(lane)];
                const double left = 1 - distribution[static_cast<std::size_t>(taken)];
                distribution[static_cast<std::size_t>(taken)] = 0;
                for (double& value : distribution) value /= left;
            }
            Drafted d;
            d.round = number;
            d.index = static_cast<int>(i);
            d.parent = shape[i].parent;
            d.u = coin(Purpose::draft, position + depth - 1, shape[i].lane);
            d.token = sample(distribution, *d.u);
            d.q = std::log(distribution[static_cast<std::size_t>(d.token)]);
            heads(distribution, raw, d.top, d.raw_top);
            d.ms = i == 0 || shape[i - 1].depth != depth ? ms(1.5) : 0;
            drafts.push_back(d.token);
            parents.push_back(d.parent);
            q.push_back(std::move(distribution));
            p_raw.push_back(toy_distribution(11, position + depth));
            p.push_back(apply_sampling(p_raw.back(), sampling));
            out_.push_back(std::move(d));
        }
        const int rows = static_cast<int>(drafts.size()) + 1;
        out_.push_back(Verified{number, rows, ms(11)});

        Round round;
        round.drafts = drafts;
        round.parents = parents;
        round.p = [&](int row) -> const Distribution& { return p[static_cast<std::size_t>(row)]; };
        round.q = [&](int node) -> const Distribution& { return q[static_cast<std::size_t>(node)]; };
        round.p_argmax = [&](int row) { return argmax(p[static_cast<std::size_t>(row)]); };
        round.accept_coin = [&](int node) {
            const ShapeNode& place = shape[static_cast<std::size_t>(node)];
            return coin(Purpose::accept, position + place.depth - 1, place.lane);
        };
        round.resample_coin = [&](int row) {
            return coin(Purpose::resample, position + (row == 0 ? 0 : shape[static_cast<std::size_t>(row - 1)].depth), 0);
        };
        const Verdict verdict = find_rule(toy_.rule)->verify(round);
        for (const Judgement& j : verdict.checks) {
            const auto node = static_cast<std::size_t>(j.node);
            const auto row = static_cast<std::size_t>(1 + parents[node]);
            Checked c;
            c.round = number;
            c.index = j.node;
            c.token = drafts[node];
            c.p = std::log(p[row][static_cast<std::size_t>(c.token)]);
            c.q = std::log(q[node][static_cast<std::size_t>(c.token)]);
            c.threshold = j.threshold;
            c.u = j.u;
            c.accepted = j.accepted;
            if (j.sibling_residual) c.sibling_residual = std::log(*j.sibling_residual);
            heads(p[row], p_raw[row], c.top, c.raw_top);
            out_.push_back(c);
        }
        TargetToken own;
        own.round = number;
        own.from = verdict.from;
        own.parent = verdict.row() - 1;
        own.token = verdict.token;
        own.u = verdict.u;
        own.p = std::log(verdict.distribution[static_cast<std::size_t>(verdict.token)]);
        if (toy_.top != 0) own.top = top_of(verdict.distribution, toy_.top);
        out_.push_back(own);
        Committed done;
        done.round = number;
        done.accepted_drafts = verdict.accepted();
        done.path = verdict.path;
        for (const int node : verdict.path) done.tokens.push_back(drafts[static_cast<std::size_t>(node)]);
        done.tokens.push_back(verdict.token);
        done.kv_before = position - 1;
        done.kv_verify = position - 1 + rows;
        done.kv_after = position + verdict.accepted();
        done.accept_ms = ms(0.2);
        done.ms = ms(0.1);
        tokens_.insert(tokens_.end(), done.tokens.begin(), done.tokens.end());
        out_.push_back(done);
    }

  private:
    [[nodiscard]] double ms(double value, int cycle = -1) const {
        return !toy_.timing ? 0 : cycle >= 0 && cycle == toy_.held_up ? 10 * value : value;
    }
    void heads(const Distribution& distribution, const Distribution& raw, TopEntries& top, TopEntries& raw_top) const {
        if (toy_.top == 0) return;
        top = top_of(distribution, toy_.top);
        if (toy_.temperature != 1) raw_top = top_of(raw, toy_.top);
    }

    const Toy& toy_;
    std::vector<Event>& out_;
    std::vector<int> tokens_;
};

std::shared_ptr<Trace> to_trace(std::vector<Event> events) {
    auto trace = std::make_shared<Trace>(text_of);
    for (Event& event : events) trace->append(std::move(event));
    return trace;
}

} // namespace

std::shared_ptr<Trace> toy_run(const Toy& toy) {
    std::vector<Event> events;
    Writer writer(toy, events);
    writer.header();
    for (int i = 0; i < toy.cycles; ++i) writer.cycle(i);
    events.resize(events.size() - static_cast<std::size_t>(toy.cut));
    if (!toy.failure.empty()) events.push_back(Failed{toy.failure, "Try a shorter prompt."});
    auto trace = to_trace(std::move(events));
    if (toy.stop && toy.failure.empty() && toy.cut == 0) trace->append(Stopped{"length", trace->hash(trace->size())});
    return trace;
}

const std::vector<Toy>& toys() {
    static const std::vector<Toy> list = {
        {.name = "mixed"},
        {.name = "empty", .cycles = 0, .stop = false},
        {.name = "mid_cycle", .cycles = 2, .cut = 5, .stop = false},
        {.name = "all_accepted", .cycles = 3, .noise = 0},
        {.name = "all_rejected", .cycles = 4, .noise = 1},
        {.name = "failed", .cycles = 2, .failure = "The context is full"},
        {.name = "greedy", .rule = "greedy", .temperature = 0},
        {.name = "match", .rule = "match", .cycles = 4},
        {.name = "lookup", .drafter = "lookup", .cycles = 4},
        {.name = "plain", .drafter = "none", .k = 0, .cycles = 5},
        {.name = "long_drafts", .k = 16, .cycles = 2, .noise = 0.1},
        {.name = "tree", .rule = "tree_wor", .drafter = "small_tree", .k = 3, .cycles = 4, .nodes = 8},
        {.name = "fast", .cycles = 3, .top = 0, .timing = false},
    };
    return list;
}

std::shared_ptr<Trace> long_run(int events) {
    const Toy toy{.name = "long", .cycles = 0, .top = 0};
    std::vector<Event> list;
    Writer writer(toy, list);
    writer.header();
    for (int i = 0; static_cast<int>(list.size()) < events; ++i) writer.cycle(i);
    return to_trace(std::move(list));
}

} // namespace speclens::fixtures
