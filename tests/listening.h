// Servers on a thread of their own, for as long as the object lives: our own, and one that answers any bytes.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <vector>

#include <string>
#include <thread>

#include "kernels/error.h"
#include "remote/http.h"
#include "remote/spec_server.h"

namespace speclens::test {

[[nodiscard]] inline std::shared_ptr<const Models> served_bundle() {
    static const std::shared_ptr<const Models> models = std::make_shared<Models>(load_models({}));
    return models;
}

class Listening {
  public:
    explicit Listening(RunSettings settings, int most_waiting = 32,
                       std::shared_ptr<const Models> models = served_bundle())
        : server_(std::move(models), {"127.0.0.1", 0, most_waiting, std::move(settings)}) {
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

// A socket that answers every request with some bytes, and closes the connection or leaves it open until it
// is destroyed.
class RawServer {
  public:
    struct Answer {
        std::string bytes;
        bool close = true;
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
                const Answer said = answer(request_of(connection));
                (void)!send(connection, said.bytes.data(), said.bytes.size(), MSG_NOSIGNAL);
                if (said.close)
                    close(connection);
                else
                    open_.push_back(connection);
            }
        });
    }
    explicit RawServer(std::string bytes, bool close_after = true)
        : RawServer([answer = Answer{std::move(bytes), close_after}](const std::string&) { return answer; }) {
    }
    ~RawServer() {
        shutdown(listener_, SHUT_RDWR);
        thread_.join();
        close(listener_);
        for (const int connection : open_) close(connection);
    }
    RawServer(const RawServer&) = delete;
    RawServer& operator=(const RawServer&) = delete;
    Endpoint endpoint;

  private:
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
            if (end != std::string::npos && told < end)
                wanted = end + 4 + std::stoul(request.substr(told + length.size()));
        }
        return request;
    }

    int listener_ = -1;
    std::vector<int> open_;
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
