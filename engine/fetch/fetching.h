// What the sources of a fetched file share: how far it is, and whether somebody ended it. Private to engine/fetch.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/base/progress.h"
#include "engine/fetch/fetchable.h"

namespace speclens {

inline constexpr const char *kFetching = "fetching", *kChecking = "checking"; // what progress of a file begins with

struct Fetching {
    const Fetchable& what;
    const Progress& progress;
    const std::function<void(const std::string&)>& note; // may be empty

    void stop_if_cancelled() const {
        if (progress.cancelled && progress.cancelled->load()) throw Cancelled{};
    }
    // Bytes of the file.
    void report(const char* doing, std::uint64_t bytes) const {
        stop_if_cancelled();
        const auto mb = [](std::uint64_t b) { return static_cast<double>(b) / 1e6; };
        if (progress.report) progress.report(doing + (" " + what.title), mb(bytes), mb(what.bytes), Progress::kMegabytes);
    }
    void tell(const std::string& text) const {
        if (note) note(text);
    }
};

} // namespace speclens
