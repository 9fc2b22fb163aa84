#include "engine/recall/answer_memory.h"

#include "engine/base/json_read.h"
#include "files/atomic_file.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr const char* kSchema = "speclens-answers/1";
constexpr const char* kAbout =
    "Token ids of answers that speclens wrote with --suffix-memory, the oldest first: whoever has the model can read them as text.";
constexpr std::size_t kLargestFile = 16'000'000; // bytes; kMostTokens ids take less
constexpr const char* kRemedy = "Give --suffix-memory another file, or delete this one: it only makes drafts better.";

} // namespace

AnswerMemory::AnswerMemory(std::filesystem::path file, std::string model, int vocab)
    : file_(std::move(file)), model_(std::move(model)), vocab_(vocab) {
    std::error_code failed;
    if (!std::filesystem::exists(file_, failed)) return;
    const std::string name = short_name(file_);
    const Json all = parse_json_object(read_text_file(file_, kLargestFile), name, kRemedy);
    const auto wrong = [&](const std::string& what) { return Error(name + ": " + what, kRemedy); };
    if (!all.contains("schema") || all["schema"] != kSchema) throw wrong("no answers of earlier runs");
    if (!all.contains("model") || !all["model"].is_string() || !all.contains("answers") || !all["answers"].is_array())
        throw wrong("\"model\" or \"answers\" is missing");
    if (all["model"] != model_) throw wrong("answers of another model, whose token ids mean other words");
    for (const Json& answer : all["answers"]) {
        if (!answer.is_array()) throw wrong("an answer is " + shown(answer) + ", not a list of ids");
        std::vector<int> ids;
        for (const Json& id : answer) {
            if (!id.is_number_integer() || id < 0 || id >= vocab_) throw wrong(shown(id) + " is no token id of this model");
            ids.push_back(id.get<int>());
        }
        add(std::move(ids));
    }
}

void AnswerMemory::remember(std::span<const int> answer) { add({answer.begin(), answer.end()}); }

void AnswerMemory::add(std::vector<int> answer) {
    if (answer.empty()) return;
    if (answer.size() > kMostTokens) answer.resize(kMostTokens);
    tokens_ += answer.size();
    answers_.push_back(std::move(answer));
    std::size_t old = 0;
    while (answers_.size() - old > kMostAnswers || tokens_ > kMostTokens) tokens_ -= answers_[old++].size();
    answers_.erase(answers_.begin(), answers_.begin() + static_cast<std::ptrdiff_t>(old));
}

void AnswerMemory::save() const {
    Json all = {{"schema", kSchema}, {"about", kAbout}, {"model", model_}, {"answers", answers_}};
    AtomicFile out(file_, Readers::owner);
    out.write(all.dump() + "\n");
    out.commit();
}

std::shared_ptr<const SuffixTrie> AnswerMemory::trie(int depth) const {
    if (answers_.empty()) return nullptr;
    auto trie = std::make_shared<SuffixTrie>(depth);
    for (const std::vector<int>& answer : answers_) {
        trie->begin_text();
        for (const int id : answer) trie->append(id);
    }
    return trie;
}

std::string AnswerMemory::words() const {
    return std::to_string(answers_.size()) + (answers_.size() == 1 ? " answer, " : " answers, ") + std::to_string(tokens_) +
           " token ids, in " + file_.string() + ", which only you can read";
}

} // namespace speclens
