#include "app/cli/calls/calls.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/c/frames.h"
#include "app/cli/calls/call_options.h"
#include "app/cli/calls/failure.h"
#include "app/cli/calls/listener.h"
#include "app/cli/calls/shared_models.h"
#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/setup.h"

namespace speclens::cli {

namespace {

struct Callable {
    std::string_view name;
    Command command;
    Exit (*run)(const Options& options);
};
// Its verdicts are exit codes of its own, which mean other things to a caller; the result says which it is.
Exit same_or_not(const Options& options) { return command_same(options) == Exit::ok ? Exit::ok : Exit::failed; }

constexpr Callable kCallables[] = {{"run", Command::run, command_run},
                                   {"compare", Command::compare, command_compare},
                                   {"sweep", Command::sweep, command_sweep},
                                   {"advise", Command::advise, command_advise},
                                   {"lossless", Command::lossless, command_lossless},
                                   {"same", Command::same, same_or_not}};

const Callable& callable(const std::string& name) {
    std::vector<std::string> known;
    for (const Callable& one : kCallables) {
        if (one.name == name) return one;
        known.emplace_back(one.name);
    }
    unknown_name("command", name, known);
}

// Nobody is left to hear of it, or to ask for more.
[[noreturn]] void leave() { _exit(0); }

// What a call says, as frames on a descriptor that nothing else writes to.
class Caller final : public Listener {
  public:
    explicit Caller(int fd) : fd_(fd) {}

    void end(const Failure& failure) {
        send_text();
        send(calls::kEnd, joined({std::to_string(static_cast<int>(failure.code)), failure.what, failure.remedy}));
    }

  private:
    static constexpr std::size_t kPart = 1 << 16;
    static constexpr std::chrono::milliseconds kProgressEvery{50};

    void printed(std::string_view text) override {
        text_ += text;
        if (text_.size() >= kPart) send_text();
    }
    void said(const std::string& text) override { send(calls::kNotice, text + "\n"); }
    void is_at(const std::string& what, double done, double total, const std::string& unit) override {
        const auto now = std::chrono::steady_clock::now();
        if (now - told_ < kProgressEvery) return;
        told_ = now;
        send(calls::kProgress, joined({std::to_string(done), std::to_string(total), unit, what}));
    }

    static std::string joined(const std::vector<std::string>& parts) {
        std::string all;
        for (const std::string& part : parts) all += part, all += '\0';
        return all;
    }
    void send_text() {
        if (!text_.empty()) send(calls::kText, text_);
        text_.clear();
    }
    void send(calls::Kind kind, const std::string& payload) const {
        const std::string frame = std::string(1, kind) + " " + std::to_string(payload.size()) + "\n" + payload;
        for (std::size_t at = 0; at < frame.size();) {
            const ssize_t sent = write(fd_, frame.data() + at, frame.size() - at);
            if (sent < 0 && errno != EINTR) leave();
            if (sent > 0) at += static_cast<std::size_t>(sent);
        }
    }

    int fd_;
    std::string text_;
    std::chrono::steady_clock::time_point told_{};
};

struct Request {
    std::string name, options;
};

// Reads requests on a thread of its own, so that a call can be stopped while it runs.
class Requests {
  public:
    explicit Requests(Caller& caller) : caller_(caller), reader_([this] { read_all(); }) {}
    Requests(const Requests&) = delete;
    Requests& operator=(const Requests&) = delete;
    ~Requests() { reader_.join(); }

    Request next() {
        std::unique_lock lock(mutex_);
        came_.wait(lock, [&] { return !queue_.empty(); });
        Request request = std::move(queue_.front());
        queue_.pop_front();
        return request;
    }

  private:
    void read_all() {
        for (;;) {
            Request request;
            for (char c = next_byte(); c != ' '; c = next_byte()) request.name += c;
            std::string bytes;
            for (char c = next_byte(); c != '\n'; c = next_byte()) bytes += c;
            request.options.resize(std::strtoull(bytes.c_str(), nullptr, 10));
            for (char& c : request.options) c = next_byte();
            // Of two calls the second comes when the first has ended, so a stop behind that is forgotten here.
            caller_.stop = request.name == calls::kStop;
            if (caller_.stop) continue;
            const std::scoped_lock lock(mutex_);
            queue_.push_back(std::move(request));
            came_.notify_one();
        }
    }
    char next_byte() {
        while (at_ == filled_) {
            const ssize_t got = read(STDIN_FILENO, block_.data(), block_.size());
            if (got == 0 || (got < 0 && errno != EINTR)) leave();
            at_ = 0;
            filled_ = got > 0 ? static_cast<std::size_t>(got) : 0;
        }
        return block_[at_++];
    }

    Caller& caller_;
    std::array<char, 1 << 16> block_{};
    std::size_t at_ = 0, filled_ = 0;
    std::mutex mutex_;
    std::condition_variable came_;
    std::deque<Request> queue_;
    std::thread reader_;
};

// Standard output is for these frames alone.
int own_output() {
    const int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (fd < 0 || nothing < 0 || dup2(nothing, STDOUT_FILENO) < 0) leave();
    close(nothing);
    return fd;
}

} // namespace

Exit serve_calls() {
    // Who started this stops it: by a request, or by closing its end.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_DFL);
    std::signal(SIGHUP, SIG_DFL);
    Caller caller(own_output());
    set_listener(caller);
    share_models();
    std::vector<std::string> models; // words that they were opened with
    for (Requests requests(caller);;) {
        const Request request = requests.next();
        Failure end;
        try {
            if (request.name == calls::kOpen) {
                models = model_words(request.options);
                (void)load(model_options(models));
            } else {
                const Callable& call = callable(request.name);
                const Options options = call_options(call.command, models, request.options);
                check_outputs(options);
                end.code = call.run(options);
                if (end.code == Exit::interrupted) throw Interrupted{};
            }
        } catch (...) {
            end = failure_of(std::current_exception());
        }
        caller.end(end);
    }
}

} // namespace speclens::cli
