#include "engine/session/session.h"

namespace speclens {

Session::Session(ModelPaths paths, RunSettings settings, std::function<void()> notify, RepeatPlan repeats, Worker worker)
    : notify_(std::move(notify)), engine_(*this, std::move(paths), std::move(settings), repeats) {
    published_ = engine_.shown();
    if (worker == Worker::own_thread) thread_ = std::thread([this] { main(); });
}

Session::Session(RunSettings settings, std::function<void()> notify, std::shared_ptr<const Models> models)
    : notify_(std::move(notify)), engine_(*this, std::move(models), RepeatPlan{}) {
    loaded_ = true;
    mailbox_.push(Restart{std::move(settings)});
    if (threads_possible()) thread_ = std::thread([this] { main(); });
}

Session::~Session() {
    closing_ = true;
    engine_.cancel_loading();
    gate().close();
    if (thread_.joinable()) thread_.join();
}

void Session::send(Command command) {
    mailbox_.push(std::move(command));
    gate().wake();
}

Snapshot Session::published() const {
    const std::lock_guard lock(published_mutex_);
    return published_;
}

std::shared_ptr<const Models> Session::models() const {
    const std::lock_guard lock(published_mutex_);
    return models_;
}

void Session::main() {
    if (!loaded_) engine_.load();
    bool more = true;
    while (!closing_ && (more || gate().wait())) more = turn();
}

bool Session::turn() {
    for (const Command& command : mailbox_.take()) engine_.obey(command);
    return engine_.step();
}

bool Session::work_for(double ms) {
    const Stopwatch since;
    if (!loaded_) {
        loaded_ = true;
        engine_.load();
        return true;
    }
    while (turn())
        if (since.ms() >= ms) return true;
    return false;
}

EngineHost::Call Session::called() const {
    if (closing_) return Call::close;
    return mailbox_.ends_run() ? Call::end_of_run : mailbox_.ends_race() ? Call::end_of_job : Call::none;
}

// What is let go of goes on this thread, and not under the mutex.
void Session::published(const Snapshot& now) {
    Snapshot shown = now;
    std::shared_ptr<const Models> models = engine_.models();
    {
        const std::lock_guard lock(published_mutex_);
        std::swap(published_, shown);
        models_.swap(models);
    }
    if (notify_) notify_();
}

// But for other models, which may be there.
void Session::models_missing() {
    for (Command& command : mailbox_.take())
        if (std::holds_alternative<OpenModel>(command)) mailbox_.push(std::move(command));
}

} // namespace speclens
