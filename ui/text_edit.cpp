#include "ui/text_edit.h"

#include <algorithm>
#include <functional>

#include "ui/utf8.h"

namespace speclens::ui {

namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t'; }
std::size_t low_end(const TextEdit& e) { return std::min(e.caret, e.anchor); }
std::size_t high_end(const TextEdit& e) { return std::max(e.caret, e.anchor); }

} // namespace

std::size_t moved(std::string_view text, const TextEdit& edit, Move move) {
    std::size_t at = std::min(edit.caret, text.size());
    switch (move) {
    case Move::left: return previous_boundary(text, at);
    case Move::right: return next_boundary(text, at);
    case Move::word_left:
        while (at > 0 && is_space(text[at - 1])) --at;
        while (at > 0 && !is_space(text[at - 1])) --at;
        return at;
    case Move::word_right:
        while (at < text.size() && !is_space(text[at])) ++at;
        while (at < text.size() && is_space(text[at])) ++at;
        return at;
    case Move::line_start: return edit.lines.empty() ? 0 : edit.lines[line_of(edit, at)];
    case Move::line_end: {
        if (edit.lines.empty()) return text.size();
        const std::size_t n = line_of(edit, at), start = edit.lines[n];
        const std::size_t end = start + line_text(text, edit, n).size();
        // A wrapped line ends before its last code point: the offset after it shows on the next line.
        const bool wrapped = n + 1 < edit.lines.size() && edit.lines[n + 1] == end;
        return wrapped ? previous_boundary(text, end) : end;
    }
    case Move::text_start: return 0;
    case Move::text_end: return text.size();
    }
    return at;
}

void move_caret(std::string_view text, TextEdit& edit, Move move, bool select) {
    const bool collapse = !select && edit.caret != edit.anchor;
    if (collapse && move == Move::left)
        edit.caret = low_end(edit);
    else if (collapse && move == Move::right)
        edit.caret = high_end(edit);
    else
        edit.caret = moved(text, edit, move);
    if (!select) edit.anchor = edit.caret;
    edit.wanted_x = -1;
}

std::string_view selection(std::string_view text, const TextEdit& edit) {
    return text.substr(low_end(edit), high_end(edit) - low_end(edit));
}

void select_word(std::string_view text, TextEdit& edit) {
    std::size_t from = edit.caret, to = edit.caret;
    while (from > 0 && !is_space(text[from - 1])) --from;
    while (to < text.size() && !is_space(text[to])) ++to;
    edit.anchor = from;
    edit.caret = to;
}

bool replace_selection(std::string& text, TextEdit& edit, std::string_view with, std::size_t max_bytes) {
    const std::size_t from = low_end(edit), count = high_end(edit) - from;
    const std::size_t room = max_bytes - std::min(max_bytes, text.size() - count);
    std::size_t take = with.size();
    if (take > room) {
        take = 0;
        for (std::size_t next = next_boundary(with, 0); next <= room && take < with.size(); next = next_boundary(with, take)) take = next;
    }
    if (count == 0 && take == 0) return false;
    text.replace(from, count, with.substr(0, take));
    edit.caret = edit.anchor = from + take;
    edit.wanted_x = -1;
    return true;
}

bool erase(std::string& text, TextEdit& edit, Move move) {
    if (edit.caret == edit.anchor) edit.anchor = moved(text, edit, move);
    return replace_selection(text, edit, {}, text.size());
}

std::string clean(std::string_view foreign, bool multi_line) {
    std::string out;
    out.reserve(foreign.size());
    for (std::size_t at = 0; at < foreign.size();) {
        const CodePoint c = decode(foreign, at);
        at += c.length;
        if (!c.valid)
            append(out, 0xFFFD);
        else if (c.value == '\n' || c.value == '\r') {
            if (c.value == '\r' && at < foreign.size() && foreign[at] == '\n') ++at;
            out += multi_line ? '\n' : ' ';
        } else if (c.value == '\t' || (c.value >= 0x20 && c.value != 0x7F)) {
            append(out, c.value);
        }
    }
    return out;
}

void lay_out(const Canvas& canvas, std::string_view text, TextEdit& edit, Font font, float size, float width) {
    const std::size_t key =
        std::hash<std::string_view>()(text) * 31 + static_cast<std::size_t>(size * 16) * 7 + static_cast<std::size_t>(font);
    if (!edit.lines.empty() && edit.text_hash == key && edit.lines_width == width) return;
    edit.text_hash = key;
    edit.lines_width = width;
    edit.lines.assign(1, 0);
    if (width <= 0) return; // one line
    float widths[128];      // of ASCII, asked once: a megabyte of text is one pass
    for (int c = 0; c < 128; ++c) {
        const char letter = static_cast<char>(c);
        widths[c] = c < 0x20 ? 0 : canvas.printed_width({&letter, 1}, font, size);
    }
    widths[int{'\t'}] = 4 * widths[int{' '}];
    float x = 0, since_break = 0;
    std::size_t last_break = 0; // start of the present word
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '\n') {
            edit.lines.push_back(++at);
            x = since_break = 0;
            last_break = at;
            continue;
        }
        const std::size_t next = next_boundary(text, at);
        const float w = static_cast<unsigned char>(c) < 0x80 ? widths[static_cast<unsigned char>(c)]
                                                             : canvas.printed_width(text.substr(at, next - at), font, size);
        if (is_space(c)) { // spaces may hang over the edge
            x += w;
            since_break = 0;
            last_break = next;
        } else {
            if (x + w > width && x > 0) {
                const bool whole_word = last_break > edit.lines.back();
                edit.lines.push_back(whole_word ? last_break : at);
                x = whole_word ? since_break : 0;
                if (!whole_word) since_break = 0;
            }
            x += w;
            since_break += w;
        }
        at = next;
    }
}

std::size_t line_of(const TextEdit& edit, std::size_t at) {
    const auto after = std::upper_bound(edit.lines.begin(), edit.lines.end(), at);
    return after == edit.lines.begin() ? 0 : static_cast<std::size_t>(after - edit.lines.begin()) - 1;
}

std::string_view line_text(std::string_view text, const TextEdit& edit, std::size_t n) {
    const std::size_t start = edit.lines[n], end = n + 1 < edit.lines.size() ? edit.lines[n + 1] : text.size();
    std::string_view line = text.substr(start, end - start);
    if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
    return line;
}

std::string drawn(std::string_view run) {
    std::string out;
    out.reserve(run.size());
    for (const char c : run) {
        if (c == '\t')
            out += "    ";
        else
            out += c;
    }
    return out;
}

std::size_t offset_at(const Canvas& canvas, std::string_view run, Font font, float size, float x) {
    float left = 0;
    for (std::size_t at = 0; at < run.size();) {
        const std::size_t next = next_boundary(run, at);
        const float width = canvas.printed_width(drawn(run.substr(at, next - at)), font, size);
        if (x < left + width / 2) return at;
        left += width;
        at = next;
    }
    return run.size();
}

} // namespace speclens::ui
