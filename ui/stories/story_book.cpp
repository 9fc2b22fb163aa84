#include "ui/stories/story_book.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "kernels/error.h"

namespace speclens {
namespace {

constexpr std::string_view kAllCases = "*";
[[maybe_unused]] const std::size_t kNumbersOffered = story::Offer<"shared", TextId<"words.numbers">>::known; // "no one two three"

struct TextName {
    std::string text, which;
};
TextName parts_of(std::string_view id) {
    const std::size_t colon = id.find(':');
    if (colon == std::string_view::npos) return {std::string(id), ""};
    return {std::string(id.substr(0, colon)), std::string(id.substr(colon + 1))};
}

const StoryText* text_in(const StoryLayer& layer, std::string_view scene, const std::string& text, const std::string& which) {
    const auto of = layer.scenes.find(scene);
    if (of == layer.scenes.end()) return nullptr;
    const auto cases = of->second.texts.find(text);
    if (cases == of->second.texts.end()) return nullptr;
    auto found = cases->second.find(which);
    if (found == cases->second.end()) found = cases->second.find(kAllCases);
    return found == cases->second.end() ? nullptr : &found->second;
}

// "words.choice:few" with the form "of" is "words.choice@of:few".
std::string form_id(std::string_view id, std::string_view form) {
    const std::size_t colon = std::min(id.find(':'), id.size());
    std::string out(id.substr(0, colon));
    out += '@';
    out += form;
    out += id.substr(colon);
    return out;
}

std::filesystem::path& shipped() {
    static std::filesystem::path folder;
    return folder;
}

std::shared_ptr<const StoryBook>& in_use() {
    static std::shared_ptr<const StoryBook> book;
    return book;
}

} // namespace

const char* beat_list_name(BeatList list) { return list == BeatList::focus ? "focus" : list == BeatList::hidden ? "hidden" : "criterion"; }

void keep_common(ValueKinds& values, const ValueKinds& others) {
    ValueKinds common;
    for (const auto& [name, kind] : values) {
        const auto other = others.find(name);
        if (other == others.end()) continue;
        const bool measured = kind == ValueKind::real || other->second == ValueKind::real;
        if (kind == other->second || !measured) common[name] = kind == other->second ? kind : ValueKind::words;
    }
    values = std::move(common);
}

ByName<StoryShape>& story_shapes() {
    static ByName<StoryShape> shapes;
    static std::size_t known = 0; // of the texts that were offered
    for (const std::vector<OfferedText>& all = offered_texts(); known < all.size(); ++known) {
        const OfferedText& text = all[known];
        const TextName name = parts_of(text.text);
        ValueKinds given;
        for (const OfferedValue& value : text.values) given.emplace(value.name, value.kind);
        const auto [at, added] = shapes[std::string(text.scene)].texts[name.text].emplace(name.which, given);
        if (!added) keep_common(at->second, given); // asked twice
    }
    return shapes;
}

bool says_data(const StoryShape& shape, std::string_view text) {
    const auto offered = shape.texts.find(text);
    if (offered == shape.texts.end()) return false;
    const auto whole = offered->second.find("");
    return whole != offered->second.end() && whole->second.contains(kDataWords);
}

void each_text(const StoryLayer& layer, const std::function<void(const std::string& name, const StoryText* text)>& visit) {
    for (const auto& [scene, shape] : story_shapes())
        for (const auto& [text, cases] : shape.texts)
            for (const auto& [which, values] : cases)
                visit(scene + ".toml: " + text + (which.empty() ? "" : ", case " + which), text_in(layer, scene, text, which));
}

std::vector<std::string> missing_texts(const StoryLayer& layer) {
    std::vector<std::string> missing;
    each_text(layer, [&](const std::string& name, const StoryText* text) {
        if (!text) missing.push_back(name);
    });
    return missing;
}

StoryBook::StoryBook(std::span<const StoryLayer> layers, std::vector<std::string> problems) : problems_(std::move(problems)) {
    for (const auto& [scene, shape] : story_shapes()) {
        for (const auto& [text, cases] : shape.texts)
            for (const auto& [which, values] : cases) {
                const StoryText* found = nullptr;
                for (const StoryLayer& layer : layers)
                    if (!found) found = text_in(layer, scene, text, which);
                if (!found)
                    throw Error("the story " + scene + ".toml lacks " + text + (which.empty() ? "" : ", case " + which),
                                "Restore assets/stories from the repository, or write the text: docs/stories.md.");
                texts_[scene][text + (which.empty() ? "" : ":" + which)] = *found;
            }
        for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) // forms and words of data, which only some languages have
            if (const auto of = layer->scenes.find(scene); of != layer->scenes.end())
                for (const auto& [text, cases] : of->second.texts)
                    if (text.find('@') != std::string::npos || says_data(shape, text))
                        for (const auto& [which, words] : cases)
                            texts_[scene][text + (which.empty() || which == kAllCases ? "" : ":" + which)] = words;
        for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer)
            if (const auto of = layer->scenes.find(scene); of != layer->scenes.end())
                for (const auto& [name, beat] : of->second.beats)
                    for (const auto& [list, names] : beat.lists) beats_[scene][name].lists[list] = names;
    }
    for (const OfferedText& one : offered_texts()) offered_.push_back(find(one.scene, one.text));
    if (const auto shared = texts_.find("shared"); shared != texts_.end())
        if (const auto words = shared->second.find("words.numbers"); words != shared->second.end()) {
            std::istringstream numbers(words->second.fill({}));
            for (std::string number; numbers >> number;) numbers_.push_back(number);
        }
}

