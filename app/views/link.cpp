#include "app/views/link.h"

#include <algorithm>
#include <charconv>
#include <ranges>

#include "engine/drafters/drafter_info.h"
#include "engine/model/precision.h"
#include "engine/run/run_setting.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr std::string_view kScheme = "speclens://";
constexpr const char* kFingerprint = "fingerprint";                // no option: a model is compared with it
constexpr const char* kDrafterFingerprint = "drafter-fingerprint"; // nor this: "small:0123456789abcdef", heads and draft models
constexpr std::size_t kLongest = std::size_t{1} << 20;
constexpr const char* kExample = "A link looks like speclens://domino/4?drafter=domino&k=7&prompt=Hello%20there.";

[[noreturn]] void broken(const std::string& what) { throw Error("link: " + what, kExample, Exit::usage); }

bool plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._~/:,=").find(c) != std::string_view::npos;
}

std::string encoded(std::string_view text) {
    static constexpr char kHex[] = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        if (plain(c)) {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += '%';
        out += kHex[byte >> 4];
        out += kHex[byte & 15];
    }
    return out;
}

std::string decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        unsigned byte = 0;
        const char* first = text.data() + i + 1;
        const char* last = first + std::min<std::size_t>(2, text.size() - i - 1);
        const auto [end, problem] = std::from_chars(first, last, byte, 16);
        if (problem != std::errc() || end != first + 2) broken("'" + std::string(text.substr(i, 3)) + "' is no %XX");
        out += static_cast<char>(byte);
        i += 2;
    }
    return out;
}

std::size_t number(const std::string& name, std::string_view text, std::size_t least, std::size_t most) {
    std::size_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size() || value < least || value > most)
        broken(name + " '" + std::string(text.substr(0, 40)) + "' is not an integer from " + std::to_string(least));
    return value;
}

bool has(const LinkOptions& options, const std::string& name) {
    return std::ranges::find(options, name, &LinkOptions::value_type::first) != options.end();
}

bool takes_value(const std::string& name) {
    const auto known = std::ranges::find(link_keys(), name, &LinkKey::name);
    return known == link_keys().end() || known->value;
}

std::string shell_quoted(const std::string& word) {
    const auto bare = [](char c) { return plain(c) && c != '~'; }; // a shell reads ~ as a folder
    if (!word.empty() && std::ranges::all_of(word, bare)) return word;
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

// Behind the drafters: which heads they are. Where those lie is nobody else's business.
void add_heads(LinkOptions& out, const LinkOptions& folders) {
    for (const auto& [name, value] : folders)
        if (name == kDrafterFingerprint) out.emplace_back(name, value);
}

// What links say of a setting that differs from the default, or always; nothing where it means nothing.
void add_setting(LinkOptions& out, const RunSetting& setting, const RunSettings& s) {
    const bool by_default = is_default(setting, s);
    if (!setting.needs(s) || (by_default && setting.linked != RunSetting::Written::always)) return;
    if (by_default && setting.is_switch() && *setting.opposite == '\0') return;
    out.emplace_back(by_default && setting.is_switch() ? setting.opposite : setting.option, text_of(setting, s));
}

// `special` says whether it has dealt with a setting. What is of models was given on the command line.
template <typename Special>
LinkOptions options_in_order(const RunSettings& s, const LinkOptions& folders, const Special& special) {
    LinkOptions out;
    for (const RunSetting& setting : run_setting_list()) {
        if (setting.linked == RunSetting::Written::never || special(setting, out)) continue;
        if (setting.of == RunSetting::Of::run) add_setting(out, setting, s);
        if (setting.of != RunSetting::Of::models) continue;
        for (const auto& [name, word] : folders) {
            const bool checks_it = setting.option == std::string_view("model") && name == kFingerprint;
            if (name == setting.option || checks_it) out.emplace_back(name, word);
        }
    }
    return out;
}

} // namespace

