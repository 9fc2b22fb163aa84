// A recorded run as if its target stood behind an address: every pass has its way there and back, and guesses that were drafted meanwhile.
#pragma once

#include <memory>

#include "engine/run/trace.h"

namespace speclens::test {

inline std::shared_ptr<const Trace> run_elsewhere(const Trace& local, int ahead = 4) {
    auto remote = std::make_shared<Trace>([](int id) { return "t" + std::to_string(id); });
    for (std::size_t i = 0; i < local.size(); ++i) {
        Event event = local[i];
        if (auto* header = std::get_if<Header>(&event)) header->tier = "REMOTE";
        if (auto* drafted = std::get_if<Drafted>(&event)) drafted->ms = 3;
        if (auto* pass = std::get_if<Verified>(&event)) {
            pass->wire = Wire{1500, 20000, 12.5, 8.5, 0};
            pass->ahead = ahead;
            pass->from_ahead = i % 2 == 0 ? std::max(0, ahead - 1) : 0;
        }
        remote->append(std::move(event));
    }
    return remote;
}

} // namespace speclens::test
