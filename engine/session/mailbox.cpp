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

bool Mailbox::ends_run() const {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(commands_, [](const Command& command) {
        return std::holds_alternative<Restart>(command) || std::holds_alternative<Cancel>(command);
    });
}

} // namespace speclens
