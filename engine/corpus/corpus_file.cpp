#include "engine/corpus/corpus_file.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/base/json.h"
#include "engine/base/json_read.h"
#include "engine/fetch/sha256.h"
#include "files/atomic_file.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr std::string_view kFormat = "speclens-corpus/1";
constexpr std::size_t kHashDigits = 64;
constexpr std::size_t kMostBytes = std::size_t{64} << 20; // texts of one token each, under headers of theirs, are well below
constexpr std::array<const char*, 3> kEnds = {"stop", "limit", "loop"};

std::string sha256(std::string_view bytes) {
    Sha256 hash;
    hash.add(bytes);
    return hash.hex();
}

// The position of each text's word in a list of the different ones, in the order in which they come.
class Words {
  public:
    int place(const std::string& word) {
        const auto found = std::ranges::find(words_, word);
        if (found == words_.end()) words_.push_back(word);
        return static_cast<int>(std::ranges::find(words_, word) - words_.begin());
    }
    [[nodiscard]] const std::vector<std::string>& words() const { return words_; }

  private:
    std::vector<std::string> words_;
};

std::string header_of(const CorpusBlock& block) {
    const CorpusSource& source = block.source;
    Words domains;
    std::vector<int> numbers, prompts, answers, places, ends;
    std::vector<double> temperatures;
    for (const CorpusText& text : block.texts) {
        numbers.push_back(text.number);
        prompts.push_back(text.prompt);
        answers.push_back(text.answer());
        temperatures.push_back(text.temperature);
        places.push_back(domains.place(text.domain));
        ends.push_back(static_cast<int>(text.end));
    }
    const OrderedJson json = {{"model", source.model},
                              {"fingerprint", source.fingerprint},
                              {"weights", source.weights},
                              {"precision", source.precision},
                              {"vocab", source.vocab},
                              {"bits", bits_of_ids(source.vocab)},
                              {"seed", source.seed},
                              {"top_k", source.filters.top_k},
                              {"top_p", source.filters.top_p},
                              {"tokens", block.tokens()},
                              {"domains", domains.words()},
                              {"ends", kEnds},
                              {"number", numbers},
                              {"prompt", prompts},
                              {"answer", answers},
                              {"temperature", temperatures},
                              {"domain", places},
                              {"end", ends}};
    return json.dump(-1, BadUtf8::replaced);
}

std::string bits_of(const CorpusBlock& block) {
    std::vector<int> all;
    all.reserve(static_cast<std::size_t>(block.tokens()));
    for (const CorpusText& text : block.texts) all.insert(all.end(), text.tokens.begin(), text.tokens.end());
    return packed_ids(all, block.source.vocab);
}

// Reads one file and knows its name.
class Reader {
  public:
    explicit Reader(const std::string& name) : name_(name) {}

    CorpusBlock block(std::string_view bytes) const {
        const std::size_t first = bytes.find('\n');
        if (!bytes.starts_with(std::string(kFormat) + " ")) {
            if (bytes.starts_with("speclens-corpus/")) throw bad("is a corpus of another version of this program", "Use that version.");
            throw bad("is no corpus", "Give a file that `speclens sample` wrote.");
        }
        if (first != kFormat.size() + 1 + kHashDigits) throw broken("its first line is cut");
        const std::string_view rest = bytes.substr(first + 1), hash = bytes.substr(kFormat.size() + 1, kHashDigits);
        if (sha256(rest) != hash) throw broken("its bytes are not those of its SHA-256");
        const std::size_t second = rest.find('\n');
        if (second == std::string_view::npos) throw broken("it has no ids");
        return block(parse_json_object(rest.substr(0, second), name_, kRemedy, EqualKeys::refused), rest.substr(second + 1));
    }

  private:
    static constexpr const char* kRemedy = "Fetch it anew, or sample it again.";
    [[nodiscard]] Error bad(const std::string& what, const char* remedy) const { return {name_ + " " + what, remedy}; }
    [[nodiscard]] Error broken(const std::string& what) const { return bad("is damaged: " + what, kRemedy); }

    template <class T>
    [[nodiscard]] T of(const Json& json, const char* key) const {
        try {
            return json.at(key).template get<T>();
        } catch (const JsonError&) {
            throw broken(std::string("its header has no right \"") + key + "\"");
        }
    }
    [[nodiscard]] int whole(const Json& json, const char* key, int least, int most) const {
        const Json& value = member(json, key);
        if (!value.is_number_integer()) throw broken(std::string("its header's \"") + key + "\" is no whole number");
        const double number = value.get<double>();
        if (!(number >= least && number <= most)) throw broken(std::string("its header's \"") + key + "\" is out of range");
        return static_cast<int>(number);
    }
    [[nodiscard]] const Json& member(const Json& json, const char* key) const {
        const auto found = json.find(key);
        if (found == json.end()) throw broken(std::string("its header has no \"") + key + "\"");
        return *found;
    }
    // One number for each text.
    [[nodiscard]] std::vector<double> numbers(const Json& json, const char* key, std::size_t count, double most, bool whole = true) const {
        const Json& list = member(json, key);
        if (!list.is_array() || list.size() != count) throw broken(std::string("its header's \"") + key + "\" is no list of all texts");
        std::vector<double> out;
        for (const Json& value : list) {
            if (!(whole ? value.is_number_integer() : value.is_number())) throw broken(std::string("a \"") + key + "\" is no number");
            out.push_back(value.get<double>());
            if (!(out.back() >= 0 && out.back() <= most)) throw broken(std::string("a \"") + key + "\" is out of range");
        }
        return out;
    }

