#include "scenes/shared/story_book.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "engine/models/models.h"
#include "kernels/error.h"
#include "ui/language/language.h"

namespace speclens {
namespace {

constexpr std::string_view kAllCases = "*";
[[maybe_unused]] const bool kNumbersOffered = story::offer_text("shared", "words.numbers", {}); // "no one two three"

struct TextName {
    std::string text, which;
};
TextName parts_of(std::string_view id) {
    const std::size_t colon = id.find(':');
    if (colon == std::string_view::npos) return {std::string(id), ""};
    return {std::string(id.substr(0, colon)), std::string(id.substr(colon + 1))};
}

std::string part_id(std::string_view id, std::string_view part) {
    const std::size_t colon = std::min(id.find(':'), id.size());
    std::string out(id.substr(0, colon));
    out += '.';
    out += part;
    out += id.substr(colon);
    return out;
}

const StoryText* find(const StoryLayer& layer, std::string_view scene, const std::string& text, const std::string& which) {
    const auto of = layer.scenes.find(scene);
    if (of == layer.scenes.end()) return nullptr;
    const auto cases = of->second.texts.find(text);
    if (cases == of->second.texts.end()) return nullptr;
    auto found = cases->second.find(which);
    if (found == cases->second.end()) found = cases->second.find(kAllCases);
    return found == cases->second.end() ? nullptr : &found->second;
}

std::shared_ptr<const StoryBook>& in_use() {
    static std::shared_ptr<const StoryBook> book;
    return book;
}

} // namespace

const char* beat_list_name(BeatList list) { return list == BeatList::focus ? "focus" : list == BeatList::hidden ? "hidden" : "criterion"; }

ByName<StoryShape>& story_shapes() {
    static ByName<StoryShape> shapes;
    return shapes;
}

void each_text(const StoryLayer& layer, const std::function<void(const std::string& name, const StoryText* text)>& visit) {
    for (const auto& [scene, shape] : story_shapes())
        for (const auto& [text, cases] : shape.texts)
            for (const auto& [which, values] : cases)
                visit(scene + ".toml: " + text + (which.empty() ? "" : ", case " + which), find(layer, scene, text, which));
}

std::vector<std::string> missing_texts(const StoryLayer& layer) {
    std::vector<std::string> missing;
    each_text(layer, [&](const std::string& name, const StoryText* text) {
        if (!text) missing.push_back(name);
    });
    return missing;
}

StoryBook::StoryBook(std::span<const StoryLayer> layers) {
    for (const auto& [scene, shape] : story_shapes()) {
        for (const auto& [text, cases] : shape.texts)
            for (const auto& [which, values] : cases) {
                const StoryText* found = nullptr;
                for (const StoryLayer& layer : layers)
                    if (!found) found = find(layer, scene, text, which);
                if (!found)
                    throw Error("the story " + scene + ".toml lacks " + text + (which.empty() ? "" : ", case " + which),
                                "Restore assets/stories from the repository, or write the text: docs/stories.md.");
                texts_[scene][text + (which.empty() ? "" : ":" + which)] = *found;
            }
        for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer)
            if (const auto of = layer->scenes.find(scene); of != layer->scenes.end())
                for (const auto& [name, beat] : of->second.beats)
                    for (const auto& [list, names] : beat.lists) beats_[scene][name].lists[list] = names;
    }
    if (const auto shared = texts_.find("shared"); shared != texts_.end())
        if (const auto words = shared->second.find("words.numbers"); words != shared->second.end()) {
            std::istringstream numbers(words->second.fill({}));
            for (std::string number; numbers >> number;) numbers_.push_back(number);
        }
}

const StoryText& StoryBook::text(std::string_view scene, std::string_view id) const {
    const auto of = texts_.find(scene);
    CHECK(of != texts_.end(), "a scene without a story");
    const auto found = of->second.find(id);
    CHECK(found != of->second.end(), "a text that no scene asked for before main() began");
    return found->second;
}

const std::vector<std::string>* StoryBook::list(std::string_view scene, std::string_view beat, BeatList list) const {
    const auto of = beats_.find(scene);
    if (of == beats_.end()) return nullptr;
    const auto found = of->second.find(beat);
    if (found == of->second.end()) return nullptr;
    const auto names = found->second.lists.find(list);
    return names == found->second.lists.end() ? nullptr : &names->second;
}

StoryBook load_stories(const std::filesystem::path& folder, const std::string& language, const std::filesystem::path& own) {
    std::vector<StoryLayer> layers;
    if (!own.empty()) layers.push_back(read_stories(own));
    if (!language.empty() && language != "en") layers.push_back(read_stories(folder / language));
    layers.push_back(read_stories(folder));
    return StoryBook(layers);
}

std::shared_ptr<const StoryBook> shared_stories() {
    (void)stories();
    return in_use();
}

const StoryBook& stories() {
    static const bool read = [] {
        if (in_use()) return true;
        const char* own = std::getenv("SPECLENS_STORIES");
        in_use() = std::make_shared<const StoryBook>(load_stories(assets_folder() / "stories", "", own ? own : ""));
        return true;
    }();
    (void)read;
    return *in_use();
}

void use_stories(std::shared_ptr<const StoryBook> book) {
    CHECK(book, "no stories");
    in_use() = std::move(book);
}

namespace story {

bool offer_text(std::string_view scene, std::string_view id, std::span<const std::string_view> names) {
    const TextName name = parts_of(id);
    ByName<NameSet>& cases = story_shapes()[std::string(scene)].texts[name.text];
    NameSet given(names.begin(), names.end());
    const auto [at, added] = cases.emplace(name.which, given);
    if (!added) std::erase_if(at->second, [&](const std::string& one) { return !given.contains(one); }); // asked twice
    return true;
}

bool offer_beat(std::string_view scene, std::string_view id, std::span<const std::string_view> names) {
    offer_text(scene, part_id(id, "heading"), names);
    return offer_text(scene, part_id(id, "text"), names);
}

bool offer_part(std::string_view scene, BeatList list, std::string_view name) {
    story_shapes()[std::string(scene)].parts[list].emplace(name);
    return true;
}

bool offer_beats(std::string_view scene, std::span<const std::string_view> names) {
    story_shapes()[std::string(scene)].beats.assign(names.begin(), names.end());
    return true;
}

std::string tell(std::string_view scene, std::string_view id, std::initializer_list<StoryValue> values) {
    const StoryBook& book = stories();
    const ui::Language& language = ui::language();
    if (!language.translates()) return book.text(scene, id).fill({values.begin(), values.size()}, book.numbers());
    std::vector<StoryValue> own(values);
    for (StoryValue& value : own)
        if (!value.number) value.words = language.label(value.words); // names and parts of sentences from the code
    return book.text(scene, id).fill(own, book.numbers());
}

std::string tell_part(std::string_view scene, std::string_view id, std::string_view part, std::initializer_list<StoryValue> values) {
    return tell(scene, part_id(id, part), values);
}

bool lists(std::string_view scene, std::string_view beat, BeatList list, std::string_view name, bool where_none) {
    const std::vector<std::string>* names = stories().list(scene, beat, list);
    if (!names || names->empty()) return where_none;
    return std::ranges::find(*names, name) != names->end();
}

} // namespace story
} // namespace speclens
