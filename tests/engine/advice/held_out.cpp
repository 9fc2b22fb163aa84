// How far predictions come true: an advice from one half of the prompts, then every drafter and draft length run on the
// other half with clocks of its own. Run by hand: ninja held_out, held_out [MODEL [PROMPTS.jsonl [SECONDS [TEMPERATURE]]]].
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "engine/advice/advice_measurement.h"
#include "engine/advice/advice_words.h"
#include "engine/base/quantile.h"
#include "engine/models/model_names.h"
#include "engine/run/gallery.h"
#include "kernels/error.h"

namespace speclens {
namespace {

void finish(AdviceMeasurement& measurement) {
    while (measurement.step()) {
    }
}

int check(const std::string& model, const std::filesystem::path& file, double seconds, double temperature) {
    ModelPaths paths;
    paths.target = model_file(model);
    const auto models = std::make_shared<const Models>(load_models(paths));
    const std::vector<GalleryPrompt> prompts = mixed_prompts(load_gallery(file));
    AdvicePlan plan;
    plan.base.sampling.temperature = temperature;
    plan.base.max_tokens = 64;
    plan.seconds = seconds;
    AdvicePlan outcome = plan;
    outcome.every = 1;
    outcome.contexts = plan.contexts = false;
    outcome.base.seed = plan.base.seed + 1;
    for (std::size_t i = 0; i < prompts.size(); ++i) (i / 12 % 2 == 0 ? plan : outcome).prompts.push_back(prompts[i]);
    AdviceMeasurement first(models, plan);
    finish(first);
    const Advice& said = *first.advice();
    AdviceMeasurement second(models, outcome);
    finish(second);
    const Advice& came = *second.advice();
    std::printf("%s, T = %g: predicted from %d prompts in %.0f s (busy %.2f, clock %.3f, plain %.3f ms), run on %d others in %.0f s "
                "(busy %.2f, clock %.3f, plain %.3f ms)\n%s\n",
                said.model.c_str(), temperature, said.prompts, said.seconds, said.busy_cores, said.clock, said.plain_ms, came.prompts,
                came.seconds, came.busy_cores, came.clock, came.plain_ms, verdict_said(said).id().c_str());
    std::printf(
        "| drafter | K | predicted | 90 %% | came | error | tokens a round, predicted | came |\n|---|---|---|---|---|---|---|---|\n");
    std::vector<double> errors, widths, token_errors;
    int inside = 0;
    for (const AdviceCell& cell : said.cells) {
        const AdviceCell* real = came.cell(cell.drafter, cell.k);
        if (!real || real->speed_up <= 0) continue;
        const double error = real->speed_up / cell.speed_up - 1, width = (cell.high - cell.low) / 2 / cell.speed_up;
        const bool within = real->speed_up >= cell.low && real->speed_up <= cell.high;
        inside += within ? 1 : 0;
        errors.push_back(std::abs(error));
        widths.push_back(width);
        token_errors.push_back(std::abs(real->tokens_per_round / cell.tokens_per_round - 1));
        std::printf("| %s | %d | %.2f× | %.2f–%.2f | %.2f×%s | %+.1f %% | %.2f | %.2f |\n", cell.drafter.c_str(), cell.k, cell.speed_up,
                    cell.low, cell.high, real->speed_up, within ? "" : " (outside)", 100 * error, cell.tokens_per_round,
                    real->tokens_per_round);
    }
    std::printf("%d of %zu cells inside (%.0f %%), median error %.1f %% (tokens a round %.1f %%), median half-width %.1f %%\n", inside,
                errors.size(), errors.empty() ? 0 : 100.0 * inside / static_cast<double>(errors.size()), 100 * median(errors),
                100 * median(token_errors), 100 * median(widths));
    return 0;
}

} // namespace
} // namespace speclens

int main(int count, char** words) {
    using namespace speclens;
    try {
        const std::string model = count > 1 ? words[1] : kBuiltInModel;
        const bool built_in = model == kBuiltInModel;
        return check(model, count > 2 ? words[2] : assets_folder() / "prompts" / (built_in ? "heldout.jsonl" : "smollm2.jsonl"),
                     count > 3 ? std::atof(words[3]) : 60, count > 4 ? std::atof(words[4]) : 0);
    } catch (const Error& error) {
        std::fprintf(stderr, "%s. %s\n", error.what(), error.remedy().c_str());
        return 3;
    }
}
