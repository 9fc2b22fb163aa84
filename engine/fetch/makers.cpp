#include "engine/fetch/makers.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <optional>
#include <set>
#include <string_view>
#include <thread>

#include "engine/net/http.h"
#include "kernels/error.h"

namespace speclens {

namespace {

constexpr int kMostRedirects = 5;
constexpr int kMostSilentTries = 3; // in a row, where a line broke
constexpr auto kPause = std::chrono::seconds(1);
constexpr std::uint64_t kReportEvery = 1 << 18;
constexpr const char* kMakersRemedy = "Try it again later, or from the mirror: --from mirror.";

struct Address {
    Endpoint endpoint;
    std::string path; // with its query

    [[nodiscard]] std::string host() const { // the port only where it is not the usual one
        const std::string host = endpoint.origin.substr(endpoint.origin.find("://") + 3);
        return host.ends_with(":443") ? host.substr(0, host.size() - 4) : host;
    }
};

Address address_of(const std::string& url) {
    const std::size_t host = url.find("://") + 3, end = std::min(url.find_first_of("/?#", host), url.size());
    std::string path = url.substr(end, url.find('#') - end);
    if (!path.starts_with('/')) path.insert(0, "/");
    // What stands behind a host never reaches the header as a line of its own.
    const auto plain = [](unsigned char c) { return c > ' ' && c < 127; };
    if (!std::ranges::all_of(path, plain)) throw Error("an address has a character that none may have", kMakersRemedy, Exit::network);
    return {parse_endpoint(url.substr(0, end)), path};
}

// Older versions of cpp-httplib (Debian 12 has 0.11) decode the fields of a header, and the query of a signed address holds for one
// spelling only: that of a form, where all but letters, digits and a few signs is %XX.
std::string spelled(const std::string& location) {
    const std::size_t query = location.find('?');
    if (query == std::string::npos || location.find('%') != std::string::npos) return location; // nothing to spell, or nothing decoded
    std::string text = location.substr(0, query + 1);
    bool in_value = false;
    for (const unsigned char c : location.substr(query + 1)) {
        const bool separates = c == '&' || (c == '=' && !in_value);
        if (separates) in_value = c == '=';
        if (separates || std::isalnum(c) || std::string_view("-._~*+").find(static_cast<char>(c)) != std::string_view::npos) {
            text += static_cast<char>(c);
            continue;
        }
        constexpr const char* kDigits = "0123456789ABCDEF";
        text += {'%', kDigits[c >> 4], kDigits[c & 15]};
    }
    return text;
}

// Where `location` leads from `here`; throws Error where that is not to be followed.
Address redirected(const Address& here, const std::string& location) {
    if (location.starts_with("//")) return address_of("https:" + location);
    if (location.starts_with('/')) return address_of(here.endpoint.origin + location);
    if (location.starts_with("https://")) return address_of(location);
    throw Error(here.host() + " leads to " + location.substr(0, location.find('?')).substr(0, 100) + ", which is no address of https",
                "Nothing was fetched from there. Something between here and the makers changes the connection: try another one, or "
                "--from mirror.",
                Exit::mismatch);
}

std::optional<std::uint64_t> count_in(const std::string& text) {
    std::uint64_t count = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, count);
    return read.ec == std::errc() && read.ptr == end ? std::optional(count) : std::nullopt;
}

// Of "bytes FIRST-LAST/WHOLE".
struct Range {
    std::optional<std::uint64_t> first, last, whole;
};
Range range_in(const std::string& field) {
    const std::size_t dash = field.find('-'), slash = field.find('/');
    if (!field.starts_with("bytes ") || dash == std::string::npos || slash == std::string::npos || slash < dash) return {};
    return {count_in(field.substr(6, dash - 6)), count_in(field.substr(dash + 1, slash - dash - 1)), count_in(field.substr(slash + 1))};
}

// One answer, as it comes.
class Answer {
  public:
    Answer(const Fetching& job, const Address& from, PartFile& part) : job_(job), from_(from), part_(part) {}

    // Whether its body is wanted. What is wrong with it is thrown by settle().
    bool take_head(const HttpHead& head) {
        try {
            status_ = head.status;
            if (status_ >= 300 && status_ < 400) location_ = spelled(head.field("Location"));
            if (!located() && status_ < 300) check(head);
        } catch (...) {
            wrong_ = std::current_exception();
        }
        return !wrong_ && status_ >= 200 && status_ < 300;
    }
    bool take(std::string_view bytes) {
        try {
            const auto before = std::min<std::uint64_t>(skip_, bytes.size());
            skip_ -= before;
            bytes.remove_prefix(before);
            if (bytes.size() > part_.left()) throw sends_another("more than it said");
            part_.append(bytes);
            if (part_.size() - reported_ >= kReportEvery || part_.left() == 0) job_.report(kFetching, reported_ = part_.size());
            job_.stop_if_cancelled();
            return true;
        } catch (...) {
            wrong_ = std::current_exception();
            return false;
        }
    }
    // The last word on what came. `broken`: what the connection ended with; empty: as it should.
    void settle(const std::string& broken) const {
        if (wrong_) std::rethrow_exception(wrong_);
        if (broken.empty() && status_ >= 300 && !located())
            throw Error(from_.host() + " answers with status " + std::to_string(status_) + " for " + job_.what.file, kMakersRemedy,
                        Exit::network);
    }
    [[nodiscard]] bool located() const { return !location_.empty(); }
    [[nodiscard]] const std::string& location() const { return location_; }
    [[nodiscard]] bool busy() const { return status_ == 429 || status_ >= 500; }

