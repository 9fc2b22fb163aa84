// A folder of files for browsers: what a page has to be served with so that it gets threads, and nothing outside it.
#include <gtest/gtest.h>

#include <fstream>
#include <httplib.h>
#include <map>
#include <memory>
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

} // namespace
} // namespace speclens::test
