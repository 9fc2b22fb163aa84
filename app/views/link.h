// A link names a frame: a scene, its beat, the place in the run, and the options of the run, by the names
// they have on the command line.
//
//     speclens://domino/4?drafter=domino&k=7&temp=0&seed=7&prompt=Hello%20there&chat
//
// The frame is the same wherever the link is opened with the same models, times apart. What was dragged
// inside a scene is not part of it. Values are percent-encoded; `at` is a number of events (of a stepped
// race: of steps), `select` a round and a draft token, both counted from 1.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/run/race_settings.h"
#include "engine/run/trace.h"

namespace speclens {

using LinkOptions = std::vector<std::pair<std::string, std::string>>; // "k", "7"; switches have an empty value

struct Link {
    std::string scene;                           // as written: "loop", "S1"
    int beat = 0;                                // from 1; 0: none was named
    std::size_t at = 0;                          // 0: none was named
    std::optional<std::pair<int, int>> selected; // cycle, draft token; from 0
    LinkOptions options;
    bool operator==(const Link&) const = default;
};

// Begins with speclens://, or is such a link of a page that somebody serves (docs/web.md): https://…/#domino/4?… Which page that is
// does not matter, and nothing is asked of it.
[[nodiscard]] bool is_link(std::string_view text);
// Throws Error (usage) for a part that links do not have, a broken encoding and numbers out of range.
[[nodiscard]] Link parse_link(const std::string& text);
[[nodiscard]] std::string to_text(const Link& link);
// Of that page, so that it opens for whoever has nothing installed; empty: as above.
[[nodiscard]] std::string to_text(const Link& link, const std::string& page);
[[nodiscard]] bool is_page_address(std::string_view text); // http:// or https:// and something, without #

// Names that may stand in `options`; `value` is false for switches. Nothing here writes a file or opens a
// connection.
struct LinkKey {
    const char* name;
    bool value;
};
[[nodiscard]] const std::vector<LinkKey>& link_keys();

// What a run of these settings is called in a link: always drafter, dice, temperature, rule, length and
// prompt, the rest where it differs from the usual. `folders`: the word for the model (engine/models/model_names.h), its
// fingerprint where it is not built in, its precision where it is not built in or that is not f32, and the fingerprints of heads and draft
// models that do not come with the program. Never where anything lies.
[[nodiscard]] LinkOptions options_of(const RunSettings& settings, const LinkOptions& folders = {});
[[nodiscard]] LinkOptions options_of(const RaceSettings& race, const LinkOptions& folders = {});

// Adds which head or draft model a run drafts with, where that does not come with the program.
void add_drafter(const Header& header, LinkOptions& named);
// Adds the precision that a run was made with, where it is not the one that the built-in model has when nobody says.
void add_precision(const Header& header, LinkOptions& named);

// The same run on the command line, quoted for a shell: "./run run --drafter domino --k 7 …", of a race
// "./run compare …". A command stays on this machine and has to find what a link only names: `places` says where a "model" and
// heads by their drafter's name lie; what it does not hold is found by name.
[[nodiscard]] std::string command_of(const LinkOptions& options, const std::map<std::string, std::string>& places = {});

} // namespace speclens
