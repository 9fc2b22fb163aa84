// Scene S9, Domino: a block is filled in one pass, and a small head corrects its distributions from left to right,
// because it knows what was drafted. The cursor chooses the cycle; the cycle is shown as far as the run knows
// it.
#include "scenes/domino/domino_draw.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/other_round.h"
#include "scenes/shared/second_draw.h"

namespace speclens {
namespace {

class DominoScene final : public Scene {
  public:
    int beats(const SceneInput&) const override { return kDominoBeats; }

    std::vector<SceneCommand> draw(const SceneInput& run, ui::Ui& ui) override {
        std::vector<SceneCommand> out;
        const OtherRound round(run, "domino");
        const SceneInput& input = round.seen();
        other_round_.ask(round, run, out);
        const DominoModel model = domino_model(input);
        shown_ = ShownHead(model);
        ui.push_id("domino");
        const DominoGrid grid = model.empty == HeadModel::Empty::no ? domino_grid(input, model) : DominoGrid{};
        const DominoDraw d{input, model, grid, before_, ui, out};
        draw_head_scene(
            run, input, ui,
            {"domino", "Domino", model, domino_title(input, model), domino_story(input, model, before_), empty_text(domino_says, model, "Domino"),
             "What the head adds to the logits of a position", "Top movers"},
            [&] { draw_domino_stage(d); }, out);
        if (round.here()) {
            take_guess_keys(ui, model, out);
        } else if (model.empty == DominoModel::Empty::no) {
            again_.update(input, ui, model, input.beat == kDominoTwiceBeat, out);
            const std::optional<SecondDraw> twice = again_.shown() ? second_draw(input, model) : std::nullopt;
            twice ? draw_second_draw(input, ui, *twice) : draw_domino_movers(d);
            draw_domino_controls(d);
            keys(d);
            remember(model, out);
            ask_for_replay(input, model, out);
        }
        round.keep_place(out);
        ui.pop_id();
        return out;
    }

    std::string describe(const SceneInput& input) const override {
        const OtherRound round(input, "domino");
        return domino_description(round.seen(), domino_model(round.seen()), before_);
    }

    std::vector<std::pair<std::string, std::string>> keys() const override {
        return working_keys(shown_, "Domino",
                            {{"↑ ↓", "Previous, next position"},
                             {"Y", "Next round where the head saves a guess"},
                             {"H", "Head on or off from this round on"},
                             {"B", "Force the runner-up at this position"},
                             {"W", "Draw this guess again after another one"},
                             {"N", "A prompt whose favourites do not fit"}});
    }

    // The first cycle whose guess only the head could save.
    std::optional<std::size_t> first_look(const RunView& whole) const override {
        if (!whole.header || whole.header->drafter != "domino") return {};
        const std::optional<Position> at = next_rescue(whole, -1);
        if (!at) return {};
        for (const RoundSummary& cycle : whole.round_list)
            if (cycle.round == at->round) return cycle.end_event;
        return {};
    }

  private:
    ShownHead shown_; // as drawn last
    OtherRoundAsker other_round_;

    static void keys(const DominoDraw& d) {
        using ui::Key;
        const int at = force_position(d.model);
        take_guess_keys(d.ui, d.model, d.out);
        if (d.ui.take_key(Key::y))
            if (const std::optional<Position> rescue = next_rescue(*d.input.whole, d.model.round->round))
                for (const RoundSummary& cycle : d.input.whole->round_list)
                    if (cycle.round == rescue->round) {
                        d.out.push_back(SetCursor{cycle.end_event});
                        d.out.push_back(Select{*rescue});
                    }
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

    // Before a token is forced: what the cycle looked like, to be compared with the branch.
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

    // The other verdict row, where the trace cannot tell it: once per cycle.
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
    SecondDrawState again_;
    std::optional<Position> asked_;
    const Trace* asked_of_ = nullptr; // only compared
};

} // namespace

std::unique_ptr<Scene> make_domino() { return std::make_unique<DominoScene>(); }

} // namespace speclens
