// Scene S9, Domino: a block is filled in one pass, and a small head corrects its distributions from left to right,
// because it knows what was drafted. The cursor chooses the round; the round is shown as far as the run knows
// it.
#include "scenes/domino/domino_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/second_draw.h"

namespace speclens {
namespace {

// Y: from round to round in which the head changed a guess that the target kept, until the same block without the head keeps fewer. At
// temperature 0 that is so in each of them; above, its replay tells. Where the run has none, others are looked through.
class RescueSearch {
  public:
    using Draw = HeadDraw<DominoModel>;

    // Why Y leads nowhere; empty: it does.
    [[nodiscard]] Message why_not(const SceneInput& input, const DominoModel& m) const {
        const RunView& whole = *input.whole;
        const std::optional<Position> next = next_rescue(whole, m.round->round);
        if (next && in_vain_ == input.trace && seen_ == whole.round_list.size()) return domino_says("controls.in_vain"_t);
        if (next) return next->round == m.round->round ? domino_says("controls.only_rescue"_t) : Message();
        if (!m.head_on) return domino_says("no_movers.off"_t);
        const Criterion kept = kept_change(whole);
        if (!whole.stopped || search_elsewhere(input, kept).runs.empty()) return domino_says("controls.no_rescue"_t);
        return found_elsewhere(input, kept).planned > 0 ? without_example_words(input, kept) : Message();
    }
    // What came of it, for whoever pressed Y.
    [[nodiscard]] Message result(const SceneInput& input, const DominoModel& m) const {
        return asked_in_ == input.trace && m.instead_of.empty() && !at_ ? why_not(input, m) : Message();
    }
    void begin(const Draw& d) {
        asked_in_ = d.input.trace;
        if (!why_not(d.input, d.model).empty()) return;
        const std::optional<Position> next = next_rescue(*d.input.whole, d.model.round->round);
        if (!next) return d.out.push_back(Command{search_elsewhere(d.input, kept_change(*d.input.whole))});
        first_ = next->round;
        go(d, *next);
    }
    void go_on(const Draw& d) {
        if (!at_ || asked_in_ != d.input.trace || *at_ != d.model.round->round) return at_.reset(); // somebody went elsewhere
        if (d.model.other != DominoModel::Other::whole) return;
        if (d.model.kept_off < d.model.kept_on) return at_.reset();
        if (const std::optional<Position> next = next_rescue(*d.input.whole, *at_); next && next->round != first_) return go(d, *next);
        in_vain_ = d.input.trace;
        seen_ = d.input.whole->round_list.size();
        at_.reset();
    }

  private:
    void go(const Draw& d, const Position& to) {
        at_ = to.round;
        for (const RoundSummary& round : d.input.whole->round_list)
            if (round.round == to.round) {
                d.out.push_back(SetCursor{round.end_event});
                d.out.push_back(Select{to});
            }
    }
    std::optional<int> at_;                                // round whose verdict without the head is waited for
    int first_ = 0;                                        // where it began
    const Trace *asked_in_ = nullptr, *in_vain_ = nullptr; // only compared
    std::size_t seen_ = 0;                                 // rounds by then
};

class DominoScene final : public HeadScene<DominoScene> {
  public:
    static constexpr const char* kName = kDominoDrafter;
    static constexpr bool kBlock = true;
    static constexpr auto kSays = domino_says;
    static Message details() { return domino_says("movers.what"_t); }
    static Message details_title() { return domino_says("movers.title"_t); }
    static KeyRows own_keys() {
        return {{"↑ ↓", shared_says("keys.positions"_t)}, {"Y", domino_says("keys.y"_t)},     {"H", domino_says("keys.h"_t)},
                {"B", domino_says("keys.b"_t)},           {"W", shared_says("keys.again"_t)}, {"N", domino_says("keys.n"_t)}};
    }
    static DominoModel model_of(const SceneInput& input) { return domino_model(input); }
    static StageTitle title(const HeadDraw<DominoModel>& d) { return domino_title(d.input, d.model); }
    Story story(const HeadDraw<DominoModel>& d) const { return domino_story(d.input, d.model, before_, search_.result(d.input, d.model)); }

