#include "engine/net/http.h"

#include <fcntl.h>
#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>

#include "engine/net/received_bytes.h"
#include "kernels/error.h"

namespace speclens {
namespace {

// How many silences an answer may take that is not streamed, and what a slow line sends of a long request.
constexpr double kBodySilences = 3, kUploadBytesPerSecond = 10'000;

// Cuts the connection of a request that is cancelled, late or floods us. The library cannot: its time-out
// begins anew with every byte, and it tells of no header, and of no length of a chunk, before its end.
class Watchdog {
  public:
    explicit Watchdog(const HttpSettings& settings)
        : cancelled_(settings.cancelled), most_bytes_(settings.most_bytes), until_(settings.until),
          thread_([this](const std::stop_token& done) {
              std::mutex mutex;
              std::unique_lock lock(mutex);
              std::condition_variable_any woken; // by `done`: nobody must wait for the end of a sleep
              while (!woken.wait_for(lock, done, std::chrono::milliseconds(50), [&] { return done.stop_requested(); })) look();
          }) {}
    ~Watchdog() {
        thread_.request_stop();
        thread_.join();
        if (socket_ >= 0) close(socket_);
    }
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    // Before it connects, for each address of the server: of our own, as the library may close its any time.
    void watch(int socket) {
        const std::lock_guard lock(mutex_);
        if (socket_ >= 0) close(socket_);
        socket_ = fcntl(socket, F_DUPFD_CLOEXEC, 0);
    }
    // From now on, until it is called again.
    void allow(double seconds) { end_.store(std::min(now() + seconds, until_)); }
    void delivered(std::size_t bytes) { delivered_ += bytes; }
    [[nodiscard]] std::uint64_t received() {
        const std::lock_guard lock(mutex_);
        return socket_ < 0 ? 0 : received_bytes(socket_);
    }
    [[nodiscard]] std::uint64_t sent() {
        const std::lock_guard lock(mutex_);
        return socket_ < 0 ? 0 : sent_bytes(socket_);
    }
    [[nodiscard]] bool late() const { return late_.load(); }
    [[nodiscard]] bool flooded() const { return flooded_.load(); }

  private:
    static double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
    void look() {
        const std::lock_guard lock(mutex_);
        if (socket_ < 0) return;
        if (now() > end_.load()) late_.store(true);
        if (received_bytes(socket_) > most_bytes_ + delivered_.load()) flooded_.store(true);
        if (late() || flooded() || (cancelled_ && cancelled_->load())) shutdown(socket_, SHUT_RDWR);
    }

