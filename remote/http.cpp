#include "remote/http.h"

#include <httplib.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "kernels/error.h"

namespace speclens {
namespace {

// Closes the connection as soon as somebody cancels: a read may otherwise wait for its whole time-out.
class Watchdog {
  public:
    Watchdog(httplib::Client& client, const std::atomic<bool>* cancelled) {
        if (!cancelled) return;
        thread_ = std::jthread([&client, cancelled](const std::stop_token& done) {
            std::mutex mutex;
            std::unique_lock lock(mutex);
            std::condition_variable_any woken; // by `done`: the request must not wait for the end of a sleep
            while (!done.stop_requested()) {
                if (cancelled->load()) client.stop();
                (void)woken.wait_for(lock, done, std::chrono::milliseconds(50), [] { return false; });
            }
        });
    }

  private:
    std::jthread thread_;
};

void set_seconds(const std::function<void(time_t, time_t)>& set, double seconds) {
    const auto whole = static_cast<time_t>(seconds);
    set(whole, static_cast<time_t>((seconds - static_cast<double>(whole)) * 1e6));
}

[[noreturn]] void unreachable(const Endpoint& endpoint, httplib::Error error) {
    using E = httplib::Error;
    const std::string where = endpoint.shown();
    // Newer versions of the library tell a connection that timed out by a name of its own.
    if (error == E::Connection || httplib::to_string(error).find("onnection timed out") != std::string::npos)
        throw Error("nobody listens at " + where,
                    "Is the server up, and is this its address? vLLM's usual port is 8000, SGLang's 30000, "
                    "llama-server's 8080.",
                    Exit::network);
    if (error == E::Read || error == E::Write)
        throw Error(where + " did not answer in time or closed the connection",
                    "Is it a web server, and is it busy? Try again, or look into its log.", Exit::network);
    if (error == E::SSLConnection || error == E::SSLServerVerification || error == E::SSLLoadingCerts)
        throw Error(where + ": the encrypted connection failed (" + httplib::to_string(error) + ")",
                    "A plain server wants http://; a certificate that this machine does not know is refused.",
                    Exit::network);
    throw Error(where + ": " + httplib::to_string(error), "Check the address.", Exit::network);
}

HttpAnswer exchange(const Endpoint& endpoint, httplib::Request request, const HttpSettings& settings,
                    const std::function<bool(std::string_view)>& arrived) {
    httplib::Client client(endpoint.origin);
    client.set_keep_alive(false);
    set_seconds([&](time_t s, time_t us) { client.set_connection_timeout(s, us); }, settings.connect_seconds);
    set_seconds([&](time_t s, time_t us) { client.set_read_timeout(s, us); }, settings.silence_seconds);
    set_seconds([&](time_t s, time_t us) { client.set_write_timeout(s, us); }, settings.silence_seconds);
    if (!settings.key.empty()) request.set_header("Authorization", "Bearer " + settings.key);
    request.path = endpoint.base + request.path;

    HttpAnswer answer;
    std::size_t bytes = 0;
    bool too_large = false, stopped = false;
    request.response_handler = [&](const httplib::Response& response) {
        answer.status = response.status;
        return true;
    };
    request.content_receiver = [&](const char* data, std::size_t size, auto...) {
        bytes += size;
        if (bytes > settings.most_bytes) {
            too_large = true;
            return false;
        }
        if (!arrived || !answer.ok()) {
            answer.body.append(data, size);
            return true;
        }
        stopped = !arrived({data, size});
        return !stopped;
    };
    const Watchdog watchdog(client, settings.cancelled);
    const httplib::Result result = client.send(request);
    if (settings.cancelled && settings.cancelled->load()) throw Error("cancelled", "", Exit::interrupted);
    if (too_large)
        throw Error(endpoint.shown() + request.path + " answers with more than " +
                        std::to_string(settings.most_bytes) + " bytes",
                    "Is this the right address?", Exit::network);
    if (!result && !stopped) unreachable(endpoint, result.error());
    return answer;
}

} // namespace

HttpAnswer http_get(const Endpoint& endpoint, const std::string& path, const HttpSettings& settings) {
    httplib::Request request;
    request.method = "GET";
    request.path = path;
    return exchange(endpoint, std::move(request), settings, {});
}

HttpAnswer http_post(const Endpoint& endpoint, const std::string& path, const std::string& body,
                     const HttpSettings& settings, const std::function<bool(std::string_view)>& arrived) {
    httplib::Request request;
    request.method = "POST";
    request.path = path;
    request.body = body;
    request.set_header("Content-Type", "application/json");
    return exchange(endpoint, std::move(request), settings, arrived);
}

} // namespace speclens
