// Why something is not as it was asked for: in English for what programs read (traces, errors, logs, standard error), and as a message for
// pictures, whose English in assets/stories/shared.toml is the same. What a file says of itself has no message and stays English.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/said.h"

namespace speclens {

struct ToldReason : std::string {
    Said said;

    ToldReason() = default;
    ToldReason(const char* english) : std::string(english) {} // NOLINT: implicit on purpose
    ToldReason(std::string english, Said what = {}) : std::string(std::move(english)), said(std::move(what)) {} // NOLINT
};

// Several, one behind the other.
struct RunNotice : std::string {
    std::vector<Said> said; // none of a file's

    RunNotice() = default;
    RunNotice(std::string english) : std::string(std::move(english)) {} // NOLINT: implicit on purpose
    RunNotice(const char* english) : std::string(english) {}            // NOLINT
    RunNotice(const ToldReason& why) : std::string(why) {               // NOLINT
        if (!why.empty()) said = {why.said.empty() ? as_it_is(why) : why.said};
    }
    RunNotice(std::string english, Said what) : RunNotice(ToldReason(std::move(english), std::move(what))) {}

    void add(const RunNotice& more) {
        if (more.empty()) return;
        std::vector<Said> all = messages();
        for (const Said& one : more.messages()) all.push_back(one);
        said = std::move(all);
        *this += (empty() ? "" : "; ") + more;
    }
    [[nodiscard]] std::vector<Said> messages() const {
        if (!said.empty() || empty()) return said;
        return {as_it_is(*this)};
    }

  private:
    [[nodiscard]] static Said as_it_is(const std::string& words) { return SaidOf<"shared">()("note.as_it_is"_t, "words"_v = words); }
};

} // namespace speclens
