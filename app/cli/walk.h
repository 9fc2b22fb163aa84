// A generation told in words and colours, round by round, for someone who sees speculative decoding for the
// first time. Reads the trace (through its fold) and nothing else; returns text, prints nothing.
#pragma once

#include <string>
#include <vector>

#include "app/cli/terminal.h"
#include "engine/rules/verify.h"
#include "engine/run/run_view.h"
#include "engine/run/trace.h"
#include "kernels/said.h"

namespace speclens::cli {

class Walk {
  public:
    Walk(const Trace& trace, Terminal terminal, bool verbose) : trace_(&trace), terminal_(terminal), verbose_(verbose) {}

    [[nodiscard]] std::string opening() const;                        // who runs, how to read it, the prompt
    [[nodiscard]] std::string round(const RunView& view) const;       // the last complete round of `view`
    [[nodiscard]] std::string text_so_far(const RunView& view) const; // coloured by origin, wrapped
    [[nodiscard]] std::string closing(const RunView& view) const;
    void set_load_ms(double ms) { load_ms_ = ms; } // of the models, told beside the prefill

  private:
    [[nodiscard]] bool in_full(const RunView& view, const RoundSummary& round) const;
    [[nodiscard]] std::string full(const RunView& view, const RoundSummary& round) const;
    [[nodiscard]] Said no_drafts(const RoundSummary& round) const;
    [[nodiscard]] std::string compact(const RoundSummary& round) const;
    [[nodiscard]] Said when_it_stays(RuleKind kind, bool mixed) const;
    [[nodiscard]] std::vector<Said> how_to_read_it() const;
    [[nodiscard]] std::string prompt_lines() const;
    [[nodiscard]] std::string table(const RoundSummary& round) const;
    [[nodiscard]] std::string own_token(const RoundSummary& round) const;
    [[nodiscard]] std::string alternatives(const TopEntries& top, int drawn) const;
    [[nodiscard]] std::string rule_line(const std::string& title) const;
    [[nodiscard]] std::string paint(Tone tone, const std::string& text) const { return terminal_.paint(tone, text); }
    [[nodiscard]] std::string token(int id, int most = 16) const;
    [[nodiscard]] bool timed() const; // the times in the trace mean something
    [[nodiscard]] std::string times(const RoundSummary& round) const;

    const Trace* trace_;
    Terminal terminal_;
    bool verbose_ = false;
    double load_ms_ = 0;
};

inline constexpr int kFullRounds = 2; // told in full, and the first one with a rejection; the others take one line

} // namespace speclens::cli
