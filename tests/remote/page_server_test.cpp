// A folder of files for browsers: what a page has to be served with so that it gets threads, and nothing outside it.
#include <gtest/gtest.h>

#include <condition_variable>
#include <fstream>
#include <httplib.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "kernels/error.h"
#include "remote/serving/page_server.h"
#include "tests/shared/temp_folder.h"

namespace speclens::test {
namespace {

class ServedPage : public ::testing::Test {
  protected:
    ServedPage() {
        for (const char* name : {"index.html", "page.js", "speclens.wasm", "start.part.gz", "parts.json"})
            std::ofstream(page / name) << name;
        std::ofstream(folder / "secret.txt") << "secret";
        server = std::make_unique<PageServer>(page, "127.0.0.1", 0);
        port = server->bind();
        thread = std::thread([this] { server->serve(); });
        client = std::make_unique<httplib::Client>("127.0.0.1", port);
        while (!client->Get("/")) std::this_thread::yield();
    }
    ~ServedPage() override {
        server->stop();
        thread.join();
    }

    const TempFolder folder;
    const std::filesystem::path page = [this] {
        std::filesystem::create_directory(folder / "page");
        return folder / "page";
    }();
    std::unique_ptr<PageServer> server;
    int port = 0;
    std::thread thread;
    std::unique_ptr<httplib::Client> client;
};

TEST_F(ServedPage, IsIsolatedInEveryAnswer) {
    for (const char* path : {"/", "/page.js", "/speclens.wasm", "/nothing-here"}) {
        const auto answer = client->Get(path);
        ASSERT_TRUE(answer) << path;
        EXPECT_EQ(answer->get_header_value("Cross-Origin-Opener-Policy"), "same-origin") << path;
        EXPECT_EQ(answer->get_header_value("Cross-Origin-Embedder-Policy"), "require-corp") << path;
    }
}

TEST_F(ServedPage, HasTheTypesThatABrowserAsksFor) {
    const std::map<std::string, std::string> types = {{"/", "text/html"},
                                                      {"/page.js", "application/x-javascript"},
                                                      {"/speclens.wasm", "application/wasm"},
                                                      {"/start.part.gz", "application/gzip"},
                                                      {"/parts.json", "application/json"}};
    for (const auto& [path, type] : types) {
        const auto answer = client->Get(path);
        ASSERT_TRUE(answer) << path;
        EXPECT_EQ(answer->status, 200) << path;
        EXPECT_TRUE(answer->get_header_value("Content-Type").starts_with(type)) << answer->get_header_value("Content-Type");
        EXPECT_FALSE(answer->has_header("Content-Encoding")) << "the page unpacks it";
    }
}

TEST_F(ServedPage, CompressesNoProgram) {
    for (const char* path : {"/page.js", "/speclens.wasm", "/start.part.gz"}) {
        const auto answer = client->Get(path, {{"Accept-Encoding", "gzip, deflate, br"}});
        ASSERT_TRUE(answer) << path;
        EXPECT_FALSE(answer->has_header("Content-Encoding")) << path << " takes seconds with Brotli, for every worker anew";
    }
}

TEST_F(ServedPage, IsAllThatIsServed) {
    EXPECT_EQ(client->Get("/page.js")->body, "page.js");
    for (const char* path : {"/nothing-here", "/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt"}) {
        const auto answer = client->Get(path);
        ASSERT_TRUE(answer) << path;
        EXPECT_NE(answer->status, 200) << path;
        EXPECT_EQ(answer->body.find("secret"), std::string::npos) << path;
    }
}

TEST(PageServers, RefuseAFolderWithoutAPage) {
    const TempFolder folder;
    try {
        const PageServer server(folder.path(), "127.0.0.1", 0);
        FAIL() << "there is no index.html";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Exit::model);
        EXPECT_NE(std::string(error.what()).find("has no index.html"), std::string::npos);
    }
}

TEST_F(ServedPage, RefusesAPortThatIsTaken) {
    PageServer second(page, "127.0.0.1", port);
    EXPECT_THROW((void)second.bind(), Error);
}

// What a browser reads of it, on a thread of its own.
class Reader {
  public:
    Reader(const std::string& origin, const std::string& path)
        : client_(origin), thread_([this, path] {
              (void)client_.Get(path, [this](const char* data, std::size_t size) {
                  const std::lock_guard held(mutex_);
                  all_.append(data, size);
                  came_.notify_all();
                  return true;
              });
          }) {}
    ~Reader() { thread_.join(); }
    // Whether this comes within ten seconds.
    bool hears(const std::string& words) {
        std::unique_lock held(mutex_);
        return came_.wait_for(held, std::chrono::seconds(10), [&] { return all_.find(words) != std::string::npos; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable came_;
    std::string all_;
    httplib::Client client_;
    std::thread thread_;
};

TEST(WordsServers, TellsEachReaderWhatIsShownAndWhenItEnds) {
    auto server = std::make_unique<WordsServer>();
    const std::string address = server->address(), origin = address.substr(0, address.find('/', 7)), path = address.substr(origin.size());
    EXPECT_TRUE(origin.starts_with("http://127.0.0.1:")) << address;
    EXPECT_GE(path.size(), 34U) << "128 bits";
    EXPECT_NE(WordsServer().address().substr(origin.size()), path);
    httplib::Client client(origin);
    const auto page = client.Get(path);
    ASSERT_TRUE(page);
    EXPECT_EQ(page->status, 200);
    EXPECT_NE(page->body.find("aria-live=\"polite\""), std::string::npos);
    EXPECT_NE(page->body.find("'words'"), std::string::npos);
    for (const std::string other : {"/", "/words", "/0123456789abcdef0123456789abcdef/"}) {
        const auto answer = client.Get(other);
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->status, 404) << other;
    }
    server->show(R"({"text": "one"})");
    Reader first(origin, path + "words");
    EXPECT_TRUE(first.hears("data: {\"text\": \"one\"}\n\n"));
    Reader second(origin, path + "words"); // comes later, and hears the same
    EXPECT_TRUE(second.hears("one"));
    server->show(R"({"text": "two"})");
    EXPECT_TRUE(first.hears("two") && second.hears("two"));
    const auto began = std::chrono::steady_clock::now();
    server.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5)) << "a window that closes waits for it";
    EXPECT_TRUE(first.hears("event: closed") && second.hears("event: closed"));
}

TEST(WordsServers, TellTheEndToReadersThatAreJustBeingTold) {
    for (int i = 0; i < 20; ++i) {
        auto server = std::make_unique<WordsServer>();
        const std::string address = server->address(), origin = address.substr(0, address.find('/', 7));
        server->show("one");
        Reader reader(origin, address.substr(origin.size()) + "words");
        ASSERT_TRUE(reader.hears("one"));
        server->show("two");
        server.reset();
        ASSERT_TRUE(reader.hears("event: closed")) << i;
    }
}

} // namespace
} // namespace speclens::test