  private:
    [[nodiscard]] Error sends_another(const std::string& what) const {
        return {from_.host() + " sends " + what + " in the place of " + job_.what.file + ", which has " + std::to_string(job_.what.bytes) +
                    " bytes",
                std::string("Nothing of it was kept. ") + kMakersRemedy, Exit::mismatch};
    }
    void check(const HttpHead& head) {
        const std::string type = head.field("Content-Type"), packed = head.field("Content-Encoding"), length = head.field("Content-Length");
        if (type.starts_with("text/")) throw sends_another("a page (" + type.substr(0, 60) + ")");
        if (!packed.empty() && packed != "identity") throw sends_another("a packed file (" + packed.substr(0, 60) + ")");
        if (status_ == 206) {
            const Range range = range_in(head.field("Content-Range"));
            if (range.first == part_.size() && range.last == job_.what.bytes - 1 && range.whole == job_.what.bytes) return;
            throw sends_another("another range (" + head.field("Content-Range").substr(0, 60) + ")");
        }
        if (status_ != 200) throw sends_another("a status of " + std::to_string(status_));
        if (count_in(length) != job_.what.bytes)
            throw sends_another(length.empty() ? "something that does not say how large it is" : length.substr(0, 20) + " bytes");
        skip_ = part_.size();
        if (skip_ > 0) job_.tell(from_.host() + " begins anew: what is here already is passed over");
    }

    const Fetching& job_;
    const Address& from_;
    PartFile& part_;
    int status_ = 0;
    std::string location_;
    std::uint64_t skip_ = 0, reported_ = 0; // bytes that are here already; size when it was told
    std::exception_ptr wrong_;
};

// Asks for the rest once. Returns why the line broke; empty: all of it came.
std::string ask_once(const Fetching& job, const std::string& ca, Address at, std::set<std::string>& told, PartFile& part) {
    HttpSettings settings;
    settings.silence_seconds = 20;
    settings.most_bytes = job.what.bytes + 1'000'000;
    settings.cancelled = job.progress.cancelled;
    settings.ca = ca;
    std::vector<std::pair<std::string, std::string>> fields;
    if (part.size() > 0) fields.emplace_back("Range", "bytes=" + std::to_string(part.size()) + "-");
    for (int hop = 0; hop <= kMostRedirects; ++hop) {
        if (told.insert(at.host()).second) job.tell((hop == 0 ? "fetching from " : "it leads to ") + at.host());
        Answer answer(job, at, part);
        std::string broken;
        try {
            http_download(
                at.endpoint, at.path, fields, settings, [&](const HttpHead& head) { return answer.take_head(head); },
                [&](std::string_view bytes) { return answer.take(bytes); });
        } catch (const Error& error) {
            job.stop_if_cancelled();
            broken = error.what();
        }
        if (broken.empty() && answer.busy()) broken = at.host() + " is busy";
        answer.settle(broken);
        if (!answer.located()) return broken.empty() && part.left() > 0 ? at.host() + " ends too early" : broken;
        at = redirected(at, answer.location());
    }
    throw Error(job.what.file + " is behind more than " + std::to_string(kMostRedirects) + " redirects, the last one to " + at.host(),
                kMakersRemedy, Exit::network);
}

void pause(const Fetching& job) {
    for (const auto end = std::chrono::steady_clock::now() + kPause; std::chrono::steady_clock::now() < end;) {
        job.stop_if_cancelled();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

} // namespace

std::string makers_origin() {
    const char* set = std::getenv("HF_ENDPOINT");
    std::string origin = set && *set ? set : "https://huggingface.co";
    while (origin.ends_with('/')) origin.pop_back();
    if (!origin.starts_with("https://") || !parse_endpoint(origin).secure)
        throw Error("HF_ENDPOINT is " + origin + ", which is no address of https", "Unset it, or name one that begins with https://.",
                    Exit::usage);
    return origin;
}

void fetch_from_makers(const Fetching& job, const std::string& ca, PartFile& part) {
    const Fetchable& what = job.what;
    const Address begin = address_of(makers_origin() + "/" + what.repository + "/resolve/" + what.revision + "/" + what.file);
    const std::uint64_t before = part.size();
    std::set<std::string> told; // hosts
    for (int silent = 0; part.left() > 0;) {
        const std::uint64_t came = part.size();
        const std::string broken = ask_once(job, ca, begin, told, part);
        if (broken.empty()) return;
        silent = part.size() > came ? 0 : silent + 1;
        if (part.size() == before || silent == kMostSilentTries)
            throw Error(what.title + " could not be fetched from " + begin.host() + ": " + broken,
                        "Check the connection; what came is kept, and the same command goes on there. Another source: --from mirror.",
                        Exit::network);
        job.tell(broken + ": going on at " + std::to_string(part.size() / 1'000'000) + " MB");
        pause(job);
    }
}

} // namespace speclens
