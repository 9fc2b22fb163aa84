#include "remote/reading/bench_entry.h"

#include <cmath>

#include "engine/base/printed.h"

namespace speclens {

using log_lines::figure;
using log_lines::Open;
using log_lines::Printed;

Open entry_of(ServerKind kind, const std::string& program, int line) {
    Open o;
    o.entry.kind = kind;
    o.entry.span = LogEntry::Span::run;
    o.entry.method = program;
    o.entry.line = line;
    return o;
}

Printed of_percent(Printed percent) { return {percent.value / 100, percent.off / 100}; }

void drop_undrafted_places(Open& o) {
    if (!o.rounds || !o.drafted || *o.rounds <= 0) return;
    const double k = *o.drafted / *o.rounds;
    if (k != std::round(k) || k < 1) return;
    while (static_cast<double>(o.places.size()) > k && o.places.back() == 0) o.places.pop_back();
}

std::string latencies_words(const std::optional<Printed>& chunk, const std::optional<Printed>& token) {
    if (!chunk || !token || !(token->value > 0)) return {};
    return printed("mean ITL ÷ TPOT is %.2f: as many tokens came at once", chunk->value / token->value);
}

Open trt_bench(double answers, double tokens, double drafted, double accepted, int line) {
    Open o = entry_of(ServerKind::tensorrt, "trtllm-bench", line);
    const double passes = tokens - accepted, k = passes >= 1 ? std::round(drafted / passes) : 0, off = 0.006 * (k + 1);
    o.entry.text = WrittenText{.tokens = std::round(answers * tokens), .answers = answers, .cut = 0};
    if (answers >= 100) o.entry.text->off = std::ceil(0.0051 * answers); // its means have two decimals
    if (k < 1 || accepted > tokens || std::abs(drafted - k * passes) > off) {
        o.leave_out(figure(drafted) + " drafted of each request, which is no whole K for " + figure(passes) + " passes");
        return o;
    }
    o.accepted = std::round(answers * accepted);
    o.drafted = std::round(answers * (drafted - k));
    o.entry.remark = "drafted without the K = " + figure(k) + " that it counts for the pass of each prompt";
    return o;
}

} // namespace speclens
