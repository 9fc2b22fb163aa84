#include "app/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "app/cli/calls/listener.h"
#include "ui/format.h"

namespace speclens::cli {

namespace {

// Length of the character at the start of `text` and its code point; code -1: a broken byte.
struct Character {
    std::size_t bytes = 1;
    std::int32_t code = -1;
};

Character first_character(std::string_view text) {
    Character c;
    utf8proc_int32_t code = -1;
    const utf8proc_ssize_t used =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()), &code);
    if (used > 0) {
        c.bytes = static_cast<std::size_t>(used);
        c.code = code;
    }
    return c;
}

std::string hex(char byte) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "⟨%02X⟩", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    return text.data();
}

bool is_control(std::int32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

} // namespace

std::string Terminal::paint(Tone tone, const std::string& text) const {
    if (!color || tone == Tone::plain || text.empty()) return text;
    static constexpr const char* kCodes[] = {"0", "1", "2", "33", "94", "32", "31", "36", "35"};
    return std::string("\x1b[") + kCodes[static_cast<std::size_t>(tone)] + "m" + text + "\x1b[0m";
}

Terminal standard_terminal(When color) {
    Terminal terminal;
    if (is_listened_to()) return terminal;
#if defined(__EMSCRIPTEN__) // its isatty says yes of every file, and its ioctl then falls over
    const bool tty = terminal.person = false;
#else
    const bool tty = terminal.person = isatty(STDOUT_FILENO) == 1;
#endif
    const char* no_color = std::getenv("NO_COLOR");
    const char* kind = std::getenv("TERM");
    const bool dumb = kind && std::string_view(kind) == "dumb";
    const bool wanted = tty && !dumb && !(no_color && *no_color);
    terminal.color = color == When::always || (color == When::automatic && wanted);
    winsize size{};
    if (tty && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        terminal.width = size.ws_col;
    } else if (const char* asked = std::getenv("COLUMNS")) {
        terminal.width = std::atoi(asked);
        terminal.person = true;
    } else {
        terminal.width = 100;
    }
    terminal.width = std::clamp(terminal.width, 64, 120);
    return terminal;
}

int columns(std::string_view text) {
    int count = 0;
    while (!text.empty()) {
        if (text[0] == '\x1b') {
            const std::size_t end = text.find('m');
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
            continue;
        }
        const Character c = first_character(text);
        count += c.code < 0 ? 1 : std::max(0, utf8proc_charwidth(c.code));
        text.remove_prefix(c.bytes);
    }
    return count;
}

std::string pad(const std::string& text, int width) {
    return text + std::string(static_cast<std::size_t>(std::max(0, width - columns(text))), ' ');
}

std::string pad_left(const std::string& text, int width) {
    return std::string(static_cast<std::size_t>(std::max(0, width - columns(text))), ' ') + text;
}

std::string clip(const std::string& text, int width) {
    if (columns(text) <= width) return text;
    std::string kept;
    int used = 0;
    for (std::string_view rest = text; !rest.empty();) {
        const Character c = first_character(rest);
        const int wide = c.code < 0 ? 1 : std::max(0, utf8proc_charwidth(c.code));
        if (used + wide > width - 1) break;
        used += wide;
        kept += rest.substr(0, c.bytes);
        rest.remove_prefix(c.bytes);
    }
    return kept + "…";
}

std::string wrap(const std::string& text, int width, int indent) {
    std::string result, word;
    int used = 0;
    const auto put = [&] {
        const int wide = columns(word);
        if (wide == 0) return;
        if (used > 0 && used + 1 + wide > width) {
            result += "\n" + std::string(static_cast<std::size_t>(indent), ' ');
            used = indent;
        } else if (used > 0 && result.back() != ' ' && result.back() != '\n') {
            result += ' ';
            ++used;
        }
        result += word;
        used += wide;
        word.clear();
    };
    for (const char c : text) {
        if (c != ' ' && c != '\n') {
            word += c;
            continue;
        }
        put();
        if (c == '\n') {
            result += "\n" + std::string(static_cast<std::size_t>(indent), ' ');
            used = indent;
        }
    }
    put();
    return result;
}

std::string beside(const std::string& left, int at, const std::string& text, int width) {
    const std::string margin(static_cast<std::size_t>(at), ' ');
    const int room = std::max(24, width - at);
    std::string result = columns(left) < at ? pad(left, at) : left + (at > 0 ? " " : "");
    for (const char c : columns(text) > room ? wrap(text, room) : text) result += c == '\n' ? "\n" + margin : std::string(1, c);
    return result + "\n";
}

std::string visible(std::string_view bytes) {
    if (bytes.empty()) return "⟨empty⟩";
    std::string text;
    const std::size_t all = bytes.size();
    while (!bytes.empty()) {
        const Character c = first_character(bytes);
        const bool at_edge = bytes.size() == all || bytes.size() == 1;
        if (c.code < 0)
            text += hex(bytes[0]);
        else if (bytes[0] == ' ')
            text += at_edge ? "␣" : " ";
        else if (bytes[0] == '\n')
            text += "⏎";
        else if (bytes[0] == '\t')
            text += "→";
        else if (is_control(c.code))
            text += hex(bytes[0]);
        else
            text += bytes.substr(0, c.bytes);
        bytes.remove_prefix(c.bytes);
    }
    return text;
}

std::string printable(std::string_view bytes) {
    std::string text;
    while (!bytes.empty()) {
        const Character c = first_character(bytes);
        const bool plain = c.code >= 0 && (!is_control(c.code) || c.code == '\n' || c.code == '\t');
        text += plain ? std::string(bytes.substr(0, c.bytes)) : hex(bytes[0]);
        bytes.remove_prefix(c.bytes);
    }
    return text;
}

std::string number(double value, int decimals) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
    return text.data();
}

std::string kilobytes(double bytes) { return (bytes < 99'950 ? number(bytes / 1e3, 1) : grouped(bytes / 1e3)) + " kB"; }

std::string megabytes(double bytes) { return number(bytes / 1e6, bytes < 1e8 ? 1 : 0) + " MB"; }

std::string duration(double ms, int decimals) { return ms < 1e4 ? number(ms, decimals) + " ms" : number(ms / 1000, 1) + " s"; }

std::string rate(double per_second) { return number(per_second, per_second < 10 ? 2 : per_second < 100 ? 1 : 0); }

std::string probability(double p) { return ui::probability(p); }

std::string percent(double part, double whole) { return whole > 0 ? number(100 * part / whole, 0) + " %" : "–"; }

// 12043 as "12 043"
std::string grouped(double value) {
    std::string digits = number(std::round(value), 0);
    for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), " ");
    return digits;
}

} // namespace speclens::cli
