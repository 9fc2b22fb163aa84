// Text entry, one line or many: caret, selection, clipboard; UTF-8 safe and quick with a megabyte of text.
#pragma once

#include <string>
#include <string_view>

#include "ui/ui.h"

namespace speclens::ui {

struct TextFieldOptions {
    bool multi_line = false;    // Enter inserts a line break; Ctrl+Enter submits
    bool enter_submits = false; // of many lines: Enter submits as well, Shift+Enter breaks the line
    bool mono = false;
    float size = 15;
    std::size_t max_bytes = 1U << 20;
    bool take_focus = false; // when it appears: search box of a palette, prompt editor
    bool select_all = false; // when it takes the focus by itself: what is typed replaces the text
    Message placeholder{};
    std::string_view disabled{};
};
struct TextFieldResult {
    bool changed = false;
    bool submitted = false; // Enter (one line, or enter_submits) or Ctrl+Enter
    bool cancelled = false; // Escape: focus was given up
};
// Edits `text` in place.
TextFieldResult text_field(Ui& ui, std::string_view id, Rect rect, std::string& text, const TextFieldOptions& options = {});

} // namespace speclens::ui
