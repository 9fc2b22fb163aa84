// Published figures in words, alike in lists, charts and descriptions.
#pragma once

#include <string>
#include <vector>

#include "engine/published/published.h"
#include "kernels/said.h"

namespace speclens {

[[nodiscard]] std::string published_number(double value); // no digit more than needed: "4.7", "55 934 976"
// "3.84×", "up to 6.5×", "2–3×", "16 tokens"; a list: "5 values".
[[nodiscard]] std::string published_value(const PublishedFigure& figure);
// A list in full: "2.53 (3), 2.94 (5), … tokens, by draft tokens K"; empty for anything else.
[[nodiscard]] std::string published_series(const PublishedFigure& figure);
// "Qwen3-8B, GSM8K, A100, Transformers, 16 draft tokens, T=0"; what the source leaves out is left out.
[[nodiscard]] std::string published_conditions(const PublishedFigure& figure);
// "arXiv:2605.29707, Figure 1, 2026-05"
[[nodiscard]] std::string published_citation(const PublishedFigure& figure, const PublishedSource& source);
// "as published", "derived: …": how the figure stands to its source
[[nodiscard]] std::string published_standing(const PublishedFigure& figure);

// The same as messages, whose words stand in assets/stories/numbers.toml.
[[nodiscard]] Said value_said(const PublishedFigure& figure);
[[nodiscard]] std::vector<Said> values_said(const PublishedFigure& figure);     // of a list every value, without the unit
[[nodiscard]] Said series_said(const PublishedFigure& figure);                  // of a list
[[nodiscard]] std::vector<Said> conditions_said(const PublishedFigure& figure); // empty: the source gives none
[[nodiscard]] Said citation_said(const PublishedFigure& figure, const PublishedSource& source);
[[nodiscard]] Said standing_said(const PublishedFigure& figure);

} // namespace speclens
