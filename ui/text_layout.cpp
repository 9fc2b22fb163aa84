#include "ui/text_layout.h"

#include <algorithm>
#include <cmath>

#include "ui/language/language.h"
#include "ui/utf8.h"

namespace speclens::ui {

namespace {

// Longest beginning of `text`, in bytes and at a code point, that is no wider than `width`.
std::size_t fitting_prefix(const Canvas& canvas, std::string_view text, Font font, float size, float width) {
    std::size_t low = 0, high = text.size(); // low always fits
    while (low < high) {
        std::size_t middle = low + (high - low + 1) / 2;
        while (middle < high && (static_cast<unsigned char>(text[middle]) & 0xC0U) == 0x80U) ++middle;
        if (canvas.printed_width(text.substr(0, middle), font, size) <= width) {
            low = middle;
        } else {
            high = previous_boundary(text, middle);
        }
    }
    return low;
}

// End of the word at `at`; a value stays beside its name: "K = 4" is one word.
std::size_t end_of_word(std::string_view line, std::size_t at, bool glue) {
    constexpr std::string_view kEquals = " = ";
    std::size_t end = std::min(line.find(' ', at), line.size());
    while (glue && line.substr(end, kEquals.size()) == kEquals) end = std::min(line.find(' ', end + kEquals.size()), line.size());
    return end;
}

} // namespace

float baseline(float y, float h, float size) { return std::round(y + h / 2 + std::round(size * 0.35F)); }

float line_height(float size) {
    if (size == 15) return 24;
    if (size == 14) return 20;
    return std::round(size * 1.4F);
}

std::vector<std::string_view> wrap(const Canvas& canvas, std::string_view text, Font font, float size, float width) {
    std::vector<std::string_view> lines;
    const float space = canvas.printed_width(" ", font, size);
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t stop = std::min(text.find('\n', start), text.size());
        const std::string_view whole = text.substr(start, stop - start);
        std::size_t line = 0, end = 0; // [line, end) is the line so far; empty when equal
        float used = 0;
        for (std::size_t at = whole.find_first_not_of(' '); at != std::string_view::npos;) {
            std::size_t word_end = end_of_word(whole, at, true);
            std::string_view word = whole.substr(at, word_end - at);
            float wide = canvas.printed_width(word, font, size);
            if (wide > width) {
                word_end = end_of_word(whole, at, false);
                word = whole.substr(at, word_end - at);
                wide = canvas.printed_width(word, font, size);
            }
            if (end > line) {
                const float gap = static_cast<float>(at - end) * space;
                if (used + gap + wide > width) {
                    lines.push_back(whole.substr(line, end - line));
                    line = end = at; // the word again, on a line of its own
                    continue;
                }
                used += gap + wide;
            } else {
                line = at;
                used = wide;
                if (wide > width) { // one word alone is too wide: cut it
                    const std::size_t fits = std::max(fitting_prefix(canvas, word, font, size, width), next_boundary(word, 0));
                    if (fits < word.size()) {
                        lines.push_back(word.substr(0, fits));
                        at = line = end = at + fits;
                        continue;
                    }
                }
            }
            end = word_end;
            at = whole.find_first_not_of(' ', word_end);
        }
        lines.push_back(whole.substr(line, end - line));
        start = stop + 1;
    }
    return lines;
}

std::string fit(const Canvas& canvas, const Message& text, Font font, float size, float width) {
    std::string fitted = fit_printed(canvas, text, font, size, width);
    const bool sentence = text.find(' ') != std::string::npos; // of a story, no name
    if (language().shortened && sentence && fitted != text) language().shortened(text);
    return fitted;
}

std::string fit_printed(const Canvas& canvas, std::string_view text, Font font, float size, float width) {
    if (canvas.printed_width(text, font, size) <= width) return std::string(text);
    const float dots = canvas.printed_width("…", font, size);
    std::string out(text.substr(0, fitting_prefix(canvas, text, font, size, std::max(0.0F, width - dots))));
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out + "…";
}

