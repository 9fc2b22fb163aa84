// Dialogs over the window. Each draws inside the box it is given and says when it is done.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/frame/frame.h"

namespace speclens {

// One entry of the palette or of the fork list.
struct PaletteRow {
    Message label, detail;
    FrameCommand command;
    int score = 0;
    std::string fill = {}; // not empty: it does nothing yet, and puts this into the field
};
// Every action, scene and token that fits the query, best first. Prefixes: > commands, @ scenes, # tokens, :
// round.
[[nodiscard]] std::vector<PaletteRow> palette_rows(const FrameInput& input, const std::string& query);
// How well `query` is found in `text`, letters in order; negative: not at all.
[[nodiscard]] int fuzzy_score(const std::string& query, const std::string& text);
// The same, where words of `text`, or of other names for it, come before letters that are scattered in it.
[[nodiscard]] int search_score(const std::string& query, const std::string& text, std::string_view also = "");
// What the Open dialog says about a file that it could not open takes so much room.
[[nodiscard]] float problem_height(const FrameUi& state);
// Tokens that may be forced at the selected position, and other dice.
[[nodiscard]] std::vector<PaletteRow> fork_rows(const FrameInput& input);

void draw_palette(const FrameDraw& d, ui::Rect box, bool& close);
void draw_glossary(const FrameDraw& d, ui::Rect box, bool& close);
void draw_quiz(const FrameDraw& d, ui::Rect box, bool& close);
[[nodiscard]] float quiz_height(const FrameDraw& d, float width); // of its question, reason included
void draw_fork(const FrameDraw& d, ui::Rect box, bool& close);
void draw_prompt_editor(const FrameDraw& d, ui::Rect box, bool& close);
void draw_keys_panel(const FrameDraw& d, ui::Rect box, bool& close);
void draw_description(const FrameDraw& d, ui::Rect box, bool& close);
// What was saved and the lectures that are here, as far as they fit the query, and the query itself where it
// is a path or a link.
[[nodiscard]] std::vector<PaletteRow> open_rows(const FrameInput& input, const std::string& query);
void draw_open(const FrameDraw& d, ui::Rect box, bool& close);
// The models that can be opened, as far as they fit the query, and the query itself where it is a path.
[[nodiscard]] std::vector<PaletteRow> model_rows(const FrameInput& input, const std::string& query);
void draw_models(const FrameDraw& d, ui::Rect box, bool& close);
void draw_export(const FrameDraw& d, ui::Rect box, bool& close);
void draw_lengths(const FrameDraw& d, ui::Rect box, bool& close);
[[nodiscard]] std::string from_home(const std::string& path); // ~/ stands for the home folder

} // namespace speclens
