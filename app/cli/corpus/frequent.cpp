// `speclens frequent`: how often texts use each id of a model's vocabulary, as a list for --small-ids.
#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/measure.h"
#include "app/cli/output.h"
#include "app/cli/setup.h"
#include "app/cli/terminal.h"
#include "app/cli/walk_words.h"
#include "engine/base/json_read.h"
#include "engine/base/utf8.h"
#include "engine/corpus/corpus_file.h"
#include "engine/models/models.h"
#include "engine/text/id_list.h"
#include "files/atomic_file.h"
#include "kernels/error.h"

namespace speclens::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLargestText = std::size_t{256} << 20; // bytes

// The files that are meant: of a folder all below it, but for hidden ones.
std::vector<fs::path> files_of(const std::vector<std::string>& words) {
    std::vector<fs::path> files;
    for (const std::string& word : words) {
        std::error_code failure;
        if (!fs::is_directory(word, failure)) {
            files.emplace_back(word);
            continue;
        }
        for (fs::recursive_directory_iterator at(word, failure), end; !failure && at != end; at.increment(failure)) {
            if (at->path().filename().string().starts_with('.')) {
                at.disable_recursion_pending();
                continue;
            }
            if (at->is_regular_file(failure)) files.push_back(at->path());
        }
        if (failure) throw Error(word + ": cannot be read: " + failure.message(), "Check its permissions.");
    }
    std::ranges::sort(files);
    files.erase(std::ranges::unique(files).begin(), files.end());
    return files;
}

class Counts {
  public:
    explicit Counts(const Models& models) : models_(models) {}

    void add(const fs::path& file) {
        if (file.extension() == ".corpus") return add_answers(file);
        const std::string text = read_text_file(file, kLargestText);
        if (text.find('\0') != std::string::npos || !is_valid_utf8(text)) {
            ++passed_over_; // a picture, weights
            return;
        }
        for (const int id : models_.tokenizer->encode(text)) count(id);
        ++texts_;
    }

    [[nodiscard]] const std::map<int, long long>& counts() const { return counts_; }
    [[nodiscard]] int texts() const { return texts_; }
    [[nodiscard]] int answers() const { return answers_; }
    [[nodiscard]] int passed_over() const { return passed_over_; }

  private:
    void count(int id) { ++counts_[id]; }
    void add_answers(const fs::path& file) {
        const CorpusBlock block = read_corpus(file);
        if (block.source.vocab != models_.vocab())
            throw Error(file.string() + " has ids of another vocabulary: " + std::to_string(block.source.vocab) + " of " +
                            block.source.model,
                        "Give the model that wrote it, or one with its tokenizer.", Exit::usage);
        for (const CorpusText& text : block.texts) {
            for (auto id = text.tokens.begin() + text.prompt; id != text.tokens.end(); ++id) count(*id);
            ++answers_;
        }
    }

    const Models& models_;
    std::map<int, long long> counts_;
    int texts_ = 0, answers_ = 0, passed_over_ = 0;
};

} // namespace

Exit command_frequent(const Options& options) {
    std::vector<fs::path> files = files_of(options.words);
    std::erase_if(files, [&](const fs::path& file) { // an earlier list among the texts
        std::error_code ignored;
        return fs::equivalent(file, options.output, ignored);
    });
    const std::shared_ptr<const Models> models = load_without_notices(options);
    if (!models->tokenizer)
        throw Error("these models have no tokenizer, so no text has ids", "Give a model with one: --model FILE.", Exit::usage);
    Counts counts(*models);
    ProgressBar bar;
    double done = 0;
    for (const fs::path& file : files) {
        stop_if_interrupted();
        bar.show("counting", done++, static_cast<double>(files.size()), "files");
        counts.add(file);
    }
    bar.clear();
    const IdList list = counted_ids(counts.counts(), *models->tokenizer);
    if (list.ids.empty())
        throw Error("there is no text in these files", "Give texts in UTF-8, or corpora of `speclens sample`.", Exit::usage);
    AtomicFile out(options.output);
    out.write(packed(list));
    out.commit();

    std::string told = grouped(static_cast<double>(list.tokens)) + " tokens of " + counted(counts.texts(), "text") + " and " +
                       counted(counts.answers(), "answer") + ": " + grouped(static_cast<double>(list.ids.size())) + " of " +
                       grouped(models->vocab()) + " ids occur, in " + printable(options.output.string()) + "\n";
    if (counts.passed_over() > 0) told += counted(counts.passed_over(), "file") + " passed over: no text in UTF-8\n";
    long long covered = 0;
    std::size_t ids = 0;
    for (std::size_t wanted = 1024; wanted < list.ids.size(); wanted *= 2) {
        for (; ids < wanted; ++ids) covered += counts.counts().at(list.ids[ids]);
        told += "  the first " + grouped(static_cast<double>(wanted)) + " are " +
                number(100 * static_cast<double>(covered) / static_cast<double>(list.tokens), 2) + " % of the tokens\n";
    }
    print_results(told);
    return Exit::ok;
}

} // namespace speclens::cli
