// A line between a client and a server on this machine that is slow, or breaks: as a network is, with the test's own hand on it.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/net/endpoint.h"

namespace speclens::test {

class Proxy {
  public:
    // What is done to a connection, by its number from 0.
    struct Treatment {
        std::chrono::milliseconds delay{0}; // before the answer goes on
        long answer_bytes = -1;             // the line breaks behind so many; -1: it holds
    };
    struct Passed {
        long up = 0, down = 0; // bytes
        std::string path;      // of the request
    };
    explicit Proxy(int port, std::function<Treatment(int connection, const std::string& path)> treat = {})
        : port_(port), treat_(std::move(treat)) {
        listener_ = socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address = at(0);
        EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        EXPECT_EQ(listen(listener_, 64), 0);
        socklen_t size = sizeof address;
        EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
        endpoint = parse_endpoint("127.0.0.1:" + std::to_string(ntohs(address.sin_port)));
        accepts_ = std::thread([this] {
            for (int number = 0;; ++number) {
                const int client = accept(listener_, nullptr, nullptr);
                if (client < 0) return;
                lines_.emplace_back([this, client, number] { carry(client, number); });
            }
        });
    }
    ~Proxy() {
        ending_.store(true);
        shutdown(listener_, SHUT_RDWR);
        accepts_.join();
        for (std::thread& line : lines_) line.join();
        close(listener_);
    }
    Proxy(const Proxy&) = delete;
    Proxy& operator=(const Proxy&) = delete;
    // Connections that are over, in the order of their ends.
    [[nodiscard]] std::vector<Passed> passed() const {
        const std::lock_guard lock(mutex_);
        return passed_;
    }
    Endpoint endpoint;

  private:
    static sockaddr_in at(int port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return address;
    }
    static bool send_all(int to, const char* bytes, std::size_t count) {
        while (count > 0) {
            const ssize_t n = send(to, bytes, count, MSG_NOSIGNAL);
            if (n <= 0) return false;
            bytes += n;
            count -= static_cast<std::size_t>(n);
        }
        return true;
    }
    void carry(int client, int number) {
        const int server = socket(AF_INET, SOCK_STREAM, 0);
        const sockaddr_in address = at(port_);
        EXPECT_EQ(connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        Passed passed;
        Treatment treatment;
        std::string head;
        bool known = false, answered = false, open = true;
        char bytes[16384];
        while (open && !ending_.load()) {
            pollfd ends[2] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
            if (poll(ends, 2, 50) <= 0) continue;
            if (ends[0].revents != 0) {
                const ssize_t n = read(client, bytes, sizeof bytes);
                open = n > 0 && send_all(server, bytes, static_cast<std::size_t>(n));
                if (n > 0) passed.up += n;
                if (n > 0 && !known) {
                    head.append(bytes, static_cast<std::size_t>(n));
                    known = head.find("\r\n") != std::string::npos;
                    const std::size_t from = head.find(' ') + 1;
                    passed.path = head.substr(from, head.find(' ', from) - from);
                    if (known && treat_) treatment = treat_(number, passed.path);
                }
            }
            if (open && ends[1].revents != 0) {
                if (!std::exchange(answered, true)) wait(treatment.delay);
                ssize_t n = read(server, bytes, sizeof bytes);
                const long left = treatment.answer_bytes < 0 ? n : treatment.answer_bytes - passed.down;
                open = n > 0 && n <= left;
                n = std::min<ssize_t>(n, left);
                if (n > 0 && !send_all(client, bytes, static_cast<std::size_t>(n))) open = false;
                if (n > 0) passed.down += n;
            }
        }
        close(server);
        {
            const std::lock_guard lock(mutex_);
            passed_.push_back(passed);
        }
        close(client);
    }
    void wait(std::chrono::milliseconds delay) const {
        for (const auto end = std::chrono::steady_clock::now() + delay; std::chrono::steady_clock::now() < end && !ending_.load();)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

    int port_;
    std::function<Treatment(int, const std::string&)> treat_;
    std::atomic<bool> ending_{false};
    int listener_ = -1;
    std::thread accepts_;
    std::vector<std::thread> lines_; // of the accepting thread until it has ended
    mutable std::mutex mutex_;
    std::vector<Passed> passed_;
};

} // namespace speclens::test
