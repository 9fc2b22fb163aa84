// Published figures in words, alike in lists, charts and descriptions.
#pragma once

#include <string>

#include "engine/published/published.h"

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

} // namespace speclens
