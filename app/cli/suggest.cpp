// What was meant: the nearest known name (optimal string alignment distance, a swap of neighbours counts
// one), or our name of what llama.cpp, vLLM, SGLang, Transformers and the papers call otherwise.
#include <algorithm>
#include <array>
#include <string_view>

#include "app/cli/options.h"
#include "kernels/error.h"

namespace speclens::cli {

namespace {

std::size_t distance(const std::string& a, const std::string& b) {
    std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost[a.size()][b.size()];
}

struct Elsewhere {
    std::string_view theirs;
    std::string_view ours; // an option, and what it takes where that has to be said
};

constexpr auto kElsewhere = std::to_array<Elsewhere>({
    {"-m", "--model"},
    {"--model-path", "--model"},
    {"--target", "--model"},
    {"--target-model", "--model"},
    {"-md", "--drafter small=DIR"},
    {"--model-draft", "--drafter small=DIR"},
    {"--draft-model", "--drafter small=DIR"},
    {"--draft-model-path", "--drafter small=DIR"},
    {"--assistant-model", "--drafter small=DIR"},
    {"--speculative-model", "--drafter small=DIR"},
    {"--speculative-draft-model-path", "--drafter small=DIR"},
    {"--method", "--drafter"},
    {"--spec-type", "--drafter"},
    {"--speculative-algorithm", "--drafter"},
    {"--draft", "--k"},
    {"--draft-max", "--k"},
    {"--draft-n", "--k"},
    {"--gamma", "--k"},
    {"--num-draft-tokens", "--k"},
    {"--num-assistant-tokens", "--k"},
    {"--num-speculative-tokens", "--k"},
    {"--speculative-num-draft-tokens", "--k"},
    {"--speculative-num-steps", "--tree-depth"},
    {"--speculative-eagle-topk", "--tree-topk"},
    {"-p", "--prompt"},
    {"--input", "--prompt"},
    {"-f", "--prompt @FILE"},
    {"--file", "--prompt @FILE"},
    {"-n", "--max-tokens"},
    {"--n-predict", "--max-tokens"},
    {"--max-new-tokens", "--max-tokens"},
    {"--temperature", "--temp"},
    {"-t", "--threads"},
    {"-s", "--seed"},
    {"--random-seed", "--seed"},
    {"-ngl", "--backend"},
    {"--device", "--backend"},
    {"--gpu", "--backend"},
    {"--out", "-o"},
    {"--output", "-o"},
    {"--png", "-o"},
    {"--width", "--size WxH"},
    {"--height", "--size WxH"},
    {"--resolution", "--size WxH"},
    {"--dark", "--theme dark"},
    {"--light", "--theme light"},
});

bool is_known(std::string_view option, const std::vector<std::string>& known) { return std::ranges::find(known, option) != known.end(); }

} // namespace

std::string nearest_option(const std::string& name, const std::vector<std::string>& known) {
    for (const auto& [theirs, ours] : kElsewhere) {
        if (theirs != name) continue;
        const std::string_view option = ours.substr(0, ours.find(' '));
        if (is_known(option, known)) return std::string(ours);
        if (option == "--drafter" && is_known("--drafters", known)) return "--drafters" + std::string(ours.substr(option.size()));
    }
    return name.starts_with("--") ? nearest(name, known) : "";
}

std::string nearest(const std::string& name, const std::vector<std::string>& known) {
    if (name.empty() || name.size() > 64) return {};
    std::string best;
    std::size_t least = std::max<std::size_t>(2, name.size() / 3) + 1;
    for (const std::string& candidate : known) {
        std::size_t cost = distance(name, candidate);
        if (name.size() >= 2 && candidate.rfind(name, 0) == 0) cost = std::min<std::size_t>(cost, 1); // a beginning
        if (cost < least && cost < std::max(name.size(), candidate.size())) {
            least = cost;
            best = candidate;
        }
    }
    return best;
}

void unknown_name(const std::string& kind, const std::string& name, const std::vector<std::string>& known) {
    std::string remedy;
    const std::string close = nearest(name, known);
    if (!close.empty()) remedy = "Did you mean '" + close + "'? ";
    remedy += "Known: ";
    for (std::size_t i = 0; i < known.size(); ++i) remedy += (i ? ", " : "") + known[i];
    throw Error("unknown " + kind + " '" + name + "'", remedy + ".", Exit::usage);
}

} // namespace speclens::cli
