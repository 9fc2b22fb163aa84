// A SpecServer on a thread of its own, for as long as the object lives.
#pragma once

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
    explicit Listening(RunSettings settings, int most_waiting = 32)
        : server_(served_bundle(), {"127.0.0.1", 0, most_waiting, std::move(settings)}) {
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

} // namespace speclens::test
