// A server for HTTPS on this machine, with a certificate authority of its own. What it answers, whole or broken off, is the test's to say.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace speclens::test {

struct TlsRequest {
    std::string path;                  // with its query
    std::optional<std::uint64_t> from; // of "Range: bytes=FROM-"
};

struct TlsAnswer {
    std::string bytes;  // header and body
    bool hangs = false; // instead of closing the connection behind them, until the server ends
};

// "HTTP/1.1 STATUS", the fields, and the body with its length.
inline TlsAnswer tls_page(int status, const std::string& fields, const std::string& body = "") {
    return {"HTTP/1.1 " + std::to_string(status) + " Said\r\n" + fields + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
            body};
}
// A file, or the rest of it where that was asked for, as servers of files answer; of the body only `most` bytes are sent.
inline TlsAnswer tls_file(const TlsRequest& request, const std::string& file, std::size_t most = std::string::npos) {
    const std::size_t from = request.from.value_or(0);
    std::string range;
    if (request.from)
        range = "Content-Range: bytes " + std::to_string(from) + "-" + std::to_string(file.size() - 1) + "/" + std::to_string(file.size()) +
                "\r\n";
    TlsAnswer answer = tls_page(request.from ? 206 : 200, "Content-Type: application/octet-stream\r\n" + range, file.substr(from));
    const std::size_t body = answer.bytes.size() - (file.size() - from);
    if (most < file.size() - from) answer.bytes.resize(body + most);
    return answer;
}

class TlsServer {
  public:
    using Answers = std::function<TlsAnswer(const TlsRequest&)>;

    // Writes ca.pem into `folder`. `serves`: at once; else serve() begins, for a test that forks before there is a thread.
    TlsServer(const std::filesystem::path& folder, Answers answers, bool serves = true)
        : ca(folder / "ca.pem"), answers_(std::move(answers)), context_(SSL_CTX_new(TLS_server_method()), SSL_CTX_free) {
        std::signal(SIGPIPE, SIG_IGN); // a client may go while it is answered
        const Key authority = key(), own = key();
        const Certificate root = certificate("Test authority", authority, "Test authority", authority, true);
        const Certificate leaf = certificate("localhost", own, "Test authority", authority, false);
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(std::fopen(ca.c_str(), "w"), std::fclose);
        EXPECT_EQ(PEM_write_X509(out.get(), root.get()), 1);
        EXPECT_EQ(SSL_CTX_use_certificate(context_.get(), leaf.get()), 1);
        EXPECT_EQ(SSL_CTX_use_PrivateKey(context_.get(), own.get()), 1);

        listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        auto* const any = reinterpret_cast<sockaddr*>(&address);
        socklen_t size = sizeof address;
        EXPECT_EQ(::bind(listener_, any, size), 0);
        EXPECT_EQ(listen(listener_, 8), 0);
        EXPECT_EQ(getsockname(listener_, any, &size), 0);
        host = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
        origin = "https://" + host;
        if (serves) serve();
    }
    ~TlsServer() {
        over_ = true;
        if (thread_.joinable()) thread_.join();
        close(listener_);
    }
    TlsServer(const TlsServer&) = delete;
    TlsServer& operator=(const TlsServer&) = delete;

    void serve() {
        thread_ = std::thread([this] {
            while (!over_)
                if (const int connection = next(listener_) ? accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC) : -1; connection >= 0) {
                    talk(connection);
                    close(connection);
                }
        });
    }
    // "PATH" or "PATH FROM" of every request so far.
    [[nodiscard]] std::vector<std::string> asked() const {
        const std::lock_guard lock(mutex_);
        return asked_;
    }

    std::filesystem::path ca;
    std::string host, origin; // "127.0.0.1:4711", "https://127.0.0.1:4711"

  private:
    using Key = std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)>;
    using Certificate = std::unique_ptr<X509, void (*)(X509*)>;

    static Key key() { return {EVP_EC_gen("P-256"), EVP_PKEY_free}; }
    static Certificate certificate(const char* name, const Key& own, const char* issuer, const Key& signs, bool authority) {
        static std::atomic<long> serial{1};
        Certificate made(X509_new(), X509_free);
        X509_set_version(made.get(), 2);
        ASN1_INTEGER_set(X509_get_serialNumber(made.get()), serial++);
        X509_gmtime_adj(X509_getm_notBefore(made.get()), -3600);
        X509_gmtime_adj(X509_getm_notAfter(made.get()), 24 * 3600);
        const auto call = [](X509_NAME* one, const char* text) {
            X509_NAME_add_entry_by_txt(one, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(text), -1, -1, 0);
        };
        call(X509_get_subject_name(made.get()), name);
        call(X509_get_issuer_name(made.get()), issuer);
        X509_set_pubkey(made.get(), own.get());
        const auto add = [&](int kind, const char* value) {
            const std::unique_ptr<X509_EXTENSION, void (*)(X509_EXTENSION*)> field(X509V3_EXT_conf_nid(nullptr, nullptr, kind, value),
                                                                                   X509_EXTENSION_free);
            EXPECT_EQ(X509_add_ext(made.get(), field.get(), -1), 1);
        };
        add(NID_basic_constraints, authority ? "critical,CA:TRUE" : "CA:FALSE");
        if (!authority) add(NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
        EXPECT_GT(X509_sign(made.get(), signs.get(), EVP_sha256()), 0);
        return made;
    }

    // Whether there is something to read before the server ends.
    bool next(int socket) const {
        while (!over_) {
            pollfd wait{socket, POLLIN, 0};
            if (poll(&wait, 1, 20) > 0) return true;
        }
        return false;
    }
    void talk(int connection) {
        timeval soon{.tv_sec = 10, .tv_usec = 0}; // a client that says nothing more
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
        setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof soon);
        const std::unique_ptr<SSL, void (*)(SSL*)> tls(SSL_new(context_.get()), SSL_free);
        SSL_set_fd(tls.get(), connection);
        if (SSL_accept(tls.get()) != 1) return;
        std::string header;
        for (char byte = 0; !header.ends_with("\r\n\r\n") && SSL_read(tls.get(), &byte, 1) == 1;) header += byte;
        if (!header.starts_with("GET ")) return;
        TlsRequest request{header.substr(4, header.find(' ', 4) - 4), {}};
        constexpr const char* kRange = "Range: bytes=";
        if (const std::size_t at = header.find(kRange); at != std::string::npos) request.from = std::stoull(header.substr(at + 13));
        {
            const std::lock_guard lock(mutex_);
            asked_.push_back(request.path + (request.from ? " " + std::to_string(*request.from) : ""));
        }
        const TlsAnswer answer = answers_(request);
        for (std::size_t done = 0; done < answer.bytes.size();) {
            const int wrote = SSL_write(tls.get(), answer.bytes.data() + done,
                                        static_cast<int>(std::min<std::size_t>(answer.bytes.size() - done, 16384)));
            if (wrote <= 0) return;
            done += static_cast<std::size_t>(wrote);
        }
        if (answer.hangs)
            next(connection); // or the client goes
        else
            SSL_shutdown(tls.get());
    }

    Answers answers_;
    std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_;
    int listener_ = -1;
    std::atomic<bool> over_{false};
    mutable std::mutex mutex_; // of asked_
    std::vector<std::string> asked_;
    std::thread thread_;
};

} // namespace speclens::test