    [[nodiscard]] CorpusBlock block(const Json& json, std::string_view ids) const {
        constexpr int kMostVocab = 1 << 24, kMostNumber = 1 << 30;
        constexpr double kMostTemperature = 1000;
        CorpusBlock block;
        CorpusSource& source = block.source;
        source.model = of<std::string>(json, "model");
        source.fingerprint = of<std::string>(json, "fingerprint");
        source.weights = of<std::string>(json, "weights");
        source.precision = of<std::string>(json, "precision");
        source.vocab = whole(json, "vocab", 1, kMostVocab);
        if (!member(json, "seed").is_number_unsigned()) throw broken("its seed is no whole number");
        source.seed = of<std::uint64_t>(json, "seed");
        source.filters.top_k = whole(json, "top_k", 0, kMostVocab);
        source.filters.top_p = of<double>(json, "top_p");
        if (!(source.filters.top_p > 0 && source.filters.top_p <= 1)) throw broken("its top_p is out of range");
        if (whole(json, "bits", 1, 24) != bits_of_ids(source.vocab)) throw broken("its ids have another width than its vocabulary needs");
        if (const Json& ends = member(json, "ends"); ends != Json(kEnds)) throw broken("its answers end in ways that are not known");
        const auto domains = of<std::vector<std::string>>(json, "domains");

        const Json& list = member(json, "number");
        const std::size_t texts = list.is_array() ? list.size() : 0;
        if (texts == 0) throw broken("it has no texts");
        const std::vector<double> number = numbers(json, "number", texts, kMostNumber),
                                  prompt = numbers(json, "prompt", texts, kMostBlockTokens),
                                  answer = numbers(json, "answer", texts, kMostBlockTokens),
                                  domain = numbers(json, "domain", texts, kMostNumber), end = numbers(json, "end", texts, kEnds.size() - 1),
                                  temperature = numbers(json, "temperature", texts, kMostTemperature, false);
        long long tokens = 0;
        for (std::size_t i = 0; i < texts; ++i) {
            if (i > 0 && number[i] <= number[i - 1]) throw broken("its texts are not in the order of their numbers");
            if (prompt[i] < 1 || answer[i] < 1) throw broken("it has a text without a prompt or an answer");
            if (domain[i] >= static_cast<double>(domains.size())) throw broken("a text's domain has no name");
            tokens += static_cast<long long>(prompt[i] + answer[i]);
        }
        if (tokens > kMostBlockTokens)
            throw broken("it has " + std::to_string(tokens) + " tokens, a block has " + std::to_string(kMostBlockTokens) + " at most");
        if (whole(json, "tokens", 0, kMostBlockTokens) != tokens) throw broken("its texts have not as many tokens as it says");

        const UnpackedIds all = unpacked_ids(ids, static_cast<std::size_t>(tokens), source.vocab);
        if (all.problem != nullptr) throw broken(all.problem);
        auto at = all.ids.begin();
        for (std::size_t i = 0; i < texts; ++i) {
            const auto count = static_cast<std::ptrdiff_t>(prompt[i] + answer[i]);
            block.texts.push_back({.number = static_cast<int>(number[i]),
                                   .tokens = {at, at + count},
                                   .prompt = static_cast<int>(prompt[i]),
                                   .temperature = temperature[i],
                                   .end = static_cast<AnswerEnd>(static_cast<int>(end[i])),
                                   .domain = domains[static_cast<std::size_t>(domain[i])]});
            at += count;
        }
        return block;
    }

    const std::string& name_;
};

} // namespace

const char* name_of(AnswerEnd end) { return kEnds.at(static_cast<std::size_t>(end)); }

long long CorpusBlock::tokens() const {
    return std::accumulate(texts.begin(), texts.end(), 0LL, [](long long sum, const CorpusText& t) { return sum + std::ssize(t.tokens); });
}

long long CorpusBlock::answer_tokens() const {
    return std::accumulate(texts.begin(), texts.end(), 0LL, [](long long sum, const CorpusText& t) { return sum + t.answer(); });
}

std::string packed(const CorpusBlock& block) {
    const std::string rest = header_of(block) + "\n" + bits_of(block);
    return std::string(kFormat) + " " + sha256(rest) + "\n" + rest;
}

CorpusBlock unpacked(std::string_view bytes, const std::string& name) { return Reader(name).block(bytes); }

CorpusBlock read_corpus(const std::filesystem::path& file) { return unpacked(read_text_file(file, kMostBytes), short_name(file)); }

void write_corpus(const std::filesystem::path& file, const CorpusBlock& block) {
    AtomicFile out(file);
    out.write(packed(block));
    out.commit();
}

std::filesystem::path corpus_file(const std::filesystem::path& folder, int n) {
    const std::string digits = std::to_string(n);
    return folder / (std::string(digits.size() < 3 ? 3 - digits.size() : 0, '0') + digits + ".corpus");
}

std::vector<std::filesystem::path> corpus_files(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code ignored;
    while (std::filesystem::exists(corpus_file(folder, static_cast<int>(files.size())), ignored))
        files.push_back(corpus_file(folder, static_cast<int>(files.size())));
    int there = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        there += entry.path().extension() == ".corpus" && name.find_first_not_of("0123456789") == name.size() - 7;
    }
    if (there != std::ssize(files))
        throw Error(short_name(folder) + " has no " + corpus_file("", static_cast<int>(files.size())).string() + ", but blocks behind it",
                    "Fetch the missing one, or give another folder.");
    return files;
}

} // namespace speclens