    const std::atomic<bool>* cancelled_;
    const std::size_t most_bytes_; // of what is no body
    const double until_;
    std::mutex mutex_; // of the socket
    int socket_ = -1;
    std::atomic<double> end_{until_};
    std::atomic<std::uint64_t> delivered_{0};
    std::atomic<bool> late_{false}, flooded_{false};
    std::jthread thread_; // last: it looks at all the others
};

void set_seconds(const std::function<void(time_t, time_t)>& set, double seconds) {
    const auto whole = static_cast<time_t>(seconds);
    set(whole, static_cast<time_t>((seconds - static_cast<double>(whole)) * 1e6));
}

constexpr const char* kIsItBusy = "Is it a web server, and is it busy? Try again, or look into its log.";

[[noreturn]] void unreachable(const Endpoint& endpoint, httplib::Error error) {
    using E = httplib::Error;
    const std::string where = endpoint.shown();
    // Newer versions of the library tell a connection that timed out by a name of its own.
    if (error == E::Connection || httplib::to_string(error).find("onnection timed out") != std::string::npos)
        throw Error("nobody listens at " + where,
                    "Is the server up, and is this its address? vLLM's usual port is 8000, SGLang's 30000, "
                    "llama-server's 9931 (8080 before).",
                    Exit::network);
    if (error == E::Read || error == E::Write)
        throw Error(where + " did not answer in time or closed the connection", kIsItBusy, Exit::network);
    if (error == E::SSLConnection || error == E::SSLServerVerification || error == E::SSLLoadingCerts)
        throw Error(where + ": the encrypted connection failed (" + httplib::to_string(error) + ")",
                    "A plain server wants http://; a certificate that this machine does not know is refused.", Exit::network);
    throw Error(where + ": " + httplib::to_string(error), "Check the address.", Exit::network);
}

HttpAnswer exchange(const Endpoint& endpoint, httplib::Request request, const HttpSettings& settings,
                    const std::function<bool(std::string_view)>& arrived, const std::function<bool(const HttpHead&)>& head = {}) {
    httplib::Client client(endpoint.origin);
    client.set_keep_alive(false);
    if (!settings.ca.empty()) client.set_ca_cert_path(settings.ca);
    if (head) client.set_url_encode(false); // a signed address holds for its own spelling only
    set_seconds([&](time_t s, time_t us) { client.set_connection_timeout(s, us); }, settings.connect_seconds);
    set_seconds([&](time_t s, time_t us) { client.set_read_timeout(s, us); }, settings.silence_seconds);
    set_seconds([&](time_t s, time_t us) { client.set_write_timeout(s, us); }, settings.silence_seconds);
    if (!settings.key.empty()) request.set_header("Authorization", "Bearer " + settings.key);
    request.path = endpoint.base + request.path;
    const std::string asked = endpoint.shown() + request.path.substr(0, request.path.find('?')); // a query may hold a signature

    const auto body_bytes = static_cast<std::int64_t>(request.body.size());
    HttpAnswer answer;
    std::size_t bytes = 0;
    bool header = false, too_large = false, stopped = false; // stopped: by the caller
    const double silence = settings.silence_seconds;
    Watchdog watchdog(settings);
    client.set_socket_options([&](int socket) {
        watchdog.watch(socket);
        // Nobody tells when the request is sent or the first byte comes: a server may think for one silence,
        // as ever, and the rest of its header may take another one.
        watchdog.allow(settings.connect_seconds + static_cast<double>(request.body.size()) / kUploadBytesPerSecond + 2 * silence);
    });
    request.response_handler = [&](const httplib::Response& response) {
        answer.status = response.status;
        header = true;
        watchdog.allow(arrived && answer.ok() ? 2 * silence : kBodySilences * silence);
        stopped = head && !head({response.status, [&](const std::string& name) { return response.get_header_value(name.c_str()); }});
        return !stopped;
    };
    request.content_receiver = [&](const char* data, std::size_t size, auto...) {
        bytes += size;
        watchdog.delivered(size);
        if (bytes > settings.most_bytes) {
            too_large = true;
            return false;
        }
        if (!arrived || !answer.ok()) {
            answer.body.append(data, size);
            return true;
        }
        watchdog.allow(std::numeric_limits<double>::infinity()); // whoever reads may take their time
        stopped = !arrived({data, size});
        watchdog.allow(2 * silence); // the library's time-out is for any byte, this one for one of the body
        return !stopped;
    };
    const httplib::Result result = client.send(request);
    if (settings.cancelled && settings.cancelled->load()) throw Error("cancelled", "", Exit::interrupted, ErrorKind::cancelled);
    if (too_large || (watchdog.flooded() && !stopped))
        throw Error(asked + " answers with more than " + std::to_string(settings.most_bytes) + " bytes", "Is this the right address?",
                    Exit::network);
    if (watchdog.late() && !stopped) // also when there is a result: a cut looks like the end of the body
        throw Error(asked + " did not answer in time: " +
                        (header ? "the rest of its answer comes too slowly" : "the header of its answer is not whole"),
                    kIsItBusy, Exit::network);
    // Newer versions of the library give up a header of more than a hundred lines as they do a silent server.
    // What came is told apart from nothing by its bytes: the system counts the end of a connection as one,
    // and of an encrypted one the handshake, so there it cannot be told.
    const bool plain = endpoint.origin.starts_with("http://");
    if (result.error() == httplib::Error::Read && plain && !header && watchdog.received() > 1)
        throw Error(asked + ": the header of its answer breaks off or is too long", "Is this the right address?", Exit::network);
    if (!result && !stopped) unreachable(endpoint, result.error());
    answer.sent = std::max(static_cast<std::int64_t>(watchdog.sent()), body_bytes);
    answer.received = static_cast<std::int64_t>(std::max<std::uint64_t>(watchdog.received(), bytes));
    return answer;
}

} // namespace

HttpAnswer http_get(const Endpoint& endpoint, const std::string& path, const HttpSettings& settings) {
    httplib::Request request;
    request.method = "GET";
    request.path = path;
    return exchange(endpoint, std::move(request), settings, {});
}

HttpAnswer http_post(const Endpoint& endpoint, const std::string& path, const std::string& body, const HttpSettings& settings,
                     const std::function<bool(std::string_view)>& arrived) {
    httplib::Request request;
    request.method = "POST";
    request.path = path;
    request.body = body;
    request.set_header("Content-Type", "application/json");
    return exchange(endpoint, std::move(request), settings, arrived);
}

void http_download(const Endpoint& endpoint, const std::string& path, const std::vector<std::pair<std::string, std::string>>& fields,
                   const HttpSettings& settings, const std::function<bool(const HttpHead&)>& head,
                   const std::function<bool(std::string_view)>& arrived) {
    httplib::Request request;
    request.method = "GET";
    request.path = path;
    request.set_header("Accept-Encoding", "identity"); // a place in the file is one in what comes
    for (const auto& [name, value] : fields) request.set_header(name.c_str(), value);
    static_cast<void>(exchange(endpoint, std::move(request), settings, arrived, head));
}

} // namespace speclens
