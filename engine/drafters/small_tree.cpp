// An independent draft model that drafts a tree: several continuations of each draft token, verified in one target pass
// (SpecInfer, Miao et al. 2023; the siblings as EAGLE, Sequoia or Medusa choose them, whatever the rule needs).
// Level by level, with one pass of the draft model each. The model's cache holds the committed text only: a pass over a
// level runs the levels above it again, since a row of a pass can see all of the cache and of the pass only its
// ancestors. That costs rows, not passes, and rows are nearly free beside reading the weights.
#include <algorithm>

#include "engine/base/clock.h"
#include "engine/drafters/chain.h"
#include "engine/drafters/drafter_info.h"
#include "engine/drafters/mapped_rows.h"
#include "engine/drafters/tree_shape.h"
#include "kernels/error.h"

namespace speclens {
namespace {

class SmallTree final : public Drafter {
  public:
    explicit SmallTree(DrafterArgs args)
        : model_(std::move(args.draft_model)), options_(args.options), vocab_(args.target.vocab()), mapped_(model_->vocab(), vocab_) {
        if (const int ids = draft_ids(options_); ids > 0) reduced_ = model_->reduced_head(*args.frequent, ids);
    }

    void begin(std::span<const int> sequence) override {
        model_->truncate(0);
        // Its context may be shorter than the text of a fork: then draft() has no room.
        const std::size_t known = known_tokens(sequence, model_->vocab());
        model_->prefill(sequence.first(std::min({sequence.size() - 1, known, static_cast<std::size_t>(model_->capacity())})), {}, {},
                        reading_);
    }

    void observe(const Observation& observation) override {
        model_->truncate(std::min(model_->length(), static_cast<int>(observation.sequence.size()) - 1));
    }

    Draft draft(const DraftRequest& request) override {
        const bool chain = request.siblings == Siblings::none;
        const int committed = static_cast<int>(request.sequence.size());
        const int room = std::min(model_->capacity() - committed, model_->max_rows());
        const int nodes = std::min(chain ? request.k : request.nodes, room);
        const std::vector<ShapeNode>& shape = shape_of({chain ? 1 : options_.tree_topk, request.k, nodes});
        Draft draft;
        if (shape.empty()) return draft;
        if (const auto text = request.sequence.subspan(static_cast<std::size_t>(model_->length()));
            known_tokens(text, model_->vocab()) < text.size())
            return draft; // it cannot read on

        Growth tree{request, shape, draft, std::vector<int>(shape.size(), -1), {}, {}, 0};
        for (std::size_t first = 0; first < shape.size();) {
            std::size_t end = first;
            while (end < shape.size() && shape[end].depth == shape[first].depth) ++end;
            if (first > 0 && request.before_pass) request.before_pass();
            if (!grow_level(tree, first, end)) break;
            first = end;
        }
        return draft;
    }

  private:
    // A tree that is being drafted. Places of the shape stay empty where a stop token ended a branch, or where a distribution
    // had no further token to propose.
    struct Growth {
        const DraftRequest& request;
        const std::vector<ShapeNode>& shape;
        Draft& draft;
        std::vector<int> node_of; // place of the shape -> node of the draft, -1: empty
        std::vector<int> fed;     // nodes that have been a row of the last pass, in its order
        std::vector<int> feed_of; // node -> its row there
        int above = 0;            // rows of that pass without logits: the levels above the one that was read
    };

    struct Limits {
        int topk = 0, depth = 0, nodes = 0;
        bool operator==(const Limits&) const = default;
    };

    // The same for nearly every round, so it is kept.
    const std::vector<ShapeNode>& shape_of(const Limits& limits) {
        if (limits_ != limits) {
            shape_ = tree_shape(limits.topk, limits.depth, limits.nodes);
            limits_ = limits;
        }
        return shape_;
    }

    // Fills the places [first, end) of one level. False when nothing above them can have children.
    bool grow_level(Growth& tree, std::size_t first, std::size_t end) {
        const Stopwatch watch;
        const std::size_t before = tree.draft.nodes.size();
        PassRows* rows = tree.shape[first].depth == 1 ? read_text(tree.request) : read_tree(tree, first, end);
        if (!rows) return false;
        for (std::size_t at = first; at < end;) {
            std::size_t next = at;
            while (next < end && tree.shape[next].parent == tree.shape[at].parent) ++next;
            const int place = tree.shape[at].parent;
            const int parent = place < 0 ? -1 : tree.node_of[static_cast<std::size_t>(place)];
            const bool ended = parent >= 0 && ends(tree, parent);
            if (place < 0 || (parent >= 0 && !ended)) {
                const int row = parent < 0 ? 0 : tree.feed_of[static_cast<std::size_t>(parent)] - tree.above;
                add_children(tree, *rows, row, parent, at, next);
            }
            at = next;
        }
        if (tree.draft.nodes.size() > before) tree.draft.nodes[before].ms = watch.ms(); // one pass for the whole level
        return true;
    }

    // The committed text that is not in the cache yet, the pending token last: logits of that one.
    PassRows* read_text(const DraftRequest& request) {
        std::vector<int> feed(request.sequence.begin() + model_->length(), request.sequence.end());
        CHECK(!feed.empty(), "the draft model's cache is ahead of the text");
        if (static_cast<int>(feed.size()) > model_->max_rows()) { // after a long stretch without drafting
            model_->prefill(std::span(feed).first(feed.size() - 1));
            feed.erase(feed.begin(), feed.end() - 1);
        }
        return &mapped_.of(model_->forward({.tokens = feed, .logits_from = static_cast<int>(feed.size()) - 1, .head = head()}));
    }

