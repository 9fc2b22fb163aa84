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

// The same as messages: words of the files have a language's own in assets/stories/LANGUAGE/published.toml, all else stands in
// assets/stories/numbers.toml.
[[nodiscard]] Said claim_said(const PublishedFigure& figure);
[[nodiscard]] std::vector<Said> variant_said(const PublishedFigure& figure);           // empty: it has none
[[nodiscard]] std::vector<Said> reason_said(const PublishedFigure& figure);            // the same
[[nodiscard]] std::vector<Said> claim_behind_unit_said(const PublishedFigure& figure); // of "Tokens per round with …"; empty: of others
[[nodiscard]] Said along_said(const PublishedFigure& figure);                          // what the values of a list stand for
[[nodiscard]] Said conflict_said(const PublishedConflict& conflict);
[[nodiscard]] std::vector<Said> texts_said(const PublishedFigure& figure); // sentences of the files about it, and what its values stand for
[[nodiscard]] Said value_said(const PublishedFigure& figure);
[[nodiscard]] std::vector<Said> values_said(const PublishedFigure& figure);     // of a list every value, without the unit
[[nodiscard]] Said series_said(const PublishedFigure& figure);                  // of a list
[[nodiscard]] std::vector<Said> conditions_said(const PublishedFigure& figure); // empty: the source gives none
[[nodiscard]] Said citation_said(const PublishedFigure& figure, const PublishedSource& source);
[[nodiscard]] Said standing_said(const PublishedFigure& figure);

} // namespace speclens
