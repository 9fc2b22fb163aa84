#include "app/frame/model_choices.h"

#include <algorithm>
#include <filesystem>

#include "engine/fetch/fetch.h"
#include "engine/found/found.h"
#include "engine/models/model_names.h"
#include "kernels/error.h"
#include "ui/format.h"

namespace speclens {

std::vector<ModelChoice> model_choices() {
    std::vector<ModelChoice> choices = {{kBuiltInModel, "tiny", "built in: it lives in the processor's cache"}};
    std::filesystem::path folder;
    try {
        folder = fetched_folder();
    } catch (const Error&) { // no home: nothing was fetched, and fetching says so
    }
    for (const Fetchable& known : fetchables()) {
        const bool there = is_fetched(known);
        const double bytes = static_cast<double>(bytes_with_draft(known));
        choices.push_back({known.name, (there ? "" : "Get ") + known.title, known.licence + ", " + ui::megabytes(bytes), there});
    }
    if (folder.empty()) return choices;
    for (const FoundModel& found : find_models({"", folder, Place::Layout::folders}).models) {
        const bool known = std::ranges::any_of(fetchables(), [&](const Fetchable& one) { return found.path == folder / one.file; });
        if (!known)
            choices.push_back({found.path.string(), model_word(found.path.string()), ui::megabytes(static_cast<double>(found.bytes))});
    }
    return choices;
}

std::string able_words(bool built_in, const std::string& model) {
    if (built_in)
        return "tiny has 5 million parameters and a small world: facts, small sums, short Python functions, JSON forms and "
               "stories, in English. Beyond them it writes nonsense.";
    const std::string who = model.empty() ? "This model" : model;
    return "Ask " + who + " any question: it answers in its own words. What it says is not checked here, only how it is written.";
}

std::string model_title(const std::string& word) {
    const Fetchable* known = find_fetchable(word);
    return known ? known->title : word;
}

} // namespace speclens