    // The nodes that have a place for children in the shape, down to the parents of [first, end): logits of those.
    PassRows* read_tree(Growth& tree, std::size_t first, std::size_t end) {
        tree.above = static_cast<int>(tree.fed.size());
        for (std::size_t at = first; at < end; ++at) {
            const int node = tree.node_of[static_cast<std::size_t>(tree.shape[at].parent)];
            if (node < 0 || ends(tree, node)) continue;
            if (static_cast<int>(tree.fed.size()) == tree.above || tree.fed.back() != node) tree.fed.push_back(node);
        }
        if (static_cast<int>(tree.fed.size()) == tree.above) return nullptr;
        tree.feed_of.resize(tree.draft.nodes.size(), -1);
        std::vector<int> tokens, parents;
        for (std::size_t row = 0; row < tree.fed.size(); ++row) {
            const int node = tree.fed[row];
            const int parent = tree.draft.nodes[static_cast<std::size_t>(node)].parent;
            tree.feed_of[static_cast<std::size_t>(node)] = static_cast<int>(row);
            tokens.push_back(token_of(tree, node));
            parents.push_back(parent < 0 ? -1 : tree.feed_of[static_cast<std::size_t>(parent)]);
        }
        const int committed = static_cast<int>(tree.request.sequence.size());
        PassRows& rows = mapped_.of(model_->forward({.tokens = tokens, .parents = parents, .logits_from = tree.above, .head = head()}));
        model_->truncate(committed); // the rows stay readable
        return &rows;
    }

    // The children of one node at the places [at, next), from the row of logits that follows it.
    void add_children(Growth& tree, PassRows& rows, int row, int parent, std::size_t at, std::size_t next) {
        const DraftRequest& request = tree.request;
        const bool best = request.siblings == Siblings::best || request.sampling.temperature == 0;
        Distribution distribution; // of the next sibling, when siblings are drawn
        TopEntries favourites;     // else, the most likely first
        RecordedRow shown;
        if (best) {
            const int wanted = request.entries < 0 ? -1 : std::max(request.entries, static_cast<int>(next - at));
            favourites = rows.heads(row, kRawSampling, wanted).distribution;
            if (request.entries != 0) shown.raw = first_entries(favourites, request.entries);
        } else {
            if (request.entries != 0) shown = rows.heads(row, request.sampling, request.entries);
            distribution = rows.distribution(row, request.sampling);
            distribution.resize(static_cast<std::size_t>(vocab_), 0.0);
        }
        for (std::size_t place = at; place < next; ++place) {
            const int index = static_cast<int>(tree.draft.nodes.size());
            const int lane = static_cast<int>(place - at);
            const std::optional<int> forced = request.forced(index);
            DraftNode node;
            node.parent = parent;
            if (best) {
                if (lane >= static_cast<int>(favourites.entries.size())) break;
                node.token = forced.value_or(favourites.entries[static_cast<std::size_t>(lane)].id);
            } else {
                if (forced) {
                    node.token = *forced;
                } else {
                    node.u =
                        request.tree_coin ? request.tree_coin(tree.shape[place].depth, lane) : request.coin(tree.shape[place].depth - 1);
                    node.token = sample(distribution, *node.u);
                }
                node.distribution = distribution;
            }
            node.heads = shown;
            if (lane > 0 && request.siblings == Siblings::without && request.entries != 0 && !best)
                node.heads.distribution = top_of(distribution, request.entries);
            if (forced) node.extra = kForced;
            tree.node_of[place] = index;
            tree.draft.nodes.push_back(std::move(node));
            if (!best && request.siblings == Siblings::without && !take_out(distribution, tree.draft.nodes.back().token)) break;
        }
    }

    // Strikes a drawn token out of the distribution of its later siblings. False when no other token has mass.
    static bool take_out(Distribution& distribution, int token) {
        distribution[static_cast<std::size_t>(token)] = 0;
        double mass = 0;
        for (const double value : distribution) mass += value;
        if (!(mass > 0)) return false;
        for (double& value : distribution) value /= mass;
        return true;
    }

    static int token_of(const Growth& tree, int node) { return tree.draft.nodes[static_cast<std::size_t>(node)].token; }

    // Nothing follows a stop token, nor a forced one that the draft model does not have.
    [[nodiscard]] bool ends(const Growth& tree, int node) const {
        return is_stop(tree.request.stops, token_of(tree, node)) || token_of(tree, node) >= model_->vocab();
    }

    [[nodiscard]] const OutputHead* head() const { return reduced_.reduced() ? &reduced_ : nullptr; }

    std::unique_ptr<Decoder> model_;
    OutputHead reduced_; // no ids: the model's own head
    DrafterOptions options_;
    int vocab_;
    MappedRows mapped_;
    Limits limits_; // of shape_
    std::vector<ShapeNode> shape_;
};

} // namespace

DrafterInfo small_tree_info() {
    return named<"small_tree">({
        .short_title = drafter_said("small_tree.short"_t),
        .icon = "fork",
        .noun = drafter_said("small_tree.noun"_t),
        .cost = draft_cost<"cost.tree">,
        .kin = {.takes = drafter_said("kin.takes:text"_t),
                .sequential = drafter_said("kin.sequential:level"_t),
                .keeps = drafter_said("kin.keeps:cache"_t),
                .year = 2023,
                .source = "arXiv:2305.09781"},
        .needs = DrafterNeeds::draft_model,
        .method = "small",
        .tree = true,
        .reads = reads_of(kTreeSettings, {Setting::fr_spec, Setting::small_ids}),
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> {
            CHECK(args.draft_model != nullptr, "the small tree drafter needs a draft model");
            return std::make_unique<SmallTree>(std::move(args));
        },
    });
}

} // namespace speclens
