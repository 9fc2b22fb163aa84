// Servers on a thread of their own, for as long as the object lives: our own, and one that answers any bytes.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/net/http.h"
#include "kernels/error.h"
#include "remote/serving/spec_server.h"
#include "tests/shared/whole_bundle.h"

namespace speclens::test {

class Listening {
  public:
    explicit Listening(RunSettings settings, int most_waiting = 32, std::shared_ptr<const Models> models = whole_bundle(),
                       BatchSettings batch = {}, bool key_memory = false, int most_listed = 20, bool ranks = false)
        : server_(std::move(models), {"127.0.0.1", 0, most_waiting, std::move(settings), batch, key_memory, most_listed, ranks}) {
        port = server_.bind();
        endpoint = parse_endpoint("127.0.0.1:" + std::to_string(port));
        thread_ = std::thread([this] { server_.serve(); });
        for (bool answers = false; !answers;) {
            try {
                answers = http_get(endpoint, "/health").ok();
            } catch (const Error&) { // not yet
            }
        }
    }
    ~Listening() {
        server_.stop();
        thread_.join();
    }
    int port = 0;
    Endpoint endpoint;

  private:
    SpecServer server_;
    std::thread thread_;
};

// A socket that answers every request, one at a time, with some bytes and perhaps with others over and over,
// and closes the connection or leaves it open until it is destroyed.
class RawServer {
  public:
    struct Answer {
        std::string bytes;
        bool close = true;
        std::string again = "";             // behind the others
        std::chrono::milliseconds pause{0}; // before each of these
        int times = -1;                     // so often; -1: as long as somebody takes them
    };
    explicit RawServer(std::function<Answer(const std::string& request)> answer) {
        listener_ = socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        EXPECT_EQ(listen(listener_, 8), 0);
        socklen_t size = sizeof address;
        EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
        endpoint = parse_endpoint("127.0.0.1:" + std::to_string(ntohs(address.sin_port)));
        thread_ = std::thread([this, answer = std::move(answer)] {
            while (true) {
                const int connection = accept(listener_, nullptr, nullptr);
                if (connection < 0) return;
                {
                    const std::lock_guard lock(mutex_);
                    open_.push_back(connection);
                }
                const Answer said = answer(request_of(connection));
                bool taken = sent(connection, said.bytes);
                for (int i = 0; !said.again.empty() && taken && !ending_.load() && i != said.times; ++i) {
                    std::this_thread::sleep_for(said.pause);
                    taken = sent(connection, said.again);
                }
                if (said.close) shutdown(connection, SHUT_RDWR);
            }
        });
    }
    explicit RawServer(std::string bytes, bool close_after = true) : RawServer(Answer{std::move(bytes), close_after}) {}
    explicit RawServer(Answer answer) : RawServer([answer = std::move(answer)](const std::string&) { return answer; }) {}
    ~RawServer() {
        ending_.store(true);
        shutdown(listener_, SHUT_RDWR);
        {
            const std::lock_guard lock(mutex_);
            for (const int connection : open_) shutdown(connection, SHUT_RDWR); // nobody may read what is sent
        }
        thread_.join();
        close(listener_);
        for (const int connection : open_) close(connection);
    }
    RawServer(const RawServer&) = delete;
    RawServer& operator=(const RawServer&) = delete;
    Endpoint endpoint;

  private:
    static bool sent(int connection, const std::string& bytes) { return send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL) >= 0; }

    // The first bytes, and the rest of a body that says how long it is.
    static std::string request_of(int connection) {
        std::string request;
        for (std::size_t wanted = 1; request.size() < wanted;) {
            char bytes[4096];
            const auto read = ::read(connection, bytes, sizeof bytes);
            if (read <= 0) break;
            request.append(bytes, static_cast<std::size_t>(read));
            const std::string length = "Content-Length: ";
            const std::size_t end = request.find("\r\n\r\n"), told = request.find(length);
            if (end != std::string::npos && told < end) wanted = end + 4 + std::stoul(request.substr(told + length.size()));
        }
        return request;
    }

    std::atomic<bool> ending_{false};
    int listener_ = -1;
    std::mutex mutex_;      // of the next one
    std::vector<int> open_; // closed at the end only
    std::thread thread_;
};

// What an action says whose error is one of the network; it has to have one, and a remedy.
template <class F>
std::string network_error(const F& action) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Exit::network) << error.what();
        EXPECT_FALSE(error.remedy().empty());
        return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
}

} // namespace speclens::test
