// Whether a prompt fits, for who types it.
#pragma once

#include <functional>

namespace speclens {

struct Models;      // engine/models/models.h
struct RunSettings; // engine/run/run_settings.h

// How much of the contexts a prompt takes.
struct PromptRoom {
    int tokens = 0;
    int holds = 0; // of the smallest context; the prompt leaves at least one place in it
    [[nodiscard]] bool fits() const { return tokens < holds; }
};
// No prompt: no tokens. For any thread, and for whoever outlives the models: it keeps no weights, whose memory is the engine
// thread's to release. Throws Error where the prompt cannot be read.
[[nodiscard]] std::function<PromptRoom(const RunSettings&)> prompt_counter(const Models& models);

} // namespace speclens
