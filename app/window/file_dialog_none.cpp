// In a page the browser asks for a file, which app/page/page.js then puts where the program can read it; what
// is saved becomes a download, so nobody is asked where to.
#include <emscripten/em_js.h>

#include <cstdlib>

#include "app/window/file_dialog.h"

// clang-format off
EM_JS(void, page_browse, (const char* patterns), { Module['page'].browse(UTF8ToString(patterns)); })
EM_JS(char*, page_chosen, (), { return stringToNewUTF8(Module['page'].chosen); })
// clang-format on

namespace speclens {

struct FileDialog::Asked {
    std::function<void()> notify;
    std::string answer;
};

namespace {

std::function<void()>& waiting() {
    static std::function<void()> notify;
    return notify;
}

} // namespace

extern "C" __attribute__((used, visibility("default"))) void page_file_was_chosen() {
    if (waiting()) waiting()();
}

std::string FileDialog::program() { return ""; }

bool FileDialog::possible() { return true; }

std::vector<std::string> FileDialog::command(const std::string&, const FileQuestion&) { return {}; }

FileDialog::FileDialog(const FileQuestion& question, std::function<void()> notify) : asked_(std::make_unique<Asked>()) {
    if (question.what == FileQuestion::For::save) {
        const std::size_t slash = question.start.rfind('/');
        const std::string name = slash == std::string::npos ? question.start : question.start.substr(slash + 1);
        asked_->answer = "/saved/" + (name.empty() ? std::string("speclens.png") : name);
        notify();
        return;
    }
    waiting() = std::move(notify);
    page_browse(question.what == FileQuestion::For::model ? ".gguf,.json" : ".jsonl,.json,.toml,.gguf");
}

FileDialog::~FileDialog() { waiting() = nullptr; }

std::optional<FileAnswer> FileDialog::answer() const {
    if (!asked_->answer.empty()) return FileAnswer{.path = asked_->answer, .problem = ""};
    char* const path = page_chosen();
    FileAnswer answer{.path = path, .problem = ""};
    std::free(path);
    return answer;
}

} // namespace speclens
