// One guess drawn twice, after two different guesses before it, with the same coin: whether its distributions know
// what stands there. Those of a parallel block do not; a head that reads the draft changes its own.
#pragma once

#include <optional>
#include <vector>

#include "scenes/shared/head_scene.h"

namespace speclens {

struct SecondDraw {
    int position = 1; // of the guess that is drawn twice, from 0
    struct Side {
        int before = -1, drawn = -1; // tokens
        TopEntries base, final;      // distributions at temperature 1; equal where nothing was corrected
    } first, second;
    bool corrected = false;                     // a head had a say
    bool greedy = false;                        // no coin was thrown
    bool same_base = false, same_final = false; // to the last bit
};
// The answer for the selected guess of the shown round (the second one where the first is selected); none:
// not asked.
[[nodiscard]] std::optional<SecondDraw> second_draw(const SceneInput& input, const HeadModel& model);
// The replay that answers it: the likeliest other guess one place before. None: the run recorded no distributions, or
// one guess.
[[nodiscard]] std::optional<FetchReplay> second_draw_wish(const SceneInput& input, const HeadModel& model);

// The likeliest entries of a distribution, `rows` at most; the drawn token takes the last row where it is less likely.
[[nodiscard]] std::vector<TopEntries::Entry> distribution_rows(const TopEntries& top, int drawn, int rows);

// In place of the details; where it is not `seen` it is told all the same.
void draw_second_draw(const SceneInput& input, ui::Ui& ui, const SecondDraw& draw, bool seen = true);
[[nodiscard]] Message second_draw_words(const SceneInput& input, const SecondDraw& draw); // its finding
// Title, conditions, either side with its distributions, and the finding.
[[nodiscard]] std::vector<Message> second_draw_told(const SceneInput& input, const SecondDraw& draw);

// What a scene keeps of it: whether it is shown, and what was asked for.
class SecondDrawState {
  public:
    // W shows and hides it; `picture`: a still frame shows it. Asks where there is no answer yet.
    void update(const SceneInput& input, ui::Ui& ui, const HeadModel& model, bool picture, std::vector<SceneCommand>& out);
    [[nodiscard]] bool shown() const { return shown_; }

  private:
    bool shown_ = false;
    Position asked_{-1, -1};
    const Trace* asked_of_ = nullptr; // only compared
};

} // namespace speclens
