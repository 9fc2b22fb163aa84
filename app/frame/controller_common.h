// What every part of the controller knows and may do: the engine's state, and telling the engine or the user something.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

#include "app/frame/file_question.h"
#include "app/frame/frame.h"
#include "engine/drafters/drafter_info.h"
#include "engine/run/engine_status.h"
#include "engine/run/session_commands.h"

namespace speclens {

// What the controller may say to the engine; all empty for a window without one.
struct EnginePort {
    std::function<void(Command)> send;
    std::function<void(std::int64_t)> set_budget, add_budget;
    std::function<void()> cancel_loading;
    std::function<void(bool)> put_work_first = {};           // as Gate's; may be empty
    std::function<void(ServerOrder)> server = {};            // to whoever watches servers; may be empty
    std::function<void(const std::string& name)> fetch = {}; // a model that engine/fetch knows; may be empty
    std::function<void()> cancel_fetch = {};
    // Where heads of the built-in model may come later: asks for this one. False: it is not one of those.
    std::function<bool(const std::string& network)> fetch_head = {};
    std::function<void(const FileQuestion&)> browse = {}; // answered by Controller::chose; empty: no file dialog
};

// What goes on by itself: the cursor of a run, a story, or the clock of a race.
struct Player {
    bool playing = false;
    double speed = 1;
    double next = 0;      // when the next step is due
    std::size_t told = 0; // StoryTold::text of what is read meanwhile
};

struct ControllerCommon {
    EnginePort port;
    FrameUi& chrome;
    EngineStatus status = {};
    Player player = {};
    bool run_ahead = true;
    Message banner = {}, remedy = {};
    std::uint32_t deeds = 0;

    [[nodiscard]] bool has_engine() const { return static_cast<bool>(port.send); }
    [[nodiscard]] bool can_run(const std::string& drafter) const { return is_ready(status.ready_drafters, drafter); }
    // Of a run that begins: all of it, or prefill and the first draft token where the engine waits for the user.
    [[nodiscard]] std::int64_t first_budget() const { return run_ahead ? kUnlimitedPhases : 2; }
    void send(Command command) const {
        if (port.send) port.send(std::move(command));
    }
    void did(Deed deed) { deeds |= deed_bit(deed); }
    void say(const Message& words, double now) const {
        chrome.message = words;
        chrome.message_until = now + 4;
    }
    void complain(const Message& what, const Message& how) { banner = what, remedy = how; }
    void complain(const Problem& problem) { complain(problem.what, problem.remedy); }
    void dismiss() { complain("", ""); }
};

} // namespace speclens