const StoryText* StoryBook::find(std::string_view scene, std::string_view id) const {
    const auto of = texts_.find(scene);
    CHECK(of != texts_.end(), "a scene without a story");
    const auto found = of->second.find(id);
    return found == of->second.end() ? nullptr : &found->second;
}

const StoryText& StoryBook::text(std::string_view scene, std::string_view id) const {
    const StoryText* found = find(scene, id);
    CHECK(found, "a text that no scene asked for before main() began");
    return *found;
}

const StoryText* StoryBook::find_data(const Said& said) const {
    if (said.values.size() != 1 || said.values.front().name != kDataWords) return nullptr;
    const auto* english = std::get_if<std::string>(&said.values.front().is);
    return english ? find(said.scene, std::string(said.text) + ":" + *english) : nullptr;
}

std::string StoryBook::say(const Said& said, std::string_view form, Seam seam) const {
    const StoryText* text = form.empty() ? find_data(said) : find(said.scene, form_id(said.text, form));
    if (!text && said.offered < offered_.size()) text = offered_[said.offered]; // a name is the same in every form
    if (!text) text = &this->text(said.scene, said.text);
    return text->fill(
        said.values, numbers_, [&](const Said& one, std::string_view its) { return say(one, its, seam); }, seam);
}

const std::vector<std::string>* StoryBook::list(std::string_view scene, std::string_view beat, BeatList list) const {
    const auto of = beats_.find(scene);
    if (of == beats_.end()) return nullptr;
    const auto found = of->second.find(beat);
    if (found == of->second.end()) return nullptr;
    const auto names = found->second.lists.find(list);
    return names == found->second.lists.end() ? nullptr : &names->second;
}

StoryBook load_stories(const std::filesystem::path& folder, const std::string& language, const std::filesystem::path& own, Broken broken) {
    std::vector<StoryLayer> layers;
    std::vector<std::string> problems, *told = broken == Broken::refused ? nullptr : &problems;
    if (!own.empty()) layers.push_back(read_stories(own, told));
    if (!language.empty() && language != "en") layers.push_back(read_stories(folder / language, told));
    if (!folder.empty()) layers.push_back(read_stories(folder, told));
    if (folder.empty() || !missing_texts(layers.back()).empty()) layers.push_back(built_in_stories());
    return StoryBook(layers, std::move(problems));
}

std::filesystem::path own_stories() {
    const char* own = std::getenv("SPECLENS_STORIES");
    return own ? own : "";
}

std::shared_ptr<const StoryBook> shared_stories() {
    (void)stories();
    return in_use();
}

const StoryBook& stories() {
    static const bool read = [] {
        if (!in_use()) in_use() = std::make_shared<const StoryBook>(load_stories(shipped(), "", own_stories(), Broken::left_out));
        return true;
    }();
    (void)read;
    return *in_use();
}

void set_shipped_stories(std::filesystem::path folder) { shipped() = std::move(folder); }

std::vector<std::string> story_problems() { return in_use() ? in_use()->problems() : std::vector<std::string>(); }

void use_stories(std::shared_ptr<const StoryBook> book) {
    CHECK(book, "no stories");
    in_use() = std::move(book);
}

Message message(Said said) {
    if (said.empty()) return {};
    std::string words = stories().say(said);
    return {std::move(words), std::move(said)};
}

std::vector<std::string> shorter_and_shorter(const Message& message, Seam seam) {
    std::vector<std::string> beginnings;
    if (!message.finished()) { // no file says where it may end: sentences alone
        const std::string& all = message.words();
        for (std::size_t stop = 0; seam == Seam::sentence && (stop = all.find(". ", stop)) != std::string::npos;)
            beginnings.push_back(all.substr(0, ++stop));
        beginnings.push_back(all);
        std::ranges::reverse(beginnings);
        return beginnings;
    }
    std::string words;
    const std::string marked = stories().say(message.said, {}, seam);
    for (std::size_t i = 0; i < marked.size(); ++i) {
        if (marked[i] != kSeam) {
            words += marked[i];
            continue;
        }
        const bool goes_on = i + 1 < marked.size() && (seam != Seam::sentence || marked[i + 1] == ' '); // "2.", at the end of a value
        if (goes_on && !words.empty()) beginnings.push_back(words);
    }
    beginnings.push_back(std::move(words));
    std::ranges::reverse(beginnings);
    return beginnings;
}

namespace story {

bool offer_part(std::string_view scene, BeatList list, std::string_view name) {
    story_shapes()[std::string(scene)].parts[list].emplace(name);
    return true;
}

bool offer_beats(std::string_view scene, std::span<const std::string_view> names) {
    story_shapes()[std::string(scene)].beats.assign(names.begin(), names.end());
    return true;
}

bool lists(std::string_view scene, std::string_view beat, BeatList list, std::string_view name, bool where_none) {
    const std::vector<std::string>* names = stories().list(scene, beat, list);
    if (!names || names->empty()) return where_none;
    return std::ranges::find(*names, name) != names->end();
}

} // namespace story
} // namespace speclens
