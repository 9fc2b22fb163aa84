// A server as a picture: what its counters say over a chosen span, the names people give to that, and one
// answer token by token.
#pragma once

#include <string>
#include <vector>

#include "remote/client/server_view.h"
#include "scenes/shared/message_scene.h"

namespace speclens {

inline constexpr MessagesOf<"server", "elsewhere", "counters", "names", "places", "tokens"> server_says;
inline constexpr int kServerBeats = server_says.size;

enum class ServerSpan : std::uint8_t { start, recent, request }; // since its start, the last seconds, the last request
inline constexpr double kRecentSeconds = 10;

// What the user set.
struct ServerState {
    std::string address;            // in the field
    bool typed = false;             // the user changed it
    std::optional<ServerSpan> span; // absent: the first of request, recent, start that has counts
};

// A point of the curve: what happened between two readings.
struct ServerPoint {
    double seconds = 0, acceptance_length = 0, tokens_per_second = 0; // 0: nothing happened
};

struct ServerModel {
    const ServerView* view = nullptr; // never null
    ServerSpan span = ServerSpan::start;
    SpecCounts counts; // of the span; may be empty
    std::vector<AcceptanceName> names;
    PositionAcceptance places;
    std::vector<ServerPoint> points;
    double most_acceptance_length = 1;
    [[nodiscard]] bool attached() const { return view->state == ServerView::State::attached; }
    // It answered once and does not any more: what it told stays on screen.
    [[nodiscard]] bool lost() const { return view->state == ServerView::State::failed && !view->watch.empty(); }
    // It serves a diffusion model, where nothing is guessed.
    [[nodiscard]] const std::optional<DiffusionCounts>& diffusion() const {
        return (view->watch.empty() ? view->facts.reading : view->watch.last()).diffusion;
    }
    bool plain = false;                       // it has written tokens and drafted none of them
    [[nodiscard]] std::string server() const; // "vLLM 0.11", "SpecLens 0.1.0"
    [[nodiscard]] std::string model() const;  // empty: not told
};
[[nodiscard]] ServerModel server_model(const SceneInput& input, const ServerState& state);
[[nodiscard]] Message span_words(ServerSpan span);
[[nodiscard]] Message looking_words(const ServerView& view);
[[nodiscard]] Message provenance_words(const ServerModel& model); // of the last answer, which is there
// What stands beside the picture, the most telling first: the counts over the whole text, what is odd, what changed over hours, how it
// drafts, what it does not tell, and what the last answer lacks.
[[nodiscard]] std::vector<Said> server_points(const ServerModel& model);
// The mark of a piece of an answer; none where it is open who wrote it.
[[nodiscard]] std::optional<ui::Role> role_of(const ServedText& served, const ServedPiece& piece);
[[nodiscard]] Message why_not_ask(const SceneInput& input, const ServerModel& model); // empty: it can
[[nodiscard]] StageTitle server_title(const ServerModel& model);
[[nodiscard]] Story server_story(const SceneInput& input, const ServerModel& model);

using ServerDraw = SceneDraw<ServerModel, ServerState>;
void draw_server_stage(const ServerDraw& d, ui::Rect area);
void draw_server_details(const ServerDraw& d);
void draw_server_controls(const ServerDraw& d);

} // namespace speclens
