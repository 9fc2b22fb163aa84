#include "engine/run/session_commands.h"

namespace speclens {

std::string to_text(const Command& command) {
    struct Writer {
        std::string operator()(const Restart& c) const {
            return "restart " + c.settings.drafter + " k=" + std::to_string(c.settings.k) + " rule=" + c.settings.rule +
                   " seed=" + std::to_string(c.settings.seed);
        }
        std::string operator()(const Cancel&) const { return "cancel"; }
        std::string operator()(const Fork& c) const {
            std::string text = "fork at cycle " + std::to_string(c.round);
            if (c.force_draft)
                text += ", draft " + std::to_string(c.force_draft->first) + " := token " + std::to_string(c.force_draft->second);
            if (c.force_coin) text += ", coin " + std::to_string(c.force_coin->first) + " := " + std::to_string(c.force_coin->second);
            if (c.settings)
                text += ", " + c.settings->drafter + " k=" + std::to_string(c.settings->k) + " rule=" + c.settings->rule +
                        " seed=" + std::to_string(c.settings->seed) + " fork=" + std::to_string(c.settings->fork);
            return text;
        }
        std::string operator()(const FetchReplay& c) const { return "twin of cycle " + std::to_string(c.round); }
        std::string operator()(const FetchOtherDrafterRound& c) const { return c.drafter + " at cycle " + std::to_string(c.round); }
        std::string operator()(const CompareDrafters& c) const { return "guesses of every drafter at cycle " + std::to_string(c.round); }
        std::string operator()(const RunStudy& c) const { return "study " + c.name + ", " + std::to_string(c.runs.size()) + " runs"; }
        std::string operator()(const EndStudy& c) const { return "end the study " + c.name; }
        std::string operator()(const FetchDistributions& c) const {
            return "distributions of cycle " + std::to_string(c.round) + " index " + std::to_string(c.index);
        }
        std::string operator()(const StartRace& c) const {
            std::string text = c.settings.stepped ? "stepped race of" : "race of";
            for (const RaceEntry& lane : c.settings.lanes) text += " " + lane.drafter;
            return text;
        }
        std::string operator()(const StopRace&) const { return "stop the race"; }
        std::string operator()(const StepRace& c) const {
            if (c.stride == Stride::end) return "race: to the end";
            return c.stride == Stride::phase ? "race: a phase in every lane" : "race: a round in every lane";
        }
        std::string operator()(const EndSteppedRace&) const { return "end the stepped race"; }
        std::string operator()(const MeasurePasses& c) const { return c.forms ? "time passes in other forms" : "time passes"; }
        std::string operator()(const AskAdvice& c) const {
            return "measure for advice, " + std::to_string(static_cast<int>(c.seconds)) + " s";
        }
        std::string operator()(const MeasureLoad& c) const {
            return "measure batches of " + c.base.drafter + ", " + std::to_string(static_cast<int>(c.seconds)) + " s";
        }
        std::string operator()(const OpenModel& c) const {
            return "open " + (c.paths.target.empty() ? std::string("the built-in model") : c.paths.target.filename().string());
        }
        std::string operator()(const LoadHeads&) const { return "heads that came later"; }
        std::string operator()(const ExamineHead& c) const { return "examine the head of " + c.drafter; }
        std::string operator()(const TrainHeads& c) const {
            return (c.kind == HeadKind::mtp ? "train an MTP layer, " : "train heads, ") + std::to_string(c.steps) + " steps";
        }
    };
    return std::visit(Writer{}, command);
}

} // namespace speclens