const std::vector<LinkKey>& link_keys() {
    static const std::vector<LinkKey> keys = [] {
        std::vector<LinkKey> all = {{kFingerprint, true}, {kDrafterFingerprint, true}}; // of the model and of what drafts
        for (const RunSetting& setting : run_setting_list()) {
            if (setting.linked == RunSetting::Written::never) continue;
            all.push_back({setting.option, !setting.is_switch()});
            if (*setting.opposite != '\0') all.push_back({setting.opposite, false});
        }
        return all;
    }();
    return keys;
}

namespace {

constexpr std::string_view kWeb[] = {"https://", "http://"};

bool on_the_web(std::string_view text) {
    return std::ranges::any_of(kWeb, [&](std::string_view scheme) { return text.size() > scheme.size() && text.starts_with(scheme); });
}

} // namespace

bool is_page_address(std::string_view text) {
    const auto shown = [](unsigned char c) { return c > ' ' && c != 127; };
    return on_the_web(text) && text.find('#') == std::string_view::npos && std::ranges::all_of(text, shown);
}

bool is_link(std::string_view text) {
    return text.starts_with(kScheme) || (text.find('#') != std::string_view::npos && is_page_address(text.substr(0, text.find('#'))));
}

Link parse_link(const std::string& text) {
    if (!is_link(text)) broken("'" + text.substr(0, 80) + "' does not begin with " + std::string(kScheme));
    if (text.size() > kLongest) broken("longer than a megabyte");
    std::string_view rest = std::string_view(text).substr(on_the_web(text) ? text.find('#') + 1 : kScheme.size());
    Link link;
    const std::size_t question = rest.find('?');
    const std::string_view path = rest.substr(0, question);
    const std::size_t slash = path.find('/');
    link.scene = decoded(path.substr(0, slash));
    if (link.scene.empty()) broken("no scene is named");
    if (slash != std::string_view::npos && slash + 1 < path.size())
        link.beat = static_cast<int>(number("beat", path.substr(slash + 1), 1, 100000));
    if (question == std::string_view::npos) return link;
    for (rest = rest.substr(question + 1); !rest.empty();) {
        const std::size_t end = rest.find('&');
        const std::string_view part = rest.substr(0, end);
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
        if (part.empty()) continue;
        const std::size_t equals = part.find('=');
        const std::string name(part.substr(0, equals));
        const std::string value = equals == std::string_view::npos ? "" : decoded(part.substr(equals + 1));
        if (name == "at") {
            link.at = number("at", value, 1, 100000000);
            continue;
        }
        if (name == "select") {
            const std::size_t dot = value.find('.');
            if (dot == std::string::npos) broken("select '" + value + "' is not CYCLE.GUESS");
            link.selected = {static_cast<int>(number("select", value.substr(0, dot), 1, 1000000)) - 1,
                             static_cast<int>(number("select", value.substr(dot + 1), 1, 1000000)) - 1};
            continue;
        }
        const auto known = std::ranges::find(link_keys(), name, &LinkKey::name);
        if (known == link_keys().end()) {
            std::string names = "at, select";
            for (const LinkKey& key : link_keys()) names += std::string(", ") + key.name;
            throw Error("link: '" + name.substr(0, 40) + "' is no part of a link", "Known: " + names + ".", Exit::usage);
        }
        if (known->value && equals == std::string_view::npos) broken(name + " needs a value");
        if (!known->value && !value.empty() && value != "1") broken(name + " is a switch: it takes no value");
        if (has(link.options, name)) broken(name + " stands there twice");
        link.options.emplace_back(name, known->value ? value : "");
    }
    return link;
}

std::string to_text(const Link& link) {
    std::string out = std::string(kScheme) + encoded(link.scene);
    if (link.beat > 0) out += "/" + std::to_string(link.beat);
    char separator = '?';
    const auto add = [&](const std::string& part) {
        out += separator + part;
        separator = '&';
    };
    if (link.at > 0) add("at=" + std::to_string(link.at));
    if (link.selected) add("select=" + std::to_string(link.selected->first + 1) + "." + std::to_string(link.selected->second + 1));
    for (const auto& [name, value] : link.options) {
        add(takes_value(name) ? name + "=" + encoded(value) : name);
    }
    return out;
}

