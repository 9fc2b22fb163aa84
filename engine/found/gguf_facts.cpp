#include "engine/found/gguf_facts.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace speclens {

namespace {

constexpr std::uint64_t kHead = 16 << 20;    // bytes that may be looked at
constexpr std::uint64_t kLongestText = 1024; // of a key or a value that is kept
constexpr std::uint64_t kMostFields = 10'000;
enum class Kind : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, text, array, u64, i64, f64 };
constexpr std::array<std::uint64_t, 13> kBytes = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8}; // 0: has a length of its own

struct TooFar {}; // the end of the head or of the file, or a field that no writer makes

// Bytes from the start on, little-endian, in blocks.
class Head {
  public:
    explicit Head(int fd) : fd_(fd), block_(std::size_t{64} << 10) {}

    void take(void* to, std::uint64_t bytes) {
        for (auto* out = static_cast<char*>(to); bytes > 0;) {
            if (at_ < start_ || at_ >= start_ + filled_) fill();
            const std::uint64_t here = std::min(bytes, start_ + filled_ - at_);
            std::memcpy(out, block_.data() + (at_ - start_), here);
            out += here, at_ += here, bytes -= here;
        }
    }
    template <typename T>
    T number() {
        T value{};
        take(&value, sizeof value);
        return value;
    }
    void skip(std::uint64_t bytes) {
        if (bytes > kHead - at_) throw TooFar{};
        at_ += bytes;
    }
    std::string text_value() {
        const auto length = number<std::uint64_t>();
        std::string value;
        if (length > kLongestText) {
            skip(length);
            return value;
        }
        value.resize(length);
        take(value.data(), length);
        return value;
    }

  private:
    void fill() {
        if (at_ >= kHead) throw TooFar{};
        const ssize_t got = pread(fd_, block_.data(), block_.size(), static_cast<off_t>(at_));
        if (got <= 0) throw TooFar{};
        start_ = at_;
        filled_ = static_cast<std::uint64_t>(got);
    }
    int fd_;
    std::vector<char> block_;
    std::uint64_t at_ = 0, start_ = 0, filled_ = 0;
};

Kind read_kind(Head& head) {
    const auto kind = head.number<std::uint32_t>();
    if (kind >= kBytes.size()) throw TooFar{};
    return static_cast<Kind>(kind);
}

std::uint64_t bytes_of(Kind kind) { return kBytes[static_cast<std::size_t>(kind)]; }

std::uint64_t skip_array(Head& head) { // gives its length
    const Kind kind = read_kind(head);
    const auto length = head.number<std::uint64_t>();
    if (kind == Kind::array || length > kHead) throw TooFar{};
    if (kind != Kind::text) {
        head.skip(length * bytes_of(kind));
        return length;
    }
    for (std::uint64_t i = 0; i < length; ++i) head.skip(head.number<std::uint64_t>());
    return length;
}

std::string file_type(std::uint64_t number) {
    // clang-format off
    static constexpr const char* kNames[] = {
        "F32",    "F16",    "Q4_0",    "Q4_1",   nullptr,  nullptr,  nullptr,  "Q8_0",   "Q5_0",  "Q5_1",
        "Q2_K",   "Q3_K_S", "Q3_K_M",  "Q3_K_L", "Q4_K_S", "Q4_K_M", "Q5_K_S", "Q5_K_M", "Q6_K",  "IQ2_XXS",
        "IQ2_XS", "Q2_K_S", "IQ3_XS",  "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S",  "IQ3_M",  "IQ2_S", "IQ2_M",
        "IQ4_XS", "IQ1_M",  "BF16",    nullptr,  nullptr,  nullptr,  "TQ1_0",  "TQ2_0",  "MXFP4", "NVFP4",
        "Q1_0",   "Q2_0"};
    // clang-format on
    const char* name = number < std::size(kNames) ? kNames[number] : nullptr;
    return name ? name : "file type " + std::to_string(number);
}

int small(std::uint64_t value) { return value > static_cast<std::uint64_t>(std::numeric_limits<int>::max()) ? 0 : static_cast<int>(value); }

// Which of the heads of one architecture it is.
struct Marks {
    bool dspark = false, selector = false;
};

// As engine/heads/gguf_head.h reads them; empty: no head.
std::string drafter_of(const std::string& family, const Marks& marks) {
    if (family == "eagle3") return "eagle3";
    if (family != "dflash") return "";
    return marks.selector ? "dflash2" : marks.dspark ? "dspark" : "dflash";
}

void read_field(Head& head, ModelFacts& facts, Marks& marks) {
    const std::string key = head.text_value();
    const Kind kind = read_kind(head);
    if (kind == Kind::array) {
        const std::uint64_t length = skip_array(head);
        if (key == "tokenizer.ggml.tokens") facts.vocab = small(length);
        return;
    }
    if (kind == Kind::text) {
        const std::string value = head.text_value();
        if (key == "general.architecture") facts.family = value;
        if (key == "general.name") facts.name = value;
        if (key == "general.basename") facts.basename = value;
        return;
    }
    std::uint64_t value = 0;
    head.take(&value, bytes_of(kind));
    const bool count = kind == Kind::u32 || kind == Kind::i32 || kind == Kind::u64 || kind == Kind::i64;
    if (key == facts.family + ".has_confidence_head" || key == facts.family + ".sample_from_anchor") marks.dspark = true;
    if (!count) return;
    if (key == facts.family + ".selector_rank") marks.selector = true;
    if (key == "general.file_type") facts.weights = file_type(value);
    if (key == facts.family + ".embedding_length") facts.hidden = small(value);
    if (key == facts.family + ".vocab_size" && facts.vocab == 0) facts.vocab = small(value);
}

} // namespace

std::optional<ModelFacts> read_gguf_facts(int fd) {
    ModelFacts facts;
    Marks marks;
    Head head(fd);
    try {
        std::array<char, 4> magic{};
        head.take(magic.data(), magic.size());
        const auto version = head.number<std::uint32_t>();
        if (std::string_view(magic.data(), magic.size()) != "GGUF" || (version != 2 && version != 3)) return std::nullopt;
    } catch (const TooFar&) {
        return std::nullopt;
    }
    try {
        head.skip(sizeof(std::uint64_t)); // the number of tensors
        const auto fields = std::min(head.number<std::uint64_t>(), kMostFields);
        for (std::uint64_t i = 0; i < fields; ++i) read_field(head, facts, marks);
    } catch (const TooFar&) {
        // What came before counts.
    }
    facts.drafter = drafter_of(facts.family, marks);
    return facts;
}

std::optional<ModelFacts> read_gguf_facts(const std::filesystem::path& file) {
    const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe is not waited for
    if (fd < 0) return std::nullopt;
    struct stat info {};
    auto facts = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? read_gguf_facts(fd) : std::nullopt;
    close(fd);
    return facts;
}

} // namespace speclens
