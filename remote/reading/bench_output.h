// What benchmarks print and save about acceptance, read into entries of a log:
//   vLLM: `vllm bench serve` (table and JSON, vllm/benchmarks/serve.py; its rate is in per cent, its "Position 0" place 1)
//     and the offline example (examples/offline_inference/spec_decode.py); the report of speculators' evaluation, alike; the
//     section of acceptance is read alone, too;
//   SGLang: bench_serving (table and JSON lines; python/sglang/bench_serving.py) and /server_info, a length alone;
//   TensorRT-LLM: iterations of its /metrics (specDecodingStats; cpp/include/tensorrt_llm/executor/types.h), summed, and
//     trtllm-bench (its DECODING STATISTICS, and what --report_json saves);
//   AIPerf: the section Spec Decode and profile_export_aiperf.json (records of requests: bench_records.h);
//   z-lab's dflash.benchmark (dflash/benchmark.py);
//   OpenVINO GenAI: the figures of its samples (samples/cpp/text_generation/speculative_decoding_lm.cpp);
//   llama.cpp: the lines of its MTP benchmark (pull requests 22673, 23398: "pred= 192 draft= 139 acc= 138");
//   ik_llama.cpp: the table of llama-spec-bench (pull request 2156);
//   MLX: oMLX's "vlm_mtp stats:" (jundot/omlx) and "DFlash generation complete:".
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "remote/reading/open_entry.h"

namespace speclens {

// Line by line, in the midst of other output.
class BenchOutput {
  public:
    using Take = std::function<void(log_lines::Open)>; // a whole entry
    // Whether the line belongs to such output. `number` of the line in its file.
    bool line(std::string_view text, int number, const Take& take);
    void finish(const Take& take); // nothing follows

  private:
    // "Label:   1.5" and its like, until all is there.
    struct Block {
        int line = 0;
        std::string program, heading;
        bool percent = false;                              // its places are
        std::map<std::string, log_lines::Printed> figures; // by the label in small letters, with '_'
        std::map<int, log_lines::Printed> places;          // from 0
        int unknown = 0;                                   // lines since the last known one
    };
    bool labelled(std::string_view text, int number, const Take& take);
    bool columns(std::string_view text, int number, const Take& take);
    void close(const Take& take);
    std::optional<Block> block_;
    std::map<std::string, std::size_t> columns_; // of a table, by their names
};

// A saved result, or several (an array, a line each): absent where it is none.
[[nodiscard]] std::optional<std::vector<LogEntry>> read_bench_json(std::string_view text);

} // namespace speclens
