#include "engine/session/mailbox.h"

#include <algorithm>
#include <utility>

namespace speclens {

void Mailbox::push(Command command) {
    const std::lock_guard lock(mutex_);
    commands_.push_back(std::move(command));
}

std::vector<Command> Mailbox::take() {
    const std::lock_guard lock(mutex_);
    std::vector<Command> taken;
    taken.swap(commands_);
    return taken;
}

namespace {

template <typename... C>
bool holds(const std::vector<Command>& commands) {
    return std::ranges::any_of(commands, [](const Command& command) { return (std::holds_alternative<C>(command) || ...); });
}

} // namespace

bool Mailbox::ends_run() const {
    const std::lock_guard lock(mutex_);
    return holds<Restart, Cancel>(commands_);
}

bool Mailbox::ends_race() const {
    const std::lock_guard lock(mutex_);
    return holds<StartRace, StopRace>(commands_);
}

} // namespace speclens
