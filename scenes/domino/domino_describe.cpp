// The Domino frame in words: every law, state, correction, verdict and time that is visible.
#include <cmath>
#include <sstream>

#include "scenes/domino/domino_draw.h"
#include "scenes/shared/second_draw.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {

namespace {

using ui::probability;
using State = DominoVerdict::State;

void describe_law(std::ostringstream& out, const SceneInput& input, const DominoColumn& c, const Top& law,
                  int rows) {
    const bool final = &law == &c.final;
    bool first = true;
    for (const int id : domino_tokens(c, rows)) {
        const std::optional<double> p = listed(law, id);
        out << (first ? " " : ", ") << quoted(*input.trace, id) << " "
            << (p               ? probability(*p)
                : law.rest <= 0 ? "0"
                                : "<.01");
        if (const std::optional<double> added = correction_of(c, id); added && final)
            out << " (δ " << ui::signed_number(*added, 1) << ")";
        first = false;
    }
}

const char* verdict_word(State state) {
    switch (state) {
    case State::accepted:
        return "kept";
    case State::rejected:
        return "refused";
    case State::discarded:
        return "not judged, behind a refusal";
    case State::unknown:
        return "needs a replay";
    case State::none:
        break;
    }
    return "not judged yet";
}

void describe_row(std::ostringstream& out, const SceneInput& input, const DominoModel& m, const char* name,
                  DominoVerdict DominoColumn::*row) {
    out << name << ":";
    for (const DominoColumn& c : m.columns) {
        const DominoVerdict& v = c.*row;
        out << " " << (v.token < 0 ? std::string("–") : quoted(*input.trace, v.token)) << " "
            << verdict_word(v.state);
        if (v.replacement) out << " (the target: " << quoted(*input.trace, *v.replacement) << ")";
        out << (&c == &m.columns.back() ? "\n" : ";");
    }
}

} // namespace

std::string domino_description(const SceneInput& input, const DominoModel& m, const DominoBefore& before) {
    std::ostringstream out;
    const StageTitle title = domino_title(input, m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(title.tier) << "\n\n";
    if (m.empty == DominoModel::Empty::no) {
        out << "Block: anchor " << word(input, m.anchor) << ", "
            << counted(static_cast<int>(m.columns.size()), "guess") << "\n";
        for (std::size_t i = 0; i < m.columns.size(); ++i) {
            const DominoColumn& c = m.columns[i];
            out << "Position " << i + 1 << (static_cast<int>(i) == m.selected ? " (selected)" : "")
                << (c.corrected ? ", corrected" : ", base only") << (c.forced ? ", forced" : "") << ": base";
            describe_law(out, input, c, c.base, 3);
            if (c.corrected) {
                if (const std::optional<double> branch =
                        m.forced >= 0 ? state_cosine(m, before, static_cast<int>(i)) : std::nullopt)
                    out << "; S" << i + 1 << " cosine " << ui::number(*branch, 2)
                        << " to the state before the force";
                if (const std::optional<double> size = correction_size(m, c)) {
                    const Lens* lens = c.lens();
                    out << "; S" << i + 1 << " z " << probability(lens->number("mean z").value_or(0))
                        << ", r " << probability(lens->number("mean r").value_or(0)) << "; δ of size "
                        << ui::number(*size, 1);
                    const Lens::Mover* mover = largest_mover(c);
                    if (mover && lens->movers.size() > 1 && std::abs(mover->gain()) >= 0.05)
                        out << ", of the likely tokens most on " << quoted(*input.trace, mover->token) << " "
                            << ui::signed_number(mover->gain(), 1);
                }
                out << "; final";
                describe_law(out, input, c, c.final, 3);
            }
            out << "; draft " << quoted(*input.trace, c.draft->token) << "\n";
        }
        describe_row(out, input, m, "Head off", m.head_on ? &DominoColumn::off : &DominoColumn::on);
        describe_row(out, input, m, "Head on", m.head_on ? &DominoColumn::on : &DominoColumn::off);
        const Lens* lens = m.column(m.selected)->lens();
        if (lens && !lens->movers.empty()) {
            out << "Top movers at position " << m.selected + 1 << ":\n";
            for (const Lens::Mover& mover : lens->movers)
                out << "  " << quoted(*input.trace, mover.token) << ": δ log p "
                    << ui::signed_number(mover.gain(), 1) << ", " << probability(std::exp(mover.base_logp))
                    << " to " << probability(std::exp(mover.final_logp)) << "\n";
        }
        if (m.backbone_ms + m.head_ms + m.verify_ms > 0)
            out << "Clock: backbone " << ui::number(m.backbone_ms, 2) << " ms, head "
                << ui::number(m.head_ms, 2) << " ms, verify " << ui::number(m.verify_ms, 2) << " ms\n";
        out << "\n";
    }
    out << describe_second_draw(input, m);
    out << describe_story(domino_story(input, m, before));
    return out.str();
}

} // namespace speclens
