// The text that `GET /metrics` answers with: Prometheus' exposition format 0.0.4 and OpenMetrics 1.0.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace speclens {

struct MetricSample {
    std::string name;
    std::vector<std::pair<std::string, std::string>> labels; // in the file's order, unescaped
    double value = 0;                                        // may be NaN or infinite

    [[nodiscard]] const std::string* label(std::string_view key) const; // nullptr: has none
};

// All samples in order. Lines that are no sample are skipped; time stamps and exemplars are dropped. Throws
// Error (exit network) when not one line is a sample: a web page, JSON, an empty answer.
[[nodiscard]] std::vector<MetricSample> parse_exposition(std::string_view text, const std::string& source);

} // namespace speclens
