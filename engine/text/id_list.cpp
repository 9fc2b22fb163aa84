#include "engine/text/id_list.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>

#include "engine/base/fnv.h"
#include "engine/base/json_read.h"
#include "engine/base/packed_ids.h"
#include "kernels/error.h"

namespace speclens {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kFormat = "speclens-ids/1";
constexpr std::size_t kLargestList = 64'000'000; // bytes
constexpr std::size_t kLongestHead = 4096;       // bytes of the first two lines
constexpr int kMostVocab = 1 << 24;
constexpr int kHashDigits = 16;
constexpr int kHashedOf = 7; // one of so many ids: enough to tell vocabularies apart, and no wait when a model is loaded

std::string hash_of(std::string_view bytes) {
    Fnv hash;
    hash.add(bytes);
    return hash.hex();
}

// Reads one file and knows its name.
class Reader {
  public:
    Reader(std::string name, int vocab, std::string remedy) : name_(std::move(name)), vocab_(vocab), remedy_(std::move(remedy)) {}

    [[nodiscard]] IdList list(const std::string& bytes) {
        if (bytes.starts_with("speclens-ids/")) return packed_list(bytes);
        const std::size_t first = bytes.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
        if (first == std::string::npos) throw bad("names no ids");
        return bytes[first] == '{' || bytes[first] == '[' ? json_list(bytes) : text_list(bytes);
    }

    // What the second line of a packed file says; its ids are missing yet, and `count` tells how many there are.
    [[nodiscard]] IdList head(std::string_view line, std::size_t& count) const {
        const Json json = parse_json_object(line, name_, remedy_);
        const auto whole = [&](const char* key, double most) {
            const auto found = json.find(key);
            const double value = found != json.end() && found->is_number_integer() ? found->get<double>() : -1;
            if (!(value >= 1 && value <= most)) throw bad(std::string("is damaged: its header has no right \"") + key + "\"");
            return value;
        };
        IdList list;
        list.name = name_;
        list.vocab = static_cast<int>(whole("vocab", kMostVocab));
        list.hashed = static_cast<int>(whole("hashed", list.vocab));
        list.tokens = static_cast<long long>(whole("tokens", 1e15));
        count = static_cast<std::size_t>(whole("ids", list.vocab));
        if (const auto found = json.find("vocabulary"); found != json.end() && found->is_string())
            list.vocabulary = found->get<std::string>();
        if (list.vocabulary.size() != kHashDigits) throw bad("is damaged: its header has no right \"vocabulary\"");
        return list;
    }

  private:
    [[nodiscard]] Error bad(const std::string& what) const { return {name_ + " " + what, remedy_}; }

    [[nodiscard]] IdList packed_list(const std::string& bytes) {
        const std::size_t first = bytes.find('\n');
        if (!bytes.starts_with(std::string(kFormat) + " ")) throw bad("is a list of another version of this program");
        if (first != kFormat.size() + 1 + kHashDigits) throw bad("is damaged: its first line is cut");
        const std::string_view rest = std::string_view(bytes).substr(first + 1);
        if (hash_of(rest) != bytes.substr(kFormat.size() + 1, kHashDigits)) throw bad("is damaged: its bytes are not those of its hash");
        const std::size_t second = rest.find('\n');
        if (second == std::string_view::npos) throw bad("is damaged: it has no ids");
        std::size_t count = 0;
        IdList list = head(rest.substr(0, second), count);
        UnpackedIds ids = unpacked_ids(rest.substr(second + 1), count, list.vocab);
        if (ids.problem != nullptr) throw bad(std::string("is damaged: ") + ids.problem);
        list.ids = std::move(ids.ids);
        for (const int id : list.ids) take(id, std::to_string(id));
        return list;
    }

    [[nodiscard]] IdList json_list(const std::string& bytes) {
        const Json json = parse_json_object(bytes, name_, remedy_);
        const auto found = json.find("ids");
        if (found == json.end() || !found->is_array() || found->empty()) throw Error(name_ + ": ids is missing or no list", remedy_);
        IdList list{.name = name_};
        for (const Json& value : *found) {
            const bool known = value.is_number_integer() && value >= 0 && value < vocab_;
            take(known ? value.get<int>() : -1, shown(value));
            list.ids.push_back(value.get<int>());
        }
        return list;
    }

