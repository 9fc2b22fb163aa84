#include "engine/run/trace_follower.h"

#include <array>
#include <cerrno>
#include <poll.h>
#include <unistd.h>

#include "engine/model/model.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr int kLookMs = 100;                 // between two looks at whether to stop
constexpr std::size_t kMostLine = 64U << 20; // bytes; an event with whole distributions of 150 000 ids has 10 million

} // namespace

TraceFollower::TraceFollower(int descriptor, const std::string& name, std::function<void()> grown, const std::atomic<bool>* stop)
    : descriptor_(descriptor), grown_(std::move(grown)), reader_(name) {
    while (!reader_.trace()->header() && !end_) {
        if (stop && *stop) throw Cancelled();
        (void)read_piece();
    }
    if (!reader_.trace()->header())
        throw Error(end_->what.empty() ? name + ": no run arrived" : end_->what,
                    end_->what.empty() ? "Pipe one in: speclens run --json - | speclens -" : end_->remedy);
    if (end_)
        grown_(); // the first piece held the end, too
    else
        thread_ = std::thread([this] { read_on(); });
}

TraceFollower::~TraceFollower() {
    closing_ = true;
    if (thread_.joinable()) thread_.join();
}

std::optional<TraceFollower::End> TraceFollower::end() const {
    const std::lock_guard lock(end_mutex_);
    return end_;
}

void TraceFollower::over(End end) {
    const std::lock_guard lock(end_mutex_);
    end_ = std::move(end);
}

void TraceFollower::read_on() {
    while (!closing_ && !end())
        if (read_piece()) grown_();
}

// Waits a moment for more. False: there was nothing.
bool TraceFollower::read_piece() {
    pollfd file = {.fd = descriptor_, .events = POLLIN, .revents = 0};
    if (poll(&file, 1, kLookMs) <= 0) return false;
    std::array<char, 1 << 16> piece;
    const ssize_t size = read(descriptor_, piece.data(), piece.size());
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) return false;
    try {
        if (size > 0) rest_.append(piece.data(), static_cast<std::size_t>(size));
        std::size_t from = 0;
        for (std::size_t to; (to = rest_.find('\n', from)) != std::string::npos; from = to + 1)
            reader_.line(rest_.substr(from, to - from), false);
        rest_.erase(0, from);
        if (rest_.size() > kMostLine)
            throw Error("a line of " + std::to_string(rest_.size()) + " bytes arrived, without an end",
                        "What is piped in must be a run: speclens run --json -");
        if (size > 0) return true;
        if (!rest_.empty()) reader_.line(rest_, true);
        over({"", "", reader_.notice()});
    } catch (const Error& error) {
        over({error.what(), error.remedy(), ""});
    } catch (const std::exception& error) { // no memory: what arrived stays
        over({error.what(), "What arrived until then is shown.", ""});
    }
    return true;
}

} // namespace speclens
