#include "app/frame/model_choices.h"

#include <algorithm>
#include <filesystem>

#include "app/frame/actions.h"
#include "engine/fetch/fetch.h"
#include "engine/found/found.h"
#include "engine/models/model_names.h"
#include "kernels/error.h"

namespace speclens {

std::vector<ModelChoice> model_choices() {
    std::vector<ModelChoice> choices = {{kBuiltInModel, kBuiltInModel, frame_says("models.built_in"_t)}};
    std::filesystem::path folder;
    try {
        folder = fetched_folder();
    } catch (const Error&) { // no home: nothing was fetched, and fetching says so
    }
    for (const Fetchable& known : fetchables()) {
        const bool there = is_fetched(known);
        const double bytes = static_cast<double>(bytes_with_draft(known));
        choices.push_back({known.name, there ? known.title : frame_says("models.get"_t, "model"_v = known.title),
                           frame_says("models.size"_t, "licence"_v = known.licence, "bytes"_v = bytes), there});
    }
    if (folder.empty()) return choices;
    for (const FoundModel& found : find_models({"", folder, Place::Layout::folders}).models) {
        const bool known = std::ranges::any_of(fetchables(), [&](const Fetchable& one) { return found.path == folder / one.file; });
        if (!known)
            choices.push_back({found.path.string(), model_word(found.path.string()),
                               frame_says("models.size"_t, "licence"_v = "", "bytes"_v = static_cast<double>(found.bytes))});
    }
    return choices;
}

Message able_words(bool built_in, const std::string& model) {
    return built_in ? frame_says("models.able:built_in"_t) : frame_says("models.able:any"_t, "model"_v = model);
}

std::string model_title(const std::string& word) {
    const Fetchable* known = find_fetchable(word);
    return known ? known->title : word;
}

} // namespace speclens