std::string to_text(const Link& link, const std::string& page) {
    const std::string own = to_text(link);
    return page.empty() ? own : page + "#" + own.substr(kScheme.size());
}

LinkOptions options_of(const RunSettings& s, const LinkOptions& folders) {
    return options_in_order(s, folders, [&](const RunSetting& setting, LinkOptions& out) {
        if (setting.option != std::string_view("drafter")) return false;
        out.emplace_back(setting.option, s.drafter);
        add_heads(out, folders);
        return true;
    });
}

LinkOptions options_of(const RaceSettings& race, const LinkOptions& folders) {
    std::string lanes;
    RunSettings shared = race.base; // with what any lane reads
    shared.options = {};
    bool draws = false;
    for (const RaceEntry& lane : race.lanes) {
        lanes += (lanes.empty() ? "" : ",") + lane.drafter;
        take_options(lane.drafter, race.base.options, shared.options);
        const DrafterInfo* who = find_drafter(lane.drafter);
        draws = draws || (who != nullptr && !who->tree && who->draws);
    }
    if (!draws) shared.draft_sampling.reset();
    const bool has_rule = race.base.rule != judging_rule("token", kNoDrafter); // else each lane has the one that suits it
    return options_in_order(shared, folders, [&](const RunSetting& setting, LinkOptions& out) {
        const std::string_view option = setting.option;
        if (option == "drafter" || ((option == "rule" || option == "rule-param") && !has_rule)) return true;
        if (option == "drafters" && !lanes.empty()) out.emplace_back(option, lanes), add_heads(out, folders);
        if (option == "stepped" && race.stepped) out.emplace_back(option, "");
        if (option != "k") return setting.of == RunSetting::Of::race;
        out.emplace_back(option, text_of(setting, shared)); // of the lanes, whoever drafts
        return true;
    });
}

std::string command_of(const LinkOptions& options, const std::map<std::string, std::string>& places) {
    const bool race = has(options, "drafters");
    const auto placed = [&](const std::string& name, const std::string& value) {
        const auto at = [&](const std::string& what) { return places.contains(what) ? places.at(what) : ""; };
        if (name == "model") return at(name).empty() ? value : at(name);
        if (name != "drafter" && name != "drafters") return value;
        std::string out;
        for (const auto part : std::views::split(value, ',')) {
            const std::string drafter(part.begin(), part.end());
            out += (out.empty() ? "" : ",") + drafter + (at(drafter).empty() ? "" : "=" + at(drafter));
        }
        return out;
    };
    std::string out = race ? "./run compare" : "./run run";
    for (const auto& [name, value] : options) {
        if (name == "stepped" || name == kFingerprint || name == kDrafterFingerprint)
            continue; // `compare` measures, and a command names its model
        out += " --" + name;
        if (!takes_value(name)) continue;
        const bool file_sign = name == "prompt" && value.starts_with('@');
        out += (value.starts_with('-') ? "=" : " ") + shell_quoted(file_sign ? "@" + value : placed(name, value));
    }
    return out;
}

void add_drafter(const Header& header, LinkOptions& named) {
    if (header.drafter_fingerprint.empty()) return;
    const std::string own = header.drafter + ":" + header.drafter_fingerprint;
    const auto there = std::ranges::find(named, kDrafterFingerprint, &LinkOptions::value_type::first);
    if (there == named.end())
        named.emplace_back(kDrafterFingerprint, own);
    else
        there->second += "," + own;
}

void add_precision(const Header& header, LinkOptions& named) {
    if (!header.fingerprint.empty() || header.precision != Precision::f32) named.emplace_back("precision", name_of(header.precision));
}

} // namespace speclens