    // "ID" or "ID COUNT" a line; # begins a comment.
    [[nodiscard]] IdList text_list(const std::string& bytes) {
        struct Line {
            int id;
            long long count;
        };
        std::vector<Line> lines;
        std::optional<bool> with_counts;
        std::size_t number = 0;
        for (std::size_t at = 0; at < bytes.size();) {
            const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
            std::string_view line = std::string_view(bytes).substr(at, end - at);
            at = end + 1, ++number;
            line = line.substr(0, line.find('#'));
            std::vector<long long> numbers;
            for (std::size_t from = line.find_first_not_of(" \t\r"); from != std::string_view::npos;) {
                const std::size_t to = std::min(line.find_first_of(" \t\r", from), line.size());
                long long value = -1;
                const auto [rest, failed] = std::from_chars(line.data() + from, line.data() + to, value);
                if (failed != std::errc() || rest != line.data() + to || value < 0) throw bad_line(number);
                numbers.push_back(value);
                from = line.find_first_not_of(" \t\r", to);
            }
            if (numbers.empty()) continue;
            if (numbers.size() > 2) throw bad_line(number);
            const bool counts = numbers.size() == 2;
            if (with_counts.value_or(counts) != counts)
                throw Error(name_ + " line " + std::to_string(number) + (counts ? " has" : " has no") + " count, others" +
                                (counts ? " have none" : " have"),
                            remedy_);
            with_counts = counts;
            const int id = numbers[0] < vocab_ ? static_cast<int>(numbers[0]) : -1;
            take(id, std::to_string(numbers[0]));
            if (!counts || numbers[1] > 0) lines.push_back({id, counts ? numbers[1] : 0});
        }
        if (lines.empty()) throw bad("names no ids");
        std::ranges::stable_sort(
            lines, [](const Line& a, const Line& b) { return a.count != b.count ? a.count > b.count : a.count > 0 && a.id < b.id; });
        IdList list{.name = name_};
        for (const Line& line : lines) list.ids.push_back(line.id), list.tokens += line.count;
        return list;
    }
    [[nodiscard]] Error bad_line(std::size_t number) const {
        return {name_ + " line " + std::to_string(number) + " is neither an id nor an id and its count", remedy_};
    }

    // `id`: -1 where it is none of the vocabulary's.
    void take(int id, const std::string& said) {
        if (id < 0 || id >= vocab_)
            throw Error(name_ + ": ids has the entry " + said + ", the target has ids 0 to " + std::to_string(vocab_ - 1),
                        "Was it made for this target? " + remedy_);
        if (seen_.empty()) seen_.resize(static_cast<std::size_t>(vocab_));
        if (seen_[static_cast<std::size_t>(id)]) throw Error(name_ + ": ids names " + std::to_string(id) + " twice", remedy_);
        seen_[static_cast<std::size_t>(id)] = true;
    }

    std::string name_;
    int vocab_;
    std::string remedy_;
    std::vector<bool> seen_;
};

} // namespace

std::string vocabulary_hash(const Tokenizer& tokenizer, int count) {
    Fnv hash;
    hash.add(count);
    for (int id = 0; id < count; id += kHashedOf) hash.add(tokenizer.bytes_of(id));
    return hash.hex();
}

int shared_ids(const Tokenizer& tokenizer) {
    const int size = tokenizer.size();
    for (int id = size / 2; id < size; ++id)
        if (tokenizer.is_special(id)) return id;
    return size;
}

IdList counted_ids(const std::map<int, long long>& counts, const Tokenizer& tokenizer) {
    IdList list;
    for (const auto& [id, count] : counts)
        if (count > 0) list.ids.push_back(id), list.tokens += count;
    std::ranges::stable_sort(list.ids, [&](int a, int b) { return counts.at(a) > counts.at(b); });
    list.hashed = shared_ids(tokenizer);
    list.vocabulary = vocabulary_hash(tokenizer, list.hashed);
    list.vocab = tokenizer.size();
    return list;
}

std::string packed(const IdList& list) {
    const OrderedJson json = {
        {"vocabulary", list.vocabulary}, {"hashed", list.hashed}, {"vocab", list.vocab}, {"ids", list.ids.size()}, {"tokens", list.tokens}};
    const std::string rest = json.dump() + "\n" + packed_ids(list.ids, list.vocab);
    return std::string(kFormat) + " " + hash_of(rest) + "\n" + rest;
}

IdList read_id_list(const fs::path& file, int vocab, const std::string& remedy) {
    return Reader(short_name(file), vocab, remedy).list(read_text_file(file, kLargestList));
}

fs::path find_id_list(const fs::path& folder, const Tokenizer& tokenizer) {
    std::error_code failure;
    std::vector<fs::path> files;
    for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure))
        if (at->path().extension() == ".ids") files.push_back(at->path());
    std::ranges::sort(files);
    std::map<int, std::string> hashes; // of this vocabulary, by how many ids they are of
    for (const fs::path& file : files) {
        std::string head(kLongestHead, '\0');
        std::ifstream in(file, std::ios::binary);
        in.read(head.data(), static_cast<std::streamsize>(head.size()));
        head.resize(static_cast<std::size_t>(in.gcount()));
        const std::size_t first = head.find('\n'), second = first == std::string::npos ? first : head.find('\n', first + 1);
        if (second == std::string::npos || !head.starts_with(std::string(kFormat) + " ")) continue;
        try {
            std::size_t count = 0;
            const IdList list =
                Reader(short_name(file), tokenizer.size(), "").head(std::string_view(head).substr(first + 1, second - first - 1), count);
            if (list.hashed > tokenizer.size()) continue;
            const auto known = hashes.find(list.hashed);
            const std::string& hash = known != hashes.end() ? known->second : hashes[list.hashed] = vocabulary_hash(tokenizer, list.hashed);
            if (hash == list.vocabulary) return file;
        } catch (const Error&) {
            continue;
        }
    }
    return {};
}

void check_vocabulary(const IdList& list, const Tokenizer& tokenizer) {
    if (list.vocabulary.empty()) return;
    if (list.hashed <= tokenizer.size() && vocabulary_hash(tokenizer, list.hashed) == list.vocabulary) return;
    throw Error(list.name + " was counted for another vocabulary",
                "Count one for this model: speclens frequent TEXT… --model FILE -o ids.ids.", Exit::usage);
}

} // namespace speclens
