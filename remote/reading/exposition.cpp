#include "remote/reading/exposition.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "engine/base/read_number.h"
#include "kernels/error.h"

namespace speclens {
namespace {

bool name_byte(char c, bool first) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' || (!first && c >= '0' && c <= '9');
}

// Reads one line from the left; every part returns false where the line is no sample.
class Line {
  public:
    explicit Line(std::string_view text) : rest_(text) {}

    bool name(std::string& out) {
        spaces();
        std::size_t n = 0;
        while (n < rest_.size() && name_byte(rest_[n], n == 0)) ++n;
        out = rest_.substr(0, n);
        rest_.remove_prefix(n);
        return n > 0;
    }
    bool take(char c) {
        spaces();
        if (rest_.empty() || rest_.front() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }
    bool quoted(std::string& out) { // appends
        if (!take('"')) return false;
        while (!rest_.empty()) {
            const char c = rest_.front();
            rest_.remove_prefix(1);
            if (c == '"') return true;
            if (c != '\\' || rest_.empty()) {
                out += c;
                continue;
            }
            out += rest_.front() == 'n' ? '\n' : rest_.front();
            rest_.remove_prefix(1);
        }
        return false;
    }
    bool labels(std::vector<std::pair<std::string, std::string>>& out) {
        if (!take('{')) return true;
        while (!take('}')) {
            std::pair<std::string, std::string> label;
            if (!name(label.first) || !take('=') || !quoted(label.second)) return false;
            out.push_back(std::move(label));
            (void)take(',');
        }
        return true;
    }
    bool value(double& out) {
        spaces();
        const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t\r"));
        const double infinity = std::numeric_limits<double>::infinity();
        if (word == "NaN")
            out = std::numeric_limits<double>::quiet_NaN();
        else if (word == "+Inf" || word == "Inf")
            out = infinity;
        else if (word == "-Inf")
            out = -infinity;
        else {
            const std::string_view digits = word.substr(!word.empty() && word.front() == '+' ? 1 : 0);
            const auto read = read_number(digits.data(), digits.data() + digits.size(), out);
            return read.ec == std::errc() && read.ptr == digits.data() + digits.size();
        }
        return true;
    }

  private:
    void spaces() {
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
    }
    std::string_view rest_;
};

std::optional<MetricSample> sample_of(std::string_view text) {
    MetricSample sample;
    Line line(text);
    if (!line.name(sample.name) || !line.labels(sample.labels) || !line.value(sample.value)) return {};
    return sample;
}

} // namespace

const std::string* MetricSample::label(std::string_view key) const {
    for (const auto& label_of : labels)
        if (label_of.first == key) return &label_of.second;
    return nullptr;
}

std::vector<MetricSample> parse_exposition(std::string_view text, const std::string& source) {
    std::vector<MetricSample> out;
    if (constexpr std::string_view kMark = "\xEF\xBB\xBF"; text.starts_with(kMark)) // of a saved file
        text.remove_prefix(kMark.size());
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        begin = end + 1;
        if (line.empty() || line.front() == '#') continue;
        if (std::optional<MetricSample> sample = sample_of(line)) out.push_back(std::move(*sample));
    }
    if (out.empty())
        throw Error(source + " holds no metrics",
                    "The text of a server's /metrics is expected: lines such as 'vllm:num_requests_running 1'.", Exit::network);
    return out;
}

} // namespace speclens