std::string fit_between(const Canvas& canvas, std::string_view text, Font font, float size, float width) {
    const auto fits = [&](std::string_view words) { return canvas.printed_width(words, font, size) <= width; };
    if (fits(text)) return std::string(text);
    const auto space_before = [&](std::size_t at) { return at == 0 || at == std::string_view::npos ? at : text.rfind(' ', at - 1); };
    const std::size_t tail = space_before(text.rfind(' '));
    if (tail == 0 || tail == std::string_view::npos) return std::string(text);
    for (std::size_t head = space_before(tail); head != 0 && head != std::string_view::npos; head = space_before(head))
        if (std::string shorter = std::string(text.substr(0, head)) + " …" + std::string(text.substr(tail)); fits(shorter)) return shorter;
    return std::string(text);
}

Rect text_box(const Canvas& canvas, Vec2 at, std::string_view printed, Font font, float size, Align align) {
    const float width = canvas.printed_width(printed, font, size);
    const float x = align == Align::left ? at.x : align == Align::center ? at.x - width / 2 : at.x - width;
    return {x, at.y - 0.76F * size, width, 0.98F * size}; // in both families
}

float paragraph(Canvas& canvas, Vec2 at, float width, const Message& message, const ParagraphStyle& style) {
    const std::string& text = message;
    const float top = at.y - 0.76F * style.size;
    const float leading = style.leading > 0 ? style.leading : line_height(style.size);
    std::vector<std::string_view> lines = wrap(canvas, text, style.font, style.size, width);
    const auto limit = static_cast<std::size_t>(std::max(0, style.max_lines));
    const bool shortened = limit > 0 && lines.size() > limit;
    if (shortened && language().shortened) language().shortened(text);
    if (shortened) lines.resize(limit);
    const float x = style.align == Align::left ? at.x : style.align == Align::center ? at.x + width / 2 : at.x + width;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (shortened && i + 1 == lines.size()) {
            const auto from = static_cast<std::size_t>(lines[i].data() - text.data());
            canvas.print({x, at.y}, fit_printed(canvas, std::string_view(text).substr(from), style.font, style.size, width), style.font,
                         style.size, style.color, style.align);
        } else {
            canvas.print({x, at.y}, lines[i], style.font, style.size, style.color, style.align);
        }
        at.y += leading;
    }
    if (!lines.empty()) canvas.tell(message, {at.x, top, width, at.y - leading + 0.22F * style.size - top}, Canvas::Told::drawn);
    return at.y;
}

float paragraph_above(Canvas& canvas, Vec2 at, float width, const Message& text, const ParagraphStyle& style) {
    const float leading = style.leading > 0 ? style.leading : line_height(style.size);
    const int lines = paragraph_lines(canvas, width, text, style);
    const float first = at.y - leading * static_cast<float>(std::max(0, lines - 1));
    paragraph(canvas, {at.x, first}, width, text, style);
    return first;
}

int paragraph_lines(const Canvas& canvas, float width, const Message& message, const ParagraphStyle& style) {
    const auto lines = static_cast<int>(wrap(canvas, message, style.font, style.size, width).size());
    return style.max_lines > 0 ? std::min(lines, style.max_lines) : lines;
}

std::string first_fitting(const std::vector<std::string>& ways, const std::function<bool(const std::string&)>& fits) {
    const auto found = std::ranges::find_if(ways, fits);
    return found == ways.end() ? ways.back() : *found;
}

std::string fitting(const Canvas& canvas, const std::vector<std::string>& ways, Font font, float size, float width) {
    return first_fitting(ways, [&](const std::string& way) { return canvas.printed_width(way, font, size) <= width; });
}

Message fitting(const Canvas& canvas, std::span<const Message> ways, Font font, float size, float width) {
    const auto found = std::ranges::find_if(ways, [&](const Message& way) { return canvas.text_width(way, font, size) <= width; });
    return found == ways.end() ? ways.back() : *found;
}

void fitted_text(Canvas& canvas, Vec2 at, const Message& text, Font font, float size, Color color, float width, Align align) {
    const std::string words = fit(canvas, text, font, size, width);
    canvas.print(at, words, font, size, color, align);
    canvas.tell(text, text_box(canvas, at, words, font, size, align), Canvas::Told::drawn);
}

} // namespace speclens::ui