    void stage(const HeadDraw<DominoModel>& d) const {
        const DominoGrid grid = domino_grid(d.input, d.model);
        draw_domino_stage({d, grid, before_});
    }

    void beside(const HeadDraw<DominoModel>& d) {
        const DominoGrid grid = domino_grid(d.input, d.model);
        const DominoDraw domino{d, grid, before_};
        if (!d.model.instead_of.empty()) {
            draw_domino_movers(domino, false);
            return take_guess_keys(d.ui, d.model, d.out);
        }
        again_.update(d.input, d.ui, d.model, d.input.beat == kDominoTwiceBeat, d.out);
        const std::optional<SecondDraw> twice = second_draw(d.input, d.model);
        if (twice) draw_second_draw(d.input, d.ui, *twice, again_.shown());
        draw_domino_movers(domino, !twice || !again_.shown());
        search_.go_on(d);
        const bool next = draw_domino_controls(domino, search_.why_not(d.input, d.model));
        if (d.ui.take_key(ui::Key::y) || next) search_.begin(d);
        keys(domino);
        remember(d.model, d.out);
        ask_for_replay(d.input, d.model, d.out);
    }

    // The first round whose guess only the head could save.
    std::optional<std::size_t> first_look(const RunView& whole) const override {
        if (!whole.header || whole.header->drafter != kDominoDrafter) return {};
        const std::optional<Position> at = next_rescue(whole, -1);
        if (!at) return {};
        for (const RoundSummary& round : whole.round_list)
            if (round.round == at->round) return round.end_event;
        return {};
    }

  private:
    static void keys(const DominoDraw& d) {
        using ui::Key;
        const int at = force_position(d.model);
        take_guess_keys(d.ui, d.model, d.out);
        if (!models_loaded(d.input)) return;
        if (d.ui.take_key(Key::n)) d.out.push_back(example_run(d.input));
        if (d.ui.take_key(Key::h)) d.out.push_back(switch_head(d.input, d.model));
        if (d.ui.take_key(Key::b)) {
            const DominoColumn& c = d.column(at);
            for (const TopEntries::Entry& entry : c.final.entries)
                if (entry.id != c.draft->token) {
                    d.out.push_back(force_token(d.model, at, entry.id));
                    break;
                }
        }
    }

    // Before a token is forced: what the round looked like, to be compared with the branch.
    void remember(const DominoModel& model, const std::vector<SceneCommand>& out) {
        for (const SceneCommand& command : out) {
            const auto* sent = std::get_if<Command>(&command);
            const Fork* fork = sent ? std::get_if<Fork>(sent) : nullptr;
            if (!fork) continue;
            before_ = {};
            if (!fork->force_draft) continue;
            before_.round = fork->round;
            before_.index = fork->force_draft->first;
            for (const DominoColumn& column : model.columns) {
                before_.tokens.push_back(column.draft->token);
                before_.base.push_back(column.base);
                const Internals::Strip* state = column.internals() ? column.internals()->strip("state") : nullptr;
                before_.states.push_back(state ? state->cells : std::vector<double>{});
            }
        }
    }

    // The other verdict row, where the trace cannot tell it: once per round.
    void ask_for_replay(const SceneInput& input, const DominoModel& model, std::vector<SceneCommand>& out) {
        if (!models_loaded(input) || !input.settings || !model.round->complete() || model.other == DominoModel::Other::whole) return;
        const Position key{model.round->round, model.head_on ? 1 : 0};
        if (asked_ == key && asked_of_ == input.trace) return;
        asked_ = key;
        asked_of_ = input.trace;
        DrafterOptions options = round_settings(input, model.round->round).options;
        options.correction = !model.head_on;
        out.push_back(Command{FetchReplay{model.round->round, options}});
    }

    DominoBefore before_;
    RescueSearch search_;
    SecondDrawState again_;
    std::optional<Position> asked_;
    const Trace* asked_of_ = nullptr; // only compared
};

} // namespace

std::unique_ptr<Scene> make_domino() { return std::make_unique<DominoScene>(); }

} // namespace speclens
